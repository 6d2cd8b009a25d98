//! The settings of test cases and their groups: `test_group.yaml` and `.yaml` files of test cases, or `testdata.yaml`.
//!
//! In both formats, a directory inherits the settings of the one above. So a key is written only where it differs from
//! what is inherited.

use std::collections::{BTreeMap, BTreeSet};

use crate::package::convert::old_settings::read_settings;
use crate::package::convert::rules::{self, ScoredGroup, UNKNOWN_MAX_SCORE, round_near_whole};
use crate::package::convert::{Losses, Planner, TargetFormat, map, plain, text, texts};
use crate::package::text::MAX_SIZE;
use crate::package::yaml::RawValue;
use crate::package::yaml_text;
use juror_core::check::options::kattis_arguments;
use juror_core::grader::{GradedGroup, Grader, GroupGrading, OnReject};
use juror_core::problem::{Grading, Problem};
use juror_core::protocol::Protocol;
use juror_core::score::{Aggregation, Score};
use juror_core::test_data::{TestCase, ValidatorArgs};

/// Keys of the files of settings, by directory or test case below `data/`.
type SettingsFiles = BTreeMap<String, Vec<(&'static str, RawValue)>>;

#[derive(Clone, Copy, PartialEq)]
struct CaseArgs<'a> {
    submission: &'a [String],
    input: &'a ValidatorArgs,
    output: &'a [String],
}

impl<'a> CaseArgs<'a> {
    fn of(case: &'a TestCase) -> Self {
        let TestCase { args, input_validator_args, .. } = case;
        Self {
            submission: args,
            input: input_validator_args,
            output: kattis_arguments(&case.output_validator_args),
        }
    }

    fn is_empty(&self) -> bool {
        self.submission.is_empty() && !self.has_input() && self.output.is_empty()
    }

    fn has_input(&self) -> bool {
        match self.input {
            ValidatorArgs::All(args) => !args.is_empty(),
            ValidatorArgs::ByName(_) => true,
        }
    }

    fn input_args(&self, write: impl Fn(&[String]) -> RawValue) -> RawValue {
        match self.input {
            ValidatorArgs::All(args) => write(args),
            ValidatorArgs::ByName(by_name) => {
                map(by_name.iter().map(|(name, args)| (name, write(args))))
            }
        }
    }

    /// The keys of 2025-09 for arguments that differ from those of the `parent`.
    fn keys_of_2025_09(&self, parent: Option<&Self>) -> Vec<(&'static str, RawValue)> {
        let differs = |own: &[String], other: Option<&[String]>| own != other.unwrap_or_default();
        let mut keys = Vec::new();
        if differs(self.submission, parent.map(|parent| parent.submission)) {
            keys.push(("args", texts(self.submission)));
        }
        if parent.map_or(self.has_input(), |parent| self.input != parent.input) {
            keys.push(("input_validator_args", self.input_args(|args| texts(args))));
        }
        if differs(self.output, parent.map(|parent| parent.output)) {
            keys.push(("output_validator_args", texts(self.output)));
        }
        keys
    }
}

/// In legacy, a submission that is rejected as a whole has no points.
const SUM_FLAGS: &str = "first_error accept_if_any_accepted sum";

/// Keys about what people see. Those about visualizers are also in the problem.
const DISPLAY_KEYS: [&str; 5] =
    ["hint", "description", "full_feedback", "input_visualizer_args", "output_visualizer_args"];

const PROBLEM_KEYS: [&str; 5] = [
    "args",
    "input_validator_args",
    "output_validator_args",
    "input_visualizer_args",
    "output_visualizer_args",
];

impl<'a> Planner<'a> {
    pub(super) fn write_groups(&mut self) {
        let problem = self.problem;
        let mut files = SettingsFiles::new();
        let name = if self.to.is_2025_09() {
            self.add_2025_09_groups(&mut files);
            "test_group.yaml"
        } else {
            self.add_legacy_groups(problem, &mut files);
            "testdata.yaml"
        };
        for (directory, keys) in files {
            let keys = yaml_text::write(&map(keys));
            let directory = if directory.is_empty() { directory } else { directory + "/" };
            self.write_text(format!("data/{directory}{name}"), keys);
        }
    }

