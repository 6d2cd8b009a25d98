//! The plain values of judging, and the parts that start no process: comparison of outputs, and what is known about
//! languages.
//!
//! | module | content |
//! |---|---|
//! | [`model`] | units, limits, outcomes, verdicts, problems, jobs, reports; bytes, trees and files below a root |
//! | [`check`] | the default output validator: is an output right, and where does it differ? |
//! | [`language`] | the language of a source, the commands that build and start it, the compilers of a machine |
//!
//! ```
//! use std::io::Cursor;
//!
//! use juror_core::check::compare::compare;
//! use juror_core::check::options::Options;
//! use juror_core::check::show::describe;
//!
//! let options = Options::parse(&["float_tolerance".to_owned(), "1e-6".to_owned()])?;
//! let difference = |output| compare(Cursor::new("3 0.5\n"), Cursor::new(output), &options);
//! assert_eq!(difference("3   0.50000001\n")?, None);
//! let wrong = difference("3 0.6\n")?.expect("a difference");
//! assert!(describe(&wrong).starts_with("token 2 is too far off: expected `0.5`, got `0.6`"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It reads no clock and no network, and starts nothing. Its items follow the needs of juror: between versions they
//! change without notice. `juror`, `juror-sandbox` and `juror-grammar` are for others.

#![forbid(unsafe_code)]

pub mod check;
pub mod language;
pub mod model;
