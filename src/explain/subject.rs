//! Decides whether an input fails.

use std::sync::Arc;

use crate::model::stop::Stop;

/// A judged input.
#[derive(Clone, Debug)]
pub struct Judged {
    pub input: Arc<[u8]>,
    /// Its judge answer, if there is one.
    pub answer: Option<Arc<[u8]>>,
    /// Whether the submission fails on it.
    pub fails: bool,
}

/// A submission that can be judged on inputs.
pub trait Subject {
    /// Judges inputs. Inputs that show nothing are left out of the result.
    fn judge(&self, inputs: Vec<Arc<[u8]>>) -> Result<Vec<Judged>, Stop>;

    /// Whether the time is over.
    fn is_over(&self) -> bool;
}
