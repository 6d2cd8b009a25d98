//! The `juror` command; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    juror::cli::run().into()
}
