//! What `juror cluster init` writes and refuses.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use regex::Regex;

use crate::golden;
use crate::tidy::files_below;
use crate::wire;

fn juror(dir: &Path, line: &str) -> Command {
    let mut command = wire::juror();
    command.current_dir(dir).args(["cluster", "init"]).args(line.split(' '));
    command
}

/// All files, with keys and certificates masked.
fn generated_files(line: &str) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    let printed = juror(dir.path(), line).output().expect("juror runs").stdout;
    let mut text = format!("$ juror cluster init {line}\n{}", String::from_utf8_lossy(&printed));
    let whole = dir.path().join(line.split(' ').next().expect("a directory"));
    for file in files_below(&whole) {
        let path = whole.join(&file);
        let rights = path.metadata().expect("a file").permissions().mode() & 0o777;
        text += &format!("\n==== {file} {rights:o}\n");
        // The files of all servers are alike.
        if !file.contains("n2") && !file.contains("n3") {
            text += &fs::read_to_string(&path).expect("a text");
        }
        let parent = path.parent().and_then(|it| it.metadata().ok()).expect("a directory");
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

#[test]
fn init_writes_a_directory_for_each_machine() {
    let three = "c --server n1 --server n2 --server n3:5222 --worker a --worker b --disk 100";
    golden::file::check_snapshot("cluster-init.txt", &generated_files(three));
    let one = generated_files("c");
    let first =
        "$ juror cluster init c\nstart the server on localhost, in a copy of its directory:\n";
    assert!(one.starts_with(first), "{one}");
    // No other server can join.
    assert!(one.contains("listen: \"0.0.0.0:4222\"") && !one.contains("routes"), "{one}");
}

#[test]
fn impossible_clusters_are_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join("there")).expect("a directory");
    for (line, piece) in [
        ("there", "there already exists"),
        ("c --server a --server b", "2 servers cannot outvote one that is lost"),
        ("c --server a --server b --server a", "--server: a is given twice"),
        ("c --server a_b", "`a_b` is not a host"),
        ("c --server a:0", "`a:0` is not a host"),
        ("c --server a\"b", "is not a host"),
        ("c --server a:70000", "`a:70000` is not a host"),
        ("c --worker a.b", "`a.b` is not a valid name"),
        ("c --worker a --worker a", "--worker: a is given twice"),
        ("c --name a/b", "`a/b` is not a valid name"),
        ("c&d", "has a `&`, which has a meaning in addresses"),
        ("no/where/c", "no/where is not a directory; make it first"),
    ] {
        let output = juror(dir.path(), line).output().expect("juror runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(!output.status.success() && text.contains(piece), "{line}: {text}");
        assert_eq!(files_below(dir.path()), Vec::<String>::new(), "{line}");
    }
}
