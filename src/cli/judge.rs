//! `juror judge`: submissions on a problem's test cases.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::build::Builder;
use crate::build::bench::Bench;
use crate::check::options::Options;
use crate::class::{self, Handed, duplicates};
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::keep::{self, here};
use crate::cli::options::{ListingOptions, OutputOptions, RUNS, ReportOptions, RunOptions, one_of};
use crate::cli::output::{Output, command_line, command_with};
use crate::cli::problem::{self, Remarks};
use crate::cli::stress::span;
use crate::executor::scheduler::Scheduler;
use crate::explain::rejected::Explaining;
use crate::judge::case::{Detail, RepeatLine};
use crate::judge::draw::Seen;
use crate::judge::judging::{self, Judging};
use crate::judge::score::points::{self, Points};
use crate::judge::score::{Policy, Scheme};
use crate::judge::session::{Judged, PreparedSubmission};
use crate::language::fault::Unready;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::{CaseJudgement, JudgeError};
use crate::model::problem::{Interaction, Problem, Submitted};
use crate::model::program::{IncludedFile, Program, ProgramKind};
use crate::model::stop::{Mend, Remark, Stop};
use crate::model::submission::Submission;
use crate::model::verdict::Verdict;
use crate::ops::cases;
use crate::ops::submissions::{loose, named, own};
use crate::ops::validators;

/// Arguments of `juror judge`.
#[derive(Debug, Args)]
pub struct JudgeArguments {
    /// The problem package: a directory, or an archive such as .zip or .tar.gz
    pub package: PathBuf,
    /// Source files, directories of sources, executables, or the folder of a class
    ///
    /// The folder of a class has a directory for each student, and no sources of its own. docs/judge.md has more.
    #[arg(value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// After `--`: a program that is ready to run, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Run on all cases instead of stopping at the first rejection
    #[arg(long, help_heading = RUNS)]
    pub all: bool,
    /// Explain why submissions fail: what the failing inputs have in common
    ///
    /// Needs a grammar of the input and an accepted submission. TIME is for each rejected submission.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "20s", value_parser = span, help_heading = RUNS)]
    pub explain: Option<Duration>,
    /// How to compare outputs, instead of as the package says: exact, tokens, float=E or CHECKER
    ///
    /// `exact` means byte for byte. `tokens` means token by token, in upper or lower case; with `float=1e-6` a number
    /// may have that absolute or relative error. CHECKER is an output validator: a source file, a directory or an
    /// executable, called as `CHECKER INPUT ANSWER FEEDBACK_DIR/ < OUTPUT`; it exits with 42 or 43.
    #[arg(long, value_name = "HOW", value_parser = comparison, help_heading = RUNS)]
    pub compare: Option<Comparison>,
    /// Give points for cases or groups, instead of as the package says
    ///
    /// `cases` gives one point for each accepted test case, and runs all of them. `groups` gives one for each directory
    /// of test cases that are all accepted, if the package itself gives no points.
    #[arg(long, value_name = "WHAT", value_parser = one_of(Points::ALL, Points::name), hide_possible_values = true, help_heading = RUNS)]
    pub points: Option<Points>,
    /// Repeat runs near the time limit alone, also on tests without a package
    ///
    /// With a package, juror does that anyway. Without it, such verdicts are marked `sensitive`; `juror help time`
    /// explains how.
    #[arg(long, help_heading = RUNS)]
    pub repeat: bool,
    /// Options about runs.
    #[command(flatten)]
    pub runs: RunOptions,
    /// Options about the table of submissions.
    #[command(flatten)]
    pub listing: ListingOptions,
    /// Options about reports in files.
    #[command(flatten)]
    pub reports: ReportOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// How outputs are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// By the default output validator with these arguments.
    Default(Vec<String>),
    /// By an output validator at this path.
    Checker(PathBuf),
}

impl Comparison {
    /// The value as typed on the command line.
    pub fn typed(&self) -> OsString {
        match self {
            Self::Checker(path) => path.clone().into(),
            Self::Default(words) => match &words[..] {
                [] => "tokens".into(),
                [_, error] if words[0] == "float_tolerance" => format!("float={error}").into(),
                _ => "exact".into(),
            },
        }
    }
}

/// Parses a way of comparison: a known word, or the path of an output validator.
pub(super) fn comparison(text: &str) -> Result<Comparison, String> {
    let words = match text.split_once('=') {
        None if text == "exact" => vec!["case_sensitive", "space_change_sensitive"],
        None if text == "tokens" => Vec::new(),
        None if text == "float" => return Err("write the largest error: float=1e-6".to_owned()),
        Some(("float", error)) => vec!["float_tolerance", error],
        _ => return Ok(Comparison::Checker(text.into())),
    };
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    Options::parse(&words).map_err(|error| error.to_string())?;
    Ok(Comparison::Default(words))
}

