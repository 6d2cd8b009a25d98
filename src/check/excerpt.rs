//! Cuts what a person sees of the two texts at their first difference.

use std::io::Read;

use crate::check::text::{Place, Run, Text};
use crate::model::difference::{Excerpt, Side};

/// How many bytes of a long token are shown.
const TOKEN: usize = 60;

/// How many bytes of the line are shown before, and as many from, the first differing byte.
const LINE: usize = 40;

/// Where the two runs began in which the texts differ.
#[derive(Clone, Copy)]
pub(super) struct RunStart {
    /// Token or blanks.
    pub(super) run: Run,
    /// In the judge answer.
    pub(super) answer: Place,
    /// In the output.
    pub(super) output: Place,
}

/// The two sides at the first difference.
pub(super) struct Sides {
    pub(super) answer: Side,
    pub(super) output: Side,
}

impl Sides {
    /// Cuts both sides around the first differing byte, which both texts must have reached.
    ///
    /// What comes later is missing: how much was cut after, length and number of tokens.
    pub(super) fn cut<A: Read, O: Read>(
        answer: &mut Text<A>,
        output: &mut Text<O>,
        start: &RunStart,
    ) -> Self {
        let longest = answer.run(start.run).max(output.run(start.run));
        // The same for both sides, so that they stand under each other.
        let before = TOKEN - longest.min(TOKEN / 2);
        Self {
            answer: cut_side(answer, start.run, start.answer, before),
            output: cut_side(output, start.run, start.output, before),
        }
    }

    /// Sets how much of the token or the blanks was cut after, when both texts have reached their ends.
    pub(super) fn end_run<A: Read, O: Read>(&mut self, answer: &Text<A>, output: &Text<O>) {
        end_excerpt(&mut self.answer, answer.place().offset);
        end_excerpt(&mut self.output, output.place().offset);
    }

    /// Sets what is only known when both texts are read.
    pub(super) fn end_text<A: Read, O: Read>(&mut self, answer: &Text<A>, output: &Text<O>) {
        end_side(&mut self.answer, answer);
        end_side(&mut self.output, output);
    }
}

fn cut_side<R: Read>(text: &mut Text<R>, run: Run, start: Place, before: usize) -> Side {
    text.want_line_end();
    let here = text.place();
    let place = match run {
        Run::Blanks => here,
        Run::Token => start,
    };
    let agreed = usize::try_from(here.offset - place.offset).unwrap_or(usize::MAX);
    let line_ahead = text.ahead().iter().position(|&byte| byte == b'\n');
    let line_ahead = &text.ahead()[..line_ahead.unwrap_or(text.ahead().len())];
    let token = Around {
        before: here.offset - place.offset,
        behind: text.behind(),
        ahead: &text.ahead()[..text.run(run)],
    };
    let line = Around { before: here.column - 1, behind: text.behind(), ahead: line_ahead };
    Side {
        token_number: text.tokens + 1,
        line: place.line,
        column: place.column,
        offset: place.offset,
        differs_at: here.offset,
        token: token.cut(before, TOKEN - agreed.min(before)),
        window: line.cut(LINE, LINE),
        length: 0,
        tokens: 0,
    }
}

/// A token or a line around the first differing byte.
struct Around<'t> {
    /// How many bytes of it stand before.
    before: u64,
    /// What is still known of the text before; may begin before the token or line.
    behind: &'t [u8],
    /// What is known of the token or line from the differing byte on.
    ahead: &'t [u8],
}

impl Around<'_> {
    /// Keeps so many bytes before and after, and a few more where a cut would go through a character.
    fn cut(&self, before: usize, after: usize) -> Excerpt {
        let behind = usize::try_from(self.before).unwrap_or(usize::MAX).min(self.behind.len());
        let behind = &self.behind[self.behind.len() - behind..];
        let from = character_start(behind, behind.len().saturating_sub(before));
        let to = character_end(self.ahead, after.min(self.ahead.len()));
        Excerpt {
            bytes: [&behind[from..], &self.ahead[..to]].concat(),
            cut_before: self.before - (behind.len() - from) as u64,
            cut_after: 0,
        }
    }
}

/// The place, or up to three bytes before it, where a UTF-8 character may begin.
pub(super) fn character_start(bytes: &[u8], place: usize) -> usize {
    let least = place.saturating_sub(3);
    let may_begin = |&start: &usize| bytes.get(start).is_none_or(|&byte| !is_continuation(byte));
    (least..=place).rev().find(may_begin).unwrap_or(place)
}

/// The place, or up to three bytes after it, where a UTF-8 character may end.
pub(super) fn character_end(bytes: &[u8], place: usize) -> usize {
    let may_end = |&end: &usize| bytes.get(end).is_none_or(|&byte| !is_continuation(byte));
    (place..=place + 3).find(may_end).unwrap_or(place)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn end_excerpt(side: &mut Side, run_end: u64) {
    let shown = side.token.cut_before + side.token.bytes.len() as u64;
    side.token.cut_after = run_end - side.offset - shown;
}

fn end_side<R: Read>(side: &mut Side, text: &Text<R>) {
    side.length = text.place().offset;
    side.tokens = text.tokens;
    let line_start = side.offset - (side.column - 1);
    let shown = side.window.cut_before + side.window.bytes.len() as u64;
    side.window.cut_after = text.line_end() - line_start - shown;
}
