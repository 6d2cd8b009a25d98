//! The folder of a class: a directory for each student, with programs and other submitted files. Or the directory of
//! one student, with several programs.

pub mod duplicates;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::language::essence;
use crate::language::start::{self, has_word};
use crate::language::table::{EntryPoint, Language};
use crate::language::tool_files::is_of_tools;
use crate::model::diagnostic::Diagnostic;
use crate::model::root::{FilePath, Kind, WalkBounds};
use crate::model::text::{count, joined};

/// The content of a class folder.
#[derive(Debug, Default)]
pub struct Class {
    /// The programs to judge, in the order of their names.
    pub programs: Vec<Handed>,
    /// Files that do not belong to a program.
    ignored: Vec<PathBuf>,
    /// Whether it is one directory with programs both in it and in directories below.
    is_mixed: bool,
}

/// A submitted program; a student's directory if it contains none.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Handed {
    /// Its file, or the directory with all of its files.
    pub path: FilePath,
    /// The file to start, if its name does not show it: the only one that can start in the directory, or the file itself
    /// if another one beside it could.
    pub entry_point: Option<String>,
    /// The files beside a file that may belong to it, by their paths from its directory.
    pub beside: Vec<PathBuf>,
}

impl Handed {
    fn new(path: &FilePath) -> Self {
        Self { path: path.clone(), ..Self::default() }
    }
}

/// Names of directories within a program, which are never a student's.
const PARTS: [&str; 13] = [
    "src", "include", "lib", "main", "app", "bin", "cmd", "pkg", "test", "com", "edu", "net", "org",
];
/// Files that belong to sources beside them.
const HEADERS: [&str; 5] = ["h", "hh", "hpp", "hxx", "inc"];
/// The file that marks a directory as one program.
const MANIFEST: &str = "Cargo.toml";

/// Reads a class folder; `None` if the directory is a single program, or contains none.
///
/// It is a class if all sources are in subdirectories, and none of these is a usual part of a program. If it directly
/// contains sources and several of them can start, it is the directory of one student. It also counts if only one can
/// start, but only its text shows which.
pub fn read(dir: &Path) -> Option<Class> {
    let mut class = Class::default();
    let mut students = Vec::new();
    let mut has_sources = false;
    for path in entries(dir) {
        match fs::metadata(&path) {
            // The teacher may have made a link. Links that students made, below it, are not followed.
            Ok(file) if file.is_dir() && is_of_tools(&FilePath::root(&*path)) => {}
            Ok(file) if file.is_dir() => students.push(path),
            _ if path.ends_with(MANIFEST) => return None,
            _ if Language::of_file(&path).is_some() => has_sources = true,
            _ => class.ignored.push(path),
        }
    }
    if students.iter().any(|student| PARTS.iter().any(|part| student.ends_with(part))) {
        return None;
    }
    if has_sources {
        let mut class = Class::default();
        class.add(&FilePath::root(dir));
        return match &class.programs[..] {
            // Then all other files belong to it.
            [Handed { entry_point: None, .. }] => None,
            [_] => Some(Class { ignored: Vec::new(), ..class }),
            programs => {
                let is_below = |it: &Handed| it.path.parent() != Some(dir);
                let is_mixed = programs.iter().any(is_below) && !programs.iter().all(is_below);
                Some(Class { is_mixed, ..class })
            }
        };
    }
    let found: usize = students.iter().map(|student| class.add(&FilePath::root(student))).sum();
    (found > 0).then_some(class)
}

/// A warning about a directory that is read as one program because of a usual part of programs, although several of its
/// other directories have programs of their own.
pub fn divided(dir: &Path) -> Option<Diagnostic> {
    let below: Vec<PathBuf> = entries(dir).into_iter().filter(|it| it.is_dir()).collect();
    let is_part = |it: &&PathBuf| PARTS.iter().any(|part| it.ends_with(part));
    let part = below.iter().find(is_part)?.file_name()?.to_string_lossy();
    let can_start = |it: &&PathBuf| {
        files(&FilePath::root(*it)).into_iter().any(|file| {
            let language = Language::of_file(&file).map(|it| it.code).unwrap_or_default();
            start::is_by_text(language) && !starting(language, &[file]).is_empty()
        })
    };
    let programs = below.iter().filter(|it| !is_part(it)).filter(can_start).count();
    let what = format!("is read as one program, because of the directory `{part}` in it");
    let help = format!("if it is a class, rename or move `{part}`");
    (programs > 1).then(|| Diagnostic::warning(dir, what).help(help))
}

