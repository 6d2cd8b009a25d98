//! `juror judge`: submissions on a problem's test cases.

mod class_reader;
mod update;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use regex::Regex;

use crate::class::duplicates;
use crate::class::form::{Form, forms};
use crate::door::cases;
use crate::door::comparison::ComparisonMode;
use crate::door::files_beside::add_files_beside;
use crate::door::submissions::{
    command_submission, named_submission, own_submission, own_submissions_below, prepare_command,
};
use crate::ops::amounts::parse_span;
use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::given::GivenOptions;
use crate::ops::host::Host;
use crate::ops::judge::class_reader::{ClassReader, FoundClass};
use crate::ops::operation::Operation;
use crate::ops::options::{BuildOptions, CheckerOptions, RUNS, RunOptions, parse_pattern};
use crate::ops::problem;
use crate::ops::saved_boxes;
use crate::ops::tests_beside::{self, TestsBeside};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{CommandTask, Event, Note};
use juror_core::judgement::{CaseJudgement, JudgeError};
use juror_core::language::sources;
use juror_core::pattern::Pattern;
use juror_core::problem::{Problem, SubmittedContent};
use juror_core::stop::{RefusalSubject, Remark, Stop};
use juror_core::submission::Submission;
use juror_core::text::command_line;
use juror_core::verdict::Verdict;
use juror_data::explain::rejected::Explainer;
use juror_judging::build::Builder;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::{Detail, RepeatLine, Rules};
use juror_judging::judge::images::ImageUse;
use juror_judging::judge::judging;
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::judge::score::points::{self, Points};
use juror_judging::judge::score::{RunPolicy, ScoringScheme};
use juror_judging::judge::session::PreparedSubmission;
use juror_packages::package::archive::is_archive;
use juror_sandbox::executor::scheduler::Scheduler;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Debug, Args)]
pub struct JudgeOptions {
    #[command(flatten)]
    pub given: GivenOptions<Self>,
    /// The problem package: a directory, an archive such as .zip or .tar.gz, or tests in a .prob or .json file
    ///
    /// A submission that is named alone is judged on the tests beside it: those in its directory, in a directory such as
    /// tests/ below it, or in the .prob file of CPH.
    pub package: PathBuf,
    /// Source files, directories or archives of sources, executables, or the folder of a class
    ///
    /// The folder of a class has an entry for each student. docs/judge.md has more.
    #[arg(value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// After `--`: a program that is ready to run, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Read each SUBMISSION as the folder of a class, even if it has sources
    #[arg(long, help_heading = RUNS)]
    pub class: bool,
    /// Start this file of each student's directory, such as sum.py; or the first of several, as in 'sum.py,sum.*'
    #[arg(long, value_name = "NAME", help_heading = RUNS)]
    pub start: Option<String>,
    /// Judge only this student of a class again, by name or number; the others' results come from --update
    #[arg(long, value_name = "GLOB", requires = "update", value_parser = parse_pattern, help_heading = RUNS)]
    pub student: Option<Pattern>,
    /// With --student: the events of the earlier run, which --events wrote
    ///
    /// Who has no result there is judged, too. The tests and limits must be the same.
    #[arg(long, value_name = "EVENTS", requires = "student", conflicts_with = "shard", help_heading = RUNS)]
    pub update: Option<PathBuf>,
    /// Read each SUBMISSION as this form of a class: moodle, canvas, github, gradescope or plain
    ///
    /// By default, the names of its entries say which.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(forms().map(|form| form.name)).try_map(|name| Form::by_name(&name).ok_or(name)), hide_possible_values = true, help_heading = RUNS)]
    pub class_form: Option<Form>,
    /// Read the names of a class's entries by this pattern, with a group `name`, and perhaps `number`
    #[arg(long, value_name = "REGEX", value_parser = parse_names, conflicts_with = "class_form", help_heading = RUNS)]
    pub names: Option<Form>,
    /// Files that the teacher gave to the class: they start only if nothing else can, and are no copies
    #[arg(long, value_name = "DIR", help_heading = RUNS)]
    pub template: Option<PathBuf>,
    /// Run on all cases instead of stopping at the first rejection
    ///
    /// On bare tests, juror runs all cases if there are at most 50, but stops at the third that is too slow.
    #[arg(long, help_heading = RUNS)]
    pub all: bool,
    /// Explain why submissions fail: what the failing inputs have in common
    ///
    /// Needs a grammar of the input and an accepted submission. TIME is for each rejected submission.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "20s", value_parser = parse_span, help_heading = RUNS)]
    pub explain: Option<Duration>,
    #[command(flatten)]
    pub checker: CheckerOptions,
    /// Give points: cases, groups, or such as easy=30,hard=70 [default: as the package says]
    ///
    /// `cases` gives one point for each accepted test case, and runs all of them. `groups` gives one for each directory
    /// of test cases that are all accepted, if the package itself gives no points. NAME=POINTS gives so many for a
    /// directory or a test case. Without the option, bare tests have the points of points.csv beside them.
    #[arg(long, value_name = "POINTS", value_parser = Points::parse, help_heading = RUNS)]
    pub points: Option<Points>,
    /// Repeat runs near the time limit, even without a package
    ///
    /// With a package, juror always does that. On bare tests, such verdicts are marked `sensitive`; `juror help time`
    /// explains how.
    #[arg(long, help_heading = RUNS)]
    pub repeat: bool,
    #[command(flatten)]
    pub build: BuildOptions,
    #[command(flatten)]
    pub runs: RunOptions,
    /// Run on this file instead of the test cases; judged if its answer is beside it, else shown; can be given several
    /// times
    ///
    /// `juror my.cpp FILE` does the same. `juror run` also takes standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["case", "points"], help_heading = RUNS)]
    pub input: Vec<PathBuf>,
    /// Set if the user named no package.
    #[arg(skip)]
    pub tests_beside: Option<TestsBeside>,
}

