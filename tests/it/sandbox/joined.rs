//! Two programs that talk, well or badly: who ended first and why, what each saw of the other, and what they wrote.
//!
//! Nothing depends on how fast the machine is: limits that should not be reached are far away.

use std::thread;

use juror_core::joint::{JointJob, JointReply, ProgramReply, TalkSide, Transcript, WaitReason};
use rustix::process::{Pid, Signal as KernelSignal, kill_process};

use super::*;

/// The exit code after which the partner lets the program go on.
const FAREWELL: i32 = 42;

fn joint(program: &[&str], partner: &[&str]) -> JointJob {
    JointJob {
        program: job("talk", program),
        partner: job("talk", partner),
        accept_exit_code: FAREWELL,
        transcript: Some(Bytes::kib(4)),
    }
}

/// Two slots on one core: that must suffice. Both have had other runs before.
fn pair() -> (Slot, Slot) {
    let host = host();
    let core = host.physical_cores().first().copied();
    let slot = || {
        let mut slot = Slot::start(host, core).expect("a slot starts");
        for size in [Bytes::mib(1), Bytes::mib(2), Bytes::mib(3)] {
            let mut other = job("nothing", &[]);
            other.box_size = size;
            run(&mut slot, &other);
        }
        slot
    };
    (slot(), slot())
}

fn talk(job: &JointJob) -> JointReply {
    let (mut first, mut second) = pair();
    first
        .run_joint(&mut second, job)
        .unwrap_or_else(|error| panic!("{:?}: {error}", job.program.command.argv))
}

/// How both ended, such as `exit 0 / exit 42`, the first to end in front.
fn ends_in_order(reply: &JointReply) -> String {
    let (program, partner) = (&reply.program, &reply.partner);
    let (ours, theirs) = (summary(&program.reply.outcome), summary(&partner.reply.outcome));
    if program.ended <= partner.ended {
        format!("program {ours}, partner {theirs}")
    } else {
        format!("partner {theirs}, program {ours}")
    }
}

fn stderr_text(part: &mut ProgramReply) -> String {
    text(&part.reply.stderr)
}

/// How both ended, such as `exit 0 / exit 42`.
fn endings(reply: &JointReply) -> String {
    let end = |part: &ProgramReply| summary(&part.reply.outcome);
    format!("{} / {}", end(&reply.program), end(&reply.partner))
}

/// Both sides' steps, how they end, and what each writes on standard error.
fn check(program: &[&str], partner: &[&str], expected: &str, heard: [&str; 2]) -> JointReply {
    check_job(&joint(program, partner), expected, heard)
}

fn check_job(job: &JointJob, expected: &str, heard: [&str; 2]) -> JointReply {
    let mut reply = talk(job);
    let argv = [&job.program.command.argv, &job.partner.command.argv];
    let stderr = [stderr_text(&mut reply.program), stderr_text(&mut reply.partner)];
    assert_eq!(endings(&reply), expected, "{argv:?}: {reply:?} {stderr:?}");
    assert_eq!(stderr, heard, "{argv:?}: {reply:?}");
    reply
}

/// `<` or `>`, then what was written.
fn transcript_text(transcript: &Transcript) -> String {
    let both = transcript.first.iter().chain(&transcript.last);
    let pieces = both.map(|piece| {
        let mark = match piece.by {
            TalkSide::Program => '>',
            TalkSide::Partner => '<',
        };
        format!("{mark}{}", String::from_utf8_lossy(&piece.text))
    });
    pieces.collect()
}

#[test]
fn each_reads_what_the_other_writes() {
    let reply = check(
        &["hear", "say", "L\n", "hear", "hear"],
        &["say", "2 1\n", "hear", "say", "R\n", "close-output", "hear", "exit", "42"],
        "exit 0 / exit 42",
        ["2 1\nR\nend\n", "L\nend\n"],
    );
    assert_eq!(transcript_text(&reply.transcript), "<2 1\n>L\n<R\n");
    assert_eq!(reply.deadlock, None);
    assert_eq!(reply.program.reply.outcome.stdout_bytes, Bytes(2));
    assert_eq!(reply.partner.reply.outcome.stdout_bytes, Bytes(6));
    assert_eq!((reply.program.unread, reply.partner.unread), (Bytes(0), Bytes(0)));
    let times = reply.transcript.first.iter().map(|piece| piece.at);
    assert!(times.is_sorted());
    let part = &reply.partner;
    assert!(part.started < part.closed && part.closed < part.ended);
}

