//! Programs, with the files that they may include: headers of the problem, of all problems, and `params.h`.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::library_checker::{LibraryCheckerReader, SETTINGS};
use crate::package::named_programs;
use crate::package::node::{Node, ParseResult};
use crate::package::text::excerpt;
use crate::package::yaml::{ScalarMeaning, Value};
use juror_core::language::table::LIBRARY_CHECKER_CODE;
use juror_core::program::{IncludedFile, Program, ProgramKind};
use juror_core::root::FilePath;

/// The directory next to the genres of problems, with files for all problems.
const COMMON_DIRECTORY: &str = "common";

pub(super) fn read_params(node: &Node<'_>) -> ParseResult<String> {
    let mut text = String::new();
    for param in node.entries("a table of constants")? {
        let Value::Scalar(scalar) = &param.raw.value else {
            param.must_be("a number or a text");
            continue;
        };
        let (name, word) = (param.key, param.word());
        text += &match (scalar.quoted, param.meaning()) {
            (true, _) => format!("#define {name} \"{word}\"\n"),
            (false, Some(ScalarMeaning::Integer(_))) => {
                format!("#define {name} (long long){word}\n")
            }
            (false, Some(ScalarMeaning::Float(_))) => format!("#define {name} {word}\n"),
            _ => {
                param.must_be("a number or a text");
                continue;
            }
        };
    }
    Ok(text)
}

impl<'a> LibraryCheckerReader<'a> {
    /// Reads the headers; `params` is the text of `params.h`.
    pub(super) fn new(tree: &'a PackageFiles, params: String) -> Self {
        let mut shared = vec![IncludedFile {
            name: "params.h".into(),
            path: tree.path(SETTINGS),
            text: Some(params),
            ..IncludedFile::default()
        }];
        match common_directory(&tree.root) {
            Some(dir) => {
                let names = dir.names().unwrap_or_default().into_iter();
                let paths = names.map(|name| dir.join(name)).filter(|path| is_header(path));
                for path in paths {
                    if let Err(error) = path.open() {
                        tree.faults.error(&path, format!("cannot be read: {error}"), "");
                        continue;
                    }
                    let file = IncludedFile::for_all_languages(path);
                    shared.push(IncludedFile {
                        name: Path::new(COMMON_DIRECTORY).join(&file.name),
                        ..file
                    });
                }
            }
            None => {
                let message = "is not in a library-checker repository: no directory above has common/testlib.h";
                let help = "clone yosupo06/library-checker-problems, and judge the problem in it";
                tree.faults.error(&tree.root, message, help);
            }
        }
        Self { tree, shared }
    }

    /// The program in this file; `None` if it does not exist, which is reported.
    pub(super) fn required_program(&self, name: &str, kind: ProgramKind) -> Option<Program> {
        match self.tree.file(name) {
            Some(item) => Some(self.new_program(item, kind)),
            None => {
                let help = "add it, or give its name in info.toml";
                self.tree.faults.error(self.tree.path(name), "is missing", help);
                None
            }
        }
    }

    pub(super) fn named_program(
        &self,
        name: &str,
        kind: ProgramKind,
        node: &Node<'_>,
    ) -> ParseResult<Program> {
        let item = self.tree.file(name).ok_or_else(|| {
            let message = format!("there is no file `{}` in the package", excerpt(name));
            node.error(message, "correct `name`")
        })?;
        Ok(self.new_program(item, kind))
    }

    fn new_program(&self, item: &PackageEntry, kind: ProgramKind) -> Program {
        let mut program = named_programs::new_program(item, kind, Vec::new());
        if item.name.ends_with(".cpp") {
            program.entry_point = Some(program.name.clone());
            program.language = Some(LIBRARY_CHECKER_CODE.to_owned());
            program.include = self.header_files(item);
        }
        program
    }

    /// The headers that a program may include. The program itself is put at the top. So the files of its directory are
    /// there, too, and `-Icommon` finds `../params.h` at the top.
    fn header_files(&self, of: &PackageEntry) -> Vec<IncludedFile> {
        let dir = of.name.rsplit_once('/').map_or("", |(dir, _)| dir);
        let headers =
            self.tree.below("").iter().filter(|item| item.is_file() && is_header(&item.path));
        let mut files = self.shared.clone();
        files.retain(|file| dir.is_empty() || !self.tree.path(dir).join(&file.name).is_file());
        for item in headers.filter(|item| item.name != "params.h") {
            let relative = item.name.strip_prefix(dir).and_then(|rest| rest.strip_prefix('/'));
            let names = [relative.filter(|_| !dir.is_empty()), Some(item.name.as_str())];
            files.extend(names.into_iter().flatten().map(|name| IncludedFile {
                name: name.into(),
                ..IncludedFile::for_all_languages(item.path.clone())
            }));
        }
        files
    }

    /// Lets a solution be only a function that `grader/grader.cpp` calls.
    pub(super) fn add_grader(&self, program: &mut Program) {
        let own = self.tree.below("grader").iter().filter(|item| item.is_file());
        let own = own.map(|item| item.path.clone());
        let common = self.shared.iter().filter(|file| file.name.starts_with(COMMON_DIRECTORY));
        let files = common.map(|file| file.path.clone()).chain(own);
        program.include = files.map(IncludedFile::for_all_languages).collect();
        program.language = Some("cpp".to_owned());
        program.entry_point = None;
    }
}

/// The directory with the files of all problems, above the directories of a problem and its genre.
fn common_directory(root: &FilePath) -> Option<FilePath> {
    const ABOVE: usize = 3;
    let real = root.canonicalize().ok()?;
    let owner = root.metadata().ok()?.uid();
    // Another user's directory could hold anything: archives are unpacked where all users may write.
    let is_own = |dir: &PathBuf| {
        let found = dir.symlink_metadata();
        found.is_ok_and(|found| found.is_dir() && found.uid() == owner)
    };
    let above = real.ancestors().skip(1).take(ABOVE).map(|dir| dir.join(COMMON_DIRECTORY));
    let mut above = above.filter(is_own).map(FilePath::root);
    above.find(|dir| dir.join("testlib.h").is_file())
}

fn is_header(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("h" | "hh" | "hpp" | "hxx" | "inc"))
}
