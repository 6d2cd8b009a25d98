//! Checks the source against `docs/architecture.md` and the rules of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read_text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn source_files(dir: &str) -> Vec<PathBuf> {
    walkdir::WalkDir::new(root().join(dir))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The sources of the command and of all libraries.
pub(crate) fn library_files() -> Vec<PathBuf> {
    ["src", "crates"].into_iter().flat_map(source_files).collect()
}

/// By their paths in the directory.
pub(crate) fn files_below(dir: &Path) -> Vec<String> {
    let files = walkdir::WalkDir::new(dir).sort_by_file_name().into_iter();
    let files = files.map(|entry| entry.unwrap()).filter(|entry| entry.file_type().is_file());
    let below = files.map(|file| file.path().strip_prefix(dir).unwrap().display().to_string());
    let mut below: Vec<String> = below.collect();
    below.sort();
    below
}

/// Module name → the modules it may use; `None` for everything.
fn read_map() -> BTreeMap<String, Option<BTreeSet<String>>> {
    read_text(&root().join("docs/architecture.md"))
        .lines()
        .filter_map(|line| line.strip_prefix("| [`"))
        .map(|row| {
            let (name, rest) = row.split_once("`]").expect("a module name in a row");
            let may_use = rest.trim_end_matches([' ', '|']).rsplit('|').next().unwrap();
            let may_use = match may_use.trim() {
                "everything" => None,
                "nothing" => Some(BTreeSet::new()),
                names => Some(names.split(", ").map(str::to_owned).collect()),
            };
            (name.to_owned(), may_use)
        })
        .collect()
}

/// Libraries of one module: Cargo holds what they use.
const ONE_MODULE: [&str; 3] = ["grammar", "nats", "remote"];

/// A source file as `MODULE/FILE`, in whatever library it is.
fn module_file(path: &Path) -> String {
    let name = path.strip_prefix(root()).unwrap().display().to_string();
    let (library, file) = name.split_once("src/").expect("a source of a library");
    match library.split('/').nth(1) {
        Some(module) if ONE_MODULE.contains(&module) => format!("{module}/{file}"),
        _ => file.to_owned(),
    }
}

/// `None` for files that are in no module of the library, such as those of the program `juror-nats`.
fn module_of(path: &Path) -> Option<String> {
    let module = module_file(path).split_once('/')?.0.to_owned();
    Some(module).filter(|module| module != "nats")
}

/// The modules that a line of code names. A library of one module is that module.
fn used_modules(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap_or_default();
    let whole = ONE_MODULE.into_iter();
    let mut used: Vec<&str> = whole.filter(|it| code.contains(&format!("juror_{it}::"))).collect();
    for library in [
        "crate::",
        "juror_core::",
        "juror_sandbox::",
        "juror_packages::",
        "juror_judging::",
        "juror_data::",
    ] {
        used.extend(code.split(library).skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            &rest[..end]
        }));
    }
    used
}

#[test]
fn every_file_starts_with_its_purpose() {
    let silent: Vec<_> = ["src", "crates", "tests/it", "benches"]
        .into_iter()
        .flat_map(source_files)
        .filter(|path| !read_text(path).starts_with("//! ") && !path.ends_with("src/lib.rs"))
        .collect();
    assert_eq!(silent, Vec::<PathBuf>::new());
}

#[test]
fn the_map_lists_exactly_the_modules() {
    let on_disk: BTreeSet<String> = library_files().iter().filter_map(|p| module_of(p)).collect();
    let on_map: BTreeSet<String> = read_map().into_keys().collect();
    assert_eq!(on_disk, on_map);
}

#[test]
fn the_map_points_down_only() {
    let names: Vec<String> = read_text(&root().join("docs/architecture.md"))
        .lines()
        .filter_map(|line| line.strip_prefix("| [`")?.split("`]").next())
        .map(str::to_owned)
        .collect();
    let map = read_map();
    for (row, name) in names.iter().enumerate() {
        for used in map[name].iter().flatten() {
            let used_row = names.iter().position(|name| name == used);
            assert!(
                used_row.is_some_and(|used_row| used_row < row),
                "{name} uses {used}, which does not stand above it"
            );
        }
    }
}

#[test]
fn imports_follow_the_map() {
    let map = read_map();
    let mut wrong = Vec::new();
    for path in library_files() {
        let Some(module) = module_of(&path) else {
            continue;
        };
        let Some(may_use) = &map[&module] else {
            continue;
        };
        if ONE_MODULE.contains(&module.as_str()) {
            continue;
        }
        for (number, line) in read_text(&path).lines().enumerate() {
            for name in used_modules(line) {
                if name != module && !may_use.contains(name) {
                    wrong.push(format!(
                        "{}:{}: `{module}` may not use `{name}`; see docs/architecture.md",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The files that start programs, and which.
const PROGRAM_STARTERS: [(&str, &str); 6] = [
    ("sandbox/host_tool.rs", "tools of this machine and the pager, in a place of their own"),
    ("sandbox/forks.rs", "what the others prepare"),
    ("sandbox/plain/sys.rs", "the program of a run without isolation"),
    ("ops/host.rs", "juror itself, and the user's command that connects to a worker"),
    ("remote/link.rs", "the same command"),
    ("nats/main.rs", "the worker of `juror-nats work`"),
];

#[test]
fn only_listed_files_start_programs() {
    let mut found = BTreeSet::new();
    for path in library_files() {
        let name = module_file(&path);
        if name.contains("/tests/") || name.ends_with("/tests.rs") || name.contains("/templates/") {
            continue;
        }
        let text = read_text(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let starts = code.lines().map(|line| line.split("//").next().unwrap()).any(|line| {
            let imports = line.contains("process::") && line.contains("Command");
            let words = ["execve(", "execvp", "posix_spawn", "libc::system", "libc::popen"];
            let mut made = line.match_indices("Command::new(");
            let is_made = made.any(|(at, _)| !line[..at].ends_with(char::is_alphanumeric));
            imports || is_made || words.iter().any(|it| line.contains(it))
        });
        if starts {
            found.insert(name);
        }
    }
    // The program of a run, inside of the sandbox.
    found.retain(|name| !name.starts_with("sandbox/linux/"));
    let expected: BTreeSet<String> =
        PROGRAM_STARTERS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, expected);
}

#[test]
fn files_named_in_where_do_i_change_exist() {
    let text = read_text(&root().join("docs/architecture.md"));
    let table = text.split("## Where do I change").nth(1).unwrap();
    let sources: BTreeSet<String> = library_files().iter().map(|it| module_file(it)).collect();
    let missing: Vec<&str> = table
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.ends_with(".rs") || name.ends_with(".md"))
        .filter(|name| {
            let is_source = name.ends_with(".rs") && !name.starts_with("tests/");
            !if is_source { sources.contains(*name) } else { root().join(name).exists() }
        })
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn the_document_of_dependencies_lists_each_one() {
    let page = read_text(&root().join("docs/dependencies.md"));
    let manifest = read_text(&root().join("Cargo.toml"));
    let mut section = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let Some((name, _)) = line.split_once(" = ") else { continue };
        let name = name.trim_end_matches(".workspace");
        if section.ends_with("dependencies]") && !name.starts_with("juror-") {
            // The grammars of one project share a row.
            let name = if name.starts_with("tree-sitter") { "tree-sitter" } else { name };
            assert!(page.contains(name), "docs/dependencies.md does not say why {name} is there");
        }
    }
}
