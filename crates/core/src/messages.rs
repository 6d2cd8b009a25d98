//! Finds the line of a program's or a compiler's messages that says why it failed.

use crate::text::{message_line, visible};

/// In bytes. The rest of the line is cut off.
const LONGEST: usize = 1000;

/// The line of a failed program's standard error that says why, with hidden bytes visible: the last one that names an
/// error, otherwise the last one. Indented lines and notes are only details.
pub fn program_error_line(messages: &[u8]) -> Option<String> {
    const SIGNS: [&[u8]; 5] = [b"Error", b"ERROR", b"Exception", b"error: ", b"panic: "];
    let names_error =
        |line: &[u8]| SIGNS.iter().any(|sign| memchr::memmem::find(line, sign).is_some());
    // How C++ reports an exception.
    const WHAT: &[u8] = b"\n  what():  ";
    if let Some(index) = memchr::memmem::find(messages, WHAT) {
        return lines(&messages[index + WHAT.len()..]).next().map(shortened);
    }
    let mut last = None;
    let mut error = None;
    for line in lines(messages).filter(|line| !line.starts_with(b"note: ")) {
        last = Some(line);
        error = if names_error(line) { last } else { error };
    }
    error.or(last).map(shortened)
}

/// The type of the exception that ended a program, and the line of its source, from what Python and Java write. A
/// program can write anything there, so only types of their libraries and lines of usual programs count.
pub fn exception_place(messages: &[u8]) -> Option<(&'static str, Option<u32>)> {
    const TYPES: &str = "ArithmeticError AssertionError AttributeError EOFError FileNotFoundError ImportError \
        IndentationError IndexError KeyError LookupError MemoryError ModuleNotFoundError NameError NotImplementedError \
        OSError OverflowError PermissionError RecursionError RuntimeError StopIteration SyntaxError SystemError \
        TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError ValueError ZeroDivisionError \
        ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException ClassCastException \
        ConcurrentModificationException EmptyStackException IllegalArgumentException IllegalStateException \
        IndexOutOfBoundsException InputMismatchException NegativeArraySizeException NoSuchElementException \
        NullPointerException NumberFormatException OutOfMemoryError StackOverflowError \
        StringIndexOutOfBoundsException UnsupportedOperationException";
    const MOST_LINES: u32 = 2000;
    let reason = program_error_line(messages)?;
    let reason = reason.strip_prefix("Exception in thread \"main\" ").unwrap_or(&reason);
    let full = reason.split([':', ' ']).next()?;
    let name = full.rsplit('.').next()?;
    let kind = TYPES.split_whitespace().find(|kind| *kind == name)?;
    Some((kind, source_line(messages).filter(|line| *line <= MOST_LINES)))
}

/// The line of the program's own source that failed, from what Python, Java, Node.js, Rust and Go write.
pub fn source_line(messages: &[u8]) -> Option<u32> {
    const FOREIGN: [&str; 6] = ["/usr/", "/rustc/", "\"<", "node:", "at java", "at jdk."];
    const SOURCES: [&str; 4] = [".java:", ".js:", ".rs:", ".go:"];
    let text = String::from_utf8_lossy(messages);
    let own = || text.lines().filter(|line| !FOREIGN.iter().any(|sign| line.contains(sign)));
    let python = own().filter_map(|line| line.trim_start().strip_prefix("File \""));
    let mut python = python.filter_map(|line| line.split_once("\", line "));
    let mut others = own().filter_map(|line| SOURCES.iter().find_map(|end| line.split_once(end)));
    let (_, rest) = python.next_back().or_else(|| others.next())?;
    rest.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
}

/// The line of a compiler's messages that says why it failed: the first one that names an error, otherwise the last
/// one.
pub fn compiler_error_line(messages: &[u8]) -> Option<String> {
    let names_error =
        |line: &&[u8]| memchr::memmem::find(&line.to_ascii_lowercase(), b"error").is_some();
    lines(messages).find(names_error).or_else(|| lines(messages).last()).map(shortened)
}

