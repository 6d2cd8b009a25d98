//! Gathers a report from events, and draws conclusions, such as the exit code.

use std::collections::BTreeMap;

use std::collections::HashMap;

use super::*;
use juror_core::text::with_help;

impl Report {
    pub fn add_event(&mut self, stamped: &StampedEvent) {
        self.session.elapsed = stamped.at;
        let package = stamped.package.as_deref().map(str::to_owned);
        match &stamped.event {
            Event::Started { command, command_line, task, .. } => {
                self.session.command.clone_from(command);
                // A merged report has no command line of its own.
                if !command_line.is_empty() {
                    self.session.command_line.clone_from(command_line);
                }
                self.session.task = *task;
            }
            Event::ShardChosen(shard) => self.shard = Some(*shard),
            Event::HostReady { isolation, shortfall, .. } => {
                self.session.isolation = Some(IsolationReport {
                    by: *isolation,
                    full: isolation.is_full(),
                    warning: shortfall.clone(),
                });
            }
            Event::PackageRead(package) => {
                self.work = WorkInProgress {
                    submissions_before: self.submissions.len(),
                    runs_before: self.summary.runs,
                    ..WorkInProgress::default()
                };
                let digests = BTreeMap::new();
                self.session.packages.push(PackageReport { digests, ..(**package).clone() });
            }
            Event::PackageRefused => self.refused += 1,
            Event::Diagnosed(diagnostic) => {
                match diagnostic.severity {
                    Severity::Error => self.summary.errors += 1,
                    Severity::Warning => self.summary.warnings += 1,
                    Severity::Remark => {}
                }
                self.session.diagnostics.push(diagnostic.clone());
            }
            Event::Complained { message, help } => {
                self.session.complaints.push(with_help(message, help.as_deref()));
            }
            Event::LimitsSet { limits, mechanism } => {
                if let Some(package) = self.session.packages.last_mut() {
                    package.limits = Some(limits.clone());
                }
                self.session.mechanism = Some(mechanism.clone());
            }
            Event::Noted(note) => self.add_note(package, note),
            Event::SubmissionStarted { submission, test_cases } => {
                self.work.submissions.push(RunningSubmission {
                    submission: submission.clone(),
                    test_cases: *test_cases,
                    judged: 0,
                })
            }
            Event::CaseJudged { submission, .. } => {
                let mut under_way = self.work.submissions.iter_mut();
                if let Some(work) = under_way.find(|work| work.submission == *submission) {
                    self.summary.runs += 1;
                    work.judged += 1;
                }
            }
            Event::SubmissionJudged(judgement) => {
                match judgement.verdict {
                    Verdict::Accepted => self.summary.accepted += 1,
                    _ => self.summary.rejected += 1,
                }
                self.summary.broken += judgement.broken.len();
                self.summary.spared_runs += judgement.spared;
                // How many more runs there were depends on chance, so they do not count.
                let mut under_way = self.work.submissions.iter();
                let work = under_way.find(|work| work.submission == judgement.submission);
                let begun = work.map_or(0, |work| work.judged);
                self.summary.runs = self.summary.runs + judgement.cases.len() - begun;
                let (name, result) = (judgement.submission.clone(), Ok(judgement.clone()));
                self.add_submission(SubmissionReport { package, name, result });
            }
            Event::Failed { submission, error } => {
                let fault = self.add_fault(package.clone(), submission.clone(), error);
                if let Some(name) = submission.clone() {
                    self.add_submission(SubmissionReport { package, name, result: Err(fault) });
                }
            }
            Event::Progress(WorkProgress::Step(step)) => self.work.step = Some(step.clone()),
            Event::CaseGenerated { test_case, state } => self.generated.push(GeneratedReport {
                package,
                test_case: test_case.clone(),
                state: *state,
            }),
            Event::Finished { ended, recalled, workers } => {
                self.sort_by_class();
                self.session.interrupted = *ended == ExitCode::Interrupted;
                self.session.ended_with = (*ended != ExitCode::Success).then_some(ended.number());
                self.session.cache = *recalled;
                self.session.workers.clone_from(workers);
            }
            Event::Progress(_) | Event::SearchStarted(_) => {}
        }
    }

