//! Limits of all tests, of groups, and of single tests; juror supports them if all tests have the same limits.

use std::time::Duration;

use crate::package::node::{Map, Node, ParseResult};
use crate::package::sinol::SINOL_MAKE_HELP;
use crate::package::sinol::test_data::SinolTest;
use crate::package::values::positive;
use juror_core::limits::ProblemLimits;
use juror_core::problem::Problem;
use juror_core::units::Bytes;

pub(super) fn read(tests: &[SinolTest], map: &mut Map<'_>, problem: &mut Problem) {
    let time = common_limit(tests, map, ["time_limit", "time_limits"], "ms");
    let memory = common_limit(tests, map, ["memory_limit", "memory_limits"], "KiB");
    let time = time.map(|number| Duration::from_millis(number.into()));
    problem.limits = ProblemLimits::stated(time, memory.map(|number| Bytes::kib(number.into())));
}

fn common_limit(
    tests: &[SinolTest],
    map: &mut Map<'_>,
    [one, several]: [&'static str; 2],
    unit: &str,
) -> Option<u32> {
    let whole = map.get(one, |node| positive::<u32>(node, unit));
    let listed = map.get(several, |node| limits_by_name(node, unit)).unwrap_or_default();
    let find = |name: &str| listed.iter().find(|(test, _)| test == name).map(|(_, limit)| *limit);
    let of_test = |test: &SinolTest| {
        // Limits of test `0` are those of the group.
        let own = find(&test.id).filter(|_| test.id != "0");
        own.or_else(|| find(&test.group.to_string())).or(whole)
    };
    let mut all: Vec<Option<u32>> = tests.iter().map(of_test).collect();
    all.dedup();
    match all[..] {
        [] if whole.is_some() => whole,
        [Some(limit)] => Some(limit),
        _ if all.contains(&None) || all.is_empty() => {
            let message = format!("has no `{one}` for all tests");
            map.node.at_file().error(message, format!("add `{one}`, in {unit}"));
            None
        }
        _ => {
            if let Some(node) = map.node(several) {
                let message =
                    format!("`{several}` differ, but juror has one limit for all test cases");
                node.at_key().error(message, SINOL_MAKE_HELP);
            }
            None
        }
    }
}

fn limits_by_name(node: &Node<'_>, unit: &str) -> ParseResult<Vec<(String, u32)>> {
    let entries = node.entries("a map of groups or tests to limits")?;
    Ok(entries
        .filter_map(|node| Some((node.key.to_owned(), positive(&node, unit).ok()?)))
        .collect())
}
