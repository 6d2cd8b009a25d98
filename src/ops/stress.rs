//! `juror stress`: searches for an input on which a submission fails, and shrinks it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::ops::context::Context;
use crate::ops::given_program::GivenProgram;
use crate::ops::host::Host;
use crate::ops::judge::{ComparisonMode, set_comparison};
use crate::ops::options::HostOptions;
use crate::ops::problem::{self, ShownDiagnostics};
use crate::ops::saved_boxes::current_directory;
use crate::ops::saved_input::{self, save_input};
use crate::ops::submissions::{command_submission, named_submission, submission_at};
use crate::ops::{cases, validators};
use juror_core::check::options::Options;
use juror_core::check::options::comparison_arguments;
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::event::{Event, WorkProgress};
use juror_core::explanation::ExplanationResult;
use juror_core::isolation::Isolation;
use juror_core::judgement::{JudgeError, TimeLimit};
use juror_core::limits::TIME_WITHOUT_PACKAGE;
use juror_core::problem::{Interaction, Problem, SubmittedContent};
use juror_core::program::{BuildVariant, ProgramKind, TypedCommand};
use juror_core::progress::SearchPlan;
use juror_core::root::FilePath;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::submission::Submission;
use juror_core::units::seconds;
use juror_core::verdict::Verdict;
use juror_data::explain::rejected::failing_input;
use juror_data::explain::study::study;
use juror_data::inputs::candidates::CandidateSource;
use juror_data::recipe::seeded_generator::SeededProgram;
use juror_data::search::arena::Arena;
use juror_data::search::batch::Batches;
use juror_data::search::comparison::{Comparison, UnusableReason, quote_input};
use juror_data::search::counterexample::build_counterexample;
use juror_data::search::problem_inputs::ProblemInputs;
use juror_data::search::programs::{SearchPrograms, SearchSubject};
use juror_data::search::promote::Promotion;
use juror_data::search::result::{
    Counterexample, REPEATS, Search, SearchEnd, SlowestInput, StressResult,
};
use juror_data::search::run::{Failure, PackageFault, SearchParameters, SearchResult, search};
use juror_data::search::shrink::{ShrunkInput, shrink};
use juror_grammar::generate::{GenerationFailure, generate_until};
use juror_grammar::shape;
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_judging::judge::images::ImageUse;
use juror_judging::judge::judging::JudgingTask;
use juror_packages::package;
use juror_sandbox::executor::scheduler::Scheduler;

#[derive(Clone, Debug)]
pub struct StressOptions {
    /// Without a package, a generator or a grammar, and a reference are given.
    pub package: Option<PathBuf>,
    pub submission: StressedSubmission,
    /// Instead of an accepted submission of the package. This and the following programs are a path, or a command line
    /// that is split into words.
    pub reference: Option<OsString>,
    /// Makes all inputs.
    pub generator: Option<OsString>,
    /// The largest value of `{n}`.
    pub size_max: Option<u32>,
    /// The name of a comparison, or a program. Instead of the package's output validators.
    pub checker: Option<OsString>,
    /// Instead of the package's input validators.
    pub validator: Option<OsString>,
    pub interactor: Option<OsString>,
    /// Instead of the package's output validators.
    pub compare: Option<ComparisonMode>,
    /// Instead of the package's grammar.
    pub input_grammar: Option<PathBuf>,
    pub time: Duration,
    /// The time to shrink the input that is found.
    pub shrink_time: Option<Duration>,
    /// Time to find what failing inputs have in common.
    pub explain: Duration,
    pub runs: Option<u64>,
    pub seed: u64,
    /// Adds the input to the package under this name.
    pub promote: Option<String>,
    pub save: Option<PathBuf>,
    /// Where to save the slowest input if nothing is found.
    pub save_slowest: Option<PathBuf>,
    /// CPU time; instead of the package's limit.
    pub time_limit: Option<Duration>,
    /// How the submission is built.
    pub variant: BuildVariant,
    /// If `fresh` is set, each run has its own process.
    pub host: HostOptions,
    pub repeat: String,
}

#[derive(Clone, Debug)]
pub enum StressedSubmission {
    /// A path, or the name of one of the package's submissions.
    File(PathBuf),
    /// An executable and its arguments.
    Command(Vec<OsString>),
}

