//! Recorded event streams: what a command would emit, with times and sizes from the script.

use std::path::{Path, PathBuf};
use std::time::Duration;

use juror::model::diagnostic::{Diagnostic, Spot};
use juror::model::difference::{
    Difference, DifferenceKind, Excerpt, NumberGap, OnlyDifference, Side,
};
use juror::model::event::{Event, GeneratedState, Shortfall, Stamped};
use juror::model::isolation::Isolation;
use juror::model::judgement::{
    BrokenExpectation, CaseJudgement, CompilerReport, DiffLine, DiffTag, Evidence, JudgeError,
    Judgement, TimeLimit,
};
use juror::model::limits::Limits;
use juror::model::outcome::{Ending, Mechanism, Meter, Outcome, Signal, Stop};
use juror::model::units::Bytes;
use juror::model::verdict::Verdict;

use super::{compared, grammar, hunts, packages, proposals, scores, validators};

/// Every stream there is.
pub(super) fn all() -> Vec<Vec<Stamped>> {
    vec![
        accepted_and_wrong(),
        differences(),
        compile_error(),
        limits_and_crashes(),
        judge_error(),
        verify(),
        verify_good(),
        diagnostics(),
        generate(),
        generate_check(),
        proposals::added(),
        proposals::nothing(),
        interrupted(),
        interrupted_generate(),
        packages::verified(),
        packages::interrupted(),
        packages::unreadable(),
        packages::no_host(),
        packages::generated(),
        compared::right(),
        compared::wrong(),
        compared::number(),
        validators::judge(),
        scores::judge(),
        scores::verify(),
        validators::live(),
        grammar::checked(),
        grammar::listed(),
        grammar::dependent(),
        hunts::found(),
        hunts::live(),
        hunts::flaky(),
        hunts::nothing(),
        hunts::bound(),
    ]
}

const MECHANISM: Mechanism = Mechanism {
    cpu: Meter::Cgroup2,
    memory: Meter::Cgroup2,
    isolation: Isolation::Namespaces,
};

/// A run that ends well, by CPU milliseconds and peak KiB.
fn outcome(cpu_millis: u64, memory_kib: u64) -> Outcome {
    Outcome {
        ending: Ending::Exited(0),
        stop: None,
        cpu_time: Duration::from_millis(cpu_millis),
        wall_time: Duration::from_millis(cpu_millis + 1),
        peak_memory: Bytes::kib(memory_kib),
        stdout_bytes: Bytes(38),
        stderr_bytes: Bytes(0),
        file_bytes: Bytes(0),
        refused_processes: 0,
        mechanism: MECHANISM,
    }
}

/// An accepted case.
pub(super) fn accepted(test_case: &str, cpu_millis: u64, memory_kib: u64) -> CaseJudgement {
    CaseJudgement {
        test_case: test_case.to_owned(),
        verdict: Verdict::Accepted,
        cause: "the output is right".to_owned(),
        message: String::new(),
        team_message: String::new(),
        score: None,
        difference: None,
        evidence: None,
        outcome: outcome(cpu_millis, memory_kib),
    }
}

/// A rejected case without evidence.
pub(super) fn rejected(test_case: &str, verdict: Verdict, cause: &str) -> CaseJudgement {
    CaseJudgement {
        verdict,
        cause: cause.to_owned(),
        ..accepted(test_case, 3, 1228)
    }
}

/// A judgement by its cases; the verdict is that of the first rejected one.
pub(super) fn judgement(submission: &str, cases: Vec<CaseJudgement>) -> Judgement {
    let verdict = cases
        .iter()
        .map(|case| case.verdict)
        .find(|&verdict| verdict != Verdict::Accepted)
        .unwrap_or(Verdict::Accepted);
    Judgement {
        submission: submission.to_owned(),
        verdict,
        cases,
        score: None,
        skipped: 0,
        compiler: None,
        broken: Vec::new(),
    }
}

