//! Renders samples as contestants see them.
//!
//! Source: problem package format 2025-09, "Sample data".

use std::collections::{BTreeSet, HashSet, VecDeque};

use crate::package::headings::StatementWords;
use crate::statement::html::escape;
use crate::statement::source::read_file;
use juror_core::diagnostic::Diagnostic;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::test_data::TestCase;
use juror_core::units::Bytes;

/// Larger files are not shown.
const LARGEST_SHOWN: Bytes = Bytes::kib(64);

pub(super) struct Samples {
    words: &'static StatementWords,
    remaining: VecDeque<StatementSample>,
    count: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

#[derive(Default)]
struct StatementSample {
    input: FilePath,
    output: Option<FilePath>,
    interaction: Option<FilePath>,
    arguments: Vec<String>,
    /// Further files, by their names for the program.
    files: Vec<(String, FilePath)>,
}

impl Samples {
    pub(super) fn of_problem(problem: &Problem, words: &'static StatementWords) -> Self {
        let cases = problem.test_data.cases.iter().filter(|case| case.name.starts_with("sample/"));
        let of_case = |case: &TestCase| {
            let instead = |ending: &str| {
                let path = case.input.with_extension(ending);
                (!path.is_missing()).then_some(path)
            };
            let output = instead("ans.statement").or_else(|| case.output.clone());
            StatementSample {
                input: instead("in.statement").unwrap_or_else(|| case.input.clone()),
                output: output.or_else(|| case.answer.clone()),
                interaction: case.interaction.clone(),
                arguments: case.args.clone(),
                files: (case.files.iter())
                    .map(|file| (file.name.display().to_string(), file.path.clone()))
                    .collect(),
            }
        };
        let mut samples: Vec<StatementSample> = cases.map(of_case).collect();
        // A sample interaction need not have a test case.
        let known: HashSet<FilePath> =
            samples.iter().filter_map(|one| one.interaction.clone()).collect();
        let directory = problem.dir.join("data/sample");
        let names = directory.names().unwrap_or_default().into_iter();
        let unlisted = names
            .map(|name| directory.join(name))
            .filter(|path| path.extension().is_some_and(|ending| ending == "interaction"))
            .filter(|path| !known.contains(path));
        let unlisted: BTreeSet<FilePath> = unlisted.collect();
        let alone =
            |path| StatementSample { interaction: Some(path), ..StatementSample::default() };
        samples.extend(unlisted.into_iter().map(alone));
        // If there are sample interactions, the other samples are only for the judge.
        if samples.iter().any(|sample| sample.interaction.is_some()) {
            samples.retain(|sample| sample.interaction.is_some());
        }
        let remaining = samples.into();
        Self { words, remaining, count: 0, diagnostics: Vec::new() }
    }

    /// As HTML; empty if there is no other sample.
    pub(super) fn next_sample(&mut self) -> String {
        let Some(sample) = self.remaining.pop_front() else { return String::new() };
        self.count += 1;
        match &sample.interaction {
            Some(path) => self.render_exchange(path),
            None => self.render_files(&sample),
        }
    }

    pub(super) fn sample_of_files(&mut self, input: FilePath, output: FilePath) -> String {
        self.count += 1;
        self.render_files(&StatementSample {
            input,
            output: Some(output),
            ..StatementSample::default()
        })
    }

    pub(super) fn sample_of_texts(&mut self, texts: [&str; 2]) -> String {
        self.count += 1;
        let texts = texts.map(|text| pre(&format!("{}\n", text.trim())));
        table("sample", [self.words.sample_input, self.words.sample_output], self.count, &[texts])
    }

    /// Polygon keeps samples in the directory of a statement: `example.01`, `example.01.a`.
    pub(super) fn polygon_samples(&mut self, statement: &FilePath) -> String {
        let mut html = String::new();
        for number in 1..100 {
            let input = statement.with_file_name(format!("example.{number:02}"));
            if !input.exists() {
                break;
            }
            let output = statement.with_file_name(format!("example.{number:02}.a"));
            html += &self.sample_of_files(input, output);
        }
        html
    }

    pub(super) fn remaining_samples(&mut self) -> String {
        let mut html = String::new();
        while !self.remaining.is_empty() {
            html.push_str(&self.next_sample());
        }
        html
    }

    fn render_files(&mut self, sample: &StatementSample) -> String {
        let number = self.count;
        let mut input = self.render_file(&sample.input);
        if !sample.arguments.is_empty() {
            let arguments = escape(&sample.arguments.join(" "));
            input.push_str(&format!("<p>{}: <code>{arguments}</code></p>", self.words.arguments));
        }
        for (name, path) in &sample.files {
            input.push_str(&format!(
                "<p><code>{}</code></p>{}",
                escape(name),
                self.render_file(path)
            ));
        }
        let output = sample.output.as_ref().map(|path| self.render_file(path)).unwrap_or_default();
        table(
            "sample",
            [self.words.sample_input, self.words.sample_output],
            number,
            &[[input, output]],
        )
    }

    /// The judge's lines are on the left, the submission's on the right.
    fn render_exchange(&mut self, path: &FilePath) -> String {
        let text = self.read(path).unwrap_or_else(|why| why);
        let lines: Vec<&str> = text.lines().collect();
        let passes: Vec<&[&str]> = lines.split(|line| *line == "---").collect();
        let mut html = format!("<h3>{} {}</h3>\n", self.words.sample_interaction, self.count);
        for (pass, lines) in passes.iter().enumerate() {
            let mut turns: Vec<[String; 2]> = Vec::new();
            let mut last = None;
            for line in *lines {
                let side = usize::from(line.starts_with('>'));
                if last != Some(side) {
                    turns.push([String::new(), String::new()]);
                }
                last = Some(side);
                if let Some(turn) = turns.last_mut() {
                    // Only the first one is not part of the text.
                    turn[side] += line.strip_prefix(['<', '>']).unwrap_or(line);
                    turn[side] += "\n";
                }
            }
            if passes.len() > 1 {
                html.push_str(&format!("<p>{} {}</p>\n", self.words.pass, pass + 1));
            }
            let rows: Vec<[String; 2]> =
                turns.iter().map(|turn| turn.each_ref().map(|text| pre(text))).collect();
            html.push_str(&table("talk", [self.words.read, self.words.write], 0, &rows));
        }
        html
    }

    fn render_file(&mut self, path: &FilePath) -> String {
        match self.read(path) {
            Ok(text) => pre(&text),
            Err(why) => format!("<p>{}</p>", escape(&why)),
        }
    }

    /// The error is also a remark.
    fn read(&mut self, path: &FilePath) -> Result<String, String> {
        match read_file(path, LARGEST_SHOWN) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => {
                let message = format!("the page cannot show this sample: {error}");
                let help = "correct or shorten it; the page shows 1.in.statement instead of 1.in if there is one";
                self.diagnostics.push(Diagnostic::warning(path, message).help(help));
                Err(error.to_string())
            }
        }
    }
}

fn pre(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<pre>{}</pre>", escape(text)) }
}

fn table(class: &str, heads: [&str; 2], number: usize, rows: &[[String; 2]]) -> String {
    let number = if number > 0 { format!(" {number}") } else { String::new() };
    let heads = heads.map(|head| format!("<th scope=\"col\">{head}{number}</th>")).concat();
    let row = |row: &[String; 2]| {
        format!("<tr>{}</tr>\n", row.each_ref().map(|cell| format!("<td>{cell}</td>")).concat())
    };
    let rows: String = rows.iter().map(row).collect();
    format!(
        "<table class=\"{class}\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )
}