impl Operation for JudgeOptions {
    type Result = ();
    const NAME: &'static str = "judge";
    const TASK: CommandTask = CommandTask::Judge;

    fn run(&self, context: &Context) -> Result<(), Stop> {
        judge(self, &mut Vec::new(), context)
    }
}

impl JudgeOptions {
    /// If a submission is named first, its package is what is beside it, and files after it are its inputs.
    pub fn with_tests_beside(mut self) -> Result<Self, Stop> {
        if self.tests_beside.is_some() {
            return Ok(self);
        }
        if tests_beside::names_inputs(&self.package, &self.submissions) {
            self.input.append(&mut self.submissions);
        }
        let mut found = None;
        if self.submissions.is_empty() && self.program.is_empty() {
            found = TestsBeside::find(&self.package)?;
            self.submissions.extend(found.as_ref().map(|_| self.package.clone()));
        } else if let [submission] = &self.submissions[..]
            && self.needs_no_tests()
        {
            found = TestsBeside::in_directory(&self.package, submission);
        }
        if let Some(tests) = found {
            let tests = if self.needs_no_tests() { tests } else { tests.require(&self.package)? };
            self.package.clone_from(&tests.package);
            self.tests_beside = Some(tests);
        }
        Ok(self)
    }

    /// With inputs of the user, and with an interactor.
    fn needs_no_tests(&self) -> bool {
        !self.input.is_empty() || self.checker.interactor.is_some()
    }
}

const MAX_POINTS_TABLE: u64 = 1 << 20;

fn parse_names(text: &str) -> Result<Form, String> {
    let pattern = Regex::new(text).map_err(|error| error.to_string())?;
    let has_name = pattern.capture_names().flatten().any(|group| group == "name");
    let help = "it needs a group `name`, as in '^(?<number>[0-9]+)_(?<name>.*)$'";
    if has_name { Ok(Form::of_pattern(&pattern)) } else { Err(help.to_owned()) }
}

/// On so few bare tests, a submission runs on all of them, whatever its first verdict is.
const MOST_CASES_WITHOUT_STOP: usize = 50;

