//! `juror my.cpp`: a submission alone, judged on the tests beside it.

use crate::fixture::{Fixture, RIGHT, WRONG};

/// Files of tests for sums: `NAME INPUT ANSWER`, where the two names are joined by `+`.
fn write_tests(fixture: &Fixture, tests: &[(&str, &str, &str)]) {
    for (names, input, answer) in tests {
        let (first, second) = names.split_once('+').expect("two names");
        fixture.write(first, format!("{input}\n"));
        fixture.write(second, format!("{answer}\n"));
    }
}

#[test]
fn a_submission_alone_is_judged_on_the_tests_beside_it() {
    let check = |names: &str, reason: &str| {
        let fixture = Fixture::new();
        let names: Vec<&str> = names.split(' ').collect();
        write_tests(&fixture, &[(names[0], "1 2", "3"), (names[1], "5 8", "13")]);
        fixture.write("my/a.sh", RIGHT);
        fixture.write("my/b.sh", WRONG);
        let format = format!("format: bare tests: 2 pairs of files, from {reason}");
        fixture.check("my/a.sh", 0, &["accepted on 2 test cases", &format, "memory 256 MiB"]);
        fixture.check("judge my/a.sh", 0, &["accepted on 2 test cases", &format]);
        fixture.check(
            "test my/b.sh",
            1,
            &[
                "wrong answer on",
                "1 of 2 test cases accepted",
                "repeat: juror judge my/b.sh --case",
            ],
        );
        fixture.write("my/prog", format!("#!/bin/sh\n{RIGHT}"));
        fixture.make_executable("my/prog");
        fixture.check("my/prog", 0, &["AC my/prog"]);
        fixture.remove("my/prog");
        // A directory of sources.
        fixture.remove("my/b.sh");
        fixture.check("my", 0, &["AC my", "accepted on 2 test cases"]);
    };
    check("my/1.in+my/1.out my/2.in+my/2.out", "1.in and 1.out to 2.in and 2.out");
    check(
        "my/in1.txt+my/out1.txt my/in2.txt+my/ans2.txt",
        "in1.txt and out1.txt to in2.txt and ans2.txt",
    );
    check(
        "my/test/x.in+my/test/x.out my/test/y.in+my/test/y.out",
        "test/x.in and test/x.out to test/y.in and test/y.out",
    );
    check(
        "my/samples/in/1+my/samples/out/1 my/data/1.in+my/data/1.a",
        "data/1.in and data/1.a to samples/in/1 and samples/out/1",
    );
}

#[test]
fn the_tests_of_other_sources_do_not_count() {
    let fixture = Fixture::new();
    let tests = [
        ("my/a1.in+my/a1.out", "1 2", "3"),
        ("my/a2.in+my/a2.out", "2 2", "4"),
        ("my/b1.in+my/b1.out", "1 2", "4"),
    ];
    write_tests(&fixture, &tests);
    fixture.write("my/a.sh", RIGHT);
    fixture.write("my/c.sh", RIGHT);
    let reason = "names that begin with `a` go first, so 1 pair without it is left out";
    fixture.check("my/a.sh", 0, &["accepted on 2 test cases", reason]);
    fixture.check("my/c.sh", 1, &["2 of 3 test cases accepted"]);
    fixture.check("judge my my/a.sh", 1, &["2 of 3 test cases accepted"]);
}

#[test]
fn what_is_missing_is_told() {
    let fixture = Fixture::new();
    fixture.write("my/a.sh", RIGHT);
    fixture.write("my/notes.txt", "");
    fixture.write("none/notes.txt", "");
    let files = "no tests beside my/a.sh; files there: a.sh, notes.txt";
    fixture.check("my/a.sh", 2, &[files, "test/, tests/, sample/", "juror judge PACKAGE my/a.sh"]);
    fixture.check("judge none my/a.sh", 3, &["files there: notes.txt"]);
    fixture.check("sum", 2, &["give a submission: juror judge PACKAGE SUBMISSION"]);
    fixture.check("watch sum", 2, &["give a submission"]);
    fixture.check("my/b.sh", 2, &["submission not found: my/b.sh; did you mean `my/a.sh`?"]);
    fixture.check("nothing", 2, &["unrecognized subcommand 'nothing'"]);
    write_tests(&fixture, &[("bare/1.in+bare/1.out", "1 2", "3")]);
    fixture.check("bare", 2, &["is a package without a submission"]);
}

