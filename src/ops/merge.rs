//! `juror merge`: joins the events of several commands.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::{Number, Value};

use crate::ops::context::{Context, MergedEnd};
use crate::ops::operation::Operation;
use crate::report::document::FORMAT;
use juror_core::cache_use::CacheUse;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{CommandTask, EVENTS_VERSION, Event, Note, StampedEvent};
use juror_core::exit_code::ExitCode;
use juror_core::progress::PackageReport;
use juror_core::shard::Shard;
use juror_core::stop::{RefusalSubject, Remark, Stop};
use juror_core::units::seconds;
use juror_core::worker::WorkerReport;

#[derive(Args, Debug)]
pub struct MergeOptions {
    /// Files that `judge`, `verify` or `generate` wrote with --events
    #[arg(required = true, value_name = "FILE")]
    pub paths: Vec<PathBuf>,
}

impl Operation for MergeOptions {
    type Result = ();
    const NAME: &'static str = "merge";
    const TASK: CommandTask = CommandTask::Judge;

    fn run(&self, context: &Context) -> Result<(), Stop> {
        merge(&self.paths, context)
    }
}

/// # Errors
/// Names each unreadable file, or why the files do not belong to one run.
pub fn merge(files: &[PathBuf], context: &Context) -> Result<(), Stop> {
    let mut commands = Vec::new();
    let mut faults: Vec<Remark> = Vec::new();
    for path in files {
        match CommandEvents::read(path) {
            Ok(command) => commands.push(command),
            Err(why) => faults.push(format!("cannot merge {}: {why}", path.display()).into()),
        }
    }
    if !faults.is_empty() {
        return Err(Stop::Refused(RefusalSubject::CommandLine, faults));
    }
    check_compatible(&commands).map_err(|why| {
        Stop::usage(format!(
            "cannot merge these files: {why}; pass the events of all shards of one run"
        ))
    })?;
    // The commands ran at the same time.
    let at = commands.iter().map(|command| command.elapsed).max().unwrap_or_default();
    for (package, event) in merge_events(&commands) {
        context.forward(&StampedEvent { at, package, event });
    }
    let recalled = commands.iter().filter_map(|command| command.recalled).reduce(CacheUse::plus);
    let workers = commands.iter().flat_map(|command| command.workers.clone()).collect();
    let ended = commands.iter().map(|command| command.ended);
    let code = ended.fold(ExitCode::Success, ExitCode::graver_of);
    context.set_merged_end(code, MergedEnd { at, recalled, workers });
    Ok(())
}

pub(super) struct CommandEvents {
    pub juror: String,
    pub command: String,
    task: CommandTask,
    shard: Option<Shard>,
    /// Without the first and the last event.
    pub events: Vec<StampedEvent>,
    elapsed: Duration,
    ended: ExitCode,
    recalled: Option<CacheUse>,
    workers: Vec<WorkerReport>,
}

impl CommandEvents {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read(path).map_err(|error| error.to_string())?;
        let document = serde_json::from_slice::<Value>(&text).ok();
        if document.is_some_and(|document| document["format"] == FORMAT) {
            return Err(
                "it is a report of --json; run the command again with --events FILE".to_owned()
            );
        }
        let lines = (1..).zip(text.split(|byte| *byte == b'\n'));
        let mut events: Vec<StampedEvent> = Vec::new();
        for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let event = read_event(line);
            events.push(event.map_err(|why| format!("line {number} {why}"))?);
        }
        let Some(StampedEvent { at, event: Event::Finished { ended, recalled, workers }, .. }) =
            events.pop()
        else {
            return Err(
                "its last line is not the end of a command; run the command again".to_owned()
            );
        };
        if events.iter().any(|stamped| matches!(stamped.event, Event::Finished { .. })) {
            return Err("it has the events of several commands; give a file for each".to_owned());
        }
        // A merged file begins with the start of `merge`, then has that of the commands.
        let begins =
            matches!(events.first(), Some(StampedEvent { event: Event::Started { .. }, .. }));
        let started = events.iter().rev().filter(|_| begins).find_map(|stamped| {
            match stamped.event.clone() {
                Event::Started { juror, command, task, .. } => Some((juror, command, task)),
                _ => None,
            }
        });
        let Some((juror, command, task)) = started else {
            return Err("its first line is not the beginning of a command".to_owned());
        };
        if task == CommandTask::Other {
            return Err(format!(
                "it is of `juror {command}`; only judge, verify and generate can be merged"
            ));
        }
        let shard = events.iter().find_map(|stamped| match stamped.event {
            Event::ShardChosen(shard) => Some(shard),
            _ => None,
        });
        Ok(Self { juror, command, task, shard, events, elapsed: at, ended, recalled, workers })
    }

    pub(super) fn packages(&self) -> impl Iterator<Item = &PackageReport> {
        self.events.iter().filter_map(|stamped| match &stamped.event {
            Event::PackageRead(package) => Some(&**package),
            _ => None,
        })
    }
}

