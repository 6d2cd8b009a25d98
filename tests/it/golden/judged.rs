//! Recorded runs of `judge` and `verify` on small packages.

use std::sync::Arc;

use std::sync::LazyLock;

use juror_core::cache_use::CacheUse;
use juror_core::event::{Event, StampedEvent};
use juror_core::exit_code::ExitCode;
use juror_core::isolation::Isolation;
use juror_core::moment::Moment;
use juror_core::worker::WorkerReport;

use super::record::{interrupted_events, record};
use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::stress;

/// `judge` with one submission accepted and one wrong.
pub(super) fn accepted_and_wrong() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        fixture.write("right.sh", RIGHT);
        fixture.write("wrong.sh", format!("echo 'no\x1b[2J sum' >&2; {WRONG}"));
        record(&fixture, "judge @sum @right.sh @wrong.sh --jobs 1", ExitCode::Rejected)
    });
    ONCE.clone()
}

/// `judge` with a submission alone, beside its tests.
pub(super) fn tests_beside() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        for (number, input, answer) in [(1, "1 2", "3"), (2, "5 8", "13"), (3, "0 0", "0")] {
            fixture.write(&format!("my/test/in{number}.txt"), format!("{input}\n"));
            fixture.write(&format!("my/test/out{number}.txt"), format!("{answer}\n"));
        }
        fixture.write("my/a.sh", "read -r a b; echo \"a=$a\" >&2; echo 3\n");
        record(&fixture, "judge @my/a.sh --jobs 1", ExitCode::Rejected)
    });
    ONCE.clone()
}

/// All runs of one submission and one run of the other come from the cache.
pub(super) fn cached_results() -> Vec<StampedEvent> {
    let mut events = accepted_and_wrong();
    let mut judged = 0;
    for stamped in &mut events {
        if let Event::SubmissionJudged(judgement) = &mut stamped.event {
            let from = if judged == 0 { 0 } else { 3 };
            let outcomes = Arc::make_mut(&mut judgement.cases)
                .iter_mut()
                .filter_map(|case| case.outcome.as_mut());
            for (index, outcome) in outcomes.enumerate().skip(from) {
                outcome.ran_at = Some(Moment::new(1_795_290_005 + 86_400 * index as u64));
                outcome.worker = Some("a".to_owned());
            }
            judged += 1;
        }
    }
    let worker = WorkerReport {
        name: "a".to_owned(),
        isolation: Some(Isolation::Namespaces),
        slots: 4,
        programs: 7,
        lost: Some("it ended".to_owned()),
    };
    let workers = vec![worker.clone(), WorkerReport { isolation: None, lost: None, ..worker }];
    let oldest = Some(Moment::new(1_795_290_005));
    let recalled = Some(CacheUse { started: 3, recalled: 5, oldest });
    let end = events.last_mut().expect("an end");
    end.event = Event::Finished { ended: ExitCode::Success, recalled, workers };
    events
}

/// `judge` with submissions that end in every way, with odd names.
pub(super) fn class_of_submissions() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        let crash = "read -r a b; ((a < 6)) || exit 2; echo $((a + b))\n";
        let mut line = "judge @sum --jobs 1".to_owned();
        for (name, text) in [
            ("zoë.sh", RIGHT),
            ("anna.sh", WRONG),
            ("someone_whose_name_is_longer_than_there_is_room_for.sh", crash),
            ("\u{1b}[31mred\u{202e}.sh", "exec sleep 60\n"),
            ("東京.c", "#error \"not yet\"\n"),
            ("bert.cob", "DISPLAY 'HELLO'.\n"),
        ] {
            fixture.write(name, text);
            line.push_str(&format!(" @{name}"));
        }
        record(&fixture, &line, ExitCode::Usage)
    });
    ONCE.clone()
}

/// `judge` with the folder of a class, a point for each test case.
pub(super) fn class_folder() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        for (name, text) in [
            ("Anna M\u{fc}ller/sum.sh", RIGHT),
            ("bert/sum.sh", WRONG),
            ("bert/notes.txt", "To do: everything.\n"),
            ("carl/copy.sh", RIGHT),
            ("dora/own.sh", "# My own work.\nread -r   a b\necho $((a + b))\n"),
            ("emil/essay.pdf", "%PDF\n"),
            ("marks.csv", "name,mark\n"),
        ] {
            fixture.write(&format!("class/{name}"), text.replace("; ", "\n"));
        }
        record(&fixture, "judge @sum @class --jobs 1 --points cases", ExitCode::Rejected)
    });
    ONCE.clone()
}

