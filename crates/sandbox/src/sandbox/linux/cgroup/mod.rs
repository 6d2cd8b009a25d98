//! Control groups: they measure CPU time and memory, and enforce limits. Versions 1 and 2 behind one trait.
//!
//! Version 1: the slot's process joins one group of each controller for good, and its children are born there. The
//! counters are reset or read before and after each run. The slot's own CPU time is subtracted. If the slot cannot be
//! protected from the out-of-memory killer, it stays out of the memory group, and PID 2 moves there. Version 2: every
//! run has a new group, into which PID 2 is born (`CLONE_INTO_CGROUP`; moving a process costs milliseconds). A group
//! is never reused after `cgroup.kill`, which would kill its next members at birth.
//!
//! File pages that the machine had not read before are charged to the first process that touches them. They say
//! nothing about a program, and would be missing in its next run. So they are subtracted from the peak.
//!
//! The files with a program's outputs are also charged to its group, though they are no memory of the program. Neither
//! version knows the parts of a peak. So the verdict is the kernel's refusal: it allows the limit, what the outputs hold
//! at the last look, and a bit more ([`kernel_limit`]). It kills if clean file pages and names that it can drop do not
//! suffice. The figure that is shown may be too small ([`MemoryPeak`]): it decides only below the kernel's limit.
//!
//! Version 1 could stop a program at the limit and ask (`memory.oom_control`). But then `write` fails at the limit
//! instead of waiting. A threshold's notification takes milliseconds to set, and version 2's `memory.high` notifies of
//! memory that can be dropped, too. So the slot looks as often as memory can have grown up to the limit.

pub(super) mod stale;
mod version1;
mod version2;

use std::ffi::CStr;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags};

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::cgroup::version1::Version1Groups;
use crate::sandbox::linux::cgroup::version2::Version2Groups;
use crate::sandbox::linux::sys::{self, Errno};
use juror_core::limits::Limits;
use juror_core::outcome::Meter;

/// Memory beyond the limit that a run may hold before the kernel intervenes. The sandbox's own needs, such as the
/// box's mount and two kernel stacks, are charged to the run, too.
pub(super) const SLACK: u64 = 512 << 10;

/// The amount by which outputs may grow between two looks, in bytes.
pub(super) const OUTPUT_WINDOW: u64 = 8 << 20;

/// The kernel's own memory for a run varies by at most this many bytes, in either direction.
const KERNEL_VARIATION: u64 = 128 << 10;

/// The memory at which the kernel intervenes, beyond the memory in use before the run, in bytes. `outputs` is what the
/// outputs hold.
fn kernel_limit(limits: &Limits, outputs: u64) -> Option<u64> {
    let most = limits.file_size().unwrap_or(0);
    let allowed = SLACK + outputs.min(most) + OUTPUT_WINDOW.min(most);
    limits.memory.map(|limit| limit.0.saturating_add(allowed))
}

/// The limit to set in place of the present one, if they differ by more than small changes of the outputs.
fn changed_limit(present: u64, wanted: u64) -> Option<u64> {
    let is_too_high = present > wanted.saturating_add(2 * KERNEL_VARIATION);
    let is_too_low = wanted > present.saturating_add(OUTPUT_WINDOW / 4);
    (is_too_high || is_too_low).then_some(wanted)
}

/// What a run may still allocate before the kernel intervenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryRoom {
    Unlimited,
    Bytes(u64),
    /// It holds more than the kernel's limit for the outputs that there are now.
    Exceeded,
}

/// The most memory that a run used, without the files with its outputs.
///
/// The kernel only has the peak of both together. While the files have at most some size, the run must have used at
/// least the peak up to now minus that size. The largest of these differences is the figure. It is too small by at
/// most what was written between the real peak and the next reading.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemoryPeak {
    program: u64,
    outputs: u64,
}

impl MemoryPeak {
    /// Notes a reading: the peak up to now, then the size of the files, in bytes.
    pub(super) fn record(&mut self, peak: u64, files: u64) {
        self.outputs = self.outputs.max(files);
        self.program = self.program.max(peak.saturating_sub(self.outputs));
    }

