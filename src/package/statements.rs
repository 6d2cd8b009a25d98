//! The statements of a package, for those who show them.

use std::path::PathBuf;

use crate::model::problem::Problem;
use crate::package::FORMATS;

/// A statement in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its language code.
    pub language: String,
    /// How it is written.
    pub form: Form,
    /// The file.
    pub path: PathBuf,
}

/// How a statement is written. The first can be shown best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Markdown.
    Markdown,
    /// LaTeX.
    Latex,
    /// A PDF, which is shown as it is or not at all.
    Pdf,
}

/// The statements of a problem, by language.
pub fn statements(problem: &Problem) -> Vec<Statement> {
    let format = FORMATS.into_iter().find(|it| it.layout().format == problem.layout.format);
    format.map(|format| format.statements(&problem.dir)).unwrap_or_default()
}
