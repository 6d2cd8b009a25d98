//! `juror grade` with the standard streams.

use std::io::{self, IsTerminal};

use crate::cli::streams;
use crate::ops::context::Context;
use crate::ops::grade::{GradeOptions, StreamSummary, grade};
use crate::ops::operation::Operation;
use crate::report::log::LogFormat;
use juror_core::stop::Stop;

impl Operation for GradeOptions {
    type Result = StreamSummary;
    const NAME: &'static str = "grade";

    fn uses_terminal(&self) -> bool {
        self.output.is_none() && io::stdout().is_terminal()
    }

    fn run(&self, context: &Context) -> Result<StreamSummary, Stop> {
        Ok(grade(self, Box::new(streams::out(LogFormat::Json)), context))
    }
}
