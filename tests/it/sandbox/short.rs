//! A machine that has less memory than programs are allowed: this must not become a verdict.

use super::*;

#[test]
fn a_machine_that_is_short_of_memory_is_no_verdict() {
    if host().mechanism().memory == Meter::Rusage {
        return skip("no control group to limit memory");
    }
    let output = run_in_own_process("sandbox::short::short_of_memory", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    for line in errors.lines().filter(|line| line.starts_with("left out")) {
        skip(line.trim_start_matches("left out: "));
    }
    assert!(output.status.success(), "{errors}");
}

/// This process is in the group until this is dropped. Then the group is removed.
struct MemoryGroup {
    above: PathBuf,
    here: PathBuf,
}

impl MemoryGroup {
    /// Moves this process to a group with only this much memory.
    fn with_memory(most: Bytes) -> Option<Self> {
        let above = group_directory()?;
        let here = above.join(format!("tests-{}", process::id()));
        let home = Self { above, here: here.clone() };
        fs::create_dir(&here).ok()?;
        let most = most.0.to_string();
        let members = match fs::write(here.join("memory.limit_in_bytes"), &most) {
            Ok(()) => here,
            Err(_) => {
                fs::write(here.join("memory.max"), &most).ok()?;
                // With version 2 a group has processes or groups in it, never both.
                fs::write(here.join("cgroup.subtree_control"), "+memory +pids").ok()?;
                fs::create_dir(here.join("judge")).ok()?;
                here.join("judge")
            }
        };
        fs::write(members.join("cgroup.procs"), "0").ok()?;
        Some(home)
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = fs::write(self.above.join("cgroup.procs"), "0");
        for _ in 0..100 {
            let _ = fs::remove_dir(self.here.join("judge"));
            if fs::remove_dir(&self.here).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The directory in which this judge makes groups for memory.
fn group_directory() -> Option<PathBuf> {
    let mut slot = slot();
    let flag = StopFlag::default();
    let flags = [flag.clone()];
    std::thread::scope(|scope| {
        let run = move || slot.run(&job("hungry", &["sleep"]));
        let run = scope.spawn(move || with_stop_flags(&flags, run));
        let group = (0..1000).find_map(|_| {
            std::thread::sleep(Duration::from_millis(10));
            let mut groups = groups_of(process::id()).into_iter();
            groups.find(|group| {
                ["memory.limit_in_bytes", "memory.max"].iter().any(|name| group.join(name).exists())
            })
        });
        flag.set();
        let _ = run.join();
        Some(group?.parent()?.to_path_buf())
    })
}

/// It moves its own process.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn short_of_memory() {
    let Some(home) = MemoryGroup::with_memory(Bytes::mib(100)) else {
        return skip("this process may not move to another control group");
    };
    // Found again: this process is in another group now.
    let host = find_host().unwrap();
    let mut slot = Slot::start(&host, None).unwrap();
    let mut large = job("hungry", &["memory", "200"]);
    large.limits.memory = Some(Bytes::mib(512));
    let error = slot.run(&large).unwrap_err();
    assert_eq!(error.step, "run the program");
    assert!(error.reason.starts_with("ENOMEM: "), "{error}");
    assert_eq!(error.again, juror_core::judgement::Retry::Possible);
    // The program's own fault still gets its verdict, also in the same slot.
    large.limits.memory = Some(Bytes::mib(64));
    let outcome = run(&mut slot, &large).outcome;
    assert_eq!(summary(&outcome), "stopped: Memory", "{outcome:?}");
    let small = job("hungry", &["memory", "50"]);
    check(&mut slot, &small, "exit 0", "");
    drop(slot);
    drop(home);
}

#[test]
#[cfg(target_os = "linux")]
fn work_is_done_without_threads() {
    let output = run_in_own_process("sandbox::short::work_without_threads", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// It limits its own process.
#[test]
#[ignore = "run by another test, in a process of its own"]
#[cfg(target_os = "linux")]
fn work_without_threads() {
    use juror_core::stop::Stop;
    use juror_sandbox::executor::parallel;
    use juror_sandbox::executor::scripted::ScriptedExecutor;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let executor = ScriptedExecutor::new(4, |_| Err(Stop::Interrupted));
    let items: Vec<u32> = (0..100).collect();
    let sizes = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = sizes.split(' ').next().unwrap().parse().unwrap();
    // Less than the stack of a thread.
    let most = pages * rustix::param::page_size() as u64 + (1 << 20);
    let limit = Rlimit { current: Some(most), ..getrlimit(Resource::As) };
    setrlimit(Resource::As, limit).unwrap();
    std::thread::Builder::new().spawn(|| ()).unwrap_err();
    let doubled = parallel::map(&executor, &items, |item| Ok(item * 2));
    assert_eq!(doubled.unwrap().last(), Some(&198));
}
