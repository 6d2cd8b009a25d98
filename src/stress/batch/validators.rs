//! Input validators in batches: many inputs with one start of each validator.
//!
//! Without a grammar, a search asks input validators about thousands of changed test cases, and they refuse most.
//! Unlike for [programs that are compared](crate::stress::batch), what a batch refuses is refused: all that may be
//! lost is an input to try. To be sure, the first batch is repeated input by input. If the decisions differ,
//! there are no batches. The same inputs are tried with and without batches, so the time when they begin does not
//! change what is found.

use parking_lot::Mutex;
use std::sync::Arc;

use crate::executor::parallel;
use crate::model::outcome::Ending;
use crate::model::problem::ProgramIo;
use crate::model::stop::Stop;
use crate::stress::batch::{Way, frames};
use crate::validate::single::{InputValidators, ManyInputs};

/// Number of inputs that are asked about before anything is built for batches: compilers take a second, starts of
/// programs milliseconds.
pub const BEFORE: usize = 256;

/// The batches of a problem's input validators.
pub struct ValidatorBatches {
    state: Mutex<State>,
}

/// How the validators are asked.
enum State {
    /// One input at a time; so many until now.
    Alone(Way, usize),
    Together(Way, Vec<ManyInputs>),
    Never,
}

impl ValidatorBatches {
    /// Batches that run this way; `None` for no batches.
    pub fn new(way: Option<Way>) -> Self {
        Self { state: Mutex::new(way.map_or(State::Never, |way| State::Alone(way, 0))) }
    }

    /// Which inputs all validators accept.
    pub fn accepted(
        &self,
        validators: &InputValidators<'_>,
        inputs: &[Arc<[u8]>],
    ) -> Result<Vec<bool>, Stop> {
        let mut state = self.state.lock();
        let alone = |inputs: &[Arc<[u8]>]| {
            let is_accepted = |input: &_| Ok(validators.refusal(input)?.is_none());
            parallel::map(validators.bench.executor, inputs, is_accepted)
        };
        match &mut *state {
            State::Never => alone(inputs),
            State::Alone(way, asked) => {
                let accepted = alone(inputs)?;
                *asked += inputs.len();
                // If all are refused, the comparison proves little.
                if *asked >= BEFORE && accepted.contains(&true) {
                    *state = match validators.for_batches()? {
                        Some(jobs) => {
                            let known = together(validators, *way, &jobs, inputs)?;
                            let same = known.into_iter().eq(accepted.iter().copied().map(Some));
                            if same { State::Together(*way, jobs) } else { State::Never }
                        }
                        None => State::Never,
                    };
                }
                Ok(accepted)
            }
            State::Together(way, jobs) => {
                let known = together(validators, *way, jobs, inputs)?;
                let open = inputs.iter().zip(&known).filter(|(_, known)| known.is_none());
                let open: Vec<Arc<[u8]>> = open.map(|(input, _)| Arc::clone(input)).collect();
                let mut asked = alone(&open)?.into_iter();
                Ok(known.into_iter().filter_map(|known| known.or_else(|| asked.next())).collect())
            }
        }
    }
}

/// Which inputs are accepted in batches, one in each slot; `None` if that is unknown.
fn together(
    validators: &InputValidators<'_>,
    way: Way,
    jobs: &[ManyInputs],
    inputs: &[Arc<[u8]>],
) -> Result<Vec<Option<bool>>, Stop> {
    let executor = validators.bench.executor;
    let size = inputs.len().div_ceil(executor.slots().max(1)).max(1);
    let batches: Vec<&[Arc<[u8]>]> = inputs.chunks(size).collect();
    let known = parallel::map(executor, &batches, |batch| {
        let mut known = vec![Some(true); batch.len()];
        for many in jobs {
            // What an earlier validator refused is settled.
            let places: Vec<usize> =
                (0..batch.len()).filter(|place| known[*place] == Some(true)).collect();
            if places.is_empty() {
                break;
            }
            let texts = places.iter().map(|place| &*batch[*place]);
            let mut job = many.job.clone();
            job.stdin = frames::inputs(&ProgramIo::Standard, many.accept, way.shared, texts).into();
            let reply = executor.run_job(&job)?;
            let is_whole =
                reply.outcome.stopped_by.is_none() && reply.outcome.ending == Ending::Exited(0);
            let bytes = reply.stdout.start(u64::MAX).unwrap_or_default();
            let said = frames::said(&bytes, places.len()).ok().filter(|_| is_whole);
            let said = said.unwrap_or_default();
            for (number, place) in places.into_iter().enumerate() {
                known[place] = said.get(number).map(Option::is_some);
            }
        }
        Ok(known)
    })?;
    Ok(known.concat())
}
