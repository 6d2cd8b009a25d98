//! `juror-serve` as a process, and clients of the services whose dialects it speaks.

mod bounds;
mod clients;
mod process;
mod requests;
