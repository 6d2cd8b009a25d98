//! How much is shown to a person, how wide, and in which colours.

use anstyle::{AnsiColor, Effects};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::model::verdict::Verdict;
use crate::model::words::words;

/// How a terminal reporter writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colour. Colour never says what words do not say as well.
    pub color: bool,
    /// Whether to draw with characters beyond ASCII. What programs wrote is shown as it is anyway.
    pub unicode: bool,
    /// How wide a line may be, in terminal cells.
    pub width: usize,
    /// How much to say.
    pub verbosity: Verbosity,
}

/// How much a reporter says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// One word for each submission.
    Quiet,
    /// What a person wants to know who looks once.
    #[default]
    Normal,
    /// Each test case too.
    Verbose,
}

/// What is known of where a report is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether standard output is a terminal.
    pub out_is_terminal: bool,
    /// Whether standard error is one.
    pub err_is_terminal: bool,
    /// `TERM`.
    pub term: String,
    /// Whether `NO_COLOR` is set.
    pub no_color: bool,
    /// Whether `CI` is set.
    pub ci: bool,
    /// The locale's name, such as `de_DE.UTF-8`.
    pub locale: String,
    /// The width of the terminal, if there is one that has a width.
    pub width: Option<usize>,
}

impl Surroundings {
    /// How text is shown there.
    pub fn style(&self, verbosity: Verbosity) -> Style {
        let is_utf8 = self.locale.to_lowercase().replace('-', "").contains("utf8");
        let are_terminals = self.out_is_terminal && self.err_is_terminal;
        Style {
            color: are_terminals && !self.no_color && self.term != "dumb",
            // A file or pipe may be read anywhere; a terminal says what it can show.
            unicode: is_utf8 || !self.out_is_terminal,
            width: self.width.unwrap_or(100),
            verbosity,
        }
    }

    /// Whether standard error can take back what it shows, and a person looks at it.
    pub fn can_redraw(&self) -> bool {
        self.err_is_terminal && !self.ci && self.term != "dumb"
    }
}

/// Which submissions a table lists, and in which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// In which order.
    pub order: Order,
    /// Which of them, if not all.
    pub only: Option<Only>,
}

words! {
    /// The order of the rows of a table. Of equals, the one that was named first is first.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Order {
        /// What is not as expected first.
        #[default]
        Surprise = "surprise",
        /// As on the command line or in the package.
        Given = "given",
        /// By name.
        Name = "name",
        /// By verdict, accepted ones first.
        Verdict = "verdict",
        /// The most test cases first.
        Passed = "passed",
        /// The highest score first.
        Score = "score",
        /// The slowest first.
        Time = "time",
        /// The one with the most memory first.
        Memory = "memory",
    }
}

words! {
    /// A part of the submissions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Only {
        /// Those that are not accepted.
        Failed = "failed",
        /// Those that are not as expected, or on which the judge failed.
        Unexpected = "unexpected",
    }
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Nothing special.
    Plain,
    /// A title.
    Title,
    /// Said for completeness.
    Dim,
    /// A verdict.
    Verdict(Verdict),
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// To be known, but no fault.
    Warning,
    /// A fault of the judge, which must not look like any verdict.
    JudgeError,
    /// What was expected.
    Expected,
    /// What came instead.
    Got,
}

impl Style {
    /// The text in the colours of what it is.
    pub(super) fn paint(&self, look: Look, text: &str) -> String {
        let style = ansi(look);
        if !self.color || style.is_plain() || text.is_empty() {
            return text.to_owned();
        }
        format!("{style}{text}{style:#}")
    }

    /// What stands for text that was left out.
    pub(super) const fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    /// What separates a quotation from its margin.
    pub(super) const fn bar(&self) -> &'static str {
        if self.unicode { "│" } else { "|" }
    }

    /// What stands for a space if blanks are what matters.
    pub(super) const fn space(&self) -> char {
        if self.unicode { '·' } else { '_' }
    }

    /// Whether each test case is shown.
    pub(super) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Whether only one word is shown for each submission.
    pub(super) fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }
}

/// The text if it fits, else its beginning with a mark that something is missing.
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

/// The colours that contestants know: green is accepted, red is wrong, magenta is too slow. What the
/// standard counts as a run-time error is yellow.
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