/// `judge` with one submission that fails on a long input.
pub(super) fn long_input() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        let numbers: Vec<String> = (1..=40).map(|number| number.to_string()).collect();
        fixture.write("sum/data/secret/large/2.in", numbers.join("\n") + "\n");
        fixture.write("sum/data/secret/large/2.ans", "all\nof\nthem: 820 and 40\n");
        fixture.write("one.sh", "printf 'all\\nof\\nthem: 820 \\033[31mand 41\\n'\n");
        record(&fixture, "judge @sum @one.sh --jobs 1 --case secret/large/2", ExitCode::Rejected)
    });
    ONCE.clone()
}

/// Test cases, each for another kind of difference.
const DIFFERENCE_KINDS: [(&str, &str, &str); 8] = [
    ("token", r"1 2 3\n4 5 6\n", r"1 2 3\n4 7 6\n"),
    ("number", r"0.5 2.25\n", r"0.5 2.26\n"),
    ("word", r"0.5 2.25\n", r"0.5 none\n"),
    ("ends", r"1 2 3\n4 5 6\n", r"1 2 3\n"),
    ("goes_on", r"1 2 3\n", r"1 2 3\nDone! \x1b[2J\n"),
    ("blanks", r"1 2 3\n", r"1 2  3 \n"),
    ("case", r"YES\n", r"Yes\n"),
    ("empty", r"1\n", ""),
];

/// `judge` with a submission for each kind of difference.
pub(super) fn differences() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        let mut line = "judge @sum --jobs 1 --case secret/kinds/*".to_owned();
        for (kind, right, wrong) in DIFFERENCE_KINDS {
            let right = right.replace(r"\n", "\n");
            fixture.write(&format!("sum/data/secret/kinds/{kind}.in"), format!("{kind}\n"));
            fixture.write(&format!("sum/data/secret/kinds/{kind}.ans"), right);
            let script = DIFFERENCE_KINDS.map(|(name, right, _)| {
                if name == kind {
                    format!("{name}) printf '{wrong}';;\n")
                } else {
                    format!("{name}) printf '{right}';;\n")
                }
            });
            let script = format!("read -r kind; case $kind in\n{}esac\n", script.concat());
            fixture.write(&format!("{kind}.sh"), script);
            line.push_str(&format!(" @{kind}.sh"));
        }
        for (kind, arguments) in [
            ("number", "float_tolerance, 1e-6"),
            ("word", "float_tolerance, 1e-6"),
            ("blanks", "space_change_sensitive"),
            ("case", "case_sensitive"),
        ] {
            let yaml = format!("output_validator_args: [{arguments}]\n");
            fixture.write(&format!("sum/data/secret/kinds/{kind}.yaml"), yaml);
        }
        record(&fixture, &line, ExitCode::Rejected)
    });
    ONCE.clone()
}

/// `judge` with two submissions that do not build.
pub(super) fn compile_error() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        let warnings = (1..=20).map(|line| format!("#warning x{line} is not used\n"));
        let errors = (1..=30).map(|line| format!("#error y{line} \u{1b}[2J is not declared\n"));
        fixture.write("stairs.c", warnings.chain(errors).collect::<String>());
        fixture.write("later.c", "#error \"not yet\"\n");
        record(&fixture, "judge @sum @stairs.c @later.c --jobs 1", ExitCode::Rejected)
    });
    ONCE.clone()
}

/// `judge --all` with a crash and each limit exceeded.
pub(super) fn limits_and_crashes() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        let problem = fixture.read("sum/problem.yaml");
        fixture
            .write("sum/problem.yaml", problem.replace("memory: 256", "memory: 64\n  output: 1"));
        let trace = "for depth in {1..30}; do echo \"  at climb (stairs.cpp:$depth)\" >&2; done\n";
        let mut line = "judge @sum --all --jobs 1 --case sample/* --case secret/small/*".to_owned();
        for (name, fails) in [
            ("crash", format!("{trace}kill -SEGV $$")),
            ("exits", "exit 3".to_owned()),
            ("sleeps", "exec sleep 60".to_owned()),
            (
                "hungry",
                "x=$(head -c 2000000 /dev/zero | tr '\\0' x)\nwhile :; do x=$x$x; done".to_owned(),
            ),
            ("chatty", "exec yes".to_owned()),
        ] {
            let script =
                format!("read -r a b; if [[ $a == 5 ]]; then\n{fails}\nfi; echo $((a + b))\n");
            fixture.write(&format!("{name}.sh"), script);
            line.push_str(&format!(" @{name}.sh"));
        }
        record(&fixture, &line, ExitCode::Rejected)
    });
    ONCE.clone()
}