fn excerpt(text: &[u8]) -> Excerpt {
    Excerpt {
        bytes: text.to_vec(),
        cut_before: 0,
        cut_after: 0,
    }
}

/// A side at a token of one line, with the whole line as its window.
pub(super) fn side(token_number: u64, line: u64, text: &str, token: &str) -> Side {
    let column = text.find(token).expect("the token is in the line") as u64 + 1;
    Side {
        token_number,
        line,
        column,
        offset: 10 * (line - 1) + column - 1,
        differs_at: 10 * (line - 1) + column - 1,
        token: excerpt(token.as_bytes()),
        window: excerpt(text.as_bytes()),
        length: 40,
        tokens: 12,
    }
}

pub(super) fn evidence(stderr: &[u8], repeat: &str) -> Evidence {
    Evidence {
        stderr: stderr.to_vec(),
        repeat: repeat.to_owned(),
        ..Evidence::default()
    }
}

pub(super) fn diff_line(
    tag: DiffTag,
    answer_line: Option<u64>,
    output_line: Option<u64>,
    text: &str,
) -> DiffLine {
    DiffLine {
        tag,
        answer_line,
        output_line,
        text: text.as_bytes().to_vec(),
    }
}

/// The beginning of a command about one package.
pub(super) fn started(command: &'static str, submissions: usize) -> Vec<Event> {
    vec![
        begun(command, "problems/stairs"),
        package_read("stairs", "Climbing Stairs", submissions),
    ]
}

/// The beginning of every command.
pub(super) fn begun(command: &'static str, arguments: &str) -> Event {
    Event::Started {
        command,
        command_line: format!("juror {command} {arguments}"),
    }
}

pub(super) fn package_read(name: &str, title: &str, submissions: usize) -> Event {
    Event::PackageRead {
        package: name.to_owned(),
        path: Path::new("problems").join(name),
        title: title.to_owned(),
        submissions,
        test_cases: 6,
    }
}

/// A machine that isolates fully.
pub(super) fn host_ready() -> Event {
    Event::HostReady {
        isolation: Isolation::Namespaces,
        shortfall: None,
        most_at_once: None,
    }
}

/// A machine that does not.
fn host_falls_short() -> Event {
    Event::HostReady {
        isolation: Isolation::Landlock,
        shortfall: Some(Shortfall {
            message: "programs are not fully isolated from this machine".to_owned(),
            reasons: vec!["user namespaces: make namespaces (user): ENOSPC".to_owned()],
            help: "`juror doctor` says what would give more".to_owned(),
        }),
        most_at_once: None,
    }
}

pub(super) fn limits_set() -> Event {
    Event::LimitsSet {
        time: TimeLimit {
            limit: Duration::from_secs(1),
            origin: "problem.yaml".to_owned(),
        },
        limits: Limits {
            cpu_time: Some(Duration::from_millis(1500)),
            wall_time: Some(Duration::from_secs(5)),
            memory: Some(Bytes::mib(256)),
            output: Some(Bytes::mib(8)),
            processes: Some(64),
        },
        mechanism: MECHANISM.to_string(),
    }
}

/// A submission from its start over its cases to its judgement.
pub(super) fn judged(events: &mut Vec<Event>, judgement: Judgement) {
    events.push(Event::BuildStarted {
        program: judgement.submission.clone(),
    });
    events.push(Event::BuildFinished {
        program: judgement.submission.clone(),
    });
    events.push(Event::SubmissionStarted {
        submission: judgement.submission.clone(),
        test_cases: judgement.cases.len() + judgement.skipped,
    });
    for case in &judgement.cases {
        events.push(Event::CaseJudged {
            submission: judgement.submission.clone(),
            test_case: case.test_case.clone(),
            verdict: case.verdict,
            cpu_time: case.outcome.cpu_time,
        });
    }
    events.push(Event::SubmissionJudged(Box::new(judgement)));
}

