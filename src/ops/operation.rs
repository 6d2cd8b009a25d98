//! What a command does.

use std::path::Path;

use crate::ops::context::Context;
use crate::report::result::AnyResult;
use juror_core::event::CommandTask;
use juror_core::stop::Stop;

/// The options of a command, as the user gave them, and what it does with them.
pub trait Operation {
    type Result: AnyResult;
    /// The command, as the user types it.
    const NAME: &'static str;
    const TASK: CommandTask = CommandTask::Other;

    /// The page that the command writes. Commands that report on submissions have other options for it.
    fn html(&self) -> Option<&Path> {
        None
    }

    /// Whether it uses the terminal itself, so that the live view must not.
    fn uses_terminal(&self) -> bool {
        false
    }

    fn run(&self, context: &Context) -> Result<Self::Result, Stop>;
}
