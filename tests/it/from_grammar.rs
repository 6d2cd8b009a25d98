//! `juror generate --from-grammar`: a first set of test cases, from nothing to a package that verifies.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::fixture::Fixture;

pub(crate) const ROW: &str =
    "INT(1, 20, n) NEWLINE\nREPI(i, n, SPACE) INT(-50, 50, a[i]) END NEWLINE\n";
const MAX: &str =
    "read -r n; read -r -a a; m=-99; for x in \"${a[@]}\"; do ((x > m)) && m=$x; done; echo $m\n";
const SOLUTION: &str = "solution: /submissions/accepted/right.sh\n";

/// A package with only a grammar of its input and one solution.
pub(crate) fn package_with_grammar(grammar: &str) -> Fixture {
    let fixture = Fixture::new();
    for part in ["data", "submissions", "input_validators", "statement"] {
        fs::remove_dir_all(fixture.path(&format!("sum/{part}"))).expect("a directory to remove");
    }
    fixture.write("sum/input_validators/row.ctd", grammar);
    fixture.write("sum/submissions/accepted/right.sh", MAX);
    fixture
}

fn read_recipe(fixture: &Fixture) -> String {
    read_file(fixture, "sum/generators/generators.yaml")
}

fn read_file(fixture: &Fixture, name: &str) -> String {
    fs::read_to_string(fixture.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All files of the package with their contents.
fn all_files(fixture: &Fixture) -> Vec<(String, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(fixture.path("sum")).sort_by_file_name();
    let files = walk.into_iter().map(|entry| entry.expect("an entry"));
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().display().to_string();
            (name, fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

/// The names of the new cases, and the whole proposal.
fn propose(fixture: &Fixture, arguments: &str) -> (Vec<String>, serde_json::Value) {
    let document = fixture.json(&format!("generate sum --from-grammar {arguments}"), 0);
    let proposal = document["proposals"][0].clone();
    let cases = proposal["cases"].as_array().expect("a list").iter();
    let names = cases.map(|case| case["test_case"].as_str().expect("a name").to_owned());
    (names.collect(), proposal)
}

#[test]
fn a_new_package_gets_cases_that_verify() {
    let fixture = package_with_grammar(ROW);
    let (names, proposal) = propose(&fixture, "");
    assert!((25..45).contains(&names.len()), "{names:?}");
    let mut sizes = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let number = format!("secret/from-grammar/{:02}-", at + 1);
        assert!(name.starts_with(&number), "{name}");
        sizes.push(read_file(&fixture, &format!("sum/data/{name}.in")).len());
        let yaml = read_file(&fixture, &format!("sum/data/{name}.yaml"));
        let case = &proposal["cases"][at];
        assert!(yaml.contains(case["description"].as_str().expect("a text")));
        assert!(!read_file(&fixture, &format!("sum/data/{name}.ans")).is_empty());
    }
    assert!(sizes.is_sorted(), "small ones come first: {sizes:?}");
    let smallest = names.iter().find(|name| name.ends_with("-smallest"));
    let smallest = smallest.expect("the smallest input");
    assert_eq!(read_file(&fixture, &format!("sum/data/{smallest}.in")), "1\n-50\n");
    assert_eq!(read_file(&fixture, &format!("sum/data/{smallest}.ans")), "-50\n");
    let all = names.len();
    fixture.check("generate sum --check", 0, &[&format!("{all} unchanged")]);
    fixture.check("generate sum", 0, &[&format!("{all} unchanged")]);
    fixture.write("sum/statement/problem.en.md", "The largest.\n");
    fixture.check("verify sum", 0, &["all as expected; no errors, no warnings"]);
    // The comment above each input names the command that prints it.
    let options: Vec<String> = read_recipe(&fixture)
        .lines()
        .filter_map(|line| Some(line.trim().strip_prefix("# --shape")?.to_owned()))
        .collect();
    for (name, options) in names.iter().zip(options) {
        let line = format!("grammar generate sum/input_validators/row.ctd --shape{options}");
        let printed = fixture.juror(&line).output().expect("juror runs").stdout;
        let input = read_file(&fixture, &format!("sum/data/{name}.in"));
        assert_eq!(String::from_utf8_lossy(&printed), input, "{line}");
    }
}

#[test]
fn a_second_run_adds_nothing_and_another_seed_adds_new_cases() {
    let fixture = package_with_grammar(ROW);
    let (first, _) = propose(&fixture, "");
    let before = all_files(&fixture);
    fixture.check("generate sum --from-grammar", 0, &["nothing new", "already exist"]);
    fixture.check("generate --from-grammar sum", 0, &["nothing new"]);
    assert_eq!(all_files(&fixture), before);
    let old = read_recipe(&fixture);
    let (more, second) = propose(&fixture, "--seed 5");
    let next = format!("secret/from-grammar/{:02}-", first.len() + 1);
    assert!(more[0].starts_with(&next), "{more:?}");
    assert!(!more.iter().any(|name| name.ends_with("-smallest")));
    let equal = second["equal"].to_string();
    assert!(equal.contains("-smallest"), "{equal}");
    assert!(read_recipe(&fixture).starts_with(old.trim_end()));
    let all = format!("{} unchanged", first.len() + more.len());
    fixture.check("generate sum --check", 0, &[&all]);
}

#[test]
fn cases_without_a_recipe_are_imported() {
    let fixture = package_with_grammar(ROW);
    fixture.write("sum/data/sample/1.in", "2\n3 4\n");
    fixture.write("sum/data/sample/1.ans", "4\n");
    fixture.write("sum/data/secret/a/tie.in", "2\n7 7\n");
    fixture.write("sum/data/secret/a/tie.ans", "7\n");
    fixture.write("sum/data/secret/a/tie.yaml", "hint:   any\n");
    fixture.write("sum/data/secret/least.in", "1\n-50\n");
    fixture.write("sum/data/secret/least.ans", "-50\n");
    fixture.write("sum/data/invalid_input/none.in", "0\n\n");
    let before = all_files(&fixture);
    let (names, proposal) = propose(&fixture, "");
    assert_eq!(proposal["adopted"], 4);
    let equal = proposal["equal"].to_string();
    assert!(equal.contains(r#"{"name":"smallest","same_as":"secret/least"}"#), "{equal}");
    let after = all_files(&fixture);
    assert!(before.iter().all(|file| after.contains(file)));
    let all = format!("{} test cases, {0} unchanged", names.len() + 4);
    fixture.check("generate sum --check", 0, &[&all]);
}

#[test]
fn an_existing_recipe_keeps_every_line() {
    let check = |start: &str, end: &str, secret: &str, directory: &str| {
        let fixture = package_with_grammar(ROW);
        let text = format!(
            "{start}# Mine.\n{SOLUTION}data:\n  secret:\n    data:\n{secret}  # The end.\n  sample:\n    data:\n      '1': {{in: \"1 5\"}}\n"
        );
        let text = text.replace('\n', end);
        fixture.write("sum/generators/generators.yaml", &text);
        fixture.write("sum/submissions/accepted/right.sh", "echo 1\n");
        let (names, _) = propose(&fixture, "");
        let first = &names[0];
        assert!(first.starts_with(&format!("secret/{directory}/01-")), "{first}");
        let new = read_recipe(&fixture);
        let mut rest = new.split_inclusive(end);
        for line in text.split_inclusive(end) {
            assert!(rest.any(|other| other == line), "{line} is not in its place:\n{new}");
        }
        assert_eq!(new.matches('\n').count(), new.matches(end).count(), "{new:?}");
        // Only the new cases were generated.
        assert!(!fixture.path("sum/data/sample").exists());
        fixture.juror("generate sum --no-validate").assert().success();
        fixture.juror("generate sum --check").assert().success();
        let (again, _) = propose(&fixture, "");
        assert!(again.is_empty(), "{again:?}");
    };
    check("", "\n", "      one: {in: \"1\\n4\"}\n", "from-grammar");
    check("\u{feff}", "\r\n", "      - one: {in: \"1\\n4\"}\n", "1-from-grammar");
    check("", "\r\n", "    - one: {in: \"1\\n4\"}\n", "1-from-grammar");
    check(
        "",
        "\n",
        "      - g:\n          data:\n            x: {in: \"1\\n4\"}\n",
        "2-from-grammar",
    );
}

#[test]
fn a_recipe_without_a_solution_gets_one_for_the_new_cases() {
    let fixture = package_with_grammar(ROW);
    let text = "data:\n  secret:\n    data:\n      one: {in: \"1\\n4\", ans: '4'}\n";
    fixture.write("sum/generators/generators.yaml", text);
    let (names, _) = propose(&fixture, "--into more/random");
    assert!(names[0].starts_with("secret/more/random/01-"), "{names:?}");
    assert!(read_recipe(&fixture).contains("solution: /submissions/accepted/right.sh"));
    fixture.juror("generate sum").assert().success();
    fixture.juror("generate sum --check").assert().success();
}

#[test]
fn large_inputs_are_files_next_to_the_recipe() {
    let fixture =
        package_with_grammar("INT(1, 5000, n) NEWLINE\nREP(n, SPACE) INT(1, 9) END NEWLINE\n");
    let (names, _) = propose(&fixture, "");
    let last = names.last().expect("a case");
    let copy = format!("sum/generators/{}.in", last.trim_start_matches("secret/"));
    assert_eq!(read_file(&fixture, &copy), read_file(&fixture, &format!("sum/data/{last}.in")));
    assert!(read_recipe(&fixture).len() < 20_000);
    fixture.juror("generate sum --check").assert().success();
}

#[test]
fn inputs_that_another_validator_refuses_are_left_out() {
    let fixture = package_with_grammar(ROW);
    let odd = "import sys\nn = int(input())\n\
               if n % 2 == 0:\n    sys.exit(42)\nprint('n must be even')\nsys.exit(43)\n";
    fixture.write("sum/input_validators/even.py", odd);
    fixture.write(
        "sum/input_validators/short.ctd",
        "INT(1, 18, n) NEWLINE REP(n, SPACE) INT(-50, 50) END NEWLINE\n",
    );
    fixture.check(
        "generate sum --from-grammar",
        0,
        &[
            "10 inputs that the grammar allows: n must be even (left out: smallest,",
            "sum/input_validators/even.py",
            "refuses 1 input that the grammar allows: expected an integer from 1 to 18 for `n`, got `19` \
             (left out: count-below-most)",
            "sum/input_validators/short.ctd",
        ],
    );
    let document = fixture.json("generate sum --check", 0);
    let cases = document["generated"].as_array().expect("a list");
    assert!(!cases.is_empty());
    for case in cases {
        let name = case["test_case"].as_str().expect("a name");
        let input = read_file(&fixture, &format!("sum/data/{name}.in"));
        let n: u32 = input.lines().next().and_then(|n| n.parse().ok()).expect("n");
        assert!(n.is_multiple_of(2) && n <= 18, "{name}: {n}");
    }
}

#[test]
fn unsatisfied_cases_are_named_and_the_others_are_written() {
    let fixture = package_with_grammar(
        "INT(1, 1000000, n) NEWLINE\nASSERT(n * n % 1000003 == 17 || n < 3)\n",
    );
    fixture.write("sum/submissions/accepted/right.sh", "echo 1\n");
    fixture.check(
        "generate sum --from-grammar",
        0,
        &[
            "sum/input_validators/row.ctd:2:1",
            "this could not be satisfied",
            "left out: ",
            "random-1",
            "smallest",
        ],
    );
    let fixture = package_with_grammar("INT(1, 9, n) NEWLINE\nASSERT(n > 20)\n");
    let before = all_files(&fixture);
    fixture.check("generate sum --from-grammar", 3, &["row.ctd:2:1", "nothing could be made"]);
    assert_eq!(all_files(&fixture), before);
}

#[test]
fn an_interactive_problem_gets_empty_answers() {
    let fixture = package_with_grammar(ROW);
    let yaml = read_file(&fixture, "sum/problem.yaml") + "type: interactive\n";
    fixture.write("sum/problem.yaml", yaml);
    fixture.write("sum/output_validator/run", "#!/bin/sh\nexit 42\n");
    fixture.make_executable("sum/output_validator/run");
    let (names, _) = propose(&fixture, "");
    assert_eq!(read_file(&fixture, &format!("sum/data/{}.ans", names[0])), "");
    fixture.juror("generate sum --check").assert().success();
}

#[test]
fn obstacles_are_reported_and_nothing_is_written() {
    let check = |change: &dyn Fn(&Fixture), arguments: &str, code: i32, messages: &[&str]| {
        let fixture = package_with_grammar(ROW);
        change(&fixture);
        let before = all_files(&fixture);
        fixture.check(&format!("generate {arguments}"), code, messages);
        assert_eq!(all_files(&fixture), before, "{arguments}");
    };
    let none = |_: &Fixture| {};
    let all = "sum --from-grammar";
    check(
        &|fixture| {
            fixture.remove("sum/input_validators/row.ctd");
            fixture.write("sum/input_validators/all.py", "import sys\nsys.exit(42)\n");
        },
        all,
        3,
        &["has no input grammar", "docs/grammar.md", "--from-grammar GRAMMAR"],
    );
    check(
        &|fixture| fixture.write("sum/input_validators/row.ctd", "INT(0, 5, a) NEWLIN\n"),
        all,
        3,
        &["row.ctd:1:14", "NEWLIN"],
    );
    check(
        &|fixture| fixture.remove("sum/submissions/accepted/right.sh"),
        all,
        3,
        &["no program makes the judge answers of new cases", "write a right solution"],
    );
    check(&none, "sum --from-grammar no.ctd", 2, &["cannot read the grammar no.ctd"]);
    check(&none, "--from-grammar no.ctd", 2, &["give a package"]);
    check(&none, "sum --from-grammar --into a/../b", 2, &["`..` is not a valid name"]);
    check(&none, "sum --from-grammar --check", 2, &["cannot be used with"]);
    check(&none, "sum --seed 4", 2, &["--from-grammar"]);
    check(
        &|fixture| fixture.write("sum/generators/generators.yaml", "data: {secret: {data: {}}}\n"),
        all,
        3,
        &["no place was found in the recipe for secret/from-grammar"],
    );
    check(
        &|fixture| fixture.write("sum/generators/generators.yaml", "data: {secret: {dat: {}}}\n"),
        all,
        3,
        &["generators.yaml:1:"],
    );
    let grouped = |fixture: &Fixture| {
        fixture.write("sum/data/secret/g/test_group.yaml", "input_validator_args: []\n");
        fixture.write("sum/data/secret/g/1.in", "1\n1\n");
        fixture.write("sum/data/secret/g/1.ans", "1\n");
    };
    check(&grouped, all, 2, &["has test groups", "--into g/from-grammar"]);
    check(
        &grouped,
        "sum --from-grammar --into x",
        2,
        &["`x` is not a test group; the groups are: g"],
    );
    check(
        &|fixture| fixture.write("sum/input_validators/broken.c", "int main( {\n"),
        all,
        3,
        &["the input validator does not build"],
    );
}

#[test]
fn a_failing_solution_leaves_a_recipe_that_can_be_fixed() {
    let fixture = package_with_grammar(ROW);
    fixture.write("sum/submissions/accepted/right.sh", "exit 1\n");
    fixture.check("generate sum --from-grammar", 3, &["the solution", "exit code 1"]);
    assert!(!fixture.path("sum/data").exists());
    fixture.write("sum/submissions/accepted/right.sh", MAX);
    fixture.check("generate sum", 0, &["created"]);
    fixture.juror("generate sum --check").assert().success();
}

#[test]
fn an_unwritable_directory_is_a_separate_fault() {
    let fixture = package_with_grammar(ROW);
    let generators = fixture.path("sum/generators");
    fs::create_dir(&generators).expect("a directory");
    make_read_only(&generators);
    let is_root = fs::write(generators.join("x"), "").is_ok();
    if is_root {
        fixture.announce_skip("root may write everywhere");
    } else {
        fixture.check("generate sum --from-grammar", 4, &["write", "Permission denied"]);
    }
    fs::set_permissions(&generators, fs::Permissions::from_mode(0o755)).expect("rights");
    // A file blocks the directory even for root.
    fs::remove_dir_all(&generators).expect("a directory to remove");
    fixture.write("sum/generators", "");
    fixture.check("generate sum --from-grammar", 3, &["sum/generators"]);
}

fn make_read_only(directory: &Path) {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o555)).expect("rights");
}