/// The end of every command.
pub(super) fn finished(mut events: Vec<Event>, elapsed_millis: u64) -> Vec<Stamped> {
    events.push(Event::Finished);
    let mut package = None;
    let stamped = events.into_iter().map(|event| {
        if let Event::PackageRead { package: name, .. } = &event {
            package = Some(name.as_str().into());
        }
        Stamped {
            at: Duration::from_millis(elapsed_millis),
            package: package.clone(),
            event,
        }
    });
    stamped.collect()
}

/// `judge` with one submission accepted and one wrong.
pub(super) fn accepted_and_wrong() -> Vec<Stamped> {
    let mut events = started("judge", 2);
    events.push(host_ready());
    events.push(limits_set());
    judged(&mut events, sorted());
    judged(&mut events, greedy());
    finished(events, 1204)
}

pub(super) fn sorted() -> Judgement {
    let mut judgement = judgement(
        "accepted/sorted.cpp",
        vec![
            accepted("sample/1", 2, 1100),
            accepted("sample/2", 2, 1228),
            accepted("secret/edges/01-one-step", 3, 1228),
            accepted("secret/edges/02-all-equal", 3, 1228),
            accepted("secret/big/01-random", 310, 9216),
            accepted("secret/big/02-descending", 287, 9400),
        ],
    );
    judgement.compiler = Some(CompilerReport {
        cause: String::new(),
        messages: b"sorted.cpp:7:9: warning: unused variable 'n' [-Wunused-variable]\n".to_vec(),
        outcome: Some(outcome(740, 90_000)),
    });
    judgement
}

pub(super) fn greedy() -> Judgement {
    let mut judgement = judgement(
        "wrong_answer/greedy.cpp",
        vec![
            accepted("sample/1", 2, 1100),
            accepted("sample/2", 2, 1228),
            greedy_wrong(),
        ],
    );
    judgement.skipped = 3;
    judgement
}

pub(super) fn greedy_wrong() -> CaseJudgement {
    let diff = vec![
        diff_line(DiffTag::Equal, Some(1), Some(1), "3 4"),
        diff_line(DiffTag::Answer, Some(2), None, "1 2 135 7 9"),
        diff_line(DiffTag::Output, None, Some(2), "1 2 3 7 9"),
        diff_line(DiffTag::Equal, Some(3), Some(3), "0 0"),
        diff_line(DiffTag::Answer, Some(4), None, "12 8"),
        diff_line(DiffTag::Output, None, Some(4), "12\t9"),
    ];
    CaseJudgement {
        difference: Some(Box::new(Difference {
            kind: DifferenceKind::Token,
            answer: side(5, 2, "1 2 135 7 9", "135"),
            output: Side {
                length: 38,
                ..side(5, 2, "1 2 3 7 9", "3")
            },
            differing_tokens: 2,
            only: None,
            gap: None,
        })),
        evidence: Some(Box::new(Evidence {
            diff,
            kept: Some(PathBuf::from("/tmp/juror-kept/greedy-01")),
            ..evidence(
                b"took 3 stairs at once\r\n\x1b[31mat the \xff end\x1b[0m\n",
                "juror judge problems/stairs wrong_answer/greedy.cpp --case secret/edges/01-one-step",
            )
        })),
        ..rejected(
            "secret/edges/01-one-step",
            Verdict::WrongAnswer,
            "token 5 differs",
        )
    }
}

/// `judge` with one submission for each kind of difference.
pub(super) fn differences() -> Vec<Stamped> {
    let mut events = started("judge", 7);
    events.push(limits_set());
    for (name, cause, difference) in kinds() {
        let case = CaseJudgement {
            difference: Some(Box::new(difference)),
            ..rejected("secret/01", Verdict::WrongAnswer, cause)
        };
        judged(&mut events, judgement(name, vec![case]));
    }
    let by_validator = CaseJudgement {
        message: "step 3 leads to 7, which is \u{202e}not a\u{1b}[2J stair\nthe path has 4 steps\n"
            .to_owned(),
        ..rejected(
            "secret/01",
            Verdict::WrongAnswer,
            "rejected by the output validator",
        )
    };
    judged(
        &mut events,
        judgement("wrong_answer/path.py", vec![by_validator]),
    );
    finished(events, 55)
}

