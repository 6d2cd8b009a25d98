//! Who sends units: what waits, what is under way, and the threads beside it.
//!
//! A few threads publish. What waits together goes in one unit if the runs are short; while workers have enough to do, short
//! runs wait a moment for others. One thread hears results as they are written. The last one looks each half second, and when the connection is there again, what
//! became of units of which nothing was heard.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use crate::language::toolchain::{Toolchain, Tried};
use crate::model::blob::Digest;
use crate::model::judgement::JudgeError;
use crate::remote::link::Door;
use crate::remote::message::Facts;
use crate::remote::nats::address::{Address, Lane};
use crate::remote::nats::class::{GONE, Posted, WorkerClass};
use crate::remote::nats::link::Link;
use crate::remote::nats::presence::{self, Present};
use crate::remote::nats::unit::{MOST_JOBS, Origin};
use crate::remote::nats::{layout, random};
use crate::remote::seats::told_of_pace;
use crate::remote::serve::{AHEAD, lock};
use crate::remote::station::{Letter, Member, Reception, Station, Tools};

/// So many messages may be on their way to the server.
const PUBLISHERS: usize = 8;

/// A worker may take so long until it has announced itself.
const ANNOUNCED: Duration = Duration::from_secs(5);

/// How often workers announce themselves, and some more.
const ROUND: Duration = Duration::from_millis(1200);

/// Without a server, or workers, for so long, it is given up.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked what became of what.
const LOOK: Duration = Duration::from_millis(500);

/// It may take so long to tidy up.
const TIDY: Duration = Duration::from_secs(3);

/// All that goes over one connection.
pub struct Office {
    pub(super) link: Link,
    lane: Lane,
    pub(super) batch: String,
    pub(super) secret: String,
    ledger: Mutex<Ledger>,
    /// For the threads that publish: a unit may be sent.
    ready: Condvar,
    /// All is tidy.
    tidied: Condvar,
    is_over: AtomicBool,
}

#[derive(Default)]
pub(super) struct Ledger {
    pub(super) classes: Vec<WorkerClass>,
    /// What was sent and is not answered, by the names of units.
    pub(super) flying: HashMap<String, Flying>,
    /// Blobs that the server has; false for those that are on their way.
    pub(super) blobs: HashMap<Digest, bool>,
    /// The names of workers, by those that no other has.
    names: HashMap<String, String>,
    pub(super) sequence: u64,
    /// Whether somebody waits until what is held must be sent.
    is_watched: bool,
    open: usize,
    is_tidy: bool,
}

/// A unit that was sent.
#[derive(Clone)]
pub(super) struct Flying {
    pub(super) class: usize,
    pub(super) lane: Lane,
    pub(super) letters: Vec<Posted>,
    /// When it was looked for last, once it is sent.
    pub(super) looked: Option<Instant>,
    /// How often nothing was found of it.
    pub(super) missing: u32,
}

