//! Judges submissions on test cases, in parallel, and sends events.
//!
//! Theory of operation: one thread per slot takes the next step of the plan, does it without the lock, and stores the
//! result. The thread that completes a submission hands out its judgement. Judgements come in the order of the
//! submissions, whichever is complete first.

use parking_lot::{Condvar, Mutex};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::build::{BuildResult, PreparedProgram, Runnable};
use crate::judge::case::{Detail, ReadySubmission, TimeLimitMode};
use crate::judge::case_batches::{CaseBatches, without_check};
use crate::judge::case_run::judge_case;
use crate::judge::proof::{Proof, UnprovedCase};
use crate::judge::ready_problem::ReadyProblem;
use crate::judge::rejection_notes::add_program_hint;
use crate::judge::repetition::{RepeatBudget, Repetition};
use crate::judge::score::{self, CaseResult, ScoringScheme, SubmissionTotal};
use crate::judge::{expect, time_limit};
use crate::plan::schedule::{CaseEnd, Schedule};
use crate::plan::{Plan, Step};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, WorkProgress};
use juror_core::judgement::{
    CaseJudgement, CompilerReport, JudgeError, Judgement, ResultWithMargin,
};
use juror_core::limits::{Limits, SUBMISSION_CODE};
use juror_core::outcome::{Ending, Outcome};
use juror_core::problem::{Interaction, Problem};
use juror_core::stop::Stop;
use juror_core::submission::{Expectation, Submission};
use juror_core::text::count;
use juror_core::units::seconds;
use juror_core::verdict::Verdict;
use juror_sandbox::executor::parallel;

pub struct Session<'a> {
    /// With the limits of its runs.
    pub ready: &'a ReadyProblem<'a>,
    /// In the order of the results.
    pub entries: &'a [PreparedSubmission<'a>],
    /// On which of the cases a submission runs.
    pub schedule: Schedule,
    /// Whether runs that can prove nothing more about expectations are omitted. Then all test cases must be selected,
    /// the schedule must omit none, and a scheme must know its brittle groups.
    pub omits_unproving_runs: bool,
    /// `None` if there are no scores.
    pub scheme: Option<&'a ScoringScheme<'a>>,
}

/// Why a submission is refused before it is built.
///
/// Source: problem package format 2025-09, "Submission limits" and "Languages".
pub fn refusal(problem: &Problem, prepared: &PreparedProgram) -> Option<String> {
    let (size, code) = (prepared.code_size, prepared.plan.language.code());
    // A file in no language is no source code, unless the package sets a limit for it.
    let limit = problem.limits.code.or(code.map(|_| SUBMISSION_CODE));
    if let Some(limit) = limit.filter(|limit| size > *limit) {
        return Some(if size.0 - limit.0 < limit.0 / 100 {
            // Rounded, both would look the same.
            format!("{} bytes of source code, {} allowed", size.0, limit.0)
        } else {
            format!("{size} of source code, {limit} allowed")
        });
    }
    let code = code?;
    let allowed = problem.languages.as_ref()?;
    (!allowed.iter().any(|language| language == code)).then(|| {
        let allowed = allowed.join(", ");
        format!("the language is {code}; the problem allows {allowed}")
    })
}

/// Why a submission is not judged: juror does not apply the package's settings for its language.
fn unsupported_settings(problem: &Problem, prepared: &PreparedProgram) -> Option<JudgeError> {
    let code = prepared
        .plan
        .language
        .code()
        .filter(|code| problem.unjudged.iter().any(|no| no == code))?;
    let lacks = format!("support for the package's settings for {code}");
    let error = JudgeError::new("judge it", format!("no {lacks}"));
    Some(JudgeError { lacks: Some(lacks), ..error.help("judge it with the tools of its format") })
}

pub struct PreparedSubmission<'a> {
    pub submission: &'a Submission,
    /// The error says why this machine cannot build it.
    pub prepared: Result<PreparedProgram, JudgeError>,
}

impl PreparedSubmission<'_> {
    /// The tool without which it is skipped.
    pub fn missing_tool(&self) -> Option<&str> {
        self.prepared.as_ref().err().and_then(|error| error.lacks.as_deref())
    }
}

/// The error says why the judge failed.
pub type SubmissionResult = Result<Box<Judgement>, JudgeError>;

