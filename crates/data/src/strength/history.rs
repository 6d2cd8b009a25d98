//! What a package gained since it was measured last.

use serde::{Deserialize, Serialize};

use crate::strength::result::{Strength, SubjectStatus};

/// Returns the note about this measurement for the next one. If too many programs were not run in time, there is no
/// note and no gain. If more programs are open than before, there is no gain: missing programs would look like one.
pub fn report_gain(report: &mut Strength, noted: Option<&[u8]>) -> Option<Vec<u8>> {
    let is_whole = report.count(SubjectStatus::NotRun) * 10 <= report.subjects.len();
    let score = report.score.filter(|_| is_whole)?;
    let known = noted.and_then(|text| postcard::from_bytes::<NotedMeasurement>(text).ok());
    let known = known.filter(|known| report.count_open() <= known.open);
    report.gained = known.and_then(|known| report.gain_since(known.score, &known.missed));
    let now =
        NotedMeasurement { score, missed: report.missed_subjects(), open: report.count_open() };
    postcard::to_allocvec(&now).ok()
}

#[derive(Serialize, Deserialize)]
struct NotedMeasurement {
    score: f64,
    missed: Vec<String>,
    open: usize,
}
