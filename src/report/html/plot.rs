//! Plots of a submission's test cases against a limit.

use maud::{Markup, html};

use juror_core::judgement::CaseJudgement;
use juror_core::text::{count, printable};
use juror_core::verdict::Verdict;

/// The size of the drawing in SVG units.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 200.0;
/// A limit is drawn if it is at most this many times the largest value.
const MAX_LIMIT_RATIO: f64 = 8.0;

pub(super) struct Plot<'a> {
    /// Such as `CPU time`.
    pub(super) quantity: &'a str,
    /// The id of the table of the same test cases.
    pub(super) table: &'a str,
    pub(super) value: fn(&CaseJudgement) -> Option<f64>,
    /// The least and the greatest value of repeated runs.
    pub(super) spread: fn(&CaseJudgement) -> Option<(f64, f64)>,
    pub(super) format: fn(f64) -> String,
    pub(super) limit: Option<f64>,
}

/// Draws a bar for each test case; empty if nothing was measured.
pub(super) fn plot(plot: &Plot<'_>, cases: &[CaseJudgement]) -> Markup {
    let mut values: Vec<f64> = cases.iter().filter_map(plot.value).collect();
    values.sort_by(f64::total_cmp);
    let highest = cases.iter().filter_map(plot.spread).map(|(_, most)| most).fold(0.0, f64::max);
    let (Some(&most), Some(&median)) = (values.last(), values.get(values.len() / 2)) else {
        return html! {};
    };
    let largest = cases.iter().rev().max_by(|a, b| {
        let of = |case: &&CaseJudgement| (plot.value)(case).unwrap_or(-1.0);
        of(a).total_cmp(&of(b))
    });
    let limit = plot.limit.filter(|limit| *limit > 0.0);
    let near = limit.filter(|limit| *limit <= most * MAX_LIMIT_RATIO);
    // If the limit is far away or missing, bars fill at most half of the height.
    let top = near.unwrap_or(most * 2.0).max(most).max(highest).max(f64::MIN_POSITIVE) * 1.08;
    let (first, last) = (cases.first(), cases.last());
    let name = |case: Option<&CaseJudgement>| {
        case.map(|case| printable(&case.test_case)).unwrap_or_default()
    };
    let mut sentence = format!(
        "highest {}, on {}; median {}",
        (plot.format)(most),
        name(largest),
        (plot.format)(median)
    );
    if let Some(limit) = limit {
        sentence += &match near {
            Some(_) => format!("; limit {}, the dashed line", (plot.format)(limit)),
            None => format!("; limit {}, not drawn", (plot.format)(limit)),
        };
    }
    let repeated = cases.iter().filter(|case| (plot.spread)(case).is_some()).count();
    if repeated > 0 {
        let what = count(repeated, "test case");
        sentence += &format!("; thin lines show the spread of several runs, on {what}");
    }
    let step = WIDTH / cases.len() as f64;
    let label = format!("{} of each test case: {sentence}", plot.quantity);
    html! {
        figure.plot data-t=(plot.table) {
            figcaption { b { (plot.quantity) } " " span.told { (sentence) } }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(label) {
                rect.rail width=(WIDTH) height=(HEIGHT) {}
                @for verdict in Verdict::ALL {
                    @let bars = bar_path(plot, cases, verdict, top);
                    @if !bars.is_empty() {
                        path class=(verdict.short()) d=(bars) stroke-width=(one_decimal(step * 0.72)) {}
                    }
                }
                @if repeated > 0 {
                    path.spread vector-effect="non-scaling-stroke" d=(spread_path(plot, cases, top)) {}
                }
                @if let Some(limit) = near {
                    @let y = one_decimal(HEIGHT - limit / top * HEIGHT);
                    path.limit vector-effect="non-scaling-stroke" d={ "M0 " (y) "H" (WIDTH) } {}
                }
            }
            div.ends aria-hidden="true" { span { (name(first)) } span { (name(last.filter(|_| cases.len() > 1))) } }
        }
    }
}

fn bar_path(plot: &Plot<'_>, cases: &[CaseJudgement], verdict: Verdict, top: f64) -> String {
    let step = WIDTH / cases.len() as f64;
    let mut path = String::new();
    for (number, case) in cases.iter().enumerate().filter(|(_, case)| case.verdict == verdict) {
        if let Some(value) = (plot.value)(case) {
            let x = one_decimal((number as f64 + 0.5) * step);
            // A bar is always visible.
            let y = (HEIGHT - value / top * HEIGHT).min(HEIGHT - 3.0).round();
            path += &format!("M{x} {HEIGHT}V{y}");
        }
    }
    path
}

/// A thin line shows the least and the greatest value of repeated runs.
fn spread_path(plot: &Plot<'_>, cases: &[CaseJudgement], top: f64) -> String {
    let step = WIDTH / cases.len() as f64;
    let mut path = String::new();
    for (number, case) in cases.iter().enumerate() {
        if let Some((least, most)) = (plot.spread)(case) {
            let x = one_decimal((number as f64 + 0.5) * step);
            let [low, high] = [least, most].map(|value| one_decimal(HEIGHT - value / top * HEIGHT));
            path += &format!("M{x} {}V{high}", (low).max(high + 2.0));
        }
    }
    path
}

fn one_decimal(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
