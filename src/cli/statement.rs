//! `juror statement`: a problem's statement as a self-contained page.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::exit_code::ExitCode;
use crate::cli::options::OutputOptions;
use crate::cli::output::{Output, command, print};
use crate::model::diagnostic::Diagnostic;
use crate::model::file_name::name_fault;
use crate::model::stop::Stop;
use crate::package;
use crate::package::statements::{Statement, statements};
use crate::package::suggest::list;
use crate::report::file::ReportFile;
use crate::report::html;
use crate::statement::chosen;
use crate::statement::page;

/// Arguments of `juror statement`.
#[derive(Debug, Args)]
pub struct StatementArguments {
    /// The problem package: a directory, or an archive such as .zip or .tar.gz
    pub package: PathBuf,
    /// Only the statement in this language, such as en; can be given several times [default: all]
    #[arg(long, value_name = "CODE")]
    pub language: Vec<String>,
    /// Where to write: a file, `-` for standard output, or a directory for one file in each language
    /// [default: NAME.html]
    #[arg(short, long, value_name = "FILE|DIR")]
    pub out: Option<PathBuf>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Makes the page.
pub fn run(arguments: &StatementArguments) -> ExitCode {
    // The page alone is on standard output then.
    let is_beside = arguments.out.as_ref().is_some_and(|out| out.as_os_str() == "-");
    let options = OutputOptions { is_beside, ..arguments.output.clone() };
    command(&options, "statement", |output| make(arguments, output))
}

fn make(arguments: &StatementArguments, output: &Output) -> Result<(), Stop> {
    let is_pdf = |out: &PathBuf| out.extension().is_some_and(|it| it.eq_ignore_ascii_case("pdf"));
    if arguments.out.as_ref().is_some_and(is_pdf) {
        let what = "--out: juror writes no PDF; give a file that ends with .html, and print that from a browser";
        return Err(Stop::usage(what));
    }
    let dir = output.enter(&arguments.package)?;
    let reading = package::read(&dir);
    // Other faults of the package do not matter for its statement.
    let Some(problem) = reading.problem else { return Err(Stop::Diagnosed(reading.diagnostics)) };
    let all = statements(&problem);
    let (chosen, remarks) = chosen(&problem, &all, &arguments.language)?;
    output.diagnosed(remarks);
    let short_name = &problem.short_name;
    let out = arguments.out.clone().unwrap_or_else(|| format!("{short_name}.html").into());
    if out.as_os_str() == "-" && arguments.output.json {
        let what = "--out - and --json both write to standard output; choose a file with --out";
        return Err(Stop::usage(what.to_owned()));
    }
    let pages: Vec<(PathBuf, Vec<&Statement>)> = if is_directory(&out) {
        let name = |it: &Statement| out.join(format!("{short_name}.{}.html", it.language));
        chosen.into_iter().map(|it| (name(it), vec![it])).collect()
    } else {
        vec![(out.clone(), chosen)]
    };
    let refused = all.iter().find_map(|it| Some((it, name_fault(&it.language)?)));
    if let Some((statement, fault)) = refused {
        let message = format!("its language cannot be `{}`, which {fault}", statement.language);
        return Err(Diagnostic::error(&statement.path, message).help("rename it").into());
    }
    if is_directory(&out) {
        fs::create_dir_all(&out).map_err(|error| unwritable(&out, &error))?;
    }
    for (path, statements) in pages {
        let page = page(&problem, &statements)?;
        output.diagnosed(page.remarks);
        let bytes = page.html.as_bytes();
        if path.as_os_str() == "-" {
            print("the page", |out| out.write_all(bytes))?;
            continue;
        }
        write(&path, bytes).map_err(|error| unwritable(&path, &error))?;
        if !arguments.output.json && !arguments.output.quiet {
            let languages = list(statements.iter().map(|it| it.language.as_str()));
            let path = path.display();
            print("what was done", |out| writeln!(out, "wrote {path} ({languages})"))?;
        }
    }
    Ok(())
}

/// Whether the path is a directory, or is written like one.
fn is_directory(out: &Path) -> bool {
    out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Writes a file beside its path, and moves it there when it is complete.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    ReportFile::beside(path, html::SIGN)?.write(|out| out.write_all(bytes))
}

fn unwritable(path: &Path, error: &io::Error) -> Stop {
    let path = path.display();
    Stop::usage(format!("cannot write {path}: {error}; choose another place with --out"))
}
