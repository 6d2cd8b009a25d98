//! A hypothesis about inputs: one or two tests of figures that a single test case must pass.

use crate::explain::features::{Feature, FeatureRow, Features, FigureKind, Wording};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureTest {
    Yes,
    No,
    Odd,
    Even,
    AtLeast(i128),
    AtMost(i128),
    Equals(i128),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom {
    pub feature: usize,
    pub test: FigureTest,
}

/// One or two tests. It holds for an input if one of its test cases passes them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    pub atoms: Vec<Atom>,
}

/// Limits of types, and other round numbers that programs use as bounds.
pub const ROUND_NUMBERS: [i128; 17] = [
    1 << 7,
    1 << 8,
    1000,
    1 << 10,
    1 << 11,
    1 << 12,
    9999,
    1 << 15,
    1 << 16,
    1_000_000,
    1 << 24,
    1_000_000_000,
    1 << 31,
    1 << 32,
    1 << 53,
    1 << 63,
    1 << 64,
];

impl Atom {
    pub fn holds(&self, row: &FeatureRow) -> bool {
        let Some(figure) = row.get(self.feature).copied().flatten() else { return false };
        match self.test {
            FigureTest::Yes => figure == 1,
            FigureTest::No => figure == 0,
            FigureTest::Odd => figure % 2 != 0,
            FigureTest::Even => figure % 2 == 0,
            FigureTest::AtLeast(least) => figure >= least,
            FigureTest::AtMost(most) => figure <= most,
            FigureTest::Equals(value) => figure == value,
        }
    }

    /// Lower for a threshold at a bound, a change of sign, or the limit of a type.
    pub fn cost(&self, features: &Features<'_>) -> u32 {
        let feature = &features.features[self.feature];
        let is_bound = |value: i128| Some(value) == feature.min || Some(value) == feature.max;
        let is_count =
            matches!(feature.kind, FigureKind::Value | FigureKind::Cases | FigureKind::Length);
        let any = if is_count { 2 } else { 4 };
        let by_test = match self.test {
            FigureTest::Yes => 0,
            FigureTest::No | FigureTest::Odd | FigureTest::Even => 1,
            FigureTest::AtLeast(value) if is_bound(value) => 0,
            FigureTest::AtMost(value) if is_bound(value) => 0,
            FigureTest::AtLeast(value) if is_natural_threshold(value) => 1,
            FigureTest::AtMost(value) if is_natural_threshold(-value) => 1,
            FigureTest::AtLeast(_) | FigureTest::AtMost(_) => any,
            FigureTest::Equals(value) if is_bound(value) => 0,
            FigureTest::Equals(-1..=1) => 1,
            FigureTest::Equals(_) => any,
        };
        feature.kind.cost() + by_test
    }

    /// The opposite test, if its figure is always known.
    fn opposite(&self, feature: &Feature) -> Option<Self> {
        let is_known = matches!(
            feature.kind,
            FigureKind::Value
                | FigureKind::Cases
                | FigureKind::Sum
                | FigureKind::Length
                | FigureKind::Bytes
                | FigureKind::Lines
        );
        let test = match self.test {
            FigureTest::Odd => FigureTest::Even,
            FigureTest::Even => FigureTest::Odd,
            FigureTest::AtLeast(value) => FigureTest::AtMost(value - 1),
            FigureTest::AtMost(value) => FigureTest::AtLeast(value + 1),
            _ => return None,
        };
        is_known.then_some(Self { test, ..*self })
    }

    fn text(&self, feature: &Feature) -> String {
        let number = number_words(feature, self.test);
        let text = match (self.test, feature.kind.wording()) {
            (FigureTest::Yes, Wording::Flag(yes, _)) => yes.to_owned(),
            (_, Wording::Flag(_, no)) => no.to_owned(),
            (_, Wording::Number(what)) => format!("{what} is {number}"),
            (FigureTest::AtMost(_), Wording::Extreme(what, _)) => format!("{what} {number}"),
            (_, Wording::Extreme(_, what)) => format!("{what} {number}"),
            (test, Wording::Amount(what, unit)) => format!("{what} {}", amount_words(test, unit)),
        };
        let other = feature.other.as_ref().map_or("", |(name, _)| name);
        text.replace("{name}", &feature.name).replace("{other}", other)
    }
}

fn number_words(feature: &Feature, test: FigureTest) -> String {
    match test {
        FigureTest::AtLeast(value) if feature.max == Some(value) => value.to_string(),
        FigureTest::AtMost(value) if feature.min == Some(value) => value.to_string(),
        FigureTest::AtLeast(1) => "positive".to_owned(),
        FigureTest::AtMost(-1) => "negative".to_owned(),
        FigureTest::AtLeast(value) => format!("at least {value}"),
        FigureTest::AtMost(value) => format!("at most {value}"),
        FigureTest::Equals(value) => value.to_string(),
        FigureTest::Odd => "odd".to_owned(),
        FigureTest::Even | FigureTest::Yes | FigureTest::No => "even".to_owned(),
    }
}

fn amount_words(test: FigureTest, unit: &str) -> String {
    match test {
        FigureTest::AtLeast(value) => format!("at least {value} {unit}"),
        FigureTest::AtMost(value) => format!("at most {value} {unit}"),
        FigureTest::Equals(value) => format!("{value} {unit}"),
        FigureTest::Odd => format!("an odd number of {unit}"),
        _ => format!("an even number of {unit}"),
    }
}

/// Whether a threshold is natural: a change of sign, or the limit of a type.
pub fn is_natural_threshold(least: i128) -> bool {
    matches!(least, 0..=2) || ROUND_NUMBERS.contains(&least) || ROUND_NUMBERS.contains(&(least - 1))
}

impl Hypothesis {
    pub fn holds(&self, rows: &[FeatureRow]) -> bool {
        rows.iter().any(|row| self.atoms.iter().all(|atom| atom.holds(row)))
    }

    pub fn depends_on_answer(&self, features: &Features<'_>) -> bool {
        self.atoms.iter().any(|atom| features.features[atom.feature].kind.depends_on_answer())
    }

    pub fn cost(&self, features: &Features<'_>) -> u32 {
        const SECOND: u32 = 3;
        let joints = self.atoms.len().saturating_sub(1) as u32;
        self.atoms.iter().map(|atom| atom.cost(features)).sum::<u32>() + joints * SECOND
    }

    /// In words that follow `if`.
    pub fn text(&self, features: &Features<'_>) -> String {
        let joined = |is_per_case: bool| {
            let atoms = self.atoms.iter().map(|atom| (atom, &features.features[atom.feature]));
            let atoms = atoms.filter(|(_, feature)| feature.is_per_case == is_per_case);
            let texts: Vec<String> = atoms.map(|(atom, feature)| atom.text(feature)).collect();
            texts.join(" and ")
        };
        match (joined(false), joined(true)) {
            (whole, case) if case.is_empty() => whole,
            (whole, case) if whole.is_empty() => format!("in a test case {case}"),
            (whole, case) => format!("{whole} and in a test case {case}"),
        }
    }

    /// The opposite in words that follow `if`; `None` if it has no simple words.
    pub fn opposite_text(&self, features: &Features<'_>) -> Option<String> {
        let [atom] = self.atoms.as_slice() else { return None };
        let feature = &features.features[atom.feature];
        let opposite = atom.opposite(feature).filter(|_| !feature.is_per_case)?;
        Some(opposite.text(feature))
    }
}
