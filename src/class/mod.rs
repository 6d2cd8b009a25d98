//! Reads the folder of a class, which has an entry for each student, and finds the programs of a student.
//!
//! Students hand in what they like, so all rules here are guesses from names and sources. `--class`, `--start` and
//! `--language` decide where a guess is wrong.

pub mod duplicates;
pub mod form;
pub mod template;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use juror_core::diagnostic::Diagnostic;
use juror_core::language::candidates::{TEST_DIRECTORIES, without_imported, without_tests};
use juror_core::language::essence::with_names_in_strings;
use juror_core::language::launch::{known_sources, launch_spec};
use juror_core::language::sources::{self, SourceShape, Sources};
use juror_core::language::start;
use juror_core::language::table::{EntryPoint, Language};
use juror_core::language::tool_files::is_tool_directory;
use juror_core::pattern::Pattern;
use juror_core::program::Program;
use juror_core::root::FilePath;
use juror_core::text::{composed, joined, path_text, short_list};
use juror_core::tree::TreeEntry;
use juror_packages::package::archive::{ENDINGS, is_archive};
use regex::Regex;

use crate::class::template::Template;

/// A folder whose sources are all in directories with these names is one program.
const PROGRAM_DIRECTORIES: [&str; 12] =
    ["src", "include", "lib", "main", "app", "bin", "cmd", "pkg", "com", "edu", "net", "org"];
/// A directory with this file is one program.
const MANIFEST: &str = "Cargo.toml";
/// A folder with one of these is one program.
const MANIFESTS: [&str; 8] = [
    MANIFEST,
    "go.mod",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "pom.xml",
    "build.gradle",
    "CMakeLists.txt",
];
/// Endings of archives that juror does not unpack.
const OTHER_ARCHIVES: [&str; 7] =
    [".7z", ".rar", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst"];

/// The sorted entries of a folder, without those of tools. Empty for a file.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    let is_own = |path: &PathBuf| !path.is_dir() || !is_tool_directory(&FilePath::root(&**path));
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_own).collect();
    // Of two names that compose to one, the one that is composed already goes first.
    entries.sort_by_cached_key(|path| (path_text(path), Reverse(path.clone())));
    entries
}

/// Whether a folder with these entries is one program: it has a manifest, sources only in directories of a program,
/// only one archive, or a source that is no stray file. Such a file is beside at least two directories with sources,
/// and uses none of them.
pub fn is_program(entries: &[PathBuf]) -> bool {
    let programs: Vec<&PathBuf> = entries.iter().filter(|path| has_program(path)).collect();
    let directories: Vec<&PathBuf> =
        programs.iter().copied().filter(|path| path.is_dir()).collect();
    let is_part = |path: &PathBuf| {
        is_source(path)
            && !path.is_dir()
            && (directories.len() < 2 || uses_directory(path, &directories))
    };
    let has_students = programs.len() > 1 || !directories.is_empty();
    !has_students || entries.iter().any(|path| is_manifest(path) || is_part(path))
}

fn is_manifest(path: &Path) -> bool {
    MANIFESTS.iter().any(|name| path.ends_with(name))
}

pub fn is_source(path: &Path) -> bool {
    Language::of_file(path).is_some() || path.extension().is_some_and(|end| end == "ipynb")
}

/// Whether it has the name of an archive.
pub fn is_packed(path: &Path) -> bool {
    let lower = path.to_string_lossy().to_lowercase();
    ENDINGS.iter().chain(&OTHER_ARCHIVES).any(|ending| lower.ends_with(ending))
}

/// Whether a student may have handed it in.
pub fn has_program(path: &Path) -> bool {
    let mut parts = PROGRAM_DIRECTORIES.iter().chain(&TEST_DIRECTORIES);
    let is_part = path.is_dir() && parts.any(|part| path.ends_with(part));
    let has_archive = || is_archive(path) || !matches!(packed_sources(path), Ok(None));
    !is_part && (path.is_dir() && has_source(path) || has_archive())
}

/// Whether a source imports what is in one of these directories.
fn uses_directory(source: &Path, directories: &[&PathBuf]) -> bool {
    const MOST: u64 = 1 << 20;
    let language = Language::of_file(source).map_or("", |language| language.code);
    let text = FilePath::root(source).read_prefix(MOST).unwrap_or_default();
    let code = with_names_in_strings(language, &text);
    let names = directories.iter().filter_map(|path| path.file_name()?.to_str());
    let names = joined(names.map(regex::escape), "|");
    let pattern =
        format!(r"\b(?:import|from|use|mod|using)\s+(?:{names})\b|(?:^|[^\w])(?:{names})(?:/|::)");
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(&code))
}

