//! Merged reports: they are turned into events again, so that every reporter can show them.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::created::NextStep;
use crate::model::diagnostic::Diagnostic;
use crate::model::duplicates::Duplicates;
use crate::model::event::{Event, Stamped};
use crate::model::explanation::Explained;
use crate::model::judgement::Judgement;
use crate::model::recalled::Recalled;
use crate::model::report::{
    FORMAT, FaultReport, GeneratedReport, IsolationReport, NextReport, PackageReport,
    SubmissionReport, Summary, VERSION,
};
use crate::model::units::seconds;
use crate::model::worker::WorkerReport;

/// One of several parts of a command's work that are done separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// Which one, from 1.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

impl Shard {
    /// Whether the unit of work with this number, from 0, belongs to the shard.
    pub const fn has(self, unit: usize) -> bool {
        unit % self.count as usize == self.index as usize - 1
    }
}

impl fmt::Display for Shard {
    /// In the form `2/5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// The commands whose reports can be merged.
const COMMANDS: [&str; 3] = ["judge", "verify", "generate"];

/// The parts of a written report that become events again.
#[derive(Clone, Debug, Deserialize)]
pub struct Document {
    juror: String,
    command: String,
    shard: Option<Shard>,
    packages: Vec<PackageReport>,
    mechanism: Option<String>,
    isolation: Option<IsolationReport>,
    boxes: Option<PathBuf>,
    diagnostics: Vec<Diagnostic>,
    complaints: Vec<String>,
    /// The exit code of work that was refused or ended early.
    pub ended_with: Option<u32>,
    submissions: Vec<SubmissionReport>,
    duplicates: Vec<Duplicates>,
    explanations: Vec<Explained>,
    judge_errors: Vec<FaultReport>,
    generated: Vec<GeneratedReport>,
    next: Vec<NextReport>,
    proposals: Vec<IgnoredAny>,
    cache: Option<Recalled>,
    workers: Vec<WorkerReport>,
    summary: Summary,
    interrupted: bool,
}

impl Document {
    /// Parses a report.
    ///
    /// # Errors
    /// Why it is not a report, in words.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let no_report = |error| format!("it is not a report of `juror ... --json`: {error}");
        let value: Value = serde_json::from_slice(text).map_err(no_report)?;
        let head = Head::deserialize(&value).map_err(no_report)?;
        if head.format != FORMAT {
            return Err(format!("it is a {}, not a {FORMAT}", head.format));
        }
        if head.version != VERSION {
            let version = head.version;
            return Err(format!("its version is {version}; this juror reads version {VERSION}"));
        }
        if let Some(number) = too_large(&value) {
            return Err(format!("it is damaged: {number} is more than any count in a report"));
        }
        serde_json::from_slice(text).map_err(|error| error.to_string())
    }
}

/// A number that is so large that sums with it could overflow.
fn too_large(value: &Value) -> Option<u64> {
    /// The largest integer that every reader of JSON reads exactly.
    const MOST: u64 = 1 << 53;
    match value {
        Value::Number(number) => number.as_u64().filter(|number| *number > MOST),
        Value::Array(all) => all.iter().find_map(too_large),
        Value::Object(all) => all.values().find_map(too_large),
        _ => None,
    }
}

