//! Reads the package of a command, shows its faults, and generates files that it only describes.

use std::collections::HashSet;
use std::path::Path;

use crate::build::Builder;
use crate::generate::missing::{self, Made};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::grader::Dialect;
use crate::model::problem::Problem;
use crate::model::stop::Stop;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::package::{self, Reading};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remarks {
    /// The user works on the package.
    All,
    /// Only errors that prevent judging, since the user works on a submission.
    Errors,
}

/// Detects the format if `format` is `None`. Shows the diagnostics.
pub fn read(
    dir: &Path,
    format: Option<&str>,
    remarks: Remarks,
    context: &Context,
) -> Result<Problem, Stop> {
    let dir = context.enter(dir)?;
    let mut reading = package::read_as(&dir, format);
    if remarks == Remarks::Errors {
        reading.diagnostics.retain(Diagnostic::prevents_judging);
    }
    usable(reading, context)
}

/// Sets whose rules apply to scoring groups.
pub fn set_dialect(problem: &mut Problem, dialect: Option<Dialect>) {
    if let (Some(graders), Some(dialect)) = (&mut problem.graders, dialect) {
        graders.dialect = dialect;
    }
}

pub fn usable(reading: Reading, context: &Context) -> Result<Problem, Stop> {
    let (problem, remarks) =
        reading.usable().inspect_err(|_| context.event(Event::PackageRefused))?;
    context.diagnosed(remarks);
    Ok(problem)
}

/// Generates missing files of these test cases, or of all. They exist as long as the returned value.
pub fn complete(
    problem: &mut Problem,
    names: Option<&HashSet<String>>,
    host: &Host,
    builder: &Builder<'_>,
    context: &Context,
) -> Result<Option<Made>, Stop> {
    let events = context.sink();
    let wanted = |name: &str| names.is_none_or(|names| names.contains(name));
    missing::complete(problem, &*host.executor, builder, &events, &wanted, host.kept.as_deref())
}
