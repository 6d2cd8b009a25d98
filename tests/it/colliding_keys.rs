//! Shapes whose keys collide, with the hash tables of the C++ library: they count collisions, not time.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use juror_grammar::compile::parse_grammar;
use juror_grammar::generate::generate;
use juror_grammar::number::Int;
use juror_grammar::shape::{Scale, SpecialNumbers, find_shape};

use crate::fixture::Fixture;

/// Prints the number of keys in the fullest bucket.
const ONE_KEY: &str = "
#include <algorithm>
#include <cstdio>
#include <unordered_set>
int main() {
    int n, key; scanf(\"%d\", &n);
    std::unordered_set<int> table;
    while (n--) { scanf(\"%d\", &key); table.insert(key); }
    size_t most = 0;
    for (size_t at = 0; at < table.bucket_count(); at++) most = std::max(most, table.bucket_size(at));
    printf(\"%zu\", most);
}";

/// The same for pairs of numbers.
const TWO_KEYS: &str = "
#include <algorithm>
#include <cstdio>
#include <unordered_set>
#include <utility>
struct pair_hash {
    std::hash<int> own;
    size_t operator()(std::pair<int, int> it) const { return own(it.first) ^ (own(it.second) << SHIFT); }
};
int main() {
    int n, one, other; scanf(\"%d\", &n);
    std::unordered_set<std::pair<int, int>, pair_hash> table;
    while (n--) { scanf(\"%d %d\", &one, &other); table.insert({one, other}); }
    size_t most = 0;
    for (size_t at = 0; at < table.bucket_count(); at++) most = std::max(most, table.bucket_size(at));
    printf(\"%zu\", most);
}";

/// Prints the most places that a key visits in a table of 2^20 places.
const OWN_TABLE: &str = "
#include <cstdio>
#include <vector>
int main() {
    int n, key; scanf(\"%d\", &n);
    const int mask = (1 << 20) - 1;
    std::vector<int> table(mask + 1, -1);
    int most = 0;
    while (n--) {
        scanf(\"%d\", &key);
        int visited = 0, at = key & mask;
        for (; table[at] >= 0 && table[at] != key; at = (at + 1) & mask) visited++;
        table[at] = key;
        if (visited > most) most = visited;
    }
    printf(\"%d\", most);
}";

fn build(fixture: &Fixture, source: &str) {
    fixture.write("count.cpp", source);
    let mut compiler = Command::new("g++");
    compiler.args(["-w", "-O1", "-o", "count", "count.cpp"]).current_dir(fixture.root());
    assert!(compiler.status().is_ok_and(|it| it.success()), "{source}");
}

fn run(fixture: &Fixture, input: &[u8]) -> String {
    fixture.write("count.in", input);
    let input = File::open(fixture.path("count.in")).expect("an input");
    let output = Command::new(fixture.path("count")).stdin(input).output().expect("a program");
    String::from_utf8(output.stdout).expect("a text")
}

/// Whether one of a few inputs of the shape makes so many keys meet.
fn check(shape: &str, grammar: &str, source: &str, steps: &[i64], meeting: usize) {
    let fixture = Fixture::new();
    let parsed = parse_grammar(Path::new("input.ctd"), grammar.as_bytes());
    let grammar = parsed.grammar.expect("a grammar");
    let steps = steps.iter().copied().map(Int::Small).collect();
    let numbers = SpecialNumbers { steps, ..SpecialNumbers::default() }.into();
    let shape = find_shape(shape).expect("a shape").with_numbers(&numbers);
    let shape = shape.sized(Scale::Large).expect("a size");
    build(&fixture, source);
    let counts = (0..12).map(|seed| {
        let input = generate(&grammar, &shape, seed).expect("an input");
        run(&fixture, &input).trim().parse::<usize>().expect("a count")
    });
    let counts: Vec<usize> = counts.collect();
    assert!(counts.iter().any(|count| *count >= meeting), "{counts:?}");
}

#[test]
fn multiples_meet_in_one_bucket() {
    let fixture = Fixture::new();
    build(&fixture, include_str!("../../crates/data/src/inputs/table_sizes.cpp"));
    let sizes = run(&fixture, b"");
    let mut sizes: Vec<i64> =
        sizes.split_whitespace().map(|it| it.parse().expect("a size")).collect();
    assert!(sizes.len() > 10 && sizes.is_sorted(), "{sizes:?}");
    let sizes = sizes.split_off(sizes.partition_point(|size| *size < 1000));
    let grammar = "INT(1,50000,n) NEWLINE REPI(i,n,SPACE) INT(0,10^9,a[i]) END NEWLINE";
    check("multiples", grammar, ONE_KEY, &sizes, 5000);
}

#[test]
fn pairs_of_a_diagonal_meet_in_one_bucket() {
    let grammar =
        "INT(1,5000,n) NEWLINE REPI(i,n) INT(0,10^9,x[i]) SPACE INT(0,10^9,y[i]) NEWLINE END";
    for shift in ["0", "1"] {
        check("diagonal", grammar, &TWO_KEYS.replace("SHIFT", shift), &[], 5000);
    }
}

#[test]
fn clusters_make_keys_visit_many_places() {
    let grammar = "INT(1,10000,n) NEWLINE REPI(i,n,SPACE) INT(0,10^9,a[i]) END NEWLINE";
    check("clusters", grammar, OWN_TABLE, &[1 << 20], 8000);
}

/// The sizes come from a table that the search builds itself.
#[test]
fn a_search_finds_a_program_whose_keys_meet() {
    let fixture = Fixture::new();
    fixture
        .write("input.ctd", "INT(1,2000,n) NEWLINE REPI(i,n,SPACE) INT(0,10^9,a[i]) END NEWLINE");
    fixture.write("right.cpp", "#include <cstdio>\nint main() { printf(\"fine\"); }\n");
    let wrong = ONE_KEY.replace("\"%zu\", most", "most >= 300 ? \"full\" : \"fine\"");
    fixture.write("wrong.cpp", wrong);
    let report = fixture.json(
        "stress wrong.cpp --input-grammar input.ctd --reference right.cpp --seed 1 --runs 3000 --time 10m --explain 0 \
         --shrink-time 1s",
        1,
    );
    assert_eq!(report["counterexample"]["verdict"], "WA", "{report:#}");
}
