//! `juror worker`: runs jobs for another juror, through its standard streams.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Arc;

use clap::Args;

use crate::cli::streams;
use crate::ops::host::{on_signal, shortfall};
use crate::ops::options::one_of;
use crate::ops::stdin::StoppableStdin;
use juror_core::exit_code::ExitCode;
use juror_core::isolation::RequiredIsolation;
use juror_core::judgement::JudgeError;
use juror_core::language::toolchain::Toolchains;
use juror_core::text::with_help;
use juror_judging::cache::surroundings::Surroundings;
use juror_remote::message::WorkerFacts;
use juror_remote::serve::{EXTRA_JOBS, serve};
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::local::LocalExecutor;
use juror_sandbox::sandbox::Machine;
use juror_sandbox::sandbox::pace::measure_pace;

#[derive(Debug, Args)]
pub struct WorkerArguments {
    /// Read jobs from standard input, and write results to standard output
    #[arg(long, required = true)]
    pub stdio: bool,
    /// How many programs run at once [default: one per physical core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// How to isolate programs from this machine: full, any or plain
    ///
    /// As for `juror judge`. The sender of jobs can demand full isolation, too.
    #[arg(long, value_parser = one_of(RequiredIsolation::ALL, RequiredIsolation::name), value_name = "HOW", default_value = "any", hide_possible_values = true)]
    pub isolation: RequiredIsolation,
}

/// Returns when standard input ends or a signal arrives.
pub fn run(arguments: &WorkerArguments) -> ExitCode {
    let Err(error) = serve_stdio(arguments) else { return ExitCode::Success };
    let why = with_help(&error.to_string(), error.help.as_deref());
    streams::print_remark(&format!("error: cannot work: {why}"));
    ExitCode::JudgeError
}

fn serve_stdio(arguments: &WorkerArguments) -> Result<(), JudgeError> {
    let streams = || {
        let (asked, ask) = io::pipe()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        Ok((StoppableStdin::open(asked)?, File::from(output), ask))
    };
    let streams = streams();
    let (input, output, ask) =
        streams.map_err(|error: io::Error| JudgeError::new("open the standard streams", error))?;
    let ask = Arc::new(ask);
    // The byte only wakes the thread that waits at the other end.
    let end = move || _ = (&*ask).write(b"e");
    on_signal(end.clone())?;
    let (local, mut facts) = start_slots(arguments)?;
    let machine = Surroundings::default();
    facts.identity = machine.identity();
    let tools = Toolchains::new(Box::new(Machine));
    serve(facts, &local, &tools, &|tool| machine.tool_digest(tool), input, output, &end)
}

fn start_slots(arguments: &WorkerArguments) -> Result<(LocalExecutor, WorkerFacts), JudgeError> {
    let jobs = arguments.jobs.map(usize::from);
    let local = LocalExecutor::start(jobs, arguments.isolation)?;
    let host = local.host();
    let isolation = host.isolation();
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let facts = WorkerFacts {
        boot: boot.map_or_else(|_| name.clone(), |boot| boot.trim().to_owned()),
        name,
        isolation,
        shortfall: shortfall(isolation, host.refused(), host.gaps()),
        mechanism: local.mechanism(),
        slots: local.slots(),
        queue: EXTRA_JOBS,
        pace: measure_pace(),
        identity: None,
    };
    Ok((local, facts))
}
