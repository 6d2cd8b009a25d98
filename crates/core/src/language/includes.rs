//! The files that a source includes or imports from its own directory, as a compiler or an interpreter finds them.
//!
//! A source may be hostile, so it gets only regular files below its directory and below the directories that the user
//! named for headers. No link leads out, and no hidden file comes along.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::language::candidates::imports;
use crate::language::essence::inclusions;
use crate::language::table::Language;
use crate::program::IncludedFile;
use crate::root::{FilePath, is_outside_error};
use crate::stop::Remark;

/// Also those of files that do not exist.
const NAMES_MAX: usize = 10_000;
/// Of all included files together.
const BYTES_MAX: u64 = 32 << 20;
/// In bytes. What comes later in the source itself is not looked for.
const TEXT_MAX: u64 = 8 << 20;

/// What Node.js and a compiler of TypeScript add to the name of a module.
const MODULE_ENDINGS: [&str; 8] =
    [".js", "", ".ts", ".json", ".cjs", ".mjs", "/index.js", "/index.ts"];

/// A directory that the user named for headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderDirectory {
    pub path: FilePath,
    /// Its path among the files of the program.
    pub name: PathBuf,
}

/// What a source includes, and what that includes in turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IncludedNames {
    pub found: Vec<IncludedFile>,
    /// Files that are not there. The system may have them.
    pub missing: Vec<PathBuf>,
    /// Whether one of the texts includes `testlib.h`, in quotes or not.
    pub has_testlib: bool,
    /// Why some files do not come along.
    pub fault: Option<Remark>,
}

/// A source in another language than C, C++, Python, JavaScript or TypeScript includes nothing.
pub fn included_names(source: &Path, directories: &[HeaderDirectory]) -> IncludedNames {
    let mut all = IncludedNames::default();
    let (Some(language), Some(own)) = (Language::of_file(source), source.file_name()) else {
        return all;
    };
    let own = Path::new(own);
    let directory = FilePath::root(source.parent().unwrap_or(Path::new("")));
    let beside = HeaderDirectory { path: directory, name: PathBuf::new() };
    let search = IncludeSearch { language, headers: directories, beside };
    let mut waiting = match search.beside.path.join(own).read_prefix(TEXT_MAX) {
        Ok(text) => search.references(own, &text, &mut all.has_testlib),
        Err(_) => Vec::new(),
    };
    let mut known = BTreeMap::from([(own.to_owned(), true)]);
    let mut room = BYTES_MAX;
    while let Some(alternatives) = waiting.pop() {
        for name in alternatives {
            match known.get(&name) {
                Some(true) => break,
                Some(false) => continue,
                None => {}
            }
            let Some(path) = search.path_of(&name) else { continue };
            let text = path.read_prefix(room + 1);
            known.insert(name.clone(), text.is_ok());
            let length = text.as_ref().map_or(0, |text| text.len() as u64);
            if known.len() > NAMES_MAX || length > room {
                all.fault = Some(excess(source));
                return all;
            }
            match text {
                Ok(text) => {
                    room -= length;
                    waiting.extend(search.references(&name, &text, &mut all.has_testlib));
                    let is_header = true;
                    all.found.push(IncludedFile {
                        name,
                        path,
                        is_header,
                        ..IncludedFile::default()
                    });
                    break;
                }
                Err(error) => {
                    // A condition of the preprocessor may leave it out.
                    let refusal = refusal(&path, &error).filter(|_| !language.is_c_family());
                    all.fault = all.fault.or(refusal);
                    all.missing.push(path.into());
                }
            }
        }
    }
    all
}

struct IncludeSearch<'a> {
    language: &'static Language,
    headers: &'a [HeaderDirectory],
    beside: HeaderDirectory,
}

impl IncludeSearch<'_> {
    /// For each file that this text includes, where it may be; the first that exists counts.
    fn references(&self, name: &Path, text: &[u8], has_testlib: &mut bool) -> Vec<Vec<PathBuf>> {
        let directory = name.parent().unwrap_or(Path::new(""));
        if self.language.is_c_family() {
            let all = inclusions(text);
            *has_testlib |= all.iter().any(|one| Path::new(&one.name).ends_with("testlib.h"));
            let places = all.into_iter().map(|inclusion| {
                let beside = Some(directory).filter(|_| inclusion.is_quoted);
                let headers = self.headers.iter().map(|headers| &*headers.name);
                let places = beside.into_iter().chain(headers);
                places.filter_map(|place| path_below(place, &inclusion.name)).collect()
            });
            return places.collect();
        }
        let imports = imports(self.language.code, text).into_iter();
        match self.language.code {
            "python3" => {
                imports.flat_map(|(base, name)| python_modules(directory, &base, &name)).collect()
            }
            "javascript" | "typescript" => {
                let own = imports.filter(|(_, module)| module.starts_with('.'));
                let modules = own.filter_map(|(_, module)| path_below(directory, &module));
                let modules = modules.map(|module| {
                    let endings = MODULE_ENDINGS.iter();
                    endings.map(|ending| format!("{}{ending}", module.display()).into()).collect()
                });
                // Node.js reads there of which kind its modules are.
                let manifest = (self.language.code == "javascript")
                    .then(|| vec![directory.join("package.json")]);
                modules.chain(manifest).collect()
            }
            _ => Vec::new(),
        }
    }

    /// `None` for hidden files, and for what is in no directory of the search.
    fn path_of(&self, name: &Path) -> Option<FilePath> {
        let all = self.headers.iter().chain([&self.beside]);
        let around = all.filter(|directory| name.starts_with(&directory.name));
        let innermost = around.max_by_key(|directory| directory.name.components().count())?;
        let rest = name.strip_prefix(&innermost.name).ok()?;
        let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        (!rest.components().any(is_hidden)).then(|| innermost.path.join(rest))
    }
}

