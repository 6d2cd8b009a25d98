//! The programs of a search: the submission, the reference, and the program that makes judge answers.

use std::path::PathBuf;

use crate::search::arena::Arena;
use crate::search::batch::Batches;
use crate::search::problem_inputs::ProblemInputs;
use crate::search::reference::default_reference;
use juror_core::blob::Blob;
use juror_core::isolation::Isolation;
use juror_core::program::{BuildVariant, Program};
use juror_core::stop::{RefusalSubject, Stop};
use juror_core::submission::Submission;
use juror_core::tree::TreeEntry;
use juror_judging::build::bench::Bench;
use juror_judging::build::{PreparedProgram, Runnable};
use juror_judging::judge::case::Rules;
use juror_sandbox::executor::parallel;

/// Upper bound on the bytes of a source file in which numbers are looked for.
const SOURCE_BYTES_MAX: u64 = 1 << 20;

pub struct SearchSubject {
    pub inputs: ProblemInputs,
    pub submission: Submission,
    pub reference: Option<Submission>,
    pub promotes: bool,
}

impl SearchSubject {
    /// What the user must correct if the reference is at fault.
    pub fn reference_refusal(&self) -> RefusalSubject {
        match self.inputs.seeded {
            Some(_) if self.reference.is_some() => RefusalSubject::HelperProgram,
            _ => RefusalSubject::Package,
        }
    }
}

pub struct SearchPrograms {
    pub submission: Runnable,
    pub reference: Runnable,
    /// The program that makes the package's judge answers, if it is another one.
    solution: Option<Runnable>,
    pub name: String,
    pub path: PathBuf,
    pub choice_reason: &'static str,
    /// Whether the submission is its own reference.
    pub is_own_reference: bool,
    /// Of the submission, then of the reference.
    prepared: [PreparedProgram; 2],
    /// How the submission is built.
    pub variant: BuildVariant,
}

struct ProgramSource<'a> {
    /// The part at fault if the program does not build.
    refusal: RefusalSubject,
    submission: &'a Submission,
    prepared: PreparedProgram,
}

impl SearchPrograms {
    /// The program for judge answers is built only if the package gets a case. Fails if one of the programs does not
    /// build.
    pub fn build(
        subject: &SearchSubject,
        bench: &Bench<'_>,
        rules: &Rules<'_>,
    ) -> Result<Self, Stop> {
        let path = subject.inputs.solution.as_ref();
        let nothing = "the package has no accepted submission to compare with; give a correct program with --reference";
        let (reference, choice_reason) = match &subject.reference {
            None if !subject.inputs.has_reference => {
                (&subject.submission, "only the interactor judges")
            }
            Some(reference) => (reference, "--reference"),
            None => default_reference(&subject.inputs.problem, path)
                .ok_or_else(|| Stop::Refused(RefusalSubject::Selection, vec![nothing.into()]))?,
        };
        let is_solution = |submission: &&Submission| path == Some(&submission.program.path);
        let is_wanted = subject.promotes && !is_solution(&reference);
        let solution =
            subject.inputs.problem.submissions.iter().find(is_solution).filter(|_| is_wanted);
        let mut sources = vec![
            prepare_source(RefusalSubject::Submission, &subject.submission, bench)?,
            prepare_source(subject.reference_refusal(), reference, bench)?,
        ];
        let prepare = |submission| prepare_source(RefusalSubject::Package, submission, bench);
        sources.extend(solution.map(prepare).transpose()?);
        let mut built = build_all(&sources, bench, rules)?;
        Ok(Self {
            solution: solution.and_then(|_| built.pop()),
            reference: built.remove(1),
            submission: built.remove(0),
            name: reference.name.clone(),
            path: (&reference.program.path).into(),
            choice_reason,
            is_own_reference: subject.inputs.has_reference
                && is_same(&subject.submission.program, &reference.program),
            prepared: [0, 1].map(|at| sources[at].prepared.clone()),
            variant: subject.submission.program.variant.clone(),
        })
    }

    /// The texts of both programs.
    pub fn texts(&self) -> Vec<String> {
        let files = self.prepared.iter().flat_map(|program| &program.plan.files);
        let blobs = files.filter_map(TreeEntry::blob);
        let text = |blob: &Blob| String::from_utf8(blob.prefix(SOURCE_BYTES_MAX).ok()?).ok();
        blobs.filter_map(text).collect()
    }

    /// `None` if the programs cannot be built for batches.
    pub fn batches(
        &self,
        subject: &SearchSubject,
        isolation: Isolation,
        arena: &Arena<'_>,
    ) -> Option<Batches> {
        let [submission, reference] = &self.prepared;
        let path = subject.submission.program.path.as_path();
        let generator = arena.seeded.as_ref();
        let generator = generator.map(|seeded| (&*seeded.given.program.path, &seeded.prepared));
        let reference = (&*self.path, reference);
        Batches::new(arena.rules, isolation, reference, (path, submission), generator)
    }

    /// The program that makes the package's judge answers, otherwise the reference.
    pub fn solution(&self) -> &Runnable {
        self.solution.as_ref().unwrap_or(&self.reference)
    }
}

fn is_same(submission: &Program, reference: &Program) -> bool {
    let file = |program: &Program| {
        let is_alone = program.command.is_none() && program.arguments.is_empty();
        program.path.canonicalize().ok().filter(|_| is_alone)
    };
    file(submission).is_some_and(|path| file(reference) == Some(path))
}

fn prepare_source<'a>(
    refusal: RefusalSubject,
    submission: &'a Submission,
    bench: &Bench<'_>,
) -> Result<ProgramSource<'a>, Stop> {
    let prepared = bench.builder.prepare(&submission.program);
    Ok(ProgramSource {
        refusal,
        submission,
        // The command line is at fault, since it names the program.
        prepared: prepared.map_err(|stop| stop.refused_for(RefusalSubject::CommandLine))?,
    })
}

/// Uses all slots.
fn build_all(
    sources: &[ProgramSource<'_>],
    bench: &Bench<'_>,
    rules: &Rules<'_>,
) -> Result<Vec<Runnable>, Stop> {
    let results = parallel::map(bench.executor, sources, |source| {
        let name = &source.submission.program.name;
        bench.build(name, &source.prepared, &rules.limits)
    })?;
    let mut runnables = Vec::new();
    let mut remarks = Vec::new();
    let mut refusal = RefusalSubject::Submission;
    for (source, result) in sources.iter().zip(results) {
        let what = match source.refusal {
            RefusalSubject::Submission => "CE: the submission",
            _ => "the reference",
        };
        match result.program(what, &source.submission.program.path) {
            Ok(runnable) => runnables.push(runnable),
            Err(fault) => {
                remarks.push(fault.into());
                refusal = source.refusal;
            }
        }
    }
    if remarks.is_empty() { Ok(runnables) } else { Err(Stop::Refused(refusal, remarks)) }
}
