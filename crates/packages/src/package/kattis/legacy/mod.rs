//! The legacy formats of Kattis and ICPC, and 2023-07, which has the directories of 2025-09 and the graders of legacy.
//!
//! Source: problem package format legacy, legacy-icpc, and the drafts of 2023-07.

mod data;
pub(super) mod domjudge;
mod flags;
mod group_yaml;
mod problem_yaml;

use crate::package::Format;
use crate::package::draft::Draft;
use crate::package::files::PackageFiles;
use crate::package::kattis::problem_type::ProblemType;
use crate::package::kattis::problem_yaml::{self as settings, ProblemYaml};
use crate::package::kattis::statement::{LocalizedTexts, SOLUTIONS};
use crate::package::kattis::submissions::{SubmissionFolder, folder};
use crate::package::kattis::version::{self, VersionName};
use crate::package::kattis::{Kattis202509, PackageReader, SETTINGS, VersionRules};
use crate::package::node::{Node, ParseResult};
use crate::package::statements::Statement;
use juror_core::grader::{Graders, GradingKeys, Objective};
use juror_core::layout::Layout;
use juror_core::limits::ProblemLimits;
use juror_core::problem::{Grading, Interaction, Problem};
use juror_core::program::{Program, ProgramKind};
use juror_core::root::FilePath;
use juror_core::score::CustomScore;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict::{
    self, Accepted as AC, RunTimeError as RTE, TimeLimitExceeded as TLE, WrongAnswer as WA,
};

pub(in crate::package) struct KattisLegacy(VersionName);

pub(in crate::package) const LEGACY: KattisLegacy = KattisLegacy(VersionName::Legacy);
pub(in crate::package) const LEGACY_ICPC: KattisLegacy = KattisLegacy(VersionName::LegacyIcpc);
pub(in crate::package) const V2023_07: KattisLegacy = KattisLegacy(VersionName::V2023_07);

const fn overall_folder(name: &'static str, verdict: Verdict) -> SubmissionFolder {
    SubmissionFolder { overall: Some((verdict, false)), ..folder(name, None, None) }
}

/// First the folders of ICPC, then those of legacy, then those that drafts have from 2025-09.
static FOLDERS: [SubmissionFolder; 7] = [
    overall_folder("accepted", AC),
    overall_folder("wrong_answer", WA),
    overall_folder("time_limit_exceeded", TLE),
    overall_folder("run_time_error", RTE),
    SubmissionFolder { overall: Some((AC, true)), ..folder("partially_accepted", None, None) },
    folder("rejected", None, Some(&[RTE, TLE, WA])),
    folder("brute_force", Some(&[AC, RTE, TLE]), Some(&[RTE, TLE])),
];

const LEGACY_RULES: VersionRules = VersionRules {
    input_validators: &["input_validators", "input_format_validators"],
    output_validator: "output_validators",
    has_submissions_yaml: false,
    is_strict: false,
    submissions: FOLDERS.split_at(5).0,
};

const ICPC_RULES: VersionRules =
    VersionRules { submissions: FOLDERS.split_at(4).0, ..LEGACY_RULES };

const DRAFT_RULES: VersionRules = VersionRules {
    output_validator: "output_validator",
    has_submissions_yaml: true,
    submissions: &FOLDERS,
    ..LEGACY_RULES
};

/// Drafts before August 2024 still use the old name of the directory.
const EARLY_DRAFT_RULES: VersionRules =
    VersionRules { output_validator: "output_validators", ..DRAFT_RULES };

const STATEMENTS: LocalizedTexts = LocalizedTexts {
    directory: "problem_statement",
    stem: "problem",
    noun: "statement",
    default: Some("en"),
};

const DRAFT_STATEMENTS: LocalizedTexts = LocalizedTexts { directory: "statement", ..STATEMENTS };

impl KattisLegacy {
    fn is_draft(&self) -> bool {
        self.0 == VersionName::V2023_07
    }

