//! A real NATS server for tests, and ways to disturb it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::Message;
use juror_nats::address::NatsAddress;
use juror_nats::link::{Link, OutgoingMessage};
use juror_nats::presence::{PresentWorker, present_workers};
use juror_remote::link::WorkerConnection;
use serde_json::Value;
use tempfile::TempDir;

/// Stopped when dropped.
pub(crate) struct Server {
    pub(crate) port: u16,
    directory: TempDir,
    process: Mutex<Option<Child>>,
}

/// `JUROR_NATS_SERVER`, or `nats-server` on the search path. Announces a missing one.
pub(crate) fn server_program() -> Option<PathBuf> {
    let named = std::env::var_os("JUROR_NATS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|path| path.join("nats-server"));
    let found = named.or_else(|| places.find(|path| path.is_file()));
    if found.is_none() {
        announce_skip("no nats-server here: set JUROR_NATS_SERVER or install it");
    }
    found
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its number").port()
}

impl Server {
    /// Syncs always. `None` if there is no server program.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(|store| {
            format!("jetstream {{ store_dir: '{store}', sync_interval: always }}\n")
        })
    }

    /// `settings` gets the directory of the store.
    pub(crate) fn start_with(settings: impl Fn(&str) -> String) -> Option<Self> {
        Self::start_at(free_port(), settings)
    }

    pub(crate) fn start_at(port: u16, settings: impl Fn(&str) -> String) -> Option<Self> {
        server_program()?;
        let directory = tempfile::tempdir().expect("a directory");
        let store = directory.path().join("store");
        fs::create_dir(&store).expect("a directory");
        let text =
            format!("host: 127.0.0.1\nport: {port}\n{}", settings(&store.display().to_string()));
        fs::write(directory.path().join("server.conf"), text).expect("a file");
        let server = Self { port, directory, process: Mutex::new(None) };
        server.restart();
        Some(server)
    }

    /// Waits until the server listens.
    pub(crate) fn restart(&self) {
        let log = fs::File::create(self.directory.path().join("log")).expect("a file");
        let mut command = Command::new(server_program().expect("a program"));
        command.arg("-c").arg(self.directory.path().join("server.conf"));
        let child = command.stdout(Stdio::null()).stderr(log).spawn().expect("it starts");
        *self.process.lock().unwrap() = Some(child);
        let end = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < end, "the server does not listen: {}", self.log());
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn store_directory(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    /// Sends a signal and waits for the end.
    pub(crate) fn stop(&self, signal: &str) {
        if let Some(mut child) = self.process.lock().unwrap().take() {
            send_signal(signal, child.id());
            child.wait().expect("it ends");
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Sends a request.
    pub(crate) fn request(&self, call: OutgoingMessage) -> Message {
        self.with_link(async |link| link.request(&call).await.expect("an answer"))
    }

    pub(crate) fn message_count(&self, stream: &str) -> u64 {
        self.stream_info(stream)["state"]["messages"].as_u64().expect("a number")
    }

    pub(crate) fn stream_info(&self, stream: &str) -> Value {
        let call = OutgoingMessage::new(format!("$JS.API.STREAM.INFO.{stream}"), b"");
        serde_json::from_slice(&self.request(call).payload).expect("JSON")
    }

    /// The workers that have announced themselves; none if the server cannot say.
    pub(crate) fn workers(&self) -> Vec<PresentWorker> {
        self.with_link(async |link| present_workers(link).await.unwrap_or_default())
    }

    pub(crate) fn wait_for_workers(&self, count: usize) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.workers().len() < count {
            assert!(Instant::now() < end, "there are fewer than {count} workers");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn with_link<T>(&self, work: impl AsyncFnOnce(&Link) -> T) -> T {
        let address = NatsAddress::parse(&self.url()).expect("an address");
        let run = async {
            let patience = Some(Duration::from_secs(60));
            let link = Link::open(&address, patience).await?;
            Ok(work(&link).await)
        };
        juror_nats::block_on(run).expect("it is there")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop("KILL");
    }
}

/// A file system of limited size. Unmounted when dropped.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Announces if nothing can be mounted.
    pub(crate) fn mount_at(path: &Path, size: &str) -> Option<Self> {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(path);
        if command.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            return Some(Self(path.to_owned()));
        }
        announce_skip("no small disk can be mounted here: that needs root");
        None
    }

    /// Keeps the contents.
    pub(crate) fn resize(&self, size: &str) {
        let mut command = Command::new("mount");
        command.args(["-o", &format!("remount,size={size}")]).arg(&self.0);
        assert!(command.status().expect("mount runs").success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A process may still have a file open.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[expect(clippy::print_stderr, reason = "it is seen that something was not tested")]
pub(crate) fn announce_skip(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}

pub(crate) fn send_signal(signal: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// `juror-nats` with these arguments.
pub(crate) fn juror_nats(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_juror-nats"));
    command.args(arguments);
    command
}

/// What connects juror to the workers behind a server.
pub(crate) fn submit_command(url: &str) -> WorkerConnection {
    WorkerConnection { name: "submit".to_owned(), command: juror_nats(&["submit", url]) }
}

/// The worker that the tests start: an example of this package, which cargo builds with them.
pub(crate) fn worker_program() -> PathBuf {
    let own = PathBuf::from(env!("CARGO_BIN_EXE_juror-nats"));
    own.with_file_name("examples").join("worker")
}

/// A process of `juror-nats work`.
pub(crate) struct Worker(Child);

impl Worker {
    /// With one slot, and the best isolation of this machine.
    pub(crate) fn start(url: &str) -> Self {
        Self(Self::command(url).stderr(Stdio::null()).spawn().expect("it starts"))
    }

    fn command(url: &str) -> Command {
        let mut command = juror_nats(&["work", url, "--"]);
        command.arg(worker_program()).arg("1");
        command
    }

    /// Also returns standard error.
    pub(crate) fn with_stderr(url: &str) -> (Self, impl Iterator<Item = String> + use<>) {
        Self::of_command(Self::command(url))
    }

    pub(crate) fn of_command(mut command: Command) -> (Self, impl Iterator<Item = String> + use<>) {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        (Self(child), lines.map_while(Result::ok))
    }

    pub(crate) fn send_signal(&self, signal: &str) {
        send_signal(signal, self.0.id());
    }

    /// Returns whether the worker ended without error.
    pub(crate) fn stop(self) -> bool {
        self.send_signal("TERM");
        self.wait() == Some(0)
    }

    /// Waits for the end. Returns the exit code.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.0.wait().expect("it ends").code()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A stopped worker must end, too.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A proxy whose connection can be cut.
pub(crate) struct CuttableProxy {
    pub(crate) port: u16,
    /// The number of bytes that still pass to the server.
    left: Arc<AtomicUsize>,
}

impl CuttableProxy {
    pub(crate) fn start(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its number").port();
        let left = Arc::new(AtomicUsize::new(usize::MAX));
        let (cut, to) = (Arc::clone(&left), server.port);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                let both = || (client.try_clone().unwrap(), server.try_clone().unwrap());
                let (from, into) = both();
                let left = Arc::clone(&cut);
                thread::spawn(move || forward_bytes(from, into, &left));
                let (into, from) = both();
                let never = Arc::new(AtomicUsize::new(usize::MAX));
                thread::spawn(move || forward_bytes(from, into, &never));
            }
        });
        Self { port, left }
    }

    /// Cuts the connection after so many bytes to the server; the next connection is whole.
    pub(crate) fn cut_after(&self, bytes: usize) {
        self.left.store(bytes, Ordering::SeqCst);
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.left.load(Ordering::SeqCst) == usize::MAX
    }
}

fn forward_bytes(mut from: TcpStream, mut into: TcpStream, left: &AtomicUsize) {
    let mut buffer = vec![0; 10_000];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let before = left.load(Ordering::SeqCst);
        let sent = into.write_all(&buffer[..length.min(before)]);
        if sent.is_err() || length > before {
            // The next connection is whole.
            left.store(usize::MAX, Ordering::SeqCst);
            break;
        }
        if before != usize::MAX {
            left.fetch_sub(length, Ordering::SeqCst);
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = into.shutdown(Shutdown::Both);
}
