//! Hostile programs in the sandbox: what they do, and what they cannot do.
//!
//! Everything here runs as the user who runs the tests; under root all of it runs once more as a user without rights.
//! No test depends on how fast the machine is: limits that should not be reached are far away.

#[cfg(target_os = "linux")]
mod anew;
mod bill;
#[cfg(target_os = "linux")]
mod clock;
mod hostile;
mod inherited;
mod joined;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod marks;
#[cfg(target_os = "linux")]
mod neighbours;
pub(crate) mod outputs;
mod short;

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use juror_core::blob::Blob;
use juror_core::isolation::{Isolation, RequiredIsolation};
use juror_core::job::{BoxRetention, CollectedEntry, Command, Job, JobReply, VisiblePath};
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Meter, Outcome, Signal, StopReason};
use juror_core::root::FilePath;
use juror_core::stop::{StopFlag, with_stop_flags};
use juror_core::tree::{FileMode, Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_sandbox::sandbox::{Host, Slot, is_interrupted, is_unexplained_kill};

use crate::fixture::write_program;

/// Where the programs are, for a run as another user. That run does not start another.
pub(crate) const PROGRAMS: &str = "JUROR_TEST_PROGRAMS";

/// What must measure CPU time and memory on this machine, such as `Cgroup2 Rusage`, if that is known.
const METERS: &str = "JUROR_TEST_METERS";

pub(crate) fn programs() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| match std::env::var_os(PROGRAMS) {
        Some(directory) => directory.into(),
        None => compiled_once(Path::new(env!("CARGO_TARGET_TMPDIR"))),
    })
}

/// The compiled programs in a directory that stays: its name depends on their sources and compilers. They are made in
/// another directory, which is then renamed, so that several processes may make them at once.
fn compiled_once(parent: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    for source in sources() {
        source.file_name().hash(&mut hasher);
        fs::read(&source).unwrap().hash(&mut hasher);
    }
    for compiler in ["cc", "c++", "rustc"] {
        let version = process::Command::new(compiler).arg("--version").output();
        version.ok().map(|it| it.stdout).hash(&mut hasher);
    }
    let target = parent.join(format!("programs-{:016x}", hasher.finish()));
    if !target.exists() {
        let directory = tempfile::tempdir_in(parent).unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
        compile_all(directory.path());
        // Another process was faster. Its result is the same.
        if fs::rename(directory.path(), &target).is_ok() {
            // There is nothing left to remove.
            let _ = directory.keep();
        }
    }
    target
}

/// For machines without compilers: prints where the programs are.
#[test]
#[ignore = "run by tests/hosts/run"]
#[expect(clippy::print_stdout, reason = "whoever runs it reads it")]
fn the_programs_are_in_a_directory() {
    println!("\nprograms: {}", programs().display());
}

/// In the order of their names.
fn sources() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = fs::read_dir(directory).unwrap();
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    sources
}

fn compile_all(target: &Path) {
    fs::create_dir_all(target).unwrap();
    let sources = sources();
    // Several at once: there are many of them.
    std::thread::scope(|scope| {
        for some in sources.chunks(sources.len().div_ceil(4)) {
            scope.spawn(|| some.iter().for_each(|source| compile(source, target)));
        }
    });
}

/// The one isolation method to test, instead of the best that works here.
pub(crate) const ISOLATION: &str = "JUROR_TEST_ISOLATION";
/// Compiles a source to a program with the source's name without its ending. Without its compiler, there is no
/// program.
fn compile(source: &Path, target: &Path) {
    let program = target.join(source.file_stem().unwrap());
    let compiler = |name: &str, options: &[&str], libraries: &[&str]| {
        let mut command = process::Command::new(name);
        command.args(options).arg("-o").arg(&program).arg(source);
        // A compiler that was not installed well counts as missing. Only C must work, since without it nothing could
        // be tested here.
        let output = command.args(libraries).output();
        let is_made = output.is_ok_and(|output| output.status.success());
        // Attacks on Linux compile only on Linux.
        let must = name == "cc" && cfg!(target_os = "linux");
        assert!(is_made || !must, "{}: cc fails", source.display());
    };
    match source.extension().and_then(OsStr::to_str) {
        Some("c") if program.ends_with("nothing") => {
            compiler("cc", &["-O1", "-w", "-static", "-nostdlib"], &[]);
        }
        Some("c") => compiler("cc", &["-O1", "-w"], &["-lpthread"]),
        Some("cpp") => compiler("c++", &["-O1", "-w"], &["-lpthread"]),
        Some("rs") => compiler("rustc", &["--edition=2024", "-Awarnings"], &[]),
        Some("sh" | "py") => {
            write_program(&program, &fs::read_to_string(source).unwrap());
        }
        _ => {}
    }
}

/// The host under test. It is tried once: on an emulated machine a trial takes a tenth of a second.
fn host() -> &'static Host {
    static FOUND: OnceLock<Host> = OnceLock::new();
    FOUND.get_or_init(|| find_host().expect("this machine keeps programs apart this way"))
}

/// The requested isolation method, or the best that works.
fn find_host() -> Result<Host, JudgeError> {
    let isolation = std::env::var(ISOLATION).unwrap_or_default();
    let is_named = |mode: &Isolation| serde_json::to_value(mode).is_ok_and(|key| key == *isolation);
    let named = Isolation::ALL.into_iter().find(is_named);
    named.map_or_else(|| Host::find(RequiredIsolation::Any), Host::try_isolation)
}

fn slot() -> Slot {
    Slot::start(host(), None).expect("a slot starts")
}

/// Programs are isolated without namespaces, so that boxes are directories on disk.
fn uses_landlock() -> bool {
    host().isolation() == Isolation::Landlock
}

fn has_group_meters() -> bool {
    let mechanism = host().mechanism();
    mechanism.cpu != Meter::Rusage && mechanism.memory != Meter::Rusage
}

/// A job for one of the programs, with limits that are far away.
pub(crate) fn job(program: &str, arguments: &[&str]) -> Job {
    let mut argv = vec![format!("/program/{program}")];
    argv.extend(arguments.iter().map(ToString::to_string));
    Job {
        command: Command {
            argv,
            env: Vec::new(),
            visible: vec![VisiblePath::tree("/program", &Tree::unlisted(programs()))],
        },
        stdin: Blob::default(),
        files: Vec::new(),
        writable: true,
        box_size: Bytes::mib(64),
        limits: Limits {
            cpu_time: Some(Duration::from_secs(600)),
            wall_time: Some(Duration::from_secs(600)),
            deadline: None,
            memory: Some(Bytes::mib(128)),
            output: Some(Bytes::mib(32)),
            processes: Some(64),
        },
        collect: Vec::new(),
        keep: BoxRetention::Nothing,
        is_timed: false,
    }
}

