//! Interactive problems: good and bad interactions, and who is to blame.

use std::fs;

use crate::fixture::Fixture;

/// Sends two numbers, and expects their sum and nothing more.
pub(crate) const VALIDATOR: &str = r#"#!/usr/bin/env bash
say() { echo "$1" > "${feedback}judgemessage.txt"; }
feedback=$3
read -r a b < "$1"
echo "$a $b"
read -r answer || { say "no answer"; exit 43; }
if [[ $answer == boom ]]; then echo "lost my way" >&2; exit 1; fi
if [[ $answer == hang ]]; then while :; do :; done; fi
if [[ $answer == flood ]]; then exec yes; fi
if [[ $answer != $((a + b)) ]]; then say "$answer is not $((a + b))"; exit 43; fi
exec >&-
if read -r more; then say "$more is too much"; exit 43; fi
exit 42
"#;

pub(crate) fn fixture() -> Fixture {
    let fixture = Fixture::new();
    set_validator(&fixture, VALIDATOR);
    let problem = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("a package");
    let limits = "limits:\n  validation_time: 1\n";
    let problem = problem.replace("limits:\n", &format!("type: interactive\n{limits}"));
    fixture.write("sum/problem.yaml", problem);
    fixture
}

pub(crate) fn set_validator(fixture: &Fixture, validator: &str) {
    fixture.write("sum/output_validator/validate/run", validator);
    fixture.make_executable("sum/output_validator/validate/run");
}

#[test]
fn verify_runs_every_interactive_submission() {
    let fixture = fixture();
    let all = "2 submissions, all as expected";
    fixture.check("verify sum", 0, &[all]);
    let exchange = |text: &str| {
        fixture.write("sum/data/sample/1.interaction", text);
        fixture.write("sum/data/sample/1.in.download", "1 2\n");
        fixture.write("sum/data/sample/1.ans.download", "3\n");
    };
    exchange("<1 2\n>3\n");
    fixture.check("verify sum", 0, &[all]);
    exchange("<1 2\n>4\n");
    let message = "the output validator rejects the submission's side of it: 4 is not 3";
    fixture.check("verify sum", 0, &[all, message]);
    exchange("<2 1\n>3\n");
    let message = "the judge's line 1 is `2 1` there, but the output validator writes `1 2`";
    fixture.check("verify sum", 0, &[all, message]);
    exchange("1 2\n3\n");
    let message = "1.interaction:1:1";
    let output = fixture.juror("verify sum").output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains(message), "{text}");
}

/// The submission must repeat the number of each pass; the last is 3.
const MULTI_PASS_VALIDATOR: &str = r#"#!/usr/bin/env bash
number=$(cat "${3}number" 2>/dev/null || echo 1)
echo "$number"
read -r answer && [[ $answer == "$number" ]] || exit 43
if (( number < 3 )); then echo "$((number + 1))" | tee "${3}number" > "${3}nextpass.in"; fi
exit 42
"#;

#[test]
fn each_pass_of_an_interaction_is_shown() {
    let fixture = fixture();
    set_validator(&fixture, MULTI_PASS_VALIDATOR);
    let path = fixture.path("sum/problem.yaml");
    let problem = fs::read_to_string(&path).expect("a package");
    let kind = "type: [interactive, multi-pass]\nlimits:\n  validation_passes: 9\n";
    fixture.write("sum/problem.yaml", problem.replace("type: interactive\nlimits:\n", kind));
    fixture.write("sum/data/sample/1.in.download", "1 2\n");
    fixture.write("sum/data/sample/1.ans.download", "3\n");
    let check = |exchange: &str, messages: &[&str]| {
        fixture.write("sum/data/sample/1.interaction", exchange);
        let output = fixture.juror("verify sum").output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let about = lines.windows(2).filter(|pair| pair[1].ends_with("1.interaction"));
        let found: Vec<&str> = about.map(|pair| pair[0]).collect();
        assert_eq!(found, messages, "{text}");
    };
    let whole = "<1\n>1\n---\n<2\n>2\n---\n<3\n>3\n";
    check(whole, &[]);
    fixture.write("p.sh", "read -r number; echo $number\n");
    fixture.check("judge sum p.sh --case sample --keep=kept", 0, &["AC"]);
    assert_eq!(fixture.read("kept/p.sh/sample~-1.interaction"), whole);
    check(
        "<1\n>1\n---\n<2\n>2\n",
        &["warning: after pass 2 of it, the output validator asks for another pass"],
    );
    check(
        "<1\n>1\n---\n<2\n>2\n---\n<3\n>3\n---\n<4\n>4\n",
        &["warning: after pass 3 of it, the output validator asks for no other pass"],
    );
    check(
        "<1\n>1\n---\n<5\n>2\n---\n<3\n>3\n",
        &[
            "warning: in pass 2, the judge's line 1 is `5` there, but the output validator writes `2`",
        ],
    );
    check(
        "<1\n>1\n---\n<2\n>5\n---\n<3\n>3\n",
        &["warning: in pass 2, the output validator rejects the submission's side of it"],
    );
}

