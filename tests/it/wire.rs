//! An executor that forwards each job as bytes, like one for another machine: what is not serialized does not arrive.
//! The golden recordings and the tests of executors run everything through it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Debug;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;

use clap::Parser;
use juror::cli::arguments::Arguments;
use juror::cli::output;
use juror::ops::context::Context;
use juror::report::document::Report;
use juror_core::blob::{Blob, Digest};
use juror_core::event::StampedEvent;
use juror_core::exit_code::ExitCode;
use juror_core::job::{
    BoxRetention, CollectedEntry, Command, FileKind, Job, JobReply, VisibleContent, VisiblePath,
};
use juror_core::joint::{
    Deadlock, JointJob, JointReply, PartnerDelay, ProgramReply, TalkSide, Transcript,
    TranscriptPiece, WaitReason,
};
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::outcome::{self, Ending, Outcome, Signal};
use juror_core::stop::Stop;
use juror_core::tree::{FileMode, Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_sandbox::executor::{Executor, ExecutorWrapper, ManualPipes};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fixture::{Fixture, WRONG};
use crate::sandbox::PROGRAMS;
use juror_core::outcome::quiet_outcome;
use juror_sandbox::executor::scripted::ScriptedExecutor;

/// The binary that users get.
pub(crate) fn juror() -> process::Command {
    // A user without rights has a copy, since the build directory may be closed to it.
    let copy = env::var_os(PROGRAMS).map(|programs| Path::new(&programs).join("juror"));
    let built = || assert_cmd::cargo::cargo_bin("juror");
    let binary = copy.filter(|copy| copy.exists()).unwrap_or_else(built);
    let mut command = process::Command::new(binary);
    // Tests do not share a cache.
    command.env("JUROR_CACHE", "off").env("PATH", search_path());
    command
}

/// The system's Python comes before that of a version manager, of which each start takes longer than most tests.
pub(crate) fn search_path() -> &'static OsStr {
    static PATH: OnceLock<OsString> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        let system = Path::new("/usr/bin/python3");
        let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools");
        if fs::create_dir_all(&tools).is_err() || !system.exists() {
            return path;
        }
        // An earlier test may have made it.
        let _ = symlink(system, tools.join("python3"));
        let path = env::split_paths(&path);
        env::join_paths([tools].into_iter().chain(path)).expect("they were joined before")
    })
}

#[test]
fn every_job_goes_through_the_wrapper() {
    let fixture = Fixture::new();
    fixture.write("sum/generators/gen.sh", "echo 1 2\n");
    let recipe = "data: {secret: {data: {new: {generate: gen.sh}}}}\n";
    fixture.write("sum/generators/generators.yaml", recipe);
    fixture.write("sum/input_validators/sum.ctd", "INT(0, 9, a) SPACE INT(0, 9, b) NEWLINE\n");
    fixture.write("wrong.sh", WRONG);
    for line in [
        "judge sum wrong.sh",
        "judge sum -- /bin/true",
        "verify sum",
        "generate sum",
        "generate sum --check",
        "stress sum wrong.sh --runs 10",
    ] {
        let words = ["juror"].into_iter().chain(line.split_whitespace()).map(|word| {
            let own = fixture.path(word);
            if own.exists() { own.into_os_string() } else { word.into() }
        });
        let typed = Arguments::try_parse_from(words).expect("a command line");
        let refusing: ExecutorWrapper =
            |_| Arc::new(ScriptedExecutor::new(1, |_| Err(JudgeError::new("run", "no").into())));
        let (sender, events) = mpsc::channel();
        let sink = move |event: &StampedEvent| drop(sender.send(event.clone()));
        let mut context = Context::new(sink).with_wrapper(Some(refusing));
        typed.command.with_command(|command| output::run(command, Ok(()), &mut context, |_| {}));
        let mut report = Report::default();
        events.try_iter().for_each(|event| report.add_event(&event));
        let code = report.exit_code().graver_of(context.exit_code());
        assert_eq!(code, ExitCode::JudgeError, "{line}");
    }
}

pub(crate) fn wrap_in_wire(beyond: Arc<dyn Executor>) -> Arc<dyn Executor> {
    Arc::new(WireExecutor { inner: beyond, store: RemoteStore::default() })
}

/// Forwards jobs, and returns replies.
struct WireExecutor {
    inner: Arc<dyn Executor>,
    store: RemoteStore,
}

