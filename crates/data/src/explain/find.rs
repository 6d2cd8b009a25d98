//! Finds the hypotheses that agree with all inputs judged so far, the simplest first.

use std::ops::Range;
use std::sync::Arc;

use crate::explain::features::{FeatureRow, Features, FigureKind};
use crate::explain::hypothesis::{Atom, FigureTest, Hypothesis, ROUND_NUMBERS};
use juror_core::explanation::ExplanationKind;
use juror_grammar::tree::InputTree;

pub struct ParsedInput {
    pub input: Arc<[u8]>,
    pub tree: InputTree,
    pub rows: Vec<FeatureRow>,
    pub origin: InputOrigin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOrigin {
    Known,
    Drawn,
    /// It was made to test a hypothesis, but not from a failing input.
    Fresh,
    /// It was made from a failing input: most of these fail, too.
    NearFailing,
}

/// An input that was judged.
pub struct Sample {
    pub parsed: ParsedInput,
    pub fails: bool,
}

impl Sample {
    pub fn rows(&self) -> &[FeatureRow] {
        &self.parsed.rows
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub hypothesis: Hypothesis,
    pub threshold: Option<Threshold>,
    pub cost: u32,
}

/// The threshold lies between the two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    pub feature: usize,
    /// The first figure for which the hypothesis holds.
    pub limit: i128,
    /// 1 if it holds for larger figures, too; -1 if it holds for smaller ones.
    pub sign: i128,
    /// The nearest figure of an input that passes.
    pub passing: i128,
    /// The nearest figure of an input that fails.
    pub failing: i128,
}

const MOST_CANDIDATES: usize = 12;
/// If a hypothesis costs no more than this, pairs of tests are not tried.
const SIMPLE_COST: u32 = 5;

/// Returns the simplest first.
pub fn find_candidates(
    features: &Features<'_>,
    samples: &[Sample],
    agreement: ExplanationKind,
) -> Vec<Candidate> {
    let table = SampleTable::new(samples);
    if !samples.iter().any(|sample| sample.fails) {
        return Vec::new();
    }
    let atoms = atoms(features, samples);
    let masks: Vec<RowMask> = atoms.iter().map(|atom| table.mask(atom)).collect();
    let mut candidates = Vec::new();
    let everything = RowMask { bits: vec![u64::MAX; table.words] };
    for (atom, mask) in atoms.iter().zip(&masks) {
        if table.agrees(mask, agreement) {
            candidates.push(candidate(features, vec![*atom], None));
        }
    }
    for feature in number_features(features) {
        for (atom, threshold) in table.thresholds(features, feature, &everything, agreement) {
            candidates.push(candidate(features, vec![atom], Some(threshold)));
        }
    }
    // If all failures have one value, the reason may be that it is odd or a power of two, and at least or at most so
    // large. Such a rival makes the study try other values.
    let singles = candidates.clone().into_iter();
    for (atom, cost) in singles.map(|candidate| (candidate.hypothesis.atoms[0], candidate.cost)) {
        let FigureTest::Equals(value) = atom.test else { continue };
        let name = &features.features[atom.feature].name;
        for (at, kind) in atoms.iter().enumerate() {
            let is_kind = matches!(kind.test, FigureTest::Yes | FigureTest::Odd | FigureTest::Even);
            if !is_kind || features.features[kind.feature].name != *name {
                continue;
            }
            for test in [FigureTest::AtLeast(value), FigureTest::AtMost(value)] {
                let limit = Atom { feature: atom.feature, test };
                if table.agrees(&masks[at].and(&table.mask(&limit)), agreement) {
                    let both = candidate(features, vec![*kind, limit], None);
                    candidates.push(Candidate { cost, ..both });
                }
            }
        }
    }
    let is_simple = candidates.iter().any(|candidate| candidate.cost <= SIMPLE_COST);
    if agreement == ExplanationKind::Exactly && !is_simple {
        for (at, atom) in atoms.iter().enumerate() {
            if !table.agrees(&masks[at], ExplanationKind::OnlyIf) {
                continue;
            }
            for (other, mask) in atoms.iter().zip(&masks).skip(at + 1) {
                if other.feature == atom.feature {
                    continue;
                }
                let both = masks[at].and(mask);
                if table.agrees(&both, agreement) {
                    candidates.push(candidate(features, vec![*atom, *other], None));
                }
            }
            for feature in number_features(features).filter(|other| *other != atom.feature) {
                for (second, threshold) in
                    table.thresholds(features, feature, &masks[at], agreement)
                {
                    candidates.push(candidate(features, vec![*atom, second], Some(threshold)));
                }
            }
        }
    }
    candidates.sort_by_key(|candidate| candidate.cost);
    candidates.truncate(MOST_CANDIDATES);
    candidates
}

fn candidate(
    features: &Features<'_>,
    mut atoms: Vec<Atom>,
    threshold: Option<Threshold>,
) -> Candidate {
    atoms.sort_by_key(|atom| atom.feature);
    let hypothesis = Hypothesis { atoms };
    Candidate { cost: hypothesis.cost(features), hypothesis, threshold }
}

fn number_features(features: &Features<'_>) -> impl Iterator<Item = usize> {
    let list = features.features.iter().enumerate();
    list.filter(|(_, feature)| feature.kind.is_number()).map(|(at, _)| at)
}

fn atoms(features: &Features<'_>, samples: &[Sample]) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let failing = samples.iter().find(|sample| sample.fails);
    for (index, feature) in features.features.iter().enumerate() {
        let mut add = |test: FigureTest| atoms.push(Atom { feature: index, test });
        if !feature.kind.is_number() {
            add(FigureTest::Yes);
            add(FigureTest::No);
            continue;
        }
        let is_exact = matches!(
            feature.kind,
            FigureKind::Value
                | FigureKind::Length
                | FigureKind::Cases
                | FigureKind::Sum
                | FigureKind::Answer
                | FigureKind::FirstAnswer
                | FigureKind::SecondAnswer
        );
        if is_exact {
            add(FigureTest::Odd);
            add(FigureTest::Even);
            // A hypothesis holds for every failing input, so also for the first one.
            let rows = failing.iter().flat_map(|sample| sample.rows());
            let mut values: Vec<i128> = rows.filter_map(|row| row[index]).collect();
            values.sort_unstable();
            values.dedup();
            values.into_iter().take(8).for_each(|value| add(FigureTest::Equals(value)));
        }
        match feature.kind {
            FigureKind::Value | FigureKind::Cases => {
                feature.max.into_iter().for_each(|max| add(FigureTest::AtLeast(max)));
                feature.min.into_iter().for_each(|min| {
                    add(FigureTest::AtMost(min));
                    add(FigureTest::AtLeast(min + 1));
                });
            }
            FigureKind::Least | FigureKind::Greatest => {
                feature.max.into_iter().for_each(|max| add(FigureTest::AtLeast(max)));
                feature.min.into_iter().for_each(|min| add(FigureTest::AtMost(min)));
            }
            _ => {}
        }
        let may_be_negative = feature.min.is_none_or(|min| min < 0);
        if may_be_negative
            && !matches!(feature.kind, FigureKind::Bytes | FigureKind::Lines | FigureKind::Length)
        {
            add(FigureTest::AtLeast(1));
            add(FigureTest::AtMost(-1));
            add(FigureTest::AtLeast(0));
            add(FigureTest::AtMost(0));
        }
    }
    let mut seen: Vec<Atom> = Vec::new();
    atoms.retain(|atom| {
        let is_new = !seen.contains(atom);
        seen.push(*atom);
        is_new
    });
    atoms
}

/// A bit for each row: then a pair of tests on all samples costs a few operations.
struct RowMask {
    bits: Vec<u64>,
}

impl RowMask {
    fn and(&self, other: &Self) -> Self {
        Self { bits: self.bits.iter().zip(&other.bits).map(|(a, b)| a & b).collect() }
    }

