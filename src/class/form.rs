//! The forms in which learning platforms give the work of a class. The names of its entries say whose they are.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use juror_core::root::FilePath;
use juror_core::stop::Remark;
use juror_core::text::{path_text, short_list};
use juror_packages::package::gradescope::{METADATA, submitters};
use regex::{Captures, Regex, escape};

use crate::class::{has_program, is_manifest, is_source};

#[derive(Clone, Debug)]
pub struct Form {
    pub name: &'static str,
    /// Who gives it so, for a person.
    pub source: &'static str,
    /// The name of an entry. Its groups are the `name` and the `number` of the student, a mark that the work is `late`,
    /// and the name that the student gave to the `file`, with its `ending`. `{PREFIX}` is what all names begin with, up
    /// to a dash. Empty if a student is an entry.
    entry: Cow<'static, str>,
    /// A file in each entry.
    mark: &'static str,
    /// A file beside the entries, which has the names.
    metadata: &'static str,
}

pub fn forms() -> [Form; 5] {
    [
        Form::new(
            "moodle",
            "Moodle gives it",
            r"^(?<name>.+?)_(?<number>\d+)_assignsubmission_(?:file|onlinetext)_(?<file>.*)$",
        ),
        Form::new(
            "canvas",
            "Canvas gives it",
            r"^(?<name>.+?)(?<late>(?i:_late))?_(?<number>\d+)_\d+_(?<file>.+?)(?:-\d+)?(?<ending>\.[^.]*)?$",
        ),
        Form {
            mark: ".git",
            ..Form::new("github", "GitHub Classroom gives it", "^{PREFIX}(?<name>.+)$")
        },
        Form {
            metadata: METADATA,
            ..Form::new("gradescope", "Gradescope gives it", r"^(?<name>submission_\d+)$")
        },
        Form::default(),
    ]
}

impl Default for Form {
    fn default() -> Self {
        Self::new("plain", "it is", "")
    }
}

impl Form {
    fn new(name: &'static str, source: &'static str, entry: &'static str) -> Self {
        Self { name, source, entry: Cow::Borrowed(entry), mark: "", metadata: "" }
    }

    pub fn by_name(name: &str) -> Option<Self> {
        forms().into_iter().find(|form| form.name == name)
    }

    /// With entries whose names a user describes.
    pub fn of_pattern(pattern: &Regex) -> Self {
        let entry = Cow::Owned(pattern.to_string());
        Self { entry, ..Self::new("names", "--names reads it", "") }
    }

    pub fn is_plain(&self) -> bool {
        self.entry.is_empty()
    }
}

#[derive(Clone, Debug, Default)]
pub struct StudentEntry {
    pub name: String,
    pub number: Option<String>,
    pub late: bool,
    /// In reports: the name, with the number if several have the name.
    pub label: String,
    /// What was handed in, each with the name that the student gave it; that is empty for the student's directory.
    pub files: Vec<(PathBuf, String)>,
}

impl StudentEntry {
    /// The whole entry is the student's work.
    pub fn of_path(path: &Path, name: String) -> Self {
        let files = vec![(path.to_owned(), String::new())];
        Self { label: name.clone(), name, files, ..Self::default() }
    }
}

#[derive(Debug)]
pub struct Recognition {
    pub form: Form,
    pub students: Vec<StudentEntry>,
    /// Other entries.
    pub strays: Vec<String>,
}

/// The form of most entries, or the chosen one. `None` if the folder is plain.
///
/// # Errors
/// If no entry has the chosen form.
pub fn recognise(
    folder: &Path,
    entries: &[PathBuf],
    chosen: Option<&Form>,
) -> Result<Option<Recognition>, Remark> {
    const SHOWN: usize = 3;
    let is_program =
        entries.iter().any(|path| is_manifest(path) || is_source(path) && !path.is_dir());
    let candidates = chosen.map_or_else(|| forms().to_vec(), |form| vec![form.clone()]);
    for form in candidates.iter().filter(|form| !form.is_plain()) {
        let is_possible = folder.join(form.metadata).exists()
            && (form.mark.is_empty() || !is_program && entries.len() > 1);
        let Ok(pattern) = Regex::new(&form.entry.replace("{PREFIX}", &prefix(form, entries)))
        else {
            continue;
        };
        if chosen.is_some() || is_possible {
            let (read, [matching, others]) =
                read_as(form, &pattern, folder, entries, chosen.is_some());
            if matching > others || chosen.is_some() && matching > 0 {
                return Ok(Some(read));
            }
        }
    }
    let Some(form) = chosen.filter(|form| !form.is_plain()) else { return Ok(None) };
    let fitting = recognise(folder, entries, None)?.map_or("plain", |found| found.form.name);
    let names: Vec<String> = entries.iter().map(|path| entry_name(path)).collect();
    let names = if names.is_empty() { "nothing".to_owned() } else { short_list(&names, SHOWN) };
    let what = format!("has no entry in the form `{}`, but {names}", form.name);
    let help = format!("--class-form {fitting} fits; --names describes other names");
    Err(Remark::with_help(what, help))
}

