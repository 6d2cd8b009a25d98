//! The calls that are refused, in addition to the usual filter, if no namespaces isolate a program: they reach what
//! landlock does not cover.

use libc::sock_filter;

use crate::sandbox::linux::filter::seccomp::{DONE, EPERM, Rule, error, refuse, whole};

pub(crate) fn filter(same_user: SameUser) -> Vec<sock_filter> {
    let files = match same_user {
        SameUser::Yes => OF_THE_SAME_USER,
        SameUser::No => &[],
    };
    // None of these rules needs a pass.
    whole(ALWAYS.iter().chain(files), 0)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SameUser {
    Yes,
    No,
}

const ALWAYS: &[(i64, Rule)] = &[
    // Landlock does not cover sockets with a name in the file system, such as those of many services.
    (libc::SYS_socket, EPERM),
    (libc::SYS_connect, EPERM),
    (libc::SYS_bind, EPERM),
    // Datagrams can be sent to anybody, even through one socket of a pair.
    (
        libc::SYS_socketpair,
        Rule::Without { argument: 1, bits: libc::SOCK_DGRAM as u32, errno: libc::EPERM },
    ),
    // With the name of a directory, a program could watch what happens in it.
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_inotify_init, EPERM),
    (libc::SYS_inotify_init1, EPERM),
    // They reach other processes of the user; 0 means the thread itself.
    (libc::SYS_sched_setaffinity, ITSELF),
    (libc::SYS_sched_setscheduler, ITSELF),
    (libc::SYS_sched_setparam, ITSELF),
    (libc::SYS_sched_setattr, ITSELF),
    (libc::SYS_setpriority, EPERM),
    (libc::SYS_ioprio_set, EPERM),
    (libc::SYS_fcntl, LEASES_AND_NOTES),
];

/// For programs that have the judge's own user. Landlock does not cover these ways to change a file. Compilers use
/// them on their own files, so they seem to succeed.
const OF_THE_SAME_USER: &[(i64, Rule)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, DONE),
    (libc::SYS_fchmod, DONE),
    (libc::SYS_fchmodat, DONE),
    (FCHMODAT2, DONE),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chown, DONE),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lchown, DONE),
    (libc::SYS_fchown, DONE),
    (libc::SYS_fchownat, DONE),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_utime, DONE),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_utimes, DONE),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_futimesat, DONE),
    (libc::SYS_utimensat, DONE),
    (libc::SYS_setxattr, NO_SUCH_THING),
    (libc::SYS_lsetxattr, NO_SUCH_THING),
    (libc::SYS_fsetxattr, NO_SUCH_THING),
    (libc::SYS_removexattr, NO_SUCH_THING),
    (libc::SYS_lremovexattr, NO_SUCH_THING),
    (libc::SYS_fremovexattr, NO_SUCH_THING),
    (SETXATTRAT, NO_SUCH_THING),
    (REMOVEXATTRAT, NO_SUCH_THING),
    (FILE_SETATTR, NO_SUCH_THING),
];

const ITSELF: Rule = Rule::OneOf { argument: 0, values: &[0], errno: libc::EPERM };
const LEASES_AND_NOTES: Rule = Rule::Among {
    argument: 1,
    answers: &[(libc::F_SETLEASE, error(libc::EPERM)), (libc::F_NOTIFY, error(libc::EPERM))],
};
const NO_SUCH_THING: Rule = refuse(libc::EOPNOTSUPP);

// Source: the kernel's `scripts/syscall.tbl`.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::linux::filter::seccomp::tests::verdict;
    use crate::sandbox::linux::filter::seccomp::{ALLOW, ARCHITECTURE, ERRNO};

    #[test]
    fn a_program_without_namespaces_gets_a_second_filter() {
        let check = |same_user: SameUser, number: i64, argument: u64, expected: u32| {
            let filter = filter(same_user);
            let given = verdict(&filter, ARCHITECTURE, number as u32, [argument; 6]);
            assert_eq!(given, expected, "call {number} with {argument:#x}");
        };
        let refused = ERRNO | libc::EPERM as u32;
        for same_user in [SameUser::Yes, SameUser::No] {
            check(same_user, libc::SYS_socket, libc::AF_UNIX as u64, refused);
            check(same_user, libc::SYS_connect, 3, refused);
            check(same_user, libc::SYS_socketpair, 0x8_0001, ALLOW);
            check(same_user, libc::SYS_socketpair, 0x8_0002, refused);
            check(same_user, libc::SYS_socketpair, 3, refused);
            check(same_user, libc::SYS_sched_setaffinity, 0, ALLOW);
            check(same_user, libc::SYS_sched_setaffinity, 77, refused);
            check(same_user, libc::SYS_fcntl, 1024, refused);
            check(same_user, libc::SYS_fcntl, 1026, refused);
            check(same_user, libc::SYS_fcntl, 1, ALLOW);
            check(same_user, libc::SYS_openat, 1, ALLOW);
        }
        check(SameUser::Yes, libc::SYS_fchmodat, 1, ERRNO);
        check(SameUser::No, libc::SYS_fchmodat, 1, ALLOW);
    }
}