/// `judge` with an output validator that breaks down.
pub(super) fn judge_error() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        fixture.write(
        "sum/output_validator/check/run",
        "#!/usr/bin/env bash\n# A number that is the judge's.\nread -r out; read -r right < \"$2\"\n\
         [[ $out == 3 && $right != 3 ]] && { echo 'cannot go on' >&2; exit 1; }\n\
         [[ $out == \"$right\" ]] && exit 42\nexit 43\n",
    );
        fixture.make_executable("sum/output_validator/check/run");
        fixture.write("wrong.sh", WRONG);
        record(&fixture, "judge @sum @wrong.sh --jobs 1", ExitCode::JudgeError)
    });
    ONCE.clone()
}

/// `verify` without any fault.
pub(super) fn verify_good() -> Vec<StampedEvent> {
    record(&Fixture::new(), "verify @sum --jobs 1", ExitCode::Success)
}

/// `verify` that does not need all runs of a submission.
pub(super) fn spared_runs() -> Vec<StampedEvent> {
    let fixture = Fixture::new();
    fixture.write("sum/submissions/rejected/any.sh", WRONG);
    record(&fixture, "verify @sum --jobs 1", ExitCode::Success)
}

/// `judge --explain`: one submission has an explanation, the other none.
pub(super) fn explained_submissions() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = stress::fixture();
        fixture.write("odd.sh", "read -r a b; echo $((a + b - a % 2))\n");
        fixture.write("never.sh", "echo nothing\n");
        let line = "judge @sum @odd.sh @never.sh --explain=10m --jobs 1";
        record(&fixture, line, ExitCode::Rejected)
    });
    ONCE.clone()
}

/// Some expectations do not hold.
fn broken_package() -> Fixture {
    let fixture = Fixture::new();
    let crash = "read -r a b; ((a < 6)) || exit 2; echo $((a + b))\n";
    let name = "sum/submissions/accepted/right_but_not_always_with_a_long_name.sh";
    fixture.write(name, crash);
    fixture.write("sum/submissions/wrong_answer/lucky.sh", RIGHT);
    fixture.write("sum/submissions/run_time_error/crash.sh", "exit 1\n");
    fixture.write("sum/submissions/accepted/old.cob", "DISPLAY 'HELLO'.\n");
    fixture
}

pub(super) fn broken_expectations() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        record(&broken_package(), "verify @sum --jobs 1", ExitCode::InvalidPackage)
    });
    ONCE.clone()
}

/// Its files have faults of every kind.
fn faulty_package() -> Fixture {
    let fixture = Fixture::new();
    let problem = fixture.read("sum/problem.yaml");
    fixture.write("sum/problem.yaml", problem.replace("time_limit: 1", "time_limt: 2 # seconds"));
    fixture.remove("sum/data/secret/large/1.ans");
    fixture.write("sum/submissions/submissions.yaml", "a:\n\t\u{202e}größe: [WA]\u{1b}\n");
    fixture
}

pub(super) fn unusable_package() -> Vec<StampedEvent> {
    record(&faulty_package(), "verify @sum --jobs 1", ExitCode::InvalidPackage)
}

/// `verify` on two packages and one that cannot be used.
pub(super) fn several_packages() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = broken_package();
        let good = Fixture::new();
        for name in [
            "problem.yaml",
            "statement/problem.en.md",
            "input_validators/validate/run",
            "submissions/accepted/right.sh",
            "data/sample/1.in",
            "data/sample/1.ans",
            "data/secret/small/1.in",
            "data/secret/small/1.ans",
        ] {
            fixture.write(&format!("plus/{name}"), good.read(&format!("sum/{name}")));
        }
        fixture.make_executable("plus/input_validators/validate/run");
        fixture.write("faulty/problem.yaml", "problem_format_version: 2025-09\nnmae: Nothing\n");
        record(&fixture, "verify @sum @faulty @plus --jobs 1", ExitCode::InvalidPackage)
    });
    ONCE.clone()
}

/// Ended by Ctrl-C while the first submission of the last package runs.
pub(super) fn packages_interrupted() -> Vec<StampedEvent> {
    interrupted_events(several_packages(), 4)
}

/// `judge` ended by Ctrl-C in its second submission.
pub(super) fn judge_interrupted() -> Vec<StampedEvent> {
    interrupted_events(accepted_and_wrong(), 3)
}