    /// The figure after a last reading, in bytes.
    fn final_peak(mut self, peak: u64) -> u64 {
        self.record(peak, 0);
        self.program
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// A directory of version 2, which has the controllers `memory` and `pids`.
    V2(PathBuf),
    V1(ControllerDirectories),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ControllerDirectories {
    pub(super) memory: Option<PathBuf>,
    pub(super) cpuacct: Option<PathBuf>,
    pub(super) pids: Option<PathBuf>,
}

impl Placement {
    pub(super) fn cpu_meter(&self) -> Meter {
        self.meter(|controllers| &controllers.cpuacct)
    }

    pub(super) fn memory_meter(&self) -> Meter {
        self.meter(|controllers| &controllers.memory)
    }

    fn meter(&self, controller: fn(&ControllerDirectories) -> &Option<PathBuf>) -> Meter {
        match self {
            Self::V2(_) => Meter::Cgroup2,
            Self::V1(controllers) if controller(controllers).is_some() => Meter::Cgroup1,
            Self::V1(_) => Meter::Rusage,
        }
    }

    pub(super) fn limits_processes(&self) -> bool {
        match self {
            Self::V2(_) => true,
            Self::V1(controllers) => controllers.pids.is_some(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OomPolicy {
    SpareSlot,
    /// It may be killed if it is larger than the program.
    MayKillSlot,
}

/// The group's files for the processes of a run; -1 if there is no such file.
#[derive(Clone, Copy, Debug)]
pub(super) struct CgroupFiles {
    /// PID 2 is born into this group.
    pub(super) directory: RawFd,
    /// The list of members of a group that PID 2 must move to.
    pub(super) members: RawFd,
    /// The first number in the file is the CPU time used.
    pub(super) cpu: RawFd,
    /// The first number in the file is the memory in use, in bytes.
    pub(super) memory: RawFd,
    /// To write zero resets the memory peak.
    pub(super) peak: RawFd,
}

impl CgroupFiles {
    pub(super) const NONE: Self =
        Self { directory: -1, members: -1, cpu: -1, memory: -1, peak: -1 };
}

/// The counters just before the program started.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UsageBaseline {
    /// In the unit of the file [`CgroupFiles::cpu`].
    pub(super) cpu: u64,
    /// In bytes.
    pub(super) memory: u64,
    /// The slot's own, in nanoseconds.
    pub(super) slot_cpu: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GroupUsage {
    /// In bytes; `None` if no group counts it.
    pub(super) memory: Option<u64>,
    pub(super) killed_for_memory: u64,
    /// The kernel's limit when the run ended, beyond the memory in use before it, in bytes.
    pub(super) kernel_limit: Option<u64>,
    /// The kernel dropped file pages or names at its limit, and had not to kill. So the peak has these, too.
    pub(super) has_dropped_caches: bool,
    /// They were killed although the group was within its own limit: the machine, or a group above, is short of
    /// memory.
    pub(super) was_within_limit: bool,
    pub(super) refused_processes: u64,
}

/// The groups of one slot. The default methods are for no groups: they neither count nor limit.
pub(super) trait SlotGroups {
    /// Waits until the last run is really gone.
    fn wait_until_freed(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// The last runs left more memory than the next may have beyond its limit. Call it before each run.
    fn has_leftovers(&mut self) -> bool {
        false
    }

    /// Frees the memory that the last runs left. Only the slot may be in the group.
    fn drop_leftovers(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn measure(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Lets the slot hold `more` bytes beyond the last measurement, whatever the limit of the last run was. They are
    /// charged to the slot.
    fn make_room(&mut self, _more: u64) -> Result<(), Fault> {
        Ok(())
    }

    fn prepare(&mut self, _limits: &Limits) -> Result<CgroupFiles, Fault> {
        Ok(CgroupFiles::NONE)
    }

    /// Sets the kernel's limit to what the run may use if its outputs hold this many bytes.
    fn adapt_limit(&self, _limits: &Limits, _outputs: u64) -> Result<MemoryRoom, Fault> {
        Ok(MemoryRoom::Unlimited)
    }

    /// In nanoseconds; `None` if it is not counted.
    fn cpu_since(&self, _baseline: &UsageBaseline) -> Result<Option<u64>, Fault> {
        Ok(None)
    }

    /// Becomes readable if the run is short of memory, and a process of it may be killed. `None` if the kernel kills
    /// all processes of a run together, or does not notify.
    fn memory_alarm(&self) -> Option<&OwnedFd> {
        None
    }

    fn has_killed(&self) -> Result<bool, Fault> {
        Ok(false)
    }

    /// Since the start of the run, in bytes; `None` if it is not counted. Includes the memory in use before.
    fn peak(&self) -> Result<Option<u64>, Fault> {
        Ok(None)
    }

    /// Kills as much of the run as it can at once; the group may be unusable afterwards. The end of PID 1 kills
    /// everything. But PID 1 may have to wait for a processor until all others had their turn: a few milliseconds
    /// each.
    fn kill(&self) {}

    /// Call it when the run is over. `peak` has the last size of its outputs.
    fn finish(
        &mut self,
        _baseline: &UsageBaseline,
        _peak: MemoryPeak,
    ) -> Result<GroupUsage, Fault> {
        Ok(GroupUsage::default())
    }

    /// Only the slot itself may be in the groups.
    fn remove(&mut self) {}
}

pub(super) struct NoGroups;

impl SlotGroups for NoGroups {}

/// Joins the groups of version 1.
pub(super) fn create(
    placement: Option<&Placement>,
    name: &str,
    oom_policy: OomPolicy,
) -> Result<Box<dyn SlotGroups>, Fault> {
    Ok(match placement {
        None => Box::new(NoGroups),
        Some(Placement::V2(parent)) => Box::new(Version2Groups::create(parent, name)?),
        Some(Placement::V1(controllers)) => {
            Box::new(Version1Groups::create(controllers, name, oom_policy)?)
        }
    })
}

/// A smaller amount that is left after a run is the kernel's own stock.
pub(super) const LEFTOVER_MIN: u64 = 256 << 10;

/// Opens a file of a group for reading, and for writing if that is permitted.
pub(super) fn open_file(directory: &OwnedFd, name: &str) -> Result<OwnedFd, Fault> {
    let open = |flags| rustix::fs::openat(directory, name, flags | OFlags::CLOEXEC, Mode::empty());
    open(OFlags::RDWR).or_else(|_| open(OFlags::RDONLY)).step_on("open", name)
}

/// Dead members leave a group only a moment after they were waited for.
pub(super) fn remove_directory(parent: &OwnedFd, name: &CStr) {
    for _ in 0..100 {
        match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
            Err(rustix::io::Errno::BUSY) => sleep(Duration::from_millis(1)),
            _ => return,
        }
    }
}

pub(super) fn write_file(directory: &OwnedFd, name: &str, value: &str) -> Result<(), Fault> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(directory, name, flags, Mode::empty()).step_on("open", name)?;
    write_number(&file, value, name)
}

pub(super) fn write_number(file: &OwnedFd, value: &str, name: &str) -> Result<(), Fault> {
    sys::write(file.as_raw_fd(), value.as_bytes())
        .map(|_| ())
        .step_on(&format!("write {value} to"), name)
}

pub(super) fn read_text(directory: &OwnedFd, name: &str) -> Result<String, Fault> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    read_all(&rustix::fs::openat(directory, name, flags, Mode::empty()).step_on("open", name)?)
}

const READ_STEP: &str = "read the counters of the control group";

pub(super) fn read_all(file: &OwnedFd) -> Result<String, Fault> {
    let mut buffer = [0; 8192];
    let length = sys::pread(file.as_raw_fd(), &mut buffer).step(READ_STEP)?;
    Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
}

pub(super) fn read_number(file: &OwnedFd) -> Result<u64, Fault> {
    read_first_number(file.as_raw_fd()).step(READ_STEP)
}

/// The first number in a kernel file. Does not allocate.
pub(super) fn read_first_number(fd: RawFd) -> Result<u64, Errno> {
    let mut buffer = [0; 128];
    let length = sys::pread(fd, &mut buffer)?;
    Ok(first_number(buffer.get(..length).unwrap_or(&[])))
}

/// Does not allocate.
pub(super) fn first_number(text: &[u8]) -> u64 {
    text.iter()
        .skip_while(|byte| !byte.is_ascii_digit())
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0u64, |number, byte| number.saturating_mul(10).saturating_add(u64::from(byte - b'0')))
}

/// The number after a name, in a text of lines `name number`.
pub(super) fn named_number(text: &str, name: &str) -> u64 {
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(key, _)| *key == name)
        .map_or(0, |(_, value)| first_number(value.as_bytes()))
}

/// Memory with pages of files on disk: all file pages, named `name`, except those of files in memory.
pub(super) fn cached_files(stat: &str, name: &str) -> u64 {
    named_number(stat, name).saturating_sub(named_number(stat, "shmem"))
}

/// The difference between a peak and its baseline, but at least the portion in which the kernel counts memory.
///
/// A program that never needs a second portion may show none, though every program needs some. Source:
/// `MEMCG_CHARGE_BATCH` of 64 pages in the kernel's `mm/memcontrol.c`.
pub(super) fn peak_since(peak: u64, baseline: u64) -> u64 {
    const PORTION: u64 = 64 * 4096;
    peak.saturating_sub(baseline).max(PORTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::units::Bytes;

    #[test]
    fn numbers_are_read_from_the_kernels_texts() {
        assert_eq!(first_number(b"usage_usec 1234\nuser_usec 5\n"), 1234);
        assert_eq!(first_number(b"77\n"), 77);
        assert_eq!(first_number(b"max\n"), 0);
        let events = "low 0\nhigh 1\nmax 22\noom 3\noom_kill 4\noom_group_kill 5\n";
        assert_eq!(named_number(events, "oom_kill"), 4);
        assert_eq!(named_number(events, "max"), 22);
        assert_eq!(named_number(events, "none"), 0);
        assert_eq!(cached_files("file 100\nshmem 30\n", "file"), 70);
    }

    #[test]
    fn outputs_do_not_count_as_memory() {
        let check = |readings: &[(u64, u64)], last: u64, expected: u64| {
            let mut peak = MemoryPeak::default();
            readings.iter().for_each(|(peak_now, files)| peak.record(*peak_now, *files));
            assert_eq!(peak.final_peak(last), expected, "{readings:?} {last}");
        };
        check(&[], 7, 7);
        // Memory first, and output later, into memory that is free again.
        check(&[(50, 0), (60, 20), (100, 80)], 100, 50);
        check(&[(100, 0), (100, 60)], 100, 100);
        // Output first.
        check(&[(60, 60), (100, 60)], 110, 50);
        // A program may cut its output; how much it was is known.
        check(&[(60, 55), (60, 0)], 60, 5);
        check(&[(3, 9)], 5, 0);
    }

    #[test]
    fn output_is_allowed_beyond_the_memory_limit() {
        let check = |memory: Option<u64>, output: Option<u64>, held: u64, expected: Option<u64>| {
            let mib = |number: Option<u64>| number.map(Bytes::mib);
            let limits = Limits { memory: mib(memory), output: mib(output), ..Limits::default() };
            let beyond = kernel_limit(&limits, held << 20).map(|most| (most - SLACK) >> 20);
            assert_eq!(beyond, expected, "{memory:?} {output:?} {held}");
        };
        check(Some(64), Some(80), 0, Some(72));
        check(Some(64), Some(80), 50, Some(122));
        // A file can have blocks beyond its end. They are the program's memory.
        check(Some(64), Some(80), 500, Some(152));
        check(Some(64), Some(0), 0, Some(64));
        check(Some(64), None, 0, Some(64));
        check(Some(2048), Some(1024), 1000, Some(3056));
        check(None, Some(8), 4, None);
    }

    #[test]
    fn the_kernels_limit_follows_the_outputs() {
        let check = |present: u64, wanted: u64, expected: Option<u64>| {
            let changed = changed_limit(present << 20, wanted << 20);
            assert_eq!(changed, expected.map(|mib| mib << 20), "{present} {wanted}");
        };
        check(72, 72, None);
        check(72, 74, None);
        check(72, 75, Some(75));
        check(72, 200, Some(200));
        check(80, 79, Some(79));
    }
}
