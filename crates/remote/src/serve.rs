//! A worker's threads: one reads, one for each slot and some more run jobs, one reports that the worker is there.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::frame::{PIECE_BYTES, Peer, encode_frame, read_some};
use crate::message::{
    MessageFromWorker, RequestId, RunResult, ToolAnswer, WorkerFacts, encode_failure, encode_result,
};
use crate::packing::{BlobRoute, attach_blob, read_fault};
use crate::worker_side::{Effect, ProgramOrder, WorkerSide, WorkerTask};
use juror_core::blob::{Blob, Digest};
use juror_core::job::JobReply;
use juror_core::judgement::JudgeError;
use juror_core::language::probe::{FailedCandidate, Toolchain};
use juror_core::language::tool::TOOLS;
use juror_core::language::toolchain::{Toolchains, known_interpreter};
use juror_core::stop::{Stop, StopFlag, with_stop_flags};
use juror_core::work::WorkReply;
use juror_sandbox::executor::Executor;

/// How many jobs a worker has in addition to those that run, so that no slot waits for the pipe.
pub const EXTRA_JOBS: usize = 2;

const HEARTBEAT: Duration = Duration::from_secs(1);

/// In bytes: blobs of results up to this size follow their message.
const SMALL_BLOB: u64 = 64 << 10;

/// Streams of a result have the number of its job, shifted by this many bits. The low bits number the blob.
pub const BLOB_NUMBER_BITS: u32 = 20;

/// Reads jobs and writes their results until the input ends. Calls `output_closed` if nobody reads the output: the
/// input should then end, too. `identify_tool` returns a digest of a tool's files.
///
/// # Errors
/// If juror cannot have sent the input.
pub fn serve(
    facts: WorkerFacts,
    executor: &dyn Executor,
    tools: &Toolchains,
    identify_tool: &(dyn Fn(&Toolchain) -> Option<Digest> + Sync),
    mut input: impl Read,
    output: impl Write + Send,
    output_closed: &(dyn Fn() + Sync),
) -> Result<(), JudgeError> {
    let slots = facts.slots;
    let output = Mutex::new(output);
    let put = |bytes: &[u8]| {
        let mut output = output.lock();
        if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
            output_closed();
        }
    };
    let worker = Worker {
        executor,
        tools,
        identify_tool,
        send_frame: &put,
        offered_tools: Mutex::default(),
        stop_flags: Mutex::default(),
        has_input_ended: AtomicBool::new(false),
    };
    put(Peer::Worker.greeting().as_bytes());
    worker.send_message(&MessageFromWorker::Ready(facts));
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let (_beats, end) = channel();
    thread::scope(|scope| {
        let _end = WorkerEnd { worker: &worker, _beats };
        let mut threads = 0;
        for _ in 0..slots + EXTRA_JOBS {
            let work = || worker.carry_out_orders(&receiver);
            let started = thread::Builder::new().spawn_scoped(scope, work);
            threads += usize::from(started.is_ok());
        }
        let beating = thread::Builder::new().spawn_scoped(scope, || worker.send_heartbeats(end));
        if threads == 0 || beating.is_err() {
            return Err(JudgeError::new(
                "start the threads of a worker",
                "the system refuses to start them",
            ));
        }
        worker.read_orders(&mut input, sender)
    })
}

struct Worker<'a> {
    executor: &'a dyn Executor,
    tools: &'a Toolchains,
    identify_tool: &'a (dyn Fn(&Toolchain) -> Option<Digest> + Sync),
    send_frame: &'a (dyn Fn(&[u8]) + Sync),
    /// The directories and files of the tools found, with their words: nothing else of this machine is shown.
    offered_tools: Mutex<HashSet<(PathBuf, String)>>,
    /// What ends each job that is not answered yet.
    stop_flags: Mutex<HashMap<RequestId, StopFlag>>,
    /// After the input has ended, nobody waits for a stopped job, and nobody requested its stop.
    has_input_ended: AtomicBool,
}

/// Ends the runs when dropped. Its sender ends the reports that the worker is there.
struct WorkerEnd<'w, 'a> {
    worker: &'w Worker<'a>,
    _beats: Sender<()>,
}

impl Drop for WorkerEnd<'_, '_> {
    fn drop(&mut self) {
        self.worker.has_input_ended.store(true, Ordering::Release);
        self.worker.executor.stop();
    }
}

