//! Which language a source is in, and how to build and start it, as data.
//!
//! [`sources::read`] brings a program's files, [`recipe::recipe`] says in which language they are and
//! where they start, [`planner::plan`] makes command lines of that with the tools of this machine, which
//! [`toolchain::Toolchains`] finds once. [`command_line::command_line`] does the same for a command that
//! the user typed. Nothing here runs a program that is to be judged.

pub mod cargo;
pub mod command_line;
pub mod constants;
pub mod entry;
pub mod essence;
pub mod executable;
pub mod fault;
pub mod find;
pub mod java;
pub mod plan;
pub mod planner;
pub mod probe;
pub mod recipe;
pub mod sources;
pub mod table;
#[cfg(test)]
mod tests;
pub mod tool;
pub mod toolchain;

/// Where the box, the writable working directory, is seen from inside.
pub const BOX: &str = "/box";

/// Where the built program is seen from inside, read-only.
pub const PROGRAM: &str = "/program";
