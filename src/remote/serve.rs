//! A worker's threads: one reads, one for each slot and some more run jobs, one reports that the worker is there.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::executor::Executor;
use crate::language::find;
use crate::language::tool::TOOLS;
use crate::language::toolchain::{Toolchain, Toolchains, Tried};
use crate::model::blob::Blob;
use crate::model::job::Reply;
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;
use crate::model::work::WorkReply;
use crate::remote::frame::{PIECE, Peer, frame};
use crate::remote::message::{Ended, Facts, FromWorker, RequestId};
use crate::remote::packing::{Way, put_behind, unread};
use crate::remote::worker_side::{Effect, ProgramOrder, Task, WorkerSide};

/// How many jobs a worker has in addition to those that run, so that no slot waits for the pipe.
pub(super) const AHEAD: usize = 2;

const BEAT: Duration = Duration::from_secs(1);

/// In bytes: blobs of results up to this size follow their message.
const SMALL: u64 = 64 << 10;

/// Streams of a result have the number of its job, shifted by this many bits. The low bits number the blob.
pub(super) const BLOBS: u32 = 20;

/// Reads jobs and writes their results until the input ends. Calls `unheard` if nobody reads the output: the input
/// should then end, too.
///
/// # Errors
/// If juror cannot have sent the input.
pub fn serve(
    facts: Facts,
    executor: &dyn Executor,
    tools: &Toolchains,
    mut input: impl Read,
    output: impl Write + Send,
    unheard: &(dyn Fn() + Sync),
) -> Result<(), JudgeError> {
    let slots = facts.slots;
    let output = Mutex::new(output);
    let put = |_: Option<RequestId>, bytes: &[u8]| {
        let mut output = output.lock();
        if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
            unheard();
        }
    };
    let worker = Worker::new(executor, tools, &put);
    put(None, Peer::Worker.greeting().as_bytes());
    worker.say(None, &FromWorker::Ready(facts));
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let (_beats, end) = channel();
    thread::scope(|scope| {
        let _end = End { worker: &worker, _beats };
        let mut threads = 0;
        for _ in 0..slots + AHEAD {
            let work = || worker.work(&receiver, |_| true);
            let started = thread::Builder::new().spawn_scoped(scope, work);
            threads += usize::from(started.is_ok());
        }
        let beating = thread::Builder::new().spawn_scoped(scope, || worker.beat(end));
        if threads == 0 || beating.is_err() {
            return Err(JudgeError::new(
                "start the threads of a worker",
                "the system refuses to start them",
            ));
        }
        worker.read(&mut input, sender)
    })
}

/// Sends a frame, with the number of the request that it answers, if any.
pub(super) type FrameSink<'a> = dyn Fn(Option<RequestId>, &[u8]) + Sync + 'a;

pub(super) struct Worker<'a> {
    executor: &'a dyn Executor,
    tools: &'a Toolchains,
    put: &'a FrameSink<'a>,
    /// The directories and files of the tools found, with their words: nothing else of this machine is shown.
    offered: Mutex<HashSet<(PathBuf, String)>>,
    /// After the input has ended, nobody waits for a stopped job, and nobody requested its stop.
    has_input_ended: AtomicBool,
}

