//! The entries of a recipe that are test cases.

use std::path::{Component, Path, PathBuf};

use crate::package::faults::ReportedFault;
use crate::package::files::join_name;
use crate::package::node::{Node, ParseResult, RenamedKeys};
use crate::package::recipe::command::CommandLine;
use crate::package::recipe::include::EntryCases;
use crate::package::recipe::{DIRECTORY, RecipeReader, Scope, contents, is_normal_path, names};
use crate::package::text::excerpt;
use crate::package::values::{nonempty_text, text};
use crate::package::yaml::Value;
use juror_core::placeholder::ArgumentPiece;
use juror_core::recipe::{
    AnswerSource, CASE_EXTENSIONS, GeneratorCommand, GivenContents, GivenFile, InputSource,
    RecipeCase,
};
use juror_core::root::FilePath;

const RENAMED_CASE_KEYS: RenamedKeys = &[
    ("type", "a test case has `generate`, `copy` or `in`; remove the line"),
    ("hint", "in format 2025-09: `hint` under `yaml`"),
    ("desc", "in format 2025-09: `description` under `yaml`"),
    ("description", "write it under `yaml`"),
    ("input", "write a command under `generate`, an input under `in`"),
];

struct CaseEntry<'a> {
    /// A case without the effects of `count` and `generate`, and without its name.
    case: RecipeCase,
    /// The command lines of its cases, one for each count; empty if it has no command.
    command_lines: Vec<CommandLine>,
    command: Option<Node<'a>>,
    counts: Option<Vec<i64>>,
    scope: Scope,
    /// Whether its files are in `data/` already, so that nothing makes them.
    is_manual: bool,
}

/// The files that `copy` names.
struct CopiedFiles {
    base: FilePath,
    has_input: bool,
}

impl<'a> RecipeReader<'a> {
    /// Reads an entry that makes one case, or several by `count`.
    pub(super) fn read_cases(
        &mut self,
        node: &Node<'a>,
        scope: &Scope,
        numbered: bool,
        cases: &mut Vec<EntryCases>,
    ) {
        self.has_entries = true;
        let Ok(plan) = self.read_entry(node, scope) else {
            // Its number stays reserved, so that the names of the other cases are right.
            if numbered {
                self.numbers.next_name(node.key);
            }
            return;
        };
        let suffixes = match &plan.counts {
            Some(counts) => names::suffixes(counts),
            None => vec![String::new()],
        };
        let counts = plan.counts.as_deref().unwrap_or(&[1]);
        let mut names = Vec::new();
        for (index, (count, suffix)) in counts.iter().zip(suffixes).enumerate() {
            let name =
                if numbered { self.numbers.next_name(node.key) } else { node.key.to_owned() }
                    + &suffix;
            if self.report_if_full(node) {
                return;
            }
            if name == "test_group" {
                let help = "rename it: its .yaml file would be that of the group";
                node.at_key().error("a test case must not be called `test_group`", help);
                return;
            }
            let name = join_name(&scope.name, &name);
            if !self.claim_name(&name, node) {
                continue;
            }
            let mut case = plan.case.clone();
            if let (Some(line), Some(command)) = (plan.command_lines.get(index), &plan.command) {
                let is_random = line.has_placeholder(ArgumentPiece::Seed);
                let command_line = GeneratorCommand {
                    program: line.program.clone(),
                    args: line.args.clone(),
                    line: line.text.clone(),
                    random_salt: match count {
                        1 => plan.scope.random_salt.clone(),
                        _ => format!("{}:{}", plan.scope.random_salt, i128::from(*count) - 1),
                    },
                    tries: if is_random { plan.scope.tries } else { 1 },
                };
                if !self.is_new_command(&command_line, line, command) {
                    continue;
                }
                case.input = InputSource::Command(command_line);
            }
            if plan.is_manual {
                let base = self.dir.join("data").join(&name);
                if !base.with_added_extension("in").is_file() {
                    let message = format!("`{}` has no input", excerpt(node.key));
                    let help = format!(
                        "add data/{name}.in, or give it one of `generate`, `copy` and `in`"
                    );
                    node.at_key().error(message, help);
                    continue;
                }
                case.copy = Some(base);
            }
            names.push(name.clone());
            case.name = name;
            self.recipe.cases.push(case);
        }
        let keys = join_name(&scope.key_path, node.key);
        cases.push(EntryCases { key_path: keys, names });
    }

