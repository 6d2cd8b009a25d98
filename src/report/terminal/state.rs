//! What a terminal reporter remembers until the end, and the last lines that tell it.

use crate::model::event::{GeneratedState, Summary};
use crate::model::text::{count, printable};
use crate::model::units::seconds;
use crate::report::style::{Look, Style};
use crate::report::terminal::page::Page;
use crate::report::terminal::table::Row;

/// What was seen so far.
#[derive(Default)]
pub(super) struct State {
    pub(super) command: &'static str,
    /// How many packages were read.
    pub(super) packages: usize,
    /// How many packages cannot be used.
    pub(super) refused: usize,
    /// The last one of them.
    pub(super) package: AtWork,
    /// Submissions of all packages that are done, those without a verdict included.
    pub(super) done: usize,
    /// Those of them that have no verdict.
    pub(super) failed: usize,
    /// What came of the test cases of all packages.
    pub(super) made: Vec<GeneratedState>,
    pub(super) interrupted: bool,
    /// Whether an empty line is due between the title and what follows.
    pub(super) gap: bool,
}

/// The package that is at work on; what is still to be shown of it.
#[derive(Default)]
pub(super) struct AtWork {
    /// Its name, safe to be shown.
    pub(super) name: String,
    /// How many submissions are to be judged.
    pub(super) submissions: usize,
    /// How many of them are done.
    pub(super) done: usize,
    /// Those that are done, for the table.
    pub(super) rows: Vec<Row>,
    /// Submissions that have begun and are not done.
    pub(super) under_way: Vec<UnderWay>,
    /// The faults of the judge, for under the table.
    pub(super) faults: Vec<String>,
    /// Test cases that were made, for their list.
    pub(super) generated: Vec<Generated>,
    pub(super) step: Option<Step>,
}

/// A submission that has begun.
pub(super) struct UnderWay {
    pub(super) submission: String,
    pub(super) test_cases: usize,
    pub(super) judged: usize,
}

/// A test case and what came of making it.
pub(super) struct Generated {
    pub(super) test_case: String,
    pub(super) state: GeneratedState,
}

/// A step with its progress.
pub(super) struct Step {
    pub(super) what: String,
    pub(super) done: usize,
    pub(super) total: usize,
}

impl State {
    /// Turns to another package.
    pub(super) fn package_read(&mut self, name: &str, submissions: usize) {
        self.packages += 1;
        self.package = AtWork {
            name: printable(name),
            submissions,
            ..AtWork::default()
        };
    }

    /// Counts a case of a submission that is under way.
    pub(super) fn case_judged(&mut self, submission: &str) {
        let mut under_way = self.package.under_way.iter_mut();
        if let Some(under_way) = under_way.find(|it| it.submission == submission) {
            under_way.judged += 1;
        }
    }

    /// Counts a submission that is no longer under way.
    pub(super) fn submission_done(&mut self, submission: &str) {
        let under_way = &mut self.package.under_way;
        under_way.retain(|it| it.submission != submission);
        self.package.done += 1;
        self.done += 1;
    }

    /// What was done before Ctrl-C and what not.
    pub(super) fn left_undone(&self) -> String {
        if self.command == "stress" {
            return "what is known so far stands above".to_owned();
        }
        let package = &self.package;
        let mut parts = Vec::new();
        let begun = package.done + package.under_way.len();
        if package.submissions > 0 || begun > 0 {
            let total = package.submissions.max(begun);
            parts.push(format!(
                "{} of {} done",
                package.done,
                count(total, "submission")
            ));
            parts.extend(package.under_way.iter().map(|under_way| {
                format!(
                    "{} stopped after {} of {}",
                    printable(&under_way.submission),
                    under_way.judged,
                    count(under_way.test_cases, "test case")
                )
            }));
            if total > begun {
                parts.push(format!("{} not begun", total - begun));
            }
        }
        if let Some(step) = package.step.as_ref().filter(|it| it.done < it.total) {
            parts.push(format!(
                "{}: {} of {} done",
                step.what, step.done, step.total
            ));
        }
        if parts.is_empty() {
            parts.push("nothing was done".to_owned());
        }
        let text = parts.join("; ");
        match self.packages {
            0 | 1 => text,
            _ => format!("{}: {text}", package.name),
        }
    }