/// Without scores, the test cases in `failed` run first. Afterwards `failed` has those that failed now.
pub fn judge(
    options: &JudgeOptions,
    failed: &mut Vec<String>,
    context: &Context,
) -> Result<(), Stop> {
    let options = &options.clone().with_tests_beside()?;
    let format = options.runs.format.as_deref();
    let tests = options.tests_beside.as_ref();
    let mut problem = problem::read_runnable_problem(&options.package, format, tests, context)?;
    if !options.input.is_empty() {
        tests_beside::set_inputs(&options.input, &mut problem)?;
    }
    options.runs.apply_limits(&mut problem.limits);
    let variant = options.build.variant();
    problem::set_variant(&mut problem, &variant, options.runs.memory_limit)?;
    options.checker.apply(&mut problem)?;
    let warning = options.checker.comparison().and_then(ComparisonMode::warning);
    context.send_diagnostics(warning.map(|what| Diagnostic::warning(&options.package, what)));
    problem::set_dialect(&mut problem, options.runs.dialect);
    set_points(options, &mut problem, context)?;
    // Checked after reading: a user may not know yet what a package is.
    if options.submissions.is_empty() && options.program.is_empty() {
        let what = format!("{} is a package without a submission", options.package.display());
        let help = "give a submission: juror judge PACKAGE SUBMISSION...; `juror verify` judges those of a package";
        let what = Remark::with_help(what, help);
        return Err(Stop::usage(what));
    }
    let is_answers = problem.kind.submitted == SubmittedContent::Answers;
    let no_grammar = "--explain needs a grammar of the input, such as input_validators/input.ctd; `juror help grammars` shows how to write one";
    match (options.explain.is_some(), options.input.is_empty()) {
        (true, _) if is_answers => Err("--explain is not for answers; leave it out"),
        (_, false) if is_answers => Err("--input is not for answers; leave it out"),
        (true, _) if problem.input_grammars.is_empty() => Err(no_grammar),
        _ => Ok(()),
    }
    .map_err(Stop::usage)?;
    let selected = cases::select_by_each(&problem, &options.runs.case)?;
    let (mut submissions, class) = find_submissions(options, &problem, context)?;
    let found = duplicates::find_duplicates(&submissions, &class.template);
    if !found.is_empty() {
        context.send_event(Event::Noted(Note::Duplicates(found)));
    }
    let digests = if class.members.is_empty() {
        BTreeMap::new()
    } else {
        update::digests(options, &problem, &selected)
    };
    let all: Vec<String> = submissions.iter().map(|one| one.name.clone()).collect();
    let earlier = update::earlier_results(options, &digests, &class.again)?;
    submissions.retain(|one| {
        class.again.contains(&one.name)
            || earlier.as_ref().is_none_or(|results| !results.contains_key(&one.name))
    });
    if let Some(shard) = options.runs.shard {
        context.send_event(Event::ShardChosen(shard));
        let mut units = 0..;
        submissions.retain(|_| units.next().is_some_and(|unit| shard.contains(unit)));
    }
    if submissions.is_empty() {
        return Ok(());
    }
    let number = if earlier.is_some() { all.len() } else { submissions.len() };
    let mut read = Event::package_read(&problem, number, selected.len());
    if let Event::PackageRead(package) = &mut read {
        package.digests = digests;
    }
    context.send_event(read);
    let kept = all.iter().filter(|name| submissions.iter().all(|one| one.name != **name));
    kept.filter_map(|name| earlier.as_ref()?.get(name))
        .for_each(|row| context.send_event(row.clone()));
    let keep = saved_boxes::keep_directory(options.runs.keep.as_ref(), context)?;
    let host = Host::start(&options.runs.host, context)?;
    let saved = options.tests_beside.as_ref().and_then(TestsBeside::saved_at);
    if let (Some(saved), Some(known)) = (saved, host.cache().recalled()) {
        known.ignore_runs_before(saved);
    }
    let assembly = Assembly::new(&host, context);
    let builder = &assembly.builder;
    let entries =
        prepare_submissions(options, &problem, &submissions, &class.members, builder, context)?;
    if entries.is_empty() {
        return Ok(());
    }
    if entries.len() > 1 {
        // A table row has no room for what to install.
        context.send_diagnostics(judging::skip_warnings(&entries));
    }
    let _made = assembly.complete(&mut problem, Some(&selected))?;
    let mut cases = cases::ready_cases(&problem, &selected)?;
    // With scores, the package determines the order.
    if ScoringScheme::of(&problem).is_none() {
        cases.sort_by_key(|case| !failed.contains(&case.test_case.name));
    }
    let images = ImageUse::from_options(keep.as_ref(), context.needs.images);
    let policy = if options.all || options.explain.is_some() {
        RunPolicy::AllAllowed
    } else if problem.layout.is_guessed && cases.len() <= MOST_CASES_WITHOUT_STOP {
        RunPolicy::AllButSlow
    } else {
        RunPolicy::Counting
    };
    let mut ready = ReadyProblem::build(assembly.bench(&problem), images, cases)?;
    ready.rules.repeat = RepeatLine { paths: class.paths, ..repeat_line(options) };
    ready.rules.detail = Detail::FullWithStderr;
    ready.rules.keep = keep;
    ready.given_time_limit = options.runs.time_limit;
    ready.repeats = options.repeat || !problem.layout.is_guessed;
    let finished = ready.judge(&entries, policy)?;
    if let Some(time) = options.explain {
        let scheduler = &Scheduler::new(Arc::clone(&host.executor));
        let fresh = scheduler.clone().with_fresh_runs();
        let builder = &host.builder_on(scheduler);
        let rules = Rules::new(&problem, Arc::clone(&ready.rules.validators));
        let explaining = Explainer {
            bench: Bench { executor: &fresh, builder, ..ready.bench },
            scheduler,
            is_stopped: &|| host.is_stopped(),
            rules: ReadyProblem { rules, ..ready.clone() }.rules_at(&finished.time_limit),
            time,
        };
        // A command has no source to build again.
        let sources = entries.len() - usize::from(!options.program.is_empty());
        for (submission, judgement) in finished.judgements(&entries[..sources]) {
            if judgement.cases.iter().any(|case| case.verdict != Verdict::Accepted) {
                explaining.explain(submission, judgement)?;
            }
        }
    }
    let judged = finished.results.iter().filter_map(|result| result.as_deref().ok());
    let cases: Vec<&CaseJudgement> = judged.flat_map(|judgement| judgement.cases.iter()).collect();
    // A failed build says nothing about test cases.
    if !cases.is_empty() {
        let rejected = cases.iter().filter(|case| case.verdict != Verdict::Accepted);
        *failed = rejected.map(|case| case.test_case.clone()).collect();
    }
    Ok(())
}

