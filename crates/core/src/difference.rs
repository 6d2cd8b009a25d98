//! How an output differs from the judge answer.

use serde::{Deserialize, Deserializer, Serialize};
use serde_with::serde_as;

use crate::serial::Text;
use crate::text::{count, visible};
use crate::units::Bytes;

/// The first difference between an output and the judge answer, and how much differs in all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// What is different first.
    pub kind: DifferenceKind,
    /// What, if ignored, would make the outputs agree.
    pub only: Option<OnlyDifference>,
    /// The name of a comparison that accepts the output, if outputs are compared by another name.
    pub accepted_by: Option<String>,
    /// How many tokens differ, compared by position, including surplus tokens of one side.
    pub differing_tokens: u64,
    /// How far two numbers are from each other, if that is what is different first.
    pub gap: Option<NumberGap>,
    /// The judge answer at the first difference.
    pub answer: DifferenceSide,
    /// The output at the first difference.
    pub output: DifferenceSide,
}

impl Difference {
    /// What differs, in a few words: `token 2 differs`.
    pub fn summary(&self) -> String {
        let (number, tokens) = (self.answer.token_number, self.answer.tokens);
        match self.kind {
            DifferenceKind::Token => format!("token {number} differs"),
            DifferenceKind::Number => format!("token {number} is too far off"),
            DifferenceKind::NotANumber => format!("token {number} is not a number"),
            DifferenceKind::OutputEnds if self.output.length == 0 => {
                "the output is empty".to_owned()
            }
            DifferenceKind::OutputEnds => format!("the output ends before token {number}"),
            DifferenceKind::OutputGoesOn => {
                format!("the output goes on after {}", count(tokens, "token"))
            }
            DifferenceKind::Value => "the value differs".to_owned(),
            DifferenceKind::Line => format!("line {} differs", self.output.line),
            DifferenceKind::Missing => "the output lacks a part, in any order".to_owned(),
            DifferenceKind::Surplus => "the output has a surplus part, in any order".to_owned(),
            DifferenceKind::Blanks if number > tokens => "the blanks at the end differ".to_owned(),
            DifferenceKind::Blanks => format!("the blanks before token {number} differ"),
        }
    }

    /// In words, such as `2 tokens differ; expected 12 tokens in 40 B, got 12 tokens in 38 B`.
    pub fn extent(&self) -> String {
        let differing = match self.differing_tokens {
            0 => "no token differs".to_owned(),
            1 => "1 token differs".to_owned(),
            n => format!("{n} tokens differ"),
        };
        let size = |side: &DifferenceSide| {
            format!("{} in {}", count(side.tokens, "token"), Bytes(side.length))
        };
        format!("{differing}; expected {}, got {}", size(&self.answer), size(&self.output))
    }

    /// The difference of numbers, such as `off by 2.00e-4, relatively by 6.37e-5`, if there is one.
    pub fn off_by(&self) -> Option<String> {
        let gap = self.gap.filter(|gap| gap.absolute.is_finite())?;
        let absolute = format!("off by {:.2e}", gap.absolute);
        Some(if gap.relative.is_finite() {
            format!("{absolute}, relatively by {:.2e}", gap.relative)
        } else {
            absolute
        })
    }

    /// A hint if the output is nearly right.
    pub fn hint(&self) -> Option<String> {
        let cause = self.near_miss().map(str::to_owned).or_else(|| self.unusual_characters());
        let accepted = self.accepted_by.as_ref();
        let accepted = accepted.map(|name| format!("`--compare {name}` accepts this output"));
        let hints: Vec<String> = cause.into_iter().chain(accepted).collect();
        (!hints.is_empty()).then(|| hints.join("; "))
    }

    /// The first characters that differ, if they may look alike: one is not ASCII.
    fn unusual_characters(&self) -> Option<String> {
        use DifferenceKind::{Line, NotANumber, Number, Token};
        if !matches!(self.kind, Token | Number | NotANumber | Line) {
            return None;
        }
        let [expected, got] =
            [self.answer.first_differing_character()?, self.output.first_differing_character()?];
        let name = |character: char| match character {
            '\0'..='\x7f' => format!("`{}`", visible(&[character as u8])),
            _ => format!("U+{:04X}", u32::from(character)),
        };
        if expected.is_ascii() && got.is_ascii() {
            return None;
        }
        Some(format!("the output has {} where {} is expected", name(got), name(expected)))
    }

    fn near_miss(&self) -> Option<&'static str> {
        Some(match self.only? {
            OnlyDifference::Blanks => "only blanks and line ends differ",
            OnlyDifference::LineEnds => "only line ends, or blanks at the ends of lines, differ",
            OnlyDifference::LetterCase => "only upper and lower case differ",
            OnlyDifference::NearNumbers => "only numbers differ, and they are near",
            OnlyDifference::BlanksAndLetterCase => {
                "only blanks, line ends, and upper and lower case differ"
            }
            OnlyDifference::LastNewline if self.output.length < self.answer.length => {
                "only the final line end is missing"
            }
            OnlyDifference::LastNewline => "the only difference is an extra final line end",
        })
    }
}

/// How far the output's number is from the judge answer's. What is infinite is written as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NumberGap {
    /// `|s-a|`; `None` in JSON if it is too large for a number.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    #[serde(deserialize_with = "null_as_infinity")]
    pub absolute: f64,
    /// `|s-a|/|a|`; `None` in JSON if it is too large, or `a` is 0.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    #[serde(deserialize_with = "null_as_infinity")]
    pub relative: f64,
}

