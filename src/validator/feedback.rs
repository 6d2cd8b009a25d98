//! The files that an output validator leaves in its feedback directory.
//!
//! Source: problem package format 2025-09, "Reporting additional feedback".

use std::io;

use crate::model::blob::Blob;
use crate::model::job::Collected;
use crate::model::judgement::Picture;
use crate::model::units::Bytes;

pub(crate) const FILES: [&str; 13] = [
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

pub(crate) const JUDGE_MESSAGE: &str = "judgemessage.txt";
const TEAM_MESSAGE: &str = "teammessage.txt";
pub const SCORE: &str = "score.txt";
/// A fraction of the maximal score.
pub const SCORE_MULTIPLIER: &str = "score_multiplier.txt";
pub const NEXT_PASS: &str = "nextpass.in";

/// In bytes. Longer messages are cut.
const MESSAGE: u64 = 64 << 10;
/// In bytes. Longer files are no scores.
const NUMBER: u64 = 4 << 10;

pub const OUTPUT: &str = "output";

#[derive(Debug, Default)]
pub struct Feedback {
    /// Cut to 64 KiB.
    pub judge_message: Vec<u8>,
    /// Cut to 64 KiB.
    pub team_message: Vec<u8>,
    pub score: Option<Vec<u8>>,
    pub score_multiplier: Option<Vec<u8>>,
    pub next_pass: Option<Blob>,
    pub images: Vec<Picture>,
    /// Complaints about entries with special names: `score.txt is a directory, not a file`.
    pub unreadable: Vec<String>,
}

impl Feedback {
    /// `collected` is in the order of [`FEEDBACK_FILES`].
    ///
    /// # Errors
    /// If a collected file cannot be read.
    pub(crate) fn of(collected: Vec<Collected>) -> io::Result<Self> {
        let mut feedback = Self::default();
        for (name, found) in FILES.into_iter().zip(collected) {
            match found {
                Collected::Missing => {}
                Collected::NotAFile(what) => {
                    feedback.unreadable.push(format!("{name} is {what}, not a file"));
                }
                Collected::File(blob)
                    if [SCORE, SCORE_MULTIPLIER].contains(&name) && blob.len()? > NUMBER =>
                {
                    feedback.unreadable.push(format!("{name} is longer than {}", Bytes(NUMBER)));
                }
                Collected::File(blob) => feedback.take(name, blob)?,
            }
        }
        Ok(feedback)
    }

    fn take(&mut self, name: &'static str, blob: Blob) -> io::Result<()> {
        match name {
            JUDGE_MESSAGE => self.judge_message = blob.start(MESSAGE)?,
            TEAM_MESSAGE => self.team_message = blob.start(MESSAGE)?,
            SCORE => self.score = Some(blob.start(NUMBER)?),
            SCORE_MULTIPLIER => self.score_multiplier = Some(blob.start(NUMBER)?),
            NEXT_PASS => self.next_pass = Some(blob),
            image => self.images.push(Picture { of: OUTPUT.into(), name: image.to_owned(), blob }),
        }
        Ok(())
    }
}
