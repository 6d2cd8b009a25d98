//! Gives inputs with small faults to the input validators, and reports faults that they accept.
//!
//! Each input gets at least one fault. Grammars run in this process: they get every kind of fault in every small
//! input. A validator that costs a process gets each kind in two inputs, and one kind in each other input. If it
//! overlooks a kind, it does so nearly everywhere; a run of each kind on each case would take longer than everything
//! else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::validity::Validity;
use crate::validity::test_data::DataCheck;
use crate::validity::test_data::mutations::{Mutation, MutationCategory};
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_sandbox::executor::parallel;

/// In bytes. Larger inputs are skipped.
const SAMPLE_BYTES_MAX: u64 = 1 << 20;
/// In bytes. Smaller inputs get every kind of fault, larger ones only one kind each.
const SMALL_BYTES_MAX: u64 = 1 << 14;

pub(super) struct MutatedInput<'a> {
    /// An index among the mutations.
    kind: usize,
    /// An index among the samples.
    sample: usize,
    pub(super) test_case: &'a TestCase,
    pub(super) mutation: &'a Mutation,
    pub(super) is_refused: bool,
}

impl MutatedInput<'_> {
    pub(super) fn text(&self) -> Result<Option<Arc<[u8]>>, JudgeError> {
        Ok(self.mutation.apply(&read(self.test_case)?).map(Arc::from))
    }
}

pub(super) struct StrictnessCheck<'t, 'a> {
    pub(super) data_check: &'t DataCheck<'a>,
    pub(super) validity: &'t Validity<'t>,
}

impl<'a> StrictnessCheck<'_, 'a> {
    /// Warns of the mutations that no validator refuses.
    pub(super) fn check(&self, diagnostics: &mut Vec<Diagnostic>) -> Result<(), Stop> {
        if self.data_check.selected.is_some() || self.validity.count() == 0 {
            return Ok(());
        }
        let mut tasks = self.try_mutations()?;
        tasks.retain(|task| !task.is_refused);
        let mut by_category: BTreeMap<MutationCategory, Vec<&MutatedInput<'_>>> = BTreeMap::new();
        for task in &tasks {
            let of_category = by_category.entry(task.mutation.category).or_default();
            if of_category.iter().all(|other| other.mutation.name != task.mutation.name) {
                of_category.push(task);
            }
        }
        let path = self.validator_path();
        for (category, inputs) in by_category {
            diagnostics.push(accepted_warning(&path, category, &inputs));
        }
        Ok(())
    }

    /// Tries every mutation on many cases, and each case with many mutations.
    pub(super) fn try_mutations(&self) -> Result<Vec<MutatedInput<'a>>, Stop> {
        let samples = self.samples()?;
        let samples: Vec<_> = samples.into_iter().enumerate().collect();
        let middle = samples.len() / 2;
        let tasks = parallel::map(
            self.data_check.bench.executor,
            &samples,
            |(case, (size, test_case))| {
                let is_whole = *size <= SMALL_BYTES_MAX || *case == middle;
                Ok(self.mutate(*case, test_case, is_whole)?)
            },
        )?;
        let mut tasks: Vec<MutatedInput<'_>> = tasks.into_iter().flatten().collect();
        tasks.sort_by_key(|task| task.kind);
        self.ask_programs(tasks)
    }

    /// The test cases to change, with the sizes of their inputs, the smallest first.
    fn samples(&self) -> Result<Vec<(u64, &'a TestCase)>, JudgeError> {
        let mut samples = Vec::new();
        for test_case in &self.data_check.bench.problem.test_data.cases {
            let size = test_case.input.metadata();
            let size = size.map_err(JudgeError::on_file("read", &test_case.input))?.len();
            if size > 0 && size <= SAMPLE_BYTES_MAX {
                samples.push((size, test_case));
            }
        }
        samples.sort_by_key(|(size, _)| *size);
        Ok(samples)
    }

    /// Checks the changed inputs of a test case with the grammars. Without `is_whole`, only one kind is tried, which
    /// differs from case to case.
    fn mutate(
        &self,
        case: usize,
        test_case: &'a TestCase,
        is_whole: bool,
    ) -> Result<Vec<MutatedInput<'a>>, JudgeError> {
        let kinds = self.data_check.mutations;
        let input = read(test_case)?;
        let turns = (0..kinds.len()).map(|turn| (case + turn) % kinds.len());
        let fits = turns.filter_map(|kind| Some((kind, kinds[kind].apply(&input)?)));
        let most = if is_whole { kinds.len() } else { 1 };
        let tasks = fits
            .take(most)
            .map(|(kind, text)| MutatedInput {
                kind,
                sample: case,
                test_case,
                mutation: &kinds[kind],
                is_refused: !self.validity.grammars_accept(&text),
            })
            .collect();
        Ok(tasks)
    }

    /// Adds the decisions of programs on a sample of the inputs that no grammar refuses. Drops the rest of these
    /// inputs.
    fn ask_programs(&self, tasks: Vec<MutatedInput<'a>>) -> Result<Vec<MutatedInput<'a>>, Stop> {
        if !self.validity.has_programs() {
            return Ok(tasks);
        }
        let (mut all, mut open): (Vec<_>, Vec<_>) =
            tasks.into_iter().partition(|task| task.is_refused);
        let chosen = sample_pairs(open.iter().map(|task| (task.mutation.name, task.sample)));
        let mut at = 0..;
        open.retain(|_| at.next().is_some_and(|at| chosen.contains(&at)));
        let refused = self.data_check.bench.map("changed inputs", &open, |task| {
            let Some(changed) = task.text()? else { return Ok(true) };
            let input = Blob::from(changed);
            Ok(self.validity.program_objection_in(task.test_case, &input)?.is_some())
        })?;
        open.iter_mut().zip(refused).for_each(|(task, refused)| task.is_refused = refused);
        all.append(&mut open);
        Ok(all)
    }

    fn validator_path(&self) -> FilePath {
        let problem = self.data_check.bench.problem;
        match &problem.input_validators[..] {
            [only] => only.path.clone(),
            _ => problem.dir.join(problem.layout.input_validators),
        }
    }
}

