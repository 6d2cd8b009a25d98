//! The reference: the program whose output counts as right in a search.

use std::path::Path;

use crate::model::problem::Problem;
use crate::model::submission::Submission;
use crate::model::verdict::Verdict;

/// Endings of languages whose programs start and run fastest.
const FAST: [&str; 4] = ["rs", "cpp", "cc", "c"];

/// The submission that counts as right if none is named, and why that one: of those accepted on every test case, one
/// in a fast language, and of these the one that makes the judge answers.
pub fn usual<'a>(
    problem: &'a Problem,
    solution: Option<&Path>,
) -> Option<(&'a Submission, &'static str)> {
    let accepted: Vec<&Submission> =
        problem.submissions.iter().filter(|it| is_accepted(it)).collect();
    let is_fast = |it: &Submission| {
        let ending = it.program.path.extension().unwrap_or_default();
        FAST.iter().any(|fast| ending == *fast)
    };
    let is_solution = |it: &Submission| solution == Some(it.program.path.as_path());
    let order = |it: &&&Submission| (!is_fast(it), !is_solution(it));
    let chosen = accepted.iter().min_by_key(order)?;
    let why = match (accepted.len(), is_solution(chosen), is_fast(chosen)) {
        (1, ..) => "the only one to choose from",
        (_, true, _) => "it makes the judge answers",
        (_, false, true) => "the first accepted one in C, C++ or Rust",
        (_, false, false) => "the first accepted one",
    };
    Some((chosen, why))
}

/// Whether a submission must be accepted on every test case.
pub fn is_accepted(submission: &Submission) -> bool {
    let only_accepted =
        |permitted: &Option<Vec<Verdict>>| permitted.as_deref() == Some(&[Verdict::Accepted]);
    let rules = &submission.expectations;
    rules.iter().any(|rule| only_accepted(&rule.permitted) && rule.cases.is_none())
}
