//! The threads of a worker that run programs.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::mpsc::Receiver;

use crate::remote::message::RequestId;
use crate::remote::serve::{FrameSink, Worker, lock};
use crate::remote::worker_side::Task;

/// The frames of each job's result.
#[derive(Default)]
pub(super) struct FramesByNumber(Mutex<HashMap<RequestId, Vec<u8>>>);

impl FrameSink for FramesByNumber {
    fn put(&self, number: Option<RequestId>, bytes: &[u8]) {
        if let Some(number) = number {
            lock(&self.0).entry(number).or_default().extend(bytes);
        }
    }
}

/// An order to a thread that runs programs.
pub(super) enum ProgramOrder {
    Run(Task),
    Find { number: RequestId, word: String },
}

/// Runs orders until the channel closes, and passes on the frames of each result.
pub(super) fn run(
    worker: &Worker<'_>,
    basket: &FramesByNumber,
    orders: &Mutex<Receiver<ProgramOrder>>,
    done: impl Fn(RequestId, Vec<u8>) -> bool,
) {
    loop {
        let order = lock(orders).recv();
        let number = match order {
            Ok(ProgramOrder::Run(task)) => {
                worker.run(&task);
                task.number
            }
            Ok(ProgramOrder::Find { number, word }) => {
                worker.look_for(number, &word);
                number
            }
            Err(_) => return,
        };
        let frames = lock(&basket.0).remove(&number).unwrap_or_default();
        if !done(number, frames) {
            return;
        }
    }
}
