//! Why a run failed: the cause first, then the evidence.

use maud::{Markup, html};

use crate::report::html::Page;
use crate::report::html::text::{Pane, not_shown, pane, pane_if_any, picture, shorten, table};
use juror_core::difference::{Difference, DifferenceKind, DifferenceSide};
use juror_core::joint::{self, Transcript, TranscriptLine};
use juror_core::judgement::{CaseJudgement, DiffTag, Evidence, Judgement};
use juror_core::text::{count, printable, visible};
use juror_core::units::seconds;
use juror_core::verdict::Verdict;

const DIFF_LINES: usize = 40;
/// The most lines of an interaction that are shown from its beginning and its end.
const FIRST_LINES: usize = 15;
const LAST_LINES: usize = 30;

/// With the hints of its judgement, if it is the first failure.
pub(super) fn failed_case(
    page: &Page<'_>,
    case: &CaseJudgement,
    judgement: Option<&Judgement>,
) -> Markup {
    let hints = judgement.into_iter().flat_map(Judgement::hints);
    html! {
        (verdict_and_cause(case.verdict, &case.test_case, &case.explained_cause()))
        @if let Some(outcome) = &case.outcome { p.note { (outcome.describe_use_and_age()) } }
        @if let Some(difference) = &case.difference { (difference_sides(difference)) }
        @for (label, text) in hints { p { strong { (label) } (printable(text)) } }
        @if !case.cause_includes_message { (message_pane(page, "Judge message", case.message.as_bytes())) }
        (message_pane(page, "Team message", case.team_message.as_bytes()))
        @match &case.evidence {
            Some(evidence) => (evidence_panes(page, case.difference.as_deref(), evidence)),
            None if case.outcome.is_none() => {},
            None => p.note { "juror judge shows the input and output of this run." },
        }
    }
}

pub(super) fn verdict_and_cause(verdict: Verdict, test_case: &str, cause: &str) -> Markup {
    html! {
        p class={ "why " (verdict.short()) } {
            strong { (verdict.name()) " on " (printable(test_case)) }
            span { (shortened_cause(cause)) }
        }
    }
}

pub(super) fn shortened_cause(cause: &str) -> String {
    const MAX_CAUSE: usize = 500;
    match cause.char_indices().nth(MAX_CAUSE) {
        Some((end, _)) => printable(&cause[..end]) + "…",
        None => printable(cause),
    }
}

pub(super) fn difference_sides(difference: &Difference) -> Markup {
    let Difference { kind, answer, output, .. } = difference;
    html! {
        dl.sides {
            dt { "Expected" } dd.code.good { (side(answer, *kind == DifferenceKind::OutputGoesOn)) }
            dt { "Got" } dd.code { (side(output, *kind == DifferenceKind::OutputEnds)) }
        }
        p.note {
            "Line " (output.line) ", column " (output.column) "; " (difference.extent())
            @if let Some(off_by) = difference.off_by() { "; " (off_by) }
        }
        @if let Some(hint) = difference.hint() { p { strong { "Hint: " } (hint) } }
    }
}

fn side(side: &DifferenceSide, is_ended: bool) -> Markup {
    if is_ended {
        return html! { span.soft { "(the end, after " (count(side.tokens, "token")) ")" } };
    }
    let marked = side.marked_line();
    html! {
        @if marked.cut_before { "…" }
        (visible(marked.before))
        mark { @if marked.mark.is_empty() { "∅" } @else { (visible(marked.mark)) } }
        (visible(marked.after))
        @if marked.cut_after { "…" }
    }
}

fn message_pane(page: &Page<'_>, title: &str, text: &[u8]) -> Markup {
    html! {
        @if !text.trim_ascii().is_empty() { div.panes { (pane(page, Pane::messages(title), text)) } }
    }
}

