//! What `juror doctor` found out.

use unicode_width::UnicodeWidthStr;

use crate::model::host::{Diagnosis, Finding, Grade};
use crate::model::isolation::Isolation;
use crate::model::text::printable;
use crate::report::style::{Look, Style};

/// How far what is said stands in, below a subject.
const INDENT: &str = "       ";

/// The diagnosis for a person: each subject with what there is to say about it, and what to do below.
pub(super) fn text(diagnosis: &Diagnosis, style: &Style) -> String {
    let mut text = String::new();
    if !style.is_quiet() {
        text.push_str(&format!(
            "juror {} on {} {}, {}\n\n",
            env!("CARGO_PKG_VERSION"),
            printable(&diagnosis.facts.system),
            printable(&diagnosis.facts.kernel),
            match diagnosis.facts.user {
                0 => "as root".to_owned(),
                user => format!("as user {user}"),
            }
        ));
    }
    let mut subject = "";
    for finding in &diagnosis.findings {
        if style.is_quiet() && finding.grade == Grade::Good {
            continue;
        }
        if finding.subject != subject {
            subject = finding.subject;
            text.push_str(&format!("{}\n", style.paint(Look::Title, subject)));
        }
        text.push_str(&entry(finding, style));
    }
    if !style.is_quiet() {
        text.push_str(&format!("\n{}\n", wrapped(&conclusion(diagnosis), style.width).join("\n")));
    }
    text
}

fn entry(finding: &Finding, style: &Style) -> String {
    let (look, mark) = match finding.grade {
        Grade::Good => (Look::Good, "ok"),
        Grade::Weak => (Look::Plain, "weak"),
        Grade::Missing => (Look::Bad, "no"),
    };
    let padding = " ".repeat(5 - mark.len());
    let mark = style.paint(look, mark);
    let mut lines = wrapped(&printable(&finding.text), style.width).into_iter();
    let mut text = format!("  {mark}{padding}{}\n", lines.next().unwrap_or_default());
    for line in lines {
        text.push_str(&format!("{INDENT}{line}\n"));
    }
    if let Some(advice) = &finding.advice {
        let colon = if advice.command.is_some() { ":" } else { "" };
        for line in wrapped(&format!("{}{colon}", printable(&advice.text)), style.width) {
            text.push_str(&format!("{INDENT}{line}\n"));
        }
        // To be copied, so in one piece.
        if let Some(command) = &advice.command {
            text.push_str(&format!("{INDENT}  {}\n", printable(command)));
        }
    }
    text
}

/// Lines that, behind [`INDENT`], keep to a width as far as words allow.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let room = width.saturating_sub(INDENT.len()).max(20);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn conclusion(diagnosis: &Diagnosis) -> String {
    let meters = &diagnosis.facts.meters;
    let measured = format!("CPU time by {}, memory by {}", meters.cpu, meters.memory);
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
        None => {
            "Programs cannot be isolated here, so none will be run, but with --isolation=plain."
                .to_owned()
        }
    }
}
