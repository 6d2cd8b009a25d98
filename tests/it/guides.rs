//! Every command of `docs/guides.md` runs.

use std::process::Command;

use crate::fixture::{Fixture, RIGHT};
use crate::tidy;
use crate::wire;

fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_commands_of_the_guides_run() {
    let fixture = Fixture::new();
    if Command::new("python3").arg("--version").output().is_err() {
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
    let page = tidy::read_text(&tidy::root().join("docs/guides.md"));
    let commands = commands(&page);
    assert!(commands.len() >= 12, "{commands:?}");
    for line in commands {
        let arguments = line.strip_prefix("juror ").expect("a command of juror");
        let mut command = wire::juror();
        let words = arguments.split(' ').map(|word| word.trim_matches('\''));
        command.args(words).current_dir(fixture.root()).env("CI", "true");
        let output = command.env("XDG_CACHE_HOME", fixture.path("cache")).output();
        let output = output.expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}\n{text}");
    }
}
