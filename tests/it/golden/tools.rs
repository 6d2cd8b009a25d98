//! Speed and strictness in results of `strength`, written by hand.

use juror_data::strength::separation::{Probes, Separation, SeparationKind};
use juror_data::strength::strictness::{AcceptedFault, Strictness};

pub(super) fn slow_submissions() -> Probes {
    let separation = |name: &str, by, at: &str, message: &str| Separation {
        submission: format!("time_limit_exceeded/{name}"),
        by,
        at: at.to_owned(),
        description: message.to_owned(),
    };
    Probes {
        separations: vec![
            separation(
                "all.cpp",
                SeparationKind::TestCase,
                "secret/01-one",
                "exceeds 1.50 s on secret/01-one, the accepted ones stay below 0.500 s",
            ),
            separation(
                "zero.cpp",
                SeparationKind::Unknown,
                "",
                "time ran out before the test cases decided",
            ),
            separation(
                "full.cpp",
                SeparationKind::Waits,
                "secret/01-one",
                "waits for ever on secret/01-one, so it counts as a wrong program",
            ),
            separation(
                "cubic.cpp",
                SeparationKind::Nothing,
                "",
                "takes less than 1.50 s on every test case",
            ),
        ],
        is_cut: true,
        missing: None,
    }
}

pub(super) fn lenient_validator(faults: u64, alternatives: u64) -> Strictness {
    let passes = AcceptedFault::new("a tab between words", "sample/1", b"1\t2\n".to_vec());
    Strictness {
        faults,
        refused: faults - 1,
        let_through: vec![passes],
        oracle: "a valid input with one fault".to_owned(),
        alternatives,
        refused_alternatives: match alternatives {
            0 => Vec::new(),
            _ => vec!["accepted/b.py on sample/1".to_owned()],
        },
        missing: None,
    }
}
