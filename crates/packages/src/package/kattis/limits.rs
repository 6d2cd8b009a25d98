//! `limits` of `problem.yaml`.
//!
//! Source: problem package format 2025-09, "Limits".

use std::time::Duration;

use crate::package::kattis::problem_type::ProblemType;
use crate::package::node::{Node, ParseResult, RenamedKeys};
use crate::package::values::{NumberBound, at_most, number, positive};
use juror_core::limits::ProblemLimits;
use juror_core::units::Bytes;

const RENAMED: RenamedKeys = &[
    ("time_multiplier", "in format 2025-09: `time_multipliers: {ac_to_time_limit: ...}`"),
    ("time_safety_margin", "in format 2025-09: `time_multipliers: {time_limit_to_tle: ...}`"),
];

/// Distance of a time limit from a multiple of the resolution, as a fraction of the resolution. As binary fractions,
/// 0.3 is not an exact multiple of 0.1.
const MULTIPLE_TOLERANCE: f64 = 1e-6;

/// Larger times are mistakes, and could overflow sums.
const MAX_SECONDS: u64 = 1_000_000;

const MAX_MULTIPLIER: f64 = 1000.0;

const MAX_PASSES: u32 = 10_000;

pub(super) fn read(node: &Node<'_>, problem_type: &ProblemType) -> ParseResult<ProblemLimits> {
    let mut map = node.map()?.with_renamed_keys(RENAMED);
    let mut limits = ProblemLimits::default();
    if let Some(Ok(mut map)) = map.node("time_multipliers").map(|node| node.map()) {
        map.set("ac_to_time_limit", &mut limits.ac_to_time_limit, multiplier);
        map.set("time_limit_to_tle", &mut limits.time_limit_to_tle, multiplier);
    }
    map.set("time_limit", &mut limits.time_limit, seconds);
    map.set("time_resolution", &mut limits.time_resolution, seconds);
    map.set("validation_passes", &mut limits.validation_passes, |node| passes(node, problem_type));
    map.set("memory", &mut limits.memory, mebibytes);
    map.set("output", &mut limits.output, mebibytes);
    map.set("code", &mut limits.code, |node| positive(node, "KiB").map(Bytes::kib));
    map.set("compilation_time", &mut limits.compilation_time, whole_seconds);
    map.set("compilation_memory", &mut limits.compilation_memory, mebibytes);
    map.set("validation_time", &mut limits.validation_time, whole_seconds);
    map.set("validation_memory", &mut limits.validation_memory, mebibytes);
    map.set("validation_output", &mut limits.validation_output, mebibytes);
    if let (Some(limit), Some(node)) = (limits.time_limit, map.node("time_limit")) {
        check_multiple(limit, limits.time_resolution, &node);
    }
    Ok(limits)
}

fn passes(node: &Node<'_>, problem_type: &ProblemType) -> ParseResult<u32> {
    let path = &node.path;
    if problem_type.excludes("multi-pass") {
        let message = format!("`{path}` is only for multi-pass problems");
        return Err(node.at_key().error(message, "remove it"));
    }
    match positive(node, "passes")? {
        1 => {
            let help = "remove `multi-pass` from `type` if there is only one pass";
            Err(node.error(format!("`{path}` must be at least 2"), help))
        }
        passes => at_most(MAX_PASSES, passes, node),
    }
}

fn multiplier(node: &Node<'_>) -> ParseResult<f64> {
    at_most(MAX_MULTIPLIER, number(node, NumberBound::AtLeast(1.0))?, node)
}

fn seconds(node: &Node<'_>) -> ParseResult<Duration> {
    let path = &node.path;
    let seconds = at_most(MAX_SECONDS as f64, number(node, NumberBound::Above(0.0))?, node)?;
    match Duration::from_secs_f64(seconds) {
        Duration::ZERO => Err(node.error(format!("`{path}` is less than a nanosecond"), "")),
        duration => Ok(duration),
    }
}

fn whole_seconds(node: &Node<'_>) -> ParseResult<Duration> {
    at_most(MAX_SECONDS, positive(node, "seconds")?, node).map(Duration::from_secs)
}

fn mebibytes(node: &Node<'_>) -> ParseResult<Bytes> {
    positive(node, "MiB").map(Bytes::mib)
}

fn check_multiple(limit: Duration, resolution: Duration, node: &Node<'_>) {
    let times = limit.as_secs_f64() / resolution.as_secs_f64();
    if times.round() < 1.0 || (times - times.round()).abs() > MULTIPLE_TOLERANCE * times.max(1.0) {
        let message = format!(
            "`limits.time_limit` is not a multiple of `limits.time_resolution`, which is {} s",
            resolution.as_secs_f64()
        );
        node.error(message, "change the limit, or add `time_resolution: 0.1` to `limits`");
    }
}
