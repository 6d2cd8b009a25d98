//! Finds the line of a program's or a compiler's messages that says why it failed.

use crate::text::message_line;

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

/// The line of a compiler's messages that says why it failed: the first one that names an error, otherwise the last
/// one.
pub fn compiler_error_line(messages: &[u8]) -> Option<String> {
    let names_error =
        |line: &&[u8]| memchr::memmem::find(&line.to_ascii_lowercase(), b"error").is_some();
    lines(messages).find(names_error).or_else(|| lines(messages).last()).map(shortened)
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
