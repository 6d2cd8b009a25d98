//! Shows untrusted bytes, and amounts, to people.

use std::ffi::OsStr;
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use unicode_normalization::UnicodeNormalization;

/// Shows bytes in one line with nothing hidden: whatever a terminal would obey, or a reader could not see, becomes an
/// escape.
///
/// Control bytes, line ends and tabs become `\n`, `\r`, `\t`, `\0`, `\x1b`; bytes that are not UTF-8 become `\xff`.
/// Characters that are invisible, that change the writing direction, that combine with the one before, and blanks
/// other than the space become escapes such as `\u{202e}`. A backslash is doubled only if it could start an escape. So
/// pictures made of backslashes stay readable, and the result is unambiguous.
pub fn visible(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    let mut backslash = false;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            let piece = visible_char(character);
            push_visible(&mut shown, &mut backslash, &piece);
        }
        for byte in chunk.invalid() {
            push_visible(&mut shown, &mut backslash, &format!("\\x{byte:02x}"));
        }
    }
    shown
}

/// Shows a line that a program wrote for people: blanks look as in a terminal, and backslashes are kept. All else is as
/// [`visible`] shows it, so the line cannot control a terminal, but two lines may look the same.
pub fn message_line(line: &[u8]) -> String {
    const TAB_STOP: usize = 8;
    let mut shown = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\t' => {
                    let blanks = TAB_STOP - shown.chars().count() % TAB_STOP;
                    shown.extend(std::iter::repeat_n(' ', blanks));
                }
                _ if is_blank(character) => shown.push(character),
                _ => shown.push_str(&visible_char(character)),
            }
        }
        shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    shown
}

/// Shows juror's own text, or a result of [`visible`], in one line with nothing hidden.
///
/// It keeps backslashes, so doing it twice changes nothing.
pub fn printable(text: &str) -> String {
    text.chars().map(visible_char).collect()
}

/// A name as people type it and see it: a letter and its mark are one character. Names from a Mac have two.
///
/// Source: Unicode Standard Annex 15, form C.
pub fn composed(name: &str) -> String {
    if name.is_ascii() { name.to_owned() } else { name.nfc().collect() }
}

/// Composed, for reports. Bytes that are not UTF-8 become `\xff`, so that no two of those look alike.
pub fn path_text(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(&composed(chunk.valid()));
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// Doubles the backslash before the piece if needed.
fn push_visible(shown: &mut String, after_backslash: &mut bool, piece: &str) {
    if *after_backslash && piece.starts_with(['\\', 'n', 'r', 't', '0', 'x', 'u']) {
        shown.push('\\');
        // `\\` is complete.
    }
    *after_backslash = piece == "\\";
    shown.push_str(piece);
}

fn visible_char(character: char) -> String {
    match character {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\0' => "\\0".to_owned(),
        '\x01'..='\x1f' | '\x7f' => format!("\\x{:02x}", u32::from(character)),
        _ if is_hidden(character) => format!("\\u{{{:x}}}", u32::from(character)),
        _ => character.to_string(),
    }
}

/// Whether it takes room in a line and shows nothing.
///
/// Source: Unicode general category Zs.
fn is_blank(character: char) -> bool {
    matches!(
        u32::from(character),
        0x20 | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x202f | 0x205f | 0x3000
    )
}

/// Whether a reader could not see this character, or would misread text because of it.
///
/// Source: Unicode general categories Cc, Cf, Zl, Zp, Zs and Mn; of the last, the blocks that attach to Latin letters
/// and symbols.
fn is_hidden(character: char) -> bool {
    if character != ' ' && (character.is_whitespace() || character.is_control()) {
        return true;
    }
    matches!(u32::from(character),
        0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x3164 | 0xfeff | 0xffa0
        | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f
        | 0x300..=0x36f | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe20..=0xfe2f
        | 0xfe00..=0xfe0f | 0xfff0..=0xfffb
        | 0xe0000..=0xe0fff)
}

/// The beginning of a text that is not as expected, for a message that quotes it.
pub fn short_quote(text: &[u8]) -> String {
    const MOST: usize = 60;
    // No character has more than four bytes.
    visible(&text[..text.len().min(4 * MOST)]).chars().take(MOST).collect()
}

/// A command line in shell syntax.
pub fn command_line<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    joined(words.into_iter().map(|word| shell_word(word.as_ref().as_bytes())), " ")
}

