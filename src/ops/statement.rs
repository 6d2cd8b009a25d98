//! Writes a problem's statements as self-contained pages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use crate::ops::context::Context;
use crate::ops::operation::Operation;
use crate::report::file::ReportFile;
use crate::report::html;
use crate::report::result::CommandResult;
use crate::report::terminal::page::Page;
use juror_core::diagnostic::Diagnostic;
use juror_core::file_name::name_fault;
use juror_core::serial::Location;
use juror_core::stop::Stop;
use juror_core::text::printable;
use juror_packages::package;
use juror_packages::package::statements::{Statement, statements};
use juror_packages::package::suggest::comma_list;
use juror_packages::statement::choose_statements;
use juror_packages::statement::render_page;

#[derive(Clone, Debug, Args)]
pub struct StatementOptions {
    /// The problem package: a directory, or an archive such as .zip or .tar.gz
    pub package: PathBuf,
    /// Only the statement in this language, such as en; can be given several times [default: all]
    #[arg(long, value_name = "CODE")]
    pub language: Vec<String>,
    /// Where to write: a file, `-` for standard output, or a directory for one file in each language
    /// [default: NAME.html]
    #[arg(short, long, value_name = "FILE|DIR")]
    pub out: Option<PathBuf>,
    /// Make warnings errors
    #[arg(long)]
    pub strict: bool,
}

/// The pages that were written.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct StatementPages {
    pub written: Vec<WrittenPage>,
    /// Set if the page is not written to a file.
    #[serde(skip)]
    pub html: Option<String>,
}

/// A page in a file.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WrittenPage {
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// The languages of its statements.
    pub languages: Vec<String>,
}

impl CommandResult for StatementPages {
    fn render(&self, page: &mut Page<'_>) {
        let written = self.written.iter().filter(|_| !page.style.is_quiet());
        for WrittenPage { path, languages } in written {
            let languages = comma_list(languages.iter().map(String::as_str));
            page.line(
                0,
                &format!("wrote {} ({languages})", printable(&path.display().to_string())),
            );
        }
    }

    fn raw(&self) -> Option<&[u8]> {
        self.html.as_deref().map(str::as_bytes)
    }
}

impl Operation for StatementOptions {
    type Result = StatementPages;
    const NAME: &'static str = "statement";

    fn run(&self, context: &Context) -> Result<StatementPages, Stop> {
        let is_to_stdout = self.out.as_ref().is_some_and(|out| out.as_os_str() == "-");
        if is_to_stdout && context.needs.stdout {
            let what = "--out - and --json both write to standard output; choose a file with --out";
            return Err(Stop::usage(what));
        }
        let is_pdf = |out: &PathBuf| {
            out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"))
        };
        if self.out.as_ref().is_some_and(is_pdf) {
            let what = "--out: juror writes no PDF; give a file that ends with .html, and print that from a browser";
            return Err(Stop::usage(what));
        }
        context.set_strict(self.strict);
        let dir = context.enter_package(&self.package)?;
        let reading = package::read(&dir);
        // Other faults of the package do not matter for its statement.
        let Some(problem) = reading.problem else {
            return Err(Stop::Diagnosed(reading.diagnostics));
        };
        let all = statements(&problem);
        let (chosen, remarks) = choose_statements(&problem, &all, &self.language)?;
        context.send_diagnostics(remarks);
        let short_name = &problem.short_name;
        let out = self.out.clone().unwrap_or_else(|| format!("{short_name}.html").into());
        let pages: Vec<(PathBuf, Vec<&Statement>)> = if is_directory(&out) {
            let name = |statement: &Statement| {
                out.join(format!("{short_name}.{}.html", statement.language))
            };
            chosen.into_iter().map(|statement| (name(statement), vec![statement])).collect()
        } else {
            vec![(out.clone(), chosen)]
        };
        let refused =
            all.iter().find_map(|statement| Some((statement, name_fault(&statement.language)?)));
        if let Some((statement, fault)) = refused {
            let message = format!("its language cannot be `{}`, which {fault}", statement.language);
            return Err(Diagnostic::error(&statement.path, message).help("rename it").into());
        }
        if is_directory(&out) {
            fs::create_dir_all(&out).map_err(|error| write_error(&out, &error))?;
        }
        let mut done = StatementPages::default();
        for (path, statements) in pages {
            let page = render_page(&problem, &statements)?;
            context.send_diagnostics(page.diagnostics);
            if path.as_os_str() == "-" {
                done.html = Some(page.html);
                continue;
            }
            write_page(&path, page.html.as_bytes()).map_err(|error| write_error(&path, &error))?;
            let languages = statements.iter().map(|statement| statement.language.clone()).collect();
            done.written.push(WrittenPage { path, languages });
        }
        Ok(done)
    }
}

/// Whether the path is a directory, or ends with a slash.
fn is_directory(out: &Path) -> bool {
    out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/")
}

fn write_page(path: &Path, bytes: &[u8]) -> io::Result<()> {
    ReportFile::replacing(path, html::SIGNATURE)?.write(|out| out.write_all(bytes))
}

fn write_error(path: &Path, error: &io::Error) -> Stop {
    let path = path.display();
    Stop::usage(format!("cannot write {path}: {error}; choose another place with --out"))
}
