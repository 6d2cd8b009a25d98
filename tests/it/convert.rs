//! Packages converted between all formats: the listed losses, and that everything else survives.

use std::collections::BTreeMap;
use std::fs;

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::{interactive, legacy, polygon};

/// Converts `from` to `new` and checks the listed losses.
///
/// The command itself compares everything else with the problem that it reads from the new package.
fn check_losses(fixture: &Fixture, from: &str, to: &str, expected: &[&str]) {
    let before = polygon::files_with_times(&fixture.path(from));
    remove_old(fixture, "new");
    let document = fixture.json(&format!("convert {from} --to {to} new"), 0);
    let losses = document["losses"].as_array().expect("a list");
    let losses: Vec<String> = losses
        .iter()
        .map(|loss| {
            let text = |key: &str| loss[key].as_str().unwrap_or("left out").to_owned();
            let text = |key: &str| {
                if text("what").starts_with("uuid") && key == "became" {
                    "UUID".to_owned()
                } else {
                    text(key)
                }
            };
            let more = loss["more"].as_u64().filter(|more| *more > 0);
            let more = more.map_or(String::new(), |more| format!(" +{more}"));
            format!("{}{more} | {} | {}", text("place"), text("what"), text("became"))
        })
        .collect();
    let expected: Vec<&str> = expected.to_vec();
    assert_eq!(losses, expected, "{from} to {to}:\n{}\n", losses.join("\n"));
    assert_eq!(
        polygon::files_with_times(&fixture.path(from)),
        before,
        "the old package is as it was"
    );
}

pub(crate) fn remove_old(fixture: &Fixture, name: &str) {
    let path = fixture.path(name);
    if path.is_dir() {
        fs::remove_dir_all(path).expect("an old result to remove");
    } else if path.exists() {
        fs::remove_file(path).expect("an old result to remove");
    }
}

/// Converts there and back; then the new package must verify without a broken expectation.
fn check_there_and_back(
    fixture: &Fixture,
    from: &str,
    tos: [&str; 2],
    there: &[&str],
    back: &[&str],
) {
    check_losses(fixture, from, tos[0], there);
    let result = fixture.path("kept");
    fs::rename(fixture.path("new"), &result).expect("the result is kept");
    fixture.check("verify kept", 0, &["all as expected"]);
    check_losses(fixture, "kept", tos[1], back);
    fixture.check("verify new", 0, &["all as expected"]);
    fs::remove_dir_all(result).expect("the result to remove");
}

/// DOMjudge shows one file, which needs no other one.
#[test]
fn an_archive_for_domjudge_has_a_statement_that_it_shows() {
    let check = |files: &[(&str, &str)], expected: &str, text: &str, messages: &[&str]| {
        let fixture = Fixture::new();
        files.iter().for_each(|(name, text)| fixture.write(&format!("sum/{name}"), text));
        let has = |code: &&str| files.iter().any(|(name, _)| name.contains(&format!(".{code}.")));
        let names: Vec<String> = ["de", "fr"]
            .iter()
            .filter(|code| has(code))
            .map(|code| format!(", {code}: S"))
            .collect();
        let names = format!("name: {{en: Sum{}}}", names.concat());
        let yaml = fixture.read("sum/problem.yaml").replace("name: Sum", &names);
        fixture.write("sum/problem.yaml", yaml);
        fixture.check("convert sum --to domjudge-zip new.zip", 0, messages);
        let archive = fs::File::open(fixture.path("new.zip")).expect("an archive");
        let mut archive = zip::ZipArchive::new(archive).expect("an archive");
        let shown = |name: &String| name.starts_with("problem.") && *name != "problem.yaml";
        let names = archive.file_names().map(|name| name.expect("a name").into_owned());
        let names: Vec<String> = names.filter(shown).collect();
        assert_eq!(names, [expected]);
        let page = std::io::read_to_string(archive.by_name(expected).expect("a file"));
        let page = page.expect("a text");
        assert!(page.contains(text), "{page}");
        assert!(!page.contains("src=\"http") && !page.contains("<link"), "{page}");
        fixture.check("convert new.zip --to 2025-09 back", 0, &[]);
        let is_own = files.iter().any(|(name, _)| *name == "problem.html");
        assert_eq!(fixture.path("back/problem.html").exists(), is_own, "juror's page is left out");
        assert!(fixture.path("back/statement/problem.en.md").exists());
    };
    check(&[], "problem.html", "Add two numbers.", &[]);
    let german = ("statement/problem.de.md", "Addiere.\n");
    check(&[german], "problem.html", "Add two numbers.", &[]);
    check(&[("statement/problem.fr.pdf", "%PDF-1")], "problem.pdf", "%PDF-1", &[]);
    check(&[("problem.html", "<p>Mine.</p>")], "problem.html", "Mine.", &[]);
    let image = ("statement/problem.en.md", "Add. ![a](none.png)\n");
    check(&[image], "problem.html", "Add.", &["warning", "none.png"]);
}

