//! Shows events: to a person at a terminal, and to programs as JSON. Knows no process.
//!
//! A reporter gets each [`Event`] once, in order. An error of its writer is returned as it is: a
//! closed pipe (`juror judge … | head`) is [`io::ErrorKind::BrokenPipe`], and the caller decides.

pub mod doctor;
mod exchange;
pub mod json;
pub mod progress;
pub mod style;
pub mod terminal;

use std::io;

use crate::model::event::Event;

/// Something that shows events.
pub trait Reporter {
    /// Shows one event.
    ///
    /// # Errors
    /// What the writer beneath says, a closed pipe included.
    fn event(&mut self, event: &Event) -> io::Result<()>;
}

/// Several reporters, each of which gets every event, in this order.
impl Reporter for Vec<Box<dyn Reporter + '_>> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.iter_mut()
            .try_for_each(|reporter| reporter.event(event))
    }
}
