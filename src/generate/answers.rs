//! Judge answers: what the solution that the recipe names makes of each input.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::build::{Runnable, first_line};
use crate::executor::{RunError, parallel};
use crate::generate::files::Stage;
use crate::generate::inputs::{build_program, diagnostic, limits};
use crate::generate::{Generated, Generating, ending};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::job::{BoxContent, BoxFile, Collected, Input, Job};
use crate::model::judgement::JudgeError;
use crate::model::problem::ProgramIo;
use crate::model::program::ProgramKind;
use crate::model::recipe::RecipeCase;

/// Makes the answers of all cases that have a solution and no answer of their own.
pub(super) fn make(generating: &Generating<'_>, stage: &Stage) -> Result<Generated, JudgeError> {
    let cases: Vec<&RecipeCase> = generating
        .recipe
        .cases
        .iter()
        .filter(|case| case.solution.is_some() && !stage.path(&case.name, "ans").exists())
        .collect();
    let mut solutions: BTreeMap<&Path, Runnable> = BTreeMap::new();
    for path in cases.iter().filter_map(|case| case.solution.as_deref()) {
        if !solutions.contains_key(path) {
            match build_program(generating, path, ProgramKind::Submission)? {
                Ok(solution) => solutions.insert(path, solution),
                Err(not) => return Ok(not),
            };
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
    let made = parallel::map(generating.executor, &cases, |case| {
        let Some(solution) = case
            .solution
            .as_deref()
            .and_then(|path| solutions.get(path))
        else {
            return Ok(None);
        };
        let fault = answer(generating, stage, case, solution)?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(fault)
    });
    let mut generated = Generated::default();
    match made {
        Ok(faults) => generated.diagnostics.extend(faults.into_iter().flatten()),
        Err(RunError::Interrupted) => generated.interrupted = true,
        Err(RunError::Fault(error)) => return Err(error),
    }
    Ok(generated)
}

fn answer(
    generating: &Generating<'_>,
    stage: &Stage,
    case: &RecipeCase,
    solution: &Runnable,
) -> Result<Option<Diagnostic>, RunError> {
    let input = stage.path(&case.name, "in");
    let mut files = solution.files.clone();
    let (stdin, collect) = match &generating.problem.io {
        ProgramIo::Standard => (Input::File(input), Vec::new()),
        ProgramIo::Files {
            input: name,
            output,
        } => {
            files.push(BoxFile {
                name: PathBuf::from(name),
                content: BoxContent::Copy(input),
            });
            (Input::Empty, vec![output.clone()])
        }
    };
    let limits = limits();
    let mut reply = generating.executor.run(&Job {
        command: solution.command.clone(),
        stdin,
        files,
        writable: generating.problem.allow_file_writing,
        box_size: limits.output.unwrap_or_default(),
        limits,
        collect,
        keep: None,
    })?;
    if let Some(ending) = ending(&reply.outcome) {
        let said = first_line(&mut reply.stderr);
        let message = format!("the solution {ending}{said}");
        return Ok(Some(
            diagnostic(case, message).help("mend the solution, or the input if it is not valid"),
        ));
    }
    match (&generating.problem.io, reply.collected.first_mut()) {
        (ProgramIo::Standard, _) => stage.add_captured(&case.name, "ans", &mut reply.stdout)?,
        (ProgramIo::Files { .. }, Some(Collected::File(file))) => {
            stage.add_captured(&case.name, "ans", file)?;
        }
        (ProgramIo::Files { output, .. }, _) => {
            let message = format!("the solution does not write `{output}`");
            return Ok(Some(diagnostic(case, message)));
        }
    }
    Ok(None)
}
