//! The connection to a NATS server: blocking calls for all threads. Its own thread drives the client, which is the
//! only asynchronous code.
//!
//! A request without an answer is sent again when the connection comes back, so every request may arrive twice.
//! Nothing waits for the client's own time-outs.

use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::error::Error as _;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, HeaderMap, Message};
use futures_util::StreamExt as _;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::nats::address::NatsAddress;
use crate::nats::random;
use juror_core::judgement::JudgeError;
use juror_core::moment::Moment;

/// The oldest server version that supports all requests.
const OLDEST: (i64, i64, i64) = (2, 12, 0);

/// The longest message that a server must accept.
const LONGEST: usize = 1 << 20;

/// How long to wait for an answer before the request is sent again, with one server and with several.
const TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT_OF_SEVERAL: Duration = Duration::from_secs(1);

/// How long to wait before connecting again.
const RETRY: Duration = Duration::from_millis(100);

/// How often the server must show that it is there.
const PING: Duration = Duration::from_secs(1);

/// How long the answering part of the server may be away, such as when it starts.
const NOBODY: Duration = Duration::from_secs(10);

/// How long a server may leave requests unanswered while the connection holds. It does so for ever if the key has no
/// right to ask.
const SILENCE: Duration = Duration::from_secs(30);

/// How long one of several servers may lack what another has confirmed.
const LAG: Duration = Duration::from_secs(3);

/// How long to wait for an answer that the server need not give.
const OPTIONAL: Duration = Duration::from_secs(2);

/// A connection, for several threads.
pub struct NatsLink {
    client: Client,
    handle: Handle,
    inbox: String,
    timeout: Duration,
    /// How long requests wait without a server.
    patience: Option<Duration>,
    numbers: AtomicU64,
    has_answered: AtomicBool,
    shared: Arc<LinkShared>,
}

/// State shared between the connection's thread and the others.
#[derive(Default)]
struct LinkShared {
    state: Mutex<LinkState>,
    changed: Condvar,
    over: Notify,
}

#[derive(Default)]
struct LinkState {
    is_connected: bool,
    was_connected: bool,
    is_over: bool,
    away: Option<Instant>,
    /// Requests without an answer.
    waiting: HashMap<u64, SyncSender<Message>>,
    listeners: Vec<Sender<()>>,
}

impl LinkShared {}

/// A message to a server.
#[derive(Clone, Debug, Default)]
pub struct OutgoingMessage<'a> {
    pub subject: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: &'a [u8],
}

impl<'a> OutgoingMessage<'a> {
    /// A message without headers.
    pub fn new(subject: impl Into<String>, body: &'a [u8]) -> Self {
        Self { subject: subject.into(), headers: Vec::new(), body }
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            headers.insert(*name, value.as_str());
        }
        headers
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoReply {
    Closed,
    /// There has been no connection for this long.
    Unreachable(Duration),
    /// There is a connection, but no service answers.
    NoService,
}

impl fmt::Display for NoReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => write!(f, "the connection was closed here"),
            Self::Unreachable(time) => {
                write!(f, "the server has not been reached for {} s", time.as_secs())
            }
            Self::NoService => write!(
                f,
                "the server does not answer: JetStream is off or full, this key has no right to ask, or most servers of a \
                 cluster are away"
            ),
        }
    }
}

/// Why the connection failed.
#[derive(Debug)]
pub enum ConnectFault {
    /// No server answers, which may change.
    Unreachable(JudgeError),
    /// The server is not suitable, or refuses.
    Refused(JudgeError),
}

impl From<ConnectFault> for JudgeError {
    fn from(none: ConnectFault) -> Self {
        match none {
            ConnectFault::Unreachable(error) | ConnectFault::Refused(error) => error,
        }
    }
}

