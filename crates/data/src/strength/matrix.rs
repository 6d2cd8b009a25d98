//! The kill matrix: which test cases reject which subjects, which test cases matter, and in which order they are
//! tried.

use crate::strength::result::{CaseKills, Subject};

/// Indexes of the test cases: those that rejected most come first, and small ones before large ones.
pub fn cheapest_first(kills: &[usize], sizes: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..kills.len()).collect();
    order.sort_by_key(|&index| (std::cmp::Reverse(kills[index]), sizes[index], index));
    order
}

/// The subjects that each of these test cases catches. Whether a test case is the only one to catch a subject is known
/// only if all subjects were tried on all test cases.
pub fn case_kills(names: &[&str], subjects: &[Subject], is_whole: bool) -> Vec<CaseKills> {
    let row = |name: &&str| {
        let rejected = subjects.iter().filter(|subject| kills(name, subject));
        let rejected: Vec<&Subject> = rejected.collect();
        let only = rejected.iter().filter(|subject| is_whole && subject.killers.len() == 1);
        CaseKills {
            test_case: (*name).to_owned(),
            kills: rejected.len(),
            only_killer_of: only.map(|subject| subject.id.clone()).collect(),
        }
    };
    names.iter().map(row).collect()
}

fn kills(test_case: &str, subject: &Subject) -> bool {
    subject.killers.iter().any(|kill| kill.test_case == test_case)
}

/// A small set of test cases that rejects every subject that any test case rejects. Greedy: each step adds the first
/// test case that rejects most of the remaining subjects.
pub fn minimal_cases(names: &[&str], subjects: &[Subject]) -> Vec<String> {
    let mut left: Vec<_> = subjects.iter().filter(|subject| !subject.killers.is_empty()).collect();
    let mut chosen = Vec::new();
    while !left.is_empty() {
        let count = |name: &str| left.iter().filter(|subject| kills(name, subject)).count();
        let best = names.iter().rev().max_by_key(|name| count(name));
        let Some(best) = best.filter(|name| count(name) > 0) else { break };
        left.retain(|subject| !kills(best, subject));
        chosen.push((*best).to_owned());
    }
    // In the order of the package.
    let index = |name: &String| names.iter().position(|other| other == name);
    chosen.sort_by_key(index);
    chosen
}
