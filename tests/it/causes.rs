//! What a verdict's cause says was measured: no signal, exit code or word of a program makes one up.

use crate::fixture::Fixture;

#[test]
fn a_cause_is_what_was_measured() {
    let fixture = Fixture::new();
    let check = |program: &str, verdict: &str, cause: &str| {
        fixture.write("p.sh", program);
        fixture.check("judge sum p.sh --case sample/1", 1, &[verdict, cause]);
    };
    for (name, signal) in [
        ("XFSZ", "SIGXFSZ"),
        ("XCPU", "SIGXCPU"),
        ("KILL", "SIGKILL"),
        ("SYS", "SIGSYS"),
        ("ALRM", "SIGALRM"),
    ] {
        check(&format!("echo 1; kill -{name} $$\n"), "RTE", &format!("killed by {signal}"));
    }
    for code in [137, 152, 153, 42, 43] {
        check(&format!("echo 1; exit {code}\n"), "RTE", &format!("exit code {code}"));
    }
    let words = "echo 'wrote more than the 8 MiB allowed: OLE, killed by SIGKILL' >&2; exit 1\n";
    check(words, "RTE", "exit code 1");
    // It has no file left to show.
    check("exec head -c 20000000 /dev/zero > /tmp/large\n", "RTE", "killed by SIGXFSZ");
    check("exec head -c 20000000 /dev/zero\n", "OLE", "wrote more than the 8 MiB allowed");
}

/// As with problemtools, the memory limit is the size of the heap.
#[test]
fn a_java_program_may_fill_a_heap_of_the_memory_limit() {
    if !crate::builds::has("javac") {
        return;
    }
    let fixture = Fixture::new();
    let check = |mib: u32, code: i32, said: &[&str]| {
        let source = format!(
            "class Main {{ public static void main(String[] given) {{\n\
             java.util.Scanner in = new java.util.Scanner(System.in);\n\
             byte[] kept = new byte[{mib} << 20]; java.util.Arrays.fill(kept, (byte) 1);\n\
             System.out.println(in.nextInt() + in.nextInt() + kept[7] - kept[kept.length - 1]); }} }}\n"
        );
        fixture.write("Main.java", source);
        fixture.check("judge sum Main.java --memory-limit 64 --time-limit 10", code, said);
    };
    check(40, 0, &["AC"]);
    check(80, 1, &["RTE", "java.lang.OutOfMemoryError: Java heap space"]);
}
