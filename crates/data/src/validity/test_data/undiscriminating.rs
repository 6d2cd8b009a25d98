//! Test cases that no submission fails.

use std::collections::BTreeSet;

use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::Judgement;
use juror_core::problem::Problem;
use juror_core::text::short_list;
use juror_core::verdict::Verdict;

/// Upper bound on the names in the list.
const LISTED: usize = 8;

/// Warns of secret cases that every submission passes, if at least one submission fails.
///
/// Such a case may catch a mistake that no submission of the package makes, or it may prove nothing.
pub fn find_undiscriminating(problem: &Problem, judgements: &[&Judgement]) -> Option<Diagnostic> {
    let judged = judgements.iter().flat_map(|judgement| judgement.cases.iter());
    let failed: BTreeSet<&str> = judged
        .filter(|case| case.verdict != Verdict::Accepted)
        .map(|case| case.test_case.as_str())
        .collect();
    let secret: Vec<&str> = problem
        .test_data
        .cases
        .iter()
        .map(|case| case.name.as_str())
        .filter(|name| name.starts_with("secret/"))
        .collect();
    let idle: Vec<&str> = secret.iter().copied().filter(|name| !failed.contains(name)).collect();
    let none_fails = judgements.iter().all(|judgement| judgement.verdict == Verdict::Accepted);
    if idle.is_empty() || none_fails {
        return None;
    }
    let message = format!(
        "no submission fails on {} of {} secret cases: {}",
        idle.len(),
        secret.len(),
        short_list(&idle, LISTED)
    );
    let help =
        "add a submission with the mistake that such a case should catch, or remove the case";
    Some(Diagnostic::remark(problem.dir.join(problem.layout.secret), message).help(help))
}
