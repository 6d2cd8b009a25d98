//! Draws conclusions from a machine's calibration: whether times are even, and what would make them so.

use crate::doctor::{advice_text, advice_with_command, new_finding};
use juror_core::host::{Calibration, Finding, FindingRating};

/// One finding if times are even, otherwise one for each problem.
pub(super) fn time_findings(calibration: &Calibration) -> Vec<Finding> {
    const SUBJECT: &str = "times";
    let noise = format!("{:.0} %", calibration.pace_noise * 100.0);
    let weak =
        |text: String, help| new_finding(FindingRating::Weak, SUBJECT, text).with_advice(help);
    let mut findings = Vec::new();
    if calibration.pace_noise > 0.1 {
        let help = "end other programs, and stay well away from the time limit";
        let text = format!("the same work sometimes takes up to {noise} longer");
        findings.push(weak(text, advice_text(help)));
    }
    if let Some(governor) = &calibration.frequency_governor
        && governor != "performance"
    {
        let text = format!("the frequency of the processors changes: governor {governor}");
        let command = "sudo cpupower frequency-set -g performance";
        findings.push(weak(text, advice_with_command("keep it high while you measure", command)));
    }
    if findings.is_empty() {
        let text = format!("even: the same work differs by {noise}");
        findings.push(new_finding(FindingRating::Good, SUBJECT, text));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_of_uneven_times_has_a_finding() {
        let check = |noise: f64, governor: Option<&str>, texts: &[&str]| {
            let frequency_governor = governor.map(str::to_owned);
            let found = time_findings(&Calibration { pace_noise: noise, frequency_governor });
            let all: Vec<&str> = found.iter().map(|finding| &*finding.text).collect();
            assert_eq!(all.len(), texts.len(), "{all:?}");
            assert!(all.iter().zip(texts).all(|(finding, text)| finding.contains(text)), "{all:?}");
        };
        check(0.01, Some("performance"), &["even: the same work differs by 1 %"]);
        check(0.2, None, &["20 % longer"]);
        check(0.2, Some("powersave"), &["20 %", "governor powersave"]);
    }
}
