//! What a checker or output validator writes: exit code and protocol, and between zero bytes standard output, standard
//! error and the files of the feedback directory.
#![no_main]

use juror_judging::judge::score::score_by_validator;
use juror_core::blob::Blob;
use juror_core::job::{CollectedEntry, JobReply};
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Outcome, quiet_outcome};
use juror_core::protocol::Protocol;
use juror_core::score::{CaseScoring, Score};
use juror_core::verdict::Verdict;
use juror_judging::output_validator::response::{Contract, Opinion, Response, Worth};
use libfuzzer_sys::fuzz_target;

/// The most that is kept of a message.
const LONGEST: usize = 64 << 10;

fuzz_target!(|data: &[u8]| {
    let [code, protocol, texts @ ..] = data else { return };
    let protocol = match protocol % 4 {
        0 => Protocol::Standard,
        1 => Protocol::Testlib,
        2 => Protocol::Cms,
        _ => Protocol::Sinol,
    };
    let mut texts = texts.split(|byte| *byte == 0).map(|text| Blob::from(text.to_vec()));
    let reply = JobReply {
        outcome: Outcome { ending: Ending::Exited((*code).into()), ..quiet_outcome() },
        stdout: texts.next().unwrap_or_default(),
        stderr: texts.next().unwrap_or_default(),
        collected: texts.map(CollectedEntry::File).collect(),
        kept: None,
    };
    let response =
        Response::from_reply(reply, &Limits::of_machine_check(), protocol, Contract::MorePasses(1));
    let Response { opinion, feedback, .. } = response.expect("all of it is in memory");
    assert!(feedback.judge_message.len() <= LONGEST && feedback.team_message.len() <= LONGEST);
    match opinion {
        Opinion::Accepted if protocol != Protocol::Sinol => {
            assert_eq!(i32::from(*code), protocol.accept_exit_code());
        }
        Opinion::Accepted => assert!(*code <= 1),
        Opinion::Rejected => {}
        Opinion::Partial(Worth::Points(score) | Worth::CorrectFraction(score)) => {
            is_possible(score)
        }
        Opinion::Partial(Worth::Fraction(score)) => assert!((0.0..1.0).contains(&score.points())),
        Opinion::Broken(what) => is_line(&what),
    }
    for scoring in [CaseScoring::UpTo(Score::ONE), CaseScoring::Unbounded] {
        match score_by_validator(scoring, Verdict::Accepted, &feedback) {
            Ok(None) => {}
            Ok(Some(found)) => {
                is_possible(found.score);
                let is_bounded = scoring == CaseScoring::UpTo(Score::ONE);
                assert!(!is_bounded || !found.score.exceeds(Score::ONE), "{found:?}");
            }
            Err(what) => is_line(&what),
        }
    }
});

fn is_possible(score: Score) {
    assert!(score.points() >= 0.0 && score.points().is_finite(), "{score:?}");
}

fn is_line(text: &str) {
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(text.len() <= 2000, "{text}");
}
