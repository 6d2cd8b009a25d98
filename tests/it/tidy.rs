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

/// `None` for `lib.rs` and `main.rs`.
fn module_of(path: &Path) -> Option<String> {
    let below = path.strip_prefix(root().join("src")).ok()?;
    let first = below.components().next()?.as_os_str().to_str()?;
    (!first.ends_with(".rs")).then(|| first.to_owned())
}

/// The names that follow `crate::` in a line of code.
fn used_modules(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn every_file_starts_with_its_purpose() {
    let silent: Vec<_> = ["src", "tests/it", "benches"]
        .into_iter()
        .flat_map(source_files)
        .filter(|path| !read_text(path).starts_with("//! ") && !path.ends_with("src/lib.rs"))
        .collect();
    assert_eq!(silent, Vec::<PathBuf>::new());
}

#[test]
fn the_map_lists_exactly_the_modules() {
    let on_disk: BTreeSet<String> =
        source_files("src").iter().filter_map(|p| module_of(p)).collect();
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
            let place = names.iter().position(|name| name == used);
            assert!(
                place.is_some_and(|place| place < row),
                "{name} uses {used}, which does not stand above it"
            );
        }
    }
}

#[test]
fn imports_follow_the_map() {
    let map = read_map();
    let mut wrong = Vec::new();
    for path in source_files("src") {
        let Some(module) = module_of(&path) else {
            continue;
        };
        let Some(may_use) = &map[&module] else {
            continue;
        };
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

#[test]
fn only_the_sandbox_has_unsafe_code() {
    let wrong: Vec<PathBuf> = source_files("src")
        .into_iter()
        .filter(|path| module_of(path).as_deref() != Some("sandbox"))
        .filter(|path| {
            read_text(path).lines().any(|line| line.split("//").next().unwrap().contains("unsafe "))
        })
        .collect();
    assert_eq!(wrong, Vec::<PathBuf>::new());
}

/// The files that start programs, and which.
const PROGRAM_STARTERS: [(&str, &str); 5] = [
    ("sandbox/host_tool.rs", "tools of this machine and the pager, in a place of their own"),
    ("sandbox/forks.rs", "what the others prepare"),
    ("sandbox/plain/sys.rs", "the program of a run without isolation"),
    ("ops/host.rs", "juror itself, and the user's command that connects to a worker"),
    ("remote/link.rs", "the same command"),
];

#[test]
fn only_listed_files_start_programs() {
    let src = root().join("src");
    let mut found = BTreeSet::new();
    for path in source_files("src") {
        let name = path.strip_prefix(&src).unwrap().display().to_string();
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

/// Where packages, submissions and test data are read and written. Their files are opened through `model/root`.
const ROOTED_FILES: [&str; 17] = [
    "check",
    "class",
    "cli/next.rs",
    "cli/problem.rs",
    "cli/watch/files.rs",
    "explain",
    "generate",
    "grammar",
    "judge",
    "language/sources.rs",
    "package",
    "propose",
    "statement",
    "strength",
    "stress",
    "validate",
    "validator",
];

/// Files there that open others by their paths, and why they may.
const OTHER_OPENERS: [(&str, &str); 12] = [
    ("class/mod.rs", "the user names the class, and with it the directories of the students in it"),
    ("cli/watch/files.rs", "compares the paths that the user names"),
    ("generate/memory.rs", "the directory of the cache"),
    ("generate/missing.rs", "the directory of the cache"),
    ("generate/stage.rs", "the stage is a root of juror's own"),
    ("package/archive/mod.rs", "the user names the archive"),
    ("package/archive/target.rs", "a new directory of juror's own, in which links are made last"),
    ("package/convert/write.rs", "a new directory of juror's own beside the new package"),
    ("package/detect.rs", "what is beside and above the package, for messages"),
    ("package/draft.rs", "the name of the package"),
    ("package/library_checker/programs.rs", "the directory that a repository has for all problems"),
    ("package/mod.rs", "the user names the package, which is the root"),
];

#[test]
fn files_of_packages_are_opened_below_their_root() {
    const OPEN_CALLS: [&str; 17] = [
        "fs::read",
        "fs::write",
        "fs::metadata",
        "fs::symlink_metadata",
        "fs::create",
        "fs::remove",
        "fs::copy",
        "fs::rename",
        "fs::canonicalize",
        "File::open",
        "File::create",
        "OpenOptions",
        "NamedTempFile",
        "WalkDir",
        ".canonicalize()",
        ".symlink_metadata()",
        "FilePath::root(",
    ];
    let src = root().join("src");
    let mut found = BTreeSet::new();
    let mut wrong = Vec::new();
    for path in source_files("src") {
        let name = path.strip_prefix(&src).unwrap().display().to_string();
        let is_meant =
            ROOTED_FILES.iter().any(|it| name == *it || name.starts_with(&format!("{it}/")));
        if !is_meant || name.contains("/tests") {
            continue;
        }
        let text = read_text(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code.lines().map(|line| line.split("//").next().unwrap());
        let opens = |line: &str| OPEN_CALLS.iter().any(|call| line.contains(call));
        let Some(line) = lines.into_iter().find(|line| opens(line)) else { continue };
        match OTHER_OPENERS.iter().find(|(file, _)| name == *file) {
            Some((file, _)) => drop(found.insert(*file)),
            None => wrong.push(format!("{name}: {}; use model/root", line.trim())),
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let allowed: BTreeSet<&str> = OTHER_OPENERS.iter().map(|(file, _)| *file).collect();
    assert_eq!(found, allowed, "those that open nothing by themselves are not listed");
}

#[test]
fn files_named_in_where_do_i_change_exist() {
    let text = read_text(&root().join("docs/architecture.md"));
    let table = text.split("## Where do I change").nth(1).unwrap();
    let missing: Vec<&str> = table
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.ends_with(".rs") || name.ends_with(".md"))
        .filter(|name| {
            let is_source = name.ends_with(".rs") && !name.starts_with("tests/");
            !root().join(if is_source { "src" } else { "" }).join(name).exists()
        })
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// Names of public types that are still in more than two modules.
const SHARED_NAMES: [&str; 0] = [];

#[test]
fn a_public_type_name_is_in_at_most_two_modules() {
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in source_files("src") {
        let Some(module) = module_of(&path) else { continue };
        let text = read_text(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for name in code.lines().filter_map(public_type) {
            modules.entry(name.to_owned()).or_default().insert(module.clone());
        }
    }
    modules.retain(|_, of| of.len() > 2);
    let shared: Vec<&String> = modules.keys().collect();
    assert_eq!(shared, SHARED_NAMES, "{modules:#?}");
}

/// The type that a line declares outside of its own file.
fn public_type(line: &str) -> Option<&str> {
    let (visibility, rest) = line.trim_start().split_once(' ')?;
    let (kind, rest) = rest.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "type", "union"].contains(&kind);
    let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    (is_type && visibility.starts_with("pub")).then_some(name)
}

/// An ignored test is in the group `quiet`, or is a part of another test.
#[test]
fn ignored_tests_have_one_of_two_reasons() {
    let mut wrong = Vec::new();
    for path in source_files("tests").into_iter().chain(source_files("src")) {
        let mut is_quiet = false;
        for (number, line) in read_text(&path).lines().enumerate() {
            match line {
                "mod quiet {" => is_quiet = true,
                "}" => is_quiet = false,
                _ => {}
            }
            let Some(reason) = line.trim_start().strip_prefix("#[ignore = \"") else {
                continue;
            };
            let is_right = if is_quiet {
                reason.starts_with("needs a quiet machine: cargo test quiet:: ")
            } else {
                reason.starts_with("run by ")
            };
            if !is_right {
                wrong.push(format!("{}:{}: {line}", path.display(), number + 1));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn tests_named_in_the_table_of_conformance_exist() {
    let texts =
        source_files("src").into_iter().chain(source_files("tests")).map(|path| read_text(&path));
    let texts: Vec<String> = texts.collect();
    let document = read_text(&root().join("docs/conformance.md"));
    let rows = document.lines().filter(|line| line.starts_with("| ") && line.ends_with("` |"));
    let mut named = 0;
    for row in rows {
        let (_, tests) = row.trim_end_matches(" |").rsplit_once("| ").unwrap();
        for name in tests.split(", ").map(|name| name.trim_matches('`')) {
            let signature = format!("fn {name}() ");
            assert!(
                texts.iter().any(|text| text.contains(&signature)),
                "docs/conformance.md names no test: {name}"
            );
            named += 1;
        }
    }
    assert!(named > 20, "{named} rows");
}

/// Tables and code may be wider.
#[test]
fn lines_of_documents_end_before_column_120() {
    let root = root();
    let documents =
        files_below(&root.join("docs")).into_iter().map(|file| root.join("docs").join(file));
    let documents = documents.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let mut long = Vec::new();
    for path in documents.chain([root.join("README.md")]) {
        let mut is_code = false;
        for (number, line) in read_text(&path).lines().enumerate() {
            is_code ^= line.trim_start().starts_with("```");
            if !is_code && !line.trim_start().starts_with('|') && line.chars().count() >= 120 {
                long.push(format!("{}:{}: {line}", path.display(), number + 1));
            }
        }
    }
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn files_have_at_most_600_lines_and_their_tests_last() {
    for path in source_files("src") {
        let text = read_text(&path);
        let lines = text.lines().count();
        assert!(lines <= 600, "{}: {lines} lines", path.display());
        if let Some((_, tests)) = text.split_once("\n#[cfg(test)]\nmod tests {\n") {
            let (_, behind) = tests.split_once("\n}\n").expect("its end");
            assert_eq!(behind, "", "{}: behind its tests", path.display());
        }
    }
}

#[test]
fn messages_are_lower_case_without_a_final_dot() {
    let listed = read_text(&root().join("tests/golden/messages.txt"));
    let texts = listed.lines().filter_map(|line| match line.strip_prefix("    ") {
        Some(help) => Some(help),
        None => line.strip_prefix("  ")?.split_once(": ").map(|(_, message)| message),
    });
    let mut seen = 0;
    for text in texts {
        let mut letters = text.chars();
        let is_title = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase);
        assert!(!is_title && !text.ends_with('.'), "{text}");
        seen += 1;
    }
    assert!(seen > 500, "{seen} texts");
}

#[test]
fn the_document_of_dependencies_lists_each_one() {
    let told = read_text(&root().join("docs/dependencies.md"));
    let manifest = read_text(&root().join("Cargo.toml"));
    let mut section = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let Some((name, _)) = line.split_once(" = ") else { continue };
        if section.ends_with("dependencies]") {
            // The grammars of one project share a row.
            let name = if name.starts_with("tree-sitter") { "tree-sitter" } else { name };
            assert!(told.contains(name), "docs/dependencies.md does not say why {name} is there");
        }
    }
}
