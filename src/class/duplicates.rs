//! Submissions that are the same program: equal text, or equal without spaces and comments.

use std::collections::BTreeMap;

use crate::class::template::Template;
use juror_core::duplicates::{Duplicates, Likeness};
use juror_core::language::essence::without_spaces_and_comments;
use juror_core::language::launch::known_sources;
use juror_core::language::sources;
use juror_core::submission::Submission;

/// The sorted texts of the sources.
type ProgramText = Vec<Vec<u8>>;

/// The indexes and names of equal submissions.
type SubmissionGroup<'a> = Vec<(usize, &'a str)>;

/// The groups are in the order of their first submissions. Submissions that differ only in spaces and comments are in
/// one group, together with copies. Files of the template do not count.
pub fn find_duplicates<'a>(
    submissions: impl IntoIterator<Item = &'a Submission>,
    template: &Template,
) -> Vec<Duplicates> {
    let mut by_text: BTreeMap<ProgramText, SubmissionGroup<'_>> = BTreeMap::new();
    let mut by_code: BTreeMap<ProgramText, SubmissionGroup<'_>> = BTreeMap::new();
    for (index, submission) in submissions.into_iter().enumerate() {
        // Unreadable submissions are reported elsewhere.
        let Ok(sources) = sources::read(&submission.program) else { continue };
        let mut text: ProgramText = Vec::new();
        let mut code: ProgramText = Vec::new();
        for (file, language) in known_sources(&sources.files) {
            if template.has(file) {
                continue;
            }
            text.push(file.bytes().to_vec());
            code.push(without_spaces_and_comments(language.code, file.bytes()));
        }
        text.sort();
        code.sort();
        if !text.concat().is_empty() {
            by_text.entry(text).or_default().push((index, &submission.name));
        }
        if !code.concat().is_empty() {
            by_code.entry(code).or_default().push((index, &submission.name));
        }
    }
    let mut copies: Vec<SubmissionGroup<'_>> = by_text.into_values().collect();
    copies.retain(|group| group.len() > 1);
    let mut alike: Vec<SubmissionGroup<'_>> = by_code.into_values().collect();
    // Where the texts are equal, the code is, too: such a group is reported once.
    alike.retain(|group| group.len() > 1 && !copies.contains(group));
    let texts = copies.into_iter().map(|group| (group, Likeness::Text));
    let codes = alike.into_iter().map(|group| (group, Likeness::Code));
    let mut all: Vec<_> = texts.chain(codes).collect();
    all.sort_by_key(|(group, likeness)| (group[0].0, *likeness));
    let duplicates = |(group, likeness): (SubmissionGroup<'_>, Likeness)| Duplicates {
        likeness,
        submissions: group.into_iter().map(|(_, name)| name.to_owned()).collect(),
    };
    all.into_iter().map(duplicates).collect()
}
