//! Which test cases a submission runs on, depending on earlier results.
//!
//! Test cases are in sections, and sections may contain sections. A section may require that others were passed, and
//! its rest may be omitted once it is worth nothing. Only the ends of earlier cases decide this, never their times.

use std::ops::ControlFlow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub root: Section,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub parts: Vec<SectionPart>,
    /// Earlier sections of which all cases must be accepted before this one runs. Sections are numbered as they begin;
    /// the root is 0.
    pub requires: Vec<usize>,
    pub ends_on: EndCondition,
    /// How it counts in its parent.
    pub result: SectionResult,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionPart {
    Cases(usize),
    Section(Section),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCondition {
    Never,
    /// A part that is not accepted.
    Rejection,
    /// A part that is not accepted and worth nothing.
    WorthlessRejection,
    /// The third case that is too slow: each costs its whole time limit.
    ThirdTimeout,
}

/// How many cases that are too slow end a section.
pub const MAX_TIMEOUTS: usize = 3;

/// How a section counts in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionResult {
    /// Accepted, unless it did not run or was ended early.
    UnlessCut,
    /// Accepted if all of its parts are.
    All,
    /// Accepted if one of its parts is.
    Any,
    /// Like its last part.
    Last,
    Acceptance,
}

/// How a case ended, as far as the plan needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    Accepted,
    /// Not accepted, but worth something.
    Partial,
    /// Not accepted, and worth nothing.
    Rejected,
    /// The same, because it exceeded the time limit.
    TooSlow,
    /// The judge failed, so the submission has no result.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseNeed {
    Yes,
    /// Yes, unless an earlier case with unknown end prevents it.
    Possibly,
    /// It is unknown whether the case may run.
    Undecided,
    No,
}

impl Schedule {
    /// All cases in a single section.
    pub fn single(cases: usize, ends_on: EndCondition) -> Self {
        Self::new(vec![SectionPart::Cases(cases)], ends_on)
    }

    /// Accepted if all of these parts are.
    pub fn new(parts: Vec<SectionPart>, ends_on: EndCondition) -> Self {
        let (requires, result) = (Vec::new(), SectionResult::All);
        Self { root: Section { parts, requires, ends_on, result } }
    }

    pub fn cases(&self) -> usize {
        self.root.cases()
    }

    /// Visits the cases in order until `see` breaks off. It gets the need for each case, as far as known ends decide
    /// it.
    pub fn walk(
        &self,
        ends: &[Option<CaseEnd>],
        see: impl FnMut(usize, CaseNeed) -> ControlFlow<()>,
    ) {
        let (passed, failed) = (Vec::new(), Omission::No);
        let mut walk = ScheduleWalk { ends, see, case: 0, passed, failed };
        let _ = walk.section(&self.root, PassState::Yes, Omission::No);
    }
}

impl Section {
    fn cases(&self) -> usize {
        let cases = self.parts.iter().map(|part| match part {
            SectionPart::Cases(cases) => *cases,
            SectionPart::Section(section) => section.cases(),
        });
        cases.sum()
    }
}

/// Whether all cases of a section are accepted. Of several sections, the least value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PassState {
    No,
    Unknown,
    Yes,
}

/// Whether the next cases are omitted. A greater value is more certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Omission {
    No,
    Possible,
    Yes,
}

struct ScheduleWalk<'a, S> {
    ends: &'a [Option<CaseEnd>],
    see: S,
    case: usize,
    /// Whether all cases are accepted, for each section that has begun, by number.
    passed: Vec<PassState>,
    /// Whether everything stops because the judge failed.
    failed: Omission,
}

impl<S: FnMut(usize, CaseNeed) -> ControlFlow<()>> ScheduleWalk<'_, S> {
    /// Visits a section. `gate` says whether its parents may run, `before` whether something before it ended them.
    /// Returns how the section counts.
    fn section(
        &mut self,
        section: &Section,
        gate: PassState,
        before: Omission,
    ) -> ControlFlow<(), PassState> {
        let number = self.passed.len();
        let passed = |number: &usize| self.passed.get(*number).copied().unwrap_or(PassState::Yes);
        let gate = section.requires.iter().map(passed).fold(gate, PassState::min);
        let is_run = gate != PassState::No && before != Omission::Yes;
        // Replaced when the section ends.
        self.passed.push(PassState::Yes);
        let mut state = SectionState {
            section,
            gate,
            before,
            cut: Omission::No,
            too_slow: 0,
            unknown: 0,
            all: if is_run { PassState::Yes } else { PassState::No },
            any: PassState::No,
            last: PassState::Yes,
        };
        for part in &section.parts {
            match part {
                SectionPart::Cases(cases) => {
                    let first = self.case;
                    self.case += cases;
                    for case in first..self.case {
                        let need = state.need(self.failed);
                        (self.see)(case, need)?;
                        let end = self.ends.get(case).copied().flatten();
                        match (end, need) {
                            (_, CaseNeed::No) => continue,
                            (Some(CaseEnd::Failed), CaseNeed::Yes) => self.failed = Omission::Yes,
                            (Some(CaseEnd::Failed), _) => {
                                self.failed = self.failed.max(Omission::Possible);
                            }
                            _ => {}
                        }
                        state.add_end(end);
                    }
                }
                SectionPart::Section(inner) => {
                    let need = state.need(self.failed);
                    let before = state.before.max(state.cut).max(self.failed);
                    let yielded = self.section(inner, state.gate, before)?;
                    if need != CaseNeed::No {
                        state.add_end(match yielded {
                            PassState::Yes => Some(CaseEnd::Accepted),
                            PassState::No => Some(CaseEnd::Rejected),
                            PassState::Unknown => None,
                        });
                    }
                }
            }
        }
        self.passed[number] = state.all;
        ControlFlow::Continue(state.section_result())
    }
}

