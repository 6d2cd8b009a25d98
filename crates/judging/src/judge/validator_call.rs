//! Calls the package's output validators for an output, and its static validator for a submission.

use std::path::PathBuf;

use crate::judge::case::{
    CaseJudge, Pass, PassResult, Rules, VALIDATOR_SUFFIX, ValidatorFeedback, ValidatorMessages,
};
use crate::judge::classify::VerdictWithCause;
use crate::judge::judged_outputs::is_judge_answer;
use crate::judge::kept_files::save_box;
use crate::judge::score::{self, CaseWorth};
use crate::output_validator::response::{Contract, Opinion, Response, Worth};
use crate::output_validator::static_validator::StaticValidationRequest;
use crate::output_validator::{OutputValidator, ValidationRequest, files_for_next_pass};
use juror_core::blob::Blob;
use juror_core::job::BoxRetention;
use juror_core::judgement::{CaseJudgement, FaultyProgram, JudgeError};
use juror_core::messages::first_line_clause;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::verdict::Verdict;

/// A call of the validator for one pass: what happens to its files, and which responses are allowed.
pub(super) struct ValidatorCall {
    /// Where its box is kept for the user, if anywhere.
    pub(super) box_path: Option<FilePath>,
    /// What is returned from its box, for the user or for the next pass.
    keep: BoxRetention,
    answer: Blob,
    pub(super) contract: Contract,
}

impl ValidatorCall {
    pub(super) fn request<'a>(
        &'a self,
        judge: &CaseJudge<'a>,
        pass: &'a Pass,
        output: Blob,
    ) -> ValidationRequest<'a> {
        ValidationRequest {
            test_case: judge.case.test_case,
            args: &judge.case.test_case.output_validator_args,
            input: &pass.input,
            answer: &self.answer,
            output,
            submission: Some(judge.entry.runnable),
            earlier: &pass.earlier,
            keep: self.keep.clone(),
        }
    }

    /// The next pass, if the validator asks for one.
    ///
    /// Source: problem package format 2025-09, "Multi-pass validation".
    pub(super) fn next_pass(&self, response: &Response, pass: &Pass) -> Option<Pass> {
        let input = response.feedback.next_pass.as_ref();
        let input = input.filter(|_| response.opinion == Opinion::Accepted)?;
        let messages = ValidatorMessages {
            judge: response.feedback.judge_message.clone(),
            team: response.feedback.team_message.clone(),
        };
        // The validator made the input. All other files stay in the feedback directory.
        let earlier = files_for_next_pass(response.box_tree.as_ref()?);
        Some(Pass { number: pass.number + 1, input: input.clone(), earlier, messages })
    }

    pub(super) fn save_box(&self, response: &Response) -> Result<(), JudgeError> {
        save_box(self.box_path.as_ref(), response.box_tree.as_ref())
    }
}

