//! Judges submissions on test cases, in parallel, and tells what happens as it happens.
//!
//! Theory of operation: one worker thread a slot takes the next step of the plan, does it without
//! holding the lock, and notes what came of it. Whoever completes a submission hands out its
//! judgement; judgements leave in the order of the submissions, whichever is complete first.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::build::bench::Bench;
use crate::build::{Built, Prepared, Runnable};
use crate::executor::parallel;
use crate::judge::case::{Entry, ReadyCase, Rules, TimeLimitMode, judge_case};
use crate::judge::score::{self, CaseResult, Scheme};
use crate::judge::{expect, time_limit};
use crate::model::event::Event;
use crate::model::judgement::{CaseJudgement, CompilerReport, JudgeError, Judgement};
use crate::model::limits::{CODE, Limits};
use crate::model::problem::Problem;
use crate::model::score::TotalScore;
use crate::model::stop::Stop;
use crate::model::submission::Submission;
use crate::model::verdict::Verdict;
use crate::plan::schedule::{CaseEnd, Schedule};
use crate::plan::{Plan, Step};

/// Everything that is needed to judge submissions.
pub struct Session<'a> {
    /// On which problem, and where jobs run.
    pub bench: Bench<'a>,
    /// What is the same for all runs.
    pub rules: Rules<'a>,
    /// The submissions, in the order of the results.
    pub entries: &'a [PreparedSubmission<'a>],
    /// The selected cases, in judging order.
    pub cases: &'a [ReadyCase<'a>],
    /// Which of them a submission is run on.
    pub schedule: Schedule,
    /// How they make up a score; `None` where submissions are accepted or not.
    pub scheme: Option<&'a Scheme<'a>>,
}

/// Why a submission is refused before anything is built.
///
/// Source: problem package format 2025-09, "Submission limits" and "Languages".
fn refusal(problem: &Problem, prepared: &Prepared) -> Option<String> {
    let (size, code) = (prepared.code, prepared.plan.written.code());
    // What is in no language is not source code, unless the package says that it counts.
    let limit = problem.limits.code.or(code.map(|_| CODE));
    if let Some(limit) = limit.filter(|limit| size > *limit) {
        return Some(format!("{size} of source code, {limit} allowed"));
    }
    let code = code?;
    let allowed = problem.languages.as_ref()?;
    (!allowed.iter().any(|it| it == code)).then(|| {
        let allowed = allowed.join(", ");
        format!("the language is {code}; the problem allows {allowed}")
    })
}

/// A submission that takes part.
pub struct PreparedSubmission<'a> {
    /// The submission.
    pub submission: &'a Submission,
    /// How to build it, or why this machine cannot.
    pub prepared: Result<Prepared, JudgeError>,
}

/// What came of one submission.
#[derive(Debug)]
pub enum Judged {
    /// It has its judgement.
    Judgement(Box<Judgement>),
    /// The judge failed on it.
    Failed(JudgeError),
}

impl Judged {
    /// The judgement, unless the judge failed.
    pub fn judgement(&self) -> Option<&Judgement> {
        match self {
            Self::Judgement(judgement) => Some(judgement),
            Self::Failed(_) => None,
        }
    }
}

/// What is known of one submission so far.
#[derive(Default)]
struct Known {
    runnable: Option<Arc<Runnable>>,
    compiler: Option<CompilerReport>,
    cases: Vec<Option<CaseJudgement>>,
    failed: Vec<Failure>,
    announced: bool,
}

/// A fault of the judge, and the case on which it came; the first one where it came before any.
struct Failure {
    case: usize,
    error: JudgeError,
}

struct State {
    plan: Plan,
    known: Vec<Known>,
    /// How many submissions have been handed out.
    handed_out: usize,
    results: Vec<Judged>,
    /// Why the session was cut short.
    stop: Option<Stop>,
}

struct Shared<'s, 'a> {
    session: &'s Session<'a>,
    state: Mutex<State>,
    changed: Condvar,
}

