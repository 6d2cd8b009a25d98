//! One comparison: the reference and the submission on the same input, and the verdict.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::build::{Runnable, start};
use crate::check::options::Options;
use crate::executor::{Executor, RunError};
use crate::judge::case::{Entry, Pace, ReadyCase, Rules, Texts, judge_case};
use crate::judge::output::{Ran, output};
use crate::model::judgement::{CaseJudgement, JudgeError};
use crate::model::score::CaseScoring;
use crate::model::test_data::TestCase;
use crate::model::verdict::Verdict;

/// Two programs that solve the same problem, and who says what is right.
pub struct Duel<'a> {
    /// Where they run.
    pub executor: &'a dyn Executor,
    /// By what they are judged.
    pub rules: &'a Rules<'a>,
    /// Whose output counts as right.
    pub reference: &'a Runnable,
    /// The submission that is hunted.
    pub submission: &'a Runnable,
    /// How outputs are compared, where the format's default output validator does it.
    pub options: Options,
    /// A test case without files, which gives the name and arguments.
    pub test_case: TestCase,
    /// Answers of the reference that are known.
    known: Answers,
}

/// What came of a comparison.
#[derive(Debug)]
pub enum Fought {
    /// The submission is right.
    Same,
    /// It is not.
    Differs(Box<CaseJudgement>),
    /// The reference itself fails: its verdict, and why.
    NoAnswer(Verdict, String),
}

impl<'a> Duel<'a> {
    /// A comparison of these two.
    pub fn new(
        executor: &'a dyn Executor,
        rules: &'a Rules<'a>,
        reference: &'a Runnable,
        submission: &'a Runnable,
        options: Options,
        test_case: TestCase,
    ) -> Self {
        Self {
            executor,
            rules,
            reference,
            submission,
            options,
            test_case,
            known: Answers::default(),
        }
    }

    /// Compares on an input.
    ///
    /// Both run on the thread that asks, one after the other, with nothing on disk.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn fight(&self, input: &Arc<[u8]>) -> Result<Fought, RunError> {
        let answer = match self.answer(input)? {
            Ok(answer) => answer,
            Err(rejected) => return Ok(Fought::NoAnswer(rejected.verdict, rejected.cause)),
        };
        let judged = self.judge(self.submission, Pace::Any, input, answer)?;
        Ok(match judged.verdict {
            Verdict::Accepted => Fought::Same,
            _ => Fought::Differs(Box::new(judged)),
        })
    }

    /// The same for a submission that is too slow: it may run further, to see by how much.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn fight_slow(&self, input: &Arc<[u8]>) -> Result<Fought, RunError> {
        let answer = match self.answer(input)? {
            Ok(answer) => answer,
            Err(rejected) => return Ok(Fought::NoAnswer(rejected.verdict, rejected.cause)),
        };
        let judged = self.judge(self.submission, Pace::TooSlow, input, answer)?;
        Ok(match judged.verdict {
            Verdict::Accepted => Fought::Same,
            _ => Fought::Differs(Box::new(judged)),
        })
    }

    /// What the reference writes.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn answer(&self, input: &Arc<[u8]>) -> Result<Result<Arc<[u8]>, Rejected>, RunError> {
        if let Some(known) = self.known.get(input) {
            return Ok(Ok(known));
        }
        let mut ran = self.run(self.reference, input)?;
        if let Some(rejected) = ran.rejected {
            return Ok(Err(Rejected {
                verdict: rejected.verdict,
                cause: rejected.cause,
            }));
        }
        let answer: Arc<[u8]> = bytes(&mut ran, u64::MAX)?.into();
        self.known.keep(input, &answer);
        Ok(Ok(answer))
    }

    /// Runs one of them for what it writes.
    ///
    /// # Errors
    /// When the judge failed or was interrupted.
    pub fn run(&self, runnable: &Runnable, input: &Arc<[u8]>) -> Result<Ran, RunError> {
        let entry = Entry {
            submission: "",
            runnable,
            language: "",
            entry_point: "",
            pace: Pace::Any,
        };
        output(self.executor, self.rules, &entry, &self.test_case, input)
    }

    fn judge(
        &self,
        runnable: &Runnable,
        pace: Pace,
        input: &Arc<[u8]>,
        answer: Arc<[u8]>,
    ) -> Result<CaseJudgement, RunError> {
        let entry = Entry {
            submission: "",
            runnable,
            language: "",
            entry_point: "",
            pace,
        };
        let case = ReadyCase {
            test_case: &self.test_case,
            static_args: None,
            scoring: CaseScoring::Ignored,
            options: self.options,
            texts: Some(Texts {
                input: Arc::clone(input),
                answer,
            }),
        };
        match judge_case(self.executor, self.rules, &entry, &case) {
            Err(RunError::Fault(error)) => match runnable.unstartable(&error) {
                None => Err(error.into()),
                Some(cause) => Err(JudgeError::new("start the submission", cause).into()),
            },
            judged => judged,
        }
    }
}

/// Why a program's output counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Its verdict.
    pub verdict: Verdict,
    /// Why, in words.
    pub cause: String,
}

/// At most so many bytes of what a program wrote where its output belongs.
///
/// # Errors
/// When they cannot be read.
pub fn bytes(ran: &mut Ran, most: u64) -> Result<Vec<u8>, JudgeError> {
    start(&mut ran.output, most).map_err(|error| JudgeError::new("read the output", error))
}

/// Answers that are known, by input; of small inputs only, and not more than fit.
#[derive(Default)]
struct Answers {
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
