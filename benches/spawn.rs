//! The cost of the sandbox: a program that does nothing, in the sandbox and by plain fork and exec.
//!
//! Both run in turns, so that other load affects both. In the first table, runs follow directly one after the other,
//! on one core or on all at once, so that their whole cost counts. In the second, runs alternate, so that work after
//! an answer may be hidden. `cargo bench --bench spawn [-- [ROUNDS] [rows]]` (default 500; `rows` prints only the
//! first table). Also measures other sandboxes that are installed.
#![expect(clippy::print_stdout, reason = "a benchmark shows its figures")]

use std::ffi::CString;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, Instant};

use juror_core::blob::Blob;
use juror_core::isolation::RequiredIsolation;
use juror_core::job::{BoxRetention, Command, Job, VisiblePath};
use juror_core::limits::Limits;
use juror_core::tree::{Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_sandbox::sandbox::{CoreId, Host, Slot};

/// Reads a file and writes one, without libc.
const COPY: &str = r#"static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
void _start(void) {
    char text[64];
    long from = call(2, (long)"a.in", 0, 0), to = call(2, (long)"a.out", 01101, 0644);
    call(1, to, (long)text, call(0, from, (long)text, sizeof text));
    call(60, 0, 0, 0);
}
"#;

const HELLO: &str = "#include <stdio.h>\nint main(void) { puts(\"Hello, world!\"); return 0; }\n";

/// A plausible memory use of a judge.
const BALLAST_BYTES: usize = 100 << 20;

/// The number of runs that are measured together.
const RUNS_PER_ROW: u32 = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let rounds = arguments.iter().find_map(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(500);
    let directory = tempfile::tempdir().expect("a temporary directory");
    open_to_all(directory.path());
    let nothing = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/nothing.c");
    let bare = ["-O1", "-static", "-nostdlib"];
    let program = compile(directory.path(), "nothing", &nothing, &bare);
    let sources = [("copy", COPY), ("hello", HELLO)];
    for (name, text) in sources {
        let path = directory.path().join(name).with_extension("c");
        std::fs::write(path, text).expect("a source");
    }
    let source = |name: &str| directory.path().join(name).with_extension("c");
    compile(directory.path(), "copy", &source("copy"), &bare);
    compile(directory.path(), "hello", &source("hello"), &["-O2"]);
    compile(directory.path(), "hello-static", &source("hello"), &["-O2", "-static"]);
    let host = Host::find(RequiredIsolation::Any).expect("this machine can be looked at");
    let mut slot = Slot::start(&host, None).expect("a slot starts");
    let core = host.physical_cores().last().copied();
    let mut pinned_slot = Slot::start(&host, core).expect("a slot starts");
    let mut used_slot = Slot::start(&host, None).expect("a slot starts");
    let small = job(directory.path(), &["/program/nothing"], Blob::default());
    let fed = Blob::from(vec![b'x'; 100_000]);
    let fed = job(directory.path(), &["/program/nothing"], fed);
    let touching = ["/bin/sh", "-c", ": > /tmp/file"];
    let touching = job(directory.path(), &touching, Blob::default());
    let mut copying = job(directory.path(), &["/program/copy"], Blob::default());
    copying.files = vec![TreeEntry::new("a.in", Node::plain(b"1 2 3\n".to_vec()))];
    copying.collect = vec!["a.out".into()];
    println!("{}", host.mechanism());
    show_rows(&host, &program, &small, rounds / 10);
    if arguments.iter().any(|text| text == "rows") {
        return;
    }
    let mut plain = Times::default();
    let mut spawned = Times::default();
    let mut boxed = Times::default();
    let mut pinned = Times::default();
    let mut boxed_fed = Times::default();
    let mut boxed_files = Times::default();
    let mut boxed_anew = Times::default();
    let mut wall = Times::default();
    let mut cpu = Times::default();
    for _ in 0..rounds {
        plain.measure(|| fork_and_exec(&program));
        boxed.measure(|| {
            let outcome = slot.run(&small).expect("it runs").outcome;
            wall.0.push(outcome.wall_time);
            cpu.0.push(outcome.cpu_time);
        });
        spawned.measure(|| spawn(&program));
        pinned.measure(|| {
            pinned_slot.run(&small).expect("it runs");
        });
        boxed_fed.measure(|| {
            slot.run(&fed).expect("it runs");
        });
        boxed_files.measure(|| {
            slot.run(&copying).expect("it runs");
        });
    }
    // In a separate loop: the kernel removes the files of a run after it has ended.
    for _ in 0..rounds.min(100) {
        used_slot.run(&touching).expect("it runs");
        boxed_anew.measure(|| {
            used_slot.run(&small).expect("it runs");
        });
    }
    let mut plain_large = Times::default();
    let mut boxed_large = Times::default();
    let ballast = vec![1u8; BALLAST_BYTES];
    for _ in 0..rounds.min(100) {
        plain_large.measure(|| fork_and_exec(&program));
        boxed_large.measure(|| {
            slot.run(&small).expect("it runs");
        });
    }
    drop(std::hint::black_box(ballast));
    let base = plain.clone();
    println!("in turns, {rounds} rounds");
    println!("{:38} {:>10} {:>10} {:>10} {:>7} {:>7}", "", "p10", "median", "p90", "p10", "median");
    plain.show("fork, exec, wait", &base);
    spawned.show("posix_spawn (as vfork), wait", &base);
    boxed.show("the sandbox", &base);
    pinned.show("the sandbox, on one core", &base);
    boxed_fed.show("the sandbox, 100 kB of input", &base);
    boxed_files.show("the sandbox, a file in and a file out", &base);
    boxed_anew.show("the sandbox, after a run that left a file", &base);
    plain_large.show("fork etc. of a judge with 100 MB", &base);
    boxed_large.show("the sandbox of a judge with 100 MB", &base);
    wall.show("wall time of the program in it", &base);
    cpu.show("CPU time of the program in it", &base);
    for (name, path) in [
        ("CPU time of a hello world in C", "/program/hello"),
        ("the same, linked statically", "/program/hello-static"),
    ] {
        let hello = job(directory.path(), &[path], Blob::default());
        let mut cpu = Times::default();
        for _ in 0..rounds.min(100) {
            cpu.0.push(slot.run(&hello).expect("it runs").outcome.cpu_time);
        }
        cpu.show(name, &base);
    }
    for (name, arguments) in other_sandboxes(directory.path()) {
        match measure_other(name, &arguments, rounds.min(50)) {
            Some(mut times) => times.show(name, &base),
            None => println!("{name}: is not installed, or does not work here"),
        }
    }
}

/// The cost of a run that is directly followed by the next one.
fn show_rows(host: &Host, program: &Path, job: &Job, rows: usize) {
    let start = |core| Slot::start(host, core).expect("a slot starts");
    let run = |slot: &mut Slot| {
        slot.run(job).expect("it runs");
    };
    let cores = host.physical_cores();
    let mut free_slot = start(cores.last().copied());
    let mut slots: Vec<Slot> = cores.iter().map(|core| start(Some(*core))).collect();
    let [mut free_plain, mut plain, mut all_plain] = [const { Times(Vec::new()) }; 3];
    let [mut free, mut one, mut all] = [const { Times(Vec::new()) }; 3];
    for _ in 0..rows {
        free_plain.0.push(time_row(|| fork_and_exec(program)));
        free.0.push(time_row(|| run(&mut free_slot)));
        plain.0.extend(fork_on_all(program, &cores[..1]));
        one.0.extend(run_on_all(&mut slots[..1], &cores, &run));
        all_plain.0.extend(fork_on_all(program, &cores));
        all.0.extend(run_on_all(&mut slots, &cores, &run));
    }
    println!("one directly after the other, {RUNS_PER_ROW} in a row, {rows} rows");
    free_plain.show("fork, exec, wait", &free_plain.clone());
    free.show("the sandbox", &free_plain);
    plain.show("fork, exec, wait, on one core", &plain.clone());
    one.show("the sandbox, on one core", &plain);
    all_plain.show("fork, exec, wait, on all cores at once", &all_plain.clone());
    all.show("the sandbox, on all cores at once", &all_plain);
}

/// The mean time of runs that follow each other.
fn time_row(mut act: impl FnMut()) -> Duration {
    let start = Instant::now();
    (0..RUNS_PER_ROW).for_each(|_| act());
    start.elapsed() / RUNS_PER_ROW
}

/// One row in each slot at once. The judge's thread is on the core of its slot.
fn run_on_all(
    slots: &mut [Slot],
    cores: &[CoreId],
    run: &(impl Fn(&mut Slot) + Sync),
) -> Vec<Duration> {
    std::thread::scope(|scope| {
        let started = slots.iter_mut().zip(cores).map(|(slot, core)| {
            scope.spawn(move || {
                pin_to_core(*core);
                time_row(|| run(slot))
            })
        });
        let started: Vec<_> = started.collect();
        let ended = started.into_iter().map(|thread| thread.join());
        ended.map(|time| time.expect("no panic")).collect()
    })
}

/// One row of plain runs on each core at once, each in its own process, since threads would wait for each other.
fn fork_on_all(program: &Path, cores: &[CoreId]) -> Vec<Duration> {
    let start = |core: &CoreId| {
        let (mut ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        // SAFETY: no other thread runs now, so the child may do whatever this process may.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            pin_to_core(*core);
            let time = time_row(|| fork_and_exec(program)).as_nanos() as u64;
            let written = theirs.write_all(&time.to_ne_bytes());
            // SAFETY: ends the child without what the parent would do at its end.
            unsafe { libc::_exit(i32::from(written.is_err())) };
        }
        move || {
            let mut time = [0; 8];
            ours.read_exact(&mut time).expect("the child measures");
            // SAFETY: the child is ours; nobody asks how it ended.
            unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
            Duration::from_nanos(u64::from_ne_bytes(time))
        }
    };
    let started: Vec<_> = cores.iter().map(start).collect();
    started.into_iter().map(|mut wait| wait()).collect()
}

fn pin_to_core(core: CoreId) {
    // SAFETY: a set of no cores is zeros, and `CPU_SET` stays within it for cores that the kernel names.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core.0, &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &raw const set), 0);
    }
}

