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
