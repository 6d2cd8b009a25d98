//! Fresh inputs from the grammar and from the package's generators, with judge answers.

use std::collections::HashSet;
use std::sync::Arc;

use crate::inputs::candidates::{Candidates, Mix};
use crate::judge::case::Texts;
use crate::model::stop::Stop;
use crate::model::stress::Origin;
use crate::search::arena::{Arena, Fresh};
use crate::search::comparison::{Comparison, Unusable};
use crate::search::run::Fault;

pub struct FreshSource<'a> {
    arena: &'a Arena<'a>,
    mix: Mix<'a>,
    taken: u64,
    seen: HashSet<Arc<[u8]>>,
}

#[derive(Clone, Debug)]
pub struct AnsweredInput {
    pub fresh: Fresh,
    pub texts: Texts,
}

/// In bytes. Longer inputs cost more than they show.
pub const LONGEST: usize = 64 << 10;
/// The search ends after so many useless inputs in a row.
const IN_VAIN: u64 = 200;

impl<'a> FreshSource<'a> {
    /// A source of what an arena makes until its time is over; `None` if it makes nothing.
    pub fn new(arena: &'a Arena<'a>, seed: u64) -> Option<Self> {
        // Inputs similar to the test cases show less of what these lack.
        let has_copies = arena.grammar().is_none();
        let mut mix = arena.candidates(has_copies, seed, Some(LONGEST));
        mix.lead(0);
        (!mix.is_empty()).then(|| Self { arena, mix, taken: 0, seen: HashSet::new() })
    }

    /// Makes up to `most` inputs, and answers the first `kept` of them. Returns a fault if a right program fails on an
    /// input.
    pub fn next(
        &mut self,
        comparison: &Comparison<'_>,
        most: usize,
        kept: usize,
    ) -> Result<Result<Vec<AnsweredInput>, Fault>, Stop> {
        let arena = self.arena;
        let is_over = || arena.is_over();
        let mut made = Vec::new();
        let mut in_vain = 0;
        while made.len() < most && in_vain < IN_VAIN && !is_over() {
            let Some(candidate) = self.mix.next(&is_over)? else { break };
            self.taken += 1;
            in_vain += 1;
            let Ok(fresh) = arena.make(self.taken, candidate)? else { continue };
            let input = &fresh.input;
            let is_wanted = input.len() <= LONGEST
                && arena.validity.by_grammar(input)
                && self.seen.insert(Arc::clone(input));
            if is_wanted {
                in_vain = 0;
                made.push(fresh);
            }
        }
        // Answers may take much longer than inputs.
        made.truncate(kept);
        let answered = crate::executor::parallel::map(comparison.bench.executor, &made, |it| {
            comparison.answer(&it.input)
        })?;
        let mut pool = Vec::new();
        for (fresh, answer) in made.into_iter().zip(answered) {
            match answer {
                Ok(answer) => {
                    let texts = Texts { input: Arc::clone(&fresh.input), answer };
                    pool.push(AnsweredInput { fresh, texts });
                }
                Err(Unusable::TooSlow) => {}
                // Only input validators accept it.
                Err(_) if matches!(fresh.origin, Origin::TestCase { .. }) => {}
                Err(Unusable::Validator(error)) => return Err(Stop::Fault(*error)),
                Err(why) => {
                    if arena.validity.allows(&fresh.input)? {
                        let Fresh { number, input, .. } = fresh;
                        return Ok(Err(Fault { number, input, why }));
                    }
                }
            }
        }
        Ok(Ok(pool))
    }
}