/// Each kind of difference, with the name of a submission and a cause.
fn kinds() -> Vec<(&'static str, &'static str, Difference)> {
    let token = |answer: Side, output: Side| Difference {
        kind: DifferenceKind::Token,
        answer,
        output,
        differing_tokens: 1,
        only: None,
        gap: None,
    };
    vec![
        (
            "wrong_answer/number.py",
            "token 1 is 0.0002 off, 1e-6 allowed",
            Difference {
                kind: DifferenceKind::Number,
                gap: Some(NumberGap {
                    absolute: 2e-4,
                    relative: 6.37e-5,
                }),
                ..token(
                    side(1, 1, "3.1415", "3.1415"),
                    side(1, 1, "3.1417", "3.1417"),
                )
            },
        ),
        (
            "wrong_answer/ends.py",
            "the output ends after 2 tokens",
            Difference {
                kind: DifferenceKind::OutputEnds,
                differing_tokens: 10,
                ..token(
                    side(3, 2, "7 8 9", "7"),
                    Side {
                        token_number: 3,
                        line: 2,
                        column: 1,
                        offset: 10,
                        differs_at: 10,
                        length: 10,
                        tokens: 2,
                        ..Side::default()
                    },
                )
            },
        ),
        (
            "wrong_answer/goes_on.py",
            "the output goes on after token 12",
            Difference {
                kind: DifferenceKind::OutputGoesOn,
                ..token(
                    Side {
                        token_number: 13,
                        line: 5,
                        column: 1,
                        offset: 40,
                        differs_at: 40,
                        length: 40,
                        tokens: 12,
                        ..Side::default()
                    },
                    Side {
                        tokens: 13,
                        length: 47,
                        ..side(13, 5, "Done! \u{1b}[2J", "Done!")
                    },
                )
            },
        ),
        (
            "wrong_answer/blanks.py",
            "blanks differ before token 3",
            Difference {
                kind: DifferenceKind::Blanks,
                differing_tokens: 0,
                only: Some(OnlyDifference::Blanks),
                ..token(side(3, 1, "1 2 3", "3"), side(3, 1, "1 2  3 ", "3"))
            },
        ),
        (
            "wrong_answer/case.py",
            "token 1 differs",
            Difference {
                only: Some(OnlyDifference::LetterCase),
                ..token(side(1, 1, "YES", "YES"), side(1, 1, "Yes", "Yes"))
            },
        ),
        ("wrong_answer/long.py", "token 2 differs", long()),
    ]
}

/// A difference deep in a long token of a long line.
fn long() -> Difference {
    let cut = |bytes: &str| Excerpt {
        bytes: bytes.as_bytes().to_vec(),
        cut_before: 99_960,
        cut_after: 40_000,
    };
    let same = "0123456789".repeat(8);
    let side = |token: String| Side {
        token_number: 2,
        line: 1,
        column: 3,
        offset: 2,
        differs_at: 100_042,
        token: cut(&token),
        window: Excerpt {
            bytes: format!("7 {same}").into_bytes(),
            cut_before: 0,
            cut_after: 140_000,
        },
        length: 140_082,
        tokens: 2,
    };
    Difference {
        kind: DifferenceKind::Token,
        answer: side(format!("{same}1{same}")),
        output: side(format!("{same}2{same}")),
        differing_tokens: 1,
        only: None,
        gap: None,
    }
}

