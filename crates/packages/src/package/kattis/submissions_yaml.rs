//! `submissions/submissions.yaml`: the author's expectations of the example submissions.
//!
//! Source: problem package format 2025-09, "Example submissions".

use crate::package::kattis::{PackageReader, credits};
use crate::package::node::{Map, Node, ParseResult};
use crate::package::suggest::{comma_list, did_you_mean_or};
use crate::package::text::excerpt;
use crate::package::values::{
    NumberBound, boolean, nonempty_text, number, programming_language, text,
};
use crate::package::yaml::Value;
use juror_core::pattern::Pattern;
use juror_core::score::Score;
use juror_core::submission::{Expectation, ScoreRange, UseForTimeLimit};
use juror_core::verdict::Verdict;

/// One top-level key: a pattern, and the expectations of the submissions that it matches.
pub(super) struct SubmissionRule<'a> {
    pub pattern: Pattern,
    pub node: Node<'a>,
    pub language: Option<String>,
    pub entry_point: Option<String>,
    /// The expectation on all test cases, if any.
    pub expectation: Option<Expectation>,
    pub case_rules: Vec<CaseRule<'a>>,
}

pub(super) struct CaseRule<'a> {
    pub cases: Pattern,
    pub node: Node<'a>,
    pub expectation: Option<Expectation>,
}

/// The keys of a rule that are not patterns of test cases.
pub(super) const RULE_KEYS: &str = "permitted required score message use_for_time_limit language entrypoint \
                               authors model_solution";

pub(super) fn read<'a>(pack: &PackageReader<'_>, root: &Node<'a>) -> Vec<SubmissionRule<'a>> {
    if root.is_null() {
        return Vec::new();
    }
    let entries = root.entries("a map of patterns to expectations");
    entries.into_iter().flatten().filter_map(|node| read_rule(pack, node).ok()).collect()
}

fn read_rule<'a>(pack: &PackageReader<'_>, node: Node<'a>) -> ParseResult<SubmissionRule<'a>> {
    let pattern = parse_pattern(&node);
    let mut map = node.named_map("", node.key)?;
    let keys = read_expectation(pack, &node, &mut map);
    let expectation = keys.map(|keys| Expectation { pattern: node.key.to_owned(), ..keys });
    let language = map.get("language", programming_language);
    let entry_point = map.get("entrypoint", nonempty_text);
    map.get("authors", credits::count_people);
    map.get("model_solution", boolean);
    let rest = map.take_rest();
    let case_rules = rest
        .into_iter()
        .filter_map(|entry| read_case_rule(pack, node.key, entry, map.known_keys()).ok())
        .collect();
    Ok(SubmissionRule { pattern: pattern?, node, language, entry_point, expectation, case_rules })
}

fn parse_pattern(node: &Node<'_>) -> ParseResult<Pattern> {
    Pattern::parse(node.key).map_err(|error| node.at_key().error(error.to_string(), error.help()))
}

/// Reads any other key whose value is a map as a pattern of test cases.
fn read_case_rule<'a>(
    pack: &PackageReader<'_>,
    submissions: &str,
    node: Node<'a>,
    known: &[&str],
) -> ParseResult<CaseRule<'a>> {
    if !node.is_map() {
        let known = known.iter().copied();
        let otherwise = format!(
            "known keys: {}; the value of a pattern of test cases is a map",
            comma_list(known.clone())
        );
        let message = format!("unknown key `{}`", excerpt(node.key));
        return Err(node.at_key().error(message, did_you_mean_or(node.key, known, otherwise)));
    }
    let cases = parse_pattern(&node);
    let mut map = node.named_map("", node.key)?;
    let expectation = read_expectation(pack, &node, &mut map).map(|rule| Expectation {
        pattern: submissions.to_owned(),
        cases: Some(node.key.to_owned()),
        ..rule
    });
    Ok(CaseRule { cases: cases?, node, expectation })
}

/// The expectation without its patterns; `None` if no key sets any.
fn read_expectation(
    pack: &PackageReader<'_>,
    node: &Node<'_>,
    map: &mut Map<'_>,
) -> Option<Expectation> {
    let permitted = map.get("permitted", read_verdicts);
    let required = map.get("required", read_verdicts);
    let message = map.get("message", text).filter(|message| !message.is_empty());
    let for_time_limit = map.get("use_for_time_limit", read_use_for_time_limit);
    let score = map.get("score", |node| read_score(pack, node));
    let is_empty = permitted.is_none() && required.is_none() && message.is_none();
    if is_empty && for_time_limit.is_none() && score.is_none() {
        return None;
    }
    let use_for_time_limit = for_time_limit.unwrap_or_default();
    let place = Some(node.at_key().place());
    let rest = Expectation::default();
    Some(Expectation { permitted, required, message, score, use_for_time_limit, place, ..rest })
}