/// The default time to shrink; time that the search leaves is added.
const DEFAULT_SHRINK_TIME: Duration = Duration::from_secs(20);
/// The default for the largest `{n}`.
const DEFAULT_SIZE_MAX: u32 = 1000;
/// Upper bound on the bytes of the reference's messages that are shown.
const MESSAGES_MAX: u64 = 4 << 10;
/// Number of equal inputs that show that a generator does not use its seed.
const SAME_INPUTS: u64 = 10;
/// Number of refused inputs that show that a validator accepts none.
const REFUSED_MIN: u64 = 10;
/// Time to run the programs again on the counterexample, to show more about it.
const SHOW_TIME: Duration = Duration::from_secs(2);

pub fn stress(options: &StressOptions, context: &Context) -> Result<StressResult, Stop> {
    let mut setting = read_setting(options, context)?;
    // Refuses an impossible name before anything starts.
    check_promotion(options, &setting)?;
    for (option, place) in [("--save", &options.save), ("--save-slowest", &options.save_slowest)] {
        place.as_deref().map_or(Ok(()), |place| saved_input::check_place(option, place))?;
    }
    let host = Host::start(&options.host, context)?;
    let scheduler = &Scheduler::new(Arc::clone(&host.executor));
    let fresh = scheduler.clone().with_fresh_runs();
    let builder = host.builder_on(scheduler);
    let _made =
        problem::make_missing_files(&mut setting.inputs.problem, None, &host, &builder, context)?;
    let promotion = check_promotion(options, &setting)?;
    let bench = Bench {
        problem: &setting.inputs.problem,
        // Comparisons are random, so only builds are cached.
        executor: &fresh,
        builder: &builder,
        events: &context.event_sender(),
    };
    let has_judge = options.checker.is_some() || options.interactor.is_some();
    let validators = validators::build_validators(&bench, ImageUse::Never)
        .map_err(|stop| blame_helper(stop, has_judge))?;
    let has_package = options.package.is_some();
    let has_limit = options.time_limit.or(bench.problem.limits.time_limit).is_some();
    let cases = if has_package && !has_limit {
        cases::select_cases(bench.problem, &[])?
    } else {
        Vec::new()
    };
    let judging = JudgingTask {
        given_time_limit: options.time_limit,
        ..JudgingTask::new(bench, &validators, cases)
    };
    let time_limit = if has_package || options.time_limit.is_some() {
        judging.time_limit()?
    } else {
        TimeLimit::new(TIME_WITHOUT_PACKAGE, "default; --time-limit sets another")
    };
    let rules = &judging.announce_limits(&time_limit);
    let programs = &SearchPrograms::build(&setting, &bench, rules)?;
    let way = BatchMode::isolated(host.isolation).filter(|_| !options.host.fresh);
    let arena = Arena::open(bench, &setting.inputs, rules, scheduler, way)
        .map_err(|stop| blame_helper(stop, options.validator.is_some()))?
        .with_numbers_of(programs)?;
    let arena = match options.generator {
        Some(_) => arena.with_seeded_generator()?,
        None => arena.with_generators()?,
    };
    let search = StressRun {
        options,
        setting: &setting,
        promotion: promotion.as_ref(),
        programs,
        comparison: &arena.comparison(&programs.reference, &programs.submission),
        isolation: host.isolation,
        is_stopped: &|| host.is_stopped(),
        context,
    };
    search.run()
}

/// What is wrong with a program of the command line is no fault of the package.
fn blame_helper(stop: Stop, is_helper: bool) -> Stop {
    if is_helper { stop.refused_for(RefusalSubject::HelperProgram) } else { stop }
}

