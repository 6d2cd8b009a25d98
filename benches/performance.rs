//! The cost of juror compared with the least cost of the same work: medians and ratios, all rows in turns.
//!
//! `cargo bench --bench performance [-- [ROUNDS] [TABLE...]]` prints all tables, or some: `cases`, `growth`,
//! `submissions`, `compare`, `read`; `growth=100000` continues up to so many test cases. `docs/performance.md` has
//! its output. Linux only.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::ffi::{CString, OsStr};
use std::fmt::Write as _;
use std::fs::{self, File, Permissions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::Instant;

/// Test cases of the first table.
const CASES: usize = 200;

const PROGRAM: &str = "#include <iostream>
int main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }
";

const SCRIPT: &str = "print(sum(map(int, input().split())))\n";

const PROBLEM: &str = "problem_format_version: 2025-09
name: Sum
uuid: 00000000-0000-4000-8000-000000000000
limits:
  time_limit: 1
";

/// An ordinary user without other processes.
const USER: u32 = 60_400;

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let rounds = arguments.iter().find_map(|word| word.parse().ok()).unwrap_or(15);
    let asked = |table: &str| {
        let mut tables = arguments.iter().filter(|word| word.parse::<usize>().is_err()).peekable();
        tables.peek().is_none() || tables.any(|word| word.split('=').next() == Some(table))
    };
    let most = arguments.iter().find_map(|word| word.strip_prefix("growth=")?.parse().ok());
    let bench = Workspace::new();
    if asked("cases") {
        bench.measure_cases(rounds);
    }
    if asked("growth") {
        bench.measure_growth(most.unwrap_or(10_000));
    }
    if asked("submissions") {
        bench.measure_submissions();
    }
    if asked("compare") {
        bench.measure_compare(rounds);
    }
    if asked("read") {
        bench.measure_read(rounds);
    }
}

struct Workspace {
    dir: tempfile::TempDir,
    /// At a path where an ordinary user can start it.
    juror: PathBuf,
    program: PathBuf,
}

struct TableRow<'a> {
    name: &'a str,
    /// The index of the row to compare with.
    base_row: usize,
    command: Box<dyn Fn() + 'a>,
}

