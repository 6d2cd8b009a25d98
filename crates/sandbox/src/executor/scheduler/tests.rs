//! Turns, deadlines and ends, around a scripted executor.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::executor::scripted::ScriptedExecutor;
use juror_core::blob::Blob;
use juror_core::joint::JointJob;
use juror_core::limits::Limits;
use juror_core::outcome::{Outcome, quiet_outcome};
use juror_core::stop::{StopFlag, with_stop_flags};

fn reply(outcome: Outcome) -> JobReply {
    let (stdout, stderr, collected, kept) = (Blob::default(), Blob::default(), Vec::new(), None);
    JobReply { outcome, stdout, stderr, collected, kept }
}

fn wait_for(queue: &SlotQueue, jobs: usize) {
    while queue.state.lock().waiting.values().sum::<usize>() < jobs {
        thread::yield_now();
    }
}

/// The order in which these users get the only slot, if they wait while it is taken.
fn order(users: &[usize]) -> Vec<usize> {
    let queue = SlotQueue::new(1);
    let taken = queue.wait_for_slot(0).unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for user in users {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || {
                let _turn = queue.wait_for_slot(*user);
                sender.send(*user).expect("somebody listens");
            });
        }
        wait_for(&queue, users.len());
        drop(taken);
    });
    drop(sender);
    receiver.iter().collect()
}

#[test]
fn the_waiting_user_with_the_lowest_number_is_next() {
    let check = |users: &[usize], expected: &[usize]| assert_eq!(order(users), expected);
    check(&[], &[]);
    check(&[2], &[2]);
    check(&[3, 1, 2], &[1, 2, 3]);
    check(&[2, 1, 2, 1], &[1, 1, 2, 2]);
}

#[test]
fn every_free_slot_is_used() {
    let queue = SlotQueue::new(2);
    let turns = [7, 9].map(|user| queue.wait_for_slot(user).unwrap());
    assert_eq!(queue.state.lock().free, 0);
    drop(turns);
    assert_eq!(queue.state.lock().free, 2);
    assert!(queue.state.lock().waiting.is_empty());
}

#[test]
fn a_run_takes_a_slot_unless_it_waits_for_all_of_them() {
    let queue = SlotQueue::new(2);
    let free = Arc::new(AtomicUsize::new(usize::MAX));
    let slot_states = || {
        let (queue, free) = (Arc::clone(&queue), Arc::clone(&free));
        move || {
            free.store(queue.state.lock().free, Ordering::SeqCst);
            Stop::Interrupted
        }
    };
    let (single, joint) = (slot_states(), slot_states());
    let scripted = ScriptedExecutor::new(2, move |_: &Job| Err(single()));
    let scripted = scripted.with_joint_answers(move |_| Err(joint()));
    let scheduler = Scheduler::new(Arc::new(scripted)).with_queue(&queue, 1);
    let check = |work: &Work, mode: RunMode, meanwhile: usize| {
        assert_eq!(scheduler.run(work, mode).err(), Some(Stop::Interrupted));
        assert_eq!(free.swap(usize::MAX, Ordering::SeqCst), meanwhile);
        assert_eq!(queue.state.lock().free, 2);
    };
    let (program, partner) = (Job::default(), Job::default());
    let both = JointJob { program, partner, accept_exit_code: 42, transcript: None }.into();
    for work in [&Job::default().into(), &both] {
        check(work, RunMode::default(), 1);
        check(work, RunMode::FRESH, 1);
        check(work, RunMode::repeat_beside_others(1), 1);
        check(work, RunMode::repeat_alone(1), 2);
    }
}

/// Checks a program that waits for a processor and sleeps; times in milliseconds.
fn check_busy(
    [waits, sleeps]: [u64; 2],
    own: u64,
    remaining: Option<u64>,
    expected: Result<Option<StopReason>, Stop>,
) {
    let [waits, sleeps] = [waits, sleeps].map(Duration::from_millis);
    let scripted = ScriptedExecutor::new(1, move |job: &Job| {
        // Waiting does not count against its own limit.
        let own = job.limits.wall_time.map_or(Duration::MAX, |own| own + waits);
        let limit = own.min(job.limits.deadline.unwrap_or(Duration::MAX));
        if job.limits.deadline == Some(limit) {
            thread::sleep(limit);
        }
        let wall_time = limit.min(waits + sleeps);
        let stopped_by = (waits + sleeps > limit).then_some(StopReason::WallTime);
        Ok(reply(Outcome { wall_time, stopped_by, ..quiet_outcome() }))
    });
    let scheduler = Scheduler::new(Arc::new(scripted));
    scheduler
        .set_deadline(remaining.map(|remaining| Instant::now() + Duration::from_millis(remaining)));
    let limits =
        Limits { wall_time: Some(Duration::from_millis(own)), ..Limits::of_machine_check() };
    let job = Job { limits, ..Job::default() };
    // A fresh run has the same deadline.
    for scheduler in [&scheduler, &scheduler.clone().with_fresh_runs()] {
        let stopped = scheduler.run_job(&job).map(|reply| reply.outcome.stopped_by);
        assert_eq!(scheduler.has_run_out(), expected.is_err());
        assert_eq!(stopped, expected);
    }
}

fn check(
    sleeps: u64,
    own: u64,
    remaining: Option<u64>,
    expected: Result<Option<StopReason>, Stop>,
) {
    check_busy([0, sleeps], own, remaining, expected);
}

#[test]
fn a_run_that_the_deadline_cuts_short_has_no_outcome() {
    let by_its_limit = Ok(Some(StopReason::WallTime));
    check(1, 5000, None, Ok(None));
    check(1, 5000, Some(100_000), Ok(None));
    check(6000, 5000, None, by_its_limit.clone());
    check(6000, 5000, Some(100_000), by_its_limit);
    check(6000, 5000, Some(40), Err(Stop::Interrupted));
    check(1, 5000, Some(0), Err(Stop::Interrupted));
}

#[test]
fn a_busy_machine_extends_no_deadline() {
    check_busy([9000, 10], 100, None, Ok(None));
    check_busy([9000, 10], 100, Some(100_000), Ok(None));
    check_busy([9000, 10], 100, Some(40), Err(Stop::Interrupted));
    check_busy([9000, 10], 5000, Some(40), Err(Stop::Interrupted));
}

#[test]
fn a_stop_ends_the_wait_of_one_user_and_others_go_on() {
    let queue = SlotQueue::new(1);
    let taken = queue.wait_for_slot(0).unwrap();
    let scripted = Arc::new(ScriptedExecutor::new(1, |_: &Job| Ok(reply(quiet_outcome()))));
    let user = |number| Scheduler::new(scripted.clone()).with_queue(&queue, number);
    let (first, second) = (user(1), user(2));
    let flag = StopFlag::default();
    let run = |user: &Scheduler| user.run_job(&Job::default()).err();
    let run_first = || with_stop_flags(std::slice::from_ref(&flag), || run(&first));
    thread::scope(|scope| {
        let waiting = scope.spawn(run_first);
        let other = scope.spawn(|| run(&second));
        wait_for(&queue, 2);
        flag.set();
        // It ends at once, although the only slot is taken.
        assert_eq!(waiting.join().unwrap(), Some(Stop::Interrupted));
        drop(taken);
        assert_eq!(other.join().unwrap(), None);
        assert_eq!(run_first(), Some(Stop::Interrupted));
    });
    assert!(!first.has_run_out());
    assert_eq!(queue.state.lock().free, 1);
}
