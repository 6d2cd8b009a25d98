//! `sol/`: the official solution, others, and graders that are built with them.

use std::path::PathBuf;

use crate::language::table::Language;
use crate::model::problem::Problem;
use crate::model::program::{IncludedFile, Program};
use crate::model::submission::{Expectation, Submission};
use crate::model::verdict::Verdict;
use crate::package::files::{Files, Item};

/// Languages in which a grader is one more source of the program, and what its file ends in.
const WITH_GRADER: [(&str, &str); 2] = [("c", "c"), ("cpp", "cpp")];

/// Reads all of it.
pub(super) fn read(tree: &Files, problem: &mut Problem) {
    let graders =
        WITH_GRADER.map(|(code, ending)| (code, tree.file(&format!("sol/grader.{ending}"))));
    let has_grader =
        tree.children("sol").any(|item| stem(item) == "grader" && code(item).is_some());
    if has_grader {
        let codes =
            graders.iter().filter(|(_, item)| item.is_some()).map(|(code, _)| (*code).to_owned());
        problem.languages = Some(codes.collect());
    }
    for (language, grader) in graders {
        let Some(grader) = grader else { continue };
        let headers = tree.children("sol").filter(|item| item.name.ends_with(".h"));
        problem.include.extend(headers.chain([grader]).map(|item| IncludedFile {
            language: Some(language.to_owned()),
            ..IncludedFile::beside(item.path.clone())
        }));
    }
    for item in tree.children("sol").filter(|item| item.is_file()) {
        let is_part =
            stem(item) == "grader" || stem(item) == "stub" || item.name.ends_with("lib.pas");
        let Some(code) = code(item).filter(|_| !is_part) else { continue };
        let is_built = problem.languages.as_ref().is_none_or(|all| all.iter().any(|it| it == code));
        if !is_built {
            let message = "is left out: juror builds graders with C and C++ only";
            tree.faults.warning(item, message, "judge it with CMS");
            continue;
        }
        let expectations = is_official(item).then(|| Expectation {
            pattern: "the official solution".to_owned(),
            permitted: Some(vec![Verdict::Accepted]),
            ..Expectation::default()
        });
        problem.submissions.push(Submission {
            name: item.base_name().to_owned(),
            program: Program {
                name: item.base_name().to_owned(),
                path: item.path.clone(),
                include: problem.include.clone(),
                ..Program::default()
            },
            expectations: expectations.into_iter().collect(),
        });
    }
}

/// The solution that makes outputs: in C++ if there is one in it.
pub(super) fn official(tree: &Files) -> Option<PathBuf> {
    let all = tree
        .children("sol")
        .filter(|item| item.is_file() && is_official(item) && code(item).is_some());
    let first = all.min_by_key(|item| (code(item) != Some("cpp"), item.name.clone()));
    first.map(|item| item.path.clone())
}

fn is_official(item: &Item) -> bool {
    ["solution", "soluzione"].contains(&stem(item))
}

fn stem(item: &Item) -> &str {
    item.base_name().rsplit_once('.').map_or("", |(stem, _)| stem)
}

fn code(item: &Item) -> Option<&'static str> {
    Language::of_file(&item.path).map(|language| language.code)
}
