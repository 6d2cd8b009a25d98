//! Prints one input of game1live: a row of N numbers in a given shape and layout, the contestant's side, and the
//! opponent.
//!
//!     board --n N --side SIDE --opponent OPPONENT --shape SHAPE --max MAX --layout LAYOUT [--seed SEED]
//!
//! Shapes, with values in 1..MAX:
//! - `random`: every value by chance;
//! - `equal`: every value MAX;
//! - `increasing`, `decreasing`: values by chance, sorted;
//! - `alternating`: 1, MAX, 1, MAX, ...;
//! - `spike`: values by chance in the lowest twentieth, MAX in the middle;
//! - `walk`: every value differs by at most 3 from the one before.
//!
//! Layouts of the values below the line with N: `line` (all on one), `column` (one on each), `ragged` (1 to 9 on
//! each).
//!
//! Opponents: `optimal-left`, `optimal-right`, `greedy-left`, `greedy-right`, `random`, `careless`; the last two get a
//! seed of their own.
//!
//! `--seed` is needed where chance decides and refused elsewhere. The same arguments print the same bytes on every
//! machine.

use std::env;
use std::process::ExitCode;

const USAGE: &str = "usage: board --n 2..100 --side 1|2 --opponent NAME \
                     --shape random|equal|increasing|decreasing|alternating|spike|walk \
                     --max 1..200 --layout line|column|ragged [--seed SEED]";

const OPPONENTS: [&str; 6] = [
    "optimal-left",
    "optimal-right",
    "greedy-left",
    "greedy-right",
    "random",
    "careless",
];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match Options::parse(&words) {
        Ok(options) => {
            print!("{}", board(&options));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("board: {message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn board(options: &Options) -> String {
    let mut chance = Chance(options.seed.unwrap_or(0));
    let values = values(options, &mut chance);
    let mut text = format!("{} {}\n", options.n, options.side);
    let mut rest = values.as_slice();
    while !rest.is_empty() {
        let width = match options.layout {
            Layout::Line => rest.len(),
            Layout::Column => 1,
            Layout::Ragged => chance.within(1, 9).min(rest.len() as u64) as usize,
        };
        let (line, below) = rest.split_at(width);
        let words: Vec<String> = line.iter().map(u64::to_string).collect();
        text += &words.join(" ");
        text += "\n";
        rest = below;
    }
    text += &options.opponent;
    if options.has_chance() {
        text += &format!(" {}", chance.within(0, (1 << 31) - 1));
    }
    text += "\n";
    text
}

fn values(options: &Options, chance: &mut Chance) -> Vec<u64> {
    let (n, max) = (options.n, options.max);
    match options.shape {
        Shape::Random => (0..n).map(|_| chance.within(1, max)).collect(),
        Shape::Equal => vec![max; n],
        Shape::Increasing | Shape::Decreasing => {
            let mut values: Vec<u64> = (0..n).map(|_| chance.within(1, max)).collect();
            values.sort_unstable();
            if options.shape == Shape::Decreasing {
                values.reverse();
            }
            values
        }
        Shape::Alternating => (0..n).map(|i| if i % 2 == 0 { 1 } else { max }).collect(),
        Shape::Spike => {
            let low = (max / 20).max(1);
            let mut values: Vec<u64> = (0..n).map(|_| chance.within(1, low)).collect();
            values[n / 2] = max;
            values
        }
        Shape::Walk => {
            let mut value = chance.within(1, max);
            let step = |_| {
                let here = value;
                value = chance.within(here.saturating_sub(3).max(1), (here + 3).min(max));
                here
            };
            (0..n).map(step).collect()
        }
    }
}

/// A splitmix64 stream: small, and the same on every machine.
struct Chance(u64);

impl Chance {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number in `low..=high`, each equally likely.
    fn within(&mut self, low: u64, high: u64) -> u64 {
        let span = high - low + 1;
        // Words beyond the last whole multiple of the span would favour the low numbers: draw again.
        let beyond = u64::MAX - u64::MAX % span;
        loop {
            let word = self.word();
            if word < beyond {
                return low + word % span;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Random,
    Equal,
    Increasing,
    Decreasing,
    Alternating,
    Spike,
    Walk,
}

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Line,
    Column,
    Ragged,
}

struct Options {
    n: usize,
    side: u64,
    opponent: String,
    shape: Shape,
    max: u64,
    layout: Layout,
    seed: Option<u64>,
}

impl Options {
    fn parse(words: &[String]) -> Result<Options, String> {
        let (mut n, mut shape, mut max, mut layout, mut seed) = (None, None, None, None, None);
        let (mut side, mut opponent) = (None, None);
        let mut words = words.iter();
        while let Some(key) = words.next() {
            let slot = match key.as_str() {
                "--n" => &mut n,
                "--side" => &mut side,
                "--opponent" => &mut opponent,
                "--shape" => &mut shape,
                "--max" => &mut max,
                "--layout" => &mut layout,
                "--seed" => &mut seed,
                _ => return Err(format!("unknown option `{key}`")),
            };
            let value = words
                .next()
                .ok_or_else(|| format!("`{key}` needs a value"))?;
            if slot.replace(value.as_str()).is_some() {
                return Err(format!("`{key}` is given twice"));
            }
        }

        let need = |key: &str, value: Option<&'_ str>| {
            value
                .map(str::to_owned)
                .ok_or_else(|| format!("`{key}` is missing"))
        };
        let options = Options {
            n: number("--n", &need("--n", n)?, 2, 100)? as usize,
            side: number("--side", &need("--side", side)?, 1, 2)?,
            opponent: match need("--opponent", opponent)? {
                name if OPPONENTS.contains(&name.as_str()) => name,
                other => return Err(format!("unknown opponent `{other}`")),
            },
            shape: match need("--shape", shape)?.as_str() {
                "random" => Shape::Random,
                "equal" => Shape::Equal,
                "increasing" => Shape::Increasing,
                "decreasing" => Shape::Decreasing,
                "alternating" => Shape::Alternating,
                "spike" => Shape::Spike,
                "walk" => Shape::Walk,
                other => return Err(format!("unknown shape `{other}`")),
            },
            max: number("--max", &need("--max", max)?, 1, 200)?,
            layout: match need("--layout", layout)?.as_str() {
                "line" => Layout::Line,
                "column" => Layout::Column,
                "ragged" => Layout::Ragged,
                other => return Err(format!("unknown layout `{other}`")),
            },
            seed: seed
                .map(|seed| number("--seed", seed, 0, u64::MAX))
                .transpose()?,
        };
        match (options.by_chance(), options.seed) {
            (true, None) => Err("chance decides here: add `--seed`".to_owned()),
            (false, Some(_)) => Err("`--seed` has no effect here".to_owned()),
            _ => Ok(options),
        }
    }

    fn by_chance(&self) -> bool {
        self.layout == Layout::Ragged
            || self.has_chance()
            || !matches!(self.shape, Shape::Equal | Shape::Alternating)
    }

    /// Whether the opponent plays by chance.
    fn has_chance(&self) -> bool {
        matches!(self.opponent.as_str(), "random" | "careless")
    }
}

fn number(key: &str, text: &str, low: u64, high: u64) -> Result<u64, String> {
    match text.parse() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!(
            "`{key}` must be a number from {low} to {high}, not `{text}`"
        )),
    }
}
