//! Input validators in batches give the same results as alone.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use juror::build::Builder;
use juror::build::batch::Way;
use juror::build::bench::Bench;
use juror::executor::Executor;
use juror::model::isolation::Isolation;
use juror::model::job::Job;
use juror::model::test_data::{TestCase, ValidatorArgs};
use juror::package::read;
use juror::validity::{BEFORE, Validity};

use crate::builds::has;
use crate::executors;
use crate::fixture::Fixture;
use crate::scripted::Scripted;

/// Accepts numbers up to the argument.
const PYTHON: &str = "import sys\nsys.exit(42 if int(input()) <= int(sys.argv[1]) else 43)\n";
const C: &str = "\
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
enum Asked {
    /// One start for many inputs.
    Together,
    /// In a batch until it ends, then alone.
    InParts,
    /// One start for each input.
    Alone,
}

fn check(validators: &[(&str, &str)], asked: Asked) {
    let fixture = Fixture::new();
    fs::remove_dir_all(fixture.path("sum/input_validators")).expect("a directory to remove");
    for (name, text) in validators {
        fixture.write(&format!("sum/input_validators/{name}"), text);
    }
    let problem = read(&fixture.path("sum")).problem.expect("a package");
    let (local, started) = (executors::local(), AtomicUsize::new(0));
    let executor = Scripted::new(local.slots(), |job: &Job| {
        started.fetch_add(1, Ordering::SeqCst);
        local.run_job(job)
    });
    let builder = Builder::new(&executor);
    let bench =
        Bench { problem: &problem, executor: &executor, builder: &builder, events: &|_| {} };
    let input_validator_args = ValidatorArgs::All(vec!["500".to_owned()]);
    let test_case = TestCase { input_validator_args, ..TestCase::default() };
    let validity = Validity::build(bench, Vec::new(), &test_case).expect("validators");
    let validity = validity.in_batches(Way::isolated(Isolation::Namespaces));
    let check = |numbers: &[usize]| {
        let texts: Vec<Arc<[u8]>> =
            numbers.iter().map(|it| format!("{it}\n").into_bytes().into()).collect();
        let expected: Vec<bool> = numbers.iter().map(|it| *it <= 500).collect();
        let before = started.load(Ordering::SeqCst);
        assert_eq!(validity.accepted(&texts).expect("decisions"), expected, "{validators:?}");
        started.load(Ordering::SeqCst) - before
    };
    // A validator that refuses everything proves nothing.
    assert!(check(&vec![501; BEFORE]) >= BEFORE);
    assert!(check(&[7, 501, 8]) >= 3);
    let starts = check(&[7, 501, 777, 500, 8, 502, 9, 10, 503, 504]);
    match asked {
        // Each slot has its own batch.
        Asked::Together => assert!(starts <= 2 * validators.len(), "{validators:?}: {starts}"),
        Asked::InParts => assert!((3..10).contains(&starts), "{validators:?}: {starts}"),
        Asked::Alone => assert!(starts >= 10, "{validators:?}: {starts}"),
    }
    assert_eq!(check(&[]), 0);
}

fn also(what: &str) -> String {
    C.replace("/* WHAT */", what)
}

#[test]
fn many_inputs_cost_one_start_of_each_validator() {
    if has("cc") {
        check(&[("a.c", C)], Asked::Together);
        check(&[("a.c", &also("if (a > 500) abort();"))], Asked::Together);
    }
    if has("cc") && has("python3") {
        check(&[("a.c", C), ("b.py", PYTHON)], Asked::Together);
    }
}

#[test]
fn a_batch_that_ends_early_decides_nothing_of_the_rest() {
    if has("cc") {
        let stays = also("if (a == 777 && !fork()) { close(0); close(1); close(2); pause(); }");
        check(&[("a.c", &stays)], Asked::InParts);
    }
}

#[test]
fn validators_that_decide_otherwise_in_a_batch_are_asked_alone() {
    if has("cc") {
        check(
            &[("a.c", &also("if ((fcntl(1, F_GETFL) & O_ACCMODE) == O_RDWR) return 43;"))],
            Asked::Alone,
        );
    }
    // Its language has no batches.
    let shell = "read -r a; (( a <= $1 )) && exit 42; exit 43\n";
    check(&[("a.sh", shell)], Asked::Alone);
}
