//! Tests of how wrappers read inputs.

use std::path::Path;

use super::*;
use juror_grammar::compile;
use juror_grammar::misread::{Misreading, misread};

const ROW: &str = "INT(2, 5, n) NEWLINE REP(n, SPACE) INT(-300, 300) END NEWLINE";
const CASES: &str =
    "INT(1, 3, t) NEWLINE REP(t) INT(1, 5, n) SPACE REP(n, SPACE) INT(0, 9) END NEWLINE END";

fn check_misreading(grammar: &str, how: Misreading, input: &str, expected: Option<&str>) {
    let grammar =
        compile::parse_grammar(Path::new("g.ctd"), grammar.as_bytes()).grammar.expect("a grammar");
    let text = misread(&grammar, input.as_bytes(), how);
    let text = text.map(|text| String::from_utf8(text).expect("text"));
    assert_eq!(text.as_deref(), expected, "{how:?}");
}

/// Reads the input as the wrapper of this name.
fn check(grammar: &str, name: &str, input: &str, expected: Option<&str>) {
    let wrapper = wrappers().iter().find(|wrapper| wrapper.name == name).expect(name);
    let WrapperChange::Input(how) = wrapper.change else { panic!("{name} changes the output") };
    check_misreading(grammar, how, input, expected);
}

#[test]
fn rows_are_shortened_and_reordered() {
    let input = "5\n3 -1 2 3 300\n";
    let check = |name, expected| check(ROW, name, input, expected);
    check_misreading(
        ROW,
        Misreading::ShorterRows(|length, _| length.min(3)),
        input,
        Some("3\n3 -1 2\n"),
    );
    check_misreading(ROW, Misreading::ShorterRows(|length, _| length.min(5)), input, None);
    check("one-short", Some("4\n3 -1 2 3\n"));
    check("without-first", Some("4\n-1 2 3 300\n"));
    check("without-last", Some("4\n3 -1 2 3\n"));
    check("in-pairs", Some("4\n3 -1 2 3\n"));
    check("rising", Some("5\n-1 2 3 3 300\n"));
    check("falling", Some("5\n300 3 3 2 -1\n"));
    check("reversed", Some("5\n300 3 2 -1 3\n"));
    check("once", Some("4\n3 -1 2 300\n"));
    check("first-length", None);
    check("first-case", None);
}

#[test]
fn values_are_narrowed() {
    let check = |name, expected| check(ROW, name, "3\n300 -1 200\n", expected);
    check("clamped-127", Some("3\n127 -1 127\n"));
    check("reads-i8", Some("3\n44 -1 -56\n"));
    check("reads-u8", Some("3\n44 255 200\n"));
    check("reads-i16", None);
    check("absolute", Some("3\n300 1 200\n"));
}

#[test]
fn test_cases_are_dropped_or_resized() {
    let check = |name, expected| check(CASES, name, "3\n2 1 2\n3 4 5 6\n1 7\n", expected);
    check("first-case", Some("1\n2 1 2\n"));
    check("without-last-case", Some("2\n2 1 2\n3 4 5 6\n"));
    check("first-length", Some("3\n2 1 2\n2 4 5\n2 7 0\n"));
    check("without-first", Some("3\n1 2\n2 5 6\n1 7\n"));
    check("in-pairs", Some("3\n2 1 2\n2 4 5\n1 7\n"));
    check("rising", None);
    check("reversed", Some("3\n2 2 1\n3 6 5 4\n1 7\n"));
}
