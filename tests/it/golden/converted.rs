//! Recorded runs of `convert`.

use juror::cli::exit_code::ExitCode;
use juror::model::event::Stamped;

use super::record::record;
use crate::fixture::Fixture;

/// With losses: some are left out, and some became something else.
pub(super) fn legacy() -> Vec<Stamped> {
    let fixture = Fixture::new();
    fixture.write("sum/data/sample/1.in.download", "1 2\n");
    fixture.write("sum/data/sample/1.ans.download", "3\n");
    record(&fixture, "convert @sum --to domjudge-zip @sum.zip", ExitCode::Success)
}

/// Without.
pub(super) fn equal() -> Vec<Stamped> {
    record(&Fixture::new(), "convert @sum --to 2025-09 @new", ExitCode::Success)
}
