//! What is added to the cause of a rejection: that the output is right all the same, or in which file it is.

use crate::judge::case::{CaseJudge, Detail, Pass, PassResult, pass_job};
use crate::judge::classify::VerdictWithCause;
use crate::judge::default_validator::output_of;
use juror_core::job::{BoxRetention, JobReply};
use juror_core::problem::ProgramIo;
use juror_core::text::visible;
use juror_core::tree::Node;
use juror_core::verdict::Verdict;

impl CaseJudge<'_> {
    /// A program may write all of its output and not end, such as if one of its threads waits for ever. Only the
    /// default output validator is asked: others may expect the output of a program that ended.
    pub(super) fn note_right_output(
        &self,
        pass: &Pass,
        reply: &JobReply,
        mut rejected: VerdictWithCause,
    ) -> VerdictWithCause {
        let is_asked = rejected.verdict == Verdict::TimeLimitExceeded
            && reply.outcome.is_stopped_for_time()
            && self.rules.validators.output.is_empty()
            && self.case.options.compares();
        let output = output_of(&self.rules.problem.io, reply);
        let has_output = || output.is_ok_and(|output| output.len().is_ok_and(|length| length > 0));
        let is_right = || {
            let judged = self.judge_output(pass, reply);
            judged.is_ok_and(|judged| judged.classified.verdict == Verdict::Accepted)
        };
        if is_asked && has_output() && is_right() {
            rejected.cause +=
                "; its output is right, but the program, or a thread of it, did not end";
        }
        rejected
    }

    /// If nothing is on standard output, a run that may write files tells whether the program writes one instead.
    pub(super) fn note_other_output(&self, pass: &Pass, reply: &JobReply, judged: &mut PassResult) {
        let is_asked = judged.classified.verdict == Verdict::WrongAnswer
            && self.rules.problem.io == ProgramIo::Standard
            && reply.outcome.stdout_bytes.0 == 0
            && self.rules.detail != Detail::Brief;
        if !is_asked {
            return;
        }
        let mut job = pass_job(self.rules, self.entry, self.case.test_case, pass);
        job.writable = true;
        job.keep = BoxRetention::ALL;
        // This run decides nothing, so its failure does not matter.
        let kept = self.executor.run_job(&job).ok().and_then(|reply| reply.kept);
        let entries = kept.iter().flat_map(|tree| &tree.entries);
        let mut written = entries.filter(|entry| {
            let is_given = job.files.iter().any(|given| given.name == entry.name);
            matches!(entry.node, Node::File { .. }) && !is_given
        });
        if let Some(file) = written.next() {
            let name = visible(file.name.as_os_str().as_encoded_bytes());
            judged.classified.cause += &format!(
                "; it writes to the file `{name}`: use standard output, or if the problem has files, name them under \
                 `[io]` in juror.toml"
            );
        }
    }
}