#[test]
fn strict_conversions_read_all_statements() {
    let fixture = Fixture::new();
    fixture.write("sum/statement/problem.en.md", "Add. ![a](none.png)\n");
    for (to, out) in [("legacy", "there"), ("2025-09", "there"), ("domjudge-zip", "there.zip")] {
        let line = format!("convert sum --to {to} {out}");
        let text = fixture.text_with_cache(&format!("{line} --strict"), 3);
        assert!(
            text.contains("error: ") && text.matches("the image `none.png`").count() == 1,
            "{text}"
        );
        assert!(!fixture.path(out).exists());
    }
    for line in ["verify sum --strict", "statement sum --strict"] {
        fixture.check(line, 3, &["error", "none.png"]);
    }
}

const ICPC: &str = "limits: {memory: 512, output: 4, time_multiplier: 3, validation_time: 20}\n";

/// Converts a verified package to each other format and back; each package must verify with the same verdicts. Where
/// there are points, these count, since legacy accepts a submission with some.
pub(crate) fn check_round_trips(fixture: &Fixture, package: &str) {
    let results = |package: &str| -> BTreeMap<String, String> {
        let line = format!("verify {package} --cache cache");
        let report = fixture.json(&line, 0);
        let faults = ["errors", "warnings", "broken_expectations", "judge_errors"];
        // Only times may cause warnings on a busy machine.
        let remarks = report["diagnostics"].as_array().expect("a list").iter();
        let remarks: Vec<String> = remarks.map(|remark| remark["message"].to_string()).collect();
        let is_doubt = |remark: &String| remark.contains("may get another verdict in another run");
        let is_clean = remarks.iter().all(is_doubt) || report["summary"]["warnings"] == 0;
        let counts = faults.map(|key| report["summary"][key].to_string());
        assert!(is_clean && counts[0] == "0" && counts[2..] == ["0", "0"], "{report:#}");
        let submissions = report["submissions"].as_array().expect("a list").iter();
        submissions
            .map(|submission| {
                let name = submission["name"].as_str().expect("a name");
                let judgement = &submission["judgement"];
                let points = &judgement["score"]["points"];
                let result = if points.is_null() { &judgement["verdict"] } else { points };
                (name.rsplit('/').next().unwrap_or(name).to_owned(), result.to_string())
            })
            .collect()
    };
    let expected = results(package);
    assert_eq!(expected.len(), 3, "{package}");
    for format in ["legacy", "domjudge-zip"] {
        ["there", "back"].iter().for_each(|name| remove_old(fixture, name));
        fixture.check(&format!("convert {package} --to {format} there"), 0, &[]);
        assert_eq!(results("there"), expected, "{package} in {format}");
        fixture.check("convert there --to 2025-09 back", 0, &[]);
        assert_eq!(results("back"), expected, "{package} back from {format}");
    }
}

const WA_THERE: &str =
    "submissions/wrong_answer/wrong.sh | expected: as a whole WA | on some test case WA";
const WA_BACK: &str = "submissions/wrong_answer/wrong.sh | \
    expected: on each test case AC WA, on some test case WA | as a whole WA";

#[test]
fn a_2025_09_package_converts_to_legacy_and_back() {
    let fixture = Fixture::new();
    let yaml = fixture.read("sum/problem.yaml");
    fixture.write("sum/problem.yaml", format!("{yaml}allow_file_writing: true\n"));
    let there = ["data/invalid_input/one | invalid input | left out", WA_BACK];
    check_there_and_back(&fixture, "sum", ["legacy", "2025-09"], &there, &[WA_THERE]);
    check_losses(&fixture, "sum", "2025-09", &[]);
    check_losses(&fixture, "sum", "domjudge-zip", &there);
    fixture.check("verify new", 0, &["all as expected; no errors, no warnings"]);
    fixture.check("judge new accepted/right.sh", 0, &["1 s (domjudge-problem.ini)", "accepted"]);
}

