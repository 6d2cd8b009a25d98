//! Moves test cases from the stage into the package, and finds other files there.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempPath;
use walkdir::{DirEntry, WalkDir};

use crate::executor::scratch::{self, is_old};
use crate::generate::Mode;
use crate::generate::stage::{Stage, file_name};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::GeneratedState;
use crate::model::judgement::JudgeError;

/// A file that is complete, beside the one that it replaces.
#[derive(Debug)]
pub struct Ready {
    beside: TempPath,
    target: PathBuf,
}

impl Ready {
    /// Puts it in place.
    ///
    /// # Errors
    /// System errors, with the file's name.
    pub fn place(self) -> Result<(), JudgeError> {
        let Self { beside, target } = self;
        beside.persist(&target).map_err(|error| unwritable(&target, error.error))
    }
}

/// The start of the names of files that are not yet in place.
const BESIDE: &str = ".juror-";
/// How many random letters and digits follow.
const RANDOM: usize = 6;

/// Marks the package as one that this process writes to, as long as the result lives. Removes the files that killed
/// jurors left beside test data.
pub fn claim(package: &Path, data: &Path) -> Option<File> {
    let is_left = |entry: &DirEntry| {
        let name = entry.file_name().as_encoded_bytes().strip_prefix(BESIDE.as_bytes());
        name.is_some_and(|rest| rest.len() == RANDOM && rest.iter().all(u8::is_ascii_alphanumeric))
            && entry.metadata().is_ok_and(|found| !found.is_dir() && is_old(&found))
    };
    scratch::claim(package, || {
        for left in WalkDir::new(data).into_iter().flatten().filter(is_left) {
            // What cannot be removed stays.
            let _ = fs::remove_file(left.path());
        }
    })
}

/// Prepares a case's files for the package, or reports how they differ.
///
/// # Errors
/// System errors, with the file's name.
pub fn prepare(
    stage: &Stage,
    data: &Path,
    case: &str,
    mode: Mode,
    ready: &mut Vec<Ready>,
) -> Result<GeneratedState, JudgeError> {
    let mut states = Vec::new();
    for extension in stage.extensions(case) {
        let target = data.join(file_name(case, &extension));
        let staged = stage.path(case, &extension);
        let link = fs::read_link(&staged).ok();
        let settled = File::open(&staged).and_then(|it| settle(&target, it, link.as_deref(), mode));
        let (state, new) = settled.map_err(|error| unwritable(&target, error))?;
        states.push(state);
        ready.extend(new);
    }
    Ok(combined(&states))
}

/// The same for a single file with these contents.
///
/// # Errors
/// System errors, with the file's name.
pub fn prepare_file(
    target: &Path,
    contents: &[u8],
    mode: Mode,
) -> Result<(GeneratedState, Option<Ready>), JudgeError> {
    let settled = settle(target, Cursor::new(contents), None, mode);
    settled.map_err(|error| unwritable(target, error))
}

/// Gives one file of the package these contents, or reports how it differs.
///
/// # Errors
/// System errors, with the file's name.
pub fn place_file(
    target: &Path,
    contents: &[u8],
    mode: Mode,
) -> Result<GeneratedState, JudgeError> {
    let (state, ready) = prepare_file(target, contents, mode)?;
    ready.map_or(Ok(()), Ready::place)?;
    Ok(state)
}

/// An obstacle to putting a file into the package, with help.
fn unwritable(target: &Path, error: io::Error) -> JudgeError {
    let help = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room for the test data",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "make the directory writable, or use `--check`, which writes nothing"
        }
        _ => "check what is there",
    };
    JudgeError::on("write", target)(error).help(help)
}

/// Whether the target has these contents; `None` if it does not exist. A link has the contents of its target.
fn same(contents: impl Read, target: &Path) -> io::Result<Option<bool>> {
    let file = match File::open(target) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut there = BufReader::with_capacity(1 << 16, file);
    let mut wanted = BufReader::with_capacity(1 << 16, contents);
    loop {
        let (a, b) = (there.fill_buf()?, wanted.fill_buf()?);
        let common = a.len().min(b.len());
        if common == 0 {
            return Ok(Some(a.is_empty() && b.is_empty()));
        }
        if a[..common] != b[..common] {
            return Ok(Some(false));
        }
        there.consume(common);
        wanted.consume(common);
    }
}

