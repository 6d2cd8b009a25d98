//! A problem that is not yet complete, and the checks that all formats share.

use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::package::faults::Faults;
use crate::package::files::PackageFiles;
use crate::package::juror_toml;
use crate::package::text::UntidyText;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::text::path_text;

/// Bytes that are checked at the start and the end of an input or answer; these files can have gigabytes.
const CHECKED_SIZE: u64 = 16 << 10;

/// What the reader of a format makes of a package.
#[derive(Debug)]
pub(super) struct Draft {
    /// The problem as far as the format describes it; what juror adds to all formats is filled in later.
    pub problem: Problem,
    /// Whether the problem's settings were readable; without them, no submission can be judged.
    pub has_settings: bool,
    /// Whether submissions may write files, if the package says it readably.
    pub file_writing: Option<bool>,
}

impl Draft {
    /// A draft with readable settings, in a format that lets submissions write files.
    pub(super) fn of(problem: Problem) -> Self {
        Self { problem, has_settings: true, file_writing: Some(true) }
    }

    pub(super) fn finish(mut self, tree: &PackageFiles) -> Option<Problem> {
        self.problem.dir.clone_from(&tree.root);
        self.problem.short_name = short_name(&tree.root);
        self.problem.allow_file_writing = self.file_writing == Some(true);
        juror_toml::read(tree, &mut self.problem, self.file_writing);
        check_texts(&self.problem, &tree.faults);
        self.has_settings.then_some(self.problem)
    }
}

/// The name of the directory, even if the path is `.`.
pub(super) fn short_name(dir: &Path) -> String {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    real.file_name().map_or_else(String::new, |name| path_text(Path::new(name)))
}

/// Checks inputs and answers, except those that must be wrong.
fn check_texts(problem: &Problem, faults: &Faults) {
    let data = &problem.test_data;
    let others = [&data.invalid_answers, &data.valid_outputs, &data.invalid_outputs];
    let pending = problem.pending_recipe.iter().flat_map(|recipe| &recipe.cases);
    let pending: HashSet<&str> = pending.map(|case| case.name.as_str()).collect();
    let cases = data.cases.iter().chain(others.into_iter().flatten());
    for case in cases.filter(|case| !pending.contains(case.name.as_str())) {
        check_text(&case.input, false, faults);
        case.answer.iter().for_each(|answer| check_text(answer, true, faults));
    }
}

/// A byte-order mark or UTF-16 is an error, since programs would read them as data. Odd line ends are only a warning:
/// input validators decide about them, and about blanks in inputs.
fn check_text(path: &FilePath, is_answer: bool, faults: &Faults) {
    if let Some(untidy) = faults.ok_or_report(path, find_untidy_text(path, is_answer)).flatten() {
        untidy.report_in_test(path, faults);
    }
}

fn find_untidy_text(path: &FilePath, is_answer: bool) -> std::io::Result<Option<UntidyText>> {
    let mut file = path.open()?;
    let mut start = Vec::new();
    (&mut file).take(CHECKED_SIZE).read_to_end(&mut start)?;
    if start.starts_with(b"\xef\xbb\xbf") {
        return Ok(Some(UntidyText::ByteOrderMark));
    }
    if is_utf16(&start) {
        return Ok(Some(UntidyText::Utf16));
    }
    if memchr::memmem::find(&start, b"\r\n").is_some() {
        return Ok(Some(UntidyText::WindowsLineEnds));
    }
    let has = |end: &[u8]| memchr::memmem::find(&start, end).is_some();
    if is_answer && (has(b" \n") || has(b"\t\n")) {
        return Ok(Some(UntidyText::BlanksAtLineEnds));
    }
    let mut last = start.last().copied();
    if start.len() as u64 == CHECKED_SIZE {
        let mut end = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut end)?;
        last = Some(end[0]);
    }
    Ok(last.filter(|last| *last != b'\n').map(|_| UntidyText::NoLineEnd))
}

/// Whether it has the mark of UTF-16, or every other byte is zero, as in a text without the mark.
fn is_utf16(start: &[u8]) -> bool {
    const SHORTEST: usize = 4;
    let has_mark = [b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| start.starts_with(*mark));
    let is_text =
        |high: usize| start.chunks_exact(2).all(|two| two[high] == 0 && two[1 - high] != 0);
    start.len() >= SHORTEST
        && start.len().is_multiple_of(2)
        && (has_mark || is_text(0) || is_text(1))
}
