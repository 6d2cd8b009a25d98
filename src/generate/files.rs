//! The files of test cases: a stage where they are made, and their way into the package.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use walkdir::WalkDir;

use crate::executor::scratch;
use crate::generate::Mode;
use crate::model::event::GeneratedState;
use crate::model::job::Captured;
use crate::model::judgement::JudgeError;

/// A directory in which test cases are made before the package is touched.
pub struct Stage {
    dir: TempDir,
}

impl Stage {
    /// An empty stage.
    ///
    /// # Errors
    /// When the system's temporary directory cannot be written.
    pub fn new() -> Result<Self, JudgeError> {
        let dir = scratch::directory("juror-generate-")?;
        Ok(Self { dir })
    }

    /// Where the file of a case with this extension stands.
    pub fn path(&self, case: &str, extension: &str) -> PathBuf {
        self.dir.path().join(format!("{case}.{extension}"))
    }

    /// Adds a file with these contents.
    ///
    /// # Errors
    /// What the system says, with the file's name.
    pub fn add(
        &self,
        case: &str,
        extension: &str,
        contents: &mut dyn Read,
    ) -> Result<(), JudgeError> {
        let path = self.path(case, extension);
        let mut write = || {
            fs::create_dir_all(path.parent().unwrap_or(self.dir.path()))?;
            io::copy(contents, &mut File::create(&path)?)
        };
        write().map_err(|error| scratch::fault(format!("write {}", path.display()), error))?;
        Ok(())
    }

    /// Adds what a program wrote.
    ///
    /// # Errors
    /// What the system says, with the file's name.
    pub fn add_captured(
        &self,
        case: &str,
        extension: &str,
        captured: &mut Captured,
    ) -> Result<(), JudgeError> {
        match captured {
            Captured::Memory(bytes) => self.add(case, extension, &mut bytes.as_slice()),
            Captured::File(file) => {
                io::Seek::rewind(file)
                    .map_err(|error| JudgeError::new("read a program's output", error))?;
                self.add(case, extension, file)
            }
        }
    }

    /// The extensions of the files that a case has.
    fn extensions(&self, case: &str) -> io::Result<Vec<String>> {
        let first = self.path(case, "in");
        let Some((dir, stem)) = first.parent().zip(first.file_stem()) else {
            return Ok(Vec::new());
        };
        let stem = format!("{}.", stem.to_string_lossy());
        let mut extensions = Vec::new();
        for entry in fs::read_dir(dir)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            extensions.extend(name.strip_prefix(&stem).map(str::to_owned));
        }
        extensions.sort();
        Ok(extensions)
    }
}

/// Brings a case's files into the package, or says how they differ.
///
/// # Errors
/// What the system says, with the file's name.
pub fn place(
    stage: &Stage,
    data: &Path,
    case: &str,
    mode: Mode,
) -> Result<GeneratedState, JudgeError> {
    let fault = |error| JudgeError::new(format!("read the files of {case}"), error);
    let mut states = Vec::new();
    for extension in stage.extensions(case).map_err(fault)? {
        let target = data.join(format!("{case}.{extension}"));
        let staged = stage.path(case, &extension);
        states.push(place_from(&staged, &target, mode)?);
    }
    Ok(combined(&states))
}

/// Makes one file of the package have these contents, or says how it differs.
///
/// # Errors
/// What the system says, with the file's name.
pub fn place_file(
    target: &Path,
    contents: &[u8],
    mode: Mode,
) -> Result<GeneratedState, JudgeError> {
    let fault = |error| JudgeError::new(format!("write {}", target.display()), error);
    let same = same(&mut &contents[..], target).map_err(fault)?;
    settle(target, same, mode, &mut &contents[..]).map_err(fault)
}

fn place_from(staged: &Path, target: &Path, mode: Mode) -> Result<GeneratedState, JudgeError> {
    let fault = |error| JudgeError::new(format!("write {}", target.display()), error);
    let same = same(&mut File::open(staged).map_err(fault)?, target).map_err(fault)?;
    settle(target, same, mode, &mut File::open(staged).map_err(fault)?).map_err(fault)
}

/// Whether the target has these contents; `None` where it is not there.
fn same(contents: &mut dyn Read, target: &Path) -> io::Result<Option<bool>> {
    let file = match File::open(target) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut there = BufReader::new(file).bytes();
    for byte in BufReader::new(contents).bytes() {
        match there.next().transpose()? {
            Some(other) if other == byte? => {}
            _ => return Ok(Some(false)),
        }
    }
    Ok(Some(there.next().is_none()))
}

fn settle(
    target: &Path,
    same: Option<bool>,
    mode: Mode,
    contents: &mut dyn Read,
) -> io::Result<GeneratedState> {
    match (same, mode) {
        (Some(true), _) => return Ok(GeneratedState::Unchanged),
        (None, Mode::Check) => return Ok(GeneratedState::Missing),
        (Some(false), Mode::Check) => return Ok(GeneratedState::Differs),
        (_, Mode::Write) => {}
    }
    let dir = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    // The rights of any other new file: the process's umask takes away from these.
    let rights = fs::Permissions::from_mode(0o666);
    let mut beside = tempfile::Builder::new()
        .permissions(rights)
        .tempfile_in(dir)?;
    io::copy(contents, &mut beside)?;
    beside.flush()?;
    beside.persist(target)?;
    Ok(match same {
        None => GeneratedState::Created,
        Some(_) => GeneratedState::Changed,
    })
}

/// What its files make of a case: the worst of them.
fn combined(states: &[GeneratedState]) -> GeneratedState {
    let has = |state| states.contains(&state);
    let all = |state| states.iter().all(|other| *other == state);
    if all(GeneratedState::Missing) && !states.is_empty() {
        GeneratedState::Missing
    } else if has(GeneratedState::Differs) || has(GeneratedState::Missing) {
        GeneratedState::Differs
    } else if all(GeneratedState::Created) && !states.is_empty() {
        GeneratedState::Created
    } else if has(GeneratedState::Changed) || has(GeneratedState::Created) {
        GeneratedState::Changed
    } else {
        GeneratedState::Unchanged
    }
}

/// The names of all test cases below a `data` directory, by name.
///
/// # Errors
/// What the system says.
pub fn cases_below(data: &Path) -> Result<Vec<String>, JudgeError> {
    let mut names = BTreeSet::new();
    if !data.exists() {
        return Ok(Vec::new());
    }
    for entry in WalkDir::new(data) {
        let entry =
            entry.map_err(|error| JudgeError::new(format!("list {}", data.display()), error))?;
        let below = entry.path().strip_prefix(data).unwrap_or(entry.path());
        if below.extension().is_some_and(|extension| extension == "in") {
            names.insert(below.with_extension("").display().to_string());
        }
    }
    Ok(names.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use GeneratedState::{Changed, Created, Differs, Missing, Unchanged};

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
        assert_eq!(fs::read_dir(dir.path().join("secret")).unwrap().count(), 1);
    }
}
