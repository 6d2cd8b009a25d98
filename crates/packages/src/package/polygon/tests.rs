//! A small package, changed in one place, and how juror reads it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::package::convert::{TargetFormat, plan};
use crate::package::statements::statements;
use crate::package::{PackageReading, read};
use juror_core::problem::{Grading, Interaction, Problem, ProgramIo};
use juror_core::recipe::{AnswerSource, InputSource, RecipeCase};
use juror_core::test_data::{TestGroup, ValidatorArgs};

const SETTINGS: &str = r#"<?xml version="1.0" encoding="utf-8" standalone="no"?>
<problem revision="3" short-name="sum" url="https://polygon.codeforces.com/p/somebody/sum">
    <names>
        <name language="english" value="Sum"/>
        <name language="russian" value="Сумма"/>
    </names>
    <judging cpu-name="some" cpu-speed="3600" input-file="" output-file="" run-count="1">
        <testset name="tests">
            <time-limit>1500</time-limit>
            <memory-limit>268435456</memory-limit>
            <test-count>3</test-count>
            <input-path-pattern>tests/%02d</input-path-pattern>
            <answer-path-pattern>tests/%02d.a</answer-path-pattern>
            <tests>
                <test method="manual" sample="true"/>
                <test cmd="gen 5 &quot;a b&quot;" method="generated"/>
                <test method="manual"/>
            </tests>
        </testset>
    </judging>
    <files>
        <resources>
            <file path="files/olymp.sty"/>
            <file path="files/testlib.h" type="h.g++"/>
        </resources>
        <executables>
            <executable><source path="files/gen.cpp" type="cpp.g++17"/></executable>
        </executables>
    </files>
    <assets>
        <checker name="std::ncmp.cpp" type="testlib">
            <source path="files/check.cpp" type="cpp.g++17"/>
            <testset>
                <test-count>1</test-count>
                <input-path-pattern>files/c/%02d</input-path-pattern>
                <output-path-pattern>files/c/%02d.o</output-path-pattern>
                <answer-path-pattern>files/c/%02d.a</answer-path-pattern>
                <tests><test verdict="wrong-answer"/></tests>
            </testset>
        </checker>
        <validators>
            <validator>
                <source path="files/val.cpp" type="cpp.g++17"/>
                <testset>
                    <test-count>2</test-count>
                    <input-path-pattern>files/v/%02d</input-path-pattern>
                    <tests><test verdict="valid"/><test verdict="invalid" testset="tests" group="1"/></tests>
                </testset>
            </validator>
        </validators>
        <solutions>
            <solution tag="main"><source path="solutions/main.cpp" type="cpp.g++17"/></solution>
            <solution tag="wrong-answer"><source path="solutions/wa.py" type="python.3"/></solution>
        </solutions>
    </assets>
</problem>
"#;

/// All files but `problem.xml`; each contains a line with its name.
const FILES: [&str; 17] = [
    "files/olymp.sty",
    "files/testlib.h",
    "files/gen.cpp",
    "files/check.cpp",
    "files/val.cpp",
    "files/c/01",
    "files/c/01.o",
    "files/c/01.a",
    "files/v/01",
    "files/v/02",
    "solutions/main.cpp",
    "solutions/wa.py",
    "tests/01",
    "tests/01.a",
    "tests/03",
    "tests/03.a",
    "statements/problem.pdf",
];

/// The package with these words of `problem.xml` replaced and without these files.
fn package(changes: &[(&str, &str)], without: &[&str]) -> TempDir {
    let keep = TempDir::new().expect("a temporary directory");
    let mut settings = SETTINGS.to_owned();
    for (old, new) in changes {
        assert!(settings.contains(old), "{old}");
        settings = settings.replace(old, new);
    }
    let put = |name: &str, text: &str| {
        let path = keep.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a new file");
    };
    put("problem.xml", &settings);
    for name in FILES.into_iter().filter(|name| !without.contains(name)) {
        put(name, &format!("{name}\n"));
    }
    keep
}

