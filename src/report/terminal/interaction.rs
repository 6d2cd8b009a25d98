//! The transcript of an interaction, as lines with times.

use crate::report::style::TextRole;
use crate::report::terminal::page::{INDENT, Page};
use juror_core::joint::{Transcript, TranscriptLine, joined_lines};
use juror_core::text::{count, visible};
use juror_core::units::seconds;

const FIRST_LINES: usize = 8;
/// Most failures are at the end.
const LAST_LINES: usize = 16;

/// Uses the notation of `.interaction` files, with the time of each line.
pub fn write(page: &mut Page<'_>, transcript: &Transcript) {
    let (first, last) = (joined_lines(&transcript.first), joined_lines(&transcript.last));
    if first.is_empty() && last.is_empty() {
        return;
    }
    page.blank();
    page.line(INDENT, "interaction: `<` from the output validator, `>` from the submission");
    let both: Vec<&TranscriptLine> = first.iter().chain(&last).collect();
    let left_out = transcript.left_out;
    if left_out.0 == 0 && both.len() <= FIRST_LINES + LAST_LINES + 1 {
        both.iter().for_each(|line| write_line(page, line));
        return;
    }
    let start = match left_out.0 {
        0 => FIRST_LINES,
        _ => FIRST_LINES.min(first.len()),
    };
    let end = both.len().saturating_sub(LAST_LINES).max(start);
    both[..start].iter().for_each(|line| write_line(page, line));
    let hidden = match (end - start, left_out.0) {
        (lines, 0) => count(lines, "line"),
        (0, _) => format!("{left_out} not kept"),
        (lines, _) => format!("{}, {left_out} not kept", count(lines, "line")),
    };
    let text = format!("{} {hidden}", page.style.ellipsis());
    page.line(INDENT + 2, &page.style.paint(TextRole::Dim, &text));
    both[end..].iter().for_each(|line| write_line(page, line));
}

fn write_line(page: &mut Page<'_>, line: &TranscriptLine) {
    let end = if line.is_whole { "" } else { " (no line end)" };
    let text = visible(&line.text);
    page.quoted_line(&format!("{:>8} {}{text}{end}", seconds(line.at), line.by.mark()));
}
