//! The HTML page in a browser: it works, is accessible, and hostile texts have no effect.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use juror::report::document::Report;
use juror::report::html::PageContent;
use juror::report::{feedback, html};
use juror_core::class::{Class, Student};
use juror_core::duplicates::{Duplicates, Likeness};
use juror_core::event::{CommandTask, Event, Note, StampedEvent};
use juror_core::joint::{TalkSide, Transcript, TranscriptPiece};
use juror_core::judgement::{
    BrokenExpectation, CaseJudgement, DiffLine, DiffTag, Evidence, JudgeError, Judgement,
    ShownImage, TimeLimit,
};
use juror_core::limits::Limits;
use juror_core::outcome::Outcome;
use juror_core::progress::{LimitsReport, PackageReport};
use juror_core::score::{GroupScore, Score, Standing, TotalScore};
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use tempfile::TempDir;

use crate::browser::Browser;
use crate::golden::strengths;
use juror_core::outcome::quiet_outcome;

/// A hostile output or file name.
const HOSTILE: &str =
    "\"'><script>hacked = 1</script><img src=x onerror='hacked = 2'>\u{1b}[31m\u{202e}\0";
/// An image with a script.
const IMAGE: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' onload='top.hacked = 3'>\
    <script>top.hacked = 4; fetch('http://localhost:1/')</script>\
    <image href='http://localhost:1/x.png' width='9' height='9'/></svg>";

fn report(command: &str, judgements: Vec<Judgement>) -> Report {
    let package = PackageReport {
        name: "sum".to_owned(),
        title: "Sum".to_owned(),
        test_cases: judgements.first().map_or(0, |judgement| judgement.cases.len()),
        ..PackageReport::default()
    };
    let time = TimeLimit { limit: Duration::from_secs(1), origin: "problem.yaml".to_owned() };
    let memory = Some(Bytes::mib(256));
    let limits = LimitsReport {
        run: Limits { cpu_time: Some(time.limit), memory, ..Limits::default() },
        cpu_origin: time.origin,
    };
    let mechanism = "namespaces".to_owned();
    let command_line = format!("juror {command}");
    let events = [
        Event::Started {
            version: juror_core::event::EVENTS_VERSION,
            juror: String::new(),
            command: command.to_owned(),
            command_line,
            task: if command == "verify" { CommandTask::Verify } else { CommandTask::Judge },
        },
        Event::PackageRead(Box::new(package)),
        Event::LimitsSet { limits, mechanism },
    ];
    let judged =
        judgements.into_iter().map(|judgement| Event::SubmissionJudged(Box::new(judgement)));
    let mut report = Report::default();
    for event in events.into_iter().chain(judged) {
        let package = Some("sum".into());
        report.add_event(&StampedEvent { at: Duration::from_secs(9), package, event });
    }
    report
}

fn case(name: String, verdict: Verdict, millis: u64) -> CaseJudgement {
    let cause = match verdict {
        Verdict::Accepted => "the output is right",
        Verdict::TimeLimitExceeded => "1.02 s of CPU time, 1 s allowed",
        _ => "token 1 differs: expected `3`, got `4`",
    };
    let evidence = (verdict != Verdict::Accepted).then(|| {
        Box::new(Evidence {
            input: b"1 2\n".repeat(10),
            answer: b"3\n".repeat(10),
            output: b"4\n".repeat(10),
            repeat: format!("juror judge sum a.cpp --case {name}"),
            ..Evidence::default()
        })
    });
    CaseJudgement {
        cause: cause.to_owned(),
        outcome: Some(Outcome {
            cpu_time: Duration::from_millis(millis),
            wall_time: Duration::from_millis(millis + 1),
            peak_memory: Bytes::kib(1000 + millis),
            stdout_bytes: Bytes(2),
            ..quiet_outcome()
        }),
        evidence,
        ..CaseJudgement::new(name, verdict)
    }
}