impl Class {
    /// Adds a student's programs: each file that can start is a program, unless all files together are one. Returns
    /// how many there are.
    fn add(&mut self, student: &FilePath) -> usize {
        let before = self.programs.len();
        if student.join(MANIFEST).is_file() {
            self.programs.push(Handed::new(student));
            return 1;
        }
        let mut sources: BTreeMap<&str, (&Language, Vec<FilePath>)> = BTreeMap::new();
        let mut headers = Vec::new();
        for file in files(student) {
            let ending = file.extension().and_then(|it| it.to_str()).unwrap_or_default();
            match Language::of_file(&file) {
                Some(of) => sources.entry(of.code).or_insert((of, Vec::new())).1.push(file),
                None if HEADERS.contains(&ending) => headers.push(file),
                None => self.ignored.push(file.into()),
            }
        }
        if sources.is_empty() {
            self.programs.push(Handed::new(student));
            return 0;
        }
        let is_of_one = sources.len() == 1;
        for (language, (of, files)) in sources {
            let starting = starting(language, &files);
            let has_parts = files.len() > 1 || !headers.is_empty();
            if is_of_one && has_parts && starting.len() <= 1 {
                let entry = starting.first().and_then(|it| it.strip_prefix(&**student).ok());
                let is_main = |entry: &&Path| entry.with_extension("") == Path::new("main");
                // Such a language has one file that starts, which its compiler is told.
                let is_told = matches!(of.entry, EntryPoint::File { .. });
                let entry = entry.filter(|it| is_told && !is_main(it));
                let entry_point = entry.and_then(Path::to_str).map(str::to_owned);
                self.programs.push(Handed { entry_point, ..Handed::new(student) });
                continue;
            }
            let chosen = if starting.is_empty() { &files } else { &starting };
            let parts = files.iter().chain(&headers).filter(|it| !chosen.contains(it));
            let parts: Vec<&FilePath> = parts.collect();
            self.programs.extend(chosen.iter().map(|path| {
                let below =
                    |part: &&FilePath| part.strip_prefix(path.parent()?).ok().map(Path::to_owned);
                let used = used(language, path, chosen);
                // One of them may have the usual name.
                let entry_point = (!used.is_empty()).then(|| path.file_name()?.to_str()).flatten();
                let beside = parts.iter().copied().chain(used);
                Handed {
                    entry_point: entry_point.map(str::to_owned),
                    beside: beside.filter_map(|it| below(&it)).collect(),
                    ..Handed::new(path)
                }
            }));
        }
        self.programs.len() - before
    }

    /// Diagnostics about files that are not judged, and about a directory that may be meant as a class.
    pub fn remarks(&self, dir: &Path) -> impl Iterator<Item = Diagnostic> {
        let what = "is read as the directory of one student, because there are sources in it";
        let help = "if it is a class, move these sources into directories of their own";
        let mixed = self.is_mixed.then(|| Diagnostic::warning(dir, what).help(help));
        let ignored = (!self.ignored.is_empty()).then(|| {
            let (number, names) = (count(self.ignored.len(), "file"), some(&self.ignored, dir));
            let what = format!("has {number} in no known language, not judged: {names}");
            Diagnostic::warning(dir, what).help("`juror languages` lists the endings of sources")
        });
        mixed.into_iter().chain(ignored)
    }
}

/// The first of these paths, relative to the directory.
fn some(paths: &[PathBuf], dir: &Path) -> String {
    const SHOWN: usize = 5;
    let names = paths.iter().take(SHOWN);
    let names = names.map(|path| path.strip_prefix(dir).unwrap_or(path).display());
    let names = joined(names, ", ");
    match paths.len().saturating_sub(SHOWN) {
        0 => names,
        more => format!("{names}, and {more} more"),
    }
}

