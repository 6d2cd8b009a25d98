//! How the time of submissions grows, and what validators let pass.

use crate::model::probe::{Law, Probes, SeparatedBy, SubmissionProbe};
use crate::model::strength::{InputFeature, Strength};
use crate::model::strictness::{LetThrough, Strictness};
use crate::model::text::{count, printable, visible};
use crate::model::units::seconds;
use crate::report::terminal::page::{INDENT, Page};

/// How many faults that pass are shown; `--verbose` shows all.
const SHOWN: usize = 5;

/// Everything, as far as it was measured.
pub(super) fn add(page: &mut Page<'_>, found: &Strength) {
    if !found.features.is_empty() {
        features(page, &found.features);
    }
    if let Some(probes) = &found.probes {
        speed(page, probes);
    }
    let strict = [
        ("inputs:    ", "kinds of faulty inputs are refused", &found.input_validators),
        (
            "changes:   ",
            "changes of the grammar are noticed by a test case",
            &found.grammar_changes,
        ),
        ("outputs:   ", "kinds of wrong outputs are rejected", &found.output_validator),
    ];
    for (label, what, strictness) in strict {
        if let Some(strictness) = strictness {
            self::strictness(page, label, what, strictness);
        }
    }
}

/// Features that no test case has.
fn features(page: &mut Page<'_>, found: &[InputFeature]) {
    let missing = found.iter().filter_map(|it| Some((it, it.example.as_ref()?)));
    let missing: Vec<String> = missing
        .map(|(it, example)| format!("missing: {}: {}", printable(&it.about), quoted(example)))
        .collect();
    let had = found.len() - missing.len();
    let text =
        format!("test cases have {had} of {} that inputs can have", count(found.len(), "feature"));
    page.labelled(0, "features:  ", &text);
    some(page, missing.into_iter());
}

/// A list, shortened if it is long.
fn some(page: &mut Page<'_>, all: impl ExactSizeIterator<Item = String>) {
    let (shown, whole) = (if page.style.is_verbose() { usize::MAX } else { SHOWN }, all.len());
    for it in all.take(shown) {
        page.labelled(INDENT, "- ", &it);
    }
    if whole > shown {
        page.line(INDENT, &format!("{} more; --verbose shows them", whole - shown));
    }
}

fn speed(page: &mut Page<'_>, probes: &Probes) {
    let (separated, separable) = probes.separated();
    let slow = probes.separations.len();
    let text = match (slow, &probes.missing) {
        (0, Some(missing)) => format!("not measured: {missing}"),
        (0, None) => "no submission is declared too slow".to_owned(),
        _ => {
            let waits = probes.separations.iter().filter(|it| it.by == SeparatedBy::Waits).count();
            let cannot = slow - separable - waits;
            let cannot = if cannot == 0 { String::new() } else { format!("; {cannot} undecided") };
            let whole = count(separable, "slow submission");
            format!("{separated} of {whole} separated from accepted ones by a test case{cannot}")
        }
    };
    page.labelled(0, "speed:     ", &text);
    for separation in &probes.separations {
        let name = printable(&separation.submission);
        let text = format!("{name}: {}", printable(&separation.told));
        page.labelled(INDENT, "- ", &text);
    }
    for probe in &probes.submissions {
        if page.style.is_verbose() || is_notable(probe) {
            page.labelled(INDENT, "- ", &growth(probe));
        }
    }
    if slow > 0
        && let Some(missing) = &probes.missing
    {
        page.labelled(INDENT, "- ", missing);
    }
    if probes.is_cut {
        page.line(INDENT, "cut off: time ran out");
    }
}

/// Whether a probe shows something unexpected: an accepted submission that fails.
fn is_notable(probe: &SubmissionProbe) -> bool {
    probe.growth().is_some() || (!probe.declared_slow && probe.largest.failed.is_some())
}

fn growth(probe: &SubmissionProbe) -> String {
    let name = printable(&probe.submission);
    let is_flat = probe.variables.iter().all(|it| it.time.law == Law::Flat);
    let law = match probe.growth() {
        Some(it) => format!("time {}", it.time.words(&it.variable)),
        None if probe.largest.failed.is_some() || !is_flat => "growth of time unclear".to_owned(),
        None => "time does not visibly grow with the input".to_owned(),
    };
    let largest = match &probe.largest.failed {
        Some(failed) => format!("the largest input ends with: {failed}"),
        None => format!("{} on the largest input", seconds(probe.largest.cpu_seconds)),
    };
    let too_slow = probe.growth().and_then(|it| {
        let size = it.too_slow_at?;
        Some(format!("; too slow at {} = {size}", it.variable))
    });
    let law = format!("{law}{}", too_slow.unwrap_or_default());
    let grown = probe.growth().filter(|it| matches!(it.memory.law, Law::Power | Law::Exponential));
    let grown = grown.map(|it| format!(", which {}", it.memory.words(&it.variable)));
    let memory = format!("{}{}", probe.largest.memory_bytes, grown.unwrap_or_default());
    format!("{name}: {law}; {}, {memory}", printable(&largest))
}

fn strictness(page: &mut Page<'_>, label: &'static str, what: &str, found: &Strictness) {
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
    some(page, found.let_through.iter().map(passes));
    if page.style.is_verbose() {
        page.labelled(INDENT, "known by: ", &printable(&found.oracle));
    }
}

fn passes(it: &LetThrough) -> String {
    format!("passes: {} ({}): {}", printable(&it.fault), printable(&it.on), quoted(&it.text))
}

/// The start of a text.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let text: String = visible(text.as_bytes()).chars().take(LONGEST).collect();
    format!("`{text}`")
}
