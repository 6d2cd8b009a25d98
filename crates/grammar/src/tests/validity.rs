//! Which inputs are valid, and the messages for all others.

use std::path::Path;

use super::grammar;
use crate::validate::{Error, accepts_file, validate};

/// `outcome` is empty for a valid input. Otherwise it is `line:column: message`, or `grammar line: message`.
fn check(text: &str, input: &str, outcome: &str) {
    check_bytes(text, input.as_bytes(), outcome);
}

fn check_bytes(text: &str, input: &[u8], outcome: &str) {
    let describe =
        |diagnostic: juror_core::diagnostic::Diagnostic, of: &str| match diagnostic.place.spot {
            Some(spot) => format!("{of}{}:{}: {}", spot.line, spot.column, diagnostic.message),
            None => diagnostic.message,
        };
    let result = match validate(&grammar(text), input, Path::new("1.in")) {
        Ok(()) => String::new(),
        Err(Error::Input(diagnostic)) => describe(diagnostic, ""),
        Err(Error::Grammar(faults)) => describe(faults[0].clone(), "grammar "),
        Err(Error::Interrupted) => "interrupted".to_owned(),
    };
    let shown = String::from_utf8_lossy(input);
    assert_eq!(result, outcome, "{text} on {shown:?}");
    // A window that moves through the input gives the same result, wherever it ends.
    let text = format!("REP(127) STRING(\"x\") END {text}");
    let input = [&b"x".repeat(127), input].concat();
    let accepted = matches!(accepts_file(&grammar(&text), &*input, 64), Ok(true));
    assert_eq!(accepted, result.is_empty(), "{text} on {shown:?}, in windows");
}

#[test]
fn words_may_be_longer_than_a_window() {
    let check = |grammar: &str, input: &str| check(grammar, input, "");
    let long = "1234567890".repeat(100);
    check("INT(0,10^1000,n) NEWLINE INT(n,n)", &format!("{long}\n{long}"));
    check("FLOAT(0,10^1000) NEWLINE", &format!("{long}.{long}\n"));
    check("FLOAT(0,1) EOF", &format!("0.{}1e-5", "0".repeat(1000)));
    check("REGEX(\"[0-9]+\") NEWLINE", &format!("{long}\n"));
    check(&format!("STRING(\"{long}\") NEWLINE"), &format!("{long}\n"));
    check("WHILE(!ISEOF) REGEX(\"[0-9]{1,7}\") IF(MATCH(\"\n\")) NEWLINE END END", &long);
    let numbers: String = (0..1000).map(|number| format!("{number} ")).collect();
    check("REPI(i,1000) INT(i,i) SPACE END", &numbers);
}

#[test]
fn integers_are_plain_digits_within_their_bounds() {
    let g = "INT(-5,100,n) NEWLINE";
    check(g, "7\n", "");
    check(g, "-5\n", "");
    check(g, "100\n", "");
    check(g, "0\n", "");
    check(g, "101\n", "1:1: expected an integer from -5 to 100 for `n`, got `101`");
    check(g, "-6\n", "1:1: expected an integer from -5 to 100 for `n`, got `-6`");
    check(g, "07\n", "1:2: expected a line end, got `7`: a number has no leading zero");
    check(g, "-0\n", "1:1: expected an integer from -5 to 100 for `n`, got `-0`");
    check(g, "+7\n", "1:1: expected an integer from -5 to 100 for `n`, got `+7`");
    check(g, "7.0\n", "1:2: expected a line end after `7`, got `.0`");
    check(g, "7", "1:2: expected a line end after `7`, got the end of the file");
    check(g, "7 \n", "1:2: expected a line end after `7`, got a blank");
    check(g, "7\r\n", "1:2: expected a line end after `7`, got a carriage return");
    check(g, " 7\n", "1:1: expected an integer from -5 to 100 for `n`, got a blank");
    check(g, "\n", "1:1: expected an integer from -5 to 100 for `n`, got a line end");
    check(g, "", "1:1: expected an integer from -5 to 100 for `n`, got the end of the file");
    check(g, "7\n\n", "2:1: expected the end of the file, got a line end");
    check(g, "x\n", "1:1: expected an integer from -5 to 100 for `n`, got `x`");
    check_bytes(g, b"\xff\n", "1:1: expected an integer from -5 to 100 for `n`, got `\\xff`");
    check("INT(0,0) INT(5,5)", "05", "");
}

