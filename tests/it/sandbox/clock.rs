//! A machine whose clock is set while programs run.

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use super::*;

fn jump(seconds: i64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
    let then = i64::try_from(now.as_secs()).expect("seconds") + seconds;
    let mut date = process::Command::new("date");
    let set = date.args(["-s", &format!("@{then}")]).stdout(process::Stdio::null()).status();
    assert!(set.expect("date runs").success());
}

/// Only on an emulated machine, which sets a variable: there, the clock may be changed.
#[test]
fn a_clock_that_jumps_changes_no_outcome() {
    if std::env::var_os("JUROR_TEST_CLOCK").is_none() {
        return skip("the machine's clock is in use");
    }
    let mut slot = slot();
    let mut check = |line: &str, expected: &str, least: f64| {
        let mut job = job("", &[]);
        job.command.argv = vec!["/bin/sh".into(), "-c".into(), line.into()];
        job.limits.cpu_time = Some(Duration::from_secs(1));
        job.limits.wall_time = Some(Duration::from_secs(20));
        let outcome = run(&mut slot, &job).outcome;
        let wall_time = outcome.wall_time.as_secs_f64();
        assert_eq!(summary(&outcome), expected, "{line}: {outcome:?}");
        assert!((least..60.0).contains(&wall_time), "{line}: {outcome:?}");
    };
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let _over = SetOnDrop(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for seconds in [200_000, -90_000, -3600] {
                    jump(seconds);
                    thread::sleep(Duration::from_millis(20));
                }
            }
        });
        check("exit 7", "exit 7", 0.0);
        check("sleep 1", "exit 0", 0.9);
        check("while :; do :; done", "stopped: CpuTime", 0.9);
        check("sleep 1000", "stopped: WallTime", 20.0);
    });
}
