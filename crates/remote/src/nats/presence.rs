//! What workers announce once a second: who they are, and what they have.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::frame::Peer;
use crate::group::MachineTools;
use crate::message::WorkerFacts;
use crate::nats::layout::WORKERS;
use crate::nats::link::{NatsLink, NoReply, OutgoingMessage, header, status};
use juror_core::language::tool::TOOLS;
use juror_core::language::toolchain::{FailedCandidate, Toolchain};
use juror_core::text::{hex, printable};

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
    /// Its class, equal for all workers of its kind.
    pub class: String,
    /// Its own name, which no other worker has.
    pub id: String,
    pub said: Announcement,
}

/// The longest name of a machine.
const LONGEST_NAME: usize = 100;

/// How many announcements are read at once.
const MOST: usize = 1000;

impl Announcement {
    /// Finds all tools that juror knows.
    pub fn new(
        facts: WorkerFacts,
        find: impl Fn(&str) -> Result<Toolchain, Vec<FailedCandidate>>,
    ) -> Self {
        let tools =
            TOOLS.iter().map(|tool| (tool.placeholder(), find(&tool.placeholder()))).collect();
        Self { facts, tools }
    }

    /// The name of all workers that run programs alike: by the same rules, with the same isolation, with the same
    /// tools at the same paths.
    pub fn class(&self) -> String {
        let found = self.tools.iter().filter_map(|(word, tool)| Some((word, tool.as_ref().ok()?)));
        let found: Vec<_> = found.collect();
        let named = postcard::to_allocvec(&(self.facts.isolation, found)).unwrap_or_default();
        let mut hasher = Sha256::new();
        hasher.update(Peer::Worker.greeting());
        hasher.update(named);
        hex(&hasher.finalize()[..8])
    }

    /// The announcement as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }
}

/// What a worker announces when it ends.
pub const GOODBYE: &[u8] = b"";

/// Whether a worker announces its end.
pub fn is_goodbye(bytes: &[u8]) -> bool {
    bytes == GOODBYE
}

/// The subject of a worker's announcements. The server lets no other user publish under the name of its key.
pub fn subject(class: &str, user: &str, id: &str) -> String {
    format!("worker.{class}.{user}.{id}")
}

/// Class and name of the worker in a subject.
pub fn of_subject(subject: &str) -> Option<(&str, &str)> {
    let (class, rest) = subject.strip_prefix("worker.")?.split_once('.')?;
    let (_, id) = rest.split_once('.')?;
    let is_name = |text: &str| text.len() == 16 && text.bytes().all(|it| it.is_ascii_hexdigit());
    (is_name(class) && is_name(id)).then_some((class, id))
}

/// The worker that sent this announcement, if usable. Another version of juror computes a different class.
pub fn read(subject: &str, bytes: &[u8]) -> Option<PresentWorker> {
    let (class, id) = of_subject(subject)?;
    let (mut said, rest): (Announcement, _) = postcard::take_from_bytes(bytes).ok()?;
    let facts = &mut said.facts;
    facts.name = printable(&facts.name).to_string().chars().take(LONGEST_NAME).collect();
    facts.clamp_numbers();
    let is_sound = rest.is_empty() && facts.slots > 0 && said.class() == class;
    is_sound.then(|| PresentWorker { class: class.to_owned(), id: id.to_owned(), said })
}

/// The workers that are there.
#[derive(Debug, Default)]
pub struct PresentWorkers {
    /// The usable workers, in the order of their names.
    pub present: Vec<PresentWorker>,
    /// How many workers are not usable, since their juror is another version.
    pub others: usize,
}

/// Reads the announcements of workers.
///
/// # Errors
/// If the server does not answer.
pub fn present_workers(link: &NatsLink) -> Result<PresentWorkers, NoReply> {
    let subject = format!("$JS.API.DIRECT.GET.{WORKERS}");
    let mut present_workers = PresentWorkers::default();
    let mut next = 1;
    loop {
        let body = json!({ "seq": next, "next_by_subj": "worker.>" }).to_string();
        let message = link.request(&OutgoingMessage::new(subject.clone(), body.as_bytes()))?;
        let sequence = header(&message, "Nats-Sequence").and_then(|text| text.parse::<u64>().ok());
        let Some(sequence) = sequence.filter(|it| status(&message).is_none() && *it >= next) else {
            break;
        };
        next = sequence + 1;
        if is_goodbye(&message.payload) {
            continue;
        }
        match read(header(&message, "Nats-Subject").unwrap_or_default(), &message.payload) {
            Some(present) => present_workers.present.push(present),
            None => present_workers.others += 1,
        }
        if present_workers.present.len() + present_workers.others >= MOST {
            break;
        }
    }
    present_workers
        .present
        .sort_by(|a, b| (&a.said.facts.name, &a.id).cmp(&(&b.said.facts.name, &b.id)));
    // Workers announce themselves repeatedly: an announcement may have been read twice.
    present_workers.present.dedup_by(|a, b| a.id == b.id);
    Ok(present_workers)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::tests::facts;
    use juror_core::isolation::Isolation;
    use juror_core::language::toolchain::Linking;

    fn announced(slots: usize, isolation: Isolation, version: &str) -> Announcement {
        let facts = WorkerFacts { isolation, ..facts("a\u{1b}", slots) };
        Announcement::new(facts, |word| match word {
            "{python3}" => Ok(Toolchain {
                program: PathBuf::from("/usr/bin/python3"),
                visible: Vec::new(),
                version: version.to_owned(),
                linking: Linking::default(),
                has_lld: false,
            }),
            _ => Err(Vec::new()),
        })
    }

    #[test]
    fn a_class_is_what_must_be_equal() {
        let class = |slots, isolation, version| announced(slots, isolation, version).class();
        let first = class(1, Isolation::Namespaces, "1");
        assert_eq!(first.len(), 16);
        assert_eq!(class(2, Isolation::Namespaces, "1"), first);
        assert_ne!(class(1, Isolation::Plain, "1"), first);
        let word = TOOLS.iter().find(|tool| tool.name() == "python3").unwrap().placeholder();
        assert_eq!(word, "{python3}", "the test needs it");
        assert_ne!(class(1, Isolation::Namespaces, "2"), first);
    }

    #[test]
    fn announcements_are_read_and_others_are_not() {
        let said = announced(3, Isolation::Plain, "1");
        let (class, id) = (said.class(), "0123456789abcdef");
        let present = read(&subject(&class, "-", id), &said.bytes()).unwrap();
        assert_eq!((present.id.as_str(), present.said.facts.slots), (id, 3));
        assert_eq!(present.said.facts.name, "a\\x1b");
        let none =
            |subject: &str, bytes: &[u8]| assert!(read(subject, bytes).is_none(), "{subject}");
        none(&subject("0000000000000000", "-", id), &said.bytes());
        none(&subject(&class, "-", "x"), &said.bytes());
        none(&subject(&class, "-", id), b"");
        none(&subject(&class, "-", id), &[said.bytes(), vec![0]].concat());
        none(&subject(&class, "-", id), &announced(0, Isolation::Plain, "1").bytes());
        none("other", &said.bytes());
    }
}
