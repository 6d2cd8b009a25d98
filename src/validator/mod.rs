//! The package's own output validator: built once, run as a job, its answer and its feedback read.
//!
//! It is called as `validator INPUT ANSWER FEEDBACK_DIR/ [ARGUMENTS] < OUTPUT`, with everything in
//! its box: the files of the submission, as the format asks, and one directory beside them with input,
//! judge answer and feedback. These are copies, so nothing that it does to them reaches another run.
//!
//! A checker with testlib.h is called as `checker INPUT OUTPUT ANSWER REPORT`; an interactor is called the same way, with
//! OUTPUT as the file that it writes for the checker. A checker of CMS is called as `checker INPUT ANSWER OUTPUT`, one of
//! sinol as `chk INPUT OUTPUT ANSWER`. They all see nothing of the submission's files.
//!
//! Source: problem package format 2025-09, "Output validator", "Working directory", "Limits".

pub mod feedback;
mod printed;
pub mod response;
pub mod static_validator;
mod testlib;
pub mod visualizer;

use std::path::{Path, PathBuf};

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::executor::{Executor, parallel};
use crate::language::BOX;
use crate::model::blob::Blob;
use crate::model::job::{Collected, Command, Job, Keep, Reply};
use crate::model::judgement::{FaultKind, JudgeError};
use crate::model::limits::{Limits, ROOM};
use crate::model::program::Program;
use crate::model::protocol::Protocol;
use crate::model::stop::Stop;
use crate::model::test_data::TestCase;
use crate::model::tree::{Node, TreeEntry};
use crate::validator::feedback::{FILES, JUDGE_MESSAGE};
use crate::validator::response::{Contract, Response};

/// An output validator that can be run, as long as this lives.
pub struct OutputValidator {
    /// The file or directory by which it is referred to.
    pub name: String,
    /// Where it is in the package.
    pub path: PathBuf,
    /// What it is, such as `output validator`.
    what: &'static str,
    protocol: Protocol,
    /// Whether the submission's output is what it reads on standard input, and not a file.
    talks: bool,
    runnable: Runnable,
    limits: Limits,
}

/// What is put before an output validator.
pub struct Question<'a> {
    /// The test case.
    pub test_case: &'a TestCase,
    /// The arguments behind the files.
    pub args: &'a [String],
    /// What the submission read: the test case's input, or in a later pass what the pass before made.
    pub input: &'a Blob,
    /// The judge answer.
    pub answer: &'a Blob,
    /// What the submission wrote.
    pub output: Blob,
    /// The submission, whose files lie in the working directory.
    pub submission: Option<&'a Runnable>,
    /// What earlier passes left in the feedback directory, by names in it.
    pub earlier: &'a [TreeEntry],
    /// Whether its box is brought back.
    pub keep: Keep,
}

/// The directory in the box for all that is not the submission's.
const OWN: &str = "juror";
/// Its home directory, empty in each run.
const HOME: &str = "/tmp";
/// The feedback directory in that one.
const FEEDBACK: &str = "feedback";

/// The feedback directory in a box, or in a copy of it.
pub fn feedback_dir(of: &Path) -> PathBuf {
    of.join(OWN).join(FEEDBACK)
}

impl OutputValidator {
    /// Builds the package's own output validators; none if the format's default one decides.
    ///
    /// # Errors
    /// When it does not build, the judge failed, or the build was cut short.
    pub fn build(bench: &Bench<'_>, build_limits: &Limits) -> Result<Vec<Self>, Stop> {
        let protocol = bench.problem.output_protocol;
        parallel::map(bench.executor, &bench.problem.output_validators, |program| {
            Self::of(bench, "output validator", protocol, program, build_limits)
        })
    }

    /// Builds the package's interactor, if it has one.
    ///
    /// # Errors
    /// As [`OutputValidator::build`].
    pub fn interactor(bench: &Bench<'_>, build_limits: &Limits) -> Result<Option<Self>, Stop> {
        let program = bench.problem.interactor.as_ref();
        let build = |program| {
            let of = Self::of(bench, "interactor", Protocol::Testlib, program, build_limits)?;
            Ok(Self { talks: true, ..of })
        };
        program.map(build).transpose()
    }

    fn of(
        bench: &Bench<'_>,
        what: &'static str,
        protocol: Protocol,
        program: &Program,
        build_limits: &Limits,
    ) -> Result<Self, Stop> {
        let limits = Limits::of_output_validator(&bench.problem.limits);
        let runnable = bench.ready(&format!("the {what}"), program, build_limits, &limits)?;
        let limits = limits.with_processes(runnable.processes);
        let (name, path) = (program.name.clone(), program.path.clone());
        Ok(Self { name, path, what, protocol, talks: false, runnable, limits })
    }

