//! How two outputs differ, and where to look.

use serde::Serialize;

use crate::model::difference::{
    Difference, DifferenceKind, Excerpt, NumberGap, OnlyDifference, Side,
};
use crate::model::judgement::{DiffLine, DiffTag, Evidence};
use crate::report::exchange::WireTranscript;
use crate::report::json::path_text;

#[derive(Serialize)]
pub(super) struct WireDifference {
    kind: &'static str,
    only: Option<&'static str>,
    differing_tokens: u64,
    gap: Option<WireGap>,
    answer: WireSide,
    output: WireSide,
}

impl From<&Difference> for WireDifference {
    fn from(difference: &Difference) -> Self {
        Self {
            kind: match difference.kind {
                DifferenceKind::Token => "token",
                DifferenceKind::Number => "number",
                DifferenceKind::NotANumber => "not_a_number",
                DifferenceKind::OutputEnds => "output_ends",
                DifferenceKind::OutputGoesOn => "output_goes_on",
                DifferenceKind::Blanks => "blanks",
            },
            only: difference.only.map(|only| match only {
                OnlyDifference::Blanks => "blanks",
                OnlyDifference::LetterCase => "letter_case",
                OnlyDifference::BlanksAndLetterCase => "blanks_and_letter_case",
                OnlyDifference::LastNewline => "last_newline",
            }),
            differing_tokens: difference.differing_tokens,
            gap: difference.gap.as_ref().map(WireGap::from),
            answer: (&difference.answer).into(),
            output: (&difference.output).into(),
        }
    }
}

/// JSON has no infinity: what is infinite is written as `null`.
#[derive(Serialize)]
struct WireGap {
    absolute: f64,
    relative: f64,
}

impl From<&NumberGap> for WireGap {
    fn from(gap: &NumberGap) -> Self {
        Self {
            absolute: gap.absolute,
            relative: gap.relative,
        }
    }
}

#[derive(Serialize)]
struct WireSide {
    token_number: u64,
    line: u64,
    column: u64,
    offset_bytes: u64,
    differs_at_bytes: u64,
    length_bytes: u64,
    tokens: u64,
    token: WireExcerpt,
    window: WireExcerpt,
}

impl From<&Side> for WireSide {
    fn from(side: &Side) -> Self {
        Self {
            token_number: side.token_number,
            line: side.line,
            column: side.column,
            offset_bytes: side.offset,
            differs_at_bytes: side.differs_at,
            length_bytes: side.length,
            tokens: side.tokens,
            token: (&side.token).into(),
            window: (&side.window).into(),
        }
    }
}

#[derive(Serialize)]
struct WireExcerpt {
    text: String,
    lossy: bool,
    cut_before_bytes: u64,
    cut_after_bytes: u64,
}

impl From<&Excerpt> for WireExcerpt {
    fn from(excerpt: &Excerpt) -> Self {
        let WireText { text, lossy } = WireText::new(&excerpt.bytes);
        Self {
            text,
            lossy,
            cut_before_bytes: excerpt.cut_before,
            cut_after_bytes: excerpt.cut_after,
        }
    }
}

/// Bytes as text. `lossy` says that some were not UTF-8 and are replaced by U+FFFD.
#[derive(Clone, Serialize)]
pub(in crate::report) struct WireText {
    pub(super) text: String,
    pub(super) lossy: bool,
}

impl WireText {
    pub(in crate::report) fn new(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self {
            lossy: matches!(text, std::borrow::Cow::Owned(_)),
            text: text.into_owned(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WireEvidence {
    diff: Vec<WireDiffLine>,
    diff_lines_left_out: u64,
    transcript: Option<WireTranscript>,
    stderr: WireText,
    validator_stderr: WireText,
    images: Vec<String>,
    repeat: String,
    kept: Option<String>,
    feedback: Option<String>,
}

impl From<&Evidence> for WireEvidence {
    fn from(evidence: &Evidence) -> Self {
        Self {
            diff: evidence.diff.iter().map(WireDiffLine::from).collect(),
            diff_lines_left_out: evidence.diff_lines_left_out,
            transcript: evidence.transcript.as_ref().map(WireTranscript::from),
            stderr: WireText::new(&evidence.stderr),
            validator_stderr: WireText::new(&evidence.validator_stderr),
            images: evidence.images.clone(),
            repeat: evidence.repeat.clone(),
            kept: evidence.kept.as_deref().map(path_text),
            feedback: evidence.feedback.as_deref().map(path_text),
        }
    }
}

#[derive(Serialize)]
struct WireDiffLine {
    side: &'static str,
    answer_line: Option<u64>,
    output_line: Option<u64>,
    text: String,
    lossy: bool,
}

impl From<&DiffLine> for WireDiffLine {
    fn from(line: &DiffLine) -> Self {
        let WireText { text, lossy } = WireText::new(&line.text);
        Self {
            side: match line.tag {
                DiffTag::Equal => "both",
                DiffTag::Answer => "answer",
                DiffTag::Output => "output",
            },
            answer_line: line.answer_line,
            output_line: line.output_line,
            text,
            lossy,
        }
    }
}
