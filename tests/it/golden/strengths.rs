//! Results of `strength`, written by hand, so that they do not depend on compilers.

use std::time::Duration;

use juror_core::verdict::Verdict;
use juror_data::strength::result::{
    CaseKills, Gate, GateName, GateState, HoldOutResult, InputFeature, Kill, MissedInput,
    MissingPrerequisite, RightProgram, SourceEdit, Strength, StrengthGain, StrengthRating, Subject,
    SubjectKind, SubjectStatus,
};
use juror_data::strength::score;

use super::created::package_events;
use super::record::Recording;
use super::tools;

/// `is_shut` means that a gate prevents the measurement.
pub(super) fn record_strength(is_shut: bool) -> Recording<Strength> {
    Recording {
        events: package_events("strength", "contest/hello"),
        result: strength_result(is_shut),
    }
}

pub(crate) fn strength_result(is_shut: bool) -> Strength {
    let found = if is_shut { Strength::default() } else { full_strength() };
    Strength { gates: gate_results(is_shut), ..found }
}

fn gate_results(is_shut: bool) -> Vec<Gate> {
    let gate = |name, state, detail: &str| Gate { name, state, detail: detail.to_owned() };
    let state = if is_shut { GateState::Shut } else { GateState::Open };
    vec![
        gate(GateName::ValidData, GateState::Open, "3 test cases"),
        gate(GateName::AcceptedSubmissions, state, "2 submissions"),
        gate(GateName::Reproducible, GateState::Unknown, "no recipe"),
        gate(GateName::OutputValidator, GateState::Open, "the default one"),
        gate(GateName::TimeLimit, GateState::Open, "accepted/a.py takes 0.120 s of 1.00 s"),
    ]
}

fn full_strength() -> Strength {
    let killed = |killers: &[&str], subject: Subject| Subject {
        status: SubjectStatus::Caught,
        killers: killers
            .iter()
            .map(|name| Kill { test_case: (*name).to_owned(), verdict: Verdict::WrongAnswer })
            .collect(),
        ..subject
    };
    let mutant = |id: &str, fault: &str| Subject {
        edit: Some(SourceEdit {
            submission: "accepted/a.cpp".to_owned(),
            file: "a.cpp".to_owned(),
            line: 12,
            column: 19,
            before: "    for (int i = 0; i < n; ++i)".to_owned(),
            after: "    for (int i = 0; i < n - 1; ++i)".to_owned(),
        }),
        tried: 96,
        ..Subject::new(format!("accepted/a.cpp:{id}"), SubjectKind::Mutant, fault)
    };
    let missed = MissedInput {
        input: b"3\n1 3 1\n".to_vec(),
        verdict: Verdict::WrongAnswer,
        cause: "line 1: 4 instead of 2".to_owned(),
        origin: "the grammar's shape `tiny`, seed 7".to_owned(),
        gain: 4.25,
        also: vec!["accepted/a.cpp:tie-90c1-1".to_owned()],
        promoted: Some("secret/strength/off1".to_owned()),
    };
    let subjects = vec![
        killed(
            &["sample/1"],
            Subject::new("wrong_answer/greedy.py", SubjectKind::Submission, "wrong_answer"),
        ),
        killed(
            &["sample/1", "secret/01-one"],
            Subject {
                hardness: 0.05,
                ..Subject::new("drop-last", SubjectKind::Wrapper, "drop-last")
            },
        ),
        Subject {
            status: SubjectStatus::Missed,
            hardness: 2.5,
            missed: Some(missed),
            ..mutant("off1-3fa9-2", "off1")
        },
        mutant("ror-3fa9-1", "ror"),
        Subject {
            status: SubjectStatus::PresumedEquivalent,
            tried: 2400,
            bound: Some(0.00125),
            held_out: true,
            ..mutant("type-51b0-1", "type")
        },
        Subject {
            status: SubjectStatus::ConfirmedEquivalent,
            reason: Some("the sum is at most 20,000".to_owned()),
            ..mutant("type-51b0-2", "type")
        },
        Subject {
            status: SubjectStatus::Duplicate,
            same_as: Some("drop-last".to_owned()),
            ..mutant("io-7d2e-1", "io")
        },
    ];
    let case = |name: &str, kills, only: &[&str]| CaseKills {
        test_case: name.to_owned(),
        kills,
        only_killer_of: only.iter().map(|id| (*id).to_owned()).collect(),
    };
    let parts = score::weighted_parts(|name| match name {
        juror_data::strength::result::PartName::Kills => score::kill_share(&subjects, &|_| false),
        juror_data::strength::result::PartName::Twice => score::twice_share(&subjects),
        juror_data::strength::result::PartName::Bounds => Some(0.75),
        juror_data::strength::result::PartName::Features => Some(0.5),
        _ => None,
    });
    let score = score::score(&parts);
    Strength {
        seed: 1,
        time: Duration::from_secs(60),
        elapsed: Duration::from_millis(12_340),
        cut: true,
        gates: Vec::new(),
        next: Vec::new(),
        grade: score.map(|score| score::rating(&parts, score)),
        parts,
        score,
        references: vec![RightProgram {
            submission: "accepted/a.cpp".to_owned(),
            language: "cpp".to_owned(),
            mutants: 5,
        }],
        gained: Some(StrengthGain {
            before: 40.5,
            points: 12.25,
            caught: vec!["wrong_answer/greedy.py".to_owned()],
        }),
        pool: 96,
        matrix: true,
        subjects,
        hold_out: Some(HoldOutResult {
            operators: vec!["arr".to_owned(), "type".to_owned()],
            caught: 3,
            missed: 1,
            rate: Some(0.75),
        }),
        features: vec![
            InputFeature::new("n is odd".to_owned(), None, Some(b"3\n1 3 1\n")),
            InputFeature::new("n is even".to_owned(), Some("sample/1".to_owned()), None),
        ],
        cases: vec![
            case("sample/1", 2, &["wrong_answer/greedy.py"]),
            case("secret/01-one", 1, &[]),
            case("secret/02-two-rising", 0, &[]),
        ],
        minimal: vec!["sample/1".to_owned()],
        probes: Some(tools::slow_submissions()),
        input_validators: Some(tools::lenient_validator(20, 0)),
        output_validator: Some(tools::lenient_validator(16, 3)),
        lacking: vec![MissingPrerequisite::Mutants],
    }
}

pub(super) fn grades_of_scores() -> Vec<StrengthRating> {
    [100.0, 95.0, 94.9, 70.0, 50.0, 0.0].map(|score| score::rating(&[], score)).to_vec()
}
