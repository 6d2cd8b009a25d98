//! Checks inputs against a grammar, generates inputs, and lists bounds.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use crate::ops::context::Context;
use crate::ops::operation::Operation;
use crate::ops::options::{given_file, one_of};
use crate::report::result::CommandResult;
use crate::report::style::TextRole;
use crate::report::terminal::columns::TableCell;
use crate::report::terminal::page::Page;
use juror_core::blob::Blob;
use juror_core::exit_code::ExitCode;
use juror_core::root::{FilePath, read_named};
use juror_core::serial::Location;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::text::{joined, printable};
use juror_data::validity::grammars::unreadable_grammar;
use juror_grammar::bounds::{Coverage, bounds};
use juror_grammar::compile::parse_grammar;
use juror_grammar::generate::generate_at;
use juror_grammar::program::Grammar;
use juror_grammar::shape::{RANDOM, Scale, Shape, applicable, find_shape};
use juror_grammar::validate::{Error, validate_blob};
use juror_grammar::value_bounds::{BoundSide, Pin, ReachedValues, ValueBound, ValueBounds};
use juror_grammar::wanted_bounds::unreached;

/// The result of `juror grammar check`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct CheckedInputs {
    /// Each input that was checked against the grammar.
    pub inputs: Vec<InputReport>,
}

/// The result of `juror grammar bounds`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GrammarBounds {
    /// The bounds of all that the grammar reads.
    pub bounds: Vec<ValueBounds>,
}

/// An input that was checked against a grammar.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InputReport {
    /// The file that was checked.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// Whether it is valid.
    pub valid: bool,
}

#[derive(Debug, Args)]
pub struct CheckOptions {
    /// The grammar
    pub grammar: PathBuf,
    /// Inputs; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct InputOptions {
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
pub struct BoundsOptions {
    /// The grammar
    pub grammar: PathBuf,
    /// Inputs, to see which bounds they reach
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
}

impl Operation for CheckOptions {
    type Result = CheckedInputs;
    const NAME: &'static str = "grammar check";

    fn run(&self, context: &Context) -> Result<CheckedInputs, Stop> {
        let grammar = read_grammar(&self.grammar, context)?;
        let mut checked = Vec::new();
        for path in self.inputs.iter().map(|path| given_file(path)) {
            let result = open_input(path).and_then(|input| {
                validate_blob(&grammar, &input, path).map_err(|error| open_error(path, &error))
            });
            if let Some(result) = context.contain_failure(result)? {
                let valid = context.contain_failure(check_result(result))?.is_some();
                checked.push(InputReport { path: path.to_owned(), valid });
            }
        }
        Ok(CheckedInputs { inputs: checked })
    }
}

impl Operation for BoundsOptions {
    type Result = GrammarBounds;
    const NAME: &'static str = "grammar bounds";

