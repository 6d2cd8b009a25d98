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
    ("flags", Kept),
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

/// What it can do to the file it is given and to the one that is wanted, where there are such.
const TO_THE_FILES: [(&str, Then); 22] = [
    ("nothing", Kept),
    ("wanted-not-written", New),
    ("wanted-is-a-directory", New),
    ("wanted-is-a-fifo", New),
    ("wanted-is-a-link", New),
    ("wanted-is-the-given", New),
    ("given-moved-to-wanted", New),
    ("wanted-twice", Kept),
    ("wanted-made-again", New),
    ("wanted-moved-there", New),
    ("wanted-has-two-names", New),
    ("wanted-is-large", New),
    ("wanted-is-locked", Kept),
    ("wanted-is-mapped", Kept),
    ("wanted-was-sent", Kept),
    // The kernel may have collected it already.
    ("wanted-was-lost", Either),
    ("links-that-failed", New),
    ("given-is-read", Kept),
    ("given-is-changed", Kept),
    ("given-is-removed", New),
    ("same-name-elsewhere", New),
    ("nothing", Kept),
];

/// Changes of the box itself that leave nothing where its times are not looked at, as files come and go in it.
const LEAVE_NOTHING: [&str; 4] = ["mode-and-back", "times", "access-time", "nothing"];

/// What lies in the box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holds {
    Nothing,
    /// Nothing, and it is read-only.
    NothingEver,
    /// A link, read-only.
    Link,
    /// A link, a file, and what is wanted.
    Files,
}

impl Holds {
    fn set(self, job: &mut Job) {
        job.writable = matches!(self, Self::Nothing | Self::Files);
        let file = |name: &str, content| TreeEntry::new(name, content);
        if matches!(self, Self::Link | Self::Files) {
            job.files = vec![file("link", Node::Link("/program/leave".into()))];
        }
        if self == Self::Files {
            let text = Node::plain(b"some input".to_vec());
            job.files.push(file("a.in", text));
            job.collect = vec!["a.out".into()];
        }
    }
}

/// A job whose program looks around, for whatever is older than now.
fn look(holds: Holds) -> Job {
    // By the clock that dates files.
    let now = clock_gettime(ClockId::RealtimeCoarse);
    let now = now.tv_sec * 1_000_000_000 + now.tv_nsec;
    let mut job = job("look", &[&now.to_string()]);
    holds.set(&mut job);
    job
}

fn leave(what: &str, place: &str, holds: Holds) -> Job {
    let mut job = job("leave", &[what, place]);
    holds.set(&mut job);
    if holds == Holds::Files {
        job.command
            .argv
            .extend(["/box/a.in".into(), "/box/a.out".into()]);
    }
    job
}

