//! Recorded runs of `generate --from-grammar`.

use std::sync::LazyLock;

use juror::model::event::Stamped;
use juror::model::exit_code::ExitCode;

use super::record::record;
use crate::from_grammar::{ROW, empty};

const VALIDATOR: &str = r#"#!/usr/bin/env bash
read -r n; read -r first rest
[[ $first == -50 ]] || exit 42
echo "the first number is the least" >&2
exit 43
"#;

/// New cases with every kind of remark; then a second run, where all cases exist.
static BOTH: LazyLock<[Vec<Stamped>; 2]> = LazyLock::new(|| {
    let fixture = empty(ROW);
    fixture.write("sum/data/sample/1.in", "1\n-50\n");
    fixture.write("sum/data/sample/1.ans", "-50\n");
    fixture.write("sum/input_validators/odd/run", VALIDATOR);
    fixture.executable("sum/input_validators/odd/run");
    let line = "generate @sum --from-grammar --jobs 1";
    [(); 2].map(|()| record(&fixture, line, ExitCode::Success))
});

pub(super) fn added() -> Vec<Stamped> {
    BOTH[0].clone()
}

pub(super) fn nothing() -> Vec<Stamped> {
    BOTH[1].clone()
}
