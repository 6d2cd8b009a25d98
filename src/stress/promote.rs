//! Adds a counterexample to a package in one step: its files, and its entry in the recipe.
//!
//! The recipe is text that people care for, so nothing in it is moved: an entry is put at the end of its
//! directory, and the whole is read again before anything is written. Where that does not give the same
//! cases and the new one, the package is left alone and the entry is shown.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::generate::Mode;
use crate::generate::files::place_file;
use crate::model::diagnostic::Diagnostic;
use crate::model::problem::Problem;
use crate::model::program::Constant;
use crate::model::recipe::{GivenContents, Recipe};
use crate::model::stop::Stop;
use crate::package::recipe;
use crate::package::recipe::insert::{inserted, is_name, quoted};

/// The longest input that stands in the recipe itself, in bytes; longer ones get a file.
const INLINE: usize = 2000;

/// Where a counterexample goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promotion {
    /// The package's directory.
    dir: PathBuf,
    data: PathBuf,
    /// The recipe, if there is one.
    recipe: Option<PathBuf>,
    /// The directories below `data/`, then the name.
    path: Vec<String>,
    /// What stands for `{{name}}` in it.
    constants: Vec<Constant>,
    /// The inputs that are there already, with their names.
    inputs: Vec<(String, PathBuf)>,
}

/// A test case to be added.
#[derive(Clone, Copy, Debug)]
pub struct NewCase<'a> {
    /// The input.
    pub input: &'a [u8],
    /// The judge answer.
    pub answer: &'a [u8],
    /// What the case is for.
    pub description: &'a str,
}

impl Promotion {
    /// A new case of `data/secret`, in a directory below it where the name has slashes.
    ///
    /// # Errors
    /// Why there can be no case of that name.
    pub fn new(problem: &Problem, name: &str) -> Result<Self, String> {
        if !problem.layout.takes_cases {
            return Err(format!(
                "--promote: to a package in the format {} no test case can be added",
                problem.layout.format
            ));
        }
        let below = name.strip_prefix("data/").unwrap_or(name);
        let below = below.strip_prefix("secret/").unwrap_or(below);
        let mut path = vec!["secret".to_owned()];
        for part in below.split('/') {
            if !is_name(part) {
                return Err(format!(
                    "--promote: `{name}` is no name for a test case; use letters, digits, `_`, `.` and `-`, \
                     with a letter or digit at both ends"
                ));
            }
            path.push(part.to_owned());
        }
        let full = path.join("/");
        let data = problem.dir.join(problem.layout.data);
        if data.join(format!("{full}.in")).exists() || data.join(&full).exists() {
            return Err(format!(
                "--promote: the package has a test case or directory {full} already; choose another name"
            ));
        }
        let cases = problem.test_data.cases.iter();
        Ok(Self {
            dir: problem.dir.clone(),
            data,
            recipe: problem.recipe.clone(),
            constants: problem.constants.clone(),
            path,
            inputs: cases.map(|case| (case.name.clone(), case.input.clone())).collect(),
        })
    }

    /// Adds the case; its name. Each file is written beside its place and then renamed, the recipe last.
    ///
    /// # Errors
    /// Why it was not added.
    pub fn add(&self, case: &NewCase<'_>) -> Result<String, Stop> {
        let name = self.path.join("/");
        let same = self.inputs.iter().find(|(_, path)| is_same(path, case.input));
        if let Some((same, path)) = same {
            let message =
                format!("the test case {same} has this very input, so {name} was not added");
            let help = "run `juror judge` on it: the package catches this submission already";
            return Err(Diagnostic::error(path, message).help(help).into());
        }
        let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        let base = self.data.join(&name);
        let file = |extension: &str| PathBuf::from(format!("{}.{extension}", base.display()));
        let mut yaml = format!("description: {}\n", quoted(case.description));
        let mut text = None;
        if let Some(path) = &self.recipe {
            let is_inline = case.input.len() <= INLINE && std::str::from_utf8(case.input).is_ok();
            if !is_inline {
                let copy =
                    self.dir.join(recipe::DIRECTORY).join(self.copied()).with_added_extension("in");
                files.push((copy, case.input.to_vec()));
            }
            let entry = self.entry(case, is_inline);
            for (path, contents) in &files {
                write(path, contents)?;
            }
            let read = self.new_recipe(path, &name, &entry);
            let (new, given) = read.inspect_err(|_| {
                // Nothing is left behind; what cannot be removed does no harm.
                files.iter().for_each(|(path, _)| drop(fs::remove_file(path)));
            })?;
            yaml = given.unwrap_or(yaml);
            text = Some((path, new));
        }
        for (path, contents) in
            [(file("in"), case.input), (file("ans"), case.answer), (file("yaml"), yaml.as_bytes())]
        {
            write(&path, contents)?;
        }
        if let Some((path, text)) = text {
            write(path, text.as_bytes())?;
        }
        Ok(name)
    }

