//! Input and answer validators that are programs: built once, run many times.
//!
//! Source: problem package format 2025-09, "Input validators".

use crate::validity::Objection;
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::messages::program_error_line;
use juror_core::outcome::Ending;
use juror_core::program::{Program, ProgramKind};
use juror_core::protocol::Protocol;
use juror_core::stop::{Stop, collect_diagnostics};
use juror_core::tree::TreeEntry;
use juror_judging::build::bench::Bench;
use juror_judging::build::{Runnable, first_line};
use juror_judging::output_validator::response::describe_stop;
use juror_sandbox::executor::parallel;

/// Upper bound on the bytes of a broken validator's messages that are read.
const MESSAGES_MAX: u64 = 64 << 10;

/// The exit code for "invalid" that cannot come from a crash.
pub(super) const fn refusal_code(protocol: Protocol) -> i32 {
    match protocol {
        Protocol::Standard => 43,
        Protocol::Testlib => 3,
        _ => 1,
    }
}

/// How a validator must refuse an input, for help texts.
pub const fn refusal_help(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Standard => {
            "exit with 43 to refuse an input, so that a crash does not count as a refusal"
        }
        Protocol::Testlib => "exit with 3 to refuse an input, as programs with testlib.h do",
        _ => "exit with another code than 0 to refuse an input",
    }
}

pub struct ProgramValidator<'a> {
    pub(super) bench: Bench<'a>,
    pub program: &'a Program,
    runnable: Runnable,
}

pub struct ValidatorInput {
    pub stdin: Blob,
    pub args: Vec<String>,
    pub files: Vec<TreeEntry>,
}

/// Adds a diagnostic for each validator that does not build. `what` is a kind, such as `the input validator`.
pub fn build_validators<'a>(
    bench: Bench<'a>,
    what: &str,
    programs: &'a [Program],
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<ProgramValidator<'a>>, Stop> {
    let programs: Vec<&Program> = programs.iter().collect();
    let built = parallel::map(bench.executor, &programs, |program| {
        let limits = Limits::of_validator();
        let mut remarks = Vec::new();
        let ready = match bench.build_package_program(what, program, &limits, &limits) {
            Err(Stop::Fault(JudgeError { lacks: Some(tool), help, .. })) => {
                let message = format!("{what} is not run: {tool} is missing");
                remarks.push(Diagnostic { help, ..Diagnostic::warning(&program.path, message) });
                None
            }
            ready => collect_diagnostics(ready, &mut remarks)?,
        };
        Ok((ready.map(|runnable| ProgramValidator { bench, program, runnable }), remarks))
    })?;
    let mut validators = Vec::new();
    for (validator, remarks) in built {
        validators.extend(validator);
        diagnostics.extend(remarks);
    }
    Ok(validators)
}

impl ProgramValidator<'_> {
    pub(super) fn protocol(&self) -> Protocol {
        match (self.program.protocol, self.program.kind) {
            (Some(own), _) => own,
            (None, ProgramKind::InputValidator) => self.bench.problem.input_protocol,
            _ => Protocol::Standard,
        }
    }

    pub fn run(&self, input: ValidatorInput) -> Result<Option<Objection>, Stop> {
        let protocol = self.protocol();
        let path = &self.program.path;
        let mut job = self.runnable.job(&Limits::of_validator());
        job.command.argv.extend(input.args);
        let is_own = |file: &&TreeEntry| job.files.iter().any(|own| own.name == file.name);
        if let Some(file) = input.files.iter().find(is_own) {
            let name = file.name.display();
            let reason = format!("`{name}` is also a file of {}", path.display());
            let what = "add a test case's `.files` to the box of an input validator";
            let error = JudgeError::new(what, reason);
            return Err(error.help(format!("rename `{name}` in one of the two")).into());
        }
        job.files.extend(input.files);
        job.stdin = input.stdin;
        job.writable = false;
        let reply = self.bench.executor.run_job(&job)?;
        let mut message = first_line(&reply.stderr);
        if message.is_empty() {
            message = first_line(&reply.stdout);
        }
        let crashed =
            || match program_error_line(&reply.stderr.prefix(MESSAGES_MAX).unwrap_or_default()) {
                Some(line) => format!(": {line}"),
                None => message.clone(),
            };
        let (ending, message) = match (reply.outcome.stopped_by, reply.outcome.ending) {
            (None, Ending::Exited(code)) if protocol.accepts(code) => return Ok(None),
            (None, Ending::Exited(code)) if code == refusal_code(protocol) => (None, message),
            (None, Ending::Exited(43)) if protocol == Protocol::Plain => (None, message),
            // In this protocol, a failed assertion is a refusal.
            (None, _) if protocol == Protocol::Sinol => (None, message),
            (None, Ending::Exited(code)) => (Some(format!("exit code {code}")), crashed()),
            (None, Ending::Signalled(signal)) => (Some(signal.to_string()), crashed()),
            (Some(stop), _) => {
                let exceeded = describe_stop(stop, &job.limits, &reply.outcome);
                (Some(format!("a limit exceeded ({exceeded})")), message)
            }
        };
        let validator = self.program.name.clone();
        Ok(Some(Objection { validator, path: path.to_path_buf(), ending, spot: None, message }))
    }
}
