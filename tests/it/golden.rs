//! Everything a user sees, compared with files in `tests/golden/`.
//!
//! Recorded runs are fed to each reporter. `UPDATE_GOLDEN=1 cargo test` rewrites the files;
//! the reviewer reads the difference.

mod compared;
mod converted;
mod created;
mod doctor;
mod grammar;
mod judged;
mod packages;
mod proposals;
mod recipes;
mod record;
mod schema;
mod scores;
mod searches;
mod validators;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use juror::cli::exit_code::ExitCode;
use juror::model::event::{Event, Stamped};
use juror::model::merge;
use juror::report::style::{Listing, Only, Order, Style, Surroundings, Verbosity};
use juror::report::terminal::Terminal;
use juror::report::{Reporter, Reporters, csv, json};

use serde_json::Value;

use crate::{live, wire};

/// A terminal of 80 cells without colour.
const PLAIN: Style = Style { color: false, unicode: true, width: 80, verbosity: Verbosity::Normal };

const WIDE: Style = Style { width: 120, ..PLAIN };

const QUIET: Style = Style { verbosity: Verbosity::Quiet, ..PLAIN };

const VERBOSE: Style = Style { verbosity: Verbosity::Verbose, ..PLAIN };

const COLOR: Style = Style { color: true, ..PLAIN };

const ASCII: Style = Style { unicode: false, ..PLAIN };

/// Feeds a stream to the terminal reporter and compares both its writers with one file.
fn check(file: &str, style: Style, events: &[Stamped]) {
    check_listing(file, style, Listing::default(), events);
}

/// The same with a table that lists other submissions, or in another order.
fn check_listing(file: &str, style: Style, listing: Listing, events: &[Stamped]) {
    let (out, err) = (Screen::default(), Screen::default());
    let terminal = Terminal::new(out.clone(), err.clone(), style).with_listing(listing);
    feed(Reporter::Live(Box::new(terminal)), events);
    let (out, err) = (out.text(), err.text());
    if !style.color {
        nothing_is_wider_than(style.width, file, &out);
        nothing_is_obeyed_by_a_terminal(file, &(out.clone() + &err));
    }
    compare(&format!("{file}.txt"), &format!("{out}======== standard error ========\n{err}"));
}

/// Feeds a stream to the terminal reporter whose writers are one, as on a screen.
fn check_screen(file: &str, style: Style, events: &[Stamped]) {
    let screen = Screen::default();
    let terminal = Terminal::new(screen.clone(), screen.clone(), style);
    feed(Reporter::Live(Box::new(terminal)), events);
    compare(&format!("{file}.txt"), &screen.text());
}

/// Feeds a stream to a reporter.
fn feed(reporter: Reporter<'_>, events: &[Stamped]) {
    let mut reporters = Reporters::new(vec![reporter]);
    events.iter().for_each(|event| reporters.event(event));
    assert!(reporters.failed().is_none(), "writing to memory cannot fail");
}

/// What standard output and standard error both write to.
#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    fn text(&self) -> String {
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
        let may_be_long = ["repeat: ", "files: ", "feedback: ", "all of it: "]
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
fn document(events: &[Stamped]) -> String {
    let out = Screen::default();
    feed(Reporter::AtEnd(json::write, Box::new(out.clone())), events);
    out.text()
}

