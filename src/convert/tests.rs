//! Names of all kinds in packages that are converted: each new package is read again, and nothing is lost in silence.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::convert::losses::losses;
use juror_core::diagnostic::Diagnostic;
use juror_packages::package::convert::{PlannedContents, TargetFormat, plan};
use juror_packages::package::read;

/// A package in the new format: its files with their texts, what has no equivalent, and its test cases in order.
struct ConvertedPackage {
    files: BTreeMap<String, String>,
    losses: Vec<String>,
    cases: Vec<String>,
}

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, text).expect("a file");
}

fn convert_package(files: &[(&str, &str)], to: TargetFormat) -> ConvertedPackage {
    let keep = TempDir::new().expect("a temporary directory");
    let [old, new] = ["old", "new"].map(|name| keep.path().join(name));
    files.iter().for_each(|(name, text)| write(&old, name, text));
    let reading = read(&old);
    let problem = reading.problem.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let plan = plan(&problem, to).expect("a plan");
    let mut texts = BTreeMap::new();
    for file in &plan.files {
        let text = match &file.contents {
            PlannedContents::Text(text) => text.clone(),
            PlannedContents::File(from, _) => from.read_text(1 << 20).expect("a text"),
        };
        write(&new, &file.name, &text);
        texts.insert(file.name.clone(), text);
    }
    let again = read(&new);
    let faults: Vec<&Diagnostic> =
        again.diagnostics.iter().filter(|fault| fault.prevents_judging()).collect();
    assert!(faults.is_empty(), "{faults:?}\n{texts:?}");
    let again = again.problem.expect("a new problem");
    let cases = again.test_data.cases.iter().map(|case| case.name.clone()).collect();
    let losses = losses(plan, &problem, &again).expect("losses").into_iter();
    let losses = losses.filter(|loss| !loss.what.starts_with("uuid")).map(|loss| {
        let became = loss.became.as_deref().unwrap_or("left out");
        format!("{} | {} | {became}", loss.place, loss.what)
    });
    ConvertedPackage { files: texts, losses: losses.collect(), cases }
}

/// A legacy package with these lines in `problem.yaml` and this statement.
fn legacy_files<'a>(yaml: &'a str, statement: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("problem.yaml", yaml),
        ("problem_statement/problem.en.tex", statement),
        ("data/secret/1.in", "1\n"),
        ("data/secret/1.ans", "2\n"),
        ("submissions/accepted/a.c", "int main() {}\n"),
        ("input_validators/v.ctd", "INT(0, 9) NEWLINE EOF\n"),
    ]
}

const EXPECTATION_LOSS: &str = "submissions/accepted/a.c | expected: ";

#[test]
fn people_and_sources_keep_their_names_however_they_are_written() {
    let check = |yaml: &str, expected: &str, lost: &[&str]| {
        let yaml = format!("name: A\n{yaml}\n");
        let new = convert_package(&legacy_files(&yaml, "Add.\n"), TargetFormat::V2025_09);
        let text = &new.files["problem.yaml"];
        let (_, about) = text.split_once("- pass-fail\n").expect("the type before them");
        let about = about.split("limits:").next().unwrap_or_default();
        let found: Vec<&str> = about.lines().map(str::trim).collect();
        assert_eq!(found.join(" | "), expected, "{yaml}{text}");
        let losses = new.losses.iter().filter(|loss| !loss.starts_with(EXPECTATION_LOSS));
        assert_eq!(losses.collect::<Vec<_>>(), lost, "{yaml}");
    };
    let two = "credits: | authors: | - Ann Example | - Bob Example";
    check("author: [Ann Example, Bob Example]", two, &[]);
    check("author: Ann Example; Bob Example", two, &[]);
    check("author: Ann Example and Bob Example", two, &[]);
    check("author: Ann Example & Bob Example", two, &[]);
    check("author: |\n  Ann Example\n  and Bob Example", two, &[]);
    check("author: 'Ann Example, and Bob Example'", two, &[]);
    check("author: AT&T Labs", "credits: AT&T Labs", &[]);
    check("author: Anderson Sandy", "credits: Anderson Sandy", &[]);
    check(
        "author: [AT&T Labs, Smith and Sons]",
        "credits: | authors: | - AT&T Labs | - Smith and Sons",
        &[],
    );
    check("author: {name: Ann, email: a@example.org}", "credits: Ann <a@example.org>", &[]);
    check("author: [{name: Ann}, '']", "credits: Ann", &[]);
    check("author:", "", &[]);
    check("author: ''", "", &[]);
    check("author: Ann\ncredits: Bob", "credits: Bob", &["problem.yaml | key `author` | left out"]);
    check("rights_owner: [Ann, Bob]", "rights_owner: Ann, Bob", &[]);
    check(
        "source: [IOI, IOI 2]\nsource_url: https://example.org",
        "source: | - | name: IOI | url: https://example.org | - IOI 2",
        &[],
    );
    check("license: [cc by]", "", &["problem.yaml | key `license` | left out"]);
}

