//! Runs one program under limits, and reports facts, without judging.
//!
//! | part | systems | what it does |
//! |---|---|---|
//! | `linux` | Linux | isolates programs: its module documentation has the theory of operation |
//! | `plain` | every Unix | limits and facts without any isolation; on Linux only if asked for by name |
//! | `other` | all but Linux | offers plain only |
//! | `host_tool` | every Unix | starts the machine's tools outside of the sandbox |
//! | the rest | every Unix | common parts: slots, two programs joined by pipes, output, boxes |
//!
//! A [`Slot`] is a place where jobs run; a [`Host`] knows how programs are isolated there. Both look the same on every
//! system; only here is the system distinguished.

mod boxes;
mod capture;
mod clock;
mod control;
mod disk;
mod environment;
mod errno;
mod fault;
pub mod forks;
mod host_path;
pub mod host_tool;
mod image;
mod joined;
mod keep_box;
#[cfg(target_os = "linux")]
mod linux;
mod machine;
#[cfg(not(target_os = "linux"))]
mod other;
pub mod pace;
mod plain;
mod relay;
mod rlimits;
mod search;
mod shortage;
mod slot;
mod standard_output;
mod strings;
mod transcript;
mod translate;
mod trial;
mod wait_meter;
mod watch;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

pub use capture::spool;
pub use control::is_interrupted;
pub use disk::{SLOT_PREFIXES, remove_directory};
pub(crate) use disk::{lock_directory, lock_with};
pub(crate) use environment::PROGRAM_PATH;
pub use keep_box::copy_kept_box;
pub use machine::Machine;
pub use shortage::is_unexplained_kill;
pub use slot::{CoreId, Slot};
pub use standard_output::output_was_closed;
pub use system::{Host, dates_show_changes, inherited_limits, shown_settings};

/// The version of what a program sees and how it is measured. Kept results and workers of another version do not
/// count. `docs/design/cache.md` says when to raise it.
pub const RULES: u32 = 7;
