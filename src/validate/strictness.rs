//! Inputs with small faults put before the input validators: what they let pass is named.
//!
//! Each input gets one at least. Grammars, which are asked in this process, see every kind in every small input;
//! validators that cost a process each see each kind in two inputs, and one kind in each of the others: one that
//! overlooks a kind does so nearly everywhere, and a run of each kind on each case would take longer than all else.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crate::executor::parallel;
use crate::grammar::outside::outside;
use crate::grammar::validate::accepts;
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::validate::inputs::{InputValidator, opinion};
use crate::validate::mutation_sample::{Fault, sample};
use crate::validate::mutations::{Class, Mutation};
use crate::validate::programs::Opinion;
use crate::validate::{Extent, Proving};

/// Larger inputs are not tried.
const LARGEST: u64 = 1 << 20;
/// Inputs up to this size are tried with every kind of fault, larger ones with one kind each.
const SMALL: u64 = 1 << 14;

/// A test case whose input is changed.
struct Sample<'a> {
    test_case: &'a TestCase,
    size: u64,
}

/// A changed input that should be refused.
struct Task<'a> {
    /// What it has, such as `a tab between words`.
    name: &'a str,
    class: Class,
    /// The test case, by its place among those that are tried.
    fault: Fault,
    test_case: &'a TestCase,
    /// How to make it; `None` where it is kept.
    change: Option<&'a Mutation>,
    kept: Arc<[u8]>,
}

/// Tries every mutation on many cases and each case with many mutations; what no validator refuses is doubted.
pub(super) fn prove(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    remarks: &mut Vec<Diagnostic>,
) -> Result<(), Stop> {
    if proving.extent != Extent::Everything || validators.is_empty() {
        return Ok(());
    }
    let samples = samples(proving)?;
    let outside = outside_of(proving, validators, &samples)?;
    let mut tasks = generic(proving, validators, &samples)?;
    let mut names: Vec<&str> = Vec::new();
    for found in &outside {
        let known = names.iter().position(|name| *name == found.name);
        let kind = known.unwrap_or_else(|| {
            names.push(&found.name);
            names.len() - 1
        });
        tasks.push(Task {
            name: &found.name,
            class: Class::Bounds,
            fault: Fault { kind: proving.mutations.len() + kind, case: found.sample },
            test_case: samples[found.sample].test_case,
            change: None,
            kept: Arc::clone(&found.text),
        });
    }
    tasks.sort_by_key(|task| (task.fault.kind, task.fault.case));
    let mut found: BTreeMap<Class, Vec<Accepted<'_>>> = BTreeMap::new();
    for task in accepted(proving, validators, tasks)? {
        let of_class = found.entry(task.class).or_default();
        if of_class.iter().all(|other| other.name != task.name) {
            of_class.push(Accepted { name: task.name, test_case: &task.test_case.name });
        }
    }
    let path = place(proving);
    let doubts = found.iter();
    remarks.extend(doubts.map(|(class, found)| doubt(&path, *class, found)));
    Ok(())
}

/// The judged inputs that are not too large, from small to large.
fn samples<'a>(proving: &Proving<'a>) -> Result<Vec<Sample<'a>>, JudgeError> {
    let mut samples = Vec::new();
    for test_case in &proving.bench.problem.test_data.cases {
        let size = fs::metadata(&test_case.input);
        let size = size.map_err(JudgeError::on("read", &test_case.input))?.len();
        if size > 0 && size <= LARGEST {
            samples.push(Sample { test_case, size });
        }
    }
    samples.sort_by_key(|sample| sample.size);
    Ok(samples)
}

fn read(test_case: &TestCase) -> Result<Vec<u8>, JudgeError> {
    fs::read(&test_case.input).map_err(JudgeError::on("read", &test_case.input))
}

impl Mutation {
    /// The changed input, where there is a place for the change.
    fn of(&self, input: &[u8]) -> Option<Vec<u8>> {
        (self.change)(input).filter(|changed| changed != input)
    }
}

