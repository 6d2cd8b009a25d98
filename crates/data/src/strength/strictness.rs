//! How much of what a package's programs should refuse they do refuse.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::validity::test_data::TriedFault;

/// How strict a validator is, measured with faults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Strictness {
    /// Kinds of faults that were tried.
    pub faults: u64,
    /// The kinds of which every fault was refused.
    pub refused: u64,
    /// The kinds of which a fault was accepted, each with an example.
    pub let_through: Vec<AcceptedFault>,
    /// How juror knows that these are faults, in words.
    pub oracle: String,
    /// Right outputs that differ from the judge answers.
    pub alternatives: u64,
    /// The ones of these that were refused, each with its submission and test case.
    pub refused_alternatives: Vec<String>,
    /// Why nothing was tried, or what is missing to try more.
    pub missing: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptedFault {
    /// What is wrong, such as `a tab between words`.
    pub fault: String,
    /// The test case with which it was made.
    pub on: String,
    /// The input or output with the fault, cut if it is long.
    pub text: String,
    /// The whole input or output.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl AcceptedFault {
    pub fn new(fault: impl Into<String>, on: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { fault: fault.into(), on: on.into(), text: text_start(&bytes), bytes }
    }
}

pub fn text_start(bytes: &[u8]) -> String {
    const LONGEST: usize = 400;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    let more = if bytes.len() > LONGEST { "…" } else { "" };
    format!("{text}{more}")
}

impl Strictness {
    /// For a validator that could not be tried.
    pub fn untried(missing: &str) -> Self {
        Self { missing: Some(missing.to_owned()), ..Self::default() }
    }

    /// Faults of one kind are adjacent. A kind counts as refused if every fault of it is.
    pub fn of_faults(oracle: &str, tried: &[TriedFault]) -> Self {
        let mut strictness = Self { oracle: oracle.to_owned(), ..Self::default() };
        for kind in tried.chunk_by(|one, other| one.fault == other.fault) {
            strictness.faults += 1;
            let accepted = kind.iter().filter_map(|one| Some((one, one.accepted.as_deref()?)));
            // The shortest text is the best example.
            match accepted.min_by_key(|(_, text)| text.len()) {
                None => strictness.refused += 1,
                Some((TriedFault { fault, test_case, .. }, text)) => strictness
                    .let_through
                    .push(AcceptedFault::new(*fault, test_case, text.to_vec())),
            }
        }
        strictness
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_kind_is_let_through_if_one_input_is() {
        let faulty = |fault: &'static str, text: Option<&str>| TriedFault {
            fault,
            test_case: "secret/1".to_owned(),
            accepted: text.map(|text| Arc::from(text.as_bytes())),
        };
        let tried = [
            faulty("a blank", None),
            faulty("a tab", None),
            faulty("a tab", Some("1\t22\n")),
            faulty("a tab", Some("1\t2\n")),
        ];
        let strictness = Strictness::of_faults("", &tried);
        assert_eq!((strictness.refused, strictness.faults), (1, 2));
        let let_through = &strictness.let_through[0];
        assert_eq!((&*let_through.fault, &*let_through.text), ("a tab", "1\t2\n"));
    }
}
