//! Tables of the format's rules for scores.

use std::collections::HashMap;

use super::*;
use crate::output_validator::feedback::FEEDBACK_FILES;
use crate::plan::schedule::{Section, SectionPart, SectionResult};
use juror_core::job::CollectedEntry;
use juror_core::root::FilePath;
use juror_core::score::{Aggregation, GroupScoring, Standing};
use juror_core::test_data::TestGroup;
use juror_core::test_data::{StaticCase, TestData};

/// Test data from lines `NAME AGGREGATION MAX CASES [REQUIRED...]`. `sample` has only its number of cases.
fn data(lines: &[&str]) -> TestData {
    let mut data = TestData::default();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, count, scoring) = match words[..] {
            ["sample", count] => ("sample", count, None),
            [name, aggregation, max, count, ref required @ ..] => {
                let scoring = GroupScoring {
                    max_score: max.parse().ok().and_then(Score::new),
                    aggregation: match aggregation {
                        "pass-fail" => Aggregation::PassFail,
                        "sum" => Aggregation::Sum,
                        _ => Aggregation::Min,
                    },
                    require_pass: required.iter().map(ToString::to_string).collect(),
                };
                (name, count, Some(scoring))
            }
            _ => panic!("{line}"),
        };
        data.groups.push(TestGroup { name: name.to_owned(), scoring });
        for number in 1..=count.parse().unwrap() {
            data.cases.push(test_case(&format!("{name}/{number}")));
        }
    }
    data
}

fn test_case(name: &str) -> TestCase {
    TestCase { name: name.to_owned(), input: FilePath::root(name), ..TestCase::default() }
}

/// The total if the cases, in order, have these results: `-` rejected, `.` not run, `+` accepted with the score by the
/// rules, otherwise accepted with that score. Returns `SCORE/MAX`, then each group; `?` for an unknown score, `!`
/// after a group that was barred, `~` after one that ran in part.
fn total(lines: &[&str], results: &str) -> String {
    let data = data(lines);
    let scheme = GroupScheme::from_test_data(&data).unwrap();
    let results: Vec<&str> = results.split_whitespace().collect();
    assert_eq!(results.len(), data.cases.len(), "{results:?}");
    let total = scheme.total(|name| {
        let index = data.cases.iter().position(|case| case.name == name)?;
        let scoring = scheme.case_scoring(&data.cases[index]);
        let accepted = |score| CaseResult { verdict: Verdict::Accepted, score };
        match results[index] {
            "." => None,
            "-" => Some(CaseResult { verdict: Verdict::WrongAnswer, score: Some(Score::ZERO) }),
            "+" => {
                let score = score_by_rules(scoring, Verdict::Accepted);
                Some(accepted(score.map(|score| score.score)))
            }
            points => Some(accepted(Score::new(points.parse().unwrap()))),
        }
    });
    let shown = |score: Option<Score>| score.map_or("?".to_owned(), |score| score.to_string());
    match total {
        Err(what) => what,
        Ok(total) => {
            let mut text = format!("{}/{}", shown(total.score), shown(total.max_score));
            for group in total.groups {
                let mark = match group.standing {
                    Standing::Complete if group.is_conditional => "?",
                    Standing::Complete => "",
                    Standing::Partial => "~",
                    Standing::Barred(_) => "!",
                };
                text.push_str(&format!(" {}{mark}", shown(group.score)));
            }
            text
        }
    }
}

fn check(lines: &[&str], table: &[(&str, &str)]) {
    for (results, expected) in table {
        assert_eq!(total(lines, results), *expected, "{lines:?} with {results}");
    }
}

