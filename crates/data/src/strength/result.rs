//! How strong test data is: what it was tested with, what it let pass, and the score.
//!
//! `juror schema` prints the comments of types and fields, so they are written for readers of the JSON.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use crate::strength::separation::Probes;
use crate::strength::strictness::{Strictness, text_start};
use juror_core::progress::NextStep;
use juror_core::serial::{Seconds, Text};
use juror_core::text::{count, joined};
use juror_core::verdict::Verdict;
use juror_core::words::words;

#[serde_as]
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Strength {
    pub seed: u64,
    /// The time that it was allowed.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "time_seconds")]
    pub time: Duration,
    /// How long it really took.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "seconds")]
    pub elapsed: Duration,
    /// Whether time ran out before everything was done.
    pub cut: bool,
    /// What must hold before anything is measured.
    pub gates: Vec<Gate>,
    /// What to do next.
    pub next: Vec<NextStep>,
    pub parts: Vec<ScorePart>,
    /// How the data changed since the last measurement; `None` if that is unknown.
    pub gained: Option<StrengthGain>,
    /// From 0 to 100; `None` if a gate is shut or nothing ran on the data.
    pub score: Option<f64>,
    /// What the score means; `None` also if more than a tenth of the subjects did not run.
    pub grade: Option<StrengthRating>,
    /// The right programs from which mutants and wrappers are made.
    pub references: Vec<RightProgram>,
    /// The number of fresh inputs that measure how hard subjects are to catch.
    pub pool: usize,
    /// Whether every test case ran on every subject.
    pub matrix: bool,
    /// What ran on the data, in order.
    pub subjects: Vec<Subject>,
    /// The result of mutants by operators that are held out; `None` without mutants.
    pub hold_out: Option<HoldOutResult>,
    /// What valid inputs can be like, and whether a test case is; empty without a grammar.
    pub features: Vec<InputFeature>,
    /// What each test case catches.
    pub cases: Vec<CaseKills>,
    /// A small set of test cases that catches everything that all of them catch.
    pub minimal: Vec<String>,
    /// Whether test cases separate slow submissions from accepted ones.
    pub probes: Option<Probes>,
    /// How many kinds of faulty inputs the input validators refuse.
    pub input_validators: Option<Strictness>,
    /// How many kinds of wrong outputs are rejected.
    pub output_validator: Option<Strictness>,
    /// What would let juror say more.
    pub lacking: Vec<MissingPrerequisite>,
}

/// What changed since the last measurement with the same seed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StrengthGain {
    /// The score then.
    pub before: f64,
    /// By how much the score grew; less than 0 if it fell.
    pub points: f64,
    /// Programs that no test case rejected then, and one rejects now.
    pub caught: Vec<String>,
}

impl StrengthGain {
    /// Whether the change is visible in reports.
    pub fn is_visible(&self) -> bool {
        self.points.abs() >= 0.05 || !self.caught.is_empty()
    }
}

impl fmt::Display for StrengthGain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { before, points, caught } = self;
        write!(f, "{points:+.1} points, from {before:.1}")?;
        match caught.len() {
            0 => Ok(()),
            number => write!(f, "; {} that passed are caught now", count(number, "program")),
        }
    }
}

/// Mutants by operators with which no test data is made.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HoldOutResult {
    pub operators: Vec<String>,
    /// How many mutants a test case catches.
    pub caught: usize,
    /// How many mutants no test case catches, although an input does.
    pub missed: usize,
    /// The share that is caught, from 0 to 1; `None` if no input catches one.
    pub rate: Option<f64>,
}

impl fmt::Display for HoldOutResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operators, all) =
            (self.operators.join(", "), count(self.caught + self.missed, "mutant"));
        write!(f, "{} of {all} by {operators} are caught", self.caught)?;
        self.rate.map_or(Ok(()), |rate| write!(f, ", {:.1} %", 100.0 * rate))
    }
}

/// A feature that inputs can have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputFeature {
    /// What holds for such inputs, such as `n is odd`.
    pub about: String,
    /// The first test case with this feature.
    pub test_case: Option<String>,
    /// Without such a test case: the start of an input that has it.
    pub example: Option<String>,
}

impl InputFeature {
    /// Drops the example if there is a test case.
    pub fn new(about: String, test_case: Option<String>, example: Option<&[u8]>) -> Self {
        let example = example.filter(|_| test_case.is_none()).map(text_start);
        Self { about, test_case, example }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gate {
    /// What must hold.
    pub name: GateName,
    /// Whether it does.
    pub state: GateState,
    pub detail: String,
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum GateName {
        /// Every test case is valid.
        ValidData = "valid data",
        /// Accepted submissions are accepted on all test cases, and agree on other inputs.
        AcceptedSubmissions = "accepted submissions",
        /// The recipe makes the same data again.
        Reproducible = "reproducible data",
        /// The output validator was tried.
        OutputValidator = "output validator",
        /// Accepted submissions take at most half of the time limit.
        TimeLimit = "half of the time limit",
    }
}

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    Open,
    /// It does not: there is no score.
    Shut,
    /// There is nothing to check.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ScorePart {
    pub name: PartName,
    /// From 0 to 1; `None` if it could not be measured. Then the other weights are scaled.
    pub value: Option<f64>,
    /// Its weight. All weights add up to 1.
    pub weight: f64,
}

words! {
    /// What a score is made of.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum PartName {
        /// Subjects that a test case catches, each by how hard it is to catch.
        Kills = "kills",
        /// Subjects that two test cases catch.
        Twice = "killed twice",
        /// Bounds of the input that a test case reaches.
        Bounds = "bounds",
        /// Features of inputs that a test case has.
        Features = "features",
        /// Slow submissions that a test case separates from accepted ones.
        Speed = "speed",
        /// Faults of inputs that the input validators refuse.
        InputValidators = "input validators",
        /// Faults of outputs that the output validator refuses.
        OutputValidator = "output validator",
    }
}

