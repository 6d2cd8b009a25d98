//! The single instruction that calls the kernel, for each kind of processor.

use crate::sandbox::errno::Errno;

pub(crate) type Result<T> = std::result::Result<T, Errno>;

/// Calls the kernel.
///
/// # Safety
/// The arguments must be valid for this call, pointers above all.
#[inline]
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn call(number: i64, arguments: [usize; 6]) -> Result<usize> {
    let [a, b, c, d, e, f] = arguments;
    let result: isize;
    // SAFETY: the kernel keeps all registers except these; the caller guarantees the effect of the call.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    decode(result)
}

/// Calls the kernel.
///
/// # Safety
/// The arguments must be valid for this call, pointers above all.
#[inline]
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn call(number: i64, arguments: [usize; 6]) -> Result<usize> {
    let [a, b, c, d, e, f] = arguments;
    let result: isize;
    // SAFETY: the kernel keeps all registers except these; the caller guarantees the effect of the call.
    unsafe {
        std::arch::asm!("svc 0", in("x8") number, inlateout("x0") a as isize => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f, options(nostack));
    }
    decode(result)
}

#[inline]
pub(super) fn decode(result: isize) -> Result<usize> {
    if (-4095..0).contains(&result) { Err(Errno(-result as i32)) } else { Ok(result as usize) }
}