fn judgement(name: &str, cases: usize, every: usize, verdict: Verdict) -> Judgement {
    let is_failed = |number: usize| every > 0 && number % every == every - 1;
    let cases: Vec<CaseJudgement> = (0..cases)
        .map(|number| {
            let of = if is_failed(number) { verdict } else { Verdict::Accepted };
            case(
                format!("secret/{number:03}"),
                of,
                (number as u64 * 37 + u64::from(name.as_bytes()[0])) % 900,
            )
        })
        .collect();
    let failed =
        cases.iter().map(|case| case.verdict).find(|verdict| *verdict != Verdict::Accepted);
    Judgement {
        submission: name.to_owned(),
        path: name.into(),
        verdict: failed.unwrap_or(Verdict::Accepted),
        cases: cases.into(),
        score: None,
        skipped: 0,
        spared: 0,
        compiler: None,
        warnings: Vec::new(),
        broken: Vec::new(),
    }
}

fn typical_report() -> Report {
    let mut talks = judgement("talks.py", 6, 3, Verdict::WrongAnswer);
    let piece = |by, text: &str| TranscriptPiece {
        at: Duration::from_millis(3),
        by,
        text: text.as_bytes().to_vec(),
    };
    if let Some(evidence) = &mut std::sync::Arc::make_mut(&mut talks.cases)[2].evidence {
        evidence.transcript = Some(Transcript {
            first: vec![piece(TalkSide::Partner, "7\n"), piece(TalkSide::Program, "L\n")],
            left_out: Bytes(0),
            last: Vec::new(),
        });
        let line = |tag, text: &str| DiffLine {
            tag,
            answer_line: Some(1),
            output_line: Some(1),
            text: text.as_bytes().to_vec(),
        };
        evidence.diff =
            vec![line(DiffTag::Equal, "1"), line(DiffTag::Answer, "3"), line(DiffTag::Output, "4")];
        evidence.pictures = vec![hostile_picture()];
    }
    talks.broken.push(BrokenExpectation {
        rule: "accepted".to_owned(),
        reason: "required AC".to_owned(),
        test_case: None,
    });
    report(
        "judge",
        vec![
            judgement("right.cpp", 6, 0, Verdict::Accepted),
            judgement("slow.cpp", 6, 2, Verdict::TimeLimitExceeded),
            talks,
            judgement("wrong.rs", 6, 1, Verdict::WrongAnswer),
        ],
    )
}

fn hostile_picture() -> ShownImage {
    ShownImage {
        of: "output".into(),
        name: "judgeimage.svg".to_owned(),
        blob: IMAGE.as_bytes().into(),
    }
}

fn write_page(report: &Report) -> (TempDir, PathBuf) {
    write_page_with_content(report, PageContent::Nothing)
}

fn write_page_with_content(report: &Report, content: PageContent<'_>) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("report.html");
    let mut file = fs::File::create(&path).expect("a file");
    html::write(report, content, &mut file).expect("a page");
    (dir, path)
}

/// The number of visible rows.
const VISIBLE_ROWS: &str =
    "[...document.querySelectorAll('#submissions tbody tr')].filter(it => !it.hidden).length";
const SUBMISSION_ORDER: &str =
    "[...document.querySelectorAll('#submissions tbody th')].map(it => it.textContent).join()";
const FOCUSED_TEXT: &str = "document.activeElement.textContent.trim().slice(0, 12)";

