//! `juror convert`: writes a package in another format to a new directory, and reports what had no equivalent.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::beside::{self, Beside, fault, parent};
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::options::{HostOptions, OutputOptions, time_limit};
use crate::cli::output::{Output, command};
use crate::cli::problem::{self, Remarks};
use crate::model::conversion::Conversion;
use crate::model::event::Event;
use crate::model::stop::Stop;
use crate::package::convert::write::{read_again, write, zip};
use crate::package::convert::{Target, plan};
use crate::package::formats;

/// Arguments of `juror convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// The new package, which must not exist yet
    pub out: PathBuf,
    /// Format of the new package: 2025-09, legacy or domjudge-zip
    ///
    /// `domjudge-zip` is a zip archive in the legacy format, with domjudge-problem.ini.
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    pub to: Target,
    /// Format of the old package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(formats()))]
    pub format: Option<String>,
    /// Time limit for DOMjudge, instead of the package's
    #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
    pub time_limit: Option<Duration>,
    /// Options about the machine: for test data that the package only describes
    #[command(flatten)]
    pub host: HostOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

fn target(text: &str) -> Result<Target, String> {
    let named = Target::ALL.into_iter().find(|target| target.name() == text);
    named.ok_or_else(|| "expected 2025-09, legacy or domjudge-zip".to_owned())
}

/// Runs the command.
pub fn run(arguments: &ConvertArguments) -> ExitCode {
    command(&arguments.output, "convert", |output| convert(arguments, output))
}

fn convert(arguments: &ConvertArguments, output: &Output) -> Result<(), Stop> {
    let ConvertArguments { package, to, out, format, time_limit, .. } = arguments;
    if time_limit.is_some() && *to != Target::DomjudgeZip {
        return Err(Stop::usage("--time-limit is only for --to domjudge-zip; leave it out"));
    }
    let is_archive = *to == Target::DomjudgeZip;
    if is_archive && out.as_os_str().as_encoded_bytes().ends_with(b"/") {
        let name = out.display().to_string();
        let name = name.trim_end_matches('/');
        let what = format!("{name}/ is the name of a directory; give a file, such as {name}.zip");
        return Err(Stop::usage(what));
    }
    check_out(out, package)?;
    let mut problem = problem::read(package, format.as_deref(), Remarks::Errors, output)?;
    problem.limits.time_limit = time_limit.or(problem.limits.time_limit);
    output.event(Event::package_read(&problem, 0, problem.test_data.cases.len()));
    let recipe = problem.unmade.clone();
    let _made = match recipe {
        None => None,
        Some(_) => {
            let host = Host::start(&arguments.host, output)?;
            let builder = host.builder();
            problem::complete(&mut problem, None, &host, &builder, output)?
        }
    };
    problem.unmade = recipe;
    let beside = Beside::new(out)?;
    let dir = beside.path();
    fs::create_dir(&dir).map_err(|error| fault(out, error))?;
    let plan = plan(&problem, *to)?;
    for file in &plan.files {
        beside.check()?;
        write(&dir, file).map_err(|error| fault(&out.join(&file.name), error))?;
    }
    let (from, files) = (problem.layout.format, plan.files.clone());
    let losses = plan.losses(&problem, &read_again(&dir)?);
    let done = if is_archive { zip(&files, &dir).map_err(|error| fault(out, error))? } else { dir };
    beside.check()?;
    check_out(out, package)?;
    beside.place(&done, out)?;
    let conversion =
        Conversion { from, to: to.name(), path: out.clone(), files: files.len(), losses };
    output.event(Event::Converted(Box::new(conversion)));
    Ok(())
}

/// Checks that the path does not exist yet, and is not in the package.
fn check_out(out: &Path, package: &Path) -> Result<(), Stop> {
    beside::absent(out)?;
    let real = |path: &Path| path.canonicalize().ok();
    let is_inside =
        real(parent(out)).zip(real(package)).is_some_and(|(out, package)| out.starts_with(package));
    if is_inside {
        Err(Stop::usage("the new package cannot be inside the old one; choose another place"))
    } else {
        Ok(())
    }
}
