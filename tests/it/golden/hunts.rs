//! Recorded event streams of `stress`.

use std::time::Duration;

use juror::model::diagnostic::Diagnostic;
use juror::model::event::{Event, Stamped};
use juror::model::joint::{Said, Side, Transcript};
use juror::model::stress::{Counterexample, Hunt, HuntEnd, HuntPlan, HuntProgress, Origin};
use juror::model::units::Bytes;
use juror::model::verdict::Verdict;

use super::streams::{begun, finished, package_read};

fn plan() -> HuntPlan {
    HuntPlan {
        submission: "greedy.cpp".to_owned(),
        reference: "accepted/fold.rs".to_owned(),
        chosen: "the fastest of 3: 0.001 s".to_owned(),
        sources: vec![
            "the grammar problems/game1/input_validators/input.ctd".to_owned(),
            "24 generator lines".to_owned(),
        ],
        seed: 17,
    }
}

fn counterexample() -> Counterexample {
    Counterexample {
        verdict: Verdict::WrongAnswer,
        cause: "token 1 differs: expected `2`, got `3`".to_owned(),
        difference: None,
        input: b"3\n1 3 1\n".to_vec(),
        expected: Some(b"2 3\n".to_vec()),
        got: Some(b"3  2 ".to_vec()),
        transcript: None,
        stderr: Vec::new(),
        validator_stderr: Vec::new(),
        origin: Origin::Shape { name: "few-distinct", seed: 1_073_741_841 },
        first_size: 213,
        path: vec![
            "dropping and lowering on the tree of the grammar".to_owned(),
            "all small inputs in turn".to_owned(),
        ],
        failing: 3,
        promoted: None,
    }
}

fn hunt(found: Option<Counterexample>, end: HuntEnd) -> Hunt {
    Hunt {
        plan: plan(),
        batched: 61_024,
        shrinking_runs: if found.is_some() { 57 } else { 0 },
        found: found.map(Box::new),
        runs: 62_411,
        hunting: Duration::from_millis(29_400),
        elapsed: Duration::from_millis(29_450),
        end,
        left_out: 0,
        level: Some(5),
        repeat: "juror stress --time 30s --seed 17 problems/game1 greedy.cpp".to_owned(),
    }
}

fn stream(hunt: Hunt) -> Vec<Stamped> {
    let mut events = vec![
        begun("stress", "problems/game1 greedy.cpp"),
        package_read("game1", "A Game", 1),
        Event::HuntStarted(plan()),
        Event::Hunting(HuntProgress {
            doing: "hunting",
            runs: 311,
            elapsed: Duration::from_millis(100),
            smallest: None,
        }),
    ];
    let is_interrupted = hunt.end == HuntEnd::Interrupted;
    events.push(Event::Hunted(Box::new(hunt)));
    if is_interrupted {
        events.push(Event::Interrupted);
    }
    finished(events, 29_900)
}

/// A wrong answer, made small and added to the package.
pub(super) fn found() -> Vec<Stamped> {
    let found = Counterexample { promoted: Some("secret/odd".to_owned()), ..counterexample() };
    stream(hunt(Some(found), HuntEnd::Found))
}

/// A crash that does not come each time, on a long input that a generator printed.
pub(super) fn flaky() -> Vec<Stamped> {
    let rows = (0..40).map(|row| format!("{row} {}\n", row * 7)).collect::<String>();
    let found = Counterexample {
        verdict: Verdict::RunTimeError,
        cause: "killed by SIGSEGV".to_owned(),
        difference: None,
        input: format!("40\n{rows}").into_bytes(),
        expected: Some(b"yes\n".to_vec()),
        got: Some(Vec::new()),
        stderr: b"free(): invalid pointer\n".to_vec(),
        origin: Origin::Generator { line: "board.rs --n 40 --seed 12345".to_owned() },
        first_size: 263,
        path: Vec::new(),
        failing: 1,
        ..counterexample()
    };
    stream(Hunt { shrinking_runs: 0, ..hunt(Some(found), HuntEnd::Found) })
}

/// Found in the list of small inputs, and with a value at its bound.
pub(super) fn bound() -> Vec<Stamped> {
    let small = Counterexample { origin: Origin::Small { level: 3 }, ..counterexample() };
    let bound = Counterexample {
        origin: Origin::Bound { option: "--most n".to_owned(), seed: 17 },
        ..counterexample()
    };
    let mut events = stream(hunt(Some(small), HuntEnd::Found));
    let finished = events.len() - 1;
    let event = Event::Hunted(Box::new(hunt(Some(bound), HuntEnd::Found)));
    events.insert(finished, Stamped { event, ..events[finished].clone() });
    events
}

/// Found in a game that is played live.
pub(super) fn live() -> Vec<Stamped> {
    let said = |milliseconds, by, text: &str| Said {
        at: Duration::from_millis(milliseconds),
        by,
        text: text.as_bytes().to_vec(),
    };
    let found = Counterexample {
        cause: "the output validator rejects it: turn 1 of 2, board 1 2: L gives away 1".to_owned(),
        difference: None,
        input: b"2 1\n1 2\noptimal-left\n".to_vec(),
        expected: None,
        got: None,
        transcript: Some(Transcript {
            first: vec![said(1, Side::Partner, "2 1\n"), said(1, Side::Partner, "1 2\n")],
            left_out: Bytes(0),
            last: vec![said(3, Side::Program, "L\n")],
        }),
        stderr: b"left is 1\n".to_vec(),
        validator_stderr: b"lost by 1\n".to_vec(),
        ..counterexample()
    };
    stream(Hunt { batched: 0, ..hunt(Some(found), HuntEnd::Found) })
}

/// Nothing found; some inputs were left out.
pub(super) fn nothing() -> Vec<Stamped> {
    let mut events = stream(Hunt { left_out: 12, ..hunt(None, HuntEnd::Time) });
    let remark = Diagnostic::warning(
        "problems/game1/input_validators/validate.py",
        "does not allow an input that problems/game1/input_validators/input.ctd makes: `1\\n5\\n`: refuses it",
    );
    events.insert(4, Stamped { event: Event::Diagnosed(remark), ..events[4].clone() });
    events
}

/// Ctrl-C.
pub(super) fn interrupted() -> Vec<Stamped> {
    stream(hunt(None, HuntEnd::Interrupted))
}