fn read_setting(options: &StressOptions, context: &Context) -> Result<SearchSubject, Stop> {
    let mut problem = match &options.package {
        Some(dir) => {
            let problem = problem::read_problem(dir, None, ShownDiagnostics::Errors, context)?;
            if options.promote.is_some() {
                context.check_writable()?;
            }
            problem
        }
        None => Problem { dir: FilePath::root("."), ..Problem::default() },
    };
    if problem.kind.submitted == SubmittedContent::Answers {
        let what = "submissions to this problem are answers, not programs; use `juror judge`";
        return Err(Stop::usage(what));
    }
    let mut submission = match &options.submission {
        StressedSubmission::File(path) => named_submission(path, &problem).map_err(Stop::usage)?,
        StressedSubmission::Command(words) => {
            let mut submission = command_submission(words);
            let directory = current_directory()?;
            submission.program.command = Some(TypedCommand { words: words.clone(), directory });
            submission
        }
    };
    submission.program.variant = options.variant.clone();
    problem::set_variant(&mut problem, &options.variant, None)?;
    let reference = options.reference.as_ref();
    let reference = reference.map(|text| reference_at(text, &problem)).transpose()?;
    let seeded = read_generator(options)?;
    let comparison = set_judges(options, &mut problem)?;
    let grammar = options.input_grammar.as_deref();
    let mut inputs = ProblemInputs::read(problem, grammar, &context.event_sender())?;
    inputs.seeded = seeded;
    inputs.has_given_checker = options.checker.is_some();
    if let Some(args) = comparison {
        // There may be no test case that has them.
        inputs.options = Options::parse(&args).map_err(|it| Stop::usage(it.to_string()))?;
        inputs.test_case.output_validator_args = args;
    }
    if options.package.is_some() {
        context.send_event(Event::package_read(&inputs.problem, 1, 0));
    }
    let promotes = options.promote.is_some();
    Ok(SearchSubject { inputs, submission, reference, promotes })
}

/// Accepts a file, the name of one of the package's submissions, or a command line.
fn reference_at(text: &OsStr, problem: &Problem) -> Result<Submission, Stop> {
    let (path, name) = (Path::new(text), text.to_string_lossy());
    let own = problem.submissions.iter().find(|submission| submission.name == name);
    match own {
        Some(own) if !path.exists() => return Ok(own.clone()),
        _ if path.exists() || !name.trim().contains(char::is_whitespace) => {
            return named_submission(path, problem).map_err(Stop::usage);
        }
        _ => {}
    }
    let given = GivenProgram::read("--reference", text, ProgramKind::Submission)?;
    let mut program = given.program;
    if program.command.is_none() {
        let real = program.path.to_path_buf();
        program = submission_at(Path::new(&given.shown[0]), real, problem).program;
        program.arguments = given.words;
    }
    Ok(Submission { name: name.into_owned(), program, expectations: Vec::new() })
}

fn read_generator(options: &StressOptions) -> Result<Option<SeededProgram>, Stop> {
    let Some(text) = &options.generator else { return Ok(None) };
    let given = GivenProgram::read("--generator", text, ProgramKind::Generator)?;
    let GivenProgram { program, words, shown } = given.with_testlib_header();
    let generator = SeededProgram::new(program, words, shown);
    if options.size_max.is_some() && !generator.has_size() {
        let what =
            "--n-max: the generator gets no `{n}`; write it in --generator, such as 'gen.py {n}'";
        return Err(Stop::usage(what));
    }
    Ok(Some(SeededProgram { size_max: options.size_max.unwrap_or(DEFAULT_SIZE_MAX), ..generator }))
}

/// Puts the programs of the command line in the place of the package's. Returns the arguments of the default output
/// validator, if these are given.
fn set_judges(options: &StressOptions, problem: &mut Problem) -> Result<Option<Vec<String>>, Stop> {
    if let Some(text) = &options.validator {
        let given = GivenProgram::read("--validator", text, ProgramKind::InputValidator)?;
        problem.input_validators = vec![given.judging()];
    }
    if let Some(text) = &options.interactor {
        let given = GivenProgram::read("--interactor", text, ProgramKind::OutputValidator)?;
        problem.kind.interaction = Interaction::Interactive;
        problem.interactor = Some(given.judging());
        problem.output_validators.clear();
    }
    let named = options.checker.as_ref().and_then(|text| ComparisonMode::named(text.to_str()?));
    let (option, how) = match (&options.compare, named) {
        (Some(how), _) => ("--compare", how.clone()),
        (None, Some(how)) => ("--checker", how.map_err(Stop::usage)?),
        (None, None) => {
            if let Some(text) = &options.checker {
                let given = GivenProgram::read("--checker", text, ProgramKind::OutputValidator)?;
                problem.output_validators = vec![given.judging()];
                let cases = problem.test_data.cases.iter_mut();
                cases.for_each(|case| case.output_validator_args.clear());
                return Ok(None);
            }
            let is_bare = options.package.is_none() && options.interactor.is_none();
            return Ok(if is_bare { comparison_arguments("words").ok() } else { None });
        }
    };
    set_comparison(&how, problem).map_err(|remark| Stop::usage(remark.about_option(option)))?;
    Ok(match how {
        // It was checked when it was set.
        ComparisonMode::Named(text) => comparison_arguments(&text).ok(),
        ComparisonMode::Checker(_) => None,
    })
}

