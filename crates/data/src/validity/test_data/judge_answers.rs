//! What outputs say about judge answers: the output validator gets each answer as an output, and outputs of accepted
//! submissions are compared with each other.
//!
//! Source: problem package format 2025-09, "Output validator", "Validation of shared test case files": a judge answer
//! is usually a right output, but need not be one.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::validity::test_data::DataCheck;
use juror_core::blob::{Blob, Digest};
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::{JudgeError, Judgement};
use juror_core::problem::{Interaction, Problem, SubmittedContent};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::submission::Submission;
use juror_core::test_data::TestCase;
use juror_core::text::count;
use juror_core::verdict::Verdict;
use juror_judging::judge::judged_outputs::OutputsByCase;
use juror_judging::output_validator::OutputValidator;
use juror_judging::output_validator::response::Opinion;
use juror_judging::output_validator::trial;

/// The validator accepts so many judge answers if they are meant to be outputs, and this part of all.
const MIN_ACCEPTED: usize = 2;
const MIN_ACCEPTED_PERCENT: usize = 90;

/// What the output validators say about one judge answer.
enum AnswerOpinion {
    Accepted,
    Rejected(Diagnostic),
    /// The validator breaks down on it.
    Broken(Diagnostic),
}

impl DataCheck<'_> {
    /// Gives the secret judge answers to the output validators. An answer that a submission wrote is known to be
    /// accepted.
    pub fn check_judge_answers(&self, outputs: &OutputsByCase) -> Result<Vec<Diagnostic>, Stop> {
        let kind = self.bench.problem.kind;
        if self.validators.is_empty()
            || kind.interaction == Interaction::Interactive
            || kind.passes > 1
            || kind.submitted == SubmittedContent::Answers
        {
            return Ok(Vec::new());
        }
        let cases = self.bench.problem.test_data.cases.iter();
        let cases: Vec<&TestCase> = cases
            .filter(|case| (self.selected)(&case.name) && !case.is_answer_shown)
            .filter(|case| case.name.starts_with("secret"))
            .collect();
        let is_broken = AtomicBool::new(false);
        let opinions = self.bench.map("judge answers", &cases, |case| {
            let Some(answer) = &case.answer else { return Ok(None) };
            if outputs.accepted_answers.contains(&case.name) {
                return Ok(Some(AnswerOpinion::Accepted));
            }
            // A validator that hangs would do so on each answer.
            if is_broken.load(Ordering::Relaxed) || is_blank(answer)? {
                return Ok(None);
            }
            let opinion = self.ask_about_answer(case, answer)?;
            if matches!(opinion, AnswerOpinion::Broken(_)) {
                is_broken.store(true, Ordering::Relaxed);
            }
            Ok(Some(opinion))
        })?;
        let (mut accepted, mut rejected, mut broken) = (0, Vec::new(), Vec::new());
        for opinion in opinions.into_iter().flatten() {
            match opinion {
                AnswerOpinion::Accepted => accepted += 1,
                AnswerOpinion::Rejected(diagnostic) => rejected.push(diagnostic),
                AnswerOpinion::Broken(diagnostic) => broken.push(diagnostic),
            }
        }
        broken.truncate(1);
        let all = accepted + rejected.len();
        let are_outputs = accepted >= MIN_ACCEPTED && accepted * 100 >= all * MIN_ACCEPTED_PERCENT;
        if !are_outputs && let Some(first) = rejected.first() {
            let path = self.bench.problem.dir.join("data");
            let message = format!(
                "{} of {} no outputs for the output validator, such as {}: {}",
                rejected.len(),
                match all {
                    1 => "1 judge answer is".to_owned(),
                    all => format!("{all} judge answers are"),
                },
                first.place.path.display(),
                first.message
            );
            let help = "the format allows that; if they should be outputs, correct them, or the output validator";
            broken.push(Diagnostic::remark(path, message).help(help));
            return Ok(broken);
        }
        broken.append(&mut rejected);
        Ok(broken)
    }

    fn ask_about_answer(&self, case: &TestCase, answer: &FilePath) -> Result<AnswerOpinion, Stop> {
        for validator in self.validators {
            let response = trial::ask_validator(validator, &self.bench, case, Blob::file(answer))?;
            let OutputValidator { name, kind, .. } = validator;
            let reason = trial::validator_message(&response);
            if let Opinion::Broken(what) = &response.opinion {
                let message = format!(
                    "the {kind} `{name}` breaks down on this judge answer as the output: {what}{reason}"
                );
                let help = format!("correct the answer, or the {kind}");
                return Ok(AnswerOpinion::Broken(Diagnostic::warning(answer, message).help(help)));
            }
            if !response.has_worth() {
                let message = format!("the {kind} `{name}` rejects this judge answer{reason}");
                let help = format!("correct the answer, or the {kind}; other answers are accepted");
                return Ok(AnswerOpinion::Rejected(
                    Diagnostic::warning(answer, message).help(help),
                ));
            }
        }
        Ok(AnswerOpinion::Accepted)
    }
}

