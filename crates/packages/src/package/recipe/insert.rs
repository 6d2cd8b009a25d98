//! Puts an entry into a recipe's text without changing any other byte: the new lines end as the one before them.
//!
//! People maintain recipes by hand. The caller must read the new text and compare it with the old: if the recipe is
//! written in a way that this code does not understand, it must be left alone.

use std::path::Path;

use crate::package::faults::Faults;
use crate::package::recipe::is_directory;
use crate::package::text::{FileReporter, TextFile};
use crate::package::yaml::{self, MapEntry, RawValue, Value};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Inserts an entry at the end of its directory; `None` if the place is not found.
///
/// `path` has the directories below `data/`, then the entry's name; missing directories are made. In a list, which
/// numbers its items, a missing directory or the entry gets the next number.
pub fn insert_entry(text: &str, path: &[String], entry: &[String]) -> Option<String> {
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let ended = lines_with_ends(&text[start..]);
    let lines: Vec<&str> =
        ended.iter().map(|line| &line[..line.len() - line_end(line).len()]).collect();
    let file = TextFile::new(Path::new(""), lines.join("\n"));
    let page = FileReporter { file: &file, faults: &Faults::default() };
    let root = yaml::parse_with_unique_keys(page).ok()?;
    let mut block = find_block(&root, lines.len(), "data")?;
    let (_, directories) = path.split_last()?;
    let mut missing = directories;
    while let Some((directory, rest)) = missing.split_first() {
        let Some(inside) = find_directory(&block, directory) else { break };
        block = find_block(&inside.entry.value, inside.end, "data")?;
        missing = rest;
    }
    let MapEntry { key_range, value, .. } = block.entry;
    let key_line = key_range.line as usize;
    let behind =
        lines.get(key_line - 1)?.chars().skip((key_range.column - 1 + key_range.width) as usize);
    let behind: String = behind.collect();
    // Whatever follows on the same line is written in another way.
    let behind = behind.trim_start().strip_prefix(':')?.trim_start();
    if !behind.is_empty() && !behind.starts_with('#') {
        return None;
    }
    let mut indent = match (key_line..block.end).find(|index| is_content(lines[*index])) {
        None => key_range.column as usize + 1,
        Some(first) if lines[first].trim_start().starts_with(['{', '[']) => return None,
        Some(first) => indent_of(lines[first]),
    };
    let mut new: Vec<String> = Vec::new();
    let is_list = matches!(value.value, Value::Sequence(_));
    let is_listed = is_list && missing.is_empty();
    if let Some((directory, rest)) = missing.split_first().filter(|_| is_list) {
        new.push(format!("{:indent$}- {}:", "", quote(directory)));
        new.push(format!("{:indent$}    data:", ""));
        indent += 6;
        missing = rest;
    }
    for directory in missing {
        new.push(format!("{:indent$}{}:", "", quote(directory)));
        new.push(format!("{:indent$}  data:", ""));
        indent += 4;
    }
    new.extend(entry.iter().map(|line| match (is_listed, line.starts_with(['#', ' '])) {
        (true, true) => format!("{:indent$}  {line}", ""),
        (true, false) => format!("{:indent$}- {line}", ""),
        (false, _) => format!("{:indent$}{line}", ""),
    }));
    // After the last line with content; later lines belong to the next entry.
    let last = (key_line..block.end).rev().find(|index| is_content(lines[*index]));
    let index = last.map_or(key_line, |last| last + 1);
    let new: Vec<String> = match ended[..index].last().map_or("", |line| line_end(line)) {
        // The last line of the file has no end. Then the last new line has none either.
        "" => {
            let end = ended.first().map(|line| line_end(line)).filter(|end| !end.is_empty());
            new.iter().map(|line| format!("{}{line}", end.unwrap_or("\n"))).collect()
        }
        end => new.iter().map(|line| format!("{line}{end}")).collect(),
    };
    Some(
        [&text[..start], &ended[..index].concat(), &new.concat(), &ended[index..].concat()]
            .concat(),
    )
}

const LINE_ENDS: [char; 2] = ['\r', '\n'];

