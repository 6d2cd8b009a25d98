//! `juror verify`: packages, their data, and all their submissions against what is expected.

use std::path::{Path, PathBuf};

use crate::build::Builder;
use crate::cli::arguments::VerifyArguments;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::keep;
use crate::cli::output::{Output, Stop, command};
use crate::cli::problem::{self, Remarks};
use crate::cli::sessions::{Finished, Judging, bounds, entrants, faults};
use crate::judge::case::{Detail, ReadyCase};
use crate::judge::time_limit;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::Judgement;
use crate::model::problem::Problem;
use crate::plan::Mode;
use crate::validate::{self, Extent, idle, mutations};

/// Verifies.
pub fn run(arguments: &VerifyArguments) -> ExitCode {
    command(&arguments.output, "verify", |output| {
        let keep = keep::directory(arguments.runs.keep.as_ref(), output)?;
        let host = Host::start(arguments.runs.jobs, arguments.runs.isolation, output)?;
        let builder = Builder::new(&*host.executor)?;
        let verifier = Verifier {
            arguments,
            host: &host,
            builder: &builder,
            output,
            keep,
        };
        let mut code = ExitCode::Success;
        for dir in &arguments.packages {
            match verifier.package(dir) {
                Ok(()) => {}
                // The other packages can still be verified.
                Err(Stop::Shown(shown)) => code = code.and(shown),
                Err(stop) => return Err(stop),
            }
            if output.summary().interrupted {
                break;
            }
        }
        let summary = output.summary();
        if summary.broken > 0 {
            code = code.and(ExitCode::Rejected);
        }
        if summary.errors > 0 {
            code = code.and(ExitCode::InvalidPackage);
        }
        Ok(code.and(faults(&summary)))
    })
}

struct Verifier<'a> {
    arguments: &'a VerifyArguments,
    host: &'a Host,
    builder: &'a Builder<'a>,
    output: &'a Output,
    /// Where boxes are kept, if they are.
    keep: Option<PathBuf>,
}

impl Verifier<'_> {
    fn package(&self, dir: &Path) -> Result<(), Stop> {
        let problem = problem::read(dir, Remarks::All, self.output)?;
        let cases = problem::select(&problem, &self.arguments.runs.case, self.output)?;
        self.output.event(problem::package_read(
            &problem,
            problem.submissions.len(),
            cases.len(),
        ));
        self.data(&problem, &cases)?;
        self.submissions(&problem, cases)
    }

    /// How much of a package is looked at.
    fn extent(&self) -> Extent {
        match self.arguments.runs.case.is_empty() {
            true => Extent::Everything,
            false => Extent::Selected,
        }
    }

    /// Proves the test data.
    fn data(&self, problem: &Problem, cases: &[ReadyCase<'_>]) -> Result<(), Stop> {
        let selected = |name: &str| cases.iter().any(|case| case.test_case.name == name);
        let proof = validate::data(&validate::Proving {
            problem,
            selected: &selected,
            extent: self.extent(),
            mutations: &mutations::generic(),
            executor: &*self.host.executor,
            builder: self.builder,
            events: &|event| self.output.event(event),
        })?;
        self.diagnosed(proof.diagnostics);
        if proof.interrupted {
            self.output.event(Event::Interrupted);
            return Err(Stop::Shown(ExitCode::Interrupted));
        }
        Ok(())
    }

    /// Judges all submissions and holds them against what is expected.
    fn submissions(&self, problem: &Problem, cases: Vec<ReadyCase<'_>>) -> Result<(), Stop> {
        let entrants = entrants(&problem.submissions, self.builder, self.output)?;
        let finished = Judging {
            problem,
            entrants: &entrants,
            cases,
            runs: &self.arguments.runs,
            mode: Mode::AllCases,
            detail: match &self.keep {
                None => Detail::Brief,
                Some(dir) => Detail::Full {
                    command_line: String::new(),
                    keep: Some(match self.arguments.packages.len() {
                        1 => dir.clone(),
                        _ => dir.join(&problem.short_name),
                    }),
                },
            },
            host: self.host,
            builder: self.builder,
            output: self.output,
        }
        .run()?;
        if self.extent() == Extent::Everything && !finished.results.interrupted {
            self.diagnosed(doubts(problem, &finished));
            if self.arguments.output.verbose {
                let judgements: Vec<&Judgement> = finished.results.judgements().collect();
                self.diagnosed(idle::find(problem, &judgements).into_iter().collect());
            }
        }
        Ok(())
    }

    fn diagnosed(&self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            self.output.event(Event::Diagnosed(diagnostic));
        }
    }
}

/// What the submissions' times say against the time limit.
fn doubts(problem: &Problem, finished: &Finished) -> Vec<Diagnostic> {
    let bounds = bounds(&problem.submissions, &finished.results);
    time_limit::doubts(finished.time_limit.limit, &bounds, &problem.limits)
        .into_iter()
        .map(|doubt| {
            Diagnostic::warning(problem.dir.join("problem.yaml"), doubt).help(
                "change limits.time_limit or limits.time_multipliers, \
                 or set use_for_time_limit: false in submissions.yaml",
            )
        })
        .collect()
}
