//! How much to show to a person, in which width and colours.

use anstyle::{AnsiColor, Effects};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use juror_core::verdict::Verdict;
use juror_core::words::words;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Words always say the same as colours.
    pub color: bool,
    /// Whether to draw with characters beyond ASCII. Does not change programs' texts.
    pub unicode: bool,
    /// In terminal cells.
    pub width: usize,
    pub verbosity: Verbosity,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    Quiet,
    #[default]
    Normal,
    Verbose,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputEnvironment {
    pub out_is_terminal: bool,
    pub err_is_terminal: bool,
    pub term: String,
    pub no_color: bool,
    pub ci: bool,
    /// Such as `de_DE.UTF-8`.
    pub locale: String,
    pub width: Option<usize>,
}

impl OutputEnvironment {
    pub fn style(&self, verbosity: Verbosity) -> Style {
        let is_utf8 = self.locale.to_lowercase().replace('-', "").contains("utf8");
        let are_terminals = self.out_is_terminal && self.err_is_terminal;
        Style {
            color: are_terminals && !self.no_color && self.term != "dumb",
            // A file or pipe may be read anywhere; the locale describes only the terminal.
            unicode: is_utf8 || !self.out_is_terminal,
            width: self.width.unwrap_or(100),
            verbosity,
        }
    }

    /// Whether standard error is a terminal that can redraw lines, and a person sees it.
    pub fn can_redraw(&self) -> bool {
        self.err_is_terminal && !self.ci && self.term != "dumb"
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableListing {
    pub order: Order,
    /// `None` for all.
    pub only: Option<SubmissionFilter>,
}

words! {
    /// The order of the rows of a table. Equal rows are in the order in which they were named.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Order {
        /// Unexpected results first.
        #[default]
        Surprise = "surprise",
        /// As on the command line or in the package.
        Given = "given",
        Name = "name",
        /// By verdict, accepted ones first.
        Verdict = "verdict",
        /// The most test cases first.
        Passed = "passed",
        /// The highest score first.
        Score = "score",
        /// The slowest first.
        Time = "time",
        /// The greatest memory use first.
        Memory = "memory",
    }
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SubmissionFilter {
        /// Submissions that are not accepted.
        Failed = "failed",
        /// Submissions that are not as expected, or on which the judge failed.
        Unexpected = "unexpected",
    }
}

/// The role of a text decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    Plain,
    Title,
    Dim,
    Verdict(Verdict),
    Good,
    Bad,
    /// Worth knowing, but not a fault.
    Warning,
    /// A failure of the judge, which must not look like any verdict.
    JudgeError,
    Expected,
    Actual,
}

impl Style {
    pub fn paint(&self, role: TextRole, text: &str) -> String {
        let style = ansi(role);
        if !self.color || style.is_plain() || text.is_empty() {
            return text.to_owned();
        }
        format!("{style}{text}{style:#}")
    }

    pub(super) const fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    pub(super) const fn bar(&self) -> &'static str {
        if self.unicode { "│" } else { "|" }
    }

    pub(super) const fn space(&self) -> char {
        if self.unicode { '·' } else { '_' }
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    pub fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }
}

/// Shortens a text to `width` cells.
pub(super) fn shorten(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut room = width.saturating_sub(ellipsis.width());
    for character in text.chars() {
        let cells = character.width().unwrap_or(0);
        if cells > room {
            break;
        }
        room -= cells;
        short.push(character);
    }
    short.push_str(ellipsis);
    short
}

/// Words in lines of at most this width; a longer word gets its own line. Without words, one empty line.
pub fn fill_lines<'a>(words: impl Iterator<Item = &'a str>, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// Colours that contestants know: green for accepted, red for wrong, magenta for too slow, yellow for the format's
/// run-time errors.
fn ansi(role: TextRole) -> anstyle::Style {
    let bold = |color: AnsiColor| color.on_default() | Effects::BOLD;
    match role {
        TextRole::Plain => anstyle::Style::new(),
        TextRole::Title => anstyle::Style::new().bold(),
        TextRole::Dim => anstyle::Style::new().dimmed(),
        TextRole::Verdict(verdict) => bold(match verdict {
            Verdict::Accepted => AnsiColor::Green,
            Verdict::WrongAnswer | Verdict::CompileError => AnsiColor::Red,
            Verdict::TimeLimitExceeded => AnsiColor::Magenta,
            Verdict::MemoryLimitExceeded | Verdict::OutputLimitExceeded | Verdict::RunTimeError => {
                AnsiColor::Yellow
            }
        }),
        TextRole::Good | TextRole::Expected => AnsiColor::Green.on_default(),
        TextRole::Bad => bold(AnsiColor::Red),
        TextRole::Warning => bold(AnsiColor::Yellow),
        TextRole::JudgeError => AnsiColor::White.on(AnsiColor::Red) | Effects::BOLD,
        TextRole::Actual => AnsiColor::Red.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shortened_by_cells() {
        let check = |text: &str, shown: &str| assert_eq!(shorten(text, 20, "…"), shown);
        check("short", "short");
        check("exactly twenty cells", "exactly twenty cells");
        check("a little more than twenty cells", "a little more than …");
        check("東京東京東京東京東京東京", "東京東京東京東京東…");
    }
}
