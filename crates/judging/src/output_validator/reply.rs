//! Reads an output validator's response from the reply to its job, by its protocol.
//!
//! Source: problem package format 2025-09, "Reporting a judgement", "Multi-pass validation", "Resource
//! guarantees".

use crate::output_validator::feedback::{Feedback, NEXT_PASS};
use crate::output_validator::response::{Contract, Opinion, Response, STDERR_MAX, exit_code};
use crate::output_validator::{printed, testlib};
use juror_core::job::JobReply;
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::protocol::Protocol;

const ACCEPT: i32 = Protocol::Standard.accept_exit_code();
const REJECT: i32 = 43;

impl Response {
    /// Only the format's own protocol has a contract.
    ///
    /// # Errors
    /// If the reply cannot be read.
    pub fn from_reply(
        reply: JobReply,
        limits: &Limits,
        protocol: Protocol,
        contract: Contract,
    ) -> Result<Self, JudgeError> {
        let fault = |error| JudgeError::new("read the files of the output validator", error);
        let stderr = reply.stderr.prefix(STDERR_MAX).map_err(fault)?;
        let mut feedback = Feedback::from_collected(reply.collected).map_err(fault)?;
        let stdout = reply.stdout.prefix(STDERR_MAX).map_err(fault)?;
        match protocol {
            Protocol::Standard => {}
            Protocol::Cms => feedback.judge_message = printed::cms_message(&stderr),
            Protocol::Sinol => feedback.judge_message = printed::sinol_message(&stdout),
            _ if feedback.judge_message.trim_ascii().is_empty() => {
                feedback.judge_message.clone_from(&stderr);
            }
            _ => {}
        }
        let opinion = exit_code(&reply.outcome, limits).and_then(|code| match protocol {
            Protocol::Standard => opinion(code, &feedback, contract),
            Protocol::Testlib => testlib::opinion(code, &feedback.judge_message),
            Protocol::Plain | Protocol::Files | Protocol::Dmoj => plain_opinion(code),
            Protocol::Cms => printed::cms_opinion(code, &stdout),
            Protocol::Sinol => printed::sinol_opinion(code, &stdout),
            Protocol::OpenR1 => printed::open_r1_opinion(code, &stdout),
        });
        let opinion = opinion.unwrap_or_else(Opinion::Broken);
        Ok(Self { opinion, feedback, stderr, outcome: reply.outcome, box_tree: reply.kept })
    }
}

fn plain_opinion(code: i32) -> Result<Opinion, String> {
    match code {
        1 | REJECT => Ok(Opinion::Rejected),
        _ if Protocol::Plain.accepts(code) => Ok(Opinion::Accepted),
        _ => Err(format!(
            "it ended with exit code {code}; it must be 0 or 42 to accept, or 1 or 43 to reject"
        )),
    }
}

