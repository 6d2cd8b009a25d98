//! Describes the first difference in words.

use crate::difference::{Difference, DifferenceKind, DifferenceSide, Excerpt};
use crate::text::visible;

/// The difference in one line: ``token 2 differs: expected `11`, got `12` (line 1, column 4)``.
///
/// The position is that in the output, counted from 1.
pub fn describe(difference: &Difference) -> String {
    let (answer, output) = (&difference.answer, &difference.output);
    let (what, expected, got) =
        (difference.summary(), quoted_token(&answer.token), quoted_token(&output.token));
    let sides = match difference.kind {
        DifferenceKind::OutputEnds if output.length == 0 => {
            return format!("{what}: expected {expected} first");
        }
        DifferenceKind::Missing | DifferenceKind::OutputEnds => format!("expected {expected}"),
        DifferenceKind::Surplus | DifferenceKind::OutputGoesOn => format!("got {got}"),
        DifferenceKind::Blanks => {
            format!("expected {}, got {}", quoted_blanks(answer), quoted_blanks(output))
        }
        _ => format!("expected {expected}, got {got}"),
    };
    format!("{what}: {sides} ({})", position(output))
}

/// Dots show where it was cut.
fn quoted_token(excerpt: &Excerpt) -> String {
    let cut = |bytes: u64| if bytes > 0 { "…" } else { "" };
    format!("`{}{}{}`", cut(excerpt.cut_before), visible(&excerpt.bytes), cut(excerpt.cut_after))
}

/// Makes spaces visible.
fn quoted_blanks(side: &DifferenceSide) -> String {
    if side.token.bytes.is_empty() {
        "none".to_owned()
    } else {
        quoted_token(&side.token).replace(' ', "␠")
    }
}

fn position(side: &DifferenceSide) -> String {
    format!("line {}, column {}", side.line, side.column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::options::Options;
    use crate::check::windows::compare_slices;

    fn difference(arguments: &str, answer: &str, output: &str) -> Difference {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let options = Options::parse(&arguments).unwrap();
        compare_slices(answer.as_bytes(), output.as_bytes(), &options).unwrap()
    }

    #[test]
    fn the_cause_is_one_line_with_token_and_place() {
        let check = |arguments: &str, answer: &str, output: &str, expected: &str| {
            assert_eq!(describe(&difference(arguments, answer, output)), expected);
        };
        check(
            "",
            "10 11\n",
            "10 12\n",
            "token 2 differs: expected `11`, got `12` (line 1, column 4)",
        );
        check(
            "",
            "a\nb",
            "a\nb\n\n c",
            "the output goes on after 2 tokens: got `c` (line 4, column 2)",
        );
        check("", "a\nb", "a\n", "the output ends before token 2: expected `b` (line 2, column 1)");
        check("", "a", "", "the output is empty: expected `a` first");
        check("", "a", "\n", "the output ends before token 1: expected `a` (line 2, column 1)");
        check(
            "",
            "",
            "\x1b[2J",
            "the output goes on after 0 tokens: got `\\x1b[2J` (line 1, column 1)",
        );
        check(
            "float_tolerance 1e-3",
            "1.5",
            "1.6",
            "token 1 is too far off: expected `1.5`, got `1.6` (line 1, column 1)",
        );
        check(
            "float_tolerance 1e-3",
            "1.5",
            "nan",
            "token 1 is not a number: expected `1.5`, got `nan` (line 1, column 1)",
        );
        check(
            "space_change_sensitive",
            "1 2\n",
            "1  2\n",
            "the blanks before token 2 differ: expected none, got `␠` (line 1, column 3)",
        );
        check(
            "space_change_sensitive",
            "1 2\n",
            "1\n2\n",
            "the blanks before token 2 differ: expected `␠`, got `\\n` (line 1, column 2)",
        );
        check(
            "space_change_sensitive",
            "1\n",
            "1",
            "the blanks at the end differ: expected `\\n`, got none (line 1, column 2)",
        );
    }

    #[test]
    fn a_long_token_is_cut_around_its_first_differing_byte() {
        let answer = format!("{}x{}", "a".repeat(1000), "b".repeat(1000));
        let output = format!("{}y{}", "a".repeat(1000), "b".repeat(500));
        let (before, after) = ("a".repeat(30), "b".repeat(29));
        assert_eq!(
            describe(&difference("", &answer, &output)),
            format!(
                "token 1 differs: expected `…{before}x{after}…`, got `…{before}y{after}…` (line 1, column 1)"
            )
        );
    }

    #[test]
    fn a_cut_goes_through_no_character() {
        let answer = format!("{}x{}", "é".repeat(100), "é".repeat(100));
        let output = format!("a{}y{}", "é".repeat(100), "é".repeat(100));
        assert!(!describe(&difference("", &answer, &output)).contains("\\x"));
        let output = answer.replace('x', "y");
        assert!(!describe(&difference("", &answer, &output)).contains("\\x"));
    }
}
