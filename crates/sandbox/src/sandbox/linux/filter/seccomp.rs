//! The system call filter: refuses calls that contest programs do not need, and calls that reach out of the box.
//!
//! The list names what is refused, not what is permitted: new versions of a run-time library may use a new call at any
//! time and must keep working. The filter is the second line of defence. The first is that the program has no
//! capabilities, sees only its own namespaces, and cannot gain privileges.
//!
//! To install a filter takes a fifth of the time of a whole run. So the slot installs it once, and its runs inherit
//! it. The slot itself still has to make mounts and namespaces for them. So it shows a pass: a random number of 64
//! bits in an argument that these calls do not use. A program does not know the number, because it lost the memory
//! with it when it started. At ten million tries a second it needs some thirty thousand years.

use libc::sock_filter;

#[cfg(target_arch = "aarch64")]
pub(crate) const ARCHITECTURE: u32 = 0xC000_00B7;
#[cfg(target_arch = "x86_64")]
pub(crate) const ARCHITECTURE: u32 = 0xC000_003E;

/// Offsets of the call's number, architecture and arguments in the filter's input.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const ARGUMENTS: u32 = 16;

const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;

const KILL: u32 = 0x8000_0000;
const ASK: u32 = 0x7fc0_0000;
pub(crate) const ALLOW: u32 = 0x7fff_0000;
pub(crate) const ERRNO: u32 = 0x0005_0000;

/// All namespaces; a program may make none of them.
const NEW_NAMESPACES: u32 = 0x7e02_0080;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallRule {
    Always(u32),
    /// If the argument is one of these values, the answer in its pair.
    ByValue {
        argument: u32,
        answers: &'static [(i32, u32)],
    },
    /// Refused with this error unless the argument is one of these.
    AllowedValues {
        argument: u32,
        values: &'static [u32],
        errno: i32,
    },
    /// If the argument has one of these bits, this answer.
    ByBits {
        argument: u32,
        bits: u32,
        answer: u32,
    },
    /// Asks if the argument is SIGKILL, unless the last argument is the pass.
    AskIfKill {
        argument: u32,
    },
    /// `clone`: a child in new namespaces is refused, and one whose end kills its parent.
    Clone,
    /// `prlimit64`: limits of other processes are refused, and [`CORE`] can only be read. A new [`CPU`] asks, unless
    /// the last argument is the pass.
    Prlimit,
    /// Refused with this error unless the last argument is the pass.
    Pass(i32),
}

/// The call fails with this error; with 0 it seems to succeed, but does nothing.
pub(crate) const fn error_answer(errno: i32) -> u32 {
    ERRNO | errno as u32
}

pub(crate) const fn always_error(errno: i32) -> CallRule {
    CallRule::Always(error_answer(errno))
}

pub(crate) const fn forbidden_bits(argument: u32, bits: u32, errno: i32) -> CallRule {
    CallRule::ByBits { argument, bits, answer: error_answer(errno) }
}

/// The calls that ask the slot before they happen (`keeper/notifications.rs`).
///
/// The slot has the filter, too, and nobody would answer it. So what it does itself must not ask: it shows the pass,
/// and never empties a file that it opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AskingCalls {
    /// They happen unasked.
    NoCalls,
    All,
}

/// The limit of core dumps. One byte keeps the kernel from starting the machine's dump handler; 0 would not.
const CORE: i32 = 4;

/// The limit of CPU time, at which the kernel sends SIGKILL.
const CPU: i32 = 0;

const ASK_ALWAYS: CallRule = CallRule::Always(ASK);

/// The next open of a file that exists makes it empty.
const fn empties(flags: u32) -> CallRule {
    CallRule::ByBits { argument: flags, bits: libc::O_TRUNC as u32, answer: ASK }
}

const GIVES_BACK: u32 = (libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_COLLAPSE_RANGE) as u32;

/// Pages from the machine's stock of huge ones. They are charged to no group.
const HUGE_PAGES: CallRule = forbidden_bits(3, libc::MAP_HUGETLB as u32, libc::EPERM);

/// Chooses the signal that tells of a descriptor's readiness. Source: the kernel's `asm-generic/fcntl.h`.
pub(crate) const F_SETSIG: i32 = 10;

/// Hints about the lifetime of written data. They are stored in the file for all to see, even if it is only readable.
/// Its owner may set them, and before Linux 6.9 everybody. Source: `F_SET_RW_HINT(2const)`.
const F_SET_RW_HINT: i32 = 1036;
const F_SET_FILE_RW_HINT: i32 = 1038;

