//! Packages in the legacy format, from their files to verdicts and scores.

use crate::fixture::{Fixture, RIGHT, WRONG};

const ACCEPT_ALL: &str = "#!/bin/sh\nexit 42\n";

/// The package `old`: the sum of two numbers, with nested groups. Each case is `NAME A B`.
pub(crate) fn legacy_package(yaml: &str, groups: &[(&str, &str)], cases: &[&str]) -> Fixture {
    let fixture = Fixture::new();
    let yaml = format!("name: Sum\nlicense: cc0\nrights_owner: Nobody\n{yaml}");
    fixture.write("old/problem.yaml", yaml);
    fixture.write("old/problem_statement/problem.tex", "\\problemname{Sum}\nAdd.\n");
    fixture.write("old/input_validators/validate/run", ACCEPT_ALL);
    fixture.make_executable("old/input_validators/validate/run");
    for (group, keys) in groups {
        fixture.write(&format!("old/data/{group}/testdata.yaml"), keys);
    }
    for case in cases {
        let words: Vec<&str> = case.split(' ').collect();
        let [name, a, b] = words[..] else { panic!("{case}") };
        let sum = a.parse::<u32>().unwrap() + b.parse::<u32>().unwrap();
        fixture.write(&format!("old/data/{name}.in"), format!("{a} {b}\n"));
        fixture.write(&format!("old/data/{name}.ans"), format!("{sum}\n"));
    }
    write_submission(&fixture, "accepted/right.sh", RIGHT);
    fixture
}

fn write_submission(fixture: &Fixture, name: &str, text: &str) {
    fixture.write(&format!("old/submissions/{name}"), text);
}

pub(crate) fn write_program(fixture: &Fixture, name: &str, text: &str) {
    fixture.write(&format!("old/{name}/run"), text);
    fixture.make_executable(&format!("old/{name}/run"));
}

pub(crate) const CASES: [&str; 4] =
    ["sample/1 1 2", "secret/a/1 0 3", "secret/a/2 5 8", "secret/b/1 9 1"];

/// Two groups of 30 and 70 points, as in olympiads. A submission is accepted if it passes one of them.
pub(crate) const GROUPS: [(&str, &str); 4] = [
    ("", "on_reject: continue\ngrader_flags: ignore_sample\nrange: 0 100\n"),
    ("secret", "grader_flags: accept_if_any_accepted\n"),
    ("secret/a", "on_reject: break\ngrader_flags: min\naccept_score: 30\nrange: 0 30\n"),
    ("secret/b", "on_reject: break\ngrader_flags: min\naccept_score: 70\nrange: 0 70\n"),
];

#[test]
fn groups_are_scored_and_partial_solutions_are_accepted() {
    let fixture = legacy_package("type: scoring\n", &GROUPS, &CASES);
    fixture.write("old/data/sample/testdata.yaml", "grader_flags: ''\n");
    write_submission(
        &fixture,
        "partially_accepted/three.sh",
        "read -r a b; echo $((a * b == 9 ? 10 : 3))\n",
    );
    write_submission(&fixture, "wrong_answer/none.sh", "echo 1\n");
    fixture.check("verify old", 0, &["3 submissions, all as expected"]);
    let three = "judge old old/submissions/partially_accepted/three.sh";
    fixture.check(three, 0, &["AC", "70 of 100", "secret/a 0 of 30", "secret/b 70 of 70"]);
    write_submission(&fixture, "accepted/some.sh", "read -r a b; echo $((a * b == 9 ? 10 : 4))\n");
    let remarks = [
        "is accepted as a whole, but WA on sample/1",
        "is accepted, but has 70 of 100 points",
        "4 submissions, all as expected",
    ];
    fixture.check("verify old", 0, &remarks);
    write_submission(&fixture, "partially_accepted/all.sh", RIGHT);
    let best = "expected less than the best score; got 100";
    fixture.check("verify old", 1, &["partially_accepted/all.sh", best]);
}

