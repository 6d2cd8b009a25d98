//! The submissions of a package, built: right ones, of which mutants are made, wrong ones and slow ones.

use std::sync::Arc;

use crate::search::reference::is_accepted;
use crate::strength::measured_subject::{MeasuredSubject, WrongProgram};
use crate::strength::result::{Kill, Subject, SubjectKind, SubjectStatus};
use crate::strength::test_bed::Suspect;
use juror_core::judgement::Judgement;
use juror_core::stop::Stop;
use juror_core::submission::Submission;
use juror_core::verdict::Verdict;
use juror_judging::build::bench::Bench;
use juror_judging::build::{BuildResult, PreparedProgram, Runnable};
use juror_judging::judge::case::Rules;
use juror_judging::judge::session::refusal;
use juror_sandbox::executor::parallel;

pub struct BuiltSubmission<'a> {
    pub name: &'a str,
    pub runnable: Runnable,
}

pub struct RightSubmission<'a> {
    pub submission: &'a Submission,
    pub prepared: PreparedProgram,
    pub suspect: Suspect,
}

/// For each language, the accepted submission that is fastest on its slowest test case. Languages whose mutants are
/// built and run fastest come first.
pub fn fastest_by_language<'r, 's>(
    right: &'r [RightSubmission<'s>],
    judged: &[(&Submission, Judgement)],
) -> Vec<&'r RightSubmission<'s>> {
    const LANGUAGES: [&str; 5] = ["c", "cpp", "rust", "python3", "java"];
    let slowest = |right: &&RightSubmission<'_>| {
        let judgement = judged.iter().find(|(known, _)| known.name == right.submission.name);
        let cases = judgement.into_iter().flat_map(|(_, judgement)| judgement.cases.iter());
        cases.filter_map(|case| Some(case.outcome.as_ref()?.cpu_time.as_millis())).max()
    };
    let of = |language: &&str| {
        let all = right.iter().filter(|one| one.prepared.plan.language.code() == Some(language));
        // If they differ only by chance, the first by name.
        all.min_by_key(|right| (slowest(right).map(|time| time / 10), &right.submission.name))
    };
    LANGUAGES.iter().filter_map(of).collect()
}

pub fn build_accepted<'s>(
    bench: Bench<'_>,
    rules: &Rules<'_>,
    accepted: &[&'s Submission],
) -> Result<Vec<RightSubmission<'s>>, Stop> {
    let built = parallel::map(bench.executor, accepted, |submission| {
        let built = build_suspect(bench, rules, submission)?;
        Ok(built.map(|(prepared, suspect)| RightSubmission { submission, prepared, suspect }))
    })?;
    Ok(built.into_iter().flatten().collect())
}

/// Builds a submission for single runs, and for batches if its language allows it.
fn build_suspect(
    bench: Bench<'_>,
    rules: &Rules<'_>,
    submission: &Submission,
) -> Result<Option<(PreparedProgram, Suspect)>, Stop> {
    let Some(prepared) = prepare(bench, submission)? else { return Ok(None) };
    let build = |prepared: &PreparedProgram| -> Result<Option<Arc<Runnable>>, Stop> {
        Ok(build_runnable(bench, rules, submission, prepared)?.map(Arc::from))
    };
    let Some(runnable) = build(&prepared)? else { return Ok(None) };
    let batched = match prepared.for_batches().filter(|_| is_accepted(submission)) {
        Some(prepared) => build(&prepared)?,
        None => None,
    };
    let suspect = Suspect::new(&prepared, runnable, batched);
    Ok(Some((prepared, suspect)))
}

