//! Grammars with one small change each. Test data that does not distinguish them from the grammar does not test it.

use crate::grammar::ast::Expr;
use crate::grammar::compile::read;
use crate::grammar::generate::{End, Pin, generate_within};
use crate::grammar::program::{Grammar, Op};
use crate::grammar::shape;
use crate::grammar::source::Span;
use crate::grammar::validate::accepts;

/// A grammar with one change.
#[derive(Clone, Debug)]
pub struct GrammarMutant {
    /// The change, such as `n may be one more`.
    pub name: String,
    /// The line of the change, from 1.
    pub line: u32,
    /// Whether it accepts more than the grammar, not less.
    pub is_looser: bool,
    /// The changed grammar.
    pub grammar: Grammar,
    /// Fixes values at the bound that was changed.
    pin: Option<Pin>,
}

/// All mutants: each bound of an integer moved by one, up and down, and each ASSERT removed.
pub fn mutants(grammar: &Grammar) -> Vec<GrammarMutant> {
    let mut found = Vec::new();
    for (at, step) in grammar.steps.iter().enumerate() {
        match step {
            Op::Int { site, min, max, .. } => {
                let label = &grammar.sites[*site].label;
                let mut moved = |bound: &Expr, by: &str, end, is_looser| {
                    let what = match (end, is_looser) {
                        (End::Least, true) => "may be one less",
                        (End::Least, false) => "must be one more",
                        (_, true) => "may be one more",
                        (_, false) => "must be one less",
                    };
                    let name = format!("{label} {what}");
                    let text = excerpt(grammar, bound.span);
                    let text = [b"(".as_slice(), text, b")", by.as_bytes()].concat();
                    let pin = Some(Pin { site: *site, end });
                    found.extend(changed(grammar, bound.span, &text, name, is_looser, pin));
                };
                moved(min, "-1", End::Least, true);
                moved(min, "+1", End::Least, false);
                moved(max, "+1", End::Most, true);
                moved(max, "-1", End::Most, false);
            }
            Op::Assert(_) => {
                let span = grammar.spans[at];
                let name = format!("{} is left out", grammar.source.excerpt(span));
                found.extend(changed(grammar, span, b" ", name, true, None));
            }
            _ => {}
        }
    }
    found
}

fn excerpt(grammar: &Grammar, span: Span) -> &[u8] {
    &grammar.source.text[span.start..span.end]
}

fn changed(
    grammar: &Grammar,
    span: Span,
    text: &[u8],
    name: String,
    is_looser: bool,
    pin: Option<Pin>,
) -> Option<GrammarMutant> {
    let source = &grammar.source;
    let text = [&source.text[..span.start], text, &source.text[span.end..]].concat();
    let changed = read(&source.path, &text).grammar?;
    let changed = Grammar { limits: grammar.limits, ..changed };
    Some(GrammarMutant { name, line: source.line(span), is_looser, grammar: changed, pin })
}

impl GrammarMutant {
    /// Whether an input distinguishes the mutant from its grammar.
    pub fn differs(&self, grammar: &Grammar, input: &[u8]) -> bool {
        accepts(&self.grammar, input) != accepts(grammar, input)
    }

    /// A small input that only one of the two accepts, and the number of inputs that were tried.
    pub fn told_apart(&self, grammar: &Grammar, seed: u64) -> (Option<Vec<u8>>, u64) {
        const SHAPES: [&str; 4] = ["smallest", "tiny", "count-least", "random"];
        const SEEDS: u64 = 12;
        const LARGEST: usize = 64 << 10;
        let (accepting, refusing) =
            if self.is_looser { (&self.grammar, grammar) } else { (grammar, &self.grammar) };
        let pins: Vec<Pin> = self.pin.into_iter().collect();
        let mut tried = 0;
        for shape in SHAPES.iter().filter_map(|name| shape::named(name)) {
            for number in 0..SEEDS {
                let seed = seed.wrapping_add(number);
                let made = generate_within(accepting, &shape, &pins, seed, Some(LARGEST));
                let Ok(input) = made else { break };
                tried += 1;
                if !accepts(refusing, &input) {
                    return (Some(input), tried);
                }
            }
        }
        (None, tried)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_bound_moves_and_each_check_goes() {
        let check = |text: &str, expected: &[(&str, u32, &str)]| {
            let grammar = read(Path::new("g.ctd"), text.as_bytes()).grammar.expect("a grammar");
            let mutants = mutants(&grammar);
            let found: Vec<(&str, u32, String)> = mutants
                .iter()
                .map(|mutant| {
                    let (input, _) = mutant.told_apart(&grammar, 1);
                    let input = input.map_or("nothing".to_owned(), |input| {
                        assert!(mutant.differs(&grammar, &input));
                        assert_eq!(accepts(&mutant.grammar, &input), mutant.is_looser);
                        String::from_utf8(input).unwrap()
                    });
                    (mutant.name.as_str(), mutant.line, input)
                })
                .collect();
            let expected: Vec<(&str, u32, String)> = expected
                .iter()
                .map(|(name, line, input)| (*name, *line, (*input).to_owned()))
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "INT(1, 3, n)\nNEWLINE",
            &[
                ("n may be one less", 1, "0\n"),
                ("n must be one more", 1, "1\n"),
                ("n may be one more", 1, "4\n"),
                ("n must be one less", 1, "3\n"),
            ],
        );
        // The second ASSERT already follows from the bounds.
        check(
            "INT(1, 3, n)\nASSERT(n != 2)\nASSERT(n < 5) NEWLINE",
            &[
                ("n may be one less", 1, "0\n"),
                ("n must be one more", 1, "1\n"),
                ("n may be one more", 1, "4\n"),
                ("n must be one less", 1, "3\n"),
                ("ASSERT(n != 2) is left out", 2, "2\n"),
                ("ASSERT(n < 5) is left out", 3, "nothing"),
            ],
        );
    }

    #[test]
    fn bounds_may_be_expressions() {
        let text = "INT(1, 2 * 3, n) SPACE INT(-n, n + 1) NEWLINE";
        let grammar = read(Path::new("g.ctd"), text.as_bytes()).grammar.expect("a grammar");
        let mutants = mutants(&grammar);
        assert_eq!(mutants.len(), 8);
        for mutant in mutants {
            assert!(mutant.told_apart(&grammar, 1).0.is_some(), "{}", mutant.name);
        }
    }
}
