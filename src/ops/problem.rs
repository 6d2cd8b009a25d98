//! Reads the package of a command, and shows its faults.

use std::path::Path;

use crate::ops::context::Context;
use crate::ops::tests_beside::TestsBeside;
use juror_core::diagnostic::{BlockedUse, Diagnostic, Severity};
use juror_core::event::Event;
use juror_core::grader::Dialect;
use juror_core::problem::{Problem, SubmittedContent};
use juror_core::program::BuildVariant;
use juror_core::stop::Stop;
use juror_core::text::count_if_any;
use juror_core::units::Bytes;
use juror_packages::package::{self, PackageReading, bare};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownDiagnostics {
    /// The user works on the package.
    All,
    /// Only errors that prevent judging or make it wrong, since the user works on a submission.
    Errors,
}

/// Detects the format if `format` is `None`. Shows the diagnostics.
pub fn read_problem(
    dir: &Path,
    format: Option<&str>,
    shown: ShownDiagnostics,
    context: &Context,
) -> Result<Problem, Stop> {
    let dir = context.enter_package(dir)?;
    let mut reading = package::read_as(&dir, format);
    if shown == ShownDiagnostics::Errors {
        keep_for_submissions(&mut reading.diagnostics);
    }
    require_usable(reading, context)
}

/// For runs of submissions: with inputs that have no answers, too.
pub fn read_runnable_problem(
    dir: &Path,
    format: Option<&str>,
    tests: Option<&TestsBeside>,
    context: &Context,
) -> Result<Problem, Stop> {
    if tests.is_some_and(|tests| !tests.are_found) {
        return Ok(bare::problem_without_tests(&context.enter_package(dir)?));
    }
    let dir = context.enter_package(dir)?;
    let mut reading = package::read_as(&dir, format);
    if reading.layout.is_none()
        && let Some(format) = package::format_of_inputs_alone(&dir)
    {
        reading = package::read_as(&dir, Some(format));
    }
    keep_for_submissions(&mut reading.diagnostics);
    if let Some(problem) = &mut reading.problem {
        let data = &mut problem.test_data;
        data.cases.append(&mut data.unanswered);
    }
    let mut problem = require_usable(reading, context)?;
    if let Some(tests) = tests {
        tests.select(&mut problem);
    }
    Ok(problem)
}

/// Keeps what a user must know who works on a submission. The first test case at fault stands for all, as a warning.
fn keep_for_submissions(diagnostics: &mut Vec<Diagnostic>) {
    let mut faulty = 0;
    diagnostics.retain(|fault| {
        let is_test = fault.is_error() && fault.prevents == BlockedUse::Acceptance;
        faulty += usize::from(is_test);
        fault.prevents_judging() || (is_test && faulty == 1)
    });
    if let Some(test) =
        diagnostics.iter_mut().find(|fault| fault.prevents == BlockedUse::Acceptance)
    {
        test.severity = Severity::Warning;
        if let Some(more) = count_if_any(faulty - 1, "more file") {
            test.message += &format!("; {more} of tests, too");
        }
    }
}

/// Lets submissions be built like this, and adapts their limits. `memory` is the limit that the user gave.
pub fn set_variant(
    problem: &mut Problem,
    variant: &BuildVariant,
    memory: Option<Bytes>,
) -> Result<(), Stop> {
    if *variant != BuildVariant::default() {
        let why = "which are not built; leave out --debug, --flags and --language";
        require_programs(problem, why)?;
    }
    if variant.debug && memory.is_some() {
        let what = "--debug does not limit memory, because its checks need more of it; leave out --memory-limit";
        return Err(Stop::usage(what));
    }
    problem.limits.debug = variant.debug;
    Ok(())
}

/// Refuses a problem to which answers are submitted. `why` is what else the message says of them.
pub fn require_programs(problem: &Problem, why: &str) -> Result<(), Stop> {
    match problem.kind.submitted {
        SubmittedContent::Program | SubmittedContent::Function => Ok(()),
        SubmittedContent::Answers => {
            Err(Stop::usage(format!("submissions to this problem are answers, {why}")))
        }
    }
}

/// Sets whose rules apply to scoring groups.
pub fn set_dialect(problem: &mut Problem, dialect: Option<Dialect>) {
    if let (Some(graders), Some(dialect)) = (&mut problem.graders, dialect) {
        graders.dialect = dialect;
    }
}

pub fn require_usable(reading: PackageReading, context: &Context) -> Result<Problem, Stop> {
    let (mut problem, remarks) =
        reading.into_problem().inspect_err(|_| context.send_event(Event::PackageRefused))?;
    context.send_diagnostics(remarks);
    context.complete_problem(&mut problem);
    Ok(problem)
}