fn read_event(line: &[u8]) -> Result<StampedEvent, String> {
    let other = |error: serde_json::Error| format!("is not an event: {error}");
    let value: Value = serde_json::from_slice(line).map_err(other)?;
    // Events of other versions cannot be read, so this comes first.
    let version = value["about"]["version"].as_u64().unwrap_or(1);
    if value["event"] == "started" && version != u64::from(EVENTS_VERSION) {
        return Err(format!(
            "has version {version}, and this juror reads version {EVENTS_VERSION}; run the command again"
        ));
    }
    if let Some(number) = find_too_large("", &value) {
        return Err(format!(
            "is not an event: it is damaged: {number} is more than any count or time"
        ));
    }
    serde_json::from_value(value).map_err(other)
}

/// A count or time that is so large that a sum with it could overflow. Other numbers, such as differences and points,
/// are written with a point or an exponent, and have no bound.
fn find_too_large<'v>(key: &str, value: &'v Value) -> Option<&'v Number> {
    /// The largest integer that every reader of JSON reads exactly.
    const MAX_EXACT_INTEGER: f64 = (1_u64 << 53) as f64;
    match value {
        Value::Number(number) if number.is_f64() && !key.ends_with("seconds") => None,
        Value::Number(number) => {
            Some(number).filter(|number| number.as_f64() > Some(MAX_EXACT_INTEGER))
        }
        Value::Array(all) => all.iter().find_map(|value| find_too_large(key, value)),
        Value::Object(all) => all.iter().find_map(|(key, value)| find_too_large(key, value)),
        _ => None,
    }
}

pub(super) fn judged_submission(event: &Event) -> Option<&str> {
    match event {
        Event::SubmissionJudged(judgement) => Some(&judgement.submission),
        Event::Failed { submission, .. } => submission.as_deref(),
        _ => None,
    }
}

/// Two commands of one run never have the same submission or test case.
fn work_item(event: &Event) -> Option<&str> {
    match event {
        Event::CaseGenerated { test_case, .. } => Some(test_case),
        event => judged_submission(event),
    }
}

