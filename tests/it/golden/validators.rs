//! Recorded event streams of a problem with an output validator of its own.

use std::path::PathBuf;
use std::time::Duration;

use juror::model::event::{Event, Stamped};
use juror::model::joint::{Said, Side, Transcript};
use juror::model::judgement::{CaseJudgement, Evidence, FaultyProgram, JudgeError};
use juror::model::units::Bytes;
use juror::model::verdict::Verdict;

use super::streams::{
    accepted, evidence, finished, judged, judgement, limits_set, rejected, started,
};

/// `judge` with a rejection that the validator explains, one that it does not, and one on which it
/// breaks down.
pub(super) fn judge() -> Vec<Stamped> {
    let mut events = started("judge", 3);
    events.push(limits_set());
    let wrong = CaseJudgement {
        is_told: false,
        message: "move 3 is L\nthe value falls from 7 to \u{1b}[31m5\n".to_owned(),
        team_message: "your move 3 loses coins\n".to_owned(),
        evidence: Some(Box::new(Evidence {
            validator_stderr: b"table of 12 x 12\n".to_vec(),
            images: vec!["judgeimage.svg".to_owned(), "teamimage.png".to_owned()],
            kept: Some(PathBuf::from("/tmp/juror-kept/greedy/secret-01")),
            feedback: Some(PathBuf::from(
                "/tmp/juror-kept/greedy/secret-01.validator/juror/feedback",
            )),
            ..evidence(b"", "juror judge problems/stairs greedy.cpp --case secret/01")
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
        ..rejected("sample/1", Verdict::WrongAnswer, "the output validator rejects it: no moves")
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
    events.push(Event::SubmissionFailed { submission: "odd.cpp".to_owned(), error });
    finished(events, 210)
}

/// `judge` of an interactive problem: a bad move late in a long game, a move without a line end, and a flood.
pub(super) fn live() -> Vec<Stamped> {
    let mut events = started("judge", 3);
    events.push(limits_set());
    let said = |at: u64, by: Side, text: &str| Said {
        at: Duration::from_micros(at),
        by,
        text: text.as_bytes().to_vec(),
    };
    let rejection = |verdict: Verdict, cause: &str, transcript: Transcript, name: &str| {
        let repeat = format!("juror judge problems/stairs {name} --case secret/01");
        CaseJudgement {
            evidence: Some(Box::new(Evidence {
                transcript: Some(transcript),
                ..evidence(b"", &repeat)
            })),
            ..rejected("secret/01", verdict, cause)
        }
    };
    let mut game = vec![said(812, Side::Partner, "30 1\n"), said(812, Side::Partner, "7 7 7\n")];
    for turn in 0..28_u64 {
        let by = match turn % 2 {
            0 => Side::Program,
            _ => Side::Partner,
        };
        game.push(said(900 + 450 * turn, by, "L\n"));
    }
    let game = Transcript { first: game, ..Transcript::default() };
    let cause = "the output validator rejects it: turn 29 of 30, board 1 2: L gives away 1";
    let case = rejection(Verdict::WrongAnswer, cause, game, "greedy.cpp");
    judged(&mut events, judgement("greedy.cpp", vec![case]));
    let unfinished = Transcript {
        first: vec![
            said(640, Side::Partner, "2 1\n"),
            said(655, Side::Partner, "4 9\n"),
            said(1301, Side::Program, "R"),
        ],
        ..Transcript::default()
    };
    let cause = "waited for input that never came: the output validator waited, too, for a line or its end. \
                 Was all output flushed?";
    let case = rejection(Verdict::TimeLimitExceeded, cause, unfinished, "hurry.py");
    judged(&mut events, judgement("hurry.py", vec![case]));
    let flood = Transcript {
        first: vec![said(640, Side::Partner, "2 1\n"), said(655, Side::Program, "\u{1b}[2J\n")],
        left_out: Bytes(5_000_000),
        last: vec![said(90_000, Side::Program, "R\n")],
    };
    let case = rejection(
        Verdict::OutputLimitExceeded,
        "wrote more than the 8 MiB allowed",
        flood,
        "flood.c",
    );
    judged(&mut events, judgement("flood.c", vec![case]));
    finished(events, 90)
}
