//! A generated input is accepted, the same on every machine, and of the wanted shape.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};

use super::grammar;
use crate::enumerate::SmallInputs;
use crate::generate::{GenerationFailure, generate, generate_at, generate_until};
use crate::number::Int;
use crate::program::Grammar;
use crate::shape::{RANDOM, SHAPES, Scale, SpecialNumbers, applicable, find_shape};
use crate::validate::accepts;
use crate::value_bounds::{BoundSide, Pin};
use crate::wanted_bounds::unreached;

pub(crate) const GRAMMARS: [&str; 30] = [
    "INT(1,9,n) NEWLINE REPI(i,n,SPACE) INT(-5,10^6,a[i]) END NEWLINE",
    "INT(-10^30,10^30) NEWLINE",
    "INT(2,100,n) NEWLINE REPI(i,n) INT(1,200,a[i]) IF(i<n-1 && MATCH(\" \")) SPACE ELSE NEWLINE END END",
    "INT(1,5,t) NEWLINE REP(t) INT(1,6,n) NEWLINE REP(n,SPACE) INT(0,9) END NEWLINE END",
    "INT(1,1000,n) NEWLINE ASSERT(n % 2 == 0)",
    "INT(1,50,n) NEWLINE REPI(i,n,SPACE) INT(1,n,p[i]) END NEWLINE ASSERT(UNIQUE(p))",
    "INT(2,30,n) NEWLINE REPI(i,n,SPACE) INT(1,10^9,a[i]) IF(i>0) ASSERT(a[i-1]<a[i]) END END NEWLINE",
    "INT(1,100,t) NEWLINE SET(s=0) REP(t) INT(1,2000,n) NEWLINE SET(s=s+n) ASSERT(s<=10000) END",
    "WHILE(!ISEOF) INT(0,9) NEWLINE END",
    "WHILE(!MATCH(\"\\n\"),SPACE) INT(0,9) END NEWLINE",
    "WHILE(MATCH(\"0123456789\")) INT(0,99) SPACE END STRING(\"end\") NEWLINE",
    "IF(MATCH(\"-\")) INT(-9,9) ELSE INT(0,9) STRING(\"x\") END NEWLINE",
    "IF(MATCH(\"15\")) INT(-10^6,10^6) ELSE STRING(\"no\") END",
    "FLOAT(-1,1) NEWLINE",
    "FLOATP(0,100,2,4,x,FIXED) SPACE FLOATP(0.5,10^9,1,3,y,SCIENTIFIC) SPACE FLOAT(x,x+1,z,SCIENTIFIC) NEWLINE",
    "FLOAT(0.12345,0.12346) SPACE FLOAT(-0.001,-0.0001,x,SCIENTIFIC)",
    "REGEX(\"[a-z]{3,8}( [A-Z][a-z]*)?\",s) NEWLINE ASSERT(STRLEN(s) < 12)",
    "REGEX(\"(ab|c|[0-9]+x)*\") NEWLINE REGEX(\"[^\\n]+\") NEWLINE",
    "INT(1,10,n) SPACE INT(n,2*n,m) SPACE INT(n*m,n*m+3) NEWLINE",
    "INT(1,20,n) NEWLINE REPI(i,n) INT(0,5,x[i]) SPACE INT(0,5,y[i]) NEWLINE END ASSERT(UNIQUE(x,y))",
    "INT(1,9,n) NEWLINE REPI(i,n) INT(0,9,a[i]) NEWLINE END INT(0,9,q) ASSERT(INARRAY(q,a)) NEWLINE",
    "INT(0,100,a) SPACE INT(0,100,b) SPACE INT(0,100,c) ASSERT(a+b==c) NEWLINE",
    "INT(1,3,k) NEWLINE IF(k==1) STRING(\"one\") ELSE IF(k==2) STRING(\"two\") ELSE REGEX(\"[x]{3}\") END END NEWLINE",
    "REPI(i,3) WHILEI(j,j<=i,STRING(\",\")) INT(i,j+5) END NEWLINE END",
    "INT(1,5,n) NEWLINE REPI(i,n) REPI(j,n,SPACE) INT(-9,9,a[i,j]) END NEWLINE END UNSET(a)",
    "REP(2,NEWLINE) REPI(i,4,SPACE) INT(0,3,a[i]) END ASSERT(UNIQUE(a)) UNSET(a) END",
    "SET(p=\"[ab]+\") REGEX(p,s) SPACE STRING(s) NEWLINE EOF",
    "INT(2,20,n) NEWLINE REPI(i,n-1) INT(1,n,u) SPACE INT(1,n,v) ASSERT(u != v) NEWLINE END",
    "IF(ISEOF) ELSE INT(1,3) IF(!ISEOF) NEWLINE END END",
    "STRING(\"\") REGEX(\"x?\") IF(MATCH(\"ab\") || MATCH(\"c\")) REGEX(\"[a-d]\") END NEWLINE",
];

#[test]
fn generated_inputs_are_accepted_in_every_shape() {
    for text in GRAMMARS {
        let grammar = grammar(text);
        for shape in applicable(&grammar) {
            for seed in 0..3 {
                match generate(&grammar, &shape, seed) {
                    Ok(input) => {
                        assert!(
                            accepts(&grammar, &input),
                            "{text}: {}: {:?}",
                            shape.name,
                            String::from_utf8_lossy(&input)
                        );
                    }
                    Err(diagnostic) => panic!("{text}: {}: {diagnostic}", shape.name),
                }
            }
        }
    }
}

