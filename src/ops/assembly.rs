//! Makes a problem ready to judge on the host of a command.

use std::collections::HashSet;

use crate::ops::context::Context;
use crate::ops::host::Host;
use juror_core::event::Event;
use juror_core::problem::Problem;
use juror_core::stop::Stop;
use juror_judging::build::Builder;
use juror_judging::build::bench::Bench;
use juror_judging::recipe::complete::{self, CompletedFiles};
use juror_sandbox::executor::Executor;

/// What runs and builds programs for a command, and hears of it.
pub struct Assembly<'a> {
    pub host: &'a Host,
    pub context: &'a Context,
    executor: &'a dyn Executor,
    pub builder: Builder<'a>,
    events: Box<dyn Fn(Event) + Sync + 'a>,
}

impl<'a> Assembly<'a> {
    pub fn new(host: &'a Host, context: &'a Context) -> Self {
        Self::on(&*host.executor, host, context)
    }

    /// `executor` must wrap that of the host.
    pub fn on(executor: &'a dyn Executor, host: &'a Host, context: &'a Context) -> Self {
        let events = Box::new(context.event_sender());
        Self { host, context, executor, builder: host.builder_on(executor), events }
    }

    /// Generates missing files of these test cases, or of all. They exist as long as the returned value.
    pub fn complete(
        &self,
        problem: &mut Problem,
        names: Option<&HashSet<String>>,
    ) -> Result<Option<CompletedFiles>, Stop> {
        let is_selected = |name: &str| names.is_none_or(|names| names.contains(name));
        let directory = self.host.generated_data.as_deref();
        let Self { executor, builder, events, .. } = self;
        complete::complete(problem, *executor, builder, events, &is_selected, directory)
    }

    pub fn bench<'b>(&'b self, problem: &'b Problem) -> Bench<'b> {
        Bench { problem, executor: self.executor, builder: &self.builder, events: &self.events }
    }
}
