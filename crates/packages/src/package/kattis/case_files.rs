//! The files of one test case: which exist, and which must or must not exist together.
//!
//! Source: problem package format 2025-09, "Test cases", "Sample data".

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::interaction;
use crate::package::kattis::PackageReader;
use crate::package::kattis::data_directory::DataDirectory;
use crate::package::suggest::comma_list;
use juror_core::recipe::{CASE_EXTENSIONS, CASE_FILES};
use juror_core::test_data::{CaseFile, TestCase};

pub(super) struct CaseFileName<'a> {
    /// The name of the test case, with everything before the ending.
    pub base: &'a str,
    /// The role of the file in its test case, such as `ans`.
    pub ending: &'static str,
}

/// Splits the name of a test case's file; `None` for other files.
pub(super) fn split_case_file(item: &PackageEntry) -> Option<CaseFileName<'_>> {
    let endings: &[&str] = if item.is_directory() { &[CASE_FILES] } else { &CASE_EXTENSIONS };
    endings.iter().find_map(|ending| {
        let base = item.name.strip_suffix(ending)?.strip_suffix('.')?;
        let has_name = !base.is_empty() && !base.ends_with('/');
        has_name.then_some(CaseFileName { base, ending })
    })
}

/// Whether a name leads through a `.files` directory, whose contents juror does not interpret.
pub(super) fn is_in_files_directory(name: &str) -> bool {
    let mut parts = name.split('/');
    parts.next_back();
    parts.any(|part| part.ends_with(".files") && part != ".files")
}

pub(super) fn report_unrelated_file(pack: &PackageReader<'_>, item: &PackageEntry) {
    let name = item.base_name();
    if name.starts_with("README") {
        return;
    }
    let help = match item.ending() {
        _ if name == "testdata.yaml" => "in format 2025-09: `test_group.yaml`",
        "hint" | "desc" => {
            "in format 2025-09: keys `hint` and `description` of the case's .yaml file"
        }
        "files" => "`.files` is a directory: put the file into it",
        "yml" => "did you mean `.yaml`?",
        "input" | "IN" | "inp" => "did you mean `.in`?",
        "a" | "answer" | "sol" | "ANS" => "did you mean `.ans`?",
        "output" | "OUT" => "did you mean `.out`, or `.ans` for the judge answer?",
        _ => "the files of a test case end in .in, .ans, .out, .yaml, .files and so on",
    };
    pack.faults.warning(item, "is ignored: it belongs to no test case", help);
}

#[derive(Default)]
pub(super) struct CaseFiles<'a>(Vec<(&'static str, &'a PackageEntry)>);

impl<'a> CaseFiles<'a> {
    pub(super) fn add(&mut self, ending: &'static str, item: &'a PackageEntry) {
        self.0.push((ending, item));
    }

    pub(super) fn get(&self, ending: &str) -> Option<&'a PackageEntry> {
        self.0.iter().find(|(other, _)| *other == ending).map(|(_, item)| *item)
    }

    /// Whether the files only show an interaction, and none is judged.
    fn are_for_display(&self) -> bool {
        self.get("interaction").is_some()
            && self.with_endings(&["ans", "out", CASE_FILES]).is_empty()
    }

    /// Whether people are shown something other than the answer.
    pub(super) fn have_other_answer(&self) -> bool {
        !self.with_endings(&["out", "ans.statement", "ans.download", "interaction"]).is_empty()
    }

    /// The test case, without arguments; `None` without an input.
    pub(super) fn test_case(&self, tree: &PackageFiles, name: &str) -> Option<TestCase> {
        let path = |ending| self.get(ending).map(|item| item.path.clone());
        Some(TestCase {
            name: name.to_owned(),
            input: path("in")?,
            answer: path("ans"),
            output: path("out"),
            interaction: path("interaction"),
            files: self.get(CASE_FILES).map(|item| files_in(tree, item)).unwrap_or_default(),
            ..TestCase::default()
        })
    }

    fn with_endings(&self, endings: &[&str]) -> Vec<&'a PackageEntry> {
        endings.iter().filter_map(|ending| self.get(ending)).collect()
    }
}

