//! `juror listen`: receives problems from the browser extension Competitive Companion.
//!
//! Each connection has a thread, and a time in which its request must come. If there are too many, the one that has
//! waited longest ends, so that idle ones block nobody. Problems are read and written one at a time; a request counts
//! until then, so that a bounded number of them is in memory.

mod inbox;

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustix::event::{PollFd, PollFlags, poll};

use clap::Args;

use crate::ops::host::on_signal;
use crate::ops::listen::inbox::Inbox;
use juror_core::judgement::JudgeError;
use juror_core::stop::{Remark, Stop};
use juror_packages::package::companion::CompanionProblem;
use juror_packages::package::companion::LARGEST_BODY;
use juror_packages::package::companion::request::{HttpStatus, Refusal, read_request};

/// The ports that the extension sends to without being told.
pub const PORTS: [u16; 7] = [1327, 4244, 6174, 10042, 10043, 10045, 27121];

#[derive(Clone, Debug, Args)]
pub struct ListenOptions {
    /// Make the directories of problems here
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Listen on this port, and enter it in the extension, too [default: the first free one of its own]
    ///
    /// Its own ports are 1327, 4244, 6174, 10042, 10043, 10045 and 27121. 0 takes any free port.
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Copy FILE into each new problem's directory, under its own name, such as main.cpp
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
}

/// What a person reads while juror listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenMessage {
    /// It listens on this port.
    Ready(u16),
    Received(ReceivedProblem),
    /// A request was refused, for this reason.
    Refused(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedProblem {
    pub name: String,
    /// Such as `2 tests, 1 s, 256 MiB`.
    pub facts: String,
    /// Judges a program on its tests.
    pub command: String,
    pub remarks: Vec<String>,
}

/// A request must have come within this time.
const TIME_TO_SEND: Duration = Duration::from_secs(30);
/// An answer must be taken within this time.
const TIME_TO_TAKE: Duration = Duration::from_secs(5);
/// A request may come within this time, even if others wait: those of a contest come all at once.
const TIME_TO_START: Duration = Duration::from_secs(2);
/// Each may hold a request of [`LARGEST_BODY`].
const MOST_CONNECTIONS: usize = 16;

/// If nothing can be accepted, such as without free descriptors, trying at once would not help.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns when a signal asks it to end.
pub fn listen(options: &ListenOptions, tell: &(dyn Fn(&ListenMessage) + Sync)) -> Result<(), Stop> {
    let inbox = Inbox::open(options)?;
    let (listeners, port) = match options.port {
        Some(port) => bind_port(port),
        None => bind_first_port(&PORTS),
    }?;
    let fault = |error: io::Error| JudgeError::new("listen", error);
    let (wakes, wake) = UnixStream::pair().map_err(fault)?;
    // The byte only wakes the thread that waits at the other end.
    on_signal(move || _ = (&wake).write(b"e"))?;
    tell(&ListenMessage::Ready(port));
    let waiting = WaitingConnections { least: TIME_TO_START, ..WaitingConnections::default() };
    let server = Server { inbox, waiting, receiving: Mutex::default(), tell };
    server.serve(&listeners, &wakes).map_err(fault)?;
    Ok(())
}

/// On both loopback addresses, if the machine has both.
fn bind_port(port: u16) -> Result<(Vec<TcpListener>, u16), Stop> {
    try_port(port).map_err(|error| {
        let what = format!("cannot listen on port {port}: {error}");
        Stop::usage(Remark::with_help(what, "choose another with --port"))
    })
}

fn bind_first_port(ports: &[u16]) -> Result<(Vec<TcpListener>, u16), Stop> {
    let mut faults = Vec::new();
    for port in ports {
        match try_port(*port) {
            Ok(bound) => return Ok(bound),
            Err(error) => faults.push(format!("{port}: {error}")),
        }
    }
    let what = format!("no port of the extension is free: {}", faults.join("; "));
    let help = "end the other program that listens, or choose a port with --port and enter it in the extension";
    Err(Stop::usage(Remark::with_help(what, help)))
}

fn try_port(port: u16) -> io::Result<(Vec<TcpListener>, u16)> {
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = first.local_addr()?.port();
    let mut listeners = vec![first];
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
        Ok(second) => listeners.push(second),
        Err(error) if error.kind() == ErrorKind::AddrInUse => return Err(error),
        // The machine has no IPv6.
        Err(_) => {}
    }
    for listener in &listeners {
        listener.set_nonblocking(true)?;
    }
    Ok((listeners, port))
}