#[test]
fn tests_in_json_are_read() {
    let fixture = Fixture::new();
    fixture.write("my/a.sh", RIGHT);
    let tests = r#"{"input": "1 2\n", "output": "3\n"}, {"input": "5 8\n", "output": "13\n"}"#;
    let own = "my/.cph/.a.sh_0123456789abcdef.prob";
    fixture.write(own, format!(r#"{{"timeLimit": 1500, "memoryLimit": 128, "tests": [{tests}]}}"#));
    let header = [
        "accepted on 2 test cases",
        "bare tests: 2 tests in my/.cph/.a.sh_0123456789abcdef.prob",
        "CPU time 1.5 s (the file of tests)",
        "memory 128 MiB",
    ];
    fixture.check("my/a.sh", 0, &header);
    fixture.check(&format!("judge {own} my/a.sh"), 0, &header);
    write_tests(&fixture, &[("my/1.in+my/1.out", "1 2", "4")]);
    let first = "it goes before the tests in files, which `juror judge my my/a.sh` takes";
    fixture.check("my/a.sh", 0, &["accepted on 2 test cases", first]);
    fixture.check("judge my my/a.sh", 1, &["wrong answer on 1"]);
    fixture.write("my/tests.json", format!("[{tests}]"));
    let default = "CPU time 2 s (the default for bare tests)";
    fixture.check("judge my/tests.json my/a.sh", 0, &["accepted on 2 test cases", default]);
    fixture.check("judge my/tests.json", 2, &["is a package without a submission"]);
    fixture.write(own, "<html>");
    fixture.check("my/a.sh", 3, &["is not JSON", own]);
    let files = std::fs::read_dir(fixture.path("my")).expect("a directory").count();
    assert_eq!(files, 5, "nothing is written");
}

#[test]
fn on_bare_tests_a_program_stops_at_the_third_that_is_too_slow() {
    let fixture = Fixture::new();
    for number in 1..=8 {
        write_tests(
            &fixture,
            &[(&format!("my/{number}.in+my/{number}.out"), &format!("{number} 1"), "0")],
        );
    }
    fixture.write("my/slow.sh", "read -r a b; ((a % 2)) && while :; do :; done; echo 1\n");
    let line = "judge my/slow.sh --time-limit 100ms";
    let report = fixture.json(line, 1);
    assert_eq!(
        report["submissions"][0]["judgement"]["test_cases"].as_array().map(Vec::len),
        Some(5)
    );
    let skipped = "stopped at the third that is too slow, 3 not run; --all runs them";
    fixture.check(line, 1, &[skipped, "also WA 2, TLE 3, WA 4, TLE 5"]);
    fixture.check(&format!("{line} --all"), 1, &["0 of 8 test cases accepted"]);
    fixture.check(&format!("{line} --case 1,2"), 1, &["0 of 2 test cases accepted; also WA 2"]);
    fixture.check(&format!("{line} --case 1,9"), 5, &["--case `9` selects none"]);
    // The answers are wrong: with more than 50 tests, the first rejection ends it.
    fixture.write("my/wrong.sh", "echo 1\n");
    fixture.check("my/wrong.sh", 1, &["0 of 8 test cases accepted"]);
    for number in 10..60 {
        write_tests(&fixture, &[(&format!("my/{number}.in+my/{number}.out"), "1 1", "0")]);
    }
    fixture.check("my/wrong.sh", 1, &["stopped at the first rejection, 57 not run; --all"]);
}

#[test]
fn commands_cases_and_units_are_short() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.check("run sum --case sample/1 -- sh a.sh", 0, &["sh a.sh on sample/1: exit code 0"]);
    let report = fixture
        .json("judge sum a.sh --time-limit 1m --memory-limit 1G --case sample/1,secret/small", 0);
    assert_eq!(report["packages"][0]["limits"]["cpu_seconds"], 60.0);
    assert_eq!(report["packages"][0]["limits"]["memory_bytes"], 1 << 30);
    assert_eq!(report["packages"][0]["test_cases"], 3);
    fixture.check("run sum -- ./absent", 2, &["cannot start `./absent`"]);
    fixture.check("run sum", 2, &["give one: juror run sum SUBMISSION"]);
}

#[test]
fn a_test_in_another_encoding_is_told_as_the_tests_fault() {
    let check = |files: &[(&str, &[u8])], messages: &[&str]| {
        let fixture = Fixture::new();
        for (name, bytes) in files {
            fixture.write(&format!("my/{name}"), bytes);
        }
        // Whatever its verdict is.
        fixture.write("my/a.sh", "cat > /dev/null; echo 0\n");
        fixture.check("my/a.sh", 1, messages);
        fixture.check("judge my my/a.sh", 1, messages);
    };
    let help = "save the file as UTF-8 without BOM";
    let mark = "starts with a byte-order mark (BOM)";
    check(&[("1.in", b"\xef\xbb\xbf3 4\n"), ("1.out", b"7\n")], &["my/1.in", mark, help]);
    check(&[("1.in", b"3 4\n"), ("1.out", b"\xef\xbb\xbf7\n")], &["my/1.out", mark, help]);
    let wide = "is in UTF-16, which programs read as junk";
    check(&[("1.in", b"\xff\xfe3\0\n\0"), ("1.out", b"3\n")], &["my/1.in", wide, help]);
    check(&[("1.in", b"3\n"), ("1.out", b"\xfe\xff\x003\0\n")], &["my/1.out", wide, help]);
    check(&[("1.in", b"3\0\n\0"), ("1.out", b"3\n")], &["my/1.in", wide, help]);
    let three: [(&str, &[u8]); 4] = [
        ("1.in", b"\xef\xbb\xbf3\n"),
        ("1.out", b"\xef\xbb\xbf3\n"),
        ("2.in", b"\xef\xbb\xbf3\n"),
        ("2.out", b"3\n"),
    ];
    check(&three, &["my/1.in", "(BOM); 2 more files of tests, too"]);
}
