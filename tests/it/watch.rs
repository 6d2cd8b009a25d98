//! `juror watch`: which changes start a judgement, and how it ends.

use std::fs;
use std::io::{BufRead, BufReader, pipe};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::class_forms::zip;
use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::wire;

const ENDLESS: &str = "sleep 100000\n";
/// Much longer than any test takes.
const TIMEOUT: Duration = Duration::from_secs(120);

struct WatchProcess {
    child: Child,
    lines: Receiver<String>,
}

impl WatchProcess {
    fn start(fixture: &Fixture, arguments: &str) -> Self {
        fs::create_dir_all(fixture.path("tmp")).expect("a directory");
        let (reader, writer) = pipe().expect("a pipe");
        let child = wire::juror()
            .current_dir(fixture.root())
            .arg("watch")
            .args(arguments.split_whitespace())
            .env("TMPDIR", fixture.path("tmp"))
            .env("XDG_CACHE_HOME", fixture.path("cache"))
            .env("CI", "true")
            .stdin(Stdio::null())
            .stdout(writer.try_clone().expect("a pipe"))
            .stderr(writer)
            .spawn()
            .expect("juror runs");
        let (sender, lines) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(reader).lines();
            lines.map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        Self { child, lines }
    }

    /// Waits for these texts in this order. Returns the line with the last one.
    fn wait_for_output(&self, pieces: &[&str]) -> String {
        let mut said = String::new();
        let mut last = String::new();
        for piece in pieces {
            loop {
                let line = self.lines.recv_timeout(TIMEOUT);
                let line = line.unwrap_or_else(|_| panic!("`{piece}` is missing:\n{said}"));
                said += &format!("{line}\n");
                if line.contains(piece) {
                    last = line;
                    break;
                }
            }
        }
        last
    }

    /// Sends Ctrl-C. No process may remain.
    fn interrupt(mut self, fixture: &Fixture) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(id, Signal::INT).expect("it is there");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(130));
        let left: Vec<_> = fs::read_dir(fixture.path("tmp")).expect("a directory").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