/// Judges.
pub fn run(arguments: &JudgeArguments) -> ExitCode {
    once(arguments, &arguments.output, &mut Vec::new())
}

/// Judges. Without scores, the test cases in `first` are run first; afterwards `first` contains those that failed.
pub(super) fn once(
    arguments: &JudgeArguments,
    output: &OutputOptions,
    first: &mut Vec<String>,
) -> ExitCode {
    let options = OutputOptions { listing: arguments.listing.into(), ..output.clone() };
    command_with(&options, &arguments.reports, "judge", |output| judge(arguments, first, output))
}

fn judge(arguments: &JudgeArguments, first: &mut Vec<String>, output: &Output) -> Result<(), Stop> {
    let format = arguments.runs.format.as_deref();
    let mut problem = problem::read(&arguments.package, format, Remarks::Errors, output)?;
    arguments.runs.limit(&mut problem.limits);
    if let Some(how) = &arguments.compare {
        let compared = compare_by(how, &mut problem);
        compared.map_err(|remark| Stop::usage(remark.about("--compare")))?;
    }
    problem::set_dialect(&mut problem, arguments.runs.dialect);
    if let Some(points) = arguments.points {
        points::set(&mut problem, points);
    }
    // Checked after reading, so that users who do not know what a package is learn it first.
    if arguments.submissions.is_empty() && arguments.program.is_empty() {
        let what = "give a submission: juror judge PACKAGE SUBMISSION...; `juror verify` judges those of a package";
        return Err(Stop::usage(what));
    }
    if arguments.explain.is_some() && problem.kind.submitted == Submitted::Answers {
        return Err(Stop::usage("--explain is not for answers; leave it out"));
    }
    if arguments.explain.is_some() && problem.input_grammars.is_empty() {
        let what = "--explain needs a grammar of the input, such as input_validators/input.ctd; `juror help grammars` shows how to write one";
        return Err(Stop::usage(what));
    }
    let selected = cases::selected(&problem, &arguments.runs.case)?;
    let mut class = BTreeSet::new();
    let mut submissions = submissions(arguments, &problem, &mut class, output)?;
    let found = duplicates::find(&submissions);
    if !found.is_empty() {
        output.event(Event::DuplicatesFound(found));
    }
    if let Some(shard) = arguments.runs.shard {
        output.event(Event::ShardChosen(shard));
        let mut units = 0..;
        submissions.retain(|_| units.next().is_some_and(|unit| shard.has(unit)));
    }
    if submissions.is_empty() {
        return Ok(());
    }
    output.event(Event::package_read(&problem, submissions.len(), selected.len()));
    let keep = keep::directory(arguments.runs.keep.as_ref(), output)?;
    let host = Host::start(&arguments.runs.host, output)?;
    let builder = host.builder();
    let entries = entries(arguments, &problem, &submissions, &class, &builder, output)?;
    if entries.is_empty() {
        return Ok(());
    }
    if entries.len() > 1 {
        // A table row has no room for what to install.
        output.diagnosed(judging::skipped(&entries));
    }
    let _made = problem::complete(&mut problem, Some(&selected), &host, &builder, output)?;
    for glob in &arguments.runs.case {
        // Each selects something: one that is misspelt is told.
        cases::select(&problem, from_ref(glob))?;
    }
    let mut cases = cases::select(&problem, &arguments.runs.case)?;
    // With scores, the package determines the order.
    if Scheme::of(&problem).is_none() {
        cases.sort_by_key(|case| !first.contains(&case.test_case.name));
    }
    let events = output.sink();
    let bench = host.bench(&problem, &builder, &events);
    let seen = Seen::by(keep.as_ref(), arguments.reports.html.as_deref());
    let validators = validators::build(&bench, seen)?;
    let finished = Judging {
        bench,
        validators: &validators,
        repeat: repeat_line(arguments),
        entries: &entries,
        cases,
        given: arguments.runs.time_limit,
        policy: if arguments.all || arguments.explain.is_some() {
            Policy::Everything
        } else {
            Policy::WhatCounts
        },
        detail: Detail::Full { keep },
        repeats: arguments.repeat || !problem.layout.is_guessed,
    }
    .run()?;
    if let Some(time) = arguments.explain {
        let time_limit = &finished.time_limit;
        let scheduler = &Scheduler::new(Arc::clone(&host.executor));
        let fresh = scheduler.clone().fresh();
        let explaining = Explaining {
            bench: Bench { executor: &fresh, builder: &host.builder_on(scheduler), ..bench },
            scheduler,
            is_stopped: &|| host.is_stopped(),
            validators: &validators,
            time,
            time_limit,
        };
        // A command that was typed has no source to build again.
        let sources = entries.len() - usize::from(!arguments.program.is_empty());
        explain(&explaining, &entries[..sources], &finished.results)?;
    }
    let judged = finished.results.iter().filter_map(|it| it.as_deref().ok());
    let ran: Vec<&CaseJudgement> = judged.flat_map(|judgement| judgement.cases.iter()).collect();
    // A failed build says nothing about test cases.
    if !ran.is_empty() {
        let failed = ran.iter().filter(|case| case.verdict != Verdict::Accepted);
        *first = failed.map(|case| case.test_case.clone()).collect();
    }
    Ok(())
}