fn line_end(line: &str) -> &str {
    &line[line.trim_end_matches(LINE_ENDS).len()..]
}

fn lines_with_ends(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(LINE_ENDS).unwrap_or(rest.len());
        let length = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        let (line, behind) = rest.split_at((end + length).min(rest.len()));
        lines.push(line);
        rest = behind;
    }
    lines
}

/// A key with its value. All lines up to the next key belong to it.
#[derive(Clone, Copy)]
struct KeyBlock<'a> {
    entry: &'a MapEntry,
    /// The number of its last line.
    end: usize,
}

/// The entries of a map or of a list of maps, which ends with this line.
fn key_blocks(value: &RawValue, end: usize) -> Vec<KeyBlock<'_>> {
    let entries: Vec<&MapEntry> = match &value.value {
        Value::Sequence(items) => items.iter().filter_map(|item| item.entries().first()).collect(),
        _ => value.entries().iter().collect(),
    };
    let ends = entries.iter().skip(1).map(|next| next.key_range.line as usize - 1).chain([end]);
    entries.iter().zip(ends).map(|(entry, end)| KeyBlock { entry, end }).collect()
}

fn find_block<'a>(value: &'a RawValue, end: usize, key: &str) -> Option<KeyBlock<'a>> {
    key_blocks(value, end).into_iter().find(|block| block.entry.key == key)
}

/// A directory by its key, or by its name in the data: a list numbers its directories.
fn find_directory<'a>(data: &KeyBlock<'a>, name: &str) -> Option<KeyBlock<'a>> {
    let value = &data.entry.value;
    let by_key = find_block(value, data.end, name);
    if by_key.is_some() || !matches!(value.value, Value::Sequence(_)) {
        return by_key;
    }
    let (number, key) = name.split_once('-').unwrap_or((name, ""));
    let directories = key_blocks(value, data.end).into_iter();
    let mut directories = directories.filter(|block| is_directory(&block.entry.value));
    let found = directories.nth(number.parse::<usize>().ok()?.checked_sub(1)?);
    found.filter(|block| block.entry.key == key)
}

