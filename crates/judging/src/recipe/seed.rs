//! The value of `{seed}` in a generator's arguments.

use sha2::{Digest, Sha512};

use juror_core::placeholder::{ArgumentPiece, argument_pieces};
use juror_core::recipe::GeneratorCommand;

/// The same on every machine, but different if the command line changes.
///
/// SHA-512 of salt and line, read as one big number, modulo 2³¹. Source: the generators documentation of BAPCtools.
pub fn seed_of(command: &GeneratorCommand) -> u32 {
    let mut hasher = Sha512::new();
    hasher.update(&command.random_salt);
    hasher.update(command.line.trim());
    let low = hasher.finalize().last_chunk().copied().unwrap_or_default();
    u32::from_be_bytes(low) & 0x7fff_ffff
}

/// The words of a command for the case `name`, with the placeholders replaced.
///
/// After a failure, a generator gets the next seed. So seeds can reach 2³¹ and more.
pub fn substitute_placeholders(command: &GeneratorCommand, name: &str, seed: u64) -> Vec<String> {
    let base = name.rsplit('/').next().unwrap_or(name);
    let replaced = |piece: &ArgumentPiece<'_>| match piece {
        ArgumentPiece::Text(text) => (*text).to_owned(),
        ArgumentPiece::Seed => seed.to_string(),
        ArgumentPiece::Name => base.to_owned(),
    };
    let word = |word: &String| match argument_pieces(word) {
        Ok(pieces) => pieces.iter().map(replaced).collect(),
        // Such a recipe is refused.
        Err(_) => word.clone(),
    };
    command.args.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::recipe::GeneratorProgram;
    use juror_core::root::FilePath;

    fn command(random_salt: &str, line: &str) -> GeneratorCommand {
        GeneratorCommand {
            program: GeneratorProgram {
                name: "gen.py".to_owned(),
                path: FilePath::root("gen.py"),
                included: Vec::new(),
                language: None,
            },
            args: line.split_whitespace().skip(1).map(str::to_owned).collect(),
            line: line.to_owned(),
            random_salt: random_salt.to_owned(),
            tries: 1,
        }
    }

    #[test]
    fn the_seed_is_a_function_of_salt_and_line() {
        let check = |salt: &str, line: &str, expected: u32| {
            assert_eq!(seed_of(&command(salt, line)), expected, "{salt} {line}");
        };
        let line = "board.rs --n 100 --shape random --max 200 --layout line --seed {seed}";
        check("", line, 671_685_104);
        check("", &format!("  {line}\n"), 671_685_104);
        // Computed with another implementation of SHA-512.
        check(":1", line, 1_662_660_239);
        check("abcd", "graph {seed:2}", 1_928_857_153);
        check("abcd:-4", "graph {seed:2}", 1_545_892_947);
    }

    #[test]
    fn placeholders_are_replaced_anywhere() {
        let check = |word: &str, expected: &str| {
            let command = command("", &format!("gen.py {word}"));
            assert_eq!(substitute_placeholders(&command, "secret/a/1", 7), [expected]);
        };
        check("{seed}", "7");
        check("--seed={seed}", "--seed=7");
        check("{seed:12}x{name}", "7x1");
        check("{name}", "1");
        check("{seed", "{seed");
    }
}