/// Ends threads that run until this is dropped, also if a check fails: nobody waits for them for ever.
pub(crate) struct SetOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(crate) fn run(slot: &mut Slot, job: &Job) -> JobReply {
    slot.run(job).unwrap_or_else(|error| panic!("{:?}: {error}", job.command.argv))
}

fn bytes(blob: &Blob) -> Vec<u8> {
    blob.prefix(u64::MAX).unwrap()
}

fn text(blob: &Blob) -> String {
    String::from_utf8_lossy(&bytes(blob)).into_owned()
}

/// An executable file.
pub(crate) fn executable(path: impl Into<std::path::PathBuf>) -> Node {
    Node::File { blob: Blob::file(&FilePath::root(path)), mode: FileMode::Executable }
}

/// The directory in which the box of a run was kept.
pub(crate) fn kept_box(reply: &JobReply) -> &Path {
    reply.kept.as_ref().and_then(Tree::directory).expect("a box that was kept")
}

pub(crate) fn stdout_text(reply: &mut JobReply) -> String {
    text(&reply.stdout)
}

/// How a run ended, such as `exit 0`, `SIGSEGV`, `stopped: WallTime`.
fn summary(outcome: &Outcome) -> String {
    match (outcome.stopped_by, outcome.ending) {
        (Some(stop), _) => format!("stopped: {stop:?}"),
        (None, Ending::Exited(code)) => format!("exit {code}"),
        (None, Ending::Signalled(signal)) => signal.to_string(),
    }
}

/// Runs a program in a slot, and compares how it ended and what it wrote.
fn check(slot: &mut Slot, job: &Job, expected: &str, output: &str) -> Outcome {
    let reply = run(slot, job);
    let argv = &job.command.argv;
    let errors = text(&reply.stderr);
    let outcome = reply.outcome;
    assert_eq!(summary(&outcome), expected, "{argv:?}: {outcome:?} {errors}");
    assert_eq!(text(&reply.stdout), output, "{argv:?}: {outcome:?} {errors}");
    outcome
}

#[test]
fn programs_end_as_outside_the_sandbox() {
    let mut slot = slot();
    let mut check = |arguments: &[&str], expected: &str| {
        check(&mut slot, &job("endings", arguments), expected, "");
    };
    check(&["exit", "0"], "exit 0");
    check(&["exit", "42"], "exit 42");
    check(&["exit", "255"], "exit 255");
    check(&["abort"], "SIGABRT");
    check(&["segv"], "SIGSEGV");
    check(&["divide"], if cfg!(target_arch = "x86_64") { "SIGFPE" } else { "exit 0" });
    check(&["raise", "15"], "SIGTERM");
    check(&["raise", "9"], "SIGKILL");
    check(&["raise", "2"], "SIGINT");
    check(&["raise", "24"], "SIGXCPU");
    check(&["raise", "34"], "signal 34");
    check(&["pipe"], "SIGPIPE");
    check(&["large-file"], "SIGXFSZ");
    check(&["alarm"], "SIGALRM");
    check(&["mask"], "exit 0");
}

#[test]
fn arguments_and_environment_arrive_as_they_are() {
    let mut slot = slot();
    let strange = ["", " ", "a b", "\n", ";", "# x", "$(touch y)", "`z`", "'\"", "\\", "é\u{7f}"];
    let mut arguments = vec!["arguments"];
    arguments.extend(strange);
    let expected: String = strange.iter().map(|text| format!("[{text}]")).collect();
    check(&mut slot, &job("endings", &arguments), "exit 0", &expected);
    let mut environment = |name: &str, value: &str| {
        let mut job = job("endings", &["environment", name]);
        job.command.env = vec![("OWN".into(), "a=b c".into()), ("TZ".into(), "CET".into())];
        check(&mut slot, &job, "exit 0", value);
    };
    environment("OWN", "a=b c");
    environment("TZ", "CET");
    if !uses_landlock() {
        environment("HOME", "/box");
    }
    environment("PATH", "/usr/local/bin:/usr/bin:/bin");
    environment("CARGO_MANIFEST_DIR", "unset");
}

#[test]
fn long_arguments_and_many_files_arrive() {
    let mut slot = slot();
    let long = "x".repeat(100_000);
    let mut job = job("endings", &["arguments", &long]);
    job.files = (0..2000)
        .map(|number| {
            TreeEntry::new(
                format!("a-rather-long-directory-name/{number}"),
                Node::plain(b"x".to_vec()),
            )
        })
        .collect();
    job.collect = vec!["a-rather-long-directory-name/1999".into()];
    let reply = run(&mut slot, &job);
    assert_eq!(text(&reply.stdout), format!("[{long}]"));
    assert!(matches!(reply.collected[..], [CollectedEntry::File(_)]), "{:?}", reply.collected);
}

#[test]
fn limits_stop_programs() {
    let mut slot = slot();
    let half = Duration::from_millis(500);
    let mut limited = |arguments: &[&str], expected: &str, set: fn(&mut Limits)| {
        let mut job = job("hungry", arguments);
        set(&mut job.limits);
        let reply = run(&mut slot, &job);
        let outcome = reply.outcome.clone();
        assert_eq!(
            summary(&outcome),
            expected,
            "{arguments:?}: {outcome:?} {}",
            text(&reply.stderr)
        );
        reply
    };
    let cpu: fn(&mut Limits) = |limits| limits.cpu_time = Some(Duration::from_millis(500));
    let little: fn(&mut Limits) = |limits| limits.output = Some(Bytes::kib(300));

    let outcome = limited(&["cpu", "-1"], "stopped: CpuTime", cpu).outcome;
    assert!(outcome.cpu_time >= half && outcome.wall_time >= half, "{outcome:?}");
    let outcome = limited(&["cpu-in-children"], "stopped: CpuTime", cpu).outcome;
    assert!(outcome.cpu_time >= half, "{outcome:?}");

    // So long that the start of the program is short in comparison, even if a busy machine is emulated.
    let long: fn(&mut Limits) = |limits| limits.wall_time = Some(Duration::from_secs(2));
    let outcome = limited(&["sleep"], "stopped: WallTime", long).outcome;
    assert!(outcome.wall_time >= Duration::from_secs(2), "{outcome:?}");
    assert!(outcome.cpu_time < Duration::from_secs(1), "sleeping takes no CPU time: {outcome:?}");

    for stream in ["output", "errors"] {
        let reply = limited(&[stream], "stopped: Output", little);
        let written = reply.outcome.stdout_bytes.saturating_add(reply.outcome.stderr_bytes);
        assert!(written > Bytes::kib(300), "{:?}", reply.outcome);
        assert!(bytes(&reply.stdout).len() as u64 <= Bytes::kib(300).0);
        assert!(bytes(&reply.stderr).len() as u64 <= Bytes::kib(70).0);
    }
}

