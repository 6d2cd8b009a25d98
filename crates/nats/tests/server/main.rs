//! `juror-nats` with a real NATS server, which the tests start. Without one they are skipped, visibly.

mod attacks;
mod cluster;
mod faults;
mod init;
mod jobs;
mod packages;
mod process;
mod survey;
