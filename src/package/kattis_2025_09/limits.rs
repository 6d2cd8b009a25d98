//! `limits` of `problem.yaml`.
//!
//! Source: problem package format 2025-09, "Limits".

use std::time::Duration;

use crate::model::limits::ProblemLimits;
use crate::model::units::Bytes;
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::keys::{self, Bound, Keys, Replaced};
use crate::package::text::Remarks;
use crate::package::yaml::Node;

const REPLACED: &[Replaced] = &[
    Replaced {
        old: "time_multiplier",
        help: "in format 2025-09: `time_multipliers: {ac_to_time_limit: ...}`",
    },
    Replaced {
        old: "time_safety_margin",
        help: "in format 2025-09: `time_multipliers: {time_limit_to_tle: ...}`",
    },
];

/// How far a time limit may be from a multiple of the resolution, as part of the resolution:
/// 0.3 is a multiple of 0.1, although not as binary fractions.
const MULTIPLE_TOLERANCE: f64 = 1e-6;

pub(super) fn read(
    node: &Node,
    problem_type: &ProblemType,
    remarks: &mut Remarks<'_>,
) -> ProblemLimits {
    let defaults = ProblemLimits::default();
    let Some(keys) = Keys::open("limits", node, remarks) else {
        return defaults;
    };
    let mut keys = keys.replaced(REPLACED);
    let multipliers = keys.take("time_multipliers").map(|node| multipliers(node, remarks));
    let multipliers = multipliers.unwrap_or_default();
    let time_limit_node = keys.take("time_limit");
    let time_limit = time_limit_node.and_then(|node| seconds("limits.time_limit", node, remarks));
    let time_resolution = keys
        .take("time_resolution")
        .and_then(|node| seconds("limits.time_resolution", node, remarks))
        .unwrap_or(defaults.time_resolution);
    if let (Some(time_limit), Some(node)) = (time_limit, time_limit_node) {
        check_multiple(time_limit, time_resolution, node, remarks);
    }
    let validation_passes = passes(&mut keys, problem_type, remarks);
    let limits = ProblemLimits {
        time_limit,
        ac_to_time_limit: multipliers.ac_to_time_limit.unwrap_or(defaults.ac_to_time_limit),
        time_limit_to_tle: multipliers.time_limit_to_tle.unwrap_or(defaults.time_limit_to_tle),
        time_resolution,
        memory: mebibytes(&mut keys, "memory", remarks),
        output: mebibytes(&mut keys, "output", remarks),
        code: integer(&mut keys, "code", "KiB", remarks).map(Bytes::kib),
        compilation_time: whole_seconds(&mut keys, "compilation_time", remarks),
        compilation_memory: mebibytes(&mut keys, "compilation_memory", remarks),
        validation_passes,
        validation_time: whole_seconds(&mut keys, "validation_time", remarks),
        validation_memory: mebibytes(&mut keys, "validation_memory", remarks),
        validation_output: mebibytes(&mut keys, "validation_output", remarks),
    };
    keys.finish(remarks);
    limits
}

fn passes(
    keys: &mut Keys<'_>,
    problem_type: &ProblemType,
    remarks: &mut Remarks<'_>,
) -> Option<u32> {
    let entry = keys.entry("validation_passes")?;
    if problem_type.excludes("multi-pass") {
        remarks.error(
            entry.key_range,
            "`limits.validation_passes` is only for multi-pass problems",
            Some("remove it"),
        );
        return None;
    }
    let what = "limits.validation_passes";
    let passes = keys::positive_integer(what, "passes", &entry.value, remarks)?;
    match u32::try_from(passes) {
        Ok(1) => {
            let message = "`limits.validation_passes` must be at least 2";
            let help = "remove `multi-pass` from `type` if there is only one pass";
            remarks.error(entry.value.range, message, Some(help));
            None
        }
        Ok(passes) => Some(passes),
        Err(_) => {
            remarks.error(entry.value.range, format!("`{what}` is too large"), None);
            None
        }
    }
}

#[derive(Default)]
struct Multipliers {
    ac_to_time_limit: Option<f64>,
    time_limit_to_tle: Option<f64>,
}

fn multipliers(node: &Node, remarks: &mut Remarks<'_>) -> Multipliers {
    let Some(mut keys) = Keys::open("limits.time_multipliers", node, remarks) else {
        return Multipliers::default();
    };
    let mut take = |key| {
        let node = keys.take(key)?;
        keys::number(&keys.path(key), Bound::AtLeast(1.0), node, remarks)
    };
    let multipliers = Multipliers {
        ac_to_time_limit: take("ac_to_time_limit"),
        time_limit_to_tle: take("time_limit_to_tle"),
    };
    keys.finish(remarks);
    multipliers
}

fn seconds(what: &str, node: &Node, remarks: &mut Remarks<'_>) -> Option<Duration> {
    let seconds = keys::number(what, Bound::Above(0.0), node, remarks)?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if duration.is_zero() => {
            remarks.error(node.range, format!("`{what}` is less than a nanosecond"), None);
            None
        }
        Ok(duration) => Some(duration),
        Err(_) => {
            remarks.error(node.range, format!("`{what}` is too large"), None);
            None
        }
    }
}

fn check_multiple(limit: Duration, resolution: Duration, node: &Node, remarks: &mut Remarks<'_>) {
    let times = limit.as_secs_f64() / resolution.as_secs_f64();
    if times.round() < 1.0 || (times - times.round()).abs() > MULTIPLE_TOLERANCE * times.max(1.0) {
        let message = format!(
            "`limits.time_limit` is not a multiple of `limits.time_resolution`, which is {} s",
            resolution.as_secs_f64()
        );
        let help = "change the limit, or add `time_resolution: 0.1` to `limits`";
        remarks.error(node.range, message, Some(help));
    }
}

fn integer(
    keys: &mut Keys<'_>,
    key: &'static str,
    unit: &str,
    remarks: &mut Remarks<'_>,
) -> Option<u64> {
    let node = keys.take(key)?;
    keys::positive_integer(&keys.path(key), unit, node, remarks)
}

fn mebibytes(keys: &mut Keys<'_>, key: &'static str, remarks: &mut Remarks<'_>) -> Option<Bytes> {
    integer(keys, key, "MiB", remarks).map(Bytes::mib)
}

fn whole_seconds(
    keys: &mut Keys<'_>,
    key: &'static str,
    remarks: &mut Remarks<'_>,
) -> Option<Duration> {
    integer(keys, key, "seconds", remarks).map(Duration::from_secs)
}