fn problem(changes: &[(&str, &str)]) -> (TempDir, Problem) {
    let keep = package(changes, &[]);
    let problem = read(keep.path()).problem.expect("a problem");
    (keep, problem)
}

/// The remarks about a package, without its directory.
fn remarks(dir: &Path) -> Vec<String> {
    let PackageReading { diagnostics, .. } = read(dir);
    let prefix = format!("{}/", dir.display());
    diagnostics.iter().map(|diagnostic| diagnostic.to_string().replace(&prefix, "")).collect()
}

/// Checks that there is one remark about a changed package, without the directory.
fn check(changes: &[(&str, &str)], without: &[&str], expected: &str) {
    let keep = package(changes, without);
    let lines = remarks(keep.path());
    assert!(lines.iter().any(|line| line.contains(expected)), "{changes:?}: {lines:#?}");
}

#[test]
fn a_package_is_read_without_a_remark() {
    let keep = package(&[], &[]);
    assert_eq!(remarks(keep.path()), [""; 0]);
    let problem = read(keep.path()).problem.expect("a problem");
    assert_eq!(problem.layout.format, "Polygon");
    assert_eq!(
        problem.names,
        [("en".to_owned(), "Sum".to_owned()), ("ru".to_owned(), "Сумма".to_owned())]
    );
    assert_eq!(problem.limits.time_limit.map(|limit| limit.as_millis()), Some(1500));
    assert_eq!(problem.limits.memory.map(|bytes| bytes.0), Some(256 << 20));
    assert_eq!(
        (problem.kind.grading, problem.kind.interaction),
        (Grading::PassFail, Interaction::None)
    );
    assert_eq!(problem.io, ProgramIo::Standard);
    let names: Vec<&str> = problem.test_data.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["tests/01", "tests/02", "tests/03"]);
    let args = ["--testset", "tests"].map(str::to_owned).to_vec();
    assert_eq!(problem.test_data.cases[0].input_validator_args, ValidatorArgs::All(args));
    let valid = &problem.test_data.valid_inputs;
    assert_eq!(valid.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["files/v/01"]);
    let invalid = &problem.test_data.invalid_inputs[0];
    assert_eq!(invalid.name, "files/v/02");
    let args = ["--testset", "tests", "--group", "1"].map(str::to_owned).to_vec();
    assert_eq!(invalid.input_validator_args, ValidatorArgs::All(args));
    assert_eq!(problem.test_data.output_trials.len(), 1);
    let include: Vec<_> =
        problem.output_validators[0].include.iter().map(|file| file.name.clone()).collect();
    assert_eq!(include, [Path::new("testlib.h")]);
}

/// A recipe's case as `NAME: INPUT | ANSWER`, with paths below the package.
fn case_line(case: &RecipeCase, dir: &Path) -> String {
    let below = |path: &Path| path.strip_prefix(dir).unwrap_or(path).display().to_string();
    let input = match &case.input {
        InputSource::Command(command) => {
            format!("{} {}", below(&command.program.path), command.args.join(","))
        }
        InputSource::File(path) => below(path),
        other => format!("{other:?}"),
    };
    let answer = match &case.answer {
        AnswerSource::Solution(path) | AnswerSource::File(path) => below(path),
        other => format!("{other:?}"),
    };
    format!("{}: {input} | {answer}", case.name)
}

#[test]
fn missing_files_have_a_recipe() {
    let check = |without: &[&str], windows: &[&str], expected: &[&str]| {
        let keep = package(&[], without);
        for name in windows {
            fs::write(keep.path().join(name), "1\r\n2\r\n").expect("a file");
        }
        let unmade =
            read(keep.path()).problem.expect("a problem").pending_recipe.expect("a recipe");
        let cases: Vec<String> =
            unmade.cases.iter().map(|case| case_line(case, keep.path())).collect();
        assert_eq!(cases, expected);
        let lines = remarks(keep.path());
        assert_eq!(lines, [""; 0]);
    };
    let second = "tests/02: files/gen.cpp 5,a b | solutions/main.cpp";
    check(&[], &[], &[second]);
    check(&["tests/03.a"], &[], &[second, "tests/03: tests/03 | solutions/main.cpp"]);
    check(&[], &["tests/01"], &["tests/01: tests/01 | tests/01.a", second]);
    check(&[], &["tests/02", "tests/02.a"], &["tests/02: tests/02 | tests/02.a"]);
    check(&[], &["files/v/02"], &[second, "files/v/02: files/v/02 | None"]);
}

