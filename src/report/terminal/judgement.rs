//! A submission's result, as a block of lines that begins with the verdict.

use std::cmp::Reverse;
use std::fmt::Display;

use crate::report::document::each_once;
use crate::report::style::{Style, TextRole};
use crate::report::terminal::compiler::quote_from_first_error;
use crate::report::terminal::difference;
use crate::report::terminal::interaction;
use crate::report::terminal::page::{INDENT, Label, Page, lines_of, write_left_out};
use crate::report::terminal::score;
use juror_core::judgement::{CaseJudgement, CompilerReport, Evidence, JudgeError, Judgement};
use juror_core::messages::missing_header_hint;
use juror_core::outcome::Outcome;
use juror_core::text::{count, count_if_any, joined, printable, shell_word, with_help};
use juror_core::units::seconds;
use juror_core::verdict::Verdict;

const MAX_QUOTED_LINES: usize = 12;

const MAX_NAMED_CASES: usize = 5;

/// How many outputs that nothing judges are shown.
const MAX_OUTPUTS: usize = 10;

/// For quiet mode. The name is shown if there are several submissions.
pub(super) fn verdict_line(name: Option<&str>, judgement: &Judgement, style: &Style) -> String {
    let mut page = Page::new(style);
    let name = name.map(printable);
    let total = judgement.score.as_ref();
    let score = total.map(|total| score::with_maximum(total.score, total.max_score));
    let broken = (!judgement.broken.is_empty()).then(|| "unexpected".to_owned());
    let parts = joined([name, score, broken].into_iter().flatten(), "  ");
    let mark = judgement_mark(judgement, style);
    page.line(0, &(mark + &parts));
    page.into_text()
}

/// Ends with an empty line. `origin` says where the verdict comes from, if it is not new.
pub(super) fn block(judgement: &Judgement, origin: &str, style: &Style) -> String {
    let mut page = Page::new(style);
    let name = style.paint(TextRole::Title, &printable(&judgement.submission));
    page.line(0, &format!("{}{name}{origin}", judgement_mark(judgement, style)));
    match (judgement.rejected().next(), judgement.refusal()) {
        (Some(case), _) => write_rejected(&mut page, judgement, case),
        (None, Some((cause, messages))) => {
            page.wrapped(INDENT, &format!("compile error: {}", printable(cause)));
            quote_from_first_error(&mut page, messages);
            let label = Label::new(TextRole::Title, "hint: ");
            page.labelled_if_any(INDENT, label, missing_header_hint(messages));
        }
        _ => write_accepted(&mut page, judgement),
    }
    score::write(&mut page, judgement);
    if style.is_verbose() {
        compiler_messages(&mut page, judgement);
        write_cases(&mut page, judgement);
    }
    page.blank();
    page.into_text()
}

/// Ends with an empty line. Empty if no expectation is broken. Submissions that break theirs in the same way are shown
/// together.
pub(super) fn broken_expectations<'a>(
    judgements: impl IntoIterator<Item = &'a Judgement>,
    style: &Style,
) -> String {
    let mut groups: Vec<Vec<&Judgement>> = Vec::new();
    for judgement in judgements.into_iter().filter(|judgement| !judgement.broken.is_empty()) {
        let like = |group: &&mut Vec<&Judgement>| is_broken_alike(group[0], judgement);
        match groups.iter_mut().find(like) {
            Some(group) => group.push(judgement),
            None => groups.push(vec![judgement]),
        }
    }
    groups.iter().map(|group| broken_block(group, style)).collect()
}

fn is_broken_alike(one: &Judgement, other: &Judgement) -> bool {
    let causes = |judgement: &Judgement| -> Vec<_> {
        let witnesses = witnesses(judgement).into_iter();
        witnesses.map(|case| (case.cause.clone(), case.difference.clone())).collect()
    };
    one.refusal() == other.refusal()
        && causes(one) == causes(other)
        && (one.broken == other.broken || !witnesses(one).is_empty())
}

