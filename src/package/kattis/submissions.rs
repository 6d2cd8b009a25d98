//! `submissions/`: the example submissions and what is expected of each.
//!
//! Source: problem package format 2025-09, "Example submissions".

use crate::model::pattern::Pattern;
use crate::model::program::{IncludedFile, Program, ProgramKind};
use crate::model::submission::{Expectation, Submission};
use crate::model::test_data::TestData;
use crate::model::verdict::Verdict;
use crate::package::files::{Item, is_inside};
use crate::package::kattis::submissions_yaml::{self, CaseRule, Rule};
use crate::package::kattis::{Pack, programs};
use crate::package::node::Node;
use crate::package::suggest::{did_you_mean, list, meant_or};
use crate::package::text::{Page, TextFile, shown};
use crate::package::yaml::{self, Parsed};

/// What a version expects of the submissions in a directory of this name.
pub(super) struct Folder {
    pub name: &'static str,
    pub permitted: Option<&'static [Verdict]>,
    pub required: Option<&'static [Verdict]>,
}

/// A row of such a table.
pub(super) const fn folder(
    name: &'static str,
    permitted: Option<&'static [Verdict]>,
    required: Option<&'static [Verdict]>,
) -> Folder {
    Folder { name, permitted, required }
}

/// Reads the submissions, by name.
pub(super) fn read(
    pack: &Pack<'_>,
    include: &[IncludedFile],
    test_data: &TestData,
) -> Vec<Submission> {
    let items = items(pack);
    let file = pack.tree.file("submissions/submissions.yaml");
    let file = file.and_then(|item| TextFile::read(&item.path, pack.faults));
    let page = file.as_ref().map(|file| Page { file, faults: pack.faults });
    let root = page.map(yaml::parse);
    let rules = match (page, &root) {
        (Some(page), Some(Parsed::Document(root))) => {
            let rules = submissions_yaml::read(pack, &Node::root(root, page));
            check_patterns(pack, &rules, &items, test_data, page);
            rules
        }
        _ => Vec::new(),
    };
    let submission = |item: &&Item| submission(pack, item, &rules, include);
    let submissions: Vec<Submission> = items.iter().map(submission).collect();
    check_directories(pack, &submissions);
    if !submissions.iter().any(|submission| submission.name.starts_with("accepted/")) {
        let path = pack.tree.path("submissions/accepted");
        let message = "has no submission: at least one accepted solution is required";
        pack.faults.lack(path, message, "add a correct solution");
    }
    check_names(pack, &items);
    check_lower_bound(pack, &submissions, test_data);
    submissions
}

/// The name of a submission: its path below `submissions/`.
fn submission_name(item: &Item) -> &str {
    item.name.strip_prefix("submissions/").unwrap_or(&item.name)
}

/// The files and directories that are submissions.
fn items<'t>(pack: &Pack<'t>) -> Vec<&'t Item> {
    let Pack { tree, faults, .. } = *pack;
    let mut items = Vec::new();
    for directory in tree.children("submissions") {
        let name = directory.base_name();
        if directory.is_file() {
            if name != "submissions.yaml" && !name.starts_with("README") {
                let help = meant_or(
                    name,
                    ["submissions.yaml"],
                    "submissions stand in directories such as submissions/accepted",
                );
                faults.warning(directory, "is ignored: it is not a submission", help);
            }
            continue;
        }
        for item in tree.children(&directory.name) {
            if programs::is_no_program(item) {
                let message = "is ignored: it is not a submission";
                faults.warning(item, message, "remove it or move it elsewhere");
            } else if item.is_directory() && !tree.below(&item.name).iter().any(Item::is_file) {
                faults.lack(item, "is a submission without files", "fill it or remove it");
            } else {
                items.push(item);
            }
        }
    }
    items
}