/// The wrong submissions of the package: with their judgement if they were judged, otherwise to be built.
pub fn wrong_subjects(
    bench: Bench<'_>,
    rules: &Rules<'_>,
    judged: &[(&Submission, Judgement)],
) -> Result<Vec<MeasuredSubject>, Stop> {
    let problem = bench.problem;
    let mut entries = Vec::new();
    for submission in problem.submissions.iter().filter(|submission| !is_accepted(submission)) {
        let known = judged.iter().find(|(other, _)| other.name == submission.name);
        let Some(prepared) = prepare(bench, submission)? else { continue };
        let (subject, suspect, source) = match known.and_then(judged_subject) {
            Some(subject) if subject.status == SubjectStatus::Undecided => {
                (subject, build_suspect(bench, rules, submission)?.map(|built| built.1), None)
            }
            Some(subject) => (subject, None, None),
            None if refusal(problem, &prepared).is_some() => {
                let subject =
                    Subject { status: SubjectStatus::Unviable, ..unjudged_subject(submission) };
                (subject, None, None)
            }
            None => (
                unjudged_subject(submission),
                None,
                Some(WrongProgram::Submission(Box::new(prepared))),
            ),
        };
        entries.push(MeasuredSubject { subject, suspect, source, signature: None });
    }
    Ok(entries)
}

/// The submissions that are accepted everywhere, and those that are declared too slow, if this machine can build them.
pub fn build_timed<'a>(
    bench: Bench<'a>,
    rules: &Rules<'_>,
) -> Result<[Vec<BuiltSubmission<'a>>; 2], Stop> {
    let built = |is_wanted: fn(&Submission) -> bool| {
        let all = bench.problem.submissions.iter().filter(|submission| is_wanted(submission));
        let built = parallel::map(bench.executor, &all.collect::<Vec<_>>(), |submission| {
            let Some(prepared) = prepare(bench, submission)? else { return Ok(None) };
            let built = build_runnable(bench, rules, submission, &prepared)?;
            Ok(built
                .map(|runnable| BuiltSubmission { name: &submission.name, runnable: *runnable }))
        })?;
        Ok::<_, Stop>(built.into_iter().flatten().collect())
    };
    let right = |submission: &Submission| is_accepted(submission) && !is_declared_slow(submission);
    Ok([built(right)?, built(is_declared_slow)?])
}

fn is_declared_slow(submission: &Submission) -> bool {
    let only = |verdicts: &Option<Vec<Verdict>>| {
        verdicts.as_deref() == Some(&[Verdict::TimeLimitExceeded])
    };
    submission.expectations.iter().any(|rule| {
        let overall = rule.overall.as_ref().map(|overall| overall.verdicts.clone());
        only(&rule.required) || only(&rule.permitted) || only(&overall)
    })
}

/// A submission of the package that should be rejected, with the results of the test cases.
pub fn judged_subject((submission, judgement): &(&Submission, Judgement)) -> Option<Subject> {
    if is_accepted(submission) {
        return None;
    }
    let rejects = judgement.cases.iter().filter(|case| case.verdict != Verdict::Accepted);
    let killers: Vec<Kill> = rejects
        .map(|case| Kill { test_case: case.test_case.clone(), verdict: case.verdict })
        .collect();
    let status = match (judgement.verdict, killers.is_empty()) {
        (Verdict::CompileError, _) => SubjectStatus::Unviable,
        (_, true) => SubjectStatus::Undecided,
        (_, false) => SubjectStatus::Caught,
    };
    Some(Subject { status, killers, ..unjudged_subject(submission) })
}

fn unjudged_subject(submission: &Submission) -> Subject {
    let fault = submission.name.split('/').next().unwrap_or_default();
    Subject::new(&submission.name, SubjectKind::Submission, fault)
}

/// How to build a submission; None if this machine cannot, or it cannot be built at all.
fn prepare(bench: Bench<'_>, submission: &Submission) -> Result<Option<PreparedProgram>, Stop> {
    match bench.builder.prepare(&submission.program) {
        Err(Stop::Fault(_) | Stop::Diagnosed(_) | Stop::Refused(..)) => Ok(None),
        prepared => prepared.map(Some),
    }
}

fn build_runnable(
    bench: Bench<'_>,
    rules: &Rules<'_>,
    submission: &Submission,
    prepared: &PreparedProgram,
) -> Result<Option<Box<Runnable>>, Stop> {
    Ok(match bench.build(&submission.name, prepared, &rules.limits)? {
        BuildResult::Program(runnable) => Some(runnable),
        BuildResult::Rejected(_) => None,
    })
}
