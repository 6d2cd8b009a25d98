//! The reference: the program that counts as correct in a search.

use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::submission::{Expectation, Submission};
use juror_core::verdict::Verdict;

/// Extensions of the languages whose programs start and run fastest.
const FAST_EXTENSIONS: [&str; 4] = ["rs", "cpp", "cc", "c"];

/// The default reference, and why it was chosen. Of the submissions accepted on every test case, those in a fast
/// language are preferred, then the one that makes the judge answers.
pub fn default_reference<'a>(
    problem: &'a Problem,
    solution: Option<&FilePath>,
) -> Option<(&'a Submission, &'static str)> {
    let accepted: Vec<&Submission> = accepted_submissions(problem).collect();
    let is_fast = |submission: &Submission| {
        let ending = submission.program.path.extension().unwrap_or_default();
        FAST_EXTENSIONS.iter().any(|fast| ending == *fast)
    };
    let is_solution = |submission: &Submission| solution == Some(&submission.program.path);
    let order = |submission: &&&Submission| (!is_fast(submission), !is_solution(submission));
    let chosen = accepted.iter().min_by_key(order)?;
    let reason = match (accepted.len(), is_solution(chosen), is_fast(chosen)) {
        (1, ..) => "the only one available",
        (_, true, _) => "it makes the judge answers",
        (_, false, true) => "the first accepted one in C, C++ or Rust",
        (_, false, false) => "the first accepted one",
    };
    Some((chosen, reason))
}

pub fn accepted_submissions(problem: &Problem) -> impl Iterator<Item = &Submission> {
    problem.submissions.iter().filter(|submission| is_accepted(submission))
}

/// Whether a submission must be accepted on every test case, or as a whole if its format expects that.
pub fn is_accepted(submission: &Submission) -> bool {
    submission.expectations.iter().any(asks_for_acceptance)
}

fn asks_for_acceptance(rule: &Expectation) -> bool {
    let is_all = |verdicts: &[Verdict]| verdicts == [Verdict::Accepted];
    let is_whole = rule
        .overall
        .as_ref()
        .is_some_and(|overall| is_all(&overall.verdicts) && !overall.is_partial);
    rule.cases.is_none() && (is_whole || rule.permitted.as_deref().is_some_and(is_all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::submission::OverallExpectation;

    fn check(rule: Expectation, expected: bool) {
        assert_eq!(asks_for_acceptance(&rule), expected, "{rule:?}");
    }

    #[test]
    fn a_submission_is_accepted_on_every_test_case_or_as_a_whole() {
        use Verdict::{Accepted, WrongAnswer};
        let permitted = |verdicts: &[Verdict]| Expectation {
            permitted: Some(verdicts.to_vec()),
            ..Expectation::default()
        };
        let overall = |verdict, is_partial| Expectation {
            overall: Some(OverallExpectation { verdicts: vec![verdict], is_partial }),
            ..Expectation::default()
        };
        check(permitted(&[Accepted]), true);
        check(permitted(&[Accepted, WrongAnswer]), false);
        check(overall(Accepted, false), true);
        check(overall(Accepted, true), false);
        check(overall(WrongAnswer, false), false);
        check(Expectation::default(), false);
    }
}