impl DataCheck<'_> {
    /// Warns of blanks at the ends of lines of judge answers: people see them as a part of a right output. Large files
    /// are not read.
    pub(super) fn find_trailing_blanks(&self) -> Result<Option<Diagnostic>, JudgeError> {
        const LARGEST: u64 = 1 << 20;
        let cases = self.bench.problem.test_data.cases.iter();
        let mut first = None;
        let mut number = 0;
        for case in cases.filter(|case| (self.selected)(&case.name)) {
            let Some(path) = &case.answer else { continue };
            let fault = JudgeError::on_file("read", path);
            if path.metadata().map_err(fault)?.len() > LARGEST {
                continue;
            }
            let text = path.read().map_err(fault)?;
            let mut lines = text.split(|byte| *byte == b'\n');
            let ends_blank = |line: &[u8]| matches!(line, [.., b' ' | b'\t']);
            if let Some(line) = lines.position(ends_blank) {
                number += 1;
                first.get_or_insert((path, line + 1));
            }
        }
        Ok(first.map(|(path, line)| {
            let others = match number - 1 {
                0 => String::new(),
                others => format!("; so do lines of {}", count(others, "other judge answer")),
            };
            let message = format!("line {line} ends with a blank{others}");
            let help = "remove such blanks, such as with: sed -i 's/[ \t]*$//' FILE; with a recipe, correct the solution \
                        and run juror generate";
            Diagnostic::warning(path, message).help(help)
        }))
    }
}

/// Whether a file has only white space. Reads only the beginning of others.
fn is_blank(path: &FilePath) -> Result<bool, JudgeError> {
    let fault = JudgeError::on_file("read", path);
    let file = path.open().map_err(fault)?;
    for byte in std::io::BufReader::new(file).bytes() {
        if !byte.map_err(fault)?.is_ascii_whitespace() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a wrong answer of the submission on any test case breaks its expectations.
fn should_be_right(submission: &Submission) -> bool {
    let mut rules = submission.expectations.iter().map(|rule| {
        let overall = rule.overall.as_ref().map(|overall| &overall.verdicts);
        let sets = [rule.permitted.as_ref(), overall, rule.required.as_ref()];
        (sets.iter().flatten().any(|set| set.contains(&Verdict::WrongAnswer)), sets[0].or(sets[1]))
    });
    rules.clone().all(|(allows, _)| !allows) && rules.any(|(_, bound)| bound.is_some())
}

/// Warns of judge answers that no submission writes that should be right, if at least two of them write something else:
/// the answer may be wrong.
pub fn doubtful_answers(
    problem: &Problem,
    judged: &[(&Submission, &Judgement)],
    outputs: &OutputsByCase,
) -> Vec<Diagnostic> {
    let right: Vec<&Judgement> = judged
        .iter()
        .filter(|(submission, _)| should_be_right(submission))
        .map(|(_, judgement)| *judgement)
        .collect();
    let is_right = |name: &String| right.iter().any(|judgement| judgement.submission == *name);
    let mut found = Vec::new();
    for (name, rejected) in &outputs.rejected {
        let case = problem.test_data.cases.iter().find(|case| case.name == *name);
        let Some(answer) = case.and_then(|case| case.answer.as_ref()) else { continue };
        let verdicts = right.iter().flat_map(|judgement| judgement.cases.iter());
        let mut verdicts = verdicts.filter(|judged| judged.test_case == *name);
        if verdicts.any(|case| case.verdict == Verdict::Accepted) {
            continue;
        }
        let mut by_output: BTreeMap<Digest, Vec<&str>> = BTreeMap::new();
        let rejected = rejected.iter().filter(|(submission, _)| is_right(submission));
        rejected.for_each(|(name, digest)| by_output.entry(*digest).or_default().push(name));
        let mut by_output: Vec<Vec<&str>> = by_output.into_values().collect();
        by_output.sort_by_key(|names| (std::cmp::Reverse(names.len()), names[0]));
        let message = match &by_output[..] {
            [agreeing, ..] if agreeing.len() > 1 => {
                let (first, second) = (agreeing[0], agreeing[1]);
                let all = match agreeing.len() - 2 {
                    0 => format!("{first} and {second}"),
                    others => {
                        format!("{first}, {second} and {}", count(others, "other submission"))
                    }
                };
                format!("{all} agree on another output: this judge answer may be wrong")
            }
            [first, second, ..] => {
                let (first, second) = (first[0], second[0]);
                format!(
                    "{first} and {second} write different outputs, and neither is this judge answer"
                )
            }
            _ => continue,
        };
        let help = "correct the answer, or the submissions; with a recipe: juror generate";
        found.push(Diagnostic::warning(answer, message).help(help));
    }
    found
}
