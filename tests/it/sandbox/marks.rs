//! One program leaves marks by every means, another searches for them: after it in the same slot, at the same time in
//! another slot, and at the same time in another judge. The other finds the same in every run.

use super::*;

fn found(slot: &mut Slot) -> String {
    let arguments: &[&str] = if is_bare() { &["bare"] } else { &[] };
    let reply = run(slot, &job("seek", arguments));
    assert_eq!(summary(&reply.outcome), "exit 0", "{}", text(&reply.stderr));
    text(&reply.stdout)
}

fn mark(slot: &mut Slot) {
    let reply = run(slot, &job("mark", &[]));
    assert_eq!(text(&reply.stdout), "marked\n", "{:?}", reply.outcome);
}

/// Searches for marks while they are made, held, and removed.
fn look_beside(unmarked: &str, mark: impl FnOnce() + Send) {
    let mut slot = slot();
    std::thread::scope(|scope| {
        let marks = scope.spawn(mark);
        while !marks.is_finished() {
            assert_eq!(found(&mut slot), unmarked);
        }
        marks.join().unwrap();
    });
}

#[test]
fn no_mark_reaches_another_run() {
    let mut first = slot();
    let unmarked = found(&mut first);
    assert!(unmarked.contains("timers: 100\n"), "{unmarked}");
    // No process counts in a visible key, the position of no page is shown, no mount is listed.
    assert!(unmarked.contains("a key tells of processes: 0\n"), "{unmarked}");
    assert!(!unmarked.contains("in memory 0\n"), "{unmarked}");
    assert!(unmarked.contains("mounts: -1 -1 namespaces: -1\n"), "{unmarked}");
    for _ in 0..3 {
        mark(&mut first);
        assert_eq!(found(&mut first), unmarked);
    }
    if host().most_at_once().is_some() {
        return skip("one run at a time");
    }
    look_beside(&unmarked, || mark(&mut first));
    look_beside(&unmarked, || {
        let output = alone("sandbox::marks::mark_in_another_judge", |_| {});
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn mark_in_another_judge() {
    mark(&mut slot());
}
