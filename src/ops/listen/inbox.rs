//! The directory that gets a directory for each problem. Files get their names when they are complete.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::ops::listen::{ListenOptions, ReceivedProblem};
use juror_core::stop::{Remark, Stop};
use juror_core::text::{command_line, count};
use juror_packages::package::companion::CompanionProblem;
use juror_packages::package::companion::folder::{
    NewFile, SETTINGS, changed_folder, new_folder, received_url,
};
use juror_packages::package::companion::name::{directory_name, numbered_name};
use juror_packages::package::companion::request::{HttpStatus, Refusal};
use juror_sandbox::executor::scratch::make_scratch_in;

pub(super) struct Inbox {
    dir: PathBuf,
    template: Option<Template>,
    /// Whether it takes problems. Locked while one is written.
    is_open: Mutex<bool>,
}

struct Template {
    name: String,
    text: Vec<u8>,
    mode: u32,
}

/// Where a problem goes.
enum ProblemPlace {
    New(String),
    /// It came before, and the directory has these settings.
    Known {
        name: String,
        settings: String,
    },
}

impl Inbox {
    pub(super) fn open(options: &ListenOptions) -> Result<Self, Stop> {
        let dir = options.dir.clone();
        if !dir.is_dir() {
            let what = format!("{} is not a directory", dir.display());
            let make = command_line([Path::new("mkdir"), Path::new("-p"), &dir]);
            return Err(Stop::usage(Remark::with_help(what, format!("make it first: {make}"))));
        }
        let template = options.template.as_deref().map(Template::read).transpose();
        let template = template.map_err(|remark| Stop::usage(remark.about_option("--template")))?;
        Ok(Self { dir, template, is_open: Mutex::new(true) })
    }

    /// From now on, problems are refused.
    pub(super) fn close(&self) {
        *self.is_open.lock() = false;
    }

    pub(super) fn store(&self, problem: &CompanionProblem) -> Result<ReceivedProblem, Refusal> {
        let Some(base) = directory_name(&problem.name) else {
            let what = format!("nothing of the name {:?} can name a directory", problem.name);
            return Err(Refusal::new(HttpStatus::BadRequest, what));
        };
        let is_open = self.is_open.lock();
        if !*is_open {
            return Err(Refusal::new(HttpStatus::ServerError, "juror ends"));
        }
        let place = self.place(&base, &problem.url)?;
        let (name, written) = match &place {
            ProblemPlace::New(name) => (name, self.write_new(name, problem)),
            ProblemPlace::Known { name, settings } => (name, self.replace(name, settings, problem)),
        };
        written.map_err(|error| {
            let what = format!("cannot write {}: {error}", self.dir.join(name).display());
            Refusal::new(HttpStatus::ServerError, what)
        })?;
        Ok(self.describe(&place, problem))
    }

    /// The directory that the problem has already, or the first one of that name that is free.
    fn place(&self, base: &str, url: &str) -> Result<ProblemPlace, Refusal> {
        const MOST: usize = 1000;
        if let Some(known) = self.known_place(url).filter(|_| !url.is_empty()) {
            return Ok(known);
        }
        let mut names = (1..=MOST).map(|number| numbered_name(base, number));
        if let Some(name) = names.find(|name| self.dir.join(name).symlink_metadata().is_err()) {
            return Ok(ProblemPlace::New(name));
        }
        let what = format!("there are {MOST} directories called {base}: remove some");
        Err(Refusal::new(HttpStatus::ServerError, what))
    }

