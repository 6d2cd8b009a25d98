//! Packages of library-checker, CMS and sinol, from their files to verdicts.

use crate::fixture::{Fixture, RIGHT};

fn write_package(files: &[(&str, &str)]) -> Fixture {
    let fixture = Fixture::new();
    for (name, text) in files {
        fixture.write(name, text);
    }
    fixture
}

/// Only the functions that these tests need.
const TESTLIB: &str = r#"
#include <cstdio>
#include <fstream>
inline int say(int code, const char* what) { std::fprintf(stderr, "%s\n", what); return code; }
"#;

/// A problem `lc/sample/sum` of library-checker.
pub(crate) fn library_checker() -> Fixture {
    write_package(&[
        ("lc/common/testlib.h", TESTLIB),
        ("lc/common/random.h", "inline int drawn(int seed) { return seed * 7 % 5; }\n"),
        (
            "lc/sample/sum/info.toml",
            "title = 'Sum'\ntimelimit = 10.0\n\
             [[tests]]\nname = 'example.in'\nnumber = 1\n[[tests]]\nname = 'random.cpp'\nnumber = 3\n\
             [[solutions]]\nname = 'wa.cpp'\nexpect = 'WA'\n\
             [[solutions]]\nname = 'function.cpp'\nfunction = true\n[params]\nA_MAX = 1_000\n",
        ),
        ("lc/sample/sum/gen/example_00.in", "1 2\n"),
        ("lc/sample/sum/gen/lib.h", "#include \"../params.h\"\n"),
        (
            "lc/sample/sum/gen/random.cpp",
            "#include <cstdio>\n#include <cstdlib>\n#include \"random.h\"\n#include \"lib.h\"\n\
             int main(int, char** argv) { std::printf(\"%lld %d\\n\", A_MAX, drawn(std::atoi(argv[1]))); }\n",
        ),
        (
            "lc/sample/sum/verifier.cpp",
            "#include \"testlib.h\"\n#include \"params.h\"\n\
             int main() { long long a, b; return std::scanf(\"%lld %lld\", &a, &b) == 2 && a <= A_MAX ? 0 : 3; }\n",
        ),
        (
            "lc/sample/sum/checker.cpp",
            "#include \"testlib.h\"\n\
             int main(int, char** argv) { std::ifstream o(argv[2]), a(argv[3]); long long x, y; a >> y;\n\
             return o >> x && x == y ? say(0, \"ok\") : say(1, \"another sum\"); }\n",
        ),
        (
            "lc/sample/sum/sol/correct.cpp",
            "#include <cstdio>\nint main() { long long a, b; std::scanf(\"%lld %lld\", &a, &b); std::printf(\"%lld\\n\", a + b); }\n",
        ),
        ("lc/sample/sum/sol/wa.cpp", "#include <cstdio>\nint main() { std::puts(\"3\"); }\n"),
        ("lc/sample/sum/grader/solve.hpp", "long long solve(long long a, long long b);\n"),
        (
            "lc/sample/sum/grader/grader.cpp",
            "#include <cstdio>\n#include \"random.h\"\n#include \"solve.hpp\"\n\
             int main() { long long a, b; std::scanf(\"%lld %lld\", &a, &b); std::printf(\"%lld\\n\", solve(a, b)); }\n",
        ),
        (
            "lc/sample/sum/sol/function.cpp",
            "#include \"solve.hpp\"\nlong long solve(long long a, long long b) { return a + b; }\n",
        ),
    ])
}

#[test]
fn a_library_checker_problem_is_generated_and_judged() {
    let fixture = library_checker();
    let messages = ["3 submissions, all as expected", "function.cpp", "correct.cpp"];
    fixture.check("verify lc/sample/sum", 0, &messages);
    fixture.write("bad.sh", "read -r a b; echo $((a > 9 ? 0 : a + b))\n");
    fixture.check("judge lc/sample/sum bad.sh", 1, &["random_00", "another sum"]);
    let outputs =
        ["in", "out", "params.h"].map(|name| fixture.path(&format!("lc/sample/sum/{name}")));
    assert!(outputs.iter().all(|path| !path.exists()), "the package is as it was");
    let verbose = "verify lc/sample/sum --verbose";
    fixture.check(verbose, 0, &["library-checker", "info.toml has a `timelimit` and `[[tests]]`"]);
}

