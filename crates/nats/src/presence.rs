//! What workers announce once a second: who they are, and what they have. Only workers that are alike work together.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::layout::WORKERS;
use crate::link::{Link, NoReply, OutgoingMessage, header, parse_time, sequence};
use juror_core::language::probe::Toolchain;
use juror_core::text::{hex, printable};
use juror_remote::frame::Peer;
use juror_remote::message::WorkerFacts;
use juror_remote::state::MachineTools;

/// A worker's announcement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    pub facts: WorkerFacts,
    /// The tools that juror knows, as found there.
    pub tools: MachineTools,
}

/// A worker that has announced itself.
#[derive(Clone, Debug)]
pub struct PresentWorker {
    /// Its class, equal for all workers that are alike.
    pub class: String,
    /// The public key of its user, or `-`.
    pub user: String,
    /// Its own name, which no other worker has.
    pub id: String,
    /// When the server got it, in seconds since the beginning of 1970.
    pub announced: Option<f64>,
    /// `None` if another version of juror wrote it.
    pub announcement: Option<Announcement>,
}

/// How many announcements are read at once.
const WORKERS_MAX: usize = 1000;

impl Announcement {
    /// The name of all workers that run programs alike: by the same rules, with the same isolation and measurement,
    /// with the same tools at the same paths.
    pub fn class(&self) -> String {
        let found = self.tools.iter().filter(|(_, answer)| answer.found.is_ok());
        let found: Vec<_> = found.collect();
        let named = (self.facts.isolation, &self.facts.mechanism, found);
        let mut hasher = Sha256::new();
        hasher.update(Peer::Worker.greeting());
        hasher.update(postcard::to_allocvec(&named).unwrap_or_default());
        hex(&hasher.finalize()[..8])
    }

    /// The announcement as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// The first difference of another worker that keeps both from working together.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (&self.facts, &other.facts);
        if ours.isolation != theirs.isolation {
            return Some(format!(
                "the isolation is {} there, {} here",
                theirs.isolation, ours.isolation
            ));
        }
        if ours.mechanism != theirs.mechanism {
            let (theirs, ours) = (printable(&theirs.mechanism), printable(&ours.mechanism));
            return Some(format!("runs are limited by {theirs} there, by {ours} here"));
        }
        let words = self.tools.keys().chain(other.tools.keys());
        words.into_iter().find_map(|word| {
            let [ours, theirs] = [self, other].map(|side| {
                side.tools
                    .get(word)
                    .and_then(|answer| Some((answer.found.as_ref().ok()?, answer.files)))
            });
            let describe = |tool: Option<(&Toolchain, _)>| match tool {
                Some((tool, _)) => {
                    let path = tool.program.display().to_string();
                    printable(&format!("{} at {path}", tool.version.trim()))
                }
                None => "missing".to_owned(),
            };
            let name = word.trim_matches(['{', '}']);
            let (there, here) = (describe(theirs), describe(ours));
            let text = || {
                if there == here {
                    return format!("{name} is {here}, but its files differ there");
                }
                format!("{name} is {there} there, {here} here")
            };
            (ours != theirs).then(text)
        })
    }
}

/// What a worker announces when it ends.
pub const GOODBYE: &[u8] = b"";

/// The subject of a worker's announcements. The server lets no other user publish under the name of its key.
pub fn subject(class: &str, user: &str, id: &str) -> String {
    format!("worker.{class}.{user}.{id}")
}

/// The worker that sent this announcement, if it is one.
pub fn read(subject: &str, bytes: &[u8]) -> Option<PresentWorker> {
    let (class, rest) = subject.strip_prefix("worker.")?.split_once('.')?;
    let (user, id) = rest.split_once('.')?;
    let is_name =
        |text: &str| text.len() == 16 && text.as_bytes().iter().all(u8::is_ascii_hexdigit);
    if !is_name(class) || !is_name(id) {
        return None;
    }
    let announcement = postcard::take_from_bytes::<Announcement>(bytes).ok();
    let announcement = announcement
        .filter(|(read, rest)| rest.is_empty() && read.facts.slots > 0 && read.class() == class);
    let bounded = |(mut read, _): (Announcement, _)| {
        read.facts.name = printable(&read.facts.name).chars().take(NAME_MAX).collect();
        read.facts.clamp_numbers();
        read
    };
    Some(PresentWorker {
        class: class.to_owned(),
        user: user.to_owned(),
        id: id.to_owned(),
        announced: None,
        announcement: announcement.map(bounded),
    })
}

/// The longest name of a machine, in characters.
const NAME_MAX: usize = 100;