/// Two runs could communicate by locks on shared files. A file that is only readable can only be locked for reading,
/// by any number of processes at once. So it is enough that no program may ask who holds a lock. (`flock` can lock
/// such files exclusively, so it does nothing. If it failed, Java would complain on standard output.) Locks of an open
/// file belong to no process, so `/proc/locks` shows them to everybody. Leases and notifications reveal that another
/// process opens a file.
const FILE_CONTROL: &[(i32, u32)] = &[
    // Locks are permitted only if the slot agrees.
    (libc::F_SETLK, ASK),
    (libc::F_SETLKW, ASK),
    (F_SETSIG, ASK),
    (libc::F_GETLK, error_answer(libc::ENOSYS)),
    (libc::F_OFD_GETLK, error_answer(libc::ENOSYS)),
    (libc::F_OFD_SETLK, error_answer(libc::EINVAL)),
    (libc::F_OFD_SETLKW, error_answer(libc::EINVAL)),
    (libc::F_SETLEASE, error_answer(libc::EPERM)),
    (libc::F_NOTIFY, error_answer(libc::EPERM)),
    (F_SET_RW_HINT, error_answer(libc::EINVAL)),
    (F_SET_FILE_RW_HINT, error_answer(libc::EINVAL)),
    // 64 pipes of the maximal size use up all pipe memory of a user.
    (libc::F_SETPIPE_SZ, error_answer(libc::EPERM)),
];

/// Requests of programs to terminals, pipes and sockets. All others concern file systems, namespaces and devices: a
/// mark on a file, a counter of the machine, a key that outlives its process. Source: `ioctl_tty(2)`, the kernel's
/// `asm-generic/ioctls.h`.
const DEVICE_CONTROL: CallRule = CallRule::AllowedValues {
    argument: 1,
    values: &[
        libc::TCGETS as u32,
        libc::TIOCGWINSZ as u32,
        libc::TIOCGPGRP as u32,
        libc::TIOCOUTQ as u32,
        libc::FIONREAD as u32,
        libc::FIONBIO as u32,
        libc::FIOASYNC as u32,
        libc::FIOCLEX as u32,
        libc::FIONCLEX as u32,
        // `TCGETS2`, which newer libraries use instead.
        0x802c_542a,
        // For the slot, on a descriptor that only it has: `SECCOMP_IOCTL_NOTIF_RECV`, `_SEND`, `_ID_VALID`.
        0xc050_2100,
        0xc018_2101,
        0x4008_2102,
    ],
    errno: libc::ENOTTY,
};

/// Flags can reveal whether a page of a file is in memory; another run may have brought it there.
const NO_FLAGS: CallRule = forbidden_bits(5, u32::MAX, libc::EOPNOTSUPP);

/// These options keep the other half of a core idle, or name memory: the kernel charges the names to no group.
const PROCESS_CONTROL: CallRule = CallRule::ByValue {
    argument: 0,
    answers: &[
        (libc::PR_SCHED_CORE, error_answer(libc::EPERM)),
        (libc::PR_SET_VMA, error_answer(libc::EINVAL)),
    ],
};

/// Namespaces do not separate other families, such as vsock.
const UNIX_SOCKETS: CallRule =
    CallRule::AllowedValues { argument: 0, values: &[libc::AF_UNIX as u32], errno: libc::EPERM };

/// Filters of what a socket receives. Nobody is charged for most of their memory, and a socket that was closed before it
/// was accepted keeps its filter. All permitted sockets have options of one level only.
const SOCKET_OPTIONS: CallRule = CallRule::ByValue {
    argument: 2,
    answers: &[
        (libc::SO_ATTACH_FILTER, error_answer(libc::EPERM)),
        (libc::SO_ATTACH_BPF, error_answer(libc::EPERM)),
        (libc::SO_ATTACH_REUSEPORT_CBPF, error_answer(libc::EPERM)),
        (libc::SO_ATTACH_REUSEPORT_EBPF, error_answer(libc::EPERM)),
    ],
};

// Newer than the library with the other numbers.
const SYS_SETXATTRAT: i64 = 463;
const SYS_OPEN_TREE_ATTR: i64 = 467;
const SYS_CACHESTAT: i64 = 451;
const SYS_STATMOUNT: i64 = 457;
const SYS_LISTMOUNT: i64 = 458;
const SYS_LISTNS: i64 = 470;

