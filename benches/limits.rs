//! How far programs exceed their limits before they are stopped: the measured value minus the limit.
//!
//! `cargo bench --bench limits [-- ROUNDS]` (default 20). A busy machine stops programs later, so the worst round is
//! shown, too.
#![expect(clippy::print_stdout, reason = "a benchmark shows its figures")]

use std::path::Path;
use std::process;
use std::time::Duration;

use juror_core::blob::Blob;
use juror_core::isolation::RequiredIsolation;
use juror_core::job::{BoxRetention, Command, Job, VisiblePath};
use juror_core::limits::Limits;
use juror_core::outcome::Outcome;
use juror_core::tree::Tree;
use juror_core::units::Bytes;
use juror_sandbox::sandbox::{Host, Slot};

const LIMIT: Duration = Duration::from_millis(300);
const NO_LIMIT: Duration = Duration::from_secs(10);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let rounds = arguments.iter().find_map(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(20);
    let directory = tempfile::tempdir().expect("a temporary directory");
    open_to_all(directory.path());
    compile(&directory.path().join("hungry"));
    let host = Host::find(RequiredIsolation::Any).expect("this machine can be looked at");
    let core = host.physical_cores().last().copied();
    let mut slot = Slot::start(&host, core).expect("a slot starts");
    println!("{}, {rounds} rounds, on one core", host.mechanism());
    println!("{:44} {:>10} {:>10}", "beyond a limit of 300 ms", "median", "worst");
    let cpu: fn(&Outcome) -> Duration = |outcome| outcome.cpu_time;
    let wall: fn(&Outcome) -> Duration = |outcome| outcome.wall_time;
    for (name, argument, of_cpu, measured) in [
        ("CPU time, one thread", "cpu", true, cpu),
        ("CPU time, 15 threads", "cpu-in-threads", true, cpu),
        ("CPU time, two children", "cpu-in-children", true, cpu),
        ("CPU time, a child that nobody waits for", "hidden-cpu", true, cpu),
        ("wall time, asleep", "sleep", false, wall),
        ("wall time, busy in 15 threads", "cpu-in-threads", false, wall),
    ] {
        let job = job(directory.path(), argument, of_cpu);
        let mut beyond: Vec<Duration> = (0..rounds)
            .map(|_| slot.run(&job).expect("it runs").outcome)
            .map(|outcome| {
                assert!(outcome.stopped_by.is_some(), "{argument} is not ended: {outcome:?}");
                measured(&outcome).saturating_sub(LIMIT)
            })
            .collect();
        beyond.sort_unstable();
        let median = beyond.get(beyond.len() / 2).copied().unwrap_or_default();
        let worst = beyond.last().copied().unwrap_or_default();
        println!("{name:44} {median:>10.1?} {worst:>10.1?}");
    }
}

fn job(programs: &Path, argument: &str, of_cpu: bool) -> Job {
    let limit = |is_it: bool| Some(if is_it { LIMIT } else { NO_LIMIT });
    Job {
        command: Command {
            argv: ["/program/hungry", argument, "-1"].map(str::to_owned).into(),
            env: Vec::new(),
            visible: vec![VisiblePath::tree("/program", &Tree::unlisted(programs))],
        },
        stdin: Blob::default(),
        files: Vec::new(),
        writable: true,
        box_size: Bytes::mib(64),
        limits: Limits {
            cpu_time: limit(of_cpu),
            wall_time: limit(!of_cpu),
            deadline: None,
            memory: Some(Bytes::mib(1024)),
            output: Some(Bytes::mib(8)),
            processes: Some(64),
        },
        collect: Vec::new(),
        keep: BoxRetention::Nothing,
        is_timed: false,
    }
}

fn compile(target: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/hungry.c");
    let mut compiler = process::Command::new("cc");
    compiler.args(["-O1", "-w", "-o"]).args([target, &source]);
    let status = compiler.arg("-lpthread").status();
    assert!(status.expect("this needs cc").success());
}

fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}
