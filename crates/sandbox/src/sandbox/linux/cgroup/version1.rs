//! Control groups of version 1: a slot has one of each controller, and keeps it from run to run. The memory group is
//! replaced if runs left much in it that the kernel frees only on demand: the next run could use that beyond its
//! limit. If it were freed instead, files would be read from disk again.

use std::cell::Cell;
use std::ffi::CString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::event::EventfdFlags;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::process::{Pid, PidfdFlags};

use crate::sandbox::fault::{Fault, FaultContext};

use crate::sandbox::linux::cgroup::{
    CgroupFiles, ControllerDirectories, GroupUsage, KERNEL_VARIATION, LEFTOVER_MIN, MemoryPeak,
    MemoryRoom, OomPolicy, SlotGroups, UsageBaseline, cached_files, changed_limit, kernel_limit,
    named_number, open_file, peak_since, read_all, read_number, read_text, remove_directory, stale,
    write_file, write_number,
};
use crate::sandbox::linux::sys;
use juror_core::limits::Limits;

/// Memory that runs may leave in a group, in bytes.
const LEFTOVER_MAX: u64 = 8 << 20;

/// The slot itself kills at most this many processes.
const KILLS_MAX: usize = 32;

pub(crate) struct Version1Groups {
    memory: Option<Version1Memory>,
    cpu: Option<OwnedFd>,
    processes: Option<Version1Processes>,
    /// The memory group, if there is one, is the first.
    directories: Vec<GroupDirectory>,
    oom_policy: OomPolicy,
}

struct Version1Memory {
    /// `None` if the slot is a member.
    members: Option<OwnedFd>,
    usage: OwnedFd,
    peak: OwnedFd,
    limit: OwnedFd,
    /// Limit of memory and swap together; `None` if swap is not counted.
    limit_with_swap: Option<OwnedFd>,
    control: OwnedFd,
    /// Becomes readable if the group is short of memory; `None` if the kernel does not notify.
    alarm: Option<OwnedFd>,
    stat: OwnedFd,
    /// The kernel's own memory for the group; `None` if it is not counted.
    kernel_usage: Option<OwnedFd>,
    /// How often the limit was hit.
    failures: OwnedFd,
    /// How often the limit of memory and swap together was hit.
    failures_with_swap: Option<OwnedFd>,
    last_limit: Cell<Option<u64>>,
    /// Unlike the last limit, it stays when the slot gets room.
    limit_of_run: Cell<Option<u64>>,
    /// At the start of the run.
    first_limit: Option<u64>,
    /// Memory in use when the run's limit was set.
    used_before: u64,
    /// The number of hits of both limits up to now.
    last_failures: u64,
    killed: u64,
    /// The number of failures at the last killed run.
    last_failures_with_swap: u64,
    /// What earlier runs left of files and directories that they read.
    cached: u64,
    last_usage: u64,
    idle_usage: u64,
    /// Memory in use before the first run.
    initial_usage: Option<u64>,
}

struct Version1Processes {
    limit: OwnedFd,
    events: OwnedFd,
    last_limit: Option<u64>,
    refused: u64,
}

/// Where a group is, so that the slot can leave and remove it.
struct GroupDirectory {
    parent: OwnedFd,
    name: CString,
    /// The name of the previous or the next group.
    other_name: CString,
    /// The parent's list of members, to move back to.
    members: File,
}

impl Version1Groups {
    pub(crate) fn create(
        controllers: &ControllerDirectories,
        name: &str,
        oom_policy: OomPolicy,
    ) -> Result<Self, Fault> {
        let mut group =
            Self { memory: None, cpu: None, processes: None, directories: Vec::new(), oom_policy };
        let joined = group.join_all(controllers, name);
        if joined.is_err() {
            group.remove();
        }
        joined.map(|()| group)
    }

    fn join_all(&mut self, controllers: &ControllerDirectories, name: &str) -> Result<(), Fault> {
        if let Some(parent) = &controllers.memory {
            let directory = self.make(parent, name)?;
            self.memory = Some(Version1Memory::join(&directory, self.oom_policy)?);
        }
        if let Some(parent) = &controllers.cpuacct {
            let directory = self.join(parent, name)?;
            self.cpu = Some(open_file(&directory, "cpuacct.usage")?);
        }
        if let Some(parent) = &controllers.pids {
            let directory = self.join(parent, name)?;
            self.processes = Some(Version1Processes {
                limit: open_file(&directory, "pids.max")?,
                events: open_file(&directory, "pids.events")?,
                last_limit: None,
                refused: 0,
            });
        }
        Ok(())
    }