#[test]
fn search_filters_and_sorting_work_with_the_keyboard() {
    let Some(mut browser) = Browser::start() else { return };
    let (_dir, path) = write_page(&typical_report());
    browser.open(&path);
    browser.check("document.querySelector('#count').textContent", "4 shown");
    browser.check(SUBMISSION_ORDER, "slow.cpp,talks.py,wrong.rs,right.cpp");
    // The reason of the first failure is visible.
    browser.check("document.querySelector('.card').open", true);
    browser
        .check("document.querySelector('.card .why').textContent.includes('1.02 s of CPU')", true);

    browser.press_key("/");
    for key in ["w", "r", "o", "n", "g", ".", "r"] {
        browser.press_key(key);
    }
    browser.check(VISIBLE_ROWS, 1);
    browser.check("document.querySelector('#count').textContent", "1 of 4 shown");
    browser.check("[...document.querySelectorAll('.card')].filter(it => !it.hidden).length", 1);
    browser.check(
        "[...document.querySelectorAll('.matrix tbody tr')].filter(it => !it.hidden).length",
        1,
    );
    browser.press_key("Escape");
    browser.check(VISIBLE_ROWS, 4);

    let button = "document.querySelector('[data-filter=TLE]')";
    browser.evaluate(&format!("{button}.focus()"));
    browser.press_key("Enter");
    browser.check(VISIBLE_ROWS, 1);
    browser.check(&format!("{button}.getAttribute('aria-pressed')"), "true");
    browser.evaluate("document.querySelector('[data-filter=bad]').click()");
    browser.check(VISIBLE_ROWS, 3);
    browser.evaluate("document.querySelector('[data-filter=\"\"]').click()");

    let head = "document.querySelector('#submissions thead th:nth-child(5)')";
    for (sort, order) in [
        ("ascending", "right.cpp,slow.cpp,talks.py,wrong.rs"),
        ("descending", "wrong.rs,talks.py,slow.cpp,right.cpp"),
        ("none", "slow.cpp,talks.py,wrong.rs,right.cpp"),
    ] {
        browser.evaluate(&format!("{head}.querySelector('button').focus()"));
        browser.press_key("Enter");
        browser.check(&format!("{head}.getAttribute('aria-sort')"), sort);
        browser.check(SUBMISSION_ORDER, order);
    }
    let name = "document.querySelector('#submissions thead th:nth-child(2) button')";
    browser.evaluate(&format!("{name}.click()"));
    browser.check(SUBMISSION_ORDER, "right.cpp,slow.cpp,talks.py,wrong.rs");
    browser.evaluate(&format!("{name}.click()"));
    browser.check(SUBMISSION_ORDER, "wrong.rs,talks.py,slow.cpp,right.cpp");

    // A cell of the matrix leads to the failure.
    browser.evaluate("document.querySelector('#s2').open = false");
    browser.evaluate("document.querySelector('.matrix a[href=\"#s2c1\"]').click()");
    browser.evaluate("new Promise(done => setTimeout(done, 50))");
    browser
        .check("document.querySelector('#s2').open && document.querySelector('#s2c1').open", true);

    browser.evaluate("document.querySelector('main').focus()");
    for card in ["TLEslow.cpp", "WAtalks.py", "WAwrong.rs"] {
        browser.press_key("j");
        browser.check(&format!("{FOCUSED_TEXT}.startsWith({card:?})"), true);
    }
    browser.press_key("k");
    browser.check(&format!("{FOCUSED_TEXT}.startsWith('WAtalks.py')"), true);
    browser.evaluate("document.querySelector('#keys').click()");
    browser.press_key("k");
    browser.check(&format!("{FOCUSED_TEXT}.startsWith('WAtalks.py')"), true);
    browser.check_silence();
}

/// The window is 600 pixels high.
#[test]
fn the_reason_is_visible_without_scrolling() {
    let Some(mut browser) = Browser::start() else { return };
    let check = |browser: &mut Browser, judgements: Vec<Judgement>, position: &str| {
        let (_dir, path) = write_page(&report("judge", judgements));
        browser.open(&path);
        let reason = format!("document.querySelector({position:?})");
        browser.check(&format!("{reason}.getBoundingClientRect().bottom < 600"), true);
        browser.check(&format!("{reason}.textContent.includes('expected `3`, got `4`')"), true);
    };
    let wrong = judgement("wrong.rs", 6, 1, Verdict::WrongAnswer);
    check(&mut browser, vec![wrong.clone()], ".why");
    let right = judgement("right.rs", 6, 0, Verdict::Accepted);
    check(&mut browser, vec![right.clone(), right, wrong], "#submissions .because");
    // The filters show the number of each verdict, so the head has no list of them. A card has a link back.
    browser.check("document.querySelector('.tally').checkVisibility()", false);
    browser.check("document.querySelector('[data-filter=WA]').textContent", "WA 1 wrong answer");
    browser.check("document.querySelectorAll('.card a[href=\"#list\"]').length", 3);
}

