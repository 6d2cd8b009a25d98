//! The command in daily use: odd names, saved boxes, Ctrl-C, a full disk.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::wire;

#[test]
fn a_wrong_option_is_explained() {
    let fixture = Fixture::new();
    fixture.write("-x.sh", RIGHT);
    fixture.check("judge sum -x.sh", 2, &["for the file -x.sh, write './-x.sh'"]);
    fixture.check("judge sum -1", 2, &["no option takes a negative number"]);
    fixture.check("judge sum a.sh --watch", 2, &["tip: 'juror watch' is a command of its own"]);
    fixture.check("judge sum a.sh --memory 1", 2, &["'--memory-limit'"]);
    fixture.check("judge sum a.sh --tl 1", 2, &["'--time-limit'"]);
    fixture.check("judge sum a.sh --cases x", 2, &["'--case'"]);
    fixture.check("judge sum a.sh --case a?", 2, &["`?`", "write `*`"]);
    fixture.check("verify --help", 0, &["Examples:", "--case <GLOB>"]);
    fixture.check("languages", 0, &["bash          Bash", "GNU bash", "kotlin        Kotlin"]);
    fixture.check("judge -h", 0, &["<PACKAGE> -- <PROGRAM>"]);
}

/// An option that a message names belongs to the command, or the message names the command, too.
#[test]
fn messages_on_bare_tests_name_options_that_the_command_has() {
    let check = |files: &[(&str, &str)], arguments: &str| {
        let fixture = Fixture::new();
        files.iter().for_each(|(name, text)| fixture.write(&format!("t/{name}"), text));
        let output = fixture.juror(arguments).output().expect("juror runs");
        let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("a text");
        let command = arguments.split(' ').next().expect("a command");
        let help = fixture.juror(&format!("{command} --help")).output().expect("juror runs").stdout;
        let help = String::from_utf8(help).expect("a text");
        for piece in text.split('`') {
            let is_other_command = piece.starts_with("juror ");
            let words =
                piece.split(|letter: char| letter.is_whitespace() || "`,;=".contains(letter));
            for option in words.filter(|word| word.starts_with("--") && !is_other_command) {
                assert!(help.contains(option), "{arguments}: {option}: {text}");
            }
        }
    };
    let pair = [("1.in", "1 2\n"), ("1.out", "3\n")];
    let source = [pair[0], pair[1], ("a.sh", RIGHT)];
    let lonely = [pair[0], pair[1], ("2.in", "1 2\n"), ("domjudge-problem.ini", "timelimit=1\n")];
    let grammar = [pair[0], pair[1], ("input.ctd", "INT(0, 9, a) SPACE INT(0, 9, b) NEWLINE\n")];
    let limits = [pair[0], pair[1], ("juror.toml", "[limits]\ntime = 1\n")];
    for files in [&pair[..], &source, &lonely, &grammar, &limits, &[("x", "")]] {
        for command in ["verify", "generate", "generate --check", "strength", "show", "statement"] {
            check(files, &format!("{command} t"));
        }
        check(files, "convert t --to 2025-09 new");
    }
}

#[test]
fn a_tip_is_near_what_was_typed_or_there_is_none() {
    let fixture = Fixture::new();
    for arguments in
        ["tset1234", "judge sum a.sh --foo", "judge sum -x", "help judge foo", "grammar foo"]
    {
        let output = fixture.juror(arguments).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
        assert!(!text.contains("tip: ") && !text.contains("\n\n\n"), "{arguments}: {text}");
    }
    fixture.check("jugde", 2, &["tip: a similar subcommand exists: 'judge'"]);
    fixture.check("grammar chekc", 2, &["'check'"]);
    let lists = ["no command or topic has the name 'foo'", "judge run show", "verdicts  "];
    fixture.check("help foo", 2, &lists);
    fixture.check("stress --help", 0, &["'gen.py {n} {seed}'", "The largest `{n}`"]);
    fixture.check("help verdict", 2, &["tip: did you mean 'verdicts'?"]);
}

