//! One cross-check: the reference and the submission run on the same input, and the verdict.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::search::arena::Arena;
use crate::search::output_batches::WrittenOutput;
use crate::search::problem_inputs::quote_input;
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::{CaseJudgement, JudgeError};
use juror_core::outcome::Outcome;
use juror_core::stop::Stop;
use juror_core::verdict::Verdict;
use juror_judging::build::Runnable;
use juror_judging::judge::case::{Detail, ReadyCase, ReadySubmission, Rules, TimeLimitMode};
use juror_judging::judge::case_run::judge_case;
use juror_judging::judge::output::{
    KnownOutputVerdict, OutputRunner, ProgramOutput, judge_known_output,
};
use juror_sandbox::executor::Executor;

#[derive(Clone, Copy)]
pub struct CrossCheck<'a> {
    pub arena: &'a Arena<'a>,
    pub reference: &'a Runnable,
    pub submission: &'a Runnable,
    /// The executor of the submission, if it differs from that of all other programs.
    pub submission_executor: Option<&'a dyn Executor>,
}

#[derive(Debug)]
pub enum CrossCheckResult {
    Same(ProgramTimes),
    Differs(Box<CaseJudgement>),
    /// There is no answer to compare with.
    NoAnswer(UnusableReason),
}

/// CPU time of both programs on an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramTimes {
    pub submission: Duration,
    /// `None` if its answer was known.
    pub reference: Option<Duration>,
}

/// Why an input proves nothing about a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusableReason {
    /// The reference exceeds the time limit.
    TooSlow,
    Reference(Verdict, String),
    /// The solution that makes judge answers fails, in this way.
    Solution(String),
    Validator(Box<JudgeError>),
    /// Another run of the reference writes something else.
    Disagreement,
    /// The checker rejects the reference's own output, with these messages.
    Checker(Vec<u8>),
    /// The generator made no input.
    Generator(Box<Diagnostic>),
}

impl fmt::Display for UnusableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSlow => f.write_str("too slow"),
            Self::Reference(verdict, cause) => write!(f, "{verdict}, {cause}"),
            Self::Solution(what) => f.write_str(what),
            Self::Validator(error) => write!(f, "{error}"),
            Self::Disagreement => f.write_str("another run writes another output"),
            Self::Checker(_) => f.write_str("the checker rejects its output"),
            Self::Generator(diagnostic) => f.write_str(&diagnostic.message),
        }
    }
}

/// An answer, and the CPU time of the reference if it ran.
type TimedAnswer = (Arc<[u8]>, Option<Duration>);

impl<'a> CrossCheck<'a> {
    pub fn new(arena: &'a Arena<'a>, reference: &'a Runnable, submission: &'a Runnable) -> Self {
        Self { arena, reference, submission, submission_executor: None }
    }

    /// Whether only the output validator decides, so that there is no reference output to compare with.
    pub fn is_judged(&self) -> bool {
        self.arena.inputs.is_judged()
    }

    pub fn executor_of_submission(&self) -> &dyn Executor {
        self.submission_executor.unwrap_or(self.arena.bench.executor)
    }

    /// A submission that is too slow may run longer, to measure how slow it is.
    ///
    /// Both programs run on the caller's thread, one after the other, with nothing on disk.
    pub fn check(&self, input: &Arc<[u8]>, mode: TimeLimitMode) -> Result<CrossCheckResult, Stop> {
        let (answer, reference_time) = match self.timed_answer(input)? {
            Ok(answer) => answer,
            Err(unusable) => return Ok(CrossCheckResult::NoAnswer(unusable)),
        };
        let program = (self.submission, self.executor_of_submission());
        let known = Arc::clone(&answer);
        let judgement = match self.judge(self.arena.rules, program, mode, input, answer) {
            Err(stop) => return Ok(CrossCheckResult::NoAnswer(UnusableReason::from_stop(stop)?)),
            Ok(judgement) => judgement,
        };
        if judgement.verdict == Verdict::WrongAnswer
            && let Some(outcome) = &judgement.outcome
            && let Some(objection) = self.checker_objection(input, known, outcome)?
        {
            return Ok(CrossCheckResult::NoAnswer(objection));
        }
        Ok(match judgement.verdict {
            Verdict::Accepted => {
                let submission = judgement.outcome.map(|run| run.cpu_time).unwrap_or_default();
                CrossCheckResult::Same(ProgramTimes { submission, reference: reference_time })
            }
            _ => CrossCheckResult::Differs(Box::new(judgement)),
        })
    }

