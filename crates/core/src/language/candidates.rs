//! Tells the program among the sources of a directory: it is no test, and no other source imports it.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::language::essence;
use crate::tree::TreeEntry;

/// Names without their ending.
///
/// Sources: unittest and pytest; Node.js and Jest; Go; RSpec; Surefire; GoogleTest. `__init__` marks a package.
static TEST_NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = "conftest|__init__|test[-_.].+|.+[-_.](?:(?:unit)?tests?|spec)";
    Regex::new(&format!("^(?:{names}|Test[A-Z].*|.*[a-z0-9](?:Tests?|Spec))$")).ok()
});
pub const TEST_DIRECTORIES: [&str; 4] = ["test", "tests", "__tests__", "spec"];
/// A file `test` that has one of these words is a test if it imports another file.
const TEST_WORDS: [&str; 4] = ["assert", "unittest", "pytest", "expect("];

/// How a source imports others. `base` comes before the other names, which are lists with commas.
///
/// Repetitions are bounded if another match can begin inside: the search takes linear time.
const IMPORTS: [(&str, &str); 9] = [
    ("c cgmp cpp cppgmp objectivec", r#"#[ \t]*include[ \t]*"([^"]+)""#),
    (
        "pypy3 python3 python3numpy",
        r#"(?m)(?:^|[;:])[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+(?<base>[\w.]+)[ \t]+import\b[ \t]*(?:\(([\w\s,]*)|([\w, \t]*)))|(?:import_module|__import__)\("([^"]+)""#,
    ),
    ("javascript typescript", r#"\b(?:require|import|from)\s*\(?\s*"([^"]+?)(?:\.js)?""#),
    (
        "lua php r ruby",
        r#"\b(?:(?:require|include)(?:_once|_relative)?|load|autoload|dofile|loadfile|source)\b[^"\n;]{0,80}"([^"]+)""#,
    ),
    ("perl", r#"\b(?:use(?:[ \t]+(?:parent|base))?|require|do)\b[^\w"\n;]{0,20}"?([\w:./-]+)"#),
    ("bash", r"(?m)(?:\bsource|\bsh|\bbash|(?:^|[\s;])\.)[ \t][^\n;]{0,80}?([\w-]+\.sh)\b"),
    ("nim", r"(?m)^[ \t]*(?:import|include|from)[ \t]+([\w/., \t]+)"),
    ("pascal", r"(?i)\buses\b([^;]{0,1000})"),
    ("rust", r"\bmod\s+(\w+)\s*;"),
];

/// All if all are tests.
pub fn without_tests<'a>(sources: &[&'a TreeEntry]) -> Vec<&'a TreeEntry> {
    let program: Vec<_> = sources.iter().copied().filter(|file| !is_test(&file.name)).collect();
    if program.is_empty() { sources.to_vec() } else { program }
}

fn is_test(name: &Path) -> bool {
    let mut above = name.parent().into_iter().flatten();
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    above.any(|part| TEST_DIRECTORIES.iter().any(|tests| part == *tests))
        || TEST_NAMES.as_ref().is_some_and(|names| names.is_match(&stem))
}

/// Leaves out what other sources import. If they all import each other, all stay.
pub fn without_imported<'a>(language: &str, sources: &[&'a TreeEntry]) -> Vec<&'a TreeEntry> {
    let is_imported = imported_sources(language, sources);
    let others = sources.iter().zip(is_imported).filter(|(_, is_imported)| !is_imported);
    let others: Vec<_> = others.map(|(file, _)| *file).collect();
    if others.is_empty() { sources.to_vec() } else { others }
}

