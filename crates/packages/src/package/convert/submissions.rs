//! `submissions.yaml`: expectations that the folders of the new format do not express.

use crate::package::convert::cases::NameMap;
use crate::package::convert::{Planner, is_of_library_checker, map, plain, raw, text, texts};
use crate::package::kattis::{FOLDERS, SubmissionFolder};
use crate::package::yaml::{RawValue, Value};
use crate::package::yaml_text;
use juror_core::problem::Grading;
use juror_core::score::Score;
use juror_core::submission::{
    Expectation, OverallExpectation, ScoreRange, Submission, UseForTimeLimit,
};
use juror_core::verdict::Verdict;

/// A folder without an expectation.
const MIXED_FOLDER: &str = "mixed";

/// The folder that expects what a submission of another format expects.
pub(super) fn folder_for(submission: &Submission) -> &'static str {
    let all = submission.expectations.iter().find(|rule| rule.cases.is_none());
    let Some(rule) = all else { return MIXED_FOLDER };
    let found = FOLDERS.iter().find(|folder| is_rule_of_folder(rule, folder));
    found.map_or(MIXED_FOLDER, |folder| folder.name)
}

/// Whether a submission must fail on some test case and still get points.
pub(super) fn has_some_points(submission: &Submission) -> bool {
    let rules = || submission.expectations.iter().filter(|rule| rule.cases.is_none());
    let fails = |rule: &Expectation| {
        let required = rule.required.iter().flatten();
        required.clone().count() > 0
            && required.clone().all(|verdict| *verdict != Verdict::Accepted)
    };
    let has_points = |rule: &Expectation| rule.score.is_some_and(|score| score.from > Score::ZERO);
    rules().any(fails) && rules().any(has_points)
}

fn is_rule_of_folder(rule: &Expectation, folder: &SubmissionFolder) -> bool {
    let Expectation { score, overall, message, use_for_time_limit, .. } = rule;
    rule.permitted.as_deref().map(sorted) == folder.permitted.map(sorted)
        && rule.required.as_deref().map(sorted) == folder.required.map(sorted)
        && score.is_none()
        && overall.is_none()
        && message.is_none()
        && *use_for_time_limit == UseForTimeLimit::AsExpected
}

pub const EXPECTED_VERDICTS: [Verdict; 4] =
    [Verdict::Accepted, Verdict::WrongAnswer, Verdict::TimeLimitExceeded, Verdict::RunTimeError];

fn sorted(verdicts: &[Verdict]) -> Vec<Verdict> {
    EXPECTED_VERDICTS.into_iter().filter(|verdict| verdicts.contains(verdict)).collect()
}

/// Rules by pattern of submissions, then by pattern of test cases.
type SubmissionRules = Vec<(String, Vec<(String, RawValue)>)>;

