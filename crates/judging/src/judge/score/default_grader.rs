//! The default grader combines the results in a test data group into one.
//!
//! Source: problem package format legacy, "Default grader specification".

use crate::judge::score::CaseResult;
use juror_core::grader::{GraderModes, ScoreMode, VerdictMode};
use juror_core::score::Score;
use juror_core::verdict::Verdict;

const WORST: [Verdict; 5] = [
    Verdict::RunTimeError,
    Verdict::MemoryLimitExceeded,
    Verdict::TimeLimitExceeded,
    Verdict::OutputLimitExceeded,
    Verdict::WrongAnswer,
];

/// There must be at least one result.
///
/// The error says which settings of the package contradict each other.
pub(super) fn grade(modes: GraderModes, results: &[CaseResult]) -> Result<CaseResult, String> {
    let results = match (modes.ignore_sample, results) {
        (false, all) => all,
        (true, [last] | [_, last]) => std::slice::from_ref(last),
        (true, more) => {
            return Err(format!(
                "`ignore_sample` is for a group with at most two results; this one has {}",
                more.len()
            ));
        }
    };
    let verdicts = || results.iter().map(|result| result.verdict);
    let verdict = match modes.verdict {
        _ if modes.accept_if_any_accepted && results.iter().any(CaseResult::is_accepted) => None,
        VerdictMode::AlwaysAccept => None,
        VerdictMode::FirstError => verdicts().find(|verdict| *verdict != Verdict::Accepted),
        VerdictMode::WorstError => {
            WORST.into_iter().find(|worst| verdicts().any(|verdict| verdict == *worst))
        }
    };
    let points = || results.iter().map(|result| result.score.unwrap_or_default().points());
    let points = match modes.score {
        ScoreMode::Sum => points().sum(),
        ScoreMode::Average => points().sum::<f64>() / results.len() as f64,
        ScoreMode::Min => points().fold(f64::INFINITY, f64::min),
        ScoreMode::Max => points().fold(f64::NEG_INFINITY, f64::max),
    };
    let score = Score::new(points).ok_or("the score of a group is not a finite number")?;
    Ok(CaseResult { verdict: verdict.unwrap_or(Verdict::Accepted), score: Some(score) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line such as `AC 10, WA 0`.
    fn results(text: &str) -> Vec<CaseResult> {
        let result = |text: &str| {
            let (verdict, points) = text.split_once(' ').unwrap();
            CaseResult {
                verdict: Verdict::ALL.into_iter().find(|known| known.short() == verdict).unwrap(),
                score: Score::new(points.parse().unwrap()),
            }
        };
        text.split(", ").map(result).collect()
    }

    #[test]
    fn the_default_grader_agrees_with_problemtools() {
        let lines = include_str!("default_grader.txt").lines();
        let mut compared = 0;
        for line in lines.filter(|line| !line.starts_with('#')) {
            let [scores_text, flag, verdicts, scores]: [&str; 4] =
                line.split(" | ").collect::<Vec<_>>().try_into().unwrap();
            let modes = ["worst_error", "first_error", "no_errors", "always_accept"];
            for (mode, verdict) in modes.iter().zip(verdicts.split(' ')) {
                for (add, score) in ["sum", "avg", "min", "max"].iter().zip(scores.split(' ')) {
                    let flags = format!("{mode} {add} {flag}");
                    let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
                    let shown = match grade(GraderModes::from_flags(&flags), &results(scores_text))
                    {
                        Ok(CaseResult { verdict, score }) => {
                            format!("{verdict} {}", score.unwrap())
                        }
                        Err(_) => "JE 0".to_owned(),
                    };
                    assert_eq!(shown, format!("{verdict} {score}"), "{scores_text} {flags:?}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 13 * 4 * 16);
    }
}
