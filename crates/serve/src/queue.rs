//! What waits to run, in order of arrival. Equal requests share a place.
//!
//! A client that gives up too soon is refused before, and its place is held: if it asks again, it goes on waiting where
//! it was. A place whose client is expected back also runs, and its answer is kept. A place that nobody waits for any
//! more is dropped; if it runs, its run ends.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use juror_core::stop::StopFlag;
use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use crate::answer::Answer;

/// What a request is known by.
pub type RequestDigest = [u8; 32];

/// After a refusal, a client comes back within this time: clients wait 1 to 4 s.
const EXPECTED_BACK: Duration = Duration::from_secs(6);
/// After a refusal, its place is held so long.
const HELD: Duration = Duration::from_secs(60);
/// The most bytes of answers that wait for their clients to come back.
const KEPT_ANSWERS: usize = 64 << 20;

pub struct Queue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
    most: usize,
}

struct QueueState<T> {
    /// By number; the lowest number came first.
    places: BTreeMap<u64, Place<T>>,
    numbers: HashMap<RequestDigest, u64>,
    next: u64,
    is_closed: bool,
}

struct Place<T> {
    digest: RequestDigest,
    stage: Stage<T>,
    clients: Vec<oneshot::Sender<Answer>>,
    came: Instant,
    /// Set if its client was refused, and has not come back.
    refused: Option<Instant>,
}

enum Stage<T> {
    Waiting(T),
    Running(StopFlag),
    Done(Answer),
}

impl<T> Place<T> {
    fn was_refused_within(&self, time: Duration) -> bool {
        self.refused.is_some_and(|refused| refused.elapsed() < time)
    }

    fn has_client(&self) -> bool {
        self.clients.iter().any(|client| !client.is_closed())
    }

    fn is_needed(&self) -> bool {
        matches!(self.stage, Stage::Running(_))
            || self.has_client()
            || self.was_refused_within(HELD)
    }
}

/// A task that a worker took.
pub struct TakenTask<T> {
    pub number: u64,
    pub task: T,
    pub waited: Duration,
    /// Set if nobody waits for the result any more.
    pub stop: StopFlag,
}

/// Waits for an answer. It fails if the queue closes.
pub struct Client<'q, T> {
    queue: &'q Queue<T>,
    digest: RequestDigest,
    pub answer: oneshot::Receiver<Answer>,
}

impl<T> Drop for Client<'_, T> {
    fn drop(&mut self) {
        self.answer.close();
        self.queue.end_needless(&self.digest);
    }
}

impl<T> QueueState<T> {
    fn remove(&mut self, number: u64) -> Option<Place<T>> {
        let place = self.places.remove(&number)?;
        // A run that ends has left its name to a later request.
        if self.numbers.get(&place.digest) == Some(&number) {
            self.numbers.remove(&place.digest);
        }
        Some(place)
    }

    fn drop_needless(&mut self) {
        self.places.retain(|_, place| place.is_needed());
        let Self { places, numbers, .. } = self;
        numbers.retain(|_, number| places.contains_key(number));
    }

    fn place_of(&mut self, digest: &RequestDigest) -> Option<&mut Place<T>> {
        self.places.get_mut(self.numbers.get(digest)?)
    }
}

