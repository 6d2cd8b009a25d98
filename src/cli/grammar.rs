//! `juror grammar`: checks inputs against a grammar, generates inputs, and lists bounds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::cli::exit_code::ExitCode;
use crate::cli::help::examples;
use crate::cli::options::{OutputOptions, given_file, one_of};
use crate::cli::output::{Output, command, print};
use crate::grammar::bounds::{Coverage, bounds};
use crate::grammar::compile::read;
use crate::grammar::generate::{End, Pin, generate_at};
use crate::grammar::program::Grammar;
use crate::grammar::shape::{RANDOM, Scale, Shape, applicable, named};
use crate::grammar::validate::{Rejection, validate_blob};
use crate::grammar::wanted::unreached;
use crate::model::blob::Blob;
use crate::model::event::Event;
use crate::model::report::InputReport;
use crate::model::root::FilePath;
use crate::model::stop::{Mend, Stop};
use crate::model::text::joined;

/// Arguments of `juror grammar`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct GrammarArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: GrammarCommand,
}

/// What to do with a grammar.
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

/// Arguments of `juror grammar check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The grammar
    pub grammar: PathBuf,
    /// Inputs; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Arguments of `juror grammar generate`.
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

/// Arguments of `juror grammar bounds`.
#[derive(Debug, Args)]
pub struct BoundsArguments {
    /// The grammar
    pub grammar: PathBuf,
    /// Inputs, to see which bounds they reach
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Runs the command.
pub fn run(command: &GrammarCommand) -> ExitCode {
    match command {
        GrammarCommand::Check(arguments) => check(arguments),
        GrammarCommand::Generate(arguments) => generate(arguments),
        GrammarCommand::Bounds(arguments) => list_bounds(arguments),
    }
}

fn check(arguments: &CheckArguments) -> ExitCode {
    command(&arguments.output, "grammar check", |output| {
        let grammar = grammar(&arguments.grammar, output)?;
        for path in arguments.inputs.iter().map(|it| given_file(it)) {
            let checked = open(path).and_then(|input| {
                validate_blob(&grammar, &input, path).map_err(|error| cannot_open(path, &error))
            });
            let Some(checked) = output.part(checked)? else {
                continue;
            };
            let valid = output.part(held(checked))?.is_some();
            output.event(Event::InputChecked(InputReport { path: path.to_owned(), valid }));
        }
        Ok(())
    })
}

/// The result of checking an input against a grammar.
fn held(result: Result<(), Rejection>) -> Result<(), Stop> {
    result.map_err(|refusal| match refusal {
        Rejection::Invalid(diagnostic) | Rejection::Grammar(diagnostic) => {
            Stop::from(diagnostic).blame(Mend::Submission)
        }
        Rejection::Interrupted => Stop::Interrupted,
    })
}

fn generate(arguments: &InputArguments) -> ExitCode {
    // Standard output contains exactly the generated input.
    command(&OutputOptions::default(), "grammar generate", |output| {
        let grammar = grammar(&arguments.grammar, output)?;
        if arguments.shapes {
            let shapes = applicable(&grammar);
            let width = shapes.iter().map(|shape| shape.name.len()).max();
            let lines = shapes.iter().map(|shape| {
                let width = width.unwrap_or(0);
                format!("{:<width$}  {}\n", shape.name, shape.description)
            });
            return write(lines.collect::<String>().as_bytes());
        }
        let shape = shape(arguments.shape.as_deref())?;
        let shape = match arguments.size {
            None => shape,
            Some(size) => sized(&shape, size)?,
        };
        let mut pins = Vec::new();
        for (names, end) in [(&arguments.least, End::Least), (&arguments.most, End::Most)] {
            for name in names {
                pins.extend(pinned(&grammar, name, end)?);
            }
        }
        let input = generate_at(&grammar, &shape, &pins, arguments.seed);
        let input = input.map_err(|what| Stop::from(what).blame(Mend::Submission))?;
        let unreached = unreached(&grammar, &shape, &pins, &input);
        output.diagnosed(unreached.iter().map(|it| it.remark(&grammar)));
        write(&input)
    })
}

fn shape(name: Option<&str>) -> Result<Shape, Stop> {
    let Some(name) = name else {
        return Ok(RANDOM);
    };
    named(name).ok_or_else(|| {
        Stop::usage(format!(
            "unknown shape `{name}`; `juror grammar generate GRAMMAR --shapes` lists the shapes"
        ))
    })
}

fn sized(shape: &Shape, size: Scale) -> Result<Shape, Stop> {
    shape.sized(size).ok_or_else(|| {
        Stop::usage(format!(
            "the shape `{}` already sets the size of counts; leave out --size",
            shape.name
        ))
    })
}

/// Pins all sites that read a variable.
fn pinned(grammar: &Grammar, name: &str, end: End) -> Result<Vec<Pin>, Stop> {
    let base = |label: &str| label.split('[').next().unwrap_or_default().to_owned();
    let sites = grammar.sites.iter().enumerate();
    let pins: Vec<Pin> = sites
        .filter(|(_, site)| site.label == name || base(&site.label) == name)
        .map(|(site, _)| Pin { site, end })
        .collect();
    if pins.is_empty() {
        let labels = joined(grammar.sites.iter().map(|site| &site.label), ", ");
        let what = format!("the grammar has no variable `{name}`; it has {labels}");
        return Err(Stop::usage(what));
    }
    Ok(pins)
}

fn write(bytes: &[u8]) -> Result<(), Stop> {
    print("the input", |out| out.write_all(bytes))
}

fn list_bounds(arguments: &BoundsArguments) -> ExitCode {
    command(&arguments.output, "grammar bounds", |output| {
        let grammar = grammar(&arguments.grammar, output)?;
        let mut coverage = Coverage::new(&grammar);
        for path in arguments.inputs.iter().map(|it| given_file(it)) {
            let input = open(path)
                .and_then(|input| input.start(u64::MAX).map_err(|error| cannot_open(path, &error)));
            if let Some(input) = output.part(input)? {
                output.part(held(coverage.add(&grammar, &input, path)))?;
            }
        }
        let coverage = (!arguments.inputs.is_empty()).then_some(&coverage);
        output.event(Event::BoundsListed(bounds(&grammar, coverage)));
        Ok(())
    })
}

/// Reads a grammar and shows its diagnostics.
pub fn grammar(path: &Path, output: &Output) -> Result<Grammar, Stop> {
    let text = fs::read(path)
        .map_err(|error| Stop::usage(format!("cannot read {}: {error}", path.display())))?;
    let reading = read(path, &text);
    match reading.grammar {
        None => Err(Stop::Diagnosed(reading.diagnostics)),
        Some(grammar) => output.remarked(reading.diagnostics).map(|()| grammar),
    }
}

fn open(path: &Path) -> Result<Blob, Stop> {
    if path.is_dir() {
        return Err(Stop::usage(format!("{} is a directory", path.display())));
    }
    if path.is_file() {
        return Ok(Blob::file(&FilePath::root(path)));
    }
    // A pipe can be read only once.
    fs::read(path).map(Blob::from).map_err(|error| cannot_open(path, &error))
}

fn cannot_open(path: &Path, error: &io::Error) -> Stop {
    Stop::usage(format!("cannot open {}: {error}", path.display()))
}
