//! Lists the mutants of a package's submissions, or writes one of them as a submission.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::model::event::Event;
use crate::model::judgement::JudgeError;
use crate::model::mutants::{ListedMutant, MutantListing};
use crate::model::problem::Problem;
use crate::model::stop::{Mend, Stop};
use crate::model::submission::Submission;
use crate::mutate::operator::Operator;
use crate::mutate::original::{Original, original};
use crate::mutate::{Mutant, mutants};
use crate::ops::submissions::named;
use crate::package::suggest::nearest;
use crate::stress::reference::is_accepted;

/// Which mutants to list.
#[derive(Clone, Debug, Default)]
pub struct MutantsOptions {
    /// The submission, instead of each accepted one.
    pub submission: Option<PathBuf>,
    /// Only these operators, if there are some.
    pub operators: Vec<Operator>,
    /// The only mutant, by its name.
    pub id: Option<String>,
    /// Where it is written.
    pub export: Option<PathBuf>,
    /// The seed that chooses the half of the operators to hold out.
    pub seed: u64,
}

/// Lists the mutants of a problem's submissions, and writes the one that is to be exported.
///
/// # Errors
/// If there are none, or one cannot be read or written.
pub fn list_mutants(
    problem: &Problem,
    options: &MutantsOptions,
    events: &dyn Fn(Event),
) -> Result<MutantListing, Stop> {
    let mut all = mutated(options.submission.as_deref(), problem)?;
    events(Event::package_read(problem, all.len(), problem.test_data.cases.len()));
    let ids: Vec<String> =
        all.iter().flat_map(|it| it.mutants.iter().map(|mutant| mutant.id.clone())).collect();
    let operators = &options.operators;
    for it in &mut all {
        it.mutants.retain(|mutant| {
            (operators.is_empty() || operators.contains(&mutant.operator))
                && options.id.as_ref().is_none_or(|id| mutant.id == *id)
        });
    }
    let Some(first) = all.iter().find(|it| !it.mutants.is_empty()) else {
        let submission = options.submission.as_ref().map(|_| &all[..]);
        return Err(nothing(options.id.as_deref(), &ids, submission));
    };
    let saved = match &options.export {
        Some(to) => Some(save(&first.original, &first.mutants[0], to)?),
        None => None,
    };
    let held_out = Operator::held_out(options.seed);
    let list =
        all.iter().flat_map(|it| it.mutants.iter().map(|mutant| listed(it, mutant, &held_out)));
    Ok(MutantListing {
        list: list.collect(),
        in_full: options.id.is_some(),
        saved: saved.map(|path| path.display().to_string()),
    })
}

/// A submission with its mutants.
struct Mutated {
    submission: Submission,
    original: Original,
    mutants: Vec<Mutant>,
}

/// The submissions with their mutants.
fn mutated(submission: Option<&Path>, problem: &Problem) -> Result<Vec<Mutated>, Stop> {
    let submissions = match submission {
        Some(path) => vec![named(path, problem).map_err(Stop::usage)?],
        None => problem.submissions.iter().filter(|it| is_accepted(it)).cloned().collect(),
    };
    let mut all = Vec::new();
    for submission in submissions {
        if let Some(original) = original(&submission.program)? {
            let mutants = mutants(original.language, &original.files);
            all.push(Mutated { submission, original, mutants });
        }
    }
    Ok(all)
}

/// The error that no mutant was selected. `named` is what was made of the submission that the user named.
fn nothing(wanted: Option<&str>, ids: &[String], named: Option<&[Mutated]>) -> Stop {
    const LANGUAGES: &str = "C, C++, Rust, Python or Java";
    let what = match wanted {
        Some(id) => {
            let near = nearest(id, ids.iter().map(String::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("there is no mutant `{id}`{near}; `juror mutants` lists them")
        }
        None if ids.is_empty() => match named {
            Some([]) => format!("this submission has no mutants; give one in {LANGUAGES}"),
            Some(_) => "this submission has no mutants: there is nothing to change in it, or it has more than 128 KiB; \
                        check that it builds"
                .to_owned(),
            None => format!("there are no mutants; add an accepted submission in {LANGUAGES}"),
        },
        None => "--operator selects no mutants; leave it out to see all".to_owned(),
    };
    Stop::Refused(Mend::Selection, vec![what.into()])
}

fn listed(of: &Mutated, mutant: &Mutant, held_out: &[Operator]) -> ListedMutant {
    let file = &of.original.files[mutant.file];
    let [lines_before, lines_after] = mutant.lines(&file.text);
    ListedMutant {
        submission: of.submission.name.clone(),
        id: mutant.id.clone(),
        operator: mutant.operator.name().to_owned(),
        mistake: mutant.operator.words().to_owned(),
        file: file.name.display().to_string(),
        line: mutant.line,
        column: mutant.column,
        before: mutant.before.clone(),
        after: mutant.after.clone(),
        lines_before,
        lines_after,
        held_out: held_out.contains(&mutant.operator),
    }
}

/// Writes a mutant: a program of one file as a new file, or in a directory that exists or whose path ends with a slash;
/// several files as a new directory.
fn save(original: &Original, mutant: &Mutant, to: &Path) -> Result<PathBuf, Stop> {
    let is_single = original.files.len() == 1;
    let is_directory = to.is_dir() || to.as_os_str().as_bytes().ends_with(b"/");
    let to =
        if is_single && is_directory { to.join(own_name(original, mutant)) } else { to.to_owned() };
    if to.exists() {
        let what = format!("{} already exists; give a new file or directory", to.display());
        return Err(Stop::usage(what));
    }
    for (place, file) in original.files.iter().enumerate() {
        let text = if place == mutant.file { mutant.apply(&file.text) } else { file.text.clone() };
        let path = if is_single { to.clone() } else { to.join(&file.name) };
        let fault = JudgeError::on("write", &path);
        let parent = path.parent().unwrap_or(Path::new(""));
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
        // Half a file would look like the mutant, and be in the way the next time.
        written.inspect_err(|_| drop(fs::remove_file(&path))).map_err(fault)?;
    }
    Ok(to)
}

/// The name of a file with the mutant's name in it; in Java the class name is unchanged.
fn own_name(original: &Original, mutant: &Mutant) -> PathBuf {
    let name = &original.files[0].name;
    if original.language == "java" {
        return name.clone();
    }
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = (part(name.file_stem()), part(name.extension()));
    PathBuf::from(format!("{stem}-{}.{ending}", mutant.id))
}
