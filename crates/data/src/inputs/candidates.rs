//! Inputs to try, from several sources. Each has an account: the source that has spent least for its share comes next.

use std::sync::Arc;
use std::time::Duration;

use crate::recipe::built_generators::GeneratorCall;
use crate::recipe::seeded_generator::SeededCall;
use crate::search::result::{CounterexampleOrigin, SearchedSource};
use juror_core::stop::Stop;
use juror_grammar::chance::Chance;
use juror_grammar::generate::generate_until;
use juror_grammar::program::Grammar;
use juror_grammar::shape::{Shape, SpecialNumbers};
use juror_grammar::tree::InputTree;
use juror_grammar::value_bounds::Pin;
use juror_grammar::vary::{Ingredients, vary_with};

/// Number of changes that are tried until the grammar accepts one.
const CHANGES_MAX: u64 = 20;

#[derive(Clone, Debug)]
pub struct Candidate {
    pub content: CandidateContent,
    pub origin: CounterexampleOrigin,
    /// The account of its source.
    pub account: usize,
    /// Whether its source learns from the programs' times: then it runs alone if it is long, not in a batch.
    pub is_timed: bool,
}

impl Candidate {
    pub fn new(content: CandidateContent, origin: CounterexampleOrigin) -> Self {
        Self { content, origin, account: 0, is_timed: false }
    }

    pub fn text(text: impl Into<Arc<[u8]>>, origin: CounterexampleOrigin) -> Self {
        Self::new(CandidateContent::Text(text.into()), origin)
    }

    /// Writes an input that is only drawn; `None` if no values satisfy the grammar, or if the time is over.
    pub fn written(self, grammar: Option<&Grammar>, is_over: &dyn Fn() -> bool) -> Option<Self> {
        let text = match &self.content {
            CandidateContent::Drawn(drawn) => drawn.write(grammar?, is_over)?,
            CandidateContent::Varied(varied) => varied.write(grammar?)?,
            _ => return Some(self),
        };
        Some(Self { content: CandidateContent::Text(text.into()), ..self })
    }
}

/// An input, or how to make it.
#[derive(Clone, Debug)]
pub enum CandidateContent {
    Text(Arc<[u8]>),
    Call(GeneratorCall),
    /// A call of the generator of the command line.
    Seeded(SeededCall),
    Drawn(Box<DrawnInput>),
    Varied(Box<VariedInput>),
}

/// An input that the grammar writes. Writing a large one takes long, so workers do it side by side.
#[derive(Clone, Debug)]
pub struct DrawnInput {
    pub shape: Shape,
    pub pins: Vec<Pin>,
    pub seed: u64,
    /// In bytes.
    pub size_limit: Option<usize>,
}

impl DrawnInput {
    /// `None` if no values satisfy the grammar, if they would be too large, or if the time is over.
    pub fn write(&self, grammar: &Grammar, is_over: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        generate_until(grammar, &self.shape, &self.pins, self.seed, self.size_limit, is_over).ok()
    }
}

/// An input that is still to be changed: with a piece of another one, or a special number.
#[derive(Clone, Debug)]
pub struct VariedInput {
    pub kept: Arc<InputTree>,
    pub other: Arc<InputTree>,
    pub numbers: Arc<SpecialNumbers>,
    pub seed: u64,
}

impl VariedInput {
    /// `None` if no change is valid.
    fn write(&self, grammar: &Grammar) -> Option<Vec<u8>> {
        let mut chance = Chance::new(self.seed, "coverage");
        let with = Ingredients { other: &self.other, numbers: &self.numbers.values };
        (0..CHANGES_MAX).find_map(|_| vary_with(grammar, &self.kept, with, &mut chance))
    }
}

/// A source of inputs. The same seed gives the same inputs in the same order, unless the source learns from runs.
pub trait CandidateSource: Send {
    /// `None` if there are no more inputs, or if `is_over` becomes true first.
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop>;

    /// Learns how slow the submission was on an input.
    fn note(&mut self, _drawn: &DrawnInput, _slowness: f64) {}

    /// Learns that an input is the first to reach some edge of a program. Returns whether the source changes it further.
    fn note_new(&mut self, _input: &[u8]) -> bool {
        false
    }
}

