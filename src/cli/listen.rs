//! What `juror listen` prints.

use std::io::Write;

use crate::cli::streams;
use crate::ops::context::Context;
use crate::ops::listen::{ListenMessage, ListenOptions, listen};
use crate::ops::operation::Operation;
use crate::report::log::LogFormat;
use juror_core::stop::Stop;
use juror_core::text::printable;

impl Operation for ListenOptions {
    type Result = ();
    const NAME: &'static str = "listen";

    fn run(&self, _: &Context) -> Result<(), Stop> {
        listen(self, &print_message)
    }
}

/// The problems go to standard output, the rest to standard error.
fn print_message(message: &ListenMessage) {
    match message {
        ListenMessage::Ready(port) => {
            let text = format!("listening on http://localhost:{port}/ until Ctrl-C");
            streams::print_remark(&text);
        }
        ListenMessage::Refused(reason) => {
            streams::print_remark(&format!("refused: {}", printable(reason)));
        }
        ListenMessage::Received(problem) => {
            let mut text = format!("{} ({})\n", problem.name, problem.facts);
            for line in &problem.remarks {
                text += &format!("  remark: {line}\n");
            }
            text += &format!("  {}\n", problem.command);
            // If nobody reads standard output, the files are still written.
            let mut out = streams::out(LogFormat::Text);
            _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }
}
