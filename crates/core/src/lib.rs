//! The plain values of judging, and the parts that start no process: comparison of outputs, and what is known about
//! languages.
//!
//! | module | content |
//! |---|---|
//! | [`units`], [`limits`], [`outcome`], [`verdict`] | what a run may use, what it did, what that means |
//! | [`job`], [`blob`], [`tree`] | a run as plain data: its command, bytes and files |
//! | [`problem`], [`judgement`], [`diagnostic`], [`event`] | what is judged, the result, remarks, progress |
//! | [`root`] | files below a directory that the user named, and no others |
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

pub mod beginner;
pub mod blob;
pub mod cache_use;
pub mod check;
pub mod class;
pub mod diagnostic;
pub mod difference;
pub mod duplicates;
pub mod event;
pub mod exit_code;
pub mod explanation;
pub mod file_name;
pub mod grader;
pub mod host;
pub mod isolation;
pub mod job;
pub mod joint;
pub mod judgement;
pub mod language;
pub mod layout;
pub mod limits;
pub mod lines;
pub mod messages;
pub mod moment;
pub mod outcome;
pub mod pattern;
pub mod placeholder;
pub mod problem;
pub mod program;
pub mod progress;
pub mod proposal;
pub mod protocol;
pub mod recent;
pub mod recipe;
pub mod repeats;
pub mod root;
pub mod score;
pub mod serial;
pub mod shard;
pub mod stop;
pub mod submission;
pub mod test_data;
pub mod text;
pub mod tree;
pub mod units;
pub mod verdict;
pub mod words;
pub mod work;
pub mod worker;
