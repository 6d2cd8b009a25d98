//! The sizes of growing hash tables: keys at such a distance meet in one bucket.

use juror_core::limits::Limits;
use juror_core::program::{BuildVariant, Program};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_judging::build::BuildResult;
use juror_judging::build::bench::Bench;
use juror_sandbox::executor::Executor;

const SOURCE: &str = include_str!("table_sizes.cpp");

/// The numbers of buckets of the C++ library that submissions are built with, if one of these texts uses its hash
/// tables. A table of that library is built to find them.
pub fn table_sizes(
    texts: &[String],
    variant: &BuildVariant,
    bench: &Bench<'_>,
    executor: &dyn Executor,
) -> Result<Vec<i128>, Stop> {
    if !texts.iter().any(|text| text.contains("unordered_")) {
        return Ok(Vec::new());
    }
    let path = FilePath::root("table_sizes.cpp");
    let text = Some(SOURCE.to_owned());
    let program = Program { path, text, variant: variant.clone(), ..Program::default() };
    let prepared = bench.builder.prepare(&program)?;
    let limits = Limits::of_generator();
    // The search does without sizes if the library is none of C++.
    let BuildResult::Program(runnable) = bench.build_quietly(&prepared, &limits)? else {
        return Ok(Vec::new());
    };
    let reply = executor.run_job(&runnable.job(&limits))?;
    let output = reply.stdout.prefix(limits.output.map_or(0, |most| most.0)).unwrap_or_default();
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok(output.split_whitespace().filter_map(|word| word.parse().ok()).collect())
}