impl Planner<'_> {
    /// Writes `submissions.yaml`, if the format has it and the folders do not say everything.
    pub(super) fn write_submissions(&mut self) {
        if !self.to.is_2025_09() {
            return;
        }
        let mut rules: SubmissionRules = Vec::new();
        let mut add = |pattern: &str, key: &str, value: RawValue| {
            let index = rules.iter().position(|(known, _)| known == pattern).unwrap_or_else(|| {
                rules.push((pattern.to_owned(), Vec::new()));
                rules.len() - 1
            });
            let keys = &mut rules[index].1;
            if !keys.iter().any(|(known, _)| known == key) {
                keys.push((key.to_owned(), value));
            }
        };
        let files = self.new_names();
        let names = NameMap { root: &self.problem.dir, new_names: Some((&files, &self.cases)) };
        for submission in &self.problem.submissions {
            let name = names.path(&submission.program.path);
            let Some(name) = name.as_deref().and_then(|old| old.strip_prefix("submissions/"))
            else {
                continue;
            };
            let own_folder = name.split('/').next().unwrap_or_default();
            for rule in &submission.expectations {
                let folder = FOLDERS.iter().find(|folder| folder.name == own_folder);
                let is_said = rule.cases.is_none()
                    && folder.is_some_and(|folder| is_rule_of_folder(rule, folder));
                if is_said || asks_only_accepted(rule) && own_folder == "accepted" {
                    continue;
                }
                // A pattern of this format stays; rules from elsewhere are written for the submission itself.
                let is_pattern = rule.overall.is_none() && self.problem.layout.format == "2023-07"
                    || rule.pattern == own_folder;
                let pattern = if is_pattern { &rule.pattern } else { name };
                if asks_unknown_verdicts(rule) {
                    continue;
                }
                let keys = rule_keys(rule, self.problem.kind.grading);
                match &rule.cases {
                    _ if keys.is_empty() => {}
                    None => keys.into_iter().for_each(|(key, value)| add(pattern, key, value)),
                    Some(cases) => add(pattern, &self.cases.new_pattern(cases), map(keys)),
                }
            }
            let program = &submission.program;
            let settings = [("language", &program.language), ("entrypoint", &program.entry_point)];
            for (key, value) in settings.into_iter().filter(|_| !is_of_library_checker(program)) {
                if let Some(value) = value {
                    add(name, key, text(value));
                }
            }
        }
        if !rules.is_empty() {
            // Folders come before the files in them.
            rules.sort_by_key(|(pattern, _)| pattern.contains('/'));
            let rules = rules.into_iter().map(|(pattern, keys)| (pattern, map(keys)));
            self.write_text("submissions/submissions.yaml", yaml_text::write(&map(rules)));
        }
    }
}

/// Whether a rule asks for verdicts that the format does not have, such as CE.
fn asks_unknown_verdicts(rule: &Expectation) -> bool {
    let overall = rule.overall.as_ref().map(|overall| &overall.verdicts);
    let all = [overall, rule.required.as_ref(), rule.permitted.as_ref()];
    all.into_iter().flatten().any(|verdicts| !verdicts.is_empty() && sorted(verdicts).is_empty())
}

fn asks_only_accepted(rule: &Expectation) -> bool {
    let right = OverallExpectation { verdicts: vec![Verdict::Accepted], is_partial: false };
    rule.overall.as_ref() == Some(&right) && rule.score.is_none()
}

/// The keys for what a rule expects, or for what follows from it: the verdict as a whole is that of some test case.
fn rule_keys(rule: &Expectation, grading: Grading) -> Vec<(&'static str, RawValue)> {
    let verdicts = |verdicts: &[Verdict]| texts(sorted(verdicts).into_iter().map(Verdict::short));
    let mut keys = Vec::new();
    if let Some(OverallExpectation { verdicts: overall, is_partial }) = &rule.overall {
        let is_right = overall[..] == [Verdict::Accepted] && !is_partial;
        keys.push(("permitted", verdicts(if is_right { overall } else { &EXPECTED_VERDICTS })));
        if !overall.contains(&Verdict::Accepted) {
            keys.push(("required", verdicts(overall)));
        }
    }
    keys.extend(rule.permitted.as_ref().map(|permitted| ("permitted", verdicts(permitted))));
    keys.extend(rule.required.as_ref().map(|required| ("required", verdicts(required))));
    if let Some(ScoreRange { from, to }) = rule.score
        && grading == Grading::Scoring
        && from.points() >= 0.0
    {
        let range = || raw(Value::Sequence(vec![plain(from), plain(to)]));
        keys.push(("score", if from == to { plain(from) } else { range() }));
    }
    keys.extend(rule.message.as_ref().map(|message| ("message", text(message))));
    let for_time_limit = match rule.use_for_time_limit {
        UseForTimeLimit::AsExpected => return keys,
        UseForTimeLimit::Never => plain("false"),
        UseForTimeLimit::Lower => text("lower"),
        UseForTimeLimit::Upper => text("upper"),
    };
    if !keys.is_empty() {
        keys.push(("use_for_time_limit", for_time_limit));
    }
    keys
}
