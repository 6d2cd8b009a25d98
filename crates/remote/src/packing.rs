//! How blobs of jobs and replies travel: small ones follow their message, others travel in pieces and are named by
//! digest.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use crate::frame::ProtocolError;
use juror_core::blob::Blob;
use juror_core::job::{Job, VisibleContent, VisiblePath};
use juror_core::judgement::JudgeError;
use juror_core::tree::TreeEntry;
use juror_core::work::Work;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum BlobRoute {
    /// After the message: this many bytes.
    AfterMessage(u32),
    /// Not sent: the worker may have it, and requests it if it does not.
    OnRequest,
    /// In pieces before the message. Its stream has the number of its job in the high bits, and this in the low ones.
    BeforeMessage(u64),
}

/// In bytes: blobs up to this size follow the message.
pub(super) const SMALL_BLOB: u64 = 8 << 10;

/// In bytes, of all blobs that follow one message.
const ATTACHED_BYTES_MAX: u64 = 256 << 10;

/// Also returns the bytes after the message. Computes the digests of the other blobs.
///
/// # Errors
/// If a blob cannot be read.
pub(super) fn pack(work: &Work) -> Result<(Vec<BlobRoute>, Vec<u8>), JudgeError> {
    let mut behind = Vec::new();
    let blobs = work.jobs().into_iter().flat_map(Job::blobs);
    let ways = blobs.map(|blob| match attach_blob(blob, SMALL_BLOB, &mut behind)? {
        Some(way) => Ok(way),
        None => {
            blob.digest().map(|_| BlobRoute::OnRequest).map_err(|error| read_fault(blob, &error))
        }
    });
    let ways = ways.collect::<Result<_, _>>()?;
    Ok((ways, behind))
}

pub(super) fn attach_blob(
    blob: &Blob,
    small: u64,
    behind: &mut Vec<u8>,
) -> Result<Option<BlobRoute>, JudgeError> {
    let length = blob.len().map_err(|error| read_fault(blob, &error))?;
    if length > small || behind.len() as u64 + length > ATTACHED_BYTES_MAX {
        return Ok(None);
    }
    match blob.bytes() {
        Some(bytes) => behind.extend(bytes),
        None => {
            let bytes = blob.prefix(length + 1).map_err(|error| read_fault(blob, &error))?;
            if bytes.len() as u64 != length {
                return Err(read_fault(blob, &"it changed while it was read"));
            }
            behind.extend(bytes);
        }
    }
    Ok(Some(BlobRoute::AfterMessage(length as u32)))
}

pub(super) fn read_fault(blob: &Blob, error: &dyn std::fmt::Display) -> JudgeError {
    JudgeError::new(format!("send {blob} to another machine"), error)
}

/// Fills blobs from the bytes after their message. Returns the others, with their routes.
pub(super) fn unpack<'p>(
    blobs: Vec<&'p mut Blob>,
    ways: &[BlobRoute],
    mut behind: &[u8],
) -> Result<Vec<(&'p mut Blob, BlobRoute)>, ProtocolError> {
    let wrong = || ProtocolError::new("its contents do not match their digest");
    if blobs.len() != ways.len() {
        return Err(wrong());
    }
    let mut others = Vec::new();
    for (blob, way) in blobs.into_iter().zip(ways) {
        match way {
            BlobRoute::AfterMessage(length) => {
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

/// All file names of a job stay within their directory.
pub(super) fn job_stays_inside(job: &Job) -> bool {
    let is_absolute = |path: &Path| {
        path.is_absolute()
            && path.components().all(|it| matches!(it, Component::RootDir | Component::Normal(_)))
    };
    let shown = |shown: &VisiblePath| {
        let entries = match &shown.what {
            VisibleContent::Tree(tree) => &tree.entries[..],
            VisibleContent::Installed { .. } => &[],
        };
        is_absolute(&shown.inside) && all_stay(entries)
    };
    let command = &job.command;
    command.argv.first().is_some_and(|program| is_absolute(Path::new(program)))
        && command.visible.iter().all(shown)
        && all_stay(&job.files)
        && job.collect.iter().all(|name| stays_inside(Path::new(name)))
}

pub(super) fn all_stay(entries: &[TreeEntry]) -> bool {
    entries.iter().all(|entry| stays_inside(&entry.name))
}

fn stays_inside(name: &Path) -> bool {
    let mut parts = name.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}