/// Returns why the commands are not parts of one run.
fn check_compatible(commands: &[CommandEvents]) -> Result<(), String> {
    let Some(first) = commands.first() else { return Ok(()) };
    if let Some(other) = commands.iter().find(|command| command.command != first.command) {
        let (first, other) = (&first.command, &other.command);
        return Err(format!("one file is of `juror {first}`, another of `juror {other}`"));
    }
    if let Some(other) = commands.iter().find(|command| command.juror != first.juror) {
        return Err(format!("one is of juror {}, another of juror {}", first.juror, other.juror));
    }
    let mut known = HashSet::new();
    for command in commands {
        let own = command
            .events
            .iter()
            .filter_map(|stamped| Some((&stamped.package, work_item(&stamped.event)?)));
        let own: HashSet<_> = own.collect();
        if let Some((_, name)) = own.iter().find(|item| known.contains(*item)) {
            return Err(format!("two files have {name}"));
        }
        known.extend(own);
    }
    let shards: Vec<Shard> = commands.iter().filter_map(|command| command.shard).collect();
    let Some(&Shard { count, .. }) = shards.first() else { return Ok(()) };
    let is_part = |shard: &Shard| shard.count == count && (1..=count).contains(&shard.index);
    if shards.len() < commands.len() || !shards.iter().all(is_part) {
        return Err("they are not the shards of one run".to_owned());
    }
    let packages = |command: &CommandEvents| {
        command
            .packages()
            .map(|package| (package.name.clone(), package.test_cases))
            .collect::<Vec<_>>()
    };
    // A shard without work names no package.
    let mut packages = commands.iter().map(packages).filter(|packages| !packages.is_empty());
    let first = packages.next();
    if packages.any(|other| Some(&other) != first.as_ref()) {
        return Err("their packages or test cases differ".to_owned());
    }
    for index in 1..=count {
        let shard = Shard { index, count };
        match shards.iter().filter(|other| **other == shard).count() {
            0 => return Err(format!("the events of shard {shard} are missing")),
            1 => {}
            _ => return Err(format!("there are two files of shard {shard}")),
        }
    }
    Ok(())
}

type PackageName = Option<Arc<str>>;

/// Ordered by package. Repeated information appears once.
fn merge_events(commands: &[CommandEvents]) -> Vec<(PackageName, Event)> {
    let mut all = Vec::new();
    if let Some(CommandEvents { juror, command, task, .. }) = commands.first() {
        let (juror, command) = (juror.clone(), command.clone());
        let command_line = String::new();
        all.push((
            None,
            Event::Started { version: EVENTS_VERSION, juror, command, command_line, task: *task },
        ));
    }
    let events = || commands.iter().flat_map(|command| &command.events);
    let hosts = events().filter_map(|stamped| match &stamped.event {
        Event::HostReady { isolation, .. } => Some((isolation, &stamped.event)),
        _ => None,
    });
    if let Some((_, weakest)) = hosts.max_by_key(|(isolation, _)| **isolation) {
        all.push((None, weakest.clone()));
    }
    let mut packages: Vec<&PackageName> = Vec::new();
    for event in events() {
        if !packages.contains(&&event.package) {
            packages.push(&event.package);
        }
    }
    for package in packages {
        let own = commands.iter().map(|command| {
            let own = command.events.iter().filter(|stamped| stamped.package == *package);
            own.map(|stamped| &stamped.event).collect()
        });
        let own = merge_package_events(&own.collect::<Vec<_>>());
        all.extend(own.into_iter().map(|event| (package.clone(), event)));
    }
    all
}

