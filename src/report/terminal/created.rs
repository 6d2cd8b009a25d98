//! A package that was made from a template, and what to do next.

use unicode_width::UnicodeWidthStr;

use crate::report::document::NextStepReport;
use crate::report::result::CommandResult;
use crate::report::style::Style;
use crate::report::terminal::page::Page;
use juror_core::progress::NextStep;
use juror_core::text::{count, printable};
use juror_packages::new::created_package::{CreatedFile, CreatedPackage};

impl CommandResult for CreatedPackage {
    fn render(&self, page: &mut Page<'_>) {
        if page.style.is_quiet() {
            return;
        }
        let CreatedPackage { kind, path, files, test_cases, next, .. } = self;
        let rest = format!("  new problem of the type {kind}, {}", count(files.len(), "file"));
        page.titled(0, &printable(&path.display().to_string()), &rest);
        let width = files.iter().map(|file| file.path.width()).max().unwrap_or(0);
        for CreatedFile { path, purpose } in files {
            page.labelled(2, &format!("{path:width$}  "), purpose);
        }
        page.line(2, &count(*test_cases, "test case"));
        page.titled(0, "next:", "");
        numbered(page, next.iter());
    }
}

pub(super) fn next_steps(steps: &[NextStepReport], style: &Style) -> String {
    let mut page = Page::new(style);
    let are_of_one = steps.iter().all(|step| step.package == steps[0].package);
    for steps in steps.chunk_by(|a, b| a.package == b.package) {
        let title = match &steps[0].package {
            Some(package) if !are_of_one => format!("next for {}:", printable(package)),
            _ => "next:".to_owned(),
        };
        page.titled(0, &title, "");
        numbered(&mut page, steps.iter().map(|step| &step.step));
    }
    page.into_text()
}

fn numbered<'a>(page: &mut Page<'_>, steps: impl Iterator<Item = &'a NextStep>) {
    for (number, NextStep { what, command }) in (1..).zip(steps) {
        page.labelled(2, &format!("{number}. "), &printable(what));
        if let Some(command) = command {
            // The command has its own line, so that it can be copied.
            page.line(5, &printable(command));
        }
    }
}
