//! Submissions that consist of answers.
//!
//! Nothing runs; the file for a test case is judged like an output.
//!
//! Source: problem package format 2025-09, "Type". It does not specify the names of the files.

use std::path::PathBuf;

use crate::judge::case::{CaseJudge, Pass};
use crate::judge::default_validator::wrong_answer;
use crate::judge::evidence::{add_diff, add_input};
use juror_core::blob::Blob;
use juror_core::judgement::CaseJudgement;
use juror_core::stop::Stop;
use juror_core::tree::Tree;

impl CaseJudge<'_> {
    pub(super) fn judge_answer_file(&self, files: &Tree) -> Result<CaseJudgement, Stop> {
        let name = &self.case.test_case.name;
        let pass = Pass::first(self.case.input.clone());
        let output = answer_file(files, name);
        let judged = match output {
            Some(output) => self.judge_text(&pass, output)?,
            None => wrong_answer(format!("no answer: `{}` is missing", usual_name(name))),
        };
        self.complete(judged, None, |judged, evidence| {
            add_input(evidence, self.case, &pass, None)?;
            output.map_or(Ok(()), |output| add_diff(evidence, self.case, judged, output))
        })
    }
}

/// For `secret/a/1`, the answer is `secret/a/1.out` or `a/1.out`; `.ans` works instead of `.out`.
fn answer_file<'t>(files: &'t Tree, test_case: &str) -> Option<&'t Blob> {
    let short = test_case.strip_prefix("secret/");
    let names = [Some(test_case), short].into_iter().flatten();
    let mut names = names.flat_map(|name| ["out", "ans"].map(|ending| format!("{name}.{ending}")));
    names.find_map(|name| files.file(&PathBuf::from(name)))
}

/// The file name to suggest in messages.
fn usual_name(test_case: &str) -> String {
    format!("{}.out", test_case.strip_prefix("secret/").unwrap_or(test_case))
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::tree::{Node, TreeEntry};

    #[test]
    fn the_answer_to_a_test_case_is_the_file_with_its_name() {
        let check = |files: &[&str], test_case: &str, expected: Option<&str>| {
            let entry = |name: &&str| TreeEntry::new(name, Node::plain(name.as_bytes()));
            let files = Tree::from(files.iter().map(entry).collect::<Vec<_>>());
            let found = answer_file(&files, test_case).and_then(Blob::bytes);
            assert_eq!(found, expected.map(str::as_bytes), "{test_case}");
        };
        check(&["1.out", "sample/1.out"], "secret/1", Some("1.out"));
        check(&["1.out", "sample/1.out"], "sample/1", Some("sample/1.out"));
        check(&["1.out"], "sample/1", None);
        check(&["1.out", "secret/1.out"], "secret/1", Some("secret/1.out"));
        check(&["1.ans", "1.out"], "secret/1", Some("1.out"));
        check(&["1.ans"], "secret/1", Some("1.ans"));
        check(&["a/1.out", "1.out"], "secret/a/1", Some("a/1.out"));
        check(&["1.out"], "secret/a/1", None);
        assert_eq!(usual_name("secret/a/1"), "a/1.out");
        assert_eq!(usual_name("sample/1"), "sample/1.out");
    }
}
