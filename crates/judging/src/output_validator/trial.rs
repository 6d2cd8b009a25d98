//! Tests a package's output validator before it judges submissions. It must accept a right output, and reject an empty
//! or nonsensical one without breaking down.
//!
//! This finds an output validator that confuses its arguments, or accepts everything.

use crate::build::bench::Bench;
use crate::build::{BuildResult, Runnable};
use crate::output_validator::response::{Contract, Opinion, Response};
use crate::output_validator::{OutputValidator, TrialCase, judge_answer};
use juror_core::blob::Blob;
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::judgement::JudgeError;
use juror_core::limits::{Limits, TIME_WITHOUT_PACKAGE};
use juror_core::messages::line_clause;
use juror_core::problem::{Interaction, Problem};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_core::text::shell_word;
use juror_sandbox::executor::parallel;

/// A text that is not a right output of any problem.
pub(super) const JUNK: &[u8] = b"juror: is this accepted? {[ -1 1e99\n\"\n";
const WORDS: &[u8] = b"no number\n";
const BINARY: &[u8] = b"\xff\xfe\x00\x80 1\r\x1b\n";

/// Upper bound on the test cases on which an output is tried, until one is rejected.
const TRIES: usize = 3;

#[derive(Debug)]
pub struct TrialFault {
    pub diagnostic: Diagnostic,
    /// Whether its verdicts mean nothing. If it only breaks down on nonsense, submissions can still be judged.
    pub is_fatal: bool,
}

impl TrialFault {
    fn fatal(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, is_fatal: true }
    }

    fn local(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, is_fatal: false }
    }
}

/// For a multi-pass problem, only breakdowns count. For an interactive problem, the submission writes nothing, or
/// nonsense, and does not read.
pub fn find_faults(
    bench: &Bench<'_>,
    validator: &OutputValidator,
) -> Result<Vec<TrialFault>, Stop> {
    let trial = Trial { validator, bench };
    let is_live = bench.problem.kind.interaction == Interaction::Interactive;
    // In interactive problems, no fixed output is right.
    let right_fault = if is_live { None } else { trial.try_right()? };
    // Then its verdicts on wrong outputs mean nothing.
    if right_fault.as_ref().is_some_and(|fault| fault.is_fatal) {
        return Ok(right_fault.into_iter().collect());
    }
    let trials: [&(dyn Fn() -> Result<Option<TrialFault>, Stop> + Sync); 3] =
        [&|| trial.try_empty(), &|| trial.try_junk(), &|| trial.try_binary()];
    let on_wrong = parallel::map(bench.executor, &trials, |trial| trial())?;
    // It broke down on all trials.
    let is_useless = is_live && on_wrong.iter().all(Option::is_some);
    let faults = right_fault.into_iter().chain(on_wrong.into_iter().flatten());
    Ok(faults.map(|fault| TrialFault { is_fatal: fault.is_fatal || is_useless, ..fault }).collect())
}

struct Trial<'a> {
    validator: &'a OutputValidator,
    bench: &'a Bench<'a>,
}

/// An output that should be right for a test case. A judge answer is certainly right only if statements show it as an
/// output.
///
/// Source: problem package format 2025-09, "Output validator", "Invocation"; "Validation of shared test case files".
struct RightOutput<'a> {
    test_case: &'a TestCase,
    output: &'a FilePath,
    is_certain: bool,
}

