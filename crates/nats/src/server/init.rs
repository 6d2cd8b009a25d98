//! Writes the files of a cluster, and says what to do with them.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::server::config::{ClusterFile, ClusterPlan, PORT, ServerAddress};
use crate::server::secrets::fresh;
use juror_core::stop::Stop;
use juror_core::text::command_line;
use juror_core::units::Bytes;

#[derive(Debug, Args)]
pub struct InitOptions {
    /// Where the files go; the directory must not exist yet
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// A server: the name or the IPv4 address by which others reach it; one, three or five of them
    #[arg(long = "server", value_name = "HOST[:PORT]", default_value = "localhost")]
    pub servers: Vec<String>,
    /// A worker; each machine should have its own
    #[arg(long = "worker", value_name = "NAME", default_value = "worker")]
    pub workers: Vec<String>,
    /// The cluster's name
    #[arg(long, value_name = "NAME", default_value = "juror")]
    pub name: String,
    /// How much disk each server may use, such as 500M; a number alone is in MiB
    #[arg(long, value_name = "SIZE", default_value = "10G", value_parser = parse_disk)]
    pub disk: Bytes,
}

fn parse_disk(text: &str) -> Result<Bytes, &'static str> {
    let (number, mebibytes) = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((number, "M" | "m")) => (number, 1),
        Some((number, "G" | "g")) => (number, 1 << 10),
        Some((number, "T" | "t")) => (number, 1 << 20),
        _ => (text, 1),
    };
    let disk = number.parse::<u64>().ok().and_then(|number| number.checked_mul(mebibytes));
    let disk = disk.filter(|disk| (64..=1 << 30).contains(disk)).map(Bytes::mib);
    disk.ok_or("expected a size from 64M to 1024T, such as 10G")
}

/// Writes the files to a temporary directory next to the path and renames it, so that no half-written cluster remains.
/// Returns what to do next.
///
/// # Errors
/// If a part of the cluster is invalid, the directory exists, or it cannot be written.
pub fn write_cluster(options: &InitOptions) -> Result<String, Stop> {
    let plan = parse_plan(options)?;
    let dir = &*options.dir;
    let shown = dir.display().to_string();
    if let Some(unfit) = shown.chars().find(|letter| "?&#%,".contains(*letter)) {
        return Err(Stop::usage(format!(
            "{shown} has a `{unfit}`, which has a meaning in addresses; choose another"
        )));
    }
    if fs::symlink_metadata(dir).is_ok() {
        return Err(Stop::usage(format!("{shown} is there already; choose another")));
    }
    let parent = match dir.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !parent.is_dir() {
        let parent = parent.display();
        return Err(Stop::usage(format!("{parent} is not a directory; make it first")));
    }
    let files = plan.files(&fresh(&plan)?);
    let fault = |path: &Path, error: io::Error| {
        Stop::usage(format!("cannot write {}: {error}", path.display()))
    };
    let staging = tempfile::Builder::new().prefix(".juror-nats-").tempdir_in(parent);
    let staging = staging.map_err(|error| fault(dir, error))?;
    let whole = staging.path().join("cluster");
    for file in &files {
        write_file(&whole.join(&file.path), file)
            .map_err(|error| fault(&dir.join(&file.path), error))?;
    }
    // An empty directory that appeared meanwhile is replaced; a full one is refused.
    fs::rename(&whole, dir).map_err(|error| fault(dir, error))?;
    Ok(next_steps(&plan, dir))
}

fn write_file(path: &Path, file: &ClusterFile) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path.parent().unwrap_or(path))?;
    let mode = if file.is_secret { 0o600 } else { 0o644 };
    let mut written = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    written.write_all(file.text.as_bytes())?;
    written.sync_all()
}

fn parse_plan(options: &InitOptions) -> Result<ClusterPlan, Stop> {
    let servers =
        options.servers.iter().map(|name| parse_server(name)).collect::<Result<Vec<_>, _>>()?;
    if ![1, 3, 5].contains(&servers.len()) {
        let count = servers.len();
        return Err(Stop::usage(format!(
            "{count} servers cannot outvote one that is lost; give one, three or five"
        )));
    }
    check_name("--name", &options.name)?;
    for worker in &options.workers {
        check_name("--worker", worker)?;
    }
    refuse_duplicates("--server", servers.iter().map(ServerAddress::name))?;
    refuse_duplicates("--worker", options.workers.iter().cloned())?;
    Ok(ClusterPlan {
        name: options.name.clone(),
        servers,
        workers: options.workers.clone(),
        disk: options.disk,
    })
}

fn parse_server(text: &str) -> Result<ServerAddress, Stop> {
    let (host, port) = match text.rsplit_once(':') {
        None => (text, Some(PORT)),
        // The servers also use a port far above this one.
        Some((host, port)) => (host, port.parse().ok().filter(|port| (1..=60_000).contains(port))),
    };
    let is_part = |part: &str| {
        let mut letters = part.chars();
        letters.next().is_some_and(|letter| letter.is_ascii_alphanumeric())
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
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
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
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
        let commands: String = commands.iter().map(|command| format!("  {command}\n")).collect();
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
    step("test it:", &[command_line(["juror-nats", "check", &submitter])]);
    for worker in &plan.workers {
        let url = plan.url("nats.key", "ca.crt");
        let there = command_line(["cd", &path(&format!("workers/{worker}"))]);
        let work = command_line(["juror-nats", "work", &url, "--", "juror", "worker", "--stdio"]);
        step(
            &format!("start the worker {worker}, in a copy of its directory:"),
            &[format!("{there} && {work}")],
        );
    }
    let is_plain = !submitter.contains([' ', '\'', '"', '\\']);
    let executor = if is_plain {
        format!("juror-nats submit {submitter}")
    } else {
        command_line(["juror-nats", "submit", &submitter])
    };
    let judge = ["juror", "judge", "PACKAGE", "SUBMISSION", "--executor", &executor];
    step("judge:", &[command_line(judge)]);
    text
}