fn submission(
    pack: &Pack<'_>,
    item: &Item,
    rules: &[Rule<'_>],
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
    let mut program =
        Program { include: include.to_vec(), ..pack.program(item, ProgramKind::Submission) };
    for rule in rules.iter().filter(|rule| rule.pattern.matches(name)) {
        let replaces_default = default.is_some_and(|it| it.name == rule.pattern.as_str());
        expectations.extend(rule.all.clone().filter(|_| !replaces_default));
        expectations.extend(rule.some.iter().filter_map(|some| some.expectation.clone()));
        for (what, old, new) in [
            ("language", &mut program.language, &rule.language),
            ("entrypoint", &mut program.entry_point, &rule.entry_point),
        ] {
            match (&old, new) {
                (Some(old), Some(new)) if old != new => {
                    let message = format!(
                        "`{what}` of {name} is `{}` here, but `{}` by a rule above",
                        shown(new),
                        shown(old)
                    );
                    rule.node.key_error(message, "let only one rule say it");
                }
                (_, Some(_)) => old.clone_from(new),
                (_, None) => {}
            }
        }
    }
    Submission { name: name.to_owned(), program, expectations }
}

/// A rule for the directory itself replaces the default; what it does not say is inherited.
fn default_expectation(default: &Folder, replacing: Option<&Rule<'_>>) -> Expectation {
    let it = replacing.and_then(|rule| rule.all.clone()).unwrap_or_default();
    Expectation {
        pattern: default.name.to_owned(),
        permitted: it.permitted.or(default.permitted.map(<[Verdict]>::to_vec)),
        required: it.required.or(default.required.map(<[Verdict]>::to_vec)),
        ..it
    }
}

/// Doubts patterns that match nothing.
fn check_patterns(
    pack: &Pack<'_>,
    rules: &[Rule<'_>],
    items: &[&Item],
    data: &TestData,
    page: Page<'_>,
) {
    let names: Vec<&str> = items.iter().map(|item| submission_name(item)).collect();
    let directories = pack.version.submissions.iter().map(|default| default.name);
    for rule in rules {
        if page.is_full() {
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
            let help = same_base.map_or_else(|| meant_or(pattern, known, otherwise), did_you_mean);
            rule.node.key_warning(format!("`{}` matches no submission", shown(pattern)), help);
        }
        for some in &rule.some {
            check_case_pattern(some, data);
            check_scored_pattern(some, data);
        }
    }
}

fn check_case_pattern(some: &CaseRule<'_>, data: &TestData) {
    if data.cases.is_empty() || data.cases.iter().any(|case| some.cases.matches(&case.name)) {
        return;
    }
    let pattern = some.cases.as_str();
    let groups = data.groups.iter().map(|group| group.name.as_str());
    let groups = groups.chain(["sample", "secret"]);
    let known = groups.chain(data.cases.iter().map(|case| case.name.as_str()));
    let help = meant_or(
        pattern,
        known.chain(submissions_yaml::KEYS),
        "patterns of test cases are relative to data/ and without extension, such as `secret/*-easy`",
    );
    some.node.key_warning(format!("`{}` matches no test case", shown(pattern)), help);
}

/// A score is expected of groups: of `secret`, and of those in it.
fn check_scored_pattern(some: &CaseRule<'_>, data: &TestData) {
    let scored = data.groups.iter().filter(|group| group.scoring.is_some());
    let scored: Vec<&str> = scored.map(|group| group.name.as_str()).collect();
    if some.expectation.as_ref().is_none_or(|it| it.score.is_none())
        || scored.is_empty()
        || scored.iter().any(|name| some.cases.is_name(name))
    {
        return;
    }
    let message = format!(
        "`score` is expected of no test data group that has one: `{}`",
        shown(some.cases.as_str())
    );
    let help = format!("only groups have scores that can be expected: {}", list(scored));
    some.node.key_error(message, help);
}

/// Doubts folders without expectations.
fn check_directories(pack: &Pack<'_>, submissions: &[Submission]) {
    for directory in pack.tree.children("submissions").filter(|item| item.is_directory()) {
        let name = directory.base_name();
        let mut inside = submissions.iter().filter(|it| is_inside(&it.name, name)).peekable();
        if inside.peek().is_none() || !inside.all(|it| it.expectations.is_empty()) {
            continue;
        }
        let otherwise = match name {
            "partially_accepted" => {
                "format 2025-09 has no such directory; say in submissions/submissions.yaml what is \
                 expected: `partially_accepted: {score: [1, 99]}`"
                    .to_owned()
            }
            _ => format!(
                "add `{name}:` with `permitted` or `required` to submissions/submissions.yaml"
            ),
        };
        let known = pack.version.submissions.iter().map(|default| default.name);
        let message = "this folder has no default expectations";
        pack.faults.warning(directory, message, meant_or(name, known, otherwise));
    }
}

/// Two programs of the same kind must not have the same name, "Programs" says.
fn check_names(pack: &Pack<'_>, items: &[&Item]) {
    for (at, item) in items.iter().enumerate() {
        if let Some(first) = items[..at].iter().find(|first| first.base_name() == item.base_name())
        {
            let message = format!("has the same name as {}", submission_name(first));
            let help =
                "rename one of them: the format wants every submission to have a name of its own";
            pack.faults.warning(*item, message, help);
        }
    }
}

/// Reports that no submission says how slow a right solution may be: the format requires that even where the
/// package sets a time limit.
///
/// Source: problem package format 2025-09, "Timelimit inference".
fn check_lower_bound(pack: &Pack<'_>, submissions: &[Submission], test_data: &TestData) {
    let cases = &test_data.cases;
    let has_accepted =
        submissions.iter().any(|submission| submission.name.starts_with("accepted/"));
    let is_about_some = |expectation: &Expectation| {
        let pattern = expectation.cases.as_ref();
        let pattern = pattern.and_then(|pattern| Pattern::parse(pattern).ok());
        pattern.is_none_or(|pattern| cases.iter().any(|case| pattern.matches(&case.name)))
    };
    let mut expectations = submissions.iter().flat_map(|it| &it.expectations);
    let is_bounded = expectations.any(|it| it.is_lower_bound() && is_about_some(it));
    if has_accepted && !is_bounded && !cases.is_empty() {
        let message = "no submission bounds the time limit from below";
        let help = "let an accepted submission be used for it: take away its `use_for_time_limit: false`, or `TLE` from what it is permitted";
        pack.faults.lack(pack.tree.path("submissions/submissions.yaml"), message, help);
    }
}