impl NatsLink {
    /// Connects, and reconnects by itself. `patience` is how long requests wait for a connection; none means for ever.
    ///
    /// # Errors
    /// If the server cannot be reached, rejects this key, or is too old.
    pub fn open(address: &NatsAddress, patience: Option<Duration>) -> Result<Self, ConnectFault> {
        let fault = |reason: &dyn fmt::Display| {
            JudgeError::new(format!("connect to {}", address.name), reason)
        };
        let options = options(address);
        let shared = Arc::new(LinkShared::default());
        let noted = Arc::clone(&shared);
        let options = options.event_callback(move |event| {
            noted.note(&event);
            std::future::ready(())
        });
        let servers: Vec<_> =
            address.hosts.iter().map(|host| server(host, address.is_private)).collect();
        let servers = servers.into_iter().collect::<Result<Vec<_>, _>>();
        let servers = servers.map_err(|error| ConnectFault::Refused(fault(&error)))?;
        let inbox = format!("{}.{}", address.inbox, random());
        let (sender, receiver) = sync_channel(1);
        let driven = Arc::clone(&shared);
        let subject = format!("{inbox}.*");
        let drive = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => return drop(sender.send(Err((error.to_string(), false)))),
            };
            let opened = runtime.block_on(async {
                let client = options.connect(servers).await;
                let client = client.map_err(|error| (told(&error), is_away(&error)))?;
                let replies = client.subscribe(subject).await;
                Ok((client, replies.map_err(|error| (error.to_string(), false))?))
            });
            // The caller may have given up.
            let (client, mut replies) = match opened {
                Ok(opened) => opened,
                Err(fault) => return drop(sender.send(Err(fault))),
            };
            let _ = sender.send(Ok((client, runtime.handle().clone())));
            runtime.block_on(async {
                let hear = async {
                    while let Some(message) = replies.next().await {
                        driven.answered(message);
                    }
                };
                tokio::select! {
                    () = hear => {}
                    () = driven.over.notified() => {}
                }
            });
        };
        let started = thread::Builder::new().name("nats".to_owned()).spawn(drive);
        started.map_err(|error| ConnectFault::Refused(fault(&error)))?;
        let opened =
            receiver.recv().unwrap_or_else(|_| Err(("its thread ended".to_owned(), false)));
        let (client, handle) = opened.map_err(|(reason, is_away)| {
            let error =
                fault(&reason).help("check that the server runs there, and that it knows the key");
            if is_away { ConnectFault::Unreachable(error) } else { ConnectFault::Refused(error) }
        })?;
        {
            let mut state = shared.state.lock();
            state.is_connected = true;
            state.away = None;
        }
        let several = address.hosts.len() > 1;
        let timeout = if several { TIMEOUT_OF_SEVERAL } else { TIMEOUT };
        let link = Self {
            client,
            handle,
            inbox,
            timeout,
            patience,
            numbers: AtomicU64::new(0),
            has_answered: AtomicBool::new(false),
            shared,
        };
        link.check().map_err(|(reason, help)| ConnectFault::Refused(fault(&reason).help(help)))?;
        Ok(link)
    }

    /// Whether the server supports all requests.
    fn check(&self) -> Result<(), (String, &'static str)> {
        let info = self.client.server_info();
        let (major, minor, patch) = OLDEST;
        if !self.client.is_server_compatible(major, minor, patch) {
            let reason = format!(
                "its version is {}; {major}.{minor} or newer is needed: older ones lose what they confirmed",
                info.version
            );
            return Err((reason, "install a newer nats-server"));
        }
        if info.max_payload < LONGEST {
            let reason =
                format!("it takes messages of {} bytes; {LONGEST} are needed", info.max_payload);
            return Err((reason, "set max_payload in its configuration"));
        }
        Ok(())
    }

    /// The version of the server.
    pub fn version(&self) -> String {
        self.client.server_info().version
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn request(&self, call: &OutgoingMessage<'_>) -> Result<Message, NoReply> {
        let mut unheard: Option<Instant> = None;
        let mut silent = Duration::ZERO;
        loop {
            self.wait_until_connected()?;
            let number = self.numbers.fetch_add(1, Ordering::Relaxed);
            let (sender, receiver) = sync_channel(1);
            {
                let mut state = self.shared.state.lock();
                if state.is_over {
                    return Err(NoReply::Closed);
                }
                state.waiting.insert(number, sender);
            }
            let reply = format!("{}.{number}", self.inbox);
            self.publish(call, Some(reply));
            let answer = receiver.recv_timeout(self.timeout);
            self.shared.state.lock().waiting.remove(&number);
            match answer {
                Ok(message) if is_nobody(&message) => {
                    // What has answered before is waited for as long as a server: most servers may be away.
                    let has_answered = self.has_answered.load(Ordering::Relaxed);
                    let patience = self.patience.filter(|_| has_answered).unwrap_or(NOBODY);
                    if unheard.get_or_insert_with(Instant::now).elapsed() > patience {
                        return Err(NoReply::NoService);
                    }
                    thread::sleep(RETRY);
                }
                Ok(message) => {
                    self.has_answered.store(true, Ordering::Relaxed);
                    return Ok(message);
                }
                // The connection is new.
                Err(RecvTimeoutError::Disconnected) => silent = Duration::ZERO,
                // The request or its answer was lost, or the connection is, or there will be no answer.
                Err(RecvTimeoutError::Timeout) => {
                    silent += self.timeout;
                    if silent >= SILENCE && self.away().is_none() {
                        return Err(NoReply::NoService);
                    }
                }
            }
        }
    }

    /// Sends a request for a message that was confirmed. One of several servers may not have it yet.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn request_stored(&self, call: &OutgoingMessage<'_>) -> Result<Message, NoReply> {
        let begun = Instant::now();
        loop {
            let message = self.request(call)?;
            if status(&message).is_none() || begun.elapsed() > LAG {
                return Ok(message);
            }
            thread::sleep(RETRY);
        }
    }

    /// Sends a request that the server may leave unanswered.
    pub fn ask_once(&self, subject: &str, body: &[u8]) -> Option<Message> {
        let (sender, answers) = sync_channel::<Message>(1);
        let place = self.own_inbox(&random());
        let hear = move |message| {
            // The first answer counts; the caller may have given up.
            let _ = sender.try_send(message);
            false
        };
        self.subscribe(place.clone(), hear).ok()?;
        self.publish(&OutgoingMessage::new(subject, body), Some(place));
        answers.recv_timeout(OPTIONAL).ok().filter(|it| !is_nobody(it))
    }

    /// Whether the server that is connected keeps messages itself.
    pub fn has_jetstream(&self) -> bool {
        self.client.server_info().jetstream
    }

    fn wait_until_connected(&self) -> Result<(), NoReply> {
        let mut state = self.shared.state.lock();
        loop {
            if state.is_over {
                return Err(NoReply::Closed);
            }
            if state.is_connected {
                return Ok(());
            }
            let away = state.away.map_or(Duration::ZERO, |since| since.elapsed());
            if let Some(patience) = self.patience
                && away >= patience
            {
                return Err(NoReply::Unreachable(away));
            }
            self.shared.changed.wait_for(&mut state, RETRY);
        }
    }

    /// How long there has been no connection.
    pub fn away(&self) -> Option<Duration> {
        let state = self.shared.state.lock();
        state.away.filter(|_| !state.is_connected).map(|since| since.elapsed())
    }

    /// Sends a message that needs no answer, or is answered under another subject. Without a connection it may be
    /// lost.
    pub fn publish(&self, call: &OutgoingMessage<'_>, reply: Option<String>) {
        if !self.shared.state.lock().is_connected {
            return;
        }
        let (subject, body) = (call.subject.clone(), call.body.to_vec().into());
        let sent = async {
            match (reply, call.headers.is_empty()) {
                (None, true) => self.client.publish(subject, body).await,
                (None, false) => {
                    self.client.publish_with_headers(subject, call.headers(), body).await
                }
                (Some(reply), true) => self.client.publish_with_reply(subject, reply, body).await,
                (Some(reply), false) => {
                    let headers = call.headers();
                    self.client.publish_with_reply_and_headers(subject, reply, headers, body).await
                }
            }
        };
        // A message that is lost here is requested again.
        let _ = self.handle.block_on(async { tokio::time::timeout(self.timeout, sent).await });
    }

    /// Forwards all messages of a subject until the callback stops it. The server handles the subscription before any
    /// later request, since it receives both in this order.
    ///
    /// # Errors
    /// If the link was closed.
    pub fn subscribe(
        &self,
        subject: String,
        hear: impl Fn(Message) -> bool + Send + 'static,
    ) -> Result<(), JudgeError> {
        let fault = |error: &dyn fmt::Display| JudgeError::new("read from a NATS server", error);
        let subscribed = self.handle.block_on(self.client.subscribe(subject));
        let mut messages = subscribed.map_err(|error| fault(&error))?;
        self.handle.spawn(async move {
            while let Some(message) = messages.next().await {
                if !hear(message) {
                    return;
                }
            }
        });
        Ok(())
    }

    /// A separate subject for replies, with this word in it.
    pub fn own_inbox(&self, word: &str) -> String {
        format!("{}-{word}.{word}", self.inbox)
    }

    /// Returns a channel that gets a message each time the connection is back.
    pub fn when_connected(&self) -> std::sync::mpsc::Receiver<()> {
        let (sender, receiver) = channel();
        self.shared.state.lock().listeners.push(sender);
        receiver
    }

    /// Wakes the receivers of [`when_connected`](Self::when_connected).
    pub fn wake(&self) {
        self.shared.state.lock().listeners.retain(|listener| listener.send(()).is_ok());
    }

    /// Sends what is pending if the server is there, and ends. Waiting requests get no answer.
    pub fn close(&self) {
        if self.shared.state.lock().is_connected {
            let flush = self.client.flush();
            let _ = self.handle.block_on(async { tokio::time::timeout(PING, flush).await });
        }
        let mut state = self.shared.state.lock();
        state.is_over = true;
        state.is_connected = false;
        state.waiting.clear();
        state.listeners.clear();
        drop(state);
        self.shared.changed.notify_all();
        self.shared.over.notify_one();
    }
}

