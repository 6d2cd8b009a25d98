//! The cost of a worker: the rate of short runs through a pipe and in the local pool, in turns.
//!
//! Both have two slots. On two cores, the worker takes time from programs that compute, but not from programs that
//! wait. So waiting programs show whether a slot waits for its next run. `cargo bench --bench workers [-- COMMAND...]`
//! measures also the workers that a command connects to, such as `juror-nats submit nats://HOST`.
#![expect(clippy::print_stdout, reason = "a benchmark shows its figures")]

use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use juror_core::blob::Blob;
use juror_core::isolation::RequiredIsolation;
use juror_core::job::{Command, Job, VisiblePath};
use juror_core::limits::Limits;
use juror_core::tree::{FileMode, Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_remote::link::WorkerConnection;
use juror_remote::workers::Workers;
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

fn main() {
    let rounds = 10;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let program = compile(directory.path());
    let local = LocalExecutor::start(Some(SLOTS), RequiredIsolation::Any).expect("the pool starts");
    let mut command = process::Command::new(env!("CARGO_BIN_EXE_juror"));
    command.args(["worker", "--stdio", "--jobs", &SLOTS.to_string()]);
    println!("{}, {SLOTS} slots, {rounds} rounds in turns", local.mechanism());
    measure_command("worker", command, &local, &program, rounds);
    let words: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [first, rest @ ..] = &words[..] {
        let mut command = process::Command::new(first);
        command.args(rest);
        measure_command(first, command, &local, &program, rounds);
    }
}

fn measure_command(
    name: &str,
    command: process::Command,
    local: &LocalExecutor,
    program: &Arc<Tree>,
    rounds: usize,
) {
    let connection = WorkerConnection { name: name.to_owned(), command };
    let pipes = connection.open().expect("the worker starts");
    let workers = Workers::connect(vec![(name.to_owned(), pipes)], None, |_| Ok(()));
    measure("worker", local, &workers.expect("the worker is ready"), program, rounds);
}

fn measure(
    name: &str,
    local: &LocalExecutor,
    workers: &Workers,
    program: &Arc<Tree>,
    rounds: usize,
) {
    println!("{:>15} {:>12} {name:>12} {:>7}", "run", "pool", "ratio");
    for milliseconds in [1_i64, 5, -5] {
        let runs = 2000 / milliseconds.unsigned_abs() as usize;
        let job = job(program, milliseconds);
        let mut ratios = Vec::new();
        let (mut pool, mut worker) = (Duration::MAX, Duration::MAX);
        for _ in 0..rounds {
            let times =
                [local as &dyn Executor, workers].map(|executor| time_runs(executor, &job, runs));
            ratios.push(times[0].as_secs_f64() / times[1].as_secs_f64());
            (pool, worker) = (pool.min(times[0]), worker.min(times[1]));
        }
        ratios.sort_by(f64::total_cmp);
        let rate = |time: Duration| format!("{:.0} a second", runs as f64 / time.as_secs_f64());
        let ratio = ratios[ratios.len() / 2];
        let what = if milliseconds < 0 { "waits" } else { "computes" };
        let run = format!("{what} {} ms", milliseconds.abs());
        println!("{run:>15} {:>12} {:>12} {ratio:>7.3}", rate(pool), rate(worker));
    }
    measure_latency(local, workers, &job(program, 0), rounds * 20);
}

/// How much longer a single run takes through a worker.
fn measure_latency(local: &LocalExecutor, workers: &Workers, job: &Job, rounds: usize) {
    let mut more = Vec::new();
    for _ in 0..rounds {
        let times = [local as &dyn Executor, workers].map(|executor| time_runs(executor, job, 1));
        more.push(times[1].as_secs_f64() - times[0].as_secs_f64());
    }
    more.sort_by(f64::total_cmp);
    println!("a single run takes {:.3} ms longer (median)", more[more.len() / 2] * 1e3);
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
    let mut compiler = process::Command::new("cc");
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
        command: Command { argv, visible, ..Command::default() },
        stdin: Blob::from(b"1 2\n".to_vec()),
        box_size: Bytes::mib(8),
        limits: Limits::of_machine_check(),
        is_timed: true,
        ..Job::default()
    }
}
