//! A diagnostic with its line and carets under the marked text.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use crate::report::style::Style;
use crate::report::terminal::compiler::quote_from_first_error;
use crate::report::terminal::page::Page;
use juror_core::diagnostic::{Diagnostic, Severity, TextPosition};
use juror_core::text::{path_text, printable};

/// Ends with an empty line; a single line in quiet mode.
pub(super) fn block(diagnostic: &Diagnostic, style: &Style) -> String {
    if style.is_quiet() {
        return format!("{}: {}\n", diagnostic.severity, printable(&diagnostic.to_string()));
    }
    let level = match diagnostic.severity {
        Severity::Remark => Level::NOTE.with_name("remark"),
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let path = printable(&path_text(&diagnostic.place.path));
    let title = level.primary_title(printable(&diagnostic.message));
    let origin = |path: String, spot: &TextPosition| {
        Origin::path(path).line(spot.line as usize).char_column(spot.column as usize)
    };
    let mut group = match &diagnostic.place.spot {
        None => title.element(Origin::path(path)),
        // The line is too long to show.
        Some(spot) if spot.text.is_empty() && spot.column > 1 => title.element(origin(path, spot)),
        Some(spot) => {
            let byte_at = |characters: usize| {
                spot.text.char_indices().nth(characters).map_or(spot.text.len(), |(index, _)| index)
            };
            let first = (spot.column as usize).saturating_sub(1);
            let (start, end) = (byte_at(first), byte_at(first + spot.width.max(1) as usize));
            let [before, meant, after] =
                [&spot.text[..start], &spot.text[start..end], &spot.text[end..]].map(printable);
            let mark = AnnotationKind::Primary.span(before.len()..before.len() + meant.len());
            // Escapes before the mark would change its column.
            let column_is_kept = before.chars().count() == first;
            let line = Snippet::source(before + &meant + &after);
            let snippet = line.line_start(spot.line as usize).annotation(mark);
            if column_is_kept {
                title.element(snippet.path(path))
            } else {
                title.element(origin(path, spot)).element(snippet)
            }
        }
    };
    if let Some(help) = diagnostic.help.as_ref().filter(|_| !diagnostic.quotes) {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let decor = if style.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
    let text = renderer.term_width(style.width).decor_style(decor).render(&[group]);
    let mut page = Page::new(style);
    if let Some(messages) = diagnostic.help.as_ref().filter(|_| diagnostic.quotes) {
        quote_from_first_error(&mut page, messages.as_bytes());
    }
    format!("{text}\n{}\n", page.into_text())
}
