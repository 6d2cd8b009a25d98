//! Compares an output with the judge answer in one pass and in constant memory.
//!
//! # Theory of operation
//!
//! Both texts are read through windows of constant size. The comparison goes in steps of one token
//! with the blanks before it; between two steps both texts stand behind a token. There it first tries
//! the quick way: what both windows have in common, up to the last end of a token in it, is the same by
//! every rule, and is only counted. The step that follows looks at the blanks and the token that stopped
//! the quick way. A token of any length is compared piece by piece, so none is ever held.
//!
//! At the first difference the excerpts are cut from the windows. The texts are then read to their
//! ends: how much differs, and whether a weaker rule would have accepted, is known only there.

use std::io::{self, Read};

use crate::check::bytes::{common_prefix, common_prefix_folded, is_blank, last_token_end};
use crate::check::excerpt::{RunStart, Sides};
use crate::check::float;
use crate::check::options::Options;
use crate::check::text::{BlockCounts, Run, Text};
use crate::check::token::{Mismatch, mismatch};
use crate::model::difference::{Difference, DifferenceKind, OnlyDifference};

/// Compares an output with the judge answer: none if it is accepted.
///
/// Takes about half a mebibyte of memory for texts, lines and tokens of any length.
///
/// Source: problem package format 2025-09, "Default output validator specification".
///
/// # Errors
///
/// If reading fails; the message says which of the two.
pub fn compare(
    answer: impl Read,
    output: impl Read,
    options: &Options,
) -> io::Result<Option<Difference>> {
    let mut comparison = Comparison {
        answer: Text::new(answer, "the judge answer"),
        output: Text::new(output, "the output"),
        options,
        first: None,
        differing_tokens: 0,
        only_case: options.case_sensitive,
        blanks: BlankDifferences::None,
    };
    comparison.run()?;
    Ok(comparison.difference())
}

struct Comparison<'o, A, O> {
    answer: Text<A>,
    output: Text<O>,
    options: &'o Options,
    first: Option<Box<First>>,
    differing_tokens: u64,
    /// Whether all differing tokens are the same but for letter case.
    only_case: bool,
    blanks: BlankDifferences,
}

/// The first difference.
struct First {
    mismatch: Mismatch,
    sides: Sides,
}

/// Where blanks differ, if they count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlankDifferences {
    None,
    /// Only in one line end, which one of the texts has more than the other at its end.
    LastNewline,
    Some,
}

/// How letter case counts.
#[derive(Clone, Copy)]
enum Case {
    Sensitive,
    Folded,
}

/// What the windows show of the two tokens ahead.
enum Step {
    /// Both, of these lengths; and why they differ, if they do.
    Whole { answer: usize, output: usize, mismatch: Option<Mismatch> },
    /// Only one, because the other text has ended.
    Single(Mismatch),
    /// Not both, because they are long; this is what is wrong if they differ.
    Long(Mismatch),
}