/// The path of a file with this name in a directory. `None` if it is not below the program's directory.
fn path_below(directory: &Path, name: &str) -> Option<PathBuf> {
    let mut path = directory.to_owned();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    (*path != *Path::new("")).then_some(path)
}

/// The modules that `import NAME` or `from BASE import NAME` loads. A name without dots may also be a value of BASE.
fn python_modules(directory: &Path, base: &str, name: &str) -> Vec<Vec<PathBuf>> {
    let whole = if base.is_empty() { name.to_owned() } else { format!("{base}.{name}") };
    let dots = base.len() - base.trim_start_matches('.').len();
    let mut path = match dots {
        0 => PathBuf::new(),
        _ => directory.ancestors().nth(dots - 1).unwrap_or(Path::new("")).to_owned(),
    };
    let parts = whole.split('.').filter(|part| !part.is_empty());
    let modules = parts.map(|part| {
        path.push(part);
        vec![path.join("__init__.py"), path.with_extension("py")]
    });
    modules.collect()
}

fn excess(source: &Path) -> Remark {
    let what = format!(
        "{} includes too much: at most {NAMES_MAX} names, and files of 32 MiB",
        source.display()
    );
    Remark::with_help(what, "give the directory of the program, which comes along whole")
}

/// For a file that exists, but is not to be read.
fn refusal(path: &FilePath, error: &io::Error) -> Option<Remark> {
    let what = match error.kind() {
        _ if is_outside_error(error) => {
            "is a symbolic link that leads out of the source's directory"
        }
        io::ErrorKind::Other => "is not a regular file",
        _ => return None,
    };
    let help = "replace it with a copy of the file";
    Some(Remark::with_help(format!("{} {what}", path.display()), help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// `files` are `NAME INCLUDED…`. Checks what `main` includes: found, then `-missing`.
    fn check(main: &str, files: &[&str], expected: &str) {
        let keep = tempfile::tempdir().expect("a directory");
        let dir = keep.path().join("dir");
        for file in files {
            let (name, included) = file.split_once(' ').unwrap_or((file, ""));
            let lines = included.split_whitespace().map(|name| format!("#include \"{name}\"\n"));
            let path = dir.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(path, lines.collect::<String>()).expect("a file");
        }
        symlink(dir.join("../out.h"), dir.join("link.h")).expect("a link");
        let names = included_names(&dir.join(main), &[]);
        let missing = names
            .missing
            .iter()
            .map(|name| format!("-{}", name.strip_prefix(&dir).expect("a name").display()));
        let found = names.found.iter().map(|file| file.name.display().to_string());
        let all: BTreeSet<String> = found.chain(missing).collect();
        assert_eq!(Vec::from_iter(all).join(" "), expected, "{files:?}");
    }

    #[test]
    fn files_below_the_directory_are_found_as_by_a_compiler() {
        check("a.cpp", &["a.cpp b.h", "b.h", "c.h"], "b.h");
        check(
            "a.c",
            &["a.c lib/b.h", "lib/b.h c.h ../d.h", "lib/c.h", "d.h"],
            "d.h lib/b.h lib/c.h",
        );
        // Not the directory of the source, but that of the file that includes it.
        check("a.cc", &["a.cc lib/b.h", "lib/b.h c.h", "c.h"], "-lib/c.h lib/b.h");
        check("a.cpp", &["a.cpp b.h", "b.h a.cpp c.inc", "c.inc b.h"], "b.h c.inc");
        check("a.cpp", &["a.cpp ./x/../b.cpp", "b.cpp"], "b.cpp");
        check("a.cpp", &["a.cpp b.h bits/stdc++.h", "c.h"], "-b.h -bits/stdc++.h");
        check("a.py", &["a.py b.h", "b.h"], "");
    }

    #[test]
    fn no_name_and_no_link_leads_out_of_the_directory() {
        let files = ["a.cpp ../out.h lib/../../out.h /etc/passwd . link.h", "../out.h b.h", "b.h"];
        check("a.cpp", &files, "-link.h");
    }
}
