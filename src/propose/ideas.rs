//! Which inputs a new problem should have at least, and what each is for.

use crate::grammar::generate::{End, Pin};
use crate::grammar::program::Grammar;
use crate::grammar::shape::{self, Scale, Shape};
use crate::model::grammar::ValueBounds;
use crate::model::text::shell_word;

/// An input that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub purpose: String,
    /// How values are chosen, counts among them.
    pub shape: Shape,
    /// Values at their bounds.
    pub pins: Vec<Pin>,
    /// What the random numbers are made of.
    pub seed: u64,
    /// The options of `juror grammar generate` that print it.
    pub options: String,
}

/// A line of the table of inputs.
struct Line {
    shape: &'static str,
    size: Option<Scale>,
    /// How many, with seeds one after the other.
    count: u64,
    name: &'static str,
    purpose: &'static str,
}

const fn line(shape: &'static str, name: &'static str, purpose: &'static str) -> Line {
    Line { shape, size: None, count: 1, name, purpose }
}

const fn small(shape: &'static str, purpose: &'static str) -> Line {
    Line { size: Some(Scale::Small), ..line(shape, shape, purpose) }
}

const fn large(shape: &'static str, purpose: &'static str) -> Line {
    Line { size: Some(Scale::Large), ..line(shape, shape, purpose) }
}

/// What is wanted of a new problem's inputs. Of two that come out equal the first stays.
const LINES: [Line; 39] = [
    line(
        "smallest",
        "smallest",
        "The smallest input there is: loops that never go round, and missing base cases",
    ),
    line("count-least", "fewest", "As few values as allowed, at random"),
    line(
        "count-above-least",
        "one-more-than-fewest",
        "One more than the fewest values: the first step after the base case",
    ),
    Line {
        count: 3,
        ..line("tiny", "tiny", "Tiny, with small values and ties: easy to follow by hand")
    },
    Line { count: 2, ..small("random", "Small, with values from all that is allowed") },
    small("all-least", "Few values, all as small as allowed: maxima that start too high"),
    small(
        "all-most",
        "Few values, all as large as allowed: minima that start too low, and sums that overflow",
    ),
    small(
        "zeros",
        "Few values, all zero or as near to it as allowed: divisions, and zero taken for nothing",
    ),
    small("all-equal", "Few values, all the same: how ties are broken"),
    small("increasing", "Few values that rise"),
    small("decreasing", "Few values that fall"),
    small("alternating", "Large and small values in turn: choices that look at neighbours only"),
    small("spike", "Small values and a single large one: greedy choices that run for it"),
    small("few-distinct", "Few values, two or three different ones: ties in many places"),
    small(
        "almost-sorted",
        "Values that rise but for a few exchanged: programs that take them for sorted",
    ),
    small("planted", "A short pattern again and again, broken once: periods that are guessed"),
    small(
        "same-twice",
        "The same test case twice: the second answer differs where something is left from the first",
    ),
    line(
        "many-tiny",
        "many-tiny",
        "As many test cases as allowed, each tiny: what each costs to set up and clear",
    ),
    line(
        "big-before-small",
        "big-before-small",
        "A large test case, then small ones: what stays behind shows",
    ),
    line(
        "one-huge",
        "one-huge",
        "A single test case, as large as allowed: running time and memory",
    ),
    line(
        "count-below-most",
        "one-less-than-most",
        "One less than the most values: the other parity, and arrays that just fit",
    ),
    Line {
        count: 2,
        ..line("count-most", "most", "As many values as allowed, at random: running time")
    },
    large("all-least", "As many values as allowed, all as small as allowed"),
    large("all-most", "As many values as allowed, all as large as allowed: sums that overflow"),
    large("zeros", "As many values as allowed, all zero or as near to it as allowed"),
    large(
        "all-equal",
        "As many values as allowed, all the same: sorts and maps that are slow on ties",
    ),
    large(
        "increasing",
        "As many values as allowed, rising: sorts, trees and stacks at their worst",
    ),
    large(
        "decreasing",
        "As many values as allowed, falling: sorts, trees and stacks at their worst",
    ),
    large("alternating", "As many values as allowed, large and small in turn"),
    large("spike", "As many values as allowed, small but for a single large one"),
    large("few-distinct", "As many values as allowed, two or three different ones"),
    large("almost-sorted", "As many values as allowed, rising but for a few exchanged"),
    large(
        "planted",
        "As many values as allowed, a short pattern broken once: searches that stop early",
    ),
    line(
        "largest-sum",
        "largest-sum",
        "As many values as allowed, each as far from zero as allowed: sums that overflow",
    ),
    line(
        "largest",
        "largest",
        "Every count and every value as large as allowed: running time, memory, and overflow",
    ),
    // Where counts are few, or a shape cannot be had small, plain noise is still wanted.
    line("random", "any", "Everything drawn at random from all that is allowed"),
    line("increasing", "any-increasing", "Values that rise"),
    line("few-distinct", "any-few-distinct", "Few different values"),
    line("planted", "any-planted", "A short pattern, broken once"),
];

