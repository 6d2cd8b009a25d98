//! The address of a NATS server, and the user: `nats://HOST:PORT?key=FILE&ca=FILE&inbox=PREFIX&lane=batch`.

use std::path::{Path, PathBuf};

use juror_core::judgement::JudgeError;
use juror_core::text::printable;
use juror_core::words::words;

/// The servers, and how to connect to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsAddress {
    /// What the user calls it: the address without options.
    pub name: String,
    pub hosts: Vec<String>,
    /// Whether the connection is encrypted.
    pub is_private: bool,
    pub key: Option<NatsKey>,
    /// A file with the certificates of the authorities that sign for the servers.
    pub authorities: Option<PathBuf>,
    /// The prefix of reply subjects. By default it contains the name of the key, so that a server can keep other users
    /// from reading the replies.
    pub inbox: String,
    pub lane: Lane,
}

/// A user's key.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsKey {
    /// The public key, which is the user's name.
    pub user: String,
    /// Only the user knows it.
    pub seed: String,
}

impl std::fmt::Debug for NatsKey {
    /// Omits the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.user)
    }
}

impl NatsKey {
    /// Reads a file that has a seed in a line of its own.
    ///
    /// # Errors
    /// If the file cannot be read, or has no seed.
    pub fn read(path: &Path) -> Result<Self, JudgeError> {
        let fault = |reason: &dyn std::fmt::Display| {
            JudgeError::new(format!("read the key {}", path.display()), reason)
                .help("give the file with the seed of the nkey: a line that begins with SU")
        };
        let text = std::fs::read_to_string(path).map_err(|error| fault(&error))?;
        let line = text.lines().map(str::trim).find(|line| line.starts_with("SU"));
        let seed = line.ok_or_else(|| fault(&"it has no line that begins with SU"))?.to_owned();
        let pair = nkeys::KeyPair::from_seed(&seed).map_err(|error| fault(&error))?;
        Ok(Self { user: pair.public_key(), seed })
    }
}

words! {
    /// A separate queue: jobs that wait in one do not delay the other. Its name is that in subjects.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Lane {
        Live = "live",
        Batch = "batch",
    }
}

/// The default port of a server.
const PORT: u16 = 4222;

/// How many servers the address must name so that each message is stored in three copies.
const COPIES: usize = 3;

impl NatsAddress {
    /// Parses an address.
    ///
    /// # Errors
    /// If it has an unknown or invalid part.
    pub fn parse(typed: &str) -> Result<Self, JudgeError> {
        let fault = |reason: String| {
            JudgeError::new(format!("read the address {}", printable(typed)), reason)
                .help("write nats://HOST:PORT, and what is needed of ?key=FILE&ca=FILE&inbox=PREFIX&lane=batch")
        };
        let (name, options) = typed.split_once('?').unwrap_or((typed, ""));
        let (scheme, hosts) =
            name.split_once("://").ok_or_else(|| fault("it has no `://`".to_owned()))?;
        let mut address = Self {
            name: name.to_owned(),
            hosts: Vec::new(),
            is_private: scheme == "tls",
            key: None,
            authorities: None,
            inbox: String::new(),
            lane: Lane::Live,
        };
        if hosts.contains('@') {
            // It may be a password, and reasons end up in logs.
            let reason = "it has a name or password before `@`, which juror does not use";
            return Err(JudgeError::new("read the address of a NATS server", reason)
                .help("give a key with ?key=FILE"));
        }
        for host in hosts.trim_end_matches('/').split(',') {
            let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
            if host.is_empty() || !host.chars().all(is_host) {
                return Err(fault(format!("`{}` is not a host", printable(host))));
            }
            let last = host
                .rsplit_once(':')
                .filter(|(before, _)| !before.contains(':') || before.ends_with(']'));
            address.hosts.push(match last {
                None => format!("{host}:{PORT}"),
                Some((_, port)) if port.parse::<u16>().is_ok() => host.to_owned(),
                Some((_, port)) => return Err(fault(format!("`{port}` is not a port"))),
            });
        }
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            match (name, value) {
                (_, "") => return Err(fault(format!("`{name}` has no value"))),
                ("key", file) => address.key = Some(NatsKey::read(Path::new(file))?),
                ("ca", file) => {
                    std::fs::File::open(file).map_err(|error| {
                        JudgeError::new(format!("read the certificates {}", printable(file)), error)
                            .help("give the file `ca.crt` that `juror-nats init` wrote, or that of your authority")
                    })?;
                    address.authorities = Some(file.into());
                    address.is_private = true;
                }
                ("inbox", prefix) if is_subject(prefix) => prefix.clone_into(&mut address.inbox),
                ("lane", "live") => address.lane = Lane::Live,
                ("lane", "batch") => address.lane = Lane::Batch,
                _ => return Err(fault(format!("`{}` is not an option", printable(option)))),
            }
        }
        if address.inbox.is_empty() {
            address.inbox = match &address.key {
                Some(key) => format!("_INBOX.{}", key.user),
                None => "_INBOX".to_owned(),
            };
        }
        Ok(address)
    }

    /// The user's name in subjects.
    pub fn user(&self) -> &str {
        self.key.as_ref().map_or("-", |key| &key.user)
    }

    /// How many servers keep each message.
    pub fn copies(&self) -> usize {
        if self.hosts.len() >= COPIES { COPIES } else { 1 }
    }
}

