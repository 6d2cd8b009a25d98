//! What a page has for a class: copies, a bar for each group with points, and how many students have which points.

use maud::{Markup, html};

use crate::report::document::SubmissionReport;
use crate::report::html::Page;
use crate::report::html::text::{bar, section, table};
use juror_core::score::Score;
use juror_core::text::{count, printable};

/// So many ranges of points have a bar each.
const RANGES: usize = 10;

/// A row of a table of bars: a name, a share between 0 and 1, and a text.
type Bar = (String, f64, String);

pub(super) fn sections(page: &Page<'_>) -> Markup {
    // A student's page says nothing of a class.
    if !page.is_class() || page.submissions.len() < 2 {
        return html! {};
    }
    html! { div.plots { (histogram(page)) (groups(page)) } (copies(page)) }
}

fn copies(page: &Page<'_>) -> Markup {
    let shown = |name: &String| page.submissions.iter().find(|it| it.submission.name == *name);
    let groups = &page.report.duplicates;
    html! {
        @if !groups.is_empty() {
            (section("copies", "Copies", html! { ul.remarks { @for group in groups { li.eyes {
                (group.likeness) ": "
                @for (at, name) in group.submissions.iter().enumerate() {
                    @if at > 0 { ", " }
                    @match shown(name) {
                        Some(own) => a href={ "#s" (own.number) } { (page.shown_name(own.submission, "")) },
                        None => (printable(name)),
                    }
                }
            } } } }))
        }
    }
}

fn groups(page: &Page<'_>) -> Markup {
    let totals = || page.submissions.iter().filter_map(|shown| shown.submission.score());
    let Some(longest) = totals().map(|total| &total.groups).max_by_key(|groups| groups.len())
    else {
        return html! {};
    };
    // A student without a program has no points.
    let all = page.submissions.iter().filter(|shown| shown.submission.points().is_some()).count();
    let row = |name: &str, most: Score| {
        let own = totals().flat_map(|total| &total.groups).filter(|group| group.name == name);
        let points: Vec<f64> = own.filter_map(|group| group.score).map(Score::points).collect();
        let mean = points.iter().sum::<f64>() / all.max(1) as f64;
        let full = points.iter().filter(|points| **points >= most.points()).count();
        let mean_text = Score::new((mean * 100.0).round() / 100.0).unwrap_or_default();
        let text = format!("{mean_text} of {most} on average; {full} of {all} have all");
        let share = mean / most.points().max(f64::MIN_POSITIVE);
        (printable(name.trim_start_matches("secret/")), share, text)
    };
    let rows = longest.iter().filter_map(|group| Some(row(&group.name, group.max_score?)));
    bars("Groups", "Points in each group of test cases", &rows.collect::<Vec<Bar>>())
}

fn histogram(page: &Page<'_>) -> Markup {
    let rows = page.submissions.iter().map(|shown| shown.submission);
    let Some(most) = page.report.max_points() else { return html! {} };
    let points: Vec<f64> = rows.filter_map(SubmissionReport::points).map(Score::points).collect();
    let most = most.points();
    // Whole points have a bar each, if they are few.
    let is_whole = most <= RANGES as f64 && points.iter().all(|points| points.fract() == 0.0);
    let ranges = if is_whole { most as usize + 1 } else { RANGES };
    let width = if is_whole { 1.0 } else { most / ranges as f64 };
    let mut numbers = vec![0_usize; ranges];
    for points in &points {
        numbers[((points / width) as usize).min(ranges - 1)] += 1;
    }
    let highest = numbers.iter().copied().max().unwrap_or(1).max(1) as f64;
    let rows = numbers.iter().enumerate().map(|(at, number)| {
        let start = |at: usize| Score::new(at as f64 * width).unwrap_or_default();
        let label = match is_whole {
            true => start(at).to_string(),
            false if at + 1 == ranges => format!("{} to {}", start(at), start(at + 1)),
            false => format!("{} to below {}", start(at), start(at + 1)),
        };
        (label, *number as f64 / highest, number.to_string())
    });
    let caption = format!("Points of {}", count(points.len(), "submission"));
    bars("Points", &caption, &rows.collect::<Vec<Bar>>())
}

fn bars(title: &str, caption: &str, bars: &[Bar]) -> Markup {
    let rows = html! {
        @for (label, share, text) in bars {
            tr { th.short scope="row" { (label) } td { (bar("JE", *share)) } td.short { (text) } }
        }
    };
    html! { @if !bars.is_empty() { section { h2 { (title) } (table("bars", title, caption, &[], rows)) } } }
}
