//! Adds existing cases to a new recipe: their files are copied, and the recipe copies them.
//!
//! Otherwise the recipe would not make these files, and they would count as unlisted.

use std::path::{Path, PathBuf};

use juror_core::problem::Problem;
use juror_core::recipe::{CASE_EXTENSIONS, CASE_FILES};
use juror_core::root::FilePath;
use juror_core::test_data::TestCase;

/// The directory of the copies below `generators/`.
pub const COPIES_DIR: &str = "given";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedCase {
    /// The path below `data/`, without extension.
    pub name: String,
    /// Files, and their copies below `generators/`.
    pub files: Vec<(FilePath, PathBuf)>,
}

pub fn all_cases(problem: &Problem) -> Vec<ImportedCase> {
    let data = &problem.test_data;
    let cases = data.cases.iter().chain(&data.invalid_inputs);
    let cases = cases.chain(&data.invalid_answers);
    let cases = cases.chain(&data.valid_outputs).chain(&data.invalid_outputs);
    cases
        .map(|case| ImportedCase { name: case.name.clone(), files: case_files(problem, case) })
        .collect()
}

fn case_files(problem: &Problem, case: &TestCase) -> Vec<(FilePath, PathBuf)> {
    let base = problem.dir.join(problem.layout.data).join(&case.name);
    let given = Path::new(COPIES_DIR).join(&case.name);
    let own = CASE_EXTENSIONS.into_iter().map(|extension| {
        (base.with_added_extension(extension), given.with_added_extension(extension))
    });
    let mut files: Vec<(FilePath, PathBuf)> = own.filter(|(from, _)| from.is_file()).collect();
    // The reader has left out files that the format ignores, and reported links that lead outside.
    let beside = given.with_added_extension(CASE_FILES);
    files.extend(case.files.iter().map(|file| (file.path.clone(), beside.join(&file.name))));
    files
}