#[test]
fn a_submission_that_waits_forever_exceeds_every_limit() {
    let fixture = fixture();
    let mute = "sum/submissions/time_limit_exceeded/mute.sh";
    fixture.write(mute, "read -r a b; read -r c\n");
    let output = fixture.juror("verify sum").output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("3 submissions, all as expected"), "{text}{errors}");
    assert!(!errors.contains("warning"), "{errors}");
}

#[test]
fn the_first_failure_counts() {
    let fixture = fixture();
    let wrong = "the output validator rejects it: 4 is not 3";
    let waits = "waited for input that never came: the output validator also waited";
    let rows = [
        ("echo 4", "WA", wrong),
        ("echo 4; exit 3", "WA", wrong),
        ("echo 4; kill -SEGV $$", "WA", wrong),
        ("echo 4; while :; do :; done", "WA", wrong),
        ("exit 3", "RTE", "exit code 3"),
        ("kill -SEGV $$", "RTE", "killed by SIGSEGV"),
        ("while :; do :; done", "TLE", "of CPU"),
        ("exit 0", "WA", "the output validator rejects it: no answer"),
        ("exec >&-; sleep 1000", "TLE", "on the wall clock"),
        ("echo $((a + b)); exit 3", "RTE", "exit code 3"),
        ("echo $((a + b)); echo 9", "WA", "rejects it: 9 is too much"),
        ("echo $((a + b)); echo 9; exit 3", "WA", "9 is too much"),
        ("echo $((a + b)); sleep 1000", "TLE", "on the wall clock"),
        ("echo $((a + b)); while :; do :; done", "TLE", "of CPU"),
        ("while :; do echo 1; done", "WA", "1 is not 3"),
        ("head -c 1000 /dev/urandom; echo", "WA", ""),
        ("read -r c", "TLE", waits),
        ("printf %s $((a + b)); read -r c", "TLE", waits),
    ];
    fixture.judge_all("read -r a b", "--time-limit 0.1", &rows);
    fixture.write("p.sh", "read -r a b; printf %s $((a + b)); read -r c\n");
    fixture.check("judge sum p.sh", 1, &["TLE", waits, ">3 (no line end)"]);
    // Submissions that end in time without waiting for the validator.
    let right = "echo $((a + b))";
    let in_time = ["", "; exec <&-", "; read -r c; exit 0"];
    for (at, end) in in_time.into_iter().enumerate() {
        fixture.write(&format!("r{at}.sh"), format!("read -r a b\n{right}{end}\n"));
    }
    fixture.check("judge sum r0.sh r1.sh r2.sh", 0, &["3 submissions, 3 accepted"]);
}

#[test]
fn a_faulty_validator_is_a_judge_error() {
    let fixture = fixture();
    let check = |program: &str, messages: &[&str]| {
        fixture.write("p.sh", format!("read -r a b\n{program}\n"));
        fixture.check("judge sum p.sh --time-limit 10", 4, messages);
    };
    let step = "judge sample/1 with the output validator `validate`";
    check(
        "echo boom",
        &[step, "it ended with exit code 1", "lost my way", "repeat: juror judge sum"],
    );
    check("echo boom; exit 3", &[step, "it ended with exit code 1"]);
    check("echo hang; read -r c", &[step, "of CPU time"]);
    check("echo flood; cat > /dev/null", &[step, "wrote more than the 8 MiB"]);
}

