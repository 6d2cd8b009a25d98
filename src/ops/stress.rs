//! `juror stress`: searches for an input on which a submission fails, and shrinks it.

mod faults;
mod setting;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use crate::door::cases;
use crate::ops::amounts::{parse_span, parse_span_or_zero, parse_time_limit};
use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::given::GivenOptions;
use crate::ops::host::Host;
use crate::ops::operation::Operation;
use crate::ops::options::{BuildOptions, CheckerOptions, HostOptions};
use crate::ops::saved_input::{self, save_input};
use crate::ops::stress::setting::read_setting;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, WorkProgress};
use juror_core::explanation::ExplanationResult;
use juror_core::isolation::Isolation;
use juror_core::judgement::{JudgeError, TimeLimit};
use juror_core::limits::TIME_WITHOUT_PACKAGE;
use juror_core::progress::SearchPlan;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::text::command_line;
use juror_core::verdict::Verdict;
use juror_data::explain::rejected::failing_input;
use juror_data::explain::study::study;
use juror_data::inputs::candidates::CandidateSource;
use juror_data::search::arena::{Arena, SearchInput};
use juror_data::search::batch::Batches;
use juror_data::search::counterexample::build_counterexample;
use juror_data::search::cross_check::CrossCheck;
use juror_data::search::problem_inputs::quote_input;
use juror_data::search::programs::{SearchPrograms, SearchSubject};
use juror_data::search::promote::Promotion;
use juror_data::search::result::{Counterexample, REPEATS, Search, SearchEnd, StressResult};
use juror_data::search::run::{Failure, SearchParameters, search};
use juror_data::search::shrink::{ShrinkParameters, ShrunkInput, shrink};
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_judging::judge::images::ImageUse;
use juror_judging::judge::ready_problem::ReadyProblem;
use juror_judging::output_validator::{OutputValidator, TrialCase};
use juror_packages::package::archive::is_archive;
use juror_packages::package::tests_file::TestsFile;
use juror_sandbox::executor::scheduler::Scheduler;

#[derive(Clone, Debug, Args)]
pub struct StressOptions {
    #[command(flatten)]
    pub given: GivenOptions<Self>,
    /// The problem package, then the submission; with --reference and --generator or
    /// --input-grammar the submission alone; or the submission, the generator and the reference
    #[arg(required_unless_present = "program", num_args = 1..=3, value_names = ["PACKAGE", "SUBMISSION"])]
    pub targets: Vec<PathBuf>,
    /// After `--`: a submission that is ready to run, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// The program whose output counts as right [default: an accepted submission of the package]
    ///
    /// A file, a command in quotes, or the name of one of the package's submissions, such as accepted/slow.py.
    #[arg(long, visible_alias = "against", value_name = "PROGRAM")]
    pub reference: Option<OsString>,
    /// The program that prints inputs, such as gen.py or 'gen.py {n} {seed}'
    ///
    /// A source, a directory, an executable, or a command in quotes, split into words as in a shell, but no shell runs
    /// it. It gets the seed, a number from 0 to 2147483647, as its last argument unless `{seed}` stands in the words.
    /// `{n}` starts at 1 and grows with the number of inputs. All inputs come from it.
    #[arg(long, value_name = "PROGRAM")]
    pub generator: Option<OsString>,
    /// The largest `{n}` of the generator [default: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub n_max: Option<u32>,
    /// The program that accepts valid inputs, on standard input, by exit code 0 or 42
    ///
    /// With it, inputs are also made smaller as text.
    #[arg(long, value_name = "PROGRAM")]
    pub validator: Option<OsString>,
    #[command(flatten)]
    pub checker: CheckerOptions,
    /// The grammar of the input, in the language checktestdata [default: the package's .ctd files]
    #[arg(long, value_name = "GRAMMAR")]
    pub input_grammar: Option<PathBuf>,
    /// How long to search, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_span)]
    pub time: Duration,
    /// How long to shrink the input that is found [default: as long as --time, at most 20s]
    ///
    /// Time left over from --time is added. A run in progress at the end is stopped.
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    pub shrink_time: Option<Duration>,
    /// How long to search for what failing inputs have in common; 0 skips this
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_span_or_zero)]
    pub explain: Duration,
    /// Maximum number of inputs to try
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Random seed [default: new each run]
    #[arg(long, value_name = "N", default_value_t = fresh_seed(), hide_default_value = true)]
    pub seed: u64,
    /// Add the input that is found to the package as data/secret/NAME, with its judge answer and recipe entry
    ///
    /// In a package with test groups, NAME is GROUP/NAME, and inputs are searched that are valid in the group.
    #[arg(long, value_name = "NAME")]
    pub promote: Option<String>,
    /// Write the whole input that is found to PATH: a new file, or a directory
    ///
    /// In a directory, it becomes the bare test with the next free number, such as 4.in and 4.ans. Nothing is
    /// overwritten.
    #[arg(long, value_name = "PATH")]
    pub save: Option<PathBuf>,
    /// If nothing is found, write the input on which the submission is slowest to PATH, like --save
    #[arg(long, value_name = "PATH")]
    pub save_slowest: Option<PathBuf>,
    /// Write an HTML page: the input that is found, and the outputs of both programs
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub host: HostOptions,
    /// CPU time limit of a run, such as 1.5s or 500ms, instead of the package's; a number alone is in seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
    #[command(flatten)]
    pub build: BuildOptions,
}