pub(crate) const EPERM: CallRule = always_error(libc::EPERM);
pub(crate) const NOT_SUPPORTED: CallRule = always_error(libc::EOPNOTSUPP);
const ENOSYS: CallRule = always_error(libc::ENOSYS);
/// The call seems to succeed, but does nothing.
pub(crate) const PRETEND_SUCCESS: CallRule = always_error(0);
/// Only for the slot and PID 1.
const PASS: CallRule = CallRule::Pass(libc::EPERM);

/// All other calls are permitted.
const RULES: &[(i64, CallRule)] = &[
    // The box keeps them in the kernel's memory until the run is over.
    (libc::SYS_setxattr, NOT_SUPPORTED),
    (libc::SYS_lsetxattr, NOT_SUPPORTED),
    (libc::SYS_fsetxattr, NOT_SUPPORTED),
    (SYS_SETXATTRAT, NOT_SUPPORTED),
    // Other processes: their memory, their descriptors, their limits.
    (libc::SYS_ptrace, EPERM),
    (libc::SYS_process_vm_readv, EPERM),
    (libc::SYS_process_vm_writev, EPERM),
    (libc::SYS_kcmp, EPERM),
    (libc::SYS_pidfd_getfd, EPERM),
    (libc::SYS_process_madvise, EPERM),
    (libc::SYS_prlimit64, CallRule::Prlimit),
    (
        libc::SYS_setrlimit,
        CallRule::ByValue {
            argument: 0,
            answers: &[(CORE, error_answer(libc::EPERM)), (CPU, ASK)],
        },
    ),
    // They may shrink an output.
    (libc::SYS_truncate, ASK_ALWAYS),
    (libc::SYS_ftruncate, ASK_ALWAYS),
    (libc::SYS_fallocate, CallRule::ByBits { argument: 1, bits: GIVES_BACK, answer: ASK }),
    (libc::SYS_openat, empties(2)),
    // A filter cannot follow the pointer to its flags.
    (libc::SYS_openat2, ASK_ALWAYS),
    // They may kill the program by SIGKILL.
    (libc::SYS_kill, CallRule::AskIfKill { argument: 1 }),
    (libc::SYS_tkill, CallRule::AskIfKill { argument: 1 }),
    (libc::SYS_tgkill, CallRule::AskIfKill { argument: 2 }),
    (libc::SYS_rt_sigqueueinfo, CallRule::AskIfKill { argument: 1 }),
    (libc::SYS_rt_tgsigqueueinfo, CallRule::AskIfKill { argument: 2 }),
    (libc::SYS_pidfd_send_signal, CallRule::AskIfKill { argument: 1 }),
    // The signal is in memory, which can change after a look.
    (libc::SYS_timer_create, ASK_ALWAYS),
    (libc::SYS_fcntl, CallRule::ByValue { argument: 1, answers: FILE_CONTROL }),
    (libc::SYS_setitimer, ASK_ALWAYS),
    // The machine numbers all sessions, and shows the numbers: each one is a message to the next program.
    (libc::SYS_setsid, PASS),
    // Namespaces and mounts.
    (libc::SYS_unshare, PASS),
    (libc::SYS_setns, PASS),
    (libc::SYS_clone, CallRule::Clone),
    // A filter cannot follow the pointer to its flags; run-time libraries then use clone.
    (libc::SYS_clone3, CallRule::Pass(libc::ENOSYS)),
    (libc::SYS_mount, PASS),
    (libc::SYS_umount2, PASS),
    (libc::SYS_pivot_root, EPERM),
    (libc::SYS_chroot, EPERM),
    (libc::SYS_open_tree, PASS),
    (libc::SYS_move_mount, PASS),
    (libc::SYS_fsopen, PASS),
    (libc::SYS_fsconfig, PASS),
    (libc::SYS_fsmount, PASS),
    (libc::SYS_fspick, EPERM),
    (libc::SYS_mount_setattr, PASS),
    (SYS_OPEN_TREE_ATTR, EPERM),
    // Their results contain numbers that count the machine's mounts and namespaces.
    (SYS_STATMOUNT, ENOSYS),
    (SYS_LISTMOUNT, ENOSYS),
    (SYS_LISTNS, ENOSYS),
    (libc::SYS_name_to_handle_at, EPERM),
    (libc::SYS_open_by_handle_at, EPERM),
    // What outlives a process, or is shared by all processes of a user.
    (libc::SYS_keyctl, EPERM),
    (libc::SYS_add_key, EPERM),
    (libc::SYS_request_key, EPERM),
    (libc::SYS_ioctl, DEVICE_CONTROL),
    (libc::SYS_shmget, EPERM),
    (libc::SYS_shmat, EPERM),
    (libc::SYS_shmctl, EPERM),
    (libc::SYS_semget, EPERM),
    (libc::SYS_semop, EPERM),
    (libc::SYS_semtimedop, EPERM),
    (libc::SYS_semctl, EPERM),
    (libc::SYS_msgget, EPERM),
    (libc::SYS_msgsnd, EPERM),
    (libc::SYS_msgrcv, EPERM),
    (libc::SYS_msgctl, EPERM),
    (libc::SYS_mq_open, EPERM),
    (libc::SYS_mq_unlink, EPERM),
    (libc::SYS_socket, UNIX_SOCKETS),
    (libc::SYS_socketpair, UNIX_SOCKETS),
    (libc::SYS_setsockopt, SOCKET_OPTIONS),
    // What reaches other runs: shared files, cores, disks, memory that no group is charged for.
    (libc::SYS_flock, PRETEND_SUCCESS),
    (libc::SYS_inotify_init1, EPERM),
    (libc::SYS_sched_setaffinity, EPERM),
    (libc::SYS_prctl, PROCESS_CONTROL),
    (libc::SYS_sync, EPERM),
    (libc::SYS_syncfs, EPERM),
    // A program's own files are in memory; with shared files, these calls flush the machine's disk.
    (libc::SYS_fsync, PRETEND_SUCCESS),
    (libc::SYS_fdatasync, PRETEND_SUCCESS),
    // A program may neither change nor learn which parts of shared files are in memory.
    (libc::SYS_fadvise64, PRETEND_SUCCESS),
    (libc::SYS_readahead, PRETEND_SUCCESS),
    (SYS_CACHESTAT, ENOSYS),
    (libc::SYS_mincore, ENOSYS),
    (libc::SYS_preadv2, NO_FLAGS),
    (libc::SYS_pwritev2, NO_FLAGS),
    (libc::SYS_mmap, HUGE_PAGES),
    (libc::SYS_memfd_create, forbidden_bits(1, libc::MFD_HUGETLB, libc::EPERM)),
    // Large parts of the kernel that no submission needs.
    (libc::SYS_bpf, EPERM),
    (libc::SYS_perf_event_open, EPERM),
    (libc::SYS_userfaultfd, EPERM),
    (libc::SYS_io_uring_setup, EPERM),
    (libc::SYS_io_uring_enter, EPERM),
    (libc::SYS_io_uring_register, EPERM),
    (libc::SYS_io_setup, EPERM),
    (libc::SYS_vmsplice, EPERM),
    (libc::SYS_fanotify_init, EPERM),
    (libc::SYS_fanotify_mark, EPERM),
    (libc::SYS_mbind, EPERM),
    (libc::SYS_move_pages, EPERM),
    (libc::SYS_migrate_pages, EPERM),
    (libc::SYS_lookup_dcookie, EPERM),
    (libc::SYS_remap_file_pages, EPERM),
    // The machine.
    (libc::SYS_kexec_load, EPERM),
    (libc::SYS_kexec_file_load, EPERM),
    (libc::SYS_init_module, EPERM),
    (libc::SYS_finit_module, EPERM),
    (libc::SYS_delete_module, EPERM),
    (libc::SYS_reboot, EPERM),
    (libc::SYS_swapon, EPERM),
    (libc::SYS_swapoff, EPERM),
    (libc::SYS_quotactl, EPERM),
    (libc::SYS_quotactl_fd, EPERM),
    (libc::SYS_acct, EPERM),
    (libc::SYS_syslog, EPERM),
    (libc::SYS_settimeofday, EPERM),
    (libc::SYS_clock_settime, EPERM),
    (libc::SYS_clock_adjtime, EPERM),
    (libc::SYS_adjtimex, EPERM),
    (libc::SYS_sethostname, EPERM),
    (libc::SYS_setdomainname, EPERM),
    (libc::SYS_vhangup, EPERM),
    (libc::SYS_nfsservctl, EPERM),
];

