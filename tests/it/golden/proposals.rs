//! Recorded runs of `generate --from-grammar`.

use std::sync::LazyLock;

use juror_core::event::StampedEvent;
use juror_core::exit_code::ExitCode;

use super::record::record;
use crate::from_grammar::{ROW, package_with_grammar};

const VALIDATOR: &str = r#"#!/usr/bin/env bash
read -r n; read -r first rest
[[ $first == -50 ]] || exit 42
echo "the first number is the least" >&2
exit 43
"#;

/// New cases with every kind of remark; then a second run, where all cases exist.
static TWO_RUNS: LazyLock<[Vec<StampedEvent>; 2]> = LazyLock::new(|| {
    let fixture = package_with_grammar(ROW);
    fixture.write("sum/data/sample/1.in", "1\n-50\n");
    fixture.write("sum/data/sample/1.ans", "-50\n");
    fixture.write("sum/input_validators/odd/run", VALIDATOR);
    fixture.make_executable("sum/input_validators/odd/run");
    let line = "generate @sum --from-grammar --jobs 1";
    [(); 2].map(|()| record(&fixture, line, ExitCode::Success))
});

pub(super) fn new_cases() -> Vec<StampedEvent> {
    TWO_RUNS[0].clone()
}

pub(super) fn no_new_cases() -> Vec<StampedEvent> {
    TWO_RUNS[1].clone()
}