#[test]
fn losses_in_legacy_are_listed() {
    let fixture = Fixture::new();
    fixture.write(
        "sum/problem.yaml",
        "problem_format_version: 2025-09\nname: {en: Sum, de: Summe}\n\
         uuid: 9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10\nlicense: cc by\n\
         credits: {authors: [{name: Ada, email: a@example.org, orcid: 0000-0001-2345-6789}, Bob], testers: Eve}\n\
         source: [{name: A, url: https://example.org}, B]\nversion: '1'\nkeywords: [a b, c]\n\
         languages: [bash]\nconstants: {most: 5}\nlimits: {memory: 256, time_resolution: 0.5}\n",
    );
    fixture.write("sum/statement/problem.de.md", "Bis {{most}}.\n");
    fixture.write("sum/include/default/note.sh", "# {{most}}\n");
    fixture.write("sum/data/sample/1.in.statement", "one two\n");
    fixture
        .write("sum/data/secret/small/1.yaml", "args: [a b]\nhint: Carry.\nfull_feedback: true\n");
    fixture.write("sum/data/secret/test_group.yaml", "input_validator_args: [x, y z]\n");
    fixture.write("sum/data/secret/small/2.files/more.txt", "more\n");
    fixture.write("sum/input_visualizer/draw.py", "print()\n");
    fixture.write(
        "sum/generators/generators.yaml",
        "solution: /submissions/accepted/right.sh\ndata: {}\n",
    );
    fixture.write("sum/submissions/rejected/other.sh", WRONG);
    fixture.write(
        "sum/submissions/submissions.yaml",
        "accepted: {use_for_time_limit: lower}\nrejected/*: {secret/large: {required: [WA]}}\n",
    );
    check_losses(
        &fixture,
        "sum",
        "legacy",
        &[
            "data/invalid_input/one | invalid input | left out",
            "data/sample/1.in.statement | a text that contestants see instead of the test case's | left out",
            "data/secret/large/1 +2 | input_validator_args: x \"y z\" | x y z",
            "data/secret/small/1 | args: \"a b\" | left out",
            "data/secret/small/1 | key `full_feedback` | left out",
            "data/secret/small/2.files/more.txt | file | left out",
            "generators/generators.yaml | recipe | the same: names and settings in it are those of 2025-09",
            "include/default | files for every language | the same; only juror knows it in this format",
            "input_visualizer/draw.py | input visualizer | left out",
            "problem.yaml | all but the first `source` | left out",
            "problem.yaml | allow_file_writing: false | true",
            "problem.yaml | constants: most; most.value | their values in the files",
            "problem.yaml | credits.authors.orcid | left out",
            "problem.yaml | credits.testers | left out",
            "problem.yaml | key `version` | left out",
            "problem.yaml | keywords with blanks | several words",
            "problem.yaml | languages | the same for juror; others do not know the key",
            "problem.yaml | limits.time_resolution: 0.5 | 1",
            "submissions/accepted/right.sh | expected: on each test case AC, use_for_time_limit lower | on each test case AC",
            "submissions/rejected/other.sh | expected: on some test case WA TLE RTE | left out",
            "submissions/rejected/other.sh | rules about single test cases | left out",
            WA_BACK,
        ],
    );
    assert_eq!(fixture.read("new/problem_statement/problem.de.md"), "Bis 5.\n");
    assert_eq!(fixture.read("new/data/secret/small/1.hint"), "Carry.\n");
    let yaml = fixture.read("new/problem.yaml");
    for line in
        ["author: Ada <a@example.org>, Bob\n", "source: A\n", "source_url: https://example.org\n"]
    {
        assert!(yaml.contains(line), "{line}: {yaml}");
    }
}

#[test]
fn a_legacy_package_converts_to_2025_09() {
    let yaml = format!(
        "author: Ada <a@example.org>, Bob and Eve\nkeywords: dp, graphs\nsource: A\nsource_url: https://example.org\n{ICPC}libraries: x\n"
    );
    let fixture = legacy::legacy_package(
        &yaml,
        &[("secret/b", "input_validator_flags: b c\n")],
        &legacy::CASES,
    );
    fixture.write("old/data/secret/a/1.hint", "Look.\n");
    fixture.write("old/data/secret/a/lost.in", "1\n");
    fixture.write("old/submissions/accepted/right one.sh", RIGHT);
    fixture.write("old/submissions/wrong_answer/wrong.sh", WRONG);
    fixture.write(
        "old/submissions/mixed/both.sh",
        format!("# @EXPECTED_RESULTS@: CORRECT, WRONG-ANSWER\n{WRONG}"),
    );
    fixture.write(
        "old/submissions/mixed/wrong2.sh",
        format!("# @EXPECTED_RESULTS@: WRONG-ANSWER\n{WRONG}"),
    );
    fixture.write("old/submissions/mixed/none.c", "// @EXPECTED_RESULTS@: COMPILER-ERROR\nx\n");
    let there = [
        "data/secret/a/lost.in | a file that belongs to no test case | left out",
        "problem.yaml | key `libraries` | left out",
        "problem.yaml | uuid: nothing | UUID",
        "submissions/accepted/right one.sh | a name that the format does not allow | submissions/accepted/right_one.sh",
        "submissions/mixed/both.sh | expected: as a whole AC WA, use_for_time_limit never | left out",
        "submissions/mixed/none.c | expected: as a whole CE, use_for_time_limit never | left out",
        "submissions/mixed/wrong2.sh | expected: as a whole WA, use_for_time_limit never | on some test case WA, use_for_time_limit never",
        WA_THERE,
    ];
    check_losses(&fixture, "old", "2025-09", &there);
    fixture.check("verify new", 0, &["all as expected"]);
    let yaml = fixture.read("new/problem.yaml");
    for keys in [
        "credits:\n  authors:\n  - Ada <a@example.org>\n  - Bob\n  - Eve\n",
        "keywords:\n- dp\n- graphs\n",
    ] {
        assert!(yaml.contains(keys), "{yaml}");
    }
    assert_eq!(fixture.read("new/data/secret/a/1.yaml"), "hint: Look.\n");
    assert_eq!(
        fixture.read("new/data/secret/b/test_group.yaml"),
        "input_validator_args:\n- b\n- c\n"
    );
    check_losses(&fixture, "old", "legacy", &[]);
}