    /// Why a rejection by a checker of the command line means nothing: it does not accept the answer itself.
    fn checker_objection(
        &self,
        input: &Arc<[u8]>,
        answer: Arc<[u8]>,
        outcome: &Outcome,
    ) -> Result<Option<UnusableReason>, Stop> {
        if !self.arena.inputs.has_given_checker || self.is_judged() {
            return Ok(None);
        }
        let output = answer.to_vec();
        match self.judge_output(self.reference, input, answer, outcome, output) {
            Ok(judgement) if judgement.verdict == Verdict::Accepted => Ok(None),
            Ok(judgement) => Ok(Some(UnusableReason::Checker(judgement.validator_stderr))),
            Err(stop) => UnusableReason::from_stop(stop).map(Some),
        }
    }

    /// Why an answer proves nothing: the reference, run again, fails or disagrees with it.
    pub fn reference_objection(&self, input: &Arc<[u8]>) -> Result<Option<UnusableReason>, Stop> {
        if !self.arena.inputs.has_reference {
            return Ok(None);
        }
        let Ok(answer) = self.answer(input)? else { return Ok(None) };
        if self.is_judged() {
            let CaseJudgement { verdict, cause, .. } = match self.judge_reference(input, answer) {
                Err(stop) => return UnusableReason::from_stop(stop).map(Some),
                Ok(judgement) => judgement,
            };
            let is_rejected = verdict != Verdict::Accepted;
            return Ok(is_rejected.then(|| UnusableReason::from_rejection(verdict, cause)));
        }
        let run = self.run(self.reference, input)?;
        if let Some(rejected) = run.rejected {
            return Ok(Some(UnusableReason::from_rejection(rejected.verdict, rejected.cause)));
        }
        let output = run.bytes(u64::MAX)?;
        let is_same = output == *answer || self.accepts(input, &answer, &run, &output)?;
        Ok((!is_same).then_some(UnusableReason::Disagreement))
    }

    pub fn answer(&self, input: &Arc<[u8]>) -> Result<Result<Arc<[u8]>, UnusableReason>, Stop> {
        Ok(self.timed_answer(input)?.map(|(answer, _)| answer))
    }

    fn timed_answer(&self, input: &Arc<[u8]>) -> Result<Result<TimedAnswer, UnusableReason>, Stop> {
        if let Some(known) = self.arena.known_answers.get(input) {
            return Ok(Ok((known, None)));
        }
        let mut time = None;
        let answer: Arc<[u8]> = match (self.is_judged(), &self.arena.solution) {
            (false, _) => {
                let run = self.run(self.reference, input)?;
                if let Some(rejected) = run.rejected {
                    return Ok(Err(UnusableReason::from_rejection(
                        rejected.verdict,
                        rejected.cause,
                    )));
                }
                time = Some(run.outcome.cpu_time);
                run.bytes(u64::MAX)?.into()
            }
            (true, Some(solution)) => {
                let content = Blob::from(Arc::clone(input));
                match solution.answer(content)? {
                    Ok(answer) => answer
                        .read()
                        .map_err(|error| JudgeError::new("read the answer", error))?
                        .into(),
                    Err(failure) => return Ok(Err(UnusableReason::Solution(failure.message))),
                }
            }
            // The output validator does not need it.
            (true, None) => Arc::from([]),
        };
        if self.is_judged() && self.arena.inputs.has_reference {
            let judgement = match self.judge_reference(input, Arc::clone(&answer)) {
                Err(stop) => return Ok(Err(UnusableReason::from_stop(stop)?)),
                Ok(judgement) => judgement,
            };
            time = judgement.outcome.as_ref().map(|outcome| outcome.cpu_time);
            if judgement.verdict != Verdict::Accepted {
                return Ok(Err(if judgement.is_deadlocked() {
                    UnusableReason::Reference(judgement.verdict, judgement.cause)
                } else {
                    UnusableReason::from_rejection(judgement.verdict, judgement.cause)
                }));
            }
        }
        self.arena.known_answers.insert(input, &answer);
        Ok(Ok((answer, time)))
    }

    /// Judges the submission, and collects all details that are shown about a rejection.
    pub fn judge_in_detail(&self, input: &Arc<[u8]>) -> Result<Option<CaseJudgement>, Stop> {
        let Ok(answer) = self.answer(input)? else { return Ok(None) };
        let rules = Rules { detail: Detail::Full, keep: None, ..self.arena.rules.clone() };
        let program = (self.submission, self.executor_of_submission());
        self.judge(&rules, program, TimeLimitMode::Any, input, answer).map(Some)
    }

