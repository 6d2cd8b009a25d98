//! Changed copies of test cases that the package's input validators accept, for packages without a grammar.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use crate::grammar::chance::Chance;
use crate::inputs::candidates::{Candidate, Candidates};
use crate::inputs::word_lines::{Numbers, WordLines};
use crate::model::stop::Stop;
use crate::model::stress::Origin;
use crate::validity::Validity;

/// Number of copies that the validators get at once.
const AT_ONCE: usize = 32;
/// Upper bound on the valid copies that are changed again.
const KEPT: usize = 500;
/// Upper bound on the bytes of a copy.
pub const LONGEST: usize = 64 << 10;
/// After this many invalid copies in a row, the source ends.
const IN_VAIN: usize = 2000;

pub struct ByTestCases<'a> {
    validity: &'a Validity<'a>,
    /// The inputs to change: first the test cases, the smallest first, then valid copies.
    parents: Vec<Parent>,
    own: usize,
    numbers: Numbers,
    chance: Chance,
    hasher: RandomState,
    seen: HashSet<u64>,
    ready: VecDeque<Candidate>,
}

#[derive(Clone)]
struct Parent {
    case: Arc<str>,
    sheet: WordLines,
}

impl<'a> ByTestCases<'a> {
    pub fn new(validity: &'a Validity<'a>, mut cases: Vec<(String, Vec<u8>)>, seed: u64) -> Self {
        cases.retain(|(_, input)| input.len() <= LONGEST);
        cases.sort_by_key(|(_, input)| input.len());
        let hasher = RandomState::new();
        let seen = cases.iter().map(|(_, input)| hasher.hash_one(&input[..])).collect();
        let read = |(name, input): (String, Vec<u8>)| Parent {
            case: name.into(),
            sheet: WordLines::read(&input),
        };
        let parents: Vec<Parent> = cases.into_iter().map(read).collect();
        Self {
            validity,
            own: parents.len(),
            numbers: Numbers::of(parents.iter().map(|parent| &parent.sheet)),
            parents,
            chance: Chance::new(seed, "test cases"),
            hasher,
            seen,
            ready: VecDeque::new(),
        }
    }

    /// The next input to change: every other time a test case, and small ones more often.
    fn parent(&mut self) -> Parent {
        let (own, all) = (self.own as u64, self.parents.len() as u64);
        let place = if own < all && self.chance.happens(500) {
            own + self.chance.below(all - own)
        } else {
            self.chance.below(own).min(self.chance.below(own))
        };
        self.parents[place as usize].clone()
    }

    /// If there are many copies, it replaces another one.
    fn keep(&mut self, parent: Parent) {
        if self.parents.len() - self.own < KEPT {
            self.parents.push(parent)
        } else {
            let place = self.own + self.chance.below(KEPT as u64) as usize;
            self.parents[place] = parent;
        }
    }
}

impl Candidates for ByTestCases<'_> {
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let mut in_vain = 0;
        while self.ready.is_empty() && in_vain < IN_VAIN && self.own > 0 && !is_over() {
            let mut made: Vec<(Parent, Arc<[u8]>)> = Vec::new();
            for _ in 0..AT_ONCE {
                let parent = self.parent();
                let sheet = parent.sheet.varied(&self.numbers, &mut self.chance);
                let text: Arc<[u8]> = sheet.text().into();
                if text.len() <= LONGEST && self.seen.insert(self.hasher.hash_one(&text[..])) {
                    made.push((Parent { sheet, ..parent }, text));
                }
            }
            let validity = self.validity;
            // Grammars need no process, so all copies that they accept are kept. The other validators check them
            // later, like inputs from a grammar.
            let texts: Vec<Arc<[u8]>> = made.iter().map(|(_, text)| Arc::clone(text)).collect();
            let valid = if validity.grammars.is_empty() {
                validity.accepted(&texts)?
            } else {
                texts.iter().map(|text| validity.by_grammar(text)).collect()
            };
            in_vain += AT_ONCE;
            for ((parent, text), _) in made.into_iter().zip(valid).filter(|(_, valid)| *valid) {
                let origin = Origin::TestCase { name: parent.case.to_string() };
                self.ready.push_back(Candidate::text(text, origin));
                self.keep(parent);
            }
        }
        Ok(self.ready.pop_front())
    }
}