/// The command of all reports.
///
/// # Errors
/// Why they cannot be merged, in words.
pub fn command(documents: &[Document]) -> Result<&'static str, String> {
    let mut commands = documents.iter().map(|it| &*it.command);
    let first = commands.next().unwrap_or_default();
    if let Some(other) = commands.find(|it| *it != first) {
        return Err(format!("one report is of `juror {first}`, another of `juror {other}`"));
    }
    let known = COMMANDS.into_iter().find(|it| *it == first);
    let command = known.ok_or_else(|| {
        format!(
            "reports of `juror {first}` cannot be merged, only those of judge, verify and generate"
        )
    })?;
    if documents.iter().any(|it| !it.proposals.is_empty()) {
        return Err("one report is of `juror generate --from-grammar`".to_owned());
    }
    let mut known = HashSet::new();
    for document in documents {
        let name = |it: &SubmissionReport| (it.package.clone(), it.name.clone());
        let names: HashSet<_> = document.submissions.iter().map(name).collect();
        if let Some((_, name)) =
            names.iter().find(|name| document.shard.is_none() && known.contains(*name))
        {
            return Err(format!("two reports have {name}"));
        }
        known.extend(names);
    }
    let shards: Vec<Shard> = documents.iter().filter_map(|it| it.shard).collect();
    let Some(&Shard { count, .. }) = shards.first() else { return Ok(command) };
    if shards.len() < documents.len() || shards.iter().any(|it| it.count != count) {
        return Err("they are not the shards of one run".to_owned());
    }
    // A shard without work names no package.
    if let Some(other) = documents.iter().find(|it| it.juror != documents[0].juror) {
        return Err(format!(
            "one is of juror {}, another of juror {}",
            documents[0].juror, other.juror
        ));
    }
    let packages = documents.iter().map(|it| {
        it.packages.iter().map(|it| (it.name.as_str(), it.test_cases)).collect::<Vec<_>>()
    });
    let mut packages = packages.filter(|it| !it.is_empty());
    let first = packages.next();
    if packages.any(|it| Some(it) != first) {
        return Err("their packages or test cases differ".to_owned());
    }
    for index in 1..=count {
        let shard = Shard { index, count };
        match shards.iter().filter(|it| **it == shard).count() {
            0 => return Err(format!("the report of shard {shard} is missing")),
            1 => {}
            _ => return Err(format!("there are two reports of shard {shard}")),
        }
    }
    Ok(command)
}

/// The events of all reports, as if of a single run. Repeated information appears once.
pub fn events(documents: &[Document]) -> Vec<Stamped> {
    // They ran side by side.
    let at = documents.iter().map(|it| it.summary.elapsed).max().unwrap_or_default();
    let mut told = Told { at, events: Vec::new() };
    // The weakest isolation counts for the whole.
    let isolations = documents.iter().filter_map(|it| it.isolation.as_ref());
    if let Some(weakest) = isolations.max_by_key(|it| it.by) {
        let (isolation, shortfall) = (weakest.by, weakest.warning.clone());
        told.say(None, Event::HostReady { isolation, shortfall, most_at_once: None });
    }
    for dir in documents.iter().filter_map(|it| it.boxes.clone()) {
        told.say(None, Event::BoxesKept { dir });
    }
    for message in unique(documents.iter().flat_map(|it| &it.complaints)) {
        told.say(None, Event::Complained { message: message.clone(), help: None });
    }
    for exit_code in documents.iter().filter_map(|it| it.ended_with) {
        told.say(None, Event::EndedEarly { exit_code });
    }
    let duplicates = unique(documents.iter().flat_map(|it| &it.duplicates));
    if !duplicates.is_empty() {
        let duplicates = duplicates.into_iter().cloned().collect();
        told.say(None, Event::DuplicatesFound(duplicates));
    }
    let mut diagnostics = unique(documents.iter().flat_map(|it| &it.diagnostics));
    let packages = unique(documents.iter().flat_map(|it| &it.packages).map(|it| &it.name));
    // The packages that could not be read.
    let unread = documents.iter().flat_map(|it| &it.next).filter_map(|it| it.package.as_ref());
    for name in unique(unread.filter(|it| !packages.contains(it))) {
        told.next(name, documents);
    }
    for name in packages {
        told.package(name, documents, &mut diagnostics);
    }
    for diagnostic in diagnostics {
        told.say(None, Event::Diagnosed(diagnostic.clone()));
    }
    for fault in documents.iter().flat_map(|it| &it.judge_errors) {
        // The others belong to submissions.
        if fault.submission.is_none() {
            told.say(fault.package.as_deref(), Event::Failed(fault.error.clone()));
        }
    }
    for explained in documents.iter().flat_map(|it| &it.explanations) {
        told.say(explained.package.as_deref(), Event::Explained(Box::new(explained.clone())));
    }
    // Runs of interrupted reports that belong to submissions without a judgement.
    let runs: usize = documents.iter().map(|it| it.summary.runs).sum();
    let known = documents.iter().flat_map(|it| &it.submissions).map(|it| it.test_cases.len());
    told.say(None, Event::RunsRetold(runs.saturating_sub(known.sum())));
    let recalled = documents.iter().filter_map(|it| it.cache);
    if let Some(recalled) = recalled.reduce(Recalled::and) {
        told.say(None, Event::Recalled(recalled));
    }
    let workers: Vec<_> = documents.iter().flat_map(|it| it.workers.clone()).collect();
    if !workers.is_empty() {
        told.say(None, Event::WorkersUsed(workers));
    }
    if documents.iter().any(|it| it.interrupted) {
        told.say(None, Event::Interrupted);
    }
    told.events
}

