//! Compares the grammars of the shipped problems with hand-written checks, on valid and mutated inputs.

use std::fs;
use std::path::{Path, PathBuf};

use juror_grammar::bounds::{Coverage, bounds};
use juror_grammar::compile::parse_grammar;
use juror_grammar::generate::generate;
use juror_grammar::program::Grammar;
use juror_grammar::shape::applicable;
use juror_grammar::validate::accepts;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read_grammar(path: &str) -> Grammar {
    let path = root().join(path);
    let text = fs::read(&path).expect("a grammar");
    let reading = parse_grammar(&path, &text);
    assert_eq!(reading.diagnostics, []);
    reading.grammar.expect("a grammar")
}

/// A simple, slow parser that shares no code with grammars.
struct HandParser<'a> {
    rest: &'a str,
}

impl HandParser<'_> {
    fn parse_integer(&mut self, min: i64, max: i64) -> Option<i64> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '-');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let value: i64 = word.parse().ok()?;
        self.rest = rest;
        (value.to_string() == word && (min..=max).contains(&value)).then_some(value)
    }

    fn parse_one_of(&mut self, characters: &str) -> Option<()> {
        let first = self.rest.chars().next()?;
        self.rest = &self.rest[first.len_utf8()..];
        characters.contains(first).then_some(())
    }

    fn parse_row(&mut self, count: i64, min: i64, max: i64, gap: &str) -> Option<Vec<i64>> {
        let mut row = Vec::new();
        for index in 0..count {
            if index > 0 {
                self.parse_one_of(gap)?;
            }
            row.push(self.parse_integer(min, max)?);
        }
        self.parse_one_of("\n")?;
        Some(row)
    }

    fn expect_end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }
}

type HandCheck = fn(&mut HandParser<'_>) -> Option<()>;

fn game1(input: &mut HandParser<'_>) -> Option<()> {
    let n = input.parse_integer(2, 100)?;
    input.parse_one_of("\n")?;
    input.parse_row(n, 1, 200, " \n")?;
    input.expect_end()
}

fn game1live(input: &mut HandParser<'_>) -> Option<()> {
    let n = input.parse_integer(2, 100)?;
    input.parse_one_of(" ")?;
    input.parse_integer(1, 2)?;
    input.parse_one_of("\n")?;
    input.parse_row(n, 1, 200, " \n")?;
    let opponent = input.rest.strip_suffix('\n')?;
    match opponent.split_once(' ') {
        Some(("random" | "careless", seed)) => {
            input.rest = seed;
            input.parse_integer(0, 2_147_483_647)?;
            input.expect_end()
        }
        Some(_) => None,
        None => ["optimal", "greedy"]
            .iter()
            .any(|how| {
                let tie = opponent.strip_prefix(how);
                matches!(tie, Some("-left" | "-right"))
            })
            .then_some(()),
    }
}

fn coinmoves(input: &mut HandParser<'_>) -> Option<()> {
    let n = input.parse_integer(1, 3000)?;
    input.parse_one_of("\n")?;
    input.parse_row(n, 0, 1_000_000, " ")?;
    input.expect_end()
}

fn coinrow(input: &mut HandParser<'_>) -> Option<()> {
    let cases = input.parse_integer(1, 100)?;
    input.parse_one_of("\n")?;
    let mut total = 0;
    for _ in 0..cases {
        let n = input.parse_integer(1, 2000)?;
        input.parse_one_of("\n")?;
        input.parse_row(n, 1, 1_000_000_000, " ")?;
        total += n;
    }
    (total <= 10_000).then_some(())?;
    input.expect_end()
}

fn optimalcoins(input: &mut HandParser<'_>) -> Option<()> {
    let cases = input.parse_integer(1, 10)?;
    input.parse_one_of("\n")?;
    for _ in 0..cases {
        let n = input.parse_integer(2, 1000)?;
        input.parse_one_of("\n")?;
        (n % 2 == 0).then_some(())?;
        input.parse_row(n, 0, 100_000, " ")?;
    }
    input.expect_end()
}

fn gridgame(input: &mut HandParser<'_>) -> Option<()> {
    let cases = input.parse_integer(1, 50)?;
    input.parse_one_of("\n")?;
    for _ in 0..cases {
        let n = input.parse_integer(1, 8)?;
        input.parse_one_of("\n")?;
        for _ in 0..n {
            input.parse_row(n, -1000, 1000, " ")?;
        }
    }
    input.expect_end()
}

fn gridlive(input: &mut HandParser<'_>) -> Option<()> {
    let n = input.parse_integer(1, 8)?;
    input.parse_one_of("\n")?;
    for _ in 0..n {
        input.parse_row(n, -1000, 1000, " ")?;
    }
    let mut rows = input.parse_row(n, 1, n, " ")?;
    rows.sort_unstable();
    rows.windows(2).all(|pair| pair[0] != pair[1]).then_some(())?;
    input.expect_end()
}

const PROBLEMS: [(&str, HandCheck); 7] = [
    ("problems/game1/input_validators/input.ctd", game1),
    ("problems/game1live/input_validators/input.ctd", game1live),
    ("problems/coinmoves/input_validators/input.ctd", coinmoves),
    ("problems/coinrow/input_validators/input.ctd", coinrow),
    ("problems/optimalcoins/input_validators/input.ctd", optimalcoins),
    ("problems/gridgame/input_validators/input.ctd", gridgame),
    ("problems/gridlive/input_validators/input.ctd", gridlive),
];

fn accepts_by_hand(check: HandCheck, input: &[u8]) -> bool {
    std::str::from_utf8(input).is_ok_and(|rest| check(&mut HandParser { rest }).is_some())
}

/// `number` selects the kind and place of one change.
fn mutate_input(input: &[u8], number: u64) -> Vec<u8> {
    const INSERTED_TEXTS: [&[u8]; 14] = [
        b" ", b"\n", b"0", b"-", b"1", b"9", b"+", b".", b"x", b"\r", b"\t", b"200", b"201",
        b"\xff",
    ];
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // Half of the changes are at the beginning.
    let length = if mixed & 1 == 0 { input.len().min(12) } else { input.len() };
    let at = ((mixed >> 8) % (length as u64 + 1)) as usize;
    let piece = INSERTED_TEXTS[((mixed >> 40) % 14) as usize];
    let (start, rest) = input.split_at(at);
    let skip = rest.len().min(1);
    match (mixed >> 2) % 6 {
        0 => [start, piece, rest].concat(),
        1 => [start, piece, &rest[skip..]].concat(),
        2 => [start, &rest[skip..]].concat(),
        3 => start.to_vec(),
        4 => [start, &rest[..skip], rest].concat(),
        _ => [input, piece].concat(),
    }
}

#[test]
fn grammars_and_checks_by_hand_agree_on_valid_and_mutated_inputs() {
    for (problem, (path, check)) in PROBLEMS.into_iter().enumerate() {
        let grammar = read_grammar(path);
        let mut refused = 0;
        // Half of the shapes; the next problem gets the other half.
        let shapes = applicable(&grammar).into_iter().enumerate();
        for (index, shape) in shapes.skip(problem % 2).step_by(2) {
            let input = generate(&grammar, &shape, index as u64)
                .unwrap_or_else(|fault| panic!("{path}: {}: {fault}", shape.name));
            assert!(
                accepts_by_hand(check, &input),
                "{path}: {}: {}",
                shape.name,
                String::from_utf8_lossy(&input)
            );
            // Long inputs are slow, and have the same faults as short ones.
            let count = if input.len() > 2000 { 2 } else { 60 };
            for number in 0..count {
                let mutated = mutate_input(&input, number * 31 + index as u64);
                let accepted = accepts(&grammar, &mutated);
                assert_eq!(
                    accepted,
                    accepts_by_hand(check, &mutated),
                    "{path}: {}",
                    String::from_utf8_lossy(&mutated)
                );
                refused += usize::from(!accepted);
            }
        }
        assert!(refused > 100, "{path}: only {refused} mutated inputs are invalid");
    }
}

fn input_files(package: &str, dir: &str) -> Vec<PathBuf> {
    let data = root().join("problems").join(package).join("data");
    let found = walkdir::WalkDir::new(data.join(dir)).sort_by_file_name();
    let paths = found.into_iter().map(|entry| entry.expect("a file").into_path());
    let paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "in")).collect();
    assert!(!paths.is_empty(), "{package}: {dir}");
    paths
}

