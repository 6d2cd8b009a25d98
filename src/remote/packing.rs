//! Jobs and replies on their way: small blobs follow their message, others travel in pieces and are named by digest.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use crate::model::blob::Blob;
use crate::model::job::{Job, Reply, Shown, What};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::model::tree::TreeEntry;
use crate::remote::frame::ProtocolError;

/// How a blob travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Way {
    /// After the message: this many bytes.
    Behind(u32),
    /// Not sent: the worker may have it, and asks if it does not.
    Asked,
    /// In pieces before the message: this many bytes.
    Before(u64),
}

/// A message that travels with blobs.
pub trait HasBlobs {
    /// All blobs that travel with it.
    fn blobs(&self) -> Vec<&Blob>;

    /// The same blobs in the same order, to be replaced. Blobs of a tree only if the tree is not shared.
    fn blobs_mut(&mut self) -> Vec<&mut Blob>;

    /// The trees and tools that it shows to programs.
    fn shown_mut(&mut self) -> Vec<&mut Shown> {
        Vec::new()
    }

    /// The jobs in it.
    fn jobs(&self) -> Vec<&Job> {
        Vec::new()
    }

    /// The files in the result.
    fn entries(&self) -> Vec<&TreeEntry> {
        Vec::new()
    }
}

/// Blobs up to this size follow the message.
pub(super) const SMALL: u64 = 8 << 10;

/// How many bytes of blobs follow one message at most.
const MOST_BEHIND: u64 = 256 << 10;

/// Decides how a job's blobs travel, and returns the bytes after the message. Computes the digests of the other blobs.
///
/// # Errors
/// If a blob cannot be read.
pub(super) fn pack(carrier: &impl HasBlobs) -> Result<(Vec<Way>, Vec<u8>), JudgeError> {
    let mut behind = Vec::new();
    let ways =
        carrier.blobs().into_iter().map(|blob| match put_behind(blob, SMALL, &mut behind)? {
            Some(way) => Ok(way),
            None => blob.digest().map(|_| Way::Asked).map_err(|error| unread(blob, &error)),
        });
    let ways = ways.collect::<Result<_, _>>()?;
    Ok((ways, behind))
}

/// Appends a blob to the bytes after a message, if it is small.
pub(super) fn put_behind(
    blob: &Blob,
    small: u64,
    behind: &mut Vec<u8>,
) -> Result<Option<Way>, JudgeError> {
    let length = blob.len().map_err(|error| unread(blob, &error))?;
    if length > small || behind.len() as u64 + length > MOST_BEHIND {
        return Ok(None);
    }
    match blob.bytes() {
        Some(bytes) => behind.extend(bytes),
        None => {
            let bytes = blob.start(length + 1).map_err(|error| unread(blob, &error))?;
            if bytes.len() as u64 != length {
                return Err(unread(blob, &"it changed while it was read"));
            }
            behind.extend(bytes);
        }
    }
    Ok(Some(Way::Behind(length as u32)))
}

pub(super) fn unread(blob: &Blob, error: &dyn std::fmt::Display) -> JudgeError {
    JudgeError::new(format!("send {blob} to another machine"), error)
}

/// Fills blobs from the bytes after their message. Returns the others, with their ways.
pub(super) fn unpack<'p>(
    carrier: &'p mut impl HasBlobs,
    ways: &[Way],
    mut behind: &[u8],
) -> Result<Vec<(&'p mut Blob, Way)>, ProtocolError> {
    let wrong = || ProtocolError::new("its contents do not match their digest");
    let blobs = carrier.blobs_mut();
    if blobs.len() != ways.len() {
        return Err(wrong());
    }
    let mut others = Vec::new();
    for (blob, way) in blobs.into_iter().zip(ways) {
        match way {
            Way::Behind(length) => {
                let (own, rest) = behind.split_at_checked(*length as usize).ok_or_else(wrong)?;
                if blob.len().ok() != Some(own.len() as u64) {
                    return Err(wrong());
                }
                *blob = own.to_vec().into();
                behind = rest;
            }
            way => others.push((blob, *way)),
        }
    }
    if behind.is_empty() { Ok(others) } else { Err(wrong()) }
}