/// The entries of a directory that are not hidden, by name.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        found.filter(|it| !is_hidden(&it.file_name())).map(|it| it.path()).collect();
    found.sort();
    found
}

/// All regular files below a directory that are not hidden, by name. Links below it are not followed.
fn files(dir: &FilePath) -> Vec<FilePath> {
    let mut files = Vec::new();
    let mut walk = dir.walk(WalkBounds::PROGRAM);
    while let Some(next) = walk.next() {
        let Ok(entry) = next else { continue };
        if entry.is_link || is_hidden(entry.name()) {
            continue;
        }
        match entry.look() {
            Ok((Kind::File, _)) => files.push(entry.path),
            Ok((Kind::Directory, _)) if is_of_tools(&entry.path) => {}
            Ok((Kind::Directory, _)) => drop(walk.enter(&entry)),
            Err(_) => {}
        }
    }
    files
}

/// Whether a name is ignored in submissions.
fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}

/// The programs whose classes a program uses. In Java each may have a `main` of its own; elsewhere two would clash.
fn used<'a>(language: &str, path: &FilePath, programs: &'a [FilePath]) -> Vec<&'a FilePath> {
    let mut used: Vec<&FilePath> = Vec::new();
    let mut texts = match language {
        "java" => vec![code(path)],
        _ => Vec::new(),
    };
    while let Some(user) = texts.pop() {
        let stem =
            |it: &FilePath| it.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for program in programs.iter().filter(|it| *it != path && has_word(&user, &stem(it))) {
            if !used.contains(&program) {
                used.push(program);
                texts.push(code(program));
            }
        }
    }
    used.sort();
    used
}

/// Whether a script's name is that of a test of other scripts, such as `test_sum.py`, or of a directory's module.
fn never_starts(file: &Path) -> bool {
    let stem = file.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    let is_in_tests = file.parent().is_some_and(|dir| dir.ends_with("tests"));
    is_in_tests
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || ["conftest", "__init__"].contains(&stem)
}

/// The sources that can start: those that declare it, if the compiler looks for that. In a script language this is `main`,
/// or else all that no other source imports; tests and modules of directories only if there is nothing else.
fn starting(language: &str, files: &[FilePath]) -> Vec<FilePath> {
    if start::is_by_text(language) {
        let texts: Vec<Vec<u8>> = files.iter().map(bytes).collect();
        let parts: Vec<String> = match language {
            "rust" => texts.iter().flat_map(|text| start::modules(text)).collect(),
            _ => Vec::new(),
        };
        let is_part = |file: &FilePath| {
            let directory = file.parent().and_then(Path::file_stem);
            let own = if file.ends_with("mod.rs") { directory } else { file.file_stem() };
            own.is_some_and(|own| parts.iter().any(|part| own == &**part))
        };
        let starting = start::starting(language, &texts).into_iter().map(|at| files[at].clone());
        return starting.filter(|file| !is_part(file)).collect();
    }
    let own: Vec<FilePath> = files.iter().filter(|it| !never_starts(it)).cloned().collect();
    let files = if own.is_empty() { files } else { &own };
    let texts: Vec<String> = files.iter().map(text).collect();
    let stem = |at: usize| files[at].file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    if let Some(main) = (0..files.len()).find(|at| stem(*at) == "main") {
        return vec![files[main].clone()];
    }
    let is_directory = |name: &str| {
        files.iter().any(|it| it.parent().is_some_and(|parent| parent.ends_with(name)))
    };
    let starts = |at: usize| {
        let others = texts.iter().enumerate().filter(|(other, _)| *other != at);
        !others.into_iter().any(|(_, text)| imports(language, text, stem(at), &is_directory))
    };
    (0..files.len()).filter(|at| starts(*at)).map(|at| files[at].clone()).collect()
}

