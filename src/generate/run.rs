//! One run of a generator: its input and its output.

use crate::build::Runnable;
use crate::executor::Executor;
use crate::generate::programs::{Refusal, ending, reason};
use crate::generate::seed::{seed, substituted};
use crate::model::blob::Blob;
use crate::model::job::Collected;
use crate::model::limits::Limits;
use crate::model::placeholder::{Piece, occurrences};
use crate::model::recipe::{CASE_EXTENSIONS, GeneratorCommand};
use crate::model::stop::Stop;
use crate::model::work::RunMode;

/// A generator may write files under this name instead of printing its input.
const OWN_NAME: &str = "testcase";

/// One of the files is `in`.
pub(super) type Output = Result<Vec<Made>, Refusal>;

#[derive(Debug)]
pub(super) struct Made {
    pub extension: &'static str,
    pub contents: Blob,
}

/// Runs a generator for the case `name`. If it fails and has more tries, runs it again with the next seed.
pub(super) fn run(
    executor: &dyn Executor,
    generator: &Runnable,
    command: &GeneratorCommand,
    name: &str,
    mode: RunMode,
) -> Result<Output, Stop> {
    let seed = u64::from(seed(command));
    let mut refused = None;
    for attempt in 0..command.tries {
        let args = substituted(command, name, seed + u64::from(attempt));
        match start(executor, generator, command, args, name, mode)? {
            Ok(output) => return Ok(Ok(output)),
            Err(refusal) => refused = Some(refusal),
        }
    }
    let mut refusal = refused.unwrap_or_else(|| Refusal {
        message: "was not started".to_owned(),
        help: "give it at least one try",
    });
    if command.tries > 1 {
        refusal.message += &format!(", at the last of {} tries", command.tries);
    }
    Ok(Err(refusal))
}

pub(super) fn start(
    executor: &dyn Executor,
    generator: &Runnable,
    command: &GeneratorCommand,
    args: Vec<String>,
    name: &str,
    mode: RunMode,
) -> Result<Output, Stop> {
    let names = names(command, name);
    let mut job = generator.job(&Limits::of_generator());
    job.collect = names.iter().map(|(name, _)| name.clone()).collect();
    job.command.argv.extend(args);
    let reply = executor.run(&job.clone().into(), mode)?.single()?;
    if let Some(ending) = ending(&reply.outcome, &job.limits) {
        let said = reason(&reply.stderr);
        return Ok(Err(Refusal {
            message: format!("`{}` {ending}{said}", command.line),
            help: "a generator must end with exit code 0; what it printed before is not used",
        }));
    }
    let mut files: Vec<Made> = Vec::new();
    for ((name, extension), collected) in names.iter().zip(reply.collected) {
        match collected {
            Collected::File(contents) => {
                if files.iter().all(|made| made.extension != *extension) {
                    files.push(Made { extension, contents });
                }
            }
            Collected::NotAFile(what) => {
                return Ok(Err(Refusal {
                    message: format!("`{}` leaves {what} as `{name}`", command.line),
                    help: "a generator prints its input, or writes it to a regular file of that name",
                }));
            }
            Collected::Missing => {}
        }
    }
    if files.iter().all(|made| made.extension != "in") {
        files.push(Made { extension: "in", contents: reply.stdout });
    }
    Ok(Ok(files))
}

/// The names of files that a generator may leave, with their extensions: `testcase.in` and so on. A generator that
/// gets the case's name may also use that name.
fn names(command: &GeneratorCommand, case: &str) -> Vec<(String, &'static str)> {
    let base = case.rsplit('/').next().unwrap_or(case);
    let knows_name = occurrences(&command.args, Piece::Name) > 0 && base != OWN_NAME;
    let stems = [Some(OWN_NAME), knows_name.then_some(base)];
    let of =
        |stem: &str| CASE_EXTENSIONS.map(|extension| (format!("{stem}.{extension}"), extension));
    stems.into_iter().flatten().flat_map(of).collect()
}