impl Executor for WireExecutor {
    fn inner(&self) -> Option<&dyn Executor> {
        Some(&*self.inner)
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        let compiled = match work {
            Work::Single(job) if is_compiled(job) => CompiledReply::for_job(job),
            _ => None,
        };
        if let Some(reply) = compiled.as_ref().and_then(CompiledReply::reply) {
            return Ok(reply.into());
        }
        let reply = self.reply(self.inner.run(&self.store.transfer(work)?, mode))?;
        if let (Some(compiled), WorkReply::Single(reply)) = (compiled, &reply)
            && reply.outcome.ending == Ending::Exited(0)
        {
            let _ = compiled.store(reply);
        }
        Ok(reply)
    }

    fn run_manually(&self, job: &Job, hand: ManualPipes) -> Result<JobReply, Stop> {
        let work = self.store.transfer(&Work::from(job.clone()))?;
        let reply = self.inner.run_manually(work.jobs()[0], hand);
        self.reply(reply.map(WorkReply::from))?.single()
    }
}

impl WireExecutor {
    fn reply(&self, reply: Result<WorkReply, Stop>) -> Result<WorkReply, Stop> {
        match reply {
            Ok(reply) => Ok(self.store.transfer(&reply)?),
            Err(Stop::Fault(error)) => Err(Stop::Fault(through_bytes(&error)?)),
            Err(stop) => Err(stop),
        }
    }
}

/// A compiler with a known name makes a program.
fn is_compiled(job: &Job) -> bool {
    let name =
        job.command.argv.first().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let is_known =
        ["gcc", "g++", "cc", "c++", "rustc", "javac"].iter().any(|known| name.starts_with(known));
    is_known && job.keep != BoxRetention::Nothing
}

/// The output of a compiler, in a file named by the content of all its inputs: many tests compile the same programs.
struct CompiledReply(PathBuf);

/// If one of these files changes, stored replies do not count.
const LAYOUT: [&str; 5] = [
    include_str!("wire.rs"),
    include_str!("../../crates/core/src/blob.rs"),
    include_str!("../../crates/core/src/job.rs"),
    include_str!("../../crates/core/src/outcome.rs"),
    include_str!("../../crates/core/src/tree.rs"),
];

impl CompiledReply {
    fn for_job(job: &Job) -> Option<Self> {
        // The digests are serialized only if they are known.
        job.blobs().try_for_each(|blob| blob.digest().map(|_| ())).ok()?;
        let name = Blob::from(postcard::to_allocvec(&(job, LAYOUT)).ok()?).digest().ok()?;
        let name: String = name.0.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled").join(name)))
    }

    /// The bytes of the blobs follow the rest as they are: an unoptimized reader takes long for each byte.
    fn reply(&self) -> Option<JobReply> {
        let bytes = fs::read(&self.0).ok()?;
        let ((mut reply, lengths), mut rest): ((JobReply, Vec<usize>), &[u8]) =
            postcard::take_from_bytes(&bytes).ok()?;
        for (blob, length) in reply.blobs_mut().zip(lengths) {
            let (own, behind) = rest.split_at_checked(length)?;
            *blob = own.to_vec().into();
            rest = behind;
        }
        Some(reply)
    }

    /// Another user may have no right to write it; then the program is compiled again the next time.
    fn store(&self, reply: &JobReply) -> io::Result<()> {
        let contents = reply.blobs().map(|blob| blob.prefix(u64::MAX));
        let contents = contents.collect::<io::Result<Vec<Vec<u8>>>>()?;
        let lengths: Vec<usize> = contents.iter().map(Vec::len).collect();
        let mut bytes = postcard::to_allocvec(&(reply, lengths)).map_err(io::Error::other)?;
        bytes.extend(contents.concat());
        let directory = self.0.parent().expect("it is in a directory");
        fs::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(&bytes)?;
        file.persist(&self.0)?;
        Ok(())
    }
}

/// What the other side has.
#[derive(Default)]
struct RemoteStore {
    blobs: Mutex<HashMap<Digest, Blob>>,
    /// Each shown tree is the same one there, so that it is written to disk once.
    trees: Mutex<Vec<Arc<Tree>>>,
}

