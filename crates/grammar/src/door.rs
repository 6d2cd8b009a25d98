//! The door of this crate: what others do with a grammar.

use std::path::Path;

use crate::bounds::{Coverage, bounds};
use crate::compile::parse_grammar;
use crate::generate::generate;
use crate::program::Grammar;
use crate::shape::{RANDOM, Shape, applicable};
use crate::shrink::shrink;
use crate::validate::{Error, validate};
use crate::value_bounds::ValueBounds;
use juror_core::diagnostic::Diagnostic;

impl Grammar {
    /// Reads a grammar. The name is for messages: such as that of its file.
    ///
    /// # Errors
    /// [`Error::Grammar`] with every fault of the text. Warnings are not errors: [`parse_grammar`] also returns those.
    pub fn parse(name: impl AsRef<Path>, text: impl AsRef<[u8]>) -> Result<Self, Error> {
        let parsed = parse_grammar(name.as_ref(), text.as_ref());
        parsed.grammar.ok_or_else(|| {
            Error::Grammar(parsed.diagnostics.into_iter().filter(Diagnostic::is_error).collect())
        })
    }

    /// Checks whether an input matches. The name is for messages.
    ///
    /// # Errors
    /// [`Error::Input`] with the first place that does not match; [`Error::Grammar`] if the grammar cannot be applied
    /// to this input.
    pub fn check(&self, name: impl AsRef<Path>, input: impl AsRef<[u8]>) -> Result<(), Error> {
        validate(self, input.as_ref(), name.as_ref())
    }

    /// Writes a random input. The same seed gives the same bytes on every machine.
    ///
    /// # Errors
    /// [`Error::Grammar`] if no input was found that meets every condition.
    pub fn generate(&self, seed: u64) -> Result<Vec<u8>, Error> {
        self.generate_shaped(&RANDOM, seed)
    }

    /// Writes an input of this shape, such as a large or an ordered one.
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    pub fn generate_shaped(&self, shape: &Shape, seed: u64) -> Result<Vec<u8>, Error> {
        generate(self, shape, seed).map_err(|diagnostic| Error::Grammar(vec![diagnostic]))
    }

    /// The shapes that make a difference for this grammar. The first is the random one.
    pub fn shapes(&self) -> Vec<Shape> {
        applicable(self)
    }

    /// The bounds of every number that the grammar reads, in the order of its text.
    pub fn bounds(&self) -> Vec<ValueBounds> {
        bounds(self, None)
    }

    /// The same, with the values that these inputs have there.
    ///
    /// # Errors
    /// As [`check`](Self::check), for the first input that does not match.
    pub fn bounds_reached<I: AsRef<[u8]>>(
        &self,
        inputs: impl IntoIterator<Item = I>,
    ) -> Result<Vec<ValueBounds>, Error> {
        let mut coverage = Coverage::new(self);
        for (index, input) in inputs.into_iter().enumerate() {
            let name = format!("input {}", index + 1);
            coverage.add(self, input.as_ref(), Path::new(&name))?;
        }
        Ok(bounds(self, Some(&coverage)))
    }

    /// Makes an input smaller as long as it stays interesting. Calls `interesting` at most `budget` times, only with
    /// inputs that match the grammar.
    ///
    /// # Errors
    /// As [`check`](Self::check), if the first input does not match.
    pub fn shrink(
        &self,
        input: impl AsRef<[u8]>,
        budget: u64,
        interesting: impl FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, Error> {
        shrink(self, input.as_ref(), interesting, budget, || false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "INT(1, 3, n) NEWLINE REP(n, SPACE) INT(0, 9) END NEWLINE";

    fn check(result: Result<(), Error>, expected: &str) {
        let shown = result.err().map_or("ok".to_owned(), |error| error.to_string());
        assert_eq!(shown, expected);
    }

    #[test]
    fn an_error_says_where_and_what_to_do() {
        let grammar = Grammar::parse("row.ctd", ROW).unwrap();
        check(grammar.check("1.in", "2\n4 5\n"), "ok");
        check(
            grammar.check("2.in", "2\n4 x\n"),
            "2.in:2:3: expected an integer from 0 to 9, got `x`\nrow.ctd:1:36 has INT(0, 9)",
        );
        let wrong = Grammar::parse("row.ctd", "INT(1, 3, n) NEWLIN\nSTRING(5)").map(|_| ());
        let shown = wrong.unwrap_err().to_string();
        assert!(shown.starts_with("row.ctd:1:14: "), "{shown}");
        assert!(shown.contains("\nrow.ctd:2:"), "{shown}");
        let empty = Grammar::parse("x.ctd", "INT(1, 3, a) ASSERT(a > 3)").unwrap();
        assert!(matches!(empty.generate(1), Err(Error::Grammar(_))));
    }

    #[test]
    fn what_is_generated_matches_and_repeats() {
        let grammar = Grammar::parse("row.ctd", ROW).unwrap();
        for shape in grammar.shapes() {
            let input = grammar.generate_shaped(&shape, 7).unwrap();
            check(grammar.check(shape.name, &input), "ok");
            assert_eq!(grammar.generate_shaped(&shape, 7).unwrap(), input);
        }
        assert_ne!(grammar.generate(1).unwrap(), grammar.generate(2).unwrap());
    }

    #[test]
    fn bounds_are_listed_with_the_values_that_inputs_have() {
        let grammar = Grammar::parse("row.ctd", ROW).unwrap();
        let names: Vec<_> = grammar.bounds().into_iter().map(|bounds| bounds.name).collect();
        assert_eq!(names, ["n", "INT(0, 9)"]);
        let reached = grammar.bounds_reached(["1\n0\n", "3\n1 2 3\n"]).unwrap();
        let missed: Vec<_> = reached.iter().map(ValueBounds::missed_bounds).collect();
        assert_eq!(missed, [None, Some("never 9".to_owned())]);
        assert!(matches!(grammar.bounds_reached(["4\n"]), Err(Error::Input(_))));
    }

    #[test]
    fn a_shrunk_input_is_small_and_matches() {
        let grammar = Grammar::parse("row.ctd", ROW).unwrap();
        let has_five = |input: &[u8]| input.contains(&b'5');
        assert_eq!(grammar.shrink("3\n9 5 7\n", 100, has_five).unwrap(), b"1\n5\n");
    }
}