#[test]
fn the_order_of_ends_is_known() {
    let check = |program: &[&str], partner: &[&str], expected: &str| {
        assert_eq!(ends_in_order(&talk(&joint(program, partner))), expected);
    };
    check(&["exit", "3"], &["drain", "exit", "43"], "program exit 3, partner exit 43");
    check(&["drain", "abort"], &["exit", "42"], "partner exit 42, program SIGABRT");
    check(
        &["hear", "sleep", "1000000"],
        &["say", "x\n", "exit", "43"],
        "partner exit 43, program stopped: Dismissed",
    );
    check(&["spin"], &["abort"], "partner SIGABRT, program stopped: Dismissed");
}

#[test]
fn writing_to_an_ended_program_is_harmless() {
    let reply = check(
        &["hear", "sleep", "50", "say", "late\n", "say", "later\n"],
        &["exit", "42"],
        "exit 0 / exit 42",
        ["end\n", ""],
    );
    assert_eq!(reply.program.unread, Bytes(11));
    let reply = check(
        &["close-input", "close-output", "sleep", "100"],
        &["hear", "flood", "1000000", "say", "x\n", "exit", "42"],
        "exit 0 / exit 42",
        ["", "end\n"],
    );
    assert_eq!(reply.partner.unread, Bytes(1_000_002));
    assert!(reply.program.closed < reply.program.ended);
    let reply = check(
        &["exit", "0"],
        &["hear", "flood", "1000000", "exit", "43"],
        "exit 0 / exit 43",
        ["", "end\n"],
    );
    assert_eq!(reply.partner.unread, Bytes(1_000_000));
}

#[test]
fn a_program_with_closed_output_still_reads() {
    check(
        &["say", "x\n", "close-output", "hear", "hear"],
        &["hear", "hear", "say", "late\n", "exit", "42"],
        "exit 0 / exit 42",
        ["late\nend\n", "x\nend\n"],
    );
}

#[test]
fn a_program_without_its_first_thread_has_not_ended() {
    let mut job =
        joint(&["from-a-thread", "close-output", "sleep", "1000000"], &["hear", "exit", "43"]);
    job.program.limits.wall_time = Some(Duration::from_secs(2));
    check_job(&job, "stopped: WallTime / exit 43", ["", "end\n"]);
}

#[test]
fn a_child_that_holds_the_output_open_ends_with_its_parent() {
    check(
        &["hold", "say", "x\n"],
        &["hear", "hear", "exit", "42"],
        "exit 0 / exit 42",
        ["", "x\nend\n"],
    );
    // While the program itself goes on, the output that its child holds is not at its end.
    check(
        &["hold", "close-output", "hear"],
        &["poll", "50", "say", "x\n", "exit", "42"],
        "exit 0 / exit 42",
        ["x\n", ""],
    );
}

