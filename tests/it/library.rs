//! The library's public interface.

use std::fs;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use juror::{Event, Judge, Judgement, Problem, Stop, Submission, Verdict};
use juror_core::stop::is_interrupted;

use crate::fixture::Fixture;
use crate::{formats, interactive};

fn judge() -> Judge {
    Judge::builder().slots(1).start().expect("a judge")
}

fn sum_problem() -> Problem {
    Problem::from_cases([("1 2\n", "3\n"), ("20 22\n", "42\n"), ("0 0\n", "0\n")])
}

#[test]
fn submissions_are_texts_files_or_commands() {
    let judge = judge();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("sum.sh");
    fs::write(&file, "read a b; echo $((a + b))").unwrap();
    let check = |submission: Submission, verdict: Verdict, rejected: &[&str]| {
        let judgement = judge.run(&sum_problem(), &submission).unwrap();
        let names: Vec<&str> = judgement.rejected().map(|case| &*case.test_case).collect();
        assert_eq!((judgement.verdict, &names[..]), (verdict, rejected), "{submission:?}");
    };
    let text = |text: &str| Submission::source("a.sh", text);
    check(Submission::file(&file), Verdict::Accepted, &[]);
    check(text("read a b; echo $((a + b))"), Verdict::Accepted, &[]);
    check(text("echo 3"), Verdict::WrongAnswer, &["2"]);
    check(text("exit 1"), Verdict::RunTimeError, &["1"]);
    check(text("while :; do :; done"), Verdict::TimeLimitExceeded, &["1"]);
    check(Submission::source("a.c", "int main(void) {"), Verdict::CompileError, &[]);
    check(Submission::command(["/bin/echo", "3"]), Verdict::WrongAnswer, &["2"]);
}

#[test]
fn limits_of_a_problem_can_be_set() {
    let check = |problem: Problem, text: &str, cause: &str| {
        let judgement = judge().run(&problem, &Submission::source("a.sh", text)).unwrap();
        let causes: Vec<&str> = judgement.rejected().map(|case| &*case.cause).collect();
        assert!(causes.iter().any(|text| text.contains(cause)), "{causes:?}");
    };
    let brief = sum_problem().with_time_limit(Duration::from_millis(100));
    check(brief, "while :; do :; done", "0.100 s allowed");
    let small = sum_problem().with_memory_limit(32 << 20);
    check(small, "x=$(head -c 99000000 /dev/zero | tr '\\0' a); echo ${#x}", "32 MiB allowed");
}

#[test]
fn a_package_is_read_once_for_many_judgements() {
    let problem = Problem::open("problems/game1").unwrap();
    assert!(problem.test_cases().any(|name| name == "sample/1"));
    let judge = judge();
    let check = |file: &str, verdict: Verdict| {
        let path = format!("problems/game1/submissions/{file}");
        let Judgement { verdict: found, .. } =
            judge.run(&problem, &Submission::file(path)).unwrap();
        assert_eq!(found, verdict, "{file}");
    };
    check("wrong_answer/greedy_opponent.rs", Verdict::WrongAnswer);
    check("wrong_answer/greedy_opponent.rs", Verdict::WrongAnswer);
}

