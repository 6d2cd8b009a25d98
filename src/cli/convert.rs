//! `juror convert`: writes a package in another format to a new directory, and reports what had no equivalent.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::cli::beside::{self, Beside, fault, parent};
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::options::{HostOptions, OutputOptions, time_limit};
use crate::cli::output::{Output, command};
use crate::cli::problem::{self, Remarks};
use crate::language::constants::replace_constants;
use crate::model::conversion::Conversion;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::problem::Problem;
use crate::model::program::Constant;
use crate::model::root::FilePath;
use crate::model::stop::Stop;
use crate::package;
use crate::package::convert::{Contents, PlannedFile, Target, plan};
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
    let done = if is_archive { zip(&files, &dir, &beside) } else { Ok(dir) };
    let done = done.map_err(|error| fault(out, error))?;
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

fn write(dir: &Path, file: &PlannedFile) -> io::Result<()> {
    let path = FilePath::root(dir).join(&file.name);
    // Some systems do not tell `A.c` from `a.c`.
    if path.link_metadata().is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "another file has this name"));
    }
    let mut to = path.create()?;
    let (from, constants) = match &file.contents {
        Contents::Text(text) => return to.write_all(text.as_bytes()),
        Contents::Copy(from) => (from.open()?, None),
        Contents::Filled(from, constants) => (from.open()?, Some(constants)),
    };
    let rights = from.metadata()?.permissions().mode();
    write_from(from, constants, &mut to)?;
    // Its owner may change a new package, whatever the old one was.
    to.set_permissions(Permissions::from_mode(rights | 0o200))
}

fn write_from(mut from: File, constants: Option<&Vec<Constant>>, to: &mut File) -> io::Result<()> {
    let Some(constants) = constants else { return io::copy(&mut from, to).map(drop) };
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    to.write_all(&replace_constants(&bytes, constants).map_err(io::Error::other)?)
}

/// Reads the new package again.
fn read_again(dir: &Path) -> Result<Problem, Stop> {
    let reading = package::read(dir);
    let prevents = reading.diagnostics.iter().any(Diagnostic::prevents_judging);
    if let Some(problem) = reading.problem.filter(|_| !prevents) {
        return Ok(problem);
    }
    let faults = reading.diagnostics.into_iter().filter(Diagnostic::prevents_judging);
    let faults = faults.map(|mut fault| {
        // The new package is not kept, so there is no path to it.
        if let Ok(name) = fault.place.path.strip_prefix(dir) {
            fault.place.path = name.to_owned();
            fault.message = format!("the new package would not be valid: {}", fault.message);
        }
        fault
    });
    Err(Stop::Diagnosed(faults.collect()))
}

/// Packs the files; returns the path of the archive.
fn zip(files: &[PlannedFile], dir: &Path, beside: &Beside) -> io::Result<PathBuf> {
    let path = dir.with_extension("zip.part");
    let mut archive = ZipWriter::new(File::create(&path)?);
    for file in files {
        if beside.check().is_err() {
            break;
        }
        let mut source = FilePath::root(dir).join(&file.name).open()?;
        let metadata = source.metadata()?;
        let options = SimpleFileOptions::default()
            .unix_permissions(metadata.permissions().mode() & 0o777)
            .large_file(metadata.len() >= u64::from(u32::MAX));
        archive.start_file(&*file.name, options).map_err(io::Error::other)?;
        io::copy(&mut source, &mut archive)?;
    }
    archive.finish().map_err(io::Error::other)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_may_change_a_copied_file() {
        let keep = tempfile::TempDir::new().expect("a temporary directory");
        let check = |rights: u32, expected: u32| {
            let old = keep.path().join(format!("old-{rights:o}"));
            fs::write(&old, "1\n").expect("a file");
            fs::set_permissions(&old, Permissions::from_mode(rights)).expect("rights");
            let old = FilePath::root(old);
            let constants = Vec::new();
            for (kind, contents) in [
                ("copy", Contents::Copy(old.clone())),
                ("filled", Contents::Filled(old, constants)),
            ] {
                let name = format!("new-{rights:o}-{kind}");
                write(keep.path(), &PlannedFile { name: name.clone(), contents }).expect(&name);
                let metadata = fs::metadata(keep.path().join(&name)).expect("a file");
                assert_eq!(metadata.permissions().mode() & 0o777, expected, "{name}");
            }
        };
        check(0o444, 0o644);
        check(0o400, 0o600);
        check(0o555, 0o755);
        check(0o440, 0o640);
        check(0o544, 0o744);
        check(0o644, 0o644);
        check(0o755, 0o755);
    }
}
