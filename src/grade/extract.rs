//! Finds the program in the completion of a language model: Markdown with blocks of code between fences, perhaps after
//! thoughts.
//!
//! Source: CommonMark 0.31, section 4.5.

use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::grade::fault::{FaultyPart, LineFault};
use juror_core::language::essence;
use juror_core::language::table::Language;

/// What of a source text is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extraction {
    /// The text as it is, unless it is Markdown; then as `last-block`.
    #[default]
    Auto,
    /// The last block of code that is complete.
    LastBlock,
    /// The first one.
    FirstBlock,
    /// The longest one.
    LongestBlock,
    /// The text as it is; Markdown is an error.
    None,
}

/// What was judged in place of the whole text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractedProgram {
    /// The code of its language.
    pub language: Option<String>,
    /// The line of the text where it begins, from 1.
    pub line: usize,
    /// Which part it is.
    pub how: ExtractedPart,
}

/// A part of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtractedPart {
    /// A block between fences.
    Block,
    /// A block without its last fence, up to the end of the text.
    IncompleteBlock,
    /// What is before the only fence, which ends the text.
    BeforeFence,
    /// What is outside of thoughts. It has no block.
    OutsideThoughts,
}

/// A part of a completion.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractedText {
    /// Each line is the end of a line of the completion: the indentation of an indented block is left out.
    pub text: String,
    /// That of the fence.
    pub language: Option<&'static Language>,
    pub line: usize,
    pub part: ExtractedPart,
    /// The first word after the fence, such as `python`.
    word: String,
    /// The index of the fence.
    start: usize,
}

const THOUGHT_START: &str = "<think>";
const THOUGHT_END: &str = "</think>";

/// No program begins with a fence or with a thought, in any language.
pub fn begins_like_completion(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with(THOUGHT_START) || text.lines().next().and_then(Fence::parse).is_some()
}

/// A fence, or the end of a thought, outside of strings and comments. It may be a part of the program, so this counts
/// only for a source that does not build.
pub fn has_marks_in_code(language: &str, text: &str) -> bool {
    let code = essence::without_strings_and_comments(language, text.as_bytes());
    let code = String::from_utf8_lossy(&code);
    code.contains(THOUGHT_END) || code.lines().any(|line| Fence::start(line).is_some())
}

/// Chooses a part of a completion; `language` is that of the line. `None` if there is no code.
///
/// A block in that language, or without one, comes before others; among these, a complete one.
pub fn extract(
    text: &str,
    language: Option<&'static Language>,
    how: Extraction,
) -> Option<ExtractedText> {
    let spoken = outside_thoughts(text);
    let first_line = 1 + text[..spoken.start].matches('\n').count();
    let visible = &text[spoken.clone()];
    let blocks = blocks(visible, first_line, true);
    let with_code = blocks.iter().enumerate().filter(|(_, block)| !block.text.trim().is_empty());
    let best = with_code.max_by_key(|(index, block)| {
        let is_same = language.is_some_and(|language| block.is_in(language));
        let fits = match language {
            Some(_) => is_same || block.word.is_empty(),
            None => block.language.is_some(),
        };
        let order = match how {
            Extraction::FirstBlock => blocks.len() - index,
            Extraction::LongestBlock => block.text.len(),
            _ => *index,
        };
        (fits, block.part == ExtractedPart::Block, is_same, order)
    });
    if let Some((_, block)) = best {
        return Some(block.clone());
    }
    let (text, part) = match &blocks[..] {
        [block] if block.word.is_empty() && block.part != ExtractedPart::Block => {
            (&visible[..block.start], ExtractedPart::BeforeFence)
        }
        [] if spoken.len() < text.len() => (visible, ExtractedPart::OutsideThoughts),
        _ => return None,
    };
    let code = text.trim_start_matches(['\r', '\n']);
    let line = first_line + text[..text.len() - code.len()].matches('\n').count();
    let is_code = how == Extraction::Auto && !code.trim().is_empty();
    let (text, word) = (code.to_owned(), String::new());
    is_code.then_some(ExtractedText { text, language: None, line, part, word, start: 0 })
}