#[test]
fn a_seed_gives_the_same_bytes_and_another_seed_others() {
    let grammar = grammar(
        "REP(8,SPACE) INT(0,10^6) END NEWLINE REGEX(\"[a-z]{8}\") SPACE FLOATP(0,1,6,6) NEWLINE",
    );
    let write = |seed| String::from_utf8(generate(&grammar, &RANDOM, seed).unwrap()).unwrap();
    assert_eq!(write(1), write(1));
    assert_ne!(write(1), write(2));
    assert_eq!(
        write(1),
        "245190 326580 253708 298637 47252 82432 744195 523636\notvuimwc 0.970681\n"
    );
}

/// `holds` gets the numbers of the input.
fn check_shape(shape: &str, text: &str, holds: fn(&[i64]) -> bool) {
    let grammar = grammar(text);
    let shape = find_shape(shape).expect("a shape");
    for seed in 0..20 {
        let input = String::from_utf8(generate(&grammar, &shape, seed).unwrap()).unwrap();
        let row: Vec<i64> = input.split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert!(holds(&row), "{}: {row:?}", shape.name);
    }
}

#[test]
fn shapes_match_their_names() {
    let row = "INT(3,50,n) NEWLINE REP(n,SPACE) INT(-10,1000) END NEWLINE";
    check_shape("smallest", row, |row| row == [3, -10, -10, -10]);
    check_shape("largest", row, |row| {
        row.len() == 51 && row[1..].iter().all(|value| *value == 1000)
    });
    check_shape("count-above-least", row, |row| row[0] == 4);
    check_shape("count-below-most", row, |row| row[0] == 49);
    check_shape("zeros", row, |row| row[1..].iter().all(|value| *value == 0));
    check_shape("all-equal", row, |row| row[1..].windows(2).all(|pair| pair[0] == pair[1]));
    check_shape("increasing", row, |row| row[1..].is_sorted());
    check_shape("decreasing", row, |row| row[1..].iter().rev().is_sorted());
    check_shape("alternating", row, |row| {
        row[1..].chunks(2).all(|pair| pair[0] == 1000 && pair.get(1).is_none_or(|low| *low == -10))
    });
    check_shape("spike", row, |row| row[1..].iter().filter(|value| **value == 1000).count() == 1);
    check_shape("largest-sum", row, |row| row[1..].iter().all(|value| *value == 1000));
    check_shape("few-distinct", row, |row| {
        let mut values = row[1..].to_vec();
        values.sort_unstable();
        values.dedup();
        values.len() <= 3
    });
    check_shape("tiny", row, |row| {
        row[0] <= 7 && row[1..].iter().all(|value| (-2..=3).contains(value))
    });
}

#[test]
fn test_cases_within_an_input_have_shapes_too() {
    let cases =
        "INT(1,6,t) NEWLINE REP(t) INT(1,30,n) NEWLINE REP(n,SPACE) INT(0,9) END NEWLINE END";
    check_shape("many-tiny", cases, |row| row[0] == 6 && row.len() <= 1 + 6 * 6);
    check_shape("one-huge", cases, |row| row[..2] == [1, 30]);
    check_shape("big-before-small", cases, |row| row[..2] == [3, 30] && row[32] <= 5);
    check_shape("same-twice", cases, |row| {
        row[0] == 2
            && row[1..].len() % 2 == 0
            && row[1..1 + row.len() / 2] == row[1 + row.len() / 2..]
    });
}

/// If a bound cannot be reached, the input is as large as can be, and not the smallest.
#[test]
fn unreachable_bounds_give_way_as_little_as_needed() {
    let check = |bounds: &str,
                 shape: &str,
                 most: &[&str],
                 holds: fn(&[i64]) -> bool,
                 missed: &[&str]| {
        let text = format!(
            "{bounds} NEWLINE REPI(i,m) INT(1,n,u[i]) SPACE INT(1,n,v[i]) NEWLINE ASSERT(u[i] < v[i]) END \
             ASSERT(UNIQUE(u,v))"
        );
        let grammar = grammar(&text);
        let label = |site: usize| grammar.sites[site].label.as_str();
        let sites = (0..grammar.sites.len()).filter(|site| most.contains(&label(*site)));
        let pins: Vec<Pin> = sites.map(|site| Pin { site, side: BoundSide::Most }).collect();
        let shape = find_shape(shape).expect("a shape");
        for seed in 0..3 {
            let input = generate_at(&grammar, &shape, &pins, seed).expect("an input");
            let text = String::from_utf8(input.clone()).expect("text");
            let words = text.split_whitespace().take(2);
            let counts: Vec<i64> = words.map(|word| word.parse().expect("a number")).collect();
            assert!(holds(&counts), "{bounds} {} {most:?}: {counts:?}", shape.name);
            let unreached = unreached(&grammar, &shape, &pins, &input);
            let unreached: Vec<&str> = unreached.iter().map(|bound| label(bound.site)).collect();
            assert_eq!(unreached, missed, "{bounds} {} {most:?}", shape.name);
        }
    };
    let loose = "INT(2,60,n) SPACE INT(1,300,m) ASSERT(m <= n*(n-1)/2)";
    check(loose, "largest", &[], |counts| counts == [60, 300], &[]);
    check(loose, "random", &["n", "m"], |counts| counts == [60, 300], &[]);
    check(loose, "random", &["m"], |counts| counts[1] == 300, &[]);
    check(loose, "count-most", &[], |counts| counts[1] == 300, &[]);
    check(loose, "smallest", &[], |counts| counts == [2, 1], &[]);
    let twice = "INT(2,60,n) SPACE INT(1,300,m) ASSERT(2*m <= n*(n-1))";
    check(twice, "count-most", &[], |counts| counts[1] == 300, &[]);
    let tight = "INT(2,20,n) SPACE INT(1,1000,m) ASSERT(m <= n*(n-1)/2)";
    check(tight, "largest", &[], |counts| counts[0] == 20 && counts[1] > 95, &["m"]);
    let even = "INT(1,99,n) SPACE INT(0,9,m) ASSERT(n % 2 == 0)";
    check(even, "random", &["n"], |counts| counts[0] == 98, &["n"]);
}