    /// Makes the group below `parent`, and moves this process into it. It writes to `tasks`: to move one thread,
    /// unlike a process, need not wait for all others of the machine.
    fn join(&mut self, parent: &Path, name: &str) -> Result<OwnedFd, Fault> {
        let directory = self.make(parent, name)?;
        write_file(&directory, "tasks", "0")?;
        Ok(directory)
    }

    fn make(&mut self, parent: &Path, own_name: &str) -> Result<OwnedFd, Fault> {
        let shown = parent.display();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent_fd = rustix::fs::open(parent, flags, Mode::empty())
            .step_on("open the control group", &shown)?;
        let members = File::options().write(true).open(parent.join("tasks"));
        let name =
            |name: &str| CString::new(name).map_err(io::Error::from).step("name the control group");
        let home = GroupDirectory {
            parent: parent_fd,
            name: name(own_name)?,
            other_name: name(&stale::alternate_name(own_name))?,
            members: members.step_on("open the members of the control group", &shown)?,
        };
        let result = home.make();
        self.directories.push(home);
        result.step_on("make a control group in", &shown)
    }
}

impl SlotGroups for Version1Groups {
    fn wait_until_freed(&mut self) -> Result<(), Fault> {
        self.memory.iter_mut().try_for_each(Version1Memory::wait_until_freed)
    }

    fn has_leftovers(&mut self) -> bool {
        self.memory.as_mut().is_some_and(Version1Memory::has_leftovers)
    }

    fn measure(&mut self) -> Result<(), Fault> {
        self.memory.iter_mut().try_for_each(Version1Memory::measure)
    }

    fn make_room(&mut self, more: u64) -> Result<(), Fault> {
        self.memory.iter_mut().try_for_each(|memory| memory.make_room(more))
    }

    fn memory_alarm(&self) -> Option<&OwnedFd> {
        self.memory.as_ref()?.alarm.as_ref()
    }

    fn has_killed(&self) -> Result<bool, Fault> {
        self.memory.as_ref().map_or(Ok(false), Version1Memory::has_killed)
    }

    fn drop_leftovers(&mut self) -> Result<(), Fault> {
        let Some(home) = self.directories.first_mut().filter(|_| self.memory.is_some()) else {
            return Ok(());
        };
        std::mem::swap(&mut home.name, &mut home.other_name);
        let directory = home.make().step("make another control group for memory")?;
        let memory = self.memory.insert(Version1Memory::join(&directory, self.oom_policy)?);
        // Sets `own`, which must be measured before the first run.
        memory.has_leftovers();
        remove_directory(&home.parent, &home.other_name);
        Ok(())
    }

    fn prepare(&mut self, limits: &Limits) -> Result<CgroupFiles, Fault> {
        if let Some(memory) = &mut self.memory {
            memory.set_limit(kernel_limit(limits, 0))?;
            memory.first_limit = memory.last_limit.get();
            memory.limit_of_run.set(memory.first_limit);
        }
        if let Some(processes) = &mut self.processes {
            processes.set_limit(limits.processes)?;
        }
        let raw = |fd: Option<&OwnedFd>| fd.map_or(-1, AsRawFd::as_raw_fd);
        Ok(CgroupFiles {
            directory: -1,
            members: raw(self.memory.as_ref().and_then(|memory| memory.members.as_ref())),
            cpu: raw(self.cpu.as_ref()),
            memory: raw(self.memory.as_ref().map(|memory| &memory.usage)),
            peak: raw(self.memory.as_ref().map(|memory| &memory.peak)),
        })
    }

    fn adapt_limit(&self, limits: &Limits, outputs: u64) -> Result<MemoryRoom, Fault> {
        let adapt = |memory: &Version1Memory| memory.adapt_limit(limits, outputs);
        self.memory.as_ref().map_or(Ok(MemoryRoom::Unlimited), adapt)
    }

