//! How much to show to a person, how wide, and in which colours.

use anstyle::{AnsiColor, Effects};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::model::verdict::Verdict;
use crate::model::words::words;

/// How a terminal reporter writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colour. Words always convey the same.
    pub color: bool,
    /// Whether to draw with characters beyond ASCII. Programs' texts are not affected.
    pub unicode: bool,
    /// The maximum width of a line, in terminal cells.
    pub width: usize,
    pub verbosity: Verbosity,
}

/// How much a reporter shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    Quiet,
    #[default]
    Normal,
    Verbose,
}

/// The destination of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether standard output is a terminal.
    pub out_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub err_is_terminal: bool,
    /// The value of `TERM`.
    pub term: String,
    /// Whether `NO_COLOR` is set.
    pub no_color: bool,
    /// Whether `CI` is set.
    pub ci: bool,
    /// The locale's name, such as `de_DE.UTF-8`.
    pub locale: String,
    /// The width of the terminal, if known.
    pub width: Option<usize>,
}

impl Surroundings {
    /// The style for this destination.
    pub fn style(&self, verbosity: Verbosity) -> Style {
        let is_utf8 = self.locale.to_lowercase().replace('-', "").contains("utf8");
        let are_terminals = self.out_is_terminal && self.err_is_terminal;
        Style {
            color: are_terminals && !self.no_color && self.term != "dumb",
            // A file or pipe may be read anywhere; a terminal tells what it can show.
            unicode: is_utf8 || !self.out_is_terminal,
            width: self.width.unwrap_or(100),
            verbosity,
        }
    }

    /// Whether standard error can redraw lines, and a person sees it.
    pub fn can_redraw(&self) -> bool {
        self.err_is_terminal && !self.ci && self.term != "dumb"
    }
}

/// Which submissions a table lists, and their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The order.
    pub order: Order,
    /// Which submissions; None for all.
    pub only: Option<Only>,
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
    /// A part of the submissions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Only {
        /// Submissions that are not accepted.
        Failed = "failed",
        /// Submissions that are not as expected, or on which the judge failed.
        Unexpected = "unexpected",
    }
}

/// The role of a piece of text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// No special role.
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
    /// What was there instead.
    Got,
}

impl Style {
    /// The text in the colours of its role.
    pub fn paint(&self, look: Look, text: &str) -> String {
        let style = ansi(look);
        if !self.color || style.is_plain() || text.is_empty() {
            return text.to_owned();
        }
        format!("{style}{text}{style:#}")
    }

    /// The mark for omitted text.
    pub(super) const fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    /// The bar at the left of a quotation.
    pub(super) const fn bar(&self) -> &'static str {
        if self.unicode { "│" } else { "|" }
    }

    /// The visible form of a space, if spaces matter.
    pub(super) const fn space(&self) -> char {
        if self.unicode { '·' } else { '_' }
    }

    /// Whether each test case is shown.
    pub(super) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Whether only one word is shown for each submission.
    pub fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }
}

/// The text if it fits, otherwise its beginning with the mark for omitted text.
pub(super) fn cut(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut room = width.saturating_sub(ellipsis.width());
    for character in text.chars() {
        let cells = character.width().unwrap_or(0);
        if cells > room {
            break;
        }
        room -= cells;
        kept.push(character);
    }
    kept.push_str(ellipsis);
    kept
}

/// Words in lines of at most this width; a longer word gets its own line. Without words, one empty line.
pub(super) fn filled<'a>(words: impl Iterator<Item = &'a str>, width: usize) -> Vec<String> {
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

/// The colours that contestants know: green is accepted, red is wrong, magenta is too slow. What the format counts as
/// a run-time error is yellow.
fn ansi(look: Look) -> anstyle::Style {
    let bold = |color: AnsiColor| color.on_default() | Effects::BOLD;
    match look {
        Look::Plain => anstyle::Style::new(),
        Look::Title => anstyle::Style::new().bold(),
        Look::Dim => anstyle::Style::new().dimmed(),
        Look::Verdict(verdict) => bold(match verdict {
            Verdict::Accepted => AnsiColor::Green,
            Verdict::WrongAnswer | Verdict::CompileError => AnsiColor::Red,
            Verdict::TimeLimitExceeded => AnsiColor::Magenta,
            Verdict::MemoryLimitExceeded | Verdict::OutputLimitExceeded | Verdict::RunTimeError => {
                AnsiColor::Yellow
            }
        }),
        Look::Good => AnsiColor::Green.on_default(),
        Look::Bad => bold(AnsiColor::Red),
        Look::Warning => bold(AnsiColor::Yellow),
        Look::JudgeError => AnsiColor::White.on(AnsiColor::Red) | Effects::BOLD,
        Look::Expected => AnsiColor::Green.on_default(),
        Look::Got => AnsiColor::Red.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_by_cells_not_by_bytes() {
        let check = |text: &str, shown: &str| assert_eq!(cut(text, 20, "…"), shown);
        check("short", "short");
        check("exactly twenty cells", "exactly twenty cells");
        check("a little more than twenty cells", "a little more than …");
        check("東京東京東京東京東京東京", "東京東京東京東京東…");
    }
}
