//! The results of `juror doctor`.

use crate::report::result::CommandResult;
use crate::report::style::TextRole;
use crate::report::terminal::page::{Label, Page};
use juror_core::exit_code::ExitCode;
use juror_core::host::{Diagnosis, Finding, FindingRating, HostFacts};
use juror_core::isolation::Isolation;
use juror_core::text::printable;

/// The column where the text of a finding begins.
const TEXT_INDENT: usize = 7;

impl CommandResult for Diagnosis {
    fn render(&self, page: &mut Page<'_>) {
        let style = page.style;
        if !style.is_quiet() {
            let facts = &self.facts;
            let version = env!("CARGO_PKG_VERSION");
            let system = format!("{} {}", printable(&facts.system), printable(&facts.kernel));
            let user = match facts.user {
                0 => "as root".to_owned(),
                user => format!("as user {user}"),
            };
            page.line(0, &format!("juror {version} on {system}, {user}"));
            page.blank();
        }
        write_findings(page, &self.findings);
        if !style.is_quiet() {
            page.blank();
            page.wrapped(0, &conclusion(self));
        }
    }

    fn exit_code(&self) -> ExitCode {
        let is_full = self.chosen.is_some_and(Isolation::is_full);
        if is_full { ExitCode::Success } else { ExitCode::JudgeError }
    }
}

pub(super) fn write_findings(page: &mut Page<'_>, findings: &[Finding]) {
    let style = page.style;
    let mut subject = "";
    for finding in findings {
        if style.is_quiet() && finding.grade == FindingRating::Good {
            continue;
        }
        if finding.subject != subject {
            subject = finding.subject;
            page.line(0, &style.paint(TextRole::Title, subject));
        }
        write_finding(page, finding);
    }
}

fn write_finding(page: &mut Page<'_>, finding: &Finding) {
    let label = match finding.grade {
        FindingRating::Good => Label::new(TextRole::Good, "ok   "),
        FindingRating::Weak => "weak ".into(),
        FindingRating::Missing => Label::new(TextRole::Bad, "no   "),
    };
    page.labelled(2, label, &printable(&finding.text));
    if let Some(advice) = &finding.advice {
        let colon = if finding.command.is_some() { ":" } else { "" };
        page.wrapped(TEXT_INDENT, &format!("{}{colon}", printable(advice)));
        // The command has its own line, so that it can be copied.
        if let Some(command) = &finding.command {
            page.line(TEXT_INDENT + 2, &printable(command));
        }
    }
}

fn conclusion(diagnosis: &Diagnosis) -> String {
    let HostFacts { cpu_meter, memory_meter, .. } = &diagnosis.facts;
    let measured = format!("CPU time by {cpu_meter}, memory by {memory_meter}");
    match diagnosis.chosen {
        Some(isolation) if isolation.is_full() => {
            format!("Programs will be isolated by {isolation}; {measured}.")
        }
        Some(Isolation::Plain) => format!(
            "Programs will run without isolation, with a warning, unless --isolation=full forbids it; {measured}."
        ),
        Some(isolation) => format!(
            "Programs will be isolated by {isolation}, with a warning, unless --isolation=full forbids it; \
             {measured}."
        ),
        None => "Programs cannot be isolated here, so none will run except with --isolation=plain."
            .to_owned(),
    }
}
