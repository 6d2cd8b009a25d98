//! `juror stress`: searches for an input on which a submission fails, and makes it small.

mod programs;
mod setting;
pub(super) mod why;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use crate::build::bench::Bench;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::options::{HostOptions, OutputOptions, ReportOptions, time_limit};
use crate::cli::output::{Output, command_with};
use crate::cli::problem;
use crate::cli::problem_inputs::CandidateKinds;
use crate::cli::stress::programs::Programs;
use crate::cli::stress::setting::Setting;
use crate::executor::scheduler::Scheduler;
use crate::explain::compared::ByComparison;
use crate::generate::Mode;
use crate::generate::files::place_file;
use crate::grammar::generate::{Unwritten, generate_until};
use crate::grammar::shape;
use crate::judge::draw::Seen;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::{JudgeError, TimeLimit};
use crate::model::limits::TIME_WITHOUT_PACKAGE;
use crate::model::root::FilePath;
use crate::model::stop::{Mend, Stop};
use crate::model::stress::{Counterexample, REPEATS, Search, SearchEnd, SearchPlan};
use crate::model::verdict::Verdict;
use crate::ops::validators;
use crate::package;
use crate::stress::batch::{Batches, Way};
use crate::stress::comparison::{Answers, Comparison, Unusable, shown};
use crate::stress::promote::Promotion;
use crate::stress::search::{Failure, Fault, SearchResult, Searching, search};
use crate::stress::shrink::{Shrinking, Shrunk, shrink};

/// Arguments of `juror stress`.
#[derive(Debug, Args)]
pub struct StressArguments {
    /// The problem package, then the submission; with --input-grammar and --reference the
    /// submission alone
    #[arg(required = true, num_args = 1..=2, value_name = "PACKAGE> <SUBMISSION")]
    pub targets: Vec<PathBuf>,
    /// The program whose output counts as right [default: an accepted submission of the package]
    ///
    /// A file, or the name of one of the package's submissions, such as accepted/slow.py.
    #[arg(long, visible_alias = "against", value_name = "PROGRAM")]
    pub reference: Option<PathBuf>,
    /// The grammar of the input, in the language checktestdata [default: the package's .ctd files]
    #[arg(long, value_name = "GRAMMAR")]
    pub input_grammar: Option<PathBuf>,
    /// How long to search, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = span)]
    pub time: Duration,
    /// How long to shrink the input that is found [default: as long as --time, at most 20s]
    ///
    /// Time left over from --time is added. A run in progress at the end is stopped.
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub shrink_time: Option<Duration>,
    /// How long to search for what failing inputs have in common; 0 skips this
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = span_or_none)]
    pub explain: Duration,
    /// Maximum number of inputs to try
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Random seed [default: new each run]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Add the input that is found to the package as data/secret/NAME, with its judge answer and recipe entry
    #[arg(long, value_name = "NAME")]
    pub promote: Option<String>,
    /// Write the whole input that is found to FILE
    ///
    /// An existing FILE is replaced in one step, and left alone if nothing is found.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Write an HTML page: the input that is found, and the outputs of both programs
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// CPU time limit of a run, instead of the package's
    #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
    pub time_limit: Option<Duration>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Parses a time span, or 0.
fn span_or_none(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { span(text) }
}

/// Parses a time span: a number, followed by `ms`, `s`, `m` or `h`; without unit it is in seconds.
pub(super) fn span(text: &str) -> Result<Duration, String> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time; use ms, s, m or h")),
    };
    let number: f64 =
        number.parse().map_err(|_| "expected a span of time, such as 30s or 5m".to_owned())?;
    let seconds = number * factor;
    match Duration::try_from_secs_f64(seconds) {
        Ok(span) if !span.is_zero() && seconds <= 366.0 * 86_400.0 => Ok(span),
        _ => Err("expected more than 0, and at most a year".to_owned()),
    }
}

/// Searches.
pub fn run(arguments: &StressArguments) -> ExitCode {
    let reports = ReportOptions { html: arguments.html.clone(), ..ReportOptions::default() };
    command_with(&arguments.output, &reports, "stress", |output| stress(arguments, output))
}

/// How long a counterexample is made smaller by default; longer if the search has left time.
const SHRINKING: Duration = Duration::from_secs(20);
/// The default of `--explain`.
const EXPLAINING: Duration = Duration::from_secs(5);
/// How long the programs may run again to show more about it.
const SHOWING: Duration = Duration::from_secs(2);
/// How many bytes of an output are shown.
const SHOWN: u64 = 1 << 20;

