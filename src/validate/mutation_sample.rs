//! Which of many small faults are put before validators that cost a process each.

use std::collections::{BTreeMap, BTreeSet};

/// A kind of fault in a test case's input, both by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The kind.
    pub kind: usize,
    /// The test case.
    pub case: usize,
}

/// Chooses by index, in order: each kind on two cases, the first and the middle one that it fits, and each case
/// with one kind at least, those that were tried least so far.
pub(super) fn sample(faults: &[Fault]) -> Vec<usize> {
    let mut of_kind: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut of_case: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, fault) in faults.iter().enumerate() {
        of_kind.entry(fault.kind).or_default().push(index);
        of_case.entry(fault.case).or_default().push(index);
    }
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut tried: BTreeMap<usize, usize> = BTreeMap::new();
    for (kind, fits) in &of_kind {
        let two = [fits.first(), fits.get(fits.len() / 2)];
        chosen.extend(two.into_iter().flatten());
        tried.insert(*kind, fits.len().min(2));
    }
    for fits in of_case.values() {
        if fits.iter().any(|index| chosen.contains(index)) {
            continue;
        }
        let times = |index: &usize| tried.get(&faults[*index].kind).copied();
        if let Some(index) = fits.iter().copied().min_by_key(times) {
            chosen.insert(index);
            *tried.entry(faults[index].kind).or_default() += 1;
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pair is a kind and a case; what is chosen of them.
    fn check(faults: &[(usize, usize)], expected: &[(usize, usize)]) {
        let all: Vec<Fault> =
            faults.iter().map(|(kind, case)| Fault { kind: *kind, case: *case }).collect();
        let chosen = sample(&all);
        let chosen: Vec<(usize, usize)> = chosen.into_iter().map(|at| faults[at]).collect();
        assert_eq!(chosen, expected, "{faults:?}");
    }

    #[test]
    fn each_kind_is_tried_twice_and_each_case_once() {
        check(&[], &[]);
        check(&[(0, 4)], &[(0, 4)]);
        check(&[(0, 0), (0, 1), (0, 2)], &[(0, 0), (0, 1), (0, 2)]);
        // Two kinds on five cases: two of each first, then those that are left, in turn.
        let all: Vec<(usize, usize)> =
            (0..2).flat_map(|kind| (0..5).map(move |case| (kind, case))).collect();
        check(&all, &[(0, 0), (0, 1), (0, 2), (0, 4), (1, 0), (1, 2), (1, 3)]);
        // A kind that fits one case only, and a case that only one kind fits.
        check(&[(0, 0), (0, 1), (1, 1), (0, 2), (2, 3)], &[(0, 0), (0, 1), (1, 1), (0, 2), (2, 3)]);
    }

    #[test]
    fn nothing_is_left_out_where_there_is_much() {
        let faults: Vec<Fault> = (0..17)
            .flat_map(|kind| (0..300).map(move |case| Fault { kind, case }))
            .filter(|fault| (fault.kind + fault.case) % 3 > 0)
            .collect();
        let chosen = sample(&faults);
        for kind in 0..17 {
            let times = chosen.iter().filter(|at| faults[**at].kind == kind).count();
            assert!((2..40).contains(&times), "{kind}: {times}");
        }
        for case in 0..300 {
            assert!(chosen.iter().any(|at| faults[*at].case == case), "{case}");
        }
        assert!(chosen.len() < 340, "{}", chosen.len());
    }
}
