//! How test data is made: the contents of `generators/generators.yaml`.

use crate::model::diagnostic::Place;
use crate::model::program::{IncludedFile, Program};
use crate::model::root::FilePath;

/// All test cases that a package's recipe describes.
///
/// Source: the generators documentation of BAPCtools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The path of `generators/generators.yaml`.
    pub path: FilePath,
    pub cases: Vec<RecipeCase>,
    /// The cases that are links to others, by name.
    pub links: Vec<RecipeLink>,
    /// Further files, such as `secret/group1/test_group.yaml`.
    pub files: Vec<RecipeFile>,
}

impl Recipe {
    /// A recipe for test cases that a package of another format describes in this file; `None` if there are none.
    pub fn of_cases(path: FilePath, cases: Vec<RecipeCase>) -> Option<Self> {
        let (links, files) = (Vec::new(), Vec::new());
        (!cases.is_empty()).then_some(Self { path, cases, links, files })
    }

    /// Whether it makes a test case that contestants do not see.
    pub fn makes_secret(&self) -> bool {
        let cases = self.cases.iter().map(|case| &case.name);
        cases
            .chain(self.links.iter().map(|link| &link.name))
            .any(|name| name.starts_with("secret/"))
    }

    /// The files of the package that become inputs and answers.
    pub fn files_of_package(&self) -> impl Iterator<Item = &FilePath> {
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
    pub place: Place,
    /// The source of its input.
    pub input: InputSource,
    /// The path prefix of further files to copy, each with its own extension.
    pub copy: Option<FilePath>,
    /// Files that the recipe contains, such as `.yaml`; they take precedence over generated or copied ones.
    pub files: Vec<GivenFile>,
    /// The source of its judge answer.
    pub answer: AnswerSource,
    /// Patterns that its files must match.
    pub patterns: Vec<MatchPattern>,
    /// Arguments for the output validator, if the recipe sets them.
    pub output_validator_args: Option<Vec<String>>,
}

impl RecipeCase {
    /// A test case with only an input and a judge answer.
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

/// A test case that is a link to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeLink {
    /// The path below `data/` without extension.
    pub name: String,
    /// The name of the linked case, one of [`Recipe::cases`].
    pub target: String,
}

/// A file that the recipe contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenFile {
    /// The extension without its dot.
    pub extension: String,
    pub contents: GivenContents,
}

/// The content of a file in a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenContents {
    Text(String),
    /// The content of the case's file with this extension, to which it is a link.
    Link(String),
}

/// A file of the recipe that belongs to no case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeFile {
    /// The path below `data/`.
    pub name: String,
    pub contents: String,
}

/// The source of a case's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    Literal(String),
    /// The file that [`RecipeCase::copy`] names, with the extension `in`.
    Copy,
    /// This file of the package, with this system's line ends.
    File(FilePath),
    Command(GeneratorCommand),
}

/// The source of a case's judge answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// This solution. If the case's own files include an answer, the solution must agree with it.
    Solution(FilePath),
    /// This file of the package, with this system's line ends.
    File(FilePath),
    Own,
    /// It needs none: its input is invalid.
    None,
}

/// A call of a generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorCommand {
    pub program: GeneratorProgram,
    /// Its arguments, with the placeholders still in place.
    pub args: Vec<String>,
    /// The whole line, with constants and `{count}` filled in; the seed is derived from it.
    pub line: String,
    /// A prefix of the line for deriving the seed: the salt, and what the cases of one entry differ by.
    pub random_salt: String,
    /// How often the generator may be started until it succeeds, each time with another seed; at least 1.
    pub tries: u32,
}

impl GeneratorCommand {
    /// A command that is run once, as it is.
    pub fn new(program: GeneratorProgram, args: Vec<String>, line: String) -> Self {
        Self { program, args, line, random_salt: String::new(), tries: 1 }
    }
}

/// A program that makes inputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GeneratorProgram {
    pub name: String,
    /// The file or directory below `generators/` to start.
    pub path: FilePath,
    pub beside: Vec<IncludedFile>,
    /// The language code, if the file extension does not determine it.
    pub language: Option<String>,
}

impl From<Program> for GeneratorProgram {
    fn from(Program { name, path, include, language, .. }: Program) -> Self {
        Self { name, path, beside: include, language }
    }
}

/// A pattern that a file of a case must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchPattern {
    /// The file's extension: `in` or `ans`.
    pub extension: &'static str,
    /// A regular expression of Python, as in the recipe.
    pub text: String,
    /// The same expression for the crate `regex`, with its flags.
    pub regex: String,
    pub place: Place,
}

/// The extensions of a test case's files, without dots; a recipe can contain, copy or generate each.
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

/// Further extensions in packages before format 2025-09.
///
/// Source: problem package format legacy, "Annotations".
pub const OLD_CASE_EXTENSIONS: [&str; 2] = ["hint", "desc"];

/// The extension of a directory with further files for a test case; a recipe can copy it.
pub const CASE_FILES: &str = "files";

/// The files with the settings of a group: in format 2025-09, and before.
pub const GROUP_FILES: [&str; 2] = ["test_group.yaml", "testdata.yaml"];
