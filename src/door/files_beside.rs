//! The files that come along with a source of the command line: what it includes or imports from its own directory, and
//! the headers that `-I` finds. No directory is shown to a build: a hostile source could include any file of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use juror_core::language::includes::{HeaderDirectory, included_names};
use juror_core::language::table::Language;
use juror_core::language::toolchain::is_system;
use juror_core::problem::Problem;
use juror_core::program::Program;
use juror_core::root::FilePath;
use juror_core::stop::Remark;

/// What comes before a directory for headers, in the same word or as a word of its own.
const HEADER_OPTIONS: [&str; 4] = ["-iquote", "-isystem", "-idirafter", "-I"];

/// Holds the headers of directories that are not below the source's. No file of a program has such a name, because it
/// begins with a dot.
const HEADERS: &str = ".include";

/// Adds the files that a source given alone needs. Test data stays apart. Its flags get the places of the headers among
/// the files of the program.
pub fn add_files_beside(program: &mut Program, problem: &Problem) -> Result<(), Remark> {
    let is_in_root = program.path.parent() == Some(Path::new("/"));
    let is_of_package = problem.submissions.iter().any(|own| own.program.path == program.path);
    if is_of_package || is_in_root {
        return Ok(());
    }
    let directories = header_directories(&mut program.variant.flags, &program.path)?;
    let included = included_names(&program.path, &directories);
    if let Some(fault) = included.fault {
        return Err(fault);
    }
    let data = test_data(problem);
    for file in included.found {
        let is_given = program.include.iter().any(|other| other.name == file.name);
        if !is_given && !data.contains(&*file.path) {
            program.include.push(file);
        }
    }
    Ok(())
}

fn test_data(problem: &Problem) -> BTreeSet<PathBuf> {
    let Ok(root) = fs::canonicalize(problem.dir.as_path()) else { return BTreeSet::new() };
    let cases = problem.test_data.cases.iter();
    let files = cases.flat_map(|case| [Some(&case.input), case.answer.as_ref()]).flatten();
    files.filter_map(|file| Some(root.join(file.strip_prefix(&*problem.dir).ok()?))).collect()
}

/// Finds the directories for headers among words for a compiler of C or C++, and replaces each by its place among the
/// files of the program. The system's directories stay as they are: the compiler sees them.
pub fn header_directories(
    flags: &mut [String],
    source: &Path,
) -> Result<Vec<HeaderDirectory>, Remark> {
    let mut all = Vec::new();
    if !Language::of_file(source).is_some_and(Language::is_c_family) {
        return Ok(all);
    }
    let real = fs::canonicalize(source).unwrap_or_default();
    let beside = real.parent().unwrap_or(Path::new("/"));
    let mut is_place = false;
    for word in flags {
        let option = HEADER_OPTIONS.into_iter().find(|option| word.starts_with(option));
        let (option, typed) = match option {
            _ if is_place => ("", &**word),
            Some(option) => (option, &word[option.len()..]),
            None => continue,
        };
        is_place = typed.is_empty();
        if is_place {
            continue;
        }
        let refused = |what: &str| {
            let help = "name the directory of the headers, such as --flags=-I../lib";
            Remark::with_help(format!("--flags: {what}"), help)
        };
        let real = fs::canonicalize(typed);
        let real = real.map_err(|error| refused(&format!("cannot find {typed}: {error}")))?;
        let (below, outside) = (real.strip_prefix(beside).ok(), real.strip_prefix("/"));
        let name = match (below, outside) {
            (_, Ok(root)) if *root == *Path::new("") => {
                return Err(refused("-I/ would let the source include any file of this machine"));
            }
            _ if is_system(&real) => None,
            (Some(name), _) => Some(name.to_owned()),
            (None, outside) => Some(Path::new(HEADERS).join(outside.unwrap_or(&real))),
        };
        let place = match &name {
            None => real.to_string_lossy().into_owned(),
            Some(name) => Path::new(".").join(name).to_string_lossy().into_owned(),
        };
        *word = format!("{option}{place}");
        all.extend(name.map(|name| HeaderDirectory { path: FilePath::root(real), name }));
    }
    Ok(all)
}
