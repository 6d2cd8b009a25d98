//! How test data is made: what `generators/generators.yaml` says, understood.

use std::path::PathBuf;

use crate::model::diagnostic::Place;
use crate::model::program::{IncludedFile, Program};

/// All test cases that a package's recipe describes.
///
/// Source: the generators documentation of BAPCtools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// `generators/generators.yaml`.
    pub path: PathBuf,
    /// The cases that are made, by name.
    pub cases: Vec<RecipeCase>,
    /// The cases that are links to others, by name.
    pub links: Vec<RecipeLink>,
    /// Further files, such as `secret/group1/test_group.yaml`.
    pub files: Vec<RecipeFile>,
}

impl Recipe {
    /// For these test cases of a package, in the format of which they are described in this file; `None` without any.
    pub fn of_cases(path: PathBuf, cases: Vec<RecipeCase>) -> Option<Self> {
        let (links, files) = (Vec::new(), Vec::new());
        (!cases.is_empty()).then_some(Self { path, cases, links, files })
    }

    /// Whether some test case is one that contestants are not shown.
    pub fn makes_secret(&self) -> bool {
        let cases = self.cases.iter().map(|case| &case.name);
        cases
            .chain(self.links.iter().map(|link| &link.name))
            .any(|name| name.starts_with("secret/"))
    }

    /// The files of the package that become inputs and answers.
    pub fn files_of_package(&self) -> impl Iterator<Item = &PathBuf> {
        self.cases.iter().flat_map(|case| {
            let input = match &case.input {
                InputSource::File(path) => Some(path),
                _ => None,
            };
            let answer = match &case.answer {
                AnswerSource::File(path) => Some(path),
                _ => None,
            };
            input.into_iter().chain(answer)
        })
    }
}

/// One test case that a recipe makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeCase {
    /// The path below `data/` without extension, such as `secret/edges/01-two`.
    pub name: String,
    /// Where it stands in the recipe.
    pub place: Place,
    /// Where its input comes from.
    pub input: InputSource,
    /// Where further files are copied from: those that begin with this path, each with its own extension.
    pub copy: Option<PathBuf>,
    /// Files that the recipe gives, such as `.yaml`; they go before what is generated or copied.
    pub files: Vec<GivenFile>,
    /// Where its judge answer comes from.
    pub answer: AnswerSource,
    /// What must be found in its files.
    pub patterns: Vec<MatchPattern>,
    /// Arguments for the output validator, if the recipe sets them.
    pub output_validator_args: Option<Vec<String>>,
}

impl RecipeCase {
    /// A test case with input and judge answer, and nothing else.
    pub fn new(name: String, place: Place, input: InputSource, answer: AnswerSource) -> Self {
        Self {
            name,
            place,
            input,
            copy: None,
            files: Vec::new(),
            answer,
            patterns: Vec::new(),
            output_validator_args: None,
        }
    }
}

/// A test case that is another one's, under a name of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeLink {
    /// The path below `data/` without extension.
    pub name: String,
    /// The name of the case that it is, one of [`Recipe::cases`].
    pub target: String,
}

/// A file whose contents the recipe gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenFile {
    /// The extension without its dot.
    pub extension: String,
    /// The contents.
    pub contents: GivenContents,
}

/// What is in a file that the recipe gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenContents {
    /// This text.
    Text(String),
    /// What is in the case's file with this extension, to which it is a link.
    Link(String),
}

/// A file of the recipe that belongs to no case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeFile {
    /// The path below `data/`.
    pub name: String,
    /// The contents.
    pub contents: String,
}

/// Where a case's input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// The recipe itself.
    Literal(String),
    /// The file that [`RecipeCase::copy`] names, with the extension `in`.
    Copy,
    /// This file of the package, with the line ends of this system.
    File(PathBuf),
    /// What a generator prints.
    Command(GeneratorCommand),
}

/// Where a case's judge answer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// This solution, unless there is an answer among the case's own files; then it must agree.
    Solution(PathBuf),
    /// This file of the package, with the line ends of this system.
    File(PathBuf),
    /// One of the case's own files.
    Own,
    /// It needs none: its input is invalid.
    None,
}

/// A call of a generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorCommand {
    /// The generator.
    pub program: GeneratorProgram,
    /// The words after it, with the placeholders still in place.
    pub args: Vec<String>,
    /// The whole line as the recipe has it, without blanks around it: what the seed is made of.
    pub line: String,
    /// Put before the line when the seed is made.
    pub random_salt: String,
    /// What replaces `{count}`; 1 for a case that stands for itself.
    pub count: i64,
    /// How often the generator may be started, each time with another seed, until it succeeds; at least 1.
    pub tries: u32,
}

impl GeneratorCommand {
    /// One that is run once as it stands.
    pub fn new(program: GeneratorProgram, args: Vec<String>, line: String) -> Self {
        Self { program, args, line, random_salt: String::new(), count: 1, tries: 1 }
    }
}

/// A program that makes inputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GeneratorProgram {
    /// What the recipe calls it.
    pub name: String,
    /// The file or directory below `generators/` that starts.
    pub path: PathBuf,
    /// Files that are laid beside it.
    pub beside: Vec<IncludedFile>,
    /// The language code, if the ending alone does not say it.
    pub language: Option<String>,
}

impl From<Program> for GeneratorProgram {
    fn from(Program { name, path, include, language, .. }: Program) -> Self {
        Self { name, path, beside: include, language }
    }
}

/// What must be found in a file of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchPattern {
    /// The file's extension: `in` or `ans`.
    pub extension: &'static str,
    /// A regular expression, in which `^` and `$` are the start and the end of a line.
    pub regex: String,
    /// Where it stands in the recipe.
    pub place: Place,
}

/// The extensions of a test case's files, without their dots; a recipe can give, copy or generate each.
///
/// Source: problem package format 2025-09, "Test cases".
pub const CASE_EXTENSIONS: [&str; 13] = [
    "in",
    "ans",
    "out",
    "yaml",
    "interaction",
    "in.statement",
    "ans.statement",
    "in.download",
    "ans.download",
    "png",
    "jpg",
    "jpeg",
    "svg",
];

/// The directory of further files that a test case can have; a recipe can copy it.
pub const CASE_FILES: &str = "files";
