//! Requests to run jobs on a worker, and the conversion of their times between machines.

use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::outcome::Outcome;
use crate::remote::judge_side::Response;
use crate::remote::message::{Ended, RequestId, ToWorker};
use crate::remote::packing::{HasBlobs, Way};

/// A request to run a job on a worker.
pub(super) trait Request: HasBlobs + Clone {
    type Reply;

    fn message(
        &self,
        number: RequestId,
        repeat: Option<Repeat>,
        ways: Vec<Way>,
    ) -> ToWorker<&Job, &JointJob>;
    fn answer(answer: Response) -> Option<Ended<Box<Self::Reply>>>;
    fn failed(error: JudgeError) -> Response;
    fn jobs_mut(&mut self) -> Vec<&mut Job>;
    fn outcomes(reply: &mut Self::Reply) -> Vec<&mut Outcome>;
}

impl Request for Job {
    type Reply = Reply;

    fn message(
        &self,
        number: RequestId,
        repeat: Option<Repeat>,
        ways: Vec<Way>,
    ) -> ToWorker<&Job, &JointJob> {
        ToWorker::Run { number, repeat, ways, job: self }
    }

    fn answer(answer: Response) -> Option<Ended<Box<Reply>>> {
        match answer {
            Response::Single(ended) => Some(ended),
            Response::Joint(_) | Response::Found(_) => None,
        }
    }

    fn failed(error: JudgeError) -> Response {
        Response::Single(Ended::Failed(error))
    }

    fn jobs_mut(&mut self) -> Vec<&mut Job> {
        vec![self]
    }

    fn outcomes(reply: &mut Reply) -> Vec<&mut Outcome> {
        vec![&mut reply.outcome]
    }
}

impl Request for JointJob {
    type Reply = JointReply;

    fn message(
        &self,
        number: RequestId,
        repeat: Option<Repeat>,
        ways: Vec<Way>,
    ) -> ToWorker<&Job, &JointJob> {
        ToWorker::RunJoint { number, repeat, ways, job: self }
    }

    fn answer(answer: Response) -> Option<Ended<Box<JointReply>>> {
        match answer {
            Response::Joint(ended) => Some(ended),
            Response::Single(_) | Response::Found(_) => None,
        }
    }

    fn failed(error: JudgeError) -> Response {
        Response::Joint(Ended::Failed(error))
    }

    fn jobs_mut(&mut self) -> Vec<&mut Job> {
        vec![&mut self.program, &mut self.partner]
    }

    fn outcomes(reply: &mut JointReply) -> Vec<&mut Outcome> {
        vec![&mut reply.program.reply.outcome, &mut reply.partner.reply.outcome]
    }
}

/// Converts limits for a machine that takes `pace` times as long.
pub(super) fn convert_limits(limits: &mut Limits, pace: f64) {
    for time in [&mut limits.cpu_time, &mut limits.wall_time].into_iter().flatten() {
        *time = time.mul_f64(pace);
    }
}

/// Converts measured times to those of the first machine.
pub(super) fn convert_outcome(outcome: &mut Outcome, pace: f64) {
    for time in [&mut outcome.cpu_time, &mut outcome.wall_time, &mut outcome.queued] {
        *time = time.div_f64(pace);
    }
}
