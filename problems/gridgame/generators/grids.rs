//! Prints one input of gridgame: T, and T grids of given sizes in a given shape.
//!
//!     grids --sizes SIZES --shape SHAPE --min MIN --max MAX [--optimum SUM] [--seed SEED]
//!
//! SIZES are separated by commas; `5x3` means 5,5,5, and `1..4` means 1,2,3,4, and `4..1` means 4,3,2,1.
//!
//! Shapes, with values in MIN..MAX:
//! - `random`: every value by chance;
//! - `equal`: every value MAX;
//! - `falling`: values by chance, the smaller half on the diagonal only, so that it is the only best choice;
//! - `rising`: the same with the other diagonal;
//! - `hidden`: the same with a permutation by chance that is not its own inverse, if the grid is large enough;
//! - `tempting`: every row is smallest in the first column and then rises, in some rows more than in others;
//! - `product`: MIN plus row times column;
//! - `mixed`: each grid has another of the shapes above, in turn;
//! - `every`: all grids of that size, in order of their values.
//!
//! With `--optimum` the values of some rows are raised or lowered until the total under optimal play is SUM; grids
//! where that leaves MIN..MAX are drawn again.
//!
//! Bounds of the problem are not checked: inputs that must be refused come from here too.
//!
//! `--seed` is needed where chance decides and refused elsewhere. The same arguments print the same bytes on every
//! machine.

use std::env;
use std::process::ExitCode;

const USAGE: &str = "usage: grids --sizes 3,5x3,1..8 \
                     --shape random|equal|falling|rising|hidden|tempting|product|mixed|every --min MIN --max MAX \
                     [--optimum SUM] [--seed SEED]";