struct Server<'a> {
    inbox: Inbox,
    waiting: WaitingConnections,
    /// Locked while a request is read and its problem written, which takes several times its size.
    receiving: Mutex<()>,
    tell: &'a (dyn Fn(&ListenMessage) + Sync),
}

impl Server<'_> {
    /// Accepts connections until `wakes` has a byte.
    fn serve(&self, listeners: &[TcpListener], wakes: &UnixStream) -> io::Result<()> {
        thread::scope(|scope| {
            let accepted = accept_until(listeners, wakes, |stream| {
                let (number, guarded) = (self.waiting.add(&stream)?, stream);
                let answer = move || self.answer(guarded, number);
                let started = thread::Builder::new().spawn_scoped(scope, answer);
                started.map(drop).inspect_err(|_| self.waiting.remove(number))
            });
            // What is being written now is written to its end.
            self.inbox.close();
            self.waiting.end_all();
            accepted
        })
    }

    fn answer(&self, stream: TcpStream, number: u64) {
        // A client that does not take its answer has itself to blame.
        _ = self.answer_to(&stream, number);
        self.waiting.remove(number);
        _ = stream.shutdown(Shutdown::Both);
    }

    fn answer_to(&self, stream: &TcpStream, number: u64) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(TIME_TO_TAKE))?;
        let mut input = TimedReader { stream, end: Instant::now() + TIME_TO_SEND };
        let go_on = || (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
        let (status, text) = match read_request(&mut input, go_on) {
            Ok(None) => return Ok(()),
            Ok(_) if !self.waiting.has_come(number) => return Ok(()),
            Ok(Some(body)) => self.receive(&body),
            Err(refusal) => self.refuse(refusal),
        };
        self.waiting.remove(number);
        let allowed = if status == HttpStatus::MethodNotAllowed { "Allow: POST\r\n" } else { "" };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n{allowed}Connection: close\r\n\r\n",
            text.len()
        );
        (&*stream).write_all(&[head.as_bytes(), text.as_bytes()].concat())?;
        stream.shutdown(Shutdown::Write)?;
        // A client that still sends would lose the answer if nobody read that.
        let mut rest = TimedReader { stream, end: Instant::now() + TIME_TO_TAKE };
        io::copy(&mut (&mut rest).take(LARGEST_BODY as u64), &mut io::sink())?;
        Ok(())
    }

    fn receive(&self, body: &[u8]) -> (HttpStatus, String) {
        let stored = {
            let _alone = self.receiving.lock();
            CompanionProblem::parse(body)
                .map_err(|message| Refusal::new(HttpStatus::BadRequest, message))
                .and_then(|problem| self.inbox.store(&problem))
        };
        match stored {
            Ok(received) => {
                let text = format!("{}: {}\n", received.name, received.facts);
                (self.tell)(&ListenMessage::Received(received));
                (HttpStatus::Ok, text)
            }
            Err(refusal) => self.refuse(refusal),
        }
    }

    fn refuse(&self, refusal: Refusal) -> (HttpStatus, String) {
        let text = format!("{}\n", refusal.message);
        (self.tell)(&ListenMessage::Refused(refusal.message));
        (refusal.status, text)
    }
}

