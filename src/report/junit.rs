//! `--junit`: test suites in the XML format that CI systems read.
//!
//! For `verify`, which checks whether a package is as its author expects, a test is a submission, and fails if it
//! breaks an expectation. For all other commands, which check whether a submission is right, a test is a test case.
//!
//! No two suites have the same name, and no two tests of a suite: CI systems find a test again by these names.

use std::collections::HashSet;
use std::io::{self, Write};
use std::iter::once;

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use crate::report::document::{GeneratedReport, Report, SubmissionReport};
use crate::report::html::PageContent;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{CommandTask, GeneratedState};
use juror_core::judgement::{CaseJudgement, JudgeError};
use juror_core::progress::PackageReport;
use juror_core::text::joined;
use juror_core::verdict::Verdict;

pub const SIGNATURE: &str = "<testsuites";

/// Leaves out characters that XML does not allow.
pub fn write(report: &Report, _: PageContent<'_>, out: &mut dyn Write) -> io::Result<()> {
    let session = &report.session;
    let mut document = Document::new(format!("juror {}", session.command));
    document.set_time(session.elapsed);
    let errors = session.diagnostics.iter().filter(|fault| fault.is_error()).map(diagnostic_test);
    let complaints = session.complaints.iter();
    let complaints =
        complaints.map(|text| failed_test("command line", NonSuccessKind::Error, "usage", text));
    let interrupted = session.interrupted.then(|| {
        failed_test("interrupted", NonSuccessKind::Error, "interrupted", "results are missing")
    });
    let general_faults = session.judge_errors.iter().filter(|fault| fault.submission.is_none());
    let faults = general_faults.map(|fault| fault_test("judge", &fault.error));
    // Packages and submissions keep their names; other suites get a number if a name is taken.
    let mut taken: HashSet<String> = match session.task {
        CommandTask::Verify => {
            session.packages.iter().map(|package| package.name.clone()).collect()
        }
        _ => report.submissions.iter().map(|row| suite_name(row, report)).collect(),
    };
    let name = unique_name("package", &mut taken);
    add_suite(&mut document, &name, errors.chain(complaints).chain(faults).chain(interrupted));
    for cases in report.generated.chunk_by(|a, b| a.package == b.package) {
        let name = match &cases[0].package {
            Some(package) if session.packages.len() > 1 => format!("{package}: test data"),
            _ => "test data".to_owned(),
        };
        add_suite(&mut document, &unique_name(&name, &mut taken), cases.iter().map(generated_test));
    }
    if session.task == CommandTask::Verify {
        for PackageReport { name, .. } in &session.packages {
            let own = report.submissions.iter().filter(|row| row.package.as_ref() == Some(name));
            add_suite(&mut document, name, own.map(submission_test));
        }
    } else {
        for submission in &report.submissions {
            let (name, tests) = (suite_name(submission, report), case_tests(submission));
            add_suite(&mut document, &name, tests.into_iter());
        }
    }
    let text = document.to_string().map_err(io::Error::other)?;
    // The library removes the other forbidden characters.
    let text = text.replace(['\u{fffe}', '\u{ffff}'], "");
    // Jenkins' schema (junit-10.xsd of its xUnit plugin) allows this attribute only in suites, so the first one is
    // removed.
    let total = format!(" skipped=\"{}\"", document.skipped);
    writeln!(out, "{}", text.replacen(&total, "", 1))
}

/// Merged reports may have several packages.
fn suite_name(submission: &SubmissionReport, report: &Report) -> String {
    match &submission.package {
        Some(package) if report.session.packages.len() > 1 => {
            format!("{package}: {}", submission.name)
        }
        _ => submission.name.clone(),
    }
}

/// If the name is taken, adds the first free number.
fn unique_name(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2_u64..).map(|number| format!("{name} ({number})"));
    let mut names = once(name.to_owned()).chain(numbered);
    names.find(|name| taken.insert(name.clone())).unwrap_or_default()
}