#[test]
fn an_author_that_legacy_reads_as_two_is_reported() {
    let check = |authors: &str, expected: &str, lost: Option<&str>| {
        let yaml = format!(
            "problem_format_version: 2025-09\nname: A\nuuid: 9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10\n\
             credits: {{authors: {authors}}}\n"
        );
        let mut files = legacy_files(&yaml, "Add.\n");
        files[1].0 = "statement/problem.en.tex";
        let new = convert_package(&files, TargetFormat::Legacy);
        let line = new.files["problem.yaml"].lines().find(|line| line.starts_with("author"));
        assert_eq!(line, Some(expected));
        let losses = new.losses.iter().find(|loss| loss.contains("authors"));
        assert_eq!(losses.map(String::as_str), lost);
    };
    check("[Ann, AT&T Labs]", "author: Ann, AT&T Labs", None);
    check(
        "['Doe, Jane', Ann]",
        "author: Doe, Jane, Ann",
        Some("problem.yaml | authors: Doe, Jane; Ann | Doe; Jane; Ann"),
    );
    check(
        "[Smith and Sons]",
        "author: Smith and Sons",
        Some("problem.yaml | authors: Smith and Sons | Smith; Sons"),
    );
}

#[test]
fn every_lost_value_is_reported() {
    let yaml =
        "problem_format_version: 2025-09\nname: A\nuuid: 9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10\n";
    for (args, expected) in [("[there]", "there"), ("['', a b]", "\"\" \"a b\"")] {
        let settings = format!("args: {args}\n");
        let mut files = legacy_files(yaml, "Add.\n");
        files[1].0 = "statement/problem.en.tex";
        files.push(("data/secret/1.yaml", &settings));
        let losses = convert_package(&files, TargetFormat::Legacy).losses;
        let expected = format!("data/secret/1 | args: {expected} | left out");
        assert!(losses.contains(&expected), "{losses:?}");
    }
}

#[test]
fn the_name_of_a_statement_is_read_without_its_markup() {
    let check = |statement: &str, expected: &str| {
        let new =
            convert_package(&legacy_files("author: Ann\n", statement), TargetFormat::V2025_09);
        let name = new.files["problem.yaml"].lines().find_map(|line| line.strip_prefix("name: "));
        assert_eq!(name, Some(expected), "{statement}");
    };
    check("\\problemname{Caf\\'{e} Menu}\n", "Café Menu");
    check("\\problemname{Caf{\\'e} \\& {\\bf Bar}}\n", "Café & Bar");
    check("%\\problemname{Old Title}\n\\problemname{New Title}\n", "New Title");
    check("\\newcommand{\\x}{\\problemname{#1}}\\problemname{A {B} C}\n", "A B C");
    check("\\problemname %\n  {Two\n Lines}\n", "Two Lines");
    check("%%plainproblemname:  Plain \n\\problemname{$P$}\n", "Plain");
    check("\\problemname{Sum $a_{1}$}\n", "Sum $a_{1}$");
}