#[test]
fn a_cms_task_is_generated_and_judged() {
    let fixture = write_package(&[
        (
            "cms/task.yaml",
            "name: sum\ntitle: Sum\ntime_limit: 10\nmemory_limit: 256\ninfile: ''\noutfile: ''\n",
        ),
        (
            "cms/gen/GEN",
            "#ST: 0\n#COPY: att/example.txt\n#ST: 30\n3 4\n# more\n#ST: 70\n10 20\n30 1\n",
        ),
        ("cms/gen/generatore.py", "import sys, lib\nprint(lib.first(sys.argv), sys.argv[2])\n"),
        ("cms/gen/lib.py", "def first(words): return words[1]\n"),
        ("cms/att/example.txt", "1 1\n"),
        ("cms/input/input1.txt", "3 4\n"),
        ("cms/output/output1.txt", "7\n"),
        ("cms/sol/soluzione.sh", RIGHT),
        ("cms/sol/small.sh", "read -r a b; echo $((a < 20 ? a + b : 0))\n"),
        ("lines.sh", "read -r a b; echo; echo $((a + b))\n"),
    ]);
    fixture.check("verify cms", 0, &["2 submissions, all as expected", "small.sh", "30"]);
    fixture.check("judge cms cms/sol/small.sh --all", 1, &["tests/3/003", "30 of 100"]);
    fixture.check("judge cms lines.sh", 1, &["tests/1/000"]);
    assert!(!fixture.path("cms/input/input0.txt").exists(), "the package is as it was");
}

#[test]
fn a_sinol_package_is_judged() {
    let fixture = write_package(&[
        (
            "abc/config.yml",
            "title: Sum\nsinol_task_id: abc\ntime_limit: 10000\nmemory_limit: 262144\nscores:\n  1: 30\n  2: 70\n\
             subtask_dependencies:\n  2: [1]\nsinol_expected_scores:\n  abc.sh:\n    points: 100\n    \
             expected:\n      1: {points: 30, status: OK}\n      2: {points: 70, status: OK}\n  abcb.sh:\n    \
             points: 30\n    expected:\n      1: {points: 30, status: OK}\n      2: {points: 0, status: WA}\n",
        ),
        ("abc/in/abc0.in", "1 1\n"),
        ("abc/in/abc1a.in", "3 4\n"),
        ("abc/in/abc1b.in", "5 4\n"),
        ("abc/in/abc2.in", "30 1\n"),
        ("abc/out/abc1a.out", "7\n"),
        ("abc/prog/abc.sh", RIGHT),
        ("abc/prog/abcb.sh", "read -r a b; echo $((a < 20 ? a + b : 0))\n"),
        ("first.sh", "read -r a b; echo $((a == 3 ? 0 : a + b))\n"),
        ("lines.sh", "read -r a b; echo; echo $((a + b))\n"),
    ]);
    fixture.check("verify abc", 0, &["2 submissions, all as expected", "abcb.sh", "30"]);
    fixture.check("judge abc first.sh --all", 1, &["tests/1/abc1a", "0 of 100"]);
    fixture.check("judge abc lines.sh", 1, &["tests/0/abc0"]);
    fixture.check("verify abc --format sinol --verbose", 0, &["sinol", "--format asks for it"]);
    assert!(!fixture.path("abc/out/abc0.out").exists(), "the package is as it was");
    let text = fixture.read("abc/config.yml").replace("points: 30\n", "points: 40\n");
    fixture.write("abc/config.yml", &text);
    fixture.check("verify abc", 1, &["abcb.sh", "expected a score of 40; got 30"]);
    fixture.write("abc/config.yml", text + "override_limits: {sh: {time_limit: 1}}\n");
    fixture.write("a.sh", RIGHT);
    let messages =
        ["skipped: a.sh", "no support for the package's settings for bash", "judge it with"];
    fixture.check("judge abc a.sh", 4, &messages);
}

