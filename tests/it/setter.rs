//! What a setter breaks, one thing at a time, and what `verify` says: once, where it is, with the way out.

use std::fs;
use std::path::Path;

use crate::fixture::{Fixture, write_program};

/// One breakage of a package that `juror new` made.
struct Row {
    /// Changes the package.
    breaks: fn(&Package<'_>),
    /// Options of `juror verify`.
    options: &'static str,
    code: i32,
    /// Each stands exactly once in all that juror writes. Names of files are relative to the package.
    says: &'static [&'static str],
}

/// A package to break. Paths are relative to it.
struct Package<'a> {
    fixture: &'a Fixture,
    name: String,
}

impl Package<'_> {
    fn write(&self, path: &str, text: &str) {
        self.fixture.write(&format!("{}/{path}", self.name), text);
    }

    fn remove(&self, path: &str) {
        self.fixture.remove(&format!("{}/{path}", self.name));
    }

    /// The text must be there.
    fn replace(&self, path: &str, old: &str, new: &str) {
        let text = self.fixture.read(&format!("{}/{path}", self.name));
        assert!(text.contains(old), "{path} lacks {old}:\n{text}");
        self.write(path, &text.replace(old, new));
    }

    fn append(&self, path: &str, text: &str) {
        let before = self.fixture.read(&format!("{}/{path}", self.name));
        self.write(path, &(before + text));
    }
}

