//! Whether test cases separate slow submissions from accepted ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a submission that is declared too slow can be separated from the accepted ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Separation {
    pub submission: String,
    pub by: SeparationKind,
    /// The test case on which it is too slow; empty if there is none.
    pub at: String,
    /// The same in words.
    #[serde(rename = "told")]
    pub description: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeparationKind {
    /// A test case: the slow submission exceeds the limit there by the margin, and each accepted one takes at most
    /// half of it.
    TestCase,
    /// No test case: the submission is too slow on none, or an accepted one takes too long there.
    Nothing,
    /// Nothing, because it waits for ever instead of computing. It counts as a wrong program; times say nothing about
    /// it.
    Waits,
    /// Unknown: time ran out.
    Unknown,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Probes {
    /// One for each submission that is declared too slow.
    pub separations: Vec<Separation>,
    /// Whether time ran out before everything was measured.
    #[serde(rename = "cut")]
    pub is_cut: bool,
    /// Why nothing was measured.
    pub missing: Option<String>,
}

impl Probes {
    /// Whether this submission waits for ever instead of computing.
    pub fn waits_for_ever(&self, submission: &str) -> bool {
        let mut waiting = self.separations.iter().filter(|probe| probe.by == SeparationKind::Waits);
        waiting.any(|probe| probe.submission == submission)
    }

    /// How many slow submissions a test case separates, and for how many that is known.
    pub fn separated_counts(&self) -> (usize, usize) {
        let count = |by| self.separations.iter().filter(|probe| probe.by == by).count();
        let separated = count(SeparationKind::TestCase);
        (separated, separated + count(SeparationKind::Nothing))
    }
}
