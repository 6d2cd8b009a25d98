//! `sol/`: the official solution, other solutions, and graders that are built with them.

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::named_programs::{find_source, language_code, new_submission};
use juror_core::problem::Problem;
use juror_core::program::IncludedFile;

/// Languages in which a grader is one more source of the program. They are also the endings of its file.
const GRADER_LANGUAGES: [&str; 2] = ["c", "cpp"];

const OFFICIAL_NAMES: [&str; 2] = ["solution", "soluzione"];

pub(super) fn read(tree: &PackageFiles, problem: &mut Problem) {
    problem.defines = vec!["EVAL".to_owned()];
    let grader = |code| Some((code, tree.file(&format!("sol/grader.{code}"))?));
    let graders: Vec<_> = GRADER_LANGUAGES.into_iter().filter_map(grader).collect();
    let has_grader =
        tree.children("sol").any(|item| item.stem() == "grader" && language_code(item).is_some());
    if has_grader {
        problem.languages = Some(graders.iter().map(|(code, _)| (*code).to_owned()).collect());
    }
    for (language, grader) in graders {
        let headers = tree.children("sol").filter(|item| item.ending() == "h");
        let files =
            headers.chain([grader]).map(|item| IncludedFile::for_all_languages(item.path.clone()));
        problem.include.extend(files.map(|file| file.for_language(language)));
    }
    for item in tree.children("sol").filter(|item| item.is_file()) {
        let is_part = ["grader", "stub"].contains(&item.stem()) || item.name.ends_with("lib.pas");
        let Some(code) = language_code(item).filter(|_| !is_part) else { continue };
        let is_built = problem
            .languages
            .as_ref()
            .is_none_or(|all| all.iter().any(|language| language == code));
        if !is_built {
            let message = "is left out: juror builds graders with C and C++ only";
            tree.faults.warning(item, message, "judge it with CMS");
            continue;
        }
        let official = OFFICIAL_NAMES.contains(&item.stem()).then_some("the official solution");
        problem.submissions.push(new_submission(problem, item, official));
    }
}

/// The official solution, which makes the judge answers.
pub(super) fn official_solution(tree: &PackageFiles) -> Option<&PackageEntry> {
    find_source(tree, "sol", &OFFICIAL_NAMES)
}
