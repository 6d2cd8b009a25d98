//! `juror cluster init`: writes the files, and prints what to do with them.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use crate::cli::cluster::InitArguments;
use crate::cli::output::print;
use crate::cluster::config::{ClusterFile, ClusterPlan, PORT, ServerPlace};
use crate::cluster::secrets::fresh;
use crate::model::stop::Stop;
use crate::model::text::command_line;
use crate::model::units::Bytes;
use crate::ops::staging::{self, StagingDirectory, fault, parent};

/// Writes to a temporary directory next to the path and renames it, so that no half-written cluster remains.
pub(super) fn make(arguments: &InitArguments) -> Result<(), Stop> {
    let plan = plan(arguments)?;
    let dir = &arguments.dir;
    staging::absent(dir)?;
    let shown = dir.display().to_string();
    if let Some(unfit) = shown.chars().find(|it| "?&#%,".contains(*it)) {
        return Err(Stop::usage(format!(
            "{shown} has a `{unfit}`, which has a meaning in addresses; choose another"
        )));
    }
    let files = plan.files(&fresh(&plan)?);
    let beside = StagingDirectory::new(dir)?;
    let whole = beside.path();
    for file in &files {
        beside.check()?;
        write(&whole.join(&file.path), file)
            .map_err(|error| fault(&dir.join(&file.path), error))?;
    }
    beside.place(&whole, dir)?;
    print("what to do next", |out| out.write_all(next_steps(&plan, dir).as_bytes()))
}

fn write(path: &Path, file: &ClusterFile) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(parent(path))?;
    let mode = if file.is_secret { 0o600 } else { 0o644 };
    let mut written = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    written.write_all(file.text.as_bytes())?;
    written.sync_all()
}

fn plan(arguments: &InitArguments) -> Result<ClusterPlan, Stop> {
    let servers = arguments.servers.iter().map(|it| server(it)).collect::<Result<Vec<_>, _>>()?;
    if ![1, 3, 5].contains(&servers.len()) {
        let count = servers.len();
        return Err(Stop::usage(format!(
            "{count} servers cannot outvote one that is lost; give one, three or five"
        )));
    }
    name("--name", &arguments.name)?;
    for worker in &arguments.workers {
        name("--worker", worker)?;
    }
    twice("--server", servers.iter().map(ServerPlace::name))?;
    twice("--worker", arguments.workers.iter().cloned())?;
    Ok(ClusterPlan {
        name: arguments.name.clone(),
        servers,
        workers: arguments.workers.clone(),
        disk: Bytes::mib(arguments.disk),
    })
}

fn server(text: &str) -> Result<ServerPlace, Stop> {
    let (host, port) = match text.rsplit_once(':') {
        None => (text, Some(PORT)),
        // The servers also use a port far above this one.
        Some((host, port)) => (host, port.parse().ok().filter(|it| (1..=60_000).contains(it))),
    };
    let is_part = |part: &str| {
        let mut letters = part.chars();
        letters.next().is_some_and(|it| it.is_ascii_alphanumeric())
            && letters.all(|it| it.is_ascii_alphanumeric() || it == '-')
    };
    match port {
        Some(port) if host.split('.').all(is_part) => {
            Ok(ServerPlace { host: host.to_owned(), port })
        }
        _ => Err(Stop::usage(format!(
            "--server: `{text}` is not a host; it must be a name or an IPv4 address, and may have a port up to 60000, such as a.example.org:4222"
        ))),
    }
}

fn name(option: &str, text: &str) -> Result<(), Stop> {
    let is_fit = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    if !text.is_empty() && text.chars().all(is_fit) {
        Ok(())
    } else {
        Err(Stop::usage(format!(
            "{option}: `{text}` is not a valid name; use letters, digits, `-` and `_`"
        )))
    }
}

fn twice(option: &str, names: impl Iterator<Item = String>) -> Result<(), Stop> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    match names.windows(2).find(|two| two[0] == two[1]) {
        None => Ok(()),
        Some(two) => Err(Stop::usage(format!("{option}: {} is given twice", two[0]))),
    }
}

fn next_steps(plan: &ClusterPlan, dir: &Path) -> String {
    let path = |below: &str| dir.join(below).display().to_string();
    let mut text = String::new();
    let mut step = |what: &str, commands: &[String]| {
        let commands: String = commands.iter().map(|it| format!("  {it}\n")).collect();
        // Writing to a string cannot fail.
        let _ = write!(text, "{what}\n{commands}");
    };
    for server in &plan.servers {
        let there = command_line(["cd", &path(&format!("servers/{}", server.name()))]);
        let (host, name) = (&server.host, server.name());
        let what = match plan.servers.len() {
            1 => format!("start the server on {host}, in a copy of its directory:"),
            _ => format!("start the server {name} on {host}, in a copy of its directory:"),
        };
        step(&what, &[format!("{there} && nats-server -c nats.conf")]);
    }
    let submitter = plan.url(&path("submitter/nats.key"), &path("submitter/ca.crt"));
    step("test it:", &[command_line(["juror", "doctor", "--nats", &submitter])]);
    for worker in &plan.workers {
        let url = plan.url("nats.key", "ca.crt");
        let there = command_line(["cd", &path(&format!("workers/{worker}"))]);
        let work = command_line(["juror", "worker", "--nats", &url]);
        step(
            &format!("start the worker {worker}, in a copy of its directory:"),
            &[format!("{there} && {work}")],
        );
    }
    let judge = ["juror", "judge", "PACKAGE", "SUBMISSION", "--executor", &submitter];
    step("judge:", &[command_line(judge)]);
    text
}
