//! `submissions/`: the example submissions and their expectations.
//!
//! Source: problem package format 2025-09 and legacy, "Example submissions".

use std::collections::HashMap;

use crate::package::files::{PackageEntry, is_inside};
use crate::package::kattis::submissions_yaml::{self, CaseRule, SubmissionRule};
use crate::package::kattis::{PackageReader, programs, tags};
use crate::package::node::SettingsFile;
use crate::package::suggest::{did_you_mean, did_you_mean_or, meant};
use crate::package::text::excerpt;
use crate::package::yaml;
use juror_core::pattern::Pattern;
use juror_core::program::{IncludedFile, Program, ProgramKind};
use juror_core::submission::{Expectation, OverallExpectation, Submission};
use juror_core::test_data::TestData;
use juror_core::verdict::Verdict;

/// The default expectation for the submissions in a directory of this name.
pub(in crate::package) struct SubmissionFolder {
    pub name: &'static str,
    pub permitted: Option<&'static [Verdict]>,
    pub required: Option<&'static [Verdict]>,
    /// The verdict as a whole, and whether the score must be below the best.
    pub overall: Option<(Verdict, bool)>,
}

/// A folder with verdicts on single test cases.
pub(super) const fn folder(
    name: &'static str,
    permitted: Option<&'static [Verdict]>,
    required: Option<&'static [Verdict]>,
) -> SubmissionFolder {
    SubmissionFolder { name, permitted, required, overall: None }
}

pub(super) fn read(
    pack: &PackageReader<'_>,
    include: &[IncludedFile],
    test_data: &TestData,
) -> Vec<Submission> {
    let items = submission_items(pack);
    let file = pack
        .tree
        .file("submissions/submissions.yaml")
        .filter(|_| pack.version.has_submissions_yaml);
    let file = file.and_then(|item| SettingsFile::read(&item.path, pack.faults, yaml::parse));
    let rules =
        file.iter().flat_map(|file| submissions_yaml::read(pack, &file.root())).collect::<Vec<_>>();
    check_patterns(pack, &rules, &items, test_data);
    let submissions: Vec<Submission> =
        items.iter().map(|item| read_submission(pack, item, &rules, include)).collect();
    check_folder_expectations(pack, &submissions);
    if !submissions.iter().any(|submission| submission.name.starts_with("accepted/")) {
        let path = pack.tree.path("submissions/accepted");
        let message = "has no submission: at least one accepted solution is required";
        pack.faults.publishing_error(path, message, "add a correct solution");
    } else if pack.version.is_strict {
        check_lower_bound(pack, &submissions, test_data);
    }
    if pack.version.is_strict {
        check_names(pack, &items);
    }
    submissions
}

/// The name of a submission: its path below `submissions/`.
fn submission_name(item: &PackageEntry) -> &str {
    item.name.strip_prefix("submissions/").unwrap_or(&item.name)
}

fn submission_items<'t>(pack: &PackageReader<'t>) -> Vec<&'t PackageEntry> {
    let PackageReader { tree, faults, .. } = *pack;
    let mut items = Vec::new();
    for directory in tree.children("submissions") {
        let name = directory.base_name();
        if directory.is_file() {
            if name != "submissions.yaml" && !programs::is_readme(directory) {
                let otherwise = "submissions belong in directories such as submissions/accepted";
                let help = did_you_mean_or(name, ["submissions.yaml"], otherwise);
                faults.warning(directory, "is ignored: it is not a submission", help);
            }
            continue;
        }
        for item in tree.children(&directory.name) {
            let is_build_product =
                || !pack.version.is_strict && programs::is_build_product(tree, item);
            let is_no_submission = if pack.yaml.problem_type.includes("submit-answer") {
                // Answers may have any ending.
                programs::is_readme(item)
            } else {
                programs::is_not_program(item) || is_build_product()
            };
            if item.is_directory() && !tree.below(&item.name).iter().any(PackageEntry::is_file) {
                faults.publishing_error(
                    item,
                    "is a submission without files",
                    "fill it or remove it",
                );
            } else if is_no_submission {
                let message = "is ignored: it is not a submission";
                faults.warning(item, message, "remove it or move it elsewhere");
            } else {
                items.push(item);
            }
        }
    }
    items
}

