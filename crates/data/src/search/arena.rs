//! The parts that all searches share: the sources of inputs, the programs that check and answer them, and the clock.

use std::sync::Arc;

use crate::inputs::by_generator::GeneratorInputs;
use crate::inputs::by_grammar;
use crate::inputs::by_recipe::RecipeInputs;
use crate::inputs::by_test_cases::{COPY_BYTES_MAX, VariedTestCases};
use crate::inputs::candidates::{Candidate, CandidateContent, SourceMix, SourceShare};
use crate::inputs::numbers::special_numbers;
use crate::inputs::table_sizes::table_sizes;
use crate::recipe::built_generators::{BuiltGenerators, GeneratorCall};
use crate::recipe::seeded_generator::{SeededCall, SeededGenerator};
use crate::search::known_answers::KnownAnswers;
use crate::search::output_batches::OutputBatches;
use crate::search::problem_inputs::ProblemInputs;
use crate::search::result::CounterexampleOrigin;
use crate::validity::Validity;
use juror_core::diagnostic::Diagnostic;
use juror_core::program::BuildVariant;
use juror_core::stop::{RefusalSubject, Stop};
use juror_grammar::program::Grammar;
use juror_grammar::shape::SpecialNumbers;
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::Rules;
use juror_judging::recipe::solution::Solution;
use juror_sandbox::executor::scheduler::Scheduler;

pub struct Arena<'a> {
    pub bench: Bench<'a>,
    pub inputs: &'a ProblemInputs,
    pub rules: &'a Rules<'a>,
    /// Ends the runs when the time is over.
    pub scheduler: &'a Scheduler,
    pub validity: Validity<'a>,
    /// `None` if there are no generators, or if they are not used.
    pub generators: Option<BuiltGenerators<'a>>,
    /// The generator of the command line. It makes all inputs.
    pub seeded: Option<SeededGenerator<'a>>,
    /// The program that makes judge answers if there is no output to compare.
    pub solution: Option<Solution<'a>>,
    pub known_answers: KnownAnswers,
    pub(super) output_batches: OutputBatches<'a>,
    /// Special numbers for inputs.
    pub numbers: Arc<SpecialNumbers>,
}

#[derive(Clone, Debug)]
pub struct SearchInput {
    /// An index among all candidates.
    pub number: u64,
    pub input: Arc<[u8]>,
    pub origin: CounterexampleOrigin,
    /// The call of the generator that printed it.
    pub call: Option<GeneratorCall>,
    /// The call of the generator of the command line that printed it.
    pub seeded: Option<SeededCall>,
}

/// Why a generator made no input.
#[derive(Clone, Debug)]
pub enum UnmadeInput {
    /// The package's generator failed: the input is left out.
    LeftOut(String),
    /// The generator of the command line is at fault.
    Fault(Box<Diagnostic>),
}

const GENERATOR_SHARE: u32 = 2;
/// The share of changed copies of test cases.
const COPY_SHARE: u32 = 2;

impl<'a> Arena<'a> {
    /// Builds the programs that check and answer inputs. Validators run in batches if `batch_mode` is set.
    /// Fails if a program does not build.
    pub fn open(
        bench: Bench<'a>,
        inputs: &'a ProblemInputs,
        rules: &'a Rules<'a>,
        scheduler: &'a Scheduler,
        batch_mode: Option<BatchMode>,
    ) -> Result<Self, Stop> {
        let path = inputs.answer_maker.as_ref();
        let grammars = inputs.grammars.iter().collect();
        Ok(Self {
            bench,
            inputs,
            rules,
            scheduler,
            solution: path.map(|path| Solution::build(&bench, path)).transpose()?,
            validity: Validity::build(bench, grammars, &inputs.test_case)?.in_batches(batch_mode),
            generators: None,
            seeded: None,
            known_answers: KnownAnswers::default(),
            output_batches: OutputBatches::new(
                bench,
                &inputs.test_case,
                &rules.validators.output,
                batch_mode,
            ),
            numbers: special_numbers([], &[], []),
        })
    }

