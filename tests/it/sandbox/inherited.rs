//! Limits of the judge itself: its programs are not affected by them, or the judge reports the limit.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;

/// Names the case that [`limited`] tries.
const CASE: &str = "JUROR_TEST_LIMIT";

/// A limit of the judge, and a program that it must not end.
struct LimitCase {
    name: &'static str,
    resource: Resource,
    /// As `setrlimit` counts it.
    limit: u64,
    arguments: &'static [&'static str],
    expected: &'static str,
    set: fn(&mut Job),
}

const CASES: &[LimitCase] = &[
    LimitCase {
        name: "address space",
        resource: Resource::As,
        limit: 600 << 20,
        arguments: &["hungry", "memory", "700"],
        expected: "exit 0",
        set: |job| job.limits.memory = Some(Bytes::mib(1024)),
    },
    LimitCase {
        name: "data",
        resource: Resource::Data,
        limit: 300 << 20,
        arguments: &["hungry", "memory", "400"],
        expected: "exit 0",
        set: |job| job.limits.memory = Some(Bytes::mib(1024)),
    },
    LimitCase {
        name: "stack",
        resource: Resource::Stack,
        limit: 8 << 20,
        arguments: &["endings", "descend", "16"],
        expected: "exit 0",
        set: |_| {},
    },
    LimitCase {
        name: "CPU time",
        resource: Resource::Cpu,
        limit: 2,
        arguments: &["hungry", "cpu", "2500"],
        expected: "exit 0",
        set: |_| {},
    },
    LimitCase {
        name: "size of a file",
        resource: Resource::Fsize,
        limit: 64 << 10,
        arguments: &["trap", "deep"],
        expected: "exit 0",
        set: |_| {},
    },
    LimitCase {
        name: "open files",
        resource: Resource::Nofile,
        limit: 200,
        arguments: &["endings", "open", "700"],
        expected: "exit 0",
        set: |_| {},
    },
    #[cfg(target_os = "linux")]
    LimitCase {
        name: "timers",
        resource: Resource::Sigpending,
        limit: 200,
        arguments: &["endings", "timers", "30"],
        expected: "exit 0",
        set: |_| {},
    },
];

#[test]
fn a_limit_of_the_judge_ends_no_program() {
    // A judge that a limit ends during its work may leave something there.
    let directory = tempfile::tempdir().unwrap();
    for case in CASES {
        let output = run_in_own_process("sandbox::inherited::limited", |command| {
            command.env(CASE, case.name).env("TMPDIR", directory.path());
        });
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", case.name);
    }
}

/// Limits of time and memory are not part of what makes a known result valid, so no program may see them.
#[test]
#[cfg(target_os = "linux")]
fn a_program_sees_the_same_limits_whatever_its_time_and_memory() {
    let mut slot = Slot::start(host(), None).unwrap();
    let has_groups = host().mechanism().memory != Meter::Rusage;
    let mut limits_inside = |seconds: u64, memory: u64| {
        let mut job = job("nothing", &[]);
        let shell = ["/bin/sh", "-c", "cat /proc/self/limits; ulimit -a; ulimit -H -a"];
        job.command.argv = shell.map(str::to_owned).to_vec();
        job.limits.cpu_time = Some(Duration::from_secs(seconds));
        job.limits.wall_time = Some(Duration::from_secs(600 + seconds));
        job.limits.memory = Some(Bytes::mib(memory));
        let reply = run(&mut slot, &job);
        String::from_utf8(bytes(&reply.stdout)).unwrap()
    };
    let first = limits_inside(600, 128);
    assert!(first.contains("Max cpu time"), "{first}");
    for (seconds, memory) in [(300, 128), (2, 128), (1, 128), (3600, 128), (100_000, 128)] {
        assert_eq!(limits_inside(seconds, memory), first, "{seconds} s");
    }
    if has_groups {
        assert_eq!(limits_inside(2, 64), first);
        assert_eq!(limits_inside(600, 1024), first);
    }
}

/// It limits its own process.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn limited() {
    let name = std::env::var(CASE).unwrap_or_default();
    let case = CASES.iter().find(|case| case.name == name).unwrap();
    let most = Some(case.limit);
    let limit = Rlimit { current: most, maximum: most };
    assert_ne!(getrlimit(case.resource).maximum, most);
    setrlimit(case.resource, limit).unwrap();
    let mut job = job(case.arguments[0], &case.arguments[1..]);
    (case.set)(&mut job);
    let reply =
        find_host().and_then(|host| Slot::start(&host, None)).and_then(|mut slot| slot.run(&job));
    match reply {
        Ok(reply) => assert_eq!(summary(&reply.outcome), case.expected, "{:?}", reply.outcome),
        // Only some users may raise a limit. Others get a message with the command that raises it.
        Err(error) => {
            let error = error.to_string();
            assert!(error.contains("juror itself"), "{error}");
            assert!(error.contains("prlimit --pid $$ --"), "{error}");
        }
    }
}
