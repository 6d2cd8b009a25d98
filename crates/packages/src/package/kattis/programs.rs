//! Validators, included files, and other programs of a package.
//!
//! Source: problem package format 2025-09, "Programs", "Input validators", "Included files".

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::kattis::{PackageReader, language_detection};
use crate::package::languages;
use crate::package::named_programs;
use crate::package::node::{Node, ParseResult, help_for_word};
use crate::package::suggest::did_you_mean_or;
use crate::package::text::excerpt;
use juror_core::problem::InputGrammar;
use juror_core::program::{IncludedFile, Program, ProgramKind};
use juror_core::test_data::ValidatorArgs;

/// The last ones are of files that editors, systems and tools of version control leave.
const NO_PROGRAM_ENDINGS: [&str; 19] = [
    "md", "txt", "h", "hpp", "o", "class", "pyc", "exe", "in", "ans", "pdf", "log", "bak", "db",
    "ini", "orig", "rej", "swp", "tmp",
];

pub(super) fn is_not_program(item: &PackageEntry) -> bool {
    if item.is_directory() {
        item.base_name() == "__pycache__"
    } else {
        is_readme(item) || NO_PROGRAM_ENDINGS.contains(&item.ending())
    }
}

/// Whether other judges see no submission in an item, because none of its files is in a language.
/// A binary is what a compiler left.
pub(super) fn is_build_product(tree: &PackageFiles, item: &PackageEntry) -> bool {
    let is_none = |item: &PackageEntry| is_unknown_file(item) || is_not_program(item);
    if item.is_directory() {
        tree.below(&item.name).iter().filter(|item| item.is_file()).all(is_none)
    } else {
        is_unknown_file(item) || starts_with(item, b"\x7fELF")
    }
}

/// Whether problemtools overlooks a file among programs: it is in no language, and not a grammar.
fn is_unknown_file(item: &PackageEntry) -> bool {
    let ending = item.ending();
    let is_known = languages::is_source_ending(ending) || matches!(ending, "ctd" | "viva");
    item.is_file() && !is_known && !starts_with(item, b"#!") && !starts_with(item, b"\x7fELF")
}

fn starts_with(item: &PackageEntry, bytes: &[u8]) -> bool {
    item.path.read_prefix(bytes.len() as u64).is_ok_and(|start| start == bytes)
}

pub(super) fn is_readme(item: &PackageEntry) -> bool {
    item.base_name().starts_with("README")
}

fn is_header(item: &PackageEntry) -> bool {
    item.is_file() && matches!(item.ending(), "h" | "hpp")
}

/// Whether this file makes its directory a program.
fn is_script(item: &PackageEntry) -> bool {
    item.is_file() && matches!(item.base_name(), "build" | "run")
}