#[test]
fn output_counts_before_the_end() {
    let is_reported_early = |program: &[&str], partner: &[&str], expected: &str| {
        let reply = talk(&joint(program, partner));
        assert_eq!(endings(&reply), expected);
        let ended = reply.partner.ended;
        reply.output_end_reported.is_some_and(|at| at < ended)
    };
    // The partner is busy with what was written.
    let busy = ["hear", "sleep", "600", "exit", "43"];
    assert!(!is_reported_early(&["say", "bad\n", "abort"], &busy, "SIGABRT / exit 43"));
    assert!(!is_reported_early(&["say", "bad\n", "exit", "1"], &busy, "exit 1 / exit 43"));
    // The partner waits for more.
    let wants_more = ["hear", "hear", "exit", "43"];
    assert!(is_reported_early(&["say", "good\n", "abort"], &wants_more, "SIGABRT / exit 43"));
    assert!(is_reported_early(&["abort"], &busy, "SIGABRT / exit 43"));
    assert!(is_reported_early(&["exit", "0"], &busy, "exit 0 / exit 43"));
    // The program only closes its output: the judge waits to see what it does then.
    assert!(is_reported_early(
        &["close-output", "sleep", "1200", "abort"],
        &busy,
        "SIGABRT / exit 43"
    ));
    let bad = ["say", "bad\n", "close-output", "sleep", "1000000"];
    assert!(!is_reported_early(&bad, &busy, "stopped: Dismissed / exit 43"));
}

/// `expected`: what each waits for.
fn deadlock(program: &[&str], partner: &[&str], expected: [WaitReason; 2]) {
    let reply = talk(&joint(program, partner));
    let found = reply.deadlock.map(|found| [found.program, found.partner]);
    assert_eq!(found, Some(expected), "{program:?} {partner:?}: {reply:?}");
    assert_eq!(reply.program.waits, Some(expected[0]));
    let ends = [&reply.program, &reply.partner].map(|part| summary(&part.reply.outcome));
    assert_eq!(ends, ["stopped: Deadlock", "stopped: Deadlock"]);
}

#[test]
fn deadlocks_are_detected() {
    use WaitReason::{Input, Itself, Output};
    deadlock(&["hear"], &["hear"], [Input, Input]);
    // What was not flushed was not written.
    deadlock(&["hear", "buffer", "L\n", "hear"], &["say", "1\n", "hear"], [Input, Input]);
    // Half a line.
    deadlock(&["say", "L", "hear"], &["hear"], [Input, Input]);
    deadlock(&["flood", "-1"], &["flood", "-1"], [Output, Output]);
    deadlock(&["poll", "-1"], &["drain"], [Input, Input]);
    deadlock(&["child", "hear"], &["drain"], [Input, Input]);
    deadlock(&["orphan", "hear"], &["drain"], [Input, Input]);
    deadlock(&["lock"], &["drain"], [Itself, Input]);
}

#[test]
fn a_timed_wait_is_no_deadlock() {
    let both = |program: &[&str], heard: &str| {
        let reply = check(
            program,
            &["hear", "say", "x\n", "exit", "42"],
            "exit 0 / exit 42",
            ["x\n", heard],
        );
        assert_eq!(reply.deadlock, None);
    };
    both(&["sleep", "300", "say", "L\n", "hear"], "L\n");
    both(&["poll", "300", "say", "L\n", "hear"], "L\n");
    both(&["alarm", "300", "hear"], "awake\n");
    both(&["child", "sleep", "300", "say", "L\n", "hear"], "L\n");
    both(&["other-input", "300", "hear"], "tick\n");
    let signals = ["alarm", "setitimer", "timer_create"];
    let ways =
        ["timerfd", "poll-timerfd", "epoll", "epoll-timerfd", "poll", "ppoll", "select", "pselect"];
    let others = ["futex", "sigtimedwait", "receive", "nanosleep"];
    for way in signals.into_iter().chain(ways).chain(others) {
        both(&["child-waits", way, "say", "L\n", "hear"], "L\n");
        if !signals.contains(&way) {
            both(&["thread-waits", way, "say", "L\n", "hear"], "L\n");
        }
    }
    both(&["child-waits", "other-timer", "say", "L\n", "hear"], "awake\n");
}

/// Alarm clocks of the previous run are not those of this one.
#[test]
fn alarms_of_the_previous_run_do_not_count() {
    let (mut first, mut second) = pair();
    let alarm = joint(&["alarm", "1000000", "say", "x\n"], &["hear", "exit", "42"]);
    let both_wait = joint(&["hear"], &["hear"]);
    for (job, is_stuck) in [(&alarm, false), (&both_wait, true)] {
        let reply = first.run_joint(&mut second, job).unwrap();
        assert_eq!(reply.deadlock.is_some(), is_stuck, "{reply:?}");
    }
}