#[test]
fn scores_survive_if_both_formats_have_them() {
    let scoring = |keys: [&str; 3]| {
        let fixture = Fixture::new();
        let yaml = fixture.read("sum/problem.yaml").replace("  time_limit: 1\n", "");
        fixture
            .write("sum/problem.yaml", format!("{yaml}type: scoring\nallow_file_writing: true\n"));
        for (group, keys) in ["", "/large", "/small"].into_iter().zip(keys) {
            fixture.write(&format!("sum/data/secret{group}/test_group.yaml"), keys);
        }
        fs::remove_dir_all(fixture.path("sum/data/invalid_input")).expect("invalid inputs");
        fixture
    };
    let all = "max_score: 40\nscore_aggregation: pass-fail\n";
    let each = "max_score: 60\nscore_aggregation: sum\n";
    let mixed = "data | a submission, if the first test case is wrong and the last one crashes:";
    let sample = "data/sample +6 | a submission, if only this is wrong:";
    let alone = "data/secret +5 | a submission, if only this is right:";
    let right = "submissions/accepted/right.sh | expected: on each test case AC | as a whole AC";
    let to_ac =
        [mixed, sample, alone].map(|what| format!("{what} is rejected (WA) | is accepted (AC)"));
    let to_wa =
        [mixed, sample, alone].map(|what| format!("{what} is accepted (AC) | is rejected (WA)"));
    let there = [&*to_ac[0], &to_ac[1], &to_ac[2], right, WA_BACK];
    let back = [
        &*to_wa[0],
        &to_wa[1],
        &to_wa[2],
        "submissions/accepted/right.sh | expected: as a whole AC | on each test case AC",
        WA_THERE,
    ];
    let fixture = scoring(["max_score: 100\n", all, each]);
    check_there_and_back(&fixture, "sum", ["legacy", "2025-09"], &there, &back);
    let fixture = scoring(["max_score: 40\nscore_aggregation: min\n", all, "max_score: 60\n"]);
    let worst = |from: &str, to: &str, between: [&str; 2]| {
        let [wrong, ac] = between;
        [
            format!("{mixed} {from} | {to}"),
            format!("data/sample +1 | a submission, if only this is wrong: {wrong} | {ac}"),
            format!("data/secret | a submission, if only this is right: {wrong} | {ac}"),
        ]
    };
    let [ac, wa, rte] = ["is accepted (AC)", "is rejected (WA)", "is rejected (RTE)"];
    let [first, second] = [worst(wa, rte, [wa, ac]), worst(rte, wa, [ac, wa])];
    let least = [&*first[0], &first[1], &first[2], WA_BACK];
    let least_back = [&*second[0], &second[1], &second[2], WA_THERE];
    check_there_and_back(&fixture, "sum", ["legacy", "2025-09"], &least, &least_back);
    // If all groups together give all points or none, points of single groups do not count.
    let each_whole = "max_score: 33\nscore_aggregation: pass-fail\n";
    let fixture =
        scoring(["max_score: 100\nscore_aggregation: pass-fail\n", each_whole, each_whole]);
    check_losses(&fixture, "sum", "legacy", &least);
    fixture.check("judge new sum/submissions/accepted/right.sh", 0, &["score 100 of 100"]);
    // A rejected submission keeps its points.
    let fixture = scoring(["max_score: 100\n", all, each]);
    fixture.write("part.sh", "read -r a b; echo $((a == 0 ? 1 : a + b))\n");
    fixture.check("judge sum part.sh", 1, &["score 70 of 100"]);
    check_losses(&fixture, "sum", "legacy", &there);
    fixture.check("judge new part.sh", 0, &["score 70 of 100"]);
    // Legacy accepts a submission with points.
    let path = "sum/submissions/wrong_answer/part.sh";
    fixture.write(path, fixture.read("part.sh"));
    let rules = "wrong_answer/part.sh: {score: 70}\n";
    fixture.write("sum/submissions/submissions.yaml", rules);
    fixture.check("verify sum", 0, &["all as expected"]);
    remove_old(&fixture, "new");
    fixture.check("convert sum --to legacy new", 0, &[]);
    fixture.check("verify new", 0, &["partially_accepted/part.sh", "all as expected"]);
    // Only 2025-09 has groups that need others.
    let needs = "max_score: 60\nrequire_pass: secret/large\n";
    let fixture = scoring(["max_score: 100\n", all, needs]);
    let alone = to_ac[2].replace("+5", "+3");
    let lost = [
        &*to_ac[0],
        &to_ac[1],
        &alone,
        "data/secret/small | require_pass: secret/large | left out",
        right,
        WA_BACK,
    ];
    check_losses(&fixture, "sum", "legacy", &lost);
    // DOMjudge gives the points of a group once.
    let fixture = scoring(["max_score: 100\n", all, each]);
    let yaml = fixture.read("sum/problem.yaml");
    fixture.write(
        "sum/problem.yaml",
        format!("{yaml}limits: {{time_limit: 2}}\n").replace("limits:\n  memory: 256\n", ""),
    );
    let lost = [
        &*to_ac[0],
        "data | score if the first test case is wrong and the last one crashes: 70 | 40",
        &to_ac[1],
        &alone,
        "data/secret/small/1 +1 | score if only this is right: 30 | 0",
        "data/secret/small/1 +1 | score if only this is wrong: 70 | 40",
        right,
        WA_BACK,
    ];
    check_losses(&fixture, "sum", "domjudge-zip", &lost);
}

