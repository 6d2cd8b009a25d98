//! Whether the problem permits an input, checked by grammars in process and by validators in the sandbox.

use std::sync::{Arc, OnceLock};

use crate::grammar::program::Grammar;
use crate::grammar::validate::accepts;
use crate::model::stop::Stop;
use crate::stress::batch::Way;
use crate::stress::batch::validators::ValidatorBatches;
use crate::validate::single::{InputValidators, Refused};

/// The validators that decide which inputs are valid.
pub struct Validity<'a> {
    /// The grammars; all must accept.
    pub grammars: Vec<&'a Grammar>,
    /// The package's other input validators; all must accept. Each costs a process.
    pub validators: Option<InputValidators<'a>>,
    batches: ValidatorBatches,
    /// The first input that the grammars accept and a validator refuses.
    pub disputed: OnceLock<Refusal>,
}

/// An input on which validators disagree.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub input: Arc<[u8]>,
    pub by: Refused,
}

impl<'a> Validity<'a> {
    /// These validators.
    pub fn new(grammars: Vec<&'a Grammar>, validators: Option<InputValidators<'a>>) -> Self {
        let batches = ValidatorBatches::new(None);
        Self { grammars, validators, batches, disputed: OnceLock::new() }
    }

    /// The same, with validators in batches if there is a way.
    #[must_use]
    pub fn in_batches(self, way: Option<Way>) -> Self {
        Self { batches: ValidatorBatches::new(way), ..self }
    }

    /// Whether the grammars accept an input.
    pub fn by_grammar(&self, input: &[u8]) -> bool {
        self.grammars.iter().all(|grammar| accepts(grammar, input))
    }

    /// The first refusal by one of the package's other validators.
    pub fn refusal(&self, input: &Arc<[u8]>) -> Result<Option<Refused>, Stop> {
        match &self.validators {
            Some(validators) => validators.refusal(input),
            None => Ok(None),
        }
    }

    /// Which inputs all validators accept, for a problem without a grammar.
    pub fn accepted(&self, inputs: &[Arc<[u8]>]) -> Result<Vec<bool>, Stop> {
        match &self.validators {
            Some(validators) => self.batches.accepted(validators, inputs),
            None => Ok(vec![true; inputs.len()]),
        }
    }

    /// Whether all accept an input.
    pub fn allows(&self, input: &Arc<[u8]>) -> Result<bool, Stop> {
        if !self.by_grammar(input) {
            return Ok(false);
        }
        let Some(by) = self.refusal(input)? else { return Ok(true) };
        if !self.grammars.is_empty() {
            self.disputed.get_or_init(|| Refusal { input: Arc::clone(input), by });
        }
        Ok(false)
    }
}
