//! `submissions/`: the example submissions and what is expected of each.
//!
//! Source: problem package format 2025-09, "Example submissions".

use crate::model::diagnostic::{Diagnostic, Place};
use crate::model::pattern::Pattern;
use crate::model::program::{Constant, IncludedFile, Program, ProgramKind};
use crate::model::submission::{Expectation, Submission, UseForTimeLimit};
use crate::model::test_data::TestData;
use crate::model::verdict::Verdict::{
    self, Accepted, RunTimeError, TimeLimitExceeded, WrongAnswer,
};
use crate::package::files::{Item, Tree};
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::kattis_2025_09::programs;
use crate::package::kattis_2025_09::submissions_yaml::{self, Conditions, Rule};
use crate::package::suggest::nearest;
use crate::package::text::{Remarks, TextFile, shown};

/// What the format expects of the submissions in a directory of this name.
struct DefaultDirectory {
    name: &'static str,
    permitted: Option<&'static [Verdict]>,
    required: Option<&'static [Verdict]>,
}

const DEFAULT_DIRECTORIES: [DefaultDirectory; 6] = [
    DefaultDirectory { name: "accepted", permitted: Some(&[Accepted]), required: None },
    DefaultDirectory {
        name: "rejected",
        permitted: None,
        required: Some(&[RunTimeError, TimeLimitExceeded, WrongAnswer]),
    },
    DefaultDirectory {
        name: "wrong_answer",
        permitted: Some(&[Accepted, WrongAnswer]),
        required: Some(&[WrongAnswer]),
    },
    DefaultDirectory {
        name: "time_limit_exceeded",
        permitted: Some(&[Accepted, TimeLimitExceeded]),
        required: Some(&[TimeLimitExceeded]),
    },
    DefaultDirectory {
        name: "run_time_error",
        permitted: Some(&[Accepted, RunTimeError]),
        required: Some(&[RunTimeError]),
    },
    DefaultDirectory {
        name: "brute_force",
        permitted: Some(&[Accepted, RunTimeError, TimeLimitExceeded]),
        required: Some(&[RunTimeError, TimeLimitExceeded]),
    },
];

/// What is known of the package when its submissions are read.
pub(super) struct Surroundings<'a> {
    pub tree: &'a Tree,
    pub problem_type: &'a ProblemType,
    pub constants: &'a [Constant],
    pub include: &'a [IncludedFile],
    pub test_data: &'a TestData,
}

/// Reads the submissions, by name.
pub(super) fn read(
    around: &Surroundings<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Submission> {
    let items = items(around.tree, diagnostics);
    let file = around.tree.file("submissions/submissions.yaml");
    let file = file.and_then(|item| TextFile::read(&item.path, diagnostics));
    let rules = match &file {
        None => Vec::new(),
        Some(file) => {
            let mut remarks = Remarks::new(file, diagnostics);
            let rules = submissions_yaml::read(around.problem_type, &mut remarks);
            check_patterns(&rules, &items, around.test_data, &mut remarks);
            rules
        }
    };
    let submissions: Vec<Submission> =
        items.iter().map(|item| submission(item, &rules, around, diagnostics)).collect();
    check_directories(around.tree, &submissions, diagnostics);
    if !submissions.iter().any(|submission| submission.name.starts_with("accepted/")) {
        let path = around.tree.path("submissions/accepted");
        let message = "has no submission: at least one accepted solution is required";
        diagnostics.push(Diagnostic::error(path, message).help("add a correct solution"));
    }
    check_names(&items, diagnostics);
    check_lower_bound(around, &submissions, diagnostics);
    submissions
}

/// The name of a submission: its path below `submissions/`.
fn submission_name(item: &Item) -> &str {
    item.name.strip_prefix("submissions/").unwrap_or(&item.name)
}

/// The files and directories that are submissions.
fn items<'t>(tree: &'t Tree, diagnostics: &mut Vec<Diagnostic>) -> Vec<&'t Item> {
    let mut items = Vec::new();
    for directory in tree.children("submissions") {
        let name = directory.base_name();
        if directory.is_file() {
            if name != "submissions.yaml" && !name.starts_with("README") {
                let help = match nearest(name, ["submissions.yaml"]) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => {
                        "submissions stand in directories such as submissions/accepted".to_owned()
                    }
                };
                diagnostics.push(
                    Diagnostic::warning(&directory.path, "is ignored: it is no submission")
                        .help(help),
                );
            }
            continue;
        }
        for item in tree.children(&directory.name) {
            let is_empty = item.is_directory() && !tree.below(&item.name).iter().any(Item::is_file);
            if programs::is_no_program(item) {
                let message = "is ignored: it is no submission";
                diagnostics.push(
                    Diagnostic::warning(&item.path, message).help("remove it or move it elsewhere"),
                );
            } else if is_empty {
                let message = "is a submission without files";
                diagnostics
                    .push(Diagnostic::error(&item.path, message).help("fill it or remove it"));
            } else {
                items.push(item);
            }
        }
    }
    items
}

