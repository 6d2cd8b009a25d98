//! The package's own grader.
//!
//! It is built once, and runs as a job: `grader [FLAGS] < RESULTS`. Each result is a line such as `WA 0`; it must
//! write one such line.
//!
//! Source: problem package format legacy, "Graders".

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::judge::score::CaseResult;
use crate::output_validator::response::exit_code;
use juror_core::blob::Blob;
use juror_core::check::float;
use juror_core::judgement::{FaultyProgram, JudgeError};
use juror_core::limits::{BOX_ROOM, Limits};
use juror_core::score::Score;
use juror_core::stop::Stop;
use juror_core::text::short_quote;
use juror_core::verdict::Verdict;
use juror_sandbox::executor::Executor;

/// In bytes. A longer line cannot be a verdict with a score.
const LONGEST_LINE: u64 = 4 << 10;
/// In bytes.
const STDERR_KEPT: u64 = 64 << 10;

pub struct PackageGrader {
    name: String,
    runnable: Runnable,
    limits: Limits,
}

impl PackageGrader {
    /// Builds the package's own grader, if it has one.
    pub fn build(bench: &Bench<'_>) -> Result<Option<Self>, Stop> {
        let graders = bench.problem.graders.as_ref();
        let Some(program) = graders.and_then(|graders| graders.custom.as_ref()) else {
            return Ok(None);
        };
        let build_limits = Limits::of_compiler(&bench.problem.limits);
        let limits = Limits::of_output_validator(&bench.problem.limits);
        let runnable =
            bench.build_package_program("the grader", program, &build_limits, &limits)?;
        Ok(Some(Self { name: program.name.clone(), runnable, limits }))
    }

    /// Runs the grader on these results.
    pub fn grade(
        &self,
        executor: &dyn Executor,
        flags: &[String],
        results: &[CaseResult],
    ) -> Result<CaseResult, Stop> {
        let mut job = self.runnable.job(&self.limits);
        job.command.argv.extend(flags.iter().cloned());
        job.stdin = Blob::from(lines(results).as_bytes());
        job.box_size = job.box_size.saturating_add(BOX_ROOM);
        let reply = executor.run_job(&job)?;
        let fault = |error| JudgeError::new("read what the grader wrote", error);
        let stderr = reply.stderr.prefix(STDERR_KEPT).map_err(fault)?;
        let result = match exit_code(&reply.outcome, &self.limits) {
            Ok(0) => parse(&reply.stdout.prefix(LONGEST_LINE).map_err(fault)?),
            Ok(code) => Err(format!("it ended with exit code {code}; it must be 0")),
            Err(what) => Err(what),
        };
        Ok(result.map_err(|what| {
            let step = format!("run the grader `{}`", self.name);
            let mut error = JudgeError::new(step, what)
                .help("fix the grader: it must exit with 0 and write one line such as `AC 10`");
            error.program = Some(Box::new(FaultyProgram { stderr, ..FaultyProgram::default() }));
            error
        })?)
    }
}

/// The input of a grader. The format allows four verdicts.
fn lines(results: &[CaseResult]) -> String {
    let line = |result: &CaseResult| {
        let points = result.score.unwrap_or_default().points();
        format!("{} {points}\n", result.verdict.standard())
    };
    results.iter().map(line).collect()
}

fn parse(output: &[u8]) -> Result<CaseResult, String> {
    let mut words = output.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let [verdict, score, more] = [words.next(), words.next(), words.next()];
    let verdict = verdict.and_then(|word| {
        Verdict::ALL.into_iter().find(|verdict| verdict.short().as_bytes() == word)
    });
    let score = score.and_then(float::parse_number).and_then(Score::new);
    match (verdict, score, more) {
        (Some(verdict), Some(score), None) if verdict != Verdict::CompileError => {
            Ok(CaseResult { verdict, score: Some(score) })
        }
        _ => {
            let shown = short_quote(output.trim_ascii());
            Err(format!("it wrote \"{shown}\", not one verdict and one score"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grader_reads_a_line_for_each_result() {
        let result = |verdict, points| CaseResult { verdict, score: Score::new(points) };
        let results = [
            result(Verdict::Accepted, 10.0),
            result(Verdict::MemoryLimitExceeded, -0.5),
            CaseResult { verdict: Verdict::WrongAnswer, score: None },
        ];
        assert_eq!(lines(&results), "AC 10\nRTE -0.5\nWA 0\n");
    }

    #[test]
    fn a_grader_must_write_one_verdict_and_one_score() {
        let check = |output: &str, expected: &str| {
            let shown = match parse(output.as_bytes()) {
                Ok(CaseResult { verdict, score }) => format!("{verdict} {}", score.unwrap()),
                Err(what) => what,
            };
            assert_eq!(shown, expected);
        };
        let wrong = |shown: &str| format!("it wrote \"{shown}\", not one verdict and one score");
        check("AC 10", "AC 10");
        check("WA   -3.5\n", "WA -3.5");
        check("OLE\t0\r\n", "OLE 0");
        for bad in ["", "AC", "10", "10 AC", "JE 0", "CE 0", "ac 1", "AC inf", "AC nan", "AC 1 2"] {
            check(bad, &wrong(bad));
        }
        check("AC 1\nWA 0\n", &wrong("AC 1\\nWA 0"));
    }
}
