//! Follows `docs/first-problem.md` as a reader would.

use std::fs;
use std::process::Command;

use juror_packages::new::{ProgramLanguage, Template};
use regex::Regex;

use crate::fixture::Fixture;
use crate::tidy::{files_below, read_text, root};
use crate::{new, wire};

pub(crate) enum PageBlock {
    /// Shell commands.
    Commands(String),
    /// The paragraph before names the file.
    File { path: String, text: String },
    /// What the commands before it print; see [`check_output`].
    Output(String),
}

pub(crate) fn page_blocks(page: &str) -> Vec<PageBlock> {
    let mut blocks = Vec::new();
    let mut before = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            before = if line.is_empty() { before } else { line };
            continue;
        };
        let lines: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = lines.join("\n") + "\n";
        let path = before.split_once("The file `").and_then(|(_, rest)| rest.split_once('`'));
        blocks.push(match (kind, path) {
            ("sh", _) => PageBlock::Commands(text),
            (_, Some((path, _))) => PageBlock::File { path: path.to_owned(), text },
            ("text", None) => PageBlock::Output(text),
            (_, None) => panic!("no line names the file of a block: {before}"),
        });
        before = "";
    }
    blocks
}

/// Runs a line of a page in `sh` as a reader would; returns the exit code, and what is printed.
pub(crate) fn run_line(line: &str, fixture: &Fixture, directory: &str) -> (i32, String) {
    let juror = assert_cmd::cargo::cargo_bin("juror");
    let mut path = juror.parent().expect("a directory").as_os_str().to_owned();
    path.push(":");
    path.push(wire::search_path());
    let mut shell = Command::new("sh");
    let shell =
        shell.args(["-c", &format!("exec 2>&1; {line}")]).current_dir(fixture.path(directory));
    // Results are cached, as they are for the reader.
    let shell = shell.env("JUROR_CACHE", fixture.path("cache")).env("PATH", &path);
    let output = shell.env("CI", "true").env_remove("NO_COLOR").output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().expect("an exit code"), text)
}

/// Checks that a command printed the lines that the page shows. Only times and amounts may differ. `...` on the page
/// stands for any lines.
pub(crate) fn check_output(shown: &str, printed: &str) {
    let masks = Regex::new(r"\b\d+(\.\d+)? (s|B|KiB|MiB|GiB)\b").expect("a pattern");
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| masks.replace_all(line.trim_end(), "_ $2"));
        lines.map(|line| line.into_owned()).collect()
    };
    let (shown_lines, printed_lines) = (lines(shown), lines(printed));
    let mut from = 0;
    for (index, part) in shown_lines.split(|line| line == "...").enumerate() {
        let last = printed_lines.len().saturating_sub(part.len());
        let mut starts = from..=if index == 0 { 0 } else { last };
        let start = starts.find(|start| printed_lines[*start..].starts_with(part));
        from = match start {
            Some(start) => start + part.len(),
            None => panic!("the page shows:\n{shown}\njuror prints:\n{printed}"),
        };
    }
    let is_whole = shown_lines.last().is_some_and(|line| line == "...");
    let rest = &printed_lines[from..];
    let is_end = is_whole || rest.iter().all(String::is_empty);
    assert!(is_end, "the page shows:\n{shown}\njuror prints:\n{printed}");
}

/// Checks what `juror verify` prints. Only times may cause warnings on a busy machine.
pub(crate) fn check_clean(text: &str) {
    assert!(text.contains("3 submissions, all as expected"), "{text}");
    let is_doubtful =
        text.contains("1 warning; ") && text.contains("may get another verdict in another run");
    assert!(text.contains("no errors, no warnings") || is_doubtful, "{text}");
}

/// A smaller limit proves as much and saves time.
pub(crate) fn lower_time_limit(fixture: &Fixture, package: &str, limit: &str) {
    let path = format!("{package}/problem.yaml");
    let settings = fixture.read(&path);
    let new = format!("time_resolution: 0.1\n  time_limit: {limit} ");
    let less = settings.replace("time_limit: 1 ", &new);
    assert_ne!(less, settings, "{settings}");
    fixture.write(&path, less);
}

/// The commands of the page until it replaces the problem.
pub(crate) fn first_commands() -> Vec<String> {
    let page = read_text(&root().join("docs/first-problem.md"));
    let (first, _) = page.split_once("\nNow replace it").expect("the first part");
    let commands = page_blocks(first).into_iter().filter_map(|block| match block {
        PageBlock::Commands(lines) => Some(lines),
        PageBlock::File { .. } | PageBlock::Output(_) => None,
    });
    let lines: Vec<String> =
        commands.flat_map(|lines| lines.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    assert!(lines.len() >= 5 && lines[0] == "juror new hello", "{lines:?}");
    lines
}

#[test]
fn the_first_problem_verifies_after_every_command_of_the_page() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("desk")).expect("a directory");
    let mut output_text = String::new();
    for block in page_blocks(&read_text(&root().join("docs/first-problem.md"))) {
        match block {
            PageBlock::File { path, text } => fixture.write(&format!("desk/{path}"), text),
            PageBlock::Output(shown) => check_output(&shown, &output_text),
            PageBlock::Commands(lines) => {
                for line in lines.lines() {
                    let (code, text) = run_line(line, &fixture, "desk");
                    output_text = text;
                    assert_eq!(code, 0, "{line}:\n{output_text}");
                    if line == "juror new hello" {
                        let package = fixture.path("desk/hello");
                        new::check_files(&package, Template::PassFail, ProgramLanguage::Rust);
                        lower_time_limit(&fixture, "desk/hello", "0.3");
                    }
                    if line.contains("juror run hello accepted/one_pass.py") {
                        assert!(output_text.starts_with("5\n"), "{output_text}");
                    }
                    if line == "juror verify hello" {
                        check_clean(&output_text);
                    }
                }
            }
        }
    }
    assert!(output_text.contains("unchanged"), "{output_text}");
    let files = files_below(&fixture.path("desk/hello/data"));
    let cases = files.iter().filter(|file| file.ends_with(".in")).count();
    assert!(cases > 20, "{cases} test cases");
}