/// The lines in which GCC or Clang warns about a source, of the kinds among these options, the first kind first.
///
/// Most comparisons of different signs are harmless. Those with a difference are not: it wraps around below 0.
pub fn compiler_warnings(messages: &[u8], options: &str) -> Vec<String> {
    let lines: Vec<&[u8]> = messages.split(|byte| *byte == b'\n').collect();
    let mut found: Vec<(usize, String)> = Vec::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.starts_with(b"/")) {
        let line = shortened(line);
        let of_kind = |option: &str| line.ends_with(&format!("[{option}]"));
        let kind = options.split_whitespace().position(of_kind);
        let Some(kind) = kind.filter(|_| line.contains(": warning: ")) else { continue };
        let quoted = lines.get(index + 1).zip(lines.get(index + 2));
        let is_harmless = || quoted.is_none_or(|(source, marks)| !marks_difference(source, marks));
        if !line.ends_with("[-Wsign-compare]") || !is_harmless() {
            found.push((kind, line));
        }
    }
    found.sort_by_key(|(kind, _)| *kind);
    found.dedup();
    found.into_iter().map(|(_, line)| line).collect()
}

fn marks_difference(source: &[u8], marks: &[u8]) -> bool {
    let source = String::from_utf8_lossy(source).replace("->", "..");
    let is_marked = |(character, mark): (char, &u8)| character == '-' && b"^~".contains(mark);
    source.chars().zip(marks).any(is_marked)
}

/// What to do if a compiler of C or C++ does not find a header.
pub fn missing_header_hint(messages: &[u8]) -> Option<&'static str> {
    const SIGNS: [&[u8]; 2] = [b": No such file or directory", b"' file not found"];
    let is_missing = SIGNS.iter().any(|sign| memchr::memmem::find(messages, sign).is_some());
    is_missing.then_some(
        "headers come along from below the source's directory, and from DIR with --flags=-IDIR, but only regular \
         files: links do not lead out, and CPATH and CPLUS_INCLUDE_PATH are not obeyed",
    )
}

/// The first line of a message after a colon, cut if it is long, and whether it is the whole message.
pub fn first_line_clause(message: &[u8]) -> (String, bool) {
    let message = message.trim_ascii();
    let line = message.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let (clause, is_whole) = line_clause(line);
    (clause, is_whole && line.len() == message.len())
}

/// A line after a colon, cut if it is long, and whether it is the whole line. Empty if the line is.
pub fn line_clause(line: &[u8]) -> (String, bool) {
    /// In characters.
    const LONGEST: usize = 200;
    let whole = visible(line);
    let shown: String = whole.chars().take(LONGEST).collect();
    let is_whole = shown.len() == whole.len();
    (if shown.is_empty() { shown } else { format!(": {shown}") }, is_whole)
}

fn lines(messages: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = messages.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.filter(|line| line.first().is_some_and(|first| !first.is_ascii_whitespace()))
}