fn submission(
    item: &Item,
    rules: &[Rule],
    around: &Surroundings<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Submission {
    let name = submission_name(item);
    let directory = name.split('/').next().unwrap_or_default();
    let default = DEFAULT_DIRECTORIES.iter().find(|default| default.name == directory);
    let mut expectations = Vec::new();
    if let Some(default) = default {
        let replacing = rules.iter().find(|rule| rule.pattern.as_str() == default.name);
        expectations.push(default_expectation(default, replacing));
    }
    let mut program = Program {
        include: around.include.to_vec(),
        ..programs::program(item, ProgramKind::Submission, around.constants)
    };
    for rule in rules.iter().filter(|rule| rule.pattern.matches(name)) {
        let pattern = rule.pattern.as_str();
        let replaces_default = default.is_some_and(|default| default.name == pattern);
        if !replaces_default && !rule.all.is_empty() {
            expectations.push(expectation(pattern, None, &rule.all));
        }
        let some = rule.some.iter().filter(|some| !some.conditions.is_empty());
        expectations
            .extend(some.map(|some| expectation(pattern, Some(&some.cases), &some.conditions)));
        for (what, old, new) in [
            ("language", &mut program.language, &rule.language),
            ("entrypoint", &mut program.entry_point, &rule.entry_point),
        ] {
            diagnostics.extend(set_once(
                Setting { what, submission: name, place: &rule.all.place },
                old,
                new.as_ref(),
            ));
        }
    }
    Submission { name: name.to_owned(), program, expectations }
}

/// A value that at most one rule may set for a submission.
struct Setting<'a> {
    what: &'a str,
    submission: &'a str,
    place: &'a Place,
}

fn set_once(
    setting: Setting<'_>,
    old: &mut Option<String>,
    new: Option<&String>,
) -> Option<Diagnostic> {
    let new = new?;
    match old {
        Some(old) if old != new => {
            let Setting { what, submission, place } = setting;
            let message = format!(
                "`{what}` of {submission} is `{}` here, but `{}` by a rule above",
                shown(new),
                shown(old)
            );
            let mut diagnostic =
                Diagnostic::error(&place.path, message).help("let only one rule say it");
            diagnostic.place = place.clone();
            Some(diagnostic)
        }
        _ => {
            *old = Some(new.clone());
            None
        }
    }
}

fn expectation(pattern: &str, cases: Option<&Pattern>, conditions: &Conditions) -> Expectation {
    Expectation {
        pattern: pattern.to_owned(),
        cases: cases.map(ToString::to_string),
        permitted: conditions.permitted.clone(),
        required: conditions.required.clone(),
        message: conditions.message.clone(),
        score: conditions.score,
        use_for_time_limit: conditions.use_for_time_limit.unwrap_or_default(),
        place: Some(conditions.place.clone()),
    }
}

/// A rule for the directory itself replaces the default; what it does not say is inherited.
fn default_expectation(default: &DefaultDirectory, replacing: Option<&Rule>) -> Expectation {
    let conditions = replacing.map(|rule| &rule.all).filter(|all| !all.is_empty());
    let permitted = conditions.and_then(|conditions| conditions.permitted.clone());
    let required = conditions.and_then(|conditions| conditions.required.clone());
    Expectation {
        pattern: default.name.to_owned(),
        cases: None,
        permitted: permitted.or(default.permitted.map(<[Verdict]>::to_vec)),
        required: required.or(default.required.map(<[Verdict]>::to_vec)),
        message: conditions.and_then(|conditions| conditions.message.clone()),
        score: conditions.and_then(|conditions| conditions.score),
        use_for_time_limit: conditions
            .and_then(|conditions| conditions.use_for_time_limit)
            .unwrap_or(UseForTimeLimit::AsExpected),
        place: conditions.map(|conditions| conditions.place.clone()),
    }
}

/// Doubts patterns that match nothing.
fn check_patterns(rules: &[Rule], items: &[&Item], data: &TestData, remarks: &mut Remarks<'_>) {
    let names: Vec<&str> = items.iter().map(|item| submission_name(item)).collect();
    let directories = DEFAULT_DIRECTORIES.iter().map(|default| default.name);
    for rule in rules {
        if remarks.is_full() {
            return;
        }
        let pattern = rule.pattern.as_str();
        let is_default = DEFAULT_DIRECTORIES.iter().any(|default| default.name == pattern);
        if !is_default && !names.iter().any(|name| rule.pattern.matches(name)) {
            let same_base = names.iter().copied().find(|name| {
                name.ends_with(&format!("/{pattern}")) || pattern.starts_with(&format!("{name}/"))
            });
            let meant = same_base
                .or_else(|| nearest(pattern, names.iter().copied().chain(directories.clone())));
            let help = match meant {
                Some(name) => format!("did you mean `{name}`?"),
                None => {
                    "patterns are relative to submissions/, such as `wrong_answer/*.py`".to_owned()
                }
            };
            let message = format!("`{}` matches no submission", shown(pattern));
            remarks.warning(rule.range, message, Some(&help));
        }
        for some in &rule.some {
            check_case_pattern(some, data, remarks);
            check_scored_pattern(some, data, remarks);
        }
    }
}

