//! Prints n and a random number up to n: random_number.rs N SEED.

use std::env;

fn main() {
    let arguments: Vec<u64> = env::args().skip(1).map(|word| word.parse().unwrap()).collect();
    let [n, seed] = arguments[..] else { panic!("two numbers") };
    // The same number on every machine (splitmix64).
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    println!("{n} {}", 1 + (bits ^ (bits >> 31)) % n);
}
