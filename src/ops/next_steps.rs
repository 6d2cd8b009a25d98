//! The next steps of authors: what an unfinished package lacks, in their order, and what strengthens its test data.

use std::path::Path;

use juror_core::judgement::Judgement;
use juror_core::problem::{Problem, SubmittedContent};
use juror_core::progress::NextStep;
use juror_core::submission::Submission;
use juror_core::text::command_line;
use juror_core::verdict::Verdict;
use juror_data::recipe::propose::directories::{PROMOTED_GROUP, secret_groups};
use juror_packages::package;
use juror_packages::package::statements::statements;

/// Empty for an archive, and for a format that juror does not write to.
pub fn next_steps(dir: &Path, problem: &Problem) -> Vec<NextStep> {
    if dir.is_dir() && problem.layout.takes_cases { missing_steps(problem) } else { Vec::new() }
}

/// Empty if too little of the package can be read.
pub fn next_steps_of_faulty_package(dir: &Path, format: Option<&str>) -> Vec<NextStep> {
    let problem = if dir.is_dir() { package::read_as(dir, format).problem } else { None };
    problem.map_or_else(Vec::new, |problem| next_steps(dir, &problem))
}

/// What strengthens the test data after `verify`: a search for each wrong submission that is accepted, and for other
/// wrong programs if a test case rejects none. Empty for an archive.
pub fn steps_to_strengthen(
    dir: &Path,
    problem: &Problem,
    judged: &[(&Submission, &Judgement)],
    has_idle_cases: bool,
) -> Vec<NextStep> {
    let has_inputs = !problem.input_grammars.is_empty() || problem.recipe.is_some();
    let has_data = problem.test_data.cases.iter().any(|case| case.name.starts_with("secret/"));
    if !dir.is_dir()
        || !has_inputs
        || !has_data
        || problem.kind.submitted == SubmittedContent::Answers
    {
        return Vec::new();
    }
    let is_missed = |judgement: &Judgement| {
        judgement.verdict == Verdict::Accepted && !judgement.broken.is_empty()
    };
    let missed = judged.iter().filter(|(_, judgement)| is_missed(judgement)).take(MAX_SEARCHES);
    let search = |(submission, _): &(&Submission, &Judgement)| NextStep {
        what: format!("find an input on which {} fails", submission.name),
        command: Some(command("stress", dir, &[&submission.name])),
    };
    let mut steps: Vec<NextStep> = missed.map(search).collect();
    if has_idle_cases {
        let what = "find wrong programs that the test data lets pass".to_owned();
        steps.push(NextStep { what, command: Some(command("strength", dir, &[])) });
    }
    steps
}

/// What adds the inputs that `strength` found.
pub fn step_to_promote(dir: &Path, problem: &Problem) -> NextStep {
    let is_writable = dir.is_dir() && problem.layout.takes_cases;
    let group = secret_groups(problem).last().map(|last| format!("{last}/{PROMOTED_GROUP}"));
    let into = group.iter().flat_map(|group| ["--into", group]);
    let words: Vec<&str> = ["--promote"].into_iter().chain(into).collect();
    NextStep {
        what: "add one of these inputs for each kind of fault, with --promote".to_owned(),
        command: is_writable.then(|| command("strength", dir, &words)),
    }
}

const MAX_SEARCHES: usize = 3;

pub(super) fn command(name: &str, dir: &Path, more: &[&str]) -> String {
    let words = ["juror", name].map(Path::new).into_iter().chain([dir]);
    command_line(words.chain(more.iter().map(Path::new)))
}

fn missing_steps(problem: &Problem) -> Vec<NextStep> {
    let dir = &problem.dir;
    let generate = |options: &[&str]| command("generate", dir, options);
    let cases = &problem.test_data.cases;
    let has = |group: &str| cases.iter().any(|case| case.name.starts_with(group));
    let has_grammar = !problem.input_grammars.is_empty();
    let is_right = |name: &str| name.starts_with("accepted/");
    let has_right = problem.submissions.iter().any(|submission| is_right(&submission.name));
    let is_recipe_unused = problem.recipe.is_some() && !has("secret/");
    let must_fail = |verdicts: &Vec<Verdict>| !verdicts.contains(&Verdict::Accepted);
    let has_wrong = problem.submissions.iter().any(|submission| {
        !is_right(&submission.name)
            || submission
                .expectations
                .iter()
                .any(|rule| rule.required.as_ref().is_some_and(must_fail))
    });
    let statement = format!("write the statement: {}/problem.en.md", problem.layout.statements);
    let steps = [
        (statements(problem).is_empty(), &*statement, None),
        (
            problem.input_validators.is_empty() && !has_grammar,
            "describe the input: a grammar input_validators/input.ctd (docs/grammar.md), or a program",
            None,
        ),
        (!has_right, "write a solution: a program in submissions/accepted/", None),
        (is_recipe_unused, "make the test data from its recipe", Some(generate(&[]))),
        (
            !has("secret/") && !is_recipe_unused && has_grammar && has_right,
            "make a first set of test cases from the grammar",
            Some(generate(&["--from-grammar"])),
        ),
        (
            !(has("secret/") || is_recipe_unused || has_grammar && has_right),
            "add test cases: files such as data/secret/1.in and 1.ans, or a recipe (docs/generate.md)",
            None,
        ),
        (
            !has("sample/") && !is_recipe_unused,
            "add a sample: data/sample/1.in and 1.ans, or under `sample` of the recipe if there is one",
            None,
        ),
        (
            !has_wrong,
            "add a wrong program in submissions/wrong_answer/: it shows what the test data catches",
            None,
        ),
    ];
    let step = |(is_next, what, command): (bool, &str, Option<String>)| {
        is_next.then(|| NextStep { what: what.to_owned(), command })
    };
    steps.into_iter().filter_map(step).collect()
}
