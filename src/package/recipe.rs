//! `generators/generators.yaml`: how the test data is made.
//!
//! Source: the generators documentation of BAPCtools. Of it juror reads directories with `data`,
//! `solution`, `random_salt` and `test_group.yaml`, and cases with `generate`, `copy`, and files by
//! extension. The rest is known and refused by name.

use std::path::{Path, PathBuf};

use crate::model::diagnostic::Diagnostic;
use crate::model::recipe::{
    GeneratorCommand, InputSource, LiteralFile, Recipe, RecipeCase, RecipeFile,
};
use crate::package::files::is_valid_name;
use crate::package::keys::{self, Keys, Replaced};
use crate::package::text::{Range, Remarks, TextFile, shown};
use crate::package::yaml::{self, Entry, Node, Parsed, Value};
use crate::package::yaml_text;

/// What reading a recipe came to.
#[derive(Debug)]
pub struct RecipeReading {
    /// The recipe, as far as it could be understood.
    pub recipe: Option<Recipe>,
    /// Everything that is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the recipe of the package in `dir`.
pub fn read(path: &Path, dir: &Path) -> RecipeReading {
    let mut diagnostics = Vec::new();
    let recipe = TextFile::read(path, &mut diagnostics).and_then(|file| {
        let mut remarks = Remarks::new(&file, &mut diagnostics);
        match yaml::parse(&mut remarks) {
            Parsed::Document(root) => {
                let mut reader = Reader {
                    dir,
                    recipe: Recipe {
                        path: path.to_owned(),
                        cases: Vec::new(),
                        files: Vec::new(),
                    },
                };
                reader.root(&root, &mut remarks);
                reader.recipe.cases.sort_by(|a, b| a.name.cmp(&b.name));
                Some(reader.recipe)
            }
            Parsed::Empty => {
                remarks.error_in_file("is empty", Some("describe the test data under `data:`"));
                None
            }
            Parsed::Unreadable => None,
        }
    });
    RecipeReading {
        recipe,
        diagnostics,
    }
}

/// The extensions whose contents a case can give.
const EXTENSIONS: [&str; 12] = [
    "in",
    "ans",
    "out",
    "yaml",
    "interaction",
    "in.statement",
    "ans.statement",
    "in.download",
    "ans.download",
    "png",
    "jpg",
    "svg",
];

/// The directories of `data/` that hold cases, and whether these have answers.
const TOP: [&str; 5] = [
    "sample",
    "secret",
    "invalid_input",
    "invalid_output",
    "valid_output",
];

const DIRECTORY_LATER: &[Replaced] = &[
    Replaced {
        old: "include",
        help: "`include` is not supported yet; write the cases out",
    },
    Replaced {
        old: "retries",
        help: "`retries` is not supported; a generator must work at the first try",
    },
    Replaced {
        old: "generators",
        help: "`generators` is not supported yet; put the files of a generator in a directory of its own",
    },
];

const CASE_LATER: &[Replaced] = &[
    Replaced {
        old: "count",
        help: "`count` is not supported yet; write a case for each seed",
    },
    Replaced {
        old: "match",
        help: "`match` is not supported yet; an input validator can say the same",
    },
    Replaced {
        old: "retries",
        help: "`retries` is not supported; a generator must work at the first try",
    },
];

struct Reader<'a> {
    dir: &'a Path,
    recipe: Recipe,
}

/// What a directory hands down to what is in it.
#[derive(Clone)]
struct Inherited {
    /// The path below `data/`, empty at the root.
    name: String,
    solution: Option<PathBuf>,
    random_salt: String,
}

