//! Whether an input is valid: all grammars, which run in this process, and all input validators in the sandbox must
//! accept it.
//!
//! Source: problem package format 2025-09, "Input validators".

mod batches;
pub mod grammars;
pub mod programs;
pub mod test_data;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use crate::validity::batches::INPUTS_BEFORE_BATCHES;
use crate::validity::batches::ValidatorBatches;
use crate::validity::grammars::grammar_objection;
use crate::validity::programs::{ProgramValidator, ValidatorInput, refusal_code};
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::protocol::Protocol;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_grammar::program::Grammar;
use juror_grammar::validate::accepts;
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_sandbox::executor::trees;

pub struct Validity<'a> {
    pub grammars: Vec<&'a Grammar>,
    /// The input validators that are programs. Each costs a process.
    programs: Vec<ProgramValidator<'a>>,
    /// Its arguments and files are used for inputs that belong to no test case.
    test_case: TestCase,
    batches: ValidatorBatches,
    /// The first input that the grammars accept and a program refuses.
    pub disputed: OnceLock<DisputedInput>,
}

#[derive(Clone, Debug)]
pub struct DisputedInput {
    pub input: Arc<[u8]>,
    pub objection: Objection,
}

/// Why a validator does not accept an input or an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Objection {
    pub validator: String,
    pub path: PathBuf,
    /// How it ends, if it neither accepts nor refuses.
    pub ending: Option<String>,
    /// The line and column in the input, if a grammar refuses it.
    pub spot: Option<(u32, u32)>,
    /// After a colon.
    pub message: String,
}

impl Objection {
    pub fn description(&self) -> String {
        let message = match &self.spot {
            Some((line, column)) => {
                let message = self.message.trim_start_matches(": ");
                format!(": line {line}, column {column}: {message}")
            }
            None => self.message.clone(),
        };
        match &self.ending {
            None => format!("refuses it{message}"),
            Some(ending) => format!("ends with {ending}{message}"),
        }
    }

    /// `what` should be valid; it is a word such as `input`.
    pub fn to_diagnostic(&self, path: &Path, what: &str, protocol: Protocol) -> Diagnostic {
        let help = if self.ending.is_none() {
            format!("correct the {what}, or the validator")
        } else {
            let (valid, invalid) = (protocol.accept_exit_code(), refusal_code(protocol));
            format!(
                "it must exit with {valid} for a valid {what}, with {invalid} for an invalid one"
            )
        };
        let message = format!("{what} validator `{}` {}", self.validator, self.description());
        Diagnostic::error(path, message).help(help)
    }
}

impl<'a> Validity<'a> {
    pub fn of_grammars(grammars: Vec<&'a Grammar>) -> Self {
        Self {
            grammars,
            programs: Vec::new(),
            test_case: TestCase::default(),
            batches: ValidatorBatches::new(None),
            disputed: OnceLock::new(),
        }
    }

    /// The validators get the arguments of this test case. Fails if one does not build.
    pub fn build(
        bench: Bench<'a>,
        grammars: Vec<&'a Grammar>,
        test_case: &TestCase,
    ) -> Result<Self, Stop> {
        let mut diagnostics = Vec::new();
        let built = Self { test_case: test_case.clone(), ..Self::of_grammars(grammars) };
        let built = built.with_programs(bench, &mut diagnostics)?;
        if diagnostics.is_empty() { Ok(built) } else { Err(Stop::Diagnosed(diagnostics)) }
    }

    /// Adds the input validators that build, and a diagnostic for each of the others.
    pub fn with_programs(
        self,
        bench: Bench<'a>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Self, Stop> {
        let all = &bench.problem.input_validators;
        let programs = programs::build_validators(bench, "the input validator", all, diagnostics)?;
        Ok(Self { programs, ..self })
    }

    /// Programs run in batches if `mode` is set.
    #[must_use]
    pub fn in_batches(self, mode: Option<BatchMode>) -> Self {
        Self { batches: ValidatorBatches::new(mode), ..self }
    }

    pub fn has_programs(&self) -> bool {
        !self.programs.is_empty()
    }

    pub fn count(&self) -> usize {
        self.grammars.len() + self.programs.len()
    }

    pub fn grammars_accept(&self, input: &[u8]) -> bool {
        self.grammars.iter().all(|grammar| accepts(grammar, input))
    }

    /// All objections to the input of a test case, those of grammars first. `path` is its name in messages.
    pub fn objections(
        &self,
        test_case: &TestCase,
        input: &Blob,
        path: &Path,
    ) -> impl Iterator<Item = Result<Objection, Stop>> {
        let ask_grammar = move |grammar: &&Grammar| grammar_objection(grammar, input, path);
        let ask_program = move |program| ask_program(program, test_case, input.clone());
        let by_grammars = self.grammars.iter().map(ask_grammar);
        by_grammars.chain(self.programs.iter().map(ask_program)).filter_map(Result::transpose)
    }

    /// The first objection of a program to an input, with the arguments and files of a test case.
    pub fn program_objection_in(
        &self,
        test_case: &TestCase,
        input: &Blob,
    ) -> Result<Option<Objection>, Stop> {
        let all =
            self.programs.iter().map(|program| ask_program(program, test_case, input.clone()));
        all.filter_map(Result::transpose).next().transpose()
    }

    /// The first objection of a program to an input that belongs to no test case.
    pub fn program_objection(&self, input: &Arc<[u8]>) -> Result<Option<Objection>, Stop> {
        self.program_objection_in(&self.test_case, &Arc::clone(input).into())
    }

    /// The first objection to an input that belongs to no test case.
    pub fn objection(&self, input: &Arc<[u8]>) -> Result<Option<Objection>, Stop> {
        let (blob, path) = (Arc::clone(input).into(), Path::new("the input"));
        self.objections(&self.test_case, &blob, path).next().transpose()
    }

    /// Which inputs all programs accept.
    pub fn accepts_each(&self, inputs: &[Arc<[u8]>]) -> Result<Vec<bool>, Stop> {
        self.batches.accepts_each(self, inputs)
    }

    pub fn accepts(&self, input: &Arc<[u8]>) -> Result<bool, Stop> {
        if !self.grammars_accept(input) {
            return Ok(false);
        }
        let Some(objection) = self.program_objection(input)? else { return Ok(true) };
        if !self.grammars.is_empty() {
            self.disputed.get_or_init(|| DisputedInput { input: Arc::clone(input), objection });
        }
        Ok(false)
    }
}

/// The program gets its own arguments, then those of the test case, and the case's files.
fn ask_program(
    validator: &ProgramValidator<'_>,
    test_case: &TestCase,
    input: Blob,
) -> Result<Option<Objection>, Stop> {
    validator.run(ValidatorInput {
        stdin: input,
        args: validator_args(validator, test_case),
        files: test_case.files.iter().map(trees::case_entry).collect(),
    })
}

fn validator_args(validator: &ProgramValidator<'_>, test_case: &TestCase) -> Vec<String> {
    let own = test_case.input_validator_args.for_validator(&validator.program.name);
    [own, &test_case.args].concat()
}