/// Other sandboxes, with options for full isolation.
fn other_sandboxes(programs: &Path) -> [(&'static str, Vec<String>); 2] {
    let programs = programs.display();
    let bwrap = format!(
        "--unshare-all --ro-bind {programs} /program --proc /proc --dev /dev --tmpfs /box \
         /program/nothing"
    );
    let isolate = format!("--dir=/program={programs} --run -- /program/nothing");
    let words = |line: String| line.split_whitespace().map(str::to_owned).collect();
    [("bwrap", words(bwrap)), ("isolate", words(isolate))]
}

fn measure_other(name: &str, arguments: &[String], rounds: usize) -> Option<Times> {
    let run = |arguments: &[String]| {
        let output = process::Command::new(name).args(arguments).output();
        output.is_ok_and(|output| output.status.success())
    };
    if name == "isolate" && !run(&["--init".to_owned()]) {
        return None;
    }
    let mut times = Times::default();
    for _ in 0..rounds {
        let mut works = false;
        times.measure(|| works = run(arguments));
        if !works {
            return None;
        }
    }
    Some(times)
}

#[derive(Clone, Default)]
struct Times(Vec<Duration>);

impl Times {
    fn measure(&mut self, act: impl FnOnce()) {
        let start = Instant::now();
        act();
        self.0.push(start.elapsed());
    }

    fn quantile(&mut self, share: f64) -> Duration {
        self.0.sort();
        self.0[((self.0.len() - 1) as f64 * share) as usize]
    }

    /// Prints quantiles, and their ratios to `base`.
    fn show(&mut self, name: &str, base: &Self) {
        let mut base = base.clone();
        let [low, middle, high] = [0.1, 0.5, 0.9].map(|share| self.quantile(share));
        let [low_ratio, ratio] = [(low, 0.1), (middle, 0.5)]
            .map(|(time, share)| time.as_secs_f64() / base.quantile(share).as_secs_f64());
        println!(
            "{name:38} {low:>10.1?} {middle:>10.1?} {high:>10.1?} {low_ratio:>6.2}x {ratio:>6.2}x"
        );
    }
}

fn job(programs: &Path, argv: &[&str], stdin: Blob) -> Job {
    Job {
        command: Command {
            argv: argv.iter().map(ToString::to_string).collect(),
            env: Vec::new(),
            visible: vec![VisiblePath::tree("/program", &Tree::unlisted(programs))],
        },
        stdin,
        files: Vec::new(),
        writable: true,
        box_size: Bytes::mib(64),
        limits: Limits {
            cpu_time: Some(Duration::from_secs(1)),
            wall_time: Some(Duration::from_secs(2)),
            deadline: None,
            memory: Some(Bytes::mib(256)),
            output: Some(Bytes::mib(8)),
            processes: Some(64),
        },
        collect: Vec::new(),
        keep: BoxRetention::Nothing,
        is_timed: false,
    }
}

fn compile(directory: &Path, name: &str, source: &Path, options: &[&str]) -> PathBuf {
    let target = directory.join(name);
    let status = process::Command::new("cc")
        .args(options)
        .arg("-o")
        .args([target.as_path(), source])
        .status();
    assert!(status.expect("this needs cc").success());
    target
}

fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

/// `std::process` would use `posix_spawn`, which is cheaper than fork.
fn fork_and_exec(program: &Path) {
    let path = CString::new(program.as_os_str().as_bytes()).expect("no zero byte");
    let argv = [path.as_ptr(), std::ptr::null()];
    let envp = [std::ptr::null()];
    // SAFETY: the child calls only what may be called after a fork; the lists end with null.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            libc::execve(path.as_ptr(), argv.as_ptr(), envp.as_ptr());
            libc::_exit(127);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(pid, &raw mut status, 0), pid);
        assert_eq!(status, 0);
    }
}

/// The cheapest way: libc does not copy the judge's page tables.
fn spawn(program: &Path) {
    let path = CString::new(program.as_os_str().as_bytes()).expect("no zero byte");
    let argv = [path.as_ptr().cast_mut(), std::ptr::null_mut()];
    let envp = [std::ptr::null_mut()];
    let mut pid = 0;
    let mut status = 0;
    // SAFETY: the lists end with null and live until the call returns.
    unsafe {
        let (actions, attributes) = (std::ptr::null(), std::ptr::null());
        let spawned = libc::posix_spawn(
            &raw mut pid,
            path.as_ptr(),
            actions,
            attributes,
            argv.as_ptr(),
            envp.as_ptr(),
        );
        assert_eq!(spawned, 0);
        assert_eq!(libc::waitpid(pid, &raw mut status, 0), pid);
    }
    assert_eq!(status, 0);
}
