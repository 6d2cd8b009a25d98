//! The package's own output validator: built once, then run as a job; its opinion and feedback are read.
//!
//! It is called as `validator INPUT ANSWER FEEDBACK_DIR/ [ARGUMENTS] < OUTPUT`. Its box has the files of the
//! submission, as the format demands, and one directory with input, judge answer and feedback. These are copies, so
//! that its changes do not reach other runs.
//!
//! A checker with testlib.h is called as `checker INPUT OUTPUT ANSWER REPORT`; an interactor is called the same way,
//! and writes OUTPUT for the checker. A checker of CMS or open-r1 is called as `checker INPUT ANSWER OUTPUT`, one of
//! sinol as `chk INPUT OUTPUT ANSWER`, and so is a plain one. None of them sees the submission's files. If nothing says how a
//! program of the command line is called, trials do.
//!
//! Source: problem package format 2025-09, "Output validator", "Working directory", "Limits".

pub mod feedback;
mod printed;
mod protocol_trial;
mod reply;
pub mod response;
pub mod static_validator;
mod testlib;
pub mod trial;
pub mod visualizer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::build::Runnable;
use crate::build::batch::{BatchCall, BatchMode, run_calls};
use crate::build::bench::Bench;
use crate::output_validator::feedback::{FEEDBACK_FILES, JUDGE_MESSAGE};
use crate::output_validator::response::{Contract, Opinion, Response};
use juror_core::blob::{Blob, Digest};
use juror_core::event::{Event, Note};
use juror_core::job::{BoxRetention, CollectedEntry, Job, JobReply};
use juror_core::judgement::{FaultKind, JudgeError};
use juror_core::language::BOX;
use juror_core::limits::{BOX_ROOM, Limits};
use juror_core::program::Program;
use juror_core::protocol::Protocol;
use juror_core::recent::RecentValues;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_core::tree::{Node, Tree, TreeEntry};
use juror_sandbox::executor::{Executor, parallel};

#[derive(Clone)]
pub struct OutputValidator {
    /// For messages.
    pub name: String,
    pub path: FilePath,
    /// Such as `output validator`.
    pub kind: &'static str,
    /// Empty until trials find it.
    protocol: OnceLock<Protocol>,
    /// Whether the command line names it.
    is_given: bool,
    is_interactor: bool,
    runnable: Runnable,
    pub limits: Limits,
    /// Whether it accepts judge answers as outputs, by the digests of input and answer; `None` if it breaks down.
    on_answers: Arc<RecentValues<[Digest; 2], Option<bool>>>,
}

pub struct ValidationRequest<'a> {
    pub test_case: &'a TestCase,
    pub args: &'a [String],
    /// The input of the submission: the test case's input, or in a later pass the input that the previous pass made.
    pub input: &'a Blob,
    pub answer: &'a Blob,
    pub output: Blob,
    /// Its files are put into the working directory.
    pub submission: Option<&'a Runnable>,
    /// Files of earlier passes in the feedback directory, by their names in it.
    pub earlier: &'a [TreeEntry],
    pub keep: BoxRetention,
}

const REMEMBERED_ANSWERS: usize = 256;

/// A test case for trials.
pub struct TrialCase<'a> {
    /// For messages.
    pub name: &'a str,
    pub test_case: &'a TestCase,
    pub input: Blob,
    pub answer: Blob,
}

impl<'a> TrialCase<'a> {
    /// # Errors
    /// If it has no judge answer.
    pub fn of_files(test_case: &'a TestCase) -> Result<Self, JudgeError> {
        let (input, answer) = (Blob::file(&test_case.input), judge_answer(test_case)?);
        Ok(Self { name: &test_case.name, test_case, input, answer })
    }

    pub(crate) fn request(&self, output: Blob) -> ValidationRequest<'_> {
        ValidationRequest {
            test_case: self.test_case,
            args: &self.test_case.output_validator_args,
            input: &self.input,
            answer: &self.answer,
            output,
            submission: None,
            earlier: &[],
            keep: BoxRetention::Nothing,
        }
    }
}

/// In the box. It has all files that are not the submission's.
const OWN_DIR: &str = "juror";
/// Empty in each run.
const HOME_DIR: &str = "/tmp";
const FEEDBACK_DIR: &str = "feedback";

