//! How a process is started on a stack of its own.

use std::ptr;

use super::call::decode;
use super::{Errno, Result, pass};

/// The arguments of `clone3`, as far as Linux 5.7 knows them.
#[repr(C)]
#[derive(Default)]
pub(in crate::sandbox::linux) struct CloneArguments {
    pub(in crate::sandbox::linux) flags: u64,
    /// Where the kernel writes the descriptor of the new process.
    pub(in crate::sandbox::linux) pidfd: u64,
    pub(in crate::sandbox::linux) child_tid: u64,
    pub(in crate::sandbox::linux) parent_tid: u64,
    pub(in crate::sandbox::linux) exit_signal: u64,
    pub(in crate::sandbox::linux) stack: u64,
    pub(in crate::sandbox::linux) stack_size: u64,
    pub(in crate::sandbox::linux) tls: u64,
    pub(in crate::sandbox::linux) set_tid: u64,
    pub(in crate::sandbox::linux) set_tid_size: u64,
    pub(in crate::sandbox::linux) cgroup: u64,
}

/// The new process is put into the group whose directory is given.
pub(in crate::sandbox::linux) const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Starts `function(argument)` as a new process on a stack of its own; returns its number.
///
/// Containers often refuse `clone3`, as a filter cannot see its flags; then `clone` does it, unless the process is to be put
/// into a group.
///
/// # Safety
/// The arguments must name a stack that is not in use. `function` must not return, and with
/// `CLONE_VM` it must do nothing that another process that shares the memory does not expect.
pub(in crate::sandbox::linux) unsafe fn start<T>(
    arguments: &CloneArguments,
    function: extern "C" fn(*const T) -> !,
    argument: *const T,
) -> Result<i32> {
    // SAFETY: the caller's promise. If the first call fails, nothing was started.
    unsafe {
        match clone3(arguments, function, argument) {
            Err(Errno(libc::ENOSYS)) if arguments.flags & CLONE_INTO_CGROUP == 0 => {
                clone(arguments, function, argument)
            }
            started => started,
        }
    }
}

/// As [`start`], with `clone3`.
unsafe fn clone3<T>(
    arguments: &CloneArguments,
    function: extern "C" fn(*const T) -> !,
    argument: *const T,
) -> Result<i32> {
    let result: isize;
    // SAFETY: the new process starts behind the call with the stack pointer at the top of its own
    // stack, which is a multiple of 16, and leaves this block only into `function`, for good.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("syscall", "test rax, rax", "jnz 2f",
            "xor ebp, ebp", "mov rdi, r10", "call r8", "ud2", "2:",
            inlateout("rax") libc::SYS_clone3 as isize => result,
            in("rdi") ptr::from_ref(arguments), in("rsi") size_of::<CloneArguments>(),
            in("r8") function, in("r10") argument, in("r9") pass(), lateout("rcx") _, lateout("r11") _);
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("svc 0", "cbnz x0, 2f",
            "mov x29, xzr", "mov x0, x10", "blr x9", "brk 1", "2:",
            in("x8") libc::SYS_clone3, inlateout("x0") ptr::from_ref(arguments) => result,
            in("x1") size_of::<CloneArguments>(), in("x9") function, in("x10") argument, in("x5") pass());
    }
    decode(result).map(|pid| pid as i32)
}

/// As [`start`], with `clone`, which writes the new process's descriptor where it writes its number otherwise.
unsafe fn clone<T>(
    arguments: &CloneArguments,
    function: extern "C" fn(*const T) -> !,
    argument: *const T,
) -> Result<i32> {
    let flags = arguments.flags | arguments.exit_signal;
    let top = arguments.stack + arguments.stack_size;
    let result: isize;
    // SAFETY: as above.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("syscall", "test rax, rax", "jnz 2f",
            "xor ebp, ebp", "mov rdi, r13", "call r12", "ud2", "2:",
            inlateout("rax") libc::SYS_clone as isize => result,
            in("rdi") flags, in("rsi") top, in("rdx") arguments.pidfd, in("r10") 0, in("r8") 0,
            in("r12") function, in("r13") argument, lateout("rcx") _, lateout("r11") _);
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("svc 0", "cbnz x0, 2f",
            "mov x29, xzr", "mov x0, x10", "blr x9", "brk 1", "2:",
            in("x8") libc::SYS_clone, inlateout("x0") flags => result, in("x1") top,
            in("x2") arguments.pidfd, in("x3") 0, in("x4") 0, in("x9") function, in("x10") argument);
    }
    decode(result).map(|pid| pid as i32)
}