/// Both reach their limits, the program first. Checks what it waited for then, and whether its partner owed it an
/// answer.
#[test]
fn the_wait_at_the_limit_is_reported() {
    let talk_until = |millis: u64, program: &[&str], partner: &[&str]| {
        let mut job = joint(program, partner);
        job.program.limits.wall_time = Some(Duration::from_millis(millis));
        job.partner.limits.wall_time = Some(Duration::from_millis(millis + 100));
        job.partner.limits.cpu_time = Some(Duration::from_millis(millis + 200));
        talk(&job)
    };
    let check = |program: &[&str], partner: &[&str], waits: Option<WaitReason>, is_owed: bool| {
        let reply = talk_until(500, program, partner);
        assert_eq!(summary(&reply.program.reply.outcome), "stopped: WallTime", "{program:?}");
        if cfg!(target_os = "linux") {
            let debt = reply.debt;
            assert_eq!((reply.program.waits, debt.is_open), (waits, is_owed), "{program:?}");
            assert_eq!(debt.longest > Duration::ZERO, is_owed, "{program:?}");
        }
    };
    use WaitReason::{Input, Output};
    const EVER: &str = "1000000";
    check(&["hear"], &["sleep", EVER], Some(Input), true);
    check(&["say", "x\n", "hear"], &["hear", "spin"], Some(Input), true);
    check(&["say", "x\n", "poll", EVER], &["hear", "sleep", EVER], Some(Input), true);
    check(&["flood", "-1"], &["sleep", EVER], Some(Output), true);
    check(&["sleep", EVER], &["hear"], None, false);
    check(&["say", "x\n", "sleep", EVER], &["hear", "spin"], None, false);
    check(&["poll", EVER], &["hear", "spin"], Some(Input), false);
    check(&["say", "x\ny\n", "hear"], &["hear", "spin"], Some(Input), false);
    // A partner that has ended owes nothing more.
    let reply = talk_until(2000, &["drain", "sleep", EVER], &["sleep", "100", "exit", "42"]);
    assert_eq!(endings(&reply), "stopped: WallTime / exit 42");
    assert!(!reply.debt.is_open, "{reply:?}");
}

#[test]
fn floods_are_limited_and_take_no_memory() {
    let mut job = joint(&["flood", "-1"], &["drain", "exit", "43"]);
    job.program.limits.output = Some(Bytes::mib(8));
    let reply = talk(&job);
    assert_eq!(endings(&reply), "stopped: Output / exit 43");
    let written = reply.program.reply.outcome.stdout_bytes;
    assert!(written > Bytes::mib(8), "{written}");
    let recorded = reply.transcript.first.iter().chain(&reply.transcript.last);
    let recorded: usize = recorded.map(|piece| piece.text.len()).sum();
    assert!(recorded <= 8 << 10);
    assert_eq!(recorded as u64 + reply.transcript.left_out.0, written.0);
    // Nobody reads any more: it counts all the same.
    let mut job = joint(&["flood", "-1"], &["exit", "42"]);
    job.program.limits.output = Some(Bytes::mib(8));
    let reply = talk(&job);
    assert_eq!(endings(&reply), "stopped: Output / exit 42");
    let mut job = joint(&["drain"], &["flood", "-1"]);
    job.partner.limits.output = Some(Bytes::mib(8));
    let reply = talk(&job);
    assert_eq!(summary(&reply.partner.reply.outcome), "stopped: Output");
    // A partner that does not read makes the other wait, and no more.
    let mut job = joint(&["flood", "-1"], &["sleep", "200", "exit", "43"]);
    job.transcript = None;
    job.program.limits.output = None;
    let reply = talk(&job);
    assert_eq!(endings(&reply), "stopped: Dismissed / exit 43");
    assert_eq!(reply.transcript, Transcript::default());
}