#[cfg(target_arch = "x86_64")]
const RULES_HERE: &[(i64, CallRule)] = &[
    (libc::SYS_open, empties(1)),
    (libc::SYS_creat, ASK_ALWAYS),
    (libc::SYS_alarm, ASK_ALWAYS),
    (libc::SYS_inotify_init, EPERM),
    (libc::SYS_iopl, EPERM),
    (libc::SYS_ioperm, EPERM),
    (libc::SYS_modify_ldt, EPERM),
    (libc::SYS_uselib, EPERM),
    (libc::SYS_ustat, EPERM),
    (libc::SYS_sysfs, EPERM),
    (libc::SYS__sysctl, EPERM),
];
#[cfg(not(target_arch = "x86_64"))]
const RULES_HERE: &[(i64, CallRule)] = &[];

pub(crate) fn filter(pass: u64, asks: AskingCalls) -> Vec<sock_filter> {
    let mut filter = build_filter(RULES.iter().chain(RULES_HERE), pass);
    for step in &mut filter {
        if asks == AskingCalls::NoCalls && (step.code, step.k) == (RETURN, ASK) {
            step.k = ALLOW;
        }
    }
    filter
}

pub(crate) fn build_filter<'a>(
    rules: impl Iterator<Item = &'a (i64, CallRule)>,
    pass: u64,
) -> Vec<sock_filter> {
    let mut rules: Vec<(u32, CallRule)> =
        rules.map(|(number, rule)| (*number as u32, *rule)).collect();
    rules.sort_by_key(|(number, _)| *number);
    let mut filter = vec![
        statement(LOAD, ARCH),
        jump(IF_EQUAL, ARCHITECTURE, 1, 0),
        statement(RETURN, KILL),
        statement(LOAD, NUMBER),
    ];
    if cfg!(target_arch = "x86_64") {
        /// Larger numbers are those of x32, another interface to the same calls.
        const X32: u32 = 0x4000_0000;
        filter.push(jump(IF_AT_LEAST, X32, 0, 1));
        filter.push(statement(RETURN, KILL));
    }
    filter.extend(bisect(&rules, pass));
    filter
}

