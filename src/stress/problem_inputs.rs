//! The sources of inputs for a problem, and what checks and answers them: grammars, generators, validators, and the
//! programs that make judge answers.

use std::path::Path;

use crate::build::bench::Bench;
use crate::check::options::Options;
use crate::generate::fresh::FreshInputs;
use crate::generate::solution::{Solution, is_alone, made_for_it};
use crate::grammar::program::Grammar;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::problem::Problem;
use crate::model::recipe::{AnswerSource, GeneratorCommand, Recipe};
use crate::model::root::FilePath;
use crate::model::stop::{Mend, Stop};
use crate::model::test_data::TestCase;
use crate::model::text::count;
use crate::package::recipe;
use crate::stress::by_test_cases::{ByTestCases, LONGEST};
use crate::stress::candidates::Mix;
use crate::stress::comparison::{AnswersBy, shown};
use crate::stress::{by_grammar, by_recipe};
use crate::validity::grammars;
use crate::validity::{Refusal, Validity};

/// Which inputs there are beside those of the grammar.
#[derive(Clone, Copy, Debug)]
pub struct CandidateKinds {
    /// Whether the package's generators make some.
    pub has_generators: bool,
    /// Whether changed copies of test cases are among them.
    pub has_copies: bool,
}

/// A problem with all sources of inputs.
pub struct ProblemInputs {
    pub problem: Problem,
    /// The program that makes the package's judge answers.
    pub solution: Option<FilePath>,
    /// The program that makes judge answers if the judging happens while submissions run.
    pub answers_by: Option<FilePath>,
    /// The grammars of the input; the first one makes inputs.
    pub grammars: Vec<Grammar>,
    pub recipe: Option<Recipe>,
    /// Its generator lines with a `{seed}`.
    pub lines: Vec<GeneratorCommand>,
    pub options: Options,
    /// A test case without files.
    pub test_case: TestCase,
}

impl ProblemInputs {
    /// Reads the grammars and the recipe of a problem.
    ///
    /// # Errors
    /// If one of them cannot be used.
    pub fn read(
        problem: Problem,
        grammar: Option<&Path>,
        events: &dyn Fn(Event),
    ) -> Result<Self, Stop> {
        let (grammars, remarks) = grammars::of_problem(grammar, &problem, false)?;
        remarks.into_iter().map(Event::Diagnosed).for_each(events);
        let recipe = match &problem.recipe {
            Some(path) => read_recipe(path, &problem, events),
            None => None,
        };
        let test_case = test_case(&problem);
        let options = if problem.output_validators.is_empty() {
            Options::parse(&test_case.output_validator_args).map_err(|error| {
                let what = format!("arguments of the output validator: {error}");
                Stop::Refused(Mend::Package, vec![what.into()])
            })?
        } else {
            Options::default()
        };
        Ok(Self {
            solution: recipe.as_ref().and_then(solution),
            answers_by: recipe.as_ref().and_then(|it| answers_by(it, &problem)),
            grammars,
            lines: recipe.as_ref().map_or_else(Vec::new, by_recipe::lines),
            recipe,
            options,
            test_case,
            problem,
        })
    }

    /// The source of judge answers for new inputs; `solution` is [`Self::answering`].
    pub fn answers<'a>(&self, solution: Option<&'a Solution<'a>>) -> AnswersBy<'a> {
        match (solution, self.is_judged()) {
            (_, false) => AnswersBy::Reference,
            (Some(solution), true) => AnswersBy::Solution(solution),
            (None, true) => AnswersBy::Nobody,
        }
    }

    /// What checks inputs: grammars, and input validators, which it builds.
    ///
    /// # Errors
    /// If one does not build, the judge failed, or it was interrupted.
    pub fn validity<'a>(&'a self, bench: Bench<'a>) -> Result<Validity<'a>, Stop> {
        Validity::build(bench, self.grammars.iter().collect(), &self.test_case)
    }

    /// Whether submissions talk with the output validator or have several passes, so that there is no output to
    /// compare.
    pub fn is_judged(&self) -> bool {
        !self.problem.output_validators.is_empty() && !is_alone(&self.problem)
    }