/// Calls `take` with each connection, until `wakes` has a byte. A connection that cannot be taken is closed.
fn accept_until(
    listeners: &[TcpListener],
    wakes: &UnixStream,
    mut take: impl FnMut(TcpStream) -> io::Result<()>,
) -> io::Result<()> {
    loop {
        let sources = listeners.iter().map(AsFd::as_fd).chain([wakes.as_fd()]);
        let mut sources: Vec<PollFd<'_>> =
            sources.map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN)).collect();
        match poll(&mut sources, None) {
            Err(rustix::io::Errno::INTR) => continue,
            polled => polled?,
        };
        if sources.last().is_some_and(|source| !source.revents().is_empty()) {
            return Ok(());
        }
        for listener in listeners {
            match listener.accept() {
                Ok((stream, peer)) if peer.ip().is_loopback() => _ = take(stream),
                Ok(_) => {}
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock
                    | ErrorKind::Interrupted
                    | ErrorKind::ConnectionAborted => {}
                    _ => thread::sleep(PAUSE),
                },
            }
        }
    }
}

/// Connections whose request is not done yet, the oldest first. Each may have its request in memory.
#[derive(Default)]
struct WaitingConnections {
    state: Mutex<WaitingState>,
    /// One is done.
    changed: Condvar,
    /// No connection is ended sooner.
    least: Duration,
}

#[derive(Default)]
struct WaitingState {
    /// Each with its start. `None` if its request has come and waits for those before it, each of which takes a
    /// bounded time, or if it was ended.
    all: BTreeMap<u64, Option<(TcpStream, Instant)>>,
    next: u64,
}

impl WaitingState {
    /// Ends the oldest one whose request has not come, if it is at least as old. Returns whether there is one.
    fn end_one(&mut self, least: Duration) -> bool {
        let is_old = |(_, start): &mut (TcpStream, Instant)| start.elapsed() >= least;
        let ended = self.all.values_mut().find_map(|connection| connection.take_if(is_old));
        ended.map(|(stream, _)| _ = stream.shutdown(Shutdown::Both)).is_some()
    }
}

impl WaitingConnections {
    /// If there are too many, ends the oldest one whose request has not come, and waits until one is gone. Returns the
    /// number of the new one.
    fn add(&self, stream: &TcpStream) -> io::Result<u64> {
        let stream = stream.try_clone()?;
        let mut state = self.state.lock();
        let mut is_one_ended = false;
        while state.all.len() >= MOST_CONNECTIONS {
            is_one_ended = is_one_ended || state.end_one(self.least);
            self.changed.wait_for(&mut state, PAUSE);
        }
        let number = state.next;
        state.next += 1;
        state.all.insert(number, Some((stream, Instant::now())));
        Ok(number)
    }

    /// Whether the connection was not ended before its request came.
    fn has_come(&self, number: u64) -> bool {
        let mut state = self.state.lock();
        state.all.get_mut(&number).and_then(Option::take).is_some()
    }

    fn remove(&self, number: u64) {
        self.state.lock().all.remove(&number);
        self.changed.notify_all();
    }

    fn end_all(&self) {
        let mut state = self.state.lock();
        while state.end_one(Duration::ZERO) {}
    }
}

/// Reads fail after the end.
struct TimedReader<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Read for TimedReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut stream = self.stream;
        stream.read(into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> [TcpStream; 2] {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        [near, listener.accept().unwrap().0]
    }

    #[test]
    fn a_request_counts_until_its_problem_is_written() {
        let waiting = WaitingConnections::default();
        let most = MOST_CONNECTIONS as u64;
        let [client, server] = connection();
        for number in 0..most {
            assert_eq!(waiting.add(&server).unwrap(), number);
            assert!(number == 3 || waiting.has_come(number));
        }
        thread::scope(|scope| {
            // The only one whose request has not come is ended, and counts until its thread is done.
            let next = scope.spawn(|| waiting.add(&server).unwrap());
            let mut end = [0];
            assert_eq!((&client).read(&mut end).unwrap(), 0);
            assert!(!waiting.has_come(3), "it was ended");
            assert_eq!(waiting.state.lock().all.len(), MOST_CONNECTIONS);
            waiting.remove(3);
            assert_eq!(next.join().unwrap(), most);
            assert!(waiting.has_come(most));
            // Now none can be ended: the next one waits until one is written.
            let next = scope.spawn(|| waiting.add(&server).unwrap());
            waiting.remove(7);
            assert_eq!(next.join().unwrap(), most + 1);
        });
        assert_eq!(waiting.state.lock().all.len(), MOST_CONNECTIONS);
    }
}
