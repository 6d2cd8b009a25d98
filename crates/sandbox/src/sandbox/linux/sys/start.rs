//! Starts a process on its own stack.

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

/// Puts the new process into the group whose directory is given.
pub(in crate::sandbox::linux) const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Starts `function(argument)` as a new process on its own stack; returns its number.
///
/// Containers often refuse `clone3`, because a filter cannot see its flags; then `clone` is used, unless the process
/// must be put into a group.
///
/// # Safety
/// The arguments must name a stack that is not in use. `function` must not return, and with
/// `CLONE_VM` it must do nothing that another process that shares the memory does not expect.
pub(in crate::sandbox::linux) unsafe fn start<T>(
    arguments: &CloneArguments,
    function: extern "C" fn(*const T) -> !,
    argument: *const T,
) -> Result<i32> {
    let size = size_of::<CloneArguments>() as u64;
    let registers = [ptr::from_ref(arguments) as u64, size, 0, 0, 0, pass() as u64];
    // SAFETY: the caller's guarantee.
    let started = unsafe { call_kernel(libc::SYS_clone3, registers, function, argument) };
    if started != Err(Errno(libc::ENOSYS)) || arguments.flags & CLONE_INTO_CGROUP != 0 {
        return started;
    }
    let flags = arguments.flags | arguments.exit_signal;
    let top = arguments.stack + arguments.stack_size;
    // `clone` writes the new process's descriptor where it would otherwise write its number.
    let registers = [flags, top, arguments.pidfd, 0, 0, 0];
    // SAFETY: the caller's guarantee, and nothing was started.
    unsafe { call_kernel(libc::SYS_clone, registers, function, argument) }
}

/// Calls the kernel; the new process continues with `function(argument)`.
///
/// # Safety
/// As [`start`]; the call must be one that starts a process on its own stack.
unsafe fn call_kernel<T>(
    call: i64,
    registers: [u64; 6],
    function: extern "C" fn(*const T) -> !,
    argument: *const T,
) -> Result<i32> {
    let result: isize;
    // SAFETY: the new process starts after the call with the stack pointer at the top of its own stack, which is a
    // multiple of 16, and leaves this block only into `function`, for good.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("syscall", "test rax, rax", "jnz 2f",
            "xor ebp, ebp", "mov rdi, r13", "call r12", "ud2", "2:",
            inlateout("rax") call as isize => result, in("rdi") registers[0], in("rsi") registers[1],
            in("rdx") registers[2], in("r10") registers[3], in("r8") registers[4], in("r9") registers[5],
            in("r12") function, in("r13") argument, lateout("rcx") _, lateout("r11") _);
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("svc 0", "cbnz x0, 2f",
            "mov x29, xzr", "mov x0, x10", "blr x9", "brk 1", "2:",
            in("x8") call, inlateout("x0") registers[0] as isize => result, in("x1") registers[1],
            in("x2") registers[2], in("x3") registers[3], in("x4") registers[4], in("x5") registers[5],
            in("x9") function, in("x10") argument);
    }
    decode(result).map(|pid| pid as i32)
}
