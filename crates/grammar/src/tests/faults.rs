//! The diagnostics for a grammar that cannot be used, or that is doubtful.

use std::path::Path;

use crate::compile::parse_grammar;
use juror_core::diagnostic::Diagnostic;

/// Each expected line is `line:column: message`; `warning ` comes before it for a warning.
fn check(text: &str, remarks: &[&str]) {
    let reading = parse_grammar(Path::new("g.ctd"), text.as_bytes());
    let describe = |diagnostic: &Diagnostic| {
        let spot = diagnostic.place.spot.as_ref().expect("a spot");
        let severity = if diagnostic.is_error() { "" } else { "warning " };
        assert!(diagnostic.help.is_some(), "{diagnostic}: a way out");
        format!("{severity}{}:{}: {}", spot.line, spot.column, diagnostic.message)
    };
    let found: Vec<String> = reading.diagnostics.iter().map(describe).collect();
    assert_eq!(found, remarks, "{text}");
    let broken = reading.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(reading.grammar.is_none(), broken);
}

#[test]
fn words_must_be_known() {
    check("INTT(1,2)", &["1:1: there is no command `INTT`"]);
    check("MATCH(\"a\")", &["1:1: `MATCH` is not a command"]);
    check("int(1,2)", &["1:1: expected a command, found the variable `int`"]);
    check("Int(1,2)", &["1:1: `Int` is neither a command nor a variable"]);
    check(
        "INT(1,my_var)",
        &[
            "1:7: `my_var` is neither a command nor a variable",
            "warning 1:7: the variable `my_var` never gets a value",
        ],
    );
    check("INT(1,2) ; SPACE", &["1:10: `;` means nothing here"]);
    // Other faults may come from it.
    check("INT(1,{{maxn}}) ; SPACE", &["1:7: `{{maxn}}` is not a constant of the problem"]);
    check(
        "INT(1,{{}})",
        &[
            "1:7: `{` means nothing here",
            "1:8: `{` means nothing here",
            "1:9: `}` means nothing here",
            "1:10: `}` means nothing here",
            "1:11: expected a value, found `)`",
        ],
    );
    check("INT(1,é)", &["1:7: `é` means nothing here", "1:8: expected a value, found `)`"]);
}

#[test]
fn commands_have_a_form() {
    check("INT(1 2)", &["1:7: expected `,`, found the integer `2`"]);
    check("INT(1,2", &["1:8: expected `)`, found the end of the grammar"]);
    check("INT 1", &["1:5: expected `(`, found the integer `1`"]);
    check("INT(1,2,3)", &["1:9: expected a variable, found the integer `3`"]);
    check("FLOAT(1,2,x,EXACT)", &["1:13: expected `FIXED` or `SCIENTIFIC`, found `EXACT`"]);
    check("FLOAT(1,2,FIXED)", &["1:11: expected a variable, found `FIXED`"]);
    check("SET(a==1)", &["1:6: expected `=`, found `==`"]);
    check("ASSERT(1=1)", &["1:9: expected a comparison, found `=`"]);
    check("ASSERT(1)", &["1:9: expected a comparison, found `)`"]);
    check("UNSET(a[1])", &["1:8: expected a variable without index, found `[`"]);
    check("INT(1,(2+3)", &["1:12: expected `)`, found the end of the grammar"]);
    check("INT(1,2+)", &["1:9: expected a value, found `)`"]);
    check("ASSERT((1 < 2)", &["1:15: expected `)`, found the end of the grammar"]);
    check("ASSERT((1 + ) < 2)", &["1:13: expected a value, found `)`"]);
    check("ASSERT(MATCH(1))", &["1:14: MATCH of an integer, which is not a string"]);
    check("STRING(1)", &["1:8: STRING of an integer, which is not a string"]);
    check("REGEX(\"(\")", &["1:7: this is not a regular expression: unclosed group"]);
    check(
        "INT(1,10^10^10)",
        &["1:7: 10 ^ 10000000000 is too large: its result may have up to 4194304 bits"],
    );
    check("INT(1,1/0)", &["1:7: 1 is divided by zero"]);
    check("INT(0,1e9)", &["1:7: this bound is a float, but an integer is needed"]);
    check("REP(-1) END", &["1:5: -1 is not a number of iterations"]);
    check("INT(1,007)", &["1:7: an integer has no leading zero"]);
    check(
        "STRING(\"a",
        &["1:8: this string is not closed", "1:10: expected `)`, found the end of the grammar"],
    );
    check(
        "STRING(\"a\nb",
        &["1:8: this string is not closed", "2:1: expected `)`, found the variable `b`"],
    );
    check("FLOAT(0,1e1000001)", &["1:9: the exponent is beyond 1000000"]);
    check("STRING(\"\\400\")", &["1:9: there is no such byte"]);
}

#[test]
fn blocks_must_end() {
    check("REP(3) SPACE", &["1:1: this REP has no END: found the end of the grammar instead"]);
    check("SPACE END", &["1:7: `END` belongs to no block"]);
    check("ELSE SPACE", &["1:1: `ELSE` belongs to no block"]);
    check(
        "IF(1==1) ELSE ELSE END",
        &[
            "1:1: this IF has no END: found `ELSE` instead",
            "1:15: `ELSE` belongs to no block",
            "1:20: `END` belongs to no block",
        ],
    );
    let row = format!("ASSERT({}1 == 1)", "1 == 1 && ".repeat(2_001));
    check(&row, &["1:20008: an expression with more than 2000 operands in a row"]);
    check(&"REP(1) ".repeat(200), &["1:698: nested more than 100 deep"]);
    check(&format!("INT(1,{}1)", "(".repeat(5000)), &["1:106: nested more than 100 deep"]);
}

#[test]
fn all_faults_are_reported_at_once() {
    check(
        "INT(1 2)\nREP(n SPACE)\n  INTT(3,4)\n  INT(0,9)\nEND\nSET(a=)\n",
        &[
            "1:7: expected `,`, found the integer `2`",
            "2:7: expected `)`, found `SPACE`",
            "3:3: there is no command `INTT`",
            "6:7: expected a value, found `)`",
        ],
    );
}

#[test]
fn doubts_are_warnings() {
    check("INT(5,3)", &["warning 1:1: no value is from 5 to 3"]);
    check(
        "INT(1,9,count) REP(coumt) END",
        &["warning 1:20: the variable `coumt` never gets a value"],
    );
    check("INT(1,9,n) REPI(i,n) INT(0,i) END", &[]);
    check("# nothing but a comment", &[]);
}