/// Prepares these contents for the target, as a link if `link` is set, or reports how it differs.
fn settle(
    target: &Path,
    mut contents: impl Read + Seek,
    link: Option<&Path>,
    mode: Mode,
) -> io::Result<(GeneratedState, Option<Ready>)> {
    let state = match (same(&mut contents, target)?, mode) {
        (Some(true), _) => return Ok((GeneratedState::Unchanged, None)),
        (None, Mode::Check) => return Ok((GeneratedState::Missing, None)),
        (Some(false), Mode::Check) => return Ok((GeneratedState::Differs, None)),
        (None, Mode::Write) => GeneratedState::Created,
        (Some(false), Mode::Write) => GeneratedState::Changed,
    };
    let dir = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let ready = |beside| (state, Some(Ready { beside, target: target.to_owned() }));
    if let Some(link) = link {
        let mut beside = tempfile::Builder::new();
        let beside =
            beside.prefix(BESIDE).rand_bytes(RANDOM).make_in(dir, |path| symlink(link, path))?;
        return Ok(ready(beside.into_temp_path()));
    }
    // The permissions of any new file; the process's umask restricts them.
    let rights = fs::Permissions::from_mode(0o666);
    let mut beside = tempfile::Builder::new();
    let mut beside =
        beside.prefix(BESIDE).rand_bytes(RANDOM).permissions(rights).tempfile_in(dir)?;
    contents.rewind()?;
    io::copy(&mut contents, &mut beside)?;
    Ok(ready(beside.into_temp_path()))
}

/// The state of a case from the states of its files.
fn combined(states: &[GeneratedState]) -> GeneratedState {
    let is_wrong =
        |state: &GeneratedState| matches!(state, GeneratedState::Differs | GeneratedState::Missing);
    match states {
        [] => GeneratedState::Unchanged,
        [first, others @ ..] if others.iter().all(|other| other == first) => *first,
        _ if states.iter().any(is_wrong) => GeneratedState::Differs,
        _ => GeneratedState::Changed,
    }
}

/// Reasons why these files cannot be put into place: something else is there, or the path leads out of the package.
pub fn obstacles(package: &Path, data: &Path, named: &BTreeSet<String>) -> Vec<Diagnostic> {
    let Ok(home) = package.canonicalize() else { return Vec::new() };
    let mut found = Vec::new();
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    for name in named {
        let target = data.join(name);
        if fs::symlink_metadata(&target).is_ok_and(|it| it.is_dir()) {
            found.push(
                Diagnostic::error(&target, "is a directory, but the recipe makes a file here")
                    .help("remove or rename it; juror removes nothing by itself"),
            );
        }
        let above = target.ancestors().skip(1).take_while(|it| it.starts_with(data));
        for dir in above.map(Path::to_owned).collect::<Vec<_>>() {
            if !seen.insert(dir.clone()) {
                break;
            }
            match fs::metadata(&dir) {
                Ok(metadata) if !metadata.is_dir() => found.push(
                    Diagnostic::error(&dir, "is a file, but the recipe makes a directory here")
                        .help("remove or rename it; juror removes nothing by itself"),
                ),
                Ok(_) if dir.canonicalize().is_ok_and(|real| !real.starts_with(&home)) => found
                    .push(
                        Diagnostic::error(&dir, "leads out of the package")
                            .help("replace the link with a directory"),
                    ),
                _ => {}
            }
        }
    }
    found
}

/// The files in `data/` that the recipe does not make, by their names below it. Files that the format ignores, such as
/// READMEs, do not count.
///
/// # Errors
/// System errors.
pub fn unlisted(data: &Path, named: &BTreeSet<String>) -> Result<Vec<String>, JudgeError> {
    let mut unlisted = Vec::new();
    if !data.exists() {
        return Ok(unlisted);
    }
    let is_read = |name: &str| !name.starts_with('.') && !name.starts_with("README");
    let entries = WalkDir::new(data).sort_by_file_name().into_iter();
    let entries = entries
        .filter_entry(|entry| entry.depth() == 0 || is_read(&entry.file_name().to_string_lossy()));
    for entry in entries {
        let entry = entry.map_err(JudgeError::on("list", data))?;
        let below = entry.path().strip_prefix(data).unwrap_or(entry.path());
        let name = below.display().to_string();
        if !entry.file_type().is_dir() && !named.contains(&name) {
            unlisted.push(name);
        }
    }
    Ok(unlisted)
}

