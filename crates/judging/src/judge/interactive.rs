//! Interactive problems: submission and output validator run at the same time and talk.
//!
//! Source: problem package format 2025-09, "Running test cases", "Output validator".

use crate::judge::blame::{Blame, InteractionEnd, blame};
use crate::judge::case::{CaseJudge, Detail, Pass, PassResult, PassRun, Validators, pass_job};
use crate::judge::kept_files::save_interactive_run;
use crate::judge::repetition::{SettledRun, settle};
use crate::judge::transcript::TRANSCRIPT_END;
use crate::judge::validator_call::ValidatorResponse;
use crate::output_validator::OutputValidator;
use crate::output_validator::response::Opinion;
use juror_core::blob::Blob;
use juror_core::joint::{JointJob, JointReply};
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use juror_core::work::Work;

impl CaseJudge<'_> {
    /// Runs the submission with the validator, and judges which of them failed first.
    pub(super) fn run_interactive(
        &self,
        validator: &OutputValidator,
        pass: &Pass,
    ) -> Result<PassRun, Stop> {
        let test_case = self.case.test_case;
        let mut program = pass_job(self.rules, self.entry, test_case, pass);
        program.stdin = Blob::default();
        let box_path = self.box_path(pass.number, "");
        let call = self.prepare_call(pass)?;
        let request = call.request(self, pass, Blob::default());
        let mut partner = validator.job(request);
        let own = partner.limits.wall_time;
        // So the submission's time always ends first. The validator loses no time while the submission waits.
        partner.limits.wall_time = own.zip(program.limits.wall_time).map(|(own, time)| own + time);
        let partner_limits = partner.limits.clone();
        let work = Work::from(JointJob {
            program,
            partner,
            accept_exit_code: validator.protocol().accept_exit_code(),
            transcript: (self.rules.detail != Detail::Brief).then_some(TRANSCRIPT_END),
        });
        let run = |mode| self.executor.run(&work, mode)?.joint();
        let limits = self.entry.limits(self.rules);
        let SettledRun { reply, repeats } = settle(
            self.entry.repetition,
            &limits,
            run,
            |JointReply { program, partner, .. }| {
                (&program.reply.outcome, partner.reply.outcome.cpu_time)
            },
        )?;
        let JointReply { program, partner, output_end_reported, deadlock, debt, transcript } =
            reply;
        let is_sensitive = repeats.as_ref().is_some_and(|repeats| repeats.is_sensitive);
        if let Some(box_path) = &box_path {
            save_interactive_run(box_path, &pass.input, &program.reply)?;
        }
        self.keep_transcript(pass, &transcript)?;
        let saw_end = output_end_reported.is_some_and(|at| at < partner.ended);
        // A validator that closed its own output only waits for the end.
        let is_early = output_end_reported.is_some_and(|at| at < partner.closed);
        let is_partly_read =
            program.unread > Bytes(0) && program.unread < program.reply.outcome.stdout_bytes;
        let is_behind = is_partly_read && partner.reply.outcome.is_stopped_for_time();
        let written = validator.interactor_output(&partner.reply);
        let mut response =
            validator.read_response(partner.reply, &partner_limits, call.contract)?;
        let Validators { interactor, output, .. } = &*self.rules.validators;
        let is_half = interactor.is_some() && !output.is_empty();
        call.save_box(&response)?;
        self.add_output_images(pass, &Blob::default(), &mut response)?;
        let validator_response =
            ValidatorResponse { validator, response: &response, box_path: call.box_path.clone() };
        let judged = self.within_margin(is_sensitive, |limits| {
            let blame = blame(&InteractionEnd {
                submission: &program.reply.outcome,
                limits,
                submission_waits: program.waits,
                opinion: &response.opinion,
                validator_time: response.outcome.cpu_time,
                debt,
                is_validator_behind: is_behind,
                validator_saw_end: saw_end,
                deadlock,
            });
            match blame {
                Blame::Validator(what) => self.judge_breakdown(&validator_response, &what),
                Blame::Submission(classified) => Ok(PassResult {
                    feedback: Some(validator_response.feedback()),
                    ..PassResult::from(classified)
                }),
                // Now the output for the output validators is known.
                Blame::ValidatorDecides if is_half && response.opinion == Opinion::Accepted => {
                    self.ask_validators(pass, &written)
                }
                Blame::ValidatorDecides => {
                    let next = call.next_pass(&response, pass);
                    let mut judged =
                        self.judge_response(&validator_response, &pass.messages.judge, next)?;
                    let classified = &mut judged.classified;
                    // A message of the validator says better what it missed.
                    let is_silent = response.feedback.judge_message.trim_ascii().is_empty();
                    if classified.verdict == Verdict::WrongAnswer && is_early && is_silent {
                        classified.cause = format!("it ended first; {}", classified.cause);
                    }
                    Ok(judged)
                }
            }
        })?;
        Ok(PassRun {
            reply: program.reply,
            judged: PassResult { transcript: Some(transcript), ..judged },
            box_path,
            repeats,
        })
    }
}
