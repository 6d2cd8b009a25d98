//! Adds existing cases to a new recipe: their files are copied, and the recipe copies them.
//!
//! Otherwise the first recipe would make them unlisted files.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::model::problem::Problem;
use crate::model::recipe::{CASE_EXTENSIONS, CASE_FILES};
use crate::model::test_data::TestCase;

/// The directory of the files below `generators/`.
pub const GIVEN: &str = "given";

/// A case that no recipe makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The path below `data/`, without extension.
    pub name: String,
    /// Its files, and their copies below `generators/`.
    pub files: Vec<(PathBuf, PathBuf)>,
}

/// All cases of a package.
pub fn all(problem: &Problem) -> Vec<Imported> {
    let data = &problem.test_data;
    let cases = data.cases.iter().chain(&data.invalid_inputs);
    let cases = cases.chain(&data.invalid_answers);
    let cases = cases.chain(&data.valid_outputs).chain(&data.invalid_outputs);
    cases.map(|case| Imported { name: case.name.clone(), files: files(problem, case) }).collect()
}

fn files(problem: &Problem, case: &TestCase) -> Vec<(PathBuf, PathBuf)> {
    let base = problem.dir.join(problem.layout.data).join(&case.name);
    let given = Path::new(GIVEN).join(&case.name);
    let own = CASE_EXTENSIONS.into_iter().map(|extension| {
        (base.with_added_extension(extension), given.with_added_extension(extension))
    });
    let mut files: Vec<(PathBuf, PathBuf)> = own.filter(|(from, _)| from.is_file()).collect();
    let beside = base.with_added_extension(CASE_FILES);
    let entries = WalkDir::new(&beside).follow_links(true).sort_by_file_name();
    for entry in entries.into_iter().flatten() {
        if let Ok(below) = entry.path().strip_prefix(&beside)
            && entry.file_type().is_file()
        {
            let to = given.with_added_extension(CASE_FILES).join(below);
            files.push((entry.path().to_owned(), to));
        }
    }
    files
}
