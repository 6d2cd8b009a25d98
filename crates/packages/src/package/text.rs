//! Text files written by people, and remarks about spots in them.

use std::path::{Path, PathBuf};

use crate::package::faults::{Faults, ReportedFault};
use juror_core::diagnostic::{LONGEST_SHOWN_LINE, SourcePlace, TextPosition};
use juror_core::lines::LineIndex;
use juror_core::root::FilePath;
use juror_core::units::Bytes;

/// Upper bound on the size of a file of settings, in bytes. Real ones have a few kilobytes.
pub(super) const MAX_SIZE: u64 = 1 << 20;

/// A range of one line. Lines and columns count from 1, columns and width in characters.
///
/// A range of more than one line has a width past the end of its first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRange {
    pub line: u32,
    pub column: u32,
    pub width: u32,
}

pub(super) const FILE_START: TextRange = TextRange { line: 1, column: 1, width: 1 };

#[derive(Debug)]
pub(crate) struct TextFile {
    pub path: PathBuf,
    /// The contents, without byte-order mark.
    pub text: String,
    lines: LineIndex,
}

impl TextFile {
    pub(crate) fn new(path: &Path, text: String) -> Self {
        let lines = LineIndex::new(text.as_bytes());
        Self { path: path.to_owned(), text, lines }
    }

    pub(super) fn new_if_small(path: &Path, text: String, faults: &Faults) -> Option<Self> {
        if text.len() as u64 > MAX_SIZE {
            let most = Bytes(MAX_SIZE);
            let message = format!("is larger than {most}; juror reads no larger file of settings");
            faults.error(path, message, "");
            return None;
        }
        Some(Self::new(path, text))
    }

    /// Reads a file and checks the format's rules for text files.
    ///
    /// By "General requirements", it must have Unix line ends and no byte-order mark. A mark confuses programs that
    /// read the file, and is an error; juror tolerates other line ends.
    pub(super) fn read(path: &FilePath, faults: &Faults) -> Option<Self> {
        let bytes = faults.ok_or_report(path, path.read_prefix(MAX_SIZE + 1))?;
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let file = Self::new(path, String::from_utf8_lossy(error.as_bytes()).into_owned());
                let place = file.place(file.range(valid..valid + 1));
                faults.error(place, "is not UTF-8 here", "save the file as UTF-8");
                return None;
            }
        };
        let without_mark = text.strip_prefix('\u{feff}');
        if without_mark.is_some() {
            UntidyText::ByteOrderMark.report(path, faults);
        }
        let file = Self::new_if_small(path, without_mark.unwrap_or(&text).to_owned(), faults)?;
        if let Some(at) = file.text.find("\r\n") {
            UntidyText::WindowsLineEnds.report(file.place(file.range(at..at + 1)), faults);
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            UntidyText::NoLineEnd.report(path, faults);
        }
        Some(file)
    }

    /// A line by its number from 1, without its line end; empty if there is none.
    pub(super) fn line(&self, line: u32) -> &str {
        self.text[self.lines.line_range(line as usize)].trim_end_matches(['\n', '\r'])
    }

    /// A line for reports; empty if it is too long.
    pub(crate) fn shown_line(&self, line: u32) -> &str {
        Some(self.line(line)).filter(|text| text.len() <= LONGEST_SHOWN_LINE).unwrap_or_default()
    }

    /// The range of `bytes`, cut at the end of its first line. A place within a line end is the end of the line.
    pub(crate) fn range(&self, bytes: std::ops::Range<usize>) -> TextRange {
        let line = self.lines.line_number(bytes.start) as u32;
        let start = self.lines.line_range(line as usize).start;
        let end_of_line = start + self.line(line).len();
        let [from, to] = [bytes.start, bytes.end].map(|at| at.min(end_of_line));
        let count = |part| self.lines.count_characters(self.text.as_bytes(), part) as u32;
        let [column, width] = [count(start..from) + 1, count(from..to).max(1)];
        TextRange { line, column, width }
    }

    /// The place for reports, cut at the end of the line.
    pub(super) fn place(&self, range: TextRange) -> SourcePlace {
        let TextRange { line, column, width } = range;
        // A file can have a hundred thousand places in one long line.
        let text = self.shown_line(line);
        let rest = (text.chars().count() as u32).saturating_sub(column - 1);
        let spot =
            TextPosition { line, column, text: text.to_owned(), width: width.min(rest).max(1) };
        SourcePlace { path: self.path.clone(), spot: Some(spot) }
    }
}

