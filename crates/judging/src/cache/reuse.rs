//! Whether the facts of a run are valid under other limits.
//!
//! A program can notice its limits of output and processes, so another limit makes another job. It cannot notice
//! limits of time and memory. For these, the table keeps facts only if a new run would get the same verdict.
//!
//! | how the run ended | the facts are valid if the new limits |
//! |---|---|
//! | under exactly these limits | always |
//! | by itself | are not below its memory, and allow its CPU time and wall time |
//! | by itself, alone | are not below its memory, and do not allow its CPU time: it is too slow by the measured time |
//! | CPU time ran out | are not below its memory, and do not allow the CPU time that it had used |
//! | the deadline passed | never |
//! | wall time ran out | are not below its memory, and allow no more wall time than it had, or not its CPU time |
//! | memory ran out | allow no more memory than it had, and allow its time |
//! | too much output, a deadlock, or dismissed by its partner | are not below its memory, and allow its time |
//!
//! Without a control group that measures memory, a program notices the memory limit, because a call fails. Without
//! isolation, it may be able to ask for its limit of CPU time. Then the limit must be equal.
//!
//! Facts of two joined programs must be valid for both. If the new limits stopped one of them earlier, its partner
//! could end differently. So facts of a joint run are never kept for being too slow by the measured time alone.

use std::time::Duration;

use juror_core::isolation::Isolation;
use juror_core::limits::Limits;
use juror_core::outcome::{Meter, Outcome, StopReason};

/// Whether a run under the limits `now` would get the verdict of this run under the limits `old`. `is_alone` says
/// that it was not joined with another program.
pub(super) fn is_still_valid(
    outcome: &Outcome,
    old: &Limits,
    now: &Limits,
    is_alone: bool,
) -> bool {
    // A run that the deadline ended says nothing about the program.
    let is_late = old.deadline.is_some_and(|deadline| outcome.wall_time >= deadline);
    if is_late && outcome.stopped_by == Some(StopReason::WallTime) {
        return false;
    }
    let lasting = |limits: &Limits| Limits { deadline: None, ..limits.clone() };
    if lasting(old) == lasting(now) {
        return true;
    }
    if old.output != now.output || old.processes != now.processes {
        return false;
    }
    if outcome.mechanism.isolation == Isolation::Plain && old.cpu_time != now.cpu_time {
        return false;
    }
    let is_noticed = outcome.mechanism.memory == Meter::Rusage;
    if is_noticed && old.memory != now.memory {
        return false;
    }
    let allows = |used: Duration, limit: Option<Duration>| limit.is_none_or(|limit| used <= limit);
    let is_over = !allows(outcome.cpu_time, now.cpu_time);
    let is_in_time = !is_over && allows(outcome.wall_time, now.wall_time);
    let fits = is_noticed || now.memory.is_none_or(|limit| outcome.peak_memory <= limit);
    match outcome.stopped_by {
        None => fits && (is_in_time || (is_over && is_alone)),
        Some(StopReason::CpuTime) => fits && is_over,
        Some(StopReason::WallTime) => {
            let is_shorter = is_at_most(now.wall_time, old.wall_time);
            fits && (is_shorter || (is_over && is_alone))
        }
        Some(StopReason::Memory) => is_at_most(now.memory, old.memory) && is_in_time,
        Some(StopReason::Output | StopReason::Deadlock | StopReason::Dismissed) => {
            fits && is_in_time
        }
    }
}

