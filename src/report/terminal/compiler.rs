//! Messages of a compiler, as it wrote them, in colours if the terminal has them.

use crate::report::style::{Style, TextRole};
use crate::report::terminal::page::{Page, lines_of, write_left_out};
use juror_core::text::message_line;

const MAX_LINES: usize = 30;

/// Shows all messages if they are few or in verbose mode; otherwise from just before the first error.
pub(super) fn quote_from_first_error(page: &mut Page<'_>, messages: &[u8]) {
    let lines = lines_of(messages);
    let mut start = 0;
    let mut most = MAX_LINES;
    if page.style.is_verbose() || lines.len() <= most + 1 {
        most = lines.len();
    } else {
        let is_error = |line: &&[u8]| {
            let line = line.to_ascii_lowercase();
            memchr::memmem::find(&line, b"error").is_some()
        };
        let first_error = lines.iter().position(is_error).unwrap_or(0);
        // Compilers name the function before they report the error in it.
        start = first_error.saturating_sub(2).min(lines.len() - most);
        // A note that one line is omitted would take the room of that line.
        most += usize::from(start + most + 1 == lines.len());
        if start == 1 {
            start = 0;
            most += 1;
        }
    }
    let shown = &lines[start..lines.len().min(start + most)];
    write_left_out(page, start, "earlier line", 0);
    let mut role = TextRole::Bad;
    for line in shown {
        let painted = paint(&message_line(line), &mut role, page.style);
        page.quoted_whole(&painted);
    }
    write_left_out(page, lines.len() - start - shown.len(), "more line", 0);
}

/// `role` is that of the message to which the line belongs; a line that begins a message changes it.
fn paint(line: &str, role: &mut TextRole, style: &Style) -> String {
    const SEVERITIES: [(&str, TextRole); 4] = [
        ("fatal error", TextRole::Bad),
        ("error", TextRole::Bad),
        ("warning", TextRole::Warning),
        ("note", TextRole::Title),
    ];
    let source_start = line.find('|').map_or(0, |index| index + 1);
    let (margin, marks) = line.split_at(source_start);
    if marks.contains(['^', '~'])
        && marks.chars().all(|mark| " ^~-".contains(mark))
        && margin.chars().all(|mark| " |".contains(mark))
    {
        return format!("{margin}{}", style.paint(*role, marks));
    }
    let begins_message = |(word, severity): (&'static str, TextRole)| {
        let start = match line.find(&format!(": {word}: ")) {
            Some(index) => index + 2,
            None if line.starts_with(word) => 0,
            None => return None,
        };
        let is_word = line[start + word.len()..].starts_with([':', '[']);
        is_word.then_some((start, start + word.len(), severity))
    };
    let Some((start, end, severity)) = SEVERITIES.into_iter().find_map(begins_message) else {
        return line.to_owned();
    };
    *role = severity;
    let [place, word] = [(TextRole::Title, &line[..start]), (severity, &line[start..end])]
        .map(|(role, text)| style.paint(role, text));
    format!("{place}{word}{}", &line[end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::style::Verbosity;

    #[test]
    fn a_message_keeps_its_text_and_gets_the_colours_of_its_severity() {
        let check = |lines: &[&str], painted: &[&str]| {
            let style =
                |color| Style { color, unicode: true, width: 80, verbosity: Verbosity::Normal };
            let [plain, colored] = [false, true].map(|color| {
                let mut role = TextRole::Bad;
                let paint = |line: &&str| paint(line, &mut role, &style(color));
                lines.iter().map(paint).collect::<Vec<_>>()
            });
            assert_eq!(plain, lines);
            let colored: Vec<String> =
                colored.iter().map(|line| line.replace("\x1b[", "<")).collect();
            assert_eq!(colored, painted);
        };
        check(
            &[
                "a.cpp:4:17: error: ‘y’ was not declared",
                "    4 |   int x = y;",
                "      |           ^",
            ],
            &[
                "<1ma.cpp:4:17: <0m<1m<31merror<0m: ‘y’ was not declared",
                "    4 |   int x = y;",
                "      |<1m<31m           ^<0m",
            ],
        );
        check(
            &["a.c:1:1: warning: x [-Wy]", "      | ^~~-", "a.c:2:1: note: here", "      | ^"],
            &[
                "<1ma.c:1:1: <0m<1m<33mwarning<0m: x [-Wy]",
                "      |<1m<33m ^~~-<0m",
                "<1ma.c:2:1: <0m<1mnote<0m: here",
                "      |<1m ^<0m",
            ],
        );
        check(
            &["a.c:1:10: fatal error: no.h: No such file", "error[E0425]: no `x`", "    ^^^^^"],
            &[
                "<1ma.c:1:10: <0m<1m<31mfatal error<0m: no.h: No such file",
                "<1m<31merror<0m[E0425]: no `x`",
                "<1m<31m    ^^^^^<0m",
            ],
        );
        check(&["errors: 3", "notes", "", "a | b ^ c"], &["errors: 3", "notes", "", "a | b ^ c"]);
    }
}
