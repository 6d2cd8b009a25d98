//! Measures the processes of a run by `/proc`, for machines where no control group counts.
//!
//! Only living processes are visible, and the usage of children that they waited for. A program can hide some of its
//! usage, so this is the last resort, and each outcome says that it was used.

use std::cell::OnceCell;
use std::ffi::CString;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::Dir;

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::sys;

pub(crate) struct ProcessTreeUsage {
    /// The slot's own executable. A process with it has not started the program yet, and its memory belongs to the
    /// slot.
    own_executable: OnceCell<Option<PathBuf>>,
    cpu: u64,
    memory_now: u64,
    memory_peak: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProcessUsage {
    /// Includes children that were waited for; in nanoseconds.
    cpu: u64,
    /// In bytes.
    memory: u64,
}

/// Checks that this kernel shows the children of a process; otherwise nothing would be measured.
pub(crate) fn check_children_are_shown() -> Result<(), Fault> {
    let step = "measure by /proc, without control groups";
    let path = "/proc/thread-self/children";
    fs::read_to_string(path).map(|_| ()).step_on(step, path)
}

/// Two readings of the same memory differ by at most this many bytes: the kernel counts in portions on each processor.
const READING_ERROR_MAX: u64 = 4 << 20;

impl ProcessTreeUsage {
    pub(crate) fn new() -> Self {
        Self { own_executable: OnceCell::new(), cpu: 0, memory_now: 0, memory_peak: 0 }
    }

    /// Measures all processes below the run's first one. Stops at the time `until` (monotonic, in nanoseconds),
    /// because hundreds of busy processes leave little processor time for that. Measures more exactly if they seem to
    /// hold more memory than `limit`, in bytes.
    pub(crate) fn measure(&mut self, pid1: i32, until: u64, limit: Option<u64>) {
        let mut waiting = children(pid1);
        let mut cpu = process_usage(pid1).cpu;
        let mut memory = 0;
        let mut index = 0;
        while let Some(pid) = waiting.get(index).copied() {
            if sys::clock(libc::CLOCK_MONOTONIC) >= until {
                break;
            }
            let share = process_usage(pid);
            cpu += share.cpu;
            let own = self.own_executable.get_or_init(|| executable("self"));
            let is_program = own.is_none() || executable(&pid.to_string()) != *own;
            memory += if is_program { share.memory } else { 0 };
            waiting.extend(children(pid));
            index += 1;
        }
        if limit.is_some_and(|limit| memory > limit) {
            // Memory that several of them share was counted for each.
            let memory_of =
                |pid: &i32| proportional_memory(*pid).unwrap_or_else(|| process_usage(*pid).memory);
            memory = waiting.iter().map(memory_of).sum();
        }
        // A child that is waited for between two reads is missing for a moment.
        self.cpu = self.cpu.max(cpu);
        self.memory_now = memory;
        self.memory_peak = self.memory_peak.max(memory);
    }

    /// In nanoseconds.
    pub(crate) fn cpu(&self) -> u64 {
        self.cpu
    }

    /// At the last measurement, in bytes.
    pub(crate) fn memory_now(&self) -> u64 {
        self.memory_now
    }

    /// In bytes. `largest` is the memory of the largest process by `wait4`.
    pub(crate) fn peak(&self, largest: u64) -> u64 {
        // A new process is charged with the slot's own largest memory. Up to that, the number says nothing about the
        // program.
        let own = sys::usage(libc::RUSAGE_SELF).memory;
        if largest > own + READING_ERROR_MAX {
            self.memory_peak.max(largest)
        } else {
            self.memory_peak
        }
    }
}

/// The slot itself need not see the machine's `/proc`.
pub(crate) struct MachineProc(Option<OwnedFd>);

impl MachineProc {
    pub(super) fn open() -> Self {
        Self(sys::openat(libc::AT_FDCWD, c"/proc", libc::O_PATH | libc::O_DIRECTORY, 0).ok())
    }

