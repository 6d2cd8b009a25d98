//! Finds out how a checker of the command line is called, if its text does not say it: by trials. A package's programs
//! are never tried: the package says how they are called.

use crate::output_validator::response::{Contract, Opinion, Response};
use crate::output_validator::trial::{JUNK, validator_message};
use crate::output_validator::{OutputValidator, ValidationRequest};
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::job::BoxRetention;
use juror_core::outcome::Ending;
use juror_core::problem::Problem;
use juror_core::protocol::Protocol;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_sandbox::executor::{Executor, parallel};

/// The first that fits counts. In the first, all words name files, so that a checker of another protocol ends soon.
const OF_CHECKERS: [Protocol; 3] = [Protocol::Plain, Protocol::Standard, Protocol::Testlib];
/// An interactor that breaks down ends with 1, as one of the second protocol that rejects.
const OF_INTERACTORS: [Protocol; 3] = [Protocol::Standard, Protocol::Plain, Protocol::Testlib];

/// In bytes. An answer with so many blanks at its start counts as empty.
const SEEN: u64 = 64 << 10;

/// A test case for trials.
pub struct TrialCase<'a> {
    pub test_case: &'a TestCase,
    pub input: Blob,
    pub answer: Blob,
}

impl<'a> TrialCase<'a> {
    /// The first test case with files, if possible one whose answer says something. An interactor needs no answer.
    pub fn first_of(problem: &'a Problem) -> Option<Self> {
        let is_there = |case: &&TestCase| {
            case.input.exists() && (case.answer.is_some() || problem.interactor.is_some())
        };
        let cases = problem.test_data.cases.iter().filter(is_there).map(|test_case| Self {
            test_case,
            input: Blob::file(&test_case.input),
            answer: test_case.answer.as_ref().map(Blob::file).unwrap_or_default(),
        });
        Self::most_telling(cases)
    }

    pub fn most_telling(mut cases: impl Iterator<Item = Self> + Clone) -> Option<Self> {
        let tells =
            |case: &Self| case.answer.prefix(SEEN).is_ok_and(|text| !text.trim_ascii().is_empty());
        cases.clone().find(tells).or_else(|| cases.next())
    }
}

impl OutputValidator {
    /// Nothing happens if the protocol is known.
    ///
    /// # Errors
    /// If no protocol fits, or a run exceeded a limit; with all that was tried.
    pub fn find_protocol(&self, executor: &dyn Executor, case: &TrialCase<'_>) -> Result<(), Stop> {
        if self.has_protocol() {
            return Ok(());
        }
        let answer = [("the answer", case.answer.clone())];
        let wrong = [("nothing", Blob::default()), ("junk", JUNK.into())];
        let is_checker = !self.is_interactor;
        let outputs: Vec<_> = answer.into_iter().filter(|_| is_checker).chain(wrong).collect();
        let mut rows = Vec::new();
        for protocol in if is_checker { OF_CHECKERS } else { OF_INTERACTORS } {
            let tried = Self { protocol: protocol.into(), ..self.clone() };
            let responses = parallel::map(executor, &outputs, |(_, output)| {
                tried.respond(executor, case, output.clone())
            })?;
            let is_stopped = responses.iter().any(|response| response.outcome.stopped_by.is_some());
            let is_found = !is_stopped && self.fits(protocol, &responses);
            let names = outputs.iter().map(|(name, _)| *name);
            rows.push(describe_trials(protocol, names.zip(&responses)));
            if is_found {
                // Another thread may have found it, too.
                let _ = self.protocol.set(protocol);
                return Ok(());
            }
            if is_stopped {
                break;
            }
        }
        let what = format!("fits no protocol on {}: {}", case.test_case.name, rows.join("; "));
        let help = format!(
            "it must accept the answer and reject junk; --checker-protocol says how it is called: {}",
            Protocol::ALL.map(Protocol::name).join(", ")
        );
        Err(Diagnostic::error(&self.path, what).help(help).into())
    }

    /// An interactor fits if it has an opinion on a submission that says nothing, or junk.
    fn fits(&self, protocol: Protocol, responses: &[Response]) -> bool {
        let opinions: Vec<&Opinion> = responses.iter().map(|response| &response.opinion).collect();
        let is_broken = |opinion: &&Opinion| matches!(opinion, Opinion::Broken(_));
        match (&opinions[..], protocol) {
            ([Opinion::Accepted, _, junk], Protocol::Standard) => **junk != Opinion::Accepted,
            ([Opinion::Accepted, _, junk], _) => **junk == Opinion::Rejected,
            (opinions, _) => self.is_interactor && !opinions.iter().all(is_broken),
        }
    }

    pub fn respond(
        &self,
        executor: &dyn Executor,
        case: &TrialCase<'_>,
        output: Blob,
    ) -> Result<Response, Stop> {
        let request = ValidationRequest {
            test_case: case.test_case,
            args: &[],
            input: &case.input,
            answer: &case.answer,
            output,
            submission: None,
            earlier: &[],
            keep: BoxRetention::Nothing,
        };
        self.run(executor, request, Contract::OnePass)
    }
}

/// Such as `plain (INPUT OUTPUT ANSWER, exit code 0 or 1): the answer 2, nothing 2, junk 2`.
fn describe_trials<'a>(
    protocol: Protocol,
    trials: impl Iterator<Item = (&'a str, &'a Response)>,
) -> String {
    let trials = trials.map(|(output, response)| {
        let message = validator_message(response);
        match (&response.opinion, response.outcome.stopped_by, response.outcome.ending) {
            (Opinion::Broken(what), Some(_), _) => format!("{output}: {what}"),
            (Opinion::Broken(_), _, Ending::Exited(code)) => format!("{output} {code}{message}"),
            (_, _, Ending::Exited(code)) => format!("{output} {code}"),
            (_, _, Ending::Signalled(signal)) => format!("{output} {signal}"),
        }
    });
    let trials: Vec<String> = trials.collect();
    format!("{protocol} ({}): {}", protocol.usage(), trials.join(", "))
}
