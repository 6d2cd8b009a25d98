//! Diagnostics that say the same about many files: the first few are shown, the others are counted.

use std::collections::HashMap;

use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::text::count;

const SHOWN_REPEATS: usize = 3;

#[derive(Default)]
pub(super) struct RepeatedDiagnostics {
    counts: HashMap<(Severity, String, Option<String>), usize>,
    /// The first hidden diagnostic of each text, in order.
    hidden: Vec<Diagnostic>,
}

impl RepeatedDiagnostics {
    /// A diagnostic about a line of a file is always shown.
    pub(super) fn count_and_show(&mut self, diagnostic: &Diagnostic) -> bool {
        if diagnostic.place.spot.is_some() {
            return true;
        }
        let seen = self.counts.entry(diagnostic_key(diagnostic)).or_default();
        *seen += 1;
        if *seen == SHOWN_REPEATS + 1 {
            self.hidden.push(diagnostic.clone());
        }
        *seen <= SHOWN_REPEATS
    }

    /// Returns diagnostics that stand for the hidden ones.
    pub(super) fn take_hidden(&mut self) -> Vec<Diagnostic> {
        let Self { counts: seen, hidden } = std::mem::take(self);
        let rest = hidden.into_iter().map(|first| {
            let kind = first.severity;
            match seen[&diagnostic_key(&first)] - SHOWN_REPEATS - 1 {
                0 => first,
                1 => first.help(format!("1 other file has this {kind}; -v shows it")),
                more => {
                    let files = count(more, "other file");
                    first.help(format!("{files} have this {kind}; -v shows each"))
                }
            }
        });
        rest.collect()
    }
}

fn diagnostic_key(diagnostic: &Diagnostic) -> (Severity, String, Option<String>) {
    (diagnostic.severity, diagnostic.message.clone(), diagnostic.help.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `all` and `shown` have the form `PATH MESSAGE`, `rest` has `PATH HELP`.
    fn check(all: &[&str], shown: &[&str], rest: &[&str]) {
        let mut repeats = RepeatedDiagnostics::default();
        let is_shown = |line: &&&str| {
            let (path, message) = line.split_once(' ').expect("a path");
            repeats.count_and_show(&Diagnostic::error(path, message))
        };
        let now: Vec<&str> = all.iter().filter(is_shown).copied().collect();
        assert_eq!(now, shown);
        let message = |diagnostic: Diagnostic| {
            let help = diagnostic.help.unwrap_or_default();
            format!("{} {help}", diagnostic.place.path.display())
        };
        let later: Vec<String> = repeats.take_hidden().into_iter().map(message).collect();
        assert_eq!(later, rest);
        assert!(repeats.take_hidden().is_empty());
    }

    #[test]
    fn a_repeated_diagnostic_is_shown_for_few_files() {
        let three = ["a x", "b x", "c x"];
        check(&three, &three, &[]);
        check(&["a x", "b x", "c x", "d x"], &three, &["d "]);
        let more = "1 other file has this error; -v shows it";
        check(&["a x", "b x", "c x", "d x", "e x"], &three, &[&format!("d {more}")]);
        check(
            &["a x", "a y", "b x", "b y", "c x", "c y", "d x", "e x", "f x"],
            &["a x", "a y", "b x", "b y", "c x", "c y"],
            &["d 2 other files have this error; -v shows each"],
        );
    }
}
