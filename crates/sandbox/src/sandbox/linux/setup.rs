//! What a slot's process is started with: its control groups, the user of its programs, and what differs outside.

use std::path::PathBuf;

use crate::sandbox::linux::cgroup::Placement;
use crate::sandbox::linux::keeper::notifications::AlarmFlag;
use juror_core::outcome::Mechanism;

#[derive(Clone, Debug)]
pub(crate) struct SlotSetup {
    pub(crate) placement: Option<Placement>,
    /// The name of its control groups, unique on this machine.
    pub(crate) name: String,
    /// The user of its programs, inside.
    pub(crate) identity: UserIdentity,
    pub(crate) mechanism: Mechanism,
    pub(crate) outside_uid: u32,
    pub(crate) outside_gid: u32,
    pub(crate) judge: i32,
    pub(crate) temporary: PathBuf,
    pub(crate) alarms: AlarmFlag,
    pub(crate) core: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct UserIdentity {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) change: UserChange,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UserChange {
    /// With root's rights.
    Switch,
    /// Not at all: in its user namespace it already is this user.
    Unchanged,
}