#[test]
fn plots_name_the_test_case_and_prints_show_the_failures() {
    let Some(mut browser) = Browser::start() else { return };
    let (_dir, path) = write_page(&typical_report());
    browser.open(&path);
    // Time and memory of a wrong answer are collapsed.
    browser.check("document.querySelector('#s1 .plots').checkVisibility()", false);
    browser.evaluate("document.querySelector('#s1 .more').open = true");
    browser.evaluate(
        "svg = document.querySelector('#s1 .plot svg'), box = svg.getBoundingClientRect(), \
         svg.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + box.width * 0.4 })), 0",
    );
    browser.check(
        "document.querySelector('#s1 .told').textContent",
        "secret/002 · WA · 0.190 s · 1.16 MiB",
    );
    browser.evaluate("document.querySelectorAll('details').forEach(it => it.open = false)");
    browser.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    browser.check("document.querySelectorAll('.card.bad:not([open])').length", 0);
    browser.check("document.querySelectorAll('.card.bad').length", 3);
    browser.evaluate("window.dispatchEvent(new Event('afterprint'))");
    browser.check("document.querySelectorAll('details[open]').length", 0);
    browser.check_silence();
}

#[test]
fn hostile_texts_run_no_script() {
    let Some(mut browser) = Browser::start() else { return };
    let mut hostile = judgement(HOSTILE, 3, 1, Verdict::WrongAnswer);
    let mut long = HOSTILE.as_bytes().to_vec();
    long.extend(b"\xff\xfe");
    long.resize(10 << 20, b'<');
    for case in std::sync::Arc::make_mut(&mut hostile.cases) {
        case.test_case.push_str(HOSTILE);
        case.cause = String::from_utf8_lossy(&long).into_owned();
        case.message.clone_from(&case.cause);
        case.cause_includes_message = false;
        if let Some(evidence) = &mut case.evidence {
            evidence.stderr.clone_from(&long);
            evidence.output.clone_from(&long);
            evidence.pictures = vec![hostile_picture()];
        }
    }
    let (_dir, path) = write_page(&report("judge", vec![hostile.clone(), hostile]));
    browser.open(&path);
    browser.check("document.querySelectorAll('script').length", 1);
    browser.check("typeof hacked", "undefined");
    // Images are embedded, and are shown.
    browser.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)");
    browser.check(
        "[...document.images].every(it => it.src.startsWith('data:') && it.naturalWidth == 9)",
        true,
    );
    browser.check("document.images.length", 6);
    let name = browser.evaluate("document.querySelector('.card h3').textContent");
    assert_eq!(
        name,
        HOSTILE.replace('\u{1b}', "\\x1b").replace('\u{202e}', "\\u{202e}").replace('\0', "\\0")
    );
    // Long lines do not make the page wide.
    let wide = "[...document.querySelectorAll('body *')].filter(it => it.getBoundingClientRect().right > innerWidth \
         && !it.closest('.wide, .skip, .ends')).map(it => it.tagName + it.className).join()";
    browser.check(wide, "");
    browser.check("document.documentElement.scrollWidth <= innerWidth", true);
    browser.check_silence();
}

#[test]
fn missed_programs_come_before_the_matrix() {
    let Some(mut browser) = Browser::start() else { return };
    let strength = strengths::strength_result(false);
    let (_dir, path) =
        write_page_with_content(&Report::default(), PageContent::Strength(&strength));
    browser.open(&path);
    browser
        .check("document.querySelectorAll('main h2')[1].textContent", "Wrong programs that pass");
    let rejected = "[...document.querySelectorAll('.matrix tbody tr')].map(it => it.cells.length)";
    let same = format!("new Set({rejected}).size");
    browser.check(&same, 1);
    browser.check("document.querySelectorAll('.matrix td.WA').length > 0", true);
}