#[test]
fn integers_have_any_size() {
    let g = "INT(-10^30, 10^30) NEWLINE";
    check(g, "1000000000000000000000000000000\n", "");
    check(g, "-1000000000000000000000000000000\n", "");
    let shown = "expected an integer from -1000000000000000000000000000000 to 1000000000000000000000000000000";
    check(
        g,
        "1000000000000000000000000000001\n",
        &format!("1:1: {shown}, got `1000000000000000000000000000001`"),
    );
    let digits = "9".repeat(100_000);
    check(g, &format!("{digits}\n"), &format!("1:1: {shown}, got `{}…`", "9".repeat(40)));
    for digits in
        ["999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808"]
    {
        check("INT(0, 10^40) NEWLINE", &format!("{digits}\n"), "");
        check("INT(-10^40, 0) NEWLINE", &format!("-{digits}\n"), "");
        check(&format!("INT({digits}, {digits}) NEWLINE"), &format!("{digits}\n"), "");
    }
    check("INT(0,10^40,a) SPACE INT(a+1,a+1)", "9223372036854775807 9223372036854775808", "");
    check(
        "INT(0,10^40,a) SPACE INT(a*a,a*a)",
        "9223372036854775807 85070591730234615847396907784232501249",
        "",
    );
}

#[test]
fn floats_are_compared_exactly() {
    let g = "FLOAT(0.1, 1, x) NEWLINE";
    for valid in ["0.1", "1", "1.0", "0.10000000000000000000000000000001", "1e0", "10E-1", "0.1e+0"]
    {
        check(g, &format!("{valid}\n"), "");
    }
    for invalid in [
        "0.09999999999999999999999999999",
        "1.00000000000000000001",
        "1.1",
        "0",
        "-0.5",
        "1e1",
        "1e-2",
    ] {
        check(
            g,
            &format!("{invalid}\n"),
            &format!("1:1: expected a float from 0.1 to 1.0 for `x`, got `{invalid}`"),
        );
    }
    check(g, ".5\n", "1:1: expected a float from 0.1 to 1.0 for `x`, got `.5`");
    check(g, "1.\n", "1:2: expected a line end after `1`, got `.`");
    check(g, "1e\n", "1:2: expected a line end after `1`, got `e`");
    check(g, "+1\n", "1:1: expected a float from 0.1 to 1.0 for `x`, got `+1`");
    check(g, "nan\n", "1:1: expected a float from 0.1 to 1.0 for `x`, got `nan`");
    check("FLOAT(1/3.0, 1)", "0.33333", "1:1: expected a float from 1/3 to 1.0, got `0.33333`");
    check("FLOAT(1/3.0, 1)", "0.33334", "");
    check("FLOAT(-0.5, -0.25)", "-0.5", "");
    check("FLOAT(0,1)", "1e-99999", "");
    check("FLOAT(0,1)", "1e-9999999", "1:1: expected a float from 0.0 to 1.0, got `1e-9999999`");
    check("FLOAT(0, 1e10000) NEWLINE", "1e10000\n", "");
    let large = "1:1: expected a float from 1.0 to about 1e1000000, got `1.1e1000000`";
    check("FLOAT(1, 1e1000000)", "1.1e1000000", large);
    check("FLOAT(2.5e-1000000, 1)", "0.025e-999998", "");
    check("FLOAT(2., 1e+1)", "2.0", "");
    check("FLOAT(0,10,x) SPACE FLOAT(x,x)", "0.5 5e-1", "");
}

#[test]
fn a_float_has_no_superfluous_leading_zero() {
    let message = |expected: &str, got: &str| {
        format!(
            "1:1: expected a float {expected}, got `{got}`, which has a superfluous leading zero"
        )
    };
    for text in ["00", "01.0", "-01.0", "00e1", "00.50", "000"] {
        check("FLOAT(-10,200000)", text, &message("from -10.0 to 200000.0", text));
    }
    // In an exponent, C's `%e` writes at least two digits.
    for text in ["0", "-0", "0.0", "0.50", "0e0", "1e5", "1e-5", "1E+05", "1.25e+01", "10e00"] {
        check("FLOAT(-10,200000)", text, "");
    }
    let fixed = "from 0.0 to 10.0 with 2 decimals";
    check("FLOATP(0,10,2,2)", "01.50", &message(fixed, "01.50"));
    check("FLOATP(0,10,2,2)", "00.50", &message(fixed, "00.50"));
    check("FLOATP(0,10,2,2)", "0.50", "");
    check(
        "FLOAT(0,10,x,FIXED)",
        "01.5",
        &message("from 0.0 to 10.0 in fixed notation for `x`", "01.5"),
    );
}

