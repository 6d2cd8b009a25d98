//! Recorded event streams of a problem with an output validator of its own.

use std::path::PathBuf;

use juror::model::event::Event;
use juror::model::judgement::{CaseJudgement, Evidence, FaultyProgram, JudgeError};
use juror::model::verdict::Verdict;

use super::streams::{
    accepted, evidence, finished, judged, judgement, limits_set, rejected, started,
};

/// `judge` with a rejection that the validator explains, one that it does not, and one on which it
/// breaks down.
pub(super) fn judge() -> Vec<Event> {
    let mut events = started("judge", 3);
    events.push(limits_set());
    let wrong = CaseJudgement {
        message: "move 3 is L\nthe value falls from 7 to \u{1b}[31m5\n".to_owned(),
        team_message: "your move 3 loses coins\n".to_owned(),
        evidence: Some(Box::new(Evidence {
            validator_stderr: b"table of 12 x 12\n".to_vec(),
            images: vec!["judgeimage.svg".to_owned(), "teamimage.png".to_owned()],
            kept: Some(PathBuf::from("/tmp/juror-kept/greedy/secret-01")),
            feedback: Some(PathBuf::from(
                "/tmp/juror-kept/greedy/secret-01.validator/juror/feedback",
            )),
            ..evidence(
                b"",
                "juror judge problems/stairs greedy.cpp --case secret/01",
            )
        })),
        ..rejected(
            "secret/01",
            Verdict::WrongAnswer,
            "the output validator rejects it: move 3 is L",
        )
    };
    let cases = vec![accepted("sample/1", 2, 1100), wrong];
    judged(&mut events, judgement("greedy.cpp", cases));
    let one_line = CaseJudgement {
        message: "no moves\n".to_owned(),
        evidence: Some(Box::new(evidence(
            b"",
            "juror judge problems/stairs silent.cpp --case sample/1",
        ))),
        ..rejected(
            "sample/1",
            Verdict::WrongAnswer,
            "the output validator rejects it: no moves",
        )
    };
    judged(&mut events, judgement("silent.cpp", vec![one_line]));
    let mut error = JudgeError::new(
        "ask the output validator `validate.py` about secret/02",
        "it ended with exit code 1; it must be 42 to accept, or 43 to reject",
    )
    .help("mend the output validator: whatever a submission writes, it must accept or reject it");
    error.program = Some(Box::new(FaultyProgram {
        stderr: b"Traceback (most recent call last):\nValueError: invalid literal: '\x1b[2J'\n"
            .to_vec(),
        repeat: "juror judge problems/stairs odd.cpp --case secret/02".to_owned(),
        kept: Some(PathBuf::from("/tmp/juror-kept/odd/secret-02.validator")),
    }));
    events.push(Event::SubmissionFailed {
        submission: "odd.cpp".to_owned(),
        error,
    });
    finished(events, 210)
}
