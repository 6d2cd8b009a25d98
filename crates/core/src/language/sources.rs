//! A program's files, read from disk.
//!
//! A submission may be hostile. So the number, the size and the names of its files have bounds, and its links lead
//! neither to test data nor out of the package.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::blob::Blob;
use crate::diagnostic::Diagnostic;
use crate::language::constants::{GROWTH_HELP, GROWTH_MAX, replace_with_budget};
use crate::language::conversion;
use crate::language::table::Language;
use crate::language::tool_files::is_tool_directory;
use crate::program::{Constant, Program, ProgramKind};
use crate::root::{self, FilePath, Obstacle, PathKind, UnreachedPath, WalkBounds};
use crate::tree::{FileMode, Node, TreeEntry, link_stays_inside};
use crate::units::Bytes;

/// Larger files stay on disk: they are ready executables, or are refused before the build.
const MEMORY_MAX: Bytes = Bytes::mib(8);

/// For all files together, as the number below.
const BYTES_MAX: Bytes = Bytes::mib(512);

const FILES_MAX: usize = 10_000;

/// In bytes, for all paths together: workers get them in one message.
const PATHS_MAX: usize = 4 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    pub shape: SourceShape,
    /// Its own files, by name, with the package's constants in place. Those of up to 8 MiB are in memory.
    pub files: Vec<TreeEntry>,
    /// Included files of the package, each for one language code, or for all languages.
    pub included: Vec<(Option<String>, TreeEntry)>,
    /// What was changed in own files, for a person.
    pub remarks: Vec<Diagnostic>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceShape {
    #[default]
    File,
    Directory,
}

/// Reads a program's files and its included files, with the package's constants filled in.
///
/// Skips names that begin with a dot or a dash: the format demands to treat them as absent. Source: problem package
/// format 2025-09, "General requirements".
pub fn read(program: &Program) -> Result<Sources, Diagnostic> {
    if let Some(text) = &program.text {
        return from_text(program, text);
    }
    let path = &program.path;
    let metadata = path.metadata().map_err(|source| {
        if root::is_outside_error(&source) {
            outside_link(program, path)
        } else {
            unreadable(path, source)
        }
    })?;
    let (shape, mut files) = if metadata.is_dir() {
        (SourceShape::Directory, read_directory(program, path)?)
    } else {
        let name = path.file_name().map_or_else(|| PathBuf::from(&program.name), PathBuf::from);
        (SourceShape::File, vec![read_file(path, name)?])
    };
    let mut room = GROWTH_MAX;
    let included = read_included(program, &mut room)?;
    let mut remarks = Vec::new();
    for at in 0..files.len() {
        if is_student_program(program)
            && let Some((name, conversion)) = conversion::convert(&files[at])
            && files.iter().enumerate().all(|(other, file)| other == at || file.name != name)
        {
            let is_file = shape == SourceShape::File;
            let place = if is_file { path.clone() } else { path.join(&files[at].name) };
            remarks.extend(conversion.remark.map(|what| Diagnostic::warning(&place, what)));
            if let Some(bytes) = conversion.text {
                files[at] = TreeEntry::new(name, Node::plain(bytes));
            }
        }
        fill_constants(&mut files[at], &program.constants, path, &mut room)?;
        let lower = Language::with_lower_case_ending(&files[at].name);
        if let Some(lower) = lower.filter(|lower| files.iter().all(|file| file.name != *lower)) {
            files[at].name = lower;
        }
    }
    files.retain(|file| !program.without.contains(&file.name));
    Ok(Sources { shape, files, included, remarks })
}

/// The program's only file has this text.
fn from_text(program: &Program, text: &str) -> Result<Sources, Diagnostic> {
    let files = vec![TreeEntry::new(program.path.as_path(), Node::plain(text.as_bytes()))];
    let included = read_included(program, &mut GROWTH_MAX.clone())?;
    Ok(Sources { files, included, ..Sources::default() })
}

