//! A real NATS server for tests, in a temporary directory and on free ports; and what disturbs it.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use juror::remote::nats::address::Address;
use juror::remote::nats::link::Link;
use tempfile::TempDir;

/// A server. It ends with the test.
pub(crate) struct Server {
    pub(crate) port: u16,
    directory: TempDir,
    process: Mutex<Option<Child>>,
}

/// The program of the server: that of `JUROR_NATS_SERVER`, else that on the search path. None is said.
pub(crate) fn program() -> Option<PathBuf> {
    let named = std::env::var_os("JUROR_NATS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|place| place.join("nats-server"));
    let found = named.or_else(|| places.find(|place| place.is_file()));
    if found.is_none() {
        skipped("no nats-server here: set JUROR_NATS_SERVER or install it");
    }
    found
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its number").port()
}

impl Server {
    /// One that keeps all safely. None if there is no program for it.
    pub(crate) fn start() -> Option<Self> {
        Self::with(|store| format!("jetstream {{ store_dir: '{store}', sync_interval: always }}\n"))
    }

    /// One with these settings beside its port; they are told where it may store something.
    pub(crate) fn with(settings: impl Fn(&str) -> String) -> Option<Self> {
        Self::at(free_port(), settings)
    }

    pub(crate) fn at(port: u16, settings: impl Fn(&str) -> String) -> Option<Self> {
        program()?;
        let directory = tempfile::tempdir().expect("a directory");
        let store = directory.path().join("store");
        fs::create_dir(&store).expect("a directory");
        let text =
            format!("host: 127.0.0.1\nport: {port}\n{}", settings(&store.display().to_string()));
        fs::write(directory.path().join("server.conf"), text).expect("a file");
        let server = Self { port, directory, process: Mutex::new(None) };
        server.again();
        Some(server)
    }

    /// Starts it, and waits until it listens.
    pub(crate) fn again(&self) {
        let log = fs::File::create(self.directory.path().join("log")).expect("a file");
        let mut command = Command::new(program().expect("a program"));
        command.arg("-c").arg(self.directory.path().join("server.conf"));
        let child = command.stdout(Stdio::null()).stderr(log).spawn().expect("it starts");
        *self.process.lock().unwrap() = Some(child);
        let end = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < end, "the server does not listen: {}", self.log());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Where it keeps everything.
    pub(crate) fn store(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    /// Sends it a signal, and waits for its end.
    pub(crate) fn end(&self, signal: &str) {
        if let Some(mut child) = self.process.lock().unwrap().take() {
            send(signal, child.id());
            child.wait().expect("it ends");
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// A connection to it.
    pub(crate) fn link(&self) -> Link {
        Link::open(&Address::parse(&self.url()).unwrap(), Some(Duration::from_secs(60)))
            .expect("it is there")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end("KILL");
    }
}

/// A disk of this size at this place. It is gone with this.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// None if nothing may be mounted here, which is said.
    pub(crate) fn at(path: &Path, size: &str) -> Option<Self> {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(path);
        if command.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            return Some(Self(path.to_owned()));
        }
        skipped("no small disk can be mounted here: that needs root");
        None
    }

    /// Another size, with all that is there.
    pub(crate) fn resize(&self, size: &str) {
        let mut command = Command::new("mount");
        command.args(["-o", &format!("remount,size={size}")]).arg(&self.0);
        assert!(command.status().expect("mount runs").success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Somebody may still have a file open.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[expect(clippy::print_stderr, reason = "it is seen that something was not tested")]
fn skipped(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}

/// Sends a signal to a process that this test started.
pub(crate) fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// `juror worker --nats` as a process of its own.
pub(crate) struct Worker(Child);

impl Worker {
    /// Starts one, which isolates as it can.
    pub(crate) fn start(url: &str, options: &[&str]) -> Self {
        Self::with_path(url, options, crate::wire::search_path())
    }

    /// One that looks for tools here.
    pub(crate) fn with_path(url: &str, options: &[&str], path: &OsStr) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("juror"));
        command.args(["worker", "--nats", url]).args(options).env("PATH", path);
        Self(command.stderr(Stdio::null()).spawn().expect("it starts"))
    }

    /// One whose standard error can be read.
    pub(crate) fn heard(
        url: &str,
        options: &[&str],
    ) -> (Self, impl Iterator<Item = String> + use<>) {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("juror"));
        command.args(["worker", "--nats", url]).args(options).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        (Self(child), lines.map_while(Result::ok))
    }

    pub(crate) fn send(&self, signal: &str) {
        send(signal, self.0.id());
    }

    /// Tells it to end; true if it ends well.
    pub(crate) fn ends(mut self) -> bool {
        self.send("TERM");
        self.0.wait().expect("it ends").success()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // One that is stopped ends, too.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A connection that goes through here, and can be cut.
pub(crate) struct Cut {
    pub(crate) port: u16,
    /// So many bytes still go to the server on the next connections.
    left: Arc<AtomicUsize>,
}

impl Cut {
    pub(crate) fn before(server: &Server) -> Self {
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
                thread::spawn(move || hand_on(from, into, &left));
                let (into, from) = both();
                let never = Arc::new(AtomicUsize::new(usize::MAX));
                thread::spawn(move || hand_on(from, into, &never));
            }
        });
        Self { port, left }
    }

    /// Cuts the connection when so many bytes have gone to the server; the next one is whole.
    pub(crate) fn after(&self, bytes: usize) {
        self.left.store(bytes, Ordering::SeqCst);
    }

    /// Whether it was cut.
    pub(crate) fn is_cut(&self) -> bool {
        self.left.load(Ordering::SeqCst) == usize::MAX
    }
}

fn hand_on(mut from: TcpStream, mut into: TcpStream, left: &AtomicUsize) {
    let mut buffer = vec![0; 10_000];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let before = left.load(Ordering::SeqCst);
        let sent = into.write_all(&buffer[..length.min(before)]);
        if sent.is_err() || length > before {
            // The next one is whole.
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
