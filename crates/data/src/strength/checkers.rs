//! How strictly outputs are judged: the output validator gets wrong outputs, and right ones that differ from the judge
//! answer.

mod faults;

use std::io::Cursor;
use std::sync::Arc;

use crate::search::problem_inputs::comparison_options;
use crate::strength::checkers::faults::{FaultClass, faults};
use crate::strength::strictness::Strictness;
use crate::strength::submissions::BuiltSubmission;
use crate::validity::test_data::TriedFault;
use juror_core::blob::Blob;
use juror_core::check::compare::compare;
use juror_core::check::options::Options;
use juror_core::judgement::JudgeError;
use juror_core::problem::{Interaction, SubmittedContent};
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::Rules;
use juror_judging::judge::output::OutputRunner;
use juror_judging::output_validator::response::Opinion;
use juror_judging::output_validator::trial;

const TRIED_CASES: usize = 6;
/// In bytes. Larger judge answers are not changed.
const LARGEST_ANSWER: u64 = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Oracle {
    /// Only the judge answer is right: the default output validator compares with it.
    Default,
    /// Only the judge answer seems right: this many accepted submissions all write it.
    Agreement(usize),
    /// Other outputs may be right: only faults of form are wrong in every problem.
    Form,
}

impl Oracle {
    fn description(self) -> String {
        match self {
            Self::Default => "the judge answer: the default output validator knows no other right output".to_owned(),
            Self::Agreement(count) => format!(
                "the judge answer, except for the order of its words: all {count} accepted submissions write it, token by token, on each test case that was tried"
            ),
            Self::Form => "the form only: accepted submissions write different outputs, or there is only one, so other values may be right".to_owned(),
        }
    }

    fn covers(self, kind: FaultClass) -> bool {
        match self {
            Self::Default => true,
            // Other orders may be right, even if all accepted submissions choose the same one.
            Self::Agreement(_) => kind != FaultClass::Order,
            Self::Form => kind == FaultClass::Form,
        }
    }
}

/// A test case with a right output, and the outputs of other accepted submissions.
struct AnsweredCase<'a> {
    test_case: &'a TestCase,
    answer: Vec<u8>,
    outputs: Vec<(&'a str, Vec<u8>)>,
}

/// Counts which kinds of wrong outputs are rejected, and which right ones are rejected, too.
pub fn output_strictness(
    bench: Bench<'_>,
    rules: &Rules<'_>,
    accepted: &[BuiltSubmission<'_>],
) -> Result<Strictness, Stop> {
    let kind = bench.problem.kind;
    if kind.interaction == Interaction::Interactive || kind.passes > 1 {
        let reason = "submissions are judged while they run: there is no output to change";
        return Ok(Strictness::untried(reason));
    }
    if kind.submitted == SubmittedContent::Answers {
        return Ok(Strictness::untried("submissions are answers"));
    }
    let checkers = OutputTrials { bench, rules };
    let tried = checkers.select_cases(accepted)?;
    if tried.is_empty() {
        return Ok(Strictness::untried("no test case with a small judge answer"));
    }
    let oracle = choose_oracle(rules, &tried)?;
    let judged = bench.map("changed outputs", &tried, |case| checkers.judge_case(oracle, case))?;
    let mut results = TrialResults::default();
    for case in judged {
        results.faults.extend(case.faults);
        results.alternatives += case.alternatives;
        results.refused_alternatives.extend(case.refused_alternatives);
    }
    results.faults.sort_by_key(|tried| faults::rank(tried.fault));
    Ok(Strictness {
        alternatives: results.alternatives,
        refused_alternatives: results.refused_alternatives,
        ..Strictness::of_faults(&oracle.description(), &results.faults)
    })
}

struct OutputTrials<'a> {
    bench: Bench<'a>,
    rules: &'a Rules<'a>,
}

impl<'a> OutputTrials<'a> {
    /// The test cases to try, including the smallest and the largest, with the outputs of all accepted submissions.
    fn select_cases(
        &self,
        accepted: &[BuiltSubmission<'a>],
    ) -> Result<Vec<AnsweredCase<'a>>, Stop> {
        let Self { bench, rules } = *self;
        let mut sized = Vec::new();
        for case in &bench.problem.test_data.cases {
            let Some(path) = &case.answer else { continue };
            let blob = Blob::file(path);
            let size = blob.len().map_err(JudgeError::on_file("read", path))?;
            if size > 0 && size <= LARGEST_ANSWER {
                sized.push((size, case, blob));
            }
        }
        sized.sort_by_key(|(size, ..)| *size);
        let last = sized.len().saturating_sub(1);
        let mut places: Vec<usize> =
            (0..TRIED_CASES).map(|at| at * last / (TRIED_CASES - 1)).collect();
        places.dedup();
        let mut answered = Vec::new();
        for (_, test_case, answer) in places.into_iter().filter_map(|at| sized.get(at)) {
            let whole =
                |blob: &Blob| blob.read().map_err(|error| JudgeError::new("read an output", error));
            let input: Arc<[u8]> = whole(&Blob::file(&test_case.input))?.into();
            let outputs = bench.map("outputs of accepted submissions", accepted, |submission| {
                let runs = OutputRunner { executor: bench.executor, rules, test_case };
                let run = runs.run(&submission.runnable, &input)?;
                Ok(match run.rejected {
                    Some(_) => None,
                    None => Some((submission.name, whole(&run.output)?)),
                })
            })?;
            let outputs = outputs.into_iter().flatten().collect();
            answered.push(AnsweredCase { test_case, answer: whole(answer)?, outputs });
        }
        Ok(answered)
    }