/// The faults that need no knowledge of the problem and that no grammar refuses: all kinds in small inputs and in
/// the middle one; in each other one the next kind that it has a place for.
fn generic<'a>(
    proving: &Proving<'a>,
    validators: &[InputValidator<'_>],
    samples: &[Sample<'a>],
) -> Result<Vec<Task<'a>>, Stop> {
    let numbered: Vec<(usize, &Sample<'a>)> = samples.iter().enumerate().collect();
    let kinds = proving.mutations;
    let open = parallel::map(proving.bench.executor, &numbered, |(case, sample)| {
        let input = read(sample.test_case)?;
        let is_whole = sample.size <= SMALL || *case == samples.len() / 2;
        let mut open = Vec::new();
        for turn in 0..kinds.len() {
            let kind = (case + turn) % kinds.len();
            let Some(changed) = kinds[kind].of(&input) else { continue };
            if !is_refused(validators, &changed) {
                open.push(kind);
            }
            if !is_whole {
                break;
            }
        }
        Ok(open)
    })?;
    let mut tasks = Vec::new();
    for ((case, sample), open) in numbered.into_iter().zip(open) {
        tasks.extend(open.into_iter().map(|kind| Task {
            name: &kinds[kind].name,
            class: kinds[kind].class,
            fault: Fault { kind, case },
            test_case: sample.test_case,
            change: Some(&kinds[kind]),
            kept: Arc::from([]),
        }));
    }
    Ok(tasks)
}

/// Whether a grammar refuses an input.
fn is_refused(validators: &[InputValidator<'_>], input: &[u8]) -> bool {
    validators.iter().any(|validator| match validator {
        InputValidator::Grammar(grammar) => !accepts(&grammar.grammar, input),
        InputValidator::Program(_) => false,
    })
}

/// An input that a grammar knows to be out of bounds.
struct Beyond {
    name: String,
    sample: usize,
    text: Arc<[u8]>,
}

/// Inputs that the grammars among the validators know to be out of bounds, made of small inputs and of the middle
/// one. The others are asked about them: they are there to find what a grammar finds, and more. Where there are no
/// others, nothing is open.
fn outside_of(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    samples: &[Sample<'_>],
) -> Result<Vec<Beyond>, Stop> {
    if programs(validators).next().is_none() {
        return Ok(Vec::new());
    }
    let middle = samples.len() / 2;
    let numbered: Vec<(usize, &Sample<'_>)> = samples
        .iter()
        .enumerate()
        .filter(|(at, sample)| sample.size <= SMALL || *at == middle)
        .collect();
    let found = parallel::map(proving.bench.executor, &numbered, |(at, sample)| {
        let mut found = Vec::new();
        for validator in validators {
            if let InputValidator::Grammar(grammar) = validator {
                found.extend(outside(&grammar.grammar, &read(sample.test_case)?));
            }
        }
        let beyond = found.into_iter().map(|found| Beyond {
            name: found.name,
            sample: *at,
            text: found.text.into(),
        });
        Ok(beyond.collect::<Vec<_>>())
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// The validators that cost a process each.
fn programs<'v, 'a>(
    validators: &'v [InputValidator<'a>],
) -> impl Iterator<Item = &'v InputValidator<'a>> {
    let is_program = |it: &&InputValidator<'_>| matches!(it, InputValidator::Program(_));
    validators.iter().filter(is_program)
}

/// Those of the tasks, which no grammar refuses, that no program refuses either. Programs are asked about a choice.
fn accepted<'a>(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    tasks: Vec<Task<'a>>,
) -> Result<Vec<Task<'a>>, Stop> {
    if programs(validators).next().is_none() {
        return Ok(tasks);
    }
    let faults: Vec<Fault> = tasks.iter().map(|task| task.fault).collect();
    let chosen: Vec<&Task<'_>> = sample(&faults).into_iter().map(|at| &tasks[at]).collect();
    let accepted = proving.bench.map("changed inputs", &chosen, |task| {
        let accepted = is_accepted(proving, validators, task)?;
        Ok(accepted.then_some(task.fault))
    })?;
    let accepted: Vec<Fault> = accepted.into_iter().flatten().collect();
    let tasks = tasks.into_iter();
    Ok(tasks.filter(|it| accepted.contains(&it.fault)).collect())
}

/// Whether all programs take an input for valid.
fn is_accepted(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    task: &Task<'_>,
) -> Result<bool, Stop> {
    let changed = match task.change {
        None => Some(Arc::clone(&task.kept)),
        Some(mutation) => mutation.of(&read(task.test_case)?).map(Arc::from),
    };
    let Some(changed) = changed else { return Ok(false) };
    for validator in programs(validators) {
        let input = Blob::from(Arc::clone(&changed));
        if opinion(&proving.bench, validator, task.test_case, input)? != Opinion::Valid {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A change that was accepted, and where.
struct Accepted<'a> {
    name: &'a str,
    test_case: &'a str,
}

/// The validator, or the directory of several.
fn place(proving: &Proving<'_>) -> PathBuf {
    match &proving.bench.problem.input_validators[..] {
        [only] => only.path.clone(),
        _ => {
            let problem = proving.bench.problem;
            problem.dir.join(problem.layout.input_validators)
        }
    }
}

fn doubt(path: &std::path::Path, class: Class, found: &[Accepted<'_>]) -> Diagnostic {
    let names: Vec<&str> = found.iter().map(|accepted| accepted.name).collect();
    let shown = found.first().map_or("", |accepted| accepted.test_case);
    let also = match found.iter().all(|accepted| accepted.test_case == shown) {
        true => "",
        false => " and others",
    };
    let message = format!("accepts inputs with {}; seen with {shown}{also}", names.join(", with "));
    Diagnostic::warning(path, message).help(match class {
        Class::Layout => {
            "be strict about white space: a submission that reads line by line may stumble over it"
        }
        Class::Numbers => {
            "refuse numbers that are written in another way than the statement has them"
        }
        Class::Rest => "read to the end of the input, and refuse what stands behind it",
        Class::Bounds => "hold each value against the bounds of the statement",
    })
}
