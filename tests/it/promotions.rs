//! `--promote` leaves packages that `verify` accepts, and that are as their recipes make them.

use std::fs;

use juror_packages::new::Template;

use crate::fixture::{Fixture, WRONG};
use crate::recipes::SOLUTION;
use crate::{builds, strength, stress};

/// The package `sum` with this recipe and its data. Without one, there are two test groups without a recipe.
fn package(recipe: Option<&str>) -> Fixture {
    let fixture = stress::fixture();
    fs::remove_dir_all(fixture.path("sum/data")).expect("the data");
    fixture.write("my.sh", WRONG);
    // It accepts what the arguments of a group allow.
    let limit =
        "#!/usr/bin/env bash\nread -r a b; [ \"$a\" -ge \"${1:-0}\" ] && exit 42; exit 43\n";
    fixture.write("sum/input_validators/limit/run", limit);
    fixture.make_executable("sum/input_validators/limit/run");
    match recipe {
        Some(recipe) => {
            let text = format!("{SOLUTION}data:\n{recipe}");
            fixture.write("sum/generators/generators.yaml", text);
            fixture.juror("generate sum").assert().success();
        }
        None => {
            for group in ["a", "b"] {
                fixture.write(&format!("sum/data/secret/{group}/test_group.yaml"), "{}\n");
                fixture.write(&format!("sum/data/secret/{group}/1.in"), "1 1\n");
                fixture.write(&format!("sum/data/secret/{group}/1.ans"), "2\n");
            }
        }
    }
    fixture
}

const STRESS: &str = "stress sum my.sh --seed 1 --explain 0 --runs 100 --time 10m --promote";

#[test]
fn a_promoted_case_leaves_a_package_that_verifies() {
    let check = |recipe: Option<&str>, name: &str, promoted: &str, moved: &str| {
        let fixture = package(recipe);
        let report = fixture.json(&format!("{STRESS} {name}"), 1);
        let found = &report["counterexample"];
        assert_eq!(found["promoted"], promoted, "{recipe:?}: {report:#}");
        assert!(fixture.path(&format!("sum/data/{moved}")).exists(), "{moved}");
        fixture.check("verify sum", 0, &["all as expected"]);
        if recipe.is_some() {
            fixture.check("generate sum --check", 0, &[]);
        }
    };
    let flat_map = "  secret:\n    data:\n      x: {in: 1 1}\n";
    check(Some(flat_map), "new", "secret/new", "secret/x.in");
    check(Some(flat_map), "deep/new", "secret/deep/new", "secret/x.in");
    let flat_list = "  secret:\n    data:\n    - x: {in: 1 1}\n    - y: {in: 1 2}\n";
    check(Some(flat_list), "new", "secret/3-new", "secret/1-x.in");
    check(Some(flat_list), "deep/new", "secret/1-deep/new", "secret/1-x.in");
    // The tenth case gives all of them numbers of two digits.
    let nine: String = (1..10).map(|at| format!("    - '': {{in: 1 {at}}}\n")).collect();
    let nine = format!("  secret:\n    data:\n{nine}");
    check(Some(&nine), "new", "secret/10-new", "secret/09.in");

    let group = "        test_group.yaml: {input_validator_args: {limit: ['0']}}\n        data:\n";
    let map_of_maps = format!(
        "  secret:\n    data:\n      a:\n{group}          x: {{in: 1 1}}\n      b:\n{group}          x: {{in: 1 2}}\n"
    );
    check(Some(&map_of_maps), "a/new", "secret/a/new", "secret/b/x.in");
    check(Some(&map_of_maps), "data/secret/b/new", "secret/b/new", "secret/b/x.in");
    let map_of_lists = map_of_maps.replace("          x:", "        - x:");
    check(Some(&map_of_lists), "a/new", "secret/a/2-new", "secret/b/3-x.in");
    check(Some(&map_of_lists), "b/new", "secret/b/3-new", "secret/b/2-x.in");
    check(Some(&map_of_lists), "a/deep/new", "secret/a/1-deep/new", "secret/b/2-x.in");
    let list_of_lists =
        map_of_lists.replace("      a:", "    - a:").replace("      b:", "    - b:");
    check(Some(&list_of_lists), "1-a/new", "secret/1-a/2-new", "secret/2-b/3-x.in");
    check(Some(&list_of_lists), "2-b/new", "secret/2-b/3-new", "secret/1-a/1-x.in");
    // Links, and files that link to a file of their own case.
    let linked = format!("{map_of_lists}  sample:\n    include: [secret/b]\n    data: {{}}\n")
        .replace("{in: 1 2}", "{in: 1 2, in.statement: {link: in}, in.download: {link: in}}");
    check(Some(&linked), "a/new", "secret/a/2-new", "sample/3-x.in.download");
    // Arguments of the group.
    let strict = map_of_lists.replacen("'0'", "'2'", 1).replacen("{in: 1 1}", "{in: 2 1}", 1);
    check(Some(&strict), "a/new", "secret/a/2-new", "secret/a/1-x.in");
    check(None, "a/new", "secret/a/new", "secret/b/1.in");
}

