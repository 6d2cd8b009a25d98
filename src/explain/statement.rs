//! A statement about inputs: one or two tests of figures that a single test case must pass.

use crate::explain::features::{About, Feature, Features, Row};

/// A test of one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The feature is yes.
    Yes,
    /// The feature is no.
    No,
    /// The figure is odd.
    Odd,
    /// The figure is even.
    Even,
    /// The figure is at least this.
    AtLeast(i128),
    /// The figure is at most this.
    AtMost(i128),
    /// The figure is this.
    Is(i128),
}

/// A test of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The index of the feature.
    pub feature: usize,
    /// The test.
    pub test: Test,
}

/// One or two tests. The statement holds for an input if one of its test cases passes them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The tests.
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
    /// Whether a test case passes the test.
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

    /// How far-fetched the test is; less so with a threshold at a bound, a change of sign, or the limit of a type.
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
        let name = &feature.name;
        let other = feature.other.as_ref().map_or("", |(name, _)| name);
        let yes_or_no = |yes: String, no: String| match self.test {
            Test::Yes => yes,
            _ => no,
        };
        let compared = |what: String| {
            let is_bound = |bound: Option<i128>, value: i128| bound == Some(value);
            match self.test {
                Test::AtLeast(value) if is_bound(feature.max, value) => {
                    format!("{what} is {value}")
                }
                Test::AtMost(value) if is_bound(feature.min, value) => format!("{what} is {value}"),
                Test::AtLeast(1) => format!("{what} is positive"),
                Test::AtMost(-1) => format!("{what} is negative"),
                Test::AtLeast(value) => format!("{what} is at least {value}"),
                Test::AtMost(value) => format!("{what} is at most {value}"),
                Test::Is(value) => format!("{what} is {value}"),
                Test::Odd => format!("{what} is odd"),
                Test::Even | Test::Yes | Test::No => format!("{what} is even"),
            }
        };
        let sized = |what: &str, unit: &str| match self.test {
            Test::AtLeast(value) => format!("{what} at least {value} {unit}"),
            Test::AtMost(value) => format!("{what} at most {value} {unit}"),
            Test::Is(value) => format!("{what} {value} {unit}"),
            Test::Odd => format!("{what} an odd number of {unit}"),
            _ => format!("{what} an even number of {unit}"),
        };
        match feature.about {
            About::Value => compared(name.clone()),
            About::SameValue => yes_or_no(
                format!("{name} and {other} are equal"),
                format!("{name} and {other} differ"),
            ),
            About::SmallerValue => yes_or_no(
                format!("{name} is smaller than {other}"),
                format!("{name} is not smaller than {other}"),
            ),
            About::Cases => sized("there are", "test cases"),
            About::Length => sized(&format!("{name} has"), "values"),
            About::Sum => compared(format!("the sum of {name}")),
            About::Least => match self.test {
                Test::AtMost(value) => some(feature, "at most", value),
                Test::AtLeast(value) => all(feature, "at least", value),
                _ => compared(format!("the least value of {name}")),
            },
            About::Greatest => match self.test {
                Test::AtLeast(value) => some(feature, "at least", value),
                Test::AtMost(value) => all(feature, "at most", value),
                _ => compared(format!("the greatest value of {name}")),
            },
            About::AllEqual => yes_or_no(
                format!("all values of {name} are equal"),
                format!("two values of {name} differ"),
            ),
            About::Tie => yes_or_no(
                format!("two values of {name} are equal"),
                format!("all values of {name} differ"),
            ),
            About::Neighbours => yes_or_no(
                format!("two neighbours in {name} are equal"),
                format!("no two neighbours in {name} are equal"),
            ),
            About::Rising => {
                yes_or_no(format!("{name} is sorted"), format!("{name} is not sorted"))
            }
            About::Falling => yes_or_no(
                format!("{name} is sorted from the greatest down"),
                format!("{name} rises somewhere"),
            ),
            About::EndsEqual => yes_or_no(
                format!("the first and the last value of {name} are equal"),
                format!("the first and the last value of {name} differ"),
            ),
            About::Mirrored => yes_or_no(
                format!("{name} reads the same backwards"),
                format!("{name} reads differently backwards"),
            ),
            About::Zero => yes_or_no(
                format!("a value of {name} is zero"),
                format!("no value of {name} is zero"),
            ),
            About::PowerOfTwo => yes_or_no(
                format!("{name} is a power of two"),
                format!("{name} is not a power of two"),
            ),
            About::SmallerLater => yes_or_no(
                format!("a test case has a smaller {name} than the one before"),
                format!("no test case has a smaller {name} than the one before"),
            ),
            About::LargerLater => yes_or_no(
                format!("a test case has a larger {name} than the first"),
                format!("no test case has a larger {name} than the first"),
            ),
            About::SameCases => {
                yes_or_no("two test cases are equal".to_owned(), "all test cases differ".to_owned())
            }
            About::Bytes => sized("the input has", "bytes"),
            About::Lines => sized("the input has", "lines"),
            About::AnswerBytes => sized("the answer has", "bytes"),
            About::Answer => compared("the answer".to_owned()),
            About::FirstAnswer => compared("the first number of the answer".to_owned()),
            About::SecondAnswer => compared("the second number of the answer".to_owned()),
            About::GreatestAnswer => compared("the greatest number of the answer".to_owned()),
            About::LeastAnswer => compared("the least number of the answer".to_owned()),
            About::AnswersRise => yes_or_no(
                "the first number of the answer is smaller than the second".to_owned(),
                "the first number of the answer is not smaller than the second".to_owned(),
            ),
            About::AnswersEqual => yes_or_no(
                "both numbers of the answer are equal".to_owned(),
                "both numbers of the answer differ".to_owned(),
            ),
        }
    }
}

/// Whether a threshold is natural: a change of sign, or the limit of a type.
pub fn is_usual(least: i128) -> bool {
    matches!(least, 0..=2) || ROUND.contains(&least) || ROUND.contains(&(least - 1))
}

fn some(feature: &Feature, than: &str, value: i128) -> String {
    let name = &feature.name;
    match value {
        -1 if than == "at most" => format!("a value of {name} is negative"),
        value if Some(value) == feature.min || Some(value) == feature.max => {
            format!("a value of {name} is {value}")
        }
        1 if than == "at least" => format!("a value of {name} is positive"),
        value => format!("a value of {name} is {than} {value}"),
    }
}

fn all(feature: &Feature, than: &str, value: i128) -> String {
    let name = &feature.name;
    match value {
        -1 if than == "at most" => format!("all values of {name} are negative"),
        value if Some(value) == feature.min || Some(value) == feature.max => {
            format!("all values of {name} are {value}")
        }
        1 if than == "at least" => format!("all values of {name} are positive"),
        value => format!("all values of {name} are {than} {value}"),
    }
}

impl Statement {
    /// Whether it holds for an input with these test cases.
    pub fn holds(&self, rows: &[Row]) -> bool {
        rows.iter().any(|row| self.atoms.iter().all(|atom| atom.holds(row)))
    }

    /// Whether it depends on the answer.
    pub fn is_of_answer(&self, features: &Features<'_>) -> bool {
        self.atoms.iter().any(|atom| features.list[atom.feature].about.is_of_answer())
    }

    /// How far-fetched it is.
    pub fn cost(&self, features: &Features<'_>) -> u32 {
        const SECOND: u32 = 3;
        let joints = self.atoms.len().saturating_sub(1) as u32;
        self.atoms.iter().map(|atom| atom.cost(features)).sum::<u32>() + joints * SECOND
    }

    /// The statement in words that follow `if`.
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