impl RemoteStore {
    /// Returns what arrives on the other side.
    fn transfer<T: Parcel>(&self, parcel: &T) -> Result<T, JudgeError> {
        let fault = |error| JudgeError::new("send a blob", error);
        for blob in parcel.blobs() {
            let digest = blob.digest().map_err(fault)?;
            let mut known = self.blobs.lock().expect("no thread panicked");
            if let Entry::Vacant(unknown) = known.entry(digest) {
                unknown.insert(blob.prefix(u64::MAX).map_err(fault)?.into());
            }
        }
        let mut there: T = through_bytes(parcel)?;
        for blob in there.blobs_mut() {
            // It was sent with its digest, so it has one here.
            let digest = blob.digest().map_err(fault)?;
            *blob = self.blobs.lock().expect("no thread panicked")[&digest].clone();
        }
        for shown in there.shown_mut() {
            let VisibleContent::Tree(tree) = &mut shown.what else { continue };
            let mut known = self.trees.lock().expect("no thread panicked");
            match known.iter().find(|other| *other == tree) {
                Some(known) => *tree = Arc::clone(known),
                None => known.push(Arc::clone(tree)),
            }
        }
        Ok(there)
    }
}

fn through_bytes<T: Serialize + DeserializeOwned>(what: &T) -> Result<T, JudgeError> {
    let fault = |error| JudgeError::new("send a message", error);
    let bytes = postcard::to_allocvec(what).map_err(fault)?;
    postcard::from_bytes(&bytes).map_err(fault)
}

/// Is sent together with its blobs.
trait Parcel: Serialize + DeserializeOwned {
    fn blobs(&self) -> Vec<&Blob>;

    /// The same blobs in the same order, to be replaced.
    fn blobs_mut(&mut self) -> Vec<&mut Blob>;

    /// The trees and tools that it shows to programs.
    fn shown_mut(&mut self) -> Vec<&mut VisiblePath> {
        Vec::new()
    }
}

impl Parcel for Work {
    fn blobs(&self) -> Vec<&Blob> {
        self.jobs().into_iter().flat_map(Job::blobs).collect()
    }

    fn blobs_mut(&mut self) -> Vec<&mut Blob> {
        self.jobs_mut().into_iter().flat_map(Job::blobs_mut).collect()
    }

    fn shown_mut(&mut self) -> Vec<&mut VisiblePath> {
        self.jobs_mut().into_iter().flat_map(|job| &mut job.command.visible).collect()
    }
}

impl Parcel for WorkReply {
    fn blobs(&self) -> Vec<&Blob> {
        self.replies().into_iter().flat_map(JobReply::blobs).collect()
    }

    fn blobs_mut(&mut self) -> Vec<&mut Blob> {
        self.replies_mut().into_iter().flat_map(JobReply::blobs_mut).collect()
    }
}

/// Compares what arrives with what was sent. All blobs are in memory.
fn check<T: Parcel + Debug>(sent: &T) {
    let arrived = RemoteStore::default().transfer(sent).expect("it arrives");
    assert_eq!(format!("{arrived:?}"), format!("{sent:?}"));
    assert_eq!(Parcel::blobs(&arrived), Parcel::blobs(sent));
}

fn blob() -> impl Strategy<Value = Blob> {
    any::<Vec<u8>>().prop_map(Blob::from)
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..4).prop_map(String::from_iter)
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..3)
}

/// It need not be text.
fn path() -> impl Strategy<Value = PathBuf> {
    any::<Vec<u8>>().prop_map(|bytes| OsString::from_vec(bytes).into())
}

fn entry() -> impl Strategy<Value = TreeEntry> {
    let file = (blob(), any::<bool>()).prop_map(|(blob, is_program)| Node::File {
        blob,
        mode: if is_program { FileMode::Executable } else { FileMode::Plain },
    });
    let node = prop_oneof![file, path().prop_map(Node::Link), Just(Node::Directory)];
    (path(), node).prop_map(|(name, node)| TreeEntry::new(name, node))
}

fn entries() -> impl Strategy<Value = Vec<TreeEntry>> {
    prop::collection::vec(entry(), 0..4)
}

fn keep() -> impl Strategy<Value = BoxRetention> {
    let names = prop::collection::vec(path(), 0..3);
    prop_oneof![Just(BoxRetention::Nothing), names.prop_map(BoxRetention::AllBut)]
}

fn command() -> impl Strategy<Value = Command> {
    let installed =
        (text(), text()).prop_map(|(name, identity)| VisibleContent::Installed { name, identity });
    let tree = entries().prop_map(|entries| VisibleContent::Tree(Arc::new(entries.into())));
    let shown = (path(), prop_oneof![installed, tree]);
    let shown = shown.prop_map(|(inside, what)| VisiblePath { inside, what });
    (texts(), prop::collection::vec((text(), text()), 0..3), prop::collection::vec(shown, 0..3))
        .prop_map(|(argv, env, visible)| Command { argv, env, visible })
}

