//! `juror watch`: which changes start a judgement, and how it ends.

use std::fs;
use std::io::{BufRead, BufReader, pipe};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::wire;

const ENDLESS: &str = "sleep 100000\n";
/// Much longer than any test takes.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
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
    fn says(&self, pieces: &[&str]) -> String {
        let mut said = String::new();
        let mut last = String::new();
        for piece in pieces {
            loop {
                let line = self.lines.recv_timeout(PATIENCE);
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
    fn ends(mut self, fixture: &Fixture) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(id, Signal::INT).expect("it is there");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(130));
        let left: Vec<_> = fs::read_dir(fixture.path("tmp")).expect("a directory").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const WAITS: &str = "waiting for a change in p.sh or sum; Ctrl-C ends it";

#[test]
fn each_save_is_judged() {
    let fixture = Fixture::new();
    fixture.write("p.sh", WRONG);
    // Files that juror writes are no change.
    let watch = Watch::start(&fixture, "sum p.sh --html sum/report.html");
    watch.says(&["WA", WAITS]);
    fixture.write("p.sh", RIGHT);
    watch.says(&["changed: p.sh", "AC", WAITS]);
    // Many editors save like this.
    let replace = |text: &str| {
        fixture.write(".p.sh.new", text);
        fs::rename(fixture.path("p.sh"), fixture.path("p.sh~")).expect("a backup");
        fs::rename(fixture.path(".p.sh.new"), fixture.path("p.sh")).expect("a file in its place");
    };
    replace(WRONG);
    watch.says(&["changed: p.sh", "WA", WAITS]);
    replace(RIGHT);
    watch.says(&["changed: p.sh", "AC", WAITS]);
    // A change in the package, also in a new directory.
    fixture.write("sum/data/secret/small/1.ans", "14\n");
    watch.says(&["changed: sum/data/secret/small/1.ans", "WA", WAITS]);
    fixture.write("sum/data/secret/small/1.ans", "13\n");
    watch.says(&["changed: sum/data/secret/small/1.ans", "AC", WAITS]);
    fixture.write("sum/data/secret/new/1.ans", "3\n");
    fixture.write("sum/data/secret/new/1.in", "1 2\n");
    watch.says(&["changed: sum/data/secret/new/1.", "accepted on 5 test cases", WAITS]);
    fixture.write("sum/problem.yaml", "name: [\n");
    watch.says(&["changed: sum/problem.yaml", "error", WAITS]);
    // Other files do not matter: the next reported change is another one.
    fixture.write("q.sh", WRONG);
    fixture.write("sum/submissions/accepted/right.sh", WRONG);
    fixture.remove("p.sh");
    fixture.write("p.sh", WRONG);
    assert_eq!(watch.says(&["changed: "]), "changed: p.sh");
    watch.says(&[WAITS]);
    watch.ends(&fixture);
}

/// A watch of the old directory would miss changes in the new one with the same name.
#[test]
fn a_directory_that_is_replaced_is_watched_on() {
    let fixture = Fixture::new();
    fixture.write("w/p.sh", WRONG);
    let watch = Watch::start(&fixture, "sum w/p.sh");
    watch.says(&["WA", "waiting for a change"]);
    fs::rename(fixture.path("w"), fixture.path("old")).expect("a directory");
    fixture.write("w/p.sh", RIGHT);
    watch.says(&["AC", "waiting for a change"]);
    fixture.write("w/p.sh", WRONG);
    watch.says(&["WA", "waiting for a change"]);
    watch.ends(&fixture);
}

#[test]
fn a_save_ends_the_judgement_before() {
    let fixture = Fixture::new();
    fixture.write("p/main.sh", ENDLESS);
    let watch = Watch::start(&fixture, "sum p --time-limit 10000");
    watch.says(&["limits:"]);
    fixture.write("p/main.sh", RIGHT);
    watch.says(&["interrupted", "changed: p/main.sh", "AC", "waiting"]);
    fixture.write("p/main.sh", ENDLESS);
    watch.says(&["changed: p/main.sh", "limits:"]);
    watch.ends(&fixture);
}

#[test]
fn what_failed_last_is_run_first() {
    let fixture = Fixture::new();
    fixture.write("p.sh", WRONG);
    let watch = Watch::start(&fixture, "sum p.sh");
    watch.says(&["secret/large/1", WAITS]);
    // Wrong on every test case.
    fixture.write("p.sh", "echo 4\n");
    watch.says(&["repeat: juror judge sum p.sh --case secret/large/1", WAITS]);
    fixture.write("p.sh", RIGHT);
    watch.says(&["accepted on 4 test cases", WAITS]);
    fixture.write("p.sh", "echo 4\n");
    watch.says(&["repeat: juror judge sum p.sh --case sample/1", WAITS]);
    watch.ends(&fixture);
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    for option in ["--json", "--keep", "--shard=1/2", "--github"] {
        let name = option.split('=').next().expect("a word");
        let why = format!("{name} is for one judgement, but `juror watch` makes many");
        fixture.check(&format!("watch sum p.sh {option}"), 2, &[&why]);
        for help in ["watch -h", "watch --help", "help watch"] {
            let shown = fixture.juror(help).output().expect("juror runs").stdout;
            let shown = String::from_utf8(shown).expect("text");
            let lists = |name: &str| shown.lines().any(|it| it.trim_start().starts_with(name));
            assert!(lists("--time-limit") && !lists(name), "{help}: {shown}");
        }
    }
    fixture.check("watch sum none.sh", 2, &["submission not found: none.sh"]);
    fixture.check("watch sum", 2, &["give a submission: juror watch PACKAGE SUBMISSION"]);
    fixture.check("watch nowhere p.sh", 3, &["nowhere"]);
}

#[test]
fn one_that_is_gone_does_not_hide_changes_of_others() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.write("b.sh", RIGHT);
    let watch = Watch::start(&fixture, "sum a.sh b.sh");
    watch.says(&["2 accepted", "waiting for a change"]);
    fixture.remove("b.sh");
    watch.says(&["changed: b.sh", "submission not found: b.sh", "waiting for a change"]);
    fixture.write("a.sh", WRONG);
    watch.says(&["changed: a.sh", "submission not found: b.sh", "waiting for a change"]);
    fixture.write("b.sh", RIGHT);
    watch.says(&["changed: b.sh", "1 accepted", "waiting for a change"]);
    watch.ends(&fixture);
}

#[test]
fn rights_and_checkers_are_watched() {
    let fixture = Fixture::new();
    fixture.write("p.sh", RIGHT);
    let checker =
        "read -r right < $2; read -r output; [[ $output == $right ]] && exit 42; exit 43\n";
    fixture.write("check.sh", checker);
    let watch = Watch::start(&fixture, "sum p.sh --compare check.sh");
    watch.says(&["AC", "waiting for a change"]);
    fixture.write("check.sh", format!("# The same.\n{checker}"));
    watch.says(&["changed: check.sh", "AC", "waiting for a change"]);
    fixture.executable("sum/data/sample/1.in");
    watch.says(&["changed: sum/data/sample/1.in", "AC", "waiting for a change"]);
    watch.ends(&fixture);
}
