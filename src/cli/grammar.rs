//! `juror grammar`: checks inputs against a grammar, generates inputs, and lists bounds.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::help::examples;
use crate::cli::options::{OutputOptions, given_file, one_of};
use crate::cli::output::{Operation, print};
use crate::ops::context::Context;
use crate::ops::grammar::{
    CheckedInputs, GrammarBounds, InputOptions, check_inputs, generate_input, list_bounds, shapes,
};
use juror_core::stop::Stop;
use juror_grammar::shape::Scale;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct GrammarArguments {
    #[command(subcommand)]
    pub command: GrammarCommand,
}

#[derive(Debug, Subcommand)]
pub enum GrammarCommand {
    /// Check inputs against a grammar: exit code 0 if all are valid, 1 if one is not
    #[command(after_long_help = examples("grammar"))]
    Check(CheckArguments),
    /// Write an input to standard output
    ///
    /// The same seed gives the same bytes on every machine. The output is always accepted by the
    /// grammar; if an ASSERT cannot be satisfied, the command says which, with exit code 1.
    #[command(after_long_help = examples("grammar"))]
    Generate(InputArguments),
    /// List the bounds of a grammar's values, and which of them the inputs reach
    #[command(after_long_help = examples("grammar"))]
    Bounds(BoundsArguments),
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The grammar
    pub grammar: PathBuf,
    /// Inputs; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub output: OutputOptions,
}

#[derive(Debug, Args)]
pub struct InputArguments {
    /// The grammar
    pub grammar: PathBuf,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How values are chosen [default: random]
    #[arg(long, value_name = "NAME")]
    pub shape: Option<String>,
    /// Size of the counts that the shape leaves open: small or large
    ///
    /// Small is about ten; large is as large as allowed, and a single test case if the input can
    /// have several.
    #[arg(long, value_parser = one_of(Scale::ALL, Scale::name), value_name = "SIZE", hide_possible_values = true)]
    pub size: Option<Scale>,
    /// List the shapes that make a difference for this grammar
    #[arg(long, conflicts_with_all = ["seed", "shape", "size", "least", "most"])]
    pub shapes: bool,
    /// Give a variable its least value; can be given several times
    #[arg(long, value_name = "VARIABLE")]
    pub least: Vec<String>,
    /// Give a variable its greatest value; can be given several times
    #[arg(long, value_name = "VARIABLE")]
    pub most: Vec<String>,
}

#[derive(Debug, Args)]
pub struct BoundsArguments {
    /// The grammar
    pub grammar: PathBuf,
    /// Inputs, to see which bounds they reach
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub output: OutputOptions,
}

fn given_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().map(|path| given_file(path).to_owned()).collect()
}

impl Operation for CheckArguments {
    type Result = CheckedInputs;
    const NAME: &'static str = "grammar check";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, context: &Context) -> Result<CheckedInputs, Stop> {
        check_inputs(&self.grammar, &given_files(&self.inputs), context)
    }
}

impl Operation for InputArguments {
    type Result = ();
    const NAME: &'static str = "grammar generate";

    fn run(&self, context: &Context) -> Result<(), Stop> {
        let options = InputOptions {
            seed: self.seed,
            shape: self.shape.clone(),
            size: self.size,
            least: self.least.clone(),
            most: self.most.clone(),
        };
        let text = if self.shapes {
            shapes(&self.grammar, context)?.into_bytes()
        } else {
            generate_input(&self.grammar, &options, context)?
        };
        print("the input", |out| out.write_all(&text))
    }
}

impl Operation for BoundsArguments {
    type Result = GrammarBounds;
    const NAME: &'static str = "grammar bounds";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, context: &Context) -> Result<GrammarBounds, Stop> {
        list_bounds(&self.grammar, &given_files(&self.inputs), context)
    }
}