#[test]
fn a_missing_submission_is_told_by_programs_and_not_by_data() {
    let fixture = Fixture::new();
    fixture.write("1.in", "1 2\n");
    fixture.write("1.out", "3\n");
    fixture.write("a.cpp", "int main() {}\n");
    fixture.write("b.py", "print(3)\n");
    let build = "give the source, and juror builds it: `./a.cpp`";
    for (arguments, message) in [
        ("judge . ./a.out", format!("submission not found: ./a.out; {build}")),
        ("judge . ./a", format!("submission not found: ./a; {build}")),
        ("judge . -- ./a.out", build.to_owned()),
        ("judge . a.py", "did you mean `b.py` or `a.cpp`?".to_owned()),
        ("a.cp", "no command or file has the name 'a.cp'; did you mean `a.cpp`?".to_owned()),
        ("./a.out", format!("submission not found: ./a.out; {build}")),
        (
            "-v a.cpp",
            "options follow the command or the file, such as 'juror my.cpp -v'".to_owned(),
        ),
        ("a.cpp b.py", "`.` is the tests in this directory".to_owned()),
        ("judge . 2.in", "give the path of a file or directory".to_owned()),
    ] {
        let code = if arguments == "a.cpp b.py" { 3 } else { 2 };
        fixture.check(arguments, code, &[&message]);
    }
}

#[test]
fn messages_of_programs_look_as_in_a_terminal() {
    let fixture = Fixture::new();
    fixture
        .write("p.sh", "printf 'E: \\033[2J%0200d\\n\\tat f(a)\\n\\tat main\\n' 7 >&2; exit 1\n");
    let long = format!("E: \\x1b[2J{:0200}", 7);
    for arguments in ["judge sum p.sh", "run sum p.sh --case sample/1"] {
        let output = fixture.juror(arguments).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        for line in [long.as_str(), "         at f(a)", "         at main"] {
            assert!(text.contains(line), "{arguments} lacks {line}: {text}");
        }
    }
    let document = fixture.json("judge sum p.sh", 1);
    assert!(document.to_string().contains("\\tat f(a)"), "{document}");
}

#[test]
fn the_repeat_line_works_in_a_shell() {
    let fixture = Fixture::new();
    let check = |name: &str| {
        fixture.write(name, WRONG);
        let run = |command: &mut assert_cmd::Command| {
            let output = command.arg("--json").output().expect("juror runs");
            let document: serde_json::Value =
                serde_json::from_slice(&output.stdout).expect("a document");
            let case = &document["submissions"][0]["judgement"]["test_cases"];
            let case = case.as_array().and_then(|cases| cases.last()).cloned();
            case.expect("a case")
        };
        let case = run(fixture.juror("judge sum").arg(name));
        assert_eq!(case["verdict"], "WA", "{case}");
        let line = case["evidence"]["repeat"].as_str().expect("a line");
        let line = line.replacen("juror", &juror_program(), 1);
        let mut shell = assert_cmd::Command::new("bash");
        shell.current_dir(fixture.root());
        let again = run(shell.args(["-c", &format!("{line} \"$@\"")]).arg("bash"));
        assert_eq!(again["name"], case["name"]);
        assert_eq!(again["verdict"], "WA");
    };
    check("plain.sh");
    check("it's \"wrong\" here.sh");
    check("two\nlines \\1.sh");
}