impl PartName {
    /// All parts with their weights, in the order of reports.
    pub const WEIGHTS: [(Self, f64); 7] = [
        (Self::Kills, 0.55),
        (Self::Twice, 0.10),
        (Self::Bounds, 0.05),
        (Self::Features, 0.10),
        (Self::Speed, 0.10),
        (Self::InputValidators, 0.05),
        (Self::OutputValidator, 0.05),
    ];
}

/// What a score means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum StrengthRating {
    /// Nothing that is known to be wrong passes, bounds are reached, and slow submissions fail.
    A,
    /// A few faults pass.
    B,
    /// Many faults pass.
    C,
    /// Half of the faults pass.
    D,
    /// Most faults pass.
    E,
}

/// A right program from which mutants and wrappers are made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RightProgram {
    pub submission: String,
    pub language: String,
    /// How many of its mutants ran on the data.
    pub mutants: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Subject {
    /// Its name, the same in every run: `wrong_answer/parity.py`, `drop-last`, `accepted/a.cpp:off1-3fa9-2`.
    pub id: String,
    pub kind: SubjectKind,
    /// The kind of fault: an operator, a wrapper, or the directory of a submission.
    pub fault: String,
    /// The change to a source.
    pub edit: Option<SourceEdit>,
    pub status: SubjectStatus,
    /// The test cases that reject it: all with `--matrix`, otherwise the first two that were found.
    pub killers: Vec<Kill>,
    /// How hard it is to catch: minus the logarithm to base 2 of the chance that a fresh input catches it; 1 if
    /// unknown.
    pub hardness: f64,
    /// How many fresh inputs it was run on.
    pub tried: u64,
    /// If it is presumed equivalent: at most this share of inputs catches it, with a confidence of 95 %.
    pub bound: Option<f64>,
    /// An input that catches it, if no test case does.
    pub missed: Option<MissedInput>,
    /// Why its author says that it is right.
    pub reason: Option<String>,
    /// An earlier subject with the same outputs.
    pub same_as: Option<String>,
    /// Whether its operator is held out.
    pub held_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// A submission of the package that should not be accepted.
    Submission,
    /// A right program whose input or output is changed.
    Wrapper,
    /// A right program whose source is changed.
    Mutant,
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum SubjectStatus {
        /// A test case rejects it.
        Caught = "caught",
        /// No test case rejects it, but a known input does.
        Missed = "missed",
        /// No test case rejects it, and too few inputs were tried.
        Undecided = "undecided",
        /// It was not run: time ran out.
        NotRun = "not run",
        /// No test case and none of many fresh inputs rejects it.
        PresumedEquivalent = "presumed equivalent",
        /// `juror.toml` declares it right, with a reason.
        ConfirmedEquivalent = "confirmed equivalent",
        /// Its outputs are those of an earlier one.
        Duplicate = "duplicate",
        Unviable = "unviable",
    }
}

impl SubjectStatus {
    /// Whether it is known to be wrong, so that it counts for the score.
    pub fn counts(self) -> bool {
        matches!(self, Self::Caught | Self::Missed)
    }
}

/// A test case that rejects a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Kill {
    pub test_case: String,
    /// The verdict there.
    pub verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceEdit {
    /// The submission that is changed.
    pub submission: String,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// The lines as they are.
    pub before: String,
    /// The lines as they become.
    pub after: String,
}

/// An input that catches a subject that no test case catches.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissedInput {
    /// The input, as small as it could be made.
    #[serde_as(as = "Text")]
    pub input: Vec<u8>,
    /// What the subject earns on it.
    pub verdict: Verdict,
    /// Why, in words.
    pub cause: String,
    /// Where it comes from.
    pub origin: String,
    /// How much the score would grow with it as a test case.
    pub gain: f64,
    /// Other subjects that only it catches.
    pub also: Vec<String>,
    /// The name of the test case, if it was added as one.
    pub promoted: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CaseKills {
    pub test_case: String,
    /// How many subjects it rejects, of those that it ran on.
    pub kills: usize,
    /// The subjects that no other test case rejects; empty without the matrix.
    pub only_killer_of: Vec<String>,
}

