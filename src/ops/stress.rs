//! `juror stress`: searches for an input on which a submission fails, and shrinks it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::build::batch::BatchMode;
use crate::build::bench::Bench;
use crate::executor::scheduler::Scheduler;
use crate::explain::rejected::failing_input;
use crate::explain::study::study;
use crate::generate::GenerateMode;
use crate::generate::files::place_file;
use crate::grammar::generate::{GenerationFailure, generate_until};
use crate::grammar::shape;
use crate::judge::images::ImageUse;
use crate::judge::judging::JudgingTask;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::{Event, WorkProgress};
use crate::model::explanation::ExplanationResult;
use crate::model::isolation::Isolation;
use crate::model::judgement::{JudgeError, TimeLimit};
use crate::model::limits::TIME_WITHOUT_PACKAGE;
use crate::model::problem::{Problem, SubmittedContent};
use crate::model::root::FilePath;
use crate::model::stop::{RefusalSubject, Remark, Stop};
use crate::model::stress::{Counterexample, REPEATS, Search, SearchEnd, SearchPlan, StressResult};
use crate::model::submission::Submission;
use crate::model::verdict::Verdict;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::options::HostOptions;
use crate::ops::problem::{self, ShownDiagnostics};
use crate::ops::submissions::named_submission;
use crate::ops::{cases, validators};
use crate::package;
use crate::search::arena::Arena;
use crate::search::batch::Batches;
use crate::search::comparison::{Comparison, UnusableReason, quote_input};
use crate::search::counterexample::build_counterexample;
use crate::search::problem_inputs::ProblemInputs;
use crate::search::programs::{SearchPrograms, SearchSubject};
use crate::search::promote::Promotion;
use crate::search::run::{Failure, PackageFault, SearchParameters, SearchResult, search};
use crate::search::shrink::{ShrunkInput, shrink};

#[derive(Clone, Debug)]
pub struct StressOptions {
    /// Without a package, grammar and reference are given.
    pub package: Option<PathBuf>,
    pub submission: PathBuf,
    /// Instead of an accepted submission of the package.
    pub reference: Option<PathBuf>,
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
    /// CPU time; instead of the package's limit.
    pub time_limit: Option<Duration>,
    /// If `fresh` is set, each run has its own process.
    pub host: HostOptions,
    pub repeat: String,
}

/// The default time to shrink; time that the search leaves is added.
const DEFAULT_SHRINK_TIME: Duration = Duration::from_secs(20);
/// Time to run the programs again on the counterexample, to show more about it.
const SHOW_TIME: Duration = Duration::from_secs(2);

pub fn stress(options: &StressOptions, context: &Context) -> Result<StressResult, Stop> {
    let mut setting = read_setting(options, context)?;
    // Refuses an impossible name before anything starts.
    check_promotion(options, &setting)?;
    if let Some(file) = options.save.as_deref().filter(|file| file.exists() && !file.is_file()) {
        let what = format!("--save: {} is not a file; give the path of a file", file.display());
        return Err(Stop::usage(what));
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
    let validators = validators::build_validators(&bench, ImageUse::Never)?;
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
    let texts = programs.texts();
    let arena = Arena::open(bench, &setting.inputs, rules, scheduler, way)?
        .with_generators()?
        .with_numbers_of(texts.iter().map(String::as_str));
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

fn read_setting(options: &StressOptions, context: &Context) -> Result<SearchSubject, Stop> {
    let problem = match &options.package {
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
    let submission = named_submission(&options.submission, &problem).map_err(Stop::usage)?;
    let reference = options.reference.as_ref();
    let reference = reference.map(|path| reference_at(path, &problem));
    let reference = reference.transpose().map_err(Stop::usage)?;
    let grammar = options.input_grammar.as_deref();
    let inputs = ProblemInputs::read(problem, grammar, &context.event_sender())?;
    if options.package.is_some() {
        context.send_event(Event::package_read(&inputs.problem, 1, 0));
    }
    let promotes = options.promote.is_some();
    Ok(SearchSubject { inputs, submission, reference, promotes })
}

/// Accepts a file, or the name of one of the package's submissions.
fn reference_at(path: &Path, problem: &Problem) -> Result<Submission, Remark> {
    let name = path.to_string_lossy();
    let own = problem.submissions.iter().find(|submission| submission.name == name);
    match own {
        Some(own) if !path.exists() => Ok(own.clone()),
        _ => named_submission(path, problem),
    }
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
            programs.batches(setting, self.isolation, arena.rules)
        };
        let searching = SearchParameters {
            comparison,
            batches: batches.as_ref(),
            time: plan.time,
            is_stopped: self.is_stopped,
            shrink_time: plan.shrink_time,
            runs_max: options.runs,
            progress: &progress,
        };
        let searched = search(&searching, mix)?;
        self.report_package_problems(&searched);
        self.context.send_diagnostics(batches.as_ref().and_then(Batches::build_failure));
        self.check_compared(&searched, plan.shrink_time)?;
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
            slowest: searched.slowest,
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
    fn save_counterexample(&self, found: &mut Counterexample) -> Result<(), Stop> {
        if let Some(file) = &self.options.save {
            let saved = place_file(&FilePath::output(file), &found.input, GenerateMode::Write);
            let saved = saved.map(|_| file.display().to_string());
            found.saved = self.context.contain_failure(saved.map_err(Stop::from))?;
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
        if searched.left_out > 0
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
        match &searched.fault {
            Some(fault) => Err(self.reference_error(fault).into()),
            None => Ok(()),
        }
    }

    fn reference_error(&self, fault: &PackageFault) -> Diagnostic {
        let input = quote_input(&fault.input);
        let reference = |what: &str| {
            let message = format!("the reference fails on a valid input: {what}: {input}");
            Diagnostic::error(&self.programs.path, message).help(
                "fix it, choose another with --reference, or make the input validators stricter",
            )
        };
        match &fault.reason {
            UnusableReason::TooSlow => reference("it is too slow"),
            UnusableReason::Reference(verdict, cause) => reference(&format!("{verdict}, {cause}")),
            UnusableReason::Validator(error) => reference(&error.to_string()),
            UnusableReason::Solution(what) => {
                let path =
                    self.setting.inputs.answer_maker.as_deref().unwrap_or(&self.programs.path);
                let message = format!("no judge answer for a valid input: {what}: {input}");
                Diagnostic::error(path, message)
                    .help("fix it, or make the input validators stricter")
            }
        }
    }

    /// The judge answer, made as `juror generate` makes it.
    fn judge_answer(&self, input: &Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        if !self.comparison.is_judged() {
            let run = self.comparison.run(self.programs.solution(), input)?;
            return Ok(run.bytes(u64::MAX)?.into());
        }
        let answer = self.comparison.answer(input)?;
        Ok(answer.map_err(|_| JudgeError::new("make the judge answer", "it was made before"))?)
    }
}