impl Worker<'_> {
    fn send_heartbeats(&self, end: Receiver<()>) {
        while end.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
            self.send_message(&MessageFromWorker::Heartbeat);
        }
    }

    /// Reads to the end. The threads end when the sender is dropped.
    fn read_orders(
        &self,
        input: &mut impl Read,
        orders: Sender<ProgramOrder>,
    ) -> Result<(), JudgeError> {
        let mut side = WorkerSide::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let length = read_some(input, &mut buffer);
            let length = length.map_err(|error| JudgeError::new("read jobs", error))?;
            if length == 0 {
                return Ok(());
            }
            let effects = side.read_messages(&buffer[..length]);
            let effects = effects.map_err(|broken| {
                JudgeError::new("read jobs", broken.0)
                    .help("let `juror judge --executor COMMAND` start this")
            })?;
            for effect in effects {
                match effect {
                    Effect::Send(message) => self.send_message(&message),
                    Effect::Fail(number, error) => self.send_result(number, Err(error.into())),
                    Effect::Cancel(number) => {
                        let flag = self.stop_flags.lock().get(&number).cloned();
                        flag.iter().for_each(StopFlag::set);
                    }
                    Effect::Execute(order) => {
                        if let ProgramOrder::Run(task) = &order {
                            self.stop_flags.lock().insert(task.number, StopFlag::default());
                        }
                        if orders.send(order).is_err() {
                            return Ok(());
                        }
                    }
                }
            }
        }
    }

    /// Carries out orders until the channel closes.
    fn carry_out_orders(&self, orders: &Mutex<Receiver<ProgramOrder>>) {
        loop {
            // Bound to a name, so that the lock is released before the work.
            let order = orders.lock().recv();
            match order {
                Ok(ProgramOrder::Run(task)) => self.send_result(task.number, self.run(&task)),
                Ok(ProgramOrder::FindTool { number, word }) => {
                    let found = self.find_tool(&word);
                    let files = found.as_ref().ok().and_then(self.identify_tool);
                    let answer = ToolAnswer { found, files };
                    self.send_message(&MessageFromWorker::ToolFound { number, answer });
                }
                Err(_) => return,
            }
        }
    }

    fn run(&self, task: &WorkerTask) -> Result<WorkReply, Stop> {
        let offered = self.offered_tools.lock();
        if let Some((path, _)) = task.installed_tools().find(|tool| !offered.contains(tool)) {
            let what = format!("{} was not found here", path.display());
            return Err(JudgeError::new("show a tool", what).into());
        }
        drop(offered);
        let flag = self.stop_flags.lock().get(&task.number).cloned().unwrap_or_default();
        let result = with_stop_flags(&[flag], || self.executor.run(&task.work, task.mode));
        self.stop_flags.lock().remove(&task.number);
        result
    }

    fn send_result(&self, number: RequestId, result: Result<WorkReply, Stop>) {
        let failed = |error| encode_failure(number, error);
        let sent = match result {
            Ok(reply) => self.send_blobs(number, &reply).and_then(|(ways, behind)| {
                let first = reply.replies().first().map(|reply| reply.outcome.wall_time);
                let result = RunResult { ways, reply: Ok(reply) };
                encode_result(number, first.unwrap_or_default(), &result, &behind)
            }),
            Err(Stop::Fault(error)) => failed(error),
            Err(_) if self.has_input_ended.load(Ordering::Acquire) => return,
            // It was cancelled, or the worker was asked to end.
            Err(Stop::Interrupted | Stop::Diagnosed(_) | Stop::Refused(..)) => {
                encode_frame(&MessageFromWorker::RunInterrupted { number }, &[])
            }
        };
        if let Ok(bytes) = sent.or_else(failed) {
            (self.send_frame)(&bytes);
        }
    }

    fn send_blobs(
        &self,
        number: RequestId,
        reply: &WorkReply,
    ) -> Result<(Vec<BlobRoute>, Vec<u8>), JudgeError> {
        let mut behind = Vec::new();
        let blobs = reply.replies().into_iter().flat_map(JobReply::blobs);
        let ways = blobs.enumerate().map(|(index, blob)| {
            if let Some(way) = attach_blob(blob, SMALL_BLOB, &mut behind)? {
                return Ok(way);
            }
            let index = index as u64;
            let stream = (number << BLOB_NUMBER_BITS) + index;
            let send = |is_last, bytes: &[u8]| {
                let head = MessageFromWorker::Piece { stream, is_last };
                encode_frame(&head, &[bytes]).map(|bytes| (self.send_frame)(&bytes))
            };
            send_pieces(blob, send)?;
            Ok(BlobRoute::BeforeMessage(index))
        });
        let ways = ways.collect::<Result<_, JudgeError>>()?;
        Ok((ways, behind))
    }

    fn find_tool(&self, word: &str) -> Result<Toolchain, Vec<FailedCandidate>> {
        let found = match TOOLS.iter().find(|tool| tool.placeholder() == word) {
            Some(tool) => self.tools.find(tool, "").map_err(|missing| missing.tried)?,
            None => {
                let found = self.tools.find_named(word, "").map_err(|missing| missing.tried)?;
                // A path from the other side must show only what belongs to the system.
                let is_known = !word.contains('/') && known_interpreter(word).is_some();
                if !found.visible.is_empty() && !is_known {
                    return Err(Vec::new());
                }
                found
            }
        };
        let mut offered = self.offered_tools.lock();
        for path in &found.visible {
            offered.insert((path.clone(), found.version.clone()));
        }
        Ok((*found).clone())
    }

    fn send_message(&self, message: &MessageFromWorker) {
        if let Ok(bytes) = encode_frame(message, &[]) {
            (self.send_frame)(&bytes);
        }
    }
}

pub(super) fn send_pieces(
    blob: &Blob,
    send: impl Fn(bool, &[u8]) -> Result<(), JudgeError>,
) -> Result<(), JudgeError> {
    let fault = |error| read_fault(blob, &error);
    let mut remaining = blob.len().map_err(fault)?;
    let mut reader = blob.open().map_err(fault)?;
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        let length = remaining.min(PIECE_BYTES as u64) as usize;
        reader.read_exact(&mut buffer[..length]).map_err(fault)?;
        remaining -= length as u64;
        send(remaining == 0, &buffer[..length])?;
        if remaining == 0 {
            return Ok(());
        }
    }
}
