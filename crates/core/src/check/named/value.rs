//! Compares two texts as JSON values, as Python's `==` compares what it reads from them.
//!
//! Integers are exact at any size, `1`, `1.0` and `true` are equal, and the order of an object's keys does not count.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::check::float::{NumberComparison, Tolerance, number_value};
use crate::check::named::cut::Span;

/// Values that are nested deeper are refused.
const MOST_NESTED: usize = 100;

/// When two values are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ValueRule {
    /// How far numbers may be from the answer's, unless both are integers.
    pub(super) tolerance: Option<f64>,
    /// Whether the order of the outermost list does not count.
    pub(super) any_order: bool,
    /// Whether an answer that is a list also stands for its first item.
    pub(super) boxed: bool,
}

/// A value, and where it is in its text.
#[derive(Clone, Debug)]
pub(super) struct Value {
    span: Span,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Null,
    /// A truth value is 0 or 1.
    Number {
        literal: String,
        value: f64,
    },
    Text(String),
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

/// `None` if the text is not one JSON value.
pub(super) fn parse(text: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(text).ok()?;
    parse_part(serde_json::from_str(text).ok()?, text, MOST_NESTED)
}

fn parse_part(raw: &RawValue, whole: &str, depth: usize) -> Option<Value> {
    let raw = raw.get();
    let depth = depth.checked_sub(1)?;
    let number = |literal: &str| {
        Some(Content::Number {
            literal: literal.to_owned(),
            value: number_value(literal.as_bytes())?,
        })
    };
    let content = match raw.as_bytes().first()? {
        b'n' => Content::Null,
        b'f' => number("0")?,
        b't' => number("1")?,
        b'"' => Content::Text(serde_json::from_str(raw).ok()?),
        b'[' => {
            let parts: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
            let parts = parts.into_iter().map(|part| parse_part(part, whole, depth));
            Content::List(parts.collect::<Option<_>>()?)
        }
        b'{' => {
            let parts: BTreeMap<String, &RawValue> = serde_json::from_str(raw).ok()?;
            let parts =
                parts.into_iter().map(|(key, part)| Some((key, parse_part(part, whole, depth)?)));
            Content::Object(parts.collect::<Option<_>>()?)
        }
        _ if raw == "-0" => number("0")?,
        _ => number(raw)?,
    };
    let start = raw.as_ptr().addr() - whole.as_ptr().addr();
    Some(Value { span: Span { start, end: start + raw.len() }, content })
}

impl ValueRule {
    /// The first parts that differ, or `None`.
    pub(super) fn difference(self, answer: Value, output: Value) -> Option<[Span; 2]> {
        let first = match &answer.content {
            Content::List(parts) if self.boxed => parts.first().cloned(),
            _ => None,
        };
        let Some(first) = first else { return self.unboxed_difference(answer, output) };
        self.unboxed_difference(answer, output.clone())?;
        self.unboxed_difference(first, output)
    }

    fn unboxed_difference(self, mut answer: Value, mut output: Value) -> Option<[Span; 2]> {
        if self.any_order {
            for value in [&mut answer, &mut output] {
                if let Content::List(parts) = &mut value.content {
                    parts.sort_by(order);
                }
            }
        }
        self.first_difference(&answer, &output)
    }

