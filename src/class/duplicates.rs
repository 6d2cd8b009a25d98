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
    let mut groups: BTreeMap<(Likeness, ProgramText), SubmissionGroup<'_>> = BTreeMap::new();
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
        for (likeness, mut parts) in [(Likeness::Text, text), (Likeness::Code, code)] {
            parts.sort();
            if !parts.concat().is_empty() {
                groups.entry((likeness, parts)).or_default().push((index, &*submission.name));
            }
        }
    }
    let copies = groups.into_iter().filter(|(_, group)| group.len() > 1);
    let mut all: Vec<_> = copies.map(|((likeness, _), group)| (group, likeness)).collect();
    all.sort_by_key(|(group, likeness)| (group[0].0, *likeness));
    // Where the texts are equal, the code is, too: such a group is reported once.
    all.dedup_by(|(next, _), (group, _)| next == group);
    let duplicates = |(group, likeness): (SubmissionGroup<'_>, Likeness)| Duplicates {
        likeness,
        submissions: group.into_iter().map(|(_, name)| name.to_owned()).collect(),
    };
    all.into_iter().map(duplicates).collect()
}
