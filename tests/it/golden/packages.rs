//! A recorded run on a host that cannot run anything.

use std::sync::Arc;

use juror_core::event::{Event, Shortfall, StampedEvent};
use juror_core::exit_code::ExitCode;
use juror_core::isolation::Isolation;
use juror_core::judgement::JudgeError;
use juror_sandbox::executor::ExecutorWrapper;

use super::record::record_with_wrapper;
use crate::fixture::Fixture;
use juror_sandbox::executor::scripted::ScriptedExecutor;

pub(super) fn unusable_host() -> Vec<StampedEvent> {
    let refusing: ExecutorWrapper = |_| {
        let why = "Operation not permitted (os error 1)";
        let step = "mount /proc in the sandbox";
        Arc::new(ScriptedExecutor::new(1, move |_| Err(JudgeError::new(step, why).into())))
    };
    let line = "verify @sum --jobs 1";
    let mut events =
        record_with_wrapper(Some(refusing), &Fixture::new(), line, ExitCode::JudgeError);
    for stamped in &mut events {
        if let Event::HostReady { isolation, shortfall, .. } = &mut stamped.event {
            *isolation = Isolation::Landlock;
            *shortfall = Some(Shortfall {
                message: "programs are not fully isolated from this machine".to_owned(),
                reasons: vec!["user namespaces: make namespaces (user): ENOSPC".to_owned()],
                help: "`juror doctor` says what would give more".to_owned(),
            });
        }
    }
    events
}
