//! Runs a command within the default limits, and prints what it did.
//!
//! `cargo run --example sandbox -- sh -c 'echo $((1 + 2)); ls /home'`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its results")]

use std::env;
use std::process::ExitCode;

use juror_sandbox::{Command, Error, Limits, Sandbox};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let mut arguments = env::args().skip(1);
    let program = arguments.next().unwrap_or("true".to_owned());
    let sandbox = Sandbox::new(Limits::default())?;
    println!("isolated by {}", sandbox.mechanism());
    sandbox.weaknesses().iter().for_each(|why| println!("weaker than it could be: {why}"));
    let outcome = sandbox.run(Command::new(program).args(arguments))?;
    println!("{:?}, {:?} of CPU time, {:?}", outcome.end, outcome.cpu_time, outcome.wall_time);
    println!("memory: {}", outcome.peak_memory.map_or("not seen".to_owned(), |it| it.to_string()));
    print!("{}", String::from_utf8_lossy(&outcome.stdout));
    eprint!("{}", String::from_utf8_lossy(&outcome.stderr));
    Ok(())
}
