//! Puts an entry into a recipe's text without changing any other byte: the new lines end as the one before them.
//!
//! People maintain recipes by hand. The caller must read the new text and compare it with the old: if the recipe is
//! written in a way that this code does not understand, it must be left alone.

use std::ops::Range;

use juror_core::recipe::GROUP_FILES;

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
    let mut block = find_block(&lines, 0..lines.len(), 0, "data")?;
    let (_, directories) = path.split_last()?;
    let mut missing = directories;
    while let Some((directory, rest)) = missing.split_first() {
        let indent = block.child_indent(&lines);
        let Some(inside) = find_directory(&lines, block.range.clone(), indent, directory) else {
            break;
        };
        let indent = inside.child_indent(&lines);
        block = find_block(&lines, inside.range.clone(), indent, "data")?;
        missing = rest;
    }
    let first = block.range.clone().find(|index| is_content(lines[*index]));
    let mut indent = block.child_indent(&lines);
    let mut new: Vec<String> = Vec::new();
    let mut is_listed = false;
    match first.map(|index| lines[index].trim_start()) {
        Some(line) if line.starts_with(['{', '[']) => return None,
        Some(line) if is_list_item(line) => match missing.split_first() {
            Some((directory, rest)) => {
                new.push(format!("{:indent$}- {}:", "", quote(directory)));
                new.push(format!("{:indent$}    data:", ""));
                indent += 6;
                missing = rest;
            }
            None => is_listed = true,
        },
        _ => {}
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
    let last = block.range.clone().rev().find(|index| is_content(lines[*index]));
    let index = last.map_or(block.range.start, |last| last + 1);
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

struct KeyBlock {
    indent: usize,
    range: Range<usize>,
}

impl KeyBlock {
    fn child_indent(&self, lines: &[&str]) -> usize {
        let first = self.range.clone().find(|index| is_content(lines[*index]));
        first.map_or(self.indent + 2, |index| indent_of(lines[index]))
    }
}

/// The block of a directory, by its key or by its name in the data: a list numbers its directories.
fn find_directory(
    lines: &[&str],
    within: Range<usize>,
    indent: usize,
    name: &str,
) -> Option<KeyBlock> {
    if let Some(block) = find_block(lines, within.clone(), indent, name) {
        return Some(block);
    }
    let (number, key) = name.split_once('-').unwrap_or((name, ""));
    let is_item =
        |index: &usize| indent_of(lines[*index]) == indent && is_list_item(lines[*index].trim());
    let mut directories = within.clone().filter(is_item).filter(|index| {
        let item = block_at(lines, within.clone(), *index);
        let inner = item.child_indent(lines);
        let mut keys = ["data", "include"].into_iter().chain(GROUP_FILES);
        keys.any(|key| find_block(lines, item.range.clone(), inner, key).is_some())
    });
    let index = directories.nth(number.parse::<usize>().ok()?.checked_sub(1)?)?;
    is_key(lines[index].trim(), key).then(|| block_at(lines, within, index))
}

/// The block of a key that is alone on its line, with this indentation.
fn find_block(lines: &[&str], within: Range<usize>, indent: usize, key: &str) -> Option<KeyBlock> {
    let index = within.clone().find(|index| {
        let line = lines[*index];
        is_content(line) && indent_of(line) == indent && is_key(line.trim(), key)
    })?;
    Some(block_at(lines, within, index))
}

/// The block of the key on a line.
fn block_at(lines: &[&str], within: Range<usize>, index: usize) -> KeyBlock {
    let indent = indent_of(lines[index]);
    // The items of a list may have the same indentation as their key.
    let owns = |line: &str| is_list_item(line.trim()) && !is_list_item(lines[index].trim());
    let is_end = |other: &usize| {
        let line = lines[*other];
        is_content(line) && (indent_of(line) < indent || indent_of(line) == indent && !owns(line))
    };
    let end = (index + 1..within.end).find(is_end).unwrap_or(within.end);
    KeyBlock { indent, range: index + 1..end }
}

fn is_list_item(line: &str) -> bool {
    line.starts_with("- ")
}

/// Whether a line is this key, perhaps as an item of a list, followed by at most a comment.
fn is_key(line: &str, key: &str) -> bool {
    let line = line.strip_prefix("- ").map_or(line, str::trim_start);
    let rest = [key.to_owned(), format!("\"{key}\""), format!("'{key}'")]
        .iter()
        .find_map(|key| line.strip_prefix(key.as_str())?.strip_prefix(':'))
        .map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
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