/// Also runs axe-core with `JUROR_AXE=axe.min.js`, from its npm package.
#[test]
#[expect(clippy::print_stderr, reason = "what is left out must be seen")]
fn the_page_is_accessible() {
    let Some(axe) = std::env::var_os("JUROR_AXE") else {
        eprintln!("skipped: JUROR_AXE does not name axe-core's script");
        return;
    };
    let axe = fs::read_to_string(axe).expect("axe-core");
    let Some(mut browser) = Browser::start() else { return };
    let verified = report("verify", vec![judgement("a.cpp", 2, 1, Verdict::WrongAnswer)]);
    let strength = strengths::strength_result(false);
    let class = class_report(30);
    let student = &class.classes[0].students[4];
    let own = feedback::student_report(&class, student, &feedback::Hidden::Nothing);
    let hidden = feedback::student_report(&class, student, &feedback::Hidden::default());
    let reports = [
        (typical_report(), PageContent::Nothing),
        (own, PageContent::Nothing),
        (hidden, PageContent::Nothing),
        (class_report(30), PageContent::Nothing),
        (verified, PageContent::Nothing),
        (Report::default(), PageContent::Strength(&strength)),
    ];
    for (report, content) in reports {
        let (_dir, path) = write_page_with_content(&report, content);
        for colours in ["light", "dark"] {
            browser.open(&path);
            browser.set_color_scheme(colours);
            browser.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)");
            browser.evaluate(&axe);
            let found = browser.evaluate(
                "axe.run().then(all => all.violations.filter(it => it.impact != 'minor').map(it => \
                 [it.id, it.impact, it.nodes.slice(0, 3).map(node => node.html + ' ' + node.failureSummary)]))",
            );
            assert_eq!(found, serde_json::json!([]), "{colours}: {found:#}");
        }
    }
}

/// Students with points in two groups; two have the same program, and one has none.
fn class_report(students: usize) -> Report {
    let name = |number: usize| format!("class/student{:03}", (number * 7 + 1) % students);
    let score = |points: usize| Score::new(points as f64);
    let of = |number: usize| {
        let (easy, hard) = (number % 4 * 10, number % 8 * 10);
        let group = |name: &str, own: usize, most: usize| GroupScore {
            name: name.to_owned(),
            is_conditional: false,
            score: score(own),
            max_score: score(most),
            standing: Standing::Complete,
        };
        let groups = vec![group("easy", easy, 30), group("hard", hard, 70)];
        let total =
            TotalScore { score: score(easy + hard), max_score: score(100), groups, is_best: false };
        let every = if easy + hard == 100 { 0 } else { 2 };
        Judgement {
            score: Some(total),
            ..judgement(&name(number), 20, every, Verdict::WrongAnswer)
        }
    };
    let mut report = report("judge", (1..students).map(of).collect());
    let all = (0..students).map(|number| Student {
        name: name(number).replace("class/s", "S"),
        submissions: vec![name(number)],
        late: number == 5,
        ..Student::default()
    });
    let class = Class {
        folder: "class".to_owned(),
        form: "plain".to_owned(),
        students: all.collect(),
        ..Class::default()
    };
    let copies = Duplicates { likeness: Likeness::Text, submissions: vec![name(4), name(9)] };
    let error = JudgeError::no_program("only notes.pdf");
    for event in [
        Event::Noted(Note::Class(class)),
        Event::Noted(Note::Duplicates(vec![copies])),
        Event::Failed { submission: Some(name(0)), error },
    ] {
        report.add_event(&StampedEvent {
            at: Duration::from_secs(9),
            package: Some("sum".into()),
            event,
        });
    }
    report
}