fn read_submission(
    pack: &PackageReader<'_>,
    item: &PackageEntry,
    rules: &[SubmissionRule<'_>],
    include: &[IncludedFile],
) -> Submission {
    let name = submission_name(item);
    let directory = name.split('/').next().unwrap_or_default();
    let default = pack.version.submissions.iter().find(|default| default.name == directory);
    let mut expectations = Vec::new();
    if let Some(default) = default {
        let replacing = rules.iter().find(|rule| rule.pattern.as_str() == default.name);
        expectations.push(default_expectation(default, replacing));
    }
    let mut program = if pack.yaml.problem_type.includes("submit-answer") {
        pack.new_program(item, ProgramKind::Answers)
    } else {
        Program { include: include.to_vec(), ..pack.new_program(item, ProgramKind::Submission) }
    };
    for rule in rules.iter().filter(|rule| rule.pattern.matches(name)) {
        let replaces_default = default.is_some_and(|default| default.name == rule.pattern.as_str());
        expectations.extend(rule.expectation.clone().filter(|_| !replaces_default));
        expectations.extend(rule.case_rules.iter().filter_map(|some| some.expectation.clone()));
        program.language = rule.language.clone().or(program.language);
        program.entry_point = rule.entry_point.clone().or(program.entry_point);
    }
    if expectations.is_empty() && !pack.version.is_strict {
        expectations = tags::expectations(pack.tree, item);
    }
    Submission { name: name.to_owned(), program, expectations }
}

/// A rule for the directory itself replaces the default; keys that it lacks keep their default.
fn default_expectation(
    default: &SubmissionFolder,
    replacing: Option<&SubmissionRule<'_>>,
) -> Expectation {
    let expectation = replacing.and_then(|rule| rule.expectation.clone()).unwrap_or_default();
    let overall =
        |(verdict, is_partial)| OverallExpectation { verdicts: vec![verdict], is_partial };
    Expectation {
        pattern: default.name.to_owned(),
        permitted: expectation.permitted.or(default.permitted.map(<[Verdict]>::to_vec)),
        required: expectation.required.or(default.required.map(<[Verdict]>::to_vec)),
        overall: default.overall.map(overall),
        ..expectation
    }
}

fn check_patterns(
    pack: &PackageReader<'_>,
    rules: &[SubmissionRule<'_>],
    items: &[&PackageEntry],
    data: &TestData,
) {
    let names: Vec<&str> = items.iter().map(|item| submission_name(item)).collect();
    let directories = pack.version.submissions.iter().map(|default| default.name);
    let has_score =
        |some: &CaseRule<'_>| some.expectation.as_ref().is_some_and(|rule| rule.score.is_some());
    let groups = data.groups.iter().filter(|group| group.scoring.is_some());
    let scored = groups.map(|group| group.name.as_str());
    let scored = scored.chain(data.static_cases.iter().map(|case| case.test_case.name.as_str()));
    for rule in rules {
        if rule.node.has_max_errors() {
            return;
        }
        let pattern = rule.pattern.as_str();
        let is_default = directories.clone().any(|name| name == pattern);
        if !is_default && !names.iter().any(|name| rule.pattern.matches(name)) {
            let same_base = names.iter().copied().find(|name| {
                name.ends_with(&format!("/{pattern}")) || pattern.starts_with(&format!("{name}/"))
            });
            let known = names.iter().copied().chain(directories.clone());
            let otherwise = "patterns are relative to submissions/, such as `wrong_answer/*.py`";
            let help =
                same_base.map_or_else(|| did_you_mean_or(pattern, known, otherwise), did_you_mean);
            rule.node
                .at_key()
                .warning(format!("`{}` matches no submission", excerpt(pattern)), help);
        }
        for some in &rule.case_rules {
            let pattern = some.cases.as_str();
            let is_used = data.cases.iter().any(|case| some.cases.matches(&case.name));
            if is_used
                && has_score(some)
                && !scored.clone().any(|name| some.cases.matches_itself(name))
            {
                let message = format!("`{}` does not name a group with a score", excerpt(pattern));
                let help = did_you_mean_or(
                    pattern,
                    scored.clone(),
                    "`score` is for `secret` and its groups",
                );
                some.node.at_key().warning(message, help);
            }
            if is_used || data.cases.is_empty() {
                continue;
            }
            let known = data.groups.iter().map(|group| group.name.as_str());
            let known = known.chain(data.cases.iter().map(|case| case.name.as_str()));
            let known =
                known.chain(submissions_yaml::RULE_KEYS.split(' ')).chain(["sample", "secret"]);
            let otherwise = "patterns of test cases are relative to data/, without extension, such as `secret/*-easy`";
            let help = did_you_mean_or(pattern, known, otherwise);
            some.node
                .at_key()
                .warning(format!("`{}` matches no test case", excerpt(pattern)), help);
        }
    }
}

/// Warns of folders whose submissions have no expectations.
fn check_folder_expectations(pack: &PackageReader<'_>, submissions: &[Submission]) {
    for directory in pack.tree.children("submissions").filter(|item| item.is_directory()) {
        let name = directory.base_name();
        let mut inside = submissions.iter().filter(|one| is_inside(&one.name, name)).peekable();
        if inside.peek().is_none() || !inside.all(|submission| submission.expectations.is_empty()) {
            continue;
        }
        let help = match (pack.version.has_submissions_yaml, name) {
            (true, "partially_accepted") => {
                "add a line such as `partially_accepted: {score: [1, 99]}` to submissions/submissions.yaml"
                    .to_owned()
            }
            (has_rules, _) => {
                let otherwise = if has_rules {
format!(
                        "add `{name}:` with `permitted` or `required` to submissions/submissions.yaml"
                    )
} else {
"move the submissions to a folder of the format".to_owned()
};
                let known = pack.version.submissions.iter().map(|default| default.name);
                folder_meant(name, known).map_or(otherwise, did_you_mean)
            }
        };
        pack.faults.warning(directory, "this folder has no default expectations", help);
    }
}

/// The folder of the format that this name probably stands for.
fn folder_meant<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    const USUAL: [(&str, &str); 5] = [
        ("slow", "time_limit_exceeded"),
        ("timeout", "time_limit_exceeded"),
        ("mle", "run_time_error"),
        ("crash", "run_time_error"),
        ("correct", "accepted"),
    ];
    let usual = USUAL.iter().find(|(usual, _)| name.eq_ignore_ascii_case(usual));
    let usual = usual.and_then(|(_, folder)| known.clone().find(|name| name == folder));
    usual.or_else(|| meant(name, known))
}

/// Reports programs of the same kind with the same name, which "Programs" forbids.
fn check_names(pack: &PackageReader<'_>, items: &[&PackageEntry]) {
    let mut known: HashMap<&str, &PackageEntry> = HashMap::new();
    for item in items {
        let first = *known.entry(item.base_name()).or_insert(item);
        if first.name != item.name {
            let message = format!("has the same name as {}", submission_name(first));
            let help = "rename one of them: the format requires unique names of submissions";
            pack.faults.warning(*item, message, help);
        }
    }
}

/// Reports that no submission shows how slow a right solution may be. The format requires one even if the package sets
/// a time limit.
///
/// Source: problem package format 2025-09, "Timelimit inference".
fn check_lower_bound(pack: &PackageReader<'_>, submissions: &[Submission], test_data: &TestData) {
    let is_about_some = |expectation: &Expectation| {
        let pattern = expectation.cases.as_ref();
        let pattern = pattern.and_then(|pattern| Pattern::parse(pattern).ok());
        pattern.is_none_or(|pattern| test_data.cases.iter().any(|case| pattern.matches(&case.name)))
    };
    let mut expectations = submissions.iter().flat_map(|submission| &submission.expectations);
    let is_bounded = expectations.any(|rule| rule.is_lower_bound() && is_about_some(rule));
    if !is_bounded && !test_data.cases.is_empty() {
        let message = "no submission bounds the time limit from below";
        let help = "let an accepted submission be used for it: remove its `use_for_time_limit: false`, or `TLE` from `permitted`";
        pack.faults.publishing_error(pack.tree.path("submissions/submissions.yaml"), message, help);
    }
}
