//! Mutants that are built together behave as they do alone.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use juror_core::isolation::RequiredIsolation;
use juror_core::limits::Limits;
use juror_core::outcome::Ending;
use juror_core::problem::Problem;
use juror_data::faults::mutants;
use juror_data::faults::original::read_original;
use juror_data::strength::bundles::{LARGEST_BUNDLE, Variants};
use juror_judging::build::bench::Bench;
use juror_judging::build::{Builder, Runnable};
use juror_packages::package::read;
use juror_sandbox::executor::local::LocalExecutor;
use juror_sandbox::executor::{Executor, ExecutorWrapper};

use crate::wire;

type BuildTexts<'a> = dyn Fn(&[String]) -> Vec<Option<Arc<Runnable>>> + 'a;

/// Calls a function with every n-th mutant of an accepted submission.
fn with_mutants(
    package: &str,
    submission: &str,
    every: usize,
    around: ExecutorWrapper,
    act: impl FnOnce(&Problem, &dyn Executor, &[String], &BuildTexts<'_>),
) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems").join(package);
    let problem: Problem = read(&dir).problem.expect("a package");
    let local = LocalExecutor::start(Some(2), RequiredIsolation::Any).expect("slots");
    let executor = &*around(Arc::new(local));
    let builder = Builder::new(executor);
    let bench = Bench { problem: &problem, executor, builder: &builder, events: &|_| {} };
    let mut all = problem.submissions.iter();
    let own = all.find(|known| known.name == submission).expect(submission);
    let Ok(prepared) = builder.prepare(&own.program) else { return };
    let original = read_original(&own.program).expect("a source").expect("a language with mutants");
    let source = &original.files[0];
    let some = mutants(original.language, &original.files).into_iter().step_by(every);
    let texts: Vec<String> = some.map(|mutant| mutant.apply(&source.text)).collect();
    let build = |texts: &[String]| {
        let (language, file) = (original.language, &*source.name);
        let groups = texts.chunks(LARGEST_BUNDLE).map(|texts| {
            let (run_limits, original) = (&run_limits(&problem), &prepared);
            let variants = Variants { bench, run_limits, original, language, file, texts };
            variants.build().expect("a build")
        });
        groups.flatten().collect()
    };
    act(&problem, executor, &texts, &build);
}

fn run_limits(problem: &Problem) -> Limits {
    Limits::of_submission(&problem.limits, Duration::from_secs(1))
}

/// Each mutant behaves the same alone and with the others.
fn check(package: &str, submission: &str, every: usize) {
    with_mutants(
        package,
        submission,
        every,
        wire::wrap_in_wire,
        |problem, executor, texts, build| {
            let together = build(texts);
            assert!(together.iter().flatten().count() > texts.len() / 2);
            for (text, together) in texts.iter().zip(&together) {
                let alone = build(std::slice::from_ref(text)).remove(0);
                assert_eq!(alone.is_some(), together.is_some(), "{text}");
                let (Some(alone), Some(together)) = (alone, together) else { continue };
                for case in &problem.test_data.cases[..2] {
                    let input = case.input.read().expect("an input");
                    let limits = run_limits(problem);
                    let stdout =
                        |program: &Arc<Runnable>| run_output(executor, program, &input, &limits);
                    assert_eq!(stdout(&alone), stdout(together), "{text}");
                }
            }
        },
    );
}

/// The output of a run; `None` if it crashed or exceeded a limit.
fn run_output(
    executor: &dyn Executor,
    program: &Runnable,
    input: &[u8],
    limits: &Limits,
) -> Option<Vec<u8>> {
    let mut job = program.job(limits);
    job.stdin = input.to_vec().into();
    let reply = executor.run_job(&job).expect("a run");
    let is_fine = reply.outcome.ending == Ending::Exited(0) && reply.outcome.stopped_by.is_none();
    is_fine.then(|| reply.stdout.prefix(1 << 20).expect("its output"))
}

#[test]
fn mutants_in_one_source_behave_as_they_do_alone() {
    check("coinrow", "accepted/coinrow.cpp", 40);
    check("coinrow", "accepted/loose_output.c", 12);
    check("coinrow", "accepted/table.rs", 60);
}

mod quiet {
    use std::time::Instant;

    use super::*;

    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    #[expect(clippy::print_stderr, reason = "it measures")]
    fn the_mutants_of_game1_are_built_in_seconds() {
        for submission in ["game1.cpp", "table.rs", "game1.java", "game1.c"] {
            let submission = format!("accepted/{submission}");
            with_mutants(
                "game1",
                &submission,
                1,
                |local| local,
                |_, _, texts, build| {
                    let start = Instant::now();
                    let built = build(texts).iter().flatten().count();
                    let seconds = start.elapsed().as_secs_f64();
                    eprintln!(
                        "{submission}: {} mutants, {built} build, {seconds:.1} s",
                        texts.len()
                    );
                    assert!(seconds < 60.0);
                },
            );
        }
    }
}