    /// Builds the generator of the command line, or else those of the package if a line of the recipe has a seed.
    pub fn with_generators(self) -> Result<Self, Stop> {
        if let Some(given) = &self.inputs.seeded {
            let seeded = SeededGenerator::build(self.bench, given);
            let seeded = seeded.map_err(|stop| stop.refused_for(RefusalSubject::HelperProgram))?;
            return Ok(Self { seeded: Some(seeded), ..self });
        }
        let recipe = self.inputs.recipe.as_ref().filter(|_| !self.inputs.lines.is_empty());
        let generators =
            recipe.map(|recipe| BuiltGenerators::build(self.bench, recipe)).transpose()?;
        Ok(Self { generators, ..self })
    }

    /// Numbers in the texts of programs become special, and the sizes of their tables.
    pub fn with_numbers_of(self, texts: &[String], variant: &BuildVariant) -> Result<Self, Stop> {
        let sizes = table_sizes(texts, variant, &self.bench, self.scheduler)?;
        let bounds = self.grammar().map(by_grammar::greatest_values).unwrap_or_default();
        let texts = texts.iter().map(String::as_str);
        Ok(Self { numbers: special_numbers(texts, &bounds, sizes), ..self })
    }

    /// The grammar that makes inputs.
    pub fn grammar(&self) -> Option<&Grammar> {
        self.inputs.grammars.first()
    }

    /// All sources of inputs: the generator of the command line; or else the grammar, up to `most` bytes; the
    /// generators if they are built; and changed copies of test cases on request.
    pub fn candidates(&self, has_copies: bool, seed: u64, most: Option<usize>) -> SourceMix<'_> {
        let inputs = self.inputs;
        let mut mix = SourceMix::default();
        if let Some(seeded) = &self.seeded {
            let share = SourceShare::same(1);
            mix.add("the generator", share, GeneratorInputs::new(seeded.given, seed));
            return mix;
        }
        if let Some(grammar) = self.grammar() {
            by_grammar::add_sources(&mut mix, grammar, seed, most, &self.numbers);
        }
        if self.generators.is_some() {
            let share = SourceShare::same(GENERATOR_SHARE);
            mix.add("generators", share, RecipeInputs::new(inputs.lines.clone(), seed));
        }
        if has_copies && inputs.can_copy_cases() {
            let texts = inputs.copyable_cases().filter_map(|case| {
                let text = case.input.read_prefix(COPY_BYTES_MAX as u64 + 1).ok()?;
                (text.len() <= COPY_BYTES_MAX).then(|| (case.name.clone(), text))
            });
            let copies = VariedTestCases::new(&self.validity, texts.collect(), seed);
            mix.add("changed test cases", SourceShare::same(COPY_SHARE), copies);
        }
        mix
    }

    /// The inner error says why the generator printed no input.
    pub fn make_input(
        &self,
        number: u64,
        candidate: Candidate,
    ) -> Result<Result<SearchInput, UnmadeInput>, Stop> {
        let left_out = |what: String| Ok(Err(UnmadeInput::LeftOut(what)));
        let written = candidate.written(self.grammar(), &|| self.is_over());
        let Some(Candidate { content, origin, .. }) = written else {
            return left_out("no values satisfy the grammar".to_owned());
        };
        let (input, call, seeded) = match (content, &self.generators) {
            (CandidateContent::Text(text), _) => (text, None, None),
            (CandidateContent::Drawn(_) | CandidateContent::Varied(_), _) => {
                return left_out("not written".to_owned());
            }
            (CandidateContent::Call(call), None) => {
                return left_out(format!("{}: not built", call.line()));
            }
            (CandidateContent::Call(call), Some(generators)) => match generators.make(&call)? {
                Ok(input) => (input, Some(call), None),
                Err(reason) => return left_out(format!("{}: {reason}", call.line())),
            },
            (CandidateContent::Seeded(call), _) => {
                let Some(generator) = &self.seeded else {
                    return left_out("the generator is not built".to_owned());
                };
                match generator.make(call)? {
                    Ok(input) => (input, None, Some(call)),
                    Err(fault) => return Ok(Err(UnmadeInput::Fault(Box::new(fault)))),
                }
            }
        };
        Ok(Ok(SearchInput { number, input, origin, call, seeded }))
    }

    pub fn is_over(&self) -> bool {
        self.scheduler.is_past_deadline()
    }

    /// `None` if the time ran out first.
    pub fn in_time<R>(&self, result: Result<R, Stop>) -> Result<Option<R>, Stop> {
        match result {
            Err(Stop::Interrupted) if self.scheduler.has_run_out() => Ok(None),
            result => result.map(Some),
        }
    }
}
