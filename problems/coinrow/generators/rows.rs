//! Prints one input of coinrow: T, and T rows of coins of given lengths in a given shape.
//!
//!     rows --lengths LENGTHS --shape SHAPE --min MIN --max MAX [--seed SEED]
//!
//! LENGTHS are separated by commas; `5x3` means 5,5,5, and `1..4` means 1,2,3,4, and `4..1` means 4,3,2,1.
//!
//! Shapes, with values in MIN..MAX:
//! - `random`: every value by chance;
//! - `equal`: every value MAX;
//! - `increasing`, `decreasing`: values by chance, sorted;
//! - `valley`, `mountain`: values by chance, falling and then rising, or the other way round;
//! - `alternating`: MIN, MAX, MIN, MAX, ...;
//! - `spike`: values by chance in the lowest twentieth, MAX in the middle;
//! - `walk`: every value differs by at most 3 from the one before;
//! - `mixed`: each row has another of the shapes above, in turn;
//! - `every`: all rows of that length, in order of their values.
//!
//! Bounds of the problem are not checked: inputs that must be refused come from here too.
//!
//! `--seed` is needed where chance decides and refused elsewhere. The same arguments print the same bytes on every
//! machine.

use std::env;
use std::process::ExitCode;

const USAGE: &str = "usage: rows --lengths 7,5x3,1..9 --shape random|equal|increasing|decreasing|valley|mountain|\
                     alternating|spike|walk|mixed|every --min MIN --max MAX [--seed SEED]";