#[test]
fn memory_beyond_the_limit_ends_the_program() {
    if !has_group_meters() {
        return skip("no control group to limit memory");
    }
    let mut slot = slot();
    // The judge is larger than its programs may be, but is not killed for that.
    let ballast = std::hint::black_box(vec![1u8; 200 << 20]);
    let mut large = self::slot();
    for _ in 0..3 {
        let mut small = job("hungry", &["memory", "50"]);
        small.limits.memory = Some(Bytes::mib(16));
        let reply = run(&mut large, &small);
        assert_eq!(summary(&reply.outcome), "stopped: Memory", "{:?}", reply.outcome);
    }
    drop(ballast);
    let mut stopped = |program: &str, arguments: &[&str]| {
        let reply = run(&mut slot, &job(program, arguments));
        assert_eq!(
            summary(&reply.outcome),
            "stopped: Memory",
            "{arguments:?}: {:?}",
            reply.outcome
        );
        assert!(reply.outcome.peak_memory > Bytes::mib(100), "{arguments:?}: {:?}", reply.outcome);
    };
    stopped("hungry", &["memory", "200"]);
    stopped("hungry", &["array"]);
    stopped("hungry", &["memory-in-child", "200"]);
    stopped("endings", &["dive"]);
    if uses_landlock() {
        return skip("the box is not in memory");
    }
    // Files in memory count as memory, and stay after the program's end.
    let mut filling = job("hungry", &["box"]);
    filling.limits.memory = Some(Bytes::mib(16));
    filling.limits.output = None;
    filling.collect = vec!["f0".into()];
    let reply = run(&mut slot, &filling);
    assert_eq!(summary(&reply.outcome), "stopped: Memory", "{:?}", reply.outcome);
    assert!(reply.outcome.file_bytes > Bytes::mib(8), "{:?}", reply.outcome);
    assert!(matches!(reply.collected[..], [CollectedEntry::File(_)]), "{:?}", reply.collected);
    // Memory that processes share counts once.
    check(&mut slot, &job("hungry", &["shared-memory", "50"]), "exit 0", "");
    // Memory that is only requested does not count.
    check(&mut slot, &job("hungry", &["untouched-array"]), "exit 0", "");
    let outcome = check(&mut slot, &job("hungry", &["memory", "50"]), "exit 0", "");
    let near = Bytes::mib(48)..Bytes::mib(53);
    assert!(near.contains(&outcome.peak_memory), "{outcome:?}");
}

#[test]
fn processes_and_threads_are_limited_together() {
    if uses_landlock() && !rustix::process::geteuid().is_root() {
        return skip("processes of one user are limited only roughly");
    }
    let mut slot = slot();
    for kind in ["forks", "threads"] {
        let mut job = job("hungry", &[kind]);
        job.limits.processes = Some(20);
        let outcome = check(&mut slot, &job, "exit 0", "19");
        if has_group_meters() {
            assert!(outcome.refused_processes > 0, "{outcome:?}");
        }
    }
    let mut job = job("hungry", &["bomb"]);
    job.limits.wall_time = Some(Duration::from_millis(300));
    job.limits.processes = Some(200);
    let reply = run(&mut slot, &job);
    assert!(reply.outcome.stopped_by.is_some(), "{:?}", reply.outcome);
    // The limit holds, however many processes there are.
    let long = Duration::from_secs(3);
    assert!(reply.outcome.wall_time < long, "{:?}", reply.outcome);
    check(&mut slot, &self::job("hungry", &["forks"]), "exit 0", "63");
}

/// Without the filter, it cannot be told from a kill by another process of the machine.
#[test]
fn a_kill_that_the_run_sent_is_its_own_end() {
    let mut slot = slot();
    let mut check = |way: &str, expected: &str| {
        let job = job("send-kill", &[way]);
        let outcome = check(&mut slot, &job, expected, "");
        assert!(!is_unexplained_kill(&outcome, &job.limits), "{way}: {outcome:?}");
    };
    for way in ["kill", "tkill", "tgkill", "group", "queue", "thread-queue", "pidfd", "timer"] {
        check(way, "SIGKILL");
    }
    for way in ["child", "child-all", "descriptor", "time", "own-filter", "high-bits", "vfork"] {
        check(way, "SIGKILL");
    }
    check("childs-end", "exit 0");
    check("parents-end", "exit 0");
    check("strict", "exit 0");
    if !rustix::process::geteuid().is_root() {
        // The slot kills it, because of what it holds.
        let job = job("pipes", &["hold", "for-ever"]);
        let outcome = run(&mut slot, &job).outcome;
        assert_eq!(summary(&outcome), "SIGKILL", "{outcome:?}");
        assert!(!is_unexplained_kill(&outcome, &job.limits), "{outcome:?}");
    }
    // A later run of the slot is not blamed.
    assert!(!run(&mut slot, &job("nothing", &[])).outcome.has_killed);
}

#[test]
fn leftover_processes_are_killed() {
    let mut slot = slot();
    // Another test starts the same program.
    let marker = "with-namespaces";
    for what in ["sleep", "burn", "write"] {
        let mut job = job("orphans", &[what, marker]);
        job.collect = vec!["late".into()];
        // It returns although the orphan holds standard output open.
        check(&mut slot, &job, "exit 0", "done");
    }
    let leftover = processes_of("orphans").into_iter().find(|line| line.contains(marker));
    assert_eq!(leftover, None);
}

/// Command lines of processes of this machine that run this test program.
pub(crate) fn processes_of(program: &str) -> Vec<String> {
    let inside = format!("/program/{program}");
    let outside = programs().join(program).display().to_string();
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok())
        .filter(|line| line.starts_with(&inside) || line.starts_with(&outside))
        .collect()
}

#[test]
fn cpu_time_cannot_be_hidden() {
    if !has_group_meters() {
        return skip("no control group to count CPU time");
    }
    let mut slot = slot();
    let outcome = check(&mut slot, &job("hungry", &["hidden-cpu", "300"]), "exit 0", "");
    assert!(outcome.cpu_time >= Duration::from_millis(295), "{outcome:?}");
    // The next run starts from zero.
    let outcome = check(&mut slot, &job("nothing", &[]), "exit 0", "");
    assert!(outcome.cpu_time < Duration::from_millis(100), "{outcome:?}");
}

