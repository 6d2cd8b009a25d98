//! Nothing that a file may hold makes the reader fall over.

use std::fs;

use proptest::prelude::*;

use super::Package;
use crate::package::read;

/// The files that are parsed.
const FILES: [&str; 6] = [
    "problem.yaml",
    "juror.toml",
    "submissions/submissions.yaml",
    "data/secret/1.yaml",
    "data/secret/test_group.yaml",
    "statement/problem.en.md",
];

/// Words from which the parsers' own language is made.
const WORDS: [&str; 40] = [
    "problem_format_version",
    "2025-09",
    "name",
    "uuid",
    "limits",
    "time_limit",
    "credits",
    "type",
    "constants",
    "permitted",
    "required",
    "accepted/*",
    "secret/{1,2}",
    "args",
    "input",
    "[io]",
    ": ",
    ":",
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "&a ",
    "*a",
    "!!str ",
    "|",
    ">",
    "'",
    "\"",
    "#",
    "---\n",
    "= ",
    "1e9",
    "\u{e4}",
    "\t",
];

fn survives(content: &[u8]) {
    let package = Package::new("");
    for name in FILES {
        let before = fs::read(package.dir.join(name)).ok();
        package.write(name, content);
        let reading = read(&package.dir);
        for diagnostic in &reading.diagnostics {
            let Some(spot) = &diagnostic.place.spot else {
                continue;
            };
            let length = spot.text.chars().count() as u32;
            assert!(spot.line > 0 && spot.column > 0 && spot.width > 0, "{diagnostic:?}");
            assert!(spot.column + spot.width <= length + 2, "{diagnostic:?}");
        }
        match before {
            Some(before) => package.write(name, &before),
            None => fs::remove_file(package.dir.join(name)).expect("the file just written"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_survived(content in proptest::collection::vec(any::<u8>(), 0..200)) {
        survives(&content);
    }

    #[test]
    fn arbitrary_texts_are_survived(content in "\\PC{0,100}") {
        survives(content.as_bytes());
    }

    #[test]
    fn arbitrary_settings_are_survived(words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..60)) {
        survives(words.concat().as_bytes());
    }
}

#[test]
fn a_file_with_endless_faults_gives_a_bounded_report() {
    let package = Package::new("");
    let mut content = String::new();
    for key in 0..20_000 {
        content += &format!("x{key}: &a [1, *b]\n");
    }
    package.write("problem.yaml", content.as_bytes());
    assert!(read(&package.dir).diagnostics.len() < 250);
}
