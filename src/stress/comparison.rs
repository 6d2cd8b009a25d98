//! One comparison: the reference and the submission on the same input, and the verdict.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::check::options::Options;
use crate::executor::Executor;
use crate::generate::solution::Solution;
use crate::judge::case::{Detail, Entry, ReadyCase, Rules, TimeLimitMode, judge_case};
use crate::judge::output::{Ran, judge_output, output};
use crate::model::blob::Blob;
use crate::model::judgement::{CaseJudgement, JudgeError};
use crate::model::score::CaseScoring;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::text::visible;
use crate::model::verdict::Verdict;

/// Two programs that solve the same problem, and who says what is right.
pub struct Comparison<'a> {
    /// The problem, and the executor.
    pub bench: Bench<'a>,
    /// By what they are judged.
    pub rules: &'a Rules<'a>,
    /// The program that is right.
    pub reference: &'a Runnable,
    /// The submission that is searched.
    pub submission: &'a Runnable,
    /// Where the submission runs, if not where all else does.
    pub elsewhere: Option<&'a dyn Executor>,
    /// How outputs are compared, if the format's default output validator does it.
    pub options: Options,
    /// A test case without files, which gives the name and arguments.
    pub test_case: TestCase,
    /// Where judge answers come from.
    pub answers: AnswersBy<'a>,
    /// Answers that are known.
    pub known: &'a Answers,
}

/// Where the judge answer to an input comes from.
#[derive(Clone, Copy)]
pub enum AnswersBy<'a> {
    /// It is what the reference writes.
    Reference,
    /// The package's solution makes it, which is not a submission. What the reference says is judged as well.
    Solution(&'a Solution<'a>),
    /// It is empty: the output validator does without. What the reference says is judged as well.
    Nobody,
}

/// What came of a comparison.
#[derive(Debug)]
pub enum Compared {
    /// The submission is right.
    Same,
    /// It is not.
    Differs(Box<CaseJudgement>),
    /// There is nothing to compare it with.
    NoAnswer(Unusable),
}

/// Why an input shows nothing about a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The reference does not solve it in time.
    TooSlow,
    /// The reference fails.
    Reference(Verdict, String),
    /// The solution that makes judge answers fails: what it does.
    Solution(String),
}

impl<'a> Comparison<'a> {
    /// Whether the output validator alone says what is right, so that there is no output to compare with.
    pub fn is_judged(&self) -> bool {
        !matches!(self.answers, AnswersBy::Reference)
    }

    /// Where the submission runs.
    pub fn at_submission(&self) -> &dyn Executor {
        self.elsewhere.unwrap_or(self.bench.executor)
    }