    pub fn run(&self, runnable: &Runnable, input: &Arc<[u8]>) -> Result<ProgramOutput, Stop> {
        self.output_runs().run(runnable, input)
    }

    pub fn output_runs(&self) -> OutputRunner<'_> {
        let Arena { bench, rules, inputs, .. } = self.arena;
        OutputRunner { executor: bench.executor, rules, test_case: &inputs.test_case }
    }

    /// Judges an output of a run that kept its limits.
    fn judge_output(
        &self,
        program: &Runnable,
        input: &Arc<[u8]>,
        answer: Arc<[u8]>,
        outcome: &Outcome,
        output: Vec<u8>,
    ) -> Result<KnownOutputVerdict, Stop> {
        let case = self.ready_case(input, answer);
        let entry = ReadySubmission::without_name(program, TimeLimitMode::Any);
        let Arena { bench, rules, .. } = self.arena;
        judge_known_output(bench.executor, rules, &entry, &case, outcome, output)
    }

    /// Whether an output of the submission is accepted. Its run kept the limits. `false` if this cannot be decided
    /// here: then a run on this input alone decides.
    pub fn accepts(
        &self,
        input: &Arc<[u8]>,
        answer: &[u8],
        run: &ProgramOutput,
        output: &[u8],
    ) -> Result<bool, Stop> {
        if output == answer && self.arena.rules.validators.output.is_empty() {
            return Ok(true);
        }
        let (outcome, output) = (&run.outcome, output.to_vec());
        match self.judge_output(self.submission, input, answer.into(), outcome, output) {
            Ok(judgement) => Ok(judgement.verdict == Verdict::Accepted),
            Err(Stop::Fault(_)) => Ok(false),
            Err(stop) => Err(stop),
        }
    }

    /// [`CrossCheck::accepts`] for many outputs.
    pub fn accepts_each(
        &self,
        run: &ProgramOutput,
        outputs: &[WrittenOutput<'_>],
    ) -> Result<Vec<bool>, Stop> {
        let alone = || {
            let each = outputs.iter();
            each.map(|one| self.accepts(one.input, one.answer, run, one.output)).collect()
        };
        self.arena.output_batches.accepts_each(outputs, alone)
    }

    fn ready_case(&self, input: &Arc<[u8]>, answer: Arc<[u8]>) -> ReadyCase<'_> {
        let inputs = self.arena.inputs;
        let input = Arc::clone(input).into();
        ReadyCase::without_score(&inputs.test_case, inputs.options, input, answer.into())
    }

    /// Adds the input to a fault of the package's own validator: the input is not in a file.
    fn add_input_to_fault(&self, mut error: JudgeError, input: &[u8]) -> JudgeError {
        if error.program.is_some() {
            let is_empty = self.is_judged() && self.arena.solution.is_none();
            let answer = if is_empty { ", the judge answer is empty" } else { "" };
            error.reason = format!("{}; the input is {}{answer}", error.reason, quote_input(input));
        }
        error
    }

    fn judge_reference(&self, input: &Arc<[u8]>, answer: Arc<[u8]>) -> Result<CaseJudgement, Stop> {
        let program = (self.reference, self.arena.bench.executor);
        self.judge(self.arena.rules, program, TimeLimitMode::Any, input, answer)
    }

    fn judge(
        &self,
        rules: &Rules<'_>,
        (runnable, executor): (&Runnable, &dyn Executor),
        time_limit_mode: TimeLimitMode,
        input: &Arc<[u8]>,
        answer: Arc<[u8]>,
    ) -> Result<CaseJudgement, Stop> {
        let case = self.ready_case(input, answer);
        let entry = ReadySubmission::without_name(runnable, time_limit_mode);
        match judge_case(executor, rules, &entry, &case) {
            Err(Stop::Fault(error)) => match runnable.start_failure(&error) {
                None => Err(self.add_input_to_fault(error, input).into()),
                Some(cause) => Err(JudgeError::new("start the submission", cause).into()),
            },
            judgement => judgement,
        }
    }
}

impl UnusableReason {
    /// For a reference that is not accepted.
    fn from_rejection(verdict: Verdict, cause: String) -> Self {
        match verdict {
            Verdict::TimeLimitExceeded => Self::TooSlow,
            _ => Self::Reference(verdict, cause),
        }
    }

    /// For an output validator that breaks down. All other stops are returned as errors.
    fn from_stop(stop: Stop) -> Result<Self, Stop> {
        match stop {
            Stop::Fault(error) if error.program.is_some() => Ok(Self::Validator(Box::new(error))),
            stop => Err(stop),
        }
    }
}
