//! What the cases of a recipe are called: numbers before names in lists, numbers behind them for
//! several cases of one entry.
//!
//! Source: the generators documentation of BAPCtools, and its issue tracker where that says more:
//! test cases are numbered through the whole recipe, groups in their directory.

use crate::package::node::{Node, Parse};
use crate::package::recipe::is_directory;
use crate::package::text::shown;
use crate::package::yaml::{Meaning, Raw, Scalar, Value};

/// So many cases one entry may make.
const MOST: usize = 100;

/// Numbers for what stands in lists.
#[derive(Debug)]
pub(super) struct Numbers {
    next: usize,
    width: usize,
}

impl Numbers {
    /// Numbers from 1 to `last`, all of the same width.
    pub(super) fn up_to(last: usize) -> Self {
        Self { next: 1, width: last.to_string().len() }
    }

    /// The next number before a name; alone where the name is empty.
    pub(super) fn name(&mut self, name: &str) -> String {
        let (number, width) = (self.next, self.width);
        self.next += 1;
        match name {
            "" => format!("{number:0width$}"),
            name => format!("{number:0width$}-{name}"),
        }
    }
}

/// How many test cases in a `data` get a number.
pub(super) fn numbered_cases(data: &Raw) -> usize {
    let below = |raw: &Raw| raw.get("data").map_or(0, numbered_cases);
    match &data.value {
        Value::Map(entries) => entries.iter().map(|entry| below(&entry.value)).sum(),
        Value::Sequence(items) => items
            .iter()
            .filter_map(first_entry)
            .map(|child| if is_directory(child) { below(child) } else { made_by(child) })
            .sum(),
        _ => 0,
    }
}

/// How many groups in a list get a number.
pub(super) fn numbered_groups(items: &[Raw]) -> usize {
    items.iter().filter_map(first_entry).filter(|child| is_directory(child)).count()
}

fn first_entry(item: &Raw) -> Option<&Raw> {
    let Value::Map(entries) = &item.value else { return None };
    entries.first().map(|entry| &entry.value)
}

/// How many cases an entry makes.
fn made_by(case: &Raw) -> usize {
    let count = case.get("count");
    count.map_or(1, |count| read(count).map_or(1, |values| values.len()))
}

/// The values of `count`.
pub(super) fn counts(node: &Node<'_>) -> Parse<Vec<i64>> {
    read(node.raw).map_err(|fault| match fault {
        CountFault::Type => {
            node.must_be("a number of cases, a sequence of integers, or a range such as `1..=5`")
        }
        CountFault::Empty => {
            node.error("`count` makes no case", "remove the entry, or count from 1")
        }
        CountFault::TooMany => {
            node.error(format!("`count` makes more than {MOST} cases"), "write several entries")
        }
        CountFault::Twice(value) => {
            let help = "each value makes one case; remove one";
            node.error(format!("`count` has {value} twice"), help)
        }
        CountFault::Range(text) => {
            let message = format!("`count` is no range: `{}`", shown(&text));
            node.error(message, "write `FIRST..=LAST`, such as `1..=5`")
        }
    })
}

enum CountFault {
    Type,
    Empty,
    TooMany,
    Twice(i64),
    Range(String),
}

fn read(raw: &Raw) -> Result<Vec<i64>, CountFault> {
    let values: Vec<i64> = match &raw.value {
        Value::Scalar(scalar) => match scalar.meaning() {
            Meaning::Integer(Some(last)) => range(1, last)?,
            Meaning::Integer(None) => return Err(CountFault::TooMany),
            Meaning::Text => text_range(&scalar.text)?,
            _ => return Err(CountFault::Type),
        },
        Value::Sequence(items) => {
            let integer = |item: &Raw| match item.scalar().map(Scalar::meaning) {
                Some(Meaning::Integer(value)) => value,
                _ => None,
            };
            let values: Option<Vec<i64>> = items.iter().map(integer).collect();
            values.ok_or(CountFault::Type)?
        }
        _ => return Err(CountFault::Type),
    };
    if values.is_empty() {
        return Err(CountFault::Empty);
    }
    if values.len() > MOST {
        return Err(CountFault::TooMany);
    }
    let twice = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value));
    match twice {
        Some((_, value)) => Err(CountFault::Twice(*value)),
        None => Ok(values),
    }
}

fn range(first: i64, last: i64) -> Result<Vec<i64>, CountFault> {
    match last.checked_sub(first) {
        Some(steps) if steps < MOST as i64 => Ok((first..=last).collect()),
        _ if last < first => Err(CountFault::Empty),
        _ => Err(CountFault::TooMany),
    }
}

fn text_range(text: &str) -> Result<Vec<i64>, CountFault> {
    let fault = || CountFault::Range(text.to_owned());
    let (first, last) = text.split_once("..=").ok_or_else(fault)?;
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) => range(first, last),
        _ => Err(fault()),
    }
}

/// What stands behind the names of the cases that these counts make: `-1`, `-2`; consecutive ones all
/// have the same width.
pub(super) fn suffixes(counts: &[i64]) -> Vec<String> {
    let consecutive = counts.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    let width = match consecutive {
        true => counts.iter().map(|count| count.to_string().len()).max(),
        false => None,
    };
    let width = width.unwrap_or(0);
    counts.iter().map(|count| format!("-{count:0width$}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stand_behind_names_in_one_width_where_they_follow_each_other() {
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
        let mut numbers = Numbers::up_to(10);
        assert_eq!(numbers.name("a"), "01-a");
        assert_eq!(numbers.name(""), "02");
    }
}