    fn cpu_since(&self, baseline: &UsageBaseline) -> Result<Option<u64>, Fault> {
        let Some(cpu) = &self.cpu else { return Ok(None) };
        // The kernel updates the counter when it is read; the slot's CPU time after that is not in it.
        let own = sys::clock(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(baseline.slot_cpu);
        let used = read_number(cpu)?.saturating_sub(baseline.cpu);
        Ok(Some(used.saturating_sub(own)))
    }

    fn peak(&self) -> Result<Option<u64>, Fault> {
        self.memory.as_ref().map(|memory| read_number(&memory.peak)).transpose()
    }

    fn finish(&mut self, baseline: &UsageBaseline, peak: MemoryPeak) -> Result<GroupUsage, Fault> {
        let mut used = GroupUsage::default();
        if let Some(memory) = &mut self.memory {
            memory.finish(baseline, peak, &mut used)?;
        }
        if let Some(processes) = &mut self.processes {
            let refused = named_number(&read_all(&processes.events)?, "max");
            used.refused_processes = refused.saturating_sub(processes.refused);
            processes.refused = refused;
        }
        Ok(used)
    }

    fn kill(&self) {
        let Some(home) = self.directories.first().filter(|_| self.memory.is_some()) else { return };
        let own = rustix::process::getpid();
        let listed = home.list_members();
        // Threads cannot be opened.
        let opened: Vec<_> = parse_members(&listed)
            .filter(|member| *member != own)
            .take(KILLS_MAX)
            .filter_map(|member| {
                let opened = rustix::process::pidfd_open(member, PidfdFlags::empty());
                opened.ok().map(|opened| (member, opened))
            })
            .collect();
        // If a process ended before it was opened, its number may belong to another one. If the number is still a
        // member, it does not.
        let listed = home.list_members();
        for (member, opened) in opened {
            if parse_members(&listed).any(|other| other == member) {
                let _ = sys::pidfd_kill(opened.as_fd(), libc::SIGKILL);
            }
        }
    }

    fn remove(&mut self) {
        for home in self.directories.drain(..) {
            let _ = (&home.members).write_all(b"0");
            for name in [&home.name, &home.other_name] {
                remove_directory(&home.parent, name);
            }
        }
    }
}

impl GroupDirectory {
    /// The processes and threads in the group. Opens the list anew: further reads of an open file give an older list
    /// for a second.
    fn list_members(&self) -> String {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty());
        let listed = directory.ok().and_then(|group| read_text(&group, "tasks").ok());
        listed.unwrap_or_default()
    }

    fn make(&self) -> rustix::io::Result<OwnedFd> {
        let mode = Mode::from_raw_mode(0o755);
        let result = rustix::fs::mkdirat(&self.parent, &self.name, mode);
        if result == Err(rustix::io::Errno::EXIST) {
            // A killed process with our number left it. It is empty, or removing it fails.
            rustix::fs::unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR)?;
            rustix::fs::mkdirat(&self.parent, &self.name, mode)?;
        } else {
            result?;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat(&self.parent, &self.name, flags, Mode::empty())
    }
}

fn parse_members(list: &str) -> impl Iterator<Item = Pid> {
    let numbers = list.lines().filter_map(|line| line.parse().ok());
    numbers.filter_map(Pid::from_raw)
}

/// The kernel notifies if the group is short of memory.
///
/// Source: the kernel's `cgroup-v1/memory.rst`, "OOM Control".
fn open_memory_alarm(directory: &OwnedFd, control: &OwnedFd) -> Option<OwnedFd> {
    let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
    let alarm = rustix::event::eventfd(0, flags).ok()?;
    let line = format!("{} {}", alarm.as_raw_fd(), control.as_raw_fd());
    write_file(directory, "cgroup.event_control", &line).ok()?;
    Some(alarm)
}

/// The pages of files on disk, and the kernel's memory: when a run has ended, names and properties of the files that it
/// came across are nearly all of that. The kernel drops both if a program needs the space.
fn read_cached(stat: &OwnedFd, kernel_usage: Option<&OwnedFd>) -> Result<u64, Fault> {
    let kernel = kernel_usage.map_or(Ok(0), read_number)?;
    Ok(cached_files(&read_all(stat)?, "cache") + kernel)
}

