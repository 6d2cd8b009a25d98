//! Reports in files: `--html`, `--csv`, `--junit`, `--github`; shards and `merge`.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::fixture::{Fixture, RIGHT, WRONG};

#[test]
fn reports_are_written_in_addition_to_the_output() {
    let fixture = Fixture::new();
    fixture.write("p.sh", WRONG);
    fixture.write("summary.md", "before\n");
    let summary = fixture.path("summary.md");
    let run = |arguments: &str, code: i32| {
        let mut command = fixture.juror(arguments);
        let output = command.env("GITHUB_STEP_SUMMARY", &summary).output().expect("juror runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    let read = |name: &str| fs::read_to_string(fixture.path(name)).expect(name);

    let (out, _) = run("judge sum p.sh --csv t.csv --junit t.xml --github", 1);
    assert!(out.contains("\n::error title=p.sh%3A WA on "), "{out}");
    assert!(read("t.csv").contains("\nsum,p.sh,WA,"), "{}", read("t.csv"));
    assert!(read("t.xml").contains("type=\"WA\"/>"), "{}", read("t.xml"));
    let summary = read("summary.md");
    assert!(
        summary.starts_with("before\n") && summary.contains("| sum | p.sh | WA |"),
        "{summary}"
    );

    let (out, errors) = run("judge sum p.sh --json --github", 1);
    assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
    assert!(errors.contains("::error title=p.sh"), "{errors}");

    run("judge sum p.sh --html t.html --csv t.csv", 1);
    let page = read("t.html");
    let failed = "<strong>wrong answer on secret/large/1</strong><span>token 1 differs: expected `100001`, got `3`";
    assert!(page.contains(failed) && page.contains("<span>100000 1</span>"), "{page}");

    run("verify sum --junit t.xml --csv t.csv --html t.html", 0);
    // As expected, but with reasons.
    assert!(read("t.html").contains("All 2 submissions are as expected."));
    assert!(read("t.html").contains("<span>100000 1</span>"));
    assert!(read("t.xml").contains("juror verify"), "{}", read("t.xml"));
    assert!(read("t.csv").contains("\nsum,accepted/right.sh,AC,"), "{}", read("t.csv"));
}

#[test]
fn an_unwritable_report_is_refused_before_the_first_run() {
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    fixture.write("old.csv", "package,submission\n");
    let check = |options: &str, messages: &[&str]| {
        fixture.check(&format!("judge sum p.sh {options}"), 2, messages);
        let text =
            fixture.juror(&format!("judge sum p.sh {options}")).output().expect("juror runs");
        assert!(!String::from_utf8_lossy(&text.stdout).contains("AC"), "{options}");
    };
    check("--csv none/t.csv", &["--csv: cannot write none/t.csv", "choose another file"]);
    check("--html none/t.html", &["--html: cannot write none/t.html", "choose another file"]);
    fixture.check("stress sum p.sh --html none/t.html", 2, &["--html: cannot write none/t.html"]);
    check("--junit sum", &["--junit: cannot write sum: is a directory"]);
    fixture.check(
        "generate sum --csv t",
        2,
        &["--csv is a table of submissions, and `juror generate` judges none"],
    );
    check("--csv t --junit t", &["--junit: t is another report"]);
    check("--csv t --junit ./t", &["--junit: ./t is another report"]);
    // A file that is not a report must not be replaced.
    for option in ["--csv p.sh", "--html sum/problem.yaml", "--junit old.csv"] {
        check(option, &["it exists and is not such a report"]);
    }
    assert_eq!(fixture.read("p.sh"), RIGHT);
    // A pipe has no other path.
    let piped = fixture.juror("judge sum p.sh -q --csv /dev/stdout").output().expect("juror runs");
    let text = String::from_utf8_lossy(&piped.stdout);
    assert!(text.contains("package,submission,") && piped.status.success(), "{text}");
    // An early failure leaves the old report, or writes a whole new one.
    fixture.check("judge nowhere p.sh --csv old.csv", 3, &["no such directory"]);
    let text = fs::read_to_string(fixture.path("old.csv")).expect("a table");
    assert!(text.starts_with("package,submission,") && text.lines().count() == 1, "{text}");
}

#[test]
fn a_report_follows_links_and_pipes_and_keeps_permissions() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    fixture.write("real.csv", "");
    let private = fs::Permissions::from_mode(0o600);
    fs::set_permissions(fixture.path("real.csv"), private).expect("rights");
    symlink("real.csv", fixture.path("link.csv")).expect("a link");
    fixture.check("judge sum p.sh -q --csv link.csv", 0, &["AC"]);
    let found = fs::symlink_metadata(fixture.path("link.csv")).expect("a file");
    assert!(found.is_symlink() && fixture.read("real.csv").contains("\nsum,p.sh,AC,"));
    let found = fs::metadata(fixture.path("real.csv")).expect("a file");
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    let line = format!(
        "mkfifo pipe && {{ cat pipe > got & }} && JUROR_CACHE=off {} judge sum p.sh --csv pipe; wait",
        assert_cmd::cargo::cargo_bin("juror").display()
    );
    let mut shell = std::process::Command::new("bash");
    let output = shell.current_dir(fixture.root()).args(["-c", &line]).output().expect("a shell");
    assert!(output.status.success(), "{output:?}");
    assert!(fixture.read("got").contains("\nsum,p.sh,AC,"));
    let found = fs::symlink_metadata(fixture.path("pipe")).expect("a pipe");
    assert!(found.file_type().is_fifo());
}

/// XML allows neither U+FFFE nor U+FFFF, even escaped.
#[test]
fn characters_that_xml_forbids_are_left_out() {
    let fixture = Fixture::new();
    fixture.write("p.sh", "printf '\\xef\\xbf\\xbe\\xef\\xbf\\xbf1\\x01\\n'\n");
    fixture.check("judge sum p.sh --junit t.xml", 1, &["WA"]);
    let text = fixture.read("t.xml");
    assert!(text.contains("WA") || text.contains("wrong"), "{text}");
    assert!(!text.contains(['\u{fffe}', '\u{ffff}', '\u{1}']), "{text}");
}

#[test]
fn a_report_is_written_even_if_standard_output_is_closed() {
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    let line = format!(
        "JUROR_CACHE=off {} judge sum p.sh --csv t.csv >/dev/full",
        assert_cmd::cargo::cargo_bin("juror").display()
    );
    let mut shell = std::process::Command::new("bash");
    let output = shell.current_dir(fixture.root()).args(["-c", &line]).output().expect("a shell");
    assert_eq!(output.status.code(), Some(4));
    let text = fs::read_to_string(fixture.path("t.csv")).expect("a table");
    assert!(text.contains("\nsum,p.sh,AC,"), "{text}");
}

#[test]
fn write_errors_name_the_file() {
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    let full = "cannot write the report: /dev/full: No space left on device";
    fixture.check("judge sum p.sh -q --csv /dev/full --html t.html", 4, &[full]);
    assert!(fixture.read("t.html").contains("p.sh"));
    let dash = "--csv -: give a file; /dev/stdout is standard output, ./- a file of this name";
    fixture.check("judge sum p.sh --csv -", 2, &[dash]);
    fixture.check("judge sum p.sh --csv ./-", 0, &["AC"]);
}

#[test]
fn packages_with_equal_names_are_distinguished() {
    let fixture = Fixture::new();
    for dir in ["a", "b", "b/c"] {
        fs::create_dir_all(fixture.path(dir)).expect("a directory");
        let mut copy = Command::new("cp");
        let copied = copy.arg("-r").arg(fixture.path("sum")).arg(fixture.path(dir)).status();
        assert!(copied.expect("cp runs").success());
    }
    fixture.remove("b/sum/submissions/wrong_answer/wrong.sh");
    fixture.write("b/sum/submissions/accepted/wrong.sh", WRONG);
    let command = "verify a/sum b/sum b/c/sum sum --junit all.xml --events 1.json";
    let report = fixture.json(command, 1);
    let merged = fixture.json("merge 1.json", 1);
    for report in [report, merged] {
        let names = |of: &str, key: &str| {
            let all = report[of].as_array().expect("a list").iter();
            all.map(|entry| entry[key].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("packages", "name"), ["a/sum", "b/sum", "c/sum", "sum"]);
        let broken = report["submissions"].as_array().expect("a list").iter();
        let broken: Vec<&str> = broken
            .filter(|submission| {
                submission["judgement"]["broken_expectations"] != serde_json::json!([])
            })
            .map(|submission| submission["package"].as_str().expect("a name"))
            .collect();
        assert_eq!(broken, ["b/sum"]);
    }
    let suites = fixture.read("all.xml");
    assert!(suites.contains("failures=\"1\""), "{suites}");
}

#[test]
fn merged_reports_have_the_exit_code_of_the_whole() {
    let fixture = Fixture::new();
    for (arguments, code) in [
        ("verify sum --case nothing", 5),
        ("judge sum nobody.sh", 2),
        ("judge nowhere a.sh", 3),
        ("verify sum --case sample/*", 0),
    ] {
        for index in 1..3 {
            let events = format!("--events {index}.json");
            let report = fixture.json(&format!("{arguments} --shard {index}/2 {events}"), code);
            assert_eq!(report["ended_with"].as_i64().unwrap_or_default(), i64::from(code));
        }
        fixture.check("merge 1.json 2.json", code, &[]);
    }
}

#[test]
fn merged_events_give_the_same_reports_as_their_run() {
    let fixture = Fixture::new();
    fixture.write("sum/submissions/accepted/b.sh", WRONG);
    fixture.write("sum/generators/gen.sh", "echo 1 2\n");
    let recipe = "solution: /submissions/accepted/right.sh\n\
                  data: {secret: {data: {new: {generate: gen.sh}}}}\n";
    let check = |command: &str, code: i32, kinds: &[&str]| {
        let files = |start: &str| {
            kinds.iter().map(|kind| format!(" --{kind} {start}.{kind}")).collect::<String>()
        };
        fixture.check(&format!("{command} --events all.jsonl{}", files("run")), code, &[]);
        fixture.check(&format!("merge all.jsonl{}", files("merged")), code, &[]);
        for kind in kinds {
            let [run, merged] = ["run", "merged"].map(|name| {
                let text = fixture.read(&format!("{name}.{kind}"));
                // The page shows the command line, which differs.
                text.split('<').filter(|part| !part.contains("all.jsonl")).collect::<String>()
            });
            assert_eq!(merged, run, "{command} --{kind}");
        }
    };
    check("verify sum", 1, &["csv", "junit", "html"]);
    check("judge sum sum/submissions/accepted/b.sh", 1, &["csv", "junit", "html"]);
    fixture.write("sum/generators/generators.yaml", recipe);
    check("generate sum --check", 1, &["junit", "html"]);
}

#[test]
fn merged_shards_give_the_same_report() {
    let fixture = Fixture::new();
    fixture.write("sum/submissions/wrong_answer/a.sh", WRONG);
    fixture.write("sum/submissions/accepted/wrong.sh", WRONG);
    fixture.write("sum/submissions/accepted/b.sh", RIGHT);
    let report = |arguments: &str, code: i32| {
        let output = fixture.juror(arguments).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {text}");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        (text, value)
    };
    let names = |report: &Value| {
        let all = report["submissions"].as_array().expect("submissions");
        let mut all: Vec<String> = all
            .iter()
            .map(|submission| {
                format!("{} {}", submission["name"], submission["judgement"]["verdict"])
            })
            .collect();
        all.sort();
        all
    };
    let check = |command: &str, code: i32, codes: [i32; 3]| {
        let (_, whole) = report(&format!("{command} --json"), code);
        for (index, code) in (1..).zip(codes) {
            let options = format!("--json --shard {index}/3 --events {index}.json");
            let (_, part) = report(&format!("{command} {options}"), code);
            assert_eq!(part["shard"], serde_json::json!({"index": index, "count": 3}));
        }
        let (_, merged) = report("merge 2.json 3.json 1.json --json --csv all.csv", code);
        assert_eq!(names(&merged), names(&whole));
        for key in ["runs", "accepted", "rejected", "broken_expectations", "warnings", "errors"] {
            assert_eq!(merged["summary"][key], whole["summary"][key], "{command}: {key}");
        }
        assert_eq!(merged["command"], whole["command"]);
        assert_eq!(merged["packages"], whole["packages"]);
        assert_eq!(merged["next"], whole["next"]);
        let table = fs::read_to_string(fixture.path("all.csv")).expect("a table");
        assert_eq!(table.lines().count(), 1 + names(&whole).len(), "{table}");
    };
    check("verify sum", 1, [1, 0, 0]);
    fixture.write("bad/problem.yaml", "problem_format_version: 2025-09\n");
    check("verify bad", 3, [3, 3, 3]);
    let (_, bad) = report("merge 1.json 2.json 3.json --json", 3);
    assert_ne!(bad["next"], Value::Array(Vec::new()));
    let judge = "judge sum sum/submissions/accepted/b.sh sum/submissions/accepted/wrong.sh";
    check(judge, 1, [0, 1, 0]);

    // The shards are those of the last command.
    let events = |arguments: &str, name: &str, code: i32| {
        report(&format!("{arguments} --json --events {name}"), code).0
    };
    fixture.write("report.json", events("verify sum", "verify.json", 1));
    events(&format!("{judge} --shard 1/2"), "half.json", 0);
    events(&format!("{judge} --case sample --shard 2/3"), "other.json", 0);
    let all = fixture.read("verify.json");
    let cut = all.lines().map(|line| format!("{line}\n")).collect::<Vec<_>>();
    fixture.write("cut.json", cut[..cut.len() - 1].concat());
    fixture.write("odd.json", format!("{}\n{{}}\n", cut[0]));
    fixture.write("twice.json", all.repeat(2));
    fixture.write("elder.json", all.replacen("\"juror\":\"", "\"juror\":\"0.", 1));
    let check =
        |files: &str, message: &str| fixture.check(&format!("merge {files}"), 2, &[message]);
    check("1.json 2.json", "the events of shard 3/3 are missing");
    check("1.json 2.json 2.json 3.json", "two files have");
    check("1.json 2.json 3.json half.json", "two files have");
    check("1.json other.json 3.json", "their packages or test cases differ");
    check("1.json verify.json", "one file is of `juror judge`, another of `juror verify`");
    check("verify.json verify.json", "two files have");
    check("verify.json elder.json", "one is of juror ");
    check("report.json", "it is a report of --json; run the command again with --events FILE");
    check("report.json nothing.json", "cannot merge nothing.json: No such file");
    check("sum/problem.yaml", "line 1 is not an event: ");
    check("cut.json", "its last line is not the end of a command; run the command again");
    check("odd.json", "line 3 is not an event: ");
    check("twice.json", "it has the events of several commands; give a file for each");

    // Merged events can be merged again, even into the same file.
    let (_, whole) = report("verify sum --json", 1);
    for _ in 0..2 {
        let (_, again) = report("merge verify.json --json --events verify.json", 1);
        assert_eq!(again["summary"], whole["summary"]);
        assert_eq!(again["command"], "verify");
    }
    let damaged = all.replacen("\"skipped\":0", "\"skipped\":18446744073709551615", 1);
    fixture.write("damaged.json", damaged);
    check("damaged.json", "it is damaged: 18446744073709551615 is more than any count");
}

#[test]
fn events_with_any_difference_of_numbers_can_be_merged() {
    let fixture = Fixture::new();
    fixture.write("bare/1.in", "1\n");
    fixture.write("bare/1.ans", "0.5\n");
    for output in ["1e17", "-1e300", "9007199254740994", "123456789012345678901", "1e400", "0.6"] {
        fixture.write("a.sh", format!("echo {output}\n"));
        let judge = "judge bare a.sh --compare float=1e-6 --events 1.json";
        for line in [judge, "merge 1.json"] {
            let report = fixture.json(line, 1);
            assert_eq!(report["submissions"][0]["judgement"]["verdict"], "WA", "{output}: {line}");
        }
    }
}
