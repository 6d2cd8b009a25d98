//! The lines around the first difference, as a diff for people.

use std::convert::Infallible;
use std::io::{self, Read, Seek};
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Replace, myers};
use similar::{DiffOp, group_diff_ops};

use crate::check::lines::{TextLine, read_around};
use crate::check::options::Options;
use crate::difference::Difference;
use crate::judgement::{DiffLine, DiffTag};

const MOST_LINES: usize = 25;

/// Equal lines that are shown around different ones.
const CONTEXT: usize = 3;

/// After this time, the diff need not be the shortest.
const DIFF_TIME: Duration = Duration::from_millis(300);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// At most 25 lines of about 160 bytes each. A line keeps its line end only if that is the only difference from
    /// its counterpart.
    pub lines: Vec<DiffLine>,
    /// Number of further lines of the diff, as far as the texts were read: a lower bound.
    pub omitted_lines: u64,
}

/// Lines count as equal by the rules of the comparison: if it accepts other blanks, letter case or near numbers, these
/// do not show. Takes bounded time and memory, whatever the length of texts and lines.
///
/// # Errors
///
/// If reading fails.
pub fn diff(
    answer: &mut (impl Read + Seek),
    output: &mut (impl Read + Seek),
    difference: &Difference,
    options: &Options,
) -> io::Result<Diff> {
    let answer = read_around(answer, &difference.answer)?;
    let output = read_around(output, &difference.output)?;
    Ok(diff_lines(&answer, &output, options))
}

/// A line of the output that can be compared with one of the judge answer.
struct OutputLine<'l> {
    line: &'l TextLine,
    options: &'l Options,
}

impl PartialEq<TextLine> for OutputLine<'_> {
    fn eq(&self, answer: &TextLine) -> bool {
        answer.accepts(self.line, self.options)
    }
}

fn diff_lines(answer: &[TextLine], output: &[TextLine], options: &Options) -> Diff {
    let compared: Vec<OutputLine<'_>> =
        output.iter().map(|line| OutputLine { line, options }).collect();
    let mut capture = Replace::new(Capture::new());
    let deadline = Some(Instant::now() + DIFF_TIME);
    // "Raw" compares pair by pair, because near numbers do not form classes of equal ones.
    let done: Result<(), Infallible> = myers::diff_deadline_raw(
        &mut capture,
        answer,
        0..answer.len(),
        &compared[..],
        0..output.len(),
        deadline,
    );
    let Ok(()) = done;
    let mut diff = Diff::default();
    for op in group_diff_ops(capture.into_inner().into_ops(), CONTEXT).concat() {
        diff.add(&op, answer, output);
    }
    diff
}

impl Diff {
    fn add(&mut self, op: &DiffOp, answer: &[TextLine], output: &[TextLine]) {
        let room = MOST_LINES - self.lines.len();
        let answer = &answer[op.old_range()];
        let output = &output[op.new_range()];
        if let DiffOp::Equal { .. } = op {
            let lines = answer.iter().zip(output).take(room);
            self.omitted_lines += (output.len() - lines.len()) as u64;
            self.lines.extend(lines.map(|(answer, output)| DiffLine {
                tag: DiffTag::Equal,
                answer_line: Some(answer.number),
                output_line: Some(output.number),
                text: output.excerpt(None),
            }));
            return;
        }
        // Neither side takes more than half of the room, unless the other leaves some.
        let of_answer = answer.len().min((room / 2).max(room.saturating_sub(output.len())));
        let of_output = output.len().min(room - of_answer);
        self.omitted_lines += (answer.len() - of_answer + output.len() - of_output) as u64;
        self.lines.extend(answer.iter().enumerate().take(of_answer).map(|(at, line)| DiffLine {
            tag: DiffTag::Answer,
            answer_line: Some(line.number),
            output_line: None,
            text: shown_line(line, output.get(at)),
        }));
        self.lines.extend(output.iter().enumerate().take(of_output).map(|(at, line)| DiffLine {
            tag: DiffTag::Output,
            answer_line: None,
            output_line: Some(line.number),
            text: shown_line(line, answer.get(at)),
        }));
    }
}