#[test]
fn secret_without_groups_shares_its_points_evenly() {
    check(
        &["sample 1", "secret sum 100 3"],
        &[
            ("+ + + +", "100/100"),
            ("- + + +", "100/100"),
            ("+ + - +", "66.666667/100"),
            ("+ - - -", "0/100"),
            ("+ + 10 +", "76.666667/100"),
            ("+ + . +", "?/100"),
        ],
    );
    check(
        &["secret min 100 3"],
        &[
            ("+ + +", "100/100"),
            ("+ 40 70", "40/100"),
            ("+ - +", "0/100"),
            ("0 . .", "0/100"),
            ("+ . +", "?/100"),
        ],
    );
    check(
        &["secret pass-fail 100 2"],
        &[("+ +", "100/100"), ("+ -", "0/100"), ("- .", "0/100"), ("+ .", "?/100")],
    );
    check(
        &["secret sum unbounded 2"],
        &[("3.5 1000", "1003.5/?"), ("3.5 -", "3.5/?"), ("- -", "0/?")],
    );
}

#[test]
fn groups_have_scores_of_their_own() {
    let lines = [
        "sample 1",
        "secret sum 100 0",
        "secret/a pass-fail 40 2",
        "secret/b sum 30 3",
        "secret/c min 30 2",
    ];
    check(
        &lines,
        &[
            ("+ + + + + + + +", "100/100 40 30 30"),
            ("- + + + + + + +", "100/100 40 30 30"),
            ("+ + - + + + + +", "60/100 0 30 30"),
            ("+ + + + - + + +", "90/100 40 20 30"),
            ("+ + + + + + + 12.5", "82.5/100 40 30 12.5"),
            ("+ - . + + + - .", "30/100 0~ 30 0~"),
            ("+ . . + + + + +", "?/100 ?~ 30 30"),
        ],
    );
    let mut least = lines;
    least[1] = "secret min 40 0";
    check(
        &least,
        &[
            ("+ + + + + + + +", "30/40 40 30 30"),
            ("+ + + 1 2 3 + +", "6/40 40 6 30"),
            ("+ - . . . . . .", "0/40 0~ ?~ ?~"),
        ],
    );
    check(
        &["secret pass-fail 100 0", "secret/a pass-fail 40 1", "secret/b pass-fail 1 1"],
        &[
            ("+ +", "100/100 40 1"),
            ("- .", "0/100 0 ?~"),
            ("+ -", "0/100 40 0"),
            ("+ .", "?/100 40 ?~"),
        ],
    );
}

#[test]
fn a_group_that_requires_a_failed_group_is_worth_nothing() {
    let lines = [
        "sample 1",
        "secret sum 100 0",
        "secret/a pass-fail 20 1 sample",
        "secret/b pass-fail 30 1 secret/a",
        "secret/c sum 50 2 secret/b sample",
    ];
    check(
        &lines,
        &[
            ("+ + + + +", "100/100 20 30 50"),
            ("+ - . . .", "0/100 0 0! 0!"),
            ("+ - + + +", "0/100 0 0! 0!"),
            ("+ + - . .", "20/100 20 0 0!"),
            ("- . . . .", "0/100 0! 0! 0!"),
            // If a group did not run, the points of groups that require it are conditional.
            (". + + + +", "100/100 20? 30? 50?"),
            ("+ . + + +", "?/100 ?~ 30? 50?"),
            ("- . + + +", "0/100 0! 0! 0!"),
            (". - + + +", "0/100 0? 0! 0!"),
        ],
    );
    check(
        &["sample 1", "secret sum 100 2 sample"],
        &[("+ + +", "100/100"), ("- + +", "0/100"), ("- . .", "0/100")],
    );
    check(
        &["sample 1", "secret sum 100 0 sample", "secret/a pass-fail 100 1"],
        &[("+ +", "100/100 100"), ("- +", "0/100 0!")],
    );
}

/// 2025-09, "Scoring test data groups": a score of `secret` or a group above its `max_score` is a judge error
#[test]
fn a_score_above_its_maximum_is_an_error() {
    check(
        &["secret sum 100 0", "secret/a sum 80 2", "secret/b sum 40 1"],
        &[
            ("50 40 40", "the score of secret/a is 90, more than its greatest score of 80"),
            ("+ + +", "the score of secret is 120, more than its greatest score of 100"),
            ("+ + -", "80/100 80 0"),
        ],
    );
}

