//! Readers and writers of problem packages in all formats, templates, statements.

#![forbid(unsafe_code)]

pub mod new;
pub mod package;
pub mod statement;
