//! What a judgement reads. Changes of other files do not start a new one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::class::{is_packed, is_source};
use crate::door::files_beside::header_directories;
use crate::ops::judge::JudgeOptions;
use juror_core::diagnostic::Diagnostic;
use juror_core::language::includes::included_names;
use juror_core::language::launch::is_header;
use juror_core::language::sources;
use juror_core::problem::Problem;
use juror_core::program::Program;
use juror_core::recipe::{AnswerSource, CASE_EXTENSIONS};
use juror_core::root::FilePath;
use juror_judging::judge::score::points::TABLE;
use juror_packages::package;

/// Files that decide how a program is built, beside its sources.
const BUILD_FILES: [&str; 5] = ["Cargo.toml", "Cargo.lock", "package.json", "build", "run"];

#[derive(Clone, Debug, Default)]
pub(super) struct JudgedFiles {
    /// Files, and directories of programs. Some may not exist yet.
    pub paths: BTreeSet<PathBuf>,
    /// The ones of these that sources include. They may be outside of what the user named.
    pub included: BTreeSet<PathBuf>,
    /// What the files of settings say, without the submissions. `None` without a package.
    problem: Option<Problem>,
    /// Why nothing can be judged.
    faults: Vec<Diagnostic>,
}

impl JudgedFiles {
    /// `programs` are the submissions and the other programs that the user named.
    pub(super) fn read(options: &JudgeOptions, programs: &[PathBuf]) -> Self {
        let mut all = Self::default();
        if options.package.is_dir() {
            let reading = package::read_as(&options.package, options.runs.format.as_deref());
            all.faults = reading.diagnostics;
            all.faults.retain(Diagnostic::prevents_judging);
            all.problem = reading.problem.map(|read| Problem { submissions: Vec::new(), ..read });
            all.add_files_of_package();
            all.paths.insert(options.package.join(TABLE));
        } else {
            all.paths.insert(options.package.clone());
        }
        let flags = options.build.flags.clone().unwrap_or_default();
        programs.iter().for_each(|path| all.add_program(path, flags.clone()));
        all
    }

    /// The serialized problem names all of its files, whatever fields it has.
    fn add_files_of_package(&mut self) {
        let Some(problem) = &self.problem else { return };
        let mut waiting = vec![serde_json::to_value(problem).unwrap_or_default()];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Array(values) => waiting.extend(values),
                Value::Object(map) => waiting.extend(map.into_iter().map(|(_, value)| value)),
                Value::String(text) if Path::new(&text).starts_with(&*problem.dir) => {
                    self.paths.insert(text.into());
                }
                _ => {}
            }
        }
        let Some(recipe) = &problem.pending_recipe else { return };
        let solutions = recipe.cases.iter().filter_map(|case| match &case.answer {
            AnswerSource::Solution(path) => Some(path),
            _ => None,
        });
        let files = recipe.files_of_package().chain(solutions).map(|path| path.to_path_buf());
        self.paths.extend(files.chain(recipe.path.directory().map(|dir| dir.to_path_buf())));
    }

    fn add_program(&mut self, path: &Path, mut flags: Vec<String>) {
        self.paths.insert(path.to_owned());
        let headers = header_directories(&mut flags, path).unwrap_or_default();
        let program = Program { path: FilePath::root(path), ..Program::default() };
        let files = match sources::read(&program) {
            Ok(sources) if path.is_dir() => sources.files,
            _ => Vec::new(),
        };
        let files = files.into_iter().map(|file| path.join(file.name)).chain([path.to_owned()]);
        for file in files {
            let included = included_names(&file, &headers);
            self.included.extend(included.found.into_iter().map(|found| found.path.into()));
            self.included.extend(included.missing);
        }
        self.paths.extend(self.included.iter().cloned());
    }

    /// Whether a change of this file may change the judgement.
    pub(super) fn contains(&self, file: &Path) -> bool {
        let is_inside = || file.ancestors().skip(1).any(|ancestor| self.paths.contains(ancestor));
        self.paths.contains(file) || (is_part_of_program(file) && is_inside())
    }

    pub(super) fn has_settings_of(&self, other: &Self) -> bool {
        self.problem == other.problem && self.faults == other.faults
    }
}

/// A directory of a program may also have notes, logs and reports.
fn is_part_of_program(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    is_source(file)
        || is_packed(file)
        || is_header(file)
        || ending.is_some_and(|ending| CASE_EXTENSIONS.contains(&ending))
        || BUILD_FILES.iter().any(|name| file.ends_with(name))
}