/// Connects to a server, and says who is there.
///
/// # Errors
/// When the server cannot be used, or nobody is there.
pub fn connect(address: &Address) -> Result<Vec<(String, Door)>, JudgeError> {
    let link = Link::open(address, Some(PATIENCE))?;
    layout::prepare(&link, address.copies())?;
    let office = Office {
        link,
        lane: address.lane,
        batch: random(),
        secret: random(),
        ledger: Mutex::default(),
        ready: Condvar::new(),
        tidied: Condvar::new(),
        is_over: AtomicBool::new(false),
    };
    let present = office.present(&address.name)?;
    let mut classes: Vec<(String, Vec<Present>)> = Vec::new();
    for present in present {
        match classes.iter_mut().find(|(class, _)| *class == present.class) {
            Some((_, members)) => members.push(present),
            None => classes.push((present.class.clone(), vec![present])),
        }
    }
    let slots = |members: &[Present]| members.iter().map(|it| it.said.facts.slots).sum::<usize>();
    // The order must not depend on which worker started first.
    classes.sort_by_key(|(class, members)| (std::cmp::Reverse(slots(members)), class.clone()));
    let office = Arc::new(office);
    let mut doors = Vec::new();
    for (index, (class, members)) in classes.into_iter().enumerate() {
        layout::prepare_class(&office.link, &class)?;
        let facts = Facts {
            name: address.name.clone(),
            slots: slots(&members),
            ..members[0].said.facts.clone()
        };
        let places = (facts.slots + AHEAD * members.len()) * MOST_JOBS;
        let tools = members[0].said.tools();
        let mut ledger = office.lock();
        ledger.open += 1;
        let now = Instant::now();
        ledger.classes.push(WorkerClass {
            name: class,
            reception: None,
            waiting: VecDeque::new(),
            flying: 0,
            members: members
                .iter()
                .map(|it| (it.id.clone(), (it.said.facts.clone(), now)))
                .collect(),
            means: HashMap::new(),
            seen: now,
        });
        for member in &members {
            ledger.name_of(&member.id, &member.said.facts.name);
        }
        drop(ledger);
        let window = Window {
            office: Arc::clone(&office),
            index,
            facts,
            places,
            tools,
            is_closed: AtomicBool::new(false),
        };
        doors.push((address.name.clone(), Door::Station(Arc::new(window))));
    }
    office.start()?;
    Ok(doors)
}

