//! `juror schema`: the schemas of the JSON documents, for programs that read them.

use std::io::{self, Write};

use clap::{Args, ValueEnum};

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
    #[arg(value_enum, default_value_t)]
    pub command: DocumentKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DocumentKind {
    /// What `judge`, `verify`, `generate` and `merge` write
    #[default]
    Judge,
    Cache,
    Compare,
    Convert,
    Doctor,
    /// The lines that `grade` reads and writes
    Grade,
    GrammarBounds,
    GrammarCheck,
    Languages,
    Mutants,
    New,
    Run,
    Show,
    Strength,
    Stress,
}

impl Operation for SchemaOptions {
    type Result = ();
    const NAME: &'static str = "schema";

    fn run(&self, _: &Context) -> Result<(), Stop> {
        Ok(print("the schema", |out| self.write(out))?)
    }
}

impl SchemaOptions {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.command {
            DocumentKind::Judge => write_schema::<Report>(out),
            DocumentKind::Cache => write_schema::<Document<'_, CacheReport>>(out),
            DocumentKind::Compare => write_schema::<Document<'_, ComparisonReport>>(out),
            DocumentKind::Convert => write_schema::<Document<'_, Conversion>>(out),
            DocumentKind::Doctor => write_schema::<Document<'_, Diagnosis>>(out),
            DocumentKind::Grade => {
                write_both_schemas::<GradedLine>("juror-grade", line::line_schema(), out)
            }
            DocumentKind::GrammarBounds => write_schema::<Document<'_, GrammarBounds>>(out),
            DocumentKind::GrammarCheck => write_schema::<Document<'_, CheckedInputs>>(out),
            DocumentKind::Languages => write_schema::<Document<'_, LanguageListing>>(out),
            DocumentKind::Mutants => write_schema::<Document<'_, MutantListing>>(out),
            DocumentKind::New => write_schema::<Document<'_, CreatedPackage>>(out),
            DocumentKind::Run => write_schema::<Document<'_, SingleRun>>(out),
            DocumentKind::Show => write_schema::<Document<'_, PackageListing>>(out),
            DocumentKind::Strength => write_schema::<Document<'_, Strength>>(out),
            DocumentKind::Stress => write_schema::<Document<'_, StressResult>>(out),
        }
    }
}