impl<A: Read, O: Read> Comparison<'_, A, O> {
    fn run(&mut self) -> io::Result<()> {
        loop {
            self.skip_equal()?;
            let blanks = self.compare_blanks()?;
            self.fill()?;
            let is_end = self.answer.at_end() && self.output.at_end();
            if !is_end {
                self.compare_tokens()?;
            }
            // A difference of the tokens themselves says more than one of the blanks before them.
            if self.first.is_none() {
                self.first = blanks;
            }
            if is_end {
                return Ok(());
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.answer.fill()?;
        self.output.fill()
    }

    /// Goes on, behind a token, to behind the last token of all that is the same byte for byte.
    fn skip_equal(&mut self) -> io::Result<()> {
        loop {
            self.fill()?;
            let (answer, output) = (self.answer.ahead(), self.output.ahead());
            let common = common_prefix(answer, output);
            let is_all = common == answer.len() && common == output.len();
            let block = if is_all && self.answer.sees_end() && self.output.sees_end() {
                answer
            } else {
                &answer[..last_token_end(&answer[..common])]
            };
            let is_stopped = block.is_empty() || common < answer.len().min(output.len());
            if !block.is_empty() {
                let counts = BlockCounts::of(block);
                self.answer.skip_block(&counts);
                self.output.skip_block(&counts);
            }
            if is_stopped {
                return Ok(());
            }
        }
    }

    /// Goes on over blanks; gives their difference if it may be the first one.
    fn compare_blanks(&mut self) -> io::Result<Option<Box<First>>> {
        if !self.options.space_change_sensitive {
            self.answer.skip_rest(Run::Blanks)?;
            self.output.skip_rest(Run::Blanks)?;
            return Ok(None);
        }
        let start = self.run_start(Run::Blanks);
        if self.skip_agreeing(Run::Blanks, Case::Sensitive)? {
            return Ok(None);
        }
        let is_last_newline = match (self.answer.ahead(), self.output.ahead()) {
            ([], rest) => self.output.sees_end() && is_newline(rest),
            (rest, []) => self.answer.sees_end() && is_newline(rest),
            _ => false,
        };
        self.blanks = match self.blanks {
            BlankDifferences::None if is_last_newline => BlankDifferences::LastNewline,
            _ => BlankDifferences::Some,
        };
        let sides = match self.first {
            None => Some(self.cut_sides(&start)?),
            Some(_) => None,
        };
        self.answer.skip_rest(Run::Blanks)?;
        self.output.skip_rest(Run::Blanks)?;
        Ok(sides.map(|mut sides| {
            sides.end_run(&self.answer, &self.output);
            Box::new(First { mismatch: DifferenceKind::Blanks.into(), sides })
        }))
    }

    /// Goes on over the next token on both sides, or on the side that has one.
    fn compare_tokens(&mut self) -> io::Result<()> {
        let mismatch = match self.step() {
            Step::Whole { answer, output, mismatch } => match mismatch {
                Some(mismatch) if self.must_look_closer() => mismatch,
                _ => {
                    self.differing_tokens += u64::from(mismatch.is_some());
                    self.answer.skip(Run::Token, answer);
                    self.output.skip(Run::Token, output);
                    self.answer.tokens += 1;
                    self.output.tokens += 1;
                    return Ok(());
                }
            },
            Step::Single(mismatch) | Step::Long(mismatch) => mismatch,
        };
        let answer_tokens = self.answer.tokens + u64::from(!self.answer.at_end());
        let output_tokens = self.output.tokens + u64::from(!self.output.at_end());
        let start = self.run_start(Run::Token);
        let case = if self.options.case_sensitive { Case::Sensitive } else { Case::Folded };
        if !self.skip_agreeing(Run::Token, case)? {
            self.count_difference(mismatch, &start)?;
        }
        self.answer.tokens = answer_tokens;
        self.output.tokens = output_tokens;
        Ok(())
    }

    /// Whether of tokens that differ more must be known than that they do.
    fn must_look_closer(&self) -> bool {
        self.differing_tokens == 0 || self.only_case
    }

    /// Compares the tokens ahead without going on.
    fn step(&self) -> Step {
        if self.output.at_end() {
            return Step::Single(DifferenceKind::OutputEnds.into());
        }
        if self.answer.at_end() {
            return Step::Single(DifferenceKind::OutputGoesOn.into());
        }
        match (self.answer.whole_token(), self.output.whole_token()) {
            (Some(answer), Some(output)) => Step::Whole {
                answer: answer.len(),
                output: output.len(),
                mismatch: mismatch(answer, output, self.options),
            },
            // The output's token is too long to be a number.
            (Some(answer), None)
                if self.options.tolerance.is_some() && float::parse(answer).is_some() =>
            {
                Step::Long(DifferenceKind::NotANumber.into())
            }
            _ => Step::Long(DifferenceKind::Token.into()),
        }
    }

    /// Goes on to the ends of two tokens that differ from here on.
    fn count_difference(&mut self, mismatch: Mismatch, start: &RunStart) -> io::Result<()> {
        self.differing_tokens += 1;
        if self.differing_tokens == 1 && self.may_be_split_elsewhere() {
            self.answer.start_fingerprint();
            self.output.start_fingerprint();
        }
        let sides = match self.first {
            None => Some(self.cut_sides(start)?),
            Some(_) => None,
        };
        if self.only_case {
            self.only_case = self.skip_agreeing(Run::Token, Case::Folded)?;
        }
        self.answer.skip_rest(Run::Token)?;
        self.output.skip_rest(Run::Token)?;
        if let Some(mut sides) = sides {
            sides.end_run(&self.answer, &self.output);
            self.first = Some(Box::new(First { mismatch, sides }));
        }
        Ok(())
    }

    /// Whether, at the first differing token, the same characters may still follow on both sides.
    fn may_be_split_elsewhere(&self) -> bool {
        match (self.answer.ahead().first(), self.output.ahead().first()) {
            (None, _) | (_, None) => false,
            (Some(answer), Some(output)) => {
                is_blank(*answer) || is_blank(*output) || answer.eq_ignore_ascii_case(output)
            }
        }
    }

    fn run_start(&self, run: Run) -> RunStart {
        RunStart { run, answer: self.answer.place(), output: self.output.place() }
    }

    fn cut_sides(&mut self, start: &RunStart) -> io::Result<Sides> {
        self.fill()?;
        Ok(Sides::cut(&mut self.answer, &mut self.output, start))
    }

    /// Goes on in both runs to where they differ, or to their ends; true if they are the same.
    fn skip_agreeing(&mut self, run: Run, case: Case) -> io::Result<bool> {
        loop {
            self.fill()?;
            let (answer, output) = (self.answer.run(run), self.output.run(run));
            if answer == 0 || output == 0 {
                return Ok(answer == output);
            }
            let both = answer.min(output);
            let (left, right) = (&self.answer.ahead()[..both], &self.output.ahead()[..both]);
            let agreeing = match case {
                Case::Sensitive => common_prefix(left, right),
                Case::Folded => common_prefix_folded(left, right),
            };
            self.answer.skip(run, agreeing);
            self.output.skip(run, agreeing);
            if agreeing < both {
                return Ok(false);
            }
        }
    }

    /// What was found, when both texts are read.
    fn difference(self) -> Option<Difference> {
        let only = self.only();
        let First { mismatch, mut sides } = *self.first?;
        sides.end_text(&self.answer, &self.output);
        Some(Difference {
            kind: mismatch.kind,
            answer: sides.answer,
            output: sides.output,
            differing_tokens: self.differing_tokens,
            only,
            gap: mismatch.gap,
        })
    }

    /// Which weaker rule would have accepted.
    fn only(&self) -> Option<OnlyDifference> {
        match self.blanks {
            BlankDifferences::LastNewline if self.differing_tokens == 0 => {
                return Some(OnlyDifference::LastNewline);
            }
            BlankDifferences::None if self.only_case => return Some(OnlyDifference::LetterCase),
            _ if self.differing_tokens == 0 => return Some(OnlyDifference::Blanks),
            _ if self.only_case => return Some(OnlyDifference::BlanksAndLetterCase),
            _ => {}
        }
        let (answer, output) = (self.answer.fingerprint?, self.output.fingerprint?);
        let is_folded_same = answer.folded == output.folded;
        match self.options.case_sensitive {
            true if answer == output => Some(OnlyDifference::Blanks),
            true if is_folded_same => Some(OnlyDifference::BlanksAndLetterCase),
            false if is_folded_same => Some(OnlyDifference::Blanks),
            _ => None,
        }
    }
}

/// Whether this is one line end.
fn is_newline(bytes: &[u8]) -> bool {
    matches!(bytes, b"\n" | b"\r\n")
}
