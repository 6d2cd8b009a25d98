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
    name: String,
    class: Class,
    /// The test case's place among those that are tried.
    case: usize,
    test_case: &'a TestCase,
    text: Text<'a>,
}

/// A changed input: how to make it, or, if a grammar made it, itself.
enum Text<'a> {
    Change(&'a Mutation),
    Kept(Arc<[u8]>),
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
    let mut tasks = generic(proving, validators, &samples)?;
    tasks.extend(outside_of(proving, validators, &samples)?);
    let mut kinds: Vec<String> = proving.mutations.iter().map(|it| it.name.clone()).collect();
    let tasks = tasks.into_iter().map(|task| {
        let known = kinds.iter().position(|name| *name == task.name);
        let kind = known.unwrap_or_else(|| {
            kinds.push(task.name.clone());
            kinds.len() - 1
        });
        (Fault { kind, case: task.case }, task)
    });
    let mut tasks: Vec<(Fault, Task<'_>)> = tasks.collect();
    tasks.sort_by_key(|(fault, _)| (fault.kind, fault.case));
    let tasks = accepted(proving, validators, tasks)?;
    let mut found: BTreeMap<Class, Vec<&Task<'_>>> = BTreeMap::new();
    for task in &tasks {
        let of_class = found.entry(task.class).or_default();
        if of_class.iter().all(|other| other.name != task.name) {
            of_class.push(task);
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
    /// The changed input, if there is a place for the change.
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
            name: kinds[kind].name.clone(),
            class: kinds[kind].class,
            case,
            test_case: sample.test_case,
            text: Text::Change(&kinds[kind]),
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

/// Inputs that the grammars among the validators know to be out of bounds, made of small inputs and of the middle
/// one. The others are asked about them: they are there to find what a grammar finds, and more. If there are no
/// others, nothing is open.
fn outside_of<'a>(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    samples: &[Sample<'a>],
) -> Result<Vec<Task<'a>>, Stop> {
    if programs(validators).next().is_none() {
        return Ok(Vec::new());
    }
    let middle = samples.len() / 2;
    let numbered: Vec<(usize, &Sample<'a>)> = samples
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
        let tasks = found.into_iter().map(|found| Task {
            name: found.name,
            class: Class::Bounds,
            case: *at,
            test_case: sample.test_case,
            text: Text::Kept(found.text.into()),
        });
        Ok(tasks.collect::<Vec<_>>())
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
    tasks: Vec<(Fault, Task<'a>)>,
) -> Result<Vec<Task<'a>>, Stop> {
    let tasks_of =
        |tasks: Vec<(Fault, Task<'a>)>| tasks.into_iter().map(|(_, task)| task).collect();
    if programs(validators).next().is_none() {
        return Ok(tasks_of(tasks));
    }
    let faults: Vec<Fault> = tasks.iter().map(|(fault, _)| *fault).collect();
    let chosen: Vec<_> = sample(&faults).into_iter().map(|at| &tasks[at]).collect();
    let accepted = proving.bench.map("changed inputs", &chosen, |(fault, task)| {
        let accepted = is_accepted(proving, validators, task)?;
        Ok(accepted.then_some(*fault))
    })?;
    let accepted: Vec<Fault> = accepted.into_iter().flatten().collect();
    Ok(tasks_of(tasks.into_iter().filter(|(fault, _)| accepted.contains(fault)).collect()))
}

/// Whether all programs take an input for valid.
fn is_accepted(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    task: &Task<'_>,
) -> Result<bool, Stop> {
    let changed = match &task.text {
        Text::Kept(text) => Some(Arc::clone(text)),
        Text::Change(mutation) => mutation.of(&read(task.test_case)?).map(Arc::from),
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

/// A remark about changes of a class that were accepted.
fn doubt(path: &std::path::Path, class: Class, found: &[&Task<'_>]) -> Diagnostic {
    let names: Vec<&str> = found.iter().map(|task| &*task.name).collect();
    let shown = found.first().map_or("", |task| &*task.test_case.name);
    let also = match found.iter().all(|task| task.test_case.name == shown) {
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
