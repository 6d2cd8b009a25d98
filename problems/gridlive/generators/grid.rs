//! Prints one input of gridlive: a grid in a given shape, and the order in which its rows are crossed out.
//!
//!     grid --n N --shape SHAPE --min MIN --max MAX --order ORDER [--seed SEED]
//!
//! Shapes, with values in MIN..MAX:
//! - `random`: every value by chance;
//! - `equal`: every value MAX;
//! - `falling`: values by chance, the smaller half on the diagonal only, so that it is the only best choice;
//! - `rising`: the same with the other diagonal;
//! - `hidden`: the same with a permutation by chance that is not its own inverse, if the grid is large enough;
//! - `tempting`: every row is smallest in the first column and then rises, in some rows more than in others;
//! - `product`: MIN plus row times column.
//!
//! Orders: `increasing`, `decreasing`, and `mixed`, by chance, neither of the other two if the grid is large enough.
//!
//! `--seed` is needed where chance decides and refused elsewhere. The same arguments print the same bytes on every
//! machine.

use std::env;
use std::process::ExitCode;

const USAGE: &str =
    "usage: grid --n 1..8 --shape random|equal|falling|rising|hidden|tempting|product \
                     --min MIN --max MAX --order increasing|decreasing|mixed [--seed SEED]";

type Grid = Vec<Vec<i64>>;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match Options::parse(&words) {
        Ok(options) => {
            print!("{}", text(&options));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("grid: {message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn text(options: &Options) -> String {
    let mut chance = Chance(options.seed.unwrap_or(0));
    let grid = grid(options, &mut chance);
    let rows: Vec<i64> = order(options, &mut chance)
        .iter()
        .map(|row| *row as i64 + 1)
        .collect();
    let mut text = format!("{}\n", options.n);
    for line in grid.iter().chain([&rows]) {
        let words: Vec<String> = line.iter().map(i64::to_string).collect();
        text += &words.join(" ");
        text += "\n";
    }
    text
}

/// The rows in Alice's order.
fn order(options: &Options, chance: &mut Chance) -> Vec<usize> {
    let increasing: Vec<usize> = (0..options.n).collect();
    let decreasing: Vec<usize> = (0..options.n).rev().collect();
    match options.order {
        Order::Increasing => increasing,
        Order::Decreasing => decreasing,
        Order::Mixed => loop {
            let mixed = permutation(options.n, chance);
            if options.n < 3 || (mixed != increasing && mixed != decreasing) {
                return mixed;
            }
        },
    }
}

fn grid(options: &Options, chance: &mut Chance) -> Grid {
    let (n, shape, min, max) = (options.n, options.shape, options.min, options.max);
    let middle = min + (max - min) / 2;
    let by = |place: &mut dyn FnMut(usize, usize) -> i64| -> Grid {
        (0..n)
            .map(|row| (0..n).map(|column| place(row, column)).collect())
            .collect()
    };
    match shape {
        Shape::Equal => by(&mut |_, _| max),
        Shape::Product => by(&mut |row, column| min + (row as i64 + 1) * (column as i64 + 1)),
        Shape::Tempting => {
            let steps: Vec<i64> = (0..n).map(|_| chance.within(1, (max - min) / 10)).collect();
            by(&mut |row, column| {
                let floor = (min + steps[row] * column as i64).min(max - 1);
                chance.within(floor, (floor + steps[row] / 2).min(max))
            })
        }
        Shape::Falling | Shape::Rising | Shape::Hidden => {
            let best: Vec<usize> = match shape {
                Shape::Falling => (0..n).collect(),
                Shape::Rising => (0..n).rev().collect(),
                _ => one_way_permutation(n, chance),
            };
            by(&mut |row, column| {
                if best[row] == column {
                    chance.within(min, middle)
                } else {
                    chance.within(middle + 1, max)
                }
            })
        }
        Shape::Random => by(&mut |_, _| chance.within(min, max)),
    }
}

/// A permutation by chance, each equally likely.
fn permutation(n: usize, chance: &mut Chance) -> Vec<usize> {
    let mut permutation: Vec<usize> = (0..n).collect();
    for place in (1..n).rev() {
        permutation.swap(place, chance.within(0, place as i64) as usize);
    }
    permutation
}

/// One that is not its own inverse; below three places there is none.
fn one_way_permutation(n: usize, chance: &mut Chance) -> Vec<usize> {
    loop {
        let permutation = permutation(n, chance);
        if n < 3 || (0..n).any(|place| permutation[permutation[place]] != place) {
            return permutation;
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
    fn within(&mut self, low: i64, high: i64) -> i64 {
        let span = (high - low + 1) as u64;
        // Words beyond the last whole multiple of the span would favour the low numbers: draw again.
        let beyond = u64::MAX - u64::MAX % span;
        loop {
            let word = self.word();
            if word < beyond {
                return low + (word % span) as i64;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Random,
    Equal,
    Falling,
    Rising,
    Hidden,
    Tempting,
    Product,
}

const SHAPES: [(&str, Shape); 7] = [
    ("random", Shape::Random),
    ("equal", Shape::Equal),
    ("falling", Shape::Falling),
    ("rising", Shape::Rising),
    ("hidden", Shape::Hidden),
    ("tempting", Shape::Tempting),
    ("product", Shape::Product),
];

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Increasing,
    Decreasing,
    Mixed,
}

const ORDERS: [(&str, Order); 3] = [
    ("increasing", Order::Increasing),
    ("decreasing", Order::Decreasing),
    ("mixed", Order::Mixed),
];

struct Options {
    n: usize,
    shape: Shape,
    min: i64,
    max: i64,
    order: Order,
    seed: Option<u64>,
}

impl Options {
    fn parse(words: &[String]) -> Result<Options, String> {
        let (mut n, mut shape, mut min, mut max) = (None, None, None, None);
        let (mut order, mut seed) = (None, None);
        let mut words = words.iter();
        while let Some(key) = words.next() {
            let slot = match key.as_str() {
                "--n" => &mut n,
                "--shape" => &mut shape,
                "--min" => &mut min,
                "--max" => &mut max,
                "--order" => &mut order,
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
        let min = number("--min", &need("--min", min)?, -1000, 1000)?;
        let options = Options {
            n: number("--n", &need("--n", n)?, 1, 8)? as usize,
            shape: named("--shape", &need("--shape", shape)?, &SHAPES)?,
            min,
            max: number("--max", &need("--max", max)?, min, 1000)?,
            order: named("--order", &need("--order", order)?, &ORDERS)?,
            seed: seed
                .map(|seed| number("--seed", seed, 0, i64::MAX).map(|seed| seed as u64))
                .transpose()?,
        };
        match (options.by_chance(), options.seed) {
            (true, None) => Err("this shape or order needs `--seed`".to_owned()),
            (false, Some(_)) => Err("`--seed` has no effect on this shape and order".to_owned()),
            _ => Ok(options),
        }
    }

    fn by_chance(&self) -> bool {
        !matches!(self.shape, Shape::Equal | Shape::Product) || self.order == Order::Mixed
    }
}

fn named<T: Copy>(key: &str, text: &str, all: &[(&str, T)]) -> Result<T, String> {
    all.iter()
        .find(|(name, _)| *name == text)
        .map(|(_, value)| *value)
        .ok_or_else(|| format!("`{key}` cannot be `{text}`"))
}

fn number(key: &str, text: &str, low: i64, high: i64) -> Result<i64, String> {
    match text.parse() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!(
            "`{key}` must be a number from {low} to {high}, not `{text}`"
        )),
    }
}