#[test]
fn the_page_of_a_class_is_sorted_by_name_and_shows_points_and_copies() {
    let Some(mut browser) = Browser::start() else { return };
    let (_dir, path) = write_page(&class_report(300));
    browser.open(&path);
    let first = format!("{SUBMISSION_ORDER}.split(',').slice(0, 2).join()");
    browser.check(&first, "Student000,Student001");
    browser.check("document.querySelectorAll('.card[open]').length", 0);
    // Without a program, 0 points.
    let score = "[...document.querySelectorAll('#submissions tbody tr')]\
                 .find(it => it.cells[1].textContent == 'Student001').cells[3].textContent";
    browser.check(score, "0");
    browser.check("document.querySelectorAll('#submissions .eyes').length", 1);
    let head = "document.querySelector('#submissions thead th:nth-child(4) button')";
    browser.evaluate(&format!("{head}.click(); {head}.click()"));
    browser.check("document.querySelector('#submissions tbody tr').cells[3].textContent", "100");
    let bars = |table: usize| {
        format!(
            "[...document.querySelectorAll('.bars')[{table}].querySelectorAll('tr')].map(it => it.textContent).join()"
        )
    };
    let points = "0 to below 1038,10 to below 200,20 to below 3038,30 to below 400,40 to below 5075,\
                  50 to below 600,60 to below 7075,70 to below 800,80 to below 9037,90 to 10037";
    browser.check(&bars(0), points);
    browser.check(
        &bars(1),
        "easy15 of 30 on average; 75 of 300 have all,hard34.73 of 70 on average; 37 of 300 have all",
    );
    let copies = "document.querySelector('#copies + ul').textContent";
    browser.check(copies, "the same text: Student029, Student064");
    // A copy leads to its card.
    browser.evaluate("document.querySelector('#copies + ul a').click()");
    browser.evaluate("new Promise(done => setTimeout(done, 50))");
    browser.check("document.querySelector('.card[open] h3').textContent", "Student029");
    // What is right has no colour of its own.
    let colour = |verdict: &str| {
        format!("getComputedStyle(document.querySelector('#submissions .v.{verdict}')).color")
    };
    browser.check(&format!("{} != {}", colour("AC"), colour("WA")), true);
    browser.check_silence();
}

fn large_report() -> Report {
    let name = |number: usize| format!("wrong_answer/submission_number_{number:03}.cpp");
    let verdicts = [Verdict::WrongAnswer, Verdict::TimeLimitExceeded];
    let of = |number: usize| judgement(&name(number), 100, number % 7, verdicts[number % 2]);
    report("judge", (0..200).map(of).collect())
}

#[test]
fn a_large_report_is_a_page_of_less_than_5_mb() {
    let (_dir, path) = write_page(&large_report());
    let size = fs::metadata(path).expect("a file").len();
    assert!(size < 5_000_000, "{size} bytes");
}

mod quiet {
    use super::*;

    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    fn a_large_report_opens_in_less_than_2_seconds() {
        opens_within("200 submissions on 100 test cases", &large_report(), 2000.0);
    }

    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    fn the_page_of_a_class_of_300_opens_in_a_second() {
        opens_within("300 students", &class_report(300), 1000.0);
    }

    #[expect(clippy::print_stderr, reason = "it measures")]
    fn opens_within(what: &str, report: &Report, most_millis: f64) {
        let Some(mut browser) = Browser::start() else { return };
        let (_dir, path) = write_page(report);
        browser.request("Performance.enable", serde_json::json!({ "timeDomain": "threadTicks" }));
        browser.open(&path);
        let metrics = browser.request("Performance.getMetrics", serde_json::json!({}));
        let mut metrics = metrics["metrics"].as_array().into_iter().flatten();
        let cpu = metrics.find(|metric| metric["name"] == "ThreadTime").expect("its CPU time");
        let cpu = cpu["value"].as_f64().expect("seconds");
        let millis = browser
            .evaluate("Math.round(performance.getEntriesByType('navigation')[0].loadEventEnd)");
        let size = fs::metadata(path).expect("a file").len();
        eprintln!("{what}: {size} bytes, open after {millis} ms, {cpu:.2} s of CPU time");
        assert!(millis.as_f64().is_some_and(|millis| millis < most_millis), "{millis} ms");
    }
}