    fn first_difference(self, answer: &Value, output: &Value) -> Option<[Span; 2]> {
        let here = Some([answer.span, output.span]);
        match (&answer.content, &output.content) {
            (Content::Null, Content::Null) => None,
            (Content::Text(text), Content::Text(other)) if text == other => None,
            (
                Content::Number { literal, value },
                Content::Number { literal: other_literal, value: other },
            ) => {
                let is_integer = |literal: &str| !literal.contains(['.', 'e', 'E']);
                let is_equal = match self.tolerance {
                    _ if is_integer(literal) && is_integer(other_literal) => {
                        literal == other_literal
                    }
                    Some(most) => {
                        let tolerance = Tolerance { absolute: Some(most), relative: Some(most) };
                        let literals = [literal, other_literal].map(String::as_bytes);
                        tolerance.compare(literals[0], literals[1]) == NumberComparison::Within
                    }
                    None => value == other,
                };
                if is_equal { None } else { here }
            }
            (Content::List(parts), Content::List(others)) if parts.len() == others.len() => {
                let mut pairs = parts.iter().zip(others);
                pairs.find_map(|(part, other)| self.first_difference(part, other))
            }
            (Content::Object(parts), Content::Object(others)) if parts.keys().eq(others.keys()) => {
                let mut pairs = parts.values().zip(others.values());
                pairs.find_map(|(part, other)| self.first_difference(part, other))
            }
            _ => here,
        }
    }
}

/// A total order in which equal values are neighbours.
fn order(one: &Value, other: &Value) -> Ordering {
    let kind = |content: &Content| match content {
        Content::Null => 0,
        Content::Number { .. } => 1,
        Content::Text(_) => 2,
        Content::List(_) => 3,
        Content::Object(_) => 4,
    };
    match (&one.content, &other.content) {
        (
            Content::Number { literal, value },
            Content::Number { literal: other_literal, value: other },
        ) => value.total_cmp(other).then_with(|| literal.cmp(other_literal)),
        (Content::Text(text), Content::Text(other)) => text.cmp(other),
        (Content::List(parts), Content::List(others)) => {
            let orders = parts.iter().zip(others).map(|(part, other)| order(part, other));
            let first = orders.into_iter().find(|order| order.is_ne());
            first.unwrap_or_else(|| parts.len().cmp(&others.len()))
        }
        (Content::Object(parts), Content::Object(others)) => {
            let keys = parts.keys().cmp(others.keys());
            let mut values = parts.values().zip(others.values());
            let values = values
                .find_map(|(part, other)| Some(order(part, other)).filter(|order| order.is_ne()));
            keys.then(values.unwrap_or(Ordering::Equal))
        }
        (content, other) => kind(content).cmp(&kind(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EXACT: ValueRule = ValueRule { tolerance: None, any_order: false, boxed: false };

    /// `None` if they are equal, else the parts that differ first.
    fn differ(rule: ValueRule, answer: &str, output: &str) -> Option<String> {
        let [left, right] = [answer, output].map(|text| parse(text.as_bytes()).expect("JSON"));
        let [left, right] = rule.difference(left, right)?;
        Some(format!("{} {}", &answer[left.start..left.end], &output[right.start..right.end]))
    }

    #[test]
    fn values_are_equal_as_in_python() {
        let check = |answer: &str, output: &str, expected: Option<&str>| {
            assert_eq!(differ(EXACT, answer, output).as_deref(), expected, "{answer} {output}");
        };
        for (answer, output) in [
            ("[1, 2]", " [1,2] "),
            ("{\"a\": 1, \"b\": [2]}", "{\"b\":[2],\"a\":1}"),
            ("\"\\u00e9\"", "\"\u{e9}\""),
            ("1", "1.0"),
            ("true", "1"),
            ("-0", "0"),
            ("null", "null"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("0.1", "1e-1"),
        ] {
            check(answer, output, None);
        }
        check("[1, [2, 3]]", "[1, [2, 4]]", Some("3 4"));
        check("[1, 2]", "[1]", Some("[1, 2] [1]"));
        check("{\"a\": 1}", "{\"b\": 1}", Some("{\"a\": 1} {\"b\": 1}"));
        check("123456789012345678901234567890", "123456789012345678901234567891", {
            Some("123456789012345678901234567890 123456789012345678901234567891")
        });
        check("0.3", "0.30000000000000004", Some("0.3 0.30000000000000004"));
        check("null", "0", Some("null 0"));
        check("\"1\"", "1", Some("\"1\" 1"));
        check("[]", "{}", Some("[] {}"));
        check("1", "1e400", Some("1 1e400"));
    }

    #[test]
    fn numbers_may_be_near_and_lists_in_any_order() {
        let near = ValueRule { tolerance: Some(1e-6), any_order: false, boxed: false };
        assert_eq!(differ(near, "[0.3]", "[0.3000001]"), None);
        assert_eq!(differ(near, "[0.3]", "[0.301]"), Some("0.3 0.301".to_owned()));
        assert_eq!(differ(near, "3", "2.9999999"), None);
        assert_eq!(
            differ(near, "1000000000", "1000000001"),
            Some("1000000000 1000000001".to_owned())
        );
        let any = ValueRule { tolerance: None, any_order: true, boxed: false };
        assert_eq!(
            differ(any, "[[1, 2], [3], null, {\"a\": 1}]", "[{\"a\": 1}, null, [3], [1, 2]]"),
            None
        );
        assert_eq!(differ(any, "[[1, 2]]", "[[2, 1]]"), Some("1 2".to_owned()));
        assert_eq!(differ(any, "[1, 1, 2]", "[1, 2, 2]"), Some("1 2".to_owned()));
    }

    #[test]
    fn what_is_not_one_value_is_refused() {
        for text in
            ["", " ", "1 2", "[1", "NaN", "Infinity", "'a'", "\"\\ud800\"", "{\"a\": 1,}", "01"]
        {
            assert!(parse(text.as_bytes()).is_none(), "{text}");
        }
        assert!(parse(b"\"\xff\"").is_none());
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(deep(MOST_NESTED).as_bytes()).is_some());
        assert!(parse(deep(MOST_NESTED + 1).as_bytes()).is_none());
        assert!(parse(deep(1_000_000).as_bytes()).is_none());
    }

    proptest! {
        #[test]
        fn the_order_of_a_list_never_counts_if_it_does_not(mut numbers in prop::collection::vec(-3_i32..3, 0..9)) {
            let any = ValueRule { tolerance: None, any_order: true, boxed: false };
            let one = format!("{numbers:?}");
            numbers.reverse();
            prop_assert_eq!(differ(any, &one, &format!("{numbers:?}")), None);
        }
    }
}
