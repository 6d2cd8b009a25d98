//! Sources that attack the compiling machine: what they read, how much they write, what they leave running.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use juror_core::blob::Blob;
use juror_core::job::{Job, JobReply};
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Outcome, Signal};
use juror_core::program::{Program, ProgramKind};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::tree::{FileMode, Node, Tree, TreeEntry};
use juror_judging::build::{BuildResult, Builder};

use crate::fixture::Fixture;
use juror_core::outcome::quiet_outcome;
use juror_sandbox::executor::scripted::ScriptedExecutor;

const SMALL_LIMITS: &str = "\n  compilation_time: 2\n  compilation_memory: 512\n";

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let problem = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("a package");
    fixture.write("sum/problem.yaml", problem.trim_end().to_owned() + SMALL_LIMITS);
    fixture
}

/// Announces a missing tool.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
pub(crate) fn has_tool(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|dir| dir.join(tool).is_file());
    if !is_there {
        eprintln!("left out: needs {tool}");
    }
    is_there
}

/// The compiler must reject the source, and nothing of `secret` may be shown.
fn check_rejected(fixture: &Fixture, name: &str, source: &str, secret: &str) {
    fixture.write(name, source);
    let document = fixture.json(&format!("judge sum {name}"), 1);
    assert_eq!(document["submissions"][0]["judgement"]["verdict"], "CE", "{document:#}");
    assert!(!document.to_string().contains(secret), "{document:#}");
}

#[test]
fn a_compiler_reveals_nothing_about_the_machine() {
    if !has_tool("cc") {
        return;
    }
    let fixture = fixture();
    let answer = fixture.path("sum/data/secret/large/1.ans");
    let included = |path: &str| format!("#include \"{path}\"\nint main(void) {{ return 0; }}\n");
    let embedded =
        |path: &str| format!("asm(\".incbin \\\"{path}\\\"\");\nint main(void) {{ return 0; }}\n");
    let relative = "../".repeat(10) + answer.strip_prefix("/").unwrap().to_str().unwrap();
    let answer = answer.to_str().unwrap();
    check_rejected(&fixture, "shadow.c", &included("/etc/shadow"), "root:");
    check_rejected(&fixture, "answer.c", &included(answer), "100001");
    check_rejected(&fixture, "embedded.c", &embedded(answer), "100001");
    check_rejected(&fixture, "relative.c", &embedded(&relative), "100001");
    let test_case = "data/secret/large/1.ans";
    check_rejected(&fixture, "package.c", &embedded(test_case), "100001");
    check_rejected(&fixture, "judge.c", &included("/proc/1/environ"), "PATH=");
}

#[test]
fn a_compiler_that_exceeds_a_limit_is_stopped() {
    if !has_tool("cc") {
        return;
    }
    let fixture = fixture();
    check_rejected(&fixture, "zero.c", "#include \"/dev/zero\"\n", "judge error");
    let again = "#include __FILE__\n".repeat(2);
    let warnings = format!(
        "#if __INCLUDE_LEVEL__ < 40\n#warning {}\n{again}#endif\nint main(void) {{ return 0; }}\n",
        "x".repeat(1000)
    );
    check_rejected(&fixture, "messages.c", &warnings, "judge error");
    let large = "char large[1L << 40] = {1};\nint main(void) { return large[5]; }\n";
    check_rejected(&fixture, "large.c", large, "judge error");
    // A missing file, an impossible file, and a program of the wrong kind.
    for name in ["/none", "/usr/none/none", "/bin/sh/none", &"x".repeat(300), "/usr/bin/ldd"] {
        let interpreter = format!(
            "const char name[] __attribute__((section(\".interp\"))) = \"{name}\";\n\
             int main(void) {{ return 0; }}\n"
        );
        check_rejected(&fixture, "interpreter.c", &interpreter, "judge error");
    }
    if has_tool("c++") {
        let bomb = "template <int depth, long path> struct Bomb {\n\
                    static const int value = Bomb<depth - 1, path * 2>::value + Bomb<depth - 1, path * 2 + 1>::value;\n};\n\
                    template <long path> struct Bomb<0, path> { static const int value = 1; };\n\
                    int main() { return Bomb<60, 1>::value; }\n";
        check_rejected(&fixture, "bomb.cpp", bomb, "judge error");
    }
}

/// A build script that leaves a daemon behind, and links that lead out of the program.
const BUILD_SCRIPT: &str = r#"
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