/// A word as a shell reads it: bare if possible, otherwise quoted.
///
/// Bytes that are not plain text, such as a line end or invalid UTF-8, are written as `$'\n'`, which bash, zsh and ksh
/// understand.
pub fn shell_word(word: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(byte);
    match std::str::from_utf8(word) {
        Ok(text) if !word.is_empty() && word.iter().all(plain) => text.to_owned(),
        Ok(text) if printable(text) == text => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let mut quoted = "$'".to_owned();
            for byte in word {
                match byte {
                    b'\'' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
                    b' '..=b'~' => quoted.push(char::from(*byte)),
                    // Three octal digits end the escape, whatever follows.
                    _ => quoted.push_str(&format!("\\{byte:03o}")),
                }
            }
            quoted + "'"
        }
    }
}

/// A time in seconds with as many digits as needed: `1 s`, `2.5 s`.
pub fn exact_seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// Such as `1 run` or `2 runs`.
pub fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `None` if the number is zero.
pub fn count_if_any(number: usize, noun: &str) -> Option<String> {
    (number > 0).then(|| count(number, noun))
}

pub fn joined(all: impl IntoIterator<Item: Display>, between: &str) -> String {
    let all: Vec<String> = all.into_iter().map(|item| item.to_string()).collect();
    all.join(between)
}

