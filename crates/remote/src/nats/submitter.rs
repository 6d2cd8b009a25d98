//! The sender of units: the jobs that wait, the units that are under way, and its threads.
//!
//! A few threads publish. Short runs that wait share a unit; while the workers have enough to do, short runs wait
//! briefly for others. One thread receives results as they are written. The last thread looks for units without news:
//! each half second, and when the connection is back.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::group::{Envelope, GroupMember, ReplyHandle, WorkerGroup};
use crate::link::WorkerRoute;
use crate::message::WorkerFacts;
use crate::nats::address::{Lane, NatsAddress};
use crate::nats::class::{GONE, QueuedJob, WorkerClass};
use crate::nats::link::{NatsLink, OutgoingMessage};
use crate::nats::presence::{self, PresentWorker};
use crate::nats::unit::MOST_JOBS;
use crate::nats::{layout, random, rights};
use crate::serve::EXTRA_JOBS;
use crate::state::pace_warning;
use juror_core::blob::Digest;
use juror_core::judgement::JudgeError;

/// How many messages may be on their way to the server.
const PUBLISHERS: usize = 8;

/// How long a worker may take to announce itself.
const ANNOUNCED: Duration = Duration::from_secs(5);

/// A bit more than the interval between a worker's announcements.
const ROUND: Duration = Duration::from_millis(1200);

/// How long to wait without a server or workers before giving up.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// How often units without news are looked for.
const LOOK: Duration = Duration::from_millis(500);

/// How long cleaning up may take.
const TIDY: Duration = Duration::from_secs(3);

/// Everything that goes over one connection.
pub struct Submitter {
    pub(super) link: NatsLink,
    lane: Lane,
    pub(super) batch: String,
    pub(super) secret: String,
    state: Mutex<SubmitterState>,
    /// Tells the publishing threads that a unit may be sent.
    ready: Condvar,
    tidied: Condvar,
    is_over: AtomicBool,
}

#[derive(Default)]
pub(super) struct SubmitterState {
    pub(super) classes: Vec<WorkerClass>,
    /// Units without result, by name.
    pub(super) in_flight: HashMap<String, UnitInFlight>,
    /// Blobs that the server has; false for those on their way.
    pub(super) blobs: HashMap<Digest, bool>,
    /// The display names of workers, by their unique names.
    names: HashMap<String, String>,
    pub(super) sequence: u64,
    /// Whether a thread waits until held runs must be sent.
    is_watched: bool,
    open: usize,
    is_tidy: bool,
}

/// A unit that was sent.
#[derive(Clone)]
pub(super) struct UnitInFlight {
    pub(super) class: usize,
    pub(super) lane: Lane,
    pub(super) envelopes: Vec<QueuedJob>,
    /// When it was last looked for. None until it is sent.
    pub(super) looked: Option<Instant>,
    /// How often it was not found.
    pub(super) missing: u32,
}

/// Connects to a server, and returns the workers that are there.
///
/// # Errors
/// If the server cannot be used, or no worker is there.
pub fn connect(address: &NatsAddress) -> Result<Vec<(String, WorkerRoute)>, JudgeError> {
    let link = NatsLink::open(address, Some(PATIENCE))?;
    if rights::is_workers_link(&link) {
        let what = format!("send jobs to {}", address.name);
        return Err(JudgeError::new(what, "this is a worker's key, and workers cannot send jobs")
            .help(
                "use a submitter's key; `juror cluster init` writes it to `submitter/nats.key`",
            ));
    }
    layout::prepare(&link, address.copies())?;
    let submitter = Submitter {
        link,
        lane: address.lane,
        batch: random(),
        secret: random(),
        state: Mutex::default(),
        ready: Condvar::new(),
        tidied: Condvar::new(),
        is_over: AtomicBool::new(false),
    };
    let mut classes: BTreeMap<String, Vec<PresentWorker>> = BTreeMap::new();
    for present in submitter.present(&address.name)? {
        classes.entry(present.class.clone()).or_default().push(present);
    }
    let slots =
        |members: &[PresentWorker]| members.iter().map(|it| it.said.facts.slots).sum::<usize>();
    // The order must not depend on which worker started first.
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, members)| std::cmp::Reverse(slots(members)));
    let submitter = Arc::new(submitter);
    let mut routes = Vec::new();
    for (index, (class, members)) in classes.into_iter().enumerate() {
        layout::prepare_class(&submitter.link, &class)?;
        let facts = WorkerFacts {
            name: address.name.clone(),
            slots: slots(&members),
            ..members[0].said.facts.clone()
        };
        let places = (facts.slots + EXTRA_JOBS * members.len()) * MOST_JOBS;
        let tools = members[0].said.tools.clone();
        let mut state = submitter.lock();
        state.open += 1;
        let now = Instant::now();
        state.classes.push(WorkerClass {
            name: class,
            reply_to: None,
            waiting: VecDeque::new(),
            in_flight: 0,
            members: members
                .iter()
                .map(|it| (it.id.clone(), (it.said.facts.clone(), now)))
                .collect(),
            means: HashMap::new(),
            seen: now,
        });
        for member in &members {
            state.name_of(&member.id, &member.said.facts.name);
        }
        drop(state);
        let group = ClassGroup {
            submitter: Arc::clone(&submitter),
            index,
            is_closed: AtomicBool::new(false),
        };
        let group = Arc::new(group);
        let route = WorkerRoute::WorkerGroup { facts, job_limit: places, tools, group };
        routes.push((address.name.clone(), route));
    }
    submitter.start()?;
    Ok(routes)
}

