#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod door;
#[doc(hidden)]
pub mod executor;
#[doc(hidden)]
pub mod sandbox;

pub use door::{Command, End, Error, ErrorKind, Limits, Outcome, Sandbox};
pub use juror_core::model::isolation::{Isolation, RequiredIsolation};
pub use juror_core::model::outcome::{Mechanism, Meter, Signal};
pub use juror_core::model::units::Bytes;