    fn version_rules(&self, tree: &PackageFiles) -> &'static VersionRules {
        match self.0 {
            VersionName::LegacyIcpc => &ICPC_RULES,
            VersionName::V2023_07 if tree.directory("output_validators").is_some() => {
                &EARLY_DRAFT_RULES
            }
            VersionName::V2023_07 => &DRAFT_RULES,
            _ => &LEGACY_RULES,
        }
    }
}

impl Format for KattisLegacy {
    fn marker_text(&self) -> &'static str {
        "a file problem.yaml"
    }

    fn detect(&self, dir: &FilePath) -> Option<String> {
        let (name, reason) = version::detect(dir)?;
        let dialect = domjudge::marker_file(dir);
        let dialect = dialect.map(|mark| format!("; it is for DOMjudge, because there is {mark}"));
        (name == self.0).then(|| reason + &dialect.unwrap_or_default())
    }

    /// Public packages use all sorts of names.
    fn allows_name(&self, base_name: &str) -> bool {
        base_name == domjudge::TIME_LIMIT
            || !base_name.starts_with(['.', '#'])
                && !base_name.ends_with('~')
                && !base_name.contains(char::is_control)
    }

    fn layout(&self) -> Layout {
        Layout {
            format: match self.0 {
                VersionName::LegacyIcpc => "legacy-icpc",
                VersionName::V2023_07 => "2023-07",
                _ => "legacy",
            },
            made_later: &["data", "statement", "problem_statement"],
            is_before_2025_09: true,
            statements: if self.is_draft() { "statement" } else { "problem_statement" },
            time_limit: ".timelimit",
            no_time_limit: "the package has no time limit",
            change_time_limit: "change limits.time_multiplier or limits.time_safety_margin of problem.yaml",
            allow_file_writing: "remove `allow_file_writing: false` from problem.yaml",
            ..Kattis202509.layout()
        }
    }

    fn statements(&self, tree: &PackageFiles) -> Vec<Statement> {
        let is_old = tree.path(STATEMENTS.directory).is_dir();
        if is_old { STATEMENTS } else { DRAFT_STATEMENTS }.files(tree)
    }

    fn read(&self, tree: &PackageFiles) -> Option<Draft> {
        let table = self.version_rules(tree);
        let statements = if self.is_draft() && tree.directory("problem_statement").is_none() {
            &DRAFT_STATEMENTS
        } else {
            &STATEMENTS
        };
        let languages = statements.check_languages(tree, !domjudge::has_statement(tree));
        let is_draft = self.is_draft();
        let mut yaml = match tree.file(SETTINGS) {
            Some(_) => settings::read(tree, &[], |map| problem_yaml::read_keys(map, is_draft)),
            None => {
                let help = "add it, with a line such as `name: Hello World!`";
                tree.faults.publishing_error(tree.path(SETTINGS), "is missing", help);
                None
            }
        }
        .unwrap_or_else(|| LegacyYaml::new(is_draft));
        let time_limit_file = domjudge::read(tree, &mut yaml.shared);
        if yaml.shared.names.is_empty() {
            yaml.shared.names = problem_yaml::names_of_statements(tree, statements, &languages);
        }
        let pack = PackageReader::new(tree, &yaml.shared, table);
        let output_validators = if self.has_custom_validators(&pack, &yaml) {
            pack.read_output_validators()
        } else {
            Vec::new()
        };
        let (test_data, groups) = data::read(&pack, &yaml, &output_validators, is_draft);
        let mut problem = Problem {
            output_validators,
            graders: Some(Graders {
                groups,
                custom: pack.read_grader(),
                objective: yaml.objective,
                custom_score: if yaml.has_custom_score {
                    CustomScore::Required
                } else if self.is_draft() {
                    CustomScore::Allowed
                } else {
                    CustomScore::Never
                },
                dialect: domjudge::dialect(&tree.root),
            }),
            ..pack.build_problem(self.layout(), test_data)
        };
        if tree.file(SETTINGS).is_none() && data::has_scores(&problem) {
            problem.kind.grading = Grading::Scoring;
        }
        problem.limits.unlimited_talk = problem.kind.interaction == Interaction::Interactive;
        if let Some(file) = time_limit_file {
            problem.layout.time_limit = file;
        }
        SOLUTIONS.check_languages(tree, false);
        Some(Draft { has_settings: true, file_writing: yaml.shared.file_writing, problem })
    }
}