    fn run(&self, context: &Context) -> Result<GrammarBounds, Stop> {
        let grammar = read_grammar(&self.grammar, context)?;
        let mut coverage = Coverage::new(&grammar);
        for path in self.inputs.iter().map(|path| given_file(path)) {
            let input = open_input(path)
                .and_then(|input| input.read().map_err(|error| open_error(path, &error)));
            if let Some(input) = context.contain_failure(input)? {
                context.contain_failure(check_result(coverage.add(&grammar, &input, path)))?;
            }
        }
        let coverage = (!self.inputs.is_empty()).then_some(&coverage);
        Ok(GrammarBounds { bounds: bounds(&grammar, coverage) })
    }
}

fn check_result(result: Result<(), Error>) -> Result<(), Stop> {
    result.map_err(|refusal| match refusal {
        Error::Input(fault) => Stop::from(fault).refused_for(RefusalSubject::Submission),
        Error::Grammar(all) => Stop::Diagnosed(all).refused_for(RefusalSubject::Submission),
        Error::Interrupted => Stop::Interrupted,
    })
}

pub fn generate_input(options: &InputOptions, context: &Context) -> Result<Vec<u8>, Stop> {
    let grammar = read_grammar(&options.grammar, context)?;
    let shape = chosen_shape(options.shape.as_deref())?;
    let shape = match options.size {
        None => shape,
        Some(size) => apply_size(&shape, size)?,
    };
    let mut pins = Vec::new();
    for (names, end) in [(&options.least, BoundSide::Least), (&options.most, BoundSide::Most)] {
        for name in names {
            pins.extend(pins_of_variable(&grammar, name, end)?);
        }
    }
    let input = generate_at(&grammar, &shape, &pins, options.seed);
    let input = input.map_err(|what| Stop::from(what).refused_for(RefusalSubject::Submission))?;
    let unreached = unreached(&grammar, &shape, &pins, &input);
    context.send_diagnostics(unreached.iter().map(|bound| bound.warning_for_input(&grammar)));
    Ok(input)
}

/// Lists shapes that make a difference for the grammar.
pub fn shapes(path: &Path, context: &Context) -> Result<String, Stop> {
    let grammar = read_grammar(path, context)?;
    let shapes = applicable(&grammar);
    let width = shapes.iter().map(|shape| shape.name.len()).max().unwrap_or(0);
    let line = |shape: &Shape| format!("{:<width$}  {}\n", shape.name, shape.description);
    Ok(shapes.iter().map(line).collect())
}

fn chosen_shape(name: Option<&str>) -> Result<Shape, Stop> {
    let Some(name) = name else {
        return Ok(RANDOM);
    };
    find_shape(name).ok_or_else(|| {
        Stop::usage(format!(
            "unknown shape `{name}`; `juror grammar generate GRAMMAR --shapes` lists the shapes"
        ))
    })
}

fn apply_size(shape: &Shape, size: Scale) -> Result<Shape, Stop> {
    shape.sized(size).ok_or_else(|| {
        Stop::usage(format!(
            "the shape `{}` already sets the size of counts; leave out --size",
            shape.name
        ))
    })
}

/// Pins all sites that read a variable.
fn pins_of_variable(grammar: &Grammar, name: &str, end: BoundSide) -> Result<Vec<Pin>, Stop> {
    let base = |label: &str| label.split('[').next().unwrap_or_default().to_owned();
    let sites = grammar.sites.iter().enumerate();
    let pins: Vec<Pin> = sites
        .filter(|(_, site)| site.label == name || base(&site.label) == name)
        .map(|(site, _)| Pin { site, side: end })
        .collect();
    if pins.is_empty() {
        let labels = joined(grammar.sites.iter().map(|site| &site.label), ", ");
        let what = format!("the grammar has no variable `{name}`; it has {labels}");
        return Err(Stop::usage(what));
    }
    Ok(pins)
}

pub fn read_grammar(path: &Path, context: &Context) -> Result<Grammar, Stop> {
    let text = read_named(path).map_err(|error| unreadable_grammar(path, &error))?;
    let reading = parse_grammar(path, &text);
    match reading.grammar {
        None => Err(Stop::Diagnosed(reading.diagnostics)),
        Some(grammar) => context.refuse_errors(reading.diagnostics).map(|()| grammar),
    }
}

fn open_input(path: &Path) -> Result<Blob, Stop> {
    if path.is_dir() {
        return Err(Stop::usage(format!("{} is a directory", path.display())));
    }
    if path.is_file() {
        return Ok(Blob::file(&FilePath::root(path)));
    }
    // A pipe can be read only once.
    read_named(path).map(Blob::from).map_err(|error| open_error(path, &error))
}

fn open_error(path: &Path, error: &io::Error) -> Stop {
    Stop::usage(format!("cannot open {}: {error}", path.display()))
}

impl CommandResult for GrammarBounds {
    fn render(&self, page: &mut Page<'_>) {
        page.columns(
            0,
            self.bounds.iter().map(|bounds| {
                let range =
                    format!("{} to {}", describe_bound(&bounds.min), describe_bound(&bounds.max));
                let reached =
                    bounds.reached.as_ref().map(|reached| describe_reached(bounds, reached));
                [printable(&bounds.name), range, reached.unwrap_or_default()]
                    .map(TableCell::left)
                    .into()
            }),
        );
    }
}

/// Events have shown the faults of invalid inputs.
impl CommandResult for CheckedInputs {
    fn render(&self, page: &mut Page<'_>) {
        let valid = self.inputs.iter().filter(|input| input.valid && !page.style.is_quiet());
        let label = page.style.paint(TextRole::Good, "valid");
        for input in valid {
            page.line(0, &format!("{label} {}", printable(&input.path.display().to_string())));
        }
    }

    fn exit_code(&self) -> ExitCode {
        let is_valid = self.inputs.iter().all(|input| input.valid);
        if is_valid { ExitCode::Success } else { ExitCode::Rejected }
    }
}

fn describe_bound(bound: &ValueBound) -> String {
    let written = printable(&bound.written);
    match &bound.value {
        Some(value) if *value != bound.written => format!("{written} ({value})"),
        _ => written,
    }
}

fn describe_reached(bounds: &ValueBounds, reached: &ReachedValues) -> String {
    let seen = match (&reached.least, &reached.greatest) {
        (Some(least), Some(greatest)) => format!("has {least} to {greatest}"),
        _ => String::new(),
    };
    match bounds.missed_bounds() {
        None => seen,
        Some(missed) if seen.is_empty() => missed,
        Some(missed) => format!("{seen}: {missed}"),
    }
}
