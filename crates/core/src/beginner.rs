//! What a beginner's program usually does wrong, from its output and the judge answer alone. A hint comes from facts:
//! with that one change, the output would be right.

use std::collections::HashSet;

use crate::text::joined;

/// At most one hint: the first of the table that holds.
pub fn beginner_hint(answer: &[u8], output: &[u8]) -> Option<String> {
    let (Ok(answer), Ok(output)) = (str::from_utf8(answer), str::from_utf8(output)) else {
        return None;
    };
    let texts = Texts::new(answer, output);
    let hints: [fn(&Texts<'_>) -> Option<String>; 5] =
        [without_none, with_decimal_points, cut_to_integers, without_prompt, with_or_without_line];
    hints.into_iter().find_map(|hint| hint(&texts)).filter(|_| !texts.expected.is_empty())
}

/// From the runs of a program, each with judge answer and output: its output is the same whatever the input. `None` is a
/// run that says nothing. With only two answers, a program may be wrong by chance.
pub fn constant_output_hint(
    runs: impl Iterator<Item = Option<[Vec<u8>; 2]>>,
) -> Option<&'static str> {
    const FEWEST: usize = 3;
    let words = |text: Vec<u8>| joined(String::from_utf8_lossy(&text).split_whitespace(), " ");
    let mut answers = Vec::new();
    let mut constant = None;
    for run in runs {
        let [answer, output] = run?.map(words);
        if *constant.get_or_insert(output.clone()) != output {
            return None;
        }
        answers.push(answer);
    }
    let constant = constant?;
    let others: HashSet<&String> = answers.iter().filter(|it| **it != constant).collect();
    if answers.len() < FEWEST || others.len() < 2 {
        return None;
    }
    Some(if constant.is_empty() {
        "it writes nothing, whatever the input: is the part that writes ever called?"
    } else if answers.contains(&constant) {
        "its output is the answer of one test case, whatever the input: compute it from what the program reads"
    } else {
        "its output is the same, whatever the input: does it use what it reads?"
    })
}

struct Texts<'t> {
    expected: Vec<&'t str>,
    got: Vec<&'t str>,
    expected_lines: Vec<&'t str>,
    got_lines: Vec<&'t str>,
}

impl<'t> Texts<'t> {
    fn new(answer: &'t str, output: &'t str) -> Self {
        let words = |text: &'t str| text.split_whitespace().collect();
        let lines = |text: &'t str| text.trim_end().lines().map(str::trim_end).collect();
        Self {
            expected: words(answer),
            got: words(output),
            expected_lines: lines(answer),
            got_lines: lines(output),
        }
    }

    /// Whether the words agree, each pair by `is_same`, and at least one pair by this alone.
    fn agree_only(&self, is_same: impl Fn(&str, &str) -> bool) -> bool {
        let pairs = || self.expected.iter().zip(&self.got);
        self.expected.len() == self.got.len()
            && pairs().any(|(expected, got)| expected != got)
            && pairs().all(|(expected, got)| expected == got || is_same(expected, got))
    }
}

fn without_none(texts: &Texts<'_>) -> Option<String> {
    let got = texts.got.iter().filter(|word| **word != "None");
    let is_so = got.eq(&texts.expected) && texts.got.len() > texts.expected.len();
    let hint = "without `None`, the output is right: a function without `return` gives `None`, and `print` shows it";
    is_so.then(|| hint.to_owned())
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    digits.starts_with(|first: char| first.is_ascii_digit()) && digits.parse::<f64>().is_ok()
}

fn with_decimal_points(texts: &Texts<'_>) -> Option<String> {
    let is_same = |expected: &str, got: &str| {
        let pointed = got.replacen(',', ".", 1);
        let equals = || expected.parse::<f64>().is_ok_and(|it| pointed.parse() == Ok(it));
        got.contains(',') && expected.contains('.') && is_number(&pointed) && equals()
    };
    let hint = "numbers have a decimal comma; with a point, the output is right";
    texts.agree_only(is_same).then(|| hint.to_owned())
}

fn cut_to_integers(texts: &Texts<'_>) -> Option<String> {
    let integer = |word: &str| word.strip_suffix(".0").unwrap_or(word).parse::<i64>().ok();
    let is_same = |expected: &str, got: &str| {
        let exact = expected.parse::<f64>().ok().filter(|_| is_number(expected));
        let exact = exact.filter(|exact| exact.fract() != 0.0);
        let got = integer(got).map(|got| got as f64);
        exact.zip(got).is_some_and(|(exact, got)| exact.trunc() == got || exact.floor() == got)
    };
    let hint =
        "each wrong number is the right one without its decimals: is it divided as an integer?";
    texts.agree_only(is_same).then(|| hint.to_owned())
}

/// At least one word in between must have a letter, and none may be a number.
fn without_prompt(texts: &Texts<'_>) -> Option<String> {
    let mut wanted = texts.expected.iter().peekable();
    let mut extra = Vec::new();
    for word in &texts.got {
        match wanted.next_if(|expected| *expected == word) {
            Some(_) => {}
            // A prompt has no line end: `Number:3`.
            None => match wanted.peek().and_then(|expected| word.strip_suffix(**expected)) {
                Some(before) if before.ends_with([':', '?', '=', '>']) => {
                    extra.push(before);
                    wanted.next();
                }
                _ => extra.push(word),
            },
        }
    }
    let is_prompt = |word: &&str| word.chars().any(char::is_alphabetic);
    let are_numbers = || extra.iter().any(|word| is_number(word));
    let is_so = wanted.next().is_none() && extra.iter().any(is_prompt) && !are_numbers();
    let shown = extra.iter().take(4).copied().collect::<Vec<_>>().join(" ");
    is_so.then(|| {
        format!("all that is expected is there, with other text between, such as `{shown}`: print no prompt and no label")
    })
}