/// Rules for text files that a file may break.
#[derive(Clone, Copy, Debug)]
pub(super) enum UntidyText {
    ByteOrderMark,
    Utf16,
    WindowsLineEnds,
    BlanksAtLineEnds,
    NoLineEnd,
}

impl UntidyText {
    fn message_and_help(self) -> [&'static str; 2] {
        match self {
            Self::ByteOrderMark => {
                ["starts with a byte-order mark (BOM)", "save the file as UTF-8 without BOM"]
            }
            Self::Utf16 => {
                ["is in UTF-16, which programs read as junk", "save the file as UTF-8 without BOM"]
            }
            Self::WindowsLineEnds => {
                ["has Windows line ends (CR LF)", "save the file with Unix line ends (LF)"]
            }
            Self::BlanksAtLineEnds => [
                "has blanks at the ends of lines",
                "make it again by `juror generate`, or remove them: sed -i 's/[ \\t]*$//' FILE",
            ],
            Self::NoLineEnd => {
                ["does not end with a line end", "add a line end after the last line"]
            }
        }
    }

    /// Reports the fault; only that of an encoding is an error.
    pub(super) fn report(self, at: impl Into<SourcePlace>, faults: &Faults) {
        let [message, help] = self.message_and_help();
        match self {
            Self::ByteOrderMark | Self::Utf16 => faults.publishing_error(at, message, help),
            Self::WindowsLineEnds | Self::BlanksAtLineEnds | Self::NoLineEnd => {
                faults.warning(at, message, help);
            }
        }
    }

    /// The same in an input or an answer, where an encoding makes right programs fail.
    pub(super) fn report_in_test(self, at: &FilePath, faults: &Faults) {
        let [message, help] = self.message_and_help();
        match self {
            Self::ByteOrderMark | Self::Utf16 => faults.acceptance_error(at, message, help),
            Self::WindowsLineEnds | Self::BlanksAtLineEnds | Self::NoLineEnd => {
                self.report(at, faults);
            }
        }
    }
}

/// Whether there is a file of settings that contains all these words.
pub(super) fn settings_contain(path: &FilePath, words: &[&str]) -> bool {
    let has = |text: &[u8], word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
    path.read_prefix(MAX_SIZE).is_ok_and(|text| words.iter().all(|word| has(&text, word)))
}

/// A file, and where its faults are reported.
#[derive(Clone, Copy)]
pub(super) struct FileReporter<'a> {
    pub file: &'a TextFile,
    pub faults: &'a Faults,
}

impl FileReporter<'_> {
    pub(super) fn error(
        &self,
        range: TextRange,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ReportedFault {
        self.faults.error(self.file.place(range), message, help)
    }

    /// Whether further remarks would be dropped, so that callers can skip the work.
    pub(super) fn has_max_errors(&self) -> bool {
        self.faults.has_max_errors(&self.file.path)
    }
}

/// A piece of a user's text for a message: without control characters, at most a line long.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for character in text.chars().take(LONGEST) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_is_beyond_its_line() {
        let file = TextFile::new(Path::new("a.toml"), "x = \"\r\nÄb\n".to_owned());
        let check = |bytes: std::ops::Range<usize>, line: u32, column: u32, width: u32| {
            let TextRange { line: l, column: c, width: w } = file.range(bytes.clone());
            assert_eq!((l, c, w), (line, column, width), "{bytes:?}");
        };
        check(0..1, 1, 1, 1);
        check(4..5, 1, 5, 1);
        check(4..9, 1, 5, 1);
        // The carriage return, the line feed, and the end of the line before both.
        check(5..6, 1, 6, 1);
        check(6..7, 1, 6, 1);
        check(7..10, 2, 1, 2);
        check(10..11, 2, 3, 1);
    }
}