impl Drop for NatsLink {
    fn drop(&mut self) {
        self.close();
    }
}

impl LinkShared {
    fn note(&self, event: &Event) {
        let mut state = self.state.lock();
        match event {
            Event::Connected => {
                state.is_connected = !state.is_over;
                state.away = None;
                if std::mem::replace(&mut state.was_connected, true) {
                    // The waiting threads send their requests again.
                    state.waiting.clear();
                    state.listeners.retain(|listener| listener.send(()).is_ok());
                }
            }
            Event::Disconnected => {
                state.is_connected = false;
                state.away.get_or_insert_with(Instant::now);
            }
            _ => return,
        }
        drop(state);
        self.changed.notify_all();
    }

    fn answered(&self, message: Message) {
        let number = message.subject.rsplit('.').next().and_then(|it| it.parse::<u64>().ok());
        let sender = number.and_then(|number| self.state.lock().waiting.remove(&number));
        if let Some(sender) = sender {
            // The caller may have given up.
            let _ = sender.try_send(message);
        }
    }
}

/// Whether the server says that no service answers the subject.
pub fn is_nobody(message: &Message) -> bool {
    status(message) == Some(503)
}

/// The status code of a message without content.
pub fn status(message: &Message) -> Option<u16> {
    message.status.map(|status| status.as_u16())
}

