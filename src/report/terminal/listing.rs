//! A package as a tree, or one of its test cases with its files.

use crate::report::result::CommandResult;
use crate::report::terminal::columns::TableCell;
use crate::report::terminal::page::Page;
use juror_core::text::{count, exact_seconds, printable, visible};
use juror_core::units::Bytes;
use juror_packages::package::contents::{CaseFiles, PackageListing};

impl CommandResult for PackageListing {
    fn render(&self, page: &mut Page<'_>) {
        if let Some(case) = &self.case {
            return render_case_files(case, page);
        }
        let time = self.time_limit.map_or_else(|| "measured".to_owned(), exact_seconds);
        let amount =
            |bytes: Option<Bytes>| bytes.map_or_else(String::new, |bytes| bytes.to_string());
        page.labelled(0, "type:    ", &self.kind);
        let limits = format!(
            "CPU time {time}, memory {}, output {}",
            amount(self.memory_bytes),
            amount(self.output_bytes)
        );
        page.labelled(0, "limits:  ", &limits);
        for group in &self.groups {
            page.blank();
            let most = group.max_score.as_ref().map(|most| format!(", at most {most} points"));
            let cases = count(group.cases.len(), "test case");
            let rest = format!("  {cases}{}", most.unwrap_or_default());
            page.titled(0, &printable(&group.name), &rest);
            page.short_columns(group.cases.iter().map(|case| {
                let base = case.name.rsplit('/').next().unwrap_or_default();
                vec![
                    TableCell::left(printable(base)),
                    TableCell::right(amount(case.input_bytes)),
                    TableCell::right(amount(case.answer_bytes)),
                    TableCell::left(printable(case.description.as_deref().unwrap_or_default())),
                ]
            }));
        }
        page.blank();
        page.titled(0, &count(self.submissions.len(), "submission"), "");
        page.short_columns(self.submissions.iter().map(|submission| {
            let expected = match &submission.expected[..] {
                [] => "nothing expected".to_owned(),
                [only] => printable(only),
                [first, more @ ..] => format!("{} (and {} more)", printable(first), more.len()),
            };
            vec![TableCell::left(printable(&submission.name)), TableCell::left(expected)]
        }));
        if !self.programs.is_empty() {
            page.blank();
            page.titled(0, "programs", "");
            page.short_columns(self.programs.iter().map(|program| {
                let path = program.path.display().to_string();
                vec![TableCell::left(program.what), TableCell::left(printable(&path))]
            }));
        }
    }
}

fn render_case_files(case: &CaseFiles, page: &mut Page<'_>) {
    page.titled(0, &printable(&case.name), "");
    let arguments = (!case.args.is_empty()).then(|| case.args.join(" "));
    page.labelled_if_any(0, "description: ", case.description.as_deref().map(printable));
    page.labelled_if_any(0, "hint:        ", case.hint.as_deref().map(printable));
    page.labelled_if_any(0, "arguments:   ", arguments.as_deref().map(printable));
    for file in &case.files {
        page.blank();
        let path = printable(&file.path.display().to_string());
        page.titled(0, file.what, &format!("  {}  {path}", file.bytes));
        quote_lines(page, &file.contents, file.left_out_bytes.0 == 0, visible);
        if file.left_out_bytes.0 > 0 {
            page.line(2, &format!("{} more; --all shows them", file.left_out_bytes));
        }
    }
}

/// Lines are not shortened; the terminal may wrap them.
pub fn quote_lines(page: &mut Page<'_>, text: &[u8], is_whole: bool, show: fn(&[u8]) -> String) {
    let bar = page.style.bar();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let (line, end) = match line.strip_suffix(b"\n") {
            Some(line) => (line, ""),
            None if is_whole => (line, "  (no line end)"),
            None => (line, ""),
        };
        page.line(2, &format!("{bar} {}{end}", show(line)));
    }
}
