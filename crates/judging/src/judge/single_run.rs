//! Runs a submission once, to show its output and how it ended, without a verdict.

use serde::Serialize;
use serde_with::serde_as;

use crate::judge::case::{Pass, ReadySubmission, Rules, pass_job};
use crate::judge::classify::classify;
use crate::judge::default_validator::output_of;
use crate::output_validator::response::{Contract, Opinion};
use crate::output_validator::{OutputValidator, TrialCase};
use juror_core::blob::Blob;
use juror_core::job::JobReply;
use juror_core::joint::Transcript;
use juror_core::judgement::{CaseJudgement, JudgeError};
use juror_core::outcome::{Ending, Outcome, quiet_outcome};
use juror_core::problem::ProgramIo;
use juror_core::serial::Text;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use juror_core::work::RunMode;
use juror_sandbox::executor::{Executor, ManualPipes};

/// A single run of a submission, for a person to inspect.
#[serde_as]
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SingleRun {
    pub submission: String,
    /// What it read: a file, a test case, or `standard input`.
    pub input: String,
    pub ended: String,
    /// Whether it exceeded a limit, crashed, or had another exit code than 0.
    pub failed: bool,
    /// The interactor's final message, if a person played with it.
    pub message: String,
    pub outcome: Outcome,
    /// What it wrote to standard output.
    #[serde_as(as = "Text")]
    pub stdout: Vec<u8>,
    /// What it wrote to standard error; the middle is missing if that is long.
    #[serde_as(as = "Text")]
    pub stderr: Vec<u8>,
    /// What both said, if an interactor of the command line talked with it.
    pub transcript: Option<Transcript>,
    /// The output file, if the problem has one.
    pub file: Option<OutputFileText>,
    /// Whether standard output is written unchanged, because no person reads it.
    #[serde(skip)]
    pub is_raw: bool,
    /// Whether standard output was shown while the program ran.
    #[serde(skip)]
    pub is_shown: bool,
}

/// The file that a submission writes its output to.
#[serde_as]
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputFileText {
    pub name: String,
    #[serde_as(as = "Option<Text>")]
    pub contents: Option<Vec<u8>>,
    /// Why there are none.
    pub missing: Option<String>,
}

pub struct SingleRunner<'a> {
    pub executor: &'a dyn Executor,
    pub rules: &'a Rules<'a>,
    pub entry: &'a ReadySubmission<'a>,
    pub test_case: &'a TestCase,
}

