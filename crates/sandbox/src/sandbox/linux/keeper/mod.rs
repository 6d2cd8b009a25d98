//! The slot's process: gets ready once, then takes one run after the other, from its start to its accounting.

pub(super) mod environment;
pub(super) mod notifications;
pub(super) mod outputs;
pub(super) mod pipes;
pub(super) mod prepare;
pub(super) mod procfs;
pub(super) mod resources;
pub(super) mod server;
pub(super) mod supervise;
