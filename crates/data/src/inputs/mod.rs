//! Fresh inputs of a problem, from several sources that share the time.
//!
//! [`candidates`] gives inputs: from the grammar ([`by_grammar`], with the special [`numbers`] of programs and
//! [`table_sizes`]), and from the package's own generators ([`by_recipe`]). Without a grammar, it also gives changed
//! copies of test cases ([`by_test_cases`]). Inputs that reach new edges of programs are changed further
//! ([`by_coverage`]). A generator of the command line is the only source ([`by_generator`]).

pub mod by_coverage;
pub mod by_generator;
pub mod by_grammar;
pub mod by_recipe;
pub mod by_test_cases;
pub mod candidates;
pub mod numbers;
pub mod table_sizes;
pub mod word_lines;