/// Values without an equivalent differ before and after.
#[test]
fn a_score_that_changes_is_always_listed() {
    let check = |format: &str, group: &str, to: &str, expected: &[&str]| {
        let fixture = Fixture::new();
        fixture.write("old/problem.yaml", "name: L\ntype: scoring\n");
        if format == "domjudge" {
            fixture.write("old/.timelimit", "1\n");
        }
        fixture.write("old/data/secret/testdata.yaml", group);
        fixture.write("old/problem_statement/problem.en.md", "Double it.\n");
        for n in 1..=2 {
            fixture.write(&format!("old/data/secret/{n}.in"), format!("{n}\n"));
            fixture.write(&format!("old/data/secret/{n}.ans"), format!("{}\n", 2 * n));
        }
        fixture.write("old/submissions/accepted/ok.sh", "read -r n; echo $((n * 2))\n");
        let arguments = format!("convert old --to {to} new");
        let arguments = match to {
            "domjudge-zip" => format!("{arguments}.zip --time-limit 1"),
            _ => arguments,
        };
        fixture.check(&arguments, 0, expected);
    };
    let loses = "accept_score: 5\nreject_score: 1\n";
    let all = "was: score if all is right: 10 became: 5";
    check("kattis", loses, "domjudge-zip", &[all]);
    let always = "accept_score: 33\ngrader_flags: max always_accept\n";
    check("domjudge", always, "2025-09", &["score if only this is wrong: 33 became: 0"]);
}

/// The sum plus one gets half of the points.
const PARTIAL_VALIDATOR: &str = r#"#!/usr/bin/env bash
read -r right < "$2"
read -r output
case $output in
  "$right") echo 25 > "${3}score.txt"; exit 42 ;;
  $((right + 1))) echo 12.5 > "${3}score.txt"; exit 42 ;;
esac
exit 43
"#;

#[test]
fn validator_scores_survive_in_legacy() {
    let fixture = Fixture::new();
    let yaml = fixture.read("sum/problem.yaml").replace("  time_limit: 1\n", "");
    fixture.write("sum/problem.yaml", format!("{yaml}type: scoring\nallow_file_writing: true\n"));
    interactive::set_validator(&fixture, PARTIAL_VALIDATOR);
    fixture.write("sum/data/secret/test_group.yaml", "max_score: 75\n");
    fs::remove_dir_all(fixture.path("sum/data/invalid_input")).expect("invalid inputs");
    fixture.write("near.sh", "read -r a b; echo $((a + b + 1))\n");
    fixture.check("judge sum near.sh", 0, &["score 37.5 of 75"]);
    fixture.check("convert sum --to legacy new", 0, &[]);
    assert!(fixture.read("new/problem.yaml").contains("validation: custom score\n"));
    fixture.check("verify new", 0, &["all as expected"]);
    fixture.check("judge new near.sh", 0, &["score 37.5 of 75"]);
}

