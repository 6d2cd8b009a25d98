//! Small problems, and how they are read.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::Path;

use tempfile::TempDir;

use crate::package::{PackageReading, read};
use juror_core::recipe::InputSource;

const SETTINGS: &str = r#"
title = "A + B"
timelimit = 2.5
forum = "x"
[[tests]]
name = "example.in"
number = 1
[[tests]]
name = "random.cpp"
number = 2
[[solutions]]
name = "wa.cpp"
expect = "WA"
[[solutions]]
name = "slow.cpp"
allow_tle = true
[params]
A_MAX = 1_000
RATE = 0.5
NAME = "x"
"#;

/// Changes words in `info.toml` and reads the problem: its cases, submissions and remarks.
fn read_with(changes: &[(&str, &str)], without: &[&str]) -> Vec<String> {
    read_changed(changes, without, |_| {})
}

/// The same after something else changed in the repository.
fn read_changed(
    changes: &[(&str, &str)],
    without: &[&str],
    change: impl FnOnce(&Path),
) -> Vec<String> {
    let keep = TempDir::new().expect("a temporary directory");
    let mut settings = SETTINGS.to_owned();
    for (old, new) in changes {
        assert!(settings.contains(old), "{old}");
        settings = settings.replace(old, new);
    }
    let files = [
        ("genre/sum/info.toml", settings.as_str()),
        ("genre/sum/checker.cpp", "c\n"),
        ("genre/sum/verifier.cpp", "v\n"),
        ("genre/sum/base.hpp", "b\n"),
        ("genre/sum/gen/lib.h", "l\n"),
        ("genre/sum/gen/example_00.in", "1 2\n"),
        ("genre/sum/gen/random.cpp", "g\n"),
        ("genre/sum/sol/correct.cpp", "s\n"),
        ("genre/sum/sol/wa.cpp", "s\n"),
        ("genre/sum/sol/slow.cpp", "s\n"),
        ("genre/sum/in/old_00.in", "\n"),
        ("common/testlib.h", "t\n"),
        ("common/random.h", "r\n"),
    ];
    for (name, text) in files.into_iter().filter(|(name, _)| !without.contains(name)) {
        let path = keep.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a new file");
    }
    change(keep.path());
    let dir = keep.path().join("genre/sum");
    let PackageReading { problem, diagnostics, .. } = read(&dir);
    let mut lines = Vec::new();
    if let Some(problem) = &problem {
        lines.push(format!("{} {:?}", problem.layout.format, problem.limits.time_limit));
        for case in problem.pending_recipe.iter().flat_map(|recipe| &recipe.cases) {
            lines.push(match &case.input {
                InputSource::Command(command) => {
                    let included = command.program.included.iter().map(|file| {
                        let text = file.text.iter().map(|text| format!("={text:?}"));
                        format!(" {}{}", file.name.display(), text.collect::<String>())
                    });
                    format!("{}: {} +{}", case.name, command.line, included.collect::<String>())
                }
                InputSource::File(path) => {
                    format!("{}: {}", case.name, path.strip_prefix(&dir).expect("below").display())
                }
                other => format!("{}: {other:?}", case.name),
            });
        }
        lines.extend(problem.submissions.iter().map(|submission| {
            let rule = &submission.expectations[0];
            format!("{}: {:?} {:?}", submission.name, rule.permitted, rule.required)
        }));
    }
    let prefix = format!("{}/", keep.path().canonicalize().expect("a path").display());
    lines.extend(diagnostics.iter().map(|diagnostic| diagnostic.to_string().replace(&prefix, "")));
    lines
}

#[test]
fn tests_generators_and_solutions_are_read() {
    let included = "params.h=\"#define A_MAX (long long)1000\\n#define NAME \\\"x\\\"\\n#define RATE 0.5\\n\" \
                  common/random.h common/testlib.h base.hpp lib.h gen/lib.h";
    let random = |at: u32| format!("random_0{at}: random.cpp {at} + {included}");
    let expected = [
        "library-checker Some(2.5s)",
        "example_00: gen/example_00.in",
        &random(0),
        &random(1),
        "correct.cpp: Some([Accepted]) None",
        "wa.cpp: Some([Accepted, WrongAnswer]) Some([WrongAnswer])",
        "slow.cpp: Some([Accepted, TimeLimitExceeded]) None",
    ];
    assert_eq!(read_with(&[], &[]), expected);
}

#[test]
fn unsupported_settings_are_reported() {
    let check = |changes: &[(&str, &str)], without: &[&str], expected: &str| {
        let lines = read_with(changes, without);
        assert!(lines.iter().any(|line| line.contains(expected)), "{expected}: {lines:#?}");
    };
    check(&[], &["common/testlib.h"], "is not in a library-checker repository");
    check(&[], &["genre/sum/checker.cpp"], "checker.cpp: is missing");
    check(&[], &["genre/sum/sol/correct.cpp"], "correct.cpp: is missing");
    check(&[], &["genre/sum/sol/wa.cpp"], "there is no file `sol/wa.cpp` in the package");
    check(&[("number = 1", "number = 2")], &[], "there is no `gen/example_01.in` in the package");
    check(&[("number = 1", "number = 1001")], &[], "is too large");
    check(&[("random.cpp", "random.py")], &[], "`random.py` is not a generator that juror knows");
    check(&[("\"WA\"", "\"XX\"")], &[], "`solutions.expect` must be");
    check(&[("RATE = 0.5", "RATE = [1]")], &[], "`params.RATE` must be a number or a text");
    check(&[("forum", "fourm")], &[], "unknown key `fourm` is ignored");
    check(&[("name = \"wa.cpp\"", "")], &[], "`[[solutions]]` needs a `name`");
}

#[test]
fn files_for_all_problems_are_those_of_the_repository() {
    let check = |change: &dyn Fn(&Path), expected: &str| {
        let lines = read_changed(&[], &[], change);
        assert!(lines.iter().any(|line| line.contains(expected)), "{expected}: {lines:#?}");
    };
    for target in ["/proc/self/environ", "/etc/passwd", "/dev/zero", "../genre/sum/base.hpp"] {
        let link = |dir: &Path| symlink(target, dir.join("common/x.h")).expect("a link");
        check(&link, "common/x.h: cannot be read: it leads out of its directory");
    }
    let elsewhere = |dir: &Path| {
        fs::rename(dir.join("common"), dir.join("elsewhere")).expect("a directory");
        symlink("elsewhere", dir.join("common")).expect("a link");
    };
    check(&elsewhere, "is not in a library-checker repository");
    // Only root can give a directory away.
    if rustix::process::geteuid().is_root() {
        let foreign = |dir: &Path| chown(dir.join("common"), Some(12345), None).expect("an owner");
        check(&foreign, "is not in a library-checker repository");
    }
}
