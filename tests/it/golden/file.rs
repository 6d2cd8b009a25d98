//! Holds what reporters make of recorded events against files in `tests/golden/`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use juror::model::event::{Event, Stamped};
use juror::model::merge;
use juror::report::style::{Listing, Style, Verbosity};
use juror::report::terminal::Terminal;
use juror::report::{Reporter, Reporters, json};
use serde_json::Value;

use super::schema;

/// A terminal of 80 cells without colour.
pub(super) const PLAIN: Style =
    Style { color: false, unicode: true, width: 80, verbosity: Verbosity::Normal };

pub(super) const WIDE: Style = Style { width: 120, ..PLAIN };

pub(super) const QUIET: Style = Style { verbosity: Verbosity::Quiet, ..PLAIN };

pub(super) const VERBOSE: Style = Style { verbosity: Verbosity::Verbose, ..PLAIN };

pub(super) const COLOR: Style = Style { color: true, ..PLAIN };

pub(super) const ASCII: Style = Style { unicode: false, ..PLAIN };

/// Feeds a stream to the terminal reporter and compares both its writers with one file.
pub(super) fn check(file: &str, style: Style, events: &[Stamped]) {
    check_listing(file, style, Listing::default(), events);
}

/// The same with a table that lists other submissions, or in another order.
pub(super) fn check_listing(file: &str, style: Style, listing: Listing, events: &[Stamped]) {
    let (out, err) = (Screen::default(), Screen::default());
    let mut terminal = Terminal::new(out.clone(), err.clone(), style);
    terminal.listing = listing;
    feed(Reporter::Live(Box::new(terminal)), events);
    let (out, err) = (out.text(), err.text());
    if !style.color {
        nothing_is_wider_than(style.width, file, &out);
        nothing_is_obeyed_by_a_terminal(file, &(out.clone() + &err));
    }
    compare(&format!("{file}.txt"), &format!("{out}======== standard error ========\n{err}"));
}

/// Feeds a stream to the terminal reporter whose writers are one, as on a screen.
pub(super) fn check_screen(file: &str, style: Style, events: &[Stamped]) {
    let screen = Screen::default();
    let terminal = Terminal::new(screen.clone(), screen.clone(), style);
    feed(Reporter::Live(Box::new(terminal)), events);
    compare(&format!("{file}.txt"), &screen.text());
}

/// Feeds a stream to a reporter.
pub(super) fn feed(reporter: Reporter<'_>, events: &[Stamped]) {
    let mut reporters = Reporters::new(vec![reporter]);
    events.iter().for_each(|event| reporters.event(event));
    assert!(reporters.failed().is_none(), "writing to memory cannot fail");
}

/// What standard output and standard error both write to.
#[derive(Clone, Default)]
pub(super) struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    pub(super) fn text(&self) -> String {
        let bytes = self.0.lock().expect("no thread panicked").clone();
        String::from_utf8(bytes).expect("a report is UTF-8")
    }
}

impl std::io::Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no thread panicked").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Lines of ours keep to the width. Three kinds may be longer, since cutting them would take away
/// what they are for: what is to be copied, names, and the line for each test case.
fn nothing_is_wider_than(width: usize, file: &str, text: &str) {
    for line in text.lines() {
        let may_be_long = ["repeat: ", "files: ", "feedback: ", "in full: "]
            .iter()
            .any(|start| line.trim_start().starts_with(start))
            || file.contains("quiet")
            || file.contains("verbose");
        let cells = line.chars().count();
        assert!(cells <= width || may_be_long, "{file}: {cells} cells: {line}");
    }
}

/// No text of a contestant gets a control byte through.
fn nothing_is_obeyed_by_a_terminal(file: &str, text: &str) {
    let obeyed = |character: &char| {
        (character.is_control() && *character != '\n')
            || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(text.chars().find(obeyed), None, "{file}");
}

/// The JSON document of a stream.
pub(super) fn document(events: &[Stamped]) -> String {
    let out = Screen::default();
    feed(Reporter::AtEnd(json::write, Box::new(out.clone())), events);
    out.text()
}

/// Compares the JSON document of a stream with a file, the version of juror masked.
pub(super) fn check_json(file: &str, events: &[Stamped]) {
    let version = format!("\"juror\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let text = document(events).replacen(&version, "\"juror\": \"VERSION\"", 1);
    schema::check(file, &text);
    told_again(file, events, &text);
    compare(&format!("{file}.json"), &text);
}

/// A report that is read and told again is the same but for its command line, what could not be read, and the order in
/// which packages and faults were named.
fn told_again(file: &str, events: &[Stamped], text: &str) {
    let Ok(report) = merge::Document::read(text.as_bytes()) else {
        let is_no_report = ["juror-doctor", "juror-cluster"].iter().any(|it| text.contains(it));
        return assert!(is_no_report, "{file}: cannot be read again");
    };
    let documents = [report];
    let Ok(name) = merge::command(&documents) else { return };
    let started = Event::Started { command: name, command_line: String::new() };
    let started = Stamped { event: started, ..events[0].clone() };
    let finished = Stamped { event: Event::Finished, ..events[events.len() - 1].clone() };
    let again = [vec![started], merge::events(&documents), vec![finished]].concat();
    let parsed = |text: &str| {
        let mut value: Value = serde_json::from_str(text).expect("JSON");
        let known = value.as_object_mut().expect("an object");
        for key in ["juror", "command_line", "mechanism", "shard"] {
            known.remove(key);
        }
        for key in ["diagnostics", "complaints"] {
            let mut lines: Vec<String> =
                known[key].as_array().into_iter().flatten().map(Value::to_string).collect();
            lines.sort();
            lines.dedup();
            known.insert(key.to_owned(), lines.into());
        }
        value
    };
    assert_eq!(parsed(&document(&again)), parsed(text), "{file}");
}

/// Compares a text with a golden file, or rewrites the file.
pub(crate) fn compare(file: &str, text: &str) {
    let path = root().join("tests/golden").join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("tests/golden/ can be written");
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        golden,
        text,
        "{} differs; read the new text, then run `UPDATE_GOLDEN=1 cargo test`",
        path.display()
    );
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}
