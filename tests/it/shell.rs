//! `juror completions`, `juror man` and `juror help TOPIC`.

use std::fs;
use std::process::Command;

use crate::fixture::Fixture;
use crate::tidy;

#[test]
fn shells_complete_commands_options_and_package_contents() {
    let fixture = Fixture::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = fixture.juror(&format!("completions {shell}")).output().expect("juror runs");
        let script = String::from_utf8_lossy(&script.stdout).into_owned();
        assert!(script.contains("JUROR_COMPLETE"), "{shell}: {script}");
        fixture.write(shell, &script);
    }
    fixture.check("completions fis", 2, &["a similar value exists: 'fish'"]);

    fixture.write("sum/statement/problem.sv.md", "Addera.\n");
    let check = |words: &[&str], expected: &[&str]| {
        let script = format!(
            "source ./bash; COMP_WORDS=({words}); COMP_CWORD={last}; _clap_complete_juror juror '{word}' x; \
             IFS=$'\\n'; echo \"${{COMPREPLY[*]}}\"",
            words = words.iter().map(|word| format!("'{word}' ")).collect::<String>(),
            last = words.len() - 1,
            word = words[words.len() - 1],
        );
        let juror = assert_cmd::cargo::cargo_bin("juror");
        let path = std::env::var("PATH").expect("a path");
        let path = format!("{}:{path}", juror.parent().expect("a directory").display());
        let mut bash = Command::new("bash");
        bash.current_dir(fixture.root()).args(["-c", &script]).env("PATH", path);
        let output = bash.output().expect("bash runs");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let printed: Vec<&str> = printed.split_whitespace().collect();
        assert_eq!(printed, expected, "{words:?} {}", String::from_utf8_lossy(&output.stderr));
    };
    check(&["juror", "ver"], &["verify"]);
    check(&["juror", "judge", "--time"], &["--time-limit"]);
    check(&["juror", "watch", "--j"], &["--jobs", "--junit"]);
    check(&["juror", "completions", "z"], &["zsh"]);
    check(&["juror", "verify", "su"], &["sum/"]);
    check(&["juror", "verify", "sum/problem.y"], &[]);
    let small = ["secret/small/1", "secret/small/2"];
    check(&["juror", "judge", "sum", "a.sh", "--case", "secret/sm"], &small);
    check(&["juror", "judge", "--all", "sum", "--case", "sam"], &["sample/1"]);
    let right = "sum/submissions/accepted/right.sh";
    check(&["juror", "judge", "sum", "sum/submissions/accepted/r"], &[right]);
    check(&["juror", "judge", "sum/submissions/accepted/r"], &[right]);
    check(&["juror", "statement", "sum", "--language", ""], &["en", "sv"]);
    // The shell runs no part of a name.
    for name in ["$(touch PWN).py", "a;b`c`.py", "it's \"q\".py", "tab\t$(x).py", "line\n$(x).py"] {
        fixture.write(&format!("odd/{name}"), "");
    }
    let odd = [
        "odd/\\$\\(touch\\",
        "PWN\\).py",
        "odd/a\\;b\\`c\\`.py",
        "odd/it\\\'s\\",
        "\\\"q\\\".py",
        "odd/tab",
    ];
    check(&["juror", "judge", "sum", "odd/"], &odd);
    check(&["juror", "judge", "sum", "odd/\\$\\("], &odd[..2]);
}

#[test]
fn each_command_has_a_man_page() {
    let fixture = Fixture::new();
    fixture.write("pages/juror.1", "an older page");
    fixture.check("man pages", 0, &[]);
    let page = |name: &str| fs::read_to_string(fixture.path("pages").join(name)).expect("a page");
    for (name, part) in [
        ("juror.1", "juror\\-verify"),
        ("juror-judge.1", "time\\-limit"),
        ("juror-grammar-check.1", "SYNOPSIS"),
    ] {
        assert!(page(name).contains(part), "{name}: {}", page(name));
    }
    let option = "\\-\\-github";
    assert!(page("juror-judge.1").contains(option) && !page("juror-watch.1").contains(option));
    let number = fs::read_dir(fixture.path("pages")).expect("pages").count();
    assert!(number > 10, "{number} pages, and no file beside them");
    fixture.check("man pages/juror.1/below", 2, &["cannot write man pages to pages/juror.1/below"]);
}

#[test]
fn help_shows_every_documentation_page() {
    let fixture = Fixture::new();
    fixture.check("help verdicts", 0, &["# Verdicts", "TLE: time limit exceeded", "(packages.md"]);
    fixture.check("help packages", 0, &["problem_format_version", "expectations"]);
    fixture.check("help verdict", 2, &["did you mean 'verdicts'?"]);
    fixture.check("help jugde", 2, &["did you mean 'judge'?"]);
    fixture.check("help grammar", 0, &["Usage: juror grammar"]);
    fixture.check("--help", 0, &["Topics, for `juror help TOPIC`:", "coming-from"]);
}

/// Pages for users are those in the README's table, except pages about the code.
#[test]
fn every_page_has_a_topic() {
    let topics = tidy::read_text(&tidy::root().join("src/cli/topics.rs"));
    let pages = fs::read_dir(tidy::root().join("docs")).expect("a directory");
    for page in pages.flatten().filter(|page| page.path().is_file()) {
        let name = page.file_name().into_string().expect("a name");
        let is_about_the_code =
            ["architecture.md", "changelog.md", "dependencies.md", "hosts.md"].contains(&&*name);
        let has_topic = topics.contains(&format!("\"{name}\""));
        assert!(
            has_topic || is_about_the_code || !name.ends_with(".md"),
            "docs/{name} has no topic"
        );
    }
}

#[test]
fn juror_serve_becomes_the_program_beside_it_or_on_the_path() {
    let fixture = Fixture::new();
    let place = fixture.root().join("place");
    fs::create_dir(&place).expect("a directory");
    fs::copy(assert_cmd::cargo::cargo_bin("juror"), place.join("juror")).expect("a copy");
    let check = |code: i32, expected: &str| {
        let mut command = Command::new(place.join("juror"));
        command.args(["serve", "--listen", "1:2"]).env("PATH", fixture.root().join("bin"));
        let output = command.output().expect("juror runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(text.contains(expected), "{text}");
        assert_eq!(output.status.code(), Some(code), "{text}");
    };
    check(2, "cargo install --locked --path crates/serve");
    let write = |path: &str, text: &str| {
        fixture.write(path, text);
        fixture.make_executable(path);
    };
    write("bin/juror-serve", "#!/bin/sh\necho path \"$@\"; exit 5\n");
    check(5, "path --listen 1:2");
    write("place/juror-serve", "#!/bin/sh\necho beside \"$@\"; exit 6\n");
    check(6, "beside --listen 1:2");
}