impl Operation for StressOptions {
    type Result = StressResult;
    const NAME: &'static str = "stress";

    fn html(&self) -> Option<&Path> {
        self.html.as_deref()
    }

    fn run(&self, context: &Context) -> Result<StressResult, Stop> {
        let options = self.with_named_programs();
        options.check_targets()?;
        stress(&options, context)
    }
}

impl StressOptions {
    /// The generator and the reference after a submission become options, if it is a file: no package is one.
    fn with_named_programs(&self) -> Self {
        let mut options = self.clone();
        let is_source =
            |file: &PathBuf| file.is_file() && !is_archive(file) && !TestsFile::is_one(file);
        if self.targets.first().is_some_and(is_source) {
            let places =
                [("--generator", &mut options.generator), ("--reference", &mut options.reference)];
            let mut words = options.targets.split_off(1).into_iter();
            for (name, program) in places {
                if program.is_none()
                    && let Some(word) = words.next()
                {
                    options.given.words.extend([name.into(), word.clone().into()]);
                    *program = Some(word.into());
                }
            }
            options.targets.extend(words);
        }
        options
    }

    /// Without a package, a generator or a grammar is given, and a reference or an interactor.
    fn package(&self) -> Option<&Path> {
        match (&self.targets[..], self.program.is_empty()) {
            ([package, _], true) | ([package], false) => Some(package),
            _ => None,
        }
    }

    fn check_targets(&self) -> Result<(), Stop> {
        let has_inputs = self.input_grammar.is_some() || self.generator.is_some();
        let has_judge = self.reference.is_some() || self.checker.interactor.is_some();
        let stands_alone = has_inputs && has_judge;
        match (&self.targets[..], self.program.is_empty()) {
            ([_, _], true) | ([_], false) => Ok(()),
            ([_], true) | ([], false) if stands_alone => Ok(()),
            ([_, _], false) => {
                Err(Stop::usage("give one submission: as a file, or as a command after `--`"))
            }
            _ if self.generator.is_some() => Err(Stop::usage(
                "give a package and a submission; or, without a package, --reference, a correct program, or --interactor, and a \
                 submission",
            )),
            _ => Err(Stop::usage(
                "give a package and a submission; or, without a package, --reference or --interactor, --generator or \
                 --input-grammar, and a submission",
            )),
        }
    }

    /// The command that repeats the search.
    fn repeat_line(&self) -> String {
        let mut words: Vec<OsString> = vec!["juror".into(), "stress".into()];
        words.extend(self.given.words.iter().cloned());
        words.extend(["--seed".into(), self.seed.to_string().into()]);
        words.extend(self.targets.iter().map(OsString::from));
        if !self.program.is_empty() {
            words.push("--".into());
            words.extend(self.program.iter().cloned());
        }
        command_line(words)
    }
}

/// A random seed, short enough to be typed.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}

/// The default time to shrink; time that the search leaves is added.
const DEFAULT_SHRINK_TIME: Duration = Duration::from_secs(20);
/// Number of inputs in a row that may bring nothing smaller. It is at most that of `--runs`.
const VAIN_TRIES_MAX: u64 = 3000;
/// Time to run the programs again on the counterexample, to show more about it.
const SHOW_TIME: Duration = Duration::from_secs(2);