fn with_or_without_line(texts: &Texts<'_>) -> Option<String> {
    let (expected, got) = (&texts.expected_lines, &texts.got_lines);
    let (longer, shorter, what) = match expected.len().abs_diff(got.len()) {
        1 if got.len() > expected.len() => (got, expected, "one line too many"),
        1 => (expected, got, "one line too few"),
        _ => return None,
    };
    let same = longer.iter().zip(shorter).take_while(|(long, short)| long == short).count();
    // A single line says nothing about a loop.
    let is_so = shorter.len() >= 2 && longer[same + 1..] == shorter[same..];
    let side = if longer.len() == got.len() { "of the output" } else { "of the expected output" };
    is_so.then(|| format!("the output has {what}, line {} {side}; all others are right", same + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, output: &str, part: Option<&str>) {
        let hint = beginner_hint(answer.as_bytes(), output.as_bytes());
        let is_so = match (&hint, part) {
            (Some(hint), Some(part)) => hint.contains(part),
            (hint, part) => hint.is_none() && part.is_none(),
        };
        assert!(is_so, "{answer:?} {output:?}: {hint:?}");
    }

    #[test]
    fn usual_mistakes_are_told() {
        check("3\n", "Enter a number: 3\n", Some("such as `Enter a number:`"));
        check("3\n", "n?3\n", Some("`n?`"));
        check("3 4\n", "The results are 3 and 4.\n", None);
        check("3 4\n", "The results are 3 and 4\n", Some("`The results are and`"));
        check("3\n", "3\nPress a key\n", Some("such as `Press a key`"));
        check("2.5\n", "2,5\n", Some("decimal comma"));
        check("1 2.50\n", "1 2,5\n", Some("decimal comma"));
        check("1\n2\n3\n", "1\n2\n3\n4\n", Some("one line too many, line 4 of the output"));
        check("1\n2\n3\n", "1\n2\n", Some("one line too few, line 3 of the expected output"));
        check("1\n2\n3\n", "0\n1\n2\n3\n", Some("too many, line 1"));
        check("3\n", "3\nNone\n", Some("`return`"));
        check("2.5\n", "2\n", Some("as an integer"));
        check("2.5 7\n", "2.0 7\n", Some("as an integer"));
        check("-2.5\n", "-3\n", Some("as an integer"));
    }

    /// Each run is `answer=output`; `-` is a run that says nothing.
    #[test]
    fn an_output_that_never_changes_is_told() {
        let check = |runs: &str, part: Option<&str>| {
            let run = |run: &str| {
                let (answer, output) = run.split_once('=')?;
                Some([answer, output].map(|text| format!("{text}\n").into_bytes()))
            };
            let hint = constant_output_hint(runs.split(' ').map(run));
            assert_eq!(hint.is_some(), part.is_some(), "{runs}: {hint:?}");
            assert!(hint.unwrap_or_default().contains(part.unwrap_or_default()), "{hint:?}");
        };
        check("3=3 4=3 5=3", Some("the answer of one test case"));
        check("4=3 3=3 5=3 3=3", Some("the answer of one test case"));
        check("4=9 3=9 5=9", Some("does it use what it reads"));
        check("4= 3= 5=", Some("it writes nothing"));
        for others in [
            "3=3 4=3",
            "3=3 4=4 5=4",
            "3=3 4=3 4=3",
            "no=no yes=no yes=no no=no",
            "3=3 4=3 5=4",
            "3=3 4=3 5=3 -",
            "- 3=3 4=3 5=3",
            "3=3 4=4 5=5",
            "3= 4= 5=5",
            "3=0 4=0 3=0 5=5",
            "3=0 3=0 3=0",
            "3=",
        ] {
            check(others, None);
        }
    }

    /// Ten for each hint.
    #[test]
    fn others_get_no_hint() {
        for (answer, outputs) in [
            // A prompt.
            (
                "3\n",
                [
                    "4",
                    "Number: 4",
                    "1 2 3 4",
                    "33",
                    "x3",
                    "3x",
                    "answer",
                    "0 3",
                    "1 x 3",
                    "3 and 5 more",
                ],
            ),
            // `None`.
            (
                "3 4\n",
                [
                    "None", "3", "3 None", "None 4", "4 None 3", "3 4 5", "3 none", "Nonee 3",
                    "3 5 None", "NoneNone",
                ],
            ),
            ("None\n", ["0", "1", "3", "4", "5", "6", "7", "8", "9", "-1"]),
            // A decimal comma.
            ("2.5\n", ["2,6", "25", "2;5", "2,5,0", "a,b", ",", "2,", "2.5,2.5", "3,5", "-2,5"]),
            (
                "1000\n",
                ["1,000", "1,0", "1", "100", "10", "1000,1", "1,00", "0,1", "1,0000", "1000,"],
            ),
            // Integer division.
            ("7.5\n", ["8", "6", "7.4", "7.6", "7.25", "-7", "75", "0", "7e9", "70"]),
            ("7\n", ["6", "8", "3", "0", "-7", "70", "77", "1", "7.5", "3.5"]),
            // A line.
            (
                "1\n2\n3\n",
                [
                    "1\n3\n2\n4",
                    "1",
                    "1\n2\n3\n4\n5",
                    "2\n1",
                    "3\n2\n1\n0",
                    "4\n5",
                    "1\n2\n4",
                    "1\n4",
                    "4\n3\n2\n1",
                    "1\n2\n4\n4",
                ],
            ),
        ] {
            outputs.iter().for_each(|output| check(answer, output, None));
        }
        check("", "Enter a number:", None);
    }
}
