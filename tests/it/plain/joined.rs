//! Two programs that talk, both without isolation.

use juror_core::joint::{JointJob, JointReply, WaitReason};
use rustix::process::{Pid, Signal, kill_process};

use super::*;

/// Both sides' steps, and how they end. If two end at once, the first is the one whose end the judge notices first. So
/// the order is not checked here.
fn talk(program: &[&str], partner: &[&str], set: fn(&mut JointJob)) -> (JointReply, String) {
    let mut job = JointJob {
        program: job("talk", program),
        partner: job("talk", partner),
        accept_exit_code: 42,
        transcript: Some(Bytes::kib(4)),
    };
    set(&mut job);
    let (mut first, mut second) = (slot(), slot());
    let reply = first.run_joint(&mut second, &job).expect("a reply");
    let [ours, theirs] = [&reply.program, &reply.partner].map(|it| summary(&it.reply.outcome));
    (reply, format!("program {ours}, partner {theirs}"))
}

#[test]
fn two_programs_talk() {
    let check = |program: &[&str], partner: &[&str], expected: &str| {
        let (reply, ended) = talk(program, partner, |_| {});
        assert_eq!(ended, expected, "{reply:?}");
        reply
    };
    let reply = check(
        &["hear", "say", "L\n", "hear", "hear"],
        &["say", "2 1\n", "hear", "say", "R\n", "close-output", "hear", "exit", "42"],
        "program exit 0, partner exit 42",
    );
    let pieces = reply.transcript.first.iter();
    let pieces: Vec<_> = pieces.map(|piece| String::from_utf8_lossy(&piece.text)).collect();
    assert_eq!(pieces, ["2 1\n", "L\n", "R\n"]);
    assert_eq!(reply.program.reply.outcome.stdout_bytes, Bytes(2));
    check(&["exit", "3"], &["drain", "exit", "43"], "program exit 3, partner exit 43");
    check(
        &["say", "x\n", "abort"],
        &["hear", "hear", "exit", "43"],
        "program SIGABRT, partner exit 43",
    );
    check(&["drain", "abort"], &["exit", "42"], "program SIGABRT, partner exit 42");
    let reply = check(&["spin"], &["abort"], "program stopped: Dismissed, partner SIGABRT");
    assert!(reply.partner.ended <= reply.program.ended);
    let reply =
        check(&["flood", "3000000"], &["drain", "exit", "42"], "program exit 0, partner exit 42");
    assert_eq!(reply.program.reply.outcome.stdout_bytes, Bytes(3_000_000));
    let reply = check(
        &["hear", "sleep", "50", "say", "late\n", "say", "later\n"],
        &["exit", "42"],
        "program exit 0, partner exit 42",
    );
    assert_eq!(reply.program.unread, Bytes(11));
}

#[test]
fn limits_hold_for_both_programs() {
    let (reply, _) = talk(&["hear"], &["hear", "exit", "42"], |job| {
        job.program.limits.wall_time = Some(Duration::from_millis(300));
    });
    assert_eq!(summary(&reply.program.reply.outcome), "stopped: WallTime");
    assert_eq!(reply.deadlock, None);
    let (reply, _) = talk(&["flood", "-1"], &["drain", "exit", "42"], |job| {
        job.program.limits.output = Some(Bytes::kib(100));
    });
    assert_eq!(summary(&reply.program.reply.outcome), "stopped: Output");
}

/// Linux shows who waits, without isolation, too.
#[test]
#[cfg(target_os = "linux")]
fn the_wait_at_the_limit_is_reported() {
    let check = |program: &[&str], partner: &[&str], waits: Option<WaitReason>, is_owed: bool| {
        let (reply, _) = talk(program, partner, |job| {
            job.program.limits.wall_time = Some(Duration::from_millis(500));
            job.partner.limits.wall_time = Some(Duration::from_millis(600));
            job.partner.limits.cpu_time = Some(Duration::from_millis(700));
        });
        assert_eq!(summary(&reply.program.reply.outcome), "stopped: WallTime", "{program:?}");
        assert_eq!((reply.program.waits, reply.debt.is_open), (waits, is_owed), "{program:?}");
    };
    const EVER: &str = "1000000";
    check(&["say", "x\n", "hear"], &["hear", "sleep", EVER], Some(WaitReason::Input), true);
    check(&["say", "x\n", "sleep", EVER], &["hear", "spin"], None, false);
    check(&["hear"], &["hear"], Some(WaitReason::Input), false);
}

#[test]
fn a_process_outside_the_group_holds_no_pipe_open() {
    let check = |program: &[&str], partner: &[&str], processes: usize| {
        let (mut reply, ended) = talk(program, partner, |_| {});
        assert_eq!(ended, "program exit 0, partner exit 42", "{reply:?}");
        let mut pids = Vec::new();
        for part in [&mut reply.program, &mut reply.partner] {
            let stderr = part.reply.stderr.prefix(1000).expect("bytes");
            let stderr = String::from_utf8_lossy(&stderr).into_owned();
            pids.extend(
                stderr.lines().filter_map(|line| line.parse().ok().and_then(Pid::from_raw)),
            );
        }
        assert_eq!(pids.len(), processes);
        // It still holds the pipes: the runs did not wait for it.
        for pid in pids {
            kill_process(pid, Signal::KILL).expect("it is there");
        }
    };
    check(&["leave", "say", "x\n"], &["hear", "hear", "exit", "42"], 1);
    check(&["hear"], &["leave", "exit", "42"], 1);
    check(&["leave", "hear", "flood", "300000"], &["leave", "exit", "42"], 2);
    check(&["leave", "flood", "300000"], &["leave", "drain", "exit", "42"], 2);
}

/// A process that left its group holds the pipes even after the limits.
#[test]
fn a_process_outside_the_group_extends_no_run() {
    let (mut reply, _) = talk(&["leave", "hear"], &["leave", "drain"], |job| {
        job.program.limits.wall_time = Some(Duration::from_millis(300));
        job.partner.limits.wall_time = Some(Duration::from_millis(400));
    });
    for part in [&mut reply.program, &mut reply.partner] {
        assert_eq!(summary(&part.reply.outcome), "stopped: WallTime");
        let stderr = part.reply.stderr.prefix(1000).expect("bytes");
        let stderr = String::from_utf8_lossy(&stderr);
        let pid = stderr.lines().find_map(|line| line.parse().ok().and_then(Pid::from_raw));
        kill_process(pid.expect("a number"), Signal::KILL).expect("it is there");
    }
}