#[test]
fn events_arrive_during_a_judgement_and_can_end_it() {
    let judge = judge();
    let right = Submission::source("a.sh", "read a b; echo $((a + b))");
    let mut judged = Vec::new();
    let all = judge.run_with(&sum_problem(), &right, |event| {
        if let Event::CaseJudged { test_case, .. } = event {
            judged.push(test_case.clone());
        }
        ControlFlow::Continue(())
    });
    assert_eq!(all.unwrap().verdict, Verdict::Accepted);
    judged.sort();
    assert_eq!(judged, ["1", "2", "3"]);

    let ended = judge.run_with(&sum_problem(), &right, |event| match event {
        Event::CaseJudged { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(ended, Err(Stop::Interrupted));
    // Only that call was ended.
    assert_eq!(judge.run(&sum_problem(), &right).unwrap().verdict, Verdict::Accepted);
    judge.stop();
    assert_eq!(judge.run(&sum_problem(), &right), Err(Stop::Interrupted));
}

/// Whether a process has this text in its command line.
fn is_running(marker: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(marker))
}

/// A unique number of seconds, so large that no test sees its end.
fn long_time(number: usize) -> String {
    format!("36{:07}{number:03}", std::process::id())
}

const HOUR: Duration = Duration::from_secs(3600);

/// A call whose work reaches a program that does not end. Its command line has the marker.
fn endless_work(kind: &str, fixture: &Fixture, marker: &str) -> (Problem, Submission) {
    let sleep = format!("exec sleep {marker}");
    let text = |text: &str| Submission::source("a.sh", text);
    let patient = || sum_problem().with_time_limit(HOUR);
    match kind {
        // The compiler reads this 2^100 times.
        "build" => {
            let twice =
                "#if __INCLUDE_LEVEL__ < 100\n#include __FILE__\n#include __FILE__\n#endif\n";
            (patient(), Submission::source(format!("a{marker}.c"), twice))
        }
        "run" => (patient(), text(&sleep)),
        "validator" => {
            let checker = format!("read a; case $a in hang) {sleep};; esac; exit 42");
            (patient().with_checker_source("check.sh", &checker).unwrap(), text("echo hang"))
        }
        "interactive" => {
            let validator = interactive::VALIDATOR.replace("while :; do :; done", &sleep);
            interactive::set_validator(fixture, &validator);
            let problem = Problem::open(fixture.path("sum")).unwrap().with_time_limit(HOUR);
            (problem, text(&format!("read a b; echo hang; {sleep}")))
        }
        "generator" => {
            let sleep = format!("execlp(\"sleep\", \"sleep\", \"{marker}\", (char*) 0);");
            let generator = format!("#include <unistd.h>\nint main() {{ {sleep} }}\n");
            fixture.write("lc/sample/sum/gen/random.cpp", generator);
            (Problem::open(fixture.path("lc/sample/sum")).unwrap(), text("echo 3"))
        }
        kind => panic!("{kind}"),
    }
}

#[test]
fn a_break_or_a_stop_kills_what_is_under_way() {
    let right = Submission::source("a.sh", "read a b; echo $((a + b))");
    let check = |number: usize, kind: &str, is_break: bool| {
        let judge = judge();
        let fixture = match kind {
            "generator" => formats::library_checker(),
            _ => interactive::fixture(),
        };
        let marker = long_time(number);
        let (problem, endless) = endless_work(kind, &fixture, &marker);
        let ended = judge.run_with(&problem, &endless, |_| {
            if !is_running(&marker) {
                return ControlFlow::Continue(());
            }
            if is_break {
                return ControlFlow::Break(());
            }
            judge.stop();
            ControlFlow::Continue(())
        });
        assert_eq!(ended, Err(Stop::Interrupted), "{kind}");
        assert!(!is_running(&marker), "{kind}");
        let problem = if kind == "generator" { sum_problem() } else { problem };
        let next = judge.run(&problem, &right).map(|judgement| judgement.verdict);
        let expected = if is_break { Ok(Verdict::Accepted) } else { Err(Stop::Interrupted) };
        assert_eq!(next, expected, "{kind}");
    };
    let kinds = ["build", "run", "validator", "interactive", "generator"];
    for (number, kind) in kinds.into_iter().enumerate() {
        check(2 * number, kind, true);
        check(2 * number + 1, kind, false);
    }
}

/// The second call waits for the only slot, or for the validator that the first call builds.
#[test]
fn a_break_ends_one_call_and_the_other_goes_on() {
    let check = |number: usize, problem: Problem| {
        let (judge, marker) = (judge(), long_time(number));
        let problem = problem.with_time_limit(HOUR);
        let sleep = Submission::source("a.sh", format!("exec sleep {marker}"));
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let first = scope.spawn(|| {
                judge.run_with(&problem, &sleep, |_| {
                    if is_over.load(Ordering::SeqCst) {
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                })
            });
            while !is_running(&marker) {
                assert!(!first.is_finished(), "it does not run");
                thread::yield_now();
            }
            let second = judge.run_with(&problem, &sleep, |_| ControlFlow::Break(()));
            assert_eq!(second, Err(Stop::Interrupted));
            assert!(!first.is_finished() && is_running(&marker));
            is_over.store(true, Ordering::SeqCst);
            assert_eq!(first.join().unwrap(), Err(Stop::Interrupted));
        });
        assert!(!is_running(&marker));
    };
    check(100, sum_problem());
    let twice = "#if __INCLUDE_LEVEL__ < 100\n#include __FILE__\n#include __FILE__\n#endif\n";
    let checker = format!("a{}.c", long_time(101));
    check(101, sum_problem().with_checker_source(&checker, twice).unwrap());
}

#[test]
fn problems_are_judged_as_their_maker_says() {
    let judge = judge();
    let check = |problem: Problem, text: &str, verdict: Verdict| {
        let submission = Submission::source("a.sh", text);
        assert_eq!(judge.run(&problem, &submission).unwrap().verdict, verdict, "{text}");
    };
    let compared = |name: &str| sum_problem().with_comparison(name).unwrap();
    let sum = |format: &str| format!("read a b; printf '{format}' $((a + b))");
    check(sum_problem(), &sum("%d"), Verdict::Accepted);
    check(compared("exact"), &sum("%d"), Verdict::WrongAnswer);
    check(compared("exact"), &sum("%d\\n"), Verdict::Accepted);
    check(compared("tokens"), &sum("%d.0"), Verdict::WrongAnswer);
    check(compared("float=1e-6"), &sum("%d.0000001"), Verdict::Accepted);
    check(compared("float=1e-6"), &sum("%d.1"), Verdict::WrongAnswer);
    check(compared("floats,precision=1"), &sum("%d.01"), Verdict::Accepted);
    check(compared("none"), "echo 7", Verdict::Accepted);
    let small = sum_problem().with_output_limit(100);
    check(small, "head -c 1000 /dev/zero", Verdict::OutputLimitExceeded);

    let checker =
        "read a b < $1; read c < $2; read d; [ $c$d = $((a + b))odd ] && exit 42; exit 43";
    let checked = || sum_problem().with_checker_source("check.sh", checker).unwrap();
    check(checked(), "echo odd", Verdict::Accepted);
    check(checked(), "echo even", Verdict::WrongAnswer);
    // The last call counts.
    check(checked().with_comparison("words").unwrap(), &sum("%d"), Verdict::Accepted);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("check.sh"), checker).unwrap();
    let from_file = || compared("none").with_checker(dir.path().join("check.sh")).unwrap();
    check(from_file(), "echo odd", Verdict::Accepted);
    check(from_file(), "echo even", Verdict::WrongAnswer);

    // A package is judged in its own way, unless a call says otherwise.
    let fixture = Fixture::new();
    let package = || Problem::open(fixture.path("sum")).unwrap();
    check(package(), "echo 7", Verdict::WrongAnswer);
    check(package().with_comparison("none").unwrap(), "echo 7", Verdict::Accepted);
    let few = "read a; case $a in 3|7) exit 42;; esac; exit 43";
    let checked = || package().with_checker_source("check.sh", few).unwrap();
    check(checked(), "echo 7", Verdict::Accepted);
    check(checked(), "echo 8", Verdict::WrongAnswer);
}