/// The archive with a student's sources: the student's only one, if there is no source beside it.
///
/// Fails if there are several, or if juror cannot unpack it.
pub fn packed_sources(student: &Path) -> Result<Option<PathBuf>, Diagnostic> {
    let Ok(sources) = read_sources(&FilePath::root(student)) else { return Ok(None) };
    let names = || sources.files.iter().map(|file| file.name.as_path());
    if names().any(|name| Language::of_file(name).is_some()) {
        return Ok(None);
    }
    let packed: Vec<&Path> = names().filter(|name| is_packed(name)).collect();
    let path = match packed[..] {
        [] => return Ok(None),
        [only] if student.is_dir() => student.join(only),
        [_] => student.to_owned(),
        _ => {
            let list = joined(packed.iter().map(|path| format!("`{}`", path_text(path))), ", ");
            let message = format!("has several archives, and no source beside them: {list}");
            return Err(Diagnostic::error(student, message).help("keep one, or unpack them"));
        }
    };
    if is_archive(&path) {
        return Ok(Some(path));
    }
    let message = "is no archive that juror can unpack";
    let help = "unpack it into the student's directory, or pack the files as .zip or .tar.gz";
    Err(Diagnostic::error(path, message).help(help))
}

/// `true` if it cannot be read: then the student's result has the reason.
fn has_source(student: &Path) -> bool {
    let Ok(sources) = read_sources(&FilePath::root(student)) else { return true };
    sources.files.iter().any(|file| Language::of_file(&file.name).is_some())
}