/// Explains why submissions fail.
///
/// # Errors
/// If the package has no reference, the judge failed, or it was interrupted.
fn explain(
    explaining: &Explaining<'_>,
    entries: &[PreparedSubmission<'_>],
    results: &[Judged],
) -> Result<(), Stop> {
    for (entry, result) in entries.iter().zip(results) {
        let Ok(judgement) = result else { continue };
        let fails = judgement.cases.iter().any(|case| case.verdict != Verdict::Accepted);
        if fails {
            explaining.explain(entry.submission, judgement)?;
        }
    }
    Ok(())
}

/// Sets how outputs are compared, as given on the command line.
///
/// # Errors
/// If that is not possible.
pub(super) fn compare_by(how: &Comparison, problem: &mut Problem) -> Result<(), Remark> {
    if problem.kind.interaction == Interaction::Interactive || problem.kind.passes > 1 {
        let what =
            "the problem is interactive or multi-pass: only its own output validator can judge it";
        return Err(Remark::of(what, "leave it out"));
    }
    let (validators, args) = match how {
        Comparison::Default(args) => (Vec::new(), args.clone()),
        Comparison::Checker(path) => {
            let real = fs::canonicalize(path).map_err(|error| {
                let what = format!("cannot find the checker {}: {error}", path.display());
                Remark::of(what, "the other values are exact, tokens and float=1e-6")
            })?;
            let program = Program { kind: ProgramKind::OutputValidator, ..loose(&real) };
            (vec![program], Vec::new())
        }
    };
    problem.output_validators = validators;
    for case in &mut problem.test_data.cases {
        case.output_validator_args.clone_from(&args);
    }
    Ok(())
}

/// The existing submissions that the command line names; the others are reported. Adds the names of those from a class
/// folder to `class`.
///
/// # Errors
/// If it was interrupted.
fn submissions(
    arguments: &JudgeArguments,
    problem: &Problem,
    class: &mut BTreeSet<String>,
    output: &Output,
) -> Result<Vec<Submission>, Stop> {
    let mut submissions = Vec::new();
    let mut missing = Vec::new();
    let directories = arguments.submissions.iter().filter(|it| it.is_dir()).count();
    for path in &arguments.submissions {
        let is_own = problem.submissions.iter().any(|own| Path::new(&own.name) == path);
        if let Some(what) = keep::misplaced(arguments.runs.keep.as_ref(), path).filter(|_| !is_own)
        {
            return Err(Stop::usage(what));
        }
        let may_be_class =
            !is_own && problem.kind.submitted == Submitted::Program && own(path, problem).is_none();
        if let Some(found) = may_be_class.then(|| class::read(path)).flatten() {
            output.diagnosed(found.remarks(path));
            for Handed { path, entry_point, beside } in found.programs {
                match named(&path, problem) {
                    Ok(mut submission) => {
                        class.insert(submission.name.clone());
                        let program = &mut submission.program;
                        // A main program of the package starts, whatever students call their files.
                        program.entry_point =
                            entry_point.filter(|entry| !has_main(&program.include, entry));
                        if program.package.is_none() {
                            program.path = path.with_real_root().unwrap_or_else(|_| path.clone());
                        }
                        let dir = program.path.directory();
                        let dir = dir.unwrap_or_else(|| program.path.clone());
                        let beside = beside.into_iter().map(|name| IncludedFile {
                            path: dir.join(&name),
                            name,
                            ..IncludedFile::default()
                        });
                        // Files of the package take precedence, as they do over its own.
                        program.include.splice(0..0, beside);
                        submissions.push(submission);
                    }
                    Err(remark) => missing.push(remark),
                }
            }
            continue;
        }
        if may_be_class {
            output.diagnosed(class::divided(path));
        }
        match named(path, problem) {
            Ok(submission) => {
                // One of several directories is a student's, named by `class/*`.
                if may_be_class && directories > 1 && path.is_dir() {
                    class.insert(submission.name.clone());
                }
                submissions.push(submission);
            }
            Err(remark) => missing.push(remark),
        }
    }
    // What is named twice is judged once.
    let mut names = HashSet::new();
    submissions.retain(|submission| names.insert(submission.name.clone()));
    if !missing.is_empty() {
        output.part::<()>(Err(Stop::Refused(Mend::CommandLine, missing)))?;
    }
    if !arguments.program.is_empty() {
        if problem.kind.submitted == Submitted::Answers {
            let what = "submissions to this problem are answers, not programs; give files such as 1.out, or a directory of them";
            return Err(Stop::usage(what));
        }
        submissions.push(typed(&arguments.program));
    }
    Ok(submissions)
}

/// Whether one of these files is a main file in the language of this one, such as a grader.
fn has_main(files: &[IncludedFile], entry_point: &str) -> bool {
    let ending = Path::new(entry_point).extension();
    let is_main = |stem: &OsStr| stem.eq_ignore_ascii_case("main");
    let mut names = files.iter().map(|file| file.name.as_path());
    names.any(|name| name.extension() == ending && name.file_stem().is_some_and(is_main))
}

/// Determines how to build or start each submission. If this fails for one, the others are still judged; one from a
/// class folder still gets its row.
fn entries<'a>(
    arguments: &JudgeArguments,
    problem: &Problem,
    submissions: &'a [Submission],
    class: &BTreeSet<String>,
    builder: &Builder<'_>,
    output: &Output,
) -> Result<Vec<PreparedSubmission<'a>>, Stop> {
    let typed = usize::from(!arguments.program.is_empty());
    let (sources, typed) = submissions.split_at(submissions.len() - typed);
    let mut found = Vec::new();
    let mut entries = Vec::new();
    for source in sources.chunks(1) {
        let before = found.len();
        let mut entry = judging::entries(problem, source, builder, &mut found)?;
        if let ([], [submission]) = (&entry[..], source)
            && class.contains(&submission.name)
        {
            let why = found.drain(before..).find(Diagnostic::is_error);
            let (reason, help) = why.map(|it| (it.message, it.help)).unwrap_or_default();
            let prepared = Err(JudgeError { help, ..JudgeError::no_program(reason) });
            entry.push(PreparedSubmission { submission, prepared });
        }
        entries.extend(entry);
    }
    if entries.len() < sources.len() {
        // The command line is at fault, since it names them.
        output.part::<()>(Err(Stop::Diagnosed(found).blame(Mend::CommandLine)))?;
    } else {
        output.diagnosed(found);
    }
    if let [submission] = typed {
        let cwd = here()?;
        let prepared = match builder.prepare_command(&arguments.program, &cwd) {
            Ok(prepared) => Ok(prepared),
            Err(Unready::Tool(missing)) => Err(missing.into()),
            Err(error) => {
                let what = format!("cannot start `{}`: {error}", submission.name);
                return Err(Stop::usage(what));
            }
        };
        entries.push(PreparedSubmission { submission, prepared });
    }
    Ok(entries)
}