fn bisect(rules: &[(u32, CallRule)], pass: u64) -> Vec<sock_filter> {
    if let [(number, rule)] = rules {
        let body = compile_rule(*rule, pass);
        let mut code = vec![jump(IF_EQUAL, *number, 0, body.len() as u8)];
        code.extend(body);
        code.push(statement(RETURN, ALLOW));
        return code;
    }
    let (low, high) = rules.split_at(rules.len() / 2);
    let (first_high, (low, high)) = (high[0].0, (bisect(low, pass), bisect(high, pass)));
    let mut code = Vec::new();
    // A conditional jump reaches 255 instructions; the distance from the root of the tree can be larger.
    if low.len() <= u8::MAX.into() {
        code.push(jump(IF_AT_LEAST, first_high, low.len() as u8, 0));
    } else {
        code.push(jump(IF_AT_LEAST, first_high, 0, 1));
        code.push(statement(0x05, low.len() as u32));
    }
    code.extend(low);
    code.extend(high);
    code
}

/// The effect of a rule once the number is known; falls through if the call is permitted.
fn compile_rule(rule: CallRule, pass: u64) -> Vec<sock_filter> {
    let low_half = |argument: u32| ARGUMENTS + 8 * argument;
    let refuse = |errno: i32| statement(RETURN, error_answer(errno));
    match rule {
        CallRule::Always(answer) => vec![statement(RETURN, answer)],
        // The kernel also uses only the low half of these arguments, which have type int.
        CallRule::AllowedValues { argument, values, errno } => {
            let mut code = vec![statement(LOAD, low_half(argument))];
            for (index, value) in values.iter().enumerate() {
                // Jumps over the refusal, which comes after all comparisons.
                code.push(jump(IF_EQUAL, *value, (values.len() - index) as u8, 0));
            }
            code.push(refuse(errno));
            code
        }
        CallRule::ByBits { argument, bits, answer } => vec![
            statement(LOAD, low_half(argument)),
            jump(IF_ANY_BIT, bits, 0, 1),
            statement(RETURN, answer),
        ],
        CallRule::AskIfKill { argument } => {
            let mut code = vec![
                statement(LOAD, low_half(argument)),
                jump(IF_EQUAL, libc::SIGKILL as u32, 0, 5),
            ];
            code.extend(unless_passed(pass, ASK));
            code
        }
        CallRule::Clone => vec![
            statement(LOAD, low_half(0)),
            jump(IF_ANY_BIT, NEW_NAMESPACES, 2, 0),
            // The low byte is the signal.
            statement(AND, 0xff),
            jump(IF_EQUAL, libc::SIGKILL as u32, 0, 1),
            refuse(libc::EPERM),
        ],
        CallRule::ByValue { argument, answers } => {
            let mut code = vec![statement(LOAD, low_half(argument))];
            for (value, answer) in answers {
                code.push(jump(IF_EQUAL, *value as u32, 0, 1));
                code.push(statement(RETURN, *answer));
            }
            code
        }
        CallRule::Prlimit => {
            let mut code = vec![
                statement(LOAD, low_half(0)),
                jump(IF_EQUAL, 0, 0, 6),
                // The pointer is null if no new limit is given.
                statement(LOAD, low_half(2)),
                jump(IF_EQUAL, 0, 0, 2),
                statement(LOAD, low_half(2) + 4),
                jump(IF_EQUAL, 0, 9, 0),
                statement(LOAD, low_half(1)),
                jump(IF_EQUAL, CORE as u32, 0, 1),
                refuse(libc::EPERM),
                jump(IF_EQUAL, CPU as u32, 0, 5),
            ];
            code.extend(unless_passed(pass, ASK));
            code
        }
        CallRule::Pass(errno) => unless_passed(pass, error_answer(errno)),
    }
}