fn main() {
    let daemon = "trap '' HUP TERM; setsid sleep MARK || exec sleep MARK";
    let mut shell = Command::new("sh");
    shell.args(["-c", daemon]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    symlink("/etc/passwd", "passwd").unwrap();
    symlink("VICTIM", "victim").unwrap();
    symlink("/", "root").unwrap();
}
"#;

/// Interpreted programs with a syntax error are rejected before they run, as on Kattis and DOMjudge.
#[test]
fn a_syntax_error_is_a_compile_error() {
    let fixture = Fixture::new();
    let check = |tool: &str, name: &str, files: &[(&str, &str)], verdict: &str, message: &str| {
        if !has_tool(tool) {
            return;
        }
        files.iter().for_each(|(file, text)| {
            fixture.write(file, text);
        });
        let status = i32::from(verdict != "AC");
        let submission = &fixture.json(&format!("judge sum {name}"), status)["submissions"][0];
        let submission = &submission["judgement"];
        assert_eq!(submission["verdict"], verdict, "{name}: {submission:#}");
        assert!(submission["compiler"].to_string().contains(message), "{name}: {submission:#}");
    };
    let sum = "print(sum(map(int, input().split())))\n";
    check("python3", "a.py", &[("a.py", "print('a'\n")], "CE", "SyntaxError");
    check("python3", "two", &[("two/main.py", sum), ("two/x.py", "if:\n")], "CE", "SyntaxError");
    check("python3", "b.py", &[("b.py", "print(a)\n")], "RTE", "");
    fixture.write("latin/main.py", [b"# Gr\xf6\xdfe\n", sum.as_bytes()].concat());
    check("python3", "latin", &[], "CE", "line 1: not UTF-8");
    let declared: [&[u8]; 3] = [b"# coding: latin-1\n", b"# Gr\xf6\xdfe\n", sum.as_bytes()];
    fixture.write("declared/main.py", declared.concat());
    check("python3", "declared", &[], "AC", "");
    // Files with the names of Python's own modules are no error.
    check("python3", "os.py", &[("os.py", sum)], "AC", "");
    let other = ("own/traceback.py", "raise ValueError\n");
    check("python3", "own", &[("own/main.py", sum), other], "AC", "");
    // Bash reads a line when it runs it, so no check can find the error before.
    let late = "read -r a b\necho $((a + b))\nexit 0\nif (\n";
    check("bash", "a.sh", &[("a.sh", late)], "AC", "");
    check("node", "a.js", &[("a.js", "let a = ;\n")], "CE", "SyntaxError");
    check("php", "a.php", &[("a.php", "<?php echo (;\n")], "CE", "syntax error");
    check("ruby", "a.rb", &[("a.rb", "puts (\n")], "CE", "syntax error");
}

#[test]
fn links_and_daemons_of_a_build_script_have_no_effect() {
    if !has_tool("cargo") || !has_tool("cc") {
        return;
    }
    let fixture = fixture();
    let problem = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("a package");
    let longer = problem.replace("compilation_time: 2", "compilation_time: 60");
    fixture.write("sum/problem.yaml", longer.replace("_memory: 512", "_memory: 2048"));
    fixture.write("victim/file", "precious");
    let victim = fixture.path("victim");
    // No other process sleeps for this number of seconds.
    let mark = format!("{}", 500_000 + std::process::id());
    let script = BUILD_SCRIPT.replace("VICTIM", victim.to_str().unwrap());
    fixture.write("right/build.rs", script.replace("MARK", &mark));
    let manifest = "[package]\nname = \"right\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    fixture.write("right/Cargo.toml", manifest);
    let main = "fn main() {\n    let mut line = String::new();\n    std::io::stdin().read_line(&mut line).unwrap();\n    \
                let sum: i64 = line.split_whitespace().map(|word| word.parse::<i64>().unwrap()).sum();\n    \
                if std::fs::read_dir(\"victim\").is_ok() { println!(\"escaped\"); }\n    println!(\"{sum}\");\n}\n";
    fixture.write("right/src/main.rs", main);
    let document = fixture.json("judge sum right", 0);
    assert_eq!(document["submissions"][0]["judgement"]["verdict"], "AC", "{document:#}");
    assert!(Path::new(&victim).join("file").exists());
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
    let daemons: Vec<String> = lines.filter(|line| line.contains(&mark)).collect();
    assert_eq!(daemons, Vec::<String>::new());
}

/// A compiler that was killed from outside says nothing about the source.
#[test]
fn a_killed_build_gives_no_verdict() {
    let killed = Ending::Signalled(Signal(9));
    let gcc = "g++: fatal error: Killed signal terminated program cc1plus\n";
    let well = (Ending::Exited(0), "");
    let check = |answers: &[(Ending, &str)], expected: &str| {
        let runs = AtomicUsize::new(0);
        let executor = ScriptedExecutor::new(1, |_: &Job| {
            let (ending, text) = answers[runs.fetch_add(1, Ordering::SeqCst)];
            let run = Node::File { blob: Blob::from(&b"x"[..]), mode: FileMode::Executable };
            Ok(JobReply {
                outcome: Outcome { ending, ..quiet_outcome() },
                stdout: Blob::default(),
                stderr: Blob::from(text.as_bytes()),
                collected: Vec::new(),
                kept: Some(Tree::from(vec![TreeEntry::new("run", run)])),
            })
        });
        let directory = tempfile::tempdir().unwrap();
        let script = directory.path().join("build");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
        let program = Program {
            name: "p".to_owned(),
            path: FilePath::root(directory.path()),
            kind: ProgramKind::OutputValidator,
            ..Program::default()
        };
        let builder = Builder::new(&executor);
        let prepared = builder.prepare(&program).unwrap();
        let found = match builder.build(&prepared, &Limits::default(), &Limits::default()) {
            Ok(BuildResult::Program(_)) => "a program".to_owned(),
            Ok(BuildResult::Rejected(report)) => format!("refused: {}", report.refusal.unwrap()),
            Err(Stop::Fault(error)) => format!("fault: {}", error.reason),
            Err(stop) => format!("{stop:?}"),
        };
        assert!(found.starts_with(expected), "{answers:?}: {found}");
        assert_eq!(runs.into_inner(), answers.len(), "{answers:?}");
    };
    check(&[well], "a program");
    check(&[(killed, ""), well], "a program");
    check(&[(Ending::Exited(1), gcc), well], "a program");
    check(&[(Ending::Exited(137), ""), well], "a program");
    check(&[(killed, ""), (killed, "")], "fault: the compiler was killed by SIGKILL twice");
    check(
        &[(killed, ""), (Ending::Exited(1), "error: x")],
        "refused: the `build` script ended with",
    );
    // A source can put text into the messages.
    check(
        &[(Ending::Exited(1), gcc), (Ending::Exited(1), gcc)],
        "refused: the `build` script ended",
    );
    check(&[(Ending::Exited(1), "error: x")], "refused: the `build` script ended with exit code 1");
    check(
        &[(Ending::Signalled(Signal(11)), "")],
        "refused: the `build` script was killed by SIGSEGV",
    );
}
