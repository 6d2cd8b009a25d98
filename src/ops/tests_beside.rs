//! A submission that is named alone: it is judged on the tests beside it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::door::submissions::{named_submission, suggest_source};
use juror_core::language::table::Language;
use juror_core::moment::Moment;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::stop::{Remark, Stop};
use juror_core::text::path_text;
use juror_packages::package;
use juror_packages::package::archive::is_archive;
use juror_packages::package::bare;
use juror_packages::package::tests_file::TestsFile;

/// Where the tests of a submission are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestsBeside {
    /// A directory, or a file of tests.
    pub package: PathBuf,
    /// The source file; `None` if the submission is a directory.
    source: Option<PathBuf>,
    /// Set if there are tests in files, too: says which go first.
    note: Option<String>,
}

impl TestsBeside {
    /// Finds the tests of a submission; `None` if this is no submission but a package.
    pub fn find(named: &Path) -> Result<Option<Self>, Stop> {
        let is_submission = match fs::metadata(named) {
            Ok(found) if found.is_dir() => return Self::of_directory(named),
            Ok(_) => !is_archive(named) && !TestsFile::is_one(named),
            Err(_) => Language::of_file(named).is_some() || suggest_source(named).is_some(),
        };
        if !is_submission {
            return Ok(None);
        }
        named_submission(named, &Problem::default()).map_err(Stop::usage)?;
        let directory = directory_of(named);
        let layout = package::detected_layout(&directory);
        let is_package = layout.is_some_and(|layout| !layout.is_guessed);
        let file = if is_package { None } else { TestsFile::of_source(named)? };
        let source = Some(named.to_owned());
        match (file, layout) {
            (Some(file), layout) => {
                let again = format!("`juror judge {} {}`", directory.display(), named.display());
                let note = format!("it goes before the tests in files, which {again} takes");
                let note = layout.map(|_| note);
                Ok(Some(Self { package: file.path().to_owned(), source, note }))
            }
            (None, Some(_)) => Ok(Some(Self { package: directory, source, note: None })),
            (None, None) => Err(no_tests(named, &directory)),
        }
    }

    /// The same if an interactor judges: there may be inputs alone, or none.
    pub fn find_inputs(named: &Path) -> Result<Option<Self>, Stop> {
        let directory = if named.is_dir() { named.to_owned() } else { directory_of(named) };
        let is_empty = named.exists() && package::detected_layout(&directory).is_none();
        match Self::find(named) {
            Err(_) if is_empty && TestsFile::of_source(named).is_ok_and(|file| file.is_none()) => {
                let source = named.is_file().then(|| named.to_owned());
                Ok(Some(Self { package: directory, source, note: None }))
            }
            found => found,
        }
    }

    /// A directory that is no package, with sources in it. Its tests are there, too, or beside it.
    fn of_directory(named: &Path) -> Result<Option<Self>, Stop> {
        let layout = package::detected_layout(named);
        let files = fs::read_dir(named).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut sources = files.filter(|path| path.is_file() && Language::of_file(path).is_some());
        if layout.is_some_and(|layout| !layout.is_guessed) || sources.next().is_none() {
            return Ok(None);
        }
        let places = [named.to_owned(), directory_of(named)];
        let found = places.into_iter().find(|place| package::detected_layout(place).is_some());
        let found = found.ok_or_else(|| no_tests(named, named))?;
        Ok(Some(Self { package: found, source: None, note: None }))
    }

    /// When the source was last saved.
    pub fn saved_at(&self) -> Option<Moment> {
        let source = fs::metadata(self.source.as_ref()?).ok()?;
        Some(source.modified().ok()?.into())
    }

    /// Of the tests in a directory, those with the name of the source go first.
    pub fn select(&self, problem: &mut Problem) {
        let stem = self.source.as_deref().and_then(Path::file_stem);
        if problem.layout.is_guessed && self.package.is_dir() {
            bare::select_tests_of(&stem.unwrap_or_default().to_string_lossy(), problem);
        }
        if let Some(note) = &self.note {
            problem.format_reason = format!("{}; {note}", problem.format_reason);
        }
    }
}

fn directory_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (parent, path.file_name()) {
        (Some(parent), Some(_)) => parent.to_owned(),
        (_, None) => path.join(".."),
        (None, Some(_)) => PathBuf::from("."),
    }
}

fn no_tests(submission: &Path, directory: &Path) -> Stop {
    let submission = path_text(submission);
    let found = bare::explain_missing_tests(&FilePath::root(directory)).unwrap_or_default();
    let help = format!(
        "add files such as 1.in and 1.out, there or in {}; or name the package first: juror judge PACKAGE {submission}",
        bare::FOLDERS.map(|folder| format!("{folder}/")).join(", "),
    );
    let separator = if found.is_empty() { "" } else { "; " };
    Stop::usage(Remark::with_help(format!("no tests beside {submission}{separator}{found}"), help))
}
