//! A small problem package in a temporary directory, and the `juror` command in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::wire;

/// A directory with the package `sum`: the input has two numbers, the output is their sum.
pub(crate) struct Fixture {
    dir: TempDir,
}

const PROBLEM: &str = "\
problem_format_version: 2025-09
name: Sum
uuid: 9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10
license: cc0
rights_owner: Nobody
limits:
  time_limit: 1
  memory: 256
";

const VALIDATOR: &str = "\
#!/usr/bin/env bash
# Two numbers on a line, and nothing else.
# With a zero byte it is no text.
IFS= read -rd '' text && text=
[[ $text =~ ^(0|[1-9][0-9]*)\\ (0|[1-9][0-9]*)$'\\n'$ ]] && exit 42
echo 'expected two numbers' >&2
exit 43
";

pub(crate) const RIGHT: &str = "read -r a b; echo $((a + b))\n";
/// Right only on the first test case.
pub(crate) const WRONG: &str = "read -r a b; echo 3\n";

impl Fixture {
    /// A valid package.
    pub(crate) fn new() -> Self {
        let fixture = Self { dir: tempfile::tempdir().expect("a temporary directory") };
        fixture.write("sum/problem.yaml", PROBLEM);
        fixture.write("sum/statement/problem.en.md", "Add two numbers.\n");
        fixture.write("sum/input_validators/validate/run", VALIDATOR);
        fixture.make_executable("sum/input_validators/validate/run");
        fixture.write("sum/submissions/accepted/right.sh", RIGHT);
        fixture.write("sum/submissions/wrong_answer/wrong.sh", WRONG);
        for (name, input, answer) in [
            ("sample/1", "1 2\n", "3\n"),
            ("secret/small/1", "5 8\n", "13\n"),
            ("secret/small/2", "0 0\n", "0\n"),
            ("secret/large/1", "100000 1\n", "100001\n"),
        ] {
            fixture.write(&format!("sum/data/{name}.in"), input);
            fixture.write(&format!("sum/data/{name}.ans"), answer);
        }
        fixture.write("sum/data/invalid_input/one.in", "1\n");
        fixture
    }

