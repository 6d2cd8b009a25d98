//! Inputs to try, from several sources that take turns.

use std::sync::Arc;

use crate::inputs::by_recipe::GeneratorCall;
use crate::recipe::seeded_generator::SeededCall;
use crate::search::result::CounterexampleOrigin;
use juror_core::stop::Stop;

#[derive(Clone, Debug)]
pub struct Candidate {
    pub content: CandidateContent,
    pub origin: CounterexampleOrigin,
}

impl Candidate {
    pub fn text(text: impl Into<Arc<[u8]>>, origin: CounterexampleOrigin) -> Self {
        Self { content: CandidateContent::Text(text.into()), origin }
    }
}

/// An input, or how to make it.
#[derive(Clone, Debug)]
pub enum CandidateContent {
    Text(Arc<[u8]>),
    Call(GeneratorCall),
    /// A call of the generator of the command line.
    Seeded(SeededCall),
}

/// A source of inputs. The same seed gives the same inputs in the same order.
pub trait CandidateSource: Send {
    /// `None` if there are no more inputs, or if `is_over` becomes true first.
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop>;
}

#[derive(Default)]
pub struct SourceMix<'a> {
    sources: Vec<MixedSource<'a>>,
    /// Number of turns of the first source before the others begin.
    first_turns: u32,
}

struct MixedSource<'a> {
    source: Box<dyn CandidateSource + 'a>,
    share: i64,
    credit: i64,
}

impl<'a> SourceMix<'a> {
    /// The first source added begins.
    pub fn add(&mut self, share: u32, candidates: impl CandidateSource + 'a) {
        self.sources.push(MixedSource {
            source: Box::new(candidates),
            share: i64::from(share.max(1)),
            credit: 0,
        });
    }

    /// Gives the first source this many turns before the others begin.
    pub fn set_first_turns(&mut self, turns: u32) {
        self.first_turns = turns;
    }

    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}

impl CandidateSource for SourceMix<'_> {
    /// The source whose turn is most overdue comes next. A source that has ended leaves its share to the others.
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        while self.first_turns > 0 {
            self.first_turns -= 1;
            let Some(first) = self.sources.first_mut() else { break };
            match first.source.next(is_over)? {
                None => self.first_turns = 0,
                candidate => return Ok(candidate),
            }
        }
        loop {
            let shares: i64 = self.sources.iter().map(|source| source.share).sum();
            for source in &mut self.sources {
                source.credit += source.share;
            }
            // The first of several.
            let most = self.sources.iter().map(|source| source.credit).max();
            let Some(index) = self.sources.iter().position(|it| Some(it.credit) == most) else {
                return Ok(None);
            };
            let source = &mut self.sources[index];
            source.credit -= shares;
            if let Some(candidate) = source.source.next(is_over)? {
                return Ok(Some(candidate));
            }
            self.sources.remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Letters {
        letter: u8,
        left: usize,
    }

    impl CandidateSource for Letters {
        fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
            let Some(letters_left) = self.left.checked_sub(1) else { return Ok(None) };
            self.left = letters_left;
            Ok(Some(Candidate {
                content: CandidateContent::Text(Arc::from([self.letter])),
                origin: CounterexampleOrigin::Small { level: 1 },
            }))
        }
    }

    fn check(sources: &[(u32, u8, usize)], turns: usize, expected: &str) {
        let mut mix = SourceMix::default();
        for &(share, letter, left) in sources {
            mix.add(share, Letters { letter, left });
        }
        let mut letters = String::new();
        for _ in 0..turns {
            match mix.next(&|| false).unwrap() {
                Some(Candidate { content: CandidateContent::Text(text), .. }) => {
                    letters.push(char::from(text[0]))
                }
                _ => letters.push('.'),
            }
        }
        assert_eq!(letters, expected, "{sources:?}");
    }

    #[test]
    fn every_source_has_its_share_of_turns() {
        check(&[], 2, "..");
        check(&[(1, b'a', 3)], 4, "aaa.");
        check(&[(1, b'a', 9), (1, b'b', 9)], 6, "ababab");
        check(&[(3, b'a', 9), (1, b'b', 9)], 8, "aabaaaba");
    }

    #[test]
    fn the_first_source_may_start_alone() {
        let mut mix = SourceMix::default();
        for (letter, left) in [(b'a', 5), (b'b', 5)] {
            mix.add(1, Letters { letter, left });
        }
        mix.set_first_turns(3);
        let letters: Vec<u8> = std::iter::from_fn(|| mix.next(&|| false).unwrap())
            .filter_map(|candidate| match candidate.content {
                CandidateContent::Text(text) => Some(text[0]),
                CandidateContent::Call(_) | CandidateContent::Seeded(_) => None,
            })
            .collect();
        assert_eq!(letters, b"aaaababbbb");
    }

    #[test]
    fn an_ended_source_leaves_its_turns_to_the_others() {
        check(&[(3, b'a', 2), (1, b'b', 4)], 7, "aabbbb.");
    }
}
