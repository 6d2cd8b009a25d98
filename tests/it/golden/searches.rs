//! Recorded runs of `stress`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use juror_core::exit_code::ExitCode;
use juror_core::job::Job;
use juror_core::outcome::{Ending, Signal};
use juror_data::search::result::{SearchEnd, StressResult};
use juror_sandbox::executor::Executor;

use super::record::{
    Recording, interrupted_events as cut, record_result, record_result_with_wrapper,
};
use crate::fixture::{Fixture, RIGHT};
use crate::{stress, stress_live};
use juror_sandbox::executor::scripted::ScriptedExecutor;

/// A wrong answer on equal large numbers, which random inputs of the full range do not show. The input is shrunk and
/// added to the package.
pub(super) fn found_counterexample() -> Recording<StressResult> {
    static ONCE: LazyLock<Recording<StressResult>> = LazyLock::new(|| {
        let fixture = stress::fixture();
        let wrong = "read -r a b; [[ $a -gt 7 && $a = $b ]] && b=0; echo $((a + b))\n";
        fixture.write("my.sh", wrong);
        let line = "stress @sum @my.sh --runs 3000 --time 10m --explain 10m --seed 1 --jobs 1 --promote odd";
        record_result(&fixture, line, ExitCode::Rejected)
    });
    ONCE.clone()
}

/// The submission crashes in its first run.
fn crash_first_run(beyond: Arc<dyn Executor>) -> Arc<dyn Executor> {
    let runs = AtomicU32::new(0);
    Arc::new(ScriptedExecutor::new(beyond.slots(), move |job: &Job| {
        let mut reply = beyond.run_job(job)?;
        let is_submission = job.command.argv.iter().any(|word| word.ends_with("/my.sh"));
        if is_submission && runs.fetch_add(1, Ordering::SeqCst) == 0 {
            reply.outcome.ending = Ending::Signalled(Signal(11));
            reply.stderr = b"free(): invalid pointer\n"[..].into();
        }
        Ok(reply)
    }))
}

/// A crash that does not always happen, on a long input of a generator.
pub(super) fn flaky_crash() -> Recording<StressResult> {
    let fixture = Fixture::new();
    let recipe = "solution: /submissions/accepted/right.sh\n\
                  data:\n  secret:\n    data:\n      random:\n        generate: gen.sh 40 {seed}\n";
    fixture.write("sum/generators/generators.yaml", recipe);
    let generator =
        "echo $1; for ((row = 0; row < $1; row++)); do echo $row $((row * 7)); done; echo $2\n";
    fixture.write("sum/generators/gen.sh", generator);
    fixture.write("sum/input_validators/validate/run", "#!/bin/sh\nexit 42\n");
    fixture.write("my.sh", RIGHT);
    let line = "stress @sum @my.sh --runs 30 --time 10m --explain 0 --seed 1 --jobs 1";
    record_result_with_wrapper(crash_first_run, &fixture, line, ExitCode::Rejected)
}

/// Sends two numbers, and expects their sum in the last line of the output.
const SUM_VALIDATOR: &str = r#"#!/usr/bin/env bash
read -r a b < "$1"
echo "$a $b"
while read -r line; do last=$line; done
[[ $last == $((a + b)) ]] && exit 42
echo "${last:0:9} is not $((a + b))" | tee "${3}judgemessage.txt" >&2
exit 43
"#;

pub(super) fn interactive_search() -> Recording<StressResult> {
    static ONCE: LazyLock<Recording<StressResult>> = LazyLock::new(|| {
        let fixture = stress_live::interactive_sum();
        fixture.write("sum/output_validator/validate/run", SUM_VALIDATOR);
        let long = "for line in {1..30}; do printf '%03000d\\n' $line; done";
        fixture.write("my.sh", format!("read -r a b; echo 'left is 1' >&2; {long}; echo 3\n"));
        let line = "stress @sum @my.sh --runs 300 --time 10m --explain 0 --seed 1 --jobs 1";
        record_result(&fixture, line, ExitCode::Rejected)
    });
    ONCE.clone()
}

/// The input validators refuse some inputs of the grammar.
pub(super) fn fruitless_search() -> Recording<StressResult> {
    static ONCE: LazyLock<Recording<StressResult>> = LazyLock::new(|| {
        let fixture = stress::fixture();
        let grammar = "INT(-3, 9, a) SPACE INT(-3, 9, b) NEWLINE\n";
        fixture.write("sum/input_validators/sum.ctd", grammar);
        let right_above_zero = "read -r a b; [[ $a -lt 0 ]] && a=0; echo $((a + b))\n";
        fixture.write("my.sh", right_above_zero);
        let line = "stress @sum @my.sh --runs 200 --time 10m --explain 0 --seed 1 --jobs 1";
        record_result(&fixture, line, ExitCode::Success)
    });
    ONCE.clone()
}

/// Ended by Ctrl-C.
pub(super) fn interrupted_search() -> Recording<StressResult> {
    let mut recording = fruitless_search();
    recording.events = cut(recording.events, 1);
    recording.result.search.end = SearchEnd::Interrupted;
    recording
}
