//! `juror schema`: the schemas of the JSON documents, for programs that read them.

use std::io::{self, Write};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::cli::output::print;
use crate::grade::graded::GradedLine;
use crate::grade::line;
use crate::ops::cache::CacheReport;
use crate::ops::compare::ComparisonReport;
use crate::ops::context::Context;
use crate::ops::convert::Conversion;
use crate::ops::grammar::{CheckedInputs, GrammarBounds};
use crate::ops::languages::LanguageListing;
use crate::ops::mutants::MutantListing;
use crate::ops::operation::Operation;
use crate::report::document::Report;
use crate::report::json::{write_both_schemas, write_schema};
use crate::report::result::Document;
use juror_core::host::Diagnosis;
use juror_core::stop::Stop;
use juror_data::search::result::StressResult;
use juror_data::strength::result::Strength;
use juror_judging::judge::single_run::SingleRun;
use juror_packages::new::created_package::CreatedPackage;
use juror_packages::package::contents::PackageListing;

#[derive(Args, Debug)]
pub struct SchemaOptions {
    /// The command
    #[arg(default_value = "judge", value_parser = schema_parser())]
    pub command: WriteSchema,
}

pub type WriteSchema = fn(&mut dyn Write) -> io::Result<()>;

const SCHEMAS: [(&str, WriteSchema); 15] = [
    ("judge", |out| write_schema::<Report>(out)),
    ("cache", |out| write_schema::<Document<'_, CacheReport>>(out)),
    ("compare", |out| write_schema::<Document<'_, ComparisonReport>>(out)),
    ("convert", |out| write_schema::<Document<'_, Conversion>>(out)),
    ("doctor", |out| write_schema::<Document<'_, Diagnosis>>(out)),
    ("grade", |out| write_both_schemas::<GradedLine>("juror-grade", line::line_schema(), out)),
    ("grammar-bounds", |out| write_schema::<Document<'_, GrammarBounds>>(out)),
    ("grammar-check", |out| write_schema::<Document<'_, CheckedInputs>>(out)),
    ("languages", |out| write_schema::<Document<'_, LanguageListing>>(out)),
    ("mutants", |out| write_schema::<Document<'_, MutantListing>>(out)),
    ("new", |out| write_schema::<Document<'_, CreatedPackage>>(out)),
    ("run", |out| write_schema::<Document<'_, SingleRun>>(out)),
    ("show", |out| write_schema::<Document<'_, PackageListing>>(out)),
    ("strength", |out| write_schema::<Document<'_, Strength>>(out)),
    ("stress", |out| write_schema::<Document<'_, StressResult>>(out)),
];

fn schema_parser() -> impl TypedValueParser<Value = WriteSchema> {
    let names = SCHEMAS.map(|(name, _)| match name {
        "judge" => {
            PossibleValue::new(name).help("What `judge`, `verify`, `generate` and `merge` write")
        }
        "grade" => PossibleValue::new(name).help("The lines that `grade` reads and writes"),
        name => PossibleValue::new(name),
    });
    PossibleValuesParser::new(names).try_map(|typed| {
        SCHEMAS.iter().find(|(name, _)| *name == typed).map(|(_, write)| *write).ok_or("unknown")
    })
}

impl Operation for SchemaOptions {
    type Result = ();
    const NAME: &'static str = "schema";

    fn run(&self, _: &Context) -> Result<(), Stop> {
        Ok(print("the schema", self.command)?)
    }
}
