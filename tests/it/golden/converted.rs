//! Recorded runs of `convert`.

use juror::ops::convert::Conversion;
use juror_core::exit_code::ExitCode;

use super::record::{Recording, record_result};
use crate::fixture::Fixture;

/// Some values are left out, and some are changed.
pub(super) fn conversion_with_losses() -> Recording<Conversion> {
    let fixture = Fixture::new();
    fixture.write("sum/data/sample/1.in.download", "1 2\n");
    fixture.write("sum/data/sample/1.ans.download", "3\n");
    record_result(&fixture, "convert @sum --to domjudge-zip @sum.zip", ExitCode::Success)
}

pub(super) fn conversion_without_losses() -> Recording<Conversion> {
    record_result(&Fixture::new(), "convert @sum --to 2025-09 @new", ExitCode::Success)
}
