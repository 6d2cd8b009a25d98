//! Mutants: a list, or one with its lines.

use crate::model::mutants::{ListedMutant, MutantListing};
use crate::model::text::{count, printable, visible};
use crate::report::style::{Look, Style};
use crate::report::terminal::columns::Cell;
use crate::report::terminal::page::Page;

/// The requested list or mutant.
pub(super) fn page(listing: &MutantListing, style: &Style) -> String {
    let mut page = Page::new(style);
    for (at, mutants) in listing.list.chunk_by(|a, b| a.submission == b.submission).enumerate() {
        if at > 0 {
            page.blank();
        }
        let submission = style.paint(Look::Title, &printable(&mutants[0].submission));
        if listing.in_full {
            mutants.iter().for_each(|mutant| in_full(&mut page, mutant));
        } else {
            page.line(0, &format!("{submission}  {}", count(mutants.len(), "mutant")));
            list(&mut page, mutants);
        }
    }
    if let Some(saved) = &listing.saved {
        page.line(0, &format!("saved: {}", printable(saved)));
    }
    page.into_text()
}

fn list(page: &mut Page<'_>, mutants: &[ListedMutant]) {
    let arrow = if page.style.unicode { "→" } else { "->" };
    page.short_columns(mutants.iter().map(|mutant| {
        let [before, after] = [&mutant.before, &mutant.after].map(|text| match text.as_str() {
            "" => "nothing".to_owned(),
            text => format!("`{}`", visible(text.as_bytes())),
        });
        vec![
            Cell::left(mutant.id.clone()),
            Cell::right(format!("{}:{}", mutant.line, mutant.column)).looking(Look::Dim),
            Cell::left(format!("{before} {arrow} {after}")),
        ]
    }));
}

fn in_full(page: &mut Page<'_>, mutant: &ListedMutant) {
    let style = page.style;
    let place = format!("{}, {}:{}:{}", mutant.submission, mutant.file, mutant.line, mutant.column);
    page.line(0, &format!("{}  {}", style.paint(Look::Title, &mutant.id), printable(&place)));
    page.line(0, &format!("the mutant {}", mutant.mistake));
    page.blank();
    page.edited(0, "-", Look::Expected, mutant.lines_before.iter().map(|it| &**it));
    page.edited(0, "+", Look::Got, mutant.lines_after.iter().map(|it| &**it));
}
