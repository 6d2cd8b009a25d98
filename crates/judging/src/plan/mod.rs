//! Decides which run comes next, and which runs are not needed any more.
//!
//! Starts nothing. Each submission is built, then runs on its test cases in order. Several steps may be in progress;
//! the result does not depend on which of them ends first. A submission may have its own order, which ends when enough
//! is proved. Runs that may turn out needless start only if there is nothing else to do.

pub mod schedule;

use std::ops::ControlFlow;

use crate::plan::schedule::{CaseEnd, CaseNeed, Schedule};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Build { submission: usize },
    Run { submission: usize, case: usize },
}

/// Which steps are done, in progress, and left.
#[derive(Clone, Debug)]
pub struct Plan {
    schedule: Schedule,
    submissions: Vec<SubmissionProgress>,
}

#[derive(Clone, Debug, Default)]
struct SubmissionProgress {
    build: BuildState,
    /// By case.
    started: Vec<bool>,
    /// By case.
    ends: Vec<Option<CaseEnd>>,
    running: usize,
    /// Whether nothing is left to start.
    exhausted: bool,
    own_order: Option<RunOrder>,
}

/// One submission's own order of cases: the most informative ones first.
#[derive(Clone, Debug)]
struct RunOrder {
    /// The cases that run at most.
    order: Vec<usize>,
    /// The number of first cases that run in any case.
    necessary: usize,
    started: usize,
    /// The number of first cases that are done.
    done: usize,
}

