//! An answer: a status of HTTP and a text.

use hyper::body::Bytes;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: Bytes,
    pub header: Option<(HeaderName, &'static str)>,
    media_type: &'static str,
}

pub const JSON: &str = "application/json";
pub const LINES: &str = "application/x-ndjson";

impl Answer {
    pub fn json(status: u16, body: Vec<u8>) -> Self {
        Self { status, body: body.into(), header: None, media_type: JSON }
    }

    pub fn of(status: u16, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self::json(status, body),
            Err(error) => Self::refused(500, format!("cannot write the answer: {error}")),
        }
    }

    /// Refuses a request, and says why.
    pub fn refused(status: u16, message: impl Into<String>) -> Self {
        let refused = Self::of(status, &serde_json::json!({ "message": message.into() }));
        match status {
            401 => refused.with_header(WWW_AUTHENTICATE, "Bearer"),
            // Whoever is refused for lack of room may come back soon.
            429 | 503 => refused.with_header(RETRY_AFTER, "1"),
            _ => refused,
        }
    }

    pub fn not_allowed(allowed: &'static str) -> Self {
        Self::refused(405, format!("use {allowed}")).with_header(ALLOW, allowed)
    }

    pub fn text(text: String) -> Self {
        let media_type = "text/plain; version=0.0.4; charset=utf-8";
        Self { status: 200, body: text.into(), header: None, media_type }
    }

    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    #[must_use]
    pub fn with_line_end(self) -> Self {
        if self.body.ends_with(b"\n") {
            return self;
        }
        Self { body: [&*self.body, b"\n"].concat().into(), ..self }
    }

    fn with_header(self, name: HeaderName, value: &'static str) -> Self {
        Self { header: Some((name, value)), ..self }
    }

    /// Whether juror failed. The same request may succeed later.
    pub fn is_fault(&self) -> bool {
        self.status >= 500
    }

    pub fn headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let all = self.header.clone().into_iter().chain([(CONTENT_TYPE, self.media_type)]);
        all.map(|(name, value)| (name, HeaderValue::from_static(value)))
    }
}