/// The next pass finds all files of the feedback directory except its input.
///
/// Source: problem package format 2025-09, "Multi-pass validation".
pub fn files_for_next_pass(tree: &Tree) -> Vec<TreeEntry> {
    let mut files = tree.entries_below(&feedback_dir(Path::new("")));
    files.retain(|file| file.name != Path::new(feedback::NEXT_PASS));
    files
}

/// `of` is a box or a copy of one.
pub fn feedback_dir(of: &Path) -> PathBuf {
    of.join(OWN_DIR).join(FEEDBACK_DIR)
}

impl OutputValidator {
    /// Returns none if the format's default one decides.
    ///
    /// # Errors
    /// If one does not build, the judge failed, or the build was cut short.
    pub fn build(bench: &Bench<'_>) -> Result<Vec<Self>, Stop> {
        let usual = bench.problem.output_protocol;
        parallel::map(bench.executor, &bench.problem.output_validators, |program| {
            let what = if program.is_given { "checker" } else { "output validator" };
            Self::build_program(bench, what, usual, program)
        })
    }

    /// # Errors
    /// As [`OutputValidator::build`].
    pub fn build_interactor(bench: &Bench<'_>) -> Result<Option<Self>, Stop> {
        let program = bench.problem.interactor.as_ref();
        let build = |program: &Program| {
            let of = Self::build_program(bench, "interactor", Protocol::Testlib, program)?;
            Ok(Self { is_interactor: true, ..of })
        };
        program.map(build).transpose()
    }

    /// `usual` is the protocol of the package's programs.
    fn build_program(
        bench: &Bench<'_>,
        what: &'static str,
        usual: Protocol,
        program: &Program,
    ) -> Result<Self, Stop> {
        let build_limits = Limits::of_compiler(&bench.problem.limits);
        let limits = Limits::of_output_validator(&bench.problem.limits);
        let runnable =
            bench.build_package_program(&format!("the {what}"), program, &build_limits, &limits)?;
        let limits = runnable.limits(&limits);
        let known = program.protocol.or((!program.is_given).then_some(usual));
        Ok(Self {
            name: program.name.clone(),
            path: program.path.clone(),
            kind: what,
            protocol: known.map(OnceLock::from).unwrap_or_default(),
            is_given: program.is_given,
            is_interactor: false,
            runnable,
            limits,
            on_answers: Arc::new(RecentValues::new(REMEMBERED_ANSWERS)),
        })
    }

    pub fn has_protocol(&self) -> bool {
        self.protocol.get().is_some()
    }

    /// Whether it accepts this judge answer as an output; `None` if it breaks down. `ask` does, unless it is known.
    pub fn accepts_answer(
        &self,
        input: &Blob,
        answer: &Blob,
        ask: impl FnOnce() -> Result<Response, Stop>,
    ) -> Result<Option<bool>, Stop> {
        let digest = |blob: &Blob| {
            blob.digest().map_err(|error| JudgeError::new("read a judge answer", error))
        };
        self.on_answers.get([digest(input)?, digest(answer)?], || {
            let response = ask()?;
            Ok(match response.opinion {
                Opinion::Broken(_) => None,
                _ => Some(response.has_worth()),
            })
        })
    }

    /// That of the format if nothing could be tried: then nothing has an answer.
    pub fn protocol(&self) -> Protocol {
        self.protocol.get().copied().unwrap_or_default()
    }

    /// Says how a program of the command line is called.
    pub fn announce_call(&self, bench: &Bench<'_>) {
        if self.is_given {
            let protocol = self.protocol();
            let call = format!("{}: {} ({protocol})", self.name, protocol.usage());
            (bench.events)(Event::Noted(Note::Call { kind: self.kind.to_owned(), call }));
        }
    }

    /// Its response to an output that no submission wrote.
    pub fn respond(
        &self,
        executor: &dyn Executor,
        case: &TrialCase<'_>,
        output: Blob,
        submission: Option<&Runnable>,
        contract: Contract,
    ) -> Result<Response, Stop> {
        self.run(executor, ValidationRequest { submission, ..case.request(output) }, contract)
    }

