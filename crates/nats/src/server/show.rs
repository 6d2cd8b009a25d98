//! The survey of a server as text: findings, and tables of units and workers.

use std::fmt::Write as _;

use crate::server::model::{ClusterRole, ClusterSurvey};
use juror_core::host::FindingRating;
use juror_core::text::{count, printable};

/// So many characters identify a public key.
const KEY_PREFIX: usize = 8;

fn title(survey: &ClusterSurvey) -> String {
    let server = &survey.server;
    let name = server.name.as_deref().map_or(String::new(), |name| format!(" ({name})"));
    format!("{}\n\n", printable(&format!("{}{name}", server.address)))
}

/// What is good, what is weak and what is missing, with what to do about it.
pub fn show_findings(survey: &ClusterSurvey) -> String {
    let mut text = title(survey);
    let mut subject = "";
    for finding in &survey.findings {
        if finding.subject != subject {
            subject = finding.subject;
            text += &format!("{subject}\n");
        }
        let label = match finding.grade {
            FindingRating::Good => "ok",
            FindingRating::Weak => "weak",
            FindingRating::Missing => "no",
        };
        // Writing to a string cannot fail.
        _ = writeln!(text, "  {label:<4} {}", printable(&finding.text));
        if let Some(advice) = &finding.advice {
            _ = writeln!(text, "       {}", printable(advice));
        }
    }
    text
}

/// What waits and runs, and who is there.
pub fn show_tables(survey: &ClusterSurvey) -> String {
    let mut text = title(survey);
    if survey.server.role == ClusterRole::Worker {
        return text + "This is a worker's key, which shows neither units nor other workers.\n";
    }
    let waiting: u64 = survey.queues.iter().map(|queue| queue.waiting).sum();
    let running: u64 = survey.queues.iter().map(|queue| queue.running).sum();
    _ = writeln!(text, "{} waiting, {running} running", count(waiting, "unit"));
    let queues = survey.queues.iter().map(|queue| {
        let rate = format!("{:.1}", queue.per_second);
        let numbers = [queue.waiting, queue.running, queue.given_again].map(|it| it.to_string());
        [&[printable(&queue.lane), printable(&queue.class)][..], &numbers, &[rate]].concat()
    });
    text += &table(["lane", "class", "waiting", "running", "again", "done/s"], 2, queues.collect());
    text += "\n";
    text += &if survey.knows_workers() || !survey.workers.is_empty() {
        count(survey.workers.len(), "worker")
    } else {
        "workers: unknown until a command runs programs with `juror-nats submit`".to_owned()
    };
    text += "\n";
    let workers = survey.workers.iter().map(|worker| {
        let key: String = worker.user.chars().take(KEY_PREFIX).collect();
        let seen = worker.seen_seconds.map_or("?".to_owned(), |seconds| format!("{seconds:.1} s"));
        let (name, isolation) = (printable(&worker.name), worker.isolation.to_string());
        let (class, slots) = (printable(&worker.class), worker.slots.to_string());
        vec![name, isolation, class, printable(&key), slots, seen]
    });
    let titles = ["name", "isolation", "class", "key", "slots", "seen"];
    text + &table(titles, 4, workers.collect())
}

/// The columns after the first `left` are numbers.
fn table(titles: [&str; 6], left: usize, mut rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    rows.insert(0, titles.map(str::to_owned).to_vec());
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..titles.len()).filter_map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
