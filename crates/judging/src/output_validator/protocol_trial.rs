//! Finds out how a checker of the command line is called, if its text does not say it: by trials. A package's programs
//! are never tried: the package says how they are called.

use std::time::Duration;

use crate::output_validator::response::{Contract, Opinion, Response};
use crate::output_validator::trial::{JUNK, validator_message};
use crate::output_validator::{OutputValidator, TrialCase};
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::outcome::{Ending, Outcome};
use juror_core::protocol::Protocol;
use juror_core::stop::Stop;
use juror_sandbox::executor::Executor;

/// The first that fits counts. In the first, all words name files, so that a checker of another protocol ends soon.
const OF_CHECKERS: [Protocol; 3] = [Protocol::Plain, Protocol::Standard, Protocol::Testlib];
/// An interactor that breaks down ends with 1, as one of the second protocol that rejects.
const OF_INTERACTORS: [Protocol; 3] = [Protocol::Standard, Protocol::Plain, Protocol::Testlib];

/// CPU time of each trial run. A checker needs less for one test case.
const TRIAL_TIME: Duration = Duration::from_secs(10);

/// In bytes. An answer with so many blanks at its start counts as empty.
const SEEN: u64 = 64 << 10;

impl TrialCase<'_> {
    /// Whether a checker that reads an empty output instead would notice it.
    pub fn is_telling(&self) -> bool {
        self.answer.prefix(SEEN).is_ok_and(|text| !text.trim_ascii().is_empty())
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
        let outputs = [case.answer.clone(), Blob::default(), JUNK.into()];
        let mut rows = Vec::new();
        for protocol in if self.is_interactor { OF_INTERACTORS } else { OF_CHECKERS } {
            let mut tried = Self { protocol: protocol.into(), ..self.clone() };
            tried.limits.cpu_time = tried.limits.cpu_time.min(Some(TRIAL_TIME));
            tried.limits.wall_time = tried.limits.wall_time.min(Some(2 * TRIAL_TIME));
            let (mut responses, mut is_stopped) = (Vec::new(), false);
            for output in outputs.clone() {
                let response = tried.respond(executor, case, output, None, Contract::OnePass)?;
                is_stopped = response.outcome.stopped_by.is_some();
                responses.push(response);
                if is_stopped {
                    break;
                }
            }
            rows.push(describe_trials(protocol, &responses));
            if is_stopped {
                break;
            }
            if self.fits(protocol, &responses) {
                // Another thread may have found it, too.
                let _ = self.protocol.set(protocol);
                return Ok(());
            }
        }
        let message = format!(
            "fits no protocol on {}; for the answer, nothing and junk, it ends with {}",
            case.name,
            rows.join("; ")
        );
        let help = format!(
            "it must accept the answer and reject junk; `--checker-protocol NAME` says how it is called: {}",
            Protocol::ALL.map(Protocol::name).join(", ")
        );
        Err(Diagnostic::error(&self.path, message).help(help).into())
    }

    /// An interactor fits if it judges a submission that does not listen.
    fn fits(&self, protocol: Protocol, responses: &[Response]) -> bool {
        let opinions: Vec<&Opinion> = responses.iter().map(|response| &response.opinion).collect();
        let is_broken = |opinion: &&Opinion| matches!(opinion, Opinion::Broken(_));
        match (&opinions[..], protocol) {
            (opinions, _) if self.is_interactor => !opinions.iter().all(is_broken),
            ([Opinion::Accepted, _, junk], Protocol::Standard) => **junk != Opinion::Accepted,
            ([Opinion::Accepted, _, junk], _) => **junk == Opinion::Rejected,
            _ => false,
        }
    }
}

/// Such as `2, 2, 2 as plain (INPUT OUTPUT ANSWER, exit code 0 or 1): what it wrote on standard error`.
fn describe_trials(protocol: Protocol, responses: &[Response]) -> String {
    let ends = responses.iter().map(|response| match (&response.opinion, &response.outcome) {
        (Opinion::Broken(what), Outcome { stopped_by: Some(_), .. }) => format!("\"{what}\""),
        (_, Outcome { ending: Ending::Exited(code), .. }) => code.to_string(),
        (_, Outcome { ending: Ending::Signalled(signal), .. }) => signal.to_string(),
    });
    let ends: Vec<String> = ends.collect();
    let message = responses.first().map(validator_message).unwrap_or_default();
    format!("{} as {protocol} ({}){message}", ends.join(", "), protocol.usage())
}