    fn add_2025_09_groups(&mut self, files: &mut SettingsFiles) {
        let problem = self.problem;
        let data = &problem.test_data;
        let groups = self.group_names();
        let cases = data.cases.iter().chain(data.examples());
        let named: Vec<(String, &TestCase)> =
            cases.map(|case| (self.cases.new_name(&case.name), case)).collect();
        let mut shared: BTreeMap<&str, Vec<(CaseArgs<'_>, usize)>> = BTreeMap::new();
        for (name, case) in &named {
            let args = CaseArgs::of(case);
            let counts = shared.entry(group_of(name, &groups)).or_default();
            match counts.iter_mut().find(|(known, _)| *known == args) {
                Some((_, count)) => *count += 1,
                None => counts.push((args, 1)),
            }
        }
        // The group has the arguments that most of its test cases share.
        let most = shared.into_iter().filter_map(|(group, counts)| {
            let counts =
                counts.into_iter().rev().max_by_key(|(args, count)| (*count, args.is_empty()));
            counts.map(|(args, _)| (group, args))
        });
        let shared: BTreeMap<&str, CaseArgs<'_>> = most.collect();
        for (name, case) in &named {
            let args = CaseArgs::of(case);
            let mut keys = args.keys_of_2025_09(shared.get(group_of(name, &groups)));
            keys.extend(self.hint_and_description(case));
            keys.extend(self.display_keys(&format!("data/{}.yaml", case.name)));
            if !keys.is_empty() {
                self.write_text(format!("data/{name}.yaml"), yaml_text::write(&map(keys)));
            }
        }
        for (group, args) in shared {
            let mut keys = args.keys_of_2025_09(None);
            let old = ["test_group.yaml", "testdata.yaml"].map(|own| format!("data/{group}/{own}"));
            keys.extend(old.iter().flat_map(|name| self.display_keys(name)));
            if !keys.is_empty() || groups.contains(group) {
                files.insert(group.to_owned(), keys);
            }
        }
        if problem.kind.grading == Grading::Scoring {
            self.add_2025_09_scores(&groups, files);
        }
    }

    /// The groups of the new package below `secret`, if there are scores, or arguments that differ between
    /// directories.
    fn group_names(&self) -> BTreeSet<String> {
        let problem = self.problem;
        let mut groups = BTreeSet::new();
        let mut args: Vec<CaseArgs<'_>> = Vec::new();
        for case in &problem.test_data.cases {
            let name = self.cases.new_name(&case.name);
            let Some(rest) = name.strip_prefix("secret/") else { continue };
            let Some((group, _)) = rest.split_once('/') else { return BTreeSet::new() };
            groups.insert(format!("secret/{group}"));
            args.push(CaseArgs::of(case));
        }
        let differ = args.windows(2).any(|pair| pair[0] != pair[1]);
        if differ || problem.kind.grading == Grading::Scoring { groups } else { BTreeSet::new() }
    }

    fn scored_groups(&self) -> BTreeMap<String, ScoredGroup<'a>> {
        let scored = rules::scored_groups(self.problem).into_iter();
        scored.map(|group| (self.cases.new_name(group.name), group)).collect()
    }

    fn add_2025_09_scores(&mut self, groups: &BTreeSet<String>, files: &mut SettingsFiles) {
        let scored = self.scored_groups();
        // Without a program that gives scores, each group needs a bound.
        let bound = (!rules::has_output_program(self.problem)).then_some(UNKNOWN_MAX_SCORE);
        let most = |group: &ScoredGroup<'_>| group.max_score.map(Score::points).or(bound);
        // The sum of the greatest scores of the groups, and what it gains because the format has whole ones only.
        let (mut total, mut gained) = (Some(0.0), 0.0);
        for name in groups {
            let Some(group) = scored.get(name) else { continue };
            let most = most(group);
            total = total.and_then(|total: f64| Some(total + most?));
            gained += most.map_or(0.0, |most| most.ceil() - most);
            let mut keys = score_keys(group.aggregation, most);
            // The format can ask only for groups that are passed or not.
            let is_asked = |name: &String| {
                scored.get(name).is_none_or(|scoring| scoring.aggregation == Aggregation::PassFail)
            };
            let required = group.require_pass.iter().map(|name| self.cases.new_name(name));
            let (required, lost): (Vec<String>, Vec<String>) = required.partition(is_asked);
            add_lost_requirements(name, &lost, &mut self.losses);
            if !required.is_empty() {
                keys.push(("require_pass", texts(required)));
            }
            files.entry(name.clone()).or_default().extend(keys);
        }
        let Some(secret) = scored.get("secret") else { return };
        let keys = match (groups.is_empty(), secret.aggregation) {
            (false, Aggregation::Sum | Aggregation::PassFail) => {
                // If one group has no bound, the sum has none.
                let most = total.map(|sum| secret.max_score.map_or(sum, Score::points) + gained);
                score_keys(Aggregation::Sum, most.map(round_near_whole))
            }
            (_, aggregation) => score_keys(aggregation, most(secret)),
        };
        files.entry("secret".to_owned()).or_default().extend(keys);
    }