/// How sources share a search.
#[derive(Clone, Copy, Debug)]
pub struct SourceShare {
    /// Of the time, if the search is limited by time.
    pub time: u32,
    /// Of the inputs, if it is limited by their number; 0 for a source that learns from times.
    pub turns: u32,
}

impl SourceShare {
    pub const fn same(share: u32) -> Self {
        Self { time: share, turns: share }
    }
}

#[derive(Default)]
pub struct SourceMix<'a> {
    /// In the order of accounts; those that have ended stay.
    sources: Vec<MixedSource<'a>>,
    /// Number of turns of the first source before the others begin.
    first_turns: u32,
    is_timed: bool,
    /// The greatest slowness so far.
    slowest: f64,
}

struct MixedSource<'a> {
    /// `None` if it has ended.
    source: Option<Box<dyn CandidateSource + 'a>>,
    share: SourceShare,
    /// For turns: in each, every open source gains its share, and the one with most pays the sum. So turns are spread
    /// evenly, and always in the same order.
    credit: i64,
    /// In seconds, with estimates for inputs that still run.
    spent: f64,
    /// Seconds of an input, as far as known.
    estimate: f64,
    /// Number of inputs that cost the source nothing while it has had less than a third of the time.
    free: u32,
    /// Number of inputs in a row that could not be written.
    misses: u32,
    searched: SearchedSource,
}

/// Estimated seconds of an input of a source that was not tried yet.
const FIRST_ESTIMATE: f64 = 0.002;
/// Number of free inputs of a source that reached new edges.
const CHANGES_OF_NEW: u32 = 64;
/// CPU time from which on a submission may be called slow.
pub const SLOW: Duration = Duration::from_millis(100);
/// After this many inputs in a row that cannot be written, random values cannot satisfy the grammar: a source ends.
const MISSES_MAX: u32 = 50;

