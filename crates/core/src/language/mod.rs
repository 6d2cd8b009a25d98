//! The language of a source, and how to build and start it, as data.
//!
//! [`sources::read`] reads a program's files. [`launch::launch_spec`] finds their language and entry point.
//! [`command_planner::plan_commands`] makes command lines from that. The tools of this machine come from [`toolchain::Toolchains`],
//! which finds each once. [`command_line::command_line`] does the same for a command that the user typed. Nothing here
//! runs a program that is to be judged.

pub mod candidates;
pub mod cargo;
pub mod command_line;
pub mod command_planner;
pub mod commands;
pub mod constants;
mod conversion;
pub mod entry;
pub mod essence;
pub mod executable;
pub mod fault;
pub mod includes;
pub mod java;
pub mod kotlin;
pub mod launch;
pub mod names;
pub mod ocaml;
pub mod perl;
pub mod probe;
pub mod sources;
pub mod start;
pub mod table;
#[cfg(test)]
mod tests;
pub mod tool;
pub mod tool_files;
pub mod toolchain;

/// The path of the box, the writable working directory, inside the sandbox.
pub const BOX: &str = "/box";

/// The path of the built program inside the sandbox, read-only.
pub const PROGRAM: &str = "/program";
