//! Recorded event streams of `compare`.

use juror::model::difference::{Difference, DifferenceKind, NumberGap};
use juror::model::event::{Event, Stamped};
use juror::model::judgement::{DiffTag, Evidence};

use super::streams::{begun, diff_line, finished, greedy_wrong, side};

fn compared(difference: Option<Difference>, evidence: Option<Evidence>) -> Vec<Stamped> {
    let events = vec![
        begun("compare", "1.ans my.out"),
        Event::Compared {
            output: "my.out".to_owned(),
            difference: difference.map(Box::new),
            evidence: evidence.map(Box::new),
        },
    ];
    finished(events, 1)
}

/// An output that is right.
pub(super) fn right() -> Vec<Stamped> {
    compared(None, None)
}

/// An output that is wrong in several lines.
pub(super) fn wrong() -> Vec<Stamped> {
    let case = greedy_wrong();
    let evidence = Evidence {
        diff: case.evidence.map(|it| it.diff).unwrap_or_default(),
        diff_lines_left_out: 7,
        ..Evidence::default()
    };
    compared(case.difference.map(|it| *it), Some(evidence))
}

/// An output whose one number is too far from a judge answer of 0.
pub(super) fn number() -> Vec<Stamped> {
    let difference = Difference {
        kind: DifferenceKind::Number,
        answer: side(1, 1, "0", "0"),
        output: side(1, 1, "0.001", "0.001"),
        differing_tokens: 1,
        only: None,
        gap: Some(NumberGap {
            absolute: 1e-3,
            relative: f64::INFINITY,
        }),
    };
    let evidence = Evidence {
        diff: vec![
            diff_line(DiffTag::Answer, Some(1), None, "0"),
            diff_line(DiffTag::Output, None, Some(1), "0.001"),
        ],
        ..Evidence::default()
    };
    compared(Some(difference), Some(evidence))
}