fn read_sources(student: &FilePath) -> Result<Sources, Diagnostic> {
    sources::read(&Program { path: student.clone(), ..Program::default() })
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct StudentProgram {
    /// Its path from the student's, for reports: empty for the only program.
    pub name: PathBuf,
    pub directory: PathBuf,
    /// Relative to the directory. `None` if nothing else might start.
    pub entry_point: Option<String>,
    pub files_of_others: Vec<PathBuf>,
}

/// All sources in a language are one program. If several of them can start, each is a program of its own, in the
/// largest directory in which no other starts. `start` is a list of names and patterns: the first that the student has
/// starts. `language` is the code of the only language that counts. A file of the template starts only if no other can.
///
/// A directory that cannot be read is one program: its build reports the reason.
pub fn programs(
    student: &FilePath,
    start: Option<&str>,
    language: Option<&str>,
    template: &Template,
) -> Vec<StudentProgram> {
    let Ok(sources) = read_sources(student) else { return vec![StudentProgram::default()] };
    let mut languages: BTreeMap<&str, (&Language, Vec<&TreeEntry>)> = BTreeMap::new();
    let wanted = language.and_then(Language::by_code);
    for (file, language) in known_sources(&sources.files) {
        let language = wanted.filter(|wanted| wanted.reads(&file.name)).unwrap_or(language);
        languages.entry(language.code).or_insert((language, Vec::new())).1.push(file);
    }
    languages.retain(|code, _| wanted.is_none_or(|wanted| wanted.code == *code));
    if student.join(MANIFEST).is_file() || !student.is_dir() || languages.is_empty() {
        return vec![StudentProgram::default()];
    }
    let all = || languages.values().flat_map(|(_, files)| files).map(|file| file.name.as_path());
    let starts = start.map(composed).unwrap_or_default();
    let starts = starts.split(',').filter(|start| !start.is_empty());
    let named = starts.map(|start| all().filter(|path| is_named(path, start)));
    let named = named.map(Iterator::collect::<Vec<&Path>>).find(|found| !found.is_empty());
    let has_own = |files: &[&TreeEntry]| files.iter().any(|file| !template.has(file));
    let is_any_own = languages.values().any(|(_, files)| has_own(files));
    // Only the manifest says which packages belong to a module.
    let is_module = student.join("go.mod").is_file();
    let mut programs = Vec::new();
    for (language, files) in languages.values() {
        let names: Vec<&Path> = files.iter().map(|file| file.name.as_path()).collect();
        let is_module = is_module && language.code == "go";
        let can_start = if is_module { Vec::new() } else { starting_sources(language, files) };
        let own = own_sources(language, files, template);
        let starting: Vec<&Path> = match &named {
            Some(named) => named.iter().copied().filter(|path| names.contains(path)).collect(),
            None if own.is_empty() => can_start.clone(),
            None => own,
        };
        if named.is_some() && starting.is_empty()
            || is_any_own && !has_own(files) && named.is_none()
        {
            continue;
        }
        let others = languages.values().filter(|(other, _)| other.code != language.code);
        let foreign: Vec<&Path> =
            others.flat_map(|other| &other.1).map(|file| &*file.name).collect();
        if starting.is_empty() {
            let name = names[0].to_owned();
            let files_of_others = foreign.iter().map(|path| path.into()).collect();
            programs.push(StudentProgram { name, files_of_others, ..StudentProgram::default() });
        }
        for main in starting.iter().copied() {
            let others = || starting.iter().copied().filter(|other| *other != main);
            let directory = own_directory(main, others());
            let below = |path: &Path| path.strip_prefix(directory).ok().map(Path::to_owned);
            let is_only = languages.len() == 1 && !others().any(|path| path.starts_with(directory));
            // Classes of Java may all have a `main`, but not the same name.
            let clashes = |path: &Path| {
                language.entry != EntryPoint::Class || path.file_name() == main.file_name()
            };
            let is_start = |path: &&Path| can_start.contains(path) || starting.contains(path);
            let is_rival = |path: &&Path| *path != main && is_start(path) && clashes(path);
            let rivals = names.iter().copied().filter(is_rival);
            let must_say = match language.entry {
                EntryPoint::AllSources => is_module,
                EntryPoint::ClassOfFile => false,
                EntryPoint::File { .. } => true,
                EntryPoint::Class => starting.len().max(can_start.len()) > 1,
            };
            let entry_point = below(main).filter(|_| must_say);
            programs.push(StudentProgram {
                name: if is_only { directory } else { main }.to_owned(),
                directory: directory.to_owned(),
                entry_point: entry_point.map(|name| name.to_string_lossy().into_owned()),
                files_of_others: rivals.chain(foreign.iter().copied()).filter_map(below).collect(),
            });
        }
    }
    if let [only] = &mut programs[..] {
        only.name = PathBuf::new();
    }
    programs
}

/// Why a student has no program, in a class.
pub fn nothing_to_judge(student: &FilePath) -> Option<Diagnostic> {
    const SHOWN: usize = 5;
    let program = Program { path: student.clone(), ..Program::default() };
    let sources = read_sources(student).ok()?;
    let files = &sources.files;
    let is_ready = sources.shape == SourceShape::File && launch_spec(&program, &sources).is_ok();
    if is_ready || !known_sources(files).is_empty() {
        return None;
    }
    let names: Vec<String> = files.iter().map(|file| path_text(&file.name)).collect();
    let what = match &names[..] {
        [] => "no files".to_owned(),
        names => format!("only {}", short_list(names, SHOWN)),
    };
    Some(Diagnostic::error(student, format!("nothing to judge: {what}")))
}

/// Warns that a folder is read as one student's, although it has programs in its directories, too.
pub fn mixed_folder_warning(folder: &Path, programs: &[StudentProgram]) -> Option<Diagnostic> {
    let is_below = |program: &StudentProgram| *program.directory != *Path::new("");
    let is_mixed = programs.iter().any(is_below) && !programs.iter().all(is_below);
    let what = "is read as the directory of one student, because there are sources in it";
    is_mixed.then(|| Diagnostic::warning(folder, what).help("if it is a class, add --class"))
}

/// Whether `start` is its name, with or without its ending or directory, or a pattern of it.
fn is_named(path: &Path, start: &str) -> bool {
    let text = path_text(path);
    let path = Path::new(&text);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pattern = Pattern::parse(start);
    path.ends_with(start)
        || path.with_extension("").ends_with(start)
        || pattern.is_ok_and(|pattern| pattern.matches(&text) || pattern.matches(&name))
}

/// The sources that start if those of the template do not; empty if only they can start, or if there is no template.
fn own_sources<'a>(
    language: &Language,
    files: &[&'a TreeEntry],
    template: &Template,
) -> Vec<&'a Path> {
    let own: Vec<&TreeEntry> = files.iter().copied().filter(|file| !template.has(file)).collect();
    if own.is_empty() || own.len() == files.len() {
        return Vec::new();
    }
    let starting = starting_sources(language, &own);
    let is_script = matches!(language.entry, EntryPoint::File { .. });
    if !starting.is_empty() || !is_script || start::compiler_finds_start(language.code) {
        return starting;
    }
    match without_imported(language.code, &without_tests(&own))[..] {
        [only] => vec![&only.name],
        _ => Vec::new(),
    }
}

