//! Adds a counterexample to a package: its entry in the recipe, then its files.

use crate::recipe::GenerateMode;
use crate::recipe::files::place_file;
use crate::recipe::propose::directories::{check_group, split_name};
use crate::recipe::propose::write::{Addition, NewCase};
use juror_core::diagnostic::Diagnostic;
use juror_core::problem::Problem;
use juror_core::recipe::{GivenContents, RecipeCase};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_packages::package::recipe;
use juror_packages::package::recipe::insert::{is_case_name, quote};

/// The files of a new test case. The last two describe it, in 2025-09 and in legacy.
const EXTENSIONS: [&str; 4] = ["in", "ans", "yaml", "desc"];

#[derive(Clone, Debug, PartialEq)]
pub struct Promotion<'a> {
    problem: &'a Problem,
    /// The directories below `data/`, then the name.
    path: Vec<String>,
}

impl<'a> Promotion<'a> {
    /// A new test case in `data/secret`, or in a directory below it if the name has slashes.
    ///
    /// # Errors
    /// Why no test case can have this name.
    pub fn new(problem: &'a Problem, name: &str) -> Result<Self, String> {
        if !problem.layout.takes_cases {
            return Err(format!(
                "--promote: cannot add test cases to a package in format {}",
                problem.layout.format
            ));
        }
        let parts = split_name(name);
        if parts.iter().any(|part| !is_case_name(part)) {
            return Err(format!(
                "--promote: `{name}` is not a valid name for a test case; use letters, digits, `_`, `.` and `-`, \
                 with a letter or digit at both ends, but not `test_group` or `testdata`"
            ));
        }
        check_group(problem, &parts[..parts.len() - 1])
            .map_err(|fault| format!("--promote: {fault}"))?;
        let path: Vec<String> = ["secret".to_owned()].into_iter().chain(parts).collect();
        let full = path.join("/");
        let data = problem.dir.join(problem.layout.data);
        let taken = |name: &String| !data.join(name).is_missing();
        let files = EXTENSIONS.map(|extension| format!("{full}.{extension}")).into_iter();
        if let Some(taken) = files.chain([full]).find(taken) {
            return Err(format!(
                "--promote: the package already has {taken} in its test data; choose another name"
            ));
        }
        Ok(Self { problem, path })
    }

    /// Below `data/secret`.
    pub fn directories(&self) -> &[String] {
        &self.path[1..self.path.len() - 1]
    }

    /// Warns that the package already has the input.
    pub fn duplicate_warning(&self, input: &[u8]) -> Option<Diagnostic> {
        let cases = &self.problem.test_data.cases;
        let same = cases.iter().find(|case| is_same(&case.input, input))?;
        let name = self.path.join("/");
        let message =
            format!("the test case {} already has this input, so {name} was not added", same.name);
        let help = "run `juror judge` on it: the package already catches this submission";
        Some(Diagnostic::warning(&same.input, message).help(help))
    }

    /// Returns the name of the new test case.
    pub fn add(&self, input: &[u8], answer: &[u8], description: &str) -> Result<String, Stop> {
        let mut name = self.path.join("/");
        let mut yaml = format!("description: {}\n", quote(description));
        if let Some(recipe) = &self.problem.recipe
            && let Some(case) = self.add_to_recipe(recipe, input, description)?
        {
            let yaml_file = case.files.into_iter().find(|file| file.extension == "yaml");
            if let Some(GivenContents::Text(text)) = yaml_file.map(|file| file.contents) {
                yaml = text;
            }
            // In a list, the case has a number.
            name = case.name;
        }
        let base = self.problem.dir.join(self.problem.layout.data).join(&name);
        let is_legacy = self.problem.layout.format.starts_with("legacy");
        let about = if is_legacy && self.problem.recipe.is_none() {
            ("desc", format!("{description}\n"))
        } else {
            ("yaml", yaml)
        };
        let files = [("in", input), ("ans", answer), (about.0, about.1.as_bytes())];
        for (extension, contents) in files {
            place_file(&base.with_added_extension(extension), contents, GenerateMode::Write)?;
        }
        Ok(name)
    }

    /// Returns the test case, if the recipe makes it.
    fn add_to_recipe(
        &self,
        path: &FilePath,
        input: &[u8],
        description: &str,
    ) -> Result<Option<RecipeCase>, Stop> {
        let reading = recipe::read_for_problem(path, self.problem);
        let is_usable = !reading.diagnostics.iter().any(Diagnostic::prevents_judging);
        let recipe = reading.recipe.filter(|_| is_usable);
        let recipe = recipe.ok_or(Stop::Diagnosed(reading.diagnostics))?;
        let Some((name, directories)) = self.path[1..].split_last() else { return Ok(None) };
        let addition = Addition {
            problem: self.problem,
            recipe: Some(&recipe),
            directories,
            comments: Vec::new(),
            makes_answers: false,
            imported: &[],
        };
        let file = format!("stress/{}", self.path[1..].join("-"));
        let case = NewCase { name: name.clone(), input, description, comment: None, file };
        let added = addition.write(&[case])?;
        Ok(added.recipe.cases.into_iter().find(|case| added.names.contains(&case.name)))
    }
}

fn is_same(path: &FilePath, input: &[u8]) -> bool {
    path.read_prefix(input.len() as u64 + 1).is_ok_and(|bytes| bytes == input)
}
