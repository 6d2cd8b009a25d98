//! `juror cluster`: makes the files of a NATS server for workers.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::amounts::parse_size;
use crate::cli::help::examples;
use crate::cli::options::OutputOptions;
use crate::cli::output::Operation;
use crate::ops::context::Context;
use juror_core::cluster::ClusterSurvey;
use juror_core::stop::Stop;
use juror_core::units::Bytes;

#[cfg(feature = "nats")]
mod init;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct ClusterArguments {
    #[command(subcommand)]
    pub command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Make the configuration of a NATS server, with keys and certificates for it, submitters and workers
    ///
    /// Each server, each worker and the submitters have a directory of their own below DIR, to be copied to their
    /// machines. A worker's key allows it to take jobs, read files and write results, and nothing else.
    #[command(after_long_help = examples("cluster"))]
    Init(InitArguments),
    /// Show what is queued on a NATS server, what is running, and which workers are connected
    ///
    /// Takes a second, to count how many units finish in it.
    #[command(after_long_help = examples("cluster"))]
    Status(StatusArguments),
}

#[derive(Debug, Args)]
pub struct InitArguments {
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

#[derive(Debug, Args)]
pub struct StatusArguments {
    /// The server's address, with a submitter's key, such as nats://host?key=FILE&ca=FILE
    #[arg(value_name = "URL")]
    pub url: String,
    #[command(flatten)]
    pub output: OutputOptions,
}

fn parse_disk(text: &str) -> Result<Bytes, String> {
    let disk = parse_size(text)?;
    if (Bytes::mib(64)..=Bytes::mib(1 << 30)).contains(&disk) {
        Ok(disk)
    } else {
        Err("the disk must be from 64M to 1024T".to_owned())
    }
}

impl Operation for InitArguments {
    type Result = ();
    const NAME: &'static str = "cluster";

    fn run(&self, _: &Context) -> Result<(), Stop> {
        init(self)
    }
}

impl Operation for StatusArguments {
    type Result = ClusterSurvey;
    const NAME: &'static str = "cluster";

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn run(&self, _: &Context) -> Result<ClusterSurvey, Stop> {
        survey(&self.url)
    }
}

#[cfg(feature = "nats")]
fn init(arguments: &InitArguments) -> Result<(), Stop> {
    init::write_cluster(arguments)
}

#[cfg(feature = "nats")]
pub(super) fn survey(url: &str) -> Result<ClusterSurvey, Stop> {
    let address = crate::ops::host::parse_address(url)?;
    Ok(crate::cluster::survey::survey(&address)?)
}

#[cfg(not(feature = "nats"))]
fn init(_: &InitArguments) -> Result<(), Stop> {
    Err(no_nats_error().into())
}

#[cfg(not(feature = "nats"))]
pub(super) fn survey(_: &str) -> Result<ClusterSurvey, Stop> {
    Err(no_nats_error().into())
}

#[cfg(not(feature = "nats"))]
pub(super) fn no_nats_error() -> juror_core::judgement::JudgeError {
    let error =
        juror_core::judgement::JudgeError::new("use NATS", "this juror was built without it");
    error.help("build it with `--features nats`")
}
