//! The command lines of a recipe, and the programs that they start.

use std::collections::BTreeMap;
use std::path::Path;

use crate::package::command_words::split_words;
use crate::package::faults::ReportedFault;
use crate::package::files::is_valid_name;
use crate::package::node::{Node, ParseResult};
use crate::package::recipe::is_normal_path;
use crate::package::suggest::{did_you_mean, did_you_mean_or, path_meant};
use crate::package::text::excerpt;
use crate::package::values::nonempty_text;
use juror_core::language::constants::replace_constants;
use juror_core::placeholder::{self, ArgumentPiece};
use juror_core::program::{Constant, IncludedFile};
use juror_core::recipe::GeneratorProgram;
use juror_core::root::FilePath;
use juror_core::units::Bytes;

/// Linux takes arguments of less than 128 KiB; other systems take more.
const MAX_WORD_LENGTH: usize = 128 << 10;

/// The directory of generators, and the programs that the recipe lists as several files.
#[derive(Debug)]
pub(super) struct GeneratorPrograms {
    dir: FilePath,
    listed: BTreeMap<String, GeneratorProgram>,
    /// Values for `{{name}}` in a command.
    constants: Vec<Constant>,
}

#[derive(Clone, Debug)]
pub(super) struct CommandLine {
    pub program: GeneratorProgram,
    pub args: Vec<String>,
    /// As written in the recipe, trimmed, with constants and `{count}` filled in.
    pub text: String,
}

impl CommandLine {
    pub(super) fn has_placeholder(&self, piece: ArgumentPiece<'_>) -> bool {
        placeholder::occurrences(&self.args, piece) > 0
    }
}

impl GeneratorPrograms {
    pub(super) fn new(dir: FilePath, constants: &[Constant]) -> Self {
        Self { dir, listed: BTreeMap::new(), constants: constants.to_vec() }
    }

    pub(super) fn add_listed(&mut self, node: &Node<'_>) -> ParseResult<()> {
        for entry in node.entries("a map of names to sequences of files")? {
            if let Ok(program) = self.listed_program(&entry) {
                self.listed.insert(program.name.clone(), program);
            }
        }
        Ok(())
    }

    fn listed_program(&self, node: &Node<'_>) -> ParseResult<GeneratorProgram> {
        let (name, path) = (node.key, &node.path);
        if !is_valid_name(name) {
            let message = format!("`{}` cannot be the name of a generator", excerpt(name));
            return Err(node.at_key().error(message, super::NAME_HELP));
        }
        let mut files: Vec<FilePath> = Vec::new();
        for item in node.items("a sequence of files below generators/, the main file first")? {
            let text = nonempty_text(&item)?;
            let file = self.find_program(&text, &item)?;
            if !file.is_file() {
                let help = "list each file; a directory is already a generator";
                return Err(item.error(format!("`{}` is not a file", excerpt(&text)), help));
            }
            if files.iter().any(|other| other.file_name() == file.file_name()) {
                let help = "they are copied into one directory; rename one";
                return Err(item.error(format!("`{path}` has two files of the same name"), help));
            }
            files.push(file);
        }
        let mut files = files.into_iter();
        let Some(first) = files.next() else {
            let help = "list its files, the main file first";
            return Err(node.error(format!("`{path}` is empty"), help));
        };
        Ok(GeneratorProgram {
            name: name.to_owned(),
            path: first,
            included: files.map(IncludedFile::for_all_languages).collect(),
            language: None,
        })
    }