fn shortened(line: &[u8]) -> String {
    message_line(&line[..line.len().min(LONGEST)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_has_the_first_line_of_the_message() {
        let check = |message: &[u8], shown: &str, is_all: bool| {
            assert_eq!(first_line_clause(message), (shown.to_owned(), is_all));
        };
        check(b"", "", true);
        check(b"\n \n", "", true);
        check(b"\n move 3 loses 2 \n\n", ": move 3 loses 2", true);
        check(b"move 3 loses 2\nthe rest\n", ": move 3 loses 2", false);
        check(b"\n\x1b[2J\r\n", ": \\x1b[2J", true);
        check(&[b'x'; 300], &format!(": {}", "x".repeat(200)), false);
    }

    #[test]
    fn the_reason_of_a_failure_is_a_line() {
        let check = |messages: &str, expected: &str| {
            let found = program_error_line(messages.as_bytes());
            assert_eq!(found.unwrap_or_default(), expected, "{messages}");
        };
        check("", "");
        check("\n\nreading\nno more\n", "no more");
        check("a\x07b", "a\\x07b");
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1\n    x\nOSError: read-only\n";
        check(python, "OSError: read-only");
        check("Traceback (most recent call last):\n", "Traceback (most recent call last):");
        check(
            "\nthread 'main' panicked at a.rs:2:5:\nindex out of bounds: the len is 3 but the index is 7\n\
             note: run with `RUST_BACKTRACE=1`\n",
            "index out of bounds: the len is 3 but the index is 7",
        );
        check(
            "Exception in thread \"main\" java.lang.StackOverflowError\n\tat A.f(A.java:3)\n",
            "Exception in thread \"main\" java.lang.StackOverflowError",
        );
        check(
            "panic: runtime error\n\ngoroutine 1 [running]:\nexit status 2\n",
            "panic: runtime error",
        );
        check("RangeError: too deep\n    at f\n\nNode.js v20.1.0\n", "RangeError: too deep");
    }

    #[test]
    fn the_line_of_a_failure_is_in_the_own_source() {
        let check = |messages: &str, expected: Option<u32>| {
            assert_eq!(source_line(messages.as_bytes()), expected, "{messages}");
        };
        let frames =
            "  File \"/box/a.py\", line 9, in <module>\n    f()\n  File \"a.py\", line 3, in f\n";
        let library =
            "  File \"/usr/lib/python3/json.py\", line 7, in load\n  File \"<frozen x>\", line 8\n";
        check(&format!("{frames}{library}ValueError: x\n"), Some(3));
        let java = "\tat java.base/java.util.Scanner.next(Scanner.java:11)\n\tat Sum.main(Sum.java:5)\n\tat Sum.x(Sum.java:6)\n";
        check(java, Some(5));
        check("node:fs:441\n    at f (node:fs.js:3:1)\n    at main (/box/sum.js:12:5)\n", Some(12));
        check("thread 'main' panicked at a.rs:2:5:\nindex out of bounds\n", Some(2));
        check("panic: x\n\t/usr/lib/go/panic.go:8 +0x1\n\t/box/a.go:6 +0x2\n", Some(6));
        for none in ["", "line 3", "IndexError: x", "a.js:x", "File \"a.py\", line x"] {
            check(none, None);
        }
    }

    /// What GCC 12 writes for each, and Clang for the last but one.
    #[test]
    fn warnings_of_the_wanted_kinds_are_found() {
        let check = |messages: &str, expected: &[&str]| {
            let options = "-S -Wreturn-type -Woverflow -Wsign-compare";
            assert_eq!(compiler_warnings(messages.as_bytes(), options), expected, "{messages}");
        };
        let missing =
            "a.cpp:3:33: warning: control reaches end of non-void function [-Wreturn-type]";
        let quoted = "    3 | int f(int x){ if(x>3) return 1; }\n      |                  ^\n";
        check(&format!("a.cpp: In function ‘int f(int)’:\n{missing}\n{quoted}"), &[missing]);
        let overflow =
            "a.cpp:6:3: warning: integer overflow in expression of type ‘int’ [-Woverflow]";
        check(&format!("{overflow}\n{missing}\n{overflow}\n"), &[missing, overflow]);
        let sign = "a.cpp:6:66: warning: comparison of integer expressions [-Wsign-compare]";
        let compared = |source: &str, marks: &str, expected: &[&str]| {
            check(&format!("{sign}\n    6 | {source}\n      | {marks}\n"), expected);
        };
        compared("for (int i=0; i<v.size()-1; i++)", "              ~^~~~~~~~~~~", &[sign]);
        compared("while (a - b < v.size())", "       ~~~~~~^~~~~~~~~~", &[sign]);
        compared("for (int i=0; i<v.size(); i++)", "              ~^~~~~~~~~", &[]);
        compared("x = a - b; while (i < p->size())", "                  ~~^~~~~~~~~~~", &[]);
        check(sign, &[]);
        let clang =
            "a.cpp:3:33: warning: non-void function does not return a value [-Wreturn-type]";
        check(&format!("{clang}\nint f(int x) {{ }}\n               ^\n"), &[clang]);
        // Another kind, an error, a header of the system, a note, and text of the source.
        check("a.cpp:1:1: warning: unused variable ‘x’ [-Wunused-variable]\n", &[]);
        check("a.cpp:1:1: error: no return [-Werror=return-type]\n", &[]);
        check("/usr/include/a.h:1:1: warning: x [-Woverflow]\n", &[]);
        check("warning: unknown warning option '-Woverflow' [-Wunknown-warning-option]\n", &[]);
        check("    1 | // [-Woverflow]\n", &[]);
        check("", &[]);
    }

    #[test]
    fn the_first_error_of_a_compiler_counts() {
        let check = |messages: &str, expected: &str| {
            let found = compiler_error_line(messages.as_bytes());
            assert_eq!(found.unwrap_or_default(), expected, "{messages}");
        };
        check("", "");
        check(
            "a.cpp: In function ‘int main()’:\na.cpp:1:13: error: ‘x’ was not declared\n    1 | x\na.cpp:2:1: error: y\n",
            "a.cpp:1:13: error: ‘x’ was not declared",
        );
        check(
            "error[E0425]: cannot find value `x`\n --> a.rs:1:13\n",
            "error[E0425]: cannot find value `x`",
        );
        check("# command-line-arguments\n./a.go:5:2: undefined: x\n", "./a.go:5:2: undefined: x");
        check(
            "  File \"a.py\", line 1\n    x =\nSyntaxError: invalid syntax\n",
            "SyntaxError: invalid syntax",
        );
    }
}
