//! A running server, and a plain client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::Value;

/// Killed when dropped.
pub(crate) struct Server {
    pub(crate) port: u16,
    process: Child,
    stderr: BufReader<ChildStderr>,
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) const JSON: &str = "application/json";

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_at(0, arguments)
    }

    /// Waits until it listens.
    pub(crate) fn start_at(port: u16, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_juror-serve"));
        command.args(["--cache", "off", "--listen", &format!("127.0.0.1:{port}")]).args(arguments);
        let mut process = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let stderr = BufReader::new(process.stderr.take().expect("a pipe"));
        let mut server = Self { port: 0, process, stderr };
        let mut text = String::new();
        while server.port == 0 {
            let mut line = String::new();
            assert!(server.stderr.read_line(&mut line).expect("a line") > 0, "it ended: {text}");
            if let Some((_, address)) = line.split_once("listens on http://127.0.0.1:") {
                server.port = address.trim_end_matches("/\n").parse().expect("a port");
            }
            text += &line;
        }
        server
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).expect("a connection")
    }

    /// Sends these bytes and reads the answer to its end.
    pub(crate) fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("it is taken");
        Reply::read(stream)
    }

    pub(crate) fn request(&self, line: &str, headers: &str, body: &str) -> Reply {
        let length = body.len();
        self.send(
            format!(
                "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
            )
            .as_bytes(),
        )
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        let media_type = format!("Content-Type: {JSON}\r\n");
        self.request(&format!("POST {path}"), &media_type, &body.to_string())
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request(&format!("GET {path}"), "", "")
    }

    /// Sends a request, and waits for nothing.
    pub(crate) fn start_post(&self, path: &str, media_type: &str, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media_type}");
        write!(stream, "{head}\r\nContent-Length: {length}\r\n\r\n{body}").expect("it is taken");
        stream
    }

    /// The most memory that it held so far.
    pub(crate) fn peak_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    pub(crate) fn signal(&self, signal: i32) {
        kill(libc::pid_t::try_from(self.process.id()).expect("a number"), signal);
    }

    /// Waits for its end; returns its exit code.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.process.wait().expect("it ends").code()
    }
}

pub(crate) fn kill(process: libc::pid_t, signal: i32) {
    // SAFETY: takes no pointers.
    assert_eq!(unsafe { libc::kill(process, signal) }, 0);
}

/// Whether the text comes before the end.
pub(crate) fn read_until(stream: &mut TcpStream, text: &str) -> bool {
    let mut read = Vec::new();
    BufReader::new(stream).bytes().map_while(Result::ok).any(|byte| {
        read.push(byte);
        read.ends_with(text.as_bytes())
    })
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

impl Reply {
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // After an early refusal, the server may reset the connection.
        _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Self { status: status.unwrap_or_default(), head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}
