//! Input and answer validators that are programs: built once, run many times.
//!
//! Source: problem package format 2025-09, "Input validators".

use std::path::Path;

use crate::build::bench::Bench;
use crate::build::{Runnable, first_line};
use crate::executor::parallel;
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::messages::told_by_program;
use crate::model::outcome::Ending;
use crate::model::program::{Program, ProgramKind};
use crate::model::protocol::Protocol;
use crate::model::stop::{Stop, noting};
use crate::model::tree::TreeEntry;

/// How much of a broken validator's messages is read to find why it ended.
const TOLD: u64 = 64 << 10;

/// The exit code for "invalid" that cannot come from a crash.
const fn invalid(protocol: Protocol) -> i32 {
    match protocol {
        Protocol::Standard => 43,
        Protocol::Testlib => 3,
        Protocol::Cms | Protocol::Sinol => 1,
    }
}

/// How a validator must refuse an input, for help texts.
pub(super) const fn refuses(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Standard => {
            "exit with 43 to refuse an input, so that a crash does not count as a refusal"
        }
        Protocol::Testlib => "exit with 3 to refuse an input, as programs with testlib.h do",
        Protocol::Cms | Protocol::Sinol => "exit with another code than 0 to refuse an input",
    }
}

/// The opinion of a validator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opinion {
    Valid,
    /// Refused; with its output after a colon.
    Refused(String),
    /// Neither valid nor refused: how it ended, and its output after a colon.
    Broken {
        ending: String,
        said: String,
    },
}

/// The remark if a validator does not accept an input or answer that should be valid.
pub(super) fn objection(
    path: &Path,
    what: &str,
    name: &str,
    opinion: &Opinion,
    protocol: Protocol,
) -> Option<Diagnostic> {
    let (valid, invalid) = (protocol.accept(), invalid(protocol));
    let (says, help) = match opinion {
        Opinion::Valid => return None,
        Opinion::Refused(said) => {
            (format!("refuses it{said}"), format!("correct the {what}, or the validator"))
        }
        Opinion::Broken { ending, said } => (
            format!("ends with {ending}{said}"),
            format!(
                "it must exit with {valid} for a valid {what}, with {invalid} for an invalid one"
            ),
        ),
    };
    Some(Diagnostic::error(path, format!("{what} validator `{name}` {says}")).help(help))
}

/// A validator that is ready for use.
pub(super) struct Validator<'a> {
    pub program: &'a Program,
    runnable: Runnable,
}

/// The parameters of one run of a validator.
pub(super) struct Question<'a> {
    pub stdin: Blob,
    pub args: Vec<&'a String>,
    pub files: Vec<TreeEntry>,
}

/// Builds validators; adds a remark for each that fails to build. `what` is a kind such as `the input validator`.
pub(super) fn build<'a>(
    bench: &Bench<'_>,
    what: &str,
    programs: &'a [Program],
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<Validator<'a>>, Stop> {
    let programs: Vec<&Program> = programs.iter().collect();
    let built = parallel::map(bench.executor, &programs, |program| {
        let limits = Limits::of_validator();
        let mut found = Vec::new();
        let ready = match bench.ready(what, program, &limits, &limits) {
            Err(Stop::Fault(JudgeError { lacks: Some(tool), help, .. })) => {
                let message = format!("{what} is not run: no {tool}");
                found.push(Diagnostic { help, ..Diagnostic::warning(&program.path, message) });
                None
            }
            ready => noting(ready, &mut found)?,
        };
        Ok((ready.map(|runnable| Validator { program, runnable }), found))
    })?;
    let mut validators = Vec::new();
    for (validator, remarks) in built {
        validators.extend(validator);
        found.extend(remarks);
    }
    Ok(validators)
}

/// Runs a validator once.
pub(super) fn ask(
    bench: &Bench<'_>,
    validator: &Validator<'_>,
    question: Question<'_>,
) -> Result<Opinion, Stop> {
    let protocol = match validator.program.kind {
        ProgramKind::InputValidator => bench.problem.input_protocol,
        _ => Protocol::Standard,
    };
    let mut job = validator.runnable.job(&Limits::of_validator());
    job.command.argv.extend(question.args.into_iter().cloned());
    let is_own = |file: &&TreeEntry| job.files.iter().any(|own| own.name == file.name);
    if let Some(file) = question.files.iter().find(is_own) {
        let name = file.name.display();
        let reason = format!("`{name}` is also a file of {}", validator.program.path.display());
        let error = JudgeError::new("put a test case's `.files` beside an input validator", reason);
        return Err(error.help(format!("rename `{name}` in one of the two")).into());
    }
    job.files.extend(question.files);
    job.stdin = question.stdin;
    job.writable = false;
    let reply = bench.executor.run_job(&job)?;
    let mut said = first_line(&reply.stderr);
    if said.is_empty() {
        said = first_line(&reply.stdout);
    }
    let crashed = || match told_by_program(&reply.stderr.start(TOLD).unwrap_or_default()) {
        Some(line) => format!(": {line}"),
        None => said.clone(),
    };
    Ok(match (reply.outcome.stopped_by, reply.outcome.ending) {
        (None, Ending::Exited(code)) if code == protocol.accept() => Opinion::Valid,
        (None, Ending::Exited(code)) if code == invalid(protocol) => Opinion::Refused(said),
        // In this protocol, a failed assertion is a refusal.
        (None, _) if protocol == Protocol::Sinol => Opinion::Refused(said),
        (None, Ending::Exited(code)) => {
            Opinion::Broken { ending: format!("exit code {code}"), said: crashed() }
        }
        (None, Ending::Signalled(signal)) => {
            Opinion::Broken { ending: signal.to_string(), said: crashed() }
        }
        (Some(stop), _) => Opinion::Broken {
            ending: format!("a limit exceeded ({})", job.limits.passed(stop, &reply.outcome)),
            said,
        },
    })
}