/// The value of a header.
pub fn header<'m>(message: &'m Message, name: &str) -> Option<&'m str> {
    message.headers.as_ref()?.get(name).map(|value| value.as_str())
}

/// The seconds since the beginning of 1970 of a time as servers write it.
pub fn seconds_of(text: &str) -> Option<f64> {
    let text = text.strip_suffix('Z')?;
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let whole = Moment::try_from(format!("{whole}Z")).ok()?;
    let part: f64 = format!("0.{part}").parse().ok()?;
    Some(whole.seconds() as f64 + part)
}

fn server(host: &str, is_private: bool) -> Result<async_nats::ServerAddr, std::io::Error> {
    let scheme = if is_private { "tls" } else { "nats" };
    format!("{scheme}://{host}").parse()
}

fn options(address: &NatsAddress) -> ConnectOptions {
    let mut options = ConnectOptions::new()
        .name("juror")
        .ping_interval(PING)
        .connection_timeout(TIMEOUT)
        .request_timeout(Some(TIMEOUT))
        .reconnect_delay_callback(|_| RETRY)
        .custom_inbox_prefix(&address.inbox)
        .subscription_capacity(1 << 16)
        .require_tls(address.is_private);
    if let Some(key) = &address.key {
        options = options.nkey(key.seed.clone());
    }
    if let Some(path) = &address.authorities {
        options = options.add_root_certificates(path.clone());
    }
    options
}

/// Why the connection failed, in words.
fn told(error: &async_nats::ConnectError) -> String {
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            format!("it does not let us in: {error}")
        }
        _ => error.to_string(),
    }
}

/// Whether no server is there. The client reports a bad certificate as invalid data: then a server is there.
fn is_away(error: &async_nats::ConnectError) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    match error.kind() {
        ConnectErrorKind::Dns | ConnectErrorKind::TimedOut => true,
        ConnectErrorKind::Io => source.is_none_or(|it| it.kind() != io::ErrorKind::InvalidData),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_servers_are_read() {
        let check = |text: &str, expected: Option<f64>| assert_eq!(seconds_of(text), expected);
        check("1970-01-02T00:00:01.5Z", Some(86_401.5));
        check("1970-01-01T00:00:00Z", Some(0.0));
        check("1970-01-01T00:00:00+01:00", None);
        check("1970-01-01T00:00:00.xZ", None);
        check("2000-02-29T12:34:56.789Z", Some(951_827_696.789));
        check("2026-11-22T06:00:08Z", Some(1_795_327_208.0));
        check("yesterday", None);
        check("2026-11-22", None);
        check("", None);
    }
}