    /// The last line; `None` where it would say nothing.
    pub(super) fn in_short(&self, summary: &Summary) -> Option<String> {
        if matches!(
            self.command,
            "compare" | "stress" | "grammar generate" | "grammar bounds"
        ) {
            return None;
        }
        let mut parts = Vec::new();
        if !self.made.is_empty() || (self.command == "generate" && self.packages > 0) {
            parts.push(self.made_in_short());
        }
        if self.done > 0 {
            parts.push(self.judged_in_short(summary));
        }
        let remarks = [
            nonzero(summary.errors, "error"),
            nonzero(summary.warnings, "warning"),
            nonzero(summary.judge_errors, "judge error"),
        ];
        let remarks: Vec<String> = remarks.into_iter().flatten().collect();
        match remarks.is_empty() {
            false => parts.push(remarks.join(", ")),
            true if self.packages == 0 => return None,
            true if self.command == "verify" && !self.interrupted => {
                parts.push("no errors, no warnings".to_owned())
            }
            true => {}
        }
        let elapsed = seconds(summary.elapsed);
        parts.push(match (summary.runs, self.interrupted) {
            (0, true) => format!("stopped after {elapsed}"),
            (0, false) => format!("done in {elapsed}"),
            (runs, _) => format!("{} in {elapsed}", count(runs, "run")),
        });
        let text = parts.join("; ");
        Some(match (self.packages, self.refused) {
            (0, _) => text,
            (1, 0) => format!("{}: {text}", self.package.name),
            (packages, 0) => format!("{}: {text}", count(packages, "package")),
            (packages, refused) => {
                let all = count(packages + refused, "package");
                format!("{all}, {refused} of them unusable: {text}")
            }
        })
    }

    /// Such as `3 submissions, 1 accepted, 2 rejected`, or how expectations hold.
    fn judged_in_short(&self, summary: &Summary) -> String {
        let submissions = count(self.done, "submission");
        if self.command == "verify" {
            return match summary.broken {
                0 if summary.judge_errors == 0 && !self.interrupted => {
                    format!("{submissions}, all as expected")
                }
                0 => format!("{submissions}, no expectation broken"),
                broken => format!("{submissions}, {} broken", count(broken, "expectation")),
            };
        }
        let parts = [
            (summary.accepted > 0).then(|| format!("{} accepted", summary.accepted)),
            (summary.rejected > 0).then(|| format!("{} rejected", summary.rejected)),
            (self.failed > 0).then(|| format!("{} without verdict", self.failed)),
            (summary.broken > 0)
                .then(|| format!("{} broken", count(summary.broken, "expectation"))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return submissions;
        }
        format!("{submissions}, {}", parts.join(", "))
    }

    /// Such as `6 test cases, 3 created, 3 unchanged`.
    fn made_in_short(&self) -> String {
        let parts: Vec<String> = [
            GeneratedState::Created,
            GeneratedState::Changed,
            GeneratedState::Unchanged,
            GeneratedState::Missing,
            GeneratedState::Differs,
            GeneratedState::Unknown,
            GeneratedState::Removed,
        ]
        .into_iter()
        .filter_map(|state| {
            let number = self.made.iter().filter(|&&made| made == state).count();
            let word = match (state, number) {
                (GeneratedState::Differs, 2..) => "differ",
                _ => in_words(state),
            };
            (number > 0).then(|| format!("{number} {word}"))
        })
        .collect();
        let all = count(self.made.len(), "test case");
        if parts.is_empty() {
            return all;
        }
        format!("{all}, {}", parts.join(", "))
    }
}

impl AtWork {
    /// The test cases that were made and that somebody wants to see.
    ///
    /// Where only the lines that matter are shown, each says of which package it is.
    pub(super) fn generated_list(&self, style: &Style) -> String {
        let mut page = Page::new(style);
        for generated in &self.generated {
            let look = match generated.state {
                GeneratedState::Missing | GeneratedState::Differs => Look::Bad,
                GeneratedState::Unknown | GeneratedState::Removed => Look::Plain,
                _ if !style.is_verbose() => continue,
                GeneratedState::Unchanged => Look::Dim,
                _ => Look::Plain,
            };
            let state = format!("{:<9}", in_words(generated.state));
            let state = style.paint(look, &state);
            let name = printable(&generated.test_case);
            match style.is_quiet() {
                true => page.line(0, &format!("{state}  {}: {name}", self.name)),
                false => page.line(0, &format!("{state}  {name}")),
            }
        }
        let text = page.into_text();
        if text.is_empty() || style.is_quiet() {
            return text;
        }
        text + "\n"
    }
}

/// The number with its noun, if there is one of it.
fn nonzero(number: usize, noun: &str) -> Option<String> {
    (number > 0).then(|| count(number, noun))
}

/// A state as it stands before a name.
const fn in_words(state: GeneratedState) -> &'static str {
    match state {
        GeneratedState::Created => "created",
        GeneratedState::Changed => "changed",
        GeneratedState::Unchanged => "unchanged",
        GeneratedState::Unknown => "unknown",
        GeneratedState::Removed => "removed",
        GeneratedState::Missing => "missing",
        GeneratedState::Differs => "differs",
    }
}
