//! `prog/`: solutions, the files that are built with them, and their expectations.

use std::path::Path;

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::named_programs::new_submission;
use crate::package::node::{Map, Node, ParseResult};
use crate::package::sinol::SINOL_MAKE_HELP;
use crate::package::sinol::test_data::{group_name, parse_by_group};
use crate::package::text::excerpt;
use crate::package::values::{NumberBound, number};
use juror_core::language::table::{LANGUAGES, Language};
use juror_core::problem::{Grading, Problem};
use juror_core::program::IncludedFile;
use juror_core::score::Score;
use juror_core::submission::{Expectation, ScoreRange};
use juror_core::verdict::Verdict::{self, Accepted, RunTimeError, TimeLimitExceeded, WrongAnswer};

pub(super) fn read(tree: &PackageFiles, id: &str, map: &mut Map<'_>, problem: &mut Problem) {
    let left_out = read_extra_files(tree, map, problem);
    let is_left_out = |language: &Language| {
        left_out.iter().any(|ending| language.reads(Path::new(&format!("x.{ending}"))))
    };
    let unjudged = LANGUAGES.iter().filter(|language| is_left_out(language));
    problem.unjudged = unjudged.map(|language| language.code.to_owned()).collect();
    for item in tree.children("prog").filter(|item| is_solution(item, id)) {
        if Language::of_file(&item.path).is_some_and(is_left_out) {
            let message =
                "is left out: juror cannot apply the settings of config.yml for its language";
            tree.faults.warning(item, message, SINOL_MAKE_HELP);
            continue;
        }
        let official = (item.stem() == id).then_some("the model solution");
        problem.submissions.push(new_submission(problem, item, official));
    }
    let expected = map.get("sinol_expected_scores", |node| node.entries("a map of solutions"));
    for node in expected.into_iter().flatten() {
        let found = problem.submissions.iter().position(|submission| submission.name == node.key);
        match found.map(|index| read_expectations(&node, problem).map(|all| (index, all))) {
            Some(Ok((index, all))) => problem.submissions[index].expectations.extend(all),
            // The fault is already reported.
            Some(Err(_reported)) => {}
            None if tree.file(&format!("prog/{}", node.key)).is_some() => {}
            None => {
                let message = format!("`{}` is not a solution in prog/", excerpt(node.key));
                node.at_key().warning(message, "remove it: `sinol-make run` writes this list");
            }
        }
    }
}

/// Whether a name is one such as `abc.cpp`, `abc2.py`, `abcs1_slow.cpp` or `abcb.cpp`.
fn is_solution(item: &PackageEntry, id: &str) -> bool {
    let Some(rest) = item.stem().strip_prefix(id) else { return false };
    let rest = rest.strip_prefix(['b', 's']).unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_name = rest.is_empty() || rest.starts_with('_');
    is_name && item.is_file() && Language::of_file(&item.path).is_some()
}

