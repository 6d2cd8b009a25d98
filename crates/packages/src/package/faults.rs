//! Collects all faults of a package. Its readers share the collection.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use juror_core::diagnostic::{BlockedUse, Diagnostic, Severity, SourcePlace};

/// Upper bound on the errors about one file, and on the warnings.
const MAX_REMARKS: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Faults {
    diagnostics: RefCell<Vec<Diagnostic>>,
    /// Numbers of errors and of warnings about each file.
    counts: RefCell<HashMap<PathBuf, [usize; 2]>>,
}

/// Proves that a fault was reported, so that it is not reported again.
#[derive(Debug)]
pub(super) struct ReportedFault(());

impl ReportedFault {
    /// For a value whose fault the parser already reported.
    pub(super) fn already_reported() -> Self {
        Self(())
    }
}

impl Faults {
    /// Reports an error; the help may be empty.
    pub(super) fn error(
        &self,
        at: impl Into<SourcePlace>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ReportedFault {
        self.push(Severity::Error, BlockedUse::Everything, at, message, help);
        ReportedFault(())
    }

    /// Reports a file that cannot be read.
    pub(super) fn ok_or_report<T>(&self, path: &Path, read: io::Result<T>) -> Option<T> {
        read.map_err(|error| self.error(path, format!("cannot be read: {error}"), "")).ok()
    }

    /// Reports an error that does not prevent judging.
    pub(super) fn publishing_error(
        &self,
        at: impl Into<SourcePlace>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Severity::Error, BlockedUse::Publishing, at, message, help);
    }

    /// Reports an error because of which right programs may be rejected.
    pub(super) fn acceptance_error(&self, at: impl Into<SourcePlace>, message: &str, help: &str) {
        self.push(Severity::Error, BlockedUse::Acceptance, at, message, help);
    }

    pub(super) fn warning(
        &self,
        at: impl Into<SourcePlace>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Severity::Warning, BlockedUse::Everything, at, message, help);
    }

    pub(super) fn remark(&self, at: impl Into<SourcePlace>, message: String, help: String) {
        self.push(Severity::Remark, BlockedUse::Everything, at, message, help);
    }

    /// Whether further errors about a file would be dropped, so that callers can skip the work.
    pub(super) fn has_max_errors(&self, path: &Path) -> bool {
        self.counts.borrow().get(path).is_some_and(|[errors, _]| *errors >= MAX_REMARKS)
    }

    pub(super) fn remark_count(&self) -> usize {
        self.diagnostics.borrow().len()
    }

    /// Whether there is an error among the remarks after the first `count`.
    pub(super) fn has_error_since(&self, count: usize) -> bool {
        self.diagnostics.borrow()[count..].iter().any(Diagnostic::is_error)
    }

    /// Marks the remarks after the first `count` as no obstacle to judging.
    pub(super) fn allow_judging_since(&self, count: usize) {
        for diagnostic in &mut self.diagnostics.borrow_mut()[count..] {
            diagnostic.prevents = BlockedUse::Publishing;
        }
    }

    /// All remarks, by path and line; those about one spot in the order of their reports.
    pub(super) fn into_sorted(self) -> Vec<Diagnostic> {
        let mut all = self.diagnostics.into_inner();
        all.sort_by_cached_key(|diagnostic| {
            let spot = diagnostic.place.spot.as_ref();
            (diagnostic.place.path.clone(), spot.map(|spot| [spot.line, spot.column]))
        });
        all
    }

    fn push(
        &self,
        severity: Severity,
        prevents: BlockedUse,
        at: impl Into<SourcePlace>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let (place, message) = (at.into(), message.into());
        let mut about = self.counts.borrow_mut();
        let [errors, warnings] = about.entry(place.path.clone()).or_default();
        let (count, what) = match severity {
            Severity::Error => (errors, "errors"),
            Severity::Warning | Severity::Remark => (warnings, "warnings"),
        };
        *count += 1;
        if *count > MAX_REMARKS {
            return;
        }
        let more = (*count == MAX_REMARKS).then(|| {
            let message = format!("has more {what}; the first {MAX_REMARKS} are shown");
            Diagnostic { severity, ..Diagnostic::error(&place.path, message) }
        });
        let help = Some(help.into()).filter(|help| !help.is_empty());
        let mut all = self.diagnostics.borrow_mut();
        all.push(Diagnostic { severity, place, message, help, quotes: false, prevents });
        all.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_warnings_are_cut_off_and_stay_warnings() {
        let check = |warnings: usize, errors: usize, expected: &[(usize, &str)]| {
            let faults = Faults::default();
            for index in 0..warnings {
                faults.warning(Path::new("a"), format!("w {index}"), "help");
            }
            for index in 0..errors {
                faults.error(Path::new("a"), format!("e {index}"), "");
            }
            assert_eq!(faults.has_max_errors(Path::new("a")), errors >= MAX_REMARKS);
            let all = faults.diagnostics.into_inner();
            let cut = |diagnostic: &&Diagnostic| diagnostic.message.starts_with("has more");
            let summaries: Vec<(usize, &str)> = [Severity::Warning, Severity::Error]
                .into_iter()
                .filter_map(|severity| {
                    let of = || all.iter().filter(|diagnostic| diagnostic.severity == severity);
                    Some((of().count(), &*of().find(cut)?.message))
                })
                .collect();
            assert_eq!(summaries, expected, "{warnings} warnings, {errors} errors");
        };
        check(99, 99, &[]);
        check(150, 3, &[(101, "has more warnings; the first 100 are shown")]);
        check(3, 150, &[(101, "has more errors; the first 100 are shown")]);
    }
}