impl Trial<'_> {
    /// Only test cases with files: juror makes missing data only for cases that are judged.
    fn cases_with_files(&self) -> impl Iterator<Item = &TestCase> + Clone {
        let is_there = |case: &&TestCase| case.answer.is_some() && case.input.exists();
        self.bench.problem.test_data.cases.iter().filter(is_there)
    }

    /// Outputs that should be right, the likeliest first. Judge answers usually are, but need not be.
    fn right_outputs(&self) -> impl Iterator<Item = RightOutput<'_>> {
        let data = &self.bench.problem.test_data;
        type OutputChoice = fn(&TestCase) -> Option<(&FilePath, bool)>;
        let output: OutputChoice = |case| Some((case.output.as_ref()?, true));
        let answer: OutputChoice = |case| Some((case.answer.as_ref()?, case.is_answer_shown));
        let right = |choice: OutputChoice, test_case| {
            let (output, is_certain) = choice(test_case)?;
            Some(RightOutput { test_case, output, is_certain })
        };
        let of_cases =
            [output, answer].map(|of| self.cases_with_files().find_map(|case| right(of, case)));
        let declared = data.valid_outputs.iter().find_map(|case| right(output, case));
        of_cases.into_iter().chain([declared]).flatten()
    }

    /// One of the right outputs must be accepted.
    fn try_right(&self) -> Result<Option<TrialFault>, Stop> {
        let mut rejected: Option<TrialFault> = None;
        for right in self.right_outputs() {
            let response = self.ask(right.test_case, Blob::file(right.output))?;
            let tried = format!("{} as the output", right.output.display());
            let name = &right.test_case.name;
            match &response.opinion {
                Opinion::Accepted => return Ok(None),
                Opinion::Partial(worth) if worth.is_positive() => return Ok(None),
                Opinion::Broken(what) => {
                    let message = format!("breaks down on {tried} of {name}: {what}");
                    return Ok(Some(TrialFault::fatal(self.breakdown(&message, &response))));
                }
                // A single pass does not decide.
                Opinion::Rejected | Opinion::Partial(_) if self.bench.problem.kind.passes > 1 => {
                    return Ok(None);
                }
                Opinion::Rejected | Opinion::Partial(_) => {
                    let message =
                        format!("rejects {tried} of {name}{}", validator_message(&response));
                    let help = self.validator.protocol().call_convention();
                    let diagnostic = Diagnostic::error(&self.validator.path, message).help(help);
                    let fault = if right.is_certain {
                        TrialFault::fatal(self.with_severity(diagnostic))
                    } else {
                        TrialFault::local(Diagnostic { severity: Severity::Warning, ..diagnostic })
                    };
                    if rejected.as_ref().is_none_or(|fault| !fault.is_fatal) {
                        rejected = Some(fault);
                    }
                }
            }
        }
        Ok(rejected)
    }

    /// The judge answer, without white space at its end. `None` if it is empty or large.
    fn right_output_to_extend(&self, test_case: &TestCase) -> Result<Option<Vec<u8>>, Stop> {
        const LARGEST: u64 = 1 << 20;
        let answer = judge_answer(test_case)?;
        let fault = |error| JudgeError::new(format!("read {answer}"), error);
        let is_small = answer.len().map_err(fault)? <= LARGEST;
        let output = answer.prefix(LARGEST).map_err(fault)?.trim_ascii_end().to_vec();
        Ok(Some(output).filter(|output| is_small && !output.is_empty()))
    }

    /// An empty output is right if the package says so, or if the judge answer is empty, too.
    fn try_empty(&self) -> Result<Option<TrialFault>, Stop> {
        if self.bench.problem.kind.interaction == Interaction::Interactive {
            let cases = self.cases_with_files().take(TRIES).collect();
            let help =
                format!("it must {} if the submission ends too early", self.rejection_help());
            let tried = "a submission that writes nothing";
            return self.try_rejection(cases, b"", tried, &help);
        }
        let data = &self.bench.problem.test_data;
        let outputs = data.cases.iter().chain(&data.valid_outputs);
        let may_be_empty = outputs.filter_map(|test_case| test_case.output.as_ref()).any(is_blank);
        if may_be_empty {
            return Ok(None);
        }
        let filled = |test_case: &&TestCase| {
            let answer = test_case.answer.as_ref();
            answer.is_some_and(|answer| !is_blank(answer))
        };
        let cases = self.cases_with_files().filter(filled).take(TRIES).collect();
        let help = format!(
            "it must {} for a wrong output; if an empty output is right, \
             add a case to the valid outputs with an empty .out file",
            self.rejection_help()
        );
        self.try_rejection(cases, b"", "an empty output", &help)
    }

    fn try_junk(&self) -> Result<Option<TrialFault>, Stop> {
        let cases = self.cases_with_files().take(TRIES).collect();
        let help = format!("it must {} for any wrong output", self.rejection_help());
        self.try_rejection(cases, JUNK, "nonsense as the output", &help)
    }

    /// How it must reject an output, for help texts.
    fn rejection_help(&self) -> &'static str {
        self.validator.protocol().rejection_rule()
    }

    /// Warns if bytes that are not text break the validator; other judges still use such validators.
    fn try_binary(&self) -> Result<Option<TrialFault>, Stop> {
        let broken = self.breakdown_on(BINARY, "an output that is not text")?;
        let Some(message) = broken else { return Ok(None) };
        let help = "read the output as bytes, or as text with errors replaced: \
                    a submission can cause a judge error with such an output";
        let diagnostic = Diagnostic::warning(&self.validator.path, message).help(help);
        Ok(Some(TrialFault::local(diagnostic)))
    }

    /// What happens if the validator breaks down on this output for the first case.
    fn breakdown_on(&self, output: &[u8], tried: &str) -> Result<Option<String>, Stop> {
        let Some(test_case) = self.cases_with_files().next() else { return Ok(None) };
        let response = self.ask(test_case, output.into())?;
        let Opinion::Broken(what) = &response.opinion else { return Ok(None) };
        let message = validator_message(&response);
        Ok(Some(format!("breaks down on {tried}, on {}: {what}{message}", test_case.name)))
    }

    /// Returns a fault if this output is accepted for all these cases, or if the validator breaks down.
    fn try_rejection(
        &self,
        cases: Vec<&TestCase>,
        output: &[u8],
        tried: &str,
        help: &str,
    ) -> Result<Option<TrialFault>, Stop> {
        let mut accepted = Vec::new();
        for test_case in cases {
            let response = self.ask(test_case, output.into())?;
            match &response.opinion {
                _ if response.has_worth() => accepted.push(test_case.name.as_str()),
                Opinion::Accepted | Opinion::Rejected | Opinion::Partial(_) => return Ok(None),
                Opinion::Broken(what) => {
                    let message = format!("breaks down on {tried}, on {}: {what}", test_case.name);
                    return Ok(Some(TrialFault::local(self.breakdown(&message, &response))));
                }
            }
        }
        let message = accepted_message(tried, &accepted);
        let message = message.filter(|_| decides_alone(self.bench.problem));
        let Some(message) = message else { return Ok(None) };
        let diagnostic = Diagnostic::error(&self.validator.path, message).help(help);
        Ok(Some(TrialFault::fatal(self.with_severity(diagnostic))))
    }

    /// A wrong verdict is only a warning in formats with graders: there, an answer need not be an output, and other
    /// judges accept such packages.
    fn with_severity(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.bench.problem.graders {
            None => diagnostic,
            Some(_) => Diagnostic { severity: Severity::Warning, ..diagnostic },
        }
    }

    fn breakdown(&self, message: &str, response: &Response) -> Diagnostic {
        let dir = &self.bench.problem.dir;
        // `juror verify` does not use a program that the user names.
        let again = if self.validator.path.starts_with(&**dir) {
            format!(
                "; repeat with: juror verify {}",
                shell_word(dir.as_os_str().as_encoded_bytes())
            )
        } else {
            String::new()
        };
        let help =
            format!("it must {} on any output{again}", self.validator.protocol().response_rule());
        let message = format!("{message}{}", validator_message(response));
        Diagnostic::error(&self.validator.path, message).help(help)
    }

    fn ask(&self, test_case: &TestCase, output: Blob) -> Result<Response, Stop> {
        ask_validator(self.validator, self.bench, test_case, output)
    }
}

