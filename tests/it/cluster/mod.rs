//! Real servers with the files of `juror cluster`; skipped without `nats-server`.

mod attacks;
mod init;
mod server;
mod survey;
