//! The connection to a NATS server.
//!
//! A request without an answer is sent again when the connection comes back, so every request may arrive twice.
//! Nothing waits for the client's own time-outs.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::client::RequestErrorKind;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, HeaderMap, Message, Request};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::address::NatsAddress;
use juror_core::judgement::JudgeError;
use juror_core::moment::Moment;

/// The oldest server version that supports all requests.
const OLDEST: (i64, i64, i64) = (2, 12, 0);

/// The longest message that a server must accept.
const MESSAGE_BYTES: usize = 1 << 20;

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

/// A connection that connects again by itself.
#[derive(Clone)]
pub struct Link {
    client: Client,
    inbox: String,
    timeout: Duration,
    /// How long requests wait without a server.
    patience: Option<Duration>,
    has_answered: Arc<AtomicBool>,
    state: watch::Receiver<LinkState>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LinkState {
    /// How often the connection came back.
    epoch: u64,
    was_connected: bool,
    away: Option<Instant>,
}

/// A message to a server.
#[derive(Clone, Debug, Default)]
pub struct OutgoingMessage {
    pub subject: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl OutgoingMessage {
    /// A message without headers.
    pub fn new(subject: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self { subject: subject.into(), headers: HeaderMap::new(), body: body.into() }
    }

    /// The same with a header.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.insert(name, value.to_string());
        self
    }

    fn request(&self) -> Request {
        let request = Request::new().payload(self.body.clone().into()).timeout(None);
        if self.headers.is_empty() { request } else { request.headers(self.headers.clone()) }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReply {
    /// There has been no connection for this long.
    #[error("the server has not been reached for {} s", .0.as_secs())]
    Unreachable(Duration),
    /// There is a connection, but no service answers.
    #[error(
        "the server does not answer: JetStream is off or full, this key has no right to ask, or most servers of a \
         cluster are away"
    )]
    NoService,
}

impl Link {
    /// Connects, and reconnects by itself. `patience` is how long requests wait for a connection; none means for ever.
    ///
    /// # Errors
    /// If the server rejects this key, or is too old. If it cannot be reached, which may change, the fault is transient.
    pub async fn open(
        address: &NatsAddress,
        patience: Option<Duration>,
    ) -> Result<Self, JudgeError> {
        let fault = |reason: &dyn fmt::Display| {
            JudgeError::new(format!("connect to {}", address.name), reason)
        };
        let (noted, state) = watch::channel(LinkState::default());
        let options = connect_options(address).event_callback(move |event| {
            noted.send_modify(|state| state.note(&event));
            std::future::ready(())
        });
        let servers = address.hosts.iter().map(|host| parse_server(host, address.is_private));
        let servers: Result<Vec<_>, _> = servers.collect();
        let servers = servers.map_err(|error| fault(&error))?;
        let client = options.connect(servers).await.map_err(|error| {
            let help = "check that the server runs there, and that it knows the key";
            let told = fault(&describe_fault(&error)).help(help);
            if is_unreachable(&error) { told.transient() } else { told }
        })?;
        let several = address.hosts.len() > 1;
        let id = crate::random()?;
        let link = Self {
            client,
            inbox: format!("{}.{id}", address.inbox),
            timeout: if several { TIMEOUT_OF_SEVERAL } else { TIMEOUT },
            patience,
            has_answered: Arc::default(),
            state,
        };
        link.check().map_err(|(reason, help)| fault(&reason).help(help))?;
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
        if info.max_payload < MESSAGE_BYTES {
            let reason = format!(
                "it takes messages of {} bytes; {MESSAGE_BYTES} are needed",
                info.max_payload
            );
            return Err((reason, "set max_payload in its configuration"));
        }
        Ok(())
    }

    /// The version of the server.
    pub fn version(&self) -> String {
        self.client.server_info().version
    }