fn null_as_infinity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

/// Neither part is ever NaN.
impl Eq for NumberGap {}

/// What differs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// Two tokens are not the same text.
    Token,
    /// Both tokens are numbers, but too far from each other.
    Number,
    /// The judge answer has a number here. The output's token is no number by the format's grammar.
    NotANumber,
    /// The output ends although the judge answer goes on.
    OutputEnds,
    /// The output goes on although the judge answer has ended.
    OutputGoesOn,
    /// The tokens agree, the blanks before this place do not.
    Blanks,
    /// Two lines are not the same.
    Line,
    /// Two JSON values are not equal in this part, or the output is not JSON.
    Value,
    /// Order does not count, and the judge answer has this more often than the output.
    Missing,
    /// Order does not count, and the output has this more often than the judge answer.
    Surplus,
}

/// One of the two texts at the first difference.
///
/// Line, column and offset say where the token begins; at the end of the text, where that is; for
/// [`DifferenceKind::Blanks`], the place of the first blank that differs or is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceSide {
    /// The number of the token, from 1; at the end of the text one more than it has.
    pub token_number: u64,
    /// The line, from 1.
    pub line: u64,
    /// The column in bytes, from 1.
    pub column: u64,
    /// The offset in bytes, from 0.
    #[serde(rename = "offset_bytes")]
    pub offset: u64,
    /// The offset in bytes, from 0, of the first differing byte, or of the end of the token or text
    /// where this side has no byte any more. Letter case counts only if it decides.
    #[serde(rename = "differs_at_bytes")]
    pub differs_at: u64,
    /// The length of the whole text in bytes.
    #[serde(rename = "length_bytes")]
    pub length: u64,
    /// How many tokens the whole text has.
    pub tokens: u64,
    /// The token, cut around the first differing byte if it is long; empty at the end of the text;
    /// for [`DifferenceKind::Blanks`], the blanks from the first differing one on.
    pub token: Excerpt,
    /// The line around the first differing byte, cut to a window, without its line end.
    pub window: Excerpt,
}

impl DifferenceSide {
    /// The line around the token with the token marked. If the token is too long for that, the token with its first
    /// differing byte marked.
    pub fn marked_line(&self) -> MarkedLine<'_> {
        let token_is_cut = self.token.cut_before + self.token.cut_after > 0;
        let window_start = (self.column.saturating_sub(1)).checked_sub(self.window.cut_before);
        let (excerpt, start, length) = match window_start {
            Some(start)
                if !token_is_cut
                    && start as usize + self.token.bytes.len() <= self.window.bytes.len() =>
            {
                (&self.window, start as usize, self.token.bytes.len())
            }
            _ => (
                &self.token,
                self.first_differing_index(),
                usize::from(!self.token.bytes.is_empty()),
            ),
        };
        let start = start.min(excerpt.bytes.len());
        let end = (start + length).min(excerpt.bytes.len());
        MarkedLine {
            before: &excerpt.bytes[..start],
            mark: &excerpt.bytes[start..end],
            after: &excerpt.bytes[end..],
            cut_before: excerpt.cut_before > 0,
            cut_after: excerpt.cut_after > 0,
        }
    }

    /// `None` if the token ends there, or is not UTF-8.
    fn first_differing_character(&self) -> Option<char> {
        let bytes = &self.token.bytes;
        let differing = bytes.get(..=self.first_differing_index())?;
        let start = differing.iter().rposition(|byte| byte & 0xc0 != 0x80)?;
        bytes[start..].utf8_chunks().next()?.valid().chars().next()
    }

    /// The index of the first differing byte in the excerpt of the token.
    fn first_differing_index(&self) -> usize {
        let kept_from = self.offset + self.token.cut_before;
        let index = self.differs_at.saturating_sub(kept_from);
        let length = self.token.bytes.len();
        usize::try_from(index).map_or(length, |index| index.min(length))
    }
}

/// A line in three parts, of which the middle one is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkedLine<'a> {
    pub before: &'a [u8],
    pub mark: &'a [u8],
    pub after: &'a [u8],
    /// Whether text before these parts is omitted.
    pub cut_before: bool,
    /// Whether text after them is omitted.
    pub cut_after: bool,
}

#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Excerpt {
    /// The bytes that are shown.
    #[serde_as(as = "Text")]
    #[serde(flatten)]
    pub bytes: Vec<u8>,
    /// How many bytes of the whole token or line stand before them.
    #[serde(rename = "cut_before_bytes")]
    pub cut_before: u64,
    /// How many bytes of the whole token or line stand after them.
    #[serde(rename = "cut_after_bytes")]
    pub cut_after: u64,
}

/// A rule that, if it were relaxed, would make output and judge answer agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnlyDifference {
    /// Only blanks and line ends differ: the tokens agree, or they would if they were split elsewhere.
    Blanks,
    /// Only upper and lower case differ.
    LetterCase,
    /// Only numbers differ, each by at most 0.0001, absolutely or relatively, and never two integers.
    NearNumbers,
    BlanksAndLetterCase,
    /// Only line ends, blanks at the ends of lines, and empty lines at the end differ.
    LineEnds,
    /// Only one line end at the very end is missing or added.
    LastNewline,
}
