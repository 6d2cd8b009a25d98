//! Reads what a path of the command line holds: the work of one student, or the folder of a class.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::class::form::{Form, Recognition, StudentEntry, entry_name, recognise};
use crate::class::template::Template;
use crate::class::{self, StudentProgram};
use crate::door::submissions::submission_at;
use crate::ops::context::Context;
use crate::ops::judge::JudgeOptions;
use crate::ops::judge::update;
use juror_core::class::{Class, Student};
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::event::{Event, Note};
use juror_core::problem::Problem;
use juror_core::program::IncludedFile;
use juror_core::root::FilePath;
use juror_core::stop::{RefusalSubject, Remark, Stop, collect_diagnostics};
use juror_core::submission::Submission;
use juror_core::text::{count, path_text, short_list};
use juror_core::units::Bytes;
use juror_packages::package::archive::target::UnpackBounds;
use juror_packages::package::archive::{is_archive, unpack_within};
use std::ffi::OsStr;
use std::slice::from_ref;

/// Upper bound on what the archives of one student unpack to, and on the files of one student that are joined. All
/// students together have the bound of an archive.
const STUDENT_MAX: Bytes = Bytes::mib(512);

/// How many archives may be in each other.
const NESTED_ARCHIVES: usize = 2;

pub(super) struct ClassReader<'a> {
    pub options: &'a JudgeOptions,
    pub problem: &'a Problem,
    pub context: &'a Context,
    pub found: FoundClass,
    bytes_left: u64,
    /// The names of students in reports, with their first entries.
    labels: HashMap<String, PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct FoundClass {
    /// The names of submissions from classes, each with the reason if there is nothing to judge.
    pub members: BTreeMap<String, Option<Diagnostic>>,
    pub template: Template,
    /// The submissions of students that `--student` names.
    pub again: BTreeSet<String>,
    /// What to type for a submission that is named after its student.
    pub paths: HashMap<String, String>,
}

struct OpenedStudent {
    entry: StudentEntry,
    /// The name in reports.
    label: PathBuf,
    directory: FilePath,
    /// Why the work cannot be opened.
    fault: Option<Diagnostic>,
}

impl<'a> ClassReader<'a> {
    pub(super) fn new(
        options: &'a JudgeOptions,
        problem: &'a Problem,
        context: &'a Context,
    ) -> Result<Self, Stop> {
        let template = options.template.as_deref().map(Template::read).transpose();
        let template =
            template.map_err(|fault| Stop::from(fault).refused_for(RefusalSubject::CommandLine))?;
        let found = FoundClass { template: template.unwrap_or_default(), ..FoundClass::default() };
        let bytes_left = UnpackBounds::default().bytes;
        Ok(Self { options, problem, context, found, bytes_left, labels: HashMap::new() })
    }