/// The test cases that break expectations, each once.
fn witnesses(judgement: &Judgement) -> Vec<&CaseJudgement> {
    let names = judgement.broken.iter().filter_map(|broken| broken.test_case.as_deref());
    let case = |name: &str| judgement.cases.iter().find(|case| case.test_case == name);
    each_once(names).into_iter().filter_map(case).collect()
}

fn broken_block(group: &[&Judgement], style: &Style) -> String {
    let judgement = group[0];
    let mut page = Page::new(style);
    for same in group.chunk_by(|one, next| one.broken == next.broken) {
        for judgement in same {
            page.line(0, &style.paint(TextRole::Title, &printable(&judgement.submission)));
        }
        for expectation in &same[0].broken {
            let label = Label::new(TextRole::Bad, "broken: ");
            page.labelled(INDENT, label, &printable(&expectation.to_string()));
        }
    }
    if let Some((cause, messages)) = judgement.refusal()
        && !style.is_verbose()
        && !style.is_quiet()
    {
        page.wrapped(INDENT, &format!("compile error: {}", printable(cause)));
        quote_from_first_error(&mut page, messages);
    }
    witnesses(judgement).into_iter().for_each(|case| write_witness(&mut page, case));
    page.blank();
    page.into_text()
}

/// Writes the test case that breaks an expectation.
fn write_witness(page: &mut Page<'_>, case: &CaseJudgement) {
    let text = format!("{}: {}", printable(&case.test_case), printable(&case.cause));
    let short = format!("{:<3}  ", case.verdict);
    let label = Label::new(TextRole::Verdict(case.verdict), &short);
    page.labelled(INDENT, label, &text);
    if let Some(difference) = &case.difference {
        difference::write(page, difference);
    }
    if let Some(evidence) = &case.evidence {
        write_repeat(page, evidence);
    }
}

/// `submissions` is empty if the failure is not about submissions.
pub(super) fn judge_error(submissions: &[String], error: &JudgeError, style: &Style) -> String {
    let mut page = Page::new(style);
    let label = style.paint(TextRole::JudgeError, "judge error");
    if let ([name], Some(tool)) = (submissions, &error.lacks) {
        let label = Label::new(TextRole::JudgeError, "skipped: ");
        let why = if error.is_no_program() { error.reason.clone() } else { format!("no {tool}") };
        let text = format!("{}: {}", printable(name), with_help(&why, error.help.as_deref()));
        page.labelled(0, label, &printable(&text));
        return page.into_text() + if style.is_quiet() { "" } else { "\n" };
    }
    let what = format!("cannot {}: {}", printable(&error.step), printable(&error.reason));
    if style.is_quiet() {
        let names = submissions.iter().map(|name| format!("{}: ", printable(name)));
        let names = names.chain(submissions.is_empty().then(String::new));
        names.for_each(|name| page.line(0, &format!("{label}: {name}{what}")));
        return page.into_text();
    }
    match submissions {
        [_, ..] => {
            let names = joined(submissions.iter().map(|name| printable(name)), ", ");
            let label = Label::new(TextRole::JudgeError, "judge error");
            page.labelled(0, label, &format!(": no verdict for {names}"));
            page.labelled(INDENT, "", &what);
        }
        [] => page.labelled(0, Label::new(TextRole::JudgeError, "judge error: "), &what),
    }
    page.labelled_if_any(INDENT, "help: ", error.help.as_deref().map(printable));
    if let Some(program) = &error.program {
        quote_stderr(&mut page, "its standard error:", &program.stderr);
        let (repeat, kept) = (program.repeat.clone(), program.kept.clone());
        write_repeat(&mut page, &Evidence { repeat, kept, ..Evidence::default() });
    }
    page.blank();
    page.into_text()
}

/// Padded to [`INDENT`].
pub(super) fn verdict_mark(verdict: impl Into<Option<Verdict>>, style: &Style) -> String {
    let Some(verdict) = verdict.into() else {
        return " ".repeat(INDENT);
    };
    mark(verdict, verdict.short(), style)
}

fn judgement_mark(judgement: &Judgement, style: &Style) -> String {
    mark(judgement.verdict, judgement.short_verdict(), style)
}

