//! A grammar, and behind a zero byte an input: all that juror writes by a grammar, the grammar accepts.
#![no_main]

use std::cell::Cell;
use std::path::Path;

use juror_grammar::chance::Chance;
use juror_grammar::compile::parse_grammar;
use juror_grammar::generate::generate_until;
use juror_grammar::program::Grammar;
use juror_grammar::shape::applicable;
use juror_grammar::tree;
use juror_grammar::validate::{Error, accepts, validate};
use juror_grammar::vary::vary;
use juror_grammar::work::WorkLimits;
use libfuzzer_sys::fuzz_target;

const LONGEST: usize = 1 << 12;

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (text, input) = (&data[..end], data.get(end + 1..).unwrap_or_default());
    let Some(mut grammar) = parse_grammar(Path::new("grammar.ctd"), text).grammar else { return };
    grammar.limits = WorkLimits { steps: 100_000, bytes: 1 << 20 };
    check(&grammar, input);
    let shapes = applicable(&grammar);
    let shape = &shapes[data.len() % shapes.len()];
    let looks = Cell::new(0);
    let is_over = || looks.replace(looks.get() + 1) > 100;
    if let Ok(written) = generate_until(&grammar, shape, &[], 1, Some(LONGEST), &is_over) {
        assert!(written.len() <= LONGEST);
        let read = validate(&grammar, &written, Path::new("written"));
        assert!(matches!(read, Ok(()) | Err(Error::Grammar(_))), "{read:?}");
        check(&grammar, &written);
    }
});

fn check(grammar: &Grammar, input: &[u8]) {
    let path = Path::new("input");
    let is_valid = validate(grammar, input, path).is_ok();
    assert_eq!(accepts(grammar, input), is_valid);
    let tree = tree::parse(grammar, input, path);
    assert_eq!(tree.is_ok(), is_valid);
    let Ok(tree) = tree else { return };
    if let Some(varied) = vary(grammar, &tree, &mut Chance::new(1, "fuzz")) {
        assert!(accepts(grammar, &varied));
    }
}
