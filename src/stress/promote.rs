//! Adds a counterexample to a package in one step: its files, and its entry in the recipe.
//!
//! The recipe is text that people care for, so nothing in it is moved: an entry is put at the end of its
//! directory, and the whole is read again before anything is written. Where that does not give the same
//! cases and the new one, the package is left alone and the entry is shown.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::generate::Mode;
use crate::generate::files::place_file;
use crate::model::diagnostic::Diagnostic;
use crate::model::problem::Problem;
use crate::model::recipe::{GivenContents, Recipe};
use crate::package::recipe;

/// The longest input that stands in the recipe itself, in bytes; longer ones get a file.
const INLINE: usize = 2000;

/// Where a counterexample goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promotion {
    /// The package's directory.
    dir: PathBuf,
    /// The recipe, if there is one.
    recipe: Option<PathBuf>,
    /// The directories below `data/`, then the name.
    path: Vec<String>,
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
        let data = problem.dir.join("data");
        if data.join(format!("{full}.in")).exists() || data.join(&full).exists() {
            return Err(format!(
                "--promote: the package has a test case or directory {full} already; choose another name"
            ));
        }
        let cases = problem.test_data.cases.iter();
        Ok(Self {
            dir: problem.dir.clone(),
            recipe: problem.recipe.clone(),
            path,
            inputs: cases
                .map(|case| (case.name.clone(), case.input.clone()))
                .collect(),
        })
    }

    /// Adds the case; its name. Each file is written beside its place and then renamed, the recipe last.
    ///
    /// # Errors
    /// Why it was not added.
    pub fn add(&self, case: &NewCase<'_>) -> Result<String, Box<Diagnostic>> {
        let name = self.path.join("/");
        let same = self
            .inputs
            .iter()
            .find(|(_, path)| is_same(path, case.input));
        if let Some((same, path)) = same {
            let message =
                format!("the test case {same} has this very input, so {name} was not added");
            let help = "run `juror judge` on it: the package catches this submission already";
            return Err(Box::new(Diagnostic::error(path, message).help(help)));
        }
        let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        let base = self.dir.join("data").join(&name);
        let file = |extension: &str| PathBuf::from(format!("{}.{extension}", base.display()));
        let mut yaml = format!("description: {}\n", quoted(case.description));
        let mut text = None;
        if let Some(path) = &self.recipe {
            let is_inline = case.input.len() <= INLINE && std::str::from_utf8(case.input).is_ok();
            if !is_inline {
                let copy = self
                    .dir
                    .join("generators")
                    .join(self.copied())
                    .with_added_extension("in");
                files.push((copy, case.input.to_vec()));
            }
            let entry = self.entry(case, is_inline);
            for (path, contents) in &files {
                write(path, contents)?;
            }
            let read = self.new_recipe(path, &name, &entry);
            let (new, given) = read.inspect_err(|_| {
                // Nothing is left behind; what cannot be removed does no harm.
                files
                    .iter()
                    .for_each(|(path, _)| drop(fs::remove_file(path)));
            })?;
            yaml = given.unwrap_or(yaml);
            text = Some((path, new));
        }
        for (path, contents) in [
            (file("in"), case.input),
            (file("ans"), case.answer),
            (file("yaml"), yaml.as_bytes()),
        ] {
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
    ) -> Result<(String, Option<String>), Box<Diagnostic>> {
        let by_hand = || {
            let message =
                format!("no place was found in the recipe for {name}, so nothing was added");
            let help = format!(
                "add under the `data` of {}:\n{}",
                self.path[..self.path.len() - 1].join("/"),
                entry.join("\n")
            );
            Box::new(Diagnostic::error(path, message).help(help))
        };
        let old = fs::read_to_string(path).map_err(|error| unwritten(path, &error))?;
        let before = recipe::read(path, &self.dir).recipe.ok_or_else(by_hand)?;
        let new = inserted(&old, &self.path, entry).ok_or_else(by_hand)?;
        // Read again under a name beside the recipe's, since what it names lies beside it.
        let dir = path.parent().unwrap_or(Path::new("."));
        let beside = tempfile::Builder::new()
            .prefix(".generators-")
            .suffix(".yaml")
            .tempfile_in(dir);
        let beside = beside.map_err(|error| unwritten(path, &error))?;
        fs::write(beside.path(), &new).map_err(|error| unwritten(path, &error))?;
        let after = recipe::read(beside.path(), &self.dir)
            .recipe
            .ok_or_else(by_hand)?;
        match added(&before, &after, name) {
            Some(given) => Ok((new, given)),
            None => Err(by_hand()),
        }
    }
}

