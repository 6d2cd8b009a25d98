//! `--debug` and `--flags`: how submissions are built to find their faults.

use crate::fixture::Fixture;

const OUT_OF_BOUNDS: &str = "\
#include <cstdio>
#include <vector>
int main() {
    int a, b;
    std::scanf(\"%d %d\", &a, &b);
    std::vector<int> all(a);
    all[a] = b;
    std::printf(\"%d\\n\", a + b);
}
";

const OVERFLOW: &str = "\
#include <cstdio>
int main() {
    int a, b, large = 2147483600;
    std::scanf(\"%d %d\", &a, &b);
    large += 100 * a * b;
    std::printf(\"%d\\n\", large == 7 ? 0 : a + b);
}
";

const STALE: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int a, b;
    scanf(\"%d %d\", &a, &b);
    int *all = malloc(sizeof(int) * 4);
    free(all);
    all[a % 4] = b;
    printf(\"%d\\n\", a + b);
    return 0;
}
";

const ENDLESS_RECURSION: &str = "\
#include <cstdio>
int depth(volatile int *a) { int b = *a + 1; return depth(&b) + b; }
int main() { int a = 0; std::printf(\"%d\\n\", depth(&a)); }
";

/// A leak is no fault. It needs more memory than the limit allows, and its checks more time.
const GREEDY: &str = "\
#include <cstdio>
#include <vector>
int main() {
    int a, b;
    std::scanf(\"%d %d\", &a, &b);
    int bias = 1;
#ifdef LOCAL
    bias = 0;
#endif
    auto all = new std::vector<char>(300 << 20, 1);
    std::printf(\"%d\\n\", a + b + bias + int((*all)[a]) - 1);
}
";

#[test]
fn faults_are_run_time_errors_with_their_report() {
    let fixture = Fixture::new();
    let check = |name: &str, source: &str, messages: &[&str]| {
        fixture.write(name, source);
        let messages: Vec<&str> = messages.iter().chain(&["RTE"]).copied().collect();
        fixture.check(&format!("judge sum {name} --debug"), 1, &messages);
    };
    check("bounds.cpp", OUT_OF_BOUNDS, &["attempt to subscript container with out-of-bounds"]);
    check("overflow.cpp", OVERFLOW, &["overflow.cpp:5", "signed integer overflow"]);
    check("stale.c", STALE, &["heap-use-after-free", "stale.c:8"]);
    check("deep.cpp", ENDLESS_RECURSION, &["AddressSanitizer: stack-overflow"]);
    let right = "use std::io::*; fn main() { let mut s = String::new(); stdin().read_to_string(&mut s).unwrap(); \
        let v: Vec<i32> = s.split_whitespace().map(|it| it.parse().unwrap()).collect(); \
        let large = v[0] + i32::MAX; println!(\"{}\", if large == 7 { 0 } else { v[0] + v[1] }); }";
    check("overflow.rs", right, &["attempt to add with overflow"]);
}

#[test]
fn memory_and_time_are_for_the_checks() {
    let fixture = Fixture::new();
    fixture.write("greedy.cpp", GREEDY);
    let header =
        "CPU time 5 s (--debug: 5 times 1 s; problem.yaml), clock 11 s, memory not limited";
    fixture.check("judge sum greedy.cpp --debug", 0, &[header, "AC"]);
    fixture.check("judge sum greedy.cpp", 1, &["memory 256 MiB", "MLE"]);
    let own = "CPU time 10 s (--debug: 5 times 2 s; --time-limit)";
    fixture.check("judge sum greedy.cpp --debug --time-limit 2", 0, &[own]);
    fixture.check(
        "judge sum greedy.cpp --debug --memory-limit 64",
        2,
        &["leave out --memory-limit"],
    );
    fixture.check("run sum greedy.cpp --debug --case sample/1", 0, &["3"]);
}

#[test]
fn a_build_for_faults_is_another_program() {
    let fixture = Fixture::new();
    fixture.write("bounds.cpp", OUT_OF_BOUNDS);
    let debug = ["out-of-bounds", "juror judge sum bounds.cpp --debug"];
    for _ in 0..2 {
        fixture.check_with_cache("judge sum bounds.cpp --case sample/1", 0, &["AC"]);
        fixture.check_with_cache("judge sum bounds.cpp --case sample/1 --debug", 1, &debug[..1]);
    }
}

#[test]
fn flags_are_words_of_the_build() {
    let fixture = Fixture::new();
    let source = "#include <cstdio>\nint main() { int a, b; std::scanf(\"%d %d\", &a, &b); std::printf(\"%d\\n\", a + b + BIAS); }\n";
    fixture.write("bias.cpp", source);
    fixture.write("main.sh", "read -r a b; echo $((a + b))\n");
    let judge = |flags: &str, path: &str, code: i32, messages: &[&str]| {
        let mut command = fixture.juror("judge sum");
        let output =
            command.arg(format!("--flags={flags}")).arg(path).output().expect("juror runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(messages.iter().all(|it| text.contains(it)), "{text}");
    };
    judge("-DBIAS='(1 - 1)' -O0", "bias.cpp", 0, &["AC"]);
    judge("-DBIAS=1", "bias.cpp", 1, &["WA", " --flags=-DBIAS=1 "]);
    judge("", "bias.cpp", 1, &["CE"]);
    judge("-DBIAS='0", "bias.cpp", 2, &["--flags"]);
    judge("-O0", "main.sh", 2, &["cannot be built with --flags: Bash is not compiled"]);
    let mut command = fixture.juror("judge sum --flags=-O0 --");
    let refused = command.args(["/bin/cat"]).output().expect("juror runs");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_search_finds_the_fault_that_only_checks_show() {
    let fixture = Fixture::new();
    fixture.write("small.ctd", "INT(0, 100) SPACE INT(0, 100) NEWLINE EOF\n");
    fixture.write("bounds.cpp", OUT_OF_BOUNDS);
    let stress = "stress --input-grammar small.ctd --reference sum/submissions/accepted/right.sh bounds.cpp \
        --seed 1 --time 20s --runs 200 --explain 0";
    fixture.check(&format!("{stress} --debug"), 1, &["RTE", "out-of-bounds", "--debug"]);
}