    /// The built program that makes judge answers if there is no output to compare.
    ///
    /// # Errors
    /// If it does not build, the judge failed, or it was interrupted.
    pub fn answering<'a>(&self, bench: &Bench<'a>) -> Result<Option<Solution<'a>>, Stop> {
        let path = self.answers_by.as_ref();
        path.map(|path| Solution::build(bench, path)).transpose()
    }

    /// The package's built generators; None if no line of the recipe has a seed.
    ///
    /// # Errors
    /// If one does not build, the judge failed, or it was interrupted.
    pub fn generators<'a>(&'a self, bench: Bench<'a>) -> Result<Option<FreshInputs<'a>>, Stop> {
        let recipe = self.recipe.as_ref().filter(|_| !self.lines.is_empty());
        recipe.map(|it| FreshInputs::build(bench, it)).transpose()
    }

    /// All sources of inputs: the grammar, up to `most` bytes; the generators if they are built; and changed copies of
    /// test cases.
    pub fn candidates<'a>(
        &'a self,
        validity: &'a Validity<'a>,
        kinds: CandidateKinds,
        seed: u64,
        most: Option<usize>,
    ) -> Mix<'a> {
        let mut mix = Mix::default();
        if let Some(grammar) = self.grammars.first() {
            by_grammar::add(&mut mix, grammar, seed, most);
        }
        if kinds.has_generators {
            mix.add(GENERATORS, by_recipe::ByRecipe::new(self.lines.clone(), seed));
        }
        if kinds.has_copies && self.has_copies() {
            let texts = self.copied().filter_map(|case| {
                let text = case.input.start(LONGEST as u64 + 1).ok()?;
                (text.len() <= LONGEST).then(|| (case.name.clone(), text))
            });
            mix.add(COPIES, ByTestCases::new(validity, texts.collect(), seed));
        }
        mix
    }

    /// The test cases that can be copied and changed.
    fn copied(&self) -> impl Iterator<Item = &TestCase> {
        self.problem
            .test_data
            .cases
            .iter()
            .filter(|case| case.files.is_empty() && case.args.is_empty())
    }

    /// Whether changed copies of test cases can be used: they can be checked and answered.
    pub fn has_copies(&self) -> bool {
        !(self.grammars.is_empty() && self.problem.input_validators.is_empty())
            && (!self.is_judged() || self.answers_by.is_some() || self.has_no_answers())
            && self.copied().next().is_some()
    }

    /// Whether all judge answers are empty: then the output validator does not need them.
    fn has_no_answers(&self) -> bool {
        let mut answers = self.problem.test_data.cases.iter().map(|case| &case.answer);
        answers.all(|path| {
            let size = path.as_ref().and_then(|path| path.metadata().ok());
            size.is_some_and(|it| it.len() == 0)
        })
    }

    /// The sources of inputs, in words.
    pub fn sources(&self, has_generators: bool) -> Vec<String> {
        let grammar = self.grammars.first();
        let grammar =
            grammar.map(|grammar| format!("the grammar {}", grammar.source.path.display()));
        let lines = has_generators.then(|| count(self.lines.len(), "generator line"));
        let copies = self
            .has_copies()
            .then(|| format!("changed copies of {}", count(self.copied().count(), "test case")));
        grammar.into_iter().chain(lines).chain(copies).collect()
    }

    /// A warning that an input validator refuses what the source of inputs makes.
    pub fn disputed(&self, Refusal { input, by }: &Refusal) -> Diagnostic {
        let message =
            format!("rejects an input from {}: {}: {}", self.maker(), shown(input), by.what());
        let help = "inputs on which they disagree are left out; make them agree";
        Diagnostic::warning(&by.path, message).help(help)
    }

    /// The main source of inputs, in short.
    fn maker(&self) -> String {
        match self.grammars.first() {
            Some(grammar) => grammar.source.path.display().to_string(),
            None => "a generator".to_owned(),
        }
    }

    /// Why there are no inputs to try.
    pub fn nothing_to_try(&self) -> &'static str {
        let is_checked = !(self.grammars.is_empty() && self.problem.input_validators.is_empty());
        if is_checked && self.copied().next().is_some() {
            return "test cases cannot be changed, since the output validator needs judge answers, and the recipe has no \
                    `solution` that makes them; add one to generators/generators.yaml, or give a grammar with \
                    --input-grammar";
        }
        "the package has neither a grammar of its input, a file *.ctd, nor a generator line with {seed}, nor test cases \
         with an input validator; give a grammar with --input-grammar"
    }
}

/// How many turns the package's generators get.
const GENERATORS: u32 = 2;
/// How many turns changed copies of test cases get.
const COPIES: u32 = 2;

/// The recipe, unless it has errors.
fn read_recipe(path: &FilePath, problem: &Problem, events: &dyn Fn(Event)) -> Option<Recipe> {
    let reading = recipe::of_problem(path, problem);
    if reading.diagnostics.iter().any(Diagnostic::is_error) {
        let remark = Diagnostic::warning(path, "has faults, so its generators are not used here")
            .help("`juror generate --check` shows the faults");
        events(Event::Diagnosed(remark));
        return None;
    }
    reading.recipe
}

/// The program that makes most of the judge answers.
fn solution(recipe: &Recipe) -> Option<FilePath> {
    recipe.cases.iter().find_map(|case| match &case.answer {
        AnswerSource::Solution(path) => Some(path.clone()),
        AnswerSource::File(_) | AnswerSource::Own | AnswerSource::None => None,
    })
}

/// The program that makes answers if no submission can make them.
fn answers_by(recipe: &Recipe, problem: &Problem) -> Option<FilePath> {
    let mut made = recipe.cases.iter().filter(|_| !is_alone(problem));
    made.find_map(|case| made_for_it(problem, case)).cloned()
}

/// A test case without files, with the arguments that the package's cases have.
fn test_case(problem: &Problem) -> TestCase {
    let like = problem.test_data.cases.iter().next_back();
    TestCase {
        name: by_recipe::NAME.to_owned(),
        input_validator_args: like.map(|it| it.input_validator_args.clone()).unwrap_or_default(),
        output_validator_args: like.map(|it| it.output_validator_args.clone()).unwrap_or_default(),
        ..TestCase::default()
    }
}
