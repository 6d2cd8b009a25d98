//! What `juror-nats init` writes and refuses.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use regex::Regex;

use crate::process::juror_nats;

fn init(dir: &Path, line: &str) -> Command {
    let mut command = juror_nats(&["init"]);
    command.current_dir(dir).args(line.split(' '));
    command
}

/// By their paths in the directory, in their order.
fn files_below(dir: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut directories = vec![dir.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else {
                files.push(path.strip_prefix(dir).unwrap().display().to_string());
            }
        }
    }
    files.sort();
    files
}

/// All files, with keys and certificates masked.
fn generated_files(line: &str) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    let printed = init(dir.path(), line).output().expect("juror runs").stdout;
    let mut text = format!("$ juror-nats init {line}\n{}", String::from_utf8_lossy(&printed));
    let whole = dir.path().join(line.split(' ').next().expect("a directory"));
    for file in files_below(&whole) {
        let path = whole.join(&file);
        let rights = path.metadata().expect("a file").permissions().mode() & 0o777;
        text += &format!("\n==== {file} {rights:o}\n");
        // The files of all servers are alike.
        if !file.contains("n2") && !file.contains("n3") {
            text += &fs::read_to_string(&path).expect("a text");
        }
        let parent = path.parent().and_then(|parent| parent.metadata().ok()).expect("a directory");
        assert_eq!(parent.permissions().mode() & 0o777, 0o700, "{file}");
    }
    for (what, mask) in [
        (r"(?s)(-----BEGIN [A-Z ]+-----).*?(-----END)", "$1\n...\n$2"),
        (r"\bU[A-Z2-7]{55}\b", "UPUBLIC"),
        (r"\bSU[A-Z2-7]{56}\b", "SUSEED"),
    ] {
        text = Regex::new(what).expect("a pattern").replace_all(&text, mask).into_owned();
    }
    text
}

fn check_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn init_writes_a_directory_for_each_machine() {
    let three = "c --server n1 --server n2 --server n3:5222 --worker a --worker b --disk 100";
    check_snapshot("init", &generated_files(three));
    let one = generated_files("c");
    let first = "$ juror-nats init c\nstart the server on localhost, in a copy of its directory:\n";
    assert!(one.starts_with(first), "{one}");
    // No other server can join.
    assert!(one.contains("listen: \"0.0.0.0:4222\"") && !one.contains("routes"), "{one}");
}

#[test]
fn impossible_clusters_are_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join("there")).expect("a directory");
    for (line, piece) in [
        ("there", "there is there already"),
        ("c --server a --server b", "2 servers cannot outvote one that is lost"),
        ("c --server a --server b --server a", "--server: a is given twice"),
        ("c --server a_b", "`a_b` is not a host"),
        ("c --server a:0", "`a:0` is not a host"),
        ("c --server a\"b", "is not a host"),
        ("c --server a:70000", "`a:70000` is not a host"),
        ("c --worker a.b", "`a.b` is not a valid name"),
        ("c --worker a --worker a", "--worker: a is given twice"),
        ("c --name a/b", "`a/b` is not a valid name"),
        ("c --disk 63M", "from 64M to 1024T"),
        ("c --disk 10X", "from 64M to 1024T"),
        ("c&d", "has a `&`, which has a meaning in addresses"),
        ("no/where/c", "no/where is not a directory; make it first"),
    ] {
        let output = init(dir.path(), line).output().expect("juror runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(!output.status.success() && text.contains(piece), "{line}: {text}");
        assert_eq!(files_below(dir.path()), Vec::<String>::new(), "{line}");
    }
}
