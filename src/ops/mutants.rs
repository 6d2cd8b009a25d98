//! Lists the mutants of a package's submissions, or writes one of them as a submission.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use schemars::JsonSchema;
use serde::Serialize;

use crate::door::submissions::named_submission;
use crate::ops::context::Context;
use crate::ops::operation::Operation;
use crate::ops::problem::{self, ShownDiagnostics};
use crate::report::result::CommandResult;
use crate::report::style::TextRole;
use crate::report::terminal::columns::TableCell;
use crate::report::terminal::page::Page;
use juror_core::event::Event;
use juror_core::judgement::JudgeError;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::submission::Submission;
use juror_core::text::{count, printable, visible};
use juror_data::faults::operator::Operator;
use juror_data::faults::original::{OriginalSource, read_original};
use juror_data::faults::{Mutant, mutants};
use juror_data::search::reference::accepted_submissions;
use juror_packages::package::format_names;
use juror_packages::package::suggest::nearest;

#[derive(Clone, Debug, Args)]
pub struct MutantsOptions {
    /// The problem package: a directory or an archive
    pub package: PathBuf,
    /// A submission, by its path, or by its name in the package [default: each accepted one]
    pub submission: Option<PathBuf>,
    /// Only mutants of this operator; can be repeated
    #[arg(long, value_name = "OPERATOR", ignore_case = true,
          value_parser = PossibleValuesParser::new(Operator::RANKED.map(|(operator, _)| operator.name()))
              .try_map(|name| Operator::by_name(&name).ok_or(name)))]
    pub operator: Vec<Operator>,
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
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(format_names()))]
    pub format: Option<String>,
}

/// The result of `juror mutants`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MutantListing {
    /// The mutants, by submission and line.
    pub list: Vec<ListedMutant>,
    /// Whether they are shown with their lines.
    pub in_full: bool,
    /// The file or directory of an exported mutant.
    pub saved: Option<String>,
}

/// A mutant of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedMutant {
    pub submission: String,
    /// Unique in the submission.
    pub id: String,
    /// The name of its operator.
    pub operator: String,
    /// What the operator does.
    pub mistake: String,
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The text before the change.
    pub before: String,
    /// The text after the change.
    pub after: String,
    /// The changed lines, before the change.
    pub lines_before: Vec<String>,
    /// The same lines, after the change.
    pub lines_after: Vec<String>,
    /// Whether its operator is held out.
    pub held_out: bool,
}

impl Operation for MutantsOptions {
    type Result = MutantListing;
    const NAME: &'static str = "mutants";

    /// Also writes the mutant that is to be exported.
    fn run(&self, context: &Context) -> Result<MutantListing, Stop> {
        let format = self.format.as_deref();
        let problem =
            problem::read_problem(&self.package, format, ShownDiagnostics::Errors, context)?;
        let mut all = mutate_submissions(self.submission.as_deref(), &problem)?;
        context.send_event(Event::package_read(&problem, all.len(), problem.test_data.cases.len()));
        let ids: Vec<String> = all
            .iter()
            .flat_map(|mutated| mutated.mutants.iter().map(|mutant| mutant.id.clone()))
            .collect();
        let (id, export) = self.chosen();
        for it in &mut all {
            it.mutants.retain(|mutant| {
                (self.operator.is_empty() || self.operator.contains(&mutant.operator))
                    && id.as_ref().is_none_or(|id| mutant.id == *id)
            });
        }
        let Some(first) = all.iter().find(|mutated| !mutated.mutants.is_empty()) else {
            let submission = self.submission.as_ref().map(|_| &all[..]);
            return Err(no_mutants_error(id.as_deref(), &ids, submission));
        };
        let saved = match export {
            Some(to) => Some(save_mutant(&first.original, &first.mutants[0], to)?),
            None => None,
        };
        let held_out = Operator::held_out(self.seed);
        let list = all.iter().flat_map(|mutated| {
            mutated.mutants.iter().map(|mutant| list_entry(mutated, mutant, &held_out))
        });
        Ok(MutantListing {
            list: list.collect(),
            in_full: id.is_some(),
            saved: saved.map(|path| path.display().to_string()),
        })
    }
}

impl MutantsOptions {
    /// The name of the mutant to show or to write, and where to write it.
    fn chosen(&self) -> (Option<String>, Option<&PathBuf>) {
        match self.export.as_deref() {
            Some([id, to]) => (Some(id.to_string_lossy().into_owned()), Some(to)),
            _ => (self.show.clone(), None),
        }
    }
}

struct MutatedSubmission {
    submission: Submission,
    original: OriginalSource,
    mutants: Vec<Mutant>,
}

