//! Changed copies of test cases that the package's input validators accept, for packages without a grammar.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use crate::inputs::candidates::{Candidate, CandidateSource};
use crate::inputs::word_lines::{ExtremeNumbers, WordLines};
use crate::search::result::CounterexampleOrigin;
use crate::validity::Validity;
use juror_core::stop::Stop;
use juror_grammar::chance::Chance;

/// Number of copies that the validators get at once.
const COPIES_AT_ONCE: usize = 32;
/// Upper bound on the valid copies that are changed again.
const VALID_COPIES_MAX: usize = 500;
/// Upper bound on the bytes of a copy.
pub const COPY_BYTES_MAX: usize = 64 << 10;
/// After this many invalid copies in a row, the source ends.
const INVALID_MAX: usize = 2000;

pub struct VariedTestCases<'a> {
    validity: &'a Validity<'a>,
    /// The inputs to change: first the test cases, the smallest first, then valid copies.
    parents: Vec<ParentInput>,
    test_case_count: usize,
    numbers: ExtremeNumbers,
    chance: Chance,
    hasher: RandomState,
    seen: HashSet<u64>,
    ready: VecDeque<Candidate>,
}

#[derive(Clone)]
struct ParentInput {
    case: Arc<str>,
    lines: WordLines,
}

impl<'a> VariedTestCases<'a> {
    pub fn new(validity: &'a Validity<'a>, mut cases: Vec<(String, Vec<u8>)>, seed: u64) -> Self {
        cases.retain(|(_, input)| input.len() <= COPY_BYTES_MAX);
        cases.sort_by_key(|(_, input)| input.len());
        let hasher = RandomState::new();
        let seen = cases.iter().map(|(_, input)| hasher.hash_one(&input[..])).collect();
        let read = |(name, input): (String, Vec<u8>)| ParentInput {
            case: name.into(),
            lines: WordLines::read(&input),
        };
        let parents: Vec<ParentInput> = cases.into_iter().map(read).collect();
        Self {
            validity,
            test_case_count: parents.len(),
            numbers: ExtremeNumbers::of(parents.iter().map(|parent| &parent.lines)),
            parents,
            chance: Chance::new(seed, "test cases"),
            hasher,
            seen,
            ready: VecDeque::new(),
        }
    }

    /// The next input to change: every other time a test case, and small ones more often.
    fn choose_parent(&mut self) -> ParentInput {
        let (own, all) = (self.test_case_count as u64, self.parents.len() as u64);
        let index = if own < all && self.chance.happens(500) {
            own + self.chance.below(all - own)
        } else {
            self.chance.below(own).min(self.chance.below(own))
        };
        self.parents[index as usize].clone()
    }

    /// If there are many copies, it replaces another one.
    fn add_parent(&mut self, parent: ParentInput) {
        if self.parents.len() - self.test_case_count < VALID_COPIES_MAX {
            self.parents.push(parent)
        } else {
            let index = self.test_case_count + self.chance.below(VALID_COPIES_MAX as u64) as usize;
            self.parents[index] = parent;
        }
    }
}

impl CandidateSource for VariedTestCases<'_> {
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let mut in_vain = 0;
        while self.ready.is_empty()
            && in_vain < INVALID_MAX
            && self.test_case_count > 0
            && !is_over()
        {
            let mut copies: Vec<(ParentInput, Arc<[u8]>)> = Vec::new();
            for _ in 0..COPIES_AT_ONCE {
                let parent = self.choose_parent();
                let lines = parent.lines.varied(&self.numbers, &mut self.chance);
                let text: Arc<[u8]> = lines.text().into();
                if text.len() <= COPY_BYTES_MAX && self.seen.insert(self.hasher.hash_one(&text[..]))
                {
                    copies.push((ParentInput { lines, ..parent }, text));
                }
            }
            let validity = self.validity;
            // Grammars need no process, so all copies that they accept are kept. The other validators check them
            // later, like inputs from a grammar.
            let texts: Vec<Arc<[u8]>> = copies.iter().map(|(_, text)| Arc::clone(text)).collect();
            let valid = if validity.grammars.is_empty() {
                validity.accepts_each(&texts)?
            } else {
                texts.iter().map(|text| validity.grammars_accept(text)).collect()
            };
            in_vain += COPIES_AT_ONCE;
            for ((parent, text), _) in copies.into_iter().zip(valid).filter(|(_, valid)| *valid) {
                let origin = CounterexampleOrigin::TestCase { name: parent.case.to_string() };
                self.ready.push_back(Candidate::text(text, origin));
                self.add_parent(parent);
            }
        }
        Ok(self.ready.pop_front())
    }
}
