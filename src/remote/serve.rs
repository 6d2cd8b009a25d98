//! A worker's threads: one reads, one for each slot and some more run jobs, one reports that the worker is there.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde::Serialize;

use crate::executor::Executor;
use crate::language::find;
use crate::language::tool::TOOLS;
use crate::language::toolchain::{Toolchain, Toolchains, Tried};
use crate::model::blob::Blob;
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;
use crate::remote::frame::{PIECE, Peer, frame};
use crate::remote::message::{Ended, Facts, FromWorker, RequestId};
use crate::remote::packing::{HasBlobs, Way, put_behind, unread};
use crate::remote::worker_side::{AnyJob, Effect, Task, WorkerSide};

/// How many jobs a worker has beside those that run, so that no slot waits for the pipe.
pub(super) const AHEAD: usize = 2;

/// How often a worker reports that it is still there.
const BEAT: Duration = Duration::from_secs(1);

/// Blobs of results up to this size follow their message.
const SMALL: u64 = 64 << 10;

/// How far the number of a job is shifted in the numbers of its result's streams. The low bits number the blob.
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
    let mouth = PipeSink { output: Mutex::new(output), unheard };
    let worker = Worker::new(executor, tools, &mouth);
    mouth.put(None, Peer::Worker.greeting().as_bytes());
    worker.say(None, &FromWorker::<(), ()>::Ready(facts));
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let (_beats, end) = channel();
    thread::scope(|scope| {
        let _end = End { worker: &worker, _beats };
        let mut threads = 0;
        for _ in 0..slots + AHEAD {
            let started = thread::Builder::new().spawn_scoped(scope, || worker.work(&receiver));
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

/// Where a worker's frames go.
pub(super) trait FrameSink: Sync {
    /// Takes a frame, and the number of the request that it answers, if any.
    fn put(&self, number: Option<RequestId>, bytes: &[u8]);
}

/// A pipe.
struct PipeSink<'a, W> {
    output: Mutex<W>,
    unheard: &'a (dyn Fn() + Sync),
}

impl<W: Write + Send> FrameSink for PipeSink<'_, W> {
    fn put(&self, _: Option<RequestId>, bytes: &[u8]) {
        let mut output = lock(&self.output);
        if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
            (self.unheard)();
        }
    }
}

/// Runs jobs, and sends their results.
pub(super) struct Worker<'a> {
    executor: &'a dyn Executor,
    tools: &'a Toolchains,
    outlet: &'a dyn FrameSink,
    /// The directories and files of the tools found, with their words: nothing else of this machine is shown.
    offered: Mutex<HashSet<(PathBuf, String)>>,
    /// Whether the input has ended: what is stopped then was not asked to end by anybody, and nobody waits for it.
    has_input_ended: AtomicBool,
}

/// An order to a thread.
enum Order {
    Run(Task),
    Find { number: RequestId, word: String },
}

