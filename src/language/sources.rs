//! A program's files, read from disk.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::language::constants::{GROWTH_MAX, TOO_LONG_HELP, replace_within};
use crate::language::table::Language;
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::program::{Constant, Program, ProgramKind};
use crate::model::tree::{FileMode, Node, TreeEntry};
use crate::model::units::Bytes;

/// Larger files stay on disk: they are ready executables, or are refused before the build.
const IN_MEMORY: Bytes = Bytes::mib(8);

/// Upper bound on the files of a program.
const FILES_MAX: usize = 10_000;

/// The upper bound on the bytes of all their paths: workers get them in one message.
const PATHS_MAX: usize = 4 << 20;

/// All files of a program, before anything is built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Whether it is a file or a directory.
    pub shape: Shape,
    /// Its own files, by name, with the package's constants in place. Those of up to 8 MiB are in memory.
    pub files: Vec<TreeEntry>,
    /// Included files of the package, each for one language code, or for all languages.
    pub included: Vec<(Option<String>, TreeEntry)>,
}

/// The shape of a program on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// One file.
    #[default]
    File,
    /// A directory with files.
    Directory,
}

/// Reads a program's files and its included files, with the package's constants filled in.
///
/// Skips names that begin with a dot or a dash: the format demands to treat them as absent. Source: problem package
/// format 2025-09, "General requirements".
pub fn read(program: &Program) -> Result<Sources, Diagnostic> {
    let path = &program.path;
    let metadata = fs::metadata(path).map_err(|source| missing_or(path, source))?;
    let (shape, mut files) = if metadata.is_dir() {
        (Shape::Directory, read_directory(program)?)
    } else {
        let name = path.file_name().map_or_else(|| PathBuf::from(&program.name), PathBuf::from);
        (Shape::File, vec![read_file(path, name)?])
    };
    let mut room = GROWTH_MAX;
    let included = included(program, &mut room)?;
    for at in 0..files.len() {
        fill(&mut files[at], &program.constants, path, &mut room)?;
        let lower = Language::in_lower_case(&files[at].name);
        if let Some(lower) = lower.filter(|lower| files.iter().all(|it| it.name != *lower)) {
            files[at].name = lower;
        }
    }
    Ok(Sources { shape, files, included })
}

/// The same for a program whose only file has this text.
pub fn of_text(program: &Program, text: &str) -> Result<Sources, Diagnostic> {
    let file = TreeEntry::new(&program.path, Node::plain(text.as_bytes()));
    Ok(Sources {
        shape: Shape::File,
        files: vec![file],
        included: included(program, &mut GROWTH_MAX.clone())?,
    })
}

/// Reads the included files of a program; constants may add so many bytes to them.
fn included(
    program: &Program,
    room: &mut usize,
) -> Result<Vec<(Option<String>, TreeEntry)>, Diagnostic> {
    let mut included = Vec::new();
    for include in &program.include {
        let name = include.name.clone();
        let mut file = match &include.text {
            Some(text) => TreeEntry::new(name, Node::plain(text.as_bytes())),
            None => read_file(&include.path, name)?,
        };
        fill(&mut file, &include.constants, &include.path, room)?;
        included.push((include.language.clone(), file));
    }
    Ok(included)
}

/// Fills constants into a file in memory; `path` is that of the program, for messages.
fn fill(
    file: &mut TreeEntry,
    constants: &[Constant],
    path: &Path,
    room: &mut usize,
) -> Result<(), Diagnostic> {
    let Some(blob) = file.blob_mut() else { return Ok(()) };
    let filled = blob.bytes().map(|text| replace_within(text, constants, room)).transpose();
    let filled =
        filled.map_err(|fault| Diagnostic::error(path, fault.to_string()).help(TOO_LONG_HELP))?;
    if let Some(Cow::Owned(bytes)) = filled {
        *blob = bytes.into();
    }
    Ok(())
}

