//! Scores: of a submission, and of each test data group.

use crate::model::report::SubmissionReport;
use crate::model::score::{Score, Standing};
use crate::model::text::printable;
use crate::report::style::Look;
use crate::report::terminal::page::{INDENT, Page};

/// Such as `60 of 100`, `60`, or `? of 100` where it is not known.
pub(super) fn of(score: Option<Score>, max: Option<Score>) -> String {
    let score = score.map_or("?".to_owned(), |score| score.to_string());
    match max {
        Some(max) => format!("{score} of {max}"),
        None => score,
    }
}

/// Writes the score, and a line for each group; nothing where there are no scores.
pub(super) fn write(page: &mut Page<'_>, judgement: &SubmissionReport) {
    let Some(total) = &judgement.score else { return };
    let unknown = match total.score {
        Some(_) => "",
        None => ", as not all test cases were selected",
    };
    page.blank();
    let text = format!("score {}{unknown}", of(total.score, total.max_score));
    let text = page.style.paint(Look::Title, &text);
    page.line(INDENT, &text);
    let names: Vec<String> = total.groups.iter().map(|group| printable(&group.name)).collect();
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let points = |score: Option<Score>| score.map_or("?".to_owned(), |score| score.to_string());
    let name_width = widest(&mut names.iter().map(|name| name.chars().count()));
    let point_width = widest(&mut total.groups.iter().map(|group| points(group.score).len()));
    for (group, name) in total.groups.iter().zip(&names) {
        let max = group.max_score.map_or(String::new(), |max| format!(" of {max}"));
        let remark = match &group.standing {
            Standing::Complete => String::new(),
            Standing::Partial => "  not all run".to_owned(),
            Standing::Barred { by } => format!("  not run: {} was not passed", printable(by)),
        };
        let points = points(group.score);
        page.line(INDENT + 2, &format!("{name:<name_width$}  {points:>point_width$}{max}{remark}"));
    }
}