/// Whether one response of the output validator decides. A single pass does not. Another validator may reject the
/// output, or the output of an interactor.
fn decides_alone(problem: &Problem) -> bool {
    let others = problem.output_validators.len() + usize::from(problem.interactor.is_some());
    problem.kind.passes == 1 && others == 1
}

fn accepted_message(tried: &str, accepted: &[&str]) -> Option<String> {
    let first = accepted.first()?;
    Some(match accepted.len() {
        1 => format!("accepts {tried}, on {first}"),
        number => format!("accepts {tried}, on {first} and {} more", number - 1),
    })
}

/// Outputs by which the author may find that the output validator is too lax, or breaks down easily. Submissions can
/// be judged nevertheless.
pub fn find_weaknesses(
    bench: &Bench<'_>,
    validator: &OutputValidator,
) -> Result<Vec<Diagnostic>, Stop> {
    let problem = bench.problem;
    if !decides_alone(problem) || problem.kind.interaction == Interaction::Interactive {
        return Ok(Vec::new());
    }
    let trial = Trial { validator, bench };
    let mut found = Vec::new();
    let mut accepted = Vec::new();
    for test_case in trial.cases_with_files() {
        let Some(mut output) = trial.right_output_to_extend(test_case)? else { continue };
        output.extend_from_slice(b" juror juror\n");
        if !trial.ask(test_case, output.into())?.has_worth() {
            break;
        }
        accepted.push(test_case.name.as_str());
        if accepted.len() == TRIES {
            let message = accepted_message("further words at the end of an output", &accepted);
            let help = "read the output to its end, and reject what is left";
            found.extend(
                message.map(|message| Diagnostic::warning(&validator.path, message).help(help)),
            );
            break;
        }
    }
    if let Some(message) = trial.breakdown_on(WORDS, "two words that are no numbers")? {
        let help = format!("it must {} on any output", validator.protocol().response_rule());
        found.push(Diagnostic::remark(&validator.path, message).help(help));
    }
    Ok(found)
}