    /// Compares on an input. A submission that is too slow may run further, to see by how much.
    ///
    /// Both run on the thread that asks, one after the other, with nothing on disk.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn compare(
        &self,
        input: &Arc<[u8]>,
        time_limit_mode: TimeLimitMode,
    ) -> Result<Compared, Stop> {
        let answer = match self.answer(input)? {
            Ok(answer) => answer,
            Err(unusable) => return Ok(Compared::NoAnswer(unusable)),
        };
        let asked = (self.submission, self.at_submission());
        let judged = self.judge(self.rules, asked, time_limit_mode, input, answer)?;
        Ok(match judged.verdict {
            Verdict::Accepted => Compared::Same,
            _ => Compared::Differs(Box::new(judged)),
        })
    }

    /// The judge answer, once it is known that the reference solves the input.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn answer(&self, input: &Arc<[u8]>) -> Result<Result<Arc<[u8]>, Unusable>, Stop> {
        if let Some(known) = self.known.get(input) {
            return Ok(Ok(known));
        }
        let answer: Arc<[u8]> = match self.answers {
            AnswersBy::Reference => {
                let mut ran = self.run(self.reference, input)?;
                if let Some(rejected) = ran.rejected {
                    return Ok(Err(Unusable::by(rejected.verdict, rejected.cause)));
                }
                bytes(&mut ran, u64::MAX)?.into()
            }
            AnswersBy::Solution(solution) => {
                let content = Blob::from(Arc::clone(input));
                match solution.answer(content)? {
                    Ok(answer) => answer
                        .start(u64::MAX)
                        .map_err(|error| JudgeError::new("read the answer", error))?
                        .into(),
                    Err(not) => return Ok(Err(Unusable::Solution(not.message))),
                }
            }
            AnswersBy::Nobody => Arc::from([]),
        };
        if self.is_judged() {
            let answer = Arc::clone(&answer);
            let asked = (self.reference, self.bench.executor);
            let judged = self.judge(self.rules, asked, TimeLimitMode::Any, input, answer)?;
            if judged.verdict != Verdict::Accepted {
                return Ok(Err(match judged.is_stuck() {
                    true => Unusable::Reference(judged.verdict, judged.cause),
                    false => Unusable::by(judged.verdict, judged.cause),
                }));
            }
        }
        self.known.keep(input, &answer);
        Ok(Ok(answer))
    }

    /// Judges the submission with all that a person is shown of a rejection.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn look(&self, input: &Arc<[u8]>) -> Result<Option<CaseJudgement>, Stop> {
        let Ok(answer) = self.answer(input)? else { return Ok(None) };
        let rules = Rules { detail: Detail::Full { keep: None }, ..self.rules.clone() };
        let asked = (self.submission, self.at_submission());
        self.judge(&rules, asked, TimeLimitMode::Any, input, answer).map(Some)
    }

    /// Runs one of them for what it writes.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn run(&self, runnable: &Runnable, input: &Arc<[u8]>) -> Result<Ran, Stop> {
        let entry = Entry::unnamed(runnable, TimeLimitMode::Any);
        output(self.bench.executor, self.rules, &entry, &self.test_case, input)
    }

    /// Whether an output of the submission is accepted, that it wrote in a run that kept its limits. Where this
    /// cannot be told it is not: a run on this input alone will tell.
    ///
    /// # Errors
    /// When it was interrupted.
    pub fn accepts(
        &self,
        input: &Arc<[u8]>,
        answer: &[u8],
        ran: &Ran,
        output: &[u8],
    ) -> Result<bool, Stop> {
        if output == answer && self.rules.validators.output.is_empty() {
            return Ok(true);
        }
        let case = self.case(input, answer.into());
        let entry = Entry::unnamed(self.submission, TimeLimitMode::Any);
        let outcome = &ran.outcome;
        let judged =
            judge_output(self.bench.executor, self.rules, &entry, &case, outcome, output.to_vec());
        match judged {
            Ok(verdict) => Ok(verdict == Verdict::Accepted),
            Err(Stop::Fault(_)) => Ok(false),
            Err(stop) => Err(stop),
        }
    }

    /// An input with its judge answer, as a test case that is in no file.
    fn case(&self, input: &Arc<[u8]>, answer: Arc<[u8]>) -> ReadyCase<'_> {
        ReadyCase {
            test_case: &self.test_case,
            static_args: None,
            scoring: CaseScoring::Ignored,
            options: self.options,
            input: Arc::clone(input).into(),
            answer: Some(answer.into()),
        }
    }

    /// A fault of the package's own validator, with what it was asked about: that is in no file.
    fn on(&self, mut error: JudgeError, input: &[u8]) -> JudgeError {
        if error.program.is_some() {
            let answer = match self.answers {
                AnswersBy::Nobody => ", the judge answer is empty",
                AnswersBy::Reference | AnswersBy::Solution(_) => "",
            };
            error.reason = format!("{}; the input is {}{answer}", error.reason, shown(input));
        }
        error
    }

    fn judge(
        &self,
        rules: &Rules<'_>,
        (runnable, executor): (&Runnable, &dyn Executor),
        time_limit_mode: TimeLimitMode,
        input: &Arc<[u8]>,
        answer: Arc<[u8]>,
    ) -> Result<CaseJudgement, Stop> {
        let case = self.case(input, answer);
        match judge_case(executor, rules, &Entry::unnamed(runnable, time_limit_mode), &case) {
            Err(Stop::Fault(error)) => match runnable.unstartable(&error) {
                None => Err(self.on(error, input).into()),
                Some(cause) => Err(JudgeError::new("start the submission", cause).into()),
            },
            judged => judged,
        }
    }
}

impl Unusable {
    /// Of a reference that is not accepted.
    fn by(verdict: Verdict, cause: String) -> Self {
        match verdict {
            Verdict::TimeLimitExceeded => Self::TooSlow,
            _ => Self::Reference(verdict, cause),
        }
    }
}

/// A short input in one line.
pub fn shown(input: &[u8]) -> String {
    const LONGEST: usize = 200;
    let text = visible(&input[..input.len().min(LONGEST)]);
    let more = if input.len() > LONGEST { "…" } else { "" };
    format!("`{text}{more}`")
}

/// At most so many bytes of what a program wrote where its output belongs.
///
/// # Errors
/// When they cannot be read.
pub fn bytes(ran: &mut Ran, most: u64) -> Result<Vec<u8>, JudgeError> {
    ran.output.start(most).map_err(|error| JudgeError::new("read the output", error))
}

/// Answers that are known, by input; of small inputs only, and not more than fit.
#[derive(Default)]
pub struct Answers {
    by_input: Mutex<HashMap<Text, Text>>,
}

/// An input or an output.
type Text = Arc<[u8]>;

impl Answers {
    const LONGEST: usize = 4 << 10;
    const MOST: usize = 4096;

    fn get(&self, input: &Arc<[u8]>) -> Option<Arc<[u8]>> {
        let known = self.by_input.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(input).cloned()
    }

    fn keep(&self, input: &Arc<[u8]>, answer: &Arc<[u8]>) {
        if input.len().max(answer.len()) > Self::LONGEST {
            return;
        }
        let mut known = self.by_input.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(Arc::clone(input), Arc::clone(answer));
    }
}
