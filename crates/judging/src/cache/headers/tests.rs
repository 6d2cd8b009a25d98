//! Which builds run with a header, and which without.

use super::*;
use crate::cache::knowledge::KnownResults;
use crate::cache::store::Store;
use juror_core::blob::Blob;
use juror_core::job::{BoxRetention, Command};
use juror_core::judgement::JudgeError;
use juror_core::outcome::quiet_outcome;
use juror_core::tree::{Node, TreeEntry};
use juror_core::units::Bytes;
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::scripted::ScriptedExecutor;

fn build(text: &str) -> Job {
    let argv = ["/usr/bin/g++", "-x", "c++", "-O2", "-o", "a", "a.cpp"];
    let source = format!("#include <bits/stdc++.h>\n{text}\n");
    Job {
        command: Command { argv: argv.map(str::to_owned).to_vec(), ..Command::default() },
        files: vec![TreeEntry::new("a.cpp", Node::plain(source.into_bytes()))],
        keep: BoxRetention::ALL,
        limits: Limits { memory: Some(Bytes::mib(1024)), ..Limits::of_machine_check() },
        ..Job::default()
    }
}

/// How programs are built in each way.
type BuildAnswer = fn(text: &str, is_fast: bool) -> Result<JobReply, Stop>;

fn reply(contents: &str, messages: &str) -> JobReply {
    let name = if contents == "header" { "bits/stdc++.h.gch" } else { "a" };
    JobReply {
        outcome: quiet_outcome(),
        stdout: Blob::default(),
        stderr: messages.as_bytes().into(),
        collected: Vec::new(),
        kept: Some(Tree::from(vec![TreeEntry::new(name, Node::plain(contents.as_bytes()))])),
    }
}

fn good(text: &str, _: bool) -> Result<JobReply, Stop> {
    Ok(reply(text, ""))
}

/// Builds the programs of a command one after the other. Returns what ran for each: `p`lain, `f`ast, `h`eader.
fn runs(store: &Arc<Store>, texts: &[&str], answer: BuildAnswer) -> String {
    let log = Arc::new(Mutex::new(String::new()));
    let noted = Arc::clone(&log);
    let ground = ScriptedExecutor::new(4, move |job: &Job| {
        let is_header = job.command.argv.contains(&"c++-header".to_owned());
        let is_fast = job.command.argv.contains(&"-I/headers".to_owned());
        let kind = if is_header {
            'h'
        } else if is_fast {
            'f'
        } else {
            'p'
        };
        noted.lock().push(kind);
        let text = String::from_utf8(job.files[0].bytes().to_vec()).unwrap();
        if is_header {
            answer("header", false)
        } else {
            answer(text.lines().nth(1).unwrap(), is_fast)
        }
    });
    let command = CachedExecutor::new(
        Arc::new(ground),
        Arc::new(KnownResults::new(Arc::clone(store), false)),
    );
    for text in texts {
        let expected = answer(text, false);
        let reply = command.run_job(&build(text));
        assert_eq!(reply.is_ok(), expected.is_ok(), "{text}");
        if let (Ok(reply), Ok(expected)) = (reply, expected) {
            assert_eq!(reply.kept, expected.kept, "{text}");
            assert_eq!(reply.stderr, expected.stderr, "{text}");
        }
        log.lock().push(' ');
    }
    let log = log.lock();
    log.trim_end().to_owned()
}

#[test]
fn a_header_is_made_when_it_pays() {
    let check = |first: BuildAnswer, expected: &str, later: BuildAnswer, expected_later: &str| {
        let store = Arc::new(Store::scratch());
        let often = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        assert_eq!(runs(&store, &often[..7], first), expected);
        assert_eq!(runs(&store, &often[7..], later), expected_later);
    };
    check(good, "p p p p hf f f", good, "f f");
    // There is no header: builds are plain, and a later command tries again when it pays.
    let without: BuildAnswer = |text, _| match text {
        "header" => Err(JudgeError::new("make it", "no room").into()),
        _ => good(text, false),
    };
    check(without, "p p p p hp p p", good, "p p");
    // Builds with a header fail.
    let broken: BuildAnswer = |text, is_fast| {
        if is_fast { Err(JudgeError::new("show it", "no room").into()) } else { good(text, false) }
    };
    check(broken, "p p p p hfp p p", broken, "fp p");
    // The compiler has messages, so it runs again without the header.
    let warns: BuildAnswer = |text, is_fast| match text {
        "header" => good(text, false),
        _ => Ok(reply(text, if is_fast { "warning with a header" } else { "warning" })),
    };
    check(warns, "p p p p hfp fp fp", warns, "fp fp");
}

#[test]
fn a_header_is_used_only_if_a_build_without_it_stays_within_its_limits() {
    let check = |build_time: u64, header_time: u64, peak: u64, expected: bool| {
        let outcome = |cpu_time: u64| Outcome {
            cpu_time: Duration::from_secs(cpu_time),
            peak_memory: Bytes::mib(peak),
            ..quiet_outcome()
        };
        let limits = Limits {
            cpu_time: Some(Duration::from_secs(10)),
            memory: Some(Bytes::mib(1024)),
            ..Limits::default()
        };
        let reply = JobReply { outcome: outcome(build_time), ..reply("a", "") };
        assert_eq!(
            is_certain(&reply, &outcome(header_time), &limits),
            expected,
            "{build_time} {header_time} {peak}"
        );
    };
    check(6, 4, 512, true);
    check(7, 4, 512, false);
    check(6, 4, 513, false);
    let reply = reply("a", "warning");
    assert!(!is_certain(&reply, &quiet_outcome(), &Limits::default()));
}