impl CaseJudge<'_> {
    pub(super) fn prepare_call(&self, pass: &Pass) -> Result<ValidatorCall, Stop> {
        let box_path = self.box_path(pass.number, VALIDATOR_SUFFIX);
        // The next pass and the visualizer use the files of a pass.
        let is_read = self.rules.problem.kind.passes > 1
            || self.rules.validators.visualizers.output.is_some();
        Ok(ValidatorCall {
            keep: BoxRetention::all_or_nothing(box_path.is_some() || is_read),
            box_path,
            answer: self.case.answer()?,
            contract: Contract::of_pass(pass.number, self.rules.problem.kind.passes),
        })
    }

    /// Asks the validators in order. The result is that of the first one that does not accept the output, or of the
    /// last one.
    pub(super) fn ask_validators(&self, pass: &Pass, output: &Blob) -> Result<PassResult, Stop> {
        let none = || JudgeError::new("ask the output validators", "the package has none");
        let (first, others) = self.rules.validators.output.split_first().ok_or_else(none)?;
        let mut judged = self.ask_validator(first, pass, output)?;
        for validator in others {
            if judged.classified.verdict != Verdict::Accepted {
                break;
            }
            judged = self.ask_validator(validator, pass, output)?;
        }
        if judged.classified.verdict == Verdict::Accepted {
            let answer = self.case.answer()?;
            self.remember(|outputs, name| {
                if is_judge_answer(&answer, output) {
                    outputs.lock().accepted_answers.insert(name);
                }
            });
        }
        Ok(judged)
    }

    /// If its response is invalid, the judge has failed: nobody knows whether the output is right.
    fn ask_validator(
        &self,
        validator: &OutputValidator,
        pass: &Pass,
        output: &Blob,
    ) -> Result<PassResult, Stop> {
        let call = self.prepare_call(pass)?;
        let request = call.request(self, pass, output.clone());
        let mut response = validator.run(self.executor, request, call.contract)?;
        call.save_box(&response)?;
        self.add_output_images(pass, output, &mut response)?;
        let next = call.next_pass(&response, pass);
        let validator_response =
            ValidatorResponse { validator, response: &response, box_path: call.box_path };
        match self.judge_response(&validator_response, &pass.messages.judge, next) {
            Err(Stop::Fault(error)) if matches!(response.opinion, Opinion::Broken(_)) => {
                // Where it exceeds a limit, another run would take as long. In a stream, it is needed once.
                let is_quick = response.outcome.stopped_by.is_none();
                let is_asked = is_quick || self.case.test_case.answer.is_none();
                let help = is_asked.then(|| self.fault_by_answer(validator, pass)).transpose()?;
                Err(help.flatten().into_iter().fold(error, JudgeError::help).into())
            }
            judged => judged,
        }
    }

    /// Whose fault it is that the validator broke down, by what it does with the judge answer as the output. `None` if
    /// that says nothing.
    fn fault_by_answer(
        &self,
        validator: &OutputValidator,
        pass: &Pass,
    ) -> Result<Option<String>, Stop> {
        let Rules { problem, .. } = self.rules;
        if problem.kind.passes > 1 {
            return Ok(None);
        }
        let (kind, answer) = (validator.kind, self.case.answer()?);
        let name = match &self.case.test_case.answer {
            Some(path) => path.strip_prefix(&*problem.dir).unwrap_or(path).display().to_string(),
            None => "the judge answer".to_owned(),
        };
        let call = self.prepare_call(pass)?;
        let accepts = validator.accepts_answer(&pass.input, &answer, || {
            let request = call.request(self, pass, answer.clone());
            validator.run(self.executor, request, call.contract)
        })?;
        let does = match accepts {
            None => {
                self.remember(|outputs, name| {
                    outputs.lock().broken_answers.insert(name);
                });
                return Ok(Some(format!(
                    "it breaks down on the judge answer, too: fix the {kind}, or {name}"
                )));
            }
            Some(true) => "accepts",
            Some(false) => "rejects",
        };
        Ok(Some(format!(
            "fix the {kind}: it must accept or reject whatever a submission writes; it {does} the judge answer as an \
             output, but if this output is right, {name} may be wrong"
        )))
    }

    /// The result if the validator gave no valid response.
    pub(super) fn judge_breakdown(
        &self,
        validator_response: &ValidatorResponse<'_>,
        did: &str,
    ) -> Result<PassResult, Stop> {
        let error = self.invalid_response(validator_response, did);
        if !self.rules.rejects_on_breakdown {
            return Err(error.into());
        }
        let (kind, reason) = (validator_response.validator.kind, error.explained_reason());
        let cause = format!("the {kind} breaks down: {reason}");
        let classified = VerdictWithCause { verdict: Verdict::WrongAnswer, cause };
        let feedback = Some(validator_response.feedback());
        Ok(PassResult { feedback, ..PassResult::from(classified) })
    }

    /// The verdict and the score of a response. `earlier` is the validator's message from earlier passes.
    pub(super) fn judge_response(
        &self,
        validator_response: &ValidatorResponse<'_>,
        earlier: &[u8],
        next: Option<Pass>,
    ) -> Result<PassResult, Stop> {
        let ValidatorResponse { validator: from, response, .. } = validator_response;
        match &response.opinion {
            Opinion::Broken(what) => return self.judge_breakdown(validator_response, what),
            Opinion::Partial(worth) => return self.judge_points(*worth, validator_response),
            Opinion::Accepted | Opinion::Rejected => {}
        }
        let (classified, cause_includes_message) = classify_response(from.kind, response, earlier);
        let score = match next {
            // Only the last pass has the verdict and the score of the test case.
            Some(_) => None,
            None => {
                let scoring = self.case.scoring;
                let help =
                    "write it only for accepted outputs, and as the group's scoring requires";
                score::score_by_validator(scoring, classified.verdict, &response.feedback)
                    .map_err(|what| self.invalid_response(validator_response, &what).help(help))?
            }
        };
        Ok(PassResult {
            next,
            score,
            feedback: Some(ValidatorFeedback {
                cause_includes_message,
                ..validator_response.feedback()
            }),
            ..PassResult::from(classified)
        })
    }

    /// The verdict on an output with these points. It is right with all points or, if their number is not known, with
    /// more than zero. On test cases without points, a part is a part of one point.
    fn judge_points(
        &self,
        worth: Worth,
        validator_response: &ValidatorResponse<'_>,
    ) -> Result<PassResult, Stop> {
        let earned = score::score_by_worth(self.case.scoring, self.case.test_case, worth);
        let Some(CaseWorth { points, most, is_right, score }) = earned else {
            let what = "its points are not a finite number";
            return self.judge_breakdown(validator_response, what);
        };
        if let Some(most) = most.filter(|most| points.exceeds(*most)) {
            let what = format!("it gives {points} points, more than the {most} of the test case");
            return self.judge_breakdown(validator_response, &what);
        }
        let (message, is_whole) =
            first_line_clause(&validator_response.response.feedback.judge_message);
        let validator = validator_response.validator.kind;
        let classified = VerdictWithCause {
            verdict: if is_right { Verdict::Accepted } else { Verdict::WrongAnswer },
            cause: match most {
                Some(most) => format!("the {validator} gives {points} of {most} points{message}"),
                None => format!("the {validator} gives {points} points{message}"),
            },
        };
        Ok(PassResult {
            score,
            feedback: Some(ValidatorFeedback {
                cause_includes_message: is_whole,
                ..validator_response.feedback()
            }),
            ..PassResult::from(classified)
        })
    }

    pub(super) fn run_static_validator(&self, args: &[String]) -> Result<CaseJudgement, Stop> {
        let none = || JudgeError::new("run the static validator", "the package has none");
        let validator = self.rules.validators.static_validator.as_ref().ok_or_else(none)?;
        let box_path = self.box_path(1, VALIDATOR_SUFFIX);
        let request = StaticValidationRequest {
            submission: self.entry.runnable,
            language: self.entry.language,
            entry_point: self.entry.entry_point,
            args,
            keep: BoxRetention::all_or_nothing(box_path.is_some()),
        };
        let response = validator.run_static_validator(self.executor, request)?;
        save_box(box_path.as_ref(), response.box_tree.as_ref())?;
        let validator_response = ValidatorResponse { validator, response: &response, box_path };
        let judged = self.judge_response(&validator_response, &[], None)?;
        self.complete(judged, None, |_, _| Ok(()))
    }

    /// A judge error: the validator gave no valid response.
    pub(super) fn invalid_response(
        &self,
        validator_response: &ValidatorResponse<'_>,
        did: &str,
    ) -> JudgeError {
        let (what, name) = (validator_response.validator.kind, &validator_response.validator.name);
        let test_case = &self.case.test_case.name;
        let step = format!("judge {test_case} with the {what} `{name}`");
        let Response { feedback, stderr, .. } = validator_response.response;
        // Standard error is shown in full.
        let message = Some(&feedback.judge_message).filter(|message| *message != stderr);
        let message = message.map(|message| first_line_clause(message).0).unwrap_or_default();
        let mut error = JudgeError::new(step, format!("{did}{message}"))
            .help(format!("fix the {what}: it must accept or reject whatever a submission writes"));
        error.program = Some(Box::new(FaultyProgram {
            stderr: validator_response.response.stderr.clone(),
            repeat: self.rules.repeat.for_run(self.entry.submission, test_case),
            kept: validator_response.box_path.clone().map(PathBuf::from),
        }));
        error
    }
}