fn mutate_submissions(
    submission: Option<&Path>,
    problem: &Problem,
) -> Result<Vec<MutatedSubmission>, Stop> {
    let submissions = match submission {
        Some(path) => vec![named_submission(path, problem).map_err(Stop::usage)?],
        None => accepted_submissions(problem).cloned().collect(),
    };
    let mut all = Vec::new();
    for submission in submissions {
        if let Some(original) = read_original(&submission.program)? {
            let mutants = mutants(original.language, &original.files);
            all.push(MutatedSubmission { submission, original, mutants });
        }
    }
    Ok(all)
}

/// `named` has the mutants of the submission that the user named.
fn no_mutants_error(
    name: Option<&str>,
    ids: &[String],
    named: Option<&[MutatedSubmission]>,
) -> Stop {
    const LANGUAGES: &str = "C, C++, Rust, Python or Java";
    let what = match name {
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
    Stop::Refused(RefusalSubject::Selection, vec![what.into()])
}

fn list_entry(of: &MutatedSubmission, mutant: &Mutant, held_out: &[Operator]) -> ListedMutant {
    let file = &of.original.files[mutant.file];
    let lines = mutant.lines(&file.text);
    let [lines_before, lines_after] = lines.map(|lines| lines.lines().map(str::to_owned).collect());
    ListedMutant {
        submission: of.submission.name.clone(),
        id: mutant.id.clone(),
        operator: mutant.operator.name().to_owned(),
        mistake: mutant.operator.description().to_owned(),
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

/// Writes a program of one file to a new file, or into a directory if `to` exists or ends with a slash. Writes
/// several files to a new directory.
fn save_mutant(original: &OriginalSource, mutant: &Mutant, to: &Path) -> Result<PathBuf, Stop> {
    let is_single = original.files.len() == 1;
    let is_directory = to.is_dir() || to.as_os_str().as_bytes().ends_with(b"/");
    let to = if is_single && is_directory {
        to.join(mutant_file_name(original, mutant))
    } else {
        to.to_owned()
    };
    if to.exists() {
        let what = format!("{} already exists; give a new file or directory", to.display());
        return Err(Stop::usage(what));
    }
    for (index, file) in original.files.iter().enumerate() {
        let text = if index == mutant.file { mutant.apply(&file.text) } else { file.text.clone() };
        let path =
            if is_single { FilePath::output(&to) } else { FilePath::root(&to).join(&file.name) };
        // Half a file would look like the mutant, and block the next attempt.
        let write =
            |mut new: File| new.write_all(text.as_bytes()).inspect_err(|_| drop(path.remove()));
        path.create().and_then(write).map_err(JudgeError::on_file("write", &path))?;
    }
    Ok(to)
}

/// Has the mutant's name in it, except in Java, where the class name is fixed.
fn mutant_file_name(original: &OriginalSource, mutant: &Mutant) -> PathBuf {
    let name = &original.files[0].name;
    if original.language == "java" {
        return name.clone();
    }
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = (part(name.file_stem()), part(name.extension()));
    PathBuf::from(format!("{stem}-{}.{ending}", mutant.id))
}

impl CommandResult for MutantListing {
    fn render(&self, page: &mut Page<'_>) {
        let style = page.style;
        for (at, mutants) in self.list.chunk_by(|a, b| a.submission == b.submission).enumerate() {
            if at > 0 {
                page.blank();
            }
            let submission = style.paint(TextRole::Title, &printable(&mutants[0].submission));
            if self.in_full {
                mutants.iter().for_each(|mutant| render_in_full(page, mutant));
            } else {
                page.line(0, &format!("{submission}  {}", count(mutants.len(), "mutant")));
                render_list(page, mutants);
            }
        }
        if let Some(saved) = &self.saved {
            page.line(0, &format!("saved: {}", printable(saved)));
        }
    }
}

fn render_list(page: &mut Page<'_>, mutants: &[ListedMutant]) {
    let arrow = if page.style.unicode { "→" } else { "->" };
    page.short_columns(mutants.iter().map(|mutant| {
        let [before, after] = [&mutant.before, &mutant.after].map(|text| match text.as_str() {
            "" => "nothing".to_owned(),
            text => format!("`{}`", visible(text.as_bytes())),
        });
        vec![
            TableCell::left(mutant.id.clone()),
            TableCell::right(format!("{}:{}", mutant.line, mutant.column)).with_look(TextRole::Dim),
            TableCell::left(format!("{before} {arrow} {after}")),
        ]
    }));
}

fn render_in_full(page: &mut Page<'_>, mutant: &ListedMutant) {
    let position =
        format!("{}, {}:{}:{}", mutant.submission, mutant.file, mutant.line, mutant.column);
    page.titled(0, &mutant.id, &format!("  {}", printable(&position)));
    page.line(0, &format!("the mutant {}", mutant.mistake));
    page.blank();
    page.edited(0, "-", TextRole::Expected, mutant.lines_before.iter().map(|line| &**line));
    page.edited(0, "+", TextRole::Actual, mutant.lines_after.iter().map(|line| &**line));
}