/// Whether a script imports this module.
fn imports(language: &str, text: &str, module: &str, is_directory: &impl Fn(&str) -> bool) -> bool {
    const WORDS: [&str; 7] =
        ["import", "from", "require", "require_relative", "source", ".", "use"];
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.lines().any(|line| {
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_import = WORDS.contains(&first) || line.contains("require(");
        let names = |line: &str| line.split(|it| !is_part(it)).any(|word| word == module);
        is_import
            && if language.starts_with("py") {
                names(&modules(line, is_directory))
            } else {
                names(line)
            }
    })
}

/// The modules that a line of Python imports. In `from X import Y`, Y is one only if X is a directory: `from math import
/// gcd` does not import `gcd.py`.
fn modules(line: &str, is_directory: &impl Fn(&str) -> bool) -> String {
    let line = line.trim_start();
    let without_names = |names: &str| {
        let names = names.split(',').map(|it| it.split(" as ").next().unwrap_or_default());
        names.collect::<Vec<_>>().join(",")
    };
    match line.strip_prefix("from ").and_then(|rest| rest.split_once(" import")) {
        None => without_names(line),
        Some((from, names)) => {
            let last = from.trim().rsplit('.').next().unwrap_or_default();
            if last.is_empty() || is_directory(last) {
                format!("{from},{}", without_names(names))
            } else {
                from.to_owned()
            }
        }
    }
}

/// The beginning of a source of Java, without comments and contents of strings.
fn code(path: &FilePath) -> String {
    String::from_utf8_lossy(&essence::code("java", &bytes(path))).into_owned()
}

/// The beginning of a source as text.
fn text(path: &FilePath) -> String {
    String::from_utf8_lossy(&bytes(path)).into_owned()
}

