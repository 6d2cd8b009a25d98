//! Runs input validators on every input: valid ones must pass all, invalid ones must be refused by at least one.
//!
//! Source: problem package format 2025-09, "Input validators" and "Invalid input".

use crate::build::bench::Bench;
use crate::executor::place;
use crate::grammar::program;
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::problem::Problem;
use crate::model::protocol::Protocol;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::tree::TreeEntry;
use crate::validate::Proving;
use crate::validate::grammars::{self, Grammar};
use crate::validate::programs::{self, Opinion, Question, Validator, ask, objection, refuses};

/// An input validator that is ready for use.
pub(super) enum InputValidator<'a> {
    Program(Box<Validator<'a>>),
    Grammar(Box<Grammar<'a>>),
}

impl InputValidator<'_> {
    /// The grammar, if it is one.
    pub(super) fn grammar(&self) -> Option<&program::Grammar> {
        match self {
            Self::Program(_) => None,
            Self::Grammar(grammar) => Some(&grammar.grammar),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Program(validator) => &validator.program.name,
            Self::Grammar(grammar) => grammar.name,
        }
    }
}

/// Prepares the problem's input validators; adds a remark for each that fails to build.
pub(super) fn ready<'a>(
    bench: &Bench<'a>,
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<InputValidator<'a>>, Stop> {
    let problem: &Problem = bench.problem;
    let grammars = grammars::read_all(problem, found)?;
    let programs = &problem.input_validators;
    let programs = programs::build(bench, "the input validator", programs, found)?;
    let grammars = grammars.into_iter().map(Box::new).map(InputValidator::Grammar);
    let programs = programs.into_iter().map(Box::new).map(InputValidator::Program);
    Ok(grammars.chain(programs).collect())
}

struct Task<'a> {
    /// Whether the input should be valid.
    is_valid: bool,
    test_case: &'a TestCase,
}

/// Runs every input validator on every input.
pub(super) fn prove(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
    found: &mut Vec<Diagnostic>,
) -> Result<(), Stop> {
    let valid = proving.valid().map(|test_case| Task { is_valid: true, test_case });
    let invalid = proving.invalid().map(|test_case| Task { is_valid: false, test_case });
    let tasks: Vec<Task<'_>> = valid.chain(invalid).collect();
    if validators.is_empty() || tasks.is_empty() {
        return Ok(());
    }
    let opinions = opinions(&proving.bench, validators, &tasks)?;
    let tasks = tasks.iter().zip(&opinions);
    let protocol = proving.bench.problem.input_protocol;
    found.extend(tasks.flat_map(|(task, opinions)| remarks(protocol, task, validators, opinions)));
    Ok(())
}

/// The opinions of all validators about each task, in parallel.
fn opinions(
    bench: &Bench<'_>,
    validators: &[InputValidator<'_>],
    tasks: &[Task<'_>],
) -> Result<Vec<Vec<Opinion>>, Stop> {
    bench.map("input validators", tasks, |task| {
        let input = Blob::file(&task.test_case.input);
        let opinion = |validator| opinion(bench, validator, task.test_case, input.clone());
        validators.iter().map(opinion).collect()
    })
}

/// The opinion of a validator about an input, with the arguments and files of a test case.
pub(super) fn opinion(
    bench: &Bench<'_>,
    validator: &InputValidator<'_>,
    test_case: &TestCase,
    input: Blob,
) -> Result<Opinion, Stop> {
    let validator = match validator {
        InputValidator::Program(validator) => validator,
        InputValidator::Grammar(grammar) => return grammar.opinion(&input, &test_case.input),
    };
    let own = &test_case.input_validator_args;
    let own = own.for_validator(&validator.program.name).iter();
    let question = Question {
        stdin: input,
        args: own.chain(&test_case.args).collect(),
        files: files(test_case).collect(),
    };
    ask(bench, validator, question)
}

/// The files of a test case's `.files` directory.
pub(super) fn files(test_case: &TestCase) -> impl Iterator<Item = TreeEntry> {
    test_case.files.iter().map(place::file)
}

/// The faults of one input.
fn remarks(
    protocol: Protocol,
    task: &Task<'_>,
    validators: &[InputValidator<'_>],
    opinions: &[Opinion],
) -> Vec<Diagnostic> {
    let path = &task.test_case.input;
    let named =
        validators.iter().zip(opinions).map(|(validator, opinion)| (validator.name(), opinion));
    if task.is_valid {
        return named
            .filter_map(|(name, it)| objection(path, "input", name, it, protocol))
            .collect();
    }
    let broken = named.filter_map(|(name, opinion)| {
        let Opinion::Broken { ending, said } = opinion else { return None };
        let message =
            format!("input validator `{name}` ends with {ending} on this invalid input{said}");
        Some(Diagnostic::warning(path, message).help(refuses(protocol)))
    });
    let mut remarks: Vec<Diagnostic> = broken.collect();
    let is_refused = opinions.iter().any(|opinion| matches!(opinion, Opinion::Refused(_)));
    if !is_refused && remarks.is_empty() {
        let help = "make a validator stricter, or move the case out of the invalid inputs";
        let message = "no input validator refuses this invalid input";
        remarks.push(Diagnostic::error(path, message).help(help));
    }
    remarks
}