impl RunOrder {
    fn next_case(&self) -> NextCase {
        let Some(case) = self.order.get(self.started) else { return NextCase::NoneLeft };
        let is_needed = self.started < self.necessary || self.started == self.done;
        if is_needed { NextCase::Needed(*case) } else { NextCase::Optional(*case) }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BuildState {
    #[default]
    Waiting,
    UnderWay,
    Done,
    Failed,
}

impl Plan {
    pub fn new(schedule: Schedule, submissions: usize) -> Self {
        let cases = schedule.cases();
        let progress = SubmissionProgress {
            started: vec![false; cases],
            ends: vec![None; cases],
            ..SubmissionProgress::default()
        };
        Self { schedule, submissions: vec![progress; submissions] }
    }

    /// The next step, which counts as started; `None` if nothing can start now.
    ///
    /// Cases of built submissions come first, so that results come in order.
    pub fn next_step(&mut self) -> Option<Step> {
        self.next_run(false).or_else(|| self.next_build()).or_else(|| self.next_run(true))
    }

    /// Gives a built submission its own order. The first `necessary` cases run in any case.
    pub fn set_order(&mut self, submission: usize, order: Vec<usize>, necessary: usize) {
        self.submissions[submission].own_order =
            Some(RunOrder { order, necessary, started: 0, done: 0 });
    }

    /// How many first cases of its own order are done.
    pub fn done_in_order(&self, submission: usize) -> usize {
        self.submissions[submission].own_order.as_ref().map_or(0, |own_order| own_order.done)
    }

    /// Makes all but the first `runs` cases of its own order needless.
    pub fn limit_order(&mut self, submission: usize, runs: usize) {
        if let Some(own_order) = &mut self.submissions[submission].own_order {
            own_order.order.truncate(runs);
        }
    }

    /// With `perhaps`, also a run that may turn out needless.
    fn next_run(&mut self, perhaps: bool) -> Option<Step> {
        for submission in 0..self.submissions.len() {
            let progress = &self.submissions[submission];
            if progress.build != BuildState::Done || progress.exhausted {
                continue;
            }
            let next = self.next_case(submission);
            let progress = &mut self.submissions[submission];
            progress.exhausted = next == NextCase::NoneLeft;
            let case = match next {
                NextCase::Needed(case) => case,
                NextCase::Optional(case) if perhaps => case,
                NextCase::Optional(_) | NextCase::Undecided | NextCase::NoneLeft => continue,
            };
            progress.started[case] = true;
            progress.running += 1;
            if let Some(own_order) = &mut progress.own_order {
                own_order.started += 1;
            }
            return Some(Step::Run { submission, case });
        }
        None
    }

    fn next_case(&self, submission: usize) -> NextCase {
        let progress = &self.submissions[submission];
        if let Some(own_order) = &progress.own_order {
            return own_order.next_case();
        }
        let mut next = NextCase::NoneLeft;
        self.schedule.walk(&progress.ends, |case, need| match need {
            CaseNeed::No => ControlFlow::Continue(()),
            _ if progress.started[case] => ControlFlow::Continue(()),
            CaseNeed::Yes | CaseNeed::Possibly => {
                next = NextCase::Needed(case);
                ControlFlow::Break(())
            }
            // A later case may be needed anyway.
            CaseNeed::Undecided => {
                next = NextCase::Undecided;
                ControlFlow::Continue(())
            }
        });
        next
    }

    fn next_build(&mut self) -> Option<Step> {
        let submission =
            self.submissions.iter().position(|progress| progress.build == BuildState::Waiting)?;
        self.submissions[submission].build = BuildState::UnderWay;
        Some(Step::Build { submission })
    }

    /// Records that a build succeeded, so that its cases can run.
    pub fn build_succeeded(&mut self, submission: usize) {
        self.submissions[submission].build = BuildState::Done;
    }

    /// Ends a submission: it does not build, or the judge failed on it.
    pub fn end_submission(&mut self, submission: usize) {
        self.submissions[submission].build = BuildState::Failed;
    }

    pub fn case_done(&mut self, submission: usize, case: usize, end: CaseEnd) {
        let progress = &mut self.submissions[submission];
        progress.running -= 1;
        progress.ends[case] = Some(end);
        let Some(order) = &mut progress.own_order else { return };
        while let Some(case) = order.order.get(order.done) {
            let Some(end) = progress.ends[*case] else { return };
            order.done += 1;
            if end == CaseEnd::Failed {
                order.order.truncate(order.done);
            }
        }
    }

    /// Whether no step of this submission is in progress or needed.
    pub fn is_complete(&self, submission: usize) -> bool {
        let progress = &self.submissions[submission];
        progress.running == 0
            && match progress.build {
                BuildState::Waiting | BuildState::UnderWay => false,
                BuildState::Failed => true,
                BuildState::Done => {
                    progress.exhausted || self.next_case(submission) == NextCase::NoneLeft
                }
            }
    }

    /// The cases that count for its result, as far as that is known.
    pub fn needed_cases(&self, submission: usize) -> Vec<bool> {
        let progress = &self.submissions[submission];
        if let Some(RunOrder { order, .. }) = &progress.own_order {
            let mut needed = vec![false; progress.ends.len()];
            for case in order {
                needed[*case] = true;
            }
            return needed;
        }
        let mut needed = Vec::with_capacity(progress.ends.len());
        self.schedule.walk(&progress.ends, |_, need| {
            needed.push(need != CaseNeed::No);
            ControlFlow::Continue(())
        });
        needed
    }

    pub fn is_finished(&self) -> bool {
        (0..self.submissions.len()).all(|submission| self.is_complete(submission))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextCase {
    Needed(usize),
    /// This case may turn out needless.
    Optional(usize),
    /// The next case depends on results that are not known yet.
    Undecided,
    NoneLeft,
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::plan::schedule::{EndCondition, Section, SectionPart, SectionResult};

    /// Plays a plan with `slots` workers. `rejects` lists the cases that each submission fails; with `last_first`, the
    /// youngest step ends first. Returns the steps in the order of their start.
    fn play(
        until: EndCondition,
        slots: usize,
        rejects: &[&[usize]],
        last_first: bool,
    ) -> Vec<String> {
        let mut plan = Plan::new(Schedule::single(4, until), rejects.len());
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
            let step = if last_first { under_way.pop().unwrap() } else { under_way.remove(0) };
            match step {
                Step::Build { submission } => plan.build_succeeded(submission),
                Step::Run { submission, case } => plan.case_done(
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

    fn check(until: EndCondition, slots: usize, rejects: &[&[usize]], steps: &str) {
        assert_eq!(play(until, slots, rejects, false).join(" "), steps);
    }

    #[test]
    fn one_worker_goes_in_order() {
        check(EndCondition::Never, 1, &[&[], &[]], "b0 0.0 0.1 0.2 0.3 b1 1.0 1.1 1.2 1.3");
        check(EndCondition::Never, 1, &[&[1]], "b0 0.0 0.1 0.2 0.3");
    }

    #[test]
    fn nothing_is_started_after_the_first_rejection() {
        check(EndCondition::Rejection, 1, &[&[1, 2]], "b0 0.0 0.1");
        check(EndCondition::Rejection, 1, &[&[0], &[]], "b0 0.0 b1 1.0 1.1 1.2 1.3");
        check(EndCondition::Rejection, 2, &[&[0]], "b0 0.0 0.1");
    }

    #[test]
    fn idle_workers_build_ahead() {
        check(EndCondition::Never, 3, &[&[], &[]], "b0 b1 0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3");
    }

    #[test]
    fn the_first_rejection_in_order_counts_whichever_ends_first() {
        for last_first in [false, true] {
            for slots in 1..6 {
                let mut plan = Plan::new(Schedule::single(4, EndCondition::Rejection), 1);
                plan.next_step();
                plan.build_succeeded(0);
                let mut steps: Vec<Step> = (0..slots).filter_map(|_| plan.next_step()).collect();
                while !steps.is_empty() {
                    let step = if last_first { steps.pop().unwrap() } else { steps.remove(0) };
                    let Step::Run { case, .. } = step else { unreachable!("everything is built") };
                    let end = if case >= 1 { CaseEnd::Rejected } else { CaseEnd::Accepted };
                    plan.case_done(0, case, end);
                    steps.extend(plan.next_step());
                }
                assert!(plan.is_finished());
                assert_eq!(plan.needed_cases(0), [true, true, false, false]);
            }
        }
    }

    #[test]
    fn an_abandoned_submission_is_complete() {
        let mut plan = Plan::new(Schedule::single(4, EndCondition::Never), 1);
        assert_eq!(plan.next_step(), Some(Step::Build { submission: 0 }));
        assert_eq!(plan.next_step(), None);
        assert!(!plan.is_finished());
        plan.end_submission(0);
        assert_eq!(plan.next_step(), None);
        assert!(plan.is_finished());
    }
    #[test]
    fn a_section_that_requires_another_starts_when_that_is_passed() {
        let section = |parts, requires: &[usize], until| Section {
            parts,
            requires: requires.to_vec(),
            ends_on: until,
            result: SectionResult::All,
        };
        let one = |requires| {
            SectionPart::Section(section(
                vec![SectionPart::Cases(1)],
                requires,
                EndCondition::Rejection,
            ))
        };
        let root = section(vec![one(&[]), one(&[1]), one(&[2])], &[], EndCondition::Never);
        let schedule = Schedule { root };
        let check = |ends: &[CaseEnd], expected: &str| {
            let mut plan = Plan::new(schedule.clone(), 1);
            plan.next_step();
            plan.build_succeeded(0);
            let mut started = Vec::new();
            for end in ends {
                let Some(Step::Run { case, .. }) = plan.next_step() else { break };
                // Two slots: the other slot has nothing to do meanwhile.
                assert_eq!(plan.next_step(), None);
                assert!(!plan.is_finished());
                started.push(case.to_string());
                plan.case_done(0, case, *end);
            }
            assert!(plan.is_finished());
            assert_eq!(started.join(" "), expected);
        };
        use CaseEnd::{Accepted, Rejected};
        check(&[Accepted, Accepted, Accepted], "0 1 2");
        check(&[Accepted, Rejected, Accepted], "0 1");
        check(&[Rejected, Accepted, Accepted], "0");
    }

    /// Two submissions with four cases each. The first one has the order 2 3 1 0 with `necessary` cases. `ends` is the
    /// number of its cases after which enough is proved. Steps end in the order of their start, or the last one first.
    fn play_with_order(
        slots: usize,
        necessary: usize,
        ends: usize,
        last_first: bool,
    ) -> (String, Vec<bool>) {
        let mut plan = Plan::new(Schedule::single(4, EndCondition::Never), 2);
        let (mut under_way, mut started) = (Vec::new(), Vec::new());
        while !plan.is_finished() {
            while under_way.len() < slots {
                let Some(step) = plan.next_step() else { break };
                started.push(match step {
                    Step::Build { submission } => format!("b{submission}"),
                    Step::Run { submission, case } => format!("{submission}.{case}"),
                });
                under_way.push(step);
            }
            let step = if last_first { under_way.pop().unwrap() } else { under_way.remove(0) };
            match step {
                Step::Build { submission } => {
                    plan.build_succeeded(submission);
                    if submission == 0 {
                        plan.set_order(0, vec![2, 3, 1, 0], necessary);
                    }
                }
                Step::Run { submission, case } => {
                    plan.case_done(submission, case, CaseEnd::Rejected);
                    if submission == 0 && plan.done_in_order(0) >= ends {
                        plan.limit_order(0, ends);
                    }
                }
            }
        }
        (started.join(" "), plan.needed_cases(0))
    }

    #[test]
    fn a_submissions_own_order_ends_when_enough_is_proved() {
        let check = |slots, necessary, ends, expected: &str| {
            let (steps, needed) = play_with_order(slots, necessary, ends, false);
            assert_eq!(steps, expected, "{slots} slots");
            let order = [2, 3, 1, 0];
            let expected: Vec<bool> = (0..4).map(|case| order[..ends].contains(&case)).collect();
            assert_eq!(needed, expected);
            for slots in 1..6 {
                for last_first in [false, true] {
                    assert_eq!(play_with_order(slots, necessary, ends, last_first).1, expected);
                }
            }
        };
        check(1, 0, 1, "b0 0.2 b1 1.0 1.1 1.2 1.3");
        check(1, 0, 4, "b0 0.2 0.3 0.1 0.0 b1 1.0 1.1 1.2 1.3");
        // The first run may prove enough, so other steps come before the second one.
        check(2, 0, 1, "b0 b1 0.2 1.0 1.1 1.2 1.3");
        check(2, 2, 2, "b0 b1 0.2 0.3 1.0 1.1 1.2 1.3");
        check(3, 0, 2, "b0 b1 0.2 0.3 1.0 1.1 1.2 1.3");
    }
}
