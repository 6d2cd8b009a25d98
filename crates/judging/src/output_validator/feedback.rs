//! The files that an output validator leaves in its feedback directory.
//!
//! Source: problem package format 2025-09, "Reporting additional feedback".

use std::io;

use juror_core::blob::Blob;
use juror_core::job::CollectedEntry;
use juror_core::judgement::ShownImage;
use juror_core::units::Bytes;

pub(crate) const JUDGE_MESSAGE: &str = "judgemessage.txt";
const TEAM_MESSAGE: &str = "teammessage.txt";
pub const SCORE: &str = "score.txt";
/// A fraction of the maximal score.
pub const SCORE_MULTIPLIER: &str = "score_multiplier.txt";
pub const NEXT_PASS: &str = "nextpass.in";

pub(crate) const FEEDBACK_FILES: [&str; 13] = [
    JUDGE_MESSAGE,
    TEAM_MESSAGE,
    SCORE,
    SCORE_MULTIPLIER,
    NEXT_PASS,
    "judgeimage.png",
    "judgeimage.jpg",
    "judgeimage.jpeg",
    "judgeimage.svg",
    "teamimage.png",
    "teamimage.jpg",
    "teamimage.jpeg",
    "teamimage.svg",
];

/// In bytes. Longer messages are cut.
const MESSAGE_MAX: u64 = 64 << 10;
/// In bytes. Longer files are no scores.
const SCORE_FILE_MAX: u64 = 4 << 10;

pub const IMAGES_OF_OUTPUT: &str = "output";

#[derive(Debug, Default)]
pub struct Feedback {
    /// Cut to 64 KiB.
    pub judge_message: Vec<u8>,
    /// Cut to 64 KiB.
    pub team_message: Vec<u8>,
    pub score: Option<Vec<u8>>,
    pub score_multiplier: Option<Vec<u8>>,
    pub next_pass: Option<Blob>,
    pub images: Vec<ShownImage>,
    /// Complaints about entries with special names: `score.txt is a directory, not a file`.
    pub unreadable: Vec<String>,
}

impl Feedback {
    /// `collected` is in the order of [`FEEDBACK_FILES`].
    ///
    /// # Errors
    /// If a collected file cannot be read.
    pub(crate) fn from_collected(collected: Vec<CollectedEntry>) -> io::Result<Self> {
        let mut feedback = Self::default();
        for (name, found) in FEEDBACK_FILES.into_iter().zip(collected) {
            let complaint = match found {
                CollectedEntry::Missing => continue,
                CollectedEntry::NotAFile(what) => format!("{name} is {what}, not a file"),
                CollectedEntry::File(blob) => {
                    let is_score = [SCORE, SCORE_MULTIPLIER].contains(&name);
                    if !is_score || blob.len()? <= SCORE_FILE_MAX {
                        feedback.store(name, blob)?;
                        continue;
                    }
                    format!("{name} is longer than {}", Bytes(SCORE_FILE_MAX))
                }
            };
            feedback.unreadable.push(complaint);
        }
        Ok(feedback)
    }

    fn store(&mut self, name: &'static str, blob: Blob) -> io::Result<()> {
        match name {
            JUDGE_MESSAGE => self.judge_message = blob.prefix(MESSAGE_MAX)?,
            TEAM_MESSAGE => self.team_message = blob.prefix(MESSAGE_MAX)?,
            SCORE => self.score = Some(blob.prefix(SCORE_FILE_MAX)?),
            SCORE_MULTIPLIER => self.score_multiplier = Some(blob.prefix(SCORE_FILE_MAX)?),
            NEXT_PASS => self.next_pass = Some(blob),
            image => self.images.push(ShownImage {
                of: IMAGES_OF_OUTPUT.into(),
                name: image.to_owned(),
                blob,
            }),
        }
        Ok(())
    }
}
