//! Tests of what a file of results may hold, and what stays of it.

use super::*;

fn result(line: u64, verdict: &str) -> String {
    let rest = r#""digest":"000000000000000a","error":null"#;
    format!(r#"{{"version":2,"line":{line},"id":null,"verdict":"{verdict}",{rest}}}"#)
}

/// Opens a file with this content, and adds a line. Checks how many lines are known and whether they are ordered, and
/// what is in the file then; or the fault, and that nothing changed.
fn check(text: impl AsRef<[u8]>, expected: Result<(usize, bool, &str), &str>) {
    let text = text.as_ref();
    let shown = String::from_utf8_lossy(text);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("results");
    fs::write(&path, text).expect("a file");
    match (ResultsFile::open(&path, ExistingContent::Resume), expected) {
        (Err(fault), Err(expected)) => {
            let message = fault.to_string();
            assert!(message.starts_with(expected), "{shown}: {message}");
            assert_eq!(fs::read(&path).expect("a file"), text, "{shown}");
        }
        (Ok((mut file, earlier)), Ok((lines, is_ordered, head))) => {
            assert_eq!(
                (earlier.lines.len(), !earlier.is_unordered),
                (lines, is_ordered),
                "{shown}"
            );
            assert_eq!(earlier.tally.lines(), lines as u64);
            assert_eq!(fs::read(&path).expect("a file"), text, "not before a result comes");
            file.add(b"x\n").expect("a write");
            file.add(b"y\n").expect("a write");
            file.finish().expect("a sync");
            assert_eq!(fs::read_to_string(&path).expect("a text"), format!("{head}x\ny\n"));
        }
        (Ok((_, earlier)), Err(_)) => panic!("{shown}: {earlier:?}"),
        (Err(fault), Ok(_)) => panic!("{shown}: {fault}"),
    }
}

#[test]
fn results_are_read_again_and_half_a_result_is_replaced() {
    let (one, two) = (format!("{}\n", result(1, "AC")), format!("{}\n", result(2, "WA")));
    let both = format!("{one}{two}");
    check("", Ok((0, true, "")));
    check(&one, Ok((1, true, &one)));
    check(&both, Ok((2, true, &both)));
    let turned = format!("{two}{one}");
    check(&turned, Ok((2, false, &turned)));
    // An editor may have removed the last line end.
    check(both.trim_end(), Ok((2, true, &both)));
    for cut in 1..two.len() - 1 {
        check(format!("{one}{}", &two[..cut]), Ok((1, true, &one)));
    }
    let beginning = result_prefix().len();
    for cut in beginning + 1..one.len() - 1 {
        check(&one[..cut], Ok((0, true, "")));
    }
    for cut in 1..=beginning {
        check(&one[..cut], Err("line 1 is not a result of `juror grade`: it does not begin"));
    }
    // Nothing follows.
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("results");
    fs::write(&path, &both[..both.len() - 5]).expect("a file");
    let (mut file, _) = ResultsFile::open(&path, ExistingContent::Resume).expect("results");
    file.add(b"").expect("a write");
    assert_eq!(fs::read_to_string(&path).expect("a text"), one);
    // Written by another program.
    let spaced = one.replace(":", ": ").replace(",", ", ");
    check(&spaced, Ok((1, true, &spaced)));
}

#[test]
fn a_file_with_other_content_is_refused_and_not_changed() {
    let one = format!("{}\n", result(1, "AC"));
    let refused = |text: &[u8]| {
        check(text, Err("line 1 is not a result of `juror grade`: "));
        // Also after results.
        let after = [one.as_bytes(), text].concat();
        check(after, Err("line 2 is not a result of `juror grade`: "));
    };
    let long = "x".repeat(3 << 20);
    let half = result(3, "AC").replace(r#""id""#, r#""name""#);
    for text in [
        "x",
        "\n",
        " ",
        "\r\n",
        "precious text",
        "precious text\n",
        "{}",
        "{}\n",
        "[1,2]",
        "null\n",
        "1",
        r#"{"precious": true}"#,
        r#"{"version":2}"#,
        r#"{"version":2,"line":1}"#,
        r#"{"version":2,"lines":["#,
        r#"{"version":2,"line":"a","id":"#,
        r#"{"version":2,"line":,"#,
        r#"{"version":1,"line":1,"id":nu"#,
        "\u{feff}{\"version\":2,",
        &half[..half.len() - 4],
        &one.replace("\"version\":2", "\"version\":1"),
        &one.replace("000a", "zzzz"),
        &one.replace("000a", "a"),
        &one.replace("0000000000", "+000000000"),
        &one.replace("\"AC\"", "null"),
        &one.replace("\"AC\"", "\"YES\""),
        &long,
    ] {
        refused(text.as_bytes());
    }
    refused(b"\x7fELF\0\0");
    refused(b"\xff\xfe");
    check(format!("{one}\n{one}"), Err("line 2 is not a result"));
    check(format!("{one}{one}"), Err("it has two results of line 1"));
}

#[test]
fn a_line_is_finished_if_its_content_is_the_same() {
    let earlier = |lines: &[u64]| {
        let mut lines: Vec<(u64, u64)> = lines.iter().map(|line| (*line, *line * 10)).collect();
        lines.reverse();
        EarlierResults { lines, ..EarlierResults::default() }
    };
    let check = |finished: &[u64], asked: &[(u64, u64, LineHistory)], ahead: u64| {
        let mut earlier = earlier(finished);
        for (line, digest, expected) in asked {
            assert_eq!(earlier.take_line(*line, *digest), *expected, "line {line}");
        }
        assert_eq!(earlier.remaining(), ahead);
    };
    use LineHistory::{Changed, Finished, New};
    check(&[], &[(1, 10, New)], 0);
    check(&[2, 4], &[(1, 10, New), (2, 20, Finished), (3, 30, New), (4, 40, Finished)], 0);
    check(&[1, 2], &[(1, 20, Changed)], 1);
    check(&[1, 2], &[(1, 10, Finished)], 1);
    // Line 1 is blank now.
    check(&[1, 2], &[(2, 20, Changed)], 2);
}

#[test]
fn a_digest_distinguishes_lines_and_settings() {
    let all = [("", "ab"), ("a", "b"), ("ab", ""), ("", "a"), ("", "")];
    let all: std::collections::BTreeSet<u64> =
        all.iter().map(|(settings, text)| digest(settings, text.as_bytes())).collect();
    assert_eq!(all.len(), 5);
}

#[test]
fn a_file_with_content_is_refused_unless_it_is_resumed() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("results");
    let opened =
        |content| ResultsFile::open(&path, content).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(opened(ExistingContent::Refuse), Ok(()));
    assert_eq!(opened(ExistingContent::Refuse), Ok(()), "it is still empty");
    fs::write(&path, format!("{}\n", result(1, "AC"))).expect("a file");
    assert_eq!(opened(ExistingContent::Refuse), Err("it is not empty".to_owned()));
    assert_eq!(opened(ExistingContent::Resume), Ok(()));
    let device = ResultsFile::open("/dev/null".as_ref(), ExistingContent::Resume).map(|_| ());
    assert_eq!(
        device.map_err(|error| error.to_string()),
        Err("it is not a regular file".to_owned())
    );
}

#[test]
fn a_result_is_synced_although_none_follows() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (mut file, _) =
        ResultsFile::open(&dir.path().join("results"), ExistingContent::Refuse).expect("a file");
    file.add(b"x\n").expect("a write");
    let is_dirty = |state: &mut SyncState| state.is_dirty;
    let most = Duration::from_secs(600);
    let mut state = file.file.state.lock();
    let waited = file.file.state_changed.wait_while_for(&mut state, is_dirty, most);
    assert!(!waited.timed_out(), "it is never synced");
}
