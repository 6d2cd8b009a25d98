//! `juror cluster init`: writes the files, and prints what to do with them.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use crate::cli::cluster::InitArguments;
use crate::cli::output::print;
use crate::cluster::config::{ClusterFile, ClusterPlan, PORT, ServerAddress};
use crate::cluster::secrets::fresh;
use crate::ops::staging::{self, StagingDirectory, parent_directory, write_error};
use juror_core::stop::Stop;
use juror_core::text::command_line;
use juror_core::units::Bytes;

/// Writes to a temporary directory next to the path and renames it, so that no half-written cluster remains.
pub(super) fn write_cluster(arguments: &InitArguments) -> Result<(), Stop> {
    let plan = parse_plan(arguments)?;
    let dir = &arguments.dir;
    staging::check_absent(dir)?;
    let shown = dir.display().to_string();
    if let Some(unfit) = shown.chars().find(|it| "?&#%,".contains(*it)) {
        return Err(Stop::usage(format!(
            "{shown} has a `{unfit}`, which has a meaning in addresses; choose another"
        )));
    }
    let files = plan.files(&fresh(&plan)?);
    let staging = StagingDirectory::new(dir)?;
    let whole = staging.path();
    for file in &files {
        staging.check_interrupted()?;
        write_file(&whole.join(&file.path), file)
            .map_err(|error| write_error(&dir.join(&file.path), error))?;
    }
    staging.move_to(&whole, dir)?;
    print("what to do next", |out| out.write_all(next_steps(&plan, dir).as_bytes()))
}

fn write_file(path: &Path, file: &ClusterFile) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(parent_directory(path))?;
    let mode = if file.is_secret { 0o600 } else { 0o644 };
    let mut written = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    written.write_all(file.text.as_bytes())?;
    written.sync_all()
}

fn parse_plan(arguments: &InitArguments) -> Result<ClusterPlan, Stop> {
    let servers =
        arguments.servers.iter().map(|it| parse_server(it)).collect::<Result<Vec<_>, _>>()?;
    if ![1, 3, 5].contains(&servers.len()) {
        let count = servers.len();
        return Err(Stop::usage(format!(
            "{count} servers cannot outvote one that is lost; give one, three or five"
        )));
    }
    check_name("--name", &arguments.name)?;
    for worker in &arguments.workers {
        check_name("--worker", worker)?;
    }
    refuse_duplicates("--server", servers.iter().map(ServerAddress::name))?;
    refuse_duplicates("--worker", arguments.workers.iter().cloned())?;
    Ok(ClusterPlan {
        name: arguments.name.clone(),
        servers,
        workers: arguments.workers.clone(),
        disk: arguments.disk,
    })
}

fn parse_server(text: &str) -> Result<ServerAddress, Stop> {
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
            Ok(ServerAddress { host: host.to_owned(), port })
        }
        _ => Err(Stop::usage(format!(
            "--server: `{text}` is not a host; it must be a name or an IPv4 address, and may have a port up to 60000, such as a.example.org:4222"
        ))),
    }
}

fn check_name(option: &str, text: &str) -> Result<(), Stop> {
    let is_fit = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    if !text.is_empty() && text.chars().all(is_fit) {
        Ok(())
    } else {
        Err(Stop::usage(format!(
            "{option}: `{text}` is not a valid name; use letters, digits, `-` and `_`"
        )))
    }
}

fn refuse_duplicates(option: &str, names: impl Iterator<Item = String>) -> Result<(), Stop> {
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
