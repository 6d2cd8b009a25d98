//! A generator of the command line, called with a fresh seed and perhaps a size for each input.

use std::sync::Arc;
use std::time::Duration;

use juror_core::diagnostic::Diagnostic;
use juror_core::job::Job;
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::program::Program;
use juror_core::stop::Stop;
use juror_core::text::command_line;
use juror_core::units::Bytes;
use juror_judging::build::batch::{BatchCall, BatchMode, run_calls};
use juror_judging::build::bench::Bench;
use juror_judging::build::{PreparedProgram, Runnable};
use juror_judging::recipe::programs::failed_ending;

/// A generator as the user gave it.
#[derive(Clone, Debug)]
pub struct SeededProgram {
    pub program: Program,
    /// The words after those that start it. They and the words of a typed command have placeholders.
    pub words: Vec<String>,
    /// The command as the user wrote it, with all placeholders.
    pub shown: Vec<String>,
    /// The largest value of `{n}`.
    pub size_max: u32,
}

/// What the placeholders of a generator stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeededCall {
    /// The value of `{n}`, if it has one.
    pub size: Option<u32>,
    /// The value of `{seed}`, from 0 to 2^31 - 1.
    pub seed: u32,
}

pub const SEED_PLACEHOLDER: &str = "{seed}";
pub const SIZE_PLACEHOLDER: &str = "{n}";

/// An input of a search is small: a generator that takes longer or prints more than this hangs, or does not end.
const TIME: Duration = Duration::from_secs(5);
const OUTPUT: Bytes = Bytes::mib(64);
/// Upper bound on the bytes of its messages that are shown.
const MESSAGES_MAX: u64 = 4 << 10;

impl SeededProgram {
    /// Adds the seed as the last word, unless it has a place.
    #[must_use]
    pub fn new(mut program: Program, mut words: Vec<String>, mut shown: Vec<String>) -> Self {
        if !shown.iter().any(|word| word.contains(SEED_PLACEHOLDER)) {
            shown.push(SEED_PLACEHOLDER.to_owned());
            match &mut program.command {
                Some(typed) => typed.words.push(SEED_PLACEHOLDER.into()),
                None => words.push(SEED_PLACEHOLDER.to_owned()),
            }
        }
        Self { program, words, shown, size_max: 1 }
    }

    pub fn has_size(&self) -> bool {
        self.shown.iter().any(|word| word.contains(SIZE_PLACEHOLDER))
    }

    /// A name in braces that stands for nothing.
    pub fn unknown_placeholder(&self) -> Option<&str> {
        let mut names = self.shown.iter().flat_map(|word| names_in_braces(word));
        let is_known =
            |name: &&str| [SEED_PLACEHOLDER, SIZE_PLACEHOLDER].contains(&&*format!("{{{name}}}"));
        names.find(|name| !is_known(name))
    }

    /// The command line as the user wrote it, with all placeholders.
    pub fn text(&self) -> String {
        self.shown.join(" ")
    }

    /// The command line of a call.
    pub fn line(&self, call: SeededCall) -> String {
        command_line(self.shown.iter().map(|word| call.fill(word)))
    }

    fn words_of(&self, call: SeededCall) -> Vec<String> {
        self.words.iter().map(|word| call.fill(word)).collect()
    }
}

/// Not those of a shell, such as `${x}`.
fn names_in_braces(word: &str) -> Vec<&str> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let pieces: Vec<&str> = word.split('{').collect();
    let inner = pieces.windows(2).filter(|pair| !pair[0].ends_with('$'));
    let names = inner.filter_map(|pair| Some(pair[1].split_once('}')?.0));
    names.filter(|name| !name.is_empty() && name.chars().all(is_letter)).collect()
}

impl SeededCall {
    fn fill(self, word: &str) -> String {
        let word = word.replace(SEED_PLACEHOLDER, &self.seed.to_string());
        match self.size {
            Some(size) => word.replace(SIZE_PLACEHOLDER, &size.to_string()),
            None => word,
        }
    }
}

pub struct SeededGenerator<'a> {
    bench: Bench<'a>,
    pub given: &'a SeededProgram,
    pub prepared: PreparedProgram,
    runnable: Runnable,
}