#[test]
fn a_name_that_is_not_utf_8_gives_no_verdict() {
    let fixture = Fixture::new();
    let name = OsStr::from_bytes(b"p\xff.sh");
    fs::write(fixture.root().join(name), RIGHT).expect("a file");
    fixture.write("right.sh", RIGHT);
    let output = fixture.juror("judge sum right.sh").arg(name).output();
    let output = output.expect("juror runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("its name is not UTF-8"), "{errors}");
    let judged = String::from_utf8_lossy(&output.stdout);
    assert!(judged.contains("\nAC  right.sh"), "{judged}");
}

#[test]
fn a_bad_submission_does_not_stop_the_others() {
    let fixture = Fixture::new();
    fixture.write("right.sh", RIGHT);
    fixture.write("wrong.sh", WRONG);
    fixture.write("README.txt", "hello");
    fs::create_dir(fixture.path("dir")).expect("a directory");
    std::os::unix::fs::symlink("nowhere", fixture.path("link.sh")).expect("a link");
    let judged = ["AC right.sh", "WA wrong.sh"];
    for (bad, message) in [
        ("README.txt", "error: no source file of a known language among `README.txt`"),
        ("dir", "error: is empty"),
        ("link.sh", "error: submission link.sh is a broken symbolic link"),
        ("absent.sh", "error: submission not found: absent.sh"),
    ] {
        let line = format!("judge sum right.sh {bad} wrong.sh");
        fixture.check(&line, 2, &[message, judged[0], judged[1]]);
        fixture.check(&format!("judge sum {bad}"), 2, &[message]);
        let document = fixture.json(&line, 2);
        let remarks = [&document["diagnostics"], &document["complaints"]].map(ToString::to_string);
        assert!(remarks.concat().contains(bad), "{document}");
        let submissions = document["submissions"].as_array().map(Vec::len);
        assert_eq!(submissions, Some(2), "{document}");
    }
    fixture.check("judge sum dir README.txt -- sh right.sh", 2, &["AC sh right.sh"]);
    let message =
        "--case `sampl/1` selects none of the 4 test cases of sum; did you mean `sample/1`, ";
    fixture.check("judge sum right.sh --case secret --case sampl/1", 5, &[message]);
    fixture.check("judge sum right.sh --executor=\"", 2, &["--executor", "it "]);
    fixture.check("judge sum right.sh --executor=", 2, &["--executor", "expected a command"]);
    fixture.write("wrong.sh", WRONG);
    let message = "repeat: juror judge sum --case secret/large/1 -- sh wrong.sh";
    fixture.check("judge sum right.sh -v -- sh wrong.sh", 1, &[message]);
}

#[test]
fn an_incomplete_package_is_judged() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.write("sum/problem.yaml", "problem_format_version: 2025-09\nlicense: cc0\n");
    for part in ["statement", "input_validators", "submissions", "data/invalid_input"] {
        fs::remove_dir_all(fixture.path(&format!("sum/{part}"))).expect("a part");
    }
    fixture.check("judge sum a.sh", 0, &["AC a.sh", "CPU time 2 s (the default:"]);
    assert_eq!(fixture.json("judge sum a.sh", 0)["diagnostics"].to_string(), "[]");
    let missing = [
        "has no `name`",
        "has no `uuid`",
        "a package needs a statement",
        "a package needs an input validator",
        "at least one accepted solution",
        "needs a rights owner",
    ];
    fixture.check("verify sum", 3, &missing);
    fixture.write("sum/statement/problem.en.md", b"Additionn\xe9\n");
    fixture.write("sum/statement/problem.xx-yy.md", "Add.\n");
    fixture.check("judge sum a.sh", 0, &["AC a.sh"]);
    fixture.check("verify sum", 3, &["is not UTF-8 here", "is not a language code"]);
    // Only the sample is left.
    fs::remove_dir_all(fixture.path("sum/data/secret")).expect("data");
    fixture.check("judge sum a.sh", 0, &["accepted on 1 test case"]);
    let words = "problem_format_version: 2025-09\nname: Sum\ntype: pass-fail multi-pass\n";
    fixture.write("sum/problem.yaml", words);
    fixture.check("verify sum", 3, &["write `type: [pass-fail, multi-pass]`"]);
    // An option that cannot work is an error.
    let base = "problem_format_version: 2025-09\n";
    for (yaml, message) in [
        ("type: interactive\n", "need their own"),
        ("type: pass-fail interactive\n", "need their own"),
        ("limits: {time_limit: -1}\n", "time_limit"),
        ("nmae: Sum\n", "nmae"),
    ] {
        fixture.write("sum/problem.yaml", format!("{base}{yaml}"));
        fixture.check("judge sum a.sh", 3, &[message]);
    }
    fixture.write("sum/problem.yaml", base);
    fs::remove_dir_all(fixture.path("sum/data")).expect("data");
    fixture.check("judge sum a.sh", 5, &["sum has no test cases"]);
}