#[test]
fn a_name_without_a_group_is_refused_before_the_search() {
    let fixture = package(None);
    let groups = "the groups are: a, b";
    let rows = [
        ("new", "data/secret has test groups, and a case must be in one, such as a/NAME"),
        ("c/new", "`c` is not a test group"),
    ];
    for (name, message) in rows {
        fixture.check(&format!("{STRESS} {name}"), 2, &[message, groups]);
    }
    let strength = "strength sum --promote";
    fixture.check(strength, 2, &["choose it with --into, such as --into b/strength"]);
    fixture.check(&format!("{strength} --into c"), 2, &["`c` is not a test group", groups]);
    fixture.check("strength sum --into a", 2, &["--promote"]);
}

/// A file with the new name of another case: nothing changes.
#[test]
fn a_file_in_the_way_of_a_new_number_stops_everything() {
    let recipe = "  secret:\n    data:\n      a:\n        test_group.yaml: {}\n        data:\n        - x: {in: 1 1}\n      \
                  b:\n        test_group.yaml: {}\n        data:\n        - x: {in: 1 2}\n";
    let fixture = package(Some(recipe));
    fixture.write("sum/data/secret/b/3-x.in", "7 7\n");
    fixture.write("sum/data/secret/b/3-x.ans", "14\n");
    let before = fixture.read("sum/generators/generators.yaml");
    let message = "is in the way: 2-x.in would get this name, so nothing was added";
    fixture.check(&format!("{STRESS} a/new"), 3, &["sum/data/secret/b/3-x.in", message]);
    assert_eq!(fixture.read("sum/generators/generators.yaml"), before);
    assert_eq!(fixture.read("sum/data/secret/b/2-x.in"), "1 2\n");
    assert!(!fixture.path("sum/data/secret/a/2-new.in").exists());
}

#[test]
fn strength_promotes_into_a_group() {
    if !builds::has_tool("cc") {
        return;
    }
    let fixture = strength::small_package_in_c();
    let group = "\n        test_group.yaml: {}\n        data:\n        - x: {in: 0 0}\n";
    fixture.write(
        "sum/generators/generators.yaml",
        format!("solution: /submissions/accepted/sum.c\ndata:\n  secret:\n    data:\n      a:{group}      b:{group}"),
    );
    fs::remove_dir_all(fixture.path("sum/data")).expect("the data");
    fixture.juror("generate sum").assert().success();
    let report = fixture.json("strength sum --seed 1 --time 10m --promote --into a/more", 0);
    let subjects = report["subjects"].as_array().expect("programs").iter();
    let names: Vec<&str> =
        subjects.filter_map(|subject| subject["missed"]["promoted"].as_str()).collect();
    assert!(!names.is_empty(), "{report:#}");
    assert!(names.iter().all(|name| name.starts_with("secret/a/1-more/")), "{names:?}");
    fixture.check("verify sum", 0, &["all as expected"]);
    fixture.check("generate sum --check", 0, &[]);
}

#[test]
fn every_new_package_takes_a_promoted_case() {
    if !builds::has_tool("rustc") {
        return;
    }
    for template in Template::ALL {
        let fixture = Fixture::new();
        let name = if template == Template::Scoring { "1-short/found" } else { "found" };
        fixture.check(&format!("new hello -q --type {}", template.name()), 0, &[]);
        let submissions = fixture.path("hello/submissions");
        let mut wrong = fs::read_dir(submissions.join("wrong_answer")).expect("programs").flatten();
        let wrong = wrong.next().expect("one").path();
        fs::remove_dir_all(submissions.join("time_limit_exceeded")).expect("slow programs");
        let options = "--seed 1 --explain 0 --runs 3000 --time 10m --shrink-time 1s";
        let search = format!("stress hello {} {options} --promote {name}", wrong.display());
        fixture.check_with_cache(&search, 1, &["added"]);
        fixture.check_with_cache("verify hello", 0, &["all as expected"]);
        fixture.check_with_cache("generate hello --check", 0, &[]);
    }
}
