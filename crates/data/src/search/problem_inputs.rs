//! The sources of inputs for a problem, and the parts that check and answer them: grammars, generators, validators,
//! and the programs that make judge answers.

use std::path::Path;

use crate::inputs::by_recipe;
use crate::recipe::built_generators::CASE_NAME;
use crate::recipe::propose::directories::similar_test_case;
use crate::recipe::seeded_generator::SeededProgram;
use crate::validity::DisputedInput;
use crate::validity::grammars;
use juror_core::check::options::Options;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::Event;
use juror_core::problem::Problem;
use juror_core::recipe::{AnswerSource, GeneratorCommand, Recipe};
use juror_core::root::FilePath;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::test_data::TestCase;
use juror_core::text::{count, visible};
use juror_grammar::program::Grammar;
use juror_judging::recipe::solution::{dedicated_solution, is_single_run};
use juror_packages::package::recipe;

pub struct ProblemInputs {
    pub problem: Problem,
    /// The program that makes the package's judge answers.
    pub solution: Option<FilePath>,
    /// The program that makes judge answers if the output validator judges while submissions run.
    pub answer_maker: Option<FilePath>,
    /// The first grammar makes inputs.
    pub grammars: Vec<Grammar>,
    pub recipe: Option<Recipe>,
    /// The recipe's generator lines with a `{seed}`.
    pub lines: Vec<GeneratorCommand>,
    pub options: Options,
    pub test_case: TestCase,
    /// The generator of the command line. It makes all inputs.
    pub seeded: Option<SeededProgram>,
    /// Whether the checker is from the command line, so that it may be none.
    pub has_given_checker: bool,
    /// Whether a correct program is known. Otherwise, the interactor of the command line decides alone.
    pub has_reference: bool,
    /// Whether validators get arguments of one test group, and may refuse inputs that the grammar makes for others.
    pub is_for_group: bool,
}

impl ProblemInputs {
    /// Fails if the grammars cannot be used.
    pub fn read(
        problem: Problem,
        grammar: Option<&Path>,
        events: &dyn Fn(Event),
    ) -> Result<Self, Stop> {
        let (grammars, diagnostics) = grammars::problem_grammars(grammar, &problem, false)?;
        diagnostics.into_iter().map(Event::Diagnosed).for_each(events);
        let recipe = match &problem.recipe {
            Some(path) => read_recipe(path, &problem, events),
            None => None,
        };
        let test_case = test_case(&problem);
        let options = comparison_options(&problem, &test_case)?;
        let answer_maker = |recipe: &Recipe| dedicated_answer_maker(recipe, &problem);
        Ok(Self {
            solution: recipe.as_ref().and_then(solution),
            answer_maker: recipe.as_ref().and_then(answer_maker),
            grammars,
            lines: recipe.as_ref().map_or_else(Vec::new, by_recipe::seeded_commands),
            recipe,
            options,
            test_case,
            problem,
            seeded: None,
            has_given_checker: false,
            has_reference: true,
            is_for_group: false,
        })
    }

    /// From now on, inputs are for the group of these directories below `data/secret`: validators get its arguments.
    pub fn choose_group(&mut self, directories: &[String]) -> Result<(), Stop> {
        let name = self.test_case.name.clone();
        let before = std::mem::take(&mut self.test_case);
        self.test_case = TestCase { name, ..similar_test_case(&self.problem, directories) };
        self.is_for_group = self.test_case != before;
        self.options = comparison_options(&self.problem, &self.test_case)?;
        Ok(())
    }

    /// Whether submissions talk with the output validator or have several passes, so that there is no output to
    /// compare.
    pub fn is_judged(&self) -> bool {
        let validators = &self.problem.output_validators;
        (self.problem.interactor.is_some() || !validators.is_empty())
            && !is_single_run(&self.problem)
    }

    /// The test cases that can be copied and changed.
    pub(super) fn copyable_cases(&self) -> impl Iterator<Item = &TestCase> {
        self.problem
            .test_data
            .cases
            .iter()
            .filter(|case| case.files.is_empty() && case.args.is_empty())
    }

    /// Whether changed copies of test cases can be checked and answered.
    pub fn can_copy_cases(&self) -> bool {
        !(self.grammars.is_empty() && self.problem.input_validators.is_empty())
            && (!self.is_judged() || self.answer_maker.is_some() || self.has_no_answers())
            && self.copyable_cases().next().is_some()
    }

    /// Whether all judge answers are empty: then the output validator does not need them.
    fn has_no_answers(&self) -> bool {
        let mut answers = self.problem.test_data.cases.iter().map(|case| &case.answer);
        answers.all(|path| {
            let size = path.as_ref().and_then(|path| path.metadata().ok());
            size.is_some_and(|metadata| metadata.len() == 0)
        })
    }