pub fn entry_name(path: &Path) -> String {
    path_text(path.file_name().unwrap_or_default().as_ref())
}

/// What the names of all entries with the form's mark begin with, up to a dash, as a pattern.
fn prefix(form: &Form, entries: &[PathBuf]) -> String {
    let directories = || entries.iter().filter(|path| path.is_dir());
    let marked: Vec<_> = directories().filter(|path| path.join(form.mark).exists()).collect();
    // If the user names the form, there may be no marks.
    let marked = if marked.is_empty() { directories().collect() } else { marked };
    let names: Vec<String> = marked.into_iter().map(|path| entry_name(path)).collect();
    let Some(first) = names.first() else { return String::new() };
    let mut ends = first.rmatch_indices('-').map(|(dash, _)| &first[..=dash]);
    let is_common =
        |start: &&str| names.iter().all(|name| name.len() > start.len() && name.starts_with(start));
    ends.find(is_common).map(escape).unwrap_or_default()
}

/// Also returns how many entries have such names, and how many have others. Those with a program are students, too.
fn read_as(
    form: &Form,
    pattern: &Regex,
    folder: &Path,
    entries: &[PathBuf],
    is_chosen: bool,
) -> (Recognition, [usize; 2]) {
    let people = match form.metadata {
        "" => BTreeMap::new(),
        name => submitters(&FilePath::root(folder).join(name)),
    };
    let has_files = pattern.capture_names().flatten().any(|group| group == "file");
    let mut found = Recognition { form: form.clone(), students: Vec::new(), strays: Vec::new() };
    // What an entry has beside the name: a student has no two that are the same.
    let mut rests: HashSet<(usize, String)> = HashSet::new();
    let mut students: HashMap<(String, Option<String>), Vec<usize>> = HashMap::new();
    let (mut matching, mut others) = (0, 0);
    for path in entries {
        let entry = entry_name(path);
        if entry == form.metadata {
            continue;
        }
        let is_marked =
            form.mark.is_empty() || path.is_dir() && (is_chosen || path.join(form.mark).exists());
        let Some(groups) = pattern.captures(&entry).filter(|_| is_marked) else {
            others += 1;
            if has_program(path) || is_source(path) {
                found.students.push(StudentEntry::of_path(path, entry));
            } else {
                found.strays.push(entry);
            }
            continue;
        };
        matching += 1;
        let group = |name: &str| groups.name(name).map(|group| group.as_str());
        let (mut name, mut number) =
            (group("name").unwrap_or(&entry).to_owned(), group("number").map(str::to_owned));
        if let Some([names, numbers]) = people.get(&entry).filter(|[names, _]| !names.is_empty()) {
            (name, number) = (names.clone(), Some(numbers.clone()).filter(|it| !it.is_empty()));
        }
        let name = clean_name(&name).unwrap_or_else(|| entry.clone());
        let file = ["file", "ending"].map(|part| group(part).unwrap_or_default()).concat();
        let (key, rest) = ((name, number), without_name(&entry, &groups));
        let own = students.entry(key.clone()).or_default();
        let is_free = |at: &&usize| has_files && !rests.contains(&(**at, rest.clone()));
        let at = own.iter().find(is_free).copied().unwrap_or_else(|| {
            let (name, number) = key;
            own.push(found.students.len());
            found.students.push(StudentEntry { name, number, ..StudentEntry::default() });
            found.students.len() - 1
        });
        rests.insert((at, rest));
        found.students[at].late |= group("late").is_some();
        found.students[at].files.push((path.clone(), file));
    }
    let mut times: HashMap<String, usize> = HashMap::new();
    found.students.iter().for_each(|student| *times.entry(student.name.clone()).or_default() += 1);
    for StudentEntry { name, number, label, .. } in &mut found.students {
        let number = number.as_ref().filter(|_| times[name] > 1);
        *label = number.map_or(name.clone(), |number| format!("{name} ({number})"));
    }
    (found, [matching, others])
}

/// As it can be shown, and be the name of a file.
fn clean_name(name: &str) -> Option<String> {
    let is_bad = |letter: char| letter == '/' || letter.is_control();
    let name = name.trim().trim_start_matches('.').replace(is_bad, "_");
    (!name.is_empty()).then_some(name)
}