impl Workspace {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let all = Permissions::from_mode(0o755);
        fs::set_permissions(dir.path(), all.clone()).expect("it is ours");
        let [juror, program, source] =
            ["juror", "sum.out", "sum.cpp"].map(|name| dir.path().join(name));
        fs::copy(env!("CARGO_BIN_EXE_juror"), &juror).expect("juror");
        fs::set_permissions(&juror, all).expect("it is ours");
        fs::write(&source, PROGRAM).expect("the source");
        let built = Command::new("c++").args(["-O2", "-o"]).args([&program, &source]).status();
        assert!(built.is_ok_and(|status| status.success()), "this needs a C++ compiler, c++");
        Self { dir, juror, program }
    }

    fn package(&self, cases: usize) -> PathBuf {
        let package = self.dir.path().join(format!("sum{cases}"));
        if package.exists() {
            return package;
        }
        for dir in ["data/secret", "submissions/accepted", "input_validators", "statement"] {
            fs::create_dir_all(package.join(dir)).expect("a package");
        }
        let write =
            |name: &str, text: &str| fs::write(package.join(name), text).expect("a package");
        write("problem.yaml", PROBLEM);
        write("statement/problem.en.md", "Add two numbers.\n");
        write("submissions/accepted/sum.cpp", PROGRAM);
        write("input_validators/any.py", "import sys\nsys.exit(42)\n");
        for case in 0..cases {
            write(&format!("data/secret/{case:06}.in"), &format!("{case} {}\n", case * 7));
            write(&format!("data/secret/{case:06}.ans"), &format!("{}\n", case * 8));
        }
        package
    }

    fn judge(&self, package: &Path, jobs: usize, programs: &[&Path]) -> Command {
        let mut command = Command::new(&self.juror);
        command.arg("judge").arg(package).args(["--jobs", &jobs.to_string(), "--all", "--quiet"]);
        command.env("JUROR_CACHE", "off").env("HOME", self.dir.path()).stdout(Stdio::null());
        if let [program] = programs {
            command.arg("--");
            command.arg(program);
        } else {
            command.args(programs);
        }
        command
    }

    fn quiet_command(&self, name: &str, arguments: &[&OsStr]) -> Command {
        let mut command = Command::new(&self.juror);
        command.arg(name).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn measure_cases(&self, rounds: usize) {
        let (package, one) = (self.package(CASES), self.package(1));
        let judge = |package: &Path, jobs| self.judge(package, jobs, &[&self.program]);
        let cache = self.dir.path().join("cache");
        let remembering = |jobs| {
            let mut command = judge(&package, jobs);
            command.env("JUROR_CACHE", &cache);
            command
        };
        // Not every tool reads the newest format.
        let legacy = self.dir.path().join("legacy");
        let bare = |workers| bare_loops(&package, &self.program, self.dir.path(), workers);
        let mut rows = vec![
            row("bare loop, one core", 0, || bare(1)),
            row("juror, one core", 0, || on_one_core(judge(&package, 1))),
            row("juror, one worker", 0, || run(judge(&package, 1))),
            row("bare loops, two cores", 0, || bare(2)),
            row("juror, two workers", 0, || run(judge(&package, 2))),
            row("the same, to be remembered", 0, || {
                let _ = fs::remove_dir_all(&cache);
                run(remembering(2));
            }),
            row("the same, remembered", 0, || run(remembering(2))),
            row("juror, one test case", 0, || run(judge(&one, 1))),
        ];
        if rustix::process::geteuid().is_root() {
            let as_user = |jobs| {
                let mut command = judge(&package, jobs);
                command.uid(USER).gid(USER);
                command
            };
            rows.push(row("a user's juror, one core", 0, move || on_one_core(as_user(1))));
            rows.push(row("a user's juror, two workers", 0, move || run(as_user(2))));
        }
        run(self.quiet_command(
            "convert",
            &[package.as_os_str(), "--to=legacy".as_ref(), legacy.as_os_str()],
        ));
        for (tool, arguments, package) in [
            ("bt", "run", &package),
            ("verifyproblem", "-p submissions", &legacy),
            ("task-maker", "--ui silent", &legacy),
        ] {
            let Some(path) = find_tool(tool) else {
                println!("left out: {tool} is not installed");
                continue;
            };
            let judge = move || {
                let mut command = Command::new(&path);
                let arguments = arguments.split(' ');
                match tool {
                    "verifyproblem" => command.arg(package).args(arguments),
                    _ => command.args(arguments).current_dir(package),
                };
                let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
                ended.is_ok_and(|status| status.success())
            };
            if judge() {
                rows.push(row(tool, 0, move || assert!(judge(), "{tool} failed")))
            } else {
                println!("left out: {tool} does not accept the package")
            }
        }
        run_table(&format!("{CASES} test cases"), rounds, &rows);
    }

    /// Time and memory with a growing number of test cases.
    fn measure_growth(&self, most: usize) {
        println!(
            "\n{:30} {:>12} {:>12} {:>12}",
            "test cases, two workers", "us a case", "of 1000", "peak MiB"
        );
        let mut of_1000 = None;
        for cases in [1000, 10, 100, 10_000, 100_000].into_iter().filter(|cases| *cases <= most) {
            let package = self.package(cases);
            let times = (2000 / cases).clamp(1, 50);
            let (mut all, mut peak) = (Vec::new(), 0);
            for _ in 0..times {
                let start = Instant::now();
                peak = peak_memory(self.judge(&package, 2, &[&self.program])).max(peak);
                all.push(start.elapsed().as_secs_f64() * 1e6 / cases as f64);
            }
            let cost = median(&mut all);
            let ratio = cost / *of_1000.get_or_insert(cost);
            println!("{cases:30} {cost:12.0} {ratio:12.2} {:12.1}", peak as f64 / 1024.0);
        }
    }

    /// Time and memory with a growing number of submissions.
    fn measure_submissions(&self) {
        println!(
            "\n{:30} {:>12} {:>12} {:>12}",
            "submissions, two test cases", "ms each", "of 10", "peak MiB"
        );
        let package = self.package(2);
        let mut of_10 = None;
        for number in [10, 1, 100, 500] {
            let dir = self.dir.path().join(format!("programs{number}"));
            fs::create_dir_all(&dir).expect("a directory");
            let programs: Vec<PathBuf> =
                (0..number).map(|index| dir.join(format!("sum{index}.py"))).collect();
            for (index, program) in programs.iter().enumerate() {
                fs::write(program, format!("{SCRIPT}# {index}\n")).expect("a program");
            }
            let mut command = self.judge(&package, 2, &[]);
            command.args(&programs);
            let start = Instant::now();
            let peak = peak_memory(command);
            let cost = start.elapsed().as_secs_f64() * 1e3 / f64::from(number);
            let ratio = cost / *of_10.get_or_insert(cost);
            println!("{number:30} {cost:12.1} {ratio:12.2} {:12.1}", peak as f64 / 1024.0);
        }
    }

    /// Compares two equal texts, and two whose blanks differ.
    fn measure_compare(&self, rounds: usize) {
        const LINES: usize = 4_000_000;
        let [answer, same, blanks] =
            ["answer", "same", "blanks"].map(|name| self.dir.path().join(name));
        let mut text = String::new();
        for line in 0..LINES {
            let _ = writeln!(text, "{} {}", line * 7919, line % 1000);
        }
        fs::write(&answer, &text).expect("a file");
        fs::write(&same, &text).expect("a file");
        fs::write(&blanks, text.replace(' ', "  ")).expect("a file");
        let with = |tool: &Path, first: &[&str], other: &Path| {
            let mut command = Command::new(tool);
            command.args(first).args([&answer, other]).stdout(Stdio::null());
            // The exit code tells only whether the files differ.
            let _ = command.status();
        };
        let rows = [
            row("cmp, equal", 0, || with(Path::new("cmp"), &[], &same)),
            row("juror compare, equal", 0, || with(&self.juror, &["compare"], &same)),
            row("diff -w, other blanks", 2, || with(Path::new("diff"), &["-wq"], &blanks)),
            row("juror compare, other blanks", 2, || with(&self.juror, &["compare"], &blanks)),
        ];
        run_table(&format!("comparing {} MB", text.len() / 1_000_000), rounds, &rows);
    }

    fn measure_read(&self, rounds: usize) {
        let package = self.package(1000);
        let bytes = || {
            for entry in fs::read_dir(package.join("data/secret")).expect("the test cases") {
                let _ = fs::read(entry.expect("a file").path()).expect("it can be read");
            }
        };
        let read = || {
            let problem = juror_packages::package::read(&package);
            assert!(problem.problem.is_some());
        };
        let rows = [row("read each file", 0, bytes), row("read the package", 0, read)];
        run_table("reading 1000 test cases", rounds, &rows);
    }
}

