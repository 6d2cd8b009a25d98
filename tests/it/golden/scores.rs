//! Recorded runs on a scoring problem.

use std::sync::LazyLock;

use juror_core::event::StampedEvent;
use juror_core::exit_code::ExitCode;

use super::record::record;
use crate::fixture::{Fixture, RIGHT};
use crate::scoring::{NOT_1_1, UP_TO_9, fixture};

fn scored_package() -> Fixture {
    let fixture = fixture();
    fixture.write("full.sh", RIGHT);
    fixture.write("part.sh", UP_TO_9);
    fixture.write("barred.sh", NOT_1_1);
    fixture
}

/// `judge` with submissions of several scores.
pub(super) fn judge_with_scores() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let line = "judge @sum @full.sh @part.sh @barred.sh --jobs 1";
        record(&scored_package(), line, ExitCode::Rejected)
    });
    ONCE.clone()
}

pub(super) fn judge_selected_cases() -> Vec<StampedEvent> {
    let line = "judge @sum @full.sh --case secret/b/* --jobs 1";
    record(&scored_package(), line, ExitCode::Success)
}

pub(super) fn verify_with_broken_score() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = fixture();
        fixture.write("sum/submissions/rejected/part.sh", UP_TO_9);
        fixture.write("sum/submissions/rejected/barred.sh", NOT_1_1);
        fixture.remove("sum/submissions/wrong_answer/wrong.sh");
        let rule = "rejected/part.sh:\n  secret/b: {score: [25, 30]}\n";
        fixture.write("sum/submissions/submissions.yaml", rule);
        record(&fixture, "verify @sum --jobs 1", ExitCode::Rejected)
    });
    ONCE.clone()
}
