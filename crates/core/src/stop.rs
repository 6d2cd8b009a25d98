//! Why work ended early.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::diagnostic::Diagnostic;
use crate::judgement::JudgeError;

/// Why there is no result. Only the command shows it; other code passes it on with `?`. The caller has what was done
/// before: in its events, or in values that it passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Ctrl-C, or a request to terminate.
    Interrupted,
    /// The judge failed.
    Fault(JudgeError),
    /// The package must be fixed first.
    Diagnosed(Vec<Diagnostic>),
    /// The request is impossible: what must be fixed, and every problem with it.
    Refused(RefusalSubject, Vec<Remark>),
}

/// Whether a signal asked this process to end. A process has only one set of signals.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether work noticed that.
static WAS_NOTICED: AtomicBool = AtomicBool::new(false);

/// Records that a signal asks this process to end.
pub fn interrupt() {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Long work that runs no programs calls this often, and returns [`Stop::Interrupted`] if it is true.
pub fn is_interrupted() -> bool {
    let is_interrupted = IS_INTERRUPTED.load(Ordering::Relaxed);
    if is_interrupted {
        notice_interruption();
    }
    is_interrupted
}

/// Records that work ends because of a signal.
pub fn notice_interruption() {
    WAS_NOTICED.store(true, Ordering::Relaxed);
}

pub fn was_interruption_noticed() -> bool {
    WAS_NOTICED.load(Ordering::Relaxed)
}

pub fn check_interrupted() -> Result<(), Stop> {
    if is_interrupted() { Err(Stop::Interrupted) } else { Ok(()) }
}

/// What the user must fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalSubject {
    CommandLine,
    /// The selection: it is empty.
    Selection,
    Package,
    /// A submission, an input or other data.
    Submission,
    /// A program of the command line that others are judged by: a generator, a reference or a checker.
    HelperProgram,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    Diagnostic(Diagnostic),
    Sentence {
        /// What is wrong. Without help, it also says what to do.
        message: String,
        help: Option<String>,
    },
}

impl Remark {
    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Sentence { message: message.into(), help: Some(help.into()) }
    }

    /// Puts the name of an option or a value before the message.
    #[must_use]
    pub fn about_option(self, name: &str) -> Self {
        match self {
            Self::Sentence { message, help } => {
                Self::Sentence { message: format!("{name}: {message}"), help }
            }
            diagnostic @ Self::Diagnostic(_) => diagnostic,
        }
    }

    pub fn into_parts(self) -> (String, Option<String>) {
        match self {
            Self::Sentence { message, help } => (message, help),
            Self::Diagnostic(it) => (it.message, it.help),
        }
    }
}

impl Stop {
    /// For a command line that asks for something impossible.
    pub fn usage(what: impl Into<Remark>) -> Self {
        Self::Refused(RefusalSubject::CommandLine, vec![what.into()])
    }

    /// For diagnostics that are not about the package.
    #[must_use]
    pub fn refused_for(self, mend: RefusalSubject) -> Self {
        match self {
            Self::Diagnosed(remarks) => {
                Self::Refused(mend, remarks.into_iter().map(Remark::from).collect())
            }
            stop => stop,
        }
    }
}

impl fmt::Display for Stop {
    /// One line for each problem, and one for its help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let helped = |message: String, help: &Option<String>| match help {
            Some(help) => format!("{message}\n{help}"),
            None => message,
        };
        let diagnostic = |it: &Diagnostic| helped(it.to_string(), &it.help);
        let lines: Vec<String> = match self {
            Self::Interrupted => vec!["interrupted".to_owned()],
            Self::Fault(error) => vec![helped(format!("cannot {error}"), &error.help)],
            Self::Diagnosed(all) => all.iter().map(diagnostic).collect(),
            Self::Refused(_, remarks) => remarks
                .iter()
                .map(|remark| match remark {
                    Remark::Diagnostic(it) => diagnostic(it),
                    Remark::Sentence { message, help } => helped(message.clone(), help),
                })
                .collect(),
        };
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Stop {}

/// The result.
///
/// Diagnostics are added to `found` instead, so that other problems can be reported, too.
pub fn collect_diagnostics<T>(
    result: Result<T, Stop>,
    found: &mut Vec<Diagnostic>,
) -> Result<Option<T>, Stop> {
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
        Self::Sentence { message: sentence, help: None }
    }
}

impl From<&str> for Remark {
    fn from(sentence: &str) -> Self {
        sentence.to_owned().into()
    }
}

impl From<JudgeError> for Remark {
    fn from(error: JudgeError) -> Self {
        Self::Sentence { message: format!("cannot {error}"), help: error.help }
    }
}