#[test]
fn collected_files_are_never_links() {
    let mut slot = slot();
    let mut found = |what: &str, name: &str| {
        let mut job = job("trap", &[what]);
        job.collect = vec![name.into()];
        let mut reply = run(&mut slot, &job);
        assert_eq!(summary(&reply.outcome), "exit 0", "{what}");
        match &mut reply.collected[..] {
            [CollectedEntry::File(file)] => format!("a file: {}", text(file)),
            [CollectedEntry::Missing] => "missing".to_owned(),
            [CollectedEntry::NotAFile(kind)] => kind.to_string(),
            other => panic!("one answer for one name: {other:?}"),
        }
    };
    assert_eq!(found("directory", "out"), "a directory");
    assert_eq!(found("fifo", "out"), "a fifo");
    if !uses_landlock() {
        assert_eq!(found("socket", "out"), "a socket");
    }
    assert_eq!(found("link", "out"), "a symbolic link");
    assert_eq!(found("link-to-self", "out"), "a symbolic link");
    assert_eq!(found("link-inside", "out"), "a symbolic link");
    assert_eq!(found("link-to-stdin", "out"), "a symbolic link");
    assert_eq!(found("parent-link", "dir/out"), "a symbolic link");
    assert_eq!(found("parent-link", "real/out"), "a file: ");
    assert_eq!(found("hard-link", "out"), "missing");
    assert_eq!(found("unreadable", "out"), "a file: secret");
    assert_eq!(found("nothing", "out"), "missing");
    assert_eq!(found("nothing", "a/b/c"), "missing");
    assert_eq!(found("nothing", "."), "a directory");
}

#[test]
fn names_outside_the_box_are_an_error() {
    let mut slot = slot();
    for name in ["/etc/passwd", "..", "../etc/passwd"] {
        let mut job = job("trap", &["nothing"]);
        job.collect = vec![name.into()];
        let error = slot.run(&job).unwrap_err();
        assert_eq!(error.reason, "not a relative path without `..`", "{name}");
    }
}

#[test]
fn files_left_in_the_box_are_counted() {
    let mut slot = slot();
    let sized = |slot: &mut Slot, program: &str, arguments: &[&str]| {
        let mut job = job(program, arguments);
        job.files = vec![TreeEntry::new("given/data", Node::plain(vec![b'x'; 5000]))];
        job.collect = vec!["out".into()];
        let reply = run(slot, &job);
        assert_eq!(summary(&reply.outcome), "exit 0", "{arguments:?}");
        reply.outcome.file_bytes
    };
    assert_eq!(sized(&mut slot, "endings", &[]), Bytes(0));
    assert_eq!(sized(&mut slot, "trap", &["unreadable"]), Bytes(6));
    assert!(sized(&mut slot, "trap", &["deep"]) >= Bytes::mib(1));
    // A terabyte of holes is counted, and not copied.
    let mut job = job("hungry", &["sparse", "1048576"]);
    job.limits.output = None;
    job.collect = vec!["out".into()];
    let mut reply = run(&mut slot, &job);
    assert_eq!(reply.outcome.file_bytes, Bytes(1 << 40));
    let [CollectedEntry::File(copied)] = &mut reply.collected[..] else {
        panic!("{:?}", reply.collected);
    };
    assert_eq!(bytes(copied).len() as u64, job.box_size.0);
}

#[test]
fn a_full_box_is_full() {
    let mut slot = slot();
    for what in ["box", "names"] {
        let mut job = job("hungry", &[what]);
        job.box_size = Bytes::mib(4);
        job.limits.output = None;
        match (uses_landlock(), what) {
            // The kernel does not refuse more; a program that takes more is stopped.
            (true, "box") => {
                let outcome = run(&mut slot, &job).outcome;
                assert_eq!(summary(&outcome), "stopped: Output", "{outcome:?}");
            }
            (true, _) => {}
            (false, _) => {
                check(&mut slot, &job, "exit 0", "full");
            }
        }
    }
}

#[test]
fn every_door_is_shut() {
    let expected = "\
ptrace EPERM
process_vm_readv EPERM
pidfd_getfd EPERM
prlimit EPERM
unshare EPERM
clone EPERM
clone3 ENOSYS
setns EPERM
mount EPERM
umount EPERM
mount_setattr EPERM
chroot EPERM
keyctl EPERM
add_key EPERM
bpf EPERM
perf_event_open EPERM
userfaultfd EPERM
io_uring EPERM
inet EPERM
inet6 EPERM
netlink EPERM
vsock EPERM
packet EPERM
unix OPEN
shmget EPERM
mq_open EPERM
setuid EPERM
setgid EPERM
sethostname EPERM
mknod EPERM
open_by_handle EPERM
swapoff EPERM
reboot EPERM
";
    // Where there is no other user, the number of one is an invalid argument.
    let expected = if host().mechanism().isolation == Isolation::UserNamespaces {
        expected.replace("setuid EPERM\nsetgid EPERM", "setuid EINVAL\nsetgid EINVAL")
    } else if uses_landlock() {
        // With a socket, a program could talk to services of the machine.
        expected.replace("unix OPEN", "unix EPERM")
    } else {
        expected.to_owned()
    };
    check(&mut slot(), &job("doors", &["calls"]), "exit 0", &expected);
}

#[test]
fn files_of_the_machine_are_hidden() {
    if uses_landlock() {
        return skip("without namespaces the names of files can be guessed; see `fallback`");
    }
    check(&mut slot(), &job("doors", &["views"]), "exit 0", "");
}

#[test]
fn calls_by_another_convention_end_the_program() {
    if !cfg!(target_arch = "x86_64") {
        return skip("only x86-64 has other conventions");
    }
    let mut slot = slot();
    check(&mut slot, &job("int80", &[]), "SIGSYS", "");
    check(&mut slot, &job("x32", &[]), "SIGSYS", "");
}

#[test]
fn input_cannot_be_changed_and_is_the_same_in_every_run() {
    let mut slot = slot();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("input");
    fs::write(&path, "original").unwrap();
    let from_bytes = Blob::from(b"original".to_vec());
    for stdin in [from_bytes, Blob::file(&FilePath::root(&path))] {
        let mut job = job("doors", &["input"]);
        job.stdin = stdin;
        for _ in 0..2 {
            check(&mut slot, &job, "exit 0", "input is the same\n");
        }
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "original");
}

