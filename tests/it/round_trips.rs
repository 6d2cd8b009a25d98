//! Values that are written as JSON and read again are equal.

use std::fmt::Debug;
use std::time::Duration;

use juror_core::cache_use::CacheUse;
use juror_core::diagnostic::{BlockedUse, Diagnostic, TextPosition};
use juror_core::difference::{
    Difference, DifferenceKind, DifferenceSide, Excerpt, NumberGap, OnlyDifference,
};
use juror_core::duplicates::{Duplicates, Likeness};
use juror_core::event::{GeneratedState, Shortfall};
use juror_core::explanation::{Explanation, ExplanationKind, ExplanationResult, FailureCount};
use juror_core::isolation::Isolation;
use juror_core::joint::{self, Transcript, TranscriptPiece};
use juror_core::judgement::{
    BrokenExpectation, CaseJudgement, CompilerReport, DiffLine, DiffTag, Evidence, FaultKind,
    FaultyProgram, JudgeError, Judgement, ResultWithMargin, ShownImage,
};
use juror_core::limits::Limits;
use juror_core::moment::Moment;
use juror_core::outcome::{Ending, Mechanism, Meter, Outcome, Signal, StopReason};
use juror_core::progress::{LimitsReport, PackageReport, ProgressStep};
use juror_core::repeats::{Repeats, TimedRun};
use juror_core::score::{CaseScore, GroupScore, Score, ScoreOrigin, Standing, TotalScore};
use juror_core::serial::LossyText;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use juror_core::worker::WorkerReport;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use juror_core::outcome::quiet_outcome;

/// Also checks that no key is left out.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(values: &[T]) {
    let written = values.iter().map(|value| serde_json::to_value(value).expect("a document"));
    let written: Vec<Value> = written.collect();
    for (value, written) in values.iter().zip(&written) {
        let text = written.to_string();
        assert_eq!(&serde_json::from_str::<T>(&text).expect(&text), value, "{text}");
    }
    let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
    let all: Vec<_> = written.iter().map(keys).collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
}

fn text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn killed_outcome() -> Outcome {
    Outcome {
        ending: Ending::Signalled(Signal(9)),
        stopped_by: Some(StopReason::WallTime),
        cpu_time: Duration::from_nanos(1_234_567_891),
        wall_time: Duration::from_nanos(3_000_000_001),
        queued: Duration::from_nanos(12_345_678),
        peak_memory: Bytes(0),
        stdout_bytes: Bytes(1),
        stderr_bytes: Bytes(2),
        file_bytes: Bytes(3),
        refused_processes: 4,
        has_killed: false,
        stack: Bytes(0),
        mechanism: Mechanism {
            cpu: Meter::Rusage,
            memory: Meter::Cgroup1,
            isolation: Isolation::UserNamespaces,
        },
        ran_at: Some(Moment::new(1_795_290_005)),
        worker: Some("far".to_owned()),
        worker_id: None,
    }
}

fn evidence() -> Evidence {
    let piece = |by, text: &str| {
        let at = Duration::from_millis(12);
        TranscriptPiece { at, by, text: text.as_bytes().to_vec() }
    };
    let line = |tag, answer_line, output_line| DiffLine {
        tag,
        answer_line,
        output_line,
        text: text("1 2"),
    };
    Evidence {
        diff: vec![
            line(DiffTag::Equal, Some(1), Some(1)),
            line(DiffTag::Answer, Some(2), None),
            line(DiffTag::Output, None, Some(2)),
        ],
        diff_lines_left_out: 1,
        transcript: Some(Transcript {
            first: vec![
                piece(joint::TalkSide::Partner, "7\n"),
                piece(joint::TalkSide::Program, "?\n"),
            ],
            left_out: Bytes(9),
            last: vec![piece(joint::TalkSide::Program, "!")],
        }),
        input: text("\0\u{1b}[31m"),
        input_bytes_left_out: 2,
        input_path: Some("data/secret/1.in".into()),
        answer: text("3"),
        answer_bytes_left_out: 3,
        output: text("4"),
        output_bytes_left_out: 4,
        stdout: text("5"),
        stdout_bytes_left_out: 5,
        stderr: b"a\xffb".to_vec(),
        validator_stderr: text("6"),
        images: vec!["judgeimage.svg".to_owned()],
        pictures: vec![ShownImage {
            of: "output".into(),
            name: "judgeimage.svg".to_owned(),
            blob: vec![0, 255, 7].into(),
        }],
        repeat: "juror run".to_owned(),
        kept: Some("box".into()),
        feedback: Some("feedback".into()),
    }
}

