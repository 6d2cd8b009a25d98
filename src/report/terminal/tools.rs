//! Features that test data lacks, whether it separates slow submissions, and what validators let pass.

use crate::report::terminal::page::{INDENT, Page};
use juror_core::text::{count, printable, visible};
use juror_data::strength::result::{InputFeature, Strength};
use juror_data::strength::separation::{Probes, SeparationKind};
use juror_data::strength::strictness::{AcceptedFault, Strictness};

/// `--verbose` shows all.
const MAX_SHOWN: usize = 5;

pub(super) fn write(page: &mut Page<'_>, found: &Strength) {
    if !found.features.is_empty() {
        write_features(page, &found.features);
    }
    if let Some(probes) = &found.probes {
        write_speed(page, probes);
    }
    let strict = [
        ("inputs:    ", "kinds of faulty inputs are refused", &found.input_validators),
        ("outputs:   ", "kinds of wrong outputs are rejected", &found.output_validator),
    ];
    for (label, what, strictness) in strict {
        if let Some(strictness) = strictness {
            write_strictness(page, label, what, strictness);
        }
    }
}

fn write_features(page: &mut Page<'_>, found: &[InputFeature]) {
    let line = |feature: &InputFeature| {
        let example = quote_start(feature.example.as_ref()?);
        Some(format!("missing: {}: {example}", printable(&feature.about)))
    };
    let missing: Vec<String> = found.iter().filter_map(line).collect();
    let had = found.len() - missing.len();
    let text =
        format!("test cases have {had} of {} that inputs can have", count(found.len(), "feature"));
    page.labelled(0, "features:  ", &text);
    write_short_list(page, missing.into_iter());
}

fn write_short_list(page: &mut Page<'_>, all: impl ExactSizeIterator<Item = String>) {
    let (shown, whole) = (if page.style.is_verbose() { usize::MAX } else { MAX_SHOWN }, all.len());
    for text in all.take(shown) {
        page.labelled(INDENT, "- ", &text);
    }
    if whole > shown {
        page.line(INDENT, &format!("{} more; --verbose shows them", whole - shown));
    }
}

fn write_speed(page: &mut Page<'_>, probes: &Probes) {
    let (separated, decided) = probes.separated_counts();
    let text = match (probes.separations.len(), &probes.missing) {
        (0, Some(missing)) => format!("not measured: {missing}"),
        (0, None) => "no submission is declared too slow".to_owned(),
        _ => {
            let of = |by| probes.separations.iter().filter(|found| found.by == by).count();
            let open = match of(SeparationKind::Unknown) {
                0 => String::new(),
                open => format!("; {open} undecided"),
            };
            let whole = count(decided, "slow submission");
            format!("{separated} of {whole} separated from accepted ones by a test case{open}")
        }
    };
    page.labelled(0, "speed:     ", &text);
    for separation in &probes.separations {
        let name = printable(&separation.submission);
        let text = format!("{name}: {}", printable(&separation.description));
        page.labelled(INDENT, "- ", &text);
    }
    if probes.is_cut {
        page.line(INDENT, "cut off: time ran out");
    }
}

fn write_strictness(page: &mut Page<'_>, label: &'static str, what: &str, found: &Strictness) {
    if let Some(missing) = &found.missing {
        page.labelled(0, label, &format!("not measured: {missing}"));
        return;
    }
    let others = match (found.alternatives, found.refused_alternatives.len()) {
        (0, _) => String::new(),
        (all, 0) => format!("; {} accepted", count(all, "other right output")),
        (all, refused) => {
            let names = found.refused_alternatives.join(", ");
            format!("; {refused} of {} rejected: {names}", count(all, "other right output"))
        }
    };
    let text = format!("{} of {} {what}{others}", found.refused, found.faults);
    page.labelled(0, label, &printable(&text));
    write_short_list(page, found.let_through.iter().map(describe_passing_fault));
    if page.style.is_verbose() {
        page.labelled(INDENT, "known by: ", &printable(&found.oracle));
    }
}

fn describe_passing_fault(passed: &AcceptedFault) -> String {
    let AcceptedFault { fault, on, text, .. } = passed;
    format!("passes: {} ({}): {}", printable(fault), printable(on), quote_start(text))
}

fn quote_start(text: &str) -> String {
    const MAX_QUOTE: usize = 60;
    let text: String = visible(text.as_bytes()).chars().take(MAX_QUOTE).collect();
    format!("`{text}`")
}
