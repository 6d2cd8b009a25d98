//! One program leaves marks by every means, another searches for them: after it in the same slot, at the same time in
//! another slot, and at the same time in another judge. The other finds the same in every run.

use super::*;

fn find_marks(slot: &mut Slot) -> String {
    let arguments: &[&str] = if uses_landlock() { &["bare"] } else { &[] };
    let reply = run(slot, &job("seek", arguments));
    assert_eq!(summary(&reply.outcome), "exit 0", "{}", text(&reply.stderr));
    text(&reply.stdout)
}

fn leave_marks(slot: &mut Slot) {
    let reply = run(slot, &job("mark", &[]));
    assert_eq!(text(&reply.stdout), "marked\n", "{:?}", reply.outcome);
}

/// Searches for marks while they are made, held, and removed.
fn search_during(unmarked: &str, mark: impl FnOnce() + Send) {
    let mut slot = slot();
    std::thread::scope(|scope| {
        let marks = scope.spawn(mark);
        while !marks.is_finished() {
            assert_eq!(find_marks(&mut slot), unmarked);
        }
        marks.join().unwrap();
    });
}

#[test]
fn no_mark_reaches_another_run() {
    let mut first = slot();
    let unmarked = find_marks(&mut first);
    assert!(unmarked.contains("timers: 100\n"), "{unmarked}");
    // No process counts in a visible key, the position of no page is shown, no mount is listed.
    assert!(unmarked.contains("a key tells of processes: 0\n"), "{unmarked}");
    assert!(!unmarked.contains("in memory 0\n"), "{unmarked}");
    assert!(unmarked.contains("mounts: -1 -1 namespaces: -1\n"), "{unmarked}");
    for _ in 0..3 {
        leave_marks(&mut first);
        assert_eq!(find_marks(&mut first), unmarked);
    }
    if host().max_simultaneous_runs().is_some() {
        return skip("one run at a time");
    }
    search_during(&unmarked, || leave_marks(&mut first));
    search_during(&unmarked, || {
        let output = run_in_own_process("sandbox::marks::mark_in_another_judge", |_| {});
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn mark_in_another_judge() {
    leave_marks(&mut slot());
}