impl Submitter {
    pub(super) fn lock(&self) -> MutexGuard<'_, SubmitterState> {
        self.state.lock()
    }

    pub(super) fn class_name(&self, class: usize) -> String {
        self.lock().classes[class].name.clone()
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// The workers that have announced themselves. Waits for the first, and a moment for the others.
    fn present(&self, name: &str) -> Result<Vec<PresentWorker>, JudgeError> {
        let fault = |reason: String| JudgeError::new(format!("find workers at {name}"), reason);
        let present_workers =
            || presence::present_workers(&self.link).map_err(|silence| fault(silence.to_string()));
        let end = Instant::now() + ANNOUNCED;
        let mut has_waited = false;
        loop {
            let found = present_workers()?;
            if !found.present.is_empty() {
                if !has_waited {
                    return Ok(found.present);
                }
                thread::sleep(ROUND);
                return Ok(present_workers()?.present);
            }
            if Instant::now() >= end {
                let reason = match found.others {
                    0 => "no worker has announced itself".to_owned(),
                    others => format!("{others} are there, and all are another juror"),
                };
                return Err(fault(reason).help(format!(
                    "start some with `juror worker --nats {name}`, with the juror that is used here"
                )));
            }
            has_waited = true;
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Starts all threads.
    fn start(self: &Arc<Self>) -> Result<(), JudgeError> {
        let (sender, results) = channel();
        let all = layout::result(&self.batch, "*");
        self.link.subscribe(all, move |message| sender.send(message).is_ok())?;
        let submitter = Arc::downgrade(self);
        self.link.subscribe("worker.>".to_owned(), move |message| {
            let Some(submitter) = submitter.upgrade() else { return false };
            submitter.heard_of(&message.subject, &message.payload);
            true
        })?;
        let connected = self.link.when_connected();
        for _ in 0..PUBLISHERS {
            self.thread(|submitter| {
                while let Some(unit) = submitter.next() {
                    submitter.send(&unit);
                }
            })?;
        }
        self.thread(move |submitter| {
            while !submitter.is_over() {
                match results.recv_timeout(LOOK) {
                    Ok(message) => {
                        let unit = message.subject.rsplit('.').next().unwrap_or_default();
                        submitter.came(unit, &message.payload);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        })?;
        self.thread(move |submitter| {
            while !submitter.is_over() {
                let is_new = connected.recv_timeout(LOOK) == Ok(());
                submitter.look_after(is_new);
            }
            submitter.tidy();
        })
    }

    pub(super) fn thread(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>) + Send + 'static,
    ) -> Result<(), JudgeError> {
        let submitter = Arc::clone(self);
        let started = thread::Builder::new().spawn(move || work(&submitter));
        started.map(|_| ()).map_err(|error| JudgeError::new("start a thread for workers", error))
    }

    /// The next unit to be sent.
    fn next(&self) -> Option<String> {
        let mut state = self.lock();
        loop {
            if self.is_over() {
                return None;
            }
            if let Some(index) = state.classes.iter().position(WorkerClass::must_send) {
                state.sequence += 1;
                let class = &mut state.classes[index];
                let envelopes = class.take();
                let Some(first) = envelopes.first() else { continue };
                class.in_flight += 1;
                let lane = first.lane;
                let unit = self.name(state.sequence, &envelopes);
                let in_flight =
                    UnitInFlight { class: index, lane, envelopes, looked: None, missing: 0 };
                state.in_flight.insert(unit.clone(), in_flight);
                self.wake(&state);
                return Some(unit);
            }
            let held = state.classes.iter().filter_map(WorkerClass::held_for).min();
            // One waiting thread is enough.
            let held = held.filter(|_| !state.is_watched);
            state.is_watched |= held.is_some();
            self.ready.wait_for(&mut state, held.unwrap_or(LOOK));
            state.is_watched &= held.is_none();
        }
    }

    /// Wakes a thread that publishes, if there is something to do.
    fn wake(&self, state: &SubmitterState) {
        let is_held = || state.classes.iter().any(|class| class.held_for().is_some());
        if state.classes.iter().any(WorkerClass::must_send) || !state.is_watched && is_held() {
            self.ready.notify_one();
        }
    }

    /// Removes a unit that is no longer under way. None if it was not.
    pub(super) fn land(&self, unit: &str, took: Option<f64>) -> Option<UnitInFlight> {
        let mut state = self.lock();
        let in_flight = state.in_flight.remove(unit)?;
        let class = &mut state.classes[in_flight.class];
        class.in_flight -= 1;
        if let Some(took) = took {
            class.learn(in_flight.envelopes.first().map_or(0, |first| first.program), took);
        }
        self.wake(&state);
        Some(in_flight)
    }

    /// Queues envelopes again, each for a unit of its own.
    pub(super) fn post_again(&self, class: usize, envelopes: Vec<QueuedJob>) {
        let mut state = self.lock();
        for envelope in envelopes.into_iter().rev() {
            state.classes[class].waiting.push_front(QueuedJob { is_lone: true, ..envelope });
        }
        self.wake(&state);
    }

    /// Handles an announcement.
    fn heard_of(&self, subject: &str, bytes: &[u8]) {
        let Some((class, id)) = presence::of_subject(subject) else { return };
        let mut state = self.lock();
        let Some(index) = state.classes.iter().position(|it| it.name == class) else { return };
        if presence::is_goodbye(bytes) {
            state.classes[index].members.remove(id);
            return;
        }
        let now = Instant::now();
        state.classes[index].seen = now;
        if let Some(member) = state.classes[index].members.get_mut(id) {
            member.1 = now;
            return;
        }
        let Some(present) = presence::read(subject, bytes) else { return };
        state.name_of(&present.id, &present.said.facts.name);
        let facts = present.said.facts;
        let class = &mut state.classes[index];
        class.members.insert(present.id.clone(), (facts.clone(), now));
        let reply_to = class.reply_to.clone();
        self.wake(&state);
        drop(state);
        if let Some(reply_to) = reply_to {
            self.compare(&reply_to, &present.id, &facts);
        }
    }

    /// Warns if a worker is much faster or slower than the first of all.
    fn compare(&self, reply_to: &ReplyHandle, id: &str, facts: &WorkerFacts) {
        let name = self.lock().name_of(id, &facts.name);
        let told = pace_warning(&name, facts, &reply_to.first);
        told.into_iter().for_each(|remark| reply_to.add_diagnostic(remark));
    }

    /// Checks which workers are still there, and what became of units.
    fn look_after(self: &Arc<Self>, is_new: bool) {
        let away = self.link.away();
        let mut state = self.lock();
        let mut known = Vec::new();
        for class in &mut state.classes {
            class.members.retain(|_, (_, seen)| away.is_some() || seen.elapsed() < GONE + PATIENCE);
            if away.is_some() || is_new {
                class.seen = Instant::now();
            }
            if let Some(reply_to) = &class.reply_to {
                known.push((reply_to.clone(), class.seen.elapsed()));
            }
        }
        drop(state);
        for (reply_to, silent) in known {
            match (away, silent) {
                (Some(away), _) if away > PATIENCE => {
                    reply_to.report_lost(&format!(
                        "the server has not been reached for {} s",
                        away.as_secs()
                    ));
                }
                (None, silent) if silent > PATIENCE => {
                    reply_to.report_lost(&format!(
                        "no worker has announced itself for {} s",
                        silent.as_secs()
                    ));
                }
                _ => reply_to.report_alive(),
            }
        }
        if away.is_none() {
            self.look_for_units(is_new);
        }
    }

    /// Removes messages of a stream. What remains is removed when it expires.
    pub(super) fn purge(&self, stream: &str, filter: &str) {
        let what = format!("STREAM.PURGE.{stream}");
        let _ = layout::ask(&self.link, &what, &serde_json::json!({ "filter": filter }));
    }

    /// Removes from the server what nobody waits for any more. A worker that still runs a unit finds an empty result
    /// when it writes its own, which the server then refuses.
    fn tidy(&self) {
        if self.link.away().is_none() {
            self.purge(layout::JOBS, &format!("job.*.*.{}.>", self.batch));
            self.purge(layout::RESULTS, &format!("res.{}.>", self.batch));
            let units: Vec<String> = self.lock().in_flight.keys().cloned().collect();
            for unit in units {
                let subject = layout::result(&self.batch, &unit);
                let empty = OutgoingMessage::new(subject.clone(), b"");
                if layout::store(&self.link, &empty).is_ok_and(|it| it.is_err()) {
                    // It was written meanwhile.
                    self.purge(layout::RESULTS, &format!("{subject}.>"));
                    self.purge(layout::RESULTS, &subject);
                }
            }
        }
        self.link.close();
        self.lock().is_tidy = true;
        self.tidied.notify_all();
    }
}

impl SubmitterState {
    /// A worker's name in reports: that of its machine, with a number if it is not the only one there.
    pub(super) fn name_of(&mut self, id: &str, machine: &str) -> String {
        if let Some(name) = self.names.get(id) {
            return name.clone();
        }
        let is_free = |name: &String| self.names.values().all(|it| it != name);
        let numbered = (2..).map(|number| format!("{machine} ({number})"));
        let name =
            std::iter::once(machine.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
        self.names.insert(id.to_owned(), name.clone());
        name
    }
}

/// The workers of one class, as one worker.
struct ClassGroup {
    submitter: Arc<Submitter>,
    index: usize,
    is_closed: AtomicBool,
}

impl WorkerGroup for ClassGroup {
    fn members(&self) -> Vec<GroupMember> {
        let mut state = self.submitter.lock();
        let class = &state.classes[self.index];
        let found: Vec<_> =
            class.members.iter().map(|(id, (facts, _))| (id.clone(), facts.clone())).collect();
        let members = found
            .into_iter()
            .map(|(id, facts)| GroupMember { name: state.name_of(&id, &facts.name), facts });
        let mut members: Vec<GroupMember> = members.collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        members
    }

    fn open(&self, reply_to: ReplyHandle) {
        let mut state = self.submitter.lock();
        let class = &mut state.classes[self.index];
        class.reply_to = Some(reply_to.clone());
        let members: Vec<_> =
            class.members.iter().map(|(id, (facts, _))| (id.clone(), facts.clone())).collect();
        drop(state);
        for (id, facts) in members {
            self.submitter.compare(&reply_to, &id, &facts);
        }
    }

    fn send(&self, envelope: &Envelope<'_>) {
        let posted = QueuedJob {
            number: envelope.number,
            bytes: envelope.bytes.into(),
            posted: Instant::now(),
            is_lone: envelope.is_exclusive,
            program: envelope.program,
            lane: if envelope.is_long { Lane::Batch } else { self.submitter.lane },
            lost: 0,
        };
        let mut state = self.submitter.lock();
        state.classes[self.index].waiting.push_back(posted);
        self.submitter.wake(&state);
    }

    fn close(&self) {
        if self.is_closed.swap(true, Ordering::SeqCst) {
            return;
        }
        // The caller may hold other locks, so another thread takes this one.
        let submitter = Arc::clone(&self.submitter);
        let index = self.index;
        let close = move || {
            let mut state = submitter.lock();
            state.classes[index].waiting.clear();
            state.classes[index].reply_to = None;
            state.open -= 1;
            if state.open == 0 {
                submitter.is_over.store(true, Ordering::SeqCst);
            }
            drop(state);
            submitter.ready.notify_all();
            submitter.link.wake();
        };
        if thread::Builder::new().spawn(close).is_err() {
            self.submitter.is_over.store(true, Ordering::SeqCst);
        }
    }

    fn finish(&self) {
        self.close();
        let end = Instant::now() + TIDY;
        let mut state = self.submitter.lock();
        while !state.is_tidy && (state.open == 0 || !self.submitter.is_over()) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.submitter.tidied.wait_for(&mut state, left.min(LOOK));
        }
    }
}
