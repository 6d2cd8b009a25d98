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
use crate::sandbox::linux::view::mounts::c_path;

pub(crate) struct Group2 {
    parent: OwnedFd,
    name: CString,
    run: Option<Run2>,
}

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
        let name = c_path(Path::new(name))?;
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

    fn cpu_since(&self, baseline: &Baseline) -> Result<Option<u64>, Fault> {
        let Some(run) = &self.run else { return Ok(None) };
        // The first line of `cpu.stat` is `usage_usec N`.
        Ok(Some(read_number(&run.cpu)?.saturating_sub(baseline.cpu) * 1000))
    }

    /// The file exists since Linux 5.19.
    fn peak(&self) -> Result<Option<u64>, Fault> {
        let Some(run) = &self.run else { return Ok(None) };
        match read_text(&run.directory, "memory.peak") {
            Err(fault) if fault.errno == Some(libc::ENOENT) => Ok(None),
            text => Ok(Some(first_number(text?.as_bytes()))),
        }
    }

    fn finish(&mut self, baseline: &Baseline, peak: Peak) -> Result<Used, Fault> {
        let last = self.peak()?;
        let nothing = || Fault::new("measure the run", "it has no control group");
        let run = self.run.as_ref().ok_or_else(nothing)?;
        let file = |name: &str| read_text(&run.directory, name);
        let mut cached = 0;
        if read_number(&run.memory)? > CACHE_MATTERS {
            cached = cached_files(&file("memory.stat")?, "file");
        }
        let events = file("memory.events")?;
        let killed = field(&events, "oom_kill");
        let used = Used {
            // Hits of the group's own limit are counted separately from kills.
            within_limit: killed > 0 && field(&events, "oom") == 0,
            memory: last.map(|last| at_least_a_portion(peak.with(last), baseline.memory + cached)),
            killed_for_memory: killed,
            refused_processes: field(&file("pids.events")?, "max"),
        };
        self.remove();
        Ok(used)
    }

    /// The group cannot be used again. The file exists since Linux 5.14.
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
