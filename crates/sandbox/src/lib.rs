#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod door;
#[doc(hidden)]
pub mod executor;
#[doc(hidden)]
pub mod sandbox;

pub use door::{Command, End, Error, ErrorKind, Limits, Outcome, Sandbox};
pub use juror_core::isolation::{Isolation, RequiredIsolation};
pub use juror_core::outcome::{Mechanism, Meter, Signal};
pub use juror_core::units::Bytes;