fn add_suite(document: &mut Document, name: &str, tests: impl Iterator<Item = TestCase>) {
    let tests: Vec<TestCase> = tests.collect();
    if !tests.is_empty() {
        let mut suite = TestSuite::new(name);
        let mut taken = HashSet::new();
        suite.add_test_cases(tests.into_iter().map(|mut test| {
            test.set_classname(name);
            test.name = unique_name(test.name.as_str(), &mut taken).into();
            test
        }));
        document.add_test_suite(suite);
    }
}

fn submission_test(submission: &SubmissionReport) -> TestCase {
    let name = submission.name.as_str();
    let judgement = match &submission.result {
        Ok(judgement) => judgement,
        Err(fault) => return fault_test(name, &fault.error),
    };
    let reasons = joined(&judgement.broken, "\n");
    let mut test = if reasons.is_empty() {
        TestCase::new(name, TestCaseStatus::success())
    } else {
        failed_test(name, NonSuccessKind::Failure, "expectation", &reasons)
    };
    test.set_time(judgement.total_cpu_time().unwrap_or_default());
    test
}

fn case_tests(submission: &SubmissionReport) -> Vec<TestCase> {
    let judgement = match &submission.result {
        Ok(judgement) => judgement,
        Err(fault) => return vec![fault_test("build", &fault.error)],
    };
    let mut tests: Vec<TestCase> = judgement.cases.iter().map(case_test).collect();
    if let Some((cause, messages)) = judgement.refusal() {
        let mut test = failed_test("build", NonSuccessKind::Failure, "CE", cause);
        test.set_system_out_lossy(messages);
        tests.push(test);
    }
    if judgement.skipped > 0 {
        let name = format!("{} test cases that were not run", judgement.skipped);
        tests.push(TestCase::new(name, TestCaseStatus::skipped()));
    }
    tests
}

fn case_test(case: &CaseJudgement) -> TestCase {
    let name = case.test_case.as_str();
    let mut test = match case.verdict {
        Verdict::Accepted if !case.is_compared => {
            skipped_test(name, "ran; its output is not compared")
        }
        Verdict::Accepted => TestCase::new(name, TestCaseStatus::success()),
        verdict => failed_test(name, NonSuccessKind::Failure, &verdict.to_string(), &case.cause),
    };
    if let Some(outcome) = &case.outcome {
        test.set_time(outcome.cpu_time);
        if let Some(then) = outcome.ran_at {
            test.add_property(("from_cache", then.to_string().as_str()));
        }
    }
    if let Some(evidence) = &case.evidence {
        if case.verdict != Verdict::Accepted {
            test.set_system_out_lossy(&evidence.stdout);
        }
        test.set_system_err_lossy(&evidence.stderr);
    }
    test
}

fn diagnostic_test(diagnostic: &Diagnostic) -> TestCase {
    let path = diagnostic.place.path.display();
    let name = match &diagnostic.place.spot {
        Some(spot) => format!("{path}:{}", spot.line),
        None => path.to_string(),
    };
    failed_test(&name, NonSuccessKind::Failure, "package", &diagnostic.to_string())
}

fn fault_test(name: &str, error: &JudgeError) -> TestCase {
    match &error.lacks {
        Some(tool) => skipped_test(name, &format!("skipped: no {tool}")),
        None => failed_test(name, NonSuccessKind::Error, "judge error", &error.to_string()),
    }
}

fn generated_test(case: &GeneratedReport) -> TestCase {
    let name = case.test_case.as_str();
    let what = match case.state {
        GeneratedState::Missing => "is missing",
        GeneratedState::Differs => "differs from its recipe",
        _ => return TestCase::new(name, TestCaseStatus::success()),
    };
    failed_test(name, NonSuccessKind::Failure, "test data", &format!("{name} {what}"))
}

fn skipped_test(name: &str, message: &str) -> TestCase {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    TestCase::new(name, status)
}

