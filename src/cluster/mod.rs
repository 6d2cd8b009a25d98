//! A NATS server for workers: its configuration, its keys and certificates, and what it says of itself.
//!
//! There are two accounts. Submitters have the one with the streams. Workers have the other, without any stream: it
//! imports a service for each call that a worker makes, and nothing else. So a worker cannot ask for more, and what it
//! names as the place for an answer is a subject of its own account.

pub mod calls;
pub mod config;
pub mod findings;
#[cfg(feature = "nats")]
pub mod secrets;
#[cfg(feature = "nats")]
pub mod survey;