impl PackageReader<'_> {
    fn input_validator_items(&self) -> impl Iterator<Item = &PackageEntry> {
        self.version.input_validators.iter().flat_map(|name| self.tree.children(name))
    }

    pub(super) fn input_validator_names(&self) -> Vec<&str> {
        let validators = self.input_validator_items().filter(|item| !self.is_not_validator(item));
        validators.map(PackageEntry::base_name).collect()
    }

    /// The arguments in a file for all input validators, or by their names. Legacy judges ignore unknown names, and names
    /// may lack their ending.
    pub(super) fn input_validator_args(
        &self,
        node: &Node<'_>,
        args: fn(&Node<'_>) -> ParseResult<Vec<String>>,
    ) -> ParseResult<ValidatorArgs> {
        if !node.is_map() {
            return args(node).map(ValidatorArgs::All);
        }
        let known = self.input_validator_names();
        let is_strict = self.version.is_strict;
        let mut by_name = Vec::new();
        for entry in node.entries("a map of input validators to arguments")? {
            let is_named = |name: &&&str| {
                **name == entry.key || !is_strict && name.split('.').next() == Some(entry.key)
            };
            if let Some(name) = known.iter().find(is_named) {
                by_name.extend(args(&entry).map(|args| ((*name).to_owned(), args)));
                continue;
            }
            let message = format!("there is no input validator `{}`", excerpt(entry.key));
            if is_strict {
                entry.at_key().error(message, help_for_word(entry.key, &known));
            } else {
                entry.at_key().warning(message, "");
            }
        }
        Ok(ValidatorArgs::ByName(by_name))
    }

    /// Whether an item is no validator, although it is in the directory of input validators.
    fn is_not_validator(&self, item: &PackageEntry) -> bool {
        is_not_program(item) || !self.version.is_strict && is_unknown_file(item)
    }

    /// A program without included files.
    pub(super) fn new_program(&self, item: &PackageEntry, kind: ProgramKind) -> Program {
        Program {
            language: if self.version.is_strict {
                None
            } else {
                language_detection::detect_language(self.tree, item)
            },
            constants: self.yaml.constants.clone(),
            package: Some(self.tree.root.clone()),
            ..named_programs::new_program(item, kind, Vec::new())
        }
    }

    /// Warns if other judges would not run the validator.
    fn checked_validator(&self, item: &PackageEntry, kind: ProgramKind) -> Program {
        self.check_validator(item);
        self.new_program(item, kind)
    }

    pub(super) fn read_input_validators(&self) -> (Vec<Program>, Vec<InputGrammar>) {
        let (mut programs, mut grammars) = (Vec::new(), Vec::new());
        let is_portable =
            |item: &PackageEntry| item.is_file() && languages::is_validator_ending(item.ending());
        let has_portable = self.input_validator_items().any(is_portable);
        for item in self.input_validator_items() {
            let ending = item.ending();
            if item.is_file() && ending == "ctd" {
                let name = item.base_name().to_owned();
                grammars.push(InputGrammar { name, path: item.path.clone() });
            } else if item.is_file() && ending == "viva" {
                let message = "is a VIVA file, which juror cannot run yet: it checks nothing";
                let help = "write it as a checktestdata file (.ctd), which juror runs";
                self.faults.warning(item, message, help);
            } else if self.is_not_validator(item) {
                if !is_readme(item) && ending != "md" && ending != "txt" {
                    let help = "put a validator of several files into a directory of its own";
                    self.faults.warning(item, "is ignored: it is not a program", help);
                }
            } else {
                // Only juror runs a Rust file; it does no harm next to a validator that every tool can run.
                if !(ending == "rs" && has_portable) {
                    self.check_validator(item);
                }
                programs.push(self.new_program(item, ProgramKind::InputValidator));
            }
        }
        if self.input_validator_names().is_empty() {
            let directory = self.version.input_validators[0];
            let message = match self.tree.directory(directory) {
                Some(_) => "has no input validator",
                None => "is missing: a package needs an input validator",
            };
            let help = "add a grammar of the input (.ctd), or a program that reads it and exits with 42 if it is valid";
            self.faults.publishing_error(self.tree.path(directory), message, help);
        }
        (programs, grammars)
    }

    /// Reads `answer_validators/`, which the format lacks, but other tools have.
    pub(super) fn read_answer_validators(&self) -> Vec<Program> {
        let items = self.tree.children("answer_validators").filter(|item| !is_not_program(item));
        let (grammars, items): (Vec<_>, Vec<_>) =
            items.partition(|item| matches!(item.ending(), "ctd" | "viva"));
        for item in grammars {
            self.faults.warning(item, "is not a program: it checks nothing", "");
        }
        items
            .into_iter()
            .map(|item| self.checked_validator(item, ProgramKind::AnswerValidator))
            .collect()
    }

    /// The programs in a directory. If its files belong together, the directory is one program.
    pub(super) fn read_programs(&self, directory: &str, kind: ProgramKind) -> Vec<Program> {
        let inside = || self.tree.children(directory);
        let is_part = |item: &PackageEntry| is_script(item) || is_header(item);
        match self.tree.directory(directory).filter(|_| inside().any(is_part)) {
            Some(whole) => vec![self.checked_validator(whole, kind)],
            None => {
                let items = inside().filter(|item| !is_not_program(item));
                items.map(|item| self.checked_validator(item, kind)).collect()
            }
        }
    }

    fn check_validator(&self, item: &PackageEntry) {
        let is_allowed = |item: &PackageEntry| languages::is_validator_ending(item.ending());
        let children: Vec<&PackageEntry> =
            self.tree.children(&item.name).filter(|child| child.is_file()).collect();
        if item.is_file() {
            if !is_allowed(item) && self.version.is_strict {
                let message = "is not in Python 3, C or C++: the format allows no other language for validators";
                let help = "put it into a directory with a `build` script that makes `run`";
                self.faults.warning(item, message, help);
            }
        } else if children.is_empty() {
            self.faults.error(item, "is a validator without files", "fill it or remove it");
        } else if !children.iter().any(|item| is_script(item) || is_allowed(item))
            && self.version.is_strict
        {
            let message = "has neither `build` nor `run`, and no Python 3, C or C++ file";
            self.faults.warning(item, message, "add a `build` script that makes `run`");
        }
    }

    /// Reads `output_validator/`; `None` for the format's default output validator, or after a fault.
    pub(super) fn read_output_validator(&self) -> Option<Program> {
        let directory = self.version.output_validator;
        let types = ["interactive", "multi-pass"];
        if !self.has_output_validator()
            && let Some(word) = types.iter().find(|word| self.yaml.problem_type.includes(word))
        {
            let message = format!("is missing: problems of type {word} need their own");
            let help = format!("add the program that takes part, such as {directory}/validate.cpp");
            self.faults.error(self.tree.path(directory), message, help);
        }
        let [noun, without] =
            ["the output validator", "then the format's default output validator decides"];
        self.read_single_program(directory, ProgramKind::OutputValidator, noun, without)
    }

    pub(super) fn read_static_validator(&self) -> Option<Program> {
        let [noun, without] = ["the static validator", "then nothing checks a submission's files"];
        if let Some(entry) = self.tree.directory("static_validator")
            && self.yaml.problem_type.includes("submit-answer")
        {
            let message = "submissions are answers, so a static validator has no program to check";
            self.faults.error(entry, message, "remove it, or the type submit-answer");
            return None;
        }
        self.read_single_program("static_validator", ProgramKind::StaticValidator, noun, without)
    }

    /// Reads the program in `input_visualizer/` or `output_visualizer/`, if it exists. No verdict depends on it, and
    /// it gets no constants.
    pub(super) fn read_visualizer(&self, directory: &str, noun: &str) -> Option<Program> {
        let without = "then nothing makes images";
        let program =
            self.read_single_program(directory, ProgramKind::Visualizer, noun, without)?;
        Some(Program { constants: Vec::new(), ..program })
    }

    /// The single program in a directory, or the directory as a program; `without` says what holds without it.
    fn read_single_program(
        &self,
        directory: &str,
        kind: ProgramKind,
        noun: &str,
        without: &str,
    ) -> Option<Program> {
        let entry = self.tree.directory(directory)?;
        let inside = || self.tree.children(directory);
        let children: Vec<&PackageEntry> = inside().filter(|item| !is_not_program(item)).collect();
        let has_file = children.iter().any(|item| item.is_file());
        let has_header = inside().any(is_header);
        let report = |message: String, help: String| match kind {
            ProgramKind::Visualizer => self.faults.publishing_error(entry, message, help),
            _ => drop(self.faults.error(entry, message, help)),
        };
        let item = match &children[..] {
            [] => {
                let help = format!("add {noun}, or remove the directory: {without}");
                report("has no program in it".to_owned(), help);
                return None;
            }
            [one] if one.is_directory() || !(has_header || is_script(one)) => one,
            _ if !has_file => {
                let message = format!("has {} programs in it", children.len());
                let help = format!("{noun} is exactly one program; keep one directory");
                report(message, help);
                return None;
            }
            // One program of several files.
            _ => entry,
        };
        Some(self.checked_validator(item, kind))
    }

    pub(super) fn read_include(&self) -> Vec<IncludedFile> {
        let mut included = Vec::new();
        for directory in self.tree.children("include").filter(|item| !is_readme(item)) {
            if directory.is_file() {
                let message = "is ignored: included files belong in include/default or a language's directory";
                self.faults.warning(directory, message, "move it to include/default");
                continue;
            }
            let name = directory.base_name();
            let language = (name != "default").then(|| name.to_owned());
            if language.is_some() {
                self.check_language(directory, name);
            }
            let files = named_programs::included_files(self.tree, &directory.name, |_| true);
            if files.is_empty() {
                self.faults.error(directory, "is empty", "fill it or remove it");
            }
            included.extend(files.into_iter().map(|file| IncludedFile {
                language: language.clone(),
                constants: self.yaml.constants.clone(),
                ..file
            }));
        }
        included
    }

    fn check_language(&self, directory: &PackageEntry, language: &str) {
        let allowed = self.yaml.languages.as_ref();
        if !languages::is_programming_language(language) {
            let help = did_you_mean_or(language, ["default"], languages::help_for_code(language));
            self.faults.error(directory, format!("`{language}` is not a language code"), help);
        } else if allowed.is_some_and(|allowed| !allowed.iter().any(|code| code == language)) {
            let message = format!(
                "submissions may not be in `{language}`: `languages` of problem.yaml does not list it"
            );
            self.faults.error(directory, message, "add it to `languages`, or remove the directory");
        }
    }
}
