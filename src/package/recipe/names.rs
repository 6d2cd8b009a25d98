//! What the cases of a recipe are called: numbers before names in lists, numbers behind them for
//! several cases of one entry.
//!
//! Source: the generators documentation of BAPCtools, and its issue tracker where that says more:
//! test cases are numbered through the whole recipe, groups in their directory.

use crate::package::keys;
use crate::package::recipe::is_directory;
use crate::package::text::{Remarks, shown};
use crate::package::yaml::{Meaning, Node, Scalar, Value};

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
pub(super) fn numbered_cases(data: &Node) -> usize {
    let below = |node: &Node| {
        match &node.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == "data"),
            _ => None,
        }
        .map_or(0, |data| numbered_cases(&data.value))
    };
    match &data.value {
        Value::Map(entries) => entries.iter().map(|entry| below(&entry.value)).sum(),
        Value::Sequence(items) => items
            .iter()
            .filter_map(|item| match &item.value {
                Value::Map(entries) => entries.first(),
                _ => None,
            })
            .map(|entry| match is_directory(&entry.value) {
                true => below(&entry.value),
                false => made_by(&entry.value),
            })
            .sum(),
        _ => 0,
    }
}

/// How many groups in a list get a number.
pub(super) fn numbered_groups(items: &[Node]) -> usize {
    let is_group = |item: &&Node| match &item.value {
        Value::Map(entries) => entries.first().is_some_and(|it| is_directory(&it.value)),
        _ => false,
    };
    items.iter().filter(is_group).count()
}

/// How many cases an entry makes.
fn made_by(case: &Node) -> usize {
    let Value::Map(entries) = &case.value else {
        return 1;
    };
    let count = entries.iter().find(|entry| entry.key == "count");
    count.map_or(1, |count| read(&count.value).map_or(1, |values| values.len()))
}

/// The values of `count`; faults are reported.
pub(super) fn counts(node: &Node, remarks: &mut Remarks<'_>) -> Option<Vec<i64>> {
    match read(node) {
        Ok(values) => Some(values),
        Err(CountFault::Type) => {
            let wanted = "a number of cases, a sequence of integers, or a range such as `1..=5`";
            keys::wrong_type("`count`", wanted, node, remarks);
            None
        }
        Err(CountFault::Empty) => {
            remarks.error(
                node.range,
                "`count` makes no case",
                Some("remove the entry, or count from 1"),
            );
            None
        }
        Err(CountFault::TooMany) => {
            let message = format!("`count` makes more than {MOST} cases");
            remarks.error(node.range, message, Some("write several entries"));
            None
        }
        Err(CountFault::Twice(value)) => {
            let message = format!("`count` has {value} twice");
            remarks.error(node.range, message, Some("each value makes one case; remove one"));
            None
        }
        Err(CountFault::Range(text)) => {
            let message = format!("`count` is no range: `{}`", shown(&text));
            remarks.error(node.range, message, Some("write `FIRST..=LAST`, such as `1..=5`"));
            None
        }
    }
}

enum CountFault {
    Type,
    Empty,
    TooMany,
    Twice(i64),
    Range(String),
}

fn read(node: &Node) -> Result<Vec<i64>, CountFault> {
    let values: Vec<i64> = match &node.value {
        Value::Scalar(scalar) => match scalar.meaning() {
            Meaning::Integer(Some(last)) => range(1, last)?,
            Meaning::Integer(None) => return Err(CountFault::TooMany),
            Meaning::Text => text_range(&scalar.text)?,
            _ => return Err(CountFault::Type),
        },
        Value::Sequence(items) => {
            let integer = |item: &Node| match &item.value {
                Value::Scalar(scalar) => match Scalar::meaning(scalar) {
                    Meaning::Integer(value) => value,
                    _ => None,
                },
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
    for (at, value) in values.iter().enumerate() {
        if values[..at].contains(value) {
            return Err(CountFault::Twice(*value));
        }
    }
    Ok(values)
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
