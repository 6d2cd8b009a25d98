//! `type` of `problem.yaml`.
//!
//! Source: problem package format 2025-09, "Type".

use crate::model::limits::ProblemLimits;
use crate::model::problem::{Dialogue, Grading, ProblemKind};
use crate::package::keys;
use crate::package::suggest::list;
use crate::package::text::{Remarks, shown};
use crate::package::yaml::Node;

/// The type of a problem, as far as keys elsewhere depend on it.
#[derive(Clone, Debug)]
pub(super) enum ProblemType {
    /// These words.
    Known(Vec<String>),
    /// `problem.yaml` does not say it, or says it wrongly.
    Unknown,
}

impl Default for ProblemType {
    fn default() -> Self {
        Self::Known(vec!["pass-fail".to_owned()])
    }
}

impl ProblemType {
    /// Whether the problem is surely of the type that this word names.
    pub(super) fn includes(&self, word: &str) -> bool {
        match self {
            Self::Known(words) => words.iter().any(|known| known == word),
            Self::Unknown => false,
        }
    }

    /// What it means for judging.
    pub(super) fn kind(&self, limits: &ProblemLimits) -> ProblemKind {
        ProblemKind {
            grading: match self.includes("scoring") {
                true => Grading::Scoring,
                false => Grading::PassFail,
            },
            dialogue: match self.includes("interactive") {
                true => Dialogue::Interactive,
                false => Dialogue::None,
            },
            passes: match self.includes("multi-pass") {
                true => limits.validation_passes.unwrap_or(DEFAULT_PASSES),
                false => 1,
            },
        }
    }

    /// Whether the problem is surely not of the type that this word names.
    pub(super) fn excludes(&self, word: &str) -> bool {
        match self {
            Self::Known(words) => !words.iter().any(|known| known == word),
            Self::Unknown => false,
        }
    }
}

/// Passes of a multi-pass problem that names no number.
const DEFAULT_PASSES: u32 = 2;

const TYPES: [&str; 5] = ["pass-fail", "scoring", "multi-pass", "interactive", "submit-answer"];

const INCOMPATIBLE: [[&str; 2]; 3] =
    [["pass-fail", "scoring"], ["multi-pass", "submit-answer"], ["interactive", "submit-answer"]];

/// Reads the type; refuses what juror cannot judge.
pub(super) fn read(node: &Node, remarks: &mut Remarks<'_>) -> ProblemType {
    let mut seen: Vec<String> = Vec::new();
    let mut is_clear = true;
    for item in keys::one_or_more("type", node, remarks) {
        let word = keys::text("type", item, remarks);
        let Some(word) = word.filter(|word| check_known(word, item, remarks)) else {
            is_clear = false;
            continue;
        };
        check_among(&word, &seen, item, remarks);
        seen.push(word);
    }
    match is_clear && !seen.is_empty() {
        true => ProblemType::Known(seen),
        false => ProblemType::Unknown,
    }
}

fn check_known(word: &str, item: &Node, remarks: &mut Remarks<'_>) -> bool {
    if TYPES.contains(&word) {
        return true;
    }
    let message = format!("`{}` is no type of problem", shown(word));
    let words = || word.split([' ', ',']).filter(|word| !word.is_empty());
    if words().count() > 1 && words().all(|word| TYPES.contains(&word)) {
        let help = format!("write `type: [{}]`", list(words()));
        remarks.error(item.range, message, Some(&help));
    } else {
        keys::unknown_word(&message, word, &TYPES, item.range, remarks);
    }
    false
}

/// Checks a word against those before it, and whether juror judges such problems.
fn check_among(word: &str, seen: &[String], item: &Node, remarks: &mut Remarks<'_>) {
    let is_seen = |word: &str| seen.iter().any(|seen| seen == word);
    let other = INCOMPATIBLE.iter().find_map(|pair| {
        let other = pair.iter().find(|other| **other != word)?;
        (pair.contains(&word) && is_seen(other)).then_some(*other)
    });
    let help = Some("remove one of the two");
    if is_seen(word) {
        remarks.error(item.range, format!("type `{word}` is there twice"), help);
    } else if let Some(other) = other {
        let message = format!("type `{word}` is incompatible with `{other}`");
        remarks.error(item.range, message, help);
    } else if word == "submit-answer" {
        let message = "type: submit-answer is not supported: juror judges programs";
        remarks.error(item.range, message, None);
    }
}