/// The validator is slow in an answer, in many answers, or at the end.
#[test]
fn a_submission_at_its_wall_time_limit_is_to_blame_unless_it_waits() {
    let fixture = fixture();
    let takes_time = "if [[ $answer == slow ]]; then sleep 3; exec >&-; exit 42; fi\n\
        while [[ $answer == ask ]]; do sleep 0.05; read -r answer || exit 43; done\n\
        if [[ $answer != $((a";
    set_validator(&fixture, &VALIDATOR.replace("if [[ $answer != $((a", takes_time));
    let rows = [
        ("echo slow; read -r c", "-", "it let the submission wait until its wall time limit"),
        ("echo slow; sleep 1000", "TLE", "on the wall clock"),
        ("printf slow; read -t 1000 -r c", "TLE", "waited for input that never came"),
        ("yes ask", "TLE", "waited for its output to be read"),
        ("yes ask | head -1000; sleep 1000", "TLE", "on the wall clock"),
        ("yes ask | head -1000; kill -SEGV $$", "RTE", "killed by SIGSEGV"),
    ];
    fixture.judge_all("read -r a b", "--time-limit 0.1 --case secret/large/1", &rows);
}

#[test]
fn an_interactive_validator_is_tested_before_it_judges() {
    let fixture = fixture();
    let check = |validator: &str, message: &str| {
        let validator = format!("#!/usr/bin/env bash\n{validator}\n");
        set_validator(&fixture, &validator);
        fixture.check("verify sum", 3, &[message]);
    };
    check("exit 42", "accepts a submission that writes nothing");
    check("exit 0", "breaks down on a submission that writes nothing");
    check("read -r x && exit 42; exit 43", "accepts nonsense as the output");
    check("set -e; read -r x; exit 42", "it ended with exit code 1");
    // A validator that can still be used.
    let right = "read -r a b <\"$1\"; echo $a $b; read -r x || exit 1; [[ $x == $((a + b)) ]] && exit 42; exit 43";
    check(right, "breaks down on a submission that writes nothing");
    let report = fixture.json("verify sum", 3);
    assert_eq!(report["submissions"][0]["judgement"]["verdict"], "AC", "{report:#}");
}

