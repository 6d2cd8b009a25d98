//! Moves test cases from the stage into the package, and lists other files there.
//!
//! All new files are written beside their targets first, and renamed when nothing can fail any more. So a full disk
//! or a signal leaves the package as it was. Files with the same contents are not touched.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

use crate::recipe::GenerateMode;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::GeneratedState;
use juror_core::judgement::JudgeError;
use juror_core::recipe::GROUP_FILES;
use juror_core::root::{
    FilePath, PathEntry, PendingFile, RANDOM_LETTERS, TEMPORARY_PREFIX, UnreachedPath, WalkBounds,
    is_outside_error,
};
use juror_judging::recipe::stage::{Stage, file_name};
use juror_sandbox::executor::scratch::{self, is_old};

/// A complete file next to its target.
#[derive(Debug)]
pub struct PreparedFile {
    file: PendingFile,
    /// Whether the target exists.
    pub replaces: bool,
}

impl PreparedFile {
    pub fn target(&self) -> &FilePath {
        self.file.target()
    }

    pub fn place(self) -> Result<(), JudgeError> {
        let target = self.file.target().clone();
        self.file.commit().map_err(|error| write_error(&target, error))
    }
}

/// Locks the package for this process, as long as the result lives. Removes the files that killed processes of juror
/// left in the test data.
pub fn lock_package(package: &FilePath, data: &FilePath) -> Option<File> {
    let is_left = |entry: &PathEntry| {
        let name = entry.name().as_encoded_bytes().strip_prefix(TEMPORARY_PREFIX.as_bytes());
        name.is_some_and(|rest| {
            rest.len() == RANDOM_LETTERS && rest.iter().all(u8::is_ascii_alphanumeric)
        })
    };
    scratch::claim_directory(package, || {
        let mut walk = data.walk(WalkBounds::PACKAGE);
        while let Some(next) = walk.next() {
            let Ok(entry) = next else { continue };
            let (is_dir, is_old) = match entry.path.link_metadata() {
                Ok(metadata) => (metadata.is_dir(), is_old(&metadata)),
                Err(_) => continue,
            };
            if is_dir {
                // A directory that cannot be listed stays.
                let _ = walk.enter(&entry);
            } else if is_old && is_left(&entry) {
                // A file that cannot be removed stays.
                let _ = entry.path.remove();
            }
        }
    })
}

/// Prepares a case's files for the package, or reports how they differ.
pub fn prepare_case(
    stage: &Stage,
    data: &FilePath,
    case: &str,
    mode: GenerateMode,
    ready: &mut Vec<PreparedFile>,
) -> Result<GeneratedState, JudgeError> {
    let mut states = Vec::new();
    for extension in stage.extensions(case) {
        let target = data.join(file_name(case, &extension));
        let staged = stage.path(case, &extension);
        let link = staged.link_target().ok();
        let prepared =
            staged.open().and_then(|file| prepare_contents(&target, file, link.as_deref(), mode));
        let (state, new) = prepared.map_err(|error| write_error(&target, error))?;
        states.push(state);
        ready.extend(new);
    }
    Ok(combined_state(&states))
}

/// Like [`prepare_case`], for a single file.
pub fn prepare_file(
    target: &FilePath,
    contents: &[u8],
    mode: GenerateMode,
) -> Result<(GeneratedState, Option<PreparedFile>), JudgeError> {
    let prepared = prepare_contents(target, Cursor::new(contents), None, mode);
    prepared.map_err(|error| write_error(target, error))
}

/// Gives a file of the package these contents, or reports how it differs.
pub fn place_file(
    target: &FilePath,
    contents: &[u8],
    mode: GenerateMode,
) -> Result<GeneratedState, JudgeError> {
    let (state, ready) = prepare_file(target, contents, mode)?;
    ready.map_or(Ok(()), PreparedFile::place)?;
    Ok(state)
}

fn write_error(target: &FilePath, error: io::Error) -> JudgeError {
    let help = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room for the test data",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "make the directory writable, or use `--check`, which writes nothing"
        }
        _ => "check what is there",
    };
    JudgeError::on_file("write", target)(error).help(help)
}