impl SingleRunner<'_> {
    /// `name` is the input's name in the report.
    pub fn run(&self, input: Blob, name: &str) -> Result<SingleRun, Stop> {
        let pass = Pass::first(input);
        let job = pass_job(self.rules, self.entry, self.test_case, &pass);
        let reply = self.executor.run(&job.into(), RunMode::FRESH)?.single()?;
        Ok(self.describe(&reply, name)?)
    }

    /// The same, with standard output into a pipe.
    pub fn stream(&self, input: Blob, name: &str, pipes: ManualPipes) -> Result<SingleRun, Stop> {
        let job = pass_job(self.rules, self.entry, self.test_case, &Pass::first(input));
        let reply = self.executor.run_manually(&job, pipes)?;
        Ok(SingleRun { is_shown: true, ..self.describe(&reply, name)? })
    }

    /// A person talks with it. It has no wall time limit.
    pub fn by_hand(&self, pipes: ManualPipes) -> Result<SingleRun, Stop> {
        let pass = Pass::first(Blob::default());
        let mut job = pass_job(self.rules, self.entry, self.test_case, &pass);
        job.limits.wall_time = None;
        let reply = self.executor.run_manually(&job, pipes)?;
        Ok(SingleRun { is_shown: true, ..self.describe(&reply, "standard input")? })
    }

    /// Corrects the size of standard output, which another program read.
    #[must_use]
    pub fn with_stdout_size(&self, run: SingleRun, stdout_bytes: Bytes) -> SingleRun {
        let outcome = Outcome { stdout_bytes, ..run.outcome };
        let failed = classify(&outcome, &self.entry.limits(self.rules));
        let ended = failed.as_ref().map_or(run.ended, |failed| failed.cause.clone());
        SingleRun { failed: failed.is_some(), ended, outcome, ..run }
    }

    fn describe(&self, reply: &JobReply, name: &str) -> Result<SingleRun, JudgeError> {
        let problem = self.rules.problem;
        let failed = classify(&reply.outcome, &self.entry.limits(self.rules));
        let file = match &problem.io {
            ProgramIo::Standard => None,
            ProgramIo::Files { output, .. } => {
                let output_file = output_of(&problem.io, reply);
                Some(OutputFileText {
                    name: output.clone(),
                    missing: output_file.as_ref().err().cloned(),
                    contents: output_file.ok().map(read_all).transpose()?,
                })
            }
        };
        let ended = match (&failed, reply.outcome.ending) {
            (Some(failed), _) => failed.cause.clone(),
            (None, Ending::Exited(code)) => format!("exit code {code}"),
            (None, Ending::Signalled(signal)) => format!("killed by {signal}"),
        };
        Ok(SingleRun {
            submission: self.entry.submission.to_owned(),
            input: name.to_owned(),
            ended,
            failed: failed.is_some(),
            message: String::new(),
            outcome: reply.outcome.clone(),
            stdout: read_all(&reply.stdout)?,
            stderr: read_all(&reply.stderr)?,
            transcript: None,
            file,
            is_raw: false,
            is_shown: false,
        })
    }
}

impl SingleRun {
    /// A run with an interactor that judged it.
    pub fn of_talk(judged: CaseJudgement, submission: &str, input: String) -> Self {
        let evidence = judged.evidence.unwrap_or_default();
        Self {
            submission: submission.to_owned(),
            input,
            ended: judged.cause,
            failed: judged.verdict != Verdict::Accepted,
            message: judged.message,
            outcome: judged.outcome.unwrap_or_else(quiet_outcome),
            stdout: Vec::new(),
            stderr: evidence.stderr,
            transcript: evidence.transcript,
            file: None,
            is_raw: false,
            is_shown: true,
        }
    }
}

fn read_all(blob: &Blob) -> Result<Vec<u8>, JudgeError> {
    let read = blob.read();
    read.map_err(|error| JudgeError::new("read what the program wrote", error))
}

/// A person talks with an interactor, or with the output validator that talks with submissions. It has no wall time
/// limit. It may ask for another pass if the contract says so, but none runs.
pub fn play_by_hand(
    executor: &dyn Executor,
    interactor: &OutputValidator,
    test_case: &TestCase,
    contract: Contract,
    pipes: ManualPipes,
) -> Result<SingleRun, Stop> {
    let case = TrialCase::of_files(test_case)?;
    let mut job = interactor.job(case.request(Blob::default()));
    job.limits.wall_time = None;
    let reply =
        executor.run_manually(&job, pipes).map_err(|stop| interactor.as_validator_fault(stop))?;
    let stderr = read_all(&reply.stderr)?;
    let response = interactor.read_response(reply, &job.limits, contract)?;
    let says = match &response.opinion {
        Opinion::Accepted => "accepts what you did".to_owned(),
        Opinion::Rejected => "rejects what you did".to_owned(),
        Opinion::Partial(_) => "gives a part of the points".to_owned(),
        Opinion::Broken(what) => format!("failed: {what}"),
    };
    Ok(SingleRun {
        submission: interactor.name.clone(),
        input: test_case.name.clone(),
        ended: format!("the {} {says}", interactor.kind),
        failed: response.opinion != Opinion::Accepted,
        message: String::from_utf8_lossy(&response.feedback.judge_message).into_owned(),
        outcome: response.outcome,
        stdout: Vec::new(),
        stderr,
        transcript: None,
        file: None,
        is_raw: false,
        is_shown: true,
    })
}