/// Removes files below a directory, and directories that become empty.
///
/// # Errors
/// System errors, with the file's name.
pub fn remove(data: &Path, files: &[impl AsRef<Path>]) -> Result<(), JudgeError> {
    for file in files {
        let path = data.join(file);
        fs::remove_file(&path).map_err(JudgeError::on("remove", &path))?;
        let above = path.ancestors().skip(1);
        for dir in above.take_while(|dir| *dir != data && dir.starts_with(data)) {
            // A directory that is not empty stays.
            if fs::remove_dir(dir).is_err() {
                break;
            }
        }
    }
    Ok(())
}

/// Files as messages name them: test cases by name, other files with their endings.
pub fn told(unlisted: Vec<String>) -> Vec<String> {
    let cases: BTreeSet<String> = unlisted
        .iter()
        .filter_map(|name| name.strip_suffix(".in"))
        .filter(|case| !in_files_directory(case))
        .map(str::to_owned)
        .collect();
    let mut unknown: Vec<String> =
        unlisted.into_iter().filter(|name| !belongs_to(name, &cases)).collect();
    unknown.extend(cases);
    unknown.sort();
    unknown
}

/// Whether a name leads through the directory of a case's files.
fn in_files_directory(name: &str) -> bool {
    let (above, _) = name.rsplit_once('/').unwrap_or_default();
    above.split('/').any(|part| part.ends_with(".files"))
}

