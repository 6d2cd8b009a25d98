//! `juror schema`: what the keys of the JSON documents are, for programs that read them.

use std::io;

use crate::cli::arguments::{Document, OutputOptions, SchemaArguments};
use crate::cli::exit_code::ExitCode;
use crate::cli::output::command;
use crate::model::host::DiagnosisKeys;
use crate::model::judgement::JudgeError;
use crate::model::report::Report;
use crate::report::json::write_schema;

/// Prints the schema.
pub fn run(arguments: &SchemaArguments) -> ExitCode {
    command(&OutputOptions::default(), "schema", |_| {
        let out = &mut io::stdout().lock();
        let written = match arguments.document {
            Document::Report => write_schema::<Report>(out),
            Document::Doctor => write_schema::<DiagnosisKeys>(out),
        };
        match written {
            // A reader that closes the pipe early (`| head`) is not a fault.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written.map_err(|error| JudgeError::new("write the schema", error))?),
        }
    })
}