    /// Whether no other case has the same command with the same seed. Without a seed, it warns of an equal case.
    fn is_new_command(
        &mut self,
        command: &GeneratorCommand,
        line: &CommandLine,
        node: &Node<'_>,
    ) -> bool {
        let seeded = format!("{}{}", command.random_salt, command.line);
        let Some(first) = self.lines_by_command.insert(seeded, node.line()) else { return true };
        if line.has_placeholder(ArgumentPiece::Seed) {
            let message =
                format!("this is the same command as on line {first}, with the same seed");
            let help =
                "make them differ by a number, such as `{seed:2}`; or use `count` or `include`";
            node.error(message, help);
            return false;
        }
        if !line.has_placeholder(ArgumentPiece::Name) {
            let message =
                format!("this is the same command as on line {first}: the cases are equal");
            node.warning(message, "make them differ, or use `include`");
        }
        true
    }

    fn read_entry(&self, node: &Node<'a>, scope: &Scope) -> ParseResult<CaseEntry<'a>> {
        let mut scope = scope.inner(node.key, node.key);
        let is_manual = self.is_old && node.is_null();
        let mut map = match &node.raw.value {
            // Only a command, or nothing.
            Value::Scalar(_) if is_manual || !node.is_null() => node.empty_map(),
            Value::Map(_) | Value::Broken => {
                node.named_map("", &scope.key_path)?.with_renamed_keys(RENAMED_CASE_KEYS)
            }
            _ => return Err(no_input(node)),
        };
        self.read_settings(node.raw, &mut map, &mut scope);
        let command = if !node.is_map() {
            Some(node.clone()).filter(|_| !is_manual)
        } else if self.is_old {
            // Earlier recipes call it the input.
            map.node("type");
            map.node("generate").or_else(|| map.node("input"))
        } else {
            map.node("generate")
        };
        let file = command.as_ref().and_then(|node| self.input_file(node));
        let command = command.filter(|_| file.is_none());
        let copy = map.try_get("copy", |node| self.read_copy(node)).map(|copy| file.or(copy));
        let counts = map.try_get("count", names::read_counts);
        let lines = match (&command, &counts) {
            (None, _) => Ok(Vec::new()),
            (Some(node), Ok(Some(counts))) => {
                counts.iter().map(|count| self.programs.parse_line(node, *count)).collect()
            }
            (Some(node), _) => self.programs.parse_line(node, 1).map(|line| vec![line]),
        };
        let patterns = map.get("match", contents::read_patterns);
        let given_files = contents::read_given_files(&mut map, self.is_old);
        let count_node = map.node("count");
        let (mut given_files, lines, copy, counts) = (given_files?, lines?, copy?, counts?);
        if let (Some(node), Some(counts)) = (&count_node, &counts) {
            check_counts(node, counts, &lines);
        }
        let inputs = [
            ("generate", !lines.is_empty()),
            ("copy", copy.as_ref().is_some_and(|copy| copy.has_input)),
            ("in", given_files.input.is_some()),
        ];
        let inputs: Vec<&str> =
            inputs.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| key).collect();
        if let [.., _, last] = inputs[..] {
            let message = format!("`{}` has several inputs: `{last}` counts", excerpt(node.key));
            node.at_key().warning(message, "give it one of `generate`, `copy` and `in`");
        }
        let input = match (&inputs[..], given_files.input) {
            ([], _) if !is_manual => return Err(no_input(node)),
            (["in"], Some(text)) => InputSource::Literal(text),
            (_, text) => {
                let file = |text| GivenFile {
                    extension: "in".to_owned(),
                    contents: GivenContents::Text(text),
                };
                given_files.files.extend(text.map(file));
                InputSource::Copy
            }
        };
        let answer = match (scope.name.split('/').next(), scope.solution.take()) {
            (Some("invalid_input" | "invalid_inputs" | "bad"), _) => AnswerSource::None,
            (Some("invalid_answer" | "invalid_answers" | "invalid_outputs"), _) | (_, None) => {
                AnswerSource::OwnFile
            }
            (_, Some(solution)) => AnswerSource::Solution(solution),
        };
        let args = given_files.output_validator_args;
        let case = RecipeCase {
            name: String::new(),
            place: node.at_key().place(),
            input,
            copy: copy.map(|copy| copy.base),
            files: given_files.files,
            answer,
            patterns: patterns.unwrap_or_default(),
            output_validator_args: args.or_else(|| scope.output_validator_args.clone()),
        };
        Ok(CaseEntry { case, command_lines: lines, command, counts, scope, is_manual })
    }

