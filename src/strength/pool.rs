//! Fresh inputs from the grammar and from the package's generators, with judge answers.

use std::collections::HashSet;
use std::sync::Arc;

use crate::generate::fresh::FreshInputs;
use crate::judge::case::Texts;
use crate::model::stop::Stop;
use crate::model::stress::Origin;
use crate::stress::by_recipe::Call;
use crate::stress::candidates::{Candidates, Content, Mix};
use crate::stress::comparison::{Comparison, Unusable};
use crate::stress::search::Fault;
use crate::validity::Validity;

/// Where fresh inputs come from.
pub struct FreshSource<'a> {
    /// The ways to make inputs, in order.
    pub mix: Mix<'a>,
    /// The package's generators, if there are any.
    pub generators: Option<&'a FreshInputs<'a>>,
    pub validity: &'a Validity<'a>,
    pub taken: u64,
    pub seen: HashSet<Arc<[u8]>>,
    /// Whether the time is over: then no more are made.
    pub is_over: &'a dyn Fn() -> bool,
}

/// A fresh input with its judge answer.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// Its number among all tried inputs.
    pub number: u64,
    pub item: Texts,
    pub origin: Origin,
    /// The call of the generator that printed it.
    pub call: Option<Call>,
}

/// The longest fresh input in bytes: longer ones cost more than they show.
pub const LONGEST: usize = 64 << 10;
/// After how many useless inputs in a row the search ends.
const IN_VAIN: u64 = 200;

impl FreshSource<'_> {
    /// Makes up to `most` inputs, and answers the first `kept` of them. Returns a fault if a right program fails on an
    /// input.
    pub fn next(
        &mut self,
        comparison: &Comparison<'_>,
        most: usize,
        kept: usize,
    ) -> Result<Result<Vec<Fresh>, Fault>, Stop> {
        let mut made = Vec::new();
        let mut in_vain = 0;
        while made.len() < most && in_vain < IN_VAIN && !(self.is_over)() {
            let Some(candidate) = self.mix.next(self.is_over)? else { break };
            self.taken += 1;
            in_vain += 1;
            let (input, call) = match candidate.content {
                Content::Text(text) => (text, None),
                Content::Call(call) => {
                    let Some(generators) = self.generators else { continue };
                    let Ok(input) = call.input(generators)? else { continue };
                    (input, Some(call))
                }
            };
            let is_wanted = input.len() <= LONGEST
                && self.validity.by_grammar(&input)
                && self.seen.insert(Arc::clone(&input));
            if is_wanted {
                in_vain = 0;
                made.push((self.taken, input, candidate.origin, call));
            }
        }
        // Answers may take much longer than inputs.
        made.truncate(kept);
        let answered = crate::executor::parallel::map(comparison.bench.executor, &made, |it| {
            comparison.answer(&it.1)
        })?;
        let mut fresh = Vec::new();
        for ((number, input, origin, call), answer) in made.into_iter().zip(answered) {
            match answer {
                Ok(answer) => {
                    fresh.push(Fresh { number, item: Texts { input, answer }, origin, call })
                }
                Err(Unusable::TooSlow) => {}
                // Only input validators accept it.
                Err(_) if matches!(origin, Origin::TestCase { .. }) => {}
                Err(Unusable::Validator(error)) => return Err(Stop::Fault(*error)),
                Err(why) => {
                    if self.validity.allows(&input)? {
                        return Ok(Err(Fault { number, input, why }));
                    }
                }
            }
        }
        Ok(Ok(fresh))
    }
}
