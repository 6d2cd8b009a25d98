//! `juror new`: packages that verify at once. `guide.rs` tests the default one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use juror_packages::new::Template;

use crate::fixture::Fixture;
use crate::tidy::files_below;

/// Verifies with a small time limit, which saves time and which slow submissions exceed on every machine. The data
/// needs no check: it was just generated.
fn check_template(template: Template) {
    let fixture = Fixture::new();
    let name = template.name();
    fixture.check(
        &format!("new hello --type {name}"),
        0,
        &["new problem of the type", name, "next:"],
    );
    let messages = ["3 submissions, all as expected", "no errors, no warnings"];
    fixture.check("verify hello --time-limit 0.1", 0, &messages);
    check_files(&fixture.path("hello"), template);
}

/// Compares the files of a new package, except for its data, with the template.
pub(crate) fn check_files(package: &Path, template: Template) {
    let mut there = files_below(package);
    there.retain(|path| !path.starts_with("data/"));
    let files = template.files("hello", "").into_iter().map(|file| file.created.path.to_owned());
    let mut files: Vec<String> = files.collect();
    files.sort();
    assert_eq!(there, files, "{}", template.name());
}

#[test]
fn a_new_interactive_problem_verifies() {
    check_template(Template::Interactive);
}

#[test]
fn a_new_scoring_problem_verifies() {
    check_template(Template::Scoring);
}

#[test]
fn a_new_problem_with_files_verifies() {
    check_template(Template::FileIo);
}

#[test]
fn a_new_game_verifies() {
    check_template(Template::Game);
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
