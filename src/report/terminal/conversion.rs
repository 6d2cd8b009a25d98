//! A converted package: where it is, and what had no equivalent.

use crate::model::conversion::{Conversion, Loss};
use crate::model::text::{count, printable};
use crate::report::style::{Look, Style};
use crate::report::terminal::page::Page;

/// The whole block.
pub(super) fn page(conversion: &Conversion, style: &Style) -> String {
    let Conversion { from, to, path, files, losses } = conversion;
    let mut page = Page::new(style);
    let path = style.paint(Look::Title, &printable(&path.display().to_string()));
    page.line(0, &format!("{path}  {to}, from {from}, {}", count(*files, "file")));
    let lost = match losses.len() {
        0 => "everything has an equivalent".to_owned(),
        1 => "1 thing has no equivalent:".to_owned(),
        all => format!("{all} things have no equivalent:"),
    };
    page.line(2, &lost);
    for Loss { place, more, what, became } in losses {
        let places = match more {
            0 => printable(place),
            more => format!("{} and {more} more", printable(place)),
        };
        page.wrapped(2, &places);
        page.labelled(4, "was:     ", &printable(what));
        match became {
            Some(became) => page.labelled(4, "became:  ", &printable(became)),
            None => page.line(4, "left out"),
        }
    }
    page.into_text()
}
