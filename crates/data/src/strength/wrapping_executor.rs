//! An executor that makes a right program wrong: a wrapper changes its input or output.

use crate::faults::wrapper::{Wrapper, WrapperChange};
use juror_core::blob::Blob;
use juror_core::job::{CollectedEntry, Job, JobReply};
use juror_core::problem::ProgramIo;
use juror_core::stop::Stop;
use juror_core::tree::TreeEntry;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_grammar::misread::misread;
use juror_grammar::program::Grammar;
use juror_sandbox::executor::Executor;

#[derive(Clone, Copy)]
pub struct ProblemWrapper<'a> {
    pub wrapper: &'static Wrapper,
    pub grammar: Option<&'a Grammar>,
}

impl ProblemWrapper<'_> {
    pub fn change_input(&self, input: &[u8]) -> Option<Vec<u8>> {
        match (self.wrapper.change, self.grammar) {
            (WrapperChange::Input(reading), Some(grammar)) => misread(grammar, input, reading),
            _ => None,
        }
    }

    pub fn change_output(&self, output: &[u8]) -> Option<Vec<u8>> {
        match self.wrapper.change {
            WrapperChange::Input(_) => None,
            WrapperChange::Output(change) => Some(change(output)),
        }
    }
}

/// An executor in which submissions are wrapped. Other programs, such as output validators, run as they are.
pub struct WrappingExecutor<'a> {
    pub inner: &'a dyn Executor,
    pub wrapper: ProblemWrapper<'a>,
    pub io: &'a ProgramIo,
}

/// In bytes. Longer texts are not changed.
const LONGEST_TEXT: u64 = 1 << 20;

impl WrappingExecutor<'_> {
    fn run_wrapped(&self, mut job: Job, mode: RunMode) -> Result<JobReply, Stop> {
        let input = match self.io {
            ProgramIo::Standard => Some(&mut job.stdin),
            ProgramIo::Files { input, .. } => {
                let mut files = job.files.iter_mut();
                let file = files.find(|file| file.name.as_os_str() == input.as_str());
                file.and_then(TreeEntry::blob_mut)
            }
        };
        if let Some(blob) = input {
            change_blob(blob, |input| self.wrapper.change_input(input));
        }
        let mut reply = self.inner.run(&job.into(), mode)?.single()?;
        let output = match (self.io, reply.collected.first_mut()) {
            (ProgramIo::Standard, _) => Some(&mut reply.stdout),
            (ProgramIo::Files { .. }, Some(CollectedEntry::File(blob))) => Some(blob),
            (ProgramIo::Files { .. }, _) => None,
        };
        if let Some(blob) = output {
            change_blob(blob, |output| self.wrapper.change_output(output));
        }
        Ok(reply)
    }
}

/// A blob that cannot be read stays as it is.
fn change_blob(blob: &mut Blob, other: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    let is_short = blob.len().is_ok_and(|length| length <= LONGEST_TEXT);
    let text = is_short.then(|| blob.prefix(LONGEST_TEXT).ok()).flatten();
    if let Some(text) = text.and_then(|text| other(&text)) {
        *blob = text.into();
    }
}

impl Executor for WrappingExecutor<'_> {
    fn inner(&self) -> Option<&dyn Executor> {
        Some(self.inner)
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        match work {
            // Only submissions are timed.
            Work::Single(job) if job.is_timed => {
                Ok(self.run_wrapped((**job).clone(), mode)?.into())
            }
            _ => self.inner.run(work, mode),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::wrapper::wrappers;
    use juror_core::outcome::quiet_outcome;
    use juror_sandbox::executor::scripted::ScriptedExecutor;

    /// Checks a program that writes its input, with each wrapper of this name.
    fn check(name: &str, is_timed: bool, input: &str, expected: &str) {
        let scripted = ScriptedExecutor::new(1, |job: &Job| {
            Ok(JobReply {
                outcome: quiet_outcome(),
                stdout: job.stdin.clone(),
                stderr: Blob::default(),
                collected: Vec::new(),
                kept: None,
            })
        });
        let wrapper = wrappers().iter().find(|wrapper| wrapper.name == name).expect(name);
        let wrapping = ProblemWrapper { wrapper, grammar: None };
        let wrapped =
            WrappingExecutor { inner: &scripted, wrapper: wrapping, io: &ProgramIo::Standard };
        let job = Job { stdin: input.as_bytes().into(), is_timed, ..Job::default() };
        let reply = wrapped.run_job(&job).expect("it runs");
        assert_eq!(reply.stdout.prefix(100).expect("it is there"), expected.as_bytes(), "{name}");
    }

    #[test]
    fn only_submissions_are_changed() {
        check("without-last-word", true, "1 2\n", "1 \n");
        check("without-last-word", false, "1 2\n", "1 2\n");
        check("nothing", true, "1 2\n", "");
        // Without a grammar inputs stay as they are.
        check("rising", true, "2 1\n", "2 1\n");
    }
}