fn mark(verdict: Verdict, short: &str, style: &Style) -> String {
    let padding = " ".repeat(INDENT - short.len());
    format!("{}{padding}", style.paint(TextRole::Verdict(verdict), short))
}

fn write_accepted(page: &mut Page<'_>, judgement: &Judgement) {
    if judgement.cases.is_empty() {
        page.wrapped(INDENT, "no test case was run");
        return;
    }
    let cases = count(judgement.passed_cases(), "test case");
    let mut text = format!("{} on {cases}", judgement.accepted_word());
    if !judgement.is_compared() {
        text.push_str("; outputs are not compared");
    }
    text.extend(judgement.unjudged_note());
    page.wrapped(INDENT, &text);
    write_extremes(page, judgement);
    write_outputs(page, judgement);
    write_remarks(page, judgement);
}

/// Writes the beginning and the end of each output that was not compared, up to [`MAX_OUTPUTS`].
fn write_outputs(page: &mut Page<'_>, judgement: &Judgement) {
    let shown: Vec<_> = judgement.cases.iter().filter(|case| !case.is_compared).collect();
    let most = if page.style.is_verbose() { shown.len() } else { MAX_OUTPUTS };
    for case in shown.iter().take(most) {
        let Some(evidence) = &case.evidence else { continue };
        quote_stdout(page, &format!("{}:", printable(&case.test_case)), evidence);
    }
    if let Some(more) = count_if_any(shown.len().saturating_sub(most), "more output") {
        page.wrapped(INDENT, &format!("{more}; -v shows them"));
    }
}

/// Writes each remark once, with the first test case that has it.
fn write_remarks(page: &mut Page<'_>, judgement: &Judgement) {
    let mut shown: Vec<&str> = Vec::new();
    for case in judgement.cases.iter() {
        let Some(remark) = case.remark.as_deref().filter(|remark| !shown.contains(remark)) else {
            continue;
        };
        shown.push(remark);
        let text = format!("{}: {}", printable(&case.test_case), printable(remark));
        page.labelled(INDENT, Label::new(TextRole::Title, "remark: "), &text);
    }
}

fn write_extremes(page: &mut Page<'_>, judgement: &Judgement) {
    let cases = judgement.cases.iter();
    // The first of equal cases.
    let runs =
        cases.filter_map(|case| Some((case.outcome.as_ref()?, Reverse(case.test_case.as_str()))));
    let slowest = runs.clone().map(|(run, name)| (run.cpu_time, name)).max();
    let largest = runs.map(|(run, name)| (run.memory(), name)).max();
    if let (Some((time, Reverse(slowest))), Some((memory, Reverse(largest)))) = (slowest, largest) {
        let time = seconds(time);
        let (slowest, largest) = (printable(slowest), printable(largest));
        let memory = match memory {
            Some(memory) => format!("up to {memory} ({largest})"),
            None => "not measured".to_owned(),
        };
        let text = format!("CPU time up to {time} ({slowest}), memory {memory}");
        page.wrapped(INDENT, &text);
    }
}

fn write_rejected(page: &mut Page<'_>, judgement: &Judgement, case: &CaseJudgement) {
    let (test_case, cause) = (printable(&case.test_case), printable(&case.cause));
    page.wrapped(INDENT, &format!("{} on {test_case}: {cause}", case.verdict.name()));
    if let Some(outcome) = &case.outcome {
        let with_age = page.style.is_verbose();
        let used = if with_age { outcome.describe_use_and_age() } else { outcome.describe_use() };
        page.wrapped(INDENT, &used);
    }
    if let Some(repeats) = &case.repeats {
        page.wrapped(INDENT, &repeats.summary_with_meaning());
    }
    write_other_cases(page, judgement, case);
    if page.style.is_verbose() {
        write_extremes(page, judgement);
    }
    write_outputs(page, judgement);
    if let Some(evidence) = &case.evidence {
        write_input(page, evidence);
    }
    if let Some(difference) = &case.difference {
        page.blank();
        difference::write(page, difference);
    }
    if case.difference.is_none() && judgement.hints().next().is_some() {
        page.blank();
    }
    for (label, text) in judgement.hints() {
        page.labelled(INDENT, Label::new(TextRole::Title, &label.to_lowercase()), &printable(text));
    }
    if let Some(evidence) = &case.evidence {
        difference::write_diff(page, evidence);
        if let Some(transcript) = &evidence.transcript {
            interaction::write(page, transcript);
        }
    }
    if !case.cause_includes_message {
        quote(page, "judge message:", case.message.as_bytes());
    }
    quote(page, "team message:", case.team_message.as_bytes());
    if let Some(evidence) = &case.evidence {
        quote_stderr(page, "standard error of the output validator:", &evidence.validator_stderr);
        quote_stdout(page, "standard output:", evidence);
        quote_stderr(page, "standard error:", &evidence.stderr);
        if !evidence.images.is_empty() {
            page.blank();
            page.wrapped(INDENT, &format!("images: {}", evidence.images.join(", ")));
        }
        write_repeat(page, evidence);
    }
}

