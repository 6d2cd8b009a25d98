//! The results of commands: each is written as JSON and shown on a page.

use std::any::Any;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::document::{CommandReport, Report};
use crate::report::json;
use crate::report::terminal::page::Page;
use juror_core::exit_code::ExitCode;

/// The result of a command that judges nothing. A [`Report`] collects the results of judging from events.
pub trait CommandResult: Any + Send + Serialize + JsonSchema {
    fn render(&self, page: &mut Page<'_>);

    fn exit_code(&self) -> ExitCode {
        ExitCode::Success
    }

    fn html(&self, _: &Report) -> Option<String> {
        None
    }

    /// Bytes for standard output. If there are some, the page goes to standard error.
    fn raw(&self) -> Option<&[u8]> {
        None
    }
}

/// A result of any type; by default one that only the events have.
pub trait AnyResult: Any + Send {
    fn render(&self, _: &mut Page<'_>) {}

    fn exit_code(&self) -> ExitCode {
        ExitCode::Success
    }

    fn html(&self, _: &Report) -> Option<String> {
        None
    }

    fn raw(&self) -> Option<&[u8]> {
        None
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the JSON document of a command that ended without its result.
    fn write_absent(report: &Report, out: &mut dyn Write) -> io::Result<()>
    where
        Self: Sized;
}

/// The document of a command: the keys that all commands have, and its own.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a, T> {
    #[serde(flatten)]
    session: &'a CommandReport,
    #[serde(flatten)]
    result: &'a T,
}

impl<T: CommandResult> AnyResult for T {
    fn render(&self, page: &mut Page<'_>) {
        CommandResult::render(self, page);
    }

    fn exit_code(&self) -> ExitCode {
        CommandResult::exit_code(self)
    }

    fn html(&self, report: &Report) -> Option<String> {
        CommandResult::html(self, report)
    }

    fn raw(&self) -> Option<&[u8]> {
        CommandResult::raw(self)
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        json::write(&Document { session: &report.session, result: self }, out)
    }

    fn write_absent(report: &Report, out: &mut dyn Write) -> io::Result<()> {
        json::write(&report.session, out)
    }
}

/// The events have the results of judging.
impl AnyResult for () {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        json::write(report, out)
    }

    fn write_absent(report: &Report, out: &mut dyn Write) -> io::Result<()> {
        json::write(report, out)
    }
}
