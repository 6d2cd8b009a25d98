//! `juror-nats`: the command line.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use clap::{Args, Parser, Subcommand};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use tokio::sync::oneshot;

use juror_core::exit_code::ExitCode as JurorExitCode;
use juror_core::judgement::JudgeError;
use juror_core::stop::{Stop, ignores_hangup};
use juror_nats::address::NatsAddress;
use juror_nats::server::init::{InitOptions, write_cluster};
use juror_nats::server::model::ClusterSurvey;
use juror_nats::server::{show, survey};
use juror_nats::{block_on, submit, work};

/// Workers of juror behind a NATS server
///
/// A server stores jobs and results, so that workers and submitters can come and go. docs/cluster.md and docs/scale.md
/// have the details.
#[derive(Debug, Parser)]
#[command(name = "juror-nats", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Give the jobs of a juror to the workers behind a server
    ///
    /// `juror judge --executor 'juror-nats submit nats://HOST'` starts it.
    Submit(SubmitArguments),
    /// Take jobs from a server for a worker, until a signal
    ///
    /// Waits if the server is unreachable. All workers of a server must have the same juror, isolation and tools.
    Work(WorkArguments),
    /// Make the configuration of a server, with keys and certificates for it, submitters and workers
    ///
    /// Each server, each worker and the submitters have a directory of their own below DIR, to be copied to their
    /// machines. A worker's key allows it to take jobs, read files and write results, and nothing else.
    Init(InitOptions),
    /// Check whether a server can be used
    Check(SurveyArguments),
    /// Show what is queued on a server, what is running, and which workers are connected
    ///
    /// Takes a second, to count how many units finish in it.
    Status(SurveyArguments),
}

#[derive(Debug, Args)]
struct SubmitArguments {
    /// The server's address, with a submitter's key, such as nats://host?key=FILE&ca=FILE
    #[arg(value_name = "URL")]
    url: String,
    /// How many programs run at once [default: the slots of the workers that are there at the start]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    slots: Option<u16>,
}

#[derive(Debug, Args)]
struct WorkArguments {
    /// The server's address, with a worker's key, such as nats://host?key=FILE&ca=FILE
    #[arg(value_name = "URL")]
    url: String,
    /// The worker, such as `juror worker --stdio`
    #[arg(value_name = "COMMAND", required = true, last = true)]
    command: Vec<OsString>,
}

#[derive(Debug, Args)]
struct SurveyArguments {
    /// The server's address, with a submitter's key, such as nats://host?key=FILE&ca=FILE
    #[arg(value_name = "URL")]
    url: String,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Subcommands::Submit(arguments) => start_submit(&arguments),
        Subcommands::Work(arguments) => start_work(&arguments),
        Subcommands::Init(options) => write_cluster(&options).and_then(|steps| print(&steps)),
        Subcommands::Check(arguments) => show_survey(&arguments, show::show_findings),
        Subcommands::Status(arguments) => show_survey(&arguments, show::show_tables),
    };
    let code = done.unwrap_or_else(|stop| {
        // In one line: juror shows the last one.
        tell(&format!("error: {}", stop.to_string().replace('\n', "; ")));
        match stop {
            Stop::Refused(..) => JurorExitCode::Usage,
            _ => JurorExitCode::JudgeError,
        }
    });
    ExitCode::from(code.number())
}

fn tell(text: &str) {
    // Nobody may read it.
    _ = writeln!(io::stderr(), "{text}");
}

fn parse(url: &str) -> Result<NatsAddress, Stop> {
    NatsAddress::parse(url).map_err(Stop::usage)
}

/// Gets a message at the first signal. A later one ends the program.
fn end_signal() -> Result<oneshot::Receiver<()>, JudgeError> {
    let fault = |error| JudgeError::new("handle signals", error);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let hangup = (!ignores_hangup(&status)).then_some(SIGHUP);
    let mut signals =
        Signals::new([SIGINT, SIGTERM, SIGQUIT].into_iter().chain(hangup)).map_err(fault)?;
    let (sender, end) = oneshot::channel();
    let listen = move || {
        let mut sender = Some(sender);
        for signal in &mut signals {
            match sender.take() {
                // The program may be about to end.
                Some(sender) => _ = sender.send(()),
                None => signal_hook::low_level::exit(128 + signal),
            }
        }
    };
    thread::Builder::new().spawn(listen).map_err(fault)?;
    Ok(end)
}

fn start_submit(arguments: &SubmitArguments) -> Result<JurorExitCode, Stop> {
    let address = parse(&arguments.url)?;
    let end = end_signal()?;
    let fault = |error: io::Error| JudgeError::new("open the standard streams", error);
    let output = io::stdout().as_fd().try_clone_to_owned().map_err(fault)?;
    let slots = arguments.slots.map(usize::from);
    block_on(submit::submit(&address, slots, io::stdin(), File::from(output), end))?;
    Ok(JurorExitCode::Success)
}

fn start_work(arguments: &WorkArguments) -> Result<JurorExitCode, Stop> {
    let address = parse(&arguments.url)?;
    let end = end_signal()?;
    let fault = |error: &dyn std::fmt::Display| {
        JudgeError::new(format!("start {}", arguments.command[0].display()), error)
    };
    let mut command = Command::new(&arguments.command[0]);
    command.args(&arguments.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    // Signals of a terminal are for this program; it ends the worker.
    let mut child = command.process_group(0).spawn().map_err(|error| fault(&error))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(fault(&"it has no pipes").into());
    };
    let remark = |text: &str| tell(&format!("juror-nats: {text}"));
    let result = block_on(work::work(&address, input, output, end, remark));
    // The worker ends with its input.
    let status = child.wait();
    result.map_err(|error| match status {
        Ok(status) if !status.success() => {
            let reason = format!("{}; it ended with {status}", error.reason);
            JudgeError { reason, ..error }
        }
        _ => error,
    })?;
    Ok(JurorExitCode::Success)
}

fn show_survey(
    arguments: &SurveyArguments,
    text: impl Fn(&ClusterSurvey) -> String,
) -> Result<JurorExitCode, Stop> {
    let address = parse(&arguments.url)?;
    let survey = block_on(survey::survey(&address))?;
    let json = || serde_json::to_string_pretty(&survey).map(|json| json + "\n");
    let text = if arguments.json {
        json().map_err(|error| JudgeError::new("write JSON", error))?
    } else {
        text(&survey)
    };
    print(&text)?;
    Ok(if survey.is_unusable() { JurorExitCode::JudgeError } else { JurorExitCode::Success })
}

fn print(text: &str) -> Result<JurorExitCode, Stop> {
    let written = io::stdout().write_all(text.as_bytes());
    written.map_err(|error| JudgeError::new("write to standard output", error))?;
    Ok(JurorExitCode::Success)
}
