//! Gathers a report from events, and draws conclusions, such as the exit code.

use super::*;
use crate::model::text::with_help;

impl Report {
    /// Adds an event to the report.
    pub fn see(&mut self, stamped: &Stamped) {
        self.summary.elapsed = stamped.at;
        let package = stamped.package.as_deref().map(str::to_owned);
        match &stamped.event {
            Event::Started { command, command_line } => {
                self.command = command;
                self.command_line.clone_from(command_line);
            }
            Event::ShardChosen(shard) => self.shard = Some(*shard),
            Event::HostReady { isolation, shortfall, .. } => {
                self.isolation = Some(IsolationReport {
                    by: *isolation,
                    full: isolation.is_full(),
                    warning: shortfall.clone(),
                });
            }
            Event::HostExamined(diagnosis) => self.diagnosis = Some((**diagnosis).clone()),
            Event::ClusterSurveyed(survey) => self.cluster = Some((**survey).clone()),
            Event::PackageRead(package) => {
                self.work = Work {
                    submissions_before: self.submissions.len(),
                    runs_before: self.summary.runs,
                    ..Work::default()
                };
                self.packages.push((**package).clone());
            }
            Event::PackageRefused => self.refused += 1,
            Event::Diagnosed(diagnostic) => {
                match diagnostic.severity {
                    Severity::Error => self.summary.errors += 1,
                    Severity::Warning => self.summary.warnings += 1,
                }
                self.diagnostics.push(diagnostic.clone());
            }
            Event::EndedEarly { exit_code } => self.ended_with = Some(*exit_code),
            Event::Complained { message, help } => {
                self.complaints.push(with_help(message, help.as_deref()));
            }
            Event::LimitsSet { limits, mechanism } => {
                if let Some(package) = self.packages.last_mut() {
                    package.limits = Some(limits.clone());
                }
                self.mechanism = Some(mechanism.clone());
            }
            Event::DuplicatesFound(found) => self.duplicates.extend(found.iter().cloned()),
            Event::Explained(explained) => {
                let explained = (**explained).clone();
                let package = explained.package.clone().or(package);
                self.explanations.push(Explained { package, ..explained });
            }
            Event::BoxesKept { dir } => self.boxes = Some(dir.clone()),
            Event::SubmissionStarted { submission, test_cases } => {
                self.work.submissions.push(UnderWay {
                    submission: submission.clone(),
                    test_cases: *test_cases,
                    judged: 0,
                })
            }
            Event::CaseJudged { submission, .. } => {
                let mut under_way = self.work.submissions.iter_mut();
                if let Some(under_way) = under_way.find(|it| it.submission == *submission) {
                    self.summary.runs += 1;
                    under_way.judged += 1;
                }
            }
            Event::SubmissionJudged(judgement) => {
                match judgement.verdict {
                    Verdict::Accepted => self.summary.accepted += 1,
                    _ => self.summary.rejected += 1,
                }
                self.summary.broken += judgement.broken.len();
                self.summary.spared_runs += judgement.spared;
                // Runs beyond those that decided the verdict depend on chance, so they do not count.
                let mut under_way = self.work.submissions.iter();
                let under_way = under_way.find(|it| it.submission == judgement.submission);
                let begun = under_way.map_or(0, |it| it.judged);
                self.summary.runs = self.summary.runs + judgement.cases.len() - begun;
                self.done(SubmissionReport::new(package, (**judgement).clone()));
            }
            Event::SubmissionFailed { submission, error } => {
                let error = self.failed(package.clone(), Some(submission.clone()), error);
                self.done(SubmissionReport {
                    package,
                    name: submission.clone(),
                    error: Some(error),
                    ..SubmissionReport::default()
                });
            }
            Event::Failed(error) => {
                self.failed(package, None, error);
            }
            Event::Progress(step) => self.work.step = Some(step.clone()),
            Event::CaseGenerated { test_case, state } => self.generated.push(GeneratedReport {
                package,
                test_case: test_case.clone(),
                state: *state,
            }),
            Event::Proposed(proposal) => {
                self.proposals.push(ProposalReport { package, proposal: (**proposal).clone() })
            }
            Event::RanOnce(run) => self.run = Some((**run).clone()),
            Event::Listed(listing) => self.listing = Some((**listing).clone()),
            Event::Created(created) => self.created = Some((**created).clone()),
            Event::Next(steps) => {
                let next =
                    |step: &NextStep| NextReport { package: package.clone(), step: step.clone() };
                self.next.extend(steps.iter().map(next));
            }
            Event::Converted(conversion) => self.conversion = Some((**conversion).clone()),
            Event::Compared(compared) => self.comparison = Some((**compared).clone()),
            Event::Searched(search) => {
                self.summary.runs += usize::try_from(search.runs).unwrap_or(usize::MAX);
                self.summary.rejected += usize::from(search.found.is_some());
                self.search = Some((**search).clone());
            }
            Event::MutantsListed(found) => self.mutants = Some((**found).clone()),
            Event::StrengthMeasured(strength) => self.strength = Some((**strength).clone()),
            Event::InputChecked(input) => {
                self.grammar.get_or_insert_default().inputs.push(input.clone());
            }
            Event::BoundsListed(bounds) => {
                self.grammar.get_or_insert_default().bounds.clone_from(bounds);
            }
            Event::RunsRetold(runs) => self.summary.runs += runs,
            Event::Recalled(recalled) => self.cache = Some(*recalled),
            Event::WorkersUsed(workers) => self.workers.extend(workers.iter().cloned()),
            Event::Interrupted => self.interrupted = true,
            Event::BuildStarted { .. }
            | Event::RunRepeated { .. }
            | Event::SearchStarted(_)
            | Event::Searching(_)
            | Event::Grading(_)
            | Event::Finished => {}
        }
    }

