//! A server in a temporary directory, and its clients.

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::{Client, ConnectOptions, Event, HeaderMap, Message};
use futures_util::StreamExt;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use crate::process::{free_port, juror_nats};

pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

/// A running server with the files of `juror-nats init`.
pub(super) struct Cluster {
    dir: TempDir,
    pub(super) port: u16,
    server: Child,
}

/// A free port. Servers talk with each other on a port far above it.
pub(super) fn low_port() -> u16 {
    std::iter::repeat_with(free_port).find(|port| *port < 60_000).expect("there are more")
}

impl Cluster {
    /// The cluster has two workers, `a` and `b`. `change` may change the configuration.
    pub(super) fn start(program: &Path, change: impl Fn(String) -> String) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let port = low_port();
        let mut command = juror_nats(&["init", "c"]);
        command.args(["--worker", "a", "--worker", "b"]);
        command.arg(format!("--server=localhost:{port}")).current_dir(&dir).stdout(Stdio::null());
        assert!(command.status().expect("juror runs").success());
        let home = dir.path().join(format!("c/servers/localhost-{port}"));
        let file = home.join("nats.conf");
        let text = fs::read_to_string(&file).expect("a configuration");
        fs::write(&file, change(text)).expect("another");
        let log = File::create(home.join("log")).expect("a log");
        let mut command = Command::new(program);
        command.args(["-c", "nats.conf"]).current_dir(&home).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(log);
        let server = command.spawn().expect("the server starts");
        let mut cluster = Self { dir, port, server };
        let end = Instant::now() + TIMEOUT;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let state = cluster.server.try_wait().expect("a state");
            let log = || fs::read_to_string(home.join("log")).unwrap_or_default();
            assert!(state.is_none() && Instant::now() < end, "{}", log());
            thread::sleep(Duration::from_millis(10));
        }
        cluster
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join("c").join(below)
    }

    pub(super) fn url(&self, user: &str) -> String {
        let [key, authority] = ["nats.key", "ca.crt"].map(|name| self.path(user).join(name));
        let (key, authority) = (key.display(), authority.display());
        format!("nats://localhost:{}?key={key}&ca={authority}", self.port)
    }

    /// `user` is a directory, such as `workers/a`.
    pub(super) fn connect(&self, user: &str) -> Session {
        let seed = fs::read_to_string(self.path(user).join("nats.key")).expect("a key");
        let pair = nkeys::KeyPair::from_seed(seed.trim()).expect("a seed");
        let key = pair.public_key();
        let options = ConnectOptions::with_nkey(seed.trim().to_owned())
            .add_root_certificates(self.path(user).join("ca.crt"))
            .require_tls(true)
            .custom_inbox_prefix(format!("_INBOX.{key}"));
        self.session(options, key).expect("a connection")
    }

    pub(super) fn session(&self, options: ConnectOptions, key: String) -> Result<Session, String> {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (sender, refusals) = channel();
        let options = options
            .skip_subject_validation(true)
            .connection_timeout(TIMEOUT)
            .request_timeout(Some(TIMEOUT))
            .event_callback(move |event| {
                if let Event::ServerError(error) = event {
                    // The test may have ended.
                    let _ = sender.send(error.to_string());
                }
                async {}
            });
        let client = runtime.block_on(options.connect(format!("localhost:{}", self.port)));
        let client = client.map_err(|error| error.to_string())?;
        Ok(Session { runtime, client, key, refusals })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The server may have ended.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

pub(super) struct Session {
    runtime: Runtime,
    client: Client,
    pub(super) key: String,
    /// Messages about refused calls.
    refusals: Receiver<String>,
}

impl Session {
    /// Returns headers and body of the answer.
    pub(super) fn request(&self, subject: &str, headers: &[(&str, &str)], body: &str) -> String {
        let asked = self.client.request_with_headers(
            subject.to_owned(),
            header_map(headers),
            body.to_owned().into(),
        );
        let answer = self.runtime.block_on(asked);
        message_text(answer.unwrap_or_else(|error| panic!("{subject}: {error}")))
    }

    /// Like `request`, for a unit: its message has the subject of the job.
    pub(super) fn request_unit(&self, subject: &str, body: &str) -> String {
        let place = format!("_INBOX.{}.pulled", self.key);
        let subscribed = self.runtime.block_on(self.client.subscribe(place.clone()));
        let mut messages = subscribed.expect("the connection is there");
        self.publish(subject, &[], body, &place);
        message_text(self.runtime.block_on(messages.next()).expect("an answer"))
    }

    /// `reply` is a subject that the worker does not own.
    pub(super) fn publish(&self, subject: &str, headers: &[(&str, &str)], body: &str, reply: &str) {
        let (subject, body) = (subject.to_owned(), body.to_owned().into());
        let published = self.client.publish_with_reply_and_headers(
            subject,
            reply.to_owned(),
            header_map(headers),
            body,
        );
        self.runtime.block_on(published).expect("the connection is there");
        self.runtime.block_on(self.client.flush()).expect("the connection is there");
    }

    pub(super) fn subscribe(&self, subject: &str) {
        let subscribed = self.runtime.block_on(self.client.subscribe(subject.to_owned()));
        // If it was dropped, the subscription would end.
        std::mem::forget(subscribed.expect("the connection is there"));
        self.runtime.block_on(self.client.flush()).expect("the connection is there");
    }

    /// The client reads refusals while it runs.
    pub(super) fn next_refusal(&self) -> String {
        let end = Instant::now() + TIMEOUT;
        while Instant::now() < end {
            if let Ok(refusal) = self.refusals.try_recv() {
                return refusal;
            }
            self.runtime.block_on(async { sleep(Duration::from_millis(2)).await });
        }
        "nothing".to_owned()
    }
}

/// Has status, reply subject and body.
fn message_text(message: Message) -> String {
    let status = message.status.map_or(String::new(), |status| status.to_string());
    let reply = message.reply.map_or(String::new(), |reply| reply.to_string());
    let body = String::from_utf8_lossy(&message.payload);
    format!("{status} {reply} {body}")
}

fn header_map(headers: &[(&str, &str)]) -> HeaderMap {
    headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).fold(
        HeaderMap::new(),
        |mut map, (name, value)| {
            map.insert(name, value);
            map
        },
    )
}
