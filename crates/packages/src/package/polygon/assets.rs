//! `assets`: the checker, validators and the interactor with their own tests, and the solutions with their tags.

use crate::package::named_programs;
use crate::package::node::ParseResult;
use crate::package::polygon::judging::validator_args;
use crate::package::polygon::pattern::PathPattern;
use crate::package::polygon::programs::{find_source, new_program, source_language};
use crate::package::polygon::xml::Element;
use crate::package::polygon::{EXPORT_HELP, PolygonReader};
use crate::package::text::excerpt;
use juror_core::problem::Problem;
use juror_core::program::{Program, ProgramKind};
use juror_core::protocol::Protocol;
use juror_core::root::FilePath;
use juror_core::submission::{Expectation, Submission};
use juror_core::test_data::{OutputClaim, OutputTrial, TestCase};
use juror_core::verdict::Verdict::{self, Accepted, RunTimeError, TimeLimitExceeded, WrongAnswer};

pub(super) fn read(pack: &PolygonReader<'_>, problem: &mut Problem) {
    let Some(assets) = pack.root.child("assets") else {
        pack.root.error("has no `assets`", "export the package from Polygon again");
        return;
    };
    for name in ["scorer", "strategy", "arbiter", "programs"] {
        if let Some(element) = assets.child(name) {
            let message =
                format!("`{name}` changes how submissions are judged, but juror does not run it");
            element.error(message, "judge this problem on Polygon or Codeforces");
        }
    }
    let known = "checker interactor validators solutions scorer strategy arbiter programs";
    assets.warn_unless_known(known, "");
    problem.output_protocol = Protocol::Testlib;
    problem.input_protocol = Protocol::Testlib;
    match assets.child("checker") {
        Some(element) => read_checker(pack, element, problem),
        None => {
            assets.error(
                "has no `checker`: nothing defines which outputs are right",
                "choose one on Polygon",
            );
        }
    }
    if let Some(element) = assets.child("interactor") {
        element.warn_unless_known("source binary copy testset runs", "name type");
        if let Some(runs) = element.child("runs") {
            runs.error("the interactor talks with several runs, which juror does not support", "");
        }
        problem.interactor = new_program(pack, element, ProgramKind::OutputValidator).ok();
    }
    for element in assets.nested("validators", "validator") {
        read_validator(pack, element, problem);
    }
    for element in assets.nested("solutions", "solution") {
        if let Ok(Some(submission)) = read_solution(pack, element) {
            problem.submissions.push(submission);
        }
    }
}

fn read_checker(pack: &PolygonReader<'_>, element: Element<'_>, problem: &mut Problem) {
    element.warn_unless_known("source binary copy testset", "name type");
    if let Some(kind) = element.attribute("type").filter(|kind| *kind != "testlib") {
        let message =
            format!("the checker is of type `{}`; juror supports only testlib", excerpt(kind));
        element.error(message, "");
        return;
    }
    let source = element.child("source").and_then(|source| source.attribute("path"));
    let standard = element.attribute("name").filter(|name| name.starts_with("std::"));
    if let (Some(name), Some(path)) = (standard, source)
        && pack.tree.file(path).is_none()
    {
        let message = format!(
            "the source of the checker {} is not in the package: no `{}`",
            excerpt(name),
            excerpt(path)
        );
        let help = "export the full package from Polygon; juror has no checkers of its own";
        element.error(message, help);
        return;
    }
    problem.output_validators.extend(new_program(pack, element, ProgramKind::OutputValidator));
    for (number, test) in own_tests(element) {
        let path = |name| test_file(pack, element, test, name, number);
        let claim = match test.attribute("verdict") {
            Some("ok") => OutputClaim::Right,
            Some("wrong-answer" | "presentation-error") => OutputClaim::Wrong,
            Some("crashed") => OutputClaim::Fault,
            other => {
                report_unknown_verdict(test, other);
                continue;
            }
        };
        let paths =
            [path("input-path-pattern"), path("output-path-pattern"), path("answer-path-pattern")];
        let [Ok((name, input)), Ok((_, output)), Ok((_, answer))] = paths else { continue };
        let test_case = TestCase {
            name,
            input,
            answer: Some(answer),
            output: Some(output),
            ..TestCase::default()
        };
        problem.test_data.output_trials.push(OutputTrial { test_case, claim });
    }
}

fn read_validator(pack: &PolygonReader<'_>, element: Element<'_>, problem: &mut Problem) {
    element.warn_unless_known("source binary testset", "name type");
    problem.input_validators.extend(new_program(pack, element, ProgramKind::InputValidator));
    for (number, test) in own_tests(element) {
        let Ok((name, input)) = test_file(pack, element, test, "input-path-pattern", number) else {
            continue;
        };
        let input_validator_args =
            validator_args(test.attribute("testset"), test.attribute("group"));
        let case = TestCase { name, input, input_validator_args, ..TestCase::default() };
        match test.attribute("verdict") {
            Some("valid") => problem.test_data.valid_inputs.push(case),
            Some("invalid") => problem.test_data.invalid_inputs.push(case),
            other => report_unknown_verdict(test, other),
        }
    }
}

