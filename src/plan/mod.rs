//! Decides what to do next, and what is no longer needed. Starts nothing.
//!
//! Each submission is built, then run on its test cases in order. Several steps may be under way at
//! once; the result does not depend on which of them ends first.

/// How far a submission is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Until its first rejection: later cases are not needed, earlier ones are.
    FirstRejection,
    /// On every case.
    AllCases,
}

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Build this submission.
    Build {
        /// Index of the submission.
        submission: usize,
    },
    /// Run this submission on this case.
    Run {
        /// Index of the submission.
        submission: usize,
        /// Index of the case.
        case: usize,
    },
}

/// What is done, under way, and still to do.
#[derive(Clone, Debug)]
pub struct Plan {
    mode: Mode,
    cases: usize,
    submissions: Vec<Progress>,
}

#[derive(Clone, Debug, Default)]
struct Progress {
    build: Build,
    /// The next case to start.
    next: usize,
    /// Cases under way.
    running: usize,
    /// The first case, in order, that is known to be rejected.
    rejected: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Build {
    #[default]
    Waiting,
    UnderWay,
    Done,
    Failed,
}

impl Plan {
    /// A plan to run each of so many submissions on each of so many cases.
    pub fn new(mode: Mode, submissions: usize, cases: usize) -> Self {
        Self {
            mode,
            cases,
            submissions: vec![Progress::default(); submissions],
        }
    }

    /// The next step, which counts as under way from now on. `None` when nothing can be started now.
    ///
    /// Cases of submissions that are built come first, so that results come in order.
    pub fn next_step(&mut self) -> Option<Step> {
        self.next_run().or_else(|| self.next_build())
    }

    fn next_run(&mut self) -> Option<Step> {
        for submission in 0..self.submissions.len() {
            let end = self.end(submission);
            let progress = &mut self.submissions[submission];
            if progress.build == Build::Done && progress.next < end {
                let case = progress.next;
                progress.next += 1;
                progress.running += 1;
                return Some(Step::Run { submission, case });
            }
        }
        None
    }

    fn next_build(&mut self) -> Option<Step> {
        let submission = self
            .submissions
            .iter()
            .position(|progress| progress.build == Build::Waiting)?;
        self.submissions[submission].build = Build::UnderWay;
        Some(Step::Build { submission })
    }

    /// A build that was under way has worked: its cases can run.
    pub fn built(&mut self, submission: usize) {
        self.submissions[submission].build = Build::Done;
    }

    /// The submission is at its end: it cannot be built, or the judge failed on it.
    pub fn abandon(&mut self, submission: usize) {
        self.submissions[submission].build = Build::Failed;
    }

    /// A case that was under way is done.
    pub fn finished(&mut self, submission: usize, case: usize, end: CaseEnd) {
        let progress = &mut self.submissions[submission];
        progress.running -= 1;
        if end == CaseEnd::Rejected {
            progress.rejected = Some(progress.rejected.map_or(case, |first| first.min(case)));
        }
    }

    /// Whether nothing of this submission is under way or still needed.
    pub fn is_complete(&self, submission: usize) -> bool {
        let progress = &self.submissions[submission];
        progress.running == 0
            && match progress.build {
                Build::Waiting | Build::UnderWay => false,
                Build::Failed => true,
                Build::Done => progress.next >= self.end(submission),
            }
    }

    /// How many cases, in order, make up this submission's result as far as it is known.
    pub fn needed(&self, submission: usize) -> usize {
        self.end(submission)
    }

    /// Whether everything is complete.
    pub fn is_finished(&self) -> bool {
        (0..self.submissions.len()).all(|submission| self.is_complete(submission))
    }