#[test]
fn the_interaction_is_saved_and_reported() {
    let fixture = fixture();
    fixture.write("p.sh", "read -r a b; echo 3\n");
    let what = "interaction:";
    fixture.check(
        "judge sum p.sh --keep=kept",
        1,
        &["wrong answer on secret/large/1", what, "<100000 1", ">3"],
    );
    let saved = |name: &str| {
        let path = fixture.path(&format!("kept/p.sh/{name}.interaction"));
        fs::read_to_string(path).expect("an exchange")
    };
    assert_eq!(saved("sample~-1"), "<1 2\n>3\n");
    assert_eq!(saved("secret~-large~-1"), "<100000 1\n>3\n");
    let document = fixture.json("judge sum p.sh", 1);
    let case = &document["submissions"][0]["judgement"]["test_cases"][1];
    let transcript = &case["evidence"]["transcript"];
    let line = |index: usize| {
        let line = &transcript["first"][index];
        assert!(line["at_seconds"].as_f64().expect("a time") >= 0.0);
        format!("{} {}", line["by"], line["line"]["text"])
    };
    assert_eq!(line(0), r#""output_validator" "100000 1""#);
    assert_eq!(line(1), r#""submission" "3""#);
    assert_eq!(transcript["left_out_bytes"], 0);
    assert_eq!(transcript["last"], serde_json::json!([]));
}

#[test]
fn a_submission_sees_only_the_interaction() {
    let fixture = fixture();
    fixture.write(
        "p.sh",
        "read -r a b; cat /box/juror/* ./juror/* ../juror/* 2>/dev/null; ls -R /box 2>/dev/null | grep ans; echo 3\n",
    );
    fixture.check("judge sum p.sh --case sample/1", 0, &["AC"]);
}

#[test]
fn an_interactive_problem_cannot_name_files() {
    let fixture = fixture();
    let path = fixture.path("sum/problem.yaml");
    let problem = fs::read_to_string(path).expect("a package") + "allow_file_writing: true\n";
    fixture.write("sum/problem.yaml", problem);
    fixture.write("sum/juror.toml", "[io]\ninput = \"sum.in\"\noutput = \"sum.out\"\n");
    fixture.check(
        "verify sum",
        3,
        &["names files, but submissions of an interactive problem talk"],
    );
}

#[test]
fn one_slot_is_enough_for_an_interactive_problem() {
    let fixture = fixture();
    fixture.check("verify sum --jobs 1", 0, &["2 submissions, all as expected"]);
}

/// The verdict does not depend on which program is faster: each row runs without a pause, with a pause of the
/// submission, and with one of the validator.
#[test]
fn the_order_in_which_programs_end_changes_no_verdict() {
    std::thread::scope(|scope| {
        for (ours, theirs) in [("0", "0"), ("0.3", "0"), ("0", "0.3")] {
            scope.spawn(move || verdicts_with_pauses(ours, theirs));
        }
    });
}

/// `ours` and `theirs` are the pauses of submission and validator, in seconds.
fn verdicts_with_pauses(ours: &str, theirs: &str) {
    let fixture = fixture();
    // What the validator does at the end of its input; then programs, each with verdict (`-` for none) and a part of
    // the cause.
    let check = |at_end: &str, rows: &[(&str, &str, &str)]| {
        // On the sample, which tests the validator, it behaves as usual.
        let at_end = format!("[[ $a == 1 ]] || {{ sleep DELAY; {at_end}; }}; say \"no answer\"");
        let validator = VALIDATOR
            .replace("say \"no answer\"", &at_end)
            .replace("if [[ $answer == boom", "sleep DELAY; if [[ $answer == boom")
            .replace("exec >&-\n", "exec >&-\nsleep DELAY\n")
            .replace("DELAY", theirs);
        set_validator(&fixture, &validator);
        let start = format!("read -r a b; pause={ours}");
        fixture.judge_all(&start, "--time-limit 0.5 --case secret/large/1", rows);
    };
    let crash = "sleep $pause; kill -SEGV $$";
    let closed_crash = format!("exec >&-; {crash}");
    let crashes =
        [(&*closed_crash, "RTE", "killed by SIGSEGV"), (crash, "RTE", "killed by SIGSEGV")];
    check("exit 42", &crashes);
    let breaks = ("exec >&-; sleep $pause; exit 0", "-", "it ended with exit code 1");
    check("exit 1", &[&crashes[..], &[breaks]].concat());
    let rejects = [
        ("exec >&-; sleep $pause; exit 3", "RTE", "exit code 3"),
        ("exec >&-; exec sleep 1000", "TLE", "on the wall clock"),
        ("exec >&-; sleep $pause; exit 0", "WA", "rejects it: silent"),
        ("sleep $pause; exit 0", "WA", "rejects it: silent"),
        // By the text of the submission.
        ("echo 4; sleep $pause; kill -SEGV $$", "WA", "4 is not 100001"),
        ("echo 4; exec >&-; sleep $pause; kill -SEGV $$", "WA", "4 is not 100001"),
        ("echo 4; sleep $pause; exit 0", "WA", "4 is not 100001"),
        ("echo 4; exec >&-; sleep $pause; exit 0", "WA", "4 is not 100001"),
        ("echo boom; sleep $pause; kill -SEGV $$", "-", "it ended with exit code 1"),
        ("echo boom; exec >&-; sleep $pause; kill -SEGV $$", "-", "it ended with exit code 1"),
        ("echo $((a + b)); sleep $pause; kill -SEGV $$", "RTE", "SIGSEGV"),
        ("echo $((a + b)); exec >&-; sleep $pause; kill -SEGV $$", "RTE", "SIGSEGV"),
    ];
    check("say silent; exit 43", &[&crashes[..], &rejects].concat());
}
