//! The rooms that a slot keeps: those in which the last runs left no trace, one for each kind of run that takes turns
//! in the slot, as submission and output validator do.

use crate::sandbox::linux::room::Room;
use crate::sandbox::linux::wire::RunRequest;

/// At most so many are kept; each costs a process and two small file systems.
pub(super) const MOST: usize = 3;

/// Rooms that were left without a trace, the one used last at the end.
#[derive(Default)]
pub(super) struct Rooms {
    kept: Vec<Room>,
}

impl Rooms {
    /// A room for such a run, if there is one.
    pub(super) fn take(&mut self, request: &RunRequest) -> Option<Room> {
        // What a first process still does would be on the next run's account.
        self.kept.retain_mut(Room::rests);
        let place = self.kept.iter().position(|room| room.fits(request))?;
        Some(self.kept.remove(place))
    }

    /// A number for a room that will be new, below [`MOST`], that no other has.
    pub(super) fn make_place(&mut self) -> usize {
        if self.kept.len() >= MOST {
            self.kept.remove(0);
        }
        let is_free = |number: &usize| self.kept.iter().all(|room| room.number != *number);
        (0..MOST).find(is_free).unwrap_or(0)
    }

    /// Keeps a room in which the last run left no trace.
    pub(super) fn keep(&mut self, room: Room) {
        self.kept.push(room);
    }

    /// Gives up the room that was kept last.
    pub(super) fn drop_last(&mut self) {
        self.kept.pop();
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.kept.len()
    }

    /// Gives up all.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
    }
}