    fn judge_case(&self, oracle: Oracle, tried: &AnsweredCase<'_>) -> Result<TrialResults, Stop> {
        let test_case = &tried.test_case.name;
        let mut results = TrialResults::default();
        let by = |output: &[u8]| self.opinions(tried, output);
        let right = |output: &[u8]| by(output).map(|opinions| opinions.iter().all(is_right));
        // Judge answers are usually right outputs, but need not be.
        let base = if right(&tried.answer)? {
            Some(&tried.answer)
        } else {
            tried.outputs.first().map(|(_, output)| output)
        };
        let Some(base) = base else { return Ok(results) };
        let right_opinions = by(base)?;
        if !right_opinions.iter().all(is_right) {
            return Ok(results);
        }
        for fault in faults(base).into_iter().filter(|fault| oracle.covers(fault.kind)) {
            // An output with a lower score than the right one counts as rejected.
            let is_accepted = by(&fault.text)? == right_opinions;
            results.faults.push(TriedFault {
                fault: fault.name,
                test_case: test_case.clone(),
                accepted: is_accepted.then(|| fault.text.into()),
            });
        }
        let mut seen: Vec<&[u8]> = vec![base];
        for (name, output) in &tried.outputs {
            if seen.contains(&output.as_slice()) {
                continue;
            }
            seen.push(output);
            results.alternatives += 1;
            if !right(output)? {
                results.refused_alternatives.push(format!("{name} on {test_case}"));
            }
        }
        Ok(results)
    }

    /// The opinions of the output validators on an output, or that of the default one.
    fn opinions(&self, tried: &AnsweredCase<'_>, output: &[u8]) -> Result<Vec<Opinion>, Stop> {
        let validators = &self.rules.validators.output;
        if validators.is_empty() {
            let options = comparison_options(self.bench.problem, tried.test_case)?;
            let is_right = is_equal(&tried.answer, output, &options)?;
            return Ok(vec![if is_right { Opinion::Accepted } else { Opinion::Rejected }]);
        }
        let ask = |validator| {
            let response = trial::ask_validator(
                validator,
                &self.bench,
                tried.test_case,
                output.to_vec().into(),
            )?;
            Ok(response.opinion)
        };
        validators.iter().map(ask).collect()
    }
}

fn choose_oracle(rules: &Rules<'_>, tried: &[AnsweredCase<'_>]) -> Result<Oracle, Stop> {
    if rules.validators.output.is_empty() {
        return Ok(Oracle::Default);
    }
    let writers = tried.iter().map(|case| case.outputs.len()).min().unwrap_or(0);
    for case in tried {
        for (_, output) in &case.outputs {
            if !is_equal(&case.answer, output, &Options::default())? {
                return Ok(Oracle::Form);
            }
        }
    }
    Ok(if writers < 2 { Oracle::Form } else { Oracle::Agreement(writers) })
}

fn is_equal(answer: &[u8], output: &[u8], options: &Options) -> Result<bool, Stop> {
    let difference = compare(Cursor::new(answer), Cursor::new(output), options);
    Ok(difference.map_err(|error| JudgeError::new("compare two outputs", error))?.is_none())
}

#[derive(Default)]
struct TrialResults {
    faults: Vec<TriedFault>,
    alternatives: u64,
    refused_alternatives: Vec<String>,
}

fn is_right(opinion: &Opinion) -> bool {
    match opinion {
        Opinion::Accepted => true,
        Opinion::Partial(score) => score.is_positive(),
        Opinion::Rejected | Opinion::Broken(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::problem::Problem;
    use juror_core::root::FilePath;
    use juror_judging::build::Builder;
    use juror_sandbox::executor::scripted::ScriptedExecutor;

    /// Checks which kinds of faults the default output validator accepts with these arguments.
    fn check(answer: &str, args: &[&str], expected: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("1.in"), "1\n").unwrap();
        std::fs::write(path("1.ans"), answer).unwrap();
        let mut problem = Problem::default();
        problem.test_data.cases = vec![TestCase {
            name: "secret/1".to_owned(),
            input: FilePath::root(path("1.in")),
            answer: Some(FilePath::root(path("1.ans"))),
            output_validator_args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            ..TestCase::default()
        }];
        let executor = ScriptedExecutor::new(1, |_| panic!("nothing is run"));
        let builder = Builder::new(&executor);
        let rules = Rules::new(&problem, Arc::default());
        let bench =
            Bench { problem: &problem, executor: &executor, builder: &builder, events: &|_| {} };
        let found = output_strictness(bench, &rules, &[]).unwrap();
        let passed: Vec<&str> =
            found.let_through.iter().map(|accepted| accepted.fault.as_str()).collect();
        assert_eq!(passed, expected, "{found:?}");
        assert_eq!(found.faults, found.refused + expected.len() as u64);
        assert!(found.oracle.starts_with("the judge answer: the default"), "{}", found.oracle);
    }

    #[test]
    fn certain_faults_depend_on_the_oracle() {
        use FaultClass::{Form, Order, Value};
        for (oracle, known) in [
            (Oracle::Default, &[Form, Value, Order][..]),
            (Oracle::Agreement(2), &[Form, Value]),
            (Oracle::Form, &[Form]),
        ] {
            let kinds = [Form, Value, Order].into_iter().filter(|kind| oracle.covers(*kind));
            assert_eq!(kinds.collect::<Vec<_>>(), known, "{oracle:?}");
        }
    }

    #[test]
    fn the_default_output_validator_is_as_strict_as_its_arguments() {
        check("18 11\n", &[], &[]);
        check("1000000 3\nLRL\n", &[], &[]);
        let one_more = "the first number plus one";
        check("1000000 3\n", &["float_relative_tolerance", "1e-5"], &[one_more]);
    }
}
