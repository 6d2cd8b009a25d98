//! Judge answers: what the solution that the recipe names makes of each input. An answer that is there
//! already is not made again; the solution must agree with it.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::check::compare::compare;
use crate::check::options::Options;
use crate::check::show::cause;
use crate::executor::parallel;
use crate::generate::programs::diagnostic;
use crate::generate::solution::{Solution, is_alone, made_for_it};
use crate::generate::stage::Stage;
use crate::generate::{Generated, Generating};
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::JudgeError;
use crate::model::recipe::{AnswerSource, RecipeCase};
use crate::model::stop::Stop;

/// Makes or verifies the answers of those of these cases that have a solution.
pub(super) fn make(
    generating: &Generating<'_>,
    stage: &Stage,
    all: &[&RecipeCase],
) -> Result<Generated, JudgeError> {
    let mut generated = Generated::default();
    let mut cases = Vec::new();
    let problem = generating.problem;
    let (made, left): (Vec<&RecipeCase>, Vec<&RecipeCase>) = all
        .iter()
        .partition(|case| is_alone(problem) || made_for_it(problem, case).is_some());
    empty(stage, &left)?;
    for case in made {
        match &case.answer {
            AnswerSource::Solution(solution) if is_needed(generating, stage, case) => {
                cases.push((case, solution.as_path()));
            }
            AnswerSource::Own if !stage.has(&case.name, "ans") => {
                let help = match case.name.starts_with("invalid_answer/") {
                    true => "give it `ans`: the answer that is invalid",
                    false => {
                        "give it `ans`, or name the program that makes answers: \
                         `solution: /submissions/accepted/...`"
                    }
                };
                generated
                    .diagnostics
                    .push(diagnostic(case, "has no answer").help(help));
            }
            _ => {}
        }
    }
    let mut solutions: BTreeMap<&Path, Solution<'_>> = BTreeMap::new();
    for (_, path) in &cases {
        if !solutions.contains_key(path) {
            match Solution::build(generating, path)? {
                Ok(solution) => {
                    solutions.insert(path, solution);
                }
                Err(not) => {
                    generated.diagnostics.extend(not.diagnostics);
                    generated.interrupted = not.interrupted;
                    return Ok(generated);
                }
            }
        }
    }
    let progress = |done| {
        (generating.events)(Event::Progress {
            what: "answers".to_owned(),
            done,
            total: cases.len(),
        });
    };
    progress(0);
    let done = AtomicUsize::new(0);
    let made = parallel::map(generating.executor, &cases, |(case, path)| {
        let fault = match answer(generating, stage, case, &solutions[path])? {
            Ok(mut answer) => settle(generating, stage, case, &mut answer)?,
            Err(fault) => Some(fault),
        };
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(fault)
    });
    match made {
        Ok(faults) => generated.diagnostics.extend(faults.into_iter().flatten()),
        Err(Stop::Interrupted) => generated.interrupted = true,
        Err(Stop::Fault(error)) => return Err(error),
    }
    Ok(generated)
}

/// Gives an empty answer to each case that needs one and has none: no run of one program alone shows
/// what is right where it talks with the output validator, or runs several times.
fn empty(stage: &Stage, cases: &[&RecipeCase]) -> Result<(), JudgeError> {
    let needs =
        |case: &&&RecipeCase| case.answer != AnswerSource::None && !stage.has(&case.name, "ans");
    for case in cases.iter().filter(needs) {
        stage.add(&case.name, "ans", &mut [].as_slice())?;
    }
    Ok(())
}

/// Whether the solution is run: to make an answer, or to hold one against it.
///
/// Where the package has an output validator of its own, only that can tell whether an answer is right;
/// `verify` runs it with all accepted submissions.
fn is_needed(generating: &Generating<'_>, stage: &Stage, case: &RecipeCase) -> bool {
    !stage.has(&case.name, "ans") || generating.problem.output_validator.is_none()
}

/// Adds the answer, or compares it with the one that is there.
fn settle(
    generating: &Generating<'_>,
    stage: &Stage,
    case: &RecipeCase,
    answer: &Blob,
) -> Result<Option<Diagnostic>, JudgeError> {
    if !stage.has(&case.name, "ans") {
        stage.add_blob(&case.name, "ans", answer)?;
        return Ok(None);
    }
    // What is wrong with the arguments is told where they stand in a file.
    let Ok(options) = Options::parse(&arguments(generating, case)) else {
        return Ok(None);
    };
    let path = stage.path(&case.name, "ans");
    let fault =
        |error: std::io::Error| JudgeError::new(format!("compare {}", path.display()), error);
    let own = File::open(&path).map_err(fault)?;
    let difference = compare(own, answer.open().map_err(fault)?, &options);
    Ok(difference.map_err(fault)?.map(|difference| {
        let message = format!(
            "the solution disagrees with the answer given: {}",
            cause(&difference)
        );
        diagnostic(case, message).help("correct the answer, or the solution")
    }))
}

/// The output validator's arguments, from the recipe or from the case as it is.
fn arguments(generating: &Generating<'_>, case: &RecipeCase) -> Vec<String> {
    let there = || {
        let data = &generating.problem.test_data;
        let cases = data
            .cases
            .iter()
            .chain(&data.valid_outputs)
            .chain(&data.invalid_outputs);
        cases
            .into_iter()
            .find(|it| it.name == case.name)
            .map(|it| it.output_validator_args.clone())
    };
    case.output_validator_args
        .clone()
        .or_else(there)
        .unwrap_or_default()
}

/// What the solution says about an input.
fn answer(
    generating: &Generating<'_>,
    stage: &Stage,
    case: &RecipeCase,
    solution: &Solution<'_>,
) -> Result<Result<Blob, Diagnostic>, Stop> {
    let input = stage.path(&case.name, "in");
    let answer = solution.answer(generating.executor, Blob::file(input))?;
    Ok(answer.map_err(|not| {
        let mut what = diagnostic(case, not.what);
        what.help = Some(not.help.to_owned());
        what
    }))
}
