//! Faults of a program or a command, in words that name the files, with help.

use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::judgement::JudgeError;
use crate::language::toolchain::MissingTool;
use crate::stop::Stop;
use crate::text::short_list;

/// A fault of a program or a command that its author must fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
pub struct ProgramFault {
    pub message: String,
    pub help: Option<String>,
}

impl ProgramFault {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..Self::without_help(message) }
    }

    pub(super) fn without_help(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    #[must_use]
    pub(super) fn about_file(self, file: &Path) -> Self {
        Self { message: format!("`{}` {}", file.display(), self.message), ..self }
    }

    pub fn to_diagnostic(self, path: &Path) -> Diagnostic {
        Diagnostic { help: self.help, ..Diagnostic::error(path, self.message) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchFault {
    #[error(transparent)]
    Fault(#[from] ProgramFault),
    /// A fault of the machine.
    #[error(transparent)]
    Tool(#[from] MissingTool),
}

impl LaunchFault {
    pub(super) fn about_file(self, path: &Path) -> Self {
        match self {
            Self::Fault(fault) => fault.about_file(path).into(),
            fault => fault,
        }
    }

    pub fn to_stop(self, path: &Path) -> Stop {
        match self {
            Self::Fault(fault) => fault.to_diagnostic(path).into(),
            Self::Tool(missing) => JudgeError::from(missing).into(),
        }
    }
}

/// If there are many, only the first ones.
pub(super) fn quoted_list(files: &[PathBuf]) -> String {
    list_first(files.iter().map(|file| format!("`{}`", file.display())))
}

pub(super) fn list_first(all: impl IntoIterator<Item = String>) -> String {
    const SHOWN: usize = 8;
    short_list(&Vec::from_iter(all), SHOWN)
}
