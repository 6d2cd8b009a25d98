//! Runs of `grammar` on real grammars and inputs, so that the messages are real.

use std::path::{Path, PathBuf};

use juror::ops::grammar::{CheckedInputs, GrammarBounds, InputReport};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, StampedEvent};
use juror_grammar::bounds::{Coverage, bounds};
use juror_grammar::compile::parse_grammar;
use juror_grammar::generate::generate;
use juror_grammar::program::Grammar;
use juror_grammar::shape::RANDOM;
use juror_grammar::validate::{Error, validate};
use juror_grammar::value_bounds::ValueBounds;

use super::record::{Recording, started_event, with_end};

const ROW: &str = "\
# A row of numbers.
INT(2, 100, n) NEWLINE
REPI(i, n, SPACE) INT(1, 200, a[i]) END NEWLINE
ASSERT(a[0] <= a[n-1])
FLOATP(0, 1, 2, 4, p) NEWLINE
REGEX(\"[a-z]+\", word) NEWLINE
";

const INPUTS: [&str; 14] = [
    "2\n1 2\n0.50\nabc\n",
    "101\n",
    "2\n1  2\n",
    "2\n1 201\n",
    "2\n1 007\n",
    "2\n1 2 3\n",
    "2\n1 x\n",
    "2\n2 1\n0.50\nabc\n",
    "2\n1 2\n0.5\nabc\n",
    "2\n1 2\n1.50\nabc\n",
    "2\n1 2\n0.50\n7\n",
    "2\n1 2\n0.50\nabc\nmore\n",
    "2\r\n1 2\r\n",
    "",
];

const BROKEN: &str = "\
INT(2 100, n)
REP(n, SPACE INT(1, 200) END
INTT(1, 2)
REGEX(\"(\")
SET(x == 1)
ASSERT(m = 1)
STRING(\"open)
IF(MATCH(\"a\")) SPACE
";

fn read_grammar(text: &str) -> Grammar {
    let reading = parse_grammar(Path::new("g.ctd"), text.as_bytes());
    reading.grammar.expect("a grammar without faults")
}

/// `grammar check` of a valid input and of many invalid ones.
pub(super) fn checked_inputs() -> Recording<CheckedInputs> {
    let grammar = read_grammar(ROW);
    let mut events = vec![started_event("grammar check", "g.ctd *.in")];
    let mut inputs = Vec::new();
    for (number, input) in INPUTS.into_iter().enumerate() {
        let path = PathBuf::from(format!("{number}.in"));
        let refusal = validate(&grammar, input.as_bytes(), &path).err();
        events.extend(refusal.as_ref().map(|refusal| match refusal {
            Error::Input(diagnostic) => Event::Diagnosed(diagnostic.clone()),
            Error::Grammar(_) | Error::Interrupted => panic!("the grammar is right"),
        }));
        inputs.push(InputReport { path, valid: refusal.is_none() });
    }
    Recording { events: with_end(events, 3), result: CheckedInputs { inputs } }
}

pub(super) fn broken_grammar() -> Vec<StampedEvent> {
    let mut events = vec![started_event("grammar check", "g.ctd 1.in")];
    let reading = parse_grammar(Path::new("g.ctd"), BROKEN.as_bytes());
    events.extend(reading.diagnostics.into_iter().map(Event::Diagnosed));
    with_end(events, 1)
}

/// Grammars that have no input.
pub(super) fn unsatisfied_grammars() -> Vec<StampedEvent> {
    let mut events = vec![started_event("grammar generate", "g.ctd")];
    for text in [
        "INT(1, 9, n)\nNEWLINE\nASSERT(n > 20)\n",
        "INT(1, 9, n)\nINT(n + 1, n)\n",
        "REPI(i, 5, SPACE)\n  INT(1, 3, a[i])\nEND\nASSERT(UNIQUE(a))\n",
        "REGEX(\"[a-z]+\")\nSTRING(\"x\")\n",
    ] {
        let diagnostic: Diagnostic =
            generate(&read_grammar(text), &RANDOM, 1).expect_err("it cannot be satisfied");
        events.push(Event::Diagnosed(diagnostic));
    }
    with_end(events, 1)
}

/// `grammar bounds`, with inputs and without.
pub(super) fn listed_bounds() -> Recording<GrammarBounds> {
    let grammar = read_grammar(ROW);
    let mut coverage = Coverage::new(&grammar);
    let input = INPUTS[0].as_bytes();
    coverage.add(&grammar, input, Path::new("0.in")).expect("it is valid");
    record_bounds("g.ctd 0.in", bounds(&grammar, Some(&coverage)))
}

/// `grammar bounds` of a grammar whose bounds depend on each other.
pub(super) fn dependent_bounds() -> Recording<GrammarBounds> {
    let grammar = read_grammar(
        "INT(1, 10^20, n) SET(k = k0 + 1) INT(n / 2, 2*n, m) INT(0, k) FLOAT(-0.5, m, x)",
    );
    record_bounds("g.ctd", bounds(&grammar, None))
}

fn record_bounds(arguments: &str, bounds: Vec<ValueBounds>) -> Recording<GrammarBounds> {
    let events = with_end(vec![started_event("grammar bounds", arguments)], 1);
    Recording { events, result: GrammarBounds { bounds } }
}
