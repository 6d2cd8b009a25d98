//! One request: an HTTP message that brings a JSON document, or why it is refused.
//!
//! A page of any site can make a browser send requests to this machine. So the host must be a name of this machine,
//! which the name of a site never is, and the content type one that a page cannot send to another site unless that
//! site allows it. No answer ever does.

use crate::package::companion::LARGEST_BODY;
use std::io::{self, ErrorKind, Read};
use std::net::IpAddr;

use httparse::{EMPTY_HEADER, Header, Request, Status};
use juror_core::words::words;

/// The length of a request line and its headers.
const LARGEST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 64;

/// The answer to a request that brings no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: HttpStatus,
    pub message: String,
}

impl Refusal {
    pub fn new(status: HttpStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HttpStatus {
        Ok = "200 OK",
        BadRequest = "400 Bad Request",
        Forbidden = "403 Forbidden",
        NotFound = "404 Not Found",
        MethodNotAllowed = "405 Method Not Allowed",
        TimedOut = "408 Request Timeout",
        LengthRequired = "411 Length Required",
        TooLarge = "413 Content Too Large",
        UnsupportedType = "415 Unsupported Media Type",
        HeadTooLarge = "431 Request Header Fields Too Large",
        ServerError = "500 Internal Server Error",
    }
}

/// Reads the document of a request; `None` if the client sends nothing. Calls `go_on` if the client waits for a word
/// before it sends the document.
pub fn read_request(
    input: &mut impl Read,
    go_on: impl FnOnce() -> io::Result<()>,
) -> Result<Option<Vec<u8>>, Refusal> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(head) = parse_head(&bytes)? {
            break head;
        }
        if bytes.len() >= LARGEST_HEAD {
            let message = format!("the headers have more than {LARGEST_HEAD} bytes");
            return Err(Refusal::new(HttpStatus::HeadTooLarge, message));
        }
        if read_more(input, &mut bytes)? == 0 {
            return if bytes.is_empty() { Ok(None) } else { Err(cut_off()) };
        }
    };
    let mut body = bytes.split_off(head.length);
    if head.waits && body.is_empty() {
        go_on().map_err(|error| unreadable(&error))?;
    }
    match head.body {
        BodyLength::Known(length) => {
            body.reserve_exact(length.saturating_sub(body.len()));
            while body.len() < length {
                if read_more(input, &mut body)? == 0 {
                    return Err(cut_off());
                }
            }
            body.truncate(length);
            Ok(Some(body))
        }
        BodyLength::Chunked => {
            let mut chunks = ChunkDecoder { waiting: body, decoded: Vec::new() };
            while !chunks.decode()? {
                if read_more(input, &mut chunks.waiting)? == 0 {
                    return Err(cut_off());
                }
            }
            Ok(Some(chunks.decoded))
        }
    }
}

/// Returns the number of bytes, 0 at the end.
fn read_more(input: &mut impl Read, bytes: &mut Vec<u8>) -> Result<usize, Refusal> {
    let mut piece = [0; 16 << 10];
    let count = loop {
        match input.read(&mut piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read.map_err(|error| unreadable(&error))?,
        }
    };
    bytes.extend_from_slice(&piece[..count]);
    Ok(count)
}

fn unreadable(error: &io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            Refusal::new(HttpStatus::TimedOut, "the request did not come in time")
        }
        _ => bad_request(format!("the request cannot be read: {error}")),
    }
}

fn cut_off() -> Refusal {
    bad_request("the request ends before its end")
}

fn bad_request(message: impl Into<String>) -> Refusal {
    Refusal::new(HttpStatus::BadRequest, message)
}

