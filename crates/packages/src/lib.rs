//! Reads problem packages of all formats into one model, and reports every fault with its place. Also writes packages
//! in other formats, makes new ones, and renders statements.
//!
//! | module | content |
//! |---|---|
//! | [`package`] | readers of all formats, such as Kattis, ICPC, Polygon, CMS; writers; recipes |
//! | [`statement`] | statements in Markdown and LaTeX as one HTML page |
//! | [`new`] | templates of new packages |
//!
//! ```
//! use std::fs;
//!
//! let directory = tempfile::tempdir()?;
//! fs::write(directory.path().join("1.in"), "1 2\n")?;
//! fs::write(directory.path().join("1.ans"), "3\n")?;
//! fs::write(directory.path().join("2.in"), "4 5\n")?;
//! let reading = juror_packages::package::read(directory.path());
//! let problem = reading.problem.expect("bare tests");
//! assert_eq!(problem.test_data.judged_cases().len(), 1);
//! let faults: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
//! assert!(faults[0].contains("2.in"), "{faults:?}");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! A package may be hostile: no link is followed out of it, and sizes are limited. Nothing in it is started. Whether
//! its test data is right, `juror-data` finds out. Items follow the needs of juror, and change with it.

#![forbid(unsafe_code)]

#[cfg(feature = "writers")]
pub mod new;
pub mod package;
#[cfg(feature = "writers")]
pub mod statement;
