//! Judges lines again by their kept outputs. No program of a line starts.

use std::sync::Arc;

use serde_json::Value;

use crate::grade::call::is_comparison_of_calls;
use crate::grade::fault::{FaultyPart, LineFault};
use crate::grade::graded::GradedLine;
use crate::grade::kept_line::{KeptLine, KeptRuns};
use crate::grade::reader::RawLine;
use crate::grade::settings::{ParsedLine, ReadLine, parse_request};
use crate::ops::grade::one::{Graded, LineJudge, LineRun};
use juror_core::language::table::Language;
use juror_core::program::Program;
use juror_core::submission::Submission;
use juror_judging::build::PreparedProgram;
use juror_judging::judge::run_log::RunLog;
use juror_judging::judge::session::PreparedSubmission;

impl LineJudge<'_> {
    /// Number and digest of a line that is judged again, its runs, and the line as it was.
    pub(super) fn read_record(&self, raw: &RawLine) -> (u64, String, Option<KeptRuns>, ParsedLine) {
        let mut kept: KeptLine = serde_json::from_slice(&raw.text).unwrap_or_default();
        if kept.line == 0 {
            let fault = LineFault::of_line("is no record", "give what --keep-outputs wrote");
            (kept.line, kept.error) = (raw.number, Some(fault));
        }
        let runs = kept.judged.get_or_insert_default();
        let line = match kept.error {
            Some(fault) => Err(fault),
            None => self.request_line(kept.request, runs),
        };
        let parsed = ParsedLine { echo: kept.echo, request: Value::Null, line };
        (kept.line, kept.digest, kept.judged, parsed)
    }

    fn request_line(&self, mut request: Value, runs: &mut KeptRuns) -> Result<ReadLine, LineFault> {
        if let Value::Object(request) = &mut request {
            request.insert("limits".to_owned(), runs.limits.take());
            let is_call = ["call", "asserts"].iter().any(|key| request.contains_key(*key));
            match self.compare {
                Some(compare) if !is_call => {
                    request.insert("compare".to_owned(), compare.into());
                }
                Some(compare) if !is_comparison_of_calls(compare) => {
                    let what = format!("`{compare}` does not compare what functions return");
                    return Err(LineFault::of_line(what, "give `json`, or leave out --compare"));
                }
                _ => {}
            }
        }
        let line = parse_request(request)?;
        if line.is_forgeable && self.compare.is_some() {
            let what = "cannot judge it again: the program's interpreter ran its test";
            let help = Some("leave out --compare".to_owned());
            return Err(LineFault::new(FaultyPart::Skipped, what, help));
        }
        Ok(ReadLine { line, digest: 0, is_public_only: false })
    }
}

impl LineRun<'_> {
    pub(super) fn judge_known(&self, known: KeptRuns) -> Graded {
        let KeptRuns { language, extracted, compiler, runs, .. } = known;
        let language = language.as_deref().and_then(Language::by_code);
        let submission = Submission {
            name: "submission".to_owned(),
            program: Program::default(),
            expectations: Vec::new(),
        };
        let prepared = Ok(PreparedProgram::of_known_runs(language));
        let entry = PreparedSubmission { submission: &submission, prepared };
        let log = Arc::new(RunLog::of_known_runs(compiler, runs));
        let judgement = self.judge_entry(&entry, Some(log))?;
        let graded = GradedLine::with_judgement(judgement, extracted, self.returned);
        Ok(GradedLine { forgeable: self.forgeable, ..graded })
    }
}
