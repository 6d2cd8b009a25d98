//! Points of tests without a package: by directories, by an option, and by a table beside them.

use crate::fixture::{Fixture, RIGHT};

/// Accepted if the first number has one digit.
const SMALL: &str = "read -r a b; if ((a < 10)); then echo $((a + b)); else echo 0; fi\n";

/// Two test cases in each of these directories; `small.sh` is right on the first of each, and on both of `easy`.
fn fixture(directories: &[&str]) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("small.sh", SMALL);
    fixture.write("right.sh", RIGHT);
    for directory in directories {
        let second = if directory.ends_with("easy") { 2 } else { 20 };
        for (name, a) in [("1", 1), ("2", second)] {
            fixture.write(&format!("t/{directory}/{name}.in"), format!("{a} 2\n"));
            fixture.write(&format!("t/{directory}/{name}.out"), format!("{}\n", a + 2));
        }
    }
    fixture
}

/// The score of `small.sh`, then those of groups.
fn score(fixture: &Fixture, options: &str) -> String {
    let document = fixture.json(&format!("judge t small.sh {options}"), 1);
    let score = &document["submissions"][0]["judgement"]["score"];
    let groups = score["groups"].as_array().cloned().unwrap_or_default();
    let groups = groups.iter().map(|group| {
        let name = group["name"].as_str().unwrap_or_default();
        format!(" {name} {}/{}", group["points"], group["max_points"])
    });
    format!("{}/{}", score["points"], score["max_points"]) + &groups.collect::<String>()
}

#[test]
fn directories_of_bare_tests_are_groups() {
    let check = |directories: &[&str], options: &str, expected: &str| {
        assert_eq!(score(&fixture(directories), options), expected, "{directories:?} {options}");
    };
    let two = &["visible", "hidden"];
    check(two, "--points cases", "2.0/4.0 hidden 1.0/2.0 visible 1.0/2.0");
    check(two, "--points groups", "0.0/2.0 hidden 0.0/1.0 visible 0.0/1.0");
    let difficulty = &["easy", "hard"];
    check(difficulty, "--points easy=30,hard=70", "30.0/100.0 easy 30.0/30.0 hard 0.0/70.0");
    check(difficulty, "--points easy=30,hard/1=5", "35.0/35.0 easy 30.0/30.0");
    check(
        &["tests/easy", "tests/b"],
        "--points easy=3,b=7",
        "3.0/10.0 tests/easy 3.0/3.0 tests/b 0.0/7.0",
    );
    // Samples have no points, before and behind other directories, unless there is nothing else.
    check(&["sample", "secret"], "--points cases", "1.0/2.0");
    check(&["sample", "easy"], "--points groups", "1.0/1.0");
    check(
        &["easy", "hard", "samples"],
        "--points hard=2,easy=1",
        "1.0/3.0 hard 0.0/2.0 easy 1.0/1.0",
    );
    check(&["sample"], "--points cases", "1.0/2.0");
    check(&["sample"], "--points groups", "0.0/1.0");
    check(
        &["sample/a", "sample/easy"],
        "--points groups",
        "1.0/2.0 sample/a 0.0/1.0 sample/easy 1.0/1.0",
    );
}

#[test]
fn a_table_beside_bare_tests_gives_points() {
    let fixture = fixture(&["easy", "hard"]);
    let check = |table: &str, options: &str, expected: &str| {
        fixture.write("t/points.csv", table);
        assert_eq!(score(&fixture, options), expected, "{table}");
    };
    check("name,points\neasy,30\nhard,70\n", "", "30.0/100.0 easy 30.0/30.0 hard 0.0/70.0");
    check("\u{feff}name;points\r\neasy;30\r\nhard/1;2.5\r\n", "", "32.5/32.5 easy 30.0/30.0");
    check("easy,30\n", "--points hard=1", "0.0/1.0 hard 0.0/1.0");
    fixture.write("t/points.csv", "name,points\neasy,many\n");
    let messages = ["line 2: `many` is no number of points of at least 0", "t/points.csv"];
    fixture.check("judge t small.sh", 3, &messages);
    fixture.write("t/points.csv", "esy,1\n");
    let messages = ["not the name of a group or a test case: `esy`", "t/points.csv"];
    fixture.check("judge t small.sh", 3, &messages);
}

#[test]
fn wrong_names_of_points_are_listed_with_the_right_ones() {
    let fixture = fixture(&["sample", "easy", "hard"]);
    let check = |points: &str, code: i32, messages: &[&str]| {
        fixture.check(&format!("judge t right.sh --points {points}"), code, messages);
    };
    let names = "names are easy, hard; samples have no points";
    check("esy=30,middle=1,hard=70", 2, &["--points: not the name", "`esy`, `middle`", names]);
    check("sample=30", 2, &["`sample`", names]);
    check("easy=1,easy/1=2,easy/2=3", 2, &["--points: points are given twice: easy/1, easy/2"]);
    check(
        "easy",
        2,
        &["give `cases`, `groups`, or the points of each group, such as easy=30,hard=70"],
    );
    check("easy=-3", 2, &["`-3` is no number of points"]);
    check("easy=30", 0, &["warning: no points are given for hard/1, hard/2", "score 30 of 30"]);
}

#[test]
fn the_points_of_what_was_run_are_shown_if_the_score_is_not_known() {
    let fixture = fixture(&["easy", "hard"]);
    let check = |options: &str, messages: &[&str]| {
        fixture.check(&format!("judge t right.sh {options}"), 0, messages);
    };
    check(
        "--points easy=30,hard=70 --case easy",
        &["score ? of 100", "30 of 30 for those that ran"],
    );
    check("--points cases --case hard/1", &["score ? of 4", "1 for those that ran"]);
    let table = ["score/100", "30/30"];
    fixture.check("judge t right.sh small.sh --points easy=30,hard=70 --case easy", 0, &table);
}

#[test]
fn a_package_with_answers_of_bare_tests_names_the_way_out() {
    let fixture = Fixture::new();
    fixture.write("right.sh", RIGHT);
    fixture.write("sum/data/secret/7.in", "1 2\n");
    fixture.write("sum/data/secret/7.out", "3\n");
    let messages = ["has no `7.ans`", "rename 7.out: in a package, answers end in .ans"];
    fixture.check("judge sum right.sh", 3, &messages);
}
