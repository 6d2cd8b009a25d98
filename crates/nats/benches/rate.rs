//! The rate of short runs behind a NATS server and in the local pool, in turns.
//!
//! Both have two slots. On two cores, server, worker and `juror-nats` take time from programs that compute, but not
//! from programs that wait. So waiting programs show whether a slot waits for its next run. `cargo bench -p juror-nats
//! [-- ROUNDS]` (default 5) needs `nats-server`, or `JUROR_NATS_SERVER`, and builds the worker of the tests.
#![expect(clippy::print_stdout, reason = "a benchmark shows its figures")]

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use juror_core::blob::Blob;
use juror_core::isolation::RequiredIsolation;
use juror_core::job::{Command as Program, Job, VisiblePath};
use juror_core::limits::Limits;
use juror_core::tree::{FileMode, Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_remote::link::WorkerConnection;
use juror_remote::suite::connect;
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::local::LocalExecutor;
use juror_sandbox::executor::parallel::on_threads;

const SLOTS: usize = 2;

/// Computes for so many milliseconds of CPU time, or waits so long if the argument is negative.
const BUSY: &str = "#include <stdlib.h>
#include <time.h>
int main(int count, char **arguments) {
    long limit = atol(arguments[count - 1]) * 1000000;
    struct timespec now = {0, -limit};
    if (limit < 0) return nanosleep(&now, 0);
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (now.tv_sec * 1000000000 + now.tv_nsec < limit);
    return 0;
}
";

/// Killed when dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() {
    let rounds = std::env::args().find_map(|text| text.parse().ok()).unwrap_or(5);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let Some((_server, url)) = start_server(directory.path()) else {
        return println!("SKIPPED: no nats-server here");
    };
    let own = Path::new(env!("CARGO_BIN_EXE_juror-nats"));
    let submit = || {
        let mut command = Command::new(own);
        command.args(["submit", &url]);
        command
    };
    // The first submitter makes the streams, for which a worker waits.
    submit().stdin(Stdio::null()).output().expect("it runs");
    let mut work = Command::new(own);
    work.args(["work", &url, "--"]).arg(worker_program(own)).arg(SLOTS.to_string());
    let _worker = Process(work.spawn().expect("the worker starts"));
    let connection = WorkerConnection { name: "submit".to_owned(), command: submit() };
    let workers = connect(vec![connection.open().expect("it starts")]);
    let local = LocalExecutor::start(Some(SLOTS), RequiredIsolation::Any).expect("the pool starts");
    let program = compile(directory.path());
    println!("{}, {SLOTS} slots, {rounds} rounds in turns", local.mechanism());
    println!("{:>15} {:>12} {:>12} {:>7}", "run", "pool", "server", "ratio");
    for milliseconds in [1_i64, 5, -5, -1] {
        let runs = 2000 / milliseconds.unsigned_abs() as usize;
        let job = job(&program, milliseconds);
        let mut ratios = Vec::new();
        let (mut pool, mut server) = (Duration::MAX, Duration::MAX);
        for _ in 0..rounds {
            let times = [&local as &dyn Executor, &workers].map(|it| time_runs(it, &job, runs));
            ratios.push(times[0].as_secs_f64() / times[1].as_secs_f64());
            (pool, server) = (pool.min(times[0]), server.min(times[1]));
        }
        ratios.sort_by(f64::total_cmp);
        let rate = |time: Duration| format!("{:.0} a second", runs as f64 / time.as_secs_f64());
        let ratio = ratios[ratios.len() / 2];
        let what = if milliseconds < 0 { "waits" } else { "computes" };
        let run = format!("{what} {} ms", milliseconds.abs());
        println!("{run:>15} {:>12} {:>12} {ratio:>7.3}", rate(pool), rate(server));
    }
    let mut more: Vec<f64> = (0..rounds * 20)
        .map(|_| {
            let times =
                [&local as &dyn Executor, &workers].map(|it| time_runs(it, &job(&program, 0), 1));
            times[1].as_secs_f64() - times[0].as_secs_f64()
        })
        .collect();
    more.sort_by(f64::total_cmp);
    println!("a single run takes {:.3} ms longer (median)", more[more.len() / 2] * 1e3);
}

fn start_server(directory: &Path) -> Option<(Process, String)> {
    let program = std::env::var_os("JUROR_NATS_SERVER").unwrap_or_else(|| "nats-server".into());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its number").port();
    drop(listener);
    let (configuration, store) = (directory.join("server.conf"), directory.join("store"));
    let text = format!(
        "listen: '127.0.0.1:{port}'\njetstream {{ store_dir: '{}', sync_interval: always }}\n",
        store.display()
    );
    std::fs::write(&configuration, text).expect("a file");
    let mut command = Command::new(program);
    let server = command.arg("-c").arg(configuration).stderr(Stdio::null()).spawn().ok()?;
    let server = Process(server);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        thread::sleep(Duration::from_millis(10));
    }
    Some((server, format!("nats://127.0.0.1:{port}")))
}

/// An example of this package, of the same build.
fn worker_program(own: &Path) -> std::path::PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--release", "-p", "juror-nats", "--example", "worker"]);
    assert!(build.status().expect("cargo runs").success());
    own.with_file_name("examples").join("worker")
}

fn time_runs(executor: &dyn Executor, job: &Job, runs: usize) -> Duration {
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    on_threads(executor.slots().min(runs), || {
        while next.fetch_add(1, Ordering::Relaxed) < runs {
            let reply = executor.run_job(job).expect("it runs");
            assert_eq!(reply.outcome.stopped_by, None);
        }
    });
    begun.elapsed()
}

fn compile(directory: &Path) -> Arc<Tree> {
    let (source, program) = (directory.join("busy.c"), directory.join("busy"));
    std::fs::write(&source, BUSY).expect("a source");
    let mut compiler = Command::new("cc");
    let compiled = compiler.args(["-O2", "-static", "-o"]).arg(&program).arg(&source).status();
    assert!(compiled.expect("a compiler").success());
    let blob = Blob::from(std::fs::read(program).expect("a program"));
    let node = Node::File { blob, mode: FileMode::Executable };
    Arc::new(Tree::from(vec![TreeEntry::new("busy", node)]))
}

fn job(program: &Arc<Tree>, milliseconds: i64) -> Job {
    let argv = vec!["/program/busy".to_owned(), milliseconds.to_string()];
    let visible = vec![VisiblePath::tree("/program", program)];
    Job {
        command: Program { argv, visible, ..Program::default() },
        stdin: Blob::from(b"1 2\n".to_vec()),
        box_size: Bytes::mib(8),
        limits: Limits::of_machine_check(),
        is_timed: true,
        ..Job::default()
    }
}
