//! What is added to the cause of a rejection: that the output is right all the same, or in which file it is. And hints:
//! what usually causes a signal, and that the line ends of the input are the cause.

use std::path::PathBuf;

use crate::judge::case::{CaseJudge, Detail, Pass, PassResult, ReadyCase, Rules, pass_job};
use crate::judge::classify::{VerdictWithCause, classify};
use crate::judge::default_validator::output_of;
use juror_core::beginner::{beginner_hint, constant_output_hint};
use juror_core::blob::{Blob, Digest};
use juror_core::job::{BoxRetention, JobReply};
use juror_core::judgement::CaseJudgement;
use juror_core::language::essence::without_spaces_and_comments;
use juror_core::language::launch::known_sources;
use juror_core::language::sources;
use juror_core::language::table::Language;
use juror_core::outcome::Ending;
use juror_core::problem::{Interaction, ProgramIo};
use juror_core::submission::Submission;
use juror_core::text::visible;
use juror_core::tree::{Node, TreeEntry};
use juror_core::verdict::Verdict;
use memchr::memmem;

/// Adds what all runs of a submission say together to the first rejection, if nothing else explains it. `cases` are in
/// the order of `ready`.
pub(super) fn add_program_hint(
    submission: &Submission,
    ready: &[ReadyCase<'_>],
    cases: &mut [CaseJudgement],
) {
    const MOST_RUNS: usize = 100;
    const LARGEST: u64 = 4 << 10;
    let is_rejected = |case: &CaseJudgement| case.verdict != Verdict::Accepted;
    let Some(first) = cases.iter().position(is_rejected) else { return };
    let mut ready = ready.iter();
    let runs = cases.iter().take(MOST_RUNS).map(|case| {
        let own = ready.find(|own| own.test_case.name == case.test_case)?;
        let answer = own.answer().ok()?.prefix(LARGEST).ok()?;
        let output = match &case.evidence {
            _ if !is_rejected(case) => answer.clone(),
            Some(shown) if case.difference.is_some() && shown.output_bytes_left_out == 0 => {
                shown.output.clone()
            }
            _ => return None,
        };
        Some([answer, output])
    });
    let hint = if cases[first].evidence.is_some() && has_no_code(submission) {
        Some("the program has no code beside comments: is it the right file?")
    } else {
        constant_output_hint(runs)
    };
    cases[first].remark = cases[first].remark.take().or(hint.map(str::to_owned));
}

fn has_no_code(submission: &Submission) -> bool {
    let sources = sources::read(&submission.program).unwrap_or_default();
    let sources = known_sources(&sources.files);
    let is_empty = |(file, language): &(&TreeEntry, &Language)| {
        without_spaces_and_comments(language.code, file.bytes()).is_empty()
    };
    !sources.is_empty() && sources.iter().all(is_empty)
}

impl CaseJudge<'_> {
    /// A program may write all of its output and not end, such as if one of its threads waits for ever. Only the
    /// default output validator is asked: others may expect the output of a program that ended.
    pub(super) fn note_right_output(
        &self,
        pass: &Pass,
        reply: &JobReply,
        mut rejected: VerdictWithCause,
    ) -> VerdictWithCause {
        let is_asked =
            rejected.verdict == Verdict::TimeLimitExceeded && reply.outcome.is_stopped_for_time();
        if is_asked && self.is_output_right(pass, reply) {
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
            && self.rules.detail != Detail::Brief
            && !self.rules.is_replayed();
        if !is_asked {
            return;
        }
        let Some(file) = self.written_file(pass) else { return };
        let [name, input] = [&file.0, &file.0.with_extension("in")]
            .map(|name| visible(name.as_os_str().as_encoded_bytes()));
        judged.classified.cause += &format!(
            "; it writes to the file `{name}`: use standard output, or if the problem has files, name them under \
             `[io]` in juror.toml"
        );
        let unread = match self.written_file(&Pass::first(Blob::default())) {
            Some(other) if other == file => "; without standard input, it writes the same",
            _ => "",
        };
        judged.remark = Some(format!(
            "if the problem has files, juror.toml names them in three lines: `[io]`, `input = \"{input}\"`, \
             `output = \"{name}\"`{unread}"
        ));
    }

    /// The first file that it writes: name and content. The run decides nothing, so its failure does not matter.
    fn written_file(&self, pass: &Pass) -> Option<(PathBuf, Digest)> {
        let mut job = pass_job(self.rules, self.entry, self.case.test_case, pass);
        job.writable = true;
        job.keep = BoxRetention::ALL;
        let kept = self.executor.run_job(&job).ok()?.kept?;
        kept.entries.into_iter().find_map(|entry| match entry.node {
            Node::File { blob, .. } if job.files.iter().all(|given| given.name != entry.name) => {
                Some((entry.name, blob.digest().ok()?))
            }
            _ => None,
        })
    }

    /// Says what usually causes the signal that ended a program in C or C++, or that the line ends of the input do.
    pub(super) fn add_hint(&self, pass: &Pass, reply: &JobReply, judged: &mut PassResult) {
        let language = Language::by_code(self.entry.language);
        let is_native = language.is_some_and(|language| !language.warnings.is_empty())
            && !self.rules.problem.limits.debug;
        let hint = match (judged.classified.verdict, reply.outcome.ending) {
            _ if self.rules.detail == Detail::Brief => None,
            (Verdict::RunTimeError | Verdict::WrongAnswer, _) if self.needs_line_feeds(pass) => {
                Some(
                    "lines of the input end with CR LF; if they end with LF alone, the output is right: the program \
                     must not keep the CR of a line that it reads"
                        .to_owned(),
                )
            }
            (Verdict::RunTimeError, Ending::Exited(code)) if self.is_output_right(pass, reply) => {
                Some(format!(
                    "its output is right, and then it ends with exit code {code}: does it ask for more input, such as \
                     a key, or does `main` return a number?"
                ))
            }
            (Verdict::WrongAnswer, _) => self.beginner_hint(reply, judged),
            (Verdict::MemoryLimitExceeded, _) => reply.outcome.describe_stack(),
            (Verdict::RunTimeError, Ending::Signalled(signal)) if is_native => {
                let cause = signal.usual_cause();
                cause.map(|cause| format!("{signal} usually means {cause}; --debug shows the line"))
            }
            _ => None,
        };
        judged.remark = hint.or(judged.remark.take());
    }

    /// Whether a program that did not end well has written what is expected, and not nothing.
    fn is_output_right(&self, pass: &Pass, reply: &JobReply) -> bool {
        let is_asked = self.rules.validators.output.is_empty() && self.case.options.compares();
        let output = output_of(&self.rules.problem.io, reply);
        is_asked
            && output.is_ok_and(|output| output.len().is_ok_and(|length| length > 0))
            && self
                .judge_output(pass, reply)
                .is_ok_and(|judged| judged.classified.verdict == Verdict::Accepted)
    }

    /// For an output that is compared, and has no other hint.
    fn beginner_hint(&self, reply: &JobReply, judged: &PassResult) -> Option<String> {
        const LARGEST: u64 = 1 << 16;
        let difference = judged.difference.as_ref()?;
        let is_small = difference.answer.length.max(difference.output.length) <= LARGEST;
        if !is_small || difference.hint().is_some() {
            return None;
        }
        let output = output_of(&self.rules.problem.io, reply).ok()?.prefix(LARGEST).ok()?;
        beginner_hint(&self.case.answer().ok()?.prefix(LARGEST).ok()?, &output)
    }

    /// Whether the output is right if the input has no CR, by a run that decides nothing.
    fn needs_line_feeds(&self, pass: &Pass) -> bool {
        const LARGEST: u64 = 1 << 20;
        let Rules { problem, validators, detail, .. } = self.rules;
        let is_asked = *detail == Detail::FullWithStderr
            && problem.kind.passes == 1
            && problem.kind.interaction != Interaction::Interactive
            && validators.output.is_empty()
            && self.case.options.compares();
        if !is_asked || self.case.input_size() > LARGEST {
            return false;
        }
        let text = pass.input.prefix(LARGEST).unwrap_or_default();
        if memmem::find(&text, b"\r\n").is_none() {
            return false;
        }
        let with_feeds: Vec<u8> = text.into_iter().filter(|byte| *byte != b'\r').collect();
        let pass = Pass::first(with_feeds.into());
        let job = pass_job(self.rules, self.entry, self.case.test_case, &pass);
        let Ok(reply) = self.executor.run_job(&job) else { return false };
        let judged = self.judge_output(&pass, &reply);
        classify(&reply.outcome, &self.entry.limits(self.rules)).is_none()
            && judged.is_ok_and(|judged| judged.classified.verdict == Verdict::Accepted)
    }
}