/// Commands and paths are neither wrapped nor shortened, so that they can be copied.
fn write_repeat(page: &mut Page<'_>, evidence: &Evidence) {
    let Evidence { repeat, kept, feedback, .. } = evidence;
    if !repeat.is_empty() || kept.is_some() {
        page.blank();
    }
    if !repeat.is_empty() {
        page.line(INDENT, &format!("repeat: {}", printable(repeat)));
    }
    for (label, kept) in [("files:  ", kept), ("feedback: ", feedback)] {
        if let Some(kept) = kept {
            page.line(INDENT, &format!("{label}{}", path(kept.display())));
        }
    }
}

fn write_other_cases(page: &mut Page<'_>, judgement: &Judgement, first: &CaseJudgement) {
    if judgement.cases.len() + judgement.skipped == 1 {
        return;
    }
    let all = judgement.cases.len() - judgement.unjudged_cases();
    let note = judgement.unjudged_note().unwrap_or_default();
    let accepted = judgement.passed_cases();
    let (skipped, word) = (judgement.skipped, judgement.accepted_word());
    if skipped > 0 {
        let (reason, help) = judgement.skip_reason();
        let why = match reason.strip_prefix("stopped") {
            Some(_) => format!("{reason}, {skipped} not run"),
            None => format!("{skipped} not run: {reason}"),
        };
        let all = count(all + skipped, "test case");
        page.wrapped(INDENT, &format!("{accepted} of {all} {word}; {why}{help}{note}"));
        if judgement.spared > 0 || judgement.score.is_some() {
            return;
        }
    }
    let mut text = match skipped {
        0 => format!("{accepted} of {} {word}{note}", count(all, "test case")),
        _ => String::new(),
    };
    let others = judgement.rejected().filter(|case| case.test_case != first.test_case);
    let rest: Vec<String> =
        others.map(|case| format!("{} {}", case.verdict, printable(&case.test_case))).collect();
    if !rest.is_empty() {
        let named = rest.len().min(MAX_NAMED_CASES);
        text.push_str(if text.is_empty() { "also " } else { "; also " });
        text.push_str(&rest[..named].join(", "));
        if rest.len() > named {
            text.push_str(&format!(", and {} more", rest.len() - named));
        }
    }
    if !text.is_empty() {
        page.wrapped(INDENT, &text);
    }
}

fn compiler_messages(page: &mut Page<'_>, judgement: &Judgement) {
    if let Some(CompilerReport { refusal: None, messages, .. }) = &judgement.compiler {
        if lines_of(messages).is_empty() {
            return;
        }
        page.blank();
        page.line(INDENT, "compiler messages:");
        quote_from_first_error(page, messages);
    }
}

