//! Finds sources that are still Markdown: a program between fences, perhaps with text before and after it.
//!
//! Source: CommonMark 0.31, section 4.5.

use crate::grade::fault::{FaultyPart, LineFault};
use juror_core::language::essence;

/// No program begins with a fence, in any language.
pub fn leading_fence(text: &str) -> Option<LineFault> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    parse_fence(first).map(fence_fault)
}

/// A fence outside of strings and comments. It may be a part of the program, so this counts only for a source that
/// does not build.
pub fn fence_in_code(language: &str, text: &str) -> Option<LineFault> {
    let code = essence::without_strings_and_comments(language, text.as_bytes());
    String::from_utf8_lossy(&code).lines().find_map(parse_fence).map(fence_fault)
}

/// The line must have nothing else.
fn parse_fence(line: &str) -> Option<&str> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
    let info = line.trim_start_matches(sign);
    let is_word = |letter: char| letter.is_alphanumeric() || "+#._-{}= \"".contains(letter);
    (line.len() - info.len() >= 3 && info.chars().all(is_word)).then_some(line)
}

fn fence_fault(fence: &str) -> LineFault {
    let message = format!("the source is Markdown, not a program: it has the fence {fence}");
    let help = "give only what is between the fences";
    LineFault::new(FaultyPart::Source, message, Some(help.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_begins_with_a_fence_is_markdown() {
        let check = |text: &str, expected: Option<&str>| {
            let found = leading_fence(text).map(|fault| fault.message);
            let expected = expected.map(|fence| {
                format!("the source is Markdown, not a program: it has the fence {fence}")
            });
            assert_eq!(found, expected, "{text}");
        };
        check("```python\nx\n```", Some("```python"));
        check("\n \n  ```c++\nx\n", Some("```c++"));
        check("\u{feff}````\nx\n````\n", Some("````"));
        check("~~~ {.rust}\nx\n~~~", Some("~~~ {.rust}"));
        check("```\r\nx\r\n```", Some("```"));
        for program in
            ["", "print(1)", "``x\n", "`ls`", "~~x", "'''\n```\n'''", "```a``` b", "# ```"]
        {
            check(program, None);
        }
    }

    #[test]
    fn a_fence_in_a_string_or_a_comment_is_a_part_of_a_program() {
        let check = |language: &str, text: &str, expected: bool| {
            assert_eq!(fence_in_code(language, text).is_some(), expected, "{text}");
        };
        for (language, text) in [
            ("python3", "Here it is:\n\n```python\nprint(1)\n```\nIt's done."),
            ("python3", "print(1)\n```"),
            ("cpp", "Don't worry:\n~~~cpp\nint main() {}\n~~~"),
            ("rust", "The program:\n```rust\nfn main() {}\n```"),
            ("bash", "1. It:\n   ```\n   echo 1\n   ```\n"),
        ] {
            check(language, text, true);
        }
        for (language, text) in [
            ("python3", "x = '''\n```python\n'''"),
            ("python3", "def f():\n    \"\"\"Adds.\n    ```\n    f(1)\n    ```\n    \"\"\"\n"),
            ("python3", "# ```\nprint(1)"),
            ("cpp", "const char *s = R\"(\n```\n)\";\n"),
            ("c", "/*\n```\n*/\nint main() {}"),
            ("rust", "/// ```\n/// f()\n/// ```\nfn f() {}"),
            ("rust", "const S: &str = r#\"\n```\n\"#;"),
            ("java", "class A { String s = \"\"\"\n```\n\"\"\"; }"),
            ("kotlin", "val s = \"\"\"\n```\n\"\"\""),
        ] {
            check(language, text, false);
        }
    }
}