#[test]
fn a_scale_sets_the_size_of_counts() {
    let row = "INT(1,1000,n) NEWLINE REP(n,SPACE) INT(-9,9) END NEWLINE";
    let cases =
        "INT(1,50,t) NEWLINE REP(t) INT(1,90,n) NEWLINE REP(n,SPACE) INT(0,9) END NEWLINE END";
    let first = |text: &str, shape: &str, size, seed| {
        let grammar = grammar(text);
        let shape = find_shape(shape).and_then(|shape| shape.sized(size));
        let input = generate(&grammar, &shape.expect("it has sizes"), seed).expect("an input");
        assert!(accepts(&grammar, &input));
        let text = String::from_utf8(input).expect("text");
        let words = text.split_whitespace();
        let numbers: Vec<i64> = words.map(|word| word.parse().expect("a number")).collect();
        (numbers[0], numbers[1])
    };
    for seed in 0..20 {
        for shape in ["random", "spike", "planted", "zeros"] {
            assert!((6..=13).contains(&first(row, shape, Scale::Small, seed).0));
            assert_eq!(first(row, shape, Scale::Large, seed).0, 1000);
            assert_eq!(first(cases, shape, Scale::Large, seed), (1, 90));
        }
        let (t, n) = first(cases, "same-twice", Scale::Small, seed);
        assert!(t == 2 && (6..=13).contains(&n), "{t} {n}");
    }
    for shape in ["smallest", "count-most", "largest-sum", "one-huge", "many-tiny"] {
        assert_eq!(find_shape(shape).and_then(|shape| shape.sized(Scale::Small)), None);
    }
}

#[test]
fn too_large_inputs_are_given_up() {
    let grammar = grammar("INT(1,10^9,n) NEWLINE REP(n,SPACE) INT(1,9) END NEWLINE ASSERT(n > 1)");
    let shape = |name: &str| find_shape(name).expect("a shape");
    let within = |name: &str| generate_until(&grammar, &shape(name), &[], 1, Some(1000), &|| false);
    assert_eq!(within("largest"), Err(GenerationFailure::TooLarge));
    assert!(within("tiny").is_ok());
}

/// `ASSERT(STRLEN(s) == n)` decides how long a text is, whatever the expression.
#[test]
fn a_text_is_as_long_as_an_assert_demands() {
    let check = |assert: &str, regex: &str, shape: &str, least: usize, most: usize| {
        let text = format!("INT(1,3000,n) SPACE REGEX(\"{regex}\",s) NEWLINE ASSERT({assert})");
        let grammar = grammar(&text);
        let shape = find_shape(shape).expect("a shape");
        for seed in 0..3 {
            let input = generate(&grammar, &shape, seed);
            let input = input.unwrap_or_else(|reason| panic!("{text}: {reason}"));
            assert!(accepts(&grammar, &input), "{text}");
            let length =
                input.trim_ascii().iter().rposition(|byte| *byte == b' ').expect("a space");
            let length = input.trim_ascii().len() - length - 1;
            assert!((least..=most).contains(&length), "{text} {}: {length}", shape.name);
        }
    };
    for regex in ["[01]+", "a[b-z]*c?", "[a-z]{1,3000}", "(ab|[0-9]+x)*.*"] {
        check("STRLEN(s) == n", regex, "largest", 3000, 3000);
        check("STRLEN(s) == n", regex, "random", 1, 3000);
    }
    check("STRLEN(s) >= 200", "[a-z]+", "random", 200, 220);
    check("n == STRLEN(s) && STRLEN(s) > 20", "(ab)+", "random", 21, 3000);
    check("STRLEN(s) <= n", "[a-z]{5,100}", "largest", 100, 100);
    check("STRLEN(s) == n", "[a-z]{5}", "random", 5, 5);
}

/// A grammar that is hard to satisfy does not exceed the time.
#[test]
fn generation_ends_when_time_is_over() {
    let grammar = grammar("REGEX(\"[a-z]{20}\",s) NEWLINE ASSERT(s == \"a\")");
    let asked = Cell::new(0);
    let is_over = || asked.replace(asked.get() + 1) == 5;
    let shape = find_shape("random").expect("a shape");
    let written = generate_until(&grammar, &shape, &[], 1, None, &|| is_over() || asked.get() > 5);
    assert_eq!(written, Err(GenerationFailure::Stopped));
    assert!(asked.get() < 9, "{asked:?}");
    let mut small = SmallInputs::new(&grammar, 1);
    asked.set(0);
    assert_eq!(small.next_until(&|| is_over() || asked.get() > 5), None);
    assert!(asked.get() < 9, "{asked:?}");
}

#[test]
fn shapes_that_make_no_difference_are_not_offered() {
    let names = |text: &str| -> Vec<&str> {
        applicable(&grammar(text)).iter().map(|shape| shape.name).collect()
    };
    assert_eq!(names("STRING(\"x\")"), ["random"]);
    assert!(!names("INT(1,9,n) REP(n) SPACE END").contains(&"increasing"));
    assert!(
        !names("INT(1,9,n) REP(n) REP(n) INT(0,9) SPACE END END").contains(&"many-tiny"),
        "a grid is no test cases"
    );
    assert_eq!(
        names("INT(1,9,t) REP(t) INT(1,9,n) REP(n) SPACE INT(0,n) SPACE INT(0,n) REGEX(\"a+\") END END").len(),
        SHAPES.len()
    );
}