/// Whether a name can be a subject: words with dots between them, and no wildcard.
fn is_subject(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-$".contains(c))
    };
    name.split('.').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let read = |typed: &str| {
            let address = NatsAddress::parse(typed).map_err(|error| error.reason);
            address.map(|address| {
                format!(
                    "{} {} {:?} {} {:?}",
                    address.hosts.join(" "),
                    address.is_private,
                    address.key,
                    address.inbox,
                    address.lane
                )
            })
        };
        let check = |typed: &str, expected: &str| {
            assert_eq!(read(typed).as_deref(), Ok(expected), "{typed}")
        };
        check("nats://a", "a:4222 false None _INBOX Live");
        check("tls://a:99/", "a:99 true None _INBOX Live");
        check("nats://a,b:1,[::1]:2?ca=/dev/null", "a:4222 b:1 [::1]:2 true None _INBOX Live");
        check("nats://a?inbox=_I.w1&lane=batch", "a:4222 false None _I.w1 Batch");
        let refused = |typed: &str, piece: &str| {
            let reason = read(typed).unwrap_err();
            assert!(reason.contains(piece), "{typed}: {reason}");
        };
        refused("nats://", "`` is not a host");
        refused("nats://a b", "`a b` is not a host");
        refused("nats://me:secret@a", "a name or password before `@`");
        refused("nats://a:x", "`x` is not a port");
        refused("nats://a?key=", "`key` has no value");
        refused("nats://a?ca=/nowhere/ca.crt", "No such file");
        refused("nats://a?inbox=a.>", "`inbox=a.>` is not an option");
        refused("nats://a?lane=fast", "`lane=fast` is not an option");
    }

    #[test]
    fn a_key_is_read_and_names_the_inbox() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let address = format!("nats://a?key={}", path.display());
        let refused = |piece: &str| {
            let error = NatsAddress::parse(&address).unwrap_err();
            assert!(error.reason.contains(piece), "{error}");
        };
        refused("No such file");
        std::fs::write(&path, "# nothing\n").unwrap();
        refused("no line that begins with SU");
        std::fs::write(&path, "SUAB\n").unwrap();
        refused("Bad seed length");
        let pair = nkeys::KeyPair::new_user();
        std::fs::write(&path, format!("# mine\n{}\n", pair.seed().unwrap())).unwrap();
        let read = NatsAddress::parse(&address).unwrap();
        assert_eq!(read.inbox, format!("_INBOX.{}", pair.public_key()));
        assert_eq!(read.user(), pair.public_key());
        let shown = format!("{read:?}");
        assert!(!shown.contains(&pair.seed().unwrap()), "{shown}");
    }

    #[test]
    fn three_servers_keep_three_copies() {
        let copies = |typed| NatsAddress::parse(typed).unwrap().copies();
        assert_eq!(["nats://a", "nats://a,b", "nats://a,b,c"].map(copies), [1, 1, 3]);
    }
}