/// At most so many of the items, and how many more there are.
pub fn short_list<T: Display>(all: &[T], most: usize) -> String {
    let shown = joined(all.iter().take(most), ", ");
    match all.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The message, and its help if there is some.
pub fn with_help(message: &str, help: Option<&str>) -> String {
    match help {
        // It is in lines.
        Some(help) if help.starts_with('\n') => format!("{message}{help}"),
        Some(help) => format!("{message}; {help}"),
        None => message.to_owned(),
    }
}

/// Two digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Source: RFC 9562.
pub fn uuid(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex(&bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let check = |words: &[&str], line: &str| assert_eq!(command_line(words), line);
        check(&["juror", "judge", "a/b.cpp"], "juror judge a/b.cpp");
        check(&["juror", "--case", "secret/*"], "juror --case 'secret/*'");
        check(&["", "it's", "a b"], r"'' 'it'\''s' 'a b'");
    }

    #[test]
    fn control_and_invisible_characters_are_shown_as_escapes() {
        let check = |bytes: &[u8], shown: &str| assert_eq!(visible(bytes), shown);
        check(b"", "");
        check(b"1 2 3", "1 2 3");
        check("grüße 東京 🎉".as_bytes(), "grüße 東京 🎉");
        check(b"a\tb\r\n\0", "a\\tb\\r\\n\\0");
        check(b"\x1b[31mred\x7f", "\\x1b[31mred\\x7f");
        check(b"\xff\xfe1", "\\xff\\xfe1");
        check(b"\xe2\x82", "\\xe2\\x82");
        check("\u{9b}2J".as_bytes(), "\\u{9b}2J");
        check("a\u{202e}b\u{2066}".as_bytes(), "a\\u{202e}b\\u{2066}");
        check("\u{a0}\u{200b}\u{feff}".as_bytes(), "\\u{a0}\\u{200b}\\u{feff}");
        check("e\u{301}".as_bytes(), "e\\u{301}");
        check("\u{e0041}".as_bytes(), "\\u{e0041}");
    }

    #[test]
    fn names_from_a_mac_are_shown_as_people_type_them() {
        let check = |path: &[u8], shown: &str| {
            assert_eq!(path_text(Path::new(OsStr::from_bytes(path))), shown);
        };
        check("Jo\u{308}rg Mu\u{308}ller".as_bytes(), "J\u{f6}rg M\u{fc}ller");
        check("class/Zoe\u{308}/a\u{30a}.py".as_bytes(), "class/Zo\u{eb}/\u{e5}.py");
        check("Vie\u{323}\u{302}t".as_bytes(), "Vi\u{1ec7}t");
        check("\u{1100}\u{1175}\u{11b7}".as_bytes(), "\u{ae40}");
        check("\u{30ab}\u{3099}".as_bytes(), "\u{30ac}");
        check("J\u{f6}rg".as_bytes(), "J\u{f6}rg");
        check(b"a\xff o\xcc\x88", "a\\xff \u{f6}");
        // Nobody types these.
        check("x\u{302}".as_bytes(), "x\u{302}");
    }

    #[test]
    fn a_message_keeps_its_blanks_and_backslashes() {
        let check = |line: &[u8], shown: &str| assert_eq!(message_line(line), shown);
        check(b"\tat E.f(E.java:2)", "        at E.f(E.java:2)");
        check(b"a\tb\t", "a       b       ");
        check(b"cout << \"\\n\"", "cout << \"\\n\"");
        check("1\u{a0}000\u{3000}".as_bytes(), "1\u{a0}000\u{3000}");
        check(b"\x1b[2J\r\x07\xff\0", "\\x1b[2J\\r\\x07\\xff\\0");
        check("a\u{202e}b\u{200b}\u{2028}".as_bytes(), "a\\u{202e}b\\u{200b}\\u{2028}");
    }

    #[test]
    fn a_backslash_is_doubled_only_where_it_could_be_an_escape() {
        let check = |bytes: &[u8], shown: &str| assert_eq!(visible(bytes), shown);
        check(br"/\/\ \", r"/\/\ \");
        check(br"\n", r"\\n");
        check(b"\\\n", r"\\\n");
        check(b"\\\xff", r"\\\xff");
        check(br"\\", r"\\\");
        check(br"\a\b", r"\a\b");
    }

    proptest::proptest! {
        #[test]
        fn different_bytes_never_look_the_same(
            a in proptest::collection::vec(proptest::sample::select(b"\\nx0\n\xff\t".to_vec()), 0..6),
            b in proptest::collection::vec(proptest::sample::select(b"\\nx0\n\xff\t".to_vec()), 0..6),
        ) {
            proptest::prop_assert_eq!(a == b, visible(&a) == visible(&b));
        }
    }

    #[test]
    fn a_word_can_be_pasted_into_a_shell() {
        let check = |word: &[u8], quoted: &str| assert_eq!(shell_word(word), quoted);
        check(b"a/b.cpp", "a/b.cpp");
        check(b"", "''");
        check(b"secret/*", "'secret/*'");
        check(b"a b", "'a b'");
        check(b"it's", r"'it'\''s'");
        check("grüße".as_bytes(), "'grüße'");
        check(b"a\n'\\1\xff", r"$'a\012\'\\1\377'");
        check(b"\x1b[31m", r"$'\033[31m'");
    }

    #[test]
    fn visible_text_stays_the_same_when_printed() {
        let check = |text: &str, shown: &str| assert_eq!(printable(text), shown);
        check("token \"\\xff\" differs", "token \"\\xff\" differs");
        check("a\u{1b}[2J", "a\\x1b[2J");
    }

    #[test]
    fn exact_seconds_have_the_digits_they_need() {
        let check = |millis: u64, shown: &str| {
            assert_eq!(exact_seconds(Duration::from_millis(millis)), shown);
        };
        check(1000, "1 s");
        check(2500, "2.5 s");
        check(50, "0.05 s");
    }
}
