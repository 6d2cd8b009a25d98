//! The package's static validator: a program that looks at a submission's files, and answers as an output
//! validator does.
//!
//! It is called as `validator LANGUAGE ENTRY_POINT FEEDBACK_DIR/ [ARGUMENTS]`, with the submission's files in
//! its working directory.
//!
//! Source: problem package format 2025-09, "Static validator".

use std::path::Path;

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::executor::Executor;
use crate::model::job::{Job, Keep};
use crate::model::limits::Limits;
use crate::model::protocol::Protocol;
use crate::model::stop::Stop;
use crate::validator::response::{Contract, Response};
use crate::validator::{OutputValidator, feedback_dir};

/// A static validator that can be run, as long as this lives.
pub struct StaticValidator {
    /// It is limited and isolated as an output validator is.
    program: OutputValidator,
}

/// What is put before a static validator.
pub struct Look<'a> {
    /// The submission.
    pub submission: &'a Runnable,
    /// The code of its language.
    pub language: &'a str,
    /// The file or class that starts.
    pub entry_point: &'a str,
    /// The arguments of the static validation.
    pub args: &'a [String],
    /// Whether its box is brought back.
    pub keep: Keep,
}

impl StaticValidator {
    /// Builds the package's static validator, if it has one.
    ///
    /// # Errors
    /// When it does not build, the judge failed, or the build was cut short.
    pub fn build(bench: &Bench<'_>, build_limits: &Limits) -> Result<Option<Self>, Stop> {
        let program = bench.problem.static_validator.as_ref();
        let build = |program| {
            OutputValidator::of(
                bench,
                "static validator",
                Protocol::Standard,
                program,
                build_limits,
            )
        };
        let program = program.map(build).transpose()?;
        Ok(program.map(|program| Self { program }))
    }

    /// By which it is referred to.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// Asks it, and reads its answer.
    ///
    /// # Errors
    /// When the judge failed or was interrupted; whatever the validator does is a response.
    pub fn ask(&self, executor: &dyn Executor, look: Look<'_>) -> Result<Response, Stop> {
        let reply = executor.run(&self.job(look));
        let reply = reply.map_err(|error| self.program.own(error))?;
        Ok(Response::of(reply, self.program.limits(), Contract::OnePass)?)
    }

    fn job(&self, look: Look<'_>) -> Job {
        let mut job = self.program.start(Some(look.submission), look.keep);
        job.command.argv.extend([
            look.language.to_owned(),
            look.entry_point.to_owned(),
            super::inside(&feedback_dir(Path::new(""))) + "/",
        ]);
        job.command.argv.extend(look.args.iter().cloned());
        job
    }
}
