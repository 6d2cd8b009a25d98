//! The lists of events that rooms listen with, used by one room after the other.
//!
//! To close a list the kernel waits until nobody anywhere is about to put an event on one (`synchronize_srcu` of
//! `fs/notify/mark.c`), which takes tens of milliseconds where several slots do so at the same time. What is watched it
//! lets go at once. So a list outlives its room, with nothing watched and nothing on it.

use std::cell::RefCell;
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::sandbox::linux::rooms;
use crate::sandbox::linux::sys::Errno;
use crate::sandbox::linux::sys_room;

/// Lists that no room has.
#[derive(Clone, Default)]
pub(super) struct Lists(Rc<RefCell<Vec<OwnedFd>>>);

impl Lists {
    /// An empty list; `None` where the user may have no more of them.
    pub(super) fn take(&self) -> Option<OwnedFd> {
        let spare = self.0.borrow_mut().pop();
        spare.or_else(|| sys_room::watch_list().ok())
    }

    /// Takes back the list of a room that nobody is in any more, and that watched these.
    pub(super) fn give_back(&self, list: OwnedFd, watched: &[AtomicU32]) {
        for number in watched {
            // One that was to be told of once is gone already if it was told.
            let _ = sys_room::unwatch(list.as_raw_fd(), number.load(Ordering::Acquire));
        }
        let mut spare = self.0.borrow_mut();
        if spare.len() < rooms::MOST && is_emptied(&list) {
            spare.push(list);
        }
    }
}

/// Takes off all that is on a list. Returns whether that is known to be all.
fn is_emptied(list: &OwnedFd) -> bool {
    let mut buffer = [0; 4096];
    loop {
        match sys_room::read(list.as_raw_fd(), &mut buffer) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(errno) => return errno == Errno(libc::EAGAIN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_comes_back_with_nothing_on_it() {
        let lists = Lists::default();
        let list = lists.take().expect("a list");
        let fd = list.as_raw_fd();
        let watch = || sys_room::watch(fd, c"/tmp", libc::IN_ALL_EVENTS).expect("a watch");
        let number = watch();
        let happen = || drop(tempfile::tempfile_in("/tmp").expect("a file"));
        happen();
        lists.give_back(list, &[AtomicU32::new(number as u32), AtomicU32::new(0)]);
        happen();
        let list = lists.take().expect("a list");
        assert_eq!(list.as_raw_fd(), fd, "the same one");
        let heard = || sys_room::read(fd, &mut [0; 4096]);
        assert_eq!(heard(), Err(Errno(libc::EAGAIN)));
        assert_ne!(watch(), number);
        happen();
        assert!(heard().is_ok_and(|length| length > 0));
    }
}