/// A file of this length that begins with `original`; the rest is a hole.
fn sparse_file(directory: &Path, name: &str, length: u64, mode: u32) -> Blob {
    let path = directory.join(name);
    fs::write(&path, "original").unwrap();
    fs::OpenOptions::new().append(true).open(&path).unwrap().set_len(length).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    Blob::file(&FilePath::root(path))
}

fn shell_job(script: &str) -> Job {
    let mut job = job("nothing", &[]);
    job.command.argv = ["/bin/sh", "-c", script].map(String::from).to_vec();
    job
}

#[test]
fn a_large_input_cannot_be_changed_either() {
    let mut slot = slot();
    let directory = tempfile::tempdir().unwrap();
    const MORE_THAN_MEMORY: u64 = 17 << 20;
    let mut in_memory = b"original".to_vec();
    in_memory.resize(MORE_THAN_MEMORY as usize, 0);
    let mut unnamed = tempfile::tempfile().unwrap();
    unnamed.write_all(&in_memory).unwrap();
    let inputs = [
        sparse_file(directory.path(), "shown", MORE_THAN_MEMORY, 0o644),
        sparse_file(directory.path(), "writable", MORE_THAN_MEMORY, 0o666),
        sparse_file(directory.path(), "private", MORE_THAN_MEMORY, 0o600),
        Blob::from(in_memory),
        Blob::open_file(unnamed),
    ];
    for stdin in inputs {
        for _ in 0..2 {
            let doors = Job { stdin: stdin.clone(), ..job("doors", &["input"]) };
            check(&mut slot, &doors, "exit 0", "input is the same\n");
        }
        let script = "head -c 8; head -c 8 /dev/stdin; wc -c < /dev/stdin";
        let reads = Job { stdin: stdin.clone(), ..shell_job(script) };
        check(&mut slot, &reads, "exit 0", &format!("originaloriginal{MORE_THAN_MEMORY}\n"));
        assert_eq!(stdin.prefix(8).unwrap(), b"original");
    }
}

/// More than any machine has.
const HUGE: u64 = 300_000_000_000;

#[test]
fn a_huge_file_is_shown_without_a_copy() {
    let mut slot = slot();
    let directory = tempfile::tempdir().unwrap();
    let huge = sparse_file(directory.path(), "huge", HUGE, 0o666);
    let input = |script: &str| Job { stdin: huge.clone(), ..shell_job(script) };
    let placed = |script: &str| {
        let mut job = shell_job(script);
        job.add_entry(TreeEntry::new("own/huge", Node::plain(huge.clone())));
        job
    };
    let read_only = |script: &str| Job { writable: false, ..placed(script) };
    let size = format!("original{HUGE}\n");
    let refused = "(echo x >> own/huge) 2> /dev/null || echo refused";
    let jobs = [
        (input("head -c 8; wc -c < /dev/stdin"), &*size),
        (input("readlink /proc/self/fd/0"), "/\n"),
        (input("(: >> /proc/self/fd/0) 2> /dev/null || echo refused"), "refused\n"),
        (input("chmod 777 /proc/self/fd/0 2> /dev/null || echo refused"), "refused\n"),
        (input("ln /proc/self/fd/0 x 2> /dev/null || echo refused"), "refused\n"),
        (placed("head -c 8 own/huge; wc -c < own/huge"), &size),
        (
            placed("rm -f own/huge 2> /dev/null || echo refused; head -c 8 own/huge"),
            "refused\noriginal",
        ),
        (placed("mv own/huge o 2> /dev/null || echo refused"), "refused\n"),
        (placed(refused), "refused\n"),
        (placed("chmod 777 own/huge 2> /dev/null || echo refused"), "refused\n"),
        (placed("echo x > own/new; cat own/new"), "x\n"),
        (read_only("head -c 8 own/huge; wc -c < own/huge"), &size),
        (read_only(refused), "refused\n"),
    ];
    for (job, expected) in &jobs {
        if uses_landlock() {
            let error = slot.run(job).unwrap_err().to_string();
            assert!(error.contains("huge") && error.contains("at most 4 GiB"), "{error}");
        } else {
            check(&mut slot, job, "exit 0", expected);
        }
    }
    assert_eq!(huge.prefix(8).unwrap(), b"original");
    // Another user may not read it by name, so that it would have to be copied.
    let private = sparse_file(directory.path(), "private", HUGE, 0o600);
    let own_user = rustix::process::geteuid().is_root();
    if own_user {
        let error = slot.run(&Job { stdin: private, ..shell_job("exit 0") }).unwrap_err();
        assert!(error.to_string().contains("everybody may read"), "{error}");
    }
}

#[test]
fn input_comes_whole_and_then_ends() {
    let mut slot = slot();
    let mut read = |stdin: Blob, expected: &str| {
        let mut job = job("hungry", &["input"]);
        job.stdin = stdin;
        check(&mut slot, &job, "exit 0", expected);
    };
    read(Blob::default(), "0");
    read(Blob::from(Vec::new()), "0");
    read(Blob::from(vec![7; 3_000_000]), "3000000");
}

#[test]
fn a_program_that_closes_its_output_runs_on() {
    check(&mut slot(), &job("endings", &["close-output"]), "exit 5", "before\n");
}

#[test]
fn nothing_survives_until_the_next_run() {
    let mut slot = slot();
    for _ in 0..3 {
        check(&mut slot, &job("traces", &[]), "exit 0", "done\n");
    }
}

#[test]
fn placed_files_count_towards_no_limit() {
    let mut slot = slot();
    let mut job = job("hungry", &["memory", "50"]);
    job.limits.memory = Some(Bytes::mib(64));
    job.box_size = Bytes::mib(128);
    job.files = vec![TreeEntry::new("large", Node::plain(vec![1; 100 << 20]))];
    for _ in 0..2 {
        let outcome = check(&mut slot, &job, "exit 0", "");
        assert!(outcome.peak_memory < Bytes::mib(53), "{outcome:?}");
        assert_eq!(outcome.file_bytes, Bytes(0));
    }
}

