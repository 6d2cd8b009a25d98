//! Compares two problems as lists of facts. Places and names in facts are those of the new package.
//!
//! Facts are the keys of the serialized problem, so that no field is forgotten, and a file that only moves is no loss.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use crate::convert::{FactMap, scores};
use juror_core::check::options::{comparison_name, is_of_validator};
use juror_core::grader::{Grader, Graders, VerdictMode};
use juror_core::judgement::JudgeError;
use juror_core::language::table::{LIBRARY_CHECKER_CODE, Language};
use juror_core::limits::{
    PROGRAM_MEMORY, PROGRAM_TIME, ProblemLimits, SUBMISSION_CODE, SUBMISSION_OUTPUT,
};
use juror_core::problem::Problem;
use juror_core::program::Program;
use juror_core::protocol::Protocol;
use juror_core::submission::{Expectation, OverallExpectation, UseForTimeLimit};
use juror_core::test_data::ValidatorArgs;
use juror_core::verdict::Verdict;
use juror_packages::package::conversion::Loss;
use juror_packages::package::convert::cases::NameMap;
use juror_packages::package::convert::settings::{SETTINGS, judged_languages};
use juror_packages::package::convert::submissions::EXPECTED_VERDICTS;
use juror_packages::package::convert::{Losses, PlannedPackage};

/// The losses that the plan knows, and the facts that the new package lacks.
pub fn losses(plan: PlannedPackage, old: &Problem, new: &Problem) -> Result<Vec<Loss>, JudgeError> {
    let names = NameMap { root: &old.dir, new_names: Some((&plan.names, &plan.cases)) };
    let mut old_facts = Facts::collect(old, &names)?;
    let new_names = NameMap { root: &new.dir, new_names: None };
    let mut new_facts = Facts::collect(new, &new_names)?;
    scores::add_score_facts(
        [&without_lost_requirements(old, new, &names), new],
        &names,
        [&mut old_facts, &mut new_facts].map(|facts| &mut facts.entries),
    );
    let mut lost = plan.losses;
    add_differences(&old_facts, &new_facts, &mut lost);
    Ok(lost.into_losses())
}

/// The plan names the groups that a group no longer needs, so scores are compared without these.
fn without_lost_requirements(old: &Problem, new: &Problem, names: &NameMap<'_>) -> Problem {
    let mut old = old.clone();
    for group in &mut old.test_data.groups {
        let name = names.case(&group.name);
        let new = new.test_data.groups.iter().find(|new| new.name == name);
        let kept = new.and_then(|new| Some(&new.scoring.as_ref()?.require_pass));
        if let Some(scoring) = &mut group.scoring {
            let is_kept = |name: &String| kept.is_some_and(|kept| kept.contains(&names.case(name)));
            scoring.require_pass.retain(is_kept);
        }
    }
    old
}

struct Facts<'a> {
    names: &'a NameMap<'a>,
    entries: FactMap,
    case_order: Vec<String>,
}

/// Parts of a problem, and their names in facts, if these are others.
const LABELS: [(&str, &str); 14] = [
    ("kind", ""),
    ("test_data", ""),
    ("graders", ""),
    ("objective", "best score"),
    ("custom", "grader"),
    ("cases", "test case"),
    ("output_trials", "test of the checker"),
    ("include", "included file"),
    ("defines", "defined names"),
    ("expectations", "expected"),
    ("permitted", "on each test case"),
    ("required", "on some test case"),
    ("overall", "as a whole"),
    ("is_partial", "without the best score"),
];

/// A fact with many rules, which are too long to show.
const CASE_RULES: &str = "rules about single test cases";

/// Facts with these values are left out.
const DEFAULTS: [(&str, &str); 4] = [
    ("objective", "max"),
    ("use_for_time_limit", "as-expected"),
    ("input_protocol", "standard"),
    ("output_protocol", "standard"),
];

fn label(key: &str) -> &str {
    LABELS.iter().find(|(known, _)| *known == key).map_or(key, |(_, label)| label)
}