/// A thought ends at its last end, or never; its start may be a part of the prompt.
fn outside_thoughts(text: &str) -> Range<usize> {
    let start = text.rfind(THOUGHT_END).map_or(0, |index| index + THOUGHT_END.len());
    let end = text[start..].find(THOUGHT_START).map_or(text.len(), |index| start + index);
    start..end
}

impl ExtractedText {
    /// PyPy also reads what is in Python.
    fn is_in(&self, language: &Language) -> bool {
        self.language.is_some_and(|own| {
            let mut endings = own.extensions.split_whitespace();
            own.code == language.code
                || endings.any(|ending| language.reads(Path::new(&format!("main{ending}"))))
        })
    }
}

/// `opens_markdown`: a block in Markdown is replaced by those in it.
fn blocks(text: &str, first_line: usize, opens_markdown: bool) -> Vec<ExtractedText> {
    let mut all: Vec<ExtractedText> = Vec::new();
    let mut open: Option<(Fence<'_>, ExtractedText)> = None;
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let fence = if open.is_some() { Fence::parse(line) } else { Fence::start(line) };
        match (open.take(), fence) {
            (Some((fence, mut block)), Some(end)) if end.closes(&fence) => {
                block.part = ExtractedPart::Block;
                all.push(block);
            }
            (Some((fence, mut block)), _) => {
                let cut = indentation(line).len().min(fence.indent.len());
                block.text.push_str(&line[cut..]);
                open = Some((fence, block));
            }
            (None, Some(fence)) => {
                let word = fence.word().to_owned();
                let (language, line) = (Language::by_name(&word), first_line + index + 1);
                let (text, part) = (String::new(), ExtractedPart::IncompleteBlock);
                let block = ExtractedText { text, language, line, part, word, start };
                open = Some((fence, block));
            }
            (None, None) => {}
        }
        start += line.len();
    }
    all.extend(open.map(|(_, block)| block));
    let open_block = |block: ExtractedText| {
        let is_markdown = opens_markdown && ["markdown", "md"].contains(&&*block.word);
        let mut inner =
            if is_markdown { blocks(&block.text, block.line, false) } else { Vec::new() };
        inner.iter_mut().for_each(|inner| inner.start = block.start);
        if inner.is_empty() { vec![block] } else { inner }
    };
    all.into_iter().flat_map(open_block).collect()
}

#[derive(Debug)]
struct Fence<'a> {
    indent: &'a str,
    sign: char,
    length: usize,
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let indent = indentation(line);
        let rest = line[indent.len()..].trim_end();
        let sign = rest.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
        let info = rest.trim_start_matches(sign);
        let length = rest.len() - info.len();
        let info = info.trim();
        (length >= 3 && !info.contains('`')).then_some(Self { indent, sign, length, info })
    }

    /// Models also write a fence behind text, as in `Here it is: ```python`.
    fn start(line: &'a str) -> Option<Self> {
        let behind_text = || {
            let fence = Self::parse(&line[line.find("```")?..])?;
            Language::by_name(fence.word()).is_some().then_some(fence)
        };
        Self::parse(line).or_else(behind_text)
    }

    /// A fence that is indented by four more columns is a part of the block, such as an example in a docstring.
    fn closes(&self, start: &Self) -> bool {
        let columns = |indent: &str| {
            indent.bytes().map(|byte| if byte == b'\t' { 4 } else { 1 }).sum::<usize>()
        };
        self.sign == start.sign
            && self.length >= start.length
            && self.info.is_empty()
            && columns(self.indent) < columns(start.indent) + 4
    }

    /// Of `{.python .numbered}`, `python3 title="x"` or `python:main.py`.
    fn word(&self) -> &'a str {
        let info = self.info.trim_start_matches(['{', '.', ' ']);
        let end = info.find(|sign: char| sign.is_whitespace() || ",:{}".contains(sign));
        &info[..end.unwrap_or(info.len())]
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The source is not a program.
pub fn markdown_fault() -> LineFault {
    let message = "the source is Markdown, not a program";
    let help = "leave out `extract`, or give only what is between the fences";
    LineFault::new(FaultyPart::Source, message, Some(help.to_owned()))
}

