//! Scores: of a submission, and of each test data group.

use crate::report::terminal::columns::{TableCell, align_columns};
use crate::report::terminal::page::{INDENT, Page};
use juror_core::judgement::Judgement;
use juror_core::score::{GroupScore, Score, Standing};
use juror_core::text::printable;

/// A score, such as `60 of 100`, `60`, or `? of 100` if it is not known.
pub(super) fn with_maximum(score: Option<Score>, max: Option<Score>) -> String {
    match max {
        Some(max) => format!("{} of {max}", points(score)),
        None => points(score),
    }
}

/// Points, such as `60`, or `?` if they are not known.
pub(super) fn points(score: Option<Score>) -> String {
    score.map_or("?".to_owned(), |score| score.to_string())
}

/// For a score that is not known: the points for what was run, and the most of them if whole groups were run.
pub(super) fn of_runs(judgement: &Judgement) -> Option<(Score, Option<Score>)> {
    let total = judgement.score.as_ref().filter(|total| total.score.is_none())?;
    let is_whole = |group: &&GroupScore| group.standing == Standing::Complete;
    let whole: Vec<&GroupScore> = total.groups.iter().filter(is_whole).collect();
    let sum = |all: &mut dyn Iterator<Item = Score>| Score::new(all.map(Score::points).sum());
    if whole.is_empty() {
        let mut cases = judgement.cases.iter().filter_map(|case| Some(case.score?.score));
        return Some((sum(&mut cases)?, None));
    }
    let most: Option<Vec<Score>> = whole.iter().map(|group| group.max_score).collect();
    let most = most.and_then(|most| sum(&mut most.into_iter()));
    Some((sum(&mut whole.iter().filter_map(|group| group.score))?, most))
}

/// Writes nothing if there are no scores.
pub(super) fn write(page: &mut Page<'_>, judgement: &Judgement) {
    let Some(total) = &judgement.score else { return };
    let unknown = of_runs(judgement).map_or(String::new(), |(score, most)| {
        let runs = with_maximum(Some(score), most);
        format!(", as not all cases were selected; {runs} for those that ran")
    });
    page.blank();
    let text = format!("score {}{unknown}", with_maximum(total.score, total.max_score));
    page.titled(INDENT, &text, "");
    let row = |group: &GroupScore| {
        vec![TableCell::left(printable(&group.name)), TableCell::right(points(group.score))]
    };
    let rows: Vec<Vec<TableCell>> = total.groups.iter().map(row).collect();
    for (group, line) in total.groups.iter().zip(align_columns(&rows, page.style)) {
        let max = group.max_score.map_or(String::new(), |max| format!(" of {max}"));
        let remark = match &group.standing {
            Standing::Complete => String::new(),
            Standing::Partial => "  not all run".to_owned(),
            Standing::Barred(by) => format!("  not run: {} was not passed", printable(by)),
        };
        page.line(INDENT + 2, &format!("{line}{max}{remark}"));
    }
}
