//! The statements of a package, to be shown.

use std::path::{Path, PathBuf};

use crate::model::problem::Problem;
use crate::package::FORMATS;
use crate::package::convert::statements::StatementFile;
use crate::package::files::Files;

/// A statement in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its language code.
    pub language: String,
    /// Its markup.
    pub form: Form,
    /// The file.
    pub path: PathBuf,
}

/// The markup of a statement. The first ones can be shown best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Markdown.
    Markdown,
    /// LaTeX.
    Latex,
    /// LaTeX with one file for each section, as in Polygon. The path is that of the first section.
    Sections,
    /// A PDF, which is shown unchanged or not at all.
    Pdf,
}

impl Form {
    /// The form by the ending of a file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "md" => Some(Self::Markdown),
            "tex" => Some(Self::Latex),
            "pdf" => Some(Self::Pdf),
            _ => None,
        }
    }
}

/// The statements of a problem, by language.
pub fn statements(problem: &Problem) -> Vec<Statement> {
    let format = FORMATS.into_iter().find(|it| it.layout().format == problem.layout.format);
    let Some(format) = format else { return Vec::new() };
    let tree = Files::read(&problem.dir, format);
    let listed = format.statement_files(&tree).into_iter();
    let listed = listed.filter_map(|StatementFile { language, name }| {
        let path = tree.path(&name);
        let form = Form::of(&path).filter(|_| path.is_file())?;
        Some(Statement { language, form, path })
    });
    by_language(listed.chain(format.statements(&problem.dir)).collect())
}

/// One statement for each language: the one that can be shown best.
pub(super) fn by_language(mut all: Vec<Statement>) -> Vec<Statement> {
    all.sort_by(|a, b| (&a.language, a.form).cmp(&(&b.language, b.form)));
    all.dedup_by(|a, b| a.language == b.language);
    all
}
