//! `juror listen`: receives problems from a browser.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::cli::output::Operation;
use crate::cli::streams;
use crate::ops::context::Context;
use crate::ops::listen::{ListenMessage, ListenOptions, listen};
use crate::report::log::LogFormat;
use juror_core::stop::Stop;
use juror_core::text::printable;

#[derive(Debug, Args)]
pub struct ListenArguments {
    /// Make the directories of problems here
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Listen on this port, and enter it in the extension, too [default: the first free one of its own]
    ///
    /// Its own ports are 1327, 4244, 6174, 10042, 10043, 10045 and 27121. 0 takes any free port.
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Copy FILE into each new problem's directory, under its own name, such as main.cpp
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
}

impl Operation for ListenArguments {
    type Result = ();
    const NAME: &'static str = "listen";

    fn run(&self, _: &Context) -> Result<(), Stop> {
        let options = ListenOptions {
            dir: self.dir.clone(),
            port: self.port,
            template: self.template.clone(),
        };
        listen(&options, &print_message)
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
