//! Whether test cases separate slow submissions from accepted ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a submission that is declared too slow can be separated from the accepted ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Separation {
    /// The slow submission.
    pub submission: String,
    /// What separates it.
    pub by: SeparatedBy,
    /// The test case on which it is too slow; empty if there is none.
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
    /// No test case: it is too slow on none, or an accepted submission takes too long there.
    Nothing,
    /// Nothing, because it waits for ever instead of computing. So it counts as a wrong program, and no time tells it.
    Waits,
    /// Unknown: time ran out.
    Unknown,
}

/// What probes found out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Probes {
    /// By submission that is declared too slow.
    pub separations: Vec<Separation>,
    /// Whether time ran out before everything was measured.
    #[serde(rename = "cut")]
    pub is_cut: bool,
    /// Why nothing was measured.
    pub missing: Option<String>,
}

impl Probes {
    /// Whether this submission waits for ever instead of computing.
    pub fn waits(&self, submission: &str) -> bool {
        let mut waiting = self.separations.iter().filter(|it| it.by == SeparatedBy::Waits);
        waiting.any(|it| it.submission == submission)
    }

    /// How many slow submissions a test case separates, and of how many this is known.
    pub fn separated(&self) -> (usize, usize) {
        let count = |by: SeparatedBy| self.separations.iter().filter(|it| it.by == by).count();
        let separated = count(SeparatedBy::TestCase);
        (separated, separated + count(SeparatedBy::Nothing))
    }
}