/// `judge` with two submissions that do not build.
pub(super) fn compile_error() -> Vec<Stamped> {
    let mut events = started("judge", 2);
    events.push(limits_set());
    let mut messages = String::new();
    for line in 1..=20 {
        messages.push_str(&format!(
            "stairs.cpp:{line}:5: warning: unused variable 'x{line}'\n"
        ));
    }
    messages.push_str("stairs.cpp: In function 'int main()':\n");
    for line in 31..=60 {
        messages.push_str(&format!(
            "stairs.cpp:{line}:13: error: 'y{line}' was not declared in this scope; did you mean 'yn' or 'y0'?\n"
        ));
    }
    let does_not_build = |submission: &str, cause: &str, messages: &str| Judgement {
        verdict: Verdict::CompileError,
        compiler: Some(CompilerReport {
            cause: cause.to_owned(),
            messages: messages.as_bytes().to_vec(),
            outcome: Some(Outcome {
                ending: Ending::Exited(1),
                ..outcome(640, 88_000)
            }),
        }),
        skipped: 6,
        ..judgement(submission, Vec::new())
    };
    judged(
        &mut events,
        does_not_build("stairs.cpp", "g++ exited with code 1", &messages),
    );
    judged(
        &mut events,
        does_not_build(
            "stairs.py",
            "python3 exited with code 1",
            "  File \"stairs.py\", line 1\n    def main(:\n             ^\nSyntaxError: invalid syntax\n",
        ),
    );
    finished(events, 1290)
}

/// `judge` with a crash, each limit passed, and `--all`.
pub(super) fn limits_and_crashes() -> Vec<Stamped> {
    let mut events = started("judge", 5);
    events.push(host_falls_short());
    events.push(limits_set());
    let case = |verdict, cause: &str, outcome, stderr: &[u8]| CaseJudgement {
        outcome,
        evidence: Some(Box::new(evidence(
            stderr,
            "juror judge problems/stairs stairs.cpp --case secret/02",
        ))),
        ..rejected("secret/02", verdict, cause)
    };
    let ended = |ending, stop, outcome: Outcome| Outcome {
        ending,
        stop,
        ..outcome
    };
    let killed = Ending::Signalled(Signal(9));
    let mut trace = String::new();
    for depth in 1..=30 {
        trace.push_str(&format!("  at climb (stairs.cpp:{depth})\n"));
    }
    let rejections = [
        (
            "run_time_error/crash.cpp",
            case(
                Verdict::RunTimeError,
                "killed by SIGSEGV",
                ended(Ending::Signalled(Signal(11)), None, outcome(4, 1300)),
                trace.as_bytes(),
            ),
        ),
        (
            "time_limit_exceeded/slow.cpp",
            case(
                Verdict::TimeLimitExceeded,
                "1.50 s of CPU time, 1 s allowed",
                ended(killed, Some(Stop::CpuTime), outcome(1501, 1300)),
                b"",
            ),
        ),
        (
            "time_limit_exceeded/sleeps.cpp",
            case(
                Verdict::TimeLimitExceeded,
                "5 s on the clock, 5 s allowed; only 0.002 s of CPU time: it waited or slept",
                Outcome {
                    wall_time: Duration::from_millis(5001),
                    ..ended(killed, Some(Stop::WallTime), outcome(2, 1300))
                },
                b"",
            ),
        ),
        (
            "rejected/hungry.cpp",
            case(
                Verdict::MemoryLimitExceeded,
                "more than 256 MiB of memory",
                Outcome {
                    refused_processes: 2,
                    ..ended(killed, Some(Stop::Memory), outcome(180, 262_144))
                },
                b"",
            ),
        ),
        (
            "rejected/chatty.cpp",
            case(
                Verdict::OutputLimitExceeded,
                "more than 8 MiB of output",
                Outcome {
                    stdout_bytes: Bytes::mib(9),
                    ..ended(killed, Some(Stop::Output), outcome(90, 1300))
                },
                b"",
            ),
        ),
    ];
    for (name, rejection) in rejections {
        let more = rejected("secret/03", Verdict::WrongAnswer, "token 1 differs");
        judged(
            &mut events,
            judgement(name, vec![accepted("sample/1", 2, 1100), rejection, more]),
        );
    }
    finished(events, 7120)
}

