//! Runs a submission once, to show its output and how it ended, without a verdict.

use crate::executor::{Executor, Hand};
use crate::judge::case::{Entry, Pass, Rules, job};
use crate::judge::classify::classify;
use crate::judge::compared::written;
use crate::model::blob::Blob;
use crate::model::job::{Keep, Reply};
use crate::model::judgement::JudgeError;
use crate::model::once::{RunOnce, WrittenFile};
use crate::model::outcome::{Ending, Outcome};
use crate::model::problem::ProgramIo;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::units::Bytes;
use crate::model::work::RunMode;
use crate::validator::response::{Contract, Opinion};
use crate::validator::{OutputValidator, Question, answer_of};

pub struct Once<'a> {
    pub executor: &'a dyn Executor,
    pub rules: &'a Rules<'a>,
    pub entry: &'a Entry<'a>,
    pub test_case: &'a TestCase,
}

impl Once<'_> {
    /// `name` is the input's name in the report.
    pub fn on(&self, input: Blob, name: &str) -> Result<RunOnce, Stop> {
        let pass = Pass::first(input);
        let job = job(self.rules, self.entry, self.test_case, &pass);
        let reply = self.executor.run(&job.into(), RunMode::FRESH)?.single()?;
        Ok(self.told(&reply, name)?)
    }

    /// A person talks with it. It has no wall time limit.
    pub fn by_hand(&self, hand: Hand) -> Result<RunOnce, Stop> {
        let pass = Pass::first(Blob::default());
        let mut job = job(self.rules, self.entry, self.test_case, &pass);
        job.limits.wall_time = None;
        let reply = self.executor.run_by_hand(&job, hand)?;
        Ok(RunOnce { is_shown: true, ..self.told(&reply, "standard input")? })
    }

    /// Corrects the size of standard output, which another program read.
    #[must_use]
    pub fn wrote(&self, ran: RunOnce, stdout_bytes: Bytes) -> RunOnce {
        let outcome = Outcome { stdout_bytes, ..ran.outcome };
        let failed = classify(&outcome, &self.entry.limits(self.rules));
        let ended = failed.as_ref().map_or(ran.ended, |failed| failed.cause.clone());
        RunOnce { failed: failed.is_some(), ended, outcome, ..ran }
    }

    fn told(&self, reply: &Reply, name: &str) -> Result<RunOnce, JudgeError> {
        let problem = self.rules.problem;
        let failed = classify(&reply.outcome, &self.entry.limits(self.rules));
        let file = match &problem.io {
            ProgramIo::Standard => None,
            ProgramIo::Files { output, .. } => {
                let found = written(&problem.io, reply);
                Some(WrittenFile {
                    name: output.clone(),
                    missing: found.as_ref().err().cloned(),
                    contents: found.ok().map(all).transpose()?,
                })
            }
        };
        let ended = match (&failed, reply.outcome.ending) {
            (Some(failed), _) => failed.cause.clone(),
            (None, Ending::Exited(code)) => format!("exit code {code}"),
            (None, Ending::Signalled(signal)) => format!("killed by {signal}"),
        };
        Ok(RunOnce {
            submission: self.entry.submission.to_owned(),
            input: name.to_owned(),
            ended,
            failed: failed.is_some(),
            message: String::new(),
            outcome: reply.outcome.clone(),
            stdout: all(&reply.stdout)?,
            stderr: all(&reply.stderr)?,
            file,
            is_raw: false,
            is_shown: false,
        })
    }
}

fn all(blob: &Blob) -> Result<Vec<u8>, JudgeError> {
    let read = blob.start(u64::MAX);
    read.map_err(|error| JudgeError::new("read what the program wrote", error))
}

/// An interactor with a person instead of a submission.
pub struct Playing<'a> {
    pub executor: &'a dyn Executor,
    /// The interactor, or the output validator that talks with submissions.
    pub interactor: &'a OutputValidator,
    pub test_case: &'a TestCase,
    /// Whether it may ask for another pass, which does not run.
    pub contract: Contract,
}

impl Playing<'_> {
    /// A person talks with it. It has no wall time limit.
    pub fn by_hand(&self, hand: Hand) -> Result<RunOnce, Stop> {
        let Self { executor, interactor, test_case, contract } = self;
        let input = Blob::file(&test_case.input);
        let answer = answer_of(test_case)?;
        let mut job = interactor.job(Question {
            test_case,
            args: &test_case.output_validator_args,
            input: &input,
            answer: &answer,
            output: Blob::default(),
            submission: None,
            earlier: &[],
            keep: Keep::Nothing,
        });
        job.limits.wall_time = None;
        let reply = executor.run_by_hand(&job, hand).map_err(|stop| interactor.own(stop))?;
        let stderr = all(&reply.stderr)?;
        let response = interactor.read(reply, &job.limits, *contract)?;
        let says = match &response.opinion {
            Opinion::Accepted => "accepts what you did".to_owned(),
            Opinion::Rejected => "rejects what you did".to_owned(),
            Opinion::Partial(_) => "gives a part of the points".to_owned(),
            Opinion::Broken(what) => format!("failed: {what}"),
        };
        Ok(RunOnce {
            submission: interactor.name.clone(),
            input: test_case.name.clone(),
            ended: format!("the {} {says}", interactor.what),
            failed: response.opinion != Opinion::Accepted,
            message: String::from_utf8_lossy(&response.feedback.judge_message).into_owned(),
            outcome: response.outcome,
            stdout: Vec::new(),
            stderr,
            file: None,
            is_raw: false,
            is_shown: true,
        })
    }
}