#[test]
fn tests_without_a_package_may_have_odd_names() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    for (name, case) in [("tests", "1"), ("my tests; (1)", "a b"), ("-o'k", "ü; x")] {
        fixture.write(&format!("{name}/{case}.in"), "1 2\n");
        fixture.write(&format!("{name}/{case}.out"), "3\n");
        let mut command = fixture.juror("judge --json");
        let command = command.arg(format!("./{name}")).arg("a.sh");
        let output = command.output().expect("juror runs");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(output.status.code(), Some(0), "{name}: {document}");
        let judged = &document["submissions"][0]["judgement"]["test_cases"][0];
        assert_eq!(judged["name"], case, "{document}");
    }
}

#[test]
fn special_characters_in_a_name_do_not_cut_a_message() {
    let fixture = Fixture::new();
    let check = |command: &str, name: &str, key: &str, message: &str, help: Option<&str>| {
        let output = fixture.juror(command).args([name, "--json"]).output().expect("juror runs");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let remark = &document[key][0];
        let text = remark.get("message").unwrap_or(remark);
        assert!(text.as_str().is_some_and(|it| it.starts_with(message)), "{document}");
        if let Some(help) = help {
            assert!(remark["help"].as_str().is_some_and(|it| it.starts_with(help)), "{document}");
        }
        let path = remark["path"].as_str();
        assert!(path.is_none_or(|path| path.ends_with(name)), "{document}");
    };
    let odd = "O'Brien; rm -rf x";
    fixture.write(&format!("{odd}.py"), "");
    fixture.write(&format!("{odd}.md"), "x");
    let unknown = format!("no source file of a known language among `{odd}.md`");
    let near = format!("did you mean `{odd}.py`?");
    let absent = format!("submission not found: {odd}.c; {near}");
    for command in ["judge sum", "stress sum"] {
        let known = Some("known endings: ");
        check(command, &format!("{odd}.md"), "diagnostics", &unknown, known);
        check(command, &format!("{odd}.c"), "complaints", &absent, None);
    }
}

