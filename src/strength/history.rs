//! What a package gained since it was measured last.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::executor::Notebook;
use crate::model::strength::{Strength, SubjectStatus};

/// Reports the gain since the last measurement, and notes this one for the next. Does neither if too many programs
/// were not run in time, and reports no gain if more programs are open than before: missing programs would look like
/// a gain.
pub fn compare(report: &mut Strength, package: &Path, notebook: &dyn Notebook) {
    let is_whole = report.count(SubjectStatus::NotRun) * 10 <= report.subjects.len();
    let (Some(score), true) = (report.score, is_whole) else { return };
    let name = format!("strength of {} with seed {}", package.display(), report.seed);
    let noted = notebook.recall(&name);
    let known = noted.and_then(|text| postcard::from_bytes::<Measurement>(&text).ok());
    let known = known.filter(|known| report.open() <= known.open);
    report.gained = known.and_then(|known| report.since(known.score, &known.missed));
    let now = Measurement { score, missed: report.missed(), open: report.open() };
    if let Ok(text) = postcard::to_allocvec(&now) {
        notebook.note(&name, &text);
    }
}

/// What is noted of a measurement.
#[derive(Serialize, Deserialize)]
struct Measurement {
    score: f64,
    missed: Vec<String>,
    /// How many programs were not run or undecided.
    open: usize,
}
