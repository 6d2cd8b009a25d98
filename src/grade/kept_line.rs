//! What is kept of a line to judge it again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::grade::extract::ExtractedProgram;
use crate::grade::fault::LineFault;
use crate::grade::line::LineEcho;
use juror_core::judgement::CompilerReport;
use juror_judging::judge::run_log::KeptRun;

/// A record.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct KeptLine {
    pub line: u64,
    /// That of its result.
    pub digest: String,
    pub echo: LineEcho,
    /// Why it has no verdict. Then nothing was judged.
    pub error: Option<LineFault>,
    /// The line as it was read, without its source.
    pub request: Value,
    pub judged: Option<KeptRuns>,
}

/// The runs of a line, and what else decided its result.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct KeptRuns {
    /// The code of the language, if it has one.
    pub language: Option<String>,
    pub extracted: Option<ExtractedProgram>,
    pub compiler: Option<CompilerReport>,
    /// Those that held, as `limits` of a line.
    pub limits: Value,
    pub runs: Vec<KeptRun>,
}
