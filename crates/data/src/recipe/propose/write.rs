//! Adds new cases to a package's recipe, and writes inputs that are too long for it to files.
//!
//! Nothing in the recipe moves, and no file is replaced. Before any rename, the new text is parsed again: it must give
//! the old cases and the new ones. In a list, later cases get new numbers; their files are renamed.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use crate::recipe::GenerateMode;
use crate::recipe::files::{obstacles, place_file, remove_files};
use crate::recipe::propose::import::{COPIES_DIR, ImportedCase};
use crate::recipe::propose::inputs::NewInput;
use crate::recipe::propose::moves::FileMoves;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::GeneratedState;
use juror_core::judgement::JudgeError;
use juror_core::problem::{Interaction, Problem};
use juror_core::recipe::{AnswerSource, InputSource, Recipe, RecipeCase, RecipeLink};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_packages::package::recipe;
use juror_packages::package::recipe::insert::{insert_entry, quote};

/// In bytes, as in the reader of recipes.
const RECIPE_BYTES_MAX: u64 = 1 << 20;

/// Upper bound on the bytes of an input in the recipe itself; a longer one gets a file.
const INLINE_BYTES_MAX: usize = 1000;

pub struct Addition<'a> {
    pub problem: &'a Problem,
    pub recipe: Option<&'a Recipe>,
    /// The directories below `data/secret` for the new cases.
    pub directories: &'a [String],
    pub comments: Vec<String>,
    /// Whether the recipe must make the judge answers.
    pub makes_answers: bool,
    pub imported: &'a [ImportedCase],
}

pub struct ExtendedRecipe {
    pub recipe: Recipe,
    /// In the order of the new cases.
    pub names: Vec<String>,
    renames: Renames,
}

pub struct NewCase<'a> {
    pub name: String,
    pub input: &'a [u8],
    pub description: &'a str,
    pub comment: Option<&'a str>,
    /// The file below `generators/` for an input that is too long for the recipe, without extension.
    pub file: String,
}