/// The program's own files, replaced and completed by included files: first those for all languages, then those for
/// this one.
#[must_use]
pub fn lay_over(sources: &Sources, language: &str) -> Vec<TreeEntry> {
    let mut files = sources.files.clone();
    for wanted in [None, Some(language)] {
        for (_, included) in sources.included.iter().filter(|(of, _)| of.as_deref() == wanted) {
            files.retain(|file| file.name != included.name);
            files.push(included.clone());
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// Reads all files below the program's directory, by name.
fn read_directory(program: &Program) -> Result<Vec<TreeEntry>, Diagnostic> {
    let root = &program.path;
    let real_root = fs::canonicalize(root).map_err(|source| missing_or(root, source))?;
    let package = program.package.as_ref().and_then(|it| it.canonicalize().ok());
    let is_of_package = |real: &Path| {
        let inside = package.as_ref().and_then(|package| real.strip_prefix(package).ok());
        inside.is_some_and(|name| *name != *Path::new("") && !name.starts_with("data"))
    };
    let mut files = Vec::new();
    let mut paths = 0;
    let walk = WalkDir::new(root)
        .min_depth(1)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name(), program));
    for entry in walk {
        let entry = entry.map_err(|fault| {
            let path = fault.path().unwrap_or(root).to_path_buf();
            missing_or(&path, io::Error::from(fault))
        })?;
        let path = entry.path();
        let is_submitted = matches!(program.kind, ProgramKind::Submission | ProgramKind::Answers);
        if is_submitted && entry.path_is_symlink() {
            let real = fs::canonicalize(path).map_err(|source| missing_or(path, source))?;
            if !real.starts_with(&real_root) && !is_of_package(&real) {
                // To follow it would let contestants read any file that the judge can read.
                let message = "is a symbolic link that leads out of the submission";
                return Err(
                    Diagnostic::error(path, message).help("replace it with a copy of the file")
                );
            }
        }
        if entry.file_type().is_dir() {
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(path).to_path_buf();
        paths += name.as_os_str().len();
        if paths > PATHS_MAX {
            let message = "has paths of more than 4 MiB in all";
            return Err(Diagnostic::error(root, message).help("keep the sources only"));
        }
        if files.len() == FILES_MAX {
            let message = format!("has more than {FILES_MAX} files");
            return Err(Diagnostic::error(root, message).help("keep the sources only"));
        }
        files.push(read_file(path, name)?);
    }
    Ok(files)
}

/// Reads one regular file; to read anything else could block forever.
fn read_file(path: &Path, name: PathBuf) -> Result<TreeEntry, Diagnostic> {
    if name.to_str().is_none() {
        // Command lines cannot contain such a name.
        let help = "rename it; letters, digits, `_`, `.` and `-` work everywhere";
        return Err(Diagnostic::error(path, "its name is not UTF-8").help(help));
    }
    let metadata = fs::metadata(path).map_err(|source| missing_or(path, source))?;
    if !metadata.is_file() {
        let diagnostic = Diagnostic::error(path, "is neither a file nor a directory");
        return Err(diagnostic.help("give a regular file or a directory"));
    }
    let blob = if metadata.len() > IN_MEMORY.0 {
        Blob::file(path)
    } else {
        // It may have grown in the meantime.
        let start = Blob::file(path).start(IN_MEMORY.0);
        start.map_err(|source| missing_or(path, source))?.into()
    };
    let mode = FileMode::of(metadata.permissions().mode());
    Ok(TreeEntry::new(name, Node::File { blob, mode }))
}

/// The error for this path: it does not exist, or the system's error.
fn missing_or(path: &Path, source: io::Error) -> Diagnostic {
    if source.kind() != io::ErrorKind::NotFound {
        return Diagnostic::error(path, format!("cannot be read: {source}"));
    }
    let missing = Diagnostic::error(path, "there is no such file or directory");
    match fs::symlink_metadata(path) {
        Ok(_) => missing.help("it is a broken symbolic link; correct or remove it"),
        Err(_) => missing,
    }
}

/// Whether a file is treated as absent. The format demands it for names with a dash, too, but students do not know it.
fn is_hidden(name: &OsStr, program: &Program) -> bool {
    let is_of_student = program.kind == ProgramKind::Submission && program.package.is_none();
    match name.as_encoded_bytes().first() {
        Some(b'-') => !is_of_student,
        first => first == Some(&b'.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::program::IncludedFile;
    use std::os::unix::fs::symlink;

    fn program(path: &Path, kind: ProgramKind) -> Program {
        Program { name: "program".into(), path: path.into(), kind, ..Program::default() }
    }

    fn names(sources: &Sources) -> Vec<&str> {
        sources.files.iter().filter_map(|it| it.name.to_str()).collect()
    }

    /// 2025-09, "General requirements": names that begin with a dot or a dash are left out
    #[test]
    fn hidden_files_are_left_out_and_the_rest_comes_by_name() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        fs::create_dir_all(dir.path().join("sub/.git"))?;
        for name in ["b.py", "a.py", ".hidden.py", "-x.py", "sub/c.py", "sub/.git/d.py"] {
            fs::write(dir.path().join(name), name)?;
        }
        let check = |package: Option<&Path>, kind, expected: &[&str]| {
            let program =
                Program { package: package.map(Path::to_owned), ..program(dir.path(), kind) };
            let sources = read(&program).expect("files that can be read");
            assert_eq!(names(&sources), expected);
            assert_eq!(sources.shape, Shape::Directory);
        };
        let visible = ["a.py", "b.py", "sub/c.py"];
        check(dir.path().parent(), ProgramKind::Submission, &visible);
        check(None, ProgramKind::OutputValidator, &visible);
        // A student's.
        check(None, ProgramKind::Submission, &["-x.py", "a.py", "b.py", "sub/c.py"]);
        Ok(())
    }

    #[test]
    fn a_link_out_of_a_submission_is_refused_and_out_of_a_validator_followed() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        fs::create_dir(dir.path().join("program"))?;
        fs::write(dir.path().join("shared.h"), "")?;
        symlink("../shared.h", dir.path().join("program/shared.h"))?;
        let path = dir.path().join("program");
        let refused = read(&program(&path, ProgramKind::Submission));
        let refused = refused.expect_err("a link out").message;
        assert!(refused.contains("leads out of the submission"), "{refused}");
        let sources =
            read(&program(&path, ProgramKind::OutputValidator)).expect("files that can be read");
        assert_eq!(names(&sources), ["shared.h"]);
        let package = Some(dir.path().to_owned());
        let submission = Program { package, ..program(&path, ProgramKind::Submission) };
        assert_eq!(names(&read(&submission).expect("a link to the package")), ["shared.h"]);
        fs::create_dir(dir.path().join("data"))?;
        fs::write(dir.path().join("data/1.ans"), "")?;
        for target in ["../data/1.ans", ".."] {
            symlink(target, path.join("link"))?;
            let refused = read(&submission).expect_err(target).message;
            assert!(refused.contains("leads out of the submission"), "{target}: {refused}");
            fs::remove_file(path.join("link"))?;
        }
        Ok(())
    }

    #[test]
    fn what_cannot_be_read_is_named() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        symlink("nowhere", dir.path().join("dangling"))?;
        let check = |name: &str, message: &str, help: Option<&str>| {
            let path = dir.path().join(name);
            let said = read(&program(&path, ProgramKind::Submission));
            let mut expected = Diagnostic::error(&path, message);
            expected.help = help.map(str::to_owned);
            assert_eq!(said, Err(expected));
        };
        let missing = "there is no such file or directory";
        check("none", missing, None);
        let dangling = "it is a broken symbolic link; correct or remove it";
        check("dangling", missing, Some(dangling));
        let pipe = std::os::unix::net::UnixListener::bind(dir.path().join("socket"))?;
        let help = "give a regular file or a directory";
        check("socket", "is neither a file nor a directory", Some(help));
        drop(pipe);
        Ok(())
    }

    /// 2025-09, "Included files": replace files of the submission with the same name
    /// 2025-09, "Constants": are replaced in included files, and in submissions of the package
    #[test]
    fn included_files_win_over_own_ones_and_constants_are_in_place() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        for name in ["own.py", "all.py", "python.py", "cpp.h"] {
            fs::write(dir.path().join(name), format!("{name} {{{{n}}}}"))?;
        }
        let include = |language: Option<&str>, name: &str, path: &str| IncludedFile {
            language: language.map(str::to_owned),
            name: name.into(),
            path: dir.path().join(path),
            constants: vec![Constant { key: "n".into(), value: "7".into() }],
            text: None,
        };
        let mut program = program(&dir.path().join("own.py"), ProgramKind::Submission);
        program.include = vec![
            include(Some("python3"), "lib.py", "python.py"),
            include(None, "lib.py", "all.py"),
            include(None, "own.py", "all.py"),
            include(Some("cpp"), "cpp.h", "cpp.h"),
        ];
        let check = |program: &Program, expected: &[&str]| {
            let sources = read(program).expect("files that can be read");
            let shown: Vec<String> = lay_over(&sources, "python3")
                .iter()
                .map(|it| format!("{}={}", it.name.display(), String::from_utf8_lossy(it.bytes())))
                .collect();
            assert_eq!(shown, expected);
        };
        check(&program, &["lib.py=python.py 7", "own.py=all.py 7"]);
        // A user's own submission does not belong to the package.
        program.include.truncate(1);
        check(&program, &["lib.py=python.py 7", "own.py=own.py {{n}}"]);
        program.constants = vec![Constant { key: "n".into(), value: "8".into() }];
        check(&program, &["lib.py=python.py 7", "own.py=own.py 8"]);
        Ok(())
    }
}
