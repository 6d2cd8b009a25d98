//! Problems that came, and the files that they become.

use std::collections::BTreeSet;

use crate::package::companion::CompanionProblem;
use crate::package::companion::folder::{NewFile, changed_folder, new_folder, received_url};

const URL: &str = r#""url": "https://example.org/a""#;

fn problem(members: &str) -> CompanionProblem {
    let json = format!(r#"{{"name": "A", {URL}{members}}}"#);
    CompanionProblem::parse(json.as_bytes()).expect("a problem")
}

fn tests(texts: &[&str]) -> String {
    let all =
        texts.iter().map(|text| format!(r#"{{"input": "{text}\n", "output": "{text}{text}\n"}}"#));
    format!(r#", "tests": [{}]"#, all.collect::<Vec<_>>().join(", "))
}

fn shown(files: &[NewFile]) -> String {
    let all = files.iter().map(|file| {
        let text = String::from_utf8_lossy(&file.text);
        format!("--- {}\n{text}", file.name)
    });
    all.collect()
}

const MARK: &str =
    "# `juror listen` writes this table again if the problem comes again.\nname = \"A\"\n";

#[test]
fn a_problem_becomes_bare_tests() {
    let check = |members: &str, settings: &str, numbers: &str, files: &str| {
        let received =
            format!("[received]\n{MARK}url = \"https://example.org/a\"\ntests = [{numbers}]\n");
        let expected = format!("--- juror.toml\n{settings}{received}{files}");
        assert_eq!(shown(&new_folder(&problem(members))), expected, "{members}");
    };
    check("", "", "", "");
    let files = "--- 1.in\n1\n--- 1.out\n11\n--- 2.in\n2\n--- 2.out\n22\n";
    check(&tests(&["1", "2"]), "", "1, 2", files);
    let limits = |text: &str| format!("# In seconds and MiB.\n[limits]\n{text}\n");
    let both = limits("time_limit = 2.5\nmemory = 256\n");
    check(r#", "timeLimit": 2500, "memoryLimit": 256"#, &both, "", "");
    check(r#", "timeLimit": 1000"#, &limits("time_limit = 1.0\n"), "", "");
    check(r#", "timeLimit": 0, "memoryLimit": 62.5"#, &limits("memory = 63\n"), "", "");
    check(r#", "timeLimit": null, "memoryLimit": 0"#, "", "", "");
    check(r#", "timeLimit": -1, "memoryLimit": -1"#, "", "", "");
    let io = |input: &str, output: &str| format!(r#", "input": {input}, "output": {output}"#);
    let [a, b] =
        [r#"{"type": "file", "fileName": "a.in"}"#, r#"{"type": "file", "fileName": "a.out"}"#];
    check(&io(a, b), "[io]\ninput = \"a.in\"\noutput = \"a.out\"\n\n", "", "");
    check(&io(a, r#"{"type": "stdout"}"#), "", "", "");
    check(&io(a, a), "", "", "");
    check(&io(r#"{"type": "file", "fileName": "../x"}"#, b), "", "", "");
}

#[test]
fn what_juror_cannot_judge_is_told() {
    let check = |members: &str, expected: &[&str]| {
        let members = format!("{}{members}", tests(&["1"]));
        let remarks = problem(&members).remarks();
        let starts = remarks.iter().zip(expected).all(|(remark, start)| remark.starts_with(start));
        assert!(starts && remarks.len() == expected.len(), "{members}: {remarks:?}");
    };
    check("", &[]);
    check(r#", "input": {"type": "stdin"}, "output": {"type": "stdout"}"#, &[]);
    check(r#", "interactive": true"#, &["the problem is interactive"]);
    check(r#", "input": {"type": "regex", "pattern": "a.*"}"#, &["juror cannot judge its input"]);
    let remarks = problem("").remarks();
    assert_eq!(remarks, ["it came without tests: add 1.in and 1.out"]);
}

#[test]
fn what_is_no_problem_is_refused() {
    let check = |json: &str, expected: &str| {
        let error = CompanionProblem::parse(json.as_bytes()).expect_err("a fault");
        assert!(error.starts_with(expected), "{error}");
    };
    check("", "this is not JSON: EOF");
    check("{", "this is not JSON: EOF");
    check(&"[".repeat(100_000), "this is no problem of Competitive Companion: invalid type");
    let deep = format!(r#"{{"name": "A", "x": {}"#, "[".repeat(100_000));
    check(&deep, "this is not JSON: EOF");
    check("\u{feff}{}", "this is not JSON");
    check("[]", "this is no problem of Competitive Companion: invalid length 0");
    check("{}", "this is no problem of Competitive Companion: missing field `name`");
    check(r#"{"name": "A", "tests": [{"input": "1"}]}"#, "this is no problem of Competitive");
    check(r#"{"name": "A", "timeLimit": 1e300}"#, "`timeLimit` is too large");
    check(r#"{"name": "A", "memoryLimit": 268435456}"#, "`memoryLimit` is too large");
    let many = tests(&["1"; 1001]);
    check(&format!(r#"{{"name": "A"{many}}}"#), "1001 tests are too many: at most 1000");
    let long = "x".repeat(10_001);
    check(&format!(r#"{{"name": "{long}"}}"#), "`name` is too long: at most 10000 bytes");
    check(&format!(r#"{{"name": "A", "url": "{long}"}}"#), "`url` is too long");
}

#[test]
fn a_problem_that_comes_again_replaces_its_own_tests() {
    let check = |first: &[&str], own: &[&str], then: &[&str], write: &str, remove: &[&str]| {
        let files = new_folder(&problem(&tests(first)));
        let text = String::from_utf8(files[0].text.clone()).expect("a text");
        let text = format!("# My remark.\ncompare = \"lines\"\n\n{text}");
        let names = files.iter().map(|file| file.name.clone());
        let names: BTreeSet<String> =
            names.chain(own.iter().map(|name| name.to_string())).collect();
        let change = changed_folder(&problem(&tests(then)), &text, &names).expect("a change");
        let [settings, tests @ ..] = &change.write[..] else { panic!("no settings") };
        let settings = String::from_utf8_lossy(&settings.text);
        assert!(settings.starts_with("# My remark.\ncompare = \"lines\"\n\n[received]\n"));
        assert_eq!(received_url(&settings).as_deref(), Some("https://example.org/a"));
        let written: Vec<String> = tests
            .iter()
            .map(|file| format!("{}={}", file.name, String::from_utf8_lossy(&file.text).trim()))
            .collect();
        assert_eq!(written.join(" "), write);
        assert_eq!(change.remove, remove);
    };
    check(&["1"], &["main.cpp"], &["2"], "1.in=2 1.out=22", &[]);
    check(&["1", "2"], &[], &["3"], "1.in=3 1.out=33", &["2.in", "2.out"]);
    // The user's own tests stay.
    let write = "1.in=3 1.out=33 3.in=4 3.out=44";
    check(&["1"], &["2.in", "2.ans"], &["3", "4"], write, &[]);
    check(&["1", "2"], &["3.in"], &[], "", &["1.in", "1.out", "2.in", "2.out"]);
}

/// Writes `received` otherwise, as people may, and checks the settings after the problem comes again.
fn check_received(settings: &str, expected: Result<&str, &str>) {
    let names = BTreeSet::from(["1.in".to_owned(), "1.out".to_owned()]);
    assert_eq!(received_url(settings).as_deref(), Some("https://example.org/a"), "{settings}");
    let change = changed_folder(&problem(&tests(&["2"])), settings, &names);
    match (change, expected) {
        (Ok(change), Ok(kept)) => {
            let received =
                format!("[received]\n{MARK}url = \"https://example.org/a\"\ntests = [1]\n");
            let expected = format!("--- juror.toml\n{kept}{received}--- 1.in\n2\n--- 1.out\n22\n");
            assert_eq!(shown(&change.write), expected, "{settings}");
            assert_eq!(change.remove, Vec::<String>::new(), "{settings}");
        }
        (Err(message), Err(expected)) => assert!(message.contains(expected), "{message}"),
        (Ok(change), Err(_)) => panic!("{settings}: {}", shown(&change.write)),
        (Err(message), Ok(_)) => panic!("{settings}: {message}"),
    }
}

#[test]
fn the_table_of_a_problem_is_replaced_however_it_is_written() {
    let keys = "url = \"https://example.org/a\"\ntests = [1]\n";
    for head in [
        "[received]",
        "[received] # from the browser",
        "  [ received ]\t",
        "[\"received\"]",
        "['received'] #",
        "[received]\r",
    ] {
        check_received(&format!("{head}\n{keys}"), Ok(""));
        let before = "# Mine.\ncompare = \"lines\"\n\n";
        check_received(&format!("{before}{head}\n{keys}"), Ok(before));
        let after = "\n# In seconds.\n[limits]\ntime_limit = 3\n";
        check_received(&format!("{head}\n# Its own.\n{keys}{after}"), Ok(after));
        check_received(&format!("{before}{head}\n{keys}{after}"), Ok(&format!("{before}{after}")));
    }
    let dotted = "received.url = \"https://example.org/a\"\nreceived.tests = [1]\n";
    check_received(&format!("{dotted}compare = \"lines\""), Ok("compare = \"lines\"\n"));
    let inline = "received = {url = \"https://example.org/a\", tests = [1]}\n";
    check_received(&format!("{inline}compare = \"lines\"\n"), Ok("compare = \"lines\"\n"));
    let text = "note = \"\"\"\n[received]\n\"\"\"\n";
    check_received(&format!("{text}[received]\n{keys}"), Ok(text));
    let literal = "note = '''\n[received] # x\n[received]\n'''\n";
    check_received(&format!("{literal}[received]\n{keys}"), Ok(literal));
    // Parts of it are elsewhere.
    let more = "[limits]\ntime_limit = 3\n[received.more]\nx = 1\n";
    check_received(&format!("[received]\n{keys}{more}"), Ok(more));
    let between =
        "received.url = \"https://example.org/a\"\ncompare = \"lines\"\nreceived.tests = [1]\n";
    check_received(between, Err("juror.toml cannot be changed: write its `received` as one table"));
}

#[test]
fn settings_of_others_have_no_address() {
    for text in ["", "[io]\n", "received = 1\n", "[received]\nurl = 1\n", "[received\n"] {
        assert_eq!(received_url(text), None, "{text}");
    }
}