fn shown_line(line: &TextLine, counterpart: Option<&TextLine>) -> Vec<u8> {
    let mut shown = line.excerpt(counterpart);
    if counterpart
        .is_some_and(|other| other.bytes == line.bytes && line.has_line_end && !other.has_line_end)
    {
        shown.push(b'\n');
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::check::windows::compare_slices;
    use crate::text::visible;

    /// The diff with `-` for lines of the judge answer and `+` for lines of the output, with both line numbers.
    fn show(arguments: &str, answer: &[u8], output: &[u8]) -> Vec<String> {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let options = Options::parse(&arguments).unwrap();
        let difference = compare_slices(answer, output, &options).unwrap();
        let diff = diff(&mut Cursor::new(answer), &mut Cursor::new(output), &difference, &options)
            .unwrap();
        let number = |line: Option<u64>| line.map_or("-".to_owned(), |line| line.to_string());
        let line = |line: &DiffLine| {
            let sign = match line.tag {
                DiffTag::Equal => ' ',
                DiffTag::Answer => '-',
                DiffTag::Output => '+',
            };
            format!(
                "{} {} {sign}{}",
                number(line.answer_line),
                number(line.output_line),
                visible(&line.text)
            )
        };
        let mut shown: Vec<String> = diff.lines.iter().map(line).collect();
        if diff.omitted_lines > 0 {
            shown.push(format!("{} left out", diff.omitted_lines));
        }
        shown
    }

    #[test]
    fn the_lines_around_the_difference_are_shown() {
        let check = |arguments: &str, answer: &str, output: &str, expected: &[&str]| {
            assert_eq!(show(arguments, answer.as_bytes(), output.as_bytes()), expected);
        };
        check(
            "",
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\n0\n6\n7\n8\n9\n",
            &["2 2  2", "3 3  3", "4 4  4", "5 - -5", "- 5 +0", "6 6  6", "7 7  7", "8 8  8"],
        );
        check("", "a\nb\nc\n", "a\nc\n", &["1 1  a", "2 - -b", "3 2  c"]);
        check("", "a\nc\n", "a\nb\nc\n", &["1 1  a", "- 2 +b", "2 3  c"]);
        check("", "a\n", "", &["1 - -a"]);
        check("", "", "a b", &["- 1 +a b"]);
        check("", "a\nb\n", "a\n", &["1 1  a", "2 - -b"]);
        check("", "a\nb", "a", &["1 1  a", "2 - -b"]);
    }

    #[test]
    fn lines_that_the_rules_accept_agree() {
        let check = |arguments: &str, answer: &str, output: &str, expected: &[&str]| {
            assert_eq!(show(arguments, answer.as_bytes(), output.as_bytes()), expected);
        };
        check(
            "",
            "A  b\n\nx\n1\n",
            "a b \r\n \nX\n2\n",
            &["1 1  a b \\r", "2 2   ", "3 3  X", "4 - -1", "- 4 +2"],
        );
        check("case_sensitive", "A\n1\n", "a\n1\n", &["1 - -A", "- 1 +a", "2 2  1"]);
        check("float_tolerance 0.1", "1.0\n5\n", "1.05\n7\n", &["1 1  1.05", "2 - -5", "- 2 +7"]);
        check(
            "space_change_sensitive",
            "1 2\n3\n",
            "1  2\n3\n",
            &["1 - -1 2", "- 1 +1  2", "2 2  3"],
        );
        check("space_change_sensitive", "1\n2\n", "1\n2", &["1 1  1", "2 - -2\\n", "- 2 +2"]);
        check("space_change_sensitive", "1\n\n2\n", "1\n2\n", &["1 1  1", "2 - -", "3 2  2"]);
    }

    #[test]
    fn both_sides_get_room_when_all_lines_differ() {
        let lines =
            |from: usize| -> String { (from..from + 1000).map(|n| format!("{n}\n")).collect() };
        let shown = show("", lines(1000).as_bytes(), lines(5000).as_bytes());
        assert_eq!(shown.len(), 26);
        assert_eq!(shown.iter().filter(|line| line.contains(" -1")).count(), 12);
        assert_eq!(shown.iter().filter(|line| line.contains(" +5")).count(), 13);
        assert_eq!(shown[25], "375 left out");
    }

    #[test]
    fn a_long_line_is_cut_around_its_difference() {
        let answer = format!("first\n{} x {}\nlast\n", "1 ".repeat(100_000), "2 ".repeat(100_000));
        let output = answer.replace('x', "y");
        let shown = show("", answer.as_bytes(), output.as_bytes());
        let (before, after) = ("1 ".repeat(30), "2 ".repeat(49));
        let line = |sign: &str, letter: &str| format!("{sign}…{} {letter} {after}…", &before[1..]);
        assert_eq!(shown, ["1 1  first".to_owned(), line("2 - -", "x"), line("- 2 +", "y")]);
    }

    #[test]
    fn lines_after_the_first_are_cut_around_theirs() {
        let long = "7".repeat(1000);
        let answer = format!("a\n{long}a{long}\n");
        let output = format!("b\n{long}b{long}\n");
        let shown = show("", answer.as_bytes(), output.as_bytes());
        let sevens = |count| "7".repeat(count);
        let line =
            |sign: &str, letter: &str| format!("{sign}…{}{letter}{}…", sevens(60), sevens(99));
        assert_eq!(
            shown,
            ["1 - -a".to_owned(), line("2 - -", "a"), "- 1 +b".to_owned(), line("- 2 +", "b")]
        );
    }

    #[test]
    fn an_endless_line_is_read_in_part() {
        let answer = vec![b'a'; 3 << 20];
        let mut output = answer.clone();
        output[2 << 20] = b'\n';
        let shown = show("", &answer, &output);
        assert_eq!(shown.len(), 2, "the rest of the output's next line is not known: {shown:?}");
        assert!(shown.iter().all(|line| line.len() < 180), "{shown:?}");
        assert!(shown[0].starts_with("1 - -…a") && shown[0].ends_with("a…"));
        assert!(shown[1].starts_with("- 1 +…a") && shown[1].ends_with('a'));
    }

    proptest::proptest! {
        #[test]
        fn no_texts_make_the_diff_fail(
            answer in proptest::collection::vec(proptest::sample::select(b"a1 \n\r\xc3\xa9".to_vec()), 0..300),
            output in proptest::collection::vec(proptest::sample::select(b"a1 \n\r\xc3\xa9".to_vec()), 0..300),
            argument in proptest::sample::select(vec!["", "case_sensitive", "space_change_sensitive", "float_tolerance 1"]),
        ) {
            let arguments: Vec<String> = argument.split_whitespace().map(str::to_owned).collect();
            let options = Options::parse(&arguments).unwrap();
            if let Some(difference) = compare_slices(&answer, &output, &options) {
                let diff = diff(&mut Cursor::new(&answer), &mut Cursor::new(&output), &difference, &options).unwrap();
                proptest::prop_assert!(diff.lines.len() <= MOST_LINES);
                let is_change = |line: &DiffLine| line.tag != DiffTag::Equal;
                proptest::prop_assert!(diff.lines.iter().any(is_change) || diff.omitted_lines > 0, "{diff:?}");
            }
        }
    }
}
