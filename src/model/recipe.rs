//! How test data is made: what `generators/generators.yaml` says, understood.

use std::path::PathBuf;

use crate::model::diagnostic::Place;

/// All test cases that a package's recipe describes.
///
/// Source: the generators documentation of BAPCtools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// `generators/generators.yaml`.
    pub path: PathBuf,
    /// The cases, by name.
    pub cases: Vec<RecipeCase>,
    /// Further files, such as `secret/group1/test_group.yaml`.
    pub files: Vec<RecipeFile>,
}

/// One test case of a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeCase {
    /// The path below `data/` without extension, such as `secret/edges/01-two`.
    pub name: String,
    /// Where it stands in the recipe.
    pub place: Place,
    /// Where its input comes from.
    pub input: InputSource,
    /// Files with given contents, such as `.yaml`, by extension without its dot.
    pub files: Vec<LiteralFile>,
    /// The program that makes the `.ans` file, unless that is among [`RecipeCase::files`].
    pub solution: Option<PathBuf>,
}

/// A file whose contents the recipe gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralFile {
    /// The extension without its dot.
    pub extension: String,
    /// The contents.
    pub contents: String,
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
    /// The files that begin with this path, each with its own extension.
    Copy(PathBuf),
    /// What a generator prints.
    Command(GeneratorCommand),
}

/// A call of a generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorCommand {
    /// The generator: a file or directory in `generators/`.
    pub program: PathBuf,
    /// The words after it, with `{seed}` and `{name}` still in place.
    pub args: Vec<String>,
    /// The whole line as the recipe has it, without blanks around it: what the seed is made of.
    pub line: String,
    /// Put before the line when the seed is made.
    pub random_salt: String,
}
