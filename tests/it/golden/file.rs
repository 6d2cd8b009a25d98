//! Compares what reporters make of recorded events with the snapshots in `tests/snapshots/`.

use std::sync::{Arc, Mutex};

use juror::ops::context::Context;
use juror::ops::merge::merge;
use juror::report::document::Report;
use juror::report::result::write_absent;
use juror::report::style::{Style, TableListing, Verbosity};
use juror::report::terminal::Terminal;
use juror::report::{Reporter, Reporters};
use juror_core::event::{CommandTask, Event, StampedEvent};
use juror_core::exit_code::ExitCode;
use serde_json::Value;

use super::record::{EventSource, exit_code};
use super::{keys, schema};
use crate::tidy::root;

/// 80 cells, no colour.
pub(super) const PLAIN: Style =
    Style { color: false, unicode: true, width: 80, verbosity: Verbosity::Normal };

pub(super) const WIDE: Style = Style { width: 120, ..PLAIN };

pub(super) const QUIET: Style = Style { verbosity: Verbosity::Quiet, ..PLAIN };

pub(super) const VERBOSE: Style = Style { verbosity: Verbosity::Verbose, ..PLAIN };

pub(super) const COLOR: Style = Style { color: true, ..PLAIN };

pub(super) const ASCII: Style = Style { unicode: false, ..PLAIN };

/// Gives the events to the terminal reporter, and compares both its writers with one snapshot.
pub(super) fn check(file: &str, style: Style, source: &impl EventSource) {
    check_listing(file, style, TableListing::default(), source);
}

/// With another filter or order of the table.
pub(super) fn check_listing(
    file: &str,
    style: Style,
    listing: TableListing,
    source: &impl EventSource,
) {
    let (out, err) = (SharedWriter::default(), SharedWriter::default());
    let mut terminal = Terminal::new(out.clone(), err.clone(), style);
    terminal.listing = listing;
    feed(Reporter::Live(Box::new(terminal)), source);
    let (out, err) = (out.text(), err.text());
    if !style.color {
        check_width(style.width, file, &out);
        check_control_characters(file, &(out.clone() + &err));
    }
    check_snapshot(
        &format!("{file}.txt"),
        &format!("{out}======== standard error ========\n{err}"),
    );
}

/// Both writers of the terminal reporter are the same, as on a screen.
pub(super) fn check_screen(file: &str, style: Style, source: &impl EventSource) {
    let screen = SharedWriter::default();
    let terminal = Terminal::new(screen.clone(), screen.clone(), style);
    feed(Reporter::Live(Box::new(terminal)), source);
    check_snapshot(&format!("{file}.txt"), &screen.text());
}

pub(super) fn feed(reporter: Reporter<'_>, source: &impl EventSource) {
    let mut reporters = Reporters::new(vec![reporter]);
    feed_all(&mut reporters, source);
    reporters.finish(source.result());
    assert!(reporters.first_error().is_none(), "writing to memory cannot fail");
}

/// As in a command, the result comes before the last event.
fn feed_all(reporters: &mut Reporters<'_>, source: &impl EventSource) {
    let (last, others) = source.events().split_last().expect("an end");
    others.iter().for_each(|event| reporters.show_event(event));
    if let Some(result) = source.result() {
        reporters.show_result(result);
    }
    reporters.show_event(last);
}

/// Standard output and standard error write to the same buffer.
#[derive(Clone, Default)]
pub(super) struct SharedWriter(Arc<Mutex<Vec<u8>>>);

impl SharedWriter {
    pub(super) fn text(&self) -> String {
        let bytes = self.0.lock().expect("no thread panicked").clone();
        String::from_utf8(bytes).expect("a report is UTF-8")
    }
}

impl std::io::Write for SharedWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no thread panicked").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Lines keep to the width. Text to copy, names, and the line of each test case may be longer, since they would be
/// useless if shortened.
fn check_width(width: usize, file: &str, text: &str) {
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

/// Control bytes in a contestant's text must not reach the terminal.
fn check_control_characters(file: &str, text: &str) {
    let obeyed = |character: &char| {
        (character.is_control() && *character != '\n')
            || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(text.chars().find(obeyed), None, "{file}");
}

pub(super) fn json_document(source: &impl EventSource) -> String {
    write_reports(source, |report, out| source.result().unwrap_or(&()).write(report, out))
}

fn write_reports(
    source: &impl EventSource,
    write: impl FnOnce(&Report, &mut Vec<u8>) -> std::io::Result<()>,
) -> String {
    let mut reporters = Reporters::default();
    feed_all(&mut reporters, source);
    let mut out = Vec::new();
    write(reporters.report(), &mut out).expect("writing to memory cannot fail");
    String::from_utf8(out).expect("a document is UTF-8")
}

/// Masks the version of juror.
pub(super) fn check_json(file: &str, source: &impl EventSource) {
    let version = format!("\"juror\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let text = json_document(source).replacen(&version, "\"juror\": \"VERSION\"", 1);
    let known = keys::document_keys(&text);
    let absent = write_reports(source, |report, out| write_absent(report, out));
    assert!(keys::document_keys(&absent).is_subset(&known), "{file}: without a result");
    schema::check(file, source, &text);
    check_merged(file, source);
    check_snapshot(&format!("{file}.json"), &text);
}

/// `merge` of a single command's events gives the same report, except for keys that a merged command does not have,
/// and for the order of diagnostics.
fn check_merged(file: &str, source: &impl EventSource) {
    let events = source.events();
    if !matches!(&events[0].event, Event::Started { task, .. } if *task != CommandTask::Other) {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("events");
    let lines = events.iter().map(|event| serde_json::to_string(event).expect("JSON") + "\n");
    std::fs::write(&path, lines.collect::<String>()).expect("a file");
    let merged = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&merged);
    let context = Context::new(move |stamped| {
        sink.lock().expect("no thread panicked").push(stamped.clone());
    });
    merge(&[path], &context).unwrap_or_else(|stop| panic!("{file}: {stop:?}"));
    context.finish();
    let mut again: Vec<StampedEvent> = merged.lock().expect("no thread panicked").clone();
    again.last_mut().expect("an end").at = events[events.len() - 1].at;
    let ended = match events[events.len() - 1].event {
        Event::Finished { ended, .. } => ended,
        _ => ExitCode::Success,
    };
    let alone = Context::new(|_| ());
    alone.add_exit_code(ended);
    assert_eq!(exit_code(&again, &context), exit_code(events, &alone), "{file}");
    let parsed = |text: &str| {
        let mut value: Value = serde_json::from_str(text).expect("JSON");
        let known = value.as_object_mut().expect("an object");
        for key in ["command_line", "shard"] {
            known.remove(key);
        }
        for key in ["diagnostics", "complaints"] {
            let lines = known[key].as_array().into_iter().flatten();
            let mut lines: Vec<String> = lines.map(Value::to_string).collect();
            lines.sort();
            lines.dedup();
            known.insert(key.to_owned(), lines.into());
        }
        value
    };
    let (again, once) = (parsed(&json_document(&again)), parsed(&json_document(&events.to_vec())));
    for (key, value) in once.as_object().expect("an object") {
        assert_eq!(again.get(key), Some(value), "{file}: {key}");
    }
}

/// Compares a text with the snapshot of this name. All snapshots have these settings.
pub(crate) fn check_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(root().join("tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
