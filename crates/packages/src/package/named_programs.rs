//! Programs that a format finds by their names, and the files next to them.

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::languages::is_natural_language;
use crate::package::statements::Statement;
use juror_core::check::options::LINE_SENSITIVE;
use juror_core::language::table::Language;
use juror_core::problem::Problem;
use juror_core::program::{IncludedFile, Program, ProgramKind};
use juror_core::submission::{Expectation, Submission};
use juror_core::verdict::Verdict;

pub(super) fn language_code(item: &PackageEntry) -> Option<&'static str> {
    Language::of_file(&item.path).map(|language| language.code)
}

/// The source in a directory whose name without ending is one of these; a C++ source is preferred.
pub(super) fn find_source<'t>(
    tree: &'t PackageFiles,
    directory: &str,
    stems: &[&str],
) -> Option<&'t PackageEntry> {
    let all = tree.children(directory).filter(|item| {
        item.is_file() && stems.contains(&item.stem()) && language_code(item).is_some()
    });
    all.min_by_key(|item| (language_code(item) != Some("cpp"), &item.name))
}

pub(super) fn header_files(tree: &PackageFiles, directory: &str) -> Vec<IncludedFile> {
    included_files(tree, directory, |item| matches!(item.ending(), "h" | "hpp"))
}

pub(super) fn included_files(
    tree: &PackageFiles,
    directory: &str,
    is_meant: impl Fn(&PackageEntry) -> bool,
) -> Vec<IncludedFile> {
    let files = tree.below(directory).iter().filter(|item| item.is_file() && is_meant(item));
    let file = |item: &PackageEntry| IncludedFile {
        name: item.name[directory.len() + 1..].into(),
        ..IncludedFile::for_all_languages(item.path.clone())
    };
    files.map(file).collect()
}

/// The statements in these directories, which are PDF files; `language` derives the code from a name without ending.
pub(super) fn find_statements(
    tree: &PackageFiles,
    directories: &[&str],
    language: impl Fn(&str) -> Option<String>,
) -> Vec<Statement> {
    let items = directories.iter().flat_map(|directory| tree.children(directory));
    let statements = items.filter(|item| item.ending() == "pdf").filter_map(|item| {
        let language = language(item.stem()).filter(|code| is_natural_language(code))?;
        Statement::of(language, item.path.clone())
    });
    statements.collect()
}

pub(super) fn new_program(
    item: &PackageEntry,
    kind: ProgramKind,
    include: Vec<IncludedFile>,
) -> Program {
    Program {
        name: item.base_name().to_owned(),
        path: item.path.clone(),
        kind,
        include,
        ..Program::default()
    }
}

/// A solution, which must be accepted if the package calls it official by this name.
pub(super) fn new_submission(
    problem: &Problem,
    item: &PackageEntry,
    official: Option<&str>,
) -> Submission {
    let expectations = official.map(|name| Expectation {
        pattern: name.to_owned(),
        permitted: Some(vec![Verdict::Accepted]),
        ..Expectation::default()
    });
    Submission {
        name: item.base_name().to_owned(),
        program: Program {
            defines: problem.defines.clone(),
            ..new_program(item, ProgramKind::Submission, problem.include.clone())
        },
        expectations: expectations.into_iter().collect(),
    }
}

/// Makes the default output validator compare as CMS and oicompare do; empty if the package has a checker.
pub(super) fn line_sensitive_args(problem: &Problem) -> Vec<String> {
    if problem.output_validators.is_empty() {
        ["case_sensitive", LINE_SENSITIVE].map(str::to_owned).to_vec()
    } else {
        Vec::new()
    }
}
