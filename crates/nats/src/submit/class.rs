//! Which workers run the jobs: those that are alike.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::link::Link;
use crate::presence::{self, Announcement, PresentWorker};
use juror_core::judgement::JudgeError;

/// How long a worker may take to announce itself.
const ANNOUNCED: Duration = Duration::from_secs(5);

/// A bit more than the interval between a worker's announcements.
const ROUND: Duration = Duration::from_millis(1200);

/// The workers that are alike: their class, its members by their unique names, and workers that are not alike.
pub(super) type WorkerClass = (String, Vec<(String, Announcement)>, Vec<Announcement>);

/// Waits for the first worker, and a moment for the others. All are alike, unless two that are not started at once:
/// then those with more slots are used.
pub(super) async fn find_class(link: &Link, name: &str) -> Result<WorkerClass, JudgeError> {
    let fault = |reason: String| JudgeError::new(format!("find workers at {name}"), reason);
    let end = Instant::now() + ANNOUNCED;
    let mut has_waited = false;
    let mut present = Vec::new();
    loop {
        let found = presence::present_workers(link).await;
        let found = found.map_err(|silence| fault(silence.to_string()))?;
        let is_usable = found.iter().any(|worker| worker.announcement.is_some());
        if is_usable && (!has_waited || !present.is_empty()) {
            present = found;
            break;
        }
        if !is_usable && Instant::now() >= end {
            let reason = match found.len() {
                0 => "no worker has announced itself".to_owned(),
                others => format!("{others} are there, and all are another juror"),
            };
            let help = format!("start some with `juror-nats work {name} -- juror worker --stdio`");
            return Err(fault(reason).help(help));
        }
        has_waited = true;
        sleep(if is_usable { ROUND } else { Duration::from_millis(100) }).await;
        present = if is_usable { found } else { Vec::new() };
    }
    let mut classes: BTreeMap<String, Vec<(String, Announcement)>> = BTreeMap::new();
    for PresentWorker { class, id, announcement, .. } in present {
        let members = announcement.map(|announcement| (id, announcement));
        classes.entry(class).or_default().extend(members);
    }
    let slots = |members: &[(String, Announcement)]| -> usize {
        members.iter().map(|(_, announcement)| announcement.facts.slots).sum()
    };
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, members)| slots(members));
    let (class, members) = classes.pop().unwrap_or_default();
    let others = classes.into_iter().flat_map(|(_, members)| members);
    Ok((class, members, others.map(|(_, announcement)| announcement).collect()))
}