impl<'a> SeededGenerator<'a> {
    /// Fails if it does not build.
    pub fn build(bench: Bench<'a>, given: &'a SeededProgram) -> Result<Self, Stop> {
        let prepared = bench.builder.prepare(&given.program)?;
        let built = bench.build(&given.program.name, &prepared, &limits())?;
        let runnable = built.program("the generator", &given.program.path)?;
        Ok(Self { bench, given, prepared, runnable })
    }

    /// The inner error says why it printed no input.
    pub fn make(&self, call: SeededCall) -> Result<Result<Arc<[u8]>, Diagnostic>, Stop> {
        let mut job = self.job(&self.runnable);
        job.command.argv.iter_mut().for_each(|word| *word = call.fill(word));
        job.command.argv.extend(self.given.words_of(call));
        let reply = self.bench.executor.run_job(&job)?;
        let failure = failed_ending(&reply.outcome, &job.limits);
        let is_empty = reply.stdout.len().is_ok_and(|length| length == 0);
        let failure = failure.or_else(|| is_empty.then(|| "prints nothing".to_owned()));
        if let Some(failure) = failure {
            let message = format!("the generator {failure}: `{}`", self.given.line(call));
            let help = "it must print an input on standard output, and end with exit code 0";
            let stderr = reply.stderr.prefix(MESSAGES_MAX).unwrap_or_default();
            let diagnostic = Diagnostic::error(&self.given.program.path, message).help(help);
            return Ok(Err(diagnostic.quote(&stderr)));
        }
        let input = reply.stdout.read();
        let input =
            input.map_err(|error| JudgeError::new("read what the generator printed", error))?;
        Ok(Ok(input.into()))
    }

    /// With one start of the program, which was built for batches. `None` for a call that must run alone.
    pub fn make_batch(
        &self,
        runnable: &Runnable,
        mode: BatchMode,
        calls: &[SeededCall],
    ) -> Result<Vec<Option<Arc<[u8]>>>, Stop> {
        let texts = calls
            .iter()
            .map(|call| BatchCall { words: self.given.words_of(*call), ..BatchCall::default() });
        let calls = Vec::from_iter(texts);
        let printed = run_calls(self.bench.executor, self.job(runnable), (mode, 0), &calls)?;
        let printed = printed.into_iter().map(|text| text.filter(|text| !text.is_empty()));
        Ok(printed.map(|text| text.map(Arc::from)).collect())
    }

    fn job(&self, runnable: &Runnable) -> Job {
        runnable.job(&limits())
    }
}

fn limits() -> Limits {
    Limits {
        cpu_time: Some(TIME),
        wall_time: Some(TIME),
        output: Some(OUTPUT),
        ..Limits::of_generator()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::program::TypedCommand;

    #[test]
    fn the_seed_is_the_last_word_unless_it_has_a_place() {
        let check = |words: &[&str], expected: &str| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let shown = [&["gen.py".to_owned()], &words[..]].concat();
            let source = SeededProgram::new(Program::default(), words.clone(), shown.clone());
            let call = SeededCall { size: source.has_size().then_some(3), seed: 17 };
            assert_eq!(source.line(call), format!("gen.py{expected}"));
            assert_eq!(command_line(source.words_of(call)), expected.trim_start());
            let command = TypedCommand {
                words: shown.iter().map(Into::into).collect(),
                directory: "/".into(),
            };
            let program = Program { command: Some(command), ..Program::default() };
            let typed = SeededProgram::new(program, Vec::new(), shown);
            assert_eq!(typed.line(call), format!("gen.py{expected}"));
            let own = typed.program.command.map(|command| command.words.len());
            assert_eq!((own, typed.words.len()), (Some(typed.shown.len()), 0));
        };
        check(&[], " 17");
        check(&["{n}", "a b"], " 3 'a b' 17");
        check(&["{seed}", "10"], " 17 10");
        check(&["--seed={seed}", "--n={n}"], " --seed=17 --n=3");
        check(&["{x}"], " '{x}' 17");
    }
}