#[test]
fn a_score_outside_of_its_range_is_a_fault_of_the_package() {
    let groups = [("", "range: 0 3\n"), ("secret/a", "accept_score: 2\n")];
    let fixture = legacy_package("type: scoring\n", &groups, &CASES);
    let score =
        "the score of the submission is 6, outside of its range 0 to 3, for accepted/right.sh";
    fixture.check("verify old", 3, &[score]);
}

#[test]
fn keys_of_the_problem_override_keys_of_groups() {
    let yaml = "type: scoring\ngrading:\n  accept_score: 5\n  on_reject: grade\n";
    let fixture =
        legacy_package(yaml, &[("secret/a", "accept_score: 1\non_reject: break\n")], &CASES);
    let judge = "judge old old/submissions/accepted/right.sh";
    fixture.check(judge, 0, &["score 20"]);
    fixture.write("wrong.sh", WRONG);
    fixture.check(
        "judge old wrong.sh",
        1,
        &["WA", "2 of 4 test cases accepted; also WA secret/b/1"],
    );
}

#[test]
fn differences_between_judges_get_a_warning() {
    let groups = [("secret", "accept_score: 10\n"), ("sample", "accept_score: 0\n")];
    let fixture = legacy_package("type: scoring\n", &groups, &CASES);
    let note = "all points together are 30 for Kattis, which gives `accept_score` for each test case, and 20 \
                for DOMjudge";
    fixture.check("verify old", 0, &[note]);
    let judge = "judge old old/submissions/accepted/right.sh";
    fixture.check(judge, 0, &["score 30"]);
    fixture.check(&format!("{judge} --dialect kattis"), 0, &["score 30"]);
    fixture.check(&format!("{judge} --dialect domjudge"), 0, &["score 20", "secret/a 10"]);
    fixture.check("judge old --dialect icpc", 2, &["possible values: kattis, domjudge"]);
}

#[test]
fn the_packages_own_grader_is_run() {
    let groups = [
        ("", "on_reject: continue\n"),
        ("secret", "grading: custom\ngrader_flags: twice more\n"),
        ("secret/a", "grading: default\ngrader_flags: ''\naccept_score: 4\n"),
        ("secret/b", "grading: default\ngrader_flags: ''\n"),
    ];
    let fixture = legacy_package("type: scoring\n", &groups, &CASES);
    let check = |grader: &str, code: i32, messages: &[&str]| {
        write_program(&fixture, "graders/grade", &format!("#!/usr/bin/env bash\n{grader}"));
        fixture.check("judge old old/submissions/accepted/right.sh", code, messages);
    };
    check(
        "mapfile -t lines; [[ ${lines[*]} == 'AC 8 AC 1' && $* == 'twice more' ]] && echo AC 40\n",
        0,
        &["score 41", "secret 40", "secret/a 8"],
    );
    check("cat > /dev/null; echo WA 40\n", 1, &["WA", "score 0"]);
    check("cat > /dev/null; echo fine\n", 4, &["it wrote \"fine\", not one verdict and one score"]);
    check("cat > /dev/null; echo AC 1; exit 3\n", 4, &["it ended with exit code 3; it must be 0"]);
    check(
        "echo lost >&2; kill -9 $$\n",
        4,
        &["run the grader `grade`", "killed by SIGKILL", "lost"],
    );
}

/// Records its arguments, and accepts outputs with an even, or an odd, number of lines.
fn parity_validator(name: &str, condition: &str) -> String {
    format!(
        "#!/usr/bin/env bash\noutput=$(cat)\necho \"{name}: ${{*:4}}\" > \"${{3}}judgemessage.txt\"\n\
         {condition} && exit 42\nexit 43\n"
    )
}