#[test]
fn compiler_messages_are_shown() {
    let fixture = Fixture::new();
    let errors = |number: usize| {
        let lines = (1..=number).map(|line| format!("#error \"fault {line}.\"\n"));
        lines.collect::<String>()
    };
    let lines = |number: usize| {
        (1..=number).map(|line| format!("│ ce.c:{line}:2: error:")).collect::<Vec<_>>()
    };
    let output_text = |arguments: &str| {
        let output = fixture.juror(arguments).output().expect("juror runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr)
    };
    fixture.write("sum/submissions/accepted/ce.c", errors(60));
    fixture.write("ce.c", errors(60));
    fixture.write("sum/input_validators/sum.ctd", "INT(0, 9, a) SPACE INT(0, 9, b) NEWLINE\n");
    for command in [
        "judge sum ce.c",
        "verify sum",
        "stress sum ce.c",
        "stress sum ce.c --reference accepted/right.sh",
        "stress sum accepted/right.sh --reference ce.c",
    ] {
        let text = output_text(command);
        assert!(text.contains(&lines(1)[0]), "{command}: {text}");
        assert!(!text.contains("\\n") && !text.contains("1 more line\n"), "{command}: {text}");
        assert!(text.contains(" more lines"), "{command}: {text}");
        let text = output_text(&format!("{command} -v"));
        for line in lines(60) {
            assert!(text.contains(&line), "{command} -v lacks {line}: {text}");
        }
        assert!(!text.contains("more line"), "{command} -v: {text}");
    }
    let coloured = output_text("judge sum ce.c --color always");
    assert!(
        coloured.contains("\x1b[1mce.c:1:2: \x1b[0m\x1b[1m\x1b[31merror\x1b[0m: "),
        "{coloured}"
    );
    let document = fixture.json("judge sum ce.c --color always", 1).to_string();
    assert!(document.contains("ce.c:1:2: error: ") && !document.contains("\\u001b"), "{document}");
    fixture.remove("sum/submissions/accepted/ce.c");
    fixture.check("stress sum ce.c", 1, &["error: CE: the submission does not build"]);
    // No single line is replaced by a note that one line is missing.
    for number in 1..=8 {
        fixture.write("ce.c", errors(number));
        let text = output_text("judge sum ce.c");
        assert!(!text.contains("1 more line\n") && !text.contains("1 earlier"), "{text}");
    }
}

#[test]
fn paths_of_test_cases_work_and_mistakes_get_a_hint() {
    let fixture = Fixture::new();
    let check =
        |arguments: &str, code: i32, message: &str| fixture.check(arguments, code, &[message]);
    for case in
        ["secret/small/2.in", "data/secret/small/2", "data/secret/small/2.ans", "data/secret"]
    {
        check(&format!("judge sum accepted/right.sh --case {case}"), 0, "AC accepted/right.sh");
    }
    check("help jugde", 2, "tip: did you mean 'judge'?");
    fixture.write("my.cpp", "");
    check("judge my.cpp 1.in", 2, "error: cannot read the input 1.in: No such file");
    fixture.write("my.zip", "PK\x03\x04");
    check("stress sum my.zip", 2, "submission my.zip is an archive; unpack it");
    check("judge my.cpp sum", 3, "help: name the package first, and my.cpp after it");
    check("judge nowhere my.cpp", 3, "error: nowhere: no such directory");
    check("stress --help", 0, "[alias: --against]");
}

#[test]
fn boxes_can_be_saved_in_an_unnamed_directory() {
    let fixture = Fixture::new();
    fixture.write("p.sh", WRONG);
    fixture.write("tmp/below", "");
    let mut command = fixture.juror("judge sum p.sh --keep");
    let output = command.env("TMPDIR", fixture.path("tmp")).output();
    let output = output.expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("juror-boxes-"), "{text}");
    // Without a rejection that names its box, the directory must still be shown.
    fixture.write("p.sh", RIGHT);
    fixture.check("judge sum p.sh --keep=right", 0, &["saved in", "right"]);
    let document = fixture.json("judge sum p.sh --keep=again", 0);
    assert!(document["boxes"].as_str().is_some_and(|dir| dir.ends_with("/again")));

    fs::create_dir(fixture.path("empty")).expect("a directory");
    for dir in ["new", "empty"] {
        let write = format!("write --keep={dir} for the directory");
        fixture.check(&format!("judge sum p.sh --keep {dir}"), 2, &[&write]);
        fixture.check(&format!("verify sum --keep {dir}"), 2, &[&write]);
    }
    // The other submission is judged, and its boxes are saved.
    let mut command = fixture.juror("judge sum p.sh none.c --keep");
    let output = command.env("TMPDIR", fixture.path("tmp")).output().expect("juror runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("submission not found: none.c"));

    fixture.check("judge sum p.sh p.sh --keep=twice", 0, &["AC", "1 submission,"]);
    fixture.check("judge sum p.sh --keep=p.sh", 2, &["--keep", "p.sh"]);
}

#[test]
fn input_and_output_of_a_run_are_saved() {
    let fixture = Fixture::new();
    fixture.write("crash.sh", "read a b; echo \"at $a\"; echo why >&2; exit 3\n");
    fixture.check("judge sum crash.sh", 1, &["RTE", "standard output:", "at 1", "why"]);
    fixture.check("judge sum crash.sh -v", 1, &["input (sum/data/sample/1.in):", "│ 1 2"]);
    fixture.check("judge sum crash.sh --keep=kept", 1, &["kept/crash.sh/sample~-1"]);
    let check = |ending: &str, text: &str| {
        let path = fixture.path("kept/crash.sh").join(format!("sample~-1.{ending}"));
        assert_eq!(fs::read_to_string(path).expect(ending), text);
    };
    check("input", "1 2\n");
    check("output", "at 1\n");
    check("error", "why\n");
    let box_of_run = fs::read_dir(fixture.path("kept/crash.sh/sample~-1")).expect("a box");
    let dangling = box_of_run.flatten().filter(|entry| !entry.path().exists());
    assert_eq!(dangling.count(), 0);
}

#[test]
fn output_claims_only_what_was_checked() {
    let fixture = Fixture::new();
    let settings = fixture
        .read("sum/problem.yaml")
        .replace("time_limit: 1\n", "time_limit: 0.3\n  time_resolution: 0.1\n");
    fixture.write("sum/problem.yaml", settings);
    fixture.write("sum/submissions/wrong_answer/loop.sh", "while :; do :; done\n");
    let part = fixture.juror("verify sum --case sample/1").output().expect("juror runs");
    let text = String::from_utf8_lossy(&part.stdout);
    assert!(!text.contains("all as expected"), "{text}");
    let all = fixture.juror("verify sum").output().expect("juror runs");
    let text = String::from_utf8_lossy(&all.stdout) + String::from_utf8_lossy(&all.stderr);
    assert!(text.contains("permitted"), "{text}");
    assert!(!text.contains("the time limit of"), "{text}");
}

#[test]
fn a_terminal_without_colours_gets_none() {
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    let check = |terminal: &str, has_colours: bool| {
        let juror = juror_program();
        let mut command = Command::new("script");
        command.args(["-qec", &format!("{juror} judge sum p.sh"), "/dev/null"]);
        command.current_dir(fixture.root()).env_remove("NO_COLOR").env("TERM", terminal);
        let Ok(output) = command.stdin(Stdio::null()).output() else {
            return fixture.announce_skip("no `script` on this machine");
        };
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("accepted"), "{text}");
        assert_eq!(text.contains("\u{1b}[3"), has_colours, "{text:?}");
    };
    check("xterm", true);
    check("dumb", false);
}