#[test]
fn rounding_errors_neither_take_nor_add_points() {
    for cases in 1..200 {
        let line = format!("secret sum 100 {cases}");
        let results = vec!["+"; cases].join(" ");
        assert_eq!(total(&[&line], &results), "100/100", "{cases}");
    }
}

/// Which scores a validator may give to the first case after the samples.
fn scoring(lines: &[&str]) -> CaseScoring {
    let data = data(lines);
    let case = data.cases.iter().find(|case| case.name.starts_with("secret"));
    GroupScheme::from_test_data(&data).unwrap().case_scoring(case.unwrap())
}

#[test]
fn a_case_is_worth_what_its_group_says() {
    let up_to = |points| CaseScoring::UpTo(Score::new(points).unwrap());
    assert_eq!(scoring(&["secret sum 100 4"]), up_to(25.0));
    assert_eq!(scoring(&["secret min 100 4"]), up_to(100.0));
    assert_eq!(scoring(&["secret pass-fail 100 4"]), CaseScoring::Forbidden);
    assert_eq!(scoring(&["secret sum unbounded 4"]), CaseScoring::Unbounded);
    assert_eq!(scoring(&["secret sum 100 0", "secret/a sum 60 3"]), up_to(20.0));
    let data = data(&["sample 1", "secret sum unbounded 1"]);
    let scheme = GroupScheme::from_test_data(&data).unwrap();
    assert_eq!(scheme.case_scoring(&data.cases[0]), CaseScoring::Ignored);
}

fn feedback(files: &[(&str, &str)]) -> Feedback {
    let collected = FEEDBACK_FILES.map(|name| {
        let file = files.iter().find(|(file, _)| *file == name);
        file.map_or(CollectedEntry::Missing, |(_, text)| {
            CollectedEntry::File(text.as_bytes().into())
        })
    });
    Feedback::from_collected(collected.into()).unwrap()
}

/// `scoring` is `up to 25`, `unbounded`, `forbidden`, `ignored` or `graded` (10 and -1 points), with `may` or `custom`
/// if the validator may or must decide. Returns the score, `none`, or the fault.
fn validator_score(scoring: &str, verdict: Verdict, files: &[(&str, &str)]) -> String {
    let scoring = match scoring {
        "unbounded" => CaseScoring::Unbounded,
        "forbidden" => CaseScoring::Forbidden,
        "ignored" => CaseScoring::Ignored,
        "graded" | "may" | "custom" => CaseScoring::Graded {
            accept: Score::new(10.0).unwrap(),
            reject: Score::new(-1.0).unwrap(),
            custom: match scoring {
                "graded" => CustomScore::Never,
                "may" => CustomScore::Allowed,
                _ => CustomScore::Required,
            },
        },
        other => {
            let max = other.strip_prefix("up to ").unwrap().parse().unwrap();
            CaseScoring::UpTo(Score::new(max).unwrap())
        }
    };
    match score_by_validator(scoring, verdict, &feedback(files)) {
        Err(what) => what,
        Ok(None) => "none".to_owned(),
        Ok(Some(score)) => score.score.to_string(),
    }
}