    /// The files to copy if a command of an earlier recipe is the path of an input, not a program.
    fn input_file(&self, command: &Node<'_>) -> Option<CopiedFiles> {
        let text = text(command).ok().filter(|_| self.is_old)?;
        let text = text.trim();
        let name = text.strip_prefix("./").unwrap_or(text).strip_suffix(".in")?;
        let base = self.dir.join(DIRECTORY).join(name);
        let is_there = is_normal_path(name) && base.with_added_extension("in").is_file();
        is_there.then_some(CopiedFiles { base, has_input: true })
    }

    /// The path that the names of the copied files begin with.
    fn read_copy(&self, node: &Node<'_>) -> ParseResult<CopiedFiles> {
        let text = nonempty_text(node)?;
        let shown = excerpt(&text);
        let Some(below) = below_package(&text) else {
            let message = format!("`copy` leads out of the package: `{shown}`");
            return Err(node.error(message, "give a file in the package"));
        };
        let base = self.dir.join(below);
        let has = |extension: &str| base.with_added_extension(extension).is_file();
        if CASE_EXTENSIONS.into_iter().any(has) {
            return Ok(CopiedFiles { has_input: has("in"), base });
        }
        if let Some((stem, _)) = text.rsplit_once('.').filter(|_| base.is_file()) {
            let message = format!("`copy` names a file: `{shown}`");
            return Err(
                node.error(message, format!("leave out the ending: copy: {}", excerpt(stem)))
            );
        }
        let input = base.with_added_extension("in");
        let help = if input.exists() {
            "`copy` names files without their endings".to_owned()
        } else {
            format!("{} does not exist", input.display())
        };
        Err(node.error(format!("there is no file `{shown}.in`"), help))
    }
}

/// A path in the package, given a path from `generators/`; `None` if it leads out.
fn below_package(text: &str) -> Option<PathBuf> {
    let mut path = PathBuf::from(DIRECTORY);
    for component in Path::new(text).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => path.push(name),
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    path.file_name().is_some().then_some(path)
}

/// Warns of a `count` that makes the same case several times.
fn check_counts(node: &Node<'_>, counts: &[i64], lines: &[CommandLine]) {
    let varies = |line: &CommandLine| {
        line.has_placeholder(ArgumentPiece::Seed)
            || line.has_placeholder(ArgumentPiece::Name)
            || line.text != lines[0].text
    };
    if counts.len() > 1 && !lines.iter().any(varies) {
        let help = "to make them differ, put `{seed}` or `{count}` into their command";
        node.warning(format!("`count` makes {} equal cases", counts.len()), help);
    }
}

fn no_input(node: &Node<'_>) -> ReportedFault {
    let message = format!("`{}` has no input", excerpt(node.key));
    node.at_key().error(message, "give it one of `generate`, `copy` and `in`")
}
