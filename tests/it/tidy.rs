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

/// Whether tests write what they make, in place of comparing it with what is there: `INSTA_UPDATE=always`.
pub(crate) fn renews_snapshots() -> bool {
    std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always")
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
    let all = ["src", "crates"].into_iter().flat_map(source_files);
    all.filter(|path| path.components().any(|part| part.as_os_str() == "src")).collect()
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

/// A source file by its path without `crates` and `src`: `core/job.rs`, `ops/judge.rs`.
fn short_name(path: &Path) -> String {
    let name = path.strip_prefix(root()).unwrap().display().to_string();
    let (library, file) = name.split_once("src/").expect("a source of a library");
    format!("{}{file}", library.trim_start_matches("crates/"))
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
fn the_map_lists_the_folders_of_libraries() {
    let map = read_text(&root().join("docs/architecture.md"));
    let rows = map.lines().filter_map(|line| line.strip_prefix("| [`")?.split("`]").next());
    let rows = rows.filter(|row| !row.starts_with("juror_") || row.contains("::"));
    let on_map: BTreeSet<String> =
        rows.map(|row| row.trim_start_matches("juror_").replace("::", "/")).collect();
    let names = library_files().into_iter().map(|path| short_name(&path));
    let folders = names.filter_map(|name| Some(name.strip_suffix("/mod.rs")?.to_owned()));
    let depth = |name: &str| match name.split('/').next() {
        Some("core" | "sandbox" | "packages" | "judging" | "data") => 1,
        _ => 0,
    };
    let on_disk: BTreeSet<String> =
        folders.filter(|folder| folder.matches('/').count() == depth(folder)).collect();
    assert_eq!(on_disk, on_map);
}

/// The files that start programs, and which.
const PROGRAM_STARTERS: [(&str, &str); 7] = [
    (
        "sandbox/sandbox/host_tool.rs",
        "tools of this machine and the pager, in a place of their own",
    ),
    ("sandbox/sandbox/forks.rs", "what the others prepare"),
    ("sandbox/sandbox/plain/sys.rs", "the program of a run without isolation"),
    ("ops/host.rs", "juror itself, and the user's command that connects to a worker"),
    ("remote/link.rs", "the same command"),
    ("nats/main.rs", "the worker of `juror-nats work`"),
    ("cli/serve.rs", "`juror-serve`, which the user installed"),
];

#[test]
fn only_listed_files_start_programs() {
    let mut found = BTreeSet::new();
    for path in library_files() {
        let name = short_name(&path);
        if name.contains("/tests/") || name.ends_with("/tests.rs") || name.contains("/templates/") {
            continue;
        }
        let text = read_text(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let starts = code.lines().map(|line| line.split("//").next().unwrap()).any(|line| {
            let imports = line.contains("process::") && line.contains("Command");
            let words = ["execve(", "execvp", "posix_spawn", "libc::system", "libc::popen"];
            let mut commands = line.match_indices("Command::new(");
            let is_made = commands.any(|(at, _)| !line[..at].ends_with(char::is_alphanumeric));
            imports || is_made || words.iter().any(|word| line.contains(word))
        });
        if starts {
            found.insert(name);
        }
    }
    // The program of a run, inside of the sandbox.
    found.retain(|name| !name.starts_with("sandbox/sandbox/linux/"));
    let expected: BTreeSet<String> =
        PROGRAM_STARTERS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, expected);
}

/// The files that write by a path, and whose. All others write below a root, by `core/root`.
const PATH_WRITERS: [(&str, &str); 16] = [
    ("core/root/write.rs", "the root itself"),
    ("judging/recipe/complete.rs", "juror's own directory of generated data"),
    ("judging/cache/store/directory.rs", "juror's own directory of results"),
    ("packages/package/archive/target.rs", "a temporary directory of juror"),
    ("packages/package/tests_file.rs", "a temporary directory of juror"),
    ("remote/incoming.rs", "a temporary directory of juror"),
    ("nats/server/init.rs", "the directory of a server, which is new"),
    ("ops/listen/inbox.rs", "the directory that the user named"),
    ("ops/judge/class_reader.rs", "a temporary directory of juror"),
    ("ops/saved_boxes.rs", "the directory that the user named"),
    ("ops/saved_input.rs", "the file or directory that the user named"),
    ("ops/statement.rs", "the directory that the user named"),
    ("ops/grade/sink.rs", "the file that the user named"),
    ("grade/results.rs", "the file that the user named"),
    ("report/file.rs", "the file that the user named"),
    ("cli/shell.rs", "the directory that the user named"),
];

#[test]
fn only_listed_files_write_by_paths() {
    const WORDS: [&str; 14] = [
        "fs::write(",
        "fs::rename(",
        "fs::copy(",
        "fs::create_dir",
        "fs::hard_link(",
        "fs::remove_",
        "fs::set_permissions(",
        "File::create",
        "OpenOptions::new(",
        "DirBuilder",
        " symlink(",
        "tempfile_in(",
        "NamedTempFile::new_in(",
        ".persist",
    ];
    let mut found = BTreeSet::new();
    for path in library_files() {
        let name = short_name(&path);
        let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
        // What runs write, and the templates of programs, are no files of users.
        let is_other = name.starts_with("sandbox/") || name.starts_with("packages/new/");
        if is_test || is_other {
            continue;
        }
        let text = read_text(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let mut lines = code.lines().map(|line| line.split("//").next().unwrap());
        if lines.any(|line| WORDS.iter().any(|word| line.contains(word))) {
            found.insert(name);
        }
    }
    let expected: BTreeSet<String> =
        PATH_WRITERS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, expected);
}

#[test]
fn files_named_in_where_do_i_change_exist() {
    let text = read_text(&root().join("docs/architecture.md"));
    let table = text.split("## Where do I change").nth(1).unwrap();
    let sources: BTreeSet<String> = library_files().iter().map(|file| short_name(file)).collect();
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

#[test]
fn the_readme_begins_with_the_main_command_and_the_tests_that_ci_runs() {
    let readme = read_text(&root().join("README.md"));
    let steps = readme.split_once("## First steps").expect("the heading").1;
    let block = steps.split("```").nth(1).expect("commands").trim_start_matches("sh\n");
    let commands = block.lines().map(|line| line.split('#').next().unwrap().trim());
    let commands: Vec<&str> = commands.filter(|line| !line.is_empty()).collect();
    let [main, tests] = commands[..] else { panic!("two commands: {commands:?}") };
    let package = main.strip_prefix("cargo run --release --locked -- verify ").expect(main);
    assert!(root().join(package).join("problem.yaml").is_file(), "{main}");
    let ci = read_text(&root().join(".ci/run"));
    let run = ci.lines().find(|line| line.starts_with("step \"tests\"")).expect("a step");
    assert!(run.contains(&format!(" {tests} -- --skip ")), "{tests}: {run}");
}

/// Writers, templates and statements of packages: the modules behind the feature `writers`.
const WRITERS: [&str; 10] = [
    "packages/new/",
    "packages/statement/",
    "packages/package/case_texts",
    "packages/package/companion/folder",
    "packages/package/companion/name",
    "packages/package/companion/request",
    "packages/package/con",
    "packages/package/headings",
    "packages/package/listing",
    "packages/package/recipe/insert",
];

#[test]
fn the_map_says_how_large_each_tier_is() {
    let tier = |name: &str| match name.split('/').next().unwrap() {
        "grammar" | "data" => "data",
        "remote" | "nats" | "serve" => "scale",
        _ if WRITERS.iter().any(|writer| name.starts_with(writer)) => "command",
        "core" | "sandbox" | "judging" | "packages" | "door" => "judge",
        _ => "command",
    };
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for path in library_files() {
        let name = short_name(&path);
        if name.contains("/tests/") || name.ends_with("/tests.rs") {
            continue;
        }
        let text = read_text(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
        *sizes.entry(tier(&name)).or_default() +=
            lines.filter(|line| !line.starts_with("//")).count();
    }
    let map = read_text(&root().join("docs/architecture.md"));
    for (tier, size) in sizes {
        let row = map.lines().find(|line| line.starts_with(&format!("| {tier} |")));
        let cell = row.and_then(|row| row.split('|').rev().nth(1)).unwrap_or_default();
        let told: usize = cell.trim().replace(',', "").parse().unwrap_or_default();
        assert!(told.abs_diff(size) <= size / 20, "{tier} has {size} lines, the map says {told}");
    }
}

/// Groups of files that use each other, by their first file, and why each is one subject in several files.
const CIRCLES: [(&str, &str); 1] =
    [("grammar/port", "an instruction runs others, and asks the port on its way")];

/// Two files that use each other are one file, or have a thing that belongs to the other. Below the folder of a file may
/// be its parts, which use what they are parts of.
#[test]
fn files_use_each_other_in_one_direction() {
    // By library and path, such as `core/job`.
    let mut modules: BTreeMap<String, (String, String)> = BTreeMap::new();
    for path in library_files() {
        let name = short_name(&path);
        let is_test = name.split('/').any(|part| part == "tests" || part == "tests.rs");
        if !is_test && !name.contains("/templates/") {
            let is_command = path.starts_with(root().join("src"));
            let library = if is_command { "src" } else { name.split('/').next().unwrap() };
            let name = if is_command { format!("src/{name}") } else { name.clone() };
            let name = name.trim_end_matches(".rs").trim_end_matches("/mod");
            let text = read_text(&path);
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            modules.insert(name.to_owned(), (library.to_owned(), code.to_owned()));
        }
    }
    let uses = |name: &str| -> BTreeSet<String> {
        let (library, code) = &modules[name];
        let paths = used_paths(code);
        let files = paths.iter().filter_map(|path| {
            let full = format!("{library}/{path}");
            let ends = full.match_indices('/').map(|(end, _)| end).chain([full.len()]);
            let longest =
                ends.rev().map(|end| &full[..end]).find(|it| modules.contains_key(*it))?;
            let is_ancestor = name.starts_with(&format!("{longest}/")) || longest == name;
            (!is_ancestor).then(|| longest.to_owned())
        });
        files.collect()
    };
    let graph: BTreeMap<&str, BTreeSet<String>> =
        modules.keys().map(|name| (name.as_str(), uses(name))).collect();
    let reach = |from: &str| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(name) = waiting.pop() {
            let next = graph[name.as_str()].iter().filter(|next| seen.insert((*next).clone()));
            waiting.extend(next.cloned().collect::<Vec<_>>());
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<String>> =
        graph.keys().map(|name| (*name, reach(name))).collect();
    let mut circles = BTreeMap::new();
    for (name, all) in &reached {
        let others = all.iter().filter(|other| reached[other.as_str()].contains(*name));
        let circle: BTreeSet<&String> = others.collect();
        if let Some(first) = circle.first() {
            circles.insert(first.to_string(), circle);
        }
    }
    let expected: BTreeSet<&str> = CIRCLES.iter().map(|(first, _)| *first).collect();
    let found: BTreeSet<&str> = circles.keys().map(String::as_str).collect();
    assert_eq!(found, expected, "{circles:#?}");
}

/// The paths below `crate` that a source uses, with slashes.
fn used_paths(code: &str) -> Vec<String> {
    let lines = code.split(";\n").filter_map(|line| {
        let start = line.rfind("use crate::")?;
        let indented = line[..start].rsplit('\n').next().unwrap();
        let is_use = indented.trim_start_matches("pub").trim().is_empty();
        is_use.then(|| line[start + "use crate::".len()..].split_whitespace().collect::<String>())
    });
    lines.flat_map(|line| expand_braces(&line)).map(|path| path.replace("::", "/")).collect()
}

/// `a::{b, c::{d}}` is `a::b` and `a::c::d`.
fn expand_braces(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let mut depth = 0;
    let parts = inner.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.is_empty());
    parts.flat_map(expand_braces).map(|part| format!("{before}{part}")).collect()
}
