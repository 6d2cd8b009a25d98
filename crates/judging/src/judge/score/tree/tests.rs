//! Tables of trees of groups.

use std::ops::ControlFlow;

use super::*;
use crate::judge::score::score_by_rules;
use crate::plan::schedule::{CaseEnd, CaseNeed};
use juror_core::grader::{GradedGroup, PossibleScores};
use juror_core::judgement::JudgeError;

fn score(text: &str) -> Option<Score> {
    text.parse().ok().and_then(Score::new)
}

/// Test data from lines `NAME CASES KEY=VALUE...`; the root is `/`, flags are joined by commas.
fn data(lines: &[&str]) -> (TestData, Graders) {
    let mut data = TestData::default();
    let mut graders = Graders::default();
    let mut known: Vec<(&str, GradingKeys)> = Vec::new();
    for line in lines {
        let mut words = line.split(' ');
        let name = words.next().unwrap().trim_start_matches('/');
        let cases: usize = words.next().unwrap().parse().unwrap();
        let mut keys = GradingKeys::default();
        for (key, value) in words.map(|word| word.split_once('=').unwrap()) {
            let flags = || value.split(',').filter(|flag| !flag.is_empty()).map(str::to_owned);
            match key {
                "on" if value == "break" => keys.on_reject = Some(OnReject::Break),
                "on" => keys.on_reject = Some(OnReject::Continue),
                "flags" => keys.grader_flags = Some(flags().collect()),
                "custom" => {
                    keys.is_custom = Some(true);
                    keys.grader_flags = Some(flags().collect());
                }
                "accept" => keys.accept_score = score(value),
                "reject" => keys.reject_score = score(value),
                "range" => {
                    let (from, to) = value.split_once(',').unwrap();
                    keys.range = Some(PossibleScores { from: score(from), to: score(to) });
                }
                _ => panic!("{line}"),
            }
        }
        let above = known.iter().filter(|(above, _)| above.is_empty() || is_inside(name, above));
        if let Some((_, above)) = above.max_by_key(|(above, _)| above.len()) {
            keys = keys.with_missing_from(above);
        }
        graders.groups.push(GradedGroup { name: name.to_owned(), grading: keys.with_defaults() });
        known.push((name, keys));
        for number in 1..=cases {
            let name = format!("{name}/{number}");
            data.cases.push(TestCase { name, ..TestCase::default() });
        }
    }
    (data, graders)
}

fn verdict(short: &str) -> Verdict {
    Verdict::ALL.into_iter().find(|verdict| verdict.short() == short).unwrap()
}

/// `.` is a case that was not selected.
fn total<'a>(
    (data, graders): &'a (TestData, Graders),
    verdicts: &str,
    custom: CustomGrader<'_>,
) -> Result<SubmissionTotal<'a>, Stop> {
    let verdicts: Vec<&str> = verdicts.split(' ').collect();
    assert_eq!(verdicts.len(), data.cases.len());
    let tree = GroupTree::new(data, graders, true);
    let result = |name: &str| {
        let index = data.cases.iter().position(|case| case.name == name)?;
        let verdict = Some(verdicts[index]).filter(|word| *word != ".").map(verdict)?;
        let score = score_by_rules(tree.case_scoring(&data.cases[index]), verdict);
        Some(CaseResult { verdict, score: score.map(|score| score.score) })
    };
    tree.total(&result, custom)
}

fn no_grader(_: &[String], _: &[CaseResult]) -> Result<CaseResult, Stop> {
    Err(JudgeError::new("run the grader", "there is none").into())
}

/// `CASES VERDICT SCORE GROUP=SCORE...`: the cases that count, and scores, which may be `?`.
fn shown(total: Result<SubmissionTotal<'_>, Stop>) -> String {
    let total = match total {
        Ok(total) => total,
        Err(Stop::Fault(error)) => return error.reason,
        Err(_) => panic!("interrupted"),
    };
    let shown = |score: Option<Score>| score.map_or("?".to_owned(), |score| score.to_string());
    let counted = total.counted.unwrap().len();
    let score = total.score.unwrap();
    let groups: Vec<String> = score
        .groups
        .iter()
        .map(|group| {
            let mark = if group.standing == Standing::Complete { "" } else { "~" };
            format!("{}={}{mark}", group.name, shown(group.score))
        })
        .collect();
    let impossible: String = total.impossible.iter().map(|what| format!("; {what}")).collect();
    let (verdict, score) = (total.verdict.unwrap(), shown(score.score));
    format!("{counted} {verdict} {score} {}{impossible}", groups.join(" "))
}

fn check(lines: &[&str], table: &[(&str, &str)]) {
    let data = data(lines);
    for (verdicts, expected) in table {
        let shown = shown(total(&data, verdicts, &no_grader));
        assert_eq!(shown, *expected, "{lines:?} with {verdicts}");
    }
}

#[test]
fn a_tree_gives_the_same_result_as_problemtools() {
    let mut groups: Vec<&str> = Vec::new();
    let mut is_new = true;
    let mut compared = 0;
    for line in include_str!("../tree.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(group) = line.strip_prefix("> ") {
            if std::mem::replace(&mut is_new, false) {
                groups.clear();
            }
            groups.push(group);
            continue;
        }
        is_new = true;
        let (verdicts, expected) = line.split_once(" | ").unwrap();
        let data = data(&groups);
        let shown = shown(total(&data, verdicts, &no_grader)).replace('~', "");
        assert_eq!(shown, expected, "{groups:?} with {verdicts}");
        check_counted_cases_are_run(&data, verdicts);
        compared += 1;
    }
    assert_eq!(compared, 25);
}