#[derive(Default)]
struct SubmissionState {
    runnable: Option<Arc<Runnable>>,
    compiler: Option<CompilerReport>,
    /// Whether a run that did not end well needs a check of the program first.
    is_unchecked: bool,
    batches: Option<Arc<CaseBatches>>,
    cases: Vec<Option<CaseJudgement>>,
    /// Failures of the judge, each with its test case. For a failure before any case, that is the first one.
    failed: Vec<(usize, JudgeError)>,
    announced: bool,
    repeats: Arc<RepeatBudget>,
    /// The cases in progress, in the order of their start.
    running: Vec<usize>,
    /// Set if runs may be omitted.
    proof: Option<Proof>,
}

struct SessionState {
    plan: Plan,
    known: Vec<SubmissionState>,
    handed_out: usize,
    /// Whether a thread is handing out the next result.
    is_handing_out: bool,
    results: Vec<SubmissionResult>,
    stop: Option<Stop>,
}

impl SessionState {
    /// Ends the runs of a submission if those that are done, in its order, prove enough.
    fn end_if_proved(&mut self, submission: usize) {
        let done = self.plan.done_in_order(submission);
        let SubmissionState { proof: Some(proof), cases, .. } = &mut self.known[submission] else {
            return;
        };
        while proof.results < done {
            let case = proof.order[proof.results];
            let Some(judged) = &cases[case] else { return };
            if proof.add_result(case, judged) {
                self.plan.limit_order(submission, proof.results);
                return;
            }
        }
    }
}

struct SharedSession<'s, 'a> {
    session: &'s Session<'a>,
    /// Empty unless cases may be omitted.
    unproved: Vec<UnprovedCase<'s>>,
    /// In scoring problems: the groups that are worth nothing after a rejection.
    brittle: Option<Vec<&'s str>>,
    state: Mutex<SessionState>,
    changed: Condvar,
}

impl Session<'_> {
    /// Judges all submissions.
    ///
    /// Each judgement is sent as an event, in the order of the submissions. Fails if it was interrupted. If the judge
    /// fails, that is the result of the submission.
    pub fn run(&self) -> Result<Vec<SubmissionResult>, Stop> {
        let known = || SubmissionState {
            cases: (0..self.ready.cases.len()).map(|_| None).collect(),
            repeats: Arc::new(RepeatBudget::new(self.ready.repeats)),
            ..SubmissionState::default()
        };
        let unproved = self.ready.cases.iter().filter(|_| self.omits_unproving_runs).map(|case| {
            UnprovedCase {
                name: &case.test_case.name,
                // The size only affects the order.
                size: case.input_size(),
            }
        });
        let shared = SharedSession {
            session: self,
            unproved: unproved.collect(),
            brittle: self.scheme.and_then(ScoringScheme::all_or_nothing_groups),
            state: Mutex::new(SessionState {
                plan: Plan::new(self.schedule.clone(), self.entries.len()),
                known: self.entries.iter().map(|_| known()).collect(),
                handed_out: 0,
                is_handing_out: false,
                results: Vec::new(),
                stop: None,
            }),
            changed: Condvar::new(),
        };
        parallel::on_threads(self.ready.bench.executor.slots(), || shared.work());
        let state = shared.state.into_inner();
        state.stop.map_or(Ok(state.results), Err)
    }
}

