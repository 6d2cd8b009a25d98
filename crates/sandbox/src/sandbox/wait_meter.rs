//! Measures how long a program waited for its partner while the partner did not wait for the program.
//!
//! Both programs are observed while nothing is written. A write ends the wait for one answer and begins the next. A
//! program that sleeps or computes waits for nobody. A partner that waits for input owes nothing. Nor does one that
//! has read only some of the questions: the program need not have asked them all at once.

use std::time::Duration;

use crate::sandbox::watch::ProgramState;
use juror_core::joint::{PartnerDelay, WaitReason};

#[derive(Clone, Copy, Debug)]
pub(super) struct InputQueue {
    pub(super) unread: u64,
    pub(super) passed: u64,
}

/// Times are monotonic, in nanoseconds.
#[derive(Debug)]
pub(super) struct WaitMeter {
    /// Time of the last observation or the last write.
    since: u64,
    /// Waiting time since the last write.
    current: u64,
    longest: u64,
    is_open: bool,
    is_closed: bool,
}

impl WaitMeter {
    /// The partner may have to write first.
    pub(super) fn new(now: u64) -> Self {
        Self { since: now, current: 0, longest: 0, is_open: false, is_closed: false }
    }

    pub(super) fn note_output(&mut self, now: u64) {
        if !self.is_closed {
            (self.since, self.current, self.is_open) = (now, 0, false);
        }
    }

    pub(super) fn observe(
        &mut self,
        now: u64,
        program: &ProgramState,
        partner: &ProgramState,
        queue: InputQueue,
    ) {
        let passed = now.saturating_sub(self.since);
        self.since = now;
        // A program that waits may run for a moment, as Java does.
        let is_unknown = matches!(program, ProgramState::Running | ProgramState::Unknown);
        if self.is_closed || is_unknown || *partner == ProgramState::Unknown {
            return;
        }
        let is_behind = queue.unread > 0 && queue.unread < queue.passed;
        let is_asking = waits_for_other_program(partner);
        self.is_open = waits_for_other_program(program) && !is_asking && !is_behind;
        if self.is_open {
            self.current += passed;
            self.longest = self.longest.max(self.current);
        } else if is_asking || is_behind {
            self.current = 0;
        }
    }

    pub(super) fn note_program_end(&mut self) {
        self.is_closed = true;
    }

    pub(super) fn debt(&self) -> PartnerDelay {
        PartnerDelay { longest: Duration::from_nanos(self.longest), is_open: self.is_open }
    }
}

fn waits_for_other_program(state: &ProgramState) -> bool {
    matches!(state.waits_for(), Some(WaitReason::Input | WaitReason::Output))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::watch::BlockedProgram;

    /// Observes every 100 ms: what the program does, what the partner does, and the partner's input. `w` means that
    /// something is written, `.` that the program ends.
    ///
    /// A program or partner waits for input (`i`), perhaps for some time only (`m`), for room to write (`o`), or for
    /// itself (`l`); it sleeps (`s`), runs (`r`), or cannot be seen (`?`). The input is empty (`_`), partly read (`+`)
    /// or not read at all (`!`).
    fn check(script: &str, millis: u64, is_open: bool) {
        let seen = |letter: u8| {
            let still = |waits| {
                ProgramState::Blocked(BlockedProgram { waits_for: waits, threads: Vec::new() })
            };
            match letter {
                b'i' => still(WaitReason::Input),
                b'm' => ProgramState::Wakeable(Some(WaitReason::Input)),
                b'o' => still(WaitReason::Output),
                b'l' => still(WaitReason::Itself),
                b's' => ProgramState::Wakeable(None),
                b'r' => ProgramState::Running,
                _ => ProgramState::Unknown,
            }
        };
        let mut wait_meter = WaitMeter::new(0);
        let mut now = 0;
        for step in script.split(' ') {
            now += 100;
            match step.as_bytes() {
                b"w" => wait_meter.note_output(now),
                b"." => wait_meter.note_program_end(),
                [program, partner, input] => {
                    let unread = match input {
                        b'+' => 10,
                        b'!' => 20,
                        _ => 0,
                    };
                    let queue = InputQueue { unread, passed: 20 };
                    wait_meter.observe(now, &seen(*program), &seen(*partner), queue);
                }
                other => panic!("{other:?}"),
            }
        }
        let longest = Duration::from_nanos(millis);
        assert_eq!(wait_meter.debt(), PartnerDelay { longest, is_open }, "{script}");
    }

    #[test]
    fn a_busy_partner_owes_an_answer_to_a_waiting_program() {
        check("w ir_ ir_ ir_", 300, true);
        check("w mr_ mr_", 200, true);
        // It sleeps, or waits for itself.
        check("w is_ is_", 200, true);
        check("w il_ ms_", 200, true);
        // The first words.
        check("ir_ is_", 200, true);
        // It has not begun to read.
        check("w or! ir! or!", 300, true);
        check("w ir_ ir_ w", 200, false);
        check("w ir_ ir_ ir_ w ir_", 300, true);
        check("w ir_ w ir_ w ir_ w ir_ w ir_ w ir_", 100, true);
        // A program that waits runs for a moment, or cannot be seen.
        check("w ir_ rr_ ir_ ?r_", 200, true);
        check("w ir_ i?_ ir_ i?_", 200, true);
    }

    #[test]
    fn a_partner_that_waits_for_the_program_owes_nothing() {
        check("w ii_ ii_", 0, false);
        check("w mi_ mm_ im_", 0, false);
        check("w io_ oo+", 0, false);
        // It worked before, but asks for more now.
        check("w ir_ ir_ ii_", 200, false);
        check("w ir_ ir_ ii_ ir_", 200, true);
    }

    #[test]
    fn a_program_that_does_not_wait_is_owed_nothing() {
        check("w sr_ sr_ ss_", 0, false);
        check("w rr_ rr_", 0, false);
        check("w lr_ lr_", 0, false);
        check("w ?r_ ?r_", 0, false);
        check("w ir_ ir_ sr_", 200, false);
    }

    #[test]
    fn unread_questions_are_no_debt_of_the_partner() {
        check("w or+ or+ or+", 0, false);
        check("w ir+ ir+ is+", 0, false);
        check("w ir! ir+ ir+", 100, false);
        check("w ir+ ir+ ir_ ir_", 200, true);
    }

    #[test]
    fn waits_after_the_programs_end_do_not_count() {
        check("w ir_ ir_ . ir_ ir_ w ir_", 200, true);
        check("w ii_ . ir_ w", 0, false);
        check("w ir_ w . ir_", 100, false);
    }
}