pub(super) struct ValidatorResponse<'a> {
    /// An output validator, the interactor, or the static validator.
    pub(super) validator: &'a OutputValidator,
    pub(super) response: &'a Response,
    /// Where its box is kept, if anywhere.
    pub(super) box_path: Option<FilePath>,
}

impl ValidatorResponse<'_> {
    pub(super) fn feedback(&self) -> ValidatorFeedback {
        let feedback = &self.response.feedback;
        ValidatorFeedback {
            stderr: self.response.stderr.clone(),
            images: feedback.images.clone(),
            box_path: self.box_path.clone(),
            ..ValidatorFeedback::with_messages(&feedback.judge_message, &feedback.team_message)
        }
    }
}

/// The verdict of a response, and whether the cause includes its whole message.
///
/// Many validators extend their message in each pass. Then the cause shows what the last pass added.
fn classify_response(what: &str, response: &Response, earlier: &[u8]) -> (VerdictWithCause, bool) {
    if response.opinion == Opinion::Accepted {
        let cause = format!("the {what} accepts it");
        return (VerdictWithCause { verdict: Verdict::Accepted, cause }, false);
    }
    let message = &response.feedback.judge_message;
    let (message, is_whole) = first_line_clause(message.strip_prefix(earlier).unwrap_or(message));
    let cause = format!("the {what} rejects it{message}");
    (VerdictWithCause { verdict: Verdict::WrongAnswer, cause }, is_whole && earlier.is_empty())
}