words! {
    /// What a package lacks, so that juror says less about it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum MissingPrerequisite {
        /// A grammar of the input, or generators with a seed: no fresh inputs.
        Inputs = "a grammar or a validator of the input, or a generator line with {seed}: what no test case catches stays undecided",
        /// A grammar of the input: no bounds, no features, and inputs are not made small on its tree.
        Grammar = "a grammar of the input: bounds and features are not measured, and inputs are larger than needed",
        AcceptedSubmission = "an accepted submission: only the package's own wrong ones are run on the data",
        /// An accepted submission in a language of which mutants are made.
        Mutants = "mutants, which are made of accepted submissions in C, C++, Rust, Python or Java",
        /// Submissions that write an output: wrappers change one.
        Outputs = "a separate output for each input: wrappers do not fit a problem whose submissions talk or run in passes",
    }
}

impl Subject {
    /// A subject without any results yet.
    pub fn new(id: impl Into<String>, kind: SubjectKind, fault: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            kind,
            fault: fault.into(),
            edit: None,
            status: SubjectStatus::Undecided,
            killers: Vec::new(),
            hardness: 1.0,
            tried: 0,
            bound: None,
            missed: None,
            reason: None,
            same_as: None,
            held_out: false,
        }
    }
}

impl Strength {
    /// The parts of the score that are not about wrong answers.
    pub fn tool_part_values(&self) -> [(PartName, Option<f64>); 3] {
        let share = |part: usize, all: usize| (all > 0).then(|| part as f64 / all as f64);
        let part = |strictness: &Option<Strictness>| {
            let strictness = strictness.as_ref()?;
            share(strictness.refused as usize, strictness.faults as usize)
        };
        let (separated, decided) = self.probes.as_ref().map_or((0, 0), Probes::separated_counts);
        let speed = share(separated, decided);
        [
            (PartName::Speed, speed),
            (PartName::InputValidators, part(&self.input_validators)),
            (PartName::OutputValidator, part(&self.output_validator)),
        ]
    }

    pub fn score_in_words(&self) -> String {
        match (self.score, self.grade) {
            (Some(score), Some(grade)) => {
                let cut = if self.cut { ", cut off: time ran out" } else { "" };
                format!("{score:.1} of 100, grade {grade:?}{cut}")
            }
            (Some(score), None) => format!(
                "{score:.1} of 100 so far; no grade, because {} of {} programs were not run or are undecided",
                self.count_open(),
                self.subjects.len()
            ),
            (None, _) => "none".to_owned(),
        }
    }

    /// The share of features that the test cases have.
    pub fn feature_share(&self) -> Option<f64> {
        let present = self.features.iter().filter(|feature| feature.test_case.is_some()).count();
        (!self.features.is_empty()).then(|| present as f64 / self.features.len() as f64)
    }

    pub fn hold_out_result(&self, operators: Vec<String>) -> Option<HoldOutResult> {
        self.subjects.iter().find(|subject| subject.kind == SubjectKind::Mutant)?;
        let held_out = || self.subjects.iter().filter(|subject| subject.held_out);
        let count = |status| held_out().filter(|subject| subject.status == status).count();
        let (caught, missed) = (count(SubjectStatus::Caught), count(SubjectStatus::Missed));
        let all = caught + missed;
        let rate = (all > 0).then(|| caught as f64 / all as f64);
        Some(HoldOutResult { operators, caught, missed, rate })
    }

    /// The gain since the score was `before` and these programs were missed.
    pub fn gain_since(&self, before: f64, missed: &[String]) -> Option<StrengthGain> {
        let is_caught = |subject: &&Subject| {
            matches!(subject.status, SubjectStatus::Caught | SubjectStatus::Duplicate)
                && missed.contains(&subject.id)
        };
        let caught = self.subjects.iter().filter(is_caught);
        let caught = caught.map(|subject| subject.id.clone()).collect();
        Some(StrengthGain { before, points: self.score? - before, caught })
    }

    /// The subjects that an input catches, but no test case.
    pub fn missed_subjects(&self) -> Vec<String> {
        let missed = self.subjects.iter().filter(|subject| subject.status == SubjectStatus::Missed);
        missed.map(|subject| subject.id.clone()).collect()
    }

    /// For how many subjects it is unknown whether the data should reject them.
    pub fn count_open(&self) -> usize {
        self.count(SubjectStatus::NotRun) + self.count(SubjectStatus::Undecided)
    }

    /// The time for all programs, by that of those that were run. `None` if none was.
    pub fn time_needed(&self) -> Option<Duration> {
        let done = u32::try_from(self.subjects.len() - self.count_open()).ok()?;
        (self.elapsed * u32::try_from(self.subjects.len()).ok()?).checked_div(done)
    }

    /// In words, such as `31 caught, 2 missed`.
    pub fn tally(&self) -> String {
        let numbers = SubjectStatus::ALL.map(|status| (self.count(status), status));
        let numbers = numbers.into_iter().filter(|(number, _)| *number > 0);
        joined(numbers.map(|(number, status)| format!("{number} {status}")), ", ")
    }

    pub fn count(&self, status: SubjectStatus) -> usize {
        self.subjects.iter().filter(|subject| subject.status == status).count()
    }
}
