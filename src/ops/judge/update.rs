//! `--update`: judges some students of a class again. The results of all others come from the events of an earlier run
//! on the same tests and limits.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::ops::judge::JudgeOptions;
use crate::ops::merge::{CommandEvents, judged_submission};
use juror_core::class::Student;
use juror_core::event::Event;
use juror_core::language::sources;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::text::{composed, hex, short_list};
use juror_core::tree::Node;

/// The results of the earlier run, by submission. `None` without `--update`. `again` are the submissions of the
/// student.
///
/// # Errors
/// If the file has no events of `juror judge`, or something that decides verdicts is different.
pub(super) fn earlier_results(
    options: &JudgeOptions,
    digests: &BTreeMap<String, String>,
    again: &BTreeSet<String>,
) -> Result<Option<HashMap<String, Event>>, Stop> {
    let (Some(path), Some(student)) = (&options.update, &options.student) else {
        return Ok(None);
    };
    let refused = |why: String| Stop::usage(format!("--update {}: {why}", path.display()));
    if again.is_empty() {
        return Err(Stop::usage(format!(
            "--student: the class has no student '{student}'; give a name or number from the table"
        )));
    }
    let run = CommandEvents::read(path).map_err(refused)?;
    let own = env!("CARGO_PKG_VERSION");
    if run.command != "judge" || run.juror != own {
        return Err(refused(format!(
            "it is of `juror {}` {}, not of `juror judge` {own}; judge the whole class again",
            run.command, run.juror
        )));
    }
    let known = run.packages().last().map(|package| package.digests.clone());
    let known = known.filter(|known| !known.is_empty());
    let known = known.ok_or_else(|| {
        refused("it is not of a class; judge the class with --events first".to_owned())
    })?;
    let names: BTreeSet<&String> = known.keys().chain(digests.keys()).collect();
    let different = names.into_iter().filter(|name| known.get(*name) != digests.get(*name));
    let different: Vec<&String> = different.collect();
    if !different.is_empty() {
        let list = short_list(&different, 5);
        return Err(refused(format!(
            "not as in that run: {list}; judge the whole class again, or use the same tests and options"
        )));
    }
    let rows = run.events.into_iter().map(|stamped| stamped.event);
    let rows = rows.filter_map(|row| Some((judged_submission(&row)?.to_owned(), row)));
    Ok(Some(rows.collect()))
}

/// Whether `--student` names this student.
pub(super) fn is_wanted(options: &JudgeOptions, student: &Student) -> bool {
    let Some(wanted) = &options.student else { return false };
    let mut names = [Some(&student.name), student.number.as_ref()].into_iter().flatten();
    names.any(|name| wanted.matches(&composed(name)))
}

/// What decides verdicts, and its digest. Data that is still to be made has only its name.
pub(super) fn digests(
    options: &JudgeOptions,
    problem: &Problem,
    selected: &HashSet<String>,
) -> BTreeMap<String, String> {
    let digest = |parts: &[Vec<u8>]| {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hex(&hasher.finalize()[..8])
    };
    let JudgeOptions { checker, points, build, all, repeat, runs, .. } = options;
    let settings = format!("{checker:?} {points:?} {build:?} {all} {repeat}");
    let programs = problem.output_validators.iter().chain(&problem.interactor);
    let programs =
        programs.chain(&problem.static_validator).filter_map(|it| sources::read(it).ok());
    let files = programs.flat_map(|program| program.files).map(|file| match file.node {
        Node::File { blob, .. } => (file.name, blob.digest().ok()),
        _ => (file.name, None),
    });
    let sources: Vec<_> = files.collect();
    let whole = [
        ("limits", format!("{:?} {:?}", problem.limits, runs.time_limit)),
        ("options", settings),
        ("way of judging", format!("{:?} {:?}", problem.kind, problem.io)),
        ("output validators", format!("{sources:?}")),
    ];
    let whole = whole.into_iter().map(|(name, text)| (name.to_owned(), digest(&[text.into()])));
    let cases = problem.test_data.judged_cases();
    let cases = cases.iter().map(|case| case.test_case());
    let cases = cases.filter(|case| selected.contains(&case.name)).map(|case| {
        let read = |file: &FilePath| file.read().unwrap_or_default();
        let answer = case.answer.as_ref().map(read).unwrap_or_default();
        let arguments = format!("{:?} {:?}", case.args, case.output_validator_args);
        let parts = [read(&case.input), answer, arguments.into_bytes()];
        (format!("test case {}", case.name), digest(&parts))
    });
    whole.chain(cases).collect()
}
