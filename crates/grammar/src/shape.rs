//! The named shapes of generated inputs, beyond uniform noise.

use crate::program::Grammar;
use juror_core::words::words;

/// A way to choose the counts and the values of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its name, such as `largest`.
    pub name: &'static str,
    /// What it gives, and what that may find.
    pub description: &'static str,
    pub(super) cases: Cases,
    pub(super) counts: Counts,
    pub(super) values: Values,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cases {
    /// Their number is chosen like other counts.
    Plain,
    ManyTiny,
    OneHuge,
    BigBeforeSmall,
    SameTwice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    Random,
    Least,
    AboveLeast,
    BelowMost,
    Most,
    Small,
    Few,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    Random,
    Least,
    Most,
    Zero,
    Equal,
    Increasing,
    Decreasing,
    Alternating,
    Spike,
    FewDistinct,
    AlmostSorted,
    Planted,
    Largest,
    Small,
}

words! {
    /// The size of counts in shapes that do not set it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Scale {
        /// About ten: small enough to follow by hand.
        Small = "small",
        /// As large as permitted. If an input has several test cases, it gets only one.
        Large = "large",
    }
}

impl Shape {
    /// `None` if the shape itself sets the size of counts.
    pub fn sized(&self, size: Scale) -> Option<Self> {
        let cases = match (self.cases, self.counts, size) {
            (Cases::Plain, Counts::Random, Scale::Large) => Cases::OneHuge,
            (cases @ (Cases::Plain | Cases::SameTwice), Counts::Random, _) => cases,
            _ => return None,
        };
        let counts = match size {
            Scale::Small => Counts::Few,
            Scale::Large => Counts::Most,
        };
        Some(Self { cases, counts, ..self.clone() })
    }
}

const fn values(name: &'static str, description: &'static str, values: Values) -> Shape {
    counts_and_values(name, description, Counts::Random, values)
}

const fn counts(name: &'static str, description: &'static str, counts: Counts) -> Shape {
    counts_and_values(name, description, counts, Values::Random)
}

const fn counts_and_values(
    name: &'static str,
    description: &'static str,
    counts: Counts,
    values: Values,
) -> Shape {
    Shape { name, description, cases: Cases::Plain, counts, values }
}

const fn cases(name: &'static str, description: &'static str, cases: Cases) -> Shape {
    Shape { name, description, cases, counts: Counts::Random, values: Values::Random }
}

pub const RANDOM: Shape =
    values("random", "everything drawn at random from all that is allowed", Values::Random);

pub const SHAPES: [Shape; 25] = [
    RANDOM,
    counts_and_values(
        "tiny",
        "small counts and small values, so that ties abound",
        Counts::Small,
        Values::Small,
    ),
    counts_and_values(
        "smallest",
        "every count and value as small as allowed: missing base cases",
        Counts::Least,
        Values::Least,
    ),
    counts_and_values(
        "largest",
        "every count and value as large as allowed: time, memory, overflow",
        Counts::Most,
        Values::Most,
    ),
    counts("count-least", "every count as small as allowed", Counts::Least),
    counts(
        "count-above-least",
        "every count one above the least: the step after the base case",
        Counts::AboveLeast,
    ),
    counts(
        "count-below-most",
        "every count one below the most: arrays that just fit",
        Counts::BelowMost,
    ),
    counts("count-most", "every count as large as allowed: running time", Counts::Most),
    values(
        "all-least",
        "every value as small as allowed: maxima that start too high",
        Values::Least,
    ),
    values("all-most", "every value as large as allowed: sums that overflow", Values::Most),
    values("zeros", "every value zero, or as near to it as allowed: divisions", Values::Zero),
    values("all-equal", "all values of a row the same: ties", Values::Equal),
    values("increasing", "values that rise", Values::Increasing),
    values("decreasing", "values that fall", Values::Decreasing),
    values(
        "alternating",
        "large and small values in turn: comparing neighbours only",
        Values::Alternating,
    ),
    values("spike", "small values and a single large one: greedy choices", Values::Spike),
    values("few-distinct", "two or three different values only: ties", Values::FewDistinct),
    values("almost-sorted", "values that rise, but for a few exchanged", Values::AlmostSorted),
    values(
        "planted",
        "a short pattern again and again, broken once: guessed periods",
        Values::Planted,
    ),
    counts_and_values(
        "largest-sum",
        "as many values as allowed, far from zero: sums that overflow",
        Counts::Most,
        Values::Largest,
    ),
    counts_and_values(
        "increasing-most",
        "as many values as allowed, rising",
        Counts::Most,
        Values::Increasing,
    ),
    cases(
        "many-tiny",
        "as many test cases as allowed, each tiny: what each costs",
        Cases::ManyTiny,
    ),
    cases("one-huge", "a single test case, as large as allowed", Cases::OneHuge),
    cases(
        "big-before-small",
        "a large test case, then small ones: state that is not cleared",
        Cases::BigBeforeSmall,
    ),
    cases("same-twice", "the same test case twice: state that is not cleared", Cases::SameTwice),
];

pub fn find_shape(name: &str) -> Option<Shape> {
    SHAPES.iter().find(|shape| shape.name == name).cloned()
}

pub fn applicable(grammar: &Grammar) -> Vec<Shape> {
    let sites = &grammar.sites;
    let has_counts = sites.iter().any(|site| site.is_count);
    let has_cases = sites.iter().any(|site| site.is_case_count);
    let has_values = sites.iter().any(|site| !site.is_count && site.is_number);
    let has_rows =
        sites.iter().any(|site| !site.is_count && site.is_number && !site.loops.is_empty());
    let applies = |shape: &Shape| match (shape.cases, shape.counts, shape.values) {
        (Cases::Plain, Counts::Random, Values::Random) => true,
        (Cases::Plain, Counts::Random, Values::Least | Values::Most | Values::Zero) => has_values,
        (Cases::Plain, Counts::Random, _) => has_rows,
        (Cases::Plain, _, Values::Random) => has_counts,
        (Cases::Plain, Counts::Most, Values::Increasing) => has_counts && has_rows,
        (Cases::Plain, ..) => has_counts || has_values,
        _ => has_cases,
    };
    SHAPES.iter().filter(|shape| applies(shape)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, shape) in SHAPES.iter().enumerate() {
            let same = SHAPES.iter().position(|other| other.name == shape.name);
            assert_eq!(same, Some(index), "{}", shape.name);
            assert_eq!(find_shape(shape.name).as_ref(), Some(shape));
        }
    }

    #[test]
    fn the_documentation_lists_the_shapes() {
        let page = include_str!("../../../docs/grammar.md");
        for shape in SHAPES {
            let row = format!("| `{}` | {} |", shape.name, shape.description);
            assert!(page.contains(&row), "docs/grammar.md lacks the row: {row}");
        }
    }
}