#[derive(Debug, PartialEq, Eq)]
struct RequestHead {
    /// In bytes.
    length: usize,
    body: BodyLength,
    /// Whether the client waits for a word before it sends the document.
    waits: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum BodyLength {
    Known(usize),
    Chunked,
}

/// `None` if more bytes are needed.
fn parse_head(bytes: &[u8]) -> Result<Option<RequestHead>, Refusal> {
    let mut headers = [EMPTY_HEADER; MOST_HEADERS];
    let mut request = Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            let message = format!("there are more than {MOST_HEADERS} headers");
            return Err(Refusal::new(HttpStatus::HeadTooLarge, message));
        }
        Err(error) => return Err(bad_request(format!("this is not HTTP: {error}"))),
    };
    let headers = &*request.headers;
    let host = only_header(headers, "host")?.unwrap_or_default();
    if !is_loopback_host(host) {
        let message = "the host is not localhost: only programs on this machine may send problems";
        return Err(Refusal::new(HttpStatus::Forbidden, message));
    }
    if request.method != Some("POST") {
        return Err(Refusal::new(HttpStatus::MethodNotAllowed, "send a problem with POST"));
    }
    if request.path != Some("/") {
        return Err(Refusal::new(HttpStatus::NotFound, "send a problem to /"));
    }
    let media_type = only_header(headers, "content-type")?.unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        let message = "the content type must be application/json";
        return Err(Refusal::new(HttpStatus::UnsupportedType, message));
    }
    let waits = only_header(headers, "expect")?
        .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
    Ok(Some(RequestHead { length, body: body_length(headers)?, waits }))
}

fn body_length(headers: &[Header<'_>]) -> Result<BodyLength, Refusal> {
    let length = only_header(headers, "content-length")?;
    match (length, only_header(headers, "transfer-encoding")?) {
        (None, Some(coding)) if coding.eq_ignore_ascii_case("chunked") => Ok(BodyLength::Chunked),
        (None, Some(_)) => Err(bad_request("the only transfer coding is chunked")),
        (Some(_), Some(_)) => Err(bad_request("there are a length and a transfer coding")),
        (None, None) => {
            Err(Refusal::new(HttpStatus::LengthRequired, "the request has no Content-Length"))
        }
        (Some(digits), None) => {
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(bad_request("Content-Length is not a number"));
            }
            let length = digits.parse().ok().filter(|length| *length <= LARGEST_BODY);
            length.map(BodyLength::Known).ok_or_else(too_large)
        }
    }
}

fn too_large() -> Refusal {
    let message =
        format!("the problem is too large: at most {} MiB are received", LARGEST_BODY >> 20);
    Refusal::new(HttpStatus::TooLarge, message)
}

/// The value of a header that may appear once.
fn only_header<'h>(headers: &[Header<'h>], name: &str) -> Result<Option<&'h str>, Refusal> {
    let mut same = headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    let Some(header) = same.next() else { return Ok(None) };
    match (std::str::from_utf8(header.value), same.next()) {
        (Ok(value), None) => Ok(Some(value.trim())),
        _ => Err(bad_request(format!("the header `{name}` is not a text, or comes twice"))),
    }
}

/// Whether it names this machine, with or without a port.
pub fn is_loopback_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) => (address, port),
            None => return false,
        },
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port =
        port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    let is_address = name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_port && (is_address || name.eq_ignore_ascii_case("localhost"))
}

/// A document in chunks, of which some have not come yet.
struct ChunkDecoder {
    waiting: Vec<u8>,
    decoded: Vec<u8>,
}

/// The length of what is between two chunks, and after the last.
const LARGEST_FRAME: usize = 4 << 10;