#[test]
fn all_output_validators_must_accept() {
    let yaml = "validation: custom\nvalidator_flags: one  two\n";
    let groups = [("secret", "output_validator_flags: three\n")];
    let fixture = legacy_package(yaml, &groups, &["secret/1 1 2", "secret/2 3 4"]);
    write_program(&fixture, "output_validators/a", &parity_validator("a", "(( output > 0 ))"));
    write_program(&fixture, "output_validators/b", &parity_validator("b", "(( output < 100 ))"));
    fixture.check("verify old", 0, &["1 submission, all as expected"]);
    fixture.write("least.sh", "echo -1\n");
    fixture.check(
        "judge old least.sh",
        1,
        &["WA", "the output validator rejects it: a: one two three"],
    );
    fixture.write("most.sh", "echo 1000\n");
    fixture.check(
        "judge old most.sh",
        1,
        &["WA", "the output validator rejects it: b: one two three"],
    );
}

#[test]
fn an_output_validator_with_scores_must_give_one() {
    let yaml = "type: scoring\nvalidation: custom score\n";
    let fixture = legacy_package(yaml, &[], &["secret/1 1 2", "secret/2 3 4"]);
    let judge = "judge old old/submissions/accepted/right.sh";
    let gives = |what: &str| format!("#!/usr/bin/env bash\ncat > /dev/null\n{what}\nexit 42\n");
    write_program(&fixture, "output_validators/v", &gives("echo 2.5 > \"${3}score.txt\""));
    fixture.check(judge, 0, &["AC", "score 5"]);
    write_program(&fixture, "output_validators/v", &gives(":"));
    fixture.check(
        judge,
        4,
        &["it wrote no score.txt", "`validation` requires it to give the score"],
    );
}

#[test]
fn graders_decide_the_total_verdict() {
    let fixture = legacy_package("", &[("", "on_reject: continue\n")], &CASES);
    let both = "read -r a b; [[ $a == 5 ]] && exit 1; echo 3\n";
    write_submission(&fixture, "run_time_error/both.sh", both);
    fixture.check("verify old", 0, &["2 submissions, all as expected"]);
    write_submission(&fixture, "wrong_answer/both.sh", both);
    fixture.check("verify old", 1, &["wrong_answer/both.sh", "expected WA; got RTE on secret/a/2"]);
    fixture.write("old/data/testdata.yaml", "on_reject: continue\ngrader_flags: first_error\n");
    fixture.write("both.sh", both);
    fixture.check("judge old both.sh", 1, &["RTE"]);
}

#[test]
fn only_accepted_submissions_set_the_time_limit() {
    let fixture = legacy_package("limits:\n  time_multiplier: 2\n", &[], &["secret/1 1 2"]);
    let slow = "read -r a b; end=$((SECONDS + 2)); while ((SECONDS < end)); do :; done; echo 1\n";
    write_submission(&fixture, "wrong_answer/slow.sh", slow);
    let document = fixture.json("judge old old/submissions/accepted/right.sh", 0);
    let limits = &document["packages"][0]["limits"];
    let origin = limits["cpu_origin"].as_str().unwrap_or_default();
    assert!(origin.contains("accepted/right.sh"), "{document}");
}

/// The grader of the first submission waits for the second run of the second submission, whose first run waits for
/// the grader.
#[test]
fn submissions_run_while_a_grader_runs() {
    let groups = [("", "on_reject: continue\n"), ("secret", "grading: custom\n")];
    let fixture = legacy_package("type: scoring\n", &groups, &["secret/1 1 2", "secret/2 3 4"]);
    let place = fixture.temporary_directory().display().to_string();
    let until = |name: &str| format!("until [ -e {place}/{name} ]; do :; done");
    let grader = format!(
        "#!/usr/bin/env bash\ncat > /dev/null\n: > {place}/grades\n{}\necho AC 1\n",
        until("runs")
    );
    write_program(&fixture, "graders/grade", &grader);
    let answer = "read -r a b; echo $((a + b))";
    fixture.write("first.sh", format!("{answer}\n"));
    let second = format!(
        "read -r a b\nif [ $a = 1 ]; then {}; else : > {place}/runs; fi\necho $((a + b))\n",
        until("grades")
    );
    fixture.write("second.sh", second);
    let judge = "judge old first.sh second.sh --isolation=plain --jobs 2 --time-limit 60";
    fixture.check(judge, 0, &["AC  first.sh", "AC  second.sh"]);
}
