//! Which test cases a submission is run on, as far as earlier ones decide it.
//!
//! The test cases stand in sections, in order. A section may be run only after others were passed, its
//! rest may be left out once it has come to nothing, and so may everything behind it. What is needed
//! follows from the ends of earlier cases alone, never from when they came.

/// The test cases in their sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// In order; together they have all cases.
    pub sections: Vec<Section>,
}

/// Some test cases, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// How many.
    pub cases: usize,
    /// The sections, before this one, whose cases must all be accepted for this one to be run.
    pub requires: Vec<usize>,
    /// What ends it early.
    pub until: Until,
    /// What is left out when it ends early, or is not run.
    pub then: Then,
}

/// What ends a section early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Nothing.
    Never,
    /// A case that is not accepted.
    Rejection,
    /// A case that is not accepted, or is worth nothing.
    Nothing,
}

/// What is left out when a section ends early, or is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Its own rest.
    GoOn,
    /// Everything behind it.
    Stop,
}

/// How a case ended, as far as the plan is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// It was accepted.
    Accepted,
    /// It was accepted, and is worth nothing.
    AcceptedForNothing,
    /// It was not accepted.
    Rejected,
    /// The judge failed on it: nothing can come of the submission.
    Failed,
}

/// Whether a case is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It is.
    Yes,
    /// Unless a case before it, whose end is not known yet, says otherwise.
    Perhaps,
    /// It is not known whether it may be run at all.
    NotYet,
    /// It is not.
    No,
}

impl Schedule {
    /// All cases in one section.
    pub fn single(cases: usize, until: Until) -> Self {
        Self { sections: vec![Section { cases, requires: Vec::new(), until, then: Then::Stop }] }
    }

    /// How many cases there are.
    pub fn cases(&self) -> usize {
        self.sections.iter().map(|section| section.cases).sum()
    }

    /// Goes through the cases in order, with the need for each, as far as the ends that are known decide it;
    /// until `see` has seen enough.
    pub fn walk(&self, ends: &[Option<CaseEnd>], mut see: impl FnMut(usize, Need) -> See) {
        let mut passed: Vec<Passed> = Vec::with_capacity(self.sections.len());
        let mut stop = Stop::No;
        let mut first = 0;
        for section in &self.sections {
            let gate = section
                .requires
                .iter()
                .map(|required| passed.get(*required).copied().unwrap_or(Passed::Yes))
                .fold(Passed::Yes, Passed::and);
            let mut state = State::new(section, gate, stop);
            for case in first..first + section.cases {
                let need = state.need();
                if see(case, need) == See::Enough {
                    return;
                }
                state.take(ends.get(case).copied().flatten());
            }
            first += section.cases;
            stop = state.stop();
            passed.push(state.passed);
        }
    }
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum See {
    /// Go on.
    More,
    /// That is all.
    Enough,
}

/// Whether all cases of a section are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    Yes,
    Unknown,
    No,
}

impl Passed {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Yes, Self::Yes) => Self::Yes,
        }
    }
}

/// Whether what follows is left out, the more certain the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    No,
    Perhaps,
    Yes,
}

/// A section that is gone through.
struct State<'a> {
    section: &'a Section,
    gate: Passed,
    /// Before this section.
    before: Stop,
    /// Within it.
    cut: Stop,
    /// Because the judge failed.
    failed: Stop,
    passed: Passed,
}

impl<'a> State<'a> {
    fn new(section: &'a Section, gate: Passed, before: Stop) -> Self {
        let is_run = gate != Passed::No && before != Stop::Yes;
        Self {
            section,
            gate,
            before,
            cut: Stop::No,
            failed: Stop::No,
            passed: if is_run { Passed::Yes } else { Passed::No },
        }
    }

    fn need(&self) -> Need {
        let stops = [self.before, self.cut];
        match self.gate {
            _ if stops.contains(&Stop::Yes) => Need::No,
            Passed::No => Need::No,
            Passed::Unknown => Need::NotYet,
            Passed::Yes if stops.contains(&Stop::Perhaps) => Need::Perhaps,
            Passed::Yes => Need::Yes,
        }
    }

