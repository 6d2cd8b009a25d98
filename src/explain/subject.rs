//! Decides whether an input fails.

use std::sync::Arc;

use crate::model::stop::Stop;

#[derive(Clone, Debug)]
pub struct InputResult {
    pub input: Arc<[u8]>,
    pub answer: Option<Arc<[u8]>>,
    pub fails: bool,
}

pub trait InputJudge {
    /// Inputs that show nothing are left out of the result.
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<InputResult>, Stop>;

    fn is_over(&self) -> bool;
}