/// Whether a file belongs to one of these cases.
fn belongs_to(file: &str, cases: &BTreeSet<String>) -> bool {
    file.match_indices('.').any(|(dot, _)| cases.contains(&file[..dot]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use GeneratedState::{Changed, Created, Differs, Missing, Unchanged};
    use std::time::{Duration, SystemTime};
    use tempfile::TempDir;

    #[test]
    fn the_worst_file_decides_about_a_case() {
        let check = |states: &[GeneratedState], expected| assert_eq!(combined(states), expected);
        check(&[Created, Created], Created);
        check(&[Unchanged, Created], Changed);
        check(&[Unchanged, Changed], Changed);
        check(&[Unchanged, Unchanged], Unchanged);
        check(&[Missing, Missing], Missing);
        check(&[Unchanged, Missing], Differs);
        check(&[Unchanged, Differs], Differs);
    }

    #[test]
    fn a_file_is_written_only_where_it_differs_and_only_when_asked() {
        let dir = TempDir::new().unwrap();
        let target = dir.path().join("secret/1.in");
        let check = |contents: &[u8], mode, expected, left: Option<&[u8]>| {
            assert_eq!(place_file(&target, contents, mode).unwrap(), expected);
            assert_eq!(fs::read(&target).ok().as_deref(), left);
        };
        check(b"1\n", Mode::Check, Missing, None);
        check(b"1\n", Mode::Write, Created, Some(b"1\n"));
        check(b"1\n", Mode::Write, Unchanged, Some(b"1\n"));
        check(b"1\n2\n", Mode::Check, Differs, Some(b"1\n"));
        check(b"1", Mode::Check, Differs, Some(b"1\n"));
        check(b"2\n", Mode::Write, Changed, Some(b"2\n"));
        let long = vec![b'x'; 200_000];
        check(&long, Mode::Write, Changed, Some(&long));
        check(&long, Mode::Check, Unchanged, Some(&long));
        check(&long[1..], Mode::Check, Differs, Some(&long));
        assert_eq!(fs::read_dir(dir.path().join("secret")).unwrap().count(), 1);
    }

    #[test]
    fn nothing_changes_until_all_is_written() {
        let dir = TempDir::new().unwrap();
        let target = dir.path().join("1.in");
        let names = || fs::read_dir(dir.path()).unwrap().count();
        fs::write(&target, "old\n").unwrap();
        let (state, ready) = prepare_file(&target, b"new\n", Mode::Write).unwrap();
        assert_eq!((state, names()), (Changed, 2));
        drop(ready);
        assert_eq!((fs::read(&target).unwrap(), names()), (b"old\n".to_vec(), 1));
        let (_, ready) = prepare_file(&target, b"new\n", Mode::Write).unwrap();
        ready.unwrap().place().unwrap();
        assert_eq!((fs::read(&target).unwrap(), names()), (b"new\n".to_vec(), 1));
    }

    #[test]
    fn what_a_killed_juror_left_beside_test_data_is_removed_and_nothing_else() {
        let dir = TempDir::new().unwrap();
        let (package, data) = (dir.path(), dir.path().join("data"));
        let (_, ready) = prepare_file(&data.join("secret/1.in"), b"1\n", Mode::Write).unwrap();
        // As if its process had died.
        let left = ready.unwrap().beside.keep().unwrap();
        let link = left.with_file_name(".juror-link");
        symlink("1.in", &link).unwrap();
        let others =
            [".juror", ".mine", ".juror-notes", ".juror-direct/x"].map(|name| data.join(name));
        for path in &others {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let check = |is_there: bool| {
            assert_eq!(left.exists(), is_there);
            assert!(others.iter().all(|path| path.exists()) && fs::read_link(&link).is_ok());
        };
        // It may be in use elsewhere. A lock is released for programs, too, that other tests start meanwhile.
        claim(package, &data).unwrap().unlock().unwrap();
        check(true);
        let old = SystemTime::now() - Duration::from_secs(100);
        for path in [&left, &others[0], &others[1], &others[2]] {
            File::open(path).unwrap().set_modified(old).unwrap();
        }
        claim(package, &data).unwrap();
        check(false);
    }

    #[test]
    fn a_link_is_replaced_and_not_written_through() {
        let dir = TempDir::new().unwrap();
        let (elsewhere, target) = (dir.path().join("elsewhere"), dir.path().join("1.in"));
        fs::write(&elsewhere, "mine\n").unwrap();
        symlink(&elsewhere, &target).unwrap();
        assert_eq!(place_file(&target, b"1\n", Mode::Write).unwrap(), Changed);
        assert_eq!(fs::read(&elsewhere).unwrap(), b"mine\n");
        assert_eq!(fs::read(&target).unwrap(), b"1\n");
    }

    #[test]
    fn what_the_recipe_does_not_make_is_told_by_case_or_file() {
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
        let unlisted = unlisted(dir.path(), &BTreeSet::from(named)).unwrap();
        remove(dir.path(), &unlisted).unwrap();
        let left = WalkDir::new(dir.path().join("secret")).min_depth(1).sort_by_file_name();
        let left = left.into_iter().map(|entry| entry.unwrap().file_name().to_owned());
        let left: Vec<_> = left.collect();
        assert_eq!(left, [".hidden", "README.md", "a.ans", "a.in"]);
        assert_eq!(told(unlisted), ["secret/a.hint", "secret/b", "secret/c.ans"]);
    }

    #[test]
    fn nothing_is_put_where_something_else_is() {
        let dir = TempDir::new().unwrap();
        let (package, outside) = (dir.path().join("p"), dir.path().join("outside"));
        let data = package.join("data");
        fs::create_dir_all(data.join("secret/1.in")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        symlink(&outside, data.join("sample")).unwrap();
        fs::write(data.join("secret/x"), "").unwrap();
        let named = ["sample/1.in", "secret/1.in", "secret/x/1.in"].map(str::to_owned);
        let found = obstacles(&package, &data, &BTreeSet::from(named));
        let root = format!("{}/", data.display());
        let found: Vec<String> = found.iter().map(|it| it.to_string().replace(&root, "")).collect();
        assert_eq!(
            found,
            [
                "sample: leads out of the package",
                "secret/1.in: is a directory, but the recipe makes a file here",
                "secret/x: is a file, but the recipe makes a directory here",
            ]
        );
    }
}
