//! Tells Perl from Prolog: sources in both end with `.pl`.

use std::sync::LazyLock;

use regex::Regex;

use crate::language::essence;

/// What only Perl has, outside of strings and of the comments of both languages.
static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)\b(?:my|our)\s*[($@%]|^\s*use\s+\w[\w:.]*(?:\s[^\n]*)?;|<STDIN>").ok()
});

pub fn is_perl(text: &[u8]) -> bool {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.starts_with(b"#!") {
        return memchr::memmem::find(first, b"perl").is_some();
    }
    let has_mark = |language: &str| {
        let code = essence::without_strings_and_comments(language, text);
        MARKS.as_ref().is_some_and(|marks| marks.is_match(&String::from_utf8_lossy(&code)))
    };
    has_mark("perl") && has_mark("prolog")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_a_mark_of_perl_is_perl() {
        let check = |text: &str, expected: bool| {
            assert_eq!(is_perl(text.as_bytes()), expected, "{text}");
        };
        check("#!/usr/bin/perl\nprint 1;", true);
        check("#!/usr/bin/env perl -w\n", true);
        check("# sum\nuse strict;\nprint 1;", true);
        check("my $n = <>;", true);
        check("while (1) { my ($a, $b) = split; }", true);
        check("use List::Util qw(sum);\nprint sum(split ' ', <>);", true);
        check("use v5.36;", true);
        check("print 2 * <STDIN>;", true);
        check("main :- read(X), write(X).", false);
        check(":- use_module(library(lists)).\nuse(X) :- foo.", false);
        check("#!/usr/bin/swipl\n% use strict;\nmain.", false);
        check("% my $x\nmain :- write('use strict; my $x'), nl.", false);
        check("/*\nuse strict;\nmy $x */\nmain.", false);
        check("main :- format(\"my $x~n\", []).", false);
        check("", false);
    }
}