    /// With files `sum.in` and `sum.out` instead of standard input and output.
    pub(crate) fn with_files() -> Self {
        let fixture = Self::new();
        fixture.write("sum/juror.toml", "[io]\ninput = \"sum.in\"\noutput = \"sum.out\"\n");
        fixture.write("sum/problem.yaml", format!("{PROBLEM}allow_file_writing: true\n"));
        let right = "read -r a b < sum.in; echo $((a + b)) > sum.out\n";
        fixture.write("sum/submissions/accepted/right.sh", right);
        let wrong = "read -r a b < sum.in; echo 3 > sum.out\n";
        fixture.write("sum/submissions/wrong_answer/wrong.sh", wrong);
        fixture
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, contents).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a text")
    }

    pub(crate) fn make_executable(&self, name: &str) {
        use std::os::unix::fs::PermissionsExt;
        let rights = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path(name), rights).expect("rights");
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("a file to remove");
    }

    pub(crate) fn juror(&self, arguments: &str) -> Command {
        self.in_directory(wire::juror(), arguments)
    }

    /// As a command of the standard library, for a process that runs in the background.
    pub(crate) fn std_juror(&self, arguments: &str) -> process::Command {
        let mut command = wire::juror();
        command
            .current_dir(self.dir.path())
            .args(arguments.split_whitespace())
            .env("XDG_CACHE_HOME", self.dir.path().join("cache"))
            .env("TMPDIR", self.temporary_directory())
            .env("CI", "true");
        command
    }

    /// For temporary files of a process that is killed. No other process removes them.
    pub(crate) fn temporary_directory(&self) -> PathBuf {
        let path = self.path("tmp");
        fs::create_dir_all(&path).expect("a directory");
        path
    }

    fn in_directory(&self, command: process::Command, arguments: &str) -> Command {
        let mut command = Command::from_std(command);
        command
            .current_dir(self.dir.path())
            .args(arguments.split_whitespace())
            .env_remove("NO_COLOR")
            .env("XDG_CACHE_HOME", self.dir.path().join("cache"))
            .env("CI", "true");
        command
    }

    /// Checks the exit code of `juror`, and that standard output and standard error together contain `said`.
    pub(crate) fn check(&self, arguments: &str, code: i32, messages: &[&str]) {
        check(self.juror(arguments), arguments, code, messages);
    }

    /// With a cache.
    pub(crate) fn check_with_cache(&self, arguments: &str, code: i32, messages: &[&str]) {
        let mut command = self.juror(arguments);
        command.env("JUROR_CACHE", self.path("cache/juror"));
        check(command, arguments, code, messages);
    }

    /// All that `juror` writes, with single blanks, and with a cache.
    pub(crate) fn text_with_cache(&self, arguments: &str, code: i32) -> String {
        let mut command = self.juror(arguments);
        command.env("JUROR_CACHE", self.path("cache/juror"));
        text_of(command, arguments, code)
    }

    /// Judges shell programs with one command; each begins with the line `start`. A row has a program, its verdict
    /// (`-` for none), and a part of the cause.
    pub(crate) fn judge_all(&self, start: &str, options: &str, rows: &[(&str, &str, &str)]) {
        let names: Vec<String> = (0..rows.len()).map(|at| format!("p{at:02}.sh")).collect();
        for (name, (program, ..)) in names.iter().zip(rows) {
            self.write(name, format!("{start}\n{program}\n"));
        }
        let has =
            |is_wanted: fn(&str) -> bool| rows.iter().any(|(_, verdict, _)| is_wanted(verdict));
        let code = match (has(|verdict| verdict == "-"), has(|verdict| verdict != "AC")) {
            (true, _) => 4,
            (false, true) => 1,
            (false, false) => 0,
        };
        let report = self.json(&format!("judge sum {} {options}", names.join(" ")), code);
        for (at, (program, verdict, cause)) in rows.iter().enumerate() {
            let judged = &report["submissions"][at];
            assert_eq!(judged["name"], names[at], "{report:#}");
            assert_eq!(
                judged["judgement"]["verdict"].as_str().unwrap_or("-"),
                *verdict,
                "{program}: {judged:#}"
            );
            let reason =
                match judged["judgement"]["test_cases"].as_array().and_then(|cases| cases.last()) {
                    Some(case) if *verdict != "-" => &case["cause"],
                    _ => &judged["error"]["reason"],
                };
            assert!(reason.to_string().contains(cause), "{program}: {judged:#}");
        }
    }

    pub(crate) fn json(&self, arguments: &str, code: i32) -> serde_json::Value {
        let output = self.juror(arguments).arg("--json").output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "juror {arguments}:\n{text}{err}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{err}"))
    }

    #[expect(clippy::print_stderr, reason = "what is left out must be seen")]
    pub(crate) fn announce_skip(&self, why: &str) {
        eprintln!("skipped: {why}");
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }
}

/// Writes a script in another process. This process starts programs in many threads, whose children may have the file
/// open for a moment, and the kernel refuses to start a program that is open for writing.
pub(crate) fn write_program(path: &Path, text: &str) {
    let mut command = Command::new("sh");
    command.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path).write_stdin(text);
    command.assert().success();
}

fn check(command: Command, arguments: &str, code: i32, messages: &[&str]) {
    let text = text_of(command, arguments, code);
    for piece in messages {
        let piece = piece.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&piece), "juror {arguments} lacks `{piece}`:\n{text}");
    }
}

/// Standard output and standard error. Lines are wrapped to the width; this text is not.
fn text_of(mut command: Command, arguments: &str, code: i32) -> String {
    let output = command.output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "juror {arguments}:\n{text}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
