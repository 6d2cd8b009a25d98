//! A hypothesis about inputs: one or two tests of figures that a single test case must pass.

use crate::explain::features::{About, Feature, Features, Row, Wording};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    Yes,
    No,
    Odd,
    Even,
    AtLeast(i128),
    AtMost(i128),
    Is(i128),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom {
    pub feature: usize,
    pub test: Test,
}

/// One or two tests. It holds for an input if one of its test cases passes them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub atoms: Vec<Atom>,
}

/// Limits of types, and other round numbers that programs use as bounds.
pub const ROUND: [i128; 17] = [
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
    pub fn holds(&self, row: &Row) -> bool {
        let Some(figure) = row.get(self.feature).copied().flatten() else { return false };
        match self.test {
            Test::Yes => figure == 1,
            Test::No => figure == 0,
            Test::Odd => figure % 2 != 0,
            Test::Even => figure % 2 == 0,
            Test::AtLeast(least) => figure >= least,
            Test::AtMost(most) => figure <= most,
            Test::Is(value) => figure == value,
        }
    }

    /// Lower for a threshold at a bound, a change of sign, or the limit of a type.
    pub fn cost(&self, features: &Features<'_>) -> u32 {
        let feature = &features.list[self.feature];
        let is_bound = |value: i128| Some(value) == feature.min || Some(value) == feature.max;
        let is_count = matches!(feature.about, About::Value | About::Cases | About::Length);
        let any = if is_count { 2 } else { 4 };
        let by_test = match self.test {
            Test::Yes => 0,
            Test::No | Test::Odd | Test::Even => 1,
            Test::AtLeast(value) if is_bound(value) => 0,
            Test::AtMost(value) if is_bound(value) => 0,
            Test::AtLeast(value) if is_usual(value) => 1,
            Test::AtMost(value) if is_usual(-value) => 1,
            Test::AtLeast(_) | Test::AtMost(_) => any,
            Test::Is(value) if is_bound(value) => 0,
            Test::Is(-1..=1) => 1,
            Test::Is(_) => any,
        };
        feature.about.cost() + by_test
    }

    /// The opposite test, if its figure is always known.
    fn opposite(&self, feature: &Feature) -> Option<Self> {
        let is_known = matches!(
            feature.about,
            About::Value | About::Cases | About::Sum | About::Length | About::Bytes | About::Lines
        );
        let test = match self.test {
            Test::Odd => Test::Even,
            Test::Even => Test::Odd,
            Test::AtLeast(value) => Test::AtMost(value - 1),
            Test::AtMost(value) => Test::AtLeast(value + 1),
            _ => return None,
        };
        is_known.then_some(Self { test, ..*self })
    }

    fn text(&self, feature: &Feature) -> String {
        let [one, all] = ["a value of {name} is", "all values of {name} are"];
        let text = match (feature.about, self.test, feature.about.wording()) {
            (About::Least, Test::AtMost(value), _) => of_values(one, feature, "at most", value),
            (About::Least, Test::AtLeast(value), _) => of_values(all, feature, "at least", value),
            (About::Greatest, Test::AtLeast(value), _) => {
                of_values(one, feature, "at least", value)
            }
            (About::Greatest, Test::AtMost(value), _) => of_values(all, feature, "at most", value),
            (_, Test::Yes, Wording::Flag(yes, _)) => yes.to_owned(),
            (_, _, Wording::Flag(_, no)) => no.to_owned(),
            (_, test, Wording::Number(what)) => format!("{what} is {}", compared(feature, test)),
            (_, test, Wording::Amount(what, unit)) => format!("{what} {}", amount(test, unit)),
        };
        let other = feature.other.as_ref().map_or("", |(name, _)| name);
        text.replace("{name}", &feature.name).replace("{other}", other)
    }
}

fn compared(feature: &Feature, test: Test) -> String {
    match test {
        Test::AtLeast(value) if feature.max == Some(value) => value.to_string(),
        Test::AtMost(value) if feature.min == Some(value) => value.to_string(),
        Test::AtLeast(1) => "positive".to_owned(),
        Test::AtMost(-1) => "negative".to_owned(),
        Test::AtLeast(value) => format!("at least {value}"),
        Test::AtMost(value) => format!("at most {value}"),
        Test::Is(value) => value.to_string(),
        Test::Odd => "odd".to_owned(),
        Test::Even | Test::Yes | Test::No => "even".to_owned(),
    }
}

fn amount(test: Test, unit: &str) -> String {
    match test {
        Test::AtLeast(value) => format!("at least {value} {unit}"),
        Test::AtMost(value) => format!("at most {value} {unit}"),
        Test::Is(value) => format!("{value} {unit}"),
        Test::Odd => format!("an odd number of {unit}"),
        _ => format!("an even number of {unit}"),
    }
}

fn of_values(these: &str, feature: &Feature, than: &str, value: i128) -> String {
    match value {
        -1 if than == "at most" => format!("{these} negative"),
        value if [feature.min, feature.max].contains(&Some(value)) => format!("{these} {value}"),
        1 if than == "at least" => format!("{these} positive"),
        value => format!("{these} {than} {value}"),
    }
}

/// Whether a threshold is natural: a change of sign, or the limit of a type.
pub fn is_usual(least: i128) -> bool {
    matches!(least, 0..=2) || ROUND.contains(&least) || ROUND.contains(&(least - 1))
}

impl Statement {
    pub fn holds(&self, rows: &[Row]) -> bool {
        rows.iter().any(|row| self.atoms.iter().all(|atom| atom.holds(row)))
    }

    pub fn is_of_answer(&self, features: &Features<'_>) -> bool {
        self.atoms.iter().any(|atom| features.list[atom.feature].about.is_of_answer())
    }

    pub fn cost(&self, features: &Features<'_>) -> u32 {
        const SECOND: u32 = 3;
        let joints = self.atoms.len().saturating_sub(1) as u32;
        self.atoms.iter().map(|atom| atom.cost(features)).sum::<u32>() + joints * SECOND
    }

    /// In words that follow `if`.
    pub fn text(&self, features: &Features<'_>) -> String {
        let told = |is_per_case: bool| {
            let atoms = self.atoms.iter().map(|atom| (atom, &features.list[atom.feature]));
            let atoms = atoms.filter(|(_, feature)| feature.is_per_case == is_per_case);
            let texts: Vec<String> = atoms.map(|(atom, feature)| atom.text(feature)).collect();
            texts.join(" and ")
        };
        match (told(false), told(true)) {
            (whole, case) if case.is_empty() => whole,
            (whole, case) if whole.is_empty() => format!("in a test case {case}"),
            (whole, case) => format!("{whole} and in a test case {case}"),
        }
    }

    /// The opposite in words that follow `if`; `None` if it has no simple words.
    pub fn others(&self, features: &Features<'_>) -> Option<String> {
        let [atom] = self.atoms.as_slice() else { return None };
        let feature = &features.list[atom.feature];
        let opposite = atom.opposite(feature).filter(|_| !feature.is_per_case)?;
        Some(opposite.text(feature))
    }
}