#[test]
fn memory_of_a_run_is_not_charged_to_the_next() {
    if !has_group_meters() {
        return skip("no control group to count memory");
    }
    let mut slot = slot();
    for _ in 0..2 {
        let outcome = check(&mut slot, &job("traces", &["20"]), "exit 0", "done\n");
        assert!(
            uses_landlock() || outcome.peak_memory > Bytes::mib(59),
            "its files are memory, too: {outcome:?}"
        );
        let outcome = check(&mut slot, &job("nothing", &[]), "exit 0", "");
        assert!(outcome.peak_memory < Bytes::mib(2), "{outcome:?}");
        let outcome = check(&mut slot, &job("hungry", &["memory", "50"]), "exit 0", "");
        let near = Bytes::mib(48)..Bytes::mib(53);
        assert!(near.contains(&outcome.peak_memory), "{outcome:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn first_reads_of_files_are_not_charged() {
    if !has_group_meters() {
        return skip("no control group to count memory");
    }
    let directory = tempfile::tempdir().unwrap();
    open_to_all(directory.path());
    let large = directory.path().join("large");
    fs::copy(programs().join("hungry"), &large).unwrap();
    fs::OpenOptions::new().append(true).open(&large).unwrap().set_len(30 << 20).unwrap();
    let mut slot = slot();
    let mut job = job("hungry", &["input"]);
    job.command.visible.push(VisiblePath::tree("/large", &Tree::unlisted(directory.path())));
    job.command.argv = ["/bin/sh", "-c", "cat /large/large | wc -c"].map(String::from).to_vec();
    let mut peaks = Vec::new();
    for limit in [128, 128, 16, 8] {
        job.limits.memory = Some(Bytes::mib(limit));
        // Removed from the machine's memory first, so that the program is the first to read it.
        drop_from_cache(&large);
        let outcome = check(&mut slot, &job, "exit 0", &format!("{}\n", 30 << 20));
        peaks.push(outcome.peak_memory);
    }
    assert!(peaks.iter().all(|peak| *peak < Bytes::mib(8)), "{peaks:?}");
}

#[cfg(target_os = "linux")]
fn drop_from_cache(path: &Path) {
    let file = fs::File::open(path).unwrap();
    file.sync_all().unwrap();
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
}

fn open_to_all(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn files_are_placed_and_the_box_can_be_read_only() {
    let mut slot = slot();
    let files = || {
        let file = |name: &str, content: Node| TreeEntry::new(name, content);
        vec![
            file("a.txt", Node::plain(b"one\n".to_vec())),
            file("deep/er/b.txt", Node::plain(b"two\n".to_vec())),
            file("sh", executable("/bin/sh")),
            file("link", Node::Link("/box/a.txt".into())),
            file("deep/empty", Node::Directory),
        ]
    };
    let script = "cat link deep/er/b.txt; ./sh -c 'echo three'; echo four > a.txt; cat a.txt; \
                  echo > deep/new && echo > deep/empty/new && ls deep/empty";
    let mut run = |writable: bool, expected: &str| {
        let mut job = job("", &[]);
        job.command.argv = ["/bin/sh", "-c", script].map(String::from).to_vec();
        job.files = files();
        job.writable = writable;
        let reply = self::run(&mut slot, &job);
        assert_eq!(text(&reply.stdout), expected, "{}", text(&reply.stderr));
    };
    run(true, "one\ntwo\nthree\nfour\nnew\n");
    run(false, "one\ntwo\nthree\none\n");
    run(true, "one\ntwo\nthree\nfour\nnew\n");
}

#[test]
fn files_are_not_placed_outside_the_box() {
    let mut slot = slot();
    let mut refused = |name: &str| {
        let mut job = job("nothing", &[]);
        job.files = vec![TreeEntry::new(name, Node::plain(Vec::new()))];
        slot.run(&job).unwrap_err();
    };
    refused("../x");
    refused("/x");
    refused("a/../../x");
    refused("");
}

#[test]
fn a_run_sees_what_its_job_shows_and_nothing_of_other_jobs() {
    let directory = tempfile::tempdir().unwrap();
    open_to_all(directory.path());
    let hidden = directory.path().join("hidden");
    fs::create_dir(&hidden).unwrap();
    for name in ["one", "two"] {
        fs::create_dir(hidden.join(name)).unwrap();
        fs::write(hidden.join(name).join("file"), name).unwrap();
    }
    let mut slot = slot();
    let mut seen = |shown: &[(&str, &str)], expected: &str| {
        let mut job = job("", &[]);
        job.command.visible = shown
            .iter()
            .map(|(host, inside)| VisiblePath::tree(*inside, &Tree::unlisted(hidden.join(host))))
            .collect();
        let script = "for f in /a/file /a/b/file /c /data/deep/file; do cat $f 2>/dev/null && echo; \
                      echo x 2>/dev/null > $f; done; true";
        job.command.argv = ["/bin/sh", "-c", script].map(String::from).to_vec();
        check(&mut slot, &job, "exit 0", expected);
    };
    seen(&[], "");
    seen(&[("one", "/a")], "one\n");
    seen(&[("two", "/a")], "two\n");
    seen(&[("two", "/data/deep")], "two\n");
    seen(&[("one/file", "/c")], "one\n");
    seen(&[("one", "/c")], "");
    seen(&[("one", "/a"), ("two/file", "/c")], "one\ntwo\n");
    seen(&[], "");
    // The same name may belong to something new.
    fs::rename(hidden.join("one"), hidden.join("old")).unwrap();
    fs::rename(hidden.join("two"), hidden.join("one")).unwrap();
    seen(&[("one", "/a")], "two\n");
    fs::remove_dir_all(hidden.join("one")).unwrap();
    let mut job = job("nothing", &[]);
    job.command.visible = vec![VisiblePath::tree("/program", &Tree::unlisted(hidden.join("one")))];
    let error = run_error(&job);
    assert!(error.reason.starts_with("somebody removed"), "{error}");
}

fn run_error(job: &Job) -> JudgeError {
    slot().run(job).unwrap_err()
}

#[test]
fn a_program_that_cannot_be_started_is_a_fault_that_names_it() {
    let mut slot = slot();
    let mut fault = |argv: &[&str], step: &str, reason: &str| {
        let mut job = job("", &[]);
        job.command.argv = argv.iter().map(ToString::to_string).collect();
        job.files = vec![TreeEntry::new("text", Node::plain(b"no program".to_vec()))];
        let error = slot.run(&job).unwrap_err();
        assert_eq!(error.step, step);
        assert!(error.reason.starts_with(reason), "{error}");
    };
    fault(&["/none"], "start the program /none", "ENOENT");
    fault(&["/box/text"], "start the program /box/text", "EACCES");
    fault(&["/usr"], "start the program /usr", "EACCES");
    fault(&["/bin/true", "a\0b"], "start the program", "an argument has a zero byte in it");
    fault(&[], "start the program", "no program given");
}

#[test]
fn the_box_is_kept_without_following_links() {
    let mut job = job("", &[]);
    let script = "echo x > a; mkdir d; echo y > d/b; ln -s /etc/passwd l; mkfifo f";
    job.command.argv = ["/bin/sh", "-c", script].map(String::from).to_vec();
    job.keep = BoxRetention::ALL;
    let reply = run(&mut slot(), &job);
    assert_eq!(summary(&reply.outcome), "exit 0");
    let box_path = kept_box(&reply);
    assert_eq!(fs::read_to_string(box_path.join("a")).unwrap(), "x\n");
    assert_eq!(fs::read_to_string(box_path.join("d/b")).unwrap(), "y\n");
    assert_eq!(fs::read_link(box_path.join("l")).unwrap(), Path::new("/etc/passwd"));
    assert!(!box_path.join("f").exists());
    let tree = reply.kept.as_ref().unwrap();
    let mut names: Vec<_> = tree.entries.iter().map(|entry| &entry.name).collect();
    names.sort();
    assert_eq!(names, [Path::new("a"), Path::new("d/b"), Path::new("l")]);
    let box_path = box_path.to_path_buf();
    drop(reply);
    assert!(!box_path.exists(), "gone with the reply");
}

#[test]
fn boxes_with_overlong_paths_are_kept() {
    let mut slot = slot();
    for (program, deepest) in [("long-names", 30), ("deep-directories", 32)] {
        if !programs().join(program).exists() || !Path::new("/usr/bin/python3").exists() {
            skip("no Python");
            continue;
        }
        let mut job = job(program, &[]);
        job.keep = BoxRetention::ALL;
        let reply = run(&mut slot, &job);
        assert_eq!(summary(&reply.outcome), "exit 0");
        // One by one, since no path is that long.
        let depth =
            std::iter::successors(Some(fs::File::open(kept_box(&reply)).unwrap()), |directory| {
                let descriptor =
                    format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(directory));
                let mut below = fs::read_dir(descriptor)
                    .unwrap()
                    .map(|entry| entry.unwrap())
                    .filter(|entry| entry.file_type().unwrap().is_dir());
                fs::File::open(below.next()?.path()).ok()
            });
        assert_eq!(depth.count() - 1, deepest);
    }
}

#[test]
fn a_stop_ends_a_run_at_once_and_the_slot_goes_on() {
    let mut slot = slot();
    let sleep = job("hungry", &["sleep"]);
    let mut check = |ask: &(dyn Fn(StopFlag) + Sync)| {
        let flag = StopFlag::default();
        let error = std::thread::scope(|scope| {
            scope.spawn(|| ask(flag.clone()));
            with_stop_flags(std::slice::from_ref(&flag), || slot.run(&sleep)).unwrap_err()
        });
        assert!(is_interrupted(&error), "{error}");
        self::check(&mut slot, &job("endings", &["exit", "3"]), "exit 3", "");
    };
    // Before it begins, while it begins, or while it runs.
    check(&|flag| flag.set());
    for yields in [10, 1000, 100_000] {
        check(&|flag| {
            (0..yields).for_each(|_| std::thread::yield_now());
            flag.set();
        });
    }
}

#[test]
fn a_program_is_as_nice_as_the_judge() {
    let own = rustix::process::getpriority_process(None).unwrap();
    let nice = own.to_string();
    check(&mut slot(), &job("endings", &["nice"]), "exit 0", &nice);
}

#[test]
fn preparing_the_box_is_not_charged() {
    let mut slot = slot();
    let light = job("nothing", &[]);
    let mut heavy = light.clone();
    heavy.files = (0..1000)
        .map(|number| TreeEntry::new(format!("directory/{number}"), Node::plain(vec![1; 5000])))
        .collect();
    let mut least = |job: &Job| {
        let runs = (0..10).map(|_| {
            let start = std::time::Instant::now();
            let billed = run(&mut slot, job).outcome.cpu_time;
            (billed, start.elapsed())
        });
        runs.min().unwrap()
    };
    let ((light, _), (heavy, took)) = (least(&light), least(&heavy));
    // To make these files takes most of the time of the whole run.
    assert!(heavy < light + took / 4, "{light:?} {heavy:?} {took:?}");
}

/// The processes of this process's slots: its children, except those that only hold a user's number.
pub(crate) fn slots() -> Vec<i32> {
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let is_slot = |number: &i32| {
        let name = fs::read_to_string(format!("/proc/{number}/comm")).unwrap_or_default();
        name.trim() != "juror-user"
    };
    lists
        .flat_map(|list| {
            let list = list.unwrap_or_default();
            list.split_whitespace().map(|number| number.parse().unwrap()).collect::<Vec<i32>>()
        })
        .filter(is_slot)
        .collect()
}

/// What a process has open, mounted, grouped and started.
#[derive(Debug, PartialEq, Eq)]
struct ProcessResources {
    descriptors: usize,
    mounts: usize,
    groups: Vec<PathBuf>,
    children: usize,
}

impl ProcessResources {
    fn of_this_process() -> Self {
        let children = fs::read_dir("/proc/self/task").unwrap().flatten();
        let children = children.map(|thread| fs::read_to_string(thread.path().join("children")));
        Self {
            descriptors: fs::read_dir("/proc/self/fd").unwrap().count(),
            mounts: fs::read_to_string("/proc/self/mountinfo").unwrap().lines().count(),
            groups: groups_of(process::id()),
            children: children
                .map(|list| list.unwrap_or_default().split_whitespace().count())
                .sum(),
        }
    }
}

/// The prefix of the names of groups that the judge with this number makes.
fn group_name_prefix(judge: u32) -> String {
    let namespace = rustix::fs::stat("/proc/self/ns/pid").map_or(0, |found| found.st_ino);
    format!("juror-{namespace}-{judge}-")
}

/// The control groups of the judge with this process ID.
fn groups_of(judge: u32) -> Vec<PathBuf> {
    let start = group_name_prefix(judge);
    walkdir::WalkDir::new("/sys/fs/cgroup")
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&start))
        .map(|entry| entry.into_path())
        .collect()
}

