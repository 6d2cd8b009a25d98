//! Several judges at once on one machine: none has anything of another's.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Stdio};

use juror_core::joint::JointJob;

use super::*;

const SLOTS: usize = 3;

/// A judge in a process of its own. It lives until its input is closed.
struct JudgeProcess {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl JudgeProcess {
    /// The judge's command becomes the arguments of `by`; an empty `by` starts the judge directly.
    fn start(by: &[&str]) -> Self {
        let executable = std::env::current_exe().unwrap();
        let test = "sandbox::neighbours::tell_users";
        let options = ["--exact", "--ignored", "--nocapture", "--test-threads=1"];
        let mut words = by.iter().map(OsStr::new).chain([executable.as_os_str(), OsStr::new(test)]);
        let mut command = process::Command::new(words.next().unwrap());
        command.args(words).args(options).env(PROGRAMS, programs());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    /// The users that its programs print.
    fn users(&mut self) -> Vec<u32> {
        let lines = self.output.by_ref().lines().map(Result::unwrap);
        let users = lines.filter_map(|line| line.split("user ").nth(1)?.trim().parse().ok());
        users.take(SLOTS).collect()
    }
}

/// Processes with one of these users exist.
fn have_processes(users: &[u32]) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let status =
        processes.filter_map(|process| fs::read_to_string(process.path().join("status")).ok());
    let real = status.filter_map(|status| {
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:").map(str::to_owned))?;
        line.split_whitespace().next()?.parse::<u32>().ok()
    });
    real.into_iter().any(|user| users.contains(&user))
}

#[test]
fn no_two_runs_at_once_share_a_user() {
    if !rustix::process::geteuid().is_root() {
        return skip("programs are of this user");
    }
    let elsewhere =
        ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let can_be_elsewhere = host().isolation() == Isolation::Namespaces
        && process::Command::new(elsewhere[0])
            .args(&elsewhere[1..])
            .arg("true")
            .status()
            .is_ok_and(|status| status.success());
    let ways: [&[&str]; 3] = [&[], &[], if can_be_elsewhere { &elsewhere } else { &[] }];
    let mut judges = ways.map(JudgeProcess::start);
    let users: Vec<u32> = judges.iter_mut().flat_map(JudgeProcess::users).collect();
    let different: BTreeSet<u32> = users.iter().copied().collect();
    assert_eq!(users.len(), SLOTS * judges.len());
    assert_eq!(different.len(), users.len(), "{users:?}");
    // Whether a judge ends or is killed, what it had is free again.
    judges[0].process.kill().unwrap();
    for judge in &mut judges {
        drop(judge.process.stdin.take());
        judge.process.wait().unwrap();
    }
    let is_free = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !have_processes(&users)
    });
    assert!(is_free, "{users:?}");
}

/// The kernel counts the pipes of all programs of a user together, and gives small ones to users with many.
#[test]
fn a_contestant_with_many_pipes_leaves_some_to_the_validator() {
    let host = host();
    let [mut first, mut second] = [(); 2].map(|()| Slot::start(host, None).expect("a slot starts"));
    let pair = JointJob {
        program: job("pipes", &["hold"]),
        partner: job("pipes", &["look"]),
        accept_exit_code: 42,
        transcript: None,
    };
    let reply = first.run_joint(&mut second, &pair).unwrap();
    assert_eq!(summary(&reply.partner.reply.outcome), "exit 42", "{reply:?}");
    let expected = if rustix::process::geteuid().is_root() {
        "exit 0"
    } else {
        // It has too many.
        "SIGKILL"
    };
    assert_eq!(summary(&reply.program.reply.outcome), expected, "{reply:?}");
}

/// The locks of another run are not counted for one that locks often.
#[test]
fn locks_of_another_run_are_not_counted() {
    let [mut first, mut second] = [(); 2].map(|()| slot());
    let pair = JointJob {
        program: job("locking", &["often"]),
        partner: job("locking", &["hold"]),
        accept_exit_code: 42,
        transcript: None,
    };
    let reply = first.run_joint(&mut second, &pair).unwrap();
    assert_eq!(summary(&reply.program.reply.outcome), "exit 0", "{reply:?}");
    assert_eq!(summary(&reply.partner.reply.outcome), "exit 42", "{reply:?}");
}

/// A judge that prints the users of its programs, which run at the same time.
#[test]
#[ignore = "run by another test, in a process of its own"]
#[expect(clippy::print_stdout, reason = "the other test reads it")]
fn tell_users() {
    let mut slots: Vec<Slot> = (0..SLOTS).map(|_| slot()).collect();
    for slot in &mut slots {
        let mut job = job("", &[]);
        job.command.argv = vec!["/bin/sh".into(), "-c".into(), "id -u; id -g".into()];
        let output = text(&run(slot, &job).stdout);
        let (user, group) = output.trim().split_once('\n').unwrap();
        assert_eq!(user, group);
        println!("user {user}");
    }
    std::io::stdin().lines().for_each(drop);
}
