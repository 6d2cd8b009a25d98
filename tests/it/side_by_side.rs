//! Several packages in one command: processed at the same time, reported one after the other.

use std::fs;

use serde_json::Value;

use crate::fixture::{Fixture, RIGHT, WRONG};

/// Removes values that differ between runs.
fn remove_volatile_keys(value: &mut Value) {
    const VOLATILE_KEYS: [&str; 2] = ["memory_bytes", "command_line"];
    match value {
        Value::Object(map) => {
            map.retain(|key, _| {
                !key.ends_with("_seconds") && !VOLATILE_KEYS.contains(&key.as_str())
            });
            map.values_mut().for_each(remove_volatile_keys);
        }
        Value::Array(all) => all.iter_mut().for_each(remove_volatile_keys),
        _ => {}
    }
}

fn copy_package(fixture: &Fixture, name: &str) {
    for entry in walkdir::WalkDir::new(fixture.path("sum")) {
        let entry = entry.expect("an entry");
        let inside = entry.path().strip_prefix(fixture.path("sum")).expect("inside");
        let path = fixture.path(name).join(inside);
        if entry.file_type().is_dir() {
            fs::create_dir_all(path).expect("a directory")
        } else {
            fs::copy(entry.path(), path).expect("a file");
        }
    }
}

#[test]
fn packages_are_found_in_a_tree_and_by_their_changed_files() {
    let fixture = Fixture::new();
    for name in ["tree/a", "tree/deep/b", "tree/.hidden/c"] {
        copy_package(&fixture, name);
    }
    let packed = fixture.path("tree/packed.zip");
    fixture.check("convert sum --to domjudge-zip tree/packed.zip", 0, &[]);
    assert!(packed.exists());
    for (name, text) in [
        ("tree/README.md", "Problems.\n"),
        ("tree/lib/README", "\n"),
        ("tree/lost/data/secret/1.in", "1 2\n"),
        ("tree/lost/submissions/accepted/right.sh", RIGHT),
        ("tree/a/data/secret/small/1.in", "5 8\n"),
    ] {
        fixture.write(name, text);
    }
    let check = |arguments: &str, files: &str, code: i32, packages: &[&str], messages: &[&str]| {
        let mut command = fixture.juror(&format!("verify {arguments} --case sample"));
        let output = command.write_stdin(files).arg("--json").output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let report: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(output.status.code(), Some(code), "{arguments}: {report:#}");
        let all = report["packages"].as_array().expect("packages").iter();
        let names: Vec<&str> = all.filter_map(|package| package["name"].as_str()).collect();
        assert_eq!(names, packages, "{arguments} {files}");
        if !messages.is_empty() {
            let mut command = fixture.juror(&format!("verify {arguments} --case sample"));
            let output = command.write_stdin(files).output().expect("juror runs");
            let text =
                String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
            messages.iter().for_each(|piece| assert!(flat.contains(piece), "{piece}: {text}"));
        }
    };
    // A package without settings is told, not left out.
    check("tree", "", 3, &["a", "b"], &["is missing", "tree/lost/problem.yaml"]);
    fs::remove_dir_all(fixture.path("tree/lost")).expect("a directory to remove");
    check("tree", "", 0, &["a", "b"], &[]);
    check("tree/a tree/deep", "", 0, &["a", "b"], &[]);
    let others = "no package, left out: tree/lib, tree/README.md";
    check(
        "tree/a tree/deep tree/lib tree/README.md tree/packed.zip",
        "",
        0,
        &["a", "b", "packed.zip"],
        &[others],
    );
    check("tree/lib", "", 3, &[], &["no problem.yaml in tree/lib"]);
    check("tree/README.md", "", 3, &[], &["neither a directory nor an archive"]);
    check("tree/a tree/none", "", 3, &["a"], &["no such directory"]);
    check("tree/a/data", "", 3, &[], &["did you mean", "tree/a?"]);
    // Files of other directories, and files that are gone.
    let changed = "tree/deep/b/data/secret/gone.in\nREADME.md\ntree/deep/b/problem.yaml\n";
    check("--changed -", changed, 0, &["b"], &["1 of 3 changed files in none of the packages"]);
    check("--changed - tree", changed, 0, &["b"], &[]);
    check("tree/a --changed -", changed, 0, &[], &["3 of 3 changed files"]);
    check("--changed -", "tree/packed.zip\0tree/a/x y\n\0", 0, &["packed.zip", "a"], &[]);
    check("--changed -", "", 0, &[], &[]);
    check("--changed -", "\"tree/\\303\\244/1.in\"\n", 2, &[], &["git diff --name-only -z"]);
    check("--changed none.txt", "", 2, &[], &["--changed: cannot read none.txt"]);
    fixture.check("verify", 2, &["<PACKAGE>", "Usage"]);
}

#[test]
fn output_does_not_depend_on_the_number_of_concurrent_packages() {
    let fixture = Fixture::new();
    for name in ["bad", "wrong", "none", "last"] {
        copy_package(&fixture, name);
    }
    fixture.write("bad/problem.yaml", "name: 1\n");
    fixture.write("wrong/submissions/accepted/wrong.sh", WRONG);
    fixture.write("none/data/secret/3.in", "1 1\n");
    fixture.write("last/submissions/accepted/b.sh", RIGHT);
    let check = |options: &str, code: i32| {
        let line = format!("verify sum bad wrong none last {options} --jobs");
        let report = |jobs: usize| {
            let mut report = fixture.json(&format!("{line} {jobs}"), code);
            remove_volatile_keys(&mut report);
            report
        };
        let alone = report(1);
        for jobs in [2, 5] {
            assert_eq!(report(jobs), alone, "{line} {jobs}");
        }
        alone
    };
    let report = check("", 3);
    let packages = report["packages"].as_array().expect("packages").iter();
    let names: Vec<&Value> = packages.map(|package| &package["name"]).collect();
    assert_eq!(names, ["sum", "wrong", "last"]);
    assert_eq!(report["summary"]["broken_expectations"], 1);
    check("--shard 2/3", 3);
    check("--case secret/small/*", 3);
}