fn stress(arguments: &StressArguments, output: &Output) -> Result<(), Stop> {
    let mut setting = Setting::read(arguments, output)?;
    // An impossible name is refused before anything starts.
    promotion(arguments, &setting)?;
    if let Some(file) = arguments.save.as_deref().filter(|file| file.exists() && !file.is_file()) {
        let what = format!("--save: {} is not a file; give the path of a file", file.display());
        return Err(Stop::usage(what));
    }
    let host = Host::start(&arguments.host, output)?;
    let scheduler = &Scheduler::new(Arc::clone(&host.executor));
    let fresh = scheduler.clone().fresh();
    let builder = host.builder_on(scheduler);
    let _made = problem::complete(&mut setting.inputs.problem, None, &host, &builder, output)?;
    let promotion = promotion(arguments, &setting)?;
    let problem = &setting.inputs.problem;
    let bench = Bench {
        problem,
        // Comparisons are random and never the same, so only builds are cached.
        executor: &fresh,
        builder: &builder,
        events: &|event| output.event(event),
    };
    let validators = validators::build(&bench, Seen::Never)?;
    let judging = setting.judging(arguments, bench, &validators)?;
    let time_limit = if setting.package.is_none() && arguments.time_limit.is_none() {
        TimeLimit::new(TIME_WITHOUT_PACKAGE, "default; --time-limit sets another")
    } else {
        judging.time_limit()?
    };
    let rules = judging.begin(&time_limit);
    let programs = Programs::build(&setting, &bench, &rules)?;
    let generators = setting.inputs.generators(bench)?;
    let solution = setting.inputs.answering(&bench)?;
    let mut validity = setting.inputs.validity(bench)?;
    if !arguments.host.fresh {
        validity = validity.in_batches(Way::isolated(host.isolation));
    }
    let known = Answers::default();
    let comparison = Comparison {
        bench,
        rules: &rules,
        reference: &programs.reference,
        submission: &programs.submission,
        elsewhere: None,
        options: setting.inputs.options,
        test_case: setting.inputs.test_case.clone(),
        answers: setting.inputs.answers(solution.as_ref()),
        known: &known,
    };
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let kinds = CandidateKinds { has_generators: generators.is_some(), has_copies: true };
    let mut mix = setting.inputs.candidates(&validity, kinds, seed, None);
    if mix.is_empty() {
        let what = setting.inputs.nothing_to_try();
        return Err(Stop::Refused(Mend::Selection, vec![what.into()]));
    }
    let plan = SearchPlan {
        submission: setting.submission.name.clone(),
        reference: programs.name.clone(),
        chosen: programs.chosen.to_owned(),
        sources: setting.inputs.sources(generators.is_some()),
        seed,
        time: arguments.time,
        shrink_time: arguments.shrink_time.unwrap_or(arguments.time.min(SHRINKING)),
    };
    output.event(Event::SearchStarted(plan.clone()));
    let started = Instant::now();
    let end = started + plan.time;
    scheduler.set_deadline(Some(end));
    let progress = |progress| output.event(Event::Searching(progress));
    let batches = if arguments.host.fresh || comparison.is_judged() {
        None
    } else {
        programs.batches(&setting, host.isolation, &rules)
    };
    let searching = Searching {
        comparison: &comparison,
        validity: &validity,
        generators: generators.as_ref(),
        batches: batches.as_ref(),
        time: plan.time,
        is_stopped: &|| host.is_stopped(),
        scheduler,
        shrink_time: plan.shrink_time,
        most: arguments.runs,
        progress: &progress,
    };
    let searched = search(&searching, &mut mix)?;
    remarks(&setting, &programs.name, &searched, output);
    if let Some(remark) = batches.as_ref().and_then(Batches::trouble) {
        output.event(Event::Diagnosed(remark));
    }
    if searched.runs == 0
        && searched.left_out == 0
        && searched.end != SearchEnd::Interrupted
        && let Some(grammar) = setting.inputs.grammars.first()
    {
        let late = Instant::now() + plan.shrink_time;
        let is_over = || host.is_stopped() || Instant::now() >= late;
        return Err(match generate_until(grammar, &shape::RANDOM, &[], seed, None, &is_over) {
            Err(Unwritten::Unsatisfied(why)) => why.into(),
            _ => Diagnostic::error(&grammar.source.path, "no input was written in time")
                .help("give more time with --time, or express each ASSERT in the bounds of values")
                .into(),
        });
    }
    if let Some(fault) = &searched.fault {
        return Err(unusable(&setting, &programs, fault).into());
    }
    let shrinking = Shrinking {
        comparison: &comparison,
        validity: &validity,
        grammar: setting.inputs.grammars.first(),
        generators: generators.as_ref(),
        scheduler,
        before: (searched.runs, started),
        progress: &progress,
    };
    let end = end.max(Instant::now() + plan.shrink_time);
    scheduler.set_deadline(Some(end));
    let small = match &searched.found {
        Some(failure) if failure.failing == REPEATS && searched.end != SearchEnd::Interrupted => {
            Some(shrink(&shrinking, failure)?)
        }
        _ => None,
    };
    let end_of_search = match &small {
        Some(small) if small.interrupted => SearchEnd::Interrupted,
        _ => searched.end,
    };
    let shrinking_runs = small.as_ref().map_or(0, |small| small.runs);
    let shrinking_cut = small.as_ref().is_some_and(|small| small.ran_out);
    // Explain what the counterexample is an example of.
    let elapsed = started.elapsed();
    if let (Some(small), Some(failure), Some(grammar)) =
        (&small, &searched.found, setting.inputs.grammars.first())
        && !small.interrupted
        && !arguments.explain.is_zero()
        // Runs that are too slow would take too long.
        && failure.judged.verdict != Verdict::TimeLimitExceeded
    {
        scheduler.set_deadline(Some(Instant::now() + arguments.explain));
        let inputs = [&failure.input, &small.input];
        let known = inputs.iter().filter_map(|input| why::failing(&comparison, input)).collect();
        let subject = ByComparison { comparison: &comparison, validity: &validity, scheduler };
        let explained = why::explained(&plan.submission, grammar, &subject, known, seed)?;
        output.event(Event::Explained(Box::new(explained)));
    }
    scheduler.set_deadline(Some(end.max(Instant::now() + SHOWING)));
    let found = match &searched.found {
        Some(failure) => Some(counterexample(&comparison, failure, small)?),
        None => None,
    };
    scheduler.set_deadline(None);
    let mut done = Search {
        repeat: setting.repeat(arguments, &plan),
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
    };
    if let (Some(file), Some(found)) = (&arguments.save, &mut done.found) {
        let saved = output.part(
            place_file(&FilePath::output(file), &found.input, Mode::Write).map_err(Stop::from),
        )?;
        found.saved = saved.map(|_| file.display().to_string());
    }
    if let (Some(promotion), Some(found)) = (&promotion, &mut done.found) {
        let input: Arc<[u8]> = Arc::from(&*found.input);
        let answer = answer(&comparison, &programs, &input)?;
        let description =
            format!("Found by stress: {} on an input from {}", found.verdict, found.origin);
        match promotion.in_vain(&input) {
            Some(remark) => output.event(Event::Diagnosed(remark)),
            // The result is reported in any case.
            None => found.promoted = output.part(promotion.add(&input, &answer, &description))?,
        }
    }
    output.event(Event::Searched(Box::new(done)));
    match end_of_search {
        SearchEnd::Interrupted => Err(Stop::Interrupted),
        _ => Ok(()),
    }
}