/// Leaves out tests that no other source names: compilers may lack what they need.
pub fn without_unused_tests<'a>(language: &str, sources: &[&'a TreeEntry]) -> Vec<&'a TreeEntry> {
    let program = without_tests(sources);
    let mut used = program.clone();
    if program.len() < sources.len() {
        let files = program.iter();
        let texts = files.map(|file| essence::with_names_in_strings(language, file.bytes()));
        let code = texts.collect::<Vec<_>>().join("\n").to_lowercase();
        let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let words: HashSet<&str> = words.collect();
        let is_named = |name: &Path| {
            let stem = name.file_stem().unwrap_or_default().to_string_lossy();
            words.contains(&*stem.to_lowercase())
        };
        used.extend(sources.iter().filter(|file| is_test(&file.name) && is_named(&file.name)));
        used.sort_by(|a, b| a.name.cmp(&b.name));
    }
    used
}

/// For each source, whether another one imports it. A test counts as imported.
fn imported_sources(language: &str, sources: &[&TreeEntry]) -> Vec<bool> {
    let mut is_imported = vec![false; sources.len()];
    let row = essence::row_of(language, &IMPORTS).filter(|_| sources.len() > 1);
    let Some(pattern) = row.and_then(|row| Regex::new(row).ok()) else { return is_imported };
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, file) in sources.iter().enumerate() {
        for name in [file.name.clone(), file.name.with_extension("")] {
            let parts = path_parts(&name.to_string_lossy());
            let ends = (0..parts.len()).map(|from| parts[from..].join("/"));
            ends.for_each(|end| by_name.entry(end).or_default().push(at));
        }
    }
    for (at, file) in sources.iter().enumerate() {
        let names = imported_names(&pattern, language, file.bytes());
        let imported = names.iter().filter_map(|name| by_name.get(name)).flatten();
        let imported: Vec<usize> = imported.copied().filter(|other| *other != at).collect();
        let stem = file.name.file_stem().unwrap_or_default().to_ascii_lowercase();
        let has = |word: &str| memchr::memmem::find(file.bytes(), word.as_bytes()).is_some();
        if (stem == "test" || stem == "tests") && TEST_WORDS.iter().any(|word| has(word)) {
            is_imported[at] |= !imported.is_empty();
        } else {
            imported.into_iter().for_each(|other| is_imported[other] = true);
        }
    }
    is_imported
}

/// As paths. A name with dots or colons can be a path, too, as in `from lib.util import add`.
fn imported_names(pattern: &Regex, language: &str, text: &[u8]) -> HashSet<String> {
    let mut names = HashSet::new();
    for (base, item) in imports_by(pattern, language, text) {
        let as_path = format!("{base}/{item}").replace("::", "/").replace('.', "/");
        names.insert(path_parts(&as_path).join("/"));
        if base.is_empty() {
            names.insert(path_parts(&item).join("/"));
        }
    }
    names
}

/// The base and the name of each import, as the source writes them. At least one is empty for a whole module.
pub(super) fn imports(language: &str, text: &[u8]) -> Vec<(String, String)> {
    let pattern = essence::row_of(language, &IMPORTS).and_then(|row| Regex::new(row).ok());
    pattern.map(|pattern| imports_by(&pattern, language, text)).unwrap_or_default()
}

fn imports_by(pattern: &Regex, language: &str, text: &[u8]) -> Vec<(String, String)> {
    let code = essence::with_names_in_strings(language, text);
    let mut all = Vec::new();
    for found in pattern.captures_iter(&code) {
        let base = found.name("base").map_or("", |base| base.as_str());
        let lists = found.iter().skip(1).flatten().flat_map(|group| group.as_str().split(','));
        let items = lists.filter_map(|item| item.split_whitespace().next());
        all.extend(items.chain([""]).map(|item| (base.to_owned(), item.to_owned())));
    }
    all
}

/// The last parts, in lower case: nobody knows from which directory an import starts.
fn path_parts(path: &str) -> Vec<String> {
    const MOST: usize = 4;
    let parts = path.split('/').filter(|part| !["", ".", ".."].contains(part));
    let parts: Vec<String> = parts.map(str::to_ascii_lowercase).collect();
    parts[parts.len().saturating_sub(MOST)..].to_vec()
}
