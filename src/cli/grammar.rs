//! `juror grammar`: its commands, and the input that one of them prints.

use clap::{Args, Subcommand};

use crate::cli::output::{CommandArguments, print};
use crate::ops::context::Context;
use crate::ops::grammar::{BoundsOptions, CheckOptions, InputOptions, generate_input, shapes};
use crate::ops::operation::Operation;
use juror_core::stop::Stop;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct GrammarArguments {
    #[command(subcommand)]
    pub command: GrammarCommand,
}

#[derive(Debug, Subcommand)]
pub enum GrammarCommand {
    /// Check inputs against a grammar: exit code 0 if all are valid, 1 if one is not
    Check(CommandArguments<CheckOptions>),
    /// Write an input to standard output
    ///
    /// The same seed gives the same bytes on every machine. The output is always accepted by the
    /// grammar; if an ASSERT cannot be satisfied, the command says which, with exit code 1.
    Generate(CommandArguments<InputOptions, (), ()>),
    /// List the bounds of a grammar's values, and which of them the inputs reach
    Bounds(CommandArguments<BoundsOptions>),
}

impl Operation for InputOptions {
    type Result = ();
    const NAME: &'static str = "grammar generate";

    fn run(&self, context: &Context) -> Result<(), Stop> {
        let text = if self.shapes {
            shapes(&self.grammar, context)?.into_bytes()
        } else {
            generate_input(self, context)?
        };
        Ok(print("the input", |out| out.write_all(&text))?)
    }
}