    fn end(&self, submission: usize) -> usize {
        match (self.mode, self.submissions[submission].rejected) {
            (Mode::FirstRejection, Some(first)) => first + 1,
            _ => self.cases,
        }
    }
}

/// How a case ended, as far as the plan is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// It was accepted.
    Accepted,
    /// It was not.
    Rejected,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a plan with `slots` workers. `rejects` says where submissions fail, `last_first` lets the
    /// youngest step end first. Gives the steps in the order of their start.
    fn play(mode: Mode, slots: usize, rejects: &[&[usize]], last_first: bool) -> Vec<String> {
        let mut plan = Plan::new(mode, rejects.len(), 4);
        let mut under_way = Vec::new();
        let mut started = Vec::new();
        loop {
            while under_way.len() < slots {
                let Some(step) = plan.next_step() else { break };
                started.push(match step {
                    Step::Build { submission } => format!("b{submission}"),
                    Step::Run { submission, case } => format!("{submission}.{case}"),
                });
                under_way.push(step);
            }
            if under_way.is_empty() {
                assert!(plan.is_finished());
                return started;
            }
            assert!(!plan.is_finished());
            let step = if last_first {
                under_way.pop().unwrap()
            } else {
                under_way.remove(0)
            };
            match step {
                Step::Build { submission } => plan.built(submission),
                Step::Run { submission, case } => plan.finished(
                    submission,
                    case,
                    if rejects[submission].contains(&case) {
                        CaseEnd::Rejected
                    } else {
                        CaseEnd::Accepted
                    },
                ),
            }
        }
    }

    fn check(mode: Mode, slots: usize, rejects: &[&[usize]], steps: &str) {
        assert_eq!(play(mode, slots, rejects, false).join(" "), steps);
    }

    #[test]
    fn one_worker_goes_in_order() {
        check(
            Mode::AllCases,
            1,
            &[&[], &[]],
            "b0 0.0 0.1 0.2 0.3 b1 1.0 1.1 1.2 1.3",
        );
        check(Mode::AllCases, 1, &[&[1]], "b0 0.0 0.1 0.2 0.3");
    }

    #[test]
    fn nothing_is_started_after_the_first_rejection() {
        check(Mode::FirstRejection, 1, &[&[1, 2]], "b0 0.0 0.1");
        check(
            Mode::FirstRejection,
            1,
            &[&[0], &[]],
            "b0 0.0 b1 1.0 1.1 1.2 1.3",
        );
        check(Mode::FirstRejection, 2, &[&[0]], "b0 0.0 0.1");
    }

    #[test]
    fn idle_workers_build_ahead() {
        check(
            Mode::AllCases,
            3,
            &[&[], &[]],
            "b0 b1 0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3",
        );
    }

    #[test]
    fn the_first_rejection_in_order_counts_whichever_ends_first() {
        for last_first in [false, true] {
            for slots in 1..6 {
                let mut plan = Plan::new(Mode::FirstRejection, 1, 4);
                plan.next_step();
                plan.built(0);
                let mut under_way: Vec<Step> =
                    (0..slots).filter_map(|_| plan.next_step()).collect();
                while !under_way.is_empty() {
                    let step = if last_first {
                        under_way.pop().unwrap()
                    } else {
                        under_way.remove(0)
                    };
                    let Step::Run { case, .. } = step else {
                        unreachable!("everything is built")
                    };
                    let end = if case >= 1 {
                        CaseEnd::Rejected
                    } else {
                        CaseEnd::Accepted
                    };
                    plan.finished(0, case, end);
                    under_way.extend(plan.next_step());
                }
                assert!(plan.is_finished());
                assert_eq!(plan.needed(0), 2);
            }
        }
    }

    #[test]
    fn an_abandoned_submission_is_complete() {
        let mut plan = Plan::new(Mode::AllCases, 1, 4);
        assert_eq!(plan.next_step(), Some(Step::Build { submission: 0 }));
        assert_eq!(plan.next_step(), None);
        assert!(!plan.is_finished());
        plan.abandon(0);
        assert_eq!(plan.next_step(), None);
        assert!(plan.is_finished());
    }
}