impl Reader<'_> {
    fn root(&mut self, root: &Node, remarks: &mut Remarks<'_>) {
        let inherited = Inherited {
            name: String::new(),
            solution: None,
            random_salt: String::new(),
        };
        self.directory(root, &inherited, remarks);
        if self.recipe.cases.is_empty() {
            remarks.warning_in_file("describes no test case", Some("add cases under `data:`"));
        }
    }

    fn directory(&mut self, node: &Node, above: &Inherited, remarks: &mut Remarks<'_>) {
        let Some(keys) = Keys::open(&above.name, node, remarks) else {
            return;
        };
        let mut keys = keys.replaced(DIRECTORY_LATER);
        let mut here = above.clone();
        self.settings(&mut keys, &mut here, remarks);
        if let Some(config) = keys.take("test_group.yaml") {
            self.recipe.files.push(RecipeFile {
                name: join(&here.name, "test_group.yaml"),
                contents: yaml_text::write(config),
            });
        }
        if let Some(data) = keys.entry("data") {
            self.data(data, &here, remarks);
        }
        keys.finish(remarks);
    }

    /// `solution` and `random_salt`, which directories and cases may set.
    fn settings(&self, keys: &mut Keys<'_>, here: &mut Inherited, remarks: &mut Remarks<'_>) {
        if let Some(entry) = keys.entry("solution") {
            here.solution = if keys::is_null(&entry.value) {
                None
            } else {
                keys::text("solution", &entry.value, remarks)
                    .and_then(|text| self.solution(&text, entry.value.range, remarks))
            };
        }
        if let Some(salt) = keys.text("random_salt", remarks) {
            here.random_salt = salt;
        }
    }

    /// A path such as `/submissions/accepted/a.rs`, from the package's directory.
    fn solution(&self, text: &str, range: Range, remarks: &mut Remarks<'_>) -> Option<PathBuf> {
        let Some(below) = text.strip_prefix('/') else {
            let message = format!("`solution` must start with `/`, not `{}`", shown(text));
            let help = format!("the package is the root: /{}", shown(text));
            remarks.error(range, message, Some(&help));
            return None;
        };
        self.inside(self.dir, below, "solution", range, remarks)
    }

    /// A path below `base` that exists and does not leave it.
    fn inside(
        &self,
        base: &Path,
        below: &str,
        what: &str,
        range: Range,
        remarks: &mut Remarks<'_>,
    ) -> Option<PathBuf> {
        let path = base.join(below);
        if !is_below(below) {
            let message = format!("`{what}` leads out of the package: `{}`", shown(below));
            remarks.error(range, message, Some("name a file below the package"));
            None
        } else if !path.exists() {
            let message = format!("there is no `{}`", shown(below));
            let help = format!("{} is not there", path.display());
            remarks.error(range, message, Some(&help));
            None
        } else {
            Some(path)
        }
    }

    fn data(&mut self, data: &Entry, here: &Inherited, remarks: &mut Remarks<'_>) {
        let entries = match &data.value.value {
            Value::Map(entries) => entries,
            Value::Sequence(_) => {
                let help = "lists that number their cases are not supported yet; use a map";
                remarks.error(data.value.range, "`data` must be a map", Some(help));
                return;
            }
            _ => {
                return keys::wrong_type("`data`", "a map of names to cases", &data.value, remarks);
            }
        };
        for entry in entries {
            if self.named(entry, here, remarks) {
                let inner = Inherited {
                    name: join(&here.name, &entry.key),
                    ..here.clone()
                };
                if is_directory(&entry.value) {
                    self.directory(&entry.value, &inner, remarks);
                } else {
                    self.case(entry, inner, remarks);
                }
            }
        }
    }

    /// Whether an entry's name can be one.
    fn named(&self, entry: &Entry, here: &Inherited, remarks: &mut Remarks<'_>) -> bool {
        if here.name.is_empty() && !TOP.contains(&entry.key.as_str()) {
            let message = format!("`data/{}` holds no test cases", shown(&entry.key));
            let help = format!("the directories are {}", TOP.join(", "));
            remarks.error(entry.key_range, message, Some(&help));
            return false;
        }
        if !is_valid_name(&entry.key) {
            let message = format!("`{}` cannot be the name of a file", shown(&entry.key));
            let help = "letters, digits, `_`, `-` and `.`, with a letter, digit or `_` first";
            remarks.error(entry.key_range, message, Some(help));
            return false;
        }
        true
    }

    fn case(&mut self, entry: &Entry, mut here: Inherited, remarks: &mut Remarks<'_>) {
        if let Value::Scalar(scalar) = &entry.value.value {
            let message = format!("`{}` must be a map", shown(&entry.key));
            let help = format!(
                "write `{}: {{ generate: {} }}`",
                entry.key,
                shown(&scalar.text)
            );
            remarks.error(entry.value.range, message, Some(&help));
            return;
        }
        let Some(keys) = Keys::open(&here.name, &entry.value, remarks) else {
            return;
        };
        let mut keys = keys.replaced(CASE_LATER);
        self.settings(&mut keys, &mut here, remarks);
        let mut sources = Vec::new();
        if let Some(node) = keys.take("generate") {
            sources.extend(self.command(node, &here, remarks).map(InputSource::Command));
        }
        if let Some(node) = keys.take("copy") {
            sources.extend(self.copy(node, remarks).map(InputSource::Copy));
        }
        let mut files = Vec::new();
        for extension in EXTENSIONS {
            let Some(node) = keys.take(extension) else {
                continue;
            };
            let Some(contents) = contents(extension, node, remarks) else {
                continue;
            };
            match extension {
                "in" => sources.push(InputSource::Literal(contents)),
                _ => files.push(LiteralFile {
                    extension: extension.to_owned(),
                    contents,
                }),
            }
        }
        let said = ["generate", "copy", "in"]
            .into_iter()
            .filter(|key| keys.take(key).is_some())
            .count();
        keys.finish(remarks);
        match (said, sources.pop()) {
            (1, Some(input)) => {
                let answered = !here.name.starts_with("invalid_input/");
                self.recipe.cases.push(RecipeCase {
                    solution: here.solution.filter(|_| answered),
                    name: here.name,
                    place: remarks.file.place(entry.key_range),
                    input,
                    files,
                });
            }
            // Its fault is already reported.
            (1, None) => {}
            (said, _) => {
                let message = match said {
                    0 => format!("`{}` has no input", shown(&entry.key)),
                    _ => format!("`{}` has several inputs", shown(&entry.key)),
                };
                let help = "give it one of `generate`, `copy` and `in`";
                remarks.error(entry.key_range, message, Some(help));
            }
        }
    }

    fn command(
        &self,
        node: &Node,
        here: &Inherited,
        remarks: &mut Remarks<'_>,
    ) -> Option<GeneratorCommand> {
        let line = keys::filled_text("generate", node, remarks)?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let name = words.next()?;
        let generators = self.dir.join("generators");
        let program = self.inside(&generators, &name, "generate", node.range, remarks)?;
        Some(GeneratorCommand {
            program,
            args: words.collect(),
            line: line.trim().to_owned(),
            random_salt: here.random_salt.clone(),
        })
    }

    /// The path that the copied files begin with.
    fn copy(&self, node: &Node, remarks: &mut Remarks<'_>) -> Option<PathBuf> {
        let base = keys::filled_text("copy", node, remarks)?;
        let generators = self.dir.join("generators");
        let input = format!("{base}.in");
        self.inside(&generators, &input, "copy", node.range, remarks)?;
        Some(generators.join(base))
    }
}

