//! What a search is about: a package, or a grammar and a reference without one; and what inputs come from.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::build::bench::Bench;
use crate::check::options::Options;
use crate::cli::grammar::of_package;
use crate::cli::judge::named;
use crate::cli::output::{Output, command_line};
use crate::cli::problem::{self, Remarks};
use crate::cli::sessions::Judging;
use crate::cli::stress::StressArguments;
use crate::generate::fresh::FreshInputs;
use crate::generate::solution::{Solution, is_alone, made_for_it};
use crate::grammar::program::Grammar;
use crate::judge::case::{Detail, Validators};
use crate::judge::score::Policy;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::problem::{Problem, Submitted};
use crate::model::program::Program;
use crate::model::recipe::{AnswerSource, GeneratorCommand, Recipe};
use crate::model::stop::{Mend, Remark, Stop};
use crate::model::stress::SearchPlan;
use crate::model::submission::Submission;
use crate::model::test_data::TestCase;
use crate::model::text::count;
use crate::package::recipe;
use crate::stress::by_recipe;
use crate::validate::single::InputValidators;

/// What a search is about.
pub(super) struct Setting {
    /// The package's directory, as the user gave it.
    pub(super) package: Option<PathBuf>,
    /// The problem; without a package one that sets nothing.
    pub(super) problem: Problem,
    /// The submission that is searched.
    pub(super) submission: Submission,
    /// The reference that the user named.
    pub(super) reference: Option<Submission>,
    /// The program that makes the package's judge answers.
    pub(super) solution: Option<PathBuf>,
    /// The program that makes judge answers where what submissions say is judged while they run.
    pub(super) answers_by: Option<PathBuf>,
    /// Whether what is found is added to the package.
    pub(super) promotes: bool,
    /// The grammars of the input; the first one makes inputs.
    pub(super) grammars: Vec<Grammar>,
    /// The package's recipe.
    recipe: Option<Recipe>,
    /// Its generator lines with a `{seed}`.
    pub(super) lines: Vec<GeneratorCommand>,
    /// The package's input validators that are programs.
    programs: Vec<Program>,
    /// How outputs are compared.
    pub(super) options: Options,
    /// A test case without files.
    pub(super) test_case: TestCase,
}

impl Setting {
    /// Reads what the command line names.
    ///
    /// # Errors
    /// When something of it cannot be used.
    pub(super) fn read(arguments: &StressArguments, output: &Output) -> Result<Self, Stop> {
        let (package, submission) = match arguments.targets.as_slice() {
            [package, submission] => (Some(package), submission),
            [submission] if arguments.input_grammar.is_some() && arguments.reference.is_some() => {
                (None, submission)
            }
            _ => {
                return Err(Stop::usage(
                    "name a package and a submission; or, without a package, --input-grammar, --reference and a submission",
                ));
            }
        };
        let problem = match package {
            Some(dir) => {
                let problem = problem::read(dir, None, Remarks::Errors, output)?;
                if arguments.promote.is_some() {
                    output.writable()?;
                }
                problem
            }
            None => Problem { dir: PathBuf::from("."), ..Problem::default() },
        };
        if problem.kind.submitted == Submitted::Answers {
            let what =
                "submissions to this problem are answers, not programs; `juror judge` judges them";
            return Err(Stop::usage(what));
        }
        let submission = named(submission, &problem).map_err(Stop::usage)?;
        let reference = arguments.reference.as_ref();
        let reference = reference.map(|path| reference_at(path, &problem));
        let reference = reference.transpose().map_err(Stop::usage)?;
        let grammars = of_package(arguments.input_grammar.as_deref(), &problem, false, output)?;
        let recipe = match &problem.recipe {
            Some(path) => read_recipe(path, &problem, output),
            None => None,
        };
        let lines = recipe.as_ref().map_or_else(Vec::new, by_recipe::lines);
        let test_case = test_case(&problem);
        let options = match problem.output_validators.is_empty() {
            false => Options::default(),
            true => Options::parse(&test_case.output_validator_args).map_err(|error| {
                let what = format!("arguments of the output validator: {error}");
                Stop::Refused(Mend::Package, vec![what.into()])
            })?,
        };
        if package.is_some() {
            output.event(problem::package_read(&problem, 1, 0));
        }
        Ok(Self {
            package: package.cloned(),
            submission,
            reference,
            solution: recipe.as_ref().and_then(solution),
            answers_by: recipe.as_ref().and_then(|it| answers_by(it, &problem)),
            promotes: arguments.promote.is_some(),
            grammars,
            recipe,
            lines,
            programs: problem.input_validators.clone(),
            options,
            test_case,
            problem,
        })
    }