pub(super) fn evidence_panes(
    page: &Page<'_>,
    difference: Option<&Difference>,
    evidence: &Evidence,
) -> Markup {
    let Evidence { answer, output, stdout, transcript, .. } = evidence;
    let has_output = !answer.is_empty() || !output.is_empty();
    let expected = if difference.is_some() { "Expected" } else { "Judge answer" };
    let beginning = |title, is_good, bytes_left_out, marked_line| Pane {
        is_good,
        bytes_left_out,
        marked_line,
        is_numbered: true,
        ..Pane::titled(title)
    };
    let hit = |side: fn(&Difference) -> &DifferenceSide| difference.map(|pair| side(pair).line);
    html! {
        @if let Some(transcript) = transcript { (transcript_table(transcript)) }
        div.panes {
            @if !evidence.input.is_empty() || has_output {
                (pane(page, beginning("Input", false, evidence.input_bytes_left_out, None), &evidence.input))
            }
            @if has_output {
                (pane(page, beginning(expected, true, evidence.answer_bytes_left_out, hit(|pair| &pair.answer)), answer))
                (pane(page, beginning("Got", false, evidence.output_bytes_left_out, hit(|pair| &pair.output)), output))
            }
            @if !stdout.is_empty() {
                (pane(page, beginning("Standard output", false, evidence.stdout_bytes_left_out, None), stdout))
            }
            (pane_if_any(page, "Standard error", &evidence.stderr))
            (pane_if_any(page, "Standard error of the output validator", &evidence.validator_stderr))
            @for image in &evidence.pictures { (picture(page, image)) }
        }
        (diff(page, evidence))
        @if !evidence.repeat.is_empty() {
            code.repeat { (printable(&evidence.repeat)) }
        }
    }
}

/// Empty if the diff has only a single difference, which is shown elsewhere.
fn diff(page: &Page<'_>, evidence: &Evidence) -> Markup {
    let lines = &evidence.diff[..evidence.diff.len().min(DIFF_LINES)];
    let left_out = evidence.diff_lines_left_out + (evidence.diff.len() - lines.len()) as u64;
    let number = |line: Option<u64>| line.map(|line| line.to_string()).unwrap_or_default();
    let size: usize = lines.iter().map(|line| line.text.len() + 80).sum();
    if (lines.len() <= 2 && left_out == 0) || !Page::take_room(&page.texts, size) {
        return html! {};
    }
    let rows = html! {
        @for line in lines {
            @let (class, sign) = match line.tag {
                DiffTag::Equal => ("", "  "),
                DiffTag::Answer => ("a", "− "),
                DiffTag::Output => ("o", "+ "),
            };
            tr class=[(!class.is_empty()).then_some(class)] {
                td.n { (number(line.answer_line)) } td.n { (number(line.output_line)) }
                td { (sign) (visible(&line.text)) }
            }
        }
    };
    let titles = ["Expected", "Got", "Line"];
    html! {
        h4 { "By lines" }
        (table("diff", "difference by lines", "− is expected, + is the output", &titles, rows))
        (not_shown(left_out, "more line"))
    }
}

fn transcript_table(transcript: &Transcript) -> Markup {
    let (first, last) =
        (joint::joined_lines(&transcript.first), joint::joined_lines(&transcript.last));
    let kept_first = first.len();
    let lines: Vec<TranscriptLine> = first.into_iter().chain(last).collect();
    if lines.is_empty() {
        return html! { p.note { "Neither side wrote anything." } };
    }
    let left_out = transcript.left_out;
    let start = FIRST_LINES.min(kept_first).min(lines.len());
    let mut end = lines.len().saturating_sub(LAST_LINES).max(start);
    if left_out.0 == 0 && end - start <= 1 {
        end = start;
    }
    let rows = html! {
        @for line in &lines[..start] { (transcript_row(line)) }
        @if end > start || left_out.0 > 0 {
            tr {
                td { "…" }
                td colspan="2" {
                    @if end > start { (count(end - start, "line")) " not shown" }
                    @if left_out.0 > 0 { " " (left_out) " not kept" }
                }
            }
        }
        @for line in &lines[end..] { (transcript_row(line)) }
    };
    let caption = "What both programs wrote, with the time since they started";
    let titles = ["Time", "Output validator", "Submission"];
    html! { h4 { "Interaction" } (table("talk", "interaction", caption, &titles, rows)) }
}

fn transcript_row(line: &TranscriptLine) -> Markup {
    let cut = shorten(&line.text, 0, visible);
    let mut text = cut.lines.concat();
    if !line.is_whole {
        text += " (no line end)";
    }
    html! {
        tr {
            td { (seconds(line.at)) }
            @match line.by {
                joint::TalkSide::Partner => { td.said { (text) } td {} },
                joint::TalkSide::Program => { td {} td.said { (text) } },
            }
        }
    }
}