/// Checks the files of the case `name`; `None` if they make no case.
pub(super) fn check_case_files(
    pack: &PackageReader<'_>,
    name: &str,
    files: &CaseFiles<'_>,
    part: DataDirectory,
) -> Option<()> {
    let faults = pack.faults;
    let base = name.rsplit('/').next().unwrap_or_default();
    let interaction = files.get("interaction");
    let Some(input) = files.get("in") else {
        match interaction.filter(|_| part == DataDirectory::Sample && files.are_for_display()) {
            // The format has no such samples, but packages made for its earlier drafts do.
            Some(shown) => {
                let message = format!("is shown, but has no test case: there is no `{base}.in`");
                let help =
                    format!("add {base}.in and {base}.ans, so that the sample is judged, too");
                faults.warning(shown, message, help);
                interaction::check(&shown.path, faults);
            }
            None => report_orphans(pack, base, files),
        }
        return None;
    };
    if base == "test_group" {
        let help = "rename it: its .yaml file would be the group's settings";
        faults.error(input, "a test case must not be called `test_group`", help);
        return None;
    }
    match (part, files.get("ans")) {
        (DataDirectory::InvalidInput, Some(answer)) => {
            let message = "has no meaning: an invalid input has no answer";
            faults.warning(answer, message, "remove it");
        }
        (DataDirectory::InvalidInput, None) | (_, Some(_)) => {}
        (_, None) => {
            let has_output =
                matches!(part, DataDirectory::ValidOutput | DataDirectory::InvalidOutput);
            let help = match files.get("out") {
                Some(_) if !has_output => {
                    format!("rename {base}.out: in a package, answers end in .ans")
                }
                _ => "add it, or run `juror generate` if the package has a recipe".to_owned(),
            };
            faults.error(input, format!("has no `{base}.ans`"), help);
        }
    }
    let required_verdict = match part {
        DataDirectory::ValidOutput => Some("accept"),
        DataDirectory::InvalidOutput => Some("refuse"),
        _ => None,
    };
    if let (Some(required_verdict), None) = (required_verdict, files.get("out")) {
        let help = format!("add the output that the output validator must {required_verdict}");
        faults.error(input, format!("has no `{base}.out`"), help);
    }
    check_display(pack, base, files, part);
    if let Some(item) = interaction {
        interaction::check(&item.path, faults);
    }
    Some(())
}

/// Reports the files of a case without an input as one fault, not one each.
fn report_orphans(pack: &PackageReader<'_>, base: &str, files: &CaseFiles<'_>) {
    let mut items: Vec<&PackageEntry> = files.0.iter().map(|(_, item)| *item).collect();
    items.sort_by_key(|item| &item.name);
    let Some((first, more)) = items.split_first() else { return };
    let (others, files_word) = match more {
        [] => (String::new(), "file"),
        more => {
            let names = comma_list(more.iter().map(|item| item.base_name()));
            (format!(", nor for {names}"), "files")
        }
    };
    let message = format!("there is no `{base}.in` for it{others}");
    pack.faults.error(*first, message, format!("add {base}.in, or remove the {files_word}"));
}

/// The roles of a case's files; each case has at most one file for each role.
const ALTERNATIVES: [(&str, &[&str]); 4] = [
    ("illustrate", &["png", "jpg", "jpeg", "svg"]),
    ("replace the input of", &["in.statement", "interaction"]),
    ("replace the answer of", &["out", "ans.statement", "interaction"]),
    ("replace the answer of", &["out", "ans.download"]),
];

/// For each file: the endings of its replacements to show, to download, and for both.
const COUNTERPARTS: [(&str, [&str; 2], &str, Option<&str>); 2] = [
    ("input", ["in.statement", "interaction"], "in.download", None),
    ("answer", ["ans.statement", "interaction"], "ans.download", Some("out")),
];

/// Checks files that do not affect verdicts.
fn check_display(pack: &PackageReader<'_>, base: &str, files: &CaseFiles<'_>, part: DataDirectory) {
    let talks = ["interactive", "multi-pass"];
    let talks = talks.iter().any(|word| pack.yaml.problem_type.includes(word));
    let lacks_exchange = talks && files.with_endings(&["interaction", "in.statement"]).is_empty();
    if let (true, DataDirectory::Sample, Some(input)) = (lacks_exchange, part, files.get("in")) {
        let message = format!("is a sample without `{base}.interaction`: no exchange is shown");
        let help = format!(
            "the format advises to add {base}.interaction, with lines of the judge after `<` and of the submission \
             after `>`, and {base}.in.download and {base}.ans.download"
        );
        pack.faults.remark(input, message, help);
    }
    let count = if part.is_judged() { ALTERNATIVES.len() } else { 1 };
    for (role, endings) in &ALTERNATIVES[..count] {
        if let [first, second, ..] = files.with_endings(endings)[..] {
            let message = format!("conflicts with {}: both {role} `{base}`", first.base_name());
            pack.faults.publishing_error(second, message, "keep one of the two");
        }
    }
    for (role, shown, downloaded, both) in COUNTERPARTS.iter().filter(|_| part.is_judged()) {
        if both.is_some_and(|both| files.get(both).is_some()) {
            continue;
        }
        match (files.with_endings(shown).first(), files.get(downloaded)) {
            (Some(item), None) => {
                let message =
                    format!("is shown instead of the {role} of `{base}`, but not downloaded");
                pack.faults.publishing_error(*item, message, format!("add {base}.{downloaded}"));
            }
            // One file is missing for both.
            (None, Some(_)) if talks && *role == "answer" && files.get("in.download").is_some() => {
            }
            (None, Some(item)) => {
                let message =
                    format!("is downloaded instead of the {role} of `{base}`, but not shown");
                let added = shown[usize::from(talks)];
                pack.faults.publishing_error(item, message, format!("add {base}.{added}"));
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
}

fn files_in(tree: &PackageFiles, directory: &PackageEntry) -> Vec<CaseFile> {
    let files = tree.below(&directory.name).iter().filter(|item| item.is_file());
    let name = |item: &PackageEntry| item.name[directory.name.len() + 1..].into();
    files.map(|item| CaseFile { name: name(item), path: item.path.clone() }).collect()
}