fn check_promotion<'a>(
    options: &StressOptions,
    setting: &'a SearchSubject,
) -> Result<Option<Promotion<'a>>, Stop> {
    let Some(name) = &options.promote else { return Ok(None) };
    let promotion = if options.package.is_some() {
        Promotion::new(&setting.inputs.problem, name)
    } else {
        Err("--promote needs a package to add to".to_owned())
    };
    promotion.map(Some).map_err(Stop::usage)
}

struct StressRun<'a> {
    options: &'a StressOptions,
    setting: &'a SearchSubject,
    /// Set if the input is added to the package.
    promotion: Option<&'a Promotion<'a>>,
    programs: &'a SearchPrograms,
    comparison: &'a Comparison<'a>,
    isolation: Isolation,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
    context: &'a Context,
}

impl StressRun<'_> {
    fn run(&self) -> Result<StressResult, Stop> {
        let Self { options, setting, programs, comparison, .. } = *self;
        let arena = comparison.arena;
        let (inputs, scheduler) = (&setting.inputs, arena.scheduler);
        let mix = arena.candidates(true, options.seed, None);
        if mix.is_empty() {
            let what = inputs.nothing_to_try();
            return Err(Stop::Refused(RefusalSubject::Selection, vec![what.into()]));
        }
        let plan = SearchPlan {
            submission: setting.submission.name.clone(),
            reference: programs.name.clone(),
            chosen: programs.choice_reason.to_owned(),
            sources: inputs.sources(arena.generators.is_some()),
            seed: options.seed,
            time: options.time,
            shrink_time: options.shrink_time.unwrap_or(options.time.min(DEFAULT_SHRINK_TIME)),
        };
        self.context.send_event(Event::SearchStarted(plan.clone()));
        let started = Instant::now();
        let end = started + plan.time;
        scheduler.set_deadline(Some(end));
        let events = arena.bench.events;
        let progress = |progress| events(Event::Progress(WorkProgress::Search(progress)));
        let batches = if options.host.fresh || comparison.is_judged() {
            None
        } else {
            programs.batches(setting, self.isolation, arena)
        };
        let searching = SearchParameters {
            comparison,
            batches: batches.as_ref(),
            time: plan.time,
            is_stopped: self.is_stopped,
            shrink_time: plan.shrink_time,
            runs_max: options.runs,
            seed: options.seed,
            progress: &progress,
        };
        let searched = search(&searching, mix)?;
        self.report_package_problems(&searched);
        self.context.send_diagnostics(batches.as_ref().and_then(Batches::build_failure));
        self.check_compared(&searched, plan.shrink_time)?;
        if let Some(failure) = &searched.found
            && searched.end != SearchEnd::Interrupted
        {
            self.check_helpers(failure)?;
        }
        let end = end.max(Instant::now() + plan.shrink_time);
        scheduler.set_deadline(Some(end));
        let small = match &searched.found {
            Some(failure)
                if failure.failing == REPEATS && searched.end != SearchEnd::Interrupted =>
            {
                Some(shrink(comparison, failure, (searched.runs, started), &progress)?)
            }
            _ => None,
        };
        let elapsed = started.elapsed();
        let explained = match (&small, &searched.found) {
            (Some(small), Some(failure)) => self.explain(small, failure)?,
            _ => None,
        };
        let end_of_search = match &small {
            Some(small) if small.interrupted => SearchEnd::Interrupted,
            _ => searched.end,
        };
        let shrinking_runs = small.as_ref().map_or(0, |small| small.runs);
        let shrinking_cut = small.as_ref().is_some_and(|small| small.ran_out);
        scheduler.set_deadline(Some(end.max(Instant::now() + SHOW_TIME)));
        let mut found = match &searched.found {
            Some(failure) => Some(build_counterexample(comparison, failure, small)?),
            None => None,
        };
        scheduler.set_deadline(None);
        if let Some(found) = &mut found {
            self.save_counterexample(found)?;
        }
        let mut slowest = searched.slowest.filter(|_| found.is_none());
        if let Some(slowest) = &mut slowest {
            self.save_slowest(slowest)?;
        }
        let search = Search {
            repeat: options.repeat.clone(),
            plan,
            found: found.map(Box::new),
            runs: searched.runs + shrinking_runs,
            batched: searched.batched,
            shrinking_runs,
            shrinking_cut,
            searching: searched.elapsed,
            elapsed,
            end: end_of_search,
            left_out: searched.left_out,
            level: searched.level,
            tried: searched.tried,
            slowest,
        };
        if end_of_search == SearchEnd::Interrupted {
            self.context.report_stop(Stop::Interrupted);
        }
        Ok(StressResult { search, explanations: explained.into_iter().collect() })
    }

    fn explain(
        &self,
        small: &ShrunkInput,
        failure: &Failure,
    ) -> Result<Option<ExplanationResult>, Stop> {
        let Self { options, setting, comparison, .. } = *self;
        let arena = comparison.arena;
        let Some(grammar) = arena.grammar() else { return Ok(None) };
        // Runs that are too slow would take too long.
        let is_slow = failure.judged.verdict == Verdict::TimeLimitExceeded;
        if small.interrupted || options.explain.is_zero() || is_slow {
            return Ok(None);
        }
        arena.scheduler.set_deadline(Some(Instant::now() + options.explain));
        let inputs = [&failure.fresh.input, &small.input];
        let known = inputs.iter().filter_map(|input| failing_input(comparison, input)).collect();
        let name = &setting.submission.name;
        study(name, grammar, comparison, known, options.seed).map(Some)
    }

    /// Errors are reported, and do not hide the result.
    fn save_slowest(&self, slowest: &mut SlowestInput) -> Result<(), Stop> {
        let Some(place) = &self.options.save_slowest else { return Ok(()) };
        let input: Arc<[u8]> = Arc::from(&*slowest.input);
        let saved = save_input(place, &input, || Ok(self.judge_answer(&input)?.to_vec()));
        let saved = saved.map(|path| path.display().to_string());
        slowest.saved = self.context.contain_failure(saved)?;
        Ok(())
    }

    /// Errors are reported, and do not hide the result.
    fn save_counterexample(&self, found: &mut Counterexample) -> Result<(), Stop> {
        if let Some(file) = &self.options.save {
            let input: Arc<[u8]> = Arc::from(&*found.input);
            let saved = save_input(file, &input, || Ok(self.judge_answer(&input)?.to_vec()));
            let saved = saved.map(|path| path.display().to_string());
            found.saved = self.context.contain_failure(saved)?;
        }
        let Some(promotion) = self.promotion else { return Ok(()) };
        let input: Arc<[u8]> = Arc::from(&*found.input);
        let answer = self.judge_answer(&input)?;
        let description =
            format!("Found by stress: {} on an input from {}", found.verdict, found.origin);
        match promotion.duplicate_warning(&input) {
            Some(remark) => self.context.send_diagnostics([remark]),
            None => {
                found.promoted =
                    self.context.contain_failure(promotion.add(&input, &answer, &description))?;
            }
        }
        Ok(())
    }

    fn report_package_problems(&self, searched: &SearchResult) {
        let reference = &self.programs.name;
        let inputs = &self.setting.inputs;
        if let Some(refused) = &searched.disputed {
            self.context.send_diagnostics([inputs.dispute_warning(refused)]);
        }
        if let Some(broken) = &searched.broken_generator {
            let path = inputs.problem.dir.join(package::recipe::DIRECTORY);
            self.context.send_diagnostics([Diagnostic::warning(path, broken.clone())]);
        }
        if let Some(seeded) = &inputs.seeded
            && searched.distinct == 1
            && searched.taken >= SAME_INPUTS
            && searched.found.is_none()
        {
            let message = format!(
                "the generator `{}` printed the same input each of {} times",
                seeded.text(),
                searched.taken
            );
            let help = "let its random numbers start from the seed, which is its last argument unless `{seed}` has a place";
            let warning = Diagnostic::warning(&seeded.program.path, message).help(help);
            self.context.send_diagnostics([warning]);
        }
        if searched.left_out > 0
            && inputs.seeded.is_none()
            && searched.disputed.is_none()
            && searched.broken_generator.is_none()
            && searched.runs == 0
        {
            let message = format!(
                "no input was compared: {reference} solves none of them in time; choose a faster --reference"
            );
            self.context.send_event(Event::Complained { message, help: None });
        }
    }

    /// Fails if nothing was compared, or if the reference or a validator failed.
    fn check_compared(&self, searched: &SearchResult, time: Duration) -> Result<(), Stop> {
        if let Some(fault) = &searched.fault {
            return Err(self.fault_stop(fault)?);
        }
        if self.setting.inputs.seeded.is_some() {
            return self.check_generator_compared(searched);
        }
        if searched.runs == 0
            && searched.left_out == 0
            && searched.end != SearchEnd::Interrupted
            && let Some(grammar) = self.comparison.arena.grammar()
        {
            let late = Instant::now() + time;
            let is_over = || (self.is_stopped)() || Instant::now() >= late;
            let seed = self.options.seed;
            return Err(match generate_until(grammar, &shape::RANDOM, &[], seed, None, &is_over) {
                Err(GenerationFailure::Unsatisfied(why)) => why.into(),
                _ => Diagnostic::error(&grammar.source.path, "no input was written in time")
                    .help("give more time with --time, or express each ASSERT in the bounds of values")
                    .into(),
            });
        }
        Ok(())
    }

    /// Fails if no input of the generator of the command line was compared.
    fn check_generator_compared(&self, searched: &SearchResult) -> Result<(), Stop> {
        let (inputs, programs) = (&self.setting.inputs, self.programs);
        let refuses_all = searched.allowed == 0 && searched.left_out >= REFUSED_MIN;
        if searched.found.is_some()
            || searched.end == SearchEnd::Interrupted
            || searched.runs > 0 && !(refuses_all && searched.disputed.is_some())
        {
            return Ok(());
        }
        let refused = |diagnostic: Diagnostic| {
            Stop::Refused(RefusalSubject::HelperProgram, vec![diagnostic.into()])
        };
        if let Some(disputed) = &searched.disputed {
            let help = "the generator must print inputs that are valid";
            let dispute = inputs.dispute_warning(disputed);
            return Err(refused(Diagnostic { severity: Severity::Error, ..dispute }.help(help)));
        }
        if searched.left_out > 0 {
            let message = "no input was compared: the reference solves none of them in time";
            let help = "choose a faster --reference, smaller inputs, or a longer --time-limit";
            return Err(refused(Diagnostic::error(&programs.path, message).help(help)));
        }
        let time = seconds(self.options.time);
        let arena = self.comparison.arena;
        let first = arena.candidates(true, self.options.seed, None).next(&|| false)?;
        let first = first.map(|it| it.origin.to_string()).unwrap_or_default();
        let diagnostic = match &inputs.seeded {
            Some(seeded) if searched.distinct == 0 => {
                let message = format!("printed no input in {time}: {first}");
                let help = "make it faster, or give more time with --time";
                Diagnostic::error(&seeded.program.path, message).help(help)
            }
            _ => {
                let message = format!("no input was compared in {time}; the first is of {first}");
                let help = "choose a faster --reference, or give more time with --time";
                Diagnostic::error(&programs.path, message).help(help)
            }
        };
        Err(refused(diagnostic))
    }

    /// Fails if another run of the reference does not confirm a failure. Warns if another run of the generator prints
    /// another input.
    fn check_helpers(&self, failure: &Failure) -> Result<(), Stop> {
        let arena = self.comparison.arena;
        let fresh = &failure.fresh;
        for _ in 1..REPEATS {
            let objection = self.comparison.reference_objection(&fresh.input);
            let Some(objection) = arena.in_time(objection)?.flatten() else { continue };
            if objection != UnusableReason::TooSlow {
                return Err(self.fault_stop(&PackageFault {
                    number: fresh.number,
                    input: Arc::clone(&fresh.input),
                    call: fresh.seeded,
                    reason: objection,
                })?);
            }
        }
        let (Some(generator), Some(call)) = (&arena.seeded, fresh.seeded) else { return Ok(()) };
        let again = arena.in_time(generator.make(call))?;
        if again.is_some_and(|again| again.is_ok_and(|again| again != fresh.input)) {
            let line = generator.given.line(call);
            let message = format!("prints another input when it runs again: `{line}`");
            let help = "let its random numbers depend on the seed alone; until then, the command that repeats the search may \
                        find something else";
            let path = &generator.given.program.path;
            self.context.send_diagnostics([Diagnostic::warning(path, message).help(help)]);
        }
        Ok(())
    }

    /// The error for a fault of the package, or of a program of the command line.
    fn fault_stop(&self, fault: &PackageFault) -> Result<Stop, Stop> {
        let mend = match fault.reason {
            UnusableReason::Checker(_) | UnusableReason::Generator(_) => {
                RefusalSubject::HelperProgram
            }
            UnusableReason::Validator(ref error) => return Ok(Stop::Fault((**error).clone())),
            _ => self.setting.reference_mend(),
        };
        let diagnostic = self.fault_diagnostic(fault)?;
        Ok(match mend {
            RefusalSubject::Package => diagnostic.into(),
            mend => Stop::Refused(mend, vec![diagnostic.into()]),
        })
    }

    fn fault_diagnostic(&self, fault: &PackageFault) -> Result<Diagnostic, Stop> {
        let input = quote_input(&fault.input);
        let inputs = &self.setting.inputs;
        let line = inputs.seeded.as_ref().zip(fault.call).map(|(given, call)| given.line(call));
        let origin = match &line {
            Some(line) => format!("what `{line}` prints"),
            None => "a valid input".to_owned(),
        };
        let reference = |what: &str| {
            let name = match &line {
                Some(_) => format!("the reference `{}`", self.programs.name),
                None => "the reference".to_owned(),
            };
            let message = format!("{name} fails on {origin}: {what}: {input}");
            let help = match &line {
                Some(_) => "fix it, or let the generator print only valid inputs",
                None => {
                    "fix it, choose another with --reference, or make the input validators stricter"
                }
            };
            Diagnostic::error(&self.programs.path, message).help(help)
        };
        Ok(match &fault.reason {
            UnusableReason::TooSlow => reference("it is too slow"),
            UnusableReason::Reference(verdict, cause) => {
                let diagnostic = reference(&format!("{verdict}, {cause}"));
                if line.is_some() {
                    diagnostic.quote(&self.reference_messages(fault)?)
                } else {
                    diagnostic
                }
            }
            UnusableReason::Validator(_) | UnusableReason::Disagreement => {
                reference(&fault.reason.to_string())
            }
            UnusableReason::Generator(diagnostic) => (**diagnostic).clone(),
            UnusableReason::Checker(stderr) => {
                let checker = self.setting.inputs.problem.output_validators.first();
                let path = checker.map_or(&*self.programs.path, |it| &*it.path);
                let protocol = checker.and_then(|it| it.protocol).unwrap_or_default();
                let message =
                    format!("the checker rejects the reference's own output on {origin}: {input}");
                Diagnostic::error(path, message).help(protocol.call_convention()).quote(stderr)
            }
            UnusableReason::Solution(what) => {
                let path =
                    self.setting.inputs.answer_maker.as_deref().unwrap_or(&self.programs.path);
                let message = format!("no judge answer for a valid input: {what}: {input}");
                Diagnostic::error(path, message)
                    .help("fix it, or make the input validators stricter")
            }
        })
    }

    /// What the reference writes on standard error, in another run.
    fn reference_messages(&self, fault: &PackageFault) -> Result<Vec<u8>, Stop> {
        let arena = self.comparison.arena;
        if self.comparison.is_judged() {
            return Ok(Vec::new());
        }
        arena.scheduler.set_deadline(Some(Instant::now() + SHOW_TIME));
        let ran = self.comparison.run(&self.programs.reference, &fault.input);
        let stderr = arena.in_time(ran)?.map(|ran| ran.stderr);
        Ok(stderr.and_then(|it| it.prefix(MESSAGES_MAX).ok()).unwrap_or_default())
    }

    /// The judge answer, made as `juror generate` makes it.
    fn judge_answer(&self, input: &Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        let arena = self.comparison.arena;
        if self.comparison.is_judged() && arena.solution.is_none() {
            return Ok(Arc::from([]));
        }
        if !self.comparison.is_judged() {
            let run = self.comparison.run(self.programs.solution(), input)?;
            return Ok(run.bytes(u64::MAX)?.into());
        }
        let answer = self.comparison.answer(input)?;
        Ok(answer.map_err(|_| JudgeError::new("make the judge answer", "it was made before"))?)
    }
}
