//! Makes test data from a package's recipe, and proves that it is what the recipe gives.
//!
//! Everything is made in a directory of its own first; the package is touched only when all of it is
//! there, file by file: written beside, then renamed.

pub mod answers;
pub mod files;
pub mod inputs;
pub mod seed;

use std::path::Path;

use crate::build::Builder;
use crate::executor::Executor;
use crate::generate::files::{Stage, place};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::{Event, GeneratedState};
use crate::model::judgement::JudgeError;
use crate::model::outcome::{Ending, Outcome, Stop};
use crate::model::problem::Problem;
use crate::model::recipe::Recipe;

/// What is made, and with what.
pub struct Generating<'a> {
    /// The problem; its test data need not be there.
    pub problem: &'a Problem,
    /// How its data is made.
    pub recipe: &'a Recipe,
    /// Whether files are written.
    pub mode: Mode,
    /// Where generators and solutions run.
    pub executor: &'a dyn Executor,
    /// Makes programs of sources.
    pub builder: &'a Builder<'a>,
    /// Takes what happens.
    pub events: &'a (dyn Fn(Event) + Sync),
}

/// Whether files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Make the package's data what the recipe gives.
    Write,
    /// Write nothing; say what differs.
    Check,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Generated {
    /// Why something could not be made; nothing was written then.
    pub diagnostics: Vec<Diagnostic>,
    /// Test cases that are not as the recipe gives them.
    pub differing: usize,
    /// Whether it was cut short; nothing was written then.
    pub interrupted: bool,
}

/// Makes all test data of a problem.
///
/// # Errors
/// When the judge failed: a missing compiler, a full disk.
pub fn generate(generating: &Generating<'_>) -> Result<Generated, JudgeError> {
    let mut generated = Generated::default();
    let stage = Stage::new()?;
    for make in [inputs::make, answers::make] {
        let made = make(generating, &stage)?;
        generated.diagnostics.extend(made.diagnostics);
        generated.interrupted = made.interrupted;
        if generated.interrupted || !generated.diagnostics.is_empty() {
            return Ok(generated);
        }
    }
    let data = generating.problem.dir.join("data");
    for case in &generating.recipe.cases {
        let state = place(&stage, &data, &case.name, generating.mode)?;
        announce(generating, &mut generated, &case.name, state);
    }
    for file in &generating.recipe.files {
        let state = files::place_file(
            &data.join(&file.name),
            file.contents.as_bytes(),
            generating.mode,
        )?;
        announce(generating, &mut generated, &file.name, state);
    }
    for name in unknown(&data, generating.recipe)? {
        announce(generating, &mut generated, &name, GeneratedState::Unknown);
    }
    Ok(generated)
}

fn announce(
    generating: &Generating<'_>,
    generated: &mut Generated,
    name: &str,
    state: GeneratedState,
) {
    let settled = matches!(
        state,
        GeneratedState::Created | GeneratedState::Changed | GeneratedState::Unchanged
    );
    generated.differing += usize::from(!settled);
    (generating.events)(Event::CaseGenerated {
        test_case: name.to_owned(),
        state,
    });
}

/// Test cases in `data/` that the recipe does not make.
fn unknown(data: &Path, recipe: &Recipe) -> Result<Vec<String>, JudgeError> {
    let mut names = files::cases_below(data)?;
    names.retain(|name| !recipe.cases.iter().any(|case| case.name == *name));
    Ok(names)
}

/// What a program did that should have ended with exit code 0; `None` where it did.
fn ending(outcome: &Outcome) -> Option<String> {
    match (outcome.stop, outcome.ending) {
        (Some(Stop::CpuTime | Stop::WallTime), _) => {
            Some("takes more than the 60 s allowed".to_owned())
        }
        (Some(Stop::Memory), _) => Some("wants more than the 2 GiB of memory allowed".to_owned()),
        (Some(Stop::Output), _) => Some("writes more than the 1 GiB allowed".to_owned()),
        (Some(Stop::Deadlock | Stop::Dismissed), _) => Some("was ended".to_owned()),
        (None, Ending::Exited(0)) => None,
        (None, Ending::Exited(code)) => Some(format!("ends with exit code {code}")),
        (None, Ending::Signalled(signal)) => Some(format!("is killed by {signal}")),
    }
}
