//! Mutants that are built together do what they do alone.

use std::path::Path;
use std::sync::Arc;

use juror::build::bench::Bench;
use juror::build::{Builder, Runnable};
use juror::executor::Executor;
use juror::executor::local::Local;
use juror::model::isolation::Demand;
use juror::model::limits::Limits;
use juror::model::outcome::Ending;
use juror::model::problem::Problem;
use juror::mutate::mutants;
use juror::mutate::original::original;
use juror::package::read;
use juror::strength::bundles::Variants;

/// The mutants of an accepted submission of a package: each by itself, and all together.
fn check(package: &str, submission: &str, every: usize) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems").join(package);
    let problem: Problem = read(&dir).problem.expect("a package");
    let local = Local::start(Some(2), Demand::Any, Arc::new(())).expect("slots");
    let builder = Builder::new(&local);
    let bench = Bench { problem: &problem, executor: &local, builder: &builder, events: &|_| {} };
    let all = problem.submissions.iter();
    let own = all.clone().find(|it| it.name == submission).expect(submission);
    let Ok(prepared) = builder.prepare(&own.program) else { return };
    let original = original(&own.program).expect("a source").expect("a language with mutants");
    let source = &original.files[0];
    let some = mutants(original.language, &original.files).into_iter().step_by(every);
    let texts: Vec<String> = some.map(|mutant| mutant.apply(&source.text)).collect();
    let build_limits = Limits::of_compiler(&problem.limits);
    let run_limits = Limits::of_submission(&problem.limits, std::time::Duration::from_secs(1));
    let build = |texts: &[String]| {
        let (language, file) = (original.language, &*source.name);
        let variants = Variants { original: &prepared, language, file, texts };
        variants.build(&bench, &build_limits, &run_limits).expect("a build")
    };
    let together = build(&texts);
    assert!(together.iter().flatten().count() > texts.len() / 2);
    for (text, together) in texts.iter().zip(&together) {
        let alone = build(std::slice::from_ref(text)).remove(0);
        assert_eq!(alone.is_some(), together.is_some(), "{text}");
        let (Some(alone), Some(together)) = (alone, together) else { continue };
        for case in &problem.test_data.cases[..2] {
            let input = std::fs::read(&case.input).expect("an input");
            let said = |program: &Arc<Runnable>| told(&local, program, &input, &run_limits);
            assert_eq!(said(&alone), said(together), "{text}");
        }
    }
}

/// How a run ended and what it wrote; only that it ended, if it broke.
fn told(
    executor: &dyn Executor,
    program: &Runnable,
    input: &[u8],
    limits: &Limits,
) -> Option<Vec<u8>> {
    let mut job = program.job(limits);
    job.stdin = input.to_vec().into();
    let reply = executor.run(&job).expect("a run");
    let is_fine = reply.outcome.ending == Ending::Exited(0) && reply.outcome.stopped_by.is_none();
    is_fine.then(|| reply.stdout.start(1 << 20).expect("its output"))
}

#[test]
fn mutants_in_one_source_do_what_they_do_alone() {
    check("coinrow", "accepted/coinrow.cpp", 9);
    check("coinrow", "accepted/table.rs", 20);
}
