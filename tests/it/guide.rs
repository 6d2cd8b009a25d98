//! Follows `docs/first-problem.md` as a reader would.

use std::fs;
use std::process::Command;

use juror_packages::new::Template;

use crate::fixture::Fixture;
use crate::new;
use crate::tidy::{files_below, read_text, root};
use crate::wire;

enum PageBlock {
    /// Shell commands.
    Commands(String),
    /// The paragraph before names the file.
    File { path: String, text: String },
}

fn page_blocks(page: &str) -> Vec<PageBlock> {
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
            (_, None) => panic!("no line names the file of a block: {before}"),
        });
    }
    blocks
}

#[test]
fn the_first_problem_verifies_after_every_command_of_the_page() {
    let fixture = Fixture::new();
    let juror = assert_cmd::cargo::cargo_bin("juror");
    let mut path = juror.parent().expect("a directory").as_os_str().to_owned();
    path.push(":");
    path.push(wire::search_path());
    fs::create_dir(fixture.path("desk")).expect("a directory");
    let mut output_text = String::new();
    for block in page_blocks(&read_text(&root().join("docs/first-problem.md"))) {
        match block {
            PageBlock::File { path, text } => fixture.write(&format!("desk/{path}"), text),
            PageBlock::Commands(lines) => {
                for line in lines.lines() {
                    let mut shell = Command::new("sh");
                    let shell = shell.args(["-c", line]).current_dir(fixture.path("desk"));
                    let shell = shell.env("PATH", &path).env("CI", "true");
                    // Results are cached, as they are for the reader.
                    let output = shell.env("JUROR_CACHE", fixture.path("cache")).output();
                    let output = output.expect("a shell");
                    output_text = String::from_utf8_lossy(&output.stdout).into_owned()
                        + &String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{line}:\n{output_text}");
                    if line == "juror new hello" {
                        let package = fixture.path("desk/hello");
                        new::check_files(&package, Template::PassFail);
                        // A smaller limit proves as much and saves time.
                        let settings = fixture.read("desk/hello/problem.yaml");
                        let less = settings
                            .replace("time_limit: 1 ", "time_resolution: 0.1\n  time_limit: 0.3 ");
                        assert_ne!(less, settings, "{settings}");
                        fixture.write("desk/hello/problem.yaml", less);
                    }
                    if line.contains("juror run hello accepted/one_pass.py") {
                        assert!(output_text.starts_with("5\n"), "{output_text}");
                    }
                    if line == "juror verify hello" {
                        assert!(
                            output_text.contains("3 submissions, all as expected"),
                            "{output_text}"
                        );
                        // Only times may cause warnings on a busy machine.
                        let is_doubtful = output_text.contains("1 warning; ")
                            && output_text.contains("may get another verdict in another run");
                        let is_clean = output_text.contains("no errors, no warnings");
                        assert!(is_clean || is_doubtful, "{output_text}");
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