    fn has(&self, row: usize) -> bool {
        self.bits[row / 64] >> (row % 64) & 1 == 1
    }
}

struct SampleTable<'a> {
    rows: Vec<&'a FeatureRow>,
    /// The rows of each sample, and whether it fails; failing samples first.
    samples: Vec<(Range<usize>, bool)>,
    words: usize,
}

impl<'a> SampleTable<'a> {
    fn new(samples: &'a [Sample]) -> Self {
        let mut rows = Vec::new();
        let mut ranges = Vec::new();
        let (failing, passing): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().partition(|sample| sample.fails);
        for sample in failing.into_iter().chain(passing) {
            let start = rows.len();
            rows.extend(sample.rows());
            ranges.push((start..rows.len(), sample.fails));
        }
        let words = rows.len().div_ceil(64);
        Self { rows, samples: ranges, words }
    }

    fn mask(&self, atom: &Atom) -> RowMask {
        let mut bits = vec![0; self.words];
        for (at, row) in self.rows.iter().enumerate() {
            bits[at / 64] |= u64::from(atom.holds(row)) << (at % 64);
        }
        RowMask { bits }
    }

    fn agrees(&self, mask: &RowMask, agreement: ExplanationKind) -> bool {
        self.samples.iter().all(|(rows, fails)| {
            let holds = rows.clone().any(|row| mask.has(row));
            match agreement {
                ExplanationKind::Exactly => holds == *fails,
                ExplanationKind::OnlyIf => holds || !fails,
            }
        })
    }