    /// A file or directory below `generators/`.
    fn find_program(&self, name: &str, node: &Node<'_>) -> ParseResult<FilePath> {
        let path = self.dir.join(name);
        let meant = || path_meant(name, &self.dir).map(|path| did_you_mean(&path));
        if !is_normal_path(name) {
            let message = format!("a generator is below generators/, not `{}`", excerpt(name));
            let help = || "write its path from there, without `..`".to_owned();
            return Err(node.error(message, meant().unwrap_or_else(help)));
        }
        let stem = name.strip_suffix(".in").unwrap_or(name);
        let is_input = self.dir.join(stem).with_added_extension("in").is_file();
        if is_input && (stem != name || !path.exists()) {
            let message = format!("`{}` is an input, not a generator", excerpt(name));
            return Err(node.error(message, format!("write `copy: {}`", excerpt(stem))));
        }
        if path.exists() {
            return Ok(path);
        }
        let known = self.generator_names(Path::new(name).parent());
        let known = known.iter().map(String::as_str).chain(self.listed.keys().map(String::as_str));
        let otherwise = format!("add {}, or define it under `generators:`", path.display());
        let message = format!("generator not found: `{}`", excerpt(name));
        let help = meant().unwrap_or_else(|| did_you_mean_or(name, known, otherwise));
        Err(node.error(message, help))
    }

    fn generator_names(&self, below: Option<&Path>) -> Vec<String> {
        let below = below.unwrap_or(Path::new(""));
        let names = self.dir.join(below).names().unwrap_or_default().into_iter();
        let names = names.map(|name| below.join(name).display().to_string());
        names.filter(|name| name != "generators.yaml").collect()
    }

    /// Values of constants are not expanded again. A command that they make too long stays as it is, and its braces
    /// are reported.
    fn with_constants(&self, command: &str) -> String {
        match replace_constants(command.as_bytes(), &self.constants) {
            Ok(filled) => String::from_utf8_lossy(&filled).into_owned(),
            Err(_) => command.to_owned(),
        }
    }

    fn unknown_placeholder(&self, found: &str, word: &str, node: &Node<'_>) -> ReportedFault {
        if !word.contains(&format!("{{{found}}}")) {
            let message = format!("`{}` is not a placeholder", excerpt(found));
            let help = "known: {seed}, {seed:1}, {seed:2} and so on, {name}, {count}; constants have two braces";
            return node.error(message, help);
        }
        let name = found.trim_matches(['{', '}']);
        let known = self.constants.iter().map(|constant| constant.key.as_str());
        let help = did_you_mean_or(name, known, "define it under `constants:` of problem.yaml");
        node.error(format!("unknown constant `{}`", excerpt(name)), help)
    }

    /// A command line such as `gen.py --n 5 {seed}`, for the case with this count.
    ///
    /// Source: BAPCtools fills in constants, then `{count}`, and computes the seed of the result.
    pub(super) fn parse_line(&self, node: &Node<'_>, count: i64) -> ParseResult<CommandLine> {
        let text = nonempty_text(&node.clone().with_path("generate"))?;
        let text = self.with_constants(&text).replace("{count}", &count.to_string());
        let mut args = split_words(&text).map_err(|fault| {
            let help =
                "quotes and backslashes are as in a shell; put a backslash before a literal one";
            node.error(format!("the command {fault}"), help)
        })?;
        for word in &args {
            if let Err(unknown) = placeholder::argument_pieces(word) {
                return Err(self.unknown_placeholder(unknown.text, word, node));
            }
            if word.contains('\0') {
                let help = "arguments end at a zero byte; remove it";
                return Err(node.error("a word of the command has a zero byte", help));
            }
            if word.len() >= MAX_WORD_LENGTH {
                let message = format!(
                    "a word of the command has {}, and systems take less than {}",
                    Bytes(word.len() as u64),
                    Bytes(MAX_WORD_LENGTH as u64)
                );
                return Err(node.error(message, "write a generator that has this text in it"));
            }
        }
        if args.is_empty() {
            return Err(node.error("the command is empty", "name a generator in it"));
        }
        let name = &args.remove(0);
        if placeholder::occurrences(&args, ArgumentPiece::Seed) > 1 {
            let help = "one seed is enough: the generator can derive others";
            return Err(node.error("`{seed}` appears more than once", help));
        }
        let program = match self.listed.get(name.as_str()) {
            Some(program) => program.clone(),
            None => GeneratorProgram {
                name: name.to_owned(),
                path: self.find_program(name, node)?,
                included: Vec::new(),
                language: None,
            },
        };
        Ok(CommandLine { program, args, text: text.trim().to_owned() })
    }
}