fn without_name(entry: &str, groups: &Captures<'_>) -> String {
    let name = groups.name("name").map_or(0..0, |name| name.range());
    format!("{}{}", &entry[..name.start], &entry[name.end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Entries with a slash at the end are directories; the students are `label=files`, `!` marks late ones.
    fn check(entries: &[&str], chosen: Option<&Form>, expected: Option<(&str, &[&str])>) {
        let keep = tempfile::tempdir().expect("a directory");
        for entry in entries {
            let (entry, text) = entry.split_once('=').unwrap_or((entry, ""));
            let path = keep.path().join(entry);
            if entry.ends_with('/') {
                fs::create_dir_all(path).expect("a directory");
            } else {
                fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
                fs::write(path, text).expect("a file");
            }
        }
        let all = fs::read_dir(keep.path()).expect("a directory").flatten();
        let mut all: Vec<PathBuf> = all.map(|entry| entry.path()).collect();
        all.sort();
        let found =
            recognise(keep.path(), &all, chosen).expect("entries in the form").map(|found| {
                let show = |student: &StudentEntry| {
                    let files: Vec<&str> = student.files.iter().map(|(_, name)| &**name).collect();
                    let mark = |is_so: bool, mark: &str| {
                        if is_so { mark.to_owned() } else { String::new() }
                    };
                    let number = student.number.as_deref().unwrap_or("-");
                    let marks = mark(student.late, "!");
                    format!("{}|{number}{marks}={}", student.label, files.join(","))
                };
                (found.form.name, found.students.iter().map(show).collect::<Vec<_>>())
            });
        let expected = expected.map(|(form, students)| {
            (form, students.iter().map(|student| (*student).to_owned()).collect::<Vec<_>>())
        });
        assert_eq!(found, expected, "{entries:?}");
    }

    #[test]
    fn a_form_is_told_by_the_names_of_most_entries() {
        let check = |entries: &[&str], form: &str, students: &[&str]| {
            check(entries, None, Some((form, students)));
        };
        let file = "_assignsubmission_file_";
        check(
            &[
                &format!("Anna M\u{fc}ller_1{file}/a.py"),
                "Anna M\u{fc}ller_1_assignsubmission_onlinetext_/onlinetext.html",
                &format!("Bo von_Au_2{file}/"),
                "marks.csv",
            ],
            "moodle",
            &["Anna M\u{fc}ller|1=,", "Bo von_Au|2="],
        );
        check(
            &[
                &format!("Anna_1{file}a.py"),
                &format!("Anna_1{file}b.py"),
                &format!("Anna_2{file}a.py"),
            ],
            "moodle",
            &["Anna (1)|1=a.py,b.py", "Anna (2)|2=a.py"],
        );
        check(
            &[
                "annb_LATE_1_7_a-1.py",
                "annb_1_8_b.tar.gz",
                "c_2_9_x-2.py",
                "c_2_8_x-1.py",
                "d_3_1_Makefile",
            ],
            "canvas",
            &["annb|1!=b.tar.gz,a.py", "c|2=x.py,x.py", "d|3=Makefile"],
        );
        check(
            &["hw-1-ann/.git/x", "hw-1-bo-b/.git", "hw-1-bo-c/.git", "other/a.py", "README"],
            "github",
            &["ann|-=", "bo-b|-=", "bo-c|-=", "other|-="],
        );
        let people = "---\nsubmission_1:\n  :submitters:\n  - :name: Bo\n    :sid: '07'\n  - :name: A/C\n    :sid: '8'\nsubmission_2:\n  :submitters:\n  - :name: Bo\n";
        check(
            &[&format!("{METADATA}={people}"), "submission_1/", "submission_2/", "submission_3/"],
            "gradescope",
            &["Bo, A_C|07, 8=", "Bo|-=", "submission_3|-="],
        );
    }

    #[test]
    fn two_of_one_name_and_number_stay_apart() {
        let check = |entries: &[&str], students: &[&str]| {
            check(entries, None, Some(("moodle", students)));
        };
        let entry = |name: &str| format!("{name}_1_assignsubmission_file_/");
        let [apart, one] = ["Jo\u{308}rg", "J\u{f6}rg"].map(entry);
        check(&[&apart, &one], &["J\u{f6}rg (1)|1=", "J\u{f6}rg (1)|1="]);
        check(&[&entry("ANNA"), &entry("anna")], &["ANNA|1=", "anna|1="]);
    }

    #[test]
    fn other_folders_are_plain_unless_a_user_says_more() {
        let plain = |entries: &[&str]| check(entries, None, None);
        plain(&["anna/a.py", "bert/a.py"]);
        plain(&["a_1_2_b.py", "x.py", "y.py"]);
        plain(&["submission_1/a.py", "submission_2/a.py"]);
        plain(&["main.py", "a/.git/x", "b/.git/x"]);
        plain(&[]);
        let names = Regex::new("^(?<number>[0-9]+) (?<name>.*)$").expect("a regex");
        let choice = Form::of_pattern(&names);
        check(&["12 Anna/", "x/", "y/"], Some(&choice), Some(("names", &["Anna|12="])));
        let choice = Form::by_name("github");
        check(&["a/", "b/"], choice.as_ref(), Some(("github", &["a|-=", "b|-="])));
    }
}
