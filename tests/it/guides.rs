//! Follows `docs/guides.md`: as a contestant in an empty directory, and in the other roles with a package.

use std::fs;
use std::process::Command;

use crate::fixture::{Fixture, RIGHT};
use crate::guide::{PageBlock, check_output, page_blocks, run_line};
use crate::tidy::{read_text, root};

const FIRST_ROLE_WITH_PACKAGE: &str = "\n## Setters\n";

pub(crate) fn lacks(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_err()
}

/// Each block of output is what the last command before it prints; a command without output succeeds.
#[test]
fn a_contestant_sees_what_the_page_shows() {
    let fixture = Fixture::new();
    if let Some(tool) = ["c++", "python3"].into_iter().find(|tool| lacks(tool)) {
        return fixture.announce_skip(&format!("no {tool}"));
    }
    fs::create_dir(fixture.path("largest")).expect("a directory");
    let page = read_text(&root().join("docs/guides.md"));
    let (part, _) = page.split_once(FIRST_ROLE_WITH_PACKAGE).expect("the contestants' part");
    let mut last: Option<(String, i32, String)> = None;
    let check_success = |last: &Option<(String, i32, String)>| {
        if let Some((line, code, text)) = last {
            assert_eq!(*code, 0, "{line}:\n{text}");
        }
    };
    let mut outputs = Vec::new();
    for block in page_blocks(part) {
        match block {
            PageBlock::File { path, text } => fixture.write(&format!("largest/{path}"), text),
            PageBlock::Output(shown) => {
                let (_, _, printed) = last.take().expect("a command before the output");
                check_output(&shown, &printed);
                outputs.push(shown);
            }
            PageBlock::Commands(lines) => {
                for line in lines.lines() {
                    check_success(&last);
                    let (code, text) = run_line(line, &fixture, "largest");
                    last = Some((line.to_owned(), code, text));
                }
            }
        }
    }
    check_success(&last);
    assert!(outputs.len() >= 5, "{outputs:?}");
    // The README begins with the same example.
    let readme = read_text(&root().join("README.md"));
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    assert!(shown.is_some_and(|shown| outputs.iter().any(|output| output == shown)), "{shown:?}");
}

#[test]
fn the_commands_of_the_guides_run() {
    let fixture = Fixture::new();
    if lacks("python3") {
        return fixture.announce_skip("no python3");
    }
    fixture.write("my.py", "a, b = map(int, input().split())\nprint(a + b)\n");
    fixture.write("sum/submissions/accepted/right.sh", RIGHT);
    fixture.write(
        "sum/input_validators/input.ctd",
        "INT(0, 100000) SPACE INT(0, 100000) NEWLINE EOF\n",
    );
    fixture.write(
        "sum/generators/generators.yaml",
        "solution: /submissions/accepted/right.sh\n\
         data:\n  sample:\n    data:\n      \"1\": {in: \"1 2\\n\"}\n  secret:\n    data:\n      \
         small: {data: {\"1\": {in: \"5 8\\n\"}, \"2\": {in: \"0 0\\n\"}}}\n      \
         large: {data: {\"1\": {in: \"100000 1\\n\"}}}\n  \
         invalid_input:\n    data:\n      one: {in: \"1\\n\"}\n",
    );
    let page = read_text(&root().join("docs/guides.md"));
    let (_, part) = page.split_once(FIRST_ROLE_WITH_PACKAGE).expect("the setters' part");
    let mut number = 0;
    for block in page_blocks(part) {
        let PageBlock::Commands(lines) = block else { continue };
        for line in lines.lines() {
            number += 1;
            let (code, text) = run_line(line, &fixture, ".");
            assert_eq!(code, 0, "{line}\n{text}");
        }
    }
    assert!(number >= 9, "{number} commands");
}
