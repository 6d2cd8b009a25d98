//! Input validators in batches give the same results as alone.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use juror_core::isolation::Isolation;
use juror_core::job::Job;
use juror_core::test_data::{TestCase, ValidatorArgs};
use juror_data::validity::{INPUTS_BEFORE_BATCHES, Validity};
use juror_judging::build::Builder;
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_packages::package::read;
use juror_sandbox::executor::Executor;

use crate::builds::has_tool;
use crate::fixture::Fixture;
use juror_remote::suite;
use juror_sandbox::executor::scripted::ScriptedExecutor;

/// Accepts numbers up to the argument.
const PYTHON_VALIDATOR: &str =
    "import sys\nsys.exit(42 if int(input()) <= int(sys.argv[1]) else 43)\n";
const C_VALIDATOR: &str = "\
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int a;
    if (scanf(\"%d\", &a) != 1) abort();
    /* WHAT */
    return a <= atoi(argv[argc - 1]) ? 42 : 43;
}
";

/// How validators run once batches can begin.
#[derive(Clone, Copy, PartialEq, Debug)]
enum CallMode {
    /// One start for many inputs.
    Together,
    /// In a batch until it ends, then alone.
    InParts,
    /// One start for each input.
    Alone,
}

fn check_calls(validators: &[(&str, &str)], asked: CallMode) {
    let fixture = Fixture::new();
    fs::remove_dir_all(fixture.path("sum/input_validators")).expect("a directory to remove");
    for (name, text) in validators {
        fixture.write(&format!("sum/input_validators/{name}"), text);
    }
    let problem = read(&fixture.path("sum")).problem.expect("a package");
    let (local, started) = (suite::local(), AtomicUsize::new(0));
    let executor = ScriptedExecutor::new(local.slots(), |job: &Job| {
        started.fetch_add(1, Ordering::SeqCst);
        local.run_job(job)
    });
    let builder = Builder::new(&executor);
    let bench =
        Bench { problem: &problem, executor: &executor, builder: &builder, events: &|_| {} };
    let input_validator_args = ValidatorArgs::All(vec!["500".to_owned()]);
    let test_case = TestCase { input_validator_args, ..TestCase::default() };
    let validity = Validity::build(bench, Vec::new(), &test_case).expect("validators");
    let validity = validity.in_batches(BatchMode::isolated(Isolation::Namespaces));
    let check = |numbers: &[usize]| {
        let texts: Vec<Arc<[u8]>> =
            numbers.iter().map(|number| format!("{number}\n").into_bytes().into()).collect();
        let expected: Vec<bool> = numbers.iter().map(|number| *number <= 500).collect();
        let before = started.load(Ordering::SeqCst);
        assert_eq!(validity.accepts_each(&texts).expect("decisions"), expected, "{validators:?}");
        started.load(Ordering::SeqCst) - before
    };
    // A validator that refuses everything proves nothing.
    assert!(check(&vec![501; INPUTS_BEFORE_BATCHES]) >= INPUTS_BEFORE_BATCHES);
    assert!(check(&[7, 501, 8]) >= 3);
    let starts = check(&[7, 501, 777, 500, 8, 502, 9, 10, 503, 504]);
    match asked {
        // Each slot has its own batch.
        CallMode::Together => assert!(starts <= 2 * validators.len(), "{validators:?}: {starts}"),
        CallMode::InParts => assert!((3..10).contains(&starts), "{validators:?}: {starts}"),
        CallMode::Alone => assert!(starts >= 10, "{validators:?}: {starts}"),
    }
    assert_eq!(check(&[]), 0);
}

fn validator_with(what: &str) -> String {
    C_VALIDATOR.replace("/* WHAT */", what)
}

#[test]
fn many_inputs_need_one_start_of_each_validator() {
    if has_tool("cc") {
        check_calls(&[("a.c", C_VALIDATOR)], CallMode::Together);
        check_calls(&[("a.c", &validator_with("if (a > 500) abort();"))], CallMode::Together);
    }
    if has_tool("cc") && has_tool("python3") {
        check_calls(&[("a.c", C_VALIDATOR), ("b.py", PYTHON_VALIDATOR)], CallMode::Together);
    }
}

#[test]
fn a_batch_that_ends_early_does_not_decide_the_rest() {
    if has_tool("cc") {
        let stays =
            validator_with("if (a == 777 && !fork()) { close(0); close(1); close(2); pause(); }");
        check_calls(&[("a.c", &stays)], CallMode::InParts);
    }
}

#[test]
fn validators_that_change_in_a_batch_run_alone() {
    if has_tool("cc") {
        check_calls(
            &[(
                "a.c",
                &validator_with("if ((fcntl(1, F_GETFL) & O_ACCMODE) == O_RDWR) return 43;"),
            )],
            CallMode::Alone,
        );
    }
    // Its language has no batches.
    let shell = "read -r a; (( a <= $1 )) && exit 42; exit 43\n";
    check_calls(&[("a.sh", shell)], CallMode::Alone);
}
