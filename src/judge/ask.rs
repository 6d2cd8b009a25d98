//! Asks the package's own output validator about an output.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::executor::RunError;
use crate::executor::scratch;
use crate::judge::case::{Answered, Judged, Pass, Trial, box_dir, fault, make_parent};
use crate::judge::classify::Classified;
use crate::model::job::{BoxContent, BoxFile, Input};
use crate::model::judgement::{FaultyProgram, JudgeError};
use crate::model::text::visible;
use crate::model::verdict::Verdict;
use crate::validator::feedback::NEXT_PASS;
use crate::validator::response::{Contract, Opinion, Response};
use crate::validator::{OutputValidator, Question, feedback_dir};

impl Trial<'_> {
    /// Asks the validator, and takes its answer for the verdict.
    ///
    /// What is no answer is a fault of the judge: nobody knows then whether the output is right.
    pub(super) fn ask(
        &self,
        validator: &OutputValidator,
        pass: &Pass,
        output: Input,
    ) -> Result<Judged, RunError> {
        let test_case = self.case.test_case;
        let submission = self.entry.submission;
        let wanted = box_dir(
            self.rules,
            submission,
            &test_case.name,
            pass.number,
            ".validator",
        );
        make_parent(wanted.as_deref())?;
        // What one pass leaves behind is there for the next one.
        let between = match self.rules.passes {
            1 => None,
            _ => Some(scratch::directory("juror-passes-")?),
        };
        let own = between.as_ref().map(|dir| dir.path().join("box"));
        let left = wanted.clone().or(own);
        let contract = match self.rules.passes {
            1 => Contract::OnePass,
            most => Contract::MorePasses(most.saturating_sub(pass.number)),
        };
        let question = Question {
            test_case,
            input: &pass.input,
            answer: &self.case.answer()?,
            output,
            submission: Some(self.entry.runnable),
            earlier: &pass.earlier,
            keep: left.clone(),
        };
        let response = validator.ask(self.executor, question, contract)?;
        if let Opinion::Broken(what) = &response.opinion {
            let error = broken(validator, what, &test_case.name, &response);
            return Err(self.with_repeat(error, wanted).into());
        }
        let next = match (response.opinion == Opinion::Accepted, &left) {
            (true, Some(left)) if response.feedback.next_pass.is_some() => {
                Some(next_pass(pass.number + 1, left, between)?)
            }
            _ => None,
        };
        Ok(Judged {
            next,
            answered: Some(answered(&response, wanted)),
            ..Judged::from(classified(&response))
        })
    }

    fn with_repeat(&self, mut error: JudgeError, kept: Option<PathBuf>) -> JudgeError {
        if let Some(program) = &mut error.program {
            let name = &self.case.test_case.name;
            program.repeat = self.rules.repeat(self.entry.submission, name);
            program.kept = kept;
        }
        error
    }
}

/// The fault that a validator gave no answer.
fn broken(
    validator: &OutputValidator,
    what: &str,
    test_case: &str,
    response: &Response,
) -> JudgeError {
    let name = &validator.name;
    let mut error = JudgeError::new(
        format!("ask the output validator `{name}` about {test_case}"),
        what,
    )
    .help("mend the output validator: whatever a submission writes, it must accept or reject it");
    error.program = Some(Box::new(FaultyProgram {
        stderr: response.stderr.clone(),
        ..FaultyProgram::default()
    }));
    error
}

fn classified(response: &Response) -> Classified {
    let (verdict, cause) = match response.opinion {
        Opinion::Accepted => (Verdict::Accepted, "the output validator accepts it"),
        _ => (Verdict::WrongAnswer, "the output validator rejects it"),
    };
    let said = match verdict {
        Verdict::Accepted => String::new(),
        _ => first_line(&response.feedback.judge_message),
    };
    Classified {
        verdict,
        cause: format!("{cause}{said}"),
    }
}

/// The first line of a message behind a colon, cut where it is long; empty where there is none.
fn first_line(message: &[u8]) -> String {
    const LONGEST: usize = 200;
    let mut lines = message.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(line) = lines.find(|line| !line.is_empty()) else {
        return String::new();
    };
    let shown: String = visible(line).chars().take(LONGEST).collect();
    format!(": {shown}")
}

fn answered(response: &Response, kept: Option<PathBuf>) -> Answered {
    let feedback = &response.feedback;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answered {
        message: text(&feedback.judge_message),
        team_message: text(&feedback.team_message),
        stderr: response.stderr.clone(),
        images: feedback.images.iter().map(ToString::to_string).collect(),
        kept,
    }
}

/// The pass that a validator asks for: its input is what the validator made, and all else in the feedback
/// directory is there again.
///
/// Source: problem package format 2025-09, "Multi-pass validation".
fn next_pass(number: u32, left: &Path, dir: Option<TempDir>) -> Result<Pass, JudgeError> {
    let feedback = feedback_dir(left);
    let mut earlier = Vec::new();
    list(&feedback, Path::new(""), &mut earlier)
        .map_err(|error| fault("read what a pass left behind", error))?;
    earlier.retain(|file| file.name != Path::new(NEXT_PASS));
    Ok(Pass {
        number,
        input: BoxContent::Copy(feedback.join(NEXT_PASS)),
        earlier,
        _dir: dir,
    })
}

/// Everything below a directory, as it is to lie in a box.
fn list(root: &Path, below: &Path, files: &mut Vec<BoxFile>) -> std::io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = below.join(entry.file_name());
        let kind = entry.file_type()?;
        let content = if kind.is_dir() {
            let before = files.len();
            list(root, &name, files)?;
            match files.len() - before {
                0 => BoxContent::Directory,
                _ => continue,
            }
        } else if kind.is_symlink() {
            BoxContent::Link(fs::read_link(entry.path())?)
        } else {
            BoxContent::Copy(entry.path())
        };
        files.push(BoxFile { name, content });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_shows_the_first_line_of_the_message() {
        let check = |message: &[u8], shown: &str| assert_eq!(first_line(message), shown);
        check(b"", "");
        check(b"\n \n", "");
        check(b"move 3 loses 2\nthe rest\n", ": move 3 loses 2");
        check(b"\n\x1b[2J\r\n", ": \\x1b[2J");
        check(&[b'x'; 300], &format!(": {}", "x".repeat(200)));
    }

    #[test]
    fn all_that_a_pass_left_is_there_for_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        let feedback = feedback_dir(dir.path());
        fs::create_dir_all(feedback.join("deep/empty")).unwrap();
        for name in ["nextpass.in", "judgemessage.txt", "deep/state"] {
            fs::write(feedback.join(name), name).unwrap();
        }
        let pass = next_pass(2, dir.path(), None).unwrap();
        let mut names: Vec<&Path> = pass.earlier.iter().map(|it| it.name.as_path()).collect();
        names.sort();
        let expected = ["deep/empty", "deep/state", "judgemessage.txt"].map(Path::new);
        assert_eq!(names, expected);
        assert!(matches!(pass.input, BoxContent::Copy(path) if path.ends_with(NEXT_PASS)));
    }
}