impl Session<'_> {
    /// Judges all submissions. Each judgement is an event as soon as it and all before it are there.
    ///
    /// # Errors
    /// When it was cut short. A fault of the judge is a result of the submission on which it came.
    pub fn run(&self) -> Result<Vec<Judged>, Stop> {
        let known =
            || Known { cases: (0..self.cases.len()).map(|_| None).collect(), ..Known::default() };
        let shared = Shared {
            session: self,
            state: Mutex::new(State {
                plan: Plan::new(self.schedule.clone(), self.entries.len()),
                known: self.entries.iter().map(|_| known()).collect(),
                handed_out: 0,
                results: Vec::new(),
                stop: None,
            }),
            changed: Condvar::new(),
        };
        parallel::on_threads(self.bench.executor.slots(), || shared.work());
        let state = shared.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.stop.map_or(Ok(state.results), Err)
    }
}

impl Shared<'_, '_> {
    fn work(&self) {
        while let Some(step) = self.next_step() {
            match step {
                Step::Build { submission } => self.build(submission),
                Step::Run { submission, case } => self.judge(submission, case),
            }
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Waits for a step that can be started. `None` at the end.
    fn next_step(&self) -> Option<Step> {
        let mut state = self.lock();
        loop {
            if state.stop.is_some() || state.plan.is_finished() {
                return None;
            }
            if let Some(step) = state.plan.next_step() {
                return Some(step);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn build(&self, submission: usize) {
        let built = self.built(&self.session.entries[submission]);
        let mut state = self.lock();
        let known = &mut state.known[submission];
        match built {
            Ok(Built::Program(runnable)) => {
                known.compiler.clone_from(&runnable.compiler);
                known.runnable = Some(Arc::from(runnable));
                state.plan.built(submission);
            }
            Ok(Built::Rejected(report)) => {
                known.compiler = Some(*report);
                state.plan.abandon(submission);
            }
            Err(Stop::Fault(error)) => {
                known.failed.push(Failure { case: 0, error });
                state.plan.abandon(submission);
            }
            Err(stop) => return state.stop = Some(stop),
        }
        self.hand_out(&mut state);
    }

    fn built(&self, entry: &PreparedSubmission<'_>) -> Result<Built, Stop> {
        let prepared = entry.prepared.as_ref().map_err(Clone::clone)?;
        let Session { bench, rules, .. } = self.session;
        if let Some(cause) = refusal(bench.problem, prepared) {
            return Ok(Built::Rejected(Box::new(CompilerReport::refused(cause))));
        }
        let build_limits = Limits::of_compiler(&bench.problem.limits);
        bench.build(&entry.submission.name, prepared, &build_limits, &rules.limits)
    }

    fn judge(&self, submission: usize, case: usize) {
        let entry = self.session.entries[submission].submission;
        let (runnable, time_limit_mode) = {
            let mut state = self.lock();
            let known = &mut state.known[submission];
            if !known.announced {
                known.announced = true;
                (self.session.bench.events)(Event::SubmissionStarted {
                    submission: entry.name.clone(),
                    test_cases: self.session.cases.len(),
                });
            }
            (known.runnable.clone(), self.time_limit_mode(entry, known, case))
        };
        let Some(runnable) = runnable else { return };
        let prepared = self.session.entries[submission].prepared.as_ref();
        let plan = prepared.ok().map(|prepared| &prepared.plan);
        let judged = judge_case(
            self.session.bench.executor,
            &self.session.rules,
            &Entry {
                submission: &entry.name,
                runnable: &runnable,
                language: plan.map_or("", |plan| plan.written.word()),
                entry_point: plan
                    .and_then(|plan| plan.entry_point.as_deref())
                    .unwrap_or(&entry.program.name),
                time_limit_mode,
            },
            &self.session.cases[case],
        );
        let mut state = self.lock();
        match judged {
            Ok(judged) => {
                (self.session.bench.events)(Event::CaseJudged {
                    submission: self.session.entries[submission].submission.name.clone(),
                    test_case: judged.test_case.clone(),
                    verdict: judged.verdict,
                    cpu_time: judged.outcome.as_ref().map_or(Duration::ZERO, |it| it.cpu_time),
                });
                let end = score::end(&judged);
                state.known[submission].cases[case] = Some(judged);
                state.plan.finished(submission, case, end);
            }
            Err(Stop::Fault(error)) => match runnable.unstartable(&error) {
                Some(cause) => {
                    state.known[submission].compiler = Some(CompilerReport::refused(cause));
                    state.plan.finished(submission, case, CaseEnd::Rejected);
                    state.plan.abandon(submission);
                }
                None => {
                    state.known[submission].failed.push(Failure { case, error });
                    state.plan.finished(submission, case, CaseEnd::Failed);
                }
            },
            Err(stop) => return state.stop = Some(stop),
        }
        self.hand_out(&mut state);
    }

    /// How far a submission is run on a case.
    fn time_limit_mode(
        &self,
        submission: &Submission,
        known: &Known,
        case: usize,
    ) -> TimeLimitMode {
        let case = &self.session.cases[case].test_case.name;
        let slow = self.session.rules.stop_slow_at.cpu_time;
        let judged = known.cases.iter().flatten();
        match time_limit::needs_margin(submission, case, judged, slow.unwrap_or_default()) {
            true => TimeLimitMode::TooSlow,
            false => TimeLimitMode::Any,
        }
    }

    /// Hands out the results of submissions that are complete, in their order.
    fn hand_out(&self, state: &mut State) {
        while state.handed_out < self.session.entries.len()
            && state.plan.is_complete(state.handed_out)
        {
            let index = state.handed_out;
            state.handed_out += 1;
            let needed = state.plan.needed(index);
            let known = std::mem::take(&mut state.known[index]);
            let judged = self.judgement(self.session.entries[index].submission, known, &needed);
            (self.session.bench.events)(match &judged {
                Judged::Judgement(judgement) => Event::SubmissionJudged(judgement.clone()),
                Judged::Failed(error) => Event::SubmissionFailed {
                    submission: self.session.entries[index].submission.name.clone(),
                    error: error.clone(),
                },
            });
            state.results.push(judged);
        }
    }

    fn judgement(&self, submission: &Submission, known: Known, needed: &[bool]) -> Judged {
        // What is not needed does not count, whether it was started or not.
        let mut failed = known.failed;
        failed.retain(|failure| needed.get(failure.case) != Some(&false));
        if let Some(first) = failed.into_iter().min_by_key(|failure| failure.case) {
            return Judged::Failed(first.error);
        }
        let cases = known.cases.into_iter().zip(needed);
        let cases: Vec<CaseJudgement> =
            cases.filter_map(|(case, needed)| case.filter(|_| *needed)).collect();
        let is_refused = known.compiler.as_ref().is_some_and(|report| report.refusal.is_some());
        let score = match self.score(&cases, is_refused) {
            Ok(score) => score,
            Err(error) => return Judged::Failed(error),
        };
        let verdict = match is_refused {
            true => Verdict::CompileError,
            false => cases
                .iter()
                .map(|case| case.verdict)
                .find(|verdict| *verdict != Verdict::Accepted)
                .unwrap_or(Verdict::Accepted),
        };
        let mut judgement = Judgement {
            submission: submission.name.clone(),
            verdict,
            score,
            skipped: self.session.cases.len() - cases.len(),
            cases,
            compiler: known.compiler,
            broken: Vec::new(),
        };
        let all = self.session.bench.problem.test_data.judged();
        let all: Vec<&str> = all.iter().map(|case| &*case.test_case().name).collect();
        judgement.broken = expect::broken(&submission.expectations, &judgement, &all);
        Judged::Judgement(Box::new(judgement))
    }

    /// What the cases come to.
    fn score(
        &self,
        cases: &[CaseJudgement],
        is_refused: bool,
    ) -> Result<Option<TotalScore>, JudgeError> {
        let Some(scheme) = self.session.scheme else { return Ok(None) };
        if is_refused {
            return Ok(Some(scheme.nothing()));
        }
        let fault = |what: String| {
            JudgeError::new("add up the score", what)
                .help("mend the package: its output validator, or the settings of its groups")
        };
        score::one_kind_of_file(cases).map_err(fault)?;
        let results: HashMap<&str, CaseResult> =
            cases.iter().map(|case| (case.test_case.as_str(), CaseResult::of(case))).collect();
        let total = scheme.total(|name| results.get(name).copied());
        total.map(Some).map_err(fault)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::problem::Interaction;
    use std::ffi::OsString;
    use std::fs;
    use std::path::{Path, PathBuf};

    use crate::build::Builder;
    use crate::check::options::Options;
    use crate::executor::scripted::{Scripted, quiet_outcome};
    use crate::judge::case::Detail;
    use crate::model::blob::Blob;
    use crate::model::job::{Job, Reply};
    use crate::model::outcome::{Ending, Outcome, Signal};
    use crate::model::problem::ProgramIo;
    use crate::model::program::{Program, ProgramKind};
    use crate::model::score::CaseScoring;
    use crate::model::test_data::{TestCase, ValidatorArgs};
    use crate::plan::schedule::Until;

    /// What a scripted submission does on a case, by one letter.
    ///
    /// `a` is right, `w` is wrong, `s` crashes, `j` is a fault of the judge, `i` an interruption.
    fn answer(letter: char, job: &Job) -> Result<Reply, Stop> {
        let input = job.stdin.path().expect("a case has its input in a file");
        let right = fs::read(input.with_extension("ans")).unwrap();
        let reply = |outcome: Outcome, stdout: Vec<u8>| {
            Ok(Reply {
                outcome,
                stdout: stdout.into(),
                stderr: Blob::default(),
                collected: Vec::new(),
                kept: None,
            })
        };
        match letter {
            'a' => reply(quiet_outcome(), right),
            'w' => reply(quiet_outcome(), b"nonsense\n".to_vec()),
            's' => reply(
                Outcome { ending: Ending::Signalled(Signal(11)), ..quiet_outcome() },
                Vec::new(),
            ),
            'j' => Err(JudgeError::new("mount the box", "no memory").into()),
            _ => Err(Stop::Interrupted),
        }
    }

    fn test_case(dir: &Path, index: usize) -> TestCase {
        let input = dir.join(format!("{index}.in"));
        let answer = dir.join(format!("{index}.ans"));
        fs::write(&input, "").unwrap();
        fs::write(&answer, format!("{index}\n")).unwrap();
        TestCase {
            name: format!("secret/{index}"),
            input,
            answer: Some(answer),
            output: None,
            interaction: None,
            files: Vec::new(),
            args: Vec::new(),
            input_validator_args: ValidatorArgs::default(),
            output_validator_args: Vec::new(),
        }
    }

    fn submission(name: &str) -> Submission {
        Submission {
            name: name.to_owned(),
            program: Program {
                name: name.to_owned(),
                path: PathBuf::from(name),
                kind: ProgramKind::Submission,
                language: None,
                entry_point: None,
                include: Vec::new(),
                constants: Vec::new(),
            },
            expectations: Vec::new(),
        }
    }

    fn shown(judged: &Judged) -> String {
        match judged {
            Judged::Failed(error) => format!("judge error: {error}"),
            Judged::Judgement(judgement) => {
                let cases: Vec<&str> =
                    judgement.cases.iter().map(|case| case.verdict.short()).collect();
                let cases = cases.join(" ");
                format!("{}: {cases}, {} skipped", judgement.verdict, judgement.skipped)
            }
        }
    }

    /// Judges submissions whose behaviour is written as a letter a case; the name of each is its
    /// behaviour, which its command line carries as an argument.
    fn check(until: Until, scripts: &[&str], expected: &[&str]) {
        for slots in 1..4 {
            let dir = tempfile::tempdir().unwrap();
            let executor = Scripted::new(slots, |job: &Job| {
                let input = job.stdin.path().expect("a case has its input in a file");
                let index = input.file_stem().unwrap().to_str().unwrap();
                let script = job.command.argv.last().unwrap();
                answer(script.as_bytes()[index.parse::<usize>().unwrap()].into(), job)
            });
            let builder = Builder::new(&executor);
            let submissions: Vec<Submission> =
                scripts.iter().map(|name| submission(name)).collect();
            let entries: Vec<PreparedSubmission<'_>> = submissions
                .iter()
                .map(|submission| {
                    let argv = ["/bin/sh".into(), OsString::from(&submission.name)];
                    PreparedSubmission {
                        submission,
                        prepared: Ok(builder.prepare_command(&argv, dir.path()).unwrap()),
                    }
                })
                .collect();
            let cases: Vec<TestCase> =
                (0..scripts[0].len()).map(|index| test_case(dir.path(), index)).collect();
            let ready: Vec<ReadyCase<'_>> = cases
                .iter()
                .map(|test_case| ReadyCase {
                    test_case,
                    static_args: None,
                    scoring: CaseScoring::Ignored,
                    options: Options::default(),
                    texts: None,
                })
                .collect();
            let problem = Problem::default();
            let told = Mutex::new(Vec::new());
            let tell = |event| match event {
                Event::SubmissionJudged(judgement) => {
                    told.lock().unwrap().push(shown(&Judged::Judgement(judgement)));
                }
                Event::SubmissionFailed { error, .. } => {
                    told.lock().unwrap().push(shown(&Judged::Failed(error)));
                }
                _ => {}
            };
            let session = Session {
                bench: Bench {
                    problem: &problem,
                    executor: &executor,
                    builder: &builder,
                    events: &tell,
                },
                rules: Rules {
                    io: &ProgramIo::Standard,
                    allow_file_writing: false,
                    limits: Limits::default(),
                    stop_slow_at: Limits::default(),
                    validators: &[],
                    static_validator: None,
                    interaction: Interaction::None,
                    passes: 1,
                    repeat: String::new(),
                    detail: Detail::Brief,
                },
                entries: &entries,
                cases: &ready,
                schedule: Schedule::single(cases.len(), until),
                scheme: None,
            };
            let results = session.run();
            let mut lines = told.into_inner().unwrap();
            match results {
                Ok(results) => {
                    assert_eq!(results.iter().map(shown).collect::<Vec<_>>(), lines);
                }
                Err(stop) => {
                    assert_eq!(stop, Stop::Interrupted);
                    lines.push("interrupted".to_owned());
                }
            }
            assert_eq!(lines, expected, "{slots} slots");
        }
    }

    #[test]
    fn results_are_the_same_on_any_number_of_slots() {
        check(
            Until::Never,
            &["aaaa", "awsa", "ssss"],
            &[
                "AC: AC AC AC AC, 0 skipped",
                "WA: AC WA RTE AC, 0 skipped",
                "RTE: RTE RTE RTE RTE, 0 skipped",
            ],
        );
        check(
            Until::Rejection,
            &["aaaa", "awsa", "ssss"],
            &["AC: AC AC AC AC, 0 skipped", "WA: AC WA, 2 skipped", "RTE: RTE, 3 skipped"],
        );
    }

    #[test]
    fn a_fault_of_the_judge_takes_the_verdict_away() {
        check(
            Until::Never,
            &["aja", "aaa"],
            &["judge error: mount the box: no memory", "AC: AC AC AC, 0 skipped"],
        );
    }

    #[test]
    fn a_fault_behind_the_first_rejection_is_not_looked_at() {
        check(Until::Rejection, &["awjj"], &["WA: AC WA, 2 skipped"]);
        check(Until::Rejection, &["ajww"], &["judge error: mount the box: no memory"]);
    }

    #[test]
    fn an_interruption_ends_it_without_a_verdict() {
        check(Until::Never, &["iii", "iii"], &["interrupted"]);
    }
}