impl KattisLegacy {
    /// In drafts, an output validator decides if its directory exists. Elsewhere `validation` says so.
    fn has_custom_validators(&self, pack: &PackageReader<'_>, yaml: &LegacyYaml) -> bool {
        let directory = pack.version.output_validator;
        let exists = pack.tree.directory(directory).is_some();
        let is_interactive = pack.yaml.problem_type.includes("interactive");
        match yaml.is_custom {
            asked if !exists && (asked == Some(true) || is_interactive) => {
                let message = "is missing: custom validation needs an output validator";
                let help = "add the program that decides about outputs";
                pack.faults.error(pack.tree.path(directory), message, help);
                true
            }
            Some(false) if exists => {
                let message = "is not used: problem.yaml does not have `validation: custom`";
                let help = "write it, or remove the directory";
                pack.faults.warning(pack.tree.path(directory), message, help);
                false
            }
            Some(is_custom) => is_custom,
            None => exists,
        }
    }
}

impl PackageReader<'_> {
    fn read_grader(&self) -> Option<Program> {
        let mut graders = self.read_programs("graders", ProgramKind::Grader);
        if graders.len() > 1 {
            let message = "has several graders; only one can be used";
            self.faults.error(self.tree.path("graders"), message, "keep one");
        }
        graders.drain(..).next()
    }

    fn read_output_validators(&self) -> Vec<Program> {
        let validators =
            self.read_programs(self.version.output_validator, ProgramKind::OutputValidator);
        let path = || self.tree.path(self.version.output_validator);
        if validators.is_empty() && self.has_output_validator() {
            self.faults.error(path(), "has no program in it", "add the output validator");
        } else if validators.len() > 1 && self.yaml.problem_type.includes("interactive") {
            let message = "has several output validators, but a submission can talk with only one";
            self.faults.error(path(), message, "keep one");
        }
        validators
    }
}

#[derive(Debug, Default)]
struct LegacyYaml {
    shared: ProblemYaml,
    /// Whether `validation` asks for the package's own output validators, if the key exists.
    is_custom: Option<bool>,
    has_custom_score: bool,
    /// `validator_flags`, split into words.
    validator_flags: Vec<String>,
    objective: Objective,
    /// The keys under `grading`, which override those of all groups.
    grading: GradingKeys,
}

/// The default memory limit of problemtools.
const MEMORY: Bytes = Bytes::mib(1024);

impl LegacyYaml {
    /// The values if there is no `problem.yaml`.
    fn new(is_draft: bool) -> Self {
        let mut yaml = Self::default();
        yaml.shared.problem_type = ProblemType::Unknown;
        yaml.shared.file_writing = Some(true);
        let [multiplier, margin] = if is_draft { [2.0, 1.5] } else { [5.0, 2.0] };
        yaml.shared.limits = ProblemLimits {
            ac_to_time_limit: multiplier,
            time_limit_to_tle: margin,
            memory: Some(MEMORY),
            compilation_memory: Some(MEMORY),
            validation_memory: Some(MEMORY),
            ..ProblemLimits::default()
        };
        yaml
    }
}

/// Words separated by whitespace, or the items of a sequence.
fn words(node: &Node<'_>) -> ParseResult<Vec<String>> {
    if node.is_null() {
        return Ok(Vec::new());
    }
    if node.raw.scalar().is_some() {
        return Ok(node.word().split_whitespace().map(str::to_owned).collect());
    }
    Ok(node.items("words between blanks")?.map(|item| item.word().to_owned()).collect())
}

#[cfg(test)]
mod tests;