/// A name that a rename changed would start nothing, and pass.
pub(crate) fn assert_one_test_ran(test: &str, output: &process::Output) {
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("running 1 test\n"), "{test} is the name of no test: {report}");
}

/// Runs one test of this binary in a process of its own, as this user, and returns what it wrote.
pub(crate) fn run_in_own_process(
    test: &str,
    set: impl FnOnce(&mut process::Command),
) -> process::Output {
    let mut command = process::Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PROGRAMS, programs());
    set(&mut command);
    let output = command.output().unwrap();
    assert_one_test_ran(test, &output);
    output
}

#[test]
#[should_panic(expected = "sandbox::no_such_test is the name of no test")]
fn a_test_of_another_name_is_not_run() {
    run_in_own_process("sandbox::no_such_test", |_| {});
}

#[test]
fn three_hundred_runs_leave_nothing() {
    let output = run_in_own_process("sandbox::three_hundred_runs", |_| {});
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// It counts what its process has, so it must be alone in it.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn three_hundred_runs() {
    let before = ProcessResources::of_this_process();
    let mut slot = slot();
    run(&mut slot, &job("nothing", &[]));
    let during = ProcessResources::of_this_process();
    for round in 0..300 {
        let program = ["nothing", "orphans", "traces"][round % 3];
        run(&mut slot, &job(program, &[]));
    }
    assert_eq!(ProcessResources::of_this_process(), during);
    drop(slot);
    assert_eq!(ProcessResources::of_this_process(), before);
    assert_eq!(processes_of("orphans"), Vec::<String>::new());
}