impl Version1Memory {
    /// Opens a new group. Moves this process there if it is spared when memory is short.
    fn join(directory: &OwnedFd, oom_policy: OomPolicy) -> Result<Self, Fault> {
        let mut members = None;
        match oom_policy {
            OomPolicy::SpareSlot => write_file(directory, "tasks", "0")?,
            OomPolicy::MayKillSlot => members = Some(open_file(directory, "tasks")?),
        }
        let usage = open_file(directory, "memory.usage_in_bytes")?;
        let stat = open_file(directory, "memory.stat")?;
        let kernel_usage = open_file(directory, "memory.kmem.usage_in_bytes").ok();
        let control = open_file(directory, "memory.oom_control")?;
        Ok(Self {
            members,
            peak: open_file(directory, "memory.max_usage_in_bytes")?,
            limit: open_file(directory, "memory.limit_in_bytes")?,
            limit_with_swap: open_file(directory, "memory.memsw.limit_in_bytes").ok(),
            failures: open_file(directory, "memory.failcnt")?,
            failures_with_swap: open_file(directory, "memory.memsw.failcnt").ok(),
            last_failures: 0,
            last_failures_with_swap: 0,
            killed: named_number(&read_all(&control)?, "oom_kill"),
            alarm: open_memory_alarm(directory, &control),
            cached: read_cached(&stat, kernel_usage.as_ref())?,
            last_usage: read_number(&usage)?,
            idle_usage: read_number(&usage)?,
            initial_usage: None,
            last_limit: Cell::new(None),
            limit_of_run: Cell::new(None),
            first_limit: None,
            used_before: 0,
            usage,
            stat,
            kernel_usage,
            control,
        })
    }

    fn measure(&mut self) -> Result<(), Fault> {
        self.last_usage = read_number(&self.usage)?;
        Ok(())
    }

    /// Runs left much in it. Call it before each run.
    fn has_leftovers(&mut self) -> bool {
        self.last_usage > *self.initial_usage.get_or_insert(self.last_usage) + LEFTOVER_MAX
    }

    fn has_killed(&self) -> Result<bool, Fault> {
        Ok(named_number(&read_all(&self.control)?, "oom_kill") > self.killed)
    }

    /// Waits for a short time until the memory of the last run is really freed: the kernel frees some things later
    /// than the process that used them.
    fn wait_until_freed(&mut self) -> Result<(), Fault> {
        const MOSTLY: u64 = 4 << 20;
        for _ in 0..50 {
            self.measure()?;
            let usage = self.last_usage;
            if usage.abs_diff(self.idle_usage) <= LEFTOVER_MIN {
                return Ok(());
            }
            // The amount of file pages varies: new ones are read, and the kernel drops some if it needs space.
            let cached = read_cached(&self.stat, self.kernel_usage.as_ref())?;
            self.idle_usage = (self.idle_usage + cached).saturating_sub(self.cached);
            self.cached = cached;
            if usage <= self.idle_usage + MOSTLY {
                self.idle_usage = usage;
                return Ok(());
            }
            sleep(Duration::from_millis(1));
        }
        self.measure()?;
        self.idle_usage = self.last_usage;
        Ok(())
    }

    /// Lifts the limit if it could prevent the use of `more` bytes.
    fn make_room(&mut self, more: u64) -> Result<(), Fault> {
        let needed = self.last_usage.saturating_add(more);
        match self.last_limit.get() {
            Some(limit) if needed > limit => self.set_limit(None),
            _ => Ok(()),
        }
    }

    fn set_limit(&mut self, limit: Option<u64>) -> Result<(), Fault> {
        self.used_before = read_number(&self.usage)?;
        let limit = limit.map(|limit| limit.saturating_add(self.used_before));
        if can_keep_limit(limit, self.last_limit.get()) {
            return Ok(());
        }
        self.write_limit(limit.map(|limit| limit.saturating_add(KERNEL_VARIATION)))
    }

    fn adapt_limit(&self, limits: &Limits, outputs: u64) -> Result<MemoryRoom, Fault> {
        let (Some(most), Some(present)) = (kernel_limit(limits, outputs), self.last_limit.get())
        else {
            return Ok(MemoryRoom::Unlimited);
        };
        let in_use = read_number(&self.usage)?;
        let wanted = self.used_before.saturating_add(most).saturating_add(KERNEL_VARIATION);
        let changed = changed_limit(present, wanted);
        match changed.map_or(Ok(()), |limit| self.write_limit(Some(limit))) {
            // So much cannot be dropped that it suffices.
            Err(Fault { errno: Some(libc::EBUSY), .. }) => Ok(MemoryRoom::Exceeded),
            done => {
                let limit = changed.unwrap_or(present);
                self.limit_of_run.set(Some(limit));
                done.map(|()| MemoryRoom::Bytes(limit.saturating_sub(in_use)))
            }
        }
    }

