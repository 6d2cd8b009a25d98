//! Tests whether programs can run on a host, by a run.

use crate::sandbox::slot::{CoreId, Slot};
use crate::sandbox::system::Host;
use juror_core::job::{Command, Job};
use juror_core::judgement::{FaultKind, JudgeError};
use juror_core::limits::Limits;
use juror_core::units::Bytes;

/// Takes a run to the point at which the program would start. Returns the slot that was used.
pub(super) fn try_host(host: &Host, core: Option<CoreId>) -> Result<Slot, JudgeError> {
    let mut slot = Slot::start(host, core)?;
    let nothing = "/juror-tries-this-sandbox-out".to_owned();
    let job = Job {
        command: Command { argv: vec![nothing], ..Command::default() },
        writable: true,
        box_size: Bytes::mib(1),
        limits: Limits::of_machine_check(),
        ..Job::default()
    };
    match slot.run(&job) {
        // Everything worked except the start of a program that does not exist.
        Err(error) if error.kind == FaultKind::Unstartable => Ok(slot),
        Err(error) => Err(error),
        Ok(_) => Err(JudgeError::new("test the sandbox", "a program ran that does not exist")),
    }
}
