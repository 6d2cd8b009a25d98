//! For programs: all that happened as one JSON document at the end. `docs/json.md` tells each key.

use std::io::{self, Write};

use crate::model::report::Report;

/// Writes the document.
///
/// # Errors
/// What the writer says.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    out.write_all(b"\n")
}

/// The JSON Schema of the document.
///
/// # Errors
/// What the writer says.
pub fn write_schema(out: &mut dyn Write) -> io::Result<()> {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Report>();
    serde_json::to_writer_pretty(&mut *out, &schema)?;
    out.write_all(b"\n")
}