/// Ends the runs when dropped. Its sender ends the reports that the worker is there.
struct End<'w, 'a> {
    worker: &'w Worker<'a>,
    _beats: Sender<()>,
}

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.worker.has_input_ended.store(true, Ordering::Release);
        self.worker.executor.stop();
    }
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        executor: &'a dyn Executor,
        tools: &'a Toolchains,
        put: &'a FrameSink<'a>,
    ) -> Self {
        Self {
            executor,
            tools,
            put,
            offered: Mutex::default(),
            has_input_ended: AtomicBool::new(false),
        }
    }

    fn beat(&self, end: Receiver<()>) {
        while end.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
            self.say(None, &FromWorker::Alive);
        }
    }

    /// Reads to the end. The threads end when the sender is dropped.
    fn read(&self, input: &mut impl Read, orders: Sender<ProgramOrder>) -> Result<(), JudgeError> {
        let mut side = WorkerSide::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let length = match input.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(JudgeError::new("read jobs", error)),
            };
            let acts = side.take(&buffer[..length]);
            let acts = acts.map_err(|broken| {
                JudgeError::new("read jobs", broken.0)
                    .help("let `juror judge --executor COMMAND` start this")
            })?;
            for act in acts {
                match act {
                    Effect::Say(message) => self.say(None, &message),
                    Effect::Do(order) => {
                        if orders.send(order).is_err() {
                            return Ok(());
                        }
                    }
                }
            }
        }
    }

    /// Carries out orders until the channel closes, or until `done` returns false.
    pub(super) fn work(
        &self,
        orders: &Mutex<Receiver<ProgramOrder>>,
        done: impl Fn(RequestId) -> bool,
    ) {
        loop {
            // Bound to a name, so that the lock is released before the work.
            let order = orders.lock().recv();
            let number = match order {
                Ok(ProgramOrder::Run(task)) => {
                    self.done(task.number, self.run(&task));
                    task.number
                }
                Ok(ProgramOrder::Find { number, word }) => {
                    let found = self.find(&word);
                    self.say(Some(number), &FromWorker::Found { number, found });
                    number
                }
                Err(_) => return,
            };
            if !done(number) {
                return;
            }
        }
    }

    fn run(&self, task: &Task) -> Result<WorkReply, Stop> {
        let offered = self.offered.lock();
        if let Some((path, _)) = task.installed().find(|it| !offered.contains(it)) {
            let what = format!("{} was not found here", path.display());
            return Err(JudgeError::new("show a tool", what).into());
        }
        drop(offered);
        self.executor.run(&task.work, task.mode)
    }

    fn done(&self, number: RequestId, result: Result<WorkReply, Stop>) {
        let framed = |ways, reply, behind: &[u8]| {
            frame(&FromWorker::Done { number, ways, reply }, &[behind])
        };
        let failed = |error| framed(Vec::new(), Ended::Failed(error), &[]);
        let sent = match result {
            Ok(reply) => self
                .send_blobs(number, &reply)
                .and_then(|(ways, behind)| framed(ways, Ended::Came(reply), &behind)),
            Err(Stop::Fault(error)) => failed(error),
            Err(_) if self.has_input_ended.load(Ordering::Acquire) => return,
            // An executor stops for no other reason.
            Err(Stop::Interrupted | Stop::Diagnosed(_) | Stop::Refused(..)) => {
                framed(Vec::new(), Ended::Interrupted, &[])
            }
        };
        if let Ok(bytes) = sent.or_else(failed) {
            (self.put)(Some(number), &bytes);
        }
    }

    fn send_blobs(
        &self,
        number: RequestId,
        reply: &WorkReply,
    ) -> Result<(Vec<Way>, Vec<u8>), JudgeError> {
        let mut behind = Vec::new();
        let blobs = reply.replies().into_iter().flat_map(Reply::blobs);
        let ways = blobs.enumerate().map(|(index, blob)| {
            if let Some(way) = put_behind(blob, SMALL, &mut behind)? {
                return Ok(way);
            }
            let stream = (number << BLOBS) + index as u64;
            let send = |is_last, bytes: &[u8]| {
                let head = FromWorker::Piece { stream, is_last };
                frame(&head, &[bytes]).map(|bytes| (self.put)(Some(number), &bytes))
            };
            pieces(blob, send)?;
            Ok(Way::Before(stream))
        });
        let ways = ways.collect::<Result<_, JudgeError>>()?;
        Ok((ways, behind))
    }

    pub(super) fn find(&self, word: &str) -> Result<Toolchain, Vec<Tried>> {
        let found = match TOOLS.iter().find(|tool| tool.word() == word) {
            Some(tool) => self.tools.tool(tool, "").map_err(|missing| missing.tried)?,
            None => {
                let found = self.tools.named(word, "").map_err(|missing| missing.tried)?;
                // A path from the other side must show only what belongs to the system.
                let is_known = !word.contains('/') && find::known(word).is_some();
                if !found.visible.is_empty() && !is_known {
                    return Err(Vec::new());
                }
                found
            }
        };
        let mut offered = self.offered.lock();
        for path in &found.visible {
            offered.insert((path.clone(), found.version.clone()));
        }
        Ok((*found).clone())
    }

    fn say(&self, number: Option<RequestId>, message: &FromWorker) {
        if let Ok(bytes) = frame(message, &[]) {
            (self.put)(number, &bytes);
        }
    }
}

pub(super) fn pieces(
    blob: &Blob,
    send: impl Fn(bool, &[u8]) -> Result<(), JudgeError>,
) -> Result<(), JudgeError> {
    let fault = |error| unread(blob, &error);
    let mut left = blob.len().map_err(fault)?;
    let mut reader = blob.open().map_err(fault)?;
    let mut buffer = vec![0; PIECE];
    loop {
        let length = left.min(PIECE as u64) as usize;
        reader.read_exact(&mut buffer[..length]).map_err(fault)?;
        left -= length as u64;
        send(left == 0, &buffer[..length])?;
        if left == 0 {
            return Ok(());
        }
    }
}