    /// `is_one_of_many` if other paths are directories or archives, too.
    pub(super) fn read(
        &mut self,
        path: &Path,
        is_one_of_many: bool,
    ) -> Result<Vec<Submission>, Stop> {
        let Self { options, context, .. } = *self;
        let opened = context
            .open_submission(path)
            .map_err(|stop| stop.refused_for(RefusalSubject::CommandLine))?;
        let chosen = options.class_form.as_ref().or(options.names.as_ref());
        let entries = class::entries(&opened);
        let recognised = opened.is_dir().then(|| recognise(&opened, &entries, chosen));
        let refused = |remark: Remark| Stop::usage(remark.about_option(&path_text(path)));
        let recognised = recognised.transpose().map_err(refused)?.flatten();
        let is_folder = options.class || chosen.is_some() || recognised.is_some();
        let is_folder = opened.is_dir() && (is_folder || !class::is_program(&entries));
        let is_class = is_folder || is_one_of_many && opened.is_dir();
        // As the user would type it.
        let given = |entry: &Path| -> PathBuf {
            let rest = entry.strip_prefix(&opened).unwrap_or(Path::new(""));
            path.components().chain(rest.components()).collect()
        };
        let found = recognised.unwrap_or_else(|| {
            let entries = if is_folder { &entries } else { from_ref(&opened) };
            let student = |entry: &PathBuf| StudentEntry::of_path(entry, entry_name(&given(entry)));
            let students = entries.iter().map(student).collect();
            Recognition { form: Form::default(), students, strays: Vec::new() }
        });
        let is_plain = found.form.is_plain();
        let mut students = Vec::new();
        let mut joined = None;
        for entry in found.students {
            let first = given(&entry.files[0].0);
            let label = match options.submissions.len() {
                _ if is_plain => first.clone(),
                1 => PathBuf::from(&entry.label),
                _ => path.join(&entry.label),
            };
            let label = self.unique_label(label, first);
            let mut faults = Vec::new();
            let result = self.open_student(path, &label, &entry, &mut joined);
            let directory = collect_diagnostics(result, &mut faults)?;
            let directory = directory.unwrap_or_else(|| entry.files[0].0.clone());
            let fault = faults.into_iter().next();
            students.push(OpenedStudent {
                entry,
                label,
                directory: FilePath::root(directory),
                fault,
            });
        }
        if found.form.name == "github" && options.template.is_none() {
            let directories = students.iter().map(|student| &student.directory);
            self.found.template = Template::of_class(directories);
        }
        let mut read = Class {
            folder: path_text(path),
            form: found.form.name.to_owned(),
            template: self.found.template.names.iter().cloned().collect(),
            students: Vec::new(),
        };
        let mut submissions = Vec::new();
        for student in students {
            let own = self.submissions_of(path, &student, is_class);
            let names: Vec<String> = own.iter().map(|submission| submission.name.clone()).collect();
            let StudentEntry { name, number, late, files, .. } = student.entry;
            if !is_plain {
                let typed = match &files[..] {
                    [(only, _)] => path_text(&given(only)),
                    _ => path_text(path),
                };
                self.found.paths.extend(names.iter().map(|name| (name.clone(), typed.clone())));
            }
            read.students.push(Student { name, number, late, submissions: names });
            submissions.extend(own);
        }
        if is_class {
            let wanted = read.students.iter().filter(|one| update::is_wanted(options, one));
            let wanted = wanted.flat_map(|student| student.submissions.iter().cloned());
            self.found.again.extend(wanted);
            self.announce(path, read, &found.form, &found.strays);
        }
        Ok(submissions)
    }

    /// Adds a number, and says so, if another student has the name.
    fn unique_label(&mut self, label: PathBuf, entry: PathBuf) -> PathBuf {
        let mut shown = path_text(&label);
        let mut copies = 2..;
        // A path may be given twice.
        while self.labels.entry(shown.clone()).or_insert_with(|| entry.clone()) != &entry {
            shown = format!("{} [{}]", path_text(&label), copies.next().unwrap_or(0));
        }
        if copies.start == 2 {
            return label;
        }
        let help = format!("it is shown as {shown}; rename one of the two");
        let warning = Diagnostic::warning(&entry, "has the name of another student");
        self.context.send_diagnostics([warning.help(help)]);
        shown.into()
    }

    /// Joins and unpacks what a student handed in. `joined` is the directory for all who handed in single files.
    fn open_student(
        &mut self,
        folder: &Path,
        label: &Path,
        student: &StudentEntry,
        joined: &mut Option<PathBuf>,
    ) -> Result<PathBuf, Stop> {
        let context = self.context;
        let room = self.bytes_left.min(STUDENT_MAX.0);
        let mut bounds = UnpackBounds { bytes: room, ..UnpackBounds::default() };
        let directories = || student.files.iter().filter(|(path, _)| path.is_dir());
        let is_only = directories().count() == 1;
        let directory = directories().find(|(path, _)| is_only || class::has_program(path));
        let mut place = match (directory.or_else(|| directories().next()), &student.files[..]) {
            (Some((directory, _)), _) => directory.clone(),
            (None, [(only, name)]) if name.is_empty() || is_archive(only) => only.clone(),
            (None, files) => {
                let all = match joined {
                    Some(all) => all,
                    None => joined
                        .insert(context.unpack_submission(folder, |into| Ok(into.to_owned()))?),
                };
                let into = all.join(label.file_name().unwrap_or_default());
                for (path, name) in files {
                    let copied = copy_into(&into, path, name, &mut bounds.bytes);
                    copied.map_err(|error| {
                        let what = format!("cannot be read: {error}");
                        Diagnostic::error(path, what).help("keep the sources only")
                    })?;
                }
                into
            }
        };
        for _ in 0..NESTED_ARCHIVES {
            let own = || is_archive(&place).then(|| place.clone());
            let Some(packed) = class::packed_sources(&place)?.or_else(own) else { break };
            place = context
                .unpack_submission(&packed, |into| unpack_within(&packed, into, &mut bounds))?;
        }
        self.bytes_left -= room - bounds.bytes;
        Ok(place)
    }