fn stress(options: &StressOptions, context: &Context) -> Result<StressResult, Stop> {
    let mut setting = read_setting(options, context)?;
    // Refuses an impossible name before anything starts.
    let directories = check_promotion(options, &setting)?.map(|one| one.directories().to_vec());
    if let Some(directories) = directories.filter(|_| options.checker.comparison().is_none()) {
        setting.inputs.choose_group(&directories)?;
    }
    for (option, place) in [("--save", &options.save), ("--save-slowest", &options.save_slowest)] {
        place.as_deref().map_or(Ok(()), |place| saved_input::check_place(option, place))?;
    }
    let host = Host::start(&options.host, context)?;
    let scheduler = &Scheduler::new(Arc::clone(&host.executor));
    let fresh = scheduler.clone().with_fresh_runs();
    let assembly = Assembly::on(scheduler, &host, context);
    let _made = assembly.complete(&mut setting.inputs.problem, None)?;
    let promotion = check_promotion(options, &setting)?;
    let problem = &setting.inputs.problem;
    // Runs that are compared are random, so only builds are cached.
    let bench = Bench { executor: &fresh, ..assembly.bench(problem) };
    let has_package = options.package().is_some();
    let has_limit = options.time_limit.or(problem.limits.time_limit).is_some();
    let cases = if has_package && !has_limit { cases::all_cases(problem)? } else { Vec::new() };
    let has_judge = setting.inputs.has_given_checker || options.checker.interactor.is_some();
    let mut ready = ReadyProblem::build(bench, ImageUse::Never, cases)
        .map_err(|stop| blame_helper(stop, has_judge))?;
    ready.given_time_limit = options.time_limit;
    let time_limit = if has_package || options.time_limit.is_some() {
        ready.time_limit()?
    } else {
        TimeLimit::new(TIME_WITHOUT_PACKAGE, "default; --time-limit sets another")
    };
    let rules = &ready.announce_limits(&time_limit);
    let programs = &SearchPrograms::build(&setting, &bench, rules)?;
    if programs.is_own_reference {
        let what = "is its own reference: only crashes, limits, and outputs that change from run to run are found";
        let remark = Diagnostic::warning(&programs.path, what);
        context.send_diagnostics([remark.help("give a correct program with --reference")]);
    }
    let way = BatchMode::isolated(host.isolation).filter(|_| !options.host.fresh);
    let arena = Arena::open(bench, &setting.inputs, rules, scheduler, way)
        .map_err(|stop| blame_helper(stop, options.validator.is_some()))?
        .with_numbers_of(&programs.texts(), &programs.variant)?
        .with_generators()?;
    find_protocols(&arena, programs, options.seed).map_err(|stop| blame_helper(stop, has_judge))?;
    let search = StressRun {
        options,
        setting: &setting,
        promotion: promotion.as_ref(),
        programs,
        cross_check: &CrossCheck::new(&arena, &programs.reference, &programs.submission),
        isolation: host.isolation,
        is_stopped: &|| host.is_stopped(),
        context,
    };
    search.run()
}

/// Tries the programs that judge on the first inputs, where no test case could tell how they are called.
fn find_protocols(arena: &Arena<'_>, programs: &SearchPrograms, seed: u64) -> Result<(), Stop> {
    /// On so many inputs, an answer is looked for.
    const TRIES: usize = 20;
    let cross_check = CrossCheck::new(arena, &programs.reference, &programs.submission);
    let judging = || arena.rules.validators.judging();
    let mut mix = arena.candidates(true, seed, None);
    for _ in 0..TRIES {
        if judging().all(OutputValidator::has_protocol) {
            break;
        }
        let Some(candidate) = mix.next(&|| false)? else { break };
        // What is wrong with a generator or the reference, the search itself says.
        let Ok(SearchInput { input, .. }) = arena.make_input(0, candidate)? else { continue };
        let answer = if arena.inputs.is_judged() {
            Ok(Arc::from([]))
        } else {
            cross_check.answer(&input)?
        };
        let Ok(answer) = answer else { continue };
        let case = TrialCase {
            name: &format!("the input {}", quote_input(&input)),
            test_case: &arena.inputs.test_case,
            input: Arc::clone(&input).into(),
            answer: answer.into(),
        };
        judging().try_for_each(|one| one.find_protocol(arena.bench.executor, &case))?;
    }
    judging().for_each(|validator| validator.announce_call(&arena.bench));
    Ok(())
}

/// What is wrong with a program of the command line is no fault of the package.
fn blame_helper(stop: Stop, is_helper: bool) -> Stop {
    if is_helper { stop.refused_for(RefusalSubject::HelperProgram) } else { stop }
}

fn check_promotion<'a>(
    options: &StressOptions,
    setting: &'a SearchSubject,
) -> Result<Option<Promotion<'a>>, Stop> {
    let Some(name) = &options.promote else { return Ok(None) };
    let promotion = if options.package().is_some() {
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
    cross_check: &'a CrossCheck<'a>,
    isolation: Isolation,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
    context: &'a Context,
}

