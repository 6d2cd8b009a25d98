//! Inputs that reached new edges of a program, changed further.

use std::path::Path;
use std::sync::Arc;

use crate::inputs::candidates::{
    Candidate, CandidateContent, CandidateSource, DrawnInput, VariedInput,
};
use crate::search::result::CounterexampleOrigin;
use juror_core::stop::Stop;
use juror_grammar::chance::Chance;
use juror_grammar::program::Grammar;
use juror_grammar::shape::{self, SpecialNumbers};
use juror_grammar::tree::{InputTree, parse};

/// Upper bound on the inputs that are kept.
const KEPT_MAX: usize = 1024;
/// Upper bound on the bytes of an input that is kept.
const BYTES_MAX: usize = 2 << 10;
/// Number of the last inputs that get half of the turns.
const LAST: u64 = 16;

pub struct CoverageInputs<'a> {
    grammar: &'a Grammar,
    numbers: Arc<SpecialNumbers>,
    chance: Chance,
    kept: Vec<Arc<InputTree>>,
}

impl<'a> CoverageInputs<'a> {
    pub fn new(grammar: &'a Grammar, numbers: &Arc<SpecialNumbers>, seed: u64) -> Self {
        let (numbers, chance) = (Arc::clone(numbers), Chance::new(seed, "coverage"));
        Self { grammar, numbers, chance, kept: Vec::new() }
    }

    fn choose(&mut self, among: u64) -> Option<Arc<InputTree>> {
        let from_last = self.chance.below(among) as usize;
        self.kept.iter().rev().nth(from_last).cloned()
    }
}

impl CandidateSource for CoverageInputs<'_> {
    fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let count = self.kept.len() as u64;
        let seed = self.chance.below(u64::MAX);
        let among = if self.chance.happens(500) { count.min(LAST) } else { count };
        let content = match (self.choose(among), self.choose(count)) {
            (Some(kept), Some(other)) => {
                let numbers = Arc::clone(&self.numbers);
                CandidateContent::Varied(Box::new(VariedInput { kept, other, numbers, seed }))
            }
            // Until inputs are kept.
            _ => CandidateContent::Drawn(Box::new(DrawnInput {
                shape: shape::RANDOM.with_count_limit(6),
                pins: Vec::new(),
                seed,
                size_limit: None,
            })),
        };
        Ok(Some(Candidate::new(content, CounterexampleOrigin::Coverage { seed })))
    }

    fn note_new(&mut self, input: &[u8]) -> bool {
        if input.len() > BYTES_MAX {
            return false;
        }
        let Ok(tree) = parse(self.grammar, input, Path::new("input")) else { return false };
        if self.kept.len() == KEPT_MAX {
            let at = self.chance.below(KEPT_MAX as u64) as usize;
            self.kept.remove(at);
        }
        self.kept.push(Arc::new(tree));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_grammar::compile::parse_grammar;
    use juror_grammar::number::Int;
    use juror_grammar::validate::accepts;

    #[test]
    fn inputs_that_reach_new_edges_are_changed_with_pieces_and_numbers() {
        let text = b"REGEX(\"[a-z]{1,9}\", s) SPACE INT(1,100000,n) NEWLINE";
        let grammar = parse_grammar(Path::new("g.ctd"), text).grammar.expect("a grammar");
        let values = vec![Int::from(77_777_u64)];
        let numbers = Arc::new(SpecialNumbers { values, steps: Vec::new() });
        let mut source = CoverageInputs::new(&grammar, &numbers, 1);
        let next = |source: &mut CoverageInputs<'_>| {
            let next = source.next(&|| false).expect("no stop").expect("an input");
            match next.written(Some(&grammar), &|| false)?.content {
                CandidateContent::Text(text) => Some(text),
                _ => panic!("a text"),
            }
        };
        // Until something is kept, inputs are random.
        assert!(accepts(&grammar, &next(&mut source).expect("an input")));
        source.note_new(b"abc 5\n");
        source.note_new(b"not valid\n");
        source.note_new(b"xyz 31416\n");
        let made: Vec<String> = (0..500)
            .filter_map(|_| next(&mut source))
            .map(|text| {
                assert!(accepts(&grammar, &text));
                String::from_utf8(text.to_vec()).expect("a text")
            })
            .collect();
        let has = |is_wanted: &dyn Fn(&str) -> bool| made.iter().any(|text| is_wanted(text));
        assert!(has(&|text| text.ends_with(" 77777\n")));
        assert!(has(&|text| text.starts_with("abc") && text.ends_with(" 31416\n")));
        assert!(has(&|text| text.contains("ab") && text.contains("yz")));
    }
}
