//! The usage that programs are charged with, compared with what the kernel counted.

use std::hint::spin_loop;
use std::thread;

use juror_core::joint::JointJob;
use rustix::thread::{CpuSet, sched_setaffinity};

use super::*;

#[test]
fn reported_cpu_time_is_what_the_control_group_counted() {
    let output = run_in_own_process("sandbox::bill::compare_with_the_group", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// It searches the control group of its only slot.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn compare_with_the_group() {
    if host().mechanism().cpu != Meter::Cgroup1 {
        // With version 2 the figure is the group's, and the group is gone after the run.
        return skip("only groups of version 1 are still there after a run");
    }
    let mut slot = slot();
    let mut usage = groups_of(process::id()).into_iter().map(|group| group.join("cpuacct.usage"));
    let usage = usage.find(|file| file.exists()).unwrap();
    let counted = || {
        let text = fs::read_to_string(&usage).unwrap();
        Duration::from_nanos(text.trim().parse().unwrap())
    };
    for arguments in [["cpu", "1000"], ["cpu-in-threads", "1000"], ["hidden-cpu", "1000"]] {
        let mut difference = || {
            let before = counted();
            let outcome = check(&mut slot, &job("hungry", &arguments), "exit 0", "");
            let group = counted() - before;
            let reported = outcome.cpu_time;
            report(&format!("{arguments:?}: reported {reported:?}, the group says {group:?}"));
            assert!(group >= Duration::from_secs(1), "{arguments:?}: {group:?}");
            reported.abs_diff(group)
        };
        // The slot and PID 1 are in the group, too, with some tenths of a millisecond. On a busy machine they take
        // more now and then, but not each time. On an emulated one, where [`METERS`] is set, they always do.
        let allowed =
            Duration::from_millis(if std::env::var_os(METERS).is_none() { 10 } else { 200 });
        assert!((0..5).any(|_| difference() <= allowed), "{arguments:?}: never within {allowed:?}");
    }
}

#[test]
fn an_empty_program_is_charged_almost_nothing() {
    if !has_group_meters() {
        return skip("no control group to count CPU time");
    }
    let mut slot = slot();
    let billed = |_| run(&mut slot, &job("nothing", &[])).outcome.cpu_time;
    let least = (0..20).map(billed).min().unwrap();
    report(&format!("nothing is billed {least:?}"));
    // Without emulation it is a tenth of a millisecond. This bound is for any machine.
    assert!(least < Duration::from_millis(50), "{least:?}");
}

/// A submission is not too slow if others keep its processor busy, but it is if it does so itself.
#[test]
fn waiting_for_a_processor_is_not_sleeping() {
    let mut slot = on_first_core();
    on_a_busy_core(|| {
        let mut check = |arguments: &[&str], expected: &str| {
            let mut job = job("hungry", arguments);
            job.limits.wall_time = Some(Duration::from_secs(3));
            let outcome = check(&mut slot, &job, expected, "");
            let passed = job.limits.exceeded(&outcome);
            assert_eq!(passed, outcome.stopped_by, "{arguments:?}: {outcome:?}");
        };
        check(&["cpu", "1200"], "exit 0");
        check(&["cpu-then-sleep", "400"], "stopped: WallTime");
    });
}

/// Meanwhile the partner waits, and its own time begins when the program has ended.
#[test]
fn waiting_for_a_delayed_program_is_not_sleeping() {
    let (mut slot, mut other) = (on_first_core(), on_first_core());
    on_a_busy_core(|| {
        let mut check = |program: &[&str], partner: &[&str], expected: [&str; 2]| {
            let [mut program, mut partner] =
                [job("hungry", program), job(partner[0], &partner[1..])];
            program.limits.wall_time = Some(Duration::from_secs(1));
            partner.limits.wall_time = Some(Duration::from_millis(1200));
            let job = JointJob { program, partner, accept_exit_code: 42, transcript: None };
            let reply = slot.run_joint(&mut other, &job).expect("both run");
            let ends = [&reply.program, &reply.partner].map(|side| summary(&side.reply.outcome));
            assert_eq!(ends, expected, "{reply:?}");
        };
        let hears = ["talk", "hear", "exit", "42"];
        check(&["cpu", "900"], &hears, ["exit 0", "exit 42"]);
        check(&["cpu", "1"], &["talk", "sleep", "1000000"], ["exit 0", "stopped: WallTime"]);
        check(&["cpu", "1"], &["hungry", "cpu", "900"], ["exit 0", "exit 0"]);
    });
}

fn on_first_core() -> Slot {
    Slot::start(host(), host().physical_cores().first().copied()).expect("a slot starts")
}

/// Does this while others keep the first core busy.
fn on_a_busy_core(work: impl FnOnce()) {
    if !Path::new("/proc/thread-self/schedstat").exists() || !has_group_meters() {
        return skip("nothing tells here how long a program waits for others");
    }
    let is_over = AtomicBool::new(false);
    let keep_busy = || {
        if let Some(core) = host().physical_cores().first() {
            let mut set = CpuSet::new();
            set.set(core.0);
            sched_setaffinity(None, &set).expect("this thread can be pinned");
        }
        while !is_over.load(Ordering::Relaxed) {
            spin_loop();
        }
    };
    thread::scope(|scope| {
        let _over = SetOnDrop(&is_over);
        for _ in 0..3 {
            scope.spawn(keep_busy);
        }
        work();
    });
}

#[expect(clippy::print_stderr, reason = "figures for whoever runs it by hand")]
fn report(text: &str) {
    eprintln!("{text}");
}

/// The next run does not get the memory that the kernel keeps of a run until somebody needs it.
#[test]
fn caches_of_a_run_do_not_raise_the_next_limit() {
    if !has_group_meters() {
        return skip("no control groups");
    }
    let mut slot = slot();
    let limited = |mut job: Job| {
        job.limits.memory = Some(Bytes::mib(64));
        job
    };
    let names = limited(job("leave", &["names-of-nothing"]));
    let nothing = limited(job("nothing", &[]));
    for _ in 0..3 {
        check(&mut slot, &names, "exit 0", "");
        let hungry = limited(job("hungry", &["memory", "72"]));
        check(&mut slot, &hungry, "stopped: Memory", "");
        check(&mut slot, &names, "exit 0", "");
        let outcome = check(&mut slot, &nothing, "exit 0", "");
        assert!(outcome.peak_memory < Bytes::mib(4), "{outcome:?}");
    }
}