/// Runs the output validator on an output that no submission wrote. If it breaks down, it may have searched for files
/// of the submission. So it runs again with the files of a right submission.
pub fn ask_validator(
    validator: &OutputValidator,
    bench: &Bench<'_>,
    test_case: &TestCase,
    output: Blob,
) -> Result<Response, Stop> {
    let contract = Contract::of_pass(1, bench.problem.kind.passes);
    let case = TrialCase::of_files(test_case)?;
    let ask = |submission: Option<&Runnable>| {
        validator.respond(bench.executor, &case, output.clone(), submission, contract)
    };
    let response = ask(None)?;
    match &response.opinion {
        Opinion::Broken(_) => match right_submission(bench)? {
            Some(submission) => ask(Some(&submission)),
            None => Ok(response),
        },
        _ => Ok(response),
    }
}

/// The first submission that should be right and builds.
fn right_submission(bench: &Bench<'_>) -> Result<Option<Runnable>, Stop> {
    let run_limits = Limits::of_submission(&bench.problem.limits, TIME_WITHOUT_PACKAGE);
    let submissions = bench.problem.submissions.iter();
    for submission in submissions.filter(|submission| submission.name.starts_with("accepted/")) {
        let prepared = match bench.builder.prepare(&submission.program) {
            Ok(prepared) => prepared,
            Err(stop @ Stop::Interrupted) => return Err(stop),
            // The fault is reported when the submission is judged.
            Err(_) => continue,
        };
        if let BuildResult::Program(program) = bench.build_quietly(&prepared, &run_limits)? {
            return Ok(Some(*program));
        }
    }
    Ok(None)
}

/// The validator's message after a colon: its message to the judge, else its standard error. Of a longer text, the
/// last line that is not empty: there, most languages name the fault.
pub fn validator_message(response: &Response) -> String {
    let text = match response.feedback.judge_message.trim_ascii() {
        [] => response.stderr.trim_ascii(),
        message => message,
    };
    line_clause(text.rsplit(|byte| *byte == b'\n').next().unwrap_or_default()).0
}

/// Whether a file contains only white space, as far as it can be read.
fn is_blank(path: &FilePath) -> bool {
    path.read().is_ok_and(|bytes| bytes.trim_ascii().is_empty())
}
