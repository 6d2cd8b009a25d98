//! Servers for workers, as `juror cluster` makes them: real ones, if there is `nats-server`.

mod attacks;
mod init;
mod server;
mod survey;
