//! Reads the output of a checker of CMS, of sinol or of open-r1.
//!
//! CMS: a number from 0.0 to 1.0 in the first line of standard output, a message in the first line of standard error.
//! sinol: OK or another word in the first line of standard output, and a message in the second line. The third line
//! has the percentage of the points for an OK, by default 100.
//! open-r1: standard output is 1 or 100 for a right output, and another number up to 100 for a wrong one.
//!
//! Sources: the documents of `cms-dev/cms`, "Task types"; `sio/executors/checker.py` in `sio2project/sioworkers`;
//! `packages/codeforces/1.0.0/run` in `guipenedo/piston`.

use crate::output_validator::response::{Opinion, Worth};
use juror_core::score::Score;
use juror_core::text::short_quote;

const CMS_MESSAGES: [(&str, &str); 3] = [
    ("translate:success", "the output is correct"),
    ("translate:partial", "the output is partially correct"),
    ("translate:wrong", "the output is not correct"),
];

/// # Errors
/// If it has no opinion, with a clause about what it did.
pub(super) fn cms_opinion(code: i32, stdout: &[u8]) -> Result<Opinion, String> {
    if code != 0 {
        return Err(format!("it ended with exit code {code}; a checker of CMS ends with 0"));
    }
    let line = line_at(stdout, 0);
    let number = line.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    let part = number.and_then(Score::new).ok_or_else(|| {
        format!(
            "its first line is \"{}\", not a number from 0.0 to 1.0",
            short_quote(line.as_bytes())
        )
    })?;
    Ok(match part {
        Score::ONE => Opinion::Accepted,
        Score::ZERO => Opinion::Rejected,
        part => Opinion::Partial(Worth::Fraction(part)),
    })
}

/// # Errors
/// If it has no opinion, with a clause about what it did.
pub(super) fn open_r1_opinion(code: i32, stdout: &[u8]) -> Result<Opinion, String> {
    if code != 0 {
        return Err(format!("it ended with exit code {code}; a checker of open-r1 ends with 0"));
    }
    let text = String::from_utf8_lossy(stdout.trim_ascii());
    match text.parse().ok().filter(|number| (0.0..=100.0).contains(number)).and_then(Score::new) {
        Some(number) if number == Score::ONE || number.points() == 100.0 => Ok(Opinion::Accepted),
        Some(_) => Ok(Opinion::Rejected),
        None => Err(format!("it prints \"{}\", not 1 or 0", short_quote(text.as_bytes()))),
    }
}

pub(super) fn cms_message(stderr: &[u8]) -> Vec<u8> {
    let line = line_at(stderr, 0);
    let translated = CMS_MESSAGES.iter().find(|(word, _)| *word == line);
    translated.map_or(line.clone(), |(_, text)| (*text).to_owned()).into_bytes()
}

/// # Errors
/// If it has no opinion, with a clause about what it did.
pub(super) fn sinol_opinion(code: i32, stdout: &[u8]) -> Result<Opinion, String> {
    if !(0..=1).contains(&code) {
        return Err(format!("it ended with exit code {code}; a checker of sinol ends with 0"));
    }
    if line_at(stdout, 0) != "OK" {
        return Ok(Opinion::Rejected);
    }
    let line = line_at(stdout, 2);
    let part = match &*line {
        "" => Some(Score::ONE),
        line => parse_percentage(line),
    };
    let part = part.ok_or_else(|| {
        format!(
            "its third line is \"{}\", not a percentage of the points",
            short_quote(line.as_bytes())
        )
    })?;
    Ok(match part {
        Score::ONE => Opinion::Accepted,
        part => Opinion::Partial(Worth::CorrectFraction(part)),
    })
}

pub(super) fn sinol_message(stdout: &[u8]) -> Vec<u8> {
    line_at(stdout, 1).into_bytes()
}

