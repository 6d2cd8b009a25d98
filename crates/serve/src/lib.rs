//! juror as a server: judges and runs programs that come over HTTP, for trainers and web sites.
//!
//! | part | what it does |
//! |---|---|
//! | [`server`] | connections, requests and their bounds |
//! | [`access`] | who may ask |
//! | [`answer`] | an answer of HTTP |
//! | [`queue`] | what waits to run; equal requests share a place |
//! | [`mod@task`] | the threads that judge |
//! | [`programs`] | what the dialects share |
//! | [`fusion`] | the dialect of SandboxFusion |
//! | [`piston`] | the dialect of Piston |
//! | [`metrics`] | what the server has done |
//!
//! Only [`server`] is asynchronous. It puts requests into the queue, from which threads take them; an answer comes
//! back through a channel. Judging is that of `juror grade`: nothing here decides a verdict.

#![forbid(unsafe_code)]

pub mod access;
pub mod answer;
pub mod fusion;
pub mod metrics;
pub mod piston;
pub mod programs;
pub mod queue;
pub mod server;
pub mod task;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;

use clap::Args;
use juror::grade::line::HostPaths;
use juror::grade::settings::LineSettings;
use juror::ops::context::Context;
use juror::ops::grade::{Grader, with_grader};
use juror::ops::host::on_signal;
use juror::ops::options::HostOptions;
use juror::ops::stop_handle::StopHandle;
use juror_core::judgement::JudgeError;
use juror_core::stop::{Remark, Stop};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::access::Token;
use crate::server::Server;

#[derive(Clone, Debug, Args)]
pub struct ServeOptions {
    /// Listen on this address and port; beyond this machine only with --token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Answer only requests with the token in FILE: as `Authorization: Bearer TOKEN`, or before the path, as in
    /// /TOKEN/run_code
    #[arg(long, value_name = "FILE")]
    pub token: Option<PathBuf>,
    /// Judge with the problem packages in DIR, which lines name by their paths below it
    #[arg(long, value_name = "DIR")]
    pub packages: Option<PathBuf>,
    /// How many requests wait at most; others are refused
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub queue: u32,
    /// How many connections are open at most; others wait
    #[arg(long, value_name = "N", default_value = "512", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub connections: u32,
    #[command(flatten)]
    pub host: HostOptions,
}

/// Serves until a signal. `tell` gets the address at which it listens.
///
/// # Errors
/// If it cannot listen or run programs here, or no worker is left.
pub fn serve(
    options: &ServeOptions,
    context: Context,
    tell: impl FnOnce(SocketAddr),
) -> Result<(), Stop> {
    let token = options.token.as_deref().map(Token::read).transpose().map_err(Stop::usage)?;
    if token.is_none() && !options.listen.ip().is_loopback() {
        let what =
            format!("--listen {}: everybody who can reach it could run programs", options.listen);
        return Err(Stop::usage(Remark::with_help(what, "add --token FILE")));
    }
    if let Some(dir) = options.packages.as_ref().filter(|dir| !dir.is_dir()) {
        let what = format!("--packages: {} is not a directory", dir.display());
        return Err(Stop::usage(Remark::with_help(
            what,
            "give the directory that has the packages",
        )));
    }
    // Signals end the server, not its runs.
    let context = context.with_stop_handle(StopHandle::default());
    let settings = LineSettings {
        host_paths: HostPaths::Packages(options.packages.clone()),
        ..LineSettings::default()
    };
    with_grader(&options.host, &settings, &context, |grader| {
        serve_with(options, token, grader, tell)
    })
}

fn serve_with(
    options: &ServeOptions,
    token: Option<Token>,
    grader: &Grader<'_>,
    tell: impl FnOnce(SocketAddr),
) -> Result<(), Stop> {
    // As many as programs: what a worker has taken runs at once.
    let workers = grader.slots();
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let (queue, connections) = (size(options.queue), size(options.connections));
    let server = Arc::new(Server::new(queue, connections, token, 2 * workers));
    let fault = |error: std::io::Error| JudgeError::new("serve", error);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(fault)?;
    let listener = runtime.block_on(TcpListener::bind(options.listen)).map_err(|error| {
        let what = format!("--listen: cannot listen on {}: {error}", options.listen);
        Stop::usage(Remark::with_help(what, "choose another address or port"))
    })?;
    let address = listener.local_addr().map_err(fault)?;
    let (ends, end) = watch::channel(false);
    let ends = Arc::new(ends);
    let handle = Arc::clone(&ends);
    on_signal(move || _ = handle.send(true))?;
    tell(address);
    let languages = OnceLock::new();
    thread::scope(|scope| {
        let work = || {
            let worked = task::work(&server.queue, &server.metrics, grader, &languages);
            // Without workers, nothing can be answered.
            worked.inspect_err(|_| _ = ends.send(true))
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        runtime.block_on(Arc::clone(&server).serve(listener, end));
        runtime.shutdown_background();
        let mut results = threads.into_iter().filter_map(|thread| thread.join().ok());
        let failed = results.find_map(Result::err);
        failed.map_or(Ok(()), |message| Err(JudgeError::new("go on", message).into()))
    })
}
