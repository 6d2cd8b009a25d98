//! What all work on a problem needs: executor, builder and event sink.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::build::{BuildResult, Builder, PreparedProgram, Runnable};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, WorkProgress};
use juror_core::limits::Limits;
use juror_core::problem::Problem;
use juror_core::program::Program;
use juror_core::progress::ProgressStep;
use juror_core::stop::Stop;
use juror_sandbox::executor::{Executor, parallel};

#[derive(Clone, Copy)]
pub struct Bench<'a> {
    pub problem: &'a Problem,
    pub executor: &'a dyn Executor,
    pub builder: &'a Builder<'a>,
    pub events: &'a (dyn Fn(Event) + Sync),
}

impl Bench<'_> {
    /// Builds a program of the package. `what` names it in messages: `the input validator`.
    pub fn build_package_program(
        &self,
        what: &str,
        program: &Program,
        build_limits: &Limits,
        run_limits: &Limits,
    ) -> Result<Runnable, Stop> {
        let prepared = self.builder.prepare(program)?;
        self.announce_build(&program.name);
        let built = self.builder.build(&prepared, build_limits, run_limits)?;
        Ok(built.program(what, &program.path)?)
    }

    /// Announces the build of the submission with this name, and builds it.
    pub fn build(
        &self,
        name: &str,
        prepared: &PreparedProgram,
        run_limits: &Limits,
    ) -> Result<BuildResult, Stop> {
        self.announce_build(name);
        self.build_quietly(prepared, run_limits)
    }

    pub fn build_quietly(
        &self,
        prepared: &PreparedProgram,
        run_limits: &Limits,
    ) -> Result<BuildResult, Stop> {
        self.builder.build(prepared, &Limits::of_compiler(&self.problem.limits), run_limits)
    }

    pub fn send_diagnostics(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().map(Event::Diagnosed).for_each(self.events);
    }

    /// `what` names the items of which so many are done: `inputs`.
    pub fn report_step(&self, what: &str, done: usize, total: usize) {
        let step = ProgressStep { what: what.to_owned(), done, total };
        (self.events)(Event::Progress(WorkProgress::Step(step)));
    }

    fn announce_build(&self, name: &str) {
        (self.events)(Event::Progress(WorkProgress::Build(name.to_owned())));
    }

    /// Works on each item, like [`parallel::map`], and reports progress. `what` names the items: `inputs`.
    pub fn map<T: Sync, R: Send>(
        &self,
        what: &str,
        items: &[T],
        work: impl Fn(&T) -> Result<R, Stop> + Sync,
    ) -> Result<Vec<R>, Stop> {
        let progress = |done| self.report_step(what, done, items.len());
        progress(0);
        let done = AtomicUsize::new(0);
        parallel::map(self.executor, items, |item| {
            let result = work(item)?;
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(result)
        })
    }
}
