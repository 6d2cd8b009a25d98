//! Whole packages: the verdicts of `juror verify` here and behind a server. Needs `juror` beside `juror-nats`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::jobs::prepare;
use crate::process::{Server, Worker, announce_skip, juror_nats};

/// `juror`, if cargo has built it.
fn juror() -> Option<PathBuf> {
    let found = PathBuf::from(env!("CARGO_BIN_EXE_juror-nats")).with_file_name("juror");
    if !found.is_file() {
        announce_skip("no juror here: build it first, then packages are verified behind a server");
        return None;
    }
    Some(found)
}

/// The exit code, and the verdict of each run.
fn verify(juror: &Path, package: &str, more: &[&str]) -> (Option<i32>, BTreeMap<String, String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(juror);
    command.args(["verify", "--json"]).arg(root.join("problems").join(package)).args(more);
    let output = command.env("JUROR_CACHE", "off").output().expect("juror runs");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let submissions = report["submissions"].as_array().unwrap_or_else(|| panic!("{text}"));
    let cases = submissions.iter().flat_map(|submission| {
        let cases = submission["judgement"]["test_cases"].as_array().expect("test cases");
        cases.iter().map(|case| {
            (format!("{} {}", submission["name"], case["name"]), case["verdict"].to_string())
        })
    });
    (output.status.code(), cases.collect())
}

#[test]
fn packages_get_the_same_verdicts_here_and_behind_a_server() {
    let Some(juror) = juror() else { return };
    let Some(server) = Server::start() else { return };
    let url = server.url();
    prepare(&url);
    let start = || {
        let mut command = juror_nats(&["work", &url, "--"]);
        command.arg(&juror).args(["worker", "--stdio", "--jobs", "1"]);
        Worker::of_command(command)
    };
    let _workers = [start(), start()];
    server.wait_for_workers(2);
    let submit = format!("'{}' submit {url}", env!("CARGO_BIN_EXE_juror-nats"));
    for package in ["game1", "gridlive"] {
        let here = verify(&juror, package, &[]);
        assert!(here.1.len() > 3, "{package}: {here:?}");
        assert_eq!(verify(&juror, package, &["--executor", &submit]), here, "{package}");
    }
}
