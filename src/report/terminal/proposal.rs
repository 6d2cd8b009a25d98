//! The test cases that were added to a package from a grammar: the purpose of each, and what was not added.

use crate::report::style::Style;
use crate::report::terminal::columns::{TableCell, align_columns};
use crate::report::terminal::page::Page;
use juror_core::proposal::{EqualInput, Proposal, ProposedCase};
use juror_core::text::{count, joined, printable};
use juror_core::units::Bytes;

/// Ends with an empty line.
pub(super) fn proposal_block(proposal: &Proposal, style: &Style) -> String {
    let mut page = Page::new(style);
    let grammar = printable(&proposal.grammar.display().to_string());
    let by = format!("by {grammar}, seed {}", proposal.seed);
    let cases = &proposal.cases;
    match cases.first() {
        None => {
            let why = match proposal.equal.len() {
                0 => "nothing could be made".to_owned(),
                all => format!("{} already exist", count(all, "input")),
            };
            page.wrapped(0, &format!("nothing new {by}: {why}"));
        }
        Some(first) => {
            let size = Bytes(cases.iter().map(|case| case.size.0).sum());
            let new = count(cases.len(), "new case");
            let dir = first.name.rsplit_once('/').map_or("", |(dir, _)| dir);
            page.titled(0, &printable(dir), &format!("  {new}, {size}, {by}"));
        }
    }
    let row = |case: &ProposedCase| {
        let name = case.name.rsplit_once('/').map_or(&*case.name, |path| path.1);
        vec![TableCell::left(printable(name)), TableCell::right(case.size.to_string())]
    };
    let rows: Vec<Vec<TableCell>> = cases.iter().map(row).collect();
    for (case, line) in cases.iter().zip(align_columns(&rows, style)) {
        let label = format!("{line}  ");
        page.labelled(2, &label, &printable(&case.description));
    }
    let (before, equal): (Vec<&EqualInput>, Vec<&EqualInput>) =
        proposal.equal.iter().partition(|equal| is_added_before(equal));
    let shown = equal.iter().chain(before.iter().filter(|_| style.is_verbose()));
    let pairs = shown.map(|equal| format!("{} = {}", equal.name, printable(&equal.same_as)));
    let text = joined(pairs, ", ");
    if !text.is_empty() {
        page.labelled(2, "equal:      ", &text);
    }
    if !before.is_empty() && !cases.is_empty() {
        let text = format!("{} from before", count(before.len(), "input"));
        page.labelled(2, "existing:   ", &text);
    }
    if !proposal.too_large.is_empty() {
        page.labelled(2, "too large:  ", &proposal.too_large.join(", "));
    }
    if proposal.imported > 0 {
        let cases = count(proposal.imported, "test case");
        let text = format!("{cases} without a recipe, copied to generators/given");
        page.labelled(2, "imported:   ", &text);
    }
    page.blank();
    page.into_text()
}

/// Whether the input was added before: its name is the same after a number.
fn is_added_before(equal: &EqualInput) -> bool {
    let last = equal.same_as.rsplit('/').next().unwrap_or_default();
    let name = last.trim_start_matches(|letter: char| letter.is_ascii_digit());
    name.strip_prefix('-') == Some(&*equal.name)
}