/// `judge` where the judge fails, for a submission and before any.
pub(super) fn judge_error() -> Vec<Stamped> {
    let mut events = started("judge", 2);
    events.push(limits_set());
    events.push(Event::SubmissionStarted {
        submission: "accepted/sorted.cpp".to_owned(),
        test_cases: 6,
    });
    events.push(Event::SubmissionFailed {
        submission: "accepted/sorted.cpp".to_owned(),
        error: JudgeError::new(
            "mount /proc in the sandbox",
            "Operation not permitted (os error 1)",
        )
        .help("run `juror doctor`, which tells what this host allows and how to get more"),
    });
    events.push(Event::Failed(JudgeError::new(
        "output validator check on the judge answer of sample/1",
        "exited with code 0; a validator exits with 42 to accept and 43 to reject",
    )));
    finished(events, 31)
}

/// `verify` with expectations that do not hold, a judge error and remarks about the package.
pub(super) fn verify() -> Vec<Stamped> {
    let mut events = started("verify", 6);
    events.extend(remarks());
    events.push(limits_set());
    events.push(Event::Progress {
        what: "input validators".to_owned(),
        done: 6,
        total: 6,
    });
    judged(&mut events, sorted());
    let mut slow = judgement(
        "accepted/slow_but_right_with_a_long_name.py",
        vec![
            accepted("sample/1", 21, 9100),
            CaseJudgement {
                outcome: outcome(1501, 9300),
                evidence: Some(Box::new(evidence(
                    b"",
                    "juror judge problems/stairs accepted/slow_but_right_with_a_long_name.py --case secret/big/01-random",
                ))),
                ..rejected(
                    "secret/big/01-random",
                    Verdict::TimeLimitExceeded,
                    "1.50 s of CPU time, 1 s allowed",
                )
            },
        ],
    );
    slow.broken.push(BrokenExpectation {
        rule: "accepted".to_owned(),
        reason: "permitted AC; got TLE on secret/big/01-random".to_owned(),
        test_case: Some("secret/big/01-random".to_owned()),
    });
    judged(&mut events, slow);
    let mut lucky = judgement(
        "wrong_answer/lucky.cpp",
        vec![accepted("sample/1", 2, 1100), accepted("sample/2", 2, 1228)],
    );
    lucky.broken.push(BrokenExpectation {
        rule: "wrong_answer".to_owned(),
        reason: "required one of WA; got AC on all 6 cases".to_owned(),
        test_case: None,
    });
    lucky.broken.push(BrokenExpectation {
        rule: "wrong_answer/*.cpp, secret/edges".to_owned(),
        reason: "required the message `too few stairs` on one of 2 cases; no message has it"
            .to_owned(),
        test_case: None,
    });
    judged(&mut events, lucky);
    judged(&mut events, greedy());
    judged(
        &mut events,
        Judgement {
            verdict: Verdict::CompileError,
            compiler: Some(CompilerReport {
                cause: "no compiler output".to_owned(),
                messages: b"\xff\xfe".to_vec(),
                outcome: None,
            }),
            ..judgement("run_time_error/old.cpp", Vec::new())
        },
    );
    events.push(Event::SubmissionFailed {
        submission: "accepted/Sorted.java".to_owned(),
        error: JudgeError::new("find a compiler for java", "no `javac` on this machine")
            .help("install a JDK, or leave these out with `--language`"),
    });
    finished(events, 3105)
}

/// `verify` where all is well.
pub(super) fn verify_good() -> Vec<Stamped> {
    let mut events = started("verify", 2);
    events.push(limits_set());
    judged(&mut events, sorted());
    judged(&mut events, greedy());
    finished(events, 1204)
}

