//! `juror judge`: submissions on a problem's test cases.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::build::Builder;
use crate::cli::arguments::JudgeArguments;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::keep;
use crate::cli::output::{Output, Stop, command, command_line};
use crate::cli::problem::{self, Remarks};
use crate::cli::sessions::{self, Judging};
use crate::judge::case::{CASE, Detail, SUBMISSION};
use crate::judge::score::Thrift;
use crate::judge::session::Entrant;
use crate::language::fault::Unready;
use crate::model::event::Event;
use crate::model::problem::Problem;
use crate::model::program::{Program, ProgramKind};
use crate::model::submission::Submission;

/// Judges.
pub fn run(arguments: &JudgeArguments) -> ExitCode {
    command(&arguments.output, "judge", |output| {
        judge(arguments, output)
    })
}

fn judge(arguments: &JudgeArguments, output: &Output) -> Result<(), Stop> {
    let problem = problem::read(&arguments.package, Remarks::Errors, output)?;
    let cases = problem::select(&problem, &arguments.runs.case, output)?;
    let submissions = submissions(arguments, &problem, output)?;
    output.event(problem::package_read(
        &problem,
        submissions.len(),
        cases.len(),
    ));
    let keep = keep::directory(arguments.runs.keep.as_ref(), output)?;
    if keep.is_some() {
        keep::apart(&submissions, output)?;
    }
    let host = Host::start(arguments.runs.jobs, arguments.runs.isolation, output)?;
    let builder = Builder::new(&*host.executor)?;
    let entrants = entrants(arguments, &submissions, &builder, output)?;
    let validators = problem::validators(&problem, &host, &builder, output)?;
    Judging {
        problem: &problem,
        validators: &validators,
        repeat: repeat_line(arguments),
        entrants: &entrants,
        cases,
        runs: &arguments.runs,
        thrift: match arguments.all {
            true => Thrift::Everything,
            false => Thrift::WhatCounts,
        },
        detail: Detail::Full { keep },
        host: &host,
        builder: &builder,
        output,
    }
    .run()?;
    Ok(())
}

/// The submissions that the command line names.
fn submissions(
    arguments: &JudgeArguments,
    problem: &Problem,
    output: &Output,
) -> Result<Vec<Submission>, Stop> {
    let mut submissions = Vec::new();
    let mut missing = false;
    for path in &arguments.submissions {
        match named(path, problem, output) {
            Some(submission) => submissions.push(submission),
            None => missing = true,
        }
    }
    if missing {
        return Err(Stop::Shown(ExitCode::Usage));
    }
    if !arguments.program.is_empty() {
        submissions.push(typed(&arguments.program));
    }
    Ok(submissions)
}

/// The submission that the command line names; `None` where it is not there, which has been said.
pub fn named(path: &Path, problem: &Problem, output: &Output) -> Option<Submission> {
    match fs::canonicalize(path) {
        Ok(real) => Some(submission(path, real, problem)),
        Err(error) => {
            let what = match fs::symlink_metadata(path) {
                Ok(_) => "is a symbolic link to nothing",
                Err(_) => "is not there",
            };
            output.complain(&format!("submission {} {what}: {error}", path.display()));
            None
        }
    }
}

/// Finds out how to build or start each submission.
fn entrants<'a>(
    arguments: &JudgeArguments,
    submissions: &'a [Submission],
    builder: &Builder<'_>,
    output: &Output,
) -> Result<Vec<Entrant<'a>>, Stop> {
    let (sources, typed) = submissions.split_at(arguments.submissions.len());
    let mut entrants = sessions::entrants(sources, builder, |diagnostic| {
        output.event(Event::Diagnosed(diagnostic));
    });
    if entrants.len() < sources.len() {
        // It is the command line that names them.
        return Err(Stop::Shown(ExitCode::Usage));
    }
    if let [submission] = typed {
        let cwd = env::current_dir().context("cannot tell the current directory")?;
        let prepared = match builder.prepare_command(&arguments.program, &cwd) {
            Ok(prepared) => Ok(prepared),
            Err(Unready::Tool(missing)) => Err(missing.into()),
            Err(error) => {
                output.complain(&format!("cannot start `{}`: {error}", submission.name));
                return Err(Stop::Shown(ExitCode::Usage));
            }
        };
        entrants.push(Entrant {
            submission,
            prepared,
        });
    }
    Ok(entrants)
}

/// One submission; where it is one of the package's own, with what the package says about it.
fn submission(path: &Path, real: PathBuf, problem: &Problem) -> Submission {
    let own = problem.submissions.iter().find(|submission| {
        fs::canonicalize(&submission.program.path).is_ok_and(|path| path == real)
    });
    let program = match own {
        Some(own) => own.program.clone(),
        None => Program {
            name: name_of(&real),
            path: real,
            kind: ProgramKind::Submission,
            language: None,
            entry_point: None,
            include: problem.include.clone(),
            constants: Vec::new(),
        },
    };
    Submission {
        name: path.display().to_string(),
        program,
        expectations: Vec::new(),
    }
}

/// The program behind `--`.
fn typed(words: &[OsString]) -> Submission {
    let program = Path::new(&words[0]);
    Submission {
        name: command_line(words),
        program: Program {
            name: name_of(program),
            path: program.to_owned(),
            kind: ProgramKind::Submission,
            language: None,
            entry_point: None,
            include: Vec::new(),
            constants: Vec::new(),
        },
        expectations: Vec::new(),
    }
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The line that repeats one run, with places for submission and case.
fn repeat_line(arguments: &JudgeArguments) -> String {
    let mut words = vec![OsString::from("juror"), OsString::from("judge")];
    words.push(arguments.package.clone().into());
    if let Some(limit) = arguments.runs.time_limit {
        words.push("--time-limit".into());
        words.push(limit.as_secs_f64().to_string().into());
    }
    words.extend(arguments.runs.isolation.option());
    let line = command_line(words);
    match arguments.submissions.is_empty() {
        false => format!("{line} {SUBMISSION} --case {CASE}"),
        true => format!(
            "{line} --case {CASE} -- {}",
            command_line(&arguments.program)
        ),
    }
}