    /// Where a long input lies below `generators/`.
    fn copied(&self) -> String {
        format!("stress/{}", self.path[1..].join("-"))
    }

    /// The entry of the recipe, without indentation.
    fn entry(&self, case: &NewCase<'_>, is_inline: bool) -> Vec<String> {
        let name = self.path.last().map_or("", String::as_str);
        let input = match is_inline {
            true => format!("  in: {}", quoted(&String::from_utf8_lossy(case.input))),
            false => format!("  copy: {}", self.copied()),
        };
        vec![
            format!("{}:", quoted(name)),
            input,
            "  yaml:".to_owned(),
            format!("    description: {}", quoted(case.description)),
        ]
    }

    /// The recipe's text with the entry, and what the case's `.yaml` file will be.
    fn new_recipe(
        &self,
        path: &Path,
        name: &str,
        entry: &[String],
    ) -> Result<(String, Option<String>), Stop> {
        let by_hand = || {
            let message =
                format!("no place was found in the recipe for {name}, so nothing was added");
            let help = format!(
                "add under the `data` of {}:\n{}",
                self.path[..self.path.len() - 1].join("/"),
                entry.join("\n")
            );
            Stop::from(Diagnostic::error(path, message).help(help))
        };
        let old = fs::read_to_string(path).map_err(|error| unwritten(path, &error))?;
        let read = |path: &Path| recipe::read(path, &self.dir, &self.constants).recipe;
        let before = read(path).ok_or_else(by_hand)?;
        let new = inserted(&old, &self.path, entry).ok_or_else(by_hand)?;
        // Read again under a name beside the recipe's, since what it names lies beside it.
        let dir = path.parent().unwrap_or(Path::new("."));
        let beside =
            tempfile::Builder::new().prefix(".generators-").suffix(".yaml").tempfile_in(dir);
        let beside = beside.map_err(|error| unwritten(path, &error))?;
        fs::write(beside.path(), &new).map_err(|error| unwritten(path, &error))?;
        let after = read(beside.path()).ok_or_else(by_hand)?;
        match added(&before, &after, name) {
            Some(given) => Ok((new, given)),
            None => Err(by_hand()),
        }
    }
}

/// Whether the second recipe has the cases of the first and this one, and what the new one's `.yaml` is.
fn added(before: &Recipe, after: &Recipe, name: &str) -> Option<Option<String>> {
    let is_new = |known: &str| known == name;
    let [new] = after.cases.iter().filter(|case| is_new(&case.name)).collect::<Vec<_>>()[..] else {
        return None;
    };
    let old = after.cases.iter().filter(|case| !is_new(&case.name));
    let is_same = old.clone().count() == before.cases.len()
        && old.zip(&before.cases).all(|(after, before)| {
            after.name == before.name && after.input == before.input && after.files == before.files
        });
    if !is_same || before.links != after.links || before.files != after.files {
        return None;
    }
    let yaml = new.files.iter().find(|file| file.extension == "yaml");
    Some(yaml.and_then(|file| match &file.contents {
        GivenContents::Text(text) => Some(text.clone()),
        GivenContents::Link(_) => None,
    }))
}

fn is_same(path: &Path, input: &[u8]) -> bool {
    let has_length = fs::metadata(path).is_ok_and(|it| it.len() == input.len() as u64);
    has_length && fs::read(path).is_ok_and(|bytes| bytes == input)
}

fn write(path: &Path, contents: &[u8]) -> Result<(), Stop> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.map_err(|error| unwritten(path, &error))?;
    let placed = place_file(path, contents, Mode::Write);
    placed.map_err(|error| unwritten(path, &error))?;
    Ok(())
}

fn unwritten(path: &Path, error: &dyn Error) -> Stop {
    Diagnostic::error(path, format!("cannot be written: {error}")).into()
}