/// If the compiler finds the start, the sources that declare it; otherwise, files called `main`.
fn starting_sources<'a>(language: &Language, files: &[&'a TreeEntry]) -> Vec<&'a Path> {
    let files = without_tests(files);
    let names = files.iter().map(|file| file.name.as_path());
    if start::compiler_finds_start(language.code) {
        let texts: Vec<&[u8]> = files.iter().map(|file| file.bytes()).collect();
        let starting = start::starting_sources(language.code, &texts);
        return starting.into_iter().map(|at| files[at].name.as_path()).collect();
    }
    names.filter(|name| name.file_stem().is_some_and(|stem| stem == "main")).collect()
}

/// The largest directory with this source and none of the others; the source's own if there is none.
fn own_directory<'a>(main: &'a Path, others: impl Iterator<Item = &'a Path> + Clone) -> &'a Path {
    let own = main.parent().unwrap_or(Path::new(""));
    let is_free = |dir: &&Path| !others.clone().any(|other| other.starts_with(dir));
    own.ancestors().take_while(is_free).last().unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files, `name=text`, in a directory.
    fn directory(files: &[&str]) -> tempfile::TempDir {
        let keep = tempfile::tempdir().expect("a directory");
        for file in files {
            let (name, text) = file.split_once('=').unwrap_or((file, ""));
            let path = keep.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(path, text).expect("a file");
        }
        keep
    }

    #[test]
    fn a_folder_is_a_class_unless_it_is_a_program() {
        let check = |files: &[&str], expected: Option<&str>, folder: &str| {
            let keep = directory(files);
            let name = |path: PathBuf| path.file_name().expect("a name").display().to_string();
            let found = entries(keep.path());
            let is_class = !is_program(&found);
            let found = found.into_iter().map(name).collect::<Vec<_>>().join(" ");
            assert_eq!(found, folder, "{files:?}");
            assert_eq!(is_class.then_some(&*found), expected, "{files:?}");
        };
        let all = |files: &[&str], names: &str| check(files, Some(names), names);
        all(&["anna/a.py", "bert/b.c"], "anna bert");
        all(&["anna/deep/a.py", "bert/essay.pdf", "marks.csv", ".git/x.py"], "anna bert marks.csv");
        all(&["anna/a.py", "src/b.py"], "anna src");
        all(&["anna.zip=PK\x03\x04", "bert.tgz=\x1f"], "anna.zip bert.tgz");
        all(&["anna.rar=Rar!", "bert.7z=7z"], "anna.rar bert.7z");
        all(&["anna/pyvenv.cfg", "anna/sum.py", "venv/a.py", "x/pyvenv.cfg"], "anna");
        all(&["anna/a.py", "cmake-build-debug/a.c", "node_modules/a/b.js", "target/a.rs"], "anna");
        let one = |files: &[&str], names: &str| check(files, None, names);
        one(&["src/a.py", "tests/test_a.py"], "src tests");
        one(&["main.py", "anna/a.py"], "anna main.py");
        one(&["package.json", "anna/a.py", "bert/a.py"], "anna bert package.json");
        one(&["main.py=from anna import a", "anna/a.py", "bert/a.py"], "anna bert main.py");
        one(&["main.js=require('./bert/a')", "anna/a.js", "bert/a.js"], "anna bert main.js");
        all(&["main.py=anna = 1", "anna/a.py", "bert/a.py"], "anna bert main.py");
        one(&["Cargo.toml", "bin/a.rs", "x/a.rs"], "Cargo.toml bin x");
        one(&["src/a.cpp", "include/a.h", "doc/a.txt"], "doc include src");
        one(&["anna/notes.txt"], "anna");
        one(&[], "");
        // A student's directory as it is downloaded.
        all(&["anna/a.zip=PK\x03\x04", "bert/essay.pdf"], "anna bert");
        all(&["anna/a.rar=Rar!", "bert/deep/b.7z=7z"], "anna bert");
        all(&["anna/1.zip=PK\x03\x04", "anna/2.tgz=\x1f", "marks.csv"], "anna marks.csv");
        one(&["anna.zip=PK\x03\x04"], "anna.zip");
        one(&["anna.zip=PK\x03\x04", "essay.pdf"], "anna.zip essay.pdf");
    }

    #[test]
    fn the_only_archive_of_a_student_has_the_sources() {
        let check = |files: &[&str], expected: Result<&str, &str>| {
            let keep = directory(files);
            let below =
                |path: &Path| path.strip_prefix(keep.path()).map(|rest| rest.display().to_string());
            let found = match packed_sources(&keep.path().join("anna")) {
                Ok(found) => {
                    Ok(found.map_or(String::new(), |path| below(&path).expect("a file in it")))
                }
                Err(error) => {
                    let place = below(&error.place.path).expect("in it");
                    Err(format!("{place}: {}", error.message))
                }
            };
            assert_eq!(found.as_deref().map_err(|error| &**error), expected, "{files:?}");
        };
        let zip = "PK\x03\x04";
        check(&[&format!("anna/a.zip={zip}")], Ok("anna/a.zip"));
        check(&[&format!("anna/A.ZIP={zip}"), "anna/essay.pdf"], Ok("anna/A.ZIP"));
        check(&[&format!("anna/deep/a.kpp={zip}"), "anna/.DS_Store"], Ok("anna/deep/a.kpp"));
        check(
            &[&format!("anna/__MACOSX/b.zip={zip}"), &format!("anna/a.zip={zip}")],
            Ok("anna/a.zip"),
        );
        // Sources go first; a document is no archive of sources.
        check(&[&format!("anna/a.zip={zip}"), "anna/a.py"], Ok(""));
        check(&[&format!("anna/essay.docx={zip}")], Ok(""));
        check(&["anna/essay.pdf"], Ok(""));
        let two = "anna: has several archives, and no source beside them: `a.zip`, `b.tar`";
        check(&[&format!("anna/a.zip={zip}"), "anna/b.tar"], Err(two));
        let two = "anna: has several archives, and no source beside them: `a.rar`, `a.zip`";
        check(&["anna/a.rar", &format!("anna/a.zip={zip}")], Err(two));
        for name in ["a.7z", "b.RAR", "c.tar.bz2", "d.tar.xz", "e.zip", "f.tar.gz"] {
            let message = format!("anna/{name}: is no archive that juror can unpack");
            check(&[&format!("anna/{name}=Rar!"), "anna/essay.pdf"], Err(&message));
        }
        check(&["anna=x"], Ok(""));
    }

    /// Checks the programs of a student: name, directory, `:entry` and `-file` for each file that it is without.
    fn check(files: &[&str], start: Option<&str>, expected: &[&str]) {
        let keep = directory(files);
        let found = programs(&FilePath::root(keep.path()), start, None, &Template::default());
        let found = found.into_iter().map(|program| {
            let mut shown = format!("{} {}", program.name.display(), program.directory.display());
            shown.extend(program.entry_point.map(|class| format!(":{class}")));
            shown.extend(program.files_of_others.iter().map(|path| format!("-{}", path.display())));
            shown
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{files:?}");
    }

    #[test]
    fn all_files_in_a_language_are_one_program_unless_several_can_start() {
        let check = |files: &[&str], expected: &[&str]| check(files, None, expected);
        check(&["a.py=1", "notes.txt"], &[" "]);
        check(&["x.c=int main(void) {}", "y.c=int f() {}", "y.h"], &[" "]);
        check(&["x.rs=fn main() {}", "y.rs=fn main_loop() {}"], &[" :x.rs"]);
        check(&["main.py=1", "tools.py=1", "deep/z.py=1"], &[" :main.py"]);
        check(&["a.py=1", "b.py=1"], &[" "]);
        check(&["essay.pdf"], &[" "]);
        check(&["Cargo.toml", "src/main.rs=fn main() {}", "src/bin/x.rs=fn main() {}"], &[" "]);
        check(
            &["x.c=int main() {}", "y.c=int main() {}", "z.c=int f() {}", "z.h"],
            &["x.c -y.c", "y.c -x.c"],
        );
        check(&["sum.py=1", "sum.cpp=int main() {}"], &["sum.cpp -sum.py", "sum.py -sum.cpp"]);
        check(&["v1/main.sh", "v2/main.sh", "v2/x.sh"], &["v1 v1:main.sh", "v2 v2:main.sh"]);
        let exercises = ["a/src/x.c=int main() {}", "a/lib/y.c", "b/src/x.c=int main() {}"];
        check(&exercises, &["a a", "b b"]);
        check(&["main.js", "v1/main.js"], &["main.js :main.js-v1/main.js", "v1 v1:main.js"]);
        let main = "class X { public static void main(String[] a) {} }";
        let java = ["A.java", "B.java", "C.java"].map(|name| format!("{name}={main}"));
        let [a, b, _] = java.each_ref().map(|text| text.as_str());
        check(&[a, b], &["A.java :A.java", "B.java :B.java"]);
        check(
            &[a, "deep/A.java=class A { public static void main(String[] a) {} }"],
            &["A.java :A.java-deep/A.java", "deep deep:A.java"],
        );
        check(&["X.PY=1"], &[" "]);
        check(&["go.mod", "a.go=package main\nfunc main() {}\n", "b.go=package main"], &[" "]);
        let packages = ["a/x.go=func main() {}", "b/y.go=func main() {}"];
        check(&packages, &["a a", "b b"]);
        check(&[&packages[..], &["go.mod"]].concat(), &[" "]);
        check(&["a.pl=use strict;", "B.pm=1;"], &[" "]);
        check(&["a.kt=fun main() {}", "b.kt=fun main() {}"], &["a.kt -b.kt", "b.kt -a.kt"]);
        check(&["a.kt=object A {\n@JvmStatic fun main(a: Array<String>) {} }", "b.kt=1"], &[" "]);
    }

    #[test]
    fn a_test_is_no_program_of_its_own() {
        let check = |files: &[&str], expected: &[&str]| check(files, None, expected);
        let main = "int main() {}";
        check(&[&format!("sum.cpp={main}"), &format!("test_sum.cpp={main}")], &[" "]);
        check(&[&format!("src/sum.c={main}"), &format!("tests/a.c={main}")], &[" "]);
        check(&["sum.rs=fn main() {}", "tests/sum.rs=fn main() {}"], &[" :sum.rs"]);
        check(&["main.py=1", "tests/main.py=1"], &[" :main.py"]);
        check(
            &["SumTest.java=class SumTest { static void main(String[] a) {} }", "B.java"],
            &[" "],
        );
        check(
            &[&format!("a_test.cpp={main}"), &format!("b_test.cpp={main}")],
            &["a_test.cpp -b_test.cpp", "b_test.cpp -a_test.cpp"],
        );
    }

    #[test]
    fn with_a_language_only_its_sources_are_programs() {
        let keep = directory(&["sum.py=1", "sum.cpp=int main() {}", "sum.txt"]);
        let check = |language: &str, without: &[&str]| {
            let found =
                programs(&FilePath::root(keep.path()), None, Some(language), &Template::default());
            let without = without.iter().map(PathBuf::from).collect();
            assert_eq!(
                found,
                [StudentProgram { files_of_others: without, ..StudentProgram::default() }]
            );
        };
        check("pypy3", &[]);
        check("cppgmp", &[]);
        check("java", &[]);
    }

    #[test]
    fn a_file_that_starts_can_be_named() {
        let files = ["a.py=1", "b.py=1", "deep/a.py=1", "main.py=1"];
        check(&files, Some("b.py"), &[" :b.py-main.py"]);
        check(&files, Some("b"), &[" :b.py-main.py"]);
        check(&files, Some("deep/a"), &[" :deep/a.py-main.py"]);
        check(&files, Some("a"), &["a.py :a.py-deep/a.py-main.py", "deep deep:a.py"]);
        check(&files, Some("c.py"), &[" :main.py"]);
        // The names are from a Mac, and typed elsewhere; or the other way round.
        for names in
            [["gro\u{308}\u{df}e", "gr\u{f6}\u{df}e"], ["\u{e9}t\u{e9}", "e\u{301}te\u{301}"]]
        {
            let [stored, typed] = names.map(|name| format!("{name}.py"));
            check(&[&stored, "main.py"], Some(&typed), &[&format!(" :{stored}-main.py")]);
        }
    }
}
