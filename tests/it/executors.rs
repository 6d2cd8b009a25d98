//! What every executor does alike: one suite, and one line for each executor.

use std::sync::Arc;

use juror_remote::suite::{behind_pipe, check_executor, check_stop_flags, connect};

use crate::wire;

#[test]
fn the_local_executor_conforms() {
    check_executor(|local| local);
    check_stop_flags(|local| local);
}

#[test]
fn the_wire_executor_conforms() {
    check_executor(wire::wrap_in_wire);
    check_stop_flags(wire::wrap_in_wire);
}

#[test]
fn a_worker_behind_a_pipe_conforms() {
    check_executor(|beyond| Arc::new(connect(vec![behind_pipe("worker", beyond)])));
    check_stop_flags(|beyond| Arc::new(connect(vec![behind_pipe("worker", beyond)])));
}
