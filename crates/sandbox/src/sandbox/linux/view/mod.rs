//! The files that a program sees: the view of the system, the box, and landlock's rules if there are no namespaces.

pub(super) mod boxes;
pub(super) mod etc;
pub(super) mod landlock;
pub(super) mod mounts;
