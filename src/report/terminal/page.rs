//! A page of lines under construction: indenting, wrapping, shortening, quoting.

use unicode_width::UnicodeWidthStr;

use crate::report::style::{Style, TextRole, fill_lines, shorten};
use crate::report::terminal::columns::{TableCell, align_columns};
use juror_core::text::{count_if_any, joined, message_line, visible};
use juror_core::units::Bytes;

pub const INDENT: usize = 5;

/// Text is never shortened to less than this width.
pub const MIN_TEXT_WIDTH: usize = 20;

pub struct Page<'a> {
    pub style: &'a Style,
    text: String,
}

/// The text before another one, including spaces.
#[derive(Clone, Copy)]
pub struct Label<'a> {
    role: TextRole,
    text: &'a str,
}

impl<'a, T: AsRef<str> + ?Sized> From<&'a T> for Label<'a> {
    fn from(text: &'a T) -> Self {
        Self::new(TextRole::Plain, text.as_ref())
    }
}

impl<'a> Label<'a> {
    pub const fn new(role: TextRole, text: &'a str) -> Self {
        Self { role, text }
    }
}

impl<'a> Page<'a> {
    pub fn new(style: &'a Style) -> Self {
        Self { style, text: String::new() }
    }

    pub fn into_text(self) -> String {
        self.text
    }

    /// Trailing spaces are removed.
    pub fn line(&mut self, indent: usize, text: &str) {
        let text = text.trim_end();
        if !text.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', indent));
            self.text.push_str(text);
        }
        self.text.push('\n');
    }

    /// A line that begins with a title.
    pub fn titled(&mut self, indent: usize, title: &str, rest: &str) {
        let title = self.style.paint(TextRole::Title, title);
        self.line(indent, &format!("{title}{rest}"));
    }

    pub fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Wraps a text between words.
    pub fn wrapped(&mut self, indent: usize, text: &str) {
        self.labelled(indent, "", text);
    }

    /// Wraps a text after a label. Further lines are aligned with the text of the first one.
    pub fn labelled<'b>(&mut self, indent: usize, label: impl Into<Label<'b>>, text: &str) {
        let label = label.into();
        let hang = indent + label.text.width();
        let room = self.style.width.saturating_sub(hang).max(MIN_TEXT_WIDTH);
        let painted = self.style.paint(label.role, label.text);
        for (index, part) in wrap(text, room).iter().enumerate() {
            if index == 0 {
                self.line(indent, &format!("{painted}{part}"));
            } else {
                self.line(hang, part);
            }
        }
    }

    pub fn labelled_if_any<'b>(
        &mut self,
        indent: usize,
        label: impl Into<Label<'b>>,
        text: Option<impl AsRef<str>>,
    ) {
        if let Some(text) = text {
            self.labelled(indent, label, text.as_ref());
        }
    }

    pub fn columns(&mut self, indent: usize, rows: impl IntoIterator<Item = Vec<TableCell>>) {
        let rows: Vec<Vec<TableCell>> = rows.into_iter().collect();
        for line in align_columns(&rows, self.style) {
            self.line(indent, &line);
        }
    }

    /// Shortens each line to the width.
    pub fn short_columns(&mut self, rows: impl IntoIterator<Item = Vec<TableCell>>) {
        const INDENT: usize = 2;
        let rows: Vec<Vec<TableCell>> = rows.into_iter().collect();
        for line in align_columns(&rows, self.style) {
            let room = self.style.width.saturating_sub(INDENT);
            self.line(INDENT, &shorten(&line, room, self.style.ellipsis()));
        }
    }

    /// Quotes output of a program after a bar. Shortens each line to the width.
    pub fn quoted(&mut self, lines: &[&[u8]]) {
        for line in lines {
            self.quoted_line(&visible(line));
        }
    }

    /// Quotes messages of a program after a bar. Only very long lines are shortened; the terminal may wrap them.
    pub fn quoted_messages(&mut self, lines: &[&[u8]]) {
        const MAX_WIDTH: usize = 300;
        for line in lines {
            let line = message_line(line);
            self.quoted_whole(&shorten(&line, MAX_WIDTH, self.style.ellipsis()));
        }
    }

    pub fn quoted_whole(&mut self, text: &str) {
        self.line(INDENT + 2, &format!("{} {text}", self.style.bar()));
    }

    pub fn quoted_line(&mut self, text: &str) {
        self.quoted_whole(&shorten(text, self.room_for_quotes(), self.style.ellipsis()));
    }

    pub fn edited<'b>(
        &mut self,
        indent: usize,
        sign: &str,
        role: TextRole,
        lines: impl Iterator<Item = &'b str>,
    ) {
        for line in lines {
            let line = format!("{sign} {}", visible(line.as_bytes()));
            self.line(indent, &self.style.paint(role, &line));
        }
    }

    /// Whether a quoted line fits without being shortened.
    pub fn fits(&self, line: &[u8]) -> bool {
        visible(line).width() <= self.room_for_quotes()
    }

    fn room_for_quotes(&self) -> usize {
        self.style.width.saturating_sub(INDENT + 2 + 2).max(MIN_TEXT_WIDTH)
    }
}

/// A word that is longer than `width` gets its own line.
///
/// A number and its noun stay together.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(last) if last.parse::<f64>().is_ok() => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    fill_lines(words.iter().map(|word| &**word), width)
}

pub(super) fn write_left_out(page: &mut Page<'_>, number: usize, noun: &str, bytes: u64) {
    let bytes = (bytes > 0).then(|| format!("{} more", Bytes(bytes)));
    let what = joined(count_if_any(number, noun).into_iter().chain(bytes), " and ");
    if !what.is_empty() {
        let text = format!("{} {what}", page.style.ellipsis());
        let text = page.style.paint(TextRole::Dim, &text);
        page.line(INDENT + 2, &text);
    }
}

/// Without line ends, and without blank lines at the end.
pub(super) fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    let text = text.trim_ascii_end();
    if text.is_empty() {
        return Vec::new();
    }
    text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_between_words() {
        let check = |text: &str, lines: &[&str]| assert_eq!(wrap(text, 10), lines);
        check("", &[""]);
        check("one two three four", &["one two", "three four"]);
        check("wrote 38 B, 5", &["wrote", "38 B, 5"]);
        check("a verylongwordindeed b", &["a", "verylongwordindeed", "b"]);
    }
}