#[test]
fn float_notation_and_decimals_are_checked() {
    check("FLOAT(0,10,x,FIXED)", "1.5", "");
    check(
        "FLOAT(0,10,x,FIXED)",
        "1e0",
        "1:1: expected a float from 0.0 to 10.0 in fixed notation for `x`, got `1e0`, which has an exponent",
    );
    check("FLOAT(0,10,x,SCIENTIFIC)", "1e0", "");
    check(
        "FLOAT(0,10,x,SCIENTIFIC)",
        "1",
        "1:1: expected a float from 0.0 to 10.0 in scientific notation for `x`, got `1`, which has no exponent",
    );
    check("FLOATP(0,10,1,2)", "1.5", "");
    check("FLOATP(0,10,1,2)", "1.55", "");
    check(
        "FLOATP(0,10,1,2)",
        "1",
        "1:1: expected a float from 0.0 to 10.0 with 1 to 2 decimals, got `1`, which has 0 decimals",
    );
    check(
        "FLOATP(0,10,1,2)",
        "1.555",
        "1:1: expected a float from 0.0 to 10.0 with 1 to 2 decimals, got `1.555`, which has 3 decimals",
    );
    check("FLOATP(0,100,1,2)", "1.5e1", "");
    check(
        "FLOATP(0,100,1,2)",
        "15.0e0",
        "1:1: expected a float from 0.0 to 100.0 with 1 to 2 decimals, got `15.0e0`, which must have one digit from 1 to 9 before its point",
    );
    check(
        "FLOATP(0,100,1,2)",
        "0.5e1",
        "1:1: expected a float from 0.0 to 100.0 with 1 to 2 decimals, got `0.5e1`, which must have one digit from 1 to 9 before its point",
    );
}

#[test]
fn text_matches_exactly() {
    check("STRING(\"YES\") NEWLINE", "YES\n", "");
    check("STRING(\"YES\") NEWLINE", "NO\n", "1:1: expected \"YES\", got `NO`");
    check("STRING(\"a\\tb\\\"\\\\\\101\\x\")", "a\tb\"\\A\\x", "");
    check("STRING(\"a\\\nb\")", "ab", "");
    check("REGEX(\"[a-z]+\", s) SPACE STRING(s)", "abc abc", "");
    check("REGEX(\"[a-z]+\", s) SPACE STRING(s)", "abc abd", "1:5: expected \"abc\", got `abd`");
    check("REGEX(\"[a-z]+\", s)", "1", "1:1: expected what matches \"[a-z]+\" for `s`, got `1`");
    check(
        "REGEX(\"[a-z]+\", s) ASSERT(STRLEN(s) <= 3)",
        "abcd",
        "1:1: `STRLEN(s) <= 3` does not hold: s = \"abcd\"",
    );
    check("REGEX(\"a|ab\") NEWLINE", "ab\n", "");
    check("REGEX(\".*\") NEWLINE REGEX(\"[^a]*\")", "a\nb\n", "");
    check("STRING(\"a\nb\") NEWLINE", "a\nb\n", "");
    check("STRING(\"a\n\")\nNEWLINE", "a\n\n", "");
    check("STRING(\"a#b\") # a comment \"\nNEWLINE", "a#b\n", "");
    check("SET(p=\"[0-9]\") REGEX(p)", "7", "");
    check("INT(0,9,a) SPACE STRING(\"x\")", "1 y", "1:3: expected \"x\", got `y`");
}