/// Five steps: this answer, unless the last argument is the pass.
fn unless_passed(pass: u64, answer: u32) -> Vec<sock_filter> {
    const LAST: u32 = ARGUMENTS + 8 * 5;
    vec![
        statement(LOAD, LAST),
        jump(IF_EQUAL, pass as u32, 0, 2),
        statement(LOAD, LAST + 4),
        jump(IF_EQUAL, (pass >> 32) as u32, 1, 0),
        statement(RETURN, answer),
    ]
}

fn statement(code: u16, k: u32) -> sock_filter {
    jump(code, k, 0, 0)
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const PASS_HERE: u64 = 0x0123_4567_89ab_cdef;

    fn filter(pass: u64) -> Vec<sock_filter> {
        super::filter(pass, AskingCalls::NoCalls)
    }

    /// Runs the filter like the kernel; returns its answer.
    pub(in crate::sandbox) fn filter_answer(
        filter: &[sock_filter],
        arch: u32,
        number: u32,
        arguments: [u64; 6],
    ) -> u32 {
        let mut data = Vec::new();
        data.extend(number.to_le_bytes());
        data.extend(arch.to_le_bytes());
        data.extend(0u64.to_le_bytes());
        arguments.iter().for_each(|argument| data.extend(argument.to_le_bytes()));
        let (mut at, mut loaded) = (0, 0u32);
        loop {
            let step = filter[at];
            at += 1;
            let take = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
            match step.code {
                LOAD => {
                    let from = step.k as usize;
                    loaded = u32::from_le_bytes(data[from..from + 4].try_into().unwrap());
                }
                IF_EQUAL => at += take(loaded == step.k),
                IF_AT_LEAST => at += take(loaded >= step.k),
                IF_ANY_BIT => at += take(loaded & step.k != 0),
                AND => loaded &= step.k,
                0x05 => at += step.k as usize,
                RETURN => return step.k,
                other => panic!("unknown instruction {other}"),
            }
        }
    }

    #[test]
    fn every_rule_is_found_and_every_other_number_is_allowed() {
        let filter = super::filter(PASS_HERE, AskingCalls::All);
        let rules: Vec<_> = RULES.iter().chain(RULES_HERE).collect();
        for number in 0..600u32 {
            let rule = rules.iter().find(|(n, _)| *n == i64::from(number));
            let expected = match rule {
                Some((_, CallRule::Always(answer))) => *answer,
                Some((_, CallRule::Pass(errno))) => error_answer(*errno),
                Some((_, CallRule::AllowedValues { errno, .. })) => error_answer(*errno),
                Some((_, CallRule::ByBits { answer, .. })) => *answer,
                Some((_, CallRule::Prlimit | CallRule::Clone)) => error_answer(libc::EPERM),
                Some((_, CallRule::ByValue { .. } | CallRule::AskIfKill { .. })) | None => ALLOW,
            };
            let answer = filter_answer(&filter, ARCHITECTURE, number, [u64::MAX; 6]);
            assert_eq!(answer, expected, "call {number}");
        }
    }

    #[test]
    fn only_the_whole_pass_opens_what_the_slot_needs() {
        let check = |number: i64, last: u64, expected: u32| {
            let mut arguments = [PASS_HERE; 6];
            arguments[5] = last;
            let answer = filter_answer(&filter(PASS_HERE), ARCHITECTURE, number as u32, arguments);
            assert_eq!(answer, expected, "call {number} with {last:#x}");
        };
        let refused = ERRNO | libc::EPERM as u32;
        check(libc::SYS_mount, PASS_HERE, ALLOW);
        check(libc::SYS_mount, PASS_HERE ^ 1, refused);
        check(libc::SYS_mount, PASS_HERE ^ (1 << 63), refused);
        check(libc::SYS_mount, 0, refused);
        check(libc::SYS_clone3, PASS_HERE, ALLOW);
        check(libc::SYS_clone3, 0, ERRNO | libc::ENOSYS as u32);
        check(libc::SYS_ptrace, PASS_HERE, refused);
        check(libc::SYS_setsid, PASS_HERE, ALLOW);
        check(libc::SYS_setsid, 0, refused);
    }

    #[test]
    fn arguments_decide_where_they_should() {
        let check = |number: i64, argument: u64, expected: u32| {
            let answer =
                filter_answer(&filter(PASS_HERE), ARCHITECTURE, number as u32, [argument; 6]);
            assert_eq!(answer, expected, "call {number} with {argument:#x}");
        };
        let refused = ERRNO | libc::EPERM as u32;
        check(libc::SYS_socket, libc::AF_UNIX as u64, ALLOW);
        check(libc::SYS_socket, libc::AF_INET as u64, refused);
        check(libc::SYS_socket, libc::AF_VSOCK as u64, refused);
        check(libc::SYS_clone, libc::SIGCHLD as u64, ALLOW);
        check(libc::SYS_clone, libc::CLONE_VM as u64, ALLOW);
        check(libc::SYS_clone, libc::CLONE_NEWUSER as u64, refused);
        check(libc::SYS_clone, 0x80, refused);
        check(libc::SYS_prlimit64, 0, ALLOW);
        check(libc::SYS_prlimit64, 1, refused);
        check(libc::SYS_fcntl, libc::F_SETFD as u64, ALLOW);
        check(libc::SYS_fcntl, libc::F_SETLEASE as u64, refused);
        check(libc::SYS_fcntl, libc::F_SETPIPE_SZ as u64, refused);
        check(libc::SYS_pipe2, 0, ALLOW);
        let asking = super::filter(PASS_HERE, AskingCalls::All);
        let ask = |command: i32| {
            let number = libc::SYS_fcntl as u32;
            filter_answer(&asking, ARCHITECTURE, number, [command as u64; 6])
        };
        assert_eq!([libc::F_SETLK, libc::F_SETLKW].map(ask), [ASK; 2]);
        assert_eq!([libc::F_SETFD, libc::F_GETLK].map(ask), [ALLOW, ERRNO | libc::ENOSYS as u32]);
        let missing = ERRNO | libc::ENOSYS as u32;
        check(libc::SYS_fcntl, libc::F_SETLKW as u64, ALLOW);
        check(libc::SYS_fcntl, libc::F_GETLK as u64, missing);
        check(libc::SYS_fcntl, libc::F_OFD_GETLK as u64, missing);
        let invalid = ERRNO | libc::EINVAL as u32;
        check(libc::SYS_fcntl, libc::F_OFD_SETLK as u64, invalid);
        check(libc::SYS_fsync, 3, ERRNO);
        check(libc::SYS_mmap, libc::MAP_PRIVATE as u64, ALLOW);
        check(libc::SYS_mmap, libc::MAP_HUGETLB as u64 | 1, refused);
        check(libc::SYS_memfd_create, libc::MFD_CLOEXEC.into(), ALLOW);
        check(libc::SYS_memfd_create, libc::MFD_HUGETLB.into(), refused);
        check(libc::SYS_setsockopt, libc::SO_SNDBUF as u64, ALLOW);
        check(libc::SYS_setsockopt, libc::SO_ATTACH_FILTER as u64, refused);
        check(libc::SYS_prctl, libc::PR_SET_NAME as u64, ALLOW);
        check(libc::SYS_prctl, libc::PR_SCHED_CORE as u64, refused);
        check(libc::SYS_prctl, libc::PR_SET_VMA as u64, invalid);
    }

    #[test]
    fn what_shrinks_a_file_or_kills_asks_unless_the_slot_does_it() {
        let check = |number: i64, arguments: [u64; 6], asks: bool| {
            for (who, asked) in [(AskingCalls::All, ASK), (AskingCalls::NoCalls, ALLOW)] {
                let filter = super::filter(PASS_HERE, who);
                let answer = filter_answer(&filter, ARCHITECTURE, number as u32, arguments);
                let expected = if asks { asked } else { ALLOW };
                assert_eq!(answer, expected, "call {number} with {arguments:?}, {who:?}");
            }
        };
        const KILL: u64 = libc::SIGKILL as u64;
        const TERM: u64 = libc::SIGTERM as u64;
        let cut = (libc::O_TRUNC | libc::O_CREAT | libc::O_WRONLY) as u64;
        check(libc::SYS_openat, [0, 0, cut, 0, 0, 0], true);
        check(libc::SYS_openat, [u64::MAX, u64::MAX, libc::O_CREAT as u64, u64::MAX, 0, 0], false);
        check(libc::SYS_fallocate, [1, 1, 0, 9, 0, 0], false);
        check(libc::SYS_fallocate, [1, 3, 0, 9, 0, 0], true);
        for by_second in [
            libc::SYS_kill,
            libc::SYS_tkill,
            libc::SYS_rt_sigqueueinfo,
            libc::SYS_pidfd_send_signal,
        ] {
            check(by_second, [KILL, KILL, TERM, 0, 0, 0], true);
            check(by_second, [KILL, KILL | 1 << 32, 0, 0, 0, 0], true);
            check(by_second, [KILL, KILL, 0, 0, 0, PASS_HERE], false);
            check(by_second, [KILL, KILL, 0, 0, 0, PASS_HERE ^ 1 << 40], true);
            check(by_second, [KILL, TERM, KILL, 0, 0, 0], false);
        }
        for by_third in [libc::SYS_tgkill, libc::SYS_rt_tgsigqueueinfo] {
            check(by_third, [0, 0, KILL, 0, 0, 0], true);
            check(by_third, [KILL, KILL, TERM, 0, 0, 0], false);
        }
        check(libc::SYS_fcntl, [0, F_SETSIG as u64, TERM, 0, 0, 0], true);
        check(libc::SYS_prlimit64, [0, CPU as u64, 0x1000, 0, 0, 0], true);
        check(libc::SYS_prlimit64, [0, CPU as u64, 1 << 40, 0, 0, 0], true);
        check(libc::SYS_prlimit64, [0, CPU as u64, 0x1000, 0, 0, PASS_HERE], false);
        check(libc::SYS_prlimit64, [0, CPU as u64, 0, 0x1000, 0, 0], false);
        check(libc::SYS_setrlimit, [CPU as u64, 0x1000, 0, 0, 0, 0], true);
        let clone = |signal: u64| {
            let flags = libc::CLONE_VM as u64 | signal;
            filter_answer(&filter(0), ARCHITECTURE, libc::SYS_clone as u32, [flags, 0, 0, 0, 0, 0])
        };
        assert_eq!([clone(TERM), clone(KILL)], [ALLOW, ERRNO | libc::EPERM as u32]);
    }

    #[test]
    fn the_limit_of_dumps_can_be_read_and_not_changed() {
        let check = |who: u64, kind: i32, new: u64, expected: u32| {
            let filter = filter(PASS_HERE);
            let number = libc::SYS_prlimit64 as u32;
            let arguments = [who, kind as u64, new, 8, 0, 0];
            let answer = filter_answer(&filter, ARCHITECTURE, number, arguments);
            assert_eq!(answer, expected, "{who} {kind} {new:#x}");
        };
        const STACK: i32 = 3;
        let refused = ERRNO | libc::EPERM as u32;
        check(0, STACK, 0, ALLOW);
        check(0, STACK, 0x7fff_0000_1000, ALLOW);
        check(0, CORE, 0, ALLOW);
        check(0, CORE, 0x1000, refused);
        check(0, CORE, 0x7fff_0000_0000, refused);
        check(1, STACK, 0, refused);
        check(1, CORE, 0, refused);
    }

    /// The older call, on every architecture.
    #[test]
    fn the_limit_of_dumps_cannot_be_set_in_another_way() {
        let rules: Vec<i64> = RULES.iter().map(|(number, _)| *number).collect();
        assert!(rules.contains(&libc::SYS_setrlimit), "not only here");
        let set = |kind: i32| {
            let arguments = [kind as u64, 0x7fff_0000_0000, 0, 0, 0, 0];
            filter_answer(&filter(PASS_HERE), ARCHITECTURE, libc::SYS_setrlimit as u32, arguments)
        };
        assert_eq!(set(CORE), ERRNO | libc::EPERM as u32);
        assert_eq!(set(3), ALLOW);
    }

    #[test]
    fn calls_of_another_architecture_kill() {
        let filter = filter(PASS_HERE);
        assert_eq!(filter_answer(&filter, 0x4000_0003, 1, [0; 6]), KILL);
        if cfg!(target_arch = "x86_64") {
            assert_eq!(filter_answer(&filter, ARCHITECTURE, 0x4000_0001, [0; 6]), KILL);
        }
    }
}
