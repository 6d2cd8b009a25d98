//! `judging`: limits, files of input and output, and the tests.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use crate::package::files::{NAME_HELP, is_valid_name};
use crate::package::node::ParseResult;
use crate::package::polygon::missing_files::{MissingFiles, TestFile};
use crate::package::polygon::pattern::PathPattern;
use crate::package::polygon::scoring::{self, PolygonTest};
use crate::package::polygon::xml::Element;
use crate::package::polygon::{EXPORT_HELP, PolygonReader};
use crate::package::text::excerpt;
use juror_core::limits::ProblemLimits;
use juror_core::problem::{Problem, ProgramIo};
use juror_core::root::FilePath;
use juror_core::test_data::{TestCase, ValidatorArgs};
use juror_core::units::Bytes;

pub(super) fn read_settings(pack: &PolygonReader<'_>, problem: &mut Problem) {
    let judging = pack.judging;
    let attributes = "cpu-name cpu-speed input-file output-file run-count interactive \
                      treat-points-from-checker-as-percent";
    judging.warn_unless_known("testset", attributes);
    if let Some(count) = judging.attribute("run-count").filter(|count| *count != "1") {
        let message =
            format!("`run-count` is {}: juror runs a submission once on each test", excerpt(count));
        judging.error(message, "judge this problem on Polygon or Codeforces");
    }
    if judging.attribute("treat-points-from-checker-as-percent") == Some("true") {
        let message =
            "`treat-points-from-checker-as-percent` is true, but juror does not scale points";
        judging.error(message, "make the checker give points, and remove the attribute");
    }
    problem.io = match ["input-file", "output-file"].map(|name| judging.attribute(name)) {
        [None, None] => ProgramIo::Standard,
        [Some(input), Some(output)] if is_valid_name(input) && is_valid_name(output) => {
            ProgramIo::Files { input: input.to_owned(), output: output.to_owned() }
        }
        files => {
            let (message, help) = match files {
                [Some(_), Some(_)] => {
                    ("`input-file` and `output-file` must be plain file names", "")
                }
                _ => (
                    "only one of `input-file` and `output-file` is set",
                    "juror reads and writes two files, or standard input and output",
                ),
            };
            judging.error(message, help);
            ProgramIo::Standard
        }
    };
    let Some(testset) = testset(pack) else { return };
    let milliseconds = testset.child_number("time-limit", "a whole number of milliseconds");
    let memory = testset.child_number("memory-limit", "a whole number of bytes");
    let time = milliseconds.ok().flatten().map(Duration::from_millis);
    problem.limits = ProblemLimits::stated(time, memory.ok().flatten().map(Bytes));
    if problem.limits.time_limit.is_none_or(|limit| limit.is_zero()) {
        testset.error("has no time limit", "set `time-limit`, in milliseconds");
    }
}

/// The tests that submissions are judged by: those of the set `tests`, or of the only one.
fn testset<'a>(pack: &PolygonReader<'a>) -> Option<Element<'a>> {
    let named = |set: &Element<'_>| set.attribute("name") == Some("tests");
    let all: Vec<Element<'_>> = pack.judging.children_named("testset").collect();
    match &all[..] {
        [] => None,
        [only] => Some(*only),
        several => several.iter().copied().find(named),
    }
}

/// The arguments of an input validator for tests of this set and group, as far as they are given and not empty.
pub(super) fn validator_args(testset: Option<&str>, group: Option<&str>) -> ValidatorArgs {
    let options = [("--testset", testset), ("--group", group.filter(|group| !group.is_empty()))];
    let given = options.into_iter();
    let words = given.filter_map(|(option, value)| Some([option.to_owned(), value?.to_owned()]));
    ValidatorArgs::All(words.flatten().collect())
}

