//! The runs of a submission: recorded, to judge them again without the program.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::build::{BuildResult, Runnable};
use crate::judge::repetition::SettledRun;
use juror_core::blob::Blob;
use juror_core::job::JobReply;
use juror_core::judgement::{CompilerReport, JudgeError};
use juror_core::limits::Limits;
use juror_core::repeats::Repeats;
use juror_core::serial::Base64;
use juror_core::stop::Stop;
use juror_core::text::hex;
use juror_core::units::Bytes;

/// The most bytes of an output that is kept; only the beginning of standard error is.
const LONGEST_OUTPUT: u64 = 1 << 20;
const LONGEST_STDERR: u64 = 64 << 10;
/// The most bytes of all runs of a submission.
const LARGEST_LOG: u64 = 16 << 20;

/// The run of a pass that counts.
#[serde_as]
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptRun {
    pub test_case: String,
    /// Counts from 1.
    pub pass: u32,
    /// The SHA-256 of what the program read.
    pub input: String,
    pub limits: Limits,
    reply: JobReply,
    /// The bytes of the reply's blobs; `None` if there are too many.
    #[serde_as(as = "Vec<Option<Base64>>")]
    texts: Vec<Option<Blob>>,
    /// The stack when memory was running out, which the outcome does not serialize.
    stack: Bytes,
    /// All runs, if there were several.
    repeats: Option<Box<Repeats>>,
}

#[derive(Default)]
pub struct RunLog {
    /// Set if all runs are known, and nothing starts: the compiler's report.
    pub known_build: Option<Option<CompilerReport>>,
    /// By test case and pass.
    pub runs: Mutex<HashMap<(String, u32), KeptRun>>,
    bytes: AtomicU64,
}

impl RunLog {
    pub fn of_known_runs(compiler: Option<CompilerReport>, runs: Vec<KeptRun>) -> Self {
        let runs = runs.into_iter().map(|run| ((run.test_case.clone(), run.pass), run));
        let runs = Mutex::new(runs.collect());
        Self { known_build: Some(compiler), runs, ..Self::default() }
    }

    /// `None` if the program is to be built.
    pub(super) fn build(&self, needs_program: bool) -> Option<Result<BuildResult, JudgeError>> {
        let compiler = self.known_build.clone()?;
        Some(match compiler {
            Some(report) if report.refusal.is_some() => Ok(BuildResult::Rejected(report.into())),
            _ if needs_program => {
                Err(not_kept("the problem is interactive, or judges sources".to_owned()))
            }
            compiler => Ok(BuildResult::Program(Runnable::of_known_runs(compiler).into())),
        })
    }

    /// The known run of a pass, or a new one, which is recorded.
    pub(super) fn settle(
        &self,
        (test_case, pass): (&str, u32),
        input: &Blob,
        limits: &Limits,
        run: impl FnOnce() -> Result<SettledRun<JobReply>, Stop>,
    ) -> Result<SettledRun<JobReply>, Stop> {
        let fault = |error: io::Error| JudgeError::new("keep a run", error);
        let input = hex(&input.digest().map_err(fault)?.0);
        let key = (test_case.to_owned(), pass);
        if self.known_build.is_none() {
            let settled = run()?;
            let kept = self.kept_run(key.clone(), input, limits, &settled).map_err(fault)?;
            self.runs.lock().insert(key, kept);
            return Ok(settled);
        }
        let known = self.runs.lock().remove(&key);
        let mut known = known.ok_or_else(|| not_kept(format!("it did not run on {test_case}")))?;
        if known.input != input {
            return Err(not_kept(format!("{test_case} has another input now")).into());
        }
        known.reply.outcome.stack = known.stack;
        for (blob, text) in known.reply.blobs_mut().zip(known.texts) {
            *blob = text.unwrap_or_else(|| blob.clone());
        }
        Ok(SettledRun { reply: known.reply, repeats: known.repeats })
    }

    fn kept_run(
        &self,
        (test_case, pass): (String, u32),
        input: String,
        limits: &Limits,
        run: &SettledRun<JobReply>,
    ) -> io::Result<KeptRun> {
        let mut texts = Vec::new();
        for (number, blob) in run.reply.blobs().enumerate() {
            let is_stderr = number == 1;
            let size = blob.len()?.min(if is_stderr { LONGEST_STDERR } else { u64::MAX });
            let is_kept = size <= LONGEST_OUTPUT
                && self.bytes.fetch_add(size, Ordering::Relaxed) + size <= LARGEST_LOG;
            texts.push(is_kept.then(|| blob.prefix(size).map(Blob::from)).transpose()?);
        }
        let JobReply { outcome, stdout, stderr, collected, .. } = &run.reply;
        let [stdout, stderr] = [stdout, stderr].map(Blob::clone);
        let (outcome, collected) = (outcome.clone(), collected.clone());
        Ok(KeptRun {
            test_case,
            pass,
            input,
            limits: limits.clone(),
            stack: outcome.stack,
            reply: JobReply { outcome, stdout, stderr, collected, kept: None },
            texts,
            repeats: run.repeats.clone(),
        })
    }
}

/// For a known run that does not decide.
pub(super) fn not_kept(reason: String) -> JudgeError {
    let lacks = Some("what was not kept".to_owned());
    JudgeError { lacks, ..JudgeError::new("judge it again", reason) }
}