    pub(super) fn read(&self, name: &str) -> Option<String> {
        let mut text = Vec::new();
        File::from(self.open_file(name)?).read_to_end(&mut text).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// `true` if the machine does not tell.
    pub(super) fn has_memory_for_outputs(&self) -> bool {
        const LITTLE: u64 = 64 << 20;
        let available = |text: String| status_bytes(&text, "MemAvailable:");
        self.read("meminfo").is_none_or(|text| available(text) >= LITTLE)
    }

    /// How long other processes kept a thread below this process from the processor, in nanoseconds. It is the maximum
    /// over threads, less the CPU time of the whole program, for which the thread may have waited as well. So it is a
    /// lower bound on the delay by the machine's load.
    pub(super) fn queued_time(&self, first: i32, cpu: u64) -> u64 {
        let mut most = 0;
        let mut waiting = vec![first];
        while let Some(process) = waiting.pop() {
            for thread in self.threads(process) {
                let file = |name| self.read(&format!("{process}/task/{thread}/{name}"));
                let children = file("children").unwrap_or_default();
                waiting.extend(children.split_whitespace().filter_map(|it| it.parse::<i32>().ok()));
                if process != first {
                    let counts = file("schedstat").unwrap_or_default();
                    let mut counts = counts.split_whitespace().map(|it| it.parse().unwrap_or(0));
                    let (running, ready) = (counts.next().unwrap_or(0), counts.next().unwrap_or(0));
                    most = most.max(u64::saturating_sub(ready, cpu.saturating_sub(running)));
                }
            }
        }
        most
    }

    /// The largest stack among the children of the process `first`, in bytes; 0 if it cannot be read.
    pub(super) fn largest_stack(&self, first: i32) -> u64 {
        let children = self.read(&format!("{first}/task/{first}/children")).unwrap_or_default();
        let statuses =
            children.split_whitespace().filter_map(|it| self.read(&format!("{it}/status")));
        statuses.map(|status| status_bytes(&status, "VmStk:")).max().unwrap_or(0)
    }

    fn threads(&self, process: i32) -> Vec<String> {
        let list =
            self.open_file(&format!("{process}/task")).and_then(|task| Dir::read_from(task).ok());
        let names = list.into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| !name.starts_with('.')).collect()
    }

    pub(in crate::sandbox::linux) fn open_file(&self, name: &str) -> Option<OwnedFd> {
        let name = CString::new(name).ok()?;
        sys::openat(self.0.as_ref()?.as_raw_fd(), &name, libc::O_RDONLY, 0).ok()
    }
}

/// All processes below this one, in the order of the search.
pub(super) fn descendants(first: i32) -> impl Iterator<Item = i32> {
    let mut waiting = children(first);
    std::iter::from_fn(move || {
        let process = waiting.pop()?;
        waiting.extend(children(process));
        Some(process)
    })
}

/// Of all threads of the process.
pub(in crate::sandbox::linux) fn children(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    threads
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| {
            list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()
        })
        .collect()
}

fn executable(process: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/exe")).ok()
}

fn process_usage(pid: i32) -> ProcessUsage {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    parse_stat(&stat)
}

/// In bytes, with the process's share of shared memory. Expensive. `None` if the slot may not read it: root of a
/// container may lack the right to inspect processes of another user.
fn proportional_memory(pid: i32) -> Option<u64> {
    let memory = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    Some(status_bytes(&memory, "Pss:"))
}

/// Source: the manual page `proc_pid_stat(5)`, fields 14 to 17 and 24.
fn parse_stat(stat: &str) -> ProcessUsage {
    let fields: Vec<u64> = stat_fields(stat).map(|field| field.parse().unwrap_or(0)).collect();
    let field = |number: usize| fields.get(number - 3).copied().unwrap_or(0);
    let ticks: u64 = (14..=17).map(field).sum();
    ProcessUsage {
        cpu: ticks * (1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)),
        memory: field(24) * rustix::param::page_size() as u64,
    }
}

/// The fields of `/proc/PID/stat` after the name, from the third on. The name may contain spaces and brackets.
pub(in crate::sandbox::linux) fn stat_fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace()
}

/// In `/proc/PID/status` and similar files.
pub(in crate::sandbox::linux) fn status_field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// An amount of memory in `/proc/PID/status` and similar files; in bytes.
fn status_bytes(status: &str, name: &str) -> u64 {
    let number = status_field(status, name).and_then(|text| text.strip_suffix(" kB"));
    number.and_then(|number| number.trim().parse::<u64>().ok()).map_or(0, |number| number * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_have_any_name() {
        let stat = "7 (a) b (c) R 1 7 7 0 -1 0 1 0 0 0 10 20 30 40 20 0 1 0 99 4096 25 18446744073709551615";
        let share = parse_stat(stat);
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        assert_eq!(share.cpu, 100 * tick);
        assert_eq!(share.memory, 25 * rustix::param::page_size() as u64);
    }

    #[test]
    fn sizes_are_read_from_a_status() {
        assert_eq!(status_bytes("Name: x\nVmHWM:\t  12 kB\n", "VmHWM:"), 12 * 1024);
        assert_eq!(status_bytes("Name: x\n", "VmHWM:"), 0);
    }
}
