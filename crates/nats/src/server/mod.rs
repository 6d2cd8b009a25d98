//! A server for workers: its files, and its state.
//!
//! | part | what it does |
//! |---|---|
//! | [`calls`] | what a worker may ask a server |
//! | [`config`], [`secrets`] | configuration, keys and certificates |
//! | [`init`] | writes them, and says what to do with them |
//! | [`model`], [`survey`] | what a server says about itself, its streams and its workers |
//! | [`findings`] | what follows from that |
//! | [`show`] | both, as text |

pub mod calls;
pub mod config;
pub mod findings;
pub mod init;
pub mod model;
pub mod secrets;
pub mod show;
pub mod survey;