/// The program after `--`.
fn typed(words: &[OsString]) -> Submission {
    let program = Path::new(&words[0]);
    Submission { name: command_line(words), program: loose(program), expectations: Vec::new() }
}

/// The command line that repeats a run.
fn repeat_line(arguments: &JudgeArguments) -> RepeatLine {
    let mut words = vec![OsString::from("juror"), OsString::from("judge")];
    words.push(arguments.package.clone().into());
    if let Some(how) = &arguments.compare {
        words.extend(["--compare".into(), how.typed()]);
    }
    words.extend(arguments.repeat.then(|| "--repeat".into()));
    words.extend(arguments.runs.again());
    let typed = (!arguments.program.is_empty()).then(|| command_line(&arguments.program));
    RepeatLine { command: command_line(words), typed, ..RepeatLine::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_a_word_or_a_checker() {
        let check = |text: &str, words: &[&str]| {
            let words = words.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(comparison(text), Ok(Comparison::Default(words)), "{text}");
        };
        check("exact", &["case_sensitive", "space_change_sensitive"]);
        check("tokens", &[]);
        check("float=1e-6", &["float_tolerance", "1e-6"]);
        for text in ["check.py", "./exact", "a=b.cpp"] {
            assert_eq!(comparison(text), Ok(Comparison::Checker(text.into())));
        }
        for text in ["float", "float=", "float=x", "float=-1"] {
            assert!(comparison(text).is_err(), "{text}");
        }
    }
}