/// The events so far.
struct Told {
    at: Duration,
    events: Vec<Stamped>,
}

impl Told {
    fn say(&mut self, package: Option<&str>, event: Event) {
        self.events.push(Stamped { at: self.at, package: package.map(Into::into), event });
    }

    /// Adds all events about a package; removes its diagnostics from the list.
    fn package(&mut self, name: &str, documents: &[Document], diagnostics: &mut Vec<&Diagnostic>) {
        let about = |document: &Document| {
            let own = document.packages.iter().find(|it| it.name == name);
            own.map(|it| (it.clone(), document.mechanism.clone()))
        };
        let parts: Vec<(PackageReport, Option<String>)> =
            documents.iter().filter_map(about).collect();
        let Some((mut whole, _)) = parts.first().cloned() else { return };
        whole.submissions = parts.iter().map(|(part, _)| part.submissions).sum();
        let limits =
            parts.iter().find_map(|(part, mechanism)| part.limits.clone().zip(mechanism.clone()));
        whole.limits = None;
        let path = whole.path.clone();
        for diagnostic in diagnostics.extract_if(.., |it| it.place.path.starts_with(&path)) {
            self.say(Some(name), Event::Diagnosed(diagnostic.clone()));
        }
        self.say(Some(name), Event::PackageRead(Box::new(whole)));
        if let Some((limits, mechanism)) = limits {
            let mut others = parts.iter().filter_map(|(part, _)| part.limits.as_ref());
            if let Some(other) = others.find(|it| it.cpu_time() != limits.cpu_time()) {
                let what = format!(
                    "shards were judged with different time limits: {} and {}",
                    seconds(limits.cpu_time()),
                    seconds(other.cpu_time())
                );
                let remark = Diagnostic::warning(path, what)
                    .help("set the limit in the package, or give each shard the same --time-limit");
                self.say(Some(name), Event::Diagnosed(remark));
            }
            self.say(Some(name), Event::LimitsSet { limits, mechanism });
        }
        let submissions = documents.iter().flat_map(|it| &it.submissions);
        let mut own: Vec<&SubmissionReport> =
            submissions.filter(|it| it.package.as_deref() == Some(name)).collect();
        if documents.len() > 1 {
            // In the order of packages; the order on the command line is not known.
            own.sort_by(|a, b| a.name.cmp(&b.name));
        }
        for event in own.into_iter().filter_map(|it| judged(it.clone())) {
            self.say(Some(name), event);
        }
        for GeneratedReport { package, test_case, state } in
            documents.iter().flat_map(|it| &it.generated)
        {
            if package.as_deref() == Some(name) {
                let (test_case, state) = (test_case.clone(), *state);
                self.say(Some(name), Event::CaseGenerated { test_case, state });
            }
        }
        self.next(name, documents);
    }

    /// Adds the next steps for a package.
    fn next(&mut self, name: &str, documents: &[Document]) {
        let next = documents.iter().flat_map(|it| &it.next);
        let next = next.filter(|it| it.package.as_deref() == Some(name));
        let next: Vec<NextStep> = next.map(|it| it.step.clone()).collect();
        if !next.is_empty() {
            self.say(Some(name), Event::Next(next));
        }
    }
}

/// The event of a judged submission.
fn judged(submission: SubmissionReport) -> Option<Event> {
    let Some(verdict) = submission.verdict else {
        let error = submission.error?.error;
        return Some(Event::SubmissionFailed { submission: submission.name, error });
    };
    Some(Event::SubmissionJudged(Box::new(Judgement {
        submission: submission.name,
        path: submission.path,
        verdict,
        cases: submission.test_cases,
        score: submission.score,
        skipped: submission.skipped,
        spared: submission.spared,
        compiler: submission.compiler,
        broken: submission.broken_expectations,
    })))
}

fn unique<'a, T: PartialEq>(all: impl Iterator<Item = &'a T>) -> Vec<&'a T> {
    let mut kept: Vec<&T> = Vec::new();
    for it in all {
        if !kept.contains(&it) {
            kept.push(it);
        }
    }
    kept
}
