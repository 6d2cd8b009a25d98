//! Judges a file on a problem, and prints progress.
//!
//! `cargo run --example judge -- problems/game1 problems/game1/submissions/wrong_answer/greedy_opponent.rs`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its results")]

use std::error::Error;
use std::ops::ControlFlow;
use std::process::ExitCode;

use juror::{Event, Judge, Problem, Submission, WorkProgress};

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
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [package, file] = &arguments[..] else {
        return Err("give a package and a file".into());
    };
    let judge = Judge::local()?;
    let problem = Problem::open(package)?;
    let judgement = judge.run_with(&problem, &Submission::file(file), |event| {
        match event {
            Event::Progress(WorkProgress::Build(program)) => println!("builds {program}"),
            Event::CaseJudged { test_case, verdict, .. } => println!("{verdict} {test_case}"),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    println!("{}: {}", judgement.submission, judgement.verdict);
    for case in judgement.rejected() {
        println!("{}: {}", case.test_case, case.cause);
    }
    Ok(())
}
