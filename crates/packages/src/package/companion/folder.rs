//! A problem → the files of its directory, and what changes if it comes again.

use std::collections::BTreeSet;

use toml::de::DeTable;
use toml::{Table, Value};

use crate::package::companion::CompanionProblem;
use crate::package::files::is_valid_name;

pub const SETTINGS: &str = "juror.toml";

/// The beginning of what juror writes again if the problem comes again.
const RECEIVED: &str = "[received]";

pub struct NewFile {
    pub name: String,
    pub text: Vec<u8>,
}

impl NewFile {
    fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// How the files of a directory change.
pub struct FolderChange {
    pub write: Vec<NewFile>,
    pub remove: Vec<String>,
}

/// The files of a problem that comes for the first time.
pub fn new_folder(problem: &CompanionProblem) -> Vec<NewFile> {
    let numbers: Vec<u32> = (1..).take(problem.tests.len()).collect();
    let text = format!("{}{}", settings(problem), received(problem, &numbers));
    let mut files = vec![NewFile::new(SETTINGS, text)];
    files.extend(test_files(problem, &numbers));
    files
}

/// The address of the problem in a directory with these settings.
pub fn received_url(settings: &str) -> Option<String> {
    Some(received_table(settings)?.get("url")?.as_str()?.to_owned())
}

fn received_table(settings: &str) -> Option<Table> {
    match settings.parse::<Table>().ok()?.remove("received")? {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// Replaces the tests that came with the problem before. Other tests stay, and so do the other settings.
///
/// # Errors
/// If the settings cannot be changed, as a message.
pub fn changed_folder(
    problem: &CompanionProblem,
    settings: &str,
    names: &BTreeSet<String>,
) -> Result<FolderChange, String> {
    let old = received_table(settings).and_then(|table| table.get("tests")?.as_array().cloned());
    let number = |value: Value| u32::try_from(value.as_integer()?).ok().filter(|index| *index > 0);
    let old: BTreeSet<u32> = old.into_iter().flatten().filter_map(number).collect();
    let is_free = |number: &u32| {
        let prefix = format!("{number}.");
        !old.contains(number) && !names.iter().any(|name| name.starts_with(&prefix))
    };
    let numbers = old.iter().copied().chain((1..).filter(is_free));
    let numbers: Vec<u32> = numbers.take(problem.tests.len()).collect();
    let unused = old.iter().filter(|number| !numbers.contains(number));
    let remove = unused.flat_map(|number| test_names(*number));
    let text = without_received(settings).unwrap_or_default() + &received(problem, &numbers);
    if received_url(&text).as_ref() != Some(&problem.url) {
        let help = "write its `received` as one table [received], or remove it";
        return Err(format!("{SETTINGS} cannot be changed: {help}"));
    }
    let mut write = vec![NewFile::new(SETTINGS, text)];
    write.extend(test_files(problem, &numbers));
    Ok(FolderChange { write, remove: remove.filter(|name| names.contains(name)).collect() })
}

/// The settings without the table `received`, however it is written. Comments above the next table belong to that one.
fn without_received(settings: &str) -> Option<String> {
    let table = DeTable::parse(settings).ok()?;
    let line = |at: usize| settings[..at].rfind('\n').map_or(0, |end| end + 1);
    let keys = || table.get_ref().keys();
    let received = keys().find(|key| key.get_ref() == "received")?.span().start;
    let later = keys().map(|key| key.span().start).filter(|start| *start > received);
    let (start, mut end) = (line(received), later.min().map_or(settings.len(), line));
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if end < settings.len() {
        let lines = settings[start..end].split_inclusive('\n').rev();
        end -= lines.take_while(is_comment).map(str::len).sum::<usize>();
    }
    let mut rest = settings[..start].to_owned() + &settings[end..];
    if !rest.is_empty() && !rest.ends_with('\n') {
        rest.push('\n');
    }
    Some(rest)
}

/// Names with the endings that every reader of bare tests knows.
fn test_names(number: u32) -> [String; 2] {
    [format!("{number}.in"), format!("{number}.out")]
}

fn test_files(problem: &CompanionProblem, numbers: &[u32]) -> impl Iterator<Item = NewFile> {
    problem.tests.iter().zip(numbers).flat_map(|(test, number)| {
        let [input, output] = test_names(*number);
        [NewFile::new(input, &*test.input), NewFile::new(output, &*test.output)]
    })
}

/// The settings that the user may change.
fn settings(problem: &CompanionProblem) -> String {
    let mut text = String::new();
    let (time, memory) = (problem.seconds(), problem.mebibytes());
    if time.is_some() || memory.is_some() {
        text += "# In seconds and MiB.\n[limits]\n";
        text.extend(time.map(|time| format!("time_limit = {}\n", Value::from(time))));
        text.extend(memory.map(|memory| format!("memory = {memory}\n")));
        text.push('\n');
    }
    if let Some([input, output]) = problem.files() {
        text += &format!("[io]\ninput = \"{input}\"\noutput = \"{output}\"\n\n");
    }
    text
}

fn received(problem: &CompanionProblem, numbers: &[u32]) -> String {
    let [name, url] = [&problem.name, &problem.url].map(|text| Value::from(text.as_str()));
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let numbers = numbers.join(", ");
    format!(
        "{RECEIVED}\n# `juror listen` writes this table again if the problem comes again.\nname = {name}\nurl = {url}\ntests = [{numbers}]\n"
    )
}

impl CompanionProblem {
    /// The files that programs read and write, if juror can judge that.
    fn files(&self) -> Option<[&str; 2]> {
        let [Some(input), Some(output)] = [&self.input, &self.output] else { return None };
        let is_file = [input, output].iter().all(|stream| stream.kind == "file");
        let files = [input.file_name.as_deref()?, output.file_name.as_deref()?];
        let are_plain = files.iter().all(|name| is_valid_name(name)) && files[0] != files[1];
        (is_file && are_plain).then_some(files)
    }

    /// What of it juror does not judge as its judge does, in one line each.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.interactive {
            remarks.push(
                "the problem is interactive: these tests cannot judge it without its interactor"
                    .to_owned(),
            );
        }
        let reads_elsewhere = self.input.as_ref().is_some_and(|source| source.kind != "stdin");
        let writes_elsewhere = self.output.as_ref().is_some_and(|target| target.kind != "stdout");
        if (reads_elsewhere || writes_elsewhere) && self.files().is_none() {
            remarks.push(
                "juror cannot judge its input and output files: programs read standard input and write standard output"
                    .to_owned(),
            );
        }
        if self.tests.is_empty() {
            remarks.push("it came without tests: add 1.in and 1.out".to_owned());
        }
        remarks
    }
}
