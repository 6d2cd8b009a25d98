//! The content of a page, and that texts of programs cannot leave their place.

use std::collections::BTreeSet;
use std::time::Duration;

use super::*;
use crate::report::result::CommandResult;
use crate::report::tests::report;
use juror_core::event::{Event, GeneratedState, StampedEvent};
use juror_core::judgement::{CaseJudgement, CompilerReport, Evidence, Judgement, ShownImage};
use juror_core::progress::SearchPlan;
use juror_core::text::visible;
use juror_data::search::result::{Counterexample, CounterexampleOrigin, Search, SearchEnd};
use juror_data::strength::result::{
    CaseKills, Gate, GateName, GateState, Kill, MissedInput, MissingPrerequisite, PartName,
    ScorePart, SourceEdit, Strength, Subject, SubjectKind, SubjectStatus,
};
use juror_data::strength::strictness::{AcceptedFault, Strictness};

fn render(report: &Report) -> String {
    let mut out = Vec::new();
    write(report, PageContent::Nothing, &mut out).expect("a page");
    String::from_utf8(out).expect("UTF-8")
}

fn render_strength(report: &Report, found: &Strength) -> String {
    let mut out = Vec::new();
    write(report, PageContent::Strength(found), &mut out).expect("a page");
    String::from_utf8(out).expect("UTF-8")
}

fn attribute_values<'a>(text: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    text.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