/// A package of Polygon with these tests in it, in the given groups, and these names and statements.
fn polygon_xml(tests: &str, groups: &str, names: &str, statements: &str) -> String {
    let count = tests.matches("<test").count();
    format!(
        "<?xml version=\"1.0\"?><problem short-name=\"p\"><names>{names}</names>\
         <statements>{statements}</statements><judging input-file=\"\" output-file=\"\">\
         <testset name=\"tests\"><time-limit>1000</time-limit><memory-limit>268435456</memory-limit>\
         <test-count>{count}</test-count><input-path-pattern>tests/%02d</input-path-pattern>\
         <answer-path-pattern>tests/%02d.a</answer-path-pattern><tests>{tests}</tests>\
         <groups>{groups}</groups></testset></judging><assets>\
         <checker type=\"testlib\"><source path=\"check.cpp\" type=\"cpp.g++17\"/></checker>\
         <solutions><solution tag=\"main\"><source path=\"main.c\" type=\"c.gcc\"/></solution></solutions>\
         </assets></problem>"
    )
}

/// The files of such a package with so many tests.
fn polygon_files<'a>(
    xml: &'a str,
    names: &'a [String],
    more: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let mut files = vec![("problem.xml", xml), ("check.cpp", "int main() {}\n"), ("main.c", "\n")];
    files.extend(names.iter().map(|name| (name.as_str(), "7\n")));
    files.extend(more);
    files
}

fn numbered_tests(tests: usize) -> Vec<String> {
    (1..=tests)
        .flat_map(|index| [format!("tests/{index:02}"), format!("tests/{index:02}.a")])
        .collect()
}

#[test]
fn every_language_of_a_statement_is_placed_or_reported() {
    let check = |language: &str, code: Option<&str>| {
        let names = format!("<name language=\"{language}\" value=\"N\"/>");
        let statement = format!("<statement language=\"{language}\" path=\"s.tex\"/>");
        let xml = polygon_xml("<test/>", "", &names, &statement);
        for (to, directory) in
            [(TargetFormat::V2025_09, "statement"), (TargetFormat::Legacy, "problem_statement")]
        {
            let tests = numbered_tests(1);
            let files = polygon_files(&xml, &tests, &[("s.tex", "Text.\n")]);
            let new = convert_package(&files, to);
            let is_there =
                |code: &str| new.files.contains_key(&format!("{directory}/problem.{code}.tex"));
            let lost = new.losses.iter().any(|loss| loss.contains("which has no code"));
            assert_eq!(code.is_some_and(is_there), !lost, "{language}: {:?}", new.losses);
            assert_eq!(code.is_none(), lost, "{language}: {:?}", new.losses);
        }
    };
    for (language, code) in [
        ("english", "en"),
        ("slovene", "sl"),
        ("malay", "ms"),
        ("macedonian", "mk"),
        ("bosnian", "bs"),
        ("catalan", "ca"),
        ("filipino", "fil"),
        ("swahili", "sw"),
    ] {
        check(language, Some(code));
    }
    check("klingon", None);
    check("other", None);
}