/// Breaks a copy of what `juror new p` with these options makes, for each row. All rows share a cache, so that only the
/// first one builds its programs.
fn check(new: &str, rows: &[Row]) {
    let fixture = Fixture::new();
    fixture.check_with_cache(&format!("new p -q {new}"), 0, &[]);
    for (index, row) in rows.iter().enumerate() {
        let name = format!("p{index}");
        copy(&fixture.path("p"), &fixture.path(&name));
        (row.breaks)(&Package { fixture: &fixture, name: name.clone() });
        let arguments = format!("verify {name} {}", row.options);
        let text = fixture.text_with_cache(&arguments, row.code);
        let flat = text.replace(&format!("{name}/"), "");
        for piece in row.says {
            let number = flat.matches(piece).count();
            assert_eq!(number, 1, "juror {arguments}: `{piece}`:\n{text}");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap) {
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A validator of the row problem in Python: `outputs` has the lines that judge the number `got`, and `best` is right.
/// `no(MESSAGE, CODE)` ends it.
fn validator(rule: &str) -> String {
    format!(
        "\
import sys
text = open(sys.argv[1]).read().split()
row = [int(word) for word in text[1:]]
best = ending = row[0]
for number in row[1:]:
    ending = max(number, ending + number)
    best = max(best, ending)
want = open(sys.argv[2]).read().split()
def no(message, code=43):
    open(sys.argv[3] + 'judgemessage.txt', 'w').write(message + '\\n')
    sys.exit(code)
words = sys.stdin.buffer.read().decode(errors='replace').split()
{rule}
sys.exit(42)
"
    )
}

const STRICT: &str = "\
if len(words) != 1 or not words[0].lstrip('-').isdigit(): no('expected one number')
got = int(words[0])
if got != best: no(f'the best sum is {best}')";

const VALIDATOR: &str = "output_validator/check.py";

#[test]
fn judge_answers_and_output_validators_are_proved() {
    check(
        "",
        &[
            Row {
                breaks: |package| package.write(VALIDATOR, &validator(STRICT)),
                options: "--strict",
                code: 0,
                says: &["no errors, no warnings"],
            },
            Row {
                breaks: |package| {
                    package.write(VALIDATOR, &validator(STRICT));
                    package.write("data/secret/01-one.ans", "garbage\n");
                },
                options: "",
                code: 0,
                says: &[
                    "warning: the output validator `check.py` rejects this judge answer: expected one number",
                    "data/secret/01-one.ans",
                    "1 warning",
                ],
            },
            // Two answers are exchanged; warnings are errors.
            Row {
                breaks: |package| {
                    package.write(VALIDATOR, &validator(STRICT));
                    package.write("data/secret/01-one.ans", "-1000000\n");
                    package.write("data/secret/05-whole-row.ans", "7\n");
                },
                options: "--strict",
                code: 3,
                says: &[
                    "error: the output validator `check.py` rejects this judge answer: the best sum is 7",
                    "data/secret/01-one.ans",
                    "data/secret/05-whole-row.ans",
                    "2 errors",
                ],
            },
            // Answers of another form are allowed.
            Row {
                breaks: |package| {
                    package.write(VALIDATOR, &validator(STRICT));
                    for name in ["01-one", "02-one-least", "03-zeros", "04-negative-and-zero"] {
                        package.append(&format!("data/secret/{name}.ans"), "is best\n");
                    }
                },
                options: "-v",
                code: 0,
                says: &[
                    "remark: the output validator rejects 4 of 14 judge answers as outputs, such as",
                    "no errors, no warnings",
                ],
            },
            // The validator fails on what is better than the answer.
            Row {
                breaks: |package| {
                    let rule = "if got > int(want[0]): no('better than the judge', 1)";
                    package.write(VALIDATOR, &validator(&format!("{STRICT}\n{rule}")));
                    package.write("data/secret/05-whole-row.ans", "1\n");
                },
                options: "",
                code: 4,
                says: &[
                    "no verdict for accepted/best.rs, time_limit_exceeded/all_parts.rs, wrong_answer/empty_part.rs \
                     cannot judge secret/05-whole-row \
                     with the output validator `check.py`: it ended with exit code 1; it must be 42 to accept, or 43 \
                     to reject: better than the judge",
                    "it rejects the judge answer as an output, but if this output is right, \
                     data/secret/05-whole-row.ans may be wrong",
                ],
            },
            // It breaks down on the answer, too.
            Row {
                breaks: |package| {
                    let rule = "if got == 7: no('seven', 1)";
                    package.write(VALIDATOR, &validator(&format!("{STRICT}\n{rule}")));
                },
                options: "",
                code: 4,
                says: &[
                    "it breaks down on the judge answer, too: fix the output validator, or \
                     data/secret/01-one.ans",
                    "or 43 to reject: seven",
                ],
            },
            // Nobody agrees with the answer.
            Row {
                breaks: |package| package.write("data/secret/05-whole-row.ans", "1\n"),
                options: "",
                code: 1,
                says: &[
                    "warning: accepted/best.rs and time_limit_exceeded/all_parts.rs agree on another output: this judge \
                     answer may be wrong",
                    "first difference at token 1",
                ],
            },
            Row {
                breaks: |package| package.write(VALIDATOR, "import sys\nsys.exit(42)\n"),
                options: "",
                code: 3,
                says: &[
                    "error: accepts an empty output,",
                    "error: accepts nonsense as the output,",
                ],
            },
            Row {
                breaks: |package| {
                    let rule = "if not words or words[0] != str(best): no('wrong')";
                    package.write(VALIDATOR, &validator(rule));
                },
                options: "",
                code: 0,
                says: &[
                    "warning: accepts further words at the end of an output, on sample/1 and 2 more",
                ],
            },
            Row {
                breaks: |package| {
                    let rule =
                        "if len(words) == 2: int(words[0])\nif words != [str(best)]: no('wrong')";
                    package.write(VALIDATOR, &validator(rule));
                },
                options: "-v",
                code: 0,
                says: &[
                    "remark: breaks down on two words that are no numbers, on sample/1",
                    "no errors, no warnings",
                ],
            },
            Row {
                breaks: |package| {
                    package.write("data/secret/01-one.ans", "7 \n");
                    package.write("data/secret/03-zeros.ans", "0\t\n");
                },
                options: "",
                code: 0,
                says: &[
                    "has blanks at the ends of lines ╭▸ data/secret/01-one.ans",
                    "has blanks at the ends of lines ╭▸ data/secret/03-zeros.ans",
                    "2 warnings",
                ],
            },
        ],
    );
}

#[test]
fn validators_of_scoring_problems_are_proved_as_others() {
    check(
        "--type scoring",
        &[
            Row {
                breaks: |package| package.write(VALIDATOR, "import sys\nsys.exit(42)\n"),
                options: "",
                code: 3,
                says: &[
                    "error: accepts an empty output,",
                    "error: accepts nonsense as the output,",
                ],
            },
            // Nonsense that is worth nothing is rejected.
            Row {
                breaks: |package| {
                    package.remove("submissions/submissions.yaml");
                    for group in ["1-short", "2-long"] {
                        let file = format!("data/secret/{group}/test_group.yaml");
                        package.append(&file, "score_aggregation: sum\n");
                    }
                    let rule = "\
if words != [str(best)]:
    if text[0] in '36': no('wrong')
    open(sys.argv[3] + 'score.txt', 'w').write('0')";
                    package.write(VALIDATOR, &validator(rule));
                },
                options: "",
                code: 0,
                says: &[
                    "1 warning",
                    "secret/1-short/test_group.yaml, secret/2-long/test_group.yaml",
                ],
            },
            Row {
                breaks: |package| {
                    package.replace("data/secret/2-long/test_group.yaml", "70", "60");
                    package.replace("submissions/submissions.yaml", "score: 100", "score: 90");
                },
                options: "",
                code: 0,
                says: &[
                    "warning: the groups of secret give at most 90, less than its max_score of 100",
                    "╭▸ data/secret ╰",
                    "change that in data/secret/test_group.yaml",
                ],
            },
        ],
    );
}

#[test]
fn statements_names_and_settings_are_proved() {
    check(
        "",
        &[
            Row {
                breaks: |package| {
                    package.append(
                        "statement/problem.en.md",
                        "\n{{nosuch}} ![x](no.png) $x \\le {{maxw}}$\n",
                    );
                    package.append("problem.yaml", "constants: {maxv: 1000000}\n");
                    package.replace("problem.yaml", "name: \"P\"", "name: {en: P, de: P}");
                    package.write(
                        "statement/problem.de.tex",
                        "\\foo \\bar $x \\le {{maxv}}$\n\\begin{center} { text\n",
                    );
                    package.replace(
                        "input_validators/input.ctd",
                        "-1000000, 1000000",
                        "-1000000, {{maxx}}",
                    );
                },
                options: "",
                code: 3,
                says: &[
                    "warning: unknown constant `nosuch`",
                    "warning: unknown constant `maxw`",
                    "did you mean `maxv`?",
                    "warning: the image `no.png` is left out",
                    "warning: 2 commands are unknown, first `\\foo`",
                    "statement/problem.de.tex:1:1 │",
                    "warning: `{{maxv}}` is no constant in LaTeX",
                    "warning: `\\begin{center}` is shown as written: it has no match",
                    "warning: `{` is shown as written: it has no match",
                    "error: `{{maxx}}` is not a constant of the problem",
                    "did you mean `{{maxv}}`?",
                    "1 error, 7 warnings",
                ],
            },
            // The grammar refuses what the only program accepts.
            Row {
                breaks: |package| {
                    package.write("input_validators/all.py", "import sys\nsys.exit(42)\n");
                },
                options: "-v",
                code: 0,
                says: &[
                    "the grammar refuses them ╭▸ input_validators/all.py ╰ help: read to the end of the input",
                    "the grammar refuses them ╭▸ input_validators/all.py ╰ help: refuse numbers in another form",
                    "no errors, no warnings",
                ],
            },
            Row {
                breaks: |package| {
                    package.write("data/secret/15-more.in", "2\n1 2\n");
                    package.write("data/secret/16-none.ans", "1\n");
                    package.write("submissions/accepted/notes.txt", "later\n");
                    package.replace("problem.yaml", "name: \"P\"", "name: \"P\"\nname: \"Q\"");
                    package.append("problem.yaml", "licence: mit\n");
                },
                options: "",
                code: 3,
                says: &[
                    "error: has no `15-more.ans` ╭▸ data/secret/15-more.in",
                    "error: there is no `16-none.in` for it ╭▸ data/secret/16-none.ans",
                    "warning: key `name` replaces the one on line 2 ╭▸ problem.yaml:3:1",
                    "error: unknown key `licence` ╭▸ problem.yaml:11:1",
                    "did you mean `license`?",
                    "is not a submission ╭▸ submissions/accepted/notes.txt",
                    "3 errors, 2 warnings",
                ],
            },
            Row {
                breaks: |package| {
                    package.write("data/secret/17-wide.in", "1\n 7\n");
                    package.write("data/secret/17-wide.ans", "7\n");
                    package.write("data/secret/18-same.in", "1\n7\n");
                    package.write("data/secret/18-same.ans", "7\n");
                    package.write("data/secret/19-windows.in", "1\r\n7\r\n");
                    package.write("data/secret/19-windows.ans", "7\r\n");
                    package.write("data/invalid_input/fine.in", "1\n7\n");
                    package.write("data/invalid_output/right.in", "1\n7\n");
                    package.write("data/invalid_output/right.ans", "7\n");
                    package.write("data/invalid_output/right.out", "7\n");
                },
                options: "",
                code: 3,
                says: &[
                    "has Windows line ends (CR LF) ╭▸ data/secret/19-windows.ans",
                    "has Windows line ends (CR LF) ╭▸ data/secret/19-windows.in",
                    "for `a[i]`, got a blank ╭▸ data/secret/17-wide.in",
                    "got a carriage return ╭▸ data/secret/19-windows.in",
                    "error: no input validator refuses this invalid input ╭▸ data/invalid_input/fine.in",
                    "accepts this invalid output ╭▸ data/invalid_output/right.out",
                    "has the same input as secret/01-one ╭▸ data/secret/18-same.in",
                    "the recipe does not make: secret/17-wide, secret/18-same, secret/19-windows ╭▸ data",
                    "4 errors, 4 warnings",
                ],
            },
            Row {
                breaks: |package| {
                    package.write("submissions/wrong_answer/a b.py", "print(7)\n");
                    package.write("data/secret/0 1.in", "1\n7\n");
                    package.replace("problem.yaml", "uuid: ", "uuid: a");
                },
                options: "--strict --case sample/1",
                code: 3,
                says: &[
                    "error: is ignored: the format does not allow its name ╭▸ data/secret/0 1.in",
                    "error: is ignored: the format does not allow its name ╭▸ submissions/wrong_answer/a b.py",
                    "is not a UUID ╭▸ problem.yaml:3:7",
                    "3 errors;",
                ],
            },
            Row {
                breaks: |package| {
                    for name in ["tle", "mle", "slow", "WrongAnswer", "acceptd"] {
                        package.write(&format!("submissions/{name}/{name}.py"), "print(7)\n");
                    }
                },
                options: "--strict --case sample/1",
                code: 3,
                says: &[
                    "submissions/tle ╰ help: did you mean `time_limit_exceeded`?",
                    "submissions/mle ╰ help: did you mean `run_time_error`?",
                    "submissions/slow ╰ help: did you mean `time_limit_exceeded`?",
                    "submissions/WrongAnswer ╰ help: did you mean `wrong_answer`?",
                    "submissions/acceptd ╰ help: did you mean `accepted`?",
                ],
            },
            Row {
                breaks: |package| {
                    package.write(VALIDATOR, &validator(STRICT));
                    package.write(
                        "juror.toml",
                        "[testlib]\nheader = \"testlib.h\"\noutput_validator = \"checker\"\n",
                    );
                },
                options: "",
                code: 3,
                says: &["error: there is no file `testlib.h` in the package", "1 error;"],
            },
            Row {
                breaks: |package| {
                    let script = package.fixture.path(&package.name).join("output_validator/check");
                    fs::create_dir_all(&script).unwrap();
                    write_program(&script.join("build"), "#!/bin/sh\nexit 1\n");
                },
                options: "",
                code: 3,
                says: &[
                    "error: the output validator does not build: the `build` script ended with exit code 1",
                ],
            },
        ],
    );
}

#[test]
fn interactive_samples_without_an_exchange_are_told() {
    check(
        "--type interactive",
        &[
            Row {
                breaks: |package| {
                    for ending in ["interaction", "ans.download", "in.download"] {
                        package.remove(&format!("data/sample/1.{ending}"));
                    }
                },
                options: "-v",
                code: 0,
                says: &[
                    "remark: is a sample without `1.interaction`",
                    "sample/1.ans.download, sample/1.in.download, sample/1.interaction",
                    "1 warning",
                ],
            },
            Row {
                breaks: |package| package.remove("data/sample/1.interaction"),
                options: "",
                code: 3,
                says: &["data/sample/1.in.download ╰ help: add 1.interaction", "1 error"],
            },
        ],
    );
}

/// The number of programs that `juror verify p` starts, and of those whose results it knows.
fn programs(fixture: &Fixture) -> [u64; 2] {
    let mut command = fixture.juror("verify p --json");
    let output = command.env("JUROR_CACHE", fixture.path("cache/juror")).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let cache = &report["cache"];
    ["started", "recalled"].map(|key| cache[key].as_u64().unwrap_or_else(|| panic!("{report:#}")))
}

#[test]
fn an_answer_that_a_submission_wrote_costs_no_run() {
    let fixture = Fixture::new();
    fixture.check_with_cache("new p -q", 0, &[]);
    let package = Package { fixture: &fixture, name: "p".to_owned() };
    package.write(VALIDATOR, &validator(STRICT));
    for slow in ["time_limit_exceeded", "wrong_answer"] {
        fs::remove_dir_all(fixture.path(&format!("p/submissions/{slow}"))).unwrap();
    }
    programs(&fixture);
    let [started, known] = programs(&fixture);
    assert_eq!(started, 0);
    let answers = fs::read_dir(fixture.path("p/data/secret")).unwrap();
    let answers = answers.map(|entry| entry.unwrap().path());
    let answers: Vec<_> =
        answers.filter(|path| path.extension().is_some_and(|it| it == "ans")).collect();
    for path in &answers {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text.trim_end()).unwrap();
    }
    programs(&fixture);
    let number = answers.len() as u64;
    assert_eq!(programs(&fixture), [0, known + number]);
}
