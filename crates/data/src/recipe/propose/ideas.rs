//! The inputs that a new problem should have at least, and their purposes.

use juror_core::text::shell_word;
use juror_grammar::bounds::Coverage;
use juror_grammar::program::Grammar;
use juror_grammar::shape::{self, Scale, Shape};
use juror_grammar::value_bounds::{BoundSide, Pin};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    pub name: String,
    pub purpose: String,
    /// Also chooses counts.
    pub shape: Shape,
    pub pins: Vec<Pin>,
    pub seed: u64,
    /// The options with which `juror grammar generate` prints it.
    pub options: String,
}

/// The shapes of the proposed inputs, and the size of counts for shapes that do not set it. Repeated names get
/// consecutive seeds.
const SHAPES_BY_SCALE: [(Option<Scale>, &str); 5] = [
    (None, "smallest count-least count-above-least tiny tiny tiny"),
    (
        Some(Scale::Small),
        "random random all-least all-most zeros all-equal increasing decreasing alternating spike few-distinct \
         almost-sorted planted same-twice",
    ),
    (None, "many-tiny big-before-small one-huge count-below-most count-most count-most"),
    (
        Some(Scale::Large),
        "all-least all-most zeros all-equal increasing decreasing alternating spike few-distinct almost-sorted planted \
         path two-paths back-path near-path star binary caterpillar broom square-root \
         random-tree cycle clique grid self-loop parallel",
    ),
    (None, "largest-sum largest"),
];

/// All inputs but those at the bounds of single values.
pub fn ideas(grammar: &Grammar, seed: u64) -> Vec<Idea> {
    let shapes = shape::applicable(grammar);
    let has_counts = grammar.sites.iter().any(|site| site.is_count);
    let mut ideas = Vec::new();
    for (size, names) in SHAPES_BY_SCALE {
        if size == Some(Scale::Large) && !has_counts {
            continue;
        }
        let names: Vec<&str> = names.split(' ').collect();
        let size = size.filter(|_| has_counts);
        for (at, name) in names.iter().enumerate() {
            let shape = shapes.iter().find(|shape| shape.name == *name);
            let sized = shape.and_then(|shape| match size {
                Some(size) => shape.sized(size),
                None => Some(shape.clone()),
            });
            let Some(shape) = sized else { continue };
            let before = names[..at].iter().filter(|other| *other == name).count() as u64;
            let is_one = names.iter().filter(|other| *other == name).count() == 1;
            let (values, ending) = match size {
                None => ("", ""),
                Some(Scale::Small) => ("few values: ", ""),
                Some(Scale::Large) => ("as many values as allowed: ", "-large"),
            };
            let seed = seed.wrapping_add(before);
            ideas.push(Idea {
                name: if is_one {
                    format!("{name}{ending}")
                } else {
                    format!("{name}-{}", before + 1)
                },
                purpose: format!("{values}{}", shape.description),
                pins: Vec::new(),
                seed,
                options: options(&shape, size, None, seed),
                shape,
            });
        }
    }
    ideas
}

/// Inputs at bounds that no input has reached so far.
pub fn bound_ideas(grammar: &Grammar, coverage: &Coverage, seed: u64) -> Vec<Idea> {
    let mut ideas: Vec<Idea> = Vec::new();
    for (index, site) in grammar.sites.iter().enumerate().filter(|(_, site)| site.is_number) {
        let ends = [(BoundSide::Least, "least", "smallest"), (BoundSide::Most, "most", "greatest")];
        for (side, word, value) in ends {
            if coverage.reaches(index, side) {
                continue;
            }
            let small = shape::RANDOM
                .sized(Scale::Small)
                .filter(|_| !site.is_count && grammar.sites.iter().any(|site| site.is_count));
            let size = small.as_ref().map(|_| Scale::Small);
            let shape = small.unwrap_or(shape::RANDOM);
            let pinned = format!("--{word} {}", shell_word(site.label.as_bytes()));
            ideas.push(Idea {
                name: format!("{}-{word}", name_part(&site.label)),
                purpose: format!("{} at its {value}, all else at random", site.label),
                options: options(&shape, size, Some(&pinned), seed),
                shape,
                pins: (0..grammar.sites.len())
                    .filter(|other| grammar.sites[*other].label == site.label)
                    .map(|site| Pin { site, side })
                    .collect(),
                seed,
            });
        }
    }
    ideas
}

