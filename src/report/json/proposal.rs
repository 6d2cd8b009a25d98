//! The test cases that a grammar added to a package, as a part of the JSON document.

use serde::Serialize;

use crate::model::proposal::Proposal;
use crate::report::json::path_text;

#[derive(Serialize)]
pub(super) struct WireProposal {
    package: Option<String>,
    grammar: String,
    seed: u64,
    cases: Vec<WireCase>,
    equal: Vec<WireEqual>,
    too_large: Vec<String>,
    adopted: usize,
}

#[derive(Serialize)]
struct WireCase {
    test_case: String,
    description: String,
    bytes: u64,
}

#[derive(Serialize)]
struct WireEqual {
    name: String,
    same_as: String,
}

impl WireProposal {
    pub(super) fn new(package: Option<String>, proposal: &Proposal) -> Self {
        let cases = proposal.cases.iter().map(|case| WireCase {
            test_case: case.name.clone(),
            description: case.description.clone(),
            bytes: case.size.0,
        });
        let equal = proposal.equal.iter().map(|equal| WireEqual {
            name: equal.name.clone(),
            same_as: equal.same_as.clone(),
        });
        Self {
            package,
            grammar: path_text(&proposal.grammar),
            seed: proposal.seed,
            cases: cases.collect(),
            equal: equal.collect(),
            too_large: proposal.too_large.clone(),
            adopted: proposal.adopted,
        }
    }
}
