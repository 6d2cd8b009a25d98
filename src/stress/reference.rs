//! Which program's output counts as right.

use std::path::Path;
use std::time::Duration;

use crate::build::Runnable;
use crate::model::problem::Problem;
use crate::model::stop::Stop;
use crate::model::submission::Submission;
use crate::model::units::seconds;
use crate::model::verdict::Verdict;

/// How many submissions are built and measured to find the fastest.
const MEASURED: usize = 3;

/// Languages whose programs start and run fastest.
const FAST: [&str; 4] = ["rs", "cpp", "cc", "c"];

/// The package's accepted submissions of which the reference is chosen: those in C, C++ and Rust, the one
/// that makes the judge answers first; if there is none, the first accepted one.
pub fn contenders<'a>(problem: &'a Problem, solution: Option<&Path>) -> Vec<&'a Submission> {
    let mut accepted: Vec<&Submission> =
        problem.submissions.iter().filter(|it| is_accepted(it)).collect();
    accepted.sort_by_key(|submission| solution != Some(submission.program.path.as_path()));
    let is_fast = |submission: &&&Submission| {
        let ending = submission.program.path.extension().unwrap_or_default();
        FAST.iter().any(|fast| ending == *fast)
    };
    let fast: Vec<&Submission> = accepted.iter().filter(is_fast).take(MEASURED).copied().collect();
    if fast.is_empty() { accepted.into_iter().take(1).collect() } else { fast }
}

/// Whether its author says that it is right and fast enough on every case.
pub fn is_accepted(submission: &Submission) -> bool {
    let only_accepted =
        |permitted: &Option<Vec<Verdict>>| permitted.as_deref() == Some(&[Verdict::Accepted]);
    let rules = &submission.expectations;
    rules.iter().any(|rule| only_accepted(&rule.permitted) && rule.cases.is_none())
}

/// Which of several was chosen, and why.
pub struct Chosen {
    /// Its place among them.
    pub place: usize,
    /// Why, in words.
    pub why: String,
}

/// The fastest of these programs, each started a few times. A start gives the wall time; none if the program
/// does not solve what it is measured on.
///
/// # Errors
/// When the judge failed or was interrupted.
pub fn fastest(
    programs: &[&Runnable],
    start: &dyn Fn(&Runnable) -> Result<Option<Duration>, Stop>,
) -> Result<Chosen, Stop> {
    const STARTS: usize = 4;
    let mut best: Option<(usize, Duration)> = None;
    if programs.len() > 1 {
        for (place, runnable) in programs.iter().enumerate() {
            for _ in 0..STARTS {
                if let Some(time) = start(runnable)?
                    && best.is_none_or(|(_, fastest)| time < fastest)
                {
                    best = Some((place, time));
                }
            }
        }
    }
    Ok(match best {
        None => Chosen { place: 0, why: "the only one to choose from".to_owned() },
        Some((place, time)) => {
            Chosen { place, why: format!("the fastest of {}: {}", programs.len(), seconds(time)) }
        }
    })
}
