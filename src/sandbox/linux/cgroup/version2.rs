//! Control groups of version 2: a new one for each run.

use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::model::limits::Limits;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::linux::cgroup::{
    Baseline, CACHE_MATTERS, CgroupFiles, Group, Peak, Used, at_least_a_portion, cached_files,
    field, first_number, get, most, put, read_number, read_text, remove_directory,
};

/// The place for one slot's groups of version 2.
pub(crate) struct Group2 {
    parent: OwnedFd,
    name: CString,
    run: Option<Run2>,
}

/// The group of one run.
struct Run2 {
    directory: OwnedFd,
    cpu: OwnedFd,
    memory: OwnedFd,
}

impl Group2 {
    pub(crate) fn create(parent: &Path, name: &str) -> Result<Self, Fault> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = rustix::fs::open(parent, flags, Mode::empty())
            .step_on("open the control group", parent.display())?;
        let name = CString::new(name).unwrap_or_default();
        Ok(Self { parent, name, run: None })
    }
}

impl Group for Group2 {
    fn prepare(&mut self, limits: &Limits) -> Result<CgroupFiles, Fault> {
        self.remove();
        let mode = Mode::from_raw_mode(0o755);
        let made = rustix::fs::mkdirat(&self.parent, &self.name, mode);
        if made == Err(rustix::io::Errno::EXIST) {
            remove_directory(&self.parent, &self.name);
            rustix::fs::mkdirat(&self.parent, &self.name, mode)
        } else {
            made
        }
        .step("make a control group")?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty())
            .step("open the control group of the run")?;
        let number = |limit: Option<u64>| limit.map_or("max".to_owned(), |n| n.to_string());
        put(&directory, "memory.max", &number(most(limits)))?;
        if limits.memory.is_some() {
            // Absent if the kernel was built without swap.
            let _ = put(&directory, "memory.swap.max", "0");
            // The first killed process may be a child that nobody waits for. Exists since Linux 4.19.
            put(&directory, "memory.oom.group", "1")?;
        }
        let processes = limits.processes.map(u64::from);
        put(&directory, "pids.max", &number(processes))?;
        let run = Run2 {
            cpu: get(&directory, "cpu.stat")?,
            memory: get(&directory, "memory.current")?,
            directory,
        };
        let cgroup_files = CgroupFiles {
            directory: run.directory.as_raw_fd(),
            members: -1,
            cpu: run.cpu.as_raw_fd(),
            memory: run.memory.as_raw_fd(),
            peak: -1,
        };
        self.run = Some(run);
        Ok(cgroup_files)
    }

    fn cpu_since(&self, baseline: &Baseline) -> Option<u64> {
        // The first line of `cpu.stat` is `usage_usec N`.
        let used = |run: &Run2| read_number(&run.cpu).saturating_sub(baseline.cpu) * 1000;
        self.run.as_ref().map(used)
    }

    /// The file exists since Linux 5.19.
    fn peak(&self) -> Option<u64> {
        let text = read_text(&self.run.as_ref()?.directory, "memory.peak")?;
        Some(first_number(text.as_bytes()))
    }

    fn finish(&mut self, baseline: &Baseline, peak: Peak) -> Used {
        let last = self.peak();
        let Some(run) = &self.run else { return Used::default() };
        let file = |name: &str| read_text(&run.directory, name);
        let left = read_number(&run.memory);
        let cached = if left > CACHE_MATTERS {
            file("memory.stat").map_or(0, |stat| cached_files(&stat, "file"))
        } else {
            0
        };
        let events = file("memory.events").unwrap_or_default();
        let killed = field(&events, "oom_kill");
        let used = Used {
            // Hits of the group's own limit are counted separately from kills.
            within_limit: killed > 0 && field(&events, "oom") == 0,
            memory: last.map(|last| at_least_a_portion(peak.with(last), baseline.memory + cached)),
            killed_for_memory: killed,
            refused_processes: file("pids.events").map_or(0, |text| field(&text, "max")),
        };
        self.remove();
        used
    }

    /// Kills all processes in the group, which cannot be used again. The file exists since Linux 5.14.
    fn kill(&self) {
        if let Some(run) = &self.run {
            let _ = put(&run.directory, "cgroup.kill", "1");
        }
    }

    fn remove(&mut self) {
        if self.run.take().is_some() {
            remove_directory(&self.parent, &self.name);
        }
    }
}