/// By the option, or else by the table beside bare tests.
fn set_points(
    options: &JudgeOptions,
    problem: &mut Problem,
    context: &Context,
) -> Result<(), Stop> {
    let table = problem.dir.join(points::TABLE);
    let has_table = options.input.is_empty() && problem.layout.is_guessed && table.is_file();
    let (given, place) = match &options.points {
        Some(points) => (Ok(points.clone()), options.package.clone()),
        None if has_table => {
            let text = table.read_text(MAX_POINTS_TABLE).map_err(|error| error.to_string());
            (text.and_then(|text| Points::parse_table(&text)), table.into())
        }
        None => return Ok(()),
    };
    let set = given.map_err(Remark::from).and_then(|given| points::set_points(problem, &given));
    let left_out = set.map_err(|remark| match &options.points {
        Some(_) => Stop::usage(remark.about_option("--points")),
        None => {
            let (message, help) = remark.into_parts();
            Stop::Diagnosed(vec![Diagnostic { help, ..Diagnostic::error(&place, message) }])
        }
    })?;
    context.send_diagnostics(left_out.map(|what| Diagnostic::warning(&place, what)));
    Ok(())
}

/// Reports submissions that do not exist.
fn find_submissions(
    options: &JudgeOptions,
    problem: &Problem,
    context: &Context,
) -> Result<(Vec<Submission>, FoundClass), Stop> {
    let mut submissions = Vec::new();
    let mut missing = Vec::new();
    let mut reader = ClassReader::new(options, problem, context)?;
    let has_files = |path: &&PathBuf| path.is_dir() || is_archive(path);
    let directories = options.submissions.iter().filter(has_files).count();
    for path in &options.submissions {
        let is_own = problem.submissions.iter().any(|own| Path::new(&own.name) == path);
        if !is_own {
            saved_boxes::refuse_misplaced_value(options.runs.keep.as_ref(), path)?;
        }
        let is_program = problem.kind.submitted == SubmittedContent::Program;
        if is_own || !is_program || own_submission(path, problem).is_some() || !path.exists() {
            match named_submission(path, problem) {
                Ok(submission) => submissions.push(submission),
                Err(remark) => missing.push(remark),
            }
            continue;
        }
        let below = own_submissions_below(path, problem);
        if !options.class && !below.is_empty() {
            let names = below.iter().map(|submission| (submission.name.clone(), None));
            reader.found.members.extend(names);
            submissions.extend(below);
            continue;
        }
        submissions.extend(reader.read(path, directories > 1)?);
    }
    // A submission that is named twice is judged once.
    let mut names = HashSet::new();
    submissions.retain(|submission| names.insert(submission.name.clone()));
    let variant = options.build.variant();
    submissions.retain_mut(|submission| {
        submission.program.set_variant(&variant);
        let is_of_class = reader.found.members.contains_key(&submission.name);
        let added =
            if is_of_class { Ok(()) } else { add_files_beside(&mut submission.program, problem) };
        added.map_err(|remark| missing.push(remark)).is_ok()
    });
    let mut remarks = Vec::new();
    for submission in &submissions {
        let read = sources::read(&submission.program).unwrap_or_default();
        remarks.extend(read.remarks);
    }
    // Programs of one student may share files.
    remarks.dedup();
    context.send_diagnostics(remarks);
    if !missing.is_empty() {
        context.contain_failure::<()>(Err(Stop::Refused(RefusalSubject::CommandLine, missing)))?;
    }
    if !options.program.is_empty() {
        let instead = "not programs; give files such as 1.out, or a directory of them";
        problem::require_programs(problem, instead)?;
        if options.build.flags.is_some() {
            let what =
                "--flags is for sources, and a program after `--` is not built; leave it out";
            return Err(Stop::usage(what));
        }
        submissions.push(command_submission(&options.program, &variant));
    }
    Ok((submissions, reader.found))
}