/// The model wrote no program.
pub fn no_code_fault() -> LineFault {
    let help = "this counts as not passed; `\"extract\": \"none\"` judges the text as it is";
    LineFault::new(FaultyPart::NoCode, "the completion has no code", Some(help.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_source_that_begins_with_a_fence_or_a_thought_is_markdown() {
        for text in [
            "```python\nx\n```",
            "\n \n  ```c++\nx\n",
            "\u{feff}````\nx\n````\n",
            "~~~ {.rust}\nx\n~~~",
            "```\r\nx\r\n```",
            "```python3 title=\"a b\"\nx",
            "\n<think>\nx",
        ] {
            assert!(begins_like_completion(text), "{text}");
        }
        for program in ["", "print(1)", "``x\n", "`ls`", "~~x", "'\n```\n'", "```a``` b", "# ```"] {
            assert!(!begins_like_completion(program), "{program}");
        }
    }

    #[test]
    fn a_fence_in_a_string_or_a_comment_is_a_part_of_a_program() {
        let check = |language: &str, text: &str, expected: bool| {
            assert_eq!(has_marks_in_code(language, text), expected, "{text}");
        };
        for (language, text) in [
            ("python3", "Here it is:\n\n```python\nprint(1)\n```\nIt's done."),
            ("python3", "print(1)\n```"),
            ("cpp", "Don't worry:\n~~~cpp\nint main() {}\n~~~"),
            ("rust", "The program:\n```rust\nfn main() {}\n```"),
            ("bash", "1. It:\n   ```\n   echo 1\n   ```\n"),
            ("bash", "Here's how it's done:\n```bash\necho 1\n```\n"),
            ("ruby", "I'll add them.\n```\nputs 1\n```\n"),
            ("javascript", "Sure:\n```js\nconsole.log(1)\n```\n"),
            ("go", "Sure:\n```go\npackage main\n```\n"),
            ("python3", "It reads a number.\n</think>\nprint(1)\n"),
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

    /// Each row has the completion, the line's language, and what is found: its language, line, part and text.
    #[test]
    fn the_program_of_a_completion_is_found() {
        let check = |text: &str, language: &str, expected: &str| {
            let found = extract(text, Language::by_name(language), Extraction::Auto);
            let shown = found.map(|found| {
                let language = found.language.map_or("-", |language| language.code);
                format!("{language} {} {:?} {}", found.line, found.part, found.text)
            });
            assert_eq!(shown.as_deref().unwrap_or("none"), expected, "{text}");
        };
        let block =
            |language: &str, line: usize, text: &str| format!("{language} {line} Block {text}");
        check("It:\n\n```python\nx\ny\n```\nDone.", "", &block("python3", 4, "x\ny\n"));
        let words = ["py", " Python3", "{.python}", "{ .python .x }", "python title=\"x\""];
        for info in words.into_iter().chain(["python:a.py"]) {
            check(&format!("```{info}\nx\n```\n"), "", &block("python3", 2, "x\n"));
        }
        check("Here it is: ```python\nx\n```", "", &block("python3", 2, "x\n"));
        check("Use ```c``` or ```c.\nx", "c", "none");
        check("```C++17\r\nx\r\n```\r\n", "", &block("cpp", 2, "x\r\n"));
        check("1. a\n   ```c\n   x\n     y\n  z\n   ```\n", "", &block("c", 3, "x\n  y\nz\n"));
        check("\t```c\n\tx\n\t```\n", "c", &block("c", 2, "x\n"));
        check("~~~~c\nx\n~~~\ny\n~~~~~\nz", "", &block("c", 2, "x\n~~~\ny\n"));
        check("```c\nx\n~~~\n```", "", &block("c", 2, "x\n~~~\n"));
        // A fence within a longer one; an example in a docstring.
        check("````md\n```c\nx\n```\n````\n", "", &block("c", 3, "x\n"));
        check("````c\nx\n```\n````\n", "", &block("c", 2, "x\n```\n"));
        let docstring = "d = '''\n    ```\n    '''\n";
        check(&format!("```python\n{docstring}```\n"), "", &block("python3", 2, docstring));
        // Which of several.
        check("```c\nx\n```\n```c\ny\n```\n", "c", &block("c", 5, "y\n"));
        check("```c\nx\n```\n```java\ny\n```\n", "c", &block("c", 2, "x\n"));
        check("```c\nx\n```\n```\ny\n```\n", "c", &block("c", 2, "x\n"));
        check("```java\nx\n```\n```\ny\n```\n", "c", &block("-", 5, "y\n"));
        check("```c\nx\n```\n```text\ny\n```\n", "", &block("c", 2, "x\n"));
        check("```java\nx\n```\n", "c", &block("java", 2, "x\n"));
        check("```py\nx\n```\n```\ny\n```", "pypy3", &block("python3", 2, "x\n"));
        check("```c\nx\n```\n```c\n\n```\n", "c", &block("c", 2, "x\n"));
        check("```c\nx\n```\n```c\ny\n", "c", &block("c", 2, "x\n"));
        check("```\nx\n```\n```c\ny\n", "c", &block("-", 2, "x\n"));
        check("```c\nx", "c", "c 2 IncompleteBlock x");
        check("```text\nx\n```\n```c\ny", "c", "c 5 IncompleteBlock y");
        // Thoughts, and the rest of a prompt.
        check("<think>\n```c\nx\n```\n</think>\n```c\ny\n```", "c", &block("c", 7, "y\n"));
        check("```c\nx\n```\n</think>\n```c\ny\n```", "c", &block("c", 6, "y\n"));
        check("```c\nx\n```\n<think>\n```c\ny\n```", "c", &block("c", 2, "x\n"));
        check("<think>\n```c\nx\n```\n", "c", "none");
        check("<think>x</think>\n", "c", "none");
        check("a\n</think>\nx\n", "c", "- 3 OutsideThoughts x\n");
        check("x\ny\n```\n", "c", "- 1 BeforeFence x\ny\n");
        check("x\n```\ny\n", "c", "- 3 IncompleteBlock y\n");
        check("```c\n\n```\n", "c", "none");
        check("I cannot.", "c", "none");
        check("", "c", "none");
    }

    #[test]
    fn each_way_chooses_its_block() {
        let text = "```c\nx\n```\n```c\nyyy\n```\n```c\nz\n```\n```java\nlonger\n```\n";
        let check = |how: Extraction, expected: &str| {
            let found = extract(text, Language::by_code("c"), how).map(|found| found.text);
            assert_eq!(found.as_deref(), Some(expected));
            assert_eq!(extract("x\n```\n", None, how).is_some(), how == Extraction::Auto);
        };
        check(Extraction::Auto, "z\n");
        check(Extraction::LastBlock, "z\n");
        check(Extraction::FirstBlock, "x\n");
        check(Extraction::LongestBlock, "yyy\n");
    }

    fn completions() -> impl Strategy<Value = String> {
        let parts = [
            "```", "~~~", "````", "\n", "\n", "\r\n", "python", "md", "c", " ", "   ", "\t", "x",
            "é", "{", ".", "<think>", "</think>", "'", "\"", "`",
        ];
        let parts = prop::sample::select(parts.to_vec());
        prop::collection::vec(parts, 0..60).prop_map(|all| all.concat())
    }

    proptest! {
        #[test]
        fn what_is_found_is_in_the_text(text in completions(), language in 0..3_usize) {
            let language = Language::by_name(["", "c", "python3"][language]);
            begins_like_completion(&text);
            has_marks_in_code("python3", &text);
            for how in [Extraction::Auto, Extraction::FirstBlock, Extraction::LongestBlock] {
                let Some(found) = extract(&text, language, how) else { continue };
                prop_assert!(!found.text.trim().is_empty());
                use ExtractedPart::{BeforeFence, OutsideThoughts};
                if [OutsideThoughts, BeforeFence].contains(&found.part) {
                    prop_assert!(text.contains(&found.text));
                    continue;
                }
                let lines = text.split_inclusive('\n').skip(found.line - 1);
                for (part, line) in found.text.split_inclusive('\n').zip(lines) {
                    // A thought may begin in the last line.
                    let line = line.split("<think>").next().unwrap_or_default();
                    let part = part.trim_end_matches('\n');
                    prop_assert!(line.trim_end_matches('\n').ends_with(part), "{part:?} {line:?}");
                }
            }
        }
    }
}