impl SharedSession<'_, '_> {
    fn work(&self) {
        while let Some(step) = self.next_step() {
            match step {
                Step::Build { submission } => self.build(submission),
                Step::Run { submission, case } => self.judge_case(submission, case),
            }
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Waits for a step that can start. `None` at the end.
    fn next_step(&self) -> Option<Step> {
        let mut state = self.state.lock();
        loop {
            if state.stop.is_some() || state.plan.is_finished() {
                return None;
            }
            if let Some(step) = state.plan.next_step() {
                if let Step::Run { submission, case } = step {
                    state.known[submission].running.push(case);
                }
                return Some(step);
            }
            self.changed.wait(&mut state);
        }
    }

    fn build(&self, submission: usize) {
        let entry = &self.session.entries[submission];
        let unchecked = entry.prepared.as_ref().ok();
        let unchecked = unchecked.and_then(|it| without_check(self.session.ready, it));
        let is_unchecked = unchecked.is_some();
        let built = self.try_build(entry, unchecked.as_ref()).and_then(|built| {
            let batches = match (&built, &entry.prepared) {
                (BuildResult::Program(_), Ok(it)) => CaseBatches::new(self.session.ready, it)?,
                _ => None,
            };
            Ok((built, batches))
        });
        let slow = self.session.ready.rules.stop_slow_at.cpu_time;
        let rules = &entry.submission.expectations;
        let proof = Proof::of(rules, &self.unproved, self.brittle.as_deref(), slow);
        let mut state = self.state.lock();
        let SessionState { plan, known, .. } = &mut *state;
        let known = &mut known[submission];
        match built {
            Ok((BuildResult::Program(runnable), batches)) => {
                known.is_unchecked = is_unchecked;
                known.batches = batches.map(Arc::new);
                known.compiler.clone_from(&runnable.compiler);
                known.runnable = Some(Arc::from(runnable));
                plan.build_succeeded(submission);
                if let Some(proof) = proof {
                    plan.set_order(submission, proof.order.clone(), proof.necessary);
                    known.proof = Some(proof);
                }
            }
            Ok((BuildResult::Rejected(report), _)) => {
                known.compiler = Some(*report);
                plan.end_submission(submission);
            }
            Err(Stop::Fault(error)) => {
                known.failed.push((0, error));
                plan.end_submission(submission);
            }
            Err(stop) => return state.stop = Some(stop),
        }
        drop(state);
        self.hand_out_results();
    }

    /// `unchecked` is built instead, if it is there.
    fn try_build(
        &self,
        entry: &PreparedSubmission<'_>,
        unchecked: Option<&PreparedProgram>,
    ) -> Result<BuildResult, Stop> {
        let ReadyProblem { bench, rules, .. } = self.session.ready;
        let needs_program = bench.problem.kind.interaction == Interaction::Interactive
            || self.session.ready.cases.iter().any(|case| case.static_args.is_some());
        let known = rules.run_log.as_ref();
        if let Some(built) = known.and_then(|log| log.build(needs_program)) {
            return Ok(built?);
        }
        let prepared = entry.prepared.as_ref().map_err(Clone::clone)?;
        if let Some(error) = unsupported_settings(bench.problem, prepared) {
            return Err(error.into());
        }
        if let Some(cause) = refusal(bench.problem, prepared) {
            return Ok(BuildResult::Rejected(Box::new(CompilerReport::refused(cause))));
        }
        bench.build(&entry.submission.name, unchecked.unwrap_or(prepared), &rules.limits)
    }

    fn judge_case(&self, submission: usize, case: usize) {
        let PreparedSubmission { submission: entry, prepared } = &self.session.entries[submission];
        let ready = self.session.ready;
        let mut state = self.state.lock();
        let known = &mut state.known[submission];
        if !known.announced {
            known.announced = true;
            (ready.bench.events)(Event::SubmissionStarted {
                submission: entry.name.clone(),
                test_cases: ready.cases.len(),
            });
        }
        let (runnable, batches) = (known.runnable.clone(), known.batches.clone());
        let budget = Arc::clone(&known.repeats);
        let time_limit_mode = self.time_limit_mode(entry, known, case);
        drop(state);
        let (Some(runnable), Ok(prepared)) = (runnable, prepared) else {
            let error = JudgeError::new(format!("judge {}", entry.name), "it is not built");
            return self.state.lock().stop = Some(error.into());
        };
        let announce = |reason: &str| {
            (ready.bench.events)(Event::Progress(WorkProgress::Repetition {
                submission: entry.name.clone(),
                test_case: ready.cases[case].test_case.name.clone(),
                reason: reason.to_owned(),
            }));
        };
        let plan = &prepared.plan;
        let run = ReadySubmission {
            submission: &entry.name,
            runnable: &runnable,
            language: plan.language.name(),
            entry_point: plan.entry_point.as_deref().unwrap_or(&entry.program.name),
            time_limit_mode,
            repetition: Some(Repetition {
                budget: &budget,
                is_needed: &|| self.is_needed_after_earlier(submission, case),
                announce: &announce,
            }),
        };
        let judged = match batches {
            Some(batches) => batches.judge(ready, &run, case),
            None => judge_case(ready.bench.executor, &ready.rules, &run, &ready.cases[case]),
        };
        let judged = self.refuse_or(submission, &runnable, judged);
        let mut state = self.state.lock();
        state.known[submission].running.retain(|running| *running != case);
        match judged {
            Ok(Err(refused)) => {
                state.known[submission].compiler = Some(refused);
                state.plan.case_done(submission, case, CaseEnd::Rejected);
                state.plan.end_submission(submission);
            }
            Ok(Ok(judged)) => {
                (ready.bench.events)(Event::CaseJudged {
                    submission: entry.name.clone(),
                    test_case: judged.test_case.clone(),
                    verdict: judged.verdict,
                });
                let end = score::case_end(&judged);
                state.known[submission].cases[case] = Some(judged);
                state.plan.case_done(submission, case, end);
                state.end_if_proved(submission);
            }
            Err(Stop::Fault(error)) => {
                state.known[submission].failed.push((case, error));
                state.plan.case_done(submission, case, CaseEnd::Failed);
            }
            Err(stop) => return state.stop = Some(stop),
        }
        drop(state);
        self.hand_out_results();
    }

    /// The run, or why the whole program is refused, if that shows only now.
    fn refuse_or(
        &self,
        submission: usize,
        runnable: &Runnable,
        judged: Result<CaseJudgement, Stop>,
    ) -> Result<Result<CaseJudgement, CompilerReport>, Stop> {
        let judged = match judged {
            Err(Stop::Fault(error)) => {
                let cause = runnable.start_failure(&error).ok_or(Stop::Fault(error))?;
                return Ok(Err(CompilerReport::refused(cause)));
            }
            judged => judged?,
        };
        // The interpreter compiles all of the program before it runs.
        let ended_well = |outcome: &Outcome| outcome.ending == Ending::Exited(0);
        let is_compiled = judged.outcome.as_ref().is_some_and(ended_well);
        if !is_compiled && self.state.lock().known[submission].is_unchecked {
            let prepared = self.session.entries[submission].prepared.as_ref();
            let ReadyProblem { bench, rules, .. } = self.session.ready;
            let checked = bench.build_quietly(prepared.map_err(Clone::clone)?, &rules.limits)?;
            if let BuildResult::Rejected(report) = checked {
                return Ok(Err(*report));
            }
        }
        self.state.lock().known[submission].is_unchecked = false;
        Ok(Ok(judged))
    }

    /// Waits until earlier runs of the submission are done. Returns whether the case still counts.
    fn is_needed_after_earlier(&self, submission: usize, case: usize) -> bool {
        let mut state = self.state.lock();
        while state.known[submission].running.first() != Some(&case) && state.stop.is_none() {
            self.changed.wait(&mut state);
        }
        state.stop.is_none() && state.plan.needed_cases(submission).get(case) == Some(&true)
    }

    /// Up to which limit a submission runs on a case.
    fn time_limit_mode(
        &self,
        submission: &Submission,
        known: &SubmissionState,
        case: usize,
    ) -> TimeLimitMode {
        let case = &self.session.ready.cases[case].test_case.name;
        let slow = self.session.ready.rules.stop_slow_at.cpu_time;
        let judged = known.cases.iter().flatten();
        if time_limit::needs_margin(submission, case, judged, slow) {
            TimeLimitMode::TooSlow
        } else if self.holds_with_margin(submission) {
            TimeLimitMode::WithMargin
        } else {
            TimeLimitMode::Any
        }
    }

    /// Whether an expectation may hold with the margin only.
    fn holds_with_margin(&self, submission: &Submission) -> bool {
        let is_quick = |rule: &Expectation| {
            let overall = rule.overall.as_ref();
            overall.is_some_and(|overall| !overall.verdicts.contains(&Verdict::TimeLimitExceeded))
        };
        // After a pass that is too slow, the next pass is unknown.
        self.session.ready.bench.problem.kind.passes == 1
            && submission.expectations.iter().any(is_quick)
    }

    /// Hands out the results of complete submissions in order. The lock is free meanwhile, because the package's
    /// grader may run for each. If another thread is here, it hands out the result of this one, too.
    fn hand_out_results(&self) {
        while let Some((index, known, needed)) = self.next_result() {
            let entry = &self.session.entries[index];
            let submission = entry.submission;
            let judged = self.judgement(submission, known, &needed).map(|judgement| Judgement {
                warnings: self.compiler_warnings(entry, &judgement),
                ..judgement
            });
            let mut state = self.state.lock();
            state.is_handing_out = false;
            let judged = match judged {
                Ok(judgement) => Ok(Box::new(judgement)),
                Err(Stop::Fault(error)) => Err(error),
                Err(stop) => return state.stop = Some(stop),
            };
            (self.session.ready.bench.events)(match &judged {
                Ok(judgement) => Event::SubmissionJudged(judgement.clone()),
                Err(error) => Event::Failed {
                    submission: Some(submission.name.clone()),
                    error: error.clone(),
                },
            });
            state.results.push(judged);
        }
    }

    /// For one submission alone whose failure is not yet explained: a person waits, and wants to know why.
    fn compiler_warnings(
        &self,
        entry: &PreparedSubmission<'_>,
        judgement: &Judgement,
    ) -> Vec<String> {
        use Verdict::{MemoryLimitExceeded, RunTimeError, TimeLimitExceeded, WrongAnswer};
        let ReadyProblem { bench, rules, .. } = self.session.ready;
        let is_asked = rules.detail == Detail::FullWithStderr
            && self.session.entries.len() == 1
            && match judgement.verdict {
                WrongAnswer => judgement
                    .rejected()
                    .next()
                    .is_some_and(|case| !case.is_near_miss() && case.remark.is_none()),
                RunTimeError | TimeLimitExceeded | MemoryLimitExceeded => true,
                _ => false,
            };
        match &entry.prepared {
            Ok(prepared) if is_asked => {
                let limits = Limits::of_compiler(&bench.problem.limits);
                bench.builder.warnings(prepared, &limits)
            }
            _ => Vec::new(),
        }
    }

    /// The next submission in order, if it is complete and no other thread hands out a result.
    fn next_result(&self) -> Option<(usize, SubmissionState, Vec<bool>)> {
        let mut state = self.state.lock();
        let index = state.handed_out;
        let is_there = index < self.session.entries.len() && state.plan.is_complete(index);
        if state.is_handing_out || !is_there {
            return None;
        }
        state.is_handing_out = true;
        state.handed_out += 1;
        let needed = state.plan.needed_cases(index);
        Some((index, std::mem::take(&mut state.known[index]), needed))
    }

    fn judgement(
        &self,
        submission: &Submission,
        known: SubmissionState,
        needed: &[bool],
    ) -> Result<Judgement, Stop> {
        // Runs that turned out needless do not count.
        let mut failed = known.failed;
        failed.retain(|(case, _)| needed.get(*case) != Some(&false));
        if let Some((_, error)) = failed.into_iter().min_by_key(|(case, _)| *case) {
            return Err(error.into());
        }
        let is_refused = known.compiler.as_ref().is_some_and(|report| report.refusal.is_some());
        // A program that is refused has no runs, even if some showed it.
        let cases = known.cases.into_iter().zip(needed).filter(|_| !is_refused);
        let cases: Vec<CaseJudgement> =
            cases.filter_map(|(case, needed)| case.filter(|_| *needed)).collect();
        let has_margin = cases.iter().any(|case| case.with_margin.is_some());
        let extended = has_margin.then(|| cases.iter().cloned().map(at_margin).collect());
        let near = self.sensitive_case(&cases);
        let mut judgement = self.judgement_of_cases(submission, cases, known.compiler)?;
        if let Some(extended) = extended.filter(|_| !judgement.broken.is_empty()) {
            let other =
                self.judgement_of_cases(submission, extended, judgement.compiler.clone())?;
            if other.broken.is_empty() {
                judgement.broken.clear();
                match &near {
                    Some(near) => self.remark(
                        submission,
                        &format!(
                            "is {}, but could also be {} as expected: {near}",
                            judgement.verdict, other.verdict
                        ),
                    ),
                    None => self.remark_margin(submission, &judgement, &other),
                }
                return Ok(judgement);
            }
        }
        if let Some(near) = near {
            let what = format!("may get another verdict in another run: {near}");
            self.remark(submission, &what);
        }
        Ok(judgement)
    }

    /// The first case with a sensitive verdict, its measurements, and the number of others. Cases of which the run was
    /// stopped are only marked: they were over the limit by a quarter or more.
    fn sensitive_case(&self, cases: &[CaseJudgement]) -> Option<String> {
        let is_stopped =
            |case: &CaseJudgement| case.outcome.as_ref().is_some_and(Outcome::is_stopped_for_time);
        let mut near = cases.iter().filter(|case| case.is_sensitive() && !is_stopped(case));
        let first = near.next()?;
        let repeats = first.repeats.as_ref()?;
        let limit = seconds(self.session.ready.rules.limits.cpu_time?);
        let more = match near.count() {
            0 => String::new(),
            more => format!("; and {}", count(more, "more test case")),
        };
        Some(format!("{}, {limit} allowed, on {}{more}", repeats.summary(), first.test_case))
    }

    /// Warns that a submission is as expected only with the margin.
    fn remark_margin(&self, submission: &Submission, judgement: &Judgement, other: &Judgement) {
        let rules = &self.session.ready.rules;
        let limits =
            [&rules.limits, &rules.stop_slow_at].map(|limits| limits.cpu_time.map(seconds));
        let [Some(limit), Some(margin)] = limits else { return };
        let what = format!(
            "is {} at the time limit of {limit}, and {} as expected at {margin}: it is near the limit",
            judgement.verdict, other.verdict
        );
        self.remark(submission, &what);
    }

    fn remark(&self, submission: &Submission, what: &str) {
        let path = submission.program.path.clone();
        let help = if self.session.ready.repeats {
            "make it clearly faster or slower"
        } else {
            "add --repeat to run it again alone"
        };
        self.session.ready.bench.send_diagnostics([Diagnostic::warning(path, what).help(help)]);
    }

    fn judgement_of_cases(
        &self,
        submission: &Submission,
        mut cases: Vec<CaseJudgement>,
        compiler: Option<CompilerReport>,
    ) -> Result<Judgement, Stop> {
        let is_refused = compiler.as_ref().is_some_and(|report| report.refusal.is_some());
        let SubmissionTotal { verdict, score, counted, impossible } =
            self.total(&cases, is_refused)?;
        if let Some(counted) = counted {
            let counted: HashSet<&str> = counted.into_iter().collect();
            cases.retain(|case| counted.contains(case.test_case.as_str()));
        }
        add_program_hint(submission, &self.session.ready.cases, &mut cases);
        for what in impossible {
            let path = self.session.ready.bench.problem.dir.join("data");
            let what = format!("{what}, for {}", submission.name);
            let help = "correct the `range`, or the scores";
            self.session.ready.bench.send_diagnostics([Diagnostic::error(path, what).help(help)]);
        }
        let mut verdicts = cases.iter().map(|case| case.verdict);
        let verdict = verdict.or_else(|| verdicts.find(|verdict| *verdict != Verdict::Accepted));
        let left_out = self.session.ready.cases.len() - cases.len();
        let mut judgement = Judgement {
            submission: submission.name.clone(),
            path: (&submission.program.path).into(),
            verdict: verdict.unwrap_or(Verdict::Accepted),
            score,
            skipped: left_out,
            spared: if self.session.omits_unproving_runs && !is_refused { left_out } else { 0 },
            cases: cases.into(),
            compiler,
            warnings: Vec::new(),
            broken: Vec::new(),
        };
        let all_cases = self.session.ready.bench.problem.test_data.judged_cases();
        let all: Vec<&str> = all_cases.iter().map(|case| &*case.test_case().name).collect();
        judgement.broken = expect::broken_expectations(&submission.expectations, &judgement, &all);
        Ok(judgement)
    }

    fn total(
        &self,
        cases: &[CaseJudgement],
        is_refused: bool,
    ) -> Result<SubmissionTotal<'_>, Stop> {
        let ReadyProblem { bench, rules, .. } = self.session.ready;
        let scheme = self.session.scheme;
        if is_refused {
            let score = scheme.and_then(ScoringScheme::zero_score);
            return Ok(SubmissionTotal {
                verdict: Some(Verdict::CompileError),
                score,
                ..SubmissionTotal::default()
            });
        }
        let Some(scheme) = scheme else { return Ok(SubmissionTotal::default()) };
        score::check_one_kind_of_file(cases).map_err(score::score_error)?;
        let results: HashMap<&str, CaseResult> = cases
            .iter()
            .map(|case| (case.test_case.as_str(), CaseResult::from_judgement(case)))
            .collect();
        let custom = |flags: &[String], results: &[CaseResult]| match &rules.validators.grader {
            Some(grader) => grader.grade(bench.executor, flags, results),
            None => Err(score::score_error("the package has no grader".to_owned()).into()),
        };
        scheme.total(&|name| results.get(name).copied(), &custom)
    }
}

/// With its verdict at the margin or in another run.
fn at_margin(case: CaseJudgement) -> CaseJudgement {
    match case.with_margin {
        Some(ResultWithMargin { verdict, score }) => CaseJudgement { verdict, score, ..case },
        None => case,
    }
}

#[cfg(test)]
mod tests;
