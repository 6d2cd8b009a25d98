//! Small tasks, and how they are read.

use crate::package::statements::statements;
use crate::package::tests::package_with;
use crate::package::{PackageReading, read};
use juror_core::diagnostic::Diagnostic;
use juror_core::recipe::InputSource;

const SETTINGS: &str = "name: sum\ntitle: La somma\ntime_limit: 1.5\nmemory_limit: 64\ninfile: ''\noutfile: ''\n\
                        token_mode: infinite\nn_input: 4\n";

const GEN: &str =
    "# a and b\n\n# ST: 0\n#COPY: att/example.txt\n#ST: 40  \n3 4 # small\n#ST: 60\n1 2\n5 6\n";

/// Changes words in the files of a task and reads it: its groups, cases, submissions and remarks.
fn read_with(changes: &[(&str, &str)], more: &[(&str, &str)], without: &[&str]) -> Vec<String> {
    let files = [
        ("task.yaml", SETTINGS),
        ("gen/GEN", GEN),
        ("gen/generatore.py", "g\n"),
        ("gen/lib.py", "g\n"),
        ("att/example.txt", "1 1\n"),
        ("input/input1.txt", "3 4\n"),
        ("output/output1.txt", "7\n"),
        ("sol/soluzione.cpp", "s\n"),
        ("sol/lenta.py", "s\n"),
    ];
    let keep = package_with(files.iter().chain(more), changes, without);
    let PackageReading { problem, diagnostics, .. } = read(keep.path());
    let mut lines = Vec::new();
    if let Some(problem) = &problem {
        lines.push(format!(
            "{} {:?} {:?}",
            problem.layout.format, problem.limits.time_limit, problem.io
        ));
        lines.extend(problem.test_data.groups.iter().map(|group| {
            let scoring = group.scoring.as_ref().expect("points");
            let points = scoring.max_score.expect("a greatest score").points();
            format!("{}: {points} {:?}", group.name, scoring.aggregation)
        }));
        lines.extend(problem.test_data.cases.iter().map(|case| case.name.clone()));
        lines.extend(problem.pending_recipe.iter().flat_map(|recipe| &recipe.cases).map(|case| {
            let input = match &case.input {
                InputSource::Command(command) => {
                    let included = command.program.included.iter();
                    let included: String =
                        included.map(|file| format!(" +{}", file.name.display())).collect();
                    format!("{} {}{included}", command.program.name, command.line)
                }
                InputSource::File(path) => path.file_name().expect("a name").display().to_string(),
                other => format!("{other:?}"),
            };
            format!("{} = {input}", case.name)
        }));
        lines.extend(problem.output_validators.iter().map(|program| {
            let included = program.include.iter().map(|file| format!(" +{}", file.name.display()));
            format!(
                "{:?} {}{}",
                problem.output_protocol,
                program.name,
                included.collect::<String>()
            )
        }));
        lines.extend(problem.submissions.iter().map(|submission| {
            let include: String = submission
                .program
                .include
                .iter()
                .map(|file| format!(" +{}", file.name.display()))
                .collect();
            format!("{}{include} {}", submission.name, submission.expectations.len())
        }));
    }
    let prefix = format!("{}/", keep.path().display());
    lines.extend(diagnostics.iter().map(|diagnostic| diagnostic.to_string().replace(&prefix, "")));
    lines
}

#[test]
fn subtasks_tests_and_solutions_are_read() {
    let expected = [
        "Italian Some(1.5s) Standard",
        "tests: 100 Sum",
        "tests/1: 0 Min",
        "tests/2: 40 Min",
        "tests/3: 60 Min",
        "tests/1/000",
        "tests/2/001",
        "tests/3/002",
        "tests/3/003",
        "tests/1/000 = example.txt",
        "tests/3/002 = generatore.py 1 2 +lib.py",
        "tests/3/003 = generatore.py 5 6 +lib.py",
        "lenta.py 0",
        "soluzione.cpp 1",
    ];
    assert_eq!(read_with(&[], &[], &[]), expected);
    let plain = [
        "Italian Some(1.5s) Files { input: \"input.txt\", output: \"output.txt\" }",
        "tests: 50 Sum",
        "tests/000",
        "soluzione.cpp 1",
    ];
    let changes = [
        ("n_input: 4", "n_input: 1\ntotal_value: 50"),
        ("infile: ''\noutfile: ''\n", ""),
        ("name: sum\ntitle: La somma", "nome_breve: sum\nnome: La somma"),
        ("time_limit", "timeout"),
    ];
    let files = [("input/input0.txt", "3 4\n"), ("output/output0.txt", "7\n")];
    let without =
        ["gen/GEN", "gen/generatore.py", "sol/lenta.py", "input/input1.txt", "output/output1.txt"];
    assert_eq!(read_with(&changes, &files, &without), plain);
}

