//! Searches for an input on which a submission fails, and makes it small.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::build::bench::Bench;
use crate::executor::scheduler::Scheduler;
use crate::explain::compared::ByComparison;
use crate::explain::rejected::{explained, failing};
use crate::generate::Mode;
use crate::generate::files::place_file;
use crate::generate::fresh::FreshInputs;
use crate::grammar::generate::{Unwritten, generate_until};
use crate::grammar::shape;
use crate::judge::draw::Seen;
use crate::judge::judging::Judging;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::isolation::Isolation;
use crate::model::judgement::{JudgeError, TimeLimit};
use crate::model::limits::TIME_WITHOUT_PACKAGE;
use crate::model::root::FilePath;
use crate::model::stop::{Mend, Stop};
use crate::model::stress::{Counterexample, REPEATS, Search, SearchEnd, SearchPlan};
use crate::model::verdict::Verdict;
use crate::ops::{cases, validators};
use crate::package;
use crate::stress::batch::{Batches, Way};
use crate::stress::comparison::{Answers, Comparison, Unusable, shown};
use crate::stress::counterexample::counterexample;
use crate::stress::problem_inputs::CandidateKinds;
use crate::stress::programs::{Programs, Setting};
use crate::stress::promote::Promotion;
use crate::stress::search::{Failure, Fault, SearchResult, Searching, search};
use crate::stress::shrink::{Shrinking, Shrunk, shrink};
use crate::stress::validity::Validity;

/// How to search.
#[derive(Clone, Debug)]
pub struct StressOptions {
    /// The package; without it the grammar and the reference are given.
    pub package: Option<PathBuf>,
    /// The submission under test.
    pub submission: PathBuf,
    /// The program whose output counts as right, instead of an accepted submission of the package.
    pub reference: Option<PathBuf>,
    /// The grammar of the input, instead of the package's.
    pub input_grammar: Option<PathBuf>,
    /// The time for the search.
    pub time: Duration,
    /// The time to shrink the input that is found.
    pub shrink_time: Option<Duration>,
    /// The time to find out what failing inputs have in common.
    pub explain: Duration,
    /// Upper bound on the inputs.
    pub runs: Option<u64>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The name of the new test case in the package.
    pub promote: Option<String>,
    /// The file for the input that is found.
    pub save: Option<PathBuf>,
    /// CPU time limit of a run, instead of the package's.
    pub time_limit: Option<Duration>,
    /// Whether each run has a process of its own.
    pub fresh: bool,
    /// The command line that repeats the search.
    pub repeat: String,
}

/// How long a counterexample is made smaller by default; longer if the search has left time.
const SHRINKING: Duration = Duration::from_secs(20);
/// How long the programs may run again to show more about it.
const SHOWING: Duration = Duration::from_secs(2);

/// How to promote the result; checked before anything runs.
///
/// # Errors
/// If the name is not possible, or there is no package.
pub fn promotion<'a>(
    options: &StressOptions,
    setting: &'a Setting,
) -> Result<Option<Promotion<'a>>, Stop> {
    let Some(name) = &options.promote else { return Ok(None) };
    let promotion = if setting.has_package {
        Promotion::new(&setting.inputs.problem, name)
    } else {
        Err("--promote needs a package to add to".to_owned())
    };
    promotion.map(Some).map_err(Stop::usage)
}

/// A search, and where it runs.
pub struct Stress<'a> {
    /// How to search.
    pub options: &'a StressOptions,
    /// Its subject.
    pub setting: &'a Setting,
    /// The place in the package for the result, if it is added.
    pub promotion: Option<&'a Promotion<'a>>,
    /// The problem, with an executor and a builder that the scheduler ends.
    pub bench: Bench<'a>,
    /// Ends the runs when their time is over.
    pub scheduler: &'a Scheduler,
    /// The isolation of programs.
    pub isolation: Isolation,
    /// Whether the user ended the command.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
    /// Receives what was saved or added; if that failed, the rest goes on.
    pub part: &'a dyn Fn(Result<String, Stop>) -> Result<Option<String>, Stop>,
}

/// The built programs of a search.
struct Ready<'a> {
    programs: &'a Programs,
    comparison: &'a Comparison<'a>,
    validity: &'a Validity<'a>,
    generators: Option<&'a FreshInputs<'a>>,
}