#[test]
fn tags_become_expectations() {
    let check = |tag: &str, permitted: &str, required: &str| {
        let (_keep, problem) = problem(&[("tag=\"wrong-answer\"", &format!("tag=\"{tag}\""))]);
        let list = |verdicts: &Option<Vec<_>>| {
            let verdicts = verdicts.iter().flatten();
            verdicts.map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        let submission = problem
            .submissions
            .iter()
            .find(|submission| submission.name == "wa.py")
            .expect("a solution");
        let [rule] = &submission.expectations[..] else { panic!("{tag}") };
        let found = (list(&rule.permitted), list(&rule.required));
        assert_eq!(found, (permitted.to_owned(), required.to_owned()), "{tag}");
    };
    check("main", "AC", "");
    check("accepted", "AC", "");
    check("rejected", "", "WA RTE TLE");
    check("wrong-answer", "AC WA", "WA");
    check("presentation-error", "AC WA", "WA");
    check("time-limit-exceeded", "AC TLE", "TLE");
    check("time-limit-exceeded-or-accepted", "AC TLE", "");
    check("time-limit-exceeded-or-memory-limit-exceeded", "AC RTE TLE", "RTE TLE");
    check("memory-limit-exceeded", "AC RTE", "RTE");
    let left_out = |tag: &str| {
        let (_keep, problem) = problem(&[("tag=\"wrong-answer\"", &format!("tag=\"{tag}\""))]);
        assert_eq!(problem.submissions.len(), 1, "{tag}");
    };
    left_out("do-not-run");
    left_out("failed");
}

const TESTS: &str = r#"<test method="manual" sample="true"/>
                <test cmd="gen 5 &quot;a b&quot;" method="generated"/>
                <test method="manual"/>
            </tests>"#;

#[test]
fn points_make_groups() {
    let grouped = r#"<test method="manual" group="0" points="0"/>
        <test method="manual" cmd="gen" group="1" points="12.5"/>
        <test method="manual" group="2" points="7.5"/>
        </tests><groups>
        <group name="0" points-policy="each-test" feedback-policy="complete"/>
        <group name="1" points="40" points-policy="complete-group"/>
        <group name="2" points-policy="each-test">
            <dependencies><dependency group="0"/><dependency group="1"/></dependencies>
        </group></groups>"#;
    let check = |grouped: &str, expected: [&str; 4]| {
        let (_keep, problem) = problem(&[(TESTS, grouped)]);
        assert_eq!(problem.kind.grading, Grading::Scoring);
        let description = |group: &TestGroup| {
            let scoring = group.scoring.as_ref().expect("a score");
            let most = scoring.max_score.expect("a bound");
            let (how, needed) = (scoring.aggregation, scoring.require_pass.join(","));
            format!("{} {most} {how:?} {needed}", group.name)
        };
        let groups: Vec<String> = problem.test_data.groups.iter().map(description).collect();
        assert_eq!(groups, expected);
        problem
    };
    let problem = check(
        grouped,
        [
            "tests 47.5 Sum ",
            "tests/0 0 Sum ",
            "tests/1 40 PassFail ",
            "tests/2 7.5 Sum tests/0,tests/1",
        ],
    );
    let names: Vec<&str> = problem.test_data.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["tests/0/01", "tests/1/02", "tests/2/03"]);
    // Only a group has points.
    let grouped = [" points=\"0\"", " points=\"12.5\"", " points=\"7.5\""]
        .iter()
        .fold(grouped.to_owned(), |text, points| text.replace(points, ""));
    check(
        &grouped,
        [
            "tests 40 Sum ",
            "tests/0 0 Sum ",
            "tests/1 40 PassFail ",
            "tests/2 0 Sum tests/0,tests/1",
        ],
    );
}