impl<'a> Facts<'a> {
    fn collect(problem: &Problem, names: &'a NameMap<'a>) -> Result<Self, JudgeError> {
        let order = problem.test_data.cases.iter().map(|case| names.case(&case.name)).collect();
        let mut facts = Self { names, entries: FactMap::new(), case_order: order };
        let data = serde_json::to_value(normalize(problem, names))
            .map_err(|error| JudgeError::new("compare the two packages", error.to_string()))?;
        for (key, value) in data.as_object().into_iter().flatten() {
            let place =
                if ["io", "equivalents"].contains(&&**key) { "juror.toml" } else { SETTINGS };
            facts.add_facts(place, key, label(key), value);
        }
        Ok(facts)
    }

    fn add_facts(&mut self, place: &str, key: &str, what: &str, value: &Value) {
        if let Some(path) = file_path(value) {
            return match self.names.path(path) {
                _ if place == SETTINGS => self.add_item(self.names.place(path), what),
                name => self.add_value(place, what, name.as_deref().unwrap_or("left out")),
            };
        }
        match value {
            Value::Object(parts) => {
                let own = self.object_place(parts);
                if let Some(own) = &own {
                    self.add_item(own.clone(), what);
                }
                let (place, what) = own.as_deref().map_or((place, what), |own| (own, ""));
                for (key, value) in parts {
                    let label = label(key);
                    let is_alone = what.is_empty() || label.is_empty();
                    let dot = if is_alone { "" } else { "." };
                    self.add_facts(place, key, &format!("{what}{dot}{label}"), value);
                }
            }
            Value::Array(rules) if key == "expectations" => {
                let is_for_some = |rule: &Value| !rule["for"].is_null();
                let (some, all) = rules.iter().cloned().partition(is_for_some);
                self.add_value(place, what, &value_text(key, &Value::Array(all)));
                self.add_value(place, CASE_RULES, &value_text(key, &Value::Array(some)));
            }
            Value::Array(items) if items.iter().any(|item| self.value_place(item).is_some()) => {
                items.iter().for_each(|item| self.add_facts(place, key, what, item));
            }
            _ => self.add_value(place, what, &value_text(key, value)),
        }
    }

    /// The name becomes singular: an item of `input_validators` is an `input validator`.
    fn add_item(&mut self, place: String, what: &str) {
        self.entries.insert((place, what.trim_end_matches('s').replace('_', " ")), None);
    }

    fn add_value(&mut self, place: &str, what: &str, value: &str) {
        // The path of a program is its place, and so is the name of a test case.
        if !value.is_empty() && !["path", "name", "group"].contains(&what) {
            self.entries.insert((place.to_owned(), what.to_owned()), Some(value.to_owned()));
        }
    }

    fn value_place(&self, value: &Value) -> Option<String> {
        self.object_place(value.as_object()?)
    }

    fn object_place(&self, parts: &Map<String, Value>) -> Option<String> {
        if let Some(path) = parts.get("path").and_then(file_path) {
            return Some(self.names.place(path));
        }
        let text = |key: &str| parts.get(key)?.as_str();
        if let Some(group) = text("group") {
            return Some(format!("data/{}", self.names.case(group)));
        }
        let input = parts.get("input").and_then(file_path)?;
        let name = text("name")?;
        let place = format!("data/{}", self.names.case(name));
        // Other formats keep test cases only for validators outside of data/.
        let is_here = place.starts_with("data/invalid_") || place.starts_with("data/valid_");
        Some(if is_here || self.names.path(input).is_some() { place } else { name.to_owned() })
    }
}

fn file_path(value: &Value) -> Option<&Path> {
    value.get("file")?.as_str().map(Path::new)
}

