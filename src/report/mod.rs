//! Shows what happens: to a person at a terminal, and to programs as JSON. Knows no process.
//!
//! What shows a command as it runs gets each event once, in order, with the [`Report`] so far; what writes
//! at the end gets the whole report. Neither counts for itself. An error of a writer is returned as it is: a
//! closed pipe (`juror judge … | head`) is [`io::ErrorKind::BrokenPipe`], and the caller decides.

pub mod json;
pub mod notices;
pub mod progress;
pub mod style;
pub mod terminal;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::event::{Event, Stamped};
use crate::model::report::Report;

/// Something that shows what happens.
pub enum Reporter<'a> {
    /// As it happens.
    Live(Box<dyn Live + Send + 'a>),
    /// When the command is at its end.
    AtEnd(WriteReport, Box<dyn Write + Send + 'a>),
    /// Not at all: events are kept, to be looked at or shown later.
    Recorded(Recording),
}

/// Events as they happened.
pub type Recording = Arc<Mutex<Vec<Stamped>>>;

/// Writes a report.
pub type WriteReport = fn(&Report, &mut dyn Write) -> io::Result<()>;

/// Something that shows events as they happen.
pub trait Live {
    /// Shows one event.
    ///
    /// # Errors
    /// What the writer beneath says, a closed pipe included.
    fn event(&mut self, event: &Event, report: &Report) -> io::Result<()>;
}

/// Everything that shows a command, and what the command came to so far.
#[derive(Default)]
pub struct Reporters<'a> {
    all: Vec<Reporter<'a>>,
    report: Report,
    failed: Option<io::Error>,
}

impl<'a> Reporters<'a> {
    /// These, each of which gets every event, in this order.
    pub fn new(all: Vec<Reporter<'a>>) -> Self {
        Self { all, ..Self::default() }
    }

    /// Shows an event, unless a writer has failed.
    pub fn event(&mut self, stamped: &Stamped) {
        self.report.see(stamped);
        if self.failed.is_none() {
            let report = &self.report;
            let is_end = matches!(stamped.event, Event::Finished);
            let show = |reporter: &mut Reporter<'a>| match reporter {
                Reporter::Live(live) => live.event(&stamped.event, report),
                Reporter::AtEnd(write, out) if is_end => {
                    write(report, out)?;
                    out.flush()
                }
                Reporter::AtEnd(..) => Ok(()),
                Reporter::Recorded(recording) => {
                    let mut recording = recording.lock().unwrap_or_else(PoisonError::into_inner);
                    recording.push(stamped.clone());
                    Ok(())
                }
            };
            self.failed = self.all.iter_mut().try_for_each(show).err();
        }
    }

    /// What has happened so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The first error of a writer; nothing was written after it.
    pub fn failed(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }
}