    /// In words.
    pub fn sources(&self, has_generators: bool) -> Vec<String> {
        if let Some(seeded) = &self.seeded {
            let text = format!("the generator `{}`", seeded.text());
            let most = seeded.has_size().then(|| format!("{{n}} from 1 to {}", seeded.size_max));
            return [Some(text), most].into_iter().flatten().collect();
        }
        let grammar = self.grammars.first();
        let grammar =
            grammar.map(|grammar| format!("the grammar {}", grammar.source.path.display()));
        let lines = has_generators.then(|| count(self.lines.len(), "generator line"));
        let copies = self.can_copy_cases().then(|| {
            format!("changed copies of {}", count(self.copyable_cases().count(), "test case"))
        });
        grammar.into_iter().chain(lines).chain(copies).collect()
    }

    /// Warns that an input validator refuses an input that the main source makes.
    pub fn dispute_warning(
        &self,
        DisputedInput { input, objection }: &DisputedInput,
    ) -> Diagnostic {
        let message = format!(
            "rejects an input from {}: {}: {}",
            self.main_source(),
            quote_input(input),
            objection.description()
        );
        let help = "inputs on which they disagree are left out; make them agree";
        Diagnostic::warning(&objection.path, message).help(help)
    }

    /// The main source of inputs, in short.
    fn main_source(&self) -> String {
        if let Some(seeded) = &self.seeded {
            return format!("the generator `{}`", seeded.text());
        }
        match self.grammars.first() {
            Some(grammar) => grammar.source.path.display().to_string(),
            None => "a generator".to_owned(),
        }
    }

    pub fn nothing_to_try(&self) -> &'static str {
        let is_checked = !(self.grammars.is_empty() && self.problem.input_validators.is_empty());
        if is_checked && self.copyable_cases().next().is_some() {
            return "test cases cannot be changed, since the output validator needs judge answers, and the recipe has no \
                    `solution` that makes them; add one to generators/generators.yaml, or give a grammar with \
                    --input-grammar";
        }
        "the package has neither a grammar of its input, a file *.ctd, nor a generator line with {seed}, nor test cases \
         with an input validator; give a grammar with --input-grammar"
    }
}

/// A single line, shortened if it is long.
pub fn quote_input(input: &[u8]) -> String {
    const LONGEST: usize = 200;
    let text = visible(&input[..input.len().min(LONGEST)]);
    let more = if input.len() > LONGEST { "…" } else { "" };
    format!("`{text}{more}`")
}

/// `None` if the recipe has errors.
fn read_recipe(path: &FilePath, problem: &Problem, events: &dyn Fn(Event)) -> Option<Recipe> {
    let reading = recipe::read_for_problem(path, problem);
    if reading.diagnostics.iter().any(Diagnostic::is_error) {
        let warning = Diagnostic::warning(path, "has faults, so its generators are not used here")
            .help("`juror generate --check` shows the faults");
        events(Event::Diagnosed(warning));
        return None;
    }
    reading.recipe
}

/// The program that makes most of the judge answers.
fn solution(recipe: &Recipe) -> Option<FilePath> {
    recipe.cases.iter().find_map(|case| match &case.answer {
        AnswerSource::Solution(path) => Some(path.clone()),
        AnswerSource::File(_) | AnswerSource::OwnFile | AnswerSource::None => None,
    })
}

/// The program that makes answers if no submission can make them.
fn dedicated_answer_maker(recipe: &Recipe, problem: &Problem) -> Option<FilePath> {
    let mut cases = recipe.cases.iter().filter(|_| !is_single_run(problem));
    cases.find_map(|case| dedicated_solution(problem, case)).cloned()
}

pub fn comparison_options(problem: &Problem, test_case: &TestCase) -> Result<Options, Stop> {
    if !problem.output_validators.is_empty() {
        return Ok(Options::default());
    }
    Options::parse(&test_case.output_validator_args).map_err(|error| {
        let what = format!("arguments of the output validator: {error}");
        Stop::Refused(RefusalSubject::Package, vec![what.into()])
    })
}

/// A test case without files, with the arguments of the package's cases.
fn test_case(problem: &Problem) -> TestCase {
    let last = problem.test_data.cases.last().cloned().unwrap_or_default();
    TestCase {
        name: CASE_NAME.to_owned(),
        input_validator_args: last.input_validator_args,
        output_validator_args: last.output_validator_args,
        ..TestCase::default()
    }
}
