//! The strength of test data: gates, parts of the score, what no test case catches, and the kill matrix.

use std::collections::HashMap;

use maud::{Markup, html};

use crate::report::html::failure::verdict_and_cause;
use crate::report::html::overview::{MAX_PRINTED_COLUMNS, name_end};
use crate::report::html::text::{Pane, bar, not_shown, pane, section, table};
use crate::report::html::{Page, PageContent};
use juror_core::text::{count, printable, short_list, visible};
use juror_data::strength::result::{Gate, GateState, ScorePart, Strength, Subject, SubjectStatus};
use juror_data::strength::strictness::Strictness;

const MAX_MISSED: usize = 60;
const MAX_CELLS: usize = 60_000;
const MAX_ROWS: usize = 1000;
const MAX_NAMES: usize = 8;

pub(super) fn sections(page: &Page<'_>) -> Markup {
    let PageContent::Strength(found) = page.content else { return html! {} };
    html! {
        (gates(&found.gates))
        @if !found.subjects.is_empty() {
            (missed(page, found))
            (parts(found))
            (matrix(found))
            (programs(found))
            (validators(page, found))
        }
        @if !found.lacking.is_empty() {
            @let lacking = html! { ul.remarks { @for lack in &found.lacking { li { (lack) } } } };
            (section("lacking", "Missing", lacking))
        }
    }
}

pub(super) fn tally(page: &Page<'_>) -> Option<String> {
    let PageContent::Strength(found) = page.content else { return None };
    let (programs, seed) = (count(found.subjects.len(), "program"), found.seed);
    Some(format!("{programs} ({}), random seed {seed},", found.tally()))
}

fn gates(gates: &[Gate]) -> Markup {
    html! {
        (section("gates", "Gates", html! {
            ul.remarks {
                @for gate in gates {
                    @let (class, word) = match gate.state {
                        GateState::Open => ("AC", "ok"),
                        GateState::Shut => ("WA", "failed"),
                        GateState::Unknown => ("JE", "unknown"),
                    };
                    li { span class={ "v " (class) } { (word) } " " (gate.name) ": " (printable(&gate.detail)) }
                }
            }
        }))
    }
}

fn parts(found: &Strength) -> Markup {
    let row = |part: &ScorePart| {
        html! {
            tr {
                th scope="row" { (part.name) }
                td.n {
                    @match part.value {
                        Some(value) => { ((value * 100.0).round()) " %" (bar("AC", value)) },
                        None => "not measured",
                    }
                }
                td.n { (format!("{:.2}", part.weight)) }
            }
        }
    };
    let rows = html! { @for part in &found.parts { (row(part)) } };
    let caption = "What the score is made of. If a part is not measured, the others count more.";
    let titles = ["Part", ">Reached", ">Weight"];
    html! {
        (section("parts", "The score", html! {
            (table("sorts", "the score", caption, &titles, rows))
            @if let Some(hold_out) = &found.hold_out { p.note { "Held out: " (hold_out) } }
        }))
    }
}

fn missed(page: &Page<'_>, found: &Strength) -> Markup {
    let all: Vec<&Subject> =
        found.subjects.iter().filter(|subject| subject.status == SubjectStatus::Missed).collect();
    html! {
        @if !all.is_empty() {
            (section("missed", "Wrong programs that pass", html! {
                @for subject in all.iter().take(MAX_MISSED) { (missed_program(page, subject)) }
                (not_shown(all.len().saturating_sub(MAX_MISSED) as u64, "more program"))
            }))
        }
    }
}

fn missed_program(page: &Page<'_>, subject: &Subject) -> Markup {
    let gain = subject.missed.as_ref().map(|missed| format!("{:.1} points", missed.gain));
    html! {
        details.card.bad open {
            summary {
                span.v.WA { "missed" }
                h3 { (printable(&subject.id)) }
                span.because { (printable(&subject.fault)) @if let Some(gain) = gain { ", " (gain) } }
            }
            div.body {
                @if let Some(edit) = &subject.edit {
                    p.note { (printable(&edit.file)) ":" (edit.line) ":" (edit.column) }
                    div.panes {
                        (pane(page, Pane::titled("As it is"), edit.before.as_bytes()))
                        (pane(page, Pane::titled("Changed"), edit.after.as_bytes()))
                    }
                }
                @if let Some(missed) = &subject.missed {
                    (verdict_and_cause(missed.verdict, "this input", &missed.cause))
                    div.panes { (pane(page, Pane::titled("Input"), &missed.input)) }
                    @if !missed.also.is_empty() {
                        p.note { "The input catches " (missed.also.len()) " more that pass: " (printable(&short_list(&missed.also, MAX_NAMES))) }
                    }
                    @if let Some(name) = &missed.promoted { p.note { "Added as test case " (printable(name)) } }
                }
            }
        }
    }
}

