//! The first difference between an output and the judge answer, and the diff around it.

use unicode_width::UnicodeWidthStr;

use crate::report::style::{Style, TextRole, shorten};
use crate::report::terminal::page::{INDENT, Label, MIN_TEXT_WIDTH, Page};
use juror_core::difference::{Difference, DifferenceKind, DifferenceSide, MarkedLine};
use juror_core::judgement::{DiffLine, DiffTag, Evidence};
use juror_core::text::{count, visible};

const MAX_DIFF_LINES: usize = 25;

pub fn write(page: &mut Page<'_>, difference: &Difference) {
    page.wrapped(INDENT, &describe_position(difference, page.style));
    let digits = difference.answer.line.max(difference.output.line).to_string().len();
    write_side(page, difference, TextRole::Expected, digits);
    write_side(page, difference, TextRole::Actual, digits);
    page.wrapped(INDENT, &difference.extent());
    if let Some(off_by) = difference.off_by() {
        page.wrapped(INDENT, &off_by);
    }
    page.labelled_if_any(INDENT, Label::new(TextRole::Title, "hint: "), difference.hint());
}

/// The position, such as `first difference at token 3: line 2, column 5`; in verbose mode also its byte offset.
fn describe_position(difference: &Difference, style: &Style) -> String {
    let (answer, output) = (&difference.answer, &difference.output);
    let space = style.space();
    let at = |side: &DifferenceSide| {
        let offset = style.is_verbose().then(|| format!(", byte offset {}", side.offset));
        format!("line {}, column {}{}", side.line, side.column, offset.unwrap_or_default())
    };
    let token = match difference.kind {
        DifferenceKind::Blanks => format!(
            "first difference in the blanks before token {} ({space} is a space)",
            output.token_number
        ),
        _ => format!("first difference at token {}", output.token_number),
    };
    let mut position = format!("{token}: {}", at(output));
    if at(answer) != at(output) {
        position.push_str(&format!(" (expected: {})", at(answer)));
    }
    if output.token.cut_before > 0 {
        let into = output.differs_at.saturating_sub(output.offset);
        position.push_str(&format!(", {} into the token", count(into, "byte")));
    }
    position
}

fn write_side(page: &mut Page<'_>, difference: &Difference, role: TextRole, digits: usize) {
    let style = *page.style;
    let (label, side, ended) = match role {
        TextRole::Expected => {
            ("expected", &difference.answer, difference.kind == DifferenceKind::OutputGoesOn)
        }
        _ => ("got", &difference.output, difference.kind == DifferenceKind::OutputEnds),
    };
    let label = style.paint(role, &format!("{label:<8}"));
    let label = format!("{label} {:>digits$}", side.line);
    let bar = style.bar();
    let indent = INDENT + 2;
    if ended {
        let text = format!("(the end, after {})", count(side.tokens, "token"));
        page.line(indent, &format!("{label} {bar} {}", style.paint(TextRole::Dim, &text)));
        return;
    }
    let shown = ShownLine::new(difference.kind, side, &style, digits);
    page.line(indent, &format!("{label} {bar} {}", shown.text()));
    let carets = style.paint(role, &"^".repeat(shown.mark.width().max(1)));
    let margin = " ".repeat(shown.before.width());
    let blank = " ".repeat(8 + 1 + digits);
    page.line(indent, &format!("{blank} {bar} {margin}{carets}"));
}

struct ShownLine {
    before: String,
    mark: String,
    after: String,
}

impl ShownLine {
    /// Marks the token. If the token is too long, marks its first different byte.
    fn new(kind: DifferenceKind, side: &DifferenceSide, style: &Style, digits: usize) -> Self {
        let form = |bytes: &[u8]| {
            let text = visible(bytes);
            match kind {
                DifferenceKind::Blanks => text.replace(' ', &style.space().to_string()),
                _ => text,
            }
        };
        let MarkedLine { before, mark, after, cut_before, cut_after } = side.marked_line();
        let mut shown = Self { before: form(before), mark: form(mark), after: form(after) };
        if cut_before {
            shown.before.insert_str(0, style.ellipsis());
        }
        if cut_after {
            shown.after.push_str(style.ellipsis());
        }
        shown.shorten(style, digits);
        shown
    }

    /// Shortens the text before the mark first, so that the mark stays visible.
    fn shorten(&mut self, style: &Style, digits: usize) {
        let room = style.width.saturating_sub(INDENT + 2 + 12 + digits).max(MIN_TEXT_WIDTH);
        let ellipsis = style.ellipsis();
        if self.before.width() + self.mark.width() + self.after.width() > room {
            let keep = room / 2;
            if self.before.width() > keep {
                let turned: String = self.before.chars().rev().collect();
                let tail = shorten(&turned, keep.saturating_sub(ellipsis.width()), "");
                self.before = ellipsis.chars().chain(tail.chars().rev()).collect();
            }
            let room = room.saturating_sub(self.before.width());
            if self.mark.width() > room {
                self.mark = shorten(&self.mark, room.max(MIN_TEXT_WIDTH), ellipsis);
                self.after.clear();
            } else if self.mark.width() + self.after.width() > room {
                let room = room - self.mark.width();
                self.after = if room < 20 {
                    ellipsis.to_owned()
                } else {
                    shorten(&self.after, room, ellipsis)
                };
            }
        }
    }

    fn text(&self) -> String {
        format!("{}{}{}", self.before, self.mark, self.after)
    }
}

/// Writes nothing if the diff adds nothing to the first difference.
pub fn write_diff(page: &mut Page<'_>, evidence: &Evidence) {
    let is_single = |tag: DiffTag| evidence.diff.iter().filter(|line| line.tag == tag).count() <= 1;
    let says_nothing_new = evidence.diff_lines_left_out == 0
        && is_single(DiffTag::Answer)
        && is_single(DiffTag::Output)
        && evidence.diff.iter().all(|line| line.tag != DiffTag::Equal);
    if says_nothing_new {
        return;
    }
    page.blank();
    page.line(INDENT, "by lines (- expected, + got):");
    let shown = evidence.diff.len().min(MAX_DIFF_LINES);
    let digits = evidence.diff[..shown]
        .iter()
        .flat_map(|line| [line.answer_line, line.output_line])
        .flatten()
        .max()
        .map_or(1, |number| number.to_string().len());
    for line in &evidence.diff[..shown] {
        diff_line(page, line, digits);
    }
    let left_out = evidence.diff_lines_left_out + (evidence.diff.len() - shown) as u64;
    if left_out > 0 {
        let text = format!("{} {} not shown", page.style.ellipsis(), count(left_out, "more line"));
        page.line(INDENT + 2, &text);
    }
}

fn diff_line(page: &mut Page<'_>, line: &DiffLine, digits: usize) {
    let style = *page.style;
    let number = |line: Option<u64>| line.map(|line| line.to_string()).unwrap_or_default();
    let (sign, role) = match line.tag {
        DiffTag::Equal => (' ', TextRole::Plain),
        DiffTag::Answer => ('-', TextRole::Expected),
        DiffTag::Output => ('+', TextRole::Actual),
    };
    let margin = format!(
        "{:>digits$} {:>digits$} {}",
        number(line.answer_line),
        number(line.output_line),
        style.bar()
    );
    let room = style.width.saturating_sub(INDENT + 2 + margin.width() + 3).max(MIN_TEXT_WIDTH);
    let text = shorten(&visible(&line.text), room, style.ellipsis());
    let text = style.paint(role, format!("{sign} {text}").trim_end());
    page.line(INDENT + 2, &format!("{margin} {text}"));
}
