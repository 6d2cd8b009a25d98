//! What workers do: threads that judge, as many as programs run at the same time.

use std::slice::from_ref;
use std::sync::OnceLock;
use std::time::Instant;

use hyper::body::Bytes;
use juror::grade::fault::FaultyPart;
use juror::ops::grade::Grader;
use juror::ops::languages::LanguageListing;
use juror_core::stop::with_stop_flags;

use crate::answer::Answer;
use crate::fusion::RunCode;
use crate::metrics::Metrics;
use crate::piston::{self, Execute};
use crate::programs::TaskFailure;
use crate::queue::Queue;

pub enum Work {
    Line { number: u64, text: Bytes },
    RunCode(RunCode),
    Execute(Execute),
    Languages,
    Runtimes,
}

/// A fault of this side is not told before so many tries.
const TRIES: u64 = 3;

impl Work {
    /// The kind of its request.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Line { .. } => "grade",
            Self::RunCode(_) => "run_code",
            Self::Execute(_) => "execute",
            Self::Languages => "languages",
            Self::Runtimes => "runtimes",
        }
    }

    fn perform(
        &self,
        grader: &Grader<'_>,
        languages: &OnceLock<LanguageListing>,
    ) -> Result<Answer, TaskFailure> {
        let languages = || languages.get_or_init(|| grader.languages());
        match self {
            Self::Line { number, text } => {
                let (text, fault) = grader.grade(*number, text)?;
                let status = match fault {
                    Some(FaultyPart::Line | FaultyPart::Package) => 400,
                    Some(FaultyPart::Judge) => 503,
                    _ => 200,
                };
                Ok(Answer::json(status, text))
            }
            Self::RunCode(request) => request.run(grader, languages()),
            Self::Execute(request) => request.run(grader, languages()),
            Self::Languages => Ok(Answer::of(200, languages())),
            Self::Runtimes => Ok(piston::runtimes(languages())),
        }
    }
}

/// Works until the queue closes.
///
/// # Errors
/// If no worker is left that could run anything.
pub fn work(
    queue: &Queue<Work>,
    metrics: &Metrics,
    grader: &Grader<'_>,
    languages: &OnceLock<LanguageListing>,
) -> Result<(), String> {
    while let Some(taken) = queue.take() {
        let begun = Instant::now();
        let mut tries = 1;
        let answer = loop {
            let perform = || taken.task.perform(grader, languages);
            match with_stop_flags(from_ref(&taken.stop), perform) {
                Ok(answer) | Err(TaskFailure::Answer(answer))
                    if !answer.is_fault() || tries == TRIES || taken.stop.is_set() =>
                {
                    break answer;
                }
                Err(TaskFailure::NoWorker(message)) => {
                    queue.finish(taken.number, &Answer::refused(503, &message));
                    return Err(message);
                }
                _ => tries += 1,
            }
        };
        metrics.count_task(taken.task.kind(), taken.waited, begun.elapsed(), tries - 1);
        queue.finish(taken.number, &answer);
    }
    Ok(())
}
