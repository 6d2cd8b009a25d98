//! The evidence for a failing input: the outputs of both programs, or the details of a run.

use std::sync::Arc;

use crate::search::cross_check::CrossCheck;
use crate::search::result::Counterexample;
use crate::search::run::Failure;
use crate::search::shrink::{ShrunkInput, generated_input};
use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;
use juror_core::verdict::Verdict;

/// Upper bound on the bytes of an output that are shown.
const SHOWN_BYTES_MAX: u64 = 1 << 20;

pub fn build_counterexample(
    cross_check: &CrossCheck<'_>,
    failure: &Failure,
    small: Option<ShrunkInput>,
) -> Result<Counterexample, Stop> {
    let (input, judgement, path, generated) = match small {
        Some(small) => (small.input, small.judgement, small.path, small.generated),
        None => {
            let generated = generated_input(cross_check.arena, &failure.fresh);
            (Arc::clone(&failure.fresh.input), failure.judgement.clone(), Vec::new(), generated)
        }
    };
    let mut example = Counterexample {
        verdict: judgement.verdict,
        cause: judgement.cause,
        difference: judgement.difference.filter(|_| judgement.verdict == Verdict::WrongAnswer),
        input: input.to_vec(),
        expected: None,
        got: None,
        transcript: None,
        stderr: Vec::new(),
        validator_stderr: Vec::new(),
        origin: failure.fresh.origin.clone(),
        first_size: failure.fresh.input.len(),
        path,
        generated,
        failing: failure.failing,
        repeats: failure.repeats,
        promoted: None,
        saved: None,
    };
    let result = if cross_check.is_judged() {
        add_evidence(cross_check, &input, &mut example)
    } else {
        add_outputs(cross_check, &input, &mut example)
    };
    match result {
        // Shows what is known in any case.
        Ok(()) | Err(Stop::Interrupted) => Ok(example),
        Err(stop) => Err(stop),
    }
}

/// Number of runs to see a failure again that happens only sometimes.
const TRIES: u32 = 5;

/// Adds the output of both programs. If a run of the submission fails in the same way, its output is taken.
fn add_outputs(
    cross_check: &CrossCheck<'_>,
    input: &Arc<[u8]>,
    example: &mut Counterexample,
) -> Result<(), Stop> {
    let answer = cross_check.answer(input)?.ok();
    example.expected = Some(answer.as_deref().unwrap_or_default().to_vec());
    for _ in 0..TRIES {
        let run = cross_check.run(cross_check.submission, input)?;
        let fails = match (&run.rejected, &answer) {
            (Some(rejected), _) => rejected.verdict == example.verdict,
            (None, Some(answer)) => {
                let whole = run.bytes(u64::MAX)?;
                example.verdict == Verdict::WrongAnswer
                    && !cross_check.accepts(input, answer, &run, &whole)?
            }
            (None, None) => true,
        };
        if fails {
            example.got = Some(run.bytes(SHOWN_BYTES_MAX)?);
            let stderr = run.stderr.prefix(SHOWN_BYTES_MAX);
            example.stderr =
                stderr.map_err(|error| JudgeError::new("read standard error", error))?;
            break;
        }
    }
    Ok(())
}

/// Adds the evidence of a run that fails in the same way.
fn add_evidence(
    cross_check: &CrossCheck<'_>,
    input: &Arc<[u8]>,
    example: &mut Counterexample,
) -> Result<(), Stop> {
    for _ in 0..TRIES {
        let Some(judgement) = cross_check.judge_in_detail(input)? else { continue };
        if judgement.verdict != example.verdict {
            continue;
        }
        example.cause = judgement.cause;
        if let Some(evidence) = judgement.evidence {
            example.transcript = evidence.transcript;
            example.stderr = evidence.stderr;
            example.validator_stderr = evidence.validator_stderr;
        }
        break;
    }
    Ok(())
}