#[test]
fn groups_keep_their_order_and_what_they_require() {
    let check = |old: &[&str], expected: &[&str]| {
        let point = |name: &&str| format!("<test group=\"{name}\" points=\"5\"/>");
        let tests: String = old.iter().map(point).collect();
        let group = |(index, name): (usize, &&str)| {
            let needs = match index {
                0 => String::new(),
                index => {
                    format!(
                        "<dependencies><dependency group=\"{}\"/></dependencies>",
                        old[index - 1]
                    )
                }
            };
            let head = format!("name=\"{name}\" points=\"5\" points-policy=\"complete-group\"");
            format!("<group {head}>{needs}</group>")
        };
        let groups: String = old.iter().enumerate().map(group).collect();
        let xml = polygon_xml(&tests, &groups, "<name language=\"english\" value=\"N\"/>", "");
        let tests = numbered_tests(old.len());
        let new = convert_package(&polygon_files(&xml, &tests, &[]), TargetFormat::V2025_09);
        let found: Vec<&str> = new.cases.iter().filter_map(|case| case.split('/').nth(1)).collect();
        assert_eq!(found, expected);
        for pair in expected.windows(2) {
            let settings = &new.files[&format!("data/secret/{}/test_group.yaml", pair[1])];
            let needed = format!("require_pass:\n- secret/{}\n", pair[0]);
            assert!(settings.contains(&needed), "{}: {settings}", pair[1]);
        }
        let about_groups: Vec<&String> =
            new.losses.iter().filter(|loss| loss.starts_with("data")).collect();
        assert!(about_groups.is_empty(), "{about_groups:?}");
    };
    check(&["1", "2", "3"], &["1", "2", "3"]);
    check(&["a", "b"], &["a", "b"]);
    let many = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    let even = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11"];
    check(&many, &even);
    check(&["8", "9", "10"], &["08", "09", "10"]);
    check(&["b", "a"], &["1-b", "2-a"]);
    check(&["sub9", "sub10"], &["1-sub9", "2-sub10"]);
    check(&["10", "9"], &["1-10", "2-09"]);
    check(&["1", "01"], &["1-01", "2-01"]);
    check(&["tiny", "1", "2"], &["1-tiny", "2-1", "3-2"]);
}

#[test]
fn the_samples_of_the_statement_are_shown_instead_of_the_tests() {
    let statement = "<statement language=\"russian\" path=\"s/ru/problem.tex\"/>";
    let name = "<name language=\"english\" value=\"N\"/>";
    let check = |source: &str, more: &[(&str, &str)], expected: &[(&str, &str)], lost: &[&str]| {
        let tests = "<test sample=\"true\"/><test sample=\"true\"/><test/>";
        let xml = polygon_xml(tests, "", name, statement);
        let mut all = vec![("s/ru/problem.tex", source)];
        all.extend(more);
        let tests = numbered_tests(3);
        let new = convert_package(&polygon_files(&xml, &tests, &all), TargetFormat::V2025_09);
        let is_other = |name: &&String| name.contains(".statement") || name.contains(".download");
        let others = new.files.keys().filter(is_other).map(String::as_str);
        let mut names: Vec<String> = Vec::new();
        for (case, text) in expected {
            for what in ["download", "statement"] {
                let name = format!("data/sample/{case}.{what}");
                assert_eq!(new.files.get(&name).map(String::as_str), Some(*text), "{name}");
                names.push(name);
            }
        }
        assert_eq!(others.collect::<Vec<_>>(), names, "{source}");
        let about =
            new.losses.iter().filter(|loss| loss.starts_with("s/") || loss.starts_with("s |"));
        assert_eq!(about.collect::<Vec<_>>(), lost, "{source}");
        assert_eq!(new.files["data/sample/01.in"], "7\n", "the test itself is judged");
        let text = &new.files["statement/problem.ru.tex"];
        assert!(text.contains("\\section*{Входные данные}"), "{text}");
    };
    let files = [("s/ru/example.01", "shown\r\n1\r\n"), ("s/ru/example.01.a", "shown 2")];
    let one = "\\exmpfile{example.01}{example.01.a}%\n";
    let shown = [("01.ans", "shown 2\n"), ("01.in", "shown\n1\n")];
    check(one, &files, &shown, &[]);
    check("\\exmp{ 7 }{ 8\n9 }", &[], &[("01.ans", "8\n9\n")], &[]);
    check("\\exmp{7}{7}\\exmp{7}{x}", &[], &[("02.ans", "x\n")], &[]);
    check("%\\exmp{1}{2}\n\\exmp{7}{7}", &[], &[], &[]);
    let same = [("s/ru/example.01", "7\r\n"), ("s/ru/example.01.a", "7")];
    check(one, &same, &[], &[]);
    check(
        "\\exmp{7}{7}\\exmp{7}{7}\\exmp{7}{7}",
        &[],
        &[],
        &["s/ru/problem.tex | 1 sample of the statement | left out"],
    );
    // Legacy has no such texts.
    let xml = polygon_xml("<test sample=\"true\"/><test/>", "", name, statement);
    let tests = numbered_tests(2);
    let all = [("s/ru/problem.tex", "\\exmp{7}{8}")];
    let new = convert_package(&polygon_files(&xml, &tests, &all), TargetFormat::Legacy);
    let lost = "s/ru/problem.tex: sample/01.ans | a text that contestants see instead of the test case's | left out";
    assert!(new.losses.iter().any(|loss| loss == lost), "{:?}", new.losses);
}

