//! The result of a search: the counterexample as a block of lines, or how much was tried.

use crate::report::html::PageContent;
use crate::report::result::CommandResult;
use crate::report::style::{Style, TextRole};
use crate::report::terminal::interaction;
use crate::report::terminal::judgement::{quote_stderr, verdict_mark};
use crate::report::terminal::page::{INDENT, Label, Page};
use juror_core::exit_code::ExitCode;
use juror_core::explanation::ExplanationResult;
use juror_core::progress::SearchPlan;
use juror_core::text::{count, count_if_any, joined, printable, visible};
use juror_core::units::{Bytes, seconds};
use juror_core::verdict::Verdict;
use juror_data::search::result::{Counterexample, LeftOutInputs, Search, SearchEnd, StressResult};

const MAX_LINES: usize = 24;

pub(super) fn plan_lines(plan: &SearchPlan, style: &Style) -> String {
    let mut page = Page::new(style);
    let reference = format!("{} ({})", printable(&plan.reference), printable(&plan.chosen));
    page.labelled(0, "reference: ", &reference);
    page.labelled(0, "inputs:    ", &printable(&plan.sources.join(", ")));
    let (time, shrink_time) = (seconds(plan.time), seconds(plan.shrink_time));
    let time = format!("{time}, then {shrink_time} to shrink what is found");
    page.labelled(0, "time:      ", &time);
    page.into_text()
}

impl CommandResult for StressResult {
    fn render(&self, page: &mut Page<'_>) {
        let (search, explained) = (&self.search, self.explanations.last());
        let style = page.style;
        let name = printable(&search.plan.submission);
        let Some(found) = &search.found else {
            page.titled(0, &name, &format!("  {}", describe_end(search)));
            if !style.is_quiet() {
                write_tried(page, search);
                page.line(INDENT, &format!("repeat: {}", printable(&search.repeat)));
                page.blank();
            }
            return;
        };
        if style.is_quiet() {
            let cause = printable(&found.cause);
            page.line(0, &format!("{}{name}  {cause}", verdict_mark(found.verdict, style)));
            write_text(page, "input", &found.input);
            write_explanation(page, explained);
            write_saved(page, found);
            page.line(INDENT, &format!("repeat:  {}", printable(&search.repeat)));
            return;
        }
        let title = style.paint(TextRole::Title, &name);
        page.line(0, &format!("{}{title}", verdict_mark(found.verdict, style)));
        page.wrapped(INDENT, &format!("{}: {}", found.verdict.name(), printable(&found.cause)));
        write_text(page, "input", &found.input);
        if let Some(expected) = &found.expected {
            write_text(page, "expected", expected);
        }
        let is_shown = |got: &&Vec<u8>| found.verdict == Verdict::WrongAnswer || !got.is_empty();
        if let Some(got) = found.got.as_ref().filter(is_shown) {
            write_text(page, "got", got);
        }
        if let Some(transcript) = &found.transcript {
            interaction::write(page, transcript);
        }
        quote_stderr(page, "standard error of the output validator:", &found.validator_stderr);
        quote_stderr(page, "standard error:", &found.stderr);
        write_generated(page, found);
        page.blank();
        write_explanation(page, explained);
        write_origin(page, search, found);
        page.line(INDENT, &format!("repeat:  {}", printable(&search.repeat)));
        page.blank();
    }

    fn exit_code(&self) -> ExitCode {
        if self.search.found.is_some() { ExitCode::Rejected } else { ExitCode::Success }
    }

    fn page_content(&self) -> PageContent<'_> {
        PageContent::Search(self)
    }
}

/// Shows what the generator itself prints, if the input was made smaller in other ways.
fn write_generated(page: &mut Page<'_>, found: &Counterexample) {
    let Some(generated) = &found.generated else { return };
    if generated.input != found.input {
        let title = format!("printed by {}", printable(&generated.command_line));
        write_text(page, &title, &generated.input);
    }
}

fn write_explanation(page: &mut Page<'_>, explained: Option<&ExplanationResult>) {
    let explanation = explained.and_then(|result| result.explanation.as_ref());
    let why = explanation.map(|explanation| printable(&explanation.sentence()));
    page.labelled_if_any(INDENT, "why:     ", why);
}

fn write_origin(page: &mut Page<'_>, search: &Search, found: &Counterexample) {
    let after = format!(
        "after {} in {}, by {}",
        count(search.runs - search.shrinking_runs, "comparison"),
        seconds(search.searching),
        printable(&found.origin.to_string())
    );
    page.labelled(INDENT, "found:   ", &after);
    if found.failing < found.repeats {
        let text = format!(
            "only {} of {} runs on this input fail: it depends on more than the input",
            found.failing, found.repeats
        );
        page.labelled(INDENT, Label::new(TextRole::Bad, "flaky:   "), &text);
    }
    if let Some(generated) = &found.generated
        && generated.input == found.input
    {
        page.labelled(INDENT, "printed: ", &format!("by {}", printable(&generated.command_line)));
    }
    if search.shrinking_runs > 0 {
        let size = Bytes(found.first_size as u64);
        let steps = printable(&found.path.join(", "));
        let steps = (!found.path.is_empty()).then(|| format!("from {size} by {steps}"));
        let end = if search.is_smallest {
            "nothing smaller fails".to_owned()
        } else {
            format!("no smaller input among {} tried", search.shrinking_tries)
        };
        let time = seconds(search.elapsed.saturating_sub(search.searching));
        let cut = if search.shrinking_cut { ", then time ran out" } else { "" };
        let runs = count(search.shrinking_runs, "comparison");
        let runs = format!("{runs} in {time}{cut}");
        let smaller = joined([steps, Some(end), Some(runs)].into_iter().flatten(), "; ");
        page.labelled(INDENT, "smaller: ", &smaller);
    }
    write_saved(page, found);
}

