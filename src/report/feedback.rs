//! `--feedback`: a page for each student of a class. It is made of a report of its own, which has nothing of other
//! students and of this machine, and of hidden test cases only name, verdict and points.

use std::collections::HashSet;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::report::document::{Report, SubmissionReport};
use crate::report::file::ReportFile;
use crate::report::html::{self, PageContent};
use juror_core::class::{Class, Student};
use juror_core::event::{Event, StampedEvent};
use juror_core::judgement::{CaseJudgement, CompilerReport, Evidence, JudgeError, Judgement};
use juror_core::messages::exception_place;
use juror_core::outcome::Outcome;
use juror_core::pattern::Pattern;
use juror_core::progress::{LimitsReport, PackageReport};
use juror_core::root::FilePath;
use juror_core::text::composed;
use juror_core::verdict::Verdict;
use juror_packages::package::convert::write::zip_files;

/// The page of each folder in the archive.
const PAGE_NAME: &str = "feedback.html";

/// Which test cases students may not see.
#[derive(Clone, Debug, Default)]
pub enum Hidden {
    #[default]
    OutsideSamples,
    Matching(Vec<Pattern>),
    Nothing,
}

impl Hidden {
    fn hides(&self, test_case: &str) -> bool {
        match self {
            Self::OutsideSamples => {
                !test_case.split('/').rev().skip(1).any(|part| part == "sample")
            }
            Self::Matching(patterns) => patterns.iter().any(|it| it.matches(&composed(test_case))),
            Self::Nothing => false,
        }
    }

    /// A misspelt pattern would show everything.
    fn check(&self, report: &Report) -> io::Result<()> {
        let Self::Matching(patterns) = self else { return Ok(()) };
        let names: Vec<String> = report.cases().map(|case| composed(&case.test_case)).collect();
        let is_used = |glob: &Pattern| names.is_empty() || names.iter().any(|it| glob.matches(it));
        match patterns.iter().find(|glob| !is_used(glob)) {
            Some(glob) => Err(io::Error::other(format!(
                "--hidden '{glob}' matches no test case that ran, so no feedback was written"
            ))),
            None => Ok(()),
        }
    }
}

/// Opened before the first run.
pub enum Place {
    Directory(FilePath),
    /// The form in which Moodle takes feedback files.
    Archive(ReportFile),
}

impl Place {
    pub fn open(path: &Path) -> io::Result<Self> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) {
            return ReportFile::replacing(path, PAGE_NAME).map(Self::Archive);
        }
        let directory = FilePath::output(path);
        directory.make_directories()?;
        Ok(Self::Directory(directory))
    }

    /// Each page appears when all are written. Other files of the directory stay.
    pub fn write(self, report: &Report, hidden: &Hidden) -> io::Result<()> {
        hidden.check(report)?;
        let mut names = HashSet::new();
        let pages = report.students().map(|student| {
            let name = unique_name(student, &mut names);
            let own = student_report(report, student, hidden);
            (name, html::render_page(&own, PageContent::Nothing).into_bytes())
        });
        match self {
            Self::Archive(file) => {
                let in_folder = |(name, page)| (format!("{name}/{PAGE_NAME}"), page);
                let archive = zip_files(&pages.map(in_folder).collect::<Vec<_>>())?;
                file.write(|out| out.write_all(&archive))
            }
            Self::Directory(directory) => {
                let mut written = Vec::new();
                for (name, page) in pages {
                    let target = directory.join(format!("{name}.html"));
                    check_replaceable(&target)?;
                    let write = |file: &FilePath| file.create()?.write_all(&page);
                    written.push(target.prepare_replacement(write)?);
                }
                written.into_iter().try_for_each(|page| page.commit())
            }
        }
    }
}

fn check_replaceable(target: &FilePath) -> io::Result<()> {
    match target.read_prefix(html::SIGNATURE.len() as u64) {
        Ok(text) if text == html::SIGNATURE.as_bytes() || text.is_empty() => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        _ => {
            let path = target.as_path().display();
            Err(io::Error::other(format!("{path}: it exists and is not a page of feedback")))
        }
    }
}

/// Named like Moodle's download, so that Moodle finds the student. Two students never have the same name.
fn unique_name(student: &Student, taken: &mut HashSet<String>) -> String {
    const LONGEST: usize = 120;
    const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];
    let is_unsafe = |letter: char| letter.is_control() || r#"/\:*?"<>|~"#.contains(letter);
    let name: String = composed(&student.name).chars().take(LONGEST).collect();
    let name = name.replace(is_unsafe, "_");
    let name = name.trim_start_matches(['.', '-', ' ']).trim_end_matches(['.', ' ']);
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let is_port = matches!(stem.strip_prefix("com").or(stem.strip_prefix("lpt")), Some(port) if port.len() == 1);
    let name = match name {
        "" => "student".to_owned(),
        name if is_port || RESERVED.contains(&&*stem) => format!("_{name}"),
        name => name.to_owned(),
    };
    let number = student.number.as_ref().map(|number| number.replace(is_unsafe, "_"));
    let ending = number.map_or(String::new(), |it| format!("_{it}_assignsubmission_file_"));
    let names = (1..).map(|nth| match nth {
        1 => format!("{name}{ending}"),
        nth => format!("{name} ({nth}){ending}"),
    });
    let mut names = names.filter(|name| taken.insert(name.to_lowercase()));
    names.next().unwrap_or_default()
}