/// The beginning of a source.
fn bytes(path: &FilePath) -> Vec<u8> {
    const MOST: u64 = 1 << 20;
    // An unreadable file is reported when it is built.
    path.start(MOST).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the programs of a class with these files, `name=text`, and the files that are not judged.
    fn check(files: &[&str], programs: &[&str], not_judged: &[&str]) {
        let keep = tempfile::tempdir().expect("a directory");
        for file in files {
            let (name, text) = file.split_once('=').unwrap_or((file, ""));
            let path = keep.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(path, text).expect("a file");
        }
        let class = read(keep.path()).unwrap_or_default();
        let name = |path: &Path| {
            path.strip_prefix(keep.path()).expect("a path inside").display().to_string()
        };
        let found = class.programs.iter().map(|program| {
            let entry = program.entry_point.iter().map(|entry| format!(":{entry}"));
            let beside = program.beside.iter().map(|it| format!("+{}", it.display()));
            name(&program.path) + &entry.chain(beside).collect::<String>()
        });
        assert_eq!(found.collect::<Vec<_>>(), programs, "{files:?}");
        let left = class.ignored.iter().map(|path| name(path));
        assert_eq!(left.collect::<Vec<_>>(), not_judged, "{files:?}");
    }

    #[test]
    fn each_directory_of_a_class_is_a_student() {
        check(&["anna/a.py=1", "bert/b.c=main()"], &["anna/a.py", "bert/b.c"], &[]);
        check(&["Ärger, Zoë (7)/deep/a b.py=1"], &["Ärger, Zoë (7)/deep/a b.py"], &[]);
        check(
            &["anna/a.py=1", "anna/notes.txt", "bert/essay.pdf", "marks.csv", ".git/x.py"],
            &["anna/a.py", "bert"],
            &["marks.csv", "anna/notes.txt", "bert/essay.pdf"],
        );
    }

    #[test]
    fn a_directory_with_sources_or_parts_of_a_program_is_no_class() {
        check(&["main.py=1", "anna/a.py=1"], &[], &[]);
        check(&["Cargo.toml", "bin/a.rs=fn main"], &[], &[]);
        check(&["src/a.cpp=main()", "include/a.h"], &[], &[]);
        check(&["anna/notes.txt"], &[], &[]);
        check(&["main.py=1", "try2.py=2", "notes.txt"], &[], &[]);
        check(&["sum.c=int main()", "heap.c=int domain()"], &[], &[]);
        check(&[], &[], &[]);
    }

    #[test]
    fn a_directory_with_several_programs_is_that_of_one_student() {
        check(&["a.py=1", "b.py=1", "notes.txt"], &["a.py", "b.py"], &["notes.txt"]);
        check(&["a.c=int main()", "deep/b.c=int main()"], &["a.c", "deep/b.c"], &[]);
        check(&["a.py=1", "a.cpp=int main()"], &["a.cpp", "a.py"], &[]);
        check(&["a.py=import tools", "tools.py=1", "notes.txt"], &[":a.py"], &[]);
    }

    #[test]
    fn files_of_one_program_stay_together_and_others_are_apart() {
        check(&["a/x.c=int main(void)", "a/y.c=int f()"], &["a"], &[]);
        check(&["a/x.c=int main(void)", "a/y.h"], &["a"], &[]);
        check(&["a/x.rs=fn main() {}", "a/y.rs=fn main_loop() {}"], &["a:x.rs"], &[]);
        check(&["a/main.py=1", "a/try2.py=1"], &["a"], &[]);
        check(&["a/deep/main.py=1", "a/try2.py=1"], &["a:deep/main.py"], &[]);
        check(&["a/x.c=int main(void)", "a/y.c=int main (void)"], &["a/x.c", "a/y.c"], &[]);
        check(&["a/sum.py=import tools", "a/tools.py=1"], &["a:sum.py"], &[]);
        check(&["a/sum.py=1", "a/try2.py=# import nothing"], &["a/sum.py", "a/try2.py"], &[]);
        check(&["a/sum.py=1", "a/sum.cpp=int main()"], &["a/sum.cpp", "a/sum.py"], &[]);
        check(&["a/x.py=import p.y", "a/p/__init__.py", "a/p/y.py=1"], &["a:x.py"], &[]);
        let both = |line: &str| {
            let x = format!("a/x.py={line}");
            check(&[&x, "a/gcd.py=1"], &["a/gcd.py", "a/x.py"], &[]);
        };
        both("from math import gcd");
        both("from importlib import gcd");
        both("import math as gcd");
        let one = |line: &str| check(&[&format!("a/x.py={line}"), "a/gcd.py=1"], &["a:x.py"], &[]);
        one("from . import gcd");
        one("from a import math, gcd as g");
        one("import sys, gcd as g");
        one("from gcd import f");
        check(&["a/Cargo.toml", "a/src/main.rs=fn main"], &["a"], &[]);
        check(
            &["a/x.py=import tools", "a/y.py=import tools", "a/tools.py=1", "a/deep/z.py=1"],
            &["a/deep/z.py", "a/x.py+tools.py", "a/y.py+tools.py"],
            &[],
        );
        check(
            &["a/x.c=int main()", "a/y.c=int main()", "a/z.c=int f()", "a/z.h"],
            &["a/x.c+z.c+z.h", "a/y.c+z.c+z.h"],
            &[],
        );
        check(&["a/x.c=int main()", "a/y.c=// for main()\nint f()"], &["a"], &[]);
        check(&["a/x.c=int main()", "a/y.c=#ifdef TEST\nint main()\n#endif"], &["a"], &[]);
        for helper in [
            "int main();",
            "namespace a { int main() {} }",
            "auto s = R\"(\nint main() {}\n)\";",
            "#define T 0\n#if T\nint main() {}\n#endif",
            "#ifndef ONLINE_JUDGE\nint main() {}\n#endif",
            "// \\\nint main() {}",
            "int A::main() {}",
        ] {
            check(&["a/x.cpp=int main() {}", &format!("a/y.cpp={helper}")], &["a"], &[]);
        }
        for helper in [
            "/// fn main() {}\npub fn f() {}",
            "/* /* */ fn main() {} */",
            "#[cfg(test)]\nfn main() {}",
            "const S: &str = \"\nfn main() {}\n\";",
            "impl G { fn main() {} }",
            "pub fn main() {}",
        ] {
            let helper = format!("a/y.rs={helper}");
            check(&["a/x.rs=mod y;\nfn main() {}", &helper], &["a:x.rs"], &[]);
        }
        for helper in ["class H { void main() {} }", "class H { static void main(int x) {} }"] {
            let main = "a/X.java=class X { public static void main(String[] a) {} }";
            check(&[main, &format!("a/H.java={helper}")], &["a"], &[]);
        }
        let main = "public static void main()";
        let files = [
            &format!("a/A.java={main} {{ B.f(); }}"),
            &format!("a/B.java={main} {{ C.f(); }}"),
            &format!("a/C.java={main} // A"),
        ];
        let programs = ["a/A.java:A.java+B.java+C.java", "a/B.java:B.java+C.java", "a/C.java"];
        check(&files.map(|it| it.as_str()), &programs, &[]);
        check(&["a/X.PY=1", "b/Y.CPP=int main()"], &["a/X.PY", "b/Y.CPP"], &[]);
    }

    #[test]
    fn a_link_to_a_directory_is_a_student() {
        let keep = tempfile::tempdir().expect("a directory");
        let path = |name: &str| keep.path().join(name);
        fs::create_dir_all(path("real/deep")).expect("directories");
        fs::create_dir(path("class")).expect("a directory");
        fs::write(path("real/a.py"), "1").expect("a file");
        std::os::unix::fs::symlink(path("real"), path("class/anna")).expect("a link");
        std::os::unix::fs::symlink(path("class"), path("real/deep/loop")).expect("a link");
        let class = read(&path("class")).expect("a class");
        let programs: Vec<PathBuf> = class.programs.into_iter().map(|it| it.path.into()).collect();
        assert_eq!(programs, [path("class/anna/a.py")]);
    }

    #[test]
    fn files_of_tools_are_no_sources() {
        let sum = "anna/sum.py=1";
        let check = |tools: &[&str], programs: &[&str]| {
            check(&[&[sum], tools].concat(), programs, &[]);
        };
        let [sum] = ["anna/sum.py"];
        check(&["anna/venv/pyvenv.cfg", "anna/venv/bin/tool.py"], &[sum]);
        check(&["anna/env/pyvenv.cfg", "anna/env/lib/a.py", "anna/env/src/b.c"], &[sum]);
        check(&["anna/env/Lib/site-packages/pip/main.py"], &[sum]);
        check(&["anna/node_modules/a/index.js", "anna/deep/__pycache__/a.py"], &[sum]);
        check(&["anna/target/CACHEDIR.TAG", "anna/target/debug/build.rs"], &[sum]);
        check(&["anna/out/CMakeCache.txt", "anna/out/x/id.c=int main() {}"], &[sum]);
        check(&["anna/build/lib/sum.py", "anna/build/bdist.linux/x"], &[sum]);
        check(&["anna/obj/project.assets.json", "anna/obj/Debug/x.cs"], &[sum]);
        check(&["anna/.git/hooks/x.py", "anna/.venv/lib/x.py"], &[sum]);
        check(&["venv/pyvenv.cfg", "venv/lib/x.py", "node_modules/x/y.js"], &[sum]);
        // They wrote these themselves.
        check(&["anna/build/house.py"], &["anna/build/house.py", sum]);
        check(&["target/sum.py"], &[sum, "target/sum.py"]);
    }

    #[test]
    fn an_environment_where_the_sources_are_is_the_students() {
        let files = ["anna/pyvenv.cfg", "anna/sum.py=1", "anna/lib/site-packages/x.py"];
        check(&files, &["anna/sum.py"], &["anna/pyvenv.cfg"]);
    }

    #[test]
    fn tests_of_a_script_are_no_programs() {
        check(&["a/sum.py=1", "a/test_sum.py=import sum"], &["a:sum.py"], &[]);
        check(&["a/sum.py=1", "a/tests/all.py=import sum"], &["a:sum.py"], &[]);
        check(&["a/sum_test.py=1"], &["a/sum_test.py"], &[]);
    }
}