#[test]
fn a_changed_problem_gets_ready_once_more() {
    let (judge, problem) = (judge(), sum_problem());
    let seven = Submission::source("a.sh", "echo 7");
    assert_eq!(judge.run(&problem, &seven).unwrap().verdict, Verdict::WrongAnswer);
    let problem = problem.with_comparison("none").unwrap();
    assert_eq!(judge.run(&problem, &seven).unwrap().verdict, Verdict::Accepted);
    let problem = problem.with_output_limit(1);
    assert_eq!(judge.run(&problem, &seven).unwrap().verdict, Verdict::OutputLimitExceeded);
}

#[test]
fn a_stop_reaches_work_that_runs_no_program() {
    let (judge, other) = (judge(), judge());
    let right = Submission::source("a.sh", "read a b; echo $((a + b))");
    let mut polled = Vec::new();
    let ended = judge.run_with(&sum_problem(), &right, |_| {
        other.stop();
        polled.push(is_interrupted());
        ControlFlow::Break(())
    });
    assert_eq!(ended, Err(Stop::Interrupted));
    assert!(!polled[0] && polled[1..].iter().all(|it| *it), "{polled:?}");
    let mut polled = Vec::new();
    let ended = judge.run_with(&sum_problem(), &right, |_| {
        let before = is_interrupted();
        judge.stop();
        polled.push([before, is_interrupted()]);
        ControlFlow::Continue(())
    });
    assert_eq!(ended, Err(Stop::Interrupted));
    assert_eq!(polled[0], [false, true]);
    assert!(!is_interrupted(), "this thread's own work goes on");
}