#[test]
fn unsatisfiable_grammars_are_reported_with_the_reason() {
    let check = |text: &str, line: u32, parts: &[&str]| {
        let diagnostic = generate(&grammar(text), &RANDOM, 1).expect_err(text);
        let spot = diagnostic.place.spot.as_ref().expect("a spot");
        assert_eq!(spot.line, line, "{diagnostic}");
        for part in parts {
            assert!(diagnostic.message.contains(part), "{diagnostic}: {part}");
        }
        assert!(diagnostic.help.is_some());
    };
    check(
        "INT(1,9,n)\nASSERT(n > 20)",
        2,
        &["could not be satisfied", "`n > 20` does not hold: n = "],
    );
    check("INT(1,9,n)\nINT(n+1,n)", 2, &["no value is from"]);
    check(
        "REPI(i,5,SPACE)\nINT(1,3,a[i]) END ASSERT(UNIQUE(a))",
        2,
        &["every value from 1 to 3 is used"],
    );
    check("IF(MATCH(\"x\")) ELSE END\nASSERT(1 == 2)", 2, &["does not hold"]);
    check("INT(1,9)\nINT(1,9)", 2, &["two numbers touch"]);
    check("REGEX(\"[a-z]*\")\nSTRING(\"x\") NEWLINE", 2, &["expected"]);
}

#[test]
fn numbers_that_touch_are_reported() {
    let check = |text: &str, place: &str, what: &str| {
        let fault = generate(&grammar(text), &RANDOM, 1).expect_err(text);
        let spot = fault.place.spot.as_ref().expect("a spot");
        assert_eq!(format!("{}:{}", spot.line, spot.column), place, "{text}");
        let expected =
            format!("two numbers touch: {what} would be read as part of the one before it");
        assert!(fault.message.ends_with(&expected), "{text}: {fault}");
        let help = fault.help.as_deref();
        assert_eq!(help, Some("write SPACE or NEWLINE between them"), "{text}");
    };
    check("INT(1,5) INT(1,5) NEWLINE", "1:10", "a value from 1 to 5");
    check("INT(-5,-1) INT(10,50) NEWLINE", "1:12", "a value from 10 to 50");
    check("FLOAT(1,2)\nINT(1,5) NEWLINE", "2:1", "a value from 1 to 5");
    check("FLOATP(1,1,1,1) FLOATP(2,2,1,1) NEWLINE", "1:17", "2.0");
    check("INT(1,9) STRING(\"7\") NEWLINE", "1:10", "\"7\"");
    check("INT(1,9) REGEX(\"[0-9]+\") NEWLINE", "1:10", "a text that matches \"[0-9]+\"");
    check("REP(3) INT(1,9) END NEWLINE", "1:8", "a value from 1 to 9");
    check(
        "INT(1,1,n) NEWLINE REPI(i,n) INT(1,9) INT(2,8) NEWLINE END",
        "1:39",
        "a value from 2 to 8",
    );
}

#[test]
fn hard_conditions_are_satisfied() {
    let check = |text: &str| {
        let grammar = grammar(text);
        for seed in 0..5 {
            generate(&grammar, &RANDOM, seed)
                .unwrap_or_else(|diagnostic| panic!("{text}: {diagnostic}"));
        }
    };
    // A permutation.
    check("REPI(i,2000,SPACE) INT(1,2000,p[i]) END ASSERT(UNIQUE(p))");
    check(
        "REPI(i,8000,SPACE) INT(1,100,u[i]) STRING(\"-\") INT(1,100,v[i]) ASSERT(u[i] != v[i]) END ASSERT(UNIQUE(u,v))",
    );
    // A long rising row.
    check("REPI(i,200,SPACE) INT(1,10^9,a[i]) IF(i>0) ASSERT(a[i-1]<a[i]) END END");
    check("INT(0,10,b) REPI(i,100) SPACE INT(b+1,10^6,b) END");
    // A sum that is spent.
    check("SET(s=0) REP(500,SPACE) INT(1,10^5,n) SET(s=s+n) ASSERT(s<=2*10^5) END");
    // A string that must not be the last.
    check("REGEX(\"[ab]\",s) SPACE REGEX(\"[ab]\",t) ASSERT(s != t)");
}

