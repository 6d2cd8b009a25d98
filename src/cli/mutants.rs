//! `juror mutants`: right submissions with one mistake in each.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::exit_code::ExitCode;
use crate::cli::options::OutputOptions;
use crate::cli::output::{Output, command};
use crate::cli::problem::{self, Remarks};
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
use crate::package::formats;
use crate::package::suggest::nearest;
use crate::stress::reference::is_accepted;

/// Arguments of `juror mutants`.
#[derive(Debug, Args)]
pub struct MutantsArguments {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// A submission, by its path, or by its name in the package [default: each accepted one]
    pub submission: Option<PathBuf>,
    /// Only mutants of this operator; can be repeated
    #[arg(long, value_name = "OPERATOR", ignore_case = true,
          value_parser = PossibleValuesParser::new(Operator::RANKED.map(|(it, _)| it.name())))]
    pub operator: Vec<String>,
    /// Show the mutant with this name, with its lines
    #[arg(long, value_name = "ID")]
    pub show: Option<String>,
    /// Write the mutant with this name as a submission: a new file, or a directory
    #[arg(long, num_args = 2, value_names = ["ID", "FILE_OR_DIRECTORY"], requires = "submission",
          conflicts_with = "show")]
    pub export: Option<Vec<PathBuf>>,
    /// Seed that chooses the half of the operators to hold out
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Format of the package [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(formats()))]
    pub format: Option<String>,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Lists mutants, shows one, or writes one.
pub fn run(arguments: &MutantsArguments) -> ExitCode {
    command(&arguments.output, "mutants", |output| run_on(arguments, output))
}

/// A submission with its mutants.
struct Mutated {
    submission: Submission,
    original: Original,
    mutants: Vec<Mutant>,
}

fn run_on(arguments: &MutantsArguments, output: &Output) -> Result<(), Stop> {
    let problem =
        problem::read(&arguments.package, arguments.format.as_deref(), Remarks::Errors, output)?;
    let mut all = mutated(arguments, &problem)?;
    output.event(Event::package_read(&problem, all.len(), problem.test_data.cases.len()));
    let operators: Vec<Operator> =
        arguments.operator.iter().filter_map(|name| Operator::by_name(name)).collect();
    let export = arguments.export.as_deref();
    let wanted = arguments.show.clone().or_else(|| Some(export?[0].to_string_lossy().into_owned()));
    let ids: Vec<String> =
        all.iter().flat_map(|it| it.mutants.iter().map(|mutant| mutant.id.clone())).collect();
    for it in &mut all {
        it.mutants.retain(|mutant| {
            (operators.is_empty() || operators.contains(&mutant.operator))
                && wanted.as_ref().is_none_or(|id| mutant.id == *id)
        });
    }
    if all.iter().all(|it| it.mutants.is_empty()) {
        let submission = arguments.submission.as_ref().map(|_| &all[..]);
        return Err(nothing(wanted.as_deref(), &ids, submission));
    }
    let saved = match (export, all.iter().find(|it| !it.mutants.is_empty())) {
        (Some([_, to]), Some(it)) => Some(save(&it.original, &it.mutants[0], to)?),
        _ => None,
    };
    let held_out = Operator::held_out(arguments.seed);
    let list =
        all.iter().flat_map(|it| it.mutants.iter().map(|mutant| listed(it, mutant, &held_out)));
    let list = list.collect();
    let saved = saved.map(|path| path.display().to_string());
    let listing = MutantListing { list, in_full: wanted.is_some(), saved };
    output.event(Event::MutantsListed(Box::new(listing)));
    Ok(())
}

/// The submissions with their mutants.
fn mutated(arguments: &MutantsArguments, problem: &Problem) -> Result<Vec<Mutated>, Stop> {
    let submissions = match &arguments.submission {
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
    let part =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = (part(name.file_stem()), part(name.extension()));
    PathBuf::from(format!("{stem}-{}.{ending}", mutant.id))
}