impl<'a> SourceMix<'a> {
    /// The first source added begins.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        share: SourceShare,
        candidates: impl CandidateSource + 'a,
    ) {
        self.sources.push(MixedSource {
            source: Some(Box::new(candidates)),
            share,
            credit: 0,
            spent: 0.0,
            estimate: FIRST_ESTIMATE,
            free: 0,
            misses: 0,
            searched: SearchedSource { name: name.into(), ..SearchedSource::default() },
        });
    }

    /// Gives the first source this many turns before the others begin.
    pub fn set_first_turns(&mut self, turns: u32) {
        self.first_turns = turns;
    }

    /// Sources share time, not turns. Each result must be settled.
    pub fn share_time(&mut self) {
        self.is_timed = true;
    }

    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// What each source has done.
    pub fn searched(&self) -> Vec<SearchedSource> {
        self.sources.iter().map(|mixed| mixed.searched.clone()).collect()
    }

    /// Notes the time of an input, on the account of its source.
    pub fn settle(&mut self, account: usize, time: Duration) {
        let all: Duration = self.sources.iter().map(|mixed| mixed.searched.time).sum();
        let Some(source) = self.sources.get_mut(account) else { return };
        let seconds = time.as_secs_f64();
        source.spent += seconds - source.estimate;
        if source.free > 0 && source.searched.time < all / 3 {
            source.free -= 1;
            source.spent -= seconds;
        }
        source.searched.inputs += 1;
        source.searched.time += time;
        source.misses = 0;
        let mean = source.searched.time.as_secs_f64() / source.searched.inputs as f64;
        // Other inputs of this source still run, and were charged with the same estimate.
        source.estimate = mean;
    }

    /// An input could not be written.
    pub fn settle_unwritten(&mut self, account: usize, time: Duration) {
        let Some(source) = self.sources.get_mut(account) else { return };
        source.spent += time.as_secs_f64() - source.estimate;
        source.misses += 1;
        // Without a clock, the order in which workers end must not matter.
        if source.misses >= MISSES_MAX && self.is_timed {
            source.source = None;
        }
    }

    /// Tells the source of an input how slow the submission was on it. An input that is slower than all before costs
    /// nothing, so its source comes again sooner.
    pub fn note(
        &mut self,
        account: usize,
        drawn: Option<&DrawnInput>,
        time: Duration,
        slowness: f64,
    ) {
        let Some(source) = self.sources.get_mut(account) else { return };
        source.searched.slowest = source.searched.slowest.max(time);
        if time >= SLOW && slowness > self.slowest {
            self.slowest = slowness;
            source.spent -= time.as_secs_f64();
        }
        if let (Some(drawn), Some(source), true) = (drawn, &mut source.source, self.is_timed) {
            source.note(drawn, slowness);
        }
    }

    /// Tells all sources that an input of `account` is the first to reach some edge of a program. A source that changes
    /// its own input further gets time for that, up to a third of all.
    pub fn note_new(&mut self, account: usize, input: &[u8]) {
        for (at, mixed) in self.sources.iter_mut().enumerate() {
            let is_kept = mixed.source.as_mut().is_some_and(|source| source.note_new(input));
            if is_kept && at == account {
                mixed.free += CHANGES_OF_NEW;
            }
        }
    }

    /// The account of the source that comes next.
    fn next_account(&mut self) -> Option<usize> {
        let turns = |mixed: &MixedSource<'_>| i64::from(mixed.share.turns);
        if self.is_timed {
            let ratio = |mixed: &MixedSource<'_>| mixed.spent / f64::from(mixed.share.time.max(1));
            let open = self.sources.iter().enumerate().filter(|(_, mixed)| mixed.source.is_some());
            let first = open.min_by(|(_, a), (_, b)| ratio(a).total_cmp(&ratio(b)));
            return first.map(|(account, _)| account);
        }
        let is_open = |mixed: &MixedSource<'_>| mixed.source.is_some() && turns(mixed) > 0;
        let mut open: Vec<_> = self.sources.iter_mut().filter(|mixed| is_open(mixed)).collect();
        let shares: i64 = open.iter().map(|mixed| turns(mixed)).sum();
        for source in &mut open {
            source.credit += turns(source);
        }
        // The first of several.
        let most = open.iter().map(|mixed| mixed.credit).max()?;
        let is_next = |mixed: &MixedSource<'_>| is_open(mixed) && mixed.credit == most;
        let account = self.sources.iter().position(is_next)?;
        self.sources[account].credit -= shares;
        Some(account)
    }

    fn take(
        &mut self,
        account: usize,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Option<Candidate>, Stop> {
        let Some(mixed) = self.sources.get_mut(account) else { return Ok(None) };
        let Some(source) = &mut mixed.source else { return Ok(None) };
        let Some(candidate) = source.next(is_over)? else {
            mixed.source = None;
            return Ok(None);
        };
        mixed.spent += mixed.estimate;
        Ok(Some(Candidate { account, ..candidate }))
    }
}

