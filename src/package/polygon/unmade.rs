//! The recipe for files that the package describes but lacks: inputs from generators, answers from the main solution,
//! and texts from Windows with this system's line ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::placeholder::{Piece, pieces};
use crate::model::recipe::{AnswerSource, GeneratorCommand, InputSource, Recipe, RecipeCase};
use crate::model::test_data::TestCase;
use crate::package::node::Parse;
use crate::package::polygon::assets::main_solution;
use crate::package::polygon::judging::generators;
use crate::package::polygon::programs::generator;
use crate::package::polygon::xml::Element;
use crate::package::polygon::{Pack, SETTINGS};
use crate::package::text::shown;
use crate::package::words::words;

/// A file of a test.
pub(super) enum Part {
    There(PathBuf),
    /// The file exists with the line ends of Windows, where programs do not see them.
    Windows(PathBuf),
    Missing,
}

impl Part {
    /// The path, if the file exists.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::There(path) | Self::Windows(path) => Some(path),
            Self::Missing => None,
        }
    }
}

/// The files of a test.
pub(super) struct Missing<'a> {
    pub input: &'a Part,
    pub answer: &'a Part,
    /// The name of the input.
    pub name: &'a str,
}

/// The files to make.
pub(super) struct Unmade<'a> {
    pack: &'a Pack<'a>,
    generators: BTreeMap<String, Element<'a>>,
    solution: Option<PathBuf>,
    pub(super) is_interactive: bool,
    cases: Vec<RecipeCase>,
}

impl<'a> Unmade<'a> {
    pub(super) fn new(pack: &'a Pack<'a>) -> Self {
        let assets = pack.root.child("assets");
        Self {
            pack,
            generators: generators(pack),
            solution: main_solution(pack),
            is_interactive: assets.is_some_and(|assets| assets.child("interactor").is_some()),
            cases: Vec::new(),
        }
    }

    /// The recipe; `None` if the package lacks nothing.
    pub(super) fn finish(self) -> Option<Recipe> {
        Recipe::of_cases(self.pack.tree.path(SETTINGS), self.cases)
    }

    /// Adds a text from Windows without an answer.
    pub(super) fn text(&mut self, case: &TestCase) {
        let place = (&case.input).into();
        self.add(case, place, InputSource::File(case.input.clone()), AnswerSource::None);
    }

    /// Adds a test, if a file of it must be made.
    pub(super) fn test(
        &mut self,
        element: Element<'_>,
        case: &TestCase,
        files: Missing<'_>,
    ) -> Parse<()> {
        if let (Part::There(_), Part::There(_)) = (files.input, files.answer) {
            return Ok(());
        }
        let input = match files.input {
            Part::There(path) | Part::Windows(path) => InputSource::File(path.clone()),
            Part::Missing => InputSource::Command(self.command(element, files.name)?),
        };
        let answer = match (files.answer, &self.solution) {
            (Part::There(path) | Part::Windows(path), _) => AnswerSource::File(path.clone()),
            (Part::Missing, _) if self.is_interactive => {
                let message = "has no answer; in an interactive problem, the interactor writes it";
                return Err(element.error(message, "export the full package from Polygon"));
            }
            (Part::Missing, Some(solution)) => AnswerSource::Solution(solution.clone()),
            (Part::Missing, None) => {
                let message = "has no answer, and no solution is tagged `main` to make it";
                return Err(element.error(message, "export the full package from Polygon"));
            }
        };
        self.add(case, element.place(), input, answer);
        Ok(())
    }

    fn add(
        &mut self,
        case: &TestCase,
        place: crate::model::diagnostic::Place,
        input: InputSource,
        answer: AnswerSource,
    ) {
        self.cases.push(RecipeCase::new(case.name.clone(), place, input, answer));
    }

    /// The command that makes the input of a test.
    fn command(&self, element: Element<'_>, name: &str) -> Parse<GeneratorCommand> {
        let missing =
            |message: String| element.error(message, "export the full package from Polygon");
        let Some(line) = element.attribute("cmd") else {
            return Err(missing(format!("there is no `{name}`, and no command that makes it")));
        };
        if element.attribute("from-file").is_some() {
            let message =
                format!("there is no `{name}`, and its generator makes several tests at once");
            return Err(missing(message));
        }
        let words = words(line).map_err(|fault| {
            let help = "fix it on Polygon, and export the package again";
            element.error(format!("the command `{}` {fault}", shown(line)), help)
        })?;
        let mut words = words.into_iter();
        let called = words.next().unwrap_or_default();
        let stem = Path::new(&called).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let known = stem.and_then(|stem| self.generators.get(&stem));
        let Some(described) = known else {
            let message = format!("there is no `{name}`, and no generator `{}`", shown(&called));
            return Err(missing(message));
        };
        let args: Vec<String> = words.collect();
        let is_plain = |word: &String| {
            pieces(word).is_ok_and(|all| all.iter().all(|it| matches!(it, Piece::Text(_))))
        };
        if let Some(word) = args.iter().find(|word| !is_plain(word)) {
            let message = format!("juror would replace `{}` in the command", shown(word));
            return Err(missing(message));
        }
        Ok(GeneratorCommand::new(generator(self.pack, *described)?, args, line.to_owned()))
    }
}
