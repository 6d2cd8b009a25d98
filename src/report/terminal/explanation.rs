//! Why a submission fails, in a line.

use crate::report::style::Style;
use crate::report::terminal::page::{INDENT, Page};
use juror_core::explanation::ExplanationResult;
use juror_core::text::{count, printable};

pub(super) fn block(explained: &ExplanationResult, style: &Style) -> String {
    let mut page = Page::new(style);
    let why = match &explained.explanation {
        Some(explanation) => explanation.sentence(),
        None if style.is_quiet() => return String::new(),
        None => {
            let runs = count(explained.runs, "fresh input");
            let cut = if explained.cut { ", then time ran out" } else { "" };
            format!("no simple explanation found: {runs} were compared{cut}")
        }
    };
    page.titled(0, &printable(&explained.submission), "");
    page.labelled(INDENT, "why: ", &printable(&why));
    if !style.is_quiet() {
        page.blank();
    }
    page.into_text()
}
