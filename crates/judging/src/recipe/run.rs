//! One run of a generator: its input and its output.

use crate::build::Runnable;
use crate::recipe::programs::{ProgramFailure, failed_ending, failure_reason};
use crate::recipe::seed::{seed_of, substitute_placeholders};
use juror_core::blob::Blob;
use juror_core::job::CollectedEntry;
use juror_core::limits::Limits;
use juror_core::placeholder::{ArgumentPiece, occurrences};
use juror_core::recipe::{CASE_EXTENSIONS, GeneratorCommand};
use juror_core::stop::Stop;
use juror_core::work::RunMode;
use juror_sandbox::executor::Executor;

/// A generator may write files under this name instead of printing its input.
const DEFAULT_STEM: &str = "testcase";

/// One of the files is `in`.
pub type GeneratorOutput = Result<Vec<GeneratedFile>, ProgramFailure>;

#[derive(Debug)]
pub struct GeneratedFile {
    pub extension: &'static str,
    pub contents: Blob,
}

/// Runs a generator for the case `name`. If it fails and has more tries, runs it again with the next seed.
pub fn run_generator(
    executor: &dyn Executor,
    generator: &Runnable,
    command: &GeneratorCommand,
    name: &str,
    mode: RunMode,
) -> Result<GeneratorOutput, Stop> {
    let seed = u64::from(seed_of(command));
    let mut refused = None;
    for attempt in 0..command.tries {
        let args = substitute_placeholders(command, name, seed + u64::from(attempt));
        match run_once(executor, generator, command, args, name, mode)? {
            Ok(output) => return Ok(Ok(output)),
            Err(refusal) => refused = Some(refusal),
        }
    }
    let mut refusal = refused.unwrap_or_else(|| ProgramFailure {
        message: "was not started".to_owned(),
        help: "give it at least one try",
    });
    if command.tries > 1 {
        refusal.message += &format!(", at the last of {} tries", command.tries);
    }
    Ok(Err(refusal))
}

pub fn run_once(
    executor: &dyn Executor,
    generator: &Runnable,
    command: &GeneratorCommand,
    args: Vec<String>,
    name: &str,
    mode: RunMode,
) -> Result<GeneratorOutput, Stop> {
    let names = file_names(command, name);
    let mut job = generator.job(&Limits::of_generator());
    job.collect = names.iter().map(|(name, _)| name.clone()).collect();
    job.command.argv.extend(args);
    let reply = executor.run(&job.clone().into(), mode)?.single()?;
    if let Some(ending) = failed_ending(&reply.outcome, &job.limits) {
        let reason = failure_reason(&reply.stderr);
        return Ok(Err(ProgramFailure {
            message: format!("`{}` {ending}{reason}", command.line),
            help: "a generator must end with exit code 0; what it printed before is not used",
        }));
    }
    let mut files: Vec<GeneratedFile> = Vec::new();
    for ((name, extension), collected) in names.iter().zip(reply.collected) {
        match collected {
            CollectedEntry::File(contents) => {
                if files.iter().all(|file| file.extension != *extension) {
                    files.push(GeneratedFile { extension, contents });
                }
            }
            CollectedEntry::NotAFile(what) => {
                return Ok(Err(ProgramFailure {
                    message: format!("`{}` leaves {what} as `{name}`", command.line),
                    help: "a generator prints its input, or writes it to a regular file of that name",
                }));
            }
            CollectedEntry::Missing => {}
        }
    }
    if files.iter().all(|file| file.extension != "in") {
        files.push(GeneratedFile { extension: "in", contents: reply.stdout });
    }
    Ok(Ok(files))
}

/// The names of files that a generator may leave, with their extensions: `testcase.in` and so on. A generator that
/// gets the case's name may also use that name.
fn file_names(command: &GeneratorCommand, case: &str) -> Vec<(String, &'static str)> {
    let base = case.rsplit('/').next().unwrap_or(case);
    let knows_name = occurrences(&command.args, ArgumentPiece::Name) > 0 && base != DEFAULT_STEM;
    let stems = [Some(DEFAULT_STEM), knows_name.then_some(base)];
    let of =
        |stem: &str| CASE_EXTENSIONS.map(|extension| (format!("{stem}.{extension}"), extension));
    stems.into_iter().flatten().flat_map(of).collect()
}