impl<T> Queue<T> {
    /// With room for this many places.
    pub fn new(most: usize) -> Self {
        let state = QueueState {
            places: BTreeMap::new(),
            numbers: HashMap::new(),
            next: 0,
            is_closed: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), most }
    }

    /// Waits with equal requests, or at the end. `None` if there is no room.
    pub fn join(&self, digest: RequestDigest, task: T) -> Option<Client<'_, T>> {
        let (sender, answer) = oneshot::channel();
        self.add(digest, task, sender).then_some(Client { queue: self, digest, answer })
    }

    /// Returns whether there is room.
    fn add(&self, digest: RequestDigest, task: T, sender: oneshot::Sender<Answer>) -> bool {
        let mut state = self.state.lock();
        if state.is_closed {
            return true;
        }
        if let Some(place) = state.place_of(&digest) {
            place.refused = None;
            if let Stage::Done(answer) = &place.stage {
                _ = sender.send(answer.clone());
            } else {
                place.clients.push(sender);
                // It may be a place that nobody waited for.
                self.changed.notify_one();
            }
            return true;
        }
        if state.places.len() >= self.most {
            state.drop_needless();
            if state.places.len() >= self.most {
                return false;
            }
        }
        let number = state.next;
        state.next += 1;
        state.numbers.insert(digest, number);
        let (stage, clients) = (Stage::Waiting(task), vec![sender]);
        state
            .places
            .insert(number, Place { digest, stage, clients, came: Instant::now(), refused: None });
        self.changed.notify_one();
        true
    }

    /// Ends a run that nobody waits for any more. Whoever asks from now on has a run of its own.
    fn end_needless(&self, digest: &RequestDigest) {
        let mut state = self.state.lock();
        let is_needed = |place: &Place<T>| place.has_client() || place.was_refused_within(HELD);
        if let Some(place) = state.place_of(digest).filter(|place| !is_needed(place))
            && let Stage::Running(stop) = &place.stage
        {
            let stop = stop.clone();
            state.numbers.remove(digest);
            drop(state);
            stop.set();
        }
    }

    /// Holds the place of a client that is refused now. Returns whether it still waits to run.
    pub fn hold(&self, digest: &RequestDigest) -> bool {
        let mut state = self.state.lock();
        let Some(place) = state.place_of(digest) else { return false };
        place.refused = Some(Instant::now());
        matches!(place.stage, Stage::Waiting(_))
    }

    /// Whether it waits to run.
    pub fn is_waiting(&self, digest: &RequestDigest) -> bool {
        let mut state = self.state.lock();
        state.place_of(digest).is_some_and(|place| matches!(place.stage, Stage::Waiting(_)))
    }

    /// Waits for the next task; `None` if the queue is closed.
    pub fn take(&self) -> Option<TakenTask<T>> {
        let mut state = self.state.lock();
        loop {
            if state.is_closed {
                return None;
            }
            let next = state.places.iter_mut().find(|(_, place)| {
                let is_expected = place.has_client() || place.was_refused_within(EXPECTED_BACK);
                matches!(place.stage, Stage::Waiting(_)) && is_expected
            });
            let stop = StopFlag::default();
            if let Some((number, place)) = next
                && let running = Stage::Running(stop.clone())
                && let Stage::Waiting(task) = std::mem::replace(&mut place.stage, running)
            {
                let (number, waited) = (*number, place.came.elapsed());
                return Some(TakenTask { number, task, waited, stop });
            }
            state.drop_needless();
            self.changed.wait(&mut state);
        }
    }

    /// Gives the answer to all that wait for it.
    pub fn finish(&self, number: u64, answer: &Answer) {
        let mut state = self.state.lock();
        let Some(place) = state.places.get_mut(&number) else { return };
        let clients = std::mem::take(&mut place.clients).into_iter();
        let told = clients.map(|client| client.send(answer.clone())).filter(Result::is_ok).count();
        if told > 0 || !place.was_refused_within(HELD) {
            state.remove(number);
            return;
        }
        place.stage = Stage::Done(answer.clone());
        let size = |place: &Place<T>| match &place.stage {
            Stage::Done(answer) => answer.body.len(),
            _ => 0,
        };
        let mut kept: usize = state.places.values().map(size).sum();
        while kept > KEPT_ANSWERS
            && let Some((oldest, bytes)) =
                state.places.iter().map(|(number, it)| (*number, size(it))).find(|it| it.1 > 0)
        {
            state.remove(oldest);
            kept -= bytes;
        }
    }

    /// Ends all that waits. What runs is finished.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        state.places.retain(|_, place| matches!(place.stage, Stage::Running(_)));
        self.changed.notify_all();
    }

    /// How many places wait, and how many run.
    pub fn counts(&self) -> (usize, usize) {
        let mut state = self.state.lock();
        state.drop_needless();
        let running =
            state.places.values().filter(|it| matches!(it.stage, Stage::Running(_))).count();
        let waiting = state.places.values().filter(|it| matches!(it.stage, Stage::Waiting(_)));
        (waiting.count(), running)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: u8) -> RequestDigest {
        [number; 32]
    }

    fn take(queue: &Queue<&'static str>) -> TakenTask<&'static str> {
        queue.take().expect("a task")
    }

    #[test]
    fn equal_requests_run_once_and_all_get_the_answer() {
        let queue = Queue::new(10);
        let [mut first, mut second] = [1, 1].map(|number| queue.join(digest(number), "a").unwrap());
        assert_eq!(queue.counts(), (1, 0));
        let taken = take(&queue);
        let mut third = queue.join(digest(1), "a").unwrap();
        assert_eq!(queue.counts(), (0, 1));
        queue.finish(taken.number, &Answer::json(200, b"x".to_vec()));
        for client in [&mut first, &mut second, &mut third] {
            assert_eq!(&*client.answer.try_recv().unwrap().body, b"x");
        }
        assert_eq!(queue.counts(), (0, 0));
    }

    #[test]
    fn a_refused_client_keeps_its_place_and_gets_an_answer_that_came_meanwhile() {
        let queue = Queue::new(10);
        let first = queue.join(digest(1), "first").unwrap();
        let _second = queue.join(digest(2), "second").unwrap();
        assert!(queue.hold(&digest(1)), "it waits");
        drop(first);
        let _again = queue.join(digest(1), "first").unwrap();
        let taken = take(&queue);
        assert_eq!(taken.task, "first");
        assert!(!queue.hold(&digest(1)), "it runs");
        drop(_again);
        queue.finish(taken.number, &Answer::json(200, b"x".to_vec()));
        let mut late = queue.join(digest(1), "first").unwrap();
        assert_eq!(&*late.answer.try_recv().unwrap().body, b"x");
    }

    #[test]
    fn what_nobody_waits_for_does_not_run_and_makes_room() {
        let queue = Queue::new(2);
        let gone = queue.join(digest(1), "gone").unwrap();
        let _stays = queue.join(digest(2), "stays").unwrap();
        assert!(queue.join(digest(3), "full").is_none());
        drop(gone);
        let _third = queue.join(digest(3), "third").expect("room");
        assert_eq!([take(&queue).task, take(&queue).task], ["stays", "third"]);
    }

    #[test]
    fn a_run_ends_when_its_last_client_leaves() {
        let queue = Queue::new(2);
        let [first, second] = [1, 1].map(|number| queue.join(digest(number), "a").unwrap());
        let taken = take(&queue);
        drop(first);
        assert!(!taken.stop.is_set(), "another client waits");
        drop(second);
        assert!(taken.stop.is_set());
        // Whoever asks again does not get the answer of what was ended.
        let mut again = queue.join(digest(1), "a").unwrap();
        queue.finish(taken.number, &Answer::refused(503, "it was ended"));
        assert!(again.answer.try_recv().is_err());
        let next = take(&queue);
        queue.finish(next.number, &Answer::json(200, b"x".to_vec()));
        assert_eq!(&*again.answer.try_recv().unwrap().body, b"x");
        drop(again);
        // The client that was refused comes back.
        let refused = queue.join(digest(2), "b").unwrap();
        let taken = take(&queue);
        queue.hold(&digest(2));
        drop(refused);
        assert!(!taken.stop.is_set());
    }

    #[test]
    fn a_closed_queue_ends_what_waits() {
        let queue = Queue::new(2);
        let mut waits = queue.join(digest(1), "waits").unwrap();
        queue.close();
        assert!(waits.answer.try_recv().is_err() && queue.take().is_none());
        assert!(queue.join(digest(2), "late").unwrap().answer.try_recv().is_err());
    }
}
