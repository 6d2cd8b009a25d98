//! Prints a row of random numbers: random_row.rs LENGTH LEAST MOST SEED.

use std::env;

fn main() {
    let arguments: Vec<i64> = env::args().skip(1).map(|word| word.parse().unwrap()).collect();
    let [length, least, most, seed] = arguments[..] else { panic!("four numbers") };
    let mut random = Random(seed as u64);
    let row: Vec<String> = (0..length)
        .map(|_| (least + random.below(most - least + 1)).to_string())
        .collect();
    println!("{length}\n{}", row.join(" "));
}

/// The same numbers on every machine (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % bound as u64) as i64
    }
}
