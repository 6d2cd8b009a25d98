//! How test data is made: the contents of `generators/generators.yaml`.

use crate::diagnostic::SourcePlace;
use crate::program::{IncludedFile, Program};
use crate::root::FilePath;

/// The test cases that a recipe describes.
///
/// Source: the generators documentation of BAPCtools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    pub path: FilePath,
    pub cases: Vec<RecipeCase>,
    /// Cases that are links to others.
    pub links: Vec<RecipeLink>,
    /// Further files, such as `secret/group1/test_group.yaml`.
    pub files: Vec<RecipeFile>,
}

impl Recipe {
    /// For test cases that a package of another format describes in this file; `None` without cases.
    pub fn of_cases(path: FilePath, cases: Vec<RecipeCase>) -> Option<Self> {
        let (links, files) = (Vec::new(), Vec::new());
        (!cases.is_empty()).then_some(Self { path, cases, links, files })
    }

    /// Whether it makes test cases that contestants do not see.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeCase {
    /// The path below `data/` without extension, such as `secret/edges/01-two`.
    pub name: String,
    pub place: SourcePlace,
    pub input: InputSource,
    /// The path prefix of further files to copy, each with its own extension.
    pub copy: Option<FilePath>,
    /// Files that are in the recipe, such as `.yaml`. They replace generated or copied ones.
    pub files: Vec<GivenFile>,
    /// The source of its judge answer.
    pub answer: AnswerSource,
    /// Patterns that its files must match.
    pub patterns: Vec<MatchPattern>,
    /// Arguments for the output validator, if the recipe sets them.
    pub output_validator_args: Option<Vec<String>>,
}

impl RecipeCase {
    pub fn new(name: String, place: SourcePlace, input: InputSource, answer: AnswerSource) -> Self {
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeLink {
    /// The path below `data/` without extension.
    pub name: String,
    /// The name of the linked case, one of [`Recipe::cases`].
    pub target: String,
}

/// A file whose content is in the recipe.
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
    /// A link to the case's file with this extension.
    Link(String),
}

/// A file for a group, not for a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeFile {
    /// The path below `data/`.
    pub name: String,
    pub contents: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    Literal(String),
    /// The file with the prefix [`RecipeCase::copy`] and the extension `in`.
    Copy,
    /// This file of the package, with this system's line ends.
    File(FilePath),
    Command(GeneratorCommand),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// This solution. If the case has an answer file, too, both must agree.
    Solution(FilePath),
    /// This file of the package, with this system's line ends.
    File(FilePath),
    OwnFile,
    /// None is needed, because the input is invalid.
    None,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorCommand {
    pub program: GeneratorProgram,
    /// With placeholders.
    pub args: Vec<String>,
    /// The command line, with constants and `{count}` filled in. The seed is derived from it.
    pub line: String,
    /// Precedes the line when the seed is derived: the salt, and what distinguishes the cases of one entry.
    pub random_salt: String,
    /// The most attempts, each with another seed; at least 1.
    pub tries: u32,
}

impl GeneratorCommand {
    /// A command with one attempt.
    pub fn new(program: GeneratorProgram, args: Vec<String>, line: String) -> Self {
        Self { program, args, line, random_salt: String::new(), tries: 1 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GeneratorProgram {
    pub name: String,
    /// The file or directory below `generators/` to start.
    pub path: FilePath,
    pub included: Vec<IncludedFile>,
    /// The language code, if the file extension does not determine it.
    pub language: Option<String>,
}

impl From<Program> for GeneratorProgram {
    fn from(Program { name, path, include, language, .. }: Program) -> Self {
        Self { name, path, included: include, language }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchPattern {
    /// The file's extension: `in` or `ans`.
    pub extension: &'static str,
    /// A regular expression of Python, as in the recipe.
    pub text: String,
    /// The same expression for the crate `regex`, with its flags.
    pub regex: String,
    pub place: SourcePlace,
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

/// Further extensions before format 2025-09.
///
/// Source: problem package format legacy, "Annotations".
pub const LEGACY_CASE_EXTENSIONS: [&str; 2] = ["hint", "desc"];

/// The extension of a directory with further files for a test case; a recipe can copy it.
pub const CASE_FILES: &str = "files";

/// The settings of a group, in format 2025-09 and before.
pub const GROUP_FILES: [&str; 2] = ["test_group.yaml", "testdata.yaml"];
