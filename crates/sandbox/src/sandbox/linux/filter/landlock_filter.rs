//! The calls that are refused, in addition to the usual filter, if no namespaces isolate a program: they reach what
//! landlock does not cover.

use libc::sock_filter;

use crate::sandbox::linux::filter::seccomp::{
    CallRule, EPERM, NOT_SUPPORTED, PRETEND_SUCCESS, build_filter, error_answer, forbidden_bits,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SameUser {
    Yes,
    No,
}

const ONLY_ITSELF: CallRule =
    CallRule::AllowedValues { argument: 0, values: &[0], errno: libc::EPERM };
const LEASES_AND_NOTES: CallRule = CallRule::ByValue {
    argument: 1,
    answers: &[
        (libc::F_SETLEASE, error_answer(libc::EPERM)),
        (libc::F_NOTIFY, error_answer(libc::EPERM)),
    ],
};
// Source: the kernel's `scripts/syscall.tbl`.
const FCHMODAT2: i64 = 452;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

const RULES_FOR_ALL: &[(i64, CallRule)] = &[
    // Landlock does not cover sockets with a name in the file system, such as those of many services.
    (libc::SYS_socket, EPERM),
    (libc::SYS_connect, EPERM),
    (libc::SYS_bind, EPERM),
    // Datagrams can be sent to anybody, even through one socket of a pair.
    (libc::SYS_socketpair, forbidden_bits(1, libc::SOCK_DGRAM as u32, libc::EPERM)),
    // With the name of a directory, a program could watch what happens in it.
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_inotify_init, EPERM),
    (libc::SYS_inotify_init1, EPERM),
    // They reach other processes of the user; 0 means the thread itself.
    (libc::SYS_sched_setaffinity, ONLY_ITSELF),
    (libc::SYS_sched_setscheduler, ONLY_ITSELF),
    (libc::SYS_sched_setparam, ONLY_ITSELF),
    (libc::SYS_sched_setattr, ONLY_ITSELF),
    (libc::SYS_setpriority, EPERM),
    (libc::SYS_ioprio_set, EPERM),
    (libc::SYS_fcntl, LEASES_AND_NOTES),
];

/// For programs that have the judge's own user. Landlock does not cover these ways to change a file. Compilers use
/// them on their own files, so they seem to succeed.
const SAME_USER_RULES: &[(i64, CallRule)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, PRETEND_SUCCESS),
    (libc::SYS_fchmod, PRETEND_SUCCESS),
    (libc::SYS_fchmodat, PRETEND_SUCCESS),
    (FCHMODAT2, PRETEND_SUCCESS),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chown, PRETEND_SUCCESS),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lchown, PRETEND_SUCCESS),
    (libc::SYS_fchown, PRETEND_SUCCESS),
    (libc::SYS_fchownat, PRETEND_SUCCESS),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_utime, PRETEND_SUCCESS),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_utimes, PRETEND_SUCCESS),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_futimesat, PRETEND_SUCCESS),
    (libc::SYS_utimensat, PRETEND_SUCCESS),
    (libc::SYS_removexattr, NOT_SUPPORTED),
    (libc::SYS_lremovexattr, NOT_SUPPORTED),
    (libc::SYS_fremovexattr, NOT_SUPPORTED),
    (REMOVEXATTRAT, NOT_SUPPORTED),
    (FILE_SETATTR, NOT_SUPPORTED),
];

pub(crate) fn additional_filter(same_user: SameUser) -> Vec<sock_filter> {
    let files = match same_user {
        SameUser::Yes => SAME_USER_RULES,
        SameUser::No => &[],
    };
    // None of these rules needs a pass.
    build_filter(RULES_FOR_ALL.iter().chain(files), 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::linux::filter::seccomp::tests::filter_answer;
    use crate::sandbox::linux::filter::seccomp::{ALLOW, ARCHITECTURE, ERRNO};

    #[test]
    fn a_program_without_namespaces_gets_a_second_filter() {
        let check = |same_user: SameUser, number: i64, argument: u64, expected: u32| {
            let filter = additional_filter(same_user);
            let answer = filter_answer(&filter, ARCHITECTURE, number as u32, [argument; 6]);
            assert_eq!(answer, expected, "call {number} with {argument:#x}");
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
