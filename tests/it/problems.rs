//! The packages that ship are verified as their expectations say.

use std::path::Path;

use assert_cmd::Command;

/// The tools that a package's programs need beside Rust.
const TOOLS: [&str; 5] = ["cc", "c++", "python3", "javac", "java"];

fn is_there(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(tool).is_file())
}

fn check(package: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("problems")
        .join(package);
    let mut command = Command::cargo_bin("juror").expect("the binary");
    let output = command
        .arg("verify")
        .arg(&dir)
        .arg("--json")
        .output()
        .expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report: serde_json::Value = serde_json::from_str(&text).expect("a report");
    let missing: Vec<&str> = TOOLS.into_iter().filter(|tool| !is_there(tool)).collect();
    let failed = |submission: &serde_json::Value| {
        !submission["error"].is_null()
            || submission["broken_expectations"]
                .as_array()
                .is_some_and(|broken| !broken.is_empty())
    };
    let submissions = report["submissions"].as_array().expect("submissions");
    let unexpected: Vec<&serde_json::Value> = submissions
        .iter()
        .filter(|submission| failed(submission))
        .filter(|submission| submission["error"].is_null() || missing.is_empty())
        .collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    assert_eq!(report["diagnostics"], serde_json::json!([]));
    if missing.is_empty() {
        assert_eq!(output.status.code(), Some(0), "{text}");
    } else {
        announce(&format!("skipped what needs {}", missing.join(", ")));
    }
}

#[expect(clippy::print_stderr, reason = "a skipped part of a test must be seen")]
fn announce(what: &str) {
    eprintln!("{what}");
}

#[test]
fn game1_is_as_its_expectations_say() {
    let _turn = crate::turn();
    check("game1");
}

#[test]
fn the_data_of_game1_is_what_its_recipe_gives() {
    let _turn = crate::turn();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/game1");
    let mut command = Command::cargo_bin("juror").expect("the binary");
    command
        .arg("generate")
        .arg(dir)
        .arg("--check")
        .assert()
        .success();
}