/// Whether all file names stay within their directory.
pub(super) fn is_inside(carrier: &impl HasBlobs) -> bool {
    let is_absolute = |path: &Path| {
        path.is_absolute()
            && path.components().all(|it| matches!(it, Component::RootDir | Component::Normal(_)))
    };
    let job = |job: &Job| {
        let command = &job.command;
        let shown = |shown: &Shown| {
            let entries = match &shown.what {
                What::Tree(tree) => &tree.entries[..],
                What::Installed { .. } => &[],
            };
            is_absolute(&shown.inside) && entries.iter().all(|entry| stays(&entry.name))
        };
        command.argv.first().is_some_and(|program| is_absolute(Path::new(program)))
            && command.visible.iter().all(shown)
            && job.files.iter().all(|entry| stays(&entry.name))
            && job.collect.iter().all(|name| stays(Path::new(name)))
    };
    carrier.jobs().into_iter().all(job)
        && carrier.entries().into_iter().all(|entry| stays(&entry.name))
}

/// Whether a name stays within a directory.
fn stays(name: &Path) -> bool {
    let mut parts = name.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

impl HasBlobs for Job {
    fn blobs(&self) -> Vec<&Blob> {
        Self::blobs(self).collect()
    }

    fn blobs_mut(&mut self) -> Vec<&mut Blob> {
        let shown = self.command.visible.iter_mut();
        let trees = shown.filter_map(|shown| match &mut shown.what {
            What::Tree(tree) => std::sync::Arc::get_mut(tree).map(|tree| &mut tree.entries),
            What::Installed { .. } => None,
        });
        let entries = trees.chain([&mut self.files]).flatten();
        let blobs = entries.filter_map(TreeEntry::blob_mut);
        blobs.chain([&mut self.stdin]).collect()
    }

    fn shown_mut(&mut self) -> Vec<&mut Shown> {
        self.command.visible.iter_mut().collect()
    }

    fn jobs(&self) -> Vec<&Job> {
        vec![self]
    }
}

impl HasBlobs for Reply {
    fn blobs(&self) -> Vec<&Blob> {
        Self::blobs(self).collect()
    }

    fn blobs_mut(&mut self) -> Vec<&mut Blob> {
        Self::blobs_mut(self).collect()
    }

    fn entries(&self) -> Vec<&TreeEntry> {
        self.kept.iter().flat_map(|tree| &tree.entries).collect()
    }
}

impl HasBlobs for JointJob {
    fn blobs(&self) -> Vec<&Blob> {
        self.jobs().into_iter().flat_map(Job::blobs).collect()
    }

    fn blobs_mut(&mut self) -> Vec<&mut Blob> {
        let mut blobs = self.program.blobs_mut();
        blobs.extend(self.partner.blobs_mut());
        blobs
    }

    fn shown_mut(&mut self) -> Vec<&mut Shown> {
        let (program, partner) = (&mut self.program.command, &mut self.partner.command);
        program.visible.iter_mut().chain(&mut partner.visible).collect()
    }

    fn jobs(&self) -> Vec<&Job> {
        vec![&self.program, &self.partner]
    }
}

impl HasBlobs for JointReply {
    fn blobs(&self) -> Vec<&Blob> {
        self.program.reply.blobs().chain(self.partner.reply.blobs()).collect()
    }

    fn blobs_mut(&mut self) -> Vec<&mut Blob> {
        self.program.reply.blobs_mut().chain(self.partner.reply.blobs_mut()).collect()
    }

    fn entries(&self) -> Vec<&TreeEntry> {
        let parts = [&self.program.reply, &self.partner.reply];
        parts.into_iter().flat_map(HasBlobs::entries).collect()
    }
}
