//! Finds tools on workers, instead of on this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use crate::frame::encode_frame;
use crate::judge_side::Response;
use crate::message::MessageToWorker;
use crate::state::{OpenRequest, SharedWorkers, WorkerState, WorkersState};
use juror_core::language::probe::{AskFault, FailedCandidate, Lookup, Probe};

/// All workers search each tool; the result of the first that has it counts.
pub(super) struct RemoteTools(pub(super) Arc<SharedWorkers>);

impl Probe for RemoteTools {
    fn remote_lookup(&self, word: &str) -> Option<Lookup> {
        let shared = &self.0;
        let mut state = shared.lock();
        // A worker that is started once more may have it.
        shared.changed.wait_while(&mut state, |state| {
            !state.is_stopped && state.workers.iter().any(WorkerState::is_restarting)
        });
        if let Some(found) = state.tools.get(word) {
            return Some(found.clone());
        }
        let WorkersState { workers, last_number: numbers, .. } = &mut *state;
        let mut questions = Vec::new();
        for (index, worker) in workers.iter_mut().enumerate() {
            if worker.is_available() && !worker.tools.contains_key(word) {
                let (answer, receiver) = sync_channel(1);
                *numbers += 1;
                let number = *numbers;
                let question = MessageToWorker::FindTool { number, word: word.to_owned() };
                let Ok(frame) = encode_frame(&question, &[]) else { continue };
                worker.open_requests.insert(number, OpenRequest::new(answer));
                questions.push((index, number, frame, receiver));
            }
        }
        drop(state);
        let questions = questions.into_iter().map(|(worker, number, frame, receiver)| {
            shared.send_request(worker, number, frame);
            (worker, receiver)
        });
        // All get the question before the first one answers.
        for (worker, receiver) in questions.collect::<Vec<_>>() {
            // The others answer for a lost worker.
            let Ok(Response::ToolFound(found)) = receiver.recv() else { continue };
            shared.lock().workers[worker].tools.insert(word.to_owned(), found);
        }
        let mut best: Lookup = Err(Vec::new());
        let mut state = shared.lock();
        let present = || state.workers.iter().filter(|worker| worker.is_present());
        if present().next().is_none() {
            let fault = AskFault::Judge(Box::new(state.no_worker_fault()));
            return Some(Err(vec![FailedCandidate { program: word.into(), fault }]));
        }
        for found in present().filter_map(|worker| worker.tools.get(word)) {
            match (&best, &found.found) {
                (Err(_), Ok(tool)) => best = Ok(Arc::new(tool.clone())),
                (Err(none), Err(tried)) if none.is_empty() => best = Err(tried.clone()),
                _ => {}
            }
        }
        state.tools.entry(word.to_owned()).or_insert(best.clone());
        drop(state);
        Some(best)
    }

    /// `elsewhere` answers for the workers; this machine is not searched.
    fn on_path(&self, _: &str) -> Vec<PathBuf> {
        Vec::new()
    }

    fn ask(&self, _: &Path, _: &[&str]) -> Result<String, AskFault> {
        Err("is on another machine".to_owned().into())
    }

    fn real_path(&self, _: &Path) -> Option<PathBuf> {
        None
    }

    fn link_chain(&self, path: &Path) -> Vec<PathBuf> {
        vec![path.to_owned()]
    }

    fn links_out_of(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    fn size(&self, _: &Path) -> Option<u64> {
        None
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }
}