#[test]
fn boxes_of_several_packages_are_saved_separately() {
    let fixture = Fixture::new();
    let copied =
        Command::new("cp").args(["-r", "sum", "total"]).current_dir(fixture.root()).status();
    assert!(copied.expect("cp").success());
    fixture.check("verify sum total --keep=boxes", 0, &["2 packages"]);
    for package in ["sum", "total"] {
        let directory = format!("boxes/{package}/wrong_answer~-wrong.sh/sample~-1");
        assert!(fixture.path(&directory).is_dir(), "{directory}");
    }
}

#[test]
fn a_package_that_cannot_be_used_is_counted() {
    let fixture = Fixture::new();
    fixture.write("broken/problem.yaml", "nmae: x\n");
    fixture.check("verify sum broken", 3, &["2 packages, 1 of them unusable"]);
}

#[test]
fn a_submission_in_a_forbidden_language_does_not_stop_the_others() {
    let fixture = Fixture::new();
    let judged = [
        "error: juror does not support Zig",
        "AC accepted/right.sh",
        "WA wrong_answer/wrong.sh",
        "sum: 2 submissions, all as expected; 1 error",
    ];
    fixture.write("sum/submissions/accepted/a.zig", "pub fn main() void {}\n");
    fixture.check("verify sum", 3, &judged);
    let yaml = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("a file");
    fixture.write("sum/problem.yaml", yaml.replace("  time_limit: 1\n", ""));
    let untimed = "warning: is not used to find the time limit: juror does not support Zig";
    fixture.check("verify sum", 3, &judged);
    fixture.check("verify sum", 3, &[untimed]);
    for name in ["accepted/right.sh", "wrong_answer/wrong.sh"] {
        fixture.remove(&format!("sum/submissions/{name}"));
    }
    fixture.check("verify sum", 3, &["juror does not support Zig", "1 error"]);
}

#[test]
fn command_line_errors_are_in_the_json_document() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    let check = |arguments: &str, code: i32, piece: &str| {
        let document = fixture.json(arguments, code);
        let complaint = document["complaints"][0].as_str().unwrap_or_default();
        assert!(complaint.contains(piece), "{arguments}: {document}");
    };
    check("judge sum absent.sh", 2, "absent.sh");
    check("judge sum a.sh --case nothing", 5, "selects none");
    check("judge sum a.sh --case [a]", 2, "[a]");
    check("compare absent a.sh", 2, "absent");
}

#[test]
fn an_unusable_temporary_directory_gives_no_verdict() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    for arguments in ["judge sum a.sh", "verify sum"] {
        let mut command = fixture.juror(arguments);
        let output = command.env("TMPDIR", fixture.path("absent")).output();
        let output = output.expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(4), "{text}");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains("set TMPDIR"), "{text}");
    }
}

