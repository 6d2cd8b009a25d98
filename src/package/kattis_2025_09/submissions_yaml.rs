//! `submissions/submissions.yaml`: what the author says about the example submissions.
//!
//! Source: problem package format 2025-09, "Example submissions".

use crate::model::diagnostic::Place;
use crate::model::pattern::Pattern;
use crate::model::score::Score;
use crate::model::submission::{ScoreRange, UseForTimeLimit};
use crate::model::verdict::Verdict;
use crate::package::kattis_2025_09::credits;
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::keys::{self, Bound, Keys};
use crate::package::suggest::{list, nearest};
use crate::package::text::{Range, Remarks, shown};
use crate::package::yaml::{self, Entry, Node, Parsed, Value};

/// One top-level key: a pattern, and what it says about the submissions that it matches.
#[derive(Debug)]
pub(super) struct Rule {
    pub pattern: Pattern,
    pub range: Range,
    pub language: Option<String>,
    pub entry_point: Option<String>,
    /// About all test cases.
    pub all: Conditions,
    /// About those that a pattern matches.
    pub some: Vec<CaseRule>,
}

/// Conditions on some of the test cases.
#[derive(Debug)]
pub(super) struct CaseRule {
    pub cases: Pattern,
    pub range: Range,
    pub conditions: Conditions,
}

/// What must hold; `None` where the file says nothing.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    pub permitted: Option<Vec<Verdict>>,
    pub required: Option<Vec<Verdict>>,
    pub message: Option<String>,
    pub score: Option<ScoreRange>,
    pub use_for_time_limit: Option<UseForTimeLimit>,
    pub place: Place,
}

impl Conditions {
    /// Whether nothing is said.
    pub(super) fn is_empty(&self) -> bool {
        self.permitted.is_none()
            && self.required.is_none()
            && self.message.is_none()
            && self.score.is_none()
            && self.use_for_time_limit.is_none()
    }
}

/// Reads the file's rules in their order.
pub(super) fn read(problem_type: &ProblemType, remarks: &mut Remarks<'_>) -> Vec<Rule> {
    let root = match yaml::parse(remarks) {
        Parsed::Document(root) if !keys::is_null(&root) => root,
        _ => return Vec::new(),
    };
    let Value::Map(entries) = &root.value else {
        keys::wrong_type("the file", "a map of patterns to what holds for them", &root, remarks);
        return Vec::new();
    };
    entries.iter().filter_map(|entry| rule(entry, problem_type, remarks)).collect()
}

fn rule(entry: &Entry, problem_type: &ProblemType, remarks: &mut Remarks<'_>) -> Option<Rule> {
    let pattern = pattern(entry, remarks);
    let mut keys = Keys::open(&entry.key, &entry.value, remarks)?;
    let all = conditions(&mut keys, entry.key_range, problem_type, remarks);
    let language = keys
        .take("language")
        .and_then(|node| keys::programming_language("language", node, remarks));
    let entry_point =
        keys.take("entrypoint").and_then(|node| keys::filled_text("entrypoint", node, remarks));
    if let Some(node) = keys.take("authors") {
        credits::people("authors", "authors", node, remarks);
    }
    keys.boolean("model_solution", remarks);
    let known = keys.known();
    let some =
        keys.rest().filter_map(|entry| case_rule(entry, &known, problem_type, remarks)).collect();
    Some(Rule { pattern: pattern?, range: entry.key_range, language, entry_point, all, some })
}

fn pattern(entry: &Entry, remarks: &mut Remarks<'_>) -> Option<Pattern> {
    match Pattern::parse(&entry.key) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            remarks.error(entry.key_range, error.to_string(), Some(error.help()));
            None
        }
    }
}

/// Any other key is a pattern of test cases, if a map stands behind it.
fn case_rule(
    entry: &Entry,
    known: &[&str],
    problem_type: &ProblemType,
    remarks: &mut Remarks<'_>,
) -> Option<CaseRule> {
    if !matches!(entry.value.value, Value::Map(_)) {
        let message = format!("unknown key `{}`", shown(&entry.key));
        let help = match nearest(&entry.key, known.iter().copied()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!(
                "known keys: {}; a pattern of test cases has a map behind it",
                list(known.iter().copied())
            ),
        };
        remarks.error(entry.key_range, message, Some(&help));
        return None;
    }
    let cases = pattern(entry, remarks);
    let mut keys = Keys::open(&entry.key, &entry.value, remarks)?;
    let conditions = conditions(&mut keys, entry.key_range, problem_type, remarks);
    keys.finish(remarks);
    Some(CaseRule { cases: cases?, range: entry.key_range, conditions })
}

fn conditions(
    keys: &mut Keys<'_>,
    range: Range,
    problem_type: &ProblemType,
    remarks: &mut Remarks<'_>,
) -> Conditions {
    let mut verdicts = |key| keys.take(key).and_then(|node| verdicts(key, node, remarks));
    let permitted = verdicts("permitted");
    let required = verdicts("required");
    let message = keys.text("message", remarks).filter(|message| !message.is_empty());
    let use_for_time_limit =
        keys.take("use_for_time_limit").and_then(|node| use_for_time_limit(node, remarks));
    let score = keys.entry("score").and_then(|entry| score(entry, problem_type, remarks));
    Conditions {
        permitted,
        required,
        message,
        score,
        use_for_time_limit,
        place: remarks.file.place(range),
    }
}

