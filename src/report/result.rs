//! The results of commands: each is written as JSON and shown on a page.

use std::any::Any;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::document::{CommandReport, Report};
use crate::report::html::PageContent;
use crate::report::json;
use crate::report::terminal::page::Page;
use juror_core::event::CommandTask;
use juror_core::exit_code::ExitCode;

/// The result of a command that judges nothing. A [`Report`] collects the results of judging from events.
pub trait CommandResult {
    fn render(&self, page: &mut Page<'_>);

    fn exit_code(&self) -> ExitCode {
        ExitCode::Success
    }

    /// What a page shows in addition to the report.
    fn page_content(&self) -> PageContent<'_> {
        PageContent::Nothing
    }

    /// Bytes for standard output. If there are some, the page goes to standard error.
    fn raw(&self) -> Option<&[u8]> {
        None
    }
}

/// A result of any type; by default one that only the events have.
pub trait AnyResult: Any + Send {
    fn shown(&self) -> Option<&dyn CommandResult> {
        None
    }

    /// Writes the JSON document of the command.
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        json::write(report, out)
    }
}

/// Writes the JSON document of a command that ended without its result.
pub fn write_absent(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    match report.session.task {
        CommandTask::Other => json::write(&report.session, out),
        _ => json::write(report, out),
    }
}

/// The document of a command: the keys that all commands have, and its own.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a, T> {
    #[serde(flatten)]
    session: &'a CommandReport,
    #[serde(flatten)]
    result: &'a T,
}

impl<T: CommandResult + Any + Send + Serialize + JsonSchema> AnyResult for T {
    fn shown(&self) -> Option<&dyn CommandResult> {
        Some(self)
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        json::write(&Document { session: &report.session, result: self }, out)
    }
}

/// The events have the results of judging.
impl AnyResult for () {}
