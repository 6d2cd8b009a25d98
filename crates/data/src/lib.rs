//! Makes test data, and finds out what it is worth: generates it from recipes and grammars, validates it, searches for
//! inputs that break a program, and measures how many wrong programs it catches.
//!
//! | module | content |
//! |---|---|
//! | [`recipe`], [`inputs`] | test data by recipe, a first set from a grammar; fresh inputs |
//! | [`validity`] | whether inputs are valid; whether validators and test data are right |
//! | [`search`], [`explain`] | the smallest input on which a program fails, and when it fails |
//! | [`faults`], [`strength`] | programs with one mistake each, and how many of them test data catches |
//!
//! ```
//! use juror_data::faults::{SourceText, mutants};
//!
//! let text = "n = int(input())\nprint(n if n < 10 else 10)\n";
//! let source = SourceText { name: "cap.py".into(), text: text.to_owned() };
//! let all = mutants("python3", &[source]);
//! let lines: Vec<_> = all.iter().map(|mutant| mutant.lines(text)[1].clone()).collect();
//! assert!(lines.contains(&"print(n if n <= 10 else 10)".to_owned()), "{lines:?}");
//! ```
//!
//! In `Result<Result<T, E>, Stop>`, the inner error is a finding about the package or one of its programs. A
//! [`Stop`](juror_core::stop::Stop) is none: it ends the work.
//!
//! It runs programs only through an executor of `juror-sandbox` or `juror-remote`, and prints nothing. Items follow the
//! needs of juror, and change with it.

#![forbid(unsafe_code)]

pub mod explain;
pub mod faults;
pub mod inputs;
pub mod recipe;
pub mod search;
pub mod strength;
pub mod validity;