/// Ends the runs, and with its sender the reports that the worker is there.
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
        outlet: &'a dyn FrameSink,
    ) -> Self {
        Self {
            executor,
            tools,
            outlet,
            offered: Mutex::default(),
            has_input_ended: AtomicBool::new(false),
        }
    }

    /// Reports that it is still there, until the sender is dropped.
    fn beat(&self, end: Receiver<()>) {
        while end.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
            self.say(None, &FromWorker::<(), ()>::Alive);
        }
    }

    /// Reads to the end. The threads end when the sender is dropped.
    fn read(&self, input: &mut impl Read, orders: Sender<Order>) -> Result<(), JudgeError> {
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
                let order = match act {
                    Effect::Say(message) => {
                        self.say(None, &message);
                        continue;
                    }
                    Effect::Run(task) => Order::Run(task),
                    Effect::Find { number, word } => Order::Find { number, word },
                };
                if orders.send(order).is_err() {
                    return Ok(());
                }
            }
        }
    }

    fn work(&self, orders: &Mutex<Receiver<Order>>) {
        loop {
            // Bound to a name, so that the lock is released before the work.
            let order = lock(orders).recv();
            match order {
                Ok(Order::Run(task)) => self.run(&task),
                Ok(Order::Find { number, word }) => self.look_for(number, &word),
                Err(_) => return,
            }
        }
    }

    pub(super) fn run(&self, task: &Task) {
        let Task { number, repeat, work } = task;
        let number = *number;
        if let Some(path) = self.not_offered(work) {
            let what = format!("{} was not found here", path.display());
            self.say(Some(number), &work.failed(number, JudgeError::new("show a tool", what)));
            return;
        }
        match work {
            AnyJob::Single(job) => {
                let reply = self.executor.run_one(job, *repeat);
                self.done(number, reply, |ways, reply, behind| {
                    frame(&FromWorker::<_, ()>::Done { number, ways, reply }, &[behind])
                });
            }
            AnyJob::Joint(job) => {
                let reply = self.executor.run_two(job, *repeat);
                self.done(number, reply, |ways, reply, behind| {
                    frame(&FromWorker::<(), _>::DoneJoint { number, ways, reply }, &[behind])
                });
            }
        }
    }

    fn not_offered(&self, work: &AnyJob) -> Option<PathBuf> {
        let offered = lock(&self.offered);
        work.installed().into_iter().find(|it| !offered.contains(it)).map(|(path, _)| path)
    }

    /// Sends a result, after its large blobs in pieces.
    fn done<R: HasBlobs>(
        &self,
        number: RequestId,
        result: Result<R, Stop>,
        framed: impl Fn(Vec<Way>, Ended<&R>, &[u8]) -> Result<Vec<u8>, JudgeError>,
    ) {
        let failed = |error| framed(Vec::new(), Ended::Failed(error), &[]);
        let sent = match &result {
            Ok(reply) => self
                .send_blobs(number, reply)
                .and_then(|(ways, behind)| framed(ways, Ended::Came(reply), &behind)),
            Err(Stop::Fault(error)) => failed(error.clone()),
            Err(_) if self.has_input_ended.load(Ordering::Acquire) => return,
            // An executor stops for no other reason.
            Err(Stop::Interrupted | Stop::Diagnosed(_) | Stop::Refused(..)) => {
                framed(Vec::new(), Ended::Interrupted, &[])
            }
        };
        if let Ok(bytes) = sent.or_else(failed) {
            self.outlet.put(Some(number), &bytes);
        }
    }

    fn send_blobs(
        &self,
        number: RequestId,
        reply: &impl HasBlobs,
    ) -> Result<(Vec<Way>, Vec<u8>), JudgeError> {
        let mut behind = Vec::new();
        let ways = reply.blobs().into_iter().enumerate().map(|(index, blob)| {
            if let Some(way) = put_behind(blob, SMALL, &mut behind)? {
                return Ok(way);
            }
            let stream = (number << BLOBS) + index as u64;
            let send = |is_last, bytes: &[u8]| {
                let head = FromWorker::<(), ()>::Piece { stream, is_last };
                frame(&head, &[bytes]).map(|bytes| self.outlet.put(Some(number), &bytes))
            };
            pieces(blob, send)?;
            Ok(Way::Before(stream))
        });
        let ways = ways.collect::<Result<_, JudgeError>>()?;
        Ok((ways, behind))
    }

    pub(super) fn look_for(&self, number: RequestId, word: &str) {
        let found = self.find(word);
        self.say(Some(number), &FromWorker::<(), ()>::Found { number, found });
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
        let mut offered = lock(&self.offered);
        for path in &found.visible {
            offered.insert((path.clone(), found.version.clone()));
        }
        Ok((*found).clone())
    }

    fn say<R: Serialize, P: Serialize>(
        &self,
        number: Option<RequestId>,
        message: &FromWorker<R, P>,
    ) {
        if let Ok(bytes) = frame(message, &[]) {
            self.outlet.put(number, &bytes);
        }
    }
}

/// Sends a blob in pieces.
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

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
