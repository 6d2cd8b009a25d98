//! Messages that people must see at once, even if a program reads the report: one line each, on standard error.

use std::io::{self, Write};

use crate::report::LiveReporter;
use crate::report::document::Report;
use crate::report::style::{Style, TextRole};
use juror_core::event::{Event, Shortfall};
use juror_core::isolation::Isolation;
use juror_core::text::{printable, with_help};

/// Shows complaints and the warning about isolation.
pub struct Notices<E> {
    err: E,
    style: Style,
}

impl<E: Write> Notices<E> {
    pub fn new(err: E, style: Style) -> Self {
        Self { err, style }
    }
}

impl<E: Write> LiveReporter for Notices<E> {
    fn show_event(&mut self, event: &Event, _: &Report) -> io::Result<()> {
        match urgent_message(event, &self.style) {
            None => Ok(()),
            Some(text) => self.err.write_all(text.as_bytes()),
        }
    }
}

/// Returns the messages that every mode must show.
pub(super) fn urgent_message(event: &Event, style: &Style) -> Option<String> {
    let (role, label, text) = match event {
        Event::Complained { message, help } => {
            let lines = help.as_deref().and_then(|help| help.strip_prefix('\n'));
            let help = help.as_deref().filter(|_| lines.is_none());
            let mut text = printable(&with_help(message, help));
            let lines = lines.into_iter().flat_map(str::lines);
            text.extend(lines.map(|line| format!("\n  {}", printable(line))));
            (TextRole::Bad, "error:", text)
        }
        Event::HostReady { isolation, shortfall: Some(shortfall), most_at_once } => {
            let text = isolation_warning(shortfall, *isolation, *most_at_once);
            (TextRole::Warning, "warning:", text)
        }
        _ => return None,
    };
    Some(format!("{} {text}\n", style.paint(role, label)))
}

/// Shown at the start of every command without full isolation.
fn isolation_warning(
    shortfall: &Shortfall,
    isolation: Isolation,
    most_at_once: Option<usize>,
) -> String {
    let Shortfall { message, reasons, help } = shortfall;
    let one = if most_at_once == Some(1) { ", one run at a time" } else { "" };
    let mut text = format!("{message} ({isolation}{one}); {help}");
    if isolation == Isolation::Plain {
        text.push_str("\nnot enforced:");
        for gap in reasons {
            text.push_str(&format!("\n  {gap}"));
        }
    }
    text
}