#[test]
fn arithmetic_is_exact() {
    let holds = |test: &str| check(&format!("ASSERT({test})"), "", "");
    for test in [
        "1+2*3 == 7",
        "(1+2)*3 == 9",
        "7/2 == 3",
        "-7/2 == -3",
        "7%3 == 1",
        "-7%3 == -1",
        "2^3^2 == 512",
        "-2^2 == -4",
        "2^-0 == 1",
        "1.0/3*3 == 1",
        "7.0/2 == 3.5",
        "1 == 1.0",
        "0.1+0.2 == 0.3",
        "2-3-4 == -5",
        "\"a\" < \"b\"",
        "\"a\" < \"aa\"",
        "STRLEN(\"a\\n\") == 2",
        "1 < 2 && 2 < 3 || 1 > 2",
        "!(1 > 2)",
        "!1 > 2",
        "((1)) < (2)",
        "(1 < 2) && ((2 < 3) || (1+1) < 1)",
        "10^30 / 10^29 == 10",
        "2^100 % 7 == 2",
        "1.5^2 == 2.25",
        "1e3 == 1000",
        "1 != 2",
        "2 >= 2",
        "2 <= 2",
    ] {
        holds(test);
    }
    check("SET(a=1,b=a+1) ASSERT(b==2)", "", "");
    check("SET(a=0) ASSERT(1/a==1)", "", "grammar 1:17: 1 is divided by zero");
    check("SET(a=0) ASSERT(1%a==1)", "", "grammar 1:17: the remainder of 1 by zero");
    check(
        "SET(a=-1) ASSERT(2^a==1)",
        "",
        "grammar 1:18: the exponent -1 is not from 0 to 2^64 - 1",
    );
    check(
        "SET(a=10^10) ASSERT(2^a==1)",
        "",
        "grammar 1:21: 2 ^ 10000000000 is too large: its result may have up to 4194304 bits",
    );
    let too_large = |set: &str, shown: &str| {
        let grammar = format!("SET(a=2^4194303,{set})");
        let message = format!("{shown} is too large: its result may have up to 4194304 bits");
        check(&grammar, "", &format!("grammar 1:19: {message}"));
    };
    let large = "about 1.033e1262611";
    too_large("b=a+a", &format!("{large} + {large}"));
    too_large("b=-a-a", &format!("about -1.033e1262611 - {large}"));
    too_large("b=a*2", &format!("{large} * 2"));
    too_large("b=a/0.5", &format!("{large} / 0.5"));
    too_large("b=1.0*a*3", &format!("{large} * 3"));
    // Computing the common divisor of numbers this large would take minutes.
    let too_much = "grammar 1:1: the grammar has more steps than its time allows on 1.in";
    check("SET(a=2^4194303-2.5,b=a/(a-1))", "", too_much);
    check("SET(a=2^4194303-2.5,b=a+1/a)", "", too_much);
    check(
        "SET(a=\"x\") ASSERT(a+1==1)",
        "",
        "grammar 1:19: \"x\" is a string, which cannot be used in arithmetic",
    );
    check(
        "SET(a=\"x\") ASSERT(a==1)",
        "",
        "grammar 1:19: \"x\" is a string, 1 is an integer: they cannot be compared",
    );
    check(
        "SET(a=1.5) INT(0,a)",
        "1",
        "grammar 1:18: an integer is needed here, and this is a float: 1.5",
    );
}

#[test]
fn variables_have_the_values_read() {
    let g = "INT(1,9,n) NEWLINE REPI(i,n,SPACE) INT(0,9,a[i]) END NEWLINE ASSERT(a[0]<=a[n-1])";
    check(g, "3\n1 2 3\n", "");
    check(g, "3\n3 2 1\n", "2:5: `a[0]<=a[n-1]` does not hold: a[0] = 3, a[n-1] = 1, n = 3");
    check(g, "3\n3 2\n", "2:4: expected a blank after `2`, got a line end");
    check(
        "INT(0,9,a) ASSERT(b==a) IF(1==2) SET(b=1) END",
        "1",
        "grammar 1:19: the variable `b` has no value here",
    );
    check("SET(a[1,2]=5, a[2]=6, a=7) ASSERT(a[1,2]==5 && a[2]==6 && a==7)", "", "");
    check("SET(a[10^30]=5) ASSERT(a[10^30]==5)", "", "");
    check("SET(a[-1]=5) ASSERT(a[-1]==5)", "", "");
    check("SET(a[1000000000]=5) ASSERT(a[1000000000]==5)", "", "");
    check(
        "SET(a[1]=5) UNSET(a) SET(b=a[1])",
        "",
        "grammar 1:28: the variable `a[1]` has no value here",
    );
}