/// Files that are built with solutions, or put next to them. Returns the endings of languages for which juror cannot do
/// that, or which have their own limits.
fn read_extra_files(tree: &PackageFiles, map: &mut Map<'_>, problem: &mut Problem) -> Vec<String> {
    let mut left_out = Vec::new();
    let overridden = map.get("override_limits", |node| node.entries("a map of languages"));
    left_out.extend(overridden.into_iter().flatten().map(|node| node.key.to_owned()));
    let mut include = |item: &PackageEntry, code: &str| {
        problem.include.push(IncludedFile::for_all_languages(item.path.clone()).for_language(code));
    };
    let mut sources = Vec::new();
    let args = map.get("extra_compilation_args", |node| node.entries("a map of languages"));
    for node in args.into_iter().flatten() {
        for arg in node.one_or_more() {
            let item = tree.file(&format!("prog/{}", arg.word()));
            let code = item.and_then(|item| Some(Language::of_file(&item.path)?.code));
            match item.zip(code) {
                Some((item, code @ ("c" | "cpp"))) if language_code(node.key) == Some(code) => {
                    include(item, code);
                    sources.push(item.name.clone());
                }
                _ => {
                    let message = format!(
                        "`{}` is not a C or C++ source in prog/: juror adds no arguments to compiler commands",
                        excerpt(arg.word())
                    );
                    arg.error(message, SINOL_MAKE_HELP);
                }
            }
        }
    }
    let compiled = map.get("extra_compilation_files", |node| node.items("a sequence of files"));
    let run = map.get("extra_execution_files", |node| node.entries("a map of languages"));
    let run = run.into_iter().flatten().flat_map(|node| node.one_or_more());
    for node in compiled.into_iter().flatten().chain(run) {
        let name = format!("prog/{}", node.word());
        let Some(item) = tree.file(&name) else {
            node.error(format!("there is no `{}`", excerpt(&name)), "correct the name");
            continue;
        };
        if sources.contains(&name) {
            continue;
        }
        sources.push(name);
        match item.ending() {
            "h" | "hpp" => ["c", "cpp"].iter().for_each(|code| include(item, code)),
            "py" => include(item, "python3"),
            "c" | "cc" | "cpp" => {
                let message =
                    format!("juror would build `{}` with every submission", excerpt(node.word()));
                node.error(message, "add it to `extra_compilation_args` if it is a source");
            }
            other => left_out.push(other.to_owned()),
        }
    }
    left_out
}

fn language_code(ending: &str) -> Option<&'static str> {
    Language::of_file(Path::new(&format!("x.{ending}"))).map(|language| language.code)
}

fn read_expectations(node: &Node<'_>, problem: &Problem) -> ParseResult<Vec<Expectation>> {
    let mut map = node.map()?;
    let mut all = vec![Expectation::default()];
    map.set("points", &mut all[0].score, read_points);
    let by_group = map.get("expected", |node| parse_by_group(node, read_group_expectation));
    map.warn_of_rest();
    for (group, rule) in by_group.into_iter().flatten() {
        let name = group_name(group);
        let Some(found) = problem.test_data.groups.iter().find(|group| group.name == name) else {
            let message = format!("group {group} has no test in in/");
            node.warning(message, "make the inputs first: `sinol-make gen`");
            continue;
        };
        // A required group may be the cause of the status.
        let depends = found.scoring.as_ref().is_some_and(|rules| !rules.require_pass.is_empty());
        let cases = Some(name);
        all.push(if depends && rule.required.is_some() {
            Expectation { cases, permitted: None, required: None, ..rule }
        } else {
            Expectation { cases, ..rule }
        });
    }
    for rule in &mut all {
        rule.pattern = "sinol_expected_scores".to_owned();
        rule.place = Some(node.place());
        rule.score = rule.score.filter(|_| problem.kind.grading == Grading::Scoring);
    }
    Ok(all)
}

fn read_points(node: &Node<'_>) -> ParseResult<Option<ScoreRange>> {
    let points = Score::new(number(node, NumberBound::AtLeast(0.0))?);
    Ok(points.map(|score| ScoreRange { from: score, to: score }))
}

/// `{points: 25, status: OK}`, or only the status, which is the worst one of TL, ML, RE, WA, OK.
fn read_group_expectation(node: &Node<'_>) -> ParseResult<Expectation> {
    let mut rule = Expectation::default();
    let status = if node.is_map() {
        let mut map = node.map()?;
        map.set("points", &mut rule.score, read_points);
        let status = map.node("status");
        map.warn_of_rest();
        status
    } else {
        Some(node.clone())
    };
    let Some(status) = status else { return Ok(rule) };
    let (permitted, required): (Option<&[Verdict]>, _) = match status.word() {
        "OK" => (Some(&[Accepted]), None),
        "WA" => (Some(&[Accepted, WrongAnswer]), Some(WrongAnswer)),
        "RE" | "ML" => (Some(&[Accepted, WrongAnswer, RunTimeError]), Some(RunTimeError)),
        "TL" => (None, Some(TimeLimitExceeded)),
        _ => return Err(status.must_be("OK, WA, RE, ML or TL")),
    };
    rule.permitted = permitted.map(<[Verdict]>::to_vec);
    rule.required = required.map(|verdict| vec![verdict]);
    Ok(rule)
}
