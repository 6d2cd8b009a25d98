//! A submission that is named first: it is judged on the tests beside it, or runs on inputs of the user.

use std::fs;
use std::path::{Path, PathBuf};

use crate::door::submissions::{named_submission, suggest_source};
use juror_core::check::options::comparison_arguments;
use juror_core::language::table::Language;
use juror_core::moment::Moment;
use juror_core::problem::{Grading, Problem};
use juror_core::root::FilePath;
use juror_core::stop::{Remark, Stop};
use juror_core::test_data::{TestCase, TestData};
use juror_core::text::{command_line, joined, path_text, printable};
use juror_packages::package;
use juror_packages::package::archive::is_archive;
use juror_packages::package::bare;
use juror_packages::package::suggest::paths_near;
use juror_packages::package::tests_file::TestsFile;

/// More archives and files in JSON beside a source are not opened to see whether they have tests.
const MOST_TESTS_FILES: usize = 8;

/// Where the tests of a submission are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestsBeside {
    /// A directory, an archive, or a file of tests.
    pub package: PathBuf,
    /// `false` if there are none: then the directory is not read.
    pub are_found: bool,
    /// The source file; `None` if the submission is a directory.
    source: Option<PathBuf>,
    /// Set if there are tests in files, too: says which go first.
    note: Option<String>,
}

impl TestsBeside {
    pub fn without_tests(directory: &Path) -> Self {
        Self { package: directory.to_owned(), are_found: false, source: None, note: None }
    }

    /// Finds the tests of a submission; `None` if this is no submission but a package.
    pub fn find(named: &Path) -> Result<Option<Self>, Stop> {
        if named.is_dir() {
            return Ok(Self::of_directory(named));
        }
        if !is_submission_file(named) {
            return Ok(None);
        }
        named_submission(named, &Problem::default()).map_err(Stop::usage)?;
        let directory = directory_of(named);
        let layout = package::detected_layout(&directory);
        let is_package = layout.is_some_and(|layout| !layout.is_guessed);
        let file = if is_package { None } else { TestsFile::of_source(named)? };
        let source = Some(named.to_owned());
        let found = |package: PathBuf| Self { package, are_found: true, source, note: None };
        Ok(Some(match (file, layout) {
            (Some(file), layout) => {
                let again = format!("`juror judge {} {}`", directory.display(), named.display());
                let note = format!("it goes before the tests in files, which {again} takes");
                Self { note: layout.map(|_| note), ..found(file.path().to_owned()) }
            }
            (None, Some(_)) => found(directory),
            (None, None) => match tests_file_beside(named, &directory)? {
                Some(file) => found(file),
                None if has_tests(&directory) => found(directory),
                None => Self::without_tests(&directory),
            },
        }))
    }

    /// A directory that is no package, with sources in it. Its tests are there, too, or beside it.
    fn of_directory(named: &Path) -> Option<Self> {
        let layout = package::detected_layout(named);
        let files = fs::read_dir(named).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut sources = files.filter(|path| path.is_file() && Language::of_file(path).is_some());
        if layout.is_some_and(|layout| !layout.is_guessed) || sources.next().is_none() {
            return None;
        }
        let places = [named.to_owned(), directory_of(named)];
        let found = places.into_iter().find(|place| has_tests(place));
        let are_found = found.is_some();
        let package = found.unwrap_or_else(|| named.to_owned());
        Some(Self { are_found, ..Self::without_tests(&package) })
    }

    /// For a directory without tests, if the submission is there.
    pub fn in_directory(directory: &Path, submission: &Path) -> Option<Self> {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_there = directory.is_dir() && real(directory) == real(&directory_of(submission));
        (is_there && !has_tests(directory)).then(|| Self::without_tests(directory))
    }