impl Drop for WatchProcess {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const WAITING_MESSAGE: &str = "waiting for a change in p.sh or sum; Ctrl-C ends it";

#[test]
fn each_save_is_judged() {
    let fixture = Fixture::new();
    fixture.write("p.sh", WRONG);
    // Files that juror writes are no change.
    let watch = WatchProcess::start(&fixture, "sum p.sh --html sum/report.html");
    watch.wait_for_output(&["WA", WAITING_MESSAGE]);
    fixture.write("p.sh", RIGHT);
    watch.wait_for_output(&["changed: p.sh", "AC", WAITING_MESSAGE]);
    // Many editors save like this.
    let replace = |text: &str| {
        fixture.write(".p.sh.new", text);
        fs::rename(fixture.path("p.sh"), fixture.path("p.sh~")).expect("a backup");
        fs::rename(fixture.path(".p.sh.new"), fixture.path("p.sh")).expect("a file in its place");
    };
    replace(WRONG);
    watch.wait_for_output(&["changed: p.sh", "WA", WAITING_MESSAGE]);
    replace(RIGHT);
    watch.wait_for_output(&["changed: p.sh", "AC", WAITING_MESSAGE]);
    // A change in the package, also in a new directory.
    fixture.write("sum/data/secret/small/1.ans", "14\n");
    watch.wait_for_output(&["changed: sum/data/secret/small/1.ans", "WA", WAITING_MESSAGE]);
    fixture.write("sum/data/secret/small/1.ans", "13\n");
    watch.wait_for_output(&["changed: sum/data/secret/small/1.ans", "AC", WAITING_MESSAGE]);
    fixture.write("sum/data/secret/new/1.ans", "3\n");
    fixture.write("sum/data/secret/new/1.in", "1 2\n");
    watch.wait_for_output(&[
        "changed: sum/data/secret/new/1.",
        "accepted on 5 test cases",
        WAITING_MESSAGE,
    ]);
    fixture.write("sum/problem.yaml", "name: [\n");
    watch.wait_for_output(&["changed: sum/problem.yaml", "error", WAITING_MESSAGE]);
    // Other files do not matter: the next reported change is another one.
    fixture.write("q.sh", WRONG);
    fixture.write("sum/submissions/accepted/right.sh", WRONG);
    fixture.remove("p.sh");
    fixture.write("p.sh", WRONG);
    assert_eq!(watch.wait_for_output(&["changed: "]), "changed: p.sh");
    watch.wait_for_output(&[WAITING_MESSAGE]);
    watch.interrupt(&fixture);
}

/// The files of one student are in the folder of the class, joined only for the judgement.
#[test]
fn a_save_of_a_file_that_is_joined_is_judged() {
    let fixture = Fixture::new();
    let entry = |name: &str| format!("class/{name}_assignsubmission_file_");
    let [main, tools] = ["main.sh", "tools.sh"].map(|file| entry("Anna_1") + file);
    fixture.write(&main, ". ./tools.sh\n");
    fixture.write(&tools, WRONG);
    let packed = |text: &str| {
        fixture.write(&(entry("Bert_2") + "work.zip"), zip(&[("main.sh", text.into())]))
    };
    packed(RIGHT);
    let watch = WatchProcess::start(&fixture, "sum class");
    watch.wait_for_output(&["WA  Anna", "AC  Bert", "waiting for a change"]);
    fixture.write(&tools, RIGHT);
    let changed = format!("changed: {tools}");
    watch.wait_for_output(&[&changed, "AC  Anna", "AC  Bert", "waiting for a change"]);
    packed(WRONG);
    watch.wait_for_output(&["work.zip", "AC  Anna", "WA  Bert", "waiting for a change"]);
    watch.interrupt(&fixture);
}

/// A watch of the old directory would miss changes in the new one with the same name.
#[test]
fn a_replaced_directory_is_still_watched() {
    let fixture = Fixture::new();
    fixture.write("w/p.sh", WRONG);
    let watch = WatchProcess::start(&fixture, "sum w/p.sh");
    watch.wait_for_output(&["WA", "waiting for a change"]);
    fs::rename(fixture.path("w"), fixture.path("old")).expect("a directory");
    fixture.write("w/p.sh", RIGHT);
    watch.wait_for_output(&["AC", "waiting for a change"]);
    fixture.write("w/p.sh", WRONG);
    watch.wait_for_output(&["WA", "waiting for a change"]);
    watch.interrupt(&fixture);
}

#[test]
fn a_save_ends_the_current_judgement() {
    let fixture = Fixture::new();
    fixture.write("p/main.sh", ENDLESS);
    let watch = WatchProcess::start(&fixture, "sum p --time-limit 10000");
    watch.wait_for_output(&["limits:"]);
    fixture.write("p/main.sh", RIGHT);
    watch.wait_for_output(&["interrupted", "changed: p/main.sh", "AC", "waiting"]);
    fixture.write("p/main.sh", ENDLESS);
    watch.wait_for_output(&["changed: p/main.sh", "limits:"]);
    watch.interrupt(&fixture);
}

#[test]
fn a_submission_alone_is_watched_with_the_tests_beside_it() {
    let fixture = Fixture::new();
    fixture.write("my/1.in", "1 2\n");
    fixture.write("my/1.out", "4\n");
    fixture.write("my/p.sh", RIGHT);
    let watch = WatchProcess::start(&fixture, "my/p.sh");
    watch.wait_for_output(&["WA", "waiting for a change in my/p.sh or my;"]);
    fixture.write("my/other.sh", WRONG);
    fixture.write("my/1.out", "3\n");
    watch.wait_for_output(&["changed: my/1.out", "AC", "waiting"]);
    watch.interrupt(&fixture);
}

#[test]
fn failed_test_cases_run_first() {
    let fixture = Fixture::new();
    fixture.write("p.sh", WRONG);
    let watch = WatchProcess::start(&fixture, "sum p.sh");
    watch.wait_for_output(&["secret/large/1", WAITING_MESSAGE]);
    // Wrong on every test case.
    fixture.write("p.sh", "echo 4\n");
    watch.wait_for_output(&["repeat: juror judge sum p.sh --case secret/large/1", WAITING_MESSAGE]);
    fixture.write("p.sh", RIGHT);
    watch.wait_for_output(&["accepted on 4 test cases", WAITING_MESSAGE]);
    fixture.write("p.sh", "echo 4\n");
    watch.wait_for_output(&["repeat: juror judge sum p.sh --case sample/1", WAITING_MESSAGE]);
    watch.interrupt(&fixture);
}

#[test]
fn impossible_watches_are_refused() {
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    for option in ["--json", "--keep", "--shard=1/2", "--github"] {
        let name = option.split('=').next().expect("a word");
        let why = format!("{name} is for one judgement, but `juror watch` makes many");
        fixture.check(&format!("watch sum p.sh {option}"), 2, &[&why]);
        for help in ["watch -h", "watch --help", "help watch"] {
            let shown = fixture.juror(help).output().expect("juror runs").stdout;
            let shown = String::from_utf8(shown).expect("text");
            let lists = |name: &str| shown.lines().any(|line| line.trim_start().starts_with(name));
            assert!(lists("--time-limit") && !lists(name), "{help}: {shown}");
        }
    }
    fixture.check("watch sum none.sh", 2, &["submission not found: none.sh"]);
    fixture.check("watch sum", 2, &["give a submission: juror watch PACKAGE SUBMISSION"]);
    fixture.check("watch nowhere p.sh", 3, &["nowhere"]);
}

#[test]
fn a_deleted_file_does_not_hide_other_changes() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.write("b.sh", RIGHT);
    let watch = WatchProcess::start(&fixture, "sum a.sh b.sh");
    watch.wait_for_output(&["2 accepted", "waiting for a change"]);
    fixture.remove("b.sh");
    watch.wait_for_output(&["changed: b.sh", "submission not found: b.sh", "waiting for a change"]);
    fixture.write("a.sh", WRONG);
    watch.wait_for_output(&["changed: a.sh", "submission not found: b.sh", "waiting for a change"]);
    fixture.write("b.sh", RIGHT);
    watch.wait_for_output(&["changed: b.sh", "1 accepted", "waiting for a change"]);
    watch.interrupt(&fixture);
}

