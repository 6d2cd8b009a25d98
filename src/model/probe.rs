//! How the time and memory of programs grow with the input, and whether limits separate slow programs from fast ones.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::model::serial::Seconds;
use crate::model::units::Bytes;

/// A number with the interval in which it lies, at 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The likeliest value.
    pub value: f64,
    /// The lower end of the interval.
    pub least: f64,
    /// The upper end of the interval.
    pub most: f64,
}

/// How something grows with the size of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// Unclear: too few sizes, or no law fits.
    #[default]
    Unclear,
    /// Not visible next to the start-up time of the program.
    Flat,
    /// As a power of the size; the estimate is the exponent.
    Power,
    /// Each unit of size multiplies it; the estimate is the factor.
    Exponential,
}

/// A law of growth with its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Growth {
    /// The law.
    pub law: Law,
    /// The exponent, or the factor.
    pub estimate: Option<Estimate>,
}

impl Growth {
    /// In words, such as `grows as n^2.0, 1.9 to 2.1`.
    pub fn words(&self, variable: &str) -> String {
        match (self.law, self.estimate) {
            (Law::Power, Some(Estimate { value, least, most })) => {
                format!("grows as {variable}^{value:.1}, {least:.1} to {most:.1}")
            }
            (Law::Exponential, Some(Estimate { value, least, most })) => {
                format!("grows as {value:.2}^{variable}, {least:.2} to {most:.2}")
            }
            (Law::Flat, _) => format!("does not grow with {variable}"),
            _ => format!("depends on {variable} in an unclear way"),
        }
    }
}

/// What a program did with inputs of one size.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbePoint {
    /// The size: the value of the variable.
    pub size: u64,
    /// The least CPU time of all runs.
    #[serde_as(as = "Seconds")]
    pub cpu_seconds: Duration,
    /// The least peak memory of all runs.
    pub memory_bytes: Bytes,
    /// How often it ran.
    pub runs: u32,
    /// Why it failed; then its times are ignored.
    pub failed: Option<String>,
}

/// How a program's costs depend on one variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariableProbe {
    /// The variable, as the grammar or the generator names it.
    pub variable: String,
    /// The CPU time.
    pub time: Growth,
    /// The peak memory.
    pub memory: Growth,
    /// What was measured, by size.
    pub points: Vec<ProbePoint>,
    /// The approximate size at which it exceeds the limit for too slow submissions.
    pub too_slow_at: Option<u64>,
}

/// How one submission's costs grow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionProbe {
    /// Its name.
    pub submission: String,
    /// Whether its author declares it too slow.
    pub declared_slow: bool,
    /// How the values of the inputs were chosen: those that cost it most.
    pub values: String,
    /// What the largest of these inputs cost it.
    pub largest: ProbePoint,
    /// Whether it waited there until the clock ended it.
    pub waits: bool,
    /// By variable.
    pub variables: Vec<VariableProbe>,
    /// The variable that drives its time.
    pub driver: Option<String>,
}

impl SubmissionProbe {
    /// The growth of time with the variable that it depends on most.
    pub fn growth(&self) -> Option<&VariableProbe> {
        self.variables.iter().find(|it| Some(&it.variable) == self.driver.as_ref())
    }
}

/// Whether a submission that is declared too slow can be separated from the accepted ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Separation {
    /// The slow submission.
    pub submission: String,
    /// What separates it.
    pub by: SeparatedBy,
    /// The test case that does, or the variable and its least value at which one would.
    pub at: String,
    /// In words.
    pub told: String,
}

/// What separates a slow submission from the accepted ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeparatedBy {
    /// A test case: it passes the limit there by the margin, and each accepted submission takes half of the limit at most.
    TestCase,
    /// An input that the bounds allow, but no test case.
    Input,
    /// Nothing within the bounds.
    Nothing,
    /// Nothing, because it waits for ever instead of computing. So it counts as a wrong program, and no time tells it.
    Waits,
    /// Unknown: no inputs could be made, or time ran out.
    Unknown,
}

/// What probes found out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Probes {
    /// By submission.
    pub submissions: Vec<SubmissionProbe>,
    /// By submission that is declared too slow.
    pub separations: Vec<Separation>,
    /// Runs that were measured.
    pub runs: u64,
    /// Whether time ran out before everything was measured.
    #[serde(rename = "cut")]
    pub is_cut: bool,
    /// Why nothing was measured, or what is missing for more.
    pub missing: Option<String>,
}

impl Probes {
    /// Whether this submission waits for ever instead of computing.
    pub fn waits(&self, submission: &str) -> bool {
        let mut waiting = self.separations.iter().filter(|it| it.by == SeparatedBy::Waits);
        waiting.any(|it| it.submission == submission)
    }

    /// How many slow submissions a test case separates, and how many can be separated.
    pub fn separated(&self) -> (usize, usize) {
        let count = |by: SeparatedBy| self.separations.iter().filter(|it| it.by == by).count();
        let separated = count(SeparatedBy::TestCase);
        (separated, separated + count(SeparatedBy::Input))
    }
}