    /// The exit code for the results.
    ///
    /// Work that ended before it had results has its own code. Faults of a package count only for `verify`; other
    /// commands report them.
    pub fn exit_code(&self) -> ExitCode {
        let (summary, is_verified) = (&self.summary, self.session.task == CommandTask::Verify);
        // A submission that the user named needs a verdict. `verify` judges those that this machine can build.
        let faults = self.submissions.iter().filter_map(SubmissionReport::error);
        let mut skipped = faults.filter(|fault| fault.is_skipped_submission());
        let is_lacking = skipped.any(|fault| !fault.error.is_no_program())
            && (!is_verified || summary.accepted + summary.rejected == 0);
        let codes = [
            (self.session.interrupted, ExitCode::Interrupted),
            (summary.judge_errors > 0 || is_lacking, ExitCode::JudgeError),
            (is_verified && summary.errors > 0, ExitCode::InvalidPackage),
            (self.is_rejected(), ExitCode::Rejected),
        ];
        let reached = codes.into_iter().filter(|(is_so, _)| *is_so);
        reached.fold(ExitCode::Success, |gravest, (_, code)| gravest.graver_of(code))
    }

    /// The number of runs that came from the cache, and when the first of them ran.
    pub fn recalled_runs(&self) -> Option<(usize, Moment)> {
        let runs = self.cases().filter_map(|case| case.outcome.as_ref());
        let known: Vec<Moment> = runs.filter_map(|run| run.ran_at).collect();
        known.iter().min().map(|oldest| (known.len(), *oldest))
    }

    /// How many submissions the last package has.
    pub fn announced_submissions(&self) -> usize {
        self.session.packages.last().map_or(0, |package| package.submissions)
    }

    /// How many of them are done.
    pub fn submissions_done(&self) -> usize {
        self.submissions.len() - self.work.submissions_before
    }

    /// Whether a submission was rejected, an expectation is broken, or data differs.
    pub fn is_rejected(&self) -> bool {
        let differs = |case: &GeneratedReport| {
            matches!(case.state, GeneratedState::Missing | GeneratedState::Differs)
        };
        // `verify` checks expectations instead.
        (self.session.task != CommandTask::Verify && self.summary.rejected > 0)
            || self.summary.broken > 0
            || self.generated.iter().any(differs)
    }

    /// Results that an earlier run has come first, whoever they are of.
    fn sort_by_class(&mut self) {
        let names = self.students().flat_map(|student| student.submissions.iter().cloned());
        let places: HashMap<String, usize> = names.zip(0..).collect();
        self.submissions.sort_by_key(|row| places.get(&row.name).copied());
    }

    fn add_note(&mut self, package: Option<String>, note: &Note) {
        match note {
            Note::Call { .. } | Note::Remark(_) => {}
            Note::Kept(dir) => self.kept = Some(dir.clone()),
            Note::Class(class) => self.classes.push(class.clone()),
            Note::Duplicates(found) => self.duplicates.extend(found.iter().cloned()),
            Note::Explanation(explained) => {
                let explained = (**explained).clone();
                let package = explained.package.clone().or(package);
                self.explanations.push(ExplanationResult { package, ..explained });
            }
            Note::Proposal(proposal) => {
                self.proposals.push(ProposalReport { package, proposal: (**proposal).clone() })
            }
            Note::NextSteps(steps) => {
                let next = |step: &NextStep| NextStepReport {
                    package: package.clone(),
                    step: step.clone(),
                };
                self.next.extend(steps.iter().map(next));
            }
        }
    }

    fn add_submission(&mut self, submission: SubmissionReport) {
        let under_way = &mut self.work.submissions;
        under_way.retain(|work| work.submission != submission.name);
        self.submissions.push(submission);
    }

    fn add_fault(
        &mut self,
        package: Option<String>,
        submission: Option<String>,
        error: &JudgeError,
    ) -> FaultReport {
        let fault = FaultReport { package, submission, error: error.clone() };
        if fault.is_skipped_submission() {
            self.summary.skipped_submissions += 1;
        } else {
            self.summary.judge_errors += 1;
            self.session.judge_errors.push(fault.clone());
        }
        fault
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
                warnings: Vec::new(),
                broken: Vec::new(),
            }))
        };
        let error = JudgeError::new("a step", "a reason");
        let lacking = JudgeError { lacks: Some("go".to_owned()), ..error.clone() };
        let check = |events: &[Event], figures: Summary| {
            let mut report = Report::default();
            for event in events {
                report.add_event(&StampedEvent {
                    at: Duration::ZERO,
                    package: None,
                    event: event.clone(),
                });
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
                Event::Failed { submission: None, error: error.clone() },
                Event::Failed { submission: Some("a.cpp".to_owned()), error },
                Event::Failed { submission: Some("a.go".to_owned()), error: lacking },
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