/// Whether a limit is at most the one that ended a run.
fn is_at_most<T: PartialOrd>(now: Option<T>, old: Option<T>) -> bool {
    now.zip(old).is_some_and(|(now, old)| now <= old)
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::outcome::quiet_outcome;
    use juror_core::units::Bytes;
    use proptest::prelude::*;

    /// CPU time in seconds, three times as much wall time; memory in MiB.
    fn limits(cpu: u64, memory: u64) -> Limits {
        Limits {
            cpu_time: Some(Duration::from_millis(cpu)),
            wall_time: Some(Duration::from_millis(cpu * 3)),
            deadline: None,
            memory: Some(Bytes::mib(memory)),
            output: Some(Bytes::mib(8)),
            processes: Some(64),
        }
    }

    fn outcome(stop: Option<StopReason>, cpu: u64, wall: u64, peak: u64) -> Outcome {
        Outcome {
            stopped_by: stop,
            cpu_time: Duration::from_millis(cpu),
            wall_time: Duration::from_millis(wall),
            peak_memory: Bytes::mib(peak),
            ..quiet_outcome()
        }
    }

    #[test]
    fn results_are_valid_as_the_table_says() {
        use StopReason::{CpuTime, Deadlock, Dismissed, Memory, Output, WallTime};
        // All runs have the limits 1000 ms and 256 MiB.
        let old = limits(1000, 256);
        let check = |stop,
                     (cpu, wall, peak): (u64, u64, u64),
                     now: (u64, u64),
                     alone: bool,
                     joint: bool| {
            let outcome = outcome(stop, cpu, wall, peak);
            let now = limits(now.0, now.1);
            let found = [true, false].map(|alone| is_still_valid(&outcome, &old, &now, alone));
            assert_eq!(found, [alone, joint], "{outcome:?} under {now:?}");
        };
        // The run ended by itself.
        check(None, (500, 510, 10), (800, 256), true, true);
        check(None, (500, 510, 10), (5000, 10), true, true);
        check(None, (500, 510, 10), (5000, 9), false, false);
        check(None, (900, 910, 10), (800, 256), true, false);
        check(None, (900, 910, 10), (800, 9), false, false);
        check(None, (100, 2900, 10), (800, 256), false, false);
        // The limits are the same. Others disturbed it, and it exceeded its wall time.
        check(None, (900, 3100, 10), (1000, 256), true, true);
        // The run was stopped.
        check(Some(CpuTime), (1004, 1010, 10), (800, 256), true, true);
        check(Some(CpuTime), (1004, 1010, 10), (1000, 512), true, true);
        check(Some(CpuTime), (1004, 1010, 10), (1500, 256), false, false);
        check(Some(CpuTime), (1004, 1010, 10), (800, 9), false, false);
        check(Some(WallTime), (5, 3001, 10), (800, 256), true, true);
        check(Some(WallTime), (5, 3001, 10), (1200, 256), false, false);
        check(Some(WallTime), (900, 3001, 10), (800, 9), false, false);
        check(Some(Memory), (500, 510, 256), (1000, 128), true, true);
        check(Some(Memory), (500, 510, 256), (1000, 300), false, false);
        check(Some(Memory), (500, 510, 256), (400, 256), false, false);
        // If limits are the same, it does not matter what the run used before it was stopped.
        check(Some(Memory), (1004, 1010, 256), (1000, 256), true, true);
        for stop in [Output, Deadlock, Dismissed] {
            check(Some(stop), (500, 510, 10), (800, 256), true, true);
            check(Some(stop), (500, 510, 10), (400, 256), false, false);
            check(Some(stop), (500, 510, 10), (800, 9), false, false);
        }
    }

    #[test]
    fn a_run_that_the_deadline_ended_is_never_valid() {
        use StopReason::WallTime;
        let check = |stop, wall, deadline, expected| {
            let now = limits(1000, 256);
            let deadline = Some(Duration::from_millis(deadline));
            let old = Limits { deadline, ..now.clone() };
            assert_eq!(is_still_valid(&outcome(stop, 5, wall, 10), &old, &now, true), expected);
            assert_eq!(is_still_valid(&outcome(stop, 5, wall, 10), &old, &old, true), expected);
        };
        check(None, 500, 500, true);
        check(Some(WallTime), 3001, 60_000, true);
        check(Some(WallTime), 3001, 3001, false);
        check(Some(WallTime), 500, 500, false);
    }

    #[test]
    fn limits_that_a_program_can_notice_must_be_equal() {
        let old = limits(1000, 256);
        let mut outcome = outcome(None, 5, 6, 10);
        let check = |outcome: &Outcome, now: Limits, expected: bool| {
            assert_eq!(is_still_valid(outcome, &old, &now, true), expected, "{now:?}");
        };
        check(&outcome, Limits { output: Some(Bytes::mib(9)), ..old.clone() }, false);
        check(&outcome, Limits { processes: Some(65), ..old.clone() }, false);
        check(&outcome, limits(1000, 300), true);
        outcome.mechanism.memory = Meter::Rusage;
        check(&outcome, limits(1000, 300), false);
        check(&outcome, limits(900, 256), true);
        outcome.mechanism.isolation = Isolation::Plain;
        check(&outcome, limits(900, 256), false);
        check(&outcome, limits(1000, 256), true);
    }

    const STOPS: [Option<StopReason>; 5] = [
        None,
        Some(StopReason::CpuTime),
        Some(StopReason::WallTime),
        Some(StopReason::Memory),
        Some(StopReason::Output),
    ];

    proptest! {
        /// A program sleeps, works, and then asks for memory. A new run must give the verdict of the known one.
        #[test]
        fn a_valid_result_has_the_verdict_of_a_new_run(
            (cpu, sleep, peak) in (0u64..40, 0u64..120, 1u64..8),
            (old_cpu, new_cpu) in (1u64..40, 1u64..40),
            (old_memory, new_memory) in (1u64..8, 1u64..8),
        ) {
            let run = |limits: &Limits| {
                let (limit, wall) = (limits.cpu_time.unwrap(), limits.wall_time.unwrap());
                let memory = limits.memory.unwrap();
                let (cpu, sleep) = (Duration::from_millis(cpu), Duration::from_millis(sleep));
                // The program sleeps, works, and asks for memory at its end.
                let mut all = outcome(None, 0, 0, 0);
                let at_most = |stop, used: Duration, clock: Duration| Outcome {
                    stopped_by: stop, cpu_time: used, wall_time: clock, ..outcome(None, 0, 0, 0)
                };
                if sleep > wall {
                    return at_most(STOPS[2], Duration::ZERO, wall);
                }
                if cpu > limit && sleep + limit <= wall {
                    return at_most(STOPS[1], limit + Duration::from_micros(1), sleep + limit);
                }
                if sleep + cpu > wall {
                    return at_most(STOPS[2], wall.saturating_sub(sleep), wall);
                }
                (all.cpu_time, all.wall_time) = (cpu, sleep + cpu);
                all.peak_memory = Bytes::mib(peak).min(memory);
                if Bytes::mib(peak) > memory {
                    all.stopped_by = STOPS[3];
                }
                all
            };
            let (old, now) = (limits(old_cpu, old_memory), limits(new_cpu, new_memory));
            let known = run(&old);
            if is_still_valid(&known, &old, &now, true) {
                let verdict = |outcome: &Outcome| {
                    match outcome.stopped_by.or_else(|| now.exceeded(outcome)) {
                        Some(StopReason::WallTime) => Some(StopReason::CpuTime),
                        stop => stop,
                    }
                };
                prop_assert_eq!(verdict(&known), verdict(&run(&now)), "{:?}", known);
            }
        }
    }
}
