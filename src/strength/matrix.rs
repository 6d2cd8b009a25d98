//! The kill matrix: which test cases reject whom, which of them matter, and in which order they are tried.

use crate::model::strength::{CaseKills, Subject};

/// The places of test cases: those that rejected most before come first, then small ones.
pub fn cheapest_first(kills: &[usize], sizes: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..kills.len()).collect();
    order.sort_by_key(|&place| (std::cmp::Reverse(kills[place]), sizes[place], place));
    order
}

/// What each of these test cases catches. Whether a test case is the only one to catch a subject is known only of
/// subjects that were `tried` on all.
pub fn cases(names: &[&str], subjects: &[Subject], is_whole: bool) -> Vec<CaseKills> {
    let row = |name: &&str| {
        let kills = |subject: &&Subject| subject.killers.iter().any(|it| it.test_case == **name);
        let rejected: Vec<&Subject> = subjects.iter().filter(kills).collect();
        let only = rejected.iter().filter(|subject| is_whole && subject.killers.len() == 1);
        CaseKills {
            test_case: (*name).to_owned(),
            kills: rejected.len(),
            only_killer_of: only.map(|subject| subject.id.clone()).collect(),
        }
    };
    names.iter().map(row).collect()
}

/// A small set of test cases that rejects every subject that is rejected at all: at each step the one that rejects
/// most of what is left, the first of several.
pub fn minimal(names: &[&str], subjects: &[Subject]) -> Vec<String> {
    let mut left: Vec<&Subject> = subjects.iter().filter(|it| !it.killers.is_empty()).collect();
    let mut chosen = Vec::new();
    while !left.is_empty() {
        let kills =
            |name: &str, subject: &Subject| subject.killers.iter().any(|it| it.test_case == name);
        let count = |name: &str| left.iter().filter(|subject| kills(name, subject)).count();
        let best = names.iter().rev().max_by_key(|name| count(name));
        let Some(best) = best.filter(|name| count(name) > 0) else { break };
        left.retain(|subject| !kills(best, subject));
        chosen.push((*best).to_owned());
    }
    // In the order of the package.
    let place = |name: &String| names.iter().position(|it| it == name);
    chosen.sort_by_key(place);
    chosen
}
