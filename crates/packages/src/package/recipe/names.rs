//! Names of the cases of a recipe: with numbers in front in lists, and with numbers at the end for several cases of
//! one entry.
//!
//! Source: the generators documentation of BAPCtools, and its issue tracker for details: test cases are numbered
//! through the whole recipe, groups in their directory.

use crate::package::node::{Node, ParseResult};
use crate::package::recipe::is_directory;
use crate::package::text::excerpt;
use crate::package::yaml::{RawValue, Scalar, ScalarMeaning, Value};

/// Upper bound on the cases of one entry.
const MAX_COUNT: usize = 100;

#[derive(Debug)]
pub(super) struct ListNumbers {
    next: usize,
    width: usize,
}

impl ListNumbers {
    /// Numbers from 1 to `last`, all of the same width.
    pub(super) fn up_to(last: usize) -> Self {
        Self { next: 1, width: last.to_string().len() }
    }

    /// The next number before a name; the number alone if the name is empty.
    pub(super) fn next_name(&mut self, name: &str) -> String {
        let (number, width) = (self.next, self.width);
        self.next += 1;
        match name {
            "" => format!("{number:0width$}"),
            name => format!("{number:0width$}-{name}"),
        }
    }
}

/// Number of test cases in a `data` that get a number.
pub(super) fn numbered_cases(data: &RawValue) -> usize {
    let below = |raw: &RawValue| raw.get("data").map_or(0, numbered_cases);
    match &data.value {
        Value::Map(entries) => entries.iter().map(|entry| below(&entry.value)).sum(),
        Value::Sequence(items) => items
            .iter()
            .filter_map(first_entry)
            .map(|child| if is_directory(child) { below(child) } else { case_count(child) })
            .sum(),
        _ => 0,
    }
}

/// Number of groups in a list that get a number.
pub(super) fn numbered_groups(items: &[RawValue]) -> usize {
    items.iter().filter_map(first_entry).filter(|child| is_directory(child)).count()
}

fn first_entry(item: &RawValue) -> Option<&RawValue> {
    let Value::Map(entries) = &item.value else { return None };
    entries.first().map(|entry| &entry.value)
}

fn case_count(case: &RawValue) -> usize {
    let count = case.get("count");
    count.map_or(1, |count| parse_counts(count).map_or(1, |values| values.len()))
}

pub(super) fn read_counts(node: &Node<'_>) -> ParseResult<Vec<i64>> {
    let expected = "a number of cases, a sequence of integers, or a range such as `1..=5`";
    parse_counts(node.raw).map_err(|fault| match fault {
        Some((message, help)) => node.error(format!("`count` {message}"), help),
        None => node.must_be(expected),
    })
}

/// What is wrong with a count, and what to do; `None` if it is not a count at all.
type CountFault = Option<(String, &'static str)>;

fn too_many() -> CountFault {
    Some((format!("makes more than {MAX_COUNT} cases"), "write several entries"))
}

fn parse_counts(raw: &RawValue) -> Result<Vec<i64>, CountFault> {
    let values: Vec<i64> = match (&raw.value, raw.scalar().map(Scalar::meaning)) {
        (_, Some(ScalarMeaning::Integer(Some(last)))) => integers(1, last)?,
        (_, Some(ScalarMeaning::Integer(None))) => return Err(too_many()),
        (Value::Scalar(scalar), Some(ScalarMeaning::Text)) => text_range(&scalar.text)?,
        (Value::Sequence(items), _) => {
            let integer = |item: &RawValue| match item.scalar().map(Scalar::meaning) {
                Some(ScalarMeaning::Integer(value)) => value,
                _ => None,
            };
            items.iter().map(integer).collect::<Option<_>>().ok_or(None)?
        }
        _ => return Err(None),
    };
    if values.len() > MAX_COUNT {
        return Err(too_many());
    }
    let twice = values.iter().enumerate().find(|(index, value)| values[..*index].contains(value));
    let (message, help) = match twice {
        Some((_, value)) => (format!("has {value} twice"), "each value makes one case; remove one"),
        None if values.is_empty() => {
            ("makes no case".to_owned(), "remove the entry, or count from 1")
        }
        None => return Ok(values),
    };
    Err(Some((message, help)))
}

fn integers(first: i64, last: i64) -> Result<Vec<i64>, CountFault> {
    match last.checked_sub(first) {
        Some(steps) if steps < MAX_COUNT as i64 => Ok((first..=last).collect()),
        _ if last < first => Ok(Vec::new()),
        _ => Err(too_many()),
    }
}

fn text_range(text: &str) -> Result<Vec<i64>, CountFault> {
    let ends = text.split_once("..=").map(|(first, last)| (first.parse(), last.parse()));
    let Some((Ok(first), Ok(last))) = ends else {
        let message = format!("is not a range: `{}`", excerpt(text));
        return Err(Some((message, "write `FIRST..=LAST`, such as `1..=5`")));
    };
    integers(first, last)
}

/// Suffixes of the names of cases for these counts: `-1`, `-2`. Consecutive counts have suffixes of the same width.
pub(super) fn suffixes(counts: &[i64]) -> Vec<String> {
    let consecutive = counts.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    let lengths = counts.iter().map(|count| count.to_string().len());
    let width = lengths.filter(|_| consecutive).max().unwrap_or(0);
    counts.iter().map(|count| format!("-{count:0width$}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_counts_become_suffixes_of_one_width() {
        let check = |counts: &[i64], expected: &[&str]| assert_eq!(suffixes(counts), expected);
        check(&[1], &["-1"]);
        check(&[1, 2], &["-1", "-2"]);
        check(&[9, 10], &["-09", "-10"]);
        check(&[-1, 0, 1], &["--1", "-00", "-01"]);
        check(&[7, -3], &["-7", "--3"]);
        check(&[5, 10], &["-5", "-10"]);
    }

    #[test]
    fn numbers_in_lists_have_one_width() {
        let mut numbers = ListNumbers::up_to(10);
        assert_eq!(numbers.next_name("a"), "01-a");
        assert_eq!(numbers.next_name(""), "02");
    }
}
