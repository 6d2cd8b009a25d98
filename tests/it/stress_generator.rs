//! `juror stress` with a generator and a reference of the command line.

use std::fs;

use serde_json::Value;

use crate::fixture::Fixture;
use crate::stress::counterexample;

/// Prints a count up to `{n}`, and so many numbers.
const GENERATOR: &str = "RANDOM=$2; n=$((1 + RANDOM % $1)); echo $n; for ((i = 0; i < n; i++)); do echo $((RANDOM % 10)); done\n";
/// Prints the sum.
const BRUTE: &str = "read -r n; s=0; while read -r x; do s=$((s + x)); done; echo $s\n";
/// Wrong from three numbers on.
const WRONG: &str =
    "read -r n; s=0; while read -r x; do s=$((s + x)); done; [[ $n -gt 2 ]] && s=-1; echo $s\n";
const OPTIONS: &str = "--reference brute.sh --seed 1 --time 10m --shrink-time 10m";

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("gen.sh", GENERATOR);
    fixture.write("brute.sh", BRUTE);
    fixture.write("right.sh", BRUTE);
    fixture.write("my.sh", WRONG);
    fixture
}

/// The arguments of `juror stress` before the generator, and the words of the generator as one argument.
fn run_search(fixture: &Fixture, line: &str, generator: &str, code: i32) -> Value {
    let mut command = fixture.juror(&format!("stress --json {line}"));
    let output = command.args(["--generator", generator]).output().expect("juror runs");
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Returns all that is shown.
fn show(fixture: &Fixture, line: &str, generator: &str, code: i32) -> String {
    let mut command = fixture.juror(&format!("stress {line}"));
    let output = command.args(["--generator", generator]).output().expect("juror runs");
    let text = [&*output.stdout, &*output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert_eq!(output.status.code(), Some(code), "{line}: {generator}: {text}");
    text
}

fn check_messages(fixture: &Fixture, line: &str, generator: &str, code: i32, messages: &[&str]) {
    let text = show(fixture, line, generator, code);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for message in messages {
        assert!(words(&text).contains(&words(message)), "{message}: {text}");
    }
}

#[test]
fn the_smallest_size_on_which_a_submission_fails_is_found() {
    let fixture = fixture();
    let report = run_search(&fixture, &format!("my.sh {OPTIONS} --runs 300"), "gen.sh {n}", 1);
    let found = counterexample(&report);
    assert_eq!(found["verdict"], "WA", "{report:#}");
    assert_eq!(found["printed"]["n"], 3, "{report:#}");
    assert_eq!(found["printed"]["input"], found["input"], "{report:#}");
    let seed = found["printed"]["seed"].as_u64().expect("a seed");
    assert_eq!(found["printed"]["command_line"], format!("gen.sh 3 {seed}"), "{report:#}");
    assert!(found["input"]["text"].as_str().is_some_and(|it| it.starts_with("3\n")), "{report:#}");
    assert_eq!(report["sources"][0], "the generator `gen.sh {n} {seed}`", "{report:#}");
    let repeat = "juror stress --reference brute.sh --time 10m --shrink-time 10m --runs 300 --generator 'gen.sh {n}' \
                  --seed 1 my.sh";
    assert_eq!(report["repeat"], repeat);
}

/// Wrong if the number of numbers is odd and at least 3, and one of them is half of `k`.
const ODD_HALF: &str = "read -r n k; read -r line; o=0; for x in $line; do [[ $((2 * x)) = $k && $n -ge 3 && $((n % 2)) = 1 ]] && o=1; done; echo $o\n";

#[test]
fn calls_go_on_until_many_bring_nothing_smaller() {
    let fixture = Fixture::new();
    fixture.write("right.sh", "read -r n k; read -r line; echo 0\n");
    fixture.write("my.sh", ODD_HALF);
    // Without a size: one of 8 inputs has three numbers.
    let program = "RANDOM=$1; n=$((1 + RANDOM % 8)); echo $n $((RANDOM % 10)); for ((i = 0; i < n; i++)); do printf '%s ' $((RANDOM % 10)); done; echo\n";
    fixture.write("gen.sh", program);
    fixture.write("sized.sh", program.replace("RANDOM=$1;", "RANDOM=$2;").replace("% 8", "% $1"));
    let check = |generator: &str, seed: u32, most: usize| {
        let line = format!(
            "my.sh --reference right.sh --runs 300 --time 10m --shrink-time 10m --seed {seed}"
        );
        let report = run_search(&fixture, &line, generator, 1);
        let found = counterexample(&report);
        let input = found["input"]["text"].as_str().expect("an input");
        assert!(input.split_whitespace().count() <= most, "{generator} {seed}: {report:#}");
        assert_eq!(found["input"], found["printed"]["input"], "{report:#}");
        assert_eq!(report["is_smallest"], false, "{report:#}");
        // The command that the report names prints the input.
        let command = found["printed"]["command_line"].as_str().expect("a command");
        let mut words = command.split(' ');
        let mut bash = std::process::Command::new("bash");
        bash.arg(fixture.path(words.next().expect("a program"))).args(words);
        let printed = bash.output().expect("bash runs").stdout;
        assert_eq!(String::from_utf8_lossy(&printed), input, "{command}");
        let again = run_search(&fixture, &format!("{line} --jobs 1"), generator, 1);
        assert_eq!(counterexample(&again), found);
    };
    check("gen.sh", 466_802, 5);
    check("sized.sh {n}", 2, 5);
}

#[test]
fn a_report_says_how_many_smaller_inputs_were_tried() {
    let fixture = fixture();
    let line = format!("my.sh {OPTIONS} --runs 300");
    check_messages(&fixture, &line, "gen.sh {n}", 1, &["no smaller input among "]);
    let text = show(&fixture, &line, "gen.sh {n}", 1);
    assert!(!text.contains("nothing smaller fails"), "{text}");
}

/// The time runs out while a smaller input is compared: the input and its command stay together.
#[test]
fn an_input_and_its_command_belong_together_if_the_time_runs_out() {
    let fixture = fixture();
    fixture.write("slow.sh", "read -r n; [[ $n -gt 2 ]] && while :; do :; done; s=0; while read -r x; do s=$((s + x)); done; echo $s\n");
    let line = "slow.sh --reference brute.sh --seed 1 --time 10m --runs 300 --time-limit 0.3 --shrink-time 2s";
    let report = run_search(&fixture, line, "gen.sh {n}", 1);
    let found = counterexample(&report);
    assert_eq!(found["input"], found["printed"]["input"], "{report:#}");
}

#[test]
fn programs_may_stand_in_their_order() {
    let fixture = fixture();
    let check = |line: &str, code: i32, messages: &[&str]| {
        let line = format!("stress {line} --seed 1 --time 10m --runs 60 --shrink-time 10m");
        fixture.check(&line, code, messages);
    };
    fixture.write("five.sh", "echo 5; for i in 1 2 3 4 5; do echo $(($1 % 10)); done\n");
    check(
        "my.sh five.sh brute.sh",
        1,
        &["WA   my.sh", "--generator five.sh", "--reference brute.sh"],
    );
    check("my.sh five.sh --reference brute.sh", 1, &["WA   my.sh"]);
    check("my.sh brute.sh --generator five.sh", 1, &["WA   my.sh"]);
    check(
        "my.sh five.sh brute.sh --reference right.sh",
        3,
        &["neither a directory nor an archive"],
    );
    check("right.sh five.sh brute.sh", 0, &["nothing found"]);
    check("sum my.sh five.sh", 2, &["give a package and a submission"]);
    check("my.sh five.sh none.sh", 2, &["reference not found: none.sh"]);
    check("my.sh none.sh brute.sh", 2, &["--generator: cannot find none.sh"]);
    check("my.sh five.sh", 2, &["--reference, a correct program"]);
}

#[test]
fn without_a_package_programs_have_the_limits_of_bare_tests() {
    let fixture = fixture();
    let large = "import sys\nn = int(sys.stdin.readline())\nx = b'x' * (300 << 20) if n > 2 else 0\nprint(sum(map(int, sys.stdin.read().split())))\n";
    fixture.write("large.py", large);
    fixture.write("long.py", "print('x' * (70 << 20))\n");
    let line = |line: &str| format!("{line} --seed 1 --time 10m --runs 300 --shrink-time 1s");
    let check = |programs: &str, code: i32, messages: &[&str]| {
        check_messages(&fixture, &line(programs), "gen.sh {n}", code, messages);
    };
    check("large.py --reference brute.sh", 1, &["MLE", "more than the 256 MiB allowed"]);
    check(
        "right.sh --reference large.py",
        4,
        &["the reference `large.py` fails on", "MLE, wanted more than the 256 MiB allowed"],
    );
    check("long.py --reference brute.sh", 1, &["OLE", "more than the 64 MiB allowed"]);
    check("right.sh --reference long.py", 4, &["the reference `long.py` fails", "64 MiB"]);
}

#[test]
fn an_unknown_placeholder_is_an_error() {
    let fixture = fixture();
    let check = |generator: &str, code: i32, messages: &[&str]| {
        let line = format!("right.sh {OPTIONS} --runs 60");
        check_messages(&fixture, &line, generator, code, messages);
    };
    let known = "`{seed}` and `{n}` are known";
    check("gen.sh {n} {seed} {foo}", 2, &["--generator: `{foo}` is unknown", known]);
    check("gen.sh {N} {seed}", 2, &["`{N}` is unknown", known]);
    check("gen.sh --size={size}", 2, &["`{size}` is unknown", known]);
    check("bash gen.sh 5 {Seed}", 2, &["`{Seed}` is unknown", known]);
    check("bash -c 'RANDOM=$2; echo 1; echo ${RANDOM}' x 1 {seed}", 0, &["nothing found"]);
    check("bash -c '{ echo 1; echo $1; }' x {seed}", 0, &["nothing found"]);
}

#[test]
fn inputs_that_are_left_out_have_a_reason_and_an_example() {
    let fixture = fixture();
    fixture.write("odd.sh", "read -r n; [[ $((n % 2)) = 1 ]] || { echo even >&2; exit 1; }\n");
    let slow = "read -r n; [[ $n = 3 ]] && while :; do :; done; s=0; while read -r x; do s=$((s + x)); done; echo $s\n";
    fixture.write("slow.sh", slow);
    fixture.write(
        "count.sh",
        "n=$((1 + $1 % 4)); echo $n; for ((i = 0; i < n; i++)); do echo $i; done\n",
    );
    let line = "right.sh --reference slow.sh --seed 1 --time 10m --runs 60 --time-limit 0.3 --validator odd.sh";
    let slow = "not solved by the reference in time, such as `3";
    check_messages(&fixture, line, "count.sh", 0, &[slow]);
    let report = run_search(&fixture, line, "count.sh", 0);
    assert_eq!(report["left_out"], report["left_out_reasons"][0]["inputs"], "{report:#}");
    // A validator is asked about inputs that fail.
    let line = "even.sh --reference brute.sh --seed 1 --time 10m --runs 60 --validator odd.sh";
    fixture.write("even.sh", BRUTE.replace("echo $s", "echo $((s + (n % 2 == 0)))"));
    check_messages(&fixture, line, "count.sh", 0, &["2 not valid, such as `", "even"]);
}

#[test]
fn the_same_seed_finds_the_same_with_any_number_of_slots() {
    let fixture = fixture();
    let [one, two] = ["--jobs 1", "--jobs 2"].map(|jobs| {
        let line = format!("my.sh {OPTIONS} --runs 300 {jobs}");
        counterexample(&run_search(&fixture, &line, "gen.sh {n} {seed}", 1)).clone()
    });
    assert_eq!(one, two);
}

#[test]
fn programs_in_several_languages_are_compared() {
    let right_cpp = "#include <iostream>\nint main() { int n, s = 0, x; std::cin >> n; while (std::cin >> x) s += x; std::cout << s << '\\n'; }\n";
    let right_py = "import sys\nprint(sum(map(int, sys.stdin.read().split()[1:])))\n";
    let gen_cpp = "#include <cstdio>\n#include <cstdlib>\nint main(int, char **v) { srand(atoi(v[2])); int n = 1 + rand() % atoi(v[1]); printf(\"%d\\n\", n); while (n--) printf(\"%d\\n\", rand() % 10); }\n";
    let gen_py = "import random, sys\nrandom.seed(int(sys.argv[2]))\nn = random.randint(1, int(sys.argv[1]))\nprint(n, *[random.randint(0, 9) for _ in range(n)], sep='\\n')\n";
    let check = |ending: &str, generator: &str, right: &str, change: (&str, &str)| {
        let fixture = Fixture::new();
        fixture.write(&format!("gen.{ending}"), generator);
        fixture.write(&format!("brute.{ending}"), right);
        fixture.write(&format!("my.{ending}"), right.replace(change.0, change.1));
        let line = format!(
            "my.{ending} --reference brute.{ending} --seed 1 --runs 300 --time 10m --shrink-time 10m"
        );
        let report = run_search(&fixture, &line, &format!("gen.{ending} {{n}}"), 1);
        let found = counterexample(&report);
        assert_eq!(found["printed"]["n"], 1, "{report:#}");
        let input = found["input"]["text"].as_str().expect("an input");
        assert!(input.starts_with("1\n") && input.len() == 4, "{report:#}");
    };
    check("cpp", gen_cpp, right_cpp, ("s += x", "s += x * x * x / (x ? x : 1) + (x == 1)"));
    check("py", gen_py, right_py, ("print(", "print(0 * "));
}

#[test]
fn a_program_at_fault_is_named_with_its_command_and_messages() {
    let fixture = fixture();
    let check = |files: &[(&str, &str)], line: &str, generator: &str, messages: &[&str]| {
        files.iter().for_each(|(name, text)| fixture.write(name, text));
        let line = format!("{line} --seed 1 --time 10m --runs 60");
        check_messages(&fixture, &line, generator, 4, messages);
    };
    let own = "right.sh --reference brute.sh";
    check(
        &[("none.sh", "echo why >&2\n")],
        own,
        "none.sh 5",
        &["the generator prints nothing: `none.sh 5 ", "why"],
    );
    check(
        &[("fails.sh", "echo 1; echo why >&2; exit 7\n")],
        own,
        "fails.sh",
        &["the generator ends with exit code 7: `fails.sh ", "why"],
    );
    check(
        &[("endless.sh", "while :; do printf '%099999d' 1; done\n")],
        own,
        "endless.sh",
        &["the generator exceeds a limit: wrote more than the 64 MiB allowed: `endless.sh "],
    );
    check(
        &[("hang.sh", "while :; do :; done\n")],
        own,
        "hang.sh",
        &["the generator exceeds a limit: ", "`hang.sh "],
    );
    check(&[("broken.c", "int main( {\n")], own, "broken.c", &["the generator does not build"]);
    check(
        &[("crash.sh", "read -r n; [[ $n = 2 ]] && { echo why >&2; exit 3; }; echo 0\n")],
        "crash.sh --reference crash.sh",
        "gen.sh {n}",
        &["the reference `crash.sh` fails on what `gen.sh 2 ", "RTE, exit code 3", "why"],
    );
    check(
        &[("moody.sh", "echo $BASHPID$RANDOM$RANDOM\n")],
        "right.sh --reference moody.sh",
        "gen.sh {n}",
        &["the reference `moody.sh` fails on what `gen.sh ", "another run writes another output"],
    );
    check(
        &[("slow.sh", "while :; do :; done\n")],
        "right.sh --reference slow.sh --time-limit 0.05",
        "gen.sh {n}",
        &["the reference solves none of them in time"],
    );
    let check_checker = |name: &str, text: &str, messages: &[&str]| {
        let line = format!("my.sh --reference brute.sh --checker {name} --checker-protocol plain");
        check(&[(name, text)], &line, "gen.sh 5", messages);
    };
    check_checker(
        "seven.sh",
        "echo why >&2; exit 7\n",
        &["with the checker `seven.sh`: it ended with exit code 7", "from `gen.sh 5 ", "why"],
    );
    check_checker(
        "no.sh",
        "echo why >&2; exit 1\n",
        &["the checker rejects the reference's own output on what `gen.sh 5 ", "why"],
    );
    check_checker("broken.c", "int main( {\n", &["the checker does not build"]);
    let refuses = "right.sh --reference brute.sh --validator no.sh";
    check(&[], refuses, "none.sh", &["the generator prints nothing"]);
    check(
        &[("out.sh", "echo -1\n")],
        "out.sh --reference brute.sh --validator no.sh",
        "gen.sh 5",
        &["rejects an input from the generator `gen.sh 5 {seed}`"],
    );
}

#[test]
fn a_generator_that_does_not_use_its_seed_gets_a_remark() {
    let fixture = fixture();
    fixture.write("same.sh", "echo 1; echo 5\n");
    let same = "the generator `same.sh {seed}` printed the same input each of 60 times";
    let line = |submission: &str| format!("{submission} {OPTIONS} --explain 0");
    check_messages(&fixture, &(line("right.sh") + " --runs 60"), "same.sh", 0, &[same]);
    // After many such inputs, there is no hope for another one.
    let report = run_search(&fixture, &line("right.sh"), "same.sh", 0);
    assert_eq!((&report["end"], &report["runs"]), (&"exhausted".into(), &1.into()), "{report:#}");
    // It reads another word as its seed.
    fixture.write("word.sh", "RANDOM=$1; echo 1; echo $RANDOM\n");
    let alone = [
        "6 of 106 calls of the generator `word.sh {n} {seed}` printed a new input",
        "it may read `{n}` as its seed",
    ];
    check_messages(&fixture, &(line("right.sh") + " --runs 106"), "word.sh {n}", 0, &alone);
    fixture.write("few.sh", "echo 1; echo $(($1 % 7))\n");
    let few = [
        "7 of 100 calls of the generator `few.sh {seed}` printed a new input",
        "start from the seed",
    ];
    check_messages(&fixture, &(line("right.sh") + " --runs 100"), "few.sh", 0, &few);
    let text = show(&fixture, &(line("right.sh") + " --runs 100"), "gen.sh {n}", 0);
    assert!(!text.contains("a new input"), "{text}");
    fixture.write("clock.sh", "echo 3; echo $BASHPID; echo $RANDOM; echo $RANDOM\n");
    let again = "prints another input when it runs again: `clock.sh ";
    check_messages(&fixture, &(line("my.sh") + " --runs 60"), "clock.sh", 1, &[again]);
}

#[test]
fn a_checker_judges_instead_of_a_comparison() {
    let fixture = fixture();
    // Both accept any even number for an even one.
    let plain = "read -r a < $2; read -r b < $3; exit $(( (a - b) % 2 != 0 ? NO : YES ))\n";
    let check = |name: &str, text: &str, code: i32| {
        fixture.write(name, text);
        fixture.write("two.sh", format!("{BRUTE}echo $((s + 2))\n").replace("; echo $s\n", "\n"));
        fixture.write("one.sh", format!("{BRUTE}echo $((s + 1))\n").replace("; echo $s\n", "\n"));
        for (submission, code) in [("two.sh", 0), ("one.sh", code)] {
            let line = format!("{submission} {OPTIONS} --runs 10 --checker {name}");
            let report = run_search(&fixture, &line, "gen.sh 4", code);
            let verdict = if code == 1 { "WA".into() } else { Value::Null };
            assert_eq!(counterexample(&report)["verdict"], verdict, "{name}: {report:#}");
        }
    };
    check("plain.sh", &plain.replace("YES", "0").replace("NO", "1"), 1);
    check("kattis.sh", &plain.replace("YES", "42").replace("NO", "43"), 1);
    // With testlib.h, a checker gets a file for its report, and 2 is for a malformed output.
    fixture.write("testlib.h", "#include <cstdio>\n#include <fstream>\n");
    let testlib = "#include \"testlib.h\"\nint main(int c, char **v) { if (c != 5) return 3; int a, b; \
                   std::ifstream(v[2]) >> a; std::ifstream(v[3]) >> b; return (a - b) % 2 ? 2 : 0; }\n";
    check("checker.cpp", testlib, 1);
    let line = format!("my.sh {OPTIONS} --runs 60 --checker exact --compare exact");
    show(&fixture, &line, "gen.sh 4", 2);
    let line = format!("my.sh {OPTIONS} --runs 60 --checker exact");
    let report = run_search(&fixture, &line, "gen.sh {n}", 1);
    assert!(
        report["repeat"].as_str().is_some_and(|it| it.contains("--compare exact")),
        "{report:#}"
    );
}

#[test]
fn a_validator_allows_to_change_the_text() {
    let fixture = fixture();
    // Two or more numbers of which the first is the count of the others.
    let validator = "read -r n; i=0; while read -r x; do [[ $x =~ ^[0-9]+$ ]] || exit 1; i=$((i + 1)); done; [[ $i = $n ]]\n";
    fixture.write("valid.sh", validator);
    let line = format!("my.sh {OPTIONS} --runs 300 --validator valid.sh");
    let report = run_search(&fixture, &line, "gen.sh 40", 1);
    let found = counterexample(&report);
    assert_eq!(found["input"]["text"], "3\n0\n0\n0\n", "{report:#}");
    let printed = found["printed"]["input"]["text"].as_str().expect("an input");
    assert_ne!(printed, "3\n0\n0\n0\n", "{report:#}");
    let text = show(&fixture, &line, "gen.sh 40", 1);
    assert!(text.contains("printed by gen.sh 40 "), "{text}");
    // Without it, other text may be invalid.
    let report = run_search(&fixture, &format!("my.sh {OPTIONS} --runs 300"), "gen.sh 40", 1);
    let found = counterexample(&report);
    assert_eq!(found["input"], found["printed"]["input"], "{report:#}");
}

#[test]
fn the_reference_may_crash_on_a_changed_text() {
    let fixture = fixture();
    fixture.write("valid.sh", "exit 0\n");
    fixture.write("strict.sh", format!("read -r n; [[ $n -gt 3 ]] || exit 1; {}", &BRUTE[11..]));
    let line = "my.sh --reference strict.sh --validator valid.sh --seed 1 --time 10m --runs 300";
    fixture.write("many.sh", "echo 5; for i in 1 2 3 4; do echo 1; done; echo $1\n");
    let report = run_search(&fixture, line, "many.sh", 1);
    let input = counterexample(&report)["input"]["text"].as_str().expect("an input");
    assert!(input.starts_with('4') || input.starts_with('5'), "{report:#}");
}

#[test]
fn an_interactor_talks_with_both_programs() {
    let fixture = fixture();
    fixture.write("number.sh", "echo $((1 + $1 % 9))\n");
    let interactor = "read -r n < $1; while read -r x; do [[ $x = $n ]] && { echo yes; exit 0; }; echo no; done; exit 1\n";
    fixture.write("inter.sh", interactor);
    let guess = "for i in LIST; do echo $i; read -r a; [[ $a = yes ]] && exit; done; exit 0\n";
    fixture.write("all.sh", guess.replace("LIST", "{1..9}"));
    fixture.write("some.sh", guess.replace("LIST", "{1..8}"));
    let line = "some.sh --reference all.sh --interactor inter.sh --seed 1 --time 10m --runs 100";
    let report = run_search(&fixture, line, "number.sh", 1);
    let found = counterexample(&report);
    assert_eq!((&found["verdict"], &found["input"]["text"]), (&"WA".into(), &"9\n".into()));
    assert!(found["transcript"].is_object(), "{report:#}");
}

#[test]
fn programs_are_paths_or_words() {
    let fixture = fixture();
    fixture.write("dir/gen.sh", GENERATOR);
    fixture.write("./bin", format!("#!/bin/bash\n{GENERATOR}"));
    fixture.make_executable("bin");
    let check = |generator: &str, code: i32, messages: &[&str]| {
        check_messages(&fixture, &format!("my.sh {OPTIONS} --runs 300"), generator, code, messages);
    };
    check("dir {n}", 1, &["WA my.sh"]);
    check("./bin 9 {seed}", 1, &["WA my.sh"]);
    check("bash gen.sh {n}", 1, &["by the generator `bash gen.sh 3 "]);
    check("gen.sh '9", 2, &["--generator: `gen.sh '9` has an unclosed quote"]);
    check("gem.sh 9", 2, &["--generator: cannot find gem.sh", "`gen.sh`"]);
    let line = format!("my.sh {OPTIONS} --n-max 4");
    check_messages(&fixture, &line, "gen.sh 9", 2, &["--n-max: the generator gets no `{n}`"]);
    let line = format!("right.sh {OPTIONS} --n-max 2 --runs 60");
    check_messages(&fixture, &line, "gen.sh {n}", 0, &["{n} from 1 to 2", "nothing found"]);
    check_messages(&fixture, "my.sh", "gen.sh 9", 2, &["--reference, a correct program"]);
    // A package has a reference and limits.
    fixture.write("pair.sh", "echo $(($1 % 100)) 5\n");
    check_messages(&fixture, "sum my.sh --seed 1 --runs 20", "pair.sh", 1, &["WA my.sh"]);
    let mut command = fixture.juror(&format!("stress {OPTIONS} --runs 300 --generator"));
    let output = command.args(["gen.sh {n}", "--", "bash", "my.sh"]).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && text.contains("WA   bash my.sh"), "{output:?}");
    assert!(text.contains(" -- bash my.sh"), "{text}");
}

#[test]
fn a_found_input_is_saved_as_the_next_bare_test() {
    let fixture = fixture();
    fixture.write("tests/1.in", "1\n1\n");
    fixture.write("tests/1.ans", "1\n");
    let line = format!("my.sh {OPTIONS} --runs 300");
    let report = run_search(&fixture, &format!("{line} --save tests"), "gen.sh {n}", 1);
    let found = counterexample(&report);
    assert_eq!(found["saved"], "tests/2.in", "{report:#}");
    assert_eq!(found["input"]["text"], fixture.read("tests/2.in"));
    assert_eq!(found["expected"]["text"], fixture.read("tests/2.ans"));
    fixture.check("judge tests my.sh", 1, &["2", "WA"]);
    show(&fixture, &format!("{line} --save found.in"), "gen.sh {n}", 1);
    let again = "--save: found.in exists";
    check_messages(&fixture, &format!("{line} --save found.in"), "gen.sh {n}", 2, &[again]);
    assert_eq!(fs::read_dir(fixture.path("tests")).expect("a directory").count(), 4);
}

/// Each generator prints 1 in a batch, and else 0. An input from a batch is not what the generator prints alone.
#[test]
fn generators_run_in_batches() {
    let c = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nstatic int first;\n\
             __attribute__((constructor)) static void note(void) { first = getpid(); }\n\
             int main(int c, char **v) { if (c != 4) return 1; printf(\"%d %s %s %s\\n\", first != getpid(), v[1], v[2], v[3]); return 0; }\n";
    let python = "import sys\nassert len(sys.argv) == 4\nprint(int('ctypes' in sys.modules), *sys.argv[1:])\n";
    let java = "class Main { public static void main(String[] a) { boolean is = false; \
                for (StackTraceElement it : new Throwable().getStackTrace()) is |= it.getClassName().equals(\"JurorBatch\"); \
                System.out.println((is ? 1 : 0) + \" \" + String.join(\" \", a)); } }\n";
    let fixture = Fixture::new();
    let copy = "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c == 'x' ? 'y' : c); return 0; }\n";
    fixture.write("ref.c", copy);
    fixture.write(
        "my.c",
        copy.replace("putchar(", "if (c == '1' && ftell(stdin) == 1) break; else putchar("),
    );
    let same = copy.replace("int c;", "int c, n = 0;");
    let wrong = same.replace("putchar(", "if (n++ == 0 && c == '1') return 0; else putchar(");
    fixture.write("my.c", wrong);
    let mut generators = vec![("gen.c", c), ("gen.py", python)];
    if crate::builds::has_tool("javac") {
        generators.push(("Main.java", java));
    }
    for (name, text) in generators {
        fixture.write(name, text);
        let line =
            "my.c --reference ref.c --seed 1 --time 10m --runs 700 --jobs 1 --shrink-time 1s";
        let generator = format!("{name} 'a b' x{{seed}} {{n}}");
        let report = run_search(&fixture, line, &generator, 1);
        let found = counterexample(&report);
        let input = found["input"]["text"].as_str().expect("an input");
        assert!(input.starts_with("1 a b x") && input.split(' ').count() == 5, "{report:#}");
        let remarks = report["diagnostics"].to_string();
        assert!(remarks.contains("prints another input when it runs again"), "{report:#}");
    }
    let line = "my.c --reference ref.c --seed 1 --time 10m --runs 700 --fresh";
    let report = run_search(&fixture, line, "gen.c a x{seed} {n}", 0);
    assert_eq!((&report["runs"], &report["batched"]), (&700.into(), &0.into()), "{report:#}");
}

#[test]
fn a_submission_that_is_its_own_reference_is_compared_with_a_warning() {
    let warning = "is its own reference: only crashes, limits, and outputs that change";
    let check = |program: &str, line: &str, code: i32, is_own: bool| {
        let fixture = fixture();
        fixture.write("own.sh", program);
        fs::create_dir(fixture.path("d")).expect("a directory");
        std::os::unix::fs::symlink("../own.sh", fixture.path("d/link.sh")).expect("a link");
        let line = format!("{line} --seed 1 --time 10m --runs 30");
        let text = show(&fixture, &line, "gen.sh 5", code);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text.contains(warning), is_own, "{line}: {text}");
    };
    check(BRUTE, "own.sh --reference own.sh", 0, true);
    check(BRUTE, "own.sh --reference ./d/../own.sh", 0, true);
    check(BRUTE, "d/link.sh --reference own.sh", 0, true);
    check("read -r n; [[ $n -gt 2 ]] && exit 1; echo 1\n", "own.sh --reference own.sh", 4, true);
    check(BRUTE, "own.sh --reference brute.sh", 0, false);
    check(BRUTE, "brute.sh --reference own.sh", 0, false);
}