/// An error at a spot and a warning about a file.
pub(super) fn remarks() -> Vec<Event> {
    let line = "  time_limt: 2 # seconds";
    vec![
        Event::Diagnosed(
            Diagnostic::error(
                "problems/stairs/problem.yaml",
                "unknown key `time_limt` in `limits`",
            )
            .at(Spot {
                line: 14,
                column: 3,
                text: line.to_owned(),
                width: 9,
            })
            .help("did you mean `time_limit`?"),
        ),
        Event::Diagnosed(
            Diagnostic::warning(
                "problems/stairs/data/secret/edges/03.in",
                "`03.in` has no `03.ans`",
            )
            .help("run `juror generate problems/stairs`, or add it"),
        ),
    ]
}

/// Diagnostics alone, the hard ones too.
pub(super) fn diagnostics() -> Vec<Stamped> {
    let mut events = started("verify", 0);
    events.extend(remarks());
    events.push(Event::Diagnosed(
        Diagnostic::error(
            "problems/stairs/submissions/submissions.yaml",
            "a tab cannot indent",
        )
        .at(Spot {
            line: 2,
            column: 2,
            text: "\t\u{202e}größe: [WA]\u{1b}".to_owned(),
            width: 6,
        }),
    ));
    events.push(Event::Diagnosed(
        Diagnostic::warning(
            "problems/stairs/problem.yaml",
            "the credits name nobody as author",
        )
        .at(Spot {
            line: 120,
            column: 1,
            text: format!("credits: {{ {} }}", "translators: [], ".repeat(12)),
            width: 7,
        }),
    ));
    finished(events, 12)
}

pub(super) fn generated(test_case: &str, state: GeneratedState) -> Event {
    Event::CaseGenerated {
        test_case: test_case.to_owned(),
        state,
    }
}

/// `generate` that writes.
pub(super) fn generate() -> Vec<Stamped> {
    let mut events = started("generate", 0);
    events.extend([
        generated("sample/1", GeneratedState::Unchanged),
        generated("sample/2", GeneratedState::Unchanged),
        generated("secret/big/01-random", GeneratedState::Changed),
        generated("secret/big/02-descending", GeneratedState::Created),
        generated("secret/edges/01-one-step", GeneratedState::Created),
        generated("secret/old", GeneratedState::Unknown),
    ]);
    finished(events, 2210)
}

/// `generate --check`, which writes nothing.
pub(super) fn generate_check() -> Vec<Stamped> {
    let mut events = started("generate", 0);
    events.extend([
        generated("sample/1", GeneratedState::Unchanged),
        generated("secret/big/01-random", GeneratedState::Differs),
        generated("secret/big/02-descending", GeneratedState::Missing),
        generated("secret/old", GeneratedState::Unknown),
    ]);
    finished(events, 2210)
}

/// `judge` ended by Ctrl-C in its second submission of four.
pub(super) fn interrupted() -> Vec<Stamped> {
    let mut events = started("judge", 4);
    events.push(limits_set());
    judged(&mut events, sorted());
    events.push(Event::SubmissionStarted {
        submission: "wrong_answer/greedy.cpp".to_owned(),
        test_cases: 6,
    });
    for test_case in ["sample/1", "sample/2"] {
        events.push(Event::CaseJudged {
            submission: "wrong_answer/greedy.cpp".to_owned(),
            test_case: test_case.to_owned(),
            verdict: Verdict::Accepted,
            cpu_time: Duration::from_millis(2),
        });
    }
    events.push(Event::Interrupted);
    finished(events, 911)
}

/// `generate` ended by Ctrl-C.
pub(super) fn interrupted_generate() -> Vec<Stamped> {
    let mut events = started("generate", 0);
    events.extend([
        generated("sample/1", GeneratedState::Created),
        Event::Progress {
            what: "test cases".to_owned(),
            done: 1,
            total: 6,
        },
        Event::Interrupted,
    ]);
    finished(events, 300)
}