impl StressRun<'_> {
    fn run(&self) -> Result<StressResult, Stop> {
        let Self { options, setting, programs, cross_check, .. } = *self;
        let arena = cross_check.arena;
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
        let batches = if options.host.fresh || cross_check.is_judged() {
            None
        } else {
            programs.batches(setting, self.isolation, arena)
        };
        let searching = SearchParameters {
            cross_check,
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
        let is_interrupted = searched.end == SearchEnd::Interrupted;
        let confirmed = searched.found.as_ref().filter(|_| !is_interrupted);
        confirmed.map_or(Ok(()), |failure| self.check_helpers(failure))?;
        let end = end.max(Instant::now() + plan.shrink_time);
        scheduler.set_deadline(Some(end));
        let small = match confirmed {
            Some(failure) if failure.failing == REPEATS => {
                let parameters = ShrinkParameters {
                    cross_check,
                    batches: batches.as_ref(),
                    vain_tries_max: options.runs.unwrap_or(VAIN_TRIES_MAX).min(VAIN_TRIES_MAX),
                    before: (searched.runs, started),
                    end,
                    progress: &progress,
                };
                Some(shrink(&parameters, failure)?)
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
        let shrinking_tries = small.as_ref().map_or(0, |small| small.tries);
        let is_smallest = small.as_ref().is_some_and(|small| small.is_smallest);
        let shrinking_cut = small.as_ref().is_some_and(|small| small.ran_out);
        scheduler.set_deadline(Some(end.max(Instant::now() + SHOW_TIME)));
        let found = searched.found.as_ref();
        let found = found.map(|failure| build_counterexample(cross_check, failure, small));
        let mut found = found.transpose()?;
        scheduler.set_deadline(None);
        if let Some(found) = &mut found {
            self.save_counterexample(found)?;
        }
        let left_out = searched.left_out_count();
        let mut slowest = searched.slowest.filter(|_| found.is_none());
        if let Some(slowest) = &mut slowest {
            slowest.saved = self.save(options.save_slowest.as_deref(), &slowest.input)?;
        }
        let search = Search {
            repeat: options.repeat_line(),
            plan,
            found: found.map(Box::new),
            runs: searched.runs + shrinking_runs,
            batched: searched.batched,
            shrinking_runs,
            shrinking_tries,
            is_smallest,
            shrinking_cut,
            searching: searched.elapsed,
            elapsed,
            end: end_of_search,
            left_out,
            left_out_reasons: searched.left_out,
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
        let Self { options, setting, cross_check, .. } = *self;
        let arena = cross_check.arena;
        let Some(grammar) = arena.grammar() else { return Ok(None) };
        // Runs that are too slow would take too long.
        let is_slow = failure.judgement.verdict == Verdict::TimeLimitExceeded;
        if small.interrupted || options.explain.is_zero() || is_slow {
            return Ok(None);
        }
        arena.scheduler.set_deadline(Some(Instant::now() + options.explain));
        let inputs = [&failure.fresh.input, &small.input];
        let known = inputs.iter().filter_map(|input| failing_input(cross_check, input)).collect();
        let name = &setting.submission.name;
        study(name, grammar, cross_check, known, options.seed).map(Some)
    }

    /// Errors are reported, and do not hide the result.
    fn save(&self, place: Option<&Path>, input: &[u8]) -> Result<Option<String>, Stop> {
        let Some(place) = place else { return Ok(None) };
        let answer = || Ok(self.judge_answer(&Arc::from(input))?.to_vec());
        let saved = save_input(place, input, answer);
        self.context.contain_failure(saved.map(|path| path.display().to_string()))
    }

    /// Errors are reported, and do not hide the result.
    fn save_counterexample(&self, found: &mut Counterexample) -> Result<(), Stop> {
        found.saved = self.save(self.options.save.as_deref(), &found.input)?;
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

    /// The judge answer, made as `juror generate` makes it.
    fn judge_answer(&self, input: &Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        let arena = self.cross_check.arena;
        if self.cross_check.is_judged() && arena.solution.is_none() {
            return Ok(Arc::from([]));
        }
        if !self.cross_check.is_judged() {
            let run = self.cross_check.run(self.programs.solution(), input)?;
            return Ok(run.bytes(u64::MAX)?.into());
        }
        let answer = self.cross_check.answer(input)?;
        Ok(answer.map_err(|_| JudgeError::new("make the judge answer", "it was made before"))?)
    }
}
