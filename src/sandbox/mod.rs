//! Runs one program under limits, and says what it did: facts, no judgement.
//!
//! | part | systems | what it does |
//! |---|---|---|
//! | `linux` | Linux | keeps programs apart: the theory of operation is its first page |
//! | `plain` | every Unix | limits and facts without any isolation; on Linux only if asked for by name |
//! | `other` | all but Linux | says that plain is all there is |
//! | the rest | every Unix | what both need: slots, two programs joined by pipes, output, boxes |
//!
//! A [`Slot`] is a place where jobs run; a [`Host`] says how programs are kept apart there. Both look the same
//! on every system; which of them this is is decided here and nowhere else.

mod capture;
mod clock;
mod control;
mod disk;
mod environment;
mod errno;
mod fault;
mod image;
mod joined;
mod keep;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
pub mod pace;
mod plain;
mod relay;
mod search;
mod shown;
mod slot;
mod standard;
mod streams;
mod transcript;
mod translate;
mod trial;
mod watch;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

pub use control::{Stopper, is_interrupted};
pub use keep::copy;
pub use slot::{CoreId, Slot};
pub use standard::output_was_closed;
pub use system::Host;