    /// Goes past a case with this end.
    fn take(&mut self, end: Option<CaseEnd>) {
        let need = self.need();
        if need == Need::No {
            return;
        }
        let Some(end) = end else {
            self.passed = self.passed.and(Passed::Unknown);
            if self.section.until != Until::Never && self.cut == Stop::No {
                self.cut = Stop::Perhaps;
            }
            return;
        };
        if end == CaseEnd::Failed {
            self.failed = if need == Need::Yes { Stop::Yes } else { Stop::Perhaps };
        }
        if matches!(end, CaseEnd::Rejected | CaseEnd::Failed) {
            self.passed = Passed::No;
        }
        let ends_it = match (end, self.section.until) {
            (CaseEnd::Failed, _) => true,
            (_, Until::Never) | (CaseEnd::Accepted, _) => false,
            (CaseEnd::AcceptedForNothing, until) => until == Until::Nothing,
            (CaseEnd::Rejected, _) => true,
        };
        // Even where it is not known whether this case is needed: where it is not, an earlier one ends it.
        if ends_it {
            self.cut = Stop::Yes;
        }
    }

    /// Whether what stands behind the section is left out.
    fn stop(&self) -> Stop {
        let own = match (self.section.then, self.gate) {
            (Then::GoOn, _) => Stop::No,
            (Then::Stop, Passed::No) => Stop::Yes,
            (Then::Stop, Passed::Unknown) => Stop::Perhaps,
            (Then::Stop, Passed::Yes) => self.cut,
        };
        self.before.max(own).max(self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(cases: usize, requires: &[usize], until: Until, then: Then) -> Section {
        Section { cases, requires: requires.to_vec(), until, then }
    }

    /// `ends` by letter: `a`ccepted, accepted for `0`, `r`ejected, `f`ailed, `.` not known. Gives the need for
    /// each case: `+`, `?` perhaps, `!` not yet, `-`.
    fn needs(schedule: &Schedule, ends: &str) -> String {
        let ends: Vec<Option<CaseEnd>> = ends
            .chars()
            .map(|letter| match letter {
                'a' => Some(CaseEnd::Accepted),
                '0' => Some(CaseEnd::AcceptedForNothing),
                'r' => Some(CaseEnd::Rejected),
                'f' => Some(CaseEnd::Failed),
                _ => None,
            })
            .collect();
        let mut needs = String::new();
        schedule.walk(&ends, |_, need| {
            needs.push(match need {
                Need::Yes => '+',
                Need::Perhaps => '?',
                Need::NotYet => '!',
                Need::No => '-',
            });
            See::More
        });
        needs
    }

    fn check(sections: &[Section], table: &[(&str, &str)]) {
        let schedule = Schedule { sections: sections.to_vec() };
        for (ends, expected) in table {
            assert_eq!(needs(&schedule, ends), *expected, "{ends}");
        }
    }

    #[test]
    fn the_first_rejection_ends_a_section() {
        check(
            &[section(4, &[], Until::Rejection, Then::Stop)],
            &[
                ("....", "+???"),
                ("a...", "++??"),
                ("aara", "+++-"),
                ("a.r.", "++?-"),
                ("00..", "+++?"),
                ("f...", "+---"),
            ],
        );
        check(
            &[section(3, &[], Until::Nothing, Then::Stop)],
            &[("a0a", "++-"), ("0..", "+--"), ("ar.", "++-")],
        );
        check(
            &[section(3, &[], Until::Never, Then::Stop)],
            &[("...", "+++"), ("r0.", "+++"), ("f..", "+--")],
        );
    }

    #[test]
    fn a_section_waits_for_those_that_it_requires() {
        check(
            &[
                section(1, &[], Until::Never, Then::GoOn),
                section(2, &[0], Until::Never, Then::GoOn),
                section(1, &[1], Until::Never, Then::GoOn),
                section(1, &[], Until::Never, Then::GoOn),
            ],
            &[
                (".....", "+!!!+"),
                ("a....", "+++!+"),
                ("aaa..", "+++++"),
                ("a0a..", "+++++"),
                ("aar..", "+++-+"),
                ("a.r..", "+++-+"),
                ("r....", "+---+"),
            ],
        );
    }

    #[test]
    fn what_comes_to_nothing_may_stop_everything() {
        check(
            &[
                section(1, &[], Until::Never, Then::GoOn),
                section(2, &[0], Until::Rejection, Then::Stop),
                section(2, &[], Until::Rejection, Then::Stop),
            ],
            &[
                ("a....", "++???"),
                ("aaa..", "++++?"),
                ("ar...", "++---"),
                ("a.r..", "++?--"),
                ("r....", "+----"),
                (".....", "+!!??"),
                ("aaar.", "++++-"),
            ],
        );
    }

    #[test]
    fn a_fault_ends_it_only_where_the_case_is_needed() {
        check(
            &[
                section(2, &[], Until::Rejection, Then::GoOn),
                section(1, &[], Until::Never, Then::GoOn),
            ],
            &[("rf.", "+-+"), ("af.", "++-"), (".f.", "+??"), ("f..", "+--")],
        );
    }
}
