//! Templates of problem packages: a complete small problem of each kind, from which authors start.
//!
//! The files are in `templates/`, unchanged. If kinds share a file, their differences are edits of its text.

pub mod created_package;

use crate::new::created_package::CreatedFile;

use juror_core::words::words;

words! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Template {
        /// Every test case must be right.
        #[default]
        PassFail = "pass-fail",
        /// Several outputs are right.
        Checker = "checker",
        Interactive = "interactive",
        Scoring = "scoring",
        FileIo = "file-io",
        /// A game of two players, both of whom play as well as possible.
        Game = "game",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFile {
    pub created: CreatedFile,
    pub text: String,
}

words! {
    /// The language of a package's programs.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ProgramLanguage {
        Cpp = "cpp",
        Python = "python",
        #[default]
        Rust = "rust",
        Java = "java",
    }
}

/// Files in `templates/` by path, with their texts.
macro_rules! templates {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("templates/", $path)))),+]
    };
}

/// Programs in `templates/` by path without ending, with their texts in the order of [`ProgramLanguage::ALL`].
macro_rules! programs {
    ($($path:literal),+ $(,)?) => { programs!(@ $($path, [".cpp", ".py", ".rs", ".java"]),+) };
    (@ $($path:literal, [$($ending:literal),+]),+) => {
        &[$(($path, &[$(include_str!(concat!("templates/", $path, $ending))),+])),+]
    };
}

/// Validators, which the format allows only in Python, C and C++.
macro_rules! validators {
    ($path:literal) => { programs!(@ $path, [".cpp", ".py"]) };
}

/// A path and the text. The first part of the path does not belong to the package.
type TemplateSource = (&'static str, &'static str);