fn difference() -> Difference {
    let side = DifferenceSide {
        token_number: 1,
        token: Excerpt { bytes: text("3.14"), cut_before: 1, cut_after: 2 },
        ..DifferenceSide::default()
    };
    Difference {
        kind: DifferenceKind::Number,
        only: Some(OnlyDifference::LastNewline),
        accepted_by: Some("tokens".to_owned()),
        differing_tokens: 2,
        gap: Some(NumberGap { absolute: 0.1, relative: f64::INFINITY }),
        answer: side.clone(),
        output: side,
    }
}

/// One case has all optional values, the other none.
fn cases() -> Vec<CaseJudgement> {
    let score = |origin| Score::new(0.1).map(|score| CaseScore { score, origin });
    let run = |outcome: &Outcome| TimedRun::new(outcome, Duration::ZERO);
    let whole = CaseJudgement {
        test_case: "secret/1".to_owned(),
        verdict: Verdict::WrongAnswer,
        cause: "token 1 differs".to_owned(),
        message: "wrong".to_owned(),
        cause_includes_message: true,
        team_message: "no".to_owned(),
        score: score(ScoreOrigin::Multiplier),
        with_margin: Some(ResultWithMargin {
            verdict: Verdict::Accepted,
            score: score(ScoreOrigin::Score),
        }),
        repeats: Some(Box::new(Repeats { is_sensitive: true, runs: vec![run(&killed_outcome())] })),
        outcome: Some(killed_outcome()),
        difference: Some(Box::new(difference())),
        is_compared: true,
        remark: None,
        evidence: Some(Box::new(evidence())),
    };
    let bare = CaseJudgement {
        cause_includes_message: false,
        score: None,
        with_margin: Some(ResultWithMargin { verdict: Verdict::Accepted, score: None }),
        repeats: None,
        outcome: None,
        difference: None,
        is_compared: true,
        remark: None,
        evidence: None,
        ..whole.clone()
    };
    vec![whole, bare]
}

fn judgements() -> Vec<Judgement> {
    let group = |standing| GroupScore {
        name: "secret/1".to_owned(),
        is_conditional: standing == Standing::Partial,
        score: None,
        max_score: Score::new(30.0),
        standing,
    };
    let barred = Standing::Barred("sample".to_owned());
    let groups = vec![group(Standing::Complete), group(Standing::Partial), group(barred)];
    check(&groups);
    let whole = Judgement {
        submission: "accepted/a.cpp".to_owned(),
        path: "submissions/accepted/a.cpp".into(),
        verdict: Verdict::WrongAnswer,
        cases: cases().into(),
        score: Some(TotalScore { score: Score::new(2.5), max_score: None, groups, is_best: true }),
        skipped: 1,
        spared: 2,
        compiler: Some(CompilerReport {
            refusal: Some("exit code 1".to_owned()),
            messages: text("error"),
            outcome: Some(quiet_outcome()),
        }),
        warnings: vec!["a.cpp:1:1: warning: x [-Wy]".to_owned()],
        broken: vec![BrokenExpectation {
            rule: "accepted".to_owned(),
            reason: "required AC".to_owned(),
            test_case: Some("secret/1".to_owned()),
        }],
    };
    let compiler = CompilerReport { refusal: None, messages: Vec::new(), outcome: None };
    let bare = Judgement {
        cases: Vec::new().into(),
        score: None,
        compiler: Some(compiler),
        broken: Vec::new(),
        ..whole.clone()
    };
    let unknown = Judgement { score: Some(TotalScore::default()), ..bare.clone() };
    vec![whole, bare, unknown]
}

#[test]
fn judgements_are_read_as_they_were_written() {
    check(&cases());
    check(&judgements());
}

