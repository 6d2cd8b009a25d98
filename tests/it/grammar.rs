//! `juror grammar`, and grammars as validators of a package.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::Fixture;
use crate::wire;
use crate::workers::handles_signal;

const ROW: &str = "INT(2,100,n) NEWLINE REPI(i,n,SPACE) INT(1,200,a[i]) END NEWLINE\n";

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("row.ctd", ROW);
    fixture.write("good.in", "2\n1 200\n");
    fixture.write("bad.in", "2\n1 201\n");
    fixture
}

#[test]
fn exit_codes_distinguish_valid_invalid_and_faulty() {
    let fixture = fixture();
    fixture.write("broken.ctd", "INT(1,2\n");
    fixture.check("grammar check row.ctd good.in", 0, &["valid good.in"]);
    fixture.check(
        "grammar check row.ctd good.in bad.in",
        1,
        &["valid good.in", "bad.in:2:3", "expected an integer from 1 to 200", "got `201`"],
    );
    fixture.check("grammar check row.ctd missing.in", 2, &["missing.in"]);
    fixture.check("grammar check missing.ctd good.in", 2, &["missing.ctd"]);
    fixture.check("grammar check row.ctd sum", 2, &["sum is a directory"]);
    fixture.check("grammar check broken.ctd good.in", 3, &["broken.ctd:1:8", "expected `)`"]);
    fixture.check("grammar check row.ctd", 2, &["<FILE>"]);
    fixture.check("grammar", 2, &["check", "generate", "bounds"]);
    let mut piped = fixture.juror("grammar check row.ctd -");
    let piped = piped.write_stdin("2\n1 201\n").output().expect("juror runs");
    assert!(String::from_utf8_lossy(&piped.stderr).contains("/dev/stdin:2:3"), "{piped:?}");
    let report = fixture.json("grammar check row.ctd good.in bad.in", 1);
    assert_eq!(report["inputs"][0]["valid"], true);
    assert_eq!(report["inputs"][1]["valid"], false);
    assert_eq!(report["diagnostics"][0]["position"]["line"], 2);
}

#[test]
fn standard_output_has_only_the_generated_input() {
    let fixture = fixture();
    let write = |arguments: &str| {
        let output = fixture.juror(arguments).output().expect("juror runs");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        output.stdout
    };
    let one = write("grammar generate row.ctd --seed 1");
    assert_eq!(one, write("grammar generate row.ctd --seed 1"));
    assert_ne!(one, write("grammar generate row.ctd --seed 2"));
    assert_eq!(write("grammar generate row.ctd --shape smallest"), b"2\n1 1\n");
    let most = write("grammar generate row.ctd --most n --least a");
    assert_eq!(most, format!("100\n{}1\n", "1 ".repeat(99)).into_bytes());
    fixture.write("one.in", &one);
    fixture.check("grammar check row.ctd one.in", 0, &[]);
    fixture.check("grammar generate row.ctd --shapes", 0, &["few-distinct", "ties"]);
    fixture.check(
        "grammar generate row.ctd --shape nope",
        2,
        &["unknown shape `nope`", "--shapes"],
    );
    let large = write("grammar generate row.ctd --shape zeros --size large");
    assert!(large.starts_with(b"100\n1 1 "));
    fixture.check(
        "grammar generate row.ctd --shape largest --size small",
        2,
        &["the shape `largest` already sets the size of counts"],
    );
    fixture.check("grammar generate row.ctd --most q", 2, &["has no variable `q`", "n, a[i]"]);
    fixture.write("never.ctd", "INT(1,9,n)\nASSERT(n > 20)\n");
    fixture.check(
        "grammar generate never.ctd",
        1,
        &["never.ctd:2:1", "could not be satisfied", "n = "],
    );
}

#[test]
fn bounds_that_no_input_reaches_are_named() {
    let fixture = fixture();
    fixture.check("grammar bounds row.ctd", 0, &["n 2 to 100", "a[i] 1 to 200"]);
    fixture.check("grammar bounds row.ctd good.in", 0, &["n 2 to 100 has 2 to 2: never 100"]);
    fixture.check("grammar bounds row.ctd bad.in", 1, &["bad.in:2:3"]);
    let report = fixture.json("grammar bounds row.ctd good.in", 0);
    assert_eq!(report["bounds"][1]["reached"]["max"], true);
}

#[test]
fn a_grammar_works_as_an_input_validator() {
    let fixture = Fixture::new();
    fs::remove_dir_all(fixture.path("sum/input_validators")).expect("a directory");
    let grammar = "INT(0,10^5) SPACE INT(0,8) NEWLINE\n";
    fixture.write("sum/input_validators/input.ctd", grammar);
    fixture.check("verify sum", 0, &["no errors, no warnings"]);
    fixture.write("sum/data/secret/small/2.in", "0  0\n");
    fixture.check("verify sum", 3, &["small/2.in", "input validator `input.ctd` refuses it: line 1, column 3: expected an integer from 0 to 8, got a blank"]);
    fixture.write("sum/data/secret/small/2.in", "0 0\n");
    fixture.write("sum/data/invalid_input/one.in", "1 2\n");
    fixture.check("verify sum", 3, &["one.in", "no input validator refuses this invalid input"]);
    fixture.write("sum/data/invalid_input/one.in", "1\n");
    fixture.write("sum/input_validators/input.ctd", "INT(0,10^6\n");
    fixture.check("verify sum", 3, &["input.ctd:1:11", "expected `)`"]);
    fixture.write("sum/input_validators/input.ctd", "SET(a=0) INT(0,1/a)");
    fixture.check(
        "verify sum",
        3,
        &["input validator `input.ctd` ends with a fault", "divided by zero"],
    );
}

#[test]
fn constants_are_substituted_in_a_grammar() {
    let fixture = Fixture::new();
    let yaml = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("a file");
    fixture.write("sum/problem.yaml", format!("{yaml}constants:\n  most: 7\n"));
    fixture.write("sum/input_validators/input.ctd", "INT(0,{{most}}) SPACE INT(0,10^6) NEWLINE\n");
    fixture.check("verify sum", 3, &["from 0 to 7, got `100000`"]);
}

/// This grammar would take hours.
#[test]
fn ctrl_c_ends_a_long_computation_of_juror() {
    let fixture = Fixture::new();
    let settings = fixture.read("sum/problem.yaml");
    fixture.write("sum/problem.yaml", settings + "limits: {validation_time: 1000000}\n");
    let endless = "REP(4000000000) REP(4000000000) SET(a=1) END END\n";
    fixture.write("sum/input_validators/endless.ctd", endless);
    for signal in [Signal::INT, Signal::TERM] {
        let mut command = wire::juror();
        command.current_dir(fixture.path("")).env("TMPDIR", fixture.temporary_directory());
        command.args(["verify", "sum"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("juror runs");
        while !handles_signal(child.id(), signal) {
            thread::sleep(Duration::from_millis(1));
        }
        kill_process(Pid::from_child(&child), signal).expect("a signal");
        let output = child.wait_with_output().expect("an end");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{text}");
    }
}