type Grid = Vec<Vec<i64>>;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match Options::parse(&words) {
        Ok(options) => {
            print!("{}", text(&grids(&options)));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("grids: {message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn text(grids: &[Grid]) -> String {
    let mut text = format!("{}\n", grids.len());
    for grid in grids {
        text += &format!("{}\n", grid.len());
        for row in grid {
            let words: Vec<String> = row.iter().map(i64::to_string).collect();
            text += &words.join(" ");
            text += "\n";
        }
    }
    text
}

fn grids(options: &Options) -> Vec<Grid> {
    let mut chance = Chance(options.seed.unwrap_or(0));
    let mut grids = Vec::new();
    for (index, &n) in options.sizes.iter().enumerate() {
        let shape = match options.shape {
            Shape::Mixed => MIXED[index % MIXED.len()],
            shape => shape,
        };
        match (shape, options.optimum) {
            (Shape::Every, _) => grids.extend(every(n, options)),
            (shape, None) => grids.push(grid(n, shape, options, &mut chance)),
            (shape, Some(optimum)) => grids.push(loop {
                let mut drawn = grid(n, shape, options, &mut chance);
                if shift(&mut drawn, optimum, options, &mut chance) {
                    break drawn;
                }
            }),
        }
    }
    grids
}

fn grid(n: usize, shape: Shape, options: &Options, chance: &mut Chance) -> Grid {
    let (min, max) = (options.min, options.max);
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
        Shape::Random | Shape::Mixed | Shape::Every => by(&mut |_, _| chance.within(min, max)),
    }
}

/// A permutation that is not its own inverse; below three places there is none.
fn one_way_permutation(n: usize, chance: &mut Chance) -> Vec<usize> {
    loop {
        let mut permutation: Vec<usize> = (0..n).collect();
        for place in (1..n).rev() {
            permutation.swap(place, chance.within(0, place as i64) as usize);
        }
        if n < 3 || (0..n).any(|place| permutation[permutation[place]] != place) {
            return permutation;
        }
    }
}

/// Moves whole rows until the least assignment is `optimum`, and says whether all values are still in their range.
fn shift(grid: &mut Grid, optimum: i64, options: &Options, chance: &mut Chance) -> bool {
    let n = grid.len();
    let mut rest = optimum - least(grid);
    let first = chance.within(0, n as i64 - 1) as usize;
    for row in (first..n).chain(0..first) {
        let lowest = *grid[row].iter().min().unwrap();
        let highest = *grid[row].iter().max().unwrap();
        let step = rest.clamp(options.min - lowest, options.max - highest);
        grid[row].iter_mut().for_each(|value| *value += step);
        rest -= step;
    }
    rest == 0
}

/// The least assignment, by sets of columns.
fn least(grid: &Grid) -> i64 {
    let n = grid.len();
    let mut best = vec![i64::MAX; 1 << n];
    best[0] = 0;
    for mask in 0..1usize << n {
        for column in (0..n).filter(|column| mask & 1 << column == 0) {
            let sum = best[mask] + grid[mask.count_ones() as usize][column];
            best[mask | 1 << column] = best[mask | 1 << column].min(sum);
        }
    }
    best[(1 << n) - 1]
}

fn every(n: usize, options: &Options) -> Vec<Grid> {
    let mut grids: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..n * n {
        let longer = |cells: &Vec<i64>| {
            let cells = cells.clone();
            (options.min..=options.max).map(move |value| {
                let mut cells = cells.clone();
                cells.push(value);
                cells
            })
        };
        grids = grids.iter().flat_map(longer).collect();
    }
    let fold = |cells: &Vec<i64>| cells.chunks(n).map(<[i64]>::to_vec).collect();
    grids.iter().map(fold).collect()
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
    Mixed,
    Every,
}

const SHAPES: [(&str, Shape); 9] = [
    ("random", Shape::Random),
    ("equal", Shape::Equal),
    ("falling", Shape::Falling),
    ("rising", Shape::Rising),
    ("hidden", Shape::Hidden),
    ("tempting", Shape::Tempting),
    ("product", Shape::Product),
    ("mixed", Shape::Mixed),
    ("every", Shape::Every),
];

const MIXED: [Shape; 7] = [
    Shape::Random,
    Shape::Hidden,
    Shape::Tempting,
    Shape::Equal,
    Shape::Rising,
    Shape::Product,
    Shape::Falling,
];

struct Options {
    sizes: Vec<usize>,
    shape: Shape,
    min: i64,
    max: i64,
    optimum: Option<i64>,
    seed: Option<u64>,
}

impl Options {
    fn parse(words: &[String]) -> Result<Options, String> {
        let (mut sizes, mut shape, mut min, mut max) = (None, None, None, None);
        let (mut optimum, mut seed) = (None, None);
        let mut words = words.iter();
        while let Some(key) = words.next() {
            let slot = match key.as_str() {
                "--sizes" => &mut sizes,
                "--shape" => &mut shape,
                "--min" => &mut min,
                "--max" => &mut max,
                "--optimum" => &mut optimum,
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
        let min = number("--min", &need("--min", min)?, -10_000, 10_000)?;
        let options = Options {
            sizes: read_sizes(&need("--sizes", sizes)?)?,
            shape: SHAPES
                .iter()
                .find(|(name, _)| *name == named)
                .map(|(_, shape)| *shape)
                .ok_or_else(|| format!("unknown shape `{named}`"))?,
            min,
            max: number("--max", &need("--max", max)?, min, 10_000)?,
            optimum: optimum
                .map(|optimum| number("--optimum", optimum, -8000, 8000))
                .transpose()?,
            seed: seed
                .map(|seed| number("--seed", seed, 0, i64::MAX).map(|seed| seed as u64))
                .transpose()?,
        };
        match (options.by_chance(), options.seed) {
            (true, None) => Err("this shape needs `--seed`".to_owned()),
            (false, Some(_)) => Err("`--seed` has no effect on this shape".to_owned()),
            _ => Ok(options),
        }
    }

    fn by_chance(&self) -> bool {
        !matches!(self.shape, Shape::Equal | Shape::Product | Shape::Every)
            || self.optimum.is_some()
    }
}

fn read_sizes(text: &str) -> Result<Vec<usize>, String> {
    let size = |word: &str| number("--sizes", word, 1, 20).map(|n| n as usize);
    let mut sizes = Vec::new();
    for word in text.split(',') {
        if let Some((n, times)) = word.split_once('x') {
            let times = number("--sizes", times, 1, 1000)?;
            sizes.extend(vec![size(n)?; times as usize]);
        } else if let Some((from, to)) = word.split_once("..") {
            let (from, to) = (size(from)?, size(to)?);
            if from <= to {
                sizes.extend(from..=to);
            } else {
                sizes.extend((to..=from).rev());
            }
        } else {
            sizes.push(size(word)?);
        }
    }
    Ok(sizes)
}

fn number(key: &str, text: &str, low: i64, high: i64) -> Result<i64, String> {
    match text.parse() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!(
            "`{key}` must be a number from {low} to {high}, not `{text}`"
        )),
    }
}