    /// How many runs of submissions are recalled from earlier commands, and when the first of these was.
    pub fn known_runs(&self) -> Option<(usize, Moment)> {
        let cases = self.submissions.iter().flat_map(|it| it.test_cases.iter());
        let known: Vec<Moment> = cases.filter_map(|it| it.outcome.as_ref()?.ran_at).collect();
        known.iter().min().map(|oldest| (known.len(), *oldest))
    }

    /// How many submissions of the last package are done.
    pub fn submissions_done(&self) -> usize {
        self.submissions.len() - self.work.submissions_before
    }

    /// Whether a submission was rejected, an expectation is broken, or data is not as it is to be.
    pub fn is_rejected(&self) -> bool {
        let differs = |made: &GeneratedReport| {
            matches!(made.state, GeneratedState::Missing | GeneratedState::Differs)
        };
        let inputs = self.grammar.iter().flat_map(|grammar| &grammar.inputs);
        // `verify` compares with expectations instead.
        (self.command != "verify" && self.summary.rejected > 0)
            || self.run.as_ref().is_some_and(|run| run.failed)
            || self.summary.broken > 0
            || self.comparison.as_ref().is_some_and(|it| !it.equal)
            || self.generated.iter().any(differs)
            || inputs.clone().any(|input| !input.valid)
    }

    fn done(&mut self, submission: SubmissionReport) {
        let under_way = &mut self.work.submissions;
        under_way.retain(|it| it.submission != submission.name);
        self.submissions.push(submission);
    }

    fn failed(
        &mut self,
        package: Option<String>,
        submission: Option<String>,
        error: &JudgeError,
    ) -> FaultReport {
        let fault = FaultReport { package, submission, error: error.clone() };
        if fault.is_skip() {
            self.summary.skipped_submissions += 1;
        } else {
            self.summary.judge_errors += 1;
            self.judge_errors.push(fault.clone());
        }
        fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_counted_from_events() {
        let judged = |verdict| {
            Event::SubmissionJudged(Box::new(Judgement {
                submission: "a.cpp".to_owned(),
                path: "a.cpp".into(),
                verdict,
                score: None,
                cases: Arc::default(),
                skipped: 0,
                spared: 0,
                compiler: None,
                broken: Vec::new(),
            }))
        };
        let error = JudgeError::new("a step", "a reason");
        let lacking = JudgeError { lacks: Some("go".to_owned()), ..error.clone() };
        let check = |events: &[Event], figures: Summary| {
            let mut report = Report::default();
            for event in events {
                report.see(&Stamped { at: Duration::ZERO, package: None, event: event.clone() });
            }
            assert_eq!(report.summary, figures, "{events:?}");
        };
        check(&[], Summary::default());
        check(
            &[
                Event::Diagnosed(Diagnostic::error("a", "b")),
                Event::Diagnosed(Diagnostic::warning("a", "b")),
                Event::Diagnosed(Diagnostic::warning("a", "b")),
            ],
            Summary { errors: 1, warnings: 2, ..Summary::default() },
        );
        check(
            &[
                judged(Verdict::Accepted),
                judged(Verdict::WrongAnswer),
                judged(Verdict::CompileError),
                Event::Failed(error.clone()),
                Event::SubmissionFailed { submission: "a.cpp".to_owned(), error },
                Event::SubmissionFailed { submission: "a.go".to_owned(), error: lacking },
            ],
            Summary {
                accepted: 1,
                rejected: 2,
                skipped_submissions: 1,
                judge_errors: 2,
                ..Summary::default()
            },
        );
    }
}
