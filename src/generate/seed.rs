//! The number that stands for `{seed}` in a generator's arguments.

use sha2::{Digest, Sha512};

/// The seed of a command line: the same on every machine, another one when the line changes.
///
/// SHA-512 of salt and line, read as one big number, modulo 2³¹. Source: the generators
/// documentation of BAPCtools.
pub fn seed(random_salt: &str, line: &str) -> u32 {
    let mut hasher = Sha512::new();
    hasher.update(random_salt);
    hasher.update(line.trim());
    let digest = hasher.finalize();
    let mut low = [0; 4];
    low.copy_from_slice(&digest[60..]);
    u32::from_be_bytes(low) & 0x7fff_ffff
}

/// The words of a command with `{seed}` and `{name}` replaced.
pub fn substituted(args: &[String], seed: u32, name: &str) -> Vec<String> {
    args.iter()
        .map(|word| replace_seed(word, seed).replace("{name}", name))
        .collect()
}

/// Replaces `{seed}` and `{seed:7}`; the number only makes lines differ.
fn replace_seed(word: &str, seed: u32) -> String {
    let mut replaced = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(start) = rest.find("{seed") {
        let after = &rest[start + "{seed".len()..];
        let digits = after.strip_prefix(':').map_or(0, |text| {
            1 + text.bytes().take_while(u8::is_ascii_digit).count()
        });
        if digits != 1 && after[digits..].starts_with('}') {
            replaced.push_str(&rest[..start]);
            replaced.push_str(&seed.to_string());
            rest = &after[digits + 1..];
        } else {
            replaced.push_str(&rest[..start + "{seed".len()]);
            rest = after;
        }
    }
    replaced + rest
}

/// Whether a command's words ask for a seed.
pub fn uses_seed(args: &[String]) -> bool {
    args.iter().any(|word| replace_seed(word, 0) != *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_is_a_function_of_salt_and_line() {
        let check = |salt: &str, line: &str, expected: u32| assert_eq!(seed(salt, line), expected);
        check(
            "",
            "board.rs --n 100 --shape random --max 200 --layout line --seed {seed}",
            671_685_104,
        );
        check("", "  board.rs {seed}\n", seed("", "board.rs {seed}"));
        assert_ne!(seed("salt", "a"), seed("", "a"));
    }

    #[test]
    fn placeholders_are_replaced_wherever_they_stand() {
        let check = |word: &str, expected: &str| {
            assert_eq!(substituted(&[word.to_owned()], 7, "secret/1"), [expected]);
        };
        check("{seed}", "7");
        check("--seed={seed}", "--seed=7");
        check("{seed:12}x{seed}", "7x7");
        check("{name}", "secret/1");
        check("{seed:}", "{seed:}");
        check("{seeds}", "{seeds}");
        check("{seed", "{seed");
    }
}
