//! Comparisons by name, against what the originals say.

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use super::*;
use crate::check::compare::{CompareError, compare};
use crate::check::options::Options;
use crate::difference::{Difference, DifferenceKind};

fn originals() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/checkers"))
}

fn options(text: &str) -> Options {
    Options::of_name(text).unwrap()
}

fn verdict(options: &Options, answer: &[u8], output: &[u8]) -> &'static str {
    match compare(Cursor::new(answer), Cursor::new(output), options) {
        Ok(None) => "A",
        Ok(Some(_)) => "W",
        Err(CompareError::RefusedAnswer(_)) => "R",
        Err(CompareError::Read(error)) => panic!("{error}"),
    }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        bytes.push(match (character, character == '\\') {
            (_, false) => character as u8,
            _ => match rest.next().unwrap() {
                't' => b'\t',
                'n' => b'\n',
                'r' => b'\r',
                'x' => {
                    let digits: String = rest.by_ref().take(2).collect();
                    u8::from_str_radix(&digits, 16).unwrap()
                }
                other => other as u8,
            },
        });
    }
    bytes
}

#[test]
fn each_comparison_agrees_with_its_original() {
    let mut named = BTreeSet::new();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(originals()).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.to_str().unwrap().strip_suffix(".tsv") else { continue };
        let name = name.rsplit('/').next().unwrap();
        let options = options(name);
        named.insert(options.named.unwrap().name());
        let pairs = fs::read_to_string(&path).unwrap();
        assert_eq!(pairs.lines().count(), 300, "{name}");
        for line in pairs.lines() {
            let [expected, answer, output] =
                line.split('\t').collect::<Vec<_>>().try_into().unwrap();
            let found = verdict(&options, &unescape(answer), &unescape(output));
            if found != expected {
                wrong.push(format!("{name}: {line}: {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    let own = ["words", "lines", "tokens", "exact", "none", "float", "json"];
    let missing: Vec<&str> =
        names().filter(|name| !named.contains(name) && !own.contains(name)).collect();
    assert!(missing.is_empty(), "no verdicts of {missing:?}");
}

#[test]
fn own_names_compare_as_their_originals() {
    let row = |text: &str| parse(text).unwrap().unwrap().row;
    assert_eq!(row("words"), row("wcmp"));
    assert_eq!(row("lines"), row("lcmp"));
    assert_eq!(row("exact"), row("identical"));
    let own = Options { named: None, ..options("tokens") };
    assert_eq!(own, Options::default());
}

#[test]
fn float_compares_words_and_near_numbers() {
    let check = |text: &str, answer: &str, output: &str, expected: &str| {
        let found = verdict(&options(text), answer.as_bytes(), output.as_bytes());
        assert_eq!(found, expected, "{text}: {answer:?} {output:?}");
    };
    check("float=1e-6", "Yes 1.0", "Yes\n1.0000001", "A");
    check("float=1e-6", "Yes 1.0", "yes 1.0", "W");
    check("float=1e-6", "1.0", "1.1", "W");
    check("float=1e-6", "1", "nan", "W");
    check("float=1e-6", "1", "inf", "W");
    check("float=1e-6", "inf", "inf", "A");
    check("float=0.5", "100", "149", "A");
}

#[test]
fn names_and_arguments_are_checked() {
    let check = |text: &str, message: &str| {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
    };
    check("float", "write the largest error: float=1e-6");
    check("float=x", "the error `x` of `float` is not a number; write one such as `1e-6`");
    check(
        "float=-1",
        "the error `-1` of `float` is negative, so nothing would be accepted; write one such as `1e-6`",
    );
    check("floats,precision=x", "`precision` of `floats` is a number of digits, 0 to 300, not `x`");
    check("floats,precision", "`precision` has no value; write `precision=VALUE`");
    check("floats,eps=1", "`floats` has no argument `eps`; it has `precision` and `error_mode`");
    check("wcmp,a=1", "`wcmp` has no argument `a`; it has none");
    check(
        "floats,precision=1,precision=2",
        "`precision` is given more than once; keep one of them",
    );
    for path in ["check.py", "./exact", "a=b.cpp", "", "Words"] {
        assert_eq!(parse(path), Ok(None), "{path}");
    }
    let suggest = |text: &str, name: Option<&str>| assert_eq!(suggestion(text), name, "{text}");
    suggest("word", Some("words"));
    suggest("wmcp", Some("wcmp"));
    suggest("float,precision=3", Some("float"));
    suggest("check.py", None);
    let warns = |text: &str| parse(text).unwrap().unwrap().warning().is_some();
    assert!(warns("float=1") && !warns("float=0.999") && !warns("words"));
}

fn difference(text: &str, answer: &str, output: &str) -> Difference {
    compare(Cursor::new(answer), Cursor::new(output), &options(text)).unwrap().unwrap()
}

#[test]
fn an_output_that_is_nearly_right_gets_the_comparison_that_accepts_it() {
    let check = |text: &str, answer: &str, output: &str, hint: Option<&str>| {
        let found = difference(text, answer, output).hint();
        assert_eq!(found.as_deref(), hint, "{text}: {answer:?} {output:?}");
    };
    let case = Some("only upper and lower case differ; `--compare tokens` accepts this output");
    check("words", "Yes\n", "YES\n", case);
    check("wcmp", "Yes 1\n", "YES\n1\n", case);
    check("lines", "Yes 1\n", "YES 1\n", case);
    check("words", "Yes\n", "No\n", None);
    let ends = Some(
        "only line ends, or blanks at the ends of lines, differ; `--compare lines` accepts this output",
    );
    check("exact", "1\n2\n", "1 \r\n2\n", ends);
    check("exact", "1 2\n", "1 2\n\n\n", ends);
    check("identical", "1 2\n", "1 2 \n", ends);
    check(
        "exact",
        "1 2\n",
        "1 2",
        Some("only the final line end is missing; `--compare lines` accepts this output"),
    );
    check(
        "exact",
        "1 2\n",
        "1  2\n",
        Some("only blanks and line ends differ; `--compare lines` accepts this output"),
    );
    check(
        "lines",
        "1 2\n",
        "1\n2\n",
        Some("only blanks and line ends differ; `--compare words` accepts this output"),
    );
    check("uncmp", "1 2\n", "1 3\n", None);
}

#[test]
fn near_numbers_get_the_tolerance_that_accepts_them() {
    let check = |text: &str, answer: &str, output: &str, tolerance: &str| {
        let found = difference(text, answer, output).hint();
        let hint = (!tolerance.is_empty()).then(|| {
            format!(
                "only numbers differ, and they are near; `--compare float={tolerance}` accepts this output"
            )
        });
        assert_eq!(found, hint, "{text}: {answer:?} {output:?}");
    };
    check("words", "0.333333333\n", "0.33333333\n", "1e-6");
    check("words", "0.3\n", "0.30000000000000004\n", "1e-9");
    check("words", "1\n", "1.0\n", "1e-9");
    check("words", "1.50\n", "1.5\n", "1e-9");
    check("words", "0.0\n", "-0.0\n", "1e-9");
    check("words", "1234567.8\n", "1.23457e+06\n", "1e-4");
    check("words", "x 7 0.5\ny 2.25\n", "x 7 0.50001\ny 2.25000001\n", "1e-4");
    check("lines", "3.14159\n2\n", "3.14160\n2\n", "1e-4");
    check("exact", "3.1415926\n", "3.1415927\n", "1e-6");
    check("wcmp", "1e9\n", "1000000000\n", "1e-9");
    check("tokens", "100000000\n", "100000000.001\n", "1e-9");
    let accepted = |text: &str, answer: &str, output: &str, hint: Option<&str>| {
        let found = difference(text, answer, output).hint();
        assert_eq!(found.as_deref(), hint, "{text}: {answer:?} {output:?}");
    };
    let blanks_too = Some("`--compare float=1e-9` accepts this output");
    accepted("exact", "0.333333333333 1\n", "0.3333333333  1 \n", blanks_too);
    accepted("lines", "0.333333333333\n1\n", "0.3333333333 1\n", blanks_too);
    accepted("exact", "0.5 x\n", "0.5000001 y \n", None);
    accepted("exact", "7 0.5\n", "8 0.5 \n", None);
    // One of these is wrong, whatever the tolerance.
    check("words", "0.5 3\n", "0.50001 4\n", "");
    check("words", "1000000006\n", "1000000007\n", "");
    check("words", "1000000006 0.5\n", "1000000007 0.500001\n", "");
    check("words", "0.5\n", "0.51\n", "");
    check("words", "0.5 0.5\n", "0.500001\n", "");
    check("words", "0.5\n", "0,500001\n", "");
    check("words", "0.5\n", "nan\n", "");
    // A tolerance was already chosen.
    check("float=1e-9", "0.333333333\n", "0.33333333\n", "");
    check("rcmp9", "0.333333333\n", "0.33333333\n", "");
}

#[test]
fn characters_that_are_not_ascii_are_named_where_they_differ() {
    let check = |text: &str, answer: &str, output: &str, got: &str, expected: &str| {
        let found = difference(text, answer, output).hint();
        let hint =
            (!got.is_empty()).then(|| format!("the output has {got} where {expected} is expected"));
        assert_eq!(found, hint, "{text}: {answer:?} {output:?}");
    };
    check("words", "cat\n", "c\u{430}t\n", "U+0430", "`a`");
    check("words", "-1\n", "\u{2212}1\n", "U+2212", "`-`");
    check("words", "12\n", "\u{ff11}\u{ff12}\n", "U+FF11", "`1`");
    check("words", "NO\n", "\u{39d}O\n", "U+039D", "`N`");
    check("exact", "a'b\n", "a\u{2019}b\n", "U+2019", "`'`");
    check("lines", "1 x\n", "1 \u{445}\n", "U+0445", "`x`");
    check("fcmp", "1 x y\n", "1 x \u{443}\n", "U+0443", "`y`");
    check("words", "\u{3bc}\n", "\u{b5}\n", "U+00B5", "U+03BC");
    check("words", "\u{430}\n", "\u{431}\n", "U+0431", "U+0430");
    check("words", "\u{e9}\n", "e\u{301}\n", "`e`", "U+00E9");
    check("float=1e-6", "-1\n", "\u{2013}1\n", "U+2013", "`-`");
    check("words", "\u{1f600}\n", ":)\n", "`:`", "U+1F600");
    // Nothing is there to be named.
    check("words", "cat\n", "cot\n", "", "");
    check("words", "cat\n", "cat\u{430}\n", "", "");
    check("words", "1\n", "1 \u{430}\n", "", "");
    check("unordered", "a b\n", "a \u{430}\n", "", "");
}

#[test]
fn differences_are_where_the_comparison_sees_them() {
    use DifferenceKind as Kind;
    let check = |text: &str, answer: &str, output: &str, kind: Kind, tokens: [&str; 2]| {
        let found = difference(text, answer, output);
        let shown = [found.answer.token.bytes, found.output.token.bytes];
        assert_eq!(
            (found.kind, shown),
            (kind, tokens.map(|token| token.as_bytes().to_vec())),
            "{text}"
        );
    };
    check("words", "a b\n", "a c\n", Kind::Token, ["b", "c"]);
    check("ncmp", "1 2\n", "1 +2\n", Kind::NotANumber, ["2", "+2"]);
    check("ncmp", "1 2\n", "1\n", Kind::OutputEnds, ["2", ""]);
    check("yesno", "YES\n", "yes 1\n", Kind::OutputGoesOn, ["", "1"]);
    check("rcmp6", "1.5\n", "1.6\n", Kind::Number, ["1.5", "1.6"]);
    check("fcmp", "a b\n", "a  b\n", Kind::Line, ["a b", "a  b"]);
    check("lcmp", "a b\n", "a\nb\n", Kind::Line, ["a b", "a"]);
    check("standard", "a b\n", "a c\n", Kind::Token, ["b", "c"]);
    check("sorted", "a b\nc\n", "c\na d\n", Kind::Missing, ["a b", ""]);
    check("unordered", "a b\n", "a a\n", Kind::Surplus, ["", "a"]);
    check("easy", "aab", "AB", Kind::Missing, ["a", ""]);
    check("floats", "a 1.0\n", "a 2.0\n", Kind::Number, ["1.0", "2.0"]);
}

#[test]
fn a_refused_answer_is_described() {
    let check = |text: &str, answer: &str, message: &str| {
        let found = compare(Cursor::new(answer), Cursor::new("1\n"), &options(text));
        assert_eq!(found.unwrap_err().to_string(), message, "{text}");
    };
    check("ncmp", "1\nx\n", "line 2: `ncmp` expects an integer of 64 bits, not `x`");
    check("icmp", "", "line 1: `icmp` expects an integer of 32 bits, not the end of the file");
    check("hcmp", "1\n2\n", "line 2: `hcmp` expects only one token, not `2`");
    check("yesno", "maybe", "line 1: `yesno` expects YES or NO, not `maybe`");
    check("caseicmp", "Case 2: 1", "line 1: `caseicmp` expects `1:`, not `2:`");
}