/// What this student may know. It is built from nothing, so that what a report gets later is not in it.
pub fn student_report(report: &Report, student: &Student, hidden: &Hidden) -> Report {
    let folders: Vec<&str> = report.classes.iter().map(|class| &*class.folder).collect();
    let is_own = |row: &&SubmissionReport| student.submissions.contains(&row.name);
    let rows = report.submissions.iter().filter(is_own);
    let mut own = Report::default();
    for row in rows {
        let package = row.package.as_deref().map(Into::into);
        let event = student_result(row, &folders, hidden);
        own.add_event(&StampedEvent { at: Duration::ZERO, package, event });
    }
    let packages = report.session.packages.iter().map(|package| PackageReport {
        name: package.name.clone(),
        path: PathBuf::from(&package.name),
        title: package.title.clone(),
        limits: package.limits.as_ref().map(|limits| LimitsReport {
            run: limits.run.clone(),
            cpu_origin: "as set for these tests".to_owned(),
        }),
        ..PackageReport::default()
    });
    own.session.command.clone_from(&report.session.command);
    own.session.task = report.session.task;
    own.session.packages = packages.collect();
    let names = own.submissions.iter().map(|row| row.name.clone());
    let student = Student { submissions: names.collect(), ..student.clone() };
    own.classes = vec![Class { students: vec![student], ..Class::default() }];
    own
}

fn student_result(row: &SubmissionReport, folders: &[&str], hidden: &Hidden) -> Event {
    let below = |folder: &&str| row.name.strip_prefix(*folder)?.strip_prefix('/');
    let name = folders.iter().find_map(below);
    let name = name.or(row.name.rsplit('/').next()).unwrap_or_default();
    // The first part is the student's entry.
    let name = name.split_once('/').map_or(name, |(_, own)| own).to_owned();
    match &row.result {
        Ok(judged) => Event::SubmissionJudged(Box::new(student_judgement(judged, &name, hidden))),
        Err(fault) => Event::Failed { submission: Some(name), error: student_error(&fault.error) },
    }
}

fn student_judgement(judgement: &Judgement, name: &str, hidden: &Hidden) -> Judgement {
    let cases = judgement.cases.iter();
    let cases = cases.map(|case| {
        if hidden.hides(&case.test_case) { hidden_case(case) } else { visible_case(case) }
    });
    let compiler = judgement.compiler.clone();
    let compiler = compiler.map(|report| CompilerReport { outcome: None, ..report });
    Judgement {
        submission: name.to_owned(),
        path: PathBuf::from(name),
        verdict: judgement.verdict,
        cases: cases.collect::<Vec<_>>().into(),
        score: judgement.score.clone(),
        skipped: judgement.skipped,
        spared: judgement.spared,
        compiler,
        warnings: judgement.warnings.clone(),
        broken: Vec::new(),
    }
}

/// An exit code, a time or a size could tell a byte of the input, so none of them is here.
fn hidden_case(case: &CaseJudgement) -> CaseJudgement {
    let stderr = case.evidence.as_ref().map_or(&[][..], |evidence| &evidence.stderr);
    let is_crash = case.verdict == Verdict::RunTimeError;
    let place = is_crash.then(|| exception_place(stderr)).flatten();
    let is_accepted = case.verdict == Verdict::Accepted;
    CaseJudgement {
        cause: match place {
            _ if is_accepted => String::new(),
            Some((kind, Some(line))) => format!("{kind} (line {line})"),
            Some((kind, None)) => kind.to_owned(),
            None => "this test case is hidden".to_owned(),
        },
        score: case.score,
        is_compared: case.is_compared,
        ..CaseJudgement::new(&case.test_case, case.verdict)
    }
}

/// Without what only the teacher's machine has: paths, the line that repeats the run, the worker's name.
fn visible_case(case: &CaseJudgement) -> CaseJudgement {
    let evidence = case.evidence.as_deref().map(|evidence| Evidence {
        input_path: None,
        validator_stderr: Vec::new(),
        repeat: String::new(),
        kept: None,
        feedback: None,
        ..evidence.clone()
    });
    let outcome = case.outcome.clone();
    let outcome = outcome.map(|outcome| Outcome { worker: None, ran_at: None, ..outcome });
    CaseJudgement { evidence: evidence.map(Box::new), outcome, ..case.clone() }
}

/// What is missing in the student's folder is told, unless that names a path of the machine.
fn student_error(error: &JudgeError) -> JudgeError {
    let words = || error.reason.split(|letter: char| !letter.is_alphanumeric() && letter != '/');
    if error.is_no_program() && !words().any(|word| word.starts_with('/')) {
        return JudgeError::no_program(&error.reason);
    }
    let reason = "it could not be judged; ask who gave you this page";
    JudgeError { lacks: error.lacks.clone(), ..JudgeError::new("judge", reason) }
}

#[cfg(test)]
mod tests;