fn row<'a>(name: &'a str, of: usize, work: impl Fn() + 'a) -> TableRow<'a> {
    TableRow { name, base_row: of, command: Box::new(work) }
}

/// Runs all rows in turns. The ratio is the median of ratios within a turn.
fn run_table(title: &str, rounds: usize, rows: &[TableRow<'_>]) {
    let mut taken: Vec<Vec<f64>> = rows.iter().map(|_| Vec::new()).collect();
    for round in 0..=rounds {
        for (row, taken) in rows.iter().zip(&mut taken) {
            let start = Instant::now();
            (row.command)();
            // The first turn fills caches.
            if round > 0 {
                taken.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    println!("\n{title:30} {:>12} {:>12} {:>12}", "best ms", "median ms", "ratio");
    for (row, all) in rows.iter().zip(&taken) {
        let base = &taken[row.base_row];
        let mut ratios: Vec<f64> = all.iter().zip(base).map(|(one, base)| one / base).collect();
        let best = all.iter().copied().fold(f64::INFINITY, f64::min);
        let (middle, ratio) = (median(&mut all.clone()), median(&mut ratios));
        println!("{:30} {best:12.1} {middle:12.1} {ratio:12.2}", row.name);
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn find_tool(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(tool)).find(|path| path.is_file())
}

fn run(mut command: Command) {
    let status = command.status().expect("juror starts");
    assert!(status.success(), "juror ended with {status}");
}

/// The peak memory of the command or of one of its processes, in KiB.
#[expect(clippy::zombie_processes, reason = "it is waited for below, which also tells its memory")]
fn peak_memory(mut command: Command) -> i64 {
    let child = command.spawn().expect("juror starts");
    let pid = i32::try_from(child.id()).expect("a process number");
    let mut status = 0;
    // SAFETY: plain data, valid when zeroed; both outlive the call.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::wait4(pid, &raw mut status, 0, &raw mut usage), pid);
        assert_eq!(status, 0, "juror failed");
        usage.ru_maxrss
    }
}

fn on_one_core(mut command: Command) {
    // SAFETY: what is called may be called after a fork.
    unsafe {
        command.pre_exec(|| {
            pin_to_core(0);
            Ok(())
        });
    }
    run(command);
}

/// `number` counts the cores that this process may use.
fn pin_to_core(number: usize) {
    // SAFETY: `set` is a plain bit set, valid when zeroed, and outlives the calls.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of_val(&set), &mut set);
        let mut allowed =
            (0..libc::CPU_SETSIZE as usize).filter(|core| libc::CPU_ISSET(*core, &set));
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(allowed.nth(number).unwrap_or(0), &mut one);
        libc::sched_setaffinity(0, size_of_val(&one), &one);
    }
}

/// Runs so many bare loops at once, each on a core with its share of the test cases.
fn bare_loops(package: &Path, program: &Path, dir: &Path, workers: usize) {
    // SAFETY: this process has one thread, and the children end here.
    unsafe {
        for worker in 0..workers {
            if libc::fork() == 0 {
                pin_to_core(worker);
                bare_loop(package, program, dir, worker, workers);
                process::exit(0);
            }
        }
        let mut status = 0;
        while libc::wait(&raw mut status) > 0 {
            assert_eq!(status, 0, "a bare loop failed");
        }
    }
}

/// Only forks, executes with redirected files, waits and compares.
fn bare_loop(package: &Path, program: &Path, dir: &Path, worker: usize, workers: usize) {
    let path = CString::new(program.as_os_str().as_encoded_bytes()).expect("a path");
    let argv = [path.as_ptr(), std::ptr::null()];
    let environment = [std::ptr::null()];
    let out = dir.join(format!("out{worker}"));
    for case in (worker..CASES).step_by(workers) {
        let input = File::open(package.join(format!("data/secret/{case:06}.in"))).expect("input");
        let output = File::create(&out).expect("output");
        let mut status = 0;
        // SAFETY: between fork and execve the child only calls async-signal-safe functions, on
        // descriptors and strings made before; this process has one thread.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::dup2(input.as_raw_fd(), 0);
                libc::dup2(output.as_raw_fd(), 1);
                libc::execve(path.as_ptr(), argv.as_ptr(), environment.as_ptr());
                libc::_exit(127);
            }
            libc::waitpid(child, &mut status, 0);
        }
        assert_eq!(status, 0, "the program failed");
        let got = fs::read(&out).expect("output");
        let answer = fs::read(package.join(format!("data/secret/{case:06}.ans"))).expect("answer");
        let tokens = |bytes: &[u8]| -> Vec<Vec<u8>> {
            let words = bytes.split(u8::is_ascii_whitespace);
            words.filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect()
        };
        assert_eq!(tokens(&got), tokens(&answer));
    }
}
