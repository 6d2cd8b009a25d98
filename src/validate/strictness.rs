//! Inputs with small faults put before the input validators: what they let pass is named.
//!
//! Each kind of fault is tried on a few cases, not on all: a validator that overlooks a kind does so
//! nearly everywhere, and a run of each kind on each case would take longer than all else.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::executor::{RunError, parallel};
use crate::grammar::outside::outside;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::job::Input;
use crate::model::judgement::JudgeError;
use crate::model::test_data::TestCase;
use crate::validate::inputs::{InputValidator, opinion};
use crate::validate::mutations::Class;
use crate::validate::programs::Opinion;
use crate::validate::{Extent, Proof, Proving};

/// Larger inputs are not tried.
const LARGEST: u64 = 1 << 20;

/// A test case whose input is changed.
struct Sample<'a> {
    test_case: &'a TestCase,
    input: Vec<u8>,
}

/// A changed input that should be refused.
struct Task<'a> {
    /// What it has, such as `a tab between words`.
    name: String,
    class: Class,
    test_case: &'a TestCase,
    input: Vec<u8>,
}

/// Tries every mutation on a sample of the cases; what no validator refuses is doubted.
pub(super) fn prove(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    proof: &mut Proof,
) -> Result<(), JudgeError> {
    if proving.extent != Extent::Everything || validators.is_empty() {
        return Ok(());
    }
    let samples = samples(proving)?;
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for mutation in proving.mutations {
        for sample in &samples {
            let changed = (mutation.change)(&sample.input).filter(|it| *it != sample.input);
            tasks.extend(changed.map(|input| Task {
                name: mutation.name.clone(),
                class: mutation.class,
                test_case: sample.test_case,
                input,
            }));
        }
    }
    tasks.extend(samples.iter().flat_map(|it| outside_of(validators, it)));
    let progress = |done| {
        (proving.events)(Event::Progress {
            what: "changed inputs".to_owned(),
            done,
            total: tasks.len(),
        });
    };
    let done = AtomicUsize::new(0);
    let accepted = parallel::map(proving.executor, &tasks, |task| {
        let accepted = is_accepted(proving, validators, task)?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(accepted)
    });
    proof.take(accepted.map(|accepted| {
        let mut found: BTreeMap<Class, Vec<Accepted<'_>>> = BTreeMap::new();
        for (task, _) in tasks.iter().zip(accepted).filter(|(_, it)| *it) {
            let of_class = found.entry(task.class).or_default();
            if of_class.iter().all(|other| other.name != task.name) {
                of_class.push(Accepted {
                    name: &task.name,
                    test_case: &task.test_case.name,
                });
            }
        }
        let path = place(proving);
        let doubts = found
            .iter()
            .map(|(class, found)| doubt(&path, *class, found));
        doubts.collect()
    }))
}

/// The smallest of the judged inputs and the one in the middle.
fn samples<'a>(proving: &Proving<'a>) -> Result<Vec<Sample<'a>>, JudgeError> {
    let mut sized = Vec::new();
    for test_case in &proving.problem.test_data.cases {
        let fault = |error| JudgeError::new(format!("read {}", test_case.input.display()), error);
        let size = fs::metadata(&test_case.input).map_err(fault)?.len();
        if size > 0 && size <= LARGEST {
            sized.push((size, test_case));
        }
    }
    sized.sort_by_key(|(size, _)| *size);
    let mut chosen = vec![0, sized.len() / 2];
    chosen.dedup();
    let mut samples = Vec::new();
    for (_, test_case) in chosen.into_iter().filter_map(|at| sized.get(at)) {
        let fault = |error| JudgeError::new(format!("read {}", test_case.input.display()), error);
        samples.push(Sample {
            test_case,
            input: fs::read(&test_case.input).map_err(fault)?,
        });
    }
    Ok(samples)
}

/// Inputs that the grammars among the validators know to be out of bounds.
fn outside_of<'a>(validators: &[InputValidator<'_>], sample: &Sample<'a>) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for validator in validators {
        if let InputValidator::Grammar(grammar) = validator {
            let found = outside(&grammar.grammar, &sample.input).into_iter();
            tasks.extend(found.map(|found| Task {
                name: found.name,
                class: Class::Bounds,
                test_case: sample.test_case,
                input: found.text,
            }));
        }
    }
    tasks
}

/// Whether all validators take an input for valid. Where a grammar says that it is out of bounds, the others are
/// asked: they are there to find what the grammar finds, and more. Where there are no others, nothing is open.
fn is_accepted(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    task: &Task<'_>,
) -> Result<bool, RunError> {
    let input = Input::Bytes(task.input.as_slice().into());
    let is_asked = |it: &&InputValidator<'_>| {
        task.class != Class::Bounds || matches!(it, InputValidator::Program(_))
    };
    let mut asked = validators.iter().filter(is_asked).peekable();
    if asked.peek().is_none() {
        return Ok(false);
    }
    for validator in asked {
        if opinion(proving, validator, task.test_case, input.clone())? != Opinion::Valid {
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
    match &proving.problem.input_validators[..] {
        [only] => only.path.clone(),
        _ => proving.problem.dir.join("input_validators"),
    }
}

fn doubt(path: &std::path::Path, class: Class, found: &[Accepted<'_>]) -> Diagnostic {
    let names: Vec<&str> = found.iter().map(|accepted| accepted.name).collect();
    let shown = found.first().map_or("", |accepted| accepted.test_case);
    let also = match found.iter().all(|accepted| accepted.test_case == shown) {
        true => "",
        false => " and others",
    };
    let message = format!(
        "accepts inputs with {}; seen with {shown}{also}",
        names.join(", with ")
    );
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
