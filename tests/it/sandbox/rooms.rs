//! Rooms that are kept from run to run: only where the run before left nothing, and so that nobody can tell.
//!
//! One program leaves something, another looks. Whether a room was kept is seen from outside: its first process
//! lives on, a child of the slot.

use rustix::time::{ClockId, clock_gettime};

use super::*;

/// What becomes of a room after a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Then {
    /// The next run has it, too.
    Kept,
    /// The next run gets a new one.
    New,
    /// That depends on the kernel, and on rights.
    Either,
}

use Then::{Either, Kept, New};

/// What `leave` can do in a directory.
const IN_A_PLACE: [(&str, Then); 24] = [
    ("file", New),
    ("file-taken-back", New),
    ("exclusive-file", New),
    ("large-file", New),
    ("directory", New),
    ("link", New),
    ("long-link", New),
    ("fifo", New),
    ("socket", New),
    ("mode", New),
    ("mode-and-back", New),
    ("times", New),
    ("access-time", New),
    // Older kernels have none in memory.
    ("attribute", Either),
    ("access-list", New),
    ("flags", Either),
    ("listed", New),
    ("locked", New),
    ("opened-and-sent", New),
    ("referred-to-and-sent", Kept),
    ("unnamed-file", Kept),
    ("missed", Kept),
    ("nothing", Kept),
    ("sleep", Kept),
];

/// What it can do elsewhere.
const ELSEWHERE: [(&str, Then); 28] = [
    ("fork", New),
    ("vfork", New),
    ("forks-waited-for", New),
    ("thread", New),
    ("orphan", New),
    ("sister", New),
    // Where the program is of another user than PID 1, it can do nothing to it.
    ("slow-pid-1", Either),
    ("slow-user", Either),
    ("slow-disks", Either),
    ("signals", Kept),
    ("signal-by-descriptor", Kept),
    ("files-of-pid-1", Kept),
    ("timer-on-pid-1", Kept),
    ("proc", Kept),
    ("own-settings", Kept),
    ("name", Kept),
    // The kernel may have collected them already.
    ("lost-in-sockets", Either),
    ("locked-device", Kept),
    ("memory-file", Kept),
    ("memory", Kept),
    ("output", Kept),
    ("exit-3", Kept),
    ("kill", New),
    ("abort", New),
    ("nothing", Kept),
    ("sleep", Kept),
    ("proc", Kept),
    ("nothing", Kept),
];

/// A job whose program looks around, for whatever is older than now.
fn look(writable: bool) -> Job {
    // By the clock that dates files.
    let now = clock_gettime(ClockId::RealtimeCoarse);
    let now = now.tv_sec * 1_000_000_000 + now.tv_nsec;
    let mut job = job("look", &[&now.to_string()]);
    job.writable = writable;
    job
}

fn leave(what: &str, place: &str, writable: bool) -> Job {
    let mut job = job("leave", &[what, place]);
    job.writable = writable;
    job
}

/// What a program sees that looks around.
fn seen(slot: &mut Slot, writable: bool) -> String {
    let mut reply = run(slot, &look(writable));
    let seen = text(&mut reply.stdout);
    assert_eq!(summary(&reply.outcome), "exit 0", "{seen}");
    assert!(!seen.contains("found"), "{seen}");
    assert!(seen.contains("next process 3"), "{seen}");
    seen
}

/// The processes that the only slot of this process has.
fn first_processes() -> Vec<i32> {
    let slots = hostile::children();
    assert_eq!(slots.len(), 1, "one slot in this process");
    let list = fs::read_to_string(format!("/proc/{0}/task/{0}/children", slots[0])).unwrap();
    let numbers = list.split_whitespace().map(|number| number.parse());
    numbers.map(Result::unwrap).collect()
}

/// Whether this slot keeps rooms: a user cannot set back the dates of `/proc`.
fn keeps_rooms() -> bool {
    host().isolation() == Isolation::Namespaces
}