    /// Fails if there are none.
    pub fn require(self, submission: &Path) -> Result<Self, Stop> {
        if self.are_found { Ok(self) } else { Err(no_tests(submission, &self.package)) }
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

fn has_tests(directory: &Path) -> bool {
    package::detected_layout(directory).is_some()
        || package::format_of_inputs_alone(directory).is_some()
}

/// Whether it is a program by its name, or a file that is no package.
fn is_submission_file(named: &Path) -> bool {
    match fs::metadata(named) {
        Ok(found) => !found.is_dir() && !is_archive(named) && !TestsFile::is_one(named),
        Err(_) => Language::of_file(named).is_some() || suggest_source(named).is_some(),
    }
}

/// Whether the files after this one are its inputs: it is no package, and they are no programs.
pub fn names_inputs(named: &Path, others: &[PathBuf]) -> bool {
    let is_input = |path: &PathBuf| {
        let is_package = path.is_dir() || is_archive(path) || TestsFile::is_one(path);
        !is_package && Language::of_file(path).is_none()
    };
    !others.is_empty()
        && !named.is_dir()
        && is_submission_file(named)
        && others.iter().all(is_input)
}

/// Replaces the test cases by inputs of the user. One with an answer beside it is judged, others only run.
pub fn set_inputs(inputs: &[PathBuf], problem: &mut Problem) -> Result<(), Stop> {
    let args = match problem.test_data.cases.first() {
        Some(case) => case.output_validator_args.clone(),
        None => comparison_arguments("words").unwrap_or_default(),
    };
    let mut cases: Vec<TestCase> = Vec::new();
    for path in inputs {
        let input = FilePath::root(path);
        let is_readable = input.open().and_then(|file| file.metadata());
        let fault = match is_readable {
            Ok(found) if found.is_file() => None,
            Ok(_) => Some("it is no file; `juror run` also reads pipes".to_owned()),
            Err(error) if path.exists() => Some(error.to_string()),
            Err(error) => Some(with_near_names(path, error.to_string())),
        };
        if let Some(fault) = fault {
            let what = format!("cannot read the input {}: {fault}", path.display());
            return Err(Stop::usage(what));
        }
        let name = path_text(path);
        if cases.iter().all(|case| case.name != name) {
            let answer = bare::answer_of(path).map(FilePath::root);
            let output_validator_args = args.clone();
            cases.push(TestCase {
                name,
                input,
                needs_no_answer: answer.is_none(),
                answer,
                output_validator_args,
                ..TestCase::default()
            });
        }
    }
    if problem.layout.is_guessed {
        let named = cases.iter().map(|case| match &case.answer {
            Some(answer) => format!("{} with {}", case.name, path_text(answer)),
            None => format!("{} without an answer", case.name),
        });
        problem.format_reason = joined(named, ", ");
    }
    problem.test_data = TestData { cases, ..TestData::default() };
    (problem.kind.grading, problem.graders) = (Grading::PassFail, None);
    Ok(())
}

fn with_near_names(path: &Path, error: String) -> String {
    let names = FilePath::root(directory_of(path)).names().unwrap_or_default();
    let names: Vec<&str> = names.iter().filter_map(|name| name.to_str()).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    joined([Some(error), paths_near(&name, names)].into_iter().flatten(), "; ")
}

fn directory_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (parent, path.file_name()) {
        (Some(parent), Some(_)) => parent.to_owned(),
        (_, None) => path.join(".."),
        (None, Some(_)) => PathBuf::from("."),
    }
}

/// The archive or the file in JSON with tests beside a source. Those with its name go first.
fn tests_file_beside(source: &Path, directory: &Path) -> Result<Option<PathBuf>, Stop> {
    let root = FilePath::root(directory);
    let names = root.names().unwrap_or_default().into_iter();
    let mut files: Vec<PathBuf> = names
        .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
        .filter(|name| {
            let path = directory.join(name);
            (is_archive(&path) || TestsFile::is_one(&path)) && root.join(name).is_file()
        })
        .map(|name| directory.join(name))
        .collect();
    let is_own = |path: &PathBuf| path.file_stem() == source.file_stem();
    if files.iter().any(is_own) {
        files.retain(is_own);
    }
    if files.len() > MOST_TESTS_FILES {
        return Ok(None);
    }
    files.retain(|path| is_archive(path) || TestsFile::read(path).is_ok());
    match &files[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        [first, ..] => {
            let names = joined(files.iter().map(|path| path.display()), ", ");
            let what = format!("{names} may all have the tests of {}", source.display());
            let again = [Path::new("juror"), Path::new("judge"), first, source];
            Err(Stop::usage(Remark::with_help(what, format!("name one: {}", command_line(again)))))
        }
    }
}

/// In lines: names of tests are easier to see in a table.
fn no_tests(submission: &Path, directory: &Path) -> Stop {
    let root = FilePath::root(directory);
    let typed = printable(&path_text(submission));
    let what = format!("no tests beside {typed}");
    if let Some((link, target)) = bare::outside_links(&root).into_iter().next() {
        let place = Path::new(&link).with_file_name(&target);
        let place = if directory == Path::new(".") { place } else { directory.join(place) };
        let place = if place.is_dir() { place } else { directory_of(&place) };
        let again = [Path::new("juror"), Path::new("judge"), &place, submission];
        let what = format!("{what}: {link} -> {} leads out of its directory", target.display());
        return Stop::usage(Remark::with_help(what, command_line(again)));
    }
    let found = bare::list_files(&root).map(|files| format!("; files there: {files}"));
    let help = format!(
        "\nto run it on an input of your own:  juror run {typed} < FILE  or  juror {typed} FILE\n\
         to name the tests or their package: juror judge PACKAGE {typed}\n\
         to save tests there, or in {}:\n{}",
        joined(bare::FOLDERS.iter().map(|folder| format!("{folder}/")), ", "),
        bare::NAMES_TABLE,
    );
    Stop::usage(Remark::with_help(what + &found.unwrap_or_default(), help))
}