#[test]
fn both_the_input_file_and_the_output_file_are_named() {
    let (_keep, problem) = problem(&[
        ("input-file=\"\"", "input-file=\"in.txt\""),
        ("output-file=\"\"", "output-file=\"out.txt\""),
    ]);
    let expected = ProgramIo::Files { input: "in.txt".to_owned(), output: "out.txt".to_owned() };
    assert_eq!(problem.io, expected);
    check(&[("input-file=\"\"", "input-file=\"in.txt\"")], &[], "only one of `input-file`");
}

#[test]
fn an_interactor_makes_the_problem_interactive() {
    let assets = "<interactor><source path=\"files/val.cpp\"/></interactor><validators>";
    let keep = package(&[("<validators>", assets)], &["tests/03.a"]);
    let problem = read(keep.path()).problem.expect("a problem");
    assert_eq!(problem.kind.interaction, Interaction::Interactive);
    assert!(problem.interactor.is_some());
    let lines = remarks(keep.path());
    assert!(lines.iter().any(|line| line.contains("the interactor writes it")), "{lines:#?}");
}

#[test]
fn a_name_that_becomes_a_path_must_be_plain() {
    for name in ["..", ".", "../x", "/tmp/x", "tests/../x", "x/", "", "a b", "a\\b", "&#10;"] {
        // An empty name counts as none.
        if !name.is_empty() {
            let set = format!("testset name=\"{name}\"");
            check(&[("testset name=\"tests\"", &set)], &[], "cannot be the name of a testset");
        }
        let statement = format!(
            "</names><statements><statement language=\"en/{name}\" path=\"statements/problem.pdf\"/>"
        );
        let language = ("</names>", &*format!("{statement}</statements>"));
        check(&[language], &[], "cannot be the name of a language");
        let keep = package(&[language], &[]);
        let problem = read(keep.path()).problem.expect("a problem");
        assert_eq!(statements(&problem), []);
    }
    for name in ["..", "../x", "/tmp/x", "a/b", "a\\b"] {
        let group = TESTS.replace("sample=", &format!("group=\"{name}\" sample="));
        check(&[(TESTS, &group)], &[], "cannot be the name of a group");
    }
    for pattern in ["../tests/%02d<", "/etc/%02d<", "tests/%02d/..<", "tests//%02d<"] {
        check(&[("tests/%02d<", pattern)], &[], "must be a path such as `tests/%02d`");
    }
}

/// The planner of a new package refuses such names whatever a reader says.
#[test]
fn no_new_package_has_a_file_outside_of_it() {
    let planned = |name: &str, to: TargetFormat| {
        let (_keep, mut problem) = problem(&[]);
        problem.test_data.cases[2].name = name.to_owned();
        plan(&problem, to).map(|_| ()).map_err(|fault| fault.to_string())
    };
    for (name, reason) in [
        ("tests/../../../x", "has a part `..`"),
        ("tests/a/../x", "has a part `..`"),
        ("tests//x", "has an empty part"),
        ("tests/./x", "has a part `.`"),
        ("tests/a\\x", "contains a backslash"),
        ("tests/a\0x", "contains a zero byte"),
    ] {
        for to in [TargetFormat::Legacy, TargetFormat::DomjudgeZip] {
            let fault = planned(name, to).expect_err(name);
            assert!(
                fault.contains("a new file would be called")
                    && fault.contains(&*format!("which {reason}\n")),
                "{fault}"
            );
        }
    }
    assert_eq!(planned("tests/x", TargetFormat::Legacy), Ok(()));
}