impl ChunkDecoder {
    /// Returns whether the document is complete.
    fn decode(&mut self) -> Result<bool, Refusal> {
        let mut at = 0;
        let mut is_complete = false;
        while !is_complete {
            let rest = &self.waiting[at..];
            let parsed = httparse::parse_chunk_size(rest);
            let (start, size) = match parsed.map_err(|_| bad_request("a chunk has no size"))? {
                Status::Complete((start, size)) => (start, size),
                Status::Partial if rest.len() <= LARGEST_FRAME => break,
                Status::Partial => return Err(bad_request("a chunk has no size")),
            };
            if size == 0 {
                // Fields after the last chunk mean nothing here.
                let mut fields = [EMPTY_HEADER; MOST_HEADERS];
                match httparse::parse_headers(&rest[start..], &mut fields) {
                    Ok(Status::Complete(_)) => is_complete = true,
                    Ok(Status::Partial) if rest.len() - start <= LARGEST_FRAME => break,
                    _ => return Err(bad_request("the last chunk has no end")),
                }
                continue;
            }
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            if size > LARGEST_BODY - self.decoded.len() {
                return Err(too_large());
            }
            let end = start + size;
            let Some(line_end) = rest.get(end..end + 2) else { break };
            if line_end != b"\r\n" {
                return Err(bad_request("a chunk is longer than its size"));
            }
            self.decoded.extend_from_slice(&rest[start..end]);
            at += end + 2;
        }
        self.waiting.drain(..at);
        Ok(is_complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str =
        "POST / HTTP/1.1\r\nHost: localhost:1327\r\nContent-Type: application/json\r\n";

    /// Gives at most this many bytes at once.
    struct Pieces<'a> {
        bytes: &'a [u8],
        most: usize,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let most = self.most.min(into.len());
            self.bytes.read(&mut into[..most])
        }
    }

    fn read(bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
        match read_request(&mut Pieces { bytes, most }, || Ok(())) {
            Ok(body) => body.ok_or_else(|| "closed".to_owned()),
            Err(refusal) => Err(format!("{}: {}", refusal.status, refusal.message)),
        }
    }