impl Addition<'_> {
    /// Fails if something is in the way, or cannot be written.
    pub fn write(&self, cases: &[NewCase<'_>]) -> Result<ExtendedRecipe, Stop> {
        let generators = self.problem.dir.join(recipe::DIRECTORY);
        let path = self.problem.dir.join(recipe::PATH);
        let mut files: Vec<(FilePath, Vec<u8>)> = Vec::new();
        for case in cases.iter().filter(|case| !case.is_inline()) {
            let file = generators.join(&case.file).with_added_extension("in");
            files.push((file, case.input.to_vec()));
        }
        for (from, to) in self.imported.iter().flat_map(|imported| &imported.files) {
            let contents = from.read().map_err(JudgeError::on_file("read", from))?;
            files.push((generators.join(to), contents));
        }
        let named = files.iter().filter_map(|(file, _)| file.strip_prefix(&*generators).ok());
        let named = named.map(|name| name.display().to_string()).chain([recipe::NAME.to_owned()]);
        let obstacles = obstacles(&generators, &named.collect());
        if !obstacles.is_empty() {
            return Err(Stop::Diagnosed(obstacles));
        }
        for (file, contents) in &files {
            if place_file(file, contents, GenerateMode::Check)? == GeneratedState::Differs {
                let message = "already exists with other contents, so nothing was added";
                let help = "rename it, or put the cases elsewhere with --into";
                return Err(Diagnostic::error(file, message).help(help).into());
            }
        }
        let mut new: Vec<&FilePath> = Vec::new();
        let placed = files.iter().try_for_each(|(file, contents)| {
            if place_file(file, contents, GenerateMode::Write)? == GeneratedState::Created {
                new.push(file);
            }
            Ok(())
        });
        let added = placed.and_then(|()| self.write_recipe(&path, cases));
        if added.is_err() {
            // Removes the new files. One that cannot be removed does no harm.
            new.into_iter().for_each(|file| drop(remove_files(&generators, &[file.as_path()])));
        }
        added
    }

    /// Checks the recipe and writes it. New cases without a solution get one.
    fn write_recipe(&self, path: &FilePath, cases: &[NewCase<'_>]) -> Result<ExtendedRecipe, Stop> {
        let read = |_| path.read_text(RECIPE_BYTES_MAX).map_err(JudgeError::on_file("read", path));
        let old = self.recipe.map(read).transpose()?;
        let is_alone =
            self.problem.kind.interaction == Interaction::None && self.problem.kind.passes == 1;
        let solution = solution_path(self.problem).filter(|_| is_alone);
        // A new recipe names its solution at the top. An existing one gets it only if new cases need it.
        let start = old.unwrap_or_else(|| self.new_recipe(solution.as_deref()));
        let mut text = self.recipe_text(&start, path, cases, None)?;
        let mut added = self.parse_and_check(&text, path, cases)?;
        let is_new = |name: &String| added.names.contains(name);
        let mut new = added.recipe.cases.iter().filter(|case| is_new(&case.name));
        let needs_answers = self.makes_answers && is_alone;
        if needs_answers && new.any(|case| case.answer == AnswerSource::OwnFile) {
            let Some(solution) = solution else { return Err(no_solution(self.problem).into()) };
            text = self.recipe_text(&start, path, cases, Some(&solution))?;
            added = self.parse_and_check(&text, path, cases)?;
        }
        let data = self.problem.dir.join(self.problem.layout.data);
        let moves = FileMoves::plan(&data, &added.renames)?;
        moves.run()?;
        if let Err(fault) = place_file(path, text.as_bytes(), GenerateMode::Write) {
            moves.undo();
            return Err(fault.into());
        }
        Ok(added)
    }

    /// The text of a new recipe, with the existing cases.
    fn new_recipe(&self, solution: Option<&str>) -> String {
        let mut text = "# How the test data is made: `juror generate` makes it, `juror generate --check` compares it.\n"
            .to_owned();
        if let Some(solution) = solution {
            text += &format!("\n# Makes the judge answers.\nsolution: {solution}\n");
        }
        text += "\ndata:\n";
        for cases in self.imported.chunk_by(|a, b| split_last(&a.name).0 == split_last(&b.name).0) {
            let path: Vec<String> = cases[0].name.split('/').map(str::to_owned).collect();
            let entries = cases.iter().flat_map(|case| {
                let copy = quote(&format!("{COPIES_DIR}/{}", case.name));
                [format!("{}:", quote(split_last(&case.name).1)), format!("  copy: {copy}")]
            });
            text = insert_entry(&text, &path, &entries.collect::<Vec<_>>()).unwrap_or(text);
        }
        text
    }

    /// Numbers the names from small to large inputs, after the existing cases.
    pub fn number_cases<'m>(&self, inputs: &'m [NewInput]) -> Vec<NewCase<'m>> {
        let first = self.last_number() + 1;
        let width = (first + inputs.len()).saturating_sub(1).to_string().len().max(2);
        let case = |(at, new): (usize, &'m NewInput)| {
            let name = format!("{:0width$}-{}", first + at, new.idea.name);
            NewCase {
                file: format!("{}/{name}", self.directories.join("/")),
                name,
                input: &new.input,
                description: &new.idea.purpose,
                comment: Some(&new.idea.options),
            }
        };
        inputs.iter().enumerate().map(case).collect()
    }

    /// The highest number at the start of an existing name: in the recipe, in the data, among copied files.
    fn last_number(&self) -> usize {
        let below = self.directories.join("/");
        let dirs = [
            self.problem.dir.join(self.problem.layout.secret).join(&below),
            self.problem.dir.join(recipe::DIRECTORY).join(&below),
        ];
        let files = dirs.iter().filter_map(|dir| dir.names().ok()).flatten();
        let mut names: Vec<String> =
            files.map(|name| name.to_string_lossy().into_owned()).collect();
        for case in self.recipe.iter().flat_map(|recipe| &recipe.cases) {
            if let Some((above, name)) = case.name.rsplit_once('/')
                && (above.ends_with(&format!("/{below}")) || above.ends_with(&format!("-{below}")))
            {
                names.push(name.to_owned());
            }
        }
        let number = |name: &String| {
            let digits = name.split(|c: char| !c.is_ascii_digit()).next();
            digits.and_then(|digits| digits.parse().ok())
        };
        names.iter().filter_map(number).max().unwrap_or(0)
    }

    fn recipe_text(
        &self,
        start: &str,
        path: &Path,
        cases: &[NewCase<'_>],
        solution: Option<&str>,
    ) -> Result<String, Stop> {
        let mut keys = vec!["secret".to_owned()];
        keys.extend(self.directories.iter().cloned());
        keys.push(String::new());
        let mut lines: Vec<String> =
            self.comments.iter().map(|comment| format!("# {comment}")).collect();
        cases.iter().for_each(|case| case.lines(solution, &mut lines));
        insert_entry(start, &keys, &lines)
            .ok_or_else(|| no_place_diagnostic(path, self.directories).into())
    }

    /// Parses a text and checks its cases. The text is written to a file next to the recipe, since it refers to files
    /// there.
    fn parse_and_check(
        &self,
        text: &str,
        path: &FilePath,
        cases: &[NewCase<'_>],
    ) -> Result<ExtendedRecipe, Stop> {
        let write = |file: &FilePath| file.create()?.write_all(text.as_bytes());
        let pending =
            path.prepare_replacement(write).map_err(JudgeError::on_file("write", path))?;
        let reading = recipe::read_for_problem(pending.temporary(), self.problem);
        let is_whole = !reading.diagnostics.iter().any(Diagnostic::prevents_judging);
        let recipe = reading.recipe.filter(|_| is_whole);
        let mut recipe = recipe.ok_or_else(|| no_place_diagnostic(path, self.directories))?;
        let compared = self.compare(&recipe, cases);
        let (names, renames) =
            compared.ok_or_else(|| no_place_diagnostic(path, self.directories))?;
        recipe.path = path.clone();
        for case in &mut recipe.cases {
            path.as_path().clone_into(&mut case.place.path);
        }
        Ok(ExtendedRecipe { recipe, names, renames })
    }

    /// The names of the new cases, and the old cases that have another number now. `None` unless a recipe has exactly
    /// these and everything that it had before.
    fn compare(&self, after: &Recipe, cases: &[NewCase<'_>]) -> Option<(Vec<String>, Renames)> {
        let mut old = in_directory_order(&after.cases);
        let mut names = Vec::new();
        // A new entry is the last of its directory.
        for case in cases.iter().rev() {
            let at = old.iter().rposition(|found| self.is_new(found, case))?;
            names.push(old.remove(at).name.clone());
        }
        names.reverse();
        let Some(before) = self.recipe else {
            let is_known = |case: &&RecipeCase| self.imported.iter().any(|it| it.name == case.name);
            let is_complete = old.len() == self.imported.len() && old.iter().all(is_known);
            return is_complete.then_some((names, Renames::new()));
        };
        let is_unchanged = |after: &RecipeCase, before: &RecipeCase| {
            let [(above, name), (above_before, name_before)] =
                [after, before].map(|case| split_last(&case.name));
            above == above_before
                && (name == name_before || without_number(name) == without_number(name_before))
                && after.input == before.input
                && after.files == before.files
                && after.answer == before.answer
        };
        let cases_before = in_directory_order(&before.cases);
        let mut pairs = old.iter().zip(&cases_before);
        if old.len() != cases_before.len()
            || !pairs.all(|(after, before)| is_unchanged(after, before))
            || before.files != after.files
        {
            return None;
        }
        let pairs = old.iter().zip(&cases_before);
        let renamed = pairs.filter(|(after, before)| after.name != before.name);
        let mut renames: Renames =
            renamed.map(|(after, before)| (before.name.clone(), after.name.clone())).collect();
        let mut links = Vec::new();
        for link in &before.links {
            let Some(target) = renames.get(&link.target) else {
                links.push(link.clone());
                continue;
            };
            let name = format!("{}/{}", split_last(&link.name).0, split_last(target).1);
            links.push(RecipeLink { name, target: target.clone() });
        }
        for (link, new) in before.links.iter().zip(&links) {
            if link.name != new.name {
                renames.insert(link.name.clone(), new.name.clone());
            }
        }
        links.sort_by(|a, b| a.name.cmp(&b.name));
        (links == after.links).then_some((names, renames))
    }

    /// Whether a case of the recipe is this new one. In lists, it and its directories have numbers.
    fn is_new(&self, found: &RecipeCase, expected: &NewCase<'_>) -> bool {
        let wanted = self.directories.iter().chain([&expected.name]);
        let parts: Vec<&str> = found.name.split('/').skip(1).collect();
        parts.len() == self.directories.len() + 1
            && parts.iter().zip(wanted).all(|(part, wanted)| {
                part == wanted || without_number(part).is_some_and(|part| part == wanted)
            })
            && match &found.input {
                InputSource::Literal(text) => text.as_bytes() == expected.input,
                InputSource::Copy => found.copy.is_some() && !expected.is_inline(),
                _ => false,
            }
    }
}

/// The new names of cases and links, by their old names.
type Renames = BTreeMap<String, String>;

/// By directory: a new number in one directory changes no order.
fn in_directory_order(cases: &[RecipeCase]) -> Vec<&RecipeCase> {
    let mut cases: Vec<&RecipeCase> = cases.iter().collect();
    cases.sort_by_key(|case| split_last(&case.name));
    cases
}

fn split_last(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

/// The part of a name after the number that a list gives it; empty if it is only a number.
fn without_number(name: &str) -> Option<&str> {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < name.len()).then_some(rest)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('-') }
}

impl NewCase<'_> {
    /// Without indentation.
    fn lines(&self, solution: Option<&str>, lines: &mut Vec<String>) {
        lines.push(format!("{}:", quote(&self.name)));
        lines.extend(self.comment.map(|comment| format!("  # {comment}")));
        let text = String::from_utf8_lossy(self.input);
        if !self.is_inline() {
            lines.push(format!("  copy: {}", quote(&self.file)));
        } else if is_block(&text) {
            lines.push("  in: |".to_owned());
            lines.extend(text.lines().map(|line| format!("    {line}")));
        } else {
            lines.push(format!("  in: {}", quote(&text)));
        }
        lines.extend(solution.map(|solution| format!("  solution: {solution}")));
        lines.push("  yaml:".to_owned());
        lines.push(format!("    description: {}", quote(self.description)));
    }

    /// Whether the input can be in the recipe: texts in it end with a line end.
    fn is_inline(&self) -> bool {
        let is_text = self.input.ends_with(b"\n") && std::str::from_utf8(self.input).is_ok();
        is_text && self.input.len() <= INLINE_BYTES_MAX
    }
}

