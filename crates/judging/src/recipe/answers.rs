//! Judge answers: the output of the recipe's solution for each input. The solution does not replace an existing
//! answer, but must agree with it.

use std::collections::BTreeMap;

use crate::build::bench::Bench;
use crate::recipe::inputs::add_text;
use crate::recipe::programs::case_diagnostic;
use crate::recipe::solution::{Solution, dedicated_solution, is_single_run};
use crate::recipe::stage::Stage;
use juror_core::blob::Blob;
use juror_core::check::compare::compare;
use juror_core::check::options::Options;
use juror_core::check::show::describe;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::problem::Problem;
use juror_core::recipe::{AnswerSource, RecipeCase};
use juror_core::root::FilePath;
use juror_core::stop::{Stop, collect_diagnostics, split_diagnostics};

/// Makes or verifies the answers of the cases that have a solution. Adds faults to `diagnostics`.
pub fn make_answers(
    bench: &Bench<'_>,
    stage: &Stage,
    all: &[&RecipeCase],
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), Stop> {
    let mut cases = Vec::new();
    let problem = bench.problem;
    let (by_solution, without_answer): (Vec<&RecipeCase>, Vec<&RecipeCase>) =
        all.iter().partition(|case| {
            let is_there = matches!(case.answer, AnswerSource::File(_));
            is_there || is_single_run(problem) || dedicated_solution(problem, case).is_some()
        });
    add_empty_answers(stage, &without_answer)?;
    for case in by_solution {
        match &case.answer {
            AnswerSource::Solution(solution) if must_run_solution(problem, stage, case) => {
                cases.push((case, solution));
            }
            AnswerSource::File(path) => add_text(stage, &case.name, "ans", path)?,
            AnswerSource::OwnFile if !stage.has_file(&case.name, "ans") => {
                let other = format!(
                    "give it `ans`, or set the program that makes answers: `solution: /{}/...`",
                    problem.layout.accepted
                );
                let help = if case.name.starts_with("invalid_answer") {
                    "give it `ans`: the answer that is invalid"
                } else {
                    &other
                };
                diagnostics.push(case_diagnostic(case, "has no answer").help(help));
            }
            _ => {}
        }
    }
    let mut solutions: BTreeMap<&FilePath, Solution<'_>> = BTreeMap::new();
    for (_, path) in &cases {
        if !solutions.contains_key(path) {
            match collect_diagnostics(Solution::build(bench, path), diagnostics)? {
                Some(solution) => solutions.insert(path, solution),
                None => return Ok(()),
            };
        }
    }
    let faults = bench.map("answers", &cases, |(case, path)| {
        let answer = answer(stage, case, &solutions[path]);
        let (answer, mut faults) = split_diagnostics(answer)?;
        if let Some(answer) = answer {
            faults.extend(add_or_compare(bench.problem, stage, case, &answer)?);
        }
        Ok(faults)
    })?;
    diagnostics.extend(faults.into_iter().flatten());
    Ok(())
}

/// Gives an empty answer to each case that needs one and has none. If programs talk with the output validator or run
/// several times, no run of a single program can make an answer.
fn add_empty_answers(stage: &Stage, cases: &[&RecipeCase]) -> Result<(), JudgeError> {
    let needs = |case: &&&RecipeCase| {
        case.answer != AnswerSource::None && !stage.has_file(&case.name, "ans")
    };
    for case in cases.iter().filter(needs) {
        stage.add(&case.name, "ans", &mut [].as_slice())?;
    }
    Ok(())
}

/// Whether the solution must run, to make an answer or to check one.
///
/// If the package has its own output validator, only that decides whether an answer is right. `verify` runs it with
/// all accepted submissions.
fn must_run_solution(problem: &Problem, stage: &Stage, case: &RecipeCase) -> bool {
    !stage.has_file(&case.name, "ans") || problem.output_validators.is_empty()
}

fn add_or_compare(
    problem: &Problem,
    stage: &Stage,
    case: &RecipeCase,
    answer: &Blob,
) -> Result<Option<Diagnostic>, JudgeError> {
    if !stage.has_file(&case.name, "ans") {
        stage.add_blob(&case.name, "ans", answer)?;
        return Ok(None);
    }
    // Faults in the arguments are reported at their place in a file.
    let Ok(options) = Options::parse(&arguments(problem, case)) else { return Ok(None) };
    let path = stage.path(&case.name, "ans");
    let fault = JudgeError::on_file("compare", &path);
    let own = path.open().map_err(fault)?;
    let difference = compare(own, answer.open().map_err(fault)?, &options);
    let fault = JudgeError::on_file("compare", &path);
    Ok(difference.map_err(fault)?.map(|difference| {
        let message =
            format!("the solution disagrees with the answer given: {}", describe(&difference));
        case_diagnostic(case, message).help("correct the answer, or the solution")
    }))
}

/// From the recipe, else from the existing case.
fn arguments(problem: &Problem, case: &RecipeCase) -> Vec<String> {
    let own = || {
        let data = &problem.test_data;
        let cases = data.cases.iter().chain(&data.valid_outputs).chain(&data.invalid_outputs);
        let existing = cases.into_iter().find(|existing| existing.name == case.name)?;
        Some(existing.output_validator_args.clone())
    };
    case.output_validator_args.clone().or_else(own).unwrap_or_default()
}

fn answer(stage: &Stage, case: &RecipeCase, solution: &Solution<'_>) -> Result<Blob, Stop> {
    let input = stage.path(&case.name, "in");
    let answer = solution.answer(Blob::file(&input))?;
    Ok(answer.map_err(|not| case_diagnostic(case, not.message).help(not.help))?)
}
