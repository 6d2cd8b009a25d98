//! The entries of a recipe that are test cases.

use std::path::PathBuf;

use crate::model::recipe::{
    AnswerSource, CASE_EXTENSIONS, GeneratorCommand, InputSource, RecipeCase,
};
use crate::package::keys::{self, Keys, Replaced};
use crate::package::recipe::command::Line;
use crate::package::recipe::{DIRECTORY, Reader, Scope, contents, is_below, join, names};
use crate::package::text::{Remarks, shown};
use crate::package::yaml::{Entry, Node, Value};

const CASE_OTHER: &[Replaced] = &[
    Replaced {
        old: "type",
        help: "a test case is what has `generate`, `copy` or `in`; remove the line",
    },
    Replaced { old: "hint", help: "in format 2025-09: `hint` under `yaml`" },
    Replaced { old: "desc", help: "in format 2025-09: `description` under `yaml`" },
    Replaced { old: "description", help: "write it under `yaml`" },
    Replaced { old: "input", help: "a command stands under `generate`, an input under `in`" },
    Replaced {
        old: "visualizer",
        help: "juror draws no pictures; in format 2025-09 visualizers have directories of their own",
    },
];

/// What an entry says about its cases.
struct Plan {
    /// A case as it would be without `count` and `generate`, and without its name.
    case: RecipeCase,
    line: Option<Line>,
    counts: Option<Vec<i64>>,
    scope: Scope,
}

/// What `copy` names.
struct Copied {
    base: PathBuf,
    has_input: bool,
}