#[test]
fn permissions_and_checkers_are_watched() {
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    let checker =
        "read -r right < $2; read -r output; [[ $output == $right ]] && exit 42; exit 43\n";
    fixture.write("check.sh", checker);
    let watch = WatchProcess::start(&fixture, "sum p.sh --compare check.sh");
    watch.wait_for_output(&["AC", "waiting for a change"]);
    fixture.write("check.sh", format!("# The same.\n{checker}"));
    watch.wait_for_output(&["changed: check.sh", "AC", "waiting for a change"]);
    fixture.make_executable("sum/data/sample/1.in");
    watch.wait_for_output(&["changed: sum/data/sample/1.in", "AC", "waiting for a change"]);
    watch.interrupt(&fixture);
}

/// What the judgement reads starts a new one; what juror writes, and any other file, does not.
#[test]
fn only_what_the_judgement_reads_starts_a_new_one() {
    /// Writes files that do not count, then one that does, and checks that the watch names that one first.
    fn check(arguments: &str, ignored: &[&str], counted: &[(&str, &str)]) {
        let fixture = Fixture::new();
        fixture.write("t/1.in", "1 2\n");
        fixture.write("t/1.out", "4\n");
        fixture.write("t/p.sh", RIGHT);
        let includes = "#include \"add.h\"\n#include \"new.h\"\n#include <far.h>\n";
        fixture.write("t/p.c", format!("{includes}int main(void) {{}}\n"));
        fixture.write("lib/near.h", "\n");
        fixture.write("t/p.py", "import m, n\nprint(3)\n");
        fixture.write("t/add.h", "\n");
        fixture.write("t/d/main.sh", RIGHT);
        fixture.write("p.sh", RIGHT);
        let watch = WatchProcess::start(&fixture, arguments);
        watch.wait_for_output(&["waiting for a change"]);
        for (name, text) in counted {
            ignored.iter().for_each(|name| fixture.write(name, "a\n"));
            fixture.write(name, text);
            let change = watch.wait_for_output(&["changed: "]);
            // A directory for headers is found by its real path.
            let change = change.replace(&format!("{}/", fixture.root().display()), "");
            assert_eq!(change, format!("changed: {name}"), "{arguments}");
            watch.wait_for_output(&["waiting for a change"]);
        }
        watch.interrupt(&fixture);
    }
    let other = ["t/log.txt", "t/other.sh", "t/notes.md", "t/x.h", "t/e.jsonl"];
    check("t/p.sh --events t/own.jsonl", &other, &[("t/1.out", "3\n"), ("t/p.sh", WRONG)]);
    check(
        "t/p.sh --html t/own.html",
        &other,
        &[("t/p.sh", WRONG), ("t/juror.toml", "[limits]\nmemory = 99\n")],
    );
    let headers = [("t/add.h", "int x;\n"), ("t/new.h", "int y;\n"), ("t/new.h", "int z;\n")];
    check("t t/p.c --junit t/own.xml --csv t/own.csv", &other, &headers);
    let modules = [("t/m.py", "x = 1\n"), ("t/n.py", "y = 1\n"), ("t/m.py", "import n, o\n")];
    check("t t/p.py", &["t/log.txt", "t/other.py", "t/x.h"], &modules);
    check("t/p.c --flags=-Ilib", &other, &[("lib/far.h", "int f;\n"), ("t/new.h", "int y;\n")]);
    let inside = ["t/d/log.txt", "t/d/out.html", "t/p.sh"];
    check("t t/d", &inside, &[("t/d/main.sh", WRONG), ("t/d/more.sh", "\n"), ("t/d/x.h", "\n")]);
    let package = ["sum/log.txt", "sum/statement/problem.en.md", "sum/generators/gen.py"];
    let settings = [
        ("sum/data/sample/1.ans", "4\n"),
        ("sum/juror.toml", "[io]\ninput = \"a\"\noutput = \"b\"\n"),
        ("sum/input_validators/validate/more.sh", "\n"),
    ];
    check("sum p.sh", &package, &settings);
}

#[test]
fn a_new_test_is_judged() {
    let fixture = Fixture::new();
    fixture.write("t/1.in", "1 2\n");
    fixture.write("t/1.out", "3\n");
    fixture.write("t/p.sh", RIGHT);
    let watch = WatchProcess::start(&fixture, "t/p.sh");
    watch.wait_for_output(&["accepted on 1 test case", "waiting for a change"]);
    fixture.write("t/2.out", "4\n");
    fixture.write("t/2.in", "2 2\n");
    watch.wait_for_output(&["changed: t/2.", "accepted on 2 test cases", "waiting for a change"]);
    watch.interrupt(&fixture);
}