impl Office {
    pub(super) fn lock(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// Who has announced itself. Waits for the first, and a moment for the others.
    fn present(&self, name: &str) -> Result<Vec<Present>, JudgeError> {
        let fault = |reason: String| JudgeError::new(format!("find workers at {name}"), reason);
        let roll = || presence::roll(&self.link).map_err(|silence| fault(silence.to_string()));
        let end = Instant::now() + ANNOUNCED;
        let mut has_waited = false;
        loop {
            let found = roll()?;
            if !found.present.is_empty() {
                if !has_waited {
                    return Ok(found.present);
                }
                thread::sleep(ROUND);
                return Ok(roll()?.present);
            }
            if Instant::now() >= end {
                let reason = match found.others {
                    0 => "nobody has announced itself".to_owned(),
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
        let office = Arc::downgrade(self);
        self.link.subscribe("worker.>".to_owned(), move |message| {
            let Some(office) = office.upgrade() else { return false };
            office.heard_of(&message.subject, &message.payload);
            true
        })?;
        let connected = self.link.when_connected();
        for _ in 0..PUBLISHERS {
            self.thread(|office| {
                while let Some(unit) = office.next() {
                    office.send(&unit);
                }
            })?;
        }
        self.thread(move |office| {
            while !office.is_over() {
                match results.recv_timeout(LOOK) {
                    Ok(message) => {
                        let unit = message.subject.rsplit('.').next().unwrap_or_default();
                        office.came(unit, &message.payload);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        })?;
        self.thread(move |office| {
            while !office.is_over() {
                let is_new = connected.recv_timeout(LOOK) == Ok(());
                office.look_after(is_new);
            }
            office.tidy();
        })
    }

    pub(super) fn thread(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>) + Send + 'static,
    ) -> Result<(), JudgeError> {
        let office = Arc::clone(self);
        let started = thread::Builder::new().spawn(move || work(&office));
        started.map(|_| ()).map_err(|error| JudgeError::new("start a thread for workers", error))
    }

    /// The next unit to be sent.
    fn next(&self) -> Option<String> {
        let mut ledger = self.lock();
        loop {
            if self.is_over() {
                return None;
            }
            if let Some(index) = ledger.classes.iter().position(WorkerClass::must_send) {
                ledger.sequence += 1;
                let class = &mut ledger.classes[index];
                let letters = class.take();
                let Some(first) = letters.first() else { continue };
                class.flying += 1;
                let lane = first.lane;
                let unit = self.name(ledger.sequence, &letters);
                let flying = Flying { class: index, lane, letters, looked: None, missing: 0 };
                ledger.flying.insert(unit.clone(), flying);
                self.wake(&ledger);
                return Some(unit);
            }
            let held = ledger.classes.iter().filter_map(WorkerClass::held_for).min();
            // One thread that waits for them is enough.
            let held = held.filter(|_| !ledger.is_watched);
            ledger.is_watched |= held.is_some();
            let waited = self.ready.wait_timeout(ledger, held.unwrap_or(LOOK));
            ledger = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
            ledger.is_watched &= held.is_none();
        }
    }

    /// Wakes a thread that publishes, if there is something to do.
    fn wake(&self, ledger: &Ledger) {
        let is_held = || ledger.classes.iter().any(|class| class.held_for().is_some());
        if ledger.classes.iter().any(WorkerClass::must_send) || !ledger.is_watched && is_held() {
            self.ready.notify_one();
        }
    }

    /// A unit is not under way any more. None if it was not.
    pub(super) fn land(&self, unit: &str, took: Option<f64>) -> Option<Flying> {
        let mut ledger = self.lock();
        let flying = ledger.flying.remove(unit)?;
        let class = &mut ledger.classes[flying.class];
        class.flying -= 1;
        if let Some(took) = took {
            class.learn(flying.letters.first().map_or(0, |first| first.program), took);
        }
        self.wake(&ledger);
        Some(flying)
    }

    /// Letters go once more, each alone.
    pub(super) fn post_again(&self, class: usize, letters: Vec<Posted>) {
        let mut ledger = self.lock();
        for letter in letters.into_iter().rev() {
            ledger.classes[class].waiting.push_front(Posted { is_lone: true, ..letter });
        }
        self.wake(&ledger);
    }

    /// Somebody says that it is there.
    fn heard_of(&self, subject: &str, bytes: &[u8]) {
        let Some((class, id)) = presence::of_subject(subject) else { return };
        let mut ledger = self.lock();
        let Some(index) = ledger.classes.iter().position(|it| it.name == class) else { return };
        let now = Instant::now();
        ledger.classes[index].seen = now;
        if let Some(member) = ledger.classes[index].members.get_mut(id) {
            member.1 = now;
            return;
        }
        let Some(present) = presence::read(subject, bytes) else { return };
        ledger.name_of(&present.id, &present.said.facts.name);
        let facts = present.said.facts;
        let class = &mut ledger.classes[index];
        class.members.insert(present.id.clone(), (facts.clone(), now));
        let reception = class.reception.clone();
        self.wake(&ledger);
        drop(ledger);
        if let Some(reception) = reception {
            self.compare(&reception, &present.id, &facts);
        }
    }

    /// Tells if a worker is much faster or slower than the first of all.
    fn compare(&self, reception: &Reception, id: &str, facts: &Facts) {
        let name = self.lock().name_of(id, &facts.name);
        let pace = Origin::of(&reception.first).pace_of(facts);
        let told = told_of_pace(&name, pace, &reception.first.name);
        told.into_iter().for_each(|remark| reception.remark(remark));
    }

    /// Looks who is still there, and what became of units.
    fn look_after(self: &Arc<Self>, is_new: bool) {
        let away = self.link.away();
        let mut ledger = self.lock();
        let mut known = Vec::new();
        for class in &mut ledger.classes {
            class.members.retain(|_, (_, seen)| away.is_some() || seen.elapsed() < GONE + PATIENCE);
            if away.is_some() || is_new {
                class.seen = Instant::now();
            }
            if let Some(reception) = &class.reception {
                known.push((reception.clone(), class.seen.elapsed()));
            }
        }
        drop(ledger);
        for (reception, silent) in known {
            match (away, silent) {
                (Some(away), _) if away > PATIENCE => {
                    reception
                        .lose(&format!("the server has not been reached for {} s", away.as_secs()));
                }
                (None, silent) if silent > PATIENCE => {
                    reception.lose(&format!(
                        "no worker has announced itself for {} s",
                        silent.as_secs()
                    ));
                }
                _ => reception.alive(),
            }
        }
        if away.is_none() {
            self.look_for_units(is_new);
        }
    }

    /// Removes from the server what nobody waits for any more.
    fn tidy(&self) {
        if self.link.away().is_none() {
            let purge = |stream: &str, filter: String| {
                // What stays is removed when it is old.
                let _ = layout::ask(
                    &self.link,
                    &format!("STREAM.PURGE.{stream}"),
                    &serde_json::json!({ "filter": filter }),
                );
            };
            purge(layout::JOBS, format!("job.*.*.{}.>", self.batch));
            purge(layout::RESULTS, format!("res.{}.>", self.batch));
        }
        self.link.close();
        self.lock().is_tidy = true;
        self.tidied.notify_all();
    }
}

impl Office {
    pub(super) fn class_name(&self, class: usize) -> String {
        self.lock().classes[class].name.clone()
    }
}

impl Ledger {
    /// What a worker is called in reports: the name of its machine, with a number if it is not the only one there.
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

/// Workers of one class, for a crew.
struct Window {
    office: Arc<Office>,
    index: usize,
    facts: Facts,
    places: usize,
    tools: Tools,
    is_closed: AtomicBool,
}

impl Station for Window {
    fn facts(&self) -> Facts {
        self.facts.clone()
    }

    fn places(&self) -> usize {
        self.places
    }

    fn tools(&self) -> HashMap<String, Result<Toolchain, Vec<Tried>>> {
        self.tools.clone()
    }

    fn members(&self) -> Vec<Member> {
        let mut ledger = self.office.lock();
        let class = &ledger.classes[self.index];
        let first = class.reception.as_ref().map(|it| Origin::of(&it.first));
        let found: Vec<_> =
            class.members.iter().map(|(id, (facts, _))| (id.clone(), facts.clone())).collect();
        let members = found.into_iter().map(|(id, facts)| Member {
            name: ledger.name_of(&id, &facts.name),
            pace: first.as_ref().map_or(1.0, |first| first.pace_of(&facts)),
            facts,
        });
        let mut members: Vec<Member> = members.collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        members
    }

    fn open(&self, reception: Reception) {
        let mut ledger = self.office.lock();
        let class = &mut ledger.classes[self.index];
        class.reception = Some(reception.clone());
        let members: Vec<_> =
            class.members.iter().map(|(id, (facts, _))| (id.clone(), facts.clone())).collect();
        drop(ledger);
        for (id, facts) in members {
            self.office.compare(&reception, &id, &facts);
        }
    }

    fn send(&self, letter: &Letter<'_>) {
        let posted = Posted {
            number: letter.number,
            bytes: letter.bytes.into(),
            posted: Instant::now(),
            is_lone: letter.is_lone,
            program: letter.program,
            lane: if letter.is_long { Lane::Batch } else { self.office.lane },
            lost: 0,
        };
        let mut ledger = self.office.lock();
        ledger.classes[self.index].waiting.push_back(posted);
        self.office.wake(&ledger);
    }

    fn close(&self) {
        if self.is_closed.swap(true, Ordering::SeqCst) {
            return;
        }
        // Who calls this may hold other locks, so this one is taken by another thread.
        let office = Arc::clone(&self.office);
        let index = self.index;
        let close = move || {
            let mut ledger = office.lock();
            ledger.classes[index].waiting.clear();
            ledger.classes[index].reception = None;
            ledger.open -= 1;
            if ledger.open == 0 {
                office.is_over.store(true, Ordering::SeqCst);
            }
            drop(ledger);
            office.ready.notify_all();
            office.link.wake();
        };
        if thread::Builder::new().spawn(close).is_err() {
            self.office.is_over.store(true, Ordering::SeqCst);
        }
    }

    fn finish(&self) {
        self.close();
        let end = Instant::now() + TIDY;
        let mut ledger = self.office.lock();
        while !ledger.is_tidy && (ledger.open == 0 || !self.office.is_over()) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.office.tidied.wait_timeout(ledger, left.min(LOOK));
            ledger = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }
}
