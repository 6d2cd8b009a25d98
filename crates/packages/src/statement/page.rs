//! Makes the page for statements: title, limits, and style.

use crate::package::headings::StatementWords;
use crate::statement::StatementArticle;
use crate::statement::html::escape;
use juror_core::limits;
use juror_core::problem::{Problem, ProgramIo};
use juror_core::text::exact_seconds;

/// For screen and paper, light and dark.
const STYLE: &str = include_str!("page.css");

/// Nothing is loaded and nothing runs, even if a translator missed something.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// Whether a text is such a page.
pub fn is_rendered_page(text: &str) -> bool {
    text.contains(POLICY)
}

pub(super) fn page_html(problem: &Problem, articles: &[StatementArticle]) -> String {
    let language = articles.first().map_or("en", |article| &article.language);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        problem_title(problem, language),
        language = escape(language),
    );
    if articles.len() > 1 {
        let link = |article: &StatementArticle| {
            let code = escape(&article.language);
            format!("<a href=\"#{code}\" lang=\"{code}\">{code}</a>\n")
        };
        let links: String = articles.iter().map(link).collect();
        html.push_str(&format!("<nav aria-label=\"languages\">\n{links}</nav>\n"));
    }
    html.push_str("<main>\n");
    for article in articles {
        let StatementArticle { language, title, body } = article;
        let language = escape(language);
        html.push_str(&format!(
            "<article lang=\"{language}\" id=\"{language}\" dir=\"auto\">\n<h1>{title}</h1>\n{}{body}</article>\n",
            facts_html(problem, StatementWords::of(&language)),
        ));
    }
    html.push_str("</main>\n</body>\n</html>\n");
    html
}

/// As HTML.
pub(super) fn problem_title(problem: &Problem, language: &str) -> String {
    escape(problem.name(language).unwrap_or(&problem.short_name))
}

/// Limits, and the files that replace standard input and output.
fn facts_html(problem: &Problem, words: &StatementWords) -> String {
    let mut facts = Vec::new();
    if let Some(limit) = problem.limits.time_limit {
        facts.push((words.time_limit, exact_seconds(limit)));
    }
    let memory = problem.limits.memory.unwrap_or(limits::PROGRAM_MEMORY);
    facts.push((words.memory_limit, memory.to_string()));
    if let ProgramIo::Files { input, output } = &problem.io {
        facts.push((words.input, input.clone()));
        facts.push((words.output, output.clone()));
    }
    let fact = |(name, value): &(&str, String)| {
        format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escape(value))
    };
    let facts: String = facts.iter().map(fact).collect();
    format!("<dl class=\"facts\">\n{facts}</dl>\n")
}
