//! Compares two whole texts by name, and finds which other comparisons accept an output that differs.

use std::io;

use crate::check::bytes::{common_prefix, count_tokens};
use crate::check::excerpt::{DifferenceSpot, DroppedPart};
use crate::check::named::cut::Span;
use crate::check::named::engine::{AnswerFault, Unequal, compare_texts};
use crate::check::named::rows::{LineRule, Order, ROWS, Row};
use crate::check::named::unit::Unit;
use crate::check::named::{NamedComparison, RefusedAnswer, parse};
use crate::check::options::Options;
use crate::check::windows::{compare_slices, new_difference};
use crate::difference::{Difference, OnlyDifference};
use crate::text::short_quote;

/// Usual tolerances, as comparisons.
const TOLERANCES: [&str; 3] = ["float=1e-9", "float=1e-6", "float=1e-4"];

/// Lines with all their blanks, except for those at the end.
const LINE_ENDS: Row = Row::TestlibLines(LineRule::RightStripped);

impl NamedComparison {
    /// What is to be said about an output that this accepts.
    pub(in crate::check) fn accepted_remark(
        &self,
        answer: &[u8],
        output: &[u8],
    ) -> Option<&'static str> {
        let by_lines = compare_texts(&Row::TestlibLines(LineRule::Words), answer, output);
        let remark = "the words are right, but on other lines; `--compare lines` would reject them";
        by_lines.is_err().then_some(remark)
    }

    /// Compares two whole texts; `None` if the output is accepted.
    pub(in crate::check) fn compare(
        &self,
        answer: &[u8],
        output: &[u8],
    ) -> io::Result<Result<Option<Difference>, RefusedAnswer>> {
        match compare_texts(&self.row, answer, output) {
            Ok(()) => Ok(Ok(None)),
            Err(Unequal::Refused(fault)) => Ok(Err(self.refusal(answer, &fault))),
            Err(Unequal::Unknown(fault)) => Err(fault.into()),
            Err(Unequal::Different { mismatch, answer: left, output: right }) => {
                let runs = [left.of(answer), right.of(output)];
                let equal_bytes = common_prefix(runs[0], runs[1]);
                let whole = DroppedPart::default();
                let spot = |text, run, span: Span| DifferenceSpot {
                    window: text,
                    dropped: &whole,
                    offset: span.start as u64,
                    run,
                    start: span.start,
                    equal_bytes,
                };
                let spots = [spot(answer, runs[0], left), spot(output, runs[1], right)];
                let mut difference = new_difference(mismatch, spots);
                for (side, text) in
                    [(&mut difference.answer, answer), (&mut difference.output, output)]
                {
                    side.length = text.len() as u64;
                    side.tokens = count_tokens(text);
                }
                if let Some(near) = self.compare_by_validator(answer, output) {
                    difference.differing_tokens = near.differing_tokens;
                    difference.only = near.only.filter(|_| self.is_plain());
                }
                self.add_hints(&mut difference, answer, output);
                Ok(Ok(Some(difference)))
            }
        }
    }

    /// Adds what is said about an output that is nearly right.
    pub(in crate::check) fn add_hints(
        &self,
        difference: &mut Difference,
        answer: &[u8],
        output: &[u8],
    ) {
        const WEAKER: [(&str, Row); 2] =
            [("lines", Row::TestlibLines(LineRule::Words)), ("words", ROWS[0].1)];
        if !self.is_plain() {
            return;
        }
        let accepts = |(_, row): &&(&str, Row)| compare_texts(row, answer, output).is_ok();
        let accepting = WEAKER.iter().find(accepts).map(|(name, _)| *name);
        let by_tokens = compare_slices(answer, output, &Options::default());
        let in_tokens = || by_tokens.is_none().then_some("tokens");
        let only = by_tokens.as_ref().and_then(|difference| difference.only);
        let is_near = only == Some(OnlyDifference::NearNumbers);
        let tolerances = TOLERANCES.into_iter().filter(|_| is_near);
        let within = || tolerances.clone().find(|most| accepts_within(most, answer, output));
        difference.accepted_by = accepting.or_else(in_tokens).or_else(within).map(str::to_owned);
        let ends_differ = compare_texts(&LINE_ENDS, answer, output).is_ok();
        if ends_differ && matches!(difference.only, Some(OnlyDifference::Blanks)) {
            difference.only = Some(OnlyDifference::LineEnds);
        }
    }

    /// Whether text is compared in its order, so that another comparison may be what the user means.
    fn is_plain(&self) -> bool {
        match self.row {
            Row::Validator(_) | Row::TestlibLines(_) => true,
            Row::Tokens(row) => row.unit == Unit::Word && row.order == Order::Sequence,
            Row::Lines(row) => {
                row.order == Order::Sequence && !matches!(row.rule, LineRule::Floats(_))
            }
            _ => false,
        }
    }

    /// What the default output validator says if its options are those that come nearest.
    fn compare_by_validator(&self, answer: &[u8], output: &[u8]) -> Option<Difference> {
        let space_change_sensitive =
            matches!(self.row, Row::TestlibLines(LineRule::Bytes) | Row::Lines(_));
        let line_sensitive = matches!(self.row, Row::TestlibLines(LineRule::Words));
        let nearest = Options::of_comparison(*self);
        let options = Options { space_change_sensitive, line_sensitive, named: None, ..nearest };
        compare_slices(answer, output, &options)
    }

    fn refusal(&self, answer: &[u8], fault: &AnswerFault) -> RefusedAnswer {
        RefusedAnswer {
            name: self.name,
            line: memchr::memchr_iter(b'\n', &answer[..fault.span.start]).count() as u64 + 1,
            expected: fault.expected.clone(),
            found: match fault.span.of(answer) {
                [] => "the end of the file".to_owned(),
                token => format!("`{}`", short_quote(token)),
            },
        }
    }
}

fn accepts_within(tolerance: &str, answer: &[u8], output: &[u8]) -> bool {
    let named = parse(tolerance).ok().flatten();
    named.is_some_and(|named| compare_texts(&named.row, answer, output).is_ok())
}
