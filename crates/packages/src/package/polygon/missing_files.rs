//! The recipe for files that the package describes but lacks: inputs from generators, answers from the main solution,
//! and texts from Windows with this system's line ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::package::command_words::split_words;
use crate::package::node::ParseResult;
use crate::package::polygon::programs::new_program;
use crate::package::polygon::xml::Element;
use crate::package::polygon::{EXPORT_HELP, PolygonReader, SETTINGS};
use crate::package::text::excerpt;
use juror_core::placeholder::{ArgumentPiece, argument_pieces};
use juror_core::program::ProgramKind;
use juror_core::recipe::{AnswerSource, GeneratorCommand, InputSource, Recipe, RecipeCase};
use juror_core::root::FilePath;
use juror_core::test_data::TestCase;

pub(super) struct TestFile {
    /// `None` if the file does not exist.
    pub path: Option<FilePath>,
    /// On Windows, programs do not see these line ends.
    pub is_windows: bool,
}

pub(super) struct MissingFiles<'a> {
    pack: &'a PolygonReader<'a>,
    generators: BTreeMap<String, Element<'a>>,
    solution: Option<FilePath>,
    pub(super) is_interactive: bool,
    cases: Vec<RecipeCase>,
}

impl<'a> MissingFiles<'a> {
    pub(super) fn new(pack: &'a PolygonReader<'a>) -> Self {
        let assets = pack.root.child("assets");
        Self {
            pack,
            generators: find_generators(pack),
            solution: main_solution(pack),
            is_interactive: assets.is_some_and(|assets| assets.child("interactor").is_some()),
            cases: Vec::new(),
        }
    }

    /// The recipe; `None` if the package lacks nothing.
    pub(super) fn into_recipe(self) -> Option<Recipe> {
        Recipe::of_cases(self.pack.tree.path(SETTINGS), self.cases)
    }

    /// Adds a text from Windows without an answer.
    pub(super) fn add_text(&mut self, case: &TestCase) {
        let input = InputSource::File(case.input.clone());
        let place = (&case.input).into();
        self.cases.push(RecipeCase::new(case.name.clone(), place, input, AnswerSource::None));
    }

    /// Adds a test, if a file of it must be made; `name` is that of its input.
    pub(super) fn add_test(
        &mut self,
        element: Element<'_>,
        case: &TestCase,
        [input, answer]: [TestFile; 2],
        name: &str,
    ) -> ParseResult<()> {
        if [&input, &answer].iter().all(|file| file.path.is_some() && !file.is_windows) {
            return Ok(());
        }
        let input = match input.path {
            Some(path) => InputSource::File(path),
            None => InputSource::Command(self.generator_command(element, name)?),
        };
        let answer = match (answer.path, &self.solution) {
            (Some(path), _) => AnswerSource::File(path),
            (None, Some(solution)) if !self.is_interactive => {
                AnswerSource::Solution(solution.clone())
            }
            (None, _) => {
                let message = if self.is_interactive {
                    "has no answer; in an interactive problem, the interactor writes it"
                } else {
                    "has no answer, and no solution is tagged `main` to make it"
                };
                return Err(element.error(message, EXPORT_HELP));
            }
        };
        self.cases.push(RecipeCase::new(case.name.clone(), element.place(), input, answer));
        Ok(())
    }

    fn generator_command(&self, element: Element<'_>, name: &str) -> ParseResult<GeneratorCommand> {
        let missing = |message: String| element.error(message, EXPORT_HELP);
        let Some(line) = element.attribute("cmd") else {
            return Err(missing(format!("there is no `{name}`, and no command that makes it")));
        };
        if element.attribute("from-file").is_some() {
            let message =
                format!("there is no `{name}`, and its generator makes several tests at once");
            return Err(missing(message));
        }
        let words = split_words(line).map_err(|fault| {
            let help = "fix it on Polygon, and export the package again";
            element.error(format!("the command `{}` {fault}", excerpt(line)), help)
        })?;
        let mut words = words.into_iter();
        let called = words.next().unwrap_or_default();
        let stem = Path::new(&called).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let known = stem.and_then(|stem| self.generators.get(&stem));
        let Some(described) = known else {
            let message = format!("there is no `{name}`, and no generator `{}`", excerpt(&called));
            return Err(missing(message));
        };
        let args: Vec<String> = words.collect();
        let is_plain = |word: &String| {
            argument_pieces(word)
                .is_ok_and(|all| all.iter().all(|piece| matches!(piece, ArgumentPiece::Text(_))))
        };
        if let Some(word) = args.iter().find(|word| !is_plain(word)) {
            let message = format!("juror would replace `{}` in the command", excerpt(word));
            return Err(missing(message));
        }
        let generator = new_program(self.pack, *described, ProgramKind::Generator)?;
        Ok(GeneratorCommand::new(generator.into(), args, line.to_owned()))
    }
}

/// Every generator by its name in commands: its file name without the ending.
fn find_generators<'a>(pack: &PolygonReader<'a>) -> BTreeMap<String, Element<'a>> {
    let files = pack.root.children_named("files");
    let executables = files.flat_map(|files| files.nested("executables", "executable"));
    let named = executables.filter_map(|executable| {
        let path = PathBuf::from(executable.child("source")?.attribute("path")?);
        Some((path.file_stem()?.to_string_lossy().into_owned(), executable))
    });
    named.collect()
}

fn main_solution(pack: &PolygonReader<'_>) -> Option<FilePath> {
    let mut solutions = pack.root.child("assets")?.nested("solutions", "solution");
    let main = solutions.find(|element| element.attribute("tag") == Some("main"))?;
    let path = main.child("source")?.attribute("path")?;
    Some(pack.tree.file(path)?.path.clone())
}