/// Waits until a program of juror runs, then sends a signal. Returns the exit code and the output.
fn run_interrupted(fixture: &Fixture, arguments: &str, signal: &str) -> (Option<i32>, String) {
    fixture.write("tmp/keep", "");
    let child = wire::juror()
        .args(arguments.split_whitespace())
        .current_dir(fixture.root())
        .env("TMPDIR", fixture.path("tmp"))
        .env("CI", "true")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("juror starts");
    let id = child.id().to_string();
    // The program makes a file in the temporary directory when it has started.
    let start = Instant::now();
    while fs::read_dir(fixture.path("tmp")).expect("tmp").count() < 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::yield_now();
    }
    for _ in 0..2 {
        let signalled = Command::new("kill").args([signal, &id]).status();
        assert!(signalled.expect("kill").success());
    }
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

#[test]
fn an_interruption_ends_at_once_and_leaves_no_files() {
    let fixture = Fixture::new();
    fixture.write("sleeps.sh", "sleep 1000\n");
    let check = |arguments: &str, signal: &str, message: &str| {
        let (code, text) = run_interrupted(&fixture, arguments, signal);
        assert_eq!(code, Some(130), "{arguments}: {text}");
        assert!(text.contains(message), "{arguments}: {text}");
        let names = fs::read_dir(fixture.path("tmp")).expect("tmp");
        let names: Vec<_> = names.flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["keep"], "{arguments}");
    };
    let judge = "judge sum sleeps.sh --time-limit 500";
    for signal in ["-INT", "-TERM", "-HUP", "-QUIT"] {
        check(judge, signal, "0 of 1 submission done");
    }
    check(&format!("{judge} --json"), "-INT", "\"interrupted\": true");
    fixture.write("sum/input_validators/validate/run", "#!/bin/sh\nsleep 1000\n");
    check("verify sum", "-INT", "interrupted");
    fixture.write("sum/generators/gen.sh", "sleep 1000\n");
    fixture.write(
        "sum/generators/generators.yaml",
        "data: {sample: {data: {'1': {generate: gen.sh}}}}\n",
    );
    check("generate sum", "-INT", "interrupted");
}

/// juror runs no program here, so the signal is sent when juror handles signals.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_ends_long_generation_and_waiting_for_input() {
    const SIGTERM_MASK: u64 = 1 << 14;
    let fixture = Fixture::new();
    let endless = "REPI(i,10^5) INT(1,9,a[i]) SPACE END NEWLINE ASSERT(a[0] > 9 || a[1] > 9)\n";
    fixture.write("endless.ctd", endless);
    fixture.write("p.sh", "cat\n");
    for arguments in ["generate sum --from-grammar endless.ctd", "run sum p.sh"] {
        let mut child = wire::juror()
            .args(arguments.split(' '))
            .current_dir(fixture.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("juror starts");
        let id = child.id();
        let is_listening = || {
            let status = fs::read_to_string(format!("/proc/{id}/status")).expect("a status");
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            caught.is_some_and(|mask| mask & SIGTERM_MASK > 0)
        };
        while !is_listening() {
            std::thread::yield_now();
        }
        // No input arrives, and the pipe stays open.
        let stdin = child.stdin.take();
        let signalled = Command::new("kill").args(["-TERM", &id.to_string()]).status();
        assert!(signalled.expect("kill").success());
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{arguments}: {text}");
        drop(stdin);
    }
}

