//! Checks the exchanges in `.interaction` files with the output validator. It gets the submission's lines, must accept
//! them, and must write its own lines as shown.
//!
//! The format does not require this, and a validator may choose its lines at random. So differences are warnings, not
//! errors.

use crate::validity::test_data::DataCheck;
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::job::BoxRetention;
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_core::text::visible;
use juror_core::tree::TreeEntry;
use juror_judging::output_validator::response::{Contract, Opinion, Response};
use juror_judging::output_validator::trial;
use juror_judging::output_validator::{
    OutputValidator, ValidationRequest, files_for_next_pass, judge_answer,
};
use juror_sandbox::executor::{Executor, parallel};

const OUTPUT_MAX: u64 = 8 << 20;

pub(super) fn check_exchanges(
    check: &DataCheck<'_>,
    validator: &OutputValidator,
    cases: &[&TestCase],
) -> Result<Vec<Diagnostic>, Stop> {
    let replays = parallel::map(check.bench.executor, cases, |test_case| {
        let Some(path) = &test_case.interaction else { return Ok(None) };
        let replay = ExchangeReplay { executor: check.bench.executor, validator, test_case, path };
        replay.replay_passes(check.bench.problem.kind.passes)
    })?;
    Ok(replays.into_iter().flatten().collect())
}

/// An exchange, and the validator that takes part in it.
struct ExchangeReplay<'a> {
    executor: &'a dyn Executor,
    validator: &'a OutputValidator,
    test_case: &'a TestCase,
    path: &'a FilePath,
}

impl ExchangeReplay<'_> {
    /// Replays at most this many passes, up to the first one with a fault.
    fn replay_passes(&self, most: u32) -> Result<Option<Diagnostic>, Stop> {
        let text = self.path.read().map_err(JudgeError::on_file("read", self.path))?;
        let mut passes = split_passes(&text).into_iter().peekable();
        let mut input = Blob::file(&self.test_case.input);
        let mut earlier = Vec::new();
        for number in 1..=most {
            let Some(exchange) = passes.next() else { break };
            let contract = Contract::of_pass(number, most);
            let (to_program, response) = self.replay_pass(&exchange, &input, &earlier, contract)?;
            if let Some(mut fault) = self.pass_fault(&exchange, &to_program, &response) {
                if number > 1 {
                    fault.message = format!("in pass {number}, {}", fault.message);
                }
                return Ok(Some(fault));
            }
            let Response { feedback, box_tree: tree, .. } = response;
            let (what, help) = match (feedback.next_pass, passes.peek()) {
                (Some(next), Some(_)) => {
                    input = next;
                    earlier = tree.as_ref().map(files_for_next_pass).unwrap_or_default();
                    continue;
                }
                (None, None) => break,
                (Some(_), None) => ("asks for another pass", "show it, after a line `---`"),
                (None, Some(_)) => ("asks for no other pass", "remove what comes after it"),
            };
            let what = format!("after pass {number} of it, the output validator {what}");
            return Ok(Some(Diagnostic::warning(self.path, what).help(help)));
        }
        Ok(None)
    }

    fn replay_pass(
        &self,
        exchange: &[u8],
        input: &Blob,
        earlier: &[TreeEntry],
        contract: Contract,
    ) -> Result<(Vec<u8>, Response), Stop> {
        let Self { executor, validator, test_case, .. } = self;
        let job = validator.job(ValidationRequest {
            test_case,
            args: &test_case.output_validator_args,
            input,
            answer: &judge_answer(test_case)?,
            output: lines_of_side(b'>', exchange).into(),
            submission: None,
            earlier,
            keep: BoxRetention::all_or_nothing(contract != Contract::OnePass),
        });
        let reply = executor.run_job(&job).map_err(|error| validator.as_validator_fault(error))?;
        let failed = |error| JudgeError::new("read what the output validator wrote", error);
        let to_program = reply.stdout.prefix(OUTPUT_MAX).map_err(failed)?;
        Ok((to_program, validator.read_response(reply, &validator.limits, contract)?))
    }

    fn pass_fault(
        &self,
        exchange: &[u8],
        to_program: &[u8],
        response: &Response,
    ) -> Option<Diagnostic> {
        let message = trial::validator_message(response);
        match &response.opinion {
            Opinion::Accepted => first_difference(&lines_of_side(b'<', exchange), to_program).map(|difference| {
                let help = "replay the exchange; if the output validator chooses by chance, let the sample's seed decide";
                Diagnostic::warning(self.path, difference).help(help)
            }),
            Opinion::Rejected | Opinion::Partial(_) => {
                let what = format!("the output validator rejects the submission's side of it{message}");
                let help = "show an exchange that is accepted, with all lines of the submission";
                Some(Diagnostic::warning(self.path, what).help(help))
            }
            Opinion::Broken(what) => {
                let what = format!("the output validator breaks down on it: {what}{message}");
                let help =
                    format!("it must {}, whatever a submission writes", self.validator.protocol().response_rule());
                Some(Diagnostic::error(self.path, what).help(help))
            }
        }
    }
}

