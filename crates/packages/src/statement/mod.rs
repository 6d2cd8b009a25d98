//! Renders statements: Markdown and the format's subset of LaTeX become a single HTML page.
//!
//! Theory of operation: a translator makes HTML from a statement, and remarks about unknown parts. It writes text only
//! through `escape`, formulas only through `math`, and images only through `images`, so that nothing in a statement
//! can become a script or an external reference. Formulas and groups are parsed recursively, so all of this runs in a
//! thread with a stack for the deepest ones that are accepted.

pub mod html;
mod images;
mod latex;
mod markdown;
mod math;
pub mod page;
mod samples;
mod source;
mod tags;

use std::collections::HashMap;
use std::path::PathBuf;
use std::thread;

use crate::package::headings::StatementWords;
use crate::package::statements::{Statement, StatementForm, statements};
use crate::package::suggest::comma_list;
use crate::statement::images::StatementImages;
use crate::statement::samples::Samples;
use crate::statement::source::StatementText;
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::judgement::JudgeError;
use juror_core::problem::Problem;
use juror_core::stop::{RefusalSubject, Stop};

/// In bytes. In an unoptimised build, a level of a formula takes up to 60 KB of stack.
const STACK_SIZE: usize = 256 << 20;

#[derive(Debug)]
pub struct RenderedPage {
    pub html: String,
    pub diagnostics: Vec<Diagnostic>,
}

struct TranslationState<'a> {
    problem: &'a Problem,
    language: &'a str,
    words: &'static StatementWords,
    images: StatementImages,
    samples: Samples,
    diagnostics: Vec<Diagnostic>,
}

struct StatementArticle {
    language: String,
    title: String,
    body: String,
}

/// Returns the statements in these languages, or all, and warnings about those that cannot be shown.
///
/// # Errors
/// If there is none.
pub fn choose_statements<'a>(
    problem: &Problem,
    all: &'a [Statement],
    codes: &[String],
) -> Result<(Vec<&'a Statement>, Vec<Diagnostic>), Stop> {
    if all.is_empty() {
        let format = problem.layout.format;
        let message = format!("has no statement that juror can show, in format {format}");
        let help = "add statement/problem.en.md, in packages of Kattis";
        return Err(Diagnostic::error(&problem.dir, message).help(help).into());
    }
    let has = |code: &&String| all.iter().any(|statement| statement.language == **code);
    if let Some(unknown) = codes.iter().find(|code| !has(code)) {
        let languages = comma_list(all.iter().map(|statement| statement.language.as_str()));
        let message = format!("--language {unknown}: no such statement; available: {languages}");
        return Err(Stop::Refused(RefusalSubject::Selection, vec![message.into()]));
    }
    let is_wanted = |one: &&Statement| codes.is_empty() || codes.contains(&one.language);
    let chosen: Vec<&Statement> = all.iter().filter(is_wanted).collect();
    let readable: Vec<&Statement> =
        chosen.iter().copied().filter(|statement| statement.form != StatementForm::Pdf).collect();
    let message = "is a PDF, which cannot be converted to a page";
    let help = "use it as it is, or add the statement as .md or .tex";
    let pdf = chosen.iter().filter(|statement| statement.form == StatementForm::Pdf);
    let mut pdf = pdf.map(|statement| Diagnostic::warning(&statement.path, message).help(help));
    match pdf.next() {
        Some(first) if readable.is_empty() => {
            Err(Diagnostic { severity: Severity::Error, ..first }.into())
        }
        first => Ok((readable, first.into_iter().chain(pdf).collect())),
    }
}

/// The statements follow each other on one page.
///
/// # Errors
/// If the machine has no thread for it.
pub fn render_page(
    problem: &Problem,
    statements: &[&Statement],
) -> Result<RenderedPage, JudgeError> {
    let fault = |reason: String| JudgeError::new("translate the statement", reason);
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK_SIZE);
        let started = builder.spawn_scoped(scope, || translate(problem, statements));
        let thread = started.map_err(|error| fault(error.to_string()))?;
        thread.join().map_err(|_| fault("a library failed".to_owned()))
    })
}

