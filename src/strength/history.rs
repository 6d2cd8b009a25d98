//! What a package gained since it was measured last.

use serde::{Deserialize, Serialize};

use crate::model::strength::{Strength, SubjectStatus};

/// Reports the gain since the last measurement, and returns the note about this one for the next. Does neither if too
/// many programs were not run in time, and reports no gain if more programs are open than before: missing programs
/// would look like a gain.
pub fn compare(report: &mut Strength, noted: Option<&[u8]>) -> Option<Vec<u8>> {
    let is_whole = report.count(SubjectStatus::NotRun) * 10 <= report.subjects.len();
    let score = report.score.filter(|_| is_whole)?;
    let known = noted.and_then(|text| postcard::from_bytes::<Measurement>(text).ok());
    let known = known.filter(|known| report.open() <= known.open);
    report.gained = known.and_then(|known| report.since(known.score, &known.missed));
    let now = Measurement { score, missed: report.missed(), open: report.open() };
    postcard::to_allocvec(&now).ok()
}

/// What is noted of a measurement.
#[derive(Serialize, Deserialize)]
struct Measurement {
    score: f64,
    missed: Vec<String>,
    /// How many programs were not run or undecided.
    open: usize,
}
