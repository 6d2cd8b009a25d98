//! `type` of `problem.yaml`.
//!
//! Source: problem package format 2025-09, "Type".

use crate::package::node::{Node, ParseResult};
use crate::package::suggest::comma_list;
use crate::package::text::excerpt;
use crate::package::values::text;
use juror_core::limits::ProblemLimits;
use juror_core::problem::{Grading, Interaction, ProblemKind, SubmittedContent};

#[derive(Clone, Debug)]
pub(super) enum ProblemType {
    Known(Vec<String>),
    /// `problem.yaml` does not say it, or wrongly.
    Unknown,
}

impl Default for ProblemType {
    fn default() -> Self {
        Self::Known(vec!["pass-fail".to_owned()])
    }
}

const DEFAULT_PASSES: u32 = 2;

impl ProblemType {
    /// Whether the problem certainly has the type that this word names.
    pub(super) fn includes(&self, word: &str) -> bool {
        matches!(self, Self::Known(words) if words.iter().any(|known| known == word))
    }

    pub(super) fn kind(&self, limits: &ProblemLimits) -> ProblemKind {
        ProblemKind {
            grading: if self.includes("scoring") { Grading::Scoring } else { Grading::PassFail },
            submitted: if self.includes("submit-answer") {
                SubmittedContent::Answers
            } else {
                SubmittedContent::Program
            },
            interaction: if self.includes("interactive") {
                Interaction::Interactive
            } else {
                Interaction::None
            },
            passes: if self.includes("multi-pass") {
                limits.validation_passes.unwrap_or(DEFAULT_PASSES)
            } else {
                1
            },
        }
    }

    /// Whether the problem certainly does not have the type that this word names.
    pub(super) fn excludes(&self, word: &str) -> bool {
        matches!(self, Self::Known(words) if !words.iter().any(|known| known == word))
    }
}

pub(super) const TYPES: [&str; 5] =
    ["pass-fail", "scoring", "multi-pass", "interactive", "submit-answer"];

const INCOMPATIBLE: [[&str; 2]; 3] =
    [["pass-fail", "scoring"], ["multi-pass", "submit-answer"], ["interactive", "submit-answer"]];

pub(super) fn read(node: &Node<'_>) -> ParseResult<ProblemType> {
    let mut types: Vec<String> = Vec::new();
    let mut is_clear = true;
    for item in node.one_or_more() {
        match text(&item).and_then(|word| known_types(&item, word)) {
            Ok(words) => words.into_iter().for_each(|word| {
                check_against_earlier(&word, &types, &item);
                types.push(word);
            }),
            Err(_) => is_clear = false,
        }
    }
    Ok(if is_clear && !types.is_empty() { ProblemType::Known(types) } else { ProblemType::Unknown })
}

/// The words in an item: one, or several if their meaning is clear, though the format demands a sequence.
fn known_types(item: &Node<'_>, text: String) -> ParseResult<Vec<String>> {
    if TYPES.contains(&text.as_str()) {
        return Ok(vec![text]);
    }
    let message = format!("`{}` is not a type of problem", excerpt(&text));
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    if words.is_empty() || !words.iter().all(|word| TYPES.contains(word)) {
        return Err(item.unknown_word(message, &TYPES));
    }
    item.publishing_error(
        message,
        format!("write `type: [{}]`", comma_list(words.iter().copied())),
    );
    Ok(words.into_iter().map(str::to_owned).collect())
}

/// Checks a word against those before it.
pub(super) fn check_against_earlier(word: &str, earlier: &[String], item: &Node<'_>) {
    let is_earlier = |word: &str| earlier.iter().any(|earlier| earlier == word);
    let other = INCOMPATIBLE.iter().find_map(|pair| {
        let other = pair.iter().find(|other| **other != word)?;
        (pair.contains(&word) && is_earlier(other)).then_some(*other)
    });
    let help = "remove one of the two";
    if is_earlier(word) {
        item.error(format!("type `{word}` is given twice"), help);
    } else if let Some(other) = other {
        item.error(format!("type `{word}` is incompatible with `{other}`"), help);
    }
}
