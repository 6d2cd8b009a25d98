//! `juror merge`: combines reports of several machines.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::exit_code::ExitCode;
use crate::cli::options::{OutputOptions, ReportOptions};
use crate::cli::output::command_with;
use crate::model::merge::{self, Document};
use crate::model::stop::{Mend, Remark, Stop};

/// Arguments of `juror merge`.
#[derive(Args, Debug)]
pub struct MergeArguments {
    /// JSON reports of `judge`, `verify` or `generate`
    #[arg(required = true, value_name = "REPORT")]
    pub reports: Vec<PathBuf>,
    /// Options about reports in files.
    #[command(flatten)]
    pub files: ReportOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Merges.
pub fn run(arguments: &MergeArguments) -> ExitCode {
    let documents = read(&arguments.reports);
    let name = documents.as_ref().map_or("merge", |(name, _)| name);
    command_with(&arguments.output, &arguments.files, name, |output| {
        let (_, documents) = documents?;
        output.replay(&merge::events(&documents));
        for number in documents.iter().filter_map(|it| it.ended_with) {
            let code = ExitCode::ALL.into_iter().find(|code| u32::from(code.number()) == number);
            output.end_with(code.unwrap_or(ExitCode::JudgeError));
        }
        Ok(())
    })
}

/// The reports, and their command.
///
/// # Errors
/// What cannot be read in each report.
fn read(paths: &[PathBuf]) -> Result<(&'static str, Vec<Document>), Stop> {
    let mut documents = Vec::new();
    let mut faults: Vec<Remark> = Vec::new();
    for path in paths {
        match document(path) {
            Ok(document) => documents.push(document),
            Err(why) => {
                faults.push(format!("cannot read the report {}: {why}", path.display()).into())
            }
        }
    }
    if !faults.is_empty() {
        return Err(Stop::Refused(Mend::CommandLine, faults));
    }
    let name = merge::command(&documents).map_err(|why| {
        Stop::usage(format!(
            "cannot merge these reports: {why}; pass the JSON reports of all shards of one run"
        ))
    })?;
    Ok((name, documents))
}

fn document(path: &Path) -> Result<Document, String> {
    Document::read(&fs::read(path).map_err(|error| error.to_string())?)
}