    /// `hint` and `description`, which are files in one format and keys in the other.
    fn hint_and_description(&self, case: &TestCase) -> Vec<(&'static str, RawValue)> {
        let read = |(ending, key)| {
            let item = self.tree.file(&format!("data/{}.{ending}", case.name))?;
            let remark = item.path.read_text(MAX_SIZE).ok()?;
            Some((key, text(remark.trim_end())))
        };
        [("hint", "hint"), ("desc", "description")].into_iter().filter_map(read).collect()
    }

    /// Keys of such a file that only change what people see, if its format has the same keys.
    fn display_keys(&self, name: &str) -> Vec<(&'static str, RawValue)> {
        let item = self.tree.file(name).filter(|_| self.problem.layout.format == "2023-07");
        let Some(raw) = item.and_then(|item| read_settings(&item.path)) else { return Vec::new() };
        DISPLAY_KEYS.into_iter().filter_map(|key| Some((key, raw.get(key)?.clone()))).collect()
    }

    /// The arguments of the output validator, if all test cases have the same.
    pub(super) fn common_output_flags(&self) -> Option<&[String]> {
        let cases = self.problem.test_data.cases.iter();
        let mut flags = cases.map(|case| kattis_arguments(&case.output_validator_args));
        let first = flags.next()?;
        (!first.is_empty() && flags.all(|other| other == first)).then_some(first)
    }

    fn add_legacy_groups(&mut self, problem: &Problem, files: &mut SettingsFiles) {
        for item in
            self.tree.below("data").iter().filter(|item| item.base_name() == "test_group.yaml")
        {
            let keys = read_settings(&item.path);
            for entry in keys.iter().flat_map(|raw| raw.entries()) {
                if DISPLAY_KEYS[..3].contains(&&*entry.key) {
                    self.leave_out(&item.name, format!("key `{}`", entry.key));
                }
            }
        }
        let has_common = self.common_output_flags().is_some();
        let cases = &problem.test_data.cases;
        let has_flags = |case: &TestCase| !kattis_arguments(&case.output_validator_args).is_empty();
        let has_output = !has_common && cases.iter().any(has_flags);
        let has_input = cases.iter().any(|case| CaseArgs::of(case).has_input());
        for case in cases {
            let name = self.cases.new_name(&case.name);
            let Some((directory, _)) = name.rsplit_once('/') else { continue };
            self.write_legacy_remarks(&name, case);
            if files.contains_key(directory) || !has_output && !has_input {
                continue;
            }
            let keys = files.entry(directory.to_owned()).or_default();
            let args = CaseArgs::of(case);
            if has_input {
                let flags = args.input_args(|args| text(args.join(" ")));
                keys.push(("input_validator_flags", flags));
            }
            if has_output {
                keys.push(("output_validator_flags", text(args.output.join(" "))));
            }
        }
        match &problem.graders {
            Some(graders) => {
                for GradedGroup { name, grading } in &graders.groups {
                    let keys = files.entry(name.clone()).or_default();
                    keys.extend(grader_keys(problem, grading));
                }
                files.retain(|_, keys| !keys.is_empty());
            }
            None if problem.kind.grading == Grading::Scoring => {
                self.add_legacy_scores(files);
                for group in rules::scored_groups(problem) {
                    let name = self.cases.new_name(group.name);
                    add_lost_requirements(&name, group.require_pass, &mut self.losses);
                }
            }
            None => {}
        }
    }