#[test]
fn results_that_need_a_grader_are_listed() {
    let check = |groups: &[(&str, &str)], expected: &[&str]| {
        let fixture = legacy::legacy_package(
            "type: scoring\nuuid: 9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10\n",
            groups,
            &legacy::CASES,
        );
        fixture.write("old/graders/grade.py", "print('AC 1')\n");
        check_losses(&fixture, "old", "2025-09", expected);
    };
    let unused = "graders/grade.py | grader | left out";
    check(
        &legacy::GROUPS,
        &[
            "data | a submission, if the first test case is wrong and the last one crashes: is accepted (AC) | is rejected (WA)",
            "data/sample +6 | a submission, if only this is wrong: is accepted (AC) | is rejected (WA)",
            "data/secret +3 | a submission, if only this is right: is accepted (AC) | is rejected (WA)",
            unused,
            "submissions/accepted/right.sh | expected: as a whole AC | on each test case AC",
        ],
    );
    check(
        &[
            ("", "on_reject: continue\ngrader_flags: first_error ignore_sample\n"),
            ("secret/a", "grader_flags: max\naccept_score: 5\nreject_score: -1\n"),
            ("secret/b", "accept_score: 2.5\n"),
        ],
        &[
            "data | a submission, if the first test case is wrong and the last one crashes: is rejected (RTE) | is rejected (WA)",
            "data | greatest score: nothing | 8",
            "data | score if all is right: 2.5 | 8",
            "data | score if the first test case is wrong and the last one crashes: 0 | 5",
            "data/sample +1 | score if only this is wrong: 2.5 | 8",
            "data/sample +4 | a submission, if only this is wrong: is accepted (AC) | is rejected (WA)",
            "data/secret | score if only this is right: 2.5 | 8",
            "data/secret +2 | a submission, if only this is right: is accepted (AC) | is rejected (WA)",
            "data/secret/a | score if only this is right: 0 | 5",
            "data/secret/a | score if only this is wrong: 2.5 | 3",
            "data/secret/a/1 +1 | score if only this is right: 0 | 2.5",
            "data/secret/a/1 +1 | score if only this is wrong: 2.5 | 5.5",
            "data/secret/b +1 | score if only this is right: 2.5 | 3",
            "data/secret/b +1 | score if only this is wrong: 0 | 5",
            unused,
        ],
    );
    // The total is the sum of the groups.
    check(
        &[
            ("", "range: 0 100\n"),
            ("secret", "range: 0 100\n"),
            ("secret/a", "accept_score: 62.5\ngrader_flags: min\n"),
            ("secret/b", "accept_score: 37.5\ngrader_flags: min\n"),
        ],
        &[
            "data | greatest score: 100 | 101",
            "data | score if the first test case is wrong and the last one crashes: 0 | 63",
            "data/sample +1 | score if only this is wrong: 0 | 101",
            "data/secret | score if only this is right: 0 | 101",
            "data/secret/a | score if only this is right: 0 | 63",
            "data/secret/a +2 | score if only this is wrong: 0 | 38",
            "data/secret/b +1 | score if only this is right: 0 | 38",
            "data/secret/b +1 | score if only this is wrong: 0 | 63",
            unused,
        ],
    );
    check(
        &[("secret/a", "grading: custom\ngrader_flags: x\n")],
        &[
            "data | verdicts and scores: what the grader gives (x) | left out",
            unused,
            "submissions/accepted/right.sh | expected: as a whole AC | on each test case AC",
        ],
    );
}

#[test]
fn nested_groups_become_one_group_with_their_greatest_score() {
    let check = |outer: &str, expected: &str| {
        let least = "grader_flags: min\naccept_score: 30\n";
        let groups = [
            ("secret", "on_reject: continue\n"),
            ("secret/a", outer),
            ("secret/a/x", least),
            ("secret/a/y", least),
            ("secret/b", least),
        ];
        let cases = ["secret/a/x/1 0 3", "secret/a/y/1 5 8", "secret/b/1 9 1"];
        let fixture = legacy::legacy_package("type: scoring\n", &groups, &cases);
        fixture.write("old/graders/grade.sh", "echo AC 1\n");
        fixture.check("convert old --to 2025-09 new", 0, &[]);
        assert_eq!(fixture.read("new/data/secret/a/test_group.yaml"), expected, "{outer}");
        fixture.check("judge new old/submissions/accepted/right.sh", 0, &["score"]);
    };
    check("grader_flags: min\n", "max_score: 30\nscore_aggregation: min\n");
    check("grader_flags: sum\n", "max_score: 60\nscore_aggregation: sum\n");
    check("grader_flags: max\n", "max_score: 30\nscore_aggregation: sum\n");
    check("grader_flags: avg\nrange: 0 40\n", "max_score: 40\nscore_aggregation: sum\n");
    check("grading: custom\n", "max_score: 100\nscore_aggregation: sum\n");
}