    fn write_limit(&self, limit: Option<u64>) -> Result<(), Fault> {
        self.last_limit.set(None);
        let number = limit.map_or("-1".to_owned(), |limit| limit.to_string());
        // The memory limit may never exceed the limit of memory with swap, not even for a moment.
        if let Some(both) = &self.limit_with_swap {
            write_number(both, "-1", "memory.memsw.limit_in_bytes")?;
        }
        write_number(&self.limit, &number, "memory.limit_in_bytes")?;
        if let Some(both) = &self.limit_with_swap {
            write_number(both, &number, "memory.memsw.limit_in_bytes")?;
        }
        self.last_limit.set(limit);
        Ok(())
    }

    /// The limit was hit in this run.
    fn was_hit(&mut self, peak: u64) -> Result<bool, Fault> {
        if self.first_limit.is_none_or(|limit| peak.saturating_add(LEFTOVER_MIN) < limit) {
            return Ok(false);
        }
        let with_swap = self.failures_with_swap.as_ref().map_or(Ok(0), read_number)?;
        let failures = read_number(&self.failures)?.saturating_add(with_swap);
        Ok(std::mem::replace(&mut self.last_failures, failures) != failures)
    }

    /// A run that was killed with this peak had not reached its own limit.
    fn is_within_limit(&mut self, peak: u64) -> Result<bool, Fault> {
        let failed = self.failures_with_swap.as_ref().map_or(Ok(0), read_number)?;
        let is_in_the_way = std::mem::replace(&mut self.last_failures_with_swap, failed) != failed;
        let is_near = |limit: u64| peak.saturating_add(LEFTOVER_MIN) >= limit;
        Ok(!is_in_the_way && !self.limit_of_run.get().is_some_and(is_near))
    }

    fn finish(
        &mut self,
        baseline: &UsageBaseline,
        file_peak: MemoryPeak,
        usage: &mut GroupUsage,
    ) -> Result<(), Fault> {
        let peak = read_number(&self.peak)?;
        let mut gained = 0;
        if self.last_usage > self.idle_usage + LEFTOVER_MIN {
            let cached = read_cached(&self.stat, self.kernel_usage.as_ref())?;
            gained = cached.saturating_sub(self.cached);
            self.idle_usage += gained;
            self.cached = cached;
        }
        usage.memory = Some(peak_since(file_peak.final_peak(peak), baseline.memory + gained));
        let killed = named_number(&read_all(&self.control)?, "oom_kill");
        usage.killed_for_memory = killed.saturating_sub(self.killed);
        self.killed = killed;
        usage.has_dropped_caches = self.was_hit(peak)? && usage.killed_for_memory == 0;
        usage.kernel_limit = self.limit_of_run.get().map(|it| it.saturating_sub(self.used_before));
        usage.was_within_limit = usage.killed_for_memory > 0 && self.is_within_limit(peak)?;
        if let (Some(alarm), 1..) = (&self.alarm, usage.killed_for_memory) {
            // It must not become readable in the next run.
            let _ = rustix::io::read(alarm, &mut [0; 8]);
        }
        Ok(())
    }
}

fn can_keep_limit(limit: Option<u64>, present: Option<u64>) -> bool {
    match (limit, present) {
        (Some(limit), Some(present)) => (limit..=limit + 2 * KERNEL_VARIATION).contains(&present),
        (limit, present) => limit == present,
    }
}

impl Version1Processes {
    fn set_limit(&mut self, limit: Option<u32>) -> Result<(), Fault> {
        // The slot and PID 1 are in the group, too.
        let limit = limit.map(|limit| u64::from(limit) + 2);
        if limit.is_some() && limit == self.last_limit {
            return Ok(());
        }
        let number = limit.map_or("max".to_owned(), |limit| limit.to_string());
        write_number(&self.limit, &number, "pids.max")?;
        self.last_limit = limit;
        Ok(())
    }
}
