//! Runs a submission on a test case, pass by pass, and judges the result.

use std::path::PathBuf;
use std::time::Duration;

use crate::judge::case::{
    CaseJudge, Detail, Pass, PassResult, PassRun, ReadyCase, ReadySubmission, Rules, TimeLimitMode,
    ValidatorFeedback, ValidatorMessages, pass_job,
};
use crate::judge::classify::{VerdictWithCause, classify};
use crate::judge::evidence::{add_feedback, add_input, add_run, stderr_alone};
use crate::judge::kept_files::{save_run, save_transcript};
use crate::judge::repetition::{SettledRun, settle};
use crate::judge::score;
use crate::judge::transcript::pass_transcript;
use juror_core::joint::Transcript;
use juror_core::judgement::{CaseJudgement, Evidence, JudgeError, ResultWithMargin};
use juror_core::limits::Limits;
use juror_core::outcome::Outcome;
use juror_core::problem::Interaction;
use juror_core::repeats::Repeats;
use juror_core::stop::Stop;
use juror_core::verdict::Verdict;
use juror_core::work::Work;
use juror_sandbox::executor::Executor;

/// Runs a submission on a test case and judges the result.
pub fn judge_case(
    executor: &dyn Executor,
    rules: &Rules<'_>,
    entry: &ReadySubmission<'_>,
    case: &ReadyCase<'_>,
) -> Result<CaseJudgement, Stop> {
    let judge = CaseJudge { executor, rules, entry, case };
    if let Some(args) = case.static_args {
        return judge.run_static_validator(args);
    }
    if let Some(files) = entry.runnable.submitted_answers() {
        return judge.judge_answer_file(files);
    }
    let mut pass = Pass::first(case.input.clone());
    let mut maximum: Option<Outcome> = None;
    let mut repeats: Option<Box<Repeats>> = None;
    loop {
        let PassRun { reply, mut judged, box_path, repeats: new_repeats } =
            judge.run_pass(&pass)?;
        if repeats.as_ref().is_none_or(|known| !known.is_sensitive) {
            repeats = new_repeats.or(repeats);
        }
        let outcome = with_maximum(maximum.take(), &reply.outcome);
        if let Some(next) = judged.next {
            maximum = Some(outcome);
            pass = next;
            continue;
        }
        if judged.feedback.is_none() && pass.messages != ValidatorMessages::default() {
            // The last pass ended before the validator was asked.
            judged.feedback =
                Some(ValidatorFeedback::with_messages(&pass.messages.judge, &pass.messages.team));
        }
        if pass.number > 1 && judged.classified.verdict != Verdict::Accepted {
            let cause = &mut judged.classified.cause;
            *cause = format!("in pass {}: {cause}", pass.number);
        }
        judge.add_hint(&pass, &reply, &mut judged);
        let mut judged = judge.complete(judged, Some(outcome), |judged, evidence| {
            add_run(evidence, rules, case, judged, &reply)?;
            add_input(evidence, case, &pass, box_path.as_ref())?;
            evidence.kept = box_path.map(PathBuf::from);
            Ok(())
        })?;
        // A crash's cause is what the program wrote.
        let is_cause = judged.verdict == Verdict::RunTimeError;
        let is_asked = is_cause || rules.detail == Detail::FullWithStderr;
        if judged.evidence.is_none() && is_asked {
            judged.evidence = stderr_alone(&reply)?;
        }
        return Ok(judge.with_repeats(judged, repeats));
    }
}

/// The facts of the last pass, but the highest times and memory of all passes: limits apply to each pass.
fn with_maximum(earlier: Option<Outcome>, last: &Outcome) -> Outcome {
    let mut outcome = last.clone();
    if let Some(earlier) = earlier {
        outcome.cpu_time = outcome.cpu_time.max(earlier.cpu_time);
        outcome.wall_time = outcome.wall_time.max(earlier.wall_time);
        outcome.peak_memory = outcome.peak_memory.max(earlier.peak_memory);
    }
    outcome
}