#[test]
fn limits_hold_for_each_program() {
    let mut job = joint(&["spin"], &["hear", "exit", "43"]);
    job.program.limits.cpu_time = Some(Duration::from_millis(200));
    check_job(&job, "stopped: CpuTime / exit 43", ["", "end\n"]);
    let mut job = joint(&["hear"], &["spin"]);
    job.partner.limits.cpu_time = Some(Duration::from_millis(200));
    let reply = talk(&job);
    assert_eq!(summary(&reply.partner.reply.outcome), "stopped: CpuTime");
}

#[test]
fn any_bytes_go_through() {
    let reply =
        check(&["binary"], &["drain", "exit", "42"], "exit 0 / exit 42", ["", "256 bytes\n"]);
    let recorded: Vec<u8> =
        reply.transcript.first.iter().flat_map(|piece| piece.text.clone()).collect();
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(recorded, all);
}

#[test]
fn many_messages_pass() {
    let mut job = joint(&["many", "300"], &["echo", "exit", "42"]);
    job.transcript = None;
    let reply = check_job(&job, "exit 0 / exit 42", ["", ""]);
    assert_eq!(reply.program.reply.outcome.stdout_bytes, Bytes(1500));
    assert_eq!(reply.partner.reply.outcome.stdout_bytes, Bytes(1500));
}

#[test]
fn a_program_cannot_write_to_its_input() {
    check(
        &["ask-myself", "hear"],
        &["say", "x\n", "exit", "42"],
        "exit 0 / exit 42",
        ["refused\nx\n", ""],
    );
}

#[test]
fn a_fault_on_one_side_ends_the_other() {
    let (mut first, mut second) = pair();
    for side in [TalkSide::Program, TalkSide::Partner] {
        let mut job = joint(&["sleep", "1000000"], &["sleep", "1000000"]);
        let broken = match side {
            TalkSide::Program => &mut job.program,
            TalkSide::Partner => &mut job.partner,
        };
        broken.command.argv = vec!["/nowhere".to_owned()];
        let error = first.run_joint(&mut second, &job).unwrap_err();
        assert!(error.to_string().contains("/nowhere"), "{error}");
    }
    // Both slots can be used again, alone and together.
    super::check(&mut first, &job("nothing", &[]), "exit 0", "");
    let reply = first.run_joint(&mut second, &joint(&["exit", "0"], &["exit", "42"]));
    assert_eq!(summary(&reply.unwrap().partner.reply.outcome), "exit 42");
}

#[test]
fn a_stop_ends_both_and_the_slots_go_on() {
    let (mut first, mut second) = pair();
    let flag = StopFlag::default();
    let endless = joint(&["sleep", "1000000"], &["sleep", "1000000"]);
    // Once during the run, if it has begun by then, and once before it.
    for _ in 0..2 {
        let error = std::thread::scope(|scope| {
            let running = scope.spawn(|| {
                let run = || first.run_joint(&mut second, &endless).unwrap_err();
                with_stop_flags(std::slice::from_ref(&flag), run)
            });
            flag.set();
            running.join().unwrap()
        });
        assert!(is_interrupted(&error), "{error}");
    }
    let reply = first.run_joint(&mut second, &joint(&["exit", "0"], &["exit", "42"]));
    assert_eq!(summary(&reply.unwrap().partner.reply.outcome), "exit 42");
}

