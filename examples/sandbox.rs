//! Runs one program under limits, and prints what it did.
//!
//! `cargo run --example sandbox`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its results")]

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use juror_core::isolation::RequiredIsolation;
use juror_core::job::{Command, Job};
use juror_core::limits::Limits;
use juror_core::units::Bytes;
use juror_sandbox::sandbox::{Host, Slot};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let host = Host::find(RequiredIsolation::Any)?;
    let mut slot = Slot::start(&host, None)?;
    let argv = ["/bin/sh", "-c", "read a b; echo $((a + b)); ls /home"].map(str::to_owned);
    let reply = slot.run(&Job {
        command: Command { argv: argv.to_vec(), ..Command::default() },
        stdin: b"1 2\n".to_vec().into(),
        limits: Limits {
            cpu_time: Some(Duration::from_secs(1)),
            memory: Some(Bytes::mib(64)),
            output: Some(Bytes::mib(1)),
            ..Limits::default()
        },
        ..Job::default()
    })?;
    println!("{:?}, {}", reply.outcome.ending, reply.outcome.describe_use());
    for (stream, blob) in [("standard output", reply.stdout), ("standard error", reply.stderr)] {
        println!("{stream}: {}", String::from_utf8_lossy(blob.bytes().unwrap_or_default()));
    }
    Ok(())
}
