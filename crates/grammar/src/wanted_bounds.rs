//! The bounds that pins or a shape ask of values, and those of them that an input does not reach.

use std::path::Path;

use crate::bounds::{Coverage, bounds_by_site};
use crate::program::{Grammar, Site};
use crate::shape::{Cases, Counts, Shape, Values};
use crate::value_bounds::{BoundSide, Pin};
use juror_core::diagnostic::Diagnostic;

/// By site: the bound that a pin asks for, or that the shape asks for if the site is a count or outside of loops. For
/// other values, a shape gives way.
pub(super) fn wanted_sides(
    grammar: &Grammar,
    shape: &Shape,
    pins: &[Pin],
) -> Vec<Option<BoundSide>> {
    let mut ends: Vec<Option<BoundSide>> =
        grammar.sites.iter().map(|site| side_of_shape(shape, site)).collect();
    for pin in pins {
        ends[pin.site] = Some(pin.side);
    }
    ends
}

fn side_of_shape(shape: &Shape, site: &Site) -> Option<BoundSide> {
    if !site.is_count {
        return match shape.values {
            Values::Least if site.loops.is_empty() => Some(BoundSide::Least),
            Values::Most if site.loops.is_empty() => Some(BoundSide::Most),
            _ => None,
        };
    }
    let counts = match (shape.cases, site.is_case_count) {
        (Cases::Plain, _) | (Cases::SameTwice, false) => shape.counts,
        (Cases::ManyTiny, true) | (Cases::OneHuge, false) => Counts::Most,
        (Cases::OneHuge, true) => Counts::Least,
        _ => return None,
    };
    match counts {
        Counts::Least => Some(BoundSide::Least),
        Counts::Most => Some(BoundSide::Most),
        _ => None,
    }
}

/// A bound that an input should reach, but does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachedBound {
    /// An index in [`Grammar::sites`].
    pub site: usize,
    pub side: BoundSide,
    bound: String,
    found: String,
}

/// Empty if the input is not valid.
pub fn unreached(
    grammar: &Grammar,
    shape: &Shape,
    pins: &[Pin],
    input: &[u8],
) -> Vec<UnreachedBound> {
    let mut coverage = Coverage::new(grammar);
    if coverage.add(grammar, input, Path::new("")).is_err() {
        return Vec::new();
    }
    let ends = wanted_sides(grammar, shape, pins);
    let unreached = bounds_by_site(grammar, Some(&coverage)).filter_map(|(site, bounds)| {
        let (reached, end) = (bounds.reached?, ends[site]?);
        let (bound, found) = match end {
            BoundSide::Least => (bounds.min.written, reached.least?),
            BoundSide::Most => (bounds.max.written, reached.greatest?),
        };
        (!coverage.reaches(site, end)).then_some(UnreachedBound { site, side: end, bound, found })
    });
    unreached.collect()
}

impl UnreachedBound {
    pub fn warning_for_input(&self, grammar: &Grammar) -> Diagnostic {
        let found = &self.found;
        self.warning(grammar, |name, bound| match self.side {
            BoundSide::Least => format!(
                "the input has no `{name}` at its lower bound `{bound}`: the least is {found}"
            ),
            _ => format!(
                "the input has no `{name}` at its upper bound `{bound}`: the greatest is {found}"
            ),
        })
    }

    /// For several inputs, of which none reaches the bound.
    pub fn warning_for_inputs(&self, grammar: &Grammar, inputs: &[String]) -> Diagnostic {
        let side = if self.side == BoundSide::Least { "lower" } else { "upper" };
        let inputs = inputs.join(", ");
        self.warning(grammar, |name, bound| {
            format!("no input reaches the {side} bound `{bound}` of `{name}` (tried: {inputs})")
        })
    }

    fn warning(&self, grammar: &Grammar, message: impl Fn(&str, &str) -> String) -> Diagnostic {
        let site = &grammar.sites[self.site];
        grammar.source.warning(site.span, message(&site.label, &self.bound)).help(
            "an ASSERT or UNIQUE rules the bound out, or random values rarely satisfy it there",
        )
    }
}
