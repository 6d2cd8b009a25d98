//! What DOMjudge adds to legacy packages: its time limits, and expected results in the sources of submissions.
//!
//! Source: DOMjudge's documentation, "Problem package format", and its manual on `@EXPECTED_RESULTS@`.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use crate::model::grader::Dialect;
use crate::model::score::Score;
use crate::model::submission::{Expectation, Overall, ScoreRange, Submission, UseForTimeLimit};
use crate::package::faults::Faults;
use crate::package::files::Files;
use crate::package::kattis::problem_yaml::ProblemYaml;
use crate::package::kattis::submissions_yaml::verdict_called;
use crate::package::text::{TextFile, shown};

const INI: &str = "domjudge-problem.ini";
const TIME_LIMIT: &str = ".timelimit";

/// A file that only packages for DOMjudge have, if it is there.
pub(super) fn mark(dir: &Path) -> Option<&'static str> {
    [INI, TIME_LIMIT].into_iter().find(|name| dir.join(name).is_file())
}

/// Whose rules hold by the package's own marks.
pub(super) fn dialect(dir: &Path) -> Dialect {
    mark(dir).map_or(Dialect::Kattis, |_| Dialect::DomJudge)
}

/// Reads the time limit and the name; those of the `.ini` file come first.
pub(super) fn read(tree: &Files, yaml: &mut ProblemYaml) {
    let text = |name| {
        let path = tree.path(name);
        path.is_file().then(|| TextFile::read(&path, &tree.faults)).flatten()
    };
    let ini = text(INI);
    let pairs = ini.iter().flat_map(|ini| ini.text.lines()).filter_map(|line| line.split_once('='));
    let mut time_limit = None;
    for (key, value) in pairs {
        let value = value.trim().trim_matches(['"', '\'']);
        match key.trim() {
            "timelimit" => time_limit = Some((INI, value.to_owned())),
            "name" if yaml.names.is_empty() && !value.is_empty() => {
                yaml.names.push(("en".to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    let alone = || Some((TIME_LIMIT, text(TIME_LIMIT)?.text.trim().to_owned()));
    let Some((name, value)) = time_limit.or_else(alone) else { return };
    let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match seconds.filter(|it| !it.is_zero() && it.as_secs() < 1_000_000) {
        Some(limit) => yaml.limits.time_limit = Some(limit),
        None => {
            let message = format!("`{}` is not a time limit", shown(&value));
            tree.faults.lack(tree.path(name), message, "write a number of seconds above 0");
        }
    }
}

/// So many bytes of a source are searched.
const SEARCHED: u64 = 1 << 20;

/// Takes the expected results from the sources of those submissions of which their folder expects nothing.
pub(super) fn expect_by_tags(tree: &Files, submissions: &mut [Submission]) {
    for submission in submissions.iter_mut().filter(|it| it.expectations.is_empty()) {
        let name = format!("submissions/{}", submission.name);
        let files = tree.below(&name).iter().chain(tree.get(&name)).filter(|item| item.is_file());
        submission.expectations.extend(files.filter_map(|file| tagged(&file.path, &tree.faults)));
    }
}

fn tagged(path: &Path, faults: &Faults) -> Option<Expectation> {
    let mut source = Vec::new();
    // What cannot be read is found out when it is built.
    File::open(path).ok()?.take(SEARCHED).read_to_end(&mut source).ok()?;
    let source = String::from_utf8_lossy(&source);
    let value = |tag: &str| {
        let at = source.find(tag)? + tag.len();
        source[at..]
            .lines()
            .next()
            .map(|line| line.trim_end_matches("*/").trim_end_matches("-->").trim())
    };
    let expectation = Expectation {
        pattern: "@EXPECTED_RESULTS@".to_owned(),
        use_for_time_limit: UseForTimeLimit::Never,
        ..Expectation::default()
    };
    if let Some(words) = value("@EXPECTED_RESULTS@:") {
        let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
        let verdicts: Option<Vec<_>> = words.clone().map(verdict_called).collect();
        return match verdicts {
            Some(verdicts) if !verdicts.is_empty() => Some(Expectation {
                overall: Some(Overall { verdicts, is_partial: false }),
                ..expectation
            }),
            _ => {
                let word = words.clone().find(|word| verdict_called(word).is_none());
                let message =
                    format!("`@EXPECTED_RESULTS@` names `{}`", shown(word.unwrap_or_default()));
                faults.warning(path, message, "known: CORRECT, WRONG-ANSWER, TIMELIMIT, RUN-ERROR");
                None
            }
        };
    }
    let score = value("@EXPECTED_SCORE@:")?;
    let Some(score) = score.parse().ok().and_then(Score::new) else {
        let message = format!("`@EXPECTED_SCORE@` is not a number: `{}`", shown(score));
        faults.warning(path, message, "write the number of points");
        return None;
    };
    let range = ScoreRange { from: score, to: score };
    let pattern = "@EXPECTED_SCORE@".to_owned();
    Some(Expectation { pattern, score: Some(range), ..expectation })
}
