//! What the kernel holds for a program, and whether the program is charged for it.

use juror_core::joint::JointJob;

use super::*;

/// This many processes hold this kind of thing, while another program sleeps for this many milliseconds. Returns how
/// many they got.
fn run_holder(
    kind: &str,
    processes: u32,
    milliseconds: u32,
    started: impl FnOnce() + Send,
) -> (u64, Outcome) {
    let [mut first, mut second] = [(); 2].map(|()| slot());
    let mut job = JointJob {
        program: job("kernel", &[kind, &processes.to_string()]),
        partner: job("talk", &["hear", "sleep", &milliseconds.to_string(), "exit", "42"]),
        accept_exit_code: 42,
        transcript: Some(Bytes::kib(1)),
    };
    job.program.limits.processes = Some(128);
    let reply = std::thread::scope(|scope| {
        scope.spawn(started);
        first.run_joint(&mut second, &job).unwrap()
    });
    let bytes = text(&reply.partner.reply.stderr);
    (bytes.trim().parse().unwrap_or_default(), reply.program.reply.outcome)
}

/// What is charged to nobody is limited in number.
#[test]
fn uncharged_kernel_objects_are_limited() {
    let check = |kind: &str, most: u64| {
        let (count, outcome) = run_holder(kind, 8, 0, || {});
        assert!(count <= most, "{kind}: {count}");
        assert_eq!(summary(&outcome), "exit 0", "{kind}: {outcome:?}");
    };
    check("locks", 20_000);
    check("names", 0);
}

/// Who holds memory, and by what, does not matter.
#[test]
fn memory_counts_wherever_it_is() {
    if !has_group_meters() {
        return skip("no control group to count memory");
    }
    let mut slot = slot();
    let mut check = |place: &str, mebibytes: u64, expected: &str| {
        let mut job = job("hold", &[place, &mebibytes.to_string()]);
        job.limits.memory = Some(Bytes::mib(64));
        job.limits.output = Some(Bytes::mib(128));
        check(&mut slot, &job, expected, "");
    };
    // Without namespaces there are no such sockets, and this directory is on disk.
    let with_namespaces = ["sent-files", "queue", "removed-file", "links"];
    let everywhere = [
        "mapped-files",
        "shared-children",
        "copying-children",
        "another-program",
        "tables",
        "stacks",
    ];
    let there = if uses_landlock() { &[] } else { &with_namespaces[..] };
    for place in everywhere.iter().chain(there) {
        check(place, 16, "exit 0");
        check(place, 96, "stopped: Memory");
    }
}

mod quiet {
    use super::*;

    /// The table in `docs/design/sandbox.md`.
    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    #[expect(clippy::print_stdout, reason = "whoever starts it reads it")]
    fn what_each_costs() {
        // In KiB.
        let kernel = || {
            let text = fs::read_to_string("/proc/meminfo").unwrap();
            let lines = text.lines().filter(|line| {
                ["Slab:", "KernelStack:", "PageTables:", "Percpu:"]
                    .iter()
                    .any(|it| line.starts_with(it))
            });
            lines
                .filter_map(|line| line.split_whitespace().nth(1)?.parse::<i64>().ok())
                .sum::<i64>()
        };
        let free = || {
            let text = fs::read_to_string("/proc/meminfo").unwrap();
            let line = text.lines().find(|line| line.starts_with("MemAvailable:")).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<i64>().unwrap()
        };
        let kinds = "locks events clocks timers signals watches pipes sockets names mappings page-tables filters \
                 directories missing-names links attributes polls";
        for kind in kinds.split_whitespace() {
            let (before, had) = (kernel(), free());
            let mut most = (0, 0);
            let (count, outcome) = run_holder(kind, 56, 2500, || {
                for _ in 0..40 {
                    std::thread::sleep(Duration::from_millis(100));
                    most = (most.0.max(kernel() - before), most.1.max(had - free()));
                }
            });
            println!(
                "| {kind} | {count} | {} MiB | {} MiB | {} | {} |",
                most.0 >> 10,
                most.1 >> 10,
                outcome.peak_memory,
                summary(&outcome)
            );
        }
    }
}
