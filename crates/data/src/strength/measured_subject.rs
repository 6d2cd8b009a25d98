//! A subject while it is measured, and how it is built: many mutants of a right program together.

use std::path::PathBuf;
use std::sync::Arc;

use crate::search::arena::Arena;
use crate::strength::bundles::{LARGEST_BUNDLE, Variants};
use crate::strength::result::{Subject, SubjectStatus};
use crate::strength::test_bed::{Suspect, starts_slowly};
use juror_core::stop::Stop;
use juror_judging::build::{BuildResult, PreparedProgram, Runnable};

pub struct MeasuredSubject {
    pub subject: Subject,
    /// `None` before the build. If `source` is `None`, too, it is not run here.
    pub suspect: Option<Suspect>,
    /// What it is still to be built from. A submission without it was judged before.
    pub source: Option<WrongProgram>,
    /// A hash of its outputs on fresh inputs and one on test cases, if batches gave them all.
    pub signature: Option<(u64, u64)>,
}

impl MeasuredSubject {
    pub(super) fn is_survivor(&self) -> bool {
        self.suspect.is_some() && self.subject.status == SubjectStatus::Undecided
    }
}

#[derive(Clone, Debug)]
pub struct MutantSource {
    /// The right program, to be built for many inputs if its language allows it.
    pub original: Arc<PreparedProgram>,
    pub is_batched: bool,
    pub language: &'static str,
    pub file: PathBuf,
    pub text: String,
    pub is_risky: bool,
}

impl MutantSource {
    /// Whether it shares its build with others, and a start with many inputs.
    pub(super) fn is_bundled(&self) -> bool {
        self.is_batched && matches!(self.language, "c" | "cpp" | "rust")
    }

    pub(super) fn starts_slowly(&self) -> bool {
        starts_slowly(&self.original)
    }
}

#[derive(Clone, Debug)]
pub enum WrongProgram {
    Mutant(MutantSource),
    Submission(Box<PreparedProgram>),
}

impl WrongProgram {
    fn shares_build_with(&self, other: &Self) -> bool {
        let (Self::Mutant(one), Self::Mutant(other)) = (self, other) else { return false };
        Arc::ptr_eq(&one.original, &other.original) && one.file == other.file
    }
}

/// Among neighbours that could be built together, those that may not compile come last: so few builds are repeated.
pub fn sort_risky_last(queue: &mut [usize], entries: &[MeasuredSubject]) {
    let source = |index: &usize| entries[*index].source.as_ref();
    let beside = |one: &usize, other: &usize| {
        source(one).zip(source(other)).is_some_and(|(a, b)| a.shares_build_with(b))
    };
    let is_risky =
        |at: &usize| matches!(source(at), Some(WrongProgram::Mutant(mutant)) if mutant.is_risky);
    queue.chunk_by_mut(beside).for_each(|together| together.sort_by_key(is_risky));
}

/// Each group of indexes is one build.
pub fn build_groups(sources: &[(usize, &WrongProgram)], slots: usize) -> Vec<Vec<usize>> {
    let beside = sources.chunk_by(|one, other| one.1.shares_build_with(other.1));
    let split = beside.flat_map(|together| {
        let at_once = together.len().div_ceil(slots.max(1)).clamp(1, LARGEST_BUNDLE);
        together.chunks(at_once)
    });
    split.map(|group| group.iter().map(|(index, _)| *index).collect()).collect()
}

/// Builds one of the [`build_groups`]; `None` for sources that do not build. A program built for many inputs also runs
/// on one.
pub fn build_group(
    arena: &Arena<'_>,
    sources: &[&WrongProgram],
) -> Result<Vec<Option<Suspect>>, Stop> {
    let Arena { bench, rules, .. } = arena;
    let mut mutants = Vec::with_capacity(sources.len());
    for source in sources {
        match source {
            WrongProgram::Submission(prepared) => {
                return Ok(vec![build_submission(arena, prepared)?]);
            }
            WrongProgram::Mutant(mutant) => mutants.push(mutant),
        }
    }
    let Some(MutantSource { original, is_batched, language, file, .. }) = mutants.first() else {
        return Ok(Vec::new());
    };
    let texts: Vec<String> = mutants.iter().map(|mutant| mutant.text.clone()).collect();
    let run_limits = &rules.limits;
    let variants = Variants { bench: *bench, run_limits, original, language, file, texts: &texts };
    let programs = variants.build()?;
    let suspect = |program: Arc<Runnable>| Suspect::from_program(original, program, *is_batched);
    Ok(programs.into_iter().map(|program| program.map(suspect)).collect())
}

fn build_submission(
    arena: &Arena<'_>,
    prepared: &PreparedProgram,
) -> Result<Option<Suspect>, Stop> {
    let Arena { bench, rules, .. } = arena;
    let batched = prepared.for_batches().map(|program| (program, true));
    for (prepared, is_batched) in batched.into_iter().chain([(prepared.clone(), false)]) {
        if let BuildResult::Program(program) = bench.build_quietly(&prepared, &rules.limits)? {
            return Ok(Some(Suspect::from_program(&prepared, Arc::from(program), is_batched)));
        }
    }
    Ok(None)
}