/// If all ends are known, exactly the cases that count must run.
fn check_counted_cases_are_run(data: &(TestData, Graders), verdicts: &str) {
    let names: Vec<&str> = data.0.cases.iter().map(|case| case.name.as_str()).collect();
    let schedule = GroupTree::new(&data.0, &data.1, true).schedule(&names);
    let ends = verdicts.split(' ').map(|verdict| match verdict {
        "AC" => Some(CaseEnd::Accepted),
        _ => Some(CaseEnd::Rejected),
    });
    let mut run = Vec::new();
    schedule.walk(&ends.collect::<Vec<_>>(), |case, need| {
        run.extend((need == CaseNeed::Yes).then(|| names[case]));
        ControlFlow::Continue(())
    });
    assert_eq!(Some(run), total(data, verdicts, &no_grader).unwrap().counted, "{verdicts}");
}

#[test]
fn cases_that_were_not_selected_leave_the_score_open() {
    let lines = ["/ 0", "sample 1", "secret 0", "secret/a 2 range=0,2", "secret/b 1"];
    check(
        &lines,
        &[
            ("AC AC AC AC", "4 AC 4 sample=1 secret=3 secret/a=2 secret/b=1"),
            (". AC . AC", "2 AC ? secret=?~ secret/a=?~ secret/b=1"),
            (". . . AC", "1 AC ? secret=?~ secret/b=1"),
            (". WA . .", "1 WA ? secret=0~ secret/a=0~"),
        ],
    );
}

#[test]
fn a_score_outside_of_its_range_is_reported_and_kept() {
    check(
        &["/ 0 range=0,2", "sample 0", "secret 0 on=continue", "secret/a 2 reject=-3 range=0,inf"],
        &[
            ("AC AC", "2 AC 2 secret=2 secret/a=2"),
            (
                "WA AC",
                "2 WA 0 secret=-2 secret/a=-2; the score of secret/a is -2, outside of its range 0 to +inf; \
                 the score of secret is -2, outside of its range 0 to 2; \
                 the score of the submission is -2, outside of its range 0 to 2",
            ),
        ],
    );
}

#[test]
fn contradicting_flags_are_an_error() {
    let below = ["/ 0 flags=ignore_sample on=continue", "sample 1 flags=", "secret 3"];
    let what = "secret: `ignore_sample` is for a group with at most two results; this one has 3";
    check(&below, &[("AC AC AC AC", what)]);
}

#[test]
fn the_best_score_depends_on_the_objective() {
    let check =
        |objective: Objective, range: &str, verdicts: &str, expected: (Option<f64>, bool)| {
            let line = format!("/ 0 {range} on=continue accept=2 reject=5 flags=always_accept");
            let (data, graders) = data(&[&line, "secret 2"]);
            let data = (data, Graders { objective, ..graders });
            let total = total(&data, verdicts, &no_grader).unwrap().score.unwrap();
            let max = total.max_score.map(Score::points);
            assert_eq!((max, total.is_best), expected, "{range} {verdicts}");
        };
    check(Objective::Max, "range=0,10", "AC AC", (Some(10.0), false));
    check(Objective::Max, "range=0,10", "WA WA", (Some(10.0), true));
    check(Objective::Min, "range=4,10", "AC AC", (None, true));
    check(Objective::Min, "range=4,10", "WA AC", (None, false));
    check(Objective::Max, "range=-inf,inf", "WA WA", (None, false));
}

#[test]
fn in_the_dialect_of_domjudge_a_group_of_cases_is_worth_its_points_once() {
    let lines = [
        "/ 0",
        "sample 1 accept=0",
        "secret 0 accept=10 on=continue flags=always_accept",
        "secret/a 2 flags=",
        "secret/b 1 flags= reject=-1",
    ];
    let check = |dialect: Dialect, verdicts: &str, expected: &str| {
        let (data, graders) = data(&lines);
        let data = (data, Graders { dialect, ..graders });
        assert_eq!(shown(total(&data, verdicts, &no_grader)), expected);
    };
    let all = "AC AC AC AC";
    check(Dialect::Kattis, all, "4 AC 30 sample=0 secret=30 secret/a=20 secret/b=10");
    check(Dialect::DomJudge, all, "4 AC 20 sample=0 secret=20 secret/a=10 secret/b=10");
    let some = "AC AC WA WA";
    check(Dialect::Kattis, some, "4 AC 9 sample=0 secret=9 secret/a=10 secret/b=-1");
    check(Dialect::DomJudge, some, "4 AC -1 sample=0 secret=-1 secret/a=0 secret/b=-1");
}

#[test]
fn the_packages_own_grader_decides_the_result_of_a_group() {
    let lines =
        ["/ 0", "sample 0", "secret 0 on=break", "secret/a 2 custom=x,y", "secret/b 1 flags="];
    let data = data(&lines);
    let check = |results: &str, grader_output: &str, expected: &str| {
        let custom = |flags: &[String], results: &[CaseResult]| {
            assert_eq!(flags, ["x", "y"]);
            assert_eq!(results.len(), 2);
            let (short, points) = grader_output.split_once(' ').unwrap();
            Ok(CaseResult { verdict: verdict(short), score: score(points) })
        };
        assert_eq!(shown(total(&data, results, &custom)), expected);
    };
    let lines = data.1.groups.iter().map(|group| &group.grading.on_reject);
    assert!(lines.skip(2).all(|on_reject| *on_reject == OnReject::Break));
    check("AC AC AC", "AC 7", "3 AC 8 secret=8 secret/a=7 secret/b=1");
    check("AC AC AC", "WA 3", "2 WA 0 secret=3~ secret/a=3");
    check("AC WA AC", "AC 5", "3 AC 6 secret=6 secret/a=5 secret/b=1");
}