    fn submissions_of(
        &mut self,
        path: &Path,
        student: &OpenedStudent,
        is_class: bool,
    ) -> Vec<Submission> {
        let Self { options, problem, context, .. } = *self;
        let OpenedStudent { label, directory, fault, .. } = student;
        let is_asked = is_class && options.build.language.is_none();
        let nothing = || class::nothing_to_judge(directory).filter(|_| is_asked);
        let fault = fault.clone().or_else(nothing);
        if let Some(mut fault) = fault {
            if let Some(name) =
                fault.place.path.file_name().filter(|_| fault.place.path != **directory)
            {
                fault.message = format!("{} {}", path_text(name.as_ref()), fault.message);
            }
            let submission = submission_at(label, fault.place.path.clone(), problem);
            if is_class {
                self.found.members.insert(submission.name.clone(), Some(fault));
            } else {
                context.send_diagnostics([Diagnostic { severity: Severity::Warning, ..fault }]);
            }
            return vec![submission];
        }
        let language = options.build.language.map(|language| language.code);
        let start = options.start.as_deref();
        let found = class::programs(directory, start, language, &self.found.template);
        if !is_class {
            context.send_diagnostics(class::mixed_folder_warning(path, &found));
        }
        let submission = |program| student_submission(program, label, directory, problem);
        let found: Vec<Submission> = found.into_iter().map(submission).collect();
        if is_class {
            let names = found.iter().map(|submission| (submission.name.clone(), None));
            self.found.members.extend(names);
        }
        found
    }

    /// Says how the folder was read, and what of it was not.
    fn announce(&self, path: &Path, read: Class, form: &Form, strays: &[String]) {
        const SHOWN: usize = 5;
        let context = self.context;
        let remark = |text: String| context.send_event(Event::Noted(Note::Remark(text)));
        if !form.is_plain() {
            let students = count(read.students.len(), "student");
            remark(format!("{} as {}: {students}", path.display(), form.source));
        }
        if !strays.is_empty() {
            let strays = short_list(strays, SHOWN);
            let what = format!("has entries that are no student's work: {strays}");
            let help = "--names or --class-form says how students are named";
            context.send_diagnostics([Diagnostic::warning(path, what).help(help)]);
        }
        if !read.template.is_empty() {
            let files = short_list(&read.template, SHOWN);
            remark(format!("of the template, and no student's work: {files}"));
        }
        context.send_event(Event::Noted(Note::Class(read)));
    }
}

/// `room` is the number of bytes that may still be written. If the student has two files of this name, the second one
/// keeps that of its entry.
fn copy_into(directory: &Path, file: &Path, name: &str, room: &mut u64) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let is_regular = fs::symlink_metadata(file)?.is_file();
    let source = if is_regular { File::open(file)? } else { Err(io::ErrorKind::InvalidInput)? };
    let full_name = file.file_name().unwrap_or_default();
    let mut target = File::create_new(directory.join(name))
        .or_else(|_| File::create_new(directory.join(full_name)))?;
    let copied = io::copy(&mut source.take(*room + 1), &mut target)?;
    *room = room.checked_sub(copied).ok_or(io::ErrorKind::FileTooLarge)?;
    Ok(())
}

fn student_submission(
    found: StudentProgram,
    student: &Path,
    directory: &FilePath,
    problem: &Problem,
) -> Submission {
    // `join` with an empty name would add a slash.
    let name: PathBuf = student.components().chain(found.name.components()).collect();
    let path = directory.with_real_root().unwrap_or_else(|_| directory.clone());
    let mut submission = submission_at(&name, path.to_path_buf(), problem);
    let program = &mut submission.program;
    if program.package.is_some() {
        return submission;
    }
    if *found.directory != *Path::new("") {
        program.path = path.join(&found.directory);
    }
    // A main program of the package starts, even if a student has one.
    program.entry_point = found.entry_point.filter(|entry| !has_main(&program.include, entry));
    program.without = found.files_of_others;
    submission
}

/// Whether one of these files is a main file in the same language, such as a grader.
fn has_main(files: &[IncludedFile], entry_point: &str) -> bool {
    let ending = Path::new(entry_point).extension();
    let is_main = |stem: &OsStr| stem.eq_ignore_ascii_case("main");
    let mut names = files.iter().map(|file| file.name.as_path());
    names.any(|name| name.extension() == ending && name.file_stem().is_some_and(is_main))
}
