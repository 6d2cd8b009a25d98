//! The packages that ship are verified as their expectations say.

use std::path::Path;

use assert_cmd::Command;

/// The tools that a package's programs need beside Rust.
const TOOLS: [&str; 5] = ["cc", "c++", "python3", "javac", "java"];

fn is_there(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(tool).is_file())
}

/// Verifies a package, and holds what is remarked about it against these messages.
fn check(package: &str, remarks: &[&str]) {
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
    let found = report["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter();
    let found: Vec<&str> = found
        .map(|diagnostic| diagnostic["message"].as_str().expect("a message"))
        .collect();
    assert_eq!(found, remarks);
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
    check("game1", &[]);
}

/// What is remarked about an output validator in Rust, which juror builds and others do not.
const IN_RUST: &str =
    "is neither Python 3 nor C nor C++: the format allows no other language for validators";

#[test]
fn game1live_is_as_its_expectations_say() {
    let _turn = crate::turn();
    check("game1live", &[IN_RUST]);
}

#[test]
fn gridlive_is_as_its_expectations_say() {
    let _turn = crate::turn();
    check("gridlive", &[IN_RUST]);
}

#[test]
fn the_data_of_the_packages_is_what_their_recipes_give() {
    for package in ["game1", "game1live", "gridlive"] {
        check_data(package);
    }
}

fn check_data(package: &str) {
    let _turn = crate::turn();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("problems")
        .join(package);
    let mut command = Command::cargo_bin("juror").expect("the binary");
    command
        .arg("generate")
        .arg(dir)
        .arg("--check")
        .assert()
        .success();
}