/// 2025-09, "Scoring test cases": `score.txt` is the score, `score_multiplier.txt` a part of the greatest; on samples they are ignored
#[test]
fn an_output_validator_decides_the_score_of_an_accepted_case() {
    let check = |scoring: &str, files: &[(&str, &str)], expected: &str| {
        assert_eq!(
            validator_score(scoring, Verdict::Accepted, files),
            expected,
            "{scoring} {files:?}"
        );
    };
    check("up to 25", &[], "25");
    check("up to 25", &[("score.txt", "7.5\n")], "7.5");
    check("up to 25", &[("score.txt", "  25\r\n")], "25");
    check("up to 25", &[("score.txt", "+1e1")], "10");
    check("up to 25", &[("score_multiplier.txt", "0.5\n")], "12.5");
    check("up to 25", &[("score_multiplier.txt", "1.")], "25");
    check("up to 25", &[("score_multiplier.txt", "0")], "0");
    check("up to 25", &[("score_multiplier.txt", "1.0000000001")], "25");
    check("unbounded", &[("score.txt", "123456.5")], "123456.5");
    check("graded", &[], "10");
    check("graded", &[("score_multiplier.txt", "0.5")], "10");
    check("may", &[], "10");
    check("may", &[("score.txt", "3")], "3");
    check("custom", &[("score.txt", "-12.5\n"), ("score_multiplier.txt", "junk")], "-12.5");
    check("forbidden", &[], "none");
    check("ignored", &[("score.txt", "junk")], "none");
    check("ignored", &[("score.txt", "1"), ("score_multiplier.txt", "1")], "none");
}

/// 2025-09, "Scoring test cases": a score file that is missing, not allowed, invalid or beyond
/// its bound is a judge error
#[test]
fn score_files_that_are_not_allowed_are_named() {
    const AC: Verdict = Verdict::Accepted;
    const WA: Verdict = Verdict::WrongAnswer;
    let check = |scoring: &str, verdict: Verdict, files: &[(&str, &str)], expected: &str| {
        assert_eq!(
            validator_score(scoring, verdict, files),
            expected,
            "{scoring} {verdict} {files:?}"
        );
    };
    let missing =
        "it wrote no score.txt for an output that it accepts, and the group has no greatest score";
    check("unbounded", AC, &[], missing);
    check("unbounded", WA, &[], "0");
    let rejected = "it wrote score.txt for an output that it rejects";
    check("up to 25", WA, &[("score.txt", "0")], rejected);
    check("forbidden", WA, &[("score.txt", "0")], rejected);
    let rejected = "it wrote score_multiplier.txt for an output that it rejects";
    check("up to 25", WA, &[("score_multiplier.txt", "0")], rejected);
    let multiplier =
        "it wrote score_multiplier.txt for a test case in a group without a greatest score";
    check("unbounded", AC, &[("score_multiplier.txt", "1")], multiplier);
    let both = "it wrote both score.txt and score_multiplier.txt";
    check("up to 25", AC, &[("score.txt", "1"), ("score_multiplier.txt", "1")], both);
    let forbidden = "it wrote score.txt for a test case that has no points";
    check("forbidden", AC, &[("score.txt", "1")], forbidden);
    check("graded", WA, &[], "-1");
    check(
        "graded",
        AC,
        &[("score.txt", "1")],
        "it wrote score.txt, but `validation` is not `custom score`",
    );
    check("graded", WA, &[("score.txt", "1")], "it wrote score.txt for an output that it rejects");
    let missing = "it wrote no score.txt for an output that it accepts, and `validation` requires it to give the score";
    check("custom", AC, &[], missing);
    check("custom", WA, &[], "-1");
    check("custom", WA, &[("score.txt", "1")], "it wrote score.txt for an output that it rejects");
    let junk = "its score.txt is \"inf\", not a single number";
    check("custom", AC, &[("score.txt", "inf")], junk);
    let more = "its score.txt is 25.5, more than the 25 of the test case";
    check("up to 25", AC, &[("score.txt", "25.5")], more);
    let more = "its score_multiplier.txt is 1.5, more than 1";
    check("up to 25", AC, &[("score_multiplier.txt", "1.5")], more);
    for junk in ["", "-1", "1 2", "nan", "inf", "1e999", "0x10", "12abc"] {
        let expected = format!("its score.txt is \"{junk}\", not a single number of at least 0");
        check("up to 25", AC, &[("score.txt", junk)], &expected);
    }
    let hidden = "its score.txt is \"\\x1b[2J\", not a single number of at least 0";
    check("up to 25", AC, &[("score.txt", "\u{1b}[2J")], hidden);
}

