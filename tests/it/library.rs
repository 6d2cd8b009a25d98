//! The library's public interface.

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use juror::{Event, Judge, Judgement, Problem, Stop, Submission, Verdict};
use juror_core::stop::is_interrupted;

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
        assert!(causes.iter().any(|it| it.contains(cause)), "{causes:?}");
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