/// Translates all statements, and returns what cannot be shown. Of the unknown commands of a statement, only the first is
/// a warning: it counts the others, which are remarks.
///
/// # Errors
/// If the machine has no thread for it.
pub fn check_statements(problem: &Problem) -> Result<Vec<Diagnostic>, JudgeError> {
    let all = statements(problem);
    let readable: Vec<&Statement> =
        all.iter().filter(|statement| statement.form != StatementForm::Pdf).collect();
    if readable.is_empty() {
        return Ok(Vec::new());
    }
    let mut diagnostics = render_page(problem, &readable)?.diagnostics;
    let is_unknown = |fault: &Diagnostic| fault.message.ends_with(latex::UNKNOWN_COMMAND);
    let mut unknown: HashMap<PathBuf, usize> = HashMap::new();
    for fault in diagnostics.iter().filter(|fault| is_unknown(fault)) {
        *unknown.entry(fault.place.path.clone()).or_default() += 1;
    }
    for fault in diagnostics.iter_mut().filter(|fault| is_unknown(fault)) {
        match unknown.remove(&fault.place.path) {
            Some(1) => {}
            Some(all) => {
                let first = fault.message.trim_end_matches(latex::UNKNOWN_COMMAND);
                fault.message = format!("{all} commands are unknown, first {first}");
            }
            None => fault.severity = Severity::Remark,
        }
    }
    Ok(diagnostics)
}

fn translate(problem: &Problem, statements: &[&Statement]) -> RenderedPage {
    let mut articles = Vec::new();
    let mut diagnostics = Vec::new();
    for statement in statements {
        let words = StatementWords::of(&statement.language);
        let mut scope = TranslationState {
            problem,
            language: &statement.language,
            words,
            images: StatementImages::new(problem, statement),
            samples: Samples::of_problem(problem, words),
            diagnostics: Vec::new(),
        };
        articles.extend(translate_article(statement, &mut scope));
        diagnostics.append(&mut scope.diagnostics);
        let new = scope.samples.diagnostics.into_iter().filter(|new| !diagnostics.contains(new));
        let new: Vec<_> = new.collect();
        diagnostics.extend(new);
    }
    RenderedPage { html: page::page_html(problem, &articles), diagnostics }
}

/// `None` if the statement cannot be read; a remark has the reason.
fn translate_article(
    statement: &Statement,
    scope: &mut TranslationState<'_>,
) -> Option<StatementArticle> {
    let (title, mut body) = match statement.form {
        StatementForm::Latex => latex::translate(&read_text(statement, scope)?, scope),
        StatementForm::Sections => (None, translate_sections(statement, scope)),
        StatementForm::Markdown | StatementForm::Pdf => {
            (None, markdown::translate(&read_text(statement, scope)?, scope))
        }
    };
    body.push_str(&scope.samples.remaining_samples());
    let language = statement.language.clone();
    let title = title.unwrap_or_else(|| page::problem_title(scope.problem, &language));
    Some(StatementArticle { language, title, body })
}

fn read_text(statement: &Statement, scope: &mut TranslationState<'_>) -> Option<StatementText> {
    let text = StatementText::read(scope.problem, statement);
    text.map_err(|error| scope.diagnostics.push(error)).ok()
}

/// Polygon keeps the sections in a directory. The order is Polygon's.
fn translate_sections(statement: &Statement, scope: &mut TranslationState<'_>) -> String {
    let words = scope.words;
    let mut html = String::new();
    for (name, heading) in [
        ("legend", ""),
        ("input", words.input),
        ("output", words.output),
        ("interaction", words.interaction),
        ("scoring", words.scoring),
        ("notes", words.note),
    ] {
        if name == "notes" {
            html += &scope.samples.polygon_samples(&statement.path);
        }
        let path = statement.path.with_file_name(format!("{name}.tex"));
        let part = Statement { form: StatementForm::Latex, path, ..statement.clone() };
        if !part.path.exists() {
            continue;
        }
        let Some(source) = read_text(&part, scope) else { continue };
        let (_, body) = latex::translate(&source, scope);
        if !body.is_empty() && !heading.is_empty() {
            html += &format!("<h2>{heading}</h2>\n");
        }
        html += &body;
    }
    html
}

#[cfg(test)]
mod tests;