/// A random seed, short enough to be typed.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}

/// How to promote the result; checked before anything runs.
fn promotion<'a>(
    arguments: &StressArguments,
    setting: &'a Setting,
) -> Result<Option<Promotion<'a>>, Stop> {
    let Some(name) = &arguments.promote else { return Ok(None) };
    let promotion = match setting.package {
        None => Err("--promote needs a package to add to".to_owned()),
        Some(_) => Promotion::new(&setting.inputs.problem, name),
    };
    promotion.map(Some).map_err(Stop::usage)
}

/// The judge answer to an input, as for the package.
fn answer(
    comparison: &Comparison<'_>,
    programs: &Programs,
    input: &Arc<[u8]>,
) -> Result<Arc<[u8]>, Stop> {
    if !comparison.is_judged() {
        let ran = comparison.run(programs.solution(), input)?;
        return Ok(ran.bytes(u64::MAX)?.into());
    }
    // The answer exists: each comparison on this input used it.
    let answer = comparison.answer(input)?;
    Ok(answer.map_err(|_| JudgeError::new("make the judge answer", "it was made before"))?)
}

/// Reports problems of the package that the search noticed.
fn remarks(setting: &Setting, reference: &str, searched: &SearchResult, output: &Output) {
    if let Some(refused) = &searched.refused {
        output.event(Event::Diagnosed(setting.inputs.disputed(refused)));
    }
    if let Some(broken) = &searched.broken_generator {
        let path = setting.inputs.problem.dir.join(package::recipe::DIRECTORY);
        output.event(Event::Diagnosed(Diagnostic::warning(path, broken.clone())));
    }
    if searched.left_out > 0
        && searched.refused.is_none()
        && searched.broken_generator.is_none()
        && searched.runs == 0
    {
        output.complain(&format!("no input was compared: {reference} solves none of them in time; choose a faster --reference"));
    }
}

