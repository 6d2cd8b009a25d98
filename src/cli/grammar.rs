//! `juror grammar`: inputs held against a grammar, written by it, and its boundaries.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::arguments::{
    BoundsArguments, CheckArguments, GrammarCommand, InputArguments, InputSize, OutputOptions,
};
use crate::cli::exit_code::ExitCode;
use crate::cli::output::{Output, Stop, command};
use crate::grammar::bounds::{Coverage, bounds};
use crate::grammar::compile::read;
use crate::grammar::generate::{End, Pin, generate_at};
use crate::grammar::program::Grammar;
use crate::grammar::shape::{RANDOM, Shape, Size, applicable, named};
use crate::grammar::validate::{Refusal, validate};
use crate::model::event::Event;
use crate::model::judgement::JudgeError;

/// Does what is asked.
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
        for path in &arguments.inputs {
            let result = match open(path, output) {
                Ok(input) => validate(&grammar, input, path),
                Err(shown) => {
                    output.end(shown);
                    continue;
                }
            };
            let valid = judged(result, path, output)?;
            output.event(Event::InputChecked {
                input: path.clone(),
                valid,
            });
        }
        Ok(())
    })
}

/// Shows why an input is refused; whether it is valid.
fn judged(result: Result<(), Refusal>, path: &Path, output: &Output) -> Result<bool, Stop> {
    match result {
        Ok(()) => Ok(true),
        Err(Refusal::Invalid(diagnostic) | Refusal::Grammar(diagnostic)) => {
            output.event(Event::Diagnosed(diagnostic));
            Ok(false)
        }
        Err(Refusal::Io(error)) => {
            let step = format!("read {}", path.display());
            Err(Stop::Fault(JudgeError::new(step, error)))
        }
    }
}

fn generate(arguments: &InputArguments) -> ExitCode {
    // Standard output is the input that is written, to the byte.
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
        let shape = shape(arguments.shape.as_deref(), output)?;
        let shape = match arguments.size {
            None => shape,
            Some(size) => sized(&shape, size, output)?,
        };
        let mut pins = Vec::new();
        for (names, end) in [(&arguments.least, End::Least), (&arguments.most, End::Most)] {
            for name in names {
                pins.extend(pinned(&grammar, name, end, output)?);
            }
        }
        match generate_at(&grammar, &shape, &pins, arguments.seed) {
            Ok(input) => write(&input),
            Err(diagnostic) => {
                output.event(Event::Diagnosed(diagnostic));
                Err(Stop::Shown(ExitCode::Rejected))
            }
        }
    })
}

fn shape(name: Option<&str>, output: &Output) -> Result<Shape, Stop> {
    let Some(name) = name else {
        return Ok(RANDOM);
    };
    named(name).ok_or_else(|| {
        output.complain(&format!(
            "there is no shape `{name}`; `juror grammar generate GRAMMAR --shapes` lists those that there are"
        ));
        Stop::Shown(ExitCode::Usage)
    })
}

fn sized(shape: &Shape, size: InputSize, output: &Output) -> Result<Shape, Stop> {
    let size = match size {
        InputSize::Small => Size::Small,
        InputSize::Large => Size::Large,
    };
    shape.sized(size).ok_or_else(|| {
        output.complain(&format!(
            "the shape `{}` says itself how large counts are; leave out --size",
            shape.name
        ));
        Stop::Shown(ExitCode::Usage)
    })
}

/// The places where a variable is read.
fn pinned(grammar: &Grammar, name: &str, end: End, output: &Output) -> Result<Vec<Pin>, Stop> {
    let base = |label: &str| label.split('[').next().unwrap_or_default().to_owned();
    let sites = grammar.sites().iter().enumerate();
    let pins: Vec<Pin> = sites
        .filter(|(_, site)| site.label == name || base(&site.label) == name)
        .map(|(site, _)| Pin { site, end })
        .collect();
    if pins.is_empty() {
        let labels: Vec<&str> = grammar.sites().iter().map(|site| &*site.label).collect();
        output.complain(&format!(
            "the grammar reads no `{name}`; it reads {}",
            labels.join(", ")
        ));
        return Err(Stop::Shown(ExitCode::Usage));
    }
    Ok(pins)
}

fn write(bytes: &[u8]) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // A reader that has seen enough is no fault.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Stop::Failed(
            anyhow::Error::new(error).context("cannot write the input"),
        )),
    }
}

fn list_bounds(arguments: &BoundsArguments) -> ExitCode {
    command(&arguments.output, "grammar bounds", |output| {
        let grammar = grammar(&arguments.grammar, output)?;
        let mut coverage = Coverage::new(&grammar);
        for path in &arguments.inputs {
            let result = match open(path, output) {
                Ok(input) => coverage.add(&grammar, input, path),
                Err(shown) => {
                    output.end(shown);
                    continue;
                }
            };
            if !judged(result, path, output)? {
                output.end(ExitCode::Rejected);
            }
        }
        let coverage = (!arguments.inputs.is_empty()).then_some(&coverage);
        output.event(Event::BoundsListed(bounds(&grammar, coverage)));
        Ok(())
    })
}

/// Reads a grammar and shows what is wrong with it.
pub fn grammar(path: &Path, output: &Output) -> Result<Grammar, Stop> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) => {
            output.complain(&format!("cannot read {}: {error}", path.display()));
            return Err(Stop::Shown(ExitCode::Usage));
        }
    };
    let reading = read(path, &text);
    for diagnostic in reading.diagnostics {
        output.event(Event::Diagnosed(diagnostic));
    }
    reading.grammar.ok_or(Stop::Shown(ExitCode::InvalidPackage))
}

fn open(path: &PathBuf, output: &Output) -> Result<File, ExitCode> {
    let opened = File::open(path).context("cannot open it");
    let is_directory = fs::metadata(path).is_ok_and(|metadata| metadata.is_dir());
    match opened {
        Ok(file) if !is_directory => Ok(file),
        Ok(_) => {
            output.complain(&format!("{} is a directory", path.display()));
            Err(ExitCode::Usage)
        }
        Err(error) => {
            output.complain(&format!(
                "cannot open {}: {}",
                path.display(),
                error.root_cause()
            ));
            Err(ExitCode::Usage)
        }
    }
}
