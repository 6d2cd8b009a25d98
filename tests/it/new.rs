//! `juror new`: packages that verify at once, of each type and in each language.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use juror_packages::new::{ProgramLanguage, Template};

use crate::convert::check_round_trips;
use crate::fixture::Fixture;
use crate::guide::{self, run_line};
use crate::guides::lacks;
use crate::tidy::files_below;

/// Makes a package of each type, and follows the first part of `docs/first-problem.md` in each. Types share programs,
/// so that most builds come from the cache.
fn check_language(language: ProgramLanguage, tools: &[&str]) {
    let fixture = Fixture::new();
    if let Some(tool) = tools.iter().find(|tool| lacks(tool)) {
        return fixture.announce_skip(&format!("no {tool}"));
    }
    for template in Template::ALL {
        let desk = template.name();
        fs::create_dir(fixture.path(desk)).expect("a directory");
        let files = template.files("hello", language, "");
        let mut paths = files.iter().map(|file| &*file.created.path);
        let reference = paths.find_map(|path| path.strip_prefix("submissions/accepted/"));
        let reference = reference.expect("a reference");
        for line in guide::first_commands() {
            let line = line
                .replace("new hello", &format!("new hello --type {template} --language {language}"))
                .replace("best.rs", reference);
            // The user answers the submission of an interactive problem.
            let is_played = template == Template::Interactive && line.starts_with("juror run");
            let replies =
                if is_played { r"printf '10\nhigher\nlower\nhigher\nright\n' | " } else { "" };
            let line = format!("{replies}{line}");
            let (code, text) = run_line(&line, &fixture, desk);
            assert_eq!(code, 0, "{line}:\n{text}");
            let limit = match language {
                ProgramLanguage::Cpp | ProgramLanguage::Rust => "0.3",
                ProgramLanguage::Python => "0.5",
                // The virtual machine needs up to 0.4 s on a busy machine.
                ProgramLanguage::Java => "1",
            };
            if line.contains("juror new") {
                guide::lower_time_limit(&fixture, &format!("{desk}/hello"), limit);
            }
            if line == "juror verify hello" {
                guide::check_clean(&text);
            }
        }
        check_files(&fixture.path(&format!("{desk}/hello")), template, language);
        use ProgramLanguage::{Cpp, Python, Rust};
        // One type in the other languages: more would take minutes.
        let is_converted = matches!(
            (language, template),
            (Cpp, _) | (Python, Template::Scoring) | (Rust, Template::Checker)
        );
        if is_converted {
            check_round_trips(&fixture, &format!("{desk}/hello"));
        }
    }
}

/// Compares the files of a new package, except for its data, with the template.
pub(crate) fn check_files(package: &Path, template: Template, language: ProgramLanguage) {
    let mut there = files_below(package);
    there.retain(|path| !path.starts_with("data/"));
    let files = template.files("hello", language, "").into_iter().map(|file| file.created.path);
    let mut files: Vec<String> = files.collect();
    files.sort();
    assert_eq!(there, files, "{}", template.name());
}

#[test]
fn new_packages_in_cpp_verify() {
    check_language(ProgramLanguage::Cpp, &["c++"]);
}

#[test]
fn new_packages_in_python_verify() {
    check_language(ProgramLanguage::Python, &["python3"]);
}

#[test]
fn new_packages_in_rust_verify() {
    check_language(ProgramLanguage::Rust, &["rustc", "python3"]);
}

#[test]
fn new_packages_in_java_verify() {
    check_language(ProgramLanguage::Java, &["javac", "python3"]);
}

#[test]
fn impossible_packages_are_refused_with_a_reason() {
    let fixture = Fixture::new();
    fixture.write("taken", "a file\n");
    let check = |arguments: &str, code: i32, messages: &[&str]| {
        fixture.check(&format!("new {arguments}"), code, messages);
    };
    check("My-Problem", 2, &["`My-Problem` is not a name", "lower-case", "such as myproblem"]);
    check("contest/My_1", 2, &["such as my1"]);
    check("..", 2, &["such as hello"]);
    check("/", 2, &["such as hello"]);
    check("sum", 2, &["sum already exists; choose another"]);
    check("taken", 2, &["taken already exists"]);
    check("contest/hello", 2, &["contest is not a directory", "mkdir -p contest"]);
    check("taken/hello", 2, &["taken is a file; choose another place"]);
    check("hello --type game2", 2, &["game"]);
    check("hello --language go", 2, &["[possible values: cpp, python, rust, java]"]);
    check(&"long".repeat(64), 2, &["the system allows no name this long", "choose a shorter one"]);
    check("/proc/hello", 4, &["cannot write /proc/hello", "name a place that can be written"]);
    let names = fs::read_dir(fixture.root()).expect("a directory").count();
    assert_eq!(names, 2, "nothing was made");
}

#[test]
fn the_package_is_written_even_without_a_compiler() {
    let fixture = Fixture::new();
    let output = fixture.juror("new hello").env("PATH", fixture.root()).output().expect("juror");
    let text = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("not found") && text.contains("juror generate hello"), "{text}");
    assert!(!fixture.path("hello/data").exists());
    fixture.check("generate hello", 0, &["17 created"]);
}

#[test]
fn an_unwritable_directory_stays_unchanged() {
    let fixture = Fixture::new();
    let place = fixture.path("closed");
    fs::create_dir(&place).expect("a directory");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o555)).expect("rights");
    if fs::write(place.join("x"), "").is_ok() {
        fs::remove_file(place.join("x")).expect("a file to remove");
        return fixture.announce_skip("root may write everywhere");
    }
    fixture.check("new closed/hello", 4, &["cannot write closed/hello"]);
}