    /// [`OutputValidator::read_response`] reads the reply.
    pub fn job(&self, request: ValidationRequest<'_>) -> Job {
        let submission = request.submission.filter(|_| self.protocol() == Protocol::Standard);
        let mut job = self.base_job(submission, request.keep.clone());
        let earlier = request.earlier.iter();
        let feedback = feedback_dir(Path::new(""));
        let of_earlier =
            |entry: &TreeEntry| TreeEntry::new(feedback.join(&entry.name), entry.node.clone());
        let earlier: Vec<TreeEntry> = earlier.map(of_earlier).collect();
        let (words, stdin) = self.lay_call(&mut job, Path::new(OWN_DIR), request);
        job.command.argv.extend(words);
        job.stdin = stdin;
        job.files.extend(earlier);
        job
    }

    /// Lays the files of a call into a directory of the box. Returns the words of the call, and what it reads.
    fn lay_call(
        &self,
        job: &mut Job,
        own: &Path,
        request: ValidationRequest<'_>,
    ) -> (Vec<String>, Blob) {
        let ValidationRequest { test_case, args, input, answer, output, .. } = request;
        let base = test_case.name.rsplit('/').next().unwrap_or_default();
        let feedback = own.join(FEEDBACK_DIR);
        let (mut words, mut stdin) = (Vec::new(), Blob::default());
        let mut lay = |extension: &str, blob: Blob| {
            let name = own.join(format!("{base}.{extension}"));
            words.push(box_path(&name));
            job.add_entry(TreeEntry::new(name, Node::plain(blob)));
        };
        lay("in", input.clone());
        match self.protocol() {
            Protocol::Standard => {
                lay("ans", answer.clone());
                words.push(box_path(&feedback) + "/");
                stdin = output;
            }
            protocol @ (Protocol::Testlib | Protocol::Plain | Protocol::Dmoj) => {
                let output = if self.is_interactor {
                    stdin = output;
                    Blob::default()
                } else {
                    output
                };
                lay("out", output);
                lay("ans", answer.clone());
                if protocol == Protocol::Testlib {
                    words.push(box_path(&feedback.join(JUDGE_MESSAGE)));
                }
                // The file that an interactor writes for the checker.
                let output = own.join(format!("{base}.out"));
                job.collect.push(output.to_string_lossy().into_owned());
            }
            Protocol::Cms | Protocol::Files => {
                lay("ans", answer.clone());
                lay("out", output);
            }
            Protocol::OpenR1 => {
                lay("ans", without_empty_lines(answer));
                lay("out", without_empty_lines(&output));
            }
            Protocol::Sinol => {
                lay("out", output);
                lay("ans", answer.clone());
            }
        }
        words.extend(args.iter().cloned());
        (words, stdin)
    }