/// `None` if the target does not exist. A link has the contents of its target.
pub(super) fn has_contents(contents: impl Read, target: &FilePath) -> io::Result<Option<bool>> {
    let file = match target.open() {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // A link that leads outside, or to no file, is replaced.
        Err(_) if target.link_target().is_ok() => return Ok(Some(false)),
        Err(error) => return Err(error),
    };
    let mut existing = BufReader::with_capacity(1 << 16, file);
    let mut contents = BufReader::with_capacity(1 << 16, contents);
    loop {
        let (a, b) = (existing.fill_buf()?, contents.fill_buf()?);
        let common = a.len().min(b.len());
        if common == 0 {
            return Ok(Some(a.is_empty() && b.is_empty()));
        }
        if a[..common] != b[..common] {
            return Ok(Some(false));
        }
        existing.consume(common);
        contents.consume(common);
    }
}

/// Prepares a link if `link` is set.
fn prepare_contents(
    target: &FilePath,
    mut contents: impl Read + Seek,
    link: Option<&Path>,
    mode: GenerateMode,
) -> io::Result<(GeneratedState, Option<PreparedFile>)> {
    let state = match (has_contents(&mut contents, target)?, mode) {
        (Some(true), _) => return Ok((GeneratedState::Unchanged, None)),
        (None, GenerateMode::Check) => return Ok((GeneratedState::Missing, None)),
        (Some(false), GenerateMode::Check) => return Ok((GeneratedState::Differs, None)),
        (None, GenerateMode::Write) => GeneratedState::Created,
        (Some(false), GenerateMode::Write) => GeneratedState::Changed,
    };
    let file = target.prepare_replacement(|temporary| match link {
        Some(link) => temporary.create_link(link),
        None => {
            contents.rewind()?;
            io::copy(&mut contents, &mut temporary.create()?).map(drop)
        }
    })?;
    let replaces = state == GeneratedState::Changed;
    Ok((state, Some(PreparedFile { file, replaces })))
}

fn combined_state(states: &[GeneratedState]) -> GeneratedState {
    let is_wrong =
        |state: &GeneratedState| matches!(state, GeneratedState::Differs | GeneratedState::Missing);
    match states {
        [] => GeneratedState::Unchanged,
        [first, others @ ..] if others.iter().all(|other| other == first) => *first,
        _ if states.iter().any(is_wrong) => GeneratedState::Differs,
        _ => GeneratedState::Changed,
    }
}

const NOT_REMOVED_HELP: &str = "remove or rename it; juror removes nothing by itself";

/// Reports files in the way of new ones, and paths that lead out of the package.
pub fn obstacles(data: &FilePath, recipe_files: &BTreeSet<String>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut seen: BTreeSet<FilePath> = BTreeSet::new();
    for name in recipe_files {
        let target = data.join(name);
        let what = target.link_metadata().map_or("", |metadata| match metadata.file_type() {
            kind if kind.is_dir() => "a directory",
            kind if kind.is_file() || kind.is_symlink() => "",
            _ => "a pipe, a socket or a device",
        });
        if !what.is_empty() {
            let message = format!("is {what}, but the recipe makes a file here");
            diagnostics.push(Diagnostic::error(&target, message).help(NOT_REMOVED_HELP));
        }
        let directories = std::iter::successors(target.directory(), FilePath::directory);
        for dir in directories.take_while(|dir| dir.starts_with(&**data)) {
            if !seen.insert(dir.clone()) {
                break;
            }
            match dir.metadata() {
                Ok(metadata) if !metadata.is_dir() => diagnostics.push(
                    Diagnostic::error(
                        &dir,
                        "this is a file, but the recipe makes a directory here",
                    )
                    .help(NOT_REMOVED_HELP),
                ),
                Err(error) if is_outside_error(&error) => diagnostics.push(
                    Diagnostic::error(&dir, "this directory leads out of the package")
                        .help("replace the link with a directory"),
                ),
                _ => {}
            }
        }
    }
    diagnostics
}