fn options(shape: &Shape, size: Option<Scale>, pinned: Option<&str>, seed: u64) -> String {
    let size = size.map_or_else(String::new, |size| format!(" --size {size}"));
    let pinned = pinned.map_or_else(String::new, |pinned| format!(" {pinned}"));
    format!("--shape {}{size}{pinned} --seed {seed}", shape.name)
}

/// A label as part of a test case's name.
fn name_part(label: &str) -> String {
    let base = label.split(['[', '(']).next().unwrap_or_default();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let plain: String = base.chars().filter(is_plain).collect();
    if plain.is_empty() { "value".to_owned() } else { plain.to_lowercase() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use juror_grammar::compile::parse_grammar;
    use juror_grammar::generate::generate_until;

    fn grammar(text: &str) -> Grammar {
        let reading = parse_grammar(Path::new("g.ctd"), text.as_bytes());
        reading.grammar.expect("a grammar")
    }

    #[test]
    fn every_shape_is_used() {
        for shape in shape::SHAPES {
            if shape.is_for_searches() {
                continue;
            }
            // `increasing` with large counts replaces `increasing-most`.
            let is_used = SHAPES_BY_SCALE
                .iter()
                .any(|(_, names)| names.split(' ').any(|name| name == shape.name));
            assert!(is_used || shape.name == "increasing-most", "{}", shape.name);
        }
        for name in SHAPES_BY_SCALE.iter().flat_map(|(_, names)| names.split(' ')) {
            assert!(shape::find_shape(name).is_some(), "{name}");
        }
    }

    #[test]
    fn ideas_depend_on_the_grammar() {
        let check = |text: &str, has: &[&str], has_not: &[&str]| {
            let ideas = ideas(&grammar(text), 1);
            let is_there = |name: &&&str| ideas.iter().any(|idea| idea.name == ***name);
            assert_eq!(has.iter().find(|name| !is_there(name)), None, "{text}");
            assert_eq!(has_not.iter().find(is_there), None, "{text}");
        };
        check(
            "INT(1, 9, n) NEWLINE REP(n, SPACE) INT(0, 9) END NEWLINE",
            &["smallest", "tiny-3", "spike", "spike-large", "largest"],
            &["many-tiny"],
        );
        check(
            "INT(1, 9, t) NEWLINE REP(t) INT(1, 9, n) REP(n) SPACE INT(0, 9) END NEWLINE END",
            &["many-tiny", "one-huge", "big-before-small", "same-twice"],
            &["random-1-large"],
        );
        check(
            "INT(1, 9, a) SPACE INT(1, 9, b) NEWLINE",
            &["smallest", "largest", "random-2"],
            &["increasing", "count-most-1", "spike-large"],
        );
        check("REGEX(\"[a-z]+\", s) NEWLINE", &["random-1"], &["smallest"]);
    }

    #[test]
    fn missed_bounds_get_inputs() {
        let text = "INT(1, 50, n) SPACE INT(1, n, k) NEWLINE REP(n, SPACE) INT(0, 9) END NEWLINE";
        let grammar = grammar(text);
        let mut coverage = Coverage::new(&grammar);
        let input = &b"3 1\n9 4 4\n"[..];
        coverage.add(&grammar, input, Path::new("1.in")).unwrap();
        let ideas = bound_ideas(&grammar, &coverage, 7);
        let names: Vec<&str> = ideas.iter().map(|idea| idea.name.as_str()).collect();
        assert_eq!(names, ["n-least", "n-most", "k-most", "int-least"]);
        assert_eq!(ideas[2].options, "--shape random --size small --most k --seed 7");
        for idea in &ideas {
            let made =
                generate_until(&grammar, &idea.shape, &idea.pins, idea.seed, None, &|| false)
                    .unwrap();
            let path = Path::new("2.in");
            coverage.add(&grammar, made.as_slice(), path).unwrap();
        }
        assert_eq!(bound_ideas(&grammar, &coverage, 7), []);
    }
}
