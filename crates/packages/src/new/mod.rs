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

/// Files in `templates/` by path, with their texts.
macro_rules! templates {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("templates/", $path)))),+]
    };
}

/// A path and the text. The first part of the path does not belong to the package.
type TemplateSource = (&'static str, &'static str);

const SETTINGS: &[TemplateSource] = templates!["all/problem.yaml"];

const ROW: &[TemplateSource] = templates![
    "row/statement/problem.en.md",
    "row/input_validators/input.ctd",
    "row/generators/generators.yaml",
    "row/generators/random.rs",
    "row/submissions/accepted/best.rs",
    "row/submissions/wrong_answer/empty_part.rs",
    "row/submissions/time_limit_exceeded/all_parts.rs",
];

const SCORING: &[TemplateSource] = templates![
    "scoring/generators/generators.yaml",
    "scoring/input_validators/longest.py",
    "scoring/submissions/submissions.yaml",
];

const GAME: &[TemplateSource] = templates![
    "game/statement/problem.en.md",
    "game/input_validators/input.ctd",
    "game/generators/generators.yaml",
    "row/generators/random.rs",
    "game/submissions/accepted/intervals.rs",
    "game/submissions/wrong_answer/greedy.rs",
    "game/submissions/time_limit_exceeded/all_games.rs",
];

const GUESS: &[TemplateSource] = templates![
    "guess/statement/problem.en.md",
    "guess/input_validators/input.ctd",
    "guess/output_validator/judge.py",
    "guess/generators/generators.yaml",
    "guess/generators/random.rs",
    "guess/submissions/accepted/halves.rs",
    "guess/submissions/wrong_answer/one_by_one.rs",
    "guess/submissions/time_limit_exceeded/counts_all.rs",
];

/// Purposes of files, by the start of their path; the first match counts.
const PURPOSES: [(&str, &str); 13] = [
    ("problem.yaml", "settings: name, limits, type, licence"),
    ("juror.toml", "names of the files for input and output"),
    ("statement/", "what contestants read"),
    ("input_validators/input.ctd", "grammar of the input, which validates inputs"),
    ("input_validators/", "validates inputs with the bounds of their test group"),
    ("output_validator/", "talks with submissions and judges them"),
    ("generators/generators.yaml", "recipe of the test data"),
    ("generators/", "makes random inputs"),
    ("submissions/accepted/halves.rs", "the reference"),
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
    pub fn files(self, name: &str, uuid: &str) -> Vec<TemplateFile> {
        let own: &[&[TemplateSource]] = match self {
            Self::PassFail | Self::FileIo => &[ROW],
            Self::Scoring => &[ROW, SCORING],
            Self::Game => &[GAME],
            Self::Interactive => &[GUESS],
        };
        let mut files: Vec<TemplateFile> = Vec::new();
        for (path, text) in SETTINGS.iter().chain(own.iter().copied().flatten()) {
            let file =
                template_file(path.split_once('/').unwrap_or_default().1, (*text).to_owned());
            // A later file replaces an earlier one.
            match files.iter_mut().find(|known| known.created.path == file.created.path) {
                Some(known) => *known = file,
                None => files.push(file),
            }
        }
        replace_everywhere(&mut files, "TITLE", &format!("{:?}", title_of(name)));
        replace_everywhere(&mut files, "00000000-0000-4000-8000-000000000000", uuid);
        replace_everywhere(&mut files, "juror generate PACKAGE", &format!("juror generate {name}"));
        match self {
            Self::PassFail | Self::Game => {}
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
            Self::FileIo => read_and_write_files(&mut files, name),
        }
        files
    }
}

fn template_file(path: &'static str, text: String) -> TemplateFile {
    let purpose = PURPOSES.iter().find(|(start, _)| path.starts_with(start));
    let (_, purpose) = *purpose.unwrap_or(&("", ""));
    TemplateFile { created: CreatedFile { path, purpose }, text }
}

fn replace_everywhere(files: &mut [TemplateFile], from: &str, to: &str) {
    for file in files {
        file.text = file.text.replace(from, to);
    }
}

fn read_and_write_files(files: &mut Vec<TemplateFile>, name: &str) {
    let read = format!("fs::read_to_string(\"{name}.in\").unwrap()");
    let write = format!("fs::write(\"{name}.out\", format!(\"{{best}}\\n\")).unwrap()");
    let edits = [
        ("use std::io;", "use std::fs;"),
        ("io::read_to_string(io::stdin()).unwrap()", &read),
        ("println!(\"{best}\")", &write),
        ("line of standard input has", &format!("line of the file `{name}.in` has")),
        ("number to standard output:", &format!("number to the file `{name}.out`:")),
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
        for template in Template::ALL {
            let files = template.files("hello", UUID);
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
        let check = |template: Template, path: &str, lines: &[&str]| {
            let files = template.files("hello", UUID);
            let file = files.iter().find(|file| file.created.path == path).expect(path);
            for line in lines {
                assert!(file.text.contains(line), "{path} lacks `{line}`: {}", file.text);
            }
            let all: String = files.iter().map(|file| &*file.text).collect();
            assert!(!all.contains("TITLE") && !all.contains("00000000-0"), "{}", template.name());
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
    }
}