    /// The runs to come, as `juror judge` would begin them.
    ///
    /// # Errors
    /// When the package has no test cases to find a time limit on.
    pub(super) fn judging<'a>(
        &self,
        arguments: &StressArguments,
        bench: Bench<'a>,
        validators: &'a Validators,
    ) -> Result<Judging<'a>, Stop> {
        let is_given = self.package.is_none()
            || arguments.time_limit.or(self.problem.limits.time_limit).is_some();
        Ok(Judging {
            bench,
            validators,
            repeat: String::new(),
            entries: &[],
            cases: if is_given { Vec::new() } else { problem::select(bench.problem, &[])? },
            given: arguments.time_limit,
            policy: Policy::Everything,
            detail: Detail::Brief,
        })
    }

    /// The package's input validators that run in the sandbox; none where there is no such.
    ///
    /// # Errors
    /// When one does not build, the judge failed, or it was cut short.
    pub(super) fn validators<'a>(
        &'a self,
        bench: Bench<'a>,
    ) -> Result<Option<InputValidators<'a>>, Stop> {
        if self.programs.is_empty() {
            return Ok(None);
        }
        let args = self.test_case.input_validator_args.clone();
        InputValidators::build(bench, &self.programs, args).map(Some)
    }

    /// Whether submissions talk with the output validator or run several times, so that there is no output to
    /// compare with.
    pub(super) fn is_judged(&self) -> bool {
        !self.problem.output_validators.is_empty() && !is_alone(&self.problem)
    }

    /// The program that makes judge answers where there is no output to compare with, built.
    ///
    /// # Errors
    /// When it does not build, the judge failed, or it was cut short.
    pub(super) fn answering<'a>(&self, bench: &Bench<'a>) -> Result<Option<Solution<'a>>, Stop> {
        let path = self.answers_by.as_ref();
        path.map(|path| Solution::build(bench, path)).transpose()
    }

    /// The package's generators, built; none if no line of the recipe has a seed.
    ///
    /// # Errors
    /// When one does not build, the judge failed, or it was cut short.
    pub(super) fn generators<'a>(
        &'a self,
        bench: Bench<'a>,
    ) -> Result<Option<FreshInputs<'a>>, Stop> {
        let recipe = self.recipe.as_ref().filter(|_| !self.lines.is_empty());
        recipe.map(|it| FreshInputs::build(bench, it)).transpose()
    }

    /// Where inputs come from, in words.
    pub(super) fn sources(&self, has_generators: bool) -> Vec<String> {
        let grammar = self.grammars.first();
        let grammar =
            grammar.map(|grammar| format!("the grammar {}", grammar.source().path.display()));
        let lines = has_generators.then(|| count(self.lines.len(), "generator line"));
        grammar.into_iter().chain(lines).collect()
    }

    /// Who makes inputs, in short.
    pub(super) fn maker(&self) -> String {
        match self.grammars.first() {
            Some(grammar) => grammar.source().path.display().to_string(),
            None => "a generator".to_owned(),
        }
    }

    /// Why there is nothing to try.
    pub(super) fn nothing_to_try(&self) -> &'static str {
        "the package has neither a grammar of its input, a file *.ctd, nor a generator line with {seed}; \
         give a grammar with --input-grammar"
    }

    /// The command line that repeats the search.
    pub(super) fn repeat(&self, arguments: &StressArguments, plan: &SearchPlan) -> String {
        let mut words: Vec<OsString> = vec!["juror".into(), "stress".into()];
        let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
        if let Some(grammar) = &arguments.input_grammar {
            option("--input-grammar", grammar.into());
        }
        if let Some(reference) = &arguments.reference {
            option("--reference", reference.into());
        }
        if let Some(limit) = arguments.time_limit {
            option("--time-limit", limit.as_secs_f64().to_string().into());
        }
        if let Some(runs) = arguments.runs {
            option("--runs", runs.to_string().into());
        }
        option("--time", format!("{}s", arguments.time.as_secs_f64()).into());
        if let Some(time) = arguments.shrink_time {
            option("--shrink-time", format!("{}s", time.as_secs_f64()).into());
        }
        option("--seed", plan.seed.to_string().into());
        if arguments.host.fresh {
            words.push("--fresh".into());
        }
        words.extend(arguments.host.again());
        words.extend(arguments.targets.iter().map(OsString::from));
        command_line(words)
    }
}

/// A file, or one of the package's submissions by its name.
fn reference_at(path: &Path, problem: &Problem) -> Result<Submission, Remark> {
    let name = path.to_string_lossy();
    let own = problem.submissions.iter().find(|submission| submission.name == name);
    match own {
        Some(own) if !path.exists() => Ok(own.clone()),
        _ => named(path, problem),
    }
}

/// The recipe, unless it has faults.
fn read_recipe(path: &Path, problem: &Problem, output: &Output) -> Option<Recipe> {
    let reading = recipe::read(path, &problem.dir, &problem.constants);
    if reading.diagnostics.iter().any(Diagnostic::is_error) {
        let remark = Diagnostic::warning(path, "has faults, so its generators make no inputs here")
            .help("`juror generate --check` shows them");
        output.event(Event::Diagnosed(remark));
        return None;
    }
    reading.recipe
}

/// The program that makes most of the judge answers.
fn solution(recipe: &Recipe) -> Option<PathBuf> {
    recipe.cases.iter().find_map(|case| match &case.answer {
        AnswerSource::Solution(path) => Some(path.clone()),
        AnswerSource::File(_) | AnswerSource::Own | AnswerSource::None => None,
    })
}

/// The program that makes answers if no submission can.
fn answers_by(recipe: &Recipe, problem: &Problem) -> Option<PathBuf> {
    let mut made = recipe.cases.iter().filter(|_| !is_alone(problem));
    made.find_map(|case| made_for_it(problem, case)).map(Path::to_owned)
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