fn value_text(key: &str, value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        Value::String(text) if DEFAULTS.contains(&(key, text)) => String::new(),
        Value::String(text) => text.clone(),
        // The order of lists of texts counts, but not that of rules or names.
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let items: BTreeSet<String> = items.iter().map(|item| value_text(key, item)).collect();
            let texts: Vec<String> = items.into_iter().filter(|item| !item.is_empty()).collect();
            texts.join("; ")
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(list_item).collect();
            items.join(" ")
        }
        Value::Object(parts) => {
            let part = |(key, value): (&String, &Value)| match (value, value_text(key, value)) {
                (Value::Bool(false), _) => None,
                (Value::Bool(true), _) => Some(label(key).to_owned()),
                (_, text) if text.is_empty() => None,
                (_, text) if ["key", "verdicts", "subject"].contains(&&**key) => Some(text),
                (_, text) => Some(format!("{} {text}", label(key))),
            };
            let parts: Vec<String> = parts.iter().filter_map(part).collect();
            parts.join(", ")
        }
    }
}

/// A value in a list: texts with whitespace are quoted.
fn list_item(value: &Value) -> String {
    let word = value_text("", value);
    if word.is_empty() || word.contains(char::is_whitespace) { format!("{word:?}") } else { word }
}

/// Removes differences between formats that do not change the meaning.
fn normalize(problem: &Problem, names: &NameMap<'_>) -> Problem {
    let mut normal = problem.clone();
    normal.languages = judged_languages(problem);
    normal.unjudged.clear();
    let limits = &mut normal.limits;
    let ProblemLimits { memory, compilation_memory, validation_memory, .. } = limits;
    for memory in [memory, compilation_memory, validation_memory] {
        memory.get_or_insert(PROGRAM_MEMORY);
    }
    limits.code.get_or_insert(SUBMISSION_CODE);
    limits.compilation_time.get_or_insert(PROGRAM_TIME);
    limits.validation_time.get_or_insert(PROGRAM_TIME);
    limits.validation_output.get_or_insert(SUBMISSION_OUTPUT);
    limits.output = (!limits.unlimited_talk).then(|| limits.output.unwrap_or(SUBMISSION_OUTPUT));
    limits.unlimited_talk = false;
    if limits.time_limit.is_some() {
        limits.time_resolution = ProblemLimits::default().time_resolution;
    }
    if normal.input_validators.is_empty() {
        normal.input_protocol = Protocol::Standard;
    }
    if normal.output_validators.is_empty() && normal.interactor.is_none() {
        normal.output_protocol = Protocol::Standard;
    }
    let (input, output) = (normal.input_protocol, normal.output_protocol);
    for program in &mut normal.input_validators {
        clear_unused(program, input);
    }
    for program in normal.output_validators.iter_mut().chain(&mut normal.interactor) {
        clear_unused(program, output);
    }
    let grader = normal.graders.as_mut().and_then(|graders| graders.custom.as_mut());
    let others = normal.answer_validators.iter_mut().chain(&mut normal.static_validator);
    let others = others.chain(&mut normal.input_visualizer).chain(&mut normal.output_visualizer);
    for program in others.chain(grader) {
        clear_unused(program, Protocol::Standard);
    }
    let needs_all = normal.graders.as_ref().is_none_or(all_must_be_accepted);
    for submission in &mut normal.submissions {
        clear_unused(&mut submission.program, Protocol::Standard);
        // The problem has them already.
        submission.program.include.clear();
        submission.program.defines.clear();
        for rule in &mut submission.expectations {
            simplify_expectation(rule, needs_all, names);
        }
    }
    for case in &mut normal.test_data.cases {
        if let ValidatorArgs::ByName(by_name) = &mut case.input_validator_args {
            by_name.retain(|(_, args)| !args.is_empty());
        }
        // The arguments before such a name say the same.
        if comparison_name(&case.output_validator_args).is_some_and(is_of_validator) {
            case.output_validator_args.pop();
        }
    }
    normal
}

/// Removes settings that have no effect on a program.
fn clear_unused(program: &mut Program, protocol: Protocol) {
    // In other formats, such a program is a directory with these files.
    if program.language.as_deref() == Some(LIBRARY_CHECKER_CODE)
        || matches!(protocol, Protocol::Cms | Protocol::Sinol)
    {
        (program.language, program.entry_point) = (None, None);
        program.include.clear();
    }
    program.include.iter_mut().for_each(|file| file.language = None);
    // Only C and C++ use the files next to a source.
    let code = Language::of_file(&program.path).filter(|_| program.path.is_file());
    if code.is_some_and(|language| !["c", "cpp"].contains(&language.code)) {
        program.include.clear();
    }
}

