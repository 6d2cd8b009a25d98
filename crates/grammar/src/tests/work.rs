//! Limits on the steps of a grammar, which are the same in every run.

use std::path::Path;
use std::slice::from_ref;

use crate::compile::parse_grammar;
use crate::generate::generate;
use crate::program::Grammar;
use crate::shape::RANDOM;
use crate::validate::{Error, validate};
use crate::work::WorkLimits;
use juror_core::stop::{StopFlag, with_stop_flags};

const LIMITS: WorkLimits = WorkLimits { steps: 300_000, bytes: 8 << 20 };

fn limited_grammar(text: &str) -> Grammar {
    let reading = parse_grammar(Path::new("g.ctd"), text.as_bytes());
    let grammar = reading.grammar.unwrap_or_else(|| panic!("{text}: {:?}", reading.diagnostics));
    Grammar { limits: LIMITS, ..grammar }
}

fn validator_message(grammar: &Grammar, input: &[u8]) -> String {
    match validate(grammar, input, Path::new("1.in")) {
        Ok(()) => "valid".to_owned(),
        Err(Error::Input(diagnostic)) => format!("invalid: {}", diagnostic.message),
        Err(Error::Grammar(faults)) => faults[0].message.clone(),
        Err(Error::Interrupted) => "interrupted".to_owned(),
    }
}

#[test]
fn endless_work_ends_at_the_step_limit() {
    let deep = format!("REP(1000000) ASSERT(x{}>0) END", "+x".repeat(1900));
    let long = "1".repeat(7000);
    let check = |text: &str, input: &str| {
        let text = format!("{text} INT(1,100) NEWLINE");
        let input = format!("{input}1\n");
        let grammar = limited_grammar(&text);
        let message = validator_message(&grammar, input.as_bytes());
        assert_eq!(message, "the grammar has more steps than its time allows on 1.in", "{text}");
    };
    check("REP(4000000000) REP(4000000000) SET(a=1) END END", "");
    check("SET(i=0) WHILE(i<900000) SET(j=0) SET(i=i+1) WHILE(j<900000) SET(j=j+1) END END", "");
    check("SET(x=2) REP(100000) ASSERT(x^4000000 < x^4100000) END", "");
    check("SET(a=2^4000000) REP(1000000) SET(b=a*a%7) END", "");
    check("SET(a=2^4000000) REP(1000000) SET(b=a) END", "");
    check("SET(x=1e999999) ASSERT(x + 1e-999999 > 0)", "");
    check("SET(x=1e99999) SET(y=1e-99999) REP(100000) ASSERT(x > y) END", "");
    check("SET(x=1) REPI(i,1000) SET(x=x+1/(i*1.0+1)) END", "");
    check(&format!("SET(x=0.5) {deep}"), "");
    check("REPI(i,9) SET(a[i]=i) SET(b[i]=i) END REP(100000) ASSERT(UNIQUE(a,b)) END", "");
    check("SET(p=\"(((a?){90}){90})?\") REPI(i,4000) REGEX(p) END", "");
    check("REGEX(\"a*\",s) NEWLINE REP(90000) REGEX(s) END", &format!("{}\n", "a".repeat(900)));
    check("REP(400000) REGEX(\"(a*b)?\") STRING(\"a\") END", &"a".repeat(6000));
    check("REP(99) FLOAT(0,2) SPACE END", &format!("1.{long} ").repeat(99));
    check("REP(99) INT(0,10^7000) SPACE END", &format!("{long} ").repeat(99));
}

#[test]
fn a_stop_flag_ends_endless_work() {
    let flag = StopFlag::default();
    let check = |text: &str, expected: &str| {
        let mut grammar = limited_grammar(&format!("{text} INT(1,100) NEWLINE"));
        grammar.limits.steps = u64::MAX;
        let validate = || validator_message(&grammar, b"1\n");
        assert_eq!(with_stop_flags(from_ref(&flag), validate), expected, "{text}");
    };
    check("REP(100000) SET(a=1) END", "valid");
    flag.set();
    check("REP(4000000000) SET(a=1) END", "interrupted");
    check("SET(i=0) WHILE(i<1) SET(j=0) END", "interrupted");
}

