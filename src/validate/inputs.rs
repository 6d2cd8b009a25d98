//! Input validators on every input: valid ones must pass all, invalid ones must be refused by one.
//!
//! Source: problem package format 2025-09, "Input validators" and "Invalid input".

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::build::{BuildError, PrepareError, Runnable, first_line, unbuildable};
use crate::executor::{RunError, parallel};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::job::{BoxContent, BoxFile, Input, Job};
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::outcome::{Ending, Stop};
use crate::model::program::Program;
use crate::model::test_data::TestCase;
use crate::model::units::Bytes;
use crate::validate::{Proof, Proving, grammars};

/// What an input validator, and the compiler that makes it, may use. The format sets no limits for
/// input validators; these stop one that hangs.
fn limits() -> Limits {
    Limits {
        cpu_time: Some(Duration::from_secs(60)),
        wall_time: Some(Duration::from_secs(120)),
        memory: Some(Bytes::mib(2048)),
        output: Some(Bytes::mib(64)),
        processes: Some(128),
    }
}

/// The exit code for a valid input.
const VALID: i32 = 42;
/// The exit code that says "invalid" and cannot be a crash.
const INVALID: i32 = 43;

/// What a validator said about an input.
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

/// What must be shown of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    Valid,
    Invalid,
}

struct Task<'a> {
    claim: Claim,
    test_case: &'a TestCase,
}

/// Runs every input validator on every input.
pub(super) fn prove(proving: &Proving<'_>) -> Result<Proof, JudgeError> {
    let mut proof = Proof::default();
    let ready = grammars::read_all(proving.problem, &mut proof.diagnostics)?;
    let mut validators: Vec<Validator<'_>> = ready.into_iter().map(Validator::Grammar).collect();
    for program in &proving.problem.input_validators {
        let prepared = match proving.builder.prepare(program) {
            Ok(prepared) => prepared,
            Err(PrepareError::Fault(error)) => return Err(error),
            Err(PrepareError::Program(diagnostic)) => {
                proof.diagnostics.push(diagnostic);
                continue;
            }
        };
        (proving.events)(Event::BuildStarted {
            program: program.name.clone(),
        });
        let built = proving.builder.build(&prepared, &limits(), &limits());
        (proving.events)(Event::BuildFinished {
            program: program.name.clone(),
        });
        match built {
            Ok(runnable) => validators.push(Validator::Program { program, runnable }),
            Err(BuildError::Fault(error)) => return Err(error),
            Err(BuildError::Rejected(report)) => {
                proof
                    .diagnostics
                    .push(unbuildable("the input validator", &program.path, &report))
            }
            Err(BuildError::Interrupted) => {
                proof.interrupted = true;
                return Ok(proof);
            }
        }
    }
    let valid = proving.valid().map(|test_case| Task {
        claim: Claim::Valid,
        test_case,
    });
    let invalid = proving.invalid().map(|test_case| Task {
        claim: Claim::Invalid,
        test_case,
    });
    let tasks: Vec<Task<'_>> = valid.chain(invalid).collect();
    if validators.is_empty() || tasks.is_empty() {
        return Ok(proof);
    }
    match opinions(proving, &validators, &tasks) {
        Ok(opinions) => {
            for (task, opinions) in tasks.iter().zip(&opinions) {
                proof
                    .diagnostics
                    .extend(remarks(task, &validators, opinions));
            }
        }
        Err(RunError::Interrupted) => proof.interrupted = true,
        Err(RunError::Fault(error)) => return Err(error),
    }
    Ok(proof)
}

enum Validator<'a> {
    /// Runs in the executor.
    Program {
        program: &'a Program,
        runnable: Runnable,
    },
    /// Runs here.
    Grammar(grammars::Ready<'a>),
}

impl Validator<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Program { program, .. } => &program.name,
            Self::Grammar(grammar) => grammar.name,
        }
    }
}

