//! Why the system refused a call.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Errno(pub(crate) i32);

impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

impl From<rustix::io::Errno> for Errno {
    fn from(errno: rustix::io::Errno) -> Self {
        Self(errno.raw_os_error())
    }
}

macro_rules! names {
    ($($(#[$condition:meta])? $name:ident)*) => {
        &[$($(#[$condition])? (libc::$name, stringify!($name))),*]
    };
}

const NAMES: &[(i32, &str)] = names! {
    EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST EXDEV
    ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ETXTBSY EFBIG ENOSPC EROFS EPIPE ENAMETOOLONG ENOSYS ELOOP EUSERS
    EOPNOTSUPP
    #[cfg(target_os = "linux")]
    ELIBBAD
};

impl fmt::Display for Errno {
    /// The name and the system's message: `ENOENT: No such file or directory`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(number, _)| *number == self.0);
        let words = std::io::Error::from_raw_os_error(self.0).to_string();
        let words = words.split(" (os error").next().unwrap_or(&words);
        match name {
            Some((_, name)) => write!(f, "{name}: {words}"),
            None => write!(f, "error {}: {words}", self.0),
        }
    }
}