/// The error that the package has nothing to compare submissions with.
fn unusable(setting: &Setting, programs: &Programs, fault: &Fault) -> Diagnostic {
    let input = shown(&fault.input);
    let reference = |what: &str| {
        let message = format!("the reference fails on a valid input: {what}: {input}");
        Diagnostic::error(&programs.path, message)
            .help("fix it, choose another with --reference, or make the input validators stricter")
    };
    match &fault.why {
        Unusable::TooSlow => reference("it is too slow"),
        Unusable::Reference(verdict, cause) => reference(&format!("{verdict}, {cause}")),
        Unusable::Validator(error) => reference(&error.to_string()),
        Unusable::Solution(what) => {
            let path = setting.inputs.answers_by.as_deref().unwrap_or(&programs.path);
            let message = format!("makes no judge answer for a valid input: {what}: {input}");
            Diagnostic::error(path, message).help("fix it, or make the input validators stricter")
        }
    }
}

/// Everything to show about the input that was found.
fn counterexample(
    comparison: &Comparison<'_>,
    failure: &Failure,
    small: Option<Shrunk>,
) -> Result<Counterexample, Stop> {
    let (input, judged, path) = match small {
        Some(small) => (small.input, small.judged, small.path),
        None => (Arc::clone(&failure.input), failure.judged.clone(), Vec::new()),
    };
    let mut found = Counterexample {
        verdict: judged.verdict,
        cause: judged.cause,
        difference: judged.difference.filter(|_| judged.verdict == Verdict::WrongAnswer),
        input: input.to_vec(),
        expected: None,
        got: None,
        transcript: None,
        stderr: Vec::new(),
        validator_stderr: Vec::new(),
        origin: failure.origin.clone(),
        first_size: failure.input.len(),
        path,
        failing: failure.failing,
        repeats: failure.repeats,
        promoted: None,
        saved: None,
    };
    let looked = if comparison.is_judged() {
        look(comparison, &input, &mut found)
    } else {
        compare(comparison, &input, &mut found)
    };
    match looked {
        // Show what is known in any case.
        Ok(()) | Err(Stop::Interrupted) => Ok(found),
        Err(stop) => Err(stop),
    }
}

/// Number of runs to see a failure again that comes only now and then.
const TRIES: u32 = 5;

/// Adds the output of both programs. That of the submission is from a run that fails in the same way, if one does.
fn compare(
    comparison: &Comparison<'_>,
    input: &Arc<[u8]>,
    found: &mut Counterexample,
) -> Result<(), Stop> {
    let answer = comparison.answer(input)?.ok();
    found.expected = Some(answer.as_ref().map(|it| it.to_vec()).unwrap_or_default());
    for _ in 0..TRIES {
        let ran = comparison.run(comparison.submission, input)?;
        let fails = match (&ran.rejected, &answer) {
            (Some(rejected), _) => rejected.verdict == found.verdict,
            (None, Some(answer)) => {
                let whole = ran.bytes(u64::MAX)?;
                found.verdict == Verdict::WrongAnswer
                    && !comparison.accepts(input, answer, &ran, &whole)?
            }
            (None, None) => true,
        };
        if fails {
            found.got = Some(ran.bytes(SHOWN)?);
            let stderr = ran.stderr.start(SHOWN);
            found.stderr = stderr.map_err(|error| JudgeError::new("read standard error", error))?;
            break;
        }
    }
    Ok(())
}

/// Adds the evidence of a run that fails in the same way.
fn look(
    comparison: &Comparison<'_>,
    input: &Arc<[u8]>,
    found: &mut Counterexample,
) -> Result<(), Stop> {
    for _ in 0..TRIES {
        let looked = comparison.look(input)?;
        let Some(looked) = looked.filter(|it| it.verdict == found.verdict) else { continue };
        found.cause = looked.cause;
        if let Some(evidence) = looked.evidence {
            found.transcript = evidence.transcript;
            found.stderr = evidence.stderr;
            found.validator_stderr = evidence.validator_stderr;
        }
        break;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_of_time_has_a_unit() {
        let check = |text: &str, milliseconds: Option<u128>| {
            let span = span(text).ok().map(|span| span.as_millis());
            assert_eq!(span, milliseconds, "{text}");
        };
        check("30s", Some(30_000));
        check("30", Some(30_000));
        check("0.5m", Some(30_000));
        check("250ms", Some(250));
        check("1h", Some(3_600_000));
        for text in ["", "s", "0", "0s", "-1s", "1d", "nan", "1e99s", "inf"] {
            check(text, None);
        }
    }
}
