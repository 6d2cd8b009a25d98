//! Finds the submissions that a command names.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::door::files_beside::add_files_beside;
use juror_core::judgement::JudgeError;
use juror_core::language::fault::LaunchFault;
use juror_core::language::table::Language;
use juror_core::problem::{Problem, SubmittedContent};
use juror_core::program::{BuildVariant, Program, ProgramKind};
use juror_core::root::FilePath;
use juror_core::stop::{Remark, Stop};
use juror_core::submission::Submission;
use juror_core::text::{command_line, joined, path_text, printable, with_help};
use juror_judging::build::{Builder, PreparedProgram};
use juror_packages::package::archive::is_archive;
use juror_packages::package::suggest::paths_near;

pub fn named_submission(path: &Path, problem: &Problem) -> Result<Submission, Remark> {
    submission_in_role("submission", path, problem)
}

/// `role` is what messages call it, such as `reference`.
fn submission_in_role(role: &str, path: &Path, problem: &Problem) -> Result<Submission, Remark> {
    let mut own = problem.submissions.iter().filter(|own| Path::new(&own.name) == path);
    match (fs::canonicalize(path), own.next()) {
        // A name in the package, as in other commands.
        (Err(_), Some(own)) => Ok(Submission { expectations: Vec::new(), ..own.clone() }),
        (Ok(real), _) if is_archive(&real) => {
            let name = path.display();
            let what = format!("{role} {name} is an archive");
            Err(Remark::with_help(what, "unpack it and give the directory"))
        }
        (Ok(real), _) => Ok(submission_at(path, real, problem)),
        (Err(error), None) => {
            let name = path.display();
            Err(match (error.kind(), fs::symlink_metadata(path)) {
                (ErrorKind::NotFound, Ok(_)) => {
                    format!("{role} {name} is a broken symbolic link").into()
                }
                (ErrorKind::NotFound, Err(_)) => Remark::with_help(
                    format!("{role} not found: {name}"),
                    suggest_file(path, &problem.submissions),
                ),
                _ => format!("cannot read {role} {name}: {error}").into(),
            })
        }
    }
}

/// The same for a source of the command line, as its author builds it: with the files beside it that it needs.
pub fn local_submission(
    role: &str,
    path: &Path,
    problem: &Problem,
    variant: &BuildVariant,
) -> Result<Submission, Remark> {
    let mut submission = submission_in_role(role, path, problem)?;
    submission.program.set_variant(variant);
    add_files_beside(&mut submission.program, problem)?;
    Ok(submission)
}

/// Names the source of a program that nobody has built, else programs with a similar name: files, or these submissions
/// of a package.
pub fn suggest_file(path: &Path, submissions: &[Submission]) -> String {
    let own = || submissions.iter().map(|own| own.name.clone());
    match (suggest_source(path).or_else(|| near_programs(path, own())), own().next()) {
        (Some(help), _) => help,
        (None, Some(own)) => format!("give a path, or a name in the package such as `{own}`"),
        (None, None) => "give the path of a file or directory".to_owned(),
    }
}

/// For a file that does not exist: its source, else programs beside it with a similar name.
pub fn suggest_program(path: &Path) -> Option<String> {
    suggest_source(path).or_else(|| near_programs(path, []))
}

fn near_programs(path: &Path, further: impl IntoIterator<Item = String>) -> Option<String> {
    let known: Vec<String> = programs_beside(path).into_iter().chain(further).collect();
    paths_near(&path.to_string_lossy(), known.iter().map(String::as_str))
}

/// For a program that does not exist: the sources of the same name beside it; of `a.out`, all in C and C++.
pub fn suggest_source(program: &Path) -> Option<String> {
    const SHOWN: usize = 3;
    let found = sources_of(program);
    let shown = found.iter().take(SHOWN);
    let sources = joined(shown.map(|source| format!("`{}`", printable(source))), " or ");
    (!sources.is_empty()).then(|| format!("give the source, and juror builds it: {sources}"))
}

/// Those of a program that does not exist.
pub fn sources_of(program: &Path) -> Vec<String> {
    let ending = program.extension().map(|ending| ending.to_string_lossy());
    let is_built = ending.is_none_or(|end| ["out", "exe", "bin", "class", "jar"].contains(&&*end));
    if !is_built || program.exists() {
        return Vec::new();
    }
    let has_usual_name = program.file_name().is_some_and(|name| name == "a.out");
    let is_source = |file: &&String| {
        let file = Path::new(file.as_str());
        let is_namesake = file.file_stem() == program.file_stem();
        Language::of_file(file).is_some_and(|language| {
            if has_usual_name { ["c", "cpp"].contains(&language.code) } else { is_namesake }
        })
    };
    programs_beside(program).into_iter().filter(|file| is_source(&file)).collect()
}

/// The files beside a missing one that can be submissions, in order: sources, executables and directories.
fn programs_beside(path: &Path) -> Vec<String> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let files = fs::read_dir(parent.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let is_program = |path: &Path| {
        let starts = |file: fs::Metadata| file.is_dir() || file.permissions().mode() & 0o111 != 0;
        Language::of_file(path).is_some() || fs::metadata(path).is_ok_and(starts)
    };
    let programs = files.filter(|file| is_program(&file.path())).filter_map(|file| {
        let file = PathBuf::from(file.file_name());
        parent.map_or(file.clone(), |parent| parent.join(&file)).to_str().map(str::to_owned)
    });
    let mut programs: Vec<String> = programs.collect();
    programs.sort_unstable();
    programs
}

pub fn own_submission<'a>(path: &Path, problem: &'a Problem) -> Option<&'a Submission> {
    let real = fs::canonicalize(path).ok()?;
    let mut all = problem.submissions.iter();
    all.find(|entry| fs::canonicalize(entry.program.path.as_path()).is_ok_and(|path| path == real))
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
            SubmittedContent::Program | SubmittedContent::Function => Program {
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

/// A source with this text, which is in no file.
pub fn text_submission(name: &str, text: Option<String>, problem: &Problem) -> Submission {
    let program = Program {
        name: name.to_owned(),
        path: FilePath::root(name),
        text,
        include: problem.include.clone(),
        defines: problem.defines.clone(),
        ..Program::default()
    };
    Submission { name: name.to_owned(), program, expectations: Vec::new() }
}

/// A program that the user typed after `--`.
pub fn command_submission(words: &[OsString], variant: &BuildVariant) -> Submission {
    let program = words.first().map(PathBuf::from).unwrap_or_default();
    let mut program = outside_program(&program);
    program.set_variant(variant);
    Submission { name: command_line(words), program, expectations: Vec::new() }
}

pub fn prepare_command(words: &[OsString], builder: &Builder<'_>) -> Result<PreparedProgram, Stop> {
    builder.prepare_command(words, &current_directory()?).map_err(|error| match error {
        LaunchFault::Tool(missing) => Stop::Fault(missing.into()),
        error => {
            let help = words.first().and_then(|program| suggest_source(Path::new(program)));
            let error = with_help(&error.to_string(), help.as_deref());
            Stop::usage(format!("cannot start `{}`: {error}", command_line(words)))
        }
    })
}

pub fn current_directory() -> Result<PathBuf, JudgeError> {
    env::current_dir().map_err(|error| JudgeError::new("find the current directory", error))
}

pub fn outside_program(path: &Path) -> Program {
    Program {
        name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        path: FilePath::root(path),
        ..Program::default()
    }
}
