//! A package or a submission in use. An archive, or a file of tests, is unpacked as long as it is used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use juror_core::diagnostic::Diagnostic;
use juror_core::event::Event;
use juror_core::problem::Problem;
use juror_core::stop::Stop;
use juror_packages::package::archive;
use juror_packages::package::tests_file::TestsFile;
use juror_sandbox::executor::scratch::{self, ScratchDirectory, ScratchPurpose};

#[derive(Debug)]
pub struct OpenPackage {
    pub dir: PathBuf,
    unpacked: Option<(PathBuf, ScratchDirectory)>,
    tests_file: Option<TestsFile>,
}

impl OpenPackage {
    /// Unpacks an archive or a file of tests.
    pub fn open(package: &Path) -> Result<Self, Stop> {
        if !TestsFile::is_one(package) {
            return Self::open_submission(package);
        }
        let tests = TestsFile::read(package)?;
        let opened = Self::unpack(package, |into| tests.unpack(into))?;
        Ok(Self { tests_file: Some(tests), ..opened })
    }

    /// Unpacks an archive.
    pub fn open_submission(submission: &Path) -> Result<Self, Stop> {
        if archive::is_archive(submission) {
            return Self::unpack(submission, |into| archive::unpack(submission, into));
        }
        Ok(Self { dir: submission.to_owned(), unpacked: None, tests_file: None })
    }

    /// Fills a temporary directory. Users know it by `from`.
    pub fn unpack(
        from: &Path,
        unpack: impl FnOnce(&Path) -> Result<PathBuf, Stop>,
    ) -> Result<Self, Stop> {
        let scratch = scratch::make_scratch(ScratchPurpose::Package)?;
        let dir = unpack(scratch.path())?;
        Ok(Self { dir, unpacked: Some((from.to_owned(), scratch)), tests_file: None })
    }

    /// Adds what only the file says, such as the limits of a file of tests.
    pub fn complete(&self, problem: &mut Problem) {
        if let Some(tests) = &self.tests_file {
            tests.complete(problem);
        }
    }

    pub fn archive(&self) -> Option<&Path> {
        self.unpacked.as_ref().map(|(archive, _)| archive.as_path())
    }

    /// Rewrites paths as if the archive were a directory, since users do not know where it was unpacked.
    pub fn with_archive_paths(&self, mut event: Event) -> Event {
        let Some(archive) = self.archive() else { return event };
        let below = |path: &mut PathBuf| match path.strip_prefix(&self.dir) {
            Ok(rest) if rest.as_os_str().is_empty() => *path = archive.to_owned(),
            Ok(rest) => *path = archive.join(rest),
            Err(_) => {}
        };
        let dir = self.dir.display().to_string();
        let named = |text: &mut String| *text = text.replace(&dir, &archive.display().to_string());
        match &mut event {
            Event::Diagnosed(Diagnostic { place, message, help, .. }) => {
                below(&mut place.path);
                named(message);
                help.iter_mut().for_each(named);
            }
            Event::PackageRead(package) => below(&mut package.path),
            Event::SubmissionJudged(judgement) => {
                below(&mut judgement.path);
                let evidence = Arc::make_mut(&mut judgement.cases)
                    .iter_mut()
                    .filter_map(|case| case.evidence.as_mut());
                evidence.filter_map(|evidence| evidence.input_path.as_mut()).for_each(below);
            }
            Event::Complained { message, help } => {
                named(message);
                help.iter_mut().for_each(named);
            }
            Event::Failed { submission: None, error } => {
                named(&mut error.step);
                named(&mut error.reason);
                error.help.iter_mut().for_each(named);
            }
            _ => {}
        }
        event
    }
}