    /// Whether the server that is connected keeps messages itself.
    pub fn has_jetstream(&self) -> bool {
        self.client.server_info().jetstream
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn request(&self, call: &OutgoingMessage) -> Result<Message, NoReply> {
        let mut unheard: Option<Instant> = None;
        let mut silent = Duration::ZERO;
        let mut state = self.state.clone();
        loop {
            let epoch = self.wait_until_connected().await?;
            let answer = self.client.send_request(call.subject.clone(), call.request());
            let answer = tokio::select! {
                answer = timeout(self.timeout, answer) => answer,
                // The connection is new.
                _ = state.wait_for(|state| state.epoch != epoch) => {
                    silent = Duration::ZERO;
                    continue;
                }
            };
            match answer {
                Ok(Ok(message)) => {
                    self.has_answered.store(true, Ordering::Relaxed);
                    return Ok(message);
                }
                Ok(Err(error)) if error.kind() == RequestErrorKind::NoResponders => {
                    // What has answered before is waited for as long as a server: most servers may be away.
                    let has_answered = self.has_answered.load(Ordering::Relaxed);
                    let patience = self.patience.filter(|_| has_answered).unwrap_or(NOBODY);
                    if unheard.get_or_insert_with(Instant::now).elapsed() > patience {
                        return Err(NoReply::NoService);
                    }
                    sleep(RETRY).await;
                }
                // The client could not even send it.
                Ok(Err(_)) => sleep(RETRY).await,
                // The request or its answer was lost, or the connection is, or there will be no answer.
                Err(_) => {
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
    pub async fn request_stored(&self, call: &OutgoingMessage) -> Result<Message, NoReply> {
        let begun = Instant::now();
        loop {
            let message = self.request(call).await?;
            if status(&message).is_none() || begun.elapsed() > LAG {
                return Ok(message);
            }
            sleep(RETRY).await;
        }
    }

    /// The answer to a request that the server may leave unanswered; `None` if it does, or the answer is not JSON.
    pub async fn ask_once(&self, subject: &str) -> Option<Value> {
        let answer = self.client.send_request(subject.to_owned(), Request::new().timeout(None));
        let message = timeout(OPTIONAL, answer).await.ok()?.ok()?;
        serde_json::from_slice(&message.payload).ok()
    }

    async fn wait_until_connected(&self) -> Result<u64, NoReply> {
        let mut state = self.state.clone();
        loop {
            let LinkState { away, epoch, .. } = *state.borrow_and_update();
            let Some(away) = away.map(|since| since.elapsed()) else { return Ok(epoch) };
            if let Some(patience) = self.patience
                && away >= patience
            {
                return Err(NoReply::Unreachable(away));
            }
            // The channel closes with the client, which this link has.
            let _ = timeout(RETRY, state.changed()).await;
        }
    }

    /// How long there has been no connection.
    pub fn away(&self) -> Option<Duration> {
        self.state.borrow().away.map(|since| since.elapsed())
    }

    /// Calls `report` each time the connection is back, until it returns false.
    pub fn report_reconnections(&self, report: impl Fn() -> bool + Send + 'static) {
        let mut state = self.state.clone();
        tokio::spawn(async move {
            let mut epoch = 0;
            loop {
                let found = state.wait_for(|state| state.epoch != epoch).await;
                // The channel closes with the client.
                let Ok(found) = found.map(|state| state.epoch) else { return };
                epoch = found;
                if !report() {
                    return;
                }
            }
        });
    }

    /// Sends a message that needs no answer, or is answered under another subject. Without a connection it may be
    /// lost.
    pub async fn publish(&self, call: &OutgoingMessage, reply: Option<String>) {
        if self.away().is_some() {
            return;
        }
        let (subject, body) = (call.subject.clone(), call.body.clone().into());
        let sent = async {
            match reply {
                None => self.client.publish(subject, body).await,
                Some(reply) => self.client.publish_with_reply(subject, reply, body).await,
            }
        };
        // A message that is lost here is requested again.
        let _ = timeout(self.timeout, sent).await;
    }

    /// Gives all messages of a subject from now on to `take`, until it returns false.
    ///
    /// # Errors
    /// If the client has ended.
    pub async fn subscribe(
        &self,
        subject: String,
        take: impl Fn(Message) -> bool + Send + 'static,
    ) -> Result<(), JudgeError> {
        let fault = |error| JudgeError::new("read from a NATS server", error);
        let mut messages = self.client.subscribe(subject).await.map_err(fault)?;
        tokio::spawn(async move {
            while let Some(message) = messages.next().await {
                if !take(message) {
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

    /// Sends what is pending if the server is there.
    pub async fn flush(&self) {
        if self.away().is_none() {
            let _ = timeout(PING, self.client.flush()).await;
        }
    }
}

impl LinkState {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Connected => {
                self.away = None;
                self.epoch += u64::from(std::mem::replace(&mut self.was_connected, true));
            }
            Event::Disconnected => _ = self.away.get_or_insert_with(Instant::now),
            _ => {}
        }
    }
}

/// The status code of a message without content.
pub fn status(message: &Message) -> Option<u16> {
    message.status.map(|status| status.as_u16())
}

/// The value of a header.
pub fn header<'m>(message: &'m Message, name: &str) -> Option<&'m str> {
    message.headers.as_ref()?.get(name).map(|value| value.as_str())
}

/// The number of a stored message, if this is one.
pub fn sequence(message: &Message) -> Option<u64> {
    let sequence = header(message, "Nats-Sequence").and_then(|text| text.parse().ok());
    sequence.filter(|_| status(message).is_none())
}

/// The seconds since the beginning of 1970 of a time as servers write it.
pub fn parse_time(text: &str) -> Option<f64> {
    let text = text.strip_suffix('Z')?;
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let whole: Moment = format!("{whole}Z").parse().ok()?;
    let part: f64 = format!("0.{part}").parse().ok()?;
    Some(whole.seconds() as f64 + part)
}

fn parse_server(host: &str, is_private: bool) -> Result<async_nats::ServerAddr, std::io::Error> {
    let scheme = if is_private { "tls" } else { "nats" };
    format!("{scheme}://{host}").parse()
}

fn connect_options(address: &NatsAddress) -> ConnectOptions {
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

fn describe_fault(error: &async_nats::ConnectError) -> String {
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            format!("it does not let us in: {error}")
        }
        _ => error.to_string(),
    }
}

/// Whether no server is there. The client reports a bad certificate as invalid data: then a server is there.
fn is_unreachable(error: &async_nats::ConnectError) -> bool {
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
        let check = |text: &str, expected: Option<f64>| assert_eq!(parse_time(text), expected);
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
