//! Programs made from right programs: wrappers of one, and mutants of several.

use std::collections::HashSet;
use std::sync::Arc;

use crate::faults::operator::Operator;
use crate::faults::original::read_original;
use crate::faults::wrapper::{WrapperChange, wrappers};
use crate::faults::{Mutant, SourceText, mutants};
use crate::strength::measured_subject::{MeasuredSubject, MutantSource, WrongProgram};
use crate::strength::result::{SourceEdit, Subject, SubjectKind};
use crate::strength::test_bed::Suspect;
use juror_core::stop::Stop;
use juror_core::submission::Submission;
use juror_grammar::program::Grammar;
use juror_judging::build::PreparedProgram;

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
        let id = format!("{}:{}", submission.name, mutant.id);
        let subject = Subject {
            edit: Some(source_edit(submission, file, &mutant)),
            held_out: held_out.contains(&mutant.operator),
            ..Subject::new(id, SubjectKind::Mutant, mutant.operator.name())
        };
        let source = MutantSource {
            original: Arc::clone(&prepared),
            is_batched,
            language: original.language,
            file: file.name.clone(),
            text: mutant.apply(&file.text),
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

fn source_edit(submission: &Submission, file: &SourceText, mutant: &Mutant) -> SourceEdit {
    let [before, after] = mutant.lines(&file.text);
    SourceEdit {
        submission: submission.name.clone(),
        file: file.name.display().to_string(),
        line: u32::try_from(mutant.line).unwrap_or(u32::MAX),
        column: u32::try_from(mutant.column).unwrap_or(u32::MAX),
        before,
        after,
    }
}