/// No shape needs many attempts if a sum over all test cases is limited.
#[test]
fn limited_sums_are_spent_at_once() {
    let check = |body: &str, limit: &str| {
        let text = format!("INT(1,200,t) NEWLINE SET(s=0) REPI(c,t) {body} END {limit}");
        let mut grammar = grammar(&text);
        grammar.limits.steps = 60_000;
        for shape in applicable(&grammar) {
            for seed in 0..4 {
                let input = generate(&grammar, &shape, seed);
                let input =
                    input.unwrap_or_else(|failure| panic!("{}, {text}: {failure}", shape.name));
                assert!(shape.name != "count-most" || input.starts_with(b"200\n"), "{text}");
            }
        }
    };
    let row = "NEWLINE REP(n,SPACE) INT(1,9) END NEWLINE";
    check(&format!("INT(1,1000,n) SET(s=s+n) ASSERT(s<=1000) {row}"), "");
    check(&format!("INT(1,1000,n) ASSERT(1001>s+n) SET(s=n+s) {row}"), "");
    check(&format!("INT(1,1000,n) SET(s=s+n) {row}"), "ASSERT(s<1001)");
    check(&format!("INT(2,1000,n) SET(s=s+2*n) ASSERT(s<=2000 && n!=3) {row}"), "");
    check(
        "INT(1,1000,n[c]) NEWLINE SET(s=s+n[c]) REP(n[c]) INT(1,9) NEWLINE END",
        "ASSERT(s<=1000)",
    );
    check(
        "INT(1,99,n) SPACE INT(1,99,m) NEWLINE SET(s=s+n*m) ASSERT(s<=1000) REP(n) REP(m,SPACE) INT(1,9) END NEWLINE END",
        "",
    );
    check("REGEX(\"[a-z]{1,1000}\",w) NEWLINE SET(s=s+STRLEN(w)) ASSERT(s<=1000)", "");
    // Not limited: a negative value may follow, and an IF need not hold.
    let is_limited = |body: &str| {
        let grammar = grammar(&format!("SET(s=0) REPI(c,9) {body} END ASSERT(s<=9)"));
        grammar.sites.iter().any(|site| site.sum_limit.is_some())
    };
    assert!(is_limited("INT(0,9,n) SET(s=s+n)"));
    assert!(!is_limited("INT(-9,9,n) SET(s=s+n)"));
    assert!(!is_limited("INT(0,9,n) IF(n>3) SET(s=s+n) END"));
    assert!(!is_limited("INT(0,9,n) IF(n>3) ELSE SET(s=s+n) END"));
}

#[test]
fn shapes_of_pointers_make_trees_and_graphs() {
    const TREE: &str = "INT(9,9,n) NEWLINE REPI(i,n-1,SPACE) INT(1,i+1,p[i]) END NEWLINE";
    let check = |text: &str, shape: &str, expected: &str| {
        let grammar = grammar(text);
        assert!(applicable(&grammar).iter().any(|other| other.name == shape), "{shape} fits");
        let shape = find_shape(shape).expect("a shape");
        let input = generate(&grammar, &shape, 1).expect("an input");
        let input = String::from_utf8(input).expect("a text");
        let (_, rest) = input.split_once('\n').expect("a line");
        assert_eq!(rest.replace('\n', " ").trim(), expected, "{}", shape.name);
    };
    check(TREE, "path", "1 2 3 4 5 6 7 8");
    check(TREE, "star", "1 1 1 1 1 1 1 1");
    check(TREE, "two-paths", "1 1 2 3 4 5 6 7");
    check(TREE, "binary", "1 1 2 2 3 3 4 4");
    check(TREE, "caterpillar", "1 1 3 3 5 5 7 7");
    check(TREE, "broom", "1 2 3 4 5 5 5 5");
    check(TREE, "square-root", "1 2 3 1 5 6 1 8");
    let row = grammar("INT(1,9,n) NEWLINE REPI(i,n,SPACE) INT(1,99,a[i]) END NEWLINE");
    assert!(applicable(&row).iter().all(|shape| shape.name != "path"), "no indices, no pointers");
}

/// Nodes and edges may have any order, so the degrees tell what a graph is.
#[test]
fn shapes_of_edges_keep_their_degrees() {
    let check = |text: &str, shape: &str, degrees: &[usize]| {
        let grammar = grammar(text);
        assert!(
            applicable(&grammar).iter().any(|other| other.name == shape),
            "{text}: {shape} fits"
        );
        let shape = find_shape(shape).expect("a shape");
        let mut inputs = BTreeSet::new();
        for seed in 0..20 {
            let input = generate(&grammar, &shape, seed).expect("an input");
            assert!(accepts(&grammar, &input));
            let input = String::from_utf8(input).expect("a text");
            let mut found = vec![0; degrees.len()];
            for line in input.lines().skip(1) {
                for node in line.split(' ').take(2) {
                    found[node.parse::<usize>().expect("a node") - 1] += 1;
                }
            }
            found.sort_unstable();
            assert_eq!(found, degrees, "{} of {text}: {input}", shape.name);
            inputs.insert(input);
        }
        assert!(inputs.len() > 2, "{}: the order of nodes and edges differs", shape.name);
    };
    let graph = |n: usize, m: usize, rest: &str| {
        format!(
            "INT({n},{n},n) SPACE INT({m},{m},m) NEWLINE REPI(i,m) INT(1,n,a[i]) SPACE INT(1,n,b[i]){rest} NEWLINE END"
        )
    };
    const TREE: &str =
        "INT(7,7,n) NEWLINE REP(n-1) INT(1,n) SPACE INT(1,n) SPACE INT(0,10^9) NEWLINE END";
    check(TREE, "path", &[1, 1, 2, 2, 2, 2, 2]);
    check(TREE, "two-paths", &[1, 1, 2, 2, 2, 2, 2]);
    check(TREE, "back-path", &[1, 1, 2, 2, 2, 2, 2]);
    check(TREE, "star", &[1, 1, 1, 1, 1, 1, 6]);
    check(TREE, "binary", &[1, 1, 1, 1, 2, 3, 3]);
    check(TREE, "caterpillar", &[1, 1, 1, 1, 2, 3, 3]);
    check(TREE, "broom", &[1, 1, 1, 1, 2, 2, 4]);
    check(TREE, "square-root", &[1, 1, 1, 2, 2, 2, 3]);
    for rest in ["", " SPACE INT(1,5)", " ASSERT(UNIQUE(a,b))", " ASSERT(a[i] != b[i])"] {
        check(&graph(5, 5, rest), "cycle", &[2, 2, 2, 2, 2]);
        check(&graph(5, 6, rest), "clique", &[0, 3, 3, 3, 3]);
        check(&graph(9, 12, rest), "grid", &[2, 2, 2, 2, 3, 3, 3, 3, 4]);
    }
    check(&graph(4, 6, " SPACE INT(1,5)"), "self-loop", &[1, 3, 4, 4]);
    check(&graph(4, 9, ""), "parallel", &[3, 3, 6, 6]);
    // Bounds and ASSERT may demand an order of the ends.
    check(&graph(6, 5, " ASSERT(a[i] < b[i])"), "star", &[1, 1, 1, 1, 1, 5]);
    check(
        "INT(5,5,n) NEWLINE REPI(i,10) INT(1,n,a[i]) SPACE INT(a[i],n,b[i]) NEWLINE END",
        "clique",
        &[4, 4, 4, 4, 4],
    );
}