#[test]
fn other_events_are_read_as_they_were_written() {
    let spot = TextPosition { line: 3, column: 4, text: "\tx: 1".to_owned(), width: 5 };
    let remark = Diagnostic::warning("a", "b").help("c");
    let quoting =
        Diagnostic { prevents: BlockedUse::Publishing, ..remark.clone().at_position(spot) };
    check(&[remark, quoting.quote(b"a.c:1:1")]);
    let program =
        FaultyProgram { stderr: text("x"), repeat: "y".to_owned(), kept: Some("z".into()) };
    let fault = JudgeError {
        kind: FaultKind::NoWorker,
        lacks: Some("go".to_owned()),
        program: Some(Box::new(program)),
        ..JudgeError::new("a step", "a reason").transient().help("help")
    };
    check(&[fault, JudgeError::new("a step", "a reason")]);
    let run = Limits {
        cpu_time: Some(Duration::from_nanos(1_100_000_001)),
        memory: Some(Bytes::mib(256)),
        ..Limits::default()
    };
    let package = PackageReport {
        path: "problems/sum".into(),
        format_is_guessed: true,
        limits: Some(LimitsReport { run, cpu_origin: "problem.yaml".to_owned() }),
        ..PackageReport::default()
    };
    check(&[package, PackageReport::default()]);
    let (message, help) = ("weak".to_owned(), "do".to_owned());
    check(&[Shortfall { message, reasons: vec!["old".to_owned()], help }]);
    let submissions = vec!["a.c".to_owned(), "b.c".to_owned()];
    check(&[Duplicates { likeness: Likeness::Code, submissions }]);
    check(&[ExplanationResult {
        package: None,
        submission: "a.c".to_owned(),
        explanation: Some(Explanation {
            kind: ExplanationKind::OnlyIf,
            statement: "n is odd".to_owned(),
            otherwise: None,
            with: FailureCount { failing: 1, inputs: 2 },
            without: FailureCount::default(),
        }),
        runs: 3,
        cut: true,
    }]);
    check(&[CacheUse { started: 1, recalled: 2, oldest: Some(Moment::new(3)) }]);
    check(&[WorkerReport {
        name: "far".to_owned(),
        isolation: Some(Isolation::Landlock),
        slots: 2,
        programs: 3,
        lost: Some("gone".to_owned()),
    }]);
    check(&[ProgressStep { what: "validators".to_owned(), done: 1, total: 2 }]);
    check(&GeneratedState::ALL);
    check(&Isolation::ALL);
    check(&Verdict::ALL);
}

#[test]
fn memory_that_was_not_measured_is_not_zero() {
    let check = |bytes: u64, expected: &str| {
        let outcome = Outcome { peak_memory: Bytes(bytes), ..quiet_outcome() };
        let run = serde_json::to_value(&outcome).expect("a document");
        assert_eq!(run["memory_bytes"].to_string(), expected);
    };
    check(4096, "4096");
    check(0, "null");
}

#[test]
fn an_impossible_time_is_refused() {
    let check = |seconds: &str, is_read: bool| {
        let text = format!(
            r#"{{"cpu_seconds":{seconds},"wall_seconds":1,"stopped_by":null,"disturbed":false}}"#
        );
        assert_eq!(serde_json::from_str::<TimedRun>(&text).is_ok(), is_read, "{seconds}");
    };
    check("0", true);
    check("1.5", true);
    check("-1", false);
    check("1e30", false);
    check("null", false);
}

proptest! {
    #[test]
    fn outcomes_are_read_as_they_were_written(
        // Up to eleven days.
        times: [u64; 3], code in 0..256i32, bytes: u64, killed: bool,
    ) {
        let [cpu_time, wall_time, queued] =
            times.map(|nanos| Duration::from_nanos(nanos % 1_000_000_000_000_000));
        let ending = if killed { Ending::Signalled(Signal(code)) } else { Ending::Exited(code) };
        let peak_memory = Bytes(bytes);
        let outcome =
            Outcome { ending, cpu_time, wall_time, queued, peak_memory, ..quiet_outcome() };
        check(&[outcome]);
    }

    #[test]
    fn texts_are_written_again_as_they_were_read(bytes: Vec<u8>) {
        let written = serde_json::to_value(LossyText::from(&bytes)).expect("a text");
        let text: LossyText = serde_json::from_value(written.clone()).expect("a text");
        let read = Vec::from(text);
        prop_assert!(written["lossy"] == true || read == bytes);
        let again = serde_json::to_value(LossyText::from(&read)).expect("a text");
        prop_assert_eq!(again, written);
    }
}
