//! Statements of packages in other formats than those of Kattis, and the samples that they show.

use std::collections::BTreeSet;
use std::path::Path;

use crate::package::convert::places::OTHER_SAMPLE_TEXT;
use crate::package::convert::{PlannedContents, PlannedFile, Planner};
use crate::package::files::PackageEntry;
use crate::package::headings::StatementWords;
use crate::package::languages::is_natural_language;
use crate::package::latex::command_arguments;
use crate::package::statements::{Statement, StatementForm};
use crate::package::text::MAX_SIZE;
use crate::statement::render_page;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::text::count;

/// What DOMjudge shows, at the top of a package.
pub(super) const SHOWN_STATEMENTS: [&str; 3] = ["problem.pdf", "problem.html", "problem.txt"];

/// Defines the commands of Polygon's statements, with headings in the statement's language. The format itself shows
/// the samples.
fn command_definitions(language: &str) -> String {
    let StatementWords { input, output, interaction, scoring, note, .. } =
        StatementWords::of(language);
    format!(
        r"\newenvironment{{problem}}[5]{{\problemname{{#1}}}}{{}}
\newenvironment{{example}}{{}}{{}}
\newcommand{{\exmp}}[2]{{}}
\newcommand{{\exmpfile}}[2]{{}}
\newcommand{{\Example}}{{}}
\newcommand{{\Examples}}{{}}
\newcommand{{\InputFile}}{{\section*{{{input}}}}}
\newcommand{{\OutputFile}}{{\section*{{{output}}}}}
\newcommand{{\Interaction}}{{\section*{{{interaction}}}}}
\newcommand{{\Scoring}}{{\section*{{{scoring}}}}}
\newcommand{{\Note}}{{\section*{{{note}}}}}
\renewcommand{{\t}}[1]{{\texttt{{#1}}}}
"
    )
}

impl Planner<'_> {
    /// Adds the one file that DOMjudge shows: the author's, else a PDF, else the page that juror makes. A statement in
    /// English is preferred. Returns what is wrong with the page.
    pub(super) fn add_shown_statement(
        &mut self,
        statements: &[Statement],
    ) -> Result<Vec<Diagnostic>, JudgeError> {
        if self.files.iter().any(|file| SHOWN_STATEMENTS.contains(&&*file.name)) {
            return Ok(Vec::new());
        }
        let there = statements.iter().filter(|statement| statement.path.is_file());
        let (pdf, others): (Vec<&Statement>, Vec<&Statement>) =
            there.partition(|statement| statement.form == StatementForm::Pdf);
        let best = |all: &[&Statement]| {
            all.iter().min_by_key(|statement| statement.language != "en").copied().cloned()
        };
        if let Some(Statement { path, .. }) = best(&pdf) {
            self.copy_file(&path, "problem.pdf".to_owned());
        } else if let Some(statement) = best(&others) {
            let page = render_page(self.problem, &[&statement])?;
            self.write_text("problem.html", page.html);
            return Ok(page.diagnostics);
        } else {
            let what = "a statement that DOMjudge can show: problem.pdf, .html or .txt";
            self.losses.add("problem_statement", what, Some("nothing to show".to_owned()));
        }
        Ok(Vec::new())
    }

    /// For each language, places the PDF, or else the TeX source with definitions of its commands.
    pub(super) fn place_statements(&mut self, statements: &[Statement]) {
        let directory = if self.to.is_2025_09() { "statement" } else { "problem_statement" };
        let is_named = |statement: &&Statement| is_natural_language(&statement.language);
        let (named, others): (Vec<&Statement>, Vec<&Statement>) =
            statements.iter().filter(|statement| statement.path.is_file()).partition(is_named);
        for Statement { language, path, .. } in others {
            let what = format!("a statement in the language `{language}`, which has no code");
            self.leave_out(self.old_name(path), what);
            self.used_files.insert(path.clone());
        }
        let mut placed = BTreeSet::new();
        for (wanted_form, ending) in [(StatementForm::Pdf, "pdf"), (StatementForm::Latex, "tex")] {
            for Statement { language, form, path } in &named {
                if *form != wanted_form || placed.contains(language) {
                    continue;
                }
                let new = format!("{directory}/problem.{language}.{ending}");
                let contents = match wanted_form {
                    StatementForm::Pdf => PlannedContents::File(path.clone(), Vec::new()),
                    _ => match path.read_text(MAX_SIZE) {
                        Ok(text) => PlannedContents::Text(command_definitions(language) + &text),
                        // The statement stays among the files without a place.
                        Err(_) => continue,
                    },
                };
                placed.insert(language);
                self.files.push(PlannedFile { name: new, contents });
                self.used_files.insert(path.clone());
                if wanted_form == StatementForm::Latex {
                    self.place_images(path, directory);
                }
            }
        }
        self.place_samples(&named);
    }

    /// Keeps the samples that the statements show, where these differ from the test cases.
    fn place_samples(&mut self, statements: &[&Statement]) {
        let mut sources: Vec<&Statement> = statements
            .iter()
            .copied()
            .filter(|statement| statement.form == StatementForm::Latex)
            .collect();
        sources.sort_by_key(|statement| statement.language != "en");
        let mut shown: Option<(String, Vec<[String; 2]>)> = None;
        for Statement { path, .. } in sources {
            let source_name = self.old_name(path);
            let Some(StatementSamples { texts, files }) = StatementSamples::of(path) else {
                continue;
            };
            match &shown {
                Some((first, known)) if *known != texts => {
                    let what = format!("samples that differ from those in {first}");
                    self.leave_out(source_name, what);
                    continue;
                }
                Some(_) => {}
                None => shown = Some((source_name, texts)),
            }
            self.used_files.extend(files);
        }
        let Some((source_name, shown)) = shown else { return };
        let cases = self.problem.test_data.cases.iter();
        let cases = cases.map(|case| (self.cases.new_name(&case.name), case));
        let samples: Vec<_> = cases.filter(|(name, _)| name.starts_with("sample/")).collect();
        if shown.len() > samples.len() {
            let more = count(shown.len() - samples.len(), "sample");
            self.leave_out(&*source_name, format!("{more} of the statement"));
        }
        for ([input, output], (name, case)) in shown.into_iter().zip(samples) {
            let parts = [("in", input, Some(&case.input)), ("ans", output, case.answer.as_ref())];
            for (ending, text, own) in parts {
                if own.is_some_and(|own| has_text(own, &text)) {
                    continue;
                }
                if !self.to.is_2025_09() {
                    self.leave_out(format!("{source_name}: {name}.{ending}"), OTHER_SAMPLE_TEXT);
                    continue;
                }
                // What is shown instead must also be downloaded instead.
                self.write_text(format!("data/{name}.{ending}.statement"), text.clone());
                self.write_text(format!("data/{name}.{ending}.download"), text);
            }
        }
    }

    /// Copies the images of a statement. Of two with the same name, the first is taken.
    fn place_images(&mut self, statement: &Path, directory: &str) {
        let dir = statement.parent().and_then(|dir| dir.strip_prefix(&*self.tree.root).ok());
        let dir = dir.and_then(Path::to_str).unwrap_or_default();
        let is_image = |item: &&PackageEntry| {
            ["png", "jpg", "jpeg", "eps", "pdf", "svg"].contains(&item.ending())
        };
        let images = self.tree.children(dir).filter(is_image);
        let images =
            images.map(|item| (item.path.clone(), format!("{directory}/{}", item.base_name())));
        for (path, name) in images.collect::<Vec<_>>() {
            if self.files.iter().all(|file| file.name != name) {
                self.copy_file(&path, name);
            }
        }
    }
}

struct StatementSamples {
    texts: Vec<[String; 2]>,
    /// The files that they are in, unless they are in the statement.
    files: Vec<FilePath>,
}

impl StatementSamples {
    /// `None` if the statement shows no samples, or if one cannot be read.
    fn of(statement: &FilePath) -> Option<Self> {
        let source = statement.read_text(MAX_SIZE).ok()?;
        let files: Vec<[FilePath; 2]> = command_arguments(&source, "exmpfile")
            .into_iter()
            .map(|names: [&str; 2]| names.map(|name| statement.with_file_name(name.trim())))
            .collect();
        let texts: Vec<[String; 2]> = if files.is_empty() {
            command_arguments(&source, "exmp")
                .into_iter()
                .map(|texts| texts.map(|text| with_unix_line_ends(text.trim())))
                .collect()
        } else {
            let read = |path: &FilePath| Some(with_unix_line_ends(&path.read_text(MAX_SIZE).ok()?));
            let both = |[input, output]: &[FilePath; 2]| Some([read(input)?, read(output)?]);
            files.iter().map(both).collect::<Option<_>>()?
        };
        let files = files.into_iter().flatten().collect();
        Some(Self { texts, files }).filter(|sample| !sample.texts.is_empty())
    }
}

/// A text with this system's line ends, and one at its end.
fn with_unix_line_ends(text: &str) -> String {
    format!("{}\n", text.replace("\r\n", "\n").trim_end())
}

/// Whether a file has this text, apart from white space at its end.
fn has_text(path: &FilePath, text: &str) -> bool {
    path.read_text(MAX_SIZE).is_ok_and(|own| with_unix_line_ends(&own) == text)
}
