//! Statements as a page: Markdown and the format's subset of LaTeX become one HTML file that needs no other.
//!
//! Theory of operation: a translator makes HTML from a statement, and remarks about what it does not know. It
//! writes text only through `escape`, formulas only through `math`, and images only through `images`, so that
//! nothing in a statement can become a script or a reference to another place. Formulas and groups are read
//! recursively, so all of this runs in a thread with room for the deepest ones that are taken.

mod images;
mod latex;
mod markdown;
mod math;
mod page;
mod samples;
mod source;
mod tags;
mod words;

use std::thread;

use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::problem::Problem;
use crate::package::statements::{Form, Statement};
use crate::statement::images::Images;
use crate::statement::samples::Samples;
use crate::statement::source::StatementText;
use crate::statement::words::Words;

/// The stack of the thread that translates. A level of a formula takes up to 60 KB of it in a build that is not optimised.
const STACK: usize = 256 << 20;

/// A page, and what could not be shown as it stands.
#[derive(Debug)]
pub struct Rendered {
    /// HTML.
    pub html: String,
    /// Warnings.
    pub remarks: Vec<Diagnostic>,
}

/// What the translators of a statement share.
struct Scope<'a> {
    problem: &'a Problem,
    words: &'static Words,
    images: Images,
    samples: Samples,
    remarks: Vec<Diagnostic>,
}

/// A translated statement.
struct Article {
    language: String,
    /// HTML.
    title: String,
    /// HTML.
    body: String,
}

/// Puts these statements of a problem on a page, one below the other.
///
/// # Errors
/// When the machine has no thread for it.
pub fn page(problem: &Problem, statements: &[&Statement]) -> Result<Rendered, JudgeError> {
    let fault = |reason: String| JudgeError::new("translate the statement", reason);
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, || translate(problem, statements));
        let thread = thread.map_err(|error| fault(error.to_string()))?;
        thread.join().map_err(|_| fault("a library failed".to_owned()))
    })
}

fn translate(problem: &Problem, statements: &[&Statement]) -> Rendered {
    let mut articles = Vec::new();
    let mut remarks = Vec::new();
    for statement in statements {
        let mut scope = Scope {
            problem,
            words: Words::of(&statement.language),
            images: Images::new(problem, statement),
            samples: Samples::of(problem),
            remarks: Vec::new(),
        };
        match StatementText::read(problem, statement) {
            Ok(source) => articles.push(article(statement, &source, &mut scope)),
            Err(remark) => scope.remarks.push(remark),
        }
        remarks.append(&mut scope.remarks);
    }
    Rendered { html: page::html(problem, &articles), remarks }
}

fn article(statement: &Statement, source: &StatementText, scope: &mut Scope<'_>) -> Article {
    let (title, mut body) = match statement.form {
        Form::Latex => latex::translate(source, scope),
        Form::Markdown | Form::Pdf => (None, markdown::translate(source, scope)),
    };
    body.push_str(&scope.samples.rest(scope.words));
    let language = statement.language.clone();
    let title = title.unwrap_or_else(|| page::title(scope.problem, &language));
    Article { language, title, body }
}

#[cfg(test)]
mod tests;