/// The sections of a plan: `CASES`, then `<` and what it requires, `!` if a rejection ends it, and `|`, `_` or `*` for
/// its result. Inner sections are in parentheses.
fn sections(section: &Section) -> String {
    let requires: Vec<String> = section.requires.iter().map(ToString::to_string).collect();
    let requires =
        if requires.is_empty() { String::new() } else { format!("<{}", requires.join(",")) };
    let until = match section.ends_on {
        EndCondition::Never => "",
        EndCondition::Rejection => "!",
        EndCondition::WorthlessRejection => "~",
        EndCondition::ThirdTimeout => "t",
    };
    let parts = section.parts.iter().map(|part| match part {
        SectionPart::Cases(cases) => cases.to_string(),
        SectionPart::Section(section) => format!("({})", sections(section)),
    });
    let result_of_section = match section.result {
        SectionResult::UnlessCut | SectionResult::All => "",
        SectionResult::Any => "|",
        SectionResult::Last => "_",
        SectionResult::Acceptance => "*",
    };
    let parts: Vec<String> = parts.collect();
    format!("{}{requires}{until}{result_of_section}", parts.join(" "))
}

fn schedule_of(lines: &[&str], policy: RunPolicy) -> String {
    let data = data(lines);
    let names: Vec<&str> = data.cases.iter().map(|case| case.name.as_str()).collect();
    sections(&GroupScheme::from_test_data(&data).unwrap().schedule(&names, policy).root)
}

#[test]
fn only_cases_that_can_change_the_score_are_run() {
    let lines = [
        "sample 1",
        "secret sum 100 0",
        "secret/a pass-fail 40 2 sample",
        "secret/b sum 30 3",
        "secret/c min 30 2 secret/a",
    ];
    assert_eq!(schedule_of(&lines, RunPolicy::Counting), "(1) ((2<1!) (3) (2<3~))");
    assert_eq!(schedule_of(&lines, RunPolicy::AllAllowed), "(1) ((2<1) (3) (2<3))");
    let lines = ["sample 1", "secret min 100 0 sample", "secret/a pass-fail 40 2"];
    assert_eq!(schedule_of(&lines, RunPolicy::Counting), "(1) ((2<1!)~)");
    assert_eq!(schedule_of(&["secret sum 100 3"], RunPolicy::Counting), "(0) ((3))");
    assert_eq!(schedule_of(&["secret pass-fail 1 3"], RunPolicy::Counting), "(0) ((3!)!)");
}

#[test]
fn static_validation_takes_its_part_of_the_points() {
    let mut data = data(&["secret sum 100 0", "secret/a sum 40 3", "secret/b pass-fail 60 1"]);
    for (group, max_score) in [("secret/a", Score::new(10.0)), ("secret/b", None)] {
        data.static_cases.push(StaticCase {
            group: group.to_owned(),
            max_score,
            args: Vec::new(),
            test_case: test_case(&format!("{group}/static validation")),
        });
    }
    let scheme = GroupScheme::from_test_data(&data).unwrap();
    let up_to = |points| CaseScoring::UpTo(Score::new(points).unwrap());
    let judged = data.judged_cases();
    let scorings: Vec<CaseScoring> =
        judged.iter().map(|case| scheme.case_scoring(case.test_case())).collect();
    let forbidden = CaseScoring::Forbidden;
    let expected = [up_to(10.0), up_to(10.0), up_to(10.0), up_to(10.0), forbidden, forbidden];
    assert_eq!(scorings, expected);
    let total = |rejected: &str| {
        let total = scheme.total(|name| {
            let case = judged.iter().find(|case| case.test_case().name == name)?;
            let verdict = if name == rejected { Verdict::WrongAnswer } else { Verdict::Accepted };
            let score = score_by_rules(scheme.case_scoring(case.test_case()), verdict);
            Some(CaseResult { verdict, score: score.map(|score| score.score) })
        });
        total.unwrap().score.map(Score::points)
    };
    assert_eq!(total("none"), Some(100.0));
    assert_eq!(total("secret/a/static validation"), Some(90.0));
    assert_eq!(total("secret/b/static validation"), Some(40.0));
}

