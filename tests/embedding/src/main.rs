//! Judges a package, and a problem that is only in memory, with the library without the command.

use std::error::Error;
use std::time::Duration;

use juror::{Judge, Problem, Submission, Verdict};

fn main() -> Result<(), Box<dyn Error>> {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/game1");
    let judge = Judge::local()?;
    let check = |problem: &Problem, submission: Submission, expected: Verdict| {
        let judgement = judge.run(problem, &submission)?;
        println!("{}: {}", judgement.submission, judgement.verdict);
        for case in judgement.rejected() {
            println!("  {}: {}", case.test_case, case.cause);
        }
        assert_eq!(judgement.verdict, expected, "{}", judgement.submission);
        Ok::<(), juror::Stop>(())
    };
    let of_package = |name: &str| Submission::file(format!("{package}/submissions/{name}"));
    let problem = Problem::open(package)?;
    check(&problem, of_package("accepted/fold.rs"), Verdict::Accepted)?;
    check(&problem, of_package("wrong_answer/greedy_opponent.rs"), Verdict::WrongAnswer)?;
    let sum = Problem::from_cases([("1 2\n", "3\n"), ("2 2\n", "4\n")]);
    let sum = sum.with_time_limit(Duration::from_secs(1));
    check(&sum, Submission::source("sum.sh", "read a b; echo $((a + b))\n"), Verdict::Accepted)?;
    check(&sum, Submission::source("sum.sh", "echo 3\n"), Verdict::WrongAnswer)?;
    Ok(())
}
