//! `juror verify` compares data with its recipe: with what an earlier run left, and without.

use std::fs;

use crate::fixture::Fixture;
use crate::recipes::{SOLUTION, recipe_fixture};

const DATA: &str = "\
data:
  sample:
    data: {s: {copy: manual/m}}
  secret:
    include: [sample]
    data:
      a: {in: 1 2}
      b: gen.sh 3 4
      c: {in: 5 6, ans: '11', yaml: {description: x}}
";

fn package() -> Fixture {
    let fixture = recipe_fixture(&format!("{SOLUTION}{DATA}"));
    fixture.check_with_cache("generate sum", 0, &["5 created"]);
    fixture
}

fn edit_recipe(fixture: &Fixture, from: &str, to: &str) {
    let name = "sum/generators/generators.yaml";
    let text = fixture.read(name);
    assert!(text.contains(from), "{text}");
    fixture.write(name, text.replace(from, to));
}

const NEXT: &str = "with the recipe, which takes its generators and solutions";

/// What `verify` says of the recipe; `next` if something was not compared.
fn told(fixture: &Fixture, with_memory: bool) -> Vec<String> {
    let mut command = fixture.juror("verify sum --json");
    if with_memory {
        command.env("JUROR_CACHE", fixture.path("cache/juror"));
    }
    let output = command.output().expect("juror runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    let texts = |list: &str, key: &str| -> Vec<String> {
        let list = report[list].as_array().expect("a list").iter();
        list.map(|entry| {
            let path = entry["path"].as_str().unwrap_or_default();
            format!("{path}: {}", entry[key].as_str().unwrap_or_default())
        })
        .collect()
    };
    let mut told = texts("diagnostics", "message");
    // The validator is loose, and the sample is also a secret case.
    told.retain(|text| text.contains("recipe") || text.contains("was changed since"));
    told.extend(texts("next", "what").into_iter().filter(|what| what.contains(NEXT)));
    told
}

/// A row: a change after `generate`, what is said with a memory, and what without. Each is said once.
#[test]
fn what_differs_from_the_recipe_is_named() {
    let check = |change: fn(&Fixture), with: &[&str], without: &[&str]| {
        let fixture = package();
        change(&fixture);
        for (with_memory, expected) in [(true, with), (false, without)] {
            let told = told(&fixture, with_memory);
            assert_eq!(told.len(), expected.len(), "{with_memory}: {told:#?}");
            for (told, expected) in told.iter().zip(expected) {
                assert!(told.contains(expected), "{with_memory}: {expected}: {told}");
            }
        }
    };
    // Inputs that a generator makes and answers that a solution makes are not known.
    let rest = "compare 2 test cases with the recipe";
    check(|_| (), &[], &[rest]);
    check(
        |fixture| edit_recipe(fixture, "in: 1 2", "in: 1 3"),
        &[
            "generators.yaml: the recipe, or a file that it copies, was changed since it made secret/a",
        ],
        &["sum/data/secret/a.in: differs from what the recipe makes: secret/a.in", rest],
    );
    check(
        |fixture| edit_recipe(fixture, "gen.sh 3 4", "gen.sh 4 4"),
        &["was changed since it made secret/b"],
        &[rest],
    );
    check(
        |fixture| fixture.write("sum/generators/manual/m.in", "4 4\n"),
        &["the recipe, or a file that it copies, was changed since it made sample/s"],
        &["sum/data/sample/s.in: differs from what the recipe makes", rest],
    );
    check(
        |fixture| fixture.write("sum/generators/gen.sh", "echo \"$2 $1\"\n"),
        &["sum/generators/gen.sh: was changed since it made the inputs of secret/b"],
        &[rest],
    );
    check(
        |fixture| {
            fixture.write("sum/submissions/accepted/right.sh", "read -r x y; echo $((x + y))\n")
        },
        &[
            "sum/submissions/accepted/right.sh: was changed since it made the answers of sample/s, secret/a, secret/b, secret/c",
        ],
        &[rest],
    );
    check(
        |fixture| fixture.write("sum/data/secret/b.in", "4 3\n"),
        &["sum/data/secret/b.in: differs from what the recipe makes: secret/b.in"],
        &[rest],
    );
    check(
        |fixture| fixture.write("sum/data/secret/c.yaml", "description: y\n"),
        &["sum/data/secret/c.yaml: differs from what the recipe makes: secret/c.yaml"],
        &["sum/data/secret/c.yaml: differs from what the recipe makes: secret/c.yaml", rest],
    );
    check(
        |fixture| {
            for name in ["a.in", "a.ans", "s.in", "s.ans"] {
                fixture.remove(&format!("sum/data/secret/{name}"));
            }
        },
        &["sum/data: lacks what the recipe makes: secret/a, secret/s"],
        &["sum/data: lacks what the recipe makes: secret/a, secret/s", "compare 1 test case with"],
    );
    check(
        |fixture| edit_recipe(fixture, "      a: {in: 1 2}\n", ""),
        &["sum/data: has a test case that the recipe does not make: secret/a"],
        &[
            "sum/data: has a test case that the recipe does not make: secret/a",
            "compare 1 test case",
        ],
    );
    // Cases of a directory that the recipe does not fill are the author's.
    let own = |fixture: &Fixture| {
        fixture.write("sum/data/secret/own/1.in", "7 7\n");
        fixture.write("sum/data/secret/own/1.ans", "14\n");
    };
    check(own, &[], &[rest]);
}

#[test]
fn a_good_check_is_remembered_and_a_bad_one_is_not() {
    let fixture = package();
    fs::remove_dir_all(fixture.path("cache")).expect("a memory");
    assert_eq!(told(&fixture, true).len(), 1);
    fixture.write("sum/data/secret/b.in", "4 3\n");
    fixture.check_with_cache("generate sum --check", 1, &["1 differs"]);
    assert_eq!(told(&fixture, true).len(), 1);
    fixture.write("sum/data/secret/b.in", "3 4\n");
    fixture.check_with_cache("generate sum --check", 0, &["5 unchanged"]);
    assert_eq!(told(&fixture, true), [""; 0]);
}

/// Somebody else made the data again, for example in version control: the memory of this machine is old.
#[test]
fn data_of_another_machine_is_no_fault() {
    let fixture = package();
    edit_recipe(&fixture, "gen.sh 3 4", "gen.sh 4 4");
    fixture.check("generate sum", 0, &["1 changed"]);
    let told = told(&fixture, true);
    assert!(matches!(&told[..], [next] if next.contains("compare 1 test case with")), "{told:#?}");
}
