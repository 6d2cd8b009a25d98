//! Input and answer validators as programs: built once, asked many times.
//!
//! Source: problem package format 2025-09, "Input validators".

use crate::build::bench::Bench;
use crate::build::{Runnable, first_line};
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::limits::Limits;
use crate::model::outcome::Ending;
use crate::model::program::Program;
use crate::model::stop::{Stop, noting};
use crate::model::tree::TreeEntry;

/// The exit code for a valid input.
const VALID: i32 = 42;
/// The exit code that says "invalid" and cannot be a crash.
const INVALID: i32 = 43;

/// What a validator said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opinion {
    Valid,
    /// Refused with exit code 43, and what it wrote behind a colon.
    Refused(String),
    /// Neither: how it ended, and what it wrote behind a colon.
    Broken {
        ending: String,
        said: String,
    },
}

/// A validator that can be asked.
pub(super) struct Validator<'a> {
    pub program: &'a Program,
    runnable: Runnable,
}

/// What a validator is asked.
pub(super) struct Question<'a> {
    /// What it reads on standard input.
    pub stdin: Blob,
    /// Its arguments.
    pub args: Vec<&'a String>,
    /// What lies beside it.
    pub files: Vec<TreeEntry>,
}

/// Builds validators; those that cannot be built are remarked. `what` is `the input validator` or so.
pub(super) fn build<'a>(
    bench: &Bench<'_>,
    what: &str,
    programs: &'a [Program],
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<Validator<'a>>, Stop> {
    let mut validators = Vec::new();
    for program in programs {
        let limits = Limits::of_validator();
        let ready = bench.ready(what, program, &limits, &limits);
        let ready = noting(ready, found)?;
        validators.extend(ready.map(|runnable| Validator { program, runnable }));
    }
    Ok(validators)
}

/// Asks a validator once.
pub(super) fn ask(
    bench: &Bench<'_>,
    validator: &Validator<'_>,
    question: Question<'_>,
) -> Result<Opinion, Stop> {
    let mut job = validator.runnable.job(&Limits::of_validator());
    job.command.argv.extend(question.args.into_iter().cloned());
    job.files.extend(question.files);
    job.stdin = question.stdin;
    job.writable = false;
    let reply = bench.executor.run(&job)?;
    let mut said = first_line(&reply.stderr);
    if said.is_empty() {
        said = first_line(&reply.stdout);
    }
    Ok(match (reply.outcome.stopped_by, reply.outcome.ending) {
        (None, Ending::Exited(VALID)) => Opinion::Valid,
        (None, Ending::Exited(INVALID)) => Opinion::Refused(said),
        (None, Ending::Exited(code)) => {
            Opinion::Broken { ending: format!("exit code {code}"), said }
        }
        (None, Ending::Signalled(signal)) => Opinion::Broken { ending: signal.to_string(), said },
        (Some(stop), _) => Opinion::Broken {
            ending: format!("a limit passed ({})", job.limits.passed(stop, &reply.outcome)),
            said,
        },
    })
}