fn read_score(pack: &PackageReader<'_>, node: &Node<'_>) -> ParseResult<ScoreRange> {
    if pack.yaml.problem_type.excludes("scoring") {
        let message = "`score` is only for scoring problems; this one is pass-fail";
        return Err(node.at_key().error(message, "remove it"));
    }
    let one = |node: &Node<'_>| {
        let points = number(node, NumberBound::AtLeast(0.0))?;
        Score::new(points).ok_or_else(|| node.must_be("a number of points"))
    };
    if !matches!(node.raw.value, Value::Sequence(_)) {
        let score = one(node)?;
        return Ok(ScoreRange { from: score, to: score });
    }
    let items: Vec<Node<'_>> = node.items("scores")?.collect();
    let [from, to] = &items[..] else {
        let help = "write one score, or the least and the greatest: [30, 50]";
        return Err(node.error(format!("`score` has {} numbers", items.len()), help));
    };
    let [from, to] = [one(from), one(to)];
    let range = ScoreRange { from: from?, to: to? };
    if range.from > range.to {
        let message = format!("no score is from {} to {}", range.from, range.to);
        return Err(node.error(message, "write the smaller one first"));
    }
    Ok(range)
}

fn read_use_for_time_limit(node: &Node<'_>) -> ParseResult<UseForTimeLimit> {
    match node.word() {
        "true" | "True" | "TRUE" => Ok(UseForTimeLimit::AsExpected),
        "false" | "False" | "FALSE" => Ok(UseForTimeLimit::Never),
        "lower" => Ok(UseForTimeLimit::Lower),
        "upper" => Ok(UseForTimeLimit::Upper),
        _ => Err(node.must_be("`true`, `false`, `lower` or `upper`")),
    }
}

fn read_verdicts(node: &Node<'_>) -> ParseResult<Vec<Verdict>> {
    // Reads all items before it fails, so that each fault is reported.
    let read: Vec<_> =
        node.items("a sequence of verdicts")?.map(|item| read_verdict(&item)).collect();
    let mut verdicts: Vec<Verdict> = Vec::new();
    for verdict in read {
        let verdict = verdict?;
        verdicts.extend((!verdicts.contains(&verdict)).then_some(verdict));
    }
    if verdicts.is_empty() {
        let message = format!("`{}` names no verdict, so no submission can meet it", node.path);
        let help = "name at least one of AC, WA, TLE, RTE, or remove the line";
        return Err(node.error(message, help));
    }
    Ok(verdicts)
}

/// The verdict that judges call by this word; the format has only four.
pub(super) fn parse_verdict_word(word: &str) -> Option<Verdict> {
    Some(match word.to_uppercase().replace(['-', ' '], "_").as_str() {
        "AC" | "ACCEPTED" | "CORRECT" => Verdict::Accepted,
        "WA" | "WRONG_ANSWER" | "WRONGANSWER" | "NO_OUTPUT" => Verdict::WrongAnswer,
        "TLE" | "TIMELIMIT" | "TIME_LIMIT" | "TIMELIMIT_EXCEEDED" | "TIME_LIMIT_EXCEEDED" => {
            Verdict::TimeLimitExceeded
        }
        "RTE"
        | "RE"
        | "RUN_ERROR"
        | "RUNTIME_ERROR"
        | "RUN_TIME_ERROR"
        | "MLE"
        | "MEMORY_LIMIT"
        | "MEMORY_LIMIT_EXCEEDED"
        | "OLE"
        | "OUTPUT_LIMIT"
        | "OUTPUT_LIMIT_EXCEEDED" => Verdict::RunTimeError,
        _ => return None,
    })
}

/// A verdict of the format. Words of other judges are accepted with a warning, because other tools of the format do
/// not know them.
fn read_verdict(node: &Node<'_>) -> ParseResult<Verdict> {
    let word = text(node)?;
    let lower = word.to_lowercase();
    if let Some("ce" | "compile" | "compiler") = lower.split(['-', '_', ' ']).next() {
        let message = "a compile error cannot be expected";
        return Err(node.error(message, "write AC, WA, TLE or RTE"));
    }
    let Some(verdict) = parse_verdict_word(&word) else {
        let message = format!("`{}` is not a verdict", excerpt(&word));
        return Err(node.unknown_word(message, &["AC", "WA", "TLE", "RTE"]));
    };
    let known = verdict.short();
    if word != known {
        let message =
            format!("`{}` is not a verdict of the format; it counts as {known}", excerpt(&word));
        node.warning(message, format!("write {known}"));
    }
    Ok(verdict)
}
