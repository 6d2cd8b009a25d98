//! Tests of how a line is read, with maps and defaults.

use proptest::prelude::*;

use super::*;

fn settings(map: &str, defaults: &str) -> LineSettings {
    LineSettings {
        map: (!map.is_empty()).then(|| LineMap::parse(map).expect("a map")),
        defaults: LineSettings::parse_defaults(if defaults.is_empty() { "{}" } else { defaults })
            .expect("defaults"),
        ..LineSettings::default()
    }
}

fn parse_line(settings: &LineSettings, text: &[u8]) -> ParsedLine {
    settings.parse_line(text, |_| Ok(None))
}

fn parse(settings: &LineSettings, text: &str) -> Result<StreamLine, LineFault> {
    parse_line(settings, text.as_bytes()).line.map(|read| read.line)
}

/// Whether lines of data sets that ask for something else are refused with the key: `None` if they are judged.
#[test]
fn lines_that_ask_for_something_else_are_not_judged() {
    let settings = settings(
        r#"{"source": "/code", "package": "/dir", "compare": "/compare", "cases": [
            {"input": "/io/inputs", "answer": "/io/outputs"},
            {"each": "/tests", "input": "/input", "answer": "/output"}]}"#,
        "",
    );
    let io = r#""code": "x", "io": "{\"inputs\": [\"{\\\"fn_name\\\": 1}\"], \"outputs\": [\"1\"]"#;
    let check = |more: &str, expected: Option<&str>| {
        let line = if more.starts_with(',') {
            format!("{{{io}{more}}}\"}}")
        } else {
            format!("{{{io}}}\"{}{more}}}", if more.is_empty() { "" } else { ", " })
        };
        let found = parse(&settings, &line).map_err(|fault| fault.message);
        let start = found.as_ref().err().and_then(|message| message.split(',').next());
        assert_eq!(
            start.map(|start| start.split(": ").next().unwrap_or(start)),
            expected,
            "{line}"
        );
    };
    check("", None);
    check(r#", \"fn_name\": \"f\""#, Some("`/io/fn_name` asks for a function"));
    check(r#", \"fn_name\": null"#, None);
    let keys = ["fn_name", "func_name", "function_name", "entry_point", "test_entry_point"];
    for key in keys.into_iter().chain(["starter_code"]) {
        check(&format!(r#""{key}": "f""#), Some(&format!("`/{key}` asks for a function")));
        check(&format!(r#""{key}": " \n""#), None);
        check(&format!(r#""{key}": null"#), None);
    }
    let metadata = r#""metadata": {"func_name": "f"}"#;
    check(metadata, Some("`/metadata/func_name` asks for a function"));
    let metadata = r#""metadata": "{\"func_name\": \"f\"}""#;
    check(metadata, Some("`/metadata/func_name` asks for a function"));
    let tests = |more: &str| {
        format!(r#""tests": [{{"input": "{{\"fn_name\": \"f\"}}", "output": "1"{more}}}]"#)
    };
    check(&tests(""), None);
    check(&tests(r#", "testtype": "stdin""#), None);
    let message = "`/tests/0/testtype` asks for a function";
    check(&tests(r#", "testtype": "functional""#), Some(message));
    let message = "`/tests/0/type` asks for a function";
    check(&tests(r#", "type": "function_call""#), Some(message));
    let packed = format!(r#""tests": {:?}"#, r#"[{"input": "1", "output": "1", "fn_name": "f"}]"#);
    check(&packed, Some("`/tests/0/fn_name` asks for a function"));
    check(r#""type": "stdin_stdout", "input_file": "", "output_file": "stdout""#, None);
    check(
        r#""input_file": "a.in""#,
        Some("`/input_file` asks for a program that reads or writes files"),
    );
    check(r#""input_mode": "stdio""#, None);
    check(
        r#""input_mode": "file""#,
        Some("`/input_mode` asks for a program that reads or writes files"),
    );
    check(
        r#""interaction_format": "x""#,
        Some("`/interaction_format` asks for a program that talks with another one"),
    );
    check(r#""generated_checker": {"x": 1}"#, Some("`/generated_checker` asks for a checker"));
    check(r#""generated_checker": "x""#, None);
    check(r#""generated_checker": "x", "compare": "check.py""#, None);
    check(
        r#""generated_checker": "x", "interaction_format": "x""#,
        Some("`/interaction_format` asks for a program that talks with another one"),
    );
    // A key in the line's own form, in a package's line, and beside test cases that no program reads.
    let own = super::LineSettings::default();
    let message = |settings: &LineSettings, line: &str| {
        parse(settings, line).map_err(|fault| fault.message).err().unwrap_or_default()
    };
    let line = r#"{"source": "x", "entry_point": "f"}"#;
    assert!(message(&own, line).starts_with("`/entry_point` asks for a function"));
    let line = r#"{"code": "x", "dir": "sum", "entry_point": "f"}"#;
    assert_eq!(message(&settings, line), "");
    let line = r#"{"code": "x", "fn_name": "f", "io": {"inputs": [[1, 2]], "outputs": 3}}"#;
    assert!(message(&settings, line).starts_with("`/fn_name` asks for a function"));
}

const GOOD: &str = r#"{"id":"a","cases":[{"input":"1","answer":"2"}],"source":"x"}"#;

#[test]
fn a_faulty_line_has_an_error_with_a_pointer() {
    let check = |text: &str, expected: Result<(), (&str, &str)>| {
        let read = parse(&settings("", ""), text).map(|_| ());
        let read = read.map_err(|fault| (fault.message, fault.help.unwrap_or_default()));
        let read = read.as_ref().map_err(|(message, help)| (message.as_str(), help.as_str()));
        assert_eq!(read.copied(), expected, "{text}");
    };
    const SEE: &str = "`juror schema grade` prints the form of a line";
    let good = |old: &str, new: &str| GOOD.replace(old, new);
    check(GOOD, Ok(()));
    check(&format!("\u{feff}{GOOD}"), Ok(()));
    check(&good(r#""a""#, "12345678901234567890"), Ok(()));
    check(&good(r#""a""#, "null"), Ok(()));
    for number in ["18446744073709551616", "1E2", "-0.5"] {
        let what = "`/id`: a number with a fraction, or of more than 64 bits, would lose digits";
        check(&good(r#""a""#, number), Err((what, "write it as a text")));
    }
    check(&good(r#""x""#, r#"{"text":"x","language":"cpp","name":"a.cc"}"#), Ok(()));
    check(
        &good(r#""x""#, r#"{"file":"x.cpp"},"all":true,"return":"cases","limits":{"time":1}"#),
        Ok(()),
    );
    check(&good(r#""x""#, r#""x","limits":{"memory_bytes":256000000.0}"#), Ok(()));
    check(&good(r#""cases":[{"input":"1","answer":"2"}]"#, r#""package":"sum""#), Ok(()));
    let wrong = |old: &str, new: &str, message: &str, help: &str| {
        check(&good(old, new), Err((message, help)));
    };
    let one = "write one JSON object in each line";
    check("nonsense", Err(("is not JSON at column 2: expected ident", one)));
    check(&GOOD[..20], Err(("is not JSON at column 20: EOF while parsing an object", one)));
    check("[]", Err(("invalid type: sequence, expected an object", SEE)));
    check("{}", Err(("missing field `source`", SEE)));
    wrong(r#""a""#, "[]", "`/id`: expected a text or a number, not `[]`", SEE);
    wrong(r#""x""#, "7", "`/source`: invalid type: integer `7`, expected a text or an object", SEE);
    let keys = "`id`, `problem`, `sample`, `package`, `cases`, `limits`, `compare`, `call`, `asserts`, `source`, `extract`, `all`, `return`";
    let unknown = format!("`/sorce`: unknown field `sorce`, expected one of {keys}");
    wrong("source", "sorce", &unknown, "did you mean `source`?");
    let unknown = unknown.replace("sorce", "zzz");
    wrong("source", "zzz", &unknown, SEE);
    let unknown = unknown.replace("zzz", "completion");
    wrong("source", "completion", &unknown, "did you mean `source`?");
    wrong(
        "answer",
        "output",
        "`/cases/0/output`: unknown field `output`, expected `input` or `answer`",
        "did you mean `answer`?",
    );
    let twice = "an object has the key `input` twice, at column 39";
    wrong(r#""answer""#, r#""input""#, twice, "leave out one of them");
    wrong(r#","answer":"2""#, "", "`/cases/0`: missing field `answer`", SEE);
    let number =
        "`/cases/0/answer`: invalid type: integer `2`, expected a text or a list of its lines";
    wrong(r#""2""#, "2", number, SEE);
    wrong(
        r#""x""#,
        r#"{"text":"x","lang/uage":"c"}"#,
        "`/source/lang~1uage`: unknown field `lang/uage`, expected one of `text`, `prompt`, `file`, `language`, `name`",
        "did you mean `language`?",
    );
    wrong(
        r#"{"input":"1","answer":"2"}"#,
        r#"["1","2"]"#,
        "`/cases/0`: invalid type: sequence, expected an object",
        SEE,
    );
    wrong(
        r#""x""#,
        r#""x","limits":[1]"#,
        "`/limits`: invalid type: sequence, expected an object",
        SEE,
    );
    wrong(
        r#""x""#,
        r#"["x"]"#,
        "`/source`: invalid type: sequence, expected a text or an object",
        SEE,
    );
    wrong(
        r#""x""#,
        r#"{"text":true}"#,
        "`/source/text`: invalid type: boolean `true`, expected a text or a list of its lines",
        SEE,
    );
    wrong(
        r#""x""#,
        r#""x","return":"case""#,
        "`/return`: unknown variant `case`, expected one of `verdict`, `cases`, `outputs`, `run`",
        "did you mean `cases`?",
    );
    wrong(r#""x""#, r#""x","all":1"#, "`/all`: invalid type: integer `1`, expected a boolean", SEE);
    wrong(
        r#""x""#,
        r#""x","limits":{"memory_bytes":"1"}"#,
        "`/limits/memory_bytes`: invalid type: string \"1\", expected a number",
        SEE,
    );
    wrong(
        r#""x""#,
        r#""x","limits":{"memory_bytes":1.5}"#,
        "`/limits/memory_bytes`: out of range",
        "it must be from 1 to 1048576 MiB",
    );
    wrong(
        r#""x""#,
        r#""x","limits":{"time":-1}"#,
        "`/limits/time`: out of range",
        "it must be from 0.001 to 86400 seconds",
    );
    wrong(
        r#""x""#,
        r#""x","package":"sum""#,
        "has both `/package` and `/cases`",
        "leave out one of them",
    );
    wrong(
        r#""cases":[{"input":"1","answer":"2"}],"#,
        "",
        "has neither `/package` nor `/cases`",
        "give a package, a list of objects with `input` and `answer`, or the file of `--problems`",
    );
    wrong(r#"{"input":"1","answer":"2"}"#, "", "`/cases` is empty", "give at least one test case");
    wrong(
        r#""x""#,
        r#"{"language":"cpp"}"#,
        "has neither `/source/text` nor `/source/file`",
        "give the source itself, or its file",
    );
}

#[test]
fn a_broken_line_keeps_the_id_that_is_before_the_fault() {
    let check = |map: &str, text: &str, expected: Value| {
        let parsed = parse_line(&settings(map, ""), text.as_bytes());
        assert!(parsed.line.is_err(), "{text}");
        assert_eq!(parsed.echo.id.unwrap_or_default(), expected, "{text}");
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("a value");
    check("", r#"{"id":7,"x":1}"#, json("7"));
    check("", r#"{"id":"a","source":"\ud800"}"#, json("\"a\""));
    check("", r#"{"source":"\ud800","id":"a"}"#, json("\"a\""));
    check("", r#"{"id":"a","source":"cut"#, json("\"a\""));
    check("", r#"{"x":{"id":1},"id":2,"id":3}"#, json("2"));
    check("", r#"{"cut":"id":2}"#, Value::Null);
    check("", r#"{"id":[1],"x"}"#, Value::Null);
    check("", r#"{"id":1.5,"x"}"#, Value::Null);
    check("", r#"["id",2"#, Value::Null);
    let map = r#"{"id":"/na~1me","source":"/s"}"#;
    check(map, r#"{"id":1,"na/me":2,"s":"#, json("2"));
    check(r#"{"source":"/s"}"#, r#"{"id":1,"s":"#, Value::Null);
    check(r#"{"id":"/a/b","source":"/s"}"#, r#"{"a":{"b":1},"s":"#, Value::Null);
}

#[test]
fn what_data_sets_do_not_know_is_missing_and_lists_of_lines_are_texts() {
    let check = |line: &str, same: &str| {
        let defaults = r#"{"limits":{"time":3,"output":0}}"#;
        let parsed = parse(&settings("", defaults), line);
        assert_eq!(parsed, parse(&settings("", ""), same), "{line}");
        assert!(parsed.is_ok(), "{parsed:?}");
    };
    let three = GOOD.replace("}]", r#"}],"limits":{"time":3}"#);
    check(&GOOD.replace("}]", r#"}],"limits":{"time":0,"memory":0.0,"output":null}"#), &three);
    check(&three.replace("3}", "1}"), &three.replace("3}", "1}"));
    let text = |text: &str| three.replace(r#""x""#, &format!(r#"{{"text":{text}}}"#));
    check(&text(r#"["x","y\n",""]"#), &text(r#""x\ny\n\n""#));
    check(&three.replace(r#""1""#, "[]"), &three.replace(r#""1""#, r#""""#));
    check(&three.replace(r#""2""#, r#"["2","3"]"#), &three.replace(r#""2""#, r#""2\n3\n""#));
}

#[test]
fn what_does_not_decide_the_result_is_copied_and_not_compared() {
    let all = LineSettings { copied_keys: vec!["note".into(), "all".into()], ..settings("", "") };
    let more = r#"{"id":9,"problem":"p","sample":3,"note":[1],"all":true,"#;
    let found = parse_line(&all, GOOD.replace(r#"{"id":"a","#, more).as_bytes());
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("a value");
    assert_eq!(found.echo.problem, Some(json("\"p\"")));
    assert_eq!(found.echo.sample, Some(json("3")));
    let copied = found.echo.copied.map(Value::from);
    assert_eq!(copied, Some(json(r#"{"note":[1],"all":true}"#)));
    let content = |line: &str| parse_line(&all, line.as_bytes()).line.expect("a line").digest;
    let with_all = found.line.expect("a line").digest;
    let other = GOOD.replace(r#"{"id""#, r#"{"sample":4,"all":true,"id""#);
    assert_eq!(content(&other), with_all);
    assert_ne!(content(GOOD), with_all);
    assert_ne!(content(&GOOD.replace("x", "y")), content(GOOD));
    let package = parse_line(&all, br#"{"package":"sum","source":"x"}"#);
    assert_eq!(package.echo.problem, Some(json("\"sum\"")));
}

#[test]
fn defaults_fill_missing_keys() {
    let check = |defaults: &str, line: &str, expected: &str| {
        let line = parse(&settings("", defaults), line).expect("a line");
        let expected = parse(&settings("", ""), expected).expect("a line");
        assert_eq!(line, expected);
    };
    let inline = r#""cases":[{"input":"","answer":""}]"#;
    check(
        r#"{"source":{"language":"cpp"},"limits":{"time":2,"memory":64},"package":"p"}"#,
        &format!(r#"{{{inline},"source":"x","limits":{{"time":1}}}}"#),
        &format!(
            r#"{{{inline},"source":{{"text":"x","language":"cpp"}},"limits":{{"time":1,"memory":64}}}}"#
        ),
    );
    check(
        r#"{"package":"p","return":"cases"}"#,
        r#"{"source":"x","return":"verdict","all":null}"#,
        r#"{"source":"x","return":"verdict","package":"p"}"#,
    );
    check(
        r#"{"source":{"text":"x","language":"cpp"},"limits":{"memory":64},"package":"p"}"#,
        r#"{"source":{"file":null},"limits":{"memory_bytes":null},"cases":null}"#,
        r#"{"source":{"text":"x","language":"cpp"},"limits":{"memory":64},"package":"p"}"#,
    );
    let wrong = |text: &str, expected: &str| {
        assert_eq!(LineSettings::parse_defaults(text).expect_err(text).message, expected);
    };
    wrong("[]", "expected an object");
    let keys = "`id`, `problem`, `sample`, `package`, `cases`, `limits`, `compare`, `call`, `asserts`, `source`, `extract`, `all`, `return`";
    let unknown = format!("`/limit`: unknown field `limit`, expected one of {keys}");
    wrong(r#"{"limit":1}"#, &unknown);
    wrong(
        r#"{"source":{"language":1}}"#,
        "`/source/language`: invalid type: integer `1`, expected a string",
    );
}

#[test]
fn a_map_finds_the_values_of_lines_of_another_form() {
    let check = |map: &str, line: &str, expected: &str| {
        let parsed = parse(&settings(map, ""), line).map_err(|fault| fault.message);
        let expected = match expected.strip_prefix('!') {
            Some(message) => Err(message.to_owned()),
            None => Ok(parse(&settings("", ""), expected).expect("a line")),
        };
        assert_eq!(parsed, expected, "{line}");
    };
    let two = r#""cases":[{"input":"1","answer":"2"},{"input":"3","answer":"4"}]"#;
    let expected = format!(r#"{{{two},"source":"x"}}"#);
    check(
        r#"{"source":"/solution","cases":"/test_cases","id":"/task/0"}"#,
        &format!(
            r#"{{{},"solution":"x","task":["t"],"more":0}}"#,
            two.replace("cases", "test_cases")
        ),
        &format!(r#"{{{two},"source":"x","id":"t"}}"#),
    );
    for (time, seconds) in
        [(r#"{"seconds":1,"nanos":500000000}"#, "1.5"), (r#"{"seconds":2}"#, "2")]
    {
        check(
            r#"{"source":"/s","cases":"/t","limits":{"time":"/l"}}"#,
            &format!(r#"{{"s":"x","l":{time},{}}}"#, two.replace("cases", "t")),
            &format!(r#"{{{two},"source":"x","limits":{{"time":{seconds}}}}}"#),
        );
    }
    let sides = r#"{"source":"/s","cases":{"input":"/t/in","answer":"/t/out"}}"#;
    check(sides, r#"{"s":"x","t":{"in":["1","3"],"out":["2","4"]}}"#, &expected);
    check(sides, r#"{"s":"x","t":"{\"in\":[\"1\",\"3\"],\"out\":[\"2\",\"4\"]}"}"#, &expected);
    check(
        sides,
        r#"{"s":"x","t":{"in":["1"],"out":[]}}"#,
        r#"!1 inputs are at "/t/in", and 0 answers at "/t/out""#,
    );
    check(sides, r#"{"s":"x","t":{"in":1,"out":[]}}"#, r#"!"/t/in" is not a list"#);
    check(sides, r#"{"s":"x","t":null}"#, "!has neither `/package` nor `/cases`");
    check(sides, r#"{"t":null}"#, "!missing field `source`");
    let several = r#"{"source":"/s","cases":[{"input":"/a/i","answer":"/a/o"},
        {"each":"/b","input":"/i","answer":"/o/0"}, "/c"]}"#;
    check(
        several,
        r#"{"s":"x","a":{"i":["1"],"o":["2"]},"b":[{"i":"3","o":["4"],"note":1}]}"#,
        &expected,
    );
    check(
        several,
        r#"{"s":"x","c":"[{\"input\":\"1\",\"answer\":\"2\"},{\"input\":\"3\",\"answer\":\"4\"}]"}"#,
        &expected,
    );
    check(several, r#"{"s":"x","b":[{"i":"3"}]}"#, "!`/cases/0`: missing field `answer`");
    let wrong = |map: &str, message: &str, help: &str| {
        let fault = LineMap::parse(map).expect_err(map);
        assert_eq!((&*fault.message, fault.help.as_deref()), (message, Some(help)));
    };
    let pointer = "a JSON pointer is a text such as \"/tests/0/input\"; a constant begins with `=`";
    wrong(r#"{"sauce":"/s"}"#, "there is no key `/sauce`", "did you mean `source`?");
    wrong(r#"{"source":"s"}"#, "`/source` is not a JSON pointer", pointer);
    wrong(r#"{"limits":{"time":"3"}}"#, "`/limits/time` is not a JSON pointer", pointer);
    let message = "`/limits` has no JSON pointer";
    wrong(r#"{"limits":{"time":3}}"#, message, "constants alone are defaults");
    wrong(
        r#"{"cases":{"input":"/a"}}"#,
        "`/cases` lacks a key",
        "give the pointers to `input` and `answer` of a test case",
    );
    wrong(
        r#"{"cases":{"inputs":"/a"}}"#,
        "there is no key `/cases/inputs`",
        "did you mean `input`?",
    );
}

fn any_values() -> impl Strategy<Value = Value> {
    let words = ["source", "cases", "input", "answer", "limits", "time", "id", "text", "x", "[]"];
    let word = prop::sample::select(words.to_vec()).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5)
                .prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_line_is_parsed_or_refused(
        value in any_values(),
        text in prop::collection::vec(any::<u8>(), 0..40),
        cut in 0..200_usize,
    ) {
        let of_value = value.to_string();
        let cut = of_value.floor_char_boundary(cut);
        let map = r#"{"source":"/source","id":"/id","cases":[{"input":"/cases/input","answer":"/x"},"/cases"]}"#;
        for settings in [settings("", ""), settings(map, r#"{"source":{"language":"c"}}"#)] {
            for text in [of_value.as_bytes(), &of_value.as_bytes()[..cut], &text] {
                if let Err(fault) = parse_line(&settings, text).line {
                    prop_assert!(!fault.message.is_empty());
                }
            }
        }
    }
}

/// `expected` is the beginning of the fault; empty if there is none.
fn check_with_paths(paths: HostPaths, line: &str, expected: &str) {
    let settings = LineSettings { host_paths: paths, ..settings("", "") };
    let found = parse(&settings, line).err().map_or(String::new(), |fault| fault.message);
    assert!(
        found.starts_with(expected) && found.is_empty() == expected.is_empty(),
        "{line}: {found}"
    );
}

#[test]
fn a_whole_run_has_no_answer_and_nothing_is_compared() {
    let check = |more: &str, expected: &str| {
        let line = format!(r#"{{"source":"x","return":"run",{more}}}"#);
        check_with_paths(HostPaths::All, &line, expected);
    };
    let cases = r#""cases":[{"input":"1"}]"#;
    check(cases, "");
    check(
        r#""cases":[{"input":"1"},{"input":"1","answer":""}]"#,
        "`/cases/1/answer`: nothing is compared",
    );
    check(r#""package":"p""#, "has both `/return` of `run` and `/package`");
    check(&format!(r#"{cases},"compare":"words""#), "has both `/return` of `run` and `/compare`");
    check(&format!(r#"{cases},"extract":"auto""#), "has both `/return` of `run` and `/extract`");
    check(
        &format!(r#"{cases},"call":{{"function":"f"}}"#),
        "has both `/return` of `run` and `/call`",
    );
}

#[test]
fn paths_of_the_machine_are_refused_but_for_packages_by_name() {
    let none = || HostPaths::Packages(None);
    let some = || HostPaths::Packages(Some("/packages".into()));
    let cases = r#""cases":[{"input":"1","answer":"2"}]"#;
    let file = format!(r#"{{"source":{{"file":"/etc/passwd"}},{cases}}}"#);
    check_with_paths(HostPaths::All, &file, "");
    check_with_paths(none(), &file, "`/source/file` names a file");
    check_with_paths(none(), &format!(r#"{{"source":"x",{cases}}}"#), "");
    let compare = |how: &str| format!(r#"{{"source":"x","compare":"{how}",{cases}}}"#);
    check_with_paths(none(), &compare("float=1e-6"), "");
    check_with_paths(some(), &compare("./checker"), "`/compare` names a file");
    let package = |name: &str| format!(r#"{{"source":"x","package":"{name}"}}"#);
    check_with_paths(none(), &package("sum"), "`/package` names a file");
    for (name, is_below) in [
        ("sum", true),
        ("a/sum.zip", true),
        ("../sum", false),
        ("/sum", false),
        (".sum", false),
        ("a/../..", false),
    ] {
        let expected = if is_below { "" } else { "`/package` names a file" };
        check_with_paths(some(), &package(name), expected);
    }
    let settings = LineSettings { host_paths: some(), ..settings("", "") };
    let line = parse(&settings, &package("sum")).expect("a line");
    assert_eq!(line.package, Some("/packages/sum".into()));
}
