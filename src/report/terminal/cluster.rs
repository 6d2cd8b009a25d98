//! The survey of a server for workers: findings for `juror doctor`, tables for `juror cluster status`.

use crate::report::result::CommandResult;
use crate::report::style::TextRole;
use crate::report::terminal::columns::TableCell;
use crate::report::terminal::doctor;
use crate::report::terminal::page::Page;
use juror_core::cluster::{ClusterRole, ClusterSurvey, ServerDiagnosis};
use juror_core::exit_code::ExitCode;
use juror_core::text::{count, printable};

impl CommandResult for ClusterSurvey {
    fn render(&self, page: &mut Page<'_>) {
        title(page, self);
        tables(page, self);
    }

    fn exit_code(&self) -> ExitCode {
        if self.is_unusable() { ExitCode::JudgeError } else { ExitCode::Success }
    }
}

impl CommandResult for ServerDiagnosis {
    fn render(&self, page: &mut Page<'_>) {
        title(page, &self.0);
        doctor::write_findings(page, &self.0.findings);
    }

    fn exit_code(&self) -> ExitCode {
        CommandResult::exit_code(&self.0)
    }
}

fn title(page: &mut Page<'_>, survey: &ClusterSurvey) {
    if page.style.is_quiet() {
        return;
    }
    let server = &survey.server;
    let name = server.name.as_deref().map_or(String::new(), |it| format!(" ({it})"));
    page.line(0, &printable(&format!("{}{name}", server.address)));
    page.blank();
}

fn tables(page: &mut Page<'_>, survey: &ClusterSurvey) {
    if survey.server.role == ClusterRole::Worker {
        page.wrapped(0, "This is a worker's key, which shows neither units nor other workers.");
        return;
    }
    let queues = survey.queues.iter().map(|it| {
        vec![
            TableCell::left(printable(&it.lane)),
            TableCell::left(printable(&it.class)),
            TableCell::right(it.waiting.to_string()),
            TableCell::right(it.running.to_string()),
            TableCell::right(it.given_again.to_string()),
            TableCell::right(format!("{:.1}", it.per_second)),
        ]
    });
    let waiting: u64 = survey.queues.iter().map(|it| it.waiting).sum();
    let running: u64 = survey.queues.iter().map(|it| it.running).sum();
    let titles = ["lane", "class", "waiting", "running", "again", "done/s"];
    let title = format!("{} waiting, {running} running", count(waiting as usize, "unit"));
    table(page, &title, titles, 2, queues);
    page.blank();
    let workers = survey.workers.iter().map(|it| {
        vec![
            TableCell::left(printable(&it.name)),
            TableCell::left(it.isolation.to_string()),
            TableCell::left(printable(&it.class)),
            TableCell::left(printable(&it.user.chars().take(KEY_PREFIX).collect::<String>())),
            TableCell::right(it.slots.to_string()),
            TableCell::right(it.seen_seconds.map_or("?".to_owned(), |it| format!("{it:.1} s"))),
        ]
    });
    let titles = ["name", "isolation", "class", "key", "slots", "seen"];
    let title = if survey.knows_workers() || !survey.workers.is_empty() {
        count(survey.workers.len(), "worker")
    } else {
        "workers: unknown until a command runs programs with `--executor`".to_owned()
    };
    table(page, &title, titles, 4, workers);
}

/// So many characters identify a public key.
const KEY_PREFIX: usize = 8;

/// The columns after the first `left` are numbers.
fn table(
    page: &mut Page<'_>,
    title: &str,
    titles: [&str; 6],
    left: usize,
    rows: impl ExactSizeIterator<Item = Vec<TableCell>>,
) {
    page.line(0, &page.style.paint(TextRole::Title, title));
    if rows.len() == 0 {
        return;
    }
    let head = titles
        .iter()
        .enumerate()
        .map(|(at, text)| if at < left { TableCell::left(*text) } else { TableCell::right(*text) });
    page.columns(2, [head.collect()].into_iter().chain(rows));
}
