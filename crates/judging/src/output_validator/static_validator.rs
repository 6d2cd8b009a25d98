//! The package's static validator: a program that checks a submission's files, and responds like an output validator.
//!
//! It is called as `validator LANGUAGE ENTRY_POINT FEEDBACK_DIR/ [ARGUMENTS]`, with the submission's files in
//! its working directory.
//!
//! Source: problem package format 2025-09, "Static validator".

use std::path::Path;

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::output_validator::response::{Contract, Response};
use crate::output_validator::{OutputValidator, feedback_dir};
use juror_core::job::BoxRetention;
use juror_core::protocol::Protocol;
use juror_core::stop::Stop;
use juror_sandbox::executor::Executor;

pub struct StaticValidationRequest<'a> {
    pub submission: &'a Runnable,
    pub language: &'a str,
    /// The file or class that starts the submission.
    pub entry_point: &'a str,
    pub args: &'a [String],
    pub keep: BoxRetention,
}

/// A static validator has the limits and the isolation of an output validator.
impl OutputValidator {
    /// # Errors
    /// As [`OutputValidator::build`].
    pub fn build_static_validator(bench: &Bench<'_>) -> Result<Option<Self>, Stop> {
        let program = bench.problem.static_validator.as_ref();
        let (what, protocol) = ("static validator", Protocol::Standard);
        program.map(|program| Self::build_program(bench, what, protocol, program)).transpose()
    }

    /// # Errors
    /// If the judge failed or was interrupted; anything that the validator does is a response.
    pub fn run_static_validator(
        &self,
        executor: &dyn Executor,
        request: StaticValidationRequest<'_>,
    ) -> Result<Response, Stop> {
        let mut job = self.base_job(Some(request.submission), request.keep);
        job.command.argv.extend([
            request.language.to_owned(),
            request.entry_point.to_owned(),
            super::box_path(&feedback_dir(Path::new(""))) + "/",
        ]);
        job.command.argv.extend(request.args.iter().cloned());
        let reply = executor.run_job(&job).map_err(|error| self.as_validator_fault(error))?;
        Ok(self.read_response(reply, &self.limits, Contract::OnePass)?)
    }
}
