//! Validators in batches give the same results as alone.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use juror_core::blob::Blob;
use juror_core::isolation::Isolation;
use juror_core::job::Job;
use juror_core::protocol::Protocol;
use juror_core::test_data::{TestCase, ValidatorArgs};
use juror_data::validity::{INPUTS_BEFORE_BATCHES, Validity};
use juror_judging::build::batch::BatchMode;
use juror_judging::build::bench::Bench;
use juror_judging::build::{BuildResult, Builder};
use juror_judging::output_validator::response::{Contract, Opinion};
use juror_judging::output_validator::{OutputValidator, TrialCase};
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

/// Asks about outputs alone, and with one start.
fn check_outputs(name: &str, text: &str, protocol: Protocol) {
    let fixture = Fixture::new();
    fixture.write(&format!("sum/output_validator/{name}"), text);
    let mut problem = read(&fixture.path("sum")).problem.expect("a package");
    problem.output_protocol = protocol;
    let (local, started) = (suite::local(), AtomicUsize::new(0));
    let executor = ScriptedExecutor::new(local.slots(), |job: &Job| {
        started.fetch_add(1, Ordering::SeqCst);
        local.run_job(job)
    });
    let builder = Builder::new(&executor);
    let bench =
        Bench { problem: &problem, executor: &executor, builder: &builder, events: &|_| {} };
    let validator = OutputValidator::build(&bench).expect("a validator").remove(0);
    let prepared = builder.prepare(&problem.output_validators[0]).expect("a program");
    let prepared = prepared.for_batches().expect("a language with batches");
    let batched = bench.build_quietly(&prepared, &validator.limits).expect("a build");
    let BuildResult::Program(batched) = batched else { panic!("{name} does not build") };
    let mode = BatchMode::isolated(Isolation::Namespaces).expect("a mode");
    let test_case = TestCase {
        name: "secret/1".to_owned(),
        output_validator_args: vec!["7".to_owned()],
        ..TestCase::default()
    };
    let texts = ["7\n", "8\n", "", "7", "x y", "7\n7\n", "9\n"];
    let outputs = texts.iter().enumerate().map(|(index, text)| {
        let [input, answer] = [format!("{index}\n").as_bytes(), b"7\n"].map(Blob::from);
        let case = TrialCase { name: "secret/1", test_case: &test_case, input, answer };
        (case, Blob::from(text.as_bytes()))
    });
    let outputs = Vec::from_iter(outputs);
    let alone = outputs.iter().map(|(case, output)| {
        let once = Contract::OnePass;
        let response = validator.respond(&executor, case, output.clone(), None, once);
        response.expect("a response").opinion == Opinion::Accepted
    });
    let alone = Vec::from_iter(alone);
    assert_eq!(alone, [true, false, false, true, false, false, false], "{name}: {text}");
    let before = started.load(Ordering::SeqCst);
    let accepted = validator.accept_batch(&executor, (&batched, mode), &outputs);
    assert_eq!(accepted.expect("decisions"), alone, "{name}: {text}");
    assert_eq!(started.load(Ordering::SeqCst) - before, 1);
}

#[test]
fn many_outputs_need_one_start_of_an_output_validator() {
    // Each call must find its own input, answer, argument and empty feedback directory, and no memory of another.
    let standard = "\
import os, sys
sys.ran = getattr(sys, 'ran', 0) + 1
index, answer = int(open(sys.argv[1]).read()), open(sys.argv[2]).read().split()
seen = os.listdir(sys.argv[3])
open(os.path.join(sys.argv[3], 'judgemessage.txt'), 'w').write('seen')
is_right = sys.stdin.read().split() == answer == sys.argv[4:] and sys.ran == 1 and not seen and index < 6
END
";
    let plain = "\
import sys
index, output, answer = (open(path).read().split() for path in sys.argv[1:4])
is_right = output == answer == sys.argv[4:] and int(index[0]) < 6
END
";
    if has_tool("python3") {
        for end in
            ["sys.exit(42 if is_right else 43)", "import os; os._exit(42 if is_right else 1)"]
        {
            check_outputs("check.py", &standard.replace("END", end), Protocol::Standard);
        }
        for end in [
            "sys.exit(not is_right)",
            "if not is_right: sys.exit('wrong')",
            "assert is_right",
            "import atexit, os; atexit.register(lambda: is_right or os._exit(1))",
            "import threading; threading.Timer(0.01, lambda: None).start(); sys.exit(not is_right)",
        ] {
            check_outputs("check.py", &plain.replace("END", end), Protocol::Plain);
        }
    }
    if has_tool("cc") {
        let text = "\
#include <stdio.h>
int number(FILE *file) { int a, b, count = fscanf(file, \"%d %d\", &a, &b); return count == 1 ? a : -1; }
int main(int argc, char **argv) {
    int right = argc == 5 && number(fopen(argv[1], \"r\")) < 6
        && number(stdin) == number(fopen(argv[2], \"r\"));
    return right ? 42 : 43;
}
";
        check_outputs("check.c", text, Protocol::Standard);
    }
}
