//! `juror schema`: what the keys of the JSON documents are, for programs that read them.

use crate::cli::arguments::{Document, OutputOptions, SchemaArguments};
use crate::cli::exit_code::ExitCode;
use crate::cli::output::{command, print};
use crate::model::host::DiagnosisKeys;
use crate::model::report::Report;
use crate::report::json::write_schema;

/// Prints the schema.
pub fn run(arguments: &SchemaArguments) -> ExitCode {
    command(&OutputOptions::default(), "schema", |_| {
        print("the schema", |out| match arguments.document {
            Document::Report => write_schema::<Report>(out),
            Document::Doctor => write_schema::<DiagnosisKeys>(out),
        })
    })
}
