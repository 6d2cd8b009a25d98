//! `juror run` at a terminal: what the user types, and what the program writes.

use std::io::{self, IsTerminal};

use crate::cli::{interactive, streams};
use crate::ops::context::Context;
use crate::ops::operation::Operation;
use crate::ops::run::{Person, RunOnceOptions, run_once};
use juror_core::stop::Stop;
use juror_judging::judge::single_run::SingleRun;

impl Operation for RunOnceOptions {
    type Result = SingleRun;
    const NAME: &'static str = "run";

    fn uses_terminal(&self) -> bool {
        io::stdin().is_terminal() || io::stdout().is_terminal()
    }

    fn run(&self, context: &Context) -> Result<SingleRun, Stop> {
        let person = Person {
            talk: &|mark, most, run| interactive::connect_terminal(mark, most, run),
            sees_output: !context.needs.stdout,
            ask: &|| {
                if io::stdin().is_terminal() {
                    streams::print_remark("type the input; Ctrl-D ends it");
                }
            },
        };
        let is_raw = !io::stdout().is_terminal();
        let run = run_once(self, &person, context)?;
        Ok(SingleRun { is_raw: is_raw && run.transcript.is_none(), ..run })
    }
}