fn merge_package_events(commands: &[Vec<&Event>]) -> Vec<Event> {
    let mut before: Vec<&Event> = Vec::new();
    let mut begun: Vec<&Event> = Vec::new();
    let mut results: Vec<(&str, &Event)> = Vec::new();
    let mut after: Vec<&Event> = Vec::new();
    let (mut whole, mut limits): (Option<PackageReport>, Vec<_>) = (None, Vec::new());
    let done = commands.iter().flatten().filter_map(|event| match event {
        Event::SubmissionJudged(judgement) => Some(judgement.submission.as_str()),
        _ => None,
    });
    let done: HashSet<&str> = done.collect();
    // A message appears as often as in the command that has it most often.
    for command in commands {
        let mut missing = before.clone();
        let is_remark =
            |event: &&Event| matches!(event, Event::Diagnosed(_) | Event::Complained { .. });
        for event in command.iter().copied().filter(is_remark) {
            match missing.iter().position(|other| *other == event) {
                Some(at) => drop(missing.swap_remove(at)),
                None => before.push(event),
            }
        }
    }
    for event in commands.iter().flatten().copied() {
        match event {
            Event::PackageRead(part) => match &mut whole {
                Some(whole) => whole.submissions += part.submissions,
                None => whole = Some((**part).clone()),
            },
            Event::LimitsSet { limits: set, .. } => limits.push((set.cpu_time(), event)),
            // Progress counts only for submissions without a result.
            Event::SubmissionStarted { submission, .. } | Event::CaseJudged { submission, .. } => {
                if !done.contains(submission.as_str()) {
                    begun.push(event);
                }
            }
            Event::PackageRefused | Event::CaseGenerated { .. } | Event::Noted(_) => {
                let is_repeated =
                    matches!(event, Event::PackageRefused | Event::Noted(Note::NextSteps(_)));
                if !is_repeated || !after.contains(&event) {
                    after.push(event);
                }
            }
            event => match judged_submission(event) {
                Some(name) => results.push((name, event)),
                None if matches!(event, Event::Failed { .. }) => after.push(event),
                None => {}
            },
        }
    }
    if commands.len() > 1 {
        // The order on the command line is not known.
        results.sort_by_key(|(name, _)| *name);
    }
    let mut all: Vec<Event> = before.into_iter().cloned().collect();
    let path = whole.as_ref().map(|package| package.path.clone());
    if let (Some(whole), Some(path)) = (whole, path) {
        all.push(Event::PackageRead(whole.into()));
        all.extend(different_limits_warning(&limits, path).map(Event::Diagnosed));
        all.extend(limits.first().map(|(_, event)| (*event).clone()));
    }
    all.extend(begun.into_iter().cloned());
    all.extend(results.into_iter().map(|(_, event)| event.clone()));
    all.extend(after.into_iter().cloned());
    all
}

