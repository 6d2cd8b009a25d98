//! How much is shown to a person, how wide, and in which colours.

use anstyle::{AnsiColor, Effects};

use crate::model::verdict::Verdict;

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
    /// One line for each submission.
    Quiet,
    /// What a person wants to know who looks once.
    #[default]
    Normal,
    /// Each test case too.
    Verbose,
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

    /// Whether only one line is shown for each submission.
    pub(super) fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }
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