/// Whether every YAML reader parses a block of these lines to this text.
fn is_block(text: &str) -> bool {
    let is_plain = |line: &str| {
        let is_printable = line.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        is_printable && !line.is_empty() && !line.starts_with([' ', '#']) && !line.ends_with(' ')
    };
    text.lines().all(is_plain)
}

/// The path of an accepted submission, as a recipe writes it.
fn solution_path(problem: &Problem) -> Option<String> {
    let right = problem.dir.join(problem.layout.accepted);
    let mut paths = problem.submissions.iter().map(|submission| &submission.program.path);
    let below = paths.find(|path| path.starts_with(&*right))?.strip_prefix(&*problem.dir).ok()?;
    Some(format!("/{}", below.display()))
}

fn no_solution(problem: &Problem) -> Diagnostic {
    let message = "no program makes the judge answers of new cases, so none were added";
    let path = match &problem.recipe {
        Some(recipe) => recipe.clone(),
        None => problem.dir.join(problem.layout.accepted),
    };
    Diagnostic::error(path, message).help(format!(
        "write a right solution into {}, or set a program in the recipe with `solution: /...`, and run \
         this again",
        problem.layout.accepted
    ))
}

fn no_place_diagnostic(path: &Path, directories: &[String]) -> Diagnostic {
    let message = format!(
        "no place was found in the recipe for {}, so nothing was added",
        [&["secret".to_owned()], directories].concat().join("/")
    );
    Diagnostic::error(path, message).help(
        "`data`, `secret` and the directories below must each be a key on a line of its own, with what is \
         inside on the lines below it",
    )
}
