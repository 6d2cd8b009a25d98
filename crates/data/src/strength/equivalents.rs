//! The programs that the author declares to be right, by the names in `juror.toml`.

use crate::faults::mutants;
use crate::faults::original::read_original;
use crate::faults::wrapper::wrappers;
use crate::search::reference::accepted_submissions;
use crate::strength::measured_subject::MeasuredSubject;
use juror_core::diagnostic::Diagnostic;
use juror_core::problem::{EquivalentMutant, Problem};
use juror_core::stop::Stop;
use juror_core::text::printable;
use juror_packages::package::suggest::nearest;

/// Warnings about entries of `juror.toml` that match no program.
///
/// # Errors
/// If a source cannot be read.
pub fn unknown_equivalents(
    problem: &Problem,
    entries: &[MeasuredSubject],
) -> Result<Vec<Diagnostic>, Stop> {
    let mut known: Vec<String> = entries.iter().map(|entry| entry.subject.id.clone()).collect();
    let is_known = |known: &[String], mutant: &EquivalentMutant| known.contains(&mutant.subject);
    if problem.equivalents.iter().all(|mutant| is_known(&known, mutant)) {
        return Ok(Vec::new());
    }
    // Another submission may be the fastest next time.
    for submission in accepted_submissions(problem) {
        if let Some(original) = read_original(&submission.program)? {
            let all = mutants(original.language, &original.files);
            known.extend(all.iter().map(|mutant| format!("{}:{}", submission.name, mutant.id)));
        }
    }
    known.extend(wrappers().iter().map(|wrapper| wrapper.name.to_owned()));
    let unknown = problem.equivalents.iter().filter(|mutant| !is_known(&known, mutant));
    let warnings = unknown.map(|mutant| {
        let name = printable(&mutant.subject);
        let near = nearest(&mutant.subject, known.iter().map(String::as_str));
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let message = format!("unknown program in [strength.equivalent]: `{name}`");
        let help =
            format!("{near}`juror mutants` and the report of `juror strength` list the names");
        Diagnostic::warning(problem.dir.join("juror.toml"), message).help(help)
    });
    Ok(warnings.collect())
}