const VALUES: (u64, u64) = (1, 1_000_000_000);
/// Of lengths and of numbers of rows: more than any input may have.
const MOST: u64 = 10_000;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match Options::parse(&words) {
        Ok(options) => {
            print!("{}", text(&rows(&options)));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("rows: {message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn text(rows: &[Vec<u64>]) -> String {
    let mut text = format!("{}\n", rows.len());
    for row in rows {
        let words: Vec<String> = row.iter().map(u64::to_string).collect();
        text += &format!("{}\n{}\n", row.len(), words.join(" "));
    }
    text
}

fn rows(options: &Options) -> Vec<Vec<u64>> {
    let mut chance = Chance(options.seed.unwrap_or(0));
    let mut rows = Vec::new();
    for (index, &n) in options.lengths.iter().enumerate() {
        match options.shape {
            Shape::Mixed => rows.push(row(n, MIXED[index % MIXED.len()], options, &mut chance)),
            Shape::Every => rows.extend(every(n, options)),
            shape => rows.push(row(n, shape, options, &mut chance)),
        }
    }
    rows
}

fn row(n: usize, shape: Shape, options: &Options, chance: &mut Chance) -> Vec<u64> {
    let (min, max) = (options.min, options.max);
    let mut random = |high: u64| -> Vec<u64> { (0..n).map(|_| chance.within(min, high)).collect() };
    match shape {
        Shape::Equal => vec![max; n],
        Shape::Alternating => (0..n).map(|i| if i % 2 == 0 { min } else { max }).collect(),
        Shape::Increasing | Shape::Decreasing | Shape::Valley | Shape::Mountain => {
            let mut values = random(max);
            values.sort_unstable();
            match shape {
                Shape::Decreasing => values.reverse(),
                Shape::Valley => values = bend(values.into_iter().rev()),
                Shape::Mountain => values = bend(values.into_iter()),
                _ => {}
            }
            values
        }
        Shape::Spike => {
            let mut values = random(min + (max - min) / 20);
            values[n / 2] = max;
            values
        }
        Shape::Walk => {
            let mut value = chance.within(min, max);
            let step = |_| {
                let here = value;
                value = chance.within(here.saturating_sub(3).max(min), (here + 3).min(max));
                here
            };
            (0..n).map(step).collect()
        }
        Shape::Random | Shape::Mixed | Shape::Every => random(max),
    }
}

/// Puts sorted values to the left and to the right end in turn, inwards.
fn bend(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (index, value) in values.enumerate() {
        if index % 2 == 0 {
            left.push(value);
        } else {
            right.push(value);
        }
    }
    left.extend(right.into_iter().rev());
    left
}

fn every(n: usize, options: &Options) -> Vec<Vec<u64>> {
    let mut rows = vec![Vec::new()];
    for _ in 0..n {
        let longer = |row: &Vec<u64>| {
            let row = row.clone();
            (options.min..=options.max).map(move |value| {
                let mut row = row.clone();
                row.push(value);
                row
            })
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
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
    Valley,
    Mountain,
    Alternating,
    Spike,
    Walk,
    Mixed,
    Every,
}

const SHAPES: [(&str, Shape); 11] = [
    ("random", Shape::Random),
    ("equal", Shape::Equal),
    ("increasing", Shape::Increasing),
    ("decreasing", Shape::Decreasing),
    ("valley", Shape::Valley),
    ("mountain", Shape::Mountain),
    ("alternating", Shape::Alternating),
    ("spike", Shape::Spike),
    ("walk", Shape::Walk),
    ("mixed", Shape::Mixed),
    ("every", Shape::Every),
];

const MIXED: [Shape; 9] = [
    Shape::Random,
    Shape::Spike,
    Shape::Alternating,
    Shape::Mountain,
    Shape::Equal,
    Shape::Walk,
    Shape::Increasing,
    Shape::Valley,
    Shape::Decreasing,
];

struct Options {
    lengths: Vec<usize>,
    shape: Shape,
    min: u64,
    max: u64,
    seed: Option<u64>,
}

impl Options {
    fn parse(words: &[String]) -> Result<Options, String> {
        let (mut lengths, mut shape, mut min, mut max, mut seed) = (None, None, None, None, None);
        let mut words = words.iter();
        while let Some(key) = words.next() {
            let slot = match key.as_str() {
                "--lengths" => &mut lengths,
                "--shape" => &mut shape,
                "--min" => &mut min,
                "--max" => &mut max,
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

        let need = |key: &str, value: Option<&str>| {
            value
                .map(str::to_owned)
                .ok_or_else(|| format!("`{key}` is missing"))
        };
        let named = need("--shape", shape)?;
        let min = number("--min", &need("--min", min)?, VALUES.0, VALUES.1)?;
        let options = Options {
            lengths: read_lengths(&need("--lengths", lengths)?)?,
            shape: SHAPES
                .iter()
                .find(|(name, _)| *name == named)
                .map(|(_, shape)| *shape)
                .ok_or_else(|| format!("unknown shape `{named}`"))?,
            min,
            max: number("--max", &need("--max", max)?, min, VALUES.1)?,
            seed: seed
                .map(|seed| number("--seed", seed, 0, u64::MAX))
                .transpose()?,
        };
        match (options.by_chance(), options.seed) {
            (true, None) => Err("this shape needs `--seed`".to_owned()),
            (false, Some(_)) => Err("`--seed` has no effect on this shape".to_owned()),
            _ => Ok(options),
        }
    }

    fn by_chance(&self) -> bool {
        !matches!(self.shape, Shape::Equal | Shape::Alternating | Shape::Every)
    }
}

fn read_lengths(text: &str) -> Result<Vec<usize>, String> {
    let length = |word: &str| number("--lengths", word, 1, MOST).map(|n| n as usize);
    let mut lengths = Vec::new();
    for word in text.split(',') {
        if let Some((n, times)) = word.split_once('x') {
            let times = number("--lengths", times, 1, MOST)?;
            lengths.extend(vec![length(n)?; times as usize]);
        } else if let Some((from, to)) = word.split_once("..") {
            let (from, to) = (length(from)?, length(to)?);
            if from <= to {
                lengths.extend(from..=to);
            } else {
                lengths.extend((to..=from).rev());
            }
        } else {
            lengths.push(length(word)?);
        }
    }
    Ok(lengths)
}

fn number(key: &str, text: &str, low: u64, high: u64) -> Result<u64, String> {
    match text.parse() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!(
            "`{key}` must be a number from {low} to {high}, not `{text}`"
        )),
    }
}