/// What a program sees that looks around. Where files come and go, their numbers tell how many runs there were.
fn seen(slot: &mut Slot, holds: Holds) -> String {
    let mut reply = run(slot, &look(holds));
    let mut seen = text(&mut reply.stdout);
    assert_eq!(summary(&reply.outcome), "exit 0", "{seen}");
    assert!(!seen.contains("found"), "{seen}");
    assert!(seen.contains("next process 3"), "{seen}");
    if holds == Holds::Files {
        let counts = |line: &&str| {
            line.starts_with("/box/new-") || line.contains(" at ") && !line.starts_with("mounted")
        };
        seen = seen
            .lines()
            .filter(|line| !counts(line))
            .collect::<Vec<_>>()
            .join("\n");
    }
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
    for holds in [
        Holds::Nothing,
        Holds::NothingEver,
        Holds::Link,
        Holds::Files,
    ] {
        let new = seen(&mut slot(), holds);
        let mut slot = slot();
        let mut check = |what: &str, place: &str, then: Then| {
            // What runs like this left so far is given up.
            drop_rooms(&mut slot);
            let mut reply = run(&mut slot, &leave(what, place, holds));
            let said = text(&mut reply.stdout);
            let is_kept = !first_processes().is_empty();
            let is_right = match then {
                Kept => is_kept == keeps_rooms(),
                New => !is_kept,
                Either => true,
            };
            if !is_right || said.contains("ESCAPED") {
                faults.push(format!(
                    "{what} in {place}, {holds:?}: kept {is_kept} {said}"
                ));
            }
            let now = seen(&mut slot, holds);
            if now != new {
                faults.push(format!(
                    "{what} in {place}, {holds:?}: {now}instead of\n{new}"
                ));
            }
        };
        let is_writable = matches!(holds, Holds::Nothing | Holds::Files);
        for (what, then) in IN_A_PLACE {
            check(what, "/tmp", then);
            let is_changed = is_writable || matches!(what, "listed" | "locked" | "opened-and-sent");
            let leaves_nothing =
                !is_changed || holds == Holds::Files && LEAVE_NOTHING.contains(&what);
            let in_the_box = match then {
                New if leaves_nothing => Kept,
                then => then,
            };
            check(what, "/box", in_the_box);
        }
        for (what, then) in ELSEWHERE {
            check(what, "/box", then);
        }
        if holds == Holds::Files {
            for (what, then) in TO_THE_FILES {
                check(what, "/box", then);
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Has the slot give up its rooms: what a run is to see stands elsewhere.
fn drop_rooms(slot: &mut Slot) {
    let mut job = job("leave", &["fork"]);
    job.command
        .visible
        .push(Shown::tree("/other", &Tree::unlisted("/usr")));
    run(slot, &job);
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
        &leave("temporary-file", "/tmp", Holds::Nothing),
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
    let same: [fn(&mut Job); 4] = [
        |_| {},
        |job| job.stdin = Blob::from(b"input".to_vec()),
        |job| job.limits.memory = Some(Bytes::mib(20)),
        |job| job.command.env = vec![("A".into(), "b".into())],
    ];
    for change in same {
        assert_eq!(is_kept(change), keeps_rooms());
    }
    let other: [fn(&mut Job); 5] = [
        |job| job.writable = false,
        |job| job.box_size = Bytes::mib(32),
        |job| {
            job.command
                .visible
                .push(Shown::tree("/other", &Tree::unlisted("/usr")))
        },
        |job| {
            job.command
                .visible
                .push(Shown::tree("/tmp/other", &Tree::unlisted("/usr")))
        },
        |job| {
            job.files = vec![TreeEntry::new("file", Node::plain(b"x".to_vec()))];
        },
    ];
    for change in other {
        assert!(!is_kept(change));
    }
}

/// Several kinds of runs take turns, as submission and output validator do.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn take_turns() {
    let mut slot = slot();
    let of_size = |mebibytes| {
        let mut job = job("nothing", &[]);
        job.box_size = Bytes::mib(mebibytes);
        job
    };
    let mut rooms_after = |sizes: &[u64]| {
        for size in sizes {
            run(&mut slot, &of_size(*size));
        }
        first_processes()
    };
    if !keeps_rooms() {
        assert_eq!(rooms_after(&[1, 2, 1]), Vec::<i32>::new());
        return;
    }
    let three = rooms_after(&[1, 2, 3]);
    assert_eq!(three.len(), 3);
    assert_eq!(rooms_after(&[3, 1, 2, 2, 1, 3]), three);
    // The one used least lately, the second, gives way.
    let other = rooms_after(&[1, 3, 4]);
    assert_eq!(other.len(), 3);
    assert_eq!(other[..2], [three[0], three[2]]);
    assert_eq!(rooms_after(&[1, 3, 4]), other);
}

/// Files are placed anew for each run also where the box is read-only, and where what is wanted bears the name of a link.
#[test]
fn files_are_placed_anew_in_every_box() {
    if is_bare() {
        return skip("without namespaces there are no rooms");
    }
    let mut slot = slot();
    let mut check = |writable: bool, collect: &[&str]| {
        for text in ["first", "second", "third"] {
            let mut job = job("", &[]);
            job.command.argv = ["/bin/sh", "-c", "read -r a < a.in; echo $a; [ -L link ]"]
                .map(String::from)
                .to_vec();
            Holds::Files.set(&mut job);
            job.files[1].node = Node::plain(format!("{text}\n").into_bytes());
            job.writable = writable;
            job.collect = collect.iter().map(ToString::to_string).collect();
            let mut reply = run(&mut slot, &job);
            assert_eq!(
                summary(&reply.outcome),
                "exit 0",
                "{text} {writable} {collect:?}"
            );
            assert_eq!(super::text(&mut reply.stdout), format!("{text}\n"));
        }
    };
    for writable in [true, false] {
        check(writable, &[]);
        check(writable, &["a.out"]);
        check(writable, &["link"]);
    }
}

#[test]
fn kinds_of_runs_take_turns() {
    let output = alone("sandbox::rooms::take_turns", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
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