#[test]
fn a_cms_checker_gives_partial_points() {
    let fixture = write_package(&[
        (
            "cms/task.yaml",
            "name: sum\ntitle: Sum\ntime_limit: 10\nmemory_limit: 256\ninfile: ''\noutfile: ''\n",
        ),
        ("cms/gen/GEN", "#ST: 40\n1\n2\n#ST: 60\n3\n"),
        ("cms/input/input0.txt", "3 4\n"),
        ("cms/input/input1.txt", "1 1\n"),
        ("cms/input/input2.txt", "10 20\n"),
        // The sum gets all points, the sum plus one a quarter.
        (
            "cms/cor/correttore.sh",
            "read -r a b < $1; read -r right < $2; read -r found < $3\n\
             [[ $found == [0-9]* ]] || { echo 0; exit; }\n\
             echo 'not enough' >&2\n\
             case $((found - right)) in 0) echo 1.0;; 1) echo 0.25;; 9) exit 1;; 8) echo many;; *) echo 0.0;; esac\n",
        ),
        (
            "cms/sol/solution.c",
            "#ifdef EVAL\n#include <stdio.h>\n\
             int main(void) { int a, b; scanf(\"%d %d\", &a, &b); printf(\"%d\\n\", a + b); }\n#endif\n",
        ),
        ("cms/sol/more.sh", "read -r a b; echo $((a == 1 ? a + b : a + b + 1))\n"),
    ]);
    fixture.check("verify cms", 0, &["2 submissions, all as expected", "more.sh", "25"]);
    let quarter = "the output validator gives 10 of 40 points: not enough";
    fixture.check("judge cms more.sh --all", 1, &[quarter, "25 of 100"]);
    fixture.check("judge cms more.sh", 1, &["25 of 100"]);
    let judged = |program: &str, code: i32, message: &str| {
        fixture.write("a.sh", program);
        fixture.check("judge cms a.sh", code, &[message]);
    };
    judged(RIGHT, 0, "100 of 100");
    judged("echo 0\n", 1, "rejects it: not enough");
    judged("read -r a b; echo $((a + b + 9))\n", 4, "a checker of CMS ends with 0");
    judged("read -r a b; echo $((a + b + 8))\n", 4, "its first line is \"many\"");
    // Without points, a partial answer is wrong.
    fixture.write("cms/gen/GEN", "#ST: 0\n1\n#ST: 100\n2\n3\n");
    fixture.check("judge cms more.sh --all", 1, &["WA", "wrong answer on tests/1/000"]);
    fixture.write("cms/gen/GEN", "#ST: 40\n1\n2\n#ST: 60\n3\n");
    // In another format, juror.toml names the calling convention.
    fixture.check("convert cms --to 2025-09 new", 0, &["defined names: EVAL"]);
    fixture.write("a.sh", "read -r a b; echo $((a == 10 ? a + b + 1 : a + b))\n");
    fixture.check("judge new a.sh --all", 1, &["gives 15 of 60 points: not enough", "55 of 100"]);
    // CMS itself takes an executable.
    fixture.remove("cms/cor/correttore.sh");
    fixture.write("cms/check/checker", "#!/usr/bin/env bash\ncmp -s $2 $3; echo $((1 - $?))\n");
    fixture.make_executable("cms/check/checker");
    judged(RIGHT, 0, "100 of 100");
    fixture.check("judge cms more.sh --all", 1, &["0 of 100"]);
}

#[test]
fn a_sinol_checker_and_input_validator_are_called() {
    let fixture = write_package(&[
        (
            "abc/config.yml",
            "title: Sum\nsinol_task_id: abc\ntime_limit: 10000\nmemory_limit: 262144\nscores:\n  1: 31\n  2: 69\n\
             sinol_expected_scores:\n  abc1.sh:\n    points: 80\n    \
             expected:\n      1: {points: 11, status: OK}\n      2: {points: 69, status: OK}\n",
        ),
        ("abc/in/abc0.in", "1 1\n"),
        ("abc/in/abc1.in", "3 4\n"),
        ("abc/in/abc2.in", "30 1\n"),
        ("abc/prog/abc.sh", RIGHT),
        ("abc/prog/abc1.sh", "read -r a b; echo $((a < 20 ? a + b + 1 : a + b))\n"),
        (
            "abc/prog/abcchk.sh",
            "read -r a b < $1; read -r found < $2; read -r right < $3\n\
             case $((found - right)) in 0) echo OK;; 1) printf 'OK\\none too many\\n100/3\\n';; 9) exit 2;; \
             *) printf 'WRONG\\nby %d\\n' $((found - right));; esac\n",
        ),
        (
            "abc/prog/abcinwer.sh",
            "text=$(cat; echo .)\n[[ $1 == abc?.in && $text =~ ^[0-9]+\\ [0-9]+$'\\n'\\.$ ]] && exit 0\n\
             echo \"two numbers\"\nexit 7\n",
        ),
    ]);
    // A third of 31 is rounded up, and accepted.
    fixture.check("verify abc", 0, &["2 submissions, all as expected", "abc1.sh", "80"]);
    let judged = |program: &str, code: i32, message: &str| {
        fixture.write("a.sh", program);
        fixture.check("judge abc a.sh", code, &[message]);
    };
    judged("read -r a b; echo $((a + b + 5))\n", 1, "rejects it: by 5");
    judged("read -r a b; echo $((a + b + 9))\n", 4, "a checker of sinol ends with 0");
    fixture.write("abc/in/abc1.in", "3  4\n");
    fixture.check("verify abc", 3, &["input validator `abcinwer.sh` refuses it: two numbers"]);
    fixture.write("abc/in/abc1.in", "3 4\n");
    let text = fixture.read("abc/config.yml");
    fixture.write("abc/config.yml", format!("{text}subtask_dependencies: {{2: [1]}}\n"));
    fixture.check("verify abc", 3, &["the checker abcchk.sh may give partial points"]);
    fixture.write("abc/config.yml", format!("{text}sinol_contest_type: icpc\n"));
    fixture.write("a.sh", "read -r a b; echo $((a + b + 1))\n");
    fixture.check("judge abc a.sh", 0, &["accepted on 3 test cases"]);
}