/// What is known within a section.
struct SectionState<'a> {
    section: &'a Section,
    gate: PassState,
    /// Whether something before this section ended it.
    before: Omission,
    /// Whether something in this section ended it.
    cut: Omission,
    /// How many cases are too slow, and how many have no known end.
    too_slow: usize,
    unknown: usize,
    /// Whether all parts that run are accepted.
    all: PassState,
    /// Whether one part that runs is accepted.
    any: PassState,
    /// Whether the last part that runs is accepted.
    last: PassState,
}

impl SectionState<'_> {
    fn need(&self, failed: Omission) -> CaseNeed {
        let stop = self.before.max(self.cut).max(failed);
        match self.gate {
            _ if stop == Omission::Yes => CaseNeed::No,
            PassState::No => CaseNeed::No,
            PassState::Unknown => CaseNeed::Undecided,
            PassState::Yes if stop == Omission::Possible => CaseNeed::Possibly,
            PassState::Yes => CaseNeed::Yes,
        }
    }

    /// Moves past a part with this end.
    ///
    /// Whether the part runs may depend on an earlier part with unknown end. If it does not run, that earlier part has
    /// ended the section. So in both cases a rejection ends the section, and not all of its parts are accepted.
    fn add_end(&mut self, end: Option<CaseEnd>) {
        let is_certain = self.cut == Omission::No;
        let accepted = match end {
            None => PassState::Unknown,
            Some(CaseEnd::Accepted) => PassState::Yes,
            Some(CaseEnd::Partial | CaseEnd::Rejected | CaseEnd::TooSlow | CaseEnd::Failed) => {
                PassState::No
            }
        };
        self.too_slow += usize::from(end == Some(CaseEnd::TooSlow));
        self.unknown += usize::from(end.is_none());
        self.all = self.all.min(accepted);
        self.any = match (self.any, accepted) {
            (PassState::Yes, _) => PassState::Yes,
            (_, PassState::Yes) if is_certain => PassState::Yes,
            (PassState::No, PassState::No) => PassState::No,
            _ => PassState::Unknown,
        };
        self.last =
            if is_certain || accepted == PassState::No { accepted } else { PassState::Unknown };
        let cut = match (end, self.section.ends_on) {
            (Some(CaseEnd::Failed), _) => Omission::Yes,
            (_, EndCondition::ThirdTimeout) if self.too_slow >= MAX_TIMEOUTS => Omission::Yes,
            (_, EndCondition::ThirdTimeout) if self.too_slow + self.unknown >= MAX_TIMEOUTS => {
                Omission::Possible
            }
            (_, EndCondition::Never | EndCondition::ThirdTimeout)
            | (Some(CaseEnd::Accepted), _) => Omission::No,
            (Some(CaseEnd::Partial), EndCondition::WorthlessRejection) => Omission::No,
            (Some(CaseEnd::Partial | CaseEnd::Rejected | CaseEnd::TooSlow), _) => Omission::Yes,
            (None, _) => Omission::Possible,
        };
        self.cut = self.cut.max(cut);
    }

    /// How the section counts in its parent.
    fn section_result(&self) -> PassState {
        match (self.section.result, self.gate, self.cut) {
            (SectionResult::Acceptance, ..) => PassState::Yes,
            (_, gate @ (PassState::No | PassState::Unknown), _) => gate,
            (SectionResult::UnlessCut, _, Omission::Yes) => PassState::No,
            (SectionResult::UnlessCut, _, Omission::Possible) => PassState::Unknown,
            (SectionResult::UnlessCut, _, Omission::No) => PassState::Yes,
            (SectionResult::All, ..) => self.all,
            (SectionResult::Any, ..) => self.any,
            (SectionResult::Last, ..) => self.last,
        }
    }
}

#[cfg(test)]
mod tests;