/// Reads the announcements of all workers.
///
/// # Errors
/// If the server does not answer.
pub async fn present_workers(link: &Link) -> Result<Vec<PresentWorker>, NoReply> {
    let mut present = Vec::new();
    let mut next = 1;
    while present.len() < WORKERS_MAX {
        let body = json!({ "seq": next, "next_by_subj": "worker.>" }).to_string();
        let call = OutgoingMessage::new(format!("$JS.API.DIRECT.GET.{WORKERS}"), body);
        let message = link.request(&call).await?;
        let Some(sequence) = sequence(&message).filter(|sequence| *sequence >= next) else { break };
        next = sequence + 1;
        if message.payload == GOODBYE {
            continue;
        }
        let found = read(header(&message, "Nats-Subject").unwrap_or_default(), &message.payload);
        let announced = header(&message, "Nats-Time-Stamp").and_then(parse_time);
        present.extend(found.map(|worker| PresentWorker { announced, ..worker }));
    }
    let name = |worker: &PresentWorker| Some(worker.announcement.as_ref()?.facts.name.clone());
    present.sort_by(|a, b| (name(a), &a.id).cmp(&(name(b), &b.id)));
    // Workers announce themselves repeatedly: an announcement may have been read twice.
    present.dedup_by(|a, b| a.id == b.id);
    Ok(present)
}

#[cfg(test)]
mod tests {
    use juror_core::blob::Digest;
    use juror_remote::message::ToolAnswer;
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use juror_core::isolation::Isolation;
    use juror_core::language::probe::{Linking, Toolchain};

    fn announcement(slots: usize, isolation: Isolation, version: &str) -> Announcement {
        let facts = WorkerFacts {
            name: "a\u{1b}".to_owned(),
            boot: "a".to_owned(),
            isolation,
            shortfall: None,
            mechanism: "groups".to_owned(),
            slots,
            queue: 2,
            pace: Duration::from_millis(1),
            identity: None,
        };
        let python = Toolchain {
            program: PathBuf::from("/usr/bin/python3"),
            visible: Vec::new(),
            version: version.to_owned(),
            linking: Linking::default(),
            lld: None,
        };
        let tools =
            [("{lua}", MISSING), ("{python3}", ToolAnswer { found: Ok(python), files: None })];
        Announcement { facts, tools: tools.map(|(word, tool)| (word.to_owned(), tool)).into() }
    }

    const MISSING: ToolAnswer = ToolAnswer { found: Err(Vec::new()), files: None };

    #[test]
    fn a_class_is_what_must_be_equal() {
        let first = announcement(1, Isolation::Namespaces, "Python 3.1");
        let check = |other: &Announcement, expected: Option<&str>| {
            assert_eq!(first.difference(other).as_deref(), expected);
            assert_eq!(other.class() == first.class(), expected.is_none());
        };
        assert_eq!(first.class().len(), 16);
        check(&announcement(2, Isolation::Namespaces, "Python 3.1"), None);
        check(
            &announcement(1, Isolation::Plain, "Python 3.1"),
            Some("the isolation is plain, no isolation there, namespaces here"),
        );
        check(
            &announcement(1, Isolation::Namespaces, "Python 3.2"),
            Some(
                "python3 is Python 3.2 at /usr/bin/python3 there, Python 3.1 at /usr/bin/python3 here",
            ),
        );
        let mut poor = first.clone();
        poor.tools.insert("{python3}".to_owned(), MISSING);
        check(&poor, Some("python3 is missing there, Python 3.1 at /usr/bin/python3 here"));
        let mut other = first.clone();
        let python = other.tools.get_mut("{python3}").expect("a tool");
        python.files = Some(Digest([1; 32]));
        check(
            &other,
            Some("python3 is Python 3.1 at /usr/bin/python3, but its files differ there"),
        );
        let mut other = first.clone();
        other.facts.mechanism = "polls".to_owned();
        check(&other, Some("runs are limited by polls there, by groups here"));
    }

    #[test]
    fn announcements_are_read_and_others_are_not() {
        let sent = announcement(3, Isolation::Plain, "1");
        let (class, id) = (sent.class(), "0123456789abcdef");
        let present = read(&subject(&class, "-", id), &sent.bytes()).unwrap();
        let facts = present.announcement.unwrap().facts;
        assert_eq!((present.id.as_str(), present.user.as_str(), facts.slots), (id, "-", 3));
        assert_eq!(facts.name, "a\\x1b");
        let unreadable = |class: &str, bytes: &[u8]| {
            let present = read(&subject(class, "-", id), bytes).unwrap();
            assert!(present.announcement.is_none(), "{class}");
        };
        unreadable("0000000000000000", &sent.bytes());
        unreadable(&class, &[sent.bytes(), vec![0]].concat());
        unreadable(&class, &announcement(0, Isolation::Plain, "1").bytes());
        assert!(read(&subject(&class, "-", "x"), &sent.bytes()).is_none());
        assert!(read("other", &sent.bytes()).is_none());
    }
}
