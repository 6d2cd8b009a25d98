//! Compares two tokens by the rules of a comparison.

use crate::check::float::{NumberComparison, Tolerance};
use crate::difference::{DifferenceKind, NumberGap};

/// When two tokens are equal.
#[derive(Clone, Copy)]
pub(super) struct TokenRules {
    pub(super) case_sensitive: bool,
    /// `None` compares numbers as text.
    pub(super) tolerance: Option<Tolerance>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mismatch {
    pub(super) kind: DifferenceKind,
    pub(super) gap: Option<NumberGap>,
}

impl From<DifferenceKind> for Mismatch {
    fn from(kind: DifferenceKind) -> Self {
        Self { kind, gap: None }
    }
}

/// Compares two whole tokens; `None` if the output's is accepted.
///
/// Equal bytes are always accepted: as numbers, their distance is 0.
///
/// Source: problem package format 2025-09, "Comparing floating-point tokens", "Comparing string tokens".
pub(super) fn mismatch(answer: &[u8], output: &[u8], rules: &TokenRules) -> Option<Mismatch> {
    if answer == output {
        return None;
    }
    if let Some(tolerance) = &rules.tolerance {
        match tolerance.compare(answer, output) {
            NumberComparison::Within => return None,
            NumberComparison::AnswerIsText => {}
            NumberComparison::OutputIsText => return Some(DifferenceKind::NotANumber.into()),
            NumberComparison::Beyond(gap) => {
                let kind = DifferenceKind::Number;
                return Some(Mismatch { kind, gap: Some(gap) });
            }
        }
    }
    if !rules.case_sensitive && answer.eq_ignore_ascii_case(output) {
        return None;
    }
    Some(DifferenceKind::Token.into())
}
