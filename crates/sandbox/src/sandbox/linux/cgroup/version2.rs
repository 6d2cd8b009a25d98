//! Control groups of version 2: a new one for each run.

use std::cell::Cell;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::cgroup::{
    CgroupFiles, GroupUsage, LEFTOVER_MIN, MemoryPeak, MemoryRoom, SlotGroups, UsageBaseline,
    cached_files, changed_limit, first_number, kernel_limit, named_number, open_file, peak_since,
    read_number, read_text, remove_directory, write_file,
};
use juror_core::limits::Limits;

pub(crate) struct Version2Groups {
    parent: OwnedFd,
    name: CString,
    run: Option<Version2Run>,
}

struct Version2Run {
    directory: OwnedFd,
    cpu: OwnedFd,
    memory: OwnedFd,
    limit: Cell<Option<u64>>,
}

impl Version2Groups {
    pub(crate) fn create(parent: &Path, name: &str) -> Result<Self, Fault> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = rustix::fs::open(parent, flags, Mode::empty())
            .step_on("open the control group", parent.display())?;
        let name = CString::new(name).map_err(io::Error::from).step("name the control group")?;
        Ok(Self { parent, name, run: None })
    }
}

/// If less is allowed than is in use, the kernel drops what it can, and kills if that does not suffice.
const MAX: &str = "memory.max";

impl SlotGroups for Version2Groups {
    fn prepare(&mut self, limits: &Limits) -> Result<CgroupFiles, Fault> {
        self.remove();
        let mode = Mode::from_raw_mode(0o755);
        let result = rustix::fs::mkdirat(&self.parent, &self.name, mode);
        if result == Err(rustix::io::Errno::EXIST) {
            remove_directory(&self.parent, &self.name);
            rustix::fs::mkdirat(&self.parent, &self.name, mode)
        } else {
            result
        }
        .step("make a control group")?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty())
            .step("open the control group of the run")?;
        let number = |limit: Option<u64>| limit.map_or("max".to_owned(), |n| n.to_string());
        let limit = kernel_limit(limits, 0);
        write_file(&directory, MAX, &number(limit))?;
        if limits.memory.is_some() {
            // Absent if the kernel was built without swap.
            let _ = write_file(&directory, "memory.swap.max", "0");
            // The first killed process may be a child that nobody waits for. Exists since Linux 4.19.
            write_file(&directory, "memory.oom.group", "1")?;
        }
        let processes = limits.processes.map(u64::from);
        write_file(&directory, "pids.max", &number(processes))?;
        let run = Version2Run {
            cpu: open_file(&directory, "cpu.stat")?,
            memory: open_file(&directory, "memory.current")?,
            limit: Cell::new(limit),
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

    fn adapt_limit(&self, limits: &Limits, outputs: u64) -> Result<MemoryRoom, Fault> {
        let Some(run) = &self.run else { return Ok(MemoryRoom::Unlimited) };
        let (Some(wanted), Some(present)) = (kernel_limit(limits, outputs), run.limit.get()) else {
            return Ok(MemoryRoom::Unlimited);
        };
        let in_use = read_number(&run.memory)?;
        let changed = changed_limit(present, wanted);
        if let Some(limit) = changed {
            write_file(&run.directory, MAX, &limit.to_string())?;
            run.limit.set(changed);
        }
        Ok(MemoryRoom::Bytes(changed.unwrap_or(present).saturating_sub(in_use)))
    }

    fn cpu_since(&self, baseline: &UsageBaseline) -> Result<Option<u64>, Fault> {
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

    fn finish(&mut self, baseline: &UsageBaseline, peak: MemoryPeak) -> Result<GroupUsage, Fault> {
        let last = self.peak()?;
        let nothing = || Fault::new("measure the run", "it has no control group");
        let run = self.run.as_ref().ok_or_else(nothing)?;
        let file = |name: &str| read_text(&run.directory, name);
        let mut cached = 0;
        if read_number(&run.memory)? > LEFTOVER_MIN {
            let stat = file("memory.stat")?;
            // Names and properties of the files that the run came across are dropped as their pages are.
            cached = cached_files(&stat, "file") + named_number(&stat, "slab_reclaimable");
        }
        let events = file("memory.events")?;
        let killed = named_number(&events, "oom_kill");
        let used = GroupUsage {
            // Hits of the group's own limit are counted separately from kills.
            was_within_limit: killed > 0 && named_number(&events, "oom") == 0,
            memory: last.map(|last| peak_since(peak.final_peak(last), baseline.memory + cached)),
            killed_for_memory: killed,
            kernel_limit: run.limit.get(),
            has_dropped_caches: killed == 0 && named_number(&events, "max") > 0,
            refused_processes: named_number(&file("pids.events")?, "max"),
        };
        self.remove();
        Ok(used)
    }

    /// The group cannot be used again. The file exists since Linux 5.14.
    fn kill(&self) {
        if let Some(run) = &self.run {
            let _ = write_file(&run.directory, "cgroup.kill", "1");
        }
    }

    fn remove(&mut self) {
        if self.run.take().is_some() {
            remove_directory(&self.parent, &self.name);
        }
    }
}