fn failed_test(name: &str, kind: NonSuccessKind, ty: &str, message: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(ty).set_message(message);
    TestCase::new(name, status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    fn shown(task: CommandTask) -> String {
        let mut out = Vec::new();
        write(&report(task), PageContent::Nothing, &mut out).expect("a document");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn judge_reports_a_test_for_each_test_case() {
        let text = shown(CommandTask::Judge);
        for part in [
            r#"<testsuites name="juror test" tests="9" failures="3" errors="0" time="2.000">"#,
            r#"<testsuite name="a.cpp" tests="2" skipped="0" errors="0" failures="0">"#,
            r#"<testcase name="secret/2" classname="a.cpp" time="0.500"/>"#,
            r#"<failure message="token 1 differs" type="WA"/>"#,
            r#"<testcase name="1 test cases that were not run" classname="odd, &quot;name&quot;.py">"#,
            r#"<failure message="the compiler ends with exit code 1" type="CE"/>"#,
            r#"<skipped message="skipped: no go"/>"#,
            r#"<testcase name="sum/problem.yaml" classname="package">"#,
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn verify_reports_a_test_for_each_submission() {
        let text = shown(CommandTask::Verify);
        for part in [
            r#"<testsuite name="sum" tests="4" skipped="1" errors="0" failures="1">"#,
            r#"<testcase name="a.cpp" classname="sum" time="1.000"/>"#,
            r#"<failure message="accepted: required AC" type="expectation"/>"#,
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    fn names(report: &Report) -> Vec<String> {
        let mut out = Vec::new();
        write(report, PageContent::Nothing, &mut out).expect("a document");
        let text = String::from_utf8(out).expect("UTF-8");
        let tags = text.lines().filter(|line| line.contains("<test"));
        tags.filter_map(|line| line.split('"').nth(1).map(str::to_owned)).skip(1).collect()
    }

    #[test]
    fn no_two_suites_or_tests_have_the_same_name() {
        let package = |name: &str| PackageReport { name: name.to_owned(), ..Default::default() };
        let submission = |package: &str, name: &str| SubmissionReport {
            package: Some(package.to_owned()),
            name: name.to_owned(),
            result: Err(crate::report::document::FaultReport {
                package: None,
                submission: None,
                error: JudgeError::new("a step", "a reason"),
            }),
        };
        let generated = |package: &str| GeneratedReport {
            package: Some(package.to_owned()),
            test_case: "secret/1".to_owned(),
            state: GeneratedState::Unchanged,
        };
        let fault = || Diagnostic::error("sum/problem.yaml", "is wrong");
        let mut report = Report::default();
        report.session.task = CommandTask::Verify;
        report.session.packages = vec![package("package"), package("test data")];
        report.submissions = vec![submission("package", "a.c"), submission("test data", "a.c")];
        report.session.diagnostics = vec![fault(), fault(), fault()];
        let name = "sum/problem.yaml";
        let [second, third] = [2, 3].map(|number| format!("{name} ({number})"));
        let expected = ["package (2)", name, &second, &third, "package", "a.c", "test data", "a.c"];
        assert_eq!(names(&report), expected);
        report.session.diagnostics.clear();
        report.session.task = CommandTask::Judge;
        let expected = ["package: a.c", "build", "test data: a.c", "build"];
        assert_eq!(names(&report), expected);
        report.submissions = vec![submission("package", "package")];
        report.session.packages.truncate(1);
        report.session.diagnostics = vec![fault()];
        assert_eq!(names(&report), ["package (2)", name, "package", "build"]);
        report.submissions.clear();
        report.session.diagnostics.clear();
        report.session.task = CommandTask::Generate;
        report.session.packages = vec![package("a/sum"), package("b/sum")];
        report.generated = vec![generated("a/sum"), generated("b/sum")];
        let expected = ["a/sum: test data", "secret/1", "b/sum: test data", "secret/1"];
        assert_eq!(names(&report), expected);
    }

    #[test]
    fn missing_results_are_an_error() {
        let mut out = Vec::new();
        let mut report = report(CommandTask::Judge);
        report.session.interrupted = true;
        write(&report, PageContent::Nothing, &mut out).expect("a document");
        let text = String::from_utf8(out).expect("UTF-8");
        let error = r#"<error message="results are missing" type="interrupted"/>"#;
        assert!(text.contains(error), "{text}");
    }
}