/// On a busy machine a program starts late. Until then it does not count as blocked, even if another process waits in
/// its slot, and it is not charged for earlier runs.
#[test]
fn a_program_that_has_not_begun_is_not_blocked() {
    let output = run_in_own_process("sandbox::joined::begin_late", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// It stops its only slots, so it must be alone in its process.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn begin_late() {
    let (mut first, mut second) = pair();
    let mut hungry = job("malloc", &[]);
    hungry.limits.memory = Some(Bytes::mib(64));
    let outcome = run(&mut first, &hungry).outcome;
    assert_eq!(summary(&outcome), "stopped: Memory");
    let mut busy = job("talk", &["spin"]);
    busy.limits.cpu_time = Some(Duration::from_millis(500));
    let outcome = run(&mut first, &busy).outcome;
    assert_eq!(summary(&outcome), "stopped: CpuTime");
    let mut late = |job: &JointJob, pause: u64, expected: &str| {
        // The program's slot is the first.
        let slot = Pid::from_raw(slots()[0]).unwrap();
        kill_process(slot, KernelSignal::STOP).unwrap();
        let reply = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(pause));
                kill_process(slot, KernelSignal::CONT).unwrap();
            });
            first.run_joint(&mut second, job).unwrap()
        });
        assert_eq!(endings(&reply), expected);
        assert_eq!(reply.deadlock, None, "{reply:?}");
        let outcome = &reply.program.reply.outcome;
        let (billed, memory) = (outcome.cpu_time, outcome.peak_memory);
        assert!(billed < Duration::from_millis(300), "{billed:?}");
        assert!(memory < Bytes::mib(32), "{memory}");
    };
    let speaks = joint(&["say", "L\n"], &["hear", "exit", "42"]);
    late(&speaks, 600, "exit 0 / exit 42");
    // It is ended before it began, or while it begins. It does not read, so it cannot end by itself first.
    let ends = joint(&["sleep", "60000"], &["exit", "43"]);
    for _ in 0..20 {
        late(&ends, 50, "stopped: Dismissed / exit 43");
    }
}

/// If the end of one were lost in that of the other, nobody would ever wake.
#[test]
fn simultaneous_ends_are_both_noticed() {
    let host = host();
    let cores = host.physical_cores();
    let slot = |core: Option<_>| Slot::start(host, core).expect("a slot starts");
    let (mut first, mut second) = (slot(cores.first().copied()), slot(cores.last().copied()));
    let job = joint(&["exit", "0"], &["exit", "42"]);
    for _ in 0..300 {
        let reply = first.run_joint(&mut second, &job).unwrap();
        assert_eq!(endings(&reply), "exit 0 / exit 42");
    }
}

#[test]
fn a_hundred_pairs_leave_nothing() {
    let output = run_in_own_process("sandbox::joined::hundred_pairs", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// It counts what its process has, so it must be alone in it.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn hundred_pairs() {
    let before = ProcessResources::of_this_process();
    let (mut first, mut second) = pair();
    let jobs = [
        joint(&["hear", "say", "L\n"], &["say", "1\n", "hear", "exit", "42"]),
        joint(&["hold", "abort"], &["hold", "exit", "43"]),
        joint(&["flood", "-1"], &["exit", "43"]),
        joint(&["hear"], &["hear"]),
    ];
    let mut run = |job: &JointJob| {
        first.run_joint(&mut second, job).unwrap();
    };
    run(&jobs[0]);
    let during = ProcessResources::of_this_process();
    for round in 0..100 {
        run(&jobs[round % jobs.len()]);
    }
    assert_eq!(ProcessResources::of_this_process(), during);
    drop((first, second));
    assert_eq!(ProcessResources::of_this_process(), before);
}

/// Each of the languages that contestants use, when it forgets to flush.
#[test]
fn missing_flushes_are_detected_in_every_language() {
    let check = |argv: &[&str]| {
        if !Path::new(argv[0]).exists() {
            return skip(&format!("no {}", argv[0]));
        }
        let mut job = joint(&[], &["say", "1\n", "hear", "say", "2\n", "exit", "42"]);
        job.program.command.argv = argv.iter().map(ToString::to_string).collect();
        let reply = talk(&job);
        let waits = reply.deadlock.map(|deadlock| deadlock.program);
        assert_eq!(waits, Some(WaitReason::Input), "{argv:?} {reply:?}");
    };
    let python = "import sys; sys.stdin.readline(); print('L'); sys.stdin.readline()";
    check(&["/usr/bin/python3", "-c", python]);
    check(&["/usr/bin/perl", "-e", "<STDIN>; print \"L\\n\"; <STDIN>"]);
    check(&["/bin/sh", "-c", "read x; sed s/.*/L/; echo never reached"]);
}