/// Lists the files in `data/` that the recipe does not make, by their names below it. Files that the format ignores,
/// such as READMEs, do not count.
pub fn unlisted_files(
    data: &FilePath,
    recipe_files: &BTreeSet<String>,
) -> Result<Vec<String>, JudgeError> {
    let mut unlisted = Vec::new();
    if !data.exists() {
        return Ok(unlisted);
    }
    let fault = |path: UnreachedPath| JudgeError::on_file("list", &path.path)(path.reason);
    let mut walk = data.walk(WalkBounds::PACKAGE);
    while let Some(next) = walk.next() {
        let entry = next.map_err(fault)?;
        let base_name = entry.name().to_string_lossy();
        if base_name.starts_with('.') || base_name.starts_with("README") {
            continue;
        }
        if entry.path.link_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            walk.enter(&entry).map_err(fault)?;
            continue;
        }
        let name = entry.path.strip_prefix(&**data).unwrap_or(&entry.path).display().to_string();
        if !recipe_files.contains(&name) {
            unlisted.push(name);
        }
    }
    Ok(unlisted)
}

/// Also removes directories that become empty.
pub fn remove_files(data: &FilePath, files: &[impl AsRef<Path>]) -> Result<(), JudgeError> {
    for file in files {
        let path = data.join(file);
        path.remove().map_err(JudgeError::on_file("remove", &path))?;
        let directories = std::iter::successors(path.directory(), FilePath::directory);
        for dir in directories.take_while(|dir| dir != data && dir.starts_with(&**data)) {
            // A directory that is not empty stays.
            if dir.remove_directory().is_err() {
                break;
            }
        }
    }
    Ok(())
}

/// Names files for messages: test cases by name, other files with their extensions.
pub fn display_names(unlisted: Vec<String>) -> Vec<String> {
    let cases = case_names(&unlisted);
    let mut unknown: Vec<String> =
        unlisted.into_iter().filter(|name| !belongs_to(name, &cases)).collect();
    unknown.extend(cases);
    unknown.sort();
    unknown
}

/// The unlisted files of test cases and groups of which the recipe makes nothing. All other files are the author's:
/// files of cases and groups that the recipe makes, and of no case at all.
pub fn leftover_files(unlisted: &[String], recipe_files: &BTreeSet<String>) -> BTreeSet<String> {
    let (made_cases, other_cases) = (case_names(recipe_files), case_names(unlisted));
    let is_of_left = |name: &str| {
        // `a.b.in` is no file of `a`: the longest name counts.
        let mut bases = name.match_indices('.').rev().map(|(dot, _)| &name[..dot]);
        let case = bases.find(|base| made_cases.contains(*base) || other_cases.contains(*base));
        case.is_some_and(|case| other_cases.contains(case))
    };
    let is_left = |name: &&String| {
        let base = name.rsplit('/').next().unwrap_or_default();
        let is_beside = |other: &String| other.starts_with(&name[..name.len() - base.len()]);
        if GROUP_FILES.contains(&base) {
            other_cases.iter().any(is_beside) && !recipe_files.iter().any(is_beside)
        } else {
            is_of_left(name)
        }
    };
    unlisted.iter().filter(is_left).cloned().collect()
}

fn case_names<'n>(files: impl IntoIterator<Item = &'n String>) -> BTreeSet<String> {
    let cases = files.into_iter().filter_map(|name| name.strip_suffix(".in"));
    cases.filter(|case| !is_in_files_directory(case)).map(str::to_owned).collect()
}

/// Whether a name leads through the directory of a case's files.
fn is_in_files_directory(name: &str) -> bool {
    let (above, _) = name.rsplit_once('/').unwrap_or_default();
    above.split('/').any(|part| part.ends_with(".files"))
}

