//! Compares two texts through windows that hold most of them whole.
//!
//! They are compared in steps of one token with the blanks before it, so that between two steps both rests begin after
//! a token. Each step first tries the fast path: the common prefix of both rests, up to the last end of a token in it,
//! is the same by every rule.

use std::io::{self, Read};

use crate::check::bytes::{
    common_prefix, common_prefix_folded, is_blank, last_token_end, take_run,
};
use crate::check::excerpt::{DifferenceSpot, sides};
use crate::check::float::are_near;
use crate::check::options::Options;
use crate::check::text::WindowedText;
use crate::check::token::{Mismatch, TokenRules, mismatch};
use crate::difference::{Difference, DifferenceKind, OnlyDifference};

/// After this many equal tokens, the fast path for a common prefix is tried again.
const SAME_STEPS: u32 = 4;

/// Compares through windows of these sizes, in bytes. A window must hold each token that is compared as a number, and
/// one byte more.
pub(super) fn compare_windows(
    answer: &mut dyn Read,
    output: &mut dyn Read,
    options: &Options,
    windows: [usize; 2],
) -> io::Result<Option<Difference>> {
    let rules = options.token_rules();
    let mut comparison = TextComparison {
        answer: WindowedText::new(answer, windows[0]).map_err(answer_error)?,
        output: WindowedText::new(output, windows[1]).map_err(output_error)?,
        options,
        rules,
        as_text: TokenRules { tolerance: None, ..rules },
        first_difference: None,
        first_tokens: None,
        differing_tokens: 0,
        only_case: options.case_sensitive,
        only_near: options.tolerance.is_none(),
        blanks: BlankDifferences::None,
    };
    comparison.compare_all()?;
    Ok(comparison.difference())
}

pub(super) fn compare_slices(
    mut answer: &[u8],
    mut output: &[u8],
    options: &Options,
) -> Option<Difference> {
    let windows = [answer.len() + 1, output.len() + 1];
    // No slice fails to be read.
    compare_windows(&mut answer, &mut output, options, windows).ok().flatten()
}

pub(super) fn answer_error(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("reading the judge answer: {error}"))
}

pub(super) fn output_error(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("reading the output: {error}"))
}

struct TextComparison<'t> {
    answer: WindowedText<'t>,
    output: WindowedText<'t>,
    options: &'t Options,
    rules: TokenRules,
    as_text: TokenRules,
    /// Without the facts that are only known at the end.
    first_difference: Option<Difference>,
    /// Offsets in the windows of the first differing tokens.
    first_tokens: Option<[usize; 2]>,
    differing_tokens: u64,
    only_case: bool,
    /// Whether all tokens that differ are near numbers.
    only_near: bool,
    blanks: BlankDifferences,
}

#[derive(Clone, Copy)]
enum BlankDifferences {
    None,
    /// One text has one more line end at its end.
    LastNewline,
    Some,
}

