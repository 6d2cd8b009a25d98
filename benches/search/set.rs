//! The set of wrong programs for `benches/search.rs`: problems, each with a grammar, a right program and wrong ones.
//!
//! A file of the set has an introduction and sections. `=== edit NAME` makes a wrong program from the right one: an
//! old text, `=>`, a new text, and `--` before the next edit. `=== wrong NAME LANGUAGE` is a whole program. Each has
//! an input on which it fails: `=== fails NAME` as it is, `=== large NAME` as a script in Python that prints it.

use std::fs;
use std::path::Path;

pub(crate) struct SearchProblem {
    pub(crate) name: String,
    pub(crate) grammar: String,
    pub(crate) right: String,
    pub(crate) wrong: Vec<WrongProgram>,
}

pub(crate) struct WrongProgram {
    pub(crate) name: String,
    /// The ending of its file's name.
    pub(crate) language: String,
    pub(crate) source: String,
    pub(crate) failing: FailingInput,
}

pub(crate) enum FailingInput {
    Text(String),
    /// Python.
    Script(String),
}

/// All problems, in the order of their names. Panics if a file is not as it should be.
pub(crate) fn read_problems() -> Vec<SearchProblem> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/search");
    let entries = fs::read_dir(&dir).expect("the set").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "txt")).collect();
    paths.sort();
    paths.iter().map(|path| read_problem(path)).collect()
}

fn read_problem(path: &Path) -> SearchProblem {
    let text = fs::read_to_string(path).expect("a text");
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let mut problem =
        SearchProblem { name, grammar: String::new(), right: String::new(), wrong: Vec::new() };
    for section in text.split("\n=== ").skip(1) {
        let (head, body) = section.split_once('\n').unwrap_or((section, ""));
        let body = format!("{}\n", body.trim_end_matches('\n'));
        let words: Vec<&str> = head.split_whitespace().collect();
        match *words {
            ["grammar"] => problem.grammar = body,
            ["right", "cpp"] => problem.right = body,
            ["edit", name] => {
                let source = edit(&problem.right, &body);
                let source = source.unwrap_or_else(|| panic!("{path:?}: {name}: no such text"));
                problem.add_wrong(name, "cpp", source);
            }
            ["wrong", name, language] => problem.add_wrong(name, language, body),
            ["fails" | "large", name] => {
                let wrong = problem.wrong.last_mut().expect("a program before its input");
                assert_eq!(wrong.name, name, "{path:?}");
                wrong.failing = match words[0] {
                    "fails" => FailingInput::Text(body),
                    _ => FailingInput::Script(body),
                };
            }
            _ => panic!("{path:?}: {head}"),
        }
    }
    problem
}

impl SearchProblem {
    fn add_wrong(&mut self, name: &str, language: &str, source: String) {
        let failing = FailingInput::Text(String::new());
        let (name, language) = (name.to_owned(), language.to_owned());
        self.wrong.push(WrongProgram { name, language, source, failing });
    }
}

/// `None` if an old text is missing.
fn edit(right: &str, edits: &str) -> Option<String> {
    let mut source = right.to_owned();
    for edit in edits.split("\n--\n") {
        let (old, new) =
            edit.split_once("\n=>\n").or_else(|| Some((edit.strip_suffix("\n=>\n")?, "")))?;
        let (old, new) = (old.trim_matches('\n'), new.trim_matches('\n'));
        if !source.contains(old) {
            return None;
        }
        source = source.replacen(old, new, 1);
    }
    Some(source)
}
