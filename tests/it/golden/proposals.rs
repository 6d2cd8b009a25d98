//! Event streams of `generate --from-grammar`.

use std::path::PathBuf;

use juror::model::diagnostic::Diagnostic;
use juror::model::event::{Event, GeneratedState, Stamped};
use juror::model::proposal::{EqualInput, Proposal, ProposedCase};
use juror::model::units::Bytes;

use super::streams::{finished, generated, started};

const SMALLEST: &str =
    "The smallest input there is: loops that never go round, and missing base cases";

fn proposal() -> Proposal {
    Proposal {
        grammar: PathBuf::from("problems/stairs/input_validators/stairs.ctd"),
        seed: 1,
        cases: Vec::new(),
        equal: Vec::new(),
        too_large: Vec::new(),
        adopted: 0,
    }
}

fn equal(name: &str, same_as: &str) -> EqualInput {
    EqualInput { name: name.to_owned(), same_as: same_as.to_owned() }
}

/// New cases, and all that can be said beside them.
pub(super) fn added() -> Vec<Stamped> {
    let case = |name: &str, size, description: &str| ProposedCase {
        name: format!("secret/from-grammar/{name}"),
        description: description.to_owned(),
        size: Bytes(size),
    };
    let mut events = started("generate", 0);
    events.push(Event::Diagnosed(
        Diagnostic::warning(
            "problems/stairs/input_validators/validate.py",
            "refuses 2 inputs that the grammar allows: n must be even (left out: spike, planted)",
        )
        .help("make grammar and validator say the same; `juror verify` shows more"),
    ));
    events.push(Event::Proposed(Box::new(Proposal {
        cases: vec![
            case("01-smallest", 4, SMALLEST),
            case("02-increasing", 38, "Few values that rise"),
            case("03-largest", 1 << 20, "Every count as large as allowed"),
        ],
        equal: vec![
            equal("fewest", "smallest"),
            equal("tiny-1", "sample/1"),
            equal("zeros", "secret/from-grammar/01-zeros"),
        ],
        too_large: vec!["--shape many-tiny --seed 1".to_owned()],
        adopted: 2,
        ..proposal()
    })));
    for name in ["01-smallest", "02-increasing", "03-largest"] {
        let name = format!("secret/from-grammar/{name}");
        events.push(generated(&name, GeneratedState::Created));
    }
    finished(events, 812)
}

/// Everything is there.
pub(super) fn nothing() -> Vec<Stamped> {
    let mut events = started("generate", 0);
    events.push(Event::Proposed(Box::new(Proposal {
        equal: vec![
            equal("smallest", "secret/from-grammar/01-smallest"),
            equal("increasing", "secret/from-grammar/02-increasing"),
        ],
        ..proposal()
    })));
    finished(events, 301)
}