fn write_saved(page: &mut Page<'_>, found: &Counterexample) {
    page.labelled_if_any(INDENT, "saved:   ", found.saved.as_deref().map(printable));
    let added = found.promoted.as_ref().map(|name| format!("as test case {}", printable(name)));
    page.labelled_if_any(INDENT, "added:   ", added);
}

fn describe_end(search: &Search) -> String {
    let runs = count(search.runs, "comparison");
    let end = match search.end {
        SearchEnd::Exhausted => "; nothing left to try",
        SearchEnd::Interrupted => ", then interrupted",
        SearchEnd::Found | SearchEnd::Time | SearchEnd::Runs => "",
    };
    format!("nothing found in {runs}, {}{end}", seconds(search.elapsed))
}

fn write_tried(page: &mut Page<'_>, search: &Search) {
    if let Some(level) = search.level.filter(|level| *level > 1 && search.runs > 0) {
        let text = format!(
            "every small input with at most {} of each choice was tried, and others at random",
            count(level - 1, "value")
        );
        page.wrapped(INDENT, &text);
    }
    if search.batched > 0 {
        let text = format!(
            "{} of them in batches: programs start once for many inputs; --fresh starts them for each input",
            search.batched
        );
        page.wrapped(INDENT, &text);
    }
    if search.end == SearchEnd::Time {
        let tried =
            search.tried.iter().filter(|source| source.inputs > 0).map(|source| {
                format!("{} {} in {}", source.inputs, source.name, seconds(source.time))
            });
        page.wrapped(INDENT, &format!("tried: {}", joined(tried, "; ")));
    }
    if let Some(slowest) = &search.slowest {
        let factor = slowest.submission.as_secs_f64() / slowest.reference.as_secs_f64().max(0.001);
        let text = format!(
            "slowest: {:.1} times the reference's time, {} of CPU time, on {} from {}",
            factor,
            seconds(slowest.submission),
            Bytes(slowest.size as u64),
            slowest.origin
        );
        page.wrapped(INDENT, &text);
        page.labelled_if_any(INDENT, "saved:   ", slowest.saved.as_deref().map(printable));
    }
    if search.left_out > 0 {
        let reasons =
            search.left_out_reasons.iter().map(|LeftOutInputs { reason, inputs, example }| {
                format!("{inputs} {reason}, such as {}", printable(example))
            });
        let inputs = count(search.left_out, "input");
        page.wrapped(INDENT, &format!("{inputs} left out: {}", joined(reasons, "; ")));
    }
}

/// Makes spaces visible that are easily overlooked.
fn write_text(page: &mut Page<'_>, title: &str, text: &[u8]) {
    let style = *page.style;
    page.blank();
    if text.is_empty() {
        page.line(INDENT, &format!("{title}: nothing"));
        return;
    }
    let has_end = text.ends_with(b"\n");
    let lines: Vec<&[u8]> =
        text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n').collect();
    page.line(INDENT, &format!("{title}:"));
    for line in lines.iter().take(MAX_LINES) {
        page.quoted_line(&mark_spaces(line, &style));
    }
    let more = count_if_any(lines.len().saturating_sub(MAX_LINES), "line");
    let is_cut_input = more.is_some() && title == "input";
    let remarks = [
        more.map(|more| format!("{} more {more}", style.ellipsis())),
        (!has_end).then(|| "no line end at the end".to_owned()),
        is_cut_input.then(|| "--save FILE writes it in full".to_owned()),
    ];
    let text = joined(remarks.into_iter().flatten(), "; ");
    if !text.is_empty() {
        page.line(INDENT + 2, &style.paint(TextRole::Dim, &text));
    }
}

/// Marks spaces at the ends of a line, and adjacent ones.
fn mark_spaces(line: &[u8], style: &Style) -> String {
    let shown = visible(line);
    let characters: Vec<char> = shown.chars().collect();
    let is_blank =
        |at: Option<usize>| at.and_then(|at| characters.get(at)).is_none_or(|sign| *sign == ' ');
    let marked = characters.iter().enumerate().map(|(at, character)| {
        let is_odd = is_blank(at.checked_sub(1)) || is_blank(Some(at + 1));
        if *character == ' ' && is_odd { style.space() } else { *character }
    });
    marked.collect()
}
