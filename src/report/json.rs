//! For programs: the whole report as one JSON document at the end. `docs/json.md` describes each key.

use std::io::{self, BufWriter, Write};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::model::cluster::ClusterSurvey;
use crate::model::host::Diagnosis;
use crate::model::report::Report;

/// A result that is a document of its own.
pub trait Titled: Serialize + JsonSchema {
    /// The name of its format.
    const FORMAT: &'static str;
    /// The version of its format; raised when a key is removed or changes its meaning.
    const VERSION: u32 = 1;
}

impl Titled for Diagnosis {
    const FORMAT: &'static str = "juror-doctor";
}

impl Titled for ClusterSurvey {
    const FORMAT: &'static str = "juror-cluster";
}

/// A document with a result.
#[derive(Serialize, JsonSchema)]
#[schemars(title = T::FORMAT)]
pub struct ResultDocument<'a, T: Titled> {
    #[schemars(extend("const" = T::FORMAT))]
    format: &'static str,
    #[schemars(extend("const" = T::VERSION))]
    version: u32,
    juror: &'static str,
    #[serde(flatten)]
    result: &'a T,
}

impl<'a, T: Titled> ResultDocument<'a, T> {
    fn of(result: &'a T) -> Self {
        let juror = env!("CARGO_PKG_VERSION");
        Self { format: T::FORMAT, version: T::VERSION, juror, result }
    }
}

/// Writes the document.
///
/// # Errors
/// Errors of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    match (&report.diagnosis, &report.cluster) {
        (Some(diagnosis), _) => write_value(&ResultDocument::of(diagnosis), out),
        (None, Some(survey)) => write_value(&ResultDocument::of(survey), out),
        (None, None) => write_value(report, out),
    }
}

/// Writes the JSON Schema of a document.
///
/// # Errors
/// Errors of the writer.
pub fn write_schema<T: JsonSchema>(out: &mut dyn Write) -> io::Result<()> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    write_value(&settings.into_generator().into_root_schema_for::<T>(), out)
}

/// Writes the JSON Schemas of a command's input and output.
///
/// # Errors
/// Errors of the writer.
pub fn write_both_schemas<Written: JsonSchema>(
    title: &str,
    mut line: Schema,
    out: &mut dyn Write,
) -> io::Result<()> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|it| it.inline_subschemas = true);
    let mut result = settings.into_generator().into_root_schema_for::<Written>();
    let dialect = line.remove("$schema");
    result.remove("$schema");
    let schema = serde_json::json!({
        "$schema": dialect,
        "title": title,
        "oneOf": [{ "$ref": "#/$defs/line" }, { "$ref": "#/$defs/result" }],
        "$defs": { "line": line, "result": result },
    });
    write_value(&schema, out)
}

fn write_value(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // Unbuffered, standard output makes a system call for each line.
    let mut out = BufWriter::with_capacity(64 << 10, out);
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}