fn is_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// A text in double quotes, as both YAML and JSON read it.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Names whose `.yaml` file belongs to the group are not valid.
pub fn is_case_name(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let ends = [part.bytes().next(), part.bytes().next_back()];
    !["test_group", "testdata"].contains(&part)
        && part.bytes().all(is_plain)
        && ends.iter().all(|end| end.is_some_and(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = "\
solution: /submissions/accepted/a.py
# All of it.
data:
  sample:
    data:
      \"1\":
        in: \"1\\n\"

  secret:
    data:
      edges:
        data:
          one:
            in: \"2\\n\"

      # The end.
  invalid_input:
    data:
      none:
        in: \"\"
";

    fn check(path: &str, expected: Option<(&str, &str)>) {
        let path: Vec<String> = path.split('/').map(str::to_owned).collect();
        let entry = ["\"new\":".to_owned(), "  in: \"3\\n\"".to_owned()];
        let got = insert_entry(RECIPE, &path, &entry);
        let expected =
            expected.map(|(before, new)| RECIPE.replacen(before, &format!("{before}{new}"), 1));
        assert_eq!(got, expected, "{path:?}");
    }

    #[test]
    fn an_entry_goes_to_the_end_of_its_directory_and_nothing_else_moves() {
        let one = "            in: \"2\\n\"\n";
        check("secret/new", Some((one, "      \"new\":\n        in: \"3\\n\"\n")));
        check("secret/edges/new", Some((one, "          \"new\":\n            in: \"3\\n\"\n")));
        check(
            "secret/more/new",
            Some((
                one,
                "      \"more\":\n        data:\n          \"new\":\n            in: \"3\\n\"\n",
            )),
        );
        check(
            "sample/new",
            Some(("        in: \"1\\n\"\n", "      \"new\":\n        in: \"3\\n\"\n")),
        );
    }

    #[test]
    fn all_other_bytes_stay_and_new_lines_have_the_line_end_before_them() {
        let check = |text: &str, expected: &str| {
            let path = ["secret", "new"].map(str::to_owned);
            let entry = ["new:", "  in: x"].map(str::to_owned);
            let new = insert_entry(text, &path, &entry);
            assert_eq!(new.as_deref(), Some(expected), "{text:?}");
        };
        let text = "a: 1\ndata:\n  secret:\n    data:\n      x: 1\nz: 2\n";
        let with_new = |end: &str| {
            let new = "      x: 1\n      new:\n        in: x\n";
            text.replace("      x: 1\n", new).replace('\n', end)
        };
        for end in ["\n", "\r\n", "\r"] {
            check(&text.replace('\n', end), &with_new(end));
            let (marked, expected) =
                (text.replace('\n', end).replace("a: 1", "\u{feff}# a"), with_new(end));
            check(&marked, &expected.replace("a: 1", "\u{feff}# a"));
        }
        // A byte-order mark before the first key, an unended last line, and lines that end in several ways.
        check(
            "\u{feff}data:\r\n  secret:\r\n    data:\r\n      x: 1",
            "\u{feff}data:\r\n  secret:\r\n    data:\r\n      x: 1\r\n      new:\r\n        in: x",
        );
        check(
            "data:\n  secret:\r\n    data:\n      x: 1\r\n\n# The end.",
            "data:\n  secret:\r\n    data:\n      x: 1\r\n      new:\r\n        in: x\r\n\n# The end.",
        );
        check("data:", "data:\n  \"secret\":\n    data:\n      new:\n        in: x");
    }

    #[test]
    fn a_directory_in_another_style_is_not_changed() {
        let entry = ["\"new\":".to_owned()];
        let path = ["secret".to_owned(), "new".to_owned()];
        for text in [
            "",
            "data: {}\n",
            "data:\n  secret:\n    data: [{a: {in: \"1\"}}]\n",
            "data:\n  secret: {data: {}}\n",
        ] {
            let got = insert_entry(text, &path, &entry);
            let is_careful = got.is_none()
                || got.is_some_and(|got| got.starts_with("data:\n  secret: {data: {}}\n"));
            assert!(is_careful, "{text}");
        }
    }

    #[test]
    fn a_directory_or_an_entry_of_a_list_becomes_an_item() {
        let check = |before: &str, after: &str, path: &str| {
            let path: Vec<String> = path.split('/').map(str::to_owned).collect();
            let text = format!("data:\n  secret:\n    data:\n{before}  sample: {{}}\n");
            let expected = format!("data:\n  secret:\n    data:\n{after}  sample: {{}}\n");
            let entry = ["\"x\": {}".to_owned()];
            assert_eq!(insert_entry(&text, &path, &entry), Some(expected), "{before}");
        };
        let there = "    - a: {in: \"1\"}\n";
        check(there, &format!("{there}    - \"x\": {{}}\n"), "secret/x");
        let item = "- a: {in: \"1\"}\n";
        let new = "- \"d\":\n          data:\n            \"x\": {}\n";
        check(&format!("      {item}"), &format!("      {item}      {new}"), "secret/d/x");
        // The items of a list may have the same indentation as their key.
        let new = "- \"d\":\n        data:\n          \"x\": {}\n";
        check(&format!("    {item}"), &format!("    {item}    {new}"), "secret/d/x");
        let there = "    - d:\n        data:\n          y: {}\n";
        check(there, &format!("{there}          \"x\": {{}}\n"), "secret/d/x");
        // A list numbers its directories, but not by its cases.
        let here = "          \"x\": {}\n";
        let before =
            format!("    - a: {{in: \"1\"}}\n{there}    - d:\n        data:\n          z: {{}}\n");
        check(&before, &before.replace("y: {}\n", &format!("y: {{}}\n{here}")), "secret/1-d/x");
        check(&before, &format!("{before}{here}"), "secret/2-d/x");
    }

    #[test]
    fn names_of_test_cases_are_valid() {
        let check = |name: &str, is_good: bool| assert_eq!(is_case_name(name), is_good, "{name}");
        check("a", true);
        check("odd-boards_2.x", true);
        for name in ["", ".", "..", "-a", "a-", "a b", "ä", "a\n"] {
            check(name, false);
        }
    }
}