    /// What it is, such as `output validator`.
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// How it is called.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// What it may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The run that answers a question. Its answer is read by [`OutputValidator::read`].
    pub fn job(&self, question: Question<'_>) -> Job {
        let test_case = question.test_case;
        let base = test_case.name.rsplit('/').next().unwrap_or_default();
        let own = Path::new(OWN);
        let feedback = feedback_dir(Path::new(""));
        let submission = question.submission.filter(|_| self.protocol == Protocol::Standard);
        let mut job = self.start(submission, question.keep);
        let mut lay = |extension: &str, blob: &Blob| {
            let name = own.join(format!("{base}.{extension}"));
            job.command.argv.push(inside(&name));
            job.put(TreeEntry::new(name, Node::plain(blob.clone())));
        };
        lay("in", question.input);
        match self.protocol {
            Protocol::Standard => {
                lay("ans", question.answer);
                job.command.argv.push(inside(&feedback) + "/");
                job.stdin = question.output;
            }
            Protocol::Testlib => {
                match self.talks {
                    false => lay("out", &question.output),
                    true => lay("out", &Blob::default()),
                }
                lay("ans", question.answer);
                if self.talks {
                    job.stdin = question.output;
                }
                job.command.argv.push(inside(&feedback.join(JUDGE_MESSAGE)));
                // What an interactor writes there is for the checker.
                let output = own.join(format!("{base}.out"));
                job.collect.push(output.to_string_lossy().into_owned());
            }
            Protocol::Cms => {
                lay("ans", question.answer);
                lay("out", &question.output);
            }
            Protocol::Sinol => {
                lay("out", &question.output);
                lay("ans", question.answer);
            }
        }
        job.command.argv.extend(question.args.iter().cloned());
        let earlier = question.earlier.iter();
        let earlier = earlier.map(|it| TreeEntry::new(feedback.join(&it.name), it.node.clone()));
        job.files.extend(earlier);
        job
    }

    /// A run without arguments, beside a submission if there is one.
    fn start(&self, submission: Option<&Runnable>, keep: Keep) -> Job {
        let mut job = self.runnable.job(&self.limits);
        // Not the box: a submission's files there do not configure the validator.
        job.command.env.retain(|(name, _)| name != "HOME");
        job.command.env.push(("HOME".to_owned(), HOME.to_owned()));
        job.files = submission.map(|it| show(it, &mut job.command)).unwrap_or_default();
        job.files.push(TreeEntry::new(feedback_dir(Path::new("")), Node::Directory));
        job.box_size = job.box_size.saturating_add(ROOM);
        job.collect = feedback_files();
        job.keep = keep;
        job
    }

    /// Asks it, and reads its answer.
    ///
    /// # Errors
    /// When the judge failed or was interrupted; whatever the validator does is a response.
    pub fn ask(
        &self,
        executor: &dyn Executor,
        question: Question<'_>,
        contract: Contract,
    ) -> Result<Response, Stop> {
        let job = self.job(question);
        let reply = executor.run(&job).map_err(|error| self.own(error))?;
        Ok(self.read(reply, &self.limits, contract)?)
    }

    /// Reads the reply of a run that [`OutputValidator::job`] describes, under these limits.
    ///
    /// # Errors
    /// When what came back cannot be read.
    pub fn read(
        &self,
        reply: Reply,
        limits: &Limits,
        contract: Contract,
    ) -> Result<Response, JudgeError> {
        Response::of(reply, limits, self.protocol, contract)
    }

    /// What an interactor wrote for the checker; nothing if it wrote no file.
    pub fn written(&self, reply: &Reply) -> Blob {
        match reply.collected.last() {
            Some(Collected::File(blob)) => blob.clone(),
            _ => Blob::default(),
        }
    }

    /// The same fault, told apart from one in the run of a submission.
    pub fn own(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Fault(error) => Stop::Fault(JudgeError {
                step: format!("run the {} `{}`: {}", self.what, self.name, error.step),
                // Whether a submission can be started is not in question.
                kind: FaultKind::Other,
                ..error
            }),
            stop => stop,
        }
    }
}

/// A path in the box, as the validator sees it.
fn inside(path: &Path) -> String {
    Path::new(BOX).join(path).to_string_lossy().into_owned()
}

/// The files that are brought back, by their paths in the box.
fn feedback_files() -> Vec<String> {
    let feedback = feedback_dir(Path::new(""));
    let files = FILES.iter().map(|name| feedback.join(name));
    files.map(|path| path.to_string_lossy().into_owned()).collect()
}

/// The files of a submission, for the box of a validator that has this command.
fn show(submission: &Runnable, command: &mut Command) -> Vec<TreeEntry> {
    let shown = submission.beside();
    command.visible.extend(shown.visible);
    let mut files = shown.files;
    files.retain(|file| is_harmless(&file.name));
    files
}

/// Whether a file of a submission may lie beside a validator that runs: not in the way of what is there, and
/// not one of the hidden files in which run-time systems look for instructions.
fn is_harmless(name: &Path) -> bool {
    let is_hidden = name.as_os_str().as_encoded_bytes().starts_with(b".");
    name != Path::new(OWN) && !is_hidden
}

/// The judge answer of a test case, to be laid into a box.
///
/// # Errors
/// When it has none.
pub fn answer_of(test_case: &TestCase) -> Result<Blob, JudgeError> {
    test_case.answer.as_ref().map(Blob::file).ok_or_else(|| {
        let reason = format!("{} has none", test_case.name);
        JudgeError::new("open the judge answer", reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submission_lays_no_instructions_beside_a_validator() {
        let check = |name: &str, expected: bool| {
            assert_eq!(is_harmless(Path::new(name)), expected, "{name}");
        };
        check("main.py", true);
        check("jurors", true);
        check("juror", false);
        check(".local", false);
        check(".hotspotrc", false);
    }
}
