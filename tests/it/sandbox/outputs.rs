//! Outputs are files: what a program wrote is there, however it wrote it, and does not count as memory of the program.

use std::ops::RangeInclusive;

use juror_core::verdict::Verdict;
use juror_judging::judge::classify::classify;

use super::*;

fn outputs(arguments: &[&str]) -> Job {
    job("outputs", arguments)
}

/// Compares how it ended and what it wrote.
fn check_text(slot: &mut Slot, what: &str, amount: &str, stdout: &str, stderr: &str) {
    let reply = run(slot, &outputs(&[what, amount]));
    assert_eq!(summary(&reply.outcome), "exit 0", "{what}: {:?}", reply.outcome);
    assert_eq!(text(&reply.stdout), stdout, "{what}");
    assert_eq!(text(&reply.stderr), stderr, "{what}");
    assert_eq!(reply.outcome.stdout_bytes, Bytes(stdout.len() as u64), "{what}");
}

/// Holds for the outputs in every isolation method.
pub(crate) fn check_outputs(slot: &mut Slot) {
    let all = "x".repeat(1 << 20);
    check_text(slot, "leave", "", &all, "");
    let ends = format!("{0}\n[983040 bytes left out]\n{0}", "x".repeat(32 << 10));
    check_text(slot, "leave-errors", "", "", &ends);
    check_text(slot, "seek", "", "12395\n", "");
    check_text(slot, "truncate", "", "right\n", "");
    if cfg!(target_os = "linux") {
        // Elsewhere this name is the descriptor itself.
        check_text(slot, "again", "", "right\n", "errors\n");
    }
    check_text(slot, "children", "", &"parent\nchild\n".repeat(3), "");
    check_text(slot, "hole", "3", "\0\0\0x", "");
    check_text(slot, "size", "4", "\0\0\0\0", "");
    let limits: [(&str, &[&str], u64); 7] = [
        // All that is allowed, and a byte more.
        ("exit 0", &["much", "2"], 2 << 20),
        ("stopped: Output", &["much", "2"], (2 << 20) - 1),
        ("stopped: Output", &["much-errors", "2"], (2 << 20) - 1),
        // Nothing was written.
        ("SIGXFSZ", &["hole", "500000000"], 2 << 20),
        ("stopped: Output", &["exit-deaf"], 2 << 20),
        ("stopped: Output", &["deaf"], 2 << 20),
        ("stopped: Output", &["both", "2"], 3 << 20),
    ];
    for (expected, arguments, limit) in limits {
        let mut job = outputs(arguments);
        job.limits.output = Some(Bytes(limit));
        let reply = run(slot, &job);
        let outcome = &reply.outcome;
        assert_eq!(summary(outcome), expected, "{arguments:?}: {outcome:?}");
        assert!(bytes(&reply.stdout).len() as u64 <= limit, "{arguments:?}");
    }
}

#[test]
fn outputs_arrive_however_they_were_written() {
    check_outputs(&mut slot());
}

#[test]
fn an_output_that_was_too_large_is_too_large_however_it_is_cut() {
    let mut slot = slot();
    let mut check = |way: &str, amount: &str, expected: &str| {
        let mut job = job("cut-output", &[way, amount]);
        job.limits.output = Some(Bytes::kib(64));
        let outcome = run(&mut slot, &job).outcome;
        assert_eq!(summary(&outcome), expected, "{way} {amount}: {outcome:?}");
    };
    const ALL: &str = "0";
    for way in ["ftruncate", "truncate", "open", "old-open", "creat", "openat2", "hole"] {
        check(way, ALL, "stopped: Output");
        // All that is allowed, and a byte more.
        check(way, "65536", "exit 0");
        check(way, "65537", "stopped: Output");
    }
    for way in ["collapse", "child", "parent", "errors", "both", "offset", "grown"] {
        check(way, ALL, "stopped: Output");
    }
    for way in ["thread-name", "own-filter", "own-tracer", "raised", "copy"] {
        check(way, ALL, "stopped: Output");
    }
    check("both", "32768", "exit 0");
    check("both", "32769", "stopped: Output");
}

#[test]
fn a_shell_may_open_its_output_anew() {
    let mut slot = slot();
    for shell in ["/bin/sh", "/bin/bash"] {
        let script = "echo much > /dev/stdout; echo more > /dev/stdout; echo x >> /dev/stdout";
        let mut job = job("nothing", &[]);
        job.command.argv = [shell, "-c", script].map(String::from).to_vec();
        check(&mut slot, &job, "exit 0", "more\nx\n");
    }
}

/// A program that writes 60 MiB.
struct LargeOutput {
    arguments: [&'static str; 2],
    /// With 64 MiB of memory.
    verdict: Option<Verdict>,
    /// In MiB.
    memory: RangeInclusive<u64>,
}

const MLE: Option<Verdict> = Some(Verdict::MemoryLimitExceeded);

/// Counted or not, output is no memory.
const LARGE: [LargeOutput; 2] = [
    LargeOutput { arguments: ["much", "60"], verdict: None, memory: 0..=4 },
    LargeOutput { arguments: ["much-errors", "60"], verdict: None, memory: 0..=4 },
];

/// If memory is counted exactly.
const LARGE_WITH_MEMORY: [LargeOutput; 7] = [
    LargeOutput { arguments: ["memory-later", "50"], verdict: None, memory: 48..=54 },
    // Less than the kernel allows for both together.
    LargeOutput { arguments: ["memory-later", "70"], verdict: MLE, memory: 68..=73 },
    LargeOutput { arguments: ["memory-later", "90"], verdict: MLE, memory: 64..=94 },
    // The memory may be free again when it is measured.
    LargeOutput { arguments: ["memory-first", "50"], verdict: None, memory: 0..=54 },
    LargeOutput { arguments: ["memory-first", "90"], verdict: MLE, memory: 12..=94 },
    // When it needs the memory, its outputs are empty again.
    LargeOutput { arguments: ["cut", "120"], verdict: MLE, memory: 0..=124 },
    LargeOutput { arguments: ["punched", "120"], verdict: MLE, memory: 0..=124 },
];

fn check_large(slot: &mut Slot, large: &LargeOutput) {
    let mut job = outputs(&large.arguments);
    job.limits.memory = Some(Bytes::mib(64));
    job.limits.output = Some(Bytes::mib(80));
    let outcome = run(slot, &job).outcome;
    let verdict = classify(&outcome, &job.limits).map(|classified| classified.verdict);
    let what = large.arguments;
    assert_eq!(verdict, large.verdict, "{what:?}: {outcome:?}");
    assert!(large.memory.contains(&(outcome.peak_memory.0 >> 20)), "{what:?}: {outcome:?}");
    if verdict.is_none() {
        assert_eq!(outcome.written(), Bytes::mib(60), "{what:?}");
    }
}

/// Holds in every isolation method.
pub(crate) fn check_large_outputs(slot: &mut Slot) {
    LARGE.iter().for_each(|large| check_large(slot, large));
}

#[test]
fn output_does_not_count_as_memory() {
    let mut slot = slot();
    check_large_outputs(&mut slot);
    if !has_group_meters() {
        return skip("no control group to count memory");
    }
    LARGE_WITH_MEMORY.iter().for_each(|large| check_large(&mut slot, large));
    // Nothing of it is left for the next run to use.
    let mut job = job("hungry", &["memory", "60"]);
    job.limits.memory = Some(Bytes::mib(64));
    let outcome = super::check(&mut slot, &job, "exit 0", "");
    assert!((Bytes::mib(58)..Bytes::mib(64)).contains(&outcome.peak_memory), "{outcome:?}");
}