fn opinion(code: i32, feedback: &Feedback, contract: Contract) -> Result<Opinion, String> {
    if code != ACCEPT && code != REJECT {
        return Err(format!(
            "it ended with exit code {code}; it must be 42 to accept, or 43 to reject"
        ));
    }
    if let Some(what) = feedback.unreadable.first() {
        return Err(what.clone());
    }
    match (code == ACCEPT, &feedback.next_pass, contract) {
        (false, Some(_), _) => Err(format!(
            "it made {NEXT_PASS} and ended with exit code 43; only an accepted pass can have a next one"
        )),
        (true, Some(_), Contract::OnePass) => {
            Err(format!("it made {NEXT_PASS}, but the problem is not of type multi-pass"))
        }
        (true, Some(_), Contract::MorePasses(0)) => {
            Err(format!("it made {NEXT_PASS} in the last pass that the problem allows"))
        }
        (true, _, _) => Ok(Opinion::Accepted),
        (false, None, _) => Ok(Opinion::Rejected),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::output_validator::feedback::FEEDBACK_FILES;
    use juror_core::blob::Blob;
    use juror_core::job::{CollectedEntry, FileKind};
    use juror_core::outcome::{Ending, Outcome, Signal, StopReason, quiet_outcome};
    use juror_core::units::Bytes;

    fn limits() -> Limits {
        Limits {
            cpu_time: Some(Duration::from_secs(60)),
            wall_time: Some(Duration::from_secs(121)),
            deadline: None,
            memory: Some(Bytes::mib(2048)),
            output: Some(Bytes::mib(8)),
            processes: Some(128),
        }
    }

    fn respond(outcome: Outcome, files: &[(&str, &str)], contract: Contract) -> Response {
        let collected =
            FEEDBACK_FILES.map(|name| match files.iter().find(|(file, _)| *file == name) {
                None => CollectedEntry::Missing,
                Some((_, "DIRECTORY")) => CollectedEntry::NotAFile(FileKind::Directory),
                Some((_, text)) => CollectedEntry::File(text.as_bytes().into()),
            });
        let reply = JobReply {
            outcome,
            stdout: Blob::default(),
            stderr: Blob::default(),
            collected: collected.into(),
            kept: None,
        };
        Response::from_reply(reply, &limits(), Protocol::Standard, contract).unwrap()
    }

    /// `+`, `-`, or what it did.
    fn shown(response: &Response) -> &str {
        match &response.opinion {
            Opinion::Accepted => "+",
            Opinion::Rejected => "-",
            Opinion::Partial(_) => "points",
            Opinion::Broken(what) => what,
        }
    }

    #[test]
    fn only_exit_codes_42_and_43_are_opinions() {
        let check = |ending: Ending, expected: &str| {
            let outcome = Outcome { ending, ..quiet_outcome() };
            let response = respond(outcome, &[], Contract::OnePass);
            assert_eq!(shown(&response), expected);
        };
        check(Ending::Exited(42), "+");
        check(Ending::Exited(43), "-");
        for code in [0, 1, 2, 3, 41, 44, 255] {
            let what =
                format!("it ended with exit code {code}; it must be 42 to accept, or 43 to reject");
            check(Ending::Exited(code), &what);
        }
        check(Ending::Signalled(Signal(11)), "it was killed by SIGSEGV");
    }

    /// 2025-09, "Resource guarantees": an output validator beyond a limit is a judge error
    #[test]
    fn a_validator_beyond_its_limits_has_no_opinion() {
        let check = |stop: Option<StopReason>, stderr: Bytes, files: Bytes, expected: &str| {
            let outcome = Outcome {
                ending: Ending::Exited(42),
                stopped_by: stop,
                stderr_bytes: stderr,
                file_bytes: files,
                ..quiet_outcome()
            };
            let response = respond(outcome, &[], Contract::OnePass);
            assert_eq!(shown(&response), expected);
        };
        let none = Bytes(0);
        let time = "it exceeded a limit: more than 60 s of CPU time";
        check(Some(StopReason::CpuTime), none, none, time);
        let memory = "it exceeded a limit: wanted more than the 2 GiB allowed; held 3 MiB";
        check(Some(StopReason::Memory), none, none, memory);
        let output = "it exceeded a limit: wrote more than the 8 MiB allowed";
        check(Some(StopReason::Output), none, none, output);
        check(None, Bytes::mib(4), Bytes::mib(5), output);
        check(None, Bytes::mib(4), Bytes::mib(4), "+");
    }

    /// 2025-09, "Multi-pass validation": `nextpass.in` with another exit code than 42 is a judge error; so is a pass too many
    #[test]
    fn only_accepted_passes_of_multi_pass_problems_have_a_next_one() {
        let check = |code: i32, contract: Contract, expected: &str| {
            let outcome = Outcome { ending: Ending::Exited(code), ..quiet_outcome() };
            let response = respond(outcome, &[(NEXT_PASS, "1\n")], contract);
            let start = &shown(&response)[..expected.len()];
            assert_eq!(start, expected);
        };
        check(42, Contract::MorePasses(1), "+");
        check(42, Contract::MorePasses(0), "it made nextpass.in in the last pass");
        check(42, Contract::OnePass, "it made nextpass.in, but the problem");
        check(43, Contract::MorePasses(1), "it made nextpass.in and ended with exit code 43");
        check(0, Contract::MorePasses(1), "it ended with exit code 0");
    }

    #[test]
    fn feedback_files_are_read_by_name() {
        let outcome = || Outcome { ending: Ending::Exited(43), ..quiet_outcome() };
        let files = [
            ("judgemessage.txt", "line 3 is wrong\n"),
            ("teammessage.txt", "sorry\n"),
            ("teamimage.svg", "<svg/>"),
        ];
        let response = respond(outcome(), &files, Contract::OnePass);
        assert_eq!(shown(&response), "-");
        assert_eq!(response.feedback.judge_message, b"line 3 is wrong\n");
        assert_eq!(response.feedback.team_message, b"sorry\n");
        let images = response.feedback.images.iter().map(|image| image.name.as_str());
        assert_eq!(images.collect::<Vec<_>>(), ["teamimage.svg"]);
        assert!(response.feedback.score.is_none());
        let response = respond(outcome(), &[("score.txt", "DIRECTORY")], Contract::OnePass);
        assert_eq!(shown(&response), "score.txt is a directory, not a file");
    }
}
