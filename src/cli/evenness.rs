//! Conclusions from a machine's calibration: whether times are even, and what would make them so.

use crate::cli::advice::{advice, finding, words};
use crate::model::host::{Calibration, Finding, Grade};

/// How even times are: one finding with what is good, and one for each problem.
pub(super) fn times(found: &Calibration) -> Vec<Finding> {
    const SUBJECT: &str = "times";
    let percent = |part: f64| format!("{:.0} %", part * 100.0);
    let gigabytes = |bytes: f64| format!("{:.1} GB/s", bytes / 1e9);
    let slower = 1.0 - found.copied_beside_per_second / found.copied_per_second.max(1.0);
    let weak = [
        (
            found.pace_noise > 0.1,
            format!("the same work sometimes takes up to {} longer", percent(found.pace_noise)),
            "end other programs, and stay well away from the time limit",
        ),
        (
            found.busy > 0.05,
            format!("other programs used the processor for {} of the time", percent(found.busy)),
            "end them before you measure",
        ),
        (
            found.stolen > 0.01,
            format!(
                "the host of this machine took {} of the processors' time",
                percent(found.stolen)
            ),
            "measure on a machine whose processors are not shared",
        ),
        (
            found.pace_beside > 0.1 || slower > 0.3,
            format!(
                "while all cores are busy, each computes {} slower and copies {} slower",
                percent(found.pace_beside),
                percent(slower)
            ),
            "use --exclusive, which runs one program at a time",
        ),
    ];
    let weak = weak.into_iter().filter(|(is_so, ..)| *is_so);
    let mut findings: Vec<Finding> = weak
        .map(|(_, text, help)| finding(Grade::Weak, SUBJECT, text).advise(words(help)))
        .collect();
    if found.frequency_governor.as_deref().is_some_and(|it| it != "performance") {
        let governor = found.frequency_governor.as_deref().unwrap_or_default();
        let text = format!("the frequency of the processors changes: governor {governor}");
        findings.push(finding(Grade::Weak, SUBJECT, text).advise(advice(
            "keep it high while you measure",
            "sudo cpupower frequency-set -g performance",
        )));
    }
    if findings.is_empty() {
        let text = format!(
            "even: the same work differs by {}, on all cores at once by {}; {} copied, on all cores {} each",
            percent(found.pace_noise),
            percent(found.pace_beside),
            gigabytes(found.copied_per_second),
            gigabytes(found.copied_beside_per_second)
        );
        findings.push(finding(Grade::Good, SUBJECT, text));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_times_uneven_is_told() {
        let check = |change: fn(&mut Calibration), texts: &[&str]| {
            let mut found = Calibration {
                pace_noise: 0.01,
                copied_per_second: 1e10,
                copied_beside_per_second: 9e9,
                ..Calibration::default()
            };
            change(&mut found);
            let all = times(&found);
            let is_fine = texts.len() == 1 && texts[0].starts_with("even");
            assert_eq!(all.iter().all(|it| it.grade == Grade::Good), is_fine, "{all:?}");
            assert_eq!(all.len(), texts.len(), "{all:?}");
            for (found, text) in all.iter().zip(texts) {
                assert!(found.text.contains(text), "{found:?}");
            }
        };
        check(|_| (), &["even: the same work differs by 1 %"]);
        check(|it| it.pace_noise = 0.2, &["20 % longer"]);
        check(|it| it.busy = 0.5, &["50 % of the time"]);
        check(|it| it.stolen = 0.02, &["took 2 %"]);
        check(|it| it.pace_beside = 0.4, &["computes 40 % slower and copies 10 % slower"]);
        check(|it| it.copied_beside_per_second = 5e9, &["copies 50 % slower"]);
        check(|it| it.frequency_governor = Some("performance".to_owned()), &["even"]);
        check(|it| it.frequency_governor = Some("powersave".to_owned()), &["governor powersave"]);
        check(|it| (it.busy, it.stolen) = (0.1, 0.1), &["other programs", "the host"]);
    }
}