fn all_must_be_accepted(graders: &Graders) -> bool {
    graders.groups.iter().all(|group| match &group.grading.grader {
        Grader::Custom(_) => false,
        Grader::Default(modes) => {
            modes.verdict != VerdictMode::AlwaysAccept && !modes.accept_if_any_accepted
        }
    })
}

/// `needs_all`: a submission is accepted only if all of its cases are.
fn simplify_expectation(rule: &mut Expectation, needs_all: bool, names: &NameMap<'_>) {
    rule.cases = rule.cases.as_deref().map(|cases| names.pattern(cases));
    let right = OverallExpectation { verdicts: vec![Verdict::Accepted], is_partial: false };
    if needs_all && rule.overall.as_ref() == Some(&right) {
        (rule.overall, rule.permitted) = (None, Some(right.verdicts));
    }
    let overall = rule.overall.as_mut().map(|overall| &mut overall.verdicts);
    for verdicts in [overall, rule.permitted.as_mut(), rule.required.as_mut()] {
        verdicts.into_iter().for_each(|verdicts| verdicts.sort());
    }
    rule.permitted = rule.permitted.take().filter(|list| list.len() < EXPECTED_VERDICTS.len());
    // Such a rule has no effect.
    let expects_none =
        rule.permitted.is_none() && rule.required.is_none() && rule.overall.is_none();
    if expects_none
        && rule.score.is_none()
        && rule.message.is_none()
        && rule.use_for_time_limit == UseForTimeLimit::Never
    {
        rule.use_for_time_limit = UseForTimeLimit::AsExpected;
    }
}

/// Adds the facts that no longer hold, and those that replace them.
fn add_differences(old: &Facts<'_>, new: &Facts<'_>, lost: &mut Losses) {
    let keys: BTreeSet<&(String, String)> = old.entries.keys().chain(new.entries.keys()).collect();
    let is_changed = |key: &&(String, String)| old.entries.get(*key) != new.entries.get(*key);
    let changed: Vec<&(String, String)> = keys.into_iter().filter(is_changed).collect();
    let is_there = |key: &(String, String)| {
        [&old.entries, &new.entries].iter().any(|entries| entries.get(key) == Some(&None))
    };
    // Facts about an item that is in only one of the two problems are left out.
    let gone: BTreeSet<&String> =
        changed.iter().filter(|key| is_there(key)).map(|(place, _)| place).collect();
    for key in changed {
        let (place, what) = key;
        let [was, is] = [&old.entries, &new.entries].map(|found| found.get(key));
        if gone.contains(place) && !is_there(key) {
            continue;
        }
        if what == CASE_RULES {
            lost.add(place, CASE_RULES, is.map(|_| "other rules".to_owned()));
            continue;
        }
        let what = match was {
            Some(None) => what.clone(),
            Some(Some(was)) => format!("{what}: {was}"),
            None => format!("{what}: nothing"),
        };
        // The plan may already know the replacement of something that the problem cannot express.
        if !lost.contains(place, &what) {
            lost.add(place, what, is.map(|text| text.as_deref().unwrap_or("there").to_owned()));
        }
    }
    add_order_change(&old.case_order, &new.case_order, lost);
}

/// Names the first two test cases whose order changes.
fn add_order_change(old: &[String], new: &[String], lost: &mut Losses) {
    let places: BTreeMap<&String, usize> = new.iter().zip(0..).collect();
    let common: Vec<(&String, usize)> =
        old.iter().filter_map(|name| Some((name, *places.get(name)?))).collect();
    if let Some(turned) = common.windows(2).find(|pair| pair[0].1 > pair[1].1) {
        let [first, second] = [turned[0].0, turned[1].0];
        let what = format!("order of test cases: {first} before {second}");
        lost.add("data", what, Some(format!("{second} before {first}")));
    }
}