/// The tests of a checker or validator, with their numbers.
fn own_tests<'a>(element: Element<'a>) -> impl Iterator<Item = (usize, Element<'a>)> {
    let tests =
        element.children_named("testset").flat_map(|testset| testset.nested("tests", "test"));
    (1..).zip(tests)
}

fn test_file(
    pack: &PolygonReader<'_>,
    element: Element<'_>,
    test: Element<'_>,
    pattern: &'static str,
    number: usize,
) -> ParseResult<(String, FilePath)> {
    let described = element.child("testset").and_then(|testset| testset.child(pattern));
    let parsed = described.and_then(|element| PathPattern::parse(element.text()));
    let Some(parsed) = parsed else {
        return Err(element.error(format!("`{pattern}` must be a path such as `tests/%02d`"), ""));
    };
    let name = parsed.path(number);
    match pack.tree.file(&name) {
        Some(item) => Ok((name, item.path.clone())),
        None => {
            let message = format!("there is no `{name}` for this test");
            test.publishing_error(message, EXPORT_HELP);
            Err(crate::package::faults::ReportedFault::already_reported())
        }
    }
}

fn report_unknown_verdict(test: Element<'_>, verdict: Option<&str>) {
    let message = format!("`{}` is not a verdict of a test", excerpt(verdict.unwrap_or_default()));
    test.publishing_error(
        message,
        "known: ok, wrong-answer, presentation-error, crashed; valid, invalid",
    );
}

/// A solution; `None` if its tag says that it is not judged.
fn read_solution(
    pack: &PolygonReader<'_>,
    element: Element<'_>,
) -> ParseResult<Option<Submission>> {
    element.warn_unless_known("source binary extra-tags", "tag note");
    let Some(described) = element.child("source") else {
        return Err(element.error("`solution` has no `source`", EXPORT_HELP));
    };
    let item = find_source(described, pack.tree)?;
    let tag = element.required_attribute("tag")?;
    if tag == "do-not-run" {
        return Ok(None);
    }
    let Some(expectation) = parse_tag(tag, element)? else { return Ok(None) };
    let mut expectations = vec![expectation];
    for extra in element.nested("extra-tags", "extra-tag") {
        let (Some(testset), Some(group)) = (extra.attribute("testset"), extra.attribute("group"))
        else {
            extra.error("`extra-tag` has no `testset` or no `group`", EXPORT_HELP);
            continue;
        };
        if let Ok(Some(rule)) = self::parse_tag(extra.required_attribute("tag")?, extra) {
            expectations.push(Expectation { cases: Some(format!("{testset}/{group}")), ..rule });
        }
    }
    let name = item.name.strip_prefix("solutions/").unwrap_or(&item.name);
    let program = Program {
        language: source_language(described),
        ..named_programs::new_program(
            item,
            ProgramKind::Submission,
            pack.resources.for_submissions.clone(),
        )
    };
    Ok(Some(Submission { name: name.to_owned(), program, expectations }))
}

/// The expectation of a tag; `None` if juror cannot check it.
///
/// A presentation error counts as a wrong answer. A program that reaches the memory limit may be stopped, or fail
/// because it gets no more memory.
fn parse_tag(tag: &str, element: Element<'_>) -> ParseResult<Option<Expectation>> {
    let all: &[Verdict] = &[Accepted, WrongAnswer, RunTimeError, TimeLimitExceeded];
    let (permitted, required): (&[Verdict], &[Verdict]) = match tag {
        "main" | "accepted" => (&[Accepted], &[]),
        "rejected" => (all, &[WrongAnswer, RunTimeError, TimeLimitExceeded]),
        "wrong-answer" | "presentation-error" => (&[Accepted, WrongAnswer], &[WrongAnswer]),
        "time-limit-exceeded" => (&[Accepted, TimeLimitExceeded], &[TimeLimitExceeded]),
        "time-limit-exceeded-or-accepted" => (&[Accepted, TimeLimitExceeded], &[]),
        "time-limit-exceeded-or-memory-limit-exceeded" => {
            (&[Accepted, RunTimeError, TimeLimitExceeded], &[RunTimeError, TimeLimitExceeded])
        }
        "memory-limit-exceeded" => (&[Accepted, RunTimeError], &[RunTimeError]),
        "failed" => {
            let message = "is tagged `failed`: the checker must fail on it, which juror reports as a judge error";
            element
                .publishing_error(message, "it is left out; give it another tag to have it judged");
            return Ok(None);
        }
        other => {
            let help = "juror does not know what to expect of it";
            return Err(element.error(format!("`{}` is not a known tag", excerpt(other)), help));
        }
    };
    let set = |verdicts: &[Verdict]| (!verdicts.is_empty()).then(|| verdicts.to_vec());
    Ok(Some(Expectation {
        pattern: tag.to_owned(),
        permitted: set(permitted).filter(|permitted| permitted.len() < all.len()),
        required: set(required),
        place: Some(element.place()),
        ..Expectation::default()
    }))
}
