//! Every run has a new environment. The next run sees nothing of what a run did, nor that a part of its own
//! environment existed before.
//!
//! One program leaves something, another searches for it.

use rustix::time::{ClockId, clock_gettime};

use super::*;

/// What `leave` can do in a directory.
const IN_A_DIRECTORY: [&str; 24] = [
    "file",
    "file-taken-back",
    "exclusive-file",
    "large-file",
    "directory",
    "link",
    "long-link",
    "fifo",
    "socket",
    "mode",
    "mode-and-back",
    "times",
    "access-time",
    "attribute",
    "access-list",
    "flags",
    "listed",
    "locked",
    "opened-and-sent",
    "referred-to-and-sent",
    "unnamed-file",
    "missed",
    "nothing",
    "sleep",
];

/// What it can do elsewhere.
const ELSEWHERE: [&str; 25] = [
    "fork",
    "vfork",
    "forks-waited-for",
    "thread",
    "orphan",
    "sister",
    "slow-pid-1",
    "slow-user",
    "slow-disks",
    "signals",
    "signal-by-descriptor",
    "files-of-pid-1",
    "timer-on-pid-1",
    "proc",
    "own-settings",
    "name",
    "lost-in-sockets",
    "locked-device",
    "memory-file",
    "memory",
    "output",
    "exit-3",
    "kill",
    "abort",
    "nothing",
];

