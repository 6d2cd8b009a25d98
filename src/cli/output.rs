//! What a command says: events to the reporters, complaints to standard error, one exit code at the end.

use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::cli::arguments::{Color, OutputOptions};
use crate::cli::exit_code::ExitCode;
use crate::model::event::{Event, Summary};
use crate::model::judgement::JudgeError;
use crate::model::text::shell_word;
use crate::report::Reporter;
use crate::report::json::Json;
use crate::report::progress::Progress;
use crate::report::style::{Style, Verbosity};
use crate::report::terminal::Terminal;

/// Why a command ends early.
#[derive(Debug)]
pub enum Stop {
    /// The reason has been shown.
    Shown(ExitCode),
    /// The judge failed; the reason is still to be shown.
    Fault(JudgeError),
    /// Something else failed; the reason is still to be shown.
    Failed(anyhow::Error),
}

impl From<JudgeError> for Stop {
    fn from(error: JudgeError) -> Self {
        Self::Fault(error)
    }
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// Takes what a command has to say.
pub struct Output {
    reporters: Mutex<Reporters>,
    style: Style,
    json: bool,
}

struct Reporters {
    all: Vec<Box<dyn Reporter + Send>>,
    /// The first error of a writer; nothing is written after it.
    failed: Option<io::Error>,
    /// What the events come to.
    summary: Summary,
}

/// Runs a command between its first and its last event.
pub fn command(
    options: &OutputOptions,
    name: &'static str,
    body: impl FnOnce(&Output) -> Result<ExitCode, Stop>,
) -> ExitCode {
    let started = Instant::now();
    let output = Output::new(options);
    output.event(Event::Started {
        command: name,
        command_line: command_line(env::args_os()),
    });
    let code = body(&output).unwrap_or_else(|stop| output.stopped(stop));
    let mut summary = output.summary();
    summary.elapsed = started.elapsed();
    output.event(Event::Finished(summary));
    output.finish(code)
}

impl Output {
    fn new(options: &OutputOptions) -> Self {
        let style = style(options);
        let progress = || match style.verbosity {
            Verbosity::Quiet => Progress::hidden(),
            _ => Progress::on_stderr(),
        };
        let all: Vec<Box<dyn Reporter + Send>> = match options.json {
            true => vec![Box::new(Json::new(io::stdout())), Box::new(progress())],
            false => vec![Box::new(
                Terminal::new(io::stdout(), io::stderr(), style).with_progress(progress()),
            )],
        };
        Self {
            reporters: Mutex::new(Reporters {
                all,
                failed: None,
                summary: Summary::default(),
            }),
            style,
            json: options.json,
        }
    }

    /// Shows an event.
    pub fn event(&self, event: Event) {
        let mut reporters = self.lock();
        let Reporters {
            all,
            failed,
            summary,
        } = &mut *reporters;
        summary.count(&event);
        if failed.is_none() {
            *failed = all
                .iter_mut()
                .try_for_each(|reporter| reporter.event(&event))
                .err();
        }
    }

    /// What has happened so far, in numbers.
    pub fn summary(&self) -> Summary {
        self.lock().summary.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Reporters> {
        self.reporters
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what is wrong with the command line: on standard error, and in the document.
    pub fn complain(&self, message: &str) {
        self.event(Event::Complained {
            message: message.to_owned(),
        });
        if self.json {
            self.tell(message);
        }
    }

    /// Says on standard error, in one line, what the user should know of the machine, also where little
    /// is to be said or a program reads the report.
    pub fn warn(&self, message: &str) {
        self.say(anstyle::AnsiColor::Yellow, "warning", message);
    }

    /// Says on standard error what no reporter can say.
    fn tell(&self, message: &str) {
        self.say(anstyle::AnsiColor::Red, "error", message);
    }

    fn say(&self, color: anstyle::AnsiColor, label: &str, message: &str) {
        let look = color.on_default().bold();
        let (start, end) = match self.style.color {
            true => (look.render().to_string(), look.render_reset().to_string()),
            false => (String::new(), String::new()),
        };
        // A closed standard error leaves nobody to tell.
        let _ = writeln!(io::stderr(), "{start}{label}{end}: {message}");
    }

    fn stopped(&self, stop: Stop) -> ExitCode {
        match stop {
            Stop::Shown(code) => code,
            Stop::Fault(error) => {
                self.event(Event::Failed(error));
                ExitCode::JudgeError
            }
            Stop::Failed(error) => {
                self.complain(&format!("{error:#}"));
                ExitCode::JudgeError
            }
        }
    }

    /// The exit code, unless what was said could not be written.
    ///
    /// A reader that has seen enough (`| head`) is no fault.
    fn finish(self, code: ExitCode) -> ExitCode {
        let failed = self.lock().failed.take();
        match failed {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.tell(&format!("cannot write the report: {error}"));
                code.and(ExitCode::JudgeError)
            }
            _ => code,
        }
    }
}

/// How text is shown.
pub fn style(options: &OutputOptions) -> Style {
    let verbosity = match (options.quiet, options.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, false) => Verbosity::Normal,
        (false, true) => Verbosity::Verbose,
    };
    let terminal = io::stdout().is_terminal() && io::stderr().is_terminal();
    let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default();
    let unicode = locale.to_lowercase().replace('-', "").contains("utf8");
    Style {
        color: match options.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !no_color,
        },
        // A file or pipe may be read anywhere; a terminal says what it can show.
        unicode: unicode || !io::stdout().is_terminal(),
        width: terminal_width().unwrap_or(100),
        verbosity,
    }
}

/// The width of the terminal on standard output or standard error.
fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout())
        .or_else(|_| rustix::termios::tcgetwinsize(io::stderr()))
        .ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}

/// A command line as a shell would read it.
pub fn command_line<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    let words = words.into_iter();
    let words: Vec<String> = words
        .map(|word| shell_word(word.as_ref().as_bytes()))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let check = |words: &[&str], line: &str| {
            assert_eq!(command_line(words), line);
        };
        check(&["juror", "judge", "a/b.cpp"], "juror judge a/b.cpp");
        check(&["juror", "--case", "secret/*"], "juror --case 'secret/*'");
        check(&["", "it's", "a b"], r"'' 'it'\''s' 'a b'");
    }
}
