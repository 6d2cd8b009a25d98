//! `juror schema`: the schemas of the JSON documents, for programs that read them.

use clap::{Args, ValueEnum};

use crate::cli::exit_code::ExitCode;
use crate::cli::options::OutputOptions;
use crate::cli::output::{command, print};
use crate::grade::graded::Graded;
use crate::grade::line;
use crate::model::cluster::ClusterSurvey;
use crate::model::host::Diagnosis;
use crate::model::report::Report;
use crate::report::json::{ResultDocument, write_both_schemas, write_schema};

/// Arguments of `juror schema`.
#[derive(Args, Debug)]
pub struct SchemaArguments {
    /// Which document
    #[arg(value_enum, default_value_t)]
    pub document: Document,
}

/// A JSON document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// The report of every command but `doctor`
    #[default]
    Report,
    /// The report of `doctor`
    Doctor,
    /// The report of `doctor --nats` and `cluster status`
    Cluster,
    /// A line that `grade` reads or writes
    Grade,
}

/// Prints the schema.
pub fn run(arguments: &SchemaArguments) -> ExitCode {
    command(&OutputOptions::default(), "schema", |_| {
        print("the schema", |out| match arguments.document {
            Document::Report => write_schema::<Report>(out),
            Document::Doctor => write_schema::<ResultDocument<'_, Diagnosis>>(out),
            Document::Cluster => write_schema::<ResultDocument<'_, ClusterSurvey>>(out),
            Document::Grade => write_both_schemas::<Graded>("juror-grade", line::schema(), out),
        })
    })
}