#[test]
fn the_primary_language_is_that_of_title_and_statement() {
    let check = |key: &str, expected: &str| {
        let settings = format!("{key}name: sum\ntitle: Sum\ntime_limit: 1\nmemory_limit: 64\n");
        let files = [
            ("task.yaml", settings.as_str()),
            ("input/input0.txt", "3 4\n"),
            ("output/output0.txt", "7\n"),
            ("statement/statement.pdf", "%PDF"),
            ("statement/french.pdf", "%PDF"),
        ];
        let keep = package_with(files.iter(), &[], &[]);
        let problem = read(keep.path()).problem.expect("a problem");
        let mut found: Vec<String> =
            statements(&problem).into_iter().map(|statement| statement.language).collect();
        found.sort();
        found.push(problem.names[0].0.clone());
        assert_eq!(found.join(" "), expected, "{key}");
    };
    check("", "fr it it");
    check("primary_language: en\n", "en fr en");
    check("primary_language: english\n", "en fr en");
}

#[test]
fn graders_are_built_with_c_and_cpp() {
    let files = [("sol/grader.cpp", "g\n"), ("sol/sum.h", "g\n"), ("sol/grader.pas", "g\n")];
    let lines = read_with(&[], &files, &[]);
    let end = [
        "soluzione.cpp +sum.h +grader.cpp 1",
        "sol/lenta.py: is left out: juror builds graders with C and C++ only",
    ];
    assert_eq!(lines[lines.len() - 2..], end);
}

#[test]
fn the_source_of_a_checker_is_preferred_to_its_executable() {
    let check = |files: &[(&str, &str)], expected: &str| {
        let lines = read_with(&[], files, &[]);
        assert!(lines.iter().any(|line| line == expected), "{expected}: {lines:#?}");
    };
    check(&[("check/checker", "c\n"), ("cor/correttore.py", "c\n")], "Cms checker");
    let files = [
        ("cor/correttore", "c\n"),
        ("cor/correttore.cpp", "c\n"),
        ("cor/correttore_en.cpp", "c\n"),
        ("cor/lib/a.hpp", "a\n"),
    ];
    check(&files, "Cms correttore.cpp +lib/a.hpp");
}

#[test]
fn unsupported_settings_are_reported() {
    let check =
        |changes: &[(&str, &str)], more: &[(&str, &str)], without: &[&str], expected: &str| {
            let lines = read_with(changes, more, without);
            assert!(lines.iter().any(|line| line.contains(expected)), "{expected}: {lines:#?}");
        };
    check(
        &[],
        &[("cor/correttore_en.cpp", "c\n")],
        &[],
        "may be the checker, but there is no cor/correttore",
    );
    check(&[], &[("check/manager.cpp", "c\n")], &[], "is a manager of CMS");
    check(&[("n_input: 4", "output_only: True")], &[], &[], "`output_only` changes");
    check(&[("n_input: 4", "score_type: Sum")], &[], &[], "`score_type` changes");
    check(&[("n_input: 4", "n_input: 5")], &[], &[], "`n_input` is 5, and gen/GEN has 4 tests");
    check(&[("n_input", "n_inputs")], &[], &[], "unknown key `n_inputs` is ignored");
    check(&[("time_limit: 1.5\n", "")], &[], &[], "has no time limit");
    check(&[("infile: ''", "infile: a.txt")], &[], &[], "juror knows two file names, or none");
    check(&[("#ST: 60", "#ST: 50")], &[], &[], "the points of all subtasks are 90");
    check(&[("#ST: 60", "#ST: x")], &[], &[], "`x` is not a whole number of points");
    check(&[("# ST: 0\n", "")], &[], &[], "has tests before the first `#ST:`");
    check(&[("3 4 # small\n", "")], &[], &[], "subtask 2 has no test");
    check(&[("# small", "# ST: 5")], &[], &[], "`#ST: 5` comes after a test");
    check(&[("5 6", "'5 6'")], &[], &[], "juror would read this command differently");
    check(
        &[("att/example.txt", "att/x.txt")],
        &[],
        &["att/example.txt"],
        "there is no `att/x.txt` to be copied",
    );
    check(&[], &[], &["gen/generatore.py"], "and no generator in gen/");
    check(&[], &[], &["sol/soluzione.cpp"], "and no sol/solution.* to make it");
    check(&[], &[("gen/generator.cpp", "g\n")], &[], "is a second generator");
}

/// A link out of the task prevents verdicts only if judging needs it.
#[test]
fn an_unreadable_file_prevents_verdicts_only_if_judging_needs_it() {
    let check = |name: &str, is_judged: bool| {
        let files = [
            ("task.yaml", SETTINGS),
            ("input/input0.txt", "3 4\n"),
            ("output/output0.txt", "7\n"),
            ("sol/soluzione.cpp", "s\n"),
        ];
        let keep = package_with(files.iter(), &[("n_input: 4", "n_input: 1")], &[]);
        let link = keep.path().join(name);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &link).unwrap();
        let reading = read(keep.path());
        assert!(reading.diagnostics.iter().any(Diagnostic::is_error), "{name}");
        let is_prevented = reading.diagnostics.iter().any(Diagnostic::prevents_judging);
        assert_eq!(!is_prevented, is_judged, "{name}: {:?}", reading.diagnostics);
    };
    check("gen/limits.py", true);
    check("testo/images.sty", true);
    check("sol/other.cpp", true);
    check("sol/grader.cpp", false);
    check("gen/GEN", false);
    check("check/checker.cpp", false);
    check("input/input1.txt", false);
}