fn different_limits_warning(limits: &[(Duration, &Event)], package: PathBuf) -> Option<Diagnostic> {
    let (first, _) = limits.first()?;
    let (other, _) = limits.iter().find(|(time, _)| time != first)?;
    let (first, other) = (seconds(*first), seconds(*other));
    let what = format!("shards were judged with different time limits: {first} and {other}");
    let help = "set the limit in the package, or give each shard the same --time-limit";
    Some(Diagnostic::warning(package, what).help(help))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use serde_json::json;

    use super::*;
    use crate::report::document::Report;
    use juror_core::event::GeneratedState;
    use juror_core::isolation::Isolation;
    use juror_core::judgement::Judgement;
    use juror_core::verdict::Verdict;

    fn started(juror: &str, command: &str, task: CommandTask) -> Event {
        let [juror, command] = [juror, command].map(str::to_owned);
        Event::Started {
            version: EVENTS_VERSION,
            juror,
            command,
            command_line: String::new(),
            task,
        }
    }

    fn finished(ended: ExitCode) -> Event {
        let recalled = Some(CacheUse { started: 2, recalled: 5, oldest: None });
        let worker = WorkerReport {
            name: "host".to_owned(),
            isolation: Some(Isolation::Namespaces),
            slots: 1,
            programs: 3,
            lost: None,
        };
        Event::Finished { ended, recalled, workers: vec![worker] }
    }

    fn judged(submission: &str, verdict: Verdict) -> Event {
        Event::SubmissionJudged(Box::new(Judgement {
            submission: submission.to_owned(),
            path: submission.into(),
            verdict,
            score: None,
            cases: Arc::default(),
            skipped: 0,
            spared: 0,
            compiler: None,
            warnings: Vec::new(),
            broken: Vec::new(),
        }))
    }

    fn package(test_cases: usize) -> Event {
        let name = "sum".to_owned();
        let submissions = 3;
        let package = PackageReport { name, submissions, test_cases, ..PackageReport::default() };
        Event::PackageRead(package.into())
    }

    fn shard(index: u32, count: u32, events: &[Event]) -> Vec<Event> {
        let start = [
            started("1", "judge", CommandTask::Judge),
            Event::ShardChosen(Shard { index, count }),
            package(2),
        ];
        [&start, events, &[finished(ExitCode::Success)]].concat()
    }

    fn lines(events: &[Event]) -> Vec<u8> {
        let mut text = Vec::new();
        for event in events {
            let is_framed = matches!(event, Event::Started { .. } | Event::Finished { .. });
            let package = (!is_framed).then(|| "sum".into());
            let stamped =
                StampedEvent { at: Duration::from_secs(7), package, event: event.clone() };
            serde_json::to_writer(&mut text, &stamped).unwrap();
            text.push(b'\n');
        }
        text
    }

    /// Returns the report, or the first complaint.
    fn merge_texts(texts: &[Vec<u8>]) -> Result<Report, String> {
        let dir = tempfile::tempdir().unwrap();
        let write = |(index, text): (usize, &Vec<u8>)| {
            let path = dir.path().join(index.to_string());
            fs::write(&path, text).unwrap();
            path
        };
        let files: Vec<PathBuf> = texts.iter().enumerate().map(write).collect();
        let (sender, receiver) = channel();
        let context = Context::new(move |stamped| drop(sender.send(stamped.clone())));
        match merge(&files, &context) {
            Ok(()) => context.finish(),
            Err(Stop::Refused(RefusalSubject::CommandLine, remarks)) => {
                return Err(format!("{:?}", remarks[0]));
            }
            Err(_) => return Err("another end".to_owned()),
        }
        let mut report = Report::default();
        receiver.try_iter().for_each(|stamped| report.add_event(&stamped));
        Ok(report)
    }

    #[test]
    fn only_counts_and_times_have_a_bound() {
        let check = |value: &Value, expected: Option<&str>| {
            let text = serde_json::to_string(value).unwrap();
            let value: Value = serde_json::from_str(&text).unwrap();
            let found = find_too_large("", &value).map(ToString::to_string);
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check(&json!({"gap": {"absolute": 1e17, "relative": 1e17}}), None);
        check(&json!({"gap": {"absolute": f64::MAX, "relative": null}}), None);
        check(
            &json!({"cases": [{"gap": {"absolute": 9007199254740994.0, "relative": 3.0}}]}),
            None,
        );
        check(&json!({"score": 1e17, "max_score": 1e300, "groups": [{"score": 1e18}]}), None);
        check(&json!({"score": -1e17, "cpu_seconds": 0.5, "skipped": 1_u64 << 53}), None);
        check(&json!({"skipped": 1_u64 << 54}), Some("18014398509481984"));
        check(&json!({"cases": [{"memory_bytes": u64::MAX}]}), Some("18446744073709551615"));
        check(&json!({"cpu_seconds": 1e17}), Some("1e+17"));
        check(&json!({"about": {"wall_seconds": [1.0, 1e300]}}), Some("1e+300"));
        check(&json!({"at_seconds": 9007199254740994.0}), Some("9007199254740994.0"));
    }

    #[test]
    fn files_of_different_commands_are_refused() {
        let check = |files: &[Vec<Event>], message: &str| {
            let texts: Vec<Vec<u8>> = files.iter().map(|events| lines(events)).collect();
            let why = merge_texts(&texts).expect_err(message);
            assert!(why.contains(message), "{message}: {why}");
        };
        let whole = |juror: &str, command: &str, events: &[Event]| {
            let start = [started(juror, command, CommandTask::Judge)];
            [&start, events, &[finished(ExitCode::Success)]].concat()
        };
        let a = [judged("a", Verdict::Accepted)];
        let generated = Event::CaseGenerated {
            test_case: "secret/1".to_owned(),
            state: GeneratedState::Created,
        };
        check(&[shard(1, 2, &a)], "the events of shard 2/2 are missing");
        check(&[shard(1, 1, &[]), shard(1, 1, &[])], "there are two files of shard 1/1");
        check(&[shard(1, 2, &a), shard(2, 2, &a)], "two files have a");
        check(&[shard(1, 0, &[])], "they are not the shards of one run");
        check(&[shard(0, 1, &[]), shard(1, 1, &[])], "they are not the shards of one run");
        check(&[shard(1, u32::MAX, &[])], "the events of shard 2/4294967295 are missing");
        check(&[shard(1, 2, &[]), shard(2, 3, &[])], "they are not the shards of one run");
        check(&[shard(1, 2, &[]), whole("1", "judge", &[])], "they are not the shards of one run");
        check(&[shard(1, 2, &[]), shard(2, 2, &[package(3)])], "packages or test cases differ");
        check(&[whole("1", "judge", &a), whole("2", "judge", &[])], "one is of juror 1, another");
        check(&[whole("1", "judge", &a), whole("1", "verify", &[])], "another of `juror verify`");
        let twice = whole("1", "generate", &[generated]);
        check(&[twice.clone(), twice], "two files have secret/1");
        check(
            &[vec![started("1", "stress", CommandTask::Other), finished(ExitCode::Success)]],
            "stress",
        );
        check(&[vec![started("1", "judge", CommandTask::Judge)]], "its last line is not the end");
        check(&[vec![finished(ExitCode::Success)]], "its first line is not the beginning");
        check(&[[shard(1, 1, &[]), shard(1, 1, &[])].concat()], "the events of several commands");
        check(&[Vec::new()], "its last line is not the end");
    }

    #[test]
    fn a_file_without_events_is_refused() {
        let check = |text: &str, message: &str| {
            let why = merge_texts(&[text.as_bytes().to_vec()]).expect_err(message);
            assert!(why.contains(message), "{message}: {why}");
        };
        check("{\"format\": \"juror-report\"}", "run the command again with --events FILE");
        check("{}", "line 1 is not an event");
        for number in ["18446744073709551615", "9007199254740994", "1e19"] {
            let event = format!("{{\"at_seconds\": {number}, \"event\": \"package_refused\"}}");
            check(&event, "line 1 is not an event: it is damaged: ");
        }
        check("\n\n[]\n", "line 3 is not an event");
        check("{\"at_seconds\": -1, \"package\": null, \"event\": \"package_refused\"}", "line 1");
    }

    #[test]
    fn events_of_shards_count_once() {
        let error = juror_core::judgement::JudgeError::new("run", "no");
        let begun = |submission: &str| {
            let [submission, test_case] = [submission, "secret/1"].map(str::to_owned);
            let verdict = Verdict::Accepted;
            [
                Event::SubmissionStarted { submission: submission.clone(), test_cases: 2 },
                Event::CaseJudged { submission, test_case, verdict },
            ]
        };
        let doubt = Event::Diagnosed(Diagnostic::warning("sum", "a doubt"));
        let mut first = begun("a").to_vec();
        first.extend([judged("b", Verdict::Accepted), doubt.clone(), doubt.clone()]);
        let mut second = begun("c").to_vec();
        let failed = Event::Failed { submission: Some("c".to_owned()), error };
        second.extend([judged("d", Verdict::WrongAnswer), failed, doubt]);
        let mut interrupted = shard(1, 2, &first);
        interrupted.pop();
        interrupted.push(finished(ExitCode::Interrupted));
        let report = merge_texts(&[lines(&shard(2, 2, &second)), lines(&interrupted)]).unwrap();
        assert_eq!(report.exit_code(), ExitCode::Interrupted);
        let summary = &report.summary;
        assert_eq!((summary.runs, summary.accepted, summary.rejected), (2, 1, 1));
        assert_eq!((summary.warnings, summary.judge_errors), (2, 1));
        let names: Vec<&str> =
            report.submissions.iter().map(|submission| submission.name.as_str()).collect();
        assert_eq!(names, ["b", "c", "d"]);
        assert_eq!(report.session.packages.len(), 1);
        assert_eq!(report.session.packages[0].submissions, 6);
        let cache = report.session.cache.unwrap();
        assert_eq!((cache.started, cache.recalled), (4, 10));
        assert_eq!((report.session.workers.len(), report.shard), (2, None));
    }
}