#[test]
fn files_whose_names_become_equal_get_numbers() {
    let check = |old: &[&str], expected: &[&str]| {
        let mut files = legacy_files("name: A\nauthor: B\n", "Add.\n");
        files.extend(old.iter().map(|name| (*name, "int main() {}\n")));
        let new = convert_package(&files, TargetFormat::V2025_09);
        for (old, expected) in old.iter().zip(expected) {
            let is_lost = new.losses.iter().any(|loss| {
                *loss == format!("{old} | a name that the format does not allow | {expected}")
            });
            assert_eq!(is_lost, old != expected, "{old}: {:?}", new.losses);
            assert!(new.files.contains_key(*expected), "{expected}: {:?}", new.files.keys());
        }
        let others = new.losses.iter().filter(|loss| !loss.contains("a name that"));
        let is_known = |loss: &&String| loss.contains("expected: ") || loss.contains("order of");
        let others: Vec<&String> = others.filter(|loss| !is_known(loss)).collect();
        assert!(others.is_empty(), "{others:?}");
    };
    check(
        &["data/secret/a b.in", "data/secret/a b.ans", "data/secret/a_b.in", "data/secret/a_b.ans"],
        &[
            "data/secret/a_b_2.in",
            "data/secret/a_b_2.ans",
            "data/secret/a_b.in",
            "data/secret/a_b.ans",
        ],
    );
    check(
        &["data/secret/a b.in", "data/secret/a b.ans", "data/secret/a+b.in", "data/secret/a+b.ans"],
        &[
            "data/secret/a_b.in",
            "data/secret/a_b.ans",
            "data/secret/a_b_2.in",
            "data/secret/a_b_2.ans",
        ],
    );
    check(
        &["data/sample/ü.in", "data/sample/ü.ans", "data/sample/ö.in", "data/sample/ö.ans"],
        &["data/sample/__2.in", "data/sample/__2.ans", "data/sample/_.in", "data/sample/_.ans"],
    );
    check(
        &["submissions/accepted/a b.c", "submissions/accepted/a_b.c"],
        &["submissions/accepted/a_b_2.c", "submissions/accepted/a_b.c"],
    );
    check(
        &["attachments/a b.tar.gz", "attachments/a_b.tar.gz", "attachments/a+b.tar.gz"],
        &["attachments/a_b_2.tar.gz", "attachments/a_b.tar.gz", "attachments/a_b_3.tar.gz"],
    );
    check(&["submissions/accepted/a b/m.c"], &["submissions/accepted/a_b/m.c"]);
}

#[test]
fn settings_of_juror_keep_every_letter() {
    for reason in [
        "valeur\u{a0}: au plus 100",
        "cafe\u{301}",
        "मान 100 तक है",
        "\u{7f}\u{2028}",
        "a\\u00e9\"b",
    ] {
        let toml = format!(
            "[strength.equivalent]\n\"accepted/a.c:{0}\" = \"{0}\"\n",
            reason.replace('\\', "\\\\").replace('"', "\\\"").replace('\u{7f}', "\\u007F")
        );
        let mut files = legacy_files("name: A\n", "Add.\n");
        files.push(("juror.toml", &toml));
        let new = convert_package(&files, TargetFormat::V2025_09);
        assert!(
            new.losses.iter().all(|loss| loss.starts_with(EXPECTATION_LOSS)),
            "{:?}",
            new.losses
        );
    }
}