const COMPARING_JUDGE: &str =
    "#!/usr/bin/env bash\n[[ $4 == f ]] || exit 1\ncmp -s - $2 && exit 42\nexit 43\n";

#[test]
fn several_output_validators_are_listed() {
    let yaml =
        "validation: custom\nvalidator_flags: f\nuuid: 9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10\n";
    let fixture = legacy::legacy_package(yaml, &[], &legacy::CASES);
    for name in ["first", "second"] {
        legacy::write_program(&fixture, &format!("output_validators/{name}"), COMPARING_JUDGE);
    }
    let lost = "output_validators/second | output validator | left out";
    check_losses(&fixture, "old", "2025-09", &[lost]);
    assert!(fixture.path("new/output_validator/first/run").exists());
    fs::remove_dir_all(fixture.path("old/output_validators/second")).expect("the second");
    check_there_and_back(&fixture, "old", ["2025-09", "legacy"], &[], &[]);
}

#[test]
fn a_package_of_the_2023_draft_converts_to_both_formats() {
    let fixture = Fixture::new();
    fixture.write(
        "sum/problem.yaml",
        "problem_format_version: 2023-07-draft\nname: Sum\ncredits: {authors: Ada}\n\
         uuid: 9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10\nlimits: {time_limit: 1.5, memory: 256.5}\n",
    );
    fixture.write("sum/data/secret/small/1.yaml", "hint: Carry.\nargs: [x]\n");
    fixture.write("sum/submissions/submissions.yaml", "accepted/*: {sample: {permitted: [AC]}}\n");
    let memory = "problem.yaml | limits.memory: 256 MiB | 257 MiB";
    check_there_and_back(&fixture, "sum", ["2025-09", "2025-09"], &[memory, WA_THERE], &[]);
    assert_eq!(fixture.read("new/data/secret/small/1.yaml"), "args:\n- x\nhint: Carry.\n");
    check_losses(
        &fixture,
        "sum",
        "legacy",
        &[
            "data/invalid_input/one | invalid input | left out",
            "data/secret/small/1 | args: x | left out",
            "submissions/accepted/right.sh | rules about single test cases | left out",
        ],
    );
}

const STATEMENTS: &str = r#"</names><statements>
    <statement language="russian" path="statements/.pdf/russian/problem.pdf" type="application/pdf"/>
    <statement language="russian" path="statements/russian/problem.tex" type="application/x-tex"/>
    <statement language="english" path="statements/english/problem.tex" type="application/x-tex"/>
    <statement language="english" path="statements/.html/english/problem.html" type="text/html"/>
</statements>"#;

#[test]
fn a_sinol_package_is_converted_with_its_missing_answers() {
    let fixture = Fixture::new();
    for (name, text) in [
        (
            "config.yml",
            "title: Sum\ntime_limit: 5000\nmemory_limit: 262144\nsinol_contest_type: icpc\n",
        ),
        ("in/abc0.in", "1 1\n"),
        ("in/abc1.in", "3 4\n"),
        ("out/abc1.out", "7\n"),
        ("doc/abczad.pdf", "%PDF-"),
        ("prog/abc.sh", RIGHT),
        (
            "prog/abcinwer.sh",
            "text=$(cat; echo .)\n\
             [[ $1 == abc?.in && $text =~ ^[0-9]+\\ [0-9]+$'\\n'\\.$ ]] && exit 0\necho no\nexit 7\n",
        ),
    ] {
        fixture.write(&format!("abc/{name}"), text);
    }
    let lost = [
        "data/sample/abc0 +1 | output_validator_args: \
         case_sensitive \"line_sensitive, as CMS compares\" | case_sensitive",
        "input_validators/abcinwer.sh | defined names: _INWER | left out",
        "problem.yaml | names: en Sum | pl Sum",
        "problem.yaml | uuid: nothing | UUID",
    ];
    check_losses(&fixture, "abc", "2025-09", &lost);
    assert_eq!(fixture.read("new/data/sample/abc0.ans"), "2\n");
    assert_eq!(fixture.read("new/statement/problem.pl.pdf"), "%PDF-");
    fixture.check("verify new", 0, &["1 submission, all as expected"]);
}