/// The inputs that are wanted for a grammar, without those at the bounds of single values.
pub fn ideas(grammar: &Grammar, seed: u64) -> Vec<Idea> {
    let shapes = shape::applicable(grammar);
    let has_counts = grammar.sites().iter().any(|site| site.is_count);
    let mut ideas = Vec::new();
    for line in &LINES {
        let Some(shape) = shapes.iter().find(|shape| shape.name == line.shape) else { continue };
        // Without counts nothing is small or large.
        let is_any = line.name.starts_with("any");
        if is_any && has_counts || line.size == Some(Scale::Large) && !has_counts {
            continue;
        }
        let size = line.size.filter(|_| has_counts);
        let sized = match size {
            Some(size) => shape.sized(size),
            None => Some(shape.clone()),
        };
        let Some(shape) = sized else { continue };
        for at in 0..line.count {
            let seed = seed.wrapping_add(at);
            ideas.push(Idea {
                name: match (line.count, line.size) {
                    (1, Some(Scale::Large)) => format!("{}-large", line.name),
                    (1, _) => line.name.to_owned(),
                    _ => format!("{}-{}", line.name, at + 1),
                },
                purpose: line.purpose.to_owned(),
                shape: shape.clone(),
                pins: Vec::new(),
                seed,
                options: options(&shape, size, None, seed),
            });
        }
    }
    ideas
}

/// Inputs that reach the bounds of single values that none has reached so far.
pub fn at_bounds(grammar: &Grammar, reached: &[ValueBounds], seed: u64) -> Vec<Idea> {
    let mut ideas: Vec<Idea> = Vec::new();
    for site in grammar.sites() {
        let spot = grammar.source().spot(site.span);
        let seen = reached.iter().find(|bounds| {
            bounds.name == site.label && (bounds.line, bounds.column) == (spot.line, spot.column)
        });
        let Some(seen) = seen.and_then(|bounds| bounds.reached.as_ref()) else { continue };
        let ends = [
            (End::Least, seen.min, "least", "smallest"),
            (End::Most, seen.max, "most", "greatest"),
        ];
        for (end, is_reached, word, value) in ends {
            if is_reached {
                continue;
            }
            let small = shape::RANDOM
                .sized(Scale::Small)
                .filter(|_| !site.is_count && grammar.sites().iter().any(|site| site.is_count));
            let size = small.as_ref().map(|_| Scale::Small);
            let shape = small.unwrap_or(shape::RANDOM);
            let pinned = format!("--{word} {}", shell_word(site.label.as_bytes()));
            ideas.push(Idea {
                name: format!("{}-{word}", plain(&site.label)),
                purpose: format!("{} at its {value}, all else at random", site.label),
                options: options(&shape, size, Some(&pinned), seed),
                shape,
                pins: (0..grammar.sites().len())
                    .filter(|other| grammar.sites()[*other].label == site.label)
                    .map(|site| Pin { site, end })
                    .collect(),
                seed,
            });
        }
    }
    ideas
}