    /// Thresholds of a figure that separate the samples, among the rows of a mask.
    fn thresholds(
        &self,
        features: &Features<'_>,
        feature: usize,
        mask: &RowMask,
        agreement: ExplanationKind,
    ) -> Vec<(Atom, Threshold)> {
        let mut thresholds = Vec::new();
        for sign in [1, -1] {
            // The least figure of the failing inputs and the greatest of the passing ones; mirrored for `at most`.
            let best = |rows: &Range<usize>| {
                let figures = rows.clone().filter(|row| mask.has(*row));
                figures.filter_map(|row| Some(self.rows[row][feature]? * sign)).max()
            };
            let of = |wanted: bool| {
                let samples = self.samples.iter().filter(move |(_, fails)| *fails == wanted);
                samples.map(move |(rows, _)| best(rows))
            };
            // `None` is the least: every failing input must have a figure.
            let (Some(Some(failing)), Some(Some(passing))) = (of(true).min(), of(false).max())
            else {
                continue;
            };
            if agreement == ExplanationKind::Exactly && passing >= failing {
                continue;
            }
            let is_count = matches!(
                features.features[feature].kind,
                FigureKind::Value | FigureKind::Cases | FigureKind::Length | FigureKind::Lines
            );
            // A limit of a type between the two is the likeliest threshold.
            let at = match agreement {
                _ if is_count => failing,
                ExplanationKind::Exactly => type_limit_between(passing, failing).unwrap_or(failing),
                // A threshold can only be shown to be a limit of a type.
                ExplanationKind::OnlyIf => match type_limit_below(failing) {
                    Some(end) => end,
                    None => continue,
                },
            };
            let [limit, passing, failing] = [at, passing, failing].map(|figure| figure * sign);
            let test =
                if sign == 1 { FigureTest::AtLeast(limit) } else { FigureTest::AtMost(limit) };
            let threshold = Threshold { feature, limit, sign, passing, failing };
            thresholds.push((Atom { feature, test }, threshold));
        }
        thresholds
    }
}

fn type_limits() -> impl Iterator<Item = i128> {
    [-1, 0, 1].into_iter().chain(ROUND_NUMBERS.iter().flat_map(|round| [*round, round + 1]))
}

fn type_limit_below(failing: i128) -> Option<i128> {
    type_limits().filter(|limit| *limit <= failing).last()
}

fn type_limit_between(passing: i128, failing: i128) -> Option<i128> {
    type_limits().find(|limit| passing < *limit && *limit <= failing)
}