fn limits() -> impl Strategy<Value = Limits> {
    let parts = any::<([Option<Duration>; 3], Option<u64>, Option<u64>, Option<u32>)>();
    parts.prop_map(|([cpu_time, wall_time, deadline], memory, output, processes)| Limits {
        cpu_time,
        wall_time,
        deadline,
        memory: memory.map(Bytes),
        output: output.map(Bytes),
        processes,
    })
}

fn job() -> impl Strategy<Value = Job> {
    (command(), blob(), entries(), any::<(bool, bool, u64)>(), texts(), limits(), keep()).prop_map(
        |(command, stdin, files, (writable, is_timed, box_size), collect, limits, keep)| Job {
            command,
            stdin,
            files,
            writable,
            box_size: Bytes(box_size),
            limits,
            collect,
            keep,
            is_timed,
        },
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let ending = prop_oneof![
        any::<i32>().prop_map(Ending::Exited),
        any::<i32>().prop_map(|number| Ending::Signalled(Signal(number))),
    ];
    let stop = prop::option::of(prop::sample::select(vec![
        outcome::StopReason::CpuTime,
        outcome::StopReason::WallTime,
        outcome::StopReason::Memory,
        outcome::StopReason::Output,
        outcome::StopReason::Deadlock,
        outcome::StopReason::Dismissed,
    ]));
    (ending, stop, any::<(Duration, Duration, u64, u32)>()).prop_map(
        |(ending, stop, (cpu_time, wall_time, memory, refused_processes))| Outcome {
            ending,
            stopped_by: stop,
            cpu_time,
            wall_time,
            peak_memory: Bytes(memory),
            refused_processes,
            ..quiet_outcome()
        },
    )
}

fn reply() -> impl Strategy<Value = JobReply> {
    let collected = prop_oneof![
        blob().prop_map(CollectedEntry::File),
        Just(CollectedEntry::Missing),
        Just(CollectedEntry::NotAFile(FileKind::Fifo)),
    ];
    (
        outcome(),
        blob(),
        blob(),
        prop::collection::vec(collected, 0..3),
        prop::option::of(entries().prop_map(Tree::from)),
    )
        .prop_map(|(outcome, stdout, stderr, collected, kept)| JobReply {
            outcome,
            stdout,
            stderr,
            collected,
            kept,
        })
}

fn part() -> impl Strategy<Value = ProgramReply> {
    let waits =
        prop::sample::select(vec![WaitReason::Input, WaitReason::Output, WaitReason::Itself]);
    let times = any::<(Duration, Duration, Duration, u64)>();
    (reply(), times, prop::option::of(waits)).prop_map(
        |(reply, (started, ended, closed, unread), waits)| ProgramReply {
            reply,
            started,
            ended,
            closed,
            unread: Bytes(unread),
            waits,
        },
    )
}

fn joint_reply() -> impl Strategy<Value = JointReply> {
    let piece =
        any::<(Duration, bool, Vec<u8>)>().prop_map(|(at, is_program, text)| TranscriptPiece {
            at,
            by: if is_program { TalkSide::Program } else { TalkSide::Partner },
            text,
        });
    let pieces = prop::collection::vec(piece, 0..3);
    (part(), part(), any::<(Option<Duration>, bool, u64, Duration, bool)>(), pieces).prop_map(
        |(program, partner, (reported, is_stuck, left_out, longest, is_open), first)| JointReply {
            program,
            partner,
            output_end_reported: reported,
            deadlock: is_stuck.then_some(Deadlock {
                at: Duration::from_nanos(1),
                program: WaitReason::Input,
                partner: WaitReason::Output,
            }),
            debt: PartnerDelay { longest, is_open },
            transcript: Transcript { last: first.clone(), first, left_out: Bytes(left_out) },
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn work_arrives_as_it_was_sent(
        program in job(),
        partner in job(),
        accept_exit_code: i32,
        transcript: Option<u64>,
    ) {
        check(&Work::from(program.clone()));
        let transcript = transcript.map(Bytes);
        check(&Work::from(JointJob { program, partner, accept_exit_code, transcript }));
    }

    #[test]
    fn a_reply_arrives_as_it_was_sent(single in reply(), joint in joint_reply()) {
        check(&WorkReply::from(single));
        check(&WorkReply::from(joint));
    }
}