/// For each task, what each validator says; in parallel.
fn opinions(
    proving: &Proving<'_>,
    validators: &[Validator<'_>],
    tasks: &[Task<'_>],
) -> Result<Vec<Vec<Opinion>>, RunError> {
    let progress = |done| {
        (proving.events)(Event::Progress {
            what: "input validators".to_owned(),
            done,
            total: tasks.len(),
        });
    };
    progress(0);
    let done = AtomicUsize::new(0);
    parallel::map(proving.executor, tasks, |task| {
        let opinions = validators
            .iter()
            .map(|validator| match validator {
                Validator::Program { program, runnable } => {
                    opinion(proving, program, runnable, task.test_case)
                }
                Validator::Grammar(grammar) => Ok(grammar.opinion(task.test_case)?),
            })
            .collect::<Result<Vec<Opinion>, RunError>>()?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(opinions)
    })
}

fn opinion(
    proving: &Proving<'_>,
    program: &Program,
    runnable: &Runnable,
    test_case: &TestCase,
) -> Result<Opinion, RunError> {
    let mut command = runnable.command.clone();
    let own = test_case.input_validator_args.for_validator(&program.name);
    command
        .argv
        .extend(own.iter().chain(&test_case.args).cloned());
    let mut files = runnable.files.clone();
    files.extend(test_case.files.iter().map(|file| BoxFile {
        name: file.name.clone(),
        content: BoxContent::Copy(file.path.clone()),
    }));
    let mut limits = limits();
    limits.processes = limits.processes.max(Some(runnable.processes));
    let mut reply = proving.executor.run(&Job {
        command,
        stdin: Input::File(test_case.input.clone()),
        files,
        writable: false,
        box_size: Bytes::mib(64),
        limits,
        collect: Vec::new(),
        keep: None,
    })?;
    let mut said = first_line(&mut reply.stderr);
    if said.is_empty() {
        said = first_line(&mut reply.stdout);
    }
    Ok(match (reply.outcome.stop, reply.outcome.ending) {
        (None, Ending::Exited(VALID)) => Opinion::Valid,
        (None, Ending::Exited(INVALID)) => Opinion::Refused(said),
        (None, Ending::Exited(code)) => Opinion::Broken {
            ending: format!("exit code {code}"),
            said,
        },
        (None, Ending::Signalled(signal)) => Opinion::Broken {
            ending: signal.to_string(),
            said,
        },
        (Some(stop), _) => Opinion::Broken {
            ending: match stop {
                Stop::CpuTime | Stop::WallTime => "its time limit of 60 s",
                Stop::Memory => "its memory limit of 2 GiB",
                Stop::Output => "its output limit of 64 MiB",
            }
            .to_owned(),
            said,
        },
    })
}

/// What is wrong about one input.
fn remarks(task: &Task<'_>, validators: &[Validator<'_>], opinions: &[Opinion]) -> Vec<Diagnostic> {
    let path = &task.test_case.input;
    let named = validators
        .iter()
        .zip(opinions)
        .map(|(validator, opinion)| (validator.name(), opinion));
    match task.claim {
        Claim::Valid => named
            .filter_map(|(name, opinion)| match opinion {
                Opinion::Valid => None,
                Opinion::Refused(said) => Some(
                    Diagnostic::error(path, format!("input validator `{name}` refuses it{}", said))
                        .help("correct the input, or the validator"),
                ),
                Opinion::Broken { ending, said } => Some(
                    Diagnostic::error(
                        path,
                        format!("input validator `{name}` ends with {ending}{}", said),
                    )
                    .help("it must exit with 42 for a valid input"),
                ),
            })
            .collect(),
        Claim::Invalid => {
            let refused = opinions
                .iter()
                .any(|opinion| matches!(opinion, Opinion::Refused(_)));
            let mut remarks: Vec<Diagnostic> = named
                .filter_map(|(name, opinion)| match opinion {
                    Opinion::Broken { ending, said } => Some(
                        Diagnostic::warning(
                            path,
                            format!("input validator `{name}` ends with {ending} on this invalid input{}", said),
                        )
                        .help("exit with 43 to refuse an input, so that a crash is not taken for a refusal"),
                    ),
                    _ => None,
                })
                .collect();
            if !refused && remarks.is_empty() {
                remarks.push(
                    Diagnostic::error(path, "no input validator refuses this invalid input").help(
                        "make a validator stricter, or move the case out of data/invalid_input",
                    ),
                );
            }
            remarks
        }
    }
}
