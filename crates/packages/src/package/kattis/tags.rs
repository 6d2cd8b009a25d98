//! Expected results in the sources of submissions, as DOMjudge reads them.
//!
//! Source: DOMjudge's manual, "Jury submissions", on `@EXPECTED_RESULTS@` and `@EXPECTED_SCORE@`.

use crate::package::faults::Faults;
use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::kattis::submissions_yaml::parse_verdict_word;
use crate::package::text::excerpt;
use juror_core::root::FilePath;
use juror_core::score::Score;
use juror_core::submission::{Expectation, OverallExpectation, ScoreRange, UseForTimeLimit};
use juror_core::verdict::Verdict;

const MAX_SEARCHED_BYTES: u64 = 1 << 20;

pub(super) fn expectations(tree: &PackageFiles, submission: &PackageEntry) -> Vec<Expectation> {
    let files = tree.below(&submission.name).iter().chain([submission]);
    let files = files.filter(|item| item.is_file());
    files.filter_map(|file| read_tags(&file.path, &tree.faults)).collect()
}

/// A verdict of the format, or the one that only DOMjudge expects.
fn parse_verdict(word: &str) -> Option<Verdict> {
    let is_compile_error = word.to_uppercase().replace('_', "-") == "COMPILER-ERROR";
    is_compile_error.then_some(Verdict::CompileError).or_else(|| parse_verdict_word(word))
}

fn read_tags(path: &FilePath, faults: &Faults) -> Option<Expectation> {
    // Unreadable files are reported when they are built.
    let source = path.read_prefix(MAX_SEARCHED_BYTES).ok()?;
    let source = String::from_utf8_lossy(&source);
    let value = |tag: &str| {
        let line = source[source.find(tag)? + tag.len()..].lines().next()?;
        Some(line.trim_end_matches("*/").trim_end_matches("-->").trim())
    };
    let expectation = Expectation {
        pattern: "@EXPECTED_RESULTS@".to_owned(),
        use_for_time_limit: UseForTimeLimit::Never,
        ..Expectation::default()
    };
    if let Some(words) = value("@EXPECTED_RESULTS@:") {
        let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
        let verdicts: Option<Vec<_>> = words.clone().map(parse_verdict).collect();
        if let Some(verdicts) = verdicts.filter(|verdicts| !verdicts.is_empty()) {
            let overall = Some(OverallExpectation { verdicts, is_partial: false });
            return Some(Expectation { overall, ..expectation });
        }
        let word = words.clone().find(|word| parse_verdict(word).is_none()).unwrap_or_default();
        let message = format!("`@EXPECTED_RESULTS@` names `{}`", excerpt(word));
        let help = "known: CORRECT, WRONG-ANSWER, TIMELIMIT, RUN-ERROR, COMPILER-ERROR";
        faults.warning(path, message, help);
        return None;
    }
    let score = value("@EXPECTED_SCORE@:")?;
    let Some(score) = score.parse().ok().and_then(Score::new) else {
        let message = format!("`@EXPECTED_SCORE@` is not a number: `{}`", excerpt(score));
        faults.warning(path, message, "write the number of points");
        return None;
    };
    let range = ScoreRange { from: score, to: score };
    let pattern = "@EXPECTED_SCORE@".to_owned();
    Some(Expectation { pattern, score: Some(range), ..expectation })
}