/// A line such as `AC   0.003 s  1.20 MiB  secret/edges/01`, and the cause of a rejection.
fn write_cases(page: &mut Page<'_>, judgement: &Judgement) {
    if !judgement.cases.is_empty() {
        page.blank();
    }
    for case in judgement.cases.iter() {
        let cause = match case.verdict {
            Verdict::Accepted => String::new(),
            _ => format!("  {}", printable(&case.cause)),
        };
        let repeats =
            case.repeats.as_ref().map(|repeats| format!("  {}", repeats.summary_with_meaning()));
        let of = |fact: fn(&Outcome) -> String| case.outcome.as_ref().map(fact).unwrap_or_default();
        let text = format!(
            "{}{:>7}  {:>8}  {}{cause}{}",
            mark(case.verdict, case.short_verdict(), page.style),
            of(|outcome| seconds(outcome.cpu_time)),
            of(|outcome| outcome.memory().map_or("-".to_owned(), |memory| memory.to_string())),
            printable(&case.test_case),
            repeats.unwrap_or_default()
        );
        page.line(INDENT, &text);
    }
    // The first rejection is shown in full above.
    let first = judgement.rejected().next().map(|case| &case.test_case);
    for case in judgement.cases.iter().filter(|case| Some(&case.test_case) != first) {
        if let Some(evidence) = &case.evidence {
            let title = format!("standard error on {}:", printable(&case.test_case));
            quote(page, &title, &evidence.stderr);
        }
    }
}

/// Writes a text for people. Writes nothing if it is empty.
///
/// Shows the first and the last lines of a long text: some languages report the fault first, others last.
fn quote(page: &mut Page<'_>, title: &str, text: &[u8]) {
    quote_ends(page, title, text, (0, MAX_QUOTED_LINES), Page::quoted_messages);
}

fn quote_stdout(page: &mut Page<'_>, title: &str, evidence: &Evidence) {
    let bounds = (evidence.stdout_bytes_left_out, MAX_QUOTED_LINES);
    quote_ends(page, title, &evidence.stdout, bounds, Page::quoted);
}

/// Traces and the reports of sanitizers are long, and their most important line may be anywhere.
pub(super) fn quote_stderr(page: &mut Page<'_>, title: &str, text: &[u8]) {
    const MAX_LINES: usize = 40;
    quote_ends(page, title, text, (0, MAX_LINES), Page::quoted_messages);
}

/// `unknown` bytes are missing in the middle of the text. If there are more than `most` lines, some are left out.
fn quote_ends<'a>(
    page: &mut Page<'a>,
    title: &str,
    text: &[u8],
    (unknown, most): (u64, usize),
    write: fn(&mut Page<'a>, &[&[u8]]),
) {
    let lines = lines_of(text);
    if lines.is_empty() {
        return;
    }
    page.blank();
    page.line(INDENT, title);
    // A note that one line is omitted would take the room of that line.
    if lines.len() <= most + 1 && unknown == 0 {
        write(page, &lines);
        return;
    }
    let head = (most / 2).min(lines.len().div_ceil(2));
    let tail = (most / 2).min(lines.len() / 2);
    write(page, &lines[..head]);
    write_left_out(page, lines.len() - head - tail, "line", unknown);
    write(page, &lines[lines.len() - tail..]);
}

/// Shows a short input in full; of a long one the beginning, and the command that shows all of it.
fn write_input(page: &mut Page<'_>, evidence: &Evidence) {
    let lines = lines_of(&evidence.input);
    if lines.is_empty() && evidence.input_path.is_none() {
        return;
    }
    let shown = match lines.len() {
        few if few <= MAX_QUOTED_LINES + 1 => few,
        _ => MAX_QUOTED_LINES,
    };
    let unknown = evidence.input_bytes_left_out;
    let is_whole = shown == lines.len() && unknown == 0 && lines.iter().all(|line| page.fits(line));
    let file = evidence.input_path.as_deref();
    let title = match file.filter(|_| is_whole) {
        Some(file) => format!("input ({})", path(file.display())),
        None => "input".to_owned(),
    };
    page.blank();
    page.line(INDENT, &format!("{title}:{}", if lines.is_empty() { " empty" } else { "" }));
    page.quoted(&lines[..shown]);
    write_left_out(page, lines.len() - shown, "more line", unknown);
    if let Some(file) = file.filter(|_| !is_whole) {
        let file = shell_word(file.as_os_str().as_encoded_bytes());
        page.line(INDENT, &format!("in full: less {file}"));
    }
}

fn path(path: impl Display) -> String {
    printable(&path.to_string())
}
