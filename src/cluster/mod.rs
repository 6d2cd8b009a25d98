//! A NATS server for workers: its configuration, its keys and certificates, and what it reports about itself.
//!
//! There are two accounts. The submitters' account has the streams. The workers' account has no stream: it imports a
//! service for each call that a worker makes, and nothing else. So a worker cannot ask for more, and the reply
//! subjects that it names belong to its own account.

pub mod calls;
pub mod config;
pub mod findings;
#[cfg(feature = "nats")]
pub mod secrets;
#[cfg(feature = "nats")]
pub mod survey;