#[test]
fn loops_have_the_given_number_of_iterations() {
    check("REP(3) STRING(\"x\") END", "xxx", "");
    check("REP(3, SPACE) STRING(\"x\") END", "x x x", "");
    check(
        "REP(3, SPACE) STRING(\"x\") END",
        "x x",
        "1:4: expected a blank, got the end of the file",
    );
    check("REP(0, SPACE) STRING(\"x\") END", "", "");
    check("REPI(i,4) END ASSERT(i==4)", "", "");
    check("REPI(i,3,SPACE) INT(i,i) END", "0 1 2", "");
    check("WHILE(!ISEOF) INT(0,9) NEWLINE END", "1\n2\n", "");
    check("WHILE(!ISEOF) INT(0,9) NEWLINE END", "", "");
    check("WHILE(MATCH(\"0123456789\"), NEWLINE) INT(0,9) END", "", "");
    check("WHILE(!MATCH(\"\\n\"), SPACE) INT(0,9) END NEWLINE", "1 2 3\n", "");
    check("WHILEI(i, i < 3, SPACE) INT(0,9) END ASSERT(i==3)", "1 2 3", "");
    check("SET(n=-1) REP(n) END", "", "grammar 1:15: -1 is not a number of iterations");
    check(
        "SET(n=4294967296) REP(n) END",
        "",
        "grammar 1:23: 4294967296 is not a number of iterations",
    );
    check(
        "WHILE(1==1) SET(a=1) END",
        "",
        "grammar 1:1: this loop has run 1000000 times without reading anything",
    );
    check("REP(2, IF(MATCH(\",\")) STRING(\",\") ELSE SPACE END) INT(0,9) END", "1,2", "");
}

#[test]
fn branches_follow_the_next_bytes() {
    let g = "IF(MATCH(\"-\")) STRING(\"-\") ELSE IF(ISEOF) ELSE INT(0,9) END END";
    check(g, "-", "");
    check(g, "5", "");
    check(g, "", "");
    check(g, "--", "1:2: expected the end of the file, got `-`");
    check("IF(1==1) STRING(\"a\") END STRING(\"b\")", "ab", "");
    check("EOF", "", "");
    check("EOF", "x", "1:1: expected the end of the file, got `x`");
}

#[test]
fn unique_and_inarray_search_arrays() {
    let g = "REPI(i,3,SPACE) INT(0,9,a[i]) END ASSERT(UNIQUE(a))";
    check(g, "1 2 3", "");
    check(g, "1 2 1", "1:5: `UNIQUE(a)` does not hold: `a` has 3 values, 1 more than once");
    let g = "REPI(i,2,NEWLINE) INT(0,9,x[i]) SPACE INT(0,9,y[i]) END ASSERT(UNIQUE(x,y))";
    check(g, "1 2\n2 1", "");
    check(g, "1 2\n1 3", "");
    check(g, "1 2\n1 2", "2:3: `UNIQUE(x,y)` does not hold: `x` has 2 values, `y` has 2 values");
    check("SET(x[0]=1,x[1]=2,y[0]=1) ASSERT(!UNIQUE(x,y))", "", "");
    let g = "REPI(i,3) INT(0,9,x[i]) SPACE END INT(0,9,y[0]) ASSERT(UNIQUE(x,y))";
    check(
        g,
        "1 2 3 4",
        "1:7: `UNIQUE(x,y)` does not hold: `x` has 3 values, `y` has 1 value, `x[1]` has a value, `y[1]` has none",
    );
    check("SET(x[0]=1,x[1]=1.0) ASSERT(!UNIQUE(x))", "", "");
    check(
        "SET(x[0]=1,x[1]=2) ASSERT(INARRAY(2,x) && !INARRAY(3,x) && INARRAY(1.0,x) && !INARRAY(\"1\",x))",
        "",
        "",
    );
    check(
        "REP(2) REPI(i,2) INT(0,9,a[i]) SPACE END ASSERT(UNIQUE(a)) UNSET(a) END",
        "1 2 1 2 ",
        "",
    );
}

#[test]
fn a_line_that_is_too_long_is_not_shown() {
    let grammar = grammar("WHILE(!ISEOF) STRING(\"x\") END");
    let text = [&b"xx\n"[..], &b"x".repeat(1 << 20)].concat();
    let Err(Error::Input(diagnostic)) = validate(&grammar, &text.repeat(2)[3..], Path::new("1.in"))
    else {
        panic!("it is invalid");
    };
    assert_eq!(diagnostic.place.spot, None);
    assert!(diagnostic.message.starts_with("line 1, column 1048579: "), "{}", diagnostic.message);
}