fn options(shape: &Shape, size: Option<Scale>, pinned: Option<&str>, seed: u64) -> String {
    let size = match size {
        None => "",
        Some(Scale::Small) => " --size small",
        Some(Scale::Large) => " --size large",
    };
    let pinned = pinned.map_or_else(String::new, |pinned| format!(" {pinned}"));
    format!("--shape {}{size}{pinned} --seed {seed}", shape.name)
}

/// A label as part of a test case's name.
fn plain(label: &str) -> String {
    let base = label.split(['[', '(']).next().unwrap_or_default();
    let is_plain = |it: &char| it.is_ascii_alphanumeric() || *it == '_';
    let plain: String = base.chars().filter(is_plain).collect();
    if plain.is_empty() { "value".to_owned() } else { plain.to_lowercase() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::grammar::bounds::{Coverage, bounds};
    use crate::grammar::compile::read;
    use crate::grammar::generate::generate_at;

    fn grammar(text: &str) -> Grammar {
        let reading = read(Path::new("g.ctd"), text.as_bytes());
        reading.grammar.expect("a grammar")
    }

    #[test]
    fn every_shape_is_used() {
        for shape in shape::SHAPES {
            // What rises with as many values as allowed is `increasing` with large counts.
            let is_used = LINES.iter().any(|line| line.shape == shape.name);
            assert!(is_used || shape.name == "increasing-most", "{}", shape.name);
        }
        let names: Vec<(&str, bool)> =
            LINES.iter().map(|line| (line.name, line.size == Some(Scale::Large))).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name:?}");
        }
    }

    #[test]
    fn what_is_wanted_depends_on_the_grammar() {
        let check = |text: &str, has: &[&str], has_not: &[&str]| {
            let ideas = ideas(&grammar(text), 1);
            let is_there = |name: &&&str| ideas.iter().any(|idea| idea.name == ***name);
            assert_eq!(has.iter().find(|it| !is_there(it)), None, "{text}");
            assert_eq!(has_not.iter().find(is_there), None, "{text}");
        };
        check(
            "INT(1, 9, n) NEWLINE REP(n, SPACE) INT(0, 9) END NEWLINE",
            &["smallest", "tiny-3", "spike", "spike-large", "largest"],
            &["many-tiny", "any"],
        );
        check(
            "INT(1, 9, t) NEWLINE REP(t) INT(1, 9, n) REP(n) SPACE INT(0, 9) END NEWLINE END",
            &["many-tiny", "one-huge", "big-before-small", "same-twice"],
            &["any"],
        );
        check(
            "INT(1, 9, a) SPACE INT(1, 9, b) NEWLINE",
            &["smallest", "largest", "any"],
            &["increasing", "most-1", "spike-large", "any-planted"],
        );
        check("REGEX(\"[a-z]+\", s) NEWLINE", &["any"], &["smallest"]);
    }

    #[test]
    fn bounds_that_nothing_reaches_get_inputs() {
        let text = "INT(1, 50, n) SPACE INT(1, n, k) NEWLINE REP(n, SPACE) INT(0, 9) END NEWLINE";
        let grammar = grammar(text);
        let mut coverage = Coverage::new(&grammar);
        let input = &b"3 1\n9 4 4\n"[..];
        coverage.add(&grammar, input, Path::new("1.in")).unwrap();
        let ideas = at_bounds(&grammar, &bounds(&grammar, Some(&coverage)), 7);
        let names: Vec<&str> = ideas.iter().map(|idea| idea.name.as_str()).collect();
        assert_eq!(names, ["n-least", "n-most", "k-most", "int-least"]);
        assert_eq!(ideas[2].options, "--shape random --size small --most k --seed 7");
        for idea in &ideas {
            let made = generate_at(&grammar, &idea.shape, &idea.pins, idea.seed).unwrap();
            let path = Path::new("2.in");
            coverage.add(&grammar, made.as_slice(), path).unwrap();
        }
        assert_eq!(at_bounds(&grammar, &bounds(&grammar, Some(&coverage)), 7), []);
    }
}