/// Whether the second recipe has the cases of the first and this one, and what the new one's `.yaml` is.
fn added(before: &Recipe, after: &Recipe, name: &str) -> Option<Option<String>> {
    let is_new = |known: &str| known == name;
    let [new] = after
        .cases
        .iter()
        .filter(|case| is_new(&case.name))
        .collect::<Vec<_>>()[..]
    else {
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

/// A text with an entry put at the end of its directory; `None` where that cannot be found.
fn inserted(text: &str, path: &[String], entry: &[String]) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut block = block(&lines, 0..lines.len(), 0, "data")?;
    let (_, directories) = path.split_last()?;
    let mut missing = directories;
    while let Some((directory, rest)) = missing.split_first() {
        let indent = block.child_indent(&lines);
        let Some(inside) = self::block(&lines, block.range.clone(), indent, directory) else {
            break;
        };
        let indent = inside.child_indent(&lines);
        block = self::block(&lines, inside.range.clone(), indent, "data")?;
        missing = rest;
    }
    let first = block.range.clone().find(|at| is_content(lines[*at]));
    if first.is_some_and(|at| lines[at].trim_start().starts_with(['-', '{', '['])) {
        return None;
    }
    let mut indent = block.child_indent(&lines);
    let mut new: Vec<String> = Vec::new();
    for directory in missing {
        new.push(format!("{:indent$}{}:", "", quoted(directory)));
        new.push(format!("{:indent$}  data:", ""));
        indent += 4;
    }
    new.extend(entry.iter().map(|line| format!("{:indent$}{line}", "")));
    // Behind the last line that says something; what comes then belongs to the next entry.
    let last = block.range.clone().rev().find(|at| is_content(lines[*at]));
    let at = last.map_or(block.range.start, |last| last + 1);
    let mut all: Vec<&str> = lines[..at].to_vec();
    all.extend(new.iter().map(String::as_str));
    all.extend(&lines[at..]);
    Some(all.join("\n") + "\n")
}

/// The lines that belong to a key.
struct Block {
    indent: usize,
    range: std::ops::Range<usize>,
}

impl Block {
    /// How far the keys inside stand in.
    fn child_indent(&self, lines: &[&str]) -> usize {
        let first = self.range.clone().find(|at| is_content(lines[*at]));
        first.map_or(self.indent + 2, |at| indent_of(lines[at]))
    }
}

/// The block of a key that stands alone on its line, so far in.
fn block(
    lines: &[&str],
    within: std::ops::Range<usize>,
    indent: usize,
    key: &str,
) -> Option<Block> {
    let at = within.clone().find(|at| {
        let line = lines[*at];
        is_content(line) && indent_of(line) == indent && is_key(line.trim(), key)
    })?;
    let is_end = |at: &usize| is_content(lines[*at]) && indent_of(lines[*at]) <= indent;
    let end = (at + 1..within.end).find(is_end).unwrap_or(within.end);
    Some(Block {
        indent,
        range: at + 1..end,
    })
}

/// Whether a line is this key, with nothing but a comment behind it.
fn is_key(line: &str, key: &str) -> bool {
    let rest = [key.to_owned(), format!("\"{key}\""), format!("'{key}'")]
        .iter()
        .find_map(|key| line.strip_prefix(key.as_str())?.strip_prefix(':'))
        .map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

fn is_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// A text between double quotes, as YAML and JSON both read it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn is_name(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let ends = [part.bytes().next(), part.bytes().next_back()];
    part.bytes().all(is_plain)
        && ends
            .iter()
            .all(|end| end.is_some_and(|byte| byte.is_ascii_alphanumeric()))
}

fn is_same(path: &Path, input: &[u8]) -> bool {
    let has_length = fs::metadata(path).is_ok_and(|it| it.len() == input.len() as u64);
    has_length && fs::read(path).is_ok_and(|bytes| bytes == input)
}

fn write(path: &Path, contents: &[u8]) -> Result<(), Box<Diagnostic>> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.map_err(|error| unwritten(path, &error))?;
    match place_file(path, contents, Mode::Write) {
        Ok(_) => Ok(()),
        Err(error) => Err(Box::new(Diagnostic::error(
            path,
            format!("cannot be written: {error}"),
        ))),
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        path,
        format!("cannot be written: {error}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = "\
solution: /submissions/accepted/a.py
# All of it.
data:
  sample:
    data:
      \"1\":
        in: \"1\\n\"

  secret:
    data:
      edges:
        data:
          one:
            in: \"2\\n\"

      # The end.
  invalid_input:
    data:
      none:
        in: \"\"
";

    fn check(path: &str, expected: Option<(&str, &str)>) {
        let path: Vec<String> = path.split('/').map(str::to_owned).collect();
        let entry = ["\"new\":".to_owned(), "  in: \"3\\n\"".to_owned()];
        let got = inserted(RECIPE, &path, &entry);
        let expected =
            expected.map(|(before, new)| RECIPE.replacen(before, &format!("{before}{new}"), 1));
        assert_eq!(got, expected, "{path:?}");
    }

    #[test]
    fn an_entry_goes_to_the_end_of_its_directory_and_nothing_else_moves() {
        let one = "            in: \"2\\n\"\n";
        check(
            "secret/new",
            Some((one, "      \"new\":\n        in: \"3\\n\"\n")),
        );
        check(
            "secret/edges/new",
            Some((one, "          \"new\":\n            in: \"3\\n\"\n")),
        );
        check(
            "secret/more/new",
            Some((
                one,
                "      \"more\":\n        data:\n          \"new\":\n            in: \"3\\n\"\n",
            )),
        );
        check(
            "sample/new",
            Some((
                "        in: \"1\\n\"\n",
                "      \"new\":\n        in: \"3\\n\"\n",
            )),
        );
    }

    #[test]
    fn a_directory_that_is_written_otherwise_is_left_alone() {
        let entry = ["\"new\":".to_owned()];
        let path = ["secret".to_owned(), "new".to_owned()];
        for text in [
            "",
            "data: {}\n",
            "data:\n  secret:\n    data:\n      - a: {in: \"1\"}\n",
            "data:\n  secret: {data: {}}\n",
        ] {
            let got = inserted(text, &path, &entry);
            let is_careful = got.is_none()
                || got.is_some_and(|got| got.starts_with("data:\n  secret: {data: {}}\n"));
            assert!(is_careful, "{text}");
        }
    }

    #[test]
    fn names_are_those_of_test_cases() {
        let check = |name: &str, is_good: bool| assert_eq!(is_name(name), is_good, "{name}");
        check("a", true);
        check("odd-boards_2.x", true);
        for name in ["", ".", "..", "-a", "a-", "a b", "ä", "a\n"] {
            check(name, false);
        }
    }
}