#[test]
fn unsupported_settings_are_reported() {
    check(&[("run-count=\"1\"", "run-count=\"2\"")], &[], "`run-count` is 2");
    let percent = "run-count=\"1\" treat-points-from-checker-as-percent=\"true\"";
    check(&[("run-count=\"1\"", percent)], &[], "`treat-points-from-checker-as-percent` is true");
    let twice = ("</assets>", "</assets><tags><tag value=\"run-twice\"/></tags>");
    check(&[(" run-count=\"1\"", ""), twice], &[], "runs submissions twice");
    check(&[("</assets>", "<scorer/></assets>")], &[], "`scorer` changes how");
    check(&[("type=\"testlib\"", "type=\"other\"")], &[], "is of type `other`");
    check(&[("tag=\"wrong-answer\"", "tag=\"odd\"")], &[], "`odd` is not a known tag");
    check(&[("tag=\"wrong-answer\"", "tag=\"failed\"")], &[], "is tagged `failed`");
    check(
        &[("<time-limit>1500", "<time-limit>1.5")],
        &[],
        "must be a whole number of milliseconds",
    );
    check(
        &[("tests/%02d<", "tests/%s<")],
        &[],
        "must be a path such as `tests/%02d`, not `tests/%s`",
    );
    check(
        &[("name=\"tests\"", "name=\"tests\" odd=\"1\"")],
        &[],
        "has an attribute `odd`, which juror does not know",
    );
    check(
        &[("<judging", "<odd/><judging")],
        &[],
        "has an element `odd`, which juror does not know",
    );
    check(
        &[("<resources>", "<resources><resource/>")],
        &[],
        "`resources` has an element `resource`, which juror does not know",
    );
    check(&[("<test-count>3", "<test-count>4")], &[], "`test-count` is 4, and there are 3 tests");
    let library = "type=\"h.g++\"/><file path=\"files/gen.cpp\" type=\"cpp.g++17\"><assets><asset name=\"solution\"/></assets></file>";
    check(&[("type=\"h.g++\"/>", library)], &[], "built or run with submissions");
    let grouped = |groups: &str| {
        TESTS.replace("/>", " group=\"1\" points=\"1\"/>") + &format!("<groups>{groups}</groups>")
    };
    let policy = grouped("<group name=\"1\" points-policy=\"odd\"/>");
    check(&[(TESTS, &policy)], &[], "`odd` is not a known points policy");
    let sum = grouped("<group name=\"1\" points=\"4\" points-policy=\"each-test\"/>");
    check(&[(TESTS, &sum)], &[], "group 1 has 4 points, and its tests have 3");
    let depends =
        "<group name=\"1\"><dependencies><dependency group=\"2\"/></dependencies></group>";
    check(&[(TESTS, &grouped(depends))], &[], "does not come before it");
}

#[test]
fn missing_files_are_reported() {
    check(
        &[],
        &["files/check.cpp"],
        "the source of the checker std::ncmp.cpp is not in the package",
    );
    check(&[], &["files/val.cpp"], "there is no file `files/val.cpp` in the package");
    check(&[], &["tests/03"], "there is no `tests/03`, and no command that makes it");
    check(
        &[("cmd=\"gen 5", "cmd=\"other 5")],
        &[],
        "there is no `tests/02`, and no generator `other`",
    );
    check(&[("cmd=\"gen 5", "from-file=\"x\" cmd=\"gen 5")], &[], "makes several tests at once");
    check(&[("cmd=\"gen 5", "cmd=\"gen {seed} 5")], &[], "juror would replace `{seed}`");
    check(&[("tag=\"main\"", "tag=\"accepted\"")], &[], "no solution is tagged `main`");
    check(&[], &["files/c/01.o"], "there is no `files/c/01.o` for this test");
}

#[test]
fn invalid_xml_is_reported() {
    check(&[("</judging>", "")], &[], "is not valid XML");
    let bomb = "standalone=\"no\"?><!DOCTYPE x [<!ENTITY a \"aaaa\">]>";
    check(&[("standalone=\"no\"?>", bomb)], &[], "is not valid XML");
    check(&[("files/gen.cpp", "../gen.cpp")], &[], "there is no file `../gen.cpp` in the package");
    let keep = TempDir::new().expect("a temporary directory");
    fs::write(keep.path().join("problem.xml"), "<problem><other/></problem>").expect("a file");
    assert_eq!(read(keep.path()).layout, None);
}
