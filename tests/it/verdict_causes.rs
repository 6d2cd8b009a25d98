//! The cause of a verdict comes from measurements: no signal, exit code or text of a program can fake one.

use crate::fixture::Fixture;

#[test]
fn a_cause_comes_from_measurements() {
    let fixture = Fixture::new();
    let rows = [
        ("kill -XFSZ $$", "RTE", "killed by SIGXFSZ"),
        ("kill -XCPU $$", "RTE", "killed by SIGXCPU"),
        ("kill -KILL $$", "RTE", "killed by SIGKILL"),
        ("kill -SYS $$", "RTE", "killed by SIGSYS"),
        ("kill -ALRM $$", "RTE", "killed by SIGALRM"),
        ("exit 137", "RTE", "exit code 137"),
        ("exit 152", "RTE", "exit code 152"),
        ("exit 153", "RTE", "exit code 153"),
        ("exit 42", "RTE", "exit code 42"),
        ("exit 43", "RTE", "exit code 43"),
        (
            "echo 'wrote more than the 8 MiB allowed: OLE, SIGKILL' >&2; exit 1",
            "RTE",
            "exit code 1",
        ),
        // No file is left to show.
        ("exec head -c 20000000 /dev/zero > /tmp/large", "RTE", "killed by SIGXFSZ"),
        ("exec head -c 20000000 /dev/zero", "OLE", "wrote more than the 8 MiB allowed"),
    ];
    fixture.judge_all("echo 1", "--case sample/1", &rows);
}

/// As in problemtools, the memory limit is the size of the heap.
#[test]
fn a_java_heap_can_be_as_large_as_the_memory_limit() {
    if !crate::builds::has_tool("javac") {
        return;
    }
    let fixture = Fixture::new();
    let check = |mib: u32, code: i32, messages: &[&str]| {
        let source = format!(
            "class Main {{ public static void main(String[] given) {{\n\
             java.util.Scanner in = new java.util.Scanner(System.in);\n\
             byte[] kept = new byte[{mib} << 20]; java.util.Arrays.fill(kept, (byte) 1);\n\
             System.out.println(in.nextInt() + in.nextInt() + kept[7] - kept[kept.length - 1]); }} }}\n"
        );
        fixture.write("Main.java", source);
        fixture.check("judge sum Main.java --memory-limit 64 --time-limit 10", code, messages);
    };
    check(40, 0, &["AC"]);
    check(80, 1, &["RTE", "java.lang.OutOfMemoryError: Java heap space"]);
}

const DOES_NOT_END: &str = "; its output is right, but the program, or a thread of it, did not end";

/// 2025-09, "Submission limits": a right output of a program that does not end is TLE; the cause tells both
#[test]
fn a_right_output_of_a_program_that_does_not_end_is_told() {
    let fixture = Fixture::new();
    let all = [
        "exec sleep 1000",
        "while :; do :; done",
        "sleep 1000 & wait",
        "exec >&-; exec sleep 1000",
        "exec cat /dev/zero > /dev/null",
    ];
    let rows: Vec<_> = all.iter().map(|program| (*program, "TLE", DOES_NOT_END)).collect();
    let start = "read -r a b; echo $((a + b))";
    fixture.judge_all(start, "--case sample/1 --time-limit 0.5", &rows);
    let threads = "import threading, time\na, b = map(int, input().split())\nprint(a + b, flush=True)\n\
                   threading.Thread(target=time.sleep, args=(1000,)).start()\n";
    fixture.write("threads.py", threads);
    fixture.check(
        "judge sum threads.py --case sample/1 --time-limit 0.5",
        1,
        &["TLE", DOES_NOT_END],
    );
    // Wrong, incomplete or missing outputs.
    for output in ["echo 77", "printf 1", "echo 3; echo 3", ":"] {
        fixture.write("a.sh", format!("{output}\nexec sleep 1000\n"));
        let report = fixture.json("judge sum a.sh --case sample/1 --time-limit 0.5", 1);
        let cause = report["submissions"][0]["judgement"]["test_cases"][0]["cause"].to_string();
        assert!(cause.contains("on the wall clock") && !cause.contains("its output"), "{cause}");
    }
}

#[test]
fn a_file_that_is_written_instead_of_standard_output_is_named() {
    let fixture = Fixture::new();
    let hint = |name: &str| format!("; it writes to the file `{name}`: use standard output, or");
    let programs = [
        ("(echo 7 > sum.out) 2> /dev/null; exit 0", "sum.out"),
        ("(: > empty.txt) 2> /dev/null; exit 0", "empty.txt"),
        ("(mkdir d && cat > d/a.out) 2> /dev/null; exit 0", "d/a.out"),
        ("(cp /proc/self/status 'a b') 2> /dev/null; exit 0", "a b"),
        ("(cat < sum.in; echo 1 > output.txt) 2> /dev/null; exit 0", "output.txt"),
    ];
    let causes = programs.map(|(program, name)| (program, hint(name)));
    let rows: Vec<_> = causes.iter().map(|(program, cause)| (*program, "WA", &**cause)).collect();
    fixture.judge_all("", "--case sample/1", &rows);
    let freopen = "#include <cstdio>\nint main() {\n freopen(\"sum.in\", \"r\", stdin);\n\
                   freopen(\"sum.out\", \"w\", stdout);\n int a = 0, b = 0;\n\
                   if (scanf(\"%d%d\", &a, &b) < 2) a = 1;\n printf(\"%d\\n\", a + b);\n}\n";
    fixture.write("a.cpp", freopen);
    fixture.check("judge sum a.cpp --case sample/1", 1, &["WA", &hint("sum.out"), "`[io]`"]);
    for program in
        [":", "echo 77; (echo 7 > sum.out) 2> /dev/null", "(cat < sum.in) 2> /dev/null; exit 0"]
    {
        fixture.write("a.sh", program);
        let report = fixture.json("judge sum a.sh --case sample/1", 1);
        let cause = report["submissions"][0]["judgement"]["test_cases"][0]["cause"].to_string();
        assert!(!cause.contains("the file"), "{program}: {cause}");
    }
}