    /// Whatever its name is: some pages change theirs. A link is left out, since it may lead out of the directory.
    fn known_place(&self, url: &str) -> Option<ProblemPlace> {
        let entries = fs::read_dir(&self.dir).ok()?.flatten();
        let known =
            entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir())).filter_map(|it| {
                let settings = read_settings(&it.path())?;
                let is_same = received_url(&settings).as_deref() == Some(url);
                is_same.then_some((it.file_name().into_string().ok()?, settings))
            });
        known.min().map(|(name, settings)| ProblemPlace::Known { name, settings })
    }

    fn write_new(&self, name: &str, problem: &CompanionProblem) -> io::Result<()> {
        let staging = make_scratch_in(&self.dir, ".juror-listen-")?;
        let dir = staging.path().join("problem");
        fs::create_dir(&dir)?;
        for file in new_folder(problem) {
            fs::write(dir.join(file.name), file.text)?;
        }
        if let Some(template) = &self.template {
            let path = dir.join(&template.name);
            fs::write(&path, &template.text)?;
            fs::set_permissions(&path, Permissions::from_mode(template.mode))?;
        }
        fs::rename(&dir, self.dir.join(name))
    }

    /// Each file is replaced in one step.
    fn replace(&self, name: &str, settings: &str, problem: &CompanionProblem) -> io::Result<()> {
        let dir = self.dir.join(name);
        let entries = fs::read_dir(&dir)?.map(|entry| Ok(entry?.file_name()));
        let names = entries.collect::<io::Result<Vec<_>>>()?;
        let names: BTreeSet<String> =
            names.into_iter().map(|it| it.to_string_lossy().into_owned()).collect();
        let change = changed_folder(problem, settings, &names);
        let staging = make_scratch_in(&self.dir, ".juror-listen-")?;
        let staged = |file: &NewFile| staging.path().join(&file.name);
        for file in &change.write {
            fs::write(staged(file), &file.text)?;
        }
        for file in &change.write {
            fs::rename(staged(file), dir.join(&file.name))?;
        }
        change.remove.iter().try_for_each(|file| fs::remove_file(dir.join(file)))
    }

    fn describe(&self, place: &ProblemPlace, problem: &CompanionProblem) -> ReceivedProblem {
        let (name, is_new) = match place {
            ProblemPlace::New(name) => (name, true),
            ProblemPlace::Known { name, .. } => (name, false),
        };
        let tests = count(problem.tests.len(), "test");
        let facts = [
            Some(if is_new { tests } else { format!("{tests} replaced") }),
            problem.seconds().map(|time| format!("{time} s")),
            problem.mebibytes().map(|memory| format!("{memory} MiB")),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        // `./` in front of a name would only hide it.
        let dir =
            if self.dir == Path::new(".") { PathBuf::from(name) } else { self.dir.join(name) };
        let source = self.template.as_ref().map(|it| dir.join(&it.name));
        let source = source.filter(|it| it.exists()).unwrap_or_else(|| "SOURCE".into());
        ReceivedProblem {
            name: name.clone(),
            facts: facts.join(", "),
            command: command_line([Path::new("juror"), Path::new("judge"), &dir, &source]),
            remarks: problem.remarks(),
        }
    }
}

/// `None` if it has none, or something else in its place.
fn read_settings(dir: &Path) -> Option<String> {
    let path = dir.join(SETTINGS);
    path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
    fs::read_to_string(path).ok()
}

impl Template {
    fn read(path: &Path) -> Result<Self, Remark> {
        let shown = path.display();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_of_problem = |name: &str| {
            let is_test = [".in", ".out", ".ans"].iter().any(|ending| name.ends_with(ending));
            name == SETTINGS || is_test || name.starts_with(['-', '.'])
        };
        let Some(name) = name.filter(|name| !is_of_problem(name)) else {
            let what = format!("{shown} has no name for a source");
            return Err(Remark::with_help(
                what,
                "name it as each source shall be named, such as main.cpp",
            ));
        };
        let read = fs::read(path).and_then(|text| Ok((text, fs::metadata(path)?.permissions())));
        let (text, permissions) = read.map_err(|error| {
            Remark::with_help(format!("cannot read {shown}: {error}"), "give a source file")
        })?;
        Ok(Self { name: name.to_owned(), text, mode: permissions.mode() & 0o777 })
    }
}
