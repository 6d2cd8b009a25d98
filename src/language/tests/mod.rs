//! A machine in a script, and tests with the tools of this one.

mod real_tools;
pub(in crate::language) mod scripted;
