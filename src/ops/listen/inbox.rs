//! The directory that gets a directory for each problem. Files get their names when they are complete.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::ops::listen::{ListenOptions, ReceivedProblem};
use juror_core::root::{FilePath, read_named};
use juror_core::stop::{Remark, Stop};
use juror_core::text::{command_line, count};
use juror_packages::package::companion::CompanionProblem;
use juror_packages::package::companion::LARGEST_BODY;
use juror_packages::package::companion::folder::{
    NewFile, SETTINGS, changed_folder, new_folder, received_url,
};
use juror_packages::package::companion::name::{directory_name, numbered_name};
use juror_packages::package::companion::request::{HttpStatus, Refusal};
use juror_sandbox::executor::scratch::make_scratch_in;

pub(super) struct Inbox {
    dir: FilePath,
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
struct ProblemPlace {
    name: String,
    /// What the directory has, if the problem came before.
    settings: Option<String>,
}

impl Inbox {
    pub(super) fn open(options: &ListenOptions) -> Result<Self, Stop> {
        let template = options.template.as_deref().map(Template::read).transpose();
        let template = template.map_err(|remark| Stop::usage(remark.about_option("--template")))?;
        let dir = FilePath::root(&*options.dir);
        fs::create_dir_all(&options.dir).map_err(|error| {
            let what = format!("cannot make the directory {}: {error}", dir.display());
            Stop::usage(Remark::with_help(what, "choose another"))
        })?;
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
        let written = match &place.settings {
            None => self.write_new(&place.name, problem),
            Some(settings) => self.replace(&place.name, settings, problem),
        };
        written.map_err(|error| {
            let what = format!("cannot write {}: {error}", self.dir.join(&place.name).display());
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
        if let Some(name) = names.find(|name| self.dir.join(name).is_missing()) {
            return Ok(ProblemPlace { name, settings: None });
        }
        let what = format!("there are {MOST} directories called {base}: remove some");
        Err(Refusal::new(HttpStatus::ServerError, what))
    }

    /// Whatever its name is: some pages change theirs.
    fn known_place(&self, url: &str) -> Option<ProblemPlace> {
        let known = self.dir.names().ok()?.into_iter().filter_map(|name| {
            let settings = read_settings(&self.dir.join(&name))?;
            let is_same = received_url(&settings).as_deref() == Some(url);
            let name = name.into_string().ok().filter(|_| is_same)?;
            Some(ProblemPlace { name, settings: Some(settings) })
        });
        known.min_by(|one, other| one.name.cmp(&other.name))
    }

    fn write_new(&self, name: &str, problem: &CompanionProblem) -> io::Result<()> {
        let staging = make_scratch_in(&self.dir, ".juror-listen-")?;
        let dir = staging.path().join("problem");
        for file in new_folder(problem) {
            dir.join(file.name).create()?.write_all(&file.text)?;
        }
        if let Some(template) = &self.template {
            let mut file = dir.join(&template.name).create()?;
            file.write_all(&template.text)?;
            file.set_permissions(Permissions::from_mode(template.mode))?;
        }
        dir.rename(&self.dir.join(name))
    }

    /// Each file is replaced in one step.
    fn replace(&self, name: &str, settings: &str, problem: &CompanionProblem) -> io::Result<()> {
        let dir = self.dir.join(name);
        let names = dir.names()?;
        let names: BTreeSet<String> =
            names.into_iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let change = changed_folder(problem, settings, &names).map_err(io::Error::other)?;
        let staging = make_scratch_in(&self.dir, ".juror-listen-")?;
        let staged = |file: &NewFile| staging.path().join(&file.name);
        for file in &change.write {
            staged(file).create()?.write_all(&file.text)?;
        }
        for file in &change.write {
            staged(file).rename(&dir.join(&file.name))?;
        }
        change.remove.iter().try_for_each(|file| dir.join(file).remove())
    }

    fn describe(&self, place: &ProblemPlace, problem: &CompanionProblem) -> ReceivedProblem {
        let ProblemPlace { name, settings } = place;
        let tests = count(problem.tests.len(), "test");
        let facts = [
            Some(if settings.is_none() { tests } else { format!("{tests} replaced") }),
            problem.seconds().map(|time| format!("{time} s")),
            problem.mebibytes().map(|memory| format!("{memory} MiB")),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        // `./` in front of a name would only hide it.
        let is_here = self.dir.as_path() == Path::new(".");
        let dir = if is_here { PathBuf::from(name) } else { self.dir.join(name).into() };
        let source = self.template.as_ref().map(|template| dir.join(&template.name));
        let source = source.filter(|source| source.exists()).unwrap_or_else(|| "SOURCE".into());
        ReceivedProblem {
            name: name.clone(),
            facts: facts.join(", "),
            command: command_line([Path::new("juror"), Path::new("judge"), &dir, &source]),
            remarks: problem.remarks(),
        }
    }
}

/// `None` if it has none, or something else in its place: a link may lead out.
fn read_settings(dir: &FilePath) -> Option<String> {
    let path = dir.join(SETTINGS);
    dir.link_metadata().ok().filter(fs::Metadata::is_dir)?;
    path.link_metadata().ok().filter(fs::Metadata::is_file)?;
    path.read_text(LARGEST_BODY as u64).ok()
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
        let read = read_named(path).and_then(|text| Ok((text, fs::metadata(path)?.permissions())));
        let (text, permissions) = read.map_err(|error| {
            Remark::with_help(format!("cannot read {shown}: {error}"), "give a source file")
        })?;
        Ok(Self { name: name.to_owned(), text, mode: permissions.mode() & 0o777 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const KEPT: &str = "[received]\nurl = \"u\"\ntests = [1, 2]\n";

    /// Another process exchanges something in the directory after the problem's place was found.
    fn check(exchange: &dyn Fn(&Path), is_written: bool) {
        let keep = tempfile::tempdir().unwrap();
        let (dir, outside) = (keep.path().join("box"), keep.path().join("outside"));
        for dir in [&dir.join("K"), &outside] {
            fs::create_dir_all(dir).unwrap();
            for name in ["1.in", "1.out", "2.in", "2.out"] {
                fs::write(dir.join(name), "precious").unwrap();
            }
            fs::write(dir.join(SETTINGS), KEPT).unwrap();
        }
        let options = ListenOptions { dir: dir.clone(), port: None, template: None };
        let inbox = Inbox::open(&options).unwrap();
        let json = br#"{"name": "K", "url": "u", "tests": [{"input": "new", "output": "new"}]}"#;
        let problem = CompanionProblem::parse(json).unwrap();
        let ProblemPlace { name, settings } = inbox.place("K", "u").unwrap();
        let settings = settings.expect("the problem came before");
        exchange(&dir);
        let written = inbox.replace(&name, &settings, &problem);
        assert_eq!(written.is_ok(), is_written, "{written:?}");
        let expected =
            ["1.in", "1.out", "2.in", "2.out"].map(|name| (name.to_owned(), "precious".to_owned()));
        let read = |name: &str| fs::read_to_string(outside.join(name)).unwrap();
        let found = expected.clone().map(|(name, _)| (name.clone(), read(&name)));
        assert_eq!(found, expected);
        assert_eq!(read(SETTINGS), KEPT);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 5);
        // Nor does a new problem go out.
        let place = inbox.write_new("L", &problem);
        assert!(place.is_ok(), "{place:?}");
        let left = fs::read_dir(&dir).unwrap().flatten();
        let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".juror"));
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn nothing_is_written_through_a_link_of_another_process() {
        check(&|_| (), true);
        let move_away = |dir: &Path| fs::rename(dir.join("K"), dir.join("old")).unwrap();
        for target in ["../outside", "/proc/self", "other/../../outside", "K"] {
            let exchange = |dir: &Path| {
                move_away(dir);
                fs::create_dir(dir.join("other")).unwrap();
                symlink(target, dir.join("K")).unwrap();
            };
            check(&exchange, false);
        }
        let absolute = |dir: &Path| {
            move_away(dir);
            symlink(dir.with_file_name("outside"), dir.join("K")).unwrap();
        };
        check(&absolute, false);
        // A link in place of a file is replaced or removed itself.
        for name in ["1.in", "2.in", SETTINGS] {
            let exchange = |dir: &Path| {
                fs::remove_file(dir.join("K").join(name)).unwrap();
                symlink(format!("../../outside/{name}"), dir.join("K").join(name)).unwrap();
            };
            check(&exchange, true);
        }
    }

    #[test]
    fn settings_that_lead_out_are_those_of_another_problem() {
        let keep = tempfile::tempdir().unwrap();
        fs::create_dir_all(keep.path().join("box/K")).unwrap();
        fs::write(keep.path().join("settings"), KEPT).unwrap();
        symlink("../../settings", keep.path().join("box/K").join(SETTINGS)).unwrap();
        let dir = keep.path().join("box");
        let inbox = Inbox::open(&ListenOptions { dir, port: None, template: None }).unwrap();
        let place = inbox.place("K", "u").unwrap();
        assert_eq!((place.name.as_str(), place.settings), ("K-2", None));
    }
}