/// A path and its texts.
type TemplateProgram = (&'static str, &'static [&'static str]);

const SETTINGS: &[TemplateSource] = templates!["all/problem.yaml"];

const ROW: &[TemplateSource] = templates![
    "row/statement/problem.en.md",
    "row/input_validators/input.ctd",
    "row/generators/generators.yaml",
];

const ROW_PROGRAMS: &[TemplateProgram] = programs![
    "row/generators/random_row",
    "row/submissions/accepted/best",
    "row/submissions/wrong_answer/empty_part",
    "row/submissions/time_limit_exceeded/all_parts",
];

const SCORING: &[TemplateSource] =
    templates!["scoring/generators/generators.yaml", "scoring/submissions/submissions.yaml"];

const LONGEST: &[TemplateProgram] = validators!("scoring/input_validators/longest");

const PART: &[TemplateSource] = templates![
    "part/statement/problem.en.md",
    "row/input_validators/input.ctd",
    "part/generators/generators.yaml",
];

const CHECK: &[TemplateProgram] = validators!("part/output_validator/check");

const PART_PROGRAMS: &[TemplateProgram] = programs![
    "row/generators/random_row",
    "part/submissions/accepted/best_part",
    "part/submissions/wrong_answer/above_zero",
    "part/submissions/time_limit_exceeded/each_part",
];

const GAME: &[TemplateSource] = templates![
    "game/statement/problem.en.md",
    "game/input_validators/input.ctd",
    "game/generators/generators.yaml",
];

const GAME_PROGRAMS: &[TemplateProgram] = programs![
    "row/generators/random_row",
    "game/submissions/accepted/intervals",
    "game/submissions/wrong_answer/greedy",
    "game/submissions/time_limit_exceeded/all_games",
];

const GUESS: &[TemplateSource] = templates![
    "guess/statement/problem.en.md",
    "guess/input_validators/input.ctd",
    "guess/generators/generators.yaml",
];

const JUDGE: &[TemplateProgram] = validators!("guess/output_validator/judge");

const GUESS_PROGRAMS: &[TemplateProgram] = programs![
    "guess/generators/random_number",
    "guess/submissions/accepted/halves",
    "guess/submissions/wrong_answer/one_by_one",
    "guess/submissions/time_limit_exceeded/counts_all",
];

/// Purposes of files, by the start of their path; the first match counts.
const PURPOSES: [(&str, &str); 14] = [
    ("problem.yaml", "settings: name, limits, type, licence"),
    ("juror.toml", "names of the files for input and output"),
    ("statement/", "what contestants read"),
    ("input_validators/input.ctd", "grammar of the input, which validates inputs"),
    ("input_validators/", "validates inputs with the bounds of their test group"),
    ("output_validator/check", "says which outputs are right"),
    ("output_validator/", "talks with submissions and judges them"),
    ("generators/generators.yaml", "recipe of the test data"),
    ("generators/", "makes random inputs"),
    ("submissions/accepted/halves", "the reference"),
    ("submissions/accepted/", "the reference, which makes the answers"),
    ("submissions/wrong_answer/", "must be wrong on some case"),
    ("submissions/time_limit_exceeded/", "must be too slow on some case"),
    ("submissions/submissions.yaml", "scores that the submissions must have"),
];

const POINTS: &str = "
## Points

A group's points are for programs that solve all of its test cases.

| group | points | bounds |
|---|---|---|
| 1 | 30 | $n \\le 100$ |
| 2 | 70 | none but those above |
";

impl Template {
    pub fn files(self, name: &str, language: ProgramLanguage, uuid: &str) -> Vec<TemplateFile> {
        let (texts, programs): (&[&[TemplateSource]], &[&[TemplateProgram]]) = match self {
            Self::PassFail | Self::FileIo => (&[ROW], &[ROW_PROGRAMS]),
            Self::Scoring => (&[ROW, SCORING], &[LONGEST, ROW_PROGRAMS]),
            Self::Checker => (&[PART], &[CHECK, PART_PROGRAMS]),
            Self::Game => (&[GAME], &[GAME_PROGRAMS]),
            Self::Interactive => (&[GUESS], &[JUDGE, GUESS_PROGRAMS]),
        };
        let mut files: Vec<TemplateFile> = Vec::new();
        for (path, text) in SETTINGS.iter().chain(texts.iter().copied().flatten()) {
            let file = template_file(path_in_package(path), (*text).to_owned());
            // A later file replaces an earlier one.
            match files.iter_mut().find(|known| known.created.path == file.created.path) {
                Some(known) => *known = file,
                None => files.push(file),
            }
        }
        for (path, texts) in programs.iter().copied().flatten() {
            let (folder, stem) = path_in_package(path).rsplit_once('/').unwrap_or_default();
            let is_validator = texts.len() < ProgramLanguage::ALL.len();
            // The texts name files in the default language.
            let languages = [ProgramLanguage::default(), language]
                .map(|language| if is_validator { language.of_validators() } else { language });
            let [default_name, program] = languages.map(|language| language.file_name(stem));
            replace_everywhere(&mut files, &default_name, &program);
            let mut file =
                template_file(path_in_package(path), texts[languages[1] as usize].to_owned());
            file.created.path = format!("{folder}/{program}");
            files.push(file);
        }
        let rank = |file: &TemplateFile| {
            PURPOSES.iter().position(|(_, purpose)| *purpose == file.created.purpose)
        };
        files.sort_by_key(rank);
        replace_everywhere(&mut files, "TITLE", &format!("{:?}", title_of(name)));
        replace_everywhere(&mut files, "00000000-0000-4000-8000-000000000000", uuid);
        replace_everywhere(&mut files, "juror generate PACKAGE", &format!("juror generate {name}"));
        match self {
            Self::PassFail | Self::Checker | Self::Game => {}
            Self::Interactive => {
                replace_everywhere(&mut files, "uuid:", "type: interactive\nuuid:")
            }
            Self::Scoring => {
                replace_everywhere(&mut files, "uuid:", "type: scoring\nuuid:");
                replace_everywhere(
                    &mut files,
                    ": the largest sum.\n",
                    &format!(": the largest sum.\n{POINTS}"),
                );
            }
            Self::FileIo => read_and_write_files(&mut files, name, language),
        }
        files
    }
}

impl ProgramLanguage {
    fn of_validators(self) -> Self {
        if self == Self::Cpp { Self::Cpp } else { Self::Python }
    }

    fn file_name(self, stem: &str) -> String {
        match self {
            Self::Cpp => format!("{stem}.cpp"),
            Self::Python => format!("{stem}.py"),
            Self::Rust => format!("{stem}.rs"),
            // The name of its public class.
            Self::Java => format!("{}.java", stem.split('_').map(title_of).collect::<String>()),
        }
    }

    /// What makes a program of the row read and write files.
    fn file_edits(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Cpp => &[
                ("#include <iostream>", "#include <fstream>"),
                (
                    "int main() {\n",
                    "int main() {\n    std::ifstream in(\"NAME.in\");\n    std::ofstream out(\"NAME.out\");\n",
                ),
                ("std::cin >>", "in >>"),
                ("std::cout <<", "out <<"),
            ],
            Self::Python => &[
                ("open(0)", "open(\"NAME.in\")"),
                ("print(best)", "print(best, file=open(\"NAME.out\", \"w\"))"),
            ],
            Self::Rust => &[
                ("use std::io;", "use std::fs;"),
                ("io::read_to_string(io::stdin())", "fs::read_to_string(\"NAME.in\")"),
                (
                    "println!(\"{best}\")",
                    "fs::write(\"NAME.out\", format!(\"{best}\\n\")).unwrap()",
                ),
            ],
            Self::Java => &[
                (
                    "import java.util.StringTokenizer;",
                    "import java.nio.file.Files;\nimport java.nio.file.Path;\nimport java.util.StringTokenizer;",
                ),
                ("new String(System.in.readAllBytes())", "Files.readString(Path.of(\"NAME.in\"))"),
                (
                    "System.out.println(best)",
                    "Files.writeString(Path.of(\"NAME.out\"), best + \"\\n\")",
                ),
            ],
        }
    }
}

/// Without its first part, which names the template.
fn path_in_package(path: &'static str) -> &'static str {
    path.split_once('/').unwrap_or_default().1
}

fn template_file(path: &'static str, text: String) -> TemplateFile {
    let purpose = PURPOSES.iter().find(|(start, _)| path.starts_with(start));
    let (_, purpose) = *purpose.unwrap_or(&("", ""));
    TemplateFile { created: CreatedFile { path: path.to_owned(), purpose }, text }
}

fn replace_everywhere(files: &mut [TemplateFile], from: &str, to: &str) {
    for file in files {
        file.text = file.text.replace(from, to);
    }
}

fn read_and_write_files(files: &mut Vec<TemplateFile>, name: &str, language: ProgramLanguage) {
    for (from, to) in language.file_edits() {
        let programs =
            files.iter_mut().filter(|file| file.created.path.starts_with("submissions/"));
        programs.for_each(|file| file.text = file.text.replace(from, &to.replace("NAME", name)));
    }
    let edits = [
        ("line of standard input has", &*format!("line of the file `{name}.in` has")),
        ("number to standard output:", &*format!("number to the file `{name}.out`:")),
        (
            "limits:\n",
            "allow_file_writing: true # of the output, which juror.toml names\nlimits:\n",
        ),
    ];
    for (from, to) in edits {
        replace_everywhere(files, from, to);
    }
    let text = format!("[io]\ninput = \"{name}.in\"\noutput = \"{name}.out\"\n");
    files.insert(1, template_file("juror.toml", text));
}

/// `hello` becomes `Hello`.
fn title_of(name: &str) -> String {
    let mut characters = name.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = "generators/generators.yaml";
    const STATEMENT: &str = "statement/problem.en.md";
    const UUID: &str = "9f6a2f2c-7a0c-4a53-9f8f-0d5b1c5b2f10";

    #[test]
    fn every_template_is_a_complete_package() {
        let pairs = Template::ALL
            .into_iter()
            .flat_map(|template| ProgramLanguage::ALL.map(|language| (template, language)));
        for (template, language) in pairs {
            let files = template.files("hello", language, UUID);
            let has = |start: &str| files.iter().any(|file| file.created.path.starts_with(start));
            assert!(
                files.iter().all(|file| !file.created.purpose.is_empty()),
                "{}",
                template.name()
            );
            for part in ["problem.yaml", "statement/", "input_validators/", "generators/"] {
                assert!(has(part), "{part} of {}", template.name());
            }
            for folder in ["accepted", "wrong_answer", "time_limit_exceeded"] {
                assert!(has(&format!("submissions/{folder}/")), "{folder} of {}", template.name());
            }
        }
    }

    #[test]
    fn names_and_settings_are_filled_in() {
        let check_language = |template: Template, language, path: &str, lines: &[&str]| {
            let files = template.files("hello", language, UUID);
            let file = files.iter().find(|file| file.created.path == path).expect(path);
            for line in lines {
                assert!(file.text.contains(line), "{path} lacks `{line}`: {}", file.text);
            }
            let all: String = files.iter().map(|file| &*file.text).collect();
            assert!(!all.contains("TITLE") && !all.contains("00000000-0"), "{}", template.name());
        };
        let check = |template, path: &str, lines: &[&str]| {
            check_language(template, ProgramLanguage::Rust, path, lines);
        };
        let uuid = format!("uuid: {UUID}\n");
        check(Template::PassFail, "problem.yaml", &["name: \"Hello\"\n", &uuid, "2025-09\n"]);
        check(Template::PassFail, RECIPE, &["juror generate hello\n"]);
        check(Template::Game, "problem.yaml", &[&uuid]);
        check(Template::Interactive, "problem.yaml", &["\ntype: interactive\n", &uuid]);
        check(Template::Scoring, "problem.yaml", &["\ntype: scoring\n", &uuid]);
        check(Template::Scoring, STATEMENT, &["| 1 | 30 | $n \\le 100$ |"]);
        check(Template::Scoring, RECIPE, &["max_score: 30"]);
        check(Template::FileIo, "problem.yaml", &["\nallow_file_writing: true"]);
        check(Template::FileIo, STATEMENT, &["the file `hello.in` has", "the file `hello.out`:"]);
        check(Template::FileIo, "juror.toml", &["input = \"hello.in\""]);
        for program in ["accepted/best", "wrong_answer/empty_part", "time_limit_exceeded/all_parts"]
        {
            let path = format!("submissions/{program}.rs");
            let lines =
                ["use std::fs;", "(\"hello.in\")", "(\"hello.out\", format!(\"{best}\\n\"))"];
            check(Template::FileIo, &path, &lines);
        }
        for (language, name, lines) in [
            (ProgramLanguage::Cpp, "best.cpp", ["in(\"hello.in\")", "out << best << \"\\n\""]),
            (
                ProgramLanguage::Python,
                "best.py",
                ["open(\"hello.in\")", "open(\"hello.out\", \"w\")"],
            ),
            (
                ProgramLanguage::Java,
                "Best.java",
                ["Path.of(\"hello.in\")", "Path.of(\"hello.out\")"],
            ),
        ] {
            let path = format!("submissions/accepted/{name}");
            check_language(Template::FileIo, language, &path, &lines);
            check_language(Template::FileIo, language, RECIPE, &[&path, "{seed}"]);
        }
    }
}