impl Stress<'_> {
    /// Searches, and reports what was found.
    ///
    /// # Errors
    /// If something cannot be used, the judge failed, or it was interrupted.
    pub fn run(&self) -> Result<(), Stop> {
        let Self { options, setting, bench, .. } = *self;
        let validators = validators::build(&bench, Seen::Never)?;
        let has_limit = options.time_limit.or(bench.problem.limits.time_limit).is_some();
        let cases = if setting.has_package && !has_limit {
            cases::select(bench.problem, &[])?
        } else {
            Vec::new()
        };
        let judging =
            Judging { given: options.time_limit, ..Judging::new(bench, &validators, cases) };
        let time_limit = if setting.has_package || options.time_limit.is_some() {
            judging.time_limit()?
        } else {
            TimeLimit::new(TIME_WITHOUT_PACKAGE, "default; --time-limit sets another")
        };
        let rules = judging.begin(&time_limit);
        let programs = Programs::build(setting, &bench, &rules)?;
        let generators = setting.inputs.generators(bench)?;
        let solution = setting.inputs.answering(&bench)?;
        let mut validity = setting.inputs.validity(bench)?;
        if !options.fresh {
            validity = validity.in_batches(Way::isolated(self.isolation));
        }
        let comparison = Comparison {
            bench,
            rules: &rules,
            reference: &programs.reference,
            submission: &programs.submission,
            elsewhere: None,
            options: setting.inputs.options,
            test_case: setting.inputs.test_case.clone(),
            answers: setting.inputs.answers(solution.as_ref()),
            known: &Answers::default(),
        };
        self.search(&Ready {
            programs: &programs,
            comparison: &comparison,
            validity: &validity,
            generators: generators.as_ref(),
        })
    }

    fn search(&self, ready: &Ready<'_>) -> Result<(), Stop> {
        let Self { options, setting, scheduler, .. } = *self;
        let Ready { programs, comparison, validity, generators } = *ready;
        let inputs = &setting.inputs;
        let kinds = CandidateKinds { has_generators: generators.is_some(), has_copies: true };
        let mut mix = inputs.candidates(validity, kinds, options.seed, None);
        if mix.is_empty() {
            let what = inputs.nothing_to_try();
            return Err(Stop::Refused(Mend::Selection, vec![what.into()]));
        }
        let plan = SearchPlan {
            submission: setting.submission.name.clone(),
            reference: programs.name.clone(),
            chosen: programs.chosen.to_owned(),
            sources: inputs.sources(generators.is_some()),
            seed: options.seed,
            time: options.time,
            shrink_time: options.shrink_time.unwrap_or(options.time.min(SHRINKING)),
        };
        self.event(Event::SearchStarted(plan.clone()));
        let started = Instant::now();
        let end = started + plan.time;
        scheduler.set_deadline(Some(end));
        let events = self.bench.events;
        let progress = |progress| events(Event::Searching(progress));
        let batches = if options.fresh || comparison.is_judged() {
            None
        } else {
            programs.batches(setting, self.isolation, comparison.rules)
        };
        let searching = Searching {
            comparison,
            validity,
            generators,
            batches: batches.as_ref(),
            time: plan.time,
            is_stopped: self.is_stopped,
            scheduler,
            shrink_time: plan.shrink_time,
            most: options.runs,
            progress: &progress,
        };
        let searched = search(&searching, &mut mix)?;
        self.remarks(&programs.name, &searched);
        batches.as_ref().and_then(Batches::trouble).into_iter().for_each(|it| self.remark(it));
        self.usable(programs, &searched, plan.shrink_time)?;
        let shrinking = Shrinking {
            comparison,
            validity,
            grammar: inputs.grammars.first(),
            generators,
            scheduler,
            before: (searched.runs, started),
            progress: &progress,
        };
        let end = end.max(Instant::now() + plan.shrink_time);
        scheduler.set_deadline(Some(end));
        let small = match &searched.found {
            Some(failure)
                if failure.failing == REPEATS && searched.end != SearchEnd::Interrupted =>
            {
                Some(shrink(&shrinking, failure)?)
            }
            _ => None,
        };
        let elapsed = started.elapsed();
        if let (Some(small), Some(failure)) = (&small, &searched.found) {
            self.explain(ready, small, failure)?;
        }
        let end_of_search = match &small {
            Some(small) if small.interrupted => SearchEnd::Interrupted,
            _ => searched.end,
        };
        let shrinking_runs = small.as_ref().map_or(0, |small| small.runs);
        let shrinking_cut = small.as_ref().is_some_and(|small| small.ran_out);
        scheduler.set_deadline(Some(end.max(Instant::now() + SHOWING)));
        let mut found = match &searched.found {
            Some(failure) => Some(counterexample(comparison, failure, small)?),
            None => None,
        };
        scheduler.set_deadline(None);
        if let Some(found) = &mut found {
            self.keep(ready, found)?;
        }
        self.event(Event::Searched(Box::new(Search {
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
        })));
        match end_of_search {
            SearchEnd::Interrupted => Err(Stop::Interrupted),
            _ => Ok(()),
        }
    }

    /// Explains what the counterexample is an example of.
    fn explain(&self, ready: &Ready<'_>, small: &Shrunk, failure: &Failure) -> Result<(), Stop> {
        let Self { options, setting, scheduler, .. } = *self;
        let Ready { comparison, validity, .. } = *ready;
        let Some(grammar) = setting.inputs.grammars.first() else { return Ok(()) };
        // Runs that are too slow would take too long.
        let is_slow = failure.judged.verdict == Verdict::TimeLimitExceeded;
        if small.interrupted || options.explain.is_zero() || is_slow {
            return Ok(());
        }
        scheduler.set_deadline(Some(Instant::now() + options.explain));
        let inputs = [&failure.input, &small.input];
        let known = inputs.iter().filter_map(|input| failing(comparison, input)).collect();
        let subject = ByComparison { comparison, validity, scheduler };
        let name = &setting.submission.name;
        let explained = explained(name, grammar, &subject, known, options.seed)?;
        self.event(Event::Explained(Box::new(explained)));
        Ok(())
    }

    /// Writes the input to a file and adds it to the package, as far as that is wanted. The result is reported in any
    /// case.
    fn keep(&self, ready: &Ready<'_>, found: &mut Counterexample) -> Result<(), Stop> {
        if let Some(file) = &self.options.save {
            let saved = place_file(&FilePath::output(file), &found.input, Mode::Write);
            let saved = saved.map(|_| file.display().to_string());
            found.saved = (self.part)(saved.map_err(Stop::from))?;
        }
        let Some(promotion) = self.promotion else { return Ok(()) };
        let input: Arc<[u8]> = Arc::from(&*found.input);
        let answer = answer(ready, &input)?;
        let description =
            format!("Found by stress: {} on an input from {}", found.verdict, found.origin);
        match promotion.in_vain(&input) {
            Some(remark) => self.remark(remark),
            None => {
                found.promoted = (self.part)(promotion.add(&input, &answer, &description))?;
            }
        }
        Ok(())
    }

    /// Reports problems of the package that the search noticed.
    fn remarks(&self, reference: &str, searched: &SearchResult) {
        let inputs = &self.setting.inputs;
        if let Some(refused) = &searched.refused {
            self.remark(inputs.disputed(refused));
        }
        if let Some(broken) = &searched.broken_generator {
            let path = inputs.problem.dir.join(package::recipe::DIRECTORY);
            self.remark(Diagnostic::warning(path, broken.clone()));
        }
        if searched.left_out > 0
            && searched.refused.is_none()
            && searched.broken_generator.is_none()
            && searched.runs == 0
        {
            let message = format!(
                "no input was compared: {reference} solves none of them in time; choose a faster --reference"
            );
            self.event(Event::Complained { message, help: None });
        }
    }

    /// Checks that something was compared, and that the package gave something to compare with.
    fn usable(
        &self,
        programs: &Programs,
        searched: &SearchResult,
        time: Duration,
    ) -> Result<(), Stop> {
        if searched.runs == 0
            && searched.left_out == 0
            && searched.end != SearchEnd::Interrupted
            && let Some(grammar) = self.setting.inputs.grammars.first()
        {
            let late = Instant::now() + time;
            let is_over = || (self.is_stopped)() || Instant::now() >= late;
            let seed = self.options.seed;
            return Err(match generate_until(grammar, &shape::RANDOM, &[], seed, None, &is_over) {
                Err(Unwritten::Unsatisfied(why)) => why.into(),
                _ => Diagnostic::error(&grammar.source.path, "no input was written in time")
                    .help("give more time with --time, or express each ASSERT in the bounds of values")
                    .into(),
            });
        }
        match &searched.fault {
            Some(fault) => Err(self.unusable(programs, fault).into()),
            None => Ok(()),
        }
    }

    /// The error that the package has nothing to compare submissions with.
    fn unusable(&self, programs: &Programs, fault: &Fault) -> Diagnostic {
        let input = shown(&fault.input);
        let reference = |what: &str| {
            let message = format!("the reference fails on a valid input: {what}: {input}");
            Diagnostic::error(&programs.path, message).help(
                "fix it, choose another with --reference, or make the input validators stricter",
            )
        };
        match &fault.why {
            Unusable::TooSlow => reference("it is too slow"),
            Unusable::Reference(verdict, cause) => reference(&format!("{verdict}, {cause}")),
            Unusable::Validator(error) => reference(&error.to_string()),
            Unusable::Solution(what) => {
                let path = self.setting.inputs.answers_by.as_deref().unwrap_or(&programs.path);
                let message = format!("makes no judge answer for a valid input: {what}: {input}");
                Diagnostic::error(path, message)
                    .help("fix it, or make the input validators stricter")
            }
        }
    }

    fn remark(&self, remark: Diagnostic) {
        self.event(Event::Diagnosed(remark));
    }

    fn event(&self, event: Event) {
        (self.bench.events)(event);
    }
}

/// The judge answer to an input, as for the package.
fn answer(ready: &Ready<'_>, input: &Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
    let comparison = ready.comparison;
    if !comparison.is_judged() {
        let ran = comparison.run(ready.programs.solution(), input)?;
        return Ok(ran.bytes(u64::MAX)?.into());
    }
    // The answer exists: each comparison on this input used it.
    let answer = comparison.answer(input)?;
    Ok(answer.map_err(|_| JudgeError::new("make the judge answer", "it was made before"))?)
}