fn check_case_pattern(
    some: &submissions_yaml::CaseRule,
    data: &TestData,
    remarks: &mut Remarks<'_>,
) {
    if data.cases.is_empty() || data.cases.iter().any(|case| some.cases.matches(&case.name)) {
        return;
    }
    let pattern = some.cases.as_str();
    let groups = data.groups.iter().map(|group| group.name.as_str());
    let groups = groups.chain(["sample", "secret"]);
    let known = groups.chain(data.cases.iter().map(|case| case.name.as_str()));
    let keys = [
        "permitted",
        "required",
        "score",
        "message",
        "use_for_time_limit",
        "language",
        "entrypoint",
        "authors",
        "model_solution",
    ];
    let help = match nearest(pattern, known.chain(keys)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "patterns of test cases are relative to data/ and without extension, such as `secret/*-easy`".to_owned(),
    };
    remarks.warning(some.range, format!("`{}` matches no test case", shown(pattern)), Some(&help));
}

/// A score is expected of groups: of `secret`, and of those in it.
fn check_scored_pattern(
    some: &submissions_yaml::CaseRule,
    data: &TestData,
    remarks: &mut Remarks<'_>,
) {
    if some.conditions.score.is_none() {
        return;
    }
    let mut scored = data.groups.iter().filter(|group| group.scoring.is_some());
    if scored.clone().next().is_none() || scored.any(|group| some.cases.is_name(&group.name)) {
        return;
    }
    let names = scored_names(data);
    let message = format!(
        "`score` is expected of no test data group that has one: `{}`",
        shown(some.cases.as_str())
    );
    let help = format!("only groups have scores that can be expected: {names}");
    remarks.error(some.range, message, Some(&help));
}

fn scored_names(data: &TestData) -> String {
    let scored = data.groups.iter().filter(|group| group.scoring.is_some());
    let names: Vec<&str> = scored.map(|group| group.name.as_str()).collect();
    names.join(", ")
}

/// Doubts directories of which nothing is expected.
fn check_directories(tree: &Tree, submissions: &[Submission], diagnostics: &mut Vec<Diagnostic>) {
    for directory in tree.children("submissions").filter(|item| item.is_directory()) {
        let prefix = format!("{}/", directory.base_name());
        let mut inside =
            submissions.iter().filter(|submission| submission.name.starts_with(&prefix)).peekable();
        if inside.peek().is_some() && inside.all(|submission| submission.expectations.is_empty()) {
            let message = "nothing is expected of the submissions in here";
            let help = match nearest(
                directory.base_name(),
                DEFAULT_DIRECTORIES.iter().map(|default| default.name),
            ) {
                Some(known) => format!("did you mean `{known}`?"),
                None if directory.base_name() == "partially_accepted" => {
                    "format 2025-09 has no such directory; say in submissions/submissions.yaml what is \
                     expected: `partially_accepted: {score: [1, 99]}`"
                        .to_owned()
                }
                None => format!(
                    "add `{}:` with `permitted` or `required` to submissions/submissions.yaml",
                    directory.base_name()
                ),
            };
            diagnostics.push(Diagnostic::warning(&directory.path, message).help(help));
        }
    }
}

/// Two programs of the same kind must not have the same name, "Programs" says.
fn check_names(items: &[&Item], diagnostics: &mut Vec<Diagnostic>) {
    for (at, item) in items.iter().enumerate() {
        if let Some(first) = items[..at].iter().find(|first| first.base_name() == item.base_name())
        {
            let message = format!("has the same name as {}", submission_name(first));
            let help =
                "rename one of them: the format wants every submission to have a name of its own";
            diagnostics.push(Diagnostic::warning(&item.path, message).help(help));
        }
    }
}

/// Reports that no submission says how slow a right solution may be: the format requires that even where the
/// package sets a time limit.
///
/// Source: problem package format 2025-09, "Timelimit inference".
fn check_lower_bound(
    around: &Surroundings<'_>,
    submissions: &[Submission],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let cases = &around.test_data.cases;
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
        let path = around.tree.path("submissions/submissions.yaml");
        diagnostics.push(Diagnostic::error(path, message).help(help));
    }
}