#[test]
fn static_validation_of_secret_counts_as_a_group_beside_others() {
    let check = |groups: &[&str], max_score: Option<f64>, rejected: &str, expected: f64| {
        let mut data = data(groups);
        data.static_cases.push(StaticCase {
            group: "secret".to_owned(),
            max_score: max_score.and_then(Score::new),
            args: Vec::new(),
            test_case: test_case("secret/static validation"),
        });
        let judged = data.judged_cases();
        let names: Vec<&str> = judged.iter().map(|case| case.test_case().name.as_str()).collect();
        let scheme = GroupScheme::from_test_data(&data).unwrap();
        // Each case is in exactly one section, in judging order.
        let schedule = scheme.schedule(&names, RunPolicy::AllAllowed);
        assert_eq!(schedule.cases(), names.len());
        let total = scheme.total(|name| {
            let case = judged.iter().find(|case| case.test_case().name == name)?;
            let verdict = if name == rejected { Verdict::WrongAnswer } else { Verdict::Accepted };
            let score = score_by_rules(scheme.case_scoring(case.test_case()), verdict);
            Some(CaseResult { verdict, score: score.map(|score| score.score) })
        });
        let points = total.unwrap().score.map(Score::points);
        assert_eq!(points, Some(expected), "{groups:?} {rejected}");
    };
    const STATIC: &str = "secret/static validation";
    let sum = ["secret sum 100 0", "secret/a sum 40 2", "secret/b pass-fail 50 1"];
    check(&sum, Some(10.0), "none", 100.0);
    check(&sum, Some(10.0), STATIC, 90.0);
    check(&sum, Some(10.0), "secret/a/1", 80.0);
    let min = ["secret min 30 0", "secret/a sum 30 1", "secret/b min 30 1"];
    check(&min, Some(20.0), "none", 20.0);
    check(&min, Some(20.0), STATIC, 0.0);
    let pass_fail = ["secret pass-fail 7 0", "secret/a pass-fail 7 1", "secret/b pass-fail 7 1"];
    check(&pass_fail, None, "none", 7.0);
    check(&pass_fail, None, STATIC, 0.0);
}

/// If the work were quadratic in test cases, this would take minutes.
#[test]
fn a_hundred_thousand_test_cases_are_scored() {
    for (groups, cases) in [(1, 100_000), (1_000, 100), (20_000, 5)] {
        let lines: Vec<String> =
            (0..groups).map(|group| format!("secret/{group} sum 10 {cases}")).collect();
        let secret = format!("secret sum {} 0", 10 * groups);
        let lines: Vec<&str> = [&*secret].into_iter().chain(lines.iter().map(|it| &**it)).collect();
        let data = data(&lines);
        let names: Vec<&str> = data.cases.iter().map(|case| case.name.as_str()).collect();
        let scheme = GroupScheme::from_test_data(&data).unwrap();
        let scores: HashMap<&str, CaseResult> = data
            .cases
            .iter()
            .map(|case| {
                let score = score_by_rules(scheme.case_scoring(case), Verdict::Accepted).unwrap();
                let (verdict, score) = (Verdict::Accepted, Some(score.score));
                (case.name.as_str(), CaseResult { verdict, score })
            })
            .collect();
        drop(scheme.schedule(&names, RunPolicy::Counting));
        let total = scheme.total(|name| scores.get(name).copied()).unwrap();
        assert_eq!(total.score, Score::new(10.0 * f64::from(groups)));
        assert_eq!(total.groups.len(), groups as usize);
    }
}