#[test]
fn unusable_input_is_an_error_with_help() {
    let check = |stop: Stop, pieces: &[&str]| {
        let text = stop.to_string();
        assert!(pieces.iter().all(|piece| text.contains(piece)), "{text}");
    };
    let open = |path: &str| Problem::open(path).unwrap_err();
    check(open("problems/gme1"), &["no such directory", "did you mean `game1`?"]);
    check(open("src"), &["src"]);
    let run = |submission: Submission| judge().run(&sum_problem(), &submission).unwrap_err();
    check(run(Submission::file("no/such.c")), &["submission not found: no/such.c"]);
    check(run(Submission::source("a.unknown", "x")), &["a.unknown", "language"]);
    let compare = |name: &str| sum_problem().with_comparison(name).unwrap_err();
    check(compare("wrds"), &["with_comparison: ", "did you mean `words`?"]);
    check(compare("float=x"), &["with_comparison: ", "1e-6"]);
    let named = |name: &str| sum_problem().with_checker_source(name, "").unwrap_err();
    check(named("../check.sh"), &["with_checker_source: ", "`../check.sh`", "checker.py"]);
    check(named(""), &["with_checker_source: ", "checker.py"]);
    check(sum_problem().with_checker("no/check.sh").unwrap_err(), &["no/check.sh"]);
    let fixture = interactive::fixture();
    let talks = Problem::open(fixture.path("sum")).unwrap();
    check(talks.with_comparison("words").unwrap_err(), &["interactive", "leave it out"]);
    check(run(Submission::command(["no/such"])), &["cannot start `no/such`"]);
    check(run(Submission::command::<&str>([])), &["give a program"]);
}

#[test]
fn threads_share_a_judge_and_a_problem() {
    let (judge, problem) = (Judge::builder().slots(2).start().unwrap(), sum_problem());
    std::thread::scope(|scope| {
        for (text, verdict) in [
            ("read a b; echo $((a + b))", Verdict::Accepted),
            ("echo 3", Verdict::WrongAnswer),
            ("echo 42", Verdict::WrongAnswer),
            ("exit 3", Verdict::RunTimeError),
        ] {
            let (judge, problem) = (&judge, &problem);
            scope.spawn(move || {
                let submission = Submission::source("a.sh", text);
                assert_eq!(judge.run(problem, &submission).unwrap().verdict, verdict, "{text}");
            });
        }
    });
}

#[test]
fn a_cache_is_kept_for_later_judges() {
    let dir = tempfile::tempdir().unwrap();
    let submission = Submission::source("a.sh", "read a b; echo $((a + b))");
    let mut recalled = Vec::new();
    for _ in 0..2 {
        let judge = Judge::builder().slots(1).cache(dir.path()).start().unwrap();
        let judgement = judge.run(&sum_problem(), &submission).unwrap();
        let first = judgement.cases[0].outcome.as_ref().unwrap();
        recalled.push(first.ran_at.is_some());
    }
    assert_eq!(recalled, [false, true]);
}

/// The words of Rust code after this one, up to a character that no name has.
fn names_after<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.split(word)
        .skip(1)
        .map(move |rest| rest.split(|letter| !is_name(letter)).next().unwrap_or(rest))
}

/// The fields of a struct in this code.
fn fields<'a>(code: &'a str, name: &str) -> Vec<&'a str> {
    let start = code.split(&format!("pub struct {name} {{")).nth(1).expect("a struct");
    names_after(start.split("\n}").next().unwrap_or(start), "\n    pub ").collect()
}

#[test]
fn the_page_names_every_public_item() {
    let read = |path: &str| fs::read_to_string(path).expect("a file of this repository");
    let page = read("docs/library.md");
    let code: Vec<&str> = page.split('`').collect();
    let check = |name: &str| {
        let is_named = |code: &str| {
            let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            words.into_iter().any(|word| word == name)
        };
        assert!(code.iter().skip(1).step_by(2).any(|code| is_named(code)), "{name}");
    };
    let root = read("src/lib.rs");
    let door = read("src/door/mod.rs");
    let judgement = read("crates/core/src/judgement.rs");
    let exports = root.lines().filter_map(|line| line.strip_prefix("pub use "));
    let exported = exports.flat_map(|line| {
        let names = line.rsplit("::").next().unwrap_or(line);
        names.split([',', ' ', '{', '}', ';']).filter(|name| !name.is_empty())
    });
    let exported: Vec<&str> = exported.collect();
    assert!(exported.contains(&"Judge") && exported.contains(&"Verdict"), "{exported:?}");
    exported.into_iter().for_each(check);
    let shown = door.replace("#[doc(hidden)]\n    pub fn ", "");
    let methods: Vec<&str> = names_after(&shown, "\n    pub fn ").collect();
    assert!(methods.contains(&"run_with") && !methods.contains(&"executor"), "{methods:?}");
    methods.into_iter().for_each(check);
    for name in ["Judgement", "CaseJudgement"] {
        let fields = fields(&judgement, name);
        assert!(fields.contains(&"verdict"), "{fields:?}");
        fields.into_iter().for_each(check);
    }
}
