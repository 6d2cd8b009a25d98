//! The report as one JSON document, written at the end. `docs/json.md` describes each key.

use std::io::{self, BufWriter, Write};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // Without a buffer, standard output needs a system call for each line.
    let mut out = BufWriter::with_capacity(64 << 10, out);
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}

pub fn write_schema<T: JsonSchema>(out: &mut dyn Write) -> io::Result<()> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    write(&settings.into_generator().into_root_schema_for::<T>(), out)
}

/// For a command that also reads JSON lines.
pub fn write_both_schemas<Written: JsonSchema>(
    title: &str,
    mut line: Schema,
    out: &mut dyn Write,
) -> io::Result<()> {
    let draft = SchemaSettings::draft2020_12().for_serialize();
    let settings = draft.with(|settings| settings.inline_subschemas = true);
    let mut result = settings.into_generator().into_root_schema_for::<Written>();
    let dialect = line.remove("$schema");
    result.remove("$schema");
    let schema = serde_json::json!({
        "$schema": dialect,
        "title": title,
        "oneOf": [{ "$ref": "#/$defs/line" }, { "$ref": "#/$defs/result" }],
        "$defs": { "line": line, "result": result },
    });
    write(&schema, out)
}