/// `room` is the number of bytes that constants may still add.
fn read_included(
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
        fill_constants(&mut file, &include.constants, &include.path, room)?;
        included.push((include.language.clone(), file));
    }
    Ok(included)
}

/// `path` is that of the program, for messages.
fn fill_constants(
    file: &mut TreeEntry,
    constants: &[Constant],
    path: &Path,
    room: &mut usize,
) -> Result<(), Diagnostic> {
    let Some(blob) = file.blob_mut() else { return Ok(()) };
    let filled = blob.bytes().map(|text| replace_with_budget(text, constants, room)).transpose();
    let filled =
        filled.map_err(|fault| Diagnostic::error(path, fault.to_string()).help(GROWTH_HELP))?;
    if let Some(Cow::Owned(bytes)) = filled {
        *blob = bytes.into();
    }
    Ok(())
}

/// Included files replace and complete the program's own files: first those for all languages, then those for this
/// one.
#[must_use]
pub fn with_included(sources: &Sources, language: &str) -> Vec<TreeEntry> {
    let mut files = sources.files.clone();
    for scope in [None, Some(language)] {
        for (_, included) in sources.included.iter().filter(|(of, _)| of.as_deref() == scope) {
            files.retain(|file| file.name != included.name);
            files.push(included.clone());
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// A student's program in JavaScript finds these packages. No source in them starts; if they are too large, they are
/// left out. They may have many files, so they are read for the build alone.
pub fn node_packages(program: &Program) -> Vec<(Option<String>, TreeEntry)> {
    let directory = program.path.join("node_modules");
    if !is_student_program(program) || !directory.is_dir() {
        return Vec::new();
    }
    let files = read_directory(program, &directory).unwrap_or_default();
    files.into_iter().map(|file| (Some("javascript".to_owned()), file)).collect()
}

fn read_directory(program: &Program, root: &FilePath) -> Result<Vec<TreeEntry>, Diagnostic> {
    let too_much = |what: String| Diagnostic::error(root, what).help("keep the sources only");
    let mut files = Vec::new();
    let (mut paths, mut bytes) = (0, 0);
    let mut walk = root.walk(WalkBounds::PROGRAM);
    while let Some(next) = walk.next() {
        let entry = next.map_err(unlisted)?;
        if is_hidden(entry.name(), program) {
            continue;
        }
        let file = match entry.kind_and_metadata() {
            Ok((PathKind::Directory, _))
                if is_student_program(program) && is_tool_directory(&entry.path) =>
            {
                continue;
            }
            Ok((PathKind::Directory, _)) => {
                check_link(program, &entry.path, entry.is_link)?;
                walk.enter(&entry).map_err(unlisted)?;
                continue;
            }
            Ok((PathKind::File, _)) => entry.path.clone(),
            Err(_) if !is_submitted(program) && is_made_by_build(&entry.path) => {
                let target =
                    entry.path.link_target().map_err(|error| unreadable(&entry.path, error))?;
                let name = entry.path.strip_prefix(&*program.path).unwrap_or(&entry.path);
                files.push(TreeEntry::new(name, Node::Link(target)));
                continue;
            }
            Err(Obstacle::Outside) => return Err(outside_link(program, &entry.path)),
            Err(reason) => {
                return Err(unlisted(UnreachedPath { path: entry.path.clone(), reason }));
            }
        };
        let name = file.strip_prefix(&*program.path).unwrap_or(&file).to_path_buf();
        paths += name.as_os_str().len();
        if paths > PATHS_MAX {
            return Err(too_much("has paths of more than 4 MiB in all".to_owned()));
        }
        if files.len() == FILES_MAX {
            return Err(too_much(format!("has more than {FILES_MAX} files")));
        }
        check_link(program, &file, entry.is_link)?;
        let file = read_file(&file, name)?;
        bytes += file.length();
        if bytes > BYTES_MAX.0 {
            return Err(too_much(format!("has more than {BYTES_MAX} in its files")));
        }
        files.push(file);
    }
    Ok(files)
}

/// A link of a submission may lead to the submission or to other files of its package, but not to test data.
fn check_link(program: &Program, path: &FilePath, is_link: bool) -> Result<(), Diagnostic> {
    let Some(package) = program.package.as_ref().filter(|_| is_submitted(program) && is_link)
    else {
        return Ok(());
    };
    let fault = |error| unreadable(path, error);
    let (real, own) =
        (path.resolve_links().map_err(fault)?, program.path.resolve_links().map_err(fault)?);
    let name = real.strip_prefix(&**package).unwrap_or(Path::new(""));
    if real.starts_with(&*own) || (*name != *Path::new("") && !name.starts_with("data")) {
        Ok(())
    } else {
        Err(outside_link(program, path))
    }
}

/// To follow such a link would let its author read any file that the judge can read.
fn outside_link(program: &Program, path: &FilePath) -> Diagnostic {
    let from = match program.kind {
        _ if is_submitted(program) => "the submission",
        _ if program.path.directory().is_none() => "the program's directory",
        _ => "the package",
    };
    let message = format!("is a symbolic link that leads out of {from}");
    Diagnostic::error(path, message).help("replace it with a copy of the file")
}

fn unlisted(UnreachedPath { path, reason }: UnreachedPath) -> Diagnostic {
    match reason {
        Obstacle::System(error) => unreadable(&path, error),
        Obstacle::Special => special_file(&path),
        reason => Diagnostic::error(&path, reason.to_string()).help("keep the sources only"),
    }
}

fn special_file(path: &FilePath) -> Diagnostic {
    let diagnostic = Diagnostic::error(path, Obstacle::Special.to_string());
    diagnostic.help("give a regular file or a directory")
}

fn read_file(path: &FilePath, name: PathBuf) -> Result<TreeEntry, Diagnostic> {
    if name.to_str().is_none() {
        // Command lines cannot contain such a name.
        let help = "rename it; letters, digits, `_`, `.` and `-` work everywhere";
        return Err(Diagnostic::error(path, "its name is not UTF-8").help(help));
    }
    let fault = |source| unreadable(path, source);
    let metadata = path.metadata().map_err(fault)?;
    if !metadata.is_file() {
        return Err(special_file(path));
    }
    let file = path.open().map_err(fault)?;
    let metadata = file.metadata().map_err(fault)?;
    let blob = if metadata.len() > MEMORY_MAX.0 {
        Blob::file(path)
    } else {
        let mut bytes = Vec::new();
        // It may have grown in the meantime.
        file.take(MEMORY_MAX.0).read_to_end(&mut bytes).map_err(fault)?;
        bytes.into()
    };
    let mode = FileMode::from_permissions(metadata.permissions().mode());
    Ok(TreeEntry::new(name, Node::File { blob, mode }))
}

fn unreadable(path: &FilePath, source: io::Error) -> Diagnostic {
    if source.kind() != io::ErrorKind::NotFound {
        return Diagnostic::error(path, format!("cannot be read: {source}"));
    }
    let missing = Diagnostic::error(path, "there is no such file or directory");
    match path.link_target() {
        Ok(_) => missing.help("it is a broken symbolic link; correct or remove it"),
        Err(_) => missing,
    }
}

/// Whether a link is `run`, and leads to a file that `build`, in the same directory, will make.
///
/// Source: problem package format 2025-09, "Other programs".
pub fn is_made_by_build(link: &FilePath) -> bool {
    let name = Path::new("run");
    link.file_name() == Some(name.as_os_str())
        && link.link_target().is_ok_and(|target| link_stays_inside(name, &target))
        && link.metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        && link.with_file_name("build").is_file()
}

fn is_submitted(program: &Program) -> bool {
    matches!(program.kind, ProgramKind::Submission | ProgramKind::Answers)
}

/// Whether a file is treated as absent. The format demands it for names with a dash, too, but students do not know it.
fn is_hidden(name: &OsStr, program: &Program) -> bool {
    match name.as_encoded_bytes().first() {
        Some(b'-') => !is_student_program(program),
        first => first == Some(&b'.'),
    }
}

/// A submission outside of a package. Its author may not know the format, and its directory may have an environment.
fn is_student_program(program: &Program) -> bool {
    program.kind == ProgramKind::Submission && program.package.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::IncludedFile;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn program(path: &Path, kind: ProgramKind) -> Program {
        let path = FilePath::root(path);
        Program { name: "program".into(), path, kind, ..Program::default() }
    }

    fn names(sources: &Sources) -> Vec<&str> {
        sources.files.iter().filter_map(|file| file.name.to_str()).collect()
    }

    /// 2025-09, "General requirements": names that begin with a dot or a dash are left out
    #[test]
    fn hidden_files_are_left_out_and_the_rest_is_sorted() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        fs::create_dir_all(dir.path().join("sub/.git"))?;
        for name in ["b.py", "a.py", ".hidden.py", "-x.py", "sub/c.py", "sub/.git/d.py"] {
            fs::write(dir.path().join(name), name)?;
        }
        let check = |package: Option<&Path>, kind, expected: &[&str]| {
            let program =
                Program { package: package.map(FilePath::root), ..program(dir.path(), kind) };
            let sources = read(&program).expect("files that can be read");
            assert_eq!(names(&sources), expected);
            assert_eq!(sources.shape, SourceShape::Directory);
        };
        let visible = ["a.py", "b.py", "sub/c.py"];
        check(dir.path().parent(), ProgramKind::Submission, &visible);
        check(None, ProgramKind::OutputValidator, &visible);
        // A student's.
        check(None, ProgramKind::Submission, &["-x.py", "a.py", "b.py", "sub/c.py"]);
        Ok(())
    }

    #[test]
    fn a_link_out_of_a_submission_is_refused_and_out_of_a_validator_stays_in_the_package()
    -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let package = FilePath::root(dir.path());
        let path = package.join("program");
        fs::create_dir(path.as_path())?;
        fs::write(dir.path().join("shared.h"), "")?;
        symlink("../shared.h", path.join("shared.h").as_path())?;
        let submitted = program(&path, ProgramKind::Submission);
        let validator =
            Program { path: path.clone(), ..program(&path, ProgramKind::InputValidator) };
        let own = Program { path: path.clone(), package: Some(package), ..submitted.clone() };
        let check = |program: &Program, expected: Result<&str, &str>| {
            let result = match read(program) {
                Ok(sources) => Ok(names(&sources).join(" ")),
                Err(refused) => Err(refused.message),
            };
            assert_eq!(result.as_deref().map_err(|message| &**message), expected);
        };
        let out = |what: &str| format!("is a symbolic link that leads out of {what}");
        check(&submitted, Err(&out("the submission")));
        check(&validator, Ok("shared.h"));
        check(&own, Ok("shared.h"));
        fs::create_dir(dir.path().join("data"))?;
        fs::write(dir.path().join("data/1.ans"), "")?;
        fs::create_dir(dir.path().join("include"))?;
        symlink("../data/1.ans", dir.path().join("include/answer"))?;
        // Each with what a submission of the package and a validator say.
        let submission = out("the submission");
        let package = out("the package");
        for (target, own_says, validator_says) in [
            ("../data/1.ans", Err(&*submission), Ok("a+ shared.h")),
            ("../include/answer", Err(&*submission), Ok("a+ shared.h")),
            ("../include", Err(&*submission), Ok("a+/answer shared.h")),
            ("..", Err(&*submission), Err("is a link to a directory that contains it")),
            ("/proc/self/environ", Err(&*submission), Err(&*package)),
            ("/etc/shadow", Err(&*submission), Err(&*package)),
            ("/dev/zero", Err(&*submission), Err(&*package)),
        ] {
            symlink(target, path.join("a+").as_path())?;
            check(&own, own_says);
            check(&validator, validator_says);
            path.join("a+").remove()?;
        }
        Ok(())
    }

    /// 2025-09, "Other programs": `run` may be a link to what `build` makes; other links to nothing are errors
    #[test]
    fn run_may_be_a_link_to_what_build_makes() -> io::Result<()> {
        let check = |files: &[&str], link: [&str; 2], kind, expected: Option<&str>| {
            let dir = tempfile::tempdir().expect("a directory");
            for file in files {
                fs::write(dir.path().join(file), "").expect("a file");
            }
            symlink(link[1], dir.path().join(link[0])).expect("a link");
            let links = |sources: Sources| {
                let targets = sources.files.into_iter().filter_map(|file| match file.node {
                    Node::Link(target) => target.to_str().map(str::to_owned),
                    _ => None,
                });
                targets.collect::<String>()
            };
            let found = read(&program(dir.path(), kind)).ok().map(links);
            assert_eq!(found.as_deref(), expected, "{files:?} {link:?}");
        };
        let made =
            |target: &str, kind| check(&["build", "v.c"], ["run", target], kind, Some(target));
        made("validate", ProgramKind::OutputValidator);
        made("./validate", ProgramKind::InputValidator);
        made("out/validate", ProgramKind::Generator);
        made("deep/er/v", ProgramKind::Visualizer);
        made("a b", ProgramKind::StaticValidator);
        let validator = ProgramKind::OutputValidator;
        check(&["build", "v"], ["run", "v"], validator, Some(""));
        check(&["v.c"], ["run", "validate"], validator, None);
        check(&["build"], ["start", "validate"], validator, None);
        check(&["build"], ["run", "../validate"], validator, None);
        check(&["build"], ["run", "/validate"], validator, None);
        check(&["build"], ["run", "run"], validator, None);
        check(&["build"], ["run", "validate"], ProgramKind::Submission, None);
        Ok(())
    }

    #[test]
    fn links_that_multiply_end_early() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        for level in 1..=13 {
            fs::create_dir_all(dir.path().join(format!(".c/{level}")))?;
            for link in 0..10 {
                let link = dir.path().join(format!(".c/{level}/l{link}"));
                symlink(format!("../{}", level + 1), link)?;
            }
        }
        fs::create_dir(dir.path().join(".c/14"))?;
        symlink(".c/1", dir.path().join("a"))?;
        for kind in [ProgramKind::Submission, ProgramKind::InputValidator] {
            let message = read(&program(dir.path(), kind)).expect_err("too many").message;
            assert_eq!(message, "has more than 5 links to directories in each other");
        }
        Ok(())
    }

    #[test]
    fn unreadable_files_are_named() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        symlink("nowhere", dir.path().join("dangling"))?;
        let check = |name: &str, message: &str, help: Option<&str>| {
            let path = dir.path().join(name);
            let result = read(&program(&path, ProgramKind::Submission));
            let mut expected = Diagnostic::error(&path, message);
            expected.help = help.map(str::to_owned);
            assert_eq!(result, Err(expected));
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

    #[test]
    fn included_files_replace_own_ones_and_constants_are_filled_in() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        for name in ["own.py", "all.py", "python.py", "cpp.h"] {
            fs::write(dir.path().join(name), format!("{name} {{{{n}}}}"))?;
        }
        let include = |language: Option<&str>, name: &str, path: &str| IncludedFile {
            language: language.map(str::to_owned),
            name: name.into(),
            path: FilePath::root(dir.path()).join(path),
            constants: vec![Constant { key: "n".into(), value: "7".into() }],
            ..IncludedFile::default()
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
            let shown: Vec<String> = with_included(&sources, "python3")
                .iter()
                .map(|file| {
                    format!("{}={}", file.name.display(), String::from_utf8_lossy(file.bytes()))
                })
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
