//! How strict input validators are.

use std::collections::BTreeMap;

use crate::strength::strictness::{AcceptedFault, Strictness};
use crate::validity::test_data::{FaultyInput, try_faulty_inputs};
use juror_core::stop::Stop;
use juror_judging::build::bench::Bench;

/// Counts which kinds of faulty inputs the input validators refuse.
///
/// # Errors
/// If it was interrupted, or the judge failed.
pub fn input_strictness(bench: Bench<'_>) -> Result<Strictness, Stop> {
    let Some(tried) = try_faulty_inputs(bench)? else {
        return Ok(Strictness::untried("no input validator, or one that does not build"));
    };
    Ok(count_kinds(tried))
}

/// A kind of fault counts as refused if every input with it is refused.
fn count_kinds(tried: Vec<FaultyInput>) -> Strictness {
    let mut kinds: BTreeMap<String, Option<AcceptedFault>> = BTreeMap::new();
    for FaultyInput { fault, test_case, accepted_input: let_through } in tried {
        let known = kinds.entry(fault.clone()).or_default();
        // The shortest input is the best example.
        let shorter = |text: &[u8]| known.as_ref().is_none_or(|best| text.len() < best.bytes.len());
        if let Some(text) = let_through.filter(|text| shorter(text)) {
            *known = Some(AcceptedFault::new(fault, test_case, text.to_vec()));
        }
    }
    let oracle = "a valid input with one fault, which every problem forbids";
    let mut strictness = Strictness { oracle: oracle.to_owned(), ..Strictness::default() };
    kinds.into_values().for_each(|let_through| strictness.add_fault(let_through));
    strictness
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_kind_is_let_through_if_one_input_is() {
        let faulty = |fault: &str, text: Option<&str>| FaultyInput {
            fault: fault.to_owned(),
            test_case: "secret/1".to_owned(),
            accepted_input: text.map(|text| Arc::from(text.as_bytes())),
        };
        let strictness = count_kinds(vec![
            faulty("a tab", None),
            faulty("a blank", None),
            faulty("a tab", Some("1\t22\n")),
            faulty("a tab", Some("1\t2\n")),
        ]);
        assert_eq!((strictness.refused, strictness.faults), (1, 2));
        let let_through = &strictness.let_through[0];
        assert_eq!((&*let_through.fault, &*let_through.text), ("a tab", "1\t2\n"));
    }
}