/// Reads the tests; returns whether they have points.
pub(super) fn read_test_data(pack: &PolygonReader<'_>, problem: &mut Problem) -> bool {
    let Some(testset) = testset(pack) else {
        let message = "no `testset` is named `tests`, so the tests for submissions are unknown";
        pack.judging.error(message, EXPORT_HELP);
        return false;
    };
    for other in
        pack.judging.children_named("testset").filter(|other| other.place() != testset.place())
    {
        let name = excerpt(other.attribute("name").unwrap_or_default());
        other.warning(
            format!("the testset `{name}` is left out: submissions are judged by `tests`"),
            "",
        );
    }
    let known =
        "time-limit memory-limit test-count input-path-pattern answer-path-pattern tests groups";
    testset.warn_unless_known(known, "name");
    let tests: Vec<Element<'_>> = testset.nested("tests", "test").collect();
    match testset.child_number::<usize>("test-count", "a whole number") {
        Ok(Some(count)) if count != tests.len() => {
            let message = format!("`test-count` is {count}, and there are {} tests", tests.len());
            testset.error(message, "export the package from Polygon again");
        }
        _ => {}
    }
    let pattern = |name: &'static str| {
        let text = testset.child(name).map_or("", Element::text);
        PathPattern::parse(text).ok_or_else(|| {
            let message =
                format!("`{name}` must be a path such as `tests/%02d`, not `{}`", excerpt(text));
            testset.error(message, "")
        })
    };
    let (Ok(input), Ok(answer)) = (pattern("input-path-pattern"), pattern("answer-path-pattern"))
    else {
        return false;
    };
    let set = testset.attribute("name").unwrap_or("tests");
    if !is_valid_name(set) {
        let message = format!("`{}` cannot be the name of a testset", excerpt(set));
        testset.error(message, NAME_HELP);
        return false;
    }
    let mut missing_files = MissingFiles::new(pack);
    let mut read: Vec<PolygonTest<'_>> = Vec::new();
    for (number, element) in (1..).zip(tests) {
        let files = [input.path(number), answer.path(number)];
        if let Ok(test) = read_test(pack, set, element, &files, &mut missing_files) {
            read.push(test);
        }
    }
    for case in problem.test_data.valid_inputs.iter().chain(&problem.test_data.invalid_inputs) {
        if has_windows_line_ends(&case.input) {
            missing_files.add_text(case);
        }
    }
    problem.pending_recipe = missing_files.into_recipe();
    scoring::add_groups(testset, set, read, &mut problem.test_data)
}

/// Reads a test. The files that it lacks go to `missing`.
fn read_test<'a>(
    pack: &PolygonReader<'_>,
    set: &str,
    element: Element<'a>,
    [input, answer]: &[String; 2],
    missing: &mut MissingFiles<'_>,
) -> ParseResult<PolygonTest<'a>> {
    let attributes = "method cmd sample description group points from-file verdict";
    element.warn_unless_known("executables", attributes);
    if let Some(executables) = element.child("executables") {
        executables.error("the test has generators of its own, which juror does not run", "");
    }
    let group = element.attribute("group").unwrap_or_default();
    if !group.is_empty() && !is_valid_name(group) {
        let message = format!("`{}` cannot be the name of a group", excerpt(group));
        return Err(element.error(message, NAME_HELP));
    }
    let base = input.rsplit('/').next().unwrap_or(input);
    let name = match group {
        "" => format!("{set}/{base}"),
        group => format!("{set}/{group}/{base}"),
    };
    let points =
        element.attribute("points").map(|text| element.parse_text(text, "a number of points"));
    let points: Option<f64> = points.transpose()?;
    let parts = [read_test_file(pack, input), read_test_file(pack, answer)];
    let case = TestCase {
        input: parts[0].path.clone().unwrap_or_else(|| pack.tree.path(input)),
        answer: parts[1].path.clone(),
        input_validator_args: validator_args(Some(set), Some(group)),
        is_answer_shown: element.attribute("sample") == Some("true") && !missing.is_interactive,
        name,
        ..TestCase::default()
    };
    missing.add_test(element, &case, parts, input)?;
    Ok(PolygonTest { element, case, group, points })
}

fn read_test_file(pack: &PolygonReader<'_>, name: &str) -> TestFile {
    let path = pack.tree.file(name).map(|item| item.path.clone());
    let is_windows = path.as_ref().is_some_and(has_windows_line_ends);
    TestFile { path, is_windows }
}

/// Whether the first line of a text has a Windows line end, if that is among the first bytes. Unreadable files are
/// reported later.
fn has_windows_line_ends(path: &FilePath) -> bool {
    const CHECKED_SIZE: u64 = 256 << 20;
    let Ok(file) = path.open() else { return false };
    let mut line = BufReader::with_capacity(1 << 16, (&file).take(CHECKED_SIZE));
    let length = line.skip_until(b'\n').unwrap_or_default() as u64;
    let mut end = [0; 2];
    length >= 2 && file.read_exact_at(&mut end, length - 2).is_ok() && end == *b"\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_decides_about_windows_line_ends_however_long_it_is() {
        let check = |text: &str, expected: bool| {
            let file = tempfile::NamedTempFile::new().expect("a file");
            std::fs::write(file.path(), text).expect("a text");
            assert_eq!(
                has_windows_line_ends(&FilePath::root(file.path())),
                expected,
                "{} bytes",
                text.len()
            );
        };
        for length in [0, 1, 8191, 8192, 100_000] {
            let line = "1".repeat(length);
            check(&format!("{line}\r\n"), true);
            check(&format!("{line}\n\r\n"), false);
            check(&line, false);
        }
    }
}
