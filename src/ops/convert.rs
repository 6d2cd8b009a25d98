//! Writes a package in another format to a new directory, and reports what had no equivalent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use crate::convert::losses::losses;
use crate::ops::amounts::parse_time_limit;
use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::operation::Operation;
use crate::ops::options::{HostOptions, one_of};
use crate::ops::problem::{self, ShownDiagnostics};
use crate::ops::staging::{self, StagingDirectory, parent_directory, write_error};
use crate::report::result::CommandResult;
use crate::report::style::TextRole;
use crate::report::terminal::page::Page;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::Event;
use juror_core::exit_code::ExitCode;
use juror_core::serial::Location;
use juror_core::stop::{Stop, check_interrupted};
use juror_core::text::{count, printable};
use juror_packages::package::conversion::Loss;
use juror_packages::package::convert::write::{pack_zip, read_again, write_file};
use juror_packages::package::convert::{TargetFormat, plan};
use juror_packages::package::format_names;
use juror_packages::statement::check_statements;

#[derive(Clone, Debug, Args)]
pub struct ConvertOptions {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// The new package, which must not exist yet
    pub out: PathBuf,
    /// Format of the new package: 2025-09, legacy or domjudge-zip
    ///
    /// `domjudge-zip` is a zip archive in the legacy format, with domjudge-problem.ini and the statement that
    /// DOMjudge shows, problem.html.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(TargetFormat::ALL, TargetFormat::name), hide_possible_values = true)]
    pub to: TargetFormat,
    /// Format of the old package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()))]
    pub format: Option<String>,
    /// Time limit for DOMjudge, such as 2s, instead of the package's; a number alone is in seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
    /// Make warnings errors, and write nothing if there is one or something has no equivalent
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub host: HostOptions,
}

/// A package that was written in another format.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conversion {
    /// The format that it is in.
    pub from: &'static str,
    /// The format of the new package, as the command line names it.
    pub to: &'static str,
    /// The new package.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// The number of files in the new package.
    pub files: usize,
    /// What had no equivalent.
    pub losses: Vec<Loss>,
}

impl Operation for ConvertOptions {
    type Result = Conversion;
    const NAME: &'static str = "convert";

    fn run(&self, context: &Context) -> Result<Conversion, Stop> {
        let ConvertOptions { package, to, out, format, time_limit, .. } = self;
        if time_limit.is_some() && *to != TargetFormat::DomjudgeZip {
            return Err(Stop::usage("--time-limit is only for --to domjudge-zip; leave it out"));
        }
        let is_archive = *to == TargetFormat::DomjudgeZip;
        if is_archive && out.as_os_str().as_encoded_bytes().ends_with(b"/") {
            let name = out.display().to_string();
            let name = name.trim_end_matches('/');
            let what =
                format!("{name}/ is the name of a directory; give a file, such as {name}.zip");
            return Err(Stop::usage(what));
        }
        check_output_path(out, package)?;
        context.set_strict(self.strict);
        let shown = if self.strict { ShownDiagnostics::All } else { ShownDiagnostics::Errors };
        let mut problem = problem::read_problem(package, format.as_deref(), shown, context)?;
        problem.limits.time_limit = time_limit.or(problem.limits.time_limit);
        context.send_event(Event::package_read(&problem, 0, problem.test_data.cases.len()));
        let recipe = problem.pending_recipe.clone();
        let _made = match recipe {
            None => None,
            Some(_) => {
                let host = Host::start(&self.host, context)?;
                Assembly::new(&host, context).complete(&mut problem, None)?
            }
        };
        problem.pending_recipe = recipe;
        let staging = StagingDirectory::new(out)?;
        let dir = staging.path();
        dir.create_directory().map_err(|error| write_error(out, error))?;
        let mut plan = plan(&problem, *to)?;
        // Those of the plan are about the statement that is shown.
        let shown = std::mem::take(&mut plan.remarks);
        context.send_diagnostics(if self.strict { check_statements(&problem)? } else { shown });
        for file in &plan.files {
            check_interrupted()?;
            write_file(&dir, file).map_err(|error| write_error(&out.join(&file.name), error))?;
        }
        let (from, files) = (problem.layout.format, plan.files.clone());
        let losses = losses(plan, &problem, &read_again(&dir)?)?;
        if self.strict && (!losses.is_empty() || context.exit_code() != ExitCode::Success) {
            let lost = losses.into_iter().map(|loss| {
                let message = format!("has no equivalent: {}", loss.what);
                Diagnostic::error(problem.dir.join(loss.place), message)
            });
            return Err(Stop::Diagnosed(lost.collect()));
        }
        let done = if is_archive {
            pack_zip(&files, &dir).map_err(|error| write_error(out, error))?
        } else {
            dir
        };
        check_interrupted()?;
        check_output_path(out, package)?;
        staging.move_to(&done, out)?;
        Ok(Conversion { from, to: to.name(), path: out.clone(), files: files.len(), losses })
    }
}

/// The path must not exist yet, and must be outside of the package.
fn check_output_path(out: &Path, package: &Path) -> Result<(), Stop> {
    staging::check_absent(out)?;
    let real = |path: &Path| path.canonicalize().ok();
    let is_inside = real(parent_directory(out))
        .zip(real(package))
        .is_some_and(|(out, package)| out.starts_with(package));
    if is_inside {
        Err(Stop::usage("the new package cannot be inside the old one; choose another place"))
    } else {
        Ok(())
    }
}

impl CommandResult for Conversion {
    fn render(&self, page: &mut Page<'_>) {
        if page.style.is_quiet() {
            return;
        }
        let style = page.style;
        let Conversion { from, to, path, files, losses } = self;
        let path = style.paint(TextRole::Title, &printable(&path.display().to_string()));
        page.line(0, &format!("{path}  {to}, from {from}, {}", count(*files, "file")));
        let lost = match losses.len() {
            0 => "everything has an equivalent".to_owned(),
            1 => "1 thing has no equivalent:".to_owned(),
            all => format!("{all} things have no equivalent:"),
        };
        page.line(2, &lost);
        for Loss { place, more, what, became } in losses {
            let places = match more {
                0 => printable(place),
                more => format!("{} and {more} more", printable(place)),
            };
            page.wrapped(2, &places);
            page.labelled(4, "was:     ", &printable(what));
            match became {
                Some(became) => page.labelled(4, "became:  ", &printable(became)),
                None => page.line(4, "left out"),
            }
        }
    }
}