#[test]
fn each_grammar_is_as_strict_as_the_validator_program() {
    for (path, _) in PROBLEMS {
        let package = path.split('/').nth(1).expect("a package");
        let grammar = read_grammar(path);
        let validator = BuiltValidator::build(package);
        let mut small: Vec<Vec<u8>> = Vec::new();
        for (dir, valid) in [("sample", true), ("secret", true), ("invalid_input", false)] {
            for path in input_files(package, dir) {
                let yaml = fs::read_to_string(path.with_extension("yaml")).unwrap_or_default();
                if yaml.contains("input_validator_args") {
                    // The input is invalid only in one group, which the validator knows by its arguments.
                    continue;
                }
                let input = fs::read(&path).expect("an input");
                assert_eq!(accepts(&grammar, &input), valid, "{}", path.display());
                if input.len() < 4096 {
                    small.push(input);
                }
            }
        }
        let Some(validator) = validator else {
            return;
        };
        for (index, input) in small.iter().enumerate() {
            for number in 0..2 {
                let mutated = mutate_input(input, number * 17 + index as u64);
                assert_eq!(
                    accepts(&grammar, &mutated),
                    validator.accepts(&mutated),
                    "{package}: {}",
                    String::from_utf8_lossy(&mutated)
                );
            }
        }
    }
}

#[test]
fn the_data_of_game1_reaches_every_bound() {
    let grammar = read_grammar("problems/game1/input_validators/input.ctd");
    let mut coverage = Coverage::new(&grammar);
    for path in input_files("game1", "secret") {
        let input = fs::read(&path).expect("an input");
        coverage.add(&grammar, &input, &path).expect("it is valid");
    }
    for bounds in bounds(&grammar, Some(&coverage)) {
        assert_eq!(bounds.missed_bounds(), None, "{}", bounds.name);
    }
}

struct BuiltValidator {
    dir: tempfile::TempDir,
}

impl BuiltValidator {
    /// `None` without a compiler.
    #[expect(clippy::print_stderr, reason = "a skipped part of a test must be seen")]
    fn build(package: &str) -> Option<Self> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let source = root().join("problems").join(package).join("input_validators/validate.rs");
        let built = std::process::Command::new("rustc")
            .args(["--edition", "2021", "-o"])
            .arg(dir.path().join("validate"))
            .arg(source)
            .status();
        match built {
            Ok(status) => {
                assert!(status.success(), "validate.rs builds");
                Some(Self { dir })
            }
            Err(error) => {
                eprintln!("skipped what needs rustc: {error}");
                None
            }
        }
    }

    fn accepts(&self, input: &[u8]) -> bool {
        let program: &Path = &self.dir.path().join("validate");
        let output =
            assert_cmd::Command::new(program).write_stdin(input).output().expect("it runs");
        match output.status.code() {
            Some(42) => true,
            Some(43) => false,
            other => panic!("{other:?}"),
        }
    }
}
