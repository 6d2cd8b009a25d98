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