#[test]
fn a_judge_that_is_killed_leaves_nothing() {
    let output = run_in_own_process("sandbox::be_killed", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it killed itself: {errors}");
    let report = String::from_utf8_lossy(&output.stdout);
    let judge = report.lines().find_map(|line| line.split("judge ").nth(1));
    let judge: u32 =
        judge.and_then(|number| number.trim().parse().ok()).expect("it said its number");
    // The slot notices at once, but needs some time.
    let is_gone = || {
        groups_of(judge).is_empty()
            && processes_of("hungry").iter().all(|line| !line.contains(&marker(judge)))
    };
    let patience = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        is_gone()
    });
    assert!(patience, "{:?} {:?}", groups_of(judge), processes_of("hungry"));
}

fn marker(judge: u32) -> String {
    format!("judge-{judge}")
}

/// A judge that is killed during eight runs.
#[test]
#[ignore = "run by another test, in a process of its own"]
#[expect(clippy::print_stdout, reason = "the other test reads it")]
fn be_killed() {
    const AT_ONCE: usize = 8;
    let judge = process::id();
    println!("judge {judge}");
    for _ in 0..AT_ONCE {
        let mut slot = slot();
        let job = job("hungry", &["sleep", &marker(judge)]);
        std::thread::spawn(move || slot.run(&job));
    }
    let running = || {
        let lines = processes_of("hungry");
        let is_ours = |line: &&String| line.contains(&marker(judge));
        lines.iter().filter(is_ours).count()
    };
    while running() < AT_ONCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    let this = rustix::process::getpid();
    rustix::process::kill_process(this, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn several_slots_start_and_run_at_the_same_time() {
    let threads: Vec<_> = (0..4)
        .map(|number| {
            std::thread::spawn(move || {
                let mut slot = slot();
                for _ in 0..5 {
                    let code = number.to_string();
                    let expected = format!("exit {number}");
                    check(&mut slot, &job("endings", &["exit", &code]), &expected, "");
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_slot_stays_on_its_core() {
    let host = host();
    let core = *host.physical_cores().last().unwrap();
    let mut slot = Slot::start(host, Some(core)).unwrap();
    let mut job = job("", &[]);
    let script = "while read key value; do [ $key != Cpus_allowed_list: ] || echo $value; done";
    let script = format!("{script} < /proc/self/status");
    job.command.argv = vec!["/bin/sh".into(), "-c".into(), script];
    check(&mut slot, &job, "exit 0", &format!("{}\n", core.0));
}

#[test]
fn a_known_machine_has_the_expected_meters() {
    let Ok(expected) = std::env::var(METERS) else {
        return skip("nothing is known about this machine");
    };
    let mechanism = host().mechanism();
    let found = format!("{:?} {:?}", mechanism.cpu, mechanism.memory);
    assert_eq!(found, expected);
}

#[test]
fn the_outcome_names_its_meters() {
    let host = host();
    let outcome = check(&mut slot(), &job("nothing", &[]), "exit 0", "");
    assert_eq!(outcome.mechanism, host.mechanism());
    assert_eq!(outcome.ending, Ending::Exited(0));
    let mut job = job("hungry", &["sleep"]);
    job.limits.wall_time = Some(Duration::from_millis(100));
    let outcome = run(&mut slot(), &job).outcome;
    assert_eq!(outcome.stopped_by, Some(StopReason::WallTime));
    assert_eq!(outcome.ending, Ending::Signalled(Signal(9)));
}

#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
pub(crate) fn skip(reason: &str) {
    eprintln!("left out: {reason}");
}

/// Runs tests of this binary, named by these arguments, once more as a user without rights, if the machine can.
fn run_without_rights(arguments: &[&str]) -> Option<process::Output> {
    if std::env::var_os(PROGRAMS).is_some() {
        return None;
    }
    if !rustix::process::geteuid().is_root() {
        skip("this user has no rights already");
        return None;
    }
    // Where the user can read it, unlike the build directory.
    let directory = tempfile::tempdir().unwrap();
    open_to_all(directory.path());
    let executable = directory.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &executable).unwrap();
    fs::copy(assert_cmd::cargo::cargo_bin("juror"), directory.path().join("juror")).unwrap();
    for entry in fs::read_dir(programs()).unwrap().flatten() {
        fs::copy(entry.path(), directory.path().join(entry.file_name())).unwrap();
    }
    let run = |program: &OsStr, arguments: &[&str]| {
        process::Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(program)
            .args(arguments)
            .env(PROGRAMS, directory.path())
            .env("TMPDIR", "/tmp")
            .current_dir("/")
            .output()
    };
    let can_unshare = run(OsStr::new("unshare"), &["--user", "true"]);
    if !can_unshare.is_ok_and(|output| output.status.success()) {
        skip("no setpriv, or no user namespaces for users without rights");
        return None;
    }
    Some(run(executable.as_os_str(), arguments).unwrap())
}

#[test]
fn these_tests_pass_for_a_user_without_rights() {
    // That test takes pipes from all other programs of the same user.
    let apart = "a_contestant_with_many_pipes_leaves_some_to_the_validator";
    for (arguments, piece) in [
        (&["sandbox::", "fallback::", "--skip", apart][..], "every_door_is_shut ... ok"),
        (&[apart], "1 passed"),
    ] {
        let Some(output) = run_without_rights(arguments) else {
            return;
        };
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
        assert!(report.contains(piece), "{report}");
    }
}
