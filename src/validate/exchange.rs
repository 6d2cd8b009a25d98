//! Checks the exchanges in `.interaction` files with the output validator: it gets the submission's lines, must accept
//! them, and must write its own lines as shown.
//!
//! The format does not require this, and a validator may choose its lines by chance. So differences are warnings, not
//! errors.

use std::fs;

use crate::executor::parallel;
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::job::Keep;
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::text::visible;
use crate::validate::{Proving, trial};
use crate::validator::response::{Contract, Opinion};
use crate::validator::{OutputValidator, Question, answer_of};

/// Upper bound on the bytes of the validator's output that are compared.
const MOST: u64 = 8 << 20;

/// Warnings about the exchanges of these cases.
pub(super) fn prove(
    proving: &Proving<'_>,
    validator: &OutputValidator,
    cases: &[&TestCase],
) -> Result<Vec<Diagnostic>, Stop> {
    if proving.bench.problem.kind.passes > 1 {
        return Ok(Vec::new());
    }
    let found = parallel::map(proving.bench.executor, cases, |test_case| {
        one(proving, validator, test_case)
    })?;
    Ok(found.into_iter().flatten().collect())
}

fn one(
    proving: &Proving<'_>,
    validator: &OutputValidator,
    test_case: &TestCase,
) -> Result<Option<Diagnostic>, Stop> {
    let Some(path) = &test_case.interaction else { return Ok(None) };
    let text = fs::read(path).map_err(JudgeError::on("read", path))?;
    let question = Question {
        test_case,
        args: &test_case.output_validator_args,
        input: &Blob::file(&test_case.input),
        answer: &answer_of(test_case)?,
        output: said_by(b'>', &text).into(),
        submission: None,
        earlier: &[],
        keep: Keep::Nothing,
    };
    let job = validator.job(question);
    let ran = proving.bench.executor.run(&job);
    let reply = ran.map_err(|error| validator.own(error))?;
    let said = reply
        .stdout
        .start(MOST)
        .map_err(|error| JudgeError::new("read what the output validator wrote", error))?;
    let response = validator.read(reply, validator.limits(), Contract::OnePass)?;
    let message = trial::said(&response);
    Ok(match &response.opinion {
        Opinion::Accepted => first_difference(&said_by(b'<', &text), &said).map(|difference| {
            let help = "replay the exchange; if the output validator chooses by chance, let the sample's seed decide";
            Diagnostic::warning(path, difference).help(help)
        }),
        Opinion::Rejected | Opinion::Partial(_) => {
            let what = format!("the output validator rejects the submission's side of it{message}");
            let help = "show an exchange that is accepted, with all lines of the submission";
            Some(Diagnostic::warning(path, what).help(help))
        }
        Opinion::Broken(what) => {
            let what = format!("the output validator breaks down on it: {what}{message}");
            let help = format!("it must {}, whatever a submission writes", validator.protocol().answers());
            Some(Diagnostic::error(path, what).help(help))
        }
    })
}

/// The lines of one side.
fn said_by(mark: u8, exchange: &[u8]) -> Vec<u8> {
    let lines = exchange.split(|byte| *byte == b'\n');
    let own = lines.filter_map(|line| line.strip_prefix(&[mark]));
    own.flat_map(|line| [line, b"\n"].concat()).collect()
}

/// The first difference between the validator's output and the exchange.
fn first_difference(shown: &[u8], said: &[u8]) -> Option<String> {
    let lines = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text).into_owned();
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    };
    let (shown, said) = (lines(shown), lines(said));
    let number = shown.iter().zip(&said).take_while(|(a, b)| a == b).count();
    let quoted = |line: Option<&String>| match line {
        Some(line) => format!("`{}`", visible(line.as_bytes())),
        None => "nothing".to_owned(),
    };
    let (expected, found) = (shown.get(number), said.get(number));
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
        assert_eq!(said_by(b'<', exchange), b"2 1\n4 7\n L\n");
        assert_eq!(said_by(b'>', exchange), b"R\n");
    }

    #[test]
    fn the_first_line_that_differs_is_shown() {
        let check = |shown: &str, said: &str, expected: Option<&str>| {
            let found = first_difference(shown.as_bytes(), said.as_bytes());
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
