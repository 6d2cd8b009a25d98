//! A single run of a submission: how it ended, and all of its output.

use crate::model::once::RunOnce;
use crate::model::text::printable;
use crate::report::style::{Look, Style};
use crate::report::terminal::listing::quoted;
use crate::report::terminal::page::{Label, Page};

/// Everything except what goes to standard output unchanged.
pub(super) fn page(run: &RunOnce, style: &Style) -> String {
    let mut page = Page::new(style);
    let look = if run.failed { Look::Bad } else { Look::Good };
    let name = printable(&run.submission);
    let label = format!("{name} on {}: ", printable(&run.input));
    page.labelled(0, Label::new(look, &label), &printable(&run.ended));
    page.wrapped(2, &run.outcome.used());
    let mut part = |name: &str, text: &[u8]| {
        if text.is_empty() {
            return page.line(0, &format!("{name}: empty"));
        }
        page.line(0, &format!("{name}:"));
        quoted(&mut page, text, true);
    };
    if !run.message.is_empty() {
        part("judge message", run.message.as_bytes());
    }
    if !run.is_raw && !run.is_shown {
        part("standard output", &run.stdout);
    }
    if !run.is_shown || !run.stderr.is_empty() {
        part("standard error", &run.stderr);
    }
    if let Some(file) = &run.file {
        match (&file.contents, &file.missing) {
            (Some(contents), _) => part(&printable(&file.name), contents),
            (None, missing) => page.wrapped(0, &printable(missing.as_deref().unwrap_or_default())),
        }
    }
    page.into_text()
}