impl TextComparison<'_> {
    fn compare_all(&mut self) -> io::Result<()> {
        loop {
            self.fill()?;
            let (answer, output) = (self.answer.rest(), self.output.rest());
            let same = last_token_end(&answer[..common_prefix(answer, output)]);
            self.skip([same; 2]);
            self.step_in_memory();
            let blanks = self.compare_blanks()?;
            let is_end = self.answer.is_at_end() && self.output.is_at_end();
            if !is_end {
                self.compare_tokens()?;
            }
            // A difference of tokens is more informative than one of the blanks before them.
            if self.first_difference.is_none() {
                self.first_difference = blanks;
            }
            if is_end {
                return Ok(());
            }
        }
    }

    /// Skips tokens that are equal, or that only add to the number of differing ones. Stops at the first difference,
    /// before a possibly long common prefix, and at the end of a window.
    fn step_in_memory(&mut self) {
        let (answer, output) = (self.answer.rest(), self.output.rest());
        let (mut left, mut right) = (answer, output);
        let (mut differing_tokens, mut same) = (0, 0);
        let (mut only_case, mut only_near) = (self.only_case, self.only_near);
        loop {
            let (mut next_left, mut next_right) = (left, right);
            let has_same_blanks = take_run(&mut next_left, true) == take_run(&mut next_right, true);
            let (of_left, of_right) =
                (take_run(&mut next_left, false), take_run(&mut next_right, false));
            let is_cut = next_left.is_empty() || next_right.is_empty();
            let do_blanks_count =
                self.options.space_change_sensitive || self.options.line_sensitive;
            if is_cut || (!has_same_blanks && do_blanks_count) {
                break;
            }
            if of_left == of_right {
                same += 1;
                if has_same_blanks && same >= SAME_STEPS {
                    break;
                }
            } else {
                same = 0;
                if mismatch(of_left, of_right, &self.rules).is_some() {
                    if self.first_tokens.is_none() {
                        break;
                    }
                    only_case &= of_left.eq_ignore_ascii_case(of_right);
                    only_near = only_near && are_near(of_left, of_right);
                    differing_tokens += 1;
                }
            }
            (left, right) = (next_left, next_right);
        }
        let done = [answer.len() - left.len(), output.len() - right.len()];
        self.differing_tokens += differing_tokens;
        (self.only_case, self.only_near) = (only_case, only_near);
        self.skip(done);
    }

    /// Reads enough of both rests to see a whole number.
    fn fill(&mut self) -> io::Result<()> {
        self.answer.fill().map_err(answer_error)?;
        self.output.fill().map_err(output_error)
    }

    fn skip(&mut self, lengths: [usize; 2]) {
        self.answer.skip(lengths[0]);
        self.output.skip(lengths[1]);
    }

    fn skip_runs(&mut self, of_blanks: bool) -> io::Result<()> {
        self.answer.skip_run(of_blanks).map_err(answer_error)?;
        self.output.skip_run(of_blanks).map_err(output_error)
    }

    /// Skips the blanks; returns their difference, if they count.
    fn compare_blanks(&mut self) -> io::Result<Option<Difference>> {
        match self.options {
            Options { space_change_sensitive: true, .. } => {}
            Options { line_sensitive: true, .. } => return self.compare_line_ends(),
            _ => return self.skip_runs(true).map(|()| None),
        }
        let (left, right) = loop {
            let (left, right) = (self.answer.peek_run(true), self.output.peek_run(true));
            let same = common_prefix(left, right);
            let is_whole = self.answer.ends_in_memory(left) && self.output.ends_in_memory(right);
            if same == 0 || (is_whole && left == right) {
                break (left, right);
            }
            self.skip([same; 2]);
            self.fill()?;
        };
        if left == right {
            self.skip([left.len(); 2]);
            return Ok(None);
        }
        let is_last_newline = match (self.answer.rest(), self.output.rest()) {
            ([], rest) | (rest, []) => matches!(rest, b"\n" | b"\r\n"),
            _ => false,
        };
        self.blanks = match self.blanks {
            BlankDifferences::None if is_last_newline => BlankDifferences::LastNewline,
            _ => BlankDifferences::Some,
        };
        let spots = [self.answer.spot(left, 0), self.output.spot(right, 0)];
        let found =
            self.first_difference.is_none().then(|| new_difference(DifferenceKind::Blanks, spots));
        self.skip_runs(true)?;
        Ok(found)
    }

    /// Only line ends before tokens count.
    fn compare_line_ends(&mut self) -> io::Result<Option<Difference>> {
        let spots = [
            self.answer.spot(self.answer.peek_run(true), 0),
            self.output.spot(self.output.peek_run(true), 0),
        ];
        let found = new_difference(DifferenceKind::Blanks, spots);
        let mut line_ends = [0, 0];
        loop {
            let runs = [self.answer.peek_run(true), self.output.peek_run(true)];
            let is_whole =
                self.answer.ends_in_memory(runs[0]) && self.output.ends_in_memory(runs[1]);
            for (line_ends, run) in line_ends.iter_mut().zip(runs) {
                *line_ends += run.iter().filter(|byte| **byte == b'\n').count();
            }
            self.skip(runs.map(<[u8]>::len));
            if is_whole {
                break;
            }
            self.fill()?;
        }
        let is_end = self.answer.is_at_end() || self.output.is_at_end();
        if line_ends[0] == line_ends[1] || is_end {
            return Ok(None);
        }
        self.blanks = BlankDifferences::Some;
        Ok(self.first_difference.is_none().then_some(found))
    }

    /// Compares and skips the next token of both rests, or of the one that has one.
    fn compare_tokens(&mut self) -> io::Result<()> {
        let (left, right) = loop {
            self.fill()?;
            let (left, right) = (self.answer.peek_run(false), self.output.peek_run(false));
            let length = left.len().min(right.len());
            let goes_on = (!self.answer.ends_in_memory(left) && left.len() == length)
                || (!self.output.ends_in_memory(right) && right.len() == length);
            if !goes_on || mismatch(&left[..length], &right[..length], &self.as_text).is_some() {
                break (left, right);
            }
            self.answer.skip_in_token(length);
            self.output.skip_in_token(length);
        };
        let is_inside = self.answer.is_inside_token();
        // A token that does not fit in a window is not a number.
        let rules = if is_inside { &self.as_text } else { &self.rules };
        let mismatch = match (left, right) {
            (_, []) if !is_inside => Some(DifferenceKind::OutputEnds.into()),
            ([], _) if !is_inside => Some(DifferenceKind::OutputGoesOn.into()),
            _ => mismatch(left, right, rules),
        };
        let lengths = [left.len(), right.len()];
        if let Some(mismatch) = mismatch {
            let is_whole = self.answer.ends_in_memory(left) && self.output.ends_in_memory(right);
            self.only_case &= is_whole && left.eq_ignore_ascii_case(right);
            self.only_near = self.only_near && is_whole && !is_inside && are_near(left, right);
            self.differing_tokens += 1;
            self.first_tokens.get_or_insert([self.answer.position(), self.output.position()]);
            if self.first_difference.is_none() {
                let same = if self.options.case_sensitive {
                    common_prefix(left, right)
                } else {
                    common_prefix_folded(left, right)
                };
                let spots = [self.answer.spot(left, same), self.output.spot(right, same)];
                self.first_difference = Some(new_difference(mismatch, spots));
            }
        }
        self.skip(lengths);
        match mismatch {
            // If the token does not fit in the window, its rest is still to be skipped.
            Some(_) => self.skip_runs(false),
            None => Ok(()),
        }
    }

    fn difference(self) -> Option<Difference> {
        let only = self.accepting_rule();
        let mut found = self.first_difference?;
        found.only = only;
        found.differing_tokens = self.differing_tokens;
        (found.answer.length, found.answer.tokens) = self.answer.length_and_tokens();
        (found.output.length, found.output.tokens) = self.output.length_and_tokens();
        Some(found)
    }

    /// The weakest change of the rules that accepts the output.
    fn accepting_rule(&self) -> Option<OnlyDifference> {
        match (self.blanks, self.differing_tokens) {
            (BlankDifferences::LastNewline, 0) => Some(OnlyDifference::LastNewline),
            (BlankDifferences::None, _) if self.only_case => Some(OnlyDifference::LetterCase),
            (BlankDifferences::None, 1..) if self.only_near => Some(OnlyDifference::NearNumbers),
            (_, 0) => Some(OnlyDifference::Blanks),
            _ if self.only_case => Some(OnlyDifference::BlanksAndLetterCase),
            _ => self.split_differently(),
        }
    }

    /// Whether the texts from the first differing tokens on differ only in blanks; unknown for texts that do not fit
    /// in their windows.
    fn split_differently(&self) -> Option<OnlyDifference> {
        let [answer, output] = self.first_tokens?;
        let answer = without_blanks(&self.answer.whole_text()?[answer..]);
        let output = without_blanks(&self.output.whole_text()?[output..]);
        if answer.clone().eq(output.clone()) {
            Some(OnlyDifference::Blanks)
        } else if !answer.map(u8::to_ascii_lowercase).eq(output.map(u8::to_ascii_lowercase)) {
            None
        } else if self.options.case_sensitive {
            Some(OnlyDifference::BlanksAndLetterCase)
        } else {
            Some(OnlyDifference::Blanks)
        }
    }
}

/// Without the facts that are only known at the end.
pub(super) fn new_difference(
    mismatch: impl Into<Mismatch>,
    [answer, output]: [DifferenceSpot<'_>; 2],
) -> Difference {
    let Mismatch { kind, gap } = mismatch.into();
    let (answer, output) = sides(&answer, &output);
    Difference { kind, only: None, accepted_by: None, differing_tokens: 0, gap, answer, output }
}

fn without_blanks(text: &[u8]) -> impl Iterator<Item = &u8> + Clone {
    text.iter().filter(|&&byte| !is_blank(byte))
}