#[test]
fn new_data_has_the_permissions_of_the_umask() {
    let fixture = Fixture::new();
    fixture.write(
        "sum/generators/generators.yaml",
        "data: {secret: {data: {new: {in: \"1 1\\n\", ans: \"2\\n\"}}}}\n",
    );
    let juror = juror_program();
    for (umask, rights) in [("022", 0o644), ("077", 0o600)] {
        let line = format!("umask {umask}; exec {juror} generate sum");
        let status = Command::new("sh")
            .args(["-c", &line])
            .current_dir(fixture.root())
            .env("XDG_CACHE_HOME", fixture.path("cache"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.expect("sh").success());
        let file = fixture.path("sum/data/secret/new.in");
        let mode = fs::metadata(&file).expect("data").permissions().mode();
        assert_eq!(mode & 0o777, rights, "umask {umask}");
        fs::remove_file(file).expect("data");
    }
}

#[test]
fn a_generator_must_leave_a_regular_file() {
    let fixture = Fixture::new();
    fixture.write(
        "sum/generators/generators.yaml",
        "data: {secret: {data: {new: {generate: gen.sh}}}}\n",
    );
    let check = |generator: &str, messages: &[&str]| {
        fixture.write("sum/generators/gen.sh", generator);
        fixture.check("generate sum", 3, messages);
        assert!(!fixture.path("sum/data/secret/new.in").exists());
    };
    check("mkdir testcase.in; echo 1 2\n", &["a directory"]);
    check("ln -s /etc/passwd testcase.in\n", &["a symbolic link"]);
    check("kill -SEGV $$\n", &["is killed by SIGSEGV"]);
    check("echo why >&2; exit 3\n", &["ends with exit code 3: why"]);
}

#[test]
fn an_unwritten_report_is_a_judge_error() {
    let fixture = Fixture::new();
    fixture.write("right.sh", RIGHT);
    let juror = juror_program();
    let check = |arguments: &str, to: &str, code: i32, message: &str| {
        let line = format!("{juror} {arguments} {to}");
        let mut shell = Command::new("bash");
        shell.current_dir(fixture.root()).args(["-c", &line]);
        let output = shell.output().expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {errors}");
        assert!(
            errors.contains(message) && errors.is_empty() == message.is_empty(),
            "{line}: {errors}"
        );
    };
    for arguments in [
        "judge sum right.sh --isolation=any",
        "judge sum right.sh --json",
        "doctor --json",
        "--help",
        "--version",
        "schema",
        "completions bash",
    ] {
        check(arguments, ">&-", 4, "error: cannot write the report: standard output is closed");
        check(arguments, "2>/dev/null >/dev/full", 4, "");
        check(arguments, "2>/dev/null >/dev/null", 0, "");
    }
    check(
        "judge sum right.sh",
        ">/dev/full",
        4,
        "error: cannot write the report: No space left on device",
    );
    check("--help", ">/dev/full", 4, "error: cannot write the report: No space left on device");
    check("judge sum right.sh", ">&- 2>&-", 4, "");
    // A closed pipe is not an error.
    check("judge sum right.sh", "2>/dev/null | true; exit ${PIPESTATUS[0]}", 0, "");
    check("--help", "| true; exit ${PIPESTATUS[0]}", 0, "");
}

#[test]
fn a_large_submission_is_refused_before_it_is_read() {
    let fixture = Fixture::new();
    // Sparse files take no disk space.
    let sparse = |name: &str, start: &str, size: u64| {
        fixture.write(name, start);
        let file = fs::File::options().write(true).open(fixture.root().join(name));
        file.and_then(|file| file.set_len(size)).expect("a large file");
    };
    sparse("huge.cpp", "int main(){}", 4 << 30);
    sparse("large.py", "print(1)", 2 << 20);
    for (name, size) in [("huge.cpp", "4 GiB"), ("large.py", "2 MiB")] {
        // The address space is smaller than the file, so reading it in full would fail.
        let line = format!("ulimit -v 1500000; exec {} judge sum {name}", juror_program());
        let mut shell = Command::new("bash");
        let output = shell.current_dir(fixture.root()).args(["-c", &line]).output();
        let output = output.expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}{output:?}");
        assert!(text.contains(&format!("{size} of source code, 1 MiB allowed")), "{text}");
    }
    fs::create_dir(fixture.root().join("many")).expect("a directory");
    // These are one program, since one of the files is a main file.
    fixture.write("many/main.py", "");
    for number in 0..10_000 {
        fs::write(fixture.root().join(format!("many/{number}.py")), "").expect("a file");
    }
    fixture.check("judge sum many", 2, &["has more than 10000 files"]);
}

fn juror_program() -> String {
    format!("env JUROR_CACHE=off {}", assert_cmd::cargo::cargo_bin("juror").display())
}