/// Compares the JSON document of a stream with a file, the version of juror masked.
fn check_json(file: &str, events: &[Stamped]) {
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
        return assert!(text.contains("juror-doctor"), "{file}: cannot be read again");
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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

#[test]
fn judging_shows_verdict_cause_and_first_difference() {
    let events = judged::accepted_and_wrong();
    check("judge", PLAIN, &events);
    check("judge-wide", WIDE, &events);
    check("judge-color", COLOR, &events);
    check("judge-ascii", ASCII, &events);
    check("judge-quiet", QUIET, &events);
    check("judge-verbose", VERBOSE, &events);
    check_json("judge", &events);
}

#[test]
fn many_submissions_are_a_table_that_fits_the_width() {
    let events = judged::class();
    for width in [60, 80, 160] {
        check(&format!("class-{width}"), Style { width, ..PLAIN }, &events);
        let events = scores::judge();
        check(&format!("class-scores-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("class-color", COLOR, &events);
    check("class-quiet", QUIET, &events);
    let listed = |file: &str, order, only| {
        check_listing(file, PLAIN, Listing { order, only }, &events);
    };
    listed("class-by-name", Order::Name, None);
    listed("class-by-verdict", Order::Verdict, None);
    listed("class-failed", Order::Time, Some(Only::Failed));
    check_listing(
        "verify-unexpected",
        PLAIN,
        Listing { order: Order::Surprise, only: Some(Only::Unexpected) },
        &judged::verify(),
    );
}

#[test]
fn a_class_is_a_table_of_points_that_names_copies() {
    let events = judged::folder();
    for width in [60, 80, 160] {
        check(&format!("folder-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("folder-quiet", QUIET, &events);
    check_json("folder", &events);
    let out = Screen::default();
    feed(Reporter::AtEnd(csv::write, Box::new(out.clone())), &events);
    compare("folder.csv", &out.text());
}

#[test]
fn terminals_pipes_and_files_are_told_apart() {
    let terminal = Surroundings {
        out_is_terminal: true,
        err_is_terminal: true,
        term: "xterm-256color".to_owned(),
        locale: "de_DE.UTF-8".to_owned(),
        width: Some(80),
        ..Surroundings::default()
    };
    let check = |name: &str, around: Surroundings, style: Style, can_redraw: bool| {
        assert_eq!((around.style(Verbosity::Normal), around.can_redraw()), (style, can_redraw));
        check(&format!("place-{name}"), around.style(Verbosity::Normal), &judged::class());
    };
    let (color, none) = (Style { color: true, ..PLAIN }, Surroundings::default());
    check("terminal", terminal.clone(), color, true);
    check("ci", Surroundings { ci: true, ..terminal.clone() }, color, false);
    check("no-color", Surroundings { no_color: true, ..terminal.clone() }, PLAIN, true);
    check("dumb", Surroundings { term: "dumb".to_owned(), ..terminal.clone() }, PLAIN, false);
    check(
        "ascii",
        Surroundings { locale: "C".to_owned(), ..terminal.clone() },
        Style { unicode: false, ..color },
        true,
    );
    let piped = Surroundings { out_is_terminal: false, ..terminal };
    check("piped", piped, PLAIN, true);
    check("file", none, Style { width: 100, ..PLAIN }, false);
}

#[test]
fn one_submission_that_failed_is_shown_in_full() {
    let events = judged::one();
    for width in [60, 80, 160] {
        check(&format!("one-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("one-ascii", ASCII, &events);
    check("one-quiet", QUIET, &events);
}

#[test]
fn each_kind_of_difference_is_shown_in_its_own_way() {
    let events = judged::differences();
    check("differences-verbose", VERBOSE, &events);
    check("differences-verbose-wide", Style { width: 120, ..VERBOSE }, &events);
    check("differences-verbose-ascii", Style { unicode: false, ..VERBOSE }, &events);
    check_json("differences", &events);
}

#[test]
fn a_compile_error_shows_the_first_errors() {
    let events = judged::compile_error();
    check("compile-error", PLAIN, &events);
    check("compile-error-verbose", VERBOSE, &events);
    check("compile-error-quiet", QUIET, &events);
    check_json("compile-error", &events);
}

#[test]
fn passed_limits_and_crashes_say_which_and_how() {
    let events = judged::limits_and_crashes();
    check("limits", PLAIN, &events);
    check("limits-wide", WIDE, &events);
    check("limits-verbose", VERBOSE, &events);
    check("limits-quiet", QUIET, &events);
    check_json("limits", &events);
}

#[test]
fn a_judge_error_never_looks_like_a_verdict() {
    let events = judged::judge_error();
    check("judge-error", PLAIN, &events);
    check("judge-error-color", COLOR, &events);
    check("judge-error-quiet", QUIET, &events);
    check_json("judge-error", &events);
    for line in document(&events).lines() {
        assert!(!line.contains("\"verdict\": \""), "a verdict without a judgement: {line}");
    }
}

#[test]
fn a_report_is_the_same_where_jobs_travel_as_bytes() {
    let fixture = live::fixture();
    fixture.write("crash.sh", "read -r a b; echo lost >&2; exit 3\n");
    let line = "judge @sum @sum/submissions/accepted/right.sh @crash.sh --jobs 1";
    let by = |around| {
        let events = record::record_around(around, &fixture, line, ExitCode::Rejected);
        document(&events)
    };
    assert_eq!(by(Some(wire::around)), by(None));
}

#[test]
fn what_was_said_is_shown_with_its_times() {
    let events = validators::live();
    check("live-verbose", VERBOSE, &events);
    check("live-quiet", QUIET, &events);
    check_json("live", &events);
}

#[test]
fn an_output_validator_says_why_and_its_faults_are_none_of_the_submission() {
    let events = validators::judge();
    check("validator-verbose", VERBOSE, &events);
    check("validator-quiet", QUIET, &events);
    check_json("validator", &events);
}

#[test]
fn scores_are_shown_by_group() {
    let events = scores::judge();
    check("scores", PLAIN, &events);
    check("scores-verbose", VERBOSE, &events);
    check("scores-color", COLOR, &events);
    check("scores-quiet", QUIET, &events);
    check_json("scores", &events);
    check("scores-selected", PLAIN, &scores::selected());
    let events = scores::verify();
    check("scores-verify", PLAIN, &events);
    check("scores-verify-wide", WIDE, &events);
    check("scores-verify-quiet", QUIET, &events);
}

#[test]
fn verifying_shows_a_table_and_broken_expectations() {
    let events = judged::verify();
    check("verify", PLAIN, &events);
    check("verify-wide", WIDE, &events);
    check("verify-color", Style { color: true, ..WIDE }, &events);
    check("verify-quiet", QUIET, &events);
    check("verify-verbose", VERBOSE, &events);
    check_json("verify", &events);
    check("verify-good", PLAIN, &judged::verify_good());
    let events = judged::spared();
    check("verify-spared", PLAIN, &events);
    check("verify-spared-verbose", VERBOSE, &events);
    check_json("verify-spared", &events);
}

#[test]
fn a_search_shows_the_input_and_how_it_was_found() {
    let events = searches::found();
    check("stress", PLAIN, &events);
    check("stress-ascii", ASCII, &events);
    check("stress-color", COLOR, &events);
    check("stress-quiet", QUIET, &events);
    check_json("stress", &events);
    check("stress-flaky", PLAIN, &searches::flaky());
    check("stress-live", PLAIN, &searches::live());
    check_json("stress-live", &searches::live());
    let events = searches::nothing();
    check("stress-nothing", PLAIN, &events);
    check("stress-nothing-quiet", QUIET, &events);
    check_json("stress-nothing", &events);
    check("stress-interrupted", PLAIN, &searches::interrupted());
}

#[test]
fn diagnostics_show_the_line_and_the_way_out() {
    let events = judged::diagnostics();
    check("diagnostics", PLAIN, &events);
    check("diagnostics-ascii", ASCII, &events);
    check("diagnostics-color", COLOR, &events);
    check("diagnostics-quiet", QUIET, &events);
    check_json("diagnostics", &events);
}

#[test]
fn generating_counts_and_lists_on_request() {
    let events = recipes::written();
    check("generate", PLAIN, &events);
    check("generate-verbose", VERBOSE, &events);
    check("generate-quiet", QUIET, &events);
    check_json("generate", &events);
    let events = recipes::checked();
    check("generate-check", PLAIN, &events);
    check_json("generate-check", &events);
}

#[test]
fn cases_from_a_grammar_are_listed_with_what_they_are_for() {
    let events = proposals::added();
    check("from-grammar", PLAIN, &events);
    check("from-grammar-wide", WIDE, &events);
    check("from-grammar-quiet", QUIET, &events);
    check_json("from-grammar", &events);
    let events = proposals::nothing();
    check("from-grammar-nothing", PLAIN, &events);
    check("from-grammar-nothing-verbose", VERBOSE, &events);
}

#[test]
fn an_interrupted_command_says_what_is_not_done() {
    let events = judged::judge_interrupted();
    check("interrupted", PLAIN, &events);
    check("interrupted-quiet", QUIET, &events);
    check_json("interrupted", &events);
    check("interrupted-generate", PLAIN, &recipes::interrupted());
}

#[test]
fn each_package_is_told_to_its_end_before_the_next_begins() {
    let events = judged::packages();
    check("packages", PLAIN, &events);
    check_screen("packages-screen", PLAIN, &events);
    check_screen("packages-verbose-screen", VERBOSE, &events);
    check("packages-quiet", QUIET, &events);
    check_json("packages", &events);
    check_screen("verify-screen", PLAIN, &judged::verify());
    let events = judged::packages_interrupted();
    check("packages-interrupted", PLAIN, &events);
    check_json("packages-interrupted", &events);
    let events = packages::no_host();
    check("packages-no-host", PLAIN, &events);
    check_json("packages-no-host", &events);
    let events = recipes::packages();
    check("packages-generated", PLAIN, &events);
    check_screen("packages-generated-screen", PLAIN, &events);
    check("packages-generated-quiet", QUIET, &events);
    check_json("packages-generated", &events);
}

#[test]
fn every_fault_of_a_recipe_is_shown_with_its_line() {
    let events = recipes::faults();
    check("recipe-faults", PLAIN, &events);
    check_json("recipe-faults", &events);
}

#[test]
fn converting_names_what_has_no_equivalent() {
    let events = converted::legacy();
    check("convert", PLAIN, &events);
    check("convert-quiet", QUIET, &events);
    check_json("convert", &events);
    check("convert-equal", PLAIN, &converted::equal());
}

#[test]
fn a_new_package_is_told_with_its_files_and_the_next_steps() {
    let events = created::game();
    check("new", PLAIN, &events);
    check("new-quiet", QUIET, &events);
    check_json("new", &events);
}

#[test]
fn one_run_is_told_with_all_that_it_wrote() {
    let events = created::run(false);
    check("run", PLAIN, &events);
    check_json("run", &events);
    check("run-by-hand", PLAIN, &created::played());
    // Standard output is for another program.
    let (out, err) = (Screen::default(), Screen::default());
    let terminal = Terminal::new(out.clone(), err.clone(), PLAIN);
    feed(Reporter::Live(Box::new(terminal)), &created::run(true));
    assert_eq!(out.text(), "one\n\x1b[31mtwo\tx");
    compare("run-raw.txt", &err.text());
}

#[test]
fn a_package_is_shown_as_a_tree() {
    let events = created::listing(false);
    check("show", PLAIN, &events);
    check("show-color", COLOR, &events);
    check("show-case", PLAIN, &created::listing(true));
    check_json("show-case", &created::listing(true));
}

#[test]
fn comparing_says_right_or_wrong_and_where() {
    let events = compared::right();
    check("compare-right", PLAIN, &events);
    check("compare-right-quiet", QUIET, &events);
    check_json("compare-right", &events);
    let events = compared::wrong();
    check("compare-wrong", PLAIN, &events);
    check("compare-wrong-color", COLOR, &events);
    check("compare-wrong-quiet", QUIET, &events);
    check_json("compare-wrong", &events);
    let events = compared::number();
    check("compare-number", PLAIN, &events);
    check_json("compare-number", &events);
}

/// Objects that come in several places: the end of the path of each, and the name that the page gives it.
const SHARED: [(&str, &str); 25] = [
    ("comparison.difference.", "submissions[].test_cases[].difference."),
    ("comparison.evidence.", "submissions[].test_cases[].evidence."),
    ("submissions[].error.", "judge_errors[]."),
    ("submissions[].compiler.outcome.", "submissions[].test_cases[]."),
    (".difference.answer.", "side."),
    (".difference.output.", "side."),
    ("side.token.", "excerpt."),
    ("side.window.", "excerpt."),
    (".transcript.", "transcript."),
    ("transcript.first[].", "line."),
    ("transcript.last[].", "line."),
    ("line.line.", "text."),
    (".files[].contents.", "text."),
    ("file.contents.", "text."),
    ("run.stdout.", "text."),
    ("run.stderr.", "text."),
    (".messages.", "text."),
    (".evidence.input.", "text."),
    (".evidence.answer.", "text."),
    (".evidence.output.", "text."),
    (".evidence.stdout.", "text."),
    (".stderr.", "text."),
    (".validator_stderr.", "text."),
    ("grammar.bounds[].min.", "bound."),
    ("grammar.bounds[].max.", "bound."),
];

/// The types of each key, by its path, such as `submissions[].test_cases[].cpu_seconds`.
type Keys = BTreeMap<String, BTreeSet<String>>;

/// Adds the keys of a value, with their types.
fn find_keys(value: &serde_json::Value, path: &str, found: &mut Keys) {
    if !path.is_empty() && !path.ends_with(']') {
        let mut path = path.to_owned();
        for (place, name) in SHARED {
            if let Some((_, rest)) = path.split_once(place) {
                path = format!("{name}{rest}");
            }
        }
        found.entry(path).or_default().insert(kind(value).to_owned());
    }
    match value {
        serde_json::Value::Object(object) => {
            for (key, value) in object {
                let dot = if path.is_empty() { "" } else { "." };
                find_keys(value, &format!("{path}{dot}{key}"), found);
            }
        }
        serde_json::Value::Array(values) => {
            for value in values {
                find_keys(value, &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}

/// The type of a value as the document calls it.
fn kind(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Number(number) if number.is_f64() => "number",
        serde_json::Value::Number(_) => "integer",
        serde_json::Value::String(_) => "text",
        serde_json::Value::Array(_) => "list",
        serde_json::Value::Object(_) => "object",
    }
}

/// The keys that a page tells, with their types. A heading that ends with the name of an object, such as
/// ``## Package: `packages[]` ``, says whose keys follow.
fn told_keys(page: &str) -> Keys {
    let document = std::fs::read_to_string(root().join(page)).expect(page);
    let mut told = Keys::new();
    let mut object = String::new();
    for line in document.lines() {
        if line.starts_with("## ") || line.starts_with("### ") {
            let name = line.strip_suffix('`').and_then(|line| line.rsplit_once('`'));
            object = name.map(|(_, name)| format!("{name}.")).unwrap_or_default();
        }
        let row = line.strip_prefix("| `").and_then(|row| row.split_once("` | "));
        let Some((key, (types, _))) =
            row.and_then(|(key, rest)| Some((key, rest.split_once(" | ")?)))
        else {
            continue;
        };
        let types = types.split(" or ").map(str::to_owned).collect();
        let twice = told.insert(format!("{object}{key}"), types);
        assert!(twice.is_none(), "{page} tells `{object}{key}` twice");
    }
    told
}

#[test]
fn an_input_that_a_grammar_refuses_is_shown_with_its_place() {
    let events = grammar::checked();
    check("grammar-check", PLAIN, &events);
    check("grammar-check-quiet", QUIET, &events);
    check_json("grammar-check", &events);
}

#[test]
fn every_fault_of_a_grammar_is_shown_with_its_place() {
    check("grammar-broken", PLAIN, &grammar::broken());
    check("grammar-unsatisfied", PLAIN, &grammar::unsatisfied());
}

#[test]
fn bounds_stand_in_a_table() {
    let events = grammar::listed();
    check("grammar-bounds", PLAIN, &events);
    check_json("grammar-bounds", &events);
    check("grammar-bounds-dependent", PLAIN, &grammar::dependent());
}

#[test]
fn the_document_tells_each_json_key_and_no_other() {
    let mut written = Keys::new();
    for events in all() {
        let document = serde_json::from_str(&document(&events)).expect("a report is JSON");
        find_keys(&document, "", &mut written);
    }
    check_keys(&written, "docs/json.md");
}

/// Every stream that has keys of its own.
fn all() -> Vec<Vec<Stamped>> {
    vec![
        judged::accepted_and_wrong(),
        judged::differences(),
        judged::compile_error(),
        judged::folder(),
        judged::limits_and_crashes(),
        judged::judge_error(),
        judged::verify(),
        judged::spared(),
        judged::diagnostics(),
        judged::packages_interrupted(),
        recipes::written(),
        recipes::checked(),
        proposals::added(),
        packages::no_host(),
        compared::wrong(),
        converted::legacy(),
        converted::equal(),
        created::game(),
        created::run(false),
        created::listing(true),
        compared::number(),
        validators::judge(),
        validators::live(),
        scores::judge(),
        scores::verify(),
        grammar::checked(),
        grammar::listed(),
        searches::found(),
        searches::live(),
        searches::nothing(),
    ]
}

/// Whether a page tells exactly these keys.
fn check_keys(written: &Keys, page: &str) {
    let told = told_keys(page);
    for (key, types) in written {
        let told = told.get(key);
        let told = told.unwrap_or_else(|| panic!("{page} does not tell `{key}`"));
        assert!(types.is_subset(told), "`{key}` is {types:?}, {page} tells {told:?}");
    }
    for key in told.keys() {
        assert!(written.contains_key(key), "{page} tells `{key}`, which no report has");
    }
}

#[test]
fn machines_of_every_kind_are_told_about() {
    let machines = [
        ("doctor-server", doctor::server()),
        ("doctor-container", doctor::container()),
        ("doctor-closed", doctor::closed()),
        ("doctor-freebsd", doctor::freebsd()),
    ];
    let mut written = Keys::new();
    for (file, facts) in &machines {
        let events = doctor::stream(facts);
        check(file, PLAIN, &events);
        check(&format!("{file}-quiet"), QUIET, &events);
        check_json(file, &events);
        let json = document(&events);
        let document = serde_json::from_str(&json).expect("a report is JSON");
        find_keys(&document, "", &mut written);
    }
    check_keys(&written, "docs/doctor.md");
}

#[test]
fn the_version_of_the_document_is_the_one_that_is_told() {
    let document = std::fs::read_to_string(root().join("docs/json.md")).expect("docs/json.md");
    let version = format!("`\"version\": {}`", juror::model::report::VERSION);
    assert!(document.contains(&version), "docs/json.md lacks {version}");
}

/// A writer whose reader has gone away.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_returned_as_what_it_is() {
    let check = |reporter: Reporter<'_>| {
        let mut reporters = Reporters::new(vec![reporter]);
        let events = judged::accepted_and_wrong();
        events.iter().for_each(|event| reporters.event(event));
        let failed = reporters.failed().expect("the pipe is closed");
        assert_eq!(failed.kind(), std::io::ErrorKind::BrokenPipe);
    };
    let terminal = Terminal::new(Closed, Vec::new(), PLAIN);
    check(Reporter::Live(Box::new(terminal)));
    check(Reporter::AtEnd(json::write, Box::new(Closed)));
}