fn matrix(found: &Strength) -> Markup {
    let counting: Vec<&Subject> =
        found.subjects.iter().filter(|subject| subject.status.counts()).collect();
    let columns: Vec<&str> = found.cases.iter().map(|case| case.test_case.as_str()).collect();
    let most = MAX_CELLS / columns.len().max(1);
    let needed = |name: &str| found.minimal.iter().any(|case| case == name);
    html! {
        @if !columns.is_empty() && !counting.is_empty() {
            section class=(if columns.len() > MAX_PRINTED_COLUMNS { "matrix large" } else { "matrix" }) aria-labelledby="kills" {
                h2 #kills { "Which test case rejects which program" }
                p {
                    (found.minimal.len()) " of " (count(columns.len(), "test case")) " reject all that is rejected; they have a "
                    strong { "*" } "."
                    @if !found.matrix { " Each program was run until two test cases rejected it; " code { "--matrix" } " tries all." }
                }
                div.wide tabindex="0" role="group" aria-label="which test case rejects which program" {
                    table {
                        caption { (count(counting.len(), "program")) " on " (count(columns.len(), "test case")) }
                        thead { tr {
                            th scope="col" { "Program" }
                            @for name in &columns {
                                th scope="col" title=(printable(name)) { span { @if needed(name) { "* " } (name_end(name)) } }
                            }
                        } }
                        tbody {
                            tr {
                                th scope="row" { "rejected" }
                                @for case in &found.cases { td { @if case.kills > 0 { (case.kills) } } }
                            }
                            @for subject in counting.iter().take(most) { (matrix_row(subject, &columns)) }
                        }
                    }
                }
                (not_shown(counting.len().saturating_sub(most) as u64, "more program"))
            }
        }
    }
}

fn matrix_row(subject: &Subject, columns: &[&str]) -> Markup {
    let kills = subject.killers.iter().map(|kill| (&*kill.test_case, kill.verdict.short()));
    let kills: HashMap<&str, &str> = kills.collect();
    let name = printable(&subject.id);
    html! {
        tr {
            th scope="row" title=(name) { (name) }
            @for column in columns {
                @match kills.get(column) { Some(short) => td class=(short) { (short) }, None => td {} }
            }
        }
    }
}

fn programs(found: &Strength) -> Markup {
    let row = |subject: &Subject| {
        let class = match subject.status {
            SubjectStatus::Caught => "AC",
            SubjectStatus::Missed => "WA",
            _ => "",
        };
        let says = [subject.reason.as_deref(), subject.same_as.as_deref()].into_iter().flatten();
        html! {
            tr {
                td { span class={ "v " (class) } { (subject.status) } }
                th.name scope="row" { (printable(&subject.id)) }
                td { (printable(&subject.fault)) }
                td.n { (format!("{:.1}", subject.hardness)) }
                td.n { (subject.tried) }
                td.because { @for text in says { (printable(text)) } }
            }
        }
    };
    let rows = html! { @for subject in found.subjects.iter().take(MAX_ROWS) { (row(subject)) } };
    let caption = "Hardness: negative log2 of the chance that a fresh input rejects it";
    let titles = ["Outcome", "Program", "Kind of fault", ">Hardness", ">Fresh inputs", "Note"];
    html! {
        (section("programs", "All programs", html! {
            (table("sorts", "all programs", caption, &titles, rows))
            (not_shown(found.subjects.len().saturating_sub(MAX_ROWS) as u64, "more program"))
        }))
    }
}

fn validators(page: &Page<'_>, found: &Strength) -> Markup {
    let all: [(&str, &Option<Strictness>); 2] = [
        ("kinds of faulty inputs are refused", &found.input_validators),
        ("kinds of wrong outputs are rejected", &found.output_validator),
    ];
    let measured: Vec<(&str, &Strictness)> =
        all.into_iter().filter_map(|(what, measure)| Some((what, measure.as_ref()?))).collect();
    html! {
        @if !measured.is_empty() {
            (section("validators", "Validators", html! {
                @for (what, strictness) in measured {
                    p { (strictness.refused) " of " (strictness.faults) " " (what) "." }
                    @for fault in &strictness.let_through {
                        details.failure {
                            summary { (visible(fault.fault.as_bytes())) " (" (printable(&fault.on)) ")" }
                            div.panes { (pane(page, Pane::titled("Passes"), fault.text.as_bytes())) }
                        }
                    }
                    @if let Some(missing) = &strictness.missing { p.note { (printable(missing)) } }
                }
            }))
        }
    }
}
