//! Time of the linear fold of the coinmoves validator on a row of a million numbers, next to the quadratic table on
//! shorter rows.
//!
//! `cargo bench --bench fold [-- NUMBERS]` prints the best of some turns for rows of several shapes. The time of the
//! table on the long row is extrapolated.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::time::{Duration, Instant};

#[expect(dead_code, unreachable_pub, reason = "the package's own file")]
#[path = "../problems/coinmoves/output_validator/validate/row.rs"]
mod row;

const TURNS: u32 = 10;

/// The table solves so many numbers in some seconds.
const TABLE_NUMBERS: usize = 30_000;

type Shape = fn(&mut RandomNumbers, usize, usize) -> i64;

const SHAPES: [(&str, Shape); 6] = [
    ("by chance", |chance, _, _| chance.below(1_000_000_000)),
    ("zeros and ones", |chance, _, _| chance.below(2)),
    ("rising", |_, place, _| place as i64),
    ("valley", |_, place, n| place.abs_diff(n / 2) as i64),
    ("mountain", |_, place, n| place.min(n - place) as i64),
    ("alternating", |_, place, _| (place % 2) as i64 * 1000),
];

fn main() {
    let numbers = std::env::args().find_map(|word| word.parse().ok());
    let n: usize = numbers.unwrap_or(1_000_000);
    println!("fold, {n} numbers, best of {TURNS}:");
    for (name, shape) in SHAPES {
        let row = make_row(n, shape);
        let best = (0..TURNS).map(|_| time(|| row::lead(&row)).0).min();
        println!("  {name:<16} {:>9.3?}", best.unwrap_or_default());
    }
    let row = make_row(TABLE_NUMBERS, SHAPES[0].1);
    let (table, by_table) = time(|| lead_by_table(&row));
    assert_eq!(row::lead(&row), by_table, "fold and table differ");
    let scale = n as f64 / TABLE_NUMBERS as f64;
    println!(
        "table, {TABLE_NUMBERS} numbers: {table:.3?}; {n} numbers would take {:.0?} in two rows of memory",
        table.mul_f64(scale * scale)
    );
}

fn make_row(n: usize, shape: Shape) -> Vec<i64> {
    let mut chance = RandomNumbers(7);
    (0..n).map(|place| shape(&mut chance, place, n)).collect()
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = std::hint::black_box(work());
    (start.elapsed(), result)
}

/// The lead of the player to move, computed from parts in order of length.
fn lead_by_table(row: &[i64]) -> i64 {
    let mut best = vec![0; row.len() + 1];
    for length in 1..=row.len() {
        for left in 0..=row.len() - length {
            let last = row[left + length - 1];
            best[left] = (row[left] - best[left + 1]).max(last - best[left]);
        }
    }
    best[0]
}

/// The same numbers on every machine.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, end: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % end
    }
}