fn score(
    entry: &Entry,
    problem_type: &ProblemType,
    remarks: &mut Remarks<'_>,
) -> Option<ScoreRange> {
    if problem_type.excludes("scoring") {
        let message = "`score` is only for scoring problems; this one is pass-fail";
        remarks.error(entry.key_range, message, Some("remove it"));
        return None;
    }
    let node = &entry.value;
    let mut one = |node: &Node| {
        let points = keys::number("score", Bound::AtLeast(0.0), node, remarks)?;
        Score::new(points)
    };
    match &node.value {
        Value::Sequence(items) => match &items[..] {
            [from, to] => {
                let [from, to] = [one(from), one(to)];
                let range = ScoreRange { from: from?, to: to? };
                if range.from > range.to {
                    let message = format!("no score is from {} to {}", range.from, range.to);
                    let help = "write the smaller one first";
                    remarks.error(node.range, message, Some(help));
                    return None;
                }
                Some(range)
            }
            _ => {
                let message = format!("`score` has {} numbers", items.len());
                let help = "write one score, or the least and the greatest: [30, 50]";
                remarks.error(node.range, message, Some(help));
                None
            }
        },
        _ => one(node).map(|score| ScoreRange { from: score, to: score }),
    }
}

fn use_for_time_limit(node: &Node, remarks: &mut Remarks<'_>) -> Option<UseForTimeLimit> {
    let word = match &node.value {
        Value::Scalar(scalar) => scalar.text.as_str(),
        _ => "",
    };
    match word {
        "true" | "True" | "TRUE" => Some(UseForTimeLimit::AsExpected),
        "false" | "False" | "FALSE" => Some(UseForTimeLimit::Never),
        "lower" => Some(UseForTimeLimit::Lower),
        "upper" => Some(UseForTimeLimit::Upper),
        _ => {
            keys::wrong_type(
                "`use_for_time_limit`",
                "`true`, `false`, `lower` or `upper`",
                node,
                remarks,
            );
            None
        }
    }
}

fn verdicts(key: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<Vec<Verdict>> {
    let items = keys::sequence(key, "a sequence of verdicts", node, remarks)?;
    let mut verdicts = Vec::new();
    let mut is_complete = true;
    for item in items {
        let verdict =
            keys::text(key, item, remarks).and_then(|word| verdict(&word, item.range, remarks));
        is_complete &= verdict.is_some();
        verdicts.extend(verdict.filter(|verdict| !verdicts.contains(verdict)));
    }
    if items.is_empty() {
        let message = format!("`{key}` names no verdict, so no submission can meet it");
        remarks.error(
            node.range,
            message,
            Some("name at least one of AC, WA, TLE, RTE, or remove the line"),
        );
        return None;
    }
    is_complete.then_some(verdicts)
}

/// A verdict of the format. Words of other judges are understood, and doubted: other tools of the
/// format do not know them.
fn verdict(word: &str, range: Range, remarks: &mut Remarks<'_>) -> Option<Verdict> {
    let spelling = word.to_uppercase().replace(['-', ' '], "_");
    let verdict = match spelling.as_str() {
        "AC" | "ACCEPTED" | "CORRECT" => Verdict::Accepted,
        "WA" | "WRONG_ANSWER" | "WRONGANSWER" => Verdict::WrongAnswer,
        "TLE" | "TIMELIMIT" | "TIME_LIMIT" | "TIMELIMIT_EXCEEDED" | "TIME_LIMIT_EXCEEDED" => {
            Verdict::TimeLimitExceeded
        }
        "RTE" | "RE" | "RUN_ERROR" | "RUNTIME_ERROR" | "RUN_TIME_ERROR" => Verdict::RunTimeError,
        "MLE" | "MEMORY_LIMIT" | "MEMORY_LIMIT_EXCEEDED" => Verdict::RunTimeError,
        "OLE" | "OUTPUT_LIMIT" | "OUTPUT_LIMIT_EXCEEDED" => Verdict::RunTimeError,
        "CE" | "COMPILE_ERROR" | "COMPILER_ERROR" => {
            let message = "a submission that does not build cannot be expected";
            remarks.error(range, message, Some("write AC, WA, TLE or RTE"));
            return None;
        }
        _ => {
            let message = format!("`{}` is no verdict", shown(word));
            keys::unknown_word(&message, word, &["AC", "WA", "TLE", "RTE"], range, remarks);
            return None;
        }
    };
    let known = verdict.short();
    if word != known {
        let message =
            format!("`{}` is no verdict of the format; it counts as {known}", shown(word));
        remarks.warning(range, message, Some(&format!("write {known}")));
    }
    Some(verdict)
}