const HOSTILE: &str =
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u{1b}[31m\u{202e}\0</style>";

#[test]
fn each_submission_has_its_reason_and_surprises_come_first() {
    let check = |task: CommandTask, first: &str, parts: &[&str]| {
        let text = render(&report(task));
        let cards = text.split("<details class=\"card").nth(1).expect("a card");
        assert!(cards.contains(first), "{first} in\n{cards}");
        for part in parts {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    };
    check(
        CommandTask::Judge,
        "odd, &quot;name&quot;.py",
        &[
            "2 of 4 submissions rejected.",
            "<strong>wrong answer on secret/2</strong><span>token 1 differs</span>",
            "<strong>compile error</strong><span>the compiler ends with exit code 1</span>",
            "<strong>skipped</strong><span>build: go not found</span>",
            "1 test case not run",
            "has no name",
            "<td class=\"WA\"><a href=\"#s0c1\">WA</a><i>0.500</i></td>",
        ],
    );
    check(
        CommandTask::Verify,
        "odd, &quot;name&quot;.py",
        &[
            "1 of 4 submissions not as expected.",
            "<strong>not as expected: accepted</strong><span>required AC</span>",
        ],
    );
}

#[test]
fn test_data_that_differs_from_the_recipe_is_listed() {
    let mut report = report(CommandTask::Generate);
    for (name, state) in [
        ("secret/1", GeneratedState::Unchanged),
        ("secret/2", GeneratedState::Differs),
        ("secret/3", GeneratedState::Unchanged),
    ] {
        let event = Event::CaseGenerated { test_case: name.to_owned(), state };
        report.add_event(&StampedEvent { at: Duration::ZERO, package: None, event });
    }
    let text = render(&report);
    let row = "<tr><th scope=\"row\">secret/2</th><td>differs from the recipe</td></tr>";
    assert!(text.contains("2 test cases unchanged, 1 not.") && text.contains(row), "{text}");
}

/// One program is caught and one is missed. All names are `text`.
fn strength_with_a_missed_program(text: &str) -> Strength {
    let name = || text.to_owned();
    let kill = Kill { test_case: name(), verdict: Verdict::WrongAnswer };
    let caught = Subject {
        status: SubjectStatus::Caught,
        killers: vec![kill],
        ..Subject::new(text, SubjectKind::Wrapper, text)
    };
    let missed = Subject {
        status: SubjectStatus::Missed,
        missed: Some(MissedInput {
            input: text.into(),
            verdict: Verdict::WrongAnswer,
            cause: name(),
            origin: name(),
            gain: 2.0,
            also: vec![name()],
            promoted: Some(name()),
        }),
        edit: Some(SourceEdit {
            submission: name(),
            file: name(),
            line: 3,
            column: 9,
            before: name(),
            after: name(),
        }),
        ..Subject::new(text, SubjectKind::Mutant, text)
    };
    let faults = Strictness {
        let_through: vec![AcceptedFault::new(text, text, text.into())],
        ..Strictness::default()
    };
    Strength {
        gates: vec![Gate { name: GateName::ValidData, state: GateState::Open, detail: name() }],
        parts: vec![ScorePart { name: PartName::Kills, value: Some(0.5), weight: 0.45 }],
        score: Some(50.0),
        subjects: vec![caught, missed],
        cases: vec![CaseKills { test_case: name(), kills: 1, only_killer_of: Vec::new() }],
        minimal: vec![name()],
        input_validators: Some(faults),
        lacking: vec![MissingPrerequisite::Mutants],
        ..Strength::default()
    }
}

#[test]
fn a_missed_program_is_shown_with_its_input() {
    let mut report = Report::default();
    report.session.elapsed = Duration::from_millis(500);
    let text = render_strength(&report, &strength_with_a_missed_program("fold-12"));
    for part in [
        "<span class=\"v WA\">missed</span><h3>fold-12</h3><span class=\"because\">fold-12, 2.0 points</span>",
        "fold-12:3:9",
        "<strong>wrong answer on this input</strong><span>fold-12</span>",
        "<th scope=\"row\" title=\"fold-12\">fold-12</th><td class=\"WA\">WA</td>",
        "2 programs (1 caught, 1 missed), random seed 0, in 0.500 s",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn every_link_has_a_target_and_ids_are_unique() {
    check_links_and_names(&render(&report(CommandTask::Judge)));
    check_links_and_names(&render_strength(
        &Report::default(),
        &strength_with_a_missed_program(HOSTILE),
    ));
}

fn check_links_and_names(text: &str) {
    let names = attribute_values(text, "id");
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len(), "{names:?}");
    for link in attribute_values(text, "href") {
        let target = link.strip_prefix('#').expect("a link into the page");
        assert!(unique.contains(target), "{link}");
    }
    for attribute in ["aria-labelledby", "for"] {
        assert!(
            attribute_values(text, attribute).iter().all(|value| unique.contains(value)),
            "{attribute}"
        );
    }
}

#[test]
fn every_table_has_a_caption_and_scoped_headers() {
    let text = render(&report(CommandTask::Judge))
        + &render_strength(&Report::default(), &strength_with_a_missed_program(HOSTILE));
    let tables: Vec<&str> = text.split("<table").skip(1).collect();
    assert!(tables.len() > 3);
    for table in tables {
        let table = table.split("</table>").next().expect("an end");
        assert!(table.contains("<caption>"), "{table}");
        assert!(!table.contains("<th>") && table.contains("scope=\"row\""), "{table}");
    }
}

#[test]
fn a_search_shows_the_input_and_both_outputs() {
    let found = Counterexample {
        verdict: Verdict::WrongAnswer,
        cause: "token 1 differs".to_owned(),
        difference: None,
        input: b"1 2\n".to_vec(),
        expected: Some(b"33\n".to_vec()),
        got: Some(b"44\n".to_vec()),
        transcript: None,
        stderr: Vec::new(),
        validator_stderr: Vec::new(),
        origin: CounterexampleOrigin::Small { level: 1 },
        first_size: 90,
        path: vec!["fewer values".to_owned()],
        failing: 3,
        repeats: 3,
        promoted: None,
        generated: None,
        saved: None,
    };
    let plan = SearchPlan {
        submission: "a.cpp".to_owned(),
        reference: "right.cpp".to_owned(),
        chosen: "the only one".to_owned(),
        sources: vec!["the grammar sum.ctd".to_owned()],
        seed: 7,
        time: Duration::from_secs(60),
        shrink_time: Duration::from_secs(20),
    };
    let search = Search {
        plan,
        found: Some(Box::new(found)),
        runs: 12,
        batched: 0,
        shrinking_runs: 2,
        shrinking_tries: 2,
        is_smallest: false,
        shrinking_cut: false,
        searching: Duration::from_secs(1),
        elapsed: Duration::from_secs(2),
        end: SearchEnd::Found,
        left_out: 0,
        left_out_reasons: Vec::new(),
        level: None,
        tried: Vec::new(),
        slowest: None,
        repeat: "juror stress sum a.cpp --seed 7".to_owned(),
    };
    let result = StressResult { search, explanations: Vec::new() };
    let text = render_page(&Report::default(), result.page_content());
    for part in [
        "a.cpp fails on an input of 4 B, found after 12 comparisons.",
        "<strong>wrong answer on this input</strong><span>token 1 differs</span>",
        "<span>1 2</span>",
        "<span>33</span>",
        "<span>44</span>",
        "made smaller from 90 B by fewer values",
        "juror stress sum a.cpp --seed 7",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn hostile_texts_never_become_markup_and_pages_stay_small() {
    let mut long = HOSTILE.as_bytes().to_vec();
    long.extend(b"\xff\xfe\x80");
    long.resize(10 << 20, b'<');
    let text = String::from_utf8_lossy(&long).into_owned();
    let image = |name: &str| ShownImage {
        of: "output".into(),
        name: name.to_owned(),
        blob: long[..100].into(),
    };
    let evidence = Evidence {
        input: long.clone(),
        answer: long.clone(),
        output: long.clone(),
        stderr: long.clone(),
        validator_stderr: long.clone(),
        pictures: vec![image("judgeimage-\"><script>.svg"), image("x.png"), image("x.html")],
        repeat: HOSTILE.to_owned(),
        ..Evidence::default()
    };
    let case = CaseJudgement {
        cause: text.clone(),
        message: text.clone(),
        cause_includes_message: false,
        team_message: text,
        evidence: Some(Box::new(evidence)),
        ..CaseJudgement::new(HOSTILE, Verdict::WrongAnswer)
    };
    let mut report = report(CommandTask::Judge);
    for _ in 0..2 {
        let event = Event::SubmissionJudged(Box::new(Judgement {
            submission: HOSTILE.to_owned(),
            path: HOSTILE.into(),
            verdict: Verdict::WrongAnswer,
            cases: vec![case.clone()].into(),
            score: None,
            skipped: 0,
            spared: 0,
            compiler: Some(CompilerReport { refusal: None, messages: long.clone(), outcome: None }),
            warnings: Vec::new(),
            broken: Vec::new(),
        }));
        report.add_event(&StampedEvent { at: Duration::ZERO, package: Some("sum".into()), event });
    }
    let mut found = strength_with_a_missed_program(HOSTILE);
    for subject in &mut found.subjects {
        subject.missed.iter_mut().for_each(|missed| missed.input.clone_from(&long));
        subject
            .edit
            .iter_mut()
            .for_each(|edit| edit.after = String::from_utf8_lossy(&long).into_owned());
    }
    let page = render_strength(&report, &found);
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</style").count(), 1);
    assert_eq!(page.matches("<img").count(), 4);
    assert_eq!(attribute_values(&page, "onerror"), Vec::<&str>::new());
    let bad = |letter: &char| {
        (letter.is_control() && *letter != '\n') || ('\u{202a}'..='\u{202e}').contains(letter)
    };
    assert_eq!(page.chars().find(bad), None);
    assert!(page.contains("\\x1b[31m\\u{202e}\\0") && page.contains("of long lines not shown"));
    assert!(page.len() < 150_000, "{} bytes", page.len());
}

#[test]
fn shortened_texts_have_a_note() {
    let check = |text: &[u8], unknown: u64, lines: usize, note: &str| {
        let cut = text::shorten(text, unknown, visible);
        assert_eq!((cut.lines.len(), cut.note.as_str()), (lines, note), "{cut:?}");
    };
    check(b"", 0, 0, "");
    check(b"1\n2\n", 0, 2, "");
    check(b"1\n2", 0, 2, "no line end at the end");
    check(b"1\n2\n", 5, 2, "the last 5 B not shown");
    check(&b"1\n".repeat(30), 0, 16, "the last 28 B not shown");
    check(&[b'x'; 500], 0, 1, "100 B of long lines not shown");
    let mut text = vec![b'x'; 399];
    text.extend("ä\n".as_bytes());
    assert_eq!(text::shorten(&text, 0, visible).lines[0].chars().last(), Some('…'));
    assert!(!text::shorten(&text, 0, visible).lines[0].contains("\\x"), "half a character");
}

#[test]
fn the_policy_allows_only_its_own_style_and_script() {
    let text = render(&report(CommandTask::Judge));
    let policy =
        attribute_values(&text, "content").into_iter().find(|value| value.contains("default-src"));
    let policy = policy.expect("a policy");
    assert!(policy.contains("default-src &#39;none&#39;") || policy.contains("default-src 'none'"));
    assert!(policy.contains("style-src 'sha256-") && policy.contains("img-src data:;"), "{policy}");
    // The content security policy forbids style attributes.
    assert_eq!(text.matches(" style=").count(), 0);
    assert!(!text.contains("http://") && !text.contains("https://"));
}
