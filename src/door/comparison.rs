//! How outputs are compared, if not as the package says: by a name, or by a checker.

use std::path::{Path, PathBuf};

use crate::door::given_program::GivenProgram;
use juror_core::check::named;
use juror_core::check::options::comparison_arguments;
use juror_core::problem::{Interaction, Problem};
use juror_core::program::{Program, ProgramKind};
use juror_core::protocol::Protocol;
use juror_core::stop::{Remark, Stop};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonMode {
    /// By this name, such as `words` or `floats,precision=4`.
    Named(String),
    /// A path, or a command.
    Checker(PathBuf),
    /// A program that is not in a file.
    Program(Box<Program>),
}

impl ComparisonMode {
    /// Accepts the name of a comparison, or anything else as a checker.
    pub fn parse(text: &str) -> Result<Self, String> {
        let named = named::parse(text).map_err(|error| error.to_string())?;
        Ok(match named {
            Some(_) => Self::Named(text.to_owned()),
            None => Self::Checker(text.into()),
        })
    }

    /// What is odd about the comparison, if anything.
    pub fn warning(&self) -> Option<String> {
        match self {
            Self::Named(text) => named::parse(text).ok()??.warning(),
            Self::Checker(_) | Self::Program(_) => None,
        }
    }
}

pub fn missing_checker(path: &Path) -> Remark {
    let what = format!("cannot find the checker {}", path.display());
    let help = match path.to_str().and_then(named::suggestion) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "`juror help comparisons` lists the names of comparisons".to_owned(),
    };
    Remark::with_help(what, help)
}

/// Replaces the package's comparison and its output validators. `option` names it in messages, and `protocol` is that of
/// a checker if the user says it.
///
/// # Errors
/// If the name or the checker is unknown, or if the problem is interactive or multi-pass.
pub fn set_comparison(
    option: &str,
    how: &ComparisonMode,
    protocol: Option<Protocol>,
    problem: &mut Problem,
) -> Result<(), Stop> {
    let refused = |remark: Remark| Stop::usage(remark.about_option(option));
    if problem.kind.interaction == Interaction::Interactive || problem.kind.passes > 1 {
        let what =
            "the problem is interactive or multi-pass: only its own output validator can judge it";
        return Err(refused(Remark::with_help(what, "leave it out")));
    }
    let (validators, args) = match how {
        ComparisonMode::Program(program) => (vec![Program::clone(program)], Vec::new()),
        ComparisonMode::Named(text) => {
            let args = comparison_arguments(text);
            (Vec::new(), args.map_err(|error| refused(error.to_string().into()))?)
        }
        ComparisonMode::Checker(path) => {
            let text = path.as_os_str();
            if !path.exists() && !text.as_encoded_bytes().contains(&b' ') {
                return Err(refused(missing_checker(path)));
            }
            let given = GivenProgram::read(option, text, ProgramKind::OutputValidator)?;
            (vec![given.judging(protocol)], Vec::new())
        }
    };
    problem.output_validators = validators;
    for case in &mut problem.test_data.cases {
        case.output_validator_args.clone_from(&args);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_a_word_or_a_checker() {
        for text in ["exact", "tokens", "float=1e-6", "wcmp", "floats,precision=4"] {
            assert_eq!(ComparisonMode::parse(text), Ok(ComparisonMode::Named(text.into())));
        }
        for text in ["check.py", "./exact", "a=b.cpp"] {
            assert_eq!(ComparisonMode::parse(text), Ok(ComparisonMode::Checker(text.into())));
        }
        for text in ["float", "float=", "float=x", "float=-1", "floats,x"] {
            assert!(ComparisonMode::parse(text).is_err(), "{text}");
        }
    }
}
