//! Programs made from right programs: wrappers of one, and mutants of several.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::faults::operator::Operator;
use crate::faults::original::read_original;
use crate::faults::wrapper::{WrapperChange, wrappers};
use crate::faults::{Mutant, SourceText, mutants};
use crate::search::arena::Arena;
use crate::strength::bundles::{LARGEST_BUNDLE, Variants};
use crate::strength::measure::MeasuredSubject;
use crate::strength::result::{SourceEdit, Subject, SubjectKind};
use crate::strength::test_bed::{Suspect, starts_slowly};
use juror_core::stop::Stop;
use juror_core::submission::Submission;
use juror_grammar::program::Grammar;
use juror_judging::build::{BuildResult, PreparedProgram, Runnable};

pub fn wrapper_subjects(right: &Suspect, grammar: Option<&Grammar>) -> Vec<MeasuredSubject> {
    let fits =
        |change: &WrapperChange| grammar.is_some() || matches!(change, WrapperChange::Output(_));
    let all = wrappers().iter().filter(|wrapper| fits(&wrapper.change));
    all.map(|wrapper| MeasuredSubject {
        subject: Subject::new(wrapper.name, SubjectKind::Wrapper, wrapper.description),
        suspect: Some(Suspect { wrapper: Some(wrapper), ..right.clone() }),
        source: None,
        signature: None,
    })
    .collect()
}

#[derive(Clone, Debug)]
pub struct MutantSource {
    /// The right program, to be built for many inputs if its language allows it.
    original: Arc<PreparedProgram>,
    is_batched: bool,
    language: &'static str,
    file: PathBuf,
    text: String,
    is_risky: bool,
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
    let source = |place: &usize| entries[*place].source.as_ref();
    let beside = |one: &usize, other: &usize| {
        source(one).zip(source(other)).is_some_and(|(a, b)| a.shares_build_with(b))
    };
    let is_risky =
        |place: &usize| matches!(source(place), Some(WrongProgram::Mutant(mutant)) if mutant.is_risky);
    queue.chunk_by_mut(beside).for_each(|together| together.sort_by_key(is_risky));
}

/// Each group of indexes is one build.
pub fn build_groups(sources: &[(usize, &WrongProgram)], slots: usize) -> Vec<Vec<usize>> {
    let beside = sources.chunk_by(|one, other| one.1.shares_build_with(other.1));
    let split = beside.flat_map(|together| {
        let at_once = together.len().div_ceil(slots.max(1)).clamp(1, LARGEST_BUNDLE);
        together.chunks(at_once)
    });
    split.map(|group| group.iter().map(|(place, _)| *place).collect()).collect()
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
    let ways = [prepared.for_batches().map(|batched| (batched, true)), Some((prepared.clone(), false))];
    for (prepared, is_batched) in ways.into_iter().flatten() {
        if let BuildResult::Program(program) = bench.build_quietly(&prepared, &rules.limits)? {
            return Ok(Some(Suspect::from_program(&prepared, Arc::from(program), is_batched)));
        }
    }
    Ok(None)
}

/// The mutants of a right program; none if its language has none.
///
/// # Errors
/// If its sources cannot be read.
pub fn mutant_subjects(
    submission: &Submission,
    prepared: &PreparedProgram,
    seed: u64,
) -> Result<Vec<MeasuredSubject>, Stop> {
    let Some(original) = read_original(&submission.program)? else { return Ok(Vec::new()) };
    let held_out: HashSet<Operator> = Operator::held_out(seed).into_iter().collect();
    let batch = prepared.for_batches();
    let is_batched = batch.is_some();
    let prepared = Arc::new(batch.unwrap_or_else(|| prepared.clone()));
    let mutant = |mutant: Mutant| {
        let file = &original.files[mutant.file];
        let text = mutant.apply(&file.text);
        let id = format!("{}:{}", submission.name, mutant.id);
        let subject = Subject {
            edit: Some(source_edit(submission, file, &mutant, &text)),
            held_out: held_out.contains(&mutant.operator),
            ..Subject::new(id, SubjectKind::Mutant, mutant.operator.name())
        };
        let source = MutantSource {
            original: Arc::clone(&prepared),
            is_batched,
            language: original.language,
            file: file.name.clone(),
            text,
            is_risky: mutant.operator.is_risky(),
        };
        MeasuredSubject {
            subject,
            suspect: None,
            source: Some(WrongProgram::Mutant(source)),
            signature: None,
        }
    };
    Ok(mutants(original.language, &original.files).into_iter().map(mutant).collect())
}

fn source_edit(
    submission: &Submission,
    file: &SourceText,
    mutant: &Mutant,
    after: &str,
) -> SourceEdit {
    let end = mutant.range.start + mutant.after.len();
    SourceEdit {
        submission: submission.name.clone(),
        file: file.name.display().to_string(),
        line: u32::try_from(mutant.line).unwrap_or(u32::MAX),
        column: u32::try_from(mutant.column).unwrap_or(u32::MAX),
        before: whole_lines(&file.text, mutant.range.start, mutant.range.end).to_owned(),
        after: whole_lines(after, mutant.range.start, end).to_owned(),
    }
}

fn whole_lines(text: &str, from: usize, to: usize) -> &str {
    let start = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let end = text[to..].find('\n').map_or(text.len(), |at| to + at);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_shown() {
        let text = "one\ntwo\nthree";
        for (from, to, expected) in
            [(0, 1, "one"), (5, 6, "two"), (5, 9, "two\nthree"), (13, 13, "three")]
        {
            assert_eq!(whole_lines(text, from, to), expected, "{from} {to}");
        }
    }
}
