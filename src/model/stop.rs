//! Why work ended before it was done.

use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;

/// Why there is no result. Whoever meets one hands it on with `?`; only the command shows it. What was found until
/// then is with whoever asked: in its events, or in what it gave to be filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Somebody wanted it to end: Ctrl-C, or a request to terminate.
    Interrupted,
    /// The judge failed.
    Fault(JudgeError),
    /// The package must be mended first.
    Diagnosed(Vec<Diagnostic>),
    /// It cannot be done as it was asked for: what must be mended, and all that is wrong with it.
    Refused(Mend, Vec<Remark>),
}

/// What must be mended by whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// The command line.
    CommandLine,
    /// What was selected: it is nothing.
    Selection,
    /// The package.
    Package,
    /// What is at work on: a submission, an input, the data.
    Submission,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// About a file.
    Diagnostic(Diagnostic),
    /// About anything else: what, and the way out.
    Sentence(String),
}

impl Stop {
    /// The command line asks for what cannot be done.
    pub fn usage(what: impl Into<Remark>) -> Self {
        Self::Refused(Mend::CommandLine, vec![what.into()])
    }

    /// The same, if what was diagnosed is not the package's: `mend` says whose it is.
    #[must_use]
    pub fn blame(self, mend: Mend) -> Self {
        match self {
            Self::Diagnosed(remarks) => {
                Self::Refused(mend, remarks.into_iter().map(Remark::from).collect())
            }
            stop => stop,
        }
    }
}

/// The result; if something was diagnosed instead, that goes to `found`, so that what else is wrong can be told too.
///
/// # Errors
/// Any other stop.
pub fn noting<T>(result: Result<T, Stop>, found: &mut Vec<Diagnostic>) -> Result<Option<T>, Stop> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(Stop::Diagnosed(remarks)) => {
            found.extend(remarks);
            Ok(None)
        }
        Err(stop) => Err(stop),
    }
}

impl From<JudgeError> for Stop {
    fn from(error: JudgeError) -> Self {
        Self::Fault(error)
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnosed(vec![diagnostic])
    }
}

impl From<Diagnostic> for Remark {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostic(diagnostic)
    }
}

impl From<String> for Remark {
    fn from(sentence: String) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<&str> for Remark {
    fn from(sentence: &str) -> Self {
        Self::Sentence(sentence.to_owned())
    }
}