#[test]
fn endless_values_end_at_the_memory_limit() {
    let check = |text: &str| {
        let mut grammar = limited_grammar(&format!("{text} INT(1,100) NEWLINE"));
        grammar.limits.steps = 10_000_000;
        assert_eq!(
            validator_message(&grammar, b"1\n"),
            "the variables hold more than 8 MiB",
            "{text}"
        );
        let written = generate(&grammar, &RANDOM, 1).expect_err(text);
        assert!(written.message.contains("the variables hold more than 8 MiB"), "{written}");
    };
    check("REPI(i,4000000000) SET(a[i]=i) END");
    check("REPI(i,4000000000) SET(a[i*10000000]=i) END");
    check("REPI(i,4000000000) SET(a[i,i]=i) END");
    check("REPI(i,4000000000) SET(a[i]=2^100000+i) END");
}

#[test]
fn generation_ends_at_the_step_limit() {
    let check = |text: &str| {
        let fault = generate(&limited_grammar(text), &RANDOM, 1).expect_err(text);
        assert_eq!(fault.message, "the grammar has more steps than its time allows", "{text}");
    };
    check("REP(1000000000) SET(a=1) END INT(1,100) NEWLINE");
    check("INT(1,10^1000000) NEWLINE");
    check("FLOAT(1,1e1000000) NEWLINE");
    check("FLOAT(1,1e50000) NEWLINE");
    check("FLOATP(1,1e50000,1,3,x,SCIENTIFIC) NEWLINE");
    check("REPI(i,4000000) INT(1,4000000,a[i]) ASSERT(UNIQUE(a)) SPACE END");
    check("INT(1,9,n) REP(90000) ASSERT(n>0) END ASSERT(n>10)");
}

/// They cost what reading and writing them costs: a few seconds of steps at most.
#[test]
fn floats_of_a_hundred_thousand_digits_are_drawn_and_computed_with() {
    let check = |text: &str| {
        let mut grammar = limited_grammar(&format!("{text} NEWLINE"));
        grammar.limits = WorkLimits { steps: 150_000_000, ..WorkLimits::default() };
        let input =
            generate(&grammar, &RANDOM, 1).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        assert!(input.len() > 99_000, "{text}: {} bytes", input.len());
        assert_eq!(validator_message(&grammar, &input), "valid", "{text}");
    };
    check("FLOAT(0.1, 1E100000, x, FIXED)");
    check("FLOAT(0.1, 1E400000, x, FIXED)");
    check("INT(1, 10^400000)");
    check("FLOAT(-1e100000, -0.1, x, FIXED)");
    check("FLOATP(0.1, 1E100000, 1, 3, x, FIXED) ASSERT(x > 2)");
    check("FLOAT(0.1, 1E100000, x, FIXED) ASSERT(x + 1 > x)");
    check("FLOAT(0.1, 1E100000, x, FIXED) ASSERT(x - 0.5 < x)");
    check("FLOAT(0.1, 1E100000, x, FIXED) ASSERT(2 * x > x)");
    check("FLOAT(0.1, 1E100000, x, FIXED) ASSERT(x / 2 < x)");
    check("FLOAT(0.1, 1E100000, x, FIXED) SET(y = x + 1) ASSERT(y - x == 1)");
}

#[test]
fn a_grammar_with_huge_constants_is_refused() {
    let check = |text: &str| {
        let found = parse_grammar(Path::new("g.ctd"), text.as_bytes()).diagnostics;
        let diagnostic = found.iter().find(|diagnostic| diagnostic.is_error()).expect(text);
        let expected = "the numbers of this grammar are too large to compute them all";
        assert_eq!(diagnostic.message, expected, "{text}");
    };
    check("ASSERT(1e999999 + 1e-999999 > 0)");
    check(&"SET(a=1e999999)\n".repeat(400));
    check(&"SET(a=2^4000000)\n".repeat(400));
    check(&format!("SET(a={})", "9".repeat(1_000_000)));
}

/// Neither the working memory of expressions nor other threads may count.
#[test]
fn the_same_run_has_the_same_number_of_steps() {
    let text = "REP(100) REGEX(\"([a-z]|[0-9a-f]{3})*\") NEWLINE END INT(1,9)";
    let grammar = limited_grammar(text);
    let input = format!("{}7", "abc012zzz9aa\n".repeat(100));
    let ends_at = |steps: u64| {
        let grammar = Grammar { limits: WorkLimits { steps, ..LIMITS }, ..grammar.clone() };
        validator_message(&grammar, input.as_bytes()) == "valid"
    };
    // The run ends within `high` steps, and not within `low`.
    let (mut low, mut high) = (0_u64, 1 << 18);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if ends_at(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    assert!(high > 500, "{high} steps");
    assert_eq!([high - 2, high - 1, high].map(ends_at), [false, false, true]);
}