    fn add_legacy_scores(&self, files: &mut SettingsFiles) {
        let scored = self.scored_groups();
        // DOMjudge gives the points of a group once, unless the output validator gives them.
        let is_once = self.to == TargetFormat::DomjudgeZip && !self.gives_score();
        // A checker of CMS rejects an output that it gives a part of the points.
        let (least, until) = match self.problem.output_protocol {
            Protocol::Cms => ("first_error accept_if_any_accepted min", "continue"),
            _ => ("first_error min", "break"),
        };
        let keys = |aggregation, most: Option<Score>, cases: usize, own_flags: Option<&str>| {
            let each = most.and_then(|most| Score::new(most.points() / cases as f64));
            let (on_reject, flags, points) = match aggregation {
                Aggregation::PassFail => ("break", "first_error min", most),
                Aggregation::Min if cases == 0 => ("continue", "first_error min", None),
                Aggregation::Min => (until, least, most),
                Aggregation::Sum if is_once && cases > 0 && most.is_some() => {
                    ("break", "first_error min", most)
                }
                Aggregation::Sum => ("continue", SUM_FLAGS, each),
            };
            let most = most.map_or("+inf".to_owned(), |most| most.points().to_string());
            vec![
                ("on_reject", text(on_reject)),
                ("grader_flags", text(own_flags.unwrap_or(flags))),
                ("accept_score", plain(points.map_or(1.0, Score::points))),
                ("range", text(format!("0 {most}"))),
            ]
        };
        let secret = scored.get("secret");
        // If only all groups together have points, the least of them does: each has all points, or none.
        let whole = secret.filter(|scoring| scoring.aggregation == Aggregation::PassFail);
        for (name, group) in &scored {
            let ScoredGroup { aggregation, max_score, cases, .. } = *whole.unwrap_or(group);
            let own = keys(aggregation, max_score, cases, None);
            files.entry(name.clone()).or_default().extend(own);
        }
        if let Some(secret) = secret {
            let flags = "first_error ignore_sample sum";
            let root = keys(Aggregation::Sum, secret.max_score, 0, Some(flags));
            files.entry(String::new()).or_default().extend(root);
        }
        // Their scores do not count, but a validator that gives scores gives them, too.
        let most = (!self.gives_score()).then_some(Score::ZERO);
        let sample = keys(Aggregation::Sum, most, 1, Some("first_error sum"));
        files.entry("sample".to_owned()).or_default().extend(sample);
    }

    /// Writes the hint and description of a test case to files, and names its keys that have no such file.
    fn write_legacy_remarks(&mut self, name: &str, case: &TestCase) {
        let item = self.tree.file(&format!("data/{}.yaml", case.name));
        let Some(keys) = item.and_then(|item| read_settings(&item.path)) else { return };
        for entry in keys.entries() {
            let ending = match entry.key.as_str() {
                "hint" => "hint",
                "description" => "desc",
                key if PROBLEM_KEYS.contains(&key) => continue,
                key => {
                    self.leave_out(format!("data/{name}"), format!("key `{key}`"));
                    continue;
                }
            };
            if let Some(remark) = entry.value.scalar() {
                self.write_text(format!("data/{name}.{ending}"), format!("{}\n", remark.text));
            }
        }
    }
}

fn add_lost_requirements(group: &str, required: &[String], losses: &mut Losses) {
    if !required.is_empty() {
        losses.add(format!("data/{group}"), format!("require_pass: {}", required.join(" ")), None);
    }
}

fn grader_keys(problem: &Problem, grading: &GroupGrading) -> Vec<(&'static str, RawValue)> {
    let GroupGrading { on_reject, grader, accept_score, reject_score, range } = grading;
    let mut flags = Vec::new();
    let name = match grader {
        Grader::Custom(words) => {
            flags.extend(words.iter().map(String::as_str));
            "custom"
        }
        Grader::Default(modes) => {
            flags.extend([modes.verdict.name(), modes.score.name()]);
            flags.extend(modes.ignore_sample.then_some("ignore_sample"));
            flags.extend(modes.accept_if_any_accepted.then_some("accept_if_any_accepted"));
            "default"
        }
    };
    let on_reject = if *on_reject == OnReject::Break { "break" } else { "continue" };
    let end = |score: Option<Score>, none: &str| {
        score.map_or_else(|| none.to_owned(), |score| score.points().to_string())
    };
    let mut keys = vec![
        ("on_reject", text(on_reject)),
        ("grading", text(name)),
        ("grader_flags", text(flags.join(" "))),
    ];
    if problem.kind.grading == Grading::Scoring {
        keys.push(("accept_score", plain(accept_score.points())));
        keys.push(("reject_score", plain(reject_score.points())));
        let range = format!("{} {}", end(range.from, "-inf"), end(range.to, "+inf"));
        keys.push(("range", text(range)));
    }
    keys
}

/// The group whose settings hold for a test case.
fn group_of<'a>(name: &'a str, groups: &'a BTreeSet<String>) -> &'a str {
    let inside = |group: &&String| {
        name[group.len().min(name.len())..].starts_with('/') && name.starts_with(group.as_str())
    };
    let found = groups.iter().find(inside).map(String::as_str);
    found.unwrap_or_else(|| name.split('/').next().unwrap_or_default())
}

fn score_keys(aggregation: Aggregation, most: Option<f64>) -> Vec<(&'static str, RawValue)> {
    let most = most.map_or_else(|| text("unbounded"), |most| plain(most.max(0.0).ceil()));
    vec![("max_score", most), ("score_aggregation", text(aggregation.name()))]
}
