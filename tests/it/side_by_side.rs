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