    fn check(request: &str, expected: Result<&str, &str>) {
        for most in [1, 7, usize::MAX] {
            let found = read(request.as_bytes(), most);
            match (&found, expected) {
                (Ok(body), Ok(text)) => assert_eq!(body, text.as_bytes(), "{request}"),
                (Err(found), Err(start)) => assert!(found.starts_with(start), "{request}: {found}"),
                _ => panic!("{request}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_request_brings_a_document() {
        check(&format!("{HEAD}Content-Length: 2\r\n\r\n{{}}"), Ok("{}"));
        check(&format!("{HEAD}content-length: 2\r\n\r\n{{}}GET /"), Ok("{}"));
        check(&format!("{HEAD}Content-Length: 0\r\n\r\n"), Ok(""));
        let chunked = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n");
        check(&format!("{chunked}1\r\n{{\r\n1;x=y\r\n}}\r\n0\r\n\r\n"), Ok("{}"));
        check(&format!("{chunked}A\r\n0123456789\r\n0\r\nX: y\r\n\r\n"), Ok("0123456789"));
        check(&format!("{chunked}0\r\n\r\n"), Ok(""));
    }

    #[test]
    fn the_host_is_this_machine() {
        let request = |host: &str| {
            format!(
                "POST / HTTP/1.1\r\n{host}Content-Type: application/JSON; charset=utf-8\r\nContent-Length: 1\r\n\r\n1"
            )
        };
        for host in ["localhost", "LocalHost:1327", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:1"]
        {
            check(&request(&format!("Host: {host}\r\n")), Ok("1"));
        }
        for host in [
            "",
            "example.org",
            "example.org:1327",
            "localhost.example.org",
            "127.0.0.1.example.org",
            "192.168.0.1",
            "0.0.0.0",
            "[::]",
            "[::1",
            "[::1]x",
            "::1",
            "localhost:",
            "localhost:x",
            "evil@localhost",
        ] {
            check(&request(&format!("Host: {host}\r\n")), Err("403 Forbidden"));
        }
        check(&request(""), Err("403 Forbidden"));
        let two = "Host: localhost\r\nHost: example.org\r\n";
        check(&request(two), Err("400 Bad Request: the header `host`"));
    }

    #[test]
    fn what_is_no_post_of_json_is_refused() {
        let request = |line: &str, media_type: &str| {
            format!("{line} HTTP/1.1\r\nHost: localhost\r\n{media_type}Content-Length: 1\r\n\r\n1")
        };
        let json = "Content-Type: application/json\r\n";
        for method in ["GET", "OPTIONS", "PUT", "HEAD"] {
            check(&request(&format!("{method} /"), json), Err("405 Method Not Allowed"));
        }
        check(&request("POST /x", json), Err("404 Not Found"));
        for media_type in
            ["", "Content-Type: text/plain\r\n", "Content-Type: application/jsonx\r\n"]
        {
            check(&request("POST /", media_type), Err("415 Unsupported Media Type"));
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let large = LARGEST_BODY + 1;
        let status = "413 Content Too Large: the problem is too large: at most 16 MiB";
        check(&format!("{HEAD}Content-Length: {large}\r\n\r\n"), Err(status));
        check(&format!("{HEAD}Content-Length: {}\r\n\r\n", "9".repeat(40)), Err(status));
        check(&format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n{large:x}\r\n"), Err(status));
        check(&format!("{HEAD}X: {}", "x".repeat(20_000)), Err("431 Request Header"));
        check(&format!("{HEAD}{}\r\n", "X: y\r\n".repeat(64)), Err("431 Request Header"));
    }

    #[test]
    fn a_broken_request_is_refused() {
        check("", Err("closed"));
        check("\u{16}\u{3}\u{1}", Err("400 Bad Request: this is not HTTP"));
        check("POST / HTTP/1.1\r\n", Err("400 Bad Request: the request ends before its end"));
        check(HEAD, Err("400 Bad Request: the request ends"));
        check(&format!("{HEAD}\r\n{{}}"), Err("411 Length Required"));
        check(
            &format!("{HEAD}Content-Length: 3\r\n\r\n{{}}"),
            Err("400 Bad Request: the request ends"),
        );
        for length in ["-1", "+1", "1.0", "0x1", "1, 1", ""] {
            let number = "400 Bad Request: Content-Length is not";
            check(&format!("{HEAD}Content-Length: {length}\r\n\r\n1"), Err(number));
        }
        let both = "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1";
        check(&format!("{HEAD}{both}"), Err("400 Bad Request: there are a length"));
        let twice = "Content-Length: 1\r\nContent-Length: 2\r\n\r\n1";
        check(&format!("{HEAD}{twice}"), Err("400 Bad Request: the header `content-length`"));
        check(&format!("{HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n"), Err("400 Bad Request"));
        let chunked = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n");
        for chunks in ["x\r\n", "2\r\n123\r\n", "1\r\n1\r\n", "0\r\n", "0\r\nX\r\n\r\n"] {
            check(&format!("{chunked}{chunks}"), Err("400 Bad Request"));
        }
        let endless = format!("{chunked}0\r\n{}", "X: y\r\n".repeat(1000));
        check(&endless, Err("400 Bad Request: the last chunk has no end"));
    }

    #[test]
    fn a_request_that_does_not_come_is_given_up() {
        struct Silent(ErrorKind);
        impl Read for Silent {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
        }
        let check = |kind: ErrorKind, status: HttpStatus| {
            let mut input = Pieces { bytes: HEAD.as_bytes(), most: 9 }.chain(Silent(kind));
            match read_request(&mut input, || Ok(())) {
                Err(refusal) => assert_eq!(refusal.status, status),
                other => panic!("{other:?}"),
            }
        };
        check(ErrorKind::WouldBlock, HttpStatus::TimedOut);
        check(ErrorKind::TimedOut, HttpStatus::TimedOut);
        check(ErrorKind::ConnectionReset, HttpStatus::BadRequest);
    }

    #[test]
    fn a_client_that_waits_is_told_to_go_on() {
        let waits = |rest: &str| {
            let request = format!("{HEAD}Expect: 100-continue\r\nContent-Length: 1\r\n\r\n{rest}");
            let mut told = false;
            let mut input = Pieces { bytes: request.as_bytes(), most: request.len() };
            let read = read_request(&mut input, || {
                told = true;
                Ok(())
            });
            (told, read.is_ok())
        };
        assert_eq!(waits(""), (true, false));
        assert_eq!(waits("1"), (false, true));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            rest in proptest::collection::vec(any::<u8>(), 0..80),
            start in 0..3_usize,
            most in 1..9_usize,
        ) {
            let starts = ["", "Content-Length: 9\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"];
            let request = [HEAD.as_bytes(), starts[start].as_bytes(), &rest].concat();
            prop_assert_eq!(read(&request, most), read(&request, usize::MAX));
        }
    }
}
