//! The name of a problem → the name of its directory.

use juror_core::text::printable;

/// File systems allow 255. A longer name helps nobody.
const LONGEST: usize = 100;

/// One part of a path, of at most 100 bytes: without characters that control a terminal or cannot be seen, and without
/// a dash or a dot at its beginning. `None` if nothing is left.
pub fn directory_name(name: &str) -> Option<String> {
    let safe = |character: char| match character {
        // They separate the parts of a path, here or on other systems.
        '/' | '\\' => '-',
        _ if printable(character.encode_utf8(&mut [0; 4])) != String::from(character) => ' ',
        _ => character,
    };
    let text: String = name.chars().map(safe).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    // A dash would make it an option, a dot a hidden directory or the one above.
    let text = text.trim_start_matches(['-', '.', ' ']);
    Some(shorten(text, LONGEST).to_owned()).filter(|name| !name.is_empty())
}

/// The name for the `number`th problem of that name.
pub fn numbered_name(name: &str, number: usize) -> String {
    if number == 1 {
        return name.to_owned();
    }
    let suffix = format!("-{number}");
    shorten(name, LONGEST - suffix.len()).to_owned() + &suffix
}

fn shorten(text: &str, longest: usize) -> &str {
    let ends = (0..=text.len().min(longest)).rev();
    let end = ends.into_iter().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::file_name::name_fault;
    use proptest::prelude::*;

    fn check(name: &str, expected: &str) {
        let found = directory_name(name);
        assert_eq!(found.as_deref().unwrap_or_default(), expected, "{name:?}");
    }

    #[test]
    fn a_usual_name_stays_as_it_is() {
        for name in ["A. Watermelon", "Grüße", "1+1", "~", "C++ (easy)", "a'b \"c\" $(d)", "問題"]
        {
            check(name, name);
        }
        check("  A\t.  B ", "A . B");
    }

    #[test]
    fn no_name_leads_out_of_the_directory() {
        check("../../x", "x");
        check("/etc/passwd", "etc-passwd");
        check("a/../b", "a-..-b");
        check("C:\\x", "C:-x");
        check(".ssh", "ssh");
        check("--help", "help");
        check("- . -a", "a");
    }

    #[test]
    fn nothing_hides_in_a_name() {
        check("a\u{0}b", "a b");
        check("a\u{1b}[31mb", "a [31mb");
        check("a\u{202e}b", "a b");
        check("a\r\nb", "a b");
        for name in ["", " ", ".", "..", "-", "../..", "\u{7}", "\u{200b}"] {
            check(name, "");
        }
    }

    #[test]
    fn a_long_name_ends_between_two_characters() {
        check(&"ä".repeat(60), &"ä".repeat(50));
        check(&format!("a{}", "ä".repeat(60)), &format!("a{}", "ä".repeat(49)));
        assert_eq!(numbered_name(&"x".repeat(100), 12), format!("{}-12", "x".repeat(97)));
        assert_eq!(numbered_name("x", 1), "x");
    }

    proptest! {
        #[test]
        fn every_name_is_one_part_of_a_path(name in any::<String>(), number in 1..2000_usize) {
            if let Some(name) = directory_name(&name) {
                for name in [numbered_name(&name, number), name] {
                    prop_assert_eq!(name_fault(&name), None);
                    prop_assert!(name.len() <= LONGEST && !name.contains('/'));
                    prop_assert!(!name.starts_with(['-', '.', ' ']) && !name.ends_with(' '));
                    prop_assert_eq!(printable(&name), name);
                }
            }
        }

        #[test]
        fn a_directory_name_stays_as_it_is(name in "\\PC{0,120}") {
            if let Some(name) = directory_name(&name) {
                prop_assert_eq!(directory_name(&name), Some(name));
            }
        }
    }
}