#[test]
fn what_a_run_leaves_is_never_seen_by_the_next() {
    if is_bare() {
        return skip("without namespaces there are no rooms");
    }
    let output = alone("sandbox::rooms::leave_and_look", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// Looks for the children of its only slot.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn leave_and_look() {
    let mut faults = Vec::new();
    for writable in [true, false] {
        let new = seen(&mut slot(), writable);
        let mut slot = slot();
        let mut check = |what: &str, place: &str, then: Then| {
            let mut reply = run(&mut slot, &leave(what, place, writable));
            let said = text(&mut reply.stdout);
            let is_kept = !first_processes().is_empty();
            let is_right = match then {
                Kept => is_kept == keeps_rooms(),
                New => !is_kept,
                Either => true,
            };
            if !is_right || said.contains("ESCAPED") {
                faults.push(format!(
                    "{what} in {place}, writable {writable}: kept {is_kept} {said}"
                ));
            }
            let now = seen(&mut slot, writable);
            if now != new {
                faults.push(format!("{what} in {place}: {now}instead of\n{new}"));
            }
        };
        for (what, then) in IN_A_PLACE {
            check(what, "/tmp", then);
            let is_changed = writable || matches!(what, "listed" | "locked" | "opened-and-sent");
            let in_the_box = if then == New && !is_changed {
                Kept
            } else {
                then
            };
            check(what, "/box", in_the_box);
        }
        for (what, then) in ELSEWHERE {
            check(what, "/box", then);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Files without a name, and when a file was made.
#[test]
fn libraries_do_without_what_is_refused() {
    if is_bare() {
        return skip("without namespaces there are no rooms");
    }
    let mut slot = slot();
    check(
        &mut slot,
        &leave("temporary-file", "/tmp", true),
        "exit 0",
        "",
    );
    let mut try_out = |script: &str| {
        let mut job = job("", &[]);
        job.command.argv = ["/bin/sh", "-c", script].map(String::from).to_vec();
        check(&mut slot, &job, "exit 0", "");
    };
    try_out("stat /box /usr > /dev/null && ls -l / > /dev/null");
    if Path::new("/usr/bin/python3").exists() {
        try_out(
            "python3 -c 'import os, tempfile; tempfile.TemporaryFile().write(b\"x\"); os.stat(\"/box\")'",
        );
    }
}

#[test]
fn a_room_is_kept_for_runs_like_the_one_before() {
    let output = alone("sandbox::rooms::keep_and_change", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// Looks for the children of its only slot.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn keep_and_change() {
    let mut slot = slot();
    let plain = job("nothing", &[]);
    run(&mut slot, &plain);
    let first = first_processes();
    assert_eq!(first.len(), usize::from(keeps_rooms()));
    let mut is_kept = |change: fn(&mut Job)| {
        // Whatever room there is after this is for such runs.
        run(&mut slot, &plain);
        let before = first_processes();
        let mut job = plain.clone();
        change(&mut job);
        run(&mut slot, &job);
        !before.is_empty() && first_processes() == before
    };
    let same: [fn(&mut Job); 5] = [
        |_| {},
        |job| job.stdin = Input::Bytes(b"input".to_vec().into()),
        |job| job.limits.memory = Some(Bytes::mib(20)),
        |job| job.command.env = vec![("A".into(), "b".into())],
        |job| job.collect = vec!["none".into()],
    ];
    for change in same {
        assert_eq!(is_kept(change), keeps_rooms());
    }
    let other: [fn(&mut Job); 5] = [
        |job| job.writable = false,
        |job| job.box_size = Bytes::mib(32),
        |job| {
            job.command.visible.push(Visible {
                host: "/usr".into(),
                inside: "/other".into(),
            })
        },
        |job| {
            job.command.visible.push(Visible {
                host: "/usr".into(),
                inside: "/tmp/other".into(),
            })
        },
        |job| {
            job.files = vec![BoxFile {
                name: "file".into(),
                content: BoxContent::Bytes(b"x".to_vec().into()),
            }];
        },
    ];
    for change in other {
        assert!(!is_kept(change));
    }
}

/// A program that is stopped leaves no room, and a slot that is dropped no process.
#[test]
fn a_room_ends_with_its_slot_and_with_a_limit() {
    let output = alone("sandbox::rooms::end_rooms", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// Looks for the children of its only slot.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn end_rooms() {
    let before = Possessions::of_this_process();
    let mut slot = slot();
    let mut endless = job("hungry", &["sleep"]);
    endless.limits.wall_time = Some(Duration::from_millis(100));
    run(&mut slot, &job("nothing", &[]));
    run(&mut slot, &endless);
    assert_eq!(first_processes(), Vec::<i32>::new());
    run(&mut slot, &job("nothing", &[]));
    let first = first_processes();
    drop(slot);
    for pid in first {
        assert!(!Path::new("/proc").join(pid.to_string()).exists());
    }
    assert_eq!(Possessions::of_this_process(), before);
}
