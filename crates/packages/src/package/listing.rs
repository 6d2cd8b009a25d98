//! Lists the contents of a package, or the files of one test case.

use std::io::Read;
use std::path::Path;

use crate::package::case_texts;
use crate::package::contents::{
    CaseFiles, ListedCase, ListedFile, ListedGroup, ListedProgram, ListedSubmission, PackageListing,
};
use crate::package::convert::settings::type_words;
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::submission::Expectation;
use juror_core::test_data::TestCase;
use juror_core::text::joined;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;

/// The contents of a package, with one test case if it is asked for.
pub fn listing(problem: &Problem, case: Option<CaseFiles>) -> PackageListing {
    let limits =
        Limits::of_submission(&problem.limits, problem.limits.time_limit.unwrap_or_default());
    let submissions = problem.submissions.iter().map(|submission| ListedSubmission {
        name: submission.name.clone(),
        expected: submission.expectations.iter().filter_map(expectation_text).collect(),
    });
    PackageListing {
        kind: kind_words(problem),
        time_limit: problem.limits.time_limit,
        memory_bytes: limits.memory,
        output_bytes: limits.output,
        groups: list_groups(problem),
        submissions: submissions.collect(),
        programs: list_programs(problem),
        case,
    }
}

fn kind_words(problem: &Problem) -> String {
    match &type_words(problem.kind)[..] {
        ["pass-fail", others @ ..] if !others.is_empty() => joined(others, ", "),
        words => joined(words, ", "),
    }
}

/// Test cases by directory, in judging order, then those for validators.
fn list_groups(problem: &Problem) -> Vec<ListedGroup> {
    let data = &problem.test_data;
    let mut groups: Vec<ListedGroup> = Vec::new();
    for case in data.cases.iter().chain(data.examples()) {
        let directory = case.name.rsplit_once('/').map_or("", |(directory, _)| directory);
        if groups.last().is_none_or(|group| group.name != directory) {
            let scoring = data.groups.iter().find(|group| group.name == directory);
            let most = scoring.and_then(|group| group.scoring.as_ref()?.max_score);
            groups.push(ListedGroup {
                name: directory.to_owned(),
                max_score: most.map(|most| most.to_string()),
                cases: Vec::new(),
            });
        }
        if let Some(group) = groups.last_mut() {
            group.cases.push(list_case(case));
        }
    }
    groups
}

fn list_case(case: &TestCase) -> ListedCase {
    let size = |path: &FilePath| Some(Bytes(path.metadata().ok()?.len()));
    let [description, _] = case_texts::of_case(&case.input);
    ListedCase {
        name: case.name.clone(),
        input_bytes: size(&case.input),
        answer_bytes: case.answer.as_ref().and_then(size),
        description,
    }
}

/// A rule in words; `None` if it is only about the time limit.
fn expectation_text(rule: &Expectation) -> Option<String> {
    let names = |verdicts: &[Verdict]| joined(verdicts, ", ");
    let mut parts = Vec::new();
    parts.extend(rule.permitted.as_deref().map(|list| format!("permitted {}", names(list))));
    parts.extend(rule.required.as_deref().map(|list| format!("required {}", names(list))));
    parts.extend(rule.overall.as_ref().map(|overall| {
        if overall.is_partial { "a part of the score".to_owned() } else { names(&overall.verdicts) }
    }));
    parts.extend(rule.score.map(|score| format!("score {score}")));
    parts.extend(rule.message.as_ref().map(|message| format!("message `{message}`")));
    if parts.is_empty() {
        return None;
    }
    let cases = rule.cases.as_ref().map(|cases| format!("on {cases}: ")).unwrap_or_default();
    Some(cases + &parts.join("; "))
}

fn list_programs(problem: &Problem) -> Vec<ListedProgram> {
    let grammars = problem.input_grammars.iter().map(|program| ("input grammar", &program.path));
    let many = [
        ("input validator", &problem.input_validators),
        ("answer validator", &problem.answer_validators),
        ("output validator", &problem.output_validators),
    ];
    let many = many
        .into_iter()
        .flat_map(|(what, all)| all.iter().map(move |program| (what, &program.path)));
    let single = [
        ("interactor", &problem.interactor),
        ("static validator", &problem.static_validator),
        ("input visualizer", &problem.input_visualizer),
        ("output visualizer", &problem.output_visualizer),
    ];
    let single = single.into_iter().filter_map(|(what, one)| Some((what, &one.as_ref()?.path)));
    let recipe = problem.recipe.iter().map(|path| ("recipe", path));
    let all = grammars.chain(many).chain(single).chain(recipe);
    let below = |path: &Path| path.strip_prefix(&*problem.dir).unwrap_or(path).to_owned();
    all.map(|(what, path)| ListedProgram { what, path: below(path) }).collect()
}

/// A test case with its files; long ones are shortened unless `all` is set.
pub fn case_files(case: &TestCase, all: bool) -> Result<CaseFiles, Stop> {
    /// In bytes.
    const SHORT: u64 = 4096;
    let [description, hint] = case_texts::of_case(&case.input);
    let own_files = [
        ("input", Some(&case.input)),
        ("judge answer", case.answer.as_ref()),
        ("output", case.output.as_ref()),
        ("interaction", case.interaction.as_ref()),
    ];
    let own_files = own_files.into_iter().filter_map(|(what, path)| Some((what, path?)));
    let given_files = case.files.iter().map(|file| ("file", &file.path));
    let mut files = Vec::new();
    for (what, path) in own_files.chain(given_files) {
        let Ok(file) = path.open() else { continue };
        let fault = JudgeError::on_file("read", path);
        let most = if all { u64::MAX } else { SHORT };
        let mut contents = Vec::new();
        let size = file.metadata().and_then(|facts| {
            (&file).take(most).read_to_end(&mut contents)?;
            Ok(facts.len().max(contents.len() as u64))
        });
        let bytes = size.map_err(fault)?;
        files.push(ListedFile {
            what,
            path: path.into(),
            bytes: Bytes(bytes),
            left_out_bytes: Bytes(bytes - contents.len() as u64),
            contents,
        });
    }
    Ok(CaseFiles { name: case.name.clone(), description, hint, args: case.args.clone(), files })
}