impl CandidateSource for SourceMix<'_> {
    /// A source that has ended leaves its share to the others.
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        while self.first_turns > 0 {
            self.first_turns -= 1;
            match self.take(0, is_over)? {
                None => self.first_turns = 0,
                candidate => return Ok(candidate),
            }
        }
        while let Some(account) = self.next_account() {
            if let Some(candidate) = self.take(account, is_over)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
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
            Ok(Some(Candidate::text([self.letter], CounterexampleOrigin::Small { level: 1 })))
        }
    }

    fn letter(candidate: Option<Candidate>) -> Option<char> {
        match candidate?.content {
            CandidateContent::Text(text) => Some(char::from(text[0])),
            _ => None,
        }
    }

    fn mix(sources: &[(u32, u8, usize)]) -> SourceMix<'static> {
        let mut mix = SourceMix::default();
        for &(share, letter, left) in sources {
            mix.add("letters", SourceShare::same(share), Letters { letter, left });
        }
        mix
    }

    fn check(sources: &[(u32, u8, usize)], turns: usize, expected: &str) {
        let mut mix = mix(sources);
        let letters: String =
            (0..turns).map(|_| letter(mix.next(&|| false).unwrap()).unwrap_or('.')).collect();
        assert_eq!(letters, expected, "{sources:?}");
    }

    #[test]
    fn every_source_has_its_share_of_turns() {
        check(&[], 2, "..");
        check(&[(1, b'a', 3)], 4, "aaa.");
        check(&[(1, b'a', 9), (1, b'b', 9)], 6, "ababab");
        check(&[(3, b'a', 9), (1, b'b', 9)], 8, "aabaaaba");
        check(&[(1, b'a', 3), (0, b'b', 9)], 4, "aaa.");
    }

    #[test]
    fn every_source_has_its_share_of_time() {
        // An input takes this many milliseconds.
        let check = |sources: &[(u32, u8, usize)], milliseconds: [u64; 2], expected: [usize; 2]| {
            let mut mix = mix(sources);
            mix.share_time();
            let mut counts = [0_usize; 2];
            for _ in 0..1000 {
                let Some(candidate) = mix.next(&|| false).unwrap() else { break };
                let account = candidate.account;
                counts[account] += 1;
                mix.settle(account, Duration::from_millis(milliseconds[account]));
            }
            for (count, expected) in counts.into_iter().zip(expected) {
                assert!(count.abs_diff(expected) <= 2, "{sources:?}: {counts:?}");
            }
        };
        check(&[(1, b'a', 9999), (1, b'b', 9999)], [1, 1], [500, 500]);
        check(&[(1, b'a', 9999), (1, b'b', 9999)], [1, 99], [990, 10]);
        check(&[(3, b'a', 9999), (1, b'b', 9999)], [1, 97], [997, 3]);
        check(&[(1, b'a', 5), (1, b'b', 9999)], [1, 99], [5, 995]);
    }

    #[test]
    fn what_is_slower_than_all_before_is_free() {
        let second = Duration::from_secs(1);
        let check = |slowness: [f64; 3], expected: &str| {
            let mut mix = mix(&[(1, b'a', 9), (1, b'b', 9)]);
            mix.share_time();
            let mut letters = String::new();
            for slowness in slowness {
                let candidate = mix.next(&|| false).unwrap().unwrap();
                mix.note(candidate.account, None, second, slowness);
                mix.settle(candidate.account, second);
                letters.extend(letter(Some(candidate)));
            }
            assert_eq!(letters, expected, "{slowness:?}");
        };
        check([0.0, 0.0, 0.0], "aba");
        check([2.0, 3.0, 4.0], "aaa");
        check([2.0, 1.0, 4.0], "aab");
    }

    #[test]
    fn a_source_gets_time_to_change_its_own_new_inputs() {
        struct Keeper(bool);
        impl CandidateSource for Keeper {
            fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
                Ok(Some(Candidate::text([b'k'], CounterexampleOrigin::Small { level: 1 })))
            }
            fn note_new(&mut self, _: &[u8]) -> bool {
                self.0
            }
        }
        // Number of 900 inputs that are of the second source; each takes a millisecond.
        let check = |keeps: bool, finder: usize, finds: usize, expected: usize| {
            let mut mix = mix(&[(9, b'a', 9999)]);
            mix.add("keeper", SourceShare::same(1), Keeper(keeps));
            mix.share_time();
            let mut count = 0_usize;
            for _ in 0..900 {
                let account = mix.next(&|| false).unwrap().unwrap().account;
                count += account;
                if account == finder {
                    (0..finds).for_each(|_| mix.note_new(account, b"k"));
                }
                mix.settle(account, Duration::from_millis(1));
            }
            assert!(count.abs_diff(expected) <= 30, "{keeps} {finder} {finds}: {count}");
        };
        check(false, 1, 1, 90);
        check(true, 0, 1, 90);
        check(true, 1, 1, 310);
        check(true, 1, 100, 310);
    }

    #[test]
    fn the_first_source_may_start_alone() {
        let mut mix = mix(&[(1, b'a', 5), (1, b'b', 5)]);
        mix.set_first_turns(3);
        let letters: String = std::iter::from_fn(|| letter(mix.next(&|| false).unwrap())).collect();
        assert_eq!(letters, "aaaababbbb");
    }

    #[test]
    fn an_ended_source_leaves_its_turns_to_the_others() {
        check(&[(3, b'a', 2), (1, b'b', 4)], 7, "aabbbb.");
    }

    #[test]
    fn a_source_whose_inputs_cannot_be_written_ends() {
        let mut mix = mix(&[(1, b'a', 99), (1, b'b', 1)]);
        mix.share_time();
        for _ in 0..MISSES_MAX {
            mix.settle_unwritten(0, Duration::ZERO);
        }
        assert_eq!(letter(mix.next(&|| false).unwrap()), Some('b'));
        assert!(mix.next(&|| false).unwrap().is_none());
    }
}