/// What it can do to its input file and to its output file, if it has them.
const TO_THE_FILES: [&str; 10] = [
    "wanted-not-written",
    "wanted-is-a-directory",
    "wanted-is-a-link",
    "given-moved-to-wanted",
    "wanted-made-again",
    "wanted-is-large",
    "wanted-was-sent",
    "wanted-was-lost",
    "links-that-failed",
    "given-is-changed",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BoxContents {
    Empty,
    /// The box is read-only.
    Link,
    /// A link, a file, and a file to collect.
    Files,
}

impl BoxContents {
    fn place_in(self, job: &mut Job) {
        job.writable = self != Self::Link;
        let file = |name: &str, node| TreeEntry::new(name, node);
        if self != Self::Empty {
            job.files = vec![file("link", Node::Link("/program/leave".into()))];
        }
        if self == Self::Files {
            let text = Node::plain(b"some input".to_vec());
            job.files.push(file("a.in", text));
            job.collect = vec!["a.out".into()];
        }
    }
}

/// The program searches for everything that is older than now.
fn look_job(holds: BoxContents) -> Job {
    // By the clock that dates files.
    let now = clock_gettime(ClockId::RealtimeCoarse);
    let now = now.tv_sec * 1_000_000_000 + now.tv_nsec;
    let mut job = job("look", &[&now.to_string()]);
    holds.place_in(&mut job);
    job
}

fn leave_job(what: &str, directory: &str, holds: BoxContents) -> Job {
    let mut job = job("leave", &[what, directory]);
    holds.place_in(&mut job);
    if holds == BoxContents::Files {
        let both = ["/box/a.in".into(), "/box/a.out".into()];
        job.command.argv.extend(both);
    }
    job
}

fn observed(slot: &mut Slot, holds: BoxContents) -> String {
    let reply = run(slot, &look_job(holds));
    let stdout = text(&reply.stdout);
    assert_eq!(summary(&reply.outcome), "exit 0", "{stdout}");
    assert!(!stdout.contains("found"), "{stdout}");
    assert!(stdout.contains("next process 3"), "{stdout}");
    stdout
}

#[test]
fn a_run_sees_nothing_of_the_run_before() {
    if uses_landlock() {
        return skip("without namespaces a run sees the machine's processes and dates");
    }
    for holds in [BoxContents::Empty, BoxContents::Link, BoxContents::Files] {
        let first = observed(&mut slot(), holds);
        let mut slot = slot();
        let mut check = |what: &str, directory: &str| {
            let reply = run(&mut slot, &leave_job(what, directory, holds));
            let output = text(&reply.stdout);
            assert!(!output.contains("ESCAPED"), "{what} in {directory}: {output}");
            let now = observed(&mut slot, holds);
            assert_eq!(now, first, "after {what} in {directory}, {holds:?}");
        };
        for what in IN_A_DIRECTORY {
            check(what, "/tmp");
            check(what, "/box");
        }
        for what in ELSEWHERE {
            check(what, "/box");
        }
        for what in TO_THE_FILES.iter().filter(|_| holds == BoxContents::Files) {
            check(what, "/box");
        }
    }
}

/// Runs of all kinds take turns in a slot: each has what it would have in a slot of its own.
#[test]
fn the_environment_does_not_depend_on_the_run_before() {
    if uses_landlock() {
        return skip("without namespaces a run sees the machine's processes and dates");
    }
    let kinds: [fn(&mut Job); 6] = [
        |_| {},
        |job| job.writable = false,
        |job| job.box_size = Bytes::mib(3),
        |job| job.box_size = Bytes(1),
        |job| {
            let node = Node::plain(vec![b'x'; 100_000]);
            let file = |number| TreeEntry::new(format!("file-{number}"), node.clone());
            job.files = (0..20).map(file).collect();
        },
        |job| {
            for inside in ["/other", "/tmp/other"] {
                let shown = VisiblePath::tree(inside, &Tree::unlisted("/usr"));
                job.command.visible.push(shown);
            }
        },
    ];
    let environment = |slot: &mut Slot, change: fn(&mut Job)| {
        let mut job = look_job(BoxContents::Empty);
        change(&mut job);
        let reply = run(slot, &job);
        text(&reply.stdout)
    };
    let alone = kinds.map(|kind| environment(&mut slot(), kind));
    let mut slot = slot();
    for before in kinds {
        for (kind, alone) in kinds.iter().zip(&alone) {
            environment(&mut slot, before);
            assert_eq!(environment(&mut slot, *kind), *alone);
        }
    }
}

#[test]
fn box_and_temporary_directory_share_their_size() {
    if uses_landlock() {
        return skip("without namespaces both are on the machine's disk");
    }
    let mut slot = slot();
    let mut check = |size: Bytes, script: &str, output: &str| {
        let mut job = job("", &[]);
        job.command.argv = ["/bin/sh", "-c", script].map(String::from).to_vec();
        job.box_size = size;
        super::check(&mut slot, &job, "exit 0", output);
    };
    let fill = "head -c 3145728 /dev/zero > /tmp/a && head -c 3145728 /dev/zero > /box/b 2> /dev/null || \
                cat /tmp/a /box/b | wc -c";
    check(Bytes::mib(8), fill, "");
    check(Bytes::mib(4), fill, "4194304\n");
    check(Bytes::mib(8), fill, "");
}

/// Also if the box is read-only, and if the collected file has the name of a link.
#[test]
fn files_are_placed_anew_in_every_box() {
    if uses_landlock() {
        return skip("without namespaces a link in the box is translated");
    }
    let mut slot = slot();
    let mut check = |writable: bool, collect: &[&str]| {
        for text in ["first", "second", "third"] {
            let mut job = job("", &[]);
            job.command.argv = ["/bin/sh", "-c", "read -r a < a.in; echo $a; [ -L link ]"]
                .map(String::from)
                .to_vec();
            BoxContents::Files.place_in(&mut job);
            job.files[1].node = Node::plain(format!("{text}\n").into_bytes());
            job.writable = writable;
            job.collect = collect.iter().map(ToString::to_string).collect();
            super::check(&mut slot, &job, "exit 0", &format!("{text}\n"));
        }
    };
    for writable in [true, false] {
        check(writable, &[]);
        check(writable, &["a.out"]);
        check(writable, &["link"]);
    }
}

/// Also if the slot is killed.
#[test]
fn prepared_processes_end_with_their_slot() {
    let output = run_in_own_process("sandbox::anew::end_what_waits", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// It examines the children of its only slot.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn end_what_waits() {
    let before = ProcessResources::of_this_process();
    // A process that has ended waits for the next run, which reaps it.
    let is_there = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        !state.is_empty() && !state.starts_with(['Z', 'X'])
    };
    let waiting = || {
        let slots = super::slots();
        assert_eq!(slots.len(), 1, "one slot in this process");
        let list = format!("/proc/{0}/task/{0}/children", slots[0]);
        let there = move || {
            let list = fs::read_to_string(&list).unwrap();
            let numbers = list.split_whitespace().map(|number| number.parse().unwrap());
            numbers.filter(is_there).collect::<Vec<i32>>()
        };
        // Processes of the previous run may still be ending.
        while there().len() > 1 {
            std::thread::sleep(Duration::from_millis(1));
        }
        (slots[0], there())
    };
    let expected = usize::from(!uses_landlock());
    let mut slot = super::slot();
    run(&mut slot, &job("nothing", &[]));
    let (_, first) = waiting();
    drop(slot);
    assert!(!first.iter().any(is_there));
    let mut slot = super::slot();
    let mut endless = job("hungry", &["sleep"]);
    endless.limits.wall_time = Some(Duration::from_millis(100));
    run(&mut slot, &endless);
    while waiting().1.len() < expected {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (process, first) = waiting();
    let process = rustix::process::Pid::from_raw(process).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    while first.iter().any(is_there) {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(slot);
    assert_eq!(ProcessResources::of_this_process(), before);
}
