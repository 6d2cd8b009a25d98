//! Finds the submissions that a command names.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use juror_core::problem::{Problem, SubmittedContent};
use juror_core::program::{Program, ProgramKind};
use juror_core::root::FilePath;
use juror_core::stop::Remark;
use juror_core::submission::Submission;
use juror_core::text::path_text;
use juror_packages::package::archive::is_archive;
use juror_packages::package::suggest::paths_near;

pub fn named_submission(path: &Path, problem: &Problem) -> Result<Submission, Remark> {
    let mut own = problem.submissions.iter().filter(|own| Path::new(&own.name) == path);
    match (fs::canonicalize(path), own.next()) {
        // A name in the package, as in other commands.
        (Err(_), Some(own)) => Ok(Submission { expectations: Vec::new(), ..own.clone() }),
        (Ok(real), _) if is_archive(&real) => {
            let name = path.display();
            let what = format!("submission {name} is an archive");
            Err(Remark::with_help(what, "unpack it and give the directory"))
        }
        (Ok(real), _) => Ok(submission_at(path, real, problem)),
        (Err(error), None) => {
            let name = path.display();
            Err(match (error.kind(), fs::symlink_metadata(path)) {
                (ErrorKind::NotFound, Ok(_)) => {
                    format!("submission {name} is a broken symbolic link").into()
                }
                (ErrorKind::NotFound, Err(_)) => Remark::with_help(
                    format!("submission not found: {name}"),
                    suggest_submission(path, problem),
                ),
                _ => format!("cannot read submission {name}: {error}").into(),
            })
        }
    }
}

/// Names a file or a submission of the package with a similar name.
fn suggest_submission(path: &Path, problem: &Problem) -> String {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    let siblings = fs::read_dir(parent.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let siblings = siblings.filter_map(|file| {
        let file = PathBuf::from(file.file_name());
        parent.map_or(file.clone(), |parent| parent.join(&file)).to_str().map(str::to_owned)
    });
    let own = problem.submissions.iter().map(|own| own.name.clone());
    let known: Vec<String> = siblings.chain(own).collect();
    let near = paths_near(&path.to_string_lossy(), known.iter().map(String::as_str));
    match (near.is_empty(), problem.submissions.first()) {
        (false, _) => near,
        (true, Some(own)) => {
            format!("give a path, or a name in the package such as `{}`", own.name)
        }
        (true, None) => "give the path of a file or directory".to_owned(),
    }
}

pub fn own_submission<'a>(path: &Path, problem: &'a Problem) -> Option<&'a Submission> {
    let real = fs::canonicalize(path).ok()?;
    let mut all = problem.submissions.iter();
    all.find(|it| fs::canonicalize(it.program.path.as_path()).is_ok_and(|path| path == real))
}

/// Their names begin with `directory`.
pub fn own_submissions_below(directory: &Path, problem: &Problem) -> Vec<Submission> {
    let Ok(real) = fs::canonicalize(directory) else { return Vec::new() };
    let below = |own: &Submission| {
        let path = fs::canonicalize(own.program.path.as_path()).ok()?;
        let name = directory.join(path.strip_prefix(&real).ok()?);
        Some(submission_at(&name, path, problem))
    };
    problem.submissions.iter().filter_map(below).collect()
}

/// A submission of the package keeps the package's settings.
pub fn submission_at(path: &Path, real: PathBuf, problem: &Problem) -> Submission {
    let program = match own_submission(&real, problem) {
        Some(own) => own.program.clone(),
        None => match problem.kind.submitted {
            SubmittedContent::Program => Program {
                include: problem.include.clone(),
                defines: problem.defines.clone(),
                ..outside_program(&real)
            },
            SubmittedContent::Answers => {
                Program { kind: ProgramKind::Answers, ..outside_program(&real) }
            }
        },
    };
    Submission { name: path_text(path), program, expectations: Vec::new() }
}

pub fn outside_program(path: &Path) -> Program {
    Program {
        name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        path: FilePath::root(path),
        ..Program::default()
    }
}