fn read(test_case: &TestCase) -> Result<Vec<u8>, JudgeError> {
    test_case.input.read().map_err(JudgeError::on_file("read", &test_case.input))
}

impl Mutation {
    /// `None` if the change does not apply.
    fn apply(&self, input: &[u8]) -> Option<Vec<u8>> {
        (self.change)(input).filter(|changed| changed != input)
    }
}

/// Chooses indexes of pairs of a kind and a case: each kind on the first case that it fits and the middle one, and
/// each case with at least one kind.
fn sample_pairs<'n>(tasks: impl Iterator<Item = (&'n str, usize)>) -> BTreeSet<usize> {
    let mut of_kind: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut of_case: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, (kind, case)) in tasks.enumerate() {
        of_kind.entry(kind).or_default().push(at);
        of_case.entry(case).or_default().push(at);
    }
    let two = of_kind.values().flat_map(|fits| [fits[0], fits[fits.len() / 2]]);
    let mut chosen: BTreeSet<usize> = two.collect();
    for (case, fits) in of_case {
        if fits.iter().all(|at| !chosen.contains(at)) {
            chosen.insert(fits[case % fits.len()]);
        }
    }
    chosen
}

fn accepted_warning(
    path: &std::path::Path,
    category: MutationCategory,
    found: &[&MutatedInput<'_>],
) -> Diagnostic {
    let names: Vec<&str> = found.iter().map(|task| task.mutation.name).collect();
    let shown = found.first().map_or("", |task| &*task.test_case.name);
    let also =
        if found.iter().all(|task| task.test_case.name == shown) { "" } else { " and others" };
    let message = format!("accepts inputs with {}; seen with {shown}{also}", names.join(", with "));
    Diagnostic::warning(path, message).help(match category {
        MutationCategory::Layout => {
            "be strict about white space: a submission that reads line by line may fail on it"
        }
        MutationCategory::Numbers => "refuse numbers in another form than in the statement",
        MutationCategory::Trailing => "read to the end of the input, and refuse extra text",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_tried_twice_and_each_case_once() {
        let check = |tasks: &[(&str, usize)], expected: &[usize]| {
            let chosen: Vec<usize> = sample_pairs(tasks.iter().copied()).into_iter().collect();
            assert_eq!(chosen, expected, "{tasks:?}");
        };
        check(&[], &[]);
        check(&[("a", 4)], &[0]);
        check(&[("a", 0), ("a", 1), ("a", 2)], &[0, 1, 2]);
        // Two kinds on five cases: each kind on two, then each remaining case, not all with the same kind.
        let all: Vec<(&str, usize)> =
            ["a", "b"].iter().flat_map(|kind| (0..5).map(move |case| (*kind, case))).collect();
        check(&all, &[0, 2, 4, 5, 6, 7, 8]);
        // A kind that fits only one case, and a case that only one kind fits.
        check(&[("a", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 3)], &[0, 1, 2, 3, 4]);
    }
}
