//! Speed and strictness as `strength` tells them, put together by hand.

use std::time::Duration;

use juror::model::probe::{
    Estimate, Growth, Law, ProbePoint, Probes, SeparatedBy, Separation, SubmissionProbe,
    VariableProbe,
};
use juror::model::strictness::{LetThrough, Strictness};
use juror::model::units::Bytes;

fn point(size: u64, milliseconds: u64, failed: Option<&str>) -> ProbePoint {
    ProbePoint {
        size,
        cpu_seconds: Duration::from_millis(milliseconds),
        memory_bytes: Bytes::mib(4),
        runs: 3,
        failed: failed.map(str::to_owned),
    }
}

fn growth(law: Law, value: f64) -> Growth {
    let estimate = Estimate { value, least: value - 0.06, most: value + 0.06 };
    Growth { law, estimate: Some(estimate) }
}

fn probed(name: &str, law: Law, value: f64, failed: Option<&str>) -> SubmissionProbe {
    SubmissionProbe {
        submission: name.to_owned(),
        declared_slow: failed.is_some(),
        values: "random".to_owned(),
        largest: point(0, 120, failed),
        waits: false,
        variables: vec![VariableProbe {
            variable: "n".to_owned(),
            time: growth(law, value),
            memory: growth(Law::Power, 1.0),
            points: vec![point(50, 30, None), point(100, 120, failed)],
            too_slow_at: failed.map(|_| 77),
        }],
        driver: Some("n".to_owned()),
    }
}

/// Slow submissions of each kind.
pub(super) fn probes() -> Probes {
    let separation = |name: &str, by, at: &str, told: &str| Separation {
        submission: format!("time_limit_exceeded/{name}"),
        by,
        at: at.to_owned(),
        told: told.to_owned(),
    };
    let passed = Some("1.60 s of CPU time, 1.50 s allowed");
    Probes {
        submissions: vec![
            probed("accepted/a.cpp", Law::Power, 2.0, None),
            probed("time_limit_exceeded/all.cpp", Law::Exponential, 1.62, passed),
        ],
        separations: vec![
            separation(
                "all.cpp",
                SeparatedBy::TestCase,
                "secret/01-one",
                "passes 1.50 s on secret/01-one, the accepted ones stay below 0.500 s",
            ),
            separation(
                "zero.cpp",
                SeparatedBy::Input,
                "n = 40",
                "no test case takes it 1.50 s: n = 40 would, with values zeros",
            ),
            separation(
                "full.cpp",
                SeparatedBy::Waits,
                "secret/01-one",
                "waits for ever on secret/01-one, so it counts as a wrong program",
            ),
            separation(
                "cubic.cpp",
                SeparatedBy::Nothing,
                "",
                "no test case takes it 1.50 s: it cannot be separated by these bounds: the largest input takes it 0.031 s; n = 380 would be enough",
            ),
        ],
        runs: 310,
        is_cut: true,
        missing: Some("no inputs of other sizes".to_owned()),
    }
}

/// Validators that let a fault pass.
pub(super) fn strictness(faults: u64, alternatives: u64) -> Strictness {
    let passes = LetThrough::new("a tab between words", "sample/1", b"1\t2\n".to_vec());
    Strictness {
        faults,
        refused: faults - 1,
        let_through: vec![passes],
        equivalent: vec!["ASSERT(n < 5) is left out (input.ctd:3)".to_owned()],
        oracle: "a valid input with one fault".to_owned(),
        alternatives,
        refused_alternatives: match alternatives {
            0 => Vec::new(),
            _ => vec!["accepted/b.py on sample/1".to_owned()],
        },
        missing: None,
    }
}