#[test]
fn a_polygon_package_is_converted_with_its_generated_data() {
    let fixture = polygon::polygon_package();
    let settings = fixture.read("poly/problem.xml");
    fixture.write("poly/problem.xml", settings.replace("</names>", STATEMENTS));
    fixture.write("poly/statements/.pdf/russian/problem.pdf", "%PDF-");
    fixture.write("poly/statements/russian/problem.tex", "");
    fixture.write(
        "poly/statements/english/problem.tex",
        "\\begin{problem}{Sum}{standard input}{standard output}{5 seconds}{256 megabytes}\n",
    );
    fixture.write("poly/statements/english/sum.png", "");
    check_losses(
        &fixture,
        "poly",
        "2025-09",
        &[
            "files | 13 files that the format has no place for | left out",
            "files/c/01 +3 | test of the checker | left out",
            "files/v/01 | valid input | left out",
            "problem.yaml | names: en Sum | en Sum; ru Sum",
            "problem.yaml | uuid: nothing | UUID",
            "statements | 1 file that the format has no place for | left out",
        ],
    );
    fixture.check("verify new", 0, &["2 submissions, all as expected"]);
    fixture.check("convert poly --to legacy old", 0, &[]);
    fixture.check("verify old", 0, &["2 submissions, all as expected"]);
    assert_eq!(fixture.read("new/data/sample/01.in"), "1 2\n");
    assert_eq!(fixture.read("new/data/secret/02.in"), "5 8\n");
    assert_eq!(fixture.read("new/statement/problem.ru.pdf"), "%PDF-");
    let text = fixture.read("new/statement/problem.en.tex");
    assert!(text.contains("{problem}[5]{\\problemname{#1}}") && text.contains("{Sum}"), "{text}");
    assert!(fixture.path("new/statement/sum.png").exists());
    // Samples that are not the first test cases keep their positions.
    let settings = fixture.read("poly/problem.xml").replace(" sample=\"true\"", "");
    let settings = settings.replace(
        "<test method=\"manual\"/>\n            <",
        "<test method=\"manual\" sample=\"true\"/><",
    );
    fixture.write("poly/problem.xml", settings);
    fs::remove_dir_all(fixture.path("new")).expect("the result to remove");
    fixture.check(
        "convert poly --to 2025-09 new",
        0,
        &["problem.xml", "1 sample", "secret test cases"],
    );
}

#[test]
fn an_unsupported_format_gets_a_message_with_a_way_out() {
    for (file, format) in
        [("problem.rbx.yml", "rbx"), ("init.yml", "DMOJ"), ("problem.properties", "ejudge")]
    {
        let fixture = Fixture::new();
        fixture.write(&format!("other/{file}"), "");
        let named = format!("is in the format of {format}, because there is {file}");
        let command = "juror convert PACKAGE --to 2025-09 OUT";
        fixture.check("verify other", 3, &[&named, command]);
    }
}

#[test]
fn an_impossible_conversion_writes_nothing() {
    let fixture = Fixture::new();
    fixture.write("there/file", "");
    let check = |arguments: &str, code: i32, message: &str| {
        fixture.check(&format!("convert {arguments}"), code, &[message]);
        assert!(!fixture.path("new").exists(), "{arguments}");
        let entries = fs::read_dir(fixture.root()).expect("the directory").flatten();
        let left =
            entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".juror"));
        assert_eq!(left.count(), 0, "{arguments}");
    };
    check("sum --to legacy there", 2, "there already exists; choose another");
    check("sum --to legacy sum/new", 2, "the new package cannot be inside the old one");
    check("sum --to 2023-07 new", 2, "[possible values: 2025-09, legacy, domjudge-zip]");
    check("sum --to domjudge-zip new/", 2, "give a file, such as new.zip");
    check("sum --to legacy --time-limit 2 new", 2, "--time-limit is only for --to domjudge-zip");
    check("sum --to legacy none/new", 2, "none is not a directory; make it first: mkdir -p none");
    check("none --to legacy new", 3, "no such directory");
    fixture.write("sum/data/secret/a b/1.in", "1 2\n");
    fixture.write("sum/problem.yaml", "problem_format_version: legacy\nname: Sum\n");
    fixture.write("sum/data/secret/a b/1.ans", "3\n");
    fixture.write("sum/data/secret/a_b/1.in", "1 2\n");
    fixture.write("sum/data/secret/a_b/1.ans", "3\n");
    check("sum --to 2025-09 new", 3, "two of its files would be called data/secret/a_b/1.ans");
}

/// The directory that a juror leaves if it is killed during a conversion.
#[test]
fn leftovers_of_a_killed_juror_are_removed() {
    let fixture = Fixture::new();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    for (name, is_old) in
        [(".juror-package-old", true), (".juror-package-young", false), ("other", true)]
    {
        fixture.write(&format!("{name}/new/problem.yaml"), "");
        if is_old {
            let directory = fs::File::open(fixture.path(name)).expect("a directory");
            directory.set_modified(old).expect("a time");
        }
    }
    fixture.check("convert sum --to legacy new", 0, &[]);
    let is_there = |name: &str| fixture.path(name).exists();
    let there = [".juror-package-old", ".juror-package-young", "other", "new"].map(is_there);
    assert_eq!(there, [false, false, true, true]);
}