    /// Which of these outputs it accepts, with one start of the validator, which was built for batches. Of one that is
    /// not accepted here, nothing is known.
    pub fn accept_batch(
        &self,
        executor: &dyn Executor,
        (batched, mode): (&Runnable, BatchMode),
        outputs: &[(TrialCase<'_>, Blob)],
    ) -> Result<Vec<bool>, Stop> {
        let own = Self { runnable: batched.clone(), ..self.clone() };
        let mut job = own.base_job(None, BoxRetention::Nothing);
        let mut calls = Vec::new();
        for (index, (case, output)) in outputs.iter().enumerate() {
            let directory = Path::new(OWN_DIR).join(index.to_string());
            job.files.push(TreeEntry::new(directory.join(FEEDBACK_DIR), Node::Directory));
            let (words, stdin) = own.lay_call(&mut job, &directory, case.request(output.clone()));
            let stdin = stdin.read().map_err(|error| JudgeError::new("read an output", error))?;
            calls.push(BatchCall { words, stdin });
        }
        let accepts = self.protocol().accept_exit_code().try_into().unwrap_or_default();
        job.collect.clear();
        let printed = run_calls(executor, job, (mode, accepts), &calls);
        let printed = printed.map_err(|stop| self.as_validator_fault(stop))?;
        Ok(printed.iter().map(Option::is_some).collect())
    }

    /// The job has no arguments yet. It has the submission's files, if there is a submission.
    fn base_job(&self, submission: Option<&Runnable>, keep: BoxRetention) -> Job {
        let mut job = self.runnable.job(&self.limits);
        // The box is not the home directory, so that files of a submission cannot configure the validator.
        job.command.env.retain(|(name, _)| name != "HOME");
        job.command.env.push(("HOME".to_owned(), HOME_DIR.to_owned()));
        let mut own = std::mem::take(&mut job.files);
        // A command of the command line has its files in the box.
        own.retain(|file| self.is_given && is_harmless(&file.name));
        let files = submission.map(|submission| submission.show_files_to(&mut job.command));
        job.files = files.unwrap_or_default();
        job.files
            .retain(|file| is_harmless(&file.name) && own.iter().all(|own| own.name != file.name));
        job.files.extend(own);
        job.files.push(TreeEntry::new(feedback_dir(Path::new("")), Node::Directory));
        job.box_size = job.box_size.saturating_add(BOX_ROOM);
        job.collect = feedback_files();
        job.keep = keep;
        job
    }

    /// # Errors
    /// If the judge failed or was interrupted; anything that the validator does is a response.
    pub fn run(
        &self,
        executor: &dyn Executor,
        request: ValidationRequest<'_>,
        contract: Contract,
    ) -> Result<Response, Stop> {
        let job = self.job(request);
        let reply = executor.run_job(&job).map_err(|error| self.as_validator_fault(error))?;
        Ok(self.read_response(reply, &self.limits, contract)?)
    }

    /// Reads the reply to a job from [`OutputValidator::job`], under these limits.
    ///
    /// # Errors
    /// If the collected files cannot be read.
    pub fn read_response(
        &self,
        reply: JobReply,
        limits: &Limits,
        contract: Contract,
    ) -> Result<Response, JudgeError> {
        Response::from_reply(reply, limits, self.protocol(), contract)
    }

    /// An interactor writes this file for the checker; empty if it wrote none.
    pub fn interactor_output(&self, reply: &JobReply) -> Blob {
        match reply.collected.last() {
            Some(CollectedEntry::File(blob)) => blob.clone(),
            _ => Blob::default(),
        }
    }

    /// Marks a fault as one of the validator, not of the submission's run.
    pub fn as_validator_fault(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Fault(error) => Stop::Fault(JudgeError {
                step: format!("run the {} `{}`: {}", self.kind, self.name, error.step),
                // The fault does not mean that a submission cannot start.
                kind: FaultKind::Other,
                ..error
            }),
            stop => stop,
        }
    }
}

/// What checkers of open-r1 expect. What cannot be read stays as it is: the run reports that.
///
/// Source: `packages/codeforces/1.0.0/run` in `guipenedo/piston`.
fn without_empty_lines(text: &Blob) -> Blob {
    let Ok(bytes) = text.read() else { return text.clone() };
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| *line != b"\n" && *line != b"\r\n").collect::<Vec<_>>().concat().into()
}

fn box_path(path: &Path) -> String {
    Path::new(BOX).join(path).to_string_lossy().into_owned()
}

fn feedback_files() -> Vec<String> {
    let feedback = feedback_dir(Path::new(""));
    let files = FEEDBACK_FILES.iter().map(|name| feedback.join(name));
    files.map(|path| path.to_string_lossy().into_owned()).collect()
}

/// A harmless file does not replace another file and is not hidden: run-time systems look for settings in hidden
/// files.
fn is_harmless(name: &Path) -> bool {
    let is_hidden = name.as_os_str().as_encoded_bytes().starts_with(b".");
    name != Path::new(OWN_DIR) && !is_hidden
}

/// # Errors
/// If it has none.
pub fn judge_answer(test_case: &TestCase) -> Result<Blob, JudgeError> {
    test_case.answer.as_ref().map(Blob::file).ok_or_else(|| {
        let reason = format!("{} has none", test_case.name);
        JudgeError::new("open the judge answer", reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_pass_finds_the_files_of_the_last_one() {
        let entry = |name: &str, node| TreeEntry::new(feedback_dir(Path::new("")).join(name), node);
        let tree = Tree::from(vec![
            entry("deep/empty", Node::Directory),
            entry("nextpass.in", Node::plain(Blob::default())),
            entry("judgemessage.txt", Node::plain(Blob::default())),
            entry("deep/state", Node::plain(Blob::default())),
            TreeEntry::new("of-the-submission", Node::Directory),
        ]);
        let names: Vec<PathBuf> =
            files_for_next_pass(&tree).into_iter().map(|entry| entry.name).collect();
        let expected = ["deep/empty", "judgemessage.txt", "deep/state"].map(Path::new);
        assert_eq!(names, expected);
    }

    #[test]
    fn a_submission_cannot_configure_a_validator() {
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
