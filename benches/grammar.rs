//! Speed of checking inputs against grammars, in bytes per second.
//!
//! `cargo bench --bench grammar [-- MEGABYTES]` makes inputs of about that size (default 100) in memory and prints
//! the best of some turns.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use juror_grammar::compile::parse_grammar;
use juror_grammar::validate::validate;

const TURNS: usize = 5;

/// A grammar, and a function that makes an input with so many values.
struct GrammarCase {
    name: &'static str,
    grammar: &'static str,
    input: fn(u64) -> String,
    /// Approximate bytes for each value.
    width: u64,
}

const CASES: [GrammarCase; 6] = [
    GrammarCase {
        name: "integers up to 10^9 on a line",
        grammar: "INT(1,10^9,n) NEWLINE REP(n, SPACE) INT(0,10^9) END NEWLINE",
        input: |count| row(count, |index| noise(index) % 1_000_000_000),
        width: 10,
    },
    GrammarCase {
        name: "integers up to 200 on a line",
        grammar: "INT(1,10^9,n) NEWLINE REP(n, SPACE) INT(1,200) END NEWLINE",
        input: |count| row(count, |index| 1 + noise(index) % 200),
        width: 4,
    },
    GrammarCase {
        name: "integers kept in an array, and a sum",
        grammar: "INT(1,10^9,n) NEWLINE SET(s=0) REPI(i,n, SPACE) INT(0,10^9,a[i]) SET(s=s+a[i]) END NEWLINE",
        input: |count| row(count, |index| noise(index) % 1_000_000_000),
        width: 10,
    },
    GrammarCase {
        name: "integers up to 10^18",
        grammar: "INT(1,10^9,n) NEWLINE REP(n, SPACE) INT(0,10^18) END NEWLINE",
        input: |count| row(count, |index| noise(index) % 1_000_000_000_000_000_000),
        width: 19,
    },
    GrammarCase {
        name: "pairs on lines, bounds that depend",
        grammar: "INT(1,10^9,n) NEWLINE REP(n) INT(1,n,a) SPACE INT(a,n) NEWLINE END",
        input: |count| {
            let count = count / 2;
            let mut text = format!("{count}\n");
            for index in 0..count {
                let a = 1 + noise(index) % count;
                let _ = writeln!(text, "{a} {}", a + (count - a) / 2);
            }
            text
        },
        width: 8,
    },
    GrammarCase {
        name: "floats with six decimals",
        grammar: "INT(1,10^9,n) NEWLINE REP(n, SPACE) FLOATP(-1000,1000,6,6) END NEWLINE",
        input: |count| {
            let mut text = format!("{count}\n");
            for index in 0..count {
                let end = if index + 1 == count { "\n" } else { " " };
                let _ =
                    write!(text, "{}.{:06}{end}", noise(index) % 999, noise(index + 7) % 1_000_000);
            }
            text
        },
        width: 11,
    },
];

fn row(count: u64, value: fn(u64) -> u64) -> String {
    let mut text = format!("{count}\n");
    for index in 0..count {
        let end = if index + 1 == count { "\n" } else { " " };
        let _ = write!(text, "{}{end}", value(index));
    }
    text
}

/// Numbers without a pattern that a branch predictor could learn.
fn noise(index: u64) -> u64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 32)
}

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes =
        std::env::args().skip(1).find_map(|word| word.parse::<u64>().ok()).unwrap_or(100);
    for case in &CASES {
        let grammar = parse_grammar(Path::new("g.ctd"), case.grammar.as_bytes())
            .grammar
            .ok_or("the grammar has a fault")?;
        let input = (case.input)(megabytes * 1_000_000 / case.width);
        let mut best = f64::INFINITY;
        for _ in 0..TURNS {
            let started = Instant::now();
            validate(&grammar, input.as_bytes(), Path::new("1.in"))
                .map_err(|refusal| format!("{refusal:?}"))?;
            best = best.min(started.elapsed().as_secs_f64());
        }
        println!("{:<40} {:>7.0} MB/s", case.name, input.len() as f64 / 1e6 / best);
    }
    Ok(())
}
