//! A machine in a script.

pub(in crate::language) mod scripted;