/// A percentage such as `50`, `12.5` or `100/3`, as a fraction of 1.
fn parse_percentage(text: &str) -> Option<Score> {
    let number = |text: &str| text.parse::<f64>().ok();
    let number = match text.split_once('/') {
        Some((above, below)) => number(above)? / number(below)?,
        None => number(text)?,
    };
    Score::new(number / 100.0).filter(|part| part.points() >= 0.0)
}

fn line_at(text: &[u8], at: usize) -> String {
    let line = text.split(|byte| *byte == b'\n').nth(at).unwrap_or_default();
    String::from_utf8_lossy(line.trim_ascii()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `+`, `-`, the fraction, or the error.
    fn show(opinion: Result<Opinion, String>) -> String {
        match opinion {
            Ok(Opinion::Accepted) => "+".to_owned(),
            Ok(Opinion::Rejected) => "-".to_owned(),
            Ok(Opinion::Partial(Worth::Fraction(part) | Worth::CorrectFraction(part))) => {
                part.to_string()
            }
            Ok(other) => format!("{other:?}"),
            Err(what) => what,
        }
    }

    #[test]
    fn a_cms_checker_prints_a_number() {
        let check = |code, stdout: &str, expected: &str| {
            assert_eq!(show(cms_opinion(code, stdout.as_bytes())), expected, "{stdout}");
        };
        check(0, "1.0\n", "+");
        check(0, " 1\nmore\n", "+");
        check(0, "0.000000\n", "-");
        check(0, "0.25", "0.25");
        check(1, "1.0\n", "it ended with exit code 1; a checker of CMS ends with 0");
        for wrong in ["", "1.5", "-0.5", "nan", "OK"] {
            let expected = format!("its first line is \"{wrong}\", not a number from 0.0 to 1.0");
            check(0, wrong, &expected);
        }
    }

    #[test]
    fn a_checker_of_open_r1_prints_1_or_0() {
        let check = |code, stdout: &str, expected: &str| {
            assert_eq!(show(open_r1_opinion(code, stdout.as_bytes())), expected, "{stdout}");
        };
        for right in ["1", " 1\n", "1.0", "100\n"] {
            check(0, right, "+");
        }
        for wrong in ["0", "0.5", "99.9", "2"] {
            check(0, wrong, "-");
        }
        check(1, "1", "it ended with exit code 1; a checker of open-r1 ends with 0");
        for other in ["", "1 1", "-1", "101", "nan", "True"] {
            check(0, other, &format!("it prints \"{other}\", not 1 or 0"));
        }
    }

    #[test]
    fn a_sinol_checker_prints_three_lines() {
        let check = |code, stdout: &str, expected: &str| {
            assert_eq!(show(sinol_opinion(code, stdout.as_bytes())), expected, "{stdout}");
        };
        check(0, "OK", "+");
        check(1, "OK\nwell done\n100\n", "+");
        check(0, "OK\n\n50\n", "0.5");
        check(0, "OK\n\n12.5\n", "0.125");
        check(0, "OK\n\n100/3\n", "0.333333");
        check(0, "OK\n\n0\n", "0");
        check(0, "WRONG\nno\n50\n", "-");
        check(0, "", "-");
        check(2, "OK", "it ended with exit code 2; a checker of sinol ends with 0");
        for wrong in ["50%", "-1", "1/0", "x"] {
            let stdout = format!("OK\n\n{wrong}\n");
            let expected = format!("its third line is \"{wrong}\", not a percentage of the points");
            check(0, &stdout, &expected);
        }
    }

    #[test]
    fn messages_are_whole_lines() {
        let cms = |stderr: &str| String::from_utf8(cms_message(stderr.as_bytes())).unwrap();
        assert_eq!(cms("translate:wrong\n"), "the output is not correct");
        assert_eq!(cms(" too small \nADMIN_MESSAGE: x\n"), "too small");
        assert_eq!(sinol_message(b"OK\nsmall\n5\n"), b"small");
    }
}
