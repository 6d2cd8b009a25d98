//! The statements of a package, to be shown.

use crate::package::files::PackageFiles;
use crate::package::format_of;
use juror_core::problem::Problem;
use juror_core::root::FilePath;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub language: String,
    pub form: StatementForm,
    pub path: FilePath,
}

/// The markup of a statement. The first ones can be shown best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatementForm {
    Markdown,
    Latex,
    /// LaTeX with one file for each section, as in Polygon. The path is that of the first section.
    Sections,
    /// A PDF, which is shown unchanged or not at all.
    Pdf,
}

impl Statement {
    /// `None` if the ending is not one of statements.
    pub(super) fn of(language: String, path: FilePath) -> Option<Self> {
        let form = match path.extension()?.to_str()? {
            "md" => StatementForm::Markdown,
            "tex" => StatementForm::Latex,
            "pdf" => StatementForm::Pdf,
            _ => return None,
        };
        Some(Self { language, form, path })
    }
}

/// The statements of a problem, by language: for each the one that can be shown best.
pub fn statements(problem: &Problem) -> Vec<Statement> {
    let Some(format) = format_of(problem) else { return Vec::new() };
    let mut all = format.statements(&PackageFiles::read(&problem.dir, format));
    // A file outside of the package is reported when it is read.
    all.retain(|statement| !statement.path.is_missing());
    all.sort_by(|a, b| (&a.language, a.form).cmp(&(&b.language, b.form)));
    all.dedup_by(|a, b| a.language == b.language);
    all
}
