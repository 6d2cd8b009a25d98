//! What is made of right programs: wrappers of one, and mutants of several.

use std::collections::HashSet;

use crate::build::Prepared;
use crate::grammar::program::Grammar;
use crate::model::stop::Stop;
use crate::model::strength::{SourceEdit, Subject, SubjectKind};
use crate::model::submission::Submission;
use crate::model::tree::TreeEntry;
use crate::mutate::operator::Operator;
use crate::mutate::original::original;
use crate::mutate::wrapper::{Change, wrappers};
use crate::mutate::{Mutant, mutants};
use crate::strength::arena::Contender;
use crate::strength::measure::Entrant;

/// The wrappers of a right program. Those that change inputs need a grammar.
pub fn wrapped(right: &Contender, grammar: Option<&Grammar>) -> Vec<Entrant> {
    let fits = |change: &Change| grammar.is_some() || matches!(change, Change::Output(_));
    let all = wrappers().iter().filter(|wrapper| fits(&wrapper.change));
    all.map(|wrapper| Entrant {
        subject: Subject::new(wrapper.name, SubjectKind::Wrapper, wrapper.words),
        contender: Some(Contender { wrapper: Some(wrapper), ..right.clone() }),
        prepared: None,
        signature: None,
    })
    .collect()
}

/// The mutants of a right program; none if its language has none.
///
/// # Errors
/// When its sources cannot be read.
pub fn mutated(
    submission: &Submission,
    prepared: &Prepared,
    seed: u64,
) -> Result<Vec<Entrant>, Stop> {
    let Some(original) = original(&submission.program)? else { return Ok(Vec::new()) };
    let held_out: HashSet<Operator> = Operator::held_out(seed).into_iter().collect();
    let mutant = |mutant: Mutant| {
        let file = &original.files[mutant.file];
        let text = mutant.apply(&file.text);
        let mut prepared = prepared.clone();
        let files = prepared.plan.files.iter_mut();
        let blob = files.filter(|entry| entry.name == file.name).find_map(TreeEntry::blob_mut)?;
        *blob = text.clone().into_bytes().into();
        let id = format!("{}:{}", submission.name, mutant.id);
        let subject = Subject {
            edit: Some(edit(
                submission,
                &file.name.display().to_string(),
                &mutant,
                [&file.text, &text],
            )),
            held_out: held_out.contains(&mutant.operator),
            ..Subject::new(id, SubjectKind::Mutant, mutant.operator.name())
        };
        Some(Entrant { subject, contender: None, prepared: Some(prepared), signature: None })
    };
    Ok(mutants(original.language, &original.files).into_iter().filter_map(mutant).collect())
}

/// The lines that a mutant changes, before and after.
fn edit(
    submission: &Submission,
    file: &str,
    mutant: &Mutant,
    [before, after]: [&String; 2],
) -> SourceEdit {
    let end = mutant.range.start + mutant.after.len();
    SourceEdit {
        submission: submission.name.clone(),
        file: file.to_owned(),
        line: u32::try_from(mutant.line).unwrap_or(u32::MAX),
        column: u32::try_from(mutant.column).unwrap_or(u32::MAX),
        before: lines(before, mutant.range.start, mutant.range.end).to_owned(),
        after: lines(after, mutant.range.start, end).to_owned(),
    }
}

/// The whole lines from one place of a text to another.
fn lines(text: &str, from: usize, to: usize) -> &str {
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
            assert_eq!(lines(text, from, to), expected, "{from} {to}");
        }
    }
}