/// A text as it is, or a map or sequence as the YAML that says the same.
fn contents(extension: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<String> {
    match (&node.value, extension) {
        (Value::Map(_) | Value::Sequence(_), "yaml") => Some(yaml_text::write(node)),
        _ => keys::text(extension, node, remarks),
    }
}

/// Directories have `data`, cases have not; an empty map is a directory without cases.
fn is_directory(node: &Node) -> bool {
    match &node.value {
        Value::Map(entries) => {
            let has = |key: &str| entries.iter().any(|entry| entry.key == key);
            has("data") || !["generate", "copy", "in"].into_iter().any(has)
        }
        _ => false,
    }
}

fn is_below(path: &str) -> bool {
    let path = Path::new(path);
    path.components()
        .all(|component| matches!(component, std::path::Component::Normal(_)))
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Reads a recipe in a package with a few files; gives its cases and its diagnostics, a line each.
    fn check(recipe: &str, expected: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "generators/gen.py",
            "generators/manual/a.in",
            "submissions/accepted/a.py",
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let path = dir.path().join("generators/generators.yaml");
        fs::write(&path, recipe).unwrap();
        let reading = read(&path, dir.path());
        let mut lines: Vec<String> = Vec::new();
        for case in reading.recipe.iter().flat_map(|recipe| &recipe.cases) {
            let input = match &case.input {
                InputSource::Literal(text) => format!("in {text:?}"),
                InputSource::Copy(path) => format!("copy {}", path.display()),
                InputSource::Command(command) => {
                    format!("{} {:?}", command.program.display(), command.args)
                }
            };
            let solution = case
                .solution
                .as_ref()
                .map(|path| path.display().to_string());
            let solution = solution.unwrap_or_default();
            let files: String = case
                .files
                .iter()
                .map(|file| format!(" .{}={:?}", file.extension, file.contents))
                .collect();
            lines.push(format!("{}: {input} {solution}{files}", case.name));
        }
        for file in reading.recipe.iter().flat_map(|recipe| &recipe.files) {
            lines.push(format!("{}: {:?}", file.name, file.contents));
        }
        for diagnostic in &reading.diagnostics {
            let help = diagnostic.help.as_deref().unwrap_or_default();
            lines.push(format!("{diagnostic} ({help})"));
        }
        let root = format!("{}/", dir.path().display());
        let lines: Vec<String> = lines.iter().map(|line| line.replace(&root, "")).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn cases_inherit_from_their_directories() {
        check(
            "solution: /submissions/accepted/a.py\n\
             data:\n  sample:\n    data:\n      '1': {in: \"1\\n\", yaml: {description: small}}\n  \
             secret:\n    test_group.yaml: {args: [a]}\n    data:\n      b:\n        generate: gen.py {seed} x\n      \
             a:\n        copy: manual/a\n  invalid_input:\n    data:\n      c: {in: ''}\n",
            &[
                "invalid_input/c: in \"\" ",
                "sample/1: in \"1\\n\" submissions/accepted/a.py .yaml=\"description: small\\n\"",
                "secret/a: copy generators/manual/a submissions/accepted/a.py",
                "secret/b: generators/gen.py [\"{seed}\", \"x\"] submissions/accepted/a.py",
                "secret/test_group.yaml: \"args:\\n- a\\n\"",
            ],
        );
    }

    #[test]
    fn every_fault_is_named_with_its_place_and_a_way_out() {
        check(
            "solution: submissions/accepted/a.py\ndata:\n  secrt: {data: {}}\n  secret:\n    count: 3\n    data:\n      \
             a: {generate: nobody.py}\n      b: {in: x, copy: manual/a}\n      c: gen.py 1\n      d: {in: x, descripton: y}\n      \
             ../e: {in: x}\n      f: {copy: ../../etc/passwd}\n      g: {data: {}, yaml: {}}\n",
            &[
                "secret/d: in \"x\" ",
                "generators/generators.yaml:1:11: `solution` must start with `/`, not `submissions/accepted/a.py` (the package is the root: /submissions/accepted/a.py)",
                "generators/generators.yaml:3:3: `data/secrt` holds no test cases (the directories are sample, secret, invalid_input, invalid_output, valid_output)",
                "generators/generators.yaml:7:21: there is no `nobody.py` (generators/nobody.py is not there)",
                "generators/generators.yaml:8:7: `b` has several inputs (give it one of `generate`, `copy` and `in`)",
                "generators/generators.yaml:9:10: `c` must be a map (write `c: { generate: gen.py 1 }`)",
                "generators/generators.yaml:10:18: unknown key `descripton` in `secret/d` (known keys: solution, random_salt, generate, copy, in, ans, out, yaml, interaction, in.statement, ans.statement, in.download, ans.download, png, jpg, svg)",
                "generators/generators.yaml:11:7: `../e` cannot be the name of a file (letters, digits, `_`, `-` and `.`, with a letter, digit or `_` first)",
                "generators/generators.yaml:12:17: `copy` leads out of the package: `../../etc/passwd.in` (name a file below the package)",
                "generators/generators.yaml:13:21: unknown key `yaml` in `secret/g` (known keys: solution, random_salt, test_group.yaml, data)",
                "generators/generators.yaml:5:5: unknown key `count` in `secret` (known keys: solution, random_salt, test_group.yaml, data)",
            ],
        );
    }
}
