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
    pub parts: Vec<Piece>,
    /// Earlier sections of which all cases must be accepted before this one runs. Sections are numbered as they begin;
    /// the root is 0.
    pub requires: Vec<usize>,
    pub until: Until,
    /// How it counts in its parent.
    pub yields: Yields,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Cases(usize),
    Section(Section),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    Never,
    /// A part that is not accepted.
    Rejection,
    /// A part that is not accepted and worth nothing.
    Worthless,
}

/// How a section counts in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yields {
    /// Accepted, unless it did not run or was ended early.
    Unbroken,
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
    /// The judge failed, so the submission has no result.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Yes,
    /// Yes, unless an earlier case with unknown end prevents it.
    Perhaps,
    /// It is unknown whether the case may run.
    NotYet,
    No,
}

impl Schedule {
    /// All cases in a single section.
    pub fn single(cases: usize, until: Until) -> Self {
        let parts = vec![Piece::Cases(cases)];
        Self { root: Section { parts, requires: Vec::new(), until, yields: Yields::All } }
    }

    pub fn cases(&self) -> usize {
        self.root.cases()
    }

    /// Visits the cases in order until `see` breaks off. It gets the need for each case, as far as known ends decide
    /// it.
    pub fn walk(&self, ends: &[Option<CaseEnd>], see: impl FnMut(usize, Need) -> ControlFlow<()>) {
        let (passed, failed) = (Vec::new(), Stop::No);
        let mut walk = Walk { ends, see, case: 0, passed, failed };
        let _ = walk.section(&self.root, Passed::Yes, Stop::No);
    }
}

impl Section {
    fn cases(&self) -> usize {
        let cases = self.parts.iter().map(|part| match part {
            Piece::Cases(cases) => *cases,
            Piece::Section(section) => section.cases(),
        });
        cases.sum()
    }
}

/// Whether all cases of a section are accepted. Of several sections, the least value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Passed {
    No,
    Unknown,
    Yes,
}

/// Whether the next cases are omitted. A greater value is more certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    No,
    Perhaps,
    Yes,
}

struct Walk<'a, S> {
    ends: &'a [Option<CaseEnd>],
    see: S,
    case: usize,
    /// Whether all cases are accepted, for each section that has begun, by number.
    passed: Vec<Passed>,
    /// Whether everything stops because the judge failed.
    failed: Stop,
}

impl<S: FnMut(usize, Need) -> ControlFlow<()>> Walk<'_, S> {
    /// Visits a section. `gate` says whether its parents may run, `before` whether something before it ended them.
    /// Returns how the section counts.
    fn section(
        &mut self,
        section: &Section,
        gate: Passed,
        before: Stop,
    ) -> ControlFlow<(), Passed> {
        let number = self.passed.len();
        let passed = |number: &usize| self.passed.get(*number).copied().unwrap_or(Passed::Yes);
        let gate = section.requires.iter().map(passed).fold(gate, Passed::min);
        let is_run = gate != Passed::No && before != Stop::Yes;
        // Replaced when the section ends.
        self.passed.push(Passed::Yes);
        let mut state = State {
            section,
            gate,
            before,
            cut: Stop::No,
            all: if is_run { Passed::Yes } else { Passed::No },
            any: Passed::No,
            last: Passed::Yes,
        };
        for part in &section.parts {
            match part {
                Piece::Cases(cases) => {
                    let first = self.case;
                    self.case += cases;
                    for case in first..self.case {
                        let need = state.need(self.failed);
                        (self.see)(case, need)?;
                        let end = self.ends.get(case).copied().flatten();
                        match (end, need) {
                            (_, Need::No) => continue,
                            (Some(CaseEnd::Failed), Need::Yes) => self.failed = Stop::Yes,
                            (Some(CaseEnd::Failed), _) => {
                                self.failed = self.failed.max(Stop::Perhaps);
                            }
                            _ => {}
                        }
                        state.take(end);
                    }
                }
                Piece::Section(inner) => {
                    let need = state.need(self.failed);
                    let before = state.before.max(state.cut).max(self.failed);
                    let yielded = self.section(inner, state.gate, before)?;
                    if need != Need::No {
                        state.take(match yielded {
                            Passed::Yes => Some(CaseEnd::Accepted),
                            Passed::No => Some(CaseEnd::Rejected),
                            Passed::Unknown => None,
                        });
                    }
                }
            }
        }
        self.passed[number] = state.all;
        ControlFlow::Continue(state.yielded())
    }
}

/// What is known within a section.
struct State<'a> {
    section: &'a Section,
    gate: Passed,
    /// Whether something before this section ended it.
    before: Stop,
    /// Whether something in this section ended it.
    cut: Stop,
    /// Whether all parts that run are accepted.
    all: Passed,
    /// Whether one part that runs is accepted.
    any: Passed,
    /// Whether the last part that runs is accepted.
    last: Passed,
}

impl State<'_> {
    fn need(&self, failed: Stop) -> Need {
        let stop = self.before.max(self.cut).max(failed);
        match self.gate {
            _ if stop == Stop::Yes => Need::No,
            Passed::No => Need::No,
            Passed::Unknown => Need::NotYet,
            Passed::Yes if stop == Stop::Perhaps => Need::Perhaps,
            Passed::Yes => Need::Yes,
        }
    }

    /// Moves past a part with this end.
    ///
    /// Whether the part runs may depend on an earlier part with unknown end. If it does not run, that earlier part has
    /// ended the section. So in both cases a rejection ends the section, and not all of its parts are accepted.
    fn take(&mut self, end: Option<CaseEnd>) {
        let is_certain = self.cut == Stop::No;
        let accepted = match end {
            None => Passed::Unknown,
            Some(CaseEnd::Accepted) => Passed::Yes,
            Some(CaseEnd::Partial | CaseEnd::Rejected | CaseEnd::Failed) => Passed::No,
        };
        self.all = self.all.min(accepted);
        self.any = match (self.any, accepted) {
            (Passed::Yes, _) => Passed::Yes,
            (_, Passed::Yes) if is_certain => Passed::Yes,
            (Passed::No, Passed::No) => Passed::No,
            _ => Passed::Unknown,
        };
        self.last = if is_certain || accepted == Passed::No { accepted } else { Passed::Unknown };
        let cut = match (end, self.section.until) {
            (Some(CaseEnd::Failed), _) => Stop::Yes,
            (_, Until::Never) | (Some(CaseEnd::Accepted), _) => Stop::No,
            (Some(CaseEnd::Partial), Until::Worthless) => Stop::No,
            (Some(CaseEnd::Partial | CaseEnd::Rejected), _) => Stop::Yes,
            (None, _) => Stop::Perhaps,
        };
        self.cut = self.cut.max(cut);
    }

    /// How the section counts in its parent.
    fn yielded(&self) -> Passed {
        match (self.section.yields, self.gate, self.cut) {
            (Yields::Acceptance, ..) => Passed::Yes,
            (_, gate @ (Passed::No | Passed::Unknown), _) => gate,
            (Yields::Unbroken, _, Stop::Yes) => Passed::No,
            (Yields::Unbroken, _, Stop::Perhaps) => Passed::Unknown,
            (Yields::Unbroken, _, Stop::No) => Passed::Yes,
            (Yields::All, ..) => self.all,
            (Yields::Any, ..) => self.any,
            (Yields::Last, ..) => self.last,
        }
    }
}

#[cfg(test)]
mod tests;
