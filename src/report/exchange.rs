//! What two programs said to each other, as a part of the JSON document.

use serde::Serialize;

use crate::model::joint::{self, Said, Side, Transcript};
use crate::report::json::difference::WireText;

/// A transcript: its beginning, how much was left out, its end.
#[derive(Serialize)]
pub(super) struct WireTranscript {
    first: Vec<WireLine>,
    left_out_bytes: u64,
    last: Vec<WireLine>,
}

#[derive(Serialize)]
struct WireLine {
    at_seconds: f64,
    by: &'static str,
    line: WireText,
    whole: bool,
}

impl From<&Transcript> for WireTranscript {
    fn from(transcript: &Transcript) -> Self {
        Self {
            first: wire(&transcript.first),
            left_out_bytes: transcript.left_out.0,
            last: wire(&transcript.last),
        }
    }
}

fn wire(pieces: &[Said]) -> Vec<WireLine> {
    let line = |line: joint::Line| WireLine {
        at_seconds: line.at.as_secs_f64(),
        by: match line.by {
            Side::Program => "submission",
            Side::Partner => "output_validator",
        },
        line: WireText::new(&line.text),
        whole: line.is_whole,
    };
    joint::lines(pieces).into_iter().map(line).collect()
}