impl Reader<'_> {
    /// Reads an entry that makes one case, or several by `count`.
    pub(super) fn cases(
        &mut self,
        entry: &Entry,
        scope: &Scope,
        numbered: bool,
        cases: &mut Vec<String>,
        remarks: &mut Remarks<'_>,
    ) {
        self.has_entries = true;
        let Some(plan) = self.plan(entry, scope, remarks) else {
            // Its numbers stay free, so that the names of the others can be told.
            if numbered {
                self.numbers.name(&entry.key);
            }
            return;
        };
        let suffixes = match &plan.counts {
            Some(counts) => names::suffixes(counts),
            None => vec![String::new()],
        };
        let counts = plan.counts.as_deref().unwrap_or(&[1]);
        for (count, suffix) in counts.iter().zip(suffixes) {
            let name = match numbered {
                true => self.numbers.name(&entry.key),
                false => entry.key.clone(),
            } + &suffix;
            if self.is_full(entry.key_range, remarks) {
                return;
            }
            if name == "test_group" {
                let help = "rename it: its .yaml file would be that of the group";
                let message = "a test case must not be called `test_group`";
                remarks.error(entry.key_range, message, Some(help));
                return;
            }
            let name = join(&scope.name, &name);
            if !self.take(&name, entry.key_range, remarks) || !self.is_new(&plan, *count, remarks) {
                continue;
            }
            cases.push(name.clone());
            let mut case = plan.case.clone();
            case.name = name;
            if let Some(line) = &plan.line {
                case.input = InputSource::Command(GeneratorCommand {
                    program: line.program.clone(),
                    args: line.args.clone(),
                    line: line.text.clone(),
                    random_salt: plan.scope.random_salt.clone(),
                    count: *count,
                    tries: if line.has_seed() { plan.scope.tries } else { 1 },
                });
            }
            self.recipe.cases.push(case);
        }
    }

    /// Whether no other case has the same command and with it the same seed.
    fn is_new(&mut self, plan: &Plan, count: i64, remarks: &mut Remarks<'_>) -> bool {
        let Some(line) = plan.line.as_ref().filter(|line| line.has_seed()) else {
            return true;
        };
        let key = (plan.scope.random_salt.clone(), line.text.clone(), count);
        match self.seeded.insert(key, line.range.line) {
            None => true,
            Some(first) => {
                let message = format!("is the same command as on line {first}, with the same seed");
                let help =
                    "make them differ by a number, such as `{seed:2}`; or use `count` or `include`";
                remarks.error(line.range, message, Some(help));
                false
            }
        }
    }

    /// What an entry says about its cases.
    fn plan(&self, entry: &Entry, scope: &Scope, remarks: &mut Remarks<'_>) -> Option<Plan> {
        let mut scope = scope.inner(&entry.key, &entry.key);
        let mut keys = match &entry.value.value {
            // A command alone.
            Value::Scalar(_) if !keys::is_null(&entry.value) => Keys::over(&scope.keys, &[]),
            Value::Map(entries) => Keys::over(&scope.keys, entries).replaced(CASE_OTHER),
            Value::Broken => return None,
            _ => return no_input(entry, remarks),
        };
        self.settings(&mut keys, &mut scope, remarks);
        let command = match &entry.value.value {
            Value::Scalar(_) => Some(&entry.value),
            _ => keys.take("generate"),
        };
        let line = command.map(|node| self.programs.line(node, remarks));
        let copy = keys.take("copy").map(|node| self.copy(node, remarks));
        let counts = keys.take("count").map(|node| (node, names::counts(node, remarks)));
        let patterns = keys.take("match");
        let patterns = patterns.map(|node| contents::patterns(node, remarks));
        let given = contents::given(&mut keys, remarks);
        keys.finish(remarks);
        let (given, line, copy) = (given?, transposed(line)?, transposed(copy)?);
        let counts = match counts {
            Some((node, counts)) => Some(checked(node, counts?, line.as_ref(), remarks)?),
            None => None,
        };
        let copied_input = copy.as_ref().filter(|copy| copy.has_input);
        let input = match (&line, copied_input, given.input) {
            (Some(_), None, None) | (None, Some(_), None) => InputSource::Copy,
            (None, None, Some(text)) => InputSource::Literal(text),
            (None, None, None) => return no_input(entry, remarks),
            _ => {
                let message = format!("`{}` has several inputs", shown(&entry.key));
                let help = "give it one of `generate`, `copy` and `in`";
                remarks.error(entry.key_range, message, Some(help));
                return None;
            }
        };
        let answer = match (scope.name.split('/').next(), scope.solution.take()) {
            (Some("invalid_input"), _) => AnswerSource::None,
            (Some("invalid_answer"), _) | (_, None) => AnswerSource::Own,
            (_, Some(solution)) => AnswerSource::Solution(solution),
        };
        let args = given.output_validator_args;
        let case = RecipeCase {
            name: String::new(),
            place: remarks.file.place(entry.key_range),
            input,
            copy: copy.map(|copy| copy.base),
            files: given.files,
            answer,
            patterns: patterns.unwrap_or_default(),
            output_validator_args: args.or_else(|| scope.output_validator_args.clone()),
        };
        Some(Plan { case, line, counts, scope })
    }

    /// The path that the copied files begin with.
    fn copy(&self, node: &Node, remarks: &mut Remarks<'_>) -> Option<Copied> {
        let base = keys::filled_text("copy", node, remarks)?;
        let generators = self.dir.join(DIRECTORY);
        let file = |extension: &str| format!("{base}.{extension}");
        let has = |extension: &str| generators.join(file(extension)).is_file();
        if is_below(&base) && CASE_EXTENSIONS.into_iter().any(has) {
            return Some(Copied { has_input: has("in"), base: generators.join(base) });
        }
        if is_below(&base)
            && let Some((stem, _)) =
                base.rsplit_once('.').filter(|_| generators.join(&base).is_file())
        {
            let message = format!("`copy` names a file: `{}`", shown(&base));
            let help = format!("leave out the ending: copy: {}", shown(stem));
            remarks.error(node.range, message, Some(&help));
            return None;
        }
        self.inside(&generators, &file("in"), "copy", node.range, remarks)?;
        None
    }
}

/// The values of `count`, which needs a command; a doubt where its cases cannot differ.
fn checked(
    node: &Node,
    counts: Vec<i64>,
    line: Option<&Line>,
    remarks: &mut Remarks<'_>,
) -> Option<Vec<i64>> {
    match line {
        None => {
            let help = "only what `generate` makes can be counted; write an entry for each case";
            remarks.error(node.range, "`count` would make equal cases", Some(help));
            return None;
        }
        Some(line) if !line.varies() && counts.len() > 1 => {
            let help = "put `{seed}` or `{count}` into the command, so that they differ";
            let message = format!("`count` makes {} equal cases", counts.len());
            remarks.warning(node.range, message, Some(help));
        }
        Some(_) => {}
    }
    Some(counts)
}

/// `None` where something is there and wrong.
fn transposed<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        None => Some(None),
        Some(value) => value.map(Some),
    }
}

fn no_input<T>(entry: &Entry, remarks: &mut Remarks<'_>) -> Option<T> {
    let message = format!("`{}` has no input", shown(&entry.key));
    let help = "give it one of `generate`, `copy` and `in`";
    remarks.error(entry.key_range, message, Some(help));
    None
}
