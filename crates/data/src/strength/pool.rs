//! Fresh inputs from the grammar and from the package's generators, with judge answers.

use std::collections::HashSet;
use std::sync::Arc;

use crate::inputs::candidates::{CandidateSource, SourceMix};
use crate::search::arena::{Arena, SearchInput};
use crate::search::cross_check::{CrossCheck, UnusableReason};
use crate::search::result::CounterexampleOrigin;
use crate::search::run::PackageFault;
use juror_core::stop::Stop;
use juror_judging::judge::case::CaseTexts;
use juror_sandbox::executor::parallel;

pub struct FreshSource<'a> {
    mix: SourceMix<'a>,
    candidates: u64,
    seen: HashSet<Arc<[u8]>>,
}

#[derive(Clone, Debug)]
pub struct AnsweredInput {
    pub fresh: SearchInput,
    pub texts: CaseTexts,
}

/// In bytes. Longer inputs cost more than they show.
pub const LONGEST_INPUT: usize = 64 << 10;
/// The search ends after so many useless inputs in a row.
const MOST_USELESS: u64 = 200;

impl<'a> FreshSource<'a> {
    /// A source of what an arena makes until its time is over; `None` if it makes nothing.
    pub fn new(arena: &'a Arena<'a>, seed: u64) -> Option<Self> {
        // Inputs similar to the test cases show less of what these lack.
        let has_copies = arena.grammar().is_none();
        let mut mix = arena.candidates(has_copies, seed, Some(LONGEST_INPUT));
        mix.set_first_turns(0);
        (!mix.is_empty()).then(|| Self { mix, candidates: 0, seen: HashSet::new() })
    }

    /// Makes up to `most` inputs, and answers the first `kept` of them. Returns a fault if a right program fails on an
    /// input.
    pub fn make_inputs(
        &mut self,
        cross_check: &CrossCheck<'_>,
        most: usize,
        kept: usize,
    ) -> Result<Result<Vec<AnsweredInput>, PackageFault>, Stop> {
        let arena = cross_check.arena;
        let is_over = || arena.is_over();
        let mut inputs = Vec::new();
        let mut in_vain = 0;
        while inputs.len() < most && in_vain < MOST_USELESS && !is_over() {
            let Some(candidate) = self.mix.next(&is_over)? else { break };
            self.candidates += 1;
            in_vain += 1;
            let Ok(fresh) = arena.make_input(self.candidates, candidate)? else { continue };
            let input = &fresh.input;
            let is_wanted = input.len() <= LONGEST_INPUT
                && arena.validity.grammars_accept(input)
                && self.seen.insert(Arc::clone(input));
            if is_wanted {
                in_vain = 0;
                inputs.push(fresh);
            }
        }
        // Answers may take much longer than inputs.
        inputs.truncate(kept);
        let answer = |fresh: &SearchInput| cross_check.answer(&fresh.input);
        let answered = parallel::map(arena.bench.executor, &inputs, answer)?;
        let mut pool = Vec::new();
        for (fresh, answer) in inputs.into_iter().zip(answered) {
            match answer {
                Ok(answer) => {
                    let texts = CaseTexts { input: Arc::clone(&fresh.input), answer };
                    pool.push(AnsweredInput { fresh, texts });
                }
                Err(UnusableReason::TooSlow) => {}
                // Only input validators accept it.
                Err(_) if matches!(fresh.origin, CounterexampleOrigin::TestCase { .. }) => {}
                Err(UnusableReason::Validator(error)) => return Err(Stop::Fault(*error)),
                Err(reason) => {
                    if arena.validity.accepts(&fresh.input)? {
                        let SearchInput { number, input, .. } = fresh;
                        return Ok(Err(PackageFault { number, input, call: None, reason }));
                    }
                }
            }
        }
        Ok(Ok(pool))
    }
}