impl CaseJudge<'_> {
    fn with_repeats(&self, judged: CaseJudgement, repeats: Option<Box<Repeats>>) -> CaseJudgement {
        let mut judged = CaseJudgement { repeats, ..judged };
        let verdict = Verdict::TimeLimitExceeded;
        if judged.is_sensitive() && judged.verdict != verdict {
            let score = score::score_by_rules(self.case.scoring, verdict);
            judged.with_margin = Some(ResultWithMargin { verdict, score });
        }
        judged
    }

    /// Completes the judgement. `gather` adds evidence if it is shown.
    pub(super) fn complete(
        &self,
        judged: PassResult,
        outcome: Option<Outcome>,
        gather: impl FnOnce(&PassResult, &mut Evidence) -> Result<(), JudgeError>,
    ) -> Result<CaseJudgement, Stop> {
        let is_shown = self.rules.detail != Detail::Brief;
        let is_compared = self.case.options.compares();
        let mut evidence = None;
        if is_shown && !(judged.classified.verdict == Verdict::Accepted && is_compared) {
            let repeat =
                self.rules.repeat.for_run(self.entry.submission, &self.case.test_case.name);
            let mut all = Evidence { repeat, ..Evidence::default() };
            let visualizers = &self.rules.validators.visualizers;
            visualizers.add_input(self, &mut all)?;
            add_feedback(&mut all, &judged, visualizers);
            gather(&judged, &mut all)?;
            evidence = Some(Box::new(all));
        }
        let VerdictWithCause { verdict, cause } = judged.classified;
        // The cause is the message of the default output validator. If the program failed, no validator was asked.
        let has_message = matches!(verdict, Verdict::Accepted | Verdict::WrongAnswer);
        let feedback = judged.feedback.unwrap_or_else(|| ValidatorFeedback {
            message: if has_message { cause.clone() } else { String::new() },
            cause_includes_message: true,
            ..ValidatorFeedback::default()
        });
        Ok(CaseJudgement {
            test_case: self.case.test_case.name.clone(),
            verdict,
            message: feedback.message,
            cause_includes_message: feedback.cause_includes_message,
            team_message: feedback.team_message,
            score: judged.score.or_else(|| score::score_by_rules(self.case.scoring, verdict)),
            with_margin: judged.with_margin,
            repeats: None,
            cause,
            difference: judged.difference,
            is_compared,
            remark: judged.remark,
            evidence,
            outcome,
        })
    }

    /// Runs and judges one pass. The output counts only if the facts of the run decide nothing.
    fn run_pass(&self, pass: &Pass) -> Result<PassRun, Stop> {
        let Rules { problem, validators, .. } = self.rules;
        let partner = validators.interactor.as_ref().or(validators.output.first());
        if let (Interaction::Interactive, Some(partner)) = (problem.kind.interaction, partner) {
            return self.run_interactive(partner, pass);
        }
        let work = Work::from(pass_job(self.rules, self.entry, self.case.test_case, pass));
        let run = |mode| self.executor.run(&work, mode)?.single();
        let box_path = self.box_path(pass.number, "");
        let limits = self.entry.limits(self.rules);
        let settled = || {
            settle(self.entry.repetition, &limits, run, |reply| (&reply.outcome, Duration::ZERO))
        };
        let SettledRun { reply, repeats } = match &self.rules.run_log {
            None => settled()?,
            Some(log) => {
                let which = (&*self.case.test_case.name, pass.number);
                log.settle(which, &pass.input, &limits, settled)?
            }
        };
        if let Some(box_path) = &box_path {
            save_run(box_path, &pass.input, &reply)?;
        }
        let is_shown = problem.kind.passes > 1 && self.rules.detail != Detail::Brief;
        let transcript =
            if is_shown { Some(pass_transcript(&problem.io, pass, &reply)?) } else { None };
        transcript.iter().try_for_each(|transcript| self.keep_transcript(pass, transcript))?;
        let is_sensitive = repeats.as_ref().is_some_and(|repeats| repeats.is_sensitive);
        let mut judged =
            self.within_margin(is_sensitive, |limits| match classify(&reply.outcome, limits) {
                Some(rejected) => Ok(self.note_right_output(pass, &reply, rejected).into()),
                None => self.judge_output(pass, &reply),
            })?;
        self.note_other_output(pass, &reply, &mut judged);
        Ok(PassRun { reply, judged: PassResult { transcript, ..judged }, box_path, repeats })
    }

    /// Judges a run by its limits. If it was too slow, it is also judged with the margin, if that is wanted, or
    /// without a time limit, if another run might keep it.
    pub(super) fn within_margin(
        &self,
        is_sensitive: bool,
        judge: impl Fn(&Limits) -> Result<PassResult, Stop>,
    ) -> Result<PassResult, Stop> {
        let limits = self.entry.limits(self.rules);
        let mut judged = judge(&limits)?;
        let is_slow = judged.classified.verdict == Verdict::TimeLimitExceeded;
        let wider = match self.entry.time_limit_mode {
            // Otherwise the next pass would be unknown.
            _ if is_sensitive && self.rules.problem.kind.passes == 1 => {
                Some(Limits { cpu_time: None, ..limits })
            }
            TimeLimitMode::WithMargin => Some(self.entry.margin_limits(self.rules)),
            TimeLimitMode::Any | TimeLimitMode::TooSlow => None,
        };
        if let Some(wider) = wider.filter(|_| is_slow) {
            let other = judge(&wider)?;
            let verdict = other.classified.verdict;
            let score = other.score.or_else(|| score::score_by_rules(self.case.scoring, verdict));
            judged.with_margin = (verdict != Verdict::TimeLimitExceeded)
                .then_some(ResultWithMargin { verdict, score });
        }
        Ok(judged)
    }

    /// Appends the transcript of a pass to the run's, if boxes are kept.
    pub(super) fn keep_transcript(
        &self,
        pass: &Pass,
        transcript: &Transcript,
    ) -> Result<(), JudgeError> {
        match self.box_path(1, "") {
            Some(box_path) => save_transcript(&box_path, pass.number, transcript),
            None => Ok(()),
        }
    }
}
