//! What outputs say about judge answers: the output validator gets each answer as an output, and outputs of accepted
//! submissions are compared with each other.
//!
//! Source: problem package format 2025-09, "Output validator", "Validation of shared test case files": a judge answer
//! is usually a right output, but need not be one.

use std::collections::BTreeMap;
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

/// Whether judge answers are meant to be outputs, by what the output validators say about them: they accept 90 %, or four
/// times as many as they reject if that is one or two.
fn are_outputs(accepted: usize, rejected: usize) -> bool {
    let is_exception = rejected <= 2 && accepted >= 4 * rejected;
    accepted >= 2 && (is_exception || accepted >= 9 * rejected)
}

/// A judge answer that an output validator rejects.
struct RejectedAnswer {
    diagnostic: Diagnostic,
    /// Whether the validator breaks down on it.
    is_broken: bool,
    /// Whether a limit ended the validator.
    is_stopped: bool,
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
        let cases: Vec<&TestCase> = self
            .judged_cases()
            .filter(|case| !case.is_answer_shown)
            .filter(|case| case.name.starts_with("secret"))
            .filter(|case| !outputs.broken_answers.contains(&case.name))
            .collect();
        let is_stopped = AtomicBool::new(false);
        let opinions = self.bench.map("judge answers", &cases, |case| {
            let Some(answer) = &case.answer else { return Ok(None) };
            if outputs.accepted_answers.contains(&case.name) {
                return Ok(Some(None));
            }
            // A validator that hangs would do so on each answer.
            if is_stopped.load(Ordering::Relaxed) || is_blank(answer)? {
                return Ok(None);
            }
            let rejected = self.ask_about_answer(case, answer)?;
            is_stopped
                .fetch_or(rejected.as_ref().is_some_and(|it| it.is_stopped), Ordering::Relaxed);
            Ok(Some(rejected))
        })?;
        let all = opinions.iter().flatten().count();
        let (mut broken, rejected): (Vec<_>, Vec<_>) =
            opinions.into_iter().flatten().flatten().partition(|it| it.is_broken);
        let accepted = all - broken.len() - rejected.len();
        // One breakdown stands for all.
        broken.truncate(usize::from(outputs.broken_answers.is_empty()));
        let mut found: Vec<_> = broken.into_iter().map(|it| it.diagnostic).collect();
        if are_outputs(accepted, rejected.len()) {
            found.extend(rejected.into_iter().map(|it| it.diagnostic));
        } else if let Some(RejectedAnswer { diagnostic: first, .. }) = rejected.first() {
            let (place, fault) = (first.place.path.display(), &first.message);
            let message = format!(
                "the output validator rejects {} of {} as outputs, such as {place}: {fault}",
                rejected.len(),
                count(all, "judge answer"),
            );
            let help = "the format allows that; if they should be outputs, correct them, or the output validator";
            let path = self.bench.problem.dir.join("data");
            found.push(Diagnostic::remark(path, message).help(help));
        }
        Ok(found)
    }

    /// `None` if all output validators accept it.
    fn ask_about_answer(
        &self,
        case: &TestCase,
        answer: &FilePath,
    ) -> Result<Option<RejectedAnswer>, Stop> {
        for validator in self.validators {
            let response = trial::ask_validator(validator, &self.bench, case, Blob::file(answer))?;
            if response.has_worth() {
                continue;
            }
            let OutputValidator { name, kind, .. } = validator;
            let reason = trial::validator_message(&response);
            let (is_broken, does) = match &response.opinion {
                Opinion::Broken(what) => {
                    (true, format!("breaks down on this judge answer as the output: {what}"))
                }
                _ => (false, "rejects this judge answer".to_owned()),
            };
            let message = format!("the {kind} `{name}` {does}{reason}");
            let help = format!("correct the answer, or the {kind}");
            let diagnostic = Diagnostic::warning(answer, message).help(help);
            let is_stopped = response.outcome.stopped_by.is_some();
            return Ok(Some(RejectedAnswer { diagnostic, is_broken, is_stopped }));
        }
        Ok(None)
    }
}

/// Whether a file has only white space, as far as its beginning tells.
fn is_blank(path: &FilePath) -> Result<bool, JudgeError> {
    let beginning = path.read_prefix(1 << 20).map_err(JudgeError::on_file("read", path))?;
    Ok(beginning.trim_ascii().is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rejected_answers_are_faults_and_many_are_another_form() {
        let check = |accepted, rejected, expected: bool| {
            assert_eq!(are_outputs(accepted, rejected), expected, "{accepted} {rejected}");
        };
        check(0, 1, false);
        check(1, 0, false);
        check(3, 1, false);
        check(4, 1, true);
        check(7, 2, false);
        check(8, 2, true);
        check(26, 3, false);
        check(27, 3, true);
    }
}