fn belongs_to(file: &str, cases: &BTreeSet<String>) -> bool {
    file.match_indices('.').any(|(dot, _)| cases.contains(&file[..dot]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use GeneratedState::{Changed, Created, Differs, Missing, Unchanged};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};
    use tempfile::TempDir;

    #[test]
    fn the_worst_file_decides_about_a_case() {
        let check =
            |states: &[GeneratedState], expected| assert_eq!(combined_state(states), expected);
        check(&[Created, Created], Created);
        check(&[Unchanged, Created], Changed);
        check(&[Unchanged, Changed], Changed);
        check(&[Unchanged, Unchanged], Unchanged);
        check(&[Missing, Missing], Missing);
        check(&[Unchanged, Missing], Differs);
        check(&[Unchanged, Differs], Differs);
    }

    #[test]
    fn files_are_written_only_if_they_differ() {
        let dir = TempDir::new().unwrap();
        let target = FilePath::root(dir.path()).join("secret/1.in");
        let check = |contents: &[u8], mode, expected, expected_contents: Option<&[u8]>| {
            assert_eq!(place_file(&target, contents, mode).unwrap(), expected);
            assert_eq!(target.read().ok().as_deref(), expected_contents);
        };
        check(b"1\n", GenerateMode::Check, Missing, None);
        check(b"1\n", GenerateMode::Write, Created, Some(b"1\n"));
        check(b"1\n", GenerateMode::Write, Unchanged, Some(b"1\n"));
        check(b"1\n2\n", GenerateMode::Check, Differs, Some(b"1\n"));
        check(b"1", GenerateMode::Check, Differs, Some(b"1\n"));
        check(b"2\n", GenerateMode::Write, Changed, Some(b"2\n"));
        let long = vec![b'x'; 200_000];
        check(&long, GenerateMode::Write, Changed, Some(&long));
        check(&long, GenerateMode::Check, Unchanged, Some(&long));
        check(&long[1..], GenerateMode::Check, Differs, Some(&long));
        assert_eq!(fs::read_dir(dir.path().join("secret")).unwrap().count(), 1);
    }

    #[test]
    fn a_prepared_file_replaces_its_target_only_when_placed() {
        let dir = TempDir::new().unwrap();
        let target = FilePath::root(dir.path()).join("1.in");
        let names = || fs::read_dir(dir.path()).unwrap().count();
        fs::write(target.as_path(), "old\n").unwrap();
        let (state, ready) = prepare_file(&target, b"new\n", GenerateMode::Write).unwrap();
        assert_eq!((state, names()), (Changed, 2));
        drop(ready);
        assert_eq!((target.read().unwrap(), names()), (b"old\n".to_vec(), 1));
        let (_, ready) = prepare_file(&target, b"new\n", GenerateMode::Write).unwrap();
        ready.unwrap().place().unwrap();
        assert_eq!((target.read().unwrap(), names()), (b"new\n".to_vec(), 1));
    }

    #[test]
    fn only_files_of_killed_processes_are_removed() {
        let dir = TempDir::new().unwrap();
        let package = FilePath::root(dir.path());
        let data = package.join("data");
        let (_, ready) =
            prepare_file(&data.join("secret/1.in"), b"1\n", GenerateMode::Write).unwrap();
        let temporary = PathBuf::from(ready.as_ref().unwrap().file.temporary());
        // As if the process had died.
        std::mem::forget(ready);
        let link = temporary.with_file_name(".juror-link");
        symlink("1.in", &link).unwrap();
        let others = [".juror", ".mine", ".juror-notes", ".juror-direct/x"]
            .map(|name| data.as_path().join(name));
        for path in &others {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let check = |is_there: bool| {
            assert_eq!(temporary.exists(), is_there);
            assert!(others.iter().all(|path| path.exists()) && fs::read_link(&link).is_ok());
        };
        // Another process may use it. A lock is also released for programs that other tests start meanwhile.
        lock_package(&package, &data).unwrap().unlock().unwrap();
        check(true);
        let old = SystemTime::now() - Duration::from_secs(100);
        for path in [&temporary, &others[0], &others[1], &others[2]] {
            File::open(path).unwrap().set_modified(old).unwrap();
        }
        lock_package(&package, &data).unwrap();
        check(false);
    }

    #[test]
    fn a_link_is_replaced_and_not_written_through() {
        let dir = TempDir::new().unwrap();
        let elsewhere = dir.path().join("elsewhere");
        let target = FilePath::root(dir.path()).join("1.in");
        fs::write(&elsewhere, "mine\n").unwrap();
        symlink(&elsewhere, target.as_path()).unwrap();
        assert_eq!(place_file(&target, b"1\n", GenerateMode::Write).unwrap(), Changed);
        assert_eq!(fs::read(&elsewhere).unwrap(), b"mine\n");
        assert_eq!(target.read().unwrap(), b"1\n");
    }

    #[test]
    fn unlisted_files_are_named_by_case_or_file() {
        let dir = TempDir::new().unwrap();
        for name in [
            "secret/a.in",
            "secret/a.ans",
            "secret/a.hint",
            "secret/b.in",
            "secret/b.ans",
            "secret/b.in.statement",
            "secret/b.files/x.in",
            "secret/c.ans",
            "secret/README.md",
            "secret/.hidden",
        ] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let named = ["secret/a.in", "secret/a.ans"].map(str::to_owned);
        let data = FilePath::root(dir.path());
        let unlisted = unlisted_files(&data, &BTreeSet::from(named)).unwrap();
        remove_files(&data, &unlisted).unwrap();
        let names = data.join("secret").names().unwrap();
        assert_eq!(names, [".hidden", "README.md", "a.ans", "a.in"]);
        assert_eq!(display_names(unlisted), ["secret/a.hint", "secret/b", "secret/c.ans"]);
    }

    #[test]
    fn leftover_files_belong_to_cases_or_groups_that_are_not_made() {
        let named = ["sample/1.in", "secret/g1/a.in", "secret/g1/a.ans", "secret/g1/b.c.in"];
        let named: BTreeSet<String> = named.map(str::to_owned).into();
        let check = |unlisted: &[&str], expected: &[&str]| {
            let unlisted: Vec<String> = unlisted.iter().map(|name| (*name).to_owned()).collect();
            let leftover: Vec<String> = leftover_files(&unlisted, &named).into_iter().collect();
            assert_eq!(leftover, expected, "{unlisted:?}");
        };
        // What belongs to what is made.
        check(&["sample/1.interaction", "sample/1.in.statement", "sample/1.png"], &[]);
        check(&["secret/g1/a.files/x", "secret/g1/a.files/deep/x.in", "secret/g1/a.args"], &[]);
        check(&["secret/g1/a.yaml", "secret/g1/a.desc", "secret/g1/a.hint"], &[]);
        check(&["test_group.yaml", "secret/test_group.yaml", "sample/testdata.yaml"], &[]);
        check(&["secret/g1/test_group.yaml", "secret/g1/testdata.yaml"], &[]);
        // What belongs to nothing.
        check(&["secret/notes.txt", "secret/g1/graph.png", "secret/x.ans"], &[]);
        check(&["secret/g2/test_group.yaml"], &[]);
        // Cases and groups that are not made.
        check(
            &["secret/x.in", "secret/x.ans", "secret/x.args"],
            &["secret/x.ans", "secret/x.args", "secret/x.in"],
        );
        check(
            &["secret/g1/x.in", "secret/g1/x.files/in.in", "secret/g1/test_group.yaml"],
            &["secret/g1/x.files/in.in", "secret/g1/x.in"],
        );
        check(
            &["secret/g2/x.in", "secret/g2/test_group.yaml", "secret/g2/notes"],
            &["secret/g2/test_group.yaml", "secret/g2/x.in"],
        );
        // The longest name counts.
        check(
            &["secret/g1/a.x.in", "secret/g1/a.x.yaml", "secret/g1/a.yaml"],
            &["secret/g1/a.x.in", "secret/g1/a.x.yaml"],
        );
        check(&["secret/g1/b.in", "secret/g1/b.c.yaml"], &["secret/g1/b.in"]);
    }

    #[test]
    fn files_and_directories_in_the_way_are_reported() {
        let dir = TempDir::new().unwrap();
        let (package, outside) = (dir.path().join("p"), dir.path().join("outside"));
        let data = FilePath::root(&package).join("data");
        fs::create_dir_all(data.join("secret/1.in").as_path()).unwrap();
        fs::create_dir_all(&outside).unwrap();
        symlink(&outside, data.join("sample").as_path()).unwrap();
        fs::write(data.join("secret/x").as_path(), "").unwrap();
        let named = ["sample/1.in", "secret/1.in", "secret/x/1.in"].map(str::to_owned);
        let found = obstacles(&data, &BTreeSet::from(named));
        let root = format!("{}/", data.display());
        let found: Vec<String> =
            found.iter().map(|obstacle| obstacle.to_string().replace(&root, "")).collect();
        assert_eq!(
            found,
            [
                "sample: this directory leads out of the package",
                "secret/1.in: is a directory, but the recipe makes a file here",
                "secret/x: this is a file, but the recipe makes a directory here",
            ]
        );
    }
}