/// If one submission cannot be prepared, the others are still judged. One from a class folder still gets its row.
fn prepare_submissions<'a>(
    options: &JudgeOptions,
    problem: &Problem,
    submissions: &'a [Submission],
    class: &BTreeMap<String, Option<Diagnostic>>,
    builder: &Builder<'_>,
    context: &Context,
) -> Result<Vec<PreparedSubmission<'a>>, Stop> {
    let typed = usize::from(!options.program.is_empty());
    let (sources, typed) = submissions.split_at(submissions.len() - typed);
    let mut found = Vec::new();
    let mut entries = Vec::new();
    for source in sources.chunks(1) {
        let before = found.len();
        let member = source.first().and_then(|submission| class.get(&submission.name));
        let mut entry = match member {
            Some(Some(fault)) => {
                found.push(fault.clone());
                Vec::new()
            }
            _ => judging::prepare_entries(problem, source, builder, &mut found)?,
        };
        if let ([], [submission], Some(_)) = (&entry[..], source, member) {
            let why = found.drain(before..).find(Diagnostic::is_error);
            let (reason, help) = why.map(|fault| (fault.message, fault.help)).unwrap_or_default();
            let prepared = Err(JudgeError { help, ..JudgeError::no_program(reason) });
            entry.push(PreparedSubmission { submission, prepared });
        }
        entries.extend(entry);
    }
    if entries.len() < sources.len() {
        // The command line names them, so it is at fault.
        context.contain_failure::<()>(Err(
            Stop::Diagnosed(found).refused_for(RefusalSubject::CommandLine)
        ))?;
    } else {
        context.send_diagnostics(found);
    }
    if let [submission] = typed {
        let prepared = match prepare_command(&options.program, builder) {
            Err(Stop::Fault(error)) => Err(error),
            prepared => Ok(prepared?),
        };
        entries.push(PreparedSubmission { submission, prepared });
    }
    Ok(entries)
}

fn repeat_line(options: &JudgeOptions) -> RepeatLine {
    let mut words = vec![OsString::from("juror"), OsString::from("judge")];
    if options.tests_beside.is_none() {
        words.push(options.package.clone().into());
    }
    words.extend(options.given.words.iter().cloned());
    let typed = (!options.program.is_empty()).then(|| command_line(&options.program));
    let selects = if options.input.is_empty() { "--case" } else { "--input" };
    RepeatLine { command: command_line(words), selects, typed, ..RepeatLine::default() }
}
