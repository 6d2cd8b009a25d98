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
            let shown = MarkedSourceLine::new(spot);
            let meant = AnnotationKind::Primary.span(shown.start..shown.end);
            let snippet =
                Snippet::source(shown.line).line_start(spot.line as usize).annotation(meant);
            if shown.column_is_kept {
                title.element(snippet.path(path))
            } else {
                // The snippet's own column would count the escapes.
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

/// Control characters are visible. `start` and `end` are byte offsets of the mark.
struct MarkedSourceLine {
    line: String,
    start: usize,
    end: usize,
    /// Whether there are no escapes before the mark, so that its column is unchanged.
    column_is_kept: bool,
}

impl MarkedSourceLine {
    fn new(spot: &TextPosition) -> Self {
        let byte_at = |characters: usize| {
            spot.text.char_indices().nth(characters).map_or(spot.text.len(), |(index, _)| index)
        };
        let first = (spot.column as usize).saturating_sub(1);
        let start = byte_at(first);
        let end = byte_at(first + spot.width.max(1) as usize);
        let before = printable(&spot.text[..start]);
        let meant = printable(&spot.text[start..end]);
        let after = printable(&spot.text[end..]);
        Self {
            column_is_kept: before.chars().count() == first,
            start: before.len(),
            end: before.len() + meant.len(),
            line: before + &meant + &after,
        }
    }
}