/// A path, with all weights at their most in some inputs and all at their least in others.
#[test]
fn trees_have_weights_at_their_bounds() {
    let grammar =
        grammar("INT(9,9,n) NEWLINE REPI(i,n-1) INT(1,i+1,p[i]) SPACE INT(1,99) NEWLINE END");
    let shape = find_shape("path").expect("a shape");
    let weights = |seed: u64| {
        let input = String::from_utf8(generate(&grammar, &shape, seed).unwrap()).unwrap();
        let lines = input.lines().skip(1).map(|line| line.split_once(' ').expect("a pair").1);
        lines.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let found: Vec<_> = (0..30).map(weights).collect();
    for only in ["1", "99"] {
        assert!(found.contains(&BTreeSet::from([only.to_owned()])), "only {only}: {found:?}");
    }
    assert!(found.iter().any(|weights| weights.len() > 3), "some are random: {found:?}");
}

/// Each node points to one: `lengths` are those of the ways from each node until a node comes again.
#[test]
fn shapes_of_next_nodes_are_paths_and_cycles() {
    let check = |shape: &str, lengths: [usize; 6]| {
        let grammar = grammar("INT(6,6,n) NEWLINE REPI(i,n,SPACE) INT(0,n-1,a[i]) END NEWLINE");
        let shape = find_shape(shape).expect("a shape");
        for seed in 0..10 {
            let input = String::from_utf8(generate(&grammar, &shape, seed).unwrap()).unwrap();
            let next: Vec<usize> =
                input.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
            let mut found = [0; 6];
            for (start, length) in found.iter_mut().enumerate() {
                let (mut seen, mut node) = (BTreeSet::new(), start);
                while seen.insert(node) {
                    node = next[node];
                }
                *length = seen.len();
            }
            found.sort_unstable();
            assert_eq!(found, lengths, "{}: {input}", shape.name);
        }
    };
    check("path", [1, 2, 3, 4, 5, 6]);
    check("star", [1, 2, 2, 2, 2, 2]);
    check("cycle", [6; 6]);
    check("self-loop", [1; 6]);
    check("back-path", [2; 6]);
}

#[test]
fn n_less_one_edges_are_often_a_tree() {
    let trees = |edges: &str| {
        let text = format!("INT(9,9,n) NEWLINE REP({edges}) INT(1,n) SPACE INT(1,n) NEWLINE END");
        let grammar = grammar(&text);
        let is_tree = |seed: &u64| {
            let input = String::from_utf8(generate(&grammar, &RANDOM, *seed).unwrap()).unwrap();
            let numbers = input.split_whitespace().skip(1);
            let nodes: Vec<usize> = numbers.map(|word| word.parse().unwrap()).collect();
            let mut group: Vec<usize> = (0..10).collect();
            for edge in nodes.chunks(2) {
                let (from, to) = (group[edge[0]], group[edge[1]]);
                group.iter_mut().filter(|value| **value == from).for_each(|value| *value = to);
            }
            group[1..].iter().all(|value| *value == group[1])
        };
        (0..100).filter(is_tree).count()
    };
    assert!((50..95).contains(&trees("n-1")), "{}", trees("n-1"));
    assert!(trees("8") < 95 && trees("7") == 0);
}

/// The number of nodes follows the counts in half of the inputs.
#[test]
fn the_number_of_nodes_may_be_small() {
    let grammar = grammar(
        "INT(1,100000,n) SPACE INT(1,100000,m) NEWLINE REPI(i,m) INT(1,n,u[i]) SPACE INT(1,n,v[i]) NEWLINE END",
    );
    let nodes = |shape: &crate::shape::Shape| -> Vec<u32> {
        let inputs = (0..40).map(|seed| generate(&grammar, shape, seed).expect("an input"));
        let first = |input: Vec<u8>| {
            let text = String::from_utf8(input).expect("a text");
            text.split(' ').next().and_then(|word| word.parse().ok()).expect("a number")
        };
        inputs.map(first).collect()
    };
    let small = nodes(&RANDOM.with_count_limit(6)).into_iter().filter(|n| *n <= 6).count();
    assert!((8..35).contains(&small), "{small}");
    let cycle = find_shape("cycle").expect("a shape");
    assert!(nodes(&cycle.with_count_limit(6)).iter().all(|n| *n <= 6));
}

#[test]
fn counts_and_texts_keep_a_limit_and_values_do_not() {
    let grammar = grammar(
        "INT(2,1000,n) NEWLINE REPI(i,n,SPACE) INT(1,10^9,a[i]) END NEWLINE REGEX(\"[a-z]{1,100000}\") NEWLINE",
    );
    let mut most = 0;
    for seed in 0..50 {
        let input = generate(&grammar, &RANDOM.with_count_limit(6), seed).expect("an input");
        let input = String::from_utf8(input).expect("a text");
        let words: Vec<&str> = input.split_whitespace().collect();
        assert!(words.len() <= 8 && words[words.len() - 1].len() <= 6, "{input}");
        most =
            words[1..words.len() - 1].iter().map(|word| word.parse().unwrap()).fold(most, u64::max);
    }
    assert!(most > 100_000_000, "{most}");
}

#[test]
fn special_numbers_are_drawn_within_bounds() {
    let grammar = grammar("INT(1,10^9,a) SPACE INT(1,10^6,b) NEWLINE");
    let values = [7_i64, 123_456, 998_244_353, 1 << 40].map(Int::Small).to_vec();
    let numbers = SpecialNumbers { values, ..SpecialNumbers::default() };
    let shape = find_shape("numbers").expect("a shape").with_numbers(&numbers.into());
    let inputs = (0..40).map(|seed| generate(&grammar, &shape, seed).expect("an input"));
    let inputs: Vec<String> =
        inputs.map(|input| String::from_utf8(input).expect("a text")).collect();
    assert!(inputs.iter().any(|input| input.starts_with("998244353 ")), "{inputs:?}");
    assert!(inputs.iter().any(|input| input.ends_with(" 123456\n")), "{inputs:?}");
}

/// `holds` gets the numbers of an input.
fn check_numbers(shape: &str, text: &str, holds: &dyn Fn(&[i64]) -> bool) {
    let grammar = grammar(text);
    let numbers = [100_i64, 101, 1_000_000, 998_244_353, (1 << 31) - 1, 1 << 31, 1 << 32];
    let values = numbers.map(crate::number::Int::Small).into();
    let numbers = std::sync::Arc::new(crate::shape::SpecialNumbers { values, steps: Vec::new() });
    let shape = find_shape(shape).expect("a shape").with_numbers(&numbers);
    let is_found = (0..300).any(|seed| {
        let input = String::from_utf8(generate(&grammar, &shape, seed).unwrap()).unwrap();
        let row: Vec<i64> = input.split_whitespace().map(|word| word.parse().unwrap()).collect();
        holds(&row)
    });
    assert!(is_found, "{}: {text}", shape.name);
}

#[test]
fn sums_products_and_counts_are_special() {
    const ROW: &str = "INT(1,120,n) NEWLINE REPI(i,n,SPACE) INT(0,10^9,a[i]) END NEWLINE";
    const FOUR: &str =
        "REPI(i,4,SPACE) INT(-10^9,10^9,a[i]) END SPACE INT(1,9,x) SPACE INT(-10^9,10^9,y) NEWLINE";
    const PAIR: &str = "INT(1,10^9,a) SPACE INT(1,10^9,b) NEWLINE";
    for number in [998_244_353, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, 1 << 32] {
        check_numbers("sums", ROW, &|row| row[1..].iter().sum::<i64>() == number);
    }
    let prefix = |row: &[i64], to: usize| row[1..=to].iter().sum::<i64>();
    check_numbers("sums", ROW, &|row| {
        (3..row.len()).rev().skip(3).any(|to| prefix(row, to) == 1 << 31)
    });
    check_numbers("sums", FOUR, &|row| row[..4].iter().sum::<i64>() == 1 << 31);
    check_numbers("numbers", ROW, &|row| row[0] == 101);
    check_numbers("numbers", PAIR, &|row| row[0] + row[1] == 998_244_353);
    check_numbers("numbers", PAIR, &|row| row[1] - row[0] == 1_000_000);
    check_numbers("numbers", PAIR, &|row| {
        let product = row[0] * row[1];
        row[0] > 12 && row[1] > 12 && product > 1 << 31 && product - row[0] <= 1 << 31
    });
}

#[test]
fn extremes_come_in_all_combinations() {
    let check = |text: &str, count: usize| {
        let grammar = grammar(text);
        let shapes = find_shape("extremes").expect("a shape").at_extremes(&grammar);
        let inputs = shapes.iter().map(|shape| generate(&grammar, shape, 1).expect("an input"));
        let inputs: BTreeSet<Vec<u8>> = inputs.collect();
        assert_eq!((shapes.len(), inputs.len()), (count, count), "{text}");
    };
    check("INT(1,9,a) SPACE INT(1,9) SPACE FLOAT(0,2,c) NEWLINE", 8);
    check("INT(3,3,n) NEWLINE REP(n,SPACE) INT(1,9) END SPACE INT(0,n,b) NEWLINE", 4);
    check("IF(MATCH(\"1\")) INT(1,1,a) ELSE INT(2,3,a) END NEWLINE", 2);
    check("REGEX(\"a+\") NEWLINE", 0);
    check(&"INT(1,9) SPACE ".repeat(8), 256);
    check(&"INT(1,9) SPACE ".repeat(9), 0);
}

#[test]
fn texts_have_shapes_of_the_same_letters() {
    let grammar = grammar("REGEX(\"[a-z]{8}\") SPACE REGEX(\"[a-z]{8}\") NEWLINE");
    let check = |shape: &str, letters: &str| {
        let shape = find_shape(shape).expect("a shape");
        let input = generate(&grammar, &shape, 1).expect("an input");
        let input = String::from_utf8(input).expect("a text");
        let [one, other] = input.trim().split(' ').collect::<Vec<_>>()[..] else { panic!("two") };
        assert_eq!(one, other);
        let first = one.as_bytes()[0];
        let pattern: String =
            one.bytes().map(|byte| if byte == first { 'a' } else { 'b' }).collect();
        assert_eq!(pattern, letters, "{}", shape.name);
    };
    check("all-equal", "aaaaaaaa");
    check("thue-morse", "abbabaab");
    check("fibonacci", "abaababa");
    check("almost-period", "aaaaaaab");
    check("alternating", "abababab");
}

fn shaped_text(grammar: &Grammar, shape: &str, seed: u64) -> String {
    let shape = find_shape(shape).expect("a shape");
    String::from_utf8(generate(grammar, &shape, seed).expect("an input")).expect("a text")
}

#[test]
fn texts_have_their_shapes_at_the_largest_size() {
    let grammar = grammar("REGEX(\"[a-z]{100000}\") NEWLINE");
    for shape in ["all-equal", "thue-morse", "fibonacci", "almost-period", "echo"] {
        let text = shaped_text(&grammar, shape, 1);
        let letters: BTreeSet<u8> = text.trim().bytes().collect();
        assert_eq!(text.trim().len(), 100_000, "{shape}");
        assert_eq!(letters.len(), if shape == "all-equal" { 1 } else { 2 }, "{shape}");
    }
}

/// The two halves differ in every letter. A hash that overflows 64 bits is the same for both, whatever its base.
#[test]
fn a_thue_morse_text_breaks_hashes_that_overflow() {
    let text = shaped_text(&grammar("REGEX(\"[a-z]{4096}\") NEWLINE"), "thue-morse", 1);
    let (one, other) = text.trim().split_at(2048);
    assert!(one.bytes().zip(other.bytes()).all(|(one, other)| one != other));
    for base in [31_u64, 131, 1_000_003, 0x9e37_79b9_7f4a_7c15, 256] {
        let hash = |text: &str| {
            text.bytes().fold(0_u64, |hash, byte| hash.wrapping_mul(base).wrapping_add(byte.into()))
        };
        assert_eq!(hash(one) == hash(other), base % 2 == 1, "{base}");
    }
}

#[test]
fn an_echo_repeats_an_earlier_text() {
    let grammar = grammar("REGEX(\"[a-z]{6}\") SPACE REGEX(\"[a-z]{60}\") NEWLINE");
    let texts = (0..50).map(|seed| shaped_text(&grammar, "echo", seed));
    let repeats = texts.filter(|text| {
        let (short, long) = text.trim().split_once(' ').expect("two texts");
        long.matches(short).count() >= 3
    });
    assert!(repeats.count() >= 10);
}

#[test]
fn multiples_have_one_distance_and_keep_bounds() {
    let steps = vec![Int::Small(10_273)];
    let numbers = SpecialNumbers { steps, ..SpecialNumbers::default() }.into();
    let check = |shape: &str, bounds: &str, row: &str| {
        let text = format!("INT(9,9,n) NEWLINE REPI(i,n,SPACE) INT({bounds},a[i]) END NEWLINE");
        let grammar = grammar(&text);
        let shape = find_shape(shape).expect("a shape").with_numbers(&numbers);
        let inputs = (0..50).map(|seed| generate(&grammar, &shape, seed).expect("an input"));
        let rows: BTreeSet<String> =
            inputs.map(|input| String::from_utf8(input).expect("a text")).collect();
        assert!(rows.contains(&format!("9\n{row}\n")), "{rows:?}");
    };
    check("multiples", "-5,10^9", "0 10273 20546 30819 41092 51365 61638 71911 82184");
    check("multiples", "1,30000", "1 10274 20547 1 10274 20547 1 10274 20547");
    check("clusters", "0,30000", "0 10273 20546 1 10274 20547 2 10275 20548");
    check("diagonal", "3,30000", "3 4 5 6 7 8 9 10 11");
}

#[test]
fn pairs_of_a_diagonal_have_related_values() {
    let grammar = grammar("REP(3) INT(0,99) SPACE INT(0,99) NEWLINE END");
    let texts: BTreeSet<String> =
        (0..50).map(|seed| shaped_text(&grammar, "diagonal", seed)).collect();
    for text in ["0 0\n1 1\n2 2\n", "0 0\n2 2\n4 4\n", "0 0\n2 1\n4 2\n", "0 0\n1 2\n2 4\n"] {
        assert!(texts.contains(text), "{texts:?}");
    }
}

#[test]
fn a_serpentine_has_one_long_path_between_two_corners() {
    let check = |grammar_text: &str, rows: usize, columns: usize| {
        let grammar = grammar(grammar_text);
        let mut mazes = BTreeSet::new();
        for seed in 0..40 {
            let text = shaped_text(&grammar, "serpentine", seed);
            let cells: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            assert_eq!(cells.len(), rows * columns, "{text}");
            let mut steps = vec![usize::MAX; cells.len()];
            let mut queue = VecDeque::from([0]);
            steps[0] = 0;
            while let Some(at) = queue.pop_front() {
                let (row, column) = (at / columns, at % columns);
                let next = [
                    (row > 0).then(|| at - columns),
                    (row + 1 < rows).then(|| at + columns),
                    (column > 0).then(|| at - 1),
                    (column + 1 < columns).then(|| at + 1),
                ];
                for next in next.into_iter().flatten() {
                    if cells[next] == cells[0] && steps[next] == usize::MAX {
                        steps[next] = steps[at] + 1;
                        queue.push_back(next);
                    }
                }
            }
            let last = steps[cells.len() - 1];
            assert!((rows * columns / 3..rows * columns).contains(&last), "{last}: {text}");
            mazes.insert(text);
        }
        // Turned or not, with either letter as the wall.
        assert_eq!(mazes.len(), 4);
    };
    check("REP(20) REGEX(\"[.#]{15}\") NEWLINE END", 20, 15);
    check("REP(9) REGEX(\"[a-c]{31}\") NEWLINE END", 9, 31);
    check("REP(16) REP(8,SPACE) INT(0,1) END NEWLINE END", 16, 8);
}