/// Source: problem package format 2025-09, "Samples for interactive and multi-pass problems".
fn split_passes(exchange: &[u8]) -> Vec<Vec<u8>> {
    let lines: Vec<&[u8]> = exchange.split(|byte| *byte == b'\n').collect();
    let passes = lines.split(|line| line.trim_ascii_end() == b"---");
    passes.map(|lines| lines.join(&b'\n')).collect()
}

fn lines_of_side(mark: u8, exchange: &[u8]) -> Vec<u8> {
    let lines = exchange.split(|byte| *byte == b'\n');
    let own = lines.filter_map(|line| line.strip_prefix(&[mark]));
    own.flat_map(|line| [line, b"\n"].concat()).collect()
}

fn first_difference(shown: &[u8], found: &[u8]) -> Option<String> {
    let lines = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text).into_owned();
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    };
    let (shown, found) = (lines(shown), lines(found));
    let number = shown.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let quoted = |line: Option<&String>| match line {
        Some(line) => format!("`{}`", visible(line.as_bytes())),
        None => "nothing".to_owned(),
    };
    let (expected, found) = (shown.get(number), found.get(number));
    (expected != found).then(|| {
        format!(
            "the judge's line {} is {} there, but the output validator writes {}",
            number + 1,
            quoted(expected),
            quoted(found)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_lines() {
        let exchange = b"<2 1\n<4 7\n>R\n< L\n";
        assert_eq!(lines_of_side(b'<', exchange), b"2 1\n4 7\n L\n");
        assert_eq!(lines_of_side(b'>', exchange), b"R\n");
    }

    #[test]
    fn passes_are_between_lines_of_dashes() {
        let check = |exchange: &str, expected: &[&str]| {
            let found = split_passes(exchange.as_bytes());
            let found: Vec<_> = found.iter().map(|pass| String::from_utf8_lossy(pass)).collect();
            assert_eq!(found, expected);
        };
        check("<1\n>2\n", &["<1\n>2\n"]);
        check("<1\n>2\n---\n<3\r\n", &["<1\n>2", "<3\r\n"]);
        check("<---\n---\r\n", &["<---", ""]);
    }

    #[test]
    fn the_first_line_that_differs_is_shown() {
        let check = |shown: &str, actual: &str, expected: Option<&str>| {
            let found = first_difference(shown.as_bytes(), actual.as_bytes());
            assert_eq!(found.as_deref(), expected);
        };
        check("2 1\n4 7\n", "2 1\n4 7\n", None);
        check("2 1\n", "2 1 \n", None);
        let message = "the judge's line 2 is `L` there, but the output validator writes `R`";
        check("2 1\nL\n", "2 1\nR\n", Some(message));
        let message = "the judge's line 2 is `L` there, but the output validator writes nothing";
        check("2 1\nL\n", "2 1\n", Some(message));
        let message = "the judge's line 1 is nothing there, but the output validator writes `x`";
        check("", "x\n", Some(message));
    }
}
