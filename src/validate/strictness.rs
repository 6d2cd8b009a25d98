//! Inputs with small faults put before the input validators: what they let pass is named.
//!
//! Each kind of fault is tried on a few cases, not on all: a validator that overlooks a kind does so
//! nearly everywhere, and a run of each kind on each case would take longer than all else.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::executor::{RunError, parallel};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::job::Input;
use crate::model::judgement::JudgeError;
use crate::model::test_data::TestCase;
use crate::validate::inputs::opinion;
use crate::validate::mutations::{Class, Mutation};
use crate::validate::programs::{Opinion, Validator};
use crate::validate::{Extent, Proof, Proving};

/// Larger inputs are not tried.
const LARGEST: u64 = 1 << 20;

/// A test case whose input is changed.
struct Sample<'a> {
    test_case: &'a TestCase,
    input: Vec<u8>,
}

/// Tries every mutation on a sample of the cases; what no validator refuses is doubted.
pub(super) fn prove(
    proving: &Proving<'_>,
    validators: &[Validator<'_>],
    proof: &mut Proof,
) -> Result<(), JudgeError> {
    if proving.extent != Extent::Everything || validators.is_empty() {
        return Ok(());
    }
    let samples = samples(proving)?;
    let mut tasks: Vec<(&Mutation, &TestCase, Vec<u8>)> = Vec::new();
    for mutation in proving.mutations {
        for sample in &samples {
            let changed = (mutation.change)(&sample.input).filter(|it| *it != sample.input);
            tasks.extend(changed.map(|changed| (mutation, sample.test_case, changed)));
        }
    }
    let progress = |done| {
        (proving.events)(Event::Progress {
            what: "changed inputs".to_owned(),
            done,
            total: tasks.len(),
        });
    };
    let done = AtomicUsize::new(0);
    let accepted = parallel::map(proving.executor, &tasks, |(_, test_case, changed)| {
        let accepted = is_accepted(proving, validators, test_case, changed)?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(accepted)
    });
    proof.take(accepted.map(|accepted| {
        let mut found: BTreeMap<Class, Vec<Accepted<'_>>> = BTreeMap::new();
        for ((mutation, test_case, _), _) in tasks.iter().zip(accepted).filter(|(_, it)| *it) {
            let of_class = found.entry(mutation.class).or_default();
            if of_class.iter().all(|other| other.name != mutation.name) {
                of_class.push(Accepted {
                    name: mutation.name,
                    test_case: &test_case.name,
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

/// Whether all validators take an input for valid.
fn is_accepted(
    proving: &Proving<'_>,
    validators: &[Validator<'_>],
    test_case: &TestCase,
    input: &[u8],
) -> Result<bool, RunError> {
    let input = Input::Bytes(input.into());
    for validator in validators {
        if opinion(proving, validator, test_case, input.clone())? != Opinion::Valid {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A change that was accepted, and where.
struct Accepted<'a> {
    name: &'static str,
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
