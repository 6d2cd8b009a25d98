//! Who may ask: by the address, the host that the client names, and the token.
//!
//! A page of any site can make a browser send requests to this machine. Without a token, only clients of this machine
//! are answered, the host must be a name of this machine, and the content type one that a page cannot send to another
//! site. With a token, nobody else knows it.

use std::net::SocketAddr;
use std::path::Path;

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName};
use juror_core::root::read_named;
use juror_packages::package::companion::request::is_loopback_host;
use sha2::{Digest, Sha256};

use crate::answer::{Answer, JSON, LINES};

/// Compared by its digest, so that the time says nothing about its beginning.
#[derive(Clone, Copy)]
pub struct Token([u8; 32]);

/// In characters: nobody guesses as many.
const SHORTEST_TOKEN: usize = 16;

impl Token {
    /// # Errors
    /// Says what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let text =
            read_named(path).map_err(|error| format!("--token: cannot read {shown}: {error}"))?;
        let token = text.trim_ascii();
        let is_word = token.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
        if token.len() < SHORTEST_TOKEN || !is_word {
            return Err(format!(
                "--token: {shown} must have at least {SHORTEST_TOKEN} letters, digits, `-` and `_`, and nothing else; \
                 make one with: head -c 24 /dev/urandom | base64 | tr +/ -_ > {shown}"
            ));
        }
        Ok(Self(Sha256::digest(token).into()))
    }

    fn is(self, given: &str) -> bool {
        let given: [u8; 32] = Sha256::digest(given).into();
        self.0.iter().zip(given).fold(0, |unlike, (own, given)| unlike | (own ^ given)) == 0
    }
}

/// Returns the path without the token, or why the request is refused.
pub fn admit<'p>(
    token: Option<Token>,
    peer: SocketAddr,
    headers: &HeaderMap,
    path: &'p str,
) -> Result<&'p str, Answer> {
    let Some(token) = token else {
        let host = only_header(headers, &HOST)?.unwrap_or_default();
        if !peer.ip().is_loopback() || !is_loopback_host(host) {
            let message = "the host is not localhost: without --token, only this machine may ask";
            return Err(Answer::refused(403, message));
        }
        return Ok(path);
    };
    let word = only_header(headers, &AUTHORIZATION)?;
    let bearer = word.and_then(|word| word.split_once(' '));
    if bearer.is_some_and(|(kind, given)| {
        kind.eq_ignore_ascii_case("bearer") && token.is(given.trim_ascii())
    }) {
        return Ok(path);
    }
    let (first, _) = path.strip_prefix('/').unwrap_or(path).split_once('/').unwrap_or_default();
    if token.is(first) {
        return Ok(&path[first.len() + 1..]);
    }
    let message = "the token is missing or wrong: send `Authorization: Bearer TOKEN`, or put it before the path";
    Err(Answer::refused(401, message))
}

/// Returns whether the body has a line for each document.
pub fn has_lines(headers: &HeaderMap) -> Result<bool, Answer> {
    let typed = only_header(headers, &CONTENT_TYPE)?.unwrap_or_default();
    let media_type = typed.split(';').next().unwrap_or_default().trim();
    match [JSON, LINES].into_iter().find(|known| media_type.eq_ignore_ascii_case(known)) {
        Some(known) => Ok(known == LINES),
        None => Err(Answer::refused(
            415,
            format!("the content type must be {JSON}, or {LINES} for lines"),
        )),
    }
}

/// The value of a header that may appear once.
fn only_header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Answer> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(value), None) if let Ok(text) = value.to_str() => Ok(Some(text.trim())),
        _ => {
            Err(Answer::refused(400, format!("the header `{name}` is not a text, or comes twice")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn check(token: bool, peer: &str, headers: &[(HeaderName, &str)], path: &str, expected: &str) {
        let token = token.then(|| Token(Sha256::digest(TOKEN).into()));
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        let mut map = HeaderMap::new();
        headers.for_each(|(name, value)| _ = map.append(name, value));
        let found = match admit(token, peer.parse().unwrap(), &map, path) {
            Ok(path) => path.to_owned(),
            Err(answer) => answer.status.to_string(),
        };
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn without_a_token_only_this_machine_may_ask() {
        let near = "127.0.0.1:1";
        check(false, near, &[(HOST, "localhost:8080")], "/grade", "/grade");
        check(false, "[::1]:1", &[(HOST, "[::1]")], "/grade", "/grade");
        check(false, near, &[(HOST, "example.org")], "/grade", "403");
        check(false, near, &[], "/grade", "403");
        check(false, near, &[(HOST, "localhost"), (HOST, "localhost")], "/grade", "400");
        check(false, "10.0.0.1:1", &[(HOST, "localhost")], "/grade", "403");
    }

    #[test]
    fn a_token_is_a_header_or_the_first_part_of_the_path() {
        let far = "10.0.0.1:1";
        let bearer = |token: &str| format!("Bearer {token}");
        let host = (HOST, "example.org");
        check(true, far, &[host.clone(), (AUTHORIZATION, &bearer(TOKEN))], "/grade", "/grade");
        check(true, far, &[], &format!("/{TOKEN}/run_code"), "/run_code");
        check(true, far, &[], &format!("/{TOKEN}"), "401");
        check(true, far, &[], "/run_code", "401");
        check(true, far, &[], "/0123456789abcdee/run_code", "401");
        check(true, far, &[(AUTHORIZATION, &bearer("0123"))], "/run_code", "401");
        check(true, far, &[(AUTHORIZATION, TOKEN)], "/run_code", "401");
        check(true, "127.0.0.1:1", &[(HOST, "localhost")], "/run_code", "401");
    }
}
